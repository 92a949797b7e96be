// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Appendix C.5 of Elandt 2022: the wrench through changes of the patch's topology, where the
// gradients are opposed and where they are not; section 5.2.5: what a query costs.

#include "contact/pressure_field/pressure_field.h"
#include "pair_study.h"

#include <string.h>
#include <time.h>

#define PATH_STEPS 500
#define EVENTS_WANTED 220 // of every pair and rule
#define LEVER 0.05        // turns moments into forces [m]
#define COST_COUNT 12

static iso_contact_options options_of(iso_representation representation) {
    iso_contact_options options = iso_contact_options_default();
    options.representation = representation;
    options.cull = ISO_CULL_NONE;
    options.stiction_velocity = 1e-2;
    return options;
}

static uint64_t mix(uint64_t hash, int value) {
    return (hash ^ (uint64_t)(unsigned)value) * 0x100000001b3u;
}

// Which elements carry faces, and how many sides each face has.
static uint64_t topology_of(const iso_contact_pair* pair) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int f = 0; pair && f < pair->patch.face_count; ++f) {
        hash = mix(mix(hash, pair->patch.elements[f].a), pair->patch.elements[f].b);
        hash = mix(hash, pair->patch.face_offsets[f + 1] - pair->patch.face_offsets[f]);
    }
    return hash;
}

static bool is_opposed(const iso_contact_pair* pair) {
    const iso_patch* p = pair ? &pair->patch : NULL;
    for (int f = 0; p && f < p->face_count; ++f) {
        if (!p->is_rigid_a && !p->is_rigid_b &&
            !(iso_vec3_dot(p->gradients_a[f], p->gradients_b[f]) < 0.0)) {
            return false;
        }
    }
    return true;
}

// Wrench on B about its origin: of the pressures alone, and with damping and friction.
typedef struct wrenches {
    iso_spatial still, moving;
} wrenches;

static wrenches wrenches_of(const study* s, const iso_contact_pair* pair, iso_spatial twist) {
    wrenches w = {iso_spatial_zero(), iso_spatial_zero()};
    if (pair) {
        iso_vec3 arm = iso_vec3_sub(pair->p_wc, s->x_wb.p);
        iso_spatial v_c = iso_spatial_shift_twist(twist, arm);
        w.still = study_exact_wrench(&pair->patch, s->x_wb.p);
        w.moving = iso_contact_continuous_wrench(s->system, pair, v_c, NULL, NULL);
        w.moving.rotational =
            iso_vec3_add(w.moving.rotational, iso_vec3_cross(arm, w.moving.translational));
    }
    return w;
}

static double size_of(iso_spatial w) {
    return fmax(iso_vec3_norm(w.translational), iso_vec3_norm(w.rotational) / LEVER);
}

typedef struct motion {
    iso_vec3 start, change, axis;
    iso_mat3 turned;
    double angle;
    iso_spatial twist;
} motion;

static iso_pose pose_at(const motion* m, double s) {
    iso_mat3 turn = iso_mat3_from_axis_angle(m->axis, m->angle * s);
    return iso_pose_make(iso_mat3_mul(turn, m->turned),
                         iso_vec3_add_scaled(m->start, m->change, s));
}

typedef struct tally {
    int events, opposed;  ///< opposed: on both sides of the event
    double still, moving; ///< largest jump over the peak where opposed
    double still_other, moving_other;
} tally;

// Bisect onto every change of topology that the steps of a path show.
static void follow(study* s, const motion* m, tally* t) {
    const iso_pose x_wa = iso_pose_identity();
    double peak = 0.0;
    struct event {
        double still, moving;
        bool is_opposed;
    } events[PATH_STEPS];
    int count = 0;
    for (int i = 0; i < PATH_STEPS; ++i) {
        double low = (double)i / PATH_STEPS, high = (double)(i + 1) / PATH_STEPS;
        const iso_contact_pair* pair = study_update(s, x_wa, pose_at(m, low));
        uint64_t topology = topology_of(pair);
        peak = fmax(peak, size_of(wrenches_of(s, pair, m->twist).still));
        if (topology_of(study_update(s, x_wa, pose_at(m, high))) == topology) {
            continue;
        }
        for (int k = 0; k < 60 && high - low > 1e-16; ++k) {
            double middle = 0.5 * (low + high);
            bool is_same = topology_of(study_update(s, x_wa, pose_at(m, middle))) == topology;
            *(is_same ? &low : &high) = middle;
        }
        pair = study_update(s, x_wa, pose_at(m, low));
        bool opposed = is_opposed(pair);
        wrenches before = wrenches_of(s, pair, m->twist);
        pair = study_update(s, x_wa, pose_at(m, high));
        wrenches after = wrenches_of(s, pair, m->twist);
        events[count++] = (struct event){size_of(iso_spatial_sub(after.still, before.still)),
                                         size_of(iso_spatial_sub(after.moving, before.moving)),
                                         opposed && is_opposed(pair)};
    }
    for (int i = 0; i < count; ++i) {
        double still = events[i].still / peak, moving = events[i].moving / peak;
        t->events++;
        if (events[i].is_opposed) {
            t->opposed++;
            t->still = fmax(t->still, still);
            t->moving = fmax(t->moving, moving);
        } else {
            t->still_other = fmax(t->still_other, still);
            t->moving_other = fmax(t->moving_other, moving);
        }
    }
}

static void run_events(study* s, const char* name, iso_contact_shape* a, iso_contact_shape* b,
                       double distance, bool is_above, iso_representation representation) {
    iso_contact_options options = options_of(representation);
    iso_contact_material material = iso_contact_material_default();
    test_random random = {77};
    tally t = {0};
    material.dissipation = 2.0;
    study_pair(s, a, b, &options, &material);
    for (int path = 0; path < 200 && t.opposed < EVENTS_WANTED; ++path) {
        iso_vec3 u = study_random_unit(&random);
        u = is_above ? iso_vec3_make(0.0, 0.0, 1.0) : u;
        motion m = {.start = iso_vec3_scale(u, distance)};
        m.change = study_random_vec3(&random, 0.015);
        m.axis = study_random_unit(&random);
        m.angle = test_random_uniform(&random, 0.1, 0.5);
        m.turned = study_random_turn(&random, 3.0);
        m.twist.rotational = study_random_vec3(&random, 1.0);
        m.twist.translational = study_random_vec3(&random, 0.05);
        follow(s, &m, &t);
    }
    printf("{\"kind\": \"events\", \"pair\": \"%s\", \"rule\": \"%s\", \"events\": %d, "
           "\"opposed\": %d, \"still\": %.17g, \"moving\": %.17g, \"still_other\": %.17g, "
           "\"moving_other\": %.17g}\n",
           name, representation == ISO_REPRESENTATION_TRIANGLE ? "fan" : "centroid", t.events,
           t.opposed, t.still, t.moving, t.still_other, t.moving_other);
}

// A block of layers whose pressure depends on z alone: six tetrahedra about a diagonal a layer.
static iso_contact_shape* make_column(study* s, double half, const double* z, const double* p,
                                      int level_count) {
    static const int k_order[6][2] = {{1, 2}, {2, 1}, {1, 4}, {4, 1}, {2, 4}, {4, 2}};
    iso_vec3 vertices[32];
    double pressures[32];
    int tets[48][4], tet_count = 0;
    for (int i = 0; i < 4 * level_count; ++i) {
        vertices[i] = iso_vec3_make(i & 1 ? half : -half, i & 2 ? half : -half, z[i / 4]);
        pressures[i] = p[i / 4];
    }
    for (int layer = 0; layer + 1 < level_count; ++layer) {
        for (int k = 0; k < 6; ++k) {
            int first = k_order[k][0], second = first | k_order[k][1];
            const int corners[4] = {0, first, second, 7};
            for (int c = 0; c < 4; ++c) {
                tets[tet_count][c] = 4 * layer + corners[c];
            }
            ++tet_count;
        }
    }
    return study_tets(s, vertices, 4 * level_count, (const int(*)[4])tets, tet_count, pressures);
}

static void print_failure(const char* name, const study* s, const iso_contact_pair* pair,
                          double offset, iso_spatial twist) {
    wrenches w = wrenches_of(s, pair, twist);
    printf("{\"kind\": \"failure\", \"case\": \"%s\", \"offset\": %.17g, \"area\": %.17g, "
           "\"still\": [%.17g, %.17g, %.17g], \"moving\": [%.17g, %.17g, %.17g]}\n",
           name, offset, pair ? pair->patch.area : 0.0, w.still.translational.x,
           w.still.translational.y, w.still.translational.z, w.moving.translational.x,
           w.moving.translational.y, w.moving.translational.z);
}

// Where the condition fails. Equal gradients: two equal cubes, one on the other, moved sideways.
// Gradients of unequal size along each other: two surfaces appear at once, back to back.
static void run_failures(study* s) {
    iso_contact_options options = options_of(ISO_REPRESENTATION_TRIANGLE);
    iso_contact_material material = iso_contact_material_default();
    iso_spatial slide = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.1, 0.0, 0.0));
    const double offsets[] = {-1e-4, -1e-8, -1e-12, 0.0, 1e-12, 1e-8, 1e-4};
    iso_contact_shape* cube = study_shape(s, study_box(0.1, 0.1, 0.1), 1e5, 0.0);
    study_pair(s, cube, cube, &options, &material);
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; ++i) {
        const iso_contact_pair* pair = study_update(
            s, iso_pose_identity(), iso_pose_from_position(iso_vec3_make(offsets[i], 0.0, 0.09)));
        print_failure("equal", s, pair, offsets[i], slide);
    }
    // A's pressure rises by 2e5 Pa/m from its top at z = 0.1 to a kink at 0.05, then by 5e4 Pa/m;
    // B's rises by 1e5 Pa/m through that kink at offset 0, so that before it is the larger one
    // everywhere.
    const double z_a[] = {-0.04, 0.0, 0.05, 0.1}, p_a[] = {0.0, 12500.0, 10000.0, 0.0};
    const double z_b[] = {-0.05, 0.0, 0.15}, p_b[] = {0.0, 15000.0, 0.0};
    iso_contact_shape* a = make_column(s, 0.1, z_a, p_a, 4);
    iso_contact_shape* b = make_column(s, 0.05, z_b, p_b, 3);
    study_pair(s, a, b, &options, &material);
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; ++i) {
        const iso_contact_pair* pair = study_update(
            s, iso_pose_identity(), iso_pose_from_position(iso_vec3_make(0.0, 0.0, -offsets[i])));
        print_failure("along", s, pair, offsets[i], slide);
    }
    iso_contact_shape_destroy(s->ctx, cube);
    iso_contact_shape_destroy(s->ctx, a);
    iso_contact_shape_destroy(s->ctx, b);
}

// A body and its like at a pose, and the least processor time of a query.
typedef struct cost {
    const char* name;
    int size, faces;
    iso_contact_shape* shape;
    iso_pose x_wb;
    double time;
} cost;

// Of this thread on a processor.
static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Two queries to touch the memory that all others reuse, then some for a tenth of a second; each
// elsewhere than the one before: what stands still meets as it did.
static void take_turn(study* s, const iso_contact_options* options, cost* c) {
    study_pair(s, c->shape, c->shape, options, NULL);
    double begin = cpu_seconds();
    for (int i = 0; i < 5 || (i < 500 && cpu_seconds() - begin < 0.1); ++i) {
        iso_pose x_wb = c->x_wb;
        x_wb.p.x += i % 2 == 0 ? 0.0 : 1e-13;
        double start = cpu_seconds();
        const iso_contact_pair* pair = study_update(s, iso_pose_identity(), x_wb);
        double time = cpu_seconds() - start;
        c->faces = pair ? pair->patch.face_count : 0;
        c->time = i < 2 ? c->time : fmin(c->time, time);
    }
}

// Teeth along x, one beside the other: bars of 12 tetrahedra about their middle.
static iso_contact_shape* make_comb(study* s, int tooth_count) {
    static const int k_quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    size_t n = (size_t)tooth_count;
    iso_vec3* vertices = calloc(9 * n, sizeof *vertices);
    double* pressures = calloc(9 * n, sizeof *pressures);
    int(*tets)[4] = calloc(12 * n, sizeof *tets);
    double half = 0.25 / tooth_count;
    for (int t = 0; t < tooth_count; ++t) {
        double middle = (t + 0.5) / tooth_count - 0.5;
        for (int i = 0; i < 8; ++i) {
            vertices[9 * t + i] = iso_vec3_make(i & 1 ? 0.5 : -0.5, middle + (i & 2 ? half : -half),
                                                i & 4 ? half : -half);
        }
        vertices[9 * t + 8] = iso_vec3_make(0.0, middle, 0.0);
        pressures[9 * t + 8] = 1e5;
        for (int q = 0; q < 12; ++q) {
            const int* c = k_quads[q / 2];
            const int corners[4] = {c[0], c[q & 1 ? 2 : 1], c[q & 1 ? 3 : 2], 8};
            for (int k = 0; k < 4; ++k) {
                tets[12 * t + q][k] = 9 * t + corners[k];
            }
        }
    }
    iso_contact_shape* comb = study_tets(s, vertices, 9 * tooth_count, (const int(*)[4])tets,
                                         12 * tooth_count, pressures);
    free(vertices);
    free(pressures);
    free(tets);
    return comb;
}

// Sizes take turns, so that a busy minute of the machine does not fall on one of them alone.
static void run_costs(study* s) {
    static const int k_teeth[] = {8, 16, 24, 32, 48, 64, 96, 128};
    iso_contact_options options = options_of(ISO_REPRESENTATION_POLYGON);
    cost costs[COST_COUNT];
    int count = 0;
    for (size_t i = 0; i < sizeof k_teeth / sizeof *k_teeth; ++i) {
        int n = k_teeth[i];
        // Across each other, one half of a tooth above.
        iso_pose x_wb = iso_pose_make(iso_mat3_from_rpy(0.0, 0.0, 0.5 * ISO_PI),
                                      iso_vec3_make(0.0, 0.0, 0.25 / n));
        costs[count++] = (cost){"combs", n, 0, make_comb(s, n), x_wb, INFINITY};
    }
    for (int level = 3; level <= 6; ++level) {
        iso_pose x_wb =
            iso_pose_make(iso_mat3_from_rpy(0.3, 0.2, 0.1), iso_vec3_make(0.003, 0.002, 0.095));
        iso_contact_shape* ball = study_shape(s, study_sphere(0.05), 1e5, 0.1 / (1 << level));
        costs[count++] = (cost){"balls", level, 0, ball, x_wb, INFINITY};
    }
    for (int i = 0; i < 3 * count; ++i) {
        take_turn(s, &options, &costs[i % count]);
    }
    for (int i = 0; i < count; ++i) {
        const cost* c = &costs[i];
        printf("{\"kind\": \"cost\", \"case\": \"%s\", \"size\": %d, \"tets\": %d, "
               "\"faces\": %d, \"seconds\": %.17g}\n",
               c->name, c->size, iso_contact_shape_tet_count(c->shape), c->faces, c->time);
        iso_contact_shape_destroy(s->ctx, c->shape);
    }
}

int main(void) {
    study s = study_make();
    iso_contact_shape* ball = study_shape(&s, study_sphere(0.05), 1e5, 0.025);
    iso_contact_shape* box = study_shape(&s, study_box(0.1, 0.12, 0.08), 3e5, 0.0);
    iso_contact_shape* drum = study_shape(&s, study_cylinder(0.04, 0.1), 2e5, 0.03);
    iso_contact_shape* rigid_box = study_shape(&s, study_box(0.1, 0.12, 0.08), 0.0, 0.0);
    iso_contact_shape* ground = study_half_space(&s, 0.0);
    iso_contact_shape* slab = study_half_space(&s, 2e6);
    for (int i = 0; i < 2; ++i) {
        iso_representation rule = i ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON;
        run_events(&s, "box, ball", box, ball, 0.083, true, rule);
        run_events(&s, "drum, ball", drum, ball, 0.085, false, rule);
        run_events(&s, "ball, rigid box", ball, rigid_box, 0.09, false, rule);
        run_events(&s, "rigid half space, drum", ground, drum, 0.045, true, rule);
        run_events(&s, "compliant half space, ball", slab, ball, 0.045, true, rule);
    }
    run_failures(&s);
    run_costs(&s);
    iso_contact_system_destroy(s.ctx, s.system);
    s.system = NULL;
    iso_contact_shape* shapes[] = {ball, box, drum, rigid_box, ground, slab};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; ++i) {
        iso_contact_shape_destroy(s.ctx, shapes[i]);
    }
    study_end(&s);
    return 0;
}
