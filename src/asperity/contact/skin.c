// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A face of an element: its vertices as they are seen from outside, and sorted.
typedef struct side {
    int outer[3], sorted[3];
} side;

static int compare_sides(const void* a, const void* b) {
    return memcmp(((const side*)a)->sorted, ((const side*)b)->sorted, sizeof(int[3]));
}

static void sort3(int* v, int n) {
    for (int i = 1; i < n; ++i) {
        for (int j = i; j > 0 && v[j] < v[j - 1]; --j) {
            int t = v[j];
            v[j] = v[j - 1];
            v[j - 1] = t;
        }
    }
}

static side make_side(int d, const int* element, int left_out) {
    static const int plane[3][2] = {{1, 2}, {2, 0}, {0, 1}};
    // outward of elements whose edges to the last vertex have a positive determinant
    static const int space[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    side s = {{-1, -1, -1}, {-1, -1, -1}};
    for (int i = 0; i < d; ++i) {
        s.outer[i] = s.sorted[i] = element[d == 2 ? plane[left_out][i] : space[left_out][i]];
    }
    sort3(s.sorted, d);
    return s;
}

static iso_status find_faces(const iso_elastic* e, iso_skin* skin) {
    int d = e->dimension, count = e->element_count * (d + 1);
    side* sides = iso_alloc_array(skin->ctx, count, sizeof *sides);
    ISO_REQUIRE(skin->ctx, sides, ISO_ERR_MEMORY, "faces of %d elements", e->element_count);
    for (int i = 0; i < count; ++i) {
        sides[i] = make_side(d, e->elements + i / (d + 1) * (d + 1), i % (d + 1));
    }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    iso_status status = ISO_OK;
    for (int i = 0; i < count && status == ISO_OK; ++i) {
        bool has_twin = (i > 0 && compare_sides(&sides[i - 1], &sides[i]) == 0) ||
                        (i + 1 < count && compare_sides(&sides[i + 1], &sides[i]) == 0);
        if (has_twin) {
            continue;
        }
        status = ISO_ARRAY_RESERVE(skin->ctx, &skin->faces, 2 * (skin->faces.count + d));
        if (status == ISO_OK) {
            memcpy(skin->faces.data + skin->faces.count, sides[i].outer, (size_t)d * sizeof(int));
            skin->faces.count += d;
            ++skin->face_count;
        }
    }
    iso_free(skin->ctx, sides);
    return status;
}

static int compare_edges(const void* a, const void* b) {
    const int *p = a, *q = b;
    int first = (p[0] > q[0]) - (p[0] < q[0]);
    return first != 0 ? first : (p[1] > q[1]) - (p[1] < q[1]);
}

static iso_status find_edges(iso_skin* skin) {
    iso_status status = ISO_ARRAY_RESERVE(skin->ctx, &skin->edges, 6 * skin->face_count);
    if (status != ISO_OK) {
        return status;
    }
    int *edges = skin->edges.data, kept = 0;
    for (int i = 0; i < 3 * skin->face_count; ++i) {
        int a = skin->faces.data[i], b = skin->faces.data[i / 3 * 3 + (i + 1) % 3];
        edges[2 * i] = a < b ? a : b;
        edges[2 * i + 1] = a < b ? b : a;
    }
    qsort(edges, (size_t)(3 * skin->face_count), sizeof(int[2]), compare_edges);
    for (int i = 0; i < 3 * skin->face_count; ++i) {
        if (kept == 0 || compare_edges(edges + 2 * i, edges + 2 * kept - 2) != 0) {
            memmove(edges + 2 * kept++, edges + 2 * i, sizeof(int[2]));
        }
    }
    skin->edge_count = kept;
    return ISO_OK;
}

static int root_of(int* parents, int i) {
    while (parents[i] != i) {
        i = parents[i] = parents[parents[i]];
    }
    return i;
}

static iso_status find_bodies(const iso_elastic* e, iso_skin* skin) {
    int n = e->vertex_count, d = e->dimension;
    iso_status status = ISO_ARRAY_RESERVE(skin->ctx, &skin->body_of, n);
    int* parents = iso_alloc_array(skin->ctx, 2 * n, sizeof *parents);
    if (status != ISO_OK || parents == NULL) {
        iso_free(skin->ctx, parents);
        return iso_fail(skin->ctx, ISO_ERR_MEMORY, __func__, "bodies of %d vertices", n);
    }
    for (int i = 0; i < n; ++i) {
        parents[i] = i;
    }
    for (int i = 0; i < e->element_count * (d + 1); ++i) {
        int a = root_of(parents, e->elements[i]);
        int b = root_of(parents, e->elements[i / (d + 1) * (d + 1)]);
        parents[a > b ? a : b] = a > b ? b : a;
    }
    int* names = parents + n;
    for (int i = 0; i < n; ++i) {
        int root = root_of(parents, i);
        names[i] = root == i ? skin->body_count++ : names[root];
        skin->body_of.data[i] = names[i];
    }
    iso_free(skin->ctx, parents);
    return ISO_OK;
}

static iso_status find_points(const iso_elastic* e, iso_skin* skin) {
    bool* is_outer = iso_alloc_array(skin->ctx, e->vertex_count, sizeof *is_outer);
    iso_status status = ISO_ARRAY_RESERVE(skin->ctx, &skin->points, e->vertex_count);
    if (is_outer == NULL || status != ISO_OK) {
        iso_free(skin->ctx, is_outer);
        return iso_fail(skin->ctx, ISO_ERR_MEMORY, __func__, "%d vertices", e->vertex_count);
    }
    for (int i = 0; i < skin->faces.count; ++i) {
        is_outer[skin->faces.data[i]] = true;
    }
    for (int i = 0; i < e->vertex_count; ++i) {
        if (is_outer[i]) {
            skin->points.data[skin->points.count++] = i;
        }
    }
    iso_free(skin->ctx, is_outer);
    return ISO_OK;
}

iso_status iso_skin_init(iso_context* ctx, const iso_elastic* e, iso_skin* skin) {
    *skin = (iso_skin){.ctx = ctx, .dimension = e->dimension, .hash = {.ctx = ctx}};
    iso_status status = ISO_OK;
    ISO_TRY(find_faces(e, skin));
    if (e->dimension == 3) {
        ISO_TRY(find_edges(skin));
    }
    ISO_TRY(find_bodies(e, skin));
    ISO_TRY(find_points(e, skin));

done:
    if (status != ISO_OK) {
        iso_skin_free(skin);
    }
    return status;
}

void iso_skin_free(iso_skin* skin) {
    ISO_ARRAY_FREE(skin->ctx, &skin->body_of);
    ISO_ARRAY_FREE(skin->ctx, &skin->faces);
    ISO_ARRAY_FREE(skin->ctx, &skin->edges);
    ISO_ARRAY_FREE(skin->ctx, &skin->points);
    ISO_ARRAY_FREE(skin->ctx, &skin->pairs);
    ISO_ARRAY_FREE(skin->ctx, &skin->boxes);
    ISO_ARRAY_FREE(skin->ctx, &skin->found);
    iso_box_hash_free(&skin->hash);
    skin->face_count = skin->edge_count = skin->body_count = 0;
}
