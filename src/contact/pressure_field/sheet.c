// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pressure_field/sheet.h"

#include "base/core/fail.h"

// A face is turned the wrong way where a field falls on approach, within 60 degrees of its steepest
// descent, and the right way within 60 degrees of its steepest ascent; those between (below the
// sides of a box) say nothing. A ball has wrong faces once it is three quarters below a plane.
#define WRONG_COSINE (-0.5)
#define RIGHT_COSINE 0.5

// Share of the area on the back from which a patch counts as two-sided.
#define SMALLEST_BACK_SHARE 1e-3

// Part of the patch's depth from which a back without a front is that of an open surface.
#define SMALLEST_BACK_DEPTH 1e-3

// How a face lies in one field.
typedef struct face_side {
    bool is_wrong, is_right; ///< rigid sides are right
    double depth; ///< from the face along its normal to the skin of this side; 0 when rigid [m]
} face_side;

// slope: of the pressure into the field's body, along the normal.
static face_side look(bool is_rigid, double slope, iso_vec3 gradient, double pressure) {
    face_side s = {false, true, 0.0};
    if (is_rigid) {
        return s;
    }
    double steepest = iso_vec3_norm(gradient);
    s.is_wrong = slope < WRONG_COSINE * steepest;
    s.is_right = slope > RIGHT_COSINE * steepest;
    s.depth = (s.is_wrong || s.is_right) && pressure > 0.0 ? pressure / fabs(slope) : 0.0;
    return s;
}

static face_side look_a(const iso_patch* p, int f) {
    iso_vec3 g = p->gradients_a[f];
    return look(p->is_rigid_a, -iso_vec3_dot(g, p->normals[f]), g, p->pressures[f]);
}

static face_side look_b(const iso_patch* p, int f) {
    iso_vec3 g = p->gradients_b[f];
    return look(p->is_rigid_b, iso_vec3_dot(g, p->normals[f]), g, p->pressures[f]);
}

// A mean of points and normals.
typedef struct mean_side {
    double weight, depth;
    iso_vec3 normal, point;
} mean_side;

static void add_mean(mean_side* m, double weight, iso_vec3 normal, iso_vec3 point, double depth) {
    m->weight += weight;
    m->normal = iso_vec3_add_scaled(m->normal, normal, weight);
    m->point = iso_vec3_add_scaled(m->point, point, weight);
    m->depth = fmax(m->depth, depth);
}

// How deep the deepest corner of a face lies in a field.
static double corner_depth(const iso_patch* p, int f, bool is_in_a) {
    double most = 0.0;
    for (int i = p->face_offsets[f]; i < p->face_offsets[f + 1]; ++i) {
        most = fmax(most, p->vertex_pressures[i]);
    }
    return most / iso_vec3_norm(is_in_a ? p->gradients_a[f] : p->gradients_b[f]);
}

// The sheet is B (its skin is what counts, the field is A's), or the reverse. The normals `into`
// point into the sheet; front faces are those opposite to the mean of the back.
static void measure_sheet(const iso_patch* p, bool is_sheet_b, iso_patch_sides* sides) {
    double sign = is_sheet_b ? 1.0 : -1.0;
    mean_side back = {0}, front = {0};
    for (int f = 0; f < p->face_count; ++f) {
        face_side field = is_sheet_b ? look_a(p, f) : look_b(p, f);
        if (field.is_wrong && p->pressures[f] > 0.0) {
            face_side skin = is_sheet_b ? look_b(p, f) : look_a(p, f);
            iso_vec3 into = iso_vec3_scale(p->normals[f], sign);
            add_mean(&back, p->areas[f], into,
                     iso_vec3_add_scaled(p->centroids[f], into, -skin.depth),
                     corner_depth(p, f, is_sheet_b));
        }
    }
    double length = iso_vec3_norm(back.normal);
    if (!(length > 0.1 * back.weight)) {
        return; // the back faces all ways: no sheet but a body that is swallowed whole
    }
    iso_vec3 across = iso_vec3_scale(back.normal, 1.0 / length);
    for (int f = 0; f < p->face_count; ++f) {
        face_side field = is_sheet_b ? look_a(p, f) : look_b(p, f);
        iso_vec3 into = iso_vec3_scale(p->normals[f], sign);
        if (!field.is_right || !(p->pressures[f] > 0.0) ||
            iso_vec3_dot(into, across) > WRONG_COSINE) {
            continue;
        }
        face_side skin = is_sheet_b ? look_b(p, f) : look_a(p, f);
        add_mean(&front, p->areas[f], into, iso_vec3_add_scaled(p->centroids[f], into, -skin.depth),
                 corner_depth(p, f, is_sheet_b) + skin.depth);
    }
    bool is_rigid = is_sheet_b ? p->is_rigid_b : p->is_rigid_a;
    if (front.weight == 0.0 && !(is_rigid && back.depth > SMALLEST_BACK_DEPTH * sides->depth)) {
        return; // sides of solids that are flush but for a little: only rigid surfaces may be open
    }
    sides->is_sheet_a = !is_sheet_b;
    sides->is_sheet_b = is_sheet_b;
    sides->sheet_depth = fmax(front.depth, back.depth);
    if (front.weight > 0.0) {
        iso_vec3 middle = iso_vec3_scale(front.point, 1.0 / front.weight);
        iso_vec3 gap = iso_vec3_sub(iso_vec3_scale(back.point, 1.0 / back.weight), middle);
        sides->thickness = fmax(-iso_vec3_dot(gap, across), 0.0);
    }
}

iso_patch_sides iso_patch_find_sides(const iso_patch* patch) {
    iso_patch_sides sides = {0};
    mean_side mean = {0};
    iso_vec3 skin_b = iso_vec3_zero();
    double wrong_a = 0.0, wrong_b = 0.0, load_a = 0.0, load_b = 0.0, all = 0.0;
    for (int f = 0; f < patch->face_count; ++f) {
        double load = patch->areas[f] * patch->pressures[f];
        if (!(load > 0.0)) {
            continue;
        }
        face_side a = look_a(patch, f), b = look_b(patch, f);
        wrong_a += a.is_wrong ? patch->areas[f] : 0.0;
        wrong_b += b.is_wrong ? patch->areas[f] : 0.0;
        load_a += a.is_wrong ? load : 0.0;
        load_b += b.is_wrong ? load : 0.0;
        all += load;
        if (!a.is_right || !b.is_right) {
            continue;
        }
        iso_vec3 n = patch->normals[f];
        add_mean(&mean, load, n, iso_vec3_add_scaled(patch->centroids[f], n, a.depth),
                 a.depth + b.depth);
        skin_b = iso_vec3_add_scaled(skin_b, iso_vec3_add_scaled(patch->centroids[f], n, -b.depth),
                                     load);
    }
    double length = iso_vec3_norm(mean.normal);
    if (length > 0.0) {
        sides.load = mean.weight;
        sides.normal = iso_vec3_scale(mean.normal, 1.0 / length);
        sides.skin_a = iso_vec3_scale(mean.point, 1.0 / mean.weight);
        sides.skin_b = iso_vec3_scale(skin_b, 1.0 / mean.weight);
        sides.depth = mean.depth;
    }
    // A field that is turned away belongs to the body that the other one, the sheet, lies in.
    if (fmax(wrong_a, wrong_b) > SMALLEST_BACK_SHARE * patch->area) {
        measure_sheet(patch, wrong_a >= wrong_b, &sides);
        sides.back_share = (wrong_a >= wrong_b ? load_a : load_b) / all;
    }
    return sides;
}

// --- pairs that meet inside a third geometry -----------------------------------------------------

// The pairs of every geometry, in the order of the set.
typedef struct pair_index {
    int* first;   ///< [geometry_count + 1]
    int* entries; ///< [2 * pair_count] indices of pairs
} pair_index;

static iso_status make_index(const iso_contact_set* set, int geometry_count, iso_arena* arena,
                             pair_index* index) {
    index->first = iso_arena_push_array(arena, geometry_count + 2, sizeof *index->first);
    index->entries = iso_arena_push_array(arena, 2 * set->pair_count, sizeof *index->entries);
    ISO_REQUIRE(arena->ctx, index->first && index->entries, ISO_ERR_MEMORY,
                "index of %d contact pairs", set->pair_count);
    int* next = index->first + 1; // shifted by one while counting and filling
    for (int g = 0; g < geometry_count + 2; ++g) {
        index->first[g] = 0;
    }
    for (int i = 0; i < set->pair_count; ++i) {
        ++next[set->pairs[i].geometry_a + 1];
        ++next[set->pairs[i].geometry_b + 1];
    }
    for (int g = 0; g < geometry_count; ++g) {
        next[g + 1] += next[g];
    }
    for (int i = 0; i < set->pair_count; ++i) {
        index->entries[next[set->pairs[i].geometry_a]++] = i;
        index->entries[next[set->pairs[i].geometry_b]++] = i;
    }
    return ISO_OK;
}

static int other_geometry(const iso_contact_pair* pair, int geometry) {
    return pair->geometry_a == geometry ? pair->geometry_b : pair->geometry_a;
}

// Pair of two geometries, -1: they do not touch.
static int find_pair(const iso_contact_set* set, const pair_index* index, int g, int h) {
    for (int k = index->first[g]; k < index->first[g + 1]; ++k) {
        if (other_geometry(&set->pairs[index->entries[k]], g) == h) {
            return index->entries[k];
        }
    }
    return -1;
}

// How a pair shows the geometry `third` from outside: a point of its skin and the normal into it.
typedef struct skin_view {
    iso_vec3 point, into;
} skin_view;

static skin_view view_of(const iso_contact_pair* pair, const iso_patch_sides* sides, int third) {
    bool is_b = pair->geometry_b == third;
    return (skin_view){is_b ? sides->skin_b : sides->skin_a,
                       is_b ? sides->normal : iso_vec3_scale(sides->normal, -1.0)};
}

// Sum of area times pressure.
static double load_of(const iso_contact_pair* pair) {
    const iso_patch* patch = &pair->patch;
    double load = 0.0;
    for (int f = 0; f < patch->face_count; ++f) {
        load += patch->areas[f] * fmax(patch->pressures[f], 0.0);
    }
    return load;
}

// A and B touch `third` from opposite sides and meet below both of its skins: inside it.
static void try_third(const iso_patch_sides* sides, int near, int far, int third,
                      iso_contact_pair* pair, const iso_contact_set* set) {
    if (!(sides[near].load > 0.0 && sides[far].load > 0.0)) {
        return;
    }
    skin_view a = view_of(&set->pairs[near], &sides[near], third);
    skin_view b = view_of(&set->pairs[far], &sides[far], third);
    iso_vec3 meeting = pair->patch.center_of_pressure;
    double below_a = iso_vec3_dot(iso_vec3_sub(meeting, a.point), a.into);
    double below_b = iso_vec3_dot(iso_vec3_sub(meeting, b.point), b.into);
    if (!(below_a > 0.0 && below_b > 0.0 && iso_vec3_dot(a.into, b.into) < WRONG_COSINE)) {
        return;
    }
    iso_vec3 gap = iso_vec3_sub(b.point, a.point);
    double thickness = 0.5 * (iso_vec3_dot(gap, a.into) - iso_vec3_dot(gap, b.into));
    if (!(thickness > 0.0)) { // skins that face each other askew: nothing lies between them
        return;
    }
    pair->sheet_geometry = third;
    pair->sheet_thickness = thickness;
    pair->sheet_depth = sides[near].depth + sides[far].depth;
    pair->sheet_share = load_of(pair) / fmin(sides[near].load, sides[far].load);
}

iso_status iso_contact_find_sheets(const iso_patch_sides* sides, int geometry_count,
                                   iso_contact_set* set, iso_arena* arena) {
    for (int i = 0; i < set->pair_count; ++i) {
        iso_contact_pair* pair = &set->pairs[i];
        bool is_sheet = sides[i].is_sheet_a || sides[i].is_sheet_b;
        int sheet = sides[i].is_sheet_a ? pair->geometry_a : pair->geometry_b;
        pair->sheet_geometry = is_sheet ? sheet : -1;
        pair->sheet_thickness = sides[i].thickness;
        pair->sheet_depth = sides[i].sheet_depth;
        pair->sheet_share = sides[i].back_share;
    }
    if (set->pair_count < 3) {
        return ISO_OK;
    }
    iso_arena_mark mark = iso_arena_get_mark(arena);
    pair_index index;
    iso_status status = make_index(set, geometry_count, arena, &index);
    for (int i = 0; i < set->pair_count && status == ISO_OK; ++i) {
        iso_contact_pair* pair = &set->pairs[i];
        int a = pair->geometry_a, b = pair->geometry_b;
        int count_a = index.first[a + 1] - index.first[a];
        int count_b = index.first[b + 1] - index.first[b];
        int few = count_a <= count_b ? a : b, many = few == a ? b : a;
        for (int k = index.first[few]; k < index.first[few + 1]; ++k) {
            int near = index.entries[k];
            int third = other_geometry(&set->pairs[near], few);
            int far = third == many ? -1 : find_pair(set, &index, third, many);
            if (far >= 0) {
                try_third(sides, near, far, third, pair, set);
            }
        }
    }
    iso_arena_release(arena, mark);
    return status;
}
