// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/search/hull.h"

#include "base/core/alloc.h"
#include "base/core/array.h"
#include "base/core/fail.h"
#include "base/system/stream.h"
#include "geometry/mesh/mesh.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int corners[3];

// Facets that fold over are tried to be mended this often.
#define MENDING_ROUNDS 8

// Triangles by index into the points.
typedef struct hull_builder {
    ISO_ARRAY(corners) triangles;
    ISO_ARRAY(corners) folded; // those that face inward
} hull_builder;

static iso_vec3 position(const double* coordinates, int point) {
    const double* p = coordinates + 3 * (size_t)point;
    return iso_vec3_make(p[0], p[1], p[2]);
}

static iso_status note_fold(iso_context* ctx, hull_builder* builder, const qhT* qh,
                            const facetT* facet, const int* t) {
    iso_vec3 area =
        iso_triangle_area_vector(position(qh->first_point, t[0]), position(qh->first_point, t[1]),
                                 position(qh->first_point, t[2]));
    if (iso_vec3_dot(area, position(facet->normal, 0)) > 0.0) {
        return ISO_OK;
    }
    iso_status status = ISO_ARRAY_GROW(ctx, &builder->folded);
    if (status == ISO_OK) {
        memcpy(builder->folded.data[builder->folded.count++], t, sizeof(corners));
    }
    return status;
}

static iso_status add_fan(iso_context* ctx, hull_builder* builder, qhT* qh, facetT* facet) {
    setT* vertices = qh_facet3vertex(qh, facet); // clockwise from outside
    int count = qh_setsize(qh, vertices);
    iso_status status = ISO_OK;
    int first = 0;
    for (int i = 0; i < count; ++i) {
        int id = qh_pointid(qh, SETelemt_(vertices, i, vertexT)->point);
        int first_id = qh_pointid(qh, SETelemt_(vertices, first, vertexT)->point);
        first = id < first_id ? i : first;
    }
    for (int i = 1; i + 1 < count && status == ISO_OK; ++i) {
        int at[3] = {first, (first + i + 1) % count, (first + i) % count};
        status = ISO_ARRAY_GROW(ctx, &builder->triangles);
        if (status == ISO_OK) {
            int* t = builder->triangles.data[builder->triangles.count++];
            for (int k = 0; k < 3; ++k) {
                t[k] = qh_pointid(qh, SETelemt_(vertices, at[k], vertexT)->point);
            }
            status = note_fold(ctx, builder, qh, facet, t);
        }
    }
    qh_settempfree(qh, &vertices);
    return status;
}

static iso_status add_facets(iso_context* ctx, hull_builder* builder, qhT* qh) {
    iso_status status = ISO_OK;
    for (facetT* f = qh->facet_list; f && f->next && status == ISO_OK; f = f->next) {
        status = add_fan(ctx, builder, qh, f);
    }
    return status;
}

// Run qhull (it has memory of its own) and collect the facets. Returns its exit code.
static int call_qhull(iso_context* ctx, qhT* qh, char* options, double* coordinates,
                      int point_count, FILE* messages, hull_builder* builder,
                      iso_status* out_status) {
    *out_status = ISO_OK;
    builder->triangles.count = builder->folded.count = 0;
    qh_zero(qh, messages);
    int code = qh_new_qhull(qh, 3, point_count, coordinates, False, options, NULL, messages);
    if (code == qh_ERRnone) {
        code = setjmp(qh->errexit); // where qhull jumps when the calls below fail
        if (code == qh_ERRnone) {
            qh->NOerrexit = False;
            *out_status = add_facets(ctx, builder, qh);
        }
    }
    qh->NOerrexit = True;
    int long_count = 0, long_bytes = 0;
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &long_count, &long_bytes);
    return code;
}

// A triangle that still faces inward is a sliver of rounding: the corner beside its longest edge
// moves to the nearer end of that.
static void flatten(const hull_builder* builder, double* coordinates) {
    for (int i = 0; i < builder->folded.count; ++i) {
        const int* t = builder->folded.data[i];
        double lengths[3]; // of the edge opposite to each corner
        for (int k = 0; k < 3; ++k) {
            lengths[k] = iso_vec3_norm(iso_vec3_sub(position(coordinates, t[(k + 1) % 3]),
                                                    position(coordinates, t[(k + 2) % 3])));
        }
        int corner = lengths[0] >= lengths[1] && lengths[0] >= lengths[2] ? 0
                     : lengths[1] >= lengths[2]                           ? 1
                                                                          : 2;
        int a = (corner + 1) % 3, b = (corner + 2) % 3;
        int end = lengths[b] <= lengths[a] ? a : b;
        memcpy(coordinates + 3 * (size_t)t[corner], coordinates + 3 * (size_t)t[end],
               3 * sizeof *coordinates);
    }
}

static iso_status run_qhull(iso_context* ctx, double* coordinates, int point_count,
                            hull_builder* builder) {
    iso_status status = ISO_OK;
    qhT* qh = iso_alloc_zeroed(ctx, sizeof *qh);
    iso_stream messages = {0};
    ISO_CHECK(ctx, qh && iso_stream_open(&messages), ISO_ERR_MEMORY, "hull of %d points",
              point_count);
    char fans[] = "qhull", triangles[] = "qhull Qt";
    int code = call_qhull(ctx, qh, fans, coordinates, point_count, messages.file, builder, &status);
    // The ring of a facet that qhull merged need not be convex. It triangulates such facets itself.
    for (int i = 0;
         code == qh_ERRnone && status == ISO_OK && builder->folded.count > 0 && i < MENDING_ROUNDS;
         ++i) {
        if (i > 0) {
            flatten(builder, coordinates);
        }
        code = call_qhull(ctx, qh, triangles, coordinates, point_count, messages.file, builder,
                          &status);
    }
    bool is_told = iso_stream_close(&messages);
    if (code != qh_ERRnone) {
        ISO_CHECK(ctx, is_told, ISO_ERR_MEMORY, "hull of %d points", point_count);
        char* message = messages.text;
        message[strcspn(message, "\n")] = '\0'; // what follows explains at length
        ISO_CHECK(ctx, code == qh_ERRmem || !strstr(message, "QH6154"), ISO_ERR_GEOMETRY,
                  "no convex hull of %d points: are they all in one plane?", point_count);
        ISO_CHECK(ctx, code == qh_ERRmem, ISO_ERR_GEOMETRY, "no convex hull of %d points: %s",
                  point_count, message);
        status = iso_fail(ctx, ISO_ERR_MEMORY, __func__, "hull of %d points", point_count);
    }

done:
    iso_stream_free(&messages);
    iso_free(ctx, qh);
    return status;
}

// Keep the points that triangles use, in their order.
static iso_status build_mesh(iso_context* ctx, const double* coordinates, int point_count,
                             const hull_builder* builder, iso_tri_mesh* out_hull) {
    int* new_index = iso_alloc_array(ctx, point_count, sizeof *new_index);
    ISO_REQUIRE(ctx, new_index, ISO_ERR_MEMORY, "hull of %d points", point_count);
    int triangle_count = builder->triangles.count;
    for (int i = 0; i < 3 * triangle_count; ++i) {
        new_index[builder->triangles.data[i / 3][i % 3]] = 1;
    }
    int vertex_count = 0;
    for (int i = 0; i < point_count; ++i) {
        new_index[i] = new_index[i] ? vertex_count++ : -1;
    }
    iso_status status = iso_tri_mesh_allocate(ctx, vertex_count, triangle_count, out_hull);
    if (status == ISO_OK) {
        for (int i = 0; i < point_count; ++i) {
            if (new_index[i] >= 0) {
                out_hull->vertices[new_index[i]] = position(coordinates, i);
            }
        }
        for (int i = 0; i < 3 * triangle_count; ++i) {
            out_hull->triangles[i / 3][i % 3] = new_index[builder->triangles.data[i / 3][i % 3]];
        }
    }
    iso_free(ctx, new_index);
    return status;
}

iso_status iso_hull_create(iso_context* ctx, const iso_vec3* points, int point_count,
                           iso_tri_mesh* out_hull) {
    *out_hull = (iso_tri_mesh){0};
    ISO_REQUIRE(ctx, point_count >= 4, ISO_ERR_GEOMETRY,
                "a convex hull of %d points, expected at least 4", point_count);
    hull_builder builder = {0};
    double* coordinates = iso_alloc_array(ctx, point_count, 3 * sizeof *coordinates);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, coordinates, ISO_ERR_MEMORY, "hull of %d points", point_count);
    for (int i = 0; i < point_count; ++i) {
        ISO_CHECK(ctx, iso_vec3_is_finite(points[i]), ISO_ERR_RANGE,
                  "point %d of a hull is (%g, %g, %g), expected finite coordinates", i, points[i].x,
                  points[i].y, points[i].z);
        for (int k = 0; k < 3; ++k) {
            coordinates[3 * i + k] = iso_vec3_get(points[i], k);
        }
    }
    ISO_TRY(run_qhull(ctx, coordinates, point_count, &builder));
    ISO_TRY(build_mesh(ctx, coordinates, point_count, &builder, out_hull));

done:
    iso_free(ctx, coordinates);
    ISO_ARRAY_FREE(ctx, &builder.triangles);
    ISO_ARRAY_FREE(ctx, &builder.folded);
    return status;
}

iso_status iso_hull_tetrahedra(iso_context* ctx, const iso_tri_mesh* hull, iso_tet_mesh* out_mesh,
                               double** out_extents) {
    *out_mesh = (iso_tet_mesh){0};
    *out_extents = NULL;
    iso_mass_properties mass;
    iso_status status = iso_tri_mesh_mass_properties(ctx, hull, &mass);
    if (status != ISO_OK) {
        return status;
    }
    int centre = hull->vertex_count;
    ISO_TRY(iso_tet_mesh_allocate(ctx, centre + 1, hull->triangle_count, out_mesh));
    *out_extents = iso_alloc_array(ctx, centre + 1, sizeof **out_extents);
    ISO_CHECK(ctx, *out_extents, ISO_ERR_MEMORY, "extents of %d vertices", centre + 1);
    memcpy(out_mesh->vertices, hull->vertices, (size_t)centre * sizeof *hull->vertices);
    out_mesh->vertices[centre] = mass.center_of_mass;
    (*out_extents)[centre] = 1.0;
    for (int i = 0; i < hull->triangle_count; ++i) {
        const int* t = hull->triangles[i];
        int tet[4] = {t[0], t[2], t[1], centre};
        memcpy(out_mesh->tets[i], tet, sizeof tet);
    }

done:
    if (status != ISO_OK) {
        iso_tet_mesh_destroy(ctx, out_mesh);
    }
    return status;
}
