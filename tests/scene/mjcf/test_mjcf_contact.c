// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// MJCF: which geoms touch, and with which friction. test_mujoco_pairs.py compares both with MuJoCo.

#include "scene/mjcf_fixture.h"

// The rule of two geometries by name; NULL: there is none.
static const iso_geometry_pair_desc* pair_of(const fixture* f, const char* a, const char* b) {
    const iso_geometry_pair_desc* found = NULL;
    for (int i = 0; i < f->scene.model->pairs.count; ++i) {
        const iso_geometry_pair_desc* pair = &f->scene.model->pairs.data[i];
        const char* first = iso_model_geometry(f->scene.model, pair->geometry_a, NULL)->name;
        const char* second = iso_model_geometry(f->scene.model, pair->geometry_b, NULL)->name;
        if ((strcmp(first, a) == 0 && strcmp(second, b) == 0) ||
            (strcmp(first, b) == 0 && strcmp(second, a) == 0)) {
            found = pair;
        }
    }
    return found;
}

#define BODY(name, geom) "<body name='" name "'><freejoint/>" geom "</body>"

static void pairs_have_their_own_friction_and_no_filters(void** state) {
    fixture* f = *state;
    load(f,
         "<mujoco><default><default class='slick'><pair condim='1'/></default></default>"
         "<worldbody>" BODY("a", "<geom name='a' size='1' contype='0' conaffinity='0'/>") BODY(
             "b", "<geom name='b' size='1' friction='0.4'/>")
             BODY("c", "<geom name='c' size='1' contype='0' conaffinity='0'/>") BODY(
                 "d",
                 "<geom size='1' contype='0' conaffinity='0'/>") "</worldbody>"
                                                                 "<contact><pair name='p' "
                                                                 "geom1='a' geom2='b' "
                                                                 "friction='0.2 0.2' margin='1'/>"
                                                                 "<pair geom1='c' geom2='b' "
                                                                 "class='slick'/><pair geom1='a' "
                                                                 "geom2='c' condim='4' "
                                                                 "friction='0.6 0.7 0.1'/><pair "
                                                                 "geom1='b' geom2='a' condim='1'/>"
                                                                 "</contact></mujoco>");
    assert_int_equal(iso_model_geometry_count(f->scene.model), 3); // what is not paired is shown
    assert_int_equal(f->scene.model->pairs.count, 3);
    CHECK_BITS(pair_of(f, "a", "b")->friction_static, 0.2);
    CHECK_BITS(pair_of(f, "a", "b")->friction_dynamic, 0.2);
    assert_true(pair_of(f, "a", "b")->is_unfiltered);
    CHECK_BITS(pair_of(f, "c", "b")->friction_static, 0.0);
    CHECK_BITS(pair_of(f, "a", "c")->friction_static, 0.6);
    CHECK_TEXT(f->log.text, "attribute 'margin' of <pair> has no meaning here and is ignored");
    CHECK_TEXT(f->log.text, "<pair>: friction is 0.6 along one tangent and 0.7 along the other");
    CHECK_TEXT(f->log.text, "torsional and rolling friction come from the patch; those of <pair>");
    CHECK_TEXT(f->log.text, "these two geoms are paired already, in line 1; the first pair counts");
}

static void friction_of_two_geoms_is_the_larger_one_or_that_of_higher_priority(void** state) {
    fixture* f = *state;
    load(f, WORLD(BODY("a", "<geom name='a' size='1' friction='0.3'/>")
                      BODY("b", "<geom name='b' size='1' friction='0.4' condim='1'/>")
                          BODY("c", "<geom name='c' size='1' friction='0.4' condim='1'/>")
                              BODY("d", "<geom name='d' size='1' friction='0.2' priority='1'/>")
                                  BODY("e", "<geom name='e' size='1' friction='0.3'/>")));
    CHECK_BITS(pair_of(f, "a", "b")->friction_static, 0.4);
    CHECK_BITS(pair_of(f, "b", "c")->friction_static, 0.0);
    CHECK_BITS(pair_of(f, "d", "b")->friction_static, 0.2);
    assert_null(pair_of(f, "a", "e")); // 0.3 is what theirs make
    assert_false(pair_of(f, "a", "b")->is_unfiltered);
}

static void what_hangs_on_a_fixed_base_touches_it(void** state) {
    fixture* f = *state;
    load(f, "<mujoco><worldbody><body name='base'><geom name='base' size='1'/><body name='arm'>"
            "<joint/><geom name='arm' size='1'/><body name='tool'><geom name='tool' size='1'/>"
            "<body name='tip'><joint/><geom name='tip' size='1'/></body></body></body>"
            "<body name='far'><joint/><geom name='far' size='1'/></body></body></worldbody>"
            "<contact><exclude body1='far' body2='base'/></contact></mujoco>");
    assert_int_equal(f->scene.model->pairs.count, 1);
    assert_true(pair_of(f, "arm", "base")->is_unfiltered);
    CHECK_BITS(pair_of(f, "arm", "base")->friction_static, ISO_FRICTION_COMBINED);
    assert_int_equal(f->scene.model->excluded.count, 2); // the tip from the arm, too
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(pairs_have_their_own_friction_and_no_filters),
        TEST(friction_of_two_geoms_is_the_larger_one_or_that_of_higher_priority),
        TEST(what_hangs_on_a_fixed_base_touches_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
