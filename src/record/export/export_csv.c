// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "isobar/names.h"
#include "record/export/export_file.h"
#include "record/frames/recorded_sensors.h"
#include "record/frames/recording.h"
#include "record/frames/schemas.h"
#include "record/json/number_text.h"

#include <math.h>
#include <string.h>

typedef enum table {
    TABLE_BODIES,
    TABLE_JOINTS,
    TABLE_CONTACTS,
    TABLE_FACES,
    TABLE_ENERGY,
    TABLE_SENSORS, ///< last: written only where there are sensors
    TABLE_COUNT
} table;

static const char* const k_files[TABLE_COUNT] = {"bodies.csv", "joints.csv", "contacts.csv",
                                                 "faces.csv",  "energy.csv", "sensors.csv"};

#define HEAD(name) "," #name "_J"
static const char* const k_heads[TABLE_COUNT] = {
    "time_s,body,x_m,y_m,z_m,qw,qx,qy,qz,wx_rad_s,wy_rad_s,wz_rad_s,vx_m_s,vy_m_s,vz_m_s\n",
    "time_s,joint,kind,position,velocity,effort\n",
    ("time_s,contact,body_a,body_b,geometry_a,geometry_b,faces,area_m2,fx_N,fy_N,fz_N,mx_Nm,my_Nm,"
     "mz_Nm,copx_m,copy_m,copz_m,max_pressure_Pa,elastic_energy_J,extent_a,extent_b,"
     "sheet_thickness_m,sheet_depth_m,energy_is_exact\n"),
    ("time_s,contact,body_a,body_b,face,area_m2,x_m,y_m,z_m,nx,ny,nz,pressure_Pa,tx_Pa,ty_Pa,tz_Pa,"
     "sx_m_s,sy_m_s,sz_m_s,stretch_x_m,stretch_y_m,stretch_z_m,sliding\n"),
    "time_s" ISO_RECORDED_ENERGIES(HEAD) ISO_LATER_ENERGIES(HEAD) "\n",
    "time_s,sensor,row,column,quantity,unit,value\n",
};

// The next field of a row; a row starts with its time.
static void put_number(iso_bytes* out, double value) {
    char* room = iso_bytes_reserve(out, ISO_NUMBER_TEXT_SIZE + 1);
    if (!room) {
        return;
    }
    room[0] = ',';
    if (isfinite(value)) {
        out->size += (size_t)iso_number_format(value, room + 1) + 1;
    } else {
        memcpy(room + 1, "nan", 3);
        out->size += 4;
    }
}

static void put_vec3(iso_bytes* out, iso_vec3 v) {
    put_number(out, v.x);
    put_number(out, v.y);
    put_number(out, v.z);
}

// Quoted as RFC 4180 asks for, where the name needs it.
static void put_text(iso_bytes* out, const char* text) {
    iso_bytes_put(out, ",", 1);
    if (!strpbrk(text, ",\"\r\n")) {
        iso_bytes_put(out, text, strlen(text));
        return;
    }
    iso_bytes_put(out, "\"", 1);
    for (const char* c = text; *c; ++c) {
        iso_bytes_put(out, c, 1);
        if (*c == '"') {
            iso_bytes_put(out, c, 1);
        }
    }
    iso_bytes_put(out, "\"", 1);
}

static void begin_row(iso_bytes* out, double time) {
    char text[ISO_NUMBER_TEXT_SIZE];
    iso_bytes_put(out, text, (size_t)iso_number_format(time, text));
}

static void end_row(iso_bytes* out) {
    iso_bytes_put(out, "\n", 1);
}

static void put_bodies(iso_bytes* out, const iso_recorded_model* model,
                       const iso_recorded_frame* frame) {
    for (int i = 1; i < model->body_count; ++i) {
        iso_quat q = iso_quat_from_mat3(&frame->poses[i].r);
        begin_row(out, frame->time);
        put_text(out, model->bodies[i].name);
        put_vec3(out, frame->poses[i].p);
        put_number(out, q.w);
        put_vec3(out, iso_vec3_make(q.x, q.y, q.z));
        put_vec3(out, frame->twists[i].rotational);
        put_vec3(out, frame->twists[i].translational);
        end_row(out);
    }
}

static void put_joints(iso_bytes* out, const iso_recorded_model* model,
                       const iso_recorded_frame* frame) {
    for (int i = 0; i < model->joint_count; ++i) {
        begin_row(out, frame->time);
        put_text(out, model->joints[i].name);
        put_text(out, model->joints[i].kind == ISO_JOINT_PRISMATIC ? "prismatic" : "revolute");
        put_number(out, frame->joint_positions[i]);
        put_number(out, frame->joint_velocities[i]);
        put_number(out, frame->joint_efforts[i]);
        end_row(out);
    }
}

static void put_contacts(iso_bytes* out, const iso_recorded_frame* frame) {
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_contact* contact = &frame->contacts[i];
        begin_row(out, frame->time);
        put_number(out, i);
        put_text(out, contact->body_name_a);
        put_text(out, contact->body_name_b);
        put_text(out, contact->geometry_name_a);
        put_text(out, contact->geometry_name_b);
        put_number(out, contact->patch.face_count);
        put_number(out, contact->patch.area);
        put_vec3(out, contact->f_b_w.translational);
        put_vec3(out, contact->f_b_w.rotational);
        put_vec3(out, contact->patch.center_of_pressure);
        put_number(out, contact->patch.max_pressure);
        put_number(out, contact->elastic_energy);
        put_number(out, contact->extent_a);
        put_number(out, contact->extent_b);
        put_number(out, contact->sheet_thickness);
        put_number(out, contact->sheet_depth);
        put_number(out, contact->is_energy_exact);
        end_row(out);
    }
}

static void put_faces(iso_bytes* out, const iso_recorded_frame* frame) {
    for (int i = 0; i < frame->contact_count; ++i) {
        const iso_contact* contact = &frame->contacts[i];
        const iso_patch* patch = &contact->patch;
        for (int f = 0; patch->face_offsets && f < patch->face_count; ++f) {
            begin_row(out, frame->time);
            put_number(out, i);
            put_text(out, contact->body_name_a);
            put_text(out, contact->body_name_b);
            put_number(out, f);
            put_number(out, patch->areas[f]);
            put_vec3(out, patch->centroids[f]);
            put_vec3(out, patch->normals[f]);
            put_number(out, patch->pressures[f]);
            put_vec3(out, contact->tractions[f]);
            put_vec3(out, contact->slip_velocities[f]);
            put_vec3(out, contact->stretches ? contact->stretches[f] : iso_vec3_zero());
            put_number(out, contact->sliding ? contact->sliding[f] : 0.0);
            end_row(out);
        }
    }
}

static void put_energy(iso_bytes* out, const iso_recorded_frame* frame) {
    const iso_energy* energy = &frame->energy;
    begin_row(out, frame->time);
#define PUT(name) put_number(out, energy->name);
    ISO_RECORDED_ENERGIES(PUT)
    ISO_LATER_ENERGIES(PUT)
#undef PUT
    end_row(out);
}

// One row per value; those of tactile cells say which cell.
static void put_sensors(iso_bytes* out, const iso_recorded_model* model,
                        const iso_recorded_frame* frame) {
    for (int i = 0; i < model->sensor_count && frame->sensor_values; ++i) {
        const iso_recorded_sensor* sensor = &model->sensors[i];
        for (int k = 0; k < sensor->value_count; ++k) {
            int cell = -1, name = iso_recorded_sensor_name_of(sensor, k, &cell);
            begin_row(out, frame->time);
            put_text(out, sensor->name);
            if (cell >= 0) {
                put_number(out, cell / sensor->columns);
                put_number(out, cell % sensor->columns);
            } else {
                iso_bytes_put(out, ",,", 2);
            }
            put_text(out, sensor->value_names[name]);
            put_text(out, sensor->value_units[name]);
            put_number(out, frame->sensor_values[sensor->value_index + k]);
            end_row(out);
        }
    }
}

static void put_rows(table which, iso_bytes* out, const iso_recorded_model* model,
                     const iso_recorded_frame* frame) {
    switch (which) {
    case TABLE_BODIES:
        put_bodies(out, model, frame);
        break;
    case TABLE_JOINTS:
        put_joints(out, model, frame);
        break;
    case TABLE_CONTACTS:
        put_contacts(out, frame);
        break;
    case TABLE_FACES:
        put_faces(out, frame);
        break;
    case TABLE_SENSORS:
        put_sensors(out, model, frame);
        break;
    default:
        put_energy(out, frame);
        break;
    }
}

// Names of bodies; a function or level has none.
static void put_event(iso_bytes* out, const iso_recorded_model* model, const iso_event* event) {
    bool has_bodies = event->body_a >= 0 && event->body_b >= 0;
    begin_row(out, event->time);
    put_text(out, iso_name_of(ISO_NAMES_EVENT_KIND, (int)event->kind));
    put_text(out, event->function_name);
    put_text(out, has_bodies ? model->bodies[event->body_a].name : "");
    put_text(out, has_bodies ? model->bodies[event->body_b].name : "");
    put_text(out, event->geometry_name_a);
    put_text(out, event->geometry_name_b);
    put_number(out, event->direction);
    end_row(out);
}

// No file where nothing happened.
static iso_status export_events(iso_recording* recording, const char* directory,
                                iso_bytes* buffer) {
    static const char head[] = "time_s,kind,name,body_a,body_b,geometry_a,geometry_b,direction\n";
    iso_context* ctx = iso_recording_context(recording);
    iso_file_writer file = {0};
    const iso_event* events;
    int count = 0;
    iso_status status = iso_recording_events(recording, &events, &count);
    if (status != ISO_OK || count == 0) {
        return status;
    }
    ISO_TRY(iso_export_file_open(ctx, directory, "events.csv", &file));
    iso_bytes_put(buffer, head, sizeof head - 1);
    for (int i = 0; i < count; ++i) {
        put_event(buffer, iso_recording_model(recording), &events[i]);
    }
    ISO_TRY(iso_export_file_put(ctx, &file, buffer));
    status = iso_file_writer_commit(ctx, &file);
done:
    iso_file_writer_abort(ctx, &file);
    return status;
}

iso_status iso_recording_export_csv(iso_recording* recording, const char* directory) {
    iso_context* ctx = iso_recording_context(recording);
    ISO_REQUIRE(ctx, recording && directory, ISO_ERR_ARGUMENT,
                "recording and directory are required");
    const iso_recorded_model* model = iso_recording_model(recording);
    iso_file_writer files[TABLE_COUNT] = {{0}};
    iso_bytes buffer = iso_bytes_make(ctx);
    iso_status status = ISO_OK;
    int table_count = model->sensor_count > 0 ? TABLE_COUNT : TABLE_SENSORS;

    ISO_TRY(iso_recording_require_frames(recording));
    ISO_TRY(iso_directory_make(ctx, directory));
    for (int k = 0; k < table_count; ++k) {
        ISO_TRY(iso_export_file_open(ctx, directory, k_files[k], &files[k]));
        iso_bytes_put(&buffer, k_heads[k], strlen(k_heads[k]));
        ISO_TRY(iso_export_file_put(ctx, &files[k], &buffer));
    }
    for (int i = 0; i < iso_recording_frame_count(recording); ++i) {
        const iso_recorded_frame* frame;
        ISO_TRY(iso_recording_read(recording, i, &frame));
        for (int k = 0; k < table_count; ++k) {
            put_rows((table)k, &buffer, model, frame);
            ISO_TRY(iso_export_file_put(ctx, &files[k], &buffer));
        }
        iso_recording_note_progress(recording, i + 1);
    }
    for (int k = 0; k < table_count; ++k) {
        ISO_TRY(iso_file_writer_commit(ctx, &files[k]));
    }
    status = export_events(recording, directory, &buffer);

done:
    for (int k = 0; k < TABLE_COUNT; ++k) {
        iso_file_writer_abort(ctx, &files[k]);
    }
    iso_bytes_free(&buffer);
    return status;
}
