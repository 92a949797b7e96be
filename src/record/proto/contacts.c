// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/proto/contacts.h"

#include "base/core/fail.h"
#include "base/core/text.h"
#include "record/proto/proto_read.h"
#include "record/proto/proto_schema.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { k_time = 1, k_contacts };
enum {
    k_a = 1,
    k_b,
    k_geometry_a,
    k_geometry_b,
    k_body_a,
    k_body_b,
    k_is_rigid_a,
    k_is_rigid_b,
    k_faces,
    k_area,
    k_force,
    k_moment,
    k_center_of_pressure,
    k_centroid,
    k_max_pressure,
    k_elastic_energy,
    k_is_energy_exact,
    k_extent_a,
    k_extent_b,
    k_sheet_thickness,
    k_sheet_depth,
    k_model,
    k_manifold,
    k_normal,
    k_polygons,
};
enum { k_counts = 1, k_first_array };

static const iso_proto_message k_messages[] = {
    {"Contacts", "double time, *Contact contacts", NULL},
    {"Contact",
     "string a, string b, string geometry_a, string geometry_b, int32 body_a, int32 body_b, "
     "bool is_rigid_a, bool is_rigid_b, int32 faces, double area, *double force, *double moment, "
     "*double center_of_pressure, *double centroid, double max_pressure, double elastic_energy, "
     "bool is_energy_exact, double extent_a, double extent_b, double sheet_thickness, "
     "double sheet_depth, string model, int32 manifold, *double normal, Polygons polygons",
     NULL},
    {"Polygons",
     "*int32 counts, *double vertices, *double vertex_pressures, *double areas, "
     "*double centroids, *double normals, *double pressures, *double tractions, "
     "*double slip_velocities, *double stretches, *double sliding",
     NULL},
};

void iso_contacts_put_schema(iso_bytes* out) {
    static const iso_proto_file file = {
        .name = "isobar/contacts.proto",
        .package = "isobar",
        .message_count = sizeof k_messages / sizeof k_messages[0],
        .messages = k_messages,
    };
    iso_proto_put_schema(out, &file, 1);
}

#define PLACE(member) offsetof(iso_contact, member)

// Numbers and vectors of a contact.
static const struct {
    int field, count;
    size_t place;
} k_numbers[] = {
    {k_area, 1, PLACE(patch.area)},
    {k_force, 3, PLACE(f_b_w.translational)},
    {k_moment, 3, PLACE(f_b_w.rotational)},
    {k_center_of_pressure, 3, PLACE(patch.center_of_pressure)},
    {k_centroid, 3, PLACE(patch.centroid)},
    {k_max_pressure, 1, PLACE(patch.max_pressure)},
    {k_elastic_energy, 1, PLACE(elastic_energy)},
    {k_extent_a, 1, PLACE(extent_a)},
    {k_extent_b, 1, PLACE(extent_b)},
    {k_sheet_thickness, 1, PLACE(sheet_thickness)},
    {k_sheet_depth, 1, PLACE(sheet_depth)},
    {k_normal, 3, PLACE(normal)},
};
#define NUMBER_COUNT (sizeof k_numbers / sizeof k_numbers[0])

static const struct {
    int field;
    size_t place;
} k_flags[] = {
    {k_is_rigid_a, PLACE(patch.is_rigid_a)},
    {k_is_rigid_b, PLACE(patch.is_rigid_b)},
    {k_is_energy_exact, PLACE(is_energy_exact)},
};
#define FLAG_COUNT (sizeof k_flags / sizeof k_flags[0])

// Arrays of faces, fields from k_first_array on: where their pointers lie.
static const struct {
    const char* name;
    bool is_of_vertices; ///< else one entry per face
    int components;
    size_t place;
} k_arrays[] = {
    {"vertices", true, 3, PLACE(patch.vertices)},
    {"vertex_pressures", true, 1, PLACE(patch.vertex_pressures)},
    {"areas", false, 1, PLACE(patch.areas)},
    {"centroids", false, 3, PLACE(patch.centroids)},
    {"normals", false, 3, PLACE(patch.normals)},
    {"pressures", false, 1, PLACE(patch.pressures)},
    {"tractions", false, 3, PLACE(tractions)},
    {"slip_velocities", false, 3, PLACE(slip_velocities)},
    {"stretches", false, 3, PLACE(stretches)}, // of friction with springs
    {"sliding", false, 1, PLACE(sliding)},
};
#define ARRAY_COUNT (sizeof k_arrays / sizeof k_arrays[0])
// The first of the last two, of which friction with springs has both and other friction none.
#define FIRST_OF_SPRINGS (ARRAY_COUNT - 2)

static int array_size(const iso_patch* patch, size_t array) {
    int entries = k_arrays[array].is_of_vertices ? patch->vertex_count : patch->face_count;
    return k_arrays[array].components * entries;
}

static void put_faces(iso_bytes* out, const iso_contact* contact) {
    const iso_patch* patch = &contact->patch;
    size_t start = iso_proto_begin(out, k_polygons), counts = iso_proto_begin(out, k_counts);
    for (int f = 0; f < patch->face_count; ++f) {
        int count = patch->face_offsets[f + 1] - patch->face_offsets[f];
        iso_proto_put_varint(out, (uint64_t)count);
    }
    iso_proto_end(out, counts);
    size_t arrays = contact->stretches && contact->sliding ? ARRAY_COUNT : FIRST_OF_SPRINGS;
    for (size_t i = 0; i < arrays; ++i) {
        const double* values;
        memcpy(&values, (const char*)contact + k_arrays[i].place, sizeof values);
        iso_proto_put_doubles(out, k_first_array + (int)i, values, array_size(patch, i));
    }
    iso_proto_end(out, start);
}

static void put_contact(iso_bytes* out, const iso_contact* contact, bool with_faces) {
    const iso_patch* patch = &contact->patch;
    const char* start_of = (const char*)contact;
    size_t start = iso_proto_begin(out, k_contacts);
    iso_proto_put_text(out, k_a, contact->body_name_a);
    iso_proto_put_text(out, k_b, contact->body_name_b);
    iso_proto_put_text(out, k_geometry_a, contact->geometry_name_a);
    iso_proto_put_text(out, k_geometry_b, contact->geometry_name_b);
    iso_proto_put_int(out, k_body_a, contact->body_a);
    iso_proto_put_int(out, k_body_b, contact->body_b);
    iso_proto_put_int(out, k_faces, patch->face_count);
    iso_proto_put_text(out, k_model, contact->model ? contact->model : "");
    iso_proto_put_int(out, k_manifold, (int)contact->manifold);
    for (size_t i = 0; i < FLAG_COUNT; ++i) {
        iso_proto_put_int(out, k_flags[i].field, *(const bool*)(start_of + k_flags[i].place));
    }
    for (size_t i = 0; i < NUMBER_COUNT; ++i) {
        double values[3];
        int count = k_numbers[i].count;
        memcpy(values, start_of + k_numbers[i].place, (size_t)count * sizeof values[0]);
        if (count == 1) {
            iso_proto_put_double(out, k_numbers[i].field, values[0]);
        } else {
            iso_proto_put_doubles(out, k_numbers[i].field, values, count);
        }
    }
    if (with_faces && patch->face_offsets) {
        put_faces(out, contact);
    }
    iso_proto_end(out, start);
}

void iso_contacts_put(iso_bytes* out, const iso_recorded_frame* frame, bool with_faces) {
    iso_proto_put_double(out, k_time, frame->time);
    for (int i = 0; i < frame->contact_count; ++i) {
        put_contact(out, &frame->contacts[i], with_faces);
    }
}

// The name of a field of a message of k_messages, for errors: up to 31 characters.
static void name_field(const iso_proto_message* message, int number, char out_name[32]) {
    const char* at = message->fields;
    for (int i = 1; at && i < number; ++i) {
        at = strchr(at, ',');
        at = at ? at + 2 : NULL;
    }
    at = at && number > 0 ? strchr(at, ' ') : NULL;
    size_t length = at ? strcspn(at + 1, ",") : 0;
    length = length < 31 ? length : 31;
    memcpy(out_name, at ? at + 1 : "", length);
    out_name[length] = '\0';
}

static iso_status fail_field(iso_context* ctx, int message, const iso_proto_field* field,
                             const char* expected) {
    char name[32];
    name_field(&k_messages[message], field->number, name);
    return iso_fail(ctx, ISO_ERR_PARSE, __func__, "field %d \"%s\" of isobar.%s: expected %s",
                    field->number, name, k_messages[message].name, expected);
}

static iso_status check_end(iso_context* ctx, int message, const iso_proto_field* field) {
    ISO_REQUIRE(ctx, !field->is_bad, ISO_ERR_PARSE,
                "isobar.%s is damaged with %td bytes to go, expected a field or the end",
                k_messages[message].name, field->end - field->at);
    return ISO_OK;
}

// So many packed doubles, copied.
static iso_status take_doubles(iso_context* ctx, int message, const iso_proto_field* field,
                               int count, double* out_values) {
    if (field->wire != ISO_PROTO_SIZED || field->size != 8 * (size_t)count) {
        char expected[48];
        snprintf(expected, sizeof expected, "%d packed doubles", count);
        return fail_field(ctx, message, field, expected);
    }
    for (int i = 0; i < count; ++i) {
        out_values[i] = iso_proto_double(iso_load_u64(field->data + 8 * (size_t)i));
    }
    return ISO_OK;
}

// Vertices per face become offsets into the vertices.
static iso_status take_counts(iso_arena* arena, const iso_proto_field* field, iso_patch* patch) {
    const unsigned char *at = field->data, *end = field->data + field->size;
    int n = patch->face_count;
    // Every count takes a byte at least: no more is allocated than the message is long. Once only:
    // arrays have their length from it.
    if (field->wire != ISO_PROTO_SIZED || (size_t)n > field->size || patch->face_offsets) {
        return fail_field(arena->ctx, 2, field, "once a number for every face");
    }
    int* offsets = iso_arena_push_array(arena, n + 1, sizeof *offsets);
    ISO_REQUIRE(arena->ctx, offsets, ISO_ERR_MEMORY, "offsets of %d faces", n);
    offsets[0] = 0;
    for (int f = 0; f < n; ++f) {
        uint64_t count;
        if (!iso_proto_take_varint(&at, end, &count) || count < 3 || count > 1 << 20 ||
            offsets[f] > INT_MAX / 3 - (int)count) {
            return fail_field(arena->ctx, 2, field, "3 to 1048576 vertices for every face");
        }
        offsets[f + 1] = offsets[f] + (int)count;
    }
    if (at != end) {
        return fail_field(arena->ctx, 2, field, "a number for every face");
    }
    patch->face_offsets = offsets;
    patch->vertex_count = offsets[n];
    return ISO_OK;
}

static iso_status take_array(iso_arena* arena, const iso_proto_field* field, iso_contact* contact) {
    size_t array = (size_t)(field->number - k_first_array);
    int size = array_size(&contact->patch, array);
    // Checked first, so that no more is allocated than the message is long.
    bool is_fitting = field->wire == ISO_PROTO_SIZED && field->size == 8 * (size_t)size;
    double* values = is_fitting ? iso_arena_push_array(arena, size, sizeof *values) : NULL;
    ISO_REQUIRE(arena->ctx, values || !is_fitting, ISO_ERR_MEMORY, "%d numbers", size);
    iso_status status = take_doubles(arena->ctx, 2, field, size, values);
    if (status == ISO_OK) {
        memcpy((char*)contact + k_arrays[array].place, &values, sizeof values);
    }
    return status;
}

// Counts come first: they say how long the arrays are.
static iso_status read_faces(iso_arena* arena, const iso_proto_field* polygons,
                             iso_contact* contact) {
    iso_proto_field field = iso_proto_read(polygons->data, polygons->size);
    iso_status status = ISO_OK;
    unsigned found = 0;
    while (status == ISO_OK && iso_proto_next(&field)) {
        if (field.number == k_counts) {
            status = take_counts(arena, &field, &contact->patch);
        } else if (field.number < k_first_array + (int)ARRAY_COUNT) {
            status = contact->patch.face_offsets
                         ? take_array(arena, &field, contact)
                         : fail_field(arena->ctx, 2, &field, "\"counts\" before it");
        }
        found |= field.number < 31 ? 1u << field.number : 0u;
    }
    const unsigned springs = 3u << (k_first_array + (int)FIRST_OF_SPRINGS);
    size_t arrays = (found & springs) != 0 ? ARRAY_COUNT : FIRST_OF_SPRINGS;
    for (int i = k_counts; status == ISO_OK && i < k_first_array + (int)arrays; ++i) {
        iso_proto_field missing = {.number = i};
        if ((found & 1u << i) == 0) {
            status = fail_field(arena->ctx, 2, &missing, "to be there");
        }
    }
    return status == ISO_OK ? check_end(arena->ctx, 2, &field) : status;
}

static iso_status take_text(iso_arena* arena, const iso_proto_field* field, const char** out_text) {
    if (field->wire != ISO_PROTO_SIZED) {
        return fail_field(arena->ctx, 1, field, "a text");
    }
    char* text = iso_arena_push(arena, field->size + 1);
    ISO_REQUIRE(arena->ctx, text, ISO_ERR_MEMORY, "text of %zu bytes", field->size);
    memcpy(text, field->data, field->size);
    text[field->size] = '\0';
    *out_text = text;
    return strlen(text) == field->size && iso_text_is_utf8(text)
               ? ISO_OK
               : fail_field(arena->ctx, 1, field, "UTF-8");
}

static iso_status take_int(iso_context* ctx, const iso_proto_field* field, int low, int high,
                           int* out_value) {
    int64_t value = (int64_t)field->value;
    if (field->wire != ISO_PROTO_VARINT || value < low || value > high) {
        char expected[48];
        snprintf(expected, sizeof expected, "%d to %d", low, high);
        return fail_field(ctx, 1, field, expected);
    }
    *out_value = (int)value;
    return ISO_OK;
}

static iso_status take_number(iso_context* ctx, const iso_proto_field* field,
                              iso_contact* contact) {
    char* place = (char*)contact;
    for (size_t i = 0; i < FLAG_COUNT; ++i) {
        if (k_flags[i].field == field->number) {
            int value = 0;
            iso_status status = take_int(ctx, field, 0, 1, &value);
            *(bool*)(place + k_flags[i].place) = value != 0;
            return status;
        }
    }
    for (size_t i = 0; i < NUMBER_COUNT; ++i) {
        double values[3] = {iso_proto_double(field->value)};
        int count = k_numbers[i].count;
        if (k_numbers[i].field != field->number) {
            continue;
        }
        if (count == 1 && field->wire != ISO_PROTO_FIXED64) {
            return fail_field(ctx, 1, field, "a double");
        }
        iso_status status = count == 1 ? ISO_OK : take_doubles(ctx, 1, field, count, values);
        memcpy(place + k_numbers[i].place, values, (size_t)count * sizeof values[0]);
        return status;
    }
    return ISO_OK; // of a later version
}

static iso_status take_field(iso_arena* arena, const iso_proto_field* field,
                             const iso_recorded_model* model, iso_contact* contact) {
    int last = model->body_count - 1, manifold = 0;
    iso_status status;
    switch (field->number) {
    case k_geometry_a:
        return take_text(arena, field, &contact->geometry_name_a);
    case k_geometry_b:
        return take_text(arena, field, &contact->geometry_name_b);
    case k_model:
        return take_text(arena, field, &contact->model);
    case k_body_a:
        return take_int(arena->ctx, field, 0, last, &contact->body_a);
    case k_body_b:
        return take_int(arena->ctx, field, 0, last, &contact->body_b);
    case k_faces:
        if (contact->patch.face_offsets) {
            return fail_field(arena->ctx, 1, field, "\"polygons\" after it");
        }
        return take_int(arena->ctx, field, 0, INT_MAX / 3, &contact->patch.face_count);
    case k_manifold:
        status = take_int(arena->ctx, field, ISO_MANIFOLD_PATCH, ISO_MANIFOLD_VOLUME, &manifold);
        contact->manifold = (iso_manifold_kind)manifold;
        return status;
    case k_polygons:
        return field->wire == ISO_PROTO_SIZED ? read_faces(arena, field, contact)
                                              : fail_field(arena->ctx, 1, field, "a message");
    default:
        return take_number(arena->ctx, field, contact);
    }
}

static iso_status read_contact(iso_arena* arena, const iso_proto_field* message,
                               const iso_recorded_model* model, iso_contact* contact) {
    iso_proto_field field = iso_proto_read(message->data, message->size);
    iso_status status = ISO_OK;
    *contact = (iso_contact){.geometry_name_a = "",
                             .geometry_name_b = "",
                             .model = "pressure_field",
                             .manifold = ISO_MANIFOLD_PATCH};
    ISO_REQUIRE(arena->ctx, model->body_count > 0, ISO_ERR_PARSE, "contact of no bodies");
    while (status == ISO_OK && iso_proto_next(&field)) {
        status = take_field(arena, &field, model, contact);
    }
    contact->body_name_a = model->bodies[contact->body_a].name;
    contact->body_name_b = model->bodies[contact->body_b].name;
    return status == ISO_OK ? check_end(arena->ctx, 1, &field) : status;
}

static int count_contacts(const char* data, size_t size) {
    iso_proto_field field = iso_proto_read(data, size);
    int count = 0;
    while (iso_proto_next(&field)) {
        count += field.number == k_contacts && field.wire == ISO_PROTO_SIZED && count < INT_MAX;
    }
    return count;
}

iso_status iso_contacts_read(iso_arena* arena, const char* data, size_t size,
                             const iso_recorded_model* model, iso_recorded_frame* frame) {
    int count = count_contacts(data, size);
    iso_contact* contacts = iso_arena_push_array(arena, count, sizeof *contacts);
    ISO_REQUIRE(arena->ctx, contacts, ISO_ERR_MEMORY, "%d contacts", count);
    iso_proto_field field = iso_proto_read(data, size);
    iso_status status = ISO_OK;
    int filled = 0;
    while (status == ISO_OK && iso_proto_next(&field)) {
        if (field.number == k_contacts && field.wire == ISO_PROTO_SIZED) {
            status = read_contact(arena, &field, model, &contacts[filled++]);
        }
    }
    frame->contacts = contacts;
    frame->contact_count = filled;
    return status == ISO_OK ? check_end(arena->ctx, 0, &field) : status;
}
