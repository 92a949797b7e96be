// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The kernel is compiled a second time here, on plain C lanes, and must give the library's bits.

#undef ISO_SIMD_AVX2
#undef ISO_SIMD_AVX512
#undef ISO_SIMD_NEON
#define iso_compliant_points_eval plain_eval
#define iso_compliant_points_line plain_line
#define iso_compliant_points_result plain_result
#define iso_compliant_points_eval_part plain_eval_part
#define iso_compliant_points_normal_gradient plain_normal_gradient
#define iso_compliant_points_line_part plain_line_part
#define iso_compliant_points_mean_slip plain_mean_slip
#define iso_compliant_points_elastic_work plain_elastic_work
#define iso_compliant_points_kept_result plain_kept_result
#define iso_compliant_points_eval_dual plain_eval_dual
#define iso_compliant_points_eval_normal plain_eval_normal
#define iso_compliant_points_eval_slip plain_eval_slip
#define iso_compliant_points_dual_hessian plain_dual_hessian
#define iso_compliant_points_normal_hessian plain_normal_hessian
#define iso_compliant_points_slip_hessian plain_slip_hessian
#define iso_compliant_points_friction_shape plain_friction_shape
#define iso_slip_dual_step plain_dual_step
#define iso_compliant_points_residual plain_residual
#define iso_compliant_points_transition plain_transition
#include "contact/discrete/point_dual.c"
#include "contact/discrete/point_kernel.c"
#include "contact/discrete/point_tamsi.c"
#undef iso_compliant_points_residual
#undef iso_compliant_points_transition
#undef iso_compliant_points_eval
#undef iso_compliant_points_line
#undef iso_compliant_points_result
#undef iso_compliant_points_eval_part
#undef iso_compliant_points_normal_gradient
#undef iso_compliant_points_line_part
#undef iso_compliant_points_mean_slip
#undef iso_compliant_points_elastic_work
#undef iso_compliant_points_kept_result
#undef iso_compliant_points_eval_dual
#undef iso_compliant_points_eval_normal
#undef iso_compliant_points_eval_slip
#undef iso_compliant_points_dual_hessian
#undef iso_compliant_points_normal_hessian
#undef iso_compliant_points_slip_hessian
#undef iso_compliant_points_friction_shape
#undef iso_slip_dual_step

#include "support/check.h"
#include "support/random.h"

double iso_compliant_points_eval(const iso_compliant_points* points, const double v[6],
                                 double* out_gradient, double* out_hessian);
void iso_compliant_points_normal_gradient(const iso_compliant_points* points, const double v[6],
                                          double out_gradient[6]);
void iso_compliant_points_line(const iso_compliant_points* points, const double v[6],
                               const double dv[6], double alpha, double* out_value,
                               double* out_slope, double* out_curvature);
iso_spatial iso_compliant_points_result(const iso_compliant_points* points, const iso_patch* patch,
                                        const double v[6], iso_vec3* out_tractions,
                                        iso_vec3* out_slips);

double iso_compliant_points_eval_part(const iso_compliant_points* points, iso_point_law part,
                                      const double v[6], double* out_gradient, double* out_hessian);
void iso_compliant_points_line_part(const iso_compliant_points* points, iso_point_law part,
                                    const double v[6], const double dv[6], double alpha,
                                    double* out_value, double* out_slope, double* out_curvature);
double iso_compliant_points_mean_slip(const iso_compliant_points* points, const double v[6]);
iso_spatial iso_compliant_points_kept_result(const iso_compliant_points* points,
                                             const iso_patch* patch, const double v[6],
                                             iso_vec3* out_tractions, iso_vec3* out_slips);

double iso_compliant_points_eval_dual(const iso_compliant_points* points, const double v[6],
                                      iso_slip_dual* dual, double* out_gradient);
double iso_compliant_points_eval_normal(const iso_compliant_points* points, const double v[6],
                                        double* out_gradient, double* out_trace);
double iso_compliant_points_eval_slip(const iso_compliant_points* points, const double slip[6],
                                      iso_slip_dual* dual, double* out_gradient, double* out_trace);
void iso_compliant_points_dual_hessian(const iso_compliant_points* points, double* out_hessian);
void iso_compliant_points_normal_hessian(const iso_compliant_points* points,
                                         double out_upper[ISO_SIX_UPPER]);
void iso_compliant_points_slip_hessian(const iso_compliant_points* points,
                                       double out_upper[ISO_SIX_UPPER]);
void iso_compliant_points_friction_shape(const iso_compliant_points* points,
                                         double out_upper[ISO_SIX_UPPER]);
void iso_slip_dual_step(iso_slip_dual* dual, const double dv[6]);

void iso_compliant_points_residual(const iso_compliant_points* points, const double v[6],
                                   double* out_residual, double* out_jacobian);
double iso_compliant_points_transition(const iso_compliant_points* points, const double v[6],
                                       const double dv[6]);

#define POINTS 64

typedef struct store {
    double fields[22][POINTS];
    int face[POINTS];
    iso_compliant_points points;
    iso_vec3 centroids[POINTS], normals[POINTS];
    double areas[POINTS];
    iso_patch patch;
} store;

static void fill(store* s, iso_point_law law, test_random* random) {
    iso_compliant_points* p = &s->points;
    *p = (iso_compliant_points){.law = law,
                                .count = POINTS,
                                .padded_count = POINTS,
                                .dt = 1e-2,
                                .face = s->face,
                                .rx = s->fields[0],
                                .ry = s->fields[1],
                                .rz = s->fields[2],
                                .nx = s->fields[3],
                                .ny = s->fields[4],
                                .nz = s->fields[5],
                                .stiffness = s->fields[6],
                                .force = s->fields[7],
                                .dissipation = s->fields[8],
                                .limit = s->fields[9],
                                .friction_force = s->fields[10],
                                .slip_scale = s->fields[11],
                                .regularization = s->fields[12],
                                .bias = s->fields[13],
                                .wx = s->fields[14],
                                .wy = s->fields[15],
                                .wz = s->fields[16],
                                .tx = s->fields[17],
                                .ty = s->fields[18],
                                .tz = s->fields[19],
                                .inverse_speed = s->fields[20],
                                .normal_slope = s->fields[21]};
    for (int i = 0; i < POINTS; ++i) {
        iso_vec3 n = iso_vec3_normalized(test_random_vec3(random, -1.0, 1.0));
        p->nx[i] = n.x;
        p->ny[i] = n.y;
        p->nz[i] = n.z;
        p->rx[i] = test_random_uniform(random, -0.1, 0.1);
        p->ry[i] = test_random_uniform(random, -0.1, 0.1);
        p->rz[i] = test_random_uniform(random, -0.1, 0.1);
        p->stiffness[i] = test_random_uniform(random, 1e3, 1e5);
        p->force[i] = test_random_uniform(random, -1.0, 9.0);
        p->dissipation[i] = test_random_uniform(random, 0.0, 20.0);
        p->limit[i] = fmin(p->force[i] / (p->dt * p->stiffness[i]), 1.0 / p->dissipation[i]);
        p->friction_force[i] = test_random_uniform(random, 0.0, 1.0);
        p->slip_scale[i] = test_random_uniform(random, 1e-3, 1e-1);
        p->regularization[i] = test_random_uniform(random, 0.1, 1.0);
        p->bias[i] = test_random_uniform(random, -0.1, 0.1);
        s->face[i] = i;
        s->areas[i] = test_random_uniform(random, 1e-6, 1e-4);
        s->normals[i] = n;
        s->centroids[i] = iso_vec3_make(p->rx[i], p->ry[i], p->rz[i]);
    }
    s->patch = (iso_patch){
        .face_count = POINTS, .areas = s->areas, .normals = s->normals, .centroids = s->centroids};
}

static void plain_lanes_give_the_bits_of_the_simd_back_end(void** state) {
    (void)state;
    test_random random = test_random_make(31);
    for (int round = 0; round < 100; ++round) {
        store s;
        static const iso_point_law laws[3] = {ISO_POINT_LAW_LAGGED, ISO_POINT_LAW_SAP,
                                              ISO_POINT_LAW_SIMILAR};
        fill(&s, laws[round % 3], &random);
        double v[6], dv[6], g[2][6], h[2][36], line[2][3];
        iso_vec3 tractions[2][POINTS], slips[2][POINTS];
        for (int i = 0; i < 6; ++i) {
            v[i] = test_random_uniform(&random, -0.1, 0.1);
            dv[i] = test_random_uniform(&random, -0.1, 0.1);
        }
        double value = iso_compliant_points_eval(&s.points, v, g[0], h[0]);
        CHECK_BITS(plain_eval(&s.points, v, g[1], h[1]), value);
        CHECK_ARRAY_BITS(g[1], g[0], 6);
        CHECK_ARRAY_BITS(h[1], h[0], 36);
        double without[6];
        CHECK_BITS(iso_compliant_points_eval(&s.points, v, without, NULL), value);
        CHECK_ARRAY_BITS(without, g[0], 6);
        CHECK_BITS(plain_eval(&s.points, v, without, NULL), value);
        iso_compliant_points_line(&s.points, v, dv, 0.3, &line[0][0], &line[0][1], &line[0][2]);
        plain_line(&s.points, v, dv, 0.3, &line[1][0], &line[1][1], &line[1][2]);
        CHECK_ARRAY_BITS(line[1], line[0], 3);
        iso_spatial f = iso_compliant_points_result(&s.points, &s.patch, v, tractions[0], slips[0]);
        iso_spatial other = plain_result(&s.points, &s.patch, v, tractions[1], slips[1]);
        CHECK_ARRAY_BITS(&other.rotational.x, &f.rotational.x, 6);
        CHECK_ARRAY_BITS(&tractions[1][0].x, &tractions[0][0].x, 3 * POINTS);
        CHECK_ARRAY_BITS(&slips[1][0].x, &slips[0][0].x, 3 * POINTS);
    }
}

static double largest(const double* values, int count) {
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

/// The parts of the lagged law: the same bits on both back ends, and together the whole.
static void parts_add_up_to_the_law_on_both_back_ends(void** state) {
    (void)state;
    static const iso_point_law parts[2] = {ISO_POINT_LAW_NORMAL, ISO_POINT_LAW_SLIP};
    test_random random = test_random_make(32);
    for (int round = 0; round < 50; ++round) {
        store s;
        fill(&s, ISO_POINT_LAW_LAGGED, &random);
        double v[6], dv[6], g[3][6], h[3][36], plain_g[6], plain_h[36], line[2][3];
        for (int i = 0; i < 6; ++i) {
            v[i] = test_random_uniform(&random, -0.1, 0.1);
            dv[i] = test_random_uniform(&random, -0.1, 0.1);
        }
        double value = iso_compliant_points_eval(&s.points, v, g[2], h[2]), sum = 0.0;
        for (int k = 0; k < 2; ++k) {
            double part = iso_compliant_points_eval_part(&s.points, parts[k], v, g[k], h[k]);
            CHECK_BITS(plain_eval_part(&s.points, parts[k], v, plain_g, plain_h), part);
            CHECK_ARRAY_BITS(plain_g, g[k], 6);
            CHECK_ARRAY_BITS(plain_h, h[k], 36);
            iso_compliant_points_line_part(&s.points, parts[k], v, dv, 0.3, &line[0][0],
                                           &line[0][1], &line[0][2]);
            plain_line_part(&s.points, parts[k], v, dv, 0.3, &line[1][0], &line[1][1], &line[1][2]);
            CHECK_ARRAY_BITS(line[1], line[0], 3);
            sum += part;
        }
        CHECK_REL(sum, value, 1e-10); // measured 1e-14
        for (int i = 0; i < 6; ++i) {
            CHECK_NEAR(g[0][i] + g[1][i], g[2][i], 1e-12 * largest(g[2], 6));
        }
        for (int i = 0; i < 36; ++i) {
            CHECK_NEAR(h[0][i] + h[1][i], h[2][i], 1e-12 * largest(h[2], 36));
        }
        double normal[6];
        iso_compliant_points_normal_gradient(&s.points, v, normal);
        plain_normal_gradient(&s.points, v, plain_g);
        CHECK_ARRAY_BITS(plain_g, normal, 6);
        for (int i = 0; i < 6; ++i) {
            CHECK_NEAR(normal[i], g[0][i], 1e-12 * largest(g[0], 6));
        }
        CHECK_BITS(plain_mean_slip(&s.points, v), iso_compliant_points_mean_slip(&s.points, v));
    }
}

// Newton's method with directions of its own, over three steps along random lines.
static void steps_of_directions_give_the_bits_of_the_simd_back_end(void** state) {
    (void)state;
    test_random random = test_random_make(33);
    for (int round = 0; round < 50; ++round) {
        store s[2];
        test_random again = random;
        fill(&s[0], ISO_POINT_LAW_LAGGED, &random);
        fill(&s[1], ISO_POINT_LAW_LAGGED, &again);
        bool is_stick = round % 2 == 1;
        iso_slip_dual dual[2] = {{.is_started = false}, {.is_started = false}};
        for (int step = 0; step < 3; ++step) {
            double v[6], dv[6], g[2][14] = {{0.0}}, h[2][36], value[2];
            for (int i = 0; i < 6; ++i) {
                v[i] = test_random_uniform(&random, -0.1, 0.1);
                dv[i] = test_random_uniform(&random, -0.1, 0.1);
            }
            const iso_compliant_points *a = &s[0].points, *b = &s[1].points;
            if (is_stick) {
                value[0] = iso_compliant_points_eval_normal(a, dv, g[0], g[0] + 12);
                value[1] = plain_eval_normal(b, dv, g[1], g[1] + 12);
                value[0] += iso_compliant_points_eval_slip(a, v, &dual[0], g[0] + 6, g[0] + 13);
                value[1] += plain_eval_slip(b, v, &dual[1], g[1] + 6, g[1] + 13);
            } else {
                value[0] = iso_compliant_points_eval_dual(a, v, &dual[0], g[0]);
                value[1] = plain_eval_dual(b, v, &dual[1], g[1]);
            }
            CHECK_BITS(value[1], value[0]);
            CHECK_ARRAY_BITS(g[1], g[0], 14);
            iso_spatial kept = iso_compliant_points_kept_result(a, &s[0].patch, v, NULL, NULL);
            iso_spatial other = plain_kept_result(b, &s[1].patch, v, NULL, NULL);
            CHECK_ARRAY_BITS(&other.rotational.x, &kept.rotational.x, 6);
            if (!is_stick) {
                other = iso_compliant_points_result(a, &s[0].patch, v, NULL, NULL);
                double size = largest(&other.rotational.x, 6);
                for (int i = 0; i < 6; ++i) {
                    CHECK_NEAR((&kept.rotational.x)[i], (&other.rotational.x)[i], 1e-12 * size);
                }
            }
            iso_compliant_points_dual_hessian(a, h[0]);
            plain_dual_hessian(b, h[1]);
            CHECK_ARRAY_BITS(h[1], h[0], 36);
            iso_compliant_points_normal_hessian(a, h[0]);
            plain_normal_hessian(b, h[1]);
            CHECK_ARRAY_BITS(h[1], h[0], ISO_SIX_UPPER);
            iso_compliant_points_slip_hessian(a, h[0]);
            plain_slip_hessian(b, h[1]);
            CHECK_ARRAY_BITS(h[1], h[0], ISO_SIX_UPPER);
            iso_compliant_points_friction_shape(a, h[0]);
            plain_friction_shape(b, h[1]);
            CHECK_ARRAY_BITS(h[1], h[0], ISO_SIX_UPPER);
            CHECK_ARRAY_BITS(s[1].points.wx, s[0].points.wx, POINTS);
            iso_slip_dual_step(&dual[0], dv);
            plain_dual_step(&dual[1], dv);
        }
    }
}

static void tamsi_gives_the_bits_of_the_simd_back_end(void** state) {
    (void)state;
    test_random random = test_random_make(35);
    for (int round = 0; round < 50; ++round) {
        store s;
        fill(&s, ISO_POINT_LAW_TAMSI, &random);
        double v[6], dv[6], f[2][6], jacobian[2][36];
        for (int i = 0; i < 6; ++i) {
            v[i] = test_random_uniform(&random, -0.1, 0.1);
            dv[i] = test_random_uniform(&random, -0.1, 0.1);
        }
        iso_compliant_points_residual(&s.points, v, f[0], jacobian[0]);
        plain_residual(&s.points, v, f[1], jacobian[1]);
        CHECK_ARRAY_BITS(f[1], f[0], 6);
        CHECK_ARRAY_BITS(jacobian[1], jacobian[0], 36);
        CHECK_BITS(plain_transition(&s.points, v, dv),
                   iso_compliant_points_transition(&s.points, v, dv));
        iso_spatial wrench = iso_compliant_points_result(&s.points, &s.patch, v, NULL, NULL);
        CHECK_REL(wrench.translational.x, -f[0][3] / s.points.dt, 1e-12); // measured 0
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_directions_give_the_bits_of_the_simd_back_end),
        cmocka_unit_test(parts_add_up_to_the_law_on_both_back_ends),
        cmocka_unit_test(plain_lanes_give_the_bits_of_the_simd_back_end),
        cmocka_unit_test(tamsi_gives_the_bits_of_the_simd_back_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
