// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/json_output.h"
#include "cli/parts/session.h"

cli_exit cli_inspect(const cli_options* options);

/// `inspect` of a surface and of a volume file.
cli_exit cli_inspect_surface(cli_session* session, const cli_options* options);
cli_exit cli_inspect_volume(cli_session* session, const cli_options* options);
/// `inspect` of a scene or model.
cli_exit cli_inspect_scene(cli_session* session, const cli_options* options);
/// Frames, commands, forces, programs and motions of a scene.
void cli_print_task(const iso_scene* scene, const iso_world* world);
/// The same as JSON; the caller owns the reference.
json_t* cli_json_frames(const iso_scene* scene, const iso_world* world);
json_t* cli_json_commands(const iso_scene* scene);
json_t* cli_json_forces(const iso_scene* scene);
json_t* cli_json_programs(const iso_scene* scene);
json_t* cli_json_motions(const iso_scene* scene);
/// Null: the scene does not ask to be watched.
json_t* cli_json_events(const iso_scene* scene);

/// True for files of tetrahedra, by their extension.
bool cli_is_volume_file(const char* path);

/// The contact properties of a geometry with the compliance that the world gives it where none is
/// stated: a surface mesh and a half space without slab become rigid.
iso_contact_material cli_effective_material(const iso_geometry_desc* geometry);
/// The contact properties of a geometry, as given: members of a JSON object, and the rest of a
/// line. What it has not (modulus beside a table, dissipation beside
/// a restitution, all of a rigid body's field) is null, or left out.
void cli_json_add_material(json_t* geometry, const iso_contact_material* material);
void cli_print_material(const iso_contact_material* material, const char* shape);
