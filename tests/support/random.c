// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "support/random.h"

#include <math.h>

test_random test_random_make(uint64_t seed) {
    return (test_random){seed};
}

int test_random_int(test_random* random, int low, int high) {
    uint64_t span = (uint64_t)((int64_t)high - low) + 1;
    return (int)(low + (int64_t)(test_random_bits(random) % span));
}

double test_random_normal(test_random* random) {
    double radius = sqrt(-2.0 * log(1.0 - test_random_uniform(random, 0.0, 1.0)));
    return radius * cos(6.283185307179586 * test_random_uniform(random, 0.0, 1.0));
}

iso_vec3 test_random_vec3(test_random* random, double low, double high) {
    double x = test_random_uniform(random, low, high);
    double y = test_random_uniform(random, low, high);
    double z = test_random_uniform(random, low, high);
    return iso_vec3_make(x, y, z);
}

iso_vec3 test_random_unit_vec3(test_random* random) {
    for (;;) {
        iso_vec3 v = test_random_vec3(random, -1.0, 1.0);
        double square = iso_vec3_norm_squared(v);
        if (square <= 1.0 && square > 1e-6) {
            return iso_vec3_scale(v, 1.0 / sqrt(square));
        }
    }
}

iso_quat test_random_quat(test_random* random) {
    double w = test_random_normal(random);
    double x = test_random_normal(random);
    double y = test_random_normal(random);
    double z = test_random_normal(random);
    return iso_quat_normalized(iso_quat_make(w, x, y, z));
}

iso_pose test_random_pose(test_random* random, double extent) {
    iso_quat q = test_random_quat(random);
    return iso_pose_from_quat(q, test_random_vec3(random, -extent, extent));
}
