// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/clipping/tet_cut.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/search/distance.h"

// Corners of a triangle clipped by the four faces of a tetrahedron: at most one more a face.
#define MAX_CORNERS 8

// A corner this close to a plane, relative to the size of the coordinates, lies on it: neighbours
// compute the plane between them each in its own way.
#define ON_PLANE 1e-13

// A triangle counts as crossing a piece when this share of the piece's size squared is inside.
#define CROSSING_AREA 1e-13

double iso_tet_cut_volume(const iso_tet_cut_piece* piece) {
    return iso_tet_signed_volume(piece->v[0], piece->v[1], piece->v[2], piece->v[3]);
}

// A corner of a part of a piece: where it is, and which corners of the piece span the vertex, edge
// or face it lies on.
typedef struct corner {
    iso_vec3 p;
    int span;
    bool is_cut; // lies on the plane of the cut
} corner;

static bool push_part(iso_context* ctx, const iso_tet_cut_piece* whole, bool is_cut_skin, corner a,
                      corner b, corner c, corner d, iso_tet_cut_list* list) {
    const corner k[4] = {a, b, c, d};
    iso_tet_cut_piece part = {{a.p, b.p, c.p, d.p}, 0};
    for (int i = 0; i < 4; ++i) {
        int span = 0;
        bool is_cut = is_cut_skin;
        for (int j = 0; j < 4; ++j) {
            span |= j != i ? k[j].span : 0;
            is_cut = is_cut && (j == i || k[j].is_cut);
        }
        part.skin |= is_cut ? 1 << i : 0;
        for (int face = 0; face < 4; ++face) {
            bool is_on_face = (span >> face & 1) == 0;
            part.skin |= is_on_face && (whole->skin >> face & 1) ? 1 << i : 0;
        }
    }
    double volume = iso_tet_cut_volume(&part);
    if (volume == 0.0) {
        return true;
    }
    if (volume < 0.0) {
        iso_vec3 swap = part.v[0];
        part.v[0] = part.v[1];
        part.v[1] = swap;
        part.skin = (part.skin & ~3) | (part.skin & 1) << 1 | (part.skin >> 1 & 1);
    }
    if (ISO_ARRAY_GROW(ctx, list) != ISO_OK) {
        return false;
    }
    list->data[list->count++] = part;
    return true;
}

// Values of a function at the corners of a piece, and which of them are on which side.
typedef struct sides {
    double h[4];
    int in[4], out[4], on[4];
    int in_count, out_count, on_count;
} sides;

static sides find_sides(const iso_tet_cut_piece* piece, iso_affine f) {
    sides s = {.in_count = 0};
    double reach = 0.0;
    for (int i = 0; i < 4; ++i) {
        reach = fmax(reach, iso_vec3_norm(piece->v[i]));
    }
    double least = ON_PLANE * reach * iso_vec3_norm(f.gradient);
    for (int i = 0; i < 4; ++i) {
        s.h[i] = iso_affine_eval(f, piece->v[i]);
        if (s.h[i] > least) {
            s.in[s.in_count++] = i;
        } else if (s.h[i] < -least) {
            s.out[s.out_count++] = i;
        } else {
            s.on[s.on_count++] = i;
        }
    }
    return s;
}

static sides opposite(sides s) {
    sides r = s;
    for (int i = 0; i < 4; ++i) {
        r.in[i] = s.out[i];
        r.out[i] = s.in[i];
    }
    r.in_count = s.out_count;
    r.out_count = s.in_count;
    return r;
}

static corner corner_of(const iso_tet_cut_piece* piece, int i, bool is_cut) {
    return (corner){piece->v[i], 1 << i, is_cut};
}

// The part on the inner side; there are corners on both.
static bool push_side(iso_context* ctx, const iso_tet_cut_piece* t, bool is_cut_skin,
                      const sides* s, iso_tet_cut_list* list) {
    corner x[4][4], p[3], q[3];
    for (int i = 0; i < s->in_count; ++i) {
        for (int j = 0; j < s->out_count; ++j) {
            int a = s->in[i], b = s->out[j];
            double share = s->h[a] / (s->h[a] - s->h[b]);
            x[i][j] = (corner){iso_vec3_lerp(t->v[a], t->v[b], share), 1 << a | 1 << b, true};
        }
    }
    corner first = corner_of(t, s->in[0], false);
    if (s->in_count == 1) {
        for (int i = 0; i < 3; ++i) {
            p[i] = i < s->on_count ? corner_of(t, s->on[i], true) : x[0][i - s->on_count];
        }
        return push_part(ctx, t, is_cut_skin, first, p[0], p[1], p[2], list);
    }
    corner second = corner_of(t, s->in[1], false);
    if (s->in_count == 2 && s->on_count == 1) {
        // A pyramid over the quadrilateral of the two edges.
        corner apex = corner_of(t, s->on[0], true);
        return push_part(ctx, t, is_cut_skin, first, second, x[1][0], apex, list) &&
               push_part(ctx, t, is_cut_skin, first, x[1][0], x[0][0], apex, list);
    }
    // A wedge with the ends p and q.
    for (int i = 0; i < 3; ++i) {
        if (s->in_count == 2) {
            p[i] = i == 0 ? first : x[0][i - 1];
            q[i] = i == 0 ? second : x[1][i - 1];
        } else {
            p[i] = corner_of(t, s->in[i], false);
            q[i] = x[i][0];
        }
    }
    return push_part(ctx, t, is_cut_skin, p[0], p[1], p[2], q[0], list) &&
           push_part(ctx, t, is_cut_skin, p[1], p[2], q[0], q[1], list) &&
           push_part(ctx, t, is_cut_skin, p[2], q[0], q[1], q[2], list);
}

// Split a piece into its parts where f > 0 and where it is not (NULL: dropped). A piece that lies
// in the plane is on neither side.
static bool split(iso_context* ctx, const iso_tet_cut_piece* piece, iso_affine f, bool is_cut_skin,
                  iso_tet_cut_list* positive, iso_tet_cut_list* negative) {
    sides s = find_sides(piece, f);
    if (s.in_count == 0 || s.out_count == 0) {
        iso_tet_cut_list* list = s.in_count > 0 ? positive : negative;
        if (!list || s.on_count == 4) {
            return true;
        }
        if (ISO_ARRAY_GROW(ctx, list) != ISO_OK) {
            return false;
        }
        list->data[list->count++] = *piece;
        return true;
    }
    sides other = opposite(s);
    return push_side(ctx, piece, is_cut_skin, &s, positive) &&
           (!negative || push_side(ctx, piece, is_cut_skin, &other, negative));
}

// Whether the region's planes leave anything of a piece: its parts inside them, one plane after the
// other. The last of the two lists holds them.
static bool clip_inside(iso_context* ctx, const iso_tet_cut_piece* piece,
                        const iso_tet_cut_region* region, iso_tet_cut_list lists[2],
                        iso_tet_cut_list* outside) {
    lists[0].count = 0;
    if (ISO_ARRAY_GROW(ctx, &lists[0]) != ISO_OK) {
        return false;
    }
    lists[0].data[lists[0].count++] = *piece;
    for (int k = 0; k < region->plane_count; ++k) {
        iso_tet_cut_list *from = &lists[k & 1], *to = &lists[(k & 1) ^ 1];
        to->count = 0;
        for (int i = 0; i < from->count; ++i) {
            if (!split(ctx, &from->data[i], region->planes[k], false, to, outside)) {
                return false;
            }
        }
    }
    return true;
}

static double list_volume(const iso_tet_cut_list* list) {
    double volume = 0.0;
    for (int i = 0; i < list->count; ++i) {
        volume += iso_tet_cut_volume(&list->data[i]);
    }
    return volume;
}

static void swap_lists(iso_tet_cut_list* a, iso_tet_cut_list* b) {
    iso_tet_cut_list swap = *a;
    *a = *b;
    *b = swap;
}

iso_status iso_tet_cut_keep(iso_context* ctx, iso_tet_cut_list* pieces, iso_affine f,
                            iso_tet_cut_list* spare) {
    spare->count = 0;
    for (int i = 0; i < pieces->count; ++i) {
        ISO_REQUIRE(ctx, split(ctx, &pieces->data[i], f, true, spare, NULL), ISO_ERR_MEMORY,
                    "%d pieces of a tetrahedron", spare->count);
    }
    swap_lists(pieces, spare);
    return ISO_OK;
}

static bool is_beside(const iso_tet_cut_piece* piece, const iso_tet_cut_region* region) {
    for (int k = 0; k < region->plane_count; ++k) {
        if (find_sides(piece, region->planes[k]).in_count == 0) {
            return true;
        }
    }
    return false;
}

iso_status iso_tet_cut_convex(iso_context* ctx, iso_tet_cut_list* pieces,
                              const iso_tet_cut_region* region, iso_tet_cut_list* spare,
                              double* removed) {
    iso_tet_cut_list lists[2] = {{0}, {0}};
    iso_status status = ISO_OK;
    spare->count = 0;
    for (int i = 0; i < pieces->count; ++i) {
        const iso_tet_cut_piece* piece = &pieces->data[i];
        int before = spare->count;
        double volume = 0.0;
        if (!is_beside(piece, region)) {
            ISO_CHECK(ctx, clip_inside(ctx, piece, region, lists, spare), ISO_ERR_MEMORY,
                      "%d pieces of a tetrahedron", spare->count);
            volume = list_volume(&lists[region->plane_count & 1]);
        }
        if (volume > 0.0) {
            *removed += volume;
        } else {
            spare->count = before;
            ISO_TRY(ISO_ARRAY_GROW(ctx, spare));
            spare->data[spare->count++] = *piece;
        }
    }
    swap_lists(pieces, spare);

done:
    ISO_ARRAY_FREE(ctx, &lists[0]);
    ISO_ARRAY_FREE(ctx, &lists[1]);
    return status;
}

// Area of the part of a triangle that lies inside a piece.
static double area_inside(const iso_tet_cut_piece* piece, const iso_vec3 triangle[3]) {
    iso_vec3 polygon[2][MAX_CORNERS];
    int count = 3, from = 0;
    for (int i = 0; i < 3; ++i) {
        polygon[0][i] = triangle[i];
    }
    for (int face = 0; face < 4 && count > 0; ++face, from ^= 1) {
        const int* c = k_tet_faces[face];
        iso_vec3 inward =
            iso_vec3_neg(iso_triangle_area_vector(piece->v[c[0]], piece->v[c[1]], piece->v[c[2]]));
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            iso_vec3 a = polygon[from][i], b = polygon[from][i + 1 < count ? i + 1 : 0];
            double at_a = iso_vec3_dot(inward, iso_vec3_sub(a, piece->v[c[0]]));
            double at_b = iso_vec3_dot(inward, iso_vec3_sub(b, piece->v[c[0]]));
            if (at_a >= 0.0) {
                polygon[from ^ 1][kept++] = a;
            }
            if ((at_a > 0.0 && at_b < 0.0) || (at_a < 0.0 && at_b > 0.0)) {
                polygon[from ^ 1][kept++] = iso_vec3_lerp(a, b, at_a / (at_a - at_b));
            }
        }
        count = kept;
    }
    iso_vec3 twice = iso_vec3_zero();
    for (int i = 1; i + 1 < count; ++i) {
        twice = iso_vec3_add(twice,
                             iso_vec3_cross(iso_vec3_sub(polygon[from][i], polygon[from][0]),
                                            iso_vec3_sub(polygon[from][i + 1], polygon[from][0])));
    }
    return 0.5 * iso_vec3_norm(twice);
}

static void triangle_of(const iso_tri_mesh* mesh, int triangle, iso_vec3 out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = mesh->vertices[mesh->triangles[triangle][k]];
    }
}

// A piece and the triangle from which on it has to be looked at.
typedef struct task {
    iso_tet_cut_piece piece;
    int next;
} task;

typedef ISO_ARRAY(task) task_list;

static iso_status push_tasks(iso_context* ctx, task_list* tasks, const iso_tet_cut_list* pieces,
                             int next) {
    for (int i = 0; i < pieces->count; ++i) {
        iso_status status = ISO_ARRAY_GROW(ctx, tasks);
        if (status != ISO_OK) {
            return status;
        }
        tasks->data[tasks->count++] = (task){pieces->data[i], next};
    }
    return ISO_OK;
}

// The first triangle at or after `next` that crosses a piece, or the number of triangles.
static int next_crossing(const iso_tet_cut_piece* piece, const iso_tri_mesh* solid, int next) {
    iso_vec3 lower, upper;
    iso_points_bounds(piece->v, 4, &lower, &upper);
    double least = CROSSING_AREA * iso_vec3_norm_squared(iso_vec3_sub(upper, lower));
    for (int t = next; t < solid->triangle_count; ++t) {
        iso_vec3 v[3], low, high;
        triangle_of(solid, t, v);
        iso_points_bounds(v, 3, &low, &high);
        bool is_apart = low.x > upper.x || low.y > upper.y || low.z > upper.z || high.x < lower.x ||
                        high.y < lower.y || high.z < lower.z;
        if (!is_apart && area_inside(piece, v) > least) {
            return t;
        }
    }
    return solid->triangle_count;
}

iso_status iso_tet_cut_solid(iso_context* ctx, iso_tet_cut_list* pieces,
                             const iso_tet_cut_body* body, iso_tet_cut_list* spare,
                             double* removed) {
    const iso_tri_mesh* solid = &body->mesh;
    task_list tasks = {0};
    iso_tet_cut_list parts = {0};
    iso_status status = ISO_OK;
    spare->count = 0;
    ISO_TRY(push_tasks(ctx, &tasks, pieces, 0));
    while (tasks.count > 0) {
        // Cut along the plane of a triangle that crosses the piece; triangles before it do not.
        task now = tasks.data[--tasks.count];
        int t = next_crossing(&now.piece, solid, now.next);
        if (t < solid->triangle_count) {
            iso_vec3 v[3];
            triangle_of(solid, t, v);
            iso_vec3 n = iso_vec3_normalized(iso_triangle_area_vector(v[0], v[1], v[2]));
            parts.count = 0;
            ISO_CHECK(ctx,
                      split(ctx, &now.piece, (iso_affine){n, -iso_vec3_dot(n, v[0])}, false, &parts,
                            &parts),
                      ISO_ERR_MEMORY, "parts of a tetrahedron");
            ISO_TRY(push_tasks(ctx, &tasks, &parts, t + 1));
            continue;
        }
        iso_vec3 middle = iso_vec3_zero();
        for (int i = 0; i < 4; ++i) {
            middle = iso_vec3_add_scaled(middle, now.piece.v[i], 0.25);
        }
        if (iso_distance_tree_winding_number(body->tree, middle) > 0.5) {
            *removed += iso_tet_cut_volume(&now.piece);
        } else {
            ISO_TRY(ISO_ARRAY_GROW(ctx, spare));
            spare->data[spare->count++] = now.piece;
        }
    }
    swap_lists(pieces, spare);

done:
    ISO_ARRAY_FREE(ctx, &tasks);
    ISO_ARRAY_FREE(ctx, &parts);
    return status;
}
