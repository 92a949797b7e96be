// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Contact in a point of MuJoCo, Drake and ODE as Hertz contact: the same depth under the weight of
// the body, and the same damping there. Their laws are linear in the depth, so that one load must
// be chosen.

#include "scene/points/point_laws.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "scene/points/point_parts.h"

#include <math.h>
#include <string.h>

#define USUAL_GRAVITY 9.81           // where a scene has none [m/s^2]
#define RIGID ISO_SCENE_MAX_PRESSURE // Young's modulus of what does not give way [Pa]
#define STEEPEST 0.1                 // cosine: a plane that is steeper is no floor
#define MOST_RADII 2.0               // that lie deeper in the ground do not rest on it
#define MOST_RUB 1e-3                // of the load, that goes without saying

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

static double in_row(double a, double b) {
    return 1.0 / (1.0 / a + 1.0 / b);
}

// --- geometries ----------------------------------------------------------------------------------

/// A load in progress.
typedef struct point_map {
    iso_scene_build* build;
    int* roots;            ///< [body] the body that it is welded to in the end; the world: 0
    int partner;           ///< geometry that stands still and has a law; -1: none
    double gravity;        ///< towards it [m/s^2]
    iso_point_load* loads; ///< [geometry]
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
    }
}

// A sphere's or capsule's radius; infinite: flat.
static double radius_of(const iso_scene_build* build, int geometry) {
    const iso_shape_desc* shape = &iso_model_geometry(build->model, geometry, NULL)->shape;
    return iso_point_is_round(shape) ? shape->radius : INFINITY;
}

bool iso_point_law_is_same(const iso_point_law* a, const iso_point_law* b) {
    bool is_same = a->stiffness == b->stiffness && a->damping == b->damping &&
                   a->solmix == b->solmix && a->priority == b->priority;
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
        if (!iso_point_law_is_same(first, law) ||
            radius_of(build, i) != radius_of(build, map->partner)) {
            iso_scene_warn_once(build, law->source, "other law of a floor",
                                "point parameters or radius differ from those of line %d: what "
                                "lies here sinks as if it lay there",
                                first->source.line);
        }
    }
}

// Normal of the floor; against gravity where it is no plane.
static iso_vec3 find_up(const point_map* map) {
    iso_vec3 up = iso_vec3_scale(map->build->world.gravity, -1.0);
    up = iso_vec3_norm(up) > 0.0 ? iso_vec3_normalized(up) : iso_vec3_make(0.0, 0.0, 1.0);
    if (map->partner < 0) {
        return up;
    }
    int body = -1;
    const iso_geometry_desc* g = iso_model_geometry(map->build->model, map->partner, &body);
    if (g->shape.kind != ISO_SHAPE_HALF_SPACE || body != ISO_WORLD_BODY) {
        return up;
    }
    iso_vec3 normal = iso_mat3_column(&g->x_bg.r, 2);
    return iso_vec3_dot(normal, up) > STEEPEST ? normal : up;
}

static iso_rest_point rest_of(const point_map* map, const iso_point_law* own, int geometry) {
    iso_scene_build* build = map->build;
    const iso_point_law* other = map->partner >= 0 ? &build->point_laws.data[map->partner] : own;
    bool is_pair = map->partner >= 0 && other->kind == own->kind;
    const iso_geometry_desc* g = iso_model_geometry(build->model, geometry, NULL);
    const iso_point_load* load = &map->loads[geometry];
    if (own->kind == ISO_POINT_LAW_MUJOCO) {
        iso_point_law mixed = is_pair ? iso_point_law_mix(own, other) : *own;
        correct_reference(build, own, &mixed);
        return iso_point_rest_mujoco(&mixed, load, map->gravity);
    }
    if (own->kind == ISO_POINT_LAW_ODE) {
        const iso_point_law hard = {.stiffness = INFINITY};
        const iso_point_law* second = is_pair ? other : &hard;
        return iso_point_rest_ode(in_row(own->stiffness, second->stiffness),
                                  own->damping + second->damping, load, map->gravity);
    }
    double dissipation = g->material.dissipation, stiffness = own->stiffness;
    if (is_pair) {
        const iso_geometry_desc* p = iso_model_geometry(build->model, map->partner, NULL);
        stiffness = in_row(own->stiffness, other->stiffness);
        dissipation =
            stiffness * (dissipation / own->stiffness + p->material.dissipation / other->stiffness);
    }
    return iso_point_rest_drake(stiffness, dissipation, load, map->gravity);
}

// E of k depth^1.5 = load against something RIGID of the same Poisson's ratio, k = 4/3 E* sqrt(R).
static double modulus_of(const point_map* map, int geometry, const iso_rest_point* rest) {
    const iso_geometry_desc* g = iso_model_geometry(map->build->model, geometry, NULL);
    double radius = g->shape.radius, nu = g->material.poisson_ratio;
    if (map->partner >= 0) {
        radius = in_row(radius, radius_of(map->build, map->partner));
    }
    double k = map->loads[geometry].load / (rest->depth * sqrt(rest->depth));
    double own = 4.0 / 3.0 * sqrt(radius) / k / (1.0 - nu * nu) - 1.0 / RIGID;
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

// Of two materials, as patches have it.
static double friction_of(const point_map* map, int geometry) {
    iso_model* model = map->build->model;
    double own = iso_model_geometry(model, geometry, NULL)->material.friction_static;
    double other = map->partner >= 0
                       ? iso_model_geometry(model, map->partner, NULL)->material.friction_static
                       : own;
    return own + other > 0.0 ? 2.0 * own * other / (own + other) : 0.0;
}

// What the depth of a geometry does not hold for.
static void tell_limits(const point_map* map, int geometry, const iso_rest_point* rest) {
    iso_scene_build* build = map->build;
    iso_source at = build->point_laws.data[geometry].source;
    const char* name = iso_model_geometry(build->model, geometry, NULL)->name;
    if (!map->loads[geometry].is_stable) {
        iso_scene_warn_once(build, at, "not at rest",
                            "what '%s' belongs to does not rest on its lowest points as it "
                            "starts: it sinks as its engine has it under the whole weight alone",
                            name);
    }
    double rub = friction_of(map, geometry) * map->loads[geometry].rub;
    if (rub > MOST_RUB) {
        iso_scene_warn_once(build, at, "friction bears",
                            "'%s' rubs along the floor as it sinks: friction, which creeps away in "
                            "its engine, may bear %.2g of what its points do, and it lies less "
                            "deep or deeper by as much",
                            name, rub);
    }
    if (map->loads[geometry].is_shared) {
        iso_scene_warn_once(build, at, "unlike points",
                            "unlike points bear what '%s' belongs to, and more than say how much "
                            "each: their depths may differ from those of their engine by a fifth",
                            name);
    }
    if (!rest->is_only_one) {
        iso_scene_warn_once(build, at, "several depths",
                            "solimp lets '%s' rest at several depths: the shallowest, %g m, counts",
                            name, rest->depth);
    }
}

// What stands still, and what is not round, gives way nowhere: the round one has the whole depth.
static iso_status map_geometry(const point_map* map, int geometry) {
    iso_scene_build* build = map->build;
    const iso_point_law* law = &build->point_laws.data[geometry];
    const iso_point_load* load = &map->loads[geometry];
    int body = -1;
    const iso_geometry_desc* g = iso_model_geometry(build->model, geometry, &body);
    bool is_fixed = map->roots[body] == ISO_WORLD_BODY;
    if (is_fixed || (law->kind != ISO_POINT_LAW_NONE && !iso_point_is_round(&g->shape))) {
        if (!is_fixed) {
            iso_scene_warn_once(build, law->source, "not round",
                                "'%s' is no sphere or capsule: its point parameters do not count, "
                                "what is round gives way alone",
                                g->name);
        }
        return set_elastic(build, geometry, RIGID, -1.0);
    }
    if (law->kind == ISO_POINT_LAW_NONE || !(load->load > 0.0) || !(load->inverse > 0.0)) {
        return ISO_OK;
    }
    iso_rest_point rest = rest_of(map, law, geometry);
    if (!(rest.depth < MOST_RADII * g->shape.radius)) {
        iso_scene_warn_once(build, law->source, "depth",
                            "its point parameters let '%s' sink by %g m, expected at most %g of "
                            "its radius: its material stays",
                            g->name, rest.depth, MOST_RADII);
        return ISO_OK;
    }
    tell_limits(map, geometry, &rest);
    return set_elastic(build, geometry, modulus_of(map, geometry, &rest), rest.rate / map->gravity);
}

// Loads are those of bodies that lie alone.
static void tell_others(const point_map* map) {
    iso_scene_build* build = map->build;
    int first = -1;
    for (int i = 0; i < build->point_laws.count; ++i) {
        int body = -1, other = -1;
        const iso_geometry_desc* g = iso_model_geometry(build->model, i, &body);
        if (map->loads[i].count == 0 || build->point_laws.data[i].kind == ISO_POINT_LAW_NONE) {
            continue;
        }
        first = first < 0 ? i : first;
        const iso_geometry_desc* f = iso_model_geometry(build->model, first, &other);
        if (map->roots[body] != map->roots[other]) {
            iso_scene_warn_once(build, build->point_laws.data[i].source, "other loads",
                                "'%s' and '%s' may press each other: depths are those of their "
                                "engine where each lies alone on what stands still",
                                f->name, g->name);
            return;
        }
    }
}

static iso_status map_all(iso_scene_build* build) {
    point_map map = {.build = build};
    int geometries = build->point_laws.count;
    map.roots = iso_alloc_array(build->ctx, build->starts.count, sizeof *map.roots);
    map.loads = iso_alloc_array(build->ctx, geometries, sizeof *map.loads);
    iso_status status = ISO_OK;
    ISO_CHECK(build->ctx, map.roots && map.loads, ISO_ERR_MEMORY, "loads of %d geometries",
              geometries);
    find_welds(&map);
    find_partner(&map);
    iso_vec3 up = find_up(&map);
    map.gravity = -iso_vec3_dot(build->world.gravity, up);
    map.gravity = map.gravity > 0.0 ? map.gravity : USUAL_GRAVITY;
    ISO_TRY(iso_point_loads_find(build, map.roots, up, map.gravity, map.loads));
    for (int i = 0; i < geometries; ++i) {
        ISO_TRY(map_geometry(&map, i));
    }
    tell_others(&map);

done:
    iso_free(build->ctx, map.roots);
    iso_free(build->ctx, map.loads);
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
