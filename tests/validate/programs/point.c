// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The experiments of Gonthier 2007 that need no world: tests/experiments/point_scenes.h.

#include "experiments/point_scenes.h"

#include <stdio.h>

static void impacts(void) {
    iso_point_contact_law law = {
        3.4e10, 1.5, {1.0, 0.2}, ISO_IMPACT_DAMPING_EXACT, 1e-6, 0.0, point_scene_frictionless()};
    for (int model = 0; model < ISO_IMPACT_DAMPING_COUNT; ++model) {
        for (int i = 1; i <= 9; ++i) {
            double speed = 0.5 * i, depth = 0.0, least = 0.0;
            law.damping = (iso_impact_damping)model;
            double e = impact_run(&law, 0.454, speed, 4000, &depth, &least);
            double asked = iso_restitution_at(&law.restitution, speed);
            double share = iso_damping_share(law.damping, asked);
            double closed = iso_impact_depth(law.stiffness, law.exponent, 0.454, speed, share);
            printf("{\"kind\": \"impact\", \"model\": \"%s\", \"speed\": %g, \"ratio\": %.12g, "
                   "\"depth\": %.12g, \"least\": %g}\n",
                   iso_impact_damping_name(law.damping), speed, e / asked, depth / closed, least);
        }
    }
    for (int i = 1; i <= 100; ++i) {
        double e = 0.01 * i;
        printf(
            "{\"kind\": \"factor\", \"e\": %g, \"d\": %.15g, \"hunt_crossley\": %.9g, "
            "\"lankarani_nikravesh\": %.9g}\n",
            e, iso_damping_factor(e, NULL),
            iso_damping_restitution(iso_damping_share(ISO_IMPACT_DAMPING_HUNT_CROSSLEY, e)),
            iso_damping_restitution(iso_damping_share(ISO_IMPACT_DAMPING_LANKARANI_NIKRAVESH, e)));
    }
}

static void print_list(const char* name, const double* values, int count) {
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; ++i) {
        printf("%s%.9g", i > 0 ? ", " : "", values[i]);
    }
    printf("]");
}

static void blocks(void) {
    for (int i = 1; i <= 3; ++i) {
        block_peaks p = block_run(0.05 * i, 60.0, 2e-4);
        printf("{\"kind\": \"block\", \"plate\": %g, \"asymmetry\": %g", 0.05 * i, p.asymmetry);
        print_list("forces", p.force, p.force_count);
        print_list("positions", p.position, p.position_count);
        print_list("times", p.position_time, p.position_count);
        printf("}\n");
    }
}

static void incline(void) {
    double c = cos(INCLINE), s = sin(INCLINE), time[8], speed[8];
    ball_data ball;
    point_scene scene = incline_scene(&ball);
    bool was_touching = false;
    int count = 0;
    double rolls = 0.0, speed_then = 0.0; // when it has begun to, and down the slope
    while (scene.t < 2.0 - 1e-9 && point_scene_step(&scene, 1e-6)) {
        if (rolls == 0.0 && scene.t > 1.7) {
            rolls = scene.t;
            speed_then = scene.y[3] * c - scene.y[5] * s;
        }
        if (scene.memory.is_touching && !was_touching && count < 8) {
            time[count] = scene.t;
            speed[count++] = scene.memory.impact_speed;
        }
        was_touching = scene.memory.is_touching;
    }
    printf("{\"kind\": \"incline\", \"along\": %.9g, \"down\": %.9g, \"spin_x\": %.9g, "
           "\"spin_y\": %.9g, \"gains\": %.9g",
           scene.y[4], scene.y[3] * c - scene.y[5] * s, scene.y[6] * c - scene.y[8] * s, scene.y[7],
           (scene.y[3] * c - scene.y[5] * s - speed_then) / (scene.t - rolls));
    print_list("times", time, count);
    print_list("speeds", speed, count);
    printf("}\n");
}

static void cylinder(double along) {
    ball_data ball;
    point_scene s = cylinder_scene(&ball, along);
    double fastest = 0.0, spinning = 0.0, start = 0.0, drift = 0.0, astray = 0.0;
    while (s.t < 6.5 && point_scene_step(&s, 5e-6)) {
        astray = fmax(astray, fabs(s.y[1] - (along > 0.0 ? s.y[1] : 0.0)));
        if (s.t > 3.0) {
            start = start == 0.0 ? ball_energy(&s) : start;
            drift = fmax(drift, fabs(ball_energy(&s) - start));
            fastest = fmax(fastest, hypot(s.y[3], s.y[5]));
            spinning = fmax(spinning, fabs(s.y[7]));
        }
    }
    printf("{\"kind\": \"cylinder\", \"along\": %g, \"fastest\": %.9g, \"spinning\": %.9g, "
           "\"drift\": %.3g, \"astray\": %.3g, \"end\": %.9g}\n",
           along, fastest, spinning, drift, astray, s.y[4]);
}

static void pendulum(double stiffness) {
    pendulum_data p;
    point_scene s = pendulum_scene(&p, stiffness);
    double lowest = pendulum_energy(&s), moving = 0.0, rise = 0.0;
    while (s.t < 10.0 && point_scene_step(&s, 5e-6)) {
        double energy = pendulum_energy(&s);
        rise = fmax(rise, energy - lowest);
        lowest = fmin(lowest, energy);
        moving = s.y[4 + ISO_POINT_STATE_COUNT - 1] < 0.5 ? s.t : moving;
    }
    printf("{\"kind\": \"pendulum\", \"stiffness\": %g, \"phi_1\": %.9g, \"phi_2\": %.9g, "
           "\"sticks\": %.6g, \"rise\": %.3g}\n",
           stiffness, s.y[0] / DEGREE, (s.y[1] - s.y[0]) / DEGREE, moving, rise);
}

static void benchmark(void) {
    static const double restitution[] = {1.0, 0.9, 0.5};
    for (int k = 0; k < 6; ++k) {
        double e = restitution[k % 3], loss[11];
        for (int i = 0; i <= 10; ++i) {
            loss[i] = k < 3 ? pendulum_impact_loss(18.0, 12.0, e, 0.1 * i, 1e-6)
                            : pendulum_impact_loss(0.0, 20.7, e, 0.1 * i, 1e-6);
        }
        printf("{\"kind\": \"benchmark\", \"case\": \"%c\", \"e\": %g", k < 3 ? 'a' : 'b', e);
        print_list("loss", loss, 11);
        printf("}\n");
    }
}

int main(void) {
    impacts();
    blocks();
    incline();
    cylinder(0.0);
    cylinder(0.3);
    pendulum(1e6);
    benchmark();
    return 0;
}
