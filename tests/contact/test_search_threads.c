// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Threads that share one large pair: the bits of one thread, no allocations, no failure unnoticed.

#include "isobar/query.h"
#include "surface/pair_fixture.h"
#include "surface/patch_bits.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

#include <stdatomic.h>

// Scratch of one thread, whatever the pose: what takes most here takes 16 MB.
#define MOST_SCRATCH ((size_t)1 << 26)

static iso_contact_shape* ellipsoid(double hint) {
    iso_shape_desc s = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    s.size = iso_vec3_make(0.05, 0.06, 0.07);
    return fixture_shape(ctx, s, fixture_compliant(1e5, hint));
}

// Whether two threads at least found some of the last surface: their faces fill pages of some 70
// kB. One that came too late holds nothing, one that got no pairs 46 kB, which are its walker and
// queues; the first one holds the table of all.
static bool is_shared(const iso_search_threads* search_threads) {
    int busy_count = 0;
    for (int i = 0; i < search_threads->count; ++i) {
        size_t table = i == 0 ? search_threads->slot_count * sizeof(uint64_t) : 0;
        busy_count += search_threads->arenas[i].peak > table + (1 << 16);
    }
    return busy_count > 1;
}

// Two items of a pool that meet when two threads do them at the same time.
typedef struct meeting {
    atomic_int arrived;
    bool is_met;
} meeting;

// The first one looks for the second, for some 0.1 ms.
static void arrive(void* user, int item, int worker) {
    (void)item, (void)worker;
    meeting* m = user;
    if (atomic_fetch_add(&m->arrived, 1) == 0) {
        for (int i = 0; i < 100000 && !m->is_met; ++i) {
            m->is_met = atomic_load(&m->arrived) > 1;
        }
    }
}

// Whether threads of a pool run at the same time, as far as other work lets them.
static bool run_at_once(iso_task_pool* pool) {
    meeting m = {0};
    iso_task_pool_run(pool, 2, arrive, &m);
    return m.is_met;
}

// A pair at some poses by one thread and by crews; small tables make some walks begin anew.
static void check_search_threads(const char* name, iso_contact_shape* a, iso_contact_shape* b,
                                 double reach, int poses) {
    assert_true(iso_pair_is_large(a, b));
    test_random random = test_random_make(5);
    const int thread_counts[] = {1, 2, 5};
    int contacts = 0;
    for (int n = 0; n < 3; ++n) {
        iso_task_pool* pool = NULL;
        iso_search_threads search_threads = {.slot_count = 1024};
        iso_arena other;
        CHECK_OK(ctx, iso_task_pool_create(ctx, thread_counts[n], &pool));
        CHECK_OK(ctx, iso_search_threads_join(&search_threads, ctx, pool));
        CHECK_OK(ctx, iso_arena_init(&other, ctx, 0));
        int shared = 0, tried = 0, at_once = 0;
        // Threads that wake up late take no part, so until some did in time: where they have one
        // processor, or a busy one, they may never wake in time.
        bool is_shared_search = thread_counts[n] > 1;
        for (int i = 0; i < poses || (is_shared_search && shared == 0 && i < 50); ++i) {
            at_once += run_at_once(pool);
            ++tried;
            iso_pose x_wa = test_random_pose(&random, 0.1), x_ab = test_random_pose(&random, reach);
            if (i % 4 == 1) { // in line with the axes: faces fall on faces
                x_ab.r = iso_mat3_identity();
                x_ab.p.y = x_ab.p.z = 0.0;
            } else if (i % 8 == 3) { // centres, where tetrahedra meet by the thousand, too
                x_ab = iso_pose_identity();
            }
            iso_pose x_wb = iso_pose_mul(&x_wa, &x_ab);
            iso_contact_options options = fixture_options();
            options.cull = i % 2 ? ISO_CULL_DRAKE : ISO_CULL_NONE;
            options.representation =
                i % 3 ? ISO_REPRESENTATION_POLYGON : ISO_REPRESENTATION_TRIANGLE;
            iso_patch p, q;
            CHECK_OK(ctx, iso_arena_reset(&arena));
            CHECK_OK(ctx, iso_arena_reset(&other));
            CHECK_OK(ctx, iso_pair_query(&arena, a, &x_wa, b, &x_wb, &options, &p));
            CHECK_OK(ctx, iso_pair_query_with(&search_threads, &other, a, &x_wa, b, &x_wb, &options,
                                              &q));
            if (p.face_count > 0 || q.face_count > 0) {
                check_patch_bits(&p, &q, name);
                ++contacts;
            }
            shared += is_shared(&search_threads);
            for (int k = 0; k < search_threads.count; ++k) {
                CHECK(search_threads.arenas[k].peak < MOST_SCRATCH, "%s: pose %d, %zu bytes", name,
                      i, search_threads.arenas[k].peak);
            }
        }
        CHECK(is_shared_search ? shared > 0 || 2 * at_once < tried : shared == 0 && at_once == 0,
              "%s: %d threads, at once in %d of %d searches, %d of which shared", name,
              thread_counts[n], at_once, tried, shared);
        iso_arena_destroy(&other);
        iso_search_threads_destroy(&search_threads);
        iso_task_pool_destroy(pool);
    }
    CHECK(contacts > 2 * poses, "%s: %d contacts", name, contacts);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

static void search_threads_give_the_bits_of_one_thread(void** state) {
    (void)state;
    const int poses = TEST_ROUNDS(6, 1);
    check_search_threads("round bodies", ellipsoid(0.005),
                         fixture_shape(ctx, fixture_sphere(0.05), fixture_compliant(1e5, 0.005)),
                         0.05, poses);
    check_search_threads(
        "one stiff, one soft", ellipsoid(0.005),
        fixture_shape(ctx, fixture_cylinder(0.02, 0.1), fixture_compliant(1e7, 0.003)), 0.05,
        poses);
    check_search_threads("equal bodies", ellipsoid(0.005), ellipsoid(0.005), 0.05, poses);
}

// Threads that join a larger pool have room for its threads; that of a smaller one stays,
// and so does what it learnt of the room that searches need.
static void search_threads_grow_with_their_pool(void** state) {
    (void)state;
    iso_contact_shape *a = ellipsoid(0.005), *b = ellipsoid(0.005);
    iso_pose x_wa = iso_pose_identity(), x_wb = x_wa;
    x_wb.p = iso_vec3_make(0.04, 0.01, 0.02);
    iso_contact_options options = fixture_options();
    const int thread_counts[] = {2, 5, 3}, arena_counts[] = {2, 5, 5};
    iso_search_threads search_threads = {0};
    iso_arena other;
    size_t bytes = 0, slots = 0;
    CHECK_OK(ctx, iso_arena_init(&other, ctx, 0));
    for (int n = 0; n < 3; ++n) {
        iso_task_pool* pool = NULL;
        iso_patch p, q;
        CHECK_OK(ctx, iso_task_pool_create(ctx, thread_counts[n], &pool));
        CHECK_OK(ctx, iso_search_threads_join(&search_threads, ctx, pool));
        assert_int_equal(search_threads.count, arena_counts[n]);
        CHECK(n == 0 || (search_threads.bytes == bytes && search_threads.slot_count == slots),
              "%zu bytes and %zu slots, %zu and %zu before", search_threads.bytes,
              search_threads.slot_count, bytes, slots);
        CHECK_OK(ctx, iso_arena_reset(&arena));
        CHECK_OK(ctx, iso_arena_reset(&other));
        CHECK_OK(ctx, iso_pair_query(&arena, a, &x_wa, b, &x_wb, &options, &p));
        CHECK_OK(ctx,
                 iso_pair_query_with(&search_threads, &other, a, &x_wa, b, &x_wb, &options, &q));
        check_patch_bits(&p, &q, "grown");
        bytes = search_threads.bytes;
        slots = search_threads.slot_count;
        assert_true(bytes > 0 && slots > 0);
        iso_task_pool_destroy(pool);
    }
    iso_arena_destroy(&other);
    iso_search_threads_destroy(&search_threads);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

static void a_repeated_search_of_search_threads_allocates_nothing(void** state) {
    (void)state;
    TEST_SKIP_IF_WATCHED();
    iso_contact_shape *a = ellipsoid(0.005), *b = ellipsoid(0.005);
    assert_true(iso_pair_is_large(a, b));
    iso_query_desc desc = iso_query_desc_default();
    desc.thread_count = 3;
    iso_query* query = NULL;
    CHECK_OK(ctx, iso_query_create(ctx, &desc, &query));
    iso_pose x_wa = iso_pose_identity(), x_wb = x_wa;
    long before = 0;
    for (int round = 0; round < 40; ++round) {
        if (round == 10) {
            before = test_heap_of(ctx)->call_count;
        }
        x_wb.p = iso_vec3_make(0.04, 0.01, 0.02 - 1e-4 * (round % 10));
        iso_patch patch;
        iso_query_summary summary;
        iso_query_result result;
        iso_query_motion motion = iso_query_motion_default();
        CHECK_OK(ctx, iso_query_patch(query, a, &x_wa, b, &x_wb, &patch));
        assert_true(patch.face_count > 500);
        CHECK_OK(ctx, iso_query_batch(query, a, b, &x_wb, 1, &summary));
        CHECK_OK(ctx, iso_query_wrench(query, a, &x_wa, b, &x_wb, &motion, &result));
        CHECK(summary.face_count == result.patch.face_count, "%d, %d faces", summary.face_count,
              result.patch.face_count);
    }
    long count = test_heap_of(ctx)->call_count - before;
    CHECK(count == 0, "%ld allocations", count);
    iso_query_destroy(query);
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

// Shapes are made before, in a context that does not fail.
typedef struct shape_pair {
    iso_contact_shape *a, *b;
} shape_pair;

static iso_status search_once(iso_context* failing, void* user) {
    const shape_pair* s = user;
    iso_task_pool* pool = NULL;
    iso_search_threads search_threads = {0};
    iso_arena own = {.ctx = failing};
    iso_pose x_wa = iso_pose_identity(), x_wb = x_wa;
    x_wb.p = iso_vec3_make(0.04, 0.01, 0.02);
    iso_contact_options options = fixture_options();
    iso_patch patch;
    iso_status status = iso_task_pool_create(failing, 1, &pool);
    if (status == ISO_OK) {
        status = iso_search_threads_join(&search_threads, failing, pool);
    }
    if (status == ISO_OK) {
        status =
            iso_pair_query_with(&search_threads, &own, s->a, &x_wa, s->b, &x_wb, &options, &patch);
    }
    iso_arena_destroy(&own);
    iso_search_threads_destroy(&search_threads);
    iso_task_pool_destroy(pool);
    return status;
}

static void every_allocation_failure_of_search_threads_is_survived(void** state) {
    (void)state;
    shape_pair s = {ellipsoid(0.005), ellipsoid(0.005)};
    CHECK(check_every_allocation_failure(search_once, &s) > 5, "few allocations");
    iso_contact_shape_destroy(ctx, s.a);
    iso_contact_shape_destroy(ctx, s.b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(search_threads_give_the_bits_of_one_thread),
        TEST(search_threads_grow_with_their_pool),
        TEST(a_repeated_search_of_search_threads_allocates_nothing),
        TEST(every_allocation_failure_of_search_threads_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
