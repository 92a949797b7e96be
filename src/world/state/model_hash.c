// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What a world is made of, in one number. Field by field: structures have gaps.

#include "world/state/world_state.h"

#include "base/values/hash.h"
#include "surface/shapes/contact_shape_data.h"

static uint64_t add_doubles(uint64_t hash, const double* values, int count) {
    return iso_hash_bytes(hash, values, (size_t)count * sizeof *values);
}

static uint64_t add_int(uint64_t hash, int value) {
    return iso_hash_bytes(hash, &value, sizeof value);
}

static uint64_t add_pose(uint64_t hash, const iso_pose* pose) {
    return add_doubles(add_doubles(hash, &pose->r.m[0][0], 9), &pose->p.x, 3);
}

// Names end where their zero does, so that no two lists of names look alike.
static uint64_t add_name(uint64_t hash, const char* name) {
    return add_int(iso_hash_text(hash, name != NULL ? name : ""), 0);
}

static uint64_t add_body(uint64_t hash, const iso_mb_body* body) {
    const double numbers[] = {
        body->damping,      body->lower,    body->upper,     body->mass,
        body->pitch,        body->friction, body->stiffness, body->spring_reference,
        body->rotor_inertia};
    hash = add_int(add_int(hash, body->parent), (int)body->mobility);
    hash = add_pose(add_pose(hash, &body->x_pf), &body->x_mb);
    hash = add_doubles(add_doubles(hash, &body->axis.x, 3), &body->axis_2.x, 3);
    hash = add_doubles(hash, &body->center_of_mass.x, 3);
    hash = add_doubles(hash, &body->inertia.m[0][0], 9);
    if (body->gravity_compensation != 0.0) { // few have any: the others' hashes stay
        hash = add_doubles(hash, &body->gravity_compensation, 1);
    }
    return add_doubles(hash, numbers, (int)(sizeof numbers / sizeof numbers[0]));
}

// Vertices of a mesh and its pressures. The margin, of negative pressure, may follow the time step
// (ISO_MARGIN_AUTO): left out.
static uint64_t add_mesh(uint64_t hash, const iso_contact_shape* shape) {
    const iso_tri_mesh* mesh = &shape->surface;
    const iso_field* field = shape->field;
    hash = add_doubles(hash, mesh->vertex_count > 0 ? &mesh->vertices[0].x : NULL,
                       3 * mesh->vertex_count);
    hash = iso_hash_bytes(hash, mesh->triangles,
                          (size_t)mesh->triangle_count * sizeof *mesh->triangles);
    for (int i = 0; field != NULL && i < field->mesh.vertex_count; ++i) {
        if (field->pressures[i] >= 0.0) {
            hash = add_doubles(hash, &field->mesh.vertices[i].x, 3);
            hash = add_doubles(hash, &field->pressures[i], 1);
        }
    }
    return hash;
}

static uint64_t add_shape(uint64_t hash, const iso_contact_shape* shape) {
    const iso_shape_desc* p = &shape->primitive;
    const double numbers[] = {p->radius, p->length, p->size.x,
                              p->size.y, p->size.z, shape->max_pressure};
    hash = add_int(add_int(hash, (int)p->kind), shape->is_rigid);
    hash = add_doubles(hash, numbers, (int)(sizeof numbers / sizeof numbers[0]));
    for (int i = 0; shape->modulus_table != NULL && i < shape->material.modulus_row_count; ++i) {
        const double row[] = {shape->modulus_table[i].extent, shape->modulus_table[i].modulus};
        hash = add_doubles(hash, row, 2);
    }
    bool is_mesh = p->kind == ISO_SHAPE_CONVEX || p->kind == ISO_SHAPE_MESH;
    return is_mesh ? add_mesh(hash, shape) : hash;
}

static uint64_t add_geometry(uint64_t hash, const iso_contact_geometry* geometry) {
    const iso_contact_material* m = &geometry->material;
    const double numbers[] = {m->modulus,         m->slab_thickness,    m->dissipation,
                              m->relaxation_time, m->friction_static,   m->friction_dynamic,
                              m->stiffening,      m->expansion_rate,    m->restitution,
                              m->resolution_hint, m->restitution_speed, m->adhesion};
    hash = add_name(add_int(hash, geometry->body), geometry->name);
    hash = add_pose(hash, &geometry->x_bg);
    hash = add_doubles(hash, &geometry->surface_velocity.x, 3);
    hash = add_doubles(hash, numbers, (int)(sizeof numbers / sizeof numbers[0]));
    hash = add_int(add_int(hash, (int)m->compliance), (int)m->extent_kind);
    hash = add_int(hash, m->layer_count);
    if (m->model != ISO_CONTACT_MODEL_DEFAULT || m->young_modulus > 0.0) {
        const double elastic[] = {m->young_modulus, m->poisson_ratio};
        hash = add_doubles(add_int(hash, (int)m->model), elastic, 2);
    }
    if (m->restitution_slope > 0.0) {
        hash = add_doubles(hash, &m->restitution_slope, 1);
    }
    if (m->bristle_stiffness > 0.0) {
        const double bristles[] = {m->bristle_stiffness, m->bristle_damping, m->bristle_viscous,
                                   m->stribeck_speed, m->dwell_time};
        hash = add_doubles(hash, bristles, 5);
    }
    hash = add_int(hash, geometry->bits.is_set);
    hash = add_int(add_int(hash, (int)geometry->bits.group), (int)geometry->bits.mask);
    for (int i = 0; i < geometry->rules.count; ++i) {
        const iso_contact_rule* rule = &geometry->rules.data[i];
        const double friction[] = {rule->friction_static, rule->friction_dynamic};
        int filter = (rule->is_unfiltered ? 1 : 0) + (rule->is_excluded ? 2 : 0);
        filter += 4 * (int)rule->model;
        hash = add_doubles(add_int(add_int(hash, rule->other), filter), friction, 2);
    }
    return add_shape(hash, geometry->shape);
}

static uint64_t add_closure(uint64_t hash, const iso_world* world) {
    for (int i = 0; i < world->constraint_count; ++i) {
        const iso_constraint* c = &world->constraints[i];
        const double numbers[] = {c->length, c->stiffness, c->damping};
        hash = add_name(add_int(hash, (int)c->kind), world->constraint_names[i]);
        hash = add_int(add_int(hash, c->body_a), c->body_b);
        hash = add_doubles(add_pose(add_pose(hash, &c->x_ap), &c->x_bq), numbers, 3);
        hash = world->starts_off[i] ? add_int(hash, 1) : hash;
    }
    for (int i = 0; i < world->coupler_count; ++i) {
        const iso_coupler* c = &world->couplers[i];
        const double numbers[] = {c->ratio, c->offset};
        hash = add_name(add_int(add_int(hash, c->body_a), c->body_b), world->coupler_names[i]);
        hash = add_doubles(hash, numbers, 2);
        for (int k = 0; k < ISO_COUPLER_CURVE; ++k) { // a line keeps the hash that it had
            hash = c->curve[k] != 0.0 ? add_doubles(add_int(hash, k), &c->curve[k], 1) : hash;
        }
        hash = c->is_off ? add_int(hash, 1) : hash;
    }
    return hash;
}

static uint64_t add_tendon(uint64_t hash, const iso_fixed_tendon* tendon, const char* name) {
    const double numbers[] = {tendon->stiffness, tendon->damping, tendon->reference,
                              tendon->friction,  tendon->lower,   tendon->upper};
    hash = add_int(add_doubles(add_name(hash, name), numbers, 6), tendon->count);
    hash = tendon->is_off ? add_int(hash, 1) : hash;
    for (int i = 0; i < tendon->count; ++i) {
        hash = add_doubles(add_int(hash, tendon->bodies[i]), &tendon->weights[i], 1);
    }
    for (int i = 0; i < tendon->part_count; ++i) {
        const iso_route_part* part = &tendon->parts[i];
        const double sizes[] = {part->radius, part->divisor};
        hash = add_int(add_int(hash, (int)part->kind), part->body);
        hash = add_doubles(hash, (const double*)&part->x_bs, 12);
        hash = add_doubles(hash, sizes, 2);
        hash = add_doubles(add_int(hash, part->other), (const double*)&part->x_bo, 12);
        hash = add_doubles(hash, (const double*)&part->weights, 6);
        hash = add_int(hash, part->is_in_other);
    }
    return hash;
}

uint64_t iso_world_hash_model(const iso_world* world) {
    const iso_multibody* mb = &world->multibody;
    uint64_t hash = add_int(ISO_HASH_SEED, mb->body_count);
    for (int i = 0; i < mb->body_count; ++i) {
        hash = add_name(add_name(hash, world->body_names[i]), world->joint_names[i]);
        hash = add_body(hash, &mb->bodies[i]);
    }
    for (int i = 0; i < world->actuator_count; ++i) {
        const iso_actuator* drive = &world->drives[i];
        const double numbers[] = {drive->effort_upper, drive->kp, drive->kd, drive->effort_lower};
        int coordinate = drive->body >= 0 ? drive->body : -1 - drive->tendon;
        hash = iso_actuator_is_adhesion(drive) ? add_int(hash, drive->adhesion_body) : hash;
        hash = add_name(add_int(hash, coordinate), world->actuators[i].name);
        // Few have sides that differ: the others' hashes stay.
        hash = add_doubles(hash, numbers, drive->effort_lower != -drive->effort_upper ? 4 : 3);
        const double sums[] = {drive->sum_lower, drive->sum_upper};
        hash = add_doubles(hash, sums, drive->is_summed ? 2 : 0);
    }
    if (world->tendon_count > 0) { // few have any: the others' hashes stay
        hash = add_int(hash, world->tendon_count);
    }
    for (int i = 0; i < world->tendon_count; ++i) {
        hash = add_tendon(hash, &world->tendons[i], world->tendon_names[i]);
    }
    for (int i = 0; i < mb->rotor_count; ++i) {
        const iso_mb_rotor* r = &mb->rotors[i];
        int first = r->count > 0 ? r->bodies[0] : r->parts[0].body;
        hash = add_doubles(add_int(hash, first), &r->inertia, 1);
        hash = add_doubles(hash, r->weights, r->count);
    }
    hash = add_closure(hash, world);
    for (int i = 0; i < world->geometry_count; ++i) {
        hash = add_geometry(hash, &world->geometries[i]);
    }
    return hash;
}

uint64_t iso_world_model_hash(const iso_world* world) {
    return world != NULL ? world->model_hash : 0;
}
