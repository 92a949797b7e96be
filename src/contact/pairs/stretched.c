// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/stretched.h"

#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/material.h"

#include <string.h>

void iso_press_add(iso_press_list* list, iso_vec3 place, iso_vec3 normal, double force, int face) {
    if (!(force > 0.0) || list->is_full) {
        return;
    }
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        iso_press* data = iso_arena_push_array(list->arena, capacity, sizeof *data);
        if (!data) {
            list->is_full = true;
            return;
        }
        if (list->count > 0) {
            memcpy(data, list->data, (size_t)list->count * sizeof *data);
        }
        list->data = data;
        list->capacity = capacity;
    }
    list->data[list->count++] = (iso_press){place, normal, force, face};
}

bool iso_contact_system_has_stretch(const iso_contact_system* system) {
    return system->has_stretch;
}

void iso_contact_system_allow_stretch(iso_contact_system* system, bool is_continuous) {
    system->has_stretch = is_continuous && system->options.friction_law == ISO_FRICTION_COMPLIANT;
}

iso_contact_pair iso_contact_pair_smooth(const iso_contact_pair* pair) {
    iso_contact_pair smooth = *pair;
    smooth.friction_static = smooth.friction_dynamic = 0.0;
    return smooth;
}

// Both halves of a stretch in other axes.
static iso_stretch turned(const iso_stretch* stretch, const iso_mat3* r) {
    const double* s = stretch->s;
    iso_vec3 first = iso_mat3_mul_vec3(r, iso_vec3_make(s[0], s[1], s[2]));
    iso_vec3 second = iso_mat3_mul_vec3(r, iso_vec3_make(s[3], s[4], s[5]));
    return (iso_stretch){{first.x, first.y, first.z, second.x, second.y, second.z}};
}

iso_status iso_contact_stretched_friction(const iso_contact_system* system,
                                          const iso_contact_pair* pair, const iso_mat3* r_wb,
                                          iso_spatial v_c, const iso_stretch* stretch,
                                          iso_arena* arena, iso_vec3* tractions,
                                          iso_stretched* out) {
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_press_list list = {.arena = arena};
    pair->model->presses(system, pair, v_c, &list);
    iso_vec3* friction =
        tractions ? iso_arena_push_array(arena, list.count, sizeof *friction) : NULL;
    bool is_full = list.is_full || (tractions && !friction);
    if (!is_full) {
        iso_shell shell = iso_contact_shell(&system->options);
        iso_stretch in_w = turned(stretch, r_wb);
        iso_mat3 r_bw = iso_mat3_transpose(*r_wb);
        iso_stretch_result result;
        iso_stretch_eval(&shell, pair->friction_dynamic, list.data, list.count, v_c, &in_w,
                         friction, &result);
        *out = (iso_stretched){.wrench = result.wrench,
                               .losses = {.friction = result.taken},
                               .rate = turned(&result.rate, &r_bw)};
    }
    for (int i = 0; tractions && !is_full && i < list.count; ++i) {
        int face = list.data[i].face;
        if (face >= 0) {
            tractions[face] =
                iso_vec3_add_scaled(tractions[face], friction[i], 1.0 / pair->patch.areas[face]);
        }
    }
    iso_arena_release(arena, mark);
    ISO_REQUIRE(arena->ctx, !is_full, ISO_ERR_MEMORY, "friction at %d places", list.count);
    return ISO_OK;
}

iso_status iso_contact_stretched_wrench(const iso_contact_system* system,
                                        const iso_contact_pair* pair, const iso_mat3* r_wb,
                                        iso_spatial v_c, const iso_stretch* stretch,
                                        iso_arena* arena, iso_vec3* out_tractions,
                                        iso_vec3* out_slips, iso_stretched* out) {
    iso_contact_losses losses;
    const iso_contact_model* model = pair->model;
    iso_contact_pair smooth = iso_contact_pair_smooth(pair);
    iso_spatial pressed = model->wrench(system, &smooth, v_c, &losses, out_tractions, out_slips);
    iso_status status =
        iso_contact_stretched_friction(system, pair, r_wb, v_c, stretch, arena, out_tractions, out);
    if (status == ISO_OK) {
        out->wrench = iso_spatial_add(out->wrench, pressed);
        out->losses.damping = losses.damping;
    }
    return status;
}
