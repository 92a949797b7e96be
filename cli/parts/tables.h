// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/isobar.h"

/// Tables for people.
void cli_print_contacts(const iso_world* world);
void cli_print_bodies(const iso_world* world);
