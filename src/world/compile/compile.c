// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/compile/material_log.h"
#include "world/compile/start_warnings.h"
#include "world/model/order.h"
#include "world/state/sizes.h"
#include "world/state/world_state.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "geometry/mesh/mesh.h"
#include "isobar/names.h"
#include "math/limits.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static iso_mobility mobility_of(iso_joint_kind kind) {
    switch (kind) {
    case ISO_JOINT_REVOLUTE:
        return ISO_MOBILITY_REVOLUTE;
    case ISO_JOINT_PRISMATIC:
        return ISO_MOBILITY_PRISMATIC;
    case ISO_JOINT_FREE:
        return ISO_MOBILITY_FREE;
    case ISO_JOINT_SCREW:
        return ISO_MOBILITY_SCREW;
    case ISO_JOINT_UNIVERSAL:
        return ISO_MOBILITY_UNIVERSAL;
    case ISO_JOINT_BALL:
        return ISO_MOBILITY_BALL;
    case ISO_JOINT_PLANAR:
        return ISO_MOBILITY_PLANAR;
    case ISO_JOINT_WELD:
        break;
    }
    return ISO_MOBILITY_WELD;
}

static iso_mb_body make_body(const iso_model* model, const iso_body_order* order, int body) {
    const iso_body_desc* desc = &model->bodies.data[order->model_body[body]].desc;
    iso_mb_body mb = {.parent = order->parent[body],
                      .mobility = body == 0 ? ISO_MOBILITY_WELD : ISO_MOBILITY_FREE,
                      .x_pf = iso_pose_identity(),
                      .x_mb = iso_pose_identity(),
                      .axis = {0.0, 0.0, 1.0},
                      .lower = -INFINITY,
                      .upper = INFINITY,
                      .mass = desc->mass,
                      .center_of_mass = desc->center_of_mass,
                      .inertia = desc->inertia,
                      .gravity_compensation = desc->gravity_compensation,
                      .source = desc->source};
    if (order->model_joint[body] >= 0) {
        const iso_joint_desc* joint = &model->joints.data[order->model_joint[body]];
        mb.mobility = mobility_of(joint->kind);
        mb.x_pf = joint->x_pf;
        mb.x_mb = iso_pose_inverse(&joint->x_cm);
        mb.axis = iso_vec3_normalized(joint->axis);
        mb.damping = joint->damping;
        mb.lower = joint->lower;
        mb.upper = joint->upper;
        mb.axis_2 = iso_vec3_normalized(joint->axis_2);
        mb.pitch = joint->pitch;
        mb.friction = joint->friction;
        mb.stiffness = joint->stiffness;
        mb.spring_reference = joint->spring_reference;
        mb.rotor_inertia = joint->gear_ratio * joint->gear_ratio * joint->rotor_inertia;
    }
    return mb;
}

static iso_status compile_bodies(iso_world* world, const iso_model* model,
                                 const iso_body_order* order) {
    iso_context* ctx = world->ctx;
    iso_status status = ISO_OK;
    int n = order->body_count;
    iso_mb_body* bodies = iso_alloc_array(ctx, n, sizeof *bodies);
    world->body_names = iso_alloc_array(ctx, n, sizeof *world->body_names);
    world->joint_names = iso_alloc_array(ctx, n, sizeof *world->joint_names);
    ISO_CHECK(ctx, bodies != NULL && world->body_names != NULL && world->joint_names != NULL,
              ISO_ERR_MEMORY, "out of memory for %d bodies", n);
    // The multibody's destructor needs the count even when a name is missing.
    for (int i = 0; i < n; ++i) {
        bodies[i] = make_body(model, order, i);
        world->body_names[i] = iso_strdup(ctx, model->bodies.data[order->model_body[i]].desc.name);
        int joint = order->model_joint[i];
        const char* joint_name = joint >= 0 ? model->joints.data[joint].name : NULL;
        world->joint_names[i] = joint_name != NULL ? iso_strdup(ctx, joint_name) : NULL;
        world->name_count = i + 1;
        ISO_CHECK(ctx,
                  world->body_names[i] != NULL &&
                      (joint_name == NULL || world->joint_names[i] != NULL),
                  ISO_ERR_MEMORY, "out of memory for a name");
    }
    iso_model_join_trees(model, order, bodies);
    ISO_TRY(iso_model_check_masses(model));
    ISO_TRY(iso_multibody_create(ctx, bodies, n, (const char* const*)world->body_names,
                                 &world->multibody));

done:
    iso_free(ctx, bodies);
    return status;
}

// In the order of bodies, and so of their coordinates.
static iso_status compile_joints(iso_world* world, const iso_model* model,
                                 const iso_body_order* order) {
    iso_context* ctx = world->ctx;
    world->joints = iso_alloc_array(ctx, model->joints.count, sizeof *world->joints);
    ISO_REQUIRE(ctx, world->joints != NULL, ISO_ERR_MEMORY, "out of memory for joints");
    for (int i = 0; i < order->body_count; ++i) {
        iso_mobility mobility = world->multibody.bodies[i].mobility;
        if (!iso_mobility_has_one_dof(mobility)) {
            continue;
        }
        iso_world_joint* joint = &world->joints[world->joint_count++];
        joint->body = i;
        joint->name = iso_strdup(ctx, model->joints.data[order->model_joint[i]].name);
        joint->velocity_limit = model->joints.data[order->model_joint[i]].velocity_limit;
        ISO_REQUIRE(ctx, joint->name != NULL, ISO_ERR_MEMORY, "out of memory for a name");
    }
    return ISO_OK;
}

/// An actuator of the model with what the world makes of it, sortable by name.
typedef struct named_drive {
    iso_world_actuator actuator;
    iso_actuator drive;
} named_drive;

static int compare_drives(const void* a, const void* b) {
    return strcmp(((const named_drive*)a)->actuator.name, ((const named_drive*)b)->actuator.name);
}

static int find_tendon(const iso_world* world, const iso_model* model, int tendon) {
    return iso_world_find_fixed_tendon(world, model->tendons.data[tendon].name);
}

/// Limits of joints bound the actuators on them, and not what reaches them through a tendon.
static void warn_beyond_joints(const iso_model* model, const iso_actuator_desc* actuator) {
    const iso_fixed_tendon_desc* tendon = &model->tendons.data[actuator->fixed_tendon];
    double most = fmin(actuator->effort_limit,
                       fmax(fabs(actuator->effort_lower), fabs(actuator->effort_upper)));
    for (int i = 0; i < tendon->joint_count; ++i) {
        const iso_joint_desc* joint = &model->joints.data[tendon->joints[i]];
        if (fabs(tendon->weights[i]) * most > joint->effort_limit) {
            char where[512];
            iso_log(model->ctx, ISO_LOG_WARNING,
                    "%sactuator '%s' may bring an effort of %g to joint '%s' through the fixed "
                    "tendon, whose effort limit of %g does not hold there: bound the actuator's",
                    iso_model_where(tendon->source, where, sizeof where), actuator->name,
                    fabs(tendon->weights[i]) * most, joint->name, joint->effort_limit);
        }
    }
}

/// What a joint takes of all its actuators bounds the only one of a joint, and the sum of several.
static void bound_joints(iso_actuator* drives, int count) {
    for (int i = 0; i < count; ++i) {
        iso_actuator* drive = &drives[i];
        bool is_bounded = isfinite(drive->sum_lower) || isfinite(drive->sum_upper);
        for (int k = i + 1; is_bounded && k < count && drive->next < 0; ++k) {
            if (drives[k].body == drive->body) {
                drive->next = k;
                drives[k].is_next = true;
            }
        }
        drive->is_summed = drive->next >= 0 || drive->is_next;
        if (!drive->is_summed) {
            drive->effort_lower =
                iso_clamp(drive->effort_lower, drive->sum_lower, drive->sum_upper);
            drive->effort_upper =
                iso_clamp(drive->effort_upper, drive->sum_lower, drive->sum_upper);
        }
    }
}

/// @param on  the joint that it acts on; NULL: it acts on something else
static iso_actuator make_drive(const iso_world* world, const iso_model* model,
                               const iso_body_order* order, const iso_actuator_desc* desc,
                               const iso_joint_desc* on) {
    bool is_adhesion = !on && desc->fixed_tendon < 0;
    if (!on && !is_adhesion) {
        warn_beyond_joints(model, desc);
    }
    return (iso_actuator){
        .body = on ? order->world_body[on->child] : -1,
        .tendon = on || is_adhesion ? -1 : find_tendon(world, model, desc->fixed_tendon),
        .adhesion_body = is_adhesion ? order->world_body[desc->adhesion_body] : -1,
        .effort_lower = fmax(desc->effort_lower, is_adhesion ? 0.0 : -desc->effort_limit),
        .effort_upper = fmin(desc->effort_upper, desc->effort_limit),
        .kp = desc->kp,
        .kd = desc->kd,
        .sum_lower = on ? fmax(on->effort_lower, -on->effort_limit) : -INFINITY,
        .sum_upper = on ? fmin(on->effort_upper, on->effort_limit) : INFINITY,
        .next = -1};
}

int iso_world_joint_of(const iso_world* world, int body) {
    int low = 0, high = world->joint_count; // in the order of bodies
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (world->joints[middle].body < body) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < world->joint_count && world->joints[low].body == body ? low : -1;
}

static iso_status compile_actuators(iso_world* world, const iso_model* model,
                                    const iso_body_order* order) {
    iso_context* ctx = world->ctx;
    iso_status status = ISO_OK;
    int n = model->actuators.count;
    named_drive* named = iso_alloc_array(ctx, n, sizeof *named);
    world->actuators = iso_alloc_array(ctx, n, sizeof *world->actuators);
    world->drives = iso_alloc_array(ctx, n, sizeof *world->drives);
    world->actuations = iso_alloc_array(ctx, n, sizeof *world->actuations);
    world->lead_starts = iso_alloc_array(ctx, n, sizeof *world->lead_starts);
    world->lead_ends = iso_alloc_array(ctx, n, sizeof *world->lead_ends);
    world->efforts = iso_alloc_array(ctx, n, sizeof *world->efforts);
    world->next_efforts = iso_alloc_array(ctx, n, sizeof *world->next_efforts);
    ISO_CHECK(ctx,
              named != NULL && world->actuators != NULL && world->drives != NULL &&
                  world->actuations != NULL && world->lead_starts != NULL &&
                  world->lead_ends != NULL && world->efforts != NULL && world->next_efforts != NULL,
              ISO_ERR_MEMORY, "out of memory for %d actuators", n);
    for (int i = 0; i < n; ++i) {
        const iso_actuator_desc* desc = &model->actuators.data[i];
        const iso_joint_desc* on = desc->joint >= 0 ? &model->joints.data[desc->joint] : NULL;
        int joint = on ? iso_world_joint_of(world, order->world_body[on->child]) : -1;
        named[i].actuator.joint = joint;
        named[i].actuator.name = iso_strdup(ctx, desc->name);
        ISO_CHECK(ctx, named[i].actuator.name != NULL, ISO_ERR_MEMORY, "out of memory for a name");
        named[i].drive = make_drive(world, model, order, desc, on);
    }
    qsort(named, (size_t)n, sizeof *named, compare_drives);
    for (int i = 0; i < n; ++i) {
        world->actuators[i] = named[i].actuator;
        world->drives[i] = named[i].drive;
        named[i].actuator.name = NULL;
    }
    world->actuator_count = n;
    bound_joints(world->drives, n);

done:
    for (int i = 0; named != NULL && i < n; ++i) {
        iso_free(ctx, named[i].actuator.name);
    }
    iso_free(ctx, named);
    return status;
}

static bool is_same_table(const iso_contact_material* m, const iso_contact_material* o) {
    bool is_same = m->modulus_row_count == o->modulus_row_count;
    for (int i = 0; is_same && i < m->modulus_row_count; ++i) {
        is_same = m->modulus_table[i].extent == o->modulus_table[i].extent &&
                  m->modulus_table[i].modulus == o->modulus_table[i].modulus;
    }
    return is_same;
}

static bool is_same_surface(const iso_tri_mesh* a, const iso_tri_mesh* b) {
    return a == b ||
           (a != NULL && b != NULL && a->vertex_count == b->vertex_count &&
            a->triangle_count == b->triangle_count &&
            memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices) == 0 &&
            memcmp(a->triangles, b->triangles, (size_t)a->triangle_count * sizeof *a->triangles) ==
                0);
}

static bool is_same_volume(const iso_tet_mesh* a, const iso_tet_mesh* b) {
    return a == b ||
           (a != NULL && b != NULL && a->vertex_count == b->vertex_count &&
            a->tet_count == b->tet_count &&
            memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices) == 0 &&
            memcmp(a->tets, b->tets, (size_t)a->tet_count * sizeof *a->tets) == 0);
}

static bool is_same_shape(const iso_geometry_desc* a, const iso_geometry_desc* b) {
    const iso_shape_desc *s = &a->shape, *t = &b->shape;
    const iso_contact_material *m = &a->material, *o = &b->material;
    bool is_same_path =
        s->path == t->path || (s->path != NULL && t->path != NULL && strcmp(s->path, t->path) == 0);
    return s->kind == t->kind && s->radius == t->radius && s->length == t->length &&
           memcmp(&s->size, &t->size, sizeof s->size) == 0 && is_same_path &&
           memcmp(&s->scale, &t->scale, sizeof s->scale) == 0 &&
           is_same_surface(s->surface, t->surface) && is_same_volume(s->volume, t->volume) &&
           m->compliance == o->compliance && m->modulus == o->modulus &&
           m->resolution_hint == o->resolution_hint && m->margin == o->margin &&
           m->slab_thickness == o->slab_thickness && m->extent_kind == o->extent_kind &&
           m->stiffening == o->stiffening && m->layer_count == o->layer_count &&
           m->is_mesh_kept == o->is_mesh_kept && m->is_skin_bonded == o->is_skin_bonded &&
           is_same_table(m, o);
}

/// Shape of a geometry: that of an equal one before it, or a new one.
/// @param material  of the geometry, margin settled
static iso_status find_shape(iso_world* world, const iso_model* model, int geometry,
                             const iso_contact_material* material, int* shape_geometry,
                             iso_contact_shape** out_shape) {
    const iso_geometry_desc* desc = &model->geometries.data[geometry].desc;
    const char* body = model->bodies.data[model->geometries.data[geometry].body].desc.name;
    for (int i = 0; i < world->shape_count; ++i) {
        if (is_same_shape(desc, &model->geometries.data[shape_geometry[i]].desc)) {
            *out_shape = world->shapes[i];
            return ISO_OK;
        }
    }
    char where[512];
    iso_contact_shape** made = &world->shapes[world->shape_count];
    iso_status status = iso_contact_shape_create(world->ctx, &desc->shape, material, made);
    if (status != ISO_OK) {
        return iso_fail_prefix(world->ctx, status, "%sgeometry '%s' of body '%s'",
                               iso_model_where(desc->source, where, sizeof where), desc->name,
                               body);
    }
    if (desc->shape.kind == ISO_SHAPE_MESH && iso_contact_shape_is_rigid(*made) &&
        material->compliance != ISO_COMPLIANCE_RIGID) {
        // Only who states a modulus loses something by it.
        bool is_stated = material->modulus != iso_contact_material_default().modulus;
        iso_log(world->ctx, is_stated ? ISO_LOG_WARNING : ISO_LOG_INFO,
                "%sgeometry '%s' of body '%s' is a surface without tetrahedra: it becomes rigid%s",
                iso_model_where(desc->source, where, sizeof where), desc->name, body,
                is_stated ? ", and its modulus does not count" : "");
    }
    shape_geometry[world->shape_count] = geometry;
    *out_shape = world->shapes[world->shape_count++];
    status = iso_world_check_mesh_size(world->ctx, desc, *out_shape);
    return status == ISO_OK ? iso_world_check_margin(world, desc, body, *out_shape) : status;
}

static int compare_geometries(const void* a, const void* b) {
    const iso_contact_geometry *g = a, *h = b;
    int order = strcmp(g->body_name, h->body_name);
    return order != 0 ? order : strcmp(g->name, h->name);
}

/// What the convex step cannot represent (docs/theory/contact.md).
static iso_status check_adhesion(iso_world* world, const iso_geometry_desc* desc) {
    char where[512];
    iso_method method = world->desc.method;
    ISO_REQUIRE(world->ctx, desc->material.adhesion == 0.0 || iso_method_has_adhesion(method),
                ISO_ERR_UNSUPPORTED,
                "%sgeometry '%s': adhesion is %g Pa, which method %s cannot have; expected 0, or "
                "another method",
                iso_model_where(desc->source, where, sizeof where), desc->name,
                desc->material.adhesion, iso_name_of(ISO_NAMES_METHOD, (int)method));
    return ISO_OK;
}

/// A geometry's own bits, as far as its body keeps them.
static iso_collision_bits collision_bits(const iso_model* model, const iso_geometry_part* part) {
    const iso_body_desc* body = &model->bodies.data[part->body].desc;
    iso_collision_bits bits = {.is_set = true,
                               .group = part->desc.collision_group & body->collision_group,
                               .mask = part->desc.collision_mask & body->collision_mask};
    return bits;
}

static iso_status compile_geometries(iso_world* world, const iso_model* model,
                                     const iso_body_order* order) {
    iso_context* ctx = world->ctx;
    iso_status status = ISO_OK;
    int n = model->geometries.count;
    int* shape_geometry = iso_alloc_array(ctx, n, sizeof *shape_geometry);
    world->geometries = iso_alloc_array(ctx, n, sizeof *world->geometries);
    world->shapes = iso_alloc_array(ctx, n, sizeof *world->shapes);
    ISO_CHECK(ctx, shape_geometry != NULL && world->geometries != NULL && world->shapes != NULL,
              ISO_ERR_MEMORY, "out of memory for %d geometries", n);
    for (int i = 0; i < n; ++i) {
        const iso_geometry_part* part = &model->geometries.data[i];
        iso_contact_geometry* geometry = &world->geometries[i];
        geometry->body = order->world_body[part->body];
        geometry->body_name = world->body_names[geometry->body];
        geometry->x_bg = part->desc.x_bg;
        geometry->surface_velocity = part->desc.surface_velocity;
        geometry->bits = collision_bits(model, part);
        geometry->material = part->desc.material;
        if (geometry->material.margin == ISO_MARGIN_AUTO) {
            geometry->material.margin = iso_world_automatic_margin(world);
        }
        geometry->source = part->desc.source;
        geometry->name = iso_strdup(ctx, part->desc.name);
        world->geometry_count = i + 1;
        ISO_CHECK(ctx, geometry->name != NULL, ISO_ERR_MEMORY, "out of memory for a name");
        ISO_TRY(check_adhesion(world, &part->desc));
        ISO_TRY(find_shape(world, model, i, &geometry->material, shape_geometry, &geometry->shape));
    }
    qsort(world->geometries, (size_t)n, sizeof *world->geometries, compare_geometries);
    iso_world_tell_materials(world, model);
    iso_world_report_sizes(world, model);
    status = iso_world_find_safe_travels(world);

done:
    iso_free(ctx, shape_geometry);
    return status;
}

static iso_status compile_contacts(iso_world* world, const iso_model* model,
                                   const iso_body_order* order) {
    iso_context* ctx = world->ctx;
    iso_body_filter filter;
    iso_status status = iso_body_order_filter(order, model, &filter);
    if (status == ISO_OK) {
        status = iso_contact_system_create(ctx, world->geometries, world->geometry_count, &filter,
                                           &world->desc.contact, &world->contacts);
    }
    iso_body_filter_free(ctx, &filter);
    return status;
}

/// What is the model's own, which may go now.
static void forget_model(iso_world* world) {
    for (int i = 0; i < world->geometry_count; ++i) {
        world->geometries[i].source = NULL;
        world->geometries[i].material.modulus_table = NULL;
        world->geometries[i].material.modulus_row_count = 0;
    }
}

/// Robot files leave positions at 0, which need not lie within the limits.
static void warn_outside_limits(const iso_world* world, const iso_joint_desc* joint) {
    if (joint->position < joint->lower || joint->position > joint->upper) {
        char where[512];
        iso_log(world->ctx, ISO_LOG_WARNING,
                "%sjoint '%s' starts at %g, outside its limits [%g, %g]: the limit pushes it back",
                iso_model_where(joint->source, where, sizeof where), joint->name, joint->position,
                joint->lower, joint->upper);
    }
}

/// Initial q and v of a joint of several degrees of freedom; no quaternion is the identity.
static void set_several(iso_world* world, const iso_mb_body* body, const iso_joint_desc* joint) {
    const double* x = joint->positions;
    bool is_given = body->mobility != ISO_MOBILITY_BALL ||
                    x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] > 0.0;
    for (int i = 0; i < iso_mobility_q_count(body->mobility) && is_given; ++i) {
        world->q[body->q_index + i] = x[i];
    }
    for (int i = 0; i < iso_mobility_v_count(body->mobility); ++i) {
        world->v[body->v_index + i] = joint->velocities[i];
    }
}

/// Initial q and v: joints from their descriptions, free bodies from pose and twist (root to leaf,
/// so that a free body on a moving parent is placed after its parent).
static iso_status compile_state(iso_world* world, const iso_model* model,
                                const iso_body_order* order) {
    iso_context* ctx = world->ctx;
    const iso_multibody* mb = &world->multibody;
    world->q = iso_alloc_array(ctx, mb->q_count, sizeof(double));
    world->v = iso_alloc_array(ctx, mb->v_count, sizeof(double));
    world->next_q = iso_alloc_array(ctx, mb->q_count, sizeof(double));
    world->next_v = iso_alloc_array(ctx, mb->v_count, sizeof(double));
    world->f_b_w = iso_alloc_array(ctx, mb->body_count, sizeof *world->f_b_w);
    world->motions = iso_alloc_array(ctx, mb->body_count, sizeof *world->motions);
    world->moved = iso_alloc_array(ctx, mb->body_count, sizeof *world->moved);
    ISO_REQUIRE(ctx,
                world->q != NULL && world->v != NULL && world->next_q != NULL &&
                    world->next_v != NULL && world->f_b_w != NULL && world->motions != NULL &&
                    world->moved != NULL,
                ISO_ERR_MEMORY, "out of memory for the state");
    iso_status status = iso_world_record_create(world);
    if (status == ISO_OK) {
        status = iso_arena_init(&world->arena, ctx, 0);
    }
    if (status == ISO_OK) {
        status = iso_kinematics_push(mb, &world->arena, &world->kinematics);
    }
    if (status != ISO_OK) {
        return status;
    }
    status = iso_arena_init(&world->scratch, ctx, 0);
    if (status != ISO_OK) {
        return status;
    }
    iso_multibody_default_q(mb, world->q);
    memset(world->v, 0, (size_t)mb->v_count * sizeof *world->v);
    iso_multibody_kinematics(mb, world->q, world->v, &world->kinematics);
    for (int i = 1; i < mb->body_count; ++i) {
        const iso_mb_body* body = &mb->bodies[i];
        if (iso_mobility_has_one_dof(body->mobility)) {
            const iso_joint_desc* joint = &model->joints.data[order->model_joint[i]];
            warn_outside_limits(world, joint);
            world->q[body->q_index] = joint->position;
            world->v[body->v_index] = joint->velocity;
        } else if (body->mobility != ISO_MOBILITY_FREE && body->mobility != ISO_MOBILITY_WELD) {
            set_several(world, body, &model->joints.data[order->model_joint[i]]);
        } else if (body->mobility == ISO_MOBILITY_FREE) {
            const iso_body_part* part = &model->bodies.data[order->model_body[i]];
            if (body->parent > 0) { // which was placed meanwhile
                iso_multibody_kinematics(mb, world->q, world->v, &world->kinematics);
            }
            iso_multibody_set_free(mb, &world->kinematics, i, &part->x_wb, part->v_wb, world->q,
                                   world->v);
        }
    }
    status = iso_world_close_loops(world, model);
    iso_world_refresh(world);
    return status;
}

iso_status iso_world_compile(iso_world* world, const iso_model* model) {
    iso_status status = ISO_OK;
    iso_body_order order = {0};
    ISO_TRY(iso_model_check(model));
    ISO_TRY(iso_body_order_create(model, &order));
    ISO_TRY(compile_bodies(world, model, &order));
    ISO_TRY(iso_world_read_visuals(world, model, order.world_body));
    ISO_TRY(compile_joints(world, model, &order));
    ISO_TRY(iso_world_compile_tendons(world, model, &order));
    ISO_TRY(compile_actuators(world, model, &order));
    ISO_TRY(iso_world_compile_closure(world, model, order.world_body));
    ISO_TRY(compile_geometries(world, model, &order));
    ISO_TRY(iso_world_compile_pairs(world, model, &order));
    ISO_TRY(compile_contacts(world, model, &order));
    iso_world_warn_of_static_friction(world);
    ISO_TRY(iso_world_collect_surfaces(world));
    ISO_TRY(compile_state(world, model, &order));
    ISO_TRY(iso_world_warn_of_starts(world, model));
    forget_model(world);

done:
    iso_body_order_free(world->ctx, &order);
    return status;
}
