// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Surfaces that go through each other only where edges meet edges, diagonals and faces, beside
// such that touch there.

#include "geometry/surfaces/surface_intersections.h"

#include "geometry/mesh/mesh.h"
#include "geometry/surfaces/surface_orient.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

enum { k_most = 128 };

// A surface of parts, and the part of each triangle.
typedef struct parts {
    iso_vec3 vertices[k_most];
    int triangles[k_most][3];
    int part_of[k_most];
    int vertex_count, triangle_count, part_count;
} parts;

static void add_triangle(parts* p, int a, int b, int c) {
    const int t[3] = {a, b, c};
    assert_true(p->triangle_count < k_most);
    p->part_of[p->triangle_count] = p->part_count;
    memcpy(p->triangles[p->triangle_count++], t, sizeof t);
}

static int add_vertex(parts* p, double x, double y, double z) {
    assert_true(p->vertex_count < k_most);
    p->vertices[p->vertex_count] = iso_vec3_make(x, y, z);
    return p->vertex_count++;
}

// A ring of corners in the x-y plane, counter-clockwise, between a lower and an upper one.
static void add_bipyramid(parts* p, const double (*ring)[2], int count, double z, iso_vec3 lower,
                          iso_vec3 upper) {
    int first = p->vertex_count;
    for (int i = 0; i < count; ++i) {
        add_vertex(p, ring[i][0], ring[i][1], z);
    }
    int low = add_vertex(p, lower.x, lower.y, lower.z);
    int high = add_vertex(p, upper.x, upper.y, upper.z);
    for (int i = 0; i < count; ++i) {
        add_triangle(p, first + i, first + (i + 1) % count, high);
        add_triangle(p, first + (i + 1) % count, first + i, low);
    }
    ++p->part_count;
}

// A convex ring, counter-clockwise, drawn along z; faces at the ends are fans about corner 0.
static void add_prism(parts* p, const double (*ring)[2], int count, double z0, double z1) {
    int first = p->vertex_count;
    for (int i = 0; i < 2 * count; ++i) {
        add_vertex(p, ring[i % count][0], ring[i % count][1], i < count ? z0 : z1);
    }
    for (int i = 0; i < count; ++i) {
        int a = first + i, b = first + (i + 1) % count;
        add_triangle(p, a, b, b + count);
        add_triangle(p, a, b + count, a + count);
        if (i + 2 < count) {
            add_triangle(p, first, first + i + 2, first + i + 1);
            add_triangle(p, first + count, first + count + i + 1, first + count + i + 2);
        }
    }
    ++p->part_count;
}

static void add_box(parts* p, iso_vec3 lower, iso_vec3 upper) {
    const double ring[4][2] = {
        {lower.x, lower.y}, {upper.x, lower.y}, {upper.x, upper.y}, {lower.x, upper.y}};
    add_prism(p, ring, 4, lower.z, upper.z);
}

static void add_octahedron(parts* p, iso_vec3 c) {
    const double ring[4][2] = {
        {c.x + 1.0, c.y}, {c.x, c.y + 1.0}, {c.x - 1.0, c.y}, {c.x, c.y - 1.0}};
    add_bipyramid(p, ring, 4, c.z, iso_vec3_make(c.x, c.y, c.z - 1.0),
                  iso_vec3_make(c.x, c.y, c.z + 1.0));
}

static void add_icosahedron(parts* p, double shift) {
    static const int k_corners[20][3] = {
        {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    const double t = 0.5 * (1.0 + sqrt(5.0));
    const double corners[12][3] = {{-1, t, 0}, {1, t, 0}, {-1, -t, 0}, {1, -t, 0},
                                   {0, -1, t}, {0, 1, t}, {0, -1, -t}, {0, 1, -t},
                                   {t, 0, -1}, {t, 0, 1}, {-t, 0, -1}, {-t, 0, 1}};
    int first = p->vertex_count;
    for (int i = 0; i < 12; ++i) {
        add_vertex(p, corners[i][0] + shift, corners[i][1], corners[i][2]);
    }
    for (int i = 0; i < 20; ++i) {
        const int* c = k_corners[i];
        add_triangle(p, first + c[0], first + c[1], first + c[2]);
    }
    ++p->part_count;
}

static iso_tri_mesh mesh_of(parts* p) {
    return (iso_tri_mesh){.vertex_count = p->vertex_count,
                          .triangle_count = p->triangle_count,
                          .vertices = p->vertices,
                          .triangles = p->triangles};
}

// The same at an arbitrary place: planes agree up to rounding only.
static parts moved(const parts* p, test_random* random) {
    parts other = *p;
    iso_pose x = test_random_pose(random, 3.0);
    for (int i = 0; i < p->vertex_count; ++i) {
        other.vertices[i] = iso_vec3_add(x.p, iso_mat3_mul_vec3(&x.r, p->vertices[i]));
    }
    return other;
}

static int count_pairs(iso_context* ctx, parts* p) {
    iso_tri_mesh mesh = mesh_of(p);
    int count = -1;
    CHECK_OK(ctx, iso_surface_find_intersections(ctx, &mesh, 0, &count, NULL));
    return count;
}

static bool is_cut(iso_context* ctx, parts* p) {
    iso_tri_mesh mesh = mesh_of(p);
    bool cut[4] = {false};
    assert_int_equal(p->part_count, 2);
    CHECK_OK(ctx, iso_surface_find_cut_parts(ctx, &mesh, p->part_of, 2, cut));
    assert_true(cut[1] == cut[2] && !cut[0] && !cut[3]);
    return cut[1];
}

// Whether the two parts cut each other is the same wherever they are.
static void check_parts(parts* p, bool expected, const char* name) {
    iso_context* ctx = test_context();
    test_random random = test_random_make(7);
    parts place = *p;
    for (int trial = 0; trial < 12; ++trial) {
        int count = count_pairs(ctx, &place);
        CHECK(is_cut(ctx, &place) == expected, "%s, place %d", name, trial);
        CHECK((count > 0) == expected, "%s, place %d: %d pairs", name, trial, count);
        place = moved(p, &random);
    }
    test_context_destroy(ctx);
}

static const iso_vec3 k_zero = {0.0, 0.0, 0.0};
static const iso_vec3 k_one = {1.0, 1.0, 1.0};
static const iso_vec3 k_half = {0.5, 0.5, 0.5};

static void parts_cut_where_edges_meet_edges_and_diagonals(void** state) {
    (void)state;
    parts along_axis = {0}, along_diagonal = {0}, boxes = {0}, at_corner = {0}, round = {0};
    add_octahedron(&along_axis, k_zero);
    add_octahedron(&along_axis, iso_vec3_make(0.0, 0.0, 0.5));
    check_parts(&along_axis, true, "octahedra along an axis");
    add_octahedron(&along_diagonal, k_zero);
    add_octahedron(&along_diagonal, iso_vec3_make(0.5, 0.5, 0.0));
    check_parts(&along_diagonal, true, "octahedra along a diagonal");
    add_box(&boxes, k_zero, k_one);
    add_box(&boxes, k_half, iso_vec3_make(1.5, 1.5, 1.5));
    check_parts(&boxes, true, "boxes along a diagonal");
    add_box(&at_corner, k_zero, k_one);
    add_box(&at_corner, iso_vec3_make(0.9, 0.9, 0.9), iso_vec3_make(1.1, 1.1, 1.1));
    check_parts(&at_corner, true, "a small box about a corner of a large one");
    add_icosahedron(&round, 0.0);
    add_icosahedron(&round, 1.0);
    check_parts(&round, true, "icosahedra along an axis");
}

// The two ends of a prism come to points. One of these moves along the axis through the other one.
static void a_corner_poked_through_the_opposite_one_cuts(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(8);
    const double ring[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
    parts p = {0};
    add_prism(&p, ring, 4, -0.5, 0.5);
    p.triangle_count = 0; // only its sides stay
    for (int i = 0; i < 4; ++i) {
        int k = (i + 1) % 4;
        add_triangle(&p, i, k, 4 + k);
        add_triangle(&p, i, 4 + k, 4 + i);
        add_triangle(&p, k, i, 8);
        add_triangle(&p, 4 + i, 4 + k, 9);
    }
    add_vertex(&p, 0.0, 0.0, -1.0);
    int tip = add_vertex(&p, 0.0, 0.0, 1.0);
    for (int poked = 0; poked < 2; ++poked) {
        for (int trial = 0; trial < 12; ++trial) {
            parts place = trial == 0 ? p : moved(&p, &random);
            int count = count_pairs(ctx, &place);
            CHECK((count > 0) == poked, "place %d, poked %d: %d pairs", trial, poked, count);
        }
        p.vertices[tip].z = -1.5;
    }
    test_context_destroy(ctx);
}

static const double k_diamond[4][2] = {{1.0, 0.25}, {1.25, 0.5}, {1.0, 0.75}, {0.75, 0.5}};
static const double k_turned_diamond[4][2] = {{1.25, 0.5}, {1.0, 0.75}, {0.75, 0.5}, {1.0, 0.25}};

// Every triangle of the second part has a corner or an edge in the plane of the face x = 1.
static void parts_cut_where_edges_lie_in_faces_and_on_edges(void** state) {
    (void)state;
    const double from_edge[4][2] = {{1.0, 0.0}, {1.5, 0.5}, {1.0, 1.0}, {0.6, 0.5}};
    parts in_face = {0}, across = {0}, on_edges = {0}, on_diagonal = {0};
    add_box(&in_face, k_zero, k_one);
    add_prism(&in_face, k_diamond, 4, 0.25, 0.75);
    check_parts(&in_face, true, "a prism with two edges in a face");
    add_box(&across, k_zero, k_one);
    add_prism(&across, k_turned_diamond, 4, 0.25, 0.75);
    check_parts(&across, true, "its ends divided the other way");
    add_box(&on_edges, k_zero, k_one);
    add_prism(&on_edges, from_edge, 4, 0.25, 0.75);
    check_parts(&on_edges, true, "a prism with two edges on edges");
    // A bipyramid whose ring's diagonal lies on the diagonal of the face z = 1.
    const double ring[4][2] = {{0.3, 0.3}, {0.6, 0.4}, {0.7, 0.7}, {0.4, 0.6}};
    add_box(&on_diagonal, k_zero, k_one);
    add_bipyramid(&on_diagonal, ring, 4, 1.0, iso_vec3_make(0.5, 0.5, 0.5),
                  iso_vec3_make(0.5, 0.5, 1.5));
    check_parts(&on_diagonal, true, "a bipyramid about the diagonal of a face");
}

static void parts_that_touch_do_not_cut(void** state) {
    (void)state;
    const double wedge[3][2] = {{1.0, 0.5}, {1.5, 0.3}, {1.5, 0.7}};
    const double inner[3][2] = {{1.0, 0.5}, {0.5, 0.7}, {0.5, 0.3}};
    const double corner[3][2] = {{1.0, 1.0}, {1.5, 1.2}, {1.2, 1.5}};
    const double base[3][2] = {{0.3, 0.3}, {0.7, 0.3}, {0.5, 0.7}};
    const double diagonal[3][2] = {{0.2, 0.2}, {0.8, 0.8}, {0.4, 0.6}};
    const struct {
        const char* name;
        const double (*ring)[2];
    } prisms[] = {{"a wedge on a face", wedge},
                  {"a wedge on a face from inside", inner},
                  {"a wedge on an edge", corner}};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 2; ++k) { // shorter than the box, and beyond it
            parts p = {0};
            add_box(&p, k_zero, k_one);
            add_prism(&p, prisms[i].ring, 3, 0.25, k == 1 && i != 1 ? 1.75 : 0.75);
            check_parts(&p, false, prisms[i].name);
        }
    }
    const iso_vec3 shifts[2] = {{1.0, 1.0, 0.0}, {1.0, 1.0, 1.0}};
    for (int i = 0; i < 2; ++i) {
        parts p = {0};
        add_box(&p, k_zero, k_one);
        add_box(&p, shifts[i], iso_vec3_add(shifts[i], k_one));
        check_parts(&p, false, i == 0 ? "boxes with a common edge" : "boxes with a common corner");
    }
    for (int inside = 0; inside < 2; ++inside) {
        const iso_vec3 tips[3] = {{0.45, 0.4, 1.0}, {0.5, 0.5, 1.0}, {0.9, 0.9, 1.0}};
        for (int i = 0; i < 3; ++i) { // in a triangle, on the diagonal, near an edge
            parts p = {0};
            add_box(&p, k_zero, k_one);
            double z = inside ? 0.5 : 1.5;
            add_bipyramid(&p, base, 3, z, inside ? iso_vec3_make(0.5, 0.4, 0.2) : tips[i],
                          inside ? tips[i] : iso_vec3_make(0.5, 0.4, 2.0));
            check_parts(&p, false, "a tip on a face");
        }
    }
    // An edge of a tetrahedron on the diagonal of a face, the rest above it.
    parts p = {0};
    add_box(&p, k_zero, k_one);
    int v[4];
    for (int i = 0; i < 3; ++i) {
        v[i] = add_vertex(&p, diagonal[i][0], diagonal[i][1], i < 2 ? 1.0 : 1.5);
    }
    v[3] = add_vertex(&p, 0.6, 0.4, 1.5);
    add_triangle(&p, v[0], v[1], v[2]);
    add_triangle(&p, v[1], v[0], v[3]);
    add_triangle(&p, v[0], v[2], v[3]);
    add_triangle(&p, v[1], v[3], v[2]);
    ++p.part_count;
    check_parts(&p, false, "an edge on the diagonal of a face");
}

static const int k_faces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// Outward normal of a face of a tetrahedron; of whole coordinates, so without rounding.
static iso_vec3 normal_of(const iso_vec3* tet, int face) {
    iso_vec3 a = tet[k_faces[face][0]];
    return iso_vec3_cross(iso_vec3_sub(tet[k_faces[face][1]], a),
                          iso_vec3_sub(tet[k_faces[face][2]], a));
}

static bool does_axis_part(const iso_vec3* a, const iso_vec3* b, iso_vec3 axis) {
    double a_low = INFINITY, a_high = -INFINITY, b_low = INFINITY, b_high = -INFINITY;
    for (int i = 0; i < 4; ++i) {
        a_low = fmin(a_low, iso_vec3_dot(axis, a[i]));
        a_high = fmax(a_high, iso_vec3_dot(axis, a[i]));
        b_low = fmin(b_low, iso_vec3_dot(axis, b[i]));
        b_high = fmax(b_high, iso_vec3_dot(axis, b[i]));
    }
    return iso_vec3_norm(axis) > 0.0 && (a_high <= b_low || b_high <= a_low);
}

// Whether two tetrahedra have no inner point in common, by the normals of faces and edges.
static bool are_apart(const iso_vec3* a, const iso_vec3* b) {
    static const int k_edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    bool apart = false;
    for (int i = 0; i < 4; ++i) {
        apart |= does_axis_part(a, b, normal_of(a, i)) || does_axis_part(a, b, normal_of(b, i));
    }
    for (int i = 0; i < 36; ++i) {
        const int *e = k_edges[i / 6], *f = k_edges[i % 6];
        iso_vec3 axis =
            iso_vec3_cross(iso_vec3_sub(a[e[1]], a[e[0]]), iso_vec3_sub(b[f[1]], b[f[0]]));
        apart |= does_axis_part(a, b, axis);
    }
    return apart;
}

static bool holds(const iso_vec3* outer, const iso_vec3* inner) {
    bool all = true;
    for (int i = 0; i < 16; ++i) {
        iso_vec3 to = iso_vec3_sub(inner[i % 4], outer[k_faces[i / 4][0]]);
        all = all && iso_vec3_dot(normal_of(outer, i / 4), to) <= 0.0;
    }
    return all;
}

static bool have_faces_in_one_plane(const iso_vec3* a, const iso_vec3* b) {
    bool found = false;
    for (int i = 0; i < 16; ++i) {
        iso_vec3 n = normal_of(a, i / 4), m = normal_of(b, i % 4);
        iso_vec3 to = iso_vec3_sub(b[k_faces[i % 4][0]], a[k_faces[i / 4][0]]);
        found |= iso_vec3_norm(iso_vec3_cross(n, m)) == 0.0 && iso_vec3_dot(n, to) == 0.0;
    }
    return found;
}

// Between few places of a lattice most edges meet edges, lie in faces or end in them.
static void tetrahedra_of_a_lattice_cut_where_they_overlap_in_part(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(11);
    int counts[2] = {0};
    for (int trial = 0; trial < 20000; ++trial) {
        parts p = {0};
        for (int i = 0; i < 8; ++i) {
            add_vertex(&p, test_random_int(&random, 0, 2), test_random_int(&random, 0, 2),
                       test_random_int(&random, 0, 2));
        }
        iso_vec3 *a = p.vertices, *b = p.vertices + 4;
        bool is_solid = true;
        for (int k = 0; k < 2; ++k) {
            iso_vec3* t = k == 0 ? a : b;
            double volume = -iso_vec3_dot(normal_of(t, 3), iso_vec3_sub(t[3], t[0]));
            if (volume < 0.0) {
                iso_vec3 held = t[0];
                t[0] = t[1];
                t[1] = held;
            }
            is_solid = is_solid && volume != 0.0;
            for (int i = 0; i < 4; ++i) {
                add_triangle(&p, 4 * k + k_faces[i][0], 4 * k + k_faces[i][1],
                             4 * k + k_faces[i][2]);
            }
            ++p.part_count;
        }
        if (!is_solid || have_faces_in_one_plane(a, b)) {
            continue;
        }
        bool expected = !are_apart(a, b) && !holds(a, b) && !holds(b, a);
        parts place = moved(&p, &random);
        CHECK(is_cut(ctx, &p) == expected, "trial %d: expected %d", trial, expected);
        CHECK(is_cut(ctx, &place) == expected, "trial %d, moved: expected %d", trial, expected);
        ++counts[expected];
    }
    CHECK(counts[0] > 1000 && counts[1] > 1000, "%d and %d", counts[0], counts[1]);
    test_context_destroy(ctx);
}

// Halves of two bodies that go through each other are no hollows, and both face outward.
static void parts_that_overlap_symmetrically_are_no_cavities(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    parts p = {0};
    iso_surface_orientation done;
    add_octahedron(&p, k_zero);
    add_octahedron(&p, iso_vec3_make(-0.5, 0.0, 0.0)); // its first vertex is in the first one
    iso_tri_mesh mesh = mesh_of(&p);
    CHECK_OK(ctx, iso_surface_orient(ctx, &mesh, &done));
    assert_int_equal(done.part_count, 2);
    assert_int_equal(done.cavity_count, 0);
    CHECK_NEAR(iso_tri_mesh_volume(&mesh), 8.0 / 3.0, 1e-14); // measured 4.4e-16
    test_context_destroy(ctx);
}

// The corner that touches comes first: there the other body winds around by a fraction.
static void parts_that_touch_from_inside_are_cavities(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(9);
    const double ring[3][2] = {{0.3, 0.3}, {0.7, 0.3}, {0.5, 0.7}};
    for (int inside = 0; inside < 2; ++inside) {
        for (int trial = 0; trial < 20; ++trial) {
            parts p = {0};
            iso_surface_orientation done;
            add_box(&p, k_zero, k_one);
            double z = inside ? 0.5 : 1.5, far = inside ? 0.2 : 2.0;
            add_bipyramid(&p, ring, 3, z, iso_vec3_make(0.5, 0.4, inside ? far : 1.0),
                          iso_vec3_make(0.5, 0.4, inside ? 1.0 : far));
            for (int i = 12; i < p.triangle_count; ++i) { // from the tip on
                const int* t = p.triangles[i];
                const int turned[3] = {t[2], t[0], t[1]};
                memcpy(p.triangles[i], turned, sizeof turned);
            }
            parts place = trial == 0 ? p : moved(&p, &random);
            iso_tri_mesh mesh = mesh_of(&place);
            CHECK_OK(ctx, iso_surface_orient(ctx, &mesh, &done));
            CHECK(done.cavity_count == inside, "place %d, inside %d: %d cavities", trial, inside,
                  done.cavity_count);
        }
    }
    test_context_destroy(ctx);
}

static iso_status find_once(iso_context* ctx, void* user) {
    parts* p = user;
    iso_tri_mesh mesh = mesh_of(p);
    int count = 0;
    return iso_surface_find_intersections(ctx, &mesh, 0, &count, NULL);
}

static void finding_survives_every_allocation_failure(void** state) {
    (void)state;
    parts p = {0}; // its edges are looked at
    add_box(&p, k_zero, k_one);
    add_prism(&p, k_diamond, 4, 0.25, 0.75);
    int count = check_every_allocation_failure(find_once, &p);
    CHECK(count > 8, "%d allocations", count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_cut_where_edges_meet_edges_and_diagonals),
        cmocka_unit_test(a_corner_poked_through_the_opposite_one_cuts),
        cmocka_unit_test(parts_cut_where_edges_lie_in_faces_and_on_edges),
        cmocka_unit_test(parts_that_touch_do_not_cut),
        cmocka_unit_test(tetrahedra_of_a_lattice_cut_where_they_overlap_in_part),
        cmocka_unit_test(parts_that_overlap_symmetrically_are_no_cavities),
        cmocka_unit_test(parts_that_touch_from_inside_are_cavities),
        cmocka_unit_test(finding_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
