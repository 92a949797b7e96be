// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Commands that have made temporary files clean up when they are asked to end (SIGINT, SIGTERM,
/// SIGHUP), then end as anybody who was asked to. A second signal ends them at once.

/// From now on these signals are noted; those that are ignored stay so.
void cli_catch_signals(void);
/// The signal that came; 0: none.
int cli_noted_signal(void);
/// End by the signal that came, if one did.
void cli_end_by_signal(void);
