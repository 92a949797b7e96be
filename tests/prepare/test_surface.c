// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "geometry/mesh/topology.h"
#include "geometry/surfaces/surface_intersections.h"
#include "prepare/measure/quality.h"
#include "prepare/meshers/smooth.h"
#include "prepare/surface/shells.h"
#include "prepare/surface/surface_faults.h"
#include "prepare/surface/surface_repair.h"
#include "prepare/surfaces.h"
#include "support/random.h"

#include <math.h>

static const iso_vec3 k_zero = {0.0, 0.0, 0.0};

static iso_vec3 all(double x) {
    return iso_vec3_make(x, x, x);
}

static void append(iso_context* ctx, iso_tri_mesh* mesh, const iso_tri_mesh* other) {
    iso_tri_mesh joined;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, mesh->vertex_count + other->vertex_count,
                                        mesh->triangle_count + other->triangle_count, &joined));
    for (int i = 0; i < joined.vertex_count; ++i) {
        joined.vertices[i] =
            i < mesh->vertex_count ? mesh->vertices[i] : other->vertices[i - mesh->vertex_count];
    }
    for (int i = 0; i < joined.triangle_count; ++i) {
        bool is_old = i < mesh->triangle_count;
        for (int k = 0; k < 3; ++k) {
            joined.triangles[i][k] =
                is_old ? mesh->triangles[i][k]
                       : other->triangles[i - mesh->triangle_count][k] + mesh->vertex_count;
        }
    }
    iso_tri_mesh_destroy(ctx, mesh);
    *mesh = joined;
}

static void a_soup_of_faces_welds_to_a_closed_box(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_repair repair = {0};
    iso_tri_mesh box = box_surface(ctx, k_zero, all(1.0), 4);
    for (int i = 0; i < box.vertex_count; ++i) { // corners of equal places do not quite agree
        box.vertices[i].x += 1e-9 * (i % 3);
    }
    CHECK_OK(ctx, iso_surface_weld(ctx, &box, 1e-6, &repair));
    assert_int_equal(box.vertex_count, 98); // 6 faces of 25, less the 52 that edges share
    assert_int_equal(repair.welded_count, 52);
    assert_int_equal(repair.collapsed_count + repair.duplicate_count, 0);
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &box));
    CHECK_NEAR(iso_tri_mesh_volume(&box), 1.0, 5e-9); // measured 3.1e-11
    iso_tri_mesh_destroy(ctx, &box);
    test_context_destroy(ctx);
}

static void repeated_triangles_and_both_sides_become_one(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_repair repair = {0};
    iso_tri_mesh box = box_surface(ctx, k_zero, all(1.0), 2);
    iso_tri_mesh turned = box_surface(ctx, k_zero, all(1.0), 2);
    for (int i = 0; i < turned.triangle_count; ++i) {
        int held = turned.triangles[i][0];
        turned.triangles[i][0] = turned.triangles[i][1];
        turned.triangles[i][1] = held;
    }
    append(ctx, &box, &turned);
    CHECK_OK(ctx, iso_surface_weld(ctx, &box, 1e-9, &repair));
    assert_int_equal(repair.duplicate_count, 48);
    assert_int_equal(box.triangle_count, 48);
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &box));
    iso_tri_mesh_destroy(ctx, &box);
    iso_tri_mesh_destroy(ctx, &turned);
    test_context_destroy(ctx);
}

// A vertex on the diagonal of a face, and the sliver that joins it: closed before and after.
static void slivers_are_flipped_and_the_surface_stays_closed(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_repair repair = {0};
    iso_tri_mesh box = box_surface(ctx, k_zero, all(1.0), 1);
    CHECK_OK(ctx, iso_surface_weld(ctx, &box, 1e-9, &repair));
    const int* t = box.triangles[0];
    int a = t[0], b = t[1], c = t[2];
    iso_tri_mesh more;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 9, 14, &more));
    memcpy(more.vertices, box.vertices, 8 * sizeof *more.vertices);
    memcpy(more.triangles, box.triangles, 12 * sizeof *more.triangles);
    iso_vec3 normal = iso_vec3_normalized(
        iso_triangle_area_vector(box.vertices[a], box.vertices[b], box.vertices[c]));
    int side = 0; // the longest
    for (int k = 0; k < 3; ++k) {
        side = iso_vec3_distance(box.vertices[t[k]], box.vertices[t[(k + 1) % 3]]) > 1.2 ? k : side;
    }
    int p = t[side], q = t[(side + 1) % 3], r = t[(side + 2) % 3];
    more.vertices[8] =
        iso_vec3_add_scaled(iso_vec3_lerp(box.vertices[p], box.vertices[q], 0.4), normal, 1e-12);
    int pieces[3][3] = {{p, 8, r}, {8, q, r}, {p, q, 8}}; // the last one has no height
    memcpy(more.triangles[0], pieces[0], sizeof pieces[0]);
    memcpy(more.triangles[12], pieces[1], sizeof pieces[1]);
    memcpy(more.triangles[13], pieces[2], sizeof pieces[2]);
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &more));
    CHECK_OK(ctx, iso_surface_remove_slivers(ctx, &more, 1e-6, &repair));
    assert_int_equal(repair.degenerate_count, 1);
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &more));
    assert_int_equal(more.triangle_count, 14);
    CHECK_NEAR(iso_tri_mesh_volume(&more), 1.0, 1e-11); // measured 3.3e-13
    iso_tri_mesh_destroy(ctx, &box);
    iso_tri_mesh_destroy(ctx, &more);
    test_context_destroy(ctx);
}

// The first vertex of the second box lies in the first box, the rest of it outside.
static void parts_that_cut_each_other_are_no_cavities(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_repair repair = {0};
    iso_tri_mesh mesh = box_surface(ctx, k_zero, all(4.0), 3);
    iso_tri_mesh other = box_surface(ctx, all(3.0), all(5.0), 3);
    append(ctx, &mesh, &other);
    CHECK_OK(ctx, iso_surface_weld(ctx, &mesh, 1e-9, &repair));
    CHECK_OK(ctx, iso_surface_orient(ctx, &mesh, &repair.orientation));
    assert_int_equal(repair.orientation.part_count, 2);
    assert_int_equal(repair.orientation.cavity_count, 0);
    CHECK_NEAR(iso_tri_mesh_volume(&mesh), 64.0 + 8.0, 1e-12); // measured 2.0e-13
    iso_tri_mesh_destroy(ctx, &mesh);
    iso_tri_mesh_destroy(ctx, &other);
    test_context_destroy(ctx);
}

// Inside a box another one and in that a third; beside it one, and one that cuts it.
static void parts_inside_others_can_be_left_out(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_repair repair = {0};
    iso_tri_mesh mesh = box_surface(ctx, all(1.0), all(3.0), 3); // the first is not the outermost
    iso_tri_mesh others[] = {
        box_surface(ctx, k_zero, all(4.0), 3), box_surface(ctx, all(1.5), all(2.0), 3),
        box_surface(ctx, all(5.0), all(6.0), 3), box_surface(ctx, all(3.5), all(4.5), 3)};
    int dropped = -1;
    for (int i = 0; i < 4; ++i) {
        append(ctx, &mesh, &others[i]);
        iso_tri_mesh_destroy(ctx, &others[i]);
    }
    CHECK_OK(ctx, iso_surface_weld(ctx, &mesh, 1e-9, &repair));
    CHECK_OK(ctx, iso_surface_drop_nested(ctx, &mesh, &dropped));
    assert_int_equal(dropped, 2);
    assert_int_equal(mesh.triangle_count, 3 * 108);
    CHECK_NEAR(iso_tri_mesh_volume(&mesh), 64.0 + 1.0 + 1.0, 1e-12); // measured 2.1e-13
    CHECK_OK(ctx, iso_surface_drop_nested(ctx, &mesh, &dropped));
    assert_int_equal(dropped, 0);
    // An open part has no inside, and is not dropped where it is inside.
    --mesh.triangle_count;
    iso_tri_mesh inner = box_surface(ctx, all(5.2), all(5.6), 1);
    append(ctx, &mesh, &inner);
    --mesh.triangle_count;
    CHECK_OK(ctx, iso_surface_drop_nested(ctx, &mesh, &dropped));
    assert_int_equal(dropped, 0);
    iso_tri_mesh_destroy(ctx, &inner);
    iso_tri_mesh_destroy(ctx, &mesh);
    test_context_destroy(ctx);
}

static void parts_turn_outward_and_those_inside_become_cavities(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_repair repair = {0};
    iso_tri_mesh mesh = box_surface(ctx, k_zero, all(4.0), 3);
    iso_tri_mesh inner = box_surface(ctx, all(1.0), all(3.0), 3);
    iso_tri_mesh innermost = box_surface(ctx, all(1.5), all(2.0), 3);
    iso_tri_mesh beside = box_surface(ctx, all(5.0), all(6.0), 3);
    append(ctx, &mesh, &inner);
    append(ctx, &mesh, &innermost);
    append(ctx, &mesh, &beside);
    CHECK_OK(ctx, iso_surface_weld(ctx, &mesh, 1e-9, &repair));
    for (int i = 0; i < mesh.triangle_count; i += 3) { // every third triangle is turned over
        int held = mesh.triangles[i][0];
        mesh.triangles[i][0] = mesh.triangles[i][1];
        mesh.triangles[i][1] = held;
    }
    CHECK_OK(ctx, iso_surface_orient(ctx, &mesh, &repair.orientation));
    assert_int_equal(repair.orientation.part_count, 4);
    assert_int_equal(repair.orientation.cavity_count, 1);
    assert_int_equal(repair.orientation.turned_count,
                     3 * 36 + 72); // of the cavity those that faced outward
    CHECK_OK(ctx, iso_tri_mesh_check_closed(ctx, &mesh));
    CHECK_NEAR(iso_tri_mesh_volume(&mesh), 64.0 - 8.0 + 0.125 + 1.0, 1e-12); // measured 3.0e-13
    iso_shells shells;
    CHECK_OK(ctx, iso_shells_find(ctx, &mesh, &shells));
    assert_int_equal(shells.count, 4);
    int own_count = 0;
    for (int i = 0; i < shells.count; ++i) {
        own_count += shells.owners[i] == i;
    }
    assert_int_equal(own_count, 3);
    assert_int_equal(shells.owners[shells.shell_of[108]], shells.shell_of[0]); // inner in outer
    iso_shells_destroy(ctx, &shells);
    iso_tri_mesh_destroy(ctx, &mesh);
    iso_tri_mesh_destroy(ctx, &inner);
    iso_tri_mesh_destroy(ctx, &innermost);
    iso_tri_mesh_destroy(ctx, &beside);
    test_context_destroy(ctx);
}

// On the skin, where the tip is, the box winds around by any fraction.
static void a_cavity_whose_tip_touches_the_skin_has_an_owner(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(10);
    iso_vec3 vertices[4] = {{0.5, 0.4, 1.0}, {0.3, 0.3, 0.5}, {0.7, 0.3, 0.5}, {0.5, 0.7, 0.5}};
    int triangles[4][3] = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}}; // facing inward
    iso_tri_mesh cavity = {4, 4, vertices, triangles};
    for (int trial = 0; trial < 20; ++trial) {
        iso_surface_repair repair = {0};
        iso_shells shells;
        iso_pose x = test_random_pose(&random, 3.0);
        iso_tri_mesh box = box_surface(ctx, k_zero, all(1.0), 1);
        CHECK_OK(ctx, iso_surface_weld(ctx, &box, 1e-9, &repair));
        append(ctx, &box, &cavity);
        for (int i = 0; i < box.vertex_count; ++i) {
            box.vertices[i] = iso_vec3_add(x.p, iso_mat3_mul_vec3(&x.r, box.vertices[i]));
        }
        CHECK_OK(ctx, iso_shells_find(ctx, &box, &shells));
        assert_int_equal(shells.count, 2);
        assert_int_equal(shells.owners[1], 0);
        iso_shells_destroy(ctx, &shells);
        iso_tri_mesh_destroy(ctx, &box);
    }
    test_context_destroy(ctx);
}

static void holes_are_listed_by_length(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_repair repair = {0};
    iso_tri_mesh box = box_surface(ctx, k_zero, iso_vec3_make(1, 1, 3), 1);
    CHECK_OK(ctx, iso_surface_weld(ctx, &box, 1e-9, &repair));
    // Without one triangle of the first face (x = 0) and both of the last (z = 3).
    memmove(box.triangles[0], box.triangles[1], 9 * sizeof *box.triangles);
    box.triangle_count = 9;
    int count;
    iso_prepare_hole holes[ISO_PREPARE_HOLE_MAX];
    CHECK_OK(ctx, iso_surface_find_holes(ctx, &box, &count, holes));
    assert_int_equal(count, 2);
    CHECK_NEAR(holes[0].length, 4.0 + sqrt(10.0), 1e-15); // measured 0
    assert_int_equal(holes[0].edge_count, 3);
    CHECK_NEAR(holes[1].length, 4.0, 1e-15); // measured 0
    assert_int_equal(holes[1].edge_count, 4);
    CHECK_VEC3_NEAR(holes[1].center, iso_vec3_make(0.5, 0.5, 3.0), 1e-15); // measured 0
    iso_tri_mesh_destroy(ctx, &box);
    test_context_destroy(ctx);
}

// Triangles cannot all face the same side; the rim is one loop that runs around twice.
static void a_band_with_one_side_has_one_hole(void** state) {
    (void)state;
    enum { k_steps = 40 };
    iso_context* ctx = test_context();
    iso_surface_repair repair = {0};
    iso_tri_mesh band;
    int count;
    double length = 0.0;
    iso_prepare_hole holes[ISO_PREPARE_HOLE_MAX];
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 2 * k_steps, 2 * k_steps, &band));
    for (int i = 0; i < 2 * k_steps; ++i) {
        double angle = 2.0 * ISO_PI * (i / 2) / k_steps, side = i % 2 == 0 ? -0.3 : 0.3;
        double radius = 1.0 + side * cos(0.5 * angle);
        band.vertices[i] =
            iso_vec3_make(radius * cos(angle), radius * sin(angle), side * sin(0.5 * angle));
        int next = i / 2 + 1 < k_steps ? i + 2 : 1 - i % 2; // the ends meet turned over
        int beside = i % 2 == 0 ? i + 1 : (i / 2 + 1 < k_steps ? i + 1 : 1);
        int corners[3] = {i, i % 2 == 0 ? beside : next, i % 2 == 0 ? next : beside};
        memcpy(band.triangles[i], corners, sizeof corners);
    }
    for (int i = 0; i < 2 * k_steps; ++i) {
        int next = i / 2 + 1 < k_steps ? i + 2 : 1 - i % 2;
        length += iso_vec3_distance(band.vertices[i], band.vertices[next]);
    }
    for (int trial = 0; trial < 2; ++trial) { // as they are, and as far as they can be turned
        CHECK_OK(ctx, iso_surface_find_holes(ctx, &band, &count, holes));
        assert_int_equal(count, 1);
        assert_int_equal(holes[0].edge_count, 2 * k_steps);
        CHECK_NEAR(holes[0].length, length, 1e-13); // measured 5.3e-15
        CHECK_OK(ctx, iso_surface_orient(ctx, &band, &repair.orientation));
    }
    iso_tri_mesh_destroy(ctx, &band);
    test_context_destroy(ctx);
}

static void intersections_are_found_and_clean_surfaces_have_none(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_surface_repair repair = {0};
    int count;
    iso_vec3 places[ISO_PREPARE_HOLE_MAX];
    iso_tri_mesh box = box_surface(ctx, k_zero, all(1.0), 5);
    CHECK_OK(ctx, iso_surface_weld(ctx, &box, 1e-9, &repair));
    CHECK_OK(ctx, iso_surface_find_intersections(ctx, &box, ISO_PREPARE_HOLE_MAX, &count, places));
    assert_int_equal(count, 0);
    iso_tri_mesh other = box_surface(ctx, all(0.73), all(1.41), 5);
    append(ctx, &box, &other);
    CHECK_OK(ctx, iso_surface_find_intersections(ctx, &box, ISO_PREPARE_HOLE_MAX, &count, places));
    CHECK(count > 20, "%d pairs", count);
    for (int i = 0; i < ISO_PREPARE_HOLE_MAX; ++i) { // on both boxes' skins
        iso_vec3 p = places[i];
        double out = fmax(p.x, fmax(p.y, p.z)), in = fmin(p.x, fmin(p.y, p.z));
        CHECK_NEAR(out, 1.0, 1e-12); // measured 0
        CHECK_NEAR(in, 0.73, 1e-12); // measured 0
    }
    // A face upon another one, shifted in their plane.
    iso_tri_mesh flat = box_surface(ctx, k_zero, all(1.0), 1);
    iso_tri_mesh upon = box_surface(ctx, iso_vec3_make(0.2, 0.3, 1.0), all(1.6), 1);
    append(ctx, &flat, &upon);
    CHECK_OK(ctx, iso_surface_find_intersections(ctx, &flat, ISO_PREPARE_HOLE_MAX, &count, places));
    CHECK(count > 0, "%d pairs", count);
    iso_tri_mesh_destroy(ctx, &box);
    iso_tri_mesh_destroy(ctx, &other);
    iso_tri_mesh_destroy(ctx, &flat);
    iso_tri_mesh_destroy(ctx, &upon);
    test_context_destroy(ctx);
}

// Two slim triangles in one plane that lie crosswise, without corners or centroids in each other.
// The place is where two of their edges cross.
static void edges_in_one_plane_cross_where_they_do(void** state) {
    (void)state;
    static const iso_vec3 slim[6] = {{0.0, 0.0, 2.0},  {12.0, 0.0, 2.0}, {12.0, 1.0, 2.0},
                                     {2.0, -8.0, 2.0}, {3.0, -8.0, 2.0}, {2.0, 4.0, 2.0}};
    static const iso_vec3 crossings[4] = {{2.0, 0.0, 2.0},
                                          {7.0 / 3.0, 0.0, 2.0},
                                          {2.0, 1.0 / 6.0, 2.0},
                                          {336.0 / 145.0, 28.0 / 145.0, 2.0}};
    iso_context* ctx = test_context();
    for (int turn = 0; turn < 9; ++turn) { // every edge comes first
        iso_tri_mesh mesh;
        CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 6, 2, &mesh));
        for (int i = 0; i < 3; ++i) {
            mesh.vertices[i] = slim[(i + turn) % 3];
            mesh.vertices[3 + i] = slim[3 + (i + turn / 3) % 3];
            mesh.triangles[0][i] = i;
            mesh.triangles[1][i] = 3 + i;
        }
        int count = 0;
        iso_vec3 place = iso_vec3_zero();
        CHECK_OK(ctx, iso_surface_find_intersections(ctx, &mesh, 1, &count, &place));
        double nearest = INFINITY;
        for (int i = 0; i < 4; ++i) {
            nearest = fmin(nearest, iso_vec3_distance(place, crossings[i]));
        }
        assert_int_equal(count, 1);
        CHECK(nearest < 1e-14, "(%g, %g, %g)", place.x, place.y, place.z); // measured 0
        iso_tri_mesh_destroy(ctx, &mesh);
    }
    test_context_destroy(ctx);
}

// Whether the segment p-q meets a triangle: p + t (q - p) = a + u (b - a) + v (c - a), by Cramer.
static bool segment_meets(iso_vec3 p, iso_vec3 q, const iso_vec3* t) {
    iso_vec3 d = iso_vec3_sub(p, q), u = iso_vec3_sub(t[1], t[0]), v = iso_vec3_sub(t[2], t[0]);
    iso_vec3 r = iso_vec3_sub(p, t[0]), n = iso_vec3_cross(u, v);
    double whole = iso_vec3_dot(d, n);
    double along = iso_vec3_dot(r, n) / whole;
    double on_u = iso_vec3_dot(d, iso_vec3_cross(r, v)) / whole;
    double on_v = iso_vec3_dot(d, iso_vec3_cross(u, r)) / whole;
    return along > 0.0 && along < 1.0 && on_u > 0.0 && on_v > 0.0 && on_u + on_v < 1.0;
}

// Whether a side of one triangle of the x-y plane parts it from the other.
static bool side_parts(const iso_vec3* one, const iso_vec3* other) {
    for (int k = 0; k < 3; ++k) {
        iso_vec3 a = one[k], b = one[(k + 1) % 3], nearest = one[(k + 2) % 3];
        iso_vec3 across = iso_vec3_make(a.y - b.y, b.x - a.x, 0.0);
        double inside = iso_vec3_dot(across, iso_vec3_sub(nearest, a));
        int beyond = 0;
        for (int i = 0; i < 3; ++i) {
            beyond += iso_vec3_dot(across, iso_vec3_sub(other[i], a)) * inside < 0.0;
        }
        if (beyond == 3) {
            return true;
        }
    }
    return false;
}

static void triangles_cut_where_a_side_meets_the_other_or_none_parts_them(void** state) {
    (void)state;
    test_random random = test_random_make(44);
    int counts[2][2] = {{0}};
    for (int trial = 0; trial < 4000; ++trial) {
        bool is_flat = trial % 2 == 1;
        iso_vec3 p[6];
        int triangles[2][3] = {{0, 1, 2}, {3, 4, 5}};
        iso_tri_mesh mesh = {6, 2, p, triangles};
        bool do_cut = false;
        for (int i = 0; i < 6; ++i) { // some small ones inside large ones
            double size = i > 2 && trial % 3 == 0 ? 0.2 : 1.0;
            p[i] = test_random_vec3(&random, -size, size);
            p[i].z = is_flat ? 0.0 : p[i].z;
        }
        if (is_flat) {
            do_cut = !side_parts(p, p + 3) && !side_parts(p + 3, p);
        } else {
            for (int k = 0; k < 3; ++k) {
                do_cut |= segment_meets(p[k], p[(k + 1) % 3], p + 3);
                do_cut |= segment_meets(p[3 + k], p[3 + (k + 1) % 3], p);
            }
        }
        CHECK(iso_surface_triangles_cut(&mesh, 0, 1) == do_cut, "trial %d: expected %d", trial,
              do_cut);
        CHECK(iso_surface_triangles_cut(&mesh, 1, 0) == do_cut, "trial %d: expected %d", trial,
              do_cut);
        ++counts[is_flat][do_cut];
    }
    for (int i = 0; i < 4; ++i) {
        CHECK(counts[i / 2][i % 2] > 300, "%d of kind %d", counts[i / 2][i % 2], i);
    }
}

static void quality_is_one_for_regular_and_zero_for_flat_tetrahedra(void** state) {
    (void)state;
    iso_vec3 a = {1, 1, 1}, b = {1, -1, -1}, c = {-1, 1, -1}, d = {-1, -1, 1};
    CHECK_NEAR(iso_tet_quality(a, b, c, d), 1.0, 1e-14); // measured 3.3e-16
    iso_vec3 flat = iso_vec3_scale(iso_vec3_add(iso_vec3_add(a, b), c), 1.0 / 3.0);
    CHECK_NEAR(iso_tet_quality(a, b, c, flat), 0.0, 1e-14); // measured 1.9e-32
    // Corner of a cube: inradius 1 / (3 + sqrt 3), circumradius sqrt 3 / 2.
    CHECK_NEAR(iso_tet_quality(k_zero, iso_vec3_make(1, 0, 0), iso_vec3_make(0, 1, 0),
                               iso_vec3_make(0, 0, 1)),
               3.0 / (3.0 + sqrt(3.0)) / (0.5 * sqrt(3.0)), 1e-14); // measured 1.1e-16
    iso_vec3 vertices[4] = {a, b, d, c};
    int tets[1][4] = {{0, 1, 2, 3}};
    iso_tet_mesh mesh = {4, 1, vertices, tets};
    iso_mesh_quality q = iso_tet_mesh_quality(&mesh);
    CHECK_NEAR(q.dihedral_min, acos(1.0 / 3.0), 1e-14); // measured 2.2e-16
    assert_int_equal(q.bins[ISO_PREPARE_BIN_COUNT - 1], 1);
}

// A vertex near the bottom of an octahedron moves to its middle.
static void smoothing_moves_inner_vertices_to_better_places(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_vec3 vertices[7] = {{1, 0, 0}, {0, 1, 0},  {-1, 0, 0},       {0, -1, 0},
                            {0, 0, 1}, {0, 0, -1}, {0.2, 0.3, -0.45}};
    int tets[8][4] = {{0, 1, 4, 6}, {1, 2, 4, 6}, {2, 3, 4, 6}, {3, 0, 4, 6},
                      {1, 0, 5, 6}, {2, 1, 5, 6}, {3, 2, 5, 6}, {0, 3, 5, 6}};
    for (int i = 0; i < 8; ++i) { // the middle is on the inner side of each face
        int held = tets[i][0];
        tets[i][0] = tets[i][1];
        tets[i][1] = held;
    }
    iso_tet_mesh mesh = {7, 8, vertices, tets};
    CHECK_OK(ctx, iso_tet_mesh_check(ctx, &mesh));
    double before = iso_tet_mesh_quality(&mesh).min;
    CHECK_OK(ctx, iso_tet_mesh_smooth(ctx, &mesh));
    double after = iso_tet_mesh_quality(&mesh).min;
    CHECK(after > before + 0.2, "%g to %g", before, after); // measured 0.004 to 0.732
    CHECK_AT_MOST(iso_vec3_norm(vertices[6]), 0.05);        // measured 0
    CHECK_VEC3_NEAR(vertices[5], iso_vec3_make(0, 0, -1), 0.0);
    test_context_destroy(ctx);
}

// Spikes on one side: the middle of the neighbours is outside, and so is the way to it.
static void smoothing_lifts_a_vertex_off_the_skin(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_vec3 vertices[7] = {{1, 0, 0},         {-0.5, 0.9, 0},    {-0.5, -0.9, 0},
                            {-0.2, -1.5, 1.1}, {-3.3, -1.1, 3.9}, {-0.2, -0.4, 0.3},
                            {0, 0, 1e-6}};
    int tets[8][4] = {{0, 1, 2, 6}, {0, 4, 1, 6}, {0, 2, 3, 6}, {0, 3, 4, 6},
                      {1, 4, 2, 6}, {2, 5, 3, 6}, {2, 4, 5, 6}, {3, 5, 4, 6}};
    iso_tet_mesh mesh = {7, 8, vertices, tets};
    CHECK_OK(ctx, iso_tet_mesh_check(ctx, &mesh));
    double volume = iso_tet_mesh_volume(&mesh), before = iso_tet_mesh_quality(&mesh).min;
    CHECK_AT_MOST(before, 1e-11);
    CHECK_OK(ctx, iso_tet_mesh_smooth(ctx, &mesh));
    double after = iso_tet_mesh_quality(&mesh).min;
    CHECK(after > 0.02, "%g to %g", before, after); // measured 2.9e-12 to 0.035
    CHECK_OK(ctx, iso_tet_mesh_check(ctx, &mesh));
    CHECK_REL(iso_tet_mesh_volume(&mesh), volume, 1e-14); // measured 0
    test_context_destroy(ctx);
}

// Triangles between few random places: repetitions, slivers, fans about edges, flaps.
static void random_soups_stay_valid(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    test_random random = test_random_make(77);
    int repaired_count = 0;
    for (int trial = 0; trial < 400; ++trial) {
        int vertex_count = test_random_int(&random, 4, 12);
        int triangle_count = test_random_int(&random, 1, 40);
        iso_surface_repair repair = {0};
        iso_tri_mesh soup;
        CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, vertex_count, triangle_count, &soup));
        for (int i = 0; i < vertex_count; ++i) { // on a lattice: many lie in one plane or line
            int x = test_random_int(&random, 0, 2), y = test_random_int(&random, 0, 2);
            soup.vertices[i] = iso_vec3_make(x, y, test_random_int(&random, 0, 1));
        }
        for (int i = 0; i < triangle_count; ++i) {
            for (int k = 0; k < 3; ++k) {
                soup.triangles[i][k] = test_random_int(&random, 0, vertex_count - 1);
            }
        }
        iso_status status = iso_surface_weld(ctx, &soup, 1e-6, &repair);
        status = status ? status : iso_surface_remove_slivers(ctx, &soup, 1e-6, &repair);
        if (status == ISO_OK) {
            int hole_count, cut_count;
            iso_prepare_hole holes[ISO_PREPARE_HOLE_MAX];
            iso_vec3 places[ISO_PREPARE_HOLE_MAX];
            iso_tri_topology topology;
            CHECK_OK(ctx, iso_surface_orient(ctx, &soup, &repair.orientation));
            CHECK_OK(ctx, iso_tri_mesh_check(ctx, &soup));
            CHECK_OK(ctx, iso_surface_find_holes(ctx, &soup, &hole_count, holes));
            CHECK_OK(ctx, iso_surface_find_intersections(ctx, &soup, ISO_PREPARE_HOLE_MAX,
                                                         &cut_count, places));
            CHECK_OK(ctx, iso_tri_topology_create(ctx, &soup, &topology));
            CHECK((hole_count > 0) == (topology.boundary_edge_count > 0), "%d holes, %d edges",
                  hole_count, topology.boundary_edge_count);
            iso_tri_topology_destroy(ctx, &topology);
            ++repaired_count;
        } else {
            assert_int_equal(status, ISO_ERR_GEOMETRY);
        }
        iso_tri_mesh_destroy(ctx, &soup);
    }
    CHECK(repaired_count > 200, "%d of 400", repaired_count);
    test_context_destroy(ctx);
}

static iso_status repair_once(iso_context* ctx, void* user) {
    (void)user;
    iso_surface_repair repair = {0};
    iso_shells shells = {0};
    iso_tri_mesh box = {0};
    int count;
    iso_prepare_hole holes[ISO_PREPARE_HOLE_MAX];
    iso_vec3 places[ISO_PREPARE_HOLE_MAX];
    iso_status status = ISO_OK;
    iso_vec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    iso_tri_mesh tet = {4, 4, vertices, triangles};
    ISO_TRY(iso_tri_mesh_copy_scaled(ctx, &tet, all(1.0), &box));
    ISO_TRY(iso_surface_weld(ctx, &box, 1e-9, &repair));
    ISO_TRY(iso_surface_remove_slivers(ctx, &box, 1e-9, &repair));
    ISO_TRY(iso_surface_orient(ctx, &box, &repair.orientation));
    ISO_TRY(iso_surface_find_holes(ctx, &box, &count, holes));
    ISO_TRY(iso_surface_find_intersections(ctx, &box, ISO_PREPARE_HOLE_MAX, &count, places));
    ISO_TRY(iso_shells_find(ctx, &box, &shells));

done:
    iso_shells_destroy(ctx, &shells);
    iso_tri_mesh_destroy(ctx, &box);
    return status;
}

static void repairing_survives_every_allocation_failure(void** state) {
    (void)state;
    int count = check_every_allocation_failure(repair_once, NULL);
    CHECK(count > 20, "%d allocations", count);
}

// Of a linear array 1; where a corner of height h rises by 1 beside a tetrahedron of even values,
// the gradient is 1 / h, and its mean the share of the volume that rises, 1 / h of it.
static void steepness_is_the_largest_gradient_over_the_mean_one(void** state) {
    (void)state;
    const double h = 1e-7;
    iso_vec3 vertices[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.2, 0.2, -h}};
    int tets[2][4] = {{0, 1, 2, 3}, {0, 2, 1, 4}};
    iso_tet_mesh mesh = {.vertices = vertices, .vertex_count = 5, .tets = tets, .tet_count = 2};
    double linear[5], rise[5] = {0, 0, 0, 0, 1}, constant[5] = {3, 3, 3, 3, 3};
    for (int i = 0; i < 5; ++i) {
        linear[i] = 2.0 * vertices[i].x - vertices[i].y + 0.5 * vertices[i].z;
    }
    CHECK_REL(iso_tet_mesh_steepness(&mesh, linear), 1.0, 1e-14);         // measured 0
    CHECK_REL(iso_tet_mesh_steepness(&mesh, rise), (1.0 + h) / h, 1e-14); // measured 1.9e-16
    CHECK_BITS(iso_tet_mesh_steepness(&mesh, constant), 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_soup_of_faces_welds_to_a_closed_box),
        cmocka_unit_test(repeated_triangles_and_both_sides_become_one),
        cmocka_unit_test(slivers_are_flipped_and_the_surface_stays_closed),
        cmocka_unit_test(parts_that_cut_each_other_are_no_cavities),
        cmocka_unit_test(parts_inside_others_can_be_left_out),
        cmocka_unit_test(parts_turn_outward_and_those_inside_become_cavities),
        cmocka_unit_test(a_cavity_whose_tip_touches_the_skin_has_an_owner),
        cmocka_unit_test(holes_are_listed_by_length),
        cmocka_unit_test(a_band_with_one_side_has_one_hole),
        cmocka_unit_test(intersections_are_found_and_clean_surfaces_have_none),
        cmocka_unit_test(edges_in_one_plane_cross_where_they_do),
        cmocka_unit_test(steepness_is_the_largest_gradient_over_the_mean_one),
        cmocka_unit_test(quality_is_one_for_regular_and_zero_for_flat_tetrahedra),
        cmocka_unit_test(smoothing_moves_inner_vertices_to_better_places),
        cmocka_unit_test(smoothing_lifts_a_vertex_off_the_skin),
        cmocka_unit_test(random_soups_stay_valid),
        cmocka_unit_test(repairing_survives_every_allocation_failure),
        cmocka_unit_test(triangles_cut_where_a_side_meets_the_other_or_none_parts_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
