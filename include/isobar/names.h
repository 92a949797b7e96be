// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// What enumerators are called in scene files, in recordings and in Python.

/// Enumerations whose values have names.
typedef enum iso_name_family {
    ISO_NAMES_METHOD,             ///< iso_method
    ISO_NAMES_JOINT_KIND,         ///< iso_joint_kind
    ISO_NAMES_REPRESENTATION,     ///< iso_representation
    ISO_NAMES_CULL,               ///< iso_cull
    ISO_NAMES_COMBINE,            ///< iso_combine
    ISO_NAMES_DAMPING,            ///< iso_damping
    ISO_NAMES_REGULARIZATION,     ///< iso_regularization
    ISO_NAMES_FRICTION_MODEL,     ///< iso_friction_model
    ISO_NAMES_SENSOR_KIND,        ///< iso_sensor_kind
    ISO_NAMES_SIGNAL_KIND,        ///< iso_signal_kind
    ISO_NAMES_PROFILE,            ///< iso_profile
    ISO_NAMES_FEED_FORWARD,       ///< iso_feed_forward
    ISO_NAMES_CONSTRAINT_KIND,    ///< iso_constraint_kind
    ISO_NAMES_SENSOR_ZONE,        ///< iso_sensor_zone
    ISO_NAMES_CONTACT_MODEL_KIND, ///< iso_contact_model_kind
    ISO_NAMES_FRICTION_LAW,       ///< iso_friction_law
    ISO_NAMES_EVENT_KIND,         ///< iso_event_kind
    ISO_NAMES_LEVEL_QUANTITY,     ///< iso_level_quantity
} iso_name_family;

/// Number of values of an enumeration, which are 0, 1, ...; 0 for families that are none.
ISO_API int iso_name_count(iso_name_family family);
/// Name of a value, static; "" for values and families that are none.
ISO_API const char* iso_name_of(iso_name_family family, int value);
/// Value of a name; -1 when there is none of it.
ISO_API int iso_name_find(iso_name_family family, const char* name);

/// Index of the name that a misspelt one was likely meant to be: it differs by a third of the
/// letters at most, whatever their case, or lacks what follows a scope ("pad" for "pad::tip"). -1
/// when none is near.
/// @param names  [name_count]
ISO_API int iso_name_nearest(const char* name, const char* const* names, int name_count);
/// Why a name means none of the things that it could: there is none of this name, with the nearest
/// or the first ones ("there is no body named 'gripper_lft'; did you mean 'gripper_left'?"), or it
/// is the end of several scoped names, with these. The library's own messages say the same.
/// @param      noun   what is named: "body"
/// @param      names  [name_count] of all there are
/// @param[out] text   [size] ends with a zero; what does not fit is cut
ISO_API void iso_name_explain(const char* noun, const char* name, const char* const* names,
                              int name_count, char* text, int size);

#ifdef __cplusplus
}
#endif
