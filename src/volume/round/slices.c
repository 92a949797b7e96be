// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A ball, capsule or cylinder A and a convex primitive B: sections across the axis of A are discs
// cut by conics and lines, of which the moments are known (plane_region.c). Along the axis they are
// integrated between the places where they change their kind. Those where a plane of B meets the
// skin of A are known, as a face may stand nearly across the axis; the others are bisected for.

#include "geometry/search/primitive_query.h"
#include "volume/round/plane_region.h"
#include "volume/round/round.h"
#include "volume/solids/moments.h"

// Most places along the axis where sections change their kind.
#define MOST_BREAKS 144
#define MOST_KNOWN 80
// Sections looked at for that between places that are known: so many, and more on all of the way;
// and how near such places are found, as a share.
#define LOOKS 8
#define MORE_LOOKS 18.0
#define NEAR_BREAK 1e-8
// but not below rounding, as a share of the size of A.
#define SAME_PLACE 1e-15
// Bisections that find the ends of the volume.
#define END_STEPS 44
// Gauss' and Kronrod's rules may differ by so much of the volume: the latter has twice the digits.
#define DIFFERENCE 1e-11
#define MOST_HALVES 12
// What rounding leaves of sections, as a share of the square of the radius; and parts of the way at
// most, where it leaves more.
#define ROUNDING 2e-15
#define MOST_PARTS 160
// Cuts of what a point of both is sought in: each takes an eighth of its logarithm or more.
#define WITNESS_STEPS 400

// Part of B, in the frame of A: a round solid between planes.
typedef struct piece {
    bool is_round;                           // else planes alone
    iso_mat3 form;                           // (x - center)^T form (x - center) <= size
    iso_vec3 center;                         //
    double size;                             //
    int plane_count;                         //
    iso_vec3 normals[ISO_REGION_MOST_LINES]; // normal . x <= offset
    double offsets[ISO_REGION_MOST_LINES];
} piece;

typedef struct slices {
    double radius, half; // of A; half its cylinder
    bool has_caps;       // beyond that
    bool has_skin;       // of a unit ball, `mixed` is wanted
    piece pieces[3];
    int piece_count;
    double known[MOST_KNOWN]; // sorted
    int known_count;
    double breaks[MOST_BREAKS];
    int break_count;
    double allowed;         // difference of a part [m^3]
    int part_count;         //
    iso_volume_moments sum; // its area and turn are those of A's surface in B
    iso_mat3 mixed;         // over a ball's surface: of (x - reference) normal^T
} slices;

static void add_plane(piece* p, iso_vec3 normal, double offset) {
    p->normals[p->plane_count] = normal;
    p->offsets[p->plane_count++] = offset;
}

static iso_mat3 ball_form(void) {
    return iso_mat3_diagonal(1.0, 1.0, 1.0);
}

static void set_box(const iso_shape_desc* b, const iso_pose* x_ab, slices* s) {
    piece* p = &s->pieces[s->piece_count++];
    for (int i = 0; i < 3; ++i) {
        iso_vec3 n = iso_mat3_column(&x_ab->r, i);
        double at = iso_vec3_dot(n, x_ab->p), half = 0.5 * iso_vec3_get(b->size, i);
        add_plane(p, n, half + at);
        add_plane(p, iso_vec3_neg(n), half - at);
    }
}

static void set_ellipsoid(const iso_shape_desc* b, const iso_pose* x_ab, slices* s) {
    piece* p = &s->pieces[s->piece_count++];
    double least = fmin(b->size.x, fmin(b->size.y, b->size.z));
    iso_mat3 own = iso_mat3_diagonal(least * least / (b->size.x * b->size.x),
                                     least * least / (b->size.y * b->size.y),
                                     least * least / (b->size.z * b->size.z));
    p->is_round = true;
    p->form = iso_mat3_mul(iso_mat3_mul(x_ab->r, own), iso_mat3_transpose(x_ab->r));
    p->center = x_ab->p;
    p->size = least * least;
}

// Cylinder and caps, of which each has its own side of a plane.
static void set_turned(const iso_shape_desc* b, const iso_pose* x_ab, slices* s) {
    iso_vec3 axis = iso_mat3_column(&x_ab->r, 2);
    double half = 0.5 * b->length, at = iso_vec3_dot(axis, x_ab->p);
    piece* p = &s->pieces[s->piece_count++];
    p->is_round = true;
    p->form = iso_mat3_add(ball_form(), iso_mat3_scale(iso_mat3_outer(axis, axis), -1.0));
    p->center = x_ab->p;
    p->size = b->radius * b->radius;
    add_plane(p, axis, half + at);
    add_plane(p, iso_vec3_neg(axis), half - at);
    for (int side = -1; side <= 1 && b->kind == ISO_SHAPE_CAPSULE; side += 2) {
        p = &s->pieces[s->piece_count++];
        p->is_round = true;
        p->form = ball_form();
        p->center = iso_vec3_add_scaled(x_ab->p, axis, side * half);
        p->size = b->radius * b->radius;
        add_plane(p, iso_vec3_scale(axis, -side), -half - side * at);
    }
}

static void set_pieces(const iso_shape_desc* b, const iso_pose* x_ab, slices* s) {
    switch (b->kind) {
    case ISO_SHAPE_BOX:
        set_box(b, x_ab, s);
        break;
    case ISO_SHAPE_ELLIPSOID:
        set_ellipsoid(b, x_ab, s);
        break;
    default:
        set_turned(b, x_ab, s);
    }
}

// Of the section of A at z: its radius, and how its surface leans.
static double profile(const slices* s, double z, double* out_over) {
    double over = fabs(z) - s->half;
    *out_over = over > 0.0 ? (z > 0.0 ? over : -over) : 0.0;
    double square = over <= 0.0   ? s->radius * s->radius
                    : s->has_caps ? (s->radius - over) * (s->radius + over)
                                  : 0.0;
    return square > 0.0 ? sqrt(square) : 0.0;
}

// The section of a piece of B at z; false: there is none.
static bool make_region(const piece* p, double radius, double z, iso_plane_region* out) {
    *out = (iso_plane_region){.radius = radius, .has_conic = p->is_round};
    if (p->is_round) {
        const iso_mat3* m = &p->form;
        iso_vec3 from = iso_vec3_make(-p->center.x, -p->center.y, z - p->center.z);
        iso_vec3 slope = iso_mat3_mul_vec3(m, from);
        out->conic =
            (iso_region_conic){m->m[0][0], m->m[0][1], m->m[1][1],
                               slope.x,    slope.y,    iso_vec3_dot(from, slope) - p->size};
    }
    for (int i = 0; i < p->plane_count; ++i) {
        iso_vec3 n = p->normals[i];
        double offset = p->offsets[i] - n.z * z, across = hypot(n.x, n.y);
        if (across > 1e-12) {
            out->lines[out->line_count++] =
                (iso_region_line){n.x / across, n.y / across, offset / across};
        } else if (offset < 0.0) {
            return false;
        }
    }
    return radius > 0.0;
}

static uint64_t kind_at(const slices* s, double z) {
    uint64_t kind = 0;
    double over, radius = profile(s, z, &over);
    for (int i = 0; i < s->piece_count; ++i) {
        iso_plane_region region;
        iso_region_moments m = {0};
        if (make_region(&s->pieces[i], radius, z, &region)) {
            iso_plane_region_moments(&region, 0.0, 0.0, true, &m);
        }
        kind = kind * 0x9e3779b97f4a7c15u + m.kind;
    }
    return kind;
}

// The part of a ball's surface beside a weighted section: its normal is x over the radius.
static void add_skin(slices* s, double radius, double z, double weight,
                     const iso_region_moments* p) {
    double r2 = 0.5 * weight * radius * radius, x = weight * radius * p->arc_cosine,
           y = weight * radius * p->arc_sine, up = weight * z * p->arc;
    iso_vec3 from = s->sum.reference, area = {x, y, up};
    iso_mat3 m = {{{r2 * (p->arc + p->twice_cosine), r2 * p->twice_sine, z * x},
                   {r2 * p->twice_sine, r2 * (p->arc - p->twice_cosine), z * y},
                   {z * x, z * y, z * up}}};
    m = iso_mat3_add(m, iso_mat3_scale(iso_mat3_outer(from, area), -1.0));
    s->mixed = iso_mat3_add(s->mixed, m);
}

// A weighted section; returns its area.
static double add_section(slices* s, double z, double weight) {
    iso_volume_moments* m = &s->sum;
    iso_vec3 at = iso_vec3_make(m->reference.x, m->reference.y, z - m->reference.z);
    double over, radius = profile(s, z, &over), sum = 0.0;
    for (int i = 0; i < s->piece_count; ++i) {
        iso_plane_region region;
        iso_region_moments p;
        if (!make_region(&s->pieces[i], radius, z, &region)) {
            continue;
        }
        iso_plane_region_moments(&region, at.x, at.y, false, &p);
        double area = weight * p.area, x = weight * p.x, y = weight * p.y;
        double c = weight * radius * p.arc_cosine, d = weight * radius * p.arc_sine;
        double up = weight * over * p.arc, lean = over - at.z;
        sum += p.area;
        if (s->has_skin) {
            add_skin(s, radius, z, weight, &p);
        }
        m->volume += area;
        m->first = iso_vec3_add(m->first, iso_vec3_make(x, y, area * at.z));
        m->second.m[0][0] += weight * p.xx;
        m->second.m[0][1] += weight * p.xy;
        m->second.m[1][1] += weight * p.yy;
        m->second.m[0][2] += x * at.z;
        m->second.m[1][2] += y * at.z;
        m->second.m[2][2] += area * at.z * at.z;
        m->area = iso_vec3_add(m->area, iso_vec3_make(c, d, up));
        m->turn = iso_vec3_add(m->turn, iso_vec3_make(d * lean - at.y * up, at.x * up - c * lean,
                                                      at.y * c - at.x * d));
    }
    return sum;
}

// Gauss' rule of 10 points in Kronrod's of 21: place, weights of both.
static const double k_rule[11][3] = {
    {0.0, 0.14944555400291691, 0.0},
    {0.14887433898163122, 0.14773910490133849, 0.29552422471475287},
    {0.29439286270146020, 0.14277593857706008, 0.0},
    {0.43339539412924719, 0.13470921731147333, 0.26926671930999636},
    {0.56275713466860468, 0.12349197626206585, 0.0},
    {0.67940956829902441, 0.10938715880229764, 0.21908636251598204},
    {0.78081772658641690, 0.09312545458369761, 0.0},
    {0.86506336668898451, 0.07503967481091995, 0.14945134915058059},
    {0.93015749135570823, 0.05475589657435200, 0.0},
    {0.97390652851717172, 0.03255816230796473, 0.06667134430868814},
    {0.99565716302580808, 0.01169463886737187, 0.0},
};

// Adds a piece in which sections are smooth, by halves where that takes more points.
static void integrate(slices* s, double from, double to, int halves) {
    iso_volume_moments before = s->sum;
    iso_mat3 mixed = s->mixed;
    double middle = 0.5 * (from + to), half = 0.5 * (to - from), quarter = 0.5 * ISO_PI;
    double difference = 0.0, skew = 0.0; // that of the first moment: a kink hides from one alone
    for (int i = -10; i <= 10; ++i) {
        const double* rule = k_rule[i < 0 ? -i : i];
        double turn = quarter * (i < 0 ? -rule[0] : rule[0]);
        double z = middle + half * sin(turn), way = half * cos(turn) * quarter;
        double change = way * (rule[1] - rule[2]) * add_section(s, z, way * rule[1]);
        difference += change;
        skew += change * sin(turn);
    }
    ++s->part_count;
    if (fabs(difference) + fabs(skew) > s->allowed && halves < MOST_HALVES &&
        s->part_count < MOST_PARTS) {
        s->sum = before;
        s->mixed = mixed;
        integrate(s, from, middle, halves + 1);
        integrate(s, middle, to, halves + 1);
    }
}

static void add_break(slices* s, double z) {
    if (s->break_count < MOST_BREAKS) {
        s->breaks[s->break_count++] = z;
    }
}

// Places between two sections at which the kind changes, in order.
static void find_changes(slices* s, double from, uint64_t kind_from, double to, uint64_t kind_to,
                         double near) {
    while (kind_from != kind_to && s->break_count < MOST_BREAKS - MOST_KNOWN) {
        double low = from, high = to;
        uint64_t kind_high = kind_to;
        while (high - low > near) {
            double middle = 0.5 * (low + high);
            uint64_t kind = kind_at(s, middle);
            bool is_low = kind == kind_from;
            low = is_low ? middle : low;
            kind_high = is_low ? kind_high : kind;
            high = is_low ? high : middle;
        }
        add_break(s, 0.5 * (low + high));
        from = high;
        kind_from = kind_high;
    }
}

static void find_breaks(slices* s, double from, double to, double all) {
    double least = SAME_PLACE * (s->half + s->radius);
    double before = 0.0, near = fmax(NEAR_BREAK * (to - from), least);
    uint64_t kind_before = 0;
    int looks = LOOKS + (int)(MORE_LOOKS * (to - from) / all);
    looks = to - from > 10.0 * least ? looks : 0;
    for (int i = 0; i < looks; ++i) {
        double share = 0.5 - 0.5 * cos(ISO_PI * (i + 0.5) / looks), z = from + share * (to - from);
        uint64_t kind = kind_at(s, z);
        if (i > 0) {
            find_changes(s, before, kind_before, z, kind, near);
        }
        before = z;
        kind_before = kind;
    }
    add_break(s, to);
}

static void know(slices* s, double z, double from, double to) {
    if (!(z > from && z < to) || s->known_count == MOST_KNOWN) {
        return;
    }
    int i = s->known_count++;
    for (; i > 0 && s->known[i - 1] > z; --i) {
        s->known[i] = s->known[i - 1];
    }
    s->known[i] = z;
}

// Where a plane is tangent to the skin of A, or to the rim where caps begin.
static void know_plane(slices* s, iso_vec3 n, double offset, double from, double to) {
    double across = hypot(n.x, n.y);
    for (int side = -1; side <= 1; side += 2) {
        double end = side * s->half, beyond = offset - end * n.z;
        double z = n.z != 0.0 ? (offset - side * across * s->radius) / n.z : NAN;
        if (fabs(z) <= s->half) {
            know(s, z, from, to);
        }
        double square = (s->radius - beyond) * (s->radius + beyond);
        for (int way = -1; way <= 1 && s->has_caps && square > 0.0; way += 2) {
            know(s, end + n.z * beyond + way * across * sqrt(square), from, to);
        }
    }
}

static void know_places(slices* s, double from, double to) {
    if (s->half > 0.0) {
        know(s, -s->half, from, to);
        know(s, s->half, from, to);
    }
    for (int i = 0; i < s->piece_count; ++i) {
        const piece* p = &s->pieces[i];
        for (int k = 0; k < p->plane_count; ++k) {
            know_plane(s, p->normals[k], p->offsets[k], from, to);
        }
    }
}

// The ellipsoid method: the points of both lie in an ellipsoid, x with (x - center)^T Q^-1 (x -
// center) <= 1. A plane beyond which they are cuts it, and the smallest one about the rest is next.
typedef struct search {
    iso_vec3 center;
    iso_mat3 q;
} search;

// All points have normal . (x - center) <= -depth; false: there are none.
static bool cut(search* e, iso_vec3 normal, double depth) {
    iso_vec3 qn = iso_mat3_mul_vec3(&e->q, normal);
    double reach = sqrt(iso_vec3_dot(normal, qn)), share = depth / reach;
    if (!(share < 1.0)) {
        return false;
    }
    iso_vec3 g = iso_vec3_scale(qn, 1.0 / reach);
    double less = 2.0 * (1.0 + 3.0 * share) / (4.0 * (1.0 + share));
    iso_mat3 slimmer = iso_mat3_add(e->q, iso_mat3_scale(iso_mat3_outer(g, g), -less));
    e->q = iso_mat3_scale(slimmer, 1.125 * (1.0 - share * share));
    e->center = iso_vec3_add_scaled(e->center, g, -(1.0 + 3.0 * share) / 4.0);
    return true;
}

// A point of both, as distances to either are convex; false: they have no volume in common.
static bool find_witness(const slices* s, const iso_shape_desc* a, const iso_shape_desc* b,
                         const iso_pose* x_ab, iso_vec3* out) {
    double size = s->radius + s->half, square = 1.01 * size * size;
    search e = {iso_vec3_zero(), iso_mat3_diagonal(square, square, square)};
    iso_vec3 nearest, normal_a, normal_b;
    bool may_be = true;
    for (int i = 0; i < WITNESS_STEPS && may_be; ++i) {
        iso_vec3 p_b = iso_pose_inverse_point(x_ab, e.center);
        double of_a = iso_primitive_distance(a, e.center, &nearest, &normal_a);
        double of_b = iso_primitive_distance(b, p_b, &nearest, &normal_b);
        normal_b = iso_mat3_mul_vec3(&x_ab->r, normal_b);
        if (of_a < 0.0 && of_b < 0.0 && kind_at(s, e.center.z) != 0) {
            *out = e.center;
            return true;
        }
        may_be = of_a > of_b ? cut(&e, normal_a, of_a) : cut(&e, normal_b, of_b);
    }
    return false;
}

// The end of the volume along the axis between a section that is not empty and an end of A.
static double find_end(const slices* s, double from, double to) {
    for (int i = 0; i < END_STEPS; ++i) {
        double middle = 0.5 * (from + to);
        bool is_in = kind_at(s, middle) != 0;
        from = is_in ? middle : from;
        to = is_in ? to : middle;
    }
    return 0.5 * (from + to);
}

// A flat end of A, where the volume reaches it.
static void add_end(slices* s, double side) {
    double z = side * s->half, x0 = s->sum.reference.x, y0 = s->sum.reference.y;
    for (int i = 0; i < s->piece_count; ++i) {
        iso_plane_region region;
        iso_region_moments p;
        if (make_region(&s->pieces[i], s->radius, z, &region)) {
            iso_plane_region_moments(&region, x0, y0, false, &p);
            iso_vec3 turn = iso_vec3_make(side * p.y, -side * p.x, 0.0);
            s->sum.area.z += side * p.area;
            s->sum.turn = iso_vec3_add(s->sum.turn, turn);
        }
    }
}

static void integrate_all(slices* s, double from, double to) {
    double place = from;
    know_places(s, from, to);
    add_break(s, from);
    for (int i = 0; i < s->known_count; ++i) {
        if (s->known[i] > place) {
            find_breaks(s, place, s->known[i], to - from);
            place = s->known[i];
        }
    }
    find_breaks(s, place, to, to - from);
    double area = 0.0;
    for (int i = 0; i < 9; ++i) {
        area += fabs(add_section(s, from + (i + 0.5) / 9.0 * (to - from), 0.0)) / 9.0;
    }
    s->allowed = (DIFFERENCE * area + ROUNDING * s->radius * s->radius) * (to - from);
    for (int i = 1; i < s->break_count; ++i) {
        if (s->breaks[i] > s->breaks[i - 1]) {
            integrate(s, s->breaks[i - 1], s->breaks[i], 0);
        }
    }
    s->sum.face_count = s->break_count;
}

bool iso_volume_slice_ball(iso_vec3 semi_axes, iso_vec3 center, iso_vec3 inside,
                           iso_volume_moments* out_moments, iso_mat3* out_mixed) {
    slices s = {.radius = 1.0, .has_caps = true, .has_skin = true, .sum.reference = inside};
    iso_shape_desc b = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    b.size = semi_axes;
    iso_pose x_ab = {iso_mat3_identity(), center};
    set_ellipsoid(&b, &x_ab, &s);
    if (kind_at(&s, inside.z) == 0) {
        return false;
    }
    integrate_all(&s, find_end(&s, inside.z, -1.0), find_end(&s, inside.z, 1.0));
    *out_moments = s.sum;
    *out_mixed = s.mixed;
    return true;
}

bool iso_volume_has_slices(const iso_shape_desc* a, const iso_shape_desc* b) {
    bool is_round = a->kind == ISO_SHAPE_SPHERE || a->kind == ISO_SHAPE_CAPSULE ||
                    a->kind == ISO_SHAPE_CYLINDER;
    bool is_convex = b->kind == ISO_SHAPE_BOX || b->kind == ISO_SHAPE_ELLIPSOID ||
                     b->kind == ISO_SHAPE_CAPSULE || b->kind == ISO_SHAPE_CYLINDER;
    return is_round && is_convex;
}

void iso_volume_slices(const iso_shape_desc* a, const iso_shape_desc* b, const iso_pose* x_ab,
                       const iso_pose* x_fa, iso_volume_metrics* out_metrics) {
    slices s = {.radius = a->radius,
                .half = a->kind == ISO_SHAPE_SPHERE ? 0.0 : 0.5 * a->length,
                .has_caps = a->kind != ISO_SHAPE_CYLINDER};
    set_pieces(b, x_ab, &s);
    if (find_witness(&s, a, b, x_ab, &s.sum.reference)) {
        double end = s.half + (s.has_caps ? s.radius : 0.0), z = s.sum.reference.z;
        integrate_all(&s, find_end(&s, z, -end), find_end(&s, z, end));
        for (int side = -1; side <= 1 && !s.has_caps; side += 2) {
            add_end(&s, side);
        }
    }
    s.sum.area = iso_vec3_neg(s.sum.area); // that of B: the surface of a volume is closed
    s.sum.turn = iso_vec3_neg(s.sum.turn);
    iso_volume_finish(&s.sum, x_fa, ISO_VOLUME_ANALYTIC, out_metrics);
}
