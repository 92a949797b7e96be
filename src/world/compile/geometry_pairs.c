// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Pairs of geometries with a rule of their own.

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "world/model/model.h"
#include "world/model/order.h"
#include "world/state/world_state.h"

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
    ISO_REQUIRE(
        ctx,
        desc->model >= ISO_CONTACT_MODEL_DEFAULT && desc->model <= ISO_CONTACT_MODEL_VOLUMETRIC,
        ISO_ERR_RANGE, "contact model of geometries '%s' and '%s' is %d, expected in [0, %d]",
        model->geometries.data[a].desc.name, model->geometries.data[b].desc.name, (int)desc->model,
        (int)ISO_CONTACT_MODEL_VOLUMETRIC);
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

// Geometries that cannot move to each other need no rule. `places` are their indices in the world.
static int place_rules(const iso_world* world, const iso_model* model, const iso_body_order* order,
                       const int* places, placed_rule* placed) {
    int count = 0;
    for (int i = 0; i < model->pairs.count; ++i) {
        const iso_geometry_pair_desc* desc = &model->pairs.data[i];
        int a = places[desc->geometry_a], b = places[desc->geometry_b];
        int body_a = world->geometries[a].body, body_b = world->geometries[b].body;
        if (order->weld_root[body_a] != order->weld_root[body_b]) {
            placed[count++] = (placed_rule){a < b ? a : b,
                                            {.other = a < b ? b : a,
                                             .is_unfiltered = desc->is_unfiltered,
                                             .is_excluded = desc->is_excluded,
                                             .friction_static = desc->friction_static,
                                             .friction_dynamic = desc->friction_dynamic,
                                             .model = desc->model}};
        }
    }
    return count;
}

// One pass of a sort by counting: by the second geometry, or by the first.
static void sort_pass(const placed_rule* from, int count, bool by_other, int* starts,
                      int geometry_count, placed_rule* to) {
    memset(starts, 0, ((size_t)geometry_count + 1) * sizeof *starts);
    for (int i = 0; i < count; ++i) {
        ++starts[(by_other ? from[i].rule.other : from[i].geometry) + 1];
    }
    for (int i = 0; i < geometry_count; ++i) {
        starts[i + 1] += starts[i];
    }
    for (int i = 0; i < count; ++i) {
        to[starts[by_other ? from[i].rule.other : from[i].geometry]++] = from[i];
    }
}

// Rules of one geometry follow each other.
static iso_status share_out(iso_world* world, const placed_rule* placed, int count) {
    for (int i = 0; i < count; ++i) {
        iso_contact_geometry* g = &world->geometries[placed[i].geometry];
        const iso_contact_geometry* other = &world->geometries[placed[i].rule.other];
        ISO_REQUIRE(world->ctx,
                    i == 0 || placed[i - 1].geometry != placed[i].geometry ||
                        placed[i - 1].rule.other != placed[i].rule.other,
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
    int geometry_count = world->geometry_count, pair_count = model->pairs.count;
    if (pair_count == 0) {
        return ISO_OK;
    }
    int* places = iso_alloc_array(ctx, model->geometries.count, sizeof *places);
    int* starts = iso_alloc_array(ctx, geometry_count + 1, sizeof *starts);
    placed_rule* placed = iso_alloc_array(ctx, pair_count, sizeof *placed);
    placed_rule* sorted = iso_alloc_array(ctx, pair_count, sizeof *sorted);
    ISO_CHECK(ctx, places && starts && placed && sorted, ISO_ERR_MEMORY, "%d pairs of geometries",
              pair_count);
    for (int i = 0; i < model->geometries.count; ++i) {
        places[i] = find_geometry(world, model, order, i);
    }
    int count = place_rules(world, model, order, places, placed);
    world->rules = iso_alloc_array(ctx, count, sizeof *world->rules);
    ISO_CHECK(ctx, world->rules, ISO_ERR_MEMORY, "%d pairs of geometries", count);
    sort_pass(placed, count, true, starts, geometry_count, sorted);
    sort_pass(sorted, count, false, starts, geometry_count, placed);
    status = share_out(world, placed, count);

done:
    iso_free(ctx, places);
    iso_free(ctx, starts);
    iso_free(ctx, placed);
    iso_free(ctx, sorted);
    return status;
}
