// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Which side the triangles of a surface face, and what is done where they do not agree.

#include "geometry/surfaces/surface_orient.h"

#include "geometry/mesh/mesh.h"
#include "geometry/tessellation/tessellate.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"
#include "support/random.h"

#include <stdio.h>
#include <string.h>

static void turn(iso_tri_mesh* mesh, int i) {
    int held = mesh->triangles[i][1];
    mesh->triangles[i][1] = mesh->triangles[i][2];
    mesh->triangles[i][2] = held;
}

static iso_tri_mesh ball(iso_context* ctx, double hint) {
    iso_tri_mesh mesh;
    iso_shape_desc sphere = iso_shape_desc_default(ISO_SHAPE_SPHERE);
    sphere.radius = 1.0;
    CHECK_OK(ctx, iso_tessellate_surface(ctx, &sphere, hint, &mesh));
    return mesh;
}

// A copy beside, or inside, joined to the first as a part of its own.
static iso_tri_mesh join(iso_context* ctx, const iso_tri_mesh* a, double scale, double offset) {
    iso_tri_mesh both;
    int n = a->vertex_count, m = a->triangle_count;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 2 * n, 2 * m, &both));
    for (int i = 0; i < n; ++i) {
        both.vertices[i] = a->vertices[i];
        both.vertices[n + i] = iso_vec3_scale(a->vertices[i], scale);
        both.vertices[n + i].x += offset;
    }
    for (int i = 0; i < 3 * m; ++i) {
        both.triangles[i / 3][i % 3] = a->triangles[i / 3][i % 3];
        both.triangles[m + i / 3][i % 3] = n + a->triangles[i / 3][i % 3];
    }
    return both;
}

static void check_same(const iso_tri_mesh* mesh, const iso_tri_mesh* expected) {
    size_t size = (size_t)expected->triangle_count * sizeof *expected->triangles;
    assert_int_equal(mesh->triangle_count, expected->triangle_count);
    assert_memory_equal(mesh->triangles, expected->triangles, size);
}

// A few, half, most and all of them turned: the surface is the clean one again, bit for bit.
static void closed_surfaces_face_outward_whichever_triangles_were_turned(void** state) {
    (void)state;
    static const double k_shares[] = {0.0, 0.02, 0.5, 0.9, 1.0};
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_tri_mesh clean = ball(ctx, 0.3), mesh;
    test_random random = test_random_make(7);
    for (int i = 0; i < 5; ++i) {
        CHECK_OK(ctx, iso_tri_mesh_copy_scaled(ctx, &clean, iso_vec3_make(1, 1, 1), &mesh));
        int turned_count = 0;
        for (int t = 0; t < mesh.triangle_count; ++t) {
            if (test_random_uniform(&random, 0.0, 1.0) < k_shares[i]) {
                turn(&mesh, t);
                ++turned_count;
            }
        }
        bool is_closed = false;
        kept.count = 0;
        CHECK_OK(ctx, iso_surface_face_outward(ctx, "ball.obj", &mesh, &is_closed));
        CHECK(is_closed, "share %g", k_shares[i]);
        check_same(&mesh, &clean);
        assert_int_equal(kept.count, i > 0);
        char expected[128];
        (void)snprintf(expected, sizeof expected,
                       i < 4 ? "ball.obj: its triangles face both sides: %d of %d are turned"
                             : "ball.obj is wound inside out: its triangles are turned",
                       turned_count, mesh.triangle_count);
        CHECK(i == 0 || strcmp(kept.text, expected) == 0, "'%s'", kept.text);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
    iso_tri_mesh_destroy(ctx, &clean);
    iso_context_destroy(ctx);
}

// Two balls side by side, most of one inward; one ball within another is a cavity.
static void parts_of_a_mixed_surface_face_outward_or_into_their_cavity(void** state) {
    (void)state;
    static const double k_volumes[2] = {2.0, 1.0 - 0.125};
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_tri_mesh one = ball(ctx, 0.3);
    for (int is_inside = 0; is_inside < 2; ++is_inside) {
        iso_tri_mesh both = is_inside ? join(ctx, &one, 0.5, 0.0) : join(ctx, &one, 1.0, 3.0);
        for (int t = one.triangle_count + 3; t < both.triangle_count; ++t) {
            turn(&both, t);
        }
        bool is_closed = false;
        kept.count = 0;
        CHECK_OK(ctx, iso_surface_face_outward(ctx, "both", &both, &is_closed));
        CHECK(is_closed, "case %d", is_inside);
        // measured 7.4e-16
        CHECK_REL(iso_tri_mesh_volume(&both), k_volumes[is_inside] * iso_tri_mesh_volume(&one),
                  1e-14);
        assert_int_equal(kept.count, 1 + is_inside);
        CHECK(!is_inside || strstr(kept.text, "1 of its 2 parts lies inside another one"), "'%s'",
              kept.text);
        iso_tri_mesh_destroy(ctx, &both);
    }
    iso_tri_mesh_destroy(ctx, &one);
    iso_context_destroy(ctx);
}

static void turn_range(iso_tri_mesh* mesh, int begin, int end) {
    for (int t = begin; t < end; ++t) {
        turn(mesh, t);
    }
}

// Balls of radius 1 at x = 0 and 1.1 overlap; a small one in what both fill bounds a cavity there,
// not what lies inside a cavity of one of them.
static void a_cavity_in_the_overlap_of_two_parts_stays_a_cavity(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_tri_mesh one = ball(ctx, 0.3);
    iso_tri_mesh pair = join(ctx, &one, 0.2, 0.5), all;
    int n = one.vertex_count, m = one.triangle_count;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 3 * n, 3 * m, &all));
    for (int i = 0; i < 3 * n; ++i) {
        all.vertices[i] = i < 2 * n ? pair.vertices[i] : one.vertices[i - 2 * n];
        all.vertices[i].x += i < 2 * n ? 0.0 : 1.1;
        all.vertices[i].y += i < 2 * n ? 0.0 : 0.05; // no mirror images: their edges only touch
    }
    for (int i = 0; i < 9 * m; ++i) {
        all.triangles[i / 3][i % 3] =
            i < 6 * m ? pair.triangles[i / 3][i % 3] : 2 * n + one.triangles[i / 3 - 2 * m][i % 3];
    }
    bool is_closed = false;
    turn_range(&all, m + 3, 2 * m + 5); // most of the cavity, some of the second ball
    CHECK_OK(ctx, iso_surface_face_outward(ctx, "all", &all, &is_closed));
    CHECK(is_closed, "not closed");
    CHECK_TEXT(kept.text, "1 of its 3 parts lies inside another one");
    // measured 2e-16
    CHECK_REL(iso_tri_mesh_volume(&all), (2.0 - 0.008) * iso_tri_mesh_volume(&one), 1e-14);
    iso_tri_mesh_destroy(ctx, &all);
    iso_tri_mesh_destroy(ctx, &pair);
    iso_tri_mesh_destroy(ctx, &one);
    iso_context_destroy(ctx);
}

// Two double cones over one square: the lower half of the first and the upper half of the second
// lie inside, between edges of four triangles.
static void pieces_that_end_at_edges_of_other_bodies_are_no_cavities(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const double tips[4] = {2.0, -1.0, 1.0, -2.0};
    iso_tri_mesh mesh;
    iso_surface_orientation done;
    CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, 8, 16, &mesh));
    for (int i = 0; i < 4; ++i) {
        mesh.vertices[i] =
            iso_vec3_make(i == 0 ? 1 : (i == 2 ? -1 : 0), i == 1 ? 1 : (i == 3 ? -1 : 0), 0.0);
        mesh.vertices[4 + i] = iso_vec3_make(0.0, 0.0, tips[i]);
    }
    for (int i = 0; i < 16; ++i) {
        int from = i % 4, to = (i + 1) % 4, tip = i / 4;
        mesh.triangles[i][0] = 4 + tip;
        mesh.triangles[i][1] = tips[tip] > 0.0 ? from : to;
        mesh.triangles[i][2] = tips[tip] > 0.0 ? to : from;
    }
    CHECK_OK(ctx, iso_surface_orient(ctx, &mesh, &done));
    assert_int_equal(done.part_count, 4);
    assert_int_equal(done.cavity_count + done.turned_count, 0);
    CHECK_NEAR(iso_tri_mesh_volume(&mesh), 4.0, 1e-15); // measured 0
    iso_tri_mesh_destroy(ctx, &mesh);
    test_context_destroy(ctx);
}

// No edge tells: each of two balls faces one side. Beside the other, touching it or partly inside
// it one is turned; wholly inside either side is right.
static void a_whole_part_that_is_inside_out_is_turned(void** state) {
    (void)state;
    static const struct {
        double scale, offset;
        int turned; // 0: none, 1: the first, 2: the second
        double volume;
    } cases[] = {{1.0, 3.0, 1, 2.0},   {1.0, 3.0, 2, 2.0},   {1.0, 1.1, 2, 2.0},
                 {0.5, 1.5, 2, 1.125}, {0.5, 0.2, 2, 0.875}, {0.5, 0.2, 0, 1.125}};
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_tri_mesh one = ball(ctx, 0.3);
    int m = one.triangle_count;
    for (int i = 0; i < 6; ++i) {
        iso_tri_mesh both = join(ctx, &one, cases[i].scale, cases[i].offset);
        bool is_closed = false, is_warned = i < 4;
        turn_range(&both, cases[i].turned == 2 ? m : 0, m * cases[i].turned);
        kept.count = 0;
        CHECK_OK(ctx, iso_surface_face_outward(ctx, "both", &both, &is_closed));
        CHECK(is_closed && kept.count == is_warned, "case %d: %d warnings", i, kept.count);
        CHECK(!is_warned || strstr(kept.text, "both: 1 of its 2 parts is inside out and turned"),
              "'%s'", kept.text);
        // measured 7e-16
        CHECK_REL(iso_tri_mesh_volume(&both), cases[i].volume * iso_tri_mesh_volume(&one), 1e-14);
        iso_tri_mesh_destroy(ctx, &both);
    }
    iso_tri_mesh_destroy(ctx, &one);
    iso_context_destroy(ctx);
}

// Two balls beside each other, the second hollow, with a core in its cavity or without. Signs are
// those of volumes: what faces inward is negative. In cubes of radii: 8 beside 27 - 8 + 1.
static void a_hollow_body_of_several_is_turned_with_its_cavity(void** state) {
    (void)state;
    static const struct {
        int signs[3]; // shell, cavity, core (0: none)
        double volume;
        int turned[4]; // parts that the warning names, then 0
    } cases[] = {
        {{1, -1, 0}, 8 + 27 - 8, {0}},            // right
        {{1, 1, 0}, 8 + 27 + 8, {0}},             // a ball in a ball
        {{-1, 1, 0}, 8 + 27 - 8, {1, 2}},         // the hollow body is wound inside out
        {{-1, -1, 0}, 8 + 27 - 8, {1}},           // its shell alone
        {{-1, 1, -1}, 8 + 27 - 8 + 1, {1, 2, 3}}, // with its core
        {{-1, 1, 1}, 8 + 27 - 8 + 1, {1, 2}},     // without it
        {{1, -1, -1}, 8 + 27 - 8 + 1, {3}},       // the core alone
        {{-1, -1, 1}, 8 + 27 - 8 + 1, {1}},       // the shell alone, with a core
    };
    static const double k_radii[4] = {2.0, 3.0, 2.0, 1.0};
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_tri_mesh one = ball(ctx, 0.5);
    int n = one.vertex_count, m = one.triangle_count;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        int parts = cases[i].signs[2] == 0 ? 3 : 4;
        iso_tri_mesh all;
        CHECK_OK(ctx, iso_tri_mesh_allocate(ctx, parts * n, parts * m, &all));
        for (int p = 0; p < parts; ++p) {
            for (int k = 0; k < n; ++k) {
                all.vertices[p * n + k] = iso_vec3_scale(one.vertices[k], k_radii[p]);
                all.vertices[p * n + k].x += p == 0 ? 10.0 : 0.0;
            }
            for (int k = 0; k < 3 * m; ++k) {
                all.triangles[p * m + k / 3][k % 3] = p * n + one.triangles[k / 3][k % 3];
            }
            turn_range(&all, p * m, p * m + (p > 0 && cases[i].signs[p - 1] < 0 ? m : 0));
        }
        bool is_closed = false;
        kept.count = 0;
        CHECK_OK(ctx, iso_surface_face_outward(ctx, "both", &all, &is_closed));
        assert_int_equal(kept.count, cases[i].turned[0] != 0);
        // measured 7e-16; wrong by twice the cavity before
        CHECK_REL(iso_tri_mesh_volume(&all), cases[i].volume * iso_tri_mesh_volume(&one), 1e-14);
        char expected[128] = "";
        int at = 0;
        for (int k = 0; cases[i].turned[k] != 0; ++k) {
            at += snprintf(expected + at, sizeof expected - (size_t)at, "%s %d",
                           k > 0                     ? ","
                           : cases[i].turned[1] == 0 ? "first triangle:"
                                                     : "first triangles:",
                           cases[i].turned[k] * m);
        }
        CHECK(at == 0 || strstr(kept.text, expected), "'%s' lacks '%s'", kept.text, expected);
        iso_tri_mesh_destroy(ctx, &all);
    }
    iso_tri_mesh_destroy(ctx, &one);
    iso_context_destroy(ctx);
}

// What contact turns the right way has a mass.
static void mass_is_that_of_the_solid_that_contact_sees(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_tri_mesh one = ball(ctx, 0.3);
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &one;
    iso_mass_properties clean, mixed;
    CHECK_OK(ctx, iso_shape_mass_properties(ctx, &desc, &clean));
    turn_range(&one, 3, 9);
    CHECK_OK(ctx, iso_shape_mass_properties(ctx, &desc, &mixed));
    CHECK_TEXT(kept.text, "mesh: its triangles face both sides: 6 of ");
    CHECK_BITS(mixed.volume, clean.volume);
    CHECK_BITS(mixed.inertia.m[0][0], clean.inertia.m[0][0]);
    iso_tri_mesh_destroy(ctx, &one);
    iso_context_destroy(ctx);
}

// Half a ball, of whose triangles a third is turned, or two thirds are.
static void open_surfaces_face_where_most_of_their_triangles_do(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    iso_tri_mesh bowl = ball(ctx, 0.3), mesh;
    int left = 0;
    for (int t = 0; t < bowl.triangle_count; ++t) {
        const int* v = bowl.triangles[t];
        double z = bowl.vertices[v[0]].z + bowl.vertices[v[1]].z + bowl.vertices[v[2]].z;
        if (z < 0.0) {
            memmove(bowl.triangles[left++], v, sizeof *bowl.triangles);
        }
    }
    bowl.triangle_count = left;
    for (int thirds = 1; thirds < 3; ++thirds) {
        CHECK_OK(ctx, iso_tri_mesh_copy_scaled(ctx, &bowl, iso_vec3_make(1, 1, 1), &mesh));
        for (int t = 0; t < left; ++t) {
            if (t % 3 < thirds) {
                turn(&mesh, t);
            }
        }
        bool is_closed = true;
        kept.count = 0;
        CHECK_OK(ctx, iso_surface_face_outward(ctx, "bowl", &mesh, &is_closed));
        CHECK(!is_closed, "a bowl is open");
        assert_int_equal(kept.count, 1);
        for (int t = 0; thirds == 2 && t < left; ++t) { // the other side won
            turn(&mesh, t);
        }
        check_same(&mesh, &bowl);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
    iso_tri_mesh_destroy(ctx, &bowl);
    iso_context_destroy(ctx);
}

// A Moebius strip, and three faces of a tetrahedron with a fin on one of their edges.
static void surfaces_without_a_side_stay_as_they_are_and_are_told(void** state) {
    (void)state;
    iso_vec3 v[10];
    for (int i = 0; i < 5; ++i) { // half a turn about the strip's middle on the way round
        double angle = 2.0 * ISO_PI * i / 5, tilt = 0.5 * angle;
        for (int k = 0; k < 2; ++k) {
            double out = 3.0 + (k ? 1.0 : -1.0) * cos(tilt);
            v[2 * i + k] =
                iso_vec3_make(out * cos(angle), out * sin(angle), (k ? 1.0 : -1.0) * sin(tilt));
        }
    }
    int strip[10][3], fin[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {0, 1, 4}};
    for (int i = 0; i < 5; ++i) {
        int a = 2 * i, b = a + 1, c = i < 4 ? a + 2 : 1, d = i < 4 ? a + 3 : 0;
        int pieces[2][3] = {{a, b, d}, {a, d, c}};
        memcpy(strip[2 * i], pieces, sizeof pieces);
    }
    int turned_fin[4][3];
    memcpy(turned_fin, fin, sizeof fin);
    turned_fin[2][1] = fin[2][2], turned_fin[2][2] = fin[2][1];
    const struct {
        iso_tri_mesh mesh;
        const char* reason;
    } cases[2] = {{{10, 10, v, strip}, "it has one side alone"},
                  {{10, 4, v, turned_fin}, "some edges have three or more triangles"}};
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    for (int i = 0; i < 2; ++i) {
        iso_tri_mesh mesh;
        bool is_closed = true;
        CHECK_OK(ctx, iso_tri_mesh_copy_scaled(ctx, &cases[i].mesh, iso_vec3_make(1, 1, 1), &mesh));
        kept.count = 0;
        CHECK_OK(ctx, iso_surface_face_outward(ctx, "strip", &mesh, &is_closed));
        CHECK(!is_closed, "case %d", i);
        check_same(&mesh, &cases[i].mesh);
        assert_int_equal(kept.count, 1);
        CHECK(strstr(kept.text, cases[i].reason) != NULL, "'%s'", kept.text);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
    iso_context_destroy(ctx);
}

static iso_status attempt(iso_context* ctx, void* user) {
    (void)user;
    iso_vec3 vertices[8] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                            {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}};
    int triangles[8][3] = {{0, 2, 1}, {0, 1, 3}, {1, 3, 2}, {0, 3, 2},
                           {4, 6, 5}, {4, 5, 7}, {5, 6, 7}, {4, 7, 6}};
    iso_tri_mesh mesh = {8, 8, vertices, triangles};
    bool is_closed = false;
    iso_status status = iso_surface_face_outward(ctx, "two", &mesh, &is_closed);
    CHECK(status != ISO_OK || is_closed, "two tetrahedra are closed");
    return status;
}

static void orienting_survives_every_allocation_failure(void** state) {
    (void)state;
    int count = check_every_allocation_failure(attempt, NULL);
    CHECK(count > 10, "%d allocations", count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_surfaces_face_outward_whichever_triangles_were_turned),
        cmocka_unit_test(parts_of_a_mixed_surface_face_outward_or_into_their_cavity),
        cmocka_unit_test(a_cavity_in_the_overlap_of_two_parts_stays_a_cavity),
        cmocka_unit_test(pieces_that_end_at_edges_of_other_bodies_are_no_cavities),
        cmocka_unit_test(a_whole_part_that_is_inside_out_is_turned),
        cmocka_unit_test(a_hollow_body_of_several_is_turned_with_its_cavity),
        cmocka_unit_test(mass_is_that_of_the_solid_that_contact_sees),
        cmocka_unit_test(open_surfaces_face_where_most_of_their_triangles_do),
        cmocka_unit_test(surfaces_without_a_side_stay_as_they_are_and_are_told),
        cmocka_unit_test(orienting_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
