// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/moments/boundary.h"

// Edges whose directions differ by less than this sine are in one line.
#define COLLINEAR_SINE 1e-7

// rate += weight * direction * (e . u)
static void add_along(iso_rate3* rate, iso_vec3 direction, double weight, const double along[6]) {
    for (int j = 0; j < 6; ++j) {
        rate->d[j] = iso_vec3_add_scaled(rate->d[j], direction, weight * along[j]);
    }
}

// Pressure at a point that moves: what it meets along the normal and across the plane.
static void find_pressure_rate(const iso_moving_polygon* polygon, iso_vec3 arm,
                               const iso_rate3* position, iso_rate1* out) {
    double at[6];
    iso_rate_unpack(iso_rate_at(polygon->pressure_rate, arm), at);
    for (int j = 0; j < 6; ++j) {
        out->d[j] = at[j] + iso_vec3_dot(polygon->gradient, position->d[j]);
    }
}

static void put_vertex(iso_moving_polygon* out, iso_vec3 p, double pressure, iso_vec3 rate,
                       iso_vec3 conormal) {
    out->vertices[out->count] = p;
    out->pressures[out->count] = pressure;
    out->edge_rates[out->count] = rate;
    out->conormals[out->count++] = conormal;
}

bool iso_moving_polygon_press(const iso_moving_polygon* polygon, double rounding, bool* out_is_cut,
                              iso_moving_polygon* out_pressed) {
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < polygon->count; ++i) {
        least = fmin(least, polygon->pressures[i]);
        most = fmax(most, polygon->pressures[i]);
    }
    *out_is_cut = least < -rounding * most;
    if (!*out_is_cut || most <= 0.0) {
        return !*out_is_cut;
    }
    // Along the line p = 0 what the pressure gains is made up by moving against its gradient.
    double slope = iso_vec3_norm(polygon->gradient);
    iso_vec3 line_rate = iso_vec3_scale(polygon->pressure_rate, 1.0 / slope);
    iso_vec3 line_conormal = iso_vec3_scale(polygon->gradient, -1.0 / slope);
    *out_pressed = *polygon;
    out_pressed->count = 0;
    for (int i = 0; i < polygon->count; ++i) {
        int next = i + 1 < polygon->count ? i + 1 : 0;
        double p = polygon->pressures[i], q = polygon->pressures[next];
        iso_vec3 rate = polygon->edge_rates[i], conormal = polygon->conormals[i];
        if (p >= 0.0) {
            bool leaves = q < 0.0 && p == 0.0;
            put_vertex(out_pressed, polygon->vertices[i], p, leaves ? line_rate : rate,
                       leaves ? line_conormal : conormal);
        }
        if ((p < 0.0 && q > 0.0) || (p > 0.0 && q < 0.0)) {
            iso_vec3 x = iso_vec3_lerp(polygon->vertices[i], polygon->vertices[next], p / (p - q));
            put_vertex(out_pressed, x, 0.0, p > 0.0 ? line_rate : rate,
                       p > 0.0 ? line_conormal : conormal);
        }
    }
    return out_pressed->count >= 3;
}

// Area, centroid and the pressure there, by a fan about the first vertex.
static void find_centroid(const iso_moving_polygon* polygon, iso_polygon_rates* out) {
    iso_vec3 origin = polygon->vertices[0], sum = iso_vec3_zero();
    double pressure_sum = 0.0, area = 0.0;
    for (int i = 2; i < polygon->count; ++i) {
        iso_vec3 a = iso_vec3_sub(polygon->vertices[i - 1], origin);
        iso_vec3 b = iso_vec3_sub(polygon->vertices[i], origin);
        double weight = 0.5 * iso_vec3_dot(polygon->normal, iso_vec3_cross(a, b));
        area += weight;
        sum = iso_vec3_add_scaled(sum, iso_vec3_add(a, b), weight / 3.0);
        pressure_sum +=
            weight / 3.0 *
            (polygon->pressures[i - 1] + polygon->pressures[i] - 2.0 * polygon->pressures[0]);
    }
    out->area = area;
    out->centroid = iso_vec3_add_scaled(origin, sum, 1.0 / area);
    out->pressure = polygon->pressures[0] + pressure_sum / area;
}

void iso_moving_polygon_rates(const iso_moving_polygon* polygon, iso_vec3 p_wp,
                              iso_polygon_rates* out_rates) {
    find_centroid(polygon, out_rates);
    iso_vec3 center = out_rates->centroid;
    iso_vec3 center_arm = iso_vec3_sub(center, p_wp);
    iso_rate1 swept = {{0.0}};
    iso_rate3 shift = {{{0.0, 0.0, 0.0}}};
    double at[6];
    for (int i = 0; i < polygon->count; ++i) {
        // Speed and position are affine along an edge d: their product is that of the middles and
        // 1/12 of that of the changes, of which the speed's is d . (w x e) and has no part of v.
        iso_vec3 from = polygon->vertices[i], e = polygon->edge_rates[i];
        iso_vec3 to = polygon->vertices[i + 1 < polygon->count ? i + 1 : 0];
        iso_vec3 middle = iso_vec3_lerp(from, to, 0.5), d = iso_vec3_sub(to, from);
        iso_vec3 turn = iso_vec3_cross(d, e);
        double length = iso_vec3_norm(d), share = length / out_rates->area;
        const double change[3] = {turn.x, turn.y, turn.z};
        iso_rate_unpack(iso_rate_at(e, iso_vec3_sub(middle, p_wp)), at);
        add_along(&shift, iso_vec3_sub(middle, center), share, at);
        for (int j = 0; j < 6; ++j) {
            swept.d[j] += length * at[j];
        }
        for (int j = 0; j < 3; ++j) {
            shift.d[j] = iso_vec3_add_scaled(shift.d[j], d, share / 12.0 * change[j]);
        }
    }
    iso_rate_unpack(iso_rate_at(polygon->plane_rate, center_arm), at);
    add_along(&shift, polygon->normal, 1.0, at);
    out_rates->area_rate = swept;
    out_rates->centroid_rate = shift;
    find_pressure_rate(polygon, center_arm, &shift, &out_rates->pressure_rate);
}

void iso_moving_polygon_vertex_rate(const iso_moving_polygon* polygon, int vertex, iso_vec3 p_wp,
                                    iso_rate3* out_position, iso_rate1* out_pressure) {
    int before = vertex > 0 ? vertex - 1 : polygon->count - 1;
    iso_vec3 arm = iso_vec3_sub(polygon->vertices[vertex], p_wp);
    iso_vec3 a = polygon->conormals[before], b = polygon->conormals[vertex];
    double lift[6], speed_a[6], speed_b[6];
    iso_rate_unpack(iso_rate_at(polygon->plane_rate, arm), lift);
    iso_rate_unpack(iso_rate_at(polygon->edge_rates[before], arm), speed_a);
    iso_rate_unpack(iso_rate_at(polygon->edge_rates[vertex], arm), speed_b);
    double cosine = iso_vec3_dot(a, b);
    double sine_squared = iso_vec3_norm_squared(iso_vec3_cross(a, b));
    *out_position = (iso_rate3){{{0.0, 0.0, 0.0}}};
    add_along(out_position, polygon->normal, 1.0, lift);
    if (sine_squared > COLLINEAR_SINE * COLLINEAR_SINE) {
        add_along(out_position, iso_vec3_add_scaled(a, b, -cosine), 1.0 / sine_squared, speed_a);
        add_along(out_position, iso_vec3_add_scaled(b, a, -cosine), 1.0 / sine_squared, speed_b);
    } else {
        add_along(out_position, a, 0.5, speed_a);
        add_along(out_position, b, 0.5, speed_b);
    }
    find_pressure_rate(polygon, arm, out_position, out_pressure);
}
