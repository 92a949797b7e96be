// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/render/render.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// The file for NumPy: a ZIP file of arrays that are not compressed. Members are written one after
// the other, so those that grow with the frames wait in temporary files.

typedef struct member {
    const char* name;
    const char* type; ///< as NumPy writes it
    size_t item;      ///< bytes of one
    int dimensions[4];
    int dimension_count;
    FILE* file;
    size_t size; ///< of the values
} member;

enum { k_member_count = 6, k_most_name = 32 };
static const size_t k_most_size = 4000000000u; // of a ZIP file without extensions

static bool fail(cli_render* render, const char* path, const char* why) {
    (void)snprintf(render->browser.error, sizeof render->browser.error, "%s: %s", path, why);
    return false;
}

/// NumPy's head of an array: https://numpy.org/neps/nep-0001-npy-format.html
static size_t write_head(const member* m, unsigned char head[128]) {
    char shape[64] = "";
    for (int i = 0; i < m->dimension_count; ++i) {
        size_t used = strlen(shape);
        (void)snprintf(shape + used, sizeof shape - used, "%d,", m->dimensions[i]);
    }
    memset(head, ' ', 128);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10); // 118 bytes follow
    int used = snprintf((char*)head + 10, 118,
                        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", m->type, shape);
    head[10 + used] = ' ';
    head[127] = '\n';
    return 128;
}

static void put(unsigned char* at, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

/// The fields that a local header and the directory have in common.
static void put_fields(unsigned char* at, uint32_t crc, uint32_t size, size_t name_length) {
    put(at, 20, 2); // version needed
    put(at + 2, 0, 2);
    put(at + 4, 0, 2);            // stored
    put(at + 6, 0, 2);            // time
    put(at + 8, (1 << 5) + 1, 2); // date: 1980-01-01
    put(at + 10, crc, 4);
    put(at + 14, size, 4);
    put(at + 18, size, 4);
    put(at + 22, (uint32_t)name_length, 2);
}

/// Checksum of a member with its head.
static uint32_t checksum(const member* m, const unsigned char* head, size_t head_size) {
    unsigned char part[65536];
    uLong crc = crc32(0, head, (uInt)head_size);
    rewind(m->file);
    for (size_t got; (got = fread(part, 1, sizeof part, m->file)) > 0;) {
        crc = crc32(crc, part, (uInt)got);
    }
    return (uint32_t)crc;
}

static bool copy(FILE* from, FILE* to) {
    unsigned char part[65536];
    rewind(from);
    for (size_t got; (got = fread(part, 1, sizeof part, from)) > 0;) {
        if (fwrite(part, 1, got, to) != got) {
            return false;
        }
    }
    return ferror(from) == 0;
}

static bool write_zip(FILE* out, const member* members, int count) {
    unsigned char directory[k_member_count][46], head[128];
    char names[k_member_count][k_most_name];
    size_t at = 0, directory_size = 0;
    bool is_good = true;
    for (int i = 0; i < count; ++i) {
        const member* m = &members[i];
        unsigned char local[30] = {'P', 'K', 3, 4};
        size_t head_size = write_head(m, head);
        (void)snprintf(names[i], sizeof names[i], "%s.npy", m->name);
        size_t length = strlen(names[i]), size = head_size + m->size;
        uint32_t crc = checksum(m, head, head_size);
        put_fields(local + 4, crc, (uint32_t)size, length);
        memcpy(directory[i], (unsigned char[46]){'P', 'K', 1, 2, 20}, 46);
        put_fields(directory[i] + 6, crc, (uint32_t)size, length);
        put(directory[i] + 42, (uint32_t)at, 4);
        is_good &= fwrite(local, 1, 30, out) == 30 && fwrite(names[i], 1, length, out) == length &&
                   fwrite(head, 1, head_size, out) == head_size && copy(m->file, out);
        at += 30 + length + size;
        directory_size += 46 + length;
    }
    for (int i = 0; i < count; ++i) {
        size_t length = strlen(names[i]);
        is_good &=
            fwrite(directory[i], 1, 46, out) == 46 && fwrite(names[i], 1, length, out) == length;
    }
    unsigned char end[22] = {'P', 'K', 5, 6};
    put(end + 8, (uint32_t)count, 2);
    put(end + 10, (uint32_t)count, 2);
    put(end + 12, (uint32_t)directory_size, 4);
    put(end + 16, (uint32_t)at, 4);
    return is_good && fwrite(end, 1, 22, out) == 22;
}

static bool append(member* m, const void* bytes, size_t size) {
    m->size += size;
    return fwrite(bytes, 1, size, m->file) == size;
}

/// One layer of what the page has answered.
static bool append_layer(member* m, const json_t* layers, const char* name, size_t wanted) {
    const json_t* text = json_object_get(layers, name);
    size_t size = 0;
    unsigned char* bytes = json_is_string(text) ? cli_base64_bytes(json_string_value(text),
                                                                   json_string_length(text), &size)
                                                : NULL;
    bool is_good = bytes != NULL && size == wanted && append(m, bytes, size);
    free(bytes);
    return is_good;
}

static bool add_frame(cli_render* render, member* members, int frame) {
    char call[64];
    size_t pixels = (size_t)render->width * (size_t)render->height;
    double time = render->options->render.has_time ? render->options->render.time
                                                   : cli_render_time(render, frame);
    (void)snprintf(call, sizeof call, "isobar.film.layers(%.17g)", time);
    json_t* layers = cli_browser_evaluate(&render->browser, call);
    if (layers == NULL) {
        return false;
    }
    bool is_good = append(&members[0], &time, sizeof time) &&
                   append_layer(&members[1], layers, "rgb", 3 * pixels) &&
                   append_layer(&members[2], layers, "depth", 4 * pixels) &&
                   append_layer(&members[3], layers, "segmentation", 2 * pixels);
    json_decref(layers);
    return is_good || fail(render, render->options->output, "a frame cannot be kept (disk full?)");
}

/// Names of bodies and what the camera is.
static bool add_constants(cli_render* render, member* bodies, member* camera) {
    json_t* found = cli_browser_evaluate(&render->browser, "isobar.film.camera()");
    bool is_good = found != NULL;
    for (size_t i = 0; is_good && i < 16; ++i) {
        double value = json_number_value(json_array_get(found, i));
        is_good = append(camera, &value, sizeof value);
    }
    json_decref(found);
    for (size_t i = 0; is_good && i < json_array_size(render->bodies); ++i) {
        const char* name = json_string_value(json_array_get(render->bodies, i));
        char kept[128] = "";
        (void)snprintf(kept, sizeof kept, "%s", name != NULL ? name : "");
        is_good = append(bodies, kept, sizeof kept);
    }
    return is_good;
}

bool cli_render_arrays(cli_render* render, const char* path) {
    int n = render->options->render.has_time ? 1 : render->count;
    int rows = render->height, columns = render->width;
    member members[k_member_count] = {
        {"times", "<f8", 8, {n}, 1, NULL, 0},
        {"rgb", "|u1", 1, {n, rows, columns, 3}, 4, NULL, 0},
        {"depth", "<f4", 4, {n, rows, columns}, 3, NULL, 0},
        {"segmentation", "<u2", 2, {n, rows, columns}, 3, NULL, 0},
        {"bodies", "|S128", 128, {(int)json_array_size(render->bodies)}, 1, NULL, 0},
        {"camera", "<f8", 8, {16}, 1, NULL, 0}};
    render->count = n;
    if ((double)n * rows * columns * 9.0 > (double)k_most_size) {
        return fail(render, path,
                    "more than 4 GB; choose a smaller --size or --frame-rate, or a larger --speed");
    }
    bool is_good = true;
    for (int i = 0; i < k_member_count; ++i) {
        members[i].file = tmpfile();
        is_good &= members[i].file != NULL;
    }
    is_good = is_good ? add_constants(render, &members[4], &members[5])
                      : fail(render, path, strerror(errno));
    for (int i = 0; is_good && i < n; ++i) {
        is_good = add_frame(render, members, i);
        progress_update(&render->progress, i + 1, 0.0);
    }
    for (int i = 0; is_good && i < k_member_count; ++i) { // rewinding would forget that it failed
        is_good = fflush(members[i].file) == 0 || fail(render, path, strerror(errno));
    }
    char part[4096];
    (void)snprintf(part, sizeof part, "%s.part", path);
    FILE* out = is_good ? fopen(part, "wb") : NULL;
    if (out != NULL) {
        is_good = write_zip(out, members, k_member_count);
        is_good = fclose(out) == 0 && is_good && rename(part, path) == 0;
        is_good = is_good || (remove(part), fail(render, path, "cannot be written"));
    } else if (is_good) {
        is_good = fail(render, path, strerror(errno));
    }
    for (int i = 0; i < k_member_count; ++i) {
        if (members[i].file != NULL) {
            (void)fclose(members[i].file);
        }
    }
    return is_good;
}
