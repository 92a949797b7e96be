// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Columns along the axis of a cylinder below each triangle of a polyhedron, above its end: what of
// the triangle is in the disc is a polygon and segments of the disc, over which columns are
// integrated. Integrals are continuous in corners, so that nobody asks on which side of an edge
// a place lies.

#include "geometry/mesh/mesh.h"
#include "volume/round/round.h"
#include "volume/solids/moments.h"

// Corners of a triangle between two planes, and of what of it is in the disc.
enum { k_most_corners = 5, k_most_places = 32 };

// Arcs are parts of at most so many of a turn; places so near on the circle may be one or a turn
// apart; triangles that stand so upright have no columns below them.
#define PARTS_OF_TURN 8.0
#define SAME_ANGLE 1e-6
#define UPRIGHT 1e-13
// Volumes that are rounding of the cylinder's.
#define ROUNDING 2e-15

// Half of Gauss' 8 points on [-1, 1]: place, weight.
static const double k_gauss[4][2] = {{0.1834346424956498, 0.3626837833783620},
                                     {0.5255324099163290, 0.3137066458778873},
                                     {0.7966664774136267, 0.2223810344533745},
                                     {0.9602898564975363, 0.1012285362903763}};

// Frame F: the cylinder's, turned so that most of the polyhedron is below.
typedef struct columns {
    double radius, half;
    double sign;            // of the triangle: 1 where the solid ends upward
    iso_vec3 at;            // on the piece, which rises by these along x and y
    double rise_x, rise_y;  //
    bool is_capped;         // the piece lies beyond the upper end
    iso_volume_moments sum; // its area and turn are those of the cylinder's surface in B
} columns;

// What of a piece is in the disc, counter-clockwise.
typedef struct outline {
    iso_column_corner places[k_most_places];
    int count;
} outline;

static double height_at(const columns* c, double x, double y) {
    if (c->is_capped) {
        return 2.0 * c->half;
    }
    double z = c->at.z + c->rise_x * (x - c->at.x) + c->rise_y * (y - c->at.y);
    return fmin(fmax(z + c->half, 0.0), 2.0 * c->half);
}

// A column of a small section, and that of the end which it stands on.
static void add_column(columns* c, double x, double y, double section) {
    iso_volume_moments* m = &c->sum;
    double h = height_at(c, x, y), share = section * h, middle = 0.5 * h;
    x -= m->reference.x;
    y -= m->reference.y;
    m->volume += share;
    m->first = iso_vec3_add(m->first, iso_vec3_make(share * x, share * y, share * middle));
    m->second.m[0][0] += share * x * x;
    m->second.m[0][1] += share * x * y;
    m->second.m[0][2] += share * x * middle;
    m->second.m[1][1] += share * y * y;
    m->second.m[1][2] += share * y * middle;
    m->second.m[2][2] += share * h * h / 3.0;
    if (!c->is_capped) {
        m->area.z -= section;
        m->turn = iso_vec3_add(m->turn, iso_vec3_make(-section * y, section * x, 0.0));
    }
}

// The stripe of side below a place of the circle.
static void add_stripe(columns* c, double cosine, double sine, double width) {
    iso_volume_moments* m = &c->sum;
    double x = c->radius * cosine, y = c->radius * sine, h = height_at(c, x, y);
    iso_vec3 n = iso_vec3_make(width * h * cosine, width * h * sine, 0.0);
    iso_vec3 arm = iso_vec3_make(x - m->reference.x, y - m->reference.y, 0.5 * h);
    m->area = iso_vec3_add(m->area, n);
    m->turn = iso_vec3_add(m->turn, iso_vec3_cross(arm, n));
}

// The segment of the disc beyond the chord of an arc, in strips from chord to arc.
static void add_segment(columns* c, double from, double to) {
    static const double inner = 0.21132486540518713; // Gauss' 2 points on [0, 1]
    double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    double cm = cos(middle), sm = sin(middle), r = c->radius;
    for (int i = 0; i < 8; ++i) {
        double place = i % 2 ? -k_gauss[i / 2][0] : k_gauss[i / 2][0];
        double turn = half * place, weight = c->sign * half * k_gauss[i / 2][1];
        double along = r * sin(turn), end = r * cos(turn);
        double width = 2.0 * r * sin(0.5 * (half + turn)) * sin(0.5 * (half - turn));
        double section = 0.5 * weight * end * width;
        for (int k = 0; k < 2; ++k) {
            double across = end - width * (k ? inner : 1.0 - inner);
            add_column(c, cm * across - sm * along, sm * across + cm * along, section);
        }
        add_stripe(c, cos(middle + turn), sin(middle + turn), weight * r);
    }
}

static void add_place(const columns* c, outline* o, double x, double y) {
    if (o->count < k_most_places) {
        double low = -c->half;
        o->places[o->count++] = (iso_column_corner){iso_vec3_make(x, y, low), height_at(c, x, y)};
    }
}

static void add_arc(columns* c, outline* o, double from, double angle) {
    int parts = (int)ceil(angle * PARTS_OF_TURN / (2.0 * ISO_PI));
    for (int i = 0; i < parts; ++i) {
        double start = from + angle * i / parts, end = from + angle * (i + 1) / parts;
        if (i > 0) {
            add_place(c, o, c->radius * cos(start), c->radius * sin(start));
        }
        add_segment(c, start, end);
    }
}

// Twice the area of the triangle of two corners and a place.
static double beside(iso_vec3 p, iso_vec3 q, double x, double y) {
    return (q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x);
}

static bool has_inside(const iso_vec3* p, int count, double x, double y) {
    for (int i = 0; i < count; ++i) {
        if (beside(p[i], p[(i + 1) % count], x, y) < 0.0) {
            return false;
        }
    }
    return true;
}

// The part of an edge in the disc, from share to share; false: there is none.
static bool cut_edge(double radius, iso_vec3 p, iso_vec3 q, double* out_enter, double* out_leave) {
    double dx = q.x - p.x, dy = q.y - p.y, length2 = dx * dx + dy * dy;
    if (!(length2 > 0.0)) {
        return false;
    }
    double length = sqrt(length2), offset = fabs(p.x * q.y - p.y * q.x) / length;
    double middle = -(p.x * dx + p.y * dy) / length2,
           square = (radius - offset) * (radius + offset);
    double half = square > 0.0 ? sqrt(square) / length : 0.0;
    *out_enter = fmax(middle - half, 0.0);
    *out_leave = fmin(middle + half, 1.0);
    return *out_enter < *out_leave;
}

// How far the circle goes on from where one edge leaves it to where another enters.
static double arc_between(const columns* c, const iso_vec3* p, int count, double from, double to) {
    double angle = remainder(to - from, 2.0 * ISO_PI);
    if (fabs(angle) < SAME_ANGLE) {
        double x = -c->radius * cos(from), y = -c->radius * sin(from);
        return has_inside(p, count, x, y) ? angle + 2.0 * ISO_PI : fmax(angle, 0.0);
    }
    return angle < 0.0 ? angle + 2.0 * ISO_PI : angle;
}

// Ends of the part of an edge in the disc, on the circle or at corners.
typedef struct chord {
    double x0, y0, x1, y1;
    bool enters, leaves;
} chord;

static int cut_edges(double radius, const iso_vec3* p, int count, chord* out) {
    int found = 0;
    for (int i = 0; i < count; ++i) {
        iso_vec3 a = p[i], b = p[(i + 1) % count];
        double enter, leave;
        if (cut_edge(radius, a, b, &enter, &leave)) {
            out[found++] = (chord){a.x + enter * (b.x - a.x),
                                   a.y + enter * (b.y - a.y),
                                   leave < 1.0 ? a.x + leave * (b.x - a.x) : b.x,
                                   leave < 1.0 ? a.y + leave * (b.y - a.y) : b.y,
                                   enter > 0.0,
                                   leave < 1.0};
        }
    }
    return found;
}

// A convex piece of a triangle, counter-clockwise.
static void add_piece(columns* c, const iso_vec3* p, int count) {
    chord chords[k_most_corners];
    outline o = {.count = 0};
    int found = count > 2 ? cut_edges(c->radius, p, count, chords) : 0;
    if (found == 0) {
        if (count < 3 || !has_inside(p, count, 0.0, 0.0)) {
            return;
        }
        add_place(c, &o, -c->radius, 0.0);
        add_arc(c, &o, -ISO_PI, 2.0 * ISO_PI);
    }
    for (int i = 0; i < found; ++i) {
        const chord *now = &chords[i], *next = &chords[(i + 1) % found];
        add_place(c, &o, now->x0, now->y0);
        if (now->leaves || next->enters) {
            add_place(c, &o, now->x1, now->y1);
            double from = atan2(now->y1, now->x1), to = atan2(next->y0, next->x0);
            add_arc(c, &o, from, arc_between(c, p, count, from, to));
        }
    }
    iso_volume_add_columns(&c->sum, o.places, o.count, c->sign, c->is_capped ? 0.0 : -c->sign);
}

// What of a convex polygon is above a plane, or below it.
static int clip(const iso_vec3* p, int count, double at, double side, iso_vec3* out) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        iso_vec3 a = p[i], b = p[(i + 1) % count];
        double da = side * (a.z - at), db = side * (b.z - at);
        if (da >= 0.0) {
            out[kept++] = a;
        }
        if ((da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0)) {
            iso_vec3 cut = iso_vec3_lerp(a, b, da / (da - db));
            cut.z = at;
            out[kept++] = cut;
        }
    }
    return kept;
}

static void add_triangle(columns* c, const iso_vec3 corners[3]) {
    iso_vec3 twice = iso_triangle_area_vector(corners[0], corners[1], corners[2]);
    if (!(fabs(twice.z) > UPRIGHT * iso_vec3_norm(twice))) {
        return;
    }
    bool is_up = twice.z > 0.0;
    const iso_vec3 p[3] = {corners[0], corners[is_up ? 1 : 2], corners[is_up ? 2 : 1]};
    iso_vec3 above[k_most_corners + 1], piece[k_most_corners + 1];
    int count = clip(p, 3, -c->half, 1.0, above);
    c->sign = is_up ? 1.0 : -1.0;
    c->at = p[0];
    c->rise_x = -twice.x / twice.z;
    c->rise_y = -twice.y / twice.z;
    double top = fmax(p[0].z, fmax(p[1].z, p[2].z));
    for (int i = 0; i < (top > c->half ? 2 : 1); ++i) { // what lies in the end's plane counts once
        c->is_capped = i > 0;
        add_piece(c, piece, clip(above, count, c->half, i ? 1.0 : -1.0, piece));
    }
}

static void corners_of(const iso_volume_body* b, const iso_pose* x_fb, int triangle,
                       iso_vec3 out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = iso_pose_point(x_fb, b->surface.vertices[b->surface.triangles[triangle][k]]);
    }
}

// Whether a box may have places beside the axis and above the lower end.
static bool reaches(const columns* c, const iso_bvh_node* node, int side, const iso_pose* x_fb) {
    iso_vec3 center = {(double)node->center[0][side], (double)node->center[1][side],
                       (double)node->center[2][side]};
    double x = (double)node->half[0][side], y = (double)node->half[1][side];
    double z = (double)node->half[2][side], out = sqrt(x * x + y * y + z * z) * (1.0 + 1e-6);
    iso_vec3 p = iso_pose_point(x_fb, center);
    return p.z + out > -c->half && hypot(p.x, p.y) - out < c->radius;
}

static void add_near(columns* c, const iso_volume_body* b, const iso_pose* x_fb) {
    int stack[ISO_BVH_STACK_SIZE], depth = 0;
    iso_vec3 p[3];
    stack[depth++] = 0;
    while (depth > 0) {
        const iso_bvh_node* node = &b->tree.nodes[stack[--depth]];
        for (int side = 0; side < 2; ++side) {
            if (!reaches(c, node, side, x_fb)) {
                continue;
            }
            if (node->child[side] >= 0) {
                stack[depth++] = node->child[side];
                continue;
            }
            const int* elements = &b->tree.elements[(-1 - node->child[side]) * ISO_BVH_LEAF_SIZE];
            for (int i = 0; i < ISO_BVH_LEAF_SIZE && elements[i] >= 0; ++i) {
                corners_of(b, x_fb, elements[i], p);
                add_triangle(c, p);
            }
        }
    }
}

void iso_volume_cylinder_polyhedron(double radius, double length, const iso_volume_body* b,
                                    const iso_pose* x_ab, iso_volume_metrics* out_metrics) {
    iso_vec3 middle = iso_pose_point(x_ab, iso_vec3_lerp(b->lower, b->upper, 0.5));
    double up = middle.z > 0.0 ? -1.0 : 1.0;
    iso_pose x_af = iso_pose_make(iso_mat3_diagonal(1.0, up, up), iso_vec3_zero());
    iso_pose x_fb = iso_pose_mul(&x_af, x_ab); // a half turn is its own inverse
    columns c = {.radius = radius, .half = 0.5 * length};
    double far = hypot(middle.x, middle.y), share = far > radius ? radius / far : 1.0;
    c.sum.reference = iso_vec3_make(share * middle.x, share * up * middle.y, -c.half);
    c.sum.face_count = 1;
    add_near(&c, b, &x_fb);
    c.sum.area = iso_vec3_neg(c.sum.area); // that of B: the surface of a volume is closed
    c.sum.turn = iso_vec3_neg(c.sum.turn);
    if (!(c.sum.volume > ROUNDING * radius * radius * length)) {
        c.sum.volume = 0.0;
    }
    iso_volume_finish(&c.sum, &x_af, ISO_VOLUME_ANALYTIC, out_metrics);
}
