// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Two drawn bodies anywhere: the error of an overlap comes where two of their elements overlap, by
// separating axes, and nowhere else.

#include "asperity/contact/skin.h"
#include "elastic_grid.h"
#include "support/failing_context.h"

#include <math.h>

/// Of the size of a cell, by which places may be told apart or not: rounding.
#define NEARLY 1e-9

// How far the points of two elements lie apart along an axis; < 0: they overlap there. An axis of
// no length tells nothing.
static double apart_along(int d, const double axis[3], const double* a, const double* b) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, length = 0.0;
    for (int k = 0; k < d; ++k) {
        length += axis[k] * axis[k];
    }
    if (length < 1e-20) {
        return -INFINITY;
    }
    for (int side = 0; side < 2; ++side) {
        for (int v = 0; v <= d; ++v) {
            const double* p = (side == 0 ? a : b) + v * d;
            double at =
                (axis[0] * p[0] + axis[1] * p[1] + (d == 3 ? axis[2] * p[2] : 0.0)) / sqrt(length);
            low[side] = fmin(low[side], at);
            high[side] = fmax(high[side], at);
        }
    }
    return fmax(low[0] - high[1], low[1] - high[0]);
}

static void cross(const double* u, const double* v, double out[3]) {
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

// The most that any axis parts two simplices.
static double apart(int d, const double* a, const double* b) {
    double most = -INFINITY, edges[2][6][3] = {{{0}}}, axis[3];
    int count = 0;
    for (int i = 0; i <= d; ++i) {
        for (int j = 0; j < i; ++j, ++count) {
            for (int k = 0; k < d; ++k) {
                edges[0][count][k] = a[i * d + k] - a[j * d + k];
                edges[1][count][k] = b[i * d + k] - b[j * d + k];
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int side = 0; side < 2; ++side) {
            for (int j = 0; j < (d == 2 ? 1 : i); ++j) { // of lines, or of faces
                const double* e = edges[side][i];
                if (d == 2) {
                    axis[0] = -e[1], axis[1] = e[0], axis[2] = 0.0;
                } else {
                    cross(e, edges[side][j], axis);
                }
                most = fmax(most, apart_along(d, axis, a, b));
            }
        }
        for (int j = 0; d == 3 && j < count; ++j) {
            cross(edges[0][i], edges[1][j], axis);
            most = fmax(most, apart_along(d, axis, a, b));
        }
    }
    return most;
}

static void corners_of(const iso_elastic* e, const double* x, int element, double out[12]) {
    int d = e->dimension;
    for (int v = 0; v <= d; ++v) {
        memcpy(out + v * d, x + e->elements[element * (d + 1) + v] * d, (size_t)d * sizeof(double));
    }
}

// The least that the elements of the first body lie apart from those of the second.
static double least_apart(const iso_elastic* e, const double* x, int first_count) {
    double least = INFINITY, a[12], b[12];
    for (int i = 0; i < first_count; ++i) {
        corners_of(e, x, i, a);
        for (int j = first_count; j < e->element_count; ++j) {
            corners_of(e, x, j, b);
            least = fmin(least, apart(e->dimension, a, b));
        }
    }
    return least;
}

// A second body behind the vertices and elements of the first, turned and put anywhere near it.
static elastic_grid place_both(test_random* random, const elastic_grid* a, const elastic_grid* b) {
    int d = a->dimension;
    elastic_grid both = {.dimension = d,
                         .vertex_count = a->vertex_count + b->vertex_count,
                         .element_count = a->element_count + b->element_count};
    both.vertices = calloc((size_t)(both.vertex_count * d), sizeof(double));
    both.elements = calloc((size_t)(both.element_count * (d + 1)), sizeof(int));
    memcpy(both.vertices, a->vertices, (size_t)(a->vertex_count * d) * sizeof(double));
    memcpy(both.elements, a->elements, (size_t)(a->element_count * (d + 1)) * sizeof(int));
    iso_mat3 turn = d == 3 ? iso_mat3_from_quat(test_random_quat(random))
                           : iso_mat3_from_axis_angle((iso_vec3){0, 0, 1},
                                                      test_random_uniform(random, 0.0, 6.0));
    double shift[3], scale = test_random_uniform(random, 0.1, 1.5);
    for (int k = 0; k < 3; ++k) {
        shift[k] = test_random_uniform(random, -2.0, 3.0);
    }
    for (int v = 0; v < b->vertex_count; ++v) {
        for (int k = 0; k < d; ++k) {
            double sum = shift[k];
            for (int l = 0; l < d; ++l) {
                sum += scale * turn.m[k][l] * b->vertices[v * d + l];
            }
            both.vertices[(a->vertex_count + v) * d + k] = sum;
        }
    }
    for (int i = 0; i < b->element_count * (d + 1); ++i) {
        both.elements[a->element_count * (d + 1) + i] = b->elements[i] + a->vertex_count;
    }
    return both;
}

static void bodies_that_overlap_are_told_from_those_that_do_not(void** state) {
    iso_context* ctx = test_context();
    int overlapping = 0, unsure = 0, count = 300;
    (void)state;
    for (int seed = 1; seed <= count; ++seed) {
        test_random random = test_random_make((uint64_t)seed);
        int d = seed % 2 ? 2 : 3;
        elastic_grid a = elastic_grid_make(&random, d, 2, 1.0, 0.1);
        elastic_grid b = elastic_grid_make(&random, d, 2, 1.0, 0.1);
        elastic_grid both = place_both(&random, &a, &b);
        iso_elastic_material material = elastic_material_draw(&random);
        iso_elastic* e = elastic_grid_body(ctx, &both, &material);
        iso_skin skin;
        CHECK_OK(ctx, iso_skin_init(ctx, e, &skin));
        double least = least_apart(e, both.vertices, a.element_count);
        iso_status status = iso_skin_check_apart(&skin, e, both.vertices);
        if (fabs(least) < NEARLY) {
            ++unsure;
        } else {
            CHECK((status == ISO_ERR_GEOMETRY) == (least < 0.0), "seed %d: %g apart, but status %d",
                  seed, least, (int)status);
            overlapping += least < 0.0;
        }
        if (status != ISO_OK) {
            CHECK_ERROR(ctx, "at the start");
        }
        iso_skin_free(&skin);
        iso_elastic_destroy(ctx, e);
        elastic_grid_free(&both);
        elastic_grid_free(&a);
        elastic_grid_free(&b);
    }
    CHECK(overlapping > count / 4 && overlapping < 3 * count / 4 && unsure < count / 20,
          "%d overlap, %d unsure", overlapping, unsure);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_overlap_are_told_from_those_that_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
