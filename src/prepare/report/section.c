// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "prepare/report/snippet.h"

#include <math.h>

#define WIDTH 420.0 // of a picture, in its own units

// From a tetrahedron: up to four points of the plane, in order, and the extents there.
typedef struct cut {
    int count;
    double u[4], v[4], extent[4];
} cut;

typedef struct plane {
    int axis;      // normal
    int right, up; // axes of the picture
    double level;
} plane;

static void add_point(cut* c, const plane* at, iso_vec3 p, double extent) {
    c->u[c->count] = iso_vec3_get(p, at->right);
    c->v[c->count] = iso_vec3_get(p, at->up);
    c->extent[c->count++] = extent;
}

static cut cut_tet(const iso_prepare_job* job, int tet, const plane* at) {
    const int* t = job->mesh.tets[tet];
    double height[4];
    int above[4], below[4], above_count = 0, below_count = 0;
    for (int k = 0; k < 4; ++k) {
        height[k] = iso_vec3_get(job->mesh.vertices[t[k]], at->axis) - at->level;
        if (height[k] > 0.0) {
            above[above_count++] = k;
        } else {
            below[below_count++] = k;
        }
    }
    cut c = {0};
    for (int i = 0; i < above_count; ++i) {
        for (int j = 0; j < below_count; ++j) {
            // Two above and two below: the second pair backwards, so that the points go around.
            int a = above[i], b = below[i % 2 == 1 && above_count == 2 ? below_count - 1 - j : j];
            double share = height[a] / (height[a] - height[b]);
            add_point(&c, at,
                      iso_vec3_lerp(job->mesh.vertices[t[a]], job->mesh.vertices[t[b]], share),
                      job->extents[t[a]] + share * (job->extents[t[b]] - job->extents[t[a]]));
        }
    }
    return c;
}

// Dark blue over green to yellow, as sRGB.
static void color_of(double extent, int out_rgb[3]) {
    static const double k_stops[5][3] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    double at = 4.0 * fmax(0.0, fmin(1.0, extent));
    int i = at >= 4.0 ? 3 : (int)at;
    for (int k = 0; k < 3; ++k) {
        out_rgb[k] = (int)lround(k_stops[i][k] + (at - i) * (k_stops[i + 1][k] - k_stops[i][k]));
    }
}

static iso_status draw_cut(const iso_prepare_job* job, const cut* c, const double origin[2],
                           double scale, iso_text* text) {
    double mean = 0.0;
    int rgb[3];
    iso_status status = ISO_OK;
    for (int i = 0; i < c->count; ++i) {
        mean += c->extent[i] / c->count;
    }
    color_of(mean, rgb);
    ISO_TRY(iso_text_printf(job->ctx, text, "<path fill=\"#%02x%02x%02x\" d=\"M", rgb[0], rgb[1],
                            rgb[2]));
    for (int i = 0; i < c->count; ++i) {
        ISO_TRY(iso_text_printf(job->ctx, text, "%s%.1f %.1f", i ? "L" : "",
                                (c->u[i] - origin[0]) * scale, (origin[1] - c->v[i]) * scale));
    }
    status = iso_text_printf(job->ctx, text, "z\"/>\n");

done:
    return status;
}

iso_status iso_section_svg(const iso_prepare_job* job, int axis, iso_text* out_text) {
    static const char k_names[] = "xyz";
    iso_vec3 lower, upper;
    iso_points_bounds(job->mesh.vertices, job->mesh.vertex_count, &lower, &upper);
    double size = iso_vec3_get(upper, axis) - iso_vec3_get(lower, axis);
    // A hair off the middle: meshes like to have vertices there.
    plane at = {axis, axis == 0 ? 1 : 0, axis == 2 ? 1 : 2,
                iso_vec3_get(lower, axis) + 0.50013 * size};
    double width = iso_vec3_get(upper, at.right) - iso_vec3_get(lower, at.right);
    double height = iso_vec3_get(upper, at.up) - iso_vec3_get(lower, at.up);
    double scale = WIDTH / fmax(width, height);
    double origin[2] = {iso_vec3_get(lower, at.right), iso_vec3_get(upper, at.up)};
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(job->ctx, out_text,
                            "<figure><svg viewBox=\"-4 -4 %.1f %.1f\" stroke=\"#0003\" "
                            "stroke-width=\".4\" stroke-linejoin=\"round\">\n",
                            width * scale + 8.0, height * scale + 8.0));
    for (int i = 0; i < job->mesh.tet_count; ++i) {
        cut c = cut_tet(job, i, &at);
        if (c.count >= 3) {
            ISO_TRY(draw_cut(job, &c, origin, scale, out_text));
        }
    }
    status = iso_text_printf(job->ctx, out_text,
                             "</svg><figcaption>section at %c = %.4g m; %c to the right, %c up"
                             "</figcaption></figure>\n",
                             k_names[axis], at.level, k_names[at.right], k_names[at.up]);

done:
    return status;
}
