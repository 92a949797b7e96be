// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include "base/core/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// --- values --------------------------------------------------------------------------------------

iso_status iso_mjcf_parse_list(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                               const char* text, double** out_values, int* out_count) {
    iso_scene_build* build = reader->build;
    static const char blanks[] = " \t\r\n";
    int capacity = 0;
    for (const char* c = text + strspn(text, blanks); *c; c += strspn(c, blanks)) {
        ++capacity;
        c += strcspn(c, blanks);
    }
    double* values = iso_arena_push_array(&build->arena, capacity, sizeof *values);
    ISO_REQUIRE(build->ctx, values || capacity == 0, ISO_ERR_MEMORY, "list of %d numbers",
                capacity);
    *out_count = 0;
    for (const char* c = text + strspn(text, blanks); *c; c += strspn(c, blanks)) {
        char word[64];
        size_t length = strcspn(c, blanks);
        size_t kept = length < sizeof word - 1 ? length : sizeof word - 1;
        memcpy(word, c, kept);
        word[kept] = '\0';
        ISO_SCENE_REQUIRE(build, iso_xml_source(node),
                          kept == length && iso_text_to_double(word, &values[*out_count]) &&
                              fabs(values[*out_count]) <= 1e15,
                          ISO_ERR_PARSE, "<%s>: %s holds '%s', expected a number of at most 1e15",
                          iso_xml_name(node), name, word);
        ++*out_count;
        c += length;
    }
    *out_values = values;
    return ISO_OK;
}

iso_status iso_mjcf_numbers(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const char* name, int min, int max, double* values, int* out_count) {
    int count = 0;
    for (int rank = 0; count < max; ++rank) {
        const char* text = NULL;
        ISO_SCENE_TRY(iso_mjcf_ranked_text(reader, item, name, rank, &text));
        if (!text) {
            break;
        }
        double* list = NULL;
        int own_count = 0;
        char least[16] = "";
        if (min < max) {
            (void)snprintf(least, sizeof least, "%d to ", min);
        }
        ISO_SCENE_TRY(iso_mjcf_parse_list(reader, item->node, name, text, &list, &own_count));
        ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node),
                          own_count >= min && own_count <= max, ISO_ERR_PARSE,
                          "<%s>: %s has %d numbers, expected %s%d", iso_xml_name(item->node), name,
                          own_count, least, max);
        for (; count < own_count; ++count) {
            values[count] = list[count];
        }
    }
    if (out_count) {
        *out_count = count;
    }
    return ISO_OK;
}

iso_status iso_mjcf_whole(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                          const char* name, double least, double most, int* value) {
    double n = *value;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, name, 1, 1, &n, NULL));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node),
                      n == floor(n) && n >= least && n <= most, ISO_ERR_RANGE,
                      "<%s>: %s is %g, expected a whole number from %g to %g",
                      iso_xml_name(item->node), name, n, least, most);
    *value = (int)n;
    return ISO_OK;
}

iso_status iso_mjcf_coefficient(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const char* name, double* value) {
    double n[3] = {*value, 0.0, 0.0};
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, name, 1, 3, n, NULL));
    if (n[1] != 0.0 || n[2] != 0.0) {
        iso_scene_warn_once(reader->build, iso_xml_source(item->node), name,
                            "<%s>: %s is %g %g %g: only the first, which is linear, is read; the "
                            "second and third powers are left out",
                            iso_xml_name(item->node), name, n[0], n[1], n[2]);
    }
    *value = n[0];
    return ISO_OK;
}

iso_status iso_mjcf_flag(const iso_mjcf_reader* reader, const iso_mjcf_item* item, const char* name,
                         int* flag) {
    static const char* const words[] = {"false", "true", "auto"};
    const char* text = NULL;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, name, &text));
    if (!text) {
        return ISO_OK;
    }
    for (int i = 0; i < 3; ++i) {
        if (strcmp(text, words[i]) == 0) {
            *flag = i;
            return ISO_OK;
        }
    }
    return iso_scene_fail(reader->build, iso_xml_source(item->node), ISO_ERR_PARSE,
                          "<%s>: %s is '%.40s', expected true, false or auto",
                          iso_xml_name(item->node), name, text);
}

iso_status iso_mjcf_range(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                          const char* range_name, const char* flag_name, double* range,
                          bool* out_is_limited) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    const char* element = iso_xml_name(item->node);
    int flag = 2;
    range[0] = range[1] = 0.0;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, range_name, 2, 2, range, NULL));
    ISO_SCENE_TRY(iso_mjcf_flag(reader, item, flag_name, &flag));
    bool is_given = range[0] != 0.0 || range[1] != 0.0, rises = range[0] < range[1];
    ISO_SCENE_REQUIRE(build, at, flag != 1 || rises, ISO_ERR_RANGE,
                      "<%s>: %s is %g to %g, expected to rise, as %s is true", element, range_name,
                      range[0], range[1], flag_name);
    ISO_SCENE_REQUIRE(
        build, at,
        flag != 2 || iso_mjcf_settings_of(reader, item->node)->has_automatic_limits || !is_given,
        ISO_ERR_PARSE, "<%s> has %s, but neither %s nor autolimits: expected true or false",
        element, range_name, flag_name);
    if (flag == 2 && is_given && !rises) {
        char key[80];
        (void)snprintf(key, sizeof key, "%s of %s", range_name, element);
        iso_scene_warn_once(build, at, key,
                            "<%s>: %s is %g to %g, which does not rise and bounds nothing", element,
                            range_name, range[0], range[1]);
    }
    *out_is_limited = flag != 0 && rises;
    return ISO_OK;
}

iso_status iso_mjcf_position_range(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                   double* range, bool* out_is_limited) {
    ISO_SCENE_TRY(iso_mjcf_range(reader, item, "range", "limited", range, out_is_limited));
    *out_is_limited = *out_is_limited && !reader->is_off.limit;
    return ISO_OK;
}

iso_status iso_mjcf_force_range(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                const char* range_name, const char* flag_name, double* range) {
    bool is_limited = false;
    ISO_SCENE_TRY(iso_mjcf_range(reader, item, range_name, flag_name, range, &is_limited));
    if (!is_limited) {
        range[0] = -INFINITY;
        range[1] = INFINITY;
    }
    return ISO_OK;
}

// --- poses ---------------------------------------------------------------------------------------

// Lower case: axes that turn along; upper case: fixed axes.
iso_mat3 iso_mjcf_euler_rotation(const iso_mjcf_reader* reader, const xmlNode* node,
                                 const double* angles) {
    const iso_mjcf_settings* settings = iso_mjcf_settings_of(reader, node);
    iso_mat3 r = iso_mat3_identity();
    for (int i = 0; i < 3; ++i) {
        int letter = settings->euler_order[i];
        int axis = tolower(letter) - 'x';
        iso_vec3 unit = iso_vec3_make(axis == 0, axis == 1, axis == 2);
        iso_mat3 turn = iso_mat3_from_axis_angle(unit, angles[i] * settings->angle_unit);
        r = islower(letter) ? iso_mat3_mul(r, turn) : iso_mat3_mul(turn, r);
    }
    return r;
}

typedef enum orientation {
    QUAT,
    AXIS_ANGLE,
    XY_AXES,
    Z_AXIS,
    EULER,
    ORIENTATION_COUNT,
} orientation;

static iso_status check_length(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                               const char* name, double length) {
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), length > 1e-9 && length < 1e9,
                      ISO_ERR_RANGE, "<%s>: %s has length %g, expected a direction",
                      iso_xml_name(item->node), name, length);
    return ISO_OK;
}

static iso_status make_rotation(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                orientation kind, const char* name, const double* n,
                                iso_mat3* out_r) {
    iso_vec3 v = iso_vec3_make(n[0], n[1], n[2]);
    if (kind == QUAT) {
        double norm = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] + n[3] * n[3]);
        ISO_SCENE_TRY(check_length(reader, item, name, norm));
        *out_r = iso_mat3_from_quat(iso_quat_normalized(iso_quat_make(n[0], n[1], n[2], n[3])));
        return ISO_OK;
    }
    if (kind == EULER) {
        *out_r = iso_mjcf_euler_rotation(reader, item->node, n);
        return ISO_OK;
    }
    ISO_SCENE_TRY(check_length(reader, item, name, iso_vec3_norm(v)));
    v = iso_vec3_normalized(v);
    if (kind == AXIS_ANGLE) {
        *out_r = iso_mat3_from_axis_angle(
            v, n[3] * iso_mjcf_settings_of(reader, item->node)->angle_unit);
    } else if (kind == Z_AXIS) {
        *out_r = iso_scene_turn_z_to(v);
    } else {
        iso_vec3 y = iso_vec3_make(n[3], n[4], n[5]);
        y = iso_vec3_add_scaled(y, v, -iso_vec3_dot(v, y));
        ISO_SCENE_TRY(check_length(reader, item, name, iso_vec3_norm(y)));
        y = iso_vec3_normalized(y);
        *out_r = iso_mat3_from_columns(v, y, iso_vec3_cross(v, y));
    }
    return ISO_OK;
}

iso_status iso_mjcf_pose(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                         iso_pose* out_pose) {
    static const char* const names[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    static const int counts[] = {4, 4, 6, 3, 3};
    iso_scene_build* build = reader->build;
    double p[3] = {0.0}, n[6] = {0.0};
    int own_count = 0, own = -1;
    *out_pose = iso_pose_identity();
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "pos", 3, 3, p, NULL));
    out_pose->p = iso_vec3_make(p[0], p[1], p[2]);
    ISO_SCENE_REQUIRE(build, iso_xml_source(item->node),
                      iso_vec3_norm(out_pose->p) <= ISO_SCENE_MAX_LENGTH, ISO_ERR_RANGE,
                      "<%s> is %g m from its parent, expected at most %g", iso_xml_name(item->node),
                      iso_vec3_norm(out_pose->p), ISO_SCENE_MAX_LENGTH);
    for (int i = 0; i < ORIENTATION_COUNT; ++i) {
        const char* text = NULL;
        ISO_SCENE_TRY(iso_xml_attribute(build, item->node, names[i], &text));
        if (text && text[strspn(text, " \t\r\n")]) { // an empty one is absent
            ++own_count;
            own = i;
        }
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(item->node), own_count <= 1, ISO_ERR_PARSE,
                      "<%s> has %d orientations, expected one of quat, axisangle, xyaxes, zaxis "
                      "and euler",
                      iso_xml_name(item->node), own_count);
    // What the element says itself wins over its class, and that over the class above.
    if (own < 0) {
        ISO_SCENE_TRY(iso_mjcf_last_of(reader, item, names, ORIENTATION_COUNT, &own));
    }
    if (own >= 0) {
        ISO_SCENE_TRY(
            iso_mjcf_numbers(reader, item, names[own], counts[own], counts[own], n, NULL));
        ISO_SCENE_TRY(make_rotation(reader, item, (orientation)own, names[own], n, &out_pose->r));
    }
    return ISO_OK;
}
