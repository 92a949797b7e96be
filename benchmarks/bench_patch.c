// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Processor time of one contact-patch query in microseconds (median and smallest of several
// turns), faces and area: one JSON line per pair and pose. Usage: bench_patch [ASSETS_DIR [FILTER
// [turns]]]   (default: environment ISOBAR_ASSETS; without assets the pairs of real meshes are left
// out; FILTER: only cases whose name contains it, or, before `turns`, is it; that one then takes a
// turn for every line that it reads, and prints a line for it)

#include "base/core/fail.h"
#include "base/system/task_pool.h"
#include "support/patch_bench.h"
#include "surface/shapes/contact_shape_data.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TURNS 25
// Turns of one large pair by one thread and by two, and queries of each.
#define SHARED_TURNS 41
#define SHARED_QUERIES 10
// Times that a line of the cache goes from core to core and back, of which the quickest round
// counts.
#define RELAY_TRIPS 100
#define RELAY_ROUNDS 50
// Poses that a pair takes in turn where it moves.
#define SHARED_POSES 64
// Of the clock's time, what a thread has that no other program keeps from its core.
#define FREE_SHARE 0.95

// What a kernel needs of a tetrahedron: corners with pressures, gradient, planes of the faces.
#define TET_BYTES (36 * sizeof(double))

// Elements of one body that carry faces, each counted once.
static int distinct(const iso_face_elements* elements, int face_count, bool is_b, char* seen,
                    int element_count) {
    int count = 0;
    memset(seen, 0, (size_t)element_count);
    for (int f = 0; f < face_count; ++f) {
        int e = is_b ? elements[f].b : elements[f].a;
        if (e >= 0 && e < element_count && !seen[e]) {
            seen[e] = 1;
            ++count;
        }
    }
    return count;
}

// Bytes that any method must move for a patch: the patch itself, and once the data of every element
// that carries a face.
static double least_bytes(const iso_patch* patch, const iso_contact_shape* const shapes[2]) {
    double face = sizeof(int) + 2 * sizeof(double) + 4 * sizeof(iso_vec3) + sizeof *patch->elements;
    double vertex = sizeof(iso_vec3) + sizeof(double);
    double bytes = face * patch->face_count + vertex * patch->vertex_count;
    for (int i = 0; i < 2; ++i) {
        const iso_contact_shape* shape = shapes[i];
        int count = shape->field           ? shape->field->mesh.tet_count
                    : shape->is_half_space ? 0
                                           : shape->surface.triangle_count;
        char* seen = count > 0 ? malloc((size_t)count) : NULL;
        if (seen) {
            double each = shape->field ? TET_BYTES : sizeof(iso_tri_packet) / ISO_DOUBLE4_LANES;
            bytes += each * distinct(patch->elements, patch->face_count, i == 1, seen, count);
        }
        free(seen);
    }
    return bytes;
}

// Floating-point operations that any method must do for a patch. A vertex: 14 to find it on an edge
// with its pressure, 18 to move it into W. A triangle of the fan that measures a face: 32. A face:
// 45 to turn a normal and two gradients, 37 for its centroid and pressure.
static double least_flops(const iso_patch* patch) {
    return 32.0 * patch->vertex_count + 32.0 * (patch->vertex_count - 2 * patch->face_count) +
           82.0 * patch->face_count;
}

// Whether a case is to be measured and its files are there.
static bool is_to_run(const bench* b, const char* name, const part* part_a, const part* part_b) {
    return bench_is_wanted(b, name) && ((!part_a->file && !part_b->file) || b->assets);
}

static iso_status create_pair(bench* b, const part* part_a, const part* part_b, iso_pose x_ab,
                              iso_representation representation, bench_pair* out) {
    *out = (bench_pair){.x_ab = x_ab, .options = bench_options(representation)};
    iso_status status = bench_create_shape(b, part_a, &out->a);
    return status == ISO_OK ? bench_create_shape(b, part_b, &out->b) : status;
}

static void destroy_pair(bench* b, bench_pair* pair) {
    iso_contact_shape_destroy(b->ctx, pair->a);
    iso_contact_shape_destroy(b->ctx, pair->b);
}

// A turn for every line that comes in.
static void take_turns(bench* b, const bench_pair* pair) {
    while (getchar() == '\n') {
        long before = b->allocation_count;
        double us = bench_turn(b, pair);
        printf("{\"us\": %.4f, \"allocations\": %ld}\n", us, b->allocation_count - before);
        fflush(stdout);
    }
}

static bool run_case(bench* b, const char* name, part part_a, part part_b, iso_pose x_ab,
                     iso_representation representation) {
    if (!is_to_run(b, name, &part_a, &part_b)) {
        return true;
    }
    bench_pair pair;
    iso_patch patch = {0};
    iso_status status = create_pair(b, &part_a, &part_b, x_ab, representation, &pair);
    for (int i = 0; i < 3 && status == ISO_OK; ++i) { // the arena settles
        status = bench_query(b, pair.a, pair.b, &pair.x_ab, &pair.options, &patch);
    }
    if (status == ISO_OK) {
        int faces = patch.face_count;
        double area = patch.area;
        const iso_contact_shape* shapes[2] = {pair.a, pair.b};
        double bytes = least_bytes(&patch, shapes), flops = least_flops(&patch);
        long before = b->allocation_count;
        bench_time us = bench_measure(b, &pair, b->takes_turns ? 1 : TURNS);
        printf("{\"case\": \"%s\", \"engine\": \"isobar\", \"us\": %.3f, \"us_best\": %.3f, "
               "\"faces\": %d, \"us_per_face\": %.4f, \"area\": %.12g, \"allocations\": %ld, "
               "\"least_bytes\": %.0f, \"least_flops\": %.0f}\n",
               name, us.median, us.best, faces, faces > 0 ? us.median / faces : 0.0, area,
               b->allocation_count - before, bytes, flops);
        fflush(stdout);
        if (b->takes_turns) {
            take_turns(b, &pair);
        }
    } else {
        fprintf(stderr, "%s: %s\n", name, iso_context_error(b->ctx));
    }
    destroy_pair(b, &pair);
    return status == ISO_OK;
}

// Quickest query of a turn [us]: by the most processor time that a thread needs, and by the clock.
typedef struct quickest {
    double most, wall;
    bool is_free;  // every thread had a core all the time, as one that waits for another looks
                   // round, and in the query before too: else data lie in the other one's cache
    bool was_free; // every thread had a core in the last query
} quickest;

static const quickest k_none = {.most = INFINITY, .wall = INFINITY};

// Note a query of a turn in which every thread had a core all the time, or not.
static void note_query(quickest* q, double most, double wall, bool has_cores) {
    bool is_free = has_cores && q->was_free;
    if (is_free > q->is_free || (is_free == q->is_free && most < q->most)) {
        *q = (quickest){.most = most, .wall = wall, .is_free = is_free};
    }
    q->was_free = has_cores;
}

// Two threads with their clocks: that of the process lags behind for a thread on another core.
typedef struct duo {
    iso_task_pool* pool;
    iso_search_threads search_threads;
    clockid_t clocks[2];
    atomic_int known;
    iso_arena arenas[2]; // of queries side by side
    iso_vec3 travel;     // from one pose to the next [m]; zero: all queries have the same
} duo;

static void note_clock(void* user, int item, int worker) {
    (void)item;
    duo* d = user;
    pthread_getcpuclockid(pthread_self(), &d->clocks[worker]);
    atomic_fetch_or(&d->known, 1 << worker);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); // leaves the other item to the other
}

static iso_status create_duo(bench* b, iso_vec3 travel, duo* d) {
    *d = (duo){.travel = travel};
    iso_status status = ISO_OK;
    ISO_TRY(iso_arena_init(&d->arenas[0], b->ctx, 0));
    ISO_TRY(iso_arena_init(&d->arenas[1], b->ctx, 0));
    ISO_TRY(iso_task_pool_create(b->ctx, 2, &d->pool));
    ISO_TRY(iso_search_threads_join(&d->search_threads, b->ctx, d->pool));
    while (atomic_load(&d->known) != 3) {
        iso_task_pool_run(d->pool, 2, note_clock, d);
    }

done:
    return status;
}

static void destroy_duo(duo* d) {
    iso_search_threads_destroy(&d->search_threads);
    iso_task_pool_destroy(d->pool);
    iso_arena_destroy(&d->arenas[0]);
    iso_arena_destroy(&d->arenas[1]);
}

// A pair as it is in a query of a turn.
static bench_pair moved_pair(const bench_pair* pair, const duo* d, int turn, int query) {
    bench_pair moved = *pair;
    int pose = (turn * SHARED_QUERIES + query) % SHARED_POSES;
    moved.x_ab.p = iso_vec3_add_scaled(moved.x_ab.p, d->travel, pose);
    return moved;
}

// A turn of one thread, or of two.
static iso_status take_shared_turn(bench* b, const bench_pair* pair, duo* d, int turn, bool by_two,
                                   iso_patch* out_patch, quickest* out) {
    *out = k_none;
    iso_pose identity = iso_pose_identity();
    iso_status status = ISO_OK;
    for (int i = 0; i < SHARED_QUERIES && status == ISO_OK; ++i) {
        bench_pair p = moved_pair(pair, d, turn, i);
        double wall = bench_now_us(), own = bench_cpu_us(), other = bench_clock_us(d->clocks[1]);
        status = iso_arena_reset(&b->arena);
        if (status == ISO_OK) {
            status = iso_pair_query_with(by_two ? &d->search_threads : NULL, &b->arena, p.a,
                                         &identity, p.b, &p.x_ab, &p.options, out_patch);
        }
        other = by_two ? bench_clock_us(d->clocks[1]) - other : 0.0;
        own = bench_cpu_us() - own;
        wall = bench_now_us() - wall;
        bool has_cores = own > FREE_SHARE * wall && (!by_two || other > FREE_SHARE * wall);
        note_query(out, fmax(own, other), wall, has_cores);
    }
    return status;
}

// Two queries of the same pair at once, each by one thread.
typedef struct side_by_side {
    const bench_pair* pair;
    iso_arena* arenas;
    atomic_int begun;
    double us[2], wall[2];
    iso_status status[2];
} side_by_side;

static iso_status query_alone(iso_arena* arena, const bench_pair* pair) {
    iso_pose identity = iso_pose_identity();
    iso_patch patch;
    iso_status status = iso_arena_reset(arena);
    return status == ISO_OK ? iso_pair_query_with(NULL, arena, pair->a, &identity, pair->b,
                                                  &pair->x_ab, &pair->options, &patch)
                            : status;
}

static void query_beside(void* user, int item, int worker) {
    (void)worker;
    side_by_side* s = user;
    atomic_fetch_add(&s->begun, 1);
    while (atomic_load(&s->begun) < 2) { // the other takes the other item
        sched_yield();
    }
    double wall = bench_now_us(), us = bench_cpu_us();
    s->status[item] = query_alone(&s->arenas[item], s->pair);
    s->us[item] = bench_cpu_us() - us;
    s->wall[item] = bench_now_us() - wall;
}

// A turn of two threads with a query each: what two cores have to give, as they share the memory.
static iso_status take_turn_beside(const bench_pair* pair, duo* d, int turn, quickest* out) {
    *out = k_none;
    iso_status status = ISO_OK;
    for (int i = 0; i < SHARED_QUERIES && status == ISO_OK; ++i) {
        bench_pair p = moved_pair(pair, d, turn, i);
        side_by_side s = {.pair = &p, .arenas = d->arenas};
        iso_task_pool_run(d->pool, 2, query_beside, &s);
        status = s.status[0] != ISO_OK ? s.status[0] : s.status[1];
        bool have_cores = s.us[0] > FREE_SHARE * s.wall[0] && s.us[1] > FREE_SHARE * s.wall[1];
        double most = 2.0 / (1.0 / s.us[0] + 1.0 / s.us[1]); // as of one thread on either core
        note_query(out, most, fmax(s.wall[0], s.wall[1]), have_cores);
    }
    return status;
}

// A number that two threads count up in turn.
typedef struct relay {
    _Alignas(64) atomic_int count;
    double ns; // of a round trip
} relay;

static void await(relay* r, int count) {
    for (int looks = 0; atomic_load(&r->count) != count; ++looks) {
        if (looks > 1000) {
            sched_yield(); // the other may want this core
        }
    }
}

static void pass_on(void* user, int item, int worker) {
    (void)worker;
    relay* r = user;
    for (int round = 0; round < RELAY_ROUNDS; ++round) {
        double begin = bench_now_us();
        for (int trip = 0; trip < RELAY_TRIPS; ++trip) {
            int count = 2 * (round * RELAY_TRIPS + trip) + item;
            await(r, count);
            atomic_store(&r->count, count + 1);
        }
        double ns = 1e3 * (bench_now_us() - begin) / RELAY_TRIPS;
        if (item == 0) {
            r->ns = fmin(r->ns, ns);
        }
    }
}

// How long a line of the cache takes from one core to the other and back [ns].
static double find_line_ns(duo* d) {
    relay r = {.ns = INFINITY};
    iso_task_pool_run(d->pool, 2, pass_on, &r);
    return r.ns;
}

// What the turns come to.
typedef struct shared_times {
    double us, us_best, us_alone; // us and us_alone: medians of the turns
    double cpu_ratio, wall_ratio; // medians of those of neighbouring turns
    double machine_ratio;         // the same of two queries side by side, by processor time
    double line_ns;               // median of a line's way from core to core and back
    long allocations;             // after the first quarter of the turns
    int free_count; // turns in which no other program kept a core busy; if any, no others count
} shared_times;

// Four turns: by one thread on a core, by it on another, by two threads, by two side by side. Two
// cores that are not equally fast together do what two of their mean speed do.
static iso_status take_shared_turns(bench* b, const bench_pair* pair, duo* d, int turn,
                                    iso_patch* out_patch, quickest* out_one, quickest* out_two,
                                    quickest* out_beside) {
    int cores[BENCH_MOST_CORES], core_count = bench_find_cores(cores);
    quickest found[4];
    iso_status status = ISO_OK;
    for (int i = 0; i < 4 && status == ISO_OK; ++i) {
        int k = (turn + i) % 4;
        if (k < 2 && core_count > 1) {
            bench_go_to(cores + k, 1);
        }
        status = k == 3 ? take_turn_beside(pair, d, turn, &found[k])
                        : take_shared_turn(b, pair, d, turn, k == 2, out_patch, &found[k]);
        if (k < 2 && core_count > 1) {
            bench_go_to(cores, core_count);
        }
    }
    if (status == ISO_OK) {
        *out_one = (quickest){.most = 2.0 / (1.0 / found[0].most + 1.0 / found[1].most),
                              .wall = 2.0 / (1.0 / found[0].wall + 1.0 / found[1].wall),
                              .is_free = found[0].is_free && found[1].is_free};
        *out_two = found[2];
        *out_beside = found[3];
    }
    return status;
}

static iso_status measure_shared(bench* b, const bench_pair* pair, duo* d, iso_patch* out_patch,
                                 shared_times* out) {
    double alone[SHARED_TURNS], shared[SHARED_TURNS], cpu[SHARED_TURNS], wall[SHARED_TURNS];
    double machine[SHARED_TURNS], line[SHARED_TURNS];
    iso_status status = ISO_OK;
    long before = 0;
    int count = 0;
    *out = (shared_times){0};
    for (int i = 0; i < 6 && status == ISO_OK; ++i) { // the arenas settle
        status = query_alone(&d->arenas[i % 2], pair);
    }
    for (int i = 0; i < SHARED_TURNS && status == ISO_OK; ++i) {
        before = i == SHARED_TURNS / 4 ? b->allocation_count : before;
        quickest one = {0}, two = {0}, beside = {0};
        status = take_shared_turns(b, pair, d, i, out_patch, &one, &two, &beside);
        bool is_free = one.is_free && two.is_free && beside.is_free;
        if (status != ISO_OK || (out->free_count > 0 && !is_free)) {
            continue;
        }
        count = is_free ? out->free_count++ : count; // those before it are left out
        alone[count] = one.most;
        shared[count] = two.most;
        cpu[count] = one.most / two.most;
        wall[count] = one.wall / two.wall;
        machine[count] = 2.0 * one.most / beside.most;
        line[count] = find_line_ns(d);
        ++count;
    }
    if (status == ISO_OK) {
        out->us = bench_median(shared, count);
        out->us_best = shared[0];
        out->us_alone = bench_median(alone, count);
        out->cpu_ratio = bench_median(cpu, count);
        out->wall_ratio = bench_median(wall, count);
        out->machine_ratio = bench_median(machine, count);
        out->line_ns = bench_median(line, count);
        out->allocations = b->allocation_count - before;
    }
    return status;
}

// One large pair by two threads beside the same by one, at rest or on its way.
static bool run_shared_at(bench* b, const char* name, part part_a, part part_b, iso_pose x_ab,
                          iso_vec3 travel) {
    if (!is_to_run(b, name, &part_a, &part_b)) {
        return true;
    }
    bench_pair pair;
    duo d = {0};
    iso_patch patch = {0};
    shared_times t;
    iso_status status = ISO_OK;
    ISO_TRY(create_pair(b, &part_a, &part_b, x_ab, ISO_REPRESENTATION_POLYGON, &pair));
    ISO_TRY(create_duo(b, travel, &d));
    ISO_TRY(measure_shared(b, &pair, &d, &patch, &t));
    const iso_contact_shape* const found[2] = {pair.a, pair.b};
    printf("{\"case\": \"%s\", \"engine\": \"isobar\", \"threads\": 2, \"us\": %.3f, "
           "\"us_best\": %.3f, \"us_alone\": %.3f, \"faces\": %d, \"area\": %.12g, "
           "\"allocations\": %ld, \"cpu_ratio\": %.3f, \"wall_ratio\": %.3f, "
           "\"machine_ratio\": %.3f, \"line_ns\": %.0f, \"free_turns\": %d, \"least_bytes\": %.0f, "
           "\"least_flops\": %.0f}\n",
           name, t.us, t.us_best, t.us_alone, patch.face_count, patch.area, t.allocations,
           t.cpu_ratio, t.wall_ratio, t.machine_ratio, t.line_ns, t.free_count,
           least_bytes(&patch, found), least_flops(&patch));
    fflush(stdout);

done:
    if (status != ISO_OK) {
        fprintf(stderr, "%s: %s\n", name, iso_context_error(b->ctx));
    }
    destroy_duo(&d);
    destroy_pair(b, &pair);
    return status == ISO_OK;
}

// @param travel  from one query to the next, where the pair moves
static bool run_shared(bench* b, const char* name, part part_a, part part_b, iso_pose x_ab,
                       iso_vec3 travel) {
    char moving[160];
    snprintf(moving, sizeof moving, "%s/moving", name);
    bool ok = run_shared_at(b, name, part_a, part_b, x_ab, iso_vec3_zero());
    return run_shared_at(b, moving, part_a, part_b, x_ab, travel) && ok;
}

// Sphere and ellipsoid of [Drake]'s mesh-intersection benchmarks, single interior vertex.
static bool run_ellipsoids(bench* b) {
    const double hints[] = {4.0, 2.0, 1.0, 0.5}, shifts[] = {3.5, 1.2, 0.0};
    bool ok = true;
    for (int res = 0; res < 4; ++res) {
        for (int ov = 0; ov < 3; ++ov) {
            double h = hints[res], s = shifts[ov];
            part soft = bench_part(bench_ellipsoid(3.01, 3.5, 4.0), NULL, false, 1e5, h);
            part rigid = bench_part(bench_sphere(3.0), NULL, true, 1e5, h);
            part ball = bench_part(bench_sphere(3.0), NULL, false, 1e5, h);
            char name[128];
            for (int i = 0; i < 2; ++i) {
                snprintf(name, sizeof name, "rigid_sphere-compliant_ellipsoid/%s/res%d/ov%d",
                         i ? "tri" : "poly", res, ov);
                ok &= run_case(b, name, soft, rigid, bench_shifted(s, s, s),
                               i ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON);
            }
            if (ov < 2) {
                snprintf(name, sizeof name, "compliant-compliant/poly/res%d/ov%d", res, ov);
                ok &= run_case(b, name, soft, ball, bench_shifted(s, s, s),
                               ISO_REPRESENTATION_POLYGON);
            }
        }
    }
    for (int i = 0; i < 2; ++i) {
        double h = i ? 0.2 : 0.5;
        part soft = bench_part(bench_ellipsoid(3.01, 3.5, 4.0), NULL, false, 1e5, h);
        part ball = bench_part(bench_sphere(3.0), NULL, false, 1e5, h);
        char name[128];
        snprintf(name, sizeof name, "compliant-compliant/h%g/threads2", h);
        ok &= run_shared(b, name, soft, ball, bench_shifted(1.2, 1.2, 1.2),
                         iso_vec3_make(3e-4, 2e-4, -3e-4));
    }
    return ok;
}

static bool run_meshes(bench* b) {
    const iso_shape_desc mesh = iso_shape_desc_default(ISO_SHAPE_MESH);
    const double hints[] = {0.01, 0.005, 0.0025}, heights[] = {0.0, 0.02};
    part bubble = bench_part(mesh, "wsg_50_description/meshes/bubble.vtk", false, 1e4, 0.0);
    bool ok = true;
    for (int i = 0; i < 6; ++i) {
        double h = hints[i / 2], z = heights[i % 2];
        char name[128];
        snprintf(name, sizeof name, "bubble-cylinder/h%g/z%g", h, z);
        part handle = bench_part(bench_cylinder(0.015, 0.11), NULL, false, 1e8, h);
        ok &= run_case(b, name, bubble, handle, bench_shifted(0.0, 0.0, z),
                       ISO_REPRESENTATION_POLYGON);
    }
    part pepper =
        bench_part(mesh, "veggies/assets/yellow_bell_pepper_no_stem_low.vtk", false, 1e6, 0.0);
    part bowl3k = bench_part(mesh, "dishes/assets/evo_bowl_coarse3k.vtk", false, 1e7, 0.0);
    part bowl44k = bench_part(mesh, "dishes/assets/evo_bowl_fine44k.vtk", false, 1e7, 0.0);
    part bowl_obj = bench_part(mesh, "dishes/assets/evo_bowl_col.obj", true, 1e7, 0.0);
    iso_pose x = bench_shifted(0.005, 0.0, 0.03);
    ok &= run_case(b, "pepper-bowl_coarse3k", pepper, bowl3k, x, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "pepper-bowl_fine44k", pepper, bowl44k, x, ISO_REPRESENTATION_POLYGON);
    ok &= run_shared(b, "pepper-bowl_fine44k/threads2", pepper, bowl44k, x,
                     iso_vec3_make(1e-5, 1e-5, -1e-5));
    ok &= run_case(b, "pepper-bowl_obj", pepper, bowl_obj, x, ISO_REPRESENTATION_POLYGON);
    x.r = iso_mat3_from_rpy(0.3, 0.2, 0.4);
    ok &= run_case(b, "pepper-bowl_coarse3k/turned", pepper, bowl3k, x, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "pepper-bowl_obj/turned", pepper, bowl_obj, x, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "bowl_fine44k-bowl_coarse3k/deep", bowl44k, bowl3k,
                   iso_pose_make(x.r, iso_vec3_make(0.01, 0.005, 0.0)), ISO_REPRESENTATION_POLYGON);
    ok &=
        run_case(b, "pepper-pepper/deep", pepper, pepper,
                 iso_pose_make(x.r, iso_vec3_make(0.005, 0.003, 0.0)), ISO_REPRESENTATION_POLYGON);
    part handle = bench_part(bench_cylinder(0.015, 0.11), NULL, false, 1e8, 0.0025);
    ok &= run_case(b, "bubble-cylinder/h0.0025/turned", bubble, handle,
                   iso_pose_make(x.r, iso_vec3_make(0.0, 0.0, 0.02)), ISO_REPRESENTATION_POLYGON);
    part floor = bench_part(bench_box(0.3, 0.3, 0.05), NULL, false, 3e4, 1.0);
    part plate = bench_part(mesh, "dishes/assets/plate_8in_col.obj", true, 1e7, 0.0);
    ok &= run_case(b, "floor-plate", floor, plate, bench_shifted(0.0, 0.0, 0.02),
                   ISO_REPRESENTATION_POLYGON);
    return ok;
}

// A rigid sphere and a compliant half space, a slab of 0.05 m.
static bool run_slabs(bench* b) {
    part slab = bench_part(iso_shape_desc_default(ISO_SHAPE_HALF_SPACE), NULL, false, 1e6, 0.0);
    slab.material.slab_thickness = 0.05;
    bool ok = true;
    for (int i = 0; i < 2; ++i) {
        double hint = i ? 0.003125 : 0.00625;
        char name[64];
        snprintf(name, sizeof name, "slab-rigid_sphere/h%g", hint);
        part ball = bench_part(bench_sphere(0.05), NULL, true, 1e5, hint);
        ok &= run_case(b, name, slab, ball, bench_shifted(0.0, 0.0, 0.02),
                       ISO_REPRESENTATION_POLYGON);
    }
    return ok;
}

static bool run_primitives(bench* b) {
    part cube = bench_part(bench_box(0.1, 0.1, 0.1), NULL, false, 1e6, 0.0);
    iso_pose tilted = iso_pose_make(iso_mat3_from_rpy(0.1, 0.2, 0.3), iso_vec3_make(0, 0, 0.1));
    bool ok = run_case(b, "box-box/tilted", cube, cube, tilted, ISO_REPRESENTATION_POLYGON);
    ok &= run_case(b, "box-box/aligned", cube, cube, bench_shifted(0.01, 0.02, 0.099),
                   ISO_REPRESENTATION_POLYGON);
    part ground = bench_part(iso_shape_desc_default(ISO_SHAPE_HALF_SPACE), NULL, true, 1e7, 0.0);
    for (int i = 0; i < 5; ++i) {
        double hint = 0.05 / (double)(1 << i);
        part ball = bench_part(bench_sphere(0.05), NULL, false, 1e5, hint);
        char name[64];
        snprintf(name, sizeof name, "half_space-sphere/h%g", hint);
        ok &= run_case(b, name, ground, ball, bench_shifted(0.0, 0.0, 0.04),
                       ISO_REPRESENTATION_POLYGON);
    }
    return ok;
}

int main(int argc, char** argv) {
    bench b;
    if (!bench_begin(&b, argc, argv)) {
        fprintf(stderr, "bench_patch: out of memory\n");
        return 1;
    }
    b.takes_turns = argc > 3 && strcmp(argv[3], "turns") == 0;
    bool ok = run_primitives(&b);
    ok &= run_slabs(&b);
    ok &= run_ellipsoids(&b);
    ok &= run_meshes(&b);
    bench_end(&b);
    return ok ? 0 : 1;
}
