// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Where in a step something happened: by halves, on the states between its substeps.
// docs/theory/events.md.

#include "base/core/fail.h"
#include "stepper/stages/stages.h"
#include "world/events/watch.h"

#include <math.h>
#include <string.h>

// A substep is halved so often for a contact, and for a function of the user's.
#define CONTACT_HALVES 24
#define FUNCTION_HALVES 40
// Searches for patches in one substep. What is not found by then happens at its end.
#define MOST_SEARCHES 2000
// What a patch turns about its normal slides at this share of its radius, in the mean.
#define TURNING_SHARE (2.0 / 3.0)

// One search for what touches at the ends and between.
typedef struct search {
    iso_world* world;
    int left; ///< of MOST_SEARCHES
} search;

// --- the state at a time -------------------------------------------------------------------------

static iso_status place(const iso_world* world, double time, const double* q, const double* v,
                        iso_kinematics* out) {
    iso_status status = iso_kinematics_push(&world->multibody, &world->watch->arena, out);
    if (status == ISO_OK) {
        iso_multibody_kinematics(&world->multibody, q, v, out);
    }
    if (status == ISO_OK && world->has_motion) {
        iso_motions_place(&world->multibody, world->motions, time - world->time, out);
    }
    return status;
}

// A state within the step.
typedef struct moment {
    double time;
    const double *q, *v;
    iso_kinematics kinematics;
} moment;

static iso_status place_at(const iso_world* world, double time, moment* out) {
    const iso_multibody* multibody = &world->multibody;
    iso_arena* arena = &world->watch->arena;
    double* q = iso_arena_push_array(arena, multibody->q_count, sizeof *q);
    double* v = iso_arena_push_array(arena, multibody->v_count, sizeof *v);
    ISO_REQUIRE(arena->ctx, q && v, ISO_ERR_MEMORY, "a state of %d degrees of freedom",
                multibody->v_count);
    iso_status status = iso_trace_state(&world->watch->trace, multibody, time, arena, q, v);
    *out = (moment){.time = time, .q = q, .v = v};
    return status == ISO_OK ? place(world, time, q, v, &out->kinematics) : status;
}

// --- contacts ------------------------------------------------------------------------------------

static bool slips(const iso_world* world, const iso_kinematics* kinematics,
                  const iso_contact_pair* pair) {
    iso_spatial v = iso_spatial_add(iso_pair_twist(kinematics, pair),
                                    iso_surface_twist(world->contacts, kinematics, pair));
    iso_vec3 n = pair->model->normal(pair);
    iso_vec3 slip = iso_vec3_add_scaled(v.translational, n, -iso_vec3_dot(v.translational, n));
    double turn = fabs(iso_vec3_dot(v.rotational, n));
    double radius = sqrt(fmax(pair->patch.area, 0.0) / ISO_PI);
    return iso_vec3_norm(slip) + TURNING_SHARE * radius * turn > world->watch->desc.slip_speed;
}

static iso_status find_touches(const iso_world* world, const iso_kinematics* kinematics,
                               iso_touch_list* out) {
    iso_arena* arena = &world->watch->arena;
    iso_contact_set set;
    iso_status status = iso_contact_system_update(world->contacts, kinematics->x_wb,
                                                  world->stepper->pool, arena, &set);
    if (status != ISO_OK) {
        return status;
    }
    *out = (iso_touch_list){.touches =
                                iso_arena_push_array(arena, set.pair_count, sizeof *out->touches)};
    ISO_REQUIRE(arena->ctx, out->touches, ISO_ERR_MEMORY, "%d contacts", set.pair_count);
    for (int i = 0; i < set.pair_count; ++i) {
        const iso_contact_pair* pair = &set.pairs[i];
        if (pair->model->stiffness(pair).force > 0.0) {
            bool is_sliding = world->watch->desc.with_slip && slips(world, kinematics, pair);
            out->touches[out->count++] =
                (iso_touch){pair->geometry_a, pair->geometry_b, is_sliding};
        }
    }
    return ISO_OK;
}

static int order(const iso_touch* a, const iso_touch* b) {
    int first = (a->geometry_a > b->geometry_a) - (a->geometry_a < b->geometry_a);
    return first != 0 ? first : (a->geometry_b > b->geometry_b) - (a->geometry_b < b->geometry_b);
}

static bool are_same(const iso_touch_list* a, const iso_touch_list* b) {
    bool is_same = a->count == b->count;
    for (int i = 0; i < a->count && is_same; ++i) {
        is_same = order(&a->touches[i], &b->touches[i]) == 0 &&
                  a->touches[i].slips == b->touches[i].slips;
    }
    return is_same;
}

static iso_status add_event(iso_world* world, const iso_event* event) {
    iso_watch* watch = world->watch;
    iso_status status = ISO_ARRAY_GROW(world->ctx, &watch->events);
    if (status != ISO_OK) {
        return status;
    }
    int at = watch->events.count++; // by time; what is told first stays first
    for (; at > 0 && watch->events.data[at - 1].time > event->time; --at) {
        watch->events.data[at] = watch->events.data[at - 1];
    }
    watch->events.data[at] = *event;
    return ISO_OK;
}

static iso_status add_contact_event(iso_world* world, const iso_touch* touch, double time,
                                    iso_event_kind kind) {
    const iso_contact_geometry* a = &world->geometries[touch->geometry_a];
    const iso_contact_geometry* b = &world->geometries[touch->geometry_b];
    bool is_slip = kind == ISO_EVENT_SLIP_BEGINS || kind == ISO_EVENT_SLIP_ENDS;
    if (is_slip ? !world->watch->desc.with_slip : !world->watch->desc.with_contacts) {
        return ISO_OK;
    }
    iso_event event = {.kind = kind,
                       .time = time,
                       .body_a = a->body,
                       .body_b = b->body,
                       .geometry_name_a = a->name,
                       .geometry_name_b = b->name,
                       .function = -1,
                       .function_name = ""};
    return add_event(world, &event);
}

// A pair that did not touch before, or does not after; NULL.
static iso_status tell_pair(iso_world* world, const iso_touch* before, const iso_touch* after,
                            double time) {
    iso_status status = ISO_OK;
    bool slipped = before && before->slips, slides = after && after->slips;
    if (slipped && !slides) {
        ISO_TRY(add_contact_event(world, before, time, ISO_EVENT_SLIP_ENDS));
    }
    if (before && !after) {
        ISO_TRY(add_contact_event(world, before, time, ISO_EVENT_CONTACT_ENDS));
    }
    if (after && !before) {
        ISO_TRY(add_contact_event(world, after, time, ISO_EVENT_CONTACT_BEGINS));
    }
    if (slides && !slipped) {
        ISO_TRY(add_contact_event(world, after, time, ISO_EVENT_SLIP_BEGINS));
    }
done:
    return status;
}

static iso_status tell_changes(iso_world* world, const iso_touch_list* before,
                               const iso_touch_list* after, double time) {
    iso_status status = ISO_OK;
    for (int i = 0, k = 0; status == ISO_OK && (i < before->count || k < after->count);) {
        int way = i == before->count  ? 1
                  : k == after->count ? -1
                                      : order(&before->touches[i], &after->touches[k]);
        const iso_touch* old = way <= 0 ? &before->touches[i++] : NULL;
        const iso_touch* new = way >= 0 ? &after->touches[k++] : NULL;
        status = tell_pair(world, old, new, time);
    }
    return status;
}

static iso_status halve(search* s, double t0, const iso_touch_list* before, double t1,
                        const iso_touch_list* after, int halves) {
    iso_world* world = s->world;
    if (are_same(before, after)) {
        return ISO_OK;
    }
    if (halves == 0 || s->left <= 0) {
        return tell_changes(world, before, after, t1);
    }
    --s->left;
    double middle = 0.5 * (t0 + t1);
    iso_arena_mark mark = iso_arena_get_mark(&world->watch->arena);
    moment here;
    iso_touch_list there;
    iso_status status = ISO_OK;
    ISO_TRY(place_at(world, middle, &here));
    ISO_TRY(find_touches(world, &here.kinematics, &there));
    ISO_TRY(halve(s, t0, before, middle, &there, halves - 1));
    ISO_TRY(halve(s, middle, &there, t1, after, halves - 1));
    iso_arena_release(&world->watch->arena, mark);
done:
    return status;
}

// --- functions and levels ------------------------------------------------------------------------

static double value_above_level(const iso_world* world, int index, const moment* at) {
    const iso_event_level* level = &world->watch->levels[index];
    int place = world->watch->level_places[index];
    const iso_vec3 p = at->kinematics.x_wb[place].p;
    switch (level->quantity) {
    case ISO_LEVEL_JOINT_POSITION:
        return at->q[world->multibody.bodies[world->joints[place].body].q_index] - level->level;
    case ISO_LEVEL_JOINT_VELOCITY:
        return at->v[world->multibody.bodies[world->joints[place].body].v_index] - level->level;
    case ISO_LEVEL_BODY_X:
        return p.x - level->level;
    case ISO_LEVEL_BODY_Y:
        return p.y - level->level;
    case ISO_LEVEL_BODY_Z:
        return p.z - level->level;
    case ISO_LEVEL_BODY_SPEED:
        return iso_vec3_norm(at->kinematics.v_wb[place].translational) - level->level;
    }
    return 0.0;
}

// Levels follow the functions.
static int value_count(const iso_watch* watch) {
    return watch->desc.function_count + watch->desc.level_count;
}

static iso_status evaluate(iso_world* world, int index, const moment* at, double* out_value) {
    int level = index - world->watch->desc.function_count;
    if (level >= 0) {
        *out_value = value_above_level(world, level, at);
        return ISO_OK;
    }
    double time = at->time;
    const iso_kinematics* kinematics = &at->kinematics;
    const iso_event_function* f = &world->watch->functions[index];
    iso_world_hold(world);
    *out_value = f->value(f->user, time, kinematics->x_wb, kinematics->v_wb);
    iso_status status = iso_world_release(world);
    if (status != ISO_OK) {
        return iso_fail_prefix(world->ctx, status, "function %d of events, '%s', went too far",
                               index, f->name);
    }
    ISO_REQUIRE(world->ctx, isfinite(*out_value), ISO_ERR_NUMERIC,
                "function %d of events, '%s', is %g at t = %.9g s, expected finite", index, f->name,
                *out_value, time);
    return ISO_OK;
}

static bool passes(double before, double after) {
    return (before < 0.0 && after >= 0.0) || (before > 0.0 && after <= 0.0);
}

static bool is_looked_for(const iso_watch* watch, int index, double before, double after) {
    int level = index - watch->desc.function_count;
    int direction = level < 0 ? 0 : watch->levels[level].direction;
    return passes(before, after) && (direction == 0 || (direction > 0) == (after > before));
}

// Where it passes zero in a substep.
static iso_status find_zero(iso_world* world, int index, double t0, double before, double t1,
                            double after) {
    iso_arena* arena = &world->watch->arena;
    int direction = after > before ? 1 : -1;
    for (int i = 0; i < FUNCTION_HALVES; ++i) {
        double middle = 0.5 * (t0 + t1), value;
        iso_arena_mark mark = iso_arena_get_mark(arena);
        moment here;
        iso_status status = place_at(world, middle, &here);
        status = status == ISO_OK ? evaluate(world, index, &here, &value) : status;
        if (status != ISO_OK) {
            return status;
        }
        iso_arena_release(arena, mark);
        if (passes(before, value)) {
            t1 = middle;
        } else {
            t0 = middle;
            before = value;
        }
    }
    const iso_watch* watch = world->watch;
    int level = index - watch->desc.function_count;
    iso_event event = {.kind = level < 0 ? ISO_EVENT_FUNCTION : ISO_EVENT_LEVEL,
                       .time = t1,
                       .body_a = -1,
                       .body_b = -1,
                       .geometry_name_a = "",
                       .geometry_name_b = "",
                       .function = level < 0 ? index : level,
                       .function_name =
                           level < 0 ? watch->functions[index].name : watch->levels[level].name,
                       .direction = direction};
    return add_event(world, &event);
}

// --- a step --------------------------------------------------------------------------------------

static bool needs_touches(const iso_watch* watch) {
    return watch->desc.with_contacts || watch->desc.with_slip;
}

// What is the case at a node.
static iso_status look(iso_world* world, int node, iso_touch_list* touches, double* values) {
    const iso_watch* watch = world->watch;
    moment here = {.time = watch->trace.times.data[node],
                   .q = iso_trace_q(&watch->trace, &world->multibody, node),
                   .v = iso_trace_v(&watch->trace, &world->multibody, node)};
    *touches = (iso_touch_list){0};
    iso_status status = place(world, here.time, here.q, here.v, &here.kinematics);
    for (int i = 0; i < value_count(watch) && status == ISO_OK; ++i) {
        status = evaluate(world, i, &here, &values[i]);
    }
    return status == ISO_OK && needs_touches(watch) ? find_touches(world, &here.kinematics, touches)
                                                    : status;
}

static iso_status keep(iso_world* world, const iso_touch_list* touches, const double* values) {
    iso_watch* watch = world->watch;
    iso_status status = ISO_ARRAY_RESERVE(world->ctx, &watch->touching, touches->count);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i < touches->count; ++i) {
        watch->touching.data[i] = touches->touches[i];
    }
    watch->touching.count = touches->count;
    for (int i = 0; i < value_count(watch); ++i) {
        watch->values[i] = values[i];
    }
    watch->is_known = true;
    return ISO_OK;
}

static bool is_same_state(const iso_world* world) {
    const iso_watch* watch = world->watch;
    int last = watch->trace.times.count - 1;
    return last >= 0 && watch->is_known &&
           memcmp(iso_trace_q(&watch->trace, &world->multibody, last), world->q,
                  (size_t)world->multibody.q_count * sizeof *world->q) == 0 &&
           memcmp(iso_trace_v(&watch->trace, &world->multibody, last), world->v,
                  (size_t)world->multibody.v_count * sizeof *world->v) == 0;
}

iso_status iso_watch_begin(iso_world* world) {
    iso_watch* watch = world->watch;
    watch->is_known = is_same_state(world); // else a caller has moved something
    watch->trace.times.count = watch->trace.states.count = watch->events.count = 0;
    iso_status status = iso_arena_reset(&watch->arena);
    status = status == ISO_OK ? iso_watch_add(world, world->time, world->q, world->v) : status;
    if (status != ISO_OK || watch->is_known) {
        return status;
    }
    double* values = iso_arena_push_array(&watch->arena, value_count(watch), sizeof *values);
    ISO_REQUIRE(world->ctx, values, ISO_ERR_MEMORY, "values of functions of events");
    iso_touch_list touches;
    status = look(world, 0, &touches, values);
    return status == ISO_OK ? keep(world, &touches, values) : status;
}

iso_status iso_watch_add(iso_world* world, double time, const double* q, const double* v) {
    return iso_trace_push(world->ctx, &world->multibody, time, q, v, &world->watch->trace);
}

// From one node to the next.
static iso_status find_in_substep(iso_world* world, int node) {
    iso_watch* watch = world->watch;
    search s = {world, MOST_SEARCHES};
    double t0 = watch->trace.times.data[node - 1], t1 = watch->trace.times.data[node];
    iso_touch_list before = {watch->touching.data, watch->touching.count}, after;
    iso_arena_mark mark = iso_arena_get_mark(&watch->arena);
    double* values = iso_arena_push_array(&watch->arena, value_count(watch), sizeof *values);
    ISO_REQUIRE(world->ctx, values, ISO_ERR_MEMORY, "values of functions of events");
    iso_status status = look(world, node, &after, values);
    for (int i = 0; i < value_count(watch) && status == ISO_OK; ++i) {
        if (is_looked_for(watch, i, watch->values[i], values[i])) {
            status = find_zero(world, i, t0, watch->values[i], t1, values[i]);
        }
    }
    status = status == ISO_OK ? halve(&s, t0, &before, t1, &after, CONTACT_HALVES) : status;
    status = status == ISO_OK ? keep(world, &after, values) : status;
    iso_arena_release(&watch->arena, mark);
    return status;
}

iso_status iso_watch_find(iso_world* world, const double* q, const double* v) {
    iso_watch* watch = world->watch;
    double end = world->time + world->desc.time_step;
    int last = watch->trace.times.count - 1;
    if (last > 0 && watch->trace.times.data[last] > end - 1e-9 * world->desc.time_step) {
        --watch->trace.times.count; // the last substep's, which the step's own state replaces
        watch->trace.states.count -= world->multibody.q_count + world->multibody.v_count;
    }
    iso_status status = iso_watch_add(world, end, q, v);
    for (int i = 1; i < watch->trace.times.count && status == ISO_OK; ++i) {
        status = find_in_substep(world, i);
    }
    watch->is_known = status == ISO_OK;
    return status;
}
