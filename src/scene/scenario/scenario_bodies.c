// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/mass_sum.h"
#include "scene/scenario/scenario.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MAX_GEOMETRIES 1000 // of one inline body

// --- shapes --------------------------------------------------------------------------------------

// In the order of iso_shape_kind.
static const char* const k_shape_names[] = {"sphere",  "ellipsoid",  "box",    "cylinder",
                                            "capsule", "half_space", "convex", "mesh"};
static const char* const k_shape_keys[][3] = {
    {"radius"},           {"semi_axes"}, {"size"},          {"radius", "length"},
    {"radius", "length"}, {NULL},        {"file", "scale"}, {"file", "scale"},
};
static const char* const k_all_shape_keys[] = {"radius",    "length", "size",
                                               "semi_axes", "file",   "scale"};

static bool has_shape_key(int kind, const char* key) {
    for (int i = 0; i < 2; ++i) {
        if (k_shape_keys[kind][i] && strcmp(k_shape_keys[kind][i], key) == 0) {
            return true;
        }
    }
    return false;
}

static iso_status check_shape_keys(const iso_scene_build* build, const iso_yaml_node* node,
                                   int kind) {
    for (size_t i = 0; i < sizeof k_all_shape_keys / sizeof *k_all_shape_keys; ++i) {
        const char* key = k_all_shape_keys[i];
        const iso_yaml_node* value = iso_yaml_get(node, key);
        ISO_SCENE_REQUIRE(build, value ? value->source : node->source,
                          !value || has_shape_key(kind, key), ISO_ERR_PARSE, "a %s has no %s",
                          k_shape_names[kind], key);
    }
    for (int i = 0; i < 2 && k_shape_keys[kind][i]; ++i) {
        const char* key = k_shape_keys[kind][i];
        ISO_SCENE_REQUIRE(build, node->source, iso_yaml_get(node, key) || strcmp(key, "scale") == 0,
                          ISO_ERR_PARSE, "a %s needs the key '%s'", k_shape_names[kind], key);
    }
    return ISO_OK;
}

static iso_status read_scale(iso_scene_build* build, const iso_yaml_node* node, iso_vec3* scale) {
    const iso_yaml_node* value = iso_yaml_get(node, "scale");
    if (value && value->kind == ISO_YAML_SCALAR) {
        double s = 1.0;
        ISO_SCENE_TRY(iso_yaml_number(build, value, "scale", &s));
        *scale = iso_vec3_make(s, s, s);
        return ISO_OK;
    }
    return iso_yaml_get_vec3(build, node, "scale", scale);
}

iso_status iso_scenario_read_shape(iso_scene_build* build, const iso_yaml_node* node,
                                   const char* what, iso_shape_desc* shape) {
    int kind = 0;
    iso_yaml_node* name = NULL;
    ISO_SCENE_TRY(iso_yaml_require(build, node, what, "shape", &name));
    ISO_SCENE_TRY(iso_yaml_get_choice(build, node, "shape", k_shape_names, 8, &kind));
    ISO_SCENE_TRY(check_shape_keys(build, node, kind));
    *shape = iso_shape_desc_default((iso_shape_kind)kind);
    ISO_SCENE_TRY(iso_yaml_get_number(build, node, "radius", &shape->radius));
    ISO_SCENE_TRY(iso_yaml_get_number(build, node, "length", &shape->length));
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "size", &shape->size));
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "semi_axes", &shape->size));
    const iso_yaml_node* file = iso_yaml_get(node, "file");
    if (file) {
        const char* uri = NULL;
        ISO_SCENE_TRY(iso_yaml_text(build, file, "file", &uri));
        ISO_SCENE_TRY(iso_scene_resolve_uri(build, file->source, uri, &shape->path));
        ISO_SCENE_TRY(read_scale(build, node, &shape->scale));
    }
    return iso_scene_check_shape(build, node->source, shape);
}

// Pose of a geometry in its body.
static iso_status read_part_pose(iso_scene_build* build, const iso_yaml_node* node,
                                 iso_pose* out_x) {
    iso_scene_frame base;
    const iso_yaml_node* pose = iso_yaml_get(node, "pose");
    ISO_SCENE_REQUIRE(build, pose ? pose->source : node->source, !iso_yaml_get(pose, "base_frame"),
                      ISO_ERR_PARSE, "the pose of a geometry is in its body; it has no base_frame");
    return iso_scenario_read_pose(build, pose, "pose", "", &base, out_x);
}

static iso_status read_color(const iso_scene_build* build, const iso_yaml_node* node,
                             float rgba[4]) {
    const iso_yaml_node* color = iso_yaml_get(node, "color");
    double c[4] = {0.0, 0.0, 0.0, 1.0};
    if (!color) {
        return ISO_OK;
    }
    int count = color->kind == ISO_YAML_SEQUENCE && color->count == 3 ? 3 : 4;
    ISO_SCENE_TRY(iso_yaml_numbers(build, color, "color", count, c));
    for (int i = 0; i < 4; ++i) {
        ISO_SCENE_REQUIRE(build, color->source, c[i] >= 0.0 && c[i] <= 1.0, ISO_ERR_RANGE,
                          "color component %d is %g, expected 0 to 1", i, c[i]);
        rgba[i] = (float)c[i];
    }
    return ISO_OK;
}

// --- mass ----------------------------------------------------------------------------------------

static iso_status sum_masses(iso_scene_build* build, const iso_yaml_node* list, iso_mass_sum* sum) {
    *sum = (iso_mass_sum){.second = iso_mat3_zero()};
    for (int i = 0; list && i < list->count; ++i) {
        iso_shape_desc shape;
        iso_pose x_bg;
        iso_mass_properties m;
        ISO_SCENE_TRY(iso_scenario_read_shape(build, list->children[i], "a geometry", &shape));
        ISO_SCENE_TRY(read_part_pose(build, list->children[i], &x_bg));
        ISO_SCENE_TRY(iso_scene_shape_mass(build, list->children[i]->source, &shape, &m));
        iso_mass_sum_add(sum, &m, &x_bg, 1.0);
    }
    return ISO_OK;
}

// Mass spread evenly over the geometries.
static iso_status mass_from_geometry(iso_scene_build* build, const iso_yaml_node* node,
                                     iso_body_desc* body) {
    const iso_yaml_node* density_node = iso_yaml_get(node, "density");
    const iso_yaml_node* list = iso_yaml_get(node, "geometry");
    double density = 0.0;
    iso_mass_sum sum;
    ISO_SCENE_REQUIRE(build, node->source, list && list->count > 0, ISO_ERR_PARSE,
                      "body '%s' has no geometry to take its inertia from; give inertia",
                      body->name);
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "density", 0.0, true, ISO_SCENE_MAX_DENSITY, &density));
    ISO_SCENE_TRY(sum_masses(build, list, &sum));
    density = density_node ? density : body->mass / sum.mass; // of what has density 1 in the sum
    iso_mass_sum_get(&sum, body);
    body->mass = density * sum.mass;
    body->inertia = iso_mat3_scale(body->inertia, density);
    return ISO_OK;
}

static iso_status read_inertia(iso_scene_build* build, const iso_yaml_node* value,
                               iso_mat3* inertia) {
    double n[6] = {0.0};
    bool is_full = value->kind == ISO_YAML_SEQUENCE && value->count == 6;
    ISO_SCENE_TRY(iso_yaml_numbers(build, value,
                                   "inertia ([ixx, iyy, izz] or [ixx, iyy, izz, ixy, "
                                   "ixz, iyz])",
                                   is_full ? 6 : 3, n));
    *inertia = iso_mat3_diagonal(n[0], n[1], n[2]);
    inertia->m[0][1] = inertia->m[1][0] = n[3];
    inertia->m[0][2] = inertia->m[2][0] = n[4];
    inertia->m[1][2] = inertia->m[2][1] = n[5];
    return ISO_OK;
}

static iso_status read_mass(iso_scene_build* build, const iso_yaml_node* node, bool is_fixed,
                            iso_body_desc* body) {
    const iso_yaml_node* mass = iso_yaml_get(node, "mass");
    const iso_yaml_node* density = iso_yaml_get(node, "density");
    const iso_yaml_node* inertia = iso_yaml_get(node, "inertia");
    iso_source at = mass ? mass->source : node->source;
    body->mass = 0.0;
    body->inertia = iso_mat3_zero();
    body->center_of_mass = iso_vec3_zero();
    ISO_SCENE_REQUIRE(build, at, !mass || !density, ISO_ERR_PARSE,
                      "body '%s' has both mass and density, expected one", body->name);
    ISO_SCENE_REQUIRE(build, at, mass || density || is_fixed, ISO_ERR_PARSE,
                      "body '%s' has neither mass nor density (nor fixed: true)", body->name);
    ISO_SCENE_REQUIRE(build, at, !inertia || mass, ISO_ERR_PARSE,
                      "body '%s' has an inertia but no mass", body->name);
    if (!mass && !density) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "mass", 0.0, true, ISO_SCENE_MAX_MASS, &body->mass));
    if (inertia) {
        ISO_SCENE_TRY(read_inertia(build, inertia, &body->inertia));
    } else {
        ISO_SCENE_TRY(mass_from_geometry(build, node, body));
    }
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "com", &body->center_of_mass));
    return iso_scene_check_inertia(build, inertia ? inertia->source : at, body->name, body, false);
}

// --- bodies --------------------------------------------------------------------------------------

// A whole number of 32 bits.
static iso_status read_bits(const iso_scene_build* build, const iso_yaml_node* node,
                            const char* key, uint32_t* bits) {
    const iso_yaml_node* value = iso_yaml_get(node, key);
    double number = *bits;
    ISO_SCENE_TRY(value ? iso_yaml_number(build, value, key, &number) : ISO_OK);
    ISO_SCENE_REQUIRE(build, value ? value->source : node->source,
                      number == floor(number) && number >= 0.0 && number <= UINT32_MAX,
                      ISO_ERR_RANGE, "%s is %.15g, expected a whole number from 0 to %" PRIu32, key,
                      number, UINT32_MAX);
    *bits = (uint32_t)number;
    return ISO_OK;
}

static iso_status check_geometry_keys(const iso_scene_build* build, const iso_yaml_node* node) {
    static const char* const own_keys[] = {
        "name",          "shape", "pose", "material", "surface_velocity", "collision_group",
        "collision_mask"};
    const char* known[7 + 6 + ISO_SCENARIO_PROPERTY_COUNT + 1] = {NULL};
    int count = 0;
    for (int i = 0; i < 7; ++i) {
        known[count++] = own_keys[i];
    }
    for (int i = 0; i < 6; ++i) {
        known[count++] = k_all_shape_keys[i];
    }
    for (int i = 0; i < ISO_SCENARIO_PROPERTY_COUNT; ++i) {
        known[count++] = iso_scenario_property_keys[i];
    }
    return iso_yaml_check_mapping(build, node, "a geometry", known);
}

// Before anything is read of them: a misspelt key is not called a missing one.
static iso_status check_geometries(const iso_scene_build* build, const iso_yaml_node* geometry) {
    if (!geometry || iso_yaml_is_null(geometry)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, geometry, "geometry"));
    ISO_SCENE_REQUIRE(build, geometry->source, geometry->count <= MAX_GEOMETRIES, ISO_ERR_RANGE,
                      "%d geometries in one body, expected at most %d", geometry->count,
                      MAX_GEOMETRIES);
    for (int i = 0; i < geometry->count; ++i) {
        ISO_SCENE_TRY(check_geometry_keys(build, geometry->children[i]));
    }
    return ISO_OK;
}

static iso_status add_geometry(const iso_scenario* scenario, const iso_yaml_node* node, int body) {
    iso_scene_build* build = scenario->build;
    iso_geometry_desc geometry = iso_geometry_desc_default();
    iso_material_spec spec = iso_material_spec_default();
    ISO_SCENE_TRY(iso_yaml_get_text(build, node, "name", &geometry.name));
    ISO_SCENE_TRY(iso_scenario_read_shape(build, node, "a geometry", &geometry.shape));
    ISO_SCENE_TRY(read_part_pose(build, node, &geometry.x_bg));
    ISO_SCENE_TRY(iso_scenario_read_material(scenario, node, &spec));
    ISO_SCENE_TRY(iso_yaml_get_vec3(build, node, "surface_velocity", &geometry.surface_velocity));
    ISO_SCENE_TRY(read_bits(build, node, "collision_group", &geometry.collision_group));
    ISO_SCENE_TRY(read_bits(build, node, "collision_mask", &geometry.collision_mask));
    geometry.material = spec.value;
    int before = build->learned.count;
    ISO_SCENE_TRY(iso_scene_add_geometry(build, node->source, body, &geometry, &spec));
    if (build->learned.count > before) {
        build->learned.data[before] = spec.learned;
    }
    return ISO_OK;
}

static iso_status add_visual(iso_scene_build* build, const iso_yaml_node* node,
                             const iso_yaml_node* color_node, int body) {
    iso_visual_desc visual = iso_visual_desc_default();
    ISO_SCENE_TRY(iso_yaml_get_text(build, node, "name", &visual.name));
    ISO_SCENE_TRY(iso_scenario_read_shape(build, node, "a geometry", &visual.shape));
    ISO_SCENE_TRY(read_part_pose(build, node, &visual.x_bg));
    ISO_SCENE_TRY(read_color(build, color_node, visual.rgba));
    return iso_scene_add_visual(build, node->source, body, &visual);
}

static iso_status add_parts(const iso_scenario* scenario, const iso_yaml_node* node, int body) {
    static const char* const visual_keys[] = {"name",   "shape",  "pose", "color",
                                              "radius", "length", "size", "semi_axes",
                                              "file",   "scale",  NULL};
    iso_scene_build* build = scenario->build;
    const iso_yaml_node* geometry = iso_yaml_get(node, "geometry");
    const iso_yaml_node* visuals = iso_yaml_get(node, "visuals");
    if (!iso_yaml_is_null(geometry)) {
        for (int i = 0; i < geometry->count; ++i) {
            ISO_SCENE_TRY(add_geometry(scenario, geometry->children[i], body));
        }
    }
    if (!iso_yaml_is_null(visuals)) {
        ISO_SCENE_TRY(iso_yaml_check_sequence(build, visuals, "visuals"));
        for (int i = 0; i < visuals->count; ++i) {
            const iso_yaml_node* visual = visuals->children[i];
            ISO_SCENE_TRY(iso_yaml_check_mapping(build, visual, "a visual", visual_keys));
            ISO_SCENE_TRY(add_visual(build, visual, visual, body));
        }
    } else if (iso_yaml_get(node, "color") && !iso_yaml_is_null(geometry)) {
        // A colour without visuals shows what collides.
        for (int i = 0; i < geometry->count; ++i) {
            ISO_SCENE_TRY(add_visual(build, geometry->children[i], node, body));
        }
    }
    return ISO_OK;
}

// More geometry for the world itself.
static iso_status add_world_parts(const iso_scenario* scenario, const iso_yaml_node* node) {
    static const char* const known[] = {"name", "geometry", "visuals", "color", NULL};
    ISO_SCENE_TRY(iso_yaml_check_mapping(scenario->build, node, "the body 'world'", known));
    ISO_SCENE_TRY(check_geometries(scenario->build, iso_yaml_get(node, "geometry")));
    return add_parts(scenario, node, ISO_WORLD_BODY);
}

static iso_status add_body(const iso_scenario* scenario, const iso_yaml_node* node) {
    static const char* const known[] = {
        "name",  "mass", "density",  "inertia",  "com",     "gravity_compensation",
        "fixed", "pose", "velocity", "geometry", "visuals", "color",
        NULL};
    iso_scene_build* build = scenario->build;
    iso_body_desc desc = iso_body_desc_default();
    iso_pose identity = iso_pose_identity();
    bool is_fixed = false;
    int body = -1;
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a body is not a mapping");
    ISO_SCENE_TRY(iso_yaml_get_text(build, node, "name", &desc.name));
    if (desc.name && strcmp(desc.name, "world") == 0) {
        return add_world_parts(scenario, node);
    }
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a body", known));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "a body", "name", &desc.name));
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "fixed", &is_fixed));
    ISO_SCENE_TRY(check_geometries(build, iso_yaml_get(node, "geometry")));
    ISO_SCENE_TRY(read_mass(build, node, is_fixed, &desc));
    ISO_SCENE_TRY(
        iso_yaml_get_number(build, node, "gravity_compensation", &desc.gravity_compensation));
    ISO_SCENE_TRY(iso_scene_add_body(build, node->source, &desc, &identity, &body));
    return add_parts(scenario, node, body);
}

iso_status iso_scenario_add_bodies(const iso_scenario* scenario) {
    const iso_yaml_node* bodies = iso_yaml_get(scenario->root, "bodies");
    if (iso_yaml_is_null(bodies)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(scenario->build, bodies, "bodies"));
    for (int i = 0; i < bodies->count; ++i) {
        ISO_SCENE_TRY(add_body(scenario, bodies->children[i]));
    }
    return ISO_OK;
}
