// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/hull.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/fail.h"
#include "geometry/mesh.h"

#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int corners[3];

// Triangles by index into the points.
typedef struct hull_builder {
    ISO_ARRAY(corners) triangles;
} hull_builder;

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
        for (int k = 0; k < 3 && status == ISO_OK; ++k) {
            builder->triangles.data[builder->triangles.count][k] =
                qh_pointid(qh, SETelemt_(vertices, at[k], vertexT)->point);
        }
        builder->triangles.count += status == ISO_OK;
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
static int call_qhull(iso_context* ctx, qhT* qh, double* coordinates, int point_count,
                      FILE* messages, hull_builder* builder, iso_status* out_status) {
    char options[] = "qhull";
    *out_status = ISO_OK;
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

static iso_status run_qhull(iso_context* ctx, double* coordinates, int point_count,
                            hull_builder* builder) {
    char* message = NULL;
    size_t message_size = 0;
    iso_status status = ISO_OK;
    qhT* qh = iso_alloc_zeroed(ctx, sizeof *qh);
    FILE* messages = open_memstream(&message, &message_size);
    ISO_CHECK(ctx, qh && messages, ISO_ERR_MEMORY, "hull of %d points", point_count);
    int code = call_qhull(ctx, qh, coordinates, point_count, messages, builder, &status);
    fclose(messages);
    messages = NULL;
    if (code != qh_ERRnone) {
        message[strcspn(message, "\n")] = '\0'; // what follows explains at length
        ISO_CHECK(ctx, code == qh_ERRmem, ISO_ERR_GEOMETRY,
                  "no convex hull of %d points: are they all in one plane? (%s)", point_count,
                  message);
        status = iso_fail(ctx, ISO_ERR_MEMORY, __func__, "hull of %d points", point_count);
    }

done:
    if (messages) {
        fclose(messages);
    }
    free(message);
    iso_free(ctx, qh);
    return status;
}

// Keep the points that triangles use, in their order.
static iso_status build_mesh(iso_context* ctx, const iso_vec3* points, int point_count,
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
                out_hull->vertices[new_index[i]] = points[i];
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
    ISO_TRY(build_mesh(ctx, points, point_count, &builder, out_hull));

done:
    iso_free(ctx, coordinates);
    ISO_ARRAY_FREE(ctx, &builder.triangles);
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
