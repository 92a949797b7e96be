// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Contact in a point of MuJoCo, Drake and ODE as Hertz contact: the same depth under the weight of
// the body, and the same damping there. Their laws are linear in the depth, so that one load must
// be chosen.

#include "scene/points/point_laws.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <math.h>
#include <string.h>

#define LEAST_IMPEDANCE 1e-4 // MuJoCo's limits
#define LEAST_WIDTH 1e-15
#define LEAST_WEIGHT 1e-15
#define USUAL_GRAVITY 9.81           // where a scene has none [m/s^2]
#define RIGID ISO_SCENE_MAX_PRESSURE // Young's modulus of what does not give way [Pa]
#define SHALLOWEST 1e-18             // [m]
#define DEEPEST 1e6
#define MOST_RADII 2.0 // that lie deeper in the ground do not rest on it

/// What a law says of a body at rest.
typedef struct rest_point {
    double depth; // [m]
    double rate;  // damping over mass [1/s]
} rest_point;

static double clamp(double x, double least, double largest) {
    return fmin(fmax(x, least), largest);
}

// --- MuJoCo --------------------------------------------------------------------------------------

// MuJoCo's impedance at a depth.
static double impedance(const double* solimp, double depth) {
    double least = clamp(solimp[0], LEAST_IMPEDANCE, 1.0 - LEAST_IMPEDANCE);
    double largest = clamp(solimp[1], LEAST_IMPEDANCE, 1.0 - LEAST_IMPEDANCE);
    double middle = clamp(solimp[3], LEAST_IMPEDANCE, 1.0 - LEAST_IMPEDANCE);
    double power = fmax(solimp[4], 1.0);
    double x = fmin(depth / fmax(solimp[2], LEAST_WIDTH), 1.0);
    double y = x <= middle ? pow(x, power) / pow(middle, power - 1.0)
                           : 1.0 - pow(1.0 - x, power) / pow(1.0 - middle, power - 1.0);
    return least + (power == 1.0 ? x : y) * (largest - least);
}

// What MuJoCo makes of those of two geoms.
static iso_point_law mix_mujoco(const iso_point_law* a, const iso_point_law* b) {
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

// MuJoCo takes its defaults where one number is of the standard format and one of the direct one.
static void correct_reference(iso_scene_build* build, const iso_point_law* own,
                              iso_point_law* mixed) {
    const double usual[2] = ISO_POINT_LAW_SOLREF;
    if ((mixed->solref[0] > 0.0) != (mixed->solref[1] > 0.0)) {
        iso_scene_warn_once(build, own->source, "solref",
                            "solref is %g %g, expected both > 0 or both <= 0: %g %g counts",
                            mixed->solref[0], mixed->solref[1], usual[0], usual[1]);
        memcpy(mixed->solref, usual, sizeof usual);
    }
}

// The edges of a pyramid share the load, each softened by its friction: what that does to 1 - d.
static double pyramid_share(const iso_point_law* law) {
    double mu = fmax(law->friction, 1e-5), square = mu * mu;
    return law->is_pyramid && law->dimension > 1
               ? 2.0 * square / law->impratio * (1.0 + square) / (2.0 * (law->dimension - 1))
               : 1.0;
}

// With impedance d, a = (1 - d) g - d (b v + k d depth), shared by all points.
static rest_point rest_mujoco(const iso_point_law* law, double gravity, int count) {
    double largest = clamp(law->solimp[1], LEAST_IMPEDANCE, 1.0 - LEAST_IMPEDANCE);
    double time = fmax(law->solref[0], law->safe_time), share = pyramid_share(law);
    bool is_standard = law->solref[0] > 0.0;
    double k = is_standard
                   ? 1.0 / (largest * largest * time * time * law->solref[1] * law->solref[1])
                   : -law->solref[0] / (largest * largest);
    double b = is_standard ? 2.0 / (largest * time) : -law->solref[1] / largest;
    double low = log(SHALLOWEST), high = log(DEEPEST);
    for (int i = 0; i < 100; ++i) {
        double middle = 0.5 * (low + high), depth = exp(middle), d = impedance(law->solimp, depth);
        bool is_shallow = count * d * d * k * depth < share * (1.0 - d) * gravity;
        low = is_shallow ? middle : low;
        high = is_shallow ? high : middle;
    }
    double depth = exp(high), d = impedance(law->solimp, depth);
    double effective = count * d / (share * (1.0 - d) + count * d);
    return (rest_point){.depth = depth, .rate = effective * b};
}

// --- Drake, ODE ----------------------------------------------------------------------------------

static double in_row(double a, double b) {
    return 1.0 / (1.0 / a + 1.0 / b);
}

// Drake finds one point of two shapes, whatever they are.
static rest_point rest_drake(double stiffness, double dissipation, double mass, double gravity) {
    return (rest_point){.depth = mass * gravity / stiffness, .rate = gravity * dissipation};
}

static rest_point rest_ode(const iso_point_law* a, const iso_point_law* b, double mass,
                           double gravity, int count) {
    return (rest_point){.depth = mass * gravity / (count * in_row(a->stiffness, b->stiffness)),
                        .rate = count * (a->damping + b->damping) / mass};
}

// --- geometries ----------------------------------------------------------------------------------

/// A load in progress.
typedef struct point_map {
    iso_scene_build* build;
    int* roots;     ///< [body] the body that it is welded to in the end; the world: 0
    double* masses; ///< [body] of all that is welded together, at its root
    int partner;    ///< geometry that stands still and has a law; -1: none
    double gravity; ///< [m/s^2]
} point_map;

static void find_welds(point_map* map) {
    const iso_scene_build* build = map->build;
    for (int body = 0; body < build->starts.count; ++body) {
        int root = body;
        for (;;) {
            int joint = root == ISO_WORLD_BODY ? -1 : build->starts.data[root].parent_joint;
            if (joint < 0 || iso_model_joint(build->model, joint)->kind != ISO_JOINT_WELD) {
                break;
            }
            root = iso_model_joint(build->model, joint)->parent;
        }
        map->roots[body] = root;
        map->masses[root] += iso_model_body(build->model, body)->mass;
    }
}

static bool is_same_law(const iso_point_law* a, const iso_point_law* b) {
    bool is_same = a->stiffness == b->stiffness && a->damping == b->damping;
    for (int i = 0; i < 5; ++i) {
        is_same =
            is_same && a->solimp[i] == b->solimp[i] && (i >= 2 || a->solref[i] == b->solref[i]);
    }
    return is_same;
}

// What stands still stands for the other side of all contacts.
static void find_partner(point_map* map) {
    iso_scene_build* build = map->build;
    map->partner = -1;
    for (int i = 0; i < build->point_laws.count; ++i) {
        const iso_point_law* law = &build->point_laws.data[i];
        int body = -1;
        (void)iso_model_geometry(build->model, i, &body);
        if (law->kind == ISO_POINT_LAW_NONE || map->roots[body] != ISO_WORLD_BODY) {
            continue;
        }
        map->partner = map->partner < 0 ? i : map->partner;
        const iso_point_law* first = &build->point_laws.data[map->partner];
        if (!is_same_law(first, law)) {
            iso_scene_warn_once(build, law->source, "other law of a floor",
                                "point parameters differ from those of line %d: what lies here "
                                "sinks as deep as there",
                                first->source.line);
        }
    }
}

static bool is_round(const iso_shape_desc* shape) {
    return shape->kind == ISO_SHAPE_SPHERE || shape->kind == ISO_SHAPE_CAPSULE;
}

static rest_point rest_of(const point_map* map, const iso_point_law* own, int geometry,
                          double mass) {
    iso_scene_build* build = map->build;
    const iso_point_law* other = map->partner >= 0 ? &build->point_laws.data[map->partner] : own;
    bool is_pair = map->partner >= 0 && other->kind == own->kind;
    const iso_geometry_desc* g = iso_model_geometry(build->model, geometry, NULL);
    int count = g->shape.kind == ISO_SHAPE_CAPSULE ? 2 : 1;
    if (own->kind == ISO_POINT_LAW_MUJOCO) {
        iso_point_law mixed = is_pair ? mix_mujoco(own, other) : *own;
        correct_reference(build, own, &mixed);
        return rest_mujoco(&mixed, map->gravity, count);
    }
    if (own->kind == ISO_POINT_LAW_ODE) {
        const iso_point_law hard = {.stiffness = INFINITY};
        return rest_ode(own, is_pair ? other : &hard, mass, map->gravity, count);
    }
    double dissipation = g->material.dissipation, stiffness = own->stiffness;
    if (is_pair) {
        const iso_geometry_desc* p = iso_model_geometry(build->model, map->partner, NULL);
        stiffness = in_row(own->stiffness, other->stiffness);
        dissipation =
            stiffness * (dissipation / own->stiffness + p->material.dissipation / other->stiffness);
    }
    return rest_drake(stiffness, dissipation, mass, map->gravity);
}

// E of k depth^1.5 = load / count against something RIGID of the same Poisson's ratio, k = 4/3 E*
// sqrt(R).
static double modulus_of(const iso_geometry_desc* geometry, const rest_point* rest, double load) {
    int count = geometry->shape.kind == ISO_SHAPE_CAPSULE ? 2 : 1;
    double k = load / (count * rest->depth * sqrt(rest->depth));
    double nu = geometry->material.poisson_ratio;
    double compliance = 4.0 / 3.0 * sqrt(geometry->shape.radius) / k / (1.0 - nu * nu);
    double own = compliance - 1.0 / RIGID;
    return own > 1.0 / RIGID ? 1.0 / own : RIGID;
}

static iso_status set_elastic(iso_scene_build* build, int geometry, double modulus, double rate) {
    iso_contact_material material = iso_model_geometry(build->model, geometry, NULL)->material;
    iso_contact_material usual = iso_contact_material_default();
    bool is_combined = build->point_laws.data[geometry].kind == ISO_POINT_LAW_DRAKE; // of its own
    bool is_damped = (material.dissipation != usual.dissipation && !is_combined) ||
                     material.expansion_rate > 0.0 || material.restitution > 0.0;
    material.young_modulus = material.young_modulus > 0.0 ? material.young_modulus : modulus;
    if (!is_damped && rate >= 0.0) {
        material.dissipation = fmin(rate, ISO_SCENE_MAX_DISSIPATION);
    }
    iso_status status = iso_model_set_material(build->model, geometry, &material);
    return status == ISO_OK
               ? ISO_OK
               : iso_scene_fail_at(build, build->point_laws.data[geometry].source, status);
}

// What stands still, and what is not round, gives way nowhere: the round one has the whole depth.
static iso_status map_geometry(const point_map* map, int geometry) {
    iso_scene_build* build = map->build;
    const iso_point_law* law = &build->point_laws.data[geometry];
    int body = -1;
    const iso_geometry_desc* g = iso_model_geometry(build->model, geometry, &body);
    bool is_fixed = map->roots[body] == ISO_WORLD_BODY;
    double mass = map->masses[map->roots[body]];
    if (is_fixed || (law->kind != ISO_POINT_LAW_NONE && !is_round(&g->shape))) {
        return set_elastic(build, geometry, RIGID, -1.0);
    }
    if (law->kind == ISO_POINT_LAW_NONE || !(mass > 0.0)) {
        return ISO_OK;
    }
    rest_point rest = rest_of(map, law, geometry, mass);
    if (!(rest.depth < MOST_RADII * g->shape.radius)) {
        iso_scene_warn_once(build, law->source, "depth",
                            "its point parameters let '%s' sink by %g m, expected at most %g of "
                            "its radius: its material stays",
                            g->name, rest.depth, MOST_RADII);
        return ISO_OK;
    }
    return set_elastic(build, geometry, modulus_of(g, &rest, mass * map->gravity),
                       rest.rate / map->gravity);
}

static iso_status map_all(iso_scene_build* build) {
    point_map map = {.build = build, .gravity = iso_vec3_norm(build->world.gravity)};
    int count = build->starts.count;
    map.gravity = map.gravity > 0.0 ? map.gravity : USUAL_GRAVITY;
    map.roots = iso_alloc_array(build->ctx, count, sizeof *map.roots);
    map.masses = iso_alloc_array(build->ctx, count, sizeof *map.masses);
    iso_status status = ISO_OK;
    ISO_CHECK(build->ctx, map.roots && map.masses, ISO_ERR_MEMORY, "masses of %d bodies", count);
    for (int i = 0; i < count; ++i) {
        map.masses[i] = 0.0;
    }
    find_welds(&map);
    find_partner(&map);
    for (int i = 0; i < build->point_laws.count; ++i) {
        ISO_TRY(map_geometry(&map, i));
    }
done:
    iso_free(build->ctx, map.roots);
    iso_free(build->ctx, map.masses);
    return status;
}

static void tell_idle_laws(iso_scene_build* build) {
    static const char* const names[] = {
        [ISO_POINT_LAW_MUJOCO] =
            "cone and impratio of <option>, solref, solimp and solmix of <geom> have",
        [ISO_POINT_LAW_DRAKE] = "<drake:point_contact_stiffness> has",
        [ISO_POINT_LAW_ODE] = "<kp> and <kd> have"};
    for (int i = 0; i < build->point_laws.count; ++i) {
        const iso_point_law* law = &build->point_laws.data[i];
        if (law->is_stated) {
            iso_scene_warn_once(build, law->source, names[law->kind],
                                "%s no meaning here: stiffness comes of the modulus, with contact "
                                "model hertz of young_modulus, or of this with "
                                "simulation.point_parameters: hertz",
                                names[law->kind]);
        }
    }
}

iso_status iso_scene_map_points(iso_scene_build* build) {
    bool has_law = false;
    for (int i = 0; i < build->point_laws.count; ++i) {
        has_law = has_law || build->point_laws.data[i].kind != ISO_POINT_LAW_NONE;
    }
    if (build->maps_points && has_law) {
        return map_all(build);
    }
    if (build->maps_points) {
        iso_scene_warn_once(build, build->points_at, "point_parameters",
                            "point_parameters does not count: it is of model files that state "
                            "point contact, and there is none");
        return ISO_OK;
    }
    tell_idle_laws(build);
    return ISO_OK;
}
