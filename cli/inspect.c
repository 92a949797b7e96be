// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli.h"

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
    static const char* const k_volumes[] = {".vtk", ".vtu", ".msh", NULL};
    return has_extension(path, k_volumes);
}

cli_exit cli_inspect(const cli_options* options) {
    static const char* const k_surfaces[] = {".obj", ".stl", ".gltf", ".glb", ".dae", ".ply", NULL};
    static const char* const k_scenes[] = {".yaml", ".yml", ".sdf",   ".world", ".urdf",
                                           ".mjcf", ".xml", ".xacro", NULL};
    static const char* const k_solids[] = {".step", ".stp", NULL};
    static const char* const k_recordings[] = {".mcap", NULL};
    bool is_surface = has_extension(options->input, k_surfaces);
    bool is_volume = cli_is_volume_file(options->input);
    if (has_extension(options->input, k_recordings)) {
        fprintf(stderr,
                "isobar: error: %s: a recording, expected a scene, robot or mesh file; 'isobar "
                "view', 'replay' and 'export' take recordings\n",
                options->input);
        return CLI_BAD_INPUT;
    }
    if (has_extension(options->input, k_solids)) {
        fprintf(stderr,
                "isobar: error: %s: a STEP file, whose surfaces are not triangles yet: 'isobar "
                "prepare' takes it (through gmsh), and 'isobar inspect' the mesh that it writes\n",
                options->input);
        return CLI_BAD_INPUT;
    }
    if (!is_surface && !is_volume && !has_extension(options->input, k_scenes)) {
        fprintf(stderr,
                "isobar: error: %s: of an unknown kind, expected a scene or robot (.yaml, .yml, "
                ".sdf, .world, .urdf, .mjcf, .xml), a surface (.obj, .stl, .ply, .gltf, .glb, "
                ".dae) or a volume (.vtk, .vtu, .msh)\n",
                options->input);
        return CLI_BAD_INPUT;
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
