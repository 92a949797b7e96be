// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/names.h"

#include "isobar/sensor.h"

#include <string.h>

#define NAME_LIST(function, ...)                                              \
    iso_name_list function(void) {                                            \
        static const char* const names[] = {__VA_ARGS__};                     \
        return (iso_name_list){names, (int)(sizeof names / sizeof names[0])}; \
    }

NAME_LIST(iso_method_names, [ISO_METHOD_LAGGED] = "lagged", [ISO_METHOD_SAP] = "sap",
          [ISO_METHOD_RK4] = "rk4", [ISO_METHOD_RK23] = "rk23", [ISO_METHOD_RK45] = "rk45",
          [ISO_METHOD_SIMILAR] = "similar", [ISO_METHOD_TAMSI] = "tamsi")
NAME_LIST(
    iso_joint_kind_names, [ISO_JOINT_WELD] = "weld", [ISO_JOINT_REVOLUTE] = "revolute",
    [ISO_JOINT_PRISMATIC] = "prismatic", [ISO_JOINT_FREE] = "free", [ISO_JOINT_SCREW] = "screw",
    [ISO_JOINT_UNIVERSAL] = "universal", [ISO_JOINT_BALL] = "ball", [ISO_JOINT_PLANAR] = "planar")
NAME_LIST(iso_representation_names, [ISO_REPRESENTATION_POLYGON] = "polygon",
          [ISO_REPRESENTATION_TRIANGLE] = "triangle")
NAME_LIST(iso_cull_names, [ISO_CULL_NONE] = "none", [ISO_CULL_DRAKE] = "drake")
NAME_LIST(iso_combine_names, [ISO_COMBINE_DRAKE] = "drake", [ISO_COMBINE_ELANDT] = "elandt",
          [ISO_COMBINE_ELANDT_MEAN] = "elandt_mean")
NAME_LIST(iso_damping_names, [ISO_DAMPING_HUNT_CROSSLEY] = "hunt_crossley",
          [ISO_DAMPING_EXTENT_RATE] = "extent_rate")
NAME_LIST(iso_regularization_names, [ISO_REGULARIZATION_PATCH] = "patch",
          [ISO_REGULARIZATION_DRAKE] = "drake")
NAME_LIST(iso_friction_names, [ISO_FRICTION_MODEL_STICK] = "stick",
          [ISO_FRICTION_MODEL_REGULARIZED] = "regularized")
NAME_LIST(iso_sensor_names, [ISO_SENSOR_JOINT] = "joint",
          [ISO_SENSOR_FORCE_TORQUE] = "force_torque", [ISO_SENSOR_CONTACT] = "contact",
          [ISO_SENSOR_TACTILE] = "tactile", [ISO_SENSOR_IMU] = "imu", [ISO_SENSOR_FRAME] = "frame")

const char* iso_name_of(iso_name_list list, int value) {
    return value >= 0 && value < list.count ? list.names[value] : "";
}

int iso_name_find(iso_name_list list, const char* name) {
    for (int i = 0; i < list.count; ++i) {
        if (strcmp(list.names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}
