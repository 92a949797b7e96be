// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void text_grows_and_stays_terminated(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_text text = {0};
    CHECK_OK(ctx, iso_text_append(ctx, &text, "", 0));
    assert_string_equal(text.data, "");
    for (int i = 0; i < 100; ++i) {
        CHECK_OK(ctx, iso_text_printf(ctx, &text, "%d,", i % 10));
        CHECK_OK(ctx, iso_text_append(ctx, &text, "abcdef", 2));
        assert_int_equal(strlen(text.data), text.length);
    }
    assert_int_equal(text.length, 400);
    assert_memory_equal(text.data + 396, "9,ab", 5);
    char* word = iso_strndup(ctx, text.data, 200);
    CHECK_OK(ctx, iso_text_append(ctx, &text, word, 200)); // more than doubling
    assert_int_equal(text.length, 600);
    iso_free(ctx, word);
    iso_text_free(ctx, &text);
    assert_null(text.data);
    test_context_destroy(ctx);
}

static void text_refuses_impossible_lengths(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_text text = {0};
    CHECK_STATUS(ctx, iso_text_append(ctx, &text, "x", SIZE_MAX), ISO_ERR_MEMORY);
    text.length = SIZE_MAX / 2 - 1;
    CHECK_STATUS(ctx, iso_text_append(ctx, &text, "x", 2), ISO_ERR_MEMORY);
    // A wide character without an encoding in the C locale cannot be printed.
    text.length = 0;
    CHECK_STATUS(ctx, iso_text_printf(ctx, &text, "%ls", L"\u20ac"), ISO_ERR_ARGUMENT);
    test_context_destroy(ctx);
}

static iso_status write_text(iso_context* ctx, void* user) {
    (void)user;
    iso_text text = {0};
    iso_status status = iso_text_printf(ctx, &text, "%080d", 1);
    if (status == ISO_OK) {
        status = iso_text_append(ctx, &text,
                                 "0123456789012345678901234567890123456789"
                                 "0123456789012345678901234567890123456789",
                                 80);
    }
    iso_text_free(ctx, &text);
    return status;
}

static void text_survives_every_allocation_failure(void** state) {
    (void)state;
    assert_int_equal(check_every_allocation_failure(write_text, NULL), 2);
}

static void numbers_parse_whole_or_not_at_all(void** state) {
    (void)state;
    const char* good[] = {"1", " -2.5\t", "+.5", "3.", "1e3", "1.5E-3 ", "\n7e+2\r\v\f"};
    const double values[] = {1.0, -2.5, 0.5, 3.0, 1000.0, 0.0015, 700.0};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        double value = -1.0;
        CHECK(iso_text_to_double(good[i], &value), "\"%s\"", good[i]);
        CHECK_BITS(value, values[i]);
    }
    const char* bad[] = {"",      " ",     "x",   "1x",    "1 2", "nan", "inf",   "-inf",
                         "0x10",  "1e",    "1e+", "1e999", ".",   "+",   "1,5",   "--1",
                         "1.2.3", "1e5.0", "e5",  "1_0",   "1d3", "NaN", "1.#INF"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        double value = -1.0;
        CHECK(!iso_text_to_double(bad[i], &value), "\"%s\" gave %g", bad[i], value);
        CHECK_BITS(value, -1.0);
    }
}

static void absurdly_long_number_is_refused(void** state) {
    (void)state;
    char digits[1000];
    memset(digits, '1', sizeof digits);
    digits[sizeof digits - 1] = '\0';
    double value;
    assert_false(iso_text_to_double(digits, &value));
}

static void rows_of_numbers_are_counted(void** state) {
    (void)state;
    double v[3] = {0};
    assert_int_equal(iso_text_to_doubles(" 1 -2\n3e1 ", v, 3), 3);
    const double expected[3] = {1.0, -2.0, 30.0};
    CHECK_ARRAY_BITS(v, expected, 3);
    assert_int_equal(iso_text_to_doubles("1 2", v, 3), 2);
    assert_int_equal(iso_text_to_doubles("", v, 3), 0);
    assert_int_equal(iso_text_to_doubles("1 2 3 4", v, 3), -1);
    assert_int_equal(iso_text_to_doubles("1 b 3", v, 3), -1);
}

static void numbers_do_not_follow_the_locale(void** state) {
    (void)state;
    const char* comma_locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    const char* found = NULL;
    for (int i = 0; i < 4 && !found; ++i) {
        found = setlocale(LC_NUMERIC, comma_locales[i]);
    }
    if (!found) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    double value = 0.0;
    bool is_parsed = iso_text_to_double("1.5", &value);
    setlocale(LC_NUMERIC, "C");
    assert_true(is_parsed);
    CHECK_BITS(value, 1.5);
}

static void written_file_appears_whole_and_reads_back(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    temp_path(path, "written.txt");
    remove(path);
    iso_file_writer writer;
    CHECK_OK(ctx, iso_file_writer_open(ctx, path, &writer));
    fputs("hello", writer.file);
    struct stat info;
    assert_int_not_equal(stat(path, &info), 0); // not there before the commit
    CHECK_OK(ctx, iso_file_writer_commit(ctx, &writer));
    assert_null(writer.file);

    char* bytes = NULL;
    size_t size = 0;
    CHECK_OK(ctx, iso_file_read(ctx, path, 5, &bytes, &size));
    assert_int_equal(size, 5);
    assert_string_equal(bytes, "hello");
    iso_free(ctx, bytes);
    CHECK_STATUS(ctx, iso_file_read(ctx, path, 4, &bytes, &size), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "5 bytes, expected at most 4");
    assert_null(bytes);
    test_context_destroy(ctx);
}

static void aborted_file_leaves_the_old_one(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    temp_path(path, "aborted.txt");
    iso_file_writer writer;
    CHECK_OK(ctx, iso_file_writer_open(ctx, path, &writer));
    fputs("old", writer.file);
    CHECK_OK(ctx, iso_file_writer_commit(ctx, &writer));
    CHECK_OK(ctx, iso_file_writer_open(ctx, path, &writer));
    fputs("half of the n", writer.file);
    iso_file_writer_abort(ctx, &writer);
    iso_file_writer_abort(ctx, &writer); // twice is harmless
    char* bytes = NULL;
    size_t size = 0;
    CHECK_OK(ctx, iso_file_read(ctx, path, 100, &bytes, &size));
    assert_string_equal(bytes, "old");
    iso_free(ctx, bytes);
    test_context_destroy(ctx);
}

static void devices_are_written_through_and_links_kept(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char target[TEST_PATH_SIZE], link[TEST_PATH_SIZE];
    iso_file_writer writer;
    struct stat info;
    CHECK_OK(ctx, iso_file_writer_open(ctx, "/dev/full", &writer));
    fputs("lost", writer.file);
    CHECK_STATUS(ctx, iso_file_writer_commit(ctx, &writer), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/dev/full: No space left");
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));

    temp_path(target, "linked.txt");
    temp_path(link, "link.txt");
    remove(target);
    remove(link);
    fclose(fopen(target, "wb"));
    assert_int_equal(symlink(target, link), 0);
    CHECK_OK(ctx, iso_file_writer_open(ctx, link, &writer));
    fputs("through", writer.file);
    CHECK_OK(ctx, iso_file_writer_commit(ctx, &writer));
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    char* bytes = NULL;
    size_t size = 0;
    CHECK_OK(ctx, iso_file_read(ctx, target, 100, &bytes, &size));
    assert_string_equal(bytes, "through");
    iso_free(ctx, bytes);
    test_context_destroy(ctx);
}

static void one_file_is_known_under_two_names(void** state) {
    (void)state;
    char file[TEST_PATH_SIZE], link[TEST_PATH_SIZE], other[TEST_PATH_SIZE], detour[TEST_PATH_SIZE];
    temp_path(file, "same.txt");
    temp_path(link, "same_link.txt");
    temp_path(other, "other.txt");
    temp_path(detour, "./same.txt");
    remove(file);
    remove(link);
    remove(other);
    // None is there yet: the same name in the same folder.
    assert_true(iso_is_same_file(file, detour));
    assert_false(iso_is_same_file(file, other));
    assert_true(iso_is_same_file("none/a.txt", "none/a.txt"));
    assert_false(iso_is_same_file("none/a.txt", "none/b.txt"));
    assert_false(iso_is_same_file("none/a.txt", "a.txt"));
    assert_true(iso_is_same_file("a-new-name.txt", "./a-new-name.txt"));
    fclose(fopen(file, "wb"));
    assert_true(iso_is_same_file(file, detour));
    assert_false(iso_is_same_file(file, other)); // one of them is there
    assert_false(iso_is_same_file(other, file));
    assert_int_equal(symlink(file, link), 0);
    assert_true(iso_is_same_file(file, link));
    fclose(fopen(other, "wb"));
    assert_false(iso_is_same_file(link, other));
    // Several outputs go to one device; a folder is no file.
    assert_false(iso_is_same_file("/dev/null", "/dev/null"));
    assert_false(iso_is_same_file(".", "."));
    assert_false(iso_is_same_file(NULL, file));
    char longest[5000]; // longer than any path that leads somewhere
    memset(longest, 'x', sizeof longest);
    longest[4990] = '/';
    longest[sizeof longest - 1] = '\0';
    assert_true(iso_is_same_file(longest, longest));
    assert_false(iso_is_same_file(longest, "a-new-name.txt"));
}

static void unreadable_files_say_why(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    char* bytes = NULL;
    size_t size = 0;
    CHECK_STATUS(ctx, iso_file_read(ctx, temp_path(path, "none"), 100, &bytes, &size), ISO_ERR_IO);
    CHECK_ERROR(ctx, "none: No such file");
    CHECK_STATUS(ctx, iso_file_read(ctx, temp_path(path, "."), 100, &bytes, &size), ISO_ERR_IO);
    CHECK_ERROR(ctx, "not a regular file");
    temp_path(path, "pipe");
    remove(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    CHECK_STATUS(ctx, iso_file_read(ctx, path, 100, &bytes, &size), ISO_ERR_IO);
    CHECK_ERROR(ctx, "pipe: not a regular file");
    FILE* file = fopen(temp_path(path, "mesh.stl"), "wb");
    fputs("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", file);
    fclose(file);
    CHECK_STATUS(ctx, iso_file_read(ctx, path, 100, &bytes, &size), ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "mesh.stl: a pointer of Git LFS in the place of the file");
    assert_null(bytes);
    test_context_destroy(ctx);
}

static void unwritable_files_say_why(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    iso_file_writer writer;
    CHECK_STATUS(ctx, iso_file_writer_open(ctx, temp_path(path, "no/such/dir"), &writer),
                 ISO_ERR_IO);
    CHECK_ERROR(ctx, "no/such/dir: No such file");
    assert_null(writer.file);

    temp_path(path, "directory");
    mkdir(path, 0777);
    CHECK_STATUS(ctx, iso_file_writer_open(ctx, path, &writer), ISO_ERR_IO);
    CHECK_ERROR(ctx, "directory: Is a directory");

    // The target becomes a directory meanwhile: the rename fails, the part file goes away.
    temp_path(path, "becomes_directory");
    rmdir(path);
    CHECK_OK(ctx, iso_file_writer_open(ctx, path, &writer));
    mkdir(path, 0777);
    CHECK_STATUS(ctx, iso_file_writer_commit(ctx, &writer), ISO_ERR_IO);
    CHECK_ERROR(ctx, "becomes_directory: Is a directory");
    struct stat info;
    char part[TEST_PATH_SIZE];
    temp_path(part, "becomes_directory.part");
    assert_int_not_equal(stat(part, &info), 0);
    rmdir(path);
    test_context_destroy(ctx);
}

static void full_disk_is_reported_at_commit(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    char path[TEST_PATH_SIZE];
    for (int size = 1; size < 100000; size += 99998) { // fails in the flush, or before it
        iso_file_writer writer;
        CHECK_OK(ctx, iso_file_writer_open(ctx, temp_path(path, "full"), &writer));
        fclose(writer.file);
        writer.file = fopen("/dev/full", "wb");
        assert_non_null(writer.file);
        for (int i = 0; i < size; ++i) {
            fputc('x', writer.file);
        }
        CHECK_STATUS(ctx, iso_file_writer_commit(ctx, &writer), ISO_ERR_IO);
        CHECK_ERROR(ctx, "full: ");
    }
    test_context_destroy(ctx);
}

static iso_status write_and_read(iso_context* ctx, void* user) {
    const char* path = user;
    iso_file_writer writer;
    iso_status status = iso_file_writer_open(ctx, path, &writer);
    if (status != ISO_OK) {
        return status;
    }
    fputs("text", writer.file);
    status = iso_file_writer_commit(ctx, &writer);
    char* bytes = NULL;
    size_t size = 0;
    if (status == ISO_OK) {
        status = iso_file_read(ctx, path, 10, &bytes, &size);
    }
    iso_free(ctx, bytes);
    return status;
}

static void files_survive_every_allocation_failure(void** state) {
    (void)state;
    char path[TEST_PATH_SIZE];
    temp_path(path, "memory.txt");
    // A long path makes the ".part" text grow once; either way all are reported.
    assert_in_range(check_every_allocation_failure(write_and_read, path), 3, 4);
}

static void check_path(iso_context* ctx, char* got, const char* expected) {
    assert_string_equal(got, expected);
    iso_free(ctx, got);
}

static void paths_split_and_join(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    check_path(ctx, iso_path_directory(ctx, "a/b/c.sdf"), "a/b/");
    check_path(ctx, iso_path_directory(ctx, "c.sdf"), "");
    check_path(ctx, iso_path_directory(ctx, "/c.sdf"), "/");
    check_path(ctx, iso_path_join(ctx, "a/b", "c"), "a/b/c");
    check_path(ctx, iso_path_join(ctx, "a/b/", "../c"), "a/b/../c");
    check_path(ctx, iso_path_join(ctx, "", "c"), "c");
    check_path(ctx, iso_path_join(ctx, "a", "/c"), "/c");
    test_heap_of(ctx)->fail_index = test_heap_of(ctx)->call_count;
    assert_null(iso_path_join(ctx, "a", "b"));
    test_context_destroy(ctx);
}

static void extensions_compare_without_case(void** state) {
    (void)state;
    assert_true(iso_path_has_extension("a/b.STL", "stl"));
    assert_true(iso_path_has_extension("a/b.stl", ".Stl"));
    assert_true(iso_path_has_extension("b.tar.gz", "gz"));
    assert_false(iso_path_has_extension("a/b.stlx", "stl"));
    assert_false(iso_path_has_extension("a/b.st", "stl"));
    assert_false(iso_path_has_extension("a.stl/b", "stl"));
    assert_false(iso_path_has_extension("a/.stl", "stl"));
    assert_false(iso_path_has_extension("stl", "stl"));
}

// Names may be made of what is whole UTF-8 without control characters; messages are made so.
static void what_is_printed_is_whole_characters_without_controls(void** state) {
    (void)state;
    static const struct {
        const char *text, *printed;
    } cases[] = {
        {"", ""},
        {"plain 'text' ~", NULL},
        {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\xa4\x96 \xf4\x8f\xbf\xbf", NULL}, // 2, 3 and 4 bytes
        {"two\nlines\tand \x1b[31mred\x7f", "two lines and  [31mred "},
        {"a\xc2\x9b"
         "31mb\xc2\xa0",
         "a 31mb\xc2\xa0"}, // CSI in 8 bits; a space that does not break
        {"'\xc3'", "''"},   // cut after the first byte of 2, of 3, and after 3 of 4
        {"'\xe2\x82'\xe2", "''"},
        {"\xf0\x9f\xa4...", "..."},
        {"\xf0\x9f\xc3\xa4", "\xc3\xa4"},
        {"a\x80\xff\xc0z", "a???z"},                                // start no character
        {"\xe0\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80", "??????????"}, // nor do these
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[64];
        strcpy(text, cases[i].text);
        const char* printed = cases[i].printed ? cases[i].printed : cases[i].text;
        bool is_same = strcmp(printed, text) == 0;
        CHECK(iso_text_is_printable(text) == is_same, "case %d", (int)i);
        CHECK(iso_text_is_utf8(text) == (i < 5), "case %d", (int)i); // controls are UTF-8, too
        iso_text_make_printable(text);
        CHECK(strcmp(text, printed) == 0, "case %d: '%s', expected '%s'", (int)i, text, printed);
        assert_true(iso_text_is_printable(text));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_grows_and_stays_terminated),
        cmocka_unit_test(text_refuses_impossible_lengths),
        cmocka_unit_test(text_survives_every_allocation_failure),
        cmocka_unit_test(numbers_parse_whole_or_not_at_all),
        cmocka_unit_test(absurdly_long_number_is_refused),
        cmocka_unit_test(rows_of_numbers_are_counted),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
        cmocka_unit_test(written_file_appears_whole_and_reads_back),
        cmocka_unit_test(aborted_file_leaves_the_old_one),
        cmocka_unit_test(devices_are_written_through_and_links_kept),
        cmocka_unit_test(one_file_is_known_under_two_names),
        cmocka_unit_test(unreadable_files_say_why),
        cmocka_unit_test(unwritable_files_say_why),
        cmocka_unit_test(full_disk_is_reported_at_commit),
        cmocka_unit_test(files_survive_every_allocation_failure),
        cmocka_unit_test(paths_split_and_join),
        cmocka_unit_test(extensions_compare_without_case),
        cmocka_unit_test(what_is_printed_is_whole_characters_without_controls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
