// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"
#include "cli/parts/json_output.h"

#include <stdio.h>

cli_exit cli_version(const cli_options* options) {
    if (options->is_json) {
        return cli_json_print(
            json_pack("{s:s,s:s}", "version", iso_version(), "simd", iso_simd_backend()));
    }
    printf("isobar %s (%s)\n", iso_version(), iso_simd_backend());
    return CLI_DONE;
}
