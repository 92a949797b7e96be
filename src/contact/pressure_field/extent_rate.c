// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Damping by the rate of the extents, [Elandt2019] eq. 17 (docs/theory/contact.md).

#include "contact/pressure_field/extent_rate.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/material.h"
#include "contact/pressure_field/face.h"
#include "surface/shapes/contact_shape_data.h"

static double tet_volume(const iso_tet_mesh* mesh, int t) {
    iso_vec3 o = mesh->vertices[mesh->tets[t][0]];
    iso_vec3 a = iso_vec3_sub(mesh->vertices[mesh->tets[t][1]], o);
    iso_vec3 b = iso_vec3_sub(mesh->vertices[mesh->tets[t][2]], o);
    iso_vec3 c = iso_vec3_sub(mesh->vertices[mesh->tets[t][3]], o);
    return fabs(iso_vec3_dot(iso_vec3_cross(a, b), c)) / 6.0;
}

// Barycentric coordinates of a point in a tetrahedron: shares of the volume.
static void barycentric(const iso_tet_mesh* mesh, int t, iso_vec3 p, double out[4]) {
    iso_vec3 o = mesh->vertices[mesh->tets[t][0]];
    iso_vec3 a = iso_vec3_sub(mesh->vertices[mesh->tets[t][1]], o);
    iso_vec3 b = iso_vec3_sub(mesh->vertices[mesh->tets[t][2]], o);
    iso_vec3 c = iso_vec3_sub(mesh->vertices[mesh->tets[t][3]], o);
    iso_vec3 q = iso_vec3_sub(p, o);
    double volume = iso_vec3_dot(iso_vec3_cross(a, b), c);
    out[1] = iso_vec3_dot(iso_vec3_cross(q, b), c) / volume;
    out[2] = iso_vec3_dot(iso_vec3_cross(a, q), c) / volume;
    out[3] = iso_vec3_dot(iso_vec3_cross(a, b), q) / volume;
    out[0] = 1.0 - out[1] - out[2] - out[3];
}

// Gradient of a function known at the vertices of a tetrahedron.
static iso_vec3 tet_gradient(const iso_tet_mesh* mesh, int t, const double values[4]) {
    iso_vec3 o = mesh->vertices[mesh->tets[t][0]];
    iso_vec3 a = iso_vec3_sub(mesh->vertices[mesh->tets[t][1]], o);
    iso_vec3 b = iso_vec3_sub(mesh->vertices[mesh->tets[t][2]], o);
    iso_vec3 c = iso_vec3_sub(mesh->vertices[mesh->tets[t][3]], o);
    iso_vec3 sum = iso_vec3_scale(iso_vec3_cross(b, c), values[1] - values[0]);
    sum = iso_vec3_add_scaled(sum, iso_vec3_cross(c, a), values[2] - values[0]);
    sum = iso_vec3_add_scaled(sum, iso_vec3_cross(a, b), values[3] - values[0]);
    return iso_vec3_scale(sum, 1.0 / iso_vec3_dot(iso_vec3_cross(a, b), c));
}

static iso_status make_gradients(iso_context* ctx, const iso_contact_shape* shape,
                                 iso_vec3** out_gradients) {
    const iso_field* field = shape->field;
    const iso_tet_mesh* mesh = &field->mesh;
    iso_vec3* gradients = iso_alloc_array(ctx, mesh->vertex_count, sizeof *gradients);
    double* volumes = iso_alloc_array(ctx, mesh->vertex_count, sizeof *volumes);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, gradients && volumes, ISO_ERR_MEMORY, "gradients at %d vertices",
              mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        gradients[i] = iso_vec3_zero();
        volumes[i] = 0.0;
    }
    for (int t = 0; t < mesh->tet_count; ++t) {
        double extents[4];
        for (int k = 0; k < 4; ++k) {
            extents[k] =
                iso_contact_material_extent(&shape->material, field->pressures[mesh->tets[t][k]]);
        }
        double volume = tet_volume(mesh, t);
        iso_vec3 gradient = tet_gradient(mesh, t, extents);
        for (int k = 0; k < 4; ++k) {
            int vertex = mesh->tets[t][k];
            gradients[vertex] = iso_vec3_add_scaled(gradients[vertex], gradient, volume);
            volumes[vertex] += volume;
        }
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        gradients[i] = iso_vec3_scale(gradients[i], volumes[i] > 0.0 ? 1.0 / volumes[i] : 0.0);
    }
    *out_gradients = gradients;

done:
    iso_free(ctx, volumes);
    if (status != ISO_OK) {
        iso_free(ctx, gradients);
    }
    return status;
}

iso_status iso_contact_make_extent_gradients(iso_contact_system* system) {
    iso_status status = ISO_OK;
    for (int i = 0; i < system->geometry_count; ++i) {
        iso_contact_part* part = &system->parts[i];
        const iso_contact_geometry* geometry = &system->geometries[i];
        if (part->is_rigid || part->is_half_space) {
            continue;
        }
        for (int k = 0; k < i && !part->extent_gradients; ++k) {
            if (system->geometries[k].shape == geometry->shape) {
                part->extent_gradients = system->parts[k].extent_gradients;
            }
        }
        if (!part->extent_gradients) {
            iso_vec3* gradients = NULL;
            ISO_TRY(make_gradients(system->ctx, geometry->shape, &gradients));
            part->extent_gradients = gradients;
            part->owns_extent_gradients = true;
        }
    }
done:
    return status;
}

// chi_i of one side on a face [s/m]: how fast the extent rises into the body, over tau, where
// 1 / tau = d L. `into` points into that body, in W.
static double face_chi(const iso_contact_system* system, int geometry, const iso_pose* x_wg,
                       int element, iso_vec3 gradient, iso_vec3 p_wq, iso_vec3 into) {
    const iso_contact_part* part = &system->parts[geometry];
    iso_vec3 rise = iso_vec3_scale(gradient, 1.0 / part->modulus); // half spaces are linear
    if (part->extent_gradients && element >= 0) {
        const iso_tet_mesh* mesh = &system->geometries[geometry].shape->field->mesh;
        double weights[4];
        barycentric(mesh, element, iso_pose_inverse_point(x_wg, p_wq), weights);
        iso_vec3 sum = iso_vec3_zero();
        for (int k = 0; k < 4; ++k) {
            sum = iso_vec3_add_scaled(sum, part->extent_gradients[mesh->tets[element][k]],
                                      weights[k]);
        }
        rise = iso_mat3_mul_vec3(&x_wg->r, sum);
    }
    return part->dissipation * part->thickness * fmax(iso_vec3_dot(rise, into), 0.0);
}

iso_status iso_contact_find_face_dissipations(const iso_contact_system* system,
                                              const iso_pose* x_wg, iso_contact_pair* pair,
                                              iso_arena* arena) {
    pair->face_dissipations = NULL;
    bool is_rigid_a = isinf(pair->modulus_a), is_rigid_b = isinf(pair->modulus_b);
    if (system->options.damping != ISO_DAMPING_EXTENT_RATE || (is_rigid_a && is_rigid_b)) {
        return ISO_OK;
    }
    const iso_patch* patch = &pair->patch;
    double* d = iso_arena_push_array(arena, patch->face_count, sizeof *d);
    ISO_REQUIRE(arena->ctx, d, ISO_ERR_MEMORY, "dissipations of %d faces", patch->face_count);
    for (int f = 0; f < patch->face_count; ++f) {
        iso_face_slopes slopes = iso_patch_face_slopes(patch, f);
        iso_vec3 n = patch->normals[f], p_wq = patch->centroids[f];
        iso_vec3 into_a = iso_vec3_scale(n, -1.0);
        double chi_a = 0.0, chi_b = 0.0;
        if (!is_rigid_a) {
            chi_a = face_chi(system, pair->geometry_a, &x_wg[pair->geometry_a],
                             patch->elements[f].a, patch->gradients_a[f], p_wq, into_a);
        }
        if (!is_rigid_b) {
            chi_b = face_chi(system, pair->geometry_b, &x_wg[pair->geometry_b],
                             patch->elements[f].b, patch->gradients_b[f], p_wq, n);
        }
        d[f] = iso_dissipation_combine_face(slopes.a, chi_a, slopes.b, chi_b);
    }
    pair->face_dissipations = d;
    return ISO_OK;
}
