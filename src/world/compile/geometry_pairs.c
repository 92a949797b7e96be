// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Pairs of geometries with a rule of their own.

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "world/model/model.h"
#include "world/model/order.h"
#include "world/state/world_state.h"

#include <stdlib.h>
#include <string.h>

// --- in a model ----------------------------------------------------------------------------------

iso_geometry_pair_desc iso_geometry_pair_desc_default(void) {
    iso_geometry_pair_desc desc = {.geometry_a = -1,
                                   .geometry_b = -1,
                                   .friction_static = ISO_FRICTION_COMBINED,
                                   .friction_dynamic = ISO_FRICTION_COMBINED};
    return desc;
}

iso_status iso_model_add_geometry_pair(iso_model* model, const iso_geometry_pair_desc* desc) {
    ISO_REQUIRE(NULL, model != NULL, ISO_ERR_ARGUMENT, "model is required");
    iso_context* ctx = model->ctx;
    ISO_REQUIRE(ctx, desc != NULL, ISO_ERR_ARGUMENT, "desc is required");
    int a = desc->geometry_a, b = desc->geometry_b, count = model->geometries.count;
    ISO_REQUIRE(ctx, a >= 0 && a < count && b >= 0 && b < count, ISO_ERR_RANGE,
                "geometries %d and %d, expected in [0, %d)", a, b, count);
    ISO_REQUIRE(ctx, a != b, ISO_ERR_ARGUMENT, "a pair of geometry '%s' and itself",
                model->geometries.data[a].desc.name);
    ISO_REQUIRE(ctx, !desc->is_unfiltered || !desc->is_excluded, ISO_ERR_ARGUMENT,
                "geometries '%s' and '%s' are unfiltered and excluded, expected one of both",
                model->geometries.data[a].desc.name, model->geometries.data[b].desc.name);
    double high = desc->friction_static, low = desc->friction_dynamic;
    bool is_combined = high == ISO_FRICTION_COMBINED && low == ISO_FRICTION_COMBINED;
    ISO_REQUIRE(ctx, is_combined || (isfinite(high) && low >= 0.0 && low <= high), ISO_ERR_RANGE,
                "friction of geometries '%s' and '%s' is %g (static) and %g (dynamic), expected "
                "finite, >= 0, the dynamic one at most the static one",
                model->geometries.data[a].desc.name, model->geometries.data[b].desc.name, high,
                low);
    iso_status status = ISO_ARRAY_GROW(ctx, &model->pairs);
    if (status == ISO_OK) {
        model->pairs.data[model->pairs.count++] = *desc;
    }
    return status;
}

// --- in a world ----------------------------------------------------------------------------------

// A rule, and of which geometry it is.
typedef struct placed_rule {
    int geometry;
    iso_contact_rule rule;
} placed_rule;

static int compare_rules(const void* a, const void* b) {
    const placed_rule *x = a, *y = b;
    return x->geometry != y->geometry
               ? (x->geometry > y->geometry) - (x->geometry < y->geometry)
               : (x->rule.other > y->rule.other) - (x->rule.other < y->rule.other);
}

// Index in the world, where geometries are sorted by name.
static int find_geometry(const iso_world* world, const iso_model* model,
                         const iso_body_order* order, int geometry) {
    const iso_geometry_part* part = &model->geometries.data[geometry];
    const char* body = world->body_names[order->world_body[part->body]];
    int begin = 0, end = world->geometry_count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        const iso_contact_geometry* g = &world->geometries[middle];
        int way = strcmp(g->body_name, body);
        way = way != 0 ? way : strcmp(g->name, part->desc.name);
        if (way < 0) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

// Geometries that cannot move to each other need no rule.
static int place_rules(const iso_world* world, const iso_model* model, const iso_body_order* order,
                       placed_rule* placed) {
    int count = 0;
    for (int i = 0; i < model->pairs.count; ++i) {
        const iso_geometry_pair_desc* desc = &model->pairs.data[i];
        int a = find_geometry(world, model, order, desc->geometry_a);
        int b = find_geometry(world, model, order, desc->geometry_b);
        int body_a = world->geometries[a].body, body_b = world->geometries[b].body;
        if (order->weld_root[body_a] != order->weld_root[body_b]) {
            placed[count++] = (placed_rule){a < b ? a : b,
                                            {.other = a < b ? b : a,
                                             .is_unfiltered = desc->is_unfiltered,
                                             .is_excluded = desc->is_excluded,
                                             .friction_static = desc->friction_static,
                                             .friction_dynamic = desc->friction_dynamic}};
        }
    }
    return count;
}

// Rules of one geometry follow each other.
static iso_status share_out(iso_world* world, const placed_rule* placed, int count) {
    for (int i = 0; i < count; ++i) {
        iso_contact_geometry* g = &world->geometries[placed[i].geometry];
        const iso_contact_geometry* other = &world->geometries[placed[i].rule.other];
        ISO_REQUIRE(world->ctx, i == 0 || compare_rules(&placed[i - 1], &placed[i]) != 0,
                    ISO_ERR_ARGUMENT, "geometries '%s' of '%s' and '%s' of '%s' are paired twice",
                    g->name, g->body_name, other->name, other->body_name);
        world->rules[i] = placed[i].rule;
        g->rules.data = g->rules.count == 0 ? &world->rules[i] : g->rules.data;
        ++g->rules.count;
    }
    return ISO_OK;
}

iso_status iso_world_compile_pairs(iso_world* world, const iso_model* model,
                                   const iso_body_order* order) {
    iso_context* ctx = world->ctx;
    iso_status status = ISO_OK;
    placed_rule* placed = iso_alloc_array(ctx, model->pairs.count, sizeof *placed);
    ISO_CHECK(ctx, placed, ISO_ERR_MEMORY, "%d pairs of geometries", model->pairs.count);
    int count = place_rules(world, model, order, placed);
    world->rules = iso_alloc_array(ctx, count, sizeof *world->rules);
    ISO_CHECK(ctx, world->rules, ISO_ERR_MEMORY, "%d pairs of geometries", count);
    if (count > 1) {
        qsort(placed, (size_t)count, sizeof *placed, compare_rules);
    }
    status = share_out(world, placed, count);

done:
    iso_free(ctx, placed);
    return status;
}
