// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/stretched.h"
#include "contact/pressure_field/face.h"
#include "contact/pressure_field/pressure_field.h"

// What the traction of one face depends on besides the place of the sample.
typedef struct face_law {
    iso_friction friction;
    double dissipation;
    double adhesion;
    iso_vec3 normal;
    iso_spatial v_c; ///< twist of B relative to A at p_wc
    iso_vec3 p_wc;
    iso_contact_losses losses; ///< so far [W]
    iso_press_list* presses;   ///< to be filled, or NULL
    int face;
} face_law;

static iso_vec3 velocity_at(const face_law* law, iso_vec3 p_wq) {
    iso_vec3 arm = iso_vec3_sub(p_wq, law->p_wc);
    return iso_vec3_add(law->v_c.translational, iso_vec3_cross(law->v_c.rotational, arm));
}

// Traction on B at a point of the face; [Elandt2022] eq. 5.12 and 5.16, the pressure clamped first.
// Tension has no friction.
static iso_vec3 traction_at(face_law* law, iso_vec3 p_wq, double pressure, double area) {
    iso_vec3 v = velocity_at(law, p_wq);
    double v_n = iso_vec3_dot(v, law->normal);
    double p = iso_damped_pressure(pressure, law->dissipation, v_n, law->adhesion);
    iso_vec3 slip = iso_vec3_tangential(v, law->normal);
    if (law->presses) {
        iso_vec3 place = iso_vec3_sub(p_wq, law->p_wc);
        iso_press_add(law->presses, place, law->normal, p * area, law->face);
    }
    iso_vec3 friction = iso_friction_law_traction(&law->friction, slip);
    law->losses.friction -= area * fmax(p, 0.0) * iso_vec3_dot(friction, slip);
    law->losses.damping += area * (fmax(pressure, 0.0) - p) * v_n;
    return iso_vec3_add_scaled(iso_vec3_scale(law->normal, p), friction, fmax(p, 0.0));
}

// Add the force of one sample to the wrench about p_wc.
static void add_force(const face_law* law, iso_vec3 p_wq, iso_vec3 force, iso_spatial* wrench) {
    iso_vec3 arm = iso_vec3_sub(p_wq, law->p_wc);
    wrench->rotational = iso_vec3_add(wrench->rotational, iso_vec3_cross(arm, force));
    wrench->translational = iso_vec3_add(wrench->translational, force);
}

// Force of a triangle by the three-point rule, exact for pressure times position.
static iso_vec3 add_triangle(face_law* law, const iso_vec3 v[3], const double p[3], double area,
                             iso_spatial* wrench) {
    iso_vec3 sum = iso_vec3_add(iso_vec3_add(v[0], v[1]), v[2]);
    double pressure_sum = p[0] + p[1] + p[2];
    iso_vec3 total = iso_vec3_zero();
    for (int i = 0; i < 3; ++i) {
        // Barycentric coordinates (2/3, 1/6, 1/6).
        iso_vec3 p_wq = iso_vec3_scale(iso_vec3_add_scaled(sum, v[i], 3.0), 1.0 / 6.0);
        double pressure = (pressure_sum + 3.0 * p[i]) / 6.0;
        iso_vec3 force = iso_vec3_scale(traction_at(law, p_wq, pressure, area / 3.0), area / 3.0);
        add_force(law, p_wq, force, wrench);
        total = iso_vec3_add(total, force);
    }
    return total;
}

// The part of a triangle outside the margin has three or four corners: a fan.
static iso_vec3 add_pressed_triangle(face_law* law, const iso_patch* patch, int face,
                                     const iso_pressed_face* pressed, iso_spatial* wrench) {
    if (!pressed->is_cut) {
        int first = patch->face_offsets[face];
        return add_triangle(law, patch->vertices + first, patch->vertex_pressures + first,
                            pressed->area, wrench);
    }
    iso_vec3 total = iso_vec3_zero();
    for (int i = 2; i < pressed->count; ++i) {
        iso_vec3 v[3] = {pressed->vertices[0], pressed->vertices[i - 1], pressed->vertices[i]};
        double p[3] = {pressed->pressures[0], pressed->pressures[i - 1], pressed->pressures[i]};
        iso_vec3 cross = iso_vec3_cross(iso_vec3_sub(v[1], v[0]), iso_vec3_sub(v[2], v[0]));
        double area = 0.5 * iso_vec3_dot(law->normal, cross);
        total = iso_vec3_add(total, add_triangle(law, v, p, area, wrench));
    }
    return total;
}

// Force of a polygon by a fan of triangles about its centroid, three samples each.
static iso_vec3 add_fan(face_law* law, const iso_patch* patch, int face,
                        const iso_pressed_face* pressed, iso_spatial* wrench) {
    int first = patch->face_offsets[face];
    int count = pressed->is_cut ? pressed->count : patch->face_offsets[face + 1] - first;
    const iso_vec3* vertices = pressed->is_cut ? pressed->vertices : patch->vertices + first;
    const double* pressures =
        pressed->is_cut ? pressed->pressures : patch->vertex_pressures + first;
    iso_vec3 total = iso_vec3_zero(), up = iso_face_order_up(law->normal);
    iso_face_order order = iso_face_order_find(vertices, count, law->normal);
    for (int k = 0; k < count && pressed->area > 0.0; ++k) {
        int i = iso_face_order_at(&order, k), next = iso_face_order_at(&order, k + 1);
        iso_vec3 v[3] = {pressed->centroid, vertices[i], vertices[next]};
        double p[3] = {pressed->pressure, pressures[i], pressures[next]};
        iso_vec3 cross = iso_vec3_cross(iso_vec3_sub(v[1], v[0]), iso_vec3_sub(v[2], v[0]));
        double area = 0.5 * iso_vec3_dot(up, cross);
        total = iso_vec3_add(total, add_triangle(law, v, p, area, wrench));
    }
    return total;
}

// Force of a polygon by one sample at its centroid, as Drake has it.
static iso_vec3 add_polygon(face_law* law, const iso_pressed_face* pressed, iso_spatial* wrench) {
    iso_vec3 traction = traction_at(law, pressed->centroid, pressed->pressure, pressed->area);
    iso_vec3 force = iso_vec3_scale(traction, pressed->area);
    add_force(law, pressed->centroid, force, wrench);
    return force;
}

static iso_spatial add_faces(const iso_contact_system* system, const iso_contact_pair* pair,
                             iso_spatial v_c, iso_press_list* presses,
                             iso_contact_losses* out_losses, iso_vec3* out_tractions,
                             iso_vec3* out_slips) {
    const iso_contact_options* options = iso_contact_system_options(system);
    const iso_patch* patch = &pair->patch;
    face_law law = {
        .friction = iso_contact_pair_friction(system, pair),
        .adhesion = pair->adhesion,
        .v_c = v_c,
        .p_wc = pair->p_wc,
        .presses = presses,
    };
    bool is_sampled = options->cull == ISO_CULL_DRAKE;
    iso_spatial wrench = iso_spatial_zero();
    for (int f = 0; f < patch->face_count; ++f) {
        iso_face_slopes slopes = iso_patch_face_slopes(patch, f);
        law.normal = patch->normals[f];
        law.face = f;
        law.dissipation = iso_contact_face_dissipation(options, pair, &slopes);
        bool is_triangle = options->representation == ISO_REPRESENTATION_TRIANGLE &&
                           patch->face_offsets[f + 1] - patch->face_offsets[f] == 3;
        iso_pressed_face pressed;
        iso_patch_press_face(patch, f, &pressed);
        iso_vec3 force = is_triangle  ? add_pressed_triangle(&law, patch, f, &pressed, &wrench)
                         : is_sampled ? add_polygon(&law, &pressed, &wrench)
                                      : add_fan(&law, patch, f, &pressed, &wrench);
        if (out_tractions) {
            out_tractions[f] = iso_vec3_scale(force, 1.0 / patch->areas[f]);
        }
        if (out_slips) {
            out_slips[f] = iso_vec3_tangential(velocity_at(&law, patch->centroids[f]), law.normal);
        }
    }
    *out_losses = law.losses;
    return wrench;
}

iso_spatial iso_contact_patch_wrench(const iso_contact_system* system, const iso_contact_pair* pair,
                                     iso_spatial v_c, iso_contact_losses* out_losses,
                                     iso_vec3* out_tractions, iso_vec3* out_slips) {
    return add_faces(system, pair, v_c, NULL, out_losses, out_tractions, out_slips);
}

void iso_contact_patch_press(const iso_contact_system* system, const iso_contact_pair* pair,
                             iso_spatial v_c, iso_press_list* list) {
    iso_contact_pair smooth = iso_contact_pair_smooth(pair);
    iso_contact_losses losses;
    add_faces(system, &smooth, v_c, list, &losses, NULL, NULL);
}

iso_spatial iso_contact_continuous_wrench(const iso_contact_system* system,
                                          const iso_contact_pair* pair, iso_spatial v_c,
                                          iso_vec3* out_tractions, iso_vec3* out_slips) {
    iso_contact_losses losses;
    return iso_contact_patch_wrench(system, pair, v_c, &losses, out_tractions, out_slips);
}
