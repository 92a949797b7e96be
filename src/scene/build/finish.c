// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

#include <stdlib.h>
#include <string.h>

#define MAX_EXCLUDED_PAIRS 1000000

// --- where bodies start --------------------------------------------------------------------------

// Body whose pose a body's own is given relative to.
static int reference_body(iso_scene_build* build, int body) {
    const iso_scene_start* start = &build->starts.data[body];
    return start->parent_joint >= 0 ? iso_model_joint(build->model, start->parent_joint)->parent
                                    : start->base;
}

// x_wb of a body whose reference body is at x_wr.
static iso_pose place_body(iso_scene_build* build, int body, const iso_pose* x_wr) {
    const iso_scene_start* start = &build->starts.data[body];
    if (start->parent_joint < 0) {
        return iso_pose_mul(x_wr, &start->x_b);
    }
    const iso_joint_desc* joint = iso_model_joint(build->model, start->parent_joint);
    iso_pose x_wf = iso_pose_mul(x_wr, &joint->x_pf);
    iso_pose x_fm = iso_scene_joint_displacement(joint);
    iso_pose x_wm = iso_pose_mul(&x_wf, &x_fm);
    iso_pose x_mc = iso_pose_inverse(&joint->x_cm);
    return iso_pose_mul(&x_wm, &x_mc);
}

// Poses of all bodies: follow references down to a known body, then come back up.
static iso_status compute_poses(iso_scene_build* build, iso_pose* poses, char* known, int* path) {
    int count = build->starts.count;
    poses[0] = iso_pose_identity();
    known[0] = 2;
    for (int first = 1; first < count; ++first) {
        int depth = 0;
        int body = first;
        for (; known[body] != 2; body = reference_body(build, body)) {
            const char* name = iso_model_body(build->model, body)->name;
            ISO_SCENE_REQUIRE(
                build, build->starts.data[body].source, known[body] == 0, ISO_ERR_PARSE,
                "body '%s' is placed relative to itself through joints or poses", name);
            known[body] = 1;
            path[depth++] = body;
        }
        while (depth > 0) {
            int child = path[--depth];
            poses[child] = place_body(build, child, &poses[reference_body(build, child)]);
            known[child] = 2;
        }
    }
    return ISO_OK;
}

static iso_status set_free_states(iso_scene_build* build, const iso_pose* poses) {
    for (int body = 1; body < build->starts.count; ++body) {
        const iso_scene_start* start = &build->starts.data[body];
        if (start->parent_joint >= 0) {
            continue;
        }
        iso_status status = iso_model_set_free_pose(build->model, body, &poses[body]);
        if (status == ISO_OK) {
            status = iso_model_set_free_twist(build->model, body, start->v_wb);
        }
        if (status != ISO_OK) {
            return iso_scene_fail_at(build, start->source, status);
        }
    }
    return ISO_OK;
}

iso_status iso_scene_find_poses(iso_scene_build* build, iso_pose* out_poses) {
    int count = build->starts.count;
    char* known = iso_alloc_array(build->ctx, count, 1);
    int* path = iso_alloc_array(build->ctx, count, sizeof *path);
    iso_status status = ISO_OK;
    ISO_CHECK(build->ctx, known && path, ISO_ERR_MEMORY, "poses of %d bodies", count);
    status = compute_poses(build, out_poses, known, path);

done:
    iso_free(build->ctx, known);
    iso_free(build->ctx, path);
    return status;
}

static iso_status finish_starts(iso_scene_build* build) {
    int count = build->starts.count;
    iso_pose* poses = iso_alloc_array(build->ctx, count, sizeof *poses);
    iso_status status = ISO_OK;
    ISO_CHECK(build->ctx, poses, ISO_ERR_MEMORY, "poses of %d bodies", count);
    ISO_TRY(iso_scene_find_poses(build, poses));
    ISO_TRY(set_free_states(build, poses));

done:
    iso_free(build->ctx, poses);
    return status;
}

// --- materials -----------------------------------------------------------------------------------

// * any characters, ? one character. Iterative: linear in practice, no stack.
static bool matches_pattern(const char* pattern, const char* text) {
    const char* star = NULL;
    const char* resume = text;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            ++pattern;
            ++text;
        } else if (star) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        ++pattern;
    }
    return *pattern == '\0';
}

static iso_status finish_material(iso_scene_build* build, int index, int* override_uses) {
    int body = -1;
    iso_geometry_desc* geometry = iso_model_geometry(build->model, index, &body);
    iso_material_spec spec = {geometry->material, build->stated_materials.data[index],
                              build->learned.data[index], build->point_laws.data[index]};
    iso_material_spec merged = build->default_material;
    iso_material_spec_apply(&merged, &spec);
    const char* name = NULL;
    ISO_SCENE_TRY(
        iso_scene_scoped(build, iso_model_body(build->model, body)->name, geometry->name, &name));
    bool is_default = (spec.stated & (ISO_MATERIAL_RESOLUTION_HINT | ISO_MATERIAL_MARGIN)) == 0 &&
                      build->default_material_at.file;
    const unsigned friction_bits = ISO_MATERIAL_FRICTION_STATIC | ISO_MATERIAL_FRICTION_DYNAMIC;
    iso_source own = {geometry->source, 0};
    iso_source at = is_default ? build->default_material_at : own;
    for (int i = 0; i < build->overrides.count; ++i) {
        const iso_material_override* change = &build->overrides.data[i];
        if (matches_pattern(change->pattern, name)) {
            iso_material_spec_apply(&merged, &change->material);
            at = change->source;
            ++override_uses[i];
            if ((change->material.stated & friction_bits) != 0) {
                build->stated_materials.data[index] |= ISO_MATERIAL_FRICTION_OVERRIDDEN;
            }
        }
    }
    ISO_SCENE_TRY(iso_material_spec_finish(build, at, &merged));
    ISO_SCENE_TRY(iso_scene_check_fit(build, at, &geometry->shape, &merged.value));
    build->learned.data[index] = merged.learned;
    iso_status status = iso_model_set_material(build->model, index, &merged.value);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}

// Of all geometries, with their bodies: what patterns are matched with.
static iso_status list_names(iso_scene_build* build, const char*** out_names) {
    int count = iso_model_geometry_count(build->model);
    const char** names = iso_arena_push_array(&build->arena, count, sizeof *names);
    ISO_REQUIRE(build->ctx, names || count == 0, ISO_ERR_MEMORY, "names of %d geometries", count);
    for (int i = 0; i < count; ++i) {
        int body = -1;
        const char* name = iso_model_geometry(build->model, i, &body)->name;
        ISO_SCENE_TRY(
            iso_scene_scoped(build, iso_model_body(build->model, body)->name, name, &names[i]));
    }
    *out_names = names;
    return ISO_OK;
}

// Says the geometry of nearly this name.
static iso_status fail_unmatched(iso_scene_build* build, iso_source at, const char* pattern) {
    const char** names = NULL;
    ISO_SCENE_TRY(list_names(build, &names));
    iso_name_list list = iso_name_list_of(names, iso_model_geometry_count(build->model));
    int nearest = iso_name_list_nearest(&list, pattern);
    return iso_scene_fail(build, at, ISO_ERR_NOT_FOUND,
                          "no geometry matches '%s' (body::geometry, * and ? allowed)%s%s%s",
                          pattern, nearest >= 0 ? "; did you mean '" : "",
                          nearest >= 0 ? names[nearest] : "", nearest >= 0 ? "'?" : "");
}

static iso_status finish_materials(iso_scene_build* build) {
    int* uses = iso_alloc_array(build->ctx, build->overrides.count, sizeof *uses);
    iso_status status = ISO_OK;
    ISO_CHECK(build->ctx, uses, ISO_ERR_MEMORY, "material overrides");
    for (int i = 0; i < build->stated_materials.count; ++i) {
        ISO_TRY(finish_material(build, i, uses));
    }
    for (int i = 0; i < build->overrides.count; ++i) {
        const iso_material_override* change = &build->overrides.data[i];
        if (uses[i] == 0) {
            status = fail_unmatched(build, change->source, change->pattern);
            goto done;
        }
    }

done:
    iso_free(build->ctx, uses);
    return status;
}

// --- collision filters ---------------------------------------------------------------------------

iso_filter_group* iso_scene_add_group(iso_scene_build* build, iso_source at, const char* name) {
    if (ISO_ARRAY_GROW(build->ctx, &build->groups) != ISO_OK) {
        return NULL;
    }
    iso_filter_group* group = &build->groups.data[build->groups.count];
    *group = (iso_filter_group){.name = name, .source = at};
    ++build->groups.count;
    return group;
}

typedef struct pair_list {
    ISO_ARRAY(uint64_t) pairs;
} pair_list;

static iso_status find_group(const iso_scene_build* build, const iso_filter_group* from,
                             const char* name, const iso_filter_group** out_group) {
    for (int i = 0; i < build->groups.count; ++i) {
        if (strcmp(build->groups.data[i].name, name) == 0) {
            *out_group = &build->groups.data[i];
            return ISO_OK;
        }
    }
    iso_name_list list =
        ISO_NAME_LIST(build->groups.data, build->groups.count, iso_filter_group, name);
    return iso_scene_fail_missing(build, from->source, &list, "collision filter group", name);
}

// Put the members of the groups that are part of each group among its own, once.
static iso_status flatten_group(iso_scene_build* build, iso_filter_group* group) {
    for (int i = 0; i < group->groups.count; ++i) {
        ISO_SCENE_REQUIRE(build, group->source, i < ISO_SCENE_MAX_NAMES, ISO_ERR_PARSE,
                          "collision filter group '%s' contains itself", group->name);
        const char* name = group->groups.data[i];
        const iso_filter_group* part = NULL;
        ISO_SCENE_TRY(find_group(build, group, name, &part));
        for (int j = 0; j < part->members.count; ++j) {
            ISO_SCENE_REQUIRE(build, group->source, group->members.count < MAX_EXCLUDED_PAIRS,
                              ISO_ERR_RANGE, "collision filter group '%s' has too many members",
                              group->name);
            ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &group->members));
            group->members.data[group->members.count++] = part->members.data[j];
        }
        for (int j = 0; j < part->groups.count && part != group; ++j) {
            ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &group->groups));
            group->groups.data[group->groups.count++] = part->groups.data[j];
        }
    }
    group->groups.count = 0;
    return ISO_OK;
}

static bool share_exclusion(const iso_scene_build* build, int a, int b) {
    int of_a = iso_model_body(build->model, a)->exclusion;
    return of_a != 0 && of_a == iso_model_body(build->model, b)->exclusion;
}

// Members of a group that ignores itself share a number, in the place of a list of all their pairs;
// a body has one, so that of those that have another one already pairs are listed.
static void number_members(iso_scene_build* build, const iso_filter_group* group) {
    int number = ++build->exclusion_count;
    for (int i = 0; i < group->members.count; ++i) {
        iso_body_desc* body = iso_model_body(build->model, group->members.data[i]);
        body->exclusion = body->exclusion == 0 ? number : body->exclusion;
    }
}

static iso_status add_pairs(iso_scene_build* build, const iso_filter_group* group,
                            const iso_filter_group* ignored, pair_list* list) {
    if (group == ignored) {
        number_members(build, group);
    }
    for (int i = 0; i < group->members.count; ++i) {
        for (int j = 0; j < ignored->members.count; ++j) {
            uint64_t a = (uint64_t)group->members.data[i];
            uint64_t b = (uint64_t)ignored->members.data[j];
            if (a == b || share_exclusion(build, (int)a, (int)b)) {
                continue;
            }
            ISO_SCENE_REQUIRE(build, group->source, list->pairs.count < MAX_EXCLUDED_PAIRS,
                              ISO_ERR_RANGE, "collision filters exclude more than %d pairs",
                              MAX_EXCLUDED_PAIRS);
            ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &list->pairs));
            list->pairs.data[list->pairs.count++] = a < b ? a << 32 | b : b << 32 | a;
        }
    }
    return ISO_OK;
}

static int compare_pairs(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static iso_status collect_pairs(iso_scene_build* build, pair_list* list) {
    for (int i = 0; i < build->groups.count; ++i) {
        ISO_SCENE_TRY(flatten_group(build, &build->groups.data[i]));
    }
    for (int i = 0; i < build->groups.count; ++i) {
        const iso_filter_group* group = &build->groups.data[i];
        for (int j = 0; j < group->ignored.count; ++j) {
            const iso_filter_group* ignored = NULL;
            ISO_SCENE_TRY(find_group(build, group, group->ignored.data[j], &ignored));
            ISO_SCENE_TRY(add_pairs(build, group, ignored, list));
        }
    }
    return ISO_OK;
}

static iso_status finish_filters(iso_scene_build* build) {
    pair_list list = {{0}};
    iso_status status = ISO_OK;
    ISO_TRY(collect_pairs(build, &list));
    if (list.pairs.count > 1) {
        qsort(list.pairs.data, (size_t)list.pairs.count, sizeof *list.pairs.data, compare_pairs);
    }
    for (int i = 0; i < list.pairs.count; ++i) {
        uint64_t pair = list.pairs.data[i];
        if (i == 0 || pair != list.pairs.data[i - 1]) {
            ISO_TRY(
                iso_model_exclude_pair(build->model, (int)(pair >> 32), (int)(pair & 0xffffffffu)));
        }
    }

done:
    ISO_ARRAY_FREE(build->ctx, &list.pairs);
    return status;
}

// --- pairs of geometries -------------------------------------------------------------------------

// Those of the same geometries follow each other, exclusions before what a file states, that before
// what is derived, that before contact models.
static int compare_scene_pairs(const void* a, const void* b) {
    const iso_scene_pair *x = a, *y = b;
    int keys[][2] = {{x->desc.geometry_a, y->desc.geometry_a},
                     {x->desc.geometry_b, y->desc.geometry_b},
                     {y->desc.is_excluded, x->desc.is_excluded},
                     {x->is_model, y->is_model},
                     {x->is_derived, y->is_derived},
                     {x->order, y->order}};
    int way = 0;
    for (int i = 0; i < 6 && way == 0; ++i) {
        way = (keys[i][0] > keys[i][1]) - (keys[i][0] < keys[i][1]);
    }
    return way;
}

static iso_status add_rule(iso_scene_build* build, const iso_pattern_pair* pair, int a, int b) {
    ISO_SCENE_REQUIRE(build, pair->source, build->pairs.count < MAX_EXCLUDED_PAIRS, ISO_ERR_RANGE,
                      "scene has more than %d pairs of geometries", MAX_EXCLUDED_PAIRS);
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->pairs));
    iso_scene_pair rule = {.source = pair->source, .order = build->pairs.count};
    rule.desc = iso_geometry_pair_desc_default();
    rule.desc.geometry_a = a;
    rule.desc.geometry_b = b;
    rule.desc.model = pair->model;
    rule.is_model = pair->model != ISO_CONTACT_MODEL_DEFAULT;
    rule.desc.is_excluded = !rule.is_model;
    build->pairs.data[build->pairs.count++] = rule;
    return ISO_OK;
}

// Geometries of one body never touch anyway.
static iso_status add_matching(iso_scene_build* build, const iso_pattern_pair* pair,
                               const char* const* names) {
    int count = iso_model_geometry_count(build->model);
    bool* matches[2];
    for (int k = 0; k < 2; ++k) {
        bool is_used = false;
        matches[k] = iso_arena_push_array(&build->arena, count, sizeof *matches[k]);
        ISO_REQUIRE(build->ctx, matches[k] || count == 0, ISO_ERR_MEMORY, "%d geometries", count);
        for (int i = 0; i < count; ++i) {
            matches[k][i] = matches_pattern(pair->patterns[k], names[i]);
            is_used = is_used || matches[k][i];
        }
        if (!is_used) {
            return fail_unmatched(build, pair->source, pair->patterns[k]);
        }
    }
    bool is_pair = false;
    for (int a = 0; a < count; ++a) {
        for (int b = 0; matches[0][a] && b < count; ++b) {
            int body_a = -1, body_b = -1;
            (void)iso_model_geometry(build->model, a, &body_a);
            (void)iso_model_geometry(build->model, b, &body_b);
            if (matches[1][b] && body_a != body_b) {
                is_pair = true;
                ISO_SCENE_TRY(add_rule(build, pair, a, b));
            }
        }
    }
    ISO_SCENE_REQUIRE(build, pair->source, is_pair || pair->model == ISO_CONTACT_MODEL_DEFAULT,
                      ISO_ERR_NOT_FOUND,
                      "'%.60s' and '%.60s' match geometries of one body alone, which never touch",
                      pair->patterns[0], pair->patterns[1]);
    return ISO_OK;
}

static iso_status finish_pattern_pairs(iso_scene_build* build) {
    const char** names = NULL;
    if (build->pattern_pairs.count > 0) {
        ISO_SCENE_TRY(list_names(build, &names));
    }
    for (int i = 0; i < build->pattern_pairs.count; ++i) {
        ISO_SCENE_TRY(add_matching(build, &build->pattern_pairs.data[i], names));
    }
    return ISO_OK;
}

static bool is_overridden(const iso_scene_build* build, int geometry) {
    return (build->stated_materials.data[geometry] & ISO_MATERIAL_FRICTION_OVERRIDDEN) != 0;
}

static iso_status add_scene_pair(iso_scene_build* build, const iso_scene_pair* pair) {
    iso_geometry_pair_desc desc = pair->desc;
    if (pair->is_derived && !pair->is_learned &&
        (is_overridden(build, desc.geometry_a) || is_overridden(build, desc.geometry_b))) {
        desc.friction_static = desc.friction_dynamic = ISO_FRICTION_COMBINED;
    }
    iso_status status = iso_model_add_geometry_pair(build->model, &desc);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, pair->source, status);
}

static bool is_same_pair(const iso_scene_pair* x, const iso_scene_pair* y) {
    return x->desc.geometry_a == y->desc.geometry_a && x->desc.geometry_b == y->desc.geometry_b;
}

// One pair of geometries: the first rule counts, with the contact model that was named last.
static iso_status finish_pair(iso_scene_build* build, iso_scene_pair* pairs, int count) {
    for (int i = 1; i < count; ++i) {
        if (pairs[i].is_model) {
            pairs[0].desc.model = pairs[i].desc.model;
        } else if (!pairs[i].is_derived && !pairs[0].desc.is_excluded) {
            iso_scene_warn_once(build, pairs[i].source, "second pair",
                                "these two geoms are paired already, in line %d; the first pair "
                                "counts",
                                pairs[0].source.line);
        }
    }
    return add_scene_pair(build, &pairs[0]);
}

static iso_status finish_pairs(iso_scene_build* build) {
    iso_scene_pair* pairs = build->pairs.data;
    int count = build->pairs.count;
    for (int i = 0; i < count; ++i) {
        iso_geometry_pair_desc* desc = &pairs[i].desc;
        int a = desc->geometry_a, b = desc->geometry_b;
        desc->geometry_a = a < b ? a : b;
        desc->geometry_b = a < b ? b : a;
    }
    // A format that states a rule for most pairs gives them in order.
    bool is_sorted = true;
    for (int i = 1; i < count && is_sorted; ++i) {
        is_sorted = compare_scene_pairs(&pairs[i - 1], &pairs[i]) <= 0;
    }
    if (!is_sorted) {
        qsort(pairs, (size_t)count, sizeof *pairs, compare_scene_pairs);
    }
    for (int i = 0, end = 0; i < count; i = end) {
        for (end = i + 1; end < count && is_same_pair(&pairs[i], &pairs[end]); ++end) {
        }
        ISO_SCENE_TRY(finish_pair(build, &pairs[i], end - i));
    }
    return ISO_OK;
}

iso_status iso_scene_finish(iso_scene_build* build) {
    ISO_SCENE_TRY(finish_materials(build));
    ISO_SCENE_TRY(finish_pattern_pairs(build));
    ISO_SCENE_TRY(iso_scene_pair_learned(build));
    ISO_SCENE_TRY(finish_pairs(build));
    iso_scene_tell_idle_keys(build);
    ISO_SCENE_TRY(finish_filters(build));
    ISO_SCENE_TRY(iso_scene_finish_massless(build));
    return finish_starts(build);
}
