// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What the benchmarks of contact patches share: shapes, pairs, batches of queries.

#include "support/meter.h"
#include "surface/pairs/pair_query.h"

typedef struct bench {
    iso_context* ctx;
    iso_arena arena;
    long allocation_count;
    const char* assets; // NULL: none
    const char* filter; // NULL: all
    bool takes_turns;   // the filter is a whole name, and somebody else says when to measure
} bench;

// One body of a pair: a primitive, or a mesh of the assets.
typedef struct part {
    iso_shape_desc shape;
    const char* file; // below the assets, NULL for primitives
    iso_contact_material material;
} part;

// Two shapes in contact, A at the origin of W.
typedef struct bench_pair {
    iso_contact_shape *a, *b;
    iso_pose x_ab;
    iso_contact_options options;
} bench_pair;

// Means of the processor time of one query over turns of them [us].
typedef struct bench_time {
    double median, best;
} bench_time;

// Program PROGRAM [ASSETS_DIR [FILTER]]; false when out of memory.
bool bench_begin(bench* b, int argc, char** argv);
void bench_end(bench* b);
bool bench_is_wanted(const bench* b, const char* name);

part bench_part(iso_shape_desc shape, const char* file, bool is_rigid, double modulus, double hint);
iso_shape_desc bench_sphere(double radius);
iso_shape_desc bench_box(double x, double y, double z);
iso_shape_desc bench_ellipsoid(double x, double y, double z);
iso_shape_desc bench_cylinder(double radius, double length);
iso_pose bench_shifted(double x, double y, double z);

iso_status bench_create_shape(bench* b, const part* p, iso_contact_shape** out_shape);
iso_contact_options bench_options(iso_representation representation);

// A query with shape A at the origin of W; the arena is reset before.
iso_status bench_query(bench* b, const iso_contact_shape* shape_a, const iso_contact_shape* shape_b,
                       const iso_pose* x_ab, const iso_contact_options* options,
                       iso_patch* out_patch);

// A turn: mean processor time of one query in this thread over five milliseconds of them [us]; what
// else the machine does meanwhile does not count. A query before that is not counted, as it may
// find its data gone from the caches; one that takes longer than a turn is a turn.
double bench_turn(bench* b, const bench_pair* pair);

// So many turns, one after the other.
bench_time bench_measure(bench* b, const bench_pair* pair, int turn_count);

// The upper one of the two in the middle of an even number. Puts the values in order.
double bench_median(double* values, int count);
