// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/polygon.h"
#include "geometry/mesh_files/surface_readers.h"
#include "geometry/mesh_text/lexer.h"

typedef struct obj_reader {
    iso_lexer lexer;
    iso_surface_source* source;
    iso_surface_builder* builder;
    ISO_ARRAY(iso_vec3) vertices; // scaled
    int seen_count;               // v lines passed, to which negative indices relate
    bool is_mirrored;
    ISO_ARRAY(iso_vec3) corners; // of the face being read
} obj_reader;

static bool at_line_end(const iso_lexer* lexer) {
    size_t at = lexer->at;
    at += at < lexer->size && lexer->bytes[at] == '\r';
    return at < lexer->size && lexer->bytes[at] == '\n';
}

// Next word of a statement, length 0 at its end. A backslash at the end of a line continues it.
static iso_word next_word(iso_lexer* lexer) {
    iso_word word = iso_lexer_next_word_in_line(lexer);
    while (word.length > 0 && word.text[word.length - 1] == '\\' && at_line_end(lexer)) {
        iso_lexer_next_line(lexer);
        if (--word.length == 0) {
            word = iso_lexer_next_word_in_line(lexer);
        }
    }
    if (word.length > 0 && word.text[0] == '#') {
        word.length = 0; // a comment: the caller passes to the next line
    }
    return word;
}

static iso_status read_vertex(obj_reader* r) {
    double xyz[3];
    for (int k = 0; k < 3; ++k) {
        iso_word word = next_word(&r->lexer);
        if (!iso_word_to_double(word, &xyz[k])) {
            return iso_lexer_fail(&r->lexer, ISO_ERR_PARSE,
                                  "coordinate %c of vertex %d is '%.*s', expected a finite number",
                                  "xyz"[k], r -> vertices.count + 1,
                                  (int)(word.length < 40 ? word.length : 40), word.text);
        }
    }
    iso_status status = ISO_ARRAY_GROW(r->lexer.ctx, &r->vertices);
    if (status == ISO_OK) {
        iso_vec3 p = iso_vec3_make(xyz[0], xyz[1], xyz[2]);
        r->vertices.data[r->vertices.count++] = iso_vec3_mul(p, r->source->scale);
    }
    return status;
}

// "7", "7/1", "7//3" or "-1/2/3": the vertex is what stands before the first slash.
static iso_status resolve_corner(obj_reader* r, iso_word word, iso_vec3* out_corner) {
    iso_word index_word = word;
    for (size_t i = 0; i < word.length; ++i) {
        if (word.text[i] == '/') {
            index_word.length = i;
            break;
        }
    }
    int64_t index;
    if (!iso_word_to_integer(index_word, &index)) {
        return iso_lexer_fail(&r->lexer, ISO_ERR_PARSE,
                              "a corner of a face is '%.*s', expected a vertex number",
                              (int)(word.length < 40 ? word.length : 40), word.text);
    }
    int64_t at = index > 0 ? index - 1 : r->seen_count + index;
    if (index == 0 || at < 0 || at >= r->vertices.count) {
        return iso_lexer_fail(&r->lexer, ISO_ERR_RANGE,
                              "a face names vertex %lld, expected 1 to %d or -%d to -1",
                              (long long)index, r->vertices.count, r->seen_count);
    }
    *out_corner = r->vertices.data[at];
    return ISO_OK;
}

static iso_status read_face(obj_reader* r) {
    r->corners.count = 0;
    for (;;) {
        iso_word word = next_word(&r->lexer);
        if (word.length == 0) {
            break;
        }
        iso_vec3 corner;
        iso_status status = resolve_corner(r, word, &corner);
        if (status == ISO_OK) {
            status = ISO_ARRAY_GROW(r->lexer.ctx, &r->corners);
        }
        if (status != ISO_OK) {
            return status;
        }
        r->corners.data[r->corners.count++] = corner;
    }
    int count = r->corners.count;
    if (count < 3 || count > ISO_POLYGON_MAX_CORNERS) {
        return iso_lexer_fail(&r->lexer, ISO_ERR_RANGE, "a face has %d corners, expected 3 to %d",
                              count, ISO_POLYGON_MAX_CORNERS);
    }
    iso_status status = iso_surface_builder_add_polygon(r->lexer.ctx, r->builder, r->corners.data,
                                                        count, r->is_mirrored);
    return status == ISO_OK
               ? ISO_OK
               : iso_fail_prefix(r->lexer.ctx, status, "%s:%d", r->lexer.name, r->lexer.line);
}

// One pass over the file: the vertices, then everything that names them.
static iso_status read_pass(obj_reader* r, bool wants_vertices) {
    iso_status status = ISO_OK;
    while (r->lexer.at < r->lexer.size && status == ISO_OK) {
        iso_word keyword = next_word(&r->lexer);
        if (iso_word_is(keyword, "v")) {
            ++r->seen_count;
            status = wants_vertices ? read_vertex(r) : ISO_OK;
        } else if (!wants_vertices && iso_word_is(keyword, "f")) {
            status = read_face(r);
        } else if (!wants_vertices && (iso_word_is(keyword, "l") || iso_word_is(keyword, "p"))) {
            ++r->source->out_ignored_count;
        }
        iso_lexer_next_line(&r->lexer);
    }
    return status;
}

iso_status iso_obj_read(iso_context* ctx, iso_surface_source* source,
                        iso_surface_builder* builder) {
    iso_vec3 s = source->scale;
    obj_reader r = {.source = source,
                    .builder = builder,
                    .is_mirrored = ((s.x < 0.0) != (s.y < 0.0)) != (s.z < 0.0)};
    r.lexer = iso_lexer_make(ctx, source->name, source->bytes, source->size);
    iso_status status = read_pass(&r, true);
    if (status == ISO_OK) {
        r.lexer = iso_lexer_make(ctx, source->name, source->bytes, source->size);
        r.seen_count = 0;
        status = read_pass(&r, false);
    }
    ISO_ARRAY_FREE(ctx, &r.vertices);
    ISO_ARRAY_FREE(ctx, &r.corners);
    return status;
}
