// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const cli_command* find_command(const char* name) {
    for (int i = 0; i < k_cli_command_count; ++i) {
        if (strcmp(k_cli_commands[i].name, name) == 0) {
            return &k_cli_commands[i];
        }
    }
    return NULL;
}

/// The command that a file asks for, by its name; NULL: it is none that isobar reads.
static const char* command_for(const char* name) {
    static const struct {
        const char *ending, *command;
    } k_files[] = {
        {".yaml", "run"},    {".yml", "run"},     {".sdf", "run"},     {".world", "run"},
        {".urdf", "run"},    {".mjcf", "run"},    {".xml", "run"},     {".mcap", "view"},
        {".obj", "prepare"}, {".stl", "prepare"}, {".ply", "prepare"}, {".step", "prepare"},
        {".stp", "prepare"}, {".vtk", "inspect"}, {".vtu", "inspect"}, {".msh", "inspect"}};
    const char* point = strrchr(name, '.');
    for (size_t i = 0; point != NULL && i < sizeof k_files / sizeof k_files[0]; ++i) {
        if (strcasecmp(point, k_files[i].ending) == 0) {
            return k_files[i].command;
        }
    }
    return NULL;
}

/// Someone who gives options or a file first is told that the command comes before them.
static cli_exit report_unknown(int argc, char** argv) {
    const char* name = argv[1];
    const char* command = name[0] != '-' ? command_for(name) : NULL;
    for (int i = 2; i < argc && command == NULL && name[0] == '-'; ++i) {
        command = find_command(argv[i]) != NULL ? argv[i] : NULL;
    }
    if (command != NULL) {
        cli_error("'%s' stands before the command, expected 'isobar %s ...'\n", name, command);
        return CLI_USAGE;
    }
    const char* names[CLI_MOST_COMMANDS];
    int count = 0;
    for (; count < k_cli_command_count && count < CLI_MOST_COMMANDS; ++count) {
        names[count] = k_cli_commands[count].name;
    }
    char hint[160];
    cli_foreign_hint(name, names, count, hint);
    cli_error("unknown command '%s'%s (try 'isobar --help')\n", name, hint);
    return CLI_USAGE;
}

/// What was printed must have arrived (a full disk, a closed pipe).
static cli_exit check_stdout(void) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_error("the result cannot be written to stdout\n");
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
        cli_error("this processor lacks instructions of the %s build: build with "
                  "-DISOBAR_SIMD=scalar, or install the package isobar of Python, which has both\n",
                  iso_simd_backend());
        return false;
    }
    iso_context_destroy(ctx);
    return true;
}

static cli_exit print_help(const cli_command* command, const cli_options* options) {
    if (command->inputs == CLI_EXPERIMENT && options->input != NULL &&
        !cli_require_experiment(options->input)) {
        return CLI_USAGE;
    }
    cli_print_command_help(stdout, command, options->input);
    return check_stdout();
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
    bool is_help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
                   strcmp(argv[1], "help") == 0;
    if (is_help && argc == 2) {
        cli_print_help(stdout);
        return check_stdout();
    }
    char help[] = "--help"; // 'isobar help run' is 'isobar run --help'
    char* turned[] = {argv[0], argv[argc > 2 ? 2 : 1], argc > 3 ? argv[3] : help, help};
    int word_count = is_help ? (argc > 3 ? 4 : 3) : argc;
    char** words = is_help ? turned : argv;
    const char* name = strcmp(words[1], "--version") == 0 ? "version" : words[1];
    const cli_command* command = find_command(name);
    if (command == NULL) {
        return report_unknown(word_count, words);
    }
    cli_options options;
    cli_exit code = cli_parse(command, word_count, words, &options);
    if (code != CLI_DONE) {
        return code;
    }
    if (options.is_help) {
        return print_help(command, &options);
    }
    code = command->run(&options);
    if (code != CLI_DONE) {
        return code;
    }
    return check_stdout();
}
