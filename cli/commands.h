// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/options.h"

extern const cli_command k_cli_commands[];
extern const int k_cli_command_count;
enum { CLI_MOST_COMMANDS = 32 };

void cli_print_help(FILE* file);
/// @param experiment  of `lab`; NULL or unknown: none
void cli_print_command_help(FILE* file, const cli_command* command, const char* experiment);

// Commands of one file each.

cli_exit cli_identify(const cli_options* options);
bool cli_identify_take(cli_options* options, const char* name, const char* value);
cli_exit cli_live(const cli_options* options);
bool cli_live_take(cli_options* options, const char* name, const char* value);
cli_exit cli_prepare(const cli_options* options);
bool cli_prepare_take(cli_options* options, const char* name, const char* value);
cli_exit cli_patch(const cli_options* options);
cli_exit cli_replay(const cli_options* options);
cli_exit cli_view(const cli_options* options);
cli_exit cli_export(const cli_options* options);
cli_exit cli_volume(const cli_options* options);
cli_exit cli_completion(const cli_options* options);
cli_exit cli_version(const cli_options* options);
