// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

#define USUAL_TIME_STEP 0.002 // of the format [s]

iso_status iso_mjcf_each(iso_mjcf_reader* reader, const char* name, iso_mjcf_fn fn) {
    for (int i = 0; i < reader->sections.count; ++i) {
        if (iso_xml_is(reader->sections.data[i], name)) {
            ISO_SCENE_TRY(fn(reader, reader->sections.data[i]));
        }
    }
    return ISO_OK;
}

// --- sections ------------------------------------------------------------------------------------

// What is read, and what only a renderer, a solver or a measurement uses.
static iso_status check_sections(const iso_mjcf_reader* reader) {
    static const char* const known[] = {"compiler",  "option",   "default",  "asset",
                                        "worldbody", "contact",  "equality", "tendon",
                                        "actuator",  "keyframe", "visual",   "statistic",
                                        "size",      "custom",   "sensor",   NULL};
    iso_name_list list = iso_name_list_of(known, -1);
    for (int i = 0; i < reader->sections.count; ++i) {
        bool is_known = false;
        const xmlNode* flex = iso_xml_child(reader->sections.data[i], "flex");
        bool is_soft = flex && iso_xml_is(reader->sections.data[i], "deformable");
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(is_soft ? flex : reader->sections.data[i]),
                          !is_soft, ISO_ERR_UNSUPPORTED,
                          "<flex>: a deformable body is not supported; its vertices, bodies of the "
                          "file, would fall apart");
        for (int j = 0; known[j] && !is_known; ++j) {
            is_known = iso_xml_is(reader->sections.data[i], known[j]);
        }
        if (!is_known) {
            iso_xml_warn_misspelt(reader->build, reader->sections.data[i], NULL, &list);
        }
        iso_mjcf_check_elements(reader, reader->sections.data[i], true);
    }
    return ISO_OK;
}

// --- compiler and option -------------------------------------------------------------------------

static iso_status read_angle_settings(iso_mjcf_reader* reader, const iso_mjcf_item* item) {
    iso_mjcf_settings* settings = iso_mjcf_settings_of(reader, item->node);
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    const char* angle = NULL;
    const char* order = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, item->node, "angle", &angle));
    ISO_SCENE_TRY(iso_xml_attribute(build, item->node, "eulerseq", &order));
    if (angle) {
        bool is_radian = strcmp(angle, "radian") == 0;
        ISO_SCENE_REQUIRE(build, at, is_radian || strcmp(angle, "degree") == 0, ISO_ERR_PARSE,
                          "<compiler>: angle is '%.40s', expected degree or radian", angle);
        settings->angle_unit = is_radian ? 1.0 : ISO_PI / 180.0;
    }
    if (order) {
        ISO_SCENE_REQUIRE(
            build, at, strlen(order) == 3 && strspn(order, "xyzXYZ") == 3, ISO_ERR_PARSE,
            "<compiler>: eulerseq is '%.40s', expected three of x, y, z, X, Y, Z", order);
        memcpy(settings->euler_order, order, 4);
    }
    return ISO_OK;
}

static iso_status read_mass_settings(iso_mjcf_reader* reader, const iso_mjcf_item* item) {
    iso_mjcf_settings* settings = iso_mjcf_settings_of(reader, item->node);
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    double groups[2] = {0.0, 5.0};
    ISO_SCENE_TRY(iso_mjcf_flag(reader, item, "inertiafromgeom", &settings->inertia_from_geometry));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "boundmass", 1, 1, &settings->bound_mass, NULL));
    ISO_SCENE_TRY(
        iso_mjcf_numbers(reader, item, "boundinertia", 1, 1, &settings->bound_inertia, NULL));
    ISO_SCENE_TRY(
        iso_mjcf_numbers(reader, item, "settotalmass", 1, 1, &settings->total_mass, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "inertiagrouprange", 2, 2, groups, NULL));
    ISO_SCENE_REQUIRE(build, at, settings->total_mass <= ISO_SCENE_MAX_MASS, ISO_ERR_RANGE,
                      "<compiler>: settotalmass is %g kg, expected <= %g", settings->total_mass,
                      ISO_SCENE_MAX_MASS);
    for (int i = 0; i < 2; ++i) {
        ISO_SCENE_REQUIRE(build, at, groups[i] >= 0.0 && groups[i] <= 1e6, ISO_ERR_RANGE,
                          "<compiler>: inertiagrouprange is %g, expected >= 0 and <= 1e6",
                          groups[i]);
        settings->inertia_groups[i] = (int)groups[i];
    }
    return ISO_OK;
}

static iso_status read_compiler(iso_mjcf_reader* reader, const xmlNode* node) {
    static const char* const known[] = {"angle",
                                        "eulerseq",
                                        "autolimits",
                                        "meshdir",
                                        "assetdir",
                                        "inertiafromgeom",
                                        "boundmass",
                                        "boundinertia",
                                        "settotalmass",
                                        "coordinate",
                                        "inertiagrouprange",
                                        "texturedir",
                                        "discardvisual",
                                        "strippath",
                                        "balanceinertia",
                                        "usethread",
                                        "alignfree",
                                        "fitaabb",
                                        NULL};
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(node);
    iso_mjcf_item item = {node, -1};
    iso_mjcf_settings* settings = iso_mjcf_settings_of(reader, node);
    const char* coordinate = NULL;
    const char* strip = NULL;
    int automatic = settings->has_automatic_limits, balanced = settings->has_balanced_inertia;
    int aligned = settings->has_aligned_bodies, fits_boxes = settings->fits_boxes;
    static const char* const of_muscles[] = {"lengthrange", NULL};
    iso_xml_warn_attributes(reader->build, node, known);
    iso_xml_warn_unknown(reader->build, node, of_muscles);
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "coordinate", &coordinate));
    ISO_SCENE_REQUIRE(build, at, !coordinate || strcmp(coordinate, "local") == 0,
                      ISO_ERR_UNSUPPORTED,
                      "<compiler>: coordinate is '%.40s', expected local (save the model with "
                      "MuJoCo 2.3.3 to convert it)",
                      coordinate);
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "strippath", &strip));
    settings->strips_paths = strip ? strcmp(strip, "true") == 0 : settings->strips_paths;
    ISO_SCENE_TRY(iso_mjcf_flag(reader, &item, "autolimits", &automatic));
    ISO_SCENE_TRY(iso_mjcf_flag(reader, &item, "balanceinertia", &balanced));
    ISO_SCENE_TRY(iso_mjcf_flag(reader, &item, "alignfree", &aligned));
    ISO_SCENE_TRY(iso_mjcf_flag(reader, &item, "fitaabb", &fits_boxes));
    settings->fits_boxes = fits_boxes != 0;
    settings->has_aligned_bodies = aligned != 0;
    settings->has_automatic_limits = automatic != 0;
    settings->has_balanced_inertia = balanced != 0;
    const char* directory = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "meshdir", &directory));
    if (!directory) {
        ISO_SCENE_TRY(iso_xml_attribute(build, node, "assetdir", &directory));
    }
    settings->mesh_directory = directory ? directory : settings->mesh_directory;
    ISO_SCENE_TRY(read_angle_settings(reader, &item));
    return read_mass_settings(reader, &item);
}

static iso_status read_option(iso_mjcf_reader* reader, const xmlNode* node) {
    static const char* const known[] = {"timestep", "gravity", "cone", "impratio", NULL};
    static const char* const parts[] = {"flag", NULL};
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(node);
    iso_mjcf_item item = {node, -1};
    iso_vec3* g = &build->world.gravity;
    double step = 0.0, n[3] = {g->x, g->y, g->z};
    int step_count = 0;
    iso_xml_warn_attributes(reader->build, node, known);
    iso_xml_warn_unknown(build, node, parts);
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, "flag")) {
            ISO_SCENE_TRY(iso_mjcf_read_flags(reader, child));
        }
    }
    ISO_SCENE_TRY(iso_mjcf_read_cone(reader, &item));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "timestep", 1, 1, &step, &step_count));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "gravity", 3, 3, n, NULL));
    ISO_SCENE_REQUIRE(build, at, step_count == 0 || (step > 0.0 && step <= 1.0), ISO_ERR_RANGE,
                      "<option>: timestep is %g s, expected > 0 and <= 1", step);
    iso_vec3 gravity = iso_vec3_make(n[0], n[1], n[2]);
    ISO_SCENE_REQUIRE(build, at, iso_vec3_norm(gravity) <= 1e4, ISO_ERR_RANGE,
                      "<option>: gravity is %g m/s^2, expected at most 1e4",
                      iso_vec3_norm(gravity));
    if (reader->is_included) {
        if (iso_vec3_distance(gravity, *g) > 0.05) { // more than 9.8 in the place of 9.81
            iso_scene_warn_once(build, at, "gravity",
                                "<option>: gravity of an included file is not used: the file that "
                                "includes it has its own");
        }
        return ISO_OK;
    }
    build->world.time_step = step_count > 0 ? step : build->world.time_step;
    *g = gravity;
    return ISO_OK;
}

static iso_status read_defaults(iso_mjcf_reader* reader, const xmlNode* node) {
    return iso_mjcf_read_default(reader, node, ISO_MJCF_MAIN);
}

static iso_status read_attached_defaults(iso_mjcf_reader* reader) {
    for (int i = 0; i < reader->attached_defaults.count; ++i) {
        ISO_SCENE_TRY(
            iso_mjcf_read_default(reader, reader->attached_defaults.data[i], ISO_MJCF_ROOT));
    }
    return ISO_OK;
}

// --- model ---------------------------------------------------------------------------------------

// settotalmass: all bodies, those that cannot move too.
static void scale_masses(const iso_mjcf_reader* reader) {
    const iso_mjcf_settings* settings = &reader->settings.data[0];
    double sum = 0.0;
    for (int i = 1; i < reader->bodies.count; ++i) {
        sum += iso_model_body(reader->build->model, reader->bodies.data[i].body)->mass;
    }
    double factor = settings->total_mass > 0.0 && sum > 0.0 ? settings->total_mass / sum : 1.0;
    for (int i = 1; i < reader->bodies.count; ++i) {
        iso_body_desc* body = iso_model_body(reader->build->model, reader->bodies.data[i].body);
        body->mass *= factor;
        body->inertia = iso_mat3_scale(body->inertia, factor);
    }
}

// What refers to bodies, joints and geoms.
static iso_status read_what_moves(iso_mjcf_reader* reader, int joint_count, int tendon_count) {
    ISO_SCENE_TRY(iso_mjcf_each_copy(reader, "tendon", iso_mjcf_name_tendon));
    ISO_SCENE_TRY(iso_mjcf_each_copy(reader, "sensor", iso_mjcf_watch_tendon));
    ISO_SCENE_TRY(iso_mjcf_each_copy(reader, "equality", iso_mjcf_read_equality));
    ISO_SCENE_TRY(iso_mjcf_each_copy(reader, "tendon", iso_mjcf_read_tendon));
    iso_mjcf_drop_disabled(reader, joint_count, tendon_count);
    ISO_SCENE_TRY(iso_mjcf_each_copy(reader, "actuator", iso_mjcf_read_actuator));
    ISO_SCENE_TRY(iso_mjcf_each_copy(reader, "contact", iso_mjcf_read_contact));
    ISO_SCENE_TRY(iso_mjcf_check_models(reader));
    ISO_SCENE_TRY(iso_mjcf_derive_pairs(reader));
    ISO_SCENE_TRY(iso_mjcf_each_copy(reader, "sensor", iso_mjcf_read_sensor));
    return iso_mjcf_read_keyframes(reader);
}

static iso_status read_static(iso_mjcf_reader* reader) {
    static const char* const left_out[] = {"tendon", "equality", "actuator", "sensor"};
    for (int i = 0; i < reader->sections.count; ++i) {
        const xmlNode* section = reader->sections.data[i];
        for (int k = 0; k < 4; ++k) {
            if (iso_xml_is(section, left_out[k]) && iso_xml_first(section)) {
                iso_scene_warn_once(reader->build, iso_xml_source(section), left_out[k],
                                    "<%s> of a static model is left out", left_out[k]);
            }
        }
    }
    ISO_SCENE_TRY(iso_mjcf_each_copy(reader, "contact", iso_mjcf_read_contact));
    ISO_SCENE_TRY(iso_mjcf_check_models(reader));
    return iso_mjcf_derive_pairs(reader);
}

static iso_status read_model(iso_mjcf_reader* reader) {
    iso_scene_build* build = reader->build;
    iso_pose identity = iso_pose_identity();
    int joint_count = iso_model_joint_count(build->model);
    int tendon_count = iso_model_fixed_tendon_count(build->model);
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->classes));
    reader->classes.data[reader->classes.count++] = (iso_mjcf_class){.name = "main", .parent = -1};
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->bodies));
    reader->bodies.data[reader->bodies.count++] = (iso_mjcf_body){
        .name = "world", .body = ISO_WORLD_BODY, .x_wb = identity, .is_static = true};
    ISO_SCENE_TRY(check_sections(reader));
    if (strcmp(reader->path, build->root_path) == 0) { // not one of a scenario, which has its own
        build->world.time_step = USUAL_TIME_STEP;
        build->may_be_empty = true;
    }
    ISO_SCENE_TRY(iso_mjcf_each(reader, "compiler", read_compiler));
    ISO_SCENE_TRY(iso_mjcf_each(reader, "option", read_option));
    if (reader->is_off.gravity && !reader->is_included) {
        build->world.gravity = iso_vec3_zero();
    }
    ISO_SCENE_TRY(iso_mjcf_each(reader, "default", read_defaults));
    ISO_SCENE_TRY(read_attached_defaults(reader));
    iso_mjcf_check_defaults(reader);
    ISO_SCENE_TRY(iso_mjcf_note_defaults(reader));
    ISO_SCENE_TRY(iso_mjcf_each(reader, "asset", iso_mjcf_read_meshes));
    ISO_SCENE_TRY(iso_mjcf_each(reader, "contact", iso_mjcf_collect_pairs));
    ISO_SCENE_TRY(iso_mjcf_each(reader, "custom", iso_mjcf_collect_models));
    ISO_SCENE_TRY(iso_mjcf_each(reader, "worldbody", iso_mjcf_add_bodies));
    ISO_SCENE_TRY(iso_mjcf_exclude_neighbours(reader));
    scale_masses(reader);
    ISO_SCENE_TRY(iso_mjcf_add_spring_dampers(reader));
    ISO_SCENE_TRY(iso_mjcf_add_frames(reader));
    return reader->is_static ? read_static(reader)
                             : read_what_moves(reader, joint_count, tendon_count);
}

iso_status iso_mjcf_model_name(iso_scene_build* build, const xmlNode* root, const char* path,
                               const char** out_name) {
    const char* slash = strrchr(path, '/');
    const char* stem = slash ? slash + 1 : path;
    *out_name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, root, "model", out_name));
    return *out_name && **out_name ? ISO_OK
                                   : iso_scene_copy_text(build, stem, strcspn(stem, "."), out_name);
}

static iso_status read_document(iso_mjcf_reader* reader, const char* path, const char* bytes,
                                size_t size, const iso_mjcf_manner* manner) {
    iso_scene_build* build = reader->build;
    xmlNode* root = NULL;
    const char* name = manner->rename;
    ISO_SCENE_TRY(iso_mjcf_read_sections(reader, bytes, size, &root));
    if (!name || !*name) {
        ISO_SCENE_TRY(iso_mjcf_model_name(build, root, path, &name));
    }
    build->name = build->name ? build->name : name;
    ISO_SCENE_TRY(iso_scene_scoped(build, manner->scope, name, &reader->scope));
    return read_model(reader);
}

iso_status iso_mjcf_read_bytes(iso_scene_build* build, const char* path, const char* bytes,
                               size_t size, const iso_mjcf_manner* manner) {
    iso_name_index indices[ISO_MJCF_LIST_COUNT] = {0};
    iso_mjcf_reader reader = {.build = build,
                              .indices = indices,
                              .path = path,
                              .keyframe = build->keyframe,
                              .suffix = "",
                              .is_static = manner->is_static,
                              .is_included = manner->is_included,
                              .point = iso_mjcf_point_law_default()};
    build->keyframe = NULL;
    iso_status status = read_document(&reader, path, bytes, size, manner);
    for (int i = 0; i < reader.wrappers.count; ++i) {
        xmlFreeNode(reader.wrappers.data[i]);
    }
    for (int i = 0; i < reader.docs.count; ++i) {
        xmlFreeDoc(reader.docs.data[i].doc);
    }
    for (int i = 0; i < reader.classes.count; ++i) {
        ISO_ARRAY_FREE(build->ctx, &reader.classes.data[i].elements);
    }
    for (int i = 0; i < ISO_MJCF_LIST_COUNT; ++i) {
        iso_name_index_destroy(build->ctx, &indices[i]);
    }
    ISO_ARRAY_FREE(build->ctx, &reader.docs);
    ISO_ARRAY_FREE(build->ctx, &reader.settings);
    ISO_ARRAY_FREE(build->ctx, &reader.wrappers);
    ISO_ARRAY_FREE(build->ctx, &reader.attached_defaults);
    ISO_ARRAY_FREE(build->ctx, &reader.prefixes);
    ISO_ARRAY_FREE(build->ctx, &reader.sections);
    ISO_ARRAY_FREE(build->ctx, &reader.models);
    ISO_ARRAY_FREE(build->ctx, &reader.classes);
    iso_mjcf_free_defaults(build->ctx, &reader.defaults);
    ISO_ARRAY_FREE(build->ctx, &reader.meshes);
    ISO_ARRAY_FREE(build->ctx, &reader.hfields);
    ISO_ARRAY_FREE(build->ctx, &reader.bodies);
    ISO_ARRAY_FREE(build->ctx, &reader.joints);
    ISO_ARRAY_FREE(build->ctx, &reader.paired);
    ISO_ARRAY_FREE(build->ctx, &reader.geoms);
    ISO_ARRAY_FREE(build->ctx, &reader.excluded);
    ISO_ARRAY_FREE(build->ctx, &reader.sites);
    ISO_ARRAY_FREE(build->ctx, &reader.tendons);
    ISO_ARRAY_FREE(build->ctx, &reader.couplings);
    ISO_ARRAY_FREE(build->ctx, &reader.actuators);
    ISO_ARRAY_FREE(build->ctx, &reader.copies);
    return status;
}
