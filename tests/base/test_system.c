// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What the other rooms ask the system for, of C alone: it holds on every system.

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "base/core/thread.h"
#include "base/system/clock.h"
#include "base/system/host.h"
#include "base/system/path.h"
#include "base/system/stream.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void write_text(const char* path, const char* text) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void check_holds(const char* path, const char* expected) {
    char text[16] = "";
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

// A folder of this process for its files.
static void path_in_folder(char out_path[256], const char* name) {
    char folder[200];
    (void)snprintf(folder, sizeof folder, "isobar_test_system_%ld", iso_process_number());
    assert_int_equal(iso_path_make_folder(folder), 0);
    (void)snprintf(out_path, 256, "%s/%s", folder, name);
}

static void paths_are_what_lies_there(void** state) {
    (void)state;
    char file[256], second[256], none[256], folder[256];
    path_in_folder(file, "file");
    path_in_folder(second, "second");
    path_in_folder(none, "none");
    path_in_folder(folder, "");
    folder[strlen(folder) - 1] = '\0';
    write_text(file, "one");
    assert_int_equal(iso_path_look(file), ISO_PATH_FILE);
    assert_int_equal(iso_path_look(folder), ISO_PATH_FOLDER);
    assert_int_equal(iso_path_look(none), ISO_PATH_NONE);
    assert_false(iso_path_is_program(folder));
    assert_false(iso_path_is_program(none));
    assert_int_equal(iso_path_make_folder(folder), 0);    // it is there
    assert_int_equal(iso_path_make_folder(file), EEXIST); // a file is no folder
    assert_int_equal(iso_path_folder_error(folder), 0);
    assert_int_equal(iso_path_folder_error(none), ENOENT);
    assert_int_equal(iso_path_folder_error(""), 0);

    assert_int_equal(iso_path_keep(file, second), 0);
    check_holds(second, "one");
    write_text(none, "two");
    assert_int_equal(iso_path_replace(none, file), 0);
    check_holds(file, "two");
    check_holds(second, "one"); // the older one under its second name
    assert_int_equal(iso_path_look(none), ISO_PATH_NONE);
    assert_true(iso_is_same_file(file, file));
    assert_false(iso_is_same_file(file, second));
    assert_false(iso_is_same_file(folder, folder));
    remove(file);
    remove(second);
    remove(folder);
}

static void paths_become_absolute(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char* here = iso_path_real(ctx, ".");
    assert_non_null(here);
    char* again = iso_path_real(ctx, here);
    assert_string_equal(here, again);
    char* joined = iso_path_join(ctx, "elsewhere", here); // it is absolute
    assert_string_equal(joined, here);
    assert_null(iso_path_real(ctx, "isobar_nothing_of_this_name"));
    iso_free(ctx, here);
    iso_free(ctx, again);
    iso_free(ctx, joined);
    test_context_destroy(ctx);
}

static void addresses_are_read(void** state) {
    (void)state;
    uint32_t address = 1;
    assert_true(iso_address_is_ipv4("127.0.0.1", &address));
    assert_int_equal(address, 0x7f000001);
    assert_true(iso_address_is_ipv4("255.254.1.0", &address));
    assert_int_equal(address, 0xfffe0100);
    static const char* const wrong[] = {"", "1.2.3", "256.1.1.1", "localhost", "::1", "1.2.3.4.5"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        assert_false(iso_address_is_ipv4(wrong[i], &address));
    }
    assert_true(iso_address_is_ipv6("::1"));
    assert_false(iso_address_is_ipv6("127.0.0.1"));
}

static void random_bytes_differ(void** state) {
    (void)state;
    unsigned char a[32] = {0}, b[32] = {0};
    assert_true(iso_random_bytes(a, sizeof a));
    assert_true(iso_random_bytes(b, sizeof b));
    assert_memory_not_equal(a, b, sizeof a);
}

static void texts_are_compared_without_capitals(void** state) {
    (void)state;
    assert_true(iso_text_equals_folded("Steel-[z]", "sTEEL-[Z]"));
    assert_false(iso_text_equals_folded("steel", "steels"));
    assert_false(iso_text_equals_folded("steels", "steel"));
    assert_false(iso_text_equals_folded("@", "`")); // as far apart as letters are
    assert_true(iso_text_begins_folded("HTTP://x", "http://"));
    assert_false(iso_text_begins_folded("HTTP:", "http://"));
    assert_true(iso_text_begins_folded("", ""));
}

static void streams_keep_what_is_written(void** state) {
    (void)state;
    iso_stream stream = {0};
    iso_stream_free(&stream);
    assert_true(iso_stream_open(&stream));
    for (int i = 0; i < 5000; ++i) {
        fprintf(stream.file, "%d,", i % 10);
    }
    assert_true(iso_stream_close(&stream));
    assert_int_equal(stream.size, 10000);
    assert_int_equal(strlen(stream.text), 10000);
    assert_memory_equal(stream.text + 9990, "5,6,7,8,9,", 10);
    iso_stream_free(&stream);
    assert_true(iso_stream_open(&stream));
    iso_stream_free(&stream); // closes it as well
    assert_null(stream.text);
}

static iso_mutex the_lock;
static iso_condvar the_news;
static int the_count;

static void* count_up(void* user) {
    for (int i = 0; i < *(int*)user; ++i) {
        iso_mutex_lock(&the_lock);
        ++the_count;
        iso_condvar_broadcast(&the_news);
        iso_mutex_unlock(&the_lock);
        iso_thread_yield();
    }
    return user;
}

static void threads_count_and_wait(void** state) {
    (void)state;
    int each = 1000;
    iso_thread threads[2];
    assert_int_equal(iso_mutex_init(&the_lock), 0);
    assert_int_equal(iso_condvar_init(&the_news), 0);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(iso_thread_start(&threads[i], count_up, &each, i == 0), 0);
    }
    iso_mutex_lock(&the_lock);
    while (the_count < 2 * each) {
        iso_condvar_wait(&the_news, &the_lock);
    }
    double begin = iso_clock_seconds();
    while (iso_condvar_wait_until(&the_news, &the_lock, begin + 0.02)) {
    }
    double waited = iso_clock_seconds() - begin;
    while (iso_condvar_wait_until(&the_news, &the_lock, begin - 1.0)) { // over already
    }
    iso_mutex_unlock(&the_lock);
    assert_true(waited >= 0.019);
    for (int i = 0; i < 2; ++i) {
        iso_thread_join(threads[i]);
    }
    assert_int_equal(the_count, 2 * each);
    iso_condvar_destroy(&the_news);
    iso_mutex_destroy(&the_lock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_what_lies_there),
        cmocka_unit_test(paths_become_absolute),
        cmocka_unit_test(addresses_are_read),
        cmocka_unit_test(random_bytes_differ),
        cmocka_unit_test(texts_are_compared_without_capitals),
        cmocka_unit_test(streams_keep_what_is_written),
        cmocka_unit_test(threads_count_and_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
