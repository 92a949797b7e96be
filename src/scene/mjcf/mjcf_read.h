// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/text/xml.h"

/// How a document is read.
typedef struct iso_mjcf_manner {
    const char* scope;  ///< all names are put inside it
    const char* rename; ///< in the place of the name of the model; NULL: that in the file
    bool is_static;     ///< no joint moves, and what only joints make useful is left out
    bool is_included;   ///< gravity and time step are those of the file around it
} iso_mjcf_manner;

/// Read an MJCF document. It starts at the keyframe of the build, where that names one.
iso_status iso_mjcf_read_bytes(iso_scene_build* build, const char* path, const char* bytes,
                               size_t size, const iso_mjcf_manner* manner);
/// Its name: what <mujoco> says, else that of the file.
iso_status iso_mjcf_model_name(iso_scene_build* build, const xmlNode* root, const char* path,
                               const char** out_name);
