// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"
#include "cli/parts/json_output.h"
#include "cli/parts/session.h"
#include "cli/parts/tables.h"

#include <stdio.h>

static cli_exit print_patch(const cli_session* session, const iso_scene* scene,
                            const iso_world* world, const cli_options* options) {
    if (options->vtk_dir != NULL) {
        iso_status status = iso_contacts_export_vtk(world, options->vtk_dir);
        if (status != ISO_OK) {
            return cli_report(session, status);
        }
    }
    if (options->deformed_dir != NULL) {
        iso_status status = iso_deformed_export_vtk(world, options->deformed_dir);
        if (status != ISO_OK) {
            return cli_report(session, status);
        }
    }
    if (options->is_json) {
        return cli_json_print(json_pack("{s:s,s:f,s:o}", "scene", scene->name, "time",
                                        iso_world_time(world), "contacts",
                                        cli_json_contacts(world)));
    }
    cli_print_contacts(world);
    return CLI_DONE;
}

cli_exit cli_patch(const cli_options* options) {
    cli_session session;
    iso_scene scene = {0};
    iso_world* world = NULL;
    cli_exit code = cli_session_open(&session, options);
    if (code != CLI_DONE) {
        return code;
    }
    iso_status status = cli_load(&session, options, false, &scene, &world);
    if (status == ISO_OK) {
        status = iso_world_update_contacts(world);
    }
    code = status == ISO_OK ? print_patch(&session, &scene, world, options)
                            : cli_report(&session, status);
    iso_world_destroy(world);
    iso_scene_destroy(session.ctx, &scene);
    cli_session_close(&session);
    return code;
}
