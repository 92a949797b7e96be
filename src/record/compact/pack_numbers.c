// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "record/compact/pack.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

static void put_f32(iso_bytes* out, double value) {
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    iso_bytes_put_u32(out, bits);
}

static void put_f64(iso_bytes* out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    iso_bytes_put_u64(out, bits);
}

static void put_vec3(iso_bytes* out, iso_vec3 v) {
    put_f32(out, v.x);
    put_f32(out, v.y);
    put_f32(out, v.z);
}

// Component of the force along the patch's mean normal, weighted with area and pressure (faces of
// the margin have none) [N]; NAN without faces.
static double normal_force(const iso_contact* contact) {
    iso_vec3 sum = iso_vec3_zero();
    const iso_patch* patch = &contact->patch;
    if (contact->manifold != ISO_MANIFOLD_PATCH) {
        return iso_vec3_dot(contact->f_b_w.translational, contact->normal);
    }
    if (!patch->face_offsets) {
        return NAN;
    }
    for (int f = 0; f < patch->face_count; ++f) {
        sum = iso_vec3_add_scaled(sum, patch->normals[f],
                                  patch->areas[f] * fmax(patch->pressures[f], 0.0));
    }
    return iso_vec3_dot(contact->f_b_w.translational, iso_vec3_normalized(sum));
}

static void put_contact(iso_bytes* out, const iso_contact* contact, int pair) {
    const iso_patch* patch = &contact->patch;
    iso_bytes_put_u32(out, (uint32_t)pair);
    iso_bytes_put_u32(out, (uint32_t)patch->face_count);
    put_f32(out, patch->area);
    put_vec3(out, contact->f_b_w.translational);
    put_vec3(out, contact->f_b_w.rotational);
    put_vec3(out, patch->center_of_pressure);
    put_f32(out, patch->max_pressure);
    put_f32(out, normal_force(contact));
}

static void put_pose(iso_bytes* out, const iso_pose* pose) {
    iso_quat q = iso_quat_from_mat3(&pose->r);
    put_vec3(out, pose->p);
    put_f32(out, q.w);
    put_f32(out, q.x);
    put_f32(out, q.y);
    put_f32(out, q.z);
}

iso_status iso_pack_numbers(iso_bytes* out, const iso_recorded_model* model,
                            const iso_recorded_frame* frame, iso_pair_list* pairs) {
    const iso_energy* energy = &frame->energy;
    int sensor_values = frame->sensor_values ? model->sensor_value_count : 0;
    put_f64(out, frame->time);
    put_f32(out, energy->kinetic);
    put_f32(out, energy->potential);
    put_f32(out, energy->elastic);
    iso_bytes_put_u32(out, (uint32_t)model->body_count);
    iso_bytes_put_u32(out, (uint32_t)model->joint_count);
    iso_bytes_put_u32(out, (uint32_t)sensor_values);
    iso_bytes_put_u32(out, (uint32_t)frame->contact_count);
    for (int i = 0; i < model->body_count; ++i) {
        put_pose(out, &frame->poses[i]);
    }
    for (int i = 0; i < model->joint_count; ++i) {
        put_f32(out, frame->joint_positions[i]);
    }
    for (int i = 0; i < sensor_values; ++i) {
        put_f32(out, frame->sensor_values[i]);
    }
    for (int i = 0; i < frame->contact_count; ++i) {
        int pair = 0;
        iso_status status = iso_pair_list_find(pairs, &frame->contacts[i], &pair);
        if (status != ISO_OK) {
            return status;
        }
        put_contact(out, &frame->contacts[i], pair);
    }
    return iso_bytes_status(out);
}

iso_status iso_pack_deflate(iso_bytes* out, const void* bytes, size_t size, int level) {
    iso_context* ctx = out->ctx;
    ISO_REQUIRE(ctx, size < UINT32_MAX, ISO_ERR_MEMORY, "%zu bytes in a frame", size);
    z_stream stream = {0};
    int code = deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
    ISO_REQUIRE(ctx, code == Z_OK, ISO_ERR_MEMORY, "deflate");
    size_t bound = deflateBound(&stream, size);
    char* room = iso_bytes_reserve(out, bound);
    stream.next_in = (Bytef*)(uintptr_t)bytes;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef*)room;
    stream.avail_out = (uInt)bound;
    code = room ? deflate(&stream, Z_FINISH) : Z_MEM_ERROR;
    out->size += code == Z_STREAM_END ? stream.total_out : 0;
    (void)deflateEnd(&stream);
    ISO_REQUIRE(ctx, code == Z_STREAM_END, ISO_ERR_MEMORY, "%zu bytes to deflate", size);
    return ISO_OK;
}
