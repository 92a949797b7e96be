// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/tangent/point.h"

#include <string.h>

// Both in the order of a set. @param marks  bodies of those that were found
static void merge(const iso_contact_set* found, const iso_contact_set* old, const bool* marks,
                  iso_contact_set* out) {
    int at = 0;
    for (int i = 0; i < old->pair_count; ++i) {
        const iso_contact_pair* pair = &old->pairs[i];
        if (marks[pair->body_a] || marks[pair->body_b]) {
            continue;
        }
        while (at < found->pair_count && iso_contact_pair_is_before(&found->pairs[at], pair)) {
            out->pairs[out->pair_count++] = found->pairs[at++];
        }
        out->pairs[out->pair_count++] = *pair;
        out->face_count += pair->patch.face_count;
    }
    while (at < found->pair_count) {
        out->pairs[out->pair_count++] = found->pairs[at++];
    }
}

iso_status iso_tangent_contacts(iso_stepper* stepper, const iso_pose* x_wb,
                                const iso_tangent_shared* shared, iso_contact_set* out_set) {
    const iso_multibody* multibody = stepper->dynamics.multibody;
    iso_arena* arena = &stepper->arena;
    const iso_contact_set* old = &shared->like->set;
    *out_set = (iso_contact_set){0};
    if (!stepper->dynamics.contact) {
        return ISO_OK;
    }
    bool* marks = iso_arena_push_array(arena, multibody->body_count, sizeof *marks);
    ISO_REQUIRE(stepper->ctx, marks, ISO_ERR_MEMORY, "%d bodies", multibody->body_count);
    for (int b = 0; b < multibody->body_count; ++b) {
        int tree = multibody->bodies[b].tree;
        marks[b] = tree >= 0 && shared->changed && shared->changed[tree];
    }
    iso_contact_set found = {0};
    iso_contact_system_move_from(stepper->dynamics.contact, old);
    iso_status status = iso_contact_system_update_some(stepper->dynamics.contact, x_wb, marks, true,
                                                       stepper->pool, arena, &found);
    iso_contact_system_move_from(stepper->dynamics.contact, NULL);
    if (status != ISO_OK) {
        return status;
    }
    *out_set = found;
    out_set->pair_count = 0;
    int most = found.pair_count + old->pair_count;
    out_set->pairs = iso_arena_push_array(arena, most, sizeof *out_set->pairs);
    ISO_REQUIRE(stepper->ctx, out_set->pairs, ISO_ERR_MEMORY, "%d contact pairs", most);
    merge(&found, old, marks, out_set);
    return ISO_OK;
}
