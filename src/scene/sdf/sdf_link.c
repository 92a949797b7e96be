// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf/sdf.h"
#include "scene/tags/isobar_tags.h"
#include "scene/tags/shape_tags.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- contact properties --------------------------------------------------------------------------

// A number as text or, as URDF may have it, as the attribute `value`.
static iso_status read_number(iso_scene_build* build, const xmlNode* element, const char* name,
                              double* out_value, bool* out_found) {
    const xmlNode* child = iso_xml_child(element, name);
    const char* text = NULL;
    *out_found = child != NULL;
    if (!child) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_xml_attribute_or_text(build, child, "value", &text));
    return iso_xml_parse_numbers(build, child, name, text, 1, out_value);
}

iso_status iso_sdf_read_friction(iso_scene_build* build, const xmlNode* element, const char* first,
                                 const char* second, iso_material_spec* spec) {
    iso_source at = iso_xml_source(element);
    double mu = 0.0, mu2 = 0.0;
    bool has_mu = false, has_mu2 = false;
    ISO_SCENE_TRY(read_number(build, element, first, &mu, &has_mu));
    ISO_SCENE_TRY(read_number(build, element, second, &mu2, &has_mu2));
    // Gazebo takes a negative coefficient as friction without limit.
    double used_mu = mu < 0.0 ? ISO_SCENE_MAX_FRICTION : fmin(mu, ISO_SCENE_MAX_FRICTION);
    double used_mu2 = mu2 < 0.0 ? ISO_SCENE_MAX_FRICTION : fmin(mu2, ISO_SCENE_MAX_FRICTION);
    if (used_mu != mu || used_mu2 != mu2) {
        iso_scene_warn_once(build, at, "friction without limit",
                            "friction %s %g, %s %g is taken as at most %g%s", first, mu, second,
                            mu2, ISO_SCENE_MAX_FRICTION,
                            fmin(mu, mu2) < 0.0 ? ": negative means without limit" : "");
        mu = used_mu;
        mu2 = used_mu2;
    }
    unsigned both = ISO_MATERIAL_FRICTION_STATIC | ISO_MATERIAL_FRICTION_DYNAMIC;
    if ((has_mu || has_mu2) && !(spec->stated & both)) {
        double used = has_mu ? mu : mu2;
        spec->value.friction_static = used;
        spec->value.friction_dynamic = used;
        spec->stated |= both;
        if (has_mu && has_mu2 && mu != mu2) {
            iso_scene_warn_once(build, at, "friction along two directions",
                                "friction is %s %g along one direction, %s %g along the other: "
                                "they are not told apart, %g counts along both",
                                first, mu, second, mu2, used);
        } else if (!has_mu && mu2 != 1.0) { // what the format has by default
            iso_scene_warn_once(build, at, "friction along the second direction",
                                "friction %s is absent, %s is %g: it counts along both directions "
                                "(by default %s is 1)",
                                first, second, mu2, first);
        }
    }
    return ISO_OK;
}

iso_status iso_sdf_read_ode_law(iso_scene_build* build, const xmlNode* element,
                                iso_point_law* law) {
    // As stiff as the format has it by default, what touches does not give way in ODE.
    const double rigid = 1e12;
    iso_point_law read = {
        .kind = ISO_POINT_LAW_ODE, .source = iso_xml_source(element), .stiffness = INFINITY};
    bool has_stiffness = false, has_damping = false;
    ISO_SCENE_TRY(read_number(build, element, "kp", &read.stiffness, &has_stiffness));
    ISO_SCENE_TRY(read_number(build, element, "kd", &read.damping, &has_damping));
    ISO_SCENE_REQUIRE(build, read.source,
                      read.stiffness > 0.0 && read.damping >= 0.0 &&
                          read.damping <= ISO_SCENE_MAX_PRESSURE,
                      ISO_ERR_RANGE, "kp is %g, kd %g, expected > 0 and >= 0, at most %g",
                      read.stiffness, read.damping, ISO_SCENE_MAX_PRESSURE);
    read.is_stated = read.stiffness < rigid;
    bool is_new = law->kind == ISO_POINT_LAW_NONE && (has_stiffness || has_damping);
    *law = is_new ? read : *law; // Drake's goes first
    return ISO_OK;
}

static iso_status read_surface(iso_scene_build* build, const xmlNode* collision,
                               iso_material_spec* spec) {
    const xmlNode* surface = iso_xml_child(collision, "surface");
    const xmlNode* friction = surface ? iso_xml_child(surface, "friction") : NULL;
    const xmlNode* ode = friction ? iso_xml_child(friction, "ode") : NULL;
    if (surface) {
        static const char* const known[] = {"friction", "contact", NULL};
        iso_xml_warn_unknown(build, surface, known);
    }
    if (friction) {
        static const char* const known[] = {"ode", NULL};
        iso_xml_warn_unknown(build, friction, known);
    }
    if (!ode) {
        return ISO_OK;
    }
    // Without a difference of the two the first direction means nothing.
    static const char* const known[] = {"mu", "mu2", "fdir1", NULL};
    iso_xml_warn_unknown(build, ode, known);
    return iso_sdf_read_friction(build, ode, known[0], known[1], spec);
}

// <surface><contact>. <collide_bitmask>: two collisions touch when their masks share a bit.
// Decimal, or hexadecimal with 0x.
static iso_status read_contact(iso_scene_build* build, const xmlNode* collision,
                               iso_geometry_desc* geometry, iso_point_law* law) {
    static const char* const known[] = {"collide_bitmask", "ode", NULL};
    static const char* const of_ode[] = {"kp", "kd", NULL};
    const xmlNode* surface = iso_xml_child(collision, "surface");
    const xmlNode* contact = surface ? iso_xml_child(surface, "contact") : NULL;
    const char* text = NULL;
    if (!contact) {
        return ISO_OK;
    }
    iso_xml_warn_unknown(build, contact, known);
    const xmlNode* ode = iso_xml_child(contact, "ode");
    if (ode) {
        iso_xml_warn_unknown(build, ode, of_ode);
        ISO_SCENE_TRY(iso_sdf_read_ode_law(build, ode, law));
    }
    ISO_SCENE_TRY(iso_xml_child_text(build, contact, "collide_bitmask", &text));
    if (!iso_xml_child(contact, "collide_bitmask")) {
        return ISO_OK;
    }
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char* digits = is_hex ? text + 2 : text;
    size_t length = strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789");
    unsigned long long bits =
        length > 0 && length <= 16 ? strtoull(digits, NULL, is_hex ? 16 : 10) : ULLONG_MAX;
    ISO_SCENE_REQUIRE(build, iso_xml_source(contact), digits[length] == '\0' && bits <= UINT32_MAX,
                      ISO_ERR_RANGE,
                      "<collide_bitmask> is '%.40s', expected a whole number of 32 bits", text);
    geometry->collision_group = (uint32_t)bits;
    geometry->collision_mask = (uint32_t)bits;
    return ISO_OK;
}

// --- collisions and visuals ----------------------------------------------------------------------

// Pose of a collision or visual in its link.
static iso_status part_pose(const iso_sdf_reader* reader, const iso_sdf_node* link,
                            const xmlNode* element, iso_pose* out_x) {
    const char* relative_to = NULL;
    ISO_SCENE_TRY(iso_sdf_read_pose(reader->build, element, out_x, &relative_to));
    if (!relative_to) {
        return ISO_OK;
    }
    iso_sdf_target target;
    iso_sdf_target own = {(iso_sdf_node*)(uintptr_t)link, link->scope};
    iso_pose x_sr, x_sl;
    ISO_SCENE_TRY(iso_sdf_find(reader, iso_xml_source(element), link->scope, relative_to, &target));
    ISO_SCENE_TRY(iso_sdf_pose_in(reader, link->scope, &target, &x_sr));
    ISO_SCENE_TRY(iso_sdf_pose_in(reader, link->scope, &own, &x_sl));
    iso_pose x_lr = iso_pose_inverse_mul(&x_sl, &x_sr);
    *out_x = iso_pose_mul(&x_lr, out_x);
    return ISO_OK;
}

static iso_status add_collision(iso_sdf_reader* reader, const iso_sdf_node* link,
                                const xmlNode* element) {
    static const char* const known[] = {"pose",
                                        "geometry",
                                        "surface",
                                        "laser_retro",
                                        "max_contacts",
                                        "density",
                                        "drake:proximity_properties",
                                        "isobar:contact_properties",
                                        NULL};
    iso_scene_build* build = reader->build;
    iso_xml_warn_unknown(build, element, known);
    iso_geometry_desc geometry = iso_geometry_desc_default();
    iso_pose x_lc, x_cg;
    bool is_known = false;
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "name", &geometry.name));
    ISO_SCENE_TRY(part_pose(reader, link, element, &x_lc));
    ISO_SCENE_TRY(iso_sdf_read_geometry(build, element, false, &geometry.shape, &x_cg, &is_known));
    if (!is_known || iso_shape_tag_is_point(build, element, &geometry.shape)) {
        return ISO_OK;
    }
    geometry.x_bg = iso_pose_mul(&x_lc, &x_cg);
    iso_material_spec spec = iso_material_spec_default();
    ISO_SCENE_TRY(iso_isobar_read_contact(build, element, &spec));
    ISO_SCENE_TRY(read_surface(build, element, &spec));
    ISO_SCENE_TRY(read_contact(build, element, &geometry, &spec.point));
    ISO_SCENE_TRY(iso_material_spec_finish(build, iso_xml_source(element), &spec));
    geometry.material = spec.value;
    ISO_SCENE_TRY(iso_sdf_add_mass(build, link, element, &geometry));
    return iso_scene_add_geometry(build, iso_xml_source(element), link->body, &geometry, &spec);
}

static iso_status read_color(iso_scene_build* build, const xmlNode* visual, float rgba[4]) {
    const xmlNode* material = iso_xml_child(visual, "material");
    const xmlNode* diffuse = material ? iso_xml_child(material, "diffuse") : NULL;
    if (!diffuse) {
        return ISO_OK;
    }
    const char* text = NULL;
    double c[4] = {0.0, 0.0, 0.0, 1.0};
    ISO_SCENE_TRY(iso_xml_text(build, diffuse, &text));
    // Three or four components.
    int spaces = 0;
    for (const char* t = text; *t; ++t) {
        spaces +=
            (*t == ' ' || *t == '\t' || *t == '\n') && t[1] != ' ' && t[1] != '\t' && t[1] != '\n';
    }
    ISO_SCENE_TRY(iso_xml_parse_numbers(build, diffuse, "its value", text, spaces == 2 ? 3 : 4, c));
    for (int i = 0; i < 4; ++i) {
        rgba[i] = iso_shape_tag_color(build, diffuse, i, c[i]);
    }
    return ISO_OK;
}

static iso_status add_visual(iso_sdf_reader* reader, const iso_sdf_node* link,
                             const xmlNode* element) {
    // What only a renderer would use is passed over.
    static const char* const known[] = {
        "pose",        "geometry", "material",         "cast_shadows", "transparency",
        "laser_retro", "meta",     "visibility_flags", "plugin",       "drake:accepting_renderer",
        NULL};
    iso_scene_build* build = reader->build;
    iso_xml_warn_unknown(build, element, known);
    iso_visual_desc visual = iso_visual_desc_default();
    iso_pose x_lv, x_vg;
    bool is_known = false;
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "name", &visual.name));
    ISO_SCENE_TRY(part_pose(reader, link, element, &x_lv));
    ISO_SCENE_TRY(iso_sdf_read_geometry(build, element, true, &visual.shape, &x_vg, &is_known));
    if (!is_known || !iso_shape_tag_is_shown(build, element, &visual.shape)) {
        return ISO_OK;
    }
    visual.x_bg = iso_pose_mul(&x_lv, &x_vg);
    ISO_SCENE_TRY(read_color(build, element, visual.rgba));
    return iso_scene_add_visual(build, iso_xml_source(element), link->body, &visual);
}

// --- links ---------------------------------------------------------------------------------------

// A switch that Isobar cannot turn on.
static iso_status warn_switch(iso_scene_build* build, const xmlNode* element) {
    bool is_on = false;
    ISO_SCENE_TRY(iso_sdf_read_switch(build, element->parent, iso_xml_name(element), &is_on));
    if (is_on) {
        const char* known[] = {iso_xml_name(element), NULL};
        iso_xml_warn_unsupported(build, element, known);
    }
    return ISO_OK;
}

// <gravity>: whether the link has a weight.
static iso_status read_weight(iso_scene_build* build, const xmlNode* link, iso_body_desc* body) {
    bool is_on = true;
    ISO_SCENE_TRY(iso_sdf_read_switch(build, link, "gravity", &is_on));
    body->gravity_compensation = is_on ? 0.0 : 1.0;
    return ISO_OK;
}

// When all collisions are there that they may name.
static iso_status add_sensors(iso_sdf_reader* reader, const iso_sdf_node* link) {
    for (const xmlNode* child = iso_xml_first(link->element); child; child = iso_xml_next(child)) {
        iso_pose x_ls;
        if (iso_xml_is(child, "sensor") && iso_sdf_is_read_sensor(reader->build, child, false)) {
            ISO_SCENE_TRY(part_pose(reader, link, child, &x_ls));
            ISO_SCENE_TRY(iso_sdf_add_sensor(reader->build, child, link->scope->scoped_name,
                                             link->body, NULL, &x_ls, NULL));
        }
    }
    return ISO_OK;
}

static iso_status add_link_parts(iso_sdf_reader* reader, const iso_sdf_node* link) {
    static const char* const known[] = {"pose",        "inertial", "collision", "visual",
                                        "sensor",      "gravity",  "kinematic", "self_collide",
                                        "enable_wind", NULL};
    iso_scene_build* build = reader->build;
    iso_xml_warn_unknown(build, link->element, known);
    for (const xmlNode* child = iso_xml_first(link->element); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, "collision")) {
            ISO_SCENE_TRY(add_collision(reader, link, child));
        } else if (iso_xml_is(child, "visual")) {
            ISO_SCENE_TRY(add_visual(reader, link, child));
        } else if (iso_xml_is(child, "kinematic") || iso_xml_is(child, "enable_wind")) {
            ISO_SCENE_TRY(warn_switch(build, child));
        }
    }
    return add_sensors(reader, link);
}

iso_status iso_sdf_add_link(iso_sdf_reader* reader, iso_sdf_node* link) {
    iso_scene_build* build = reader->build;
    iso_sdf_scope* scope = link->scope;
    iso_source at = iso_xml_source(link->element);
    iso_body_desc body = iso_body_desc_default();
    ISO_SCENE_TRY(iso_scene_scoped(build, scope->scoped_name, link->name, &body.name));
    ISO_SCENE_TRY(iso_sdf_read_inertial(build, link, &body));
    ISO_SCENE_TRY(read_weight(build, link->element, &body));
    link->is_self_collided = scope->is_self_collided;
    scope->says_self_collided =
        scope->says_self_collided || iso_xml_child(link->element, "self_collide");
    ISO_SCENE_TRY(
        iso_sdf_read_switch(build, link->element, "self_collide", &link->is_self_collided));
    iso_sdf_target own = {link, scope};
    iso_pose x_ws, x_sl;
    ISO_SCENE_TRY(iso_sdf_scope_pose(reader, scope, &x_ws));
    ISO_SCENE_TRY(iso_sdf_pose_in(reader, scope, &own, &x_sl));
    iso_pose x_wl = iso_pose_mul(&x_ws, &x_sl);
    ISO_SCENE_TRY(iso_scene_add_body(build, at, &body, &x_wl, &link->body));
    build->starts.data[link->body].takes_mass = true;
    if (scope->is_static) {
        iso_pose identity = iso_pose_identity();
        ISO_SCENE_TRY(iso_scene_add_weld(build, at, ISO_WORLD_BODY, link->body, &x_wl, &identity));
    }
    ISO_SCENE_TRY(add_link_parts(reader, link));
    return iso_sdf_finish_inertial(build, link);
}
