// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "volume/octree.h"
#include "volume/round/round.h"
#include "volume/solids/body.h"
#include "volume/solids/moments.h"
#include "volume/sweep.h"

const char* iso_volume_method_name(iso_volume_method method) {
    static const char* const names[] = {"polyhedral", "analytic", "octree"};
    return (int)method >= 0 && (int)method < 3 ? names[method] : "unknown";
}

iso_volume_settings iso_volume_settings_default(void) {
    return (iso_volume_settings){.digits = 3.0, .max_depth = 8};
}

static iso_status check_pose(iso_context* ctx, const iso_pose* x, const char* name) {
    ISO_REQUIRE(ctx, iso_pose_is_rigid(x), ISO_ERR_RANGE,
                "pose %s at (%g, %g, %g): expected finite and rigid", name, x->p.x, x->p.y, x->p.z);
    return ISO_OK;
}

// The order of A and B in which a pair is computed: half spaces, then balls, then polyhedra.
static int rank(const iso_volume_body* body) {
    return body->shape.kind == ISO_SHAPE_HALF_SPACE ? 0
           : body->shape.kind == ISO_SHAPE_SPHERE   ? 1
           : body->is_polyhedron                    ? 2
                                                    : 3;
}

static bool is_ellipsoid(const iso_volume_body* body) {
    return body->shape.kind == ISO_SHAPE_ELLIPSOID || body->shape.kind == ISO_SHAPE_SPHERE;
}

static iso_vec3 semi_axes(const iso_volume_body* body) {
    double r = body->shape.radius;
    return body->shape.kind == ISO_SHAPE_SPHERE ? iso_vec3_make(r, r, r) : body->shape.size;
}

// Capsule, cylinder or ellipsoid A and polyhedron B, in the frame of A.
static void round_polyhedron(const iso_volume_body* a, const iso_volume_body* b,
                             const iso_pose* x_ab, iso_volume_metrics* out) {
    bool is_box = b->shape.kind == ISO_SHAPE_BOX;
    if (a->shape.kind == ISO_SHAPE_CYLINDER) {
        iso_volume_cylinder_polyhedron(a->shape.radius, a->shape.length, b, x_ab, out);
    } else if (a->shape.kind == ISO_SHAPE_CAPSULE) {
        iso_volume_capsule_polyhedron(a->shape.radius, a->shape.length, b, x_ab, out);
    } else if (!is_box || !iso_volume_ellipsoid_face(a->shape.size, b->shape.size, x_ab, out)) {
        iso_volume_ellipsoid_polyhedron(a->shape.size, b, x_ab, out);
    }
}

// In the frame of A, whose rank is not above B's.
static void intersect(const iso_volume_body* a, const iso_volume_body* b, const iso_pose* x_ab,
                      iso_volume_metrics* out) {
    int rank_a = rank(a), rank_b = rank(b);
    if (rank_a == 2 && rank_b == 2) {
        iso_volume_sweep(a, b, x_ab, out);
    } else if (rank_a == 0 && rank_b == 2) {
        iso_volume_sweep_plane(b, x_ab, out);
    } else if (rank_a == 0 && rank_b == 1) {
        iso_volume_plane_ball(b->shape.radius, x_ab->p, out);
    } else if (rank_a == 1 && rank_b == 1) {
        iso_volume_ball_ball(a->shape.radius, b->shape.radius, x_ab->p, out);
    } else if (rank_a == 1 && b->shape.kind == ISO_SHAPE_BOX &&
               iso_volume_ball_face(a->shape.radius, b->shape.size, x_ab, out)) {
        return;
    } else if (rank_a == 1 && rank_b == 2) {
        iso_volume_ball_polyhedron(a->shape.radius, b, x_ab, out);
    } else if (rank_a == 0 && b->shape.kind == ISO_SHAPE_CYLINDER) {
        iso_volume_plane_cylinder(b->shape.radius, b->shape.length, x_ab, out);
    } else if (rank_a == 0 && b->shape.kind == ISO_SHAPE_ELLIPSOID) {
        iso_volume_plane_ellipsoid(b->shape.size, x_ab, out);
    } else if (rank_a == 0 && b->shape.kind == ISO_SHAPE_CAPSULE) {
        iso_volume_plane_section(&b->shape, x_ab, out);
    } else if (rank_a == 1 &&
               (b->shape.kind == ISO_SHAPE_CAPSULE || b->shape.kind == ISO_SHAPE_CYLINDER)) {
        iso_volume_ball_section(a->shape.radius, &b->shape, x_ab, out);
    } else if (rank_a == 2 &&
               (a->shape.kind != ISO_SHAPE_BOX || b->shape.kind != ISO_SHAPE_CAPSULE)) {
        iso_pose x_ba = iso_pose_inverse(x_ab);
        round_polyhedron(b, a, &x_ba, out);
        iso_volume_exchange(out);
        iso_volume_move(x_ab, out);
    } else if (is_ellipsoid(a) && is_ellipsoid(b)) {
        iso_volume_ellipsoids(semi_axes(a), semi_axes(b), x_ab, out);
    } else if (iso_volume_has_slices(&a->shape, &b->shape)) {
        iso_pose x_aa = iso_pose_identity();
        iso_volume_slices(&a->shape, &b->shape, x_ab, &x_aa, out);
    } else { // what is left has them in the other order
        ISO_ASSERT(NULL, iso_volume_has_slices(&b->shape, &a->shape));
        iso_pose x_ba = iso_pose_inverse(x_ab);
        iso_volume_slices(&b->shape, &a->shape, &x_ba, x_ab, out);
        iso_volume_exchange(out);
    }
}

iso_status iso_volume_intersect(iso_context* ctx, const iso_volume_body* a, const iso_pose* x_wa,
                                const iso_volume_body* b, const iso_pose* x_wb,
                                const iso_volume_settings* settings,
                                iso_volume_metrics* out_metrics) {
    ISO_REQUIRE(ctx, a && x_wa && b && x_wb && out_metrics, ISO_ERR_ARGUMENT,
                "a, x_wa, b, x_wb and out_metrics are required");
    *out_metrics = (iso_volume_metrics){0};
    iso_volume_settings use = settings ? *settings : iso_volume_settings_default();
    ISO_REQUIRE(ctx, !use.by_octree || (use.digits >= 1.0 && use.digits <= 6.0), ISO_ERR_RANGE,
                "digits is %g, expected in [1, 6]", use.digits);
    ISO_REQUIRE(ctx, !use.by_octree || (use.max_depth >= 2 && use.max_depth <= 10), ISO_ERR_RANGE,
                "max_depth is %d, expected in [2, 10]", use.max_depth);
    ISO_REQUIRE(ctx, rank(a) > 0 || rank(b) > 0, ISO_ERR_UNSUPPORTED,
                "two half spaces have no bounded volume in common");
    iso_status status = check_pose(ctx, x_wa, "x_wa");
    if (status == ISO_OK) {
        status = check_pose(ctx, x_wb, "x_wb");
    }
    if (status != ISO_OK) {
        return status;
    }
    bool is_exchanged = rank(a) > rank(b);
    const iso_pose* x_wf = is_exchanged ? x_wb : x_wa;
    iso_pose x_fo = iso_pose_inverse_mul(x_wf, is_exchanged ? x_wa : x_wb);
    const iso_volume_body *first = is_exchanged ? b : a, *second = is_exchanged ? a : b;
    bool is_done = true;
    if (use.by_octree) {
        is_done = iso_volume_octree(first, second, &x_fo, &use, out_metrics);
    } else {
        intersect(first, second, &x_fo, out_metrics);
    }
    if (is_exchanged) {
        iso_volume_exchange(out_metrics);
    }
    iso_volume_move(x_wf, out_metrics);
    ISO_REQUIRE(ctx, is_done, ISO_ERR_NO_CONVERGENCE,
                "an octree of depth %d at most has a relative error of %.1e, expected 1e-%g: lower "
                "digits",
                use.max_depth, out_metrics->error, use.digits);
    return ISO_OK;
}
