// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/report/snippet.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/system/path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

iso_status iso_text_append_xml(iso_context* ctx, iso_text* text, const char* plain) {
    iso_status status = ISO_OK;
    for (const char* c = plain; *c && status == ISO_OK; ++c) {
        const char* entity = *c == '&'   ? "&amp;"
                             : *c == '<' ? "&lt;"
                             : *c == '>' ? "&gt;"
                             : *c == '"' ? "&quot;"
                                         : NULL;
        status = iso_text_append(ctx, text, entity ? entity : c, entity ? strlen(entity) : 1);
    }
    return status;
}

static const char* base_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void iso_prepare_name(const iso_prepare_desc* desc, char out_name[ISO_PREPARE_TEXT_SIZE]) {
    const char* name = desc->name ? desc->name : base_name(desc->output);
    const char* dot = desc->name ? NULL : strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    length = length < ISO_PREPARE_TEXT_SIZE ? length : ISO_PREPARE_TEXT_SIZE - 1;
    memcpy(out_name, name, length);
    out_name[length] = '\0';
}

// How a model at model_path calls the mesh: by its file name when both share a folder, else by its
// absolute path.
static iso_status append_mesh_name(const iso_prepare_job* job, const char* model_path,
                                   iso_text* text) {
    iso_context* ctx = job->ctx;
    const char* path = job->desc->output;
    iso_status status = ISO_OK;
    char* own = iso_path_directory(ctx, model_path);
    char* other = iso_path_directory(ctx, path);
    char* real = NULL;
    ISO_CHECK(ctx, own && other, ISO_ERR_MEMORY, "folder of a file");
    if (strcmp(own, other) != 0) {
        real = iso_path_real(ctx, other[0] ? other : ".");
        ISO_CHECK(ctx, real || errno != ENOMEM, ISO_ERR_MEMORY, "folder of %s", path);
        ISO_CHECK(ctx, real, ISO_ERR_IO, "%s: the folder cannot be resolved", path);
        ISO_TRY(iso_text_append_xml(ctx, text, real));
        ISO_TRY(iso_text_append(ctx, text, "/", 1));
    }
    status = iso_text_append_xml(ctx, text, base_name(path));

done:
    iso_free(ctx, real);
    iso_free(ctx, own);
    iso_free(ctx, other);
    return status;
}

static iso_status append_inertia(const iso_prepare_job* job, iso_text* text, bool is_sdf) {
    const iso_mat3* i = &job->report->inertia;
    return is_sdf ? iso_text_printf(job->ctx, text,
                                    "<inertia><ixx>%.9g</ixx><ixy>%.9g</ixy><ixz>%.9g</ixz>"
                                    "<iyy>%.9g</iyy><iyz>%.9g</iyz><izz>%.9g</izz></inertia>\n",
                                    i->m[0][0], i->m[0][1], i->m[0][2], i->m[1][1], i->m[1][2],
                                    i->m[2][2])
                  : iso_text_printf(job->ctx, text,
                                    "<inertia ixx=\"%.9g\" ixy=\"%.9g\" ixz=\"%.9g\" iyy=\"%.9g\" "
                                    "iyz=\"%.9g\" izz=\"%.9g\"/>\n",
                                    i->m[0][0], i->m[0][1], i->m[0][2], i->m[1][1], i->m[1][2],
                                    i->m[2][2]);
}

// On the skin beside a core, to which it is bonded, the extent is 1.
static bool is_bonded(const iso_prepare_job* job) {
    return job->report->core_vertex_count > 0;
}

static iso_status append_contact(const iso_prepare_job* job, iso_text* text, bool is_sdf) {
    const iso_prepare_desc* d = job->desc;
    const struct {
        const char* tag;
        double value;
    } tags[] = {{"hydroelastic_modulus", d->modulus},
                {"hunt_crossley_dissipation", d->dissipation},
                {"mu_static", d->friction_static},
                {"mu_dynamic", d->friction_dynamic}};
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(job->ctx, text,
                            "        <drake:proximity_properties>\n"
                            "          <drake:compliant_hydroelastic/>\n"));
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; ++i) {
        if (is_sdf) {
            ISO_TRY(iso_text_printf(job->ctx, text, "          <drake:%s>%.9g</drake:%s>\n",
                                    tags[i].tag, tags[i].value, tags[i].tag));
        } else {
            ISO_TRY(iso_text_printf(job->ctx, text, "          <drake:%s value=\"%.9g\"/>\n",
                                    tags[i].tag, tags[i].value));
        }
    }
    ISO_TRY(iso_text_printf(job->ctx, text, "        </drake:proximity_properties>\n"));
    if (is_bonded(job)) {
        status = iso_text_printf(job->ctx, text,
                                 "        <isobar:contact_properties>\n"
                                 "          <isobar:bonded_skin%s\n"
                                 "        </isobar:contact_properties>\n",
                                 is_sdf ? ">true</isobar:bonded_skin>" : " value=\"true\"/>");
    }

done:
    return status;
}

static iso_status append_shape(const iso_prepare_job* job, const char* model_path, bool is_sdf,
                               iso_text* text) {
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(job->ctx, text,
                            is_sdf ? "        <geometry><mesh><uri>"
                                   : "        <geometry><mesh filename=\""));
    ISO_TRY(append_mesh_name(job, model_path, text));
    status = iso_text_printf(job->ctx, text,
                             is_sdf ? "</uri></mesh></geometry>\n" : "\"/></geometry>\n");

done:
    return status;
}

static iso_status append_parts(const iso_prepare_job* job, const char* model_path, bool is_sdf,
                               iso_text* text) {
    iso_context* ctx = job->ctx;
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(ctx, text, "      <visual name=\"visual\">\n"));
    ISO_TRY(append_shape(job, model_path, is_sdf, text));
    ISO_TRY(iso_text_printf(ctx, text, "      </visual>\n      <collision name=\"collision\">\n"));
    ISO_TRY(append_shape(job, model_path, is_sdf, text));
    ISO_TRY(append_contact(job, text, is_sdf));
    status = iso_text_printf(ctx, text, "      </collision>\n    </link>\n");

done:
    return status;
}

static iso_status append_head(const iso_prepare_job* job, iso_text* text, const char* name,
                              bool is_sdf) {
    iso_context* ctx = job->ctx;
    const char* prefix = is_bonded(job) ? " xmlns:isobar=\"isobar\"" : "";
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(ctx, text, "<?xml version=\"1.0\"?>\n<!-- Made by isobar %s of ",
                            iso_version()));
    // Two dashes would end the comment.
    for (const char* c = base_name(job->desc->input); *c; ++c) {
        ISO_TRY(iso_text_append(ctx, text, *c == '-' || *c == '>' ? "_" : c, 1));
    }
    ISO_TRY(
        iso_text_printf(ctx, text, ": %.9g kg/m^3, lengths in metres. -->\n", job->desc->density));
    ISO_TRY(iso_text_printf(ctx, text,
                            is_sdf
                                ? "<sdf version=\"1.9\" xmlns:drake=\"http://drake.mit.edu\"%s>\n"
                                  "  <model name=\""
                                : "<robot xmlns:drake=\"http://drake.mit.edu\"%s name=\"",
                            prefix));
    ISO_TRY(iso_text_append_xml(ctx, text, name));
    ISO_TRY(iso_text_printf(ctx, text, "\">\n    <link name=\""));
    ISO_TRY(iso_text_append_xml(ctx, text, name));
    status = iso_text_printf(ctx, text, "\">\n      <inertial>\n        ");

done:
    return status;
}

iso_status iso_snippet_sdf(const iso_prepare_job* job, const char* model_path, iso_text* out_text) {
    const iso_prepare_report* r = job->report;
    iso_context* ctx = job->ctx;
    char name[ISO_PREPARE_TEXT_SIZE];
    iso_status status = ISO_OK;
    iso_prepare_name(job->desc, name);
    ISO_TRY(append_head(job, out_text, name, true));
    ISO_TRY(iso_text_printf(ctx, out_text,
                            "<pose>%.9g %.9g %.9g 0 0 0</pose>\n        <mass>%.9g</mass>\n"
                            "        ",
                            r->center_of_mass.x, r->center_of_mass.y, r->center_of_mass.z,
                            r->mass));
    ISO_TRY(append_inertia(job, out_text, true));
    ISO_TRY(iso_text_printf(ctx, out_text, "      </inertial>\n"));
    ISO_TRY(append_parts(job, model_path, true, out_text));
    status = iso_text_printf(ctx, out_text, "  </model>\n</sdf>\n");

done:
    return status;
}

iso_status iso_snippet_urdf(const iso_prepare_job* job, const char* model_path,
                            iso_text* out_text) {
    const iso_prepare_report* r = job->report;
    iso_context* ctx = job->ctx;
    char name[ISO_PREPARE_TEXT_SIZE];
    iso_status status = ISO_OK;
    iso_prepare_name(job->desc, name);
    ISO_TRY(append_head(job, out_text, name, false));
    ISO_TRY(iso_text_printf(
        ctx, out_text, "<origin xyz=\"%.9g %.9g %.9g\"/>\n        <mass value=\"%.9g\"/>\n        ",
        r->center_of_mass.x, r->center_of_mass.y, r->center_of_mass.z, r->mass));
    ISO_TRY(append_inertia(job, out_text, false));
    ISO_TRY(iso_text_printf(ctx, out_text, "      </inertial>\n"));
    ISO_TRY(append_parts(job, model_path, false, out_text));
    status = iso_text_printf(ctx, out_text, "</robot>\n");

done:
    return status;
}
