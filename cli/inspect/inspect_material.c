// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/inspect/inspect.h"
#include "cli/parts/json_output.h"
#include "cli/parts/text.h"

#include <stdio.h>

iso_contact_material cli_effective_material(const iso_geometry_desc* geometry) {
    iso_contact_material m = geometry->material;
    const iso_shape_desc* shape = &geometry->shape;
    bool has_tets = shape->path ? cli_is_volume_file(shape->path) : shape->volume != NULL;
    bool has_no_field = (shape->kind == ISO_SHAPE_HALF_SPACE && m.slab_thickness == 0.0) ||
                        (shape->kind == ISO_SHAPE_MESH && !has_tets);
    if (m.compliance == ISO_COMPLIANCE_DEFAULT && has_no_field) {
        m.compliance = ISO_COMPLIANCE_RIGID;
    }
    return m;
}

/// What the geometry is: one of which the file says nothing is compliant.
static const char* compliance_name(iso_compliance compliance) {
    return compliance == ISO_COMPLIANCE_RIGID ? "rigid" : "compliant";
}

/// "default": that of the world.
static const char* model_name(const iso_contact_material* m) {
    return iso_name_of(ISO_NAMES_CONTACT_MODEL_KIND, (int)m->model);
}

static const char* extent_name(iso_extent_kind kind) {
    static const char* const k_names[] = {"auto", "distance", "poisson"};
    return k_names[kind];
}

/// Rows [extent, modulus]; null without a table.
static json_t* table_json(const iso_contact_material* m) {
    json_t* rows = m->modulus_row_count > 0 ? json_array() : json_null();
    for (int i = 0; i < m->modulus_row_count; ++i) {
        json_array_append_new(
            rows, json_pack("[f,f]", m->modulus_table[i].extent, m->modulus_table[i].modulus));
    }
    return rows;
}

void cli_json_add_material(json_t* geometry, const iso_contact_material* m) {
    bool is_rigid = m->compliance == ISO_COMPLIANCE_RIGID;
    bool has_law = !is_rigid && m->modulus_row_count == 0;
    bool is_margin_auto = !is_rigid && m->margin == ISO_MARGIN_AUTO;
    bool has_bristles = m->bristle_stiffness > 0.0;
    bool has_dissipation = m->expansion_rate == 0.0 && m->restitution == 0.0;
    const struct {
        const char* name;
        bool is_there;
        double value;
    } numbers[] = {
        {"modulus", has_law, m->modulus},
        {"stiffening", has_law, m->stiffening},
        {"resolution_hint", true, m->resolution_hint},
        {"slab_thickness", m->slab_thickness > 0.0, m->slab_thickness},
        {"dissipation", has_dissipation, m->dissipation},
        {"expansion_rate", m->expansion_rate > 0.0, m->expansion_rate},
        {"restitution", m->restitution > 0.0, m->restitution},
        {"restitution_speed", m->restitution > 0.0, m->restitution_speed},
        {"relaxation_time", true, m->relaxation_time},
        {"adhesion", true, m->adhesion},
        {"friction_static", true, m->friction_static},
        {"friction_dynamic", true, m->friction_dynamic},
        {"young_modulus", m->young_modulus > 0.0, m->young_modulus},
        {"poisson_ratio", true, m->poisson_ratio},
        {"restitution_slope", m->restitution > 0.0, m->restitution_slope},
        {"bristle_stiffness", has_bristles, m->bristle_stiffness},
        {"bristle_damping", has_bristles && m->bristle_damping > 0.0, m->bristle_damping},
        {"bristle_viscous", has_bristles, m->bristle_viscous},
        {"stribeck_speed", has_bristles, m->stribeck_speed},
        {"dwell_time", has_bristles, m->dwell_time}};
    json_object_set_new(geometry, "model", json_string(model_name(m)));
    json_object_set_new(geometry, "compliance", json_string(compliance_name(m->compliance)));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        json_object_set_new(geometry, numbers[i].name,
                            numbers[i].is_there ? json_real(numbers[i].value) : json_null());
    }
    json_object_set_new(geometry, "margin",
                        is_margin_auto ? json_string("auto")
                        : is_rigid     ? json_null()
                                       : json_real(m->margin));
    json_object_set_new(geometry, "modulus_table", table_json(m));
    json_object_set_new(geometry, "layers", is_rigid ? json_null() : json_integer(m->layer_count));
    json_object_set_new(geometry, "extent",
                        is_rigid ? json_null() : json_string(extent_name(m->extent_kind)));
    json_object_set_new(geometry, "keep_mesh", json_boolean(m->is_mesh_kept));
    json_object_set_new(geometry, "bonded_skin", json_boolean(m->is_skin_bonded));
}

static void print_law(const iso_contact_material* m) {
    if (m->modulus_row_count == 0) {
        printf(", %g Pa", m->modulus);
    }
    for (int i = 0; i < m->modulus_row_count; ++i) {
        printf("%s%g Pa at %g", i > 0 ? ", " : ", modulus table (", m->modulus_table[i].modulus,
               m->modulus_table[i].extent);
    }
    printf("%s", m->modulus_row_count > 0 ? ")" : "");
    if (m->stiffening > 0.0) {
        printf(", stiffening %g", m->stiffening);
    }
}

/// How the pressure grows, then what differs from the default.
static void print_field(const iso_contact_material* m) {
    print_law(m);
    if (m->layer_count > 0) {
        printf(", %d layer%s", m->layer_count, cli_plural(m->layer_count));
    }
    if (m->extent_kind != ISO_EXTENT_AUTO) {
        printf(", extent %s", extent_name(m->extent_kind));
    }
    if (m->margin == ISO_MARGIN_AUTO) {
        printf(", margin auto");
    } else if (m->margin > 0.0) {
        printf(", margin %g m", m->margin);
    }
    if (m->slab_thickness > 0.0) {
        printf(", slab thickness %g m", m->slab_thickness);
    }
    if (m->resolution_hint > 0.0) {
        printf(", resolution %g m", m->resolution_hint);
    }
    printf("%s%s", m->is_mesh_kept ? ", mesh kept" : "", m->is_skin_bonded ? ", skin bonded" : "");
}

static void print_damping(const iso_contact_material* m) {
    if (m->restitution > 0.0 && m->restitution_speed == 0.0) {
        printf(", restitution %g at the speed of each impact", m->restitution);
    } else if (m->restitution > 0.0) {
        printf(", restitution %g at %g m/s", m->restitution, m->restitution_speed);
    } else if (m->expansion_rate > 0.0) {
        printf(", expansion rate %g 1/s", m->expansion_rate);
    } else {
        printf(", dissipation %g s/m", m->dissipation);
    }
    if (m->adhesion > 0.0) {
        printf(", adhesion %g Pa", m->adhesion);
    }
}

void cli_print_material(const iso_contact_material* m, const char* shape) {
    printf("%s, %s", compliance_name(m->compliance), shape);
    if (m->model != ISO_CONTACT_MODEL_DEFAULT) {
        printf(", model %s", model_name(m));
    }
    if (m->compliance != ISO_COMPLIANCE_RIGID) {
        print_field(m);
    }
    print_damping(m);
    printf(", friction %g", m->friction_dynamic);
    if (m->friction_static > m->friction_dynamic) {
        printf(" (static %g)", m->friction_static);
    }
    if (m->bristle_stiffness > 0.0) {
        printf(", bristles %g 1/m", m->bristle_stiffness);
    }
    printf("\n");
}
