// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// How fast geometries move by their own sides, and how long a step of them may be.

#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"

#include <math.h>

// Sides that are shorter stand for points and sheets, which have none.
#define LEAST_SIDE 1e-5 // [m]

static double rate_of(const iso_contact_part* part, const iso_pose* x_wg, iso_spatial v_at_origin) {
    iso_vec3 half = iso_vec3_scale(iso_vec3_sub(part->upper, part->lower), 0.5);
    iso_vec3 center = iso_pose_point(x_wg, iso_vec3_lerp(part->lower, part->upper, 0.5));
    iso_mat3 to_g = iso_mat3_transpose(x_wg->r);
    iso_spatial v_c = iso_spatial_shift_twist(v_at_origin, iso_vec3_sub(center, x_wg->p));
    iso_vec3 v = iso_mat3_mul_vec3(&to_g, v_c.translational);
    iso_vec3 w = iso_mat3_mul_vec3(&to_g, v_c.rotational);
    const double speeds[3] = {fabs(v.x) + fabs(w.y) * half.z + fabs(w.z) * half.y,
                              fabs(v.y) + fabs(w.z) * half.x + fabs(w.x) * half.z,
                              fabs(v.z) + fabs(w.x) * half.y + fabs(w.y) * half.x};
    const double sides[3] = {2.0 * half.x, 2.0 * half.y, 2.0 * half.z};
    double rate = 0.0;
    for (int i = 0; i < 3; ++i) {
        rate = sides[i] > LEAST_SIDE ? fmax(rate, speeds[i] / sides[i]) : rate;
    }
    return rate;
}

static iso_spatial twist_at(const iso_contact_system* system, int index, const iso_pose* x_wb,
                            const iso_spatial* v_wb, iso_vec3 p_w) {
    int body = system->geometries[index].body;
    return iso_spatial_shift_twist(v_wb[body], iso_vec3_sub(p_w, x_wb[body].p));
}

// Of a geometry by its own sides, as another one sees it move.
static double rate_at(const iso_contact_system* system, int index, int other, const iso_pose* x_wb,
                      const iso_spatial* v_wb) {
    const iso_contact_geometry* g = &system->geometries[index];
    iso_pose x_wg = iso_pose_mul(&x_wb[g->body], &g->x_bg);
    iso_spatial v = iso_spatial_sub(twist_at(system, index, x_wb, v_wb, x_wg.p),
                                    twist_at(system, other, x_wb, v_wb, x_wg.p));
    return rate_of(&system->parts[index], &x_wg, v);
}

// The same, as whoever goes along with this velocity and does not turn sees it move.
static double rate_beside(const iso_contact_system* system, int index, iso_vec3 velocity,
                          const iso_pose* x_wb, const iso_spatial* v_wb) {
    const iso_contact_geometry* g = &system->geometries[index];
    iso_pose x_wg = iso_pose_mul(&x_wb[g->body], &g->x_bg);
    iso_spatial v = twist_at(system, index, x_wb, v_wb, x_wg.p);
    v.translational = iso_vec3_sub(v.translational, velocity);
    return rate_of(&system->parts[index], &x_wg, v);
}

// Of two geometries the smaller one counts: ways by its sides do not pass the larger one.
static bool is_larger(const iso_contact_system* system, int a, int b) {
    const iso_contact_part *p = &system->parts[a], *q = &system->parts[b];
    return p->is_half_space || (!q->is_half_space && iso_vec3_distance(p->lower, p->upper) >
                                                         iso_vec3_distance(q->lower, q->upper));
}

double iso_contact_system_pair_pace(const iso_contact_system* system, int a, int b,
                                    const iso_pose* x_wb, const iso_spatial* v_wb) {
    bool is_a_larger = is_larger(system, a, b);
    return rate_at(system, is_a_larger ? b : a, is_a_larger ? a : b, x_wb, v_wb);
}

// When something with a speed and an acceleration has come so far.
static double time_to(double way, double speed, double acceleration) {
    double sum = speed + sqrt(speed * speed + 2.0 * acceleration * way);
    return way <= 0.0 ? 0.0 : sum > 0.0 ? 2.0 * way / sum : INFINITY;
}

// A ball about a geometry, and how its middle moves.
typedef struct moving_ball {
    iso_vec3 middle, velocity;
    iso_vec3 push;  // acceleration without what turning adds
    double turning; // that
    double radius, speed, acceleration;
} moving_ball;

static moving_ball ball_about(const iso_contact_system* system, int index, const iso_pose* x_wb,
                              const iso_spatial* v_wb, const iso_spatial* a_wb) {
    const iso_contact_geometry* g = &system->geometries[index];
    const iso_contact_part* part = &system->parts[index];
    iso_pose x_wg = iso_pose_mul(&x_wb[g->body], &g->x_bg);
    iso_vec3 middle = iso_pose_point(&x_wg, iso_vec3_lerp(part->lower, part->upper, 0.5));
    iso_vec3 arm = iso_vec3_sub(middle, x_wb[g->body].p), w = v_wb[g->body].rotational;
    iso_spatial v = iso_spatial_shift_twist(v_wb[g->body], arm);
    iso_spatial a = iso_spatial_shift_twist(a_wb[g->body], arm);
    double turning = iso_vec3_norm_squared(w) * iso_vec3_norm(arm);
    return (moving_ball){.middle = middle,
                         .velocity = v.translational,
                         .push = a.translational,
                         .turning = turning,
                         .radius = 0.5 * iso_vec3_distance(part->lower, part->upper),
                         .speed = iso_vec3_norm(v.translational),
                         .acceleration = iso_vec3_norm(a.translational) + turning};
}

static double least_side(const iso_contact_part* part) {
    iso_vec3 size = iso_vec3_sub(part->upper, part->lower);
    const double sides[3] = {size.x, size.y, size.z};
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        least = sides[i] > LEAST_SIDE ? fmin(least, sides[i]) : least;
    }
    return least;
}

// Bounds of how fast anything moves, where it is.
typedef struct fastest {
    double speed, acceleration;
} fastest;

// What turns a half space moves places far off at any speed.
static void note_fast(const iso_contact_system* system, int index, const moving_ball* ball,
                      const iso_spatial* v_wb, const iso_spatial* a_wb, fastest* most) {
    int body = system->geometries[index].body;
    double w = iso_vec3_norm(v_wb[body].rotational), change = iso_vec3_norm(a_wb[body].rotational);
    bool is_half_space = system->parts[index].is_half_space;
    double radius = is_half_space ? INFINITY : 3.0 * ball->radius; // of smaller ones beside it
    double turning = w > 0.0 || change > 0.0 ? (w * w + change) * radius : 0.0;
    most->speed = fmax(most->speed, ball->speed + (w > 0.0 ? w * radius : 0.0));
    most->acceleration = fmax(most->acceleration, ball->acceleration + turning);
}

double iso_contact_system_pace(const iso_contact_system* system, const iso_pose* x_wb,
                               const iso_spatial* v_wb) {
    fastest most = {0.0, 0.0};
    for (int i = 0; i < system->geometry_count; ++i) {
        moving_ball ball = ball_about(system, i, x_wb, v_wb, v_wb);
        note_fast(system, i, &ball, v_wb, v_wb, &most);
    }
    double largest = 0.0;
    for (int i = 0; i < system->geometry_count; ++i) {
        if (!system->parts[i].is_half_space) {
            double seen = most.speed / least_side(&system->parts[i]);
            double own = rate_beside(system, i, iso_vec3_zero(), x_wb, v_wb);
            largest = fmax(largest, own + seen);
        }
    }
    return largest;
}

// How far it may come in a time, straight or not.
static double reach_in(const moving_ball* ball, double time) {
    return (ball->speed + 0.5 * ball->acceleration * time) * time;
}

// How long two balls cannot meet: ways of one as the other sees it are no longer than speeds say.
static double time_apart(const moving_ball* a, const moving_ball* b) {
    double gap = iso_vec3_distance(a->middle, b->middle) - a->radius - b->radius;
    return time_to(gap, iso_vec3_distance(a->velocity, b->velocity),
                   iso_vec3_distance(a->push, b->push) + a->turning + b->turning);
}

// A flight: where all are and how they move; the longest step so far.
typedef struct flight {
    const iso_pose* x_wb;
    const iso_spatial *v_wb, *a_wb;
    double share, horizon, longest;
    moving_ball* balls; // [geometry_count]
} flight;

// How long a ball cannot reach a half space: along it it goes as it likes.
static double time_above(const iso_contact_system* system, const flight* f, int index, int other) {
    const iso_contact_geometry* g = &system->geometries[other];
    const moving_ball* ball = &f->balls[index];
    iso_pose x_wg = iso_pose_mul(&f->x_wb[g->body], &g->x_bg);
    iso_vec3 from = iso_vec3_sub(ball->middle, x_wg.p);
    iso_spatial v = f->v_wb[g->body], a = f->a_wb[g->body];
    double arm = iso_vec3_distance(ball->middle, f->x_wb[g->body].p);
    iso_vec3 n = iso_mat3_column(&x_wg.r, 2);
    double w = iso_vec3_norm(v.rotational);
    double speed = iso_vec3_dot(n, iso_vec3_sub(v.translational, ball->velocity)) + w * arm;
    double change = fabs(iso_vec3_dot(n, iso_vec3_sub(a.translational, ball->push))) +
                    (iso_vec3_norm(a.rotational) + w * w) * arm + ball->turning;
    double gap = iso_vec3_dot(from, n) - ball->radius;
    return time_to(gap, speed, change);
}

// Only those can meet within the horizon whose balls do, as far as they may come.
static iso_status find_near(iso_contact_system* system, const flight* f) {
    for (int i = 0; i < system->geometry_count; ++i) {
        const iso_contact_geometry* g = &system->geometries[i];
        const moving_ball* ball = &f->balls[i];
        iso_broad_item* item = &system->items[i];
        *item = (iso_broad_item){.is_half_space = system->parts[i].is_half_space,
                                 .offset = -INFINITY, // pairs of half spaces are taken apart
                                 .body = g->body,
                                 .bits = g->bits,
                                 .rules = g->rules};
        double r = ball->radius + reach_in(ball, f->horizon);
        item->lower = iso_vec3_sub(ball->middle, iso_vec3_make(r, r, r));
        item->upper = iso_vec3_add(ball->middle, iso_vec3_make(r, r, r));
    }
    return iso_broad_phase_run(system->ctx, &system->broad, system->items, &system->bodies);
}

// One geometry beside another one: its share of a way as who goes along with the middle of the
// other one sees it counts once they may meet, or as the other one sees it that is larger, and may
// turn. How both move together does not count.
static void shorten(const iso_contact_system* system, flight* f, int index, int other,
                    double apart) {
    const moving_ball* beside = &f->balls[other];
    bool is_half_space = system->parts[other].is_half_space;
    double seen =
        is_half_space
            ? INFINITY
            : time_to(f->share, rate_beside(system, index, beside->velocity, f->x_wb, f->v_wb),
                      rate_beside(system, index, beside->push, f->x_wb, f->a_wb));
    if (is_larger(system, other, index)) {
        seen = fmin(seen, time_to(f->share, rate_at(system, index, other, f->x_wb, f->v_wb),
                                  rate_at(system, index, other, f->x_wb, f->a_wb)));
    }
    f->longest = fmin(f->longest, fmax(seen, apart));
}

static void shorten_by_pairs(const iso_contact_system* system, flight* f) {
    for (int i = 0; i < system->broad.candidates.count; ++i) {
        iso_candidate pair = system->broad.candidates.data[i];
        double apart = time_apart(&f->balls[pair.a], &f->balls[pair.b]);
        if (apart < f->longest) {
            shorten(system, f, pair.a, pair.b, apart);
            shorten(system, f, pair.b, pair.a, apart);
        }
    }
}

static void shorten_by_half_spaces(const iso_contact_system* system, flight* f) {
    for (int k = 0; k < system->geometry_count; ++k) {
        for (int i = 0; i < system->geometry_count && system->parts[k].is_half_space; ++i) {
            if (!system->parts[i].is_half_space &&
                iso_contact_system_may_meet(system, i < k ? i : k, i < k ? k : i)) {
                shorten(system, f, i, k, time_above(system, f, i, k));
            }
        }
    }
}

double iso_contact_system_own_step(const iso_contact_system* system, const iso_pose* x_wb,
                                   const iso_spatial* v_wb, const iso_spatial* a_wb, double share) {
    double longest = INFINITY;
    for (int i = 0; i < system->geometry_count; ++i) {
        if (!system->parts[i].is_half_space) {
            longest =
                fmin(longest, time_to(share, rate_beside(system, i, iso_vec3_zero(), x_wb, v_wb),
                                      rate_beside(system, i, iso_vec3_zero(), x_wb, a_wb)));
        }
    }
    return longest;
}

double iso_contact_system_longest_step(iso_contact_system* system, const iso_pose* x_wb,
                                       const iso_spatial* v_wb, const iso_spatial* a_wb,
                                       double share, double horizon, iso_arena* arena) {
    int count = system->geometry_count;
    iso_arena_mark mark = iso_arena_get_mark(arena);
    flight f = {x_wb,
                v_wb,
                a_wb,
                share,
                horizon,
                horizon,
                iso_arena_push_array(arena, count, sizeof *f.balls)};
    fastest most = {0.0, 0.0};
    for (int i = 0; i < count; ++i) {
        moving_ball ball = ball_about(system, i, x_wb, v_wb, a_wb);
        note_fast(system, i, &ball, v_wb, a_wb, &most);
        if (f.balls) {
            f.balls[i] = ball;
        }
    }
    double safe = horizon; // wherever others are
    for (int i = 0; i < count; ++i) {
        if (!system->parts[i].is_half_space) {
            double rate = rate_beside(system, i, iso_vec3_zero(), x_wb, v_wb);
            double change = rate_beside(system, i, iso_vec3_zero(), x_wb, a_wb);
            double least = least_side(&system->parts[i]);
            safe = fmin(safe, time_to(share, rate + most.speed / least,
                                      change + most.acceleration / least));
        }
    }
    if (safe < f.longest && f.balls && find_near(system, &f) == ISO_OK) {
        shorten_by_pairs(system, &f);
        shorten_by_half_spaces(system, &f);
    } else {
        f.longest = fmin(f.longest, safe); // without memory for pairs, too
    }
    iso_arena_release(arena, mark);
    return f.longest;
}
