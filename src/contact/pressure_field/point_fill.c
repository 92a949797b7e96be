// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pressure_field/point_fill.h"

#include "base/core/fail.h"
#include "contact/pressure_field/face.h"
#include "math/lanes_f64x4.h"
#include "surface/faces/face_spread.h"

#include <math.h>
#include <stdint.h>

// A face with a smaller share of its patch has no point: all of them together would be lost in the
// rounding of its sums.
#define SMALLEST_SHARE 1e-16

// A smaller share of a cut face, left over in the margin, is rounding.
#define SMALLEST_REST 1e-12

// A face with a larger share of the area of its patch has four points, which have its second
// moments; between this and twice as much they move apart. One sample for a large face leaves a
// flat contact without stiffness against turning, and its friction without part of its torque.
// Curved patches, whose normals differ, have both from those: the share is larger there.
#define SPREAD_SHARE_FLAT (1.0 / 48.0)
#define SPREAD_SHARE_CURVED (1.0 / 24.0)
// Curved: the mean normal is shorter than 1 by this.
#define CURVED_LACK 1e-3

// Where a patch turns about a place inside of it, friction has all directions around that place. A
// large face there is cut into triangles that are no longer than so many times their distance from
// it, with three points each, until there are so many points more, or triangles have such a share.
#define TURNING_REACH 1.0
#define TURNING_POINTS 1024
// in a patch as flat as this: the mean normal of its end lacks so much of 1. The end is all but
// what stands at more than 30 degrees to the rest, as the sides of a box that dips into its floor.
#define FLAT_LACK 1e-4
#define END_COSINE 0.866
#define SMALLEST_TURNING_SHARE 5e-4

// A face of a fan about a place where the patch turns is small, and yet reaches from there to the
// rim: a triangle so many times as long as it is wide, with a share of the area of its patch in
// the square of its length. It has three points along its middle, those of Gauss in the distance
// from its tip; a large face twice as many, which have its second moments. On a ring about the tip
// the mean direction of friction has a corner where the ring meets the place without slip. So both
// parts of the length have such points, but where a part is too small to count.
#define FAN_LENGTH 3.0
#define SMALLEST_FAN 0.02
#define SMALLEST_PART 0.02
#define FAN_PLACES 3
#define FAN_PARTS 2
#define FAN_POINTS (2 * FAN_PLACES * FAN_PARTS)

// Without culling, slope of a face relative to the steepest of its patch, at least: flat fields.
#define SMALLEST_SLOPE_RATIO 1e-6

// With culling, slope of a face relative to what its fields' gradients allow, at least: less is
// rounding of a tangential field, whose force would act without any stiffness.
#define ROUNDING_OF_SLOPE 1e-12

// Lengths that differ by less are the same to rounding.
#define ROUNDING_OF_LENGTH 1e-9

// Spin that is divided by, at least [rad/s].
#define SMALLEST_SPIN 1e-150

// fmax() is a call into the C library, which the loops over points cannot afford.
static inline double larger(double a, double b) {
    return a > b ? a : b;
}

// What is filled in for a patch, and the face that is at hand.
typedef struct filling {
    const iso_contact_pair* pair;
    iso_compliant_points* points;
    double area;          ///< of all faces [m^2]
    iso_vec3 mean_normal; ///< weighted with area
    double lack;          ///< of the length of that of the end, see END_COSINE
    double spread_share;  ///< above which faces have four points
    bool is_spread;       ///< large faces have four points
    bool has_cut_faces;   ///< some face reaches into the margin
    int face;             ///<
    double dissipation;   ///< of that face
    double slope;         ///< with which it lets go of what it bears
    double rise_slope;    ///< with which its pressure rises: of what bears nothing yet
    iso_spatial v_c0;     ///< twist at the start of the step
    bool is_turning;      ///< with a spin that counts
    int turning_points;   ///< that may be added still
    double apart;         ///< 0: one point; 1: four, with its second moments
    iso_vec3 rise;        ///< gradient of the pressure along it [Pa/m]
} filling;

static bool has_negative(const iso_patch* patch, int face) {
    bool found = false;
    for (int i = patch->face_offsets[face]; i < patch->face_offsets[face + 1]; ++i) {
        found = found || patch->vertex_pressures[i] < 0.0;
    }
    return found;
}

static double share_apart(const filling* f, int face) {
    if (!f->is_spread) {
        return 0.0;
    }
    double over = f->pair->patch.areas[face] / (f->area * f->spread_share) - 1.0;
    return over < 0.0 ? 0.0 : over > 1.0 ? 1.0 : over;
}

// By how much the mean normal of the end of the patch is shorter than 1.
static double find_lack(const filling* f) {
    double length = iso_vec3_norm(f->mean_normal), lack = 1.0 - length;
    if (lack < FLAT_LACK) {
        return larger(lack, 0.0);
    }
    const iso_patch* patch = &f->pair->patch;
    double area = 0.0;
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < patch->face_count; ++i) {
        bool is_end = iso_vec3_dot(patch->normals[i], f->mean_normal) > END_COSINE * length;
        double part = is_end ? patch->areas[i] : 0.0;
        area += part;
        sum = iso_vec3_add_scaled(sum, patch->normals[i], part);
    }
    return area > 0.0 ? larger(1.0 - iso_vec3_norm(sum) / area, 0.0) : lack;
}

// Sets what concerns all faces, and whether some are cut; returns how many points there may be.
static int measure(filling* f) {
    const iso_patch* patch = &f->pair->patch;
    bool is_pressed = true; // everywhere, as most patches are
    for (int i = 0; i < patch->vertex_count; ++i) {
        is_pressed &= patch->vertex_pressures[i] >= 0.0;
    }
    f->has_cut_faces = !is_pressed;
    iso_vec3 sum = iso_vec3_zero();
    f->area = 0.0;
    for (int i = 0; i < patch->face_count; ++i) {
        f->area += patch->areas[i];
        sum = iso_vec3_add_scaled(sum, patch->normals[i], patch->areas[i]);
    }
    f->mean_normal = f->area > 0.0 ? iso_vec3_scale(sum, 1.0 / f->area) : sum;
    f->lack = f->is_spread ? find_lack(f) : 0.0;
    double curved = f->lack < CURVED_LACK ? f->lack / CURVED_LACK : 1.0;
    f->spread_share = SPREAD_SHARE_FLAT + curved * (SPREAD_SHARE_CURVED - SPREAD_SHARE_FLAT);
    int capacity = 0;
    for (int i = 0; i < patch->face_count; ++i) {
        int parts = !is_pressed && has_negative(patch, i) ? 2 : 1;
        capacity += share_apart(f, i) > 0.0 ? 4 * parts : parts;
    }
    return capacity;
}

// A point of so much area, where the face has this pressure.
static void put_point(const filling* f, double area, iso_vec3 p_wq, double pressure) {
    iso_compliant_points* points = f->points;
    int i = points->count++;
    iso_vec3 r = iso_vec3_sub(p_wq, f->pair->p_wc);
    iso_vec3 n = f->pair->patch.normals[f->face];
    points->rx[i] = r.x;
    points->ry[i] = r.y;
    points->rz[i] = r.z;
    points->nx[i] = n.x;
    points->ny[i] = n.y;
    points->nz[i] = n.z;
    points->area[i] = area;
    points->force[i] = area * pressure;
    points->dissipation[i] = f->dissipation;
    points->regularization[i] = pressure < 0.0 ? f->rise_slope : f->slope; // until the law fills it
    points->face[i] = f->face;
    if (points->has_adhesion) {
        points->tension_limit[i] = area; // until find_tension()
    }
}

// The point, or points, of a part of the face: its area, centroid and the pressure there.
static void put_part(const filling* f, double area, iso_vec3 centroid, double pressure,
                     const iso_face_spread* spread) {
    if (!(area > SMALLEST_SHARE * f->pair->patch.area)) {
        return;
    }
    if (f->apart <= 0.0) {
        put_point(f, area, centroid, pressure);
        return;
    }
    iso_vec3 places[4];
    iso_face_spread_samples(spread, area, places);
    for (int k = 0; k < 4; ++k) {
        iso_vec3 way = iso_vec3_scale(places[k], f->apart);
        put_point(f, 0.25 * area, iso_vec3_add(centroid, way),
                  pressure + iso_vec3_dot(f->rise, way));
    }
}

// How far a place of the face is from that about which it turns [m].
static double turning_distance(const filling* f, iso_vec3 p_wq) {
    iso_vec3 n = f->pair->patch.normals[f->face], w = f->v_c0.rotational;
    iso_vec3 arm = iso_vec3_sub(p_wq, f->pair->p_wc);
    iso_vec3 v = iso_vec3_add(f->v_c0.translational, iso_vec3_cross(w, arm));
    v = iso_vec3_add_scaled(v, n, -iso_vec3_dot(v, n));
    return iso_vec3_norm(v) / larger(fabs(iso_vec3_dot(w, n)), SMALLEST_SPIN);
}

// The longest side of a triangle: the corner where it begins. @return how many are as long.
static int find_longest(const iso_vec3 v[3], int* out_at, double* out_length) {
    double lengths[3], longest = 0.0;
    int count = 0;
    *out_at = 0;
    for (int i = 0; i < 3; ++i) {
        lengths[i] = iso_vec3_norm(iso_vec3_sub(v[(i + 1) % 3], v[i]));
        *out_at = lengths[i] > longest ? i : *out_at;
        longest = larger(longest, lengths[i]);
    }
    for (int i = 0; i < 3; ++i) {
        count += lengths[i] * (1.0 + ROUNDING_OF_LENGTH) >= longest;
    }
    *out_length = longest;
    return count;
}

// Three points in a triangle, exact for pressure times position, or in its parts: both halves of
// the longest side. Where others are as long, none comes first: four parts then, which its mirror
// image has as well. `pressure` is that at the place `origin` of the face.
static void put_triangle(filling* f, const iso_vec3 v[3], iso_vec3 origin, double pressure) {
    double longest;
    int at, count = find_longest(v, &at, &longest), more = count > 1 ? 9 : 3;
    iso_vec3 a = v[at], b = v[(at + 1) % 3], c = v[(at + 2) % 3];
    iso_vec3 sum = iso_vec3_add(iso_vec3_add(a, b), c);
    iso_vec3 cross = iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a));
    double area = 0.5 * iso_vec3_dot(iso_face_order_up(f->pair->patch.normals[f->face]), cross);
    if (!(area > SMALLEST_SHARE * f->pair->patch.area)) {
        return;
    }
    if (f->turning_points > more && area > SMALLEST_TURNING_SHARE * f->area &&
        longest > TURNING_REACH * turning_distance(f, iso_vec3_scale(sum, 1.0 / 3.0))) {
        iso_vec3 ab = iso_vec3_lerp(a, b, 0.5);
        f->turning_points -= more;
        if (count == 1) {
            put_triangle(f, (const iso_vec3[3]){a, ab, c}, origin, pressure);
            put_triangle(f, (const iso_vec3[3]){ab, b, c}, origin, pressure);
            return;
        }
        iso_vec3 bc = iso_vec3_lerp(b, c, 0.5), ca = iso_vec3_lerp(c, a, 0.5);
        put_triangle(f, (const iso_vec3[3]){a, ab, ca}, origin, pressure);
        put_triangle(f, (const iso_vec3[3]){ab, b, bc}, origin, pressure);
        put_triangle(f, (const iso_vec3[3]){ca, bc, c}, origin, pressure);
        put_triangle(f, (const iso_vec3[3]){ab, bc, ca}, origin, pressure);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        iso_vec3 place = iso_vec3_scale(iso_vec3_add_scaled(sum, v[i], 3.0), 1.0 / 6.0);
        put_point(f, area / 3.0, place,
                  pressure + iso_vec3_dot(f->rise, iso_vec3_sub(place, origin)));
    }
}

// A long triangle, cut across at a share of its length.
typedef struct fan_face {
    bool is_long;
    double cut;        ///< from the tip; 1: not cut
    iso_vec3 tip, way; ///< its tip, from there to the middle of the side across
    iso_vec3 side;     ///< that side
} fan_face;

static fan_face find_fan_face(const filling* f, const iso_vec3* v, int count) {
    fan_face fan = {.is_long = false};
    if (!f->is_turning || count != 3) {
        return fan;
    }
    double shortest = INFINITY, longest = 0.0;
    int tip = 0;
    for (int i = 0; i < 3; ++i) { // the side across from each corner
        double length = iso_vec3_norm(iso_vec3_sub(v[(i + 2) % 3], v[(i + 1) % 3]));
        tip = length < shortest ? i : tip;
        shortest = length < shortest ? length : shortest;
        longest = larger(longest, length);
    }
    fan.is_long = longest > FAN_LENGTH * shortest && longest * longest > SMALLEST_FAN * f->area;
    if (!fan.is_long) {
        return fan;
    }
    iso_vec3 b = v[(tip + 1) % 3], c = v[(tip + 2) % 3];
    fan.tip = v[tip];
    fan.way = iso_vec3_sub(iso_vec3_lerp(b, c, 0.5), fan.tip);
    fan.side = iso_vec3_sub(c, b);
    fan.cut = turning_distance(f, fan.tip) / iso_vec3_norm(fan.way);
    if (!(fan.cut > SMALLEST_PART && fan.cut < 1.0 - SMALLEST_PART)) {
        fan.cut = 1.0;
    }
    return fan;
}

// `pressure` is that in the middle of the face. At the share x of its length 2 x dx of the area is.
static void put_fan_face(const filling* f, const fan_face* fan, iso_vec3 middle, double pressure) {
    double area = f->pair->patch.areas[f->face];
    static const double places[FAN_PLACES] = {0.11270166537925831, 0.5, 0.88729833462074169};
    static const double shares[FAN_PLACES] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
    if (!(area > SMALLEST_SHARE * f->pair->patch.area)) {
        return;
    }
    // Of even width, the root mean square of the distance from the middle.
    iso_vec3 aside = iso_vec3_scale(fan->side, f->apart / sqrt(12.0));
    int columns = f->apart > 0.0 ? 2 : 1, parts = fan->cut < 1.0 ? FAN_PARTS : 1;
    for (int i = 0; i < FAN_PLACES * parts * columns; ++i) {
        int row = i / columns, at = row % FAN_PLACES;
        bool is_inner = row < FAN_PLACES;
        double start = is_inner ? 0.0 : fan->cut, part = is_inner ? fan->cut : 1.0 - fan->cut;
        double x = start + places[at] * part;
        double side = columns == 1 ? 0.0 : i % 2 == 0 ? 1.0 : -1.0;
        iso_vec3 way = iso_vec3_add_scaled(fan->way, aside, side);
        iso_vec3 place = iso_vec3_add_scaled(fan->tip, way, x);
        put_point(f, shares[at] * part * x * area / columns, place,
                  pressure + iso_vec3_dot(f->rise, iso_vec3_sub(place, middle)));
    }
}

// Whether a polygon of the face reaches to where the patch turns.
static bool turns_within(const filling* f, const iso_vec3* vertices, int count, iso_vec3 middle) {
    if (!f->is_turning || f->apart <= 0.0 || f->turning_points <= 3 * count) {
        return false;
    }
    double reach = 0.0;
    for (int i = 0; i < count; ++i) {
        reach = larger(reach, iso_vec3_norm(iso_vec3_sub(vertices[i], middle)));
    }
    return reach > 0.5 * TURNING_REACH * turning_distance(f, middle);
}

static void put_fan(filling* f, const iso_vec3* vertices, int count, iso_vec3 middle,
                    double pressure) {
    iso_face_order order = iso_face_order_find(vertices, count, f->pair->patch.normals[f->face]);
    f->turning_points -= 3 * count;
    for (int k = 0; k < count; ++k) {
        const iso_vec3 v[3] = {middle, vertices[iso_face_order_at(&order, k)],
                               vertices[iso_face_order_at(&order, k + 1)]};
        put_triangle(f, v, middle, pressure);
    }
}

// The pressed part of a face that reaches into the margin, and what is left of it, which comes into
// force within the step or not: together the face, in area, moments and force.
static void put_cut_face(filling* f, const iso_pressed_face* pressed,
                         const iso_face_spread* whole) {
    const iso_patch* patch = &f->pair->patch;
    double area = patch->areas[f->face], rest = area - pressed->area;
    iso_face_spread part = *whole;
    if (f->apart > 0.0 && pressed->count > 2) {
        part = iso_face_spread_find(pressed->vertices, pressed->count, patch->normals[f->face],
                                    pressed->centroid);
    }
    if (pressed->area > SMALLEST_REST * area &&
        turns_within(f, pressed->vertices, pressed->count, pressed->centroid)) {
        put_fan(f, pressed->vertices, pressed->count, pressed->centroid, pressed->pressure);
    } else {
        put_part(f, pressed->area, pressed->centroid, pressed->pressure, &part);
    }
    if (rest > SMALLEST_REST * area) {
        iso_vec3 centroid = patch->centroids[f->face];
        iso_vec3 moment = iso_vec3_scale(centroid, area);
        moment = iso_vec3_add_scaled(moment, pressed->centroid, -pressed->area);
        double load = area * patch->pressures[f->face] - pressed->area * pressed->pressure;
        iso_vec3 middle = iso_vec3_scale(moment, 1.0 / rest);
        iso_face_spread left = *whole;
        if (f->apart > 0.0 && pressed->area > 0.0) {
            left = iso_face_spread_rest(whole, centroid, &part, pressed->area, pressed->centroid,
                                        rest, middle);
        }
        put_part(f, rest, middle, load / rest, &left);
    }
}

static void put_face(filling* f) {
    const iso_patch* patch = &f->pair->patch;
    int face = f->face, first = patch->face_offsets[face];
    const iso_vec3* vertices = patch->vertices + first;
    int count = patch->face_offsets[face + 1] - first;
    iso_vec3 n = patch->normals[face], centroid = patch->centroids[face];
    iso_face_spread spread = {.m11 = 0.0};
    f->apart = share_apart(f, face);
    fan_face fan = find_fan_face(f, vertices, count);
    if (f->apart > 0.0 || fan.is_long) {
        iso_vec3 rise = patch->is_rigid_a ? patch->gradients_b[face] : patch->gradients_a[face];
        f->rise = iso_vec3_add_scaled(rise, n, -iso_vec3_dot(rise, n));
    }
    if (f->apart > 0.0) {
        spread = iso_face_spread_find(vertices, count, n, centroid);
    }
    iso_pressed_face pressed;
    pressed.is_cut = false;
    if (f->has_cut_faces) {
        iso_patch_press_face(patch, face, &pressed);
    }
    if (pressed.is_cut) {
        put_cut_face(f, &pressed, &spread);
    } else if (fan.is_long) {
        put_fan_face(f, &fan, centroid, patch->pressures[face]);
    } else if (turns_within(f, vertices, count, centroid)) {
        put_fan(f, vertices, count, centroid, patch->pressures[face]);
    } else {
        put_part(f, patch->areas[face], centroid, patch->pressures[face], &spread);
    }
}

// Whether a slope is more than rounding of what the gradients allow. The slope of release is at
// most the smaller gradient, and needs roots and quotients: seldom looked at.
static bool is_rising(const iso_patch* patch, const iso_face_slopes* slopes) {
    int f = slopes->face;
    double a = patch->is_rigid_a ? INFINITY : iso_vec3_norm_squared(patch->gradients_a[f]);
    double b = patch->is_rigid_b ? INFINITY : iso_vec3_norm_squared(patch->gradients_b[f]);
    double series = slopes->series, least = ROUNDING_OF_SLOPE * ROUNDING_OF_SLOPE;
    return series * series > least * (a < b ? a : b) ||
           series > ROUNDING_OF_SLOPE * iso_patch_release_slope(patch, slopes);
}

static bool is_turning(const filling* f, const iso_contact_options* options) {
    double spin = fabs(iso_vec3_dot(f->v_c0.rotational, f->mean_normal));
    return f->is_spread && f->lack < FLAT_LACK && f->pair->friction_dynamic > 0.0 &&
           spin * sqrt(f->area) > options->stiction_velocity;
}

bool iso_compliant_points_turn(const iso_contact_options* options, const iso_contact_pair* pair,
                               const iso_spatial* v_c0) {
    filling f = {.pair = pair, .is_spread = v_c0 && options->cull != ISO_CULL_DRAKE};
    f.v_c0 = v_c0 ? *v_c0 : iso_spatial_zero();
    (void)measure(&f);
    return is_turning(&f, options);
}

// Points for each face that has a potential. A face whose pressure does not rise on approach has no
// convex potential of its own; with culling it is dropped as in Drake, without it keeps its force,
// so that forces do not switch on and off with the sign of a slope near zero, and the stiffness
// that lets go of it when the bodies part.
iso_status iso_compliant_points_fill(const iso_contact_options* options,
                                     const iso_contact_pair* pair, const iso_spatial* v_c0,
                                     iso_arena* arena, iso_compliant_points* points) {
    const iso_patch* patch = &pair->patch;
    bool is_culled = options->cull == ISO_CULL_DRAKE;
    filling f = {.pair = pair, .points = points, .is_spread = v_c0 && !is_culled};
    f.v_c0 = v_c0 ? *v_c0 : iso_spatial_zero();
    int capacity = measure(&f);
    f.is_turning = is_turning(&f, options);
    f.turning_points = f.is_turning ? TURNING_POINTS : 0;
    capacity += f.is_turning ? TURNING_POINTS + (FAN_POINTS - 1) * patch->face_count : 0;
    iso_status status = iso_compliant_points_allocate(arena, capacity, points);
    if (status != ISO_OK) {
        return status;
    }
    // The speed at which a point lets go is its force over stiffness and horizon of the law.
    bool is_sap = points->law == ISO_POINT_LAW_SAP;
    double release_share = is_sap ? points->dt / (points->dt + pair->relaxation_time) : 1.0;
    double* slope = points->regularization;
    double steepest = 0.0;
    for (f.face = 0; f.face < patch->face_count; ++f.face) {
        iso_face_slopes slopes = iso_patch_face_slopes(patch, f.face);
        steepest = larger(steepest, slopes.series);
        if (is_culled && !is_rising(patch, &slopes)) {
            continue;
        }
        f.slope = f.rise_slope = slopes.series;
        if (!is_culled) {
            f.slope = larger(f.slope, release_share * iso_patch_release_slope(patch, &slopes));
        }
        f.dissipation = iso_contact_face_dissipation(options, pair, &slopes);
        put_face(&f);
    }
    double floor = is_culled ? 0.0 : SMALLEST_SLOPE_RATIO * steepest;
    for (int i = 0; i < points->count; ++i) {
        points->stiffness[i] = points->area[i] * larger(slope[i], floor);
    }
    points->count = steepest > 0.0 ? points->count : 0;
    return ISO_OK;
}
