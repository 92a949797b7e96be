// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/state/world_state.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "geometry/mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

/// Edge length for drawing curved visuals, as a share of their size.
static const double k_visual_resolution = 0.2;

/// Colour of contact geometries, which have none of their own.
static const float k_collision_rgba[4] = {0.55F, 0.63F, 0.75F, 0.6F};

static iso_status add_collision(iso_world* world, const iso_contact_geometry* geometry) {
    iso_world_surface* surface = &world->surfaces[world->surface_count];
    surface->body = geometry->body;
    surface->is_collision = true;
    surface->x_bg = geometry->x_bg;
    surface->shape = geometry->shape;
    memcpy(surface->rgba, k_collision_rgba, sizeof surface->rgba);
    surface->name = iso_strdup(world->ctx, geometry->name);
    ISO_REQUIRE(world->ctx, surface->name != NULL, ISO_ERR_MEMORY, "out of memory for a name");
    ++world->surface_count;
    return ISO_OK;
}

/// Largest dimension of a primitive [m].
static double visual_size(const iso_shape_desc* shape) {
    double size = fmax(shape->size.x, fmax(shape->size.y, shape->size.z));
    return shape->kind == ISO_SHAPE_BOX || shape->kind == ISO_SHAPE_ELLIPSOID ? size
                                                                              : shape->radius;
}

// The mesh of an earlier surface that shows the same file: reading one may take a process. NULL:
// none
static const iso_tri_mesh* find_read(const iso_world* world, const iso_shape_desc* shape) {
    for (int i = 0; i < world->surface_count && shape->path; ++i) {
        const iso_shape_desc* other = world->surfaces[i].source;
        if (other && other->path && other->kind == shape->kind &&
            memcmp(&other->scale, &shape->scale, sizeof shape->scale) == 0 &&
            strcmp(other->path, shape->path) == 0) {
            return &world->surfaces[i].own_mesh;
        }
    }
    return NULL;
}

static iso_status read_visual(iso_world* world, const iso_shape_desc* shape,
                              iso_tri_mesh* out_mesh) {
    iso_context* ctx = world->ctx;
    const iso_tri_mesh* read = find_read(world, shape);
    if (read) {
        return iso_tri_mesh_copy_scaled(ctx, read, iso_vec3_make(1.0, 1.0, 1.0), out_mesh);
    }
    double resolution = k_visual_resolution * visual_size(shape);
    iso_log_level level = iso_log_set_level(ctx, ISO_LOG_ERROR);
    iso_status status =
        iso_shape_surface(ctx, shape, resolution > 0.0 ? resolution : 1.0, out_mesh);
    (void)iso_log_set_level(ctx, level);
    return status;
}

/// A visual that cannot be read is left out with a warning: robot files come without some. What is
/// odd about its triangles matters to nobody who looks at it.
static iso_status add_visual(iso_world* world, const iso_visual_part* part, int body) {
    iso_context* ctx = world->ctx;
    iso_world_surface* surface = &world->surfaces[world->surface_count];
    iso_status status = read_visual(world, &part->desc.shape, &surface->own_mesh);
    if (status == ISO_ERR_MEMORY) {
        return status;
    }
    if (status != ISO_OK) {
        iso_log(ctx, ISO_LOG_WARNING, "visual '%s' of body '%s' is not shown: %s", part->desc.name,
                world->body_names[body], iso_context_error(ctx));
        return ISO_OK;
    }
    surface->body = body;
    surface->source = &part->desc.shape;
    surface->x_bg = part->desc.x_bg;
    memcpy(surface->rgba, part->desc.rgba, sizeof surface->rgba);
    surface->name = iso_strdup(ctx, part->desc.name);
    ++world->surface_count;
    ISO_REQUIRE(ctx, surface->name != NULL, ISO_ERR_MEMORY, "out of memory for a name");
    return ISO_OK;
}

static int compare_surfaces(const void* a, const void* b) {
    const iso_world_surface *s = a, *t = b;
    if (s->body != t->body) {
        return s->body < t->body ? -1 : 1;
    }
    if (s->is_collision != t->is_collision) {
        return s->is_collision ? -1 : 1;
    }
    return strcmp(s->name, t->name);
}

iso_status iso_world_read_visuals(iso_world* world, const iso_model* model, const int* world_body) {
    iso_context* ctx = world->ctx;
    iso_status status = ISO_OK;
    int visual_count = world->desc.load_visuals ? model->visuals.count : 0;
    world->surfaces =
        iso_alloc_array(ctx, model->geometries.count + visual_count, sizeof *world->surfaces);
    ISO_REQUIRE(ctx, world->surfaces != NULL, ISO_ERR_MEMORY, "out of memory for surfaces");
    for (int i = 0; i < visual_count; ++i) {
        const iso_visual_part* part = &model->visuals.data[i];
        ISO_TRY(add_visual(world, part, world_body[part->body]));
    }
    for (int i = 0; i < world->surface_count; ++i) {
        world->surfaces[i].source = NULL;
    }

done:
    return status;
}

iso_status iso_world_collect_surfaces(iso_world* world) {
    iso_context* ctx = world->ctx;
    iso_status status = ISO_OK;
    int body_count = world->multibody.body_count;
    world->surface_index = iso_alloc_array(ctx, body_count + 1, sizeof *world->surface_index);
    ISO_REQUIRE(ctx, world->surface_index != NULL, ISO_ERR_MEMORY, "out of memory for surfaces");
    for (int i = 0; i < world->geometry_count; ++i) {
        ISO_TRY(add_collision(world, &world->geometries[i]));
    }
    qsort(world->surfaces, (size_t)world->surface_count, sizeof *world->surfaces, compare_surfaces);
    for (int i = 0; i < world->surface_count; ++i) {
        ++world->surface_index[world->surfaces[i].body + 1];
    }
    for (int i = 0; i < body_count; ++i) {
        world->surface_index[i + 1] += world->surface_index[i];
    }

done:
    return status;
}
