// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/tags/drake_tags.h"

#include "scene/tags/material_keys.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct proximity_tag {
    const char* name;
    size_t offset;
    iso_material_bit bit;
    bool is_zero_allowed;
    const char* unit;
} proximity_tag;

static const proximity_tag k_proximity_tags[] = {
    {"drake:mesh_resolution_hint", offsetof(iso_contact_material, resolution_hint),
     ISO_MATERIAL_RESOLUTION_HINT, false, "m"},
    {"drake:hydroelastic_modulus", offsetof(iso_contact_material, modulus), ISO_MATERIAL_MODULUS,
     false, "Pa"},
    {"drake:hydroelastic_margin", offsetof(iso_contact_material, margin), ISO_MATERIAL_MARGIN, true,
     "m"},
    {"drake:slab_thickness", offsetof(iso_contact_material, slab_thickness),
     ISO_MATERIAL_SLAB_THICKNESS, false, "m"},
    {"drake:hunt_crossley_dissipation", offsetof(iso_contact_material, dissipation),
     ISO_MATERIAL_DISSIPATION, true, "s/m"},
    {"drake:relaxation_time", offsetof(iso_contact_material, relaxation_time),
     ISO_MATERIAL_RELAXATION_TIME, true, "s"},
    {"drake:mu_static", offsetof(iso_contact_material, friction_static),
     ISO_MATERIAL_FRICTION_STATIC, true, ""},
    {"drake:mu_dynamic", offsetof(iso_contact_material, friction_dynamic),
     ISO_MATERIAL_FRICTION_DYNAMIC, true, ""},
};

// The largest value is that of the property, whatever it is called in a file.
static double upper_of(const proximity_tag* tag) {
    for (int i = 0; i < iso_material_key_count; ++i) {
        if (iso_material_keys[i].offset == tag->offset) {
            return iso_material_keys[i].upper;
        }
    }
    return INFINITY;
}

static iso_status read_number_tag(iso_scene_build* build, const xmlNode* element,
                                  const proximity_tag* tag, iso_material_spec* spec) {
    iso_source at = iso_xml_source(element);
    const char* text = NULL;
    double value = 0.0;
    ISO_SCENE_TRY(iso_xml_attribute_or_text(build, element, "value", &text));
    ISO_SCENE_TRY(iso_xml_parse_numbers(build, element, "its value", text, 1, &value));
    double upper = upper_of(tag);
    ISO_SCENE_REQUIRE(build, at,
                      (value > 0.0 || (tag->is_zero_allowed && value == 0.0)) && value <= upper,
                      ISO_ERR_RANGE, "<%s> is %g%s%s, expected %s 0 and <= %g", tag->name, value,
                      tag->unit[0] ? " " : "", tag->unit, tag->is_zero_allowed ? ">=" : ">", upper);
    memcpy((char*)&spec->value + tag->offset, &value, sizeof value);
    spec->stated |= (unsigned)tag->bit;
    return ISO_OK;
}

// Patches have no point stiffness: Drake ignores it for hydroelastic pairs too. Its force grows as
// the depth, that of Hertz as depth^1.5.
static iso_status read_point_stiffness(iso_scene_build* build, const xmlNode* element,
                                       iso_material_spec* spec) {
    iso_source at = iso_xml_source(element);
    const char* text = NULL;
    double value = 0.0;
    ISO_SCENE_TRY(iso_xml_attribute_or_text(build, element, "value", &text));
    ISO_SCENE_TRY(iso_xml_parse_numbers(build, element, "its value", text, 1, &value));
    ISO_SCENE_REQUIRE(build, at, value > 0.0 && value <= ISO_SCENE_MAX_PRESSURE, ISO_ERR_RANGE,
                      "<drake:point_contact_stiffness> is %g N/m, expected > 0 and <= %g", value,
                      ISO_SCENE_MAX_PRESSURE);
    spec->point = (iso_point_law){
        .kind = ISO_POINT_LAW_DRAKE, .is_stated = true, .source = at, .stiffness = value};
    return ISO_OK;
}

static iso_status read_proximity_tag(iso_scene_build* build, const xmlNode* element,
                                     iso_material_spec* spec) {
    bool is_rigid = iso_xml_is(element, "drake:rigid_hydroelastic");
    if (is_rigid || iso_xml_is(element, "drake:compliant_hydroelastic")) {
        iso_compliance compliance = is_rigid ? ISO_COMPLIANCE_RIGID : ISO_COMPLIANCE_COMPLIANT;
        ISO_SCENE_REQUIRE(
            build, iso_xml_source(element),
            !(spec->stated & ISO_MATERIAL_COMPLIANCE) || spec->value.compliance == compliance,
            ISO_ERR_PARSE, "a geometry is either rigid_hydroelastic or compliant_hydroelastic");
        spec->value.compliance = compliance;
        spec->stated |= ISO_MATERIAL_COMPLIANCE;
        return ISO_OK;
    }
    for (size_t i = 0; i < sizeof k_proximity_tags / sizeof *k_proximity_tags; ++i) {
        if (iso_xml_is(element, k_proximity_tags[i].name)) {
            return read_number_tag(build, element, &k_proximity_tags[i], spec);
        }
    }
    if (iso_xml_is(element, "drake:point_contact_stiffness")) {
        return read_point_stiffness(build, element, spec);
    }
    iso_name_list list =
        ISO_NAME_LIST(k_proximity_tags, (int)(sizeof k_proximity_tags / sizeof *k_proximity_tags),
                      proximity_tag, name);
    iso_xml_warn_misspelt(build, element, NULL, &list);
    return ISO_OK;
}

iso_status iso_drake_read_proximity(iso_scene_build* build, const xmlNode* element,
                                    iso_material_spec* spec) {
    for (const xmlNode* tag = iso_xml_first(element); tag; tag = iso_xml_next(tag)) {
        ISO_SCENE_TRY(read_proximity_tag(build, tag, spec));
    }
    if ((spec->stated & ISO_MATERIAL_MODULUS) && spec->value.compliance == ISO_COMPLIANCE_RIGID) {
        iso_scene_warn_once(build, iso_xml_source(element), "modulus of a rigid geometry",
                            "<drake:hydroelastic_modulus> has no effect on a rigid geometry");
    }
    return ISO_OK;
}

static iso_status add_member(iso_scene_build* build, const xmlNode* element, const char* scope,
                             iso_filter_group* group) {
    const char* link = NULL;
    const char* name = NULL;
    iso_scene_frame frame;
    ISO_SCENE_TRY(iso_xml_attribute_or_text(build, element, "link", &link));
    ISO_SCENE_TRY(iso_scene_scoped(build, scope, link, &name));
    ISO_SCENE_TRY(iso_scene_require_frame(build, iso_xml_source(element), name, &frame));
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &group->members));
    group->members.data[group->members.count++] = frame.body;
    return ISO_OK;
}

static iso_status read_group_name(iso_scene_build* build, const xmlNode* element, const char* scope,
                                  const char** out_name) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute_or_text(build, element, "name", &name));
    return iso_scene_scoped(build, scope, name, out_name);
}

iso_status iso_drake_read_filter_group(iso_scene_build* build, const xmlNode* element,
                                       const char* scope) {
    static const char* const known[] = {"drake:member", "drake:member_group",
                                        "drake:ignored_collision_filter_group", NULL};
    const char* own_name = NULL;
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, element, "name", &own_name));
    ISO_SCENE_TRY(iso_scene_scoped(build, scope, own_name, &name));
    iso_filter_group* group = iso_scene_add_group(build, iso_xml_source(element), name);
    ISO_REQUIRE(build->ctx, group, ISO_ERR_MEMORY, "collision filter group");
    for (const xmlNode* child = iso_xml_first(element); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, "drake:member")) {
            ISO_SCENE_TRY(add_member(build, child, scope, group));
        } else if (iso_xml_is(child, "drake:member_group")) {
            ISO_SCENE_TRY(read_group_name(build, child, scope, &name));
            ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &group->groups));
            group->groups.data[group->groups.count++] = name;
        } else if (iso_xml_is(child, "drake:ignored_collision_filter_group")) {
            ISO_SCENE_TRY(read_group_name(build, child, scope, &name));
            ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &group->ignored));
            group->ignored.data[group->ignored.count++] = name;
        } else {
            iso_xml_warn_unsupported(build, child, known);
        }
    }
    return ISO_OK;
}

static iso_status read_ball_end(iso_scene_build* build, const xmlNode* element, const char* scope,
                                const char* body_tag, const char* point_tag, int* out_body,
                                iso_pose* out_x) {
    const xmlNode* body = iso_xml_child(element, body_tag);
    const xmlNode* point = iso_xml_child(element, point_tag);
    iso_source at = iso_xml_source(element);
    const char* text = NULL;
    const char* name = NULL;
    double n[3];
    iso_scene_frame frame;
    ISO_SCENE_REQUIRE(build, at, body && point, ISO_ERR_PARSE,
                      "<drake:ball_constraint> needs <%s> and <%s>", body_tag, point_tag);
    ISO_SCENE_TRY(iso_xml_attribute_or_text(build, body, "name", &text));
    if (strcmp(text, "world") == 0) {
        ISO_SCENE_TRY(iso_scene_require_frame(build, at, text, &frame));
    } else {
        ISO_SCENE_TRY(iso_scene_scoped(build, scope, text, &name));
        ISO_SCENE_TRY(iso_scene_require_frame(build, at, name, &frame));
    }
    ISO_SCENE_TRY(iso_xml_attribute_or_text(build, point, "value", &text));
    ISO_SCENE_TRY(iso_xml_parse_numbers(build, point, "its value", text, 3, n));
    iso_pose x = iso_pose_from_position(iso_vec3_make(n[0], n[1], n[2]));
    *out_body = frame.body;
    *out_x = iso_pose_mul(&frame.x_bf, &x);
    return ISO_OK;
}

iso_status iso_drake_read_ball_constraint(iso_scene_build* build, const xmlNode* element,
                                          const char* scope) {
    static const char* const known[] = {
        "drake:ball_constraint_body_A", "drake:ball_constraint_p_AP",
        "drake:ball_constraint_body_B", "drake:ball_constraint_p_BQ", NULL};
    iso_constraint_desc ball = iso_constraint_desc_default();
    iso_source at = iso_xml_source(element);
    iso_xml_warn_unknown(build, element, known);
    ISO_SCENE_TRY(read_ball_end(build, element, scope, "drake:ball_constraint_body_A",
                                "drake:ball_constraint_p_AP", &ball.body_a, &ball.x_ap));
    ISO_SCENE_TRY(read_ball_end(build, element, scope, "drake:ball_constraint_body_B",
                                "drake:ball_constraint_p_BQ", &ball.body_b, &ball.x_bq));
    ISO_SCENE_TRY(iso_scene_format(build, &ball.name, "%s::ball_constraint_%d", scope,
                                   iso_model_constraint_count(build->model)));
    return iso_scene_add_constraint(build, at, &ball);
}

iso_status iso_drake_read_gains(iso_scene_build* build, const xmlNode* element,
                                iso_actuator_desc* actuator) {
    bool has_p = false, has_d = false;
    ISO_SCENE_TRY(iso_xml_attribute_numbers(build, element, "p", 1, &actuator->kp, &has_p));
    ISO_SCENE_TRY(iso_xml_attribute_numbers(build, element, "d", 1, &actuator->kd, &has_d));
    ISO_SCENE_REQUIRE(build, iso_xml_source(element),
                      has_p && has_d && actuator->kp >= 0.0 && actuator->kd >= 0.0, ISO_ERR_RANGE,
                      "<drake:controller_gains> needs p >= 0 and d >= 0, has %g and %g",
                      actuator->kp, actuator->kd);
    return ISO_OK;
}

iso_status iso_drake_read_damping(iso_scene_build* build, const xmlNode* node, const char* text,
                                  iso_joint_desc* joint) {
    double n[3] = {0.0};
    bool is_vector = strpbrk(text, " \t\n") != NULL;
    ISO_SCENE_TRY(iso_xml_parse_numbers(build, node, "damping", text, is_vector ? 3 : 1, n));
    ISO_SCENE_REQUIRE(build, iso_xml_source(node), !is_vector || (n[0] == n[1] && n[1] == n[2]),
                      ISO_ERR_UNSUPPORTED,
                      "joint '%s': dampings %g, %g, %g differ, expected one for all degrees of "
                      "freedom",
                      joint->name, n[0], n[1], n[2]);
    joint->damping = n[0];
    return ISO_OK;
}
