// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf_draft.h"

#include "math/eigen3.h"

#include <math.h>

// The mass of a body of an MJCF file.

// --- inertia -------------------------------------------------------------------------------------

static iso_status read_inertial(const iso_mjcf_reader* reader, iso_mjcf_body_draft* draft,
                                iso_body_desc* body) {
    static const char* const known[] = {"pos",   "quat", "axisangle",   "xyaxes",      "zaxis",
                                        "euler", "mass", "diaginertia", "fullinertia", NULL};
    const xmlNode* node = draft->inertial;
    iso_mjcf_item item = {node, -1};
    iso_pose x;
    double n[6] = {0.0};
    int mass_count = 0, diagonal_count = 0, full_count = 0;
    iso_xml_warn_attributes(reader->build, node, known);
    ISO_SCENE_TRY(iso_mjcf_pose(reader, &item, &x));
    x = iso_pose_mul(&draft->x_inertial, &x);
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "mass", 1, 1, &body->mass, &mass_count));
    ISO_SCENE_TRY(mass_count == 1 ? ISO_OK : iso_xml_needs_attribute(reader->build, node, "mass"));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "diaginertia", 3, 3, n, &diagonal_count));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "fullinertia", 6, 6, n, &full_count));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(node), diagonal_count == 0 || full_count == 0,
                      ISO_ERR_PARSE,
                      "<inertial>: diaginertia and fullinertia are both given, expected one");
    body->inertia = iso_mat3_diagonal(n[0], n[1], n[2]);
    body->inertia.m[0][1] = body->inertia.m[1][0] = n[3];
    body->inertia.m[0][2] = body->inertia.m[2][0] = n[4];
    body->inertia.m[1][2] = body->inertia.m[2][1] = n[5];
    iso_mat3 rotated = iso_mat3_mul(x.r, body->inertia);
    body->inertia = iso_mat3_mul(rotated, iso_mat3_transpose(x.r));
    body->center_of_mass = x.p;
    draft->has_own_axes = full_count == 0;
    draft->inertial_axes = x.r;
    return ISO_OK;
}

static iso_mat3 sphere_of(double moment) {
    return iso_mat3_diagonal(moment, moment, moment);
}

static bool is_zero(const iso_mat3* m) {
    bool is_so = true;
    for (int i = 0; i < 9; ++i) {
        is_so = is_so && m->m[i / 3][i % 3] == 0.0;
    }
    return is_so;
}

// What the compiler makes of a mass: no less than its bounds, and then moments of a solid.
static void bound_mass(const iso_mjcf_settings* settings, iso_body_desc* body) {
    double least = settings->bound_inertia;
    if (body->mass >= 0.0) { // else an error
        body->mass = fmax(body->mass, settings->bound_mass);
    }
    bool has_mass = body->mass > 0.0;
    if (has_mass && least > 0.0 && iso_sym3_eigenvalues(&body->inertia).x < least) {
        iso_mat3 above = iso_mat3_add(body->inertia, sphere_of(-least));
        body->inertia = iso_mat3_add(iso_sym3_clip_negative(&above), sphere_of(least));
    }
    if (settings->has_balanced_inertia && !iso_scene_is_of_solid(&body->inertia)) {
        const iso_mat3* i = &body->inertia;
        body->inertia = sphere_of((i->m[0][0] + i->m[1][1] + i->m[2][2]) / 3.0);
    }
}

// A body that has a mass by its bound alone: MuJoCo takes its pos for the centre of it.
static void place_bound(const iso_mjcf_reader* reader, const iso_mjcf_body_draft* draft,
                        iso_body_desc* body) {
    body->center_of_mass = draft->place;
    if (iso_vec3_norm(draft->place) > 0.0) {
        iso_scene_warn_once(reader->build, iso_xml_source(draft->node), "centre of boundmass",
                            "body '%s' has no mass but boundmass: its centre of mass is as far "
                            "from it as its pos says, as in MuJoCo; an <inertial> says it better",
                            draft->name);
    }
}

iso_status iso_mjcf_read_mass(const iso_mjcf_reader* reader, iso_mjcf_body_draft* draft,
                              iso_body_desc* body) {
    const xmlNode* inertial = draft->inertial;
    const iso_mjcf_settings* settings = iso_mjcf_settings_of(reader, draft->node);
    body->mass = 0.0;
    body->inertia = iso_mat3_zero();
    body->center_of_mass = iso_vec3_zero();
    if (draft->has_geometry_mass && draft->sum.mass > 0.0) {
        iso_mass_sum_get(&draft->sum, body);
        draft->has_own_axes = draft->massive_count == 1;
    } else if (inertial) { // also of a body that is to have its geoms' mass, if these have none
        ISO_SCENE_TRY(read_inertial(reader, draft, body));
    } else if (settings->bound_mass > 0.0) {
        place_bound(reader, draft, body);
    }
    bound_mass(settings, body);
    // What its parent carries may have moments without mass; they are checked as those of a mass.
    bool has_moments = body->mass == 0.0 && draft->joint_count == 0 && !is_zero(&body->inertia);
    iso_body_desc checked = *body;
    checked.mass = has_moments ? 1.0 : body->mass;
    ISO_SCENE_TRY(iso_scene_check_inertia(reader->build,
                                          iso_xml_source(inertial ? inertial : draft->node),
                                          body->name, &checked, true));
    if (body->mass == 0.0 && !has_moments) {
        body->inertia = sphere_of(fmax(0.0, settings->bound_inertia));
    }
    return ISO_OK;
}

static bool has_bodies(const xmlNode* node) {
    bool is_found = false;
    for (const xmlNode* child = iso_xml_first(node); child && !is_found;
         child = iso_xml_next(child)) {
        bool is_group = iso_xml_is(child, "frame") || iso_xml_is(child, "replicate");
        is_found = iso_xml_is(child, "body") || (is_group && has_bodies(child));
    }
    return is_found;
}

// A body that floats and carries no other may have the frame of its inertia instead of its own.
static iso_status read_alignment(const iso_mjcf_reader* reader, const iso_mjcf_body_draft* draft,
                                 bool* out_is_aligned) {
    int flag = 2;
    *out_is_aligned = false;
    if (draft->joint_count != 1 || draft->joints[0].type != ISO_MJCF_FREE ||
        has_bodies(draft->node)) {
        return ISO_OK;
    }
    iso_mjcf_item item = {draft->joints[0].item.node, -1};
    ISO_SCENE_TRY(iso_mjcf_flag(reader, &item, "align", &flag));
    *out_is_aligned =
        flag == 2 ? iso_mjcf_settings_of(reader, draft->node)->has_aligned_bodies : flag == 1;
    return ISO_OK;
}

iso_status iso_mjcf_align_body(const iso_mjcf_reader* reader, const iso_mjcf_body_draft* draft,
                               iso_body_desc* body, iso_pose* out_x_bi) {
    double moments[3];
    bool is_aligned = false;
    iso_pose x = {.p = body->center_of_mass};
    *out_x_bi = iso_pose_identity();
    ISO_SCENE_TRY(read_alignment(reader, draft, &is_aligned));
    if (!is_aligned || body->mass == 0.0) {
        return ISO_OK;
    }
    if (draft->has_own_axes) {
        x.r = draft->inertial_axes;
        iso_mat3 turned = iso_mat3_mul(iso_mat3_transpose(x.r), body->inertia);
        turned = iso_mat3_mul(turned, x.r);
        body->inertia = iso_mat3_diagonal(turned.m[0][0], turned.m[1][1], turned.m[2][2]);
    } else {
        x.r = iso_mjcf_principal_axes(&body->inertia, moments);
        body->inertia = iso_mat3_diagonal(moments[0], moments[1], moments[2]);
    }
    body->center_of_mass = iso_vec3_zero();
    *out_x_bi = x;
    return ISO_OK;
}
