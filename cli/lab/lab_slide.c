// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab_slide.h"

#include "cli/lab/lab.h"
#include "cli/lab/lab_film.h"
#include "cli/parts/json_output.h"
#include "cli/parts/plot_page.h"
#include "cli/parts/progress.h"
#include "cli/parts/session.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Steps between two states that are kept.
enum { STEPS_BETWEEN = 20 };

typedef struct slide_run {
    cli_session* session;
    const cli_options* options;
    iso_lab_slide_desc desc;
    iso_lab_slide* slide;
    iso_lab_slide_info info;
    int64_t step_count; ///< in all
    slide_rows rows;
    lab_film film;
    int kept; ///< rows that lie in the file
    char rows_path[4096];
} slide_run;

int cli_slide_take(cli_slide_options* slide, const char* name, const char* value) {
    const struct {
        const char* name;
        double* target;
        bool may_be_zero, is_signed;
    } numbers[] = {{"--young", &slide->young, false, false},
                   {"--upper-young", &slide->upper_young, false, false},
                   {"--poisson", &slide->poisson, false, true},
                   {"--block-density", &slide->density, false, false},
                   {"--alpha", &slide->alpha, true, false},
                   {"--beta", &slide->beta, true, false},
                   {"--height", &slide->height, false, false},
                   {"--gravity", &slide->gravity, true, false},
                   {"--speed", &slide->speed, false, false},
                   {"--travel", &slide->travel, false, false},
                   {"--force-rate", &slide->force_rate, false, false},
                   {"--step", &slide->step, false, false},
                   {"--friction-local", &slide->friction, true, false},
                   {"--tow", &slide->tow, false, false},
                   {"--upper-points", &slide->upper_points, false, false},
                   {"--settle", &slide->settle, false, false},
                   {"--surfaces", &slide->surfaces, false, false},
                   {"--dimension", &slide->dimension, false, false},
                   {"--across", &slide->across, false, false},
                   {"--reach", &slide->reach, false, false},
                   {"--contact-stiffness", &slide->stiffness, false, false},
                   {"--press", &slide->press, false, false},
                   {"--sample", &slide->sample, false, false},
                   {"--hold", &slide->hold, false, false}};
    if (strcmp(name, "--film") == 0 || strcmp(name, "--series") == 0) {
        *(name[2] == 'f' ? &slide->film : &slide->series) = value;
        return value[0] != '\0' ? 1 : -1;
    }
    if (strcmp(name, "--state") == 0 || strcmp(name, "--method") == 0) {
        bool is_state = name[2] == 's';
        *(is_state ? &slide->state : &slide->method) = value;
        bool is_known = strcmp(value, "implicit") == 0 || strcmp(value, "explicit") == 0;
        return (is_state ? value[0] != '\0' : is_known) ? 1 : -1;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        if (strcmp(name, numbers[i].name) != 0) {
            continue;
        }
        bool is_minus = numbers[i].is_signed && value[0] == '-';
        bool is_good = numbers[i].may_be_zero || numbers[i].is_signed
                           ? cli_parse_not_negative(value + is_minus, numbers[i].target)
                           : cli_parse_positive(value, numbers[i].target);
        *numbers[i].target *= is_minus ? -1.0 : 1.0;
        const double* target = numbers[i].target;
        bool is_count = target == &slide->upper_points || target == &slide->settle ||
                        target == &slide->surfaces || target == &slide->across ||
                        target == &slide->dimension;
        is_good = is_good && (!is_count || (*target == floor(*target) && *target <= 65536.0));
        is_good = is_good && (target != &slide->dimension || *target == 2.0 || *target == 3.0);
        return is_good ? 1 : -1;
    }
    return 0;
}

static double or_else(double given, double otherwise) {
    return given != 0.0 ? given : otherwise;
}

bool cli_slide_is_in_space(const cli_slide_options* slide) {
    return slide->dimension == 3.0;
}

const char* cli_slide_find_useless(const cli_slide_options* given,
                                   const cli_slide_options* filled) {
    bool is_in_space = cli_slide_is_in_space(filled);
    bool is_explicit = filled->method != NULL && strcmp(filled->method, "explicit") == 0;
    const struct {
        bool is_useless;
        const char* name;
    } rows[] = {{given->across > 0.0 && !is_in_space, "--across"},
                {given->sample > 0.0 && !is_explicit, "--sample"},
                {given->is_printed && !is_explicit, "--printed"},
                {given->threads > 1.0 && is_explicit, "--threads"},
                {given->hold > 0.0 && !(is_explicit && is_in_space), "--hold"},
                {given->film != NULL && given->surfaces > 1.0, "--film"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].is_useless) {
            return rows[i].name;
        }
    }
    return NULL;
}

// Whole pitches that can be halved.
static int third_of(int points) {
    return 8 * (points / 24 > 0 ? points / 24 : 1);
}

int cli_slide_across(const cli_slide_options* slide, int points) {
    return (int)or_else(slide->across, third_of(points));
}

int cli_slide_upper(const cli_slide_options* slide, int points) {
    return (int)or_else(slide->upper_points, third_of(points));
}

static void fill_desc(const cli_options* options, const iso_lab_surface* lower,
                      const iso_lab_surface* upper, iso_lab_slide_desc* d) {
    const cli_slide_options* o = &options->lab.slide;
    *d = iso_lab_slide_desc_default();
    iso_lab_block* blocks[2] = {&d->lower, &d->upper};
    for (int i = 0; i < 2; ++i) {
        iso_lab_block* b = blocks[i];
        b->surface = i ? upper : lower;
        b->height = or_else(o->height, (cli_slide_is_in_space(o) ? 8.0 : 24.0) * lower->pitch);
        b->young = or_else(o->young, b->young);
        b->poisson = or_else(o->poisson, b->poisson);
        b->density = or_else(o->density, b->density);
        b->mass_damping = o->alpha;
        b->stiffness_damping = o->beta;
    }
    d->upper.young = or_else(o->upper_young, d->upper.young);
    double length = upper->pitch * (upper->columns - 1); // in space the area
    length *= upper->rows > 1 ? upper->pitch * (upper->rows - 1) : 1.0;
    bool is_idle = options->lab.load_count == 0 && o->gravity == 0.0;
    d->load = length * (is_idle ? 0.01 * d->upper.young : options->lab.load_low);
    d->load = or_else(o->press, d->load);
    d->sample_step = o->sample;
    d->hold_time = o->hold;
    d->damps_highest = o->is_damped;
    d->gravity = o->gravity;
    d->speed = or_else(o->speed, d->speed);
    d->drive = o->force_rate > 0.0 ? ISO_LAB_DRIVE_FORCE : ISO_LAB_DRIVE_SPEED;
    d->rate = or_else(o->force_rate, d->rate);
    d->tow = o->tow;
    d->step = o->step;
    d->friction = o->friction;
    d->reach = o->reach;
    d->stiffness = o->stiffness;
    d->keep_printed = o->is_printed;
    d->thread_count = (int)or_else(o->threads, d->thread_count);
    d->settle_steps = o->settle > 0.0 ? (int)o->settle : d->settle_steps;
    d->method = o->method && strcmp(o->method, "explicit") == 0 ? ISO_LAB_METHOD_EXPLICIT
                                                                : ISO_LAB_METHOD_IMPLICIT;
}

static iso_status write_table(const slide_run* r, const char* path) {
    cli_text text;
    if (!cli_text_open(&text)) {
        return ISO_ERR_MEMORY;
    }
    slide_rows_print_head(text.file);
    for (int i = 0; i < r->rows.count; ++i) {
        slide_rows_print(text.file, &r->rows.data[i]);
    }
    return cli_text_close(r->session->ctx, &text, path);
}

// State and rows so far: rows first, so that a state never lacks any.
static iso_status keep(slide_run* r) {
    iso_context* ctx = r->session->ctx;
    const char* path = r->options->lab.slide.state;
    if (r->kept == 0) { // at once: what killed it leaves the rows of before
        iso_status status = write_table(r, r->rows_path);
        r->kept = r->rows.count;
        return status == ISO_OK ? iso_lab_slide_save(ctx, r->slide, path) : status;
    }
    FILE* file = fopen(r->rows_path, "a");
    if (file == NULL) {
        cli_error("%s: %s\n", r->rows_path, strerror(errno));
        return ISO_ERR_IO;
    }
    for (; r->kept < r->rows.count; ++r->kept) {
        slide_rows_print(file, &r->rows.data[r->kept]);
    }
    bool is_good = ferror(file) == 0;
    is_good = fclose(file) == 0 && is_good;
    if (!is_good) {
        cli_error("%s: could not be written\n", r->rows_path);
        return ISO_ERR_IO;
    }
    return iso_lab_slide_save(ctx, r->slide, path);
}

// Cut off the part of a row that a process left that was killed as it wrote.
static void cut_part_of_row(const char* path) {
    FILE* file = fopen(path, "r+b");
    long end = 0, at = 0;
    for (int c = file != NULL ? fgetc(file) : EOF; c != EOF; c = fgetc(file)) {
        ++at;
        end = c == '\n' ? at : end;
    }
    if (file != NULL) {
        bool is_whole = end == at || end == 0 || ftruncate(fileno(file), end) == 0;
        (void)is_whole; // else the reader says what is wrong
        fclose(file);
    }
}

// Go on from a state that is there: its rows are those that lie beside it, less what came after.
static iso_status go_on(slide_run* r) {
    const char* path = r->options->lab.slide.state;
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return ISO_OK;
    }
    fclose(file);
    iso_table table = {0};
    iso_status status = iso_lab_slide_restore(r->session->ctx, r->slide, path);
    if (status == ISO_OK) {
        cut_part_of_row(r->rows_path);
        status = iso_table_read(r->session->ctx, r->rows_path, &table);
    }
    int64_t done = iso_lab_slide_steps(r->slide);
    if (status == ISO_OK &&
        (table.row_count < done ||
         !slide_rows_parse(&r->rows, table.values, (int)done, table.column_count))) {
        cli_error("%s: %d rows of %d columns, expected %lld of %d; another version's "
                  "have fewer\n",
                  r->rows_path, table.row_count, table.column_count, (long long)done,
                  SLIDE_COLUMNS + 1);
        status = ISO_ERR_PARSE;
    }
    iso_table_destroy(r->session->ctx, &table);
    return status;
}

// All steps. A force ends when the block slides; a speed after its travel.
static iso_status run_steps(slide_run* r) {
    bool keeps = r->rows_path[0] != '\0';
    progress p = progress_begin(r->options, "slide", r->step_count, r->info.sample_step);
    p.unit = "steps";
    p.advice = "a larger --step or --speed, a smaller --travel, or fewer --points take less";
    iso_status status = ISO_OK;
    int64_t done = iso_lab_slide_steps(r->slide);
    bool has_slid = false;
    if (r->options->lab.slide.film != NULL &&
        !lab_film_open(&r->film, &r->info, iso_lab_slide_view_of(r->slide), r->step_count - done)) {
        status = ISO_ERR_MEMORY;
    }
    for (; status == ISO_OK && done < r->step_count && !has_slid; ++done) {
        iso_lab_slide_sample sample;
        status = iso_lab_slide_step(r->session->ctx, r->slide, &sample);
        if (status != ISO_OK) {
            break;
        }
        if (!slide_rows_add(&r->rows, &sample)) {
            status = ISO_ERR_MEMORY;
        }
        if (r->film.text.file != NULL && !lab_film_step(&r->film, &r->info, r->slide, &sample)) {
            status = ISO_ERR_MEMORY;
        }
        bool is_force = r->desc.drive == ISO_LAB_DRIVE_FORCE;
        has_slid = is_force && sample.is_sliding && sample.time > 0.0;
        if (status == ISO_OK && keeps && (done + 1) % STEPS_BETWEEN == 0) {
            status = keep(r);
        }
        progress_update(&p, done + 1, sample.time);
    }
    progress_end(&p, done, (double)done * r->info.sample_step);
    return status == ISO_OK && keeps ? keep(r) : status;
}

static void draw_blocks(FILE* file, const slide_run* r) {
    iso_lab_slide_view view = iso_lab_slide_view_of(r->slide);
    if (r->info.dimension == 3) {
        return; // `--film` draws them
    }
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, most = 0.0;
    for (int i = 0; i < 2 * r->info.vertex_count; ++i) {
        low[i % 2] = fmin(low[i % 2], view.places[i]);
        high[i % 2] = fmax(high[i % 2], view.places[i]);
    }
    for (int i = 0; i < r->info.element_count; ++i) {
        most = fmax(most, view.energies[i]);
    }
    double scale = 980.0 / (high[0] - low[0]);
    fprintf(file,
            "<h2>Blocks at the end</h2><p>Colour: root of the elastic energy density, up to %.3g "
            "J/m^3.</p><svg width='980' height='%.0f' style='overflow:visible'>\n",
            most, scale * (high[1] - low[1]));
    for (int i = 0; i < r->info.element_count; ++i) {
        double share = most > 0.0 ? sqrt(view.energies[i] / most) : 0.0;
        fprintf(file, "<path fill='hsl(%.0f 80%% %.0f%%)' d='M", 220.0 - 220.0 * share,
                85.0 - 35.0 * share);
        for (int k = 0; k < 3; ++k) {
            const double* p = view.places + 2 * view.elements[3 * i + k];
            fprintf(file, "%.1f %.1f ", scale * (p[0] - low[0]), scale * (high[1] - p[1]));
        }
        fprintf(file, "Z'/>\n");
    }
    fprintf(file, "</svg>\n");
}

static iso_status write_page(const slide_run* r, const double* columns, const char* path) {
    plot_page page;
    if (!plot_page_open(&page, "Sliding rough blocks")) {
        return ISO_ERR_MEMORY;
    }
    int n = r->rows.count;
    slide_summary s =
        slide_rows_summary(&r->rows, r->desc.drive == ISO_LAB_DRIVE_FORCE, r->info.normal_force);
    double* ratio = calloc((size_t)n + 1, sizeof *ratio);
    for (int i = 0; ratio != NULL && i < n; ++i) {
        ratio[i] = columns[6 * n + i] / columns[5 * n + i];
    }
    fprintf(page.file,
            "<table><tr><td>elements<td>%d<tr><td>step<td>%.3g s, the longest stable explicit one "
            "is %.3g s<tr><td>static friction<td>%s<tr><td>kinetic friction (4.1)<td>%s, "
            "standard error of four parts of its way %s<tr><td>of it the slope of its "
            "way<td>%s</table>\n",
            r->info.element_count, r->info.step, r->info.stable_step,
            slide_number_of(s.mu_static).text, slide_number_of(s.mu_kinetic).text,
            slide_number_of(s.spread).text, slide_number_of(s.slope).text);
    if (ratio != NULL) {
        plot_page_plot(&page, "Friction", "time [s]", "tangential over normal force", columns,
                       ratio, n, false);
    }
    plot_page_plot(&page, "Normal force", "time [s]", "[N/m]", columns, columns + 5 * n, n, false);
    plot_page_plot(&page, "Travel", "time [s]", "[m]", columns, columns + 2 * n, n, false);
    draw_blocks(page.file, r);
    free(ratio);
    return plot_page_close(r->session->ctx, &page, path);
}

static iso_status write_arrays(slide_run* r, const double* columns, const char* path) {
    iso_lab_array arrays[SLIDE_COLUMNS + 4];
    iso_lab_slide_view view = iso_lab_slide_view_of(r->slide);
    int n = r->info.element_count, count = SLIDE_COLUMNS, d = r->info.dimension;
    double* elements = calloc((size_t)n * (size_t)(d + 1), sizeof *elements);
    if (elements == NULL) {
        return ISO_ERR_MEMORY;
    }
    for (int i = 0; i < (d + 1) * n; ++i) {
        elements[i] = view.elements[i];
    }
    for (int i = 0; i < count; ++i) {
        arrays[i] =
            (iso_lab_array){slide_rows_column(i), columns + i * r->rows.count, r->rows.count, 1};
    }
    arrays[count++] = (iso_lab_array){"places", view.places, r->info.vertex_count, d};
    arrays[count++] = (iso_lab_array){"elements", elements, n, d + 1};
    arrays[count++] = (iso_lab_array){"energies", view.energies, n, 1};
    arrays[count++] = (iso_lab_array){"stresses", view.stresses, r->info.vertex_count, 1};
    iso_status status = iso_lab_arrays_write(r->session->ctx, path, arrays, count);
    free(elements);
    return status;
}

static json_t* number_json(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t* summary_json(const slide_run* r) {
    slide_summary s =
        slide_rows_summary(&r->rows, r->desc.drive == ISO_LAB_DRIVE_FORCE, r->info.normal_force);
    const iso_lab_slide_info* i = &r->info;
    return json_pack(
        "{s:i,s:i,s:i,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:i,s:o,s:o,s:o,s:o,s:o,s:f,s:o,s:o,s:o,s:o,s:f,"
        "s:i}",
        "vertices", i->vertex_count, "elements", i->element_count, "steps", r->rows.count, "step",
        i->step, "stable_step", i->stable_step, "reach", i->reach, "stiffness", i->stiffness,
        "normal_force", i->normal_force, "critical_alpha", i->critical_alpha, "critical_beta",
        i->critical_beta, "newton_steps", s.newton_count, "static_friction",
        number_json(s.mu_static), "kinetic_friction", number_json(s.mu_kinetic), "kinetic_error",
        number_json(s.spread), "slope", number_json(s.slope), "onset", number_json(s.onset),
        "travel", s.travel, "transverse", number_json(s.transverse), "transverse_error",
        number_json(s.transverse_spread), "held", number_json(s.held), "peak_friction",
        number_json(s.mu_peak), "peak_time", s.peak_time, "contacts",
        r->rows.count > 0 ? r->rows.data[r->rows.count - 1].contact_count : 0);
}

static void print_summary(const slide_run* r) {
    slide_summary s =
        slide_rows_summary(&r->rows, r->desc.drive == ISO_LAB_DRIVE_FORCE, r->info.normal_force);
    const iso_lab_slide_info* i = &r->info;
    printf("mesh              %d %s, %d vertices\n", i->element_count,
           i->dimension == 3 ? "tetrahedra" : "triangles", i->vertex_count);
    printf("step              %.3g s, %.3g times the longest stable explicit one\n", i->step,
           i->step / i->stable_step);
    printf("critical damping  alpha %.3g 1/s, beta %.3g s\n", i->critical_alpha, i->critical_beta);
    printf("normal force      %.4g N%s\n", i->normal_force, i->dimension == 3 ? "" : "/m");
    printf("travel            %.4g m in %d steps, %d Newton steps\n", s.travel, r->rows.count,
           s.newton_count);
    printf("static friction   %s%s\n", slide_number_of(s.mu_static).text,
           isnan(s.onset) ? ", did not slide" : "");
    printf("kinetic friction  %s +- %s", slide_number_of(s.mu_kinetic).text,
           slide_number_of(s.spread).text);
    if (isfinite(s.slope)) {
        printf(", of which %.4g the slope it went %s", s.slope, s.slope < 0.0 ? "down" : "up");
    }
    printf("\n");
    if (i->dimension == 3) {
        printf(
            "across            %s +- %s of the normal force, which was within 5 %% in %.3g %% of "
            "the steps\n",
            slide_number_of(s.transverse).text, slide_number_of(s.transverse_spread).text,
            100.0 * s.held);
        if (isfinite(s.mu_peak)) {
            printf("at <= 0.01 m/s    tangential up to %.4g of the normal force, at %.3g s\n",
                   s.mu_peak, s.peak_time);
        } else {
            printf("at <= 0.01 m/s    never\n");
        }
    }
    if (fabs(s.slope) > 0.5 * fabs(s.mu_kinetic)) {
        printf(
            "                  most of that is height, not loss: more --travel averages it out\n");
    }
}

static cli_exit write_results(slide_run* r) {
    const cli_options* o = r->options;
    double* columns = slide_rows_columns(&r->rows);
    iso_status status = columns != NULL ? ISO_OK : ISO_ERR_MEMORY;
    if (status == ISO_OK && o->output != NULL) {
        status = write_arrays(r, columns, o->output);
    }
    if (status == ISO_OK && o->lab.table != NULL) {
        status = write_table(r, o->lab.table);
    }
    if (status == ISO_OK && o->page != NULL) {
        status = write_page(r, columns, o->page);
    }
    free(columns);
    if (status == ISO_OK && r->film.text.file != NULL) {
        status = lab_film_close(r->session->ctx, &r->film, o->lab.slide.film);
    }
    if (status != ISO_OK) {
        return cli_report(r->session, status);
    }
    if (o->is_json) {
        return cli_json_print(summary_json(r));
    }
    if (!o->is_quiet) {
        print_summary(r);
    }
    return CLI_DONE;
}

// Blocks, and how many steps they take; go on from a state where there is one.
static iso_status begin(slide_run* r, const iso_lab_surface* lower, uint64_t seed,
                        iso_lab_surface* upper) {
    const cli_slide_options* o = &r->options->lab.slide;
    iso_status status = cli_slide_make_upper(r->session, r->options, lower, seed, upper);
    if (status != ISO_OK) {
        return status;
    }
    fill_desc(r->options, lower, upper, &r->desc);
    status = iso_lab_slide_create(r->session->ctx, &r->desc, &r->slide);
    if (status != ISO_OK) {
        return status;
    }
    r->info = iso_lab_slide_info_of(r->slide);
    double travel = or_else(o->travel, 24.0 * lower->pitch);
    bool is_force = r->desc.drive == ISO_LAB_DRIVE_FORCE;
    double time = is_force ? 4.0 * r->info.normal_force / r->desc.rate : travel / r->desc.speed;
    time = is_force ? or_else(o->most_time, time) : time;
    double count = r->desc.settle_steps + ceil(time / r->info.sample_step);
    if (!(count <= 1e9)) {
        cli_error("%g s are %.3g steps of %g s, expected at most 1e9: a smaller --travel or a "
                  "larger --step, --speed or --force-rate\n",
                  time, count, r->info.sample_step);
        return ISO_ERR_RANGE;
    }
    r->step_count = (int64_t)count;
    status = r->rows_path[0] != '\0' ? go_on(r) : ISO_OK;
    r->kept = r->rows.count;
    return status;
}

static void end(slide_run* r, iso_lab_surface* upper) {
    if (r->film.text.file != NULL) {
        cli_text_drop(&r->film.text);
    }
    iso_lab_slide_destroy(r->session->ctx, r->slide);
    iso_lab_surface_free(r->session->ctx, upper);
    free(r->rows.data);
}

iso_status cli_slide_run_one(cli_session* session, const cli_options* options,
                             const iso_lab_surface* lower, uint64_t seed, slide_summary* out,
                             int* out_steps) {
    iso_lab_surface upper = {0};
    slide_run r = {.session = session, .options = options};
    iso_status status = begin(&r, lower, seed, &upper);
    status = status == ISO_OK ? run_steps(&r) : status;
    *out = slide_rows_summary(&r.rows, r.desc.drive == ISO_LAB_DRIVE_FORCE, r.info.normal_force);
    *out_steps = r.rows.count;
    end(&r, &upper);
    return status;
}

cli_exit cli_lab_slide(cli_session* session, const cli_options* options,
                       const iso_lab_surface* lower) {
    const cli_slide_options* o = &options->lab.slide;
    iso_lab_surface upper = {0};
    slide_run r = {.session = session, .options = options};
    if (options->lab.load_count > 1) {
        cli_error("--load has several pressures, expected one for slide\n");
        return CLI_USAGE;
    }
    if (o->surfaces > 1.0) {
        cli_slide_warn_of_few(session, options, lower, options->lab.surface.seed);
        return cli_lab_slide_surfaces(session, options);
    }
    if (o->state != NULL) {
        int length = snprintf(r.rows_path, sizeof r.rows_path, "%s.csv", o->state);
        if (length < 0 || (size_t)length >= sizeof r.rows_path) {
            cli_error("--state is longer than %zu bytes\n", sizeof r.rows_path - 8);
            return CLI_USAGE;
        }
    }
    cli_slide_warn_of_few(session, options, lower, options->lab.surface.seed);
    iso_status status = begin(&r, lower, options->lab.surface.seed, &upper);
    status = status == ISO_OK ? run_steps(&r) : status;
    cli_exit code = status == ISO_OK ? write_results(&r) : cli_report(session, status);
    end(&r, &upper);
    return code;
}
