// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/options.h"

#include "cli/parts/checks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cli_exit usage_error(const cli_command* command, const char* message, const char* what) {
    cli_error("%s '%s' (try 'isobar %s --help')\n", message, what, command->name);
    return CLI_USAGE;
}

bool cli_parse_not_negative(const char* text, double* out_value) {
    char* end = NULL;
    errno = 0;
    *out_value = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && isfinite(*out_value) && *out_value >= 0.0;
}

bool cli_parse_positive(const char* text, double* out_value) {
    return cli_parse_not_negative(text, out_value) && *out_value > 0.0;
}

bool cli_parse_whole(const char* text, double low, double high, double* out_value) {
    return cli_parse_not_negative(text, out_value) && *out_value == floor(*out_value) &&
           *out_value >= low && *out_value <= high;
}

int cli_find_word(const char* const* words, int count, const char* word) {
    for (int i = 0; i < count; ++i) {
        if (strcmp(words[i], word) == 0) {
            return i;
        }
    }
    return -1;
}

static bool add_setting(cli_options* options, const char* setting) {
    if (options->setting_count == k_cli_list_size) {
        return false;
    }
    options->settings[options->setting_count++] = setting;
    return true;
}

/// "prefix" + value as a setting, stored in options->text.
static bool add_derived_setting(cli_options* options, const char* prefix, const char* value) {
    char* text = options->text + options->text_used;
    size_t room = sizeof options->text - options->text_used;
    int length = snprintf(text, room, "%s%s", prefix, value);
    if (length < 0 || (size_t)length >= room) {
        return false;
    }
    options->text_used += (size_t)length + 1;
    return add_setting(options, text);
}

/// Quoted, as any text may be the name of a keyframe.
static bool add_keyframe(cli_options* options, const char* value) {
    char quoted[256] = "'";
    size_t used = 1;
    for (const char* c = value; *c != '\0' && used < sizeof quoted - 3; ++c) {
        quoted[used++] = *c;
        if (*c == '\'') {
            quoted[used++] = '\'';
        }
    }
    quoted[used] = '\'';
    quoted[used + 1] = '\0';
    return strlen(value) < 120 && add_derived_setting(options, "simulation.keyframe=", quoted);
}

static bool add_package(cli_options* options, const char* value) {
    const char* equal = strchr(value, '=');
    size_t room = sizeof options->text - options->text_used;
    if (equal == NULL || equal == value || equal[1] == '\0' ||
        options->package_count == k_cli_list_size || (size_t)(equal - value) >= room) {
        return false;
    }
    char* name = options->text + options->text_used;
    memcpy(name, value, (size_t)(equal - value));
    name[equal - value] = '\0';
    options->text_used += (size_t)(equal - value) + 1;
    options->packages[options->package_count++] = (iso_package){name, equal + 1};
    return true;
}

/// Bytes, or thousands, millions, thousand millions of them.
static bool parse_size(const char* text, double* out_size) {
    static const char units[] = "kMG";
    size_t length = strlen(text);
    const char* unit = length > 1 ? strchr(units, text[length - 1]) : NULL;
    char number[64];
    if (length >= sizeof number) {
        return false;
    }
    (void)snprintf(number, sizeof number, "%.*s", (int)(length - (unit ? 1 : 0)), text);
    bool is_size = cli_parse_positive(number, out_size);
    for (const char* u = units; unit && u <= unit; ++u) {
        *out_size *= 1000.0;
    }
    return is_size && *out_size < 9e15;
}

/// How many frames are kept or shown.
static bool take_frames(cli_options* options, const char* name, const char* value) {
    if (strcmp(name, "--frame-rate") == 0) {
        return cli_parse_positive(value, &options->frame_rate);
    }
    return strcmp(name, "--size-limit") == 0 && parse_size(value, &options->size_limit);
}

/// Take one option with its value; false when the value is unusable.
static bool take_value(const cli_command* command, cli_options* options, const char* name,
                       const char* value) {
    double number = 0.0;
    if (strcmp(name, "--until") == 0) {
        return cli_parse_positive(value, &options->until);
    }
    if (strcmp(name, "--dt") == 0) {
        return cli_parse_positive(value, &number) && number <= 1.0 &&
               add_derived_setting(options, "simulation.time_step=", value);
    }
    if (strcmp(name, "--keyframe") == 0) {
        return value[0] != '\0' && add_keyframe(options, value);
    }
    if (strcmp(name, "--threads") == 0) {
        bool is_good = cli_parse_whole(value, 1.0, 256.0, &number);
        options->lab.slide.threads = number;
        return is_good && add_derived_setting(options, "simulation.threads=", value);
    }
    if (strcmp(name, "--workers") == 0) {
        bool is_good = cli_parse_whole(value, 1.0, 1024.0, &number);
        options->worker_count = is_good ? (int)number : 0;
        return is_good;
    }
    if (strcmp(name, "--set") == 0) {
        return strchr(value, '=') != NULL && strchr(value, '=') != value &&
               add_setting(options, value);
    }
    if (strcmp(name, "--package") == 0) {
        return add_package(options, value);
    }
    if (strcmp(name, "--pose") == 0) {
        return cli_parse_pose(value, &options->pose);
    }
    const struct {
        const char* name;
        const char** target;
    } paths[] = {{"--record", &options->record_path},
                 {"--save", &options->save_path},
                 {"--restore", &options->restore_path},
                 {"--models", &options->models},
                 {"--vtk", &options->vtk_dir},
                 {"--csv", &options->csv_dir},
                 {"--deformed", &options->deformed_dir},
                 {"-o", &options->output},
                 {"--page", &options->page}};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        if (strcmp(name, paths[i].name) == 0) {
            *paths[i].target = value;
            return value[0] != '\0';
        }
    }
    return take_frames(options, name, value) ||
           (command->take != NULL && command->take(options, name, value));
}

static cli_exit report_unknown(const cli_command* command, const char* experiment,
                               const char* name) {
    const char* names[CLI_MOST_OPTIONS];
    int count = cli_option_names(command, experiment, names);
    char hint[160];
    cli_foreign_hint(name, names, count, hint);
    cli_error("unknown option '%s'%s (try 'isobar %s --help')\n", name, hint, command->name);
    return CLI_USAGE;
}

/// Nothing that is written replaces what is read, or something else that is written. A state may be
/// saved over the one it came from.
static cli_exit check_clashes(const cli_options* options) {
    const struct {
        const char *path, *what;
    } files[] = {{options->input, "the input"},
                 {options->restore_path, "the state to restore"},
                 {options->record_path, "the recording"},
                 {options->save_path, "the state"},
                 {options->lab.from, "the measured surface"},
                 {options->output, "what is written"},
                 {options->page, "the page of plots"},
                 {options->lab.table, "the table"},
                 {options->lab.slide.film, "the film"}};
    for (int i = 2; i < 9; ++i) {
        for (int k = 0; k < i; ++k) {
            bool is_state = i == 3 && k == 1;
            if (files[i].path && files[k].path && !is_state &&
                iso_is_same_file(files[i].path, files[k].path)) {
                cli_error("%s: %s would replace %s, expected a file of its own\n", files[i].path,
                          files[i].what, files[k].what);
                return CLI_BAD_INPUT;
            }
        }
    }
    return CLI_DONE;
}

static void take_flag(cli_options* options, const char* name) {
    const struct {
        const char* name;
        bool* flag;
    } flags[] = {{"--json", &options->is_json},
                 {"--hash", &options->is_hash},
                 {"--quiet", &options->is_quiet},
                 {"--verbose", &options->is_verbose},
                 {"--profile", &options->lab.is_profile},
                 {"--free", &options->lab.is_free},
                 {"--one-way", &options->lab.is_one_way},
                 {"--printed", &options->lab.slide.is_printed},
                 {"--damp-highest", &options->lab.slide.is_damped},
                 {"--solid", &options->prepare.is_solid},
                 {"--no-faces", &options->is_without_faces},
                 {"--exact-energy", &options->is_energy_exact},
                 {"--json-contacts", &options->is_json_contacts}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) {
        *flags[i].flag |= strcmp(name, flags[i].name) == 0;
    }
    options->lab.making = options->lab.is_profile ? "--profile" : options->lab.making;
}

/// Every option that was given is one of the experiment's.
static cli_exit check_experiment(const cli_command* command, const cli_options* options) {
    for (int i = 0; i < k_cli_option_count; ++i) {
        const char* name = k_cli_options[i].name;
        if (options->given[i] && cli_find_option(command, options->input, name) == NULL) {
            char where[128];
            (void)snprintf(where, sizeof where, "for 'lab %s'", options->input);
            return cli_report_useless(name, where);
        }
    }
    return CLI_DONE;
}

/// An option of the command line.
typedef struct argument {
    const cli_option* option; ///< NULL: none of the command has the name
    const char* name;         ///< as it was written, without what follows '='
    const char* value;        ///< behind '=', or the argument after it; NULL: there is none
    bool has_equal;
    char text[64]; ///< of the name
} argument;

/// `--name value` or `--name=value`, at *at, which moves on to the last argument that it takes.
static void read_argument(const cli_command* command, int argc, char** argv, int* at,
                          argument* out) {
    const char* text = argv[*at];
    const char* equal = strncmp(text, "--", 2) == 0 ? strchr(text, '=') : NULL;
    *out = (argument){.name = text, .has_equal = equal != NULL};
    if (equal != NULL && (size_t)(equal - text) < sizeof out->text) {
        memcpy(out->text, text, (size_t)(equal - text));
        out->name = out->text;
        out->value = equal + 1;
    }
    out->option = cli_find_option(command, NULL, out->name);
    if (out->option == NULL || out->option->value == NULL || equal != NULL || *at + 1 == argc) {
        return;
    }
    const char* next = argv[*at + 1];
    bool is_option = strcmp(next, "--help") == 0 || cli_find_option(command, NULL, next) != NULL;
    if (!is_option) { // else it was forgotten, and a file would be called as the option
        out->value = next;
        ++*at;
    }
}

/// Note what was given; of what is given twice and is no list the last one counts.
static void note(cli_options* options, const argument* a) {
    const char** given = &options->given[a->option - k_cli_options];
    bool is_list = cli_has_word(" --set --package --over --measure ", a->option->name);
    if (*given != NULL && a->value != NULL && !is_list && strcmp(*given, a->value) != 0) {
        options->repeated = a->option->name;
    }
    *given = a->value != NULL ? a->value : "";
}

static cli_exit take_argument(const cli_command* command, cli_options* options, const argument* a) {
    if (a->option == NULL) {
        return report_unknown(command, options->input, a->name);
    }
    if (a->option->value == NULL && a->has_equal) {
        return usage_error(command, "there is no value of", a->option->name);
    }
    if (a->option->value != NULL && a->value == NULL) {
        return usage_error(command, "value missing after", a->option->name);
    }
    note(options, a);
    if (a->option->value == NULL) {
        take_flag(options, a->option->name);
        return CLI_DONE;
    }
    if (!take_value(command, options, a->option->name, a->value)) {
        const cli_option* meant = cli_find_option(command, options->input, a->option->name);
        cli_error("%s is '%s', expected %s\n", a->option->name, a->value,
                  (meant != NULL ? meant : a->option)->expected);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/// What all arguments together say, before any work.
static cli_exit check_all(const cli_command* command, const cli_options* options) {
    bool has_input = options->input != NULL && options->input[0] != '\0';
    bool is_lab = command->inputs == CLI_EXPERIMENT;
    if (!has_input && command->inputs != CLI_NO_INPUT) {
        return usage_error(command,
                           is_lab                              ? "experiment missing for"
                           : command->inputs == CLI_WORD_INPUT ? "shell missing for"
                                                               : "input file missing for",
                           command->name);
    }
    if (options->input != NULL && command->inputs == CLI_NO_INPUT) {
        return usage_error(command, "unexpected argument", options->input);
    }
    if (is_lab && (!cli_require_experiment(options->input) ||
                   check_experiment(command, options) != CLI_DONE)) {
        return CLI_USAGE;
    }
    const char* topic = is_lab ? options->input : command->name;
    if (cli_check_effects(options, topic) != CLI_DONE) {
        return CLI_USAGE;
    }
    if (options->repeated != NULL && !options->is_quiet) {
        cli_warning("%s is given more than once: the last one counts, '%s'\n", options->repeated,
                    cli_given(options, options->repeated));
    }
    cli_exit code = command->checks_files ? CLI_DONE : check_clashes(options);
    code = code == CLI_DONE ? cli_check_endings(options, topic) : code;
    return code == CLI_DONE ? cli_check_places(options, topic) : code;
}

cli_exit cli_parse(const cli_command* command, int argc, char** argv, cli_options* out_options) {
    memset(out_options, 0, sizeof *out_options);
    out_options->prepare = iso_prepare_desc_default();
    out_options->pose = iso_pose_identity();
    out_options->lab.surface = iso_lab_surface_desc_default();
    out_options->lab.surface.rms_height = 0.0; // neither is given
    out_options->lab.slide.beta = -1.0;
    out_options->lab.features = ISO_LEARNED_STANDARD;
    for (int i = 2; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            out_options->is_help = true;
            return CLI_DONE;
        }
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            bool is_first = out_options->input == NULL;
            if (!is_first && (out_options->second != NULL || command->inputs != CLI_TWO_INPUTS)) {
                return usage_error(command, "unexpected argument", argv[i]);
            }
            *(is_first ? &out_options->input : &out_options->second) = argv[i];
            continue;
        }
        argument a;
        read_argument(command, argc, argv, &i, &a);
        cli_exit code = take_argument(command, out_options, &a);
        if (code != CLI_DONE) {
            return code;
        }
    }
    return check_all(command, out_options);
}
