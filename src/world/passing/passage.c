// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/passing/passage.h"

#include <math.h>

// Pieces of the span that are looked at, each once, and queries of the pair in them.
#define MOST_PIECES 512
#define MOST_QUERIES 48
// Halvings that find when a pair meets.
#define HALVINGS 8
// Shares of half the thinner geometry: the length of a piece that is not cut, what boxes must have
// in common, and what says by itself that one went through and left.
#define SHARE_OF_PIECE 0.25
#define SHARE_IN_COMMON 0.1
#define SHARE_OF_DEPTH 0.5

iso_pose iso_travel_body(const iso_travel* travel, double share) {
    double left = share - 1.0;
    iso_vec3 turn = iso_vec3_scale(travel->turn, left);
    iso_mat3 r = iso_mat3_from_quat(iso_quat_from_rotation_vector(turn));
    return iso_pose_make(iso_mat3_mul(r, travel->end.r),
                         iso_vec3_add_scaled(travel->end.p, travel->way, left));
}

double iso_travel_half_width(const iso_travel_box* box, const iso_mat3* r_wg, iso_vec3 way_w) {
    iso_vec3 d = iso_mat3_tmul_vec3(r_wg, way_w);
    return fabs(d.x) * box->half.x + fabs(d.y) * box->half.y + fabs(d.z) * box->half.z;
}

static iso_vec3 center_at(const iso_travel* travel, double share) {
    iso_pose x = iso_travel_body(travel, share);
    return iso_pose_point(&x, travel->box->center);
}

static double thinness(const iso_travel* travel) {
    iso_vec3 h = travel->box->half;
    return travel->box->is_watched ? fmin(h.x, fmin(h.y, h.z)) : INFINITY;
}

/// A pair on its way, and what is asked of it.
typedef struct pair_way {
    iso_contact_system* system;
    iso_arena* arena;
    const iso_travel* travels;
    double least; // half of the thinner one [m]
    int queries;
} pair_way;

static iso_vec3 apart_at(const pair_way* w, double share) {
    return iso_vec3_sub(center_at(&w->travels[1], share), center_at(&w->travels[0], share));
}

static bool meets_at(pair_way* w, double share, iso_contact_meeting* out) {
    iso_pose x[2];
    for (int i = 0; i < 2; ++i) {
        x[i] = iso_travel_body(&w->travels[i], share);
        x[i] = iso_pose_mul(&x[i], &w->travels[i].x_bg);
    }
    ++w->queries;
    return iso_contact_system_meets(w->system, w->travels[0].geometry, w->travels[1].geometry, x,
                                    w->arena, out);
}

/// Boxes at the middle of a piece, and how they move in it.
typedef struct piece_boxes {
    iso_mat3 r[2];
    iso_vec3 apart, before, after; // ways of `apart` to the ends of the piece
    double turning;                // of corners [m]
} piece_boxes;

static piece_boxes boxes_of(const pair_way* w, double middle, double half) {
    piece_boxes p = {.apart = apart_at(w, middle)};
    p.before = iso_vec3_sub(apart_at(w, middle - half), p.apart);
    p.after = iso_vec3_sub(apart_at(w, middle + half), p.apart);
    for (int i = 0; i < 2; ++i) {
        const iso_travel* t = &w->travels[i];
        iso_mat3 r_wb = iso_travel_body(t, middle).r;
        p.r[i] = iso_mat3_mul(r_wb, t->x_bg.r);
        p.turning += half * iso_vec3_norm(t->turn) * iso_vec3_norm(t->box->half);
    }
    return p;
}

// How far the boxes are apart along an axis of any length, less what they move in the piece; zero
// for no axis.
static void gaps_along(const pair_way* w, const piece_boxes* p, iso_vec3 axis, double* out_middle,
                       double* out_least) {
    double length = iso_vec3_norm(axis);
    if (length < 1e-6) {
        return;
    }
    axis = iso_vec3_scale(axis, 1.0 / length);
    double widths = iso_travel_half_width(w->travels[0].box, &p->r[0], axis) +
                    iso_travel_half_width(w->travels[1].box, &p->r[1], axis);
    double gap = fabs(iso_vec3_dot(p->apart, axis)) - widths;
    double moved = fmax(fabs(iso_vec3_dot(p->before, axis)), fabs(iso_vec3_dot(p->after, axis)));
    *out_middle = fmax(*out_middle, gap);
    *out_least = fmax(*out_least, gap - moved - p->turning);
}

// The largest gaps along the axes that part two boxes: in the middle of a piece, and in all of it.
static void find_gaps(const pair_way* w, const piece_boxes* p, double* out_middle,
                      double* out_least) {
    *out_middle = *out_least = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        iso_vec3 a = iso_mat3_column(&p->r[0], i);
        gaps_along(w, p, a, out_middle, out_least);
        gaps_along(w, p, iso_mat3_column(&p->r[1], i), out_middle, out_least);
        for (int k = 0; k < 3; ++k) {
            iso_vec3 b = iso_mat3_column(&p->r[1], k);
            gaps_along(w, p, iso_vec3_cross(a, b), out_middle, out_least);
        }
    }
}

// How far a place of body B that meets there goes into A until the end, along the normal; without
// one, as far as it goes.
static double depth_after(const pair_way* w, double share, const iso_contact_meeting* at) {
    iso_vec3 p[2];
    for (int i = 0; i < 2; ++i) {
        iso_pose then = iso_travel_body(&w->travels[i], share);
        p[i] = iso_pose_point(&w->travels[i].end, iso_pose_inverse_point(&then, at->p_w));
    }
    iso_vec3 way = iso_vec3_sub(p[0], p[1]);
    bool has_normal = iso_vec3_norm(at->normal) > 0.5;
    return has_normal ? iso_vec3_dot(way, at->normal) : iso_vec3_norm(way);
}

// It meets at a share: whether it then goes in deep.
static bool goes_through(pair_way* w, double share) {
    iso_contact_meeting meeting = {0}, first;
    double before = 0.0;
    if (!meets_at(w, share, &first)) {
        return false;
    }
    for (int i = 0; i < HALVINGS; ++i) {
        double middle = 0.5 * (before + share);
        if (meets_at(w, middle, &meeting)) {
            share = middle;
            first = meeting;
        } else {
            before = middle;
        }
    }
    iso_vec3 n = first.normal;
    double least = INFINITY;
    for (int i = 0; i < 2; ++i) {
        const iso_travel* t = &w->travels[i];
        iso_mat3 r_wb = iso_travel_body(t, share).r;
        iso_mat3 r = iso_mat3_mul(r_wb, t->x_bg.r);
        double half = iso_vec3_norm(n) > 0.5 ? iso_travel_half_width(t->box, &r, n) : thinness(t);
        least = t->box->is_watched ? fmin(least, half) : least;
    }
    return depth_after(w, share, &first) > least;
}

bool iso_travels_pass(iso_contact_system* system, iso_arena* arena, const iso_travel travels[2]) {
    pair_way w = {system, arena, travels, fmin(thinness(&travels[0]), thinness(&travels[1])), 0};
    iso_contact_meeting meeting;
    struct {
        double middle, half;
    } pieces[MOST_PIECES]; // a queue: the coarse ones come first
    int count = 1;
    pieces[0].middle = pieces[0].half = 0.5;
    if (!isfinite(w.least) || meets_at(&w, 0.0, &meeting)) {
        return false;
    }
    for (int i = 0; i < count && w.queries < MOST_QUERIES; ++i) {
        double middle = pieces[i].middle, half = pieces[i].half;
        piece_boxes p = boxes_of(&w, middle, half);
        double gap, least;
        find_gaps(&w, &p, &gap, &least);
        if (gap < -SHARE_IN_COMMON * w.least && meets_at(&w, middle, &meeting)) {
            bool is_deep = gap < -SHARE_OF_DEPTH * w.least;
            return (is_deep && !meets_at(&w, 1.0, &meeting)) || goes_through(&w, middle);
        }
        double moved = fmax(iso_vec3_norm(p.before), iso_vec3_norm(p.after)) + p.turning;
        bool is_cut = least < -SHARE_IN_COMMON * w.least && moved > SHARE_OF_PIECE * w.least;
        for (int k = -1; k <= 1 && is_cut && count < MOST_PIECES; k += 2) {
            pieces[count].middle = middle + 0.5 * half * k;
            pieces[count++].half = 0.5 * half;
        }
    }
    return false;
}
