// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab.h"

#include "cli/parts/checks.h"
#include "cli/parts/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool take_number(cli_lab_options* lab, const char* name, const char* value) {
    const struct {
        const char* name;
        double* target;
    } numbers[] = {{"--pitch", &lab->pitch},
                   {"--rms", &lab->surface.rms_height},
                   {"--hurst", &lab->surface.hurst},
                   {"--roll-off", &lab->surface.roll_off},
                   {"--shortest", &lab->surface.shortest},
                   {"--longest", &lab->surface.longest},
                   {"--radius", &lab->surface.radius},
                   {"--height-unit", &lab->height_unit},
                   {"--contact-modulus", &lab->modulus},
                   {"--tolerance", &lab->tolerance}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        if (strcmp(numbers[i].name, name) == 0) {
            lab->making = i >= 1 && i <= 6 ? numbers[i].name : lab->making;
            return cli_parse_positive(value, numbers[i].target) &&
                   (strcmp(name, "--hurst") != 0 || *numbers[i].target <= 1.0) &&
                   (strcmp(name, "--tolerance") != 0 ||
                    (*numbers[i].target >= 1e-14 && *numbers[i].target <= 0.1));
        }
    }
    return false;
}

// LOW or LOW:HIGH:N
static bool take_loads(cli_lab_options* lab, const char* value) {
    char text[128];
    char* parts[3] = {text, NULL, NULL};
    if (strlen(value) >= sizeof text) {
        return false;
    }
    memcpy(text, value, strlen(value) + 1);
    int count = 1;
    for (char* c = strchr(text, ':'); c != NULL && count < 3; c = strchr(c + 1, ':')) {
        *c = '\0';
        parts[count++] = c + 1;
    }
    double points = 1.0;
    bool is_good = cli_parse_positive(parts[0], &lab->load_low);
    lab->load_high = lab->load_low;
    if (count == 3) {
        is_good = is_good && cli_parse_positive(parts[1], &lab->load_high) &&
                  cli_parse_whole(parts[2], 2.0, 1000.0, &points) && lab->load_low < lab->load_high;
    }
    lab->load_count = is_good ? (int)points : 0;
    return is_good && count != 2;
}

// A:B, the shear stress A + B p.
static bool take_shear(const char* value, iso_trib_binomial* out) {
    char text[128];
    const char* colon = strchr(value, ':');
    if (colon == NULL || strlen(value) >= sizeof text) {
        return false;
    }
    memcpy(text, value, strlen(value) + 1);
    text[colon - value] = '\0';
    return cli_parse_not_negative(text, &out->a) &&
           cli_parse_not_negative(text + (colon - value) + 1, &out->b);
}

bool cli_lab_take(cli_options* options, const char* name, const char* value) {
    static const char* const kinds[] = {"white", "pink", "self-affine", "sine", "sphere"};
    cli_lab_options* lab = &options->lab;
    double number = 0.0;
    if (strcmp(name, "--kind") == 0) {
        for (int i = 0; i < 5; ++i) {
            if (strcmp(value, kinds[i]) == 0) {
                lab->surface.kind = (iso_lab_kind)i;
                lab->making = "--kind";
                lab->has_kind = true;
                return true;
            }
        }
        return false;
    }
    if (strcmp(name, "--points") == 0) {
        bool is_good = cli_parse_whole(value, 4.0, 8192.0, &number);
        lab->surface.rows = lab->surface.columns = is_good ? (int)number : 4;
        lab->making = "--points";
        lab->has_points = true;
        return is_good;
    }
    if (strcmp(name, "--seed") == 0) {
        bool is_good = cli_parse_whole(value, 0.0, 0x1p53, &number);
        lab->surface.seed = is_good ? (uint64_t)number : 0;
        lab->making = lab->making != NULL ? lab->making : "--seed"; // another one says more
        return is_good;
    }
    if (strcmp(name, "--shear") == 0) {
        lab->has_shear = true;
        return take_shear(value, &lab->shear);
    }
    if (strcmp(name, "--load") == 0) {
        return take_loads(lab, value);
    }
    static const char* const models[] = {"svr", "gp"};
    static const char* const features[] = {"raw", "standard", "log"};
    static const char* const scenes[] = {"incline", "slide", "diagonal", "stack", "table", "rod"};
    if (strcmp(name, "--model") == 0) {
        int found = cli_find_word(models, 2, value);
        lab->model = (iso_learned_kind)found;
        return found >= 0;
    }
    if (strcmp(name, "--features") == 0) {
        int found = cli_find_word(features, 3, value);
        lab->features = (iso_learned_features)found;
        return found >= 0;
    }
    if (strcmp(name, "--scene") == 0) {
        lab->scene = value;
        return cli_find_word(scenes, 6, value) >= 0;
    }
    const struct {
        const char* name;
        const char** target;
    } paths[] = {{"--from", &lab->from}, {"--pair", &lab->pair}, {"--table", &lab->table}};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        if (strcmp(paths[i].name, name) == 0) {
            *paths[i].target = value;
            return value[0] != '\0';
        }
    }
    int taken = cli_slide_take(&lab->slide, name, value);
    return taken != 0 ? taken > 0 : take_number(lab, name, value);
}

static iso_status make_surface(cli_session* session, const cli_options* options,
                               iso_lab_surface* out) {
    const cli_lab_options* lab = &options->lab;
    if (lab->from != NULL) {
        return iso_lab_surface_read(session->ctx, lab->from, lab->pitch, lab->height_unit, out);
    }
    iso_lab_surface_desc desc = lab->surface;
    bool is_slide = strcmp(options->input, "slide") == 0;
    bool is_flat = !is_slide || !cli_slide_is_in_space(&lab->slide);
    int across = cli_slide_across(&lab->slide, desc.columns) + 1;
    desc.rows = lab->is_profile || (is_slide && is_flat) ? 1 : is_slide ? across : desc.rows;
    desc.columns += is_slide ? 1 : 0; // whole pitches, so that meshes grow coarse by halves
    desc.pitch = lab->pitch > 0.0 ? lab->pitch : desc.pitch;
    return iso_lab_surface_make(session->ctx, &desc, out);
}

/// given: with the experiment as it was asked for, not as a preset calls it.
static void report_useless(const cli_options* given, const char* name) {
    char where[128];
    (void)snprintf(where, sizeof where, "for 'lab %s'%s", given->input,
                   given->lab.from != NULL ? " --from FILE" : "");
    (void)cli_report_useless(name, where);
}

// Experiments that need no surface. Returns whether it was one.
static bool run_plain(const cli_options* given, const cli_options* options, cli_exit* out_code) {
    static const struct {
        const char* name;
        cli_exit (*run)(cli_session*, const cli_options*);
    } experiments[] = {{"learn", cli_lab_learn}, {"rigid", cli_lab_rigid}, {"e1", cli_lab_e1}};
    for (size_t i = 0; i < sizeof experiments / sizeof experiments[0]; ++i) {
        if (strcmp(options->input, experiments[i].name) != 0) {
            continue;
        }
        const cli_slide_options* slide = &options->lab.slide;
        const char* useless = i == 2 ? cli_slide_find_useless(slide, slide) : NULL;
        if (useless != NULL) {
            report_useless(given, useless);
            *out_code = CLI_USAGE;
            return true;
        }
        cli_session session;
        *out_code = cli_session_open(&session, options);
        if (*out_code == CLI_DONE) {
            *out_code = experiments[i].run(&session, options);
            cli_session_close(&session);
        }
        return true;
    }
    return false;
}

// Mean pressures beyond the modulus are no contact of rough surfaces, and no solver converges.
static bool is_load_borne(const cli_options* options) {
    const cli_lab_options* lab = &options->lab;
    bool is_slide = strcmp(options->input, "slide") == 0;
    double young =
        lab->slide.young > 0.0 ? lab->slide.young : iso_lab_slide_desc_default().lower.young;
    double upper = lab->slide.upper_young > 0.0 ? lab->slide.upper_young : young;
    double modulus = lab->modulus > 0.0 ? lab->modulus : CLI_CONTACT_MODULUS;
    double most = is_slide ? fmin(young, upper) : modulus;
    if (lab->load_count == 0 || lab->load_high <= most) {
        return true;
    }
    cli_error("--load is %g Pa, expected at most %s, %g Pa\n", lab->load_high,
              is_slide ? "Young's modulus of the blocks" : "the contact modulus", most);
    return false;
}

// Told before surfaces are made: blocks in space have six tetrahedra for each pitch along and
// across.
static bool are_points_few(const cli_options* options) {
    enum { most = 1000000 };
    const cli_lab_options* lab = &options->lab;
    int across = cli_slide_across(&lab->slide, lab->surface.columns);
    double count = (double)lab->surface.columns * across;
    if (strcmp(options->input, "slide") != 0 || lab->from != NULL ||
        !cli_slide_is_in_space(&lab->slide) || count <= most) {
        return true;
    }
    cli_error("--points %d by %d across are %.3g points, expected at most %d of blocks in "
              "space\n",
              lab->surface.columns, across, count, (int)most);
    return false;
}

// The upper block is the shorter one, and has no wave longer than itself.
static bool are_waves_short(const cli_options* options) {
    const cli_lab_options* lab = &options->lab;
    double pitch = lab->pitch > 0.0 ? lab->pitch : lab->surface.pitch;
    double most = (lab->slide.upper_points + 1.0) * pitch;
    if (strcmp(options->input, "slide") != 0 || lab->from != NULL ||
        !(lab->slide.upper_points > 0.0) || lab->surface.longest <= most * (1.0 + 1e-12)) {
        return true;
    }
    cli_error("--longest is %g m, expected at most the length of the upper block, "
              "%g m\n",
              lab->surface.longest, most);
    return false;
}

cli_exit cli_lab(const cli_options* given) {
    cli_options filled = *given;
    const cli_options* options = &filled;
    cli_exit plain = CLI_DONE;
    cli_lab_preset(&filled);
    if (run_plain(given, options, &plain)) {
        return plain;
    }
    static const struct {
        const char* name;
        cli_exit (*run)(cli_session*, const cli_options*, const iso_lab_surface*);
        int array_count; // of its -o
    } experiments[] = {{"surface", cli_lab_surface, 1},
                       {"contact", cli_lab_contact, 4},
                       {"slide", cli_lab_slide, 2}};
    int found = -1;
    for (int i = 0; i < 3; ++i) {
        found = strcmp(options->input, experiments[i].name) == 0 ? i : found;
    }
    if (found < 0) {
        (void)cli_require_experiment(options->input);
        return CLI_USAGE;
    }
    const char* useless = options->lab.from != NULL ? options->lab.making : NULL;
    if (useless == NULL && found == 2) {
        useless = cli_slide_find_useless(&given->lab.slide, &options->lab.slide);
    }
    if (useless != NULL) {
        report_useless(given, useless);
        return CLI_USAGE;
    }
    if (!is_load_borne(options) || !are_points_few(options) || !are_waves_short(options)) {
        return CLI_BAD_INPUT;
    }
    cli_session session;
    cli_exit code = cli_session_open(&session, options);
    if (code != CLI_DONE) {
        return code;
    }
    iso_lab_surface surface;
    iso_status status = ISO_OK;
    if (options->output != NULL) { // before the work of which nothing would be left
        status = iso_lab_arrays_check(session.ctx, options->output, experiments[found].array_count);
    }
    if (status == ISO_OK) {
        status = make_surface(&session, options, &surface);
    }
    if (status != ISO_OK) {
        code = cli_report(&session, status);
    } else {
        code = experiments[found].run(&session, options, &surface);
        iso_lab_surface_free(session.ctx, &surface);
    }
    cli_session_close(&session);
    return code;
}
