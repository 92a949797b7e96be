// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/compile/material_log.h"

#include "base/core/log.h"
#include "base/core/text.h"
#include "contact/pairs/material.h"
#include "isobar/names.h"

#include <stdio.h>

typedef struct range {
    double low, high;
} range;

static range range_of(range r, double x) {
    return (range){fmin(r.low, x), fmax(r.high, x)};
}

// Friction has two coefficients where it can stick, and by some laws of the continuous methods.
static bool has_static_friction(const iso_world* world) {
    iso_friction_law law = world->desc.contact.friction_law;
    bool has_law =
        law == ISO_FRICTION_STRIBECK || law == ISO_FRICTION_THREE_PIECE || law == ISO_FRICTION_OWN;
    if (has_law && !iso_method_is_velocity_level(world->desc.method)) {
        return true;
    }
    return iso_method_may_stick(world->desc.method) &&
           world->desc.contact.friction == ISO_FRICTION_MODEL_STICK;
}

static bool has_bristles(const iso_contact_material* material) {
    return material->bristle_stiffness > 0.0;
}

// Bristles of a material come before the friction law of the world.
static void warn_of_law_beside_bristles(const iso_world* world, const iso_model* model, int count,
                                        const iso_geometry_part* first) {
    iso_friction_law law = world->desc.contact.friction_law;
    if (law != ISO_FRICTION_VISCOUS) {
        iso_log(
            world->ctx, ISO_LOG_WARNING,
            "friction_law '%s' is not that of %d material%s with bristle friction, such as that "
            "of '%s::%s': what touches such a one has bristles instead",
            iso_name_of(ISO_NAMES_FRICTION_LAW, (int)law), count, iso_text_plural(count),
            model->bodies.data[first->body].desc.name, first->desc.name);
    }
}

// The velocity level has of bristles what sticking friction has too.
static void warn_of_bristles(const iso_world* world, const iso_model* model) {
    int count = 0;
    const iso_geometry_part* first = NULL;
    for (int i = 0; i < model->geometries.count; ++i) {
        if (has_bristles(&model->geometries.data[i].desc.material) && ++count == 1) {
            first = &model->geometries.data[i];
        }
    }
    if (count > 0 && !iso_stepper_is_velocity_level(world->desc.method)) {
        warn_of_law_beside_bristles(world, model, count, first);
    }
    if (count == 0 || !iso_stepper_is_velocity_level(world->desc.method)) {
        return;
    }
    iso_log(world->ctx, ISO_LOG_WARNING,
            "method %s has %s of the bristle friction of %d material%s, such as that of '%s::%s'; "
            "rk4, rk23, rk45, radau and cvode have all of it",
            iso_name_of(ISO_NAMES_METHOD, (int)world->desc.method),
            has_static_friction(world) ? "stiffness and damping alone" : "nothing", count,
            iso_text_plural(count), model->bodies.data[first->body].desc.name, first->desc.name);
}

static bool has_own_damping(const iso_contact_material* m) {
    return m->restitution > 0.0 || m->expansion_rate > 0.0 ||
           m->dissipation != iso_contact_material_default().dissipation;
}

// The cone's damping is linear: it has the relaxation time alone.
static void warn_of_damping(const iso_world* world, const iso_model* model) {
    int count = 0;
    const iso_geometry_part* first = NULL;
    for (int i = 0; i < model->geometries.count; ++i) {
        if (has_own_damping(&model->geometries.data[i].desc.material) && ++count == 1) {
            first = &model->geometries.data[i];
        }
    }
    if (count > 0) {
        const iso_contact_material* m = &first->desc.material;
        iso_log(world->ctx, ISO_LOG_WARNING,
                "method sap damps by relaxation_time alone: the damping of %d material%s does not "
                "count, such as %s of '%s::%s'",
                count, iso_text_plural(count),
                m->restitution > 0.0      ? "restitution"
                : m->expansion_rate > 0.0 ? "expansion_rate"
                                          : "dissipation",
                model->bodies.data[first->body].desc.name, first->desc.name);
    }
}

// Neither does the velocity level know the speed of an impact.
static void warn_of_latched_restitution(const iso_world* world, const iso_model* model) {
    int count = 0;
    const iso_geometry_part* first = NULL;
    for (int i = 0; i < model->geometries.count; ++i) {
        if (iso_contact_material_is_latched(&model->geometries.data[i].desc.material) &&
            ++count == 1) {
            first = &model->geometries.data[i];
        }
    }
    if (count > 0 && iso_stepper_is_velocity_level(world->desc.method)) {
        iso_log(world->ctx, ISO_LOG_WARNING,
                "method %s takes the restitution of %d material%s, such as that of '%s::%s', at "
                "1 m/s, not at the speed of each impact as rk4, rk23, rk45, radau and cvode do",
                iso_name_of(ISO_NAMES_METHOD, (int)world->desc.method), count,
                iso_text_plural(count), model->bodies.data[first->body].desc.name,
                first->desc.name);
    }
}

static void tell_defaults(const iso_world* world, const iso_model* model) {
    int count = 0;
    range modulus = {INFINITY, 0.0}, sliding = modulus, sticking = modulus;
    for (int i = 0; i < model->geometries.count; ++i) {
        const iso_contact_material* material = &model->geometries.data[i].desc.material;
        if (material->compliance == ISO_COMPLIANCE_DEFAULT) {
            ++count;
            modulus = range_of(modulus, material->modulus);
            sliding = range_of(sliding, material->friction_dynamic);
            sticking = range_of(sticking, material->friction_static);
        }
    }
    char rest[64] = "";
    bool differs = sticking.low != sliding.low || sticking.high != sliding.high;
    if (differs && has_static_friction(world)) {
        snprintf(rest, sizeof rest, ", at rest from %g to %g", sticking.low, sticking.high);
    }
    if (count > 0) {
        iso_log(
            world->ctx, ISO_LOG_INFO,
            "%d of %d collision geometries %s rigid or compliant: compliant where possible, with "
            "moduli from %g to %g Pa, friction from %g to %g%s",
            count, model->geometries.count,
            count == 1 ? "does not say whether it is" : "do not say whether they are", modulus.low,
            modulus.high, sliding.low, sliding.high, rest);
    }
}

// Bristles use the static friction of both materials of a pair.
static bool bristles_stick(const iso_world* world) {
    bool have = false;
    for (int i = 0; i < world->geometry_count && !have; ++i) {
        have = has_bristles(&world->geometries[i].material);
    }
    return have && !iso_stepper_is_velocity_level(world->desc.method);
}

static bool has_brush(const iso_world* world) {
    return iso_method_may_stick(world->desc.method) &&
           world->desc.contact.friction == ISO_FRICTION_MODEL_BRUSH;
}

// Whether two geometries have one coefficient: beside a field of springs points and volumes stick.
static bool has_one_coefficient(const iso_world* world, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    return a != b && iso_contact_system_may_meet(world->contacts, low, high) &&
           (!has_brush(world) ||
            iso_contact_system_model(world->contacts, low, high)->kind == ISO_MANIFOLD_PATCH);
}

static bool has_one_anywhere(const iso_world* world, int geometry) {
    bool has = !has_brush(world);
    for (int k = 0; k < world->geometry_count && !has; ++k) {
        has = has_one_coefficient(world, geometry, k);
    }
    return has;
}

// What chose friction with one coefficient.
static void name_choice(const iso_world* world, char* out, size_t size) {
    iso_friction_law law = world->desc.contact.friction_law;
    if (!iso_method_is_velocity_level(world->desc.method)) {
        snprintf(out, size, " with friction_law '%s'",
                 iso_name_of(ISO_NAMES_FRICTION_LAW, (int)law));
    } else if (iso_method_may_stick(world->desc.method)) {
        snprintf(out, size, " with friction '%s'%s",
                 iso_name_of(ISO_NAMES_FRICTION_MODEL, (int)world->desc.contact.friction),
                 has_brush(world) ? ", where contacts have faces," : "");
    }
}

// Of materials and of pairs of geometries.
typedef struct static_friction {
    int count;
    const iso_contact_geometry* first;
    double high, low;
} static_friction;

static void add(static_friction* s, const iso_contact_geometry* g, double high, double low) {
    if (s->count++ == 0) {
        s->first = g;
        s->high = high;
        s->low = low;
    }
}

static static_friction find_static_friction(const iso_world* world) {
    static_friction s = {.count = 0};
    bool is_used = bristles_stick(world);
    for (int i = 0; i < world->geometry_count; ++i) {
        const iso_contact_geometry* g = &world->geometries[i];
        const iso_contact_material* m = &g->material;
        if (m->friction_static > m->friction_dynamic && !is_used && has_one_anywhere(world, i)) {
            add(&s, g, m->friction_static, m->friction_dynamic);
        }
        for (int k = 0; k < g->rules.count; ++k) {
            const iso_contact_rule* rule = &g->rules.data[k];
            if (rule->friction_static > rule->friction_dynamic &&
                has_one_coefficient(world, i, rule->other)) {
                add(&s, g, rule->friction_static, rule->friction_dynamic);
            }
        }
    }
    return s;
}

void iso_world_warn_of_static_friction(const iso_world* world) {
    if (has_static_friction(world)) {
        return;
    }
    static_friction s = find_static_friction(world);
    char choice[64] = "";
    name_choice(world, choice, sizeof choice);
    if (s.count > 0) {
        iso_log(world->ctx, ISO_LOG_WARNING,
                "method %s%s has one coefficient of friction: static friction of %d material%s "
                "or pair%s is ignored, such as %g of '%s::%s', where %g counts (lagged with "
                "friction 'stick' has both)",
                iso_name_of(ISO_NAMES_METHOD, (int)world->desc.method), choice, s.count,
                iso_text_plural(s.count), iso_text_plural(s.count), s.high, s.first->body_name,
                s.first->name, s.low);
    }
}

// A friction law that was chosen and that no step will use.
static void warn_of_friction_law(const iso_world* world) {
    iso_friction_law law = world->desc.contact.friction_law;
    if (law != ISO_FRICTION_VISCOUS && iso_method_is_velocity_level(world->desc.method)) {
        iso_log(world->ctx, ISO_LOG_WARNING,
                "friction_law '%s' is of the continuous methods (rk45, radau and others); method "
                "%s has friction '%s' of its own, and the law is left out%s",
                iso_name_of(ISO_NAMES_FRICTION_LAW, (int)law),
                iso_name_of(ISO_NAMES_METHOD, (int)world->desc.method),
                iso_name_of(ISO_NAMES_FRICTION_MODEL, iso_method_may_stick(world->desc.method)
                                                          ? (int)world->desc.contact.friction
                                                          : (int)ISO_FRICTION_MODEL_REGULARIZED),
                law == ISO_FRICTION_BRUSH && iso_method_may_stick(world->desc.method) &&
                        world->desc.contact.friction != ISO_FRICTION_MODEL_BRUSH
                    ? " (friction 'brush' is that field)"
                    : "");
    }
}

void iso_world_tell_materials(const iso_world* world, const iso_model* model) {
    tell_defaults(world, model);
    warn_of_friction_law(world);
    warn_of_bristles(world, model);
    if (world->desc.method == ISO_METHOD_SAP) {
        warn_of_damping(world, model);
    } else {
        warn_of_latched_restitution(world, model);
    }
}
