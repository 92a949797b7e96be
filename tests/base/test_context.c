// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/context.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "base/system/clock.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct sink {
    int count;
    iso_log_level level;
    char message[ISO_ERROR_SIZE];
} sink;

static void keep_message(void* user, iso_log_level level, const char* message) {
    sink* s = user;
    ++s->count;
    s->level = level;
    strcpy(s->message, message);
}

static iso_context* logging_context(sink* s, iso_log_level level) {
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = keep_message;
    desc.log_user = s;
    desc.log_level = level;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_OK);
    return ctx;
}

static void a_log_message_is_one_line(void** state) {
    (void)state;
    sink s = {0};
    iso_context* ctx = logging_context(&s, ISO_LOG_INFO);
    iso_log(ctx, ISO_LOG_INFO, "body '%s'", "two\nlines\tand a tab");
    assert_string_equal(s.message, "body 'two lines and a tab'");
    iso_context_destroy(ctx);
}

static void every_status_has_its_own_text(void** state) {
    (void)state;
    for (int a = 0; a < ISO_STATUS_COUNT; ++a) {
        const char* text = iso_status_text((iso_status)a);
        assert_string_not_equal(text, "unknown status");
        for (int b = 0; b < a; ++b) {
            assert_string_not_equal(text, iso_status_text((iso_status)b));
        }
    }
    assert_string_equal(iso_status_text(ISO_STATUS_COUNT), "unknown status");
    assert_string_equal(iso_status_text((iso_status)-1), "unknown status");
}

static void version_and_back_end_are_told(void** state) {
    (void)state;
    int major, minor, patch;
    assert_int_equal(sscanf(iso_version(), "%d.%d.%d", &major, &minor, &patch), 3);
    const char* backend = iso_simd_backend();
    CHECK(!strcmp(backend, "avx512") || !strcmp(backend, "avx2") || !strcmp(backend, "neon") ||
              !strcmp(backend, "scalar"),
          "backend is %s", backend);
}

static void default_context_needs_no_desc(void** state) {
    (void)state;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(NULL, &ctx), ISO_OK);
    assert_non_null(ctx);
    assert_string_equal(iso_context_error(ctx), "");
    iso_context_destroy(ctx);
    iso_context_destroy(NULL);
    assert_string_equal(iso_context_error(NULL), "");
}

static void context_create_refuses_bad_arguments(void** state) {
    (void)state;
    iso_context_desc desc = iso_context_desc_default();
    assert_int_equal(iso_context_create(&desc, NULL), ISO_ERR_ARGUMENT);
    desc.log_level = (iso_log_level)7;
    iso_context* ctx = (iso_context*)&desc;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_ERR_ARGUMENT);
    assert_null(ctx);
}

static void* refuse_all(void* user, void* old_ptr, size_t old_size, size_t new_size) {
    (void)user;
    (void)old_ptr;
    (void)old_size;
    (void)new_size;
    return NULL;
}

static void context_create_reports_no_memory(void** state) {
    (void)state;
    iso_context_desc desc = iso_context_desc_default();
    desc.realloc_fn = refuse_all;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_ERR_MEMORY);
    assert_null(ctx);
}

static void fail_records_one_line_and_returns_the_status(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    assert_int_equal(
        iso_fail(ctx, ISO_ERR_RANGE, __func__, "%s:%d: mass is %g kg", "a\nb.sdf", 3, -1.0),
        ISO_ERR_RANGE);
    assert_string_equal(iso_context_error(ctx), "a b.sdf:3: mass is -1 kg");
    // The last error may be an argument of the next.
    (void)iso_fail(ctx, ISO_ERR_IO, __func__, "again: %s", iso_context_error(ctx));
    assert_string_equal(iso_context_error(ctx), "again: a b.sdf:3: mass is -1 kg");
    assert_int_equal(iso_fail(NULL, ISO_ERR_IO, __func__, "nowhere to keep it"), ISO_ERR_IO);
    test_context_destroy(ctx);
}

static void fail_prefix_goes_before_the_last_error(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    (void)iso_fail(ctx, ISO_ERR_RANGE, __func__, "mass is 0 kg");
    assert_int_equal(iso_fail_prefix(ctx, ISO_ERR_RANGE, "%s: link '%s'", "a.sdf", "arm"),
                     ISO_ERR_RANGE);
    assert_string_equal(iso_context_error(ctx), "a.sdf: link 'arm': mass is 0 kg");
    assert_int_equal(iso_fail_prefix(NULL, ISO_ERR_RANGE, "x"), ISO_ERR_RANGE);
    test_context_destroy(ctx);
}

static void long_messages_are_cut_visibly(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char text[3 * ISO_ERROR_SIZE];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    (void)iso_fail(ctx, ISO_ERR_IO, __func__, "%s", text);
    assert_int_equal(strlen(iso_context_error(ctx)), ISO_ERROR_SIZE - 1);
    CHECK_ERROR(ctx, "xxx...");
    (void)iso_fail_prefix(ctx, ISO_ERR_IO, "file");
    assert_int_equal(strlen(iso_context_error(ctx)), ISO_ERROR_SIZE - 1);
    CHECK_ERROR(ctx, "file: xxx");
    (void)iso_fail_prefix(ctx, ISO_ERR_IO, "%s", text);
    assert_int_equal(strlen(iso_context_error(ctx)), ISO_ERROR_SIZE - 1);
    CHECK_ERROR(ctx, "xxx...");
    test_context_destroy(ctx);
}

static void log_reaches_the_sink_from_its_level_on(void** state) {
    (void)state;
    sink s = {0};
    iso_context* ctx = logging_context(&s, ISO_LOG_INFO);
    iso_log(ctx, ISO_LOG_DEBUG, "dropped");
    assert_int_equal(s.count, 0);
    iso_log(ctx, ISO_LOG_WARNING, "texture %s is missing", "a.png");
    assert_int_equal(s.count, 1);
    assert_int_equal(s.level, ISO_LOG_WARNING);
    assert_string_equal(s.message, "texture a.png is missing");
    iso_log(NULL, ISO_LOG_ERROR, "nobody listens");
    iso_context_destroy(ctx);
}

static void failures_are_logged_with_function_at_debug_level(void** state) {
    (void)state;
    sink s = {0};
    iso_context* ctx = logging_context(&s, ISO_LOG_DEBUG);
    (void)iso_fail(ctx, ISO_ERR_PARSE, "read_link", "a.sdf:3: <link> has no name");
    assert_int_equal(s.level, ISO_LOG_DEBUG);
    assert_string_equal(s.message, "read_link: malformed input: a.sdf:3: <link> has no name");
    iso_context_destroy(ctx);
}

static sigjmp_buf k_after_abort;

static void leave_abort(int signal_number) {
    (void)signal_number;
    siglongjmp(k_after_abort, 1);
}

// What fn writes to stderr. Returns true if it ended in abort().
static bool stderr_of(void (*fn)(void), char* output, size_t size) {
    char path[TEST_PATH_SIZE];
    temp_path(path, "stderr.txt");
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    FILE* file = fopen(path, "w+");
    assert_non_null(file);
    dup2(fileno(file), STDERR_FILENO);
    struct sigaction action = {.sa_handler = leave_abort};
    struct sigaction old_action;
    sigaction(SIGABRT, &action, &old_action);

    volatile bool is_aborted = true;
    if (sigsetjmp(k_after_abort, 1) == 0) {
        fn();
        is_aborted = false;
    }
    sigaction(SIGABRT, &old_action, NULL);
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    output[fread(output, 1, size - 1, file)] = '\0';
    fclose(file);
    return is_aborted;
}

static void log_one_warning(void) {
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(NULL, &ctx), ISO_OK);
    iso_log(ctx, ISO_LOG_INFO, "not shown");
    iso_log(ctx, ISO_LOG_WARNING, "shown");
    iso_context_destroy(ctx);
}

static iso_context* k_context;

static void fail_an_internal_check(void) {
    iso_assert_failed(k_context, "a < b", "some.c", 7);
}

static void default_sink_writes_warnings_to_stderr(void** state) {
    (void)state;
    char output[256];
    assert_false(stderr_of(log_one_warning, output, sizeof output));
    assert_string_equal(output, "isobar: warning: shown\n");
}

static void default_assert_hook_prints_and_aborts(void** state) {
    (void)state;
    char output[256];
    assert_int_equal(iso_context_create(NULL, &k_context), ISO_OK);
    assert_true(stderr_of(fail_an_internal_check, output, sizeof output));
    assert_string_equal(output, "some.c:7: internal check failed: a < b\n");
    iso_context_destroy(k_context);
}

static void count_call(void* user, const char* condition, const char* file, int line) {
    (void)file;
    *(int*)user += line == 11 && strcmp(condition, "ok") == 0;
}

static void assert_hook_is_called_and_may_return(void** state) {
    (void)state;
    int calls = 0;
    iso_context_desc desc = iso_context_desc_default();
    desc.assert_fn = count_call;
    desc.assert_user = &calls;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_OK);
    iso_assert_failed(ctx, "ok", "f.c", 11);
    iso_assert_failed(NULL, "ok", "f.c", 11);
    assert_int_equal(calls, 1);
#if defined(ISO_ENABLE_ASSERT)
    ISO_ASSERT(ctx, 1 + 1 == 2);
    ISO_ASSERT(ctx, 1 + 1 == 3);
    assert_int_equal(calls, 1); // another condition: the hook ran, count_call did not count it
#endif
    iso_context_destroy(ctx);
}

static iso_status checked(iso_context* ctx, int value) {
    iso_status status = ISO_OK;
    ISO_REQUIRE(ctx, value != 1, ISO_ERR_ARGUMENT, "value is %d", value);
    ISO_CHECK(ctx, value != 2, ISO_ERR_RANGE, "value is %d", value);
    ISO_TRY(value == 3 ? ISO_ERR_IO : ISO_OK);
    return ISO_OK;

done:
    return status;
}

static void macros_return_the_status_they_name(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    CHECK_OK(ctx, checked(ctx, 0));
    CHECK_STATUS(ctx, checked(ctx, 1), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "value is 1");
    CHECK_STATUS(ctx, checked(ctx, 2), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "value is 2");
    CHECK_STATUS(ctx, checked(ctx, 3), ISO_ERR_IO);
    test_context_destroy(ctx);
}

// Against the C library's clock of the day, over a wait that passes a second.
static void the_clock_runs_with_that_of_the_day(void** state) {
    (void)state;
    struct timespec begin, end, wait = {0, 700000000};
    double from = iso_clock_seconds();
    assert_int_equal(timespec_get(&begin, TIME_UTC), TIME_UTC);
    for (int i = 0; i < 2; ++i) {
        double before = iso_clock_seconds();
        (void)nanosleep(&wait, NULL);
        assert_true(iso_clock_seconds() - before >= 0.7);
    }
    assert_int_equal(timespec_get(&end, TIME_UTC), TIME_UTC);
    double passed =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    CHECK_NEAR(iso_clock_seconds() - from, passed, 0.1); // measured 1.2e-6
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_text),
        cmocka_unit_test(version_and_back_end_are_told),
        cmocka_unit_test(default_context_needs_no_desc),
        cmocka_unit_test(context_create_refuses_bad_arguments),
        cmocka_unit_test(context_create_reports_no_memory),
        cmocka_unit_test(fail_records_one_line_and_returns_the_status),
        cmocka_unit_test(fail_prefix_goes_before_the_last_error),
        cmocka_unit_test(long_messages_are_cut_visibly),
        cmocka_unit_test(log_reaches_the_sink_from_its_level_on),
        cmocka_unit_test(failures_are_logged_with_function_at_debug_level),
        cmocka_unit_test(default_sink_writes_warnings_to_stderr),
        cmocka_unit_test(default_assert_hook_prints_and_aborts),
        cmocka_unit_test(assert_hook_is_called_and_may_return),
        cmocka_unit_test(a_log_message_is_one_line),
        cmocka_unit_test(macros_return_the_status_they_name),
        cmocka_unit_test(the_clock_runs_with_that_of_the_day),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
