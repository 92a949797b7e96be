// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/options.h"

cli_exit cli_run(const cli_options* options);
