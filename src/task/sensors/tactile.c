// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Tactile sensors: the faces of contacts, cut along the cells of a grid. A face is cut in space by
// the planes between columns, its strips by those between rows, and every piece takes the share of
// the face's force that its area has. So the cells and what lies outside of them add up to the
// force of the contacts, whatever the direction of the faces.

#include "task/sensors/sensors.h"

#include <string.h>

enum { k_face, k_strip, k_piece, k_rest, k_spare };

static double coordinate(iso_vec3 p, int axis) {
    return axis == 0 ? p.x : p.y;
}

static double polygon_area(const iso_sensor_polygon* polygon) {
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 2; i < polygon->count; ++i) {
        iso_vec3 a = iso_vec3_sub(polygon->data[i - 1], polygon->data[0]);
        iso_vec3 b = iso_vec3_sub(polygon->data[i], polygon->data[0]);
        sum = iso_vec3_add(sum, iso_vec3_cross(a, b));
    }
    return 0.5 * iso_vec3_norm(sum);
}

// Share of a triangle on which a pressure is not negative, from those of its corners.
static double pressed_share(double p, double q, double r) {
    double low = fmin(p, fmin(q, r)), high = fmax(p, fmax(q, r));
    double middle = fmax(fmin(p, q), fmin(fmax(p, q), r));
    if (low >= 0.0 || high <= 0.0) {
        return low >= 0.0 ? 1.0 : 0.0;
    }
    return middle > 0.0 ? 1.0 - low / (low - middle) * (low / (low - high))
                        : high / (high - middle) * (high / (high - low));
}

double iso_sensor_pressed_area(const iso_patch* patch, int face) {
    int first = patch->face_offsets[face], end = patch->face_offsets[face + 1];
    const iso_vec3* x = patch->vertices;
    const double* p = patch->vertex_pressures;
    double whole = 0.0, pressed = 0.0;
    for (int i = first + 1; i + 1 < end; ++i) {
        iso_vec3 a = iso_vec3_sub(x[i], x[first]), b = iso_vec3_sub(x[i + 1], x[first]);
        double area = iso_vec3_norm(iso_vec3_cross(a, b));
        whole += area;
        pressed += area * pressed_share(p[first], p[i], p[i + 1]);
    }
    return whole > 0.0 ? patch->areas[face] * (pressed / whole) : 0.0;
}

// A polygon that rounding dented could have more vertices than there is room for: they lie on
// others.
static void append(iso_sensor_polygon* polygon, iso_vec3 p) {
    if (polygon->count < polygon->capacity) {
        polygon->data[polygon->count++] = p;
    }
}

// Cut a convex polygon where a coordinate is c: `below` gets what is <= c, `above` the rest.
static void cut(const iso_sensor_polygon* polygon, int axis, double c, iso_sensor_polygon* below,
                iso_sensor_polygon* above) {
    below->count = above->count = 0;
    for (int i = 0; i < polygon->count; ++i) {
        iso_vec3 p = polygon->data[i], q = polygon->data[(i + 1) % polygon->count];
        double d_p = coordinate(p, axis) - c, d_q = coordinate(q, axis) - c;
        if (d_p <= 0.0) {
            append(below, p);
        } else {
            append(above, p);
        }
        if ((d_p <= 0.0) != (d_q <= 0.0)) {
            iso_vec3 x = iso_vec3_add_scaled(p, iso_vec3_sub(q, p), d_p / (d_p - d_q));
            append(below, x);
            append(above, x);
        }
    }
}

static void swap_polygons(iso_sensor_polygon* a, iso_sensor_polygon* b) {
    iso_sensor_polygon t = *a;
    *a = *b;
    *b = t;
}

// Index of the cell of a coordinate, -1 below the grid and `count` above it.
static int cell_of(double x, double size, int count) {
    double at = floor((x / size + 0.5) * count);
    return at < 0.0 ? -1 : (at >= count ? count : (int)at);
}

// Where cell i begins.
static double cell_start(int i, double size, int count) {
    return size * ((double)i / count - 0.5);
}

static void find_range(const iso_sensor_polygon* polygon, int axis, double size, int count,
                       int* out_first, int* out_last) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < polygon->count; ++i) {
        low = fmin(low, coordinate(polygon->data[i], axis));
        high = fmax(high, coordinate(polygon->data[i], axis));
    }
    *out_first = cell_of(low, size, count);
    *out_last = cell_of(high, size, count);
}

// One face, in the axes of S, as the sensing body feels it.
typedef struct face_load {
    iso_vec3 traction; // on the sensing body
    iso_vec3 slip;     // velocity of the other body relative to it
    double area;       // of the cut polygon
    double scale;      // area of the face over that
    double pressed;    // share of the face that is not in the margin
    double sliding;    // share of its force that slides, of friction with springs
} face_load;

// The state of a cell; until it is known, the force that slides there.
static double* state_of(const iso_sensor_desc* desc, double* values, int cell) {
    return values + ISO_TACTILE_HEAD + ISO_TACTILE_CELL * desc->rows * desc->columns + cell;
}

// A piece of a face goes to a cell, or outside of the grid.
static void add_piece(const iso_sensor_desc* desc, const face_load* face, double area, int row,
                      int column, double* values) {
    double share = area * face->scale;
    iso_vec3 f = iso_vec3_scale(face->traction, share);
    bool is_inside = row >= 0 && row < desc->rows && column >= 0 && column < desc->columns;
    double* sum = values + (is_inside ? 0 : 3);
    sum[0] += f.x;
    sum[1] += f.y;
    sum[2] += f.z;
    if (is_inside) {
        double* cell =
            values + ISO_TACTILE_HEAD + ISO_TACTILE_CELL * (row * desc->columns + column);
        cell[0] -= f.z;
        cell[1] += f.x;
        cell[2] += f.y;
        cell[3] += share * face->pressed * face->slip.x;
        cell[4] += share * face->pressed * face->slip.y;
        cell[5] += share * face->pressed;
        *state_of(desc, values, row * desc->columns + column) -= f.z * face->sliding;
    }
}

// The strip polygons[k_strip] along a column.
static void add_strip(iso_sensor_polygon* polygons, const iso_sensor_desc* desc,
                      const face_load* face, int column, double* values) {
    int first, last;
    find_range(&polygons[k_strip], 1, desc->height, desc->rows, &first, &last);
    for (int row = first; row < last && polygons[k_strip].count > 0; ++row) {
        cut(&polygons[k_strip], 1, cell_start(row + 1, desc->height, desc->rows),
            &polygons[k_piece], &polygons[k_spare]);
        add_piece(desc, face, polygon_area(&polygons[k_piece]), row, column, values);
        swap_polygons(&polygons[k_strip], &polygons[k_spare]);
    }
    add_piece(desc, face, polygon_area(&polygons[k_strip]), last, column, values);
}

// The face polygons[k_face].
static void add_face(iso_sensor_polygon* polygons, const iso_sensor_desc* desc,
                     const face_load* face, double* values) {
    int first, last;
    find_range(&polygons[k_face], 0, desc->width, desc->columns, &first, &last);
    for (int column = first; column < last; ++column) {
        cut(&polygons[k_face], 0, cell_start(column + 1, desc->width, desc->columns),
            &polygons[k_strip], &polygons[k_rest]);
        if (polygons[k_strip].count > 0) {
            add_strip(polygons, desc, face, column, values);
        }
        swap_polygons(&polygons[k_face], &polygons[k_rest]);
    }
    swap_polygons(&polygons[k_face], &polygons[k_strip]);
    if (polygons[k_strip].count > 0) {
        add_strip(polygons, desc, face, last, values);
    }
}

static iso_status take_face(iso_sensors* sensors, const iso_contact* contact, int index,
                            const iso_pose* x_ws) {
    const iso_patch* patch = &contact->patch;
    int first = patch->face_offsets[index], count = patch->face_offsets[index + 1] - first;
    for (int i = 0; i < 5; ++i) {
        // Two cuts along either axis leave at most 4 vertices more than a convex polygon has.
        iso_status status = ISO_ARRAY_RESERVE(sensors->ctx, &sensors->polygons[i], 2 * count + 4);
        if (status != ISO_OK) {
            return status;
        }
    }
    sensors->polygons[k_face].count = count;
    for (int i = 0; i < count; ++i) {
        sensors->polygons[k_face].data[i] =
            iso_pose_inverse_point(x_ws, patch->vertices[first + i]);
    }
    return ISO_OK;
}

// A contact without faces: its force in the cell that its centre lies in.
static void add_point(const iso_sensor_desc* desc, const iso_contact* contact, double side,
                      const iso_pose* x_ws, double* values) {
    double area = contact->patch.area;
    if (!(area > 0.0)) {
        return;
    }
    iso_vec3 force = iso_mat3_tmul_vec3(&x_ws->r, contact->f_b_w.translational);
    face_load face = {.traction = iso_vec3_scale(force, side / area),
                      .slip = iso_vec3_zero(),
                      .scale = 1.0,
                      .pressed = 1.0};
    iso_vec3 p = iso_pose_inverse_point(x_ws, contact->patch.center_of_pressure);
    double outward = -side * iso_mat3_tmul_vec3(&x_ws->r, contact->normal).z;
    bool is_felt = fabs(p.z) <= desc->reach && outward > 0.0;
    int row = is_felt ? cell_of(p.y, desc->height, desc->rows) : -1;
    int column = is_felt ? cell_of(p.x, desc->width, desc->columns) : -1;
    add_piece(desc, &face, area, row, column, values);
}

static iso_status add_contact(iso_sensors* sensors, const iso_sensor* sensor,
                              const iso_contact* contact, double side, const iso_pose* x_ws,
                              double* values) {
    const iso_sensor_desc* desc = &sensor->desc;
    const iso_patch* patch = &contact->patch;
    if (contact->manifold != ISO_MANIFOLD_PATCH) {
        add_point(desc, contact, side, x_ws, values);
        return ISO_OK;
    }
    for (int f = 0; f < patch->face_count; ++f) {
        face_load face = {
            .traction = iso_vec3_scale(iso_mat3_tmul_vec3(&x_ws->r, contact->tractions[f]), side),
            .slip =
                iso_vec3_scale(iso_mat3_tmul_vec3(&x_ws->r, contact->slip_velocities[f]), -side)};
        if (iso_vec3_norm_squared(face.traction) == 0.0) {
            continue; // in the margin
        }
        iso_status status = take_face(sensors, contact, f, x_ws);
        if (status != ISO_OK) {
            return status;
        }
        face.sliding = contact->sliding ? contact->sliding[f] : 0.0;
        sensors->has_springs = sensors->has_springs || contact->sliding;
        face.area = polygon_area(&sensors->polygons[k_face]);
        face.scale = face.area > 0.0 ? patch->areas[f] / face.area : 0.0;
        face.pressed = iso_sensor_pressed_area(patch, f) / patch->areas[f];
        iso_vec3 centroid = iso_pose_inverse_point(x_ws, patch->centroids[f]);
        // Out of the sensing body: from A into B when it is A.
        double outward = -side * iso_mat3_tmul_vec3(&x_ws->r, patch->normals[f]).z;
        if (fabs(centroid.z) > desc->reach || outward <= 0.0 || face.area == 0.0) {
            face.scale = 1.0;
            add_piece(desc, &face, patch->areas[f], -1, -1, values);
        } else {
            add_face(sensors->polygons, desc, &face, values);
        }
    }
    return ISO_OK;
}

// Forces become pressures of whole cells, slips means over the area in contact.
static void finish_cells(const iso_sensor_desc* desc, double* values) {
    double cell_area = desc->width * desc->height / ((double)desc->rows * desc->columns);
    for (int i = 0; i < desc->rows * desc->columns; ++i) {
        double* cell = values + ISO_TACTILE_HEAD + ISO_TACTILE_CELL * i;
        for (int k = 0; k < 3; ++k) {
            cell[k] /= cell_area;
        }
        double* state = state_of(desc, values, i);
        bool slides = *state > 0.5 * cell[0] * cell_area;
        *state = !(cell[5] > 0.0) ? ISO_CELL_FREE : slides ? ISO_CELL_SLIPS : ISO_CELL_STICKS;
        for (int k = 3; k < 5 && cell[5] > 0.0; ++k) {
            cell[k] /= cell[5];
        }
    }
}

iso_status iso_sensor_read_tactile(iso_sensors* sensors, const iso_sensor* sensor,
                                   const iso_world* world, const iso_pose* x_ws,
                                   double* out_values) {
    memset(out_values, 0, (size_t)sensor->value_count * sizeof *out_values);
    sensors->has_springs = false;
    for (int i = 0; i < iso_world_contact_count(world); ++i) {
        iso_contact contact = iso_world_contact(world, i);
        double side = iso_sensor_side(sensor, &contact);
        if (side != 0.0) {
            iso_status status = add_contact(sensors, sensor, &contact, side, x_ws, out_values);
            if (status != ISO_OK) {
                return status;
            }
        }
    }
    finish_cells(&sensor->desc, out_values);
    return ISO_OK;
}
