// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Parts of a world by their names, or the ends of them that only one has.

#include "world/state/find.h"

#include "isobar/dynamics.h"

static iso_name_list list_of(const iso_world* world, iso_world_part part) {
    int bodies = world->multibody.body_count;
    switch (part) {
    case ISO_WORLD_PART_BODY:
        return iso_name_list_of((const char* const*)world->body_names, bodies);
    case ISO_WORLD_PART_INBOARD_JOINT:
        return iso_name_list_of((const char* const*)world->joint_names, bodies);
    case ISO_WORLD_PART_JOINT:
        return ISO_NAME_LIST(world->joints, world->joint_count, iso_world_joint, name);
    case ISO_WORLD_PART_ACTUATOR:
        return ISO_NAME_LIST(world->actuators, world->actuator_count, iso_world_actuator, name);
    case ISO_WORLD_PART_CONSTRAINT:
        return iso_name_list_of((const char* const*)world->constraint_names,
                                world->constraint_count);
    case ISO_WORLD_PART_COUPLER:
    case ISO_WORLD_PART_COUNT:
        break;
    }
    return iso_name_list_of((const char* const*)world->coupler_names, world->coupler_count);
}

iso_status iso_world_note_names(iso_world* world) {
    iso_status status = ISO_OK;
    for (int i = 0; i < ISO_WORLD_PART_COUNT && status == ISO_OK; ++i) {
        iso_name_list list = list_of(world, (iso_world_part)i);
        status = iso_name_index_note(world->ctx, &world->names[i], &list);
    }
    return status;
}

void iso_world_free_names(iso_world* world) {
    for (int i = 0; i < ISO_WORLD_PART_COUNT; ++i) {
        iso_name_index_destroy(world->ctx, &world->names[i]);
    }
}

static int find(const iso_world* world, iso_world_part part, const char* name) {
    iso_name_list list = list_of(world, part);
    return iso_name_index_look_up(&world->names[part], &list, name);
}

int iso_world_find_body(const iso_world* world, const char* name) {
    return find(world, ISO_WORLD_PART_BODY, name);
}
int iso_world_find_inboard_joint(const iso_world* world, const char* name) {
    return find(world, ISO_WORLD_PART_INBOARD_JOINT, name);
}
int iso_world_find_joint(const iso_world* world, const char* name) {
    return find(world, ISO_WORLD_PART_JOINT, name);
}
int iso_world_find_actuator(const iso_world* world, const char* name) {
    return find(world, ISO_WORLD_PART_ACTUATOR, name);
}
int iso_world_find_constraint(const iso_world* world, const char* name) {
    return find(world, ISO_WORLD_PART_CONSTRAINT, name);
}
int iso_world_find_coupler(const iso_world* world, const char* name) {
    return find(world, ISO_WORLD_PART_COUPLER, name);
}
