// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/shape_tags.h"

static iso_status read_size(iso_scene_build* build, const xmlNode* element, const char* name,
                            double* out_value) {
    char other[ISO_NAME_TEXT_SIZE];
    bool is_found = false;
    ISO_SCENE_TRY(iso_xml_child_numbers(build, element, name, 1, out_value, &is_found));
    if (!is_found) {
        ISO_SCENE_TRY(iso_xml_attribute_numbers(build, element, name, 1, out_value, &is_found));
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(element), is_found, ISO_ERR_PARSE, "<%s> has no %s%s",
                      iso_xml_name(element), name,
                      iso_xml_has_instead(element, name, other, sizeof other));
    return ISO_OK;
}

iso_status iso_shape_tag_read_ellipsoid(iso_scene_build* build, const xmlNode* element,
                                        iso_shape_desc* shape) {
    *shape = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    ISO_SCENE_TRY(read_size(build, element, "a", &shape->size.x));
    ISO_SCENE_TRY(read_size(build, element, "b", &shape->size.y));
    return read_size(build, element, "c", &shape->size.z);
}

static iso_status read_round(iso_scene_build* build, const xmlNode* element, iso_shape_kind kind,
                             iso_shape_desc* shape) {
    *shape = iso_shape_desc_default(kind);
    ISO_SCENE_TRY(read_size(build, element, "radius", &shape->radius));
    return kind == ISO_SHAPE_SPHERE ? ISO_OK : read_size(build, element, "length", &shape->length);
}

iso_status iso_shape_tag_read(iso_scene_build* build, const xmlNode* element, iso_shape_desc* shape,
                              bool* out_is_read) {
    static const struct {
        const char* name;
        iso_shape_kind kind;
    } rounds[] = {{"sphere", ISO_SHAPE_SPHERE},
                  {"cylinder", ISO_SHAPE_CYLINDER},
                  {"capsule", ISO_SHAPE_CAPSULE},
                  {"drake:capsule", ISO_SHAPE_CAPSULE}};
    *out_is_read = true;
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; ++i) {
        if (iso_xml_is(element, rounds[i].name)) {
            return read_round(build, element, rounds[i].kind, shape);
        }
    }
    if (iso_xml_is(element, "drake:ellipsoid")) {
        return iso_shape_tag_read_ellipsoid(build, element, shape);
    }
    *out_is_read = false;
    return ISO_OK;
}

iso_status iso_shape_tag_unknown(iso_scene_build* build, const xmlNode* element, bool is_visual) {
    if (is_visual) {
        iso_xml_warn_unsupported(build, element);
        return ISO_OK;
    }
    return iso_scene_fail(build, iso_xml_source(element), ISO_ERR_UNSUPPORTED,
                          "collision geometry <%s> is not supported, expected sphere, box, "
                          "cylinder, capsule, ellipsoid, plane or mesh",
                          iso_xml_name(element));
}
