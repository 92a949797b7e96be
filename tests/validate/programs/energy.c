// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Appendix A of Elandt 2022: work along random paths against the exact energy of the overlap, the
// engine's energies (columns, exact); closed paths; and which quadrature gives which wrench.

#include "contact/pressure_field/pressure_field.h"
#include "overlap.h"
#include "pair_study.h"

#include "contact/pressure_field/face.h"

#define PATH_STEPS 8000
#define LOOP_STEPS 2000
#define PATHS 6
#define LOOPS 4

typedef struct pair {
    const char* name;
    iso_contact_shape *a, *b;
    const iso_field* volume_b; ///< of a rigid B, for the exact integral; NULL: B has a field
    iso_pose x_bv;             ///< pose of that volume in B
    double distance;           ///< of the origins at rest [m]
    double spread;             ///< random change of it, as a share
    bool is_above;             ///< B below A along z only (half space)
} pair;

static iso_contact_options options_of(iso_representation representation) {
    iso_contact_options options = iso_contact_options_default();
    options.representation = representation;
    options.cull = ISO_CULL_NONE;
    return options;
}

// A moves: x_wa(t) = turn(axis, angle (1 - t)) then the end pose, away along a line and a bow.
typedef struct path {
    iso_pose end;
    iso_vec3 axis, away, bow;
    double angle;
} path;

static iso_pose path_at(const path* p, double t, iso_spatial* out_twist) {
    iso_mat3 turn = iso_mat3_from_axis_angle(p->axis, p->angle * (1.0 - t));
    iso_vec3 x = iso_vec3_add_scaled(p->end.p, p->away, 1.0 - t);
    x = iso_vec3_add_scaled(x, p->bow, sin(ISO_PI * t));
    out_twist->rotational = iso_vec3_scale(p->axis, -p->angle);
    out_twist->translational =
        iso_vec3_add_scaled(iso_vec3_neg(p->away), p->bow, ISO_PI * cos(ISO_PI * t));
    return iso_pose_make(iso_mat3_mul(turn, p->end.r), x);
}

// Power of the contact on A, which moves; B is at rest.
static double power_on_a(study* s, iso_pose x_wa, iso_pose x_wb, iso_spatial twist) {
    const iso_contact_pair* found = study_update(s, x_wa, x_wb);
    if (!found) {
        return 0.0;
    }
    iso_spatial w = study_exact_wrench(&found->patch, x_wa.p);
    return -iso_spatial_dot(w, twist);
}

// Work done against the contact from separation up to `share` of the path: the trapezoidal rule in
// a time that starts and ends at rest.
static double path_work(study* s, const path* p, iso_pose x_wb, double share) {
    double work = 0.0;
    for (int i = 1; i < PATH_STEPS; ++i) {
        double time = (double)i / PATH_STEPS;
        double rest = 1.0 - time, time3 = time * time * time;
        double t = share * time3 * (10.0 - 15.0 * time + 6.0 * time * time);
        double rate = share * 30.0 * time * time * rest * rest;
        iso_spatial twist;
        iso_pose x = path_at(p, t, &twist);
        work -= power_on_a(s, x, x_wb, twist) * rate / PATH_STEPS;
    }
    return work;
}

static path random_path(test_random* random, const pair* p) {
    path r;
    iso_vec3 u = p->is_above ? iso_vec3_make(0.0, 0.0, 1.0) : study_random_unit(random);
    double distance = p->distance * (1.0 + test_random_uniform(random, -p->spread, p->spread));
    r.end = iso_pose_make(study_random_turn(random, 3.0), iso_vec3_scale(u, distance));
    r.axis = study_random_unit(random);
    r.angle = test_random_uniform(random, 0.3, 1.0);
    r.away = iso_vec3_scale(u, 0.12);
    r.bow = study_random_vec3(random, 0.01);
    return r;
}

typedef struct energies {
    double engine, flux;
    overlap_sums exact;
    int face_count;
} energies;

// The energies at a pose of A.
static energies energies_at(study* s, const pair* p, iso_pose x_wa) {
    energies e = {0};
    const iso_contact_pair* found = study_update(s, x_wa, iso_pose_identity());
    iso_pose x_wv = iso_pose_mul(&s->x_wb, &p->x_bv);
    bool is_b_rigid = p->volume_b != NULL;
    const iso_field* inside_b = is_b_rigid ? p->volume_b : p->b->field;
    e.exact = overlap_measure(p->a->field, &s->x_wa, inside_b, &x_wv, is_b_rigid);
    if (found) {
        e.engine = iso_contact_elastic_energy(found);
        e.face_count = found->patch.face_count;
        iso_elastic_energy exact;
        STUDY_CHECK(s, iso_contact_exact_energy(found, p->a, &s->x_wa, p->b, &s->x_wb, &exact));
        e.flux = exact.is_exact ? exact.energy : NAN;
    }
    return e;
}

static void run_paths(study* s, const pair* p, test_random* random) {
    for (int i = 0; i < PATHS; ++i) {
        path way = random_path(random, p);
        // One path is followed on its way.
        for (double share = i == 0 ? 0.05 : 1.0; share < 1.0 + 1e-9; share += 0.05) {
            iso_spatial twist;
            iso_pose x_wa = path_at(&way, share, &twist);
            double work = path_work(s, &way, iso_pose_identity(), share);
            energies e = energies_at(s, p, x_wa);
            printf("{\"kind\": \"path\", \"pair\": \"%s\", \"path\": %d, \"share\": %.17g, "
                   "\"work\": %.17g, \"exact\": %.17g, \"engine\": %.17g, \"flux\": %.17g, "
                   "\"overlap\": %.17g, \"displaced\": %.17g, \"tet_pairs\": %d, "
                   "\"faces\": %d}\n",
                   p->name, i, share, work, e.exact.u_a + e.exact.u_b, e.engine, e.flux,
                   e.exact.volume, e.exact.volume_a + e.exact.volume_b, e.exact.pair_count,
                   e.face_count);
        }
    }
}

// A closed path of three harmonics about a pose in contact: the trapezoidal rule of a period.
static void run_loops(study* s, const pair* p, test_random* random) {
    for (int i = 0; i < LOOPS; ++i) {
        path way = random_path(random, p);
        iso_vec3 c[3], d[3];
        double a[3], b[3];
        for (int k = 0; k < 3; ++k) {
            c[k] = study_random_vec3(random, 0.008 / (k + 1));
            d[k] = study_random_vec3(random, 0.008 / (k + 1));
            a[k] = test_random_uniform(random, -0.2, 0.2) / (k + 1);
            b[k] = test_random_uniform(random, -0.2, 0.2) / (k + 1);
        }
        double work = 0.0, total = 0.0;
        for (int n = 0; n < LOOP_STEPS; ++n) {
            double t = 2.0 * ISO_PI * n / LOOP_STEPS, angle = 0.0, rate = 0.0;
            iso_vec3 x = way.end.p, v = iso_vec3_zero();
            for (int k = 0; k < 3; ++k) {
                double w = k + 1.0;
                x = iso_vec3_add_scaled(iso_vec3_add_scaled(x, c[k], cos(w * t)), d[k], sin(w * t));
                v = iso_vec3_add_scaled(iso_vec3_add_scaled(v, c[k], -w * sin(w * t)), d[k],
                                        w * cos(w * t));
                angle += a[k] * cos(w * t) + b[k] * sin(w * t);
                rate += w * (b[k] * cos(w * t) - a[k] * sin(w * t));
            }
            iso_pose pose = iso_pose_make(
                iso_mat3_mul(iso_mat3_from_axis_angle(way.axis, angle), way.end.r), x);
            double power = power_on_a(s, pose, iso_pose_identity(),
                                      iso_spatial_make(iso_vec3_scale(way.axis, rate), v));
            work += power;
            total += fabs(power);
        }
        printf("{\"kind\": \"loop\", \"pair\": \"%s\", \"work\": %.17g, \"total\": %.17g}\n",
               p->name, work * 2.0 * ISO_PI / LOOP_STEPS, total * 2.0 * ISO_PI / LOOP_STEPS);
    }
}

// The engine's own wrench at rest against the exact integral over the same polygons.
static void run_rules(study* s, const pair* p, iso_representation representation,
                      test_random* random) {
    iso_contact_options options = options_of(representation);
    double force = 0.0, moment = 0.0;
    study_pair(s, p->a, p->b, &options, NULL);
    for (int i = 0; i < 20; ++i) {
        path way = random_path(random, p);
        const iso_contact_pair* found = study_update(s, way.end, iso_pose_identity());
        if (!found) {
            continue;
        }
        iso_spatial exact = study_exact_wrench(&found->patch, found->p_wc);
        iso_spatial ours =
            iso_contact_continuous_wrench(s->system, found, iso_spatial_zero(), NULL, NULL);
        iso_spatial error = iso_spatial_sub(ours, exact);
        double scale = found->patch.area * found->patch.max_pressure;
        force = fmax(force, iso_vec3_norm(error.translational) / scale);
        moment = fmax(moment, iso_vec3_norm(error.rotational) / (scale * sqrt(found->patch.area)));
    }
    printf("{\"kind\": \"rule\", \"pair\": \"%s\", \"rule\": \"%s\", \"force\": %.17g, "
           "\"moment\": %.17g}\n",
           p->name, representation == ISO_REPRESENTATION_TRIANGLE ? "fan" : "centroid", force,
           moment);
}

// Two boxes face to face press along the normal of their fields: the engine's column is exact.
static void run_columns(study* s) {
    iso_contact_shape* wide = study_shape(s, study_box(0.4, 0.4, 0.1), 1e5, 0.0);
    iso_contact_shape* narrow = study_shape(s, study_box(0.1, 0.1, 0.1), 0.0, 0.0);
    iso_contact_shape* volume = study_shape(s, study_box(0.1, 0.1, 0.1), 1e5, 0.0);
    iso_contact_options options = options_of(ISO_REPRESENTATION_TRIANGLE);
    study_pair(s, wide, narrow, &options, NULL);
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.01, 0.02, 0.08));
    const iso_contact_pair* found = study_update(s, iso_pose_identity(), x_wb);
    overlap_sums exact = overlap_measure(wide->field, &s->x_wa, volume->field, &s->x_wb, true);
    printf("{\"kind\": \"column\", \"exact\": %.17g, \"engine\": %.17g}\n", exact.u_a,
           found ? iso_contact_elastic_energy(found) : 0.0);
    iso_contact_shape_destroy(s->ctx, wide);
    iso_contact_shape_destroy(s->ctx, narrow);
    iso_contact_shape_destroy(s->ctx, volume);
}

int main(void) {
    study s = study_make();
    iso_contact_shape* ball = study_shape(&s, study_sphere(0.05), 1e5, 0.025);
    iso_contact_shape* box = study_shape(&s, study_box(0.1, 0.12, 0.08), 3e5, 0.0);
    iso_contact_shape* cube = study_shape(&s, study_box(0.1, 0.1, 0.1), 1e5, 0.0);
    iso_contact_shape* drum = study_shape(&s, study_cylinder(0.04, 0.1), 2e5, 0.03);
    iso_contact_shape* rigid_box = study_shape(&s, study_box(0.1, 0.12, 0.08), 0.0, 0.0);
    iso_contact_shape* slab = study_shape(&s, study_box(2.0, 2.0, 2.0), 1e5, 0.0);
    iso_contact_shape* ground = study_half_space(&s, 0.0);
    iso_pose same = iso_pose_identity();
    iso_pose below = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -1.0));
    const pair pairs[] = {
        {"ball, box", ball, box, NULL, same, 0.085, 0.05, false},
        {"cube, box", cube, box, NULL, same, 0.095, 0.05, false},
        {"drum, ball", drum, ball, NULL, same, 0.082, 0.05, false},
        {"ball, rigid box", ball, rigid_box, box->field, same, 0.088, 0.05, false},
        {"cube, rigid half space", cube, ground, slab->field, below, 0.055, 0.1, true},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        test_random random = {11 + i};
        run_rules(&s, &pairs[i], ISO_REPRESENTATION_POLYGON, &random);
        random.state = 11 + i;
        run_rules(&s, &pairs[i], ISO_REPRESENTATION_TRIANGLE, &random);
        run_paths(&s, &pairs[i], &random);
        run_loops(&s, &pairs[i], &random);
    }
    run_columns(&s);
    iso_contact_system_destroy(s.ctx, s.system);
    s.system = NULL;
    iso_contact_shape* shapes[] = {ball, box, cube, drum, rigid_box, slab, ground};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        iso_contact_shape_destroy(s.ctx, shapes[i]);
    }
    study_end(&s);
    return 0;
}
