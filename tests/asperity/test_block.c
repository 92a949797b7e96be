// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/penalty.h"
#include "asperity/slide/block_mesh.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

// A grid, of rows and columns that are drawn, and as steep as the thesis' (E2): rms over pitch.
static iso_lab_surface face_make(iso_context* ctx, uint64_t seed, double rms_over_pitch) {
    test_random random = test_random_make(seed);
    iso_lab_surface_desc d = iso_lab_surface_desc_default();
    iso_lab_surface s;
    d.kind = ISO_LAB_KIND_WHITE;
    d.pitch = 0.005;
    d.rms_height = rms_over_pitch * d.pitch;
    d.columns = 4 * test_random_int(&random, 1, 4) + 1;
    d.rows = 4 * test_random_int(&random, 1, 3) + 1;
    d.seed = seed;
    CHECK_OK(ctx, iso_lab_surface_make(ctx, &d, &s));
    return s;
}

static iso_elastic* body_of(iso_context* ctx, const iso_block_mesh* m) {
    iso_elastic_material material = {1e6, 0.3, 1000.0, 0.0, 0.0};
    iso_elastic_desc desc = {.dimension = 3,
                             .vertices = m->vertices,
                             .vertex_count = m->vertex_count,
                             .elements = m->elements,
                             .element_count = m->element_count,
                             .materials = &material,
                             .material_count = 1};
    iso_elastic* e = NULL;
    CHECK_OK(ctx, iso_elastic_create(ctx, &desc, &e)); // refuses volumes that are not positive
    return e;
}

// Volumes are positive and fill the block; its boundary is closed, and made of the squares of the
// rough and the flat face and of the sides: faces inside fit each other.
static void tetrahedra_fill_the_block_and_fit_each_other(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        iso_lab_surface s = face_make(ctx, seed, seed % 2 ? 0.56 : 0.05);
        iso_block_mesh m;
        iso_skin skin;
        double height = (6.0 + (double)seed) * s.pitch, volume = 0.0, wanted = 0.0, mean = 0.0;
        CHECK_OK(ctx, iso_block_mesh_make(ctx, &s, height, &m));
        iso_elastic* e = body_of(ctx, &m);
        for (int i = 0; i < e->element_count; ++i) {
            volume += e->volumes[i];
        }
        int cells = (s.columns - 1) * (s.rows - 1);
        for (int i = 0; i < s.rows * s.columns; ++i) {
            mean += s.heights[i] / (s.rows * s.columns);
        }
        for (int i = 0; i < cells; ++i) { // prisms below both triangles of a cell
            int a = i / (s.columns - 1) * s.columns + i % (s.columns - 1), b = a + s.columns;
            double twice = 2.0 * s.heights[a] + 2.0 * s.heights[b + 1] + s.heights[a + 1] +
                           s.heights[b] - 6.0 * mean;
            wanted += s.pitch * s.pitch * (height + twice / 6.0);
        }
        CHECK_REL(volume, wanted, 1e-12);
        CHECK_OK(ctx, iso_skin_init(ctx, e, &skin));
        assert_int_equal(3 * skin.face_count, 2 * skin.edge_count); // closed
        assert_int_equal(skin.body_count, 1);
        int flat = (m.flat_columns - 1) * (m.flat_rows - 1);
        int columns = m.element_count / cells; // a uniform mesh has six per cell and pitch
        CHECK(columns <= (int)(6.0 * height / s.pitch), "%d", columns);
        CHECK(skin.face_count > 2 * (cells + flat), "%d", skin.face_count);
        iso_skin_free(&skin);
        iso_elastic_destroy(ctx, e);
        iso_block_mesh_free(ctx, &m);
        iso_lab_surface_free(ctx, &s);
    }
    test_context_destroy(ctx);
}

static void draw(test_random* random, double scale, double out[3]) {
    for (int a = 0; a < 3; ++a) {
        out[a] = scale * test_random_uniform(random, -1.0, 1.0);
    }
}

static double length_of(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// (3.50) to (3.52): nothing within H of a point or between faces that look the same way; the near
// force excludes the far one; sizes K1 / |x_p|^2 and K2 / |x_c|^2.
static void penalty_forces_are_those_of_the_thesis(void** state) {
    int near = 0, far = 0, none = 0, printed = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        test_random random = test_random_make(seed);
        iso_penalty_law law = {test_random_uniform(&random, 0.1, 2.0), 1000.0, 1.2, seed % 2 == 0};
        double way[3], centres[3], outward[2][3], least = test_random_uniform(&random, 0.1, 0.8);
        draw(&random, 1.0, way);
        draw(&random, 1.0, centres);
        draw(&random, 1.0, outward[0]);
        draw(&random, 1.0, outward[1]);
        iso_penalty_force f =
            iso_penalty_meet(&law, way, centres, (const double(*)[3])outward, least);
        double facing = 0.0, x = length_of(way), c = length_of(centres), size = length_of(f.force);
        for (int a = 0; a < 3; ++a) {
            facing += outward[0][a] * outward[1][a];
        }
        assert_int_equal(f.is_near, c < least);
        if (c < least) {
            CHECK_REL(size, law.near_stiffness / (c * c), 1e-13);
            ++near;
        } else if (x <= least || facing >= 0.0 || x >= law.reach) {
            CHECK_BITS(size, 0.0);
            ++none;
        } else {
            CHECK_REL(size, law.far_stiffness * (law.keep_printed ? c : x) / (x * x * x), 1e-13);
            far += !law.keep_printed;
            printed += law.keep_printed;
        }
    }
    CHECK(near > 100 && far > 100 && none > 100 && printed > 100, "%d %d %d %d", near, far, none,
          printed);
}

// Two blocks face to face, drawn and then moved: forces cancel, and are those of pairs listed anew,
// to the bit.
static void pairs_that_are_kept_give_the_same_bits(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    int kept = 0;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        test_random random = test_random_make(seed);
        iso_lab_surface s = face_make(ctx, seed, 0.3);
        iso_block_mesh m, both;
        CHECK_OK(ctx, iso_block_mesh_make(ctx, &s, 4.0 * s.pitch, &m));
        int n = m.vertex_count, t = m.element_count;
        both = (iso_block_mesh){.dimension = 3, .vertex_count = 2 * n, .element_count = 2 * t};
        CHECK_OK(ctx, iso_block_mesh_allocate(ctx, &both));
        for (int i = 0; i < 3 * n; ++i) {
            both.vertices[i] = m.vertices[i];
            both.vertices[3 * n + i] = i % 3 == 2 ? 4.5 * s.pitch - m.vertices[i] : m.vertices[i];
        }
        for (int i = 0; i < 4 * t; ++i) { // turned down, which turns elements too
            both.elements[i] = m.elements[i];
            both.elements[4 * t + i] = n + m.elements[i / 4 * 4 + (i % 4 < 2 ? 1 - i % 4 : i % 4)];
        }
        iso_elastic* e = body_of(ctx, &both);
        iso_skin skin;
        iso_penalty p, fresh;
        iso_penalty_law law = {1e-3, 1.0, 4.0 * s.pitch, false};
        CHECK_OK(ctx, iso_skin_init(ctx, e, &skin));
        CHECK_OK(ctx, iso_penalty_init(ctx, e, &skin, 0.5 * s.pitch, &law, &p));
        CHECK_OK(ctx, iso_penalty_init(ctx, e, &skin, 0.5 * s.pitch, &law, &fresh));
        double* x = iso_alloc_array(ctx, 6 * n, sizeof *x);
        double* forces[2] = {iso_alloc_array(ctx, 6 * n, sizeof(double)),
                             iso_alloc_array(ctx, 6 * n, sizeof(double))};
        memcpy(x, both.vertices, (size_t)(6 * n) * sizeof *x);
        for (int step = 0; step < 12; ++step) {
            double sum[2][3], least[2], total[3] = {0.0};
            int acting[2];
            for (int i = 0; i < 6 * n; ++i) {
                x[i] += 0.02 * s.pitch * test_random_uniform(&random, -1.0, 1.0);
            }
            fresh.list_count = 0;
            memset(forces[0], 0, (size_t)(6 * n) * sizeof(double));
            memset(forces[1], 0, (size_t)(6 * n) * sizeof(double));
            CHECK_OK(ctx, iso_penalty_list(&p, x));
            CHECK_OK(ctx, iso_penalty_list(&fresh, x));
            iso_penalty_add(&p, x, forces[0], sum[0], &acting[0], &least[0]);
            iso_penalty_add(&fresh, x, forces[1], sum[1], &acting[1], &least[1]);
            assert_int_equal(acting[0], acting[1]);
            CHECK(acting[0] > 0, "%d", acting[0]);
            for (int i = 0; i < 6 * n; ++i) {
                CHECK_BITS(forces[0][i], forces[1][i]);
                total[i % 3] += forces[0][i];
            }
            for (int a = 0; a < 3; ++a) {
                CHECK_NEAR(total[a] / length_of(sum[0]), 0.0, 1e-12);
            }
        }
        kept += p.list_count < 12;
        iso_free(ctx, x);
        iso_free(ctx, forces[0]);
        iso_free(ctx, forces[1]);
        iso_penalty_free(&p);
        iso_penalty_free(&fresh);
        iso_skin_free(&skin);
        iso_elastic_destroy(ctx, e);
        iso_block_mesh_free(ctx, &m);
        iso_block_mesh_free(ctx, &both);
        iso_lab_surface_free(ctx, &s);
    }
    assert_int_equal(kept, 6);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedra_fill_the_block_and_fit_each_other),
        cmocka_unit_test(penalty_forces_are_those_of_the_thesis),
        cmocka_unit_test(pairs_that_are_kept_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
