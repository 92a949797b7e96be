// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/stretched.h"

#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/material.h"

#include <math.h>
#include <string.h>

void iso_press_add(iso_press_list* list, iso_vec3 place, iso_vec3 normal, double force, int face) {
    if (!(force > 0.0) || list->is_full) {
        return;
    }
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        iso_press* data = iso_arena_push_array(list->arena, capacity, sizeof *data);
        if (!data) {
            list->is_full = true;
            return;
        }
        if (list->count > 0) {
            memcpy(data, list->data, (size_t)list->count * sizeof *data);
        }
        list->data = data;
        list->capacity = capacity;
    }
    list->data[list->count++] = (iso_press){place, normal, force, face};
}

bool iso_contact_system_has_stretch(const iso_contact_system* system) {
    return system->has_stretch;
}

void iso_contact_system_allow_stretch(iso_contact_system* system, bool is_continuous,
                                      bool may_stick) {
    iso_friction_law law = system->options.friction_law;
    system->has_stretch =
        is_continuous && (law == ISO_FRICTION_COMPLIANT || law == ISO_FRICTION_BRUSH);
    system->has_field = is_continuous
                            ? law == ISO_FRICTION_BRUSH
                            : may_stick && system->options.friction == ISO_FRICTION_MODEL_BRUSH;
}

bool iso_contact_system_has_field(const iso_contact_system* system) {
    return system->has_field;
}

// Most corners of one pair.
#define MOST_CORNERS 16384

static iso_status check_corners(iso_context* ctx, const iso_contact_system* system, int geometry_a,
                                int geometry_b, double size, int count) {
    const iso_contact_geometry* a = &system->geometries[geometry_a];
    const iso_contact_geometry* b = &system->geometries[geometry_b];
    ISO_REQUIRE(ctx, count <= MOST_CORNERS, ISO_ERR_RANGE,
                "brush size is %g m: the field between '%s::%s' and '%s::%s' needs more than "
                "%d corners, expected larger cubes",
                size, a->body_name, a->name, b->body_name, b->name, MOST_CORNERS);
    return ISO_OK;
}

iso_status iso_contact_grow_field(iso_arena* arena, const iso_contact_system* system,
                                  int geometry_a, int geometry_b, const iso_corner* more, int count,
                                  iso_brush* brush, const double* s, double** out_s) {
    *out_s = NULL;
    int most = brush->count + count;
    iso_status status =
        check_corners(arena->ctx, system, geometry_a, geometry_b, brush->size, most);
    if (status != ISO_OK) {
        return status;
    }
    iso_corner* corners = iso_arena_push_array(arena, most, sizeof *corners);
    double* grown = iso_arena_push_array(arena, ISO_CORNER_NUMBERS * most, sizeof *grown);
    ISO_REQUIRE(arena->ctx, corners && grown, ISO_ERR_MEMORY, "%d corners", most);
    brush->count = iso_brush_merge(brush, s, more, count, corners, grown);
    brush->corners = corners;
    *out_s = grown;
    return ISO_OK;
}

// Cubes along the longest side of the smaller geometry, where nothing else is said.
#define USUAL_CUBES 8.0

double iso_contact_system_brush_size(const iso_contact_system* system, int geometry_a,
                                     int geometry_b) {
    const int geometries[2] = {geometry_a, geometry_b};
    double size = system->options.brush_size;
    bool is_field =
        system->has_field &&
        iso_contact_system_model(system, geometry_a, geometry_b)->kind == ISO_MANIFOLD_PATCH;
    double smaller = INFINITY;
    for (int i = 0; i < 2; ++i) {
        const iso_contact_part* part = &system->parts[geometries[i]];
        iso_vec3 sides = iso_vec3_sub(part->upper, part->lower);
        double longest = fmax(fmax(sides.x, sides.y), sides.z);
        smaller = part->is_half_space ? smaller : fmin(smaller, longest);
    }
    return !is_field ? 0.0 : size > 0.0 ? size : smaller / USUAL_CUBES;
}

static bool moves_on_body(const iso_contact_system* system, int geometry) {
    iso_vec3 v = iso_contact_system_geometry(system, geometry)->surface_velocity;
    return iso_vec3_norm_squared(v) > 0.0;
}

bool iso_contact_field_is_on_a(const iso_contact_system* system, const iso_contact_pair* pair) {
    return moves_on_body(system, pair->geometry_b) && !moves_on_body(system, pair->geometry_a);
}

iso_contact_pair iso_contact_pair_smooth(const iso_contact_pair* pair) {
    iso_contact_pair smooth = *pair;
    smooth.friction_static = smooth.friction_dynamic = 0.0;
    return smooth;
}

// Both halves of a stretch in other axes.
static iso_stretch turned(const double s[ISO_STRETCH_COUNT], const iso_mat3* r) {
    iso_vec3 first = iso_mat3_mul_vec3(r, iso_vec3_make(s[0], s[1], s[2]));
    iso_vec3 second = iso_mat3_mul_vec3(r, iso_vec3_make(s[3], s[4], s[5]));
    return (iso_stretch){{first.x, first.y, first.z, second.x, second.y, second.z}};
}

static iso_status feel_stretch(const iso_stretched_pair* in, const iso_press_list* list,
                               const iso_shell* shell, iso_press_felt* felt, double* rates,
                               iso_stretched* out) {
    iso_mat3 r_bw = iso_mat3_transpose(in->x_wb->r);
    iso_stretch stretch = turned(in->numbers, &in->x_wb->r);
    iso_stretch_result result;
    iso_stretch_eval(shell, in->pair->friction_dynamic, list->data, list->count, in->v_c, &stretch,
                     felt, &result);
    *out = (iso_stretched){.wrench = result.wrench, .losses = {.friction = result.taken}};
    if (rates) {
        stretch = turned(result.rate.s, &r_bw);
        memcpy(rates, stretch.s, sizeof stretch.s);
    }
    return ISO_OK;
}

// A field works in its body: the places go there, and what they feel comes back.
static iso_status feel_brush(const iso_stretched_pair* in, const iso_press_list* list,
                             const iso_shell* shell, iso_press_felt* felt, double* rates,
                             iso_stretched* out) {
    const iso_mat3* r_wb = &in->x_wb->r;
    iso_vec3 p_bc = iso_vec3_sub(in->pair->p_wc, in->x_wb->p); // in W
    for (int i = 0; i < list->count; ++i) {
        iso_press* at = &list->data[i];
        at->place = iso_mat3_tmul_vec3(r_wb, iso_vec3_add(p_bc, at->place));
        at->normal = iso_mat3_tmul_vec3(r_wb, at->normal);
    }
    iso_spatial v = iso_spatial_shift_twist(in->v_c, iso_vec3_neg(p_bc));
    v = iso_spatial_make(iso_mat3_tmul_vec3(r_wb, v.rotational),
                         iso_mat3_tmul_vec3(r_wb, v.translational));
    iso_brush_result result;
    iso_status status =
        iso_brush_eval(in->arena, shell, in->pair->friction_dynamic, in->brush, in->numbers,
                       list->data, list->count, v, rates, felt, &result);
    if (status != ISO_OK) {
        return status;
    }
    iso_spatial f = iso_spatial_make(iso_mat3_mul_vec3(r_wb, result.wrench.rotational),
                                     iso_mat3_mul_vec3(r_wb, result.wrench.translational));
    *out = (iso_stretched){.wrench = iso_spatial_shift_wrench(f, p_bc),
                           .losses = {.friction = result.taken},
                           .missing = result.missing,
                           .missing_count = result.missing_count};
    for (int i = 0; felt && i < list->count; ++i) {
        felt[i].friction = iso_mat3_mul_vec3(r_wb, felt[i].friction);
        felt[i].stretch = iso_mat3_mul_vec3(r_wb, felt[i].stretch);
    }
    return ISO_OK;
}

void iso_press_fill_faces(const iso_patch* patch, const iso_press* presses, int count,
                          const iso_press_felt* felt, double* forces,
                          const iso_face_values* faces) {
    bool has_springs = faces->stretches && faces->sliding;
    for (int f = 0; f < patch->face_count; ++f) {
        forces[f] = 0.0;
        if (has_springs) {
            faces->stretches[f] = iso_vec3_zero();
            faces->sliding[f] = 0.0;
        }
    }
    for (int i = 0; i < count; ++i) {
        forces[presses[i].face] += presses[i].force;
    }
    for (int i = 0; i < count; ++i) {
        int f = presses[i].face;
        double share = forces[f] > 0.0 ? presses[i].force / forces[f] : 0.0;
        faces->tractions[f] =
            iso_vec3_add_scaled(faces->tractions[f], felt[i].friction, 1.0 / patch->areas[f]);
        if (has_springs) {
            faces->stretches[f] = iso_vec3_add_scaled(faces->stretches[f], felt[i].stretch, share);
            faces->sliding[f] += share * felt[i].sliding;
        }
    }
}

iso_status iso_contact_stretched_friction(const iso_stretched_pair* in,
                                          const iso_face_values* faces, double* rates,
                                          iso_stretched* out) {
    iso_press_list list = {.arena = in->arena};
    in->pair->model->presses(in->system, in->pair, in->v_c, &list);
    const iso_patch* patch = &in->pair->patch;
    bool has_faces = faces && faces->stretches && patch->face_count > 0;
    iso_press_felt* felt =
        has_faces ? iso_arena_push_array(in->arena, list.count, sizeof *felt) : NULL;
    double* forces =
        has_faces ? iso_arena_push_array(in->arena, patch->face_count, sizeof *forces) : NULL;
    ISO_REQUIRE(in->arena->ctx, !list.is_full && ((felt && forces) || !has_faces), ISO_ERR_MEMORY,
                "friction at %d places", list.count);
    iso_shell shell = iso_contact_shell(&in->system->options);
    iso_status status = in->brush ? feel_brush(in, &list, &shell, felt, rates, out)
                                  : feel_stretch(in, &list, &shell, felt, rates, out);
    if (status == ISO_OK && felt) {
        iso_press_fill_faces(patch, list.data, list.count, felt, forces, faces);
    }
    return status;
}

iso_status iso_contact_stretched_wrench(const iso_stretched_pair* in, const iso_face_values* faces,
                                        double* rates, iso_stretched* out) {
    iso_contact_losses losses;
    iso_contact_pair smooth = iso_contact_pair_smooth(in->pair);
    iso_spatial pressed =
        in->pair->model->wrench(in->system, &smooth, in->v_c, &losses,
                                faces ? faces->tractions : NULL, faces ? faces->slips : NULL);
    iso_status status = iso_contact_stretched_friction(in, faces, rates, out);
    if (status == ISO_OK) {
        out->wrench = iso_spatial_add(out->wrench, pressed);
        out->losses.damping = losses.damping;
    }
    return status;
}
