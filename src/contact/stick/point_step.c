// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/stick/point_step.h"

#include "base/core/fail.h"
#include "contact/pairs/contact_system.h"
#include "contact/pairs/episode.h"
#include "contact/pairs/stretched.h"
#include "contact/stick/absorbed.h"
#include "contact/stick/brush_step.h"
#include "contact/stick/stick.h"

#include <math.h>
#include <string.h>

// From the second minimum on friction is bound anew where that changes so many times as much.
#define LATER_COARSENESS 10.0

// Points of a pair whose surfaces move on their bodies, or with bodies that a caller moves.
typedef struct point_step {
    iso_compliant_points* points;
    iso_stick* stick;      // NULL: friction is regularised, or has a field
    iso_brush_step* brush; // NULL: it has none
    double taken;          // then: power that friction took [W]
    iso_slip_dual* dual;   // of lagged, regularised friction; else NULL
    double twist[6];       // of the surfaces, when the bodies that move freely stand still
    const iso_patch* patch;
    iso_contact_step_input input; // without what lives no longer than its call
    double smoothness;            // of friction, over its own
    bool has_followed;            // friction was bound anew by the last minimum
    double raise;                 // and what smooths it became so many times larger
    bool has_memory;              // the last step left something
    bool is_stick;                // it recalls what sticking friction left
    iso_stick_memory kept;        // then: that
    double sigma[ISO_SIX_STRIDE], slip[ISO_SIX_STRIDE]; // of sticking friction before that
    iso_contact_step* step;                             // that it belongs to
    double dt, span;
    double absorbed;             // at the start [J]
    double mobility[36];         // of the pair, as `delassus`
    iso_spatial u_c0;            // twist of the bodies there
    iso_patch faces;             // of a model without any: one for each point
    iso_vec3 *tractions, *slips; // then: of those
} point_step;

static void add_six(const double* a, const double* b, double* out) {
    for (int i = 0; i < 6; ++i) {
        out[i] = a[i] + b[i];
    }
}

static double eval_points(const void* user, const double* u, double* out_gradient,
                          double* out_hessian) {
    const point_step* moving = user;
    double v[6];
    add_six(u, moving->twist, v);
    if (moving->dual) {
        return iso_compliant_points_eval_dual(moving->points, v, moving->dual, out_gradient);
    }
    double value = iso_compliant_points_eval(moving->points, v, out_gradient, out_hessian);
    return moving->brush ? value + iso_brush_step_eval(moving->brush, v, out_gradient, out_hessian)
                         : value;
}

static void line_points(const void* user, const double* u, const double* du, double alpha,
                        double* out_value, double* out_slope, double* out_curvature) {
    const point_step* moving = user;
    double v[6];
    add_six(u, moving->twist, v);
    iso_compliant_points_line(moving->points, v, du, alpha, out_value, out_slope, out_curvature);
    if (moving->brush) {
        iso_brush_step_line(moving->brush, v, du, alpha, out_value, out_slope, out_curvature);
    }
}

// What u has beside the twist of the surfaces is noise of both.
static void size_points(const void* user, const double* u_sizes, double* out_sizes) {
    const point_step* moving = user;
    double v[6];
    for (int i = 0; i < 6; ++i) {
        v[i] = u_sizes[i] + fabs(moving->twist[i]);
    }
    if (moving->stick) {
        iso_stick_add_sizes(moving->stick, v, out_sizes);
    } else {
        iso_compliant_points_add_sizes(moving->points, out_sizes);
    }
    if (moving->brush) {
        iso_brush_step_add_sizes(moving->brush, out_sizes);
    }
}

static const iso_potential_ops points_ops = {eval_points, line_points, size_points};

// Without a potential: impulse and Jacobian only (solver/root.h).
static double eval_tamsi(const void* user, const double* u, double* out_residual,
                         double* out_jacobian) {
    const point_step* moving = user;
    double v[6];
    add_six(u, moving->twist, v);
    iso_compliant_points_residual(moving->points, v, out_residual, out_jacobian);
    return 0.0;
}

static double limit_tamsi(const void* user, const double* u, const double* du) {
    const point_step* moving = user;
    double v[6];
    add_six(u, moving->twist, v);
    return iso_compliant_points_transition(moving->points, v, du);
}

static const iso_potential_ops tamsi_ops = {eval_tamsi, NULL, size_points};

static double eval_stick(const void* user, const double* u, double* out_gradient,
                         double* out_hessian) {
    const point_step* moving = user;
    double v[6];
    (void)out_hessian;
    add_six(u, moving->twist, v);
    return iso_stick_eval(moving->stick, v, out_gradient);
}

static void line_stick(const void* user, const double* u, const double* du, double alpha,
                       double* out_value, double* out_slope, double* out_curvature) {
    const point_step* moving = user;
    double v[6];
    add_six(u, moving->twist, v);
    iso_stick_line(moving->stick, v, du, alpha, out_value, out_slope, out_curvature);
}

static const iso_potential_ops stick_ops = {eval_stick, line_stick, size_points};

static bool follow_friction(void* user, const double* u, const double* gradient, int round);
static void unfollow_friction(void* user);

static bool eliminate_slip(void* user, double* out_correction, double* out_hessian) {
    const point_step* moving = user;
    return iso_stick_eliminate(moving->stick, out_correction, out_hessian);
}
static void direct_slip(void* user, const double* du) {
    const point_step* moving = user;
    iso_stick_direct(moving->stick, du);
}
static void advance_slip(void* user, double alpha) {
    const point_step* moving = user;
    iso_stick_advance(moving->stick, alpha);
}
static double refine_slip(void* user, double value, double* out_gradient) {
    const point_step* moving = user;
    return iso_stick_refine(moving->stick, value, out_gradient);
}

static bool adopt_slip(void* user, const void* other) {
    const point_step *moving = user, *from = other;
    if (moving != from) {
        moving->stick->inner->dual = (iso_slip_dual){.is_aligned = true};
    }
    return iso_stick_adopt(moving->stick, from->stick);
}

static const iso_inner_ops slip_ops = {eliminate_slip,   direct_slip, advance_slip,
                                       refine_slip,      adopt_slip,  follow_friction,
                                       unfollow_friction};

// Directions of friction: they choose the Hessian and nothing else.
static bool find_hessian(void* user, double* out_correction, double* out_hessian) {
    const point_step* moving = user;
    (void)out_correction;
    iso_compliant_points_dual_hessian(moving->points, out_hessian);
    return false;
}
static void direct_friction(void* user, const double* du) {
    const point_step* moving = user;
    iso_slip_dual_step(moving->dual, du);
}
static void stay(void* user, double alpha) {
    (void)user;
    (void)alpha;
}

static bool align_friction(void* user, const void* other) {
    const double still[6] = {0.0};
    const point_step* moving = user;
    if (moving != other) {
        *moving->dual = (iso_slip_dual){.is_aligned = true};
    } else if (moving->dual->is_started) {
        iso_slip_dual_step(moving->dual, still);
    }
    return true;
}

static const iso_inner_ops friction_ops = {
    find_hessian, direct_friction, stay, NULL, align_friction, follow_friction, unfollow_friction};

// A field has no unknowns of its own, but follows: its Hessian is that of eval_points().
static bool keep_hessian(void* user, double* out_correction, double* out_hessian) {
    (void)user;
    (void)out_correction;
    (void)out_hessian;
    return false;
}
static void keep_course(void* user, const double* du) {
    (void)user;
    (void)du;
}
static bool is_alike(void* user, const void* other) {
    (void)user;
    (void)other;
    return true;
}

static const iso_inner_ops brush_ops = {keep_hessian,    keep_course,      stay, NULL, is_alike,
                                        follow_friction, unfollow_friction};

iso_point_law iso_point_step_law(iso_discrete_law law) {
    static const iso_point_law laws[] = {
        [ISO_DISCRETE_LAGGED] = ISO_POINT_LAW_LAGGED,
        [ISO_DISCRETE_SAP] = ISO_POINT_LAW_SAP,
        [ISO_DISCRETE_SIMILAR] = ISO_POINT_LAW_SIMILAR,
        [ISO_DISCRETE_TAMSI] = ISO_POINT_LAW_TAMSI,
    };
    return laws[law];
}

// What a pair remembers: all that sticking friction does, or of other laws what was absorbed alone.
// Returns whether the last step left either.
static bool recall(const iso_contact_step_input* input, iso_stick_memory* kept,
                   bool* out_is_stick) {
    iso_episode episode = {0};
    *out_is_stick = input->memory && !iso_episode_recall(input->memory, &episode);
    if (*out_is_stick) {
        memcpy(kept, input->memory->values, sizeof *kept);
        kept->kept_slip *= input->span / input->dt; // a share of the slip over the whole step
        return true;
    }
    bool is_absorbed = episode.kind == ISO_EPISODE_ABSORBED;
    *kept = (iso_stick_memory){.absorbed = is_absorbed ? episode.numbers[0] : 0.0};
    return is_absorbed;
}

// Have a pair give back no more than it took, whatever its law.
static void bound_energy(const iso_contact_step_input* input, bool has_memory, double absorbed,
                         point_step* step) {
    if (!has_memory || input->is_start) { // who puts a body deeper does work that no step took
        absorbed = fmax(absorbed, iso_absorbed_before(input, step->points));
    }
    step->absorbed = iso_absorbed_limit(input, absorbed, step->points);
}

// Sticking friction of a pair, from what it remembers of the last step.
static iso_status make_stick(const iso_contact_step_input* input, const iso_stick_memory* kept,
                             point_step* step) {
    iso_arena* arena = input->arena;
    step->stick = iso_arena_push(arena, sizeof *step->stick);
    iso_stick_inner* inner = iso_arena_push(arena, sizeof *inner);
    ISO_REQUIRE(arena->ctx, step->stick && inner, ISO_ERR_MEMORY, "friction of a contact");
    step->points->law_step = input->law_step;
    iso_stick_init(iso_contact_system_options(input->system), input->pair, &input->start.x_wa,
                   &input->start.x_wb, kept, input->v_c0, step->points, inner, step->stick);
    return ISO_OK;
}

// Regularised friction of a pair whose directions Newton's method follows.
static iso_status make_dual(const iso_contact_step_input* input, point_step* step) {
    step->dual = iso_arena_push(input->arena, sizeof *step->dual);
    ISO_REQUIRE(input->arena->ctx, step->dual, ISO_ERR_MEMORY, "friction of a contact");
    *step->dual = (iso_slip_dual){0};
    return ISO_OK;
}

// Coefficient in the bound on friction of the points.
static double coefficient_of(const point_step* step) {
    const iso_contact_pair* pair = step->input.pair;
    bool is_static = step->stick && step->is_stick && step->kept.is_slipping == 0.0;
    return is_static ? pair->friction_static : pair->friction_dynamic;
}

// Friction whose bound is another, from the start but for what slips.
static void renew_friction(point_step* step) {
    if (!step->stick) {
        *step->dual = (iso_slip_dual){0};
        return;
    }
    iso_compliant_points* points = step->points;
    iso_stick_inner inner = *step->stick->inner;
    iso_stick old = *step->stick;
    old.inner = &inner;
    double mu = coefficient_of(step), scale = step->input.pair->friction_dynamic / mu;
    for (int i = 0; i < points->padded_count; ++i) {
        points->friction_force[i] *= scale; // as iso_stick_init() takes it
    }
    iso_stick_init(iso_contact_system_options(step->input.system), step->input.pair,
                   &step->input.start.x_wa, &step->input.start.x_wb,
                   step->is_stick ? &step->kept : NULL, step->input.v_c0, points,
                   step->stick->inner, step->stick);
    (void)iso_stick_adopt(step->stick, &old);
    step->step->start_energy = step->stick->start_energy;
}

static void scale_smoothing(iso_compliant_points* points, double factor) {
    for (int i = 0; i < points->padded_count; ++i) {
        points->slip_scale[i] *= factor;
    }
}

// Friction, bound by the normal impulses of the step where those of its start are others.
static bool follow_friction(void* user, const double* u, const double* gradient, int round) {
    point_step* step = user;
    double v[6], mu = coefficient_of(step), before = step->points->turning_speed;
    step->has_followed = false;
    if (step->stick) { // for the way back
        memcpy(step->sigma, step->stick->inner->sigma, sizeof step->sigma);
        memcpy(step->slip, step->stick->inner->slip, sizeof step->slip);
    }
    bool is_drakes = iso_contact_system_options(step->input.system)->regularization ==
                     ISO_REGULARIZATION_DRAKE; // whose friction lags
    if (is_drakes || step->smoothness != 1.0 || !(step->input.pair->friction_dynamic > 0.0)) {
        return false;
    }
    add_six(u, step->twist, v);
    iso_vec3 w0 = step->input.v_c0.rotational, t0 = step->input.v_c0.translational;
    const double v0[6] = {w0.x, w0.y, w0.z, t0.x, t0.y, t0.z};
    double coarseness = round == 0 ? 1.0 : LATER_COARSENESS;
    if (step->brush) {
        step->has_followed =
            iso_brush_step_follow(step->brush, step->points, v0, v, gradient, coarseness);
        return step->has_followed;
    }
    step->has_followed = iso_compliant_points_follow(step->points, v0, v, gradient, mu, coarseness);
    if (step->has_followed) {
        // Regularised friction is smoothed in proportion to its bound, where that grows.
        bool is_raised = step->dual && before > 0.0;
        step->raise = is_raised ? fmax(step->points->turning_speed / before, 1.0) : 1.0;
        scale_smoothing(step->points, step->raise);
        renew_friction(step);
    }
    return step->has_followed;
}

// What follow_friction() changed, as it was, and the slip where it was.
static void unfollow_friction(void* user) {
    point_step* step = user;
    if (step->brush) {
        if (step->has_followed) {
            iso_brush_step_go_back(step->brush, step->points);
        }
        return;
    }
    if (step->has_followed) {
        iso_compliant_points_go_back(step->points, coefficient_of(step));
        scale_smoothing(step->points, 1.0 / step->raise);
        renew_friction(step);
    }
    if (step->stick) {
        memcpy(step->stick->inner->sigma, step->sigma, sizeof step->sigma);
        memcpy(step->stick->inner->slip, step->slip, sizeof step->slip);
        (void)iso_stick_adopt(step->stick, step->stick);
    } else {
        *step->dual = (iso_slip_dual){0};
    }
}

// Contacts without faces have no field: they stick instead.
static bool may_stick(const iso_contact_step_input* input) {
    return input->may_stick &&
           iso_contact_system_options(input->system)->friction != ISO_FRICTION_MODEL_REGULARIZED;
}

iso_status iso_point_step_begin(const iso_contact_step_input* input, iso_compliant_points* points,
                                iso_contact_step* out_step) {
    *out_step = (iso_contact_step){0};
    point_step* step = iso_arena_push(input->arena, sizeof *step);
    ISO_REQUIRE(input->arena->ctx, step, ISO_ERR_MEMORY, "step of a contact");
    iso_vec3 w = input->moved.rotational, v = input->moved.translational;
    *step = (point_step){.points = points,
                         .twist = {w.x, w.y, w.z, v.x, v.y, v.z},
                         .patch = &input->pair->patch,
                         .input = *input,
                         .smoothness = 1.0,
                         .step = out_step,
                         .dt = input->dt,
                         .span = input->span,
                         .u_c0 = input->u_c0};
    iso_status status = ISO_OK;
    if (input->ahead > 0.0) {
        iso_compliant_points_rewind(points, input->v_c0, input->ahead, input->span);
    }
    memcpy(step->mobility, input->delassus, sizeof step->mobility);
    step->has_memory = recall(input, &step->kept, &step->is_stick);
    bound_energy(input, step->has_memory, step->kept.absorbed, step);
    out_step->ops = &points_ops;
    out_step->softening = points->softening;
    out_step->stiffness = points->whole;
    double size = iso_contact_system_brush_size(input->system, input->pair->geometry_a,
                                                input->pair->geometry_b);
    if (size > 0.0) {
        ISO_TRY(iso_brush_step_begin(input, size, points, &step->brush));
    }
    if (step->brush) {
        out_step->start_energy = iso_brush_step_energy(step->brush);
        out_step->more_memories = iso_brush_step_memory_count(step->brush);
        out_step->inner = (iso_inner){&brush_ops, step, NULL, NULL};
    } else if (may_stick(input)) {
        ISO_TRY(make_stick(input, step->is_stick ? &step->kept : NULL, step));
        out_step->ops = &stick_ops;
        out_step->inner =
            (iso_inner){&slip_ops, step, &step->stick->inner->residual, &step->stick->inner->slope};
        out_step->remembers_places = true;
        out_step->start_energy = step->stick->start_energy;
    } else if (points->law == ISO_POINT_LAW_LAGGED && input->is_free) {
        ISO_TRY(make_dual(input, step));
        out_step->inner = (iso_inner){&friction_ops, step, NULL, NULL};
    } else if (points->law == ISO_POINT_LAW_TAMSI) {
        out_step->ops = &tamsi_ops;
        out_step->limit = limit_tamsi;
    }
    out_step->user = out_step->own = step;
done:
    return status;
}

iso_compliant_points* iso_point_step_push(const iso_contact_step_input* input, int count) {
    iso_compliant_points* points = iso_arena_push(input->arena, sizeof *points);
    if (!points) {
        return NULL;
    }
    *points = (iso_compliant_points){.law = iso_point_step_law(input->law),
                                     .dt = input->dt,
                                     .p_wc = input->pair->p_wc,
                                     .softening = 1.0};
    bool is_good = iso_compliant_points_allocate(input->arena, count, points) == ISO_OK;
    points->count = count;
    return is_good ? points : NULL;
}

// Each point is a face of area 1 at its place.
static iso_status keep_faces(iso_arena* arena, iso_contact_step* step) {
    point_step* own = step->own;
    const iso_compliant_points* points = own->points;
    int count = points->count;
    double* areas = iso_arena_push_array(arena, count, sizeof *areas);
    iso_vec3* vectors = iso_arena_push_array(arena, 4 * count, sizeof *vectors);
    ISO_REQUIRE(arena->ctx, areas && vectors, ISO_ERR_MEMORY, "%d points of contact", count);
    own->tractions = vectors;
    own->slips = vectors + count;
    iso_vec3 *centroids = vectors + 2 * count, *normals = vectors + 3 * count;
    for (int i = 0; i < count; ++i) {
        areas[i] = 1.0;
        iso_vec3 arm = iso_vec3_make(points->rx[i], points->ry[i], points->rz[i]);
        centroids[i] = iso_vec3_add(points->p_wc, arm);
        normals[i] = iso_vec3_make(points->nx[i], points->ny[i], points->nz[i]);
        points->face[i] = i;
    }
    own->faces = (iso_patch){
        .face_count = count, .areas = areas, .centroids = centroids, .normals = normals};
    own->patch = &own->faces;
    return ISO_OK;
}

iso_status iso_point_step_begin_faceless(const iso_contact_step_input* input,
                                         iso_compliant_points* points, const iso_spatial* steady,
                                         iso_contact_step* out_step) {
    const iso_contact_options* options = iso_contact_system_options(input->system);
    iso_points_mobility storage;
    const iso_points_mobility* mobility =
        iso_compliant_points_prepare(options, input->delassus, &storage, points);
    // No motion that leaves forces as they are is a steady motion of zero: points still follow.
    const iso_spatial still = iso_spatial_zero();
    const iso_spatial* followed = steady || options->cull != ISO_CULL_NONE ? steady : &still;
    iso_compliant_points_finish(options, input->pair, input->v_c0, followed, input->delassus,
                                mobility, points);
    iso_status status = iso_point_step_begin(input, points, out_step);
    return status == ISO_OK ? keep_faces(input->arena, out_step) : status;
}

const iso_compliant_points* iso_point_step_points(const iso_contact_step* step) {
    const point_step* own = step->own;
    return own->points;
}

void iso_point_step_smooth(const iso_contact_step* step, double factor) {
    point_step* own = step->own;
    scale_smoothing(own->points, factor);
    own->smoothness *= factor;
}

// Work that a step takes from the motion by the normal forces, and no more than by all of them:
// what friction takes does not come back. An impulse does the work of the mean of the twists
// without it and with it; those that were solved for are reached after dt of the span.
static double find_work(const point_step* step, const iso_contact_motion* motion, iso_spatial f_b_w,
                        const double gradient[6], const double without[6]) {
    iso_vec3 m = f_b_w.rotational, f = f_b_w.translational;
    iso_vec3 w = step->u_c0.rotational, v = step->u_c0.translational;
    const double force[6] = {m.x, m.y, m.z, f.x, f.y, f.z}, u0[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
    double normal = 0.0, all = 0.0, whole = step->span / step->dt;
    for (int i = 0; i < 6; ++i) {
        double mean = u0[i] + whole * (0.5 * (without[i] + motion->w[i]) - u0[i]);
        normal += whole * gradient[i] * mean;
        all -= step->span * force[i] * (mean + motion->v[i] - motion->w[i]);
    }
    return fmin(normal, all);
}

// How the bodies would have moved had all acted but this contact.
static void take_away(const point_step* step, const iso_contact_motion* motion, iso_spatial f_b_w,
                      double out[6]) {
    iso_vec3 m = f_b_w.rotational, f = f_b_w.translational;
    const double force[6] = {m.x, m.y, m.z, f.x, f.y, f.z};
    for (int i = 0; i < 6; ++i) {
        out[i] = motion->w[i];
        for (int k = 0; k < 6; ++k) {
            out[i] -= step->dt * step->mobility[6 * i + k] * force[k];
        }
    }
}

// What others hold does not move freely: a body on a floor does not fall away from a press above
// it, and those of a pile do not fall together. Where that counts for less, the motion that all
// others leave stands for the one without the impulse, or the motion at the start; of what others
// push on, as the second of two walls that squeeze a body, that at the end.
static double find_absorbed(const point_step* step, const iso_contact_motion* motion,
                            iso_spatial f_b_w) {
    iso_vec3 w = step->u_c0.rotational, v = step->u_c0.translational;
    const double u0[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
    double others[6], gradient[6], most = -INFINITY;
    take_away(step, motion, f_b_w, others);
    const double* const without[] = {motion->free, others, u0, motion->w};
    if (step->stick) {
        memcpy(gradient, step->stick->inner->normal_gradient, sizeof gradient);
    } else {
        iso_compliant_points_normal_gradient(step->points, motion->v, gradient);
    }
    for (int i = 0; i < 4; ++i) {
        most = fmax(most, find_work(step, motion, f_b_w, gradient, without[i]));
    }
    return fmax(step->absorbed + most, 0.0);
}

// Bodies that are where they were have stretched nothing and taken no work: what they would by
// velocities that are rounding would add up.
static bool keeps_memory(const point_step* step, const iso_contact_motion* motion) {
    return motion->is_still && step->has_memory && !step->input.is_start && step->dt == step->span;
}

// What the normal forces of the pair have taken after the step [J].
static double end_absorbed(const point_step* step, const iso_contact_motion* motion,
                           iso_spatial f_b_w) {
    if (keeps_memory(step, motion)) {
        return step->kept.absorbed;
    }
    return motion->is_solved ? find_absorbed(step, motion, f_b_w) : step->absorbed;
}

// Normal forces, then friction of the field; what the pair absorbed and that field after it.
static iso_spatial end_brush(point_step* own, const iso_contact_motion* motion,
                             const iso_face_values* faces, iso_pair_memory* out_memories,
                             int* out_count) {
    iso_spatial f = iso_compliant_points_result(own->points, own->patch, motion->v,
                                                faces->tractions, faces->slips);
    f = iso_spatial_add(
        f, iso_brush_step_result(own->brush, motion->v, own->patch, faces, &own->taken));
    iso_episode episode = {.kind = ISO_EPISODE_ABSORBED};
    episode.numbers[0] = end_absorbed(own, motion, f);
    iso_episode_remember(&episode, &out_memories[0]);
    *out_count += iso_brush_step_commit(own->brush, &out_memories[1]);
    return f;
}

static double find_coupling(const point_step* step, const double v[6], iso_spatial f_b_w) {
    const iso_compliant_points* points = step->points;
    double coupled = iso_compliant_points_coupling(points, v), start = 0.0;
    for (int i = 0; coupled > 0.0 && i < points->count; ++i) {
        start += fmax(points->load[i], 0.0);
    }
    double force = fmax(iso_vec3_norm(f_b_w.translational), start);
    return coupled > 0.0 && force > 0.0 ? coupled / (step->dt * force) : 0.0;
}

iso_spatial iso_point_step_end(const iso_contact_step* step, const iso_contact_motion* motion,
                               const iso_face_values* faces, iso_pair_memory* out_memories,
                               int* out_count) {
    point_step* own = step->own;
    const double* v = motion->v;
    iso_vec3* out_tractions = own->tractions ? own->tractions : faces->tractions;
    iso_vec3* out_slips = own->slips ? own->slips : faces->slips;
    *out_count = 1;
    if (own->brush) {
        return end_brush(own, motion, faces, out_memories, out_count);
    }
    if (own->stick) {
        const iso_pair_poses poses[2] = {{motion->x_a[0], motion->x_b[0]},
                                         {motion->x_a[1], motion->x_b[1]}};
        iso_spatial f = iso_stick_result(own->stick, own->patch, v, out_tractions, out_slips);
        iso_stick_memory memory;
        if (own->is_stick && keeps_memory(own, motion)) {
            memory = own->kept;
        } else {
            own->stick->dt = own->span;
            iso_stick_commit(own->stick, poses, v, motion->w, &memory);
            memory.absorbed = end_absorbed(own, motion, f);
        }
        memcpy(out_memories[0].values, &memory, sizeof memory);
        return f;
    }
    // Where directions of friction were followed, the last evaluation was at the end.
    iso_spatial f =
        motion->is_solved && own->points->law == ISO_POINT_LAW_LAGGED
            ? iso_compliant_points_kept_result(own->points, own->patch, v, out_tractions, out_slips)
            : iso_compliant_points_result(own->points, own->patch, v, out_tractions, out_slips);
    iso_episode episode = {.kind = ISO_EPISODE_ABSORBED};
    episode.numbers[0] = end_absorbed(own, motion, f);
    iso_episode_remember(&episode, &out_memories[0]);
    own->step->coupling = find_coupling(own, v, f);
    return f;
}

iso_contact_losses iso_point_step_book(const iso_contact_step* step, const double v[6],
                                       iso_spatial f_b_w, const iso_vec3* tractions,
                                       const iso_vec3* slips) {
    const point_step* own = step->own;
    double slip_power = 0.0;
    tractions = own->tractions ? own->tractions : tractions;
    slips = own->slips ? own->slips : slips;
    for (int i = 0; i < own->patch->face_count; ++i) {
        slip_power += own->patch->areas[i] * iso_vec3_dot(tractions[i], slips[i]);
    }
    slip_power = own->brush ? -own->taken : slip_power;
    iso_spatial v_c =
        iso_spatial_make(iso_vec3_make(v[0], v[1], v[2]), iso_vec3_make(v[3], v[4], v[5]));
    double normal_work = own->dt * (iso_spatial_dot(f_b_w, v_c) - slip_power);
    iso_compliant_points_stretch(own->points, own->span);
    double elastic = own->dt / own->span * iso_compliant_points_elastic_work(own->points, v);
    return (iso_contact_losses){.friction = -(own->dt * slip_power),
                                .damping = elastic - normal_work};
}

double iso_stick_memory_energy(const iso_pair_memory* memory) {
    iso_stick_memory kept;
    memcpy(&kept, memory->values, sizeof kept);
    return kept.energy;
}

bool iso_stick_memory_is_usable(const iso_pair_memory* memory) {
    iso_stick_memory kept;
    memcpy(&kept, memory->values, sizeof kept);
    const double* r = kept.rest_rotation;
    double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
    return square > 0.25 && square < 4.0 && kept.absorbed >= 0.0;
}
