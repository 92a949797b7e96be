// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "base/core/log.h"
#include "base/core/text.h"
#include "base/system/child.h"
#include "base/values/xml_error.h"
#include "geometry/mesh_files/assimp_import.h"
#include "geometry/mesh_files/surface_readers.h"

#include <string.h>

#if defined(ISO_HAS_ASSIMP)

// A processor that others use gives the child a part of its time.
#define WALL_FACTOR 6.0
// Of the files that a surface is spread over, and of their names.
#define MOST_TOLD 256
#define MOST_PATH 4096

static const char k_cure[] = "the file is malformed; export it again, or convert it to .obj";

// The parent's side: nothing that the child sends is believed without a look.
typedef struct assimp_reader {
    iso_context* ctx;
    iso_surface_source* source;
    iso_surface_builder* builder;
    iso_assimp_job job;
    iso_child_desc child;
    size_t size;    // of all files that are open
    int told_count; // files that it asked for
    int line;       // where the child has found a fault, 0: not known
} assimp_reader;

static void set_time_limit(assimp_reader* r) {
    r->child.time_limit = WALL_FACTOR * ISO_ASSIMP_SECONDS(r->size);
}

static iso_status take_triangles(assimp_reader* r, const void* bytes, size_t size) {
    iso_assimp_triangle triangle;
    iso_status status = ISO_OK;
    for (size_t at = 0; status == ISO_OK && size - at >= sizeof triangle; at += sizeof triangle) {
        memcpy(&triangle, (const char*)bytes + at, sizeof triangle);
        status = iso_surface_builder_add(r->ctx, r->builder, triangle.corners);
    }
    return status;
}

static iso_status fail_as_told(assimp_reader* r, const char* bytes, size_t size) {
    iso_assimp_failure told;
    if (size < sizeof told) {
        return iso_fail(r->ctx, ISO_ERR_PARSE, __func__, "not a readable file");
    }
    memcpy(&told, bytes, sizeof told);
    r->line = told.line;
    int length = (int)(size - sizeof told);
    const char* text = bytes + sizeof told;
    if (told.status == ISO_ERR_MEMORY) {
        return iso_fail(r->ctx, ISO_ERR_RANGE, __func__, "reading it needs more than %.*s MB: %s",
                        length, text, k_cure);
    }
    iso_status status = told.status == ISO_ERR_RANGE ? ISO_ERR_RANGE : ISO_ERR_PARSE;
    return iso_fail(r->ctx, status, __func__, "%.*s", length, text);
}

// What a process that may have gone wrong calls a path is watched, not opened.
static iso_status tell(assimp_reader* r, const char* bytes, size_t size) {
    char path[MOST_PATH];
    if (size < sizeof path && r->told_count < MOST_TOLD) {
        ++r->told_count;
        memcpy(path, bytes, size);
        path[size] = '\0';
        iso_file_tell(r->ctx, path);
    }
    return ISO_OK;
}

static iso_status take(void* user, uint32_t kind, const void* bytes, size_t size) {
    assimp_reader* r = user;
    uint64_t opened;
    switch (kind) {
    case ISO_ASSIMP_OPENED:
        if (size == sizeof opened) {
            memcpy(&opened, bytes, sizeof opened);
            r->size += (size_t)opened;
            set_time_limit(r);
        }
        return ISO_OK;
    case ISO_ASSIMP_OPENS:
        return tell(r, bytes, size);
    case ISO_ASSIMP_TRIANGLES:
        return take_triangles(r, bytes, size);
    case ISO_ASSIMP_IGNORED:
        if (size == sizeof r->source->out_ignored_count) {
            memcpy(&r->source->out_ignored_count, bytes, size);
        }
        return ISO_OK;
    case ISO_ASSIMP_WARNED:
        iso_log(r->ctx, ISO_LOG_WARNING, "%s: the .%s reader says: %.*s", r->source->name,
                r->job.extension, (int)size, (const char*)bytes);
        return ISO_OK;
    case ISO_ASSIMP_FAILED:
        return fail_as_told(r, bytes, size);
    default:
        return iso_fail(r->ctx, ISO_ERR_PARSE, __func__, "not a readable file");
    }
}

static void work(void* user, const iso_child_pipe* pipe) {
    const assimp_reader* r = user;
    iso_assimp_import(&r->job, pipe);
}

static iso_status judge(const assimp_reader* r, iso_child_result result) {
    const char* extension = r->job.extension;
    bool is_late = result.end == ISO_CHILD_SPENT;
    if (result.end == ISO_CHILD_TIMEOUT || is_late) {
        double limit = is_late ? ISO_ASSIMP_SECONDS(r->size) : r->child.time_limit;
        return iso_fail(r->ctx, ISO_ERR_RANGE, __func__, "reading it takes more than %.0f s: %s",
                        limit, k_cure);
    }
    if (result.end == ISO_CHILD_SIGNALED) {
        return iso_fail(r->ctx, ISO_ERR_PARSE, __func__,
                        "the .%s reader crashed on it (signal %d): %s", extension, result.code,
                        k_cure);
    }
    ISO_REQUIRE(r->ctx, result.end == ISO_CHILD_DONE, ISO_ERR_PARSE,
                "the .%s reader crashed on it: %s", extension, k_cure);
    return ISO_OK;
}

iso_status iso_assimp_read(iso_context* ctx, iso_surface_source* source,
                           iso_surface_builder* builder) {
    const char* extension = source->extension;
    bool may_open = source->is_path && strcmp(extension, "gltf") == 0;
    char memory_name[16] = "mesh."; // assimp chooses the importer by extension
    strncat(memory_name, extension, 8);
    assimp_reader r = {.ctx = ctx,
                       .source = source,
                       .builder = builder,
                       .job = {.main_name = may_open ? source->name : memory_name,
                               .extension = extension,
                               .bytes = source->bytes,
                               .size = source->size,
                               .may_open_others = may_open,
                               .is_y_up = extension[0] == 'g',
                               .scale = source->scale},
                       .child = {.work = work, .take = take},
                       .size = source->size};
    r.child.user = &r;
    set_time_limit(&r);
    iso_child_result result;
    iso_xml_begin(); // before the fork: another thread may be at it
    iso_status status = iso_child_run(ctx, &r.child, &result);
    if (status == ISO_OK) {
        status = judge(&r, result);
    }
    if (status == ISO_OK) {
        return ISO_OK;
    }
    return r.line > 0 ? iso_fail_prefix(ctx, status, "%s:%d", source->name, r.line)
                      : iso_fail_prefix(ctx, status, "%s", source->name);
}

#else

iso_status iso_assimp_read(iso_context* ctx, iso_surface_source* source,
                           iso_surface_builder* builder) {
    (void)builder;
    return iso_fail(ctx, ISO_ERR_UNSUPPORTED, __func__,
                    "%s: Isobar was built without assimp, which reads .%s; convert it to .obj",
                    source->name, source->extension);
}

#endif
