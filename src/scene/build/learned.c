// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Friction from a learned model: of a pair of materials when the scene is loaded.

#include "scene/build/build.h"

#include <stdio.h>
#include <string.h>

#define MAX_LEARNED_PAIRS 200000

static iso_status find_model(iso_scene_build* build, iso_source at, const char* uri,
                             const iso_learned** out_model) {
    const char* path = NULL;
    ISO_SCENE_TRY(iso_scene_resolve_uri(build, at, uri, &path));
    for (int i = 0; i < build->friction_models.count; ++i) {
        if (strcmp(build->friction_models.data[i].path, path) == 0) {
            *out_model = build->friction_models.data[i].model;
            return ISO_OK;
        }
    }
    ISO_SCENE_REQUIRE(build, at, !build->is_memory_only, ISO_ERR_IO,
                      "friction model '%s' cannot be read: no files while reading from memory",
                      path);
    iso_scene_model_file file = {.path = path};
    iso_status status = iso_learned_read(build->ctx, path, &file.model);
    if (status != ISO_OK) {
        return iso_scene_fail_at(build, at, status);
    }
    status = ISO_ARRAY_GROW(build->ctx, &build->friction_models);
    if (status != ISO_OK) {
        iso_learned_destroy(file.model);
        return status;
    }
    build->friction_models.data[build->friction_models.count++] = file;
    *out_model = file.model;
    return ISO_OK;
}

static iso_status fail_unknown(iso_scene_build* build, iso_source at, const iso_learned* model,
                               const char* name) {
    int count = iso_learned_material_count(model);
    const char** names = iso_arena_push_array(&build->arena, count, sizeof *names);
    ISO_REQUIRE(build->ctx, names || count == 0, ISO_ERR_MEMORY, "names of %d materials", count);
    for (int i = 0; i < count; ++i) {
        names[i] = iso_learned_material_at(model, i)->name;
    }
    iso_name_list list = iso_name_list_of(names, count);
    return iso_scene_fail_missing(build, at, &list, "material of the friction model", name);
}

// 'rubber' (E 1e+07 Pa), or what has numbers of its own and no name.
static const char* tell_material(const iso_learned_material* m, char* text, size_t size) {
    bool has_name = m->name[0] != '\0';
    (void)snprintf(text, size, "%s%s%s (E %.3g Pa)", has_name ? "'" : "a material of own numbers",
                   m->name, has_name ? "'" : "", m->young_modulus);
    return text;
}

static void warn_outside(iso_scene_build* build, iso_source at, const iso_scene_learned* a,
                         const iso_scene_learned* b, const iso_learned_value* value) {
    if (value->outside > 0.0) {
        char key[160], of[160], on[160];
        const iso_learned_material *x = &a->material, *y = &b->material;
        (void)snprintf(key, sizeof key, "learned %s %g %s %g", x->name, x->young_modulus, y->name,
                       y->young_modulus);
        iso_scene_warn_once(build, at, key,
                            "friction %.3g of %s on %s is a guess: the pair lies %.2g standard "
                            "deviations outside what the model learned from",
                            value->friction, tell_material(x, of, sizeof of),
                            tell_material(y, on, sizeof on), value->outside);
    }
}

iso_status iso_scene_learn(iso_scene_build* build, iso_source at, const char* uri, const char* name,
                           const iso_learned_material* own, iso_material_spec* spec) {
    iso_scene_learned* learned = iso_arena_push(&build->arena, sizeof *learned);
    ISO_REQUIRE(build->ctx, learned, ISO_ERR_MEMORY, "friction of a material");
    *learned = (iso_scene_learned){.material = *own, .source = at};
    ISO_SCENE_TRY(find_model(build, at, uri, &learned->model));
    if (name) {
        const iso_learned_material* known = iso_learned_find(learned->model, name);
        if (!known) {
            return fail_unknown(build, at, learned->model, name);
        }
        learned->material = *known;
    }
    iso_learned_value value;
    iso_status status =
        iso_learned_predict(learned->model, &learned->material, &learned->material, &value);
    if (status != ISO_OK) {
        return iso_scene_fail_at(build, at, status);
    }
    spec->value.friction_static = spec->value.friction_dynamic = value.friction;
    spec->stated |= ISO_MATERIAL_FRICTION_STATIC | ISO_MATERIAL_FRICTION_DYNAMIC;
    spec->learned = learned;
    return ISO_OK;
}

static bool is_same(const iso_learned_material* a, const iso_learned_material* b) {
    return a->young_modulus == b->young_modulus && a->poisson == b->poisson &&
           a->density == b->density;
}

/// What is known of two materials.
typedef struct known_pair {
    const iso_scene_learned *x, *y;
    double friction;
} known_pair;

typedef struct pair_list {
    ISO_ARRAY(known_pair) known;
} pair_list;

// Many geometries share few materials: each pair of them is asked for once.
static iso_status find_friction(iso_scene_build* build, pair_list* list, const iso_scene_learned* x,
                                const iso_scene_learned* y, double* out_friction) {
    for (int i = 0; i < list->known.count; ++i) {
        const known_pair* k = &list->known.data[i];
        if (k->x->model == x->model && is_same(&k->x->material, &x->material) &&
            is_same(&k->y->material, &y->material)) {
            *out_friction = k->friction;
            return ISO_OK;
        }
    }
    iso_learned_value value;
    iso_status status = iso_learned_predict(x->model, &x->material, &y->material, &value);
    if (status != ISO_OK) {
        return iso_scene_fail_at(build, x->source, status);
    }
    warn_outside(build, x->source, x, y, &value);
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &list->known));
    list->known.data[list->known.count++] = (known_pair){x, y, value.friction};
    *out_friction = value.friction;
    return ISO_OK;
}

static iso_status add_pair(iso_scene_build* build, pair_list* list, int a, int b) {
    const iso_scene_learned *x = build->learned.data[a], *y = build->learned.data[b];
    double friction = 0.0;
    ISO_SCENE_TRY(find_friction(build, list, x, y, &friction));
    if (is_same(&x->material, &y->material)) {
        return ISO_OK; // what both have combines to the same
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->pairs));
    iso_scene_pair pair = {
        .source = x->source, .order = build->pairs.count, .is_derived = true, .is_learned = true};
    pair.desc = iso_geometry_pair_desc_default();
    pair.desc.geometry_a = a;
    pair.desc.geometry_b = b;
    pair.desc.friction_static = pair.desc.friction_dynamic = friction;
    build->pairs.data[build->pairs.count++] = pair;
    return ISO_OK;
}

static iso_status add_pairs(iso_scene_build* build, pair_list* list) {
    int count = 0;
    for (int a = 0; a < build->learned.count; ++a) {
        for (int b = 0; build->learned.data[a] && b < a; ++b) {
            int body_a = -1, body_b = -1;
            const iso_scene_learned *x = build->learned.data[a], *y = build->learned.data[b];
            (void)iso_model_geometry(build->model, a, &body_a);
            (void)iso_model_geometry(build->model, b, &body_b);
            if (!y || y->model != x->model || body_a == body_b) {
                continue;
            }
            ISO_SCENE_REQUIRE(build, x->source, ++count <= MAX_LEARNED_PAIRS, ISO_ERR_RANGE,
                              "more than %d pairs of geometries have learned friction",
                              MAX_LEARNED_PAIRS);
            ISO_SCENE_TRY(add_pair(build, list, a, b));
        }
    }
    return ISO_OK;
}

iso_status iso_scene_pair_learned(iso_scene_build* build) {
    pair_list list = {{0}};
    iso_status status = add_pairs(build, &list);
    ISO_ARRAY_FREE(build->ctx, &list.known);
    return status;
}
