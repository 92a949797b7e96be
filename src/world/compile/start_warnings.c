// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/compile/start_warnings.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "isobar/dynamics.h"
#include "isobar/query.h"
#include "world/model/model.h"

#include <math.h>

// How deep the highest point of a body lies below a half space [m]; negative: it stands out.
static double depth_of_top(const iso_contact_shape* shape, const iso_pose* x_hg) {
    const iso_tri_mesh* skin = iso_contact_shape_surface(shape);
    double top = -INFINITY;
    for (int i = 0; i < skin->vertex_count; ++i) {
        top = fmax(top, iso_pose_point(x_hg, skin->vertices[i]).z);
    }
    return -top;
}

// A rigid surface is pushed out of a compliant half space from any depth, and of a rigid one by its
// layer. A field is pushed where its pressure is that of the half space, and from some depth on it
// is less everywhere.
static bool is_lost(const iso_contact_shape* shape, const iso_contact_shape* half, double depth) {
    if (iso_contact_shape_is_rigid(shape) || depth <= 0.0) {
        return false;
    }
    return iso_contact_shape_is_rigid(half) ||
           depth * iso_contact_shape_max_pressure(half) >=
               iso_contact_shape_max_pressure(shape) * iso_contact_shape_thickness(half);
}

// What hangs on a joint of the world is held by it, mostly.
static bool floats(const iso_multibody* multibody, int body) {
    const iso_mb_body* b = &multibody->bodies[body];
    while (b->tree >= 0 && b->mobility != ISO_MOBILITY_FREE) {
        b = &multibody->bodies[b->parent];
    }
    return b->tree >= 0;
}

// False when there is nothing to say.
static bool check_start(const iso_world* world, int geometry, int half) {
    const iso_contact_geometry* g = &world->geometries[geometry];
    const iso_contact_geometry* h = &world->geometries[half];
    if (iso_contact_shape_is_half_space(g->shape) ||
        !iso_contact_system_may_meet(world->contacts, geometry < half ? geometry : half,
                                     geometry < half ? half : geometry)) {
        return false;
    }
    iso_pose x_wg = iso_pose_mul(&world->kinematics.x_wb[g->body], &g->x_bg);
    iso_pose x_wh = iso_pose_mul(&world->kinematics.x_wb[h->body], &h->x_bg);
    iso_pose x_hw = iso_pose_inverse(&x_wh);
    iso_pose x_hg = iso_pose_mul(&x_hw, &x_wg);
    double depth = depth_of_top(g->shape, &x_hg);
    const iso_mb_body* body = &world->multibody.bodies[g->body];
    iso_vec3 pull = iso_multibody_pull(body, world->desc.gravity);
    bool falls = floats(&world->multibody, g->body) && iso_mat3_tmul_vec3(&x_wh.r, pull).z < 0.0;
    if (!falls || !is_lost(g->shape, h->shape, depth)) {
        return false;
    }
    char where[512];
    iso_log(world->ctx, ISO_LOG_WARNING,
            "%s'%s::%s' starts wholly below the half space '%s::%s', its top %.3g m deep: nothing "
            "there pushes it out, it falls",
            iso_model_where(g->source, where, sizeof where), g->body_name, g->name, h->body_name,
            h->name, depth);
    return true;
}

// As joints that start outside their limits (compile.c).
static void report_tendon(const iso_world* world, const iso_fixed_tendon_desc* desc) {
    int index = iso_world_find_fixed_tendon(world, desc->name);
    double length = iso_world_fixed_tendon(world, index).length;
    if (!desc->is_off && (length < desc->lower || length > desc->upper)) {
        char where[512];
        iso_log(world->ctx, ISO_LOG_WARNING,
                "%sfixed tendon '%s' starts at %g, outside its limits [%g, %g]: the limit pushes "
                "it back",
                iso_model_where(desc->source, where, sizeof where), desc->name, length, desc->lower,
                desc->upper);
    }
}

iso_status iso_world_warn_of_starts(const iso_world* world, const iso_model* model) {
    for (int i = 0; i < model->tendons.count; ++i) {
        report_tendon(world, &model->tendons.data[i]);
    }
    int told_body = -1, half_count = 0; // the geometries of a body follow each other
    int* halves = iso_alloc_array(world->ctx, world->geometry_count, sizeof *halves);
    ISO_REQUIRE(world->ctx, halves, ISO_ERR_MEMORY, "%d geometries", world->geometry_count);
    for (int i = 0; i < world->geometry_count; ++i) {
        halves[half_count] = i;
        half_count += iso_contact_shape_is_half_space(world->geometries[i].shape);
    }
    for (int i = 0; i < world->geometry_count; ++i) {
        for (int k = 0; k < half_count && world->geometries[i].body != told_body; ++k) {
            if (check_start(world, i, halves[k])) {
                told_body = world->geometries[i].body;
            }
        }
    }
    iso_free(world->ctx, halves);
    return ISO_OK;
}
