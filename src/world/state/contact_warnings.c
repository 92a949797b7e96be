// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/state/contact_warnings.h"

#include "base/core/log.h"

// Where a pair is in the sorted list, or would be.
static int find_place(const iso_contact_warnings* warnings, int a, int b) {
    int low = 0, high = warnings->pairs.count;
    while (low < high) {
        int middle = (low + high) / 2;
        const iso_warned_pair* w = &warnings->pairs.data[middle];
        bool is_before = w->geometry_a < a || (w->geometry_a == a && w->geometry_b < b);
        if (is_before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const iso_contact_warnings* warnings, int place, int a, int b) {
    return place < warnings->pairs.count && warnings->pairs.data[place].geometry_a == a &&
           warnings->pairs.data[place].geometry_b == b;
}

// The entry of a pair, a new one where nothing was said yet: then there must be room.
static iso_warned_pair* warned_pair(iso_contact_warnings* warnings, int geometry_a,
                                    int geometry_b) {
    int place = find_place(warnings, geometry_a, geometry_b);
    iso_warned_pair* entry = &warnings->pairs.data[place];
    if (!is_at(warnings, place, geometry_a, geometry_b)) {
        for (int i = warnings->pairs.count++; i > place; --i) {
            warnings->pairs.data[i] = warnings->pairs.data[i - 1];
        }
        *entry = (iso_warned_pair){.geometry_a = geometry_a, .geometry_b = geometry_b};
    }
    return entry;
}

// What keeps bodies from sinking in: two rigid ones have the layer of the simulation, no material.
static const char* harder(const iso_contact_geometry* a, const iso_contact_geometry* b) {
    bool is_rigid = iso_contact_shape_is_rigid(a->shape) && iso_contact_shape_is_rigid(b->shape);
    return is_rigid ? "a higher simulation.rigid_layer_modulus" : "a stiffer material";
}

static const char* stiffening(const iso_contact_geometry* a, const iso_contact_geometry* b) {
    bool is_rigid = iso_contact_shape_is_rigid(a->shape) && iso_contact_shape_is_rigid(b->shape);
    return is_rigid ? "" : ", or one that stiffens,";
}

static void say_deep(iso_context* ctx, const iso_contact_geometry* a, const iso_contact_geometry* b,
                     const iso_contact_pair* pair, double time) {
    bool is_a = pair->extent_a >= pair->extent_b;
    iso_log(ctx, ISO_LOG_WARNING,
            "contact of '%s::%s' and '%s::%s' at t = %g s: its pressure is %.3g %% of the largest "
            "in the field of '%s::%s'; near 100 %% bodies pass through each other (%s%s resists)",
            a->body_name, a->name, b->body_name, b->name, time,
            100.0 * fmax(pair->extent_a, pair->extent_b), is_a ? a->body_name : b->body_name,
            is_a ? a->name : b->name, harder(a, b), stiffening(a, b));
}

static void say_sheet(iso_context* ctx, const iso_contact_geometry* geometries,
                      const iso_contact_pair* pair, double time) {
    const iso_contact_geometry* a = &geometries[pair->geometry_a];
    const iso_contact_geometry* b = &geometries[pair->geometry_b];
    const iso_contact_geometry* sheet = &geometries[pair->sheet_geometry];
    if (sheet != a && sheet != b) {
        iso_log(
            ctx, ISO_LOG_WARNING,
            "contact of '%s::%s' and '%s::%s' at t = %g s: they meet inside '%s::%s', which is "
            "%.3g m thick there and which they enter by %.3g m together: they should not touch; "
            "%s or a smaller force keeps them apart",
            a->body_name, a->name, b->body_name, b->name, time, sheet->body_name, sheet->name,
            pair->sheet_thickness, pair->sheet_depth, harder(a, b));
        return;
    }
    if (pair->sheet_thickness > 0.0) {
        iso_log(ctx, ISO_LOG_WARNING,
                "contact of '%s::%s' and '%s::%s' at t = %g s: it lies on both sides of '%s::%s', "
                "which is %.3g m thick there and %.3g m deep; the force of its far side is wrong "
                "(%s or a thicker plate avoids it)",
                a->body_name, a->name, b->body_name, b->name, time, sheet->body_name, sheet->name,
                pair->sheet_thickness, pair->sheet_depth, harder(a, b));
        return;
    }
    if (iso_contact_shape_is_closed(sheet->shape)) {
        const iso_contact_geometry* field = sheet == a ? b : a;
        iso_log(ctx, ISO_LOG_WARNING,
                "contact of '%s::%s' and '%s::%s' at t = %g s: '%s::%s' lies beyond the middle of "
                "'%s::%s', %.3g m below its far side, and is pulled in (%s%s resists)",
                a->body_name, a->name, b->body_name, b->name, time, sheet->body_name, sheet->name,
                field->body_name, field->name, pair->sheet_depth, harder(a, b), stiffening(a, b));
        return;
    }
    iso_log(
        ctx, ISO_LOG_WARNING,
        "contact of '%s::%s' and '%s::%s' at t = %g s: '%s::%s' shows its back, %.3g m deep, and "
        "is pulled in; turn its triangles or give it a thickness",
        a->body_name, a->name, b->body_name, b->name, time, sheet->body_name, sheet->name,
        pair->sheet_depth);
}

static void say_lacking(iso_context* ctx, const iso_contact_geometry* a,
                        const iso_contact_geometry* b, iso_contact_lack lack, double time) {
    if (lack == ISO_CONTACT_LACKS_OUTSIDE) {
        iso_log(ctx, ISO_LOG_WARNING,
                "contact of '%s::%s' and '%s::%s' at t = %g s: the middle of one lies within the "
                "other, where Hertz's law does not hold and the nearest way out counts; expected "
                "depths far below the radius (%s, or a start further apart)",
                a->body_name, a->name, b->body_name, b->name, time, harder(a, b));
        return;
    }
    const char* why =
        lack == ISO_CONTACT_LACKS_SURFACE
            ? "one lies wholly within the other, so that nothing tells which way out is"
            : "what they have in common has as much surface to all sides, so that its "
              "normal is undetermined";
    iso_log(ctx, ISO_LOG_WARNING,
            "volumetric contact of '%s::%s' and '%s::%s' at t = %g s: %s, and there is no force; "
            "expected volumes smaller than the bodies (%s, or a start further apart)",
            a->body_name, a->name, b->body_name, b->name, time, why, harder(a, b));
}

static iso_status tell_lacking(iso_context* ctx, iso_contact_warnings* warnings,
                               const iso_contact_geometry* geometries, const iso_contact_set* set,
                               double time) {
    for (int i = 0; i < set->lacking_count; ++i) {
        const iso_lacking_pair* pair = &set->lacking[i];
        iso_status status = iso_contact_warnings_reserve(ctx, warnings);
        if (status != ISO_OK) {
            return status;
        }
        iso_warned_pair* entry = warned_pair(warnings, pair->geometry_a, pair->geometry_b);
        if (!entry->is_lacking) {
            say_lacking(ctx, &geometries[pair->geometry_a], &geometries[pair->geometry_b],
                        pair->lack, time);
        }
        entry->is_lacking = true;
    }
    return ISO_OK;
}

static void keep_peak(iso_contact_warnings* warnings, const iso_contact_geometry* geometries,
                      const iso_contact_pair* pair, double extent, double time) {
    if (extent <= warnings->peak.extent) {
        return;
    }
    const iso_contact_geometry* a = &geometries[pair->geometry_a];
    const iso_contact_geometry* b = &geometries[pair->geometry_b];
    warnings->peak = (iso_contact_peak){extent, time, a->body_name, b->body_name, a->name, b->name};
}

iso_status iso_contact_warnings_update(iso_context* ctx, iso_contact_warnings* warnings,
                                       const iso_contact_geometry* geometries,
                                       const iso_contact_set* set, double time) {
    for (int i = 0; i < set->pair_count; ++i) {
        const iso_contact_pair* pair = &set->pairs[i];
        double extent = fmax(pair->extent_a, pair->extent_b);
        keep_peak(warnings, geometries, pair, extent, time);
        bool is_deep = iso_contact_pair_is_deep(pair), is_sheet = iso_contact_pair_is_sheet(pair);
        if (!is_deep && !is_sheet) {
            continue;
        }
        iso_status status = iso_contact_warnings_reserve(ctx, warnings);
        if (status != ISO_OK) {
            return status;
        }
        iso_warned_pair* entry = warned_pair(warnings, pair->geometry_a, pair->geometry_b);
        if (is_deep && !entry->is_deep) {
            say_deep(ctx, &geometries[pair->geometry_a], &geometries[pair->geometry_b], pair, time);
        }
        if (is_sheet && !entry->is_sheet) {
            say_sheet(ctx, geometries, pair, time);
        }
        entry->is_deep = entry->is_deep || is_deep;
        entry->is_sheet = entry->is_sheet || is_sheet;
    }
    return tell_lacking(ctx, warnings, geometries, set, time);
}

bool iso_contact_warnings_has_passed(const iso_contact_warnings* warnings, int geometry_a,
                                     int geometry_b) {
    int place = find_place(warnings, geometry_a, geometry_b);
    return is_at(warnings, place, geometry_a, geometry_b) && warnings->pairs.data[place].is_passed;
}

void iso_contact_warnings_pass(iso_contact_warnings* warnings,
                               const iso_contact_geometry* geometries, int geometry_a,
                               int geometry_b, double time) {
    iso_warned_pair* entry = warned_pair(warnings, geometry_a, geometry_b);
    if (entry->is_passed) {
        return;
    }
    entry->is_passed = true;
    const iso_contact_geometry* a = &geometries[geometry_a];
    const iso_contact_geometry* b = &geometries[geometry_b];
    if (warnings->passage.pair_count == 0) {
        warnings->passage =
            (iso_contact_passage){0, time, a->body_name, b->body_name, a->name, b->name};
    }
    ++warnings->passage.pair_count;
}

iso_status iso_contact_warnings_reserve(iso_context* ctx, iso_contact_warnings* warnings) {
    return ISO_ARRAY_RESERVE(ctx, &warnings->pairs, warnings->pairs.count + 1);
}

void iso_contact_warnings_free(iso_context* ctx, iso_contact_warnings* warnings) {
    ISO_ARRAY_FREE(ctx, &warnings->pairs);
}
