// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/ending.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t g_signal;

static void note_signal(int number) {
    g_signal = number;
}

void cli_catch_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        // Without SA_RESTART: what waits is to stop waiting.
        struct sigaction old, action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            (void)sigaction(numbers[i], &action, NULL);
        }
    }
}

int cli_noted_signal(void) {
    return g_signal;
}

void cli_end_by_signal(void) {
    if (g_signal != 0) {
        (void)signal(g_signal, SIG_DFL);
        (void)raise(g_signal);
    }
}
