// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include "base/core/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

// --- default classes -----------------------------------------------------------------------------

static int class_named(const iso_mjcf_reader* reader, const char* name, bool is_whole) {
    size_t length = strlen(name);
    int marked = -1; // what an attachment brought, by the name that it has in its file
    for (int i = 0; i < reader->classes.count; ++i) {
        const char* known = reader->classes.data[i].name;
        if (strcmp(known, name) == 0) {
            return i;
        }
        bool is_same = strncmp(known, name, length) == 0 && known[length] == ISO_MJCF_CLASS_MARK;
        marked = is_same && !is_whole && marked < 0 ? i : marked;
    }
    return marked;
}

iso_status iso_mjcf_read_default(iso_mjcf_reader* reader, const xmlNode* element, int parent) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(element);
    const char* name = NULL;
    int index = 0;
    ISO_SCENE_TRY(iso_xml_attribute(build, element, "class", &name));
    if (parent != ISO_MJCF_MAIN) {
        ISO_SCENE_TRY(name && *name ? ISO_OK : iso_xml_needs_attribute(build, element, "class"));
        index = class_named(reader, name, true);
        ISO_SCENE_REQUIRE(build, at, index < 0 || parent == ISO_MJCF_ROOT, ISO_ERR_PARSE,
                          "there is already a default class '%s'", name);
        ISO_SCENE_REQUIRE(build, at, reader->classes.count < ISO_SCENE_MAX_NAMES, ISO_ERR_RANGE,
                          "more than %d default classes", ISO_SCENE_MAX_NAMES);
        ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->classes));
        if (index < 0) {
            index = reader->classes.count++;
            reader->classes.data[index] =
                (iso_mjcf_class){.name = name, .parent = parent >= 0 ? parent : -1};
        }
    } else if (name && *name) {
        reader->classes.data[0].name = name;
    }
    iso_mjcf_class* own = &reader->classes.data[index];
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &own->elements));
    own->elements.data[own->elements.count++] = element;
    for (const xmlNode* child = iso_xml_first(element); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, "default")) {
            ISO_SCENE_TRY(iso_mjcf_read_default(reader, child, index));
        }
    }
    return ISO_OK;
}

iso_status iso_mjcf_find_class(const iso_mjcf_reader* reader, const xmlNode* node,
                               const char* attribute, int* class_index) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, attribute, &name));
    if (!name) {
        return ISO_OK;
    }
    *class_index = class_named(reader, name, false);
    iso_name_list list =
        ISO_NAME_LIST(reader->classes.data, reader->classes.count, iso_mjcf_class, name);
    return *class_index >= 0 ? ISO_OK
                             : iso_scene_fail_missing(reader->build, iso_xml_source(node), &list,
                                                      "default class", name);
}

iso_status iso_mjcf_item_of(const iso_mjcf_reader* reader, const xmlNode* node, int child_class,
                            iso_mjcf_item* out_item) {
    *out_item = (iso_mjcf_item){node, child_class};
    return iso_mjcf_find_class(reader, node, "class", &out_item->class_index);
}

static bool is_actuator(const char* tag) {
    static const char* const tags[] = {"general", "motor",    "position", "velocity", "intvelocity",
                                       "damper",  "cylinder", "muscle",   "adhesion", "dcmotor"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i) {
        if (strcmp(tag, tags[i]) == 0) {
            return true;
        }
    }
    return false;
}

// All actuators share the defaults of what every actuator has.
static bool is_shared(const char* name) {
    static const char* const names[] = {"ctrllimited", "forcelimited", "ctrlrange", "forcerange",
                                        "gear",        "actlimited",   "actrange"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

// The tag that has the defaults of an element.
static iso_status find_tag(const iso_mjcf_reader* reader, const xmlNode* node, const char** tag) {
    const char* equal_joint = NULL;
    *tag = iso_xml_name(node);
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, "joint1", &equal_joint));
    bool is_joint_equality = equal_joint && strcmp(*tag, "joint") == 0;
    if (strcmp(*tag, "fixed") == 0 || strcmp(*tag, "spatial") == 0) {
        *tag = "tendon"; // both kinds share their defaults
    } else if (strcmp(*tag, "connect") == 0 || strcmp(*tag, "weld") == 0 || is_joint_equality) {
        *tag = "equality";
    }
    return ISO_OK;
}

// What an attribute says: in the element (rank 0, where it does), in its class, in the class of
// that, and so on. NULL beyond the last.
static iso_status find_text(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const char* name, int rank, const char** out_text) {
    iso_scene_build* build = reader->build;
    const char* tag = NULL;
    ISO_SCENE_TRY(find_tag(reader, item->node, &tag));
    bool is_any_actuator = is_actuator(tag) && is_shared(name);
    ISO_SCENE_TRY(iso_xml_attribute(build, item->node, name, out_text));
    if (*out_text && rank-- == 0) {
        return ISO_OK;
    }
    for (int index = item->class_index; index >= 0; index = reader->classes.data[index].parent) {
        const iso_mjcf_class* own = &reader->classes.data[index];
        for (int i = own->elements.count - 1; i >= 0; --i) {
            const xmlNode* child = iso_xml_first(own->elements.data[i]);
            *out_text = NULL;
            for (; child; child = iso_xml_next(child)) {
                const char* other = iso_xml_name(child);
                const char* text = NULL;
                if (strcmp(other, tag) == 0 || (is_any_actuator && is_actuator(other))) {
                    ISO_SCENE_TRY(iso_xml_attribute(build, child, name, &text));
                    *out_text = text ? text : *out_text;
                }
            }
            if (*out_text && rank-- == 0) {
                return ISO_OK;
            }
        }
    }
    *out_text = NULL;
    return ISO_OK;
}

iso_status iso_mjcf_text(const iso_mjcf_reader* reader, const iso_mjcf_item* item, const char* name,
                         const char** out_text) {
    return find_text(reader, item, name, 0, out_text);
}

void iso_mjcf_check_defaults(const iso_mjcf_reader* reader) {
    static const struct {
        const char* element;
        const char* const* attributes; ///< NULL: only a renderer or a solver reads them
    } rows[] = {{"geom", iso_mjcf_geom_attributes},
                {"site", iso_mjcf_site_attributes},
                {"mesh", iso_mjcf_mesh_attributes},
                {"joint", iso_mjcf_joint_attributes},
                {"equality", iso_mjcf_equality_attributes},
                {"tendon", iso_mjcf_tendon_attributes},
                {"motor", iso_mjcf_actuator_attributes},
                {"position", iso_mjcf_actuator_attributes},
                {"velocity", iso_mjcf_actuator_attributes},
                {"general", iso_mjcf_actuator_attributes},
                {"intvelocity", iso_mjcf_actuator_attributes},
                {"damper", iso_mjcf_actuator_attributes},
                {"cylinder", iso_mjcf_actuator_attributes},
                {"adhesion", iso_mjcf_adhesion_attributes},
                {"default", NULL},
                {"camera", NULL},
                {"light", NULL},
                {"material", NULL},
                {"texture", NULL},
                {"pair", iso_mjcf_pair_attributes}};
    enum { k_rows = sizeof rows / sizeof *rows };
    iso_name_list list = {.owner = rows, .stride = sizeof *rows, .count = k_rows};
    for (int i = 0; i < reader->classes.count; ++i) {
        const iso_mjcf_class* own = &reader->classes.data[i];
        for (int j = 0; j < own->elements.count; ++j) {
            const xmlNode* child = iso_xml_first(own->elements.data[j]);
            for (; child; child = iso_xml_next(child)) {
                int row = iso_name_list_find(&list, iso_xml_name(child));
                if (row < 0 && !is_actuator(iso_xml_name(child))) {
                    iso_xml_warn_misspelt(reader->build, child, NULL, &list);
                } else if (row >= 0 && rows[row].attributes) {
                    iso_xml_warn_attributes(reader->build, child, rows[row].attributes);
                }
            }
        }
    }
}

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
        ISO_SCENE_TRY(find_text(reader, item, name, rank, &text));
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
    bool is_done = false;
    int own_count = 0;
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
        own_count += text != NULL;
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(item->node), own_count <= 1, ISO_ERR_PARSE,
                      "<%s> has %d orientations, expected one of quat, axisangle, xyaxes, zaxis "
                      "and euler",
                      iso_xml_name(item->node), own_count);
    // What the element says itself wins over its class, whatever the form; any form over quat.
    iso_mjcf_item own = {item->node, own_count > 0 ? -1 : item->class_index};
    for (int i = ORIENTATION_COUNT - 1; i >= 0 && !is_done; --i) {
        int count = 0;
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, &own, names[i], counts[i], counts[i], n, &count));
        if (count > 0) {
            is_done = true;
            ISO_SCENE_TRY(make_rotation(reader, item, (orientation)i, names[i], n, &out_pose->r));
        }
    }
    return ISO_OK;
}
