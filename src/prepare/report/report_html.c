// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "base/core/text.h"
#include "isobar/math.h"
#include "prepare/report/snippet.h"

#include <math.h>
#include <string.h>

static const char k_head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n"
    "body{font:15px/1.45 system-ui,sans-serif;color:#1d2430;background:#fff;max-width:1080px;"
    "margin:2em auto;padding:0 1em}\n"
    "h1{font-size:1.5em}h2{font-size:1.1em;margin-top:1.8em}\n"
    "table{border-collapse:collapse}td,th{text-align:left;padding:.2em 1.2em .2em 0;border-bottom:"
    "1px solid #e3e6ea;vertical-align:top}\n"
    "td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:1.5em}\n"
    "figure{margin:0}svg{width:100%;height:auto;max-height:420px}figcaption{color:#5a6472}\n"
    ".warning{background:#fff6dd;border-left:4px solid #d89b00;padding:.5em .8em;margin:.4em 0}\n"
    ".good{background:#e8f6ec;border-left:4px solid #2c8c4a;padding:.5em .8em}\n"
    ".scale{height:12px;width:260px;background:linear-gradient(90deg,#440154,#3b528b,#21918c,"
    "#5ec962,#fde725)}\n"
    "@media(prefers-color-scheme:dark){body{background:#14181e;color:#dfe4ea}td,th{border-color:"
    "#2c343f}.warning{background:#3a300f}.good{background:#14321f}figcaption{color:#98a2b0}}\n"
    "</style>\n";

static iso_status append_title(const iso_prepare_job* job, iso_text* text) {
    char name[ISO_PREPARE_TEXT_SIZE];
    iso_status status = ISO_OK;
    iso_prepare_name(job->desc, name);
    ISO_TRY(iso_text_append(job->ctx, text, k_head, sizeof k_head - 1));
    ISO_TRY(iso_text_printf(job->ctx, text, "<title>"));
    ISO_TRY(iso_text_append_xml(job->ctx, text, name));
    ISO_TRY(iso_text_printf(job->ctx, text, " - isobar prepare</title></head><body>\n<h1>"));
    ISO_TRY(iso_text_append_xml(job->ctx, text, name));
    ISO_TRY(
        iso_text_printf(job->ctx, text, "</h1>\n<p>Made by isobar %s from <code>", iso_version()));
    ISO_TRY(iso_text_append_xml(job->ctx, text, job->desc->input));
    ISO_TRY(iso_text_printf(job->ctx, text, "</code> as <code>"));
    ISO_TRY(iso_text_append_xml(job->ctx, text, job->desc->output));
    status = iso_text_printf(job->ctx, text, "</code>.</p>\n");

done:
    return status;
}

static iso_status append_warnings(const iso_prepare_job* job, iso_text* text) {
    const iso_prepare_report* r = job->report;
    iso_status status = ISO_OK;
    if (r->warning_count == 0) {
        return iso_text_printf(job->ctx, text, "<p class=\"good\">No warnings.</p>\n");
    }
    for (int i = 0; i < r->warning_count; ++i) {
        ISO_TRY(iso_text_printf(job->ctx, text, "<p class=\"warning\">"));
        ISO_TRY(iso_text_append_xml(job->ctx, text, r->warnings[i]));
        ISO_TRY(iso_text_printf(job->ctx, text, "</p>\n"));
    }

done:
    return status;
}

static iso_status row(const iso_prepare_job* job, iso_text* text, const char* name,
                      const char* format, ...) ISO_PRINTF(4, 5);
static iso_status row(const iso_prepare_job* job, iso_text* text, const char* name,
                      const char* format, ...) {
    char value[ISO_PREPARE_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(value, sizeof value, format, args);
    va_end(args);
    return iso_text_printf(job->ctx, text, "<tr><th>%s</th><td>%s</td></tr>\n", name, value);
}

static iso_status append_surface(const iso_prepare_job* job, iso_text* text) {
    const iso_prepare_report* r = job->report;
    iso_vec3 size = iso_vec3_sub(r->upper, r->lower);
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(job->ctx, text, "<h2>Surface</h2>\n<table>\n"));
    ISO_TRY(row(job, text, "in the file", "%d vertices, %d triangles", r->input_vertex_count,
                r->input_triangle_count));
    ISO_TRY(row(job, text, "after repair",
                "%d vertices, %d triangles, %d part%s, %d cavit%s, %d left out inside",
                r->vertex_count, r->triangle_count, r->part_count, iso_text_plural(r->part_count),
                r->cavity_count, r->cavity_count == 1 ? "y" : "ies", r->dropped_count));
    ISO_TRY(row(job, text, "repaired",
                "%d vertices merged, %d triangles collapsed, %d repeated, %d slivers flipped, %d "
                "turned over",
                r->welded_count, r->collapsed_count, r->duplicate_count, r->degenerate_count,
                r->turned_count));
    ISO_TRY(
        row(job, text, "pairs of triangles undone", "%d, that cut each other", r->untangled_count));
    ISO_TRY(row(job, text, "faults left",
                "holes %d, edges of three or more triangles %d, inconsistent edges %d, pairs of "
                "triangles that cut each other %d",
                r->hole_count, r->non_manifold_edge_count, r->inconsistent_edge_count,
                r->intersection_count));
    ISO_TRY(row(job, text, "factor on coordinates", "%g", r->scale));
    ISO_TRY(row(job, text, "size", "%.4g &times; %.4g &times; %.4g m", size.x, size.y, size.z));
    ISO_TRY(row(job, text, "area, volume", "%.5g m&sup2;, %.5g m&sup3;", r->surface_area,
                r->surface_volume));
    status = iso_text_printf(job->ctx, text, "</table>\n");

done:
    return status;
}

// Its file name is the user's: kept from the page's markup.
static iso_status append_core(const iso_prepare_job* job, iso_text* text) {
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(job->ctx, text, "<tr><th>core</th><td>"));
    ISO_TRY(iso_text_append_xml(job->ctx, text, job->desc->core ? job->desc->core : "none"));
    status = iso_text_printf(job->ctx, text, "</td></tr>\n");

done:
    return status;
}

static iso_status append_volume(const iso_prepare_job* job, iso_text* text) {
    const iso_prepare_report* r = job->report;
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(job->ctx, text, "<h2>Tetrahedra and field</h2>\n<table>\n"));
    ISO_TRY(row(job, text, "mesh", "%d vertices, %d tetrahedra by %s", r->mesh_vertex_count,
                r->mesh_tet_count, r->mesher));
    ISO_TRY(row(job, text, "vertices added inside", "%d, where all corners were on the skin",
                r->inner_vertex_count));
    ISO_TRY(row(job, text, "quality (1 is regular)",
                "smallest %.2g, mean %.3f; smallest angle "
                "between faces %.1f&deg;",
                r->quality_min, r->quality_mean, r->dihedral_min * 180.0 / ISO_PI));
    ISO_TRY(row(job, text, "volume", "%.5g m&sup3;", r->mesh_volume));
    if (r->surface_volume > 0.0) {
        ISO_TRY(row(job, text, "of the surface's volume", "%.3f %%",
                    100.0 * r->mesh_volume / r->surface_volume));
    }
    ISO_TRY(row(job, text, "skin off the given surface", "up to %.3g m, %.3g m rms",
                r->skin_off.max, r->skin_off.rms));
    ISO_TRY(row(job, text, "given surface off the skin", "up to %.3g m, %.3g m rms",
                r->surface_off.max, r->surface_off.rms));
    ISO_TRY(row(job, text, "deepest vertex", "%.4g m below the skin", r->thickness));
    ISO_TRY(row(job, text, "field", "%s, %d layer%s", r->field, job->desc->layers,
                iso_text_plural(job->desc->layers)));
    ISO_TRY(append_core(job, text));
    ISO_TRY(row(job, text, "full extent", "%.4g to %.4g m below the skin", r->full_depth_low,
                r->full_depth_high));
    ISO_TRY(row(job, text, "extent",
                "mean %.3f; %d vertices on the core, %d values cut to [0, 1], "
                "residual %.1e",
                r->extent_mean, r->core_vertex_count, r->clamped_count, r->residual));
    ISO_TRY(row(job, text, "pressure at full extent", "%.4g Pa", job->desc->modulus));
    ISO_TRY(row(job, text, "mass", "%.5g kg at %.4g kg/m&sup3;", r->mass, job->desc->density));
    ISO_TRY(row(job, text, "centre of mass", "%.4g, %.4g, %.4g m", r->center_of_mass.x,
                r->center_of_mass.y, r->center_of_mass.z));
    ISO_TRY(row(job, text, "moments of inertia", "%.4g, %.4g, %.4g kg m&sup2;", r->inertia.m[0][0],
                r->inertia.m[1][1], r->inertia.m[2][2]));
    status = iso_text_printf(job->ctx, text, "</table>\n");

done:
    return status;
}

static iso_status append_histogram(const iso_prepare_job* job, iso_text* text) {
    const iso_prepare_report* r = job->report;
    int most = 1;
    iso_status status = ISO_OK;
    for (int i = 0; i < ISO_PREPARE_BIN_COUNT; ++i) {
        most = r->quality_bins[i] > most ? r->quality_bins[i] : most;
    }
    ISO_TRY(iso_text_printf(job->ctx, text,
                            "<figure><svg viewBox=\"0 0 420 200\" "
                            "fill=\"#3b7dd8\" font-size=\"12\">\n"));
    for (int i = 0; i < ISO_PREPARE_BIN_COUNT; ++i) {
        double height = 160.0 * r->quality_bins[i] / most;
        ISO_TRY(iso_text_printf(job->ctx, text,
                                "<rect x=\"%d\" y=\"%.1f\" width=\"18\" height=\"%.1f\"><title>"
                                "%.2f to %.2f: %d</title></rect>\n",
                                10 + 20 * i, 172.0 - height, height,
                                (double)i / ISO_PREPARE_BIN_COUNT,
                                (i + 1.0) / ISO_PREPARE_BIN_COUNT, r->quality_bins[i]));
    }
    status = iso_text_printf(job->ctx, text,
                             "<g fill=\"currentColor\"><text x=\"10\" y=\"188\">0</text>"
                             "<text x=\"200\" y=\"188\">0.5</text><text x=\"402\" y=\"188\">1"
                             "</text></g></svg><figcaption>tetrahedra by quality (3 inradius / "
                             "circumradius); the highest bar is %d</figcaption></figure>\n",
                             most);

done:
    return status;
}

static iso_status append_figures(const iso_prepare_job* job, iso_text* text) {
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(job->ctx, text,
                            "<h2>Pictures</h2>\n<p>Extent: 0 on the skin <span class=\"scale\" "
                            "style=\"display:inline-block\"></span> 1 where deepest</p>\n"
                            "<div class=\"figures\">\n"));
    for (int axis = 0; axis < 3; ++axis) {
        ISO_TRY(iso_section_svg(job, axis, text));
    }
    ISO_TRY(append_histogram(job, text));
    status = iso_text_printf(job->ctx, text, "</div>\n");

done:
    return status;
}

static iso_status append_stages(const iso_prepare_job* job, iso_text* text) {
    const iso_prepare_report* r = job->report;
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(job->ctx, text, "<h2>Stages</h2>\n<table>\n"));
    for (int i = 0; i < r->stage_count; ++i) {
        ISO_TRY(iso_text_printf(job->ctx, text, "<tr><th>%s</th><td class=\"n\">%.2f s</td><td>",
                                r->stages[i].name, r->stages[i].seconds));
        ISO_TRY(iso_text_append_xml(job->ctx, text, r->stages[i].note));
        ISO_TRY(iso_text_printf(job->ctx, text, "</td></tr>\n"));
    }
    status = iso_text_printf(job->ctx, text, "</table>\n</body></html>\n");

done:
    return status;
}

iso_status iso_report_html(const iso_prepare_job* job, iso_text* out_text) {
    iso_status status = ISO_OK;
    ISO_TRY(append_title(job, out_text));
    ISO_TRY(append_warnings(job, out_text));
    ISO_TRY(append_figures(job, out_text));
    ISO_TRY(append_surface(job, out_text));
    ISO_TRY(append_volume(job, out_text));
    status = append_stages(job, out_text);

done:
    return status;
}
