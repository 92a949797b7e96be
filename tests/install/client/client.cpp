// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A program in C++ outside the project: sees only what `make install` installs. A ball falls.

#include <isobar/isobar.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

void log(void* user, iso_log_level, const char*) {
    ++*static_cast<int*>(user);
}

struct Destroy {
    void operator()(iso_model* model) const {
        iso_model_destroy(model);
    }
    void operator()(iso_world* world) const {
        iso_world_destroy(world);
    }
};

template <class T> using Owned = std::unique_ptr<T, Destroy>;

int fail(const iso_context* ctx) {
    std::fprintf(stderr, "%s\n", iso_context_error(ctx));
    return 1;
}

} // namespace

int main() {
    int message_count = 0;
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = log;
    desc.log_user = &message_count;
    iso_context* ctx = nullptr;
    if (iso_context_create(&desc, &ctx) != ISO_OK) {
        return 1;
    }
    {
        iso_model* made = nullptr;
        iso_world* begun = nullptr;
        if (iso_model_create(ctx, &made) != ISO_OK) {
            return fail(ctx);
        }
        Owned<iso_model> model(made);
        iso_body_desc ball = iso_body_desc_default();
        ball.name = "ball";
        ball.mass = 0.5;
        ball.inertia = iso_mat3_diagonal(1e-3, 1e-3, 1e-3);
        int body = -1; // of the model; the world has its own order
        if (iso_model_add_body(model.get(), &ball, &body) != ISO_OK ||
            iso_world_create(ctx, model.get(), nullptr, &begun) != ISO_OK) {
            return fail(ctx);
        }
        Owned<iso_world> world(begun);
        body = iso_world_find_body(world.get(), "ball");
        std::vector<double> heights;
        for (int i = 0; i < 100; ++i) {
            if (iso_world_step(world.get()) != ISO_OK) {
                return fail(ctx);
            }
            heights.push_back(iso_world_body_pose(world.get(), body).p.z);
        }
        double fallen = 0.5 * 9.81 * std::pow(iso_world_time(world.get()), 2);
        if (std::fabs(heights.back() + fallen) > 0.02 * fallen) {
            std::fprintf(stderr, "fell %g m, expected %g m\n", -heights.back(), fallen);
            return 1;
        }
    }
    std::printf("isobar %s %s\n", iso_version(), iso_simd_backend());
    iso_context_destroy(ctx);
    return message_count;
}
