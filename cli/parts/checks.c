// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/checks.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// --- outputs -------------------------------------------------------------------------------------

/// The row that names the command or experiment counts, then the one that names none.
static const struct {
    const char *option, *of, *endings;
} k_outputs[] = {
    {"-o", " compare view ", ".html .htm"},
    {"-o", " sweep ", ".csv"},
    {"-o", " render ", ".webm .mp4 .gif .mkv .mov .avi .png .npz"},
    {"-o", " prepare ", ".vtk .vtu"},
    {"-o", " identify ", ".svg"},
    {"-o", " surface ", ".csv .npz"},
    {"-o", " learn e4 ", ".json"},
    {"-o", " rigid ", ".hdf5 .h5"},
    {"-o", NULL, ".npz"},
    {"--record", NULL, ".mcap"},
    {"--page", NULL, ".html .htm"},
    {"--film", NULL, ".html .htm"},
    {"--report", NULL, ".html .htm"},
    {"--table", NULL, ".csv"},
    {"--sdf", NULL, ".sdf .world"},
    {"--urdf", NULL, ".urdf"},
    {"--save", NULL, ""},
    {"--state", NULL, ""},
    {"--log", NULL, ""},
    {"--csv", NULL, "/"},
    {"--vtk", NULL, "/"},
    {"--deformed", NULL, "/"},
};
enum { k_output_count = (int)(sizeof k_outputs / sizeof k_outputs[0]) };

const char* cli_output_endings(const char* topic, const char* option) {
    for (int i = 0; i < k_output_count; ++i) {
        bool is_meant = k_outputs[i].of == NULL || cli_has_word(k_outputs[i].of, topic);
        if (strcmp(k_outputs[i].option, option) == 0 && is_meant) {
            return k_outputs[i].endings;
        }
    }
    return NULL;
}

/// The endings of an option that was given and stands for a file or a folder; NULL: of none.
/// `prepare` leaves out what is 'none'.
static const char* endings_of(const cli_options* options, const char* topic, int option) {
    const char *name = k_cli_options[option].name, *path = options->given[option];
    bool may_be_none = cli_has_word(" --sdf --urdf --report ", name);
    bool is_file = path != NULL && !(may_be_none && strcmp(path, "none") == 0);
    return is_file ? cli_output_endings(topic, name) : NULL;
}

/// Is there more of the name than the ending, in letters of any size?
static bool ends_so(const char* path, const char* endings) {
    const char* slash = strrchr(path, '/');
    const char* name = slash != NULL ? slash + 1 : path;
    size_t size = strlen(name);
    for (const char* at = endings; *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (size > length && strncasecmp(name + size - length, at, length) == 0) {
            return true;
        }
        at += length + strspn(at + length, " ");
    }
    return false;
}

static void print_endings(const char* endings) {
    for (const char* at = endings; *at != '\0';) {
        size_t length = strcspn(at, " ");
        const char* next = at + length + strspn(at + length, " ");
        bool is_last = *next != '\0' && next[strcspn(next, " ")] == '\0';
        fprintf(stderr, "%.*s%s", (int)length, at, is_last ? " or " : *next != '\0' ? ", " : "");
        at = next;
    }
}

/// A pipe or a device has the name that it has; of a folder there is more to say.
static bool is_no_file(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

cli_exit cli_check_endings(const cli_options* options, const char* topic) {
    for (int i = 0; i < k_cli_option_count; ++i) {
        const char* endings = endings_of(options, topic, i);
        if (endings == NULL || endings[0] != '.' || ends_so(options->given[i], endings) ||
            is_no_file(options->given[i])) {
            continue;
        }
        cli_error("%s is '%s', expected a name that ends in ", k_cli_options[i].name,
                  options->given[i]);
        print_endings(endings);
        fputc('\n', stderr);
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/// 0, or why a file, or a folder, of that name cannot come to be.
static int place_error(const char* path, bool is_folder) {
    struct stat info;
    if (stat(path, &info) == 0) {
        bool is_there = S_ISDIR(info.st_mode);
        return is_folder && is_there ? (access(path, W_OK | X_OK) == 0 ? 0 : errno)
               : is_folder           ? ENOTDIR
               : is_there            ? EISDIR
                                     : 0;
    }
    size_t length = strlen(path);
    while (is_folder && length > 1 && path[length - 1] == '/') {
        --length;
    }
    while (length > 0 && path[length - 1] != '/') {
        --length;
    }
    char folder[4096] = ".";
    if (length >= sizeof folder) {
        return ENAMETOOLONG;
    }
    if (length > 0) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    return access(folder, W_OK | X_OK) == 0 ? 0 : errno;
}

cli_exit cli_check_places(const cli_options* options, const char* topic) {
    for (int i = 0; i < k_cli_option_count; ++i) {
        const char* endings = endings_of(options, topic, i);
        bool is_folder = endings != NULL && endings[0] == '/';
        int error = endings != NULL ? place_error(options->given[i], is_folder) : 0;
        if (error == 0) {
            continue;
        }
        cli_error("%s: %s cannot be made there: %s\n", options->given[i], k_cli_options[i].name,
                  strerror(error));
        return CLI_BAD_INPUT;
    }
    return CLI_DONE;
}

// --- options without effect ----------------------------------------------------------------------

/// An option counts where another one is, or is not, one of some words.
typedef struct rule {
    const char* of;     ///< commands and experiments, with spaces; NULL: all
    const char* option; ///<
    const char* other;  ///< on which it depends
    const char* words;  ///< values of the other with which it counts, with spaces; NULL: any
    const char* unsaid; ///< what the other is where it is not given; NULL: not one of the words
    bool is_against;    ///< it counts where the other is none of the words
} rule;

#define NOISE " white pink self-affine "
static const rule k_rules[] = {
    {NULL, "--verbose", "--quiet", NULL, NULL, true},
    {NULL, "--hash", "--json", NULL, NULL, true},
    {" run ", "--frame-rate", "--record", NULL, NULL, false},
    {" run ", "--size-limit", "--record", NULL, NULL, false},
    {" run ", "--no-faces", "--record", NULL, NULL, false},
    {" run ", "--exact-energy", "--record", NULL, NULL, false},
    {" run ", "--json-contacts", "--record", NULL, NULL, false},
    {" compare ", "--frame-rate", "-o", NULL, NULL, false},
    {" compare ", "--size-limit", "-o", NULL, NULL, false},
    {" compare ", "--no-faces", "-o", NULL, NULL, false},
    {" prepare ", "--gmsh", "--mesher", " auto gmsh ", "auto", false},
    {" prepare ", "--python", "--mesher", " auto ftetwild ", "auto", false},
    {" prepare ", "--grading", "--mesher", " auto gmsh ", "auto", false},
    {" surface contact slide ", "--hurst", "--kind", " self-affine ", "self-affine", false},
    {" surface contact slide ", "--roll-off", "--kind", " self-affine ", "self-affine", false},
    {" e1 e2 e3 ", "--hurst", "--kind", " self-affine ", NULL, false},
    {" e1 e2 e3 ", "--roll-off", "--kind", " self-affine ", NULL, false},
    {NULL, "--radius", "--kind", " sphere ", NULL, false},
    {NULL, "--rms", "--kind", " sphere ", NULL, true},
    {NULL, "--longest", "--kind", " sphere ", NULL, true},
    {NULL, "--shortest", "--kind", " sphere sine ", NULL, true},
    {" surface contact slide e1 e2 e3 ", "--seed", "--kind", " sphere sine ", NULL, true},
    {" surface contact slide e2 e3 ", "--height-unit", "--from", NULL, NULL, false},
    {" rigid ", "--scene", "--from", NULL, NULL, true},
    {" rigid ", "--table", "--from", NULL, NULL, true},
    {" rigid ", "--table", "-o", NULL, NULL, true},
    {" slide e2 e3 e1 ", "--load", "--press", NULL, NULL, true},
    {" slide e2 e3 ", "--beta", "--damp-highest", NULL, NULL, true},
    {" slide e2 ", "--travel", "--force-rate", NULL, NULL, true},
    {" slide e2 ", "--tow", "--force-rate", NULL, NULL, true},
    {" e1 e3 ", "--travel", "--force-rate", NULL, "their own", true},
    {" e1 e3 ", "--tow", "--force-rate", NULL, "their own", true},
    {" slide e2 e3 ", "--page", "--surfaces", NULL, NULL, true},
};
enum { k_rule_count = (int)(sizeof k_rules / sizeof k_rules[0]) };

cli_exit cli_report_useless(const char* option, const char* where) {
    cli_error("%s does nothing %s, expected without\n", option, where);
    return CLI_USAGE;
}

static bool counts(const rule* r, const cli_options* options) {
    const char* value = cli_given(options, r->other);
    value = value != NULL ? value : r->unsaid;
    bool is_so = value != NULL && (r->words == NULL || cli_has_word(r->words, value));
    return is_so != r->is_against;
}

cli_exit cli_check_effects(const cli_options* options, const char* topic) {
    for (int i = 0; i < k_rule_count; ++i) {
        const rule* r = &k_rules[i];
        bool is_meant = r->of == NULL || cli_has_word(r->of, topic);
        if (!is_meant || cli_given(options, r->option) == NULL || counts(r, options)) {
            continue;
        }
        const char* value = cli_given(options, r->other);
        if (value == NULL && r->words == NULL && !r->is_against) {
            cli_error("%s is given without %s FILE\n", r->option, r->other);
            return CLI_USAGE;
        }
        char where[512];
        (void)snprintf(where, sizeof where, "%s %s%s%s",
                       r->is_against || value ? "with" : "without", r->other,
                       value != NULL && value[0] != '\0' && r->words != NULL ? " " : "",
                       value != NULL && r->words != NULL ? value : "");
        return cli_report_useless(r->option, where);
    }
    return CLI_DONE;
}
