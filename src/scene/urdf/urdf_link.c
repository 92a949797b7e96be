// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/tags/isobar_tags.h"
#include "scene/tags/shape_tags.h"
#include "scene/urdf/urdf.h"

#include <string.h>

static iso_status read_inertial(iso_scene_build* build, const xmlNode* link, iso_body_desc* body) {
    static const char* const known[] = {"origin", "mass", "inertia", NULL};
    static const struct {
        const char* name;
        int row, column;
    } moments[] = {{"ixx", 0, 0}, {"iyy", 1, 1}, {"izz", 2, 2},
                   {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyz", 1, 2}};
    const xmlNode* inertial = iso_xml_child(link, "inertial");
    body->mass = 0.0; // a link without <inertial> has no mass
    body->inertia = iso_mat3_zero();
    if (!inertial) {
        return ISO_OK;
    }
    iso_xml_warn_unknown(build, inertial, known);
    iso_pose x_bc;
    ISO_SCENE_TRY(iso_urdf_read_origin(build, inertial, &x_bc));
    const xmlNode* mass = iso_xml_child(inertial, "mass");
    const xmlNode* inertia = iso_xml_child(inertial, "inertia");
    if (mass) {
        bool has_value = false;
        ISO_SCENE_TRY(iso_xml_attribute_numbers(build, mass, "value", 1, &body->mass, &has_value));
        ISO_SCENE_TRY(has_value ? ISO_OK : iso_xml_needs_attribute(build, mass, "value"));
    }
    for (size_t i = 0; inertia && i < sizeof moments / sizeof *moments; ++i) {
        double* value = &body->inertia.m[moments[i].row][moments[i].column];
        ISO_SCENE_TRY(iso_xml_attribute_numbers(build, inertia, moments[i].name, 1, value, NULL));
        body->inertia.m[moments[i].column][moments[i].row] = *value;
    }
    iso_mat3 rotated = iso_mat3_mul(x_bc.r, body->inertia);
    body->inertia = iso_mat3_mul(rotated, iso_mat3_transpose(x_bc.r));
    body->center_of_mass = x_bc.p;
    if (mass) {
        iso_scene_mend_inertia(build, iso_xml_source(inertial), body);
    }
    return iso_scene_check_inertia(build, iso_xml_source(mass ? mass : inertial), body->name, body,
                                   true);
}

// --- shapes --------------------------------------------------------------------------------------

static iso_status read_mesh(iso_scene_build* build, const xmlNode* element, bool is_visual,
                            iso_shape_desc* shape, bool* out_is_known) {
    static const char* const known[] = {"drake:declare_convex", NULL};
    iso_xml_warn_unknown(build, element, known);
    bool is_convex = iso_xml_child(element, "drake:declare_convex") != NULL;
    const char* uri = NULL;
    const char* scale = NULL;
    *shape = iso_shape_desc_default(is_convex ? ISO_SHAPE_CONVEX : ISO_SHAPE_MESH);
    if (is_visual) { // of no name: a warning
        ISO_SCENE_TRY(iso_xml_attribute(build, element, "filename", &uri));
        uri = uri ? uri : "";
    } else {
        ISO_SCENE_TRY(iso_xml_required_attribute(build, element, "filename", &uri));
    }
    ISO_SCENE_TRY(
        iso_scene_resolve_mesh(build, iso_xml_source(element), uri, is_visual, &shape->path));
    *out_is_known = shape->path != NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "scale", &scale));
    if (!scale) {
        return ISO_OK;
    }
    // One factor or three.
    double n[3];
    bool is_single = !strpbrk(scale, " \t\n");
    iso_status status = iso_xml_parse_numbers(build, element, "scale", scale, is_single ? 1 : 3, n);
    if (is_visual && status == ISO_ERR_PARSE) { // no reason to refuse a scene
        iso_scene_warn_once(build, iso_xml_source(element), "scale of a visual",
                            "visual mesh '%s' is not shown: its scale is '%.40s', expected 3 "
                            "numbers",
                            uri, scale);
        *out_is_known = false;
        return ISO_OK;
    }
    ISO_SCENE_TRY(status);
    shape->scale = is_single ? iso_vec3_make(n[0], n[0], n[0]) : iso_vec3_make(n[0], n[1], n[2]);
    return ISO_OK;
}

static iso_status read_box(iso_scene_build* build, const xmlNode* element, iso_shape_desc* shape) {
    double n[3];
    bool has_size = false;
    *shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    ISO_SCENE_TRY(iso_xml_attribute_numbers(build, element, "size", 3, n, &has_size));
    ISO_SCENE_TRY(has_size ? ISO_OK : iso_xml_needs_attribute(build, element, "size"));
    shape->size = iso_vec3_make(n[0], n[1], n[2]);
    return ISO_OK;
}

static iso_status read_geometry(iso_scene_build* build, const xmlNode* element, bool is_visual,
                                iso_shape_desc* shape, bool* out_is_known) {
    const xmlNode* geometry = iso_xml_child(element, "geometry");
    const xmlNode* kind = geometry ? iso_xml_first(geometry) : NULL;
    if (!kind && is_visual) {
        iso_scene_warn_once(build, iso_xml_source(element), "visual without shape",
                            "<visual> has no shape in <geometry> and is not shown");
        *out_is_known = false;
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(element), kind, ISO_ERR_PARSE,
                      "<%s> has no shape in <geometry>", iso_xml_name(element));
    *out_is_known = true;
    bool is_read = false;
    ISO_SCENE_TRY(iso_shape_tag_read(build, kind, false, shape, &is_read));
    if (is_read) {
        return ISO_OK;
    }
    if (iso_xml_is(kind, "ellipsoid")) {
        return iso_shape_tag_read_ellipsoid(build, kind, shape);
    }
    if (iso_xml_is(kind, "box")) {
        return read_box(build, kind, shape);
    }
    if (iso_xml_is(kind, "mesh")) {
        return read_mesh(build, kind, is_visual, shape, out_is_known);
    }
    if (iso_xml_is(kind, "plane")) {
        *shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
        return ISO_OK;
    }
    *out_is_known = false;
    return iso_shape_tag_unknown(build, kind, is_visual);
}

// --- collisions and visuals ----------------------------------------------------------------------

static iso_status add_collision(const iso_urdf_reader* reader, int body, const xmlNode* element) {
    static const char* const known[] = {
        "origin",  "geometry", "drake:proximity_properties", "isobar:contact_properties",
        "verbose", NULL};
    iso_scene_build* build = reader->build;
    iso_xml_warn_unknown(build, element, known);
    iso_geometry_desc geometry = iso_geometry_desc_default();
    bool is_known = false;
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "name", &geometry.name));
    ISO_SCENE_TRY(iso_urdf_read_origin(build, element, &geometry.x_bg));
    ISO_SCENE_TRY(read_geometry(build, element, false, &geometry.shape, &is_known));
    if (iso_shape_tag_is_point(build, element, &geometry.shape)) {
        return ISO_OK;
    }
    iso_material_spec spec = iso_material_spec_default();
    ISO_SCENE_TRY(iso_isobar_read_contact(build, element, &spec));
    ISO_SCENE_TRY(iso_material_spec_finish(build, iso_xml_source(element), &spec));
    geometry.material = spec.value;
    return iso_scene_add_geometry(build, iso_xml_source(element), body, &geometry, &spec);
}

// A material may only name one defined in the robot.
static iso_status find_color(const iso_urdf_reader* reader, const xmlNode* material,
                             const xmlNode** out_color) {
    const char* name = NULL;
    int index = -1;
    *out_color = iso_xml_child(material, "color");
    if (*out_color) {
        return ISO_OK;
    }
    iso_urdf_materials* known = reader->materials;
    iso_name_list list =
        ISO_NAME_LIST(known->list.data, known->list.count, iso_urdf_material, name);
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, material, "name", &name));
    ISO_SCENE_TRY(iso_name_index_find(reader->build->ctx, &known->index, &list, name, &index));
    *out_color = index >= 0 ? known->list.data[index].color : NULL;
    return ISO_OK;
}

static iso_status read_color(const iso_urdf_reader* reader, const xmlNode* visual, float rgba[4]) {
    iso_scene_build* build = reader->build;
    const xmlNode* material = iso_xml_child(visual, "material");
    const xmlNode* color = NULL;
    if (!material) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(find_color(reader, material, &color));
    double c[4];
    bool has_rgba = false;
    if (color) {
        ISO_SCENE_TRY(iso_xml_attribute_numbers(build, color, "rgba", 4, c, &has_rgba));
    }
    for (int i = 0; has_rgba && i < 4; ++i) {
        rgba[i] = iso_shape_tag_color(build, color, i, c[i]);
    }
    return ISO_OK;
}

static iso_status add_visual(const iso_urdf_reader* reader, int body, const xmlNode* element) {
    // What only a renderer would use is passed over.
    static const char* const known[] = {"origin", "geometry", "material",
                                        "drake:accepting_renderer", NULL};
    iso_scene_build* build = reader->build;
    iso_xml_warn_unknown(build, element, known);
    iso_visual_desc visual = iso_visual_desc_default();
    bool is_known = false;
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "name", &visual.name));
    ISO_SCENE_TRY(iso_urdf_read_origin(build, element, &visual.x_bg));
    ISO_SCENE_TRY(read_geometry(build, element, true, &visual.shape, &is_known));
    if (!is_known || !iso_shape_tag_is_shown(build, element, &visual.shape)) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(read_color(reader, element, visual.rgba));
    return iso_scene_add_visual(build, iso_xml_source(element), body, &visual);
}

iso_status iso_urdf_add_link(const iso_urdf_reader* reader, const xmlNode* link) {
    iso_scene_build* build = reader->build;
    static const char* const known[] = {"inertial", "collision", "visual", NULL};
    iso_source at = iso_xml_source(link);
    const char* name = NULL;
    int body = ISO_WORLD_BODY;
    iso_xml_warn_unknown(build, link, known);
    ISO_SCENE_TRY(iso_xml_required_attribute(build, link, "name", &name));
    if (strcmp(name, "world") != 0) {
        iso_body_desc desc = iso_body_desc_default();
        iso_pose identity = iso_pose_identity();
        ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &desc.name));
        ISO_SCENE_TRY(read_inertial(build, link, &desc));
        ISO_SCENE_TRY(iso_scene_add_body(build, at, &desc, &identity, &body));
        build->starts.data[body].may_stand = true;
        build->starts.data[body].takes_mass = true;
    }
    for (const xmlNode* child = iso_xml_first(link); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, "collision")) {
            ISO_SCENE_TRY(add_collision(reader, body, child));
        } else if (iso_xml_is(child, "visual")) {
            ISO_SCENE_TRY(add_visual(reader, body, child));
        }
    }
    return ISO_OK;
}
