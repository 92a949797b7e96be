// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has_extension(const char* path, const char* const* extensions) {
    const char* dot = strrchr(path, '.');
    for (int i = 0; dot != NULL && extensions[i] != NULL; ++i) {
        size_t k = 0;
        while (dot[k] != '\0' && extensions[i][k] != '\0' &&
               (dot[k] | 0x20) == (extensions[i][k] | 0x20)) {
            ++k;
        }
        if (dot[k] == '\0' && extensions[i][k] == '\0') {
            return true;
        }
    }
    return false;
}

static const char* joint_kind_name(iso_joint_kind kind) {
    static const char* const k_names[] = {"weld",  "revolute",  "prismatic", "free",
                                          "screw", "universal", "ball",      "planar"};
    return k_names[kind];
}

/// JSON has no infinities: an absent limit is null.
static json_t* json_limit(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t* scene_bodies_json(iso_model* model, const iso_world* world) {
    json_t* bodies = json_array();
    for (int i = 1; i < iso_model_body_count(model); ++i) {
        const iso_body_desc* d = iso_model_body(model, i);
        iso_pose x_wb = iso_world_body_pose(world, iso_world_find_body(world, d->name));
        iso_quat q = iso_quat_from_mat3(&x_wb.r);
        json_array_append_new(
            bodies, json_pack("{s:s,s:f,s:o,s:[f,f,f,f,f,f],s:o,s:[f,f,f,f]}", "name", d->name,
                              "mass", d->mass, "center_of_mass", cli_json_vec3(d->center_of_mass),
                              "inertia_xx_yy_zz_xy_xz_yz", d->inertia.m[0][0], d->inertia.m[1][1],
                              d->inertia.m[2][2], d->inertia.m[0][1], d->inertia.m[0][2],
                              d->inertia.m[1][2], "position", cli_json_vec3(x_wb.p),
                              "quaternion_wxyz", q.w, q.x, q.y, q.z));
    }
    return bodies;
}

static json_t* scene_joints_json(iso_model* model) {
    json_t* joints = json_array();
    for (int i = 0; i < iso_model_joint_count(model); ++i) {
        const iso_joint_desc* d = iso_model_joint(model, i);
        json_array_append_new(
            joints, json_pack("{s:s,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:f}", "name", d->name, "kind",
                              joint_kind_name(d->kind), "parent",
                              iso_model_body(model, d->parent)->name, "child",
                              iso_model_body(model, d->child)->name, "axis", cli_json_vec3(d->axis),
                              "lower", json_limit(d->lower), "upper", json_limit(d->upper),
                              "effort", json_limit(d->effort_limit), "damping", d->damping));
    }
    return joints;
}

static json_t* scene_geometries_json(iso_model* model) {
    json_t* geometries = json_array();
    for (int i = 0; i < iso_model_geometry_count(model); ++i) {
        int body = 0;
        const iso_geometry_desc* d = iso_model_geometry(model, i, &body);
        json_t* geometry = json_pack("{s:s,s:s,s:s}", "body", iso_model_body(model, body)->name,
                                     "name", d->name, "shape", iso_shape_kind_name(d->shape.kind));
        cli_json_add_material(geometry, &d->material);
        json_array_append_new(geometries, geometry);
    }
    return geometries;
}

static void print_scene(const char* path, const iso_scene* scene, const iso_world* world) {
    iso_model* model = scene->model;
    printf(
        "%s: scene '%s', %d bodies, %d joints, %d contact geometries, %d visuals, %d actuators\n",
        path, scene->name, iso_model_body_count(model) - 1, iso_model_joint_count(model),
        iso_model_geometry_count(model), iso_model_visual_count(model),
        iso_model_actuator_count(model));
    printf("time step %g s, gravity %g %g %g m/s^2\n", scene->world.time_step,
           scene->world.gravity.x, scene->world.gravity.y, scene->world.gravity.z);
    for (int i = 1; i < iso_model_body_count(model); ++i) {
        const iso_body_desc* d = iso_model_body(model, i);
        int body = iso_world_find_body(world, d->name);
        iso_vec3 p = iso_world_body_pose(world, body).p;
        printf("  body     %-36s %8.4g kg at %g %g %g%s\n", d->name, d->mass, p.x, p.y, p.z,
               iso_world_body_is_fixed(world, body) ? " (fixed)" : "");
    }
    for (int i = 0; i < iso_model_joint_count(model); ++i) {
        const iso_joint_desc* d = iso_model_joint(model, i);
        printf("  joint    %-36s %s", d->name, joint_kind_name(d->kind));
        if (isfinite(d->lower) || isfinite(d->upper)) {
            printf(", limits %g to %g %s", d->lower, d->upper,
                   d->kind == ISO_JOINT_PRISMATIC ? "m" : "rad");
        }
        printf("\n");
    }
    for (int i = 0; i < iso_model_geometry_count(model); ++i) {
        int body = 0;
        const iso_geometry_desc* d = iso_model_geometry(model, i, &body);
        printf("  geometry %s / %s: ", iso_model_body(model, body)->name, d->name);
        cli_print_material(&d->material, iso_shape_kind_name(d->shape.kind));
    }
    for (int i = 0; i < iso_model_actuator_count(model); ++i) {
        const iso_actuator_desc* d = iso_model_actuator(model, i);
        printf("  actuator %s on %s, effort limit %g, kp %g, kd %g\n", d->name,
               iso_model_joint(model, d->joint)->name, d->effort_limit, d->kp, d->kd);
    }
}

static cli_exit inspect_scene(cli_session* session, const cli_options* options) {
    iso_scene scene = {0};
    iso_world* world = NULL;
    cli_exit code = CLI_DONE;
    iso_status status = cli_load(session, options, false, &scene, &world);
    if (status != ISO_OK) {
        code = cli_report(session, status);
    } else if (options->is_json) {
        code = cli_json_print(json_pack(
            "{s:s,s:s,s:f,s:o,s:o,s:o}", "file", options->input, "scene", scene.name, "time_step",
            scene.world.time_step, "bodies", scene_bodies_json(scene.model, world), "joints",
            scene_joints_json(scene.model), "geometries", scene_geometries_json(scene.model)));
    } else {
        print_scene(options->input, &scene, world);
    }
    iso_world_destroy(world);
    iso_scene_destroy(session->ctx, &scene);
    return code;
}

cli_exit cli_inspect(const cli_options* options) {
    static const char* const k_surfaces[] = {".obj", ".stl", ".gltf", ".glb", ".dae", ".ply", NULL};
    static const char* const k_volumes[] = {".vtk", ".vtu", ".msh", NULL};
    bool is_surface = has_extension(options->input, k_surfaces);
    bool is_volume = has_extension(options->input, k_volumes);
    cli_session session;
    cli_exit code = cli_session_open(&session, options);
    if (code != CLI_DONE) {
        return code;
    }
    if (is_surface) {
        code = cli_inspect_surface(&session, options);
    } else if (is_volume) {
        code = cli_inspect_volume(&session, options);
    } else {
        code = inspect_scene(&session, options);
    }
    cli_session_close(&session);
    return code;
}
