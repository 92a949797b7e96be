// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/json/json_fields.h"
#include "record/json/json_numbers.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct lifted_case {
    const char* text;
    const char* rest;
    int list_count;
} lifted_case;

static void flat_arrays_of_numbers_are_lifted_and_nothing_else(void** state) {
    (void)state;
    static const lifted_case cases[] = {
        {"{\"a\":[1,2.5,null],\"b\":[]}", "{\"a\":[0],\"b\":[]}", 1},
        {"[[1],[ 2 ,\n3\t],[\"x\"],[true],[{}]]", "[[0],[1],[\"x\"],[true],[{}]]", 2},
        {"{\"a\":\"[1]\",\"[2]\":[3]}", "{\"a\":\"[1]\",\"[2]\":[0]}", 1},
        {"{\"a\":\"\\\"[1]\\\\\",\"b\":[3]}", "{\"a\":\"\\\"[1]\\\\\",\"b\":[0]}", 1},
        {"[1,2,\"x\"]", "[1,2,\"x\"]", 0},
        {"[1,2,[3]]", "[1,2,[0]]", 1},
        {"[1,]", "[1,]", 0},
        {"[,1]", "[,1]", 0},
        {"[1 2]", "[1 2]", 0},
        {"[01]", "[01]", 0},
        {"[nul", "[nul", 0},
        {"[1,2", "[1,2", 0},
        {"[1,2,", "[1,2,", 0},
        {"[", "[", 0},
        {"\"[1]", "\"[1]", 0},
        {"\"\\", "\"\\", 0},
        {"", "", 0},
    };
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        iso_lifted_numbers lifted;
        CHECK_OK(ctx, iso_json_lift_numbers(&arena, cases[i].text, strlen(cases[i].text), &lifted));
        assert_int_equal(lifted.rest_size, strlen(cases[i].rest));
        assert_memory_equal(lifted.rest, cases[i].rest, lifted.rest_size);
        assert_int_equal(lifted.list_count, cases[i].list_count);
    }
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

static void lists_hold_the_numbers_in_their_order(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    char text[40000] = "{\"a\":[0.1";
    for (int i = 1; i < 3000; ++i) {
        snprintf(text + strlen(text), 16, ",%d.1", i);
    }
    strcat(text, "],\"none\":[],\"one\":[7],\"mixed\":[1,{}]}");
    iso_json_doc doc;
    iso_number_list list;
    CHECK_OK(ctx, iso_json_parse(&arena, text, strlen(text), &doc));
    CHECK_OK(ctx, iso_json_get_list(&doc, doc.root, "a", &list));
    assert_int_equal(list.count, 3000);
    for (int i = 0; i < list.count; ++i) {
        char want[16];
        snprintf(want, sizeof want, "%d.1", i);
        CHECK_BITS(list.values[i], strtod(want, NULL));
    }
    CHECK_OK(ctx, iso_json_get_list(&doc, doc.root, "none", &list));
    assert_int_equal(list.count, 0);
    CHECK_OK(ctx, iso_json_get_list(&doc, doc.root, "one", &list));
    assert_int_equal(list.count, 1);
    CHECK_BITS(list.values[0], 7.0);
    CHECK_STATUS(ctx, iso_json_get_list(&doc, doc.root, "mixed", &list), ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "\"mixed\" is an object, expected numbers");
    iso_json_release(&doc);
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

// Behind a number a parser may pass over it, so that an array which was not lifted looks as if it
// was.
static void texts_with_null_characters_are_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arena;
    CHECK_OK(ctx, iso_arena_init(&arena, ctx, 0));
    const char text[] = "{\"a\":[1,2],\"b\":[0\0]}";
    iso_json_doc doc;
    CHECK_STATUS(ctx, iso_json_parse(&arena, text, sizeof text - 1, &doc), ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "byte 17: a null character");
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_arrays_of_numbers_are_lifted_and_nothing_else),
        cmocka_unit_test(lists_hold_the_numbers_in_their_order),
        cmocka_unit_test(texts_with_null_characters_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
