// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "base/core/text.h"
#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/episode.h"
#include "contact/pairs/material.h"
#include "contact/pairs/memory.h"
#include "contact/pairs/stretched.h"
#include "surface/shapes/contact_shape_data.h"
#include "surface/shapes/layers.h"

#include <stdio.h>
#include <string.h>

bool iso_contact_system_may_meet(const iso_contact_system* system, int a, int b) {
    int body_a = system->geometries[a].body;
    int body_b = system->geometries[b].body;
    return iso_may_touch(iso_bodies_may_meet(&system->bodies, body_a, body_b),
                         system->geometries[a].bits, system->geometries[b].bits,
                         &system->geometries[a].rules, b);
}

static iso_status check_arguments(iso_context* ctx, const iso_contact_geometry* geometries,
                                  int geometry_count, const iso_body_filter* bodies,
                                  const iso_contact_options* options) {
    int body_count = bodies ? bodies->body_count : 0;
    ISO_REQUIRE(ctx, geometry_count >= 0 && body_count >= 0 && options, ISO_ERR_ARGUMENT,
                "%d geometries of %d bodies, expected counts >= 0 and options", geometry_count,
                body_count);
    ISO_REQUIRE(ctx, geometry_count == 0 || (geometries && bodies), ISO_ERR_ARGUMENT,
                "geometries and bodies are required");
    iso_status status = iso_contact_options_check(ctx, options);
    for (int i = 0; i < geometry_count && status == ISO_OK; ++i) {
        const iso_contact_geometry* g = &geometries[i];
        ISO_REQUIRE(ctx, g->name && g->body_name && g->shape, ISO_ERR_ARGUMENT,
                    "geometry %d: name, body_name and shape are required", i);
        ISO_REQUIRE(ctx, g->body >= 0 && g->body < body_count, ISO_ERR_RANGE,
                    "geometry '%s': body is %d, expected 0 to %d", g->name, g->body,
                    body_count - 1);
        ISO_REQUIRE(ctx, iso_pose_is_finite(&g->x_bg), ISO_ERR_NUMERIC,
                    "geometry '%s': pose is not finite", g->name);
        status = iso_contact_material_check(ctx, &g->material, g->name);
    }
    return status;
}

static iso_status allocate(iso_context* ctx, iso_contact_system* system,
                           const iso_body_filter* bodies) {
    int count = system->geometry_count;
    system->geometries = iso_alloc_array(ctx, count, sizeof *system->geometries);
    system->parts = iso_alloc_array(ctx, count, sizeof *system->parts);
    system->x_wg = iso_alloc_array(ctx, count, sizeof *system->x_wg);
    system->items = iso_alloc_array(ctx, count, sizeof *system->items);
    ISO_REQUIRE(ctx, system->geometries && system->parts && system->x_wg && system->items,
                ISO_ERR_MEMORY, "contact system of %d geometries", count);
    iso_status status = iso_broad_phase_init(ctx, &system->broad, count);
    return status == ISO_OK && bodies ? iso_body_filter_copy(ctx, bodies, &system->bodies) : status;
}

static iso_contact_part make_part(const iso_contact_geometry* geometry,
                                  const iso_contact_options* options) {
    const iso_contact_shape* shape = geometry->shape;
    const iso_contact_material* material = &geometry->material;
    iso_contact_part part = {
        .is_rigid = iso_contact_shape_is_rigid(shape),
        .is_half_space = iso_contact_shape_is_half_space(shape),
        .thickness = options->rigid_layer_thickness,
        .max_pressure = INFINITY,
        .modulus = INFINITY,
    };
    part.margin = fmax(material->margin, 0.0);
    iso_contact_shape_bounds(shape, &part.lower, &part.upper);
    if (part.is_rigid && iso_contact_shape_is_closed(shape)) { // the layer it may carry
        iso_vec3 margin = iso_vec3_make(part.margin, part.margin, part.margin);
        part.lower = iso_vec3_sub(part.lower, margin);
        part.upper = iso_vec3_add(part.upper, margin);
    }
    if (!part.is_rigid) {
        part.thickness = iso_contact_shape_thickness(shape);
        part.max_pressure = iso_contact_shape_max_pressure(shape);
        part.modulus = iso_contact_material_modulus(&shape->material);
        part.compliance = part.thickness / part.modulus;
    }
    part.dissipation = iso_contact_material_dissipation(material, part.thickness);
    return part;
}

// The table of moduli is the caller's own, needed during creation only.
static void forget_borrowed(iso_contact_system* system) {
    for (int i = 0; i < system->geometry_count; ++i) {
        system->geometries[i].source = NULL;
        system->geometries[i].material.modulus_table = NULL;
        system->geometries[i].material.modulus_row_count = 0;
    }
}

// Models of points and volumes take primitives themselves, of which a tessellation leaves some out.
static void cover_primitives(iso_contact_system* system) {
    for (int i = 0; i < system->geometry_count; ++i) {
        const iso_shape_desc* s = &system->geometries[i].shape->primitive;
        double r = s->radius, end = s->kind == ISO_SHAPE_CAPSULE ? r : 0.0;
        iso_vec3 half = iso_vec3_zero();
        if (s->kind == ISO_SHAPE_SPHERE) {
            half = iso_vec3_make(r, r, r);
        } else if (s->kind == ISO_SHAPE_CAPSULE || s->kind == ISO_SHAPE_CYLINDER) {
            half = iso_vec3_make(r, r, 0.5 * s->length + end);
        } else if (s->kind == ISO_SHAPE_ELLIPSOID) {
            half = s->size;
        }
        iso_contact_part* part = &system->parts[i];
        if (iso_vec3_norm_squared(half) > 0.0) {
            part->lower = iso_vec3_min(part->lower, iso_vec3_scale(half, -1.0));
            part->upper = iso_vec3_max(part->upper, half);
        }
    }
}

static bool is_field(iso_contact_model_kind kind) {
    return iso_contact_model_of(kind)->kind == ISO_MANIFOLD_PATCH;
}

static bool has_fields_alone(const iso_contact_system* system) {
    bool has = is_field(system->options.model);
    for (int i = 0; i < system->geometry_count; ++i) {
        const iso_contact_geometry* g = &system->geometries[i];
        has = has && is_field(g->material.model);
        for (int j = 0; j < g->rules.count; ++j) {
            has = has && is_field(g->rules.data[j].model);
        }
    }
    return has;
}

static void copy_geometries(iso_contact_system* system, const iso_contact_geometry* geometries) {
    for (int i = 0; i < system->geometry_count; ++i) {
        system->geometries[i] = geometries[i];
        system->parts[i] = make_part(&geometries[i], &system->options);
    }
    if (!has_fields_alone(system)) {
        cover_primitives(system);
    }
}

static bool is_open(const iso_contact_system* system, int geometry) {
    return system->parts[geometry].is_rigid &&
           !iso_contact_shape_is_closed(system->geometries[geometry].shape);
}

// Two open surfaces have no inside between them: they do not touch, which is said once.
static void leave_open_pairs_out(iso_contact_system* system) {
    int count = 0, first[2] = {0, 0};
    int open_count = 0, *open = system->broad.bucket_ends; // scratch
    for (int i = 0; i < system->geometry_count; ++i) {
        open[open_count] = i;
        open_count += is_open(system, i);
    }
    for (int i = 0; i < open_count; ++i) {
        for (int k = i + 1; k < open_count; ++k) {
            if (iso_contact_system_may_meet(system, open[i], open[k])) {
                first[0] = count == 0 ? open[i] : first[0];
                first[1] = count == 0 ? open[k] : first[1];
                ++count;
            }
        }
    }
    for (int i = 0; i < open_count; ++i) {
        system->geometries[open[i]].bits.is_open = true;
    }
    if (count > 0) {
        const iso_contact_geometry* a = &system->geometries[first[0]];
        const iso_contact_geometry* b = &system->geometries[first[1]];
        iso_log(system->ctx, ISO_LOG_WARNING,
                "geometries '%s' of '%s' (%s) and '%s' of '%s' (%s)%s are open rigid surfaces and "
                "pass through each other (%d pair%s); to have them touch, close one or make it "
                "compliant; a filter of the pair says that they need not",
                a->name, a->body_name, iso_contact_source(a), b->name, b->body_name,
                iso_contact_source(b), count > 1 ? " and others" : "", count,
                iso_text_plural(count));
    }
}

// What the rule of a pair names; DEFAULT: there is none that does.
static iso_contact_model_kind ruled_model(const iso_contact_system* system, int a, int b) {
    const iso_contact_rules* rules = &system->geometries[a].rules;
    const iso_contact_rule* rule = rules->count > 0 ? iso_contact_rules_find(rules, b) : NULL;
    return rule ? rule->model : ISO_CONTACT_MODEL_DEFAULT;
}

// The one that their rule or two materials name; DEFAULT: none does. A has the smaller index.
static iso_contact_model_kind named_model(const iso_contact_system* system, int a, int b) {
    iso_contact_model_kind ruled = ruled_model(system, a, b);
    if (ruled != ISO_CONTACT_MODEL_DEFAULT) {
        return ruled;
    }
    iso_contact_model_kind of_a = system->geometries[a].material.model;
    return of_a != ISO_CONTACT_MODEL_DEFAULT ? of_a : system->geometries[b].material.model;
}

const iso_contact_model* iso_contact_system_model(const iso_contact_system* system, int a, int b) {
    iso_contact_model_kind named = named_model(system, a, b);
    const iso_contact_model* given = system->given_model;
    bool is_given = named == ISO_CONTACT_MODEL_DEFAULT && given &&
                    (!given->takes || given->takes(system, a, b));
    return is_given ? given : iso_contact_model_of(named);
}

// Two materials may not name two models, unless the rule of the pair names one.
static iso_status check_model(const iso_contact_system* system, int a, int b) {
    const iso_contact_geometry *ga = &system->geometries[a], *gb = &system->geometries[b];
    iso_contact_model_kind of_a = ga->material.model, of_b = gb->material.model;
    bool agree = ruled_model(system, a, b) != ISO_CONTACT_MODEL_DEFAULT || of_a == of_b ||
                 of_a == ISO_CONTACT_MODEL_DEFAULT || of_b == ISO_CONTACT_MODEL_DEFAULT;
    ISO_REQUIRE(system->ctx, agree, ISO_ERR_ARGUMENT,
                "geometry '%s' of '%s' (%s) asks for contact model %s and '%s' of '%s' (%s) for "
                "%s; expected one, a model of the pair, or a filter of it",
                ga->name, ga->body_name, iso_contact_source(ga), iso_contact_model_of(of_a)->name,
                gb->name, gb->body_name, iso_contact_source(gb), iso_contact_model_of(of_b)->name);
    return ISO_OK;
}

// What models keep about geometries.
static iso_status prepare_parts(iso_contact_system* system) {
    iso_status status = ISO_OK;
    const iso_contact_model* model = NULL;
    for (int k = 1; status == ISO_OK && (model = iso_contact_model_of(k)) != NULL; ++k) {
        status = model->prepare_parts ? model->prepare_parts(system) : ISO_OK;
    }
    return status;
}

// Among pressure fields alone, nothing is to be prepared or refused about a compliant body.
static bool is_plain(const iso_contact_system* system, int geometry) {
    const iso_contact_part* part = &system->parts[geometry];
    return !part->is_rigid && !part->is_half_space &&
           system->geometries[geometry].material.model == ISO_CONTACT_MODEL_DEFAULT;
}

// Nor about one that has its layer, beside another one that has.
static bool is_ready(const iso_contact_system* system, int geometry) {
    return system->geometries[geometry].shape->has_layer &&
           !system->parts[geometry].is_half_space &&
           system->geometries[geometry].material.model == ISO_CONTACT_MODEL_DEFAULT;
}

// Whether a geometry carries the layer of a pair that may meet.
static bool carries_layer(const iso_contact_system* system, int geometry, int other) {
    int a = geometry < other ? geometry : other, b = geometry < other ? other : geometry;
    const iso_contact_geometry *ga = &system->geometries[a], *gb = &system->geometries[b];
    return a != b && system->parts[other].is_rigid &&
           iso_contact_shape_carries_layer(ga->shape, gb->shape) == (a == geometry) &&
           iso_contact_system_may_meet(system, a, b) &&
           iso_contact_system_model(system, a, b)->kind == ISO_MANIFOLD_PATCH;
}

// Layers of surface meshes that pairs ask for, several at a time; what goes wrong is found again.
static iso_status prepare_layers(iso_context* ctx, iso_contact_system* system, const int* asked,
                                 int count) {
    int shape_count = 0;
    iso_contact_shape** shapes = iso_alloc_array(ctx, count, sizeof(iso_contact_shape*));
    ISO_REQUIRE(ctx, shapes, ISO_ERR_MEMORY, "shapes of %d geometries", count);
    for (int i = 0; i < count; ++i) {
        iso_contact_shape* shape = system->geometries[asked[i]].shape;
        bool is_carried = false;
        for (int k = 0; iso_contact_shape_is_bare(shape) && !is_carried && k < count; ++k) {
            is_carried = carries_layer(system, asked[i], asked[k]);
        }
        if (is_carried) {
            shapes[shape_count++] = shape;
        }
    }
    if (shape_count > 0) {
        iso_contact_shapes_prepare_layers(ctx, shapes, shape_count, &system->options);
    }
    iso_free(ctx, shapes);
    return ISO_OK;
}

// A clone shares shapes, and with them what pressure fields prepare.
static iso_status prepare_pairs(iso_context* ctx, iso_contact_system* system, bool is_clone) {
    iso_status status = ISO_OK;
    bool has_fields = system->given_model->kind == ISO_MANIFOLD_PATCH && has_fields_alone(system);
    int count = 0, *asked = system->broad.bucket_ends; // scratch
    for (int i = 0; i < system->geometry_count && !(is_clone && has_fields); ++i) {
        asked[count] = i;
        count += !has_fields || !is_plain(system, i);
    }
    if (!is_clone) {
        ISO_TRY(prepare_layers(ctx, system, asked, count));
    }
    for (int i = 0; i < count; ++i) {
        for (int k = i + 1; k < count; ++k) {
            int a = asked[i], b = asked[k];
            if (has_fields && is_ready(system, a) && is_ready(system, b)) {
                continue;
            }
            const iso_contact_model* model = iso_contact_system_model(system, a, b);
            if (!iso_contact_system_may_meet(system, a, b) ||
                (is_clone && model->kind == ISO_MANIFOLD_PATCH)) {
                continue;
            }
            ISO_TRY(check_model(system, a, b));
            ISO_TRY(model->prepare(ctx, system, a, b));
        }
    }
done:
    return status;
}

// Pairs that the model asked for cannot take, which stay pressure fields: said once.
static void tell_other_models(const iso_contact_system* system) {
    const iso_contact_model* given = system->given_model;
    int count = 0, all = 0, first[2] = {0, 0};
    for (int a = 0; given->takes && a < system->geometry_count; ++a) {
        for (int b = a + 1; b < system->geometry_count; ++b) {
            if (!iso_contact_system_may_meet(system, a, b) ||
                named_model(system, a, b) != ISO_CONTACT_MODEL_DEFAULT) {
                continue;
            }
            ++all;
            if (!given->takes(system, a, b) && ++count == 1) {
                first[0] = a;
                first[1] = b;
            }
        }
    }
    if (count > 0) {
        const iso_contact_geometry* a = &system->geometries[first[0]];
        const iso_contact_geometry* b = &system->geometries[first[1]];
        iso_log(system->ctx, ISO_LOG_INFO,
                "contact model %s cannot take %d of %d pairs, such as '%s' of '%s' (%s) and '%s' "
                "of '%s' (%s): they are pressure fields",
                given->name, count, all, a->name, a->body_name, iso_contact_source(a), b->name,
                b->body_name, iso_contact_source(b));
    }
}

static iso_status check_pairs(iso_context* ctx, iso_contact_system* system) {
    leave_open_pairs_out(system);
    tell_other_models(system);
    iso_status status = prepare_pairs(ctx, system, false);
    for (int i = 0; i < system->geometry_count && status == ISO_OK; ++i) {
        const iso_contact_geometry* g = &system->geometries[i];
        char owner[512];
        snprintf(owner, sizeof owner, "geometry '%s' of '%s'", g->name, g->body_name);
        iso_contact_shape_log_layer(ctx, g->shape, owner);
    }
    return status;
}

iso_status iso_contact_system_use_model(iso_contact_system* system,
                                        const iso_contact_model* model) {
    iso_contact_system_forget_manifolds(system);
    system->given_model = model;
    if (model->kind != ISO_MANIFOLD_PATCH) {
        cover_primitives(system);
    }
    iso_status status = prepare_pairs(system->ctx, system, false);
    return status == ISO_OK ? iso_contact_system_prepare_lasting(system) : status;
}

iso_status iso_contact_system_create(iso_context* ctx, const iso_contact_geometry* geometries,
                                     int geometry_count, const iso_body_filter* bodies,
                                     const iso_contact_options* options,
                                     iso_contact_system** out_system) {
    ISO_REQUIRE(ctx, out_system, ISO_ERR_ARGUMENT, "out_system is required");
    *out_system = NULL;
    iso_status status = check_arguments(ctx, geometries, geometry_count, bodies, options);
    if (status != ISO_OK) {
        return status;
    }
    iso_contact_system* system = iso_alloc_zeroed(ctx, sizeof *system);
    ISO_REQUIRE(ctx, system, ISO_ERR_MEMORY, "contact system");
    system->ctx = ctx;
    system->options = *options;
    system->given_model = iso_contact_model_of(options->model);
    system->geometry_count = geometry_count;

    ISO_TRY(allocate(ctx, system, bodies));
    copy_geometries(system, geometries);
    ISO_TRY(check_pairs(ctx, system));
    ISO_TRY(iso_contact_system_prepare_lasting(system));
    ISO_TRY(prepare_parts(system));
    forget_borrowed(system);
    *out_system = system;

done:
    if (status != ISO_OK) {
        iso_contact_system_destroy(ctx, system);
    }
    return status;
}

iso_status iso_contact_system_clone(iso_context* ctx, const iso_contact_system* system,
                                    iso_contact_system** out_clone) {
    *out_clone = NULL;
    iso_contact_system* clone = iso_alloc_zeroed(ctx, sizeof *clone);
    ISO_REQUIRE(ctx, clone, ISO_ERR_MEMORY, "contact system");
    clone->ctx = ctx;
    clone->options = system->options;
    clone->has_stretch = system->has_stretch;
    clone->has_field = system->has_field;
    clone->given_model = system->given_model;
    clone->geometry_count = system->geometry_count;

    iso_status status = ISO_OK;
    ISO_TRY(allocate(ctx, clone, &system->bodies));
    for (int i = 0; i < system->geometry_count; ++i) {
        clone->geometries[i] = system->geometries[i];
        clone->parts[i] = system->parts[i];
        clone->parts[i].extent_gradients = NULL;
        clone->parts[i].owns_extent_gradients = false;
        clone->parts[i].volume = NULL;
    }
    ISO_TRY(prepare_parts(clone));
    ISO_TRY(prepare_pairs(ctx, clone, true));
    ISO_TRY(iso_contact_system_prepare_lasting(clone));
    *out_clone = clone;

done:
    if (status != ISO_OK) {
        iso_contact_system_destroy(ctx, clone);
    }
    return status;
}

void iso_contact_system_destroy(iso_context* ctx, iso_contact_system* system) {
    if (!system) {
        return;
    }
    for (int i = 0; i < system->workers.count; ++i) {
        iso_arena_destroy(&system->workers.data[i]);
    }
    ISO_ARRAY_FREE(ctx, &system->workers);
    for (int i = 0; i < system->kept.count; ++i) {
        iso_arena_destroy(&system->kept.data[i].arena);
    }
    ISO_ARRAY_FREE(ctx, &system->kept);
    ISO_ARRAY_FREE(ctx, &system->lasting);
    iso_search_threads_destroy(&system->search_threads);
    ISO_ARRAY_FREE(ctx, &system->results);
    iso_broad_phase_destroy(ctx, &system->broad);
    iso_contact_variation_destroy(ctx, system->variation);
    iso_free(ctx, system->items);
    iso_free(ctx, system->x_wg);
    iso_body_filter_free(ctx, &system->bodies);
    for (int i = 0; system->parts && i < system->geometry_count; ++i) {
        iso_volume_body_destroy(ctx, system->parts[i].volume);
        if (system->parts[i].owns_extent_gradients) {
            iso_free(ctx, (void*)(uintptr_t)system->parts[i].extent_gradients);
        }
    }
    iso_free(ctx, system->parts);
    iso_free(ctx, system->geometries);
    iso_free(ctx, system);
}

int iso_contact_system_geometry_count(const iso_contact_system* system) {
    return system->geometry_count;
}

const iso_contact_geometry* iso_contact_system_geometry(const iso_contact_system* system,
                                                        int index) {
    return &system->geometries[index];
}

const iso_contact_options* iso_contact_system_options(const iso_contact_system* system) {
    return &system->options;
}

iso_friction iso_contact_pair_friction(const iso_contact_system* system,
                                       const iso_contact_pair* pair) {
    const iso_contact_options* options = &system->options;
    iso_shell shell = iso_contact_shell(options);
    return (iso_friction){.law = options->friction_law,
                          .own = &options->own_friction,
                          .params = {.friction_static = pair->friction_static,
                                     .friction_dynamic = pair->friction_dynamic,
                                     .velocity = options->stiction_velocity,
                                     .damping = iso_shell_damping(&shell)}};
}

double iso_contact_memory_energy(const iso_contact_system* system, const iso_pair_memory* memory) {
    iso_episode episode;
    if (iso_episode_recall(memory, &episode)) {
        return iso_episode_energy(&episode);
    }
    const iso_contact_model* model =
        iso_contact_system_model(system, memory->geometry_a, memory->geometry_b);
    return model->memory_energy ? model->memory_energy(memory) : 0.0;
}

static bool is_usable_episode(const iso_contact_system* system, const iso_pair_memory* memory,
                              const iso_episode* episode) {
    int a = memory->geometry_a, b = memory->geometry_b;
    double dwell = episode->numbers[ISO_BRISTLE_STATE_COUNT - 1];
    bool lasts = iso_contact_system_lasting_pair(system, a, b) && dwell > -1.0 && dwell < 2.0;
    bool is_usable = lasts;
    if (episode->kind == ISO_EPISODE_STRETCH) {
        is_usable = system->has_stretch;
    } else if (episode->kind == ISO_EPISODE_BRUSH) {
        iso_corner corners[ISO_EPISODE_CORNERS];
        double s[ISO_EPISODE_CORNERS * ISO_CORNER_NUMBERS];
        double size = iso_contact_system_brush_size(system, a, b);
        is_usable = size > 0.0 && iso_episode_get_corners(episode, size, corners, s) > 0;
    } else if (episode->kind == ISO_EPISODE_ABSORBED) {
        is_usable = episode->numbers[0] >= 0.0;
    }
    return is_usable && episode->impact_speed >= 0.0;
}

bool iso_contact_memory_is_usable(const iso_contact_system* system, const iso_pair_memory* memory) {
    iso_episode episode;
    if (iso_episode_recall(memory, &episode)) {
        return is_usable_episode(system, memory, &episode);
    }
    const iso_contact_model* model =
        iso_contact_system_model(system, memory->geometry_a, memory->geometry_b);
    return model->memory_is_usable && model->memory_is_usable(memory);
}

iso_status iso_contact_complete_faceless(const iso_contact_system* system, iso_contact_pair* pair,
                                         iso_arena* arena) {
    (void)arena;
    pair->patch.is_rigid_a = system->parts[pair->geometry_a].is_rigid;
    pair->patch.is_rigid_b = system->parts[pair->geometry_b].is_rigid;
    return ISO_OK;
}
