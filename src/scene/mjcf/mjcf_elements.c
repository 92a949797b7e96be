// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

// What elements of MJCF may say that nobody reads: only a renderer or a solver would. Those that
// are read have their lists where they are read.

static const char* const k_nothing[] = {NULL};
static const char* const k_layer[] = {"layer", NULL};
static const char* const k_element[] = {"element", NULL};
static const char* const k_custom[] = {"numeric", "text", "tuple", NULL};
static const char* const k_visual[] = {"global", "quality", "headlight", "map",
                                       "scale",  "rgba",    NULL};

static const iso_xml_row k_rows[] = {
    {"size",
     {"memory", "nconmax", "njmax", "nkey", "nstack", "nuserdata", "nuser_actuator", "nuser_body",
      "nuser_cam", "nuser_geom", "nuser_jnt", "nuser_sensor", "nuser_site", "nuser_tendon"},
     k_nothing},
    {"statistic", {"center", "extent", "meaninertia", "meanmass", "meansize"}, k_nothing},
    {"visual", {NULL}, k_visual},
    {"global",
     {"azimuth", "bvactive", "cameraid", "elevation", "ellipsoidinertia", "fovy", "glow", "ipd",
      "linewidth", "offheight", "offwidth", "orthographic", "realtime", "treedepth"},
     k_nothing},
    {"quality", {"numquads", "numslices", "numstacks", "offsamples", "shadowsize"}, k_nothing},
    {"headlight", {"active", "ambient", "diffuse", "specular"}, k_nothing},
    {"map",
     {"actuatortendon", "alpha", "fogend", "fogstart", "force", "haze", "shadowclip", "shadowscale",
      "stiffness", "stiffnessrot", "torque", "zfar", "znear"},
     k_nothing},
    {"scale",
     {"actuatorlength", "actuatorwidth", "camera", "com", "connect", "constraint", "contactheight",
      "contactwidth", "forcewidth", "framelength", "framewidth", "frustum", "jointlength",
      "jointwidth", "light", "selectpoint", "slidercrank"},
     k_nothing},
    {"rgba",
     {"actuator",
      "actuatornegative",
      "actuatorpositive",
      "bv",
      "bvactive",
      "camera",
      "com",
      "connect",
      "constraint",
      "contactforce",
      "contactfriction",
      "contactgap",
      "contactpoint",
      "contacttorque",
      "crankbroken",
      "fog",
      "force",
      "frustum",
      "haze",
      "inertia",
      "joint",
      "light",
      "rangefinder",
      "selectpoint",
      "slidercrank"},
     k_nothing},
    {"texture",
     {"builtin",  "class",     "colorspace", "content_type", "embed",  "file",       "fileback",
      "filedown", "filefront", "fileleft",   "fileright",    "fileup", "gridlayout", "gridsize",
      "height",   "hflip",     "mark",       "markrgb",      "name",   "nchannel",   "random",
      "rgb1",     "rgb2",      "type",       "vflip",        "width"},
     k_nothing},
    {"material",
     {"class", "emission", "metallic", "name", "reflectance", "rgba", "roughness", "shininess",
      "specular", "texrepeat", "texture", "texuniform"},
     k_layer},
    {"layer", {"role", "texture"}, k_nothing},
    {"light",
     {"active",  "ambient", "attenuation", "bulbradius", "castshadow", "class",   "cutoff",
      "diffuse", "dir",     "directional", "exponent",   "intensity",  "mode",    "name",
      "pos",     "range",   "softness",    "specular",   "target",     "texture", "type"},
     k_nothing},
    {"camera",
     {"axisangle",  "class",       "euler",          "focal",      "focalpixel",
      "fovy",       "ipd",         "mode",           "name",       "output",
      "pos",        "principal",   "principalpixel", "projection", "quat",
      "resolution", "sensorsize",  "target",         "user",       "xyaxes",
      "zaxis",      "orthographic"},
     k_nothing},
    {"custom", {NULL}, k_custom},
    {"numeric", {"name", "size", "data"}, k_nothing},
    {"text", {"name", "data"}, k_nothing},
    {"tuple", {"name"}, k_element},
    {"element", {"objtype", "objname", "prm"}, k_nothing},
    {"exclude", {"name", "body1", "body2"}, k_nothing},
};

// Parts of spatial tendons, called as other elements are.
static const iso_xml_row k_parts[] = {
    {"site", {"site"}, k_nothing},
    {"geom", {"geom", "sidesite"}, k_nothing},
    {"pulley", {"divisor"}, k_nothing},
};

// Sections that say nothing themselves.
static bool is_bare(const xmlNode* node) {
    static const char* const names[] = {"asset",    "worldbody", "contact",  "equality", "tendon",
                                        "actuator", "sensor",    "keyframe", NULL};
    return iso_xml_is_one_of(node, names);
}

// Whoever reads these looks at what is in them.
static bool is_container(const xmlNode* node) {
    static const char* const names[] = {"compiler", "option", "body",    "frame",     "fixed",
                                        "spatial",  "attach", "default", "replicate", NULL};
    return iso_xml_is_one_of(node, names);
}

// Of use to other engines only: said where it is passed over.
static bool is_foreign(const xmlNode* node) {
    static const char* const names[] = {"composite", "flexcomp", "flex",      "skin",       "model",
                                        "plugin",    "instance", "extension", "deformable", NULL};
    return iso_xml_is_one_of(node, names);
}

void iso_mjcf_check_elements(const iso_mjcf_reader* reader, const xmlNode* node, bool is_section) {
    static const char* const of_default[] = {"class", NULL};
    static const char* const plugin[] = {"plugin", NULL};
    iso_scene_build* build = reader->build;
    const iso_xml_row* row = NULL;
    if (is_foreign(node)) {
        return;
    }
    if (iso_xml_is(node, "default") || (is_section && is_bare(node))) {
        iso_xml_warn_attributes(build, node, of_default + !iso_xml_is(node, "default"));
    } else if (iso_xml_is(node->parent, "spatial")) {
        row = iso_xml_check_row(build, node, k_parts, (int)(sizeof k_parts / sizeof *k_parts));
    } else if (!iso_xml_is(node->parent, "sensor")) { // some are called as other elements are
        row = iso_xml_check_row(build, node, k_rows, (int)(sizeof k_rows / sizeof *k_rows));
    }
    if (!row && !is_section && !is_container(node)) {
        iso_xml_warn_children(build, node, plugin);
        return;
    }
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        iso_mjcf_check_elements(reader, child, false);
    }
}
