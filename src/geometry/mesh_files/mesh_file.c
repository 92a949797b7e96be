// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/mesh_file.h"

#include "geometry/mesh_files/surface_file.h"
#include "geometry/mesh_files/vtk/volume_file.h"

#include <string.h>

iso_mesh_file_kind iso_mesh_file_kind_of(const char* path) {
    if (iso_surface_file_is_known(path)) {
        return ISO_MESH_FILE_SURFACE;
    }
    return iso_volume_file_is_known(path) ? ISO_MESH_FILE_VOLUME : ISO_MESH_FILE_NONE;
}

void iso_mesh_file_extensions(iso_mesh_file_kind kind, char* text, int size) {
    iso_extension_list list = {.text = ""};
    if (kind == ISO_MESH_FILE_SURFACE) {
        list = iso_surface_file_extensions();
    } else if (kind == ISO_MESH_FILE_VOLUME) {
        list = iso_volume_file_extensions();
    }
    if (text && size > 0) {
        text[0] = '\0';
        strncat(text, list.text, (size_t)size - 1);
    }
}
