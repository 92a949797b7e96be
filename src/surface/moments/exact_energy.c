// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/moments/exact_energy.h"

#include "base/core/fail.h"
#include "field/flux/flux.h"
#include "geometry/mesh/mesh.h"
#include "surface/faces/pressed_face.h"
#include "surface/pairs/pair_query.h"
#include "surface/shapes/contact_shape_data.h"
#include "surface/shapes/shape_search.h"

// Most that the integral over the rims of all faces may keep of its absolute parts, and what the
// faces may lack of their area in the cells of a flux field. Rounding leaves 1e-13.
#define RIM_TOLERANCE 1e-9
#define AREA_TOLERANCE 1e-9
// Pressures agree at a pole, relative to its own.
#define POLE_TOLERANCE 1e-12

// One side of a pair: where its energy flows.
typedef struct energy_side {
    iso_pair_side part;
    iso_contact_shape* shape;
    const iso_field_flux* flux; // of a field
    double found, asked;        // areas [m^2]
} energy_side;

// The flux field of a shape's field or layer, made on first need. Two threads may make one at the
// same time: the first to be done is kept.
static iso_status find_flux(iso_contact_shape* shape, const iso_field* field,
                            const iso_field_flux** out_flux) {
    iso_shape_flux* place = field == shape->layer ? &shape->layer_flux : &shape->flux;
    iso_field_flux* flux = atomic_load(place);
    if (!flux) {
        iso_field_flux* none = NULL;
        iso_status status = iso_field_flux_create(shape->ctx, field, &flux);
        if (status != ISO_OK) {
            *out_flux = NULL;
            return status == ISO_ERR_GEOMETRY ? ISO_OK : status;
        }
        if (!atomic_compare_exchange_strong(place, &none, flux)) {
            iso_field_flux_destroy(shape->ctx, flux);
            flux = none;
        }
    }
    *out_flux = flux;
    return ISO_OK;
}

// A generic weight, so that rims do not cancel by symmetry.
static double rim_weight(iso_vec3 x) {
    return 1.0 + 0.7 * x.x - 0.4 * x.y + 0.9 * x.z + 0.3 * x.x * x.y - 0.8 * x.y * x.z +
           0.5 * x.z * x.x;
}

// Add the integral of p^2 w dl along an edge (exact: degree 4) and that of its size.
static void add_edge(const iso_vec3 x[2], double p, double q, iso_vec3* sum, double* size) {
    static const double k_at[3] = {0.11270166537925831, 0.5, 0.8872983346207417};
    static const double k_weight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    iso_vec3 edge = iso_vec3_sub(x[1], x[0]);
    double integral = 0.0;
    for (int i = 0; i < 3; ++i) {
        double pressure = p + k_at[i] * (q - p);
        integral +=
            k_weight[i] * pressure * pressure * rim_weight(iso_vec3_lerp(x[0], x[1], k_at[i]));
    }
    *sum = iso_vec3_add_scaled(*sum, edge, integral);
    *size += fabs(integral) * iso_vec3_norm(edge);
}

// The pressed polygon of a face.
typedef struct face_polygon {
    int count;
    const iso_vec3* vertices;
    const double* pressures;
    iso_pressed_face pressed;
} face_polygon;

static void find_polygon(const iso_patch* patch, int face, face_polygon* out) {
    int first = patch->face_offsets[face];
    iso_patch_press_face(patch, face, &out->pressed);
    bool is_cut = out->pressed.is_cut;
    out->count = is_cut ? out->pressed.count : patch->face_offsets[face + 1] - first;
    out->vertices = is_cut ? out->pressed.vertices : patch->vertices + first;
    out->pressures = is_cut ? out->pressed.pressures : patch->vertex_pressures + first;
}

// In a complete patch every edge with pressure belongs to two faces, which run along it both ways.
static bool has_rim_under_pressure(const iso_patch* patch) {
    iso_vec3 sum = iso_vec3_zero();
    double size = 0.0, length = sqrt(patch->area);
    face_polygon polygon;
    for (int f = 0; f < patch->face_count; ++f) {
        find_polygon(patch, f, &polygon);
        for (int i = 0; i < polygon.count; ++i) {
            int next = i + 1 < polygon.count ? i + 1 : 0;
            const iso_vec3 x[2] = {
                iso_vec3_scale(iso_vec3_sub(polygon.vertices[i], patch->centroid), 1.0 / length),
                iso_vec3_scale(iso_vec3_sub(polygon.vertices[next], patch->centroid),
                               1.0 / length)};
            add_edge(x, polygon.pressures[i], polygon.pressures[next], &sum, &size);
        }
    }
    return iso_vec3_norm(sum) > RIM_TOLERANCE * size;
}

// Flux out of the contact surface along its normal, in the side's own frame.
static double flux_of_half_space(const energy_side* side, const iso_vec3* points, int count) {
    double sum = 0.0;
    for (int i = 1; i + 1 < count; ++i) {
        const iso_vec3 x[3] = {points[0], points[i], points[i + 1]};
        double area = iso_triangle_area_vector(x[0], x[1], x[2]).z, mean = 0.0;
        for (int k = 0; k < 3; ++k) {
            double z = 0.5 * (x[k].z + x[(k + 1) % 3].z);
            mean += z * z / 3.0;
        }
        sum -= 0.5 * side->part.half_space->slope * mean * area;
    }
    return sum;
}

static double flux_of_face(energy_side* side, int element, const face_polygon* polygon,
                           double area) {
    iso_vec3 points[ISO_FLUX_POLYGON_MAX];
    double found = area, flux;
    for (int i = 0; i < polygon->count; ++i) {
        points[i] = iso_pose_inverse_point(side->part.x_w, polygon->vertices[i]);
    }
    flux = side->flux ? iso_field_flux_through(side->flux, element, points, polygon->count, &found)
                      : flux_of_half_space(side, points, polygon->count);
    side->found += found;
    side->asked += area;
    return flux;
}

// Make what pressure_at() needs of a body for the poles of the other one.
static iso_status prepare_inside(const energy_side* side, const energy_side* other) {
    bool is_asked = side->flux && side->flux->pole_count > 0;
    return is_asked && other->part.triangles ? iso_shape_search_prepare(other->shape) : ISO_OK;
}

// Pressure of a body at a point of W: infinite in a rigid one, -infinite outside.
static double pressure_at(const energy_side* other, iso_vec3 p_w) {
    iso_vec3 p = iso_pose_inverse_point(other->part.x_w, p_w);
    double there = INFINITY;
    if (other->part.half_space) {
        there = other->part.is_rigid ? (p.z < 0.0 ? INFINITY : -INFINITY)
                                     : -other->part.half_space->slope * p.z;
    } else if (other->part.field) {
        there = iso_field_value(other->part.field, p, &there) ? there : -INFINITY;
    } else {
        iso_vec3 low = other->shape->lower, high = other->shape->upper;
        bool is_near = p.x > low.x && p.y > low.y && p.z > low.z && p.x < high.x && p.y < high.y &&
                       p.z < high.z;
        there = is_near && iso_shape_search_winding_number(other->shape, p) > 0.5 ? INFINITY
                                                                                  : -INFINITY;
    }
    return there;
}

// What the displaced poles of a side have taken up. Not exact where the pressures agree at a pole:
// the surface passes through it, or there is none.
static double displaced_poles(const energy_side* side, const energy_side* other, bool* is_exact) {
    double sum = 0.0;
    for (int i = 0; side->flux && i < side->flux->pole_count; ++i) {
        const iso_flux_pole* pole = &side->flux->poles[i];
        double there = pressure_at(other, iso_pose_point(side->part.x_w, pole->p_g));
        sum += there > pole->pressure ? pole->taken : 0.0;
        *is_exact = *is_exact && !(fabs(there - pole->pressure) <= POLE_TOLERANCE * pole->pressure);
    }
    return sum;
}

static iso_status make_side(energy_side* side, iso_contact_shape* shape, bool* is_exact) {
    side->shape = shape;
    if (side->part.is_rigid || !side->part.field) {
        return ISO_OK;
    }
    iso_status status = find_flux(shape, side->part.field, &side->flux);
    *is_exact = *is_exact && side->flux && side->flux->is_complete;
    return status;
}

// A field that is not zero on its skin displaces the other one there without a patch.
static bool may_miss_skin(const energy_side* side, const energy_side* other) {
    return side->flux && !side->flux->is_zero_on_skin && !other->part.is_rigid;
}

// An open surface has no inside: whether it displaces a pole is no question.
static bool is_open(const energy_side* side) {
    return !side->part.half_space && !side->part.field && !side->shape->is_closed;
}

static bool is_covered(const energy_side* side) {
    return fabs(side->found - side->asked) <= AREA_TOLERANCE * side->asked;
}

// Flux through the faces of a patch; false when it is not that of the displaced parts.
static bool flux_of_patch(const iso_patch* patch, energy_side s[2], double* out_flux) {
    face_polygon polygon;
    double sum = 0.0;
    for (int f = 0; f < patch->face_count; ++f) {
        find_polygon(patch, f, &polygon);
        // The displaced part of A lies on the side of the normal, that of B on the other.
        for (int k = 0; k < 2 && polygon.count > 2; ++k) {
            if (!s[k].part.is_rigid) {
                int element = k == 0 ? patch->elements[f].a : patch->elements[f].b;
                double flux = flux_of_face(&s[k], element, &polygon, polygon.pressed.area);
                sum += k == 0 ? -flux : flux;
            }
        }
    }
    *out_flux = sum;
    return is_covered(&s[0]) && is_covered(&s[1]);
}

iso_status iso_patch_exact_energy(iso_contact_shape* a, const iso_pose* x_wa, iso_contact_shape* b,
                                  const iso_pose* x_wb, const iso_patch* patch, double* out_energy,
                                  bool* out_is_exact) {
    energy_side s[2] = {{.found = 0.0}, {.found = 0.0}};
    bool is_exact = true, is_pressed = patch->max_pressure > 0.0;
    double flux = 0.0, poles;
    iso_status status = ISO_OK;
    *out_energy = 0.0;
    *out_is_exact = false;
    iso_pair_find_sides(a, x_wa, b, x_wb, &s[0].part, &s[1].part);
    ISO_TRY(make_side(&s[0], a, &is_exact));
    ISO_TRY(make_side(&s[1], b, &is_exact));
    if (is_open(&s[0]) || is_open(&s[1])) {
        *out_is_exact = !is_pressed;
        return ISO_OK;
    }
    ISO_TRY(prepare_inside(&s[0], &s[1]));
    ISO_TRY(prepare_inside(&s[1], &s[0]));
    // Without a patch a body lies inside the other one as a whole, with all its poles, or not.
    poles = displaced_poles(&s[0], &s[1], &is_exact) + displaced_poles(&s[1], &s[0], &is_exact);
    if (is_pressed || poles != 0.0) {
        is_exact = is_exact && !may_miss_skin(&s[0], &s[1]) && !may_miss_skin(&s[1], &s[0]);
    }
    if (is_pressed) {
        is_exact = is_exact && !has_rim_under_pressure(patch) && flux_of_patch(patch, s, &flux);
    }
    *out_is_exact = is_exact;
    *out_energy = is_exact ? poles + flux : 0.0;

done:
    return status;
}
