// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/text.h"
#include "base/values/name.h"
#include "base/values/name_table.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const k_hand[] = {
    "world", "left::gripper", "right::gripper", "left::finger_left", "left::finger_right", NULL};

static void names_are_found_whole_or_by_their_only_end(void** state) {
    (void)state;
    iso_name_list list = iso_name_list_of(k_hand, -1);
    assert_int_equal(list.count, 5);
    assert_int_equal(iso_name_list_find(&list, "world"), 0);
    assert_int_equal(iso_name_list_find(&list, "right::gripper"), 2);
    assert_int_equal(iso_name_list_find(&list, "finger_left"), 3);
    static const char* const none[] = {"gripper", "left", "", "r_left", "::finger_left", "World"};
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i) {
        CHECK(iso_name_list_find(&list, none[i]) == -1, "'%s' is found", none[i]);
    }
    assert_int_equal(iso_name_list_find(&list, NULL), -1);
}

static void members_of_structures_are_names(void** state) {
    (void)state;
    typedef struct thing {
        int number;
        const char* name;
    } thing;
    static const thing things[] = {{1, "a"}, {2, NULL}, {3, "c"}};
    iso_name_list list = ISO_NAME_LIST(things, 3, thing, name);
    assert_string_equal(iso_name_list_at(&list, 1), "");
    assert_int_equal(iso_name_list_find(&list, "c"), 2);
    iso_name_list none = ISO_NAME_LIST(NULL, 0, thing, name);
    assert_int_equal(iso_name_list_find(&none, "c"), -1);
    assert_int_equal(iso_name_list_nearest(&none, "c"), -1);
}

// A third of the letters may differ, whatever their case; a swap of two is one difference.
static void nearest_is_what_was_misspelt(void** state) {
    (void)state;
    static const char* const names[] = {"lagged", "sap",      "rk45",         "time_step",
                                        "radius", "a::hinge", "left_pad::pad"};
    static const struct {
        const char *name, *nearest;
    } cases[] = {{"laged", "lagged"},
                 {"lagg", "lagged"},
                 {"LAGGED", "lagged"},
                 {"spa", "sap"},
                 {"rk4", "rk45"},
                 {"timeStep", "time_step"},
                 {"radus", "radius"},
                 {"raduis", "radius"},
                 {"hnige", "a::hinge"},
                 {"b::hinge", "a::hinge"},
                 {"left_pad", "left_pad::pad"},
                 {"left_pa", NULL},
                 {"lag", NULL},
                 {"magic", NULL},
                 {"step", NULL},
                 {"x", NULL},
                 {"", NULL}};
    iso_name_list list = iso_name_list_of(names, 7);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        int nearest = iso_name_list_nearest(&list, cases[i].name);
        const char* found = nearest >= 0 ? names[nearest] : "none";
        const char* expected = cases[i].nearest ? cases[i].nearest : "none";
        CHECK(strcmp(found, expected) == 0, "'%s' is near '%s', expected '%s'", cases[i].name,
              found, expected);
    }
    assert_int_equal(iso_name_list_nearest(&list, NULL), -1);
}

static void explanations_say_which_names_there_are(void** state) {
    (void)state;
    static const char* const many[] = {"a", "b", "c", "d", "e", "f", "g"};
    iso_name_list hand = iso_name_list_of(k_hand, -1);
    iso_name_list letters = iso_name_list_of(many, 7), two = iso_name_list_of(many, 2);
    iso_name_list none = iso_name_list_of(NULL, 0);
    static const char* const scoped[] = {"left_pad::tip"};
    iso_name_list tip = iso_name_list_of(scoped, 1);
    static const char* const unnamed[] = {"", "x", ""};
    iso_name_list some = iso_name_list_of(unnamed, 3);
    assert_int_equal(iso_name_list_find(&some, ""), -1);
    const struct {
        const iso_name_list* list;
        const char *name, *text;
    } cases[] = {
        {&hand, "finger_lft", "there is no body named 'finger_lft'; did you mean 'finger_left'?"},
        {&hand, "left::griper",
         "there is no body named 'left::griper'; did you mean 'left::gripper'?"},
        {&tip, "left_pad", "there is no body named 'left_pad'; did you mean 'left_pad::tip'?"},
        {&tip, "tpi", "there is no body named 'tpi'; did you mean 'tip'?"},
        {&hand, "griper", "there is no body named 'griper'; did you mean 'left::gripper'?"},
        {&hand, "gripper", "'gripper' can be body 'left::gripper' or 'right::gripper'; say which"},
        {&two, "zebra", "there is no body named 'zebra', expected 'a' or 'b'"},
        {&letters, "zebra",
         "there is no body named 'zebra', expected 'a', 'b', 'c', 'd', 'e', ... (7 in all)"},
        {&some, "y::", "there is no body named 'y::', expected 'x'"},
        {&none, "a", "there is no body named 'a', nor any other"},
        {&none, NULL, "there is no body named '', nor any other"},
    };
    char text[ISO_NAME_TEXT_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_name_list_explain(cases[i].list, "body", cases[i].name, text, sizeof text);
        CHECK(strcmp(text, cases[i].text) == 0, "'%s', expected '%s'", text, cases[i].text);
    }
    iso_name_list_explain(&letters, "body", "zebra", text, 20);
    assert_string_equal(text, "there is no body na");
}

static void a_long_name_is_cut_between_characters(void** state) {
    (void)state;
    char name[200] = "x"; // the 80th byte is the first half of a letter
    for (int i = 0; i < 99; ++i) {
        memcpy(name + 1 + 2 * i, "\xc3\xa4", 2);
    }
    iso_name_list none = iso_name_list_of(NULL, 0);
    char text[ISO_NAME_TEXT_SIZE];
    iso_name_list_explain(&none, "body", name, text, sizeof text);
    assert_true(iso_text_is_printable(text));
    CHECK_TEXT(text, "\xc3\xa4', nor any other");
    assert_int_equal(strcspn(strchr(text, 'x'), "'"), 79);
}

static void names_of_any_length_are_compared(void** state) {
    (void)state;
    char longest[97], longer[2000];
    memset(longest, 'x', 96);
    memset(longer, 'x', 1999);
    longest[96] = longer[1999] = '\0';
    const char* const names[] = {longest, longer};
    iso_name_list list = iso_name_list_of(names, 2);
    longest[95] = 'y';
    char wanted[97];
    memset(wanted, 'x', 96);
    wanted[96] = '\0';
    assert_int_equal(iso_name_list_nearest(&list, wanted), 0);
    assert_int_equal(iso_name_list_nearest(&list, longer), -1); // too long to compare
    char text[ISO_NAME_TEXT_SIZE];
    iso_name_list_explain(&list, "body", longer + 1, text, sizeof text);
    assert_true(strlen(text) < sizeof text);
}

static void a_name_that_is_required_fails_with_its_explanation(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_name_list list = iso_name_list_of(k_hand, -1);
    int index = 7;
    CHECK_OK(ctx, iso_name_list_require(ctx, &list, "body", "finger_right", &index));
    assert_int_equal(index, 4);
    CHECK_STATUS(ctx, iso_name_list_require(ctx, &list, "body", "finger", &index),
                 ISO_ERR_NOT_FOUND);
    assert_int_equal(index, -1);
    CHECK_ERROR(ctx, "there is no body named 'finger', expected 'world', 'left::gripper'");
    test_context_destroy(ctx);
}

static bool is_number(const void* user, int index) {
    return index == *(const int*)user;
}

// Hashes of which many are equal, and all end alike: others are told apart by the test.
static void a_table_finds_each_of_many_names(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_name_table table = {0};
    int number = 0;
    assert_int_equal(iso_name_table_find(&table, 0, is_number, &number), -1);
    for (number = 0; number < 300; ++number) {
        uint64_t hash = (uint64_t)(number / 3) << 40;
        assert_int_equal(iso_name_table_find(&table, hash, is_number, &number), -1);
        CHECK_OK(ctx, iso_name_table_add(ctx, &table, hash, number));
    }
    for (number = 0; number < 300; ++number) {
        uint64_t hash = (uint64_t)(number / 3) << 40;
        assert_int_equal(iso_name_table_find(&table, hash, is_number, &number), number);
        assert_int_equal(iso_name_table_find(&table, hash + 1, is_number, &number), -1);
    }
    iso_name_table_destroy(ctx, &table);
    test_context_destroy(ctx);
}

// Names that end in numbers, some twice; how often they were looked at.
typedef struct counted_names {
    char (*names)[16];
    long count;
} counted_names;

static const char* counted_name(const void* owner, int index) {
    counted_names* counted = (counted_names*)(uintptr_t)owner;
    ++counted->count;
    return counted->names[index];
}

/// An index finds what a search through the list finds, with few looks at each name.
static const char* draw_scoped_name(test_random* random, char* text, size_t size) {
    static const char* const words[] = {"a", "b", "::", "::", "ab", ":"};
    size_t used = 0;
    text[0] = '\0';
    for (int i = test_random_int(random, 0, 6); i > 0; --i) {
        used +=
            (size_t)snprintf(text + used, size - used, "%s", words[test_random_int(random, 0, 5)]);
    }
    return text;
}

// The table of parts says what a walk over the list says, as the list grows.
static void an_index_finds_ends_of_names_as_their_list_does(void** state) {
    (void)state;
    enum { k_most = 60 };
    static char texts[k_most][24];
    static const char* names[k_most];
    for (uint64_t seed = 0; seed < 200; ++seed) {
        test_random random = test_random_make(seed);
        iso_name_index index = {0};
        for (int count = 0; count < k_most; ++count) {
            char wanted[24];
            int found = -1;
            names[count] = draw_scoped_name(&random, texts[count], sizeof texts[count]);
            iso_name_list list = iso_name_list_of(names, count + 1);
            draw_scoped_name(&random, wanted, sizeof wanted);
            assert_int_equal(iso_name_index_find_scoped(NULL, &index, &list, wanted, &found),
                             ISO_OK);
            CHECK(found == iso_name_list_find(&list, wanted),
                  "seed %d: '%s' is %d of %d names, "
                  "expected %d",
                  (int)seed, wanted, found, count + 1, iso_name_list_find(&list, wanted));
        }
        iso_name_index_destroy(NULL, &index);
    }
}

static void an_index_of_a_growing_list_takes_as_long_as_there_are_names(void** state) {
    (void)state;
    enum { MOST = 8000 };
    iso_context* ctx = test_context();
    test_random random = test_random_make(11);
    counted_names counted = {calloc(MOST, sizeof *counted.names), 0};
    iso_name_list list = {.owner = &counted, .at = counted_name};
    iso_name_index index = {0};
    int found = -1;
    CHECK_OK(ctx, iso_name_index_find(ctx, &index, &list, "part", &found));
    assert_int_equal(found, -1);
    for (list.count = 0; list.count < MOST;) {
        int number = (int)test_random_uniform(&random, 0.0, MOST);
        if (number % 50 > 0) { // the others have none
            (void)snprintf(counted.names[list.count], 16, "part_%d", number);
        }
        ++list.count;
        char name[16];
        (void)snprintf(name, sizeof name, "part_%d", (int)test_random_uniform(&random, 0.0, MOST));
        CHECK_OK(ctx, iso_name_index_find(ctx, &index, &list, name, &found));
        int same = -1;
        for (int i = 0; i < list.count && same < 0 && list.count % 97 == 0; ++i) {
            same = strcmp(counted.names[i], name) == 0 ? i : -1;
        }
        assert_true(list.count % 97 > 0 || found == same);
    }
    print_message("%.2f looks at each of %d names\n", (double)counted.count / MOST, MOST);
    assert_true(counted.count < 4 * MOST); // measured 1.9
    iso_name_index_destroy(ctx, &index);
    free(counted.names);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_index_of_a_growing_list_takes_as_long_as_there_are_names),
        cmocka_unit_test(an_index_finds_ends_of_names_as_their_list_does),
        cmocka_unit_test(names_are_found_whole_or_by_their_only_end),
        cmocka_unit_test(members_of_structures_are_names),
        cmocka_unit_test(nearest_is_what_was_misspelt),
        cmocka_unit_test(explanations_say_which_names_there_are),
        cmocka_unit_test(a_long_name_is_cut_between_characters),
        cmocka_unit_test(names_of_any_length_are_compared),
        cmocka_unit_test(a_name_that_is_required_fails_with_its_explanation),
        cmocka_unit_test(a_table_finds_each_of_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
