// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/export/view_frames.h"

#include "base/core/fail.h"
#include "record/json/json_text.h"

#include <string.h>

iso_view_frames iso_view_frames_make(iso_context* ctx, size_t size_limit) {
    return (iso_view_frames){
        .ctx = ctx, .size_limit = size_limit, .stride = 1, .text = iso_bytes_make(ctx)};
}

void iso_view_frames_free(iso_view_frames* frames) {
    for (int i = 0; i < frames->pairs.count; ++i) {
        iso_free(frames->ctx, frames->pairs.data[i].geometry_a);
        iso_free(frames->ctx, frames->pairs.data[i].geometry_b);
    }
    ISO_ARRAY_FREE(frames->ctx, &frames->pairs);
    ISO_ARRAY_FREE(frames->ctx, &frames->pieces);
    iso_bytes_free(&frames->text);
}

static iso_status find_pair(iso_view_frames* frames, const iso_contact* contact, int* out_pair) {
    for (int i = 0; i < frames->pairs.count; ++i) {
        const iso_view_pair* pair = &frames->pairs.data[i];
        if (pair->body_a == contact->body_a && pair->body_b == contact->body_b &&
            strcmp(pair->geometry_a, contact->geometry_name_a) == 0 &&
            strcmp(pair->geometry_b, contact->geometry_name_b) == 0) {
            *out_pair = i;
            return ISO_OK;
        }
    }
    iso_status status = ISO_ARRAY_GROW(frames->ctx, &frames->pairs);
    if (status != ISO_OK) {
        return status;
    }
    *out_pair = frames->pairs.count++;
    iso_view_pair* pair = &frames->pairs.data[*out_pair];
    *pair = (iso_view_pair){contact->body_a, contact->body_b,
                            iso_strdup(frames->ctx, contact->geometry_name_a),
                            iso_strdup(frames->ctx, contact->geometry_name_b)};
    ISO_REQUIRE(frames->ctx, pair->geometry_a && pair->geometry_b, ISO_ERR_MEMORY, "pair names");
    return ISO_OK;
}

bool iso_view_pair_is_ambiguous(const iso_view_frames* frames, int pair) {
    const iso_view_pair* mine = &frames->pairs.data[pair];
    for (int i = 0; i < frames->pairs.count; ++i) {
        const iso_view_pair* other = &frames->pairs.data[i];
        if (i != pair && other->body_a == mine->body_a && other->body_b == mine->body_b) {
            return true;
        }
    }
    return false;
}

// Component of the force along the patch's mean normal, weighted with area and pressure (faces of
// the margin have none) [N].
static double normal_force(const iso_contact* contact) {
    iso_vec3 sum = iso_vec3_zero();
    const iso_patch* patch = &contact->patch;
    for (int f = 0; f < patch->face_count; ++f) {
        sum = iso_vec3_add_scaled(sum, patch->normals[f],
                                  patch->areas[f] * fmax(patch->pressures[f], 0.0));
    }
    return iso_vec3_dot(contact->f_b_w.translational, iso_vec3_normalized(sum));
}

// Room for count floats in the scratch, which is never larger than a frame.
static float* floats(iso_bytes* scratch, int count) {
    iso_bytes_clear(scratch);
    return (float*)(void*)iso_bytes_reserve(scratch, (size_t)count * sizeof(float) + 1);
}

static void put_polygons(iso_json* json, const iso_patch* patch, iso_bytes* scratch) {
    int n = patch->face_count, m = patch->vertex_count;
    float* values = floats(scratch, n > 3 * m ? n : 3 * m);
    if (!values) {
        json->out->has_failed = true;
        return;
    }
    uint32_t* counts = (uint32_t*)(void*)values;
    iso_json_begin_object(json, "polygons");
    for (int f = 0; f < n; ++f) {
        counts[f] = (uint32_t)(patch->face_offsets[f + 1] - patch->face_offsets[f]);
    }
    iso_json_put_u32(json, "counts", counts, n);
    for (int i = 0; i < m; ++i) {
        values[3 * i] = (float)patch->vertices[i].x;
        values[3 * i + 1] = (float)patch->vertices[i].y;
        values[3 * i + 2] = (float)patch->vertices[i].z;
    }
    iso_json_put_f32(json, "vertices", values, 3 * m);
    for (int i = 0; i < m; ++i) {
        values[i] = (float)patch->vertex_pressures[i];
    }
    iso_json_put_f32(json, "pressures", values, m);
    iso_json_end_object(json);
}

static void put_contact(iso_json* json, const iso_contact* contact, int pair, iso_bytes* scratch) {
    const iso_patch* patch = &contact->patch;
    iso_json_begin_object(json, NULL);
    iso_json_put_int(json, "pair", pair);
    iso_json_put_int(json, "faces", patch->face_count);
    iso_json_put_number(json, "area", patch->area);
    iso_json_put_vec3(json, "force", contact->f_b_w.translational);
    iso_json_put_vec3(json, "moment", contact->f_b_w.rotational);
    iso_json_put_vec3(json, "center_of_pressure", patch->center_of_pressure);
    iso_json_put_number(json, "max_pressure", patch->max_pressure);
    if (patch->face_offsets) {
        iso_json_put_number(json, "normal_force", normal_force(contact));
        put_polygons(json, patch, scratch);
    }
    iso_json_end_object(json);
}

static iso_status put_contacts(iso_view_frames* frames, const iso_recorded_frame* frame,
                               iso_bytes* scratch) {
    iso_json json = iso_json_make(&frames->text);
    iso_json_begin_array(&json, NULL);
    for (int i = 0; i < frame->contact_count; ++i) {
        int pair = 0;
        iso_status status = find_pair(frames, &frame->contacts[i], &pair);
        if (status != ISO_OK) {
            return status;
        }
        put_contact(&json, &frame->contacts[i], pair, scratch);
    }
    iso_json_end_array(&json);
    return ISO_OK;
}

static void put_poses(iso_bytes* out, const iso_recorded_model* model,
                      const iso_recorded_frame* frame, iso_bytes* scratch) {
    float* values = floats(scratch, 7 * model->body_count);
    if (!values) {
        out->has_failed = true;
        return;
    }
    for (int i = 0; i < model->body_count; ++i) {
        iso_quat q = iso_quat_from_mat3(&frame->poses[i].r);
        iso_vec3 p = frame->poses[i].p;
        double pose[7] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
        for (int k = 0; k < 7; ++k) {
            values[7 * i + k] = (float)pose[k];
        }
    }
    iso_json json = iso_json_make(out);
    iso_json_put_f32(&json, NULL, values, 7 * model->body_count);
}

static void put_joints(iso_bytes* out, const iso_recorded_model* model,
                       const iso_recorded_frame* frame, iso_bytes* scratch) {
    float* values = floats(scratch, model->joint_count);
    if (!values) {
        out->has_failed = true;
        return;
    }
    for (int i = 0; i < model->joint_count; ++i) {
        values[i] = (float)frame->joint_positions[i];
    }
    iso_json json = iso_json_make(out);
    iso_json_put_f32(&json, NULL, values, model->joint_count);
}

static void put_sensors(iso_bytes* out, const iso_recorded_model* model,
                        const iso_recorded_frame* frame, iso_bytes* scratch) {
    int count = frame->sensor_values ? model->sensor_value_count : 0;
    float* values = floats(scratch, count);
    if (!values) {
        out->has_failed = true;
        return;
    }
    for (int i = 0; i < count; ++i) {
        values[i] = (float)frame->sensor_values[i];
    }
    iso_json json = iso_json_make(out);
    iso_json_put_f32(&json, NULL, values, count);
}

static size_t piece_size(const iso_view_piece* piece) {
    size_t size = 0;
    for (int i = 0; i < ISO_VIEW_TEXTS; ++i) {
        size += piece->sizes[i];
    }
    return size;
}

// Drop every second frame until the rest fits; the first always stays.
static void thin_out(iso_view_frames* frames) {
    while (frames->text.size > frames->size_limit && frames->pieces.count > 1) {
        size_t size = 0;
        int kept = 0;
        frames->stride *= 2;
        for (int i = 0; i < frames->pieces.count; ++i) {
            iso_view_piece piece = frames->pieces.data[i];
            if (piece.frame_number % frames->stride != 0) {
                continue;
            }
            memmove(frames->text.data + size, frames->text.data + piece.offset, piece_size(&piece));
            piece.offset = size;
            size += piece_size(&piece);
            frames->pieces.data[kept++] = piece;
        }
        frames->pieces.count = kept;
        frames->text.size = size;
    }
}

iso_status iso_view_frames_offer(iso_view_frames* frames, const iso_recorded_model* model,
                                 const iso_recorded_frame* frame) {
    int number = frames->offered_count++;
    if (number % frames->stride != 0) {
        return ISO_OK;
    }
    iso_bytes scratch = iso_bytes_make(frames->ctx);
    const iso_energy* energy = &frame->energy;
    double total = energy->kinetic + energy->potential + energy->elastic;
    iso_view_piece piece = {
        .time = frame->time,
        .energy = {energy->kinetic, energy->potential, energy->elastic, total},
        .offset = frames->text.size,
        .frame_number = number,
    };
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_GROW(frames->ctx, &frames->pieces));
    put_poses(&frames->text, model, frame, &scratch);
    piece.sizes[0] = frames->text.size - piece.offset;
    put_joints(&frames->text, model, frame, &scratch);
    piece.sizes[1] = frames->text.size - piece.offset - piece_size(&piece);
    ISO_TRY(put_contacts(frames, frame, &scratch));
    piece.sizes[2] = frames->text.size - piece.offset - piece_size(&piece);
    put_sensors(&frames->text, model, frame, &scratch);
    piece.sizes[3] = frames->text.size - piece.offset - piece_size(&piece);
    ISO_TRY(iso_bytes_status(&frames->text));
    frames->pieces.data[frames->pieces.count++] = piece;
    thin_out(frames);

done:
    iso_bytes_free(&scratch);
    return status;
}
