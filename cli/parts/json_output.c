// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/json_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t* cli_json_vec3(iso_vec3 v) {
    return json_pack("[f,f,f]", v.x, v.y, v.z);
}

static json_t* json_quat(iso_quat q) {
    return json_pack("[f,f,f,f]", q.w, q.x, q.y, q.z);
}

json_t* cli_json_bodies(const iso_world* world) {
    json_t* bodies = json_object();
    for (int i = 1; i < iso_world_body_count(world); ++i) {
        iso_pose x_wb = iso_world_body_pose(world, i);
        iso_spatial v_wb = iso_world_body_twist(world, i);
        json_t* body = json_pack("{s:o,s:o,s:o,s:o}", "position", cli_json_vec3(x_wb.p),
                                 "quaternion_wxyz", json_quat(iso_quat_from_mat3(&x_wb.r)),
                                 "velocity", cli_json_vec3(v_wb.translational), "angular_velocity",
                                 cli_json_vec3(v_wb.rotational));
        json_object_set_new(bodies, iso_world_body_name(world, i), body);
    }
    return bodies;
}

json_t* cli_json_joints(const iso_world* world) {
    json_t* joints = json_object();
    for (int i = 0; i < iso_world_joint_count(world); ++i) {
        json_t* joint = json_pack("{s:f,s:f,s:f}", "position", iso_world_joint_position(world, i),
                                  "velocity", iso_world_joint_velocity(world, i), "effort",
                                  iso_world_joint_effort(world, i));
        json_object_set_new(joints, iso_world_joint_name(world, i), joint);
    }
    return joints;
}

json_t* cli_json_progress(const iso_task* task, const iso_world* world) {
    json_t* programs = json_object();
    for (int i = 0; i < iso_task_program_count(task); ++i) {
        iso_program_state p = iso_task_program(task, world, i);
        json_object_set_new(programs, p.name,
                            json_pack("{s:i,s:s,s:f,s:b,s:b}", "step", p.step, "step_name",
                                      p.step_name, "step_time", p.step_time, "is_done",
                                      (int)p.is_done, "is_criterion", (int)p.is_criterion));
    }
    return programs;
}

json_t* cli_json_fixed_tendons(const iso_world* world) {
    json_t* tendons = json_object();
    for (int i = 0; i < iso_world_fixed_tendon_count(world); ++i) {
        iso_fixed_tendon_state t = iso_world_fixed_tendon(world, i);
        json_object_set_new(tendons, t.name,
                            json_pack("{s:f,s:f,s:f,s:f,s:f}", "length", t.length, "velocity",
                                      t.velocity, "passive_effort", t.passive_effort,
                                      "actuator_effort", t.actuator_effort, "limit_effort",
                                      t.limit_effort));
    }
    return tendons;
}

json_t* cli_json_contacts(const iso_world* world) {
    json_t* contacts = json_array();
    for (int i = 0; i < iso_world_contact_count(world); ++i) {
        iso_contact c = iso_world_contact(world, i);
        json_t* contact = json_pack(
            "{s:[s,s],s:[s,s],s:i,s:f,s:o,s:o,s:o,s:f,s:[f,f]}", "pair", c.body_name_a,
            c.body_name_b, "geometries", c.geometry_name_a, c.geometry_name_b, "faces",
            c.patch.face_count, "area", c.patch.area, "force", cli_json_vec3(c.f_b_w.translational),
            "moment", cli_json_vec3(c.f_b_w.rotational), "center_of_pressure",
            cli_json_vec3(c.patch.center_of_pressure), "max_pressure", c.patch.max_pressure,
            "extents", c.extent_a, c.extent_b);
        if (c.sheet_depth > 0.0) {
            json_object_set_new(
                contact, "sheet",
                json_pack("{s:f,s:f}", "thickness", c.sheet_thickness, "depth", c.sheet_depth));
        }
        json_array_append_new(contacts, contact);
    }
    return contacts;
}

json_t* cli_json_peak(const iso_world* world) {
    iso_contact_peak p = iso_world_contact_peak(world);
    if (p.extent == 0.0) {
        return json_null();
    }
    return json_pack("{s:f,s:f,s:[s,s],s:[s,s]}", "extent", p.extent, "time", p.time, "pair",
                     p.body_name_a, p.body_name_b, "geometries", p.geometry_name_a,
                     p.geometry_name_b);
}

json_t* cli_json_passage(const iso_world* world) {
    iso_contact_passage p = iso_world_contact_passage(world);
    if (p.pair_count == 0) {
        return json_null();
    }
    return json_pack("{s:i,s:f,s:[s,s],s:[s,s]}", "pairs", p.pair_count, "time", p.time, "pair",
                     p.body_name_a, p.body_name_b, "geometries", p.geometry_name_a,
                     p.geometry_name_b);
}

json_t* cli_json_sensors(const iso_sensors* sensors) {
    json_t* list = json_object();
    for (int i = 0; i < iso_sensors_count(sensors); ++i) {
        const double* values = iso_sensors_values(sensors, i);
        iso_sensor_desc desc = iso_sensors_desc(sensors, i);
        json_t* numbers = json_array();
        json_t* names = json_array();
        for (int k = 0; k < iso_sensors_value_count(sensors, i); ++k) {
            json_array_append_new(numbers, json_real(values[k]));
            bool is_repeated = desc.kind == ISO_SENSOR_TACTILE && k >= 12;
            if (!is_repeated) {
                json_array_append_new(names, json_string(iso_sensors_value_name(sensors, i, k)));
            }
        }
        json_object_set_new(list, desc.name,
                            json_pack("{s:s,s:o,s:o}", "kind", iso_sensor_kind_name(desc.kind),
                                      "names", names, "values", numbers));
    }
    return list;
}

double cli_elastic_energy(const iso_world* world) {
    iso_elastic_energy elastic;
    return iso_world_elastic_energy(world, -1, &elastic) == ISO_OK ? elastic.energy : NAN;
}

json_t* cli_json_energy(const iso_world* world) {
    iso_energy e = iso_world_energy(world);
    return json_pack("{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "kinetic",
                     e.kinetic, "potential", e.potential, "elastic", cli_elastic_energy(world),
                     "actuation", e.actuation, "contact", e.contact, "damping", e.damping, "spring",
                     e.spring, "constraint", e.constraint, "stretch", e.stretch, "stretch_booked",
                     e.stretch_booked, "applied", e.applied, "friction", e.friction,
                     "contact_damping", e.contact_damping, "limit", e.limit);
}

json_t* cli_json_path(const char* path) {
    json_t* text = json_string(path);
    size_t size = strlen(path) + 1;
    char* plain = text == NULL ? malloc(size) : NULL;
    if (plain != NULL) {
        for (size_t i = 0; i < size; ++i) {
            plain[i] = (char)((unsigned char)path[i] < 0x80 ? path[i] : '?');
        }
        text = json_string(plain);
        free(plain);
    }
    return text;
}

cli_exit cli_json_print(json_t* object) {
    if (object == NULL || json_dumpf(object, stdout, JSON_REAL_PRECISION(17)) != 0 ||
        putchar('\n') == EOF || fflush(stdout) != 0) {
        cli_error("the JSON result cannot be written to stdout\n");
        json_decref(object);
        return CLI_BAD_INPUT;
    }
    json_decref(object);
    return CLI_DONE;
}
