// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/array.h"
#include "geometry/mesh/mesh.h"
#include "geometry/tetrahedra/tet_split.h"

#include <limits.h>
#include <string.h>

// Every tetrahedron is cut into slabs, slab j between levels j - 1 and j. A slab is convex and its
// corners lie on the old edges; it becomes the cone of its faces from its corner of lowest index, a
// face the fan from its own, so that all who share a face agree on it without being asked.
//
// The rank of a value is its place among the levels: 2 k + 1 on level k, 2 k below it and above
// level k - 1. Slab j holds the ranks 2 j - 1 to 2 j + 1.

typedef struct corners {
    int v[4];
} corners;

typedef struct slicer {
    iso_context* ctx;
    const double* levels;
    int level_count;
    int* ranks;          // [vertex_count] of the old vertices
    iso_tet_edges edges; // of the old mesh
    int* first_vertex;   // [edges.count] on the lowest level that cuts the edge
    ISO_ARRAY(corners) tets;
} slicer;

// A face of a slab: of a triangle at most five corners are left between two levels.
typedef struct slab_face {
    int count;
    int v[6];
} slab_face;

typedef struct slab {
    int face_count;
    slab_face faces[6];
} slab;

static int rank_of(const slicer* s, double value, double tolerance) {
    int k = 0;
    while (k < s->level_count && value > s->levels[k] + tolerance) {
        ++k;
    }
    bool is_on = k < s->level_count && value >= s->levels[k] - tolerance;
    return is_on ? 2 * k + 1 : 2 * k;
}

// Levels strictly between two ranks: first .. last, none when last < first.
static int first_level(int low_rank) {
    return (low_rank + 1) / 2;
}

static int last_level(int high_rank) {
    return high_rank / 2 - 1;
}

// Vertex where an edge of the old mesh meets a level; -1 when it does not.
static int cut_of(slicer* s, int a, int b, int level) {
    int ra = s->ranks[a], rb = s->ranks[b];
    int low = ra < rb ? ra : rb, high = ra < rb ? rb : ra;
    if (level < first_level(low) || level > last_level(high)) {
        return -1;
    }
    int edge = *iso_pair_table_at(&s->edges.table, a, b, -1);
    return s->first_vertex[edge] + level - first_level(low);
}

static void append_point(slab_face* face, int vertex) {
    if (vertex >= 0) {
        face->v[face->count++] = vertex;
    }
}

// The part of a triangle of the old mesh in slab j, in the order of its corners.
static slab_face clip_triangle(slicer* s, const int triangle[3], int j) {
    slab_face face = {0};
    for (int i = 0; i < 3; ++i) {
        int a = triangle[i], b = triangle[(i + 1) % 3];
        bool rises = s->ranks[a] < s->ranks[b];
        if (s->ranks[a] >= 2 * j - 1 && s->ranks[a] <= 2 * j + 1) {
            append_point(&face, a);
        }
        append_point(&face, cut_of(s, a, b, rises ? j - 1 : j));
        append_point(&face, cut_of(s, a, b, rises ? j : j - 1));
    }
    return face;
}

// The section of a tetrahedron at a level that has corners on both sides.
static slab_face cross_section(slicer* s, const int* tet, int level) {
    slab_face face = {0};
    int below[4], above[4], below_count = 0, above_count = 0;
    for (int i = 0; i < 4; ++i) {
        int rank = s->ranks[tet[i]];
        if (rank < 2 * level + 1) {
            below[below_count++] = tet[i];
        } else if (rank > 2 * level + 1) {
            above[above_count++] = tet[i];
        }
    }
    if (below_count == 0 || above_count == 0) {
        return face;
    }
    for (int i = 0; i < 4; ++i) {
        if (s->ranks[tet[i]] == 2 * level + 1) {
            append_point(&face, tet[i]);
        }
    }
    for (int i = 0; i < below_count; ++i) {
        for (int k = 0; k < above_count; ++k) {
            // The second row runs back, which makes two by two points a ring.
            int back = i == 1 ? above_count - 1 - k : k;
            append_point(&face, cut_of(s, below[i], above[back], level));
        }
    }
    return face;
}

static void append_face(slab* out, slab_face face) {
    if (face.count >= 3) {
        out->faces[out->face_count++] = face;
    }
}

static int lowest_of(const slab_face* face) {
    int lowest = 0;
    for (int i = 1; i < face->count; ++i) {
        lowest = face->v[i] < face->v[lowest] ? i : lowest;
    }
    return lowest;
}

static iso_status append_tet(slicer* s, corners tet) {
    iso_status status = ISO_ARRAY_GROW(s->ctx, &s->tets);
    if (status == ISO_OK) {
        s->tets.data[s->tets.count++] = tet;
    }
    return status;
}

static iso_status append_cone(slicer* s, const iso_tet_mesh* mesh, const slab* cut) {
    int apex = INT_MAX;
    for (int f = 0; f < cut->face_count; ++f) {
        int lowest = cut->faces[f].v[lowest_of(&cut->faces[f])];
        apex = lowest < apex ? lowest : apex;
    }
    iso_status status = ISO_OK;
    for (int f = 0; f < cut->face_count; ++f) {
        const slab_face* face = &cut->faces[f];
        int at = lowest_of(face);
        bool has_apex = face->v[at] == apex;
        for (int i = 1; i + 1 < face->count && !has_apex && status == ISO_OK; ++i) {
            corners t = {{apex, face->v[at], face->v[(at + i) % face->count],
                          face->v[(at + i + 1) % face->count]}};
            const iso_vec3* x = mesh->vertices;
            if (iso_tet_signed_volume(x[t.v[0]], x[t.v[1]], x[t.v[2]], x[t.v[3]]) < 0.0) {
                t.v[2] = face->v[(at + i + 1) % face->count];
                t.v[3] = face->v[(at + i) % face->count];
            }
            status = append_tet(s, t);
        }
    }
    return status;
}

static iso_status slice_tet(slicer* s, const iso_tet_mesh* mesh, const int* tet) {
    int low = INT_MAX, high = 0;
    for (int i = 0; i < 4; ++i) {
        int rank = s->ranks[tet[i]];
        low = rank < low ? rank : low;
        high = rank > high ? rank : high;
    }
    int first = (low + 1) / 2, last = high / 2; // slabs
    if (last <= first) {
        return append_tet(s, (corners){{tet[0], tet[1], tet[2], tet[3]}});
    }
    iso_status status = ISO_OK;
    for (int j = first; j <= last && status == ISO_OK; ++j) {
        slab cut = {0};
        for (int f = 0; f < 4; ++f) {
            const int* k = k_tet_faces[f];
            append_face(&cut, clip_triangle(s, (int[3]){tet[k[0]], tet[k[1]], tet[k[2]]}, j));
        }
        append_face(&cut, cross_section(s, tet, j - 1));
        append_face(&cut, cross_section(s, tet, j));
        status = append_cone(s, mesh, &cut);
    }
    return status;
}

// Vertices of all cuts, edge by edge, level by level.
static iso_status place_cuts(slicer* s, iso_tet_mesh* mesh, iso_nodal_arrays* arrays) {
    int64_t next = mesh->vertex_count;
    for (int e = 0; e < s->edges.count; ++e) {
        int ra = s->ranks[s->edges.ends[e][0]], rb = s->ranks[s->edges.ends[e][1]];
        int cut_count = last_level(ra < rb ? rb : ra) - first_level(ra < rb ? ra : rb) + 1;
        s->first_vertex[e] = (int)next;
        next += cut_count > 0 ? cut_count : 0;
        ISO_REQUIRE(s->ctx, next <= INT_MAX, ISO_ERR_RANGE, "more than %d vertices of cuts",
                    INT_MAX);
    }
    iso_status status =
        iso_tet_mesh_add_vertices(s->ctx, mesh, arrays, (int)next - mesh->vertex_count);
    for (int e = 0; e < s->edges.count && status == ISO_OK; ++e) {
        int a = s->edges.ends[e][0], b = s->edges.ends[e][1];
        int ra = s->ranks[a], rb = s->ranks[b];
        double va = arrays->values[0][a], vb = arrays->values[0][b];
        int first = first_level(ra < rb ? ra : rb), last = last_level(ra < rb ? rb : ra);
        for (int k = first; k <= last; ++k) {
            int at = s->first_vertex[e] + k - first;
            double share = (s->levels[k] - va) / (vb - va);
            mesh->vertices[at] = iso_vec3_add_scaled(
                mesh->vertices[a], iso_vec3_sub(mesh->vertices[b], mesh->vertices[a]), share);
            for (int i = 1; i < arrays->count; ++i) {
                double* values = arrays->values[i];
                if (values) {
                    values[at] = values[a] + share * (values[b] - values[a]);
                }
            }
            arrays->values[0][at] = s->levels[k];
        }
    }
    return status;
}

static iso_status check_levels(iso_context* ctx, const double* levels, int level_count,
                               double tolerance) {
    ISO_REQUIRE(ctx, tolerance >= 0.0, ISO_ERR_ARGUMENT, "tolerance of levels is %g, expected >= 0",
                tolerance);
    for (int i = 1; i < level_count; ++i) {
        ISO_REQUIRE(ctx, levels[i] - levels[i - 1] > 2.0 * tolerance, ISO_ERR_ARGUMENT,
                    "level %d is %g after %g, expected ascending with gaps above %g", i, levels[i],
                    levels[i - 1], 2.0 * tolerance);
    }
    return ISO_OK;
}

static iso_status replace_tets(slicer* s, iso_tet_mesh* mesh) {
    int(*tets)[4] = iso_alloc_array(s->ctx, s->tets.count, sizeof *tets);
    ISO_REQUIRE(s->ctx, tets, ISO_ERR_MEMORY, "%d tetrahedra", s->tets.count);
    memcpy(tets, s->tets.data, (size_t)s->tets.count * sizeof *tets);
    iso_free(s->ctx, mesh->tets);
    mesh->tets = tets;
    mesh->tet_count = s->tets.count;
    return ISO_OK;
}

iso_status iso_tet_mesh_slice(iso_context* ctx, iso_tet_mesh* mesh, iso_nodal_arrays* arrays,
                              const double* levels, int level_count, double tolerance) {
    iso_status status = check_levels(ctx, levels, level_count, tolerance);
    if (status != ISO_OK) {
        return status;
    }
    slicer s = {.ctx = ctx, .levels = levels, .level_count = level_count};
    ISO_TRY(iso_tet_edges_create(ctx, mesh, &s.edges));
    s.ranks = iso_alloc_array(ctx, mesh->vertex_count, sizeof *s.ranks);
    s.first_vertex = iso_alloc_array(ctx, s.edges.count, sizeof *s.first_vertex);
    ISO_CHECK(ctx, s.ranks && s.first_vertex, ISO_ERR_MEMORY, "ranks of %d vertices",
              mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        s.ranks[i] = rank_of(&s, arrays->values[0][i], tolerance);
    }
    ISO_TRY(place_cuts(&s, mesh, arrays));
    for (int i = 0; i < mesh->tet_count; ++i) {
        ISO_TRY(slice_tet(&s, mesh, mesh->tets[i]));
    }
    ISO_TRY(replace_tets(&s, mesh));

done:
    iso_tet_edges_destroy(ctx, &s.edges);
    iso_free(ctx, s.ranks);
    iso_free(ctx, s.first_vertex);
    ISO_ARRAY_FREE(ctx, &s.tets);
    return status;
}
