// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/round/round.h"
#include "volume/solids/moments.h"

// Positive half of Gauss and Legendre's 20 points on [-1, 1]: place, weight.
static const double k_gauss[10][2] = {
    {0.076526521133497338, 0.15275338713072628}, {0.22778585114164507, 0.14917298647260424},
    {0.37370608871541955, 0.1420961093183824},   {0.51086700195082713, 0.13168863844917689},
    {0.63605368072651502, 0.11819453196151861},  {0.7463319064601508, 0.10193011981724071},
    {0.83911697182221878, 0.083276741576704713}, {0.91223442825132595, 0.06267204833410879},
    {0.96397192727791381, 0.040601429800386446}, {0.993128599185095, 0.017614007139150893},
};

// A cylinder below a plane that leans towards x: at x = -r it is deepest. The chord at
// x = -r cos(angle) is 2 r sin(angle) long, the part of the axis' direction below the plane is a
// clamped linear function of x.
typedef struct leaning {
    double r, length;
    double slope, upright; // sine and cosine of the angle of axis and normal, >= 0
    double depth;          // of the deepest point of the rim
    iso_volume_moments m;  // about that point: x, chord y, z along the axis
    double section;        // area of the plane in the cylinder, times `upright`
    double section_x, section_z;
} leaning;

static double height_at(const leaning* s, double from_rim) {
    double z = s->upright > 0.0 ? (s->depth - s->slope * from_rim) / s->upright : s->length;
    return z < 0.0 ? 0.0 : z > s->length ? s->length : z;
}

static void add_chord(leaning* s, double angle, double weight, bool is_cut) {
    double sine = sin(angle), half = sin(0.5 * angle), x = 2.0 * s->r * half * half;
    double z = height_at(s, x), chord = 2.0 * s->r * sine, across = chord * s->r * sine * weight;
    double share = across * z, middle = 0.5 * z;
    s->m.volume += share;
    s->m.first.x += share * x;
    s->m.first.z += share * middle;
    s->m.second.m[0][0] += share * x * x;
    s->m.second.m[0][2] += share * x * middle;
    s->m.second.m[1][1] += share * chord * chord / 12.0;
    s->m.second.m[2][2] += share * (middle * middle + z * z / 12.0);
    if (is_cut) {
        s->section += across;
        s->section_x += across * x;
        s->section_z += across * z;
    }
}

static void integrate(leaning* s, double from, double to, bool is_cut) {
    double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    for (int i = 0; i < 10; ++i) {
        add_chord(s, middle - half * k_gauss[i][0], half * k_gauss[i][1], is_cut);
        add_chord(s, middle + half * k_gauss[i][0], half * k_gauss[i][1], is_cut);
    }
}

// The angle whose chord has this distance from the rim.
static double angle_at(const leaning* s, double from_rim) {
    double share = from_rim / (2.0 * s->r);
    return share <= 0.0 ? 0.0 : share >= 1.0 ? ISO_PI : 2.0 * asin(sqrt(share));
}

// A plane along the axis cuts a rectangle.
static void set_rectangle(leaning* s, double angle) {
    double half = sin(0.5 * angle);
    s->section = 2.0 * s->r * sin(angle) * s->length;
    s->section_x = s->section * 2.0 * s->r * half * half;
    s->section_z = s->section * 0.5 * s->length;
}

static void sum_leaning(leaning* s) {
    double tiny = 1e-12;
    double end = s->slope > 0.0 ? angle_at(s, s->depth / s->slope) : ISO_PI;
    double full = s->slope > 0.0 ? angle_at(s, (s->depth - s->length * s->upright) / s->slope)
                  : s->depth >= s->length * s->upright ? ISO_PI
                                                       : 0.0;
    integrate(s, 0.0, full, false);
    if (s->upright > tiny) {
        integrate(s, full, end, true);
        s->section /= s->upright;
        s->section_x /= s->upright;
        s->section_z /= s->upright;
    } else {
        set_rectangle(s, end);
    }
    s->m.face_count = 1;
}

// The frame L of the sums in the half space's: z along the axis away from the deepest end, x away
// from the deepest point of the rim, which is its origin.
static iso_pose deepest_frame(const iso_pose* x_ab, double radius, double length) {
    iso_vec3 axis = iso_mat3_column(&x_ab->r, 2), lean = iso_mat3_column(&x_ab->r, 0);
    axis = axis.z < 0.0 ? iso_vec3_neg(axis) : axis;
    double sine = hypot(axis.x, axis.y); // 1 - axis.z^2 would lose leans below 1e-8
    if (sine > 0.0) {
        lean = iso_vec3_make(-axis.z * axis.x / sine, -axis.z * axis.y / sine, sine);
    }
    iso_vec3 end = iso_vec3_add_scaled(x_ab->p, axis, -0.5 * length);
    iso_vec3 y = iso_vec3_cross(axis, lean);
    return iso_pose_make(iso_mat3_from_columns(lean, y, axis),
                         iso_vec3_add_scaled(end, lean, -radius));
}

void iso_volume_plane_cylinder(double radius, double length, const iso_pose* x_ab,
                               iso_volume_metrics* out_metrics) {
    iso_pose x_al = deepest_frame(x_ab, radius, length);
    leaning s = {.r = radius, .length = length, .depth = -x_al.p.z};
    s.slope = x_al.r.m[2][0] > 0.0 ? x_al.r.m[2][0] : 0.0;
    s.upright = x_al.r.m[2][2] > 0.0 ? x_al.r.m[2][2] : 0.0;
    if (s.depth > 0.0) {
        sum_leaning(&s);
        // What of the cylinder is in the half space closes with the plane's section.
        iso_vec3 n = iso_vec3_make(x_al.r.m[2][0], x_al.r.m[2][1], x_al.r.m[2][2]);
        iso_vec3 sum = iso_vec3_make(s.section_x, 0.0, s.section_z);
        s.m.area = iso_vec3_scale(n, -s.section);
        s.m.turn = iso_vec3_neg(iso_vec3_cross(sum, n));
    }
    iso_volume_finish(&s.m, &x_al, ISO_VOLUME_ANALYTIC, out_metrics);
}
