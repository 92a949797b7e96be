// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/points/point_parts.h"

#include "math/limits.h"

#include <math.h>

#define LEAST_IMPEDANCE 1e-4 // MuJoCo's limits
#define LEAST_WIDTH 1e-15
#define LEAST_WEIGHT 1e-15
#define SHALLOWEST 1e-18 // [m]
#define DEEPEST 1e6
#define DEPTHS 2000 // tried between these, before bisection

// MuJoCo's impedance at a depth: without a width the mean of both.
static double impedance(const double* solimp, double depth) {
    double least = iso_clamp(solimp[0], LEAST_IMPEDANCE, 1.0 - LEAST_IMPEDANCE);
    double largest = iso_clamp(solimp[1], LEAST_IMPEDANCE, 1.0 - LEAST_IMPEDANCE);
    double middle = iso_clamp(solimp[3], LEAST_IMPEDANCE, 1.0 - LEAST_IMPEDANCE);
    double power = fmax(solimp[4], 1.0);
    if (!(solimp[2] > LEAST_WIDTH)) {
        return 0.5 * (least + largest);
    }
    double x = fmin(depth / solimp[2], 1.0);
    double y = x <= middle ? pow(x, power) / pow(middle, power - 1.0)
                           : 1.0 - pow(1.0 - x, power) / pow(1.0 - middle, power - 1.0);
    return least + (power == 1.0 ? x : y) * (largest - least);
}

iso_point_law iso_point_law_mix(const iso_point_law* a, const iso_point_law* b) {
    iso_point_law mixed = a->priority >= b->priority ? *a : *b;
    if (a->priority != b->priority) {
        return mixed;
    }
    double sum = a->solmix + b->solmix;
    double share = sum > LEAST_WEIGHT ? a->solmix / sum : 0.5;
    bool is_standard = a->solref[0] > 0.0 && b->solref[0] > 0.0;
    for (int i = 0; i < 2; ++i) {
        mixed.solref[i] = is_standard ? share * a->solref[i] + (1.0 - share) * b->solref[i]
                                      : fmin(a->solref[i], b->solref[i]);
    }
    for (int i = 0; i < 5; ++i) {
        mixed.solimp[i] = share * a->solimp[i] + (1.0 - share) * b->solimp[i];
    }
    mixed.friction = fmax(a->friction, b->friction);
    mixed.dimension = a->dimension > b->dimension ? a->dimension : b->dimension;
    return mixed;
}

// The edges of a pyramid share the load, each softened by its friction: what that does to 1 - d.
static double pyramid_share(const iso_point_law* law) {
    double mu = fmax(law->friction, 1e-5), square = mu * mu;
    return law->is_pyramid && law->dimension > 1
               ? 2.0 * square / law->impratio * (1.0 + square) / (2.0 * (law->dimension - 1))
               : 1.0;
}

// What a depth bears, less the load. With impedance d, a = (1 - d) w f - d (b v + k d depth).
static double surplus(const iso_point_law* law, double k, double load, double log_depth) {
    double depth = exp(log_depth), d = impedance(law->solimp, depth);
    return d * d * k * depth - (1.0 - d) * load;
}

iso_rest_point iso_point_rest_mujoco(const iso_point_law* law, const iso_point_load* load,
                                     double gravity) {
    double largest = iso_clamp(law->solimp[1], LEAST_IMPEDANCE, 1.0 - LEAST_IMPEDANCE);
    double time = fmax(law->solref[0], law->safe_time);
    bool is_standard = law->solref[0] > 0.0;
    double k = is_standard
                   ? 1.0 / (largest * largest * time * time * law->solref[1] * law->solref[1])
                   : -law->solref[0] / (largest * largest);
    double b = is_standard ? 2.0 / (largest * time) : -law->solref[1] / largest;
    double weighed = pyramid_share(law) * load->inverse * load->load;
    double first = log(SHALLOWEST), step = (log(DEEPEST) - first) / DEPTHS;
    int crossing = DEPTHS, crossings = 0;
    for (int i = DEPTHS; i > 0; --i) {
        bool is_below = surplus(law, k, weighed, first + (i - 1) * step) < 0.0;
        if (is_below && surplus(law, k, weighed, first + i * step) >= 0.0) {
            crossing = i;
            ++crossings;
        }
    }
    double low = first + (crossing - 1) * step, high = first + crossing * step;
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high);
        bool is_shallow = surplus(law, k, weighed, middle) < 0.0;
        low = is_shallow ? middle : low;
        high = is_shallow ? high : middle;
    }
    double depth = exp(high), d = impedance(law->solimp, depth);
    return (iso_rest_point){.depth = depth,
                            .rate = b * gravity / (gravity + (1.0 - d) / d * weighed),
                            .is_only_one = crossings < 2};
}

// Drake finds one point of two shapes, whatever they are.
iso_rest_point iso_point_rest_drake(double stiffness, double dissipation,
                                    const iso_point_load* load, double gravity) {
    return (iso_rest_point){load->count * load->load / stiffness, gravity * dissipation, true};
}

iso_rest_point iso_point_rest_ode(double stiffness, double damping, const iso_point_load* load,
                                  double gravity) {
    return (iso_rest_point){load->load / stiffness, damping * gravity / load->load, true};
}
