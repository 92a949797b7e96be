// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "live/command.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { k_most_steps = 100000 };

// Places beyond have no use in a world [m].
#define FARTHEST 1e9

// What a command must have beside its name.
enum { k_index = 1, k_value = 2, k_count = 4, k_points = 8, k_text = 16 };

static const struct {
    const char* name;
    iso_live_command_kind kind;
    int needs;
} k_commands[] = {
    {"play", ISO_LIVE_PLAY, 0},
    {"pause", ISO_LIVE_PAUSE, 0},
    {"step", ISO_LIVE_STEP, k_count},
    {"speed", ISO_LIVE_SPEED, k_value},
    {"reset", ISO_LIVE_RESET, 0},
    {"drag", ISO_LIVE_DRAG, k_index | k_points},
    {"release", ISO_LIVE_RELEASE, 0},
    {"joint", ISO_LIVE_JOINT, k_index | k_value},
    {"actuator", ISO_LIVE_ACTUATOR, k_index | k_value},
    {"free", ISO_LIVE_FREE, k_index},
    {"set", ISO_LIVE_SET, k_text},
    {"reload", ISO_LIVE_RELOAD, 0},
};

static bool read_int(const json_t* object, const char* key, int low, int high, int* out_value) {
    const json_t* value = json_object_get(object, key);
    json_int_t number = json_integer_value(value);
    *out_value = (int)number;
    return json_is_integer(value) && number >= low && number <= high;
}

static bool read_number(const json_t* value, double* out_value) {
    *out_value = json_number_value(value);
    return json_is_number(value) && isfinite(*out_value);
}

static bool read_vec3(const json_t* object, const char* key, iso_vec3* out_value) {
    const json_t* value = json_object_get(object, key);
    return json_array_size(value) == 3 && read_number(json_array_get(value, 0), &out_value->x) &&
           read_number(json_array_get(value, 1), &out_value->y) &&
           read_number(json_array_get(value, 2), &out_value->z) &&
           iso_vec3_norm(*out_value) <= FARTHEST;
}

static bool read_text(const json_t* object, char* out_text, size_t room) {
    const char* text = json_string_value(json_object_get(object, "setting"));
    if (text == NULL || strlen(text) >= room || strchr(text, '=') == NULL || text[0] == '=') {
        return false;
    }
    memcpy(out_text, text, strlen(text) + 1);
    return true;
}

// NULL when all that is needed is there.
static const char* read_members(const json_t* object, int needs, iso_live_command* command) {
    if ((needs & k_index) && !read_int(object, "index", 0, INT32_MAX, &command->index)) {
        return "index is missing, expected a whole number, 0 or above";
    }
    if ((needs & k_count) && !read_int(object, "count", 1, k_most_steps, &command->count)) {
        return "count is missing, expected a whole number, 1 to 100000";
    }
    if ((needs & k_value) && !read_number(json_object_get(object, "value"), &command->value)) {
        return "value is missing, expected a finite number";
    }
    if ((needs & k_points) &&
        !(read_vec3(object, "at", &command->at) && read_vec3(object, "to", &command->to))) {
        return "at or to is missing, expected three numbers each, at most 1e9 m from the origin";
    }
    if ((needs & k_text) && !read_text(object, command->text, sizeof command->text)) {
        return "setting is missing, expected PATH=VALUE of at most 255 bytes";
    }
    return NULL;
}

bool iso_live_read_command(const char* text, size_t size, iso_live_command* out_command,
                           const char** out_reason) {
    json_t* object = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const char* name = json_string_value(json_object_get(object, "do"));
    const char* reason = object == NULL ? "not JSON" : "do is missing or no known command";
    memset(out_command, 0, sizeof *out_command);
    for (size_t i = 0; name != NULL && i < sizeof k_commands / sizeof k_commands[0]; ++i) {
        if (strcmp(name, k_commands[i].name) == 0) {
            out_command->kind = k_commands[i].kind;
            reason = read_members(object, k_commands[i].needs, out_command);
            break;
        }
    }
    json_decref(object);
    if (reason != NULL) {
        *out_reason = reason;
        memset(out_command, 0, sizeof *out_command);
    }
    return reason == NULL;
}
