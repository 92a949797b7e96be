// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

#define SHOWN_GROUPS 3 // geoms of higher groups are hidden

// --- assets --------------------------------------------------------------------------------------

// The asset that a geom names by an attribute of the kind's name.
static iso_status find_asset(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                             const char* kind, const iso_mjcf_mesh* assets, int count,
                             const iso_mjcf_mesh** out_asset) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, kind, &name));
    for (int i = 0; name && i < count; ++i) {
        if (strcmp(assets[i].name, name) == 0) {
            *out_asset = &assets[i];
            return ISO_OK;
        }
    }
    iso_name_list list = ISO_NAME_LIST(assets, count, iso_mjcf_mesh, name);
    return iso_scene_fail_missing(reader->build, iso_xml_source(item->node), &list, kind, name);
}

iso_status iso_mjcf_find_mesh(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              const iso_mjcf_mesh** out_mesh) {
    const char* type = NULL;
    *out_mesh = NULL;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "type", &type));
    return type && strcmp(type, "mesh") == 0
               ? find_asset(reader, item, type, reader->meshes.data, reader->meshes.count, out_mesh)
               : ISO_OK;
}

// --- shapes --------------------------------------------------------------------------------------

typedef struct geom_type {
    const char* name;
    iso_shape_kind kind;
    int size_count; ///< least
    bool has_ends;  ///< fromto may stand in for the last size
} geom_type;

static const geom_type k_types[] = {
    {"sphere", ISO_SHAPE_SPHERE, 1, false},
    {"capsule", ISO_SHAPE_CAPSULE, 2, true},
    {"ellipsoid", ISO_SHAPE_ELLIPSOID, 3, true},
    {"cylinder", ISO_SHAPE_CYLINDER, 2, true},
    {"box", ISO_SHAPE_BOX, 3, true},
    {"plane", ISO_SHAPE_HALF_SPACE, 0, false},
    {"mesh", ISO_SHAPE_MESH, 0, false},
    {"hfield", ISO_SHAPE_MESH, 0, false},
};

static iso_status find_type(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const geom_type** out_type) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "type", &name));
    name = name ? name : "sphere";
    bool is_site = iso_xml_is(item->node, "site"); // neither plane, mesh nor hfield
    size_t count = sizeof k_types / sizeof *k_types - (is_site ? 3 : 0);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(k_types[i].name, name) == 0) {
            *out_type = &k_types[i];
            return ISO_OK;
        }
    }
    return iso_scene_fail(reader->build, iso_xml_source(item->node), ISO_ERR_UNSUPPORTED,
                          "<%s>: type is '%.40s', expected %ssphere, capsule, ellipsoid, "
                          "cylinder%s",
                          iso_xml_name(item->node), name, is_site ? "" : "plane, ",
                          is_site ? " or box" : ", box, mesh or hfield");
}

iso_status iso_mjcf_set_sizes(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              const double* size, iso_shape_desc* shape) {
    shape->radius = size[0];
    shape->length = 2.0 * size[1];
    double unit = shape->kind == ISO_SHAPE_BOX ? 2.0 : 1.0;
    shape->size = iso_vec3_make(unit * size[0], unit * size[1], unit * size[2]);
    return iso_scene_check_shape(reader->build, iso_xml_source(item->node), shape);
}

// From end to end: the pose is in the middle, z points from the second end to the first.
static iso_status apply_ends(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                             const double* ends, iso_pose* x, double* out_half_length) {
    iso_vec3 a = iso_vec3_make(ends[0], ends[1], ends[2]);
    iso_vec3 b = iso_vec3_make(ends[3], ends[4], ends[5]);
    iso_vec3 along = iso_vec3_sub(a, b);
    double length = iso_vec3_norm(along);
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node),
                      length > 1e-12 && length <= ISO_SCENE_MAX_LENGTH, ISO_ERR_RANGE,
                      "<%s>: fromto spans %g m, expected > 0 and <= %g", iso_xml_name(item->node),
                      length, ISO_SCENE_MAX_LENGTH);
    x->p = iso_vec3_lerp(a, b, 0.5);
    x->r = iso_scene_turn_z_to(along);
    *out_half_length = 0.5 * length;
    return ISO_OK;
}

iso_status iso_mjcf_read_shape(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                               iso_shape_desc* shape, iso_shape_desc* solid, iso_pose* x) {
    const geom_type* type = NULL;
    bool is_site = iso_xml_is(item->node, "site");
    double usual = is_site ? 0.005 : 0.0;
    double size[3] = {usual, usual, usual}, ends[6];
    int size_count = 0, end_count = 0;
    ISO_SCENE_TRY(find_type(reader, item, &type));
    ISO_SCENE_TRY(iso_mjcf_pose(reader, item, x));
    *shape = iso_shape_desc_default(type->kind);
    if (type->kind == ISO_SHAPE_MESH) {
        const iso_mjcf_mesh* mesh = NULL;
        bool is_field = strcmp(type->name, "hfield") == 0;
        ISO_SCENE_TRY(find_asset(reader, item, type->name,
                                 is_field ? reader->hfields.data : reader->meshes.data,
                                 is_field ? reader->hfields.count : reader->meshes.count, &mesh));
        *shape = mesh->shape;
        *solid = mesh->solid;
        *x = is_field ? *x : iso_pose_mul(x, &mesh->x_ref);
        return ISO_OK;
    }
    const char* fitted = NULL;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "mesh", &fitted));
    if (fitted && !is_site) {
        ISO_SCENE_TRY(iso_mjcf_fit_shape(reader, item, fitted, shape, x));
        *solid = *shape;
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "size", 0, 3, size, &size_count));
    if (type->kind == ISO_SHAPE_HALF_SPACE) {
        *solid = *shape;
        return ISO_OK; // its size is for drawing
    }
    if (type->has_ends) {
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "fromto", 6, 6, ends, &end_count));
    }
    int needed = end_count > 0 ? 1 : type->size_count;
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), is_site || size_count >= needed,
                      ISO_ERR_PARSE, "<geom>: a %s has %d sizes, expected %d", type->name,
                      size_count, needed);
    if (end_count > 0) {
        double half = 0.0;
        bool is_round = type->kind == ISO_SHAPE_CAPSULE || type->kind == ISO_SHAPE_CYLINDER;
        ISO_SCENE_TRY(apply_ends(reader, item, ends, x, &half));
        size[1] = is_round ? half : size[0];
        size[2] = half;
    }
    ISO_SCENE_TRY(iso_mjcf_set_sizes(reader, item, size, shape));
    *solid = *shape;
    return ISO_OK;
}

// --- contact -------------------------------------------------------------------------------------

// Whole numbers of 32 bits; negative ones as their bits.
static iso_status read_bits(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const char* name, uint32_t* bits) {
    double value = *bits;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, name, 1, 1, &value, NULL));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node),
                      value >= INT32_MIN && value <= UINT32_MAX && value == floor(value),
                      ISO_ERR_RANGE, "<geom>: %s is %.15g, expected a whole number of 32 bits",
                      name, value);
    *bits = (uint32_t)(int64_t)value;
    return ISO_OK;
}

static iso_status add_visual(const iso_mjcf_reader* reader, const iso_mjcf_item* item, int body,
                             const char* name, const iso_shape_desc* shape, const iso_pose* x_bg) {
    iso_visual_desc visual = iso_visual_desc_default();
    double rgba[4] = {0.5, 0.5, 0.5, 1.0};
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "rgba", 4, 4, rgba, NULL));
    for (int i = 0; i < 4; ++i) {
        visual.rgba[i] = (float)fmin(fmax(rgba[i], 0.0), 1.0);
    }
    visual.name = name;
    visual.shape = *shape;
    visual.x_bg = *x_bg;
    return iso_scene_add_visual(reader->build, iso_xml_source(item->node), body, &visual);
}

const char* const iso_mjcf_geom_attributes[] = {
    "name",      "class",    "type",        "size",   "pos",    "quat",
    "axisangle", "xyaxes",   "zaxis",       "euler",  "fromto", "mass",
    "density",   "contype",  "conaffinity", "condim", "group",  "friction",
    "mesh",      "rgba",     "material",    "hfield", "user",   "shellinertia",
    "priority",  "fitscale", "solref",      "solimp", "solmix", NULL};

// Known to pairs, and to what other geoms do with it.
static iso_status remember_geom(iso_mjcf_reader* reader, const iso_mjcf_geom* geom) {
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->geoms));
    reader->geoms.data[reader->geoms.count++] = *geom;
    return ISO_OK;
}

iso_status iso_mjcf_add_geom(iso_mjcf_reader* reader, const iso_mjcf_item* item, int body,
                             const iso_pose* x_frame) {
    iso_scene_build* build = reader->build;
    int model_body = reader->bodies.data[body].body;
    iso_mjcf_geom geom = {.node = item->node, .body = body, .geometry = -1};
    iso_geometry_desc geometry = iso_geometry_desc_default();
    iso_material_spec spec = iso_material_spec_default();
    iso_shape_desc solid;
    iso_pose x;
    int group = 0;
    iso_xml_warn_attributes(build, item->node, iso_mjcf_geom_attributes);
    ISO_SCENE_TRY(iso_mjcf_name(reader, item->node, &geometry.name));
    ISO_SCENE_TRY(iso_mjcf_read_shape(reader, item, &geometry.shape, &solid, &x));
    ISO_SCENE_TRY(read_bits(reader, item, "contype", &geometry.collision_group));
    ISO_SCENE_TRY(read_bits(reader, item, "conaffinity", &geometry.collision_mask));
    ISO_SCENE_TRY(iso_mjcf_whole(reader, item, "group", -1e9, 1e9, &group));
    ISO_SCENE_TRY(iso_mjcf_read_friction(reader, item, &geom, &spec));
    ISO_SCENE_TRY(iso_mjcf_read_point_law(reader, item, &geom, &spec.point));
    spec.value.model = iso_mjcf_find_model(reader, geometry.name, true);
    spec.stated |= spec.value.model != ISO_CONTACT_MODEL_DEFAULT ? ISO_MATERIAL_MODEL : 0u;
    if (geometry.shape.kind == ISO_SHAPE_MESH) { // a height field; meshes collide as hulls
        spec.value.compliance = ISO_COMPLIANCE_RIGID;
        spec.stated |= ISO_MATERIAL_COMPLIANCE;
    }
    geometry.x_bg = iso_pose_mul(x_frame, &x);
    geometry.material = spec.value;
    geom.name = geometry.name;
    geom.x_bg = geometry.x_bg;
    geom.shape = geometry.shape.kind;
    geom.radius = geometry.shape.radius;
    geom.has_mesh = geometry.shape.kind == ISO_SHAPE_CONVEX;
    geom.group = geometry.collision_group;
    geom.mask = geometry.collision_mask;
    bool is_solid = !reader->is_off.contact && (geom.group != 0 || geom.mask != 0 ||
                                                iso_mjcf_is_paired(reader, geometry.name));
    if (!is_solid || group < SHOWN_GROUPS) {
        ISO_SCENE_TRY(add_visual(reader, item, model_body, geometry.name, &solid, &geometry.x_bg));
    }
    int count = iso_model_geometry_count(build->model);
    if (is_solid) {
        ISO_SCENE_TRY(iso_scene_add_geometry(build, iso_xml_source(item->node), model_body,
                                             &geometry, &spec));
    }
    // One without size is left out.
    geom.geometry = iso_model_geometry_count(build->model) > count ? count : -1;
    return geom.geometry >= 0 || geom.name ? remember_geom(reader, &geom) : ISO_OK;
}
