// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Names of enumerators in recordings: entry i belongs to value i.
typedef struct iso_name_list {
    const char* const* names;
    int count;
} iso_name_list;

iso_name_list iso_method_names(void);
iso_name_list iso_joint_kind_names(void);
iso_name_list iso_representation_names(void);
iso_name_list iso_cull_names(void);
iso_name_list iso_combine_names(void);
iso_name_list iso_damping_names(void);
iso_name_list iso_regularization_names(void);
iso_name_list iso_friction_names(void);
iso_name_list iso_sensor_names(void);

/// "" for values out of the list.
const char* iso_name_of(iso_name_list list, int value);
/// Value of a name, or -1.
int iso_name_find(iso_name_list list, const char* name);
