// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/options.h"

#include <jansson.h>

/// Pieces of the JSON output; the caller owns the reference.
json_t* cli_json_vec3(iso_vec3 v);
/// A file's name; where it is not UTF-8, which JSON must be, its other bytes are question marks.
json_t* cli_json_path(const char* path);
json_t* cli_json_bodies(const iso_world* world);
json_t* cli_json_joints(const iso_world* world);
json_t* cli_json_progress(const iso_task* task, const iso_world* world);
json_t* cli_json_fixed_tendons(const iso_world* world);
json_t* cli_json_contacts(const iso_world* world);
json_t* cli_json_energy(const iso_world* world);
/// Of all contacts, as recordings have it [J]; NAN without memory.
double cli_elastic_energy(const iso_world* world);
json_t* cli_json_peak(const iso_world* world);
json_t* cli_json_passage(const iso_world* world);
json_t* cli_json_sensors(const iso_sensors* sensors);
/// Print one object and a newline to stdout, release it; CLI_BAD_INPUT when stdout fails.
cli_exit cli_json_print(json_t* object);
