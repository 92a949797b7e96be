// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/tags/shape_tags.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void iso_shape_tag_warn_default(iso_scene_build* build, const xmlNode* element, const char* name,
                                double value) {
    char other[ISO_NAME_TEXT_SIZE], key[160];
    (void)snprintf(key, sizeof key, "%s of %s", name, iso_xml_name(element));
    iso_scene_warn_once(build, iso_xml_source(element), key,
                        "<%s> has no %s%s: it is %g m, as the format says", iso_xml_name(element),
                        name, iso_xml_has_instead(element, name, other, sizeof other), value);
}

// @param standard  what the format says where the file does not; 0: it must say
static iso_status read_size(iso_scene_build* build, const xmlNode* element, const char* name,
                            double standard, double* out_value) {
    char other[ISO_NAME_TEXT_SIZE];
    bool is_found = false;
    ISO_SCENE_TRY(iso_xml_child_numbers(build, element, name, 1, out_value, &is_found));
    if (!is_found) {
        ISO_SCENE_TRY(iso_xml_attribute_numbers(build, element, name, 1, out_value, &is_found));
    }
    if (!is_found && standard > 0.0) {
        iso_shape_tag_warn_default(build, element, name, standard);
        *out_value = standard;
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(element), is_found, ISO_ERR_PARSE, "<%s> has no %s%s",
                      iso_xml_name(element), name,
                      iso_xml_has_instead(element, name, other, sizeof other));
    return ISO_OK;
}

iso_status iso_shape_tag_read_ellipsoid(iso_scene_build* build, const xmlNode* element,
                                        iso_shape_desc* shape) {
    *shape = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    ISO_SCENE_TRY(read_size(build, element, "a", 0.0, &shape->size.x));
    ISO_SCENE_TRY(read_size(build, element, "b", 0.0, &shape->size.y));
    return read_size(build, element, "c", 0.0, &shape->size.z);
}

iso_status iso_shape_tag_read(iso_scene_build* build, const xmlNode* element, bool has_defaults,
                              iso_shape_desc* shape, bool* out_is_read) {
    static const struct {
        const char* name;
        iso_shape_kind kind;
        double radius, length; ///< of SDFormat; 0: a shape of Drake, or none
    } rounds[] = {{"sphere", ISO_SHAPE_SPHERE, 1.0, 0.0},
                  {"cylinder", ISO_SHAPE_CYLINDER, 1.0, 1.0},
                  {"capsule", ISO_SHAPE_CAPSULE, 0.5, 1.0},
                  {"drake:capsule", ISO_SHAPE_CAPSULE, 0.0, 0.0}};
    *out_is_read = true;
    for (size_t i = 0; i < sizeof rounds / sizeof *rounds; ++i) {
        if (!iso_xml_is(element, rounds[i].name)) {
            continue;
        }
        *shape = iso_shape_desc_default(rounds[i].kind);
        ISO_SCENE_TRY(read_size(build, element, "radius", has_defaults ? rounds[i].radius : 0.0,
                                &shape->radius));
        return rounds[i].kind == ISO_SHAPE_SPHERE
                   ? ISO_OK
                   : read_size(build, element, "length", has_defaults ? rounds[i].length : 0.0,
                               &shape->length);
    }
    if (iso_xml_is(element, "drake:ellipsoid")) {
        return iso_shape_tag_read_ellipsoid(build, element, shape);
    }
    *out_is_read = false;
    return ISO_OK;
}

iso_status iso_shape_tag_unknown(iso_scene_build* build, const xmlNode* element, bool is_visual) {
    if (is_visual && (iso_xml_is(element, "polyline") || iso_xml_is(element, "heightmap"))) {
        iso_scene_warn_once(build, iso_xml_source(element), iso_xml_name(element),
                            "<%s> of a visual is not shown: a collision of it is",
                            iso_xml_name(element));
        return ISO_OK;
    }
    if (is_visual) {
        static const char* const known[] = {
            "box",       "sphere",        "cylinder",        "capsule", "cone",
            "mesh",      "ellipsoid",     "plane",           "image",   "polyline",
            "heightmap", "drake:capsule", "drake:ellipsoid", NULL};
        iso_xml_warn_unsupported(build, element, known);
        return ISO_OK;
    }
    return iso_scene_fail(build, iso_xml_source(element), ISO_ERR_UNSUPPORTED,
                          "collision geometry <%s> is not supported, expected sphere, box, "
                          "cylinder, capsule, ellipsoid, plane or mesh",
                          iso_xml_name(element));
}

bool iso_shape_tag_is_shown(iso_scene_build* build, const xmlNode* visual,
                            const iso_shape_desc* shape) {
    iso_source at = iso_xml_source(visual), nowhere = {"", 0};
    bool is_nothing = shape->kind == ISO_SHAPE_SPHERE && shape->radius == 0.0;
    if (is_nothing || iso_scene_check_shape(build, nowhere, shape) == ISO_OK) {
        return true;
    }
    const char* why = iso_context_error(build->ctx);
    const char* own = strstr(why, ": ");
    iso_scene_warn_once(build, at, "size of a visual", "<visual> is not shown: its %s",
                        own ? own + 2 : why);
    return false;
}

bool iso_shape_tag_is_point(iso_scene_build* build, const xmlNode* collision,
                            const iso_shape_desc* shape) {
    iso_vec3 size = shape->size;
    bool is_round = shape->kind == ISO_SHAPE_SPHERE || shape->kind == ISO_SHAPE_CYLINDER ||
                    shape->kind == ISO_SHAPE_CAPSULE;
    bool is_flat = shape->kind == ISO_SHAPE_SPHERE || shape->length == 0.0;
    bool is_square = shape->kind == ISO_SHAPE_BOX || shape->kind == ISO_SHAPE_ELLIPSOID;
    bool is_point = (is_round && shape->radius == 0.0 && is_flat) ||
                    (is_square && size.x == 0.0 && size.y == 0.0 && size.z == 0.0);
    if (is_point) {
        iso_scene_log_once(build, ISO_LOG_INFO, iso_xml_source(collision), // it can touch nothing
                           "collision without extent",
                           "<collision>: its %s has no extent and is left out",
                           iso_shape_kind_name(shape->kind));
    }
    return is_point;
}

float iso_shape_tag_color(iso_scene_build* build, const xmlNode* color, int component,
                          double value) {
    if (!(value >= 0.0 && value <= 1.0)) { // no reason to refuse a scene
        iso_scene_warn_once(build, iso_xml_source(color), iso_xml_name(color),
                            "<%s> component %d is %g and is clamped, expected 0 to 1",
                            iso_xml_name(color), component, value);
    }
    return (float)fmin(fmax(value, 0.0), 1.0);
}
