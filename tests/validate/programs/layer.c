// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Patch of a rigid indenter in a compliant layer: one JSON object on stdout.
// Usage: validate_layer NAME=VALUE...
//   indenter=cap     ellipsoid of semi-axes ax ay az [m], its pole downward; rings x sectors
//   indenter=punch   flat-ended cylinder of radius `radius` [m], `sectors` sides
//   indenter=wave    tip at x = 0, height amplitude (1 - cos(2 pi x / wavelength)) [m], over one
//                    wavelength in x and 1 m in y; `sectors` strips
//   layer=tets       tetrahedra under z = 0: cells x cells x layers boxes of 6 over +-half_x,
//                    +-half_y, down to `deepest`
//   layer=half_space compliant half space
//   modulus [Pa], thickness H [m]; law=linear: p = modulus e, law=log: p = -modulus ln(1 - e), with
//   extent e = depth / H; depth [m] of the lowest point; repeats: of the query, for its time;
//   profile=1: also the pressure at every vertex of the patch

#include "base/core/alloc.h"
#include "base/core/arena.h"
#include "field/structure/field.h"
#include "geometry/mesh/mesh.h"
#include "surface/pairs/pair_query.h"
#include "surface/shapes/contact_shape_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct options {
    int argc;
    char** argv;
} options;

static const char* text_of(const options* o, const char* name, const char* otherwise) {
    size_t length = strlen(name);
    for (int i = 1; i < o->argc; ++i) {
        if (strncmp(o->argv[i], name, length) == 0 && o->argv[i][length] == '=') {
            return o->argv[i] + length + 1;
        }
    }
    return otherwise;
}

// Required values are NaN when they are missing, which meshes and shapes refuse.
static double number_of(const options* o, const char* name, double otherwise) {
    const char* text = text_of(o, name, NULL);
    return text ? strtod(text, NULL) : otherwise;
}

static int count_of(const options* o, const char* name, int otherwise) {
    return (int)number_of(o, name, otherwise);
}

static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Point of the cap or the punch at share s of its rim and angle t; the lowest point is the origin.
static iso_vec3 round_point(const options* o, bool is_punch, double s, double t) {
    if (is_punch) {
        double r = number_of(o, "radius", NAN);
        return iso_vec3_make(s * r * cos(t), s * r * sin(t), 0.0);
    }
    double az = number_of(o, "az", NAN);
    // The rim lies 1.2 depths above the pole, outside the layer.
    double rise = 1.2 * number_of(o, "depth", NAN) / az;
    double rho = s * sqrt(rise * (2.0 - rise));
    double height = rho * rho / (1.0 + sqrt(1.0 - rho * rho)); // 1 - sqrt(1 - rho^2)
    return iso_vec3_make(number_of(o, "ax", NAN) * rho * cos(t),
                         number_of(o, "ay", NAN) * rho * sin(t), az * height);
}

// Rings about the pole, seen from below: outward is down.
static iso_status make_round(iso_context* ctx, const options* o, bool is_punch,
                             iso_tri_mesh* out_mesh) {
    int rings = is_punch ? 1 : count_of(o, "rings", 64);
    int sectors = count_of(o, "sectors", 128);
    iso_status status =
        iso_tri_mesh_allocate(ctx, 1 + rings * sectors, (2 * rings - 1) * sectors, out_mesh);
    if (status != ISO_OK) {
        return status;
    }
    int triangle = 0;
    out_mesh->vertices[0] = iso_vec3_make(0.0, 0.0, 0.0);
    for (int ring = 1; ring <= rings; ++ring) {
        for (int j = 0; j < sectors; ++j) {
            // Every other ring is turned by half a sector, so that triangles are well shaped.
            double turn = 2.0 * ISO_PI * (j + 0.5 * (ring % 2)) / sectors;
            int next = (j + 1) % sectors;
            int outer = 1 + (ring - 1) * sectors, inner = outer - sectors;
            out_mesh->vertices[outer + j] = round_point(o, is_punch, (double)ring / rings, turn);
            int low = ring == 1 ? 0 : inner + (ring % 2 == 0 ? j : next);
            memcpy(out_mesh->triangles[triangle++], (int[3]){low, outer + next, outer + j},
                   sizeof(int[3]));
            if (ring > 1) {
                int corner = outer + (ring % 2 == 0 ? next : j);
                memcpy(out_mesh->triangles[triangle++], (int[3]){inner + next, corner, inner + j},
                       sizeof(int[3]));
            }
        }
    }
    return ISO_OK;
}

static iso_status make_wave(iso_context* ctx, const options* o, iso_tri_mesh* out_mesh) {
    int strips = count_of(o, "sectors", 512);
    double amplitude = number_of(o, "amplitude", NAN), length = number_of(o, "wavelength", NAN);
    iso_status status = iso_tri_mesh_allocate(ctx, 2 * (strips + 1), 2 * strips, out_mesh);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0; i <= strips; ++i) {
        double x = length * ((double)i / strips - 0.5);
        double z = amplitude * (1.0 - cos(2.0 * ISO_PI * x / length));
        out_mesh->vertices[2 * i] = iso_vec3_make(x, -0.5, z);
        out_mesh->vertices[2 * i + 1] = iso_vec3_make(x, 0.5, z);
    }
    for (int i = 0; i < strips; ++i) {
        int k = 2 * i;
        memcpy(out_mesh->triangles[k], (int[3]){k, k + 1, k + 2}, sizeof(int[3]));
        memcpy(out_mesh->triangles[k + 1], (int[3]){k + 1, k + 3, k + 2}, sizeof(int[3]));
    }
    return ISO_OK;
}

static iso_status make_indenter(iso_context* ctx, const options* o, iso_contact_shape** out_shape) {
    iso_tri_mesh mesh = {0};
    const char* kind = text_of(o, "indenter", "cap");
    iso_status status = strcmp(kind, "wave") == 0
                            ? make_wave(ctx, o, &mesh)
                            : make_round(ctx, o, strcmp(kind, "punch") == 0, &mesh);
    if (status == ISO_OK) {
        iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
        desc.surface = &mesh;
        iso_contact_material material = iso_contact_material_default();
        material.compliance = ISO_COMPLIANCE_RIGID;
        status = iso_contact_shape_create(ctx, &desc, &material, out_shape);
    }
    iso_tri_mesh_destroy(ctx, &mesh);
    return status;
}

// The six tetrahedra of a box share its diagonal: one for each order of the axes.
static void fill_box(const int corner[8], int (*tets)[4]) {
    static const int k_first[6] = {1, 2, 4, 1, 2, 4}, k_second[6] = {3, 6, 5, 5, 3, 6};
    for (int i = 0; i < 6; ++i) {
        bool is_even = i < 3;
        tets[i][0] = corner[0];
        tets[i][1] = corner[is_even ? k_first[i] : k_second[i]];
        tets[i][2] = corner[is_even ? k_second[i] : k_first[i]];
        tets[i][3] = corner[7];
    }
}

static double pressure_at(const options* o, double depth) {
    double modulus = number_of(o, "modulus", 1.0), extent = depth / number_of(o, "thickness", 1.0);
    return strcmp(text_of(o, "law", "linear"), "log") == 0 ? -modulus * log1p(-extent)
                                                           : modulus * extent;
}

static iso_status make_tets(iso_context* ctx, const options* o, iso_contact_shape* out_shape) {
    int cells = count_of(o, "cells", 1), layers = count_of(o, "layers", 1), n = cells + 1;
    double half[2] = {number_of(o, "half_x", NAN), number_of(o, "half_y", NAN)};
    double deepest = number_of(o, "deepest", number_of(o, "thickness", 1.0));
    iso_tet_mesh mesh = {0};
    iso_status status =
        iso_tet_mesh_allocate(ctx, n * n * (layers + 1), 6 * cells * cells * layers, &mesh);
    if (status != ISO_OK) {
        return status;
    }
    double* pressures = iso_alloc_array(ctx, mesh.vertex_count, sizeof *pressures);
    if (!pressures) {
        iso_tet_mesh_destroy(ctx, &mesh);
        return ISO_ERR_MEMORY;
    }
    for (int v = 0; v < mesh.vertex_count; ++v) {
        int i = v % n, j = v / n % n, k = v / (n * n);
        double depth = deepest * (layers - k) / layers;
        mesh.vertices[v] = iso_vec3_make(half[0] * (2.0 * i / cells - 1.0),
                                         half[1] * (2.0 * j / cells - 1.0), -depth);
        pressures[v] = pressure_at(o, depth);
    }
    for (int box = 0; box < cells * cells * layers; ++box) {
        int i = box % cells, j = box / cells % cells, k = box / (cells * cells), corner[8];
        for (int c = 0; c < 8; ++c) {
            corner[c] = (i + (c & 1)) + n * (j + (c >> 1 & 1)) + n * n * (k + (c >> 2));
        }
        fill_box(corner, mesh.tets + 6 * box);
    }
    out_shape->is_closed = true;
    return iso_field_create(ctx, &mesh, pressures, &out_shape->field);
}

static void print_profile(const iso_patch* patch) {
    printf(", \"profile\": [");
    for (int i = 0; i < patch->vertex_count; ++i) {
        iso_vec3 v = patch->vertices[i];
        printf("%s[%.9g, %.9g, %.9g]", i > 0 ? ", " : "", v.x, v.y, patch->vertex_pressures[i]);
    }
    printf("]");
}

static void print_patch(const options* o, const iso_patch* patch, int tet_count, double seconds) {
    iso_vec3 force = {0}, reach = {0};
    for (int i = 0; i < patch->face_count; ++i) {
        force = iso_vec3_add(
            force, iso_vec3_scale(patch->normals[i], patch->areas[i] * patch->pressures[i]));
    }
    for (int i = 0; i < patch->vertex_count; ++i) {
        reach.x = fmax(reach.x, fabs(patch->vertices[i].x));
        reach.y = fmax(reach.y, fabs(patch->vertices[i].y));
    }
    printf("{\"force\": [%.17g, %.17g, %.17g], \"reach_x\": %.17g, \"reach_y\": %.17g, "
           "\"area\": %.17g, \"max_pressure\": %.17g, \"faces\": %d, \"tets\": %d, "
           "\"seconds\": %.6g",
           force.x, force.y, force.z, reach.x, reach.y, patch->area, patch->max_pressure,
           patch->face_count, tet_count, seconds);
    if (count_of(o, "profile", 0) != 0) {
        print_profile(patch);
    }
    printf("}\n");
}

// The layer is A, the indenter B above it: normals point up, the force is that on the indenter.
static iso_status query(iso_context* ctx, const options* o, const iso_contact_shape* layer,
                        const iso_contact_shape* indenter) {
    iso_arena arena;
    iso_status status = iso_arena_init(&arena, ctx, (size_t)1 << 20);
    if (status != ISO_OK) {
        return status;
    }
    iso_contact_options choices = iso_contact_options_default();
    iso_pose ground = iso_pose_identity();
    iso_pose pose =
        iso_pose_make(iso_mat3_identity(), iso_vec3_make(0.0, 0.0, -number_of(o, "depth", NAN)));
    iso_patch patch = {0};
    double best = INFINITY;
    int repeats = count_of(o, "repeats", 1);
    for (int i = 0; i < repeats && status == ISO_OK; ++i) {
        status = iso_arena_reset(&arena);
        double start = now();
        if (status == ISO_OK) {
            status = iso_pair_query(&arena, layer, &ground, indenter, &pose, &choices, &patch);
        }
        best = fmin(best, now() - start);
    }
    if (status == ISO_OK) {
        print_patch(o, &patch, layer->field ? layer->field->mesh.tet_count : 0, best);
    }
    iso_arena_destroy(&arena);
    return status;
}

static iso_status run(iso_context* ctx, const options* o) {
    iso_contact_shape *indenter = NULL, *layer = NULL;
    iso_contact_shape meshed = {0};
    bool is_meshed = strcmp(text_of(o, "layer", "tets"), "half_space") != 0;
    iso_status status = make_indenter(ctx, o, &indenter);
    if (status == ISO_OK && is_meshed) {
        status = make_tets(ctx, o, &meshed);
    } else if (status == ISO_OK) {
        iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
        iso_contact_material material = iso_contact_material_default();
        material.compliance = ISO_COMPLIANCE_COMPLIANT;
        material.modulus = number_of(o, "modulus", 1.0);
        material.slab_thickness = number_of(o, "thickness", 1.0);
        status = iso_contact_shape_create(ctx, &desc, &material, &layer);
    }
    if (status == ISO_OK) {
        status = query(ctx, o, is_meshed ? &meshed : layer, indenter);
    }
    iso_field_destroy(ctx, meshed.field);
    iso_contact_shape_destroy(ctx, layer);
    iso_contact_shape_destroy(ctx, indenter);
    return status;
}

int main(int argc, char** argv) {
    options o = {argc, argv};
    iso_context* ctx = NULL;
    iso_status status = iso_context_create(NULL, &ctx);
    if (status == ISO_OK) {
        status = run(ctx, &o);
    }
    if (status != ISO_OK) {
        fprintf(stderr, "validate_layer: %s\n", iso_context_error(ctx));
    }
    iso_context_destroy(ctx);
    return status == ISO_OK ? 0 : 1;
}
