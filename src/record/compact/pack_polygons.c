// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "base/values/hash.h"
#include "record/compact/pack.h"

#include <math.h>
#include <string.h>

// Vertices of neighbouring faces that fall on one point of the grid, pressure included, are kept
// once. They are numbered as they are met; a face names them by how far back they are.

enum { k_channels = 4 }; // x, y, z, pressure

typedef struct grid {
    double low[k_channels], step[k_channels];
} grid;

typedef struct corner {
    uint16_t at[k_channels];
} corner;

typedef struct packer {
    iso_bytes corners; ///< of corner
    iso_bytes codes;   ///< sizes of the faces, then their corners
    iso_bytes table;   ///< of uint32_t: number of a corner + 1; 0: free
    uint32_t table_size;
    uint32_t corner_count;
} packer;

static void put_f32(iso_bytes* out, double value) {
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    iso_bytes_put_u32(out, bits);
}

// LEB128: seven bits a byte, the lowest first.
static void put_code(iso_bytes* out, uint32_t value) {
    for (; value >= 128; value >>= 7) {
        iso_bytes_put_u8(out, (value & 127) | 128);
    }
    iso_bytes_put_u8(out, value);
}

static double mean_edge(const iso_patch* patch) {
    double sum = 0.0;
    for (int f = 0; f < patch->face_count; ++f) {
        int first = patch->face_offsets[f], end = patch->face_offsets[f + 1];
        for (int i = first; i < end; ++i) {
            int next = i + 1 < end ? i + 1 : first;
            sum += iso_vec3_distance(patch->vertices[i], patch->vertices[next]);
        }
    }
    return patch->vertex_count > 0 ? sum / patch->vertex_count : 0.0;
}

static double channel(const iso_patch* patch, int vertex, int k) {
    const iso_vec3* p = &patch->vertices[vertex];
    return k == 0 ? p->x : k == 1 ? p->y : k == 2 ? p->z : patch->vertex_pressures[vertex];
}

// The floats that a reader has are those that corners are rounded with.
static grid make_grid(const iso_patch* patch) {
    grid g;
    double extent[k_channels];
    for (int k = 0; k < k_channels; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < patch->vertex_count; ++i) {
            low = fmin(low, channel(patch, i, k));
            high = fmax(high, channel(patch, i, k));
        }
        g.low[k] = (double)(float)low;
        extent[k] = fmax(high - g.low[k], 0.0);
    }
    double largest = fmax(extent[0], fmax(extent[1], extent[2]));
    // Of 65,535 points a few are left for the rounding of `low`.
    double step = fmax(mean_edge(patch) / ISO_PACK_EDGE_STEPS, largest / 65500.0);
    for (int k = 0; k < 3; ++k) {
        g.step[k] = (double)(float)step;
    }
    g.step[3] = (double)(float)(extent[3] / ISO_PACK_PRESSURE_STEPS);
    return g;
}

static corner round_vertex(const grid* g, const iso_patch* patch, int vertex) {
    corner c;
    for (int k = 0; k < k_channels; ++k) {
        double at =
            g->step[k] > 0.0 ? round((channel(patch, vertex, k) - g->low[k]) / g->step[k]) : 0.0;
        c.at[k] = (uint16_t)fmin(fmax(at, 0.0), 65535.0);
    }
    return c;
}

// Twice as many places as there may be corners, none taken.
static bool clear_table(packer* p, int vertex_count) {
    p->table_size = 16;
    while (p->table_size < 2 * (uint32_t)vertex_count) {
        p->table_size *= 2;
    }
    iso_bytes_clear(&p->corners);
    iso_bytes_clear(&p->codes);
    iso_bytes_clear(&p->table);
    p->corner_count = 0;
    char* room = iso_bytes_reserve(&p->table, p->table_size * sizeof(uint32_t));
    if (room) {
        memset(room, 0, p->table_size * sizeof(uint32_t));
    }
    return room != NULL;
}

// Number of a corner, which is added when it is new.
static uint32_t find_corner(packer* p, const corner* c) {
    uint32_t* table = (uint32_t*)(void*)p->table.data;
    const corner* known = (const corner*)(const void*)p->corners.data;
    uint32_t at = (uint32_t)iso_hash_bytes(ISO_HASH_SEED, c, sizeof *c) & (p->table_size - 1);
    while (table[at] != 0) {
        if (memcmp(&known[table[at] - 1], c, sizeof *c) == 0) {
            return table[at] - 1;
        }
        at = (at + 1) & (p->table_size - 1);
    }
    iso_bytes_put(&p->corners, c, sizeof *c);
    table[at] = ++p->corner_count;
    return p->corner_count - 1;
}

static bool collect(packer* p, const grid* g, const iso_patch* patch) {
    if (!clear_table(p, patch->vertex_count)) {
        return false;
    }
    for (int f = 0; f < patch->face_count; ++f) {
        put_code(&p->codes, (uint32_t)(patch->face_offsets[f + 1] - patch->face_offsets[f]));
    }
    for (int i = 0; i < patch->vertex_count && !p->corners.has_failed; ++i) {
        corner c = round_vertex(g, patch, i);
        uint32_t known = p->corner_count;
        put_code(&p->codes, known - find_corner(p, &c)); // 0: the next new one
    }
    return !p->corners.has_failed && !p->codes.has_failed;
}

// Steps from corner to corner, as 16 bits with the sign in the lowest; low bytes, then high ones.
static void put_channel(iso_bytes* out, const packer* p, int k) {
    const corner* corners = (const corner*)(const void*)p->corners.data;
    uint32_t n = p->corner_count;
    unsigned char* room = (unsigned char*)iso_bytes_reserve(out, 2 * (size_t)n + 1);
    if (!room) {
        return;
    }
    unsigned last = 0;
    for (uint32_t i = 0; i < n; ++i) {
        unsigned step = (corners[i].at[k] - last) & 0xffff;
        unsigned folded = ((step << 1) ^ (step & 0x8000 ? 0xffff : 0)) & 0xffff;
        room[i] = (unsigned char)(folded & 255);
        room[n + i] = (unsigned char)(folded >> 8);
        last = corners[i].at[k];
    }
    out->size += 2 * (size_t)n;
}

static void put_patch(iso_bytes* out, const packer* p, const grid* g, const iso_patch* patch) {
    iso_bytes_put_u32(out, (uint32_t)patch->face_count);
    iso_bytes_put_u32(out, (uint32_t)patch->vertex_count);
    iso_bytes_put_u32(out, p->corner_count);
    iso_bytes_put_u32(out, (uint32_t)p->codes.size);
    for (int k = 0; k < 3; ++k) {
        put_f32(out, g->low[k]);
    }
    put_f32(out, g->step[0]);
    put_f32(out, g->low[3]);
    put_f32(out, g->step[3]);
    for (int k = 0; k < k_channels; ++k) {
        put_channel(out, p, k);
    }
    iso_bytes_put(out, p->codes.data, p->codes.size);
}

iso_status iso_pack_polygons(iso_bytes* out, const iso_recorded_frame* frame) {
    iso_context* ctx = out->ctx;
    packer p = {iso_bytes_make(ctx), iso_bytes_make(ctx), iso_bytes_make(ctx), 0, 0};
    iso_status status = ISO_OK;
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_patch* patch = &frame->contacts[i].patch;
        if (!patch->face_offsets || patch->face_count == 0) {
            iso_bytes_put_u32(out, 0);
            continue;
        }
        grid g = make_grid(patch);
        ISO_CHECK(ctx, collect(&p, &g, patch), ISO_ERR_MEMORY, "%d vertices", patch->vertex_count);
        put_patch(out, &p, &g, patch);
    }
    status = iso_bytes_status(out);

done:
    iso_bytes_free(&p.corners);
    iso_bytes_free(&p.codes);
    iso_bytes_free(&p.table);
    return status;
}
