// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Friction of the continuous methods is regularised, and so brakes slip at a rate that no impact
// reaches otherwise: where an explicit method with error control leaves a step to an implicit one,
// and why fixed steps do not hold what should stick. docs/theory/step.md.

#include "stepper/flow/flow.h"
#include "stepper/flow/flow_stiff.h"

#include "base/core/fail.h"
#include "base/core/log.h"
#include "contact/pairs/stretched.h"
#include "friction/friction_law.h"

#include <stdio.h>

// The most numbers of a state that an explicit method leaves to an implicit one: that factors dense
// matrices, which take time by the third and memory by the second power of them.
#define MOST_HANDED_OVER 1000

// Rate times substep up to which explicit methods are stable; of the least one, rk23.
#define STABLE 2.5
// Share of that from which friction counts as what limits a substep.
#define LEAST_SHARE 0.2
// The same of everything else: what swings is followed in shorter steps than stability needs.
#define LEAST_SHARE_HELD 0.5
// The same of rk4, and how many fixed steps lie between two looks at it.
#define STABLE_FIXED 2.78
#define LOOK_EVERY 16
// What the load of an impact may still grow by, from where it was noticed.
#define GROWTH 4.0
// Least stiction velocity at which impacts were integrated without failures [m/s].
#define LEAST_STICTION 1e-7
// What slips slower than this still looks as if it stuck [m/s].
#define LARGEST_STICTION 0.01

// Friction that brakes the slip of a pair.
typedef struct slip_brake {
    const iso_contact_pair* pair;
    double rate;    // of the slip [1/s]
    double at_rest; // the same where nothing slips yet [1/s]
    double normal;  // force [N]
    double mass;    // that slips, at the point of contact [kg]
} slip_brake;

// force: on B, damping included.
static iso_status find_brake(iso_stages* now, const iso_contact_pair* pair, iso_vec3 force,
                             slip_brake* out) {
    const iso_contact_system* system = now->stepper->dynamics.contact;
    double delassus[36] = {0.0};
    iso_vec3 n = pair->model->loaded_normal(pair);
    double normal = iso_vec3_dot(force, n);
    const iso_mb_body* bodies = now->stepper->dynamics.multibody->bodies;
    if (!(normal > 0.0) || (bodies[pair->body_a].tree < 0 && bodies[pair->body_b].tree < 0)) {
        return ISO_OK;
    }
    iso_pair_jacobians j;
    iso_status status = ISO_OK;
    ISO_TRY(iso_stages_pair_jacobians(now, pair->body_a, pair->body_b, pair->p_wc, &j));
    ISO_TRY(iso_stages_add_delassus(now, j.tree_a, j.jacobian_a, 6, delassus));
    if (j.tree_b >= 0) {
        ISO_TRY(iso_stages_add_delassus(now, j.tree_b, j.jacobian_b, 6, delassus));
    }
    const double* w = delassus + 21; // the block of translations, rows of six
    iso_vec3 w_n =
        iso_vec3_make(w[0] * n.x + w[1] * n.y + w[2] * n.z, w[6] * n.x + w[7] * n.y + w[8] * n.z,
                      w[12] * n.x + w[13] * n.y + w[14] * n.z);
    double mobility = 0.5 * (w[0] + w[7] + w[14] - iso_vec3_dot(n, w_n));
    const iso_friction friction = iso_contact_pair_friction(system, pair);
    iso_vec3 v = iso_pair_twist(&now->kinematics, pair).translational;
    iso_vec3 slip = iso_vec3_add_scaled(v, n, -iso_vec3_dot(v, n));
    double ratio = iso_friction_law_ratio(&friction, iso_vec3_norm(slip));
    double at_rest = iso_friction_law_ratio(&friction, 0.0) * normal * mobility;
    *out = (slip_brake){pair, ratio * normal * mobility, at_rest, normal, 1.0 / mobility};
done:
    return status;
}

static iso_status find_strongest(iso_stages* now, const iso_contact_result* contacts,
                                 slip_brake* strongest) {
    iso_status status = ISO_OK;
    ISO_TRY(iso_flow_factor_mass(now));
    for (int i = 0; i < now->set.pair_count; ++i) {
        slip_brake brake = {0};
        if (now->set.pairs[i].bristles) {
            continue; // never faster than their own time constant
        }
        iso_vec3 force = contacts->f_b_w[i].translational;
        ISO_TRY(find_brake(now, &now->set.pairs[i], force, &brake));
        if (brake.rate > strongest->rate) {
            *strongest = brake;
        }
    }
done:
    return status;
}

static iso_status find_within(iso_stages* now, slip_brake* strongest) {
    iso_contact_result contacts = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_stage_contacts(now));
    ISO_TRY(iso_continuous_contacts(now, &contacts));
    ISO_TRY(find_strongest(now, &contacts, strongest));
done:
    return status;
}

static double larger_velocity(double v_s, double factor) {
    return v_s * pow(10.0, ceil(log10(fmax(factor, 1.1))));
}

// What brakes, and which choice would have it brake less: dampers know no stiction velocity. A cure
// ends with a comma, and there may be none.
typedef struct brake_cause {
    char what[80], cure[96];
} brake_cause;

static brake_cause find_cause(const iso_stepper* stepper, double factor) {
    const iso_contact_system* system = stepper->dynamics.contact;
    double v_s = iso_contact_system_options(system)->stiction_velocity;
    brake_cause cause = {"by its dampers",
                         " a smaller friction_stiffness or friction_damping_time,"};
    if (!iso_contact_system_has_stretch(system)) {
        double larger = larger_velocity(v_s, factor);
        snprintf(cause.what, sizeof cause.what, "below the stiction_velocity of %g m/s", v_s);
        cause.cure[0] = '\0';
        if (larger <= LARGEST_STICTION) {
            snprintf(cause.cure, sizeof cause.cure, " a stiction_velocity of %.2g m/s,", larger);
        }
    }
    return cause;
}

static void say_stiff(const iso_stepper* stepper, const slip_brake* brake, double t) {
    const iso_contact_system* system = stepper->dynamics.contact;
    const iso_contact_geometry* a = iso_contact_system_geometry(system, brake->pair->geometry_a);
    const iso_contact_geometry* b = iso_contact_system_geometry(system, brake->pair->geometry_b);
    double needed = brake->rate * stepper->settings.time_step / STABLE;
    brake_cause cause = find_cause(stepper, GROWTH * needed / stepper->settings.max_substeps);
    const iso_rk_table* table = stepper->method->table;
    iso_log(stepper->ctx, ISO_LOG_WARNING,
            "friction of '%s::%s' on '%s::%s' is too stiff for rk%d%d at t = %.9g s: %s, %.3g N on "
            "%.3g kg brake slip at %.3g 1/s, which takes substeps of %.2g s; radau goes on to the "
            "end of this time step, and of all others like it; without it:%s a velocity-level "
            "method (lagged)",
            b->body_name, b->name, a->body_name, a->name, table->embedded_order, table->order, t,
            cause.what, brake->normal, brake->mass, brake->rate, STABLE / brake->rate, cause.cure);
}

// The same where it is more than what brakes the slip of a patch as a whole.
static void say_held(const iso_stepper* stepper, const iso_flow_holder* holder, double rate,
                     double t) {
    const iso_contact_system* system = stepper->dynamics.contact;
    const iso_rk_table* table = stepper->method->table;
    char what[192] = "what its joints, drives or springs do";
    if (holder->geometry_a >= 0) {
        const iso_contact_geometry* a = iso_contact_system_geometry(system, holder->geometry_a);
        const iso_contact_geometry* b = iso_contact_system_geometry(system, holder->geometry_b);
        snprintf(what, sizeof what, "%s of '%s::%s' on '%s::%s'",
                 holder->is_friction ? "friction within the patch" : "pressure and its damping",
                 b->body_name, b->name, a->body_name, a->name);
    }
    iso_log(stepper->ctx, ISO_LOG_WARNING,
            "what holds body '%s' is too stiff for rk%d%d at t = %.9g s: %s changes its motion at "
            "%.3g 1/s, which takes substeps of %.2g s; radau goes on to the end of this time "
            "step, and of all others like it; without it: a velocity-level method (lagged)",
            holder->body >= 0 ? iso_stepper_body_name(stepper, holder->body) : "?",
            table->embedded_order, table->order, t, what, rate, STABLE / rate);
}

static bool is_held_stiffly(iso_flow* f, const iso_rk_problem* problem, double t, const double* y,
                            double substep) {
    iso_stepper* stepper = f->stages->stepper;
    iso_flow_direction fastest = {0};
    iso_flow_holder holder;
    if (iso_flow_fastest(f, problem, t, y, &fastest) != ISO_OK ||
        !(fastest.rate * substep >= LEAST_SHARE_HELD * STABLE)) {
        return false;
    }
    if (!atomic_load(&stepper->dynamics.told->is_friction) &&
        iso_flow_find_holder(f, t, y, &fastest, &holder) == ISO_OK &&
        !atomic_exchange(&stepper->dynamics.told->is_friction, true)) {
        say_held(stepper, &holder, fastest.rate, t);
    }
    return true;
}

static bool is_braked_stiffly(iso_flow* f, double t, const double* y, double substep) {
    iso_stepper* stepper = f->stages->stepper;
    iso_stages now = iso_flow_begin(f);
    slip_brake strongest = {0};
    bool is_found = stepper->dynamics.contact && iso_flow_place(f, &now, t, y) == ISO_OK &&
                    find_within(&now, &strongest) == ISO_OK;
    bool is_stiff = is_found && strongest.rate * substep >= LEAST_SHARE * STABLE;
    if (is_stiff && !atomic_exchange(&stepper->dynamics.told->is_friction, true)) {
        say_stiff(stepper, &strongest, t);
    }
    iso_flow_end(f, &now);
    return is_stiff;
}

bool iso_flow_is_stiff(iso_flow* f, const iso_rk_problem* problem, double t, const double* y,
                       double substep) {
    iso_arena* arena = &f->stages->stepper->arena;
    if (problem->dimension > MOST_HANDED_OVER) {
        return false;
    }
    iso_arena_mark mark = iso_arena_get_mark(arena);
    bool is_stiff =
        is_braked_stiffly(f, t, y, substep) || is_held_stiffly(f, problem, t, y, substep);
    iso_arena_release(arena, mark);
    return is_stiff;
}

// Newton's method hardly finds its way into so narrow a range of slip.
static iso_status blame_stiction(const iso_stepper* stepper, iso_status status) {
    const iso_contact_system* system = stepper->dynamics.contact;
    double v_s = system ? iso_contact_system_options(system)->stiction_velocity : INFINITY;
    if (status != ISO_ERR_NO_CONVERGENCE || v_s >= LEAST_STICTION ||
        iso_contact_system_has_stretch(system)) {
        return ISO_OK;
    }
    return iso_fail_prefix(stepper->ctx, status,
                           "stiction_velocity is %g m/s, expected at least %g m/s of methods with "
                           "error control",
                           v_s, LEAST_STICTION);
}

iso_status iso_flow_blame_law(const iso_flow* f, iso_status status) {
    const iso_stepper* stepper = f->stages->stepper;
    bool may_be = status == ISO_ERR_NUMERIC || status == ISO_ERR_NO_CONVERGENCE;
    bool is_own =
        stepper->dynamics.contact &&
        iso_contact_system_options(stepper->dynamics.contact)->friction_law == ISO_FRICTION_OWN;
    if (!may_be || !is_own) {
        return blame_stiction(stepper, status);
    }
    if (f->bad_a) {
        return iso_fail_prefix(stepper->ctx, status,
                               "own friction law gives no coefficient >= 0 between '%s::%s' and "
                               "'%s::%s' at slip speeds of about %.4g m/s",
                               f->bad_a->body_name, f->bad_a->name, f->bad_b->body_name,
                               f->bad_b->name, f->bad_speed);
    }
    return status == ISO_ERR_NO_CONVERGENCE
               ? iso_fail_prefix(stepper->ctx, status,
                                 "with an own friction law, expected continuous in the slip speed")
               : ISO_OK;
}

static void warn_of_fixed_steps(const iso_stepper* stepper, const slip_brake* brake) {
    const iso_contact_system* system = stepper->dynamics.contact;
    const iso_contact_geometry* a = iso_contact_system_geometry(system, brake->pair->geometry_a);
    const iso_contact_geometry* b = iso_contact_system_geometry(system, brake->pair->geometry_b);
    double dt = stepper->settings.time_step;
    brake_cause cause = find_cause(stepper, brake->at_rest * dt / STABLE_FIXED);
    iso_log(stepper->ctx, ISO_LOG_WARNING,
            "friction of '%s::%s' on '%s::%s' is too stiff for fixed steps of %g s: %s, %.3g N on "
            "%.3g kg brake slip at %.3g 1/s, and what should rest may slide; use a velocity-level "
            "method (lagged),%s or steps of %.2g s",
            b->body_name, b->name, a->body_name, a->name, dt, cause.what, brake->normal,
            brake->mass, brake->at_rest, cause.cure, STABLE_FIXED / brake->at_rest);
}

iso_status iso_flow_watch_friction(const iso_flow* f, const iso_contact_result* contacts) {
    iso_stepper* stepper = f->stages->stepper;
    if (stepper->method->table->embedded_order > 0 ||
        atomic_load(&stepper->dynamics.told->is_friction) || f->stages->set.pair_count == 0 ||
        stepper->friction_looks++ % LOOK_EVERY != 0) {
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(&stepper->arena);
    iso_stages now = *f->stages;
    slip_brake strongest = {0};
    iso_status status = find_strongest(&now, contacts, &strongest);
    double dt = stepper->settings.time_step;
    // Slip that friction could end within a step.
    if (status == ISO_OK && strongest.rate * dt > 1.0 && strongest.at_rest * dt > STABLE_FIXED &&
        !atomic_exchange(&stepper->dynamics.told->is_friction, true)) {
        warn_of_fixed_steps(stepper, &strongest);
    }
    iso_arena_release(&stepper->arena, mark);
    return status;
}
