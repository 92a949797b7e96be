// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0
//
// The surface of equal pressure of two tetrahedra, made from the input: anywhere, or sharing
// corners, mirrored in a face, equal but for offsets down to 1e-15. Whatever they are, the polygon
// is finite, has an area, lies in both tetrahedra and both ranges of pressure, is the same for
// (B, A), and agrees with an intersection of half spaces in long double.

#include "base/core/alloc.h"
#include "surface/pairs/pair_query.h"
#include "surface/shapes/contact_shape_data.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Altitude of a tetrahedron over its longest edge: flatter ones are left out.
#define FLATTEST 1e-3L
// Distance by which a polygon may miss a plane, over the size of the bodies.
#define POSITION_TOLERANCE 1e-12L
// Rounding of a pressure, over the largest pressure of its tetrahedron: the gradient of a flat
// tetrahedron amplifies rounding by 1 / FLATTEST.
#define PRESSURE_TOLERANCE (32.0L * DBL_EPSILON / FLATTEST)

typedef struct input {
    const uint8_t* bytes;
    size_t size;
} input;

typedef struct tet {
    iso_vec3 v[4]; // positive volume
    double p[4];
} tet;

typedef struct point {
    long double x[3];
} point;

// n . x + offset, positive inside; n of unit length
typedef struct plane {
    point n;
    long double offset;
} plane;

// What the oracle knows of a tetrahedron, in W.
typedef struct view {
    point v[4];
    plane faces[4];
    point gradient;
    long double offset;
    long double low, high, largest; // pressures
} view;

typedef struct polygon {
    int count;
    point v[16];
} polygon;

static void require(bool condition, const char* what, double value, double bound) {
    if (!condition) {
        fprintf(stderr, "fuzz_clip: %s: %.17g, bound %.17g\n", what, value, bound);
        abort();
    }
}

static int next_byte(input* in) {
    if (in->size == 0) {
        return 0;
    }
    --in->size;
    return *in->bytes++;
}

// In [-1, 1].
static double next_unit(input* in) {
    int low = next_byte(in);
    return (low + 256 * next_byte(in) - 32768) / 32768.0;
}

static iso_vec3 next_vec3(input* in) {
    double x = next_unit(in), y = next_unit(in), z = next_unit(in);
    return iso_vec3_make(x, y, z);
}

static point to_point(iso_vec3 v) {
    return (point){{v.x, v.y, v.z}};
}

static point sub(point a, point b) {
    return (point){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}

static point add_scaled(point a, point b, long double s) {
    return (point){{a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2]}};
}

static long double dot(point a, point b) {
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static point cross(point a, point b) {
    return (point){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                    a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static long double norm(point a) {
    return sqrtl(dot(a, a));
}

static long double distance_to(const plane* f, point x) {
    return dot(f->n, x) + f->offset;
}

// Positive orientation; false when the tetrahedron is too flat.
static bool make_regular(tet* t) {
    iso_vec3 a = iso_vec3_sub(t->v[1], t->v[0]), b = iso_vec3_sub(t->v[2], t->v[0]);
    iso_vec3 c = iso_vec3_sub(t->v[3], t->v[0]);
    double six_volume = iso_vec3_dot(a, iso_vec3_cross(b, c));
    if (six_volume < 0.0) {
        iso_vec3 v = t->v[2];
        double p = t->p[2];
        t->v[2] = t->v[3];
        t->p[2] = t->p[3];
        t->v[3] = v;
        t->p[3] = p;
    }
    double longest = 0.0, largest_face = 0.0;
    for (int i = 0; i < 4; ++i) {
        iso_vec3 u = iso_vec3_sub(t->v[(i + 1) % 4], t->v[i]);
        iso_vec3 w = iso_vec3_sub(t->v[(i + 2) % 4], t->v[i]);
        longest = fmax(longest, fmax(iso_vec3_norm(u), iso_vec3_norm(w)));
        largest_face = fmax(largest_face, iso_vec3_norm(iso_vec3_cross(u, w)));
    }
    return fabs(six_volume) > (double)FLATTEST * longest * largest_face && longest > 1e-9;
}

static tet any_tet(input* in) {
    tet t;
    for (int i = 0; i < 4; ++i) {
        t.v[i] = next_vec3(in);
        t.p[i] = next_unit(in);
    }
    return t;
}

// Tetrahedron B as the input wants it to be to A.
static tet related_tet(input* in, const tet* a) {
    tet b = *a;
    int kind = next_byte(in), corner = next_byte(in) % 4;
    double offset = pow(10.0, next_byte(in) % 19 - 15);
    switch (kind % 6) {
    case 0:
        return any_tet(in);
    case 1: // shares the corners whose bits are set
        b = any_tet(in);
        for (int i = 0; i < 4; ++i) {
            b.v[i] = corner >> i & 1 || (kind / 6) >> i & 1 ? a->v[i] : b.v[i];
        }
        break;
    case 2: { // mirrored in a face
        iso_vec3 o = a->v[(corner + 1) % 4];
        iso_vec3 n = iso_vec3_normalized(iso_vec3_cross(iso_vec3_sub(a->v[(corner + 2) % 4], o),
                                                        iso_vec3_sub(a->v[(corner + 3) % 4], o)));
        iso_vec3* tip = &b.v[corner];
        *tip = iso_vec3_add_scaled(*tip, n, -2.0 * iso_vec3_dot(n, iso_vec3_sub(*tip, o)));
        break;
    }
    case 3: // moved as a whole
        for (int i = 0; i < 4; ++i) {
            b.v[i] = iso_vec3_add_scaled(b.v[i], next_vec3(in), i == 0 ? offset : 0.0);
        }
        break;
    case 4: // every corner moved
        for (int i = 0; i < 4; ++i) {
            b.v[i] = iso_vec3_add_scaled(b.v[i], next_vec3(in), offset);
        }
        break;
    default: // point-symmetric about a corner
        for (int i = 0; i < 4; ++i) {
            b.v[i] = iso_vec3_sub(iso_vec3_scale(a->v[corner], 2.0), a->v[i]);
        }
        break;
    }
    for (int i = 0; i < 4; ++i) { // pressures: kept, turned round, moved a little, new
        double fresh = next_unit(in);
        b.p[i] = kind / 32 == 0   ? a->p[i]
                 : kind / 32 == 1 ? -a->p[i]
                 : kind / 32 == 2 ? a->p[i] + offset * fresh
                 : kind / 32 == 3 ? a->p[(i + 1) % 4]
                                  : fresh;
    }
    return b;
}

static iso_contact_shape* make_shape(iso_context* ctx, const tet* t) {
    iso_tet_mesh mesh = {4, 1, iso_alloc_array(ctx, 4, sizeof(iso_vec3)),
                         iso_alloc_array(ctx, 1, sizeof(int[4]))};
    double* p = iso_alloc_array(ctx, 4, sizeof *p);
    iso_contact_shape* shape = iso_alloc_zeroed(ctx, sizeof *shape);
    for (int i = 0; i < 4; ++i) {
        mesh.vertices[i] = t->v[i];
        mesh.tets[0][i] = i;
        p[i] = t->p[i];
    }
    shape->is_closed = true;
    if (iso_field_create(ctx, &mesh, p, &shape->field) != ISO_OK) {
        iso_contact_shape_destroy(ctx, shape);
        return NULL;
    }
    return shape;
}

static view view_of(const tet* t, const iso_pose* x) {
    view w = {.low = INFINITY, .high = -INFINITY};
    for (int i = 0; i < 4; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            const double* r = x->r.m[axis];
            w.v[i].x[axis] = (long double)r[0] * t->v[i].x + (long double)r[1] * t->v[i].y +
                             (long double)r[2] * t->v[i].z + iso_vec3_get(x->p, axis);
        }
        w.low = fminl(w.low, t->p[i]);
        w.high = fmaxl(w.high, t->p[i]);
    }
    w.largest = fmaxl(fabsl(w.low), fabsl(w.high));
    for (int i = 0; i < 4; ++i) {
        point o = w.v[(i + 1) % 4];
        point n = cross(sub(w.v[(i + 2) % 4], o), sub(w.v[(i + 3) % 4], o));
        long double length = norm(n), side = dot(n, sub(w.v[i], o)) < 0.0L ? -1.0L : 1.0L;
        n = add_scaled((point){{0}}, n, side / length);
        w.faces[i] = (plane){n, -dot(n, o)};
        // Barycentric coordinate i is the distance to its face over the altitude.
        long double altitude = distance_to(&w.faces[i], w.v[i]);
        w.gradient = add_scaled(w.gradient, n, t->p[i] / altitude);
        w.offset += t->p[i] * w.faces[i].offset / altitude;
    }
    return w;
}

static void cut(polygon* q, const plane* f, long double inflation) {
    polygon out = {0};
    for (int i = 0; i < q->count; ++i) {
        point a = q->v[i], b = q->v[i + 1 < q->count ? i + 1 : 0];
        long double da = distance_to(f, a) + inflation, db = distance_to(f, b) + inflation;
        if (da >= 0.0L && out.count < 16) {
            out.v[out.count++] = a;
        }
        if ((da >= 0.0L) != (db >= 0.0L) && out.count < 16) {
            out.v[out.count++] = add_scaled(a, sub(b, a), da / (da - db));
        }
    }
    *q = out;
}

// Area of the plane h = 0 inside both tetrahedra, all of whose faces are moved out by `inflation`.
static long double oracle_area(const view* a, const view* b, long double inflation) {
    point rise = sub(a->gradient, b->gradient);
    long double length = norm(rise);
    point n = add_scaled((point){{0}}, rise, 1.0L / length);
    point origin = add_scaled(a->v[0], n, -(dot(rise, a->v[0]) + a->offset - b->offset) / length);
    point u =
        cross(n, fabsl(n.x[0]) < 0.7L ? (point){{1.0L, 0.0L, 0.0L}} : (point){{0.0L, 1.0L, 0.0L}});
    u = add_scaled((point){{0}}, u, 1.0L / norm(u));
    point w = cross(n, u);
    long double reach = 100.0L;
    polygon q = {4, {{{0}}}};
    for (int i = 0; i < 4; ++i) {
        q.v[i] = add_scaled(add_scaled(origin, u, i == 0 || i == 3 ? -reach : reach), w,
                            i < 2 ? -reach : reach);
    }
    for (int i = 0; i < 8; ++i) {
        cut(&q, i < 4 ? &a->faces[i] : &b->faces[i - 4], inflation);
    }
    point sum = {{0}};
    for (int i = 1; i + 1 < q.count; ++i) {
        sum = add_scaled(sum, cross(sub(q.v[i], q.v[0]), sub(q.v[i + 1], q.v[0])), 0.5L);
    }
    return q.count < 3 ? 0.0L : norm(sum);
}

static void check_face(const iso_patch* patch, const view* a, const view* b, long double slack,
                       long double pressure_slack) {
    require(patch->areas[0] > 0.0 && isfinite(patch->areas[0]), "area", patch->areas[0], 0.0);
    require(patch->vertex_count >= 3, "vertices", patch->vertex_count, 3.0);
    require(fabs(iso_vec3_norm(patch->normals[0]) - 1.0) < 1e-14, "normal",
            iso_vec3_norm(patch->normals[0]), 1.0);
    for (int i = 0; i < patch->vertex_count; ++i) {
        point x = to_point(patch->vertices[i]);
        long double p = patch->vertex_pressures[i];
        require(iso_vec3_is_finite(patch->vertices[i]) && isfinite((double)p), "vertex", (double)p,
                0.0);
        for (int face = 0; face < 4; ++face) {
            long double in_a = distance_to(&a->faces[face], x);
            long double in_b = distance_to(&b->faces[face], x);
            require(in_a >= -slack, "vertex outside A", (double)in_a, (double)-slack);
            require(in_b >= -slack, "vertex outside B", (double)in_b, (double)-slack);
        }
        require(p >= fmaxl(a->low, b->low) - pressure_slack, "low pressure", (double)p,
                (double)fmaxl(a->low, b->low));
        require(p <= fminl(a->high, b->high) + pressure_slack, "high pressure", (double)p,
                (double)fminl(a->high, b->high));
    }
}

static void check_mirrored(const iso_patch* p, const iso_patch* q) {
    require(p->face_count == q->face_count && p->vertex_count == q->vertex_count, "swapped faces",
            q->face_count, p->face_count);
    for (int i = 0; i < p->vertex_count; ++i) {
        iso_vec3 u = p->vertices[i], v = q->vertices[p->vertex_count - 1 - i];
        require(u.x == v.x && u.y == v.y && u.z == v.z, "swapped vertex", u.x, v.x);
    }
    if (p->face_count > 0) {
        require(p->areas[0] == q->areas[0], "swapped area", q->areas[0], p->areas[0]);
        require(p->normals[0].x == -q->normals[0].x, "swapped normal", q->normals[0].x,
                p->normals[0].x);
    }
}

// (A, B), then (B, A).
static void check_pair(iso_arena arenas[2], const iso_contact_shape* shape_a, const view* a,
                       const iso_pose* x_wa, const iso_contact_shape* shape_b, const view* b,
                       const iso_pose* x_wb) {
    iso_contact_options options = {.representation = ISO_REPRESENTATION_POLYGON,
                                   .cull = ISO_CULL_NONE};
    iso_patch p, q;
    require(iso_pair_query(&arenas[0], shape_a, x_wa, shape_b, x_wb, &options, &p) == ISO_OK,
            "query", 0.0, 0.0);
    require(iso_pair_query(&arenas[1], shape_b, x_wb, shape_a, x_wa, &options, &q) == ISO_OK,
            "query", 0.0, 0.0);
    require(p.face_count <= 1, "faces", p.face_count, 1.0);
    check_mirrored(&p, &q);
    long double size = 1.0L; // of the coordinates, wherever the bodies are
    for (int i = 0; i < 4; ++i) {
        size = fmaxl(size, fmaxl(norm(a->v[i]), norm(b->v[i])));
    }
    long double rise = norm(sub(a->gradient, b->gradient));
    long double largest = fmaxl(a->largest, b->largest);
    long double steepest = fmaxl(norm(a->gradient), norm(b->gradient));
    if (!(rise > 1e-11L * steepest)) {
        return; // no plane of equal pressure, or one that rounding decides
    }
    long double noise = PRESSURE_TOLERANCE * largest + POSITION_TOLERANCE * size * steepest;
    long double slack = POSITION_TOLERANCE * size + noise / rise;
    if (p.face_count > 0) {
        check_face(&p, a, b, slack, noise + slack * steepest);
    }
    double area = p.face_count > 0 ? p.areas[0] : 0.0;
    long double most = oracle_area(a, b, slack), least = oracle_area(a, b, -slack);
    long double rounding = 1e-12L * size * size;
    require(area <= most + rounding, "more area than the oracle", area, (double)most);
    require(area >= least - rounding, "less area than the oracle", area, (double)least);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    input in = {data, size};
    int flags = next_byte(&in);
    tet a = any_tet(&in), b = related_tet(&in, &a);
    if (!make_regular(&a) || !make_regular(&b)) {
        return 0;
    }
    iso_pose x_wa = iso_pose_identity(), x_wb = x_wa;
    if (flags & 1) {
        iso_vec3 turn = next_vec3(&in), shift = next_vec3(&in);
        x_wa = iso_pose_make(
            iso_mat3_from_quat(iso_quat_normalized(iso_quat_from_rotation_vector(turn))), shift);
        x_wb = flags & 2 ? iso_pose_identity() : x_wa;
    }
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    iso_context* ctx;
    iso_arena arenas[2];
    require(iso_context_create(&desc, &ctx) == ISO_OK, "context", 0.0, 0.0);
    require(iso_arena_init(&arenas[0], ctx, 65536) == ISO_OK, "arena", 0.0, 0.0);
    require(iso_arena_init(&arenas[1], ctx, 65536) == ISO_OK, "arena", 0.0, 0.0);
    iso_contact_shape *shape_a = make_shape(ctx, &a), *shape_b = make_shape(ctx, &b);
    if (shape_a && shape_b) {
        view view_a = view_of(&a, &x_wa), view_b = view_of(&b, &x_wb);
        check_pair(arenas, shape_a, &view_a, &x_wa, shape_b, &view_b, &x_wb);
    }
    iso_contact_shape_destroy(ctx, shape_a);
    iso_contact_shape_destroy(ctx, shape_b);
    iso_arena_destroy(&arenas[0]);
    iso_arena_destroy(&arenas[1]);
    iso_context_destroy(ctx);
    return 0;
}
