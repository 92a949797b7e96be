// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/events.h"

#include <jansson.h>

/// Events of the last step, behind those before: a list of objects.
void cli_events_add(json_t* list, const iso_world* world);

/// A table of the first of them, and how many more there are; nothing where there are none.
void cli_events_print(const json_t* list);

/// A line of each criterion among the programs of cli_json_progress(); nothing where there is none.
void cli_criteria_print(json_t* programs);
