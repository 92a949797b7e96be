// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "base/core/log.h"
#include "geometry/mesh_files/polygon.h"
#include "geometry/mesh_files/surface_readers.h"
#include "geometry/mesh_text/lexer.h"

#include <string.h>

// A header of words says which elements follow, how many of each, and the properties of one; then
// they come one after the other, each on a line of its own or as bytes.

typedef enum ply_type {
    k_int8,
    k_uint8,
    k_int16,
    k_uint16,
    k_int32,
    k_uint32,
    k_float,
    k_double,
    k_type_count
} ply_type;

static const size_t k_sizes[k_type_count] = {1, 1, 2, 2, 4, 4, 4, 8};

typedef enum ply_role { k_x, k_y, k_z, k_corners, k_other } ply_role;
typedef enum ply_kind { k_vertex, k_face, k_strips, k_edge, k_unknown } ply_kind;

typedef struct ply_property {
    ply_role role;
    bool is_list;
    ply_type count_type; // of a list
    ply_type type;
} ply_property;

typedef struct ply_element {
    ply_kind kind;
    iso_word name;
    int64_t count;
    int first_property;
    int property_count;
} ply_element;

typedef struct ply_reader {
    iso_lexer lexer;
    iso_surface_source* source;
    iso_surface_builder* builder;
    bool is_text;
    bool is_big_endian;
    bool is_mirrored;
    bool is_in_line; // text: a value of the instance was read
    const ply_element* element;
    int64_t instance; // of element, counted from 0
    ISO_ARRAY(ply_element) elements;
    ISO_ARRAY(ply_property) properties;
    ISO_ARRAY(iso_vec3) vertices; // scaled
    ISO_ARRAY(double) indices;    // of a face
    ISO_ARRAY(iso_vec3) corners;
} ply_reader;

#define NAME_LENGTH(word) ((int)((word).length < 40 ? (word).length : 40))

static bool find_type(iso_word word, ply_type* out_type) {
    static const char* const k_names[2 * k_type_count] = {
        "char", "uchar", "short", "ushort", "int",   "uint",   "float",   "double",
        "int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"};
    for (int i = 0; i < 2 * k_type_count; ++i) {
        if (iso_word_is(word, k_names[i])) {
            *out_type = (ply_type)(i % k_type_count);
            return true;
        }
    }
    return false;
}

static iso_status read_format(ply_reader* r) {
    iso_word word = iso_lexer_next_word_in_line(&r->lexer);
    r->is_text = iso_word_is(word, "ascii");
    r->is_big_endian = iso_word_is(word, "binary_big_endian");
    if (!r->is_text && !r->is_big_endian && !iso_word_is(word, "binary_little_endian")) {
        return iso_lexer_fail_word(&r->lexer, word, "the format",
                                   "ascii, binary_little_endian or binary_big_endian");
    }
    return ISO_OK;
}

static iso_status read_element(ply_reader* r) {
    static const char* const k_names[] = {"vertex", "face", "tristrips", "edge"};
    ply_element element = {.kind = k_unknown, .first_property = r->properties.count};
    element.name = iso_lexer_next_word_in_line(&r->lexer);
    iso_word word = iso_lexer_next_word_in_line(&r->lexer);
    if (!iso_word_to_integer(word, &element.count) || element.count < 0) {
        return iso_lexer_fail_word(&r->lexer, word, "the number of an element", "0 or more");
    }
    for (int i = 0; i < (int)k_unknown; ++i) {
        element.kind = iso_word_is(element.name, k_names[i]) ? (ply_kind)i : element.kind;
    }
    for (int i = 0; element.kind == k_vertex && i < r->elements.count; ++i) {
        if (r->elements.data[i].kind == k_vertex) {
            return iso_lexer_fail(&r->lexer, ISO_ERR_PARSE, "element vertex is there twice");
        }
    }
    iso_status status = ISO_ARRAY_GROW(r->lexer.ctx, &r->elements);
    if (status == ISO_OK) {
        r->elements.data[r->elements.count++] = element;
    }
    return status;
}

static ply_role find_role(const ply_element* element, iso_word name, bool is_list) {
    static const char* const k_names[] = {"x", "y", "z"};
    for (int i = 0; element->kind == k_vertex && !is_list && i < 3; ++i) {
        if (iso_word_is(name, k_names[i])) {
            return (ply_role)i;
        }
    }
    bool has_corners = element->kind == k_face || element->kind == k_strips;
    bool is_named = iso_word_is(name, "vertex_indices") || iso_word_is(name, "vertex_index");
    return has_corners && is_list && is_named ? k_corners : k_other;
}

static iso_status read_property(ply_reader* r) {
    static const char k_types[] = "a type, as float or uint8";
    if (r->elements.count == 0) {
        return iso_lexer_fail(&r->lexer, ISO_ERR_PARSE, "a property comes before any element");
    }
    ply_element* element = &r->elements.data[r->elements.count - 1];
    ply_property property = {0};
    iso_word word = iso_lexer_next_word_in_line(&r->lexer);
    property.is_list = iso_word_is(word, "list");
    if (property.is_list) {
        word = iso_lexer_next_word_in_line(&r->lexer);
        if (!find_type(word, &property.count_type) || property.count_type >= k_float) {
            return iso_lexer_fail_word(&r->lexer, word, "the type of a count", "one of integers");
        }
        word = iso_lexer_next_word_in_line(&r->lexer);
    }
    if (!find_type(word, &property.type)) {
        return iso_lexer_fail_word(&r->lexer, word, "the type of a property", k_types);
    }
    word = iso_lexer_next_word_in_line(&r->lexer);
    property.role = find_role(element, word, property.is_list);
    iso_status status = ISO_ARRAY_GROW(r->lexer.ctx, &r->properties);
    if (status == ISO_OK) {
        r->properties.data[r->properties.count++] = property;
        ++element->property_count;
    }
    return status;
}

// Faces need corners, and vertices before them; vertices need three coordinates.
static iso_status check_header(ply_reader* r) {
    bool has_vertices = false;
    for (int i = 0; i < r->elements.count; ++i) {
        const ply_element* element = &r->elements.data[i];
        int seen[k_other + 1] = {0};
        for (int k = 0; k < element->property_count; ++k) {
            ++seen[r->properties.data[element->first_property + k].role];
        }
        bool is_whole = element->property_count > 0;
        if (element->kind == k_vertex) {
            is_whole = seen[k_x] == 1 && seen[k_y] == 1 && seen[k_z] == 1;
            has_vertices = true;
        } else if (element->kind == k_face || element->kind == k_strips) {
            is_whole = seen[k_corners] == 1 && has_vertices;
        }
        if (!is_whole && element->count > 0) {
            return iso_lexer_fail(&r->lexer, ISO_ERR_PARSE,
                                  "element '%.*s' is not whole, expected x, y, z of vertex, then a "
                                  "list vertex_indices of face",
                                  NAME_LENGTH(element->name), element->name.text);
        }
    }
    return ISO_OK;
}

static iso_status read_header(ply_reader* r) {
    iso_word word = iso_lexer_next_line(&r->lexer);
    if (!iso_word_is(word, "ply")) {
        r->lexer.line = 1;
        return iso_lexer_fail(&r->lexer, ISO_ERR_PARSE,
                              "not a .ply file, which would begin with a line 'ply'");
    }
    bool has_format = false;
    iso_status status = ISO_OK;
    while (status == ISO_OK) {
        word = iso_lexer_next_word_in_line(&r->lexer);
        if (iso_word_is(word, "format")) {
            has_format = true;
            status = read_format(r);
        } else if (iso_word_is(word, "element")) {
            status = read_element(r);
        } else if (iso_word_is(word, "property")) {
            status = read_property(r);
        } else if (iso_word_is(word, "end_header")) {
            break;
        } else if (!iso_word_is(word, "comment") && !iso_word_is(word, "obj_info") &&
                   (word.length > 0 || r->lexer.at == r->lexer.size)) {
            return iso_lexer_fail_word(&r->lexer, word, "the next line of the header",
                                       "format, element, property, comment or end_header");
        }
        if (status == ISO_OK) {
            iso_lexer_next_line(&r->lexer);
        }
    }
    if (status == ISO_OK && !has_format) {
        status = iso_lexer_fail(&r->lexer, ISO_ERR_PARSE, "the header has no line 'format'");
    }
    if (status == ISO_OK) {
        status = check_header(r);
    }
    iso_lexer_next_line(&r->lexer);
    r->lexer.has_read_bytes = !r->is_text;
    return status;
}

static iso_status fail_at_end(ply_reader* r) {
    return iso_lexer_fail(&r->lexer, ISO_ERR_PARSE, "the file ends in %.*s %lld of %lld",
                          NAME_LENGTH(r->element->name), r->element->name.text,
                          (long long)r->instance + 1, (long long)r->element->count);
}

static double decode(const ply_reader* r, ply_type type) {
    const unsigned char* bytes = r->lexer.bytes + r->lexer.at;
    size_t size = k_sizes[type];
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) {
        bits = bits << 8 | bytes[r->is_big_endian ? i : size - 1 - i];
    }
    uint32_t low = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case k_int8:
        return (double)(int8_t)low;
    case k_int16:
        return (double)(int16_t)low;
    case k_int32:
        return (double)(int32_t)low;
    case k_float:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case k_double:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return (double)low;
    }
}

static iso_status read_value(ply_reader* r, ply_type type, double* out_value) {
    iso_lexer* lexer = &r->lexer;
    if (!r->is_text) {
        if (lexer->size - lexer->at < k_sizes[type]) {
            return fail_at_end(r);
        }
        *out_value = decode(r, type);
        lexer->at += k_sizes[type];
        return ISO_OK;
    }
    iso_word word = r->is_in_line ? iso_lexer_next_word_in_line(lexer) : iso_lexer_next_word(lexer);
    r->is_in_line = true;
    if (word.length == 0) {
        return lexer->at == lexer->size
                   ? fail_at_end(r)
                   : iso_lexer_fail(lexer, ISO_ERR_PARSE, "%.*s %lld has too few values",
                                    NAME_LENGTH(r->element->name), r->element->name.text,
                                    (long long)r->instance + 1);
    }
    return iso_word_to_double(word, out_value)
               ? ISO_OK
               : iso_lexer_fail_word(lexer, word, "a value", "a finite number");
}

static iso_status read_list(ply_reader* r, const ply_property* property) {
    double count, value;
    iso_status status = read_value(r, property->count_type, &count);
    size_t left = r->lexer.size - r->lexer.at;
    size_t least = r->is_text ? 2 : k_sizes[property->type];
    if (status == ISO_OK &&
        (count < 0.0 || count != floor(count) || count > (double)(left / least + 1))) {
        status = iso_lexer_fail(&r->lexer, ISO_ERR_RANGE,
                                "a list of %.*s %lld has %g values, expected 0 or more that the "
                                "rest of the file (%zu bytes) has room for",
                                NAME_LENGTH(r->element->name), r->element->name.text,
                                (long long)r->instance + 1, count, left);
    }
    bool is_wanted = property->role == k_corners;
    if (status == ISO_OK && is_wanted && r->element->kind == k_face &&
        (count < 1.0 || count > ISO_POLYGON_MAX_CORNERS)) {
        status =
            iso_lexer_fail(&r->lexer, ISO_ERR_RANGE, "face %lld has %g corners, expected 1 to %d",
                           (long long)r->instance + 1, count, ISO_POLYGON_MAX_CORNERS);
    }
    r->indices.count = is_wanted ? 0 : r->indices.count;
    for (int64_t i = 0; status == ISO_OK && i < (int64_t)count; ++i) {
        status = read_value(r, property->type, &value);
        if (is_wanted && status == ISO_OK) {
            status = ISO_ARRAY_GROW(r->lexer.ctx, &r->indices);
        }
        if (is_wanted && status == ISO_OK) {
            r->indices.data[r->indices.count++] = value;
        }
    }
    return status;
}

static iso_status add_vertex(ply_reader* r, const double xyz[3]) {
    iso_vec3 p = iso_vec3_make(xyz[0], xyz[1], xyz[2]);
    if (!iso_vec3_is_finite(p)) {
        return iso_lexer_fail(&r->lexer, ISO_ERR_RANGE,
                              "vertex %lld is (%g, %g, %g), expected finite coordinates",
                              (long long)r->instance, p.x, p.y, p.z);
    }
    iso_status status = ISO_ARRAY_GROW(r->lexer.ctx, &r->vertices);
    if (status == ISO_OK) {
        r->vertices.data[r->vertices.count++] = iso_vec3_mul(p, r->source->scale);
    }
    return status;
}

static iso_status get_corner(ply_reader* r, double index, iso_vec3* out_corner) {
    if (!(index >= 0.0 && index < (double)r->vertices.count && index == floor(index))) {
        return iso_lexer_fail(&r->lexer, ISO_ERR_RANGE,
                              "%.*s %lld names vertex %g, expected 0 to %d",
                              NAME_LENGTH(r->element->name), r->element->name.text,
                              (long long)r->instance + 1, index, r->vertices.count - 1);
    }
    *out_corner = r->vertices.data[(int)index];
    return ISO_OK;
}

static iso_status say_where(const ply_reader* r, iso_status status) {
    return status == ISO_OK ? ISO_OK
                            : iso_fail_prefix(r->lexer.ctx, status, "%s: %.*s %lld", r->lexer.name,
                                              NAME_LENGTH(r->element->name), r->element->name.text,
                                              (long long)r->instance + 1);
}

static iso_status add_face(ply_reader* r) {
    int count = r->indices.count;
    iso_status status = ISO_ARRAY_RESERVE(r->lexer.ctx, &r->corners, count);
    for (int i = 0; status == ISO_OK && i < count; ++i) {
        status = get_corner(r, r->indices.data[i], &r->corners.data[i]);
    }
    if (status != ISO_OK || count < 3) { // a point or a line
        r->source->out_ignored_count += count < 3;
        return status;
    }
    return say_where(r, iso_surface_builder_add_polygon(r->lexer.ctx, r->builder, r->corners.data,
                                                        count, r->is_mirrored));
}

// Each index makes a triangle with the two before it, every other one turned; -1 begins anew.
static iso_status add_strips(ply_reader* r) {
    iso_vec3 corners[3] = {{0}};
    int length = 0;
    for (int i = 0; i < r->indices.count; ++i) {
        if (r->indices.data[i] == -1.0) {
            length = 0;
            continue;
        }
        corners[0] = corners[1];
        corners[1] = corners[2];
        iso_status status = get_corner(r, r->indices.data[i], &corners[2]);
        if (status == ISO_OK && ++length >= 3) {
            bool is_turned = (length % 2 == 0) != r->is_mirrored;
            iso_vec3 triangle[3] = {corners[is_turned], corners[!is_turned], corners[2]};
            status = say_where(r, iso_surface_builder_add(r->lexer.ctx, r->builder, triangle));
        }
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

static iso_status read_instance(ply_reader* r) {
    double values[k_other + 1] = {0.0};
    iso_status status = ISO_OK;
    r->is_in_line = false;
    for (int i = 0; status == ISO_OK && i < r->element->property_count; ++i) {
        const ply_property* property = &r->properties.data[r->element->first_property + i];
        status = property->is_list ? read_list(r, property)
                                   : read_value(r, property->type, &values[property->role]);
    }
    if (status == ISO_OK && r->is_text) {
        iso_word rest = iso_lexer_next_word_in_line(&r->lexer);
        if (rest.length > 0) {
            status = iso_lexer_fail(
                &r->lexer, ISO_ERR_PARSE, "%.*s %lld has more values than the header announces",
                NAME_LENGTH(r->element->name), r->element->name.text, (long long)r->instance + 1);
        }
    }
    if (status != ISO_OK) {
        return status;
    }
    switch (r->element->kind) {
    case k_vertex:
        return add_vertex(r, values);
    case k_face:
        return add_face(r);
    case k_strips:
        return add_strips(r);
    case k_edge:
        ++r->source->out_ignored_count;
        break;
    case k_unknown:
        break;
    }
    return ISO_OK;
}

// A header may announce anything: no more instances than the rest of the file has room for.
static iso_status read_instances(ply_reader* r) {
    const ply_element* element = r->element;
    if (element->count == 0) {
        return ISO_OK;
    }
    size_t least = 0, left = r->lexer.size - r->lexer.at;
    for (int i = 0; i < element->property_count; ++i) {
        const ply_property* property = &r->properties.data[element->first_property + i];
        ply_type type = property->is_list ? property->count_type : property->type;
        least += r->is_text ? 2 : k_sizes[type];
    }
    int64_t most = (int64_t)((left + r->is_text) / least); // the last line may lack its end
    if (element->count > most) {
        return iso_lexer_fail(&r->lexer, ISO_ERR_RANGE,
                              "%lld of element '%.*s' are announced, but the rest of the file (%zu "
                              "bytes) has room for at most %lld",
                              (long long)element->count, NAME_LENGTH(element->name),
                              element->name.text, left, (long long)most);
    }
    iso_status status = ISO_OK;
    for (r->instance = 0; status == ISO_OK && r->instance < element->count; ++r->instance) {
        status = read_instance(r);
    }
    return status;
}

static void warn_of_rest(const ply_reader* r) {
    const iso_lexer* lexer = &r->lexer;
    iso_word word = iso_lexer_peek_word(lexer); // in bytes, spaces are no matter
    if (word.length > 0) {
        const char* end = (const char*)lexer->bytes + lexer->size;
        iso_log(lexer->ctx, ISO_LOG_WARNING,
                "%s: what follows the elements of the header (%zu bytes) is left out", lexer->name,
                (size_t)(end - word.text));
    }
}

iso_status iso_ply_read(iso_context* ctx, iso_surface_source* source,
                        iso_surface_builder* builder) {
    iso_vec3 s = source->scale;
    ply_reader r = {.source = source,
                    .builder = builder,
                    .is_mirrored = ((s.x < 0.0) != (s.y < 0.0)) != (s.z < 0.0)};
    r.lexer = iso_lexer_make(ctx, source->name, source->bytes, source->size);
    iso_status status = read_header(&r);
    for (int i = 0; status == ISO_OK && i < r.elements.count; ++i) {
        r.element = &r.elements.data[i];
        status = read_instances(&r);
    }
    if (status == ISO_OK) {
        warn_of_rest(&r);
    }
    ISO_ARRAY_FREE(ctx, &r.elements);
    ISO_ARRAY_FREE(ctx, &r.properties);
    ISO_ARRAY_FREE(ctx, &r.vertices);
    ISO_ARRAY_FREE(ctx, &r.indices);
    ISO_ARRAY_FREE(ctx, &r.corners);
    return status;
}
