// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/shell/brush.h"

#include "friction/shell/slider.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Energy below which springs that nothing presses are forgotten [J].
#define FORGOTTEN 1e-30

static int compare(const void* a, const void* b) {
    const iso_bristle *x = a, *y = b;
    for (int k = 0; k < 3; ++k) {
        if (x->index[k] != y->index[k]) {
            return x->index[k] < y->index[k] ? -1 : 1;
        }
    }
    return 0;
}

// What presses at one place, at the corners of its cube. Normals are weighted with the force.
static void share_out(const iso_press* press, double size, iso_bristle* out) {
    const double at[3] = {press->place.x / size, press->place.y / size, press->place.z / size};
    for (int corner = 0; corner < 8; ++corner) {
        iso_bristle* b = &out[corner];
        *b = (iso_bristle){.force = press->force};
        for (int k = 0; k < 3; ++k) {
            double low = floor(at[k]);
            int up = (corner >> k) & 1;
            b->index[k] = (int)low + up;
            b->force *= up ? at[k] - low : low + 1.0 - at[k];
        }
        b->normal = iso_vec3_scale(press->normal, b->force);
    }
}

// Neighbours with the same index become one; of the memories one is not zero at most.
static int merge(iso_bristle* data, int count) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (kept > 0 && compare(&data[kept - 1], &data[i]) == 0) {
            iso_bristle* into = &data[kept - 1];
            into->force += data[i].force;
            into->normal = iso_vec3_add(into->normal, data[i].normal);
            into->s = iso_vec3_add(into->s, data[i].s);
        } else {
            data[kept++] = data[i];
        }
    }
    return kept;
}

static iso_vec3 place_of(const iso_brush* brush, const iso_bristle* b) {
    return iso_vec3_make(brush->size * b->index[0], brush->size * b->index[1],
                         brush->size * b->index[2]);
}

static void relax(iso_bristle* b, const iso_shell* shell, double dt) {
    b->s = iso_vec3_scale(b->s, 1.0 / (1.0 + dt / shell->time));
    b->friction = iso_vec3_zero();
    b->is_sliding = false;
}

iso_vec3 iso_bristle_stretch(const iso_bristle* b, const iso_shell* shell) {
    return b->force > 0.0 ? iso_vec3_scale(b->s, 1.0 / sqrt(shell->stiffness * b->force))
                          : iso_vec3_zero();
}

static void step_bristle(const iso_brush* brush, iso_bristle* b, const iso_shell* shell, double mu,
                         iso_spatial v_b, double dt, iso_brush_result* result) {
    b->normal = iso_vec3_normalized(b->normal);
    iso_vec3 place = place_of(brush, b), n = b->normal;
    iso_vec3 v = iso_vec3_add(v_b.translational, iso_vec3_cross(v_b.rotational, place));
    v = iso_vec3_add_scaled(v, n, -iso_vec3_dot(v, n));
    iso_vec3 stretch = iso_bristle_stretch(b, shell);
    stretch = iso_vec3_add_scaled(stretch, n, -iso_vec3_dot(stretch, n));
    iso_vec3 sticking = iso_vec3_add_scaled(stretch, v, shell->time + dt);
    b->is_sliding = shell->stiffness * iso_vec3_norm(sticking) > mu;
    iso_vec3 traction = iso_slider_step(shell, mu, v, dt, &stretch);
    b->friction = iso_vec3_scale(traction, b->force);
    b->s = iso_vec3_scale(stretch, sqrt(shell->stiffness * b->force));
    iso_vec3 moment = iso_vec3_cross(place, b->friction);
    result->wrench.rotational = iso_vec3_add(result->wrench.rotational, moment);
    result->wrench.translational = iso_vec3_add(result->wrench.translational, b->friction);
    result->taken -= iso_vec3_dot(b->friction, v);
    result->sliding += b->is_sliding ? b->force : 0.0;
}

// Old springs and what presses now, sorted into scratch.
static iso_status gather(iso_context* ctx, iso_brush* brush, const iso_press* presses, int count) {
    int most = brush->bristles.count + 8 * count, added = 0;
    iso_status status = ISO_ARRAY_RESERVE(ctx, &brush->scratch, most);
    if (status != ISO_OK) {
        return status;
    }
    iso_bristle* data = brush->scratch.data;
    for (int i = 0; i < brush->bristles.count; ++i) {
        data[added] = brush->bristles.data[i];
        data[added].force = 0.0;
        data[added++].normal = iso_vec3_zero();
    }
    for (int i = 0; i < count; ++i) {
        iso_bristle corners[8];
        share_out(&presses[i], brush->size, corners);
        for (int k = 0; k < 8; ++k) {
            if (corners[k].force > 0.0) {
                data[added++] = corners[k];
            }
        }
    }
    if (added > 0) {
        qsort(data, (size_t)added, sizeof *data, compare);
    }
    brush->scratch.count = merge(data, added);
    return ISO_ARRAY_RESERVE(ctx, &brush->bristles, brush->scratch.count);
}

iso_status iso_brush_step(iso_context* ctx, iso_brush* brush, const iso_shell* shell, double mu,
                          const iso_press* presses, int count, iso_spatial v_b, double dt,
                          iso_brush_result* out) {
    iso_status status = gather(ctx, brush, presses, count);
    if (status != ISO_OK) {
        return status;
    }
    *out = (iso_brush_result){.wrench = iso_spatial_zero()};
    double total = 0.0;
    brush->bristles.count = 0;
    for (int i = 0; i < brush->scratch.count; ++i) {
        iso_bristle b = brush->scratch.data[i];
        if (b.force > 0.0) {
            step_bristle(brush, &b, shell, mu, v_b, dt, out);
        } else {
            relax(&b, shell, dt);
        }
        double energy = 0.5 * iso_vec3_norm_squared(b.s);
        out->energy += energy;
        total += b.force;
        if (b.force > 0.0 || energy > FORGOTTEN) {
            brush->bristles.data[brush->bristles.count++] = b;
        }
    }
    out->sliding = total > 0.0 ? out->sliding / total : 0.0;
    return ISO_OK;
}

void iso_brush_free(iso_context* ctx, iso_brush* brush) {
    ISO_ARRAY_FREE(ctx, &brush->bristles);
    ISO_ARRAY_FREE(ctx, &brush->scratch);
}
