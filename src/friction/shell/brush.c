// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "friction/shell/brush.h"

#include "base/core/fail.h"
#include "friction/shell/slider.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A corner with less than this share of the force of all is not pressed: its stretch would be
// rounding.
#define LEAST_SHARE 1e-13

// Where a place is shared out to.
typedef struct iso_sharing {
    iso_corner first;  // of its cube
    int at[8];         // in the list of corners that act; -1: none has its share
    double weights[8]; // sum 1
} iso_sharing;

int iso_corner_order(const iso_corner* a, const iso_corner* b) {
    for (int k = 0; k < 3; ++k) {
        if (a->index[k] != b->index[k]) {
            return a->index[k] < b->index[k] ? -1 : 1;
        }
    }
    return 0;
}

static int compare(const void* a, const void* b) {
    return iso_corner_order(a, b);
}

static int find(const iso_corner* corners, int count, const iso_corner* corner) {
    const iso_corner* found =
        count > 0 ? bsearch(corner, corners, (size_t)count, sizeof *corners, compare) : NULL;
    return found ? (int)(found - corners) : -1;
}

static iso_corner corner_of(const iso_sharing* s, int k) {
    return (iso_corner){{s->first.index[0] + (k & 1), s->first.index[1] + (k >> 1 & 1),
                         s->first.index[2] + (k >> 2)}};
}

static void share_out(const iso_press* press, double size, iso_sharing* out) {
    const double at[3] = {press->place.x / size, press->place.y / size, press->place.z / size};
    double upper[3];
    for (int k = 0; k < 3; ++k) {
        double inside = fmin(fmax(at[k], -ISO_CORNER_FARTHEST), ISO_CORNER_FARTHEST - 1.0);
        out->first.index[k] = (int)floor(inside);
        upper[k] = inside - floor(inside);
    }
    for (int k = 0; k < 8; ++k) {
        out->weights[k] = ((k & 1) ? upper[0] : 1.0 - upper[0]) *
                          ((k & 2) ? upper[1] : 1.0 - upper[1]) *
                          ((k & 4) ? upper[2] : 1.0 - upper[2]);
    }
}

// Find the corners of each place in a list; neighbours often share a cube.
static int find_corners(const iso_corner* corners, int count, int offset, iso_sharing* sharings,
                        int place_count) {
    int missing = 0;
    for (int i = 0; i < place_count; ++i) {
        iso_sharing* s = &sharings[i];
        const iso_sharing* before = i > 0 ? s - 1 : NULL;
        bool is_same = before && iso_corner_order(&before->first, &s->first) == 0;
        for (int k = 0; k < 8; ++k) {
            if (s->at[k] >= 0 || !(s->weights[k] > 0.0)) {
                continue;
            }
            iso_corner corner = corner_of(s, k);
            bool is_known = is_same && before->at[k] >= offset;
            int at = is_known ? before->at[k] - offset : find(corners, count, &corner);
            s->at[k] = at >= 0 ? at + offset : -1;
            missing += at < 0;
        }
    }
    return missing;
}

// Corners that have a share and no springs, ordered, each once.
static iso_status find_missing(iso_arena* arena, iso_brush_field* f, int place_count, int most) {
    iso_corner* missing = iso_arena_push_array(arena, most, sizeof *missing);
    ISO_REQUIRE(arena->ctx, missing, ISO_ERR_MEMORY, "%d corners", most);
    int count = 0, kept = 0;
    for (int i = 0; i < place_count; ++i) {
        for (int k = 0; k < 8; ++k) {
            if (f->sharings[i].at[k] < 0 && f->sharings[i].weights[k] > 0.0) {
                missing[count++] = corner_of(&f->sharings[i], k);
            }
        }
    }
    qsort(missing, (size_t)count, sizeof *missing, compare);
    for (int i = 0; i < count; ++i) {
        if (kept == 0 || iso_corner_order(&missing[kept - 1], &missing[i]) != 0) {
            missing[kept++] = missing[i];
        }
    }
    f->missing = missing;
    f->missing_count = kept;
    find_corners(missing, kept, f->brush->count, f->sharings, place_count);
    return ISO_OK;
}

static void add_up(iso_brush_field* f, const iso_press* presses, int count) {
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 8; ++k) {
            if (f->sharings[i].at[k] >= 0) {
                iso_corner_load* at = &f->loads[f->sharings[i].at[k]];
                double force = f->sharings[i].weights[k] * presses[i].force;
                at->force += force;
                at->normal = iso_vec3_add_scaled(at->normal, presses[i].normal, force);
                at->place = iso_vec3_add_scaled(at->place, presses[i].place, force);
            }
        }
    }
}

// Where a corner acts: halfway to the centre of what it carries. Both keep the first moment; arms
// of the corner, X, are too long, those of the centre, c, too short, and the sum of f X . c is that
// of f r . r over all places, to rounding.
static iso_vec3 arm_of(const iso_brush_field* f, int i) {
    int count = f->brush->count;
    const iso_corner_load* c = &f->loads[i];
    const int* index = i < count ? f->brush->corners[i].index : f->missing[i - count].index;
    iso_vec3 corner = iso_vec3_make(index[0], index[1], index[2]);
    corner = iso_vec3_scale(corner, f->brush->size);
    return iso_vec3_scale(iso_vec3_add_scaled(corner, c->place, 1.0 / c->force), 0.5);
}

iso_status iso_brush_load(iso_arena* arena, const iso_brush* brush, const iso_press* presses,
                          int count, iso_brush_field* out) {
    iso_brush_field f = {.brush = brush};
    f.sharings = iso_arena_push_array(arena, count, sizeof *f.sharings);
    ISO_REQUIRE(arena->ctx, f.sharings, ISO_ERR_MEMORY, "shares of %d places", count);
    for (int i = 0; i < count; ++i) {
        memset(f.sharings[i].at, -1, sizeof f.sharings[i].at);
        share_out(&presses[i], brush->size, &f.sharings[i]);
    }
    int most = find_corners(brush->corners, brush->count, 0, f.sharings, count);
    iso_status status = most > 0 ? find_missing(arena, &f, count, most) : ISO_OK;
    if (status != ISO_OK) {
        return status;
    }
    f.count = brush->count + f.missing_count;
    f.loads = iso_arena_push_array(arena, f.count, sizeof *f.loads);
    ISO_REQUIRE(arena->ctx, f.loads, ISO_ERR_MEMORY, "%d corners", f.count);
    iso_brush_reload(&f, presses, count);
    *out = f;
    return ISO_OK;
}

void iso_brush_reload(iso_brush_field* f, const iso_press* presses, int count) {
    for (int i = 0; i < f->count; ++i) {
        f->loads[i] = (iso_corner_load){.force = 0.0};
    }
    add_up(f, presses, count);
    f->force = 0.0;
    for (int i = 0; i < f->count; ++i) {
        f->force += f->loads[i].force;
    }
    for (int i = 0; i < f->count; ++i) {
        iso_corner_load* c = &f->loads[i];
        c->is_pressed = c->force > LEAST_SHARE * f->force;
        if (c->is_pressed) {
            c->place = arm_of(f, i);
            c->normal = iso_vec3_normalized(c->normal);
        }
    }
}

static void slide(const iso_shell* shell, double mu, iso_spatial v_b, iso_vec3 s,
                  iso_corner_load* c, iso_brush_result* out) {
    iso_vec3 v = iso_vec3_add(v_b.translational, iso_vec3_cross(v_b.rotational, c->place));
    v = iso_vec3_tangential(v, c->normal);
    c->stretch =
        iso_vec3_tangential(iso_vec3_scale(s, 1.0 / sqrt(shell->stiffness * c->force)), c->normal);
    c->share = iso_slider_traction(shell, mu, c->stretch, v);
    c->is_sliding = iso_slider_slides(shell, mu, c->stretch, v);
    iso_vec3 friction = iso_vec3_scale(c->share, c->force);
    iso_vec3 moment = iso_vec3_cross(c->place, friction);
    out->wrench.rotational = iso_vec3_add(out->wrench.rotational, moment);
    out->wrench.translational = iso_vec3_add(out->wrench.translational, friction);
    out->taken -= iso_vec3_dot(friction, v);
    out->sliding += c->is_sliding ? c->force : 0.0;
}

// Friction of all corners and the rates of their springs; [Elandt2022] eq. 6.26 of each.
static void move_corners(const iso_shell* shell, double mu, const iso_brush_field* f,
                         const double* numbers, iso_spatial v_b, double* out_rates,
                         iso_brush_result* out) {
    int count = f->brush->count;
    out->heat = 0.0;
    for (int i = 0; i < f->count; ++i) {
        iso_corner_load* c = &f->loads[i];
        const double* x = numbers + ISO_CORNER_NUMBERS * i;
        iso_vec3 pull = iso_vec3_zero();
        iso_vec3 s = i < count ? iso_vec3_make(x[0], x[1], x[2]) : iso_vec3_zero();
        if (c->is_pressed) {
            slide(shell, mu, v_b, s, c, out);
            pull = iso_vec3_scale(c->share, sqrt(c->force / shell->stiffness));
        }
        iso_vec3 rate = iso_vec3_scale(iso_vec3_add(pull, s), -1.0 / shell->time);
        out->heat -= iso_vec3_dot(s, rate);
        if (i < count && out_rates) {
            const double rates[ISO_CORNER_NUMBERS] = {rate.x, rate.y, rate.z};
            memcpy(out_rates + ISO_CORNER_NUMBERS * i, rates, sizeof rates);
        }
    }
    out->heat += out->taken;
    out->sliding = f->force > 0.0 ? out->sliding / f->force : 0.0;
}

void iso_brush_feel(const iso_brush_field* f, const iso_press* presses, int count,
                    iso_press_felt* out) {
    for (int i = 0; i < count; ++i) {
        const iso_sharing* s = &f->sharings[i];
        out[i] = (iso_press_felt){.sliding = 0.0};
        for (int k = 0; k < 8; ++k) {
            if (s->at[k] >= 0) {
                const iso_corner_load* c = &f->loads[s->at[k]];
                double force = s->weights[k] * presses[i].force;
                out[i].friction = iso_vec3_add_scaled(out[i].friction, c->share, force);
                out[i].stretch = iso_vec3_add_scaled(out[i].stretch, c->stretch, s->weights[k]);
                out[i].sliding += c->is_sliding ? s->weights[k] : 0.0;
            }
        }
    }
}

iso_status iso_brush_eval(iso_arena* arena, const iso_shell* shell, double mu,
                          const iso_brush* brush, const double* s, const iso_press* presses,
                          int count, iso_spatial v_b, double* out_rates, iso_press_felt* out_felt,
                          iso_brush_result* out) {
    iso_brush_field f;
    *out = (iso_brush_result){.wrench = iso_spatial_zero()};
    iso_status status = iso_brush_load(arena, brush, presses, count, &f);
    if (status != ISO_OK) {
        return status;
    }
    move_corners(shell, mu, &f, s, v_b, out_rates, out);
    if (out_felt) {
        iso_brush_feel(&f, presses, count, out_felt);
    }
    out->missing = f.missing;
    out->missing_count = f.missing_count;
    return ISO_OK;
}

int iso_brush_merge(const iso_brush* a, const double* s, const iso_corner* more, int more_count,
                    iso_corner* out_corners, double* out_s) {
    int count = 0;
    for (int i = 0, k = 0; i < a->count || k < more_count; ++count) {
        int order = i == a->count     ? 1
                    : k == more_count ? -1
                                      : iso_corner_order(&a->corners[i], &more[k]);
        out_corners[count] = order <= 0 ? a->corners[i] : more[k];
        double* to = out_s + ISO_CORNER_NUMBERS * count;
        memset(to, 0, ISO_CORNER_NUMBERS * sizeof *to);
        if (order <= 0) {
            memcpy(to, s + ISO_CORNER_NUMBERS * i, ISO_CORNER_NUMBERS * sizeof *to);
        }
        i += order <= 0;
        k += order >= 0;
    }
    return count;
}
