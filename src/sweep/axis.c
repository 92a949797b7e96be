// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "sweep/axis.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/values/name.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char* name;
    double least;      ///< of its values
    bool is_above;     ///< the least value itself is none of them
    const char* range; ///< in words
} k_parameters[] = {
    [ISO_SWEEP_SETTING] = {"", 0.0, false, ""},
    [ISO_SWEEP_FRICTION] = {"friction", 0.0, false, "a number >= 0"},
    [ISO_SWEEP_MODULUS] = {"modulus", 0.0, true, "a number > 0 [Pa]"},
    [ISO_SWEEP_DISSIPATION] = {"dissipation", 0.0, false, "a number >= 0 [s/m]"},
    [ISO_SWEEP_MASS] = {"mass", 0.0, true, "a number > 0 [kg]"},
};
enum { k_parameter_count = (int)(sizeof k_parameters / sizeof k_parameters[0]) };

// --- names ---------------------------------------------------------------------------------------

static iso_status read_parameter(iso_context* ctx, iso_sweep_axis* axis) {
    const char* open = strchr(axis->name, '(');
    size_t length = open != NULL ? (size_t)(open - axis->name) : strlen(axis->name);
    if (open == NULL && strpbrk(axis->name, ".[") != NULL) {
        axis->parameter = ISO_SWEEP_SETTING;
        return ISO_OK;
    }
    for (int i = 1; i < k_parameter_count; ++i) {
        if (strlen(k_parameters[i].name) == length &&
            strncmp(axis->name, k_parameters[i].name, length) == 0) {
            axis->parameter = (iso_sweep_parameter)i;
        }
    }
    ISO_REQUIRE(ctx, axis->parameter != ISO_SWEEP_SETTING, ISO_ERR_NOT_FOUND,
                "there is no parameter '%.*s' to sweep over; expected friction, modulus, "
                "dissipation or mass, or a path of the scene with a dot in it, as "
                "simulation.time_step",
                (int)length, axis->name);
    if (open == NULL) {
        return ISO_OK;
    }
    size_t inside = strlen(open + 1);
    ISO_REQUIRE(ctx, inside > 1 && open[inside] == ')', ISO_ERR_PARSE,
                "'%s' is no name of a parameter; expected '%.*s(NAME)'", axis->name, (int)length,
                axis->name);
    axis->target = iso_strndup(ctx, open + 1, inside - 1);
    ISO_REQUIRE(ctx, axis->target != NULL, ISO_ERR_MEMORY, "axis of a sweep");
    return ISO_OK;
}

// --- values --------------------------------------------------------------------------------------

static iso_status add_value(iso_context* ctx, iso_sweep_axis* axis, const char* text,
                            size_t length) {
    while (length > 0 && *text == ' ') {
        ++text;
        --length;
    }
    while (length > 0 && text[length - 1] == ' ') {
        --length;
    }
    ISO_REQUIRE(ctx, length > 0, ISO_ERR_PARSE, "value %d of '%s' is empty", axis->count + 1,
                axis->name);
    ISO_REQUIRE(ctx, axis->count < ISO_SWEEP_MOST_VALUES, ISO_ERR_RANGE,
                "'%s' has more than %d values", axis->name, ISO_SWEEP_MOST_VALUES);
    axis->values[axis->count] = iso_strndup(ctx, text, length);
    ISO_REQUIRE(ctx, axis->values[axis->count] != NULL, ISO_ERR_MEMORY, "values of a sweep");
    ++axis->count;
    return ISO_OK;
}

/// "A,B,C"; commas within brackets, braces and quotes do not part.
static iso_status read_list(iso_context* ctx, iso_sweep_axis* axis, const char* text) {
    int most = 1;
    for (const char* c = text; *c != '\0'; ++c) {
        most += *c == ',';
    }
    axis->values = iso_alloc_array(ctx, most, sizeof *axis->values);
    ISO_REQUIRE(ctx, axis->values != NULL, ISO_ERR_MEMORY, "values of a sweep");
    int depth = 0;
    char quote = '\0';
    const char* start = text;
    iso_status status = ISO_OK;
    for (const char* c = text; status == ISO_OK; ++c) {
        if (*c == '\0' || (*c == ',' && depth == 0 && quote == '\0')) {
            status = add_value(ctx, axis, start, (size_t)(c - start));
            start = c + 1;
        }
        if (*c == '\0') {
            break;
        }
        if (quote != '\0' ? *c == quote : *c == '\'' || *c == '"') {
            quote = quote != '\0' ? '\0' : *c;
        } else if (quote == '\0') {
            depth += (*c == '[' || *c == '{') - (*c == ']' || *c == '}');
        }
    }
    return status;
}

/// The shortest text that reads as the number.
static void print_number(double value, char text[32]) {
    for (int digits = 6; digits <= 17; ++digits) {
        double back = 0.0;
        snprintf(text, 32, "%.*g", digits, value);
        if (iso_text_to_double(text, &back) && back == value) {
            return;
        }
    }
}

static iso_status add_range(iso_context* ctx, iso_sweep_axis* axis, double low, double high,
                            int count, bool is_log) {
    axis->values = iso_alloc_array(ctx, count, sizeof *axis->values);
    ISO_REQUIRE(ctx, axis->values != NULL, ISO_ERR_MEMORY, "values of a sweep");
    for (int i = 0; i < count; ++i) {
        double share = count > 1 ? (double)i / (count - 1) : 0.0;
        double value = is_log ? low * pow(high / low, share) : low + share * (high - low);
        value = i == count - 1 && count > 1 ? high : value;
        char text[32], rounded[32];
        double near = value;
        // Steps such as 0.2 that doubles do not have: to 12 digits.
        snprintf(rounded, sizeof rounded, "%.12g", value);
        (void)iso_text_to_double(rounded, &near);
        print_number(near, text);
        iso_status status = add_value(ctx, axis, text, strlen(text));
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

/// "LOW:HIGH:COUNT" or "LOW:HIGH:COUNT:log", where text has that form.
static iso_status read_range(iso_context* ctx, iso_sweep_axis* axis, const char* text,
                             bool* out_is_range) {
    char parts[4][64] = {{0}};
    int count = 0;
    const char* start = text;
    *out_is_range = false;
    for (const char* c = text;; ++c) {
        if (*c == ':' || *c == '\0') {
            size_t length = (size_t)(c - start);
            if (count == 4 || length >= sizeof parts[0]) {
                return ISO_OK;
            }
            memcpy(parts[count++], start, length);
            start = c + 1;
        }
        if (*c == '\0') {
            break;
        }
    }
    double low = 0.0, high = 0.0, points = 0.0;
    bool is_log = count == 4 && strcmp(parts[3], "log") == 0;
    if (count < 3 || (count == 4 && !is_log) || !iso_text_to_double(parts[0], &low) ||
        !iso_text_to_double(parts[1], &high) || !iso_text_to_double(parts[2], &points)) {
        bool is_number = axis->parameter != ISO_SWEEP_SETTING; // else text of the file's own
        ISO_REQUIRE(ctx,
                    !(is_number && count >= 2 && iso_text_to_double(parts[0], &low) &&
                      iso_text_to_double(parts[1], &high)),
                    ISO_ERR_PARSE,
                    "'%s' is '%s', expected LOW:HIGH:COUNT, LOW:HIGH:COUNT:log or values between "
                    "commas",
                    axis->name, text);
        return ISO_OK; // text of another kind
    }
    *out_is_range = true;
    ISO_REQUIRE(ctx, points >= 1.0 && points <= ISO_SWEEP_MOST_VALUES && points == floor(points),
                ISO_ERR_RANGE, "'%s' has %s values, expected a whole number, 1 to %d", axis->name,
                parts[2], ISO_SWEEP_MOST_VALUES);
    ISO_REQUIRE(ctx, !is_log || (low > 0.0 && high > 0.0), ISO_ERR_RANGE,
                "'%s' goes from %g to %g in equal ratios, expected both > 0", axis->name, low,
                high);
    return add_range(ctx, axis, low, high, (int)points, is_log);
}

static iso_status check_values(iso_context* ctx, const iso_sweep_axis* axis) {
    for (int i = 0; axis->parameter != ISO_SWEEP_SETTING && i < axis->count; ++i) {
        double value = 0.0, least = k_parameters[axis->parameter].least;
        bool is_above = k_parameters[axis->parameter].is_above;
        ISO_REQUIRE(ctx,
                    iso_text_to_double(axis->values[i], &value) && value >= least &&
                        (!is_above || value > least),
                    ISO_ERR_RANGE, "'%s' is %s, expected %s", axis->name, axis->values[i],
                    k_parameters[axis->parameter].range);
    }
    return ISO_OK;
}

iso_status iso_sweep_axis_read(iso_context* ctx, const char* text, iso_sweep_axis* out) {
    *out = (iso_sweep_axis){0};
    const char* equal = text != NULL ? strchr(text, '=') : NULL;
    ISO_REQUIRE(ctx, equal != NULL && equal != text && equal[1] != '\0', ISO_ERR_PARSE,
                "'%s' is no axis of a sweep; expected NAME=LOW:HIGH:COUNT or NAME=A,B,C",
                text != NULL ? text : "");
    iso_status status = ISO_OK;
    bool is_range = false;
    out->name = iso_strndup(ctx, text, (size_t)(equal - text));
    ISO_CHECK(ctx, out->name != NULL, ISO_ERR_MEMORY, "axis of a sweep");
    ISO_TRY(read_parameter(ctx, out));
    ISO_TRY(read_range(ctx, out, equal + 1, &is_range));
    if (!is_range) {
        ISO_TRY(read_list(ctx, out, equal + 1));
    }
    ISO_TRY(check_values(ctx, out));

done:
    if (status != ISO_OK) {
        iso_sweep_axis_free(ctx, out);
    }
    return status;
}

void iso_sweep_axis_free(iso_context* ctx, iso_sweep_axis* axis) {
    for (int i = 0; i < axis->count; ++i) {
        iso_free(ctx, axis->values[i]);
    }
    iso_free(ctx, axis->values);
    iso_free(ctx, axis->target);
    iso_free(ctx, axis->name);
    *axis = (iso_sweep_axis){0};
}

// --- what they change ----------------------------------------------------------------------------

/// True for a name itself, the end of it behind a scope, and the scopes that it begins with.
static bool is_called(const char* name, const char* target) {
    size_t length = strlen(name), wanted = strlen(target);
    if (length < wanted) {
        return false;
    }
    const char* end = name + length - wanted;
    bool is_end = strcmp(end, target) == 0 && (end == name || (end - name > 2 && end[-1] == ':'));
    bool is_scope = strncmp(name, target, wanted) == 0 && strncmp(name + wanted, "::", 2) == 0;
    return is_end || is_scope;
}

static bool is_meant(const iso_sweep_axis* axis, const char* body, const char* geometry) {
    char full[1024];
    snprintf(full, sizeof full, "%s::%s", body, geometry != NULL ? geometry : "");
    return axis->target == NULL || is_called(body, axis->target) ||
           (geometry != NULL && is_called(full, axis->target));
}

static iso_status set_material(const iso_sweep_axis* axis, double value, iso_model* model,
                               int* out_count) {
    iso_status status = ISO_OK;
    for (int i = 0; i < iso_model_geometry_count(model) && status == ISO_OK; ++i) {
        int body = 0;
        const iso_geometry_desc* geometry = iso_model_geometry(model, i, &body);
        iso_contact_material material = geometry->material;
        bool is_rigid = material.compliance == ISO_COMPLIANCE_RIGID;
        if (!is_meant(axis, iso_model_body(model, body)->name, geometry->name) ||
            (axis->parameter == ISO_SWEEP_MODULUS && is_rigid)) {
            continue;
        }
        if (axis->parameter == ISO_SWEEP_FRICTION) {
            material.friction_static = material.friction_dynamic = value;
        } else if (axis->parameter == ISO_SWEEP_MODULUS) {
            material.modulus = value;
            material.modulus_table = NULL;
            material.modulus_row_count = 0;
        } else {
            material.dissipation = value;
            material.expansion_rate = material.restitution = 0.0;
        }
        status = iso_model_set_material(model, i, &material);
        ++*out_count;
    }
    return status;
}

/// The inertia grows with the mass.
static void set_mass(const iso_sweep_axis* axis, double value, iso_model* model, int* out_count) {
    for (int i = 1; i < iso_model_body_count(model); ++i) {
        iso_body_desc* body = iso_model_body(model, i);
        if (!is_meant(axis, body->name, NULL) || !(body->mass > 0.0)) {
            continue;
        }
        for (int k = 0; k < 9; ++k) {
            body->inertia.m[k / 3][k % 3] *= value / body->mass;
        }
        body->mass = value;
        ++*out_count;
    }
}

iso_status iso_sweep_axis_apply(iso_context* ctx, const iso_sweep_axis* axis, int value,
                                iso_model* model) {
    double number = 0.0;
    int count = 0;
    (void)iso_text_to_double(axis->values[value], &number); // checked when it was read
    iso_status status = ISO_OK;
    if (axis->parameter == ISO_SWEEP_MASS) {
        set_mass(axis, number, model, &count);
    } else {
        status = set_material(axis, number, model, &count);
    }
    ISO_REQUIRE(ctx, status != ISO_OK || count > 0, ISO_ERR_NOT_FOUND,
                "'%s' changes nothing: there is no %s%s%s%s of which it could be", axis->name,
                axis->parameter == ISO_SWEEP_MODULUS ? "compliant " : "",
                axis->parameter == ISO_SWEEP_MASS ? "body with a mass" : "geometry",
                axis->target != NULL ? " called " : "", axis->target != NULL ? axis->target : "");
    return status;
}
