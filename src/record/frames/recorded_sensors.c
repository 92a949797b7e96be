// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/recorded_sensors.h"

#include "base/core/fail.h"
#include "record/frames/decode.h"
#include "record/frames/snapshot.h"
#include "record/json/json_fields.h"

#include <limits.h>
#include <string.h>

// Values of a tactile sensor before its cells, and of each cell; then there are blocks of one value
// of every cell: at most two, their states and readings. Old recordings have none.
#define TACTILE_HEAD 6
#define TACTILE_CELL 6
#define MOST_BLOCKS 2

int iso_recorded_sensor_name_of(const iso_recorded_sensor* sensor, int value, int* out_cell) {
    int cells = sensor->rows * sensor->columns, at = value - TACTILE_HEAD;
    *out_cell = -1;
    if (sensor->kind != ISO_SENSOR_TACTILE || at < 0) {
        return value;
    }
    bool is_in_block = at >= TACTILE_CELL * cells;
    *out_cell = is_in_block ? (at - TACTILE_CELL * cells) % cells : at / TACTILE_CELL;
    return TACTILE_HEAD + (is_in_block ? at / cells : at % TACTILE_CELL);
}

iso_status iso_sensors_describe(iso_arena* arena, const iso_world* world,
                                const iso_sensors* sensors, iso_recorded_model* model) {
    int count = iso_sensors_count(sensors);
    iso_recorded_sensor* list = iso_arena_push_array(arena, count, sizeof *list);
    ISO_REQUIRE(arena->ctx, list, ISO_ERR_MEMORY, "%d sensors", count);
    model->sensor_value_count = 0;
    for (int i = 0; i < count; ++i) {
        iso_sensor_desc desc = iso_sensors_desc(sensors, i);
        bool is_grid = desc.kind == ISO_SENSOR_TACTILE;
        iso_recorded_sensor* sensor = &list[i];
        *sensor = (iso_recorded_sensor){
            .name = desc.name,
            .kind = desc.kind,
            .body = iso_world_body_name(world, iso_sensors_body(sensors, i)),
            .x_bs = iso_sensors_frame(sensors, i),
            .rows = is_grid ? desc.rows : 0,
            .columns = is_grid ? desc.columns : 0,
            .width = is_grid ? desc.width : 0.0,
            .height = is_grid ? desc.height : 0.0,
            .value_index = model->sensor_value_count,
            .value_count = iso_sensors_value_count(sensors, i),
        };
        int first = is_grid ? TACTILE_HEAD + TACTILE_CELL : sensor->value_count;
        int cells = sensor->rows * sensor->columns;
        int blocks = is_grid ? (sensor->value_count - TACTILE_HEAD) / cells - TACTILE_CELL : 0;
        sensor->name_count = first + blocks;
        const char** names = iso_arena_push_array(arena, 2 * sensor->name_count, sizeof *names);
        ISO_REQUIRE(arena->ctx, names, ISO_ERR_MEMORY, "names of sensor '%s'", sensor->name);
        for (int k = 0; k < sensor->name_count; ++k) {
            int value = k < first ? k : TACTILE_HEAD + (k - TACTILE_HEAD) * cells;
            names[k] = iso_sensors_value_name(sensors, i, value);
            names[sensor->name_count + k] = iso_sensors_value_unit(sensors, i, value);
        }
        sensor->value_names = names;
        sensor->value_units = names + sensor->name_count;
        model->sensor_value_count += sensor->value_count;
    }
    model->sensors = list;
    model->sensor_count = count;
    return ISO_OK;
}

iso_status iso_sensors_snapshot(iso_arena* arena, const iso_sensors* sensors,
                                const iso_recorded_model* model, iso_recorded_frame* frame) {
    frame->sensor_values = NULL;
    if (model->sensor_count == 0) {
        return ISO_OK;
    }
    double* values = iso_arena_push_array(arena, model->sensor_value_count, sizeof *values);
    ISO_REQUIRE(arena->ctx, values, ISO_ERR_MEMORY, "%d values of sensors",
                model->sensor_value_count);
    for (int i = 0; i < model->sensor_count; ++i) {
        const iso_recorded_sensor* sensor = &model->sensors[i];
        memcpy(values + sensor->value_index, iso_sensors_values(sensors, i),
               (size_t)sensor->value_count * sizeof *values);
    }
    frame->sensor_values = values;
    return ISO_OK;
}

static iso_status decode_texts(const iso_json_doc* doc, const json_t* object, const char* key,
                               int count, const char* const** out_texts) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    json_t* array = NULL;
    iso_status status = iso_json_get_array_of(doc, object, key, count, &array);
    if (status != ISO_OK) {
        return status;
    }
    const char** texts = iso_arena_push_array(arena, count, sizeof *texts);
    ISO_REQUIRE(ctx, texts, ISO_ERR_MEMORY, "%d texts", count);
    for (int i = 0; i < count; ++i) {
        const char* text = json_string_value(json_array_get(array, (size_t)i));
        ISO_REQUIRE(ctx, text, ISO_ERR_PARSE, "\"%s\" has an element that is no text", key);
        char* copy = iso_arena_push(arena, strlen(text) + 1);
        ISO_REQUIRE(ctx, copy, ISO_ERR_MEMORY, "%d texts", count);
        memcpy(copy, text, strlen(text) + 1);
        texts[i] = copy;
    }
    *out_texts = texts;
    return ISO_OK;
}

static iso_status decode_sensor(const iso_json_doc* doc, const json_t* object,
                                iso_recorded_sensor* sensor) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    iso_status status = ISO_OK;
    int kind = 0;
    int64_t rows = 0, columns = 0, value_count = 0;
    const double *pose = NULL, *size = NULL;
    ISO_TRY(iso_json_copy_text(arena, object, "name", &sensor->name));
    ISO_TRY(iso_json_get_name(ctx, object, "kind", ISO_NAMES_SENSOR_KIND, &kind));
    ISO_TRY(iso_json_copy_text(arena, object, "body", &sensor->body));
    ISO_TRY(iso_json_get_numbers(doc, object, "pose", 7, &pose));
    ISO_TRY(iso_json_get_int(ctx, object, "rows", 0, 4096, &rows));
    ISO_TRY(iso_json_get_int(ctx, object, "columns", 0, 4096, &columns));
    ISO_TRY(iso_json_get_numbers(doc, object, "size", 2, &size));
    ISO_TRY(iso_json_get_int(ctx, object, "value_count", 0, 1 << 24, &value_count));
    sensor->kind = (iso_sensor_kind)kind;
    sensor->x_bs = iso_pose_from_numbers(pose);
    sensor->rows = (int)rows;
    sensor->columns = (int)columns;
    sensor->width = size[0];
    sensor->height = size[1];
    sensor->value_count = (int)value_count;
    bool is_grid = sensor->kind == ISO_SENSOR_TACTILE;
    int64_t cells = rows * columns;
    int64_t blocks = is_grid && cells > 0 ? (value_count - TACTILE_HEAD) / cells - TACTILE_CELL : 0;
    ISO_CHECK(ctx,
              !is_grid || (blocks >= 0 && blocks <= MOST_BLOCKS &&
                           value_count == TACTILE_HEAD + (TACTILE_CELL + blocks) * cells),
              ISO_ERR_PARSE, "sensor '%s' has %d values, expected those of %d x %d cells",
              sensor->name, (int)value_count, (int)rows, (int)columns);
    sensor->name_count = is_grid ? TACTILE_HEAD + TACTILE_CELL + (int)blocks : sensor->value_count;
    ISO_TRY(decode_texts(doc, object, "value_names", sensor->name_count, &sensor->value_names));
    ISO_TRY(decode_texts(doc, object, "value_units", sensor->name_count, &sensor->value_units));

done:
    return status;
}

iso_status iso_decode_recorded_sensors(const iso_json_doc* doc, iso_recorded_model* model) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    json_t* array = NULL;
    iso_status status = ISO_OK;
    if (!json_object_get(doc->root, "sensors")) {
        return ISO_OK;
    }
    ISO_TRY(iso_json_get_array(doc, doc->root, "sensors", &array, &model->sensor_count));
    iso_recorded_sensor* list = iso_arena_push_array(arena, model->sensor_count, sizeof *list);
    ISO_CHECK(ctx, list, ISO_ERR_MEMORY, "%d sensors", model->sensor_count);
    model->sensors = list;
    for (int i = 0; i < model->sensor_count; ++i) {
        list[i] = (iso_recorded_sensor){.value_index = model->sensor_value_count};
        ISO_TRY(decode_sensor(doc, json_array_get(array, (size_t)i), &list[i]));
        ISO_CHECK(ctx, model->sensor_value_count <= INT_MAX - list[i].value_count, ISO_ERR_PARSE,
                  "the sensors have too many values");
        model->sensor_value_count += list[i].value_count;
    }

done:
    return status;
}

iso_status iso_decode_sensors(iso_arena* arena, const char* text, size_t size,
                              const iso_recorded_model* model, iso_recorded_frame* frame) {
    iso_context* ctx = arena->ctx;
    iso_json_doc doc;
    json_t* array = NULL;
    iso_status status = iso_json_parse(arena, text, size, &doc);
    if (status != ISO_OK) {
        return status;
    }
    double* values = iso_arena_push_array(arena, model->sensor_value_count, sizeof *values);
    ISO_CHECK(ctx, values, ISO_ERR_MEMORY, "%d values of sensors", model->sensor_value_count);
    ISO_TRY(iso_json_get_array_of(&doc, doc.root, "sensors", model->sensor_count, &array));
    for (int i = 0; i < model->sensor_count; ++i) {
        const iso_recorded_sensor* sensor = &model->sensors[i];
        const double* read = NULL;
        ISO_TRY(iso_json_get_numbers(&doc, json_array_get(array, (size_t)i), "values",
                                     sensor->value_count, &read));
        memcpy(values + sensor->value_index, read, (size_t)sensor->value_count * sizeof *values);
    }
    frame->sensor_values = values;

done:
    iso_json_release(&doc);
    return status;
}
