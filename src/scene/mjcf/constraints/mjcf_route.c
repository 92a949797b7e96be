// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Tendons of an MJCF file that run through space, and what actuators of sites, balls and free
// joints pull along.

#include "scene/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

// --- routes --------------------------------------------------------------------------------------

// Bodies of parts are those of `bodies` until finish_parts().
static iso_status read_point(const iso_mjcf_reader* reader, const xmlNode* child,
                             iso_route_part* part) {
    const char* name = NULL;
    const iso_mjcf_site* site = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, child, "site", &name));
    ISO_SCENE_TRY(iso_mjcf_find_site(reader, child, name, &site));
    part->kind = ISO_ROUTE_POINT;
    part->body = site->body;
    part->x_bs = site->x_bs;
    return ISO_OK;
}

static iso_status read_obstacle(const iso_mjcf_reader* reader, const xmlNode* child,
                                iso_route_part* part) {
    const char* name = NULL;
    const iso_mjcf_geom* geom = NULL;
    const iso_mjcf_site* side = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, child, "geom", &name));
    ISO_SCENE_TRY(iso_mjcf_find_geom(reader, child, name, &geom));
    ISO_SCENE_REQUIRE(
        reader->build, iso_xml_source(child),
        geom->shape == ISO_SHAPE_SPHERE || geom->shape == ISO_SHAPE_CYLINDER, ISO_ERR_ARGUMENT,
        "<spatial>: it is to be wound around geom '%s', expected a sphere or cylinder", name);
    part->kind = geom->shape == ISO_SHAPE_SPHERE ? ISO_ROUTE_SPHERE : ISO_ROUTE_CYLINDER;
    part->body = geom->body;
    part->x_bs = geom->x_bg;
    part->radius = geom->radius;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, child, "sidesite", &name));
    if (name && *name) {
        ISO_SCENE_TRY(iso_mjcf_find_site(reader, child, name, &side));
        part->other = side->body;
        part->x_bo = side->x_bs;
    }
    return ISO_OK;
}

static iso_status read_pulley(const iso_mjcf_reader* reader, const xmlNode* child,
                              iso_route_part* part) {
    iso_mjcf_item item = {child, -1};
    const char* text = NULL;
    ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, child, "divisor", &text));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "divisor", 1, 1, &part->divisor, NULL));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(child), part->divisor > 0.0, ISO_ERR_RANGE,
                      "<pulley>: divisor is %g, expected > 0", part->divisor);
    part->kind = ISO_ROUTE_PULLEY;
    return ISO_OK;
}

// A sphere or cylinder stands between two sites, and each piece has two ends.
static iso_status check_order(const iso_mjcf_reader* reader, const xmlNode* spatial,
                              const iso_route_part* parts, int count) {
    int points = 0;
    bool is_good = count > 0, is_open = false;
    for (int i = 0; i < count && is_good; ++i) {
        iso_route_kind kind = parts[i].kind;
        if (kind == ISO_ROUTE_POINT) {
            ++points;
            is_open = false;
        } else if (kind == ISO_ROUTE_PULLEY) {
            is_good = !is_open && (i == 0 || points > 1);
            points = 0;
        } else {
            is_good = !is_open && points > 0;
            is_open = true;
        }
    }
    is_good = is_good && !is_open && points > 1;
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(spatial), is_good, ISO_ERR_PARSE,
                      "<spatial>: expected two or more sites before and behind each pulley, and "
                      "each geom between two sites");
    return ISO_OK;
}

static iso_status read_parts(iso_mjcf_reader* reader, const xmlNode* spatial,
                             iso_route_part** out_parts, int* out_count) {
    int count = 0;
    for (const xmlNode* c = iso_xml_first(spatial); c; c = iso_xml_next(c)) {
        ++count;
    }
    iso_route_part* parts = iso_arena_push_array(&reader->build->arena, count, sizeof *parts);
    ISO_REQUIRE(reader->build->ctx, parts || count == 0, ISO_ERR_MEMORY, "tendon of %d parts",
                count);
    count = 0;
    for (const xmlNode* c = iso_xml_first(spatial); c; c = iso_xml_next(c)) {
        iso_route_part* part = &parts[count++];
        *part =
            (iso_route_part){.other = -1, .x_bs = iso_pose_identity(), .x_bo = iso_pose_identity()};
        if (iso_xml_is(c, "site")) {
            ISO_SCENE_TRY(read_point(reader, c, part));
        } else if (iso_xml_is(c, "geom")) {
            ISO_SCENE_TRY(read_obstacle(reader, c, part));
        } else if (iso_xml_is(c, "pulley")) {
            ISO_SCENE_TRY(read_pulley(reader, c, part));
        } else {
            static const char* const known[] = {"site", "geom", "pulley", NULL};
            iso_xml_warn_unsupported(reader->build, c, known);
            --count;
        }
    }
    *out_parts = parts;
    *out_count = count;
    return check_order(reader, spatial, parts, count);
}

// Whether some body of it can move to another one.
static bool can_stretch(const iso_mjcf_reader* reader, const iso_route_part* parts, int count) {
    int weld = -2;
    bool has_two = false, can_move = false;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 2 && parts[i].kind != ISO_ROUTE_PULLEY; ++k) {
            int at = k == 0 ? parts[i].body : parts[i].other;
            if (at >= 0) {
                const iso_mjcf_body* body = &reader->bodies.data[at];
                int own = body->is_static ? -1 : body->weld;
                has_two = has_two || (weld != -2 && weld != own);
                weld = own;
                can_move = can_move || !body->is_static;
            }
        }
    }
    return has_two && can_move;
}

static iso_status measure(const iso_mjcf_reader* reader, const iso_route_part* parts, int count,
                          double* out_length) {
    iso_pose* x_wb =
        iso_arena_push_array(&reader->build->arena, reader->bodies.count, sizeof *x_wb);
    ISO_REQUIRE(reader->build->ctx, x_wb, ISO_ERR_MEMORY, "%d poses", reader->bodies.count);
    for (int i = 0; i < reader->bodies.count; ++i) {
        x_wb[i] = reader->bodies.data[i].x_wb;
    }
    *out_length = iso_route_measure(parts, count, x_wb);
    return ISO_OK;
}

static void finish_parts(const iso_mjcf_reader* reader, iso_route_part* parts, int count) {
    for (int i = 0; i < count; ++i) {
        if (parts[i].kind != ISO_ROUTE_PULLEY) {
            parts[i].body = reader->bodies.data[parts[i].body].body;
            parts[i].other = parts[i].other >= 0 ? reader->bodies.data[parts[i].other].body : -1;
        }
    }
}

static iso_status read_laws(iso_mjcf_reader* reader, const xmlNode* spatial, double length,
                            iso_fixed_tendon_desc* desc) {
    iso_mjcf_item item;
    iso_mjcf_rest rest;
    double range[2];
    bool is_limited = false;
    ISO_SCENE_TRY(iso_mjcf_item_of(reader, spatial, 0, &item));
    ISO_SCENE_TRY(iso_mjcf_coefficient(reader, &item, "stiffness", &desc->stiffness));
    ISO_SCENE_TRY(iso_mjcf_coefficient(reader, &item, "damping", &desc->damping));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "frictionloss", 1, 1, &desc->friction, NULL));
    ISO_SCENE_TRY(iso_mjcf_tendon_armature(reader, &item, &desc->rotor_inertia));
    ISO_SCENE_TRY(iso_mjcf_position_range(reader, &item, range, &is_limited));
    ISO_SCENE_TRY(iso_mjcf_read_rest(reader, &item, &rest));
    desc->spring_reference = rest.is_start ? length : rest.lower;
    if (desc->stiffness > 0.0 && !rest.is_start && rest.lower < rest.upper) {
        iso_mjcf_warn_of_rest(reader, &item, &rest);
        desc->stiffness = 0.0;
    }
    if (is_limited) {
        desc->lower = range[0] > 0.0 ? range[0] : -INFINITY; // no length is below 0
        desc->upper = range[1];
    }
    return ISO_OK;
}

iso_status iso_mjcf_make_route(iso_mjcf_reader* reader, const iso_mjcf_tendon* found, bool has_laws,
                               int* out_index) {
    iso_scene_build* build = reader->build;
    iso_mjcf_tendon* tendon = &reader->tendons.data[found - reader->tendons.data];
    iso_fixed_tendon_desc desc = iso_fixed_tendon_desc_default();
    iso_route_part* parts = NULL;
    double length = 0.0;
    *out_index = tendon->fixed_tendon;
    if (*out_index >= 0 || tendon->flaw) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(read_parts(reader, tendon->element, &parts, &desc.part_count));
    if (!can_stretch(reader, parts, desc.part_count)) {
        tendon->flaw = "what it runs over cannot move";
        return ISO_OK;
    }
    ISO_SCENE_TRY(measure(reader, parts, desc.part_count, &length));
    finish_parts(reader, parts, desc.part_count);
    if (has_laws) {
        ISO_SCENE_TRY(read_laws(reader, tendon->element, length, &desc));
    }
    desc.parts = parts;
    ISO_SCENE_TRY(iso_mjcf_name_closure(reader, tendon->element, "tendon",
                                        iso_model_fixed_tendon_count(build->model), &desc.name));
    ISO_SCENE_TRY(iso_scene_add_fixed_tendon(build, iso_xml_source(tendon->element), &desc,
                                             &tendon->fixed_tendon));
    *out_index = tendon->fixed_tendon;
    return ISO_OK;
}

// The parts of all tendons, each behind a pulley that gives it its factor.
static iso_status join_parts(iso_mjcf_reader* reader, const iso_mjcf_tendon* const* tendons,
                             const double* factors, int tendon_count, iso_route_part** out_parts,
                             int* out_count) {
    iso_route_part* parts[2] = {NULL, NULL};
    int counts[2] = {0, 0}, size = 0;
    for (int i = 0; i < tendon_count; ++i) {
        ISO_SCENE_TRY(read_parts(reader, tendons[i]->element, &parts[i], &counts[i]));
        size += 1 + counts[i];
    }
    iso_route_part* all = iso_arena_push_array(&reader->build->arena, size, sizeof *all);
    ISO_REQUIRE(reader->build->ctx, all, ISO_ERR_MEMORY, "tendons of %d parts", size);
    *out_parts = all;
    *out_count = size;
    for (int i = 0; i < tendon_count; ++i) {
        *all = (iso_route_part){.kind = ISO_ROUTE_PULLEY,
                                .other = -1,
                                .x_bs = iso_pose_identity(),
                                .x_bo = iso_pose_identity(),
                                .divisor = 1.0 / factors[i]};
        ++all;
        for (int k = 0; k < counts[i]; ++k) {
            *all = parts[i][k];
            all->divisor /= factors[i]; // of a pulley
            ++all;
        }
    }
    return ISO_OK;
}

iso_status iso_mjcf_hold_routes(iso_mjcf_reader* reader, const xmlNode* node,
                                const iso_mjcf_tendon* const* tendons, const double* factors,
                                int count, double offset, bool is_active) {
    iso_scene_build* build = reader->build;
    iso_fixed_tendon_desc desc = iso_fixed_tendon_desc_default();
    iso_route_part* parts = NULL;
    const char* name = NULL;
    ISO_SCENE_TRY(join_parts(reader, tendons, factors, count, &parts, &desc.part_count));
    if (!can_stretch(reader, parts, desc.part_count)) {
        iso_scene_warn_once(build, iso_xml_source(node), "equality of routes",
                            "equality of tendon '%s' is left out: what it runs over cannot move",
                            tendons[0]->name);
        return ISO_OK;
    }
    ISO_SCENE_TRY(measure(reader, parts, desc.part_count, &desc.lower));
    finish_parts(reader, parts, desc.part_count);
    desc.lower += offset;
    desc.is_off = !is_active;
    desc.upper = desc.lower;
    desc.parts = parts;
    ISO_SCENE_TRY(iso_mjcf_name_closure(reader, node, "equality",
                                        iso_model_fixed_tendon_count(build->model), &name));
    ISO_SCENE_TRY(iso_scene_format(build, &desc.name, "%s_equality", name));
    return iso_scene_add_fixed_tendon(build, iso_xml_source(node), &desc, NULL);
}

// --- wrenches ------------------------------------------------------------------------------------

static iso_spatial spatial_of(const double* gear) {
    return iso_spatial_make(iso_vec3_make(gear[3], gear[4], gear[5]),
                            iso_vec3_make(gear[0], gear[1], gear[2]));
}

static iso_status read_sites(const iso_mjcf_reader* reader, const xmlNode* node, const char* name,
                             iso_route_part* part, bool* out_can_move) {
    const iso_mjcf_site* site = NULL;
    const iso_mjcf_site* reference = NULL;
    ISO_SCENE_TRY(iso_mjcf_find_site(reader, node, name, &site));
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, node, "refsite", &name));
    const iso_mjcf_body* body = &reader->bodies.data[site->body];
    part->body = body->body;
    part->x_bs = site->x_bs;
    *out_can_move = !body->is_static;
    if (name && *name) {
        ISO_SCENE_TRY(iso_mjcf_find_site(reader, node, name, &reference));
        const iso_mjcf_body* other = &reader->bodies.data[reference->body];
        part->kind = ISO_ROUTE_FRAME;
        part->other = other->body;
        part->x_bo = reference->x_bs;
        part->is_in_other = true;
        *out_can_move = !(body->is_static && other->is_static) && body->weld != other->weld;
    }
    return ISO_OK;
}

// A ball turns its child's frame M against its parent's frame F; a free joint pushes its body along
// the axes of the world and turns it about its own.
static void set_joint(const iso_mjcf_reader* reader, const iso_mjcf_joint* joint, bool is_in_parent,
                      iso_route_part* parts, int* count) {
    if (joint->type == ISO_MJCF_BALL) {
        const iso_joint_desc* desc = iso_model_joint(reader->build->model, joint->joint);
        iso_pose x_mc = iso_pose_inverse(&desc->x_cm);
        parts[0].kind = ISO_ROUTE_FRAME;
        parts[0].body = desc->child;
        parts[0].other = desc->parent;
        parts[0].x_bo = iso_pose_make(iso_mat3_mul(desc->x_pf.r, x_mc.r), iso_vec3_zero());
        parts[0].weights.rotational = parts[0].weights.translational; // the first three gears
        parts[0].weights.translational = iso_vec3_zero();
        parts[0].is_in_other = is_in_parent;
        return;
    }
    parts[0].body = joint->body;
    parts[1] = parts[0];
    parts[0].weights.rotational = iso_vec3_zero();
    parts[0].is_in_other = true;
    parts[1].weights.translational = iso_vec3_zero();
    parts[1].is_in_other = is_in_parent;
    *count = 2;
}

iso_status iso_mjcf_make_wrench(iso_mjcf_reader* reader, const xmlNode* node, const double* gear,
                                int* out_index) {
    iso_scene_build* build = reader->build;
    iso_fixed_tendon_desc desc = iso_fixed_tendon_desc_default();
    const char *site = NULL, *name = NULL;
    bool can_move = true, is_in_parent = false;
    iso_route_part parts[2] = {{.kind = ISO_ROUTE_WRENCH,
                                .x_bs = iso_pose_identity(),
                                .x_bo = iso_pose_identity(),
                                .other = -1,
                                .weights = spatial_of(gear)}};
    int count = 1;
    *out_index = -1;
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "site", &site));
    if (site) {
        ISO_SCENE_TRY(read_sites(reader, node, site, &parts[0], &can_move));
    } else {
        const iso_mjcf_joint* joint = NULL;
        ISO_SCENE_TRY(iso_xml_attribute(build, node, "joint", &name));
        is_in_parent = !name;
        if (!name) {
            ISO_SCENE_TRY(iso_xml_attribute(build, node, "jointinparent", &name));
        }
        ISO_SCENE_TRY(iso_mjcf_find_joint(reader, node, name, &joint));
        set_joint(reader, joint, is_in_parent, parts, &count);
    }
    double size = 0.0;
    for (int i = 0; i < 6; ++i) {
        size += fabs(gear[i]);
    }
    if (!can_move || !(size > 0.0)) {
        iso_scene_warn_once(build, iso_xml_source(node), "wrench",
                            "<%s> is left out: nothing that it drives can move",
                            iso_xml_name(node));
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_mjcf_name_closure(reader, node, "actuator", reader->actuators.count, &name));
    ISO_SCENE_TRY(iso_scene_format(build, &desc.name, "%s_drive", name));
    desc.part_count = count;
    desc.parts = parts;
    return iso_scene_add_fixed_tendon(build, iso_xml_source(node), &desc, out_index);
}
