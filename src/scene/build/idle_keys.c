// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Contact properties that a scene states and that count for nothing in it.

#include "isobar/names.h"
#include "scene/build/build.h"

typedef bool (*counts_fn)(const iso_scene_build* build, const iso_geometry_desc* geometry);

static bool is_soft(const iso_scene_build* build, const iso_geometry_desc* geometry) {
    (void)build;
    return geometry->material.compliance != ISO_COMPLIANCE_RIGID;
}

static bool is_soft_body(const iso_scene_build* build, const iso_geometry_desc* geometry) {
    return is_soft(build, geometry) && geometry->shape.kind != ISO_SHAPE_HALF_SPACE;
}

static bool is_soft_half_space(const iso_scene_build* build, const iso_geometry_desc* geometry) {
    return is_soft(build, geometry) && geometry->shape.kind == ISO_SHAPE_HALF_SPACE;
}

static bool is_mesh(const iso_scene_build* build, const iso_geometry_desc* geometry) {
    return is_soft(build, geometry) && geometry->shape.kind == ISO_SHAPE_MESH;
}

static bool is_round(const iso_scene_build* build, const iso_geometry_desc* geometry) {
    iso_shape_kind kind = geometry->shape.kind;
    (void)build;
    return kind == ISO_SHAPE_SPHERE || kind == ISO_SHAPE_ELLIPSOID || kind == ISO_SHAPE_CYLINDER ||
           kind == ISO_SHAPE_CAPSULE;
}

static bool has_restitution(const iso_scene_build* build, const iso_geometry_desc* geometry) {
    (void)build;
    return geometry->material.restitution > 0.0;
}

static bool is_sap(const iso_scene_build* build, const iso_geometry_desc* geometry) {
    (void)geometry;
    return build->world.method == ISO_METHOD_SAP;
}

// Of the scene: a rule of two geometries names it, a material, or the world.
static bool may_be_hertz(const iso_scene_build* build, const iso_geometry_desc* geometry) {
    bool is_found = build->world.contact.model == ISO_CONTACT_MODEL_HERTZ;
    (void)geometry;
    for (int i = 0; i < iso_model_geometry_count(build->model) && !is_found; ++i) {
        is_found =
            iso_model_geometry(build->model, i, NULL)->material.model == ISO_CONTACT_MODEL_HERTZ;
    }
    for (int i = 0; i < build->pairs.count && !is_found; ++i) {
        is_found = build->pairs.data[i].desc.model == ISO_CONTACT_MODEL_HERTZ;
    }
    return is_found;
}

static const struct {
    const char* key;
    unsigned bit;
    counts_fn counts;
    const char* when;
} k_rows[] = {
    {"modulus", ISO_MATERIAL_MODULUS, is_soft, "for what is not rigid"},
    {"stiffening", ISO_MATERIAL_STIFFENING, is_soft, "for what is not rigid"},
    {"modulus_table", ISO_MATERIAL_MODULUS_TABLE, is_soft, "for what is not rigid"},
    {"margin", ISO_MATERIAL_MARGIN, is_soft, "for what is not rigid"},
    {"extent", ISO_MATERIAL_EXTENT, is_soft_body, "for compliant bodies, half spaces excepted"},
    {"layers", ISO_MATERIAL_LAYERS, is_soft_body, "for compliant bodies, half spaces excepted"},
    {"slab_thickness", ISO_MATERIAL_SLAB_THICKNESS, is_soft_half_space,
     "for compliant half spaces"},
    {"resolution_hint", ISO_MATERIAL_RESOLUTION_HINT, is_round,
     "for spheres, ellipsoids, cylinders and capsules"},
    {"keep_mesh", ISO_MATERIAL_KEEP_MESH, is_mesh, "for compliant meshes"},
    {"bonded_skin", ISO_MATERIAL_BONDED_SKIN, is_mesh, "for compliant meshes"},
    {"restitution_speed", ISO_MATERIAL_RESTITUTION_SPEED, has_restitution, "beside restitution"},
    {"restitution_slope", ISO_MATERIAL_RESTITUTION_SLOPE, has_restitution, "beside restitution"},
    {"relaxation_time", ISO_MATERIAL_RELAXATION_TIME, is_sap, "with method sap"},
    {"young_modulus", ISO_MATERIAL_YOUNG_MODULUS, may_be_hertz, "with contact model hertz"},
    {"poisson_ratio", ISO_MATERIAL_POISSON_RATIO, may_be_hertz, "with contact model hertz"},
};

void iso_scene_tell_idle_keys(iso_scene_build* build) {
    int count = iso_model_geometry_count(build->model);
    for (size_t r = 0; r < sizeof k_rows / sizeof *k_rows; ++r) {
        const iso_geometry_desc* first = NULL;
        int owner = -1, body = -1;
        bool has_use = false;
        bool is_of_scene = k_rows[r].counts == may_be_hertz; // then one geometry tells of all
        for (int i = 0; i < count && !has_use && !(is_of_scene && first); ++i) {
            const iso_geometry_desc* geometry = iso_model_geometry(build->model, i, &body);
            unsigned stated = build->stated_materials.data[i] | build->default_material.stated;
            if (stated & k_rows[r].bit) {
                owner = first ? owner : body;
                first = first ? first : geometry;
                has_use = k_rows[r].counts(build, geometry);
            }
        }
        if (first && !has_use) {
            iso_source at = {first->source, 0};
            iso_scene_warn_once(build, at, k_rows[r].key,
                                "%s of '%s::%s' counts %s only, and so not here", k_rows[r].key,
                                iso_model_body(build->model, owner)->name, first->name,
                                k_rows[r].when);
        }
    }
}
