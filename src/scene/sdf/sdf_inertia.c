// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// <inertial>: as it is stated, or from the collisions.

#include "scene/build/mass_sum.h"
#include "scene/sdf/sdf.h"

static const double k_water = 1000.0; // density where none is stated [kg/m^3]

static iso_status read_moments(iso_scene_build* build, const xmlNode* inertial, iso_mat3* inertia) {
    static const struct {
        const char* name;
        int row, column;
    } moments[] = {{"ixx", 0, 0}, {"iyy", 1, 1}, {"izz", 2, 2},
                   {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyz", 1, 2}};
    const xmlNode* element = iso_xml_child(inertial, "inertia");
    for (size_t i = 0; element && i < sizeof moments / sizeof *moments; ++i) {
        double* value = &inertia->m[moments[i].row][moments[i].column];
        ISO_SCENE_TRY(iso_xml_child_numbers(build, element, moments[i].name, 1, value, NULL));
        inertia->m[moments[i].column][moments[i].row] = *value;
    }
    return ISO_OK;
}

// --- auto ----------------------------------------------------------------------------------------

struct iso_sdf_mass {
    iso_mass_sum sum;
    double density; ///< of collisions that state none [kg/m^3]
    double mass;    ///< stated, of all; 0: by the densities [kg]
    int collision_count;
};

static iso_status read_density(iso_scene_build* build, const xmlNode* element, double* density) {
    ISO_SCENE_TRY(iso_xml_child_numbers(build, element, "density", 1, density, NULL));
    ISO_SCENE_REQUIRE(build, iso_xml_source(element),
                      *density > 0.0 && *density <= ISO_SCENE_MAX_DENSITY, ISO_ERR_RANGE,
                      "density is %g kg/m^3, expected > 0 and <= %g", *density,
                      ISO_SCENE_MAX_DENSITY);
    return ISO_OK;
}

// <inertial auto="true">: from the collisions, each of its density; a mass scales them.
static iso_status begin_automatic(iso_scene_build* build, iso_sdf_node* link,
                                  const xmlNode* inertial) {
    iso_sdf_mass* automatic = iso_arena_push(&build->arena, sizeof *automatic);
    ISO_REQUIRE(build->ctx, automatic, ISO_ERR_MEMORY, "inertia of a link");
    *automatic = (iso_sdf_mass){.density = k_water};
    link->automatic = automatic;
    ISO_SCENE_TRY(read_density(build, inertial, &automatic->density));
    if (iso_xml_child(inertial, "mass")) {
        ISO_SCENE_TRY(iso_xml_child_numbers(build, inertial, "mass", 1, &automatic->mass, NULL));
        ISO_SCENE_REQUIRE(build, iso_xml_source(inertial),
                          automatic->mass > 0.0 && automatic->mass <= ISO_SCENE_MAX_MASS,
                          ISO_ERR_RANGE, "mass is %g kg, expected > 0 and <= %g", automatic->mass,
                          ISO_SCENE_MAX_MASS);
    }
    if (iso_xml_child(inertial, "pose") || iso_xml_child(inertial, "inertia")) {
        iso_scene_warn_once(build, iso_xml_source(inertial), "automatic inertia",
                            "<inertial auto=\"true\">: <pose> and <inertia> do not count beside "
                            "what the collisions give");
    }
    return ISO_OK;
}

iso_status iso_sdf_add_mass(iso_scene_build* build, const iso_sdf_node* link,
                            const xmlNode* collision, const iso_geometry_desc* geometry) {
    iso_sdf_mass* automatic = link->automatic;
    if (!automatic) {
        return ISO_OK;
    }
    double density = automatic->density;
    iso_source at = iso_xml_source(collision);
    ISO_SCENE_TRY(read_density(build, collision, &density));
    ++automatic->collision_count;
    ISO_SCENE_TRY(iso_scene_check_shape(build, at, &geometry->shape));
    if (!iso_mass_sum_add_shape(build, at, &geometry->shape, &geometry->x_bg, density,
                                &automatic->sum)) {
        iso_scene_warn_once(build, at, "collision without mass",
                            "<inertial auto=\"true\">: this collision encloses nothing and has no "
                            "mass");
    }
    return ISO_OK;
}

iso_status iso_sdf_finish_inertial(iso_scene_build* build, const iso_sdf_node* link) {
    const iso_sdf_mass* automatic = link->automatic;
    if (!automatic) {
        return ISO_OK;
    }
    iso_source at = iso_xml_source(iso_xml_child(link->element, "inertial"));
    iso_body_desc* body = iso_model_body(build->model, link->body);
    ISO_SCENE_REQUIRE(build, at, automatic->sum.mass > 0.0, ISO_ERR_PARSE,
                      "<inertial auto=\"true\">: link '%s' has %s to take its mass from",
                      link->name,
                      automatic->collision_count == 0 ? "no <collision>"
                                                      : "no collision that encloses something");
    iso_mass_sum_get(&automatic->sum, body);
    if (automatic->mass > 0.0) {
        body->inertia = iso_mat3_scale(body->inertia, automatic->mass / body->mass);
        body->mass = automatic->mass;
    }
    return iso_scene_check_inertia(build, at, body->name, body, false);
}

// --- stated --------------------------------------------------------------------------------------

iso_status iso_sdf_read_inertial(iso_scene_build* build, iso_sdf_node* link, iso_body_desc* body) {
    const xmlNode* inertial = iso_xml_child(link->element, "inertial");
    // The defaults of the format: 1 kg, unit inertia.
    body->mass = 1.0;
    body->inertia = iso_mat3_identity();
    body->center_of_mass = iso_vec3_zero();
    if (!inertial) {
        return ISO_OK;
    }
    static const char* const known[] = {"mass", "inertia", "pose", "density", NULL};
    iso_xml_warn_unknown(build, inertial, known);
    const char* automatic = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, inertial, "auto", &automatic));
    if (automatic) {
        bool is_automatic = false;
        ISO_SCENE_TRY(iso_xml_parse_bool(build, inertial, "auto", automatic, &is_automatic));
        if (is_automatic) {
            return begin_automatic(build, link, inertial);
        }
    }
    iso_pose x_bc;
    const char* relative_to = NULL;
    ISO_SCENE_TRY(iso_sdf_read_pose(build, inertial, &x_bc, &relative_to));
    ISO_SCENE_REQUIRE(build, iso_xml_source(inertial), !relative_to, ISO_ERR_UNSUPPORTED,
                      "the <pose> of <inertial> is relative to its link, not to '%s'", relative_to);
    ISO_SCENE_TRY(iso_xml_child_numbers(build, inertial, "mass", 1, &body->mass, NULL));
    ISO_SCENE_TRY(read_moments(build, inertial, &body->inertia));
    iso_mat3 rotated = iso_mat3_mul(x_bc.r, body->inertia);
    body->inertia = iso_mat3_mul(rotated, iso_mat3_transpose(x_bc.r));
    body->center_of_mass = x_bc.p;
    const xmlNode* mass = iso_xml_child(inertial, "mass");
    if (body->mass == 0.0 && !iso_xml_child(inertial, "inertia")) {
        body->inertia = iso_mat3_zero(); // the format's default is that of 1 kg
    }
    iso_scene_mend_inertia(build, iso_xml_source(inertial), body);
    // Without mass it may stand, be part of another link or get the mass of its shapes.
    return iso_scene_check_inertia(build, iso_xml_source(mass ? mass : inertial), body->name, body,
                                   true);
}
