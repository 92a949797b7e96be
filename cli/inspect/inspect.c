// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/inspect/inspect.h"

#include "cli/parts/checks.h"

#include "cli/parts/session.h"

#include <stdio.h>
#include <string.h>

static bool has_extension(const char* path, const char* const* extensions) {
    const char* dot = strrchr(path, '.');
    for (int i = 0; dot != NULL && extensions[i] != NULL; ++i) {
        size_t k = 0;
        while (dot[k] != '\0' && extensions[i][k] != '\0' &&
               (dot[k] | 0x20) == (extensions[i][k] | 0x20)) {
            ++k;
        }
        if (dot[k] == '\0' && extensions[i][k] == '\0') {
            return true;
        }
    }
    return false;
}

bool cli_is_volume_file(const char* path) {
    return iso_mesh_file_kind_of(path) == ISO_MESH_FILE_VOLUME;
}

static cli_exit refuse_kind(const char* path) {
    char surfaces[128], volumes[128];
    iso_mesh_file_extensions(ISO_MESH_FILE_SURFACE, surfaces, sizeof surfaces);
    iso_mesh_file_extensions(ISO_MESH_FILE_VOLUME, volumes, sizeof volumes);
    cli_error("%s: of an unknown kind, expected a scene or robot (.yaml, .yml, .sdf, "
              ".world, .urdf, .mjcf, .xml), a surface (%s) or a volume (%s)\n",
              path, surfaces, volumes);
    return CLI_BAD_INPUT;
}

cli_exit cli_inspect(const cli_options* options) {
    static const char* const k_scenes[] = {".yaml", ".yml", ".sdf",   ".world", ".urdf",
                                           ".mjcf", ".xml", ".xacro", NULL};
    static const char* const k_solids[] = {".step", ".stp", NULL};
    static const char* const k_recordings[] = {".mcap", NULL};
    bool is_surface = iso_mesh_file_kind_of(options->input) == ISO_MESH_FILE_SURFACE;
    bool is_volume = cli_is_volume_file(options->input);
    if (has_extension(options->input, k_recordings)) {
        cli_error("%s: a recording, expected a scene, robot or mesh file; 'isobar "
                  "view', 'replay' and 'export' take recordings\n",
                  options->input);
        return CLI_BAD_INPUT;
    }
    if (has_extension(options->input, k_solids)) {
        cli_error(
            "%s: a STEP file, whose surfaces are not triangles yet: 'isobar "
            "prepare' takes it (through gmsh), and 'isobar inspect' the mesh that it writes\n",
            options->input);
        return CLI_BAD_INPUT;
    }
    if (!is_surface && !is_volume && !has_extension(options->input, k_scenes)) {
        return refuse_kind(options->input);
    }
    static const char* const k_of_scenes[] = {"--keyframe", "--package", "--set"};
    for (int i = 0; (is_surface || is_volume) && i < 3; ++i) {
        if (cli_given(options, k_of_scenes[i]) != NULL) {
            return cli_report_useless(k_of_scenes[i], "for a mesh");
        }
    }
    cli_session session;
    cli_exit code = cli_session_open(&session, options);
    if (code != CLI_DONE) {
        return code;
    }
    if (is_surface) {
        code = cli_inspect_surface(&session, options);
    } else if (is_volume) {
        code = cli_inspect_volume(&session, options);
    } else {
        code = cli_inspect_scene(&session, options);
    }
    cli_session_close(&session);
    return code;
}
