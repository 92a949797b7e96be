// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// How much two stacked boxes at rest move from step to step, with and without a margin. Each case
// starts from several states, as some of them end in a rocking that never dies.

#include "isobar/isobar.h"

#include <stdio.h>
#include <stdlib.h>

#define GRAVITY 9.81
#define STEPS 800
#define MEASURED_STEPS 300 // the last ones
#define STARTS 4

typedef struct sample {
    double scale, modulus, time_step, margin;
} sample;

static void require(iso_context* ctx, iso_status status) {
    if (status != ISO_OK) {
        fprintf(stderr, "margin: %s\n", iso_context_error(ctx));
        exit(1);
    }
}

static int add_box(iso_context* ctx, iso_model* model, const char* name, const sample* s,
                   const iso_pose* x_wb) {
    iso_vec3 size = iso_vec3_scale(iso_vec3_make(0.2, 0.15, 0.08), s->scale);
    double mass = 0.2 * s->scale * s->scale * s->scale, x = size.x, y = size.y, z = size.z;
    iso_body_desc body = iso_body_desc_default();
    body.name = name;
    body.mass = mass;
    body.inertia = iso_mat3_diagonal(mass / 12.0 * (y * y + z * z), mass / 12.0 * (x * x + z * z),
                                     mass / 12.0 * (x * x + y * y));
    int index = -1;
    require(ctx, iso_model_add_body(model, &body, &index));
    iso_geometry_desc box = iso_geometry_desc_default();
    box.name = "box";
    box.shape = iso_shape_desc_default(ISO_SHAPE_BOX);
    box.shape.size = size;
    box.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    box.material.modulus = s->modulus;
    box.material.dissipation = 20.0;
    box.material.margin = s->margin;
    require(ctx, iso_model_add_geometry(model, index, &box, NULL));
    require(ctx, iso_model_set_free_pose(model, index, x_wb));
    return index;
}

// A stack on rigid ground, the upper box shifted, turned and dropped from 1 cm.
static iso_world* make_stack(iso_context* ctx, const sample* s, int start) {
    iso_model* model = NULL;
    iso_world* world = NULL;
    require(ctx, iso_model_create(ctx, &model));
    iso_geometry_desc ground = iso_geometry_desc_default();
    ground.name = "ground";
    ground.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    ground.material.compliance = ISO_COMPLIANCE_RIGID;
    require(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &ground, NULL));
    double k = s->scale, turn = 0.01 * start;
    iso_pose lower = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.04 * k));
    iso_pose upper = iso_pose_from_position(
        iso_vec3_make(0.01 * k * start, 0.004 * k * start, 0.12 * k + 0.01 + 0.1 * turn));
    upper.r = iso_mat3_from_axis_angle(iso_vec3_normalized(iso_vec3_make(1.0, 0.6, 0.3)), turn);
    add_box(ctx, model, "lower", s, &lower);
    add_box(ctx, model, "upper", s, &upper);
    iso_world_desc desc = iso_world_desc_default();
    desc.time_step = s->time_step;
    desc.contact.friction = ISO_FRICTION_MODEL_REGULARIZED; // as in Drake, with which this compares
    require(ctx, iso_world_create(ctx, model, &desc, &world));
    iso_model_destroy(model);
    return world;
}

// Standard deviation of the upper box's height over the lower one's, over the last steps.
static double measure_start(iso_context* ctx, const sample* s, int start) {
    iso_world* world = make_stack(ctx, s, start);
    int lower = iso_world_find_body(world, "lower"), upper = iso_world_find_body(world, "upper");
    double mean = 0.0, squares = 0.0; // of differences to the mean, which squares of z would lose
    for (int i = 0; i < STEPS; ++i) {
        require(ctx, iso_world_step(world));
        if (i >= STEPS - MEASURED_STEPS) {
            double z = iso_world_body_pose(world, upper).p.z -
                       iso_world_body_pose(world, lower).p.z - 0.08 * s->scale;
            double step = z - mean;
            mean += step / (i - (STEPS - MEASURED_STEPS) + 1);
            squares += step * (z - mean);
        }
    }
    iso_world_destroy(world);
    return sqrt(squares / MEASURED_STEPS) / (GRAVITY * s->time_step * s->time_step);
}

static void measure(iso_context* ctx, const sample* s) {
    double area = 0.2 * 0.15 * s->scale * s->scale, height = 0.08 * s->scale;
    double mass = 0.2 * s->scale * s->scale * s->scale;
    printf("{\"scale\": %g, \"modulus\": %g, \"time_step\": %g, \"margin\": %g, \"pi1\": %.9g, "
           "\"pi2\": [",
           s->scale, s->modulus, s->time_step, s->margin,
           s->time_step * sqrt(s->modulus * area / (height * mass)));
    for (int start = 0; start < STARTS; ++start) {
        printf("%s%.9g", start ? ", " : "", measure_start(ctx, s, start));
    }
    printf("]}\n");
}

int main(void) {
    iso_context* ctx = NULL;
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    if (iso_context_create(&desc, &ctx) != ISO_OK) {
        return 1;
    }
    static const double steps[] = {6.25e-4, 2.5e-3, 1e-2};
    for (double scale = 1.0; scale <= 4.0; scale *= 2.0) {
        for (int k = 0; k < 3; ++k) {
            for (int e = 0; e <= 10; ++e) {
                sample s = {scale, 1e4 * pow(10.0, 0.5 * e), steps[k], 0.0};
                measure(ctx, &s);
                s.margin = ISO_MARGIN_AUTO;
                measure(ctx, &s);
            }
        }
    }
    iso_context_destroy(ctx);
    return 0;
}
