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
// rim: a triangle so many times as long as it is wide. It has three points along its middle, a
// large face twice as many, which have its second moments. Faces take turns between two rules, so
// that the fan has six rings of points: friction is off where the place without slip is on one of
// them.
#define FAN_LENGTH 3.0
#define FAN_PLACES 3
#define FAN_POINTS (2 * FAN_PLACES)
#define FAN_RULES 2

// A place x of the way from the tip, where a face has the area 2 x dx, and its share of the area.
typedef struct fan_place {
    double x, share;
} fan_place;

// Each rule is exact for 1, x and x^2, as friction wants the shares and pressures the moments. The
// places are those at which both together are least off on a disc, for any place without slip.
static const fan_place fan_rules[FAN_RULES][FAN_PLACES] = {
    {{0.0791, 0.03834782530666497}, {0.4168, 0.35370230822854826}, {0.8491, 0.6079498664647868}},
    {{0.2266, 0.1541182692222991}, {0.6413, 0.5774526480562515}, {0.9739, 0.2684290827214494}},
};

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

// Three points in a triangle, exact for pressure times position, or in both of its halves.
// `pressure` is that at the place `origin` of the face.
static void put_triangle(filling* f, const iso_vec3 v[3], iso_vec3 origin, double pressure) {
    double longest = 0.0;
    int at = 0;
    for (int i = 0; i < 3; ++i) {
        double length = iso_vec3_norm(iso_vec3_sub(v[(i + 1) % 3], v[i]));
        if (length > longest * (1.0 + ROUNDING_OF_LENGTH)) {
            at = i;
            longest = length;
        }
    }
    iso_vec3 a = v[at], b = v[(at + 1) % 3], c = v[(at + 2) % 3];
    iso_vec3 sum = iso_vec3_add(iso_vec3_add(a, b), c);
    iso_vec3 cross = iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a));
    double area = 0.5 * iso_vec3_dot(iso_face_order_up(f->pair->patch.normals[f->face]), cross);
    if (!(area > SMALLEST_SHARE * f->pair->patch.area)) {
        return;
    }
    if (f->turning_points > 3 && area > SMALLEST_TURNING_SHARE * f->area &&
        longest > TURNING_REACH * turning_distance(f, iso_vec3_scale(sum, 1.0 / 3.0))) {
        iso_vec3 middle = iso_vec3_lerp(a, b, 0.5);
        f->turning_points -= 3;
        put_triangle(f, (const iso_vec3[3]){a, middle, c}, origin, pressure);
        put_triangle(f, (const iso_vec3[3]){middle, b, c}, origin, pressure);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        iso_vec3 place = iso_vec3_scale(iso_vec3_add_scaled(sum, v[i], 3.0), 1.0 / 6.0);
        put_point(f, area / 3.0, place,
                  pressure + iso_vec3_dot(f->rise, iso_vec3_sub(place, origin)));
    }
}

// Whether the face is a long triangle that reaches to where the patch turns; its tip.
static bool is_of_fan(const filling* f, const iso_vec3* v, int count, iso_vec3 middle, int* tip) {
    if (!f->is_turning || count != 3) {
        return false;
    }
    double shortest = INFINITY, longest = 0.0; // squares
    for (int i = 0; i < 3; ++i) {              // of the side across from each corner
        double square = iso_vec3_norm_squared(iso_vec3_sub(v[(i + 2) % 3], v[(i + 1) % 3]));
        *tip = square < shortest ? i : *tip;
        shortest = square < shortest ? square : shortest;
        longest = larger(longest, square);
    }
    return longest > FAN_LENGTH * FAN_LENGTH * shortest &&
           sqrt(longest) > TURNING_REACH * turning_distance(f, middle);
}

// By the golden ratio, the rules alternate evenly for elements that are any number apart. The sum
// is the same from both sides.
static const fan_place* fan_rule(const iso_face_elements* elements) {
    uint32_t hash = ((uint32_t)elements->a + (uint32_t)elements->b) * UINT32_C(2654435769);
    return fan_rules[hash >> 31];
}

// `pressure` is that in the middle of the face.
static void put_fan_face(const filling* f, const iso_vec3* v, int tip, iso_vec3 middle,
                         double pressure) {
    double area = f->pair->patch.areas[f->face];
    if (!(area > SMALLEST_SHARE * f->pair->patch.area)) {
        return;
    }
    const fan_place* places = fan_rule(&f->pair->patch.elements[f->face]);
    iso_vec3 b = v[(tip + 1) % 3], c = v[(tip + 2) % 3];
    iso_vec3 along = iso_vec3_sub(iso_vec3_lerp(b, c, 0.5), v[tip]);
    // Of even width, the root mean square of the distance from the middle.
    iso_vec3 aside = iso_vec3_scale(iso_vec3_sub(c, b), f->apart / sqrt(12.0));
    int columns = f->apart > 0.0 ? 2 : 1;
    for (int k = 0; k < columns; ++k) {
        iso_vec3 way = columns == 1 ? along : iso_vec3_add_scaled(along, aside, 1.0 - 2.0 * k);
        for (int i = 0; i < FAN_PLACES; ++i) {
            iso_vec3 place = iso_vec3_add_scaled(v[tip], way, places[i].x);
            put_point(f, places[i].share * area / columns, place,
                      pressure + iso_vec3_dot(f->rise, iso_vec3_sub(place, middle)));
        }
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
    int tip = 0;
    f->apart = share_apart(f, face);
    bool is_fan = is_of_fan(f, vertices, count, centroid, &tip);
    if (f->apart > 0.0 || is_fan) {
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
    } else if (is_fan) {
        put_fan_face(f, vertices, tip, centroid, patch->pressures[face]);
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
    double spin = fabs(iso_vec3_dot(f.v_c0.rotational, f.mean_normal));
    f.is_turning = f.is_spread && f.lack < FLAT_LACK && pair->friction_dynamic > 0.0 &&
                   spin * sqrt(f.area) > options->stiction_velocity;
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
