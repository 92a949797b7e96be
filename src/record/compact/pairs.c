// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/compact/pairs.h"

#include <string.h>

iso_pair_list iso_pair_list_make(iso_context* ctx) {
    return (iso_pair_list){.ctx = ctx};
}

void iso_pair_list_free(iso_pair_list* list) {
    for (int i = 0; i < list->pairs.count; ++i) {
        iso_free(list->ctx, list->pairs.data[i].geometry_a);
        iso_free(list->ctx, list->pairs.data[i].geometry_b);
    }
    ISO_ARRAY_FREE(list->ctx, &list->pairs);
}

iso_status iso_pair_list_find(iso_pair_list* list, const iso_contact* contact, int* out_pair) {
    for (int i = 0; i < list->pairs.count; ++i) {
        const iso_pair* pair = &list->pairs.data[i];
        if (pair->body_a == contact->body_a && pair->body_b == contact->body_b &&
            strcmp(pair->geometry_a, contact->geometry_name_a) == 0 &&
            strcmp(pair->geometry_b, contact->geometry_name_b) == 0) {
            *out_pair = i;
            return ISO_OK;
        }
    }
    iso_status status = ISO_ARRAY_GROW(list->ctx, &list->pairs);
    if (status != ISO_OK) {
        return status;
    }
    *out_pair = list->pairs.count++;
    iso_pair* pair = &list->pairs.data[*out_pair];
    *pair = (iso_pair){contact->body_a, contact->body_b,
                       iso_strdup(list->ctx, contact->geometry_name_a),
                       iso_strdup(list->ctx, contact->geometry_name_b)};
    ISO_REQUIRE(list->ctx, pair->geometry_a && pair->geometry_b, ISO_ERR_MEMORY, "pair names");
    return ISO_OK;
}

bool iso_pair_list_is_ambiguous(const iso_pair_list* list, int pair) {
    const iso_pair* mine = &list->pairs.data[pair];
    for (int i = 0; i < list->pairs.count; ++i) {
        const iso_pair* other = &list->pairs.data[i];
        if (i != pair && other->body_a == mine->body_a && other->body_b == mine->body_b) {
            return true;
        }
    }
    return false;
}
