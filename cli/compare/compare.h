// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/json_output.h"
#include "cli/parts/session.h"

cli_exit cli_compare(const cli_options* options);

enum { k_compare_most = 8, k_compare_error_size = 1024 };

/// How deep two geometries lie in one another, whatever the contact model says of it.
typedef struct compare_overlap {
    double volume; ///< of interference [m^3]; NAN: not known, as where one is not closed
    double depth;  ///< that over its area across the normal, a mean [m]; NAN: not known
} compare_overlap;

/// One model's run.
typedef struct compare_run {
    iso_contact_model_kind kind;
    const char* name;
    iso_scene scene;
    iso_world* world;          ///< at the end; NULL: it never began
    compare_overlap* overlaps; ///< [contact count of the world]
    iso_status status;
    char error[k_compare_error_size]; ///< "" where it came to its end
    double wall_seconds;              ///< of stepping alone
    int64_t step_count;
    int other_count;     ///< contacts at the end that another model has
    char recording[320]; ///< path; "": none
    char page[320];      ///< path; "": none
} compare_run;

typedef struct compare {
    cli_session session;
    const cli_options* options;
    compare_run runs[k_compare_most];
    int count;
    char folder[256]; ///< of recordings and pages, removed in the end; "": none
} compare;

/// The contact of a run between two geometries, by their names; -1: there is none.
int compare_find_contact(const compare_run* run, const iso_contact* like);

/// The first run that runs, from which others differ; the first where none does.
const compare_run* compare_reference(const compare* c);

/// Distance of all bodies from where that run has them, the largest [m], and whose; NAN: of that
/// run itself.
double compare_distance(const compare* c, int run, const char** out_body);

/// Tables, for people and as JSON.
void compare_print(const compare* c);
json_t* compare_json(const compare* c);

/// One page with all recordings side by side.
iso_status compare_write_page(compare* c);
