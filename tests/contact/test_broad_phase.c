// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/broad_phase.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#define ITEMS 200
#define BODIES 60

typedef struct scene {
    iso_broad_item items[ITEMS];
    bool may_collide[BODIES * BODIES]; // what the filter shall say
    iso_body_filter filter;
} scene;

// Two of five pairs are filtered in some way; `table` says so pair by pair.
static void draw_filter(iso_context* ctx, test_random* random, iso_body_filter* f, bool* table) {
    iso_body_pair pairs[BODIES * BODIES];
    int count = 0;
    for (int a = 0; a < BODIES; ++a) {
        for (int b = 0; b <= a; ++b) {
            bool may = a != b && test_random_int(random, 0, 9) < 8;
            table[a * BODIES + b] = table[b * BODIES + a] = may;
            if (a != b && !may) {
                pairs[count++] = (iso_body_pair){a, b};
                if (test_random_int(random, 0, 1) > 0) {
                    pairs[count++] = (iso_body_pair){b, a};
                }
            }
        }
    }
    CHECK_OK(ctx, iso_body_filter_create(ctx, BODIES, pairs, count, f));
    for (int a = 0; a < BODIES; ++a) {
        f->groups[a] = test_random_int(random, 0, 9);
        f->exclusions[a] = test_random_int(random, 0, 5);
        f->adjacent[a] = test_random_int(random, -1, BODIES - 1);
    }
    for (int a = 0; a < BODIES; ++a) {
        for (int b = 0; b < BODIES; ++b) {
            bool shares = f->exclusions[a] > 0 && f->exclusions[a] == f->exclusions[b];
            bool is_beside = f->adjacent[a] == b || f->adjacent[b] == a;
            table[a * BODIES + b] =
                table[a * BODIES + b] && !shares && !is_beside && f->groups[a] != f->groups[b];
        }
    }
}

static scene make_scene(iso_context* ctx, test_random* random) {
    scene s;
    for (int i = 0; i < ITEMS; ++i) {
        iso_vec3 center = test_random_vec3(random, -1.0, 1.0);
        iso_vec3 half = test_random_vec3(random, 0.0, 0.15);
        s.items[i] = (iso_broad_item){.is_half_space = i % 50 == 7,
                                      .body = test_random_int(random, 0, BODIES - 1),
                                      .lower = iso_vec3_sub(center, half),
                                      .upper = iso_vec3_add(center, half),
                                      .normal = test_random_unit_vec3(random),
                                      .offset = test_random_uniform(random, -0.8, 0.0)};
    }
    draw_filter(ctx, random, &s.filter, s.may_collide);
    return s;
}

// The definition: every corner and every axis, no clever order.
static bool should_meet(const scene* s, int a, int b) {
    const iso_broad_item* x = &s->items[a];
    const iso_broad_item* y = &s->items[b];
    if (!s->may_collide[x->body * BODIES + y->body] || (x->is_half_space && y->is_half_space)) {
        return false;
    }
    if (x->is_half_space || y->is_half_space) {
        const iso_broad_item* h = x->is_half_space ? x : y;
        const iso_broad_item* box = x->is_half_space ? y : x;
        for (int corner = 0; corner < 8; ++corner) {
            iso_vec3 p = iso_vec3_make(corner & 1 ? box->lower.x : box->upper.x,
                                       corner & 2 ? box->lower.y : box->upper.y,
                                       corner & 4 ? box->lower.z : box->upper.z);
            if (iso_vec3_dot(h->normal, p) <= h->offset) {
                return true;
            }
        }
        return false;
    }
    for (int axis = 0; axis < 3; ++axis) {
        if (iso_vec3_get(x->lower, axis) > iso_vec3_get(y->upper, axis) ||
            iso_vec3_get(y->lower, axis) > iso_vec3_get(x->upper, axis)) {
            return false;
        }
    }
    return true;
}

static void candidates_are_exactly_the_overlapping_pairs_in_order(void** state) {
    test_random random = test_random_make(5);
    iso_broad_phase phase;
    CHECK_OK(*state, iso_broad_phase_init(*state, &phase, ITEMS));
    int found_count = 0;
    for (int round = 0; round < 20; ++round) {
        scene s = make_scene(*state, &random);
        CHECK_OK(*state, iso_broad_phase_run(*state, &phase, s.items, &s.filter));
        int k = 0;
        for (int a = 0; a < ITEMS; ++a) {
            for (int b = a + 1; b < ITEMS; ++b) {
                bool is_listed = k < phase.candidates.count && phase.candidates.data[k].a == a &&
                                 phase.candidates.data[k].b == b;
                CHECK(is_listed == should_meet(&s, a, b), "round %d, pair %d %d", round, a, b);
                k += is_listed;
            }
        }
        assert_int_equal(k, phase.candidates.count);
        iso_body_filter_free(*state, &s.filter);
        found_count += k;
    }
    CHECK(found_count > 1000, "only %d pairs: the test shows little", found_count);
    iso_broad_phase_destroy(*state, &phase);
}

static void touching_boxes_are_candidates(void** state) {
    iso_broad_item items[2] = {
        {.body = 0, .lower = {0.0, 0.0, 0.0}, .upper = {1.0, 1.0, 1.0}},
        {.body = 1, .lower = {1.0, 1.0, 1.0}, .upper = {2.0, 2.0, 2.0}},
    };
    const iso_body_filter bodies = {.body_count = 2};
    iso_broad_phase phase;
    CHECK_OK(*state, iso_broad_phase_init(*state, &phase, 2));
    CHECK_OK(*state, iso_broad_phase_run(*state, &phase, items, &bodies));
    assert_int_equal(phase.candidates.count, 1);
    items[1].lower.z = 1.0 + 1e-15;
    CHECK_OK(*state, iso_broad_phase_run(*state, &phase, items, &bodies));
    assert_int_equal(phase.candidates.count, 0);
    iso_broad_phase_destroy(*state, &phase);
}

static iso_status run_once(iso_context* ctx, void* user) {
    const scene* s = user;
    iso_broad_phase phase;
    iso_status status = iso_broad_phase_init(ctx, &phase, ITEMS);
    if (status == ISO_OK) {
        status = iso_broad_phase_run(ctx, &phase, s->items, &s->filter);
        iso_broad_phase_destroy(ctx, &phase);
    }
    return status;
}

static void every_allocation_failure_is_survived(void** state) {
    test_random random = test_random_make(6);
    scene s = make_scene(*state, &random);
    int count = check_every_allocation_failure(run_once, &s);
    iso_body_filter_free(*state, &s.filter);
    CHECK(count >= 5, "%d allocations", count);
}

static void steady_runs_allocate_nothing(void** state) {
    test_random random = test_random_make(7);
    scene s = make_scene(*state, &random);
    iso_broad_phase phase;
    CHECK_OK(*state, iso_broad_phase_init(*state, &phase, ITEMS));
    CHECK_OK(*state, iso_broad_phase_run(*state, &phase, s.items, &s.filter));
    long before = test_heap_of(*state)->call_count;
    for (int i = 0; i < 5; ++i) {
        CHECK_OK(*state, iso_broad_phase_run(*state, &phase, s.items, &s.filter));
    }
    assert_int_equal(test_heap_of(*state)->call_count, before);
    iso_body_filter_free(*state, &s.filter);
    iso_broad_phase_destroy(*state, &phase);
}

static int make_context(void** state) {
    *state = test_context();
    return 0;
}
static int drop_context(void** state) {
    test_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_exactly_the_overlapping_pairs_in_order),
        cmocka_unit_test(touching_boxes_are_candidates),
        cmocka_unit_test(every_allocation_failure_is_survived),
        cmocka_unit_test(steady_runs_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
