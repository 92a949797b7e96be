// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Stages 1 to 3, shared by all methods.

#include "stepper/stages/stages.h"

iso_status iso_stage_kinematics(iso_stages* stages) {
    const iso_stepper* stepper = stages->stepper;
    const iso_multibody* multibody = stepper->dynamics.multibody;
    const iso_step_input* input = stages->input;
    int body = iso_find_non_finite(multibody, input->q, input->v);
    ISO_REQUIRE(stepper->ctx, body < 0, ISO_ERR_NUMERIC,
                "state of body '%s' is not finite %s the step",
                iso_stepper_body_name(stepper, body), stages->is_within ? "within" : "before");
    iso_status status = ISO_OK;
    if (input->kinematics) {
        stages->kinematics = *input->kinematics;
    } else {
        status = iso_kinematics_push(multibody, &stages->stepper->arena, &stages->kinematics);
        if (status == ISO_OK) {
            iso_multibody_kinematics(multibody, input->q, input->v, &stages->kinematics);
        }
    }
    iso_stages_lap(stages, 1);
    return status;
}

iso_status iso_stage_contacts(iso_stages* stages) {
    return iso_stages_contacts_of(stages, &stages->kinematics, NULL, true);
}

iso_status iso_stages_contacts_of(iso_stages* stages, const iso_kinematics* kinematics,
                                  const bool* marks, bool has_mark) {
    iso_stepper* stepper = stages->stepper;
    if (!stepper->dynamics.contact) {
        return ISO_OK;
    }
    if (stages->input->contacts) {
        stages->set = *stages->input->contacts;
        stages->set.broad_seconds = stages->set.narrow_seconds = 0.0;
    }
    iso_status status = stages->input->contacts
                            ? ISO_OK
                            : iso_contact_system_update_some(
                                  stepper->dynamics.contact, kinematics->x_wb, marks, has_mark,
                                  stepper->pool, &stepper->arena, &stages->set);
    stages->report.pair_count = stages->set.candidate_count;
    stages->report.contact_count = stages->set.pair_count;
    stages->report.face_count = stages->set.face_count;
    stages->report.stage_seconds[1] += stages->set.broad_seconds;
    stages->report.stage_seconds[2] += stages->set.narrow_seconds;
    stages->lap += stages->set.broad_seconds + stages->set.narrow_seconds;
    return status;
}

// Twist of a body at a point fixed to it.
static iso_spatial twist_at(const iso_kinematics* kinematics, int body, iso_vec3 p_wc) {
    return iso_spatial_shift_twist(kinematics->v_wb[body],
                                   iso_vec3_sub(p_wc, kinematics->x_wb[body].p));
}

iso_spatial iso_pair_twist(const iso_kinematics* kinematics, const iso_contact_pair* pair) {
    return iso_spatial_sub(twist_at(kinematics, pair->body_b, pair->p_wc),
                           twist_at(kinematics, pair->body_a, pair->p_wc));
}

iso_spatial iso_stages_add_fixed_twist(const iso_stages* stages, int body_a, int body_b,
                                       iso_vec3 p_wc, iso_spatial twist) {
    const iso_multibody* multibody = stages->stepper->dynamics.multibody;
    const iso_kinematics* kinematics = iso_stages_pair_kinematics(stages, body_a, body_b);
    const iso_spatial* v_wb = kinematics->v_wb;
    const int bodies[2] = {body_a, body_b};
    for (int i = 0; i < 2; ++i) {
        int body = bodies[i];
        if (multibody->bodies[body].tree < 0 && iso_spatial_dot(v_wb[body], v_wb[body]) > 0.0) {
            iso_spatial v = twist_at(kinematics, body, p_wc);
            twist = i == 0 ? iso_spatial_sub(twist, v) : iso_spatial_add(twist, v);
        }
    }
    return twist;
}

// Velocity in W of the surface of a geometry on its body.
static iso_vec3 surface_velocity(const iso_contact_system* system, const iso_kinematics* kinematics,
                                 int geometry) {
    const iso_contact_geometry* g = iso_contact_system_geometry(system, geometry);
    return iso_mat3_mul_vec3(&kinematics->x_wb[g->body].r,
                             iso_mat3_mul_vec3(&g->x_bg.r, g->surface_velocity));
}

iso_spatial iso_surface_twist(const iso_contact_system* system, const iso_kinematics* kinematics,
                              const iso_contact_pair* pair) {
    iso_vec3 v = iso_vec3_sub(surface_velocity(system, kinematics, pair->geometry_b),
                              surface_velocity(system, kinematics, pair->geometry_a));
    if (iso_vec3_norm_squared(v) > 0.0) {
        iso_vec3 normal = pair->model->normal(pair);
        v = iso_vec3_add_scaled(v, normal, -iso_vec3_dot(v, normal));
    }
    return iso_spatial_make(iso_vec3_zero(), v);
}

iso_status iso_contact_result_push(iso_arena* arena, const iso_contact_set* set,
                                   iso_contact_result* out_result) {
    iso_contact_result r = {.set = *set};
    int count = set->pair_count;
    r.f_b_w = iso_arena_push_array(arena, count, sizeof *r.f_b_w);
    r.tractions = iso_arena_push_array(arena, count, sizeof *r.tractions);
    r.slips = iso_arena_push_array(arena, count, sizeof *r.slips);
    r.memories = iso_arena_push_array(arena, count, sizeof *r.memories);
    iso_vec3* faces = iso_arena_push_array(arena, set->face_count, 2 * sizeof *faces);
    ISO_REQUIRE(arena->ctx, r.f_b_w && r.tractions && r.slips && r.memories && faces,
                ISO_ERR_MEMORY, "results of %d contacts with %d faces", count, set->face_count);
    for (int i = 0; i < count; ++i) {
        r.tractions[i] = faces;
        r.slips[i] = faces + set->pairs[i].patch.face_count;
        faces += 2 * set->pairs[i].patch.face_count;
    }
    *out_result = r;
    return ISO_OK;
}

iso_status iso_contact_result_push_springs(iso_arena* arena, iso_contact_result* result) {
    const iso_contact_set* set = &result->set;
    int count = set->pair_count;
    result->stretches = iso_arena_push_array(arena, count, sizeof *result->stretches);
    result->sliding = iso_arena_push_array(arena, count, sizeof *result->sliding);
    iso_vec3* stretches = iso_arena_push_array(arena, set->face_count, sizeof *stretches);
    double* sliding = iso_arena_push_array(arena, set->face_count, sizeof *sliding);
    ISO_REQUIRE(arena->ctx, result->stretches && result->sliding && stretches && sliding,
                ISO_ERR_MEMORY, "stretches of %d faces", set->face_count);
    for (int i = 0; i < set->face_count; ++i) { // pairs with bristles have none
        stretches[i] = iso_vec3_zero();
        sliding[i] = 0.0;
    }
    for (int i = 0; i < count; ++i) {
        result->stretches[i] = stretches;
        result->sliding[i] = sliding;
        stretches += set->pairs[i].patch.face_count;
        sliding += set->pairs[i].patch.face_count;
    }
    return ISO_OK;
}

iso_face_values iso_contact_result_faces(const iso_contact_result* result, int pair) {
    return (iso_face_values){.tractions = result->tractions[pair],
                             .slips = result->slips[pair],
                             .stretches = result->stretches ? result->stretches[pair] : NULL,
                             .sliding = result->sliding ? result->sliding[pair] : NULL};
}
