// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Numbers that others keep with the state of a world.

#include "isobar/state.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <math.h>
#include <string.h>

static iso_status make_ball(iso_context* ctx, iso_world** out_world) {
    iso_model* model = NULL;
    iso_body_desc body = iso_body_desc_default();
    body.name = "ball";
    *out_world = NULL;
    iso_status status = iso_model_create(ctx, &model);
    status = status ? status : iso_model_add_body(model, &body, NULL);
    status = status ? status : iso_world_create(ctx, model, NULL, out_world);
    iso_model_destroy(model);
    return status;
}

static void attachments_are_saved_restored_and_cloned(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world *world = NULL, *clone = NULL;
    double* values = NULL;
    bool is_new = false;
    int count = -1;
    char bytes[4096];
    size_t plain, size;
    CHECK_OK(ctx, make_ball(ctx, &world));
    plain = iso_world_state_size(world);
    assert_null(iso_world_attachment(world, "arm", &count));
    assert_int_equal(count, 0);
    CHECK_OK(ctx, iso_world_attach(world, "arm", 3, &values, &is_new));
    assert_true(is_new);
    for (int i = 0; i < 3; ++i) {
        CHECK_BITS(values[i], 0.0);
        values[i] = 0.1 * i;
    }
    CHECK_OK(ctx, iso_world_attach(world, "empty", 0, &values, &is_new));
    assert_int_equal(iso_world_state_size(world), plain + 8 + 2 * 24 + 3 * 8);
    CHECK_OK(ctx, iso_world_save(world, bytes, sizeof bytes, &size));
    CHECK_OK(ctx, iso_world_clone(world, &clone));
    CHECK_BITS(iso_world_attachment(clone, "arm", &count)[2], 0.2);

    CHECK_OK(ctx, iso_world_attach(world, "arm", 3, &values, &is_new));
    assert_false(is_new);
    values[0] = 9.0;
    CHECK_OK(ctx, iso_world_attach(world, "arm", 1, &values, &is_new));
    assert_true(is_new); // of another size
    CHECK_BITS(values[0], 0.0);
    CHECK_OK(ctx, iso_world_restore(world, bytes, size));
    CHECK_BITS(iso_world_attachment(world, "arm", &count)[0], 0.0);
    CHECK_BITS(iso_world_attachment(world, "arm", &count)[2], 0.2);
    assert_int_equal(count, 3);
    assert_non_null(iso_world_attachment(world, "empty", &count));
    CHECK_BITS(iso_world_attachment(clone, "arm", &count)[1], 0.1);
    iso_world_destroy(clone);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void names_counts_and_damage_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_world* world = NULL;
    double* values = NULL;
    bool is_new = false;
    char bytes[4096];
    size_t size;
    CHECK_OK(ctx, make_ball(ctx, &world));
    CHECK_STATUS(ctx, iso_world_attach(world, "", 1, &values, &is_new), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_world_attach(world, "sixteen letters!", 1, &values, &is_new),
                 ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the name of an attachment has 16 bytes, expected 1 to 15");
    CHECK_STATUS(ctx, iso_world_attach(world, "a", -1, &values, &is_new), ISO_ERR_RANGE);
    CHECK_STATUS(ctx, iso_world_attach(world, "a", 10000001, &values, &is_new), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "attachment 'a' of 10000001 numbers, expected 0 to 10000000");
    CHECK_OK(ctx, iso_world_attach(world, "a", 10000000, &values, &is_new));
    CHECK_OK(ctx, iso_world_attach(world, "a", 0, &values, &is_new));
    CHECK_STATUS(ctx, iso_world_attach(NULL, "a", 1, &values, &is_new), ISO_ERR_ARGUMENT);
    CHECK_OK(ctx, iso_world_attach(world, "a", 1, &values, &is_new));
    values[0] = NAN;
    CHECK_OK(ctx, iso_world_save(world, bytes, sizeof bytes, &size));
    values[0] = 4.0;
    CHECK_STATUS(ctx, iso_world_restore(world, bytes, size), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "number 0 of attachment 'a' of the state is nan");
    CHECK_BITS(iso_world_attachment(world, "a", NULL)[0], 4.0); // the world is as it was
    CHECK_STATUS(ctx, iso_world_restore(world, bytes, size - 8), ISO_ERR_PARSE);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static iso_status attempt(iso_context* ctx, void* user) {
    (void)user;
    iso_world *world = NULL, *clone = NULL;
    double* values = NULL;
    bool is_new = false;
    char bytes[4096];
    size_t size = 0;
    iso_status status = make_ball(ctx, &world);
    status = status ? status : iso_world_attach(world, "a", 5, &values, &is_new);
    status = status ? status : iso_world_clone(world, &clone);
    status = status ? status : iso_world_save(world, bytes, sizeof bytes, &size);
    status = status ? status : iso_world_restore(clone, bytes, size);
    iso_world_destroy(clone);
    iso_world_destroy(world);
    return status;
}

static void every_allocation_failure_is_reported_and_leaks_nothing(void** state) {
    (void)state;
    assert_true(check_every_allocation_failure(attempt, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attachments_are_saved_restored_and_cloned),
        cmocka_unit_test(names_counts_and_damage_are_refused),
        cmocka_unit_test(every_allocation_failure_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
