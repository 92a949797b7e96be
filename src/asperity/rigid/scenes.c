// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/rigid/system.h"

#include <math.h>
#include <string.h>

#define GRAVITY 9.81

static iso_rigid_box box(iso_vec3 size, double mass, double bottom) {
    double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z, m = mass / 12.0;
    return (iso_rigid_box){.size = size,
                           .p_wb = {0.0, 0.0, bottom + 0.5 * size.z},
                           .inertia = {m * (y + z), m * (x + z), m * (x + y)},
                           .mass = mass};
}

static iso_vec3 slope(double degrees) {
    double angle = degrees * ISO_PI / 180.0;
    return iso_vec3_make(GRAVITY * sin(angle), 0.0, -GRAVITY * cos(angle));
}

static void make_stack(iso_rigid_setup* s) {
    s->box_count = 5;
    for (int i = 0; i < 5; ++i) {
        s->boxes[i] = box(iso_vec3_make(0.2, 0.2, 0.1), 1.0, 0.1 * i);
    }
}

// The centre of mass is off the middle: the least-square forces of the legs are a quarter each,
// more by x x_i / (4 a^2) + y y_i / (4 b^2), with (a, b) half the distances of the legs.
static void make_table(iso_rigid_setup* s) {
    iso_rigid_box* top = &s->boxes[0];
    *top = box(iso_vec3_make(0.8, 0.6, 0.1), 4.0, 0.1);
    top->foot = 0.1;
    top->p_wb = iso_vec3_make(0.1, 0.06, 0.15);
    top->p_bg = iso_vec3_make(-0.1, -0.06, 0.0);
    double a = 0.35, b = 0.25;
    s->expected = 0.25 + 0.1 * a / (4.0 * a * a) + 0.06 * b / (4.0 * b * b);
}

// Painleve's: 2 m long, it slides with its lower end ahead, which friction digs in.
static iso_rigid_box rod(void) {
    double tilt = ISO_PI / 3.0;
    return (iso_rigid_box){.size = {2.0, 0.1, 0.1},
                           .p_wb = {cos(tilt), 0.0, sin(tilt)},
                           .inertia = {1e-3, 1.0 / 3.0, 1.0 / 3.0},
                           .mass = 1.0,
                           .tilt = tilt,
                           .v_wb = {-2.0, 0.0, 0.0}};
}

iso_rigid_setup iso_rigid_setup_of(iso_rigid_scene scene) {
    static const struct {
        const char *name, *quantity;
    } texts[] = {{"incline", "speed after 1 s [m/s]"},
                 {"slide", "acceleration [m/s^2]"},
                 {"diagonal", "acceleration [m/s^2]"},
                 {"stack", "lowest contact over weight"},
                 {"table", "share of the fullest leg"},
                 {"rod", "least speed of the tip within 10 ms [m/s]"}};
    iso_rigid_setup s = {.name = "?"};
    if ((int)scene < 0 || scene >= ISO_RIGID_SCENE_COUNT) {
        return s;
    }
    double mu = 0.5, push = 1.2 * mu * GRAVITY, angle = 35.0 * ISO_PI / 180.0;
    s = (iso_rigid_setup){.name = texts[scene].name,
                          .quantity = texts[scene].quantity,
                          .friction = mu,
                          .gravity = {0.0, 0.0, -GRAVITY},
                          .duration = 1.0,
                          .time_step = 0.01,
                          .box_count = 1};
    s.boxes[0] = box(iso_vec3_make(0.2, 0.2, 0.1), 1.0, 0.0);
    switch (scene) {
    case ISO_RIGID_INCLINE:
        s.gravity = slope(20.0);
        break;
    case ISO_RIGID_SLIDE:
        s.gravity = slope(35.0);
        s.expected = GRAVITY * (sin(angle) - mu * cos(angle));
        break;
    case ISO_RIGID_DIAGONAL:
        s.gravity = iso_vec3_make(push * sqrt(0.5), push * sqrt(0.5), -GRAVITY);
        s.expected = 0.2 * mu * GRAVITY;
        break;
    case ISO_RIGID_STACK:
        s.expected = 1.0;
        make_stack(&s);
        break;
    case ISO_RIGID_TABLE:
        make_table(&s);
        break;
    default:
        s.friction = 2.0;
        s.duration = 0.01;
        s.time_step = 1e-3;
        s.boxes[0] = rod();
    }
    return s;
}

double iso_rigid_value(iso_rigid_scene scene, const iso_rigid_end* end) {
    if (!end || (int)scene < 0 || scene >= ISO_RIGID_SCENE_COUNT) {
        return NAN;
    }
    switch (scene) {
    case ISO_RIGID_INCLINE:
        return iso_vec3_norm(end->velocity);
    case ISO_RIGID_SLIDE:
    case ISO_RIGID_DIAGONAL:
        return hypot(end->velocity.x - end->before.x, end->velocity.y - end->before.y) /
               end->seconds;
    case ISO_RIGID_STACK:
        return end->ground_share;
    default:
        return end->foot_share;
    }
}

static void begin_rod(const iso_rigid_box* rod, iso_rigid_system* s) {
    iso_vec3 across = iso_vec3_make(0.0, 1.0, 0.0);
    s->contact_count = 1;
    s->bodies[0].r_wb = iso_mat3_from_axis_angle(across, -rod->tilt);
    s->contacts[0] = (iso_rigid_contact){.a = -1, .b = 0, .p_bc = {-0.5 * rod->size.x, 0.0, 0.0}};
}

void iso_rigid_begin(iso_rigid_scene scene, iso_rigid_system* s) {
    iso_rigid_setup setup = iso_rigid_setup_of(scene);
    memset(s, 0, sizeof *s);
    s->gravity = setup.gravity;
    s->time_step = setup.time_step;
    for (int i = 0; i < ISO_RIGID_CONTACTS; ++i) {
        s->friction[i] = setup.friction;
    }
    s->body_count = setup.box_count;
    s->contact_count = 4 * setup.box_count;
    for (int i = 0; i < setup.box_count; ++i) {
        const iso_rigid_box* box_i = &setup.boxes[i];
        s->bodies[i] = (iso_rigid_body){.mass = box_i->mass,
                                        .inertia = box_i->inertia,
                                        .r_wb = iso_mat3_identity(),
                                        .p_wb = box_i->p_wb,
                                        .v_wb = box_i->v_wb};
        for (int k = 0; k < 4; ++k) { // corners, or the middles of feet there
            double x = 0.5 * (box_i->size.x - box_i->foot) * (k % 2 ? -1.0 : 1.0);
            double y = 0.5 * (box_i->size.y - box_i->foot) * (k / 2 ? -1.0 : 1.0);
            double z = -0.5 * box_i->size.z - box_i->foot;
            s->contacts[4 * i + k] =
                (iso_rigid_contact){.a = i - 1,
                                    .b = i,
                                    .p_bc = iso_vec3_add(box_i->p_bg, iso_vec3_make(x, y, z)),
                                    .height = i > 0 ? 0.5 * setup.boxes[i - 1].size.z : 0.0};
        }
    }
    if (setup.boxes[0].tilt > 0.0) {
        begin_rod(&setup.boxes[0], s);
    }
}
