// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/run/run_events.h"

#include "isobar/names.h"

#include <stdio.h>

enum { k_most_printed = 40 };

void cli_events_add(json_t* list, const iso_world* world) {
    for (int i = 0; i < iso_world_event_count(world); ++i) {
        iso_event event = iso_world_event(world, i);
        const char* kind = iso_name_of(ISO_NAMES_EVENT_KIND, (int)event.kind);
        json_array_append_new(
            list, event.kind == ISO_EVENT_LEVEL
                      ? json_pack("{s:s,s:f,s:s,s:i}", "kind", kind, "time", event.time, "name",
                                  event.function_name, "direction", event.direction)
                      : json_pack("{s:s,s:f,s:[s,s],s:[s,s]}", "kind", kind, "time", event.time,
                                  "bodies", iso_world_body_name(world, event.body_a),
                                  iso_world_body_name(world, event.body_b), "geometries",
                                  event.geometry_name_a, event.geometry_name_b));
    }
}

static const char* text_at(const json_t* event, const char* key, size_t index) {
    return json_string_value(json_array_get(json_object_get(event, key), index));
}

void cli_events_print(const json_t* list) {
    size_t count = json_array_size(list);
    size_t printed = count < k_most_printed ? count : k_most_printed;
    if (count > 0) {
        printf("%-16s time [s]      between\n", "event");
    }
    for (size_t i = 0; i < printed; ++i) {
        const json_t* event = json_array_get(list, i);
        const char* name = json_string_value(json_object_get(event, "name"));
        if (name) {
            bool rises = json_integer_value(json_object_get(event, "direction")) > 0;
            printf("%-16s %-13.9g %s %s\n", json_string_value(json_object_get(event, "kind")),
                   json_real_value(json_object_get(event, "time")), name,
                   rises ? "rises" : "falls");
            continue;
        }
        printf("%-16s %-13.9g %s::%s | %s::%s\n", json_string_value(json_object_get(event, "kind")),
               json_real_value(json_object_get(event, "time")), text_at(event, "bodies", 0),
               text_at(event, "geometries", 0), text_at(event, "bodies", 1),
               text_at(event, "geometries", 1));
    }
    if (printed < count) {
        printf("and %zu events more (--json has all)\n", count - printed);
    }
}

void cli_criteria_print(json_t* programs) {
    const char* name = NULL;
    json_t* program = NULL;
    json_object_foreach(programs, name, program) {
        if (!json_is_true(json_object_get(program, "is_criterion"))) {
            continue;
        }
        if (json_is_true(json_object_get(program, "is_done"))) {
            printf("criterion %s: met at t = %g s\n", name,
                   json_real_value(json_object_get(program, "step_time")));
        } else {
            printf("criterion %s: not met\n", name);
        }
    }
}
