// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

// Meshes that MuJoCo makes by itself: the same vertices, kept in single precision as there, and the
// same faces. Where it makes none the mesh is the hull of its vertices.

#define MOST_STEPS 1000 // around or along a mesh

static void put(iso_tri_mesh* mesh, int index, double x, double y, double z) {
    mesh->vertices[index] = iso_vec3_make((double)(float)x, (double)(float)y, (double)(float)z);
}

static int put_face(iso_tri_mesh* mesh, int index, int a, int b, int c) {
    mesh->triangles[index][0] = a;
    mesh->triangles[index][1] = b;
    mesh->triangles[index][2] = c;
    return index + 1;
}

// |cos|^m or |sin|^m with the sign of either.
static double power_of(double value, double exponent) {
    return copysign(pow(fabs(value), exponent), value);
}

// --- an icosahedron, subdivided ------------------------------------------------------------------

// The middles of the edges of one vertex, of which it has at most 6.
typedef struct edge_list {
    int count, other[6], middle[6];
} edge_list;

static int middle_of(iso_tri_mesh* mesh, edge_list* edges, int a, int b, int* vertex_count) {
    edge_list* list = &edges[a < b ? a : b];
    int other = a < b ? b : a;
    for (int i = 0; i < list->count; ++i) {
        if (list->other[i] == other) {
            return list->middle[i];
        }
    }
    const iso_vec3 *p = &mesh->vertices[a], *q = &mesh->vertices[b];
    float x = ((float)p->x + (float)q->x) / 2.0F, y = ((float)p->y + (float)q->y) / 2.0F,
          z = ((float)p->z + (float)q->z) / 2.0F;
    float norm = sqrtf(x * x + y * y + z * z);
    put(mesh, *vertex_count, (double)(x / norm), (double)(y / norm), (double)(z / norm));
    list->other[list->count] = other;
    list->middle[list->count++] = *vertex_count;
    return (*vertex_count)++;
}

static int divide(iso_tri_mesh* mesh, edge_list* edges, int face_count, int (*faces)[3],
                  int* vertex_count) {
    int count = 0;
    memset(edges, 0, (size_t)*vertex_count * sizeof *edges);
    memcpy(faces, mesh->triangles, (size_t)face_count * sizeof *faces);
    for (int i = 0; i < face_count; ++i) {
        const int* f = faces[i];
        int m[3];
        for (int k = 0; k < 3; ++k) {
            m[k] = middle_of(mesh, edges, f[k], f[(k + 1) % 3], vertex_count);
        }
        count = put_face(mesh, count, f[0], m[0], m[2]);
        count = put_face(mesh, count, f[1], m[1], m[0]);
        count = put_face(mesh, count, f[2], m[2], m[1]);
        count = put_face(mesh, count, m[0], m[1], m[2]);
    }
    return count;
}

static iso_status make_sphere(iso_scene_build* build, const double* params, iso_mjcf_mesh* mesh) {
    static const signed char signs[12][3] = {{-1, 2, 0}, {1, 2, 0}, {-1, -2, 0}, {1, -2, 0},
                                             {0, -1, 2}, {0, 1, 2}, {0, -1, -2}, {0, 1, -2},
                                             {2, 0, -1}, {2, 0, 1}, {-2, 0, -1}, {-2, 0, 1}};
    static const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    int level = (int)params[0], face_count = 20, vertex_count = 12;
    int most = 20 << (2 * level);
    iso_tri_mesh* surface = NULL;
    ISO_SCENE_TRY(iso_mjcf_add_surface(build, mesh, most / 2 + 2, most, &surface));
    edge_list* edges = iso_arena_push_array(&build->arena, most / 2 + 2, sizeof *edges);
    int(*old)[3] = iso_arena_push_array(&build->arena, most, sizeof *old);
    ISO_REQUIRE(build->ctx, edges && old, ISO_ERR_MEMORY, "sphere of %d faces", most);
    float phi = (float)((1.0 + sqrt(5.0)) / 2.0);
    double norm = sqrt((double)(1.0F + phi * phi));
    for (int i = 0; i < 12; ++i) {
        double p[3];
        for (int k = 0; k < 3; ++k) {
            int s = signs[i][k];
            p[k] = (s == 2 || s == -2 ? copysign((double)phi, s) : s) / norm;
        }
        put(surface, i, p[0], p[1], p[2]);
    }
    memcpy(surface->triangles, faces, sizeof faces);
    for (int i = 0; i < level; ++i) {
        face_count = divide(surface, edges, face_count, old, &vertex_count);
    }
    return ISO_OK;
}

// --- half a sphere -------------------------------------------------------------------------------

// Row 0 has 4 points; the pole comes before it, the middle of the cap after the last.
static void place_hemisphere(iso_tri_mesh* mesh, int rows) {
    static const double equator[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    int index = 0;
    put(mesh, index++, 0.0, 0.0, 1.0);
    for (int row = 0; row < rows; ++row) {
        double share = (double)(row + 1) / rows;
        for (int side = 0; side < 4; ++side) {
            const double *from = equator[side], *to = equator[(side + 1) % 4];
            for (int i = 0; i <= row; ++i) {
                double t = (double)i / (row + 1);
                iso_vec3 p = iso_vec3_make(share * (from[0] + t * (to[0] - from[0])),
                                           share * (from[1] + t * (to[1] - from[1])), 1.0 - share);
                double norm = iso_vec3_norm(p);
                put(mesh, index++, p.x / norm, p.y / norm, p.z / norm);
            }
        }
    }
    put(mesh, index, 0.0, 0.0, 0.0);
}

static iso_status make_hemisphere(iso_scene_build* build, const double* params,
                                  iso_mjcf_mesh* mesh) {
    int rows = (int)params[0] + 1, count = 0;
    int vertices = 2 + 2 * rows * (rows + 1), last = vertices - 1 - 4 * rows;
    iso_tri_mesh* surface = NULL;
    ISO_SCENE_TRY(
        iso_mjcf_add_surface(build, mesh, vertices, 4 * rows * rows + 4 * rows, &surface));
    place_hemisphere(surface, rows);
    for (int side = 0; side < 4; ++side) {
        count = put_face(surface, count, 0, 1 + side, 1 + (side + 1) % 4);
    }
    for (int row = 0; row + 1 < rows; ++row) {
        int here = 2 * row * (row + 1) + 1, n = 4 * (row + 1);
        int next = here + n, m = 4 * (row + 2);
        for (int side = 0; side < 4; ++side) {
            for (int i = 0; i < row + 2; ++i) {
                int a = i + (row + 1) * side, b = i + (row + 2) * side;
                count = put_face(surface, count, here + a % n, next + b % m, next + (b + 1) % m);
                if (i < row + 1) {
                    count = put_face(surface, count, here + a % n, next + (b + 1) % m,
                                     here + (a + 1) % n);
                }
            }
        }
    }
    for (int i = 0; i < 4 * rows; ++i) {
        count = put_face(surface, count, last + i, vertices - 1, last + (i + 1) % (4 * rows));
    }
    return ISO_OK;
}

// --- superquadrics -------------------------------------------------------------------------------

static iso_status make_supersphere(iso_scene_build* build, const double* params,
                                   iso_mjcf_mesh* mesh) {
    int n = (int)params[0], top = (n - 1) * n + 1, count = 0;
    double e = params[1], m = params[2];
    iso_tri_mesh* surface = NULL;
    ISO_SCENE_TRY(iso_mjcf_add_surface(build, mesh, top + 1, 2 * n * (n - 1), &surface));
    put(surface, 0, 0.0, 0.0, -1.0);
    put(surface, top, 0.0, 0.0, 1.0);
    for (int i = 0; i < (n - 1) * n; ++i) {
        double v = -ISO_PI / 2.0 + (i / n + 1) * ISO_PI / n,
               u = -ISO_PI + (i % n) * 2.0 * ISO_PI / n;
        put(surface, i + 1, power_of(cos(v), m) * power_of(cos(u), e),
            power_of(cos(v), m) * power_of(sin(u), e), power_of(sin(v), m));
    }
    for (int j = 0; j < n; ++j) {
        count = put_face(surface, count, 0, 1 + (j + 1) % n, 1 + j);
    }
    for (int i = 0; i + 2 < n; ++i) {
        for (int j = 0; j < n; ++j) {
            int a = 1 + i * n + j, b = 1 + i * n + (j + 1) % n;
            count = put_face(surface, count, a, b, a + n);
            count = put_face(surface, count, b, b + n, a + n);
        }
    }
    for (int j = 0; j < n; ++j) {
        count = put_face(surface, count, top - n + j, top - n + (j + 1) % n, top);
    }
    return ISO_OK;
}

static iso_status make_supertorus(iso_scene_build* build, const double* params,
                                  iso_mjcf_mesh* mesh) {
    int n = (int)params[0], count = 0;
    double r = params[1], s = params[2], t = params[3];
    iso_tri_mesh* surface = NULL;
    ISO_SCENE_TRY(iso_mjcf_add_surface(build, mesh, n * n, 2 * n * n, &surface));
    for (int i = 0; i < n * n; ++i) {
        int row = i / n, column = i % n, up = (row + 1) % n * n, right = (column + 1) % n;
        double u = 2.0 * ISO_PI * row / n, v = 2.0 * ISO_PI * column / n;
        double reach = 1.0 + r * power_of(cos(v), s);
        put(surface, i, reach * power_of(cos(u), t), reach * power_of(sin(u), t),
            r * power_of(sin(v), s));
        count = put_face(surface, count, i, up + column, row * n + right);
        count = put_face(surface, count, up + column, up + right, row * n + right);
    }
    return ISO_OK;
}

// --- points and planes ---------------------------------------------------------------------------

static iso_status make_cone(iso_scene_build* build, const double* params, iso_mjcf_mesh* mesh) {
    int n = (int)params[0];
    double radius = params[1];
    iso_tri_mesh* surface = NULL;
    ISO_SCENE_TRY(iso_mjcf_add_surface(build, mesh, n + (radius > 0.0 ? n : 1), 0, &surface));
    for (int i = 0; i < n; ++i) {
        double angle = 2 * i * ISO_PI / n;
        put(surface, i, cos(angle), sin(angle), -1.0);
        if (radius > 0.0) {
            double above = 2 * (n + i) * ISO_PI / n;
            put(surface, n + i, radius * cos(above), radius * sin(above), 1.0);
        }
    }
    if (radius <= 0.0) {
        put(surface, n, 0.0, 0.0, 1.0);
    }
    return ISO_OK;
}

// The place of edge i of n between -1 and 1, which a fovea draws to the middle.
static double edge_at(int i, int n, double gamma) {
    double x = -1.0 + i * (2.0 / n);
    return (1.0 - gamma) * x + gamma * pow(x, 5.0);
}

// Points on a unit sphere, as seen along -z.
static iso_status make_wedge(iso_scene_build* build, const double* params, iso_mjcf_mesh* mesh) {
    int n = (int)params[0], m = (int)params[1];
    iso_tri_mesh* surface = NULL;
    ISO_SCENE_TRY(iso_mjcf_add_surface(build, mesh, n * m, 0, &surface));
    for (int i = 0; i < n * m; ++i) {
        int column = i / m, row = i % m;
        double a = 0.5 * (edge_at(column, n, params[4]) + edge_at(column + 1, n, params[4]));
        double e = 0.5 * (edge_at(row, m, params[4]) + edge_at(row + 1, m, params[4]));
        a *= params[2] * ISO_PI / 180.0;
        e *= params[3] * ISO_PI / 180.0;
        put(surface, i, cos(e) * sin(a), sin(e), -cos(e) * cos(a));
    }
    return ISO_OK;
}

static iso_status make_plate(iso_scene_build* build, const double* params, iso_mjcf_mesh* mesh) {
    int n = (int)params[0], m = (int)params[1], count = 0;
    iso_tri_mesh* surface = NULL;
    ISO_SCENE_TRY(iso_mjcf_add_surface(build, mesh, n * m, 2 * (n - 1) * (m - 1), &surface));
    mesh->mass = ISO_MJCF_MASS_SHELL;
    for (int i = 0; i < n * m; ++i) {
        int row = i / m, column = i % m, below = i - m;
        put(surface, i, -1.0 + (row + 0.5) * (2.0 / n), -1.0 + (column + 0.5) * (2.0 / m), -1.0);
        if (row > 0 && column > 0) {
            count = put_face(surface, count, below - 1, i - 1, below);
            count = put_face(surface, count, i, below, i - 1);
        }
    }
    return ISO_OK;
}

// --- all of them ---------------------------------------------------------------------------------

typedef struct param_range {
    double least, most;
    bool is_whole;
} param_range;

typedef struct builtin_row {
    const char* name;
    iso_status (*make)(iso_scene_build* build, const double* params, iso_mjcf_mesh* mesh);
    int count;
    param_range params[5];
} builtin_row;

static const builtin_row k_rows[] = {
    {"sphere", make_sphere, 1, {{0, 4, true}}},
    {"hemisphere", make_hemisphere, 1, {{0, 10, true}}},
    {"supersphere", make_supersphere, 3, {{3, MOST_STEPS, true}, {0, 1e3, false}, {0, 1e3, false}}},
    {"supertorus",
     make_supertorus,
     4,
     {{3, MOST_STEPS, true}, {1e-6, 1, false}, {1e-6, 1e3, false}, {1e-6, 1e3, false}}},
    {"wedge",
     make_wedge,
     5,
     {{1, MOST_STEPS, true},
      {1, MOST_STEPS, true},
      {1e-6, 180, false},
      {1e-6, 90, false},
      {0, 1, false}}},
    {"plate", make_plate, 2, {{2, MOST_STEPS, true}, {2, MOST_STEPS, true}}},
    {"cone", make_cone, 2, {{3, MOST_STEPS, true}, {0, 1e3, false}}},
};

iso_status iso_mjcf_make_builtin(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                 const char* kind, iso_mjcf_mesh* mesh) {
    enum { k_count = sizeof k_rows / sizeof *k_rows };
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    iso_name_list names = {.owner = k_rows, .stride = sizeof *k_rows, .count = k_count};
    int index = iso_name_list_find(&names, kind), count = 0;
    double params[5] = {0.0};
    if (index < 0) {
        return iso_scene_fail_missing(build, at, &names, "builtin mesh", kind);
    }
    const builtin_row* row = &k_rows[index];
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "params", row->count, row->count, params, &count));
    ISO_SCENE_TRY(count > 0 ? ISO_OK : iso_xml_needs_attribute(build, item->node, "params"));
    for (int i = 0; i < row->count; ++i) {
        const param_range* range = &row->params[i];
        params[i] = range->is_whole ? trunc(params[i]) : params[i];
        ISO_SCENE_REQUIRE(build, at, params[i] >= range->least && params[i] <= range->most,
                          ISO_ERR_RANGE, "<mesh>: param %d of a %s is %g, expected %g to %g", i + 1,
                          kind, params[i], range->least, range->most);
    }
    return row->make(build, params, mesh);
}
