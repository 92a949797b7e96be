// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "isobar/names.h"
#include "live/live_parts.h"
#include "record/compact/pack.h"
#include "record/compact/view_model.h"
#include "record/frames/snapshot.h"

#include <math.h>

// Of joints and actuators without limits.
static const double k_turn = 3.141592653589793;
static const double k_way = 0.5;     // [m]
static const double k_effort = 10.0; // [N], [N m]

static bool turns(const iso_world* world, int joint) {
    return joint >= 0 && iso_world_joint_kind(world, joint) != ISO_JOINT_PRISMATIC;
}

static void limit_range(double lower, double upper, double usual, double* out_low,
                        double* out_high) {
    *out_low = isfinite(lower) ? lower : -usual;
    *out_high = isfinite(upper) ? upper : usual;
    if (!(*out_high > *out_low)) {
        *out_high = *out_low + usual;
    }
}

static void joint_range(const iso_world* world, int joint, double* out_low, double* out_high) {
    iso_joint_limits limits = iso_world_joint_limits(world, joint);
    limit_range(joint >= 0 ? limits.lower : -INFINITY, joint >= 0 ? limits.upper : INFINITY,
                turns(world, joint) ? k_turn : k_way, out_low, out_high);
}

bool iso_live_takes_position(const iso_world* world, int actuator) {
    return iso_world_actuator_gains(world, actuator).kp > 0.0;
}

void iso_live_actuator_range(const iso_world* world, int actuator, double* out_low,
                             double* out_high) {
    iso_actuator_gains gains = iso_world_actuator_gains(world, actuator);
    if (iso_live_takes_position(world, actuator)) {
        joint_range(world, iso_world_actuator_joint(world, actuator), out_low, out_high);
    } else {
        limit_range(gains.effort_lower, gains.effort_upper, k_effort, out_low, out_high);
    }
}

static void put_joints(iso_json* json, const iso_world* world) {
    iso_json_begin_array(json, "joints");
    for (int i = 0; i < iso_world_joint_count(world); ++i) {
        double low, high;
        joint_range(world, i, &low, &high);
        iso_json_begin_object(json, NULL);
        iso_json_put_text(json, "name", iso_world_joint_name(world, i));
        iso_json_put_text(json, "unit", turns(world, i) ? "rad" : "m");
        iso_json_put_number(json, "low", low);
        iso_json_put_number(json, "high", high);
        iso_json_end_object(json);
    }
    iso_json_end_array(json);
}

static void put_actuators(iso_json* json, const iso_world* world) {
    iso_json_begin_array(json, "actuators");
    for (int i = 0; i < iso_world_actuator_count(world); ++i) {
        double low, high;
        bool is_position = iso_live_takes_position(world, i);
        bool is_turn = turns(world, iso_world_actuator_joint(world, i));
        iso_live_actuator_range(world, i, &low, &high);
        iso_json_begin_object(json, NULL);
        iso_json_put_text(json, "name", iso_world_actuator_name(world, i));
        iso_json_put_text(json, "unit",
                          is_position ? (is_turn ? "rad" : "m") : (is_turn ? "N m" : "N"));
        iso_json_put_number(json, "low", low);
        iso_json_put_number(json, "high", high);
        iso_json_end_object(json);
    }
    iso_json_end_array(json);
}

/// What a page offers to choose: settings of the scene, and which words they take.
static void put_choices(iso_json* json, const iso_world* world) {
    const iso_world_desc* settings = iso_world_settings(world);
    const struct {
        const char* path;
        iso_name_family family;
        int value;
    } rows[] = {
        {"simulation.method", ISO_NAMES_METHOD, (int)settings->method},
        {"simulation.friction", ISO_NAMES_FRICTION_MODEL, (int)settings->contact.friction},
        {"simulation.contact_model", ISO_NAMES_CONTACT_MODEL_KIND, (int)settings->contact.model},
    };
    iso_json_begin_array(json, "choices");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        iso_json_begin_object(json, NULL);
        iso_json_put_text(json, "path", rows[i].path);
        iso_json_put_text(json, "value", iso_name_of(rows[i].family, rows[i].value));
        iso_json_begin_array(json, "values");
        for (int k = 0; k < iso_name_count(rows[i].family); ++k) {
            if (rows[i].family != ISO_NAMES_METHOD || iso_method_is_built((iso_method)k)) {
                iso_json_put_text(json, NULL, iso_name_of(rows[i].family, k));
            }
        }
        iso_json_end_array(json);
        iso_json_end_object(json);
    }
    iso_json_end_array(json);
}

iso_status iso_live_send_model(iso_live* live) {
    iso_json json = iso_json_make(iso_live_mailbox_begin(&live->box, ISO_LIVE_SLOT_MODEL));
    iso_json_begin_object(&json, NULL);
    iso_json_put_text(&json, "format", "isobar-live-1");
    iso_json_put_text(&json, "scene", live->scene_name);
    iso_json_begin_object(&json, "controls");
    put_joints(&json, live->world);
    put_actuators(&json, live->world);
    put_choices(&json, live->world);
    iso_json_put_number(&json, "time_step", iso_world_settings(live->world)->time_step);
    iso_json_put_bool(&json, "takes_settings", live->desc.takes_settings);
    iso_json_end_object(&json);
    iso_view_put_model(&json, &live->model);
    iso_view_put_sensors(&json, &live->model);
    iso_json_end_object(&json);
    live->pairs_sent = -1;
    return iso_live_mailbox_publish(&live->box, ISO_LIVE_SLOT_MODEL);
}

static iso_status send_pairs(iso_live* live) {
    iso_json json = iso_json_make(iso_live_mailbox_begin(&live->box, ISO_LIVE_SLOT_PAIRS));
    iso_json_begin_object(&json, NULL);
    iso_view_put_pairs(&json, &live->model, &live->pairs);
    iso_json_end_object(&json);
    live->pairs_sent = live->pairs.pairs.count;
    return iso_live_mailbox_publish(&live->box, ISO_LIVE_SLOT_PAIRS);
}

static void put_drags(iso_json* json, const iso_live* live) {
    iso_json_begin_array(json, "drags");
    for (int i = 0; i < ISO_LIVE_DRAG_LIMIT; ++i) {
        const iso_live_drag* drag = &live->drags.drags[i];
        if (drag->client != 0) {
            iso_json_begin_object(json, NULL);
            iso_json_put_int(json, "body", drag->body);
            iso_json_put_vec3(json, "from", iso_live_drag_from(drag, live->world));
            iso_json_put_vec3(json, "to", drag->to);
            iso_json_put_vec3(json, "force", drag->force);
            iso_json_end_object(json);
        }
    }
    iso_json_end_array(json);
}

static void put_holds(iso_json* json, const iso_live* live) {
    int count = iso_world_actuator_count(live->world);
    iso_json_begin_array(json, "actuators");
    for (int i = 0; i < count; ++i) {
        iso_actuation told = iso_world_actuation(live->world, i);
        iso_json_put_float(json, NULL,
                           iso_live_takes_position(live->world, i) ? told.position
                                                                   : told.feed_forward);
    }
    iso_json_end_array(json);
    iso_json_begin_array(json, "held");
    for (int i = 0; i < count; ++i) {
        iso_json_put_bool(json, NULL, live->holds[i].is_on);
    }
    iso_json_end_array(json);
}

// What a frame says of the server, before the packed blocks: its length, and JSON filled up with
// spaces to a multiple of four bytes.
static void put_status(iso_bytes* out, const iso_live* live) {
    const iso_live_clock* clock = &live->clock;
    size_t start = out->size;
    iso_bytes_put_u32(out, 0);
    iso_json json = iso_json_make(out);
    iso_json_begin_object(&json, NULL);
    iso_json_put_bool(&json, "playing", clock->is_playing);
    iso_json_put_number(&json, "speed", clock->speed);
    iso_json_put_float(&json, "rate", clock->rate);
    iso_json_put_int(&json, "steps", iso_world_step_count(live->world));
    iso_json_put_text(&json, "notice", live->notice);
    put_drags(&json, live);
    put_holds(&json, live);
    iso_json_end_object(&json);
    while (!out->has_failed && (out->size - start) % 4 != 0) {
        iso_bytes_put_u8(out, ' ');
    }
    if (!out->has_failed) {
        iso_bytes_set_u32(out, start, (uint32_t)(out->size - start - 4));
    }
}

// As iso_world_snapshot(), but with the quick energy of contacts: the exact one takes as long as a
// step does.
static iso_status look(iso_arena* arena, const iso_world* world, iso_recorded_frame* out_frame) {
    int body_count = iso_world_body_count(world);
    int joint_count = iso_world_joint_count(world);
    int contact_count = iso_world_contact_count(world);
    iso_pose* poses = iso_arena_push_array(arena, body_count, sizeof *poses);
    double* positions = iso_arena_push_array(arena, joint_count, sizeof *positions);
    iso_contact* contacts = iso_arena_push_array(arena, contact_count, sizeof *contacts);
    ISO_REQUIRE(arena->ctx, poses && positions && contacts, ISO_ERR_MEMORY, "frame of %d bodies",
                body_count);
    for (int i = 0; i < body_count; ++i) {
        poses[i] = iso_world_body_pose(world, i);
    }
    for (int i = 0; i < joint_count; ++i) {
        positions[i] = iso_world_joint_position(world, i);
    }
    for (int i = 0; i < contact_count; ++i) {
        contacts[i] = iso_world_contact(world, i);
    }
    *out_frame = (iso_recorded_frame){.time = iso_world_time(world),
                                      .step_count = iso_world_step_count(world),
                                      .poses = poses,
                                      .joint_positions = positions,
                                      .contact_count = contact_count,
                                      .contacts = contacts,
                                      .energy = iso_world_energy(world)};
    return ISO_OK;
}

iso_status iso_live_send_frame(iso_live* live) {
    iso_recorded_frame frame;
    iso_status status = ISO_OK;
    ISO_TRY(iso_arena_reset(&live->frame_arena));
    if (iso_sensors_count(live->sensors) > 0) {
        ISO_TRY(iso_sensors_update(live->sensors, live->world));
    }
    ISO_TRY(look(&live->frame_arena, live->world, &frame));
    ISO_TRY(iso_sensors_snapshot(&live->frame_arena, live->sensors, &live->model, &frame));
    iso_bytes* out = iso_live_mailbox_begin(&live->box, ISO_LIVE_SLOT_FRAME);
    put_status(out, live);
    ISO_TRY(iso_pack_numbers(out, &live->model, &frame, &live->pairs));
    ISO_TRY(iso_pack_polygons(out, &frame));
    if (live->pairs.pairs.count != live->pairs_sent) {
        ISO_TRY(send_pairs(live));
    }
    ISO_TRY(iso_live_mailbox_publish(&live->box, ISO_LIVE_SLOT_FRAME));
    iso_live_server_wake(live->server);

done:
    return status;
}
