// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Chains of links that end where they begin, whichever joint of them a file states last.

#include "scene/fixture.h"
#include "support/random.h"

#include <math.h>

enum { KINDS = 3, LINKS = 4, JOINTS = 5, STEPS = 60 };

// A square of rods of 0.4 m, one corner of which is held at the origin.
#define LINK(name, x, z)                                                                      \
    "<link name='" name "'><pose>" x " 0 " z " 0 0 0</pose><inertial><mass>1</mass><inertia>" \
    "<ixx>0.02</ixx><iyy>0.02</iyy><izz>0.02</izz></inertia></inertial></link>"
#define LINKS_OF_SQUARE \
    LINK("a", "0.2", "0") LINK("b", "0.4", "-0.2") LINK("c", "0.2", "-0.4") LINK("d", "0", "-0.2")
#define HINGE(name, parent, child, pose)                                                \
    "<joint name='" name "' type='revolute'><pose>" pose " 0 0 0</pose><parent>" parent \
    "</parent><child>" child "</child><axis><xyz>0 1 0</xyz></axis></joint>\n"
#define FIXED(name, parent, child, pose)                                             \
    "<joint name='" name "' type='fixed'><pose>" pose " 0 0 0</pose><parent>" parent \
    "</parent><child>" child "</child></joint>\n"
#define BALL_JOINT(name, parent, child, pose)                                       \
    "<joint name='" name "' type='ball'><pose>" pose " 0 0 0</pose><parent>" parent \
    "</parent><child>" child "</child></joint>\n"

// The first holds the square; a ball joint moves what a hinge moves, too, or hinges or fixed joints
// go round in a circle.
static const char* const k_joints[KINDS][JOINTS] = {
    {HINGE("held", "world", "a", "-0.2 0 0"), HINGE("ab", "a", "b", "0 0 0.2"),
     HINGE("da", "a", "d", "0 0 0.2"), HINGE("bc", "b", "c", "0.2 0 0"),
     BALL_JOINT("cd", "d", "c", "-0.2 0 0")},
    {HINGE("held", "world", "a", "-0.2 0 0"), HINGE("ab", "a", "b", "0 0 0.2"),
     HINGE("bc", "b", "c", "0.2 0 0"), HINGE("cd", "c", "d", "0 0 -0.2"),
     HINGE("da", "d", "a", "-0.2 0 0")},
    {HINGE("held", "world", "a", "-0.2 0 0"), HINGE("ab", "a", "b", "0 0 0.2"),
     FIXED("bc", "b", "c", "0.2 0 0"), FIXED("cd", "c", "d", "0 0 -0.2"),
     FIXED("db", "d", "b", "0 0 0")},
};

static void move(fixture* f, const char* const joints[JOINTS], const int order[JOINTS],
                 iso_vec3 out_places[LINKS]) {
    static const char* const names[LINKS] = {"m::a", "m::b", "m::c", "m::d"};
    char text[4000] = "<sdf version='1.9'>\n<model name='m'>" LINKS_OF_SQUARE;
    size_t length = strlen(text);
    for (int i = 0; i < JOINTS; ++i) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s", joints[order[i]]);
    }
    (void)snprintf(text + length, sizeof text - length, "</model></sdf>");
    load_as(f, ISO_SCENE_FORMAT_SDF, text);
    iso_world* world = NULL;
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    for (int i = 0; i < STEPS; ++i) {
        CHECK_OK(f->ctx, iso_world_step(world));
    }
    for (int i = 0; i < LINKS; ++i) {
        out_places[i] = iso_world_body_pose(world, iso_world_find_body(world, names[i])).p;
    }
    iso_world_destroy(world);
}

static void links_in_a_circle_move_alike_in_every_order_of_joints(void** state) {
    fixture* f = *state;
    test_random random = test_random_make(271);
    for (int kind = 0; kind < KINDS; ++kind) {
        int order[JOINTS] = {0, 1, 2, 3, 4};
        iso_vec3 first[LINKS], places[LINKS];
        move(f, k_joints[kind], order, first);
        assert_true(iso_vec3_distance(first[2], iso_vec3_make(0.2, 0.0, -0.4)) > 0.004);
        for (int draw = 0; draw < 60; ++draw) {
            for (int i = JOINTS - 1; i > 0; --i) {
                int j = test_random_int(&random, 0, i), kept = order[i];
                order[i] = order[j];
                order[j] = kept;
            }
            move(f, k_joints[kind], order, places);
            for (int i = 0; i < LINKS; ++i) {
                double apart = iso_vec3_distance(places[i], first[i]);
                CHECK(apart < 1e-4, "kind %d, order %d%d%d%d%d, link %d: %g m apart", kind,
                      order[0], order[1], order[2], order[3], order[4], i, apart);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(links_in_a_circle_move_alike_in_every_order_of_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
