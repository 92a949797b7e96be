// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/solids/moments.h"

#include "math/eigen3.h"

// With the barycentric coordinates l of a triangle of area A, the integral of l1^i l2^j l3^k is
// 2 A i! j! k! / (i + j + k + 2)!. A column from z to z + h has its middle at z + h / 2, so that
// the integral over it of x x^T is h m m^T, with h^3 / 12 beside z z.
static void add_triangle(iso_volume_moments* m, const iso_vec3 middle[3], const double h[3],
                         double area) {
    double sum = h[0] + h[1] + h[2];
    double share = area / 60.0;
    for (int k = 0; k < 3; ++k) {
        iso_vec3 weighted = iso_vec3_zero();
        for (int l = 0; l < 3; ++l) {
            double weight = k == l ? 2.0 * sum + 4.0 * h[k] : sum + h[k] + h[l];
            weighted = iso_vec3_add_scaled(weighted, middle[l], weight * share);
        }
        double alone = area / 12.0 * (sum + h[k]);
        m->first = iso_vec3_add_scaled(m->first, middle[k], alone);
        m->second.m[0][0] += middle[k].x * weighted.x;
        m->second.m[0][1] += middle[k].x * weighted.y;
        m->second.m[0][2] += middle[k].x * weighted.z;
        m->second.m[1][1] += middle[k].y * weighted.y;
        m->second.m[1][2] += middle[k].y * weighted.z;
        m->second.m[2][2] += middle[k].z * weighted.z;
    }
    double pairs = h[0] * h[1] + h[1] * h[2] + h[2] * h[0];
    double cubes = sum * sum * sum - 2.0 * sum * pairs + h[0] * h[1] * h[2];
    m->second.m[2][2] += area / 120.0 * cubes;
    m->volume += area * sum / 3.0;
}

void iso_volume_add_columns(iso_volume_moments* m, const iso_column_corner* corners,
                            int corner_count, double sign, double area_sign) {
    if (m->face_count == 0) {
        m->reference = corners[0].p;
    }
    ++m->face_count;
    iso_vec3 p[3], middle[3];
    p[0] = iso_vec3_sub(corners[0].p, m->reference);
    p[1] = iso_vec3_sub(corners[1].p, m->reference);
    for (int k = 2; k < corner_count; ++k) {
        p[2] = iso_vec3_sub(corners[k].p, m->reference);
        double h[3] = {corners[0].height, corners[k - 1].height, corners[k].height};
        iso_vec3 across = iso_vec3_cross(iso_vec3_sub(p[1], p[0]), iso_vec3_sub(p[2], p[0]));
        for (int i = 0; i < 3; ++i) {
            middle[i] = iso_vec3_make(p[i].x, p[i].y, p[i].z + 0.5 * h[i]);
        }
        add_triangle(m, middle, h, 0.5 * sign * across.z);
        iso_vec3 center = iso_vec3_scale(iso_vec3_add(iso_vec3_add(p[0], p[1]), p[2]), 1.0 / 3.0);
        iso_vec3 area = iso_vec3_scale(across, 0.5 * area_sign);
        m->area = iso_vec3_add(m->area, area);
        m->turn = iso_vec3_add(m->turn, iso_vec3_cross(center, area));
        p[1] = p[2];
    }
}

static iso_mat3 turned(const iso_mat3* r, const iso_mat3* a) {
    iso_mat3 half = iso_mat3_mul(*r, *a);
    return iso_mat3_mul(half, iso_mat3_transpose(*r));
}

void iso_volume_move(const iso_pose* x_wf, iso_volume_metrics* metrics) {
    if (metrics->volume > 0.0) {
        metrics->centroid = iso_pose_point(x_wf, metrics->centroid);
    }
    metrics->inertia = turned(&x_wf->r, &metrics->inertia);
    metrics->area = iso_mat3_mul_vec3(&x_wf->r, metrics->area);
    metrics->turn = iso_mat3_mul_vec3(&x_wf->r, metrics->turn);
}

void iso_volume_finish(const iso_volume_moments* m, const iso_pose* x_wf, iso_volume_method method,
                       iso_volume_metrics* out_metrics) {
    *out_metrics = (iso_volume_metrics){.method = method};
    if (!(m->volume > 0.0)) {
        return;
    }
    iso_vec3 center = iso_vec3_scale(m->first, 1.0 / m->volume);
    iso_mat3 second = m->second;
    second.m[1][0] = second.m[0][1];
    second.m[2][0] = second.m[0][2];
    second.m[2][1] = second.m[1][2];
    iso_mat3 shift = iso_mat3_scale(iso_mat3_outer(center, center), -m->volume);
    second = iso_mat3_add(second, shift);
    iso_mat3 inertia = iso_sym3_complement(&second, 1.0);
    iso_vec3 turn = iso_vec3_sub(m->turn, iso_vec3_cross(center, m->area));
    out_metrics->volume = m->volume;
    out_metrics->centroid = iso_pose_point(x_wf, iso_vec3_add(m->reference, center));
    out_metrics->inertia = turned(&x_wf->r, &inertia);
    out_metrics->area = iso_mat3_mul_vec3(&x_wf->r, m->area);
    out_metrics->turn = iso_mat3_mul_vec3(&x_wf->r, turn);
    out_metrics->face_count = m->face_count;
}

void iso_volume_join(iso_volume_metrics* sum, const iso_volume_metrics* cell) {
    if (!(cell->volume > 0.0)) {
        return;
    }
    if (!(sum->volume > 0.0)) {
        *sum = *cell;
        return;
    }
    double total = sum->volume + cell->volume, share = cell->volume / total;
    iso_vec3 apart = iso_vec3_sub(cell->centroid, sum->centroid);
    iso_vec3 center = iso_vec3_add_scaled(sum->centroid, apart, share);
    iso_mat3 shift = iso_mat3_point_inertia(sum->volume * share, apart);
    sum->inertia = iso_mat3_add(iso_mat3_add(sum->inertia, cell->inertia), shift);
    iso_vec3 arm_sum = iso_vec3_sub(sum->centroid, center);
    iso_vec3 arm_cell = iso_vec3_sub(cell->centroid, center);
    sum->turn = iso_vec3_add(iso_vec3_add(sum->turn, iso_vec3_cross(arm_sum, sum->area)),
                             iso_vec3_add(cell->turn, iso_vec3_cross(arm_cell, cell->area)));
    sum->area = iso_vec3_add(sum->area, cell->area);
    sum->error = (sum->error * sum->volume + cell->error * cell->volume) / total;
    sum->method = cell->method > sum->method ? cell->method : sum->method;
    sum->face_count += cell->face_count;
    sum->centroid = center;
    sum->volume = total;
}
