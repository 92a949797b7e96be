// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Which points bear a tree of bodies, and how much each. The bodies and joints of the scene are
// made a world without geometries, whose Jacobians and gravity forces say it.

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/dynamics.h"
#include "math/frame.h"
#include "scene/points/point_parts.h"

#include <math.h>

#define MOST_LOWEST 256  // points of one tree that bear
#define SAME_HEIGHT 0.05 // of the radius: points that are no higher above the lowest bear, too
#define LYING 1e-3       // ends of a capsule that differ by less, of its radius, both bear
#define SAME_AXIS 1e-9   // of unit vectors; [m]
#define MOST_FREEDOM 6   // of the first joint
#define UNBORNE 1e-6     // of the gravity forces, that points leave
#define FLAT_WAYS 3      // of what is free to sink into a plane: it tilts
#define UNLIKE_LOADS 1.2 // whose ratio is larger

/// A point that may bear.
typedef struct low_point {
    int geometry, body; // of the model; of the world
    iso_vec3 p_b;       // in the body [m]
    double height;      // [m]
    double load;        // [N]
} low_point;

/// A search in progress.
typedef struct load_search {
    iso_scene_build* build;
    iso_world* world;
    iso_vec3 up;
    const int* roots;
    int* bodies; // [body] of the model, in the world
    double* row; // [6 v_count]
    double* one; // [v_count]
    iso_point_load* loads;
} load_search;

bool iso_point_is_round(const iso_shape_desc* shape) {
    return shape->kind == ISO_SHAPE_SPHERE || shape->kind == ISO_SHAPE_CAPSULE;
}

// The bodies and joints of the scene; gravity is that towards the floor.
static iso_status make_world(iso_scene_build* build, iso_vec3 gravity, const iso_pose* poses,
                             iso_world** out_world) {
    iso_model* model = NULL;
    iso_world_desc desc = iso_world_desc_default();
    desc.gravity = gravity;
    iso_status status = ISO_OK;
    ISO_TRY(iso_model_create(build->ctx, &model));
    for (int i = 1; i < build->starts.count; ++i) {
        ISO_TRY(iso_model_add_body(model, iso_model_body(build->model, i), NULL));
    }
    for (int i = 0; i < iso_model_joint_count(build->model); ++i) {
        iso_joint_desc joint = *iso_model_joint(build->model, i);
        joint.lower = -INFINITY; // starts beyond them are told by the scene's own world
        joint.upper = INFINITY;
        ISO_TRY(iso_model_add_joint(model, &joint, NULL));
    }
    for (int i = 1; i < build->starts.count; ++i) {
        if (build->starts.data[i].parent_joint < 0) {
            ISO_TRY(iso_model_set_free_pose(model, i, &poses[i]));
        }
    }
    ISO_TRY(iso_world_create(build->ctx, model, &desc, out_world));

done:
    iso_model_destroy(model);
    return status;
}

// Whether welds alone hold a body in the world.
static bool is_held(const iso_world* world, int body) {
    while (body > 0 && iso_world_coordinates(world, body).v_count == 0) {
        body = iso_world_coordinates(world, body).parent;
    }
    return body <= 0;
}

// The first body that moves on the way to this one.
static int tree_of(const iso_world* world, int body) {
    int parent = iso_world_coordinates(world, body).parent;
    while (!is_held(world, parent)) {
        body = parent;
        parent = iso_world_coordinates(world, body).parent;
    }
    return body;
}

// What MuJoCo has as simple: nothing but a slide along an axis of its own frame, its centre of mass
// there and its principal axes along it. All directions count as the slide.
static bool is_slider(const iso_scene_build* build, int body) {
    const iso_body_desc* b = iso_model_body(build->model, body);
    int joint = build->starts.data[body].parent_joint;
    if (joint < 0 || iso_model_joint(build->model, joint)->parent != ISO_WORLD_BODY) {
        return false;
    }
    const iso_joint_desc* j = iso_model_joint(build->model, joint);
    iso_vec3 axis = iso_mat3_mul_vec3(&j->x_cm.r, j->axis);
    double most = fmax(fmax(fabs(axis.x), fabs(axis.y)), fabs(axis.z));
    const iso_mat3* i = &b->inertia;
    double aside = fabs(i->m[0][1]) + fabs(i->m[0][2]) + fabs(i->m[1][2]);
    bool is_simple = j->kind == ISO_JOINT_PRISMATIC && most > 1.0 - SAME_AXIS &&
                     iso_vec3_norm(b->center_of_mass) < SAME_AXIS &&
                     aside < SAME_AXIS * (i->m[0][0] + i->m[1][1] + i->m[2][2]);
    for (int k = 0; k < iso_model_joint_count(build->model); ++k) {
        is_simple = is_simple && iso_model_joint(build->model, k)->parent != body;
    }
    return is_simple;
}

// MuJoCo's invweight0 of translation: mean of the diagonal of J M^-1 J^T at the centre of mass.
static iso_status find_inverse(load_search* search, int model_body, double* out) {
    int n = iso_world_v_count(search->world);
    iso_vec3 center = iso_model_body(search->build->model, model_body)->center_of_mass;
    if (is_slider(search->build, model_body)) {
        *out = 1.0 / iso_model_body(search->build->model, model_body)->mass;
        return ISO_OK;
    }
    ISO_SCENE_TRY(
        iso_world_jacobian(search->world, search->bodies[model_body], center, search->row));
    *out = 0.0;
    for (int axis = 3; axis < 6; ++axis) {
        const double* row = search->row + axis * n;
        for (int sign = -1; sign <= 1; sign += 2) { // what falls by itself drops out
            for (int i = 0; i < n; ++i) {
                search->one[i] = sign * row[i];
            }
            double* acceleration = search->row + 6 * n;
            ISO_SCENE_TRY(iso_world_forward_dynamics(search->world, search->one, acceleration));
            for (int i = 0; i < n; ++i) {
                *out += sign * row[i] * acceleration[i] / 6.0;
            }
        }
    }
    return ISO_OK;
}

// Points of a geometry, each the lowest of a ball.
static int list_points(const load_search* search, int geometry, low_point* out) {
    int body = -1;
    const iso_geometry_desc* g = iso_model_geometry(search->build->model, geometry, &body);
    iso_pose x_wb = iso_world_body_pose(search->world, search->bodies[body]);
    iso_pose x_wg = iso_pose_mul(&x_wb, &g->x_bg);
    double half = g->shape.kind == ISO_SHAPE_CAPSULE ? 0.5 * g->shape.length : 0.0;
    int count = 0;
    for (int end = half > 0.0 ? -1 : 1; end <= 1; end += 2) {
        iso_vec3 p = iso_pose_point(&x_wg, iso_vec3_make(0.0, 0.0, end * half));
        p = iso_vec3_add_scaled(p, search->up, -g->shape.radius);
        iso_pose x_bw = iso_pose_inverse(&x_wb);
        out[count++] = (low_point){geometry, search->bodies[body], iso_pose_point(&x_bw, p),
                                   iso_vec3_dot(p, search->up), 0.0};
    }
    if (count == 2 && fabs(out[1].height - out[0].height) > LYING * g->shape.radius) {
        out[0] = out[1].height < out[0].height ? out[1] : out[0];
        count = 1;
    }
    return count;
}

// f of B f = Q, of least norm, by conjugate gradients: B [freedom x count], at most `freedom`
// steps. What is left of Q, as a share.
static double distribute(const double* b, const double* q, int freedom, low_point* points,
                         int count) {
    double left[MOST_FREEDOM], turn[MOST_LOWEST], way[MOST_LOWEST], size = 0.0, before = 0.0;
    for (int j = 0; j < freedom; ++j) {
        left[j] = q[j];
        size += q[j] * q[j];
    }
    double rest = size;
    for (int step = 0; step <= freedom && rest > UNBORNE * UNBORNE * UNBORNE * size; ++step) {
        double now = 0.0, moved[MOST_FREEDOM] = {0.0}, length = 0.0;
        for (int i = 0; i < count; ++i) {
            turn[i] = 0.0;
            for (int j = 0; j < freedom; ++j) {
                turn[i] += b[j * count + i] * left[j];
            }
            now += turn[i] * turn[i];
        }
        for (int i = 0; i < count; ++i) {
            way[i] = turn[i] + (step > 0 && before > 0.0 ? now / before * way[i] : 0.0);
            for (int j = 0; j < freedom; ++j) {
                moved[j] += b[j * count + i] * way[i];
            }
        }
        for (int j = 0; j < freedom; ++j) {
            length += moved[j] * moved[j];
        }
        if (!(length > 0.0)) {
            break;
        }
        rest = 0.0;
        for (int i = 0; i < count; ++i) {
            points[i].load += now / length * way[i];
        }
        for (int j = 0; j < freedom; ++j) {
            left[j] -= now / length * moved[j];
            rest += left[j] * left[j];
        }
        before = now;
    }
    return size > 0.0 ? sqrt(rest / size) : 0.0;
}

// Loads of points of one tree, its first joint alone free. False: they do not bear it.
static iso_status distribute_weight(load_search* search, int tree, low_point* points, int count,
                                    bool* out_bears) {
    int n = iso_world_v_count(search->world);
    iso_coordinates at = iso_world_coordinates(search->world, tree);
    double b[MOST_FREEDOM * MOST_LOWEST];
    for (int i = 0; i < count; ++i) {
        ISO_SCENE_TRY(
            iso_world_jacobian(search->world, points[i].body, points[i].p_b, search->row));
        for (int j = 0; j < at.v_count; ++j) {
            const double* column = search->row + at.v_index + j;
            b[j * count + i] = search->up.x * column[3 * n] + search->up.y * column[4 * n] +
                               search->up.z * column[5 * n];
        }
    }
    ISO_SCENE_TRY(iso_world_gravity_forces(search->world, search->one));
    double q[MOST_FREEDOM];
    for (int j = 0; j < at.v_count; ++j) {
        q[j] = -search->one[at.v_index + j];
    }
    *out_bears = distribute(b, q, at.v_count, points, count) < UNBORNE;
    return ISO_OK;
}

static int least_loaded(const low_point* points, int count) {
    int least = 0;
    for (int i = 1; i < count; ++i) {
        least = points[i].load < points[least].load ? i : least;
    }
    return least;
}

// The same without those that would have to pull. What does not bear may touch as the one that
// bears least does.
// @param[out] kept  how many bear; 0: they do not
static iso_status bear(load_search* search, int tree, low_point* points, int count, int* out_kept) {
    bool is_borne = true, is_found = false;
    int kept = count, least = 0;
    while (kept > 0 && is_borne && !is_found) {
        for (int i = 0; i < count; ++i) {
            points[i].load = 0.0;
        }
        ISO_SCENE_TRY(distribute_weight(search, tree, points, kept, &is_borne));
        least = least_loaded(points, kept);
        is_found = is_borne && points[least].load > 0.0;
        if (!is_found) {
            low_point pulls = points[least];
            points[least] = points[--kept];
            points[kept] = pulls;
        }
    }
    for (int i = kept; i < count && is_found; ++i) {
        points[i].load = points[least].load;
    }
    *out_kept = is_found ? kept : 0;
    return ISO_OK;
}

// More points than a tree has ways to sink share its weight by their stiffness, which is known of
// like ones alone.
static bool is_shared(const load_search* search, int tree, const low_point* points, int count) {
    int ways = iso_world_coordinates(search->world, tree).v_count;
    bool is_unlike = false;
    for (int i = 1; i < count; ++i) {
        int first = points[0].geometry, other = points[i].geometry;
        const iso_point_law* laws = search->build->point_laws.data;
        double more = fmax(points[i].load, points[0].load);
        is_unlike = is_unlike || !iso_point_law_is_same(&laws[first], &laws[other]) ||
                    more > UNLIKE_LOADS * fmin(points[i].load, points[0].load);
    }
    return is_unlike && count > (ways < FLAT_WAYS ? ways : FLAT_WAYS);
}

// What friction of points may do to the weight of a tree, over what their normal forces do. As a
// free body sinks nothing rubs.
static iso_status find_rub(load_search* search, int tree, const low_point* points, int count,
                           double* out_rub) {
    int n = iso_world_v_count(search->world);
    iso_coordinates at = iso_world_coordinates(search->world, tree);
    iso_vec3 side = iso_any_perpendicular(search->up), other = iso_vec3_cross(search->up, side);
    const iso_vec3 ways[3] = {search->up, side, other};
    *out_rub = 0.0;
    for (int i = 0; i < count && at.v_count < MOST_FREEDOM; ++i) {
        ISO_SCENE_TRY(
            iso_world_jacobian(search->world, points[i].body, points[i].p_b, search->row));
        ISO_SCENE_TRY(iso_world_gravity_forces(search->world, search->one));
        double works[3] = {0.0};
        for (int j = at.v_index; j < at.v_index + at.v_count; ++j) {
            const double* column = search->row + j;
            iso_vec3 v = iso_vec3_make(column[3 * n], column[4 * n], column[5 * n]);
            for (int k = 0; k < 3; ++k) {
                works[k] += iso_vec3_dot(ways[k], v) * search->one[j];
            }
        }
        *out_rub = fmax(*out_rub, hypot(works[1], works[2]) / fabs(works[0]));
    }
    return ISO_OK;
}

// Points of the round geometries of a tree; those near the lowest come first.
static int list_lowest(load_search* search, int tree, low_point* points, int* out_all) {
    iso_scene_build* build = search->build;
    int count = 0, lowest = 0;
    for (int i = 0; i < build->point_laws.count; ++i) {
        int body = -1;
        const iso_geometry_desc* g = iso_model_geometry(build->model, i, &body);
        if (search->roots[body] == ISO_WORLD_BODY || !iso_point_is_round(&g->shape) ||
            tree_of(search->world, search->bodies[body]) != tree) {
            continue;
        }
        if (count < MOST_LOWEST - 1) {
            count += list_points(search, i, &points[count]);
        } else {
            iso_scene_warn_once(build, build->point_laws.data[i].source, "many points",
                                "'%s' is one of more than %d points of what moves as one: its "
                                "material stays",
                                g->name, MOST_LOWEST - 2);
        }
    }
    *out_all = count;
    double least = INFINITY, slack = 0.0;
    for (int i = 0; i < count; ++i) {
        double radius = iso_model_geometry(build->model, points[i].geometry, NULL)->shape.radius;
        slack = points[i].height < least ? SAME_HEIGHT * radius : slack;
        least = fmin(least, points[i].height);
    }
    for (int i = 0; i < count; ++i) {
        if (points[i].height <= least + slack) {
            low_point moved = points[i];
            points[i] = points[lowest];
            points[lowest++] = moved;
        }
    }
    return lowest;
}

// Those that bear have the loads found; the others, and all where the tree does not stand, its
// whole weight.
static iso_status load_tree(load_search* search, int tree, double gravity) {
    low_point points[MOST_LOWEST];
    int count = 0, lowest = list_lowest(search, tree, points, &count);
    if (count == 0) {
        return ISO_OK;
    }
    double weight = iso_world_subtree_motion(search->world, tree).mass * gravity;
    int kept = 0;
    double rub = 0.0;
    ISO_SCENE_TRY(bear(search, tree, points, lowest, &kept));
    ISO_SCENE_TRY(find_rub(search, tree, points, kept, &rub));
    bool bears = kept > 0;
    for (int i = 0; i < count; ++i) {
        iso_point_load* load = &search->loads[points[i].geometry];
        int ends = ++load->count;
        bool is_low = i < lowest && bears;
        double own = is_low ? points[i].load : weight;
        load->load = is_low ? ((ends - 1) * load->load + own) / ends : own / ends;
        load->is_stable = bears;
        load->is_shared = bears && is_shared(search, tree, points, lowest);
        load->rub = rub;
    }
    return ISO_OK;
}

static iso_status load_all(load_search* search, double gravity) {
    iso_scene_build* build = search->build;
    for (int tree = 1; tree < iso_world_body_count(search->world); ++tree) {
        iso_coordinates at = iso_world_coordinates(search->world, tree);
        if (at.v_count > 0 && is_held(search->world, at.parent)) {
            ISO_SCENE_TRY(load_tree(search, tree, gravity));
        }
    }
    for (int i = 0; i < build->point_laws.count; ++i) {
        int body = -1;
        (void)iso_model_geometry(build->model, i, &body);
        if (search->loads[i].count > 0) {
            ISO_SCENE_TRY(find_inverse(search, body, &search->loads[i].inverse));
        }
    }
    return ISO_OK;
}

iso_status iso_point_loads_find(iso_scene_build* build, const int* roots, iso_vec3 up,
                                double gravity, iso_point_load* loads) {
    int count = build->starts.count, n = 0;
    load_search search = {.build = build, .up = up, .roots = roots, .loads = loads};
    iso_pose* poses = iso_alloc_array(build->ctx, count, sizeof *poses);
    search.bodies = iso_alloc_array(build->ctx, count, sizeof *search.bodies);
    iso_status status = ISO_OK;
    ISO_CHECK(build->ctx, poses && search.bodies, ISO_ERR_MEMORY, "poses of %d bodies", count);
    ISO_TRY(iso_scene_find_poses(build, poses));
    ISO_TRY(make_world(build, iso_vec3_scale(up, -gravity), poses, &search.world));
    for (int i = 0; i < count; ++i) {
        search.bodies[i] = iso_world_find_body(search.world, iso_model_body(build->model, i)->name);
    }
    n = iso_world_v_count(search.world);
    search.row = iso_alloc_array(build->ctx, 7 * n, sizeof *search.row);
    search.one = iso_alloc_array(build->ctx, n, sizeof *search.one);
    ISO_CHECK(build->ctx, n == 0 || (search.row && search.one), ISO_ERR_MEMORY,
              "Jacobians of %d degrees of freedom", n);
    ISO_TRY(load_all(&search, gravity));

done:
    iso_world_destroy(search.world);
    iso_free(build->ctx, poses);
    iso_free(build->ctx, search.bodies);
    iso_free(build->ctx, search.row);
    iso_free(build->ctx, search.one);
    return status;
}
