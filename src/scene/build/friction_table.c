// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Friction over pressure from a table of the friction laboratory.

#include "isobar/identify.h"
#include "scene/build/build.h"

#include <math.h>
#include <string.h>

static int find_column(const iso_table* t, const char* name) {
    for (int i = 0; t->names && i < t->column_count; ++i) {
        if (strcmp(t->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

static double value_at(const iso_table* t, int row, int column) {
    return t->values[(size_t)row * (size_t)t->column_count + (size_t)column];
}

static iso_status check(iso_scene_build* build, iso_source at, const iso_table* t, int p, int mu) {
    ISO_SCENE_REQUIRE(build, at, p >= 0 && mu >= 0 && t->row_count > 0, ISO_ERR_PARSE,
                      "%s: expected columns named mean_pressure and friction, and a row", t->path);
    for (int r = 0; r < t->row_count; ++r) {
        double before = r > 0 ? value_at(t, r - 1, p) : 0.0;
        ISO_SCENE_REQUIRE(build, at, value_at(t, r, p) > before, ISO_ERR_RANGE,
                          "%s:%d: mean_pressure is %g, expected above %g", t->path, t->lines[r],
                          value_at(t, r, p), before);
        ISO_SCENE_REQUIRE(build, at,
                          value_at(t, r, mu) >= 0.0 && value_at(t, r, mu) <= ISO_SCENE_MAX_FRICTION,
                          ISO_ERR_RANGE, "%s:%d: friction is %g, expected in [0, %g]", t->path,
                          t->lines[r], value_at(t, r, mu), ISO_SCENE_MAX_FRICTION);
    }
    return ISO_OK;
}

static double interpolate(const iso_table* t, int p, int mu, double pressure) {
    int row = 0;
    while (row + 1 < t->row_count && value_at(t, row + 1, p) <= pressure) {
        ++row;
    }
    if (row + 1 == t->row_count || pressure <= value_at(t, 0, p)) {
        return value_at(t, row, mu);
    }
    double low = log(value_at(t, row, p)), high = log(value_at(t, row + 1, p));
    double share = (log(pressure) - low) / (high - low);
    return (1.0 - share) * value_at(t, row, mu) + share * value_at(t, row + 1, mu);
}

iso_status iso_scene_friction_of_table(iso_scene_build* build, iso_source at, const char* uri,
                                       double pressure, iso_material_spec* spec) {
    const char* path = NULL;
    iso_table table = {0};
    ISO_SCENE_TRY(iso_scene_resolve_uri(build, at, uri, &path));
    ISO_SCENE_REQUIRE(build, at, !build->is_memory_only, ISO_ERR_IO,
                      "table '%s' cannot be read: no files while reading from memory", path);
    iso_status status = iso_table_read(build->ctx, path, &table);
    if (status != ISO_OK) {
        return iso_scene_fail_at(build, at, status);
    }
    int p = find_column(&table, "mean_pressure"), mu = find_column(&table, "friction");
    status = check(build, at, &table, p, mu);
    if (status == ISO_OK) {
        double low = value_at(&table, 0, p), high = value_at(&table, table.row_count - 1, p);
        if (pressure < low || pressure > high) {
            iso_scene_warn_once(build, at, "pressure beyond the table of friction",
                                "pressure is %g Pa, the table of friction goes from %g to %g Pa: "
                                "its nearest row is taken",
                                pressure, low, high);
        }
        double friction = interpolate(&table, p, mu, pressure);
        spec->value.friction_static = spec->value.friction_dynamic = friction;
        spec->stated |= ISO_MATERIAL_FRICTION_STATIC | ISO_MATERIAL_FRICTION_DYNAMIC;
        spec->learned = NULL;
    }
    iso_table_destroy(build->ctx, &table);
    return status;
}
