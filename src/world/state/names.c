// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/names.h"

#include "isobar/events.h"
#include "isobar/sensor.h"
#include "isobar/task.h"
#include "isobar/world.h"

#include "base/values/name.h"

#include <string.h>

#define MOST_NAMES 32 // of one family

static const char* const k_names[][MOST_NAMES] = {
    [ISO_NAMES_METHOD] = {[ISO_METHOD_LAGGED] = "lagged",
                          [ISO_METHOD_SAP] = "sap",
                          [ISO_METHOD_RK4] = "rk4",
                          [ISO_METHOD_RK23] = "rk23",
                          [ISO_METHOD_RK45] = "rk45",
                          [ISO_METHOD_SIMILAR] = "similar",
                          [ISO_METHOD_TAMSI] = "tamsi",
                          [ISO_METHOD_MIDPOINT] = "midpoint",
                          [ISO_METHOD_RADAU] = "radau",
                          [ISO_METHOD_CVODE] = "cvode"},
    [ISO_NAMES_JOINT_KIND] = {[ISO_JOINT_WELD] = "weld",
                              [ISO_JOINT_REVOLUTE] = "revolute",
                              [ISO_JOINT_PRISMATIC] = "prismatic",
                              [ISO_JOINT_FREE] = "free",
                              [ISO_JOINT_SCREW] = "screw",
                              [ISO_JOINT_UNIVERSAL] = "universal",
                              [ISO_JOINT_BALL] = "ball",
                              [ISO_JOINT_PLANAR] = "planar"},
    [ISO_NAMES_REPRESENTATION] =
        {[ISO_REPRESENTATION_POLYGON] = "polygon", [ISO_REPRESENTATION_TRIANGLE] = "triangle"},
    [ISO_NAMES_CULL] = {[ISO_CULL_NONE] = "none", [ISO_CULL_DRAKE] = "drake"},
    [ISO_NAMES_COMBINE] = {[ISO_COMBINE_DRAKE] = "drake",
                           [ISO_COMBINE_ELANDT] = "elandt",
                           [ISO_COMBINE_ELANDT_MEAN] = "elandt_mean"},
    [ISO_NAMES_DAMPING] =
        {[ISO_DAMPING_HUNT_CROSSLEY] = "hunt_crossley", [ISO_DAMPING_EXTENT_RATE] = "extent_rate"},
    [ISO_NAMES_REGULARIZATION] =
        {[ISO_REGULARIZATION_PATCH] = "patch", [ISO_REGULARIZATION_DRAKE] = "drake"},
    [ISO_NAMES_FRICTION_MODEL] = {[ISO_FRICTION_MODEL_STICK] = "stick",
                                  [ISO_FRICTION_MODEL_REGULARIZED] = "regularized",
                                  [ISO_FRICTION_MODEL_BRUSH] = "brush"},
    [ISO_NAMES_FRICTION_LAW] = {[ISO_FRICTION_VISCOUS] = "viscous",
                                [ISO_FRICTION_TANH] = "tanh",
                                [ISO_FRICTION_ATAN] = "atan",
                                [ISO_FRICTION_STRIBECK] = "stribeck",
                                [ISO_FRICTION_THREE_PIECE] = "three_piece",
                                [ISO_FRICTION_OWN] = "own",
                                [ISO_FRICTION_COMPLIANT] = "compliant",
                                [ISO_FRICTION_BRUSH] = "brush"},
    [ISO_NAMES_SENSOR_KIND] = {[ISO_SENSOR_JOINT] = "joint",
                               [ISO_SENSOR_FORCE_TORQUE] = "force_torque",
                               [ISO_SENSOR_CONTACT] = "contact",
                               [ISO_SENSOR_TACTILE] = "tactile",
                               [ISO_SENSOR_IMU] = "imu",
                               [ISO_SENSOR_FRAME] = "frame",
                               [ISO_SENSOR_VELOCITY] = "velocity",
                               [ISO_SENSOR_SUBTREE] = "subtree",
                               [ISO_SENSOR_FIXED_TENDON] = "fixed_tendon",
                               [ISO_SENSOR_RANGE] = "range",
                               [ISO_SENSOR_ACCELERATION] = "acceleration"},
    [ISO_NAMES_SIGNAL_KIND] = {[ISO_SIGNAL_CONSTANT] = "constant",
                               [ISO_SIGNAL_SQUARE_WAVE] = "square_wave",
                               [ISO_SIGNAL_TABLE] = "table",
                               [ISO_SIGNAL_CUBIC] = "cubic"},
    [ISO_NAMES_PROFILE] = {[ISO_PROFILE_CUBIC] = "cubic", [ISO_PROFILE_LINEAR] = "linear"},
    [ISO_NAMES_FEED_FORWARD] = {[ISO_FEED_FORWARD_NONE] = "none",
                                [ISO_FEED_FORWARD_GRAVITY] = "gravity",
                                [ISO_FEED_FORWARD_DYNAMICS] = "dynamics"},
    [ISO_NAMES_CONSTRAINT_KIND] = {[ISO_CONSTRAINT_WELD] = "weld",
                                   [ISO_CONSTRAINT_BALL] = "ball",
                                   [ISO_CONSTRAINT_DISTANCE] = "distance",
                                   [ISO_CONSTRAINT_TENDON] = "tendon"},
    [ISO_NAMES_SENSOR_ZONE] = {[ISO_ZONE_ALL] = "all",
                               [ISO_ZONE_SPHERE] = "sphere",
                               [ISO_ZONE_CAPSULE] = "capsule",
                               [ISO_ZONE_CYLINDER] = "cylinder",
                               [ISO_ZONE_ELLIPSOID] = "ellipsoid",
                               [ISO_ZONE_BOX] = "box"},
    [ISO_NAMES_CONTACT_MODEL_KIND] = {[ISO_CONTACT_MODEL_DEFAULT] = "default",
                                      [ISO_CONTACT_MODEL_PRESSURE_FIELD] = "pressure_field",
                                      [ISO_CONTACT_MODEL_HERTZ] = "hertz",
                                      [ISO_CONTACT_MODEL_VOLUMETRIC] = "volumetric"},
    [ISO_NAMES_EVENT_KIND] = {[ISO_EVENT_CONTACT_BEGINS] = "contact_begins",
                              [ISO_EVENT_CONTACT_ENDS] = "contact_ends",
                              [ISO_EVENT_SLIP_BEGINS] = "slip_begins",
                              [ISO_EVENT_SLIP_ENDS] = "slip_ends",
                              [ISO_EVENT_FUNCTION] = "function",
                              [ISO_EVENT_LEVEL] = "level"},
    [ISO_NAMES_LEVEL_QUANTITY] = {[ISO_LEVEL_JOINT_POSITION] = "joint_position",
                                  [ISO_LEVEL_JOINT_VELOCITY] = "joint_velocity",
                                  [ISO_LEVEL_BODY_X] = "body_x",
                                  [ISO_LEVEL_BODY_Y] = "body_y",
                                  [ISO_LEVEL_BODY_Z] = "body_z",
                                  [ISO_LEVEL_BODY_SPEED] = "body_speed"},
};
#define FAMILY_COUNT ((int)(sizeof k_names / sizeof *k_names))

int iso_name_count(iso_name_family family) {
    int count = 0;
    while ((int)family >= 0 && (int)family < FAMILY_COUNT && count < MOST_NAMES &&
           k_names[family][count] != NULL) {
        ++count;
    }
    return count;
}

const char* iso_name_of(iso_name_family family, int value) {
    return value >= 0 && value < iso_name_count(family) ? k_names[family][value] : "";
}

int iso_name_find(iso_name_family family, const char* name) {
    int count = name != NULL ? iso_name_count(family) : 0;
    for (int i = 0; i < count; ++i) {
        if (strcmp(k_names[family][i], name) == 0) {
            return i;
        }
    }
    return -1;
}

int iso_name_nearest(const char* name, const char* const* names, int name_count) {
    iso_name_list list = iso_name_list_of(names, name_count > 0 ? name_count : 0);
    return iso_name_list_nearest(&list, name);
}

void iso_name_explain(const char* noun, const char* name, const char* const* names, int name_count,
                      char* text, int size) {
    iso_name_list list = iso_name_list_of(names, name_count > 0 ? name_count : 0);
    if (text != NULL && size > 0) {
        iso_name_list_explain(&list, noun != NULL ? noun : "thing", name, text, (size_t)size);
    }
}
