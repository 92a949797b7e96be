// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/pairs/filter.h"
#include "isobar/world.h"
#include "multibody/multibody.h"
#include "world/model/model.h"

/// The bodies of a model in the order of a world: depth first from the world, siblings by scoped
/// name. Arrays of body_count, world indices unless said otherwise; release with
/// iso_body_order_free().
typedef struct iso_body_order {
    int body_count;
    int* model_body;  ///< model index of each world body
    int* world_body;  ///< world index of each model body
    int* model_joint; ///< model joint inboard of each body, -1: none (floats freely, or the world)
    int* parent;      ///< -1 for the world
    int* weld_root;   ///< first body of the group welded together with this one
} iso_body_order;

/// @return ISO_ERR_ARGUMENT when joints form a loop, naming one of its bodies
iso_status iso_body_order_create(const iso_model* model, iso_body_order* out_order);
void iso_body_order_free(iso_context* ctx, iso_body_order* order);

/// Which bodies may collide: not one body, not welded together, not adjacent through a joint
/// (joints to the world and free joints excepted), not excluded by the model.
/// @return ISO_ERR_MEMORY, and an empty filter
iso_status iso_body_order_filter(const iso_body_order* order, const iso_model* model,
                                 iso_body_filter* out_filter);

/// What a fixed tendon runs over shall be one tree (iso_mb_body.joined): it moves together.
/// @param bodies  [body_count]
void iso_model_join_trees(const iso_model* model, const iso_body_order* order, iso_mb_body* bodies);

/// Tendons of the world; those that were compiled are released with it.
iso_status iso_world_compile_tendons(iso_world* world, const iso_model* model,
                                     const iso_body_order* order);

/// Rules of the model's pairs of geometries; needs the world's geometries. Freed with the world.
/// @return ISO_ERR_ARGUMENT (two rules of one pair), ISO_ERR_MEMORY
iso_status iso_world_compile_pairs(iso_world* world, const iso_model* model,
                                   const iso_body_order* order);
