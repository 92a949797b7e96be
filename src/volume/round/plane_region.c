// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The boundary is made of pieces of the circle, the conic and the lines. Each curve is cut where it
// meets the others; what lies in all of them bounds the region. Its moments are those of the
// polygon of the pieces' ends and of the segments beyond its sides.

#include "volume/round/plane_region.h"

#include "isobar/math.h"
#include "volume/round/quartic.h"

#include <math.h>

// Most places at which one curve meets others: circle and conic four times, lines twice each.
#define MOST_CUTS (4 + 2 * ISO_REGION_MOST_LINES)
// Conics that long, in radii of the disc, have pieces by their sides: they are about straight.
#define LONG_CONIC 300.0
// and those whose matrix is so singular.
#define SINGULAR 1e-12
// Sides that run along a strip, as a share of its width: straight.
#define STRAIGHT 1e-9
// How far a strip goes on, in widths.
#define ENDLESS 1e9
// Circle and conic are one where they are so near each other, in squared radii.
#define SAME_CURVE 1e-14

typedef struct point2 {
    double x, y;
} point2;

// x = c + u cos t + v sin t, counter-clockwise.
typedef struct ellipse {
    point2 c, u, v;
    bool is_long; // then c, u, v have few digits
} ellipse;

typedef struct outline {
    const iso_plane_region* region;
    ellipse ellipse;
    double x0, y0; // about which sums are
    bool only_kind;
    point2 on_conic[MOST_CUTS];
    int on_conic_count;
    iso_region_moments* out;
} outline;

static double conic_at(const iso_region_conic* q, point2 p) {
    return p.x * (q->xx * p.x + 2.0 * (q->xy * p.y + q->bx)) + p.y * (q->yy * p.y + 2.0 * q->by) +
           q->c;
}

static double beyond(const iso_region_line* l, point2 p) {
    return l->nx * p.x + l->ny * p.y - l->offset;
}

// The curve numbered 0 is the circle, 1 the conic, the others are lines.
static bool is_inside(const iso_plane_region* r, point2 p, int but) {
    if (but != 0 && p.x * p.x + p.y * p.y > r->radius * r->radius) {
        return false;
    }
    if (but != 1 && r->has_conic && conic_at(&r->conic, p) > 0.0) {
        return false;
    }
    for (int i = 0; i < r->line_count; ++i) {
        if (but != 2 + i && beyond(&r->lines[i], p) > 0.0) {
            return false;
        }
    }
    return true;
}

static void sort(double* x, int count) {
    for (int i = 1; i < count; ++i) {
        double value = x[i];
        int k = i;
        for (; k > 0 && x[k - 1] > value; --k) {
            x[k] = x[k - 1];
        }
        x[k] = value;
    }
}

static double cross2(point2 a, point2 b) {
    return a.x * b.y - a.y * b.x;
}

static point2 minus(point2 a, point2 b) {
    return (point2){a.x - b.x, a.y - b.y};
}

// The triangle of the place near the region and a side.
static void add_side(outline* o, point2 p, point2 q) {
    point2 a = {p.x - o->x0, p.y - o->y0}, b = {q.x - o->x0, q.y - o->y0};
    iso_region_moments* m = o->out;
    double area = 0.5 * cross2(a, b), sx = a.x + b.x, sy = a.y + b.y;
    m->area += area;
    m->x += area / 3.0 * sx;
    m->y += area / 3.0 * sy;
    m->xx += area / 12.0 * (a.x * a.x + b.x * b.x + sx * sx);
    m->xy += area / 12.0 * (a.x * a.y + b.x * b.y + sx * sy);
    m->yy += area / 12.0 * (a.y * a.y + b.y * b.y + sy * sy);
}

// Of a segment of the unit circle between the angles -half and half, about the origin.
static void unit_segment(double half, double* area, double* x, double* xx, double* yy) {
    double s = sin(half);
    if (half > 0.4) {
        double c = cos(half), two = s * c;
        *area = half - two;
        *x = 2.0 / 3.0 * s * s * s;
        *xx = 0.25 * half - 0.25 * two * (1.0 - 2.0 * s * s);
        *yy = 0.25 * half - two * (0.25 + s * s / 6.0);
        return;
    }
    // Over the chord's coordinate y: widths from the chord to the arc, without differences.
    static const double gauss[4][2] = {{0.1834346424956498, 0.3626837833783620},
                                       {0.5255324099163290, 0.3137066458778873},
                                       {0.7966664774136267, 0.2223810344533745},
                                       {0.9602898564975363, 0.1012285362903763}};
    double c = cos(half);
    *area = *x = *xx = *yy = 0.0;
    for (int i = 0; i < 4; ++i) {
        double y = s * gauss[i][0], w = 2.0 * s * gauss[i][1], e = sqrt(1.0 - y * y);
        double width = (s - y) * (s + y) / (e + c);
        *area += w * width;
        *x += w * width * 0.5 * (e + c);
        *xx += w * width * (e * e + e * c + c * c) / 3.0;
        *yy += w * width * y * y;
    }
}

// Of x = e.c + e.u cos + e.v sin beyond the chord between two angles.
static void add_segment(outline* o, const ellipse* e, double from, double to) {
    double area, x, xx, yy, middle = 0.5 * (from + to);
    unit_segment(0.5 * (to - from), &area, &x, &xx, &yy);
    double c = cos(middle), s = sin(middle), scale = cross2(e->u, e->v);
    point2 along = {c * e->u.x + s * e->v.x, c * e->u.y + s * e->v.y};
    point2 across = {c * e->v.x - s * e->u.x, c * e->v.y - s * e->u.y};
    point2 at = {e->c.x - o->x0, e->c.y - o->y0};
    iso_region_moments* m = o->out;
    area *= scale;
    x *= scale;
    xx *= scale;
    yy *= scale;
    m->area += area;
    m->x += area * at.x + x * along.x;
    m->y += area * at.y + x * along.y;
    m->xx += area * at.x * at.x + 2.0 * x * at.x * along.x + xx * along.x * along.x +
             yy * across.x * across.x;
    m->xy += area * at.x * at.y + x * (at.x * along.y + at.y * along.x) + xx * along.x * along.y +
             yy * across.x * across.y;
    m->yy += area * at.y * at.y + 2.0 * x * at.y * along.y + xx * along.y * along.y +
             yy * across.y * across.y;
}

static point2 on_ellipse(const ellipse* e, double t) {
    double c = cos(t), s = sin(t);
    return (point2){e->c.x + c * e->u.x + s * e->v.x, e->c.y + c * e->u.y + s * e->v.y};
}

// The direction conjugate to a side, to its right: what lies beyond the side of less than half of
// an ellipse is a graph along it, also where a long ellipse ends aslant of the side.
static point2 conjugate(const iso_region_conic* q, point2 side) {
    point2 across = {q->xx * side.x + q->xy * side.y, q->xy * side.x + q->yy * side.y};
    double length = hypot(side.x, side.y), size = hypot(across.x, across.y);
    if (!(size > STRAIGHT * (q->xx + q->yy) * length)) {
        return (point2){side.y / length, -side.x / length};
    }
    point2 m = {across.y / size, -across.x / size};
    return cross2(side, m) < 0.0 ? m : (point2){-m.x, -m.y};
}

// From the place at `share` of a side: how far the conic is along m.
static double bulge(const iso_region_conic* q, point2 p, point2 side, point2 m, double share,
                    point2* out) {
    point2 at = {p.x + share * side.x, p.y + share * side.y};
    double length = hypot(side.x, side.y);
    double a = m.x * m.x * q->xx + 2.0 * m.x * m.y * q->xy + m.y * m.y * q->yy;
    double b =
        m.x * (q->xx * at.x + q->xy * at.y + q->bx) + m.y * (q->xy * at.x + q->yy * at.y + q->by);
    // At most 0, as chords lie in the conic; by the ends it is a product.
    double c = -share * (1.0 - share) *
               (side.x * side.x * q->xx + 2.0 * side.x * side.y * q->xy + side.y * side.y * q->yy);
    double root = sqrt(fmax(b * b - a * c, 0.0));
    double h = b > 0.0 ? -c / (b + root) : a > 0.0 ? (root - b) / a : ENDLESS * length;
    h = h < ENDLESS * length ? h : ENDLESS * length;
    *out = (point2){at.x + h * m.x, at.y + h * m.y};
    return h;
}

// What lies between a side and the conic, which is there less than half of one.
static void add_bulge(outline* o, point2 p, point2 side, point2 way) {
    static const double gauss[6][2] = {
        {0.1252334085114689, 0.2491470458134028}, {0.3678314989981802, 0.2334925365383548},
        {0.5873179542866175, 0.2031674267230659}, {0.7699026741943047, 0.1600783285433462},
        {0.9041172563704749, 0.1069393259953184}, {0.9815606342467193, 0.0471753363865118}};
    point2 end;
    double wide = -cross2(side, way);
    iso_region_moments* m = o->out;
    for (int i = 0; i < 12; ++i) {
        double place = i % 2 ? -gauss[i / 2][0] : gauss[i / 2][0];
        double share = 0.5 + 0.5 * sin(0.5 * ISO_PI * place);
        double h = bulge(&o->region->conic, p, side, way, share, &end);
        double w = 0.25 * ISO_PI * cos(0.5 * ISO_PI * place) * gauss[i / 2][1] * wide * h;
        double x1 = end.x - o->x0, y1 = end.y - o->y0;
        double x0 = p.x + share * side.x - o->x0, y0 = p.y + share * side.y - o->y0;
        m->area += w;
        m->x += 0.5 * w * (x0 + x1);
        m->y += 0.5 * w * (y0 + y1);
        m->xx += w / 3.0 * (x0 * x0 + x0 * x1 + x1 * x1);
        m->xy += w / 6.0 * (2.0 * x0 * y0 + x0 * y1 + x1 * y0 + 2.0 * x1 * y1);
        m->yy += w / 3.0 * (y0 * y0 + y0 * y1 + y1 * y1);
    }
}

static void note(outline* o, int curve) {
    o->out->kind += (uint64_t)1 << (3 * curve);
}

static void add_circle_arc(outline* o, double from, double to) {
    double r = o->region->radius;
    ellipse e = {.u = {r, 0.0}, .v = {0.0, r}};
    note(o, 0);
    if (o->only_kind) {
        return;
    }
    add_side(o, on_ellipse(&e, from), on_ellipse(&e, to));
    add_segment(o, &e, from, to);
    double half = 0.5 * (to - from), middle = 0.5 * (from + to);
    double s = sin(half), c = cos(half), x = cos(middle), y = sin(middle);
    o->out->arc += to - from;
    o->out->arc_cosine += 2.0 * s * x;
    o->out->arc_sine += 2.0 * s * y;
    o->out->twice_cosine += 2.0 * s * c * (x - y) * (x + y);
    o->out->twice_sine += 4.0 * s * c * x * y;
}

static void keep_on_conic(outline* o, point2 p) {
    if (o->on_conic_count < MOST_CUTS) {
        o->on_conic[o->on_conic_count++] = p;
    }
}

// Angles at which the circle meets the conic: f is a trigonometric polynomial of degree 2 there.
static int cut_by_conic(outline* o, double* angles) {
    const iso_region_conic* q = &o->region->conic;
    double r = o->region->radius;
    const double f[5] = {q->c + 0.5 * r * r * (q->xx + q->yy), 2.0 * r * q->bx, 2.0 * r * q->by,
                         0.5 * r * r * (q->xx - q->yy), r * r * q->xy};
    int count = iso_trigonometric_roots(f, angles);
    for (int i = 0; i < count; ++i) {
        keep_on_conic(o, (point2){r * cos(angles[i]), r * sin(angles[i])});
    }
    return count;
}

static void trace_circle(outline* o) {
    const iso_plane_region* r = o->region;
    double cuts[MOST_CUTS + 1];
    int count = r->has_conic ? cut_by_conic(o, cuts) : 0;
    for (int i = 0; i < r->line_count; ++i) {
        const iso_region_line* l = &r->lines[i];
        if (fabs(l->offset) < r->radius) {
            double middle = atan2(l->ny, l->nx), half = acos(l->offset / r->radius);
            cuts[count++] = remainder(middle - half, 2.0 * ISO_PI);
            cuts[count++] = remainder(middle + half, 2.0 * ISO_PI);
        }
    }
    if (count == 0) {
        if (is_inside(r, (point2){r->radius, 0.0}, 0)) {
            add_circle_arc(o, -ISO_PI, ISO_PI);
        }
        return;
    }
    sort(cuts, count);
    cuts[count] = cuts[0] + 2.0 * ISO_PI;
    for (int i = 0; i < count; ++i) {
        double middle = 0.5 * (cuts[i] + cuts[i + 1]);
        point2 p = {r->radius * cos(middle), r->radius * sin(middle)};
        if (cuts[i + 1] > cuts[i] && is_inside(r, p, 0)) {
            add_circle_arc(o, cuts[i], cuts[i + 1]);
        }
    }
}

// Where a line meets a conic; the line runs counter-clockwise round the region.
static int cut_line(const iso_region_conic* q, point2 foot, point2 way, double* out) {
    double a = way.x * way.x * q->xx + 2.0 * way.x * way.y * q->xy + way.y * way.y * q->yy;
    double b = way.x * (q->xx * foot.x + q->xy * foot.y + q->bx) +
               way.y * (q->xy * foot.x + q->yy * foot.y + q->by);
    double c = conic_at(q, foot), square = b * b - a * c;
    if (!(square > 0.0)) {
        return 0;
    }
    double root = b > 0.0 ? -b - sqrt(square) : -b + sqrt(square);
    int count = 0;
    if (a > 0.0) {
        out[count++] = root / a;
    }
    if (root != 0.0) {
        out[count++] = c / root;
    }
    return count;
}

static void add_chord(outline* o, int line, point2 p, point2 q) {
    note(o, 2 + line);
    if (!o->only_kind) {
        add_side(o, p, q);
    }
}

static void trace_line(outline* o, int index) {
    const iso_plane_region* r = o->region;
    const iso_region_line* l = &r->lines[index];
    double half = sqrt(fmax((r->radius - l->offset) * (r->radius + l->offset), 0.0));
    if (half == 0.0) {
        return;
    }
    point2 foot = {l->offset * l->nx, l->offset * l->ny}, way = {-l->ny, l->nx};
    double cuts[MOST_CUTS] = {-half, half};
    int count = 2;
    if (r->has_conic) {
        int more = cut_line(&r->conic, foot, way, cuts + count);
        for (int i = 0; i < more; ++i) {
            double s = cuts[count + i];
            keep_on_conic(o, (point2){foot.x + s * way.x, foot.y + s * way.y});
        }
        count += more;
    }
    for (int i = 0; i < r->line_count; ++i) {
        double slope = r->lines[i].nx * way.x + r->lines[i].ny * way.y;
        if (i != index && slope != 0.0) {
            cuts[count++] = -beyond(&r->lines[i], foot) / slope;
        }
    }
    sort(cuts, count);
    for (int i = 1; i < count; ++i) {
        double middle = 0.5 * (cuts[i - 1] + cuts[i]);
        point2 p = {foot.x + cuts[i - 1] * way.x, foot.y + cuts[i - 1] * way.y};
        point2 q = {foot.x + cuts[i] * way.x, foot.y + cuts[i] * way.y};
        if (cuts[i] > cuts[i - 1] &&
            is_inside(r, (point2){foot.x + middle * way.x, foot.y + middle * way.y}, 2 + index)) {
            add_chord(o, index, p, q);
        }
    }
}

// Axes of a conic. False: it has no inside.
static bool find_ellipse(const iso_region_conic* q, double radius, ellipse* e) {
    double det = q->xx * q->yy - q->xy * q->xy;
    if (!(det > SINGULAR * (q->xx + q->yy) * (q->xx + q->yy))) {
        e->is_long = true;
        return true;
    }
    e->c = (point2){(q->xy * q->by - q->yy * q->bx) / det, (q->xy * q->bx - q->xx * q->by) / det};
    double size = -(q->bx * e->c.x + q->by * e->c.y + q->c);
    e->is_long = size * (q->xx + q->yy) > det * (LONG_CONIC * LONG_CONIC * radius * radius);
    if (!(size > 0.0)) {
        return e->is_long;
    }
    // The columns of L^-T, M = L L^T, times the root of the size.
    bool is_swapped = q->xx < q->yy;
    double first = is_swapped ? q->yy : q->xx, l11 = sqrt(first), l21 = q->xy / l11;
    double l22 = sqrt(det / first), root = sqrt(size);
    point2 u = {root / l11, 0.0}, v = {-root * l21 / (l11 * l22), root / l22};
    e->u = is_swapped ? (point2){0.0, u.x} : u;
    e->v = is_swapped ? (point2){-v.y, -v.x} : v;
    return true;
}

static double turn_on(const ellipse* e, point2 p) {
    point2 d = minus(p, e->c);
    return atan2(cross2(e->u, d), cross2(d, e->v));
}

static void trace_ellipse(outline* o) {
    const ellipse* e = &o->ellipse;
    double cuts[MOST_CUTS + 1];
    int count = o->on_conic_count;
    for (int i = 0; i < count; ++i) {
        cuts[i] = turn_on(e, o->on_conic[i]);
    }
    sort(cuts, count);
    if (count == 0) {
        cuts[0] = -ISO_PI;
    }
    cuts[count > 0 ? count : 1] = cuts[0] + 2.0 * ISO_PI;
    for (int i = 0; i < (count > 0 ? count : 1); ++i) {
        point2 middle = on_ellipse(e, 0.5 * (cuts[i] + cuts[i + 1]));
        if (!(cuts[i + 1] > cuts[i]) || !is_inside(o->region, middle, 1)) {
            continue;
        }
        note(o, 1);
        if (!o->only_kind) {
            add_side(o, on_ellipse(e, cuts[i]), on_ellipse(e, cuts[i + 1]));
            add_segment(o, e, cuts[i], cuts[i + 1]);
        }
    }
}

// Pieces of a long conic lie beyond the sides of what is cut out of it, in the order of their ends
// about the middle.
static void trace_sides(outline* o) {
    int count = o->on_conic_count;
    point2 middle = {0.0, 0.0}, points[MOST_CUTS + 1];
    double turns[MOST_CUTS];
    for (int i = 0; i < count; ++i) {
        middle.x += o->on_conic[i].x / count;
        middle.y += o->on_conic[i].y / count;
    }
    for (int i = 0; i < count; ++i) {
        double turn = atan2(o->on_conic[i].y - middle.y, o->on_conic[i].x - middle.x);
        int k = i;
        for (; k > 0 && turns[k - 1] > turn; --k) {
            turns[k] = turns[k - 1];
            points[k] = points[k - 1];
        }
        turns[k] = turn;
        points[k] = o->on_conic[i];
    }
    points[count] = points[0];
    for (int i = 0; i < count && count > 1; ++i) {
        point2 p = points[i], q = points[i + 1], at;
        if (p.x == q.x && p.y == q.y) {
            continue;
        }
        point2 side = minus(q, p), way = conjugate(&o->region->conic, side);
        bulge(&o->region->conic, p, side, way, 0.5, &at);
        if (!is_inside(o->region, at, 1)) {
            continue;
        }
        note(o, 1);
        if (!o->only_kind) {
            add_side(o, p, q);
            add_bulge(o, p, side, way);
        }
    }
}

// Whether the conic is the circle itself.
static bool is_circle(const iso_plane_region* r) {
    const iso_region_conic* q = &r->conic;
    double r2 = r->radius * r->radius, least = SAME_CURVE * r2;
    return fabs(q->c + r2 * q->xx) < least && fabs(q->xx - q->yy) < SAME_CURVE &&
           fabs(q->xy) < SAME_CURVE && fabs(q->bx) * r->radius < least &&
           fabs(q->by) * r->radius < least;
}

void iso_plane_region_moments(const iso_plane_region* region, double x, double y, bool only_kind,
                              iso_region_moments* out) {
    *out = (iso_region_moments){0};
    iso_plane_region r = {.radius = region->radius, .conic = region->conic};
    outline o = {.region = &r, .x0 = x, .y0 = y, .only_kind = only_kind, .out = out};
    for (int i = 0; i < region->line_count; ++i) {
        if (region->lines[i].offset <= -r.radius) {
            return;
        }
        if (region->lines[i].offset < r.radius) {
            r.lines[r.line_count++] = region->lines[i];
        }
    }
    r.has_conic = region->has_conic && !is_circle(region);
    if (r.has_conic && !find_ellipse(&r.conic, r.radius, &o.ellipse)) {
        return;
    }
    trace_circle(&o);
    for (int i = 0; i < r.line_count; ++i) {
        trace_line(&o, i);
    }
    if (r.has_conic && o.ellipse.is_long) {
        trace_sides(&o);
    } else if (r.has_conic) {
        trace_ellipse(&o);
    }
}
