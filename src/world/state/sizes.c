// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/state/sizes.h"

#include "base/core/fail.h"
#include "base/core/log.h"
#include "geometry/mesh/mesh.h"
#include "isobar/query.h"
#include "math/limits.h"

#include <math.h>
#include <string.h>

// What is larger than a room and lighter than air and still moves is likely in millimetres; so is a
// mesh that is heavier than any robot, whose mass is then made of its volume.
#define HUGE_SIDE 10.0  // [m]
#define HUGE_MASS 1e5   // [kg]
#define AIR_DENSITY 1.2 // [kg/m^3]

// Smaller geometries stand for points, as spheres in the corners of a box do in Drake's models:
// there is no size to compare with. That decides about errors and warnings alone, of margins, steps
// and bodies that passed each other: how they move does not depend on it.
#define POINT_SIZE 1e-5 // [m]

// Margins of worlds with error control are those of this step at most.
#define USUAL_STEP 1e-3 // [s]

double iso_world_automatic_margin(const iso_world* world) {
    // Methods that choose their own steps take smaller ones than the time step.
    double step = iso_world_is_adaptive(world) ? fmin(world->desc.time_step, USUAL_STEP)
                                               : world->desc.time_step;
    return iso_vec3_norm(world->desc.gravity) * step * step;
}

bool iso_world_has_substeps(const iso_world* world) {
    return world->desc.error_control && iso_method_is_velocity_level(world->desc.method);
}

bool iso_world_is_adaptive(const iso_world* world) {
    return iso_method_is_adaptive(world->desc.method) || iso_world_has_substeps(world);
}

bool iso_world_is_point(iso_vec3 sides) {
    return fmax(sides.x, fmax(sides.y, sides.z)) < POINT_SIZE;
}

// Time step in which a body falls so far.
static double step_of_fall(const iso_world* world, double fall) {
    return sqrt(fall / iso_vec3_norm(world->desc.gravity));
}

static iso_vec3 sides_of(const iso_contact_shape* shape) {
    const iso_tri_mesh* skin = iso_contact_shape_surface(shape);
    iso_vec3 lower, upper;
    iso_points_bounds(skin->vertices, skin->vertex_count, &lower, &upper);
    return iso_vec3_sub(upper, lower);
}

static bool is_mesh(const iso_shape_desc* shape) {
    return shape->kind == ISO_SHAPE_MESH || shape->kind == ISO_SHAPE_CONVEX;
}

iso_status iso_world_check_mesh_size(iso_context* ctx, const iso_geometry_desc* desc,
                                     const iso_contact_shape* shape) {
    if (!is_mesh(&desc->shape)) {
        return ISO_OK;
    }
    char where[512];
    iso_vec3 sides = sides_of(shape);
    double side = fmax(sides.x, fmax(sides.y, sides.z));
    ISO_REQUIRE(
        ctx, side >= ISO_SMALLEST_SIZE && side <= ISO_LARGEST_SIZE, ISO_ERR_RANGE,
        "%sgeometry '%s': the largest side of its %s%s%s%s is %g m, expected in [%g, %g]: lengths "
        "are metres (a mesh in millimetres needs scale 0.001)",
        iso_model_where(desc->source, where, sizeof where), desc->name,
        iso_shape_kind_name(desc->shape.kind), desc->shape.path ? " '" : "",
        desc->shape.path ? desc->shape.path : "", desc->shape.path ? "'" : "", side,
        ISO_SMALLEST_SIZE, ISO_LARGEST_SIZE);
    return ISO_OK;
}

iso_status iso_world_check_margin(const iso_world* world, const iso_geometry_desc* desc,
                                  const char* body, const iso_contact_shape* shape) {
    bool is_automatic = desc->material.margin == ISO_MARGIN_AUTO;
    double margin = is_automatic ? iso_world_automatic_margin(world) : desc->material.margin;
    if (iso_contact_shape_is_half_space(shape) || iso_contact_shape_is_rigid(shape)) {
        return ISO_OK; // without size, or without a margin
    }
    iso_vec3 sides = sides_of(shape);
    double size = fmax(sides.x, fmax(sides.y, sides.z));
    // Methods that choose their own steps take smaller ones than the time step.
    if (margin <= size || (!is_mesh(&desc->shape) && iso_world_is_point(sides)) ||
        (is_automatic && !is_mesh(&desc->shape) && iso_world_is_adaptive(world))) {
        return ISO_OK;
    }
    char where[512];
    const char* kind = iso_shape_kind_name(desc->shape.kind);
    iso_model_where(desc->source, where, sizeof where);
    ISO_REQUIRE(
        world->ctx, !is_automatic, ISO_ERR_RANGE,
        "%sgeometry '%s' of body '%s': time step is %g s, in which a body falls %.3g m, more than "
        "the size "
        "of this %s of %.3g m: the automatic margin is too wide; expected at most %.2g s, or a "
        "margin that is stated, such as 0",
        where, desc->name, body, world->desc.time_step, margin, kind, size,
        step_of_fall(world, ISO_COARSE_SHARE * size));
    return iso_fail(
        world->ctx, ISO_ERR_RANGE, __func__,
        "%sgeometry '%s' of body '%s': margin is %g m around a %s of %.3g m, expected at most its "
        "size (some millimetres are usual)",
        where, desc->name, body, margin, kind, size);
}

static void log_automatic(const iso_world* world, const iso_model* model) {
    int count = 0;
    for (int i = 0; i < model->geometries.count; ++i) {
        count += model->geometries.data[i].desc.material.margin == ISO_MARGIN_AUTO &&
                 model->geometries.data[i].desc.material.compliance != ISO_COMPLIANCE_RIGID;
    }
    if (count > 0 && iso_world_automatic_margin(world) > 0.0) {
        iso_log(world->ctx, ISO_LOG_INFO,
                "%d of %d collision geometries %s for %g m outside the skin, |gravity| times the "
                "time step squared",
                count, model->geometries.count,
                count == 1 ? "states no margin: its field goes on"
                           : "state no margin: their fields go on",
                iso_world_automatic_margin(world));
    }
}

// Methods that choose their own steps are not concerned.
static void warn_coarse_step(const iso_world* world) {
    double least = INFINITY, fall = iso_world_automatic_margin(world);
    const iso_contact_geometry* thinnest = NULL;
    for (int i = 0; i < world->geometry_count; ++i) {
        const iso_contact_shape* shape = world->geometries[i].shape;
        if (iso_contact_shape_is_half_space(shape) || !iso_contact_shape_is_closed(shape)) {
            continue;
        }
        iso_vec3 sides = sides_of(shape);
        double side = fmin(sides.x, fmin(sides.y, sides.z));
        if (side < least && !iso_world_is_point(sides)) {
            least = side;
            thinnest = &world->geometries[i];
        }
    }
    if (thinnest != NULL && !iso_world_is_adaptive(world) && fall > ISO_COARSE_SHARE * least) {
        iso_log(
            world->ctx, ISO_LOG_WARNING,
            "time step is %g s, in which a body falls %.3g m: too far for '%s::%s', which is %.3g "
            "m thick; contacts are found late and deep, or not at all; expected at most %.2g s",
            world->desc.time_step, fall, thinnest->body_name, thinnest->name, least,
            step_of_fall(world, ISO_COARSE_SHARE * least));
    }
}

// Substeps end with the time step, whatever they are allowed.
static void warn_cut_substeps(const iso_world* world) {
    const iso_world_desc* d = &world->desc;
    const struct {
        const char* name;
        double length;
    } rows[] = {{"initial_step", d->initial_step}, {"max_step", d->max_step}};
    for (int i = 0; i < 2; ++i) {
        if (iso_world_is_adaptive(world) && rows[i].length > d->time_step) {
            iso_log(world->ctx, ISO_LOG_WARNING,
                    "%s is %g s, longer than the time step of %g s, which no substep exceeds",
                    rows[i].name, rows[i].length, d->time_step);
        }
    }
}

// The mesh of a geometry of the world, NULL for other shapes; asked of huge ones alone.
static const iso_shape_desc* mesh_of(const iso_model* model, const iso_contact_geometry* geometry) {
    for (int i = 0; i < model->geometries.count; ++i) {
        const iso_geometry_part* part = &model->geometries.data[i];
        if (is_mesh(&part->desc.shape) && strcmp(part->desc.name, geometry->name) == 0 &&
            strcmp(model->bodies.data[part->body].desc.name, geometry->body_name) == 0) {
            return &part->desc.shape;
        }
    }
    return NULL;
}

static void warn_huge_body(const iso_world* world, const iso_model* model,
                           const iso_contact_geometry* geometry) {
    iso_vec3 sides = sides_of(geometry->shape);
    double side = fmax(sides.x, fmax(sides.y, sides.z));
    if (side <= HUGE_SIDE) {
        return;
    }
    double mass = world->multibody.bodies[geometry->body].mass;
    const iso_shape_desc* mesh = mesh_of(model, geometry);
    const char* file = mesh && mesh->path ? mesh->path : "";
    const char *open = *file ? " (" : "", *close = *file ? ")" : "";
    char where[512];
    if (mass < AIR_DENSITY * sides.x * sides.y * sides.z) {
        iso_log(world->ctx, ISO_LOG_WARNING,
                "%sgeometry '%s' of body '%s'%s%s%s is %.3g m large, but the body of %g kg is "
                "lighter than air: lengths are metres (a mesh in millimetres needs scale 0.001)",
                iso_model_where(geometry->source, where, sizeof where), geometry->name,
                geometry->body_name, open, file, close, side, mass);
    } else if (mass > HUGE_MASS && mesh) {
        iso_log(world->ctx, ISO_LOG_WARNING,
                "%sgeometry '%s' of body '%s'%s%s%s is %.3g m large and the body has %.3g kg, "
                "expected at most %g m or %g kg of a mesh that moves: lengths are metres (a mesh "
                "in millimetres needs scale 0.001)",
                iso_model_where(geometry->source, where, sizeof where), geometry->name,
                geometry->body_name, open, file, close, side, mass, HUGE_SIDE, HUGE_MASS);
    }
}

static void warn_huge_bodies(const iso_world* world, const iso_model* model) {
    for (int i = 0; i < world->geometry_count; ++i) {
        const iso_contact_geometry* geometry = &world->geometries[i];
        bool moves = world->multibody.bodies[geometry->body].tree >= 0;
        if (moves && !iso_contact_shape_is_half_space(geometry->shape)) {
            warn_huge_body(world, model, geometry);
        }
    }
}

void iso_world_report_sizes(const iso_world* world, const iso_model* model) {
    log_automatic(world, model);
    warn_coarse_step(world);
    warn_cut_substeps(world);
    warn_huge_bodies(world, model);
}
