// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf.h"
#include "scene/shape_tags.h"

#include <string.h>

// Three numbers; where they are missing each is 1, as the format says.
static iso_status read_vector(iso_scene_build* build, const xmlNode* element, const char* name,
                              iso_vec3* out_vector) {
    double n[3] = {1.0, 1.0, 1.0};
    bool is_found = false;
    ISO_SCENE_TRY(iso_xml_child_numbers(build, element, name, 3, n, &is_found));
    if (!is_found) {
        iso_shape_tag_warn_default(build, element, name, n[0]);
    }
    *out_vector = iso_vec3_make(n[0], n[1], n[2]);
    return ISO_OK;
}

// The half space below a plane; <size> is only for drawing.
static iso_status read_plane(iso_scene_build* build, const xmlNode* element, iso_shape_desc* shape,
                             iso_pose* x_offset) {
    *shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_vec3 normal = iso_vec3_make(0.0, 0.0, 1.0);
    if (iso_xml_child(element, "normal")) {
        ISO_SCENE_TRY(read_vector(build, element, "normal", &normal));
    }
    double norm = iso_vec3_norm(normal);
    ISO_SCENE_REQUIRE(build, iso_xml_source(element), norm > 1e-6 && norm <= ISO_SCENE_MAX_LENGTH,
                      ISO_ERR_RANGE, "<plane>: <normal> has length %g, expected a direction", norm);
    x_offset->r = iso_scene_turn_z_to(normal);
    return ISO_OK;
}

static iso_status read_mesh(iso_scene_build* build, const xmlNode* element, bool is_visual,
                            iso_shape_desc* shape, bool* out_is_known) {
    static const char* const known[] = {"uri", "scale", "drake:declare_convex", NULL};
    iso_xml_warn_unknown(build, element, known);
    bool is_convex = iso_xml_child(element, "drake:declare_convex") != NULL;
    *shape = iso_shape_desc_default(is_convex ? ISO_SHAPE_CONVEX : ISO_SHAPE_MESH);
    const char* uri = NULL;
    ISO_SCENE_TRY(iso_xml_child_text(build, element, "uri", &uri));
    ISO_SCENE_REQUIRE(build, iso_xml_source(element), *uri || is_visual, ISO_ERR_PARSE,
                      "<mesh> has no <uri>");
    ISO_SCENE_TRY(
        iso_scene_resolve_mesh(build, iso_xml_source(element), uri, is_visual, &shape->path));
    *out_is_known = shape->path != NULL;
    return iso_xml_child(element, "scale") ? read_vector(build, element, "scale", &shape->scale)
                                           : ISO_OK;
}

iso_status iso_sdf_read_geometry(iso_scene_build* build, const xmlNode* element, bool is_visual,
                                 iso_shape_desc* shape, iso_pose* x_offset, bool* out_is_known) {
    *x_offset = iso_pose_identity();
    *out_is_known = true;
    const xmlNode* geometry = iso_xml_child(element, "geometry");
    const xmlNode* kind = geometry ? iso_xml_first(geometry) : NULL;
    if (!geometry) {
        iso_scene_warn_once(build, iso_xml_source(element), iso_xml_name(element),
                            "<%s> has no <geometry> and is left out", iso_xml_name(element));
    }
    if (!kind || iso_xml_is(kind, "empty")) {
        *out_is_known = false;
        return ISO_OK;
    }
    bool is_read = false;
    ISO_SCENE_TRY(iso_shape_tag_read(build, kind, true, shape, &is_read));
    if (is_read) {
        return ISO_OK;
    }
    if (iso_xml_is(kind, "box")) {
        *shape = iso_shape_desc_default(ISO_SHAPE_BOX);
        return read_vector(build, kind, "size", &shape->size);
    }
    if (iso_xml_is(kind, "ellipsoid")) {
        *shape = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
        return read_vector(build, kind, "radii", &shape->size);
    }
    if (iso_xml_is(kind, "plane")) {
        return read_plane(build, kind, shape, x_offset);
    }
    if (iso_xml_is(kind, "mesh")) {
        return read_mesh(build, kind, is_visual, shape, out_is_known);
    }
    *out_is_known = false;
    return iso_shape_tag_unknown(build, kind, is_visual);
}
