// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "live/access.h"
#include "live/command.h"
#include "support/check.h"
#include "support/random.h"

#include <stdio.h>
#include <string.h>

static void only_names_of_this_machine_are_hosts(void** state) {
    (void)state;
    const iso_live_access here = {"127.0.0.1", 8080, "token-token"};
    const iso_live_access all = {"0.0.0.0", 8080, "token-token"};
    const iso_live_access plain = {"127.0.0.1", 80, "token-token"};
    static const struct {
        const char* host;
        bool is_here, is_all, is_plain;
    } cases[] = {
        {"127.0.0.1:8080", true, true, false},
        {"localhost:8080", true, true, false},
        {"LocalHost:8080", true, true, false},
        {"127.0.0.1", false, false, true},
        {"localhost", false, false, true},
        {"127.0.0.1:80", false, false, true},
        {"10.1.2.3:8080", false, true, false},
        {"[::1]:8080", false, true, false},
        {"evil.example:8080", false, false, false},
        {"", false, false, false},
        {":8080", false, false, false},
        {"127.0.0.1.evil.example:8080", false, false, false},
        {"127.0.0.1:08080", false, false, false},
        {"127.0.0.1:8080:8080", false, false, false},
        {"[127.0.0.1:8080", false, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(iso_live_allows_host(&here, cases[i].host), cases[i].is_here);
        assert_int_equal(iso_live_allows_host(&all, cases[i].host), cases[i].is_all);
        assert_int_equal(iso_live_allows_host(&plain, cases[i].host), cases[i].is_plain);
    }
}

static void only_pages_of_the_same_host_are_origins(void** state) {
    (void)state;
    const char* host = "localhost:8080";
    assert_true(iso_live_allows_origin(host, ""));
    assert_true(iso_live_allows_origin(host, "http://localhost:8080"));
    assert_true(iso_live_allows_origin(host, "HTTP://LOCALHOST:8080"));
    static const char* const others[] = {"null",
                                         "http://localhost",
                                         "https://localhost:8080",
                                         "http://localhost:8080/",
                                         "http://localhost:80801",
                                         "http://127.0.0.1:8080",
                                         "http://"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        assert_false(iso_live_allows_origin(host, others[i]));
    }
}

static void a_token_fits_only_itself(void** state) {
    (void)state;
    test_random random = test_random_make(3);
    for (int i = 0; i < 200; ++i) {
        iso_live_access access = {"127.0.0.1", 1, ""};
        char other[ISO_LIVE_TOKEN_SIZE + 1];
        assert_false(iso_live_allows_token(&access, ""));
        assert_true(iso_live_make_token(access.token));
        assert_true(iso_live_is_token(access.token) && strlen(access.token) == 32);
        assert_true(iso_live_allows_token(&access, access.token));
        (void)snprintf(other, sizeof other, "%s", access.token);
        other[test_random_int(&random, 0, 31)] ^= (char)(1 << test_random_int(&random, 0, 6));
        assert_false(iso_live_allows_token(&access, other));
        other[test_random_int(&random, 0, 31)] = '\0';
        assert_false(iso_live_allows_token(&access, other));
    }
    assert_false(iso_live_is_token("1234567"));
    assert_false(iso_live_is_token("12345678&x=1"));
    char longest[80];
    memset(longest, 'a', sizeof longest);
    longest[64] = '\0';
    assert_true(iso_live_is_token(longest));
    longest[64] = 'a';
    longest[65] = '\0';
    assert_false(iso_live_is_token(longest));
}

static void commands_are_read_whole_or_refused(void** state) {
    (void)state;
    iso_live_command command;
    const char* reason = "";
    const char* drag = "{\"do\":\"drag\",\"index\":3,\"at\":[0.5,-1,2e-3],\"to\":[4,5,6]}";
    assert_true(iso_live_read_command(drag, strlen(drag), &command, &reason));
    assert_int_equal(command.kind, ISO_LIVE_DRAG);
    assert_int_equal(command.index, 3);
    assert_true(command.at.x == 0.5 && command.at.y == -1.0 && command.at.z == 2e-3);
    assert_true(command.to.x == 4.0 && command.to.y == 5.0 && command.to.z == 6.0);
    const char* set = "{\"do\":\"set\",\"setting\":\"simulation.method=sap\"}";
    assert_true(iso_live_read_command(set, strlen(set), &command, &reason));
    assert_string_equal(command.text, "simulation.method=sap");
    const char* far = "{\"do\":\"drag\",\"index\":3,\"at\":[0,0,0],\"to\":[1e200,0,0]}";
    assert_false(iso_live_read_command(far, strlen(far), &command, &reason));
    assert_non_null(strstr(reason, "at most 1e9 m"));
    // Any other bytes: nothing is read beyond them, and whoever is refused is told why.
    test_random random = test_random_make(17);
    int refused = 0;
    for (int i = 0; i < 20000; ++i) {
        const char* from = i % 2 ? drag : set;
        char text[128];
        int size = test_random_int(&random, 0, (int)strlen(from));
        memcpy(text, from, (size_t)size);
        for (int k = test_random_int(&random, 0, 3); k > 0 && size > 0; --k) {
            text[test_random_int(&random, 0, size - 1)] = (char)test_random_int(&random, -128, 127);
        }
        reason = NULL;
        if (!iso_live_read_command(text, (size_t)size, &command, &reason)) {
            assert_non_null(reason);
            ++refused;
        }
    }
    assert_true(refused > 10000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_names_of_this_machine_are_hosts),
        cmocka_unit_test(only_pages_of_the_same_host_are_origins),
        cmocka_unit_test(a_token_fits_only_itself),
        cmocka_unit_test(commands_are_read_whole_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
