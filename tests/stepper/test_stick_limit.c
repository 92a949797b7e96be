// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Friction that sticks tends to Coulomb's law as the step falls, whatever lands on whatever: drawn
// balls that strike a floor at an angle, beside the closed form.

#include "stepper/rig.h"
#include "support/random.h"

#define BALLS 40

typedef struct landing {
    double mass, radius, modulus, dissipation, mu, down, along;
    double blow; ///< about how long they touch [s]
} landing;

static double draw_log(test_random* random, double low, double high) {
    return low * pow(high / low, test_random_uniform(random, 0.0, 1.0));
}

// So stiff that the patch is small beside the ball.
static landing draw(test_random* random) {
    landing l;
    l.radius = draw_log(random, 2e-3, 0.2);
    double density = draw_log(random, 200.0, 8000.0);
    l.down = draw_log(random, 0.1, 3.0);
    double stiffness = density * l.down * l.down; // depth over radius: its root over the modulus
    l.modulus = draw_log(random, 1e6, 1e8) * stiffness;
    l.dissipation = draw_log(random, 1e-3, 1.0) / l.down;
    l.mu = test_random_uniform(random, 0.05, 1.0);
    l.along = l.down * draw_log(random, 0.1, 6.0);
    l.mass = 4.0 / 3.0 * ISO_PI * density * l.radius * l.radius * l.radius;
    double sway = 2.0 * l.radius * sqrt(density / l.modulus); // of a layer under the whole ball
    l.blow = 2.0 * sqrt(l.radius * sway / l.down);
    return l;
}

// Velocity along the floor and what the floor gave along its normal, once the ball has left.
static double land(const landing* l, double step, double* out_gained) {
    rig* r = rig_make();
    r->settings.gravity = iso_vec3_zero();
    r->settings.time_step = step;
    int ball = rig_add_free(r, "ball", l->mass);
    double moment = 0.4 * l->mass * l->radius * l->radius;
    r->bodies[ball].inertia = iso_mat3_diagonal(moment, moment, moment);
    iso_contact_material hard = rig_material(0.0, 0.0, l->mu);
    iso_contact_material soft = rig_material(l->modulus, l->dissipation, l->mu);
    soft.slab_thickness = l->radius;
    hard.resolution_hint = 0.2 * l->radius;
    rig_add_shape(r, ball, ISO_SHAPE_SPHERE, iso_vec3_make(l->radius, 0.0, 0.0), &hard,
                  iso_pose_identity());
    rig_add_shape(r, 0, ISO_SHAPE_HALF_SPACE, iso_vec3_make(1.0, 1.0, 1.0), &soft,
                  iso_pose_identity());
    rig_finish(r);
    iso_vec3 velocity = iso_vec3_make(l->along, 0.0, -l->down);
    iso_vec3 place = iso_vec3_make(0.0, 0.0, l->radius);
    rig_set_free(r, ball, iso_pose_from_position(place),
                 iso_spatial_make(iso_vec3_zero(), velocity));
    int steps = 0;
    for (; steps < 100000 && !(r->v[5] > 0.0 && r->q[6] > 1.001 * l->radius); ++steps) {
        rig_step(r, 1);
    }
    CHECK(steps < 100000, "still touches");
    double along = r->v[3];
    *out_gained = r->v[5] + l->down;
    rig_destroy(r);
    return along;
}

// It slides throughout and loses mu times what the floor gave, or ends by rolling: 5/7 of the
// speed.
static void balls_leave_with_the_velocity_of_coulombs_law(void** state) {
    (void)state;
    test_random random = test_random_make(26);
    int rolled = 0;
    double worst = 0.0, worst_coarse = 0.0;
    for (int k = 0; k < BALLS; ++k) {
        landing l = draw(&random);
        for (int fine = 0; fine < 2; ++fine) {
            double gained, along = land(&l, l.blow / (fine ? 1000.0 : 100.0), &gained);
            double lost = l.mu * gained;
            bool rolls = lost > 2.0 / 7.0 * l.along;
            double expected = rolls ? 5.0 / 7.0 * l.along : l.along - lost;
            double error = fabs(along - expected) / l.along;
            *(fine ? &worst : &worst_coarse) = fmax(fine ? worst : worst_coarse, error);
            rolled += rolls && fine;
        }
    }
    print_message("worst %g, with coarse steps %g; %d roll\n", worst, worst_coarse, rolled);
    CHECK(rolled > 5 && rolled < BALLS - 5, "%d", rolled);
    // The ball rolls on what it presses in: measured 0.0058, and a third of it ten times stiffer.
    CHECK_AT_MOST(worst, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_leave_with_the_velocity_of_coulombs_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
