// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/inspect/inspect.h"
#include "cli/parts/json_output.h"
#include "cli/parts/session.h"
#include "cli/parts/text.h"

#include <math.h>
#include <stdio.h>

/// `inspect` of a scene or model.

static const char* joint_kind_name(iso_joint_kind kind) {
    return iso_name_of(ISO_NAMES_JOINT_KIND, (int)kind);
}

static const char* constraint_kind_name(iso_constraint_kind kind) {
    return iso_name_of(ISO_NAMES_CONSTRAINT_KIND, (int)kind);
}

/// JSON has no infinities: an absent limit is null.
static json_t* json_limit(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static bool has_axis(iso_joint_kind kind) {
    return kind == ISO_JOINT_REVOLUTE || kind == ISO_JOINT_PRISMATIC || kind == ISO_JOINT_SCREW ||
           kind == ISO_JOINT_UNIVERSAL;
}

/// Where the frame F of a joint is at the start, in the world.
static iso_pose joint_pose(iso_model* model, const iso_world* world, const iso_joint_desc* joint) {
    const char* parent = iso_model_body(model, joint->parent)->name;
    iso_pose x_wp = iso_world_body_pose(world, iso_world_find_body(world, parent));
    return iso_pose_mul(&x_wp, &joint->x_pf);
}

static json_t* bodies_json(iso_model* model, const iso_world* world) {
    json_t* bodies = json_array();
    for (int i = 1; i < iso_model_body_count(model); ++i) {
        const iso_body_desc* d = iso_model_body(model, i);
        iso_pose x_wb = iso_world_body_pose(world, iso_world_find_body(world, d->name));
        iso_quat q = iso_quat_from_mat3(&x_wb.r);
        json_array_append_new(
            bodies,
            json_pack("{s:s,s:f,s:o,s:[f,f,f,f,f,f],s:f,s:o,s:[f,f,f,f]}", "name", d->name, "mass",
                      d->mass, "center_of_mass", cli_json_vec3(d->center_of_mass),
                      "inertia_xx_yy_zz_xy_xz_yz", d->inertia.m[0][0], d->inertia.m[1][1],
                      d->inertia.m[2][2], d->inertia.m[0][1], d->inertia.m[0][2],
                      d->inertia.m[1][2], "gravity_compensation", d->gravity_compensation,
                      "position", cli_json_vec3(x_wb.p), "quaternion_wxyz", q.w, q.x, q.y, q.z));
    }
    return bodies;
}

static json_t* joints_json(iso_model* model, const iso_world* world) {
    json_t* joints = json_array();
    for (int i = 0; i < iso_model_joint_count(model); ++i) {
        const iso_joint_desc* d = iso_model_joint(model, i);
        iso_pose x_wf = joint_pose(model, world, d);
        json_t* joint = json_pack(
            "{s:s,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:f,s:f,s:f}", "name", d->name, "kind",
            joint_kind_name(d->kind), "parent", iso_model_body(model, d->parent)->name, "child",
            iso_model_body(model, d->child)->name, "axis", cli_json_vec3(d->axis), "origin_world",
            cli_json_vec3(x_wf.p), "lower", json_limit(d->lower), "upper", json_limit(d->upper),
            "effort", json_limit(d->effort_limit), "effort_lower", json_limit(d->effort_lower),
            "effort_upper", json_limit(d->effort_upper), "damping", d->damping, "friction",
            d->friction, "stiffness", d->stiffness);
        if (has_axis(d->kind)) {
            json_object_set_new(joint, "axis_world",
                                cli_json_vec3(iso_mat3_mul_vec3(&x_wf.r, d->axis)));
        }
        if (d->kind == ISO_JOINT_UNIVERSAL) {
            json_object_set_new(joint, "axis_2", cli_json_vec3(d->axis_2));
        }
        if (d->kind == ISO_JOINT_SCREW) {
            json_object_set_new(joint, "pitch", json_real(d->pitch));
        }
        json_array_append_new(joints, joint);
    }
    return joints;
}

static json_t* geometries_json(iso_model* model) {
    json_t* geometries = json_array();
    for (int i = 0; i < iso_model_geometry_count(model); ++i) {
        int body = 0;
        const iso_geometry_desc* d = iso_model_geometry(model, i, &body);
        json_t* geometry = json_pack("{s:s,s:s,s:s}", "body", iso_model_body(model, body)->name,
                                     "name", d->name, "shape", iso_shape_kind_name(d->shape.kind));
        iso_contact_material material = cli_effective_material(d);
        cli_json_add_material(geometry, &material);
        if (iso_vec3_norm_squared(d->surface_velocity) > 0.0) {
            json_object_set_new(geometry, "surface_velocity", cli_json_vec3(d->surface_velocity));
        }
        json_array_append_new(geometries, geometry);
    }
    return geometries;
}

static json_t* couplers_json(iso_model* model) {
    json_t* couplers = json_array();
    for (int i = 0; i < iso_model_coupler_count(model); ++i) {
        const iso_coupler_desc* d = iso_model_coupler(model, i);
        json_array_append_new(
            couplers, json_pack("{s:s,s:s,s:s,s:f,s:f,s:[f,f,f],s:b}", "name", d->name, "joint_a",
                                iso_model_joint(model, d->joint_a)->name, "joint_b",
                                iso_model_joint(model, d->joint_b)->name, "ratio", d->ratio,
                                "offset", d->offset, "curve", d->curve[0], d->curve[1], d->curve[2],
                                "active", !d->is_off));
    }
    return couplers;
}

static json_t* fixed_tendons_json(iso_model* model) {
    json_t* tendons = json_array();
    for (int i = 0; i < iso_model_fixed_tendon_count(model); ++i) {
        const iso_fixed_tendon_desc* d = iso_model_fixed_tendon(model, i);
        json_t *joints = json_array(), *weights = json_array();
        for (int k = 0; k < d->joint_count; ++k) {
            json_array_append_new(joints, json_string(iso_model_joint(model, d->joints[k])->name));
            json_array_append_new(weights, json_real(d->weights[k]));
        }
        json_array_append_new(
            tendons, json_pack("{s:s,s:i,s:o,s:o,s:f,s:f,s:f,s:f,s:o,s:o}", "name", d->name,
                               "route_parts", d->part_count, "joints", joints, "weights", weights,
                               "stiffness", d->stiffness, "damping", d->damping, "spring_reference",
                               d->spring_reference, "friction", d->friction, "lower",
                               json_limit(d->lower), "upper", json_limit(d->upper)));
    }
    return tendons;
}

static json_t* constraints_json(iso_model* model) {
    json_t* constraints = json_array();
    for (int i = 0; i < iso_model_constraint_count(model); ++i) {
        const iso_constraint_desc* d = iso_model_constraint(model, i);
        bool has_length = d->kind == ISO_CONSTRAINT_DISTANCE || d->kind == ISO_CONSTRAINT_TENDON;
        json_array_append_new(constraints,
                              json_pack("{s:s,s:s,s:s,s:s,s:o,s:o,s:o,s:b}", "name", d->name,
                                        "kind", constraint_kind_name(d->kind), "body_a",
                                        iso_model_body(model, d->body_a)->name, "body_b",
                                        iso_model_body(model, d->body_b)->name, "length",
                                        has_length ? json_real(d->length) : json_null(),
                                        "stiffness", json_limit(d->stiffness), "damping",
                                        json_limit(d->damping), "is_off", d->is_off));
    }
    return constraints;
}

static json_t* sensors_json(const iso_scene* scene) {
    json_t* sensors = json_array();
    for (int i = 0; i < scene->sensor_count; ++i) {
        const iso_sensor_desc* d = &scene->sensors[i];
        json_t* sensor =
            json_pack("{s:s,s:s,s:s?,s:s?,s:s?,s:o}", "name", d->name, "kind",
                      iso_sensor_kind_name(d->kind), "joint", d->joint, "body", d->body,
                      "fixed_tendon", d->fixed_tendon, "position", cli_json_vec3(d->x_bs.p));
        if (d->zone != ISO_ZONE_ALL) {
            json_object_set_new(sensor, "zone",
                                json_pack("{s:s,s:o}", "shape",
                                          iso_name_of(ISO_NAMES_SENSOR_ZONE, (int)d->zone), "size",
                                          cli_json_vec3(d->zone_size)));
        }
        if (d->kind == ISO_SENSOR_TACTILE) {
            json_object_set_new(sensor, "rows", json_integer(d->rows));
            json_object_set_new(sensor, "columns", json_integer(d->columns));
            json_object_set_new(sensor, "size", json_pack("[f,f]", d->width, d->height));
        }
        json_array_append_new(sensors, sensor);
    }
    return sensors;
}

/// Without the rounding of rotations: -1.2e-16 reads as 0.
static double tidy(double x) {
    return fabs(x) < 1e-12 ? 0.0 : x;
}

static void print_joints(iso_model* model, const iso_world* world) {
    for (int i = 0; i < iso_model_joint_count(model); ++i) {
        const iso_joint_desc* d = iso_model_joint(model, i);
        printf("  joint    %-36s %s", d->name, joint_kind_name(d->kind));
        if (has_axis(d->kind)) {
            iso_pose x_wf = joint_pose(model, world, d);
            iso_vec3 axis = iso_mat3_mul_vec3(&x_wf.r, d->axis);
            printf(" along %.4g %.4g %.4g", tidy(axis.x), tidy(axis.y), tidy(axis.z));
        }
        if (isfinite(d->lower) || isfinite(d->upper)) {
            printf(", limits %g to %g %s", d->lower, d->upper,
                   d->kind == ISO_JOINT_PRISMATIC ? "m" : "rad");
        }
        printf("\n");
    }
}

static void print_geometries(iso_model* model) {
    for (int i = 0; i < iso_model_geometry_count(model); ++i) {
        int body = 0;
        const iso_geometry_desc* d = iso_model_geometry(model, i, &body);
        iso_vec3 v = d->surface_velocity;
        printf("  geometry %s / %s: ", iso_model_body(model, body)->name, d->name);
        iso_contact_material material = cli_effective_material(d);
        cli_print_material(&material, iso_shape_kind_name(d->shape.kind));
        if (iso_vec3_norm_squared(v) > 0.0) {
            printf("    belt: its surface moves at %g %g %g m/s\n", v.x, v.y, v.z);
        }
    }
}

static void print_bodies(iso_model* model, const iso_world* world) {
    for (int i = 1; i < iso_model_body_count(model); ++i) {
        const iso_body_desc* d = iso_model_body(model, i);
        int body = iso_world_find_body(world, d->name);
        iso_vec3 p = iso_world_body_pose(world, body).p;
        bool is_free = iso_world_coordinates(world, body).kind == ISO_JOINT_FREE;
        printf("  body     %-36s %8.4g kg at %g %g %g%s", d->name, d->mass, tidy(p.x), tidy(p.y),
               tidy(p.z),
               iso_world_body_is_fixed(world, body) ? " (fixed)"
               : is_free                            ? " (floats)"
                                                    : "");
        if (d->gravity_compensation != 0.0) {
            printf(", gravity compensation %g", d->gravity_compensation);
        }
        printf("\n");
    }
}

static void print_tendons(iso_model* model) {
    for (int i = 0; i < iso_model_fixed_tendon_count(model); ++i) {
        const iso_fixed_tendon_desc* d = iso_model_fixed_tendon(model, i);
        printf("  fixed tendon %s:", d->name);
        if (d->part_count > 0) {
            printf(" route of %d parts", d->part_count);
        }
        for (int k = 0; k < d->joint_count; ++k) {
            printf(" %s%g %s", k > 0 ? "+ " : "", d->weights[k],
                   iso_model_joint(model, d->joints[k])->name);
        }
        printf(", %g to %g, stiffness %g, damping %g, friction %g, at rest at %g\n", d->lower,
               d->upper, d->stiffness, d->damping, d->friction, d->spring_reference);
    }
}

/// What an actuator acts on: a joint, a fixed tendon, or what a body touches.
static const char* driven_name(iso_model* model, const iso_actuator_desc* actuator) {
    return actuator->joint >= 0 ? iso_model_joint(model, actuator->joint)->name
           : actuator->fixed_tendon >= 0
               ? iso_model_fixed_tendon(model, actuator->fixed_tendon)->name
               : iso_model_body(model, actuator->adhesion_body)->name;
}

static const char* driven_kind(const iso_actuator_desc* actuator) {
    return actuator->joint >= 0          ? "joint"
           : actuator->fixed_tendon >= 0 ? "fixed_tendon"
                                         : "adhesion";
}

static void print_ties(const iso_scene* scene) {
    iso_model* model = scene->model;
    for (int i = 0; i < iso_model_actuator_count(model); ++i) {
        const iso_actuator_desc* d = iso_model_actuator(model, i);
        double lower = fmax(d->effort_lower, -d->effort_limit);
        double upper = fmin(d->effort_upper, d->effort_limit);
        if (d->joint >= 0) {
            const iso_joint_desc* on = iso_model_joint(model, d->joint);
            lower = fmax(lower, fmax(on->effort_lower, -on->effort_limit));
            upper = fmin(upper, fmin(on->effort_upper, on->effort_limit));
        } else if (d->fixed_tendon < 0) {
            printf("  actuator %s pulls at what %s touches, with %g to %g N\n", d->name,
                   driven_name(model, d), fmax(lower, 0.0), upper);
            continue;
        }
        printf("  actuator %s on %s, effort %g to %g, kp %g, kd %g\n", d->name,
               driven_name(model, d), lower, upper, d->kp + 0.0, d->kd + 0.0);
    }
    for (int i = 0; i < iso_model_coupler_count(model); ++i) {
        const iso_coupler_desc* d = iso_model_coupler(model, i);
        const char* leader = iso_model_joint(model, d->joint_a)->name;
        printf("  coupler  %s: %s = %g %s + %g", d->name, iso_model_joint(model, d->joint_b)->name,
               d->ratio, leader, d->offset);
        for (int k = 0; k < ISO_COUPLER_CURVE; ++k) {
            if (d->curve[k] != 0.0) {
                printf(" + %g %s^%d", d->curve[k], leader, k + 2);
            }
        }
        printf("%s\n", d->is_off ? ", off" : "");
    }
    print_tendons(model);
    for (int i = 0; i < iso_model_constraint_count(model); ++i) {
        const iso_constraint_desc* d = iso_model_constraint(model, i);
        printf("  constraint %s: %s of %s and %s", d->name, constraint_kind_name(d->kind),
               iso_model_body(model, d->body_a)->name, iso_model_body(model, d->body_b)->name);
        if (d->kind == ISO_CONSTRAINT_DISTANCE || d->kind == ISO_CONSTRAINT_TENDON) {
            printf(", length %g m", d->length);
        }
        printf("%s\n", d->is_off ? ", off until it is switched on" : "");
    }
    for (int i = 0; i < scene->sensor_count; ++i) {
        const iso_sensor_desc* d = &scene->sensors[i];
        printf("  sensor   %s: %s on %s", d->name, iso_sensor_kind_name(d->kind),
               d->joint != NULL  ? d->joint
               : d->body != NULL ? d->body
                                 : d->fixed_tendon);
        if (d->kind == ISO_SENSOR_TACTILE) {
            printf(", %d x %d cells over %g x %g m", d->rows, d->columns, d->width, d->height);
        }
        if (d->zone != ISO_ZONE_ALL) {
            printf(", zone %s", iso_name_of(ISO_NAMES_SENSOR_ZONE, (int)d->zone));
        }
        printf("\n");
    }
}

static const char* contact_model_name(const iso_scene* scene) {
    iso_contact_model_kind kind = scene->world.contact.model;
    return iso_name_of(
        ISO_NAMES_CONTACT_MODEL_KIND,
        (int)(kind != ISO_CONTACT_MODEL_DEFAULT ? kind : ISO_CONTACT_MODEL_PRESSURE_FIELD));
}

static void print_scene(const char* path, const iso_scene* scene, const iso_world* world) {
    iso_model* model = scene->model;
    int bodies = iso_model_body_count(model) - 1, joints = iso_model_joint_count(model);
    int geometries = iso_model_geometry_count(model), visuals = iso_model_visual_count(model);
    int actuators = iso_model_actuator_count(model);
    printf("%s: scene '%s', %d bod%s, %d joint%s, %d contact geometr%s, %d visual%s, %d "
           "actuator%s\n",
           path, scene->name, bodies, bodies == 1 ? "y" : "ies", joints, cli_plural(joints),
           geometries, geometries == 1 ? "y" : "ies", visuals, cli_plural(visuals), actuators,
           cli_plural(actuators));
    printf("time step %g s, gravity %g %g %g m/s^2", scene->world.time_step, scene->world.gravity.x,
           scene->world.gravity.y, scene->world.gravity.z);
    printf(", contact model %s\n", contact_model_name(scene));
    print_bodies(model, world);
    print_joints(model, world);
    print_geometries(model);
    print_ties(scene);
    cli_print_task(scene, world);
}

static json_t* actuators_json(iso_model* model) {
    json_t* actuators = json_array();
    for (int i = 0; i < iso_model_actuator_count(model); ++i) {
        const iso_actuator_desc* d = iso_model_actuator(model, i);
        json_array_append_new(
            actuators, json_pack("{s:s,s:s,s:o,s:o,s:o,s:f,s:f}", "name", d->name, driven_kind(d),
                                 driven_name(model, d), "effort_limit", json_limit(d->effort_limit),
                                 "effort_lower", json_limit(d->effort_lower), "effort_upper",
                                 json_limit(d->effort_upper), "kp", d->kp, "kd", d->kd));
    }
    return actuators;
}

static json_t* scene_json(const char* path, const iso_scene* scene, const iso_world* world) {
    iso_model* model = scene->model;
    return json_pack("{s:o,s:s,s:f,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}",
                     "file", cli_json_path(path), "scene", scene->name, "time_step",
                     scene->world.time_step, "contact_model", contact_model_name(scene), "bodies",
                     bodies_json(model, world), "joints", joints_json(model, world), "geometries",
                     geometries_json(model), "actuators", actuators_json(model), "couplers",
                     couplers_json(model), "fixed_tendons", fixed_tendons_json(model),
                     "constraints", constraints_json(model), "sensors", sensors_json(scene),
                     "frames", cli_json_frames(scene, world), "commands", cli_json_commands(scene),
                     "forces", cli_json_forces(scene), "programs", cli_json_programs(scene),
                     "motions", cli_json_motions(scene), "events", cli_json_events(scene));
}

cli_exit cli_inspect_scene(cli_session* session, const cli_options* options) {
    iso_scene scene = {0};
    iso_world* world = NULL;
    iso_sensors* sensors = NULL;
    cli_exit code = CLI_DONE;
    iso_status status = cli_load(session, options, false, &scene, &world);
    if (status == ISO_OK) {
        // Whether they name what is there.
        status = iso_sensors_create(world, scene.sensors, scene.sensor_count, &sensors);
    }
    if (status != ISO_OK) {
        code = cli_report(session, status);
    } else if (options->is_json) {
        code = cli_json_print(scene_json(options->input, &scene, world));
    } else {
        print_scene(options->input, &scene, world);
    }
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    iso_scene_destroy(session->ctx, &scene);
    return code;
}
