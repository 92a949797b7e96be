// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Which geoms of MJCF touch, and with which friction.

#include "scene/mjcf/mjcf.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <math.h>
#include <string.h>

#define FRICTIONLESS 1 // condim

static iso_status read_coefficients(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                    int tangent_count, double* n, int* dimension) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(item->node);
    const char* element = iso_xml_name(item->node);
    int count = 0;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "friction", 1, 2 * tangent_count + 1, n, &count));
    ISO_SCENE_TRY(iso_mjcf_whole(reader, item, "condim", 1.0, 6.0, dimension));
    for (int i = 0; i < tangent_count; ++i) {
        ISO_SCENE_REQUIRE(build, at, n[i] >= 0.0 && n[i] <= ISO_SCENE_MAX_FRICTION, ISO_ERR_RANGE,
                          "<%s>: friction is %g, expected >= 0 and <= %g", element, n[i],
                          ISO_SCENE_MAX_FRICTION);
    }
    if (count > tangent_count && *dimension > 3) {
        iso_scene_warn_once(build, at, "torsional friction",
                            "torsional and rolling friction come from the patch; those of <%s> "
                            "are ignored",
                            element);
    }
    return ISO_OK;
}

iso_status iso_mjcf_read_friction(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                  iso_mjcf_geom* geom, iso_material_spec* spec) {
    double n[3] = {1.0, 0.005, 0.0001};
    geom->dimension = 3;
    ISO_SCENE_TRY(read_coefficients(reader, item, 1, n, &geom->dimension));
    ISO_SCENE_TRY(iso_mjcf_whole(reader, item, "priority", -1e9, 1e9, &geom->priority));
    geom->friction = n[0];
    spec->value.friction_static = spec->value.friction_dynamic = n[0];
    spec->stated |= ISO_MATERIAL_FRICTION_STATIC | ISO_MATERIAL_FRICTION_DYNAMIC;
    return ISO_OK;
}

// --- pairs of the file ---------------------------------------------------------------------------

iso_status iso_mjcf_collect_pairs(iso_mjcf_reader* reader, const xmlNode* contact) {
    static const char* const keys[] = {"geom1", "geom2"};
    for (const xmlNode* child = iso_xml_first(contact); child; child = iso_xml_next(child)) {
        for (int i = 0; i < 2 && iso_xml_is(child, "pair"); ++i) {
            const char* name = NULL;
            ISO_SCENE_TRY(iso_xml_required_attribute(reader->build, child, keys[i], &name));
            ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->paired));
            reader->paired.data[reader->paired.count++] = name;
        }
    }
    return ISO_OK;
}

bool iso_mjcf_is_paired(const iso_mjcf_reader* reader, const char* name) {
    bool is_found = false;
    for (int i = 0; name && i < reader->paired.count && !is_found; ++i) {
        is_found = iso_mjcf_is_named(reader, name, reader->paired.data[i]);
    }
    return is_found;
}

const char* const iso_mjcf_pair_attributes[] = {"name",   "class",    "geom1", "geom2",
                                                "condim", "friction", NULL};

static iso_status add_pair(const iso_mjcf_reader* reader, const xmlNode* node,
                           const iso_geometry_pair_desc* desc, bool is_derived) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(node);
    ISO_SCENE_REQUIRE(build, at, build->pairs.count < ISO_SCENE_MAX_PAIRS, ISO_ERR_RANGE,
                      "more than %d pairs of geoms have friction of their own",
                      ISO_SCENE_MAX_PAIRS);
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->pairs));
    build->pairs.data[build->pairs.count] = (iso_scene_pair){
        .source = at, .desc = *desc, .is_derived = is_derived, .order = build->pairs.count};
    ++build->pairs.count;
    return ISO_OK;
}

static iso_status read_pair(iso_mjcf_reader* reader, const xmlNode* node) {
    static const char* const keys[] = {"geom1", "geom2"};
    iso_scene_build* build = reader->build;
    iso_geometry_pair_desc desc = iso_geometry_pair_desc_default();
    const iso_mjcf_geom* geoms[2];
    iso_mjcf_item item;
    double n[5] = {1.0, 1.0, 0.005, 0.0001, 0.0001};
    int dimension = 3;
    iso_xml_warn_attributes(build, node, iso_mjcf_pair_attributes);
    ISO_SCENE_TRY(iso_mjcf_item_of(reader, node, 0, &item));
    for (int i = 0; i < 2; ++i) {
        const char* name = NULL;
        ISO_SCENE_TRY(iso_xml_required_attribute(build, node, keys[i], &name));
        ISO_SCENE_TRY(iso_mjcf_find_geom(reader, node, name, &geoms[i]));
    }
    ISO_SCENE_TRY(read_coefficients(reader, &item, 2, n, &dimension));
    if (n[0] != n[1] && dimension != FRICTIONLESS) {
        iso_scene_warn_once(build, iso_xml_source(node), "friction of two tangents",
                            "<pair>: friction is %g along one tangent and %g along the other; "
                            "here it is the first along both",
                            n[0], n[1]);
    }
    desc.geometry_a = geoms[0]->geometry;
    desc.geometry_b = geoms[1]->geometry;
    desc.is_unfiltered = true;
    const char* own_name = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "name", &own_name));
    desc.model = iso_mjcf_find_model(reader, own_name, false);
    desc.friction_static = desc.friction_dynamic = dimension == FRICTIONLESS ? 0.0 : n[0];
    bool is_of_use = desc.geometry_a >= 0 && desc.geometry_b >= 0 && geoms[0] != geoms[1];
    return is_of_use ? add_pair(reader, node, &desc, false) : ISO_OK;
}

// --- excluded bodies -----------------------------------------------------------------------------

static iso_status exclude(iso_mjcf_reader* reader, int body_a, int body_b) {
    const iso_mjcf_body* bodies = reader->bodies.data;
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->excluded));
    reader->excluded.data[reader->excluded.count++] =
        (iso_excluded_bodies){bodies[body_a].body, bodies[body_b].body};
    return iso_model_exclude_pair(reader->build->model, bodies[body_a].body, bodies[body_b].body);
}

static iso_status read_exclude(iso_mjcf_reader* reader, const xmlNode* node) {
    static const char* const keys[] = {"body1", "body2"};
    iso_scene_build* build = reader->build;
    const iso_mjcf_body* bodies[2];
    for (int i = 0; i < 2; ++i) {
        const char* name = NULL;
        ISO_SCENE_TRY(iso_xml_required_attribute(build, node, keys[i], &name));
        ISO_SCENE_TRY(iso_mjcf_find_body(reader, node, name, &bodies[i]));
    }
    if (bodies[0] == bodies[1]) {
        iso_scene_warn_once(build, iso_xml_source(node), "excluded from itself",
                            "<exclude>: body '%s' is excluded from itself, which does nothing",
                            bodies[0]->name);
        return ISO_OK;
    }
    return exclude(reader, (int)(bodies[0] - reader->bodies.data),
                   (int)(bodies[1] - reader->bodies.data));
}

iso_status iso_mjcf_read_contact(iso_mjcf_reader* reader, const xmlNode* node) {
    if (iso_xml_is(node, "exclude")) {
        return read_exclude(reader, node);
    }
    if (iso_xml_is(node, "pair")) {
        return read_pair(reader, node);
    }
    static const char* const known[] = {"pair", "exclude", NULL};
    iso_xml_warn_unsupported(reader->build, node, known);
    return ISO_OK;
}

// The bodies that a body is welded to and what all of them hang on, as the first of theirs.
static int parent_weld(const iso_mjcf_reader* reader, int body) {
    const iso_mjcf_body* bodies = reader->bodies.data;
    return bodies[bodies[bodies[body].weld].parent].weld;
}

// A body and all that is welded together, but what it hangs on itself: of that it is the child of a
// joint, which is filtered anyway.
static iso_status exclude_weld(iso_mjcf_reader* reader, int body, int first, const int* next) {
    for (int other = first; other >= 0; other = next[other]) {
        int low = other < body ? other : body, high = other < body ? body : other;
        if (reader->bodies.data[high].parent != low) {
            ISO_SCENE_TRY(exclude(reader, high, low));
        }
    }
    return ISO_OK;
}

// What is welded to a body does not touch what hangs on that body by a joint, either; a joint to
// the world keeps nothing apart.
iso_status iso_mjcf_exclude_neighbours(iso_mjcf_reader* reader) {
    const iso_mjcf_body* bodies = reader->bodies.data;
    iso_context* ctx = reader->build->ctx;
    int count = reader->bodies.count;
    int* firsts = iso_alloc_array(ctx, count, sizeof *firsts); // by weld: a list of its bodies
    int* nexts = iso_alloc_array(ctx, count, sizeof *nexts);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, firsts && nexts, ISO_ERR_MEMORY, "welds of %d bodies", count);
    for (int i = 0; i < count; ++i) {
        firsts[i] = nexts[i] = -1;
    }
    for (int i = count - 1; i > 0; --i) {
        nexts[i] = firsts[bodies[i].weld];
        firsts[bodies[i].weld] = i;
    }
    for (int i = 1; i < count && status == ISO_OK; ++i) {
        int own = bodies[i].weld, parent = parent_weld(reader, i);
        if (own > 0 && parent > 0 && own != parent) {
            status = exclude_weld(reader, i, firsts[parent], nexts);
        }
    }
done:
    iso_free(ctx, firsts);
    iso_free(ctx, nexts);
    return status;
}

// --- friction of every other pair ----------------------------------------------------------------

static bool is_excluded(const iso_mjcf_reader* reader, int body_a, int body_b) {
    bool is_found = false;
    for (int i = 0; i < reader->excluded.count && !is_found; ++i) {
        const iso_excluded_bodies* pair = &reader->excluded.data[i];
        is_found = (pair->body_a == body_a && pair->body_b == body_b) ||
                   (pair->body_a == body_b && pair->body_b == body_a);
    }
    return is_found;
}

// Does B hang by a joint on A, which is not the world but cannot move? Then they touch, which
// bodies that a joint connects do not otherwise.
static bool hangs_on_base(const iso_mjcf_reader* reader, int a, int b) {
    const iso_mjcf_body* bodies = reader->bodies.data;
    return a > 0 && bodies[b].parent == a && bodies[a].weld == 0 && bodies[b].weld != 0;
}

// That of the geom of higher priority, else the larger of both.
static double pair_friction(const iso_mjcf_geom* a, const iso_mjcf_geom* b) {
    const iso_mjcf_geom* first = a->priority > b->priority ? a : b;
    bool is_one = a->priority != b->priority;
    double friction = is_one ? first->friction : fmax(a->friction, b->friction);
    int larger = a->dimension > b->dimension ? a->dimension : b->dimension;
    return (is_one ? first->dimension : larger) == FRICTIONLESS ? 0.0 : friction;
}

static iso_status derive_pair(const iso_mjcf_reader* reader, const iso_mjcf_geom* a,
                              const iso_mjcf_geom* b) {
    const iso_mjcf_body* bodies = reader->bodies.data;
    iso_geometry_pair_desc desc = iso_geometry_pair_desc_default();
    bool bits_meet = (a->group & b->mask) != 0 || (b->group & a->mask) != 0;
    if (!bits_meet || bodies[a->body].weld == bodies[b->body].weld) {
        return ISO_OK;
    }
    double friction = pair_friction(a, b);
    desc.geometry_a = a->geometry;
    desc.geometry_b = b->geometry;
    desc.is_unfiltered =
        (hangs_on_base(reader, a->body, b->body) || hangs_on_base(reader, b->body, a->body)) &&
        !is_excluded(reader, bodies[a->body].body, bodies[b->body].body);
    if (a->friction != b->friction || friction != a->friction) {
        desc.friction_static = desc.friction_dynamic = friction;
    } else if (!desc.is_unfiltered) {
        return ISO_OK;
    }
    return add_pair(reader, a->node, &desc, true);
}

// Geoms of one friction, of which none hangs on a base, have no rule in any pair.
static bool has_rules(const iso_mjcf_reader* reader) {
    const iso_mjcf_geom *geoms = reader->geoms.data, *first = geoms;
    bool has = false;
    for (int i = 0; i < reader->geoms.count; ++i) {
        has = has || geoms[i].friction != first->friction || geoms[i].dimension == FRICTIONLESS;
    }
    for (int i = 1; i < reader->bodies.count; ++i) {
        has = has || hangs_on_base(reader, reader->bodies.data[i].parent, i);
    }
    return has;
}

iso_status iso_mjcf_derive_pairs(const iso_mjcf_reader* reader) {
    if (!has_rules(reader)) {
        return ISO_OK;
    }
    for (int i = 0; i < reader->geoms.count; ++i) {
        const iso_mjcf_geom* a = &reader->geoms.data[i];
        for (int j = i + 1; j < reader->geoms.count && a->geometry >= 0; ++j) {
            const iso_mjcf_geom* b = &reader->geoms.data[j];
            if (b->geometry >= 0) {
                ISO_SCENE_TRY(derive_pair(reader, a, b));
            }
        }
    }
    return ISO_OK;
}
