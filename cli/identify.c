// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"
#include "cli/parts/checks.h"
#include "cli/parts/json_output.h"
#include "cli/parts/session.h"

#include <stdio.h>
#include <string.h>

/// ISO_IDENTIFY_AUTO: no kind has the name.
static iso_identify_kind find_kind(const char* name) {
    for (int k = 0; k < ISO_IDENTIFY_AUTO; ++k) {
        if (strcmp(iso_identify_kind_name((iso_identify_kind)k), name) == 0) {
            return (iso_identify_kind)k;
        }
    }
    return ISO_IDENTIFY_AUTO;
}

bool cli_identify_take(cli_options* options, const char* name, const char* value) {
    if (strcmp(name, "--exponent") == 0) {
        return cli_parse_positive(value, &options->exponent) && options->exponent >= 1.0;
    }
    if (strcmp(name, "--load-per-mass") == 0) {
        return cli_parse_positive(value, &options->load);
    }
    options->from = value; // --data
    return find_kind(value) != ISO_IDENTIFY_AUTO;
}

static cli_exit print_json(const iso_identified* found, const cli_options* options) {
    json_t* parameters = json_object();
    for (int i = 0; i < found->count; ++i) {
        const iso_parameter* p = &found->parameters[i];
        json_object_set_new(parameters, p->name,
                            json_pack("{s:f,s:[f,f],s:s}", "value", p->value, "interval_95", p->low,
                                      p->high, "unit", p->unit));
    }
    json_t* root = json_pack("{s:o,s:s,s:i,s:f,s:o}", "file", cli_json_path(options->input), "kind",
                             iso_identify_kind_name(found->kind), "samples", found->sample_count,
                             "residual", found->residual, "parameters", parameters);
    return cli_json_print(root);
}

static void print_table(const iso_identified* found) {
    printf("%s, %d samples, rms residual %.4g\n", iso_identify_kind_name(found->kind),
           found->sample_count, found->residual);
    for (int i = 0; i < found->count; ++i) {
        const iso_parameter* p = &found->parameters[i];
        printf("  %-20s %12.6g  [%.6g, %.6g] %s\n", p->name, p->value, p->low, p->high, p->unit);
    }
}

cli_exit cli_identify(const cli_options* options) {
    cli_session session;
    cli_exit code = cli_session_open(&session, options);
    if (code != CLI_DONE) {
        return code;
    }
    iso_table table = {0};
    iso_identified found = {0};
    iso_identify_options wanted = {.exponent = options->exponent,
                                   .load_acceleration = options->load};
    iso_identify_kind kind = options->from != NULL ? find_kind(options->from) : ISO_IDENTIFY_AUTO;
    iso_status status = iso_table_read(session.ctx, options->input, &table);
    if (status == ISO_OK) {
        status = iso_identify_table(session.ctx, &table, kind, &wanted, &found);
    }
    if (status == ISO_OK && options->output != NULL) {
        status = iso_identified_write_svg(session.ctx, &table, &found, options->output);
    }
    if (status != ISO_OK) {
        code = cli_report(&session, status);
    } else if (options->is_json) {
        code = print_json(&found, options);
    } else if (!options->is_quiet) {
        print_table(&found);
    }
    iso_table_destroy(session.ctx, &table);
    cli_session_close(&session);
    return code;
}
