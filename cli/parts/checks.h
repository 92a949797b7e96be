// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/options.h"

/// What of the command line can be told to be wrong before any work: one rule for the outputs of
/// all commands. The file's name ends as what is written there, and its folder is there already.

/// How what a command or an experiment writes by one of its options may end, between spaces; "":
/// as one likes; "/": a folder, which is made. NULL: it writes nothing.
/// @param topic  name of the command, of `lab` that of the experiment
const char* cli_output_endings(const char* topic, const char* option);

/// @return CLI_USAGE where a name ends otherwise
cli_exit cli_check_endings(const cli_options* options, const char* topic);
/// @return CLI_BAD_INPUT where a file or folder of that name cannot come to be
cli_exit cli_check_places(const cli_options* options, const char* topic);

/// An option that changes nothing beside the others that were given is an error: whoever gave it
/// believes that it does.
/// @param topic  name of the command, of `lab` that of the experiment
cli_exit cli_check_effects(const cli_options* options, const char* topic);

/// Say that an option does nothing, and where: "for 'lab slide'". @return CLI_USAGE
cli_exit cli_report_useless(const char* option, const char* where);
