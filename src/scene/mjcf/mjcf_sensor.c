// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <string.h>

// Where a sensor of MJCF sits.
typedef enum sensor_place {
    k_at_site,
    k_at_joint,
    k_at_frame,  // an object, seen from another one
    k_at_object, // seen from the world
    k_at_body,
    k_at_actuator,
    k_at_tendon,
} sensor_place;

// What a sensor there may have.
static const char* const k_attributes[][7] = {
    [k_at_site] = {"name", "user", "site", NULL},
    [k_at_joint] = {"name", "user", "joint", NULL},
    [k_at_frame] = {"name", "user", "objtype", "objname", "reftype", "refname", NULL},
    [k_at_object] = {"name", "user", "objtype", "objname", NULL},
    [k_at_body] = {"name", "user", "body", NULL},
    [k_at_actuator] = {"name", "user", "actuator", NULL},
    [k_at_tendon] = {"name", "user", "tendon", NULL},
};

// MuJoCo's force and torque are those of the parent on the child; so are Isobar's.
static const struct sensor_row {
    const char* element;
    iso_sensor_kind kind;
    sensor_place place;
} k_sensors[] = {
    {"accelerometer", ISO_SENSOR_IMU, k_at_site},
    {"gyro", ISO_SENSOR_IMU, k_at_site},
    {"force", ISO_SENSOR_FORCE_TORQUE, k_at_site},
    {"torque", ISO_SENSOR_FORCE_TORQUE, k_at_site},
    {"touch", ISO_SENSOR_CONTACT, k_at_site},
    {"jointpos", ISO_SENSOR_JOINT, k_at_joint},
    {"jointvel", ISO_SENSOR_JOINT, k_at_joint},
    {"jointactuatorfrc", ISO_SENSOR_JOINT, k_at_joint},
    {"ballquat", ISO_SENSOR_JOINT, k_at_joint},
    {"ballangvel", ISO_SENSOR_JOINT, k_at_joint},
    {"framepos", ISO_SENSOR_FRAME, k_at_frame},
    {"framequat", ISO_SENSOR_FRAME, k_at_frame},
    {"framelinvel", ISO_SENSOR_FRAME, k_at_frame},
    {"frameangvel", ISO_SENSOR_FRAME, k_at_frame},
    {"framelinacc", ISO_SENSOR_ACCELERATION, k_at_object},
    {"frameangacc", ISO_SENSOR_ACCELERATION, k_at_object},
    {"framexaxis", ISO_SENSOR_FRAME, k_at_frame},
    {"frameyaxis", ISO_SENSOR_FRAME, k_at_frame},
    {"framezaxis", ISO_SENSOR_FRAME, k_at_frame},
    {"velocimeter", ISO_SENSOR_VELOCITY, k_at_site},
    {"rangefinder", ISO_SENSOR_RANGE, k_at_site},
    {"subtreecom", ISO_SENSOR_SUBTREE, k_at_body},
    {"subtreelinvel", ISO_SENSOR_SUBTREE, k_at_body},
    {"subtreeangmom", ISO_SENSOR_SUBTREE, k_at_body},
    {"actuatorpos", ISO_SENSOR_JOINT, k_at_actuator},
    {"actuatorvel", ISO_SENSOR_JOINT, k_at_actuator},
    {"actuatorfrc", ISO_SENSOR_JOINT, k_at_actuator},
    {"tendonpos", ISO_SENSOR_FIXED_TENDON, k_at_tendon},
    {"tendonvel", ISO_SENSOR_FIXED_TENDON, k_at_tendon},
    {"tendonactuatorfrc", ISO_SENSOR_FIXED_TENDON, k_at_tendon},
    {"tendonlimitfrc", ISO_SENSOR_FIXED_TENDON, k_at_tendon},
};

static const char* body_name(const iso_mjcf_reader* reader, int body) {
    return iso_model_body(reader->build->model, body)->name;
}

static iso_status find_site(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                            const char** out_body, iso_pose* out_x) {
    const iso_mjcf_site* site = NULL;
    ISO_SCENE_TRY(iso_mjcf_find_site(reader, node, name, &site));
    *out_body = body_name(reader, reader->bodies.data[site->body].body);
    *out_x = site->x_bs;
    return ISO_OK;
}

// The inertial frame of a body, of which the origin is known: its axes are MuJoCo's choice.
static bool is_point_enough(const xmlNode* node, const char* type_key) {
    return strcmp(type_key, "objtype") == 0 &&
           (iso_xml_is(node, "framepos") || iso_xml_is(node, "framelinvel") ||
            iso_xml_is(node, "frameangvel") || iso_xml_is(node, "framelinacc") ||
            iso_xml_is(node, "frameangacc"));
}

static iso_status find_body(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                            bool is_inertial, const char** out_body, iso_pose* out_x) {
    const iso_mjcf_body* body = NULL;
    ISO_SCENE_TRY(iso_mjcf_find_body(reader, node, name, &body));
    *out_body = body_name(reader, body->body);
    *out_x = iso_pose_identity();
    if (is_inertial) {
        out_x->p = iso_model_body(reader->build->model, body->body)->center_of_mass;
    }
    return ISO_OK;
}

static iso_status find_geom(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                            const char** out_body, iso_pose* out_x, bool* out_is_known) {
    const iso_mjcf_geom* geom = NULL;
    ISO_SCENE_TRY(iso_mjcf_find_geom(reader, node, name, &geom));
    *out_body = body_name(reader, reader->bodies.data[geom->body].body);
    *out_x = geom->x_bg;
    *out_is_known = !geom->has_mesh;
    return ISO_OK;
}

// An object that carries a frame: a site, a geom, a body's own frame ("xbody") or its inertial one
// ("body").
static iso_status find_object(const iso_mjcf_reader* reader, const xmlNode* node,
                              const char* type_key, const char* name_key, const char** out_body,
                              iso_pose* out_x, bool* out_is_known) {
    const char* type = NULL;
    const char* name = NULL;
    iso_scene_build* build = reader->build;
    *out_is_known = true;
    ISO_SCENE_TRY(iso_xml_attribute(build, node, type_key, &type));
    ISO_SCENE_TRY(iso_xml_attribute(build, node, name_key, &name));
    if (!type && !name) {
        return ISO_OK; // the world
    }
    type = type ? type : "";
    name = name ? name : "";
    bool is_inertial = strcmp(type, "body") == 0 && is_point_enough(node, type_key);
    if (strcmp(type, "site") == 0) {
        return find_site(reader, node, name, out_body, out_x);
    }
    if (strcmp(type, "xbody") == 0 || is_inertial) {
        return find_body(reader, node, name, is_inertial, out_body, out_x);
    }
    *out_is_known = strcmp(type, "geom") == 0;
    if (*out_is_known) {
        ISO_SCENE_TRY(find_geom(reader, node, name, out_body, out_x, out_is_known));
    }
    if (!*out_is_known) {
        iso_scene_warn_once(build, iso_xml_source(node), type,
                            "<%s>: frames of '%.40s' are not supported here, expected site, xbody "
                            "or a geom without mesh; the sensor is left out",
                            iso_xml_name(node), type);
    }
    return ISO_OK;
}

static void set_joint(const iso_mjcf_reader* reader, int joint, iso_sensor_desc* desc) {
    desc->kind = ISO_SENSOR_JOINT;
    desc->joint = iso_model_joint(reader->build->model, joint)->name;
}

static void set_fixed_tendon(const iso_mjcf_reader* reader, int tendon, iso_sensor_desc* desc) {
    desc->kind = ISO_SENSOR_FIXED_TENDON;
    desc->fixed_tendon = iso_model_fixed_tendon(reader->build->model, tendon)->name;
}

// The joint or fixed tendon of an actuator; one that was left out has none.
static iso_status find_driven(const iso_mjcf_reader* reader, const xmlNode* node,
                              iso_sensor_desc* desc, bool* out_is_known) {
    iso_scene_build* build = reader->build;
    const iso_model* model = build->model;
    const char* name = NULL;
    const char* scoped = NULL;
    int index = -1;
    ISO_SCENE_TRY(iso_xml_required_attribute(build, node, "actuator", &name));
    const char* suffixes[] = {reader->suffix, ""};
    for (int i = 0; i < 2 && index < 0; ++i) {
        ISO_SCENE_TRY(
            iso_scene_format(build, &scoped, "%s::%s%s", reader->scope, name, suffixes[i]));
        index = iso_model_find_actuator(model, scoped);
    }
    *out_is_known = index >= 0;
    if (!*out_is_known) {
        iso_scene_warn_once(build, iso_xml_source(node), name,
                            "<%s>: there is no actuator '%.40s' here; the sensor is left out",
                            iso_xml_name(node), name);
        return ISO_OK;
    }
    const iso_actuator_desc* actuator = iso_model_actuator(build->model, index);
    if (actuator->joint < 0 && actuator->fixed_tendon < 0) {
        *out_is_known = false;
        iso_scene_warn_once(build, iso_xml_source(node), name,
                            "<%s>: actuator '%.40s' is adhesion; the sensor is left out",
                            iso_xml_name(node), name);
        return ISO_OK;
    }
    if (actuator->joint >= 0) {
        set_joint(reader, actuator->joint, desc);
    } else {
        set_fixed_tendon(reader, actuator->fixed_tendon, desc);
    }
    return ISO_OK;
}

iso_status iso_mjcf_watch_tendon(iso_mjcf_reader* reader, const xmlNode* node) {
    const char* name = NULL;
    const iso_mjcf_tendon* tendon = NULL;
    if (!iso_xml_is(node, "tendonlimitfrc")) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, node, "tendon", &name));
    ISO_SCENE_TRY(iso_mjcf_find_tendon(reader, node, name, &tendon));
    reader->tendons.data[tendon - reader->tendons.data].is_watched = true;
    return ISO_OK;
}

// A tendon that amounts to a joint has its actuators there, and so their force.
static iso_status find_tendon(iso_mjcf_reader* reader, const xmlNode* node, iso_sensor_desc* desc,
                              bool* out_is_known) {
    const char* name = NULL;
    const iso_mjcf_tendon* tendon = NULL;
    iso_mjcf_transmission drive = {.joint = -1};
    int index = -1;
    ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, node, "tendon", &name));
    ISO_SCENE_TRY(iso_mjcf_find_tendon(reader, node, name, &tendon));
    bool is_fixed = iso_xml_is(tendon->element, "fixed");
    if (!tendon->flaw && is_fixed && iso_xml_is(node, "tendonactuatorfrc")) {
        ISO_SCENE_TRY(iso_mjcf_reduce_tendon(reader, tendon->element, &drive));
    }
    if (drive.joint >= 0) {
        set_joint(reader, drive.joint, desc);
        return ISO_OK;
    }
    if (!tendon->flaw) {
        ISO_SCENE_TRY(iso_mjcf_make_tendon(reader, tendon, &index));
    }
    *out_is_known = index >= 0;
    if (index >= 0) {
        set_fixed_tendon(reader, index, desc);
        return ISO_OK;
    }
    iso_scene_warn_once(reader->build, iso_xml_source(node), name,
                        "<%s> of tendon '%.40s' is left out: %s", iso_xml_name(node), name,
                        tendon->flaw);
    return ISO_OK;
}

static iso_status place(iso_mjcf_reader* reader, const xmlNode* node, sensor_place where,
                        iso_sensor_desc* desc, bool* out_is_known) {
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    const iso_mjcf_joint* joint = NULL;
    *out_is_known = true;
    if (where == k_at_site) {
        ISO_SCENE_TRY(iso_xml_required_attribute(build, node, "site", &name));
        return find_site(reader, node, name, &desc->body, &desc->x_bs);
    }
    if (where == k_at_joint) {
        ISO_SCENE_TRY(iso_xml_required_attribute(build, node, "joint", &name));
        ISO_SCENE_TRY(iso_mjcf_find_joint(reader, node, name, &joint));
        ISO_SCENE_REQUIRE(build, iso_xml_source(node), joint->joint >= 0, ISO_ERR_UNSUPPORTED,
                          "<%s>: joint '%s' is free; use framepos and framequat",
                          iso_xml_name(node), name);
        desc->joint = iso_model_joint(build->model, joint->joint)->name;
        return ISO_OK;
    }
    if (where == k_at_actuator) {
        return find_driven(reader, node, desc, out_is_known);
    }
    if (where == k_at_tendon) {
        return find_tendon(reader, node, desc, out_is_known);
    }
    if (where == k_at_body) {
        ISO_SCENE_TRY(iso_xml_required_attribute(build, node, "body", &name));
        return find_body(reader, node, name, false, &desc->body, &desc->x_bs);
    }
    desc->body = "world";
    bool is_reference_known = true;
    ISO_SCENE_TRY(
        find_object(reader, node, "objtype", "objname", &desc->body, &desc->x_bs, out_is_known));
    if (where == k_at_object) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(find_object(reader, node, "reftype", "refname", &desc->other_body, &desc->x_or,
                              &is_reference_known));
    *out_is_known = *out_is_known && is_reference_known;
    return ISO_OK;
}

// A touch sensor feels what is in the volume of its site.
static iso_status read_zone(const iso_mjcf_reader* reader, const xmlNode* node,
                            iso_sensor_desc* desc) {
    const iso_mjcf_site* site = NULL;
    const char* name = NULL;
    iso_shape_desc shape, solid;
    iso_pose x;
    ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, node, "site", &name));
    ISO_SCENE_TRY(iso_mjcf_find_site(reader, node, name, &site));
    ISO_SCENE_TRY(iso_mjcf_read_shape(reader, &site->item, &shape, &solid, &x));
    return iso_scene_set_zone(reader->build, iso_xml_source(site->item.node), &shape, desc);
}

// Index in k_sensors, or -1.
static int find_kind(const xmlNode* node) {
    int index = -1;
    for (int i = 0; i < (int)(sizeof k_sensors / sizeof *k_sensors); ++i) {
        index = iso_xml_is(node, k_sensors[i].element) ? i : index;
    }
    return index;
}

// Of one that is not read: it may be misspelt.
static void warn_of_kind(iso_scene_build* build, const xmlNode* node) {
    static const char* const others[] = {"magnetometer",
                                         "camprojection",
                                         "tendonlimitpos",
                                         "tendonlimitvel",
                                         "jointlimitpos",
                                         "jointlimitvel",
                                         "jointlimitfrc",
                                         "insidesite",
                                         "distance",
                                         "normal",
                                         "fromto",
                                         "contact",
                                         "e_potential",
                                         "e_kinetic",
                                         "clock",
                                         "user",
                                         "plugin",
                                         "tactile",
                                         NULL};
    iso_name_list list = ISO_NAME_LIST(k_sensors, (int)(sizeof k_sensors / sizeof *k_sensors),
                                       struct sensor_row, element);
    list.count = iso_xml_is_one_of(node, others) ? 0 : list.count;
    iso_xml_warn_misspelt(build, node, NULL, &list);
}

iso_status iso_mjcf_read_sensor(iso_mjcf_reader* reader, const xmlNode* node) {
    iso_scene_build* build = reader->build;
    iso_sensor_desc desc = iso_sensor_desc_default();
    const char *name = NULL, *camera = NULL;
    bool is_known = false;
    int index = find_kind(node);
    if (index < 0) {
        warn_of_kind(build, node);
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "camera", &camera));
    if (camera && k_sensors[index].kind == ISO_SENSOR_RANGE) {
        iso_scene_warn_once(build, iso_xml_source(node), "range of a camera",
                            "<%s> of a camera is left out, expected a site", iso_xml_name(node));
        return ISO_OK;
    }
    iso_xml_warn_attributes(build, node, k_attributes[k_sensors[index].place]);
    desc.kind = k_sensors[index].kind;
    ISO_SCENE_TRY(place(reader, node, k_sensors[index].place, &desc, &is_known));
    if (!is_known) {
        return ISO_OK;
    }
    if (desc.kind == ISO_SENSOR_FORCE_TORQUE && strcmp(desc.body, "world") == 0) {
        iso_scene_warn_once(build, iso_xml_source(node), "forces on the world",
                            "<%s> at a site of the world is left out: no joint carries the world",
                            iso_xml_name(node));
        return ISO_OK;
    }
    if (desc.kind == ISO_SENSOR_CONTACT) {
        ISO_SCENE_TRY(read_zone(reader, node, &desc));
    }
    ISO_SCENE_TRY(iso_mjcf_name(reader, node, &name));
    name = name && *name ? name : k_sensors[index].element;
    ISO_SCENE_TRY(iso_scene_scoped(build, reader->scope, name, &desc.name));
    return iso_scene_add_sensor(build, iso_xml_source(node), &desc, false);
}
