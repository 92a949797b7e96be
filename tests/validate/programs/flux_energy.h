// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The energy of a patch as a sum over its faces, exactly: docs/theory/energy_flux.md. A vector
// field F with div F = p in every tetrahedron, continuous normal flux and none through the skin
// turns the integral of p over what is displaced from a body into the flux of F through the contact
// surface. F ends in poles: the vertices where the pressure has its maxima.

#include "field/field.h"
#include "geometry/mesh.h"

#include <stdlib.h>

typedef struct flux_field {
    const iso_field* field;
    double (*flux)[4]; ///< [tet_count] outward through the face opposite each corner [J]
    double* drain;     ///< [tet_count] what the pole of the tetrahedron takes up [J]
    int* pole;         ///< [tet_count] corner that is its pole, or -1
    double* volume;    ///< [tet_count] [m^3]
    double* taken;     ///< [vertex_count] what each pole takes up, all tetrahedra together [J]
    bool* is_pole;     ///< [vertex_count]
} flux_field;

typedef struct flux_face {
    int key[3], tet, side;
} flux_face;

static inline int flux_compare(const void* a, const void* b) {
    const flux_face *x = a, *y = b;
    for (int i = 0; i < 3; ++i) {
        if (x->key[i] != y->key[i]) {
            return x->key[i] < y->key[i] ? -1 : 1;
        }
    }
    return 0;
}

static inline void flux_sort3(int k[3]) {
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j + 1 < 3; ++j) {
            if (k[j] > k[j + 1]) {
                int swap = k[j];
                k[j] = k[j + 1];
                k[j + 1] = swap;
            }
        }
    }
}

/// neighbours[t][side]: 4 other + other side, or -1 on the skin.
static inline int (*flux_neighbours(const iso_tet_mesh* mesh))[4] {
    int(*next)[4] = malloc((size_t)mesh->tet_count * sizeof *next);
    flux_face* faces = malloc(4 * (size_t)mesh->tet_count * sizeof *faces);
    int count = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        for (int k = 0; k < 4; ++k) {
            flux_face f = {{mesh->tets[t][k_tet_faces[k][0]], mesh->tets[t][k_tet_faces[k][1]],
                            mesh->tets[t][k_tet_faces[k][2]]},
                           t,
                           k};
            flux_sort3(f.key);
            next[t][k] = -1;
            faces[count++] = f;
        }
    }
    qsort(faces, (size_t)count, sizeof *faces, flux_compare);
    for (int i = 0; i + 1 < count; ++i) {
        if (flux_compare(&faces[i], &faces[i + 1]) == 0) {
            next[faces[i].tet][faces[i].side] = 4 * faces[i + 1].tet + faces[i + 1].side;
            next[faces[i + 1].tet][faces[i + 1].side] = 4 * faces[i].tet + faces[i].side;
        }
    }
    free(faces);
    return next;
}

static inline double flux_mean(const iso_field* field, int tet) {
    double sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        sum += 0.25 * field->pressures[field->mesh.tets[tet][k]];
    }
    return sum;
}

/// Vertices that no neighbour exceeds.
static inline void flux_find_poles(flux_field* f) {
    const iso_tet_mesh* mesh = &f->field->mesh;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        f->is_pole[i] = true;
    }
    for (int t = 0; t < mesh->tet_count; ++t) {
        for (int k = 0; k < 16; ++k) {
            int i = mesh->tets[t][k / 4], j = mesh->tets[t][k % 4];
            if (f->field->pressures[i] < f->field->pressures[j]) {
                f->is_pole[i] = false;
            }
        }
    }
}

/// Tetrahedra at a pole drain into it; every other one hands what it collects to the next.
static inline flux_field flux_make(const iso_field* field) {
    const iso_tet_mesh* mesh = &field->mesh;
    size_t n = (size_t)mesh->tet_count, m = (size_t)mesh->vertex_count;
    flux_field f = {field,
                    calloc(n, sizeof *f.flux),
                    calloc(n, sizeof *f.drain),
                    calloc(n, sizeof *f.pole),
                    calloc(n, sizeof *f.volume),
                    calloc(m, sizeof *f.taken),
                    calloc(m, sizeof *f.is_pole)};
    int(*next)[4] = flux_neighbours(mesh);
    int *order = malloc(n * sizeof *order), *out = malloc(n * sizeof *out), count = 0;
    flux_find_poles(&f);
    for (int t = 0; t < mesh->tet_count; ++t) {
        f.volume[t] = iso_tet_mesh_tet_volume(mesh, t);
        f.pole[t] = out[t] = -1;
        for (int k = 0; k < 4; ++k) {
            f.pole[t] = f.is_pole[mesh->tets[t][k]] ? k : f.pole[t];
        }
        if (f.pole[t] >= 0) {
            order[count++] = t;
        }
    }
    for (int i = 0; i < count; ++i) { // breadth first from the poles
        for (int k = 0; k < 4; ++k) {
            int other = next[order[i]][k] >> 2;
            if (next[order[i]][k] >= 0 && f.pole[other] < 0 && out[other] < 0) {
                out[other] = next[order[i]][k] & 3;
                order[count++] = other;
            }
        }
    }
    for (int i = count - 1; i >= 0; --i) {
        int t = order[i];
        double collected = flux_mean(field, t) * f.volume[t];
        for (int k = 0; k < 4; ++k) {
            collected -= f.flux[t][k];
        }
        if (f.pole[t] >= 0) {
            // The radial field of the pole enters through the face opposite to it.
            f.drain[t] = collected;
            f.flux[t][f.pole[t]] += collected;
            f.taken[mesh->tets[t][f.pole[t]]] += collected;
        } else {
            int to = next[t][out[t]];
            f.flux[t][out[t]] = collected;
            f.flux[to >> 2][to & 3] = -collected;
        }
    }
    free(next);
    free(order);
    free(out);
    return f;
}

static inline void flux_free(flux_field* f) {
    free(f->flux);
    free(f->drain);
    free(f->pole);
    free(f->volume);
    free(f->taken);
    free(f->is_pole);
    *f = (flux_field){0};
}

static inline void flux_barycentric(const flux_field* f, int tet, iso_vec3 x, double l[4]) {
    const iso_tet_mesh* mesh = &f->field->mesh;
    const int* c = mesh->tets[tet];
    for (int k = 0; k < 4; ++k) {
        const int* w = k_tet_faces[k];
        l[k] = iso_tet_signed_volume(mesh->vertices[c[w[0]]], mesh->vertices[c[w[2]]],
                                     mesh->vertices[c[w[1]]], x) /
               f->volume[tet];
    }
}

/// The polynomial part of F at a point of a tetrahedron, frame G: sum_i flux_i (x - v_i) / (3 V) +
/// sum_{i<j} (p_i - p_j)/4 l_i l_j (v_j - v_i) with the barycentric coordinates l.
static inline iso_vec3 flux_at(const flux_field* f, int tet, iso_vec3 x) {
    const iso_tet_mesh* mesh = &f->field->mesh;
    const int* c = mesh->tets[tet];
    iso_vec3 sum = iso_vec3_zero();
    double l[4];
    flux_barycentric(f, tet, x, l);
    for (int i = 0; i < 4; ++i) {
        sum = iso_vec3_add_scaled(sum, iso_vec3_sub(x, mesh->vertices[c[i]]),
                                  f->flux[tet][i] / (3.0 * f->volume[tet]));
        for (int j = i + 1; j < 4; ++j) {
            double drop = f->field->pressures[c[i]] - f->field->pressures[c[j]];
            iso_vec3 edge = iso_vec3_sub(mesh->vertices[c[j]], mesh->vertices[c[i]]);
            sum = iso_vec3_add_scaled(sum, edge, 0.25 * drop * l[i] * l[j]);
        }
    }
    return sum;
}

/// Flux of F through one triangle, all in G, area vector a. The polynomial part is quadratic: the
/// three mid-sides suffice. The pole's part is -drain (x - v0) / (3 V h^3), h = 1 - l_0, whose
/// integral is -drain (x - v0) . a / (3 V h_1 h_2 h_3).
static inline double flux_through(const flux_field* f, int tet, const iso_vec3 v[3], iso_vec3 a) {
    double sum = 0.0, heights = 1.0;
    for (int i = 0; i < 3; ++i) {
        sum += iso_vec3_dot(flux_at(f, tet, iso_vec3_lerp(v[i], v[(i + 1) % 3], 0.5)), a) / 3.0;
    }
    if (f->pole[tet] < 0) {
        return sum;
    }
    for (int i = 0; i < 3; ++i) {
        double l[4];
        flux_barycentric(f, tet, v[i], l);
        heights *= 1.0 - l[f->pole[tet]];
    }
    iso_vec3 v0 = f->field->mesh.vertices[f->field->mesh.tets[tet][f->pole[tet]]];
    double lift = iso_vec3_dot(iso_vec3_sub(v[0], v0), a);
    return sum - f->drain[tet] * lift / (3.0 * f->volume[tet] * heights);
}

/// One side of a pair: its flux field and pose.
typedef struct flux_side {
    const flux_field* f;
    const iso_pose* x_w;
} flux_side;

static inline double flux_of_triangle(const flux_side* s, int tet, const iso_vec3 p_w[3]) {
    iso_vec3 v[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = iso_pose_inverse_point(s->x_w, p_w[i]);
    }
    return flux_through(s->f, tet, v, iso_triangle_area_vector(v[0], v[1], v[2]));
}

/// What the displaced poles of a side have taken up. `other` NULL: a rigid body of which
/// `other_volume` is the inside.
static inline double flux_displaced(const flux_side* s, const iso_field* other_volume,
                                    bool is_other_rigid, const iso_pose* x_wo) {
    const iso_tet_mesh* mesh = &s->f->field->mesh;
    double sum = 0.0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        double p;
        if (s->f->is_pole[i] &&
            iso_field_value(other_volume,
                            iso_pose_inverse_point(x_wo, iso_pose_point(s->x_w, mesh->vertices[i])),
                            &p) &&
            (is_other_rigid || p > s->f->field->pressures[i])) {
            sum += s->f->taken[i];
        }
    }
    return sum;
}

/// Flux through the faces: the energy while no pole is displaced. f NULL: a rigid side.
static inline double flux_of_patch(const iso_patch* patch, flux_side a, flux_side b) {
    double u = 0.0;
    for (int f = 0; f < patch->face_count; ++f) {
        int first = patch->face_offsets[f], end = patch->face_offsets[f + 1];
        for (int i = first + 1; i + 1 < end; ++i) {
            const iso_vec3 v[3] = {patch->vertices[first], patch->vertices[i],
                                   patch->vertices[i + 1]};
            // The displaced part of A lies on the side of the normal, that of B on the other.
            u -= a.f ? flux_of_triangle(&a, patch->elements[f].a, v) : 0.0;
            u += b.f ? flux_of_triangle(&b, patch->elements[f].b, v) : 0.0;
        }
    }
    return u;
}
