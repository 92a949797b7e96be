// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static const cli_command* find_command(const char* name) {
    for (int i = 0; i < k_cli_command_count; ++i) {
        if (strcmp(k_cli_commands[i].name, name) == 0) {
            return &k_cli_commands[i];
        }
    }
    return NULL;
}

static cli_exit report_unknown(const char* name) {
    const char* names[16];
    int count = 0;
    for (; count < k_cli_command_count && count < 16; ++count) {
        names[count] = k_cli_commands[count].name;
    }
    int nearest = iso_name_nearest(name, names, count);
    fprintf(stderr, "isobar: error: unknown command '%s'%s%s%s (try 'isobar --help')\n", name,
            nearest >= 0 ? "; did you mean '" : "", nearest >= 0 ? names[nearest] : "",
            nearest >= 0 ? "'?" : "");
    return CLI_USAGE;
}

/// What was printed must have arrived (a full disk, a closed pipe).
static cli_exit check_stdout(void) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "isobar: error: the result cannot be written to stdout\n");
        return CLI_BAD_INPUT;
    }
    return CLI_DONE;
}

/// A closed stream stays one that cannot be read or written. Else the first file that is opened
/// would take its place, and what is printed would go into it.
static void hold_closed_streams(void) {
    for (int stream = 0; stream < 3; ++stream) {
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF) {
            (void)open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
        }
    }
}

/// Before anything else, as all the rest is made of the instructions of the SIMD back end.
static bool check_processor(void) {
    iso_context* ctx = NULL;
    if (iso_context_create(NULL, &ctx) == ISO_ERR_UNSUPPORTED) {
        fprintf(stderr,
                "isobar: error: this processor lacks instructions of the %s build: build with "
                "-DISOBAR_SIMD=scalar, or install the package isobar of Python, which has both\n",
                iso_simd_backend());
        return false;
    }
    iso_context_destroy(ctx);
    return true;
}

int main(int argc, char** argv) {
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of its write()
    hold_closed_streams();
    if (!check_processor()) {
        return CLI_BAD_INPUT;
    }
    if (argc < 2) {
        cli_print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        cli_print_help(stdout);
        return check_stdout();
    }
    const char* name = strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
    const cli_command* command = find_command(name);
    if (command == NULL) {
        return report_unknown(argv[1]);
    }
    cli_options options;
    cli_exit code = cli_parse(command, argc, argv, &options);
    if (code != CLI_DONE) {
        return code;
    }
    if (options.is_help) {
        if (command->inputs == CLI_EXPERIMENT && options.input != NULL &&
            !cli_require_experiment(options.input)) {
            return CLI_USAGE;
        }
        cli_print_command_help(stdout, command, options.input);
        return check_stdout();
    }
    code = command->run(&options);
    if (code != CLI_DONE) {
        return code;
    }
    return check_stdout();
}
