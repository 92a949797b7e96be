// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/barrier.h"
#include "asperity/contact/parallel.h"
#include "asperity/contact/skin.h"
#include "elastic_grid.h"
#include "ipctk_cases.h"
#include "support/failing_context.h"

#include <math.h>

static int dimension_of(iso_gap_kind kind) {
    return kind == ISO_GAP_POINT_EDGE ? 2 : 3;
}

static iso_pair pair_make(iso_gap_kind kind) {
    return (iso_pair){.kind = kind, .vertices = {0, 1, 2, 3}};
}

static void barrier_and_slip_are_those_of_ipctk(void** state) {
    (void)state;
    for (int i = 0; i < IPCTK_CASES; ++i) {
        const double *b = ipctk_barrier[i], *f = ipctk_slip[i];
        CHECK_REL(iso_barrier(b[0], b[1]), b[2], 2e-15); // measured 3e-16
        CHECK_REL(iso_barrier_slope(b[0], b[1]), b[3], 2e-15);
        CHECK_REL(iso_barrier_curvature(b[0], b[1]), b[4], 2e-15);
        CHECK_REL(iso_slip_work(f[0], f[1]), f[2], 2e-15);
        CHECK_REL(iso_slip_share(f[0], f[1]), f[3], 2e-15);
        CHECK_REL(iso_slip_share_over(f[0], f[1]), f[4], 2e-15);
        CHECK_REL(iso_slip_share_slope(f[0], f[1]), f[5], 2e-15);
    }
}

static void distances_are_those_of_ipctk(void** state) {
    (void)state;
    for (int i = 0; i < IPCTK_CASES; ++i) {
        iso_pair edge = pair_make(ISO_GAP_POINT_EDGE), face = pair_make(ISO_GAP_POINT_FACE);
        iso_pair edges = pair_make(ISO_GAP_EDGE_EDGE);
        CHECK_REL(iso_gap_measure(2, &edge, ipctk_point_edge[i]).squared, ipctk_point_edge[i][6],
                  1e-14); // measured 8e-16
        CHECK_REL(iso_gap_measure(3, &face, ipctk_point_face[i]).squared, ipctk_point_face[i][12],
                  1e-14);
        CHECK_REL(iso_gap_measure(3, &edges, ipctk_edge_edge[i]).squared, ipctk_edge_edge[i][12],
                  1e-14);
    }
}

static void factors_of_parallel_edges_are_those_of_ipctk(void** state) {
    int near = 0;
    (void)state;
    for (int i = 0; i < IPCTK_CASES; ++i) {
        const double* row = ipctk_parallel[i];
        iso_pair pair = pair_make(ISO_GAP_EDGE_EDGE);
        double slope[12], curvature[144];
        iso_parallel p = iso_parallel_measure(&pair, row, row + 12);
        CHECK_NEAR(p.factor, row[24], 1e-14); // measured 6e-16
        iso_parallel_derivatives(&pair, row + 12, slope, curvature);
        for (int k = 0; k < 12; ++k) {
            CHECK_NEAR(p.slope * slope[k], row[25 + k], 1e-11); // measured 8e-13
        }
        near += p.factor < 1.0;
    }
    CHECK(near >= 4, "%d", near);
}

// Never beyond the contact that ipctk brackets, and near to it; where ipctk finds none the whole
// motion is free, or stops where the pair is as near as was asked to keep.
static void free_shares_end_before_the_contacts_of_ipctk(void** state) {
    (void)state;
    int hits = 0;
    for (int k = 0; k < 3 * IPCTK_CASES; ++k) {
        iso_gap_kind kind = (iso_gap_kind)(k / IPCTK_CASES);
        const double* tables[3] = {ipctk_hit_point_edge[0], ipctk_hit_point_face[0],
                                   ipctk_hit_edge_edge[0]};
        int d = dimension_of(kind), size = iso_gap_count(kind) * d;
        const double* row = tables[kind] + k % IPCTK_CASES * (2 * size + 1);
        iso_pair pair = pair_make(kind);
        double keep = 1e-3, at[12];
        double share = iso_gap_free_share(d, &pair, row, row + size, keep);
        for (int i = 0; i < size; ++i) {
            at[i] = row[i] + share * row[size + i];
        }
        double begin = iso_gap_measure(d, &pair, row).squared;
        double end = iso_gap_measure(d, &pair, at).squared;
        CHECK(end >= 0.999 * keep * keep * begin, "%g of %g", end, begin);
        CHECK(share <= row[2 * size] + 1e-6, "%g %g", share, row[2 * size]);
        if (row[2 * size] <= 1.0) {
            ++hits;
            CHECK(share >= row[2 * size] - 0.02, "%g %g", share, row[2 * size]);
        } else {
            CHECK_NEAR(share, 1.0, 0.0);
        }
    }
    CHECK(hits >= 12, "%d", hits);
}

static void draw_places(test_random* random, int size, double* x) {
    for (int i = 0; i < size; ++i) {
        x[i] = test_random_normal(random);
    }
}

// A unit vector, and two more that are square to it and to each other.
static void draw_axes(test_random* random, double axes[3][3]) {
    draw_places(random, 9, axes[0]);
    for (int k = 0; k < 3; ++k) {
        for (int pass = 0; pass < 2; ++pass) {
            for (int j = 0; j < k; ++j) {
                double along =
                    axes[k][0] * axes[j][0] + axes[k][1] * axes[j][1] + axes[k][2] * axes[j][2];
                for (int a = 0; a < 3; ++a) {
                    axes[k][a] -= along * axes[j][a];
                }
            }
        }
        double length = hypot(hypot(axes[k][0], axes[k][1]), axes[k][2]);
        for (int a = 0; a < 3; ++a) {
            axes[k][a] /= length;
        }
    }
}

// Faces and pairs of edges down to an angle of 1e-16, the way between them known.
static void gaps_of_slivers_and_parallel_edges_are_exact(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; ++seed) {
        test_random random = test_random_make(seed);
        bool is_face = seed % 2;
        iso_pair pair = pair_make(is_face ? ISO_GAP_POINT_FACE : ISO_GAP_EDGE_EDGE);
        double axes[3][3], x[12], turned[144];
        draw_axes(&random, axes);
        double size = pow(10.0, test_random_uniform(&random, -9.0, 3.0));
        double angle = pow(10.0, test_random_uniform(&random, -16.0, 0.0));
        double gap = size * pow(10.0, test_random_uniform(&random, -12.0, 0.0));
        double share = test_random_uniform(&random, -1.0, 2.0),
               s = test_random_uniform(&random, 0, 1);
        double t = test_random_uniform(&random, 0.0, 1.0);
        t = is_face && s + t > 1.0 ? 1.0 - s : t;
        for (int a = 0; a < 3; ++a) {
            double u = size * axes[0][a], v = share * u + size * angle * axes[1][a];
            double way = gap * axes[2][a];
            x[a] = 0.0;
            x[3 + a] = u;
            x[6 + a] = is_face ? v : s * u - t * v + way;
            x[9 + a] = is_face ? s * u + t * v + way : x[6 + a] + v;
        }
        iso_gap found = iso_gap_measure(3, &pair, x);
        CHECK_NEAR(sqrt(found.squared) / size, gap / size, 4e-15); // measured 6e-16
        iso_gap_curvature(3, &pair, &found, x, turned);
        for (int i = 0; i < 144; ++i) {
            CHECK(isfinite(turned[i]), "seed %d: %g", (int)seed, turned[i]);
        }
    }
}

// Near the reach differences of the terms would cancel: the series there are known.
static void barrier_is_exact_up_to_its_reach(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 500; ++seed) {
        test_random random = test_random_make(seed);
        double d = pow(10.0, test_random_uniform(&random, -30.0, 3.0));
        double reach = d * (1.0 + pow(10.0, test_random_uniform(&random, -15.0, -6.0)));
        double off = reach - d, t = off / d, log_of = t - 0.5 * t * t + t * t * t / 3.0;
        CHECK_REL(iso_barrier(d, reach), off * off * log_of, 4e-15); // measured 5e-16
        CHECK_REL(iso_barrier_slope(d, reach), -off * (t + 2.0 * log_of), 4e-15);
        CHECK_REL(iso_barrier_curvature(d, reach), t * (4.0 + t) + 2.0 * log_of, 4e-15);
    }
}

// Against the nearest of a fine raster over both features.
static void no_pair_of_points_is_nearer_than_the_gap(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        test_random random = test_random_make(seed);
        iso_gap_kind kind = (iso_gap_kind)(seed % 3);
        int d = dimension_of(kind), n = iso_gap_count(kind);
        double x[12], best = INFINITY;
        draw_places(&random, n * d, x);
        iso_pair pair = pair_make(kind);
        iso_gap gap = iso_gap_measure(d, &pair, x);
        enum { RASTER = 120 };
        for (int i = 0; i <= RASTER; ++i) {
            for (int j = 0; j <= RASTER; ++j) {
                double u = (double)i / RASTER, v = (double)j / RASTER, sum = 0.0;
                double edge[4] = {u - 1.0, -u, 1.0, 0.0};
                double face[4] = {u + v - 1.0, -u, -v, 1.0};
                double edges[4] = {u - 1.0, -u, 1.0 - v, v};
                const double* w =
                    kind == ISO_GAP_POINT_EDGE ? edge : (kind == ISO_GAP_POINT_FACE ? face : edges);
                if (kind == ISO_GAP_POINT_FACE && u + v > 1.0) {
                    continue;
                }
                for (int a = 0; a < d; ++a) {
                    double r = 0.0;
                    for (int k = 0; k < n; ++k) {
                        r += w[k] * x[k * d + a];
                    }
                    sum += r * r;
                }
                best = fmin(best, sum);
            }
        }
        CHECK(gap.squared <= best * (1.0 + 1e-12), "%g %g", gap.squared, best);
        CHECK(sqrt(best) - sqrt(gap.squared) < 0.1, "%g %g", gap.squared, best);
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
            sum += gap.weights[k];
        }
        CHECK_NEAR(sum, 0.0, 1e-15);
    }
}

static void slopes_and_curvatures_are_differences(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        test_random random = test_random_make(seed);
        iso_gap_kind kind = (iso_gap_kind)(seed % 3);
        int d = dimension_of(kind), size = iso_gap_count(kind) * d;
        double x[12], u[12], y[12], slope[2][12], matrix[144], squared[2], h = 1e-6;
        draw_places(&random, size, x);
        draw_places(&random, size, u);
        iso_pair pair = pair_make(kind);
        iso_gap gap = iso_gap_measure(d, &pair, x), side[2];
        for (int k = 0; k < 2; ++k) {
            for (int i = 0; i < size; ++i) {
                y[i] = x[i] + (k ? h : -h) * u[i];
            }
            side[k] = iso_gap_measure(d, &pair, y);
            squared[k] = side[k].squared;
            iso_gap_slope(d, &side[k], slope[k]);
        }
        if (side[0].freedoms != side[1].freedoms) {
            continue; // the foot crosses a border, where curvatures jump
        }
        iso_gap_curvature(d, &pair, &gap, x, matrix);
        double along = 0.0, here[12], scale = 0.0;
        iso_gap_slope(d, &gap, here);
        for (int i = 0; i < size; ++i) {
            along += here[i] * u[i];
        }
        CHECK_NEAR(along, (squared[1] - squared[0]) / (2.0 * h), 3e-8); // measured 2.8e-9
        for (int i = 0; i < size * size; ++i) {
            scale = fmax(scale, fabs(matrix[i]));
            CHECK_NEAR(matrix[i], matrix[i % size * size + i / size], 1e-9 * scale);
        }
        for (int i = 0; i < size; ++i) {
            double sum = 0.0;
            for (int j = 0; j < size; ++j) {
                sum += matrix[i * size + j] * u[j];
            }
            CHECK_NEAR(sum / scale, (slope[1][i] - slope[0][i]) / (2.0 * h) / scale,
                       2e-8); // measured 1.2e-9
        }
    }
}

// Drawn motions sampled finely: the distance never falls below half of what is kept.
static void nothing_collides_within_a_free_share(void** state) {
    (void)state;
    int stopped = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        test_random random = test_random_make(seed);
        iso_gap_kind kind = (iso_gap_kind)(seed % 3);
        int d = dimension_of(kind), size = iso_gap_count(kind) * d;
        double x[12], u[12], y[12], keep = test_random_uniform(&random, 0.05, 0.5);
        draw_places(&random, size, x);
        draw_places(&random, size, u);
        double scale = pow(10.0, test_random_uniform(&random, -1.0, 1.0));
        for (int i = 0; i < size; ++i) {
            u[i] *= scale;
        }
        iso_pair pair = pair_make(kind);
        double first = sqrt(iso_gap_measure(d, &pair, x).squared);
        double share = iso_gap_free_share(d, &pair, x, u, keep);
        CHECK(share > 0.0 && share <= 1.0, "%g", share);
        for (int s = 0; s <= 500; ++s) {
            for (int i = 0; i < size; ++i) {
                y[i] = x[i] + share * s / 500.0 * u[i];
            }
            double now = sqrt(iso_gap_measure(d, &pair, y).squared);
            CHECK(now >= (s == 500 ? 1.0 : 0.5) * keep * first * (1.0 - 1e-12), "%g", now / first);
        }
        stopped += share < 1.0;
    }
    CHECK(stopped > 40, "%d", stopped);
}

// Two bodies, one above the other: the pairs found are all that lie within reach.
static void every_pair_within_reach_is_found(void** state) {
    iso_context* ctx = test_context();
    (void)state;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        test_random random = test_random_make(seed);
        elastic_grid grid = elastic_grid_make(&random, seed % 2 ? 2 : 3, 4, 1.0, 0.1);
        int d = grid.dimension, n = grid.vertex_count, m = grid.element_count;
        double* x = calloc((size_t)(2 * n * d), sizeof *x);
        int* elements = calloc((size_t)(2 * m * (d + 1)), sizeof *elements);
        double height = grid.cells[1] + 0.25;
        for (int i = 0; i < 2 * n * d; ++i) {
            x[i] = grid.vertices[i % (n * d)] + (i >= n * d && i % d == 1 ? height : 0.0);
        }
        for (int i = 0; i < 2 * m * (d + 1); ++i) {
            elements[i] = grid.elements[i % (m * (d + 1))] + (i >= m * (d + 1) ? n : 0);
        }
        iso_elastic_material material = elastic_material_draw(&random);
        elastic_grid both = {.dimension = d,
                             .vertex_count = 2 * n,
                             .element_count = 2 * m,
                             .vertices = x,
                             .elements = elements};
        iso_elastic* e = elastic_grid_body(ctx, &both, &material);
        iso_skin skin;
        CHECK_OK(ctx, iso_skin_init(ctx, e, &skin));
        assert_int_equal(skin.body_count, 2);
        CHECK_OK(ctx, iso_skin_check_apart(&skin, e, x));
        double reach = test_random_uniform(&random, 0.2, 0.6);
        CHECK_OK(ctx, iso_skin_find_pairs(&skin, x, NULL, reach));
        int found = 0, expected = 0;
        for (int i = 0; i < skin.pairs.count; ++i) {
            found += iso_gap_measure(d, &skin.pairs.data[i], x).squared < reach * reach;
        }
        for (int i = 0; i < skin.points.count; ++i) {
            for (int f = 0; f < skin.face_count; ++f) {
                iso_pair pair = {.kind = d == 2 ? ISO_GAP_POINT_EDGE : ISO_GAP_POINT_FACE};
                memcpy(pair.vertices, skin.faces.data + f * d, (size_t)d * sizeof(int));
                pair.vertices[d] = skin.points.data[i];
                expected +=
                    skin.body_of.data[pair.vertices[0]] != skin.body_of.data[pair.vertices[d]] &&
                    iso_gap_measure(d, &pair, x).squared < reach * reach;
            }
        }
        for (int i = 0; i < skin.edge_count; ++i) {
            for (int j = 0; j < i; ++j) {
                iso_pair pair = {.kind = ISO_GAP_EDGE_EDGE};
                memcpy(pair.vertices, skin.edges.data + 2 * i, 2 * sizeof(int));
                memcpy(pair.vertices + 2, skin.edges.data + 2 * j, 2 * sizeof(int));
                expected +=
                    skin.body_of.data[pair.vertices[0]] != skin.body_of.data[pair.vertices[2]] &&
                    iso_gap_measure(d, &pair, x).squared < reach * reach;
            }
        }
        assert_int_equal(found, expected);
        CHECK(expected > 0, "%d", expected);
        for (int v = n; v < 2 * n; ++v) { // pushed into the other body, then inside of it
            x[v * d + 1] -= 0.6;
        }
        CHECK_STATUS(ctx, iso_skin_check_apart(&skin, e, x), ISO_ERR_GEOMETRY);
        iso_skin_free(&skin);
        iso_elastic_destroy(ctx, e);
        free(x);
        free(elements);
        elastic_grid_free(&grid);
    }
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier_and_slip_are_those_of_ipctk),
        cmocka_unit_test(distances_are_those_of_ipctk),
        cmocka_unit_test(factors_of_parallel_edges_are_those_of_ipctk),
        cmocka_unit_test(free_shares_end_before_the_contacts_of_ipctk),
        cmocka_unit_test(gaps_of_slivers_and_parallel_edges_are_exact),
        cmocka_unit_test(barrier_is_exact_up_to_its_reach),
        cmocka_unit_test(no_pair_of_points_is_nearer_than_the_gap),
        cmocka_unit_test(slopes_and_curvatures_are_differences),
        cmocka_unit_test(nothing_collides_within_a_free_share),
        cmocka_unit_test(every_pair_within_reach_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
