// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/tetrahedra/tet_repair.h"

#include "base/core/array.h"
#include "base/core/log.h"
#include "geometry/mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

// A volume below this part of the product of three edges is rounding of zero.
#define FLAT_TOLERANCE 1e-15
// Areas agree within this part.
#define AREA_TOLERANCE 1e-9

enum { KEPT, REMOVED, FLAT };

typedef struct cleaner {
    iso_context* ctx;
    const char* name; // with ": " already, or ""
    const char* separator;
    iso_tet_mesh* mesh;
    unsigned char* fate; // [tet_count]
    iso_tet_repair_report report;
} cleaner;

static iso_status check_finite(const cleaner* c) {
    for (int i = 0; i < c->mesh->vertex_count; ++i) {
        iso_vec3 v = c->mesh->vertices[i];
        ISO_REQUIRE(c->ctx, iso_vec3_is_finite(v), ISO_ERR_RANGE,
                    "%s%svertex %d is (%g, %g, %g), expected finite coordinates", c->name,
                    c->separator, i, v.x, v.y, v.z);
    }
    for (int i = 0; i < c->mesh->tet_count; ++i) {
        for (int corner = 0; corner < 4; ++corner) {
            int v = c->mesh->tets[i][corner];
            ISO_REQUIRE(c->ctx, v >= 0 && v < c->mesh->vertex_count, ISO_ERR_RANGE,
                        "%s%stetrahedron %d names vertex %d, expected 0 to %d", c->name,
                        c->separator, i, v, c->mesh->vertex_count - 1);
        }
    }
    return ISO_OK;
}

static bool names_a_vertex_twice(const int* v) {
    return v[0] == v[1] || v[0] == v[2] || v[0] == v[3] || v[1] == v[2] || v[1] == v[3] ||
           v[2] == v[3];
}

// Turn, and mark those without volume.
static void judge_volumes(cleaner* c) {
    for (int i = 0; i < c->mesh->tet_count; ++i) {
        int* v = c->mesh->tets[i];
        if (names_a_vertex_twice(v)) {
            c->fate[i] = REMOVED;
            ++c->report.degenerate_count;
            continue;
        }
        iso_vec3 origin = c->mesh->vertices[v[0]];
        double edges = 1.0;
        for (int k = 1; k < 4; ++k) {
            edges *= iso_vec3_norm(iso_vec3_sub(c->mesh->vertices[v[k]], origin));
        }
        double six_volume = 6.0 * iso_tet_mesh_tet_volume(c->mesh, i);
        if (fabs(six_volume) <= FLAT_TOLERANCE * edges) {
            c->fate[i] = FLAT;
        } else if (six_volume < 0.0) {
            int swap = v[2];
            v[2] = v[3];
            v[3] = swap;
            ++c->report.turned_count;
        }
    }
}

// Indices in ascending order with the element they come from.
typedef struct sorted_indices {
    int v[4]; // faces: v[3] is -1
    int owner;
} sorted_indices;

static int compare_sorted(const void* a, const void* b) {
    const sorted_indices *s = a, *t = b;
    for (int i = 0; i < 4; ++i) {
        if (s->v[i] != t->v[i]) {
            return s->v[i] < t->v[i] ? -1 : 1;
        }
    }
    return (s->owner > t->owner) - (s->owner < t->owner);
}

static bool is_same(const sorted_indices* a, const sorted_indices* b) {
    return memcmp(a->v, b->v, sizeof a->v) == 0;
}

static sorted_indices sort_indices(const int* v, int count, int owner) {
    sorted_indices s = {{v[0], v[1], v[2], count == 4 ? v[3] : -1}, owner};
    for (int i = 1; i < count; ++i) {
        for (int j = i; j > 0 && s.v[j - 1] > s.v[j]; --j) {
            int swap = s.v[j];
            s.v[j] = s.v[j - 1];
            s.v[j - 1] = swap;
        }
    }
    return s;
}

static iso_status remove_duplicates(cleaner* c) {
    int count = c->mesh->tet_count;
    sorted_indices* sorted = iso_alloc_array(c->ctx, count, sizeof *sorted);
    ISO_REQUIRE(c->ctx, sorted, ISO_ERR_MEMORY, "order of %d tetrahedra", count);
    for (int i = 0; i < count; ++i) {
        sorted[i] = sort_indices(c->mesh->tets[i], 4, i);
    }
    qsort(sorted, (size_t)count, sizeof *sorted, compare_sorted);
    for (int i = 1; i < count; ++i) {
        // The first of equal ones stays; those marked before are counted already.
        if (is_same(&sorted[i], &sorted[i - 1]) && c->fate[sorted[i].owner] != REMOVED) {
            c->fate[sorted[i].owner] = REMOVED;
            ++c->report.duplicate_count;
        }
    }
    iso_free(c->ctx, sorted);
    return ISO_OK;
}

// Faces of everything not removed yet: how many tetrahedra each belongs to.
typedef struct face_counts {
    int* face_index; // [4 tet_count] distinct face of each side
    int* counts;     // [distinct faces]
} face_counts;

static void face_of(const iso_tet_mesh* mesh, int side, int out_vertices[3]) {
    for (int k = 0; k < 3; ++k) {
        out_vertices[k] = mesh->tets[side / 4][k_tet_faces[side % 4][k]];
    }
}

static iso_status count_faces(cleaner* c, face_counts* faces) {
    int side_count = 4 * c->mesh->tet_count;
    sorted_indices* sorted = iso_alloc_array(c->ctx, side_count, sizeof *sorted);
    faces->face_index = iso_alloc_array(c->ctx, side_count, sizeof *faces->face_index);
    faces->counts = iso_alloc_array(c->ctx, side_count, sizeof *faces->counts);
    iso_status status = ISO_OK;
    ISO_CHECK(c->ctx, sorted && faces->face_index && faces->counts, ISO_ERR_MEMORY,
              "faces of %d tetrahedra", c->mesh->tet_count);
    for (int side = 0; side < side_count; ++side) {
        int v[3];
        face_of(c->mesh, side, v);
        sorted[side] = sort_indices(v, 3, side);
    }
    qsort(sorted, (size_t)side_count, sizeof *sorted, compare_sorted);
    int distinct = -1;
    for (int i = 0; i < side_count; ++i) {
        distinct += i == 0 || !is_same(&sorted[i], &sorted[i - 1]);
        faces->face_index[sorted[i].owner] = distinct;
        faces->counts[distinct] += c->fate[sorted[i].owner / 4] != REMOVED;
    }

done:
    iso_free(c->ctx, sorted);
    return status;
}

// A flat tetrahedron covers one polygon twice: with its faces on the skin and with the others.
// Where all of the former look to one side, taking it away leaves the same skin.
static bool can_peel(const cleaner* c, const face_counts* faces, int tet) {
    iso_vec3 sums[2] = {iso_vec3_zero(), iso_vec3_zero()};
    double areas[2] = {0.0, 0.0};
    int skin_faces = 0;
    for (int f = 0; f < 4; ++f) {
        int v[3];
        face_of(c->mesh, 4 * tet + f, v);
        const iso_vec3* x = c->mesh->vertices;
        iso_vec3 area = iso_triangle_area_vector(x[v[0]], x[v[1]], x[v[2]]);
        bool is_skin = faces->counts[faces->face_index[4 * tet + f]] == 1;
        skin_faces += is_skin;
        sums[is_skin] = iso_vec3_add(sums[is_skin], area);
        areas[is_skin] += iso_vec3_norm(area);
    }
    if (skin_faces == 0 || skin_faces == 4) {
        return skin_faces == 4;
    }
    for (int k = 0; k < 2; ++k) {
        if (iso_vec3_norm(sums[k]) < (1.0 - AREA_TOLERANCE) * areas[k]) {
            return false;
        }
    }
    return true;
}

// Take flat tetrahedra off the skin, layer by layer.
static iso_status peel_flat(cleaner* c) {
    face_counts faces = {0};
    int left = 0;
    for (int i = 0; i < c->mesh->tet_count; ++i) {
        left += c->fate[i] == FLAT;
    }
    if (left == 0) {
        return ISO_OK;
    }
    iso_status status = count_faces(c, &faces);
    for (bool is_moving = status == ISO_OK; is_moving && left > 0;) {
        is_moving = false;
        for (int i = 0; i < c->mesh->tet_count; ++i) {
            if (c->fate[i] == FLAT && can_peel(c, &faces, i)) {
                for (int f = 0; f < 4; ++f) {
                    --faces.counts[faces.face_index[4 * i + f]];
                }
                c->fate[i] = REMOVED;
                ++c->report.degenerate_count;
                --left;
                is_moving = true;
            }
        }
    }
    for (int i = 0; i < c->mesh->tet_count && status == ISO_OK; ++i) {
        const int* v = c->mesh->tets[i];
        ISO_CHECK(c->ctx, c->fate[i] != FLAT, ISO_ERR_GEOMETRY,
                  "%s%stetrahedron %d (vertices %d %d %d %d) has volume %g m^3 and lies inside, "
                  "expected > 0: removing it would tear the mesh; mesh the surface again",
                  c->name, c->separator, i, v[0], v[1], v[2], v[3],
                  iso_tet_mesh_tet_volume(c->mesh, i));
    }

done:
    iso_free(c->ctx, faces.face_index);
    iso_free(c->ctx, faces.counts);
    return status;
}

static void drop_tets(cleaner* c) {
    int kept = 0;
    for (int i = 0; i < c->mesh->tet_count; ++i) {
        if (c->fate[i] == KEPT) {
            memmove(c->mesh->tets[kept++], c->mesh->tets[i], sizeof c->mesh->tets[i]);
        }
    }
    c->mesh->tet_count = kept;
}

static iso_status drop_unused_vertices(cleaner* c, iso_nodal_arrays* arrays) {
    iso_tet_mesh* mesh = c->mesh;
    int* index = iso_alloc_array(c->ctx, mesh->vertex_count, sizeof *index);
    ISO_REQUIRE(c->ctx, index, ISO_ERR_MEMORY, "indices of %d vertices", mesh->vertex_count);
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        index[mesh->tets[i / 4][i % 4]] = 1;
    }
    int used = 0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        if (index[i] == 0) {
            continue;
        }
        for (int k = 0; arrays && k < arrays->count; ++k) {
            if (arrays->values[k]) {
                arrays->values[k][used] = arrays->values[k][i];
            }
        }
        mesh->vertices[used] = mesh->vertices[i];
        index[i] = used++;
    }
    c->report.unused_vertex_count = mesh->vertex_count - used;
    mesh->vertex_count = used;
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        mesh->tets[i / 4][i % 4] = index[mesh->tets[i / 4][i % 4]];
    }
    iso_free(c->ctx, index);
    return ISO_OK;
}

static void log_cleaning(const cleaner* c) {
    const iso_tet_repair_report* r = &c->report;
    if (r->turned_count > 0) {
        iso_log(c->ctx, ISO_LOG_WARNING, "%s%s%d tetrahedr%s of negative volume turned", c->name,
                c->separator, r->turned_count, r->turned_count == 1 ? "on" : "a");
    }
    if (r->degenerate_count > 0) {
        iso_log(c->ctx, ISO_LOG_WARNING, "%s%s%d tetrahedr%s without volume removed", c->name,
                c->separator, r->degenerate_count, r->degenerate_count == 1 ? "on" : "a");
    }
    if (r->duplicate_count > 0) {
        iso_log(c->ctx, ISO_LOG_WARNING, "%s%s%d repeated tetrahedr%s removed", c->name,
                c->separator, r->duplicate_count, r->duplicate_count == 1 ? "on" : "a");
    }
    if (r->unused_vertex_count > 0) {
        iso_log(c->ctx, ISO_LOG_INFO, "%s%s%d vert%s of no tetrahedron left out", c->name,
                c->separator, r->unused_vertex_count, r->unused_vertex_count == 1 ? "ex" : "ices");
    }
}

iso_status iso_tet_mesh_clean(iso_context* ctx, const char* name, iso_tet_mesh* mesh,
                              iso_nodal_arrays* arrays, iso_tet_repair_report* out_report) {
    cleaner c = {ctx, name ? name : "", name ? ": " : "", mesh, NULL, {0}};
    iso_status status = check_finite(&c);
    if (status != ISO_OK) {
        return status;
    }
    c.fate = iso_alloc_array(ctx, mesh->tet_count, sizeof *c.fate);
    ISO_REQUIRE(ctx, c.fate, ISO_ERR_MEMORY, "marks of %d tetrahedra", mesh->tet_count);
    judge_volumes(&c);
    ISO_TRY(remove_duplicates(&c));
    ISO_TRY(peel_flat(&c));
    drop_tets(&c);
    ISO_CHECK(ctx, mesh->tet_count > 0, ISO_ERR_GEOMETRY,
              "%s%sno tetrahedron with a volume, expected 1 or more", c.name, c.separator);
    ISO_TRY(drop_unused_vertices(&c, arrays));
    log_cleaning(&c);
    if (out_report) {
        *out_report = c.report;
    }

done:
    iso_free(ctx, c.fate);
    return status;
}
