// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static iso_status check_size(const iso_scene_build* build, iso_source at, const char* what,
                             double value) {
    ISO_SCENE_REQUIRE(build, at, value > 0.0 && value <= ISO_SCENE_MAX_LENGTH, ISO_ERR_RANGE,
                      "%s is %g m, expected > 0 and <= %g", what, value, ISO_SCENE_MAX_LENGTH);
    return ISO_OK;
}

static iso_status check_sizes(const iso_scene_build* build, iso_source at, const char* what,
                              iso_vec3 size) {
    for (int i = 0; i < 3; ++i) {
        ISO_SCENE_TRY(check_size(build, at, what, iso_vec3_get(size, i)));
    }
    return ISO_OK;
}

iso_status iso_scene_check_shape(const iso_scene_build* build, iso_source at,
                                 const iso_shape_desc* shape) {
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
        return check_size(build, at, "radius", shape->radius);
    case ISO_SHAPE_CYLINDER:
    case ISO_SHAPE_CAPSULE:
        ISO_SCENE_TRY(check_size(build, at, "radius", shape->radius));
        return check_size(build, at, "length", shape->length);
    case ISO_SHAPE_BOX:
        return check_sizes(build, at, "box size", shape->size);
    case ISO_SHAPE_ELLIPSOID:
        return check_sizes(build, at, "semi-axis", shape->size);
    case ISO_SHAPE_HALF_SPACE:
        return ISO_OK;
    case ISO_SHAPE_CONVEX:
    case ISO_SHAPE_MESH:
        break;
    }
    for (int i = 0; i < 3; ++i) {
        double scale = iso_vec3_get(shape->scale, i);
        ISO_SCENE_REQUIRE(build, at, scale != 0.0 && fabs(scale) <= ISO_SCENE_MAX_LENGTH,
                          ISO_ERR_RANGE, "mesh scale is %g, expected non-zero and at most %g",
                          scale, ISO_SCENE_MAX_LENGTH);
    }
    return ISO_OK;
}

typedef struct material_range {
    const char* name;
    double value;
    bool is_zero_allowed;
    const char* unit;
    double upper;
} material_range;

iso_status iso_scene_check_material(const iso_scene_build* build, iso_source at,
                                    const iso_contact_material* m) {
    const material_range ranges[] = {
        {"hydroelastic modulus", m->modulus, false, "Pa", ISO_SCENE_MAX_PRESSURE},
        {"mesh resolution hint", m->resolution_hint, true, "m", ISO_SCENE_MAX_LENGTH},
        {"margin", m->margin == ISO_MARGIN_AUTO ? 0.0 : m->margin, true, "m", ISO_SCENE_MAX_LENGTH},
        {"slab thickness", m->slab_thickness, true, "m", ISO_SCENE_MAX_LENGTH},
        {"dissipation", m->dissipation, true, "s/m", ISO_SCENE_MAX_DISSIPATION},
        {"relaxation time", m->relaxation_time, true, "s", ISO_SCENE_MAX_TIME},
        {"static friction", m->friction_static, true, "", ISO_SCENE_MAX_FRICTION},
        {"dynamic friction", m->friction_dynamic, true, "", ISO_SCENE_MAX_FRICTION},
        {"stiffening", m->stiffening, true, "", 1.0},
        {"expansion rate", m->expansion_rate, true, "1/s", ISO_SCENE_MAX_DISSIPATION},
        {"restitution", m->restitution, true, "", 1.0},
        {"restitution speed", m->restitution_speed, true, "m/s", ISO_SCENE_MAX_SPEED},
        {"adhesion", m->adhesion, true, "Pa", ISO_SCENE_MAX_PRESSURE},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; ++i) {
        double value = ranges[i].value;
        bool is_valid = value <= ranges[i].upper &&
                        (value > 0.0 || (ranges[i].is_zero_allowed && value >= 0.0));
        ISO_SCENE_REQUIRE(build, at, is_valid, ISO_ERR_RANGE,
                          "%s is %g%s%s, expected %s 0 and <= %g", ranges[i].name, value,
                          ranges[i].unit[0] ? " " : "", ranges[i].unit,
                          ranges[i].is_zero_allowed ? ">=" : ">", ranges[i].upper);
    }
    return ISO_OK;
}

iso_material_spec iso_material_spec_default(void) {
    return (iso_material_spec){.value = iso_contact_material_default()};
}

// The fields that are copied for each bit.
static const struct {
    unsigned bit;
    size_t offset, size;
} k_material_fields[] = {
#define FIELD(bit, member)                                    \
    {                                                         \
        bit, offsetof(iso_contact_material, member),          \
            sizeof((const iso_contact_material*)NULL)->member \
    }
    FIELD(ISO_MATERIAL_COMPLIANCE, compliance),
    FIELD(ISO_MATERIAL_MODULUS, modulus),
    FIELD(ISO_MATERIAL_RESOLUTION_HINT, resolution_hint),
    FIELD(ISO_MATERIAL_MARGIN, margin),
    FIELD(ISO_MATERIAL_SLAB_THICKNESS, slab_thickness),
    FIELD(ISO_MATERIAL_DISSIPATION, dissipation),
    FIELD(ISO_MATERIAL_RELAXATION_TIME, relaxation_time),
    FIELD(ISO_MATERIAL_FRICTION_STATIC, friction_static),
    FIELD(ISO_MATERIAL_FRICTION_DYNAMIC, friction_dynamic),
    FIELD(ISO_MATERIAL_EXTENT, extent_kind),
    FIELD(ISO_MATERIAL_STIFFENING, stiffening),
    FIELD(ISO_MATERIAL_MODULUS_TABLE, modulus_table),
    FIELD(ISO_MATERIAL_MODULUS_TABLE, modulus_row_count),
    FIELD(ISO_MATERIAL_LAYERS, layer_count),
    FIELD(ISO_MATERIAL_EXPANSION_RATE, expansion_rate),
    FIELD(ISO_MATERIAL_RESTITUTION, restitution),
    FIELD(ISO_MATERIAL_RESTITUTION_SPEED, restitution_speed),
    FIELD(ISO_MATERIAL_ADHESION, adhesion),
    FIELD(ISO_MATERIAL_KEEP_MESH, is_mesh_kept),
    FIELD(ISO_MATERIAL_BONDED_SKIN, is_skin_bonded),
    FIELD(ISO_MATERIAL_MODEL, model),
    FIELD(ISO_MATERIAL_YOUNG_MODULUS, young_modulus),
    FIELD(ISO_MATERIAL_POISSON_RATIO, poisson_ratio),
    FIELD(ISO_MATERIAL_RESTITUTION_SLOPE, restitution_slope),
    FIELD(ISO_MATERIAL_BRISTLES, bristle_stiffness),
    FIELD(ISO_MATERIAL_BRISTLES, bristle_damping),
    FIELD(ISO_MATERIAL_BRISTLES, bristle_viscous),
    FIELD(ISO_MATERIAL_BRISTLES, stribeck_speed),
    FIELD(ISO_MATERIAL_BRISTLES, dwell_time),
#undef FIELD
};

static void copy_fields(iso_contact_material* to, const iso_contact_material* from, unsigned bits) {
    for (size_t i = 0; i < sizeof k_material_fields / sizeof *k_material_fields; ++i) {
        if (bits & k_material_fields[i].bit) {
            memcpy((char*)to + k_material_fields[i].offset,
                   (const char*)from + k_material_fields[i].offset, k_material_fields[i].size);
        }
    }
}

void iso_material_spec_apply(iso_material_spec* to, const iso_material_spec* from) {
    unsigned replaced = 0;
    if (from->stated & ISO_MATERIAL_DAMPING_BITS) {
        replaced |= ISO_MATERIAL_DAMPING_BITS;
    }
    if (from->stated & ISO_MATERIAL_MODULUS_TABLE) {
        replaced |= ISO_MATERIAL_MODULUS | ISO_MATERIAL_STIFFENING;
    }
    if (from->stated & (ISO_MATERIAL_MODULUS | ISO_MATERIAL_STIFFENING)) {
        replaced |= ISO_MATERIAL_MODULUS_TABLE;
    }
    iso_contact_material standard = iso_contact_material_default();
    copy_fields(&to->value, &standard, replaced);
    copy_fields(&to->value, &from->value, from->stated);
    if (from->stated & (ISO_MATERIAL_FRICTION_STATIC | ISO_MATERIAL_FRICTION_DYNAMIC)) {
        to->learned = from->learned;
    }
    to->point = from->point.kind != ISO_POINT_LAW_NONE ? from->point : to->point;
    to->stated = (to->stated & ~replaced) | from->stated;
}

iso_status iso_material_spec_finish(const iso_scene_build* build, iso_source at,
                                    iso_material_spec* spec) {
    unsigned both = ISO_MATERIAL_FRICTION_STATIC | ISO_MATERIAL_FRICTION_DYNAMIC;
    if ((spec->stated & both) == ISO_MATERIAL_FRICTION_STATIC) {
        spec->value.friction_dynamic = spec->value.friction_static;
        spec->stated |= both;
    } else if ((spec->stated & both) == ISO_MATERIAL_FRICTION_DYNAMIC) {
        spec->value.friction_static = spec->value.friction_dynamic;
        spec->stated |= both;
    }
    ISO_SCENE_TRY(iso_scene_check_material(build, at, &spec->value));
    ISO_SCENE_REQUIRE(build, at, spec->value.stiffening < 1.0, ISO_ERR_RANGE,
                      "stiffening is %g, expected >= 0 and < 1", spec->value.stiffening);
    ISO_SCENE_REQUIRE(build, at, spec->value.friction_dynamic <= spec->value.friction_static,
                      ISO_ERR_RANGE,
                      "dynamic friction %g is above static friction %g, expected at most equal",
                      spec->value.friction_dynamic, spec->value.friction_static);
    return ISO_OK;
}
