// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"
#include "cli/parts/json_output.h"
#include "cli/parts/session.h"
#include "cli/parts/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool cli_parse_pose(const char* text, iso_pose* out_pose) {
    double v[6] = {0.0};
    int count = 0;
    for (const char* at = text; count < 6; ++at) {
        char* end = NULL;
        errno = 0;
        v[count] = strtod(at, &end);
        if (errno != 0 || end == at || !isfinite(v[count])) {
            return false;
        }
        ++count;
        at = end;
        if (*at == '\0') {
            *out_pose =
                iso_pose_make(iso_mat3_from_rpy(v[3], v[4], v[5]), iso_vec3_make(v[0], v[1], v[2]));
            return count == 3 || count == 6;
        }
        if (*at != ',') {
            return false;
        }
    }
    return false;
}

static iso_status load(const cli_session* session, const char* path, iso_volume_body** out_body) {
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    shape.path = path;
    return iso_volume_body_create(session->ctx, &shape, out_body);
}

static json_t* json_mat3(const iso_mat3* a) {
    json_t* rows = json_array();
    for (int i = 0; i < 3; ++i) {
        iso_vec3 row = iso_vec3_make(a->m[i][0], a->m[i][1], a->m[i][2]);
        json_array_append_new(rows, cli_json_vec3(row));
    }
    return rows;
}

static cli_exit print_json(const iso_volume_metrics* m, const iso_volume_normal* n) {
    return cli_json_print(
        json_pack("{s:f,s:o,s:o,s:o,s:o,s:s,s:i,s:o,s:s,s:f}", "volume", m->volume, "centroid",
                  cli_json_vec3(m->centroid), "inertia", json_mat3(&m->inertia), "area",
                  cli_json_vec3(m->area), "turn", cli_json_vec3(m->turn), "method",
                  iso_volume_method_name(m->method), "faces", m->face_count, "normal",
                  cli_json_vec3(n->direction), "normal_status",
                  iso_volume_normal_status_name(n->status), "gyration", n->gyration));
}

static void print_table(const iso_volume_metrics* m, const iso_volume_normal* n) {
    iso_vec3 c = m->centroid, d = n->direction, a = m->area;
    printf("volume    %.9g m^3 (%s, %d face%s)\n", m->volume, iso_volume_method_name(m->method),
           m->face_count, cli_plural(m->face_count));
    if (!(m->volume > 0.0)) {
        return;
    }
    printf("centroid  %.9g %.9g %.9g m\n", c.x, c.y, c.z);
    for (int i = 0; i < 3; ++i) {
        printf("%s%.9g %.9g %.9g%s\n", i == 0 ? "inertia   " : "          ", m->inertia.m[i][0],
               m->inertia.m[i][1], m->inertia.m[i][2], i == 2 ? " m^5" : "");
    }
    printf("normal    %.9g %.9g %.9g (%s, from A into B)\n", d.x, d.y, d.z,
           iso_volume_normal_status_name(n->status));
    printf("gyration  %.9g m about the normal\n", n->gyration);
    printf("area      %.9g %.9g %.9g m^2 (change of the volume as B moves)\n", a.x, a.y, a.z);
}

cli_exit cli_volume(const cli_options* options) {
    cli_session session;
    iso_volume_body *a = NULL, *b = NULL;
    iso_volume_metrics m = {0};
    if (options->second == NULL) {
        cli_error("two mesh files are needed (usage: isobar volume A B)\n");
        return CLI_USAGE;
    }
    cli_exit code = cli_session_open(&session, options);
    if (code != CLI_DONE) {
        return code;
    }
    iso_pose x_wa = iso_pose_identity();
    iso_status status = load(&session, options->input, &a);
    if (status == ISO_OK) {
        status = load(&session, options->second, &b);
    }
    if (status == ISO_OK) {
        status = iso_volume_intersect(session.ctx, a, &x_wa, b, &options->pose, NULL, &m);
    }
    if (status != ISO_OK) {
        code = cli_report(&session, status);
    } else {
        iso_volume_normal n = iso_volume_find_normal(&m, iso_vec3_zero());
        if (options->is_json) {
            code = print_json(&m, &n);
        } else if (!options->is_quiet) {
            print_table(&m, &n);
        }
    }
    iso_volume_body_destroy(session.ctx, a);
    iso_volume_body_destroy(session.ctx, b);
    cli_session_close(&session);
    return code;
}
