// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/material.h"

#include "base/core/fail.h"
#include "contact/contact_model.h"

#include <string.h>

// Bristles with no damping of their own are critically damped under a body that rests [m/s^2].
#define BRISTLE_LOAD 9.81
// Of impacts so fast that their restitution would fall below.
#define LEAST_RESTITUTION 0.01
// v_epsilon over v_s, as the thesis has it everywhere.
#define BRISTLE_SMOOTHING 0.01

iso_contact_material iso_contact_material_default(void) {
    return (iso_contact_material){.compliance = ISO_COMPLIANCE_DEFAULT,
                                  .modulus = 1e7,
                                  .resolution_hint = 0.0,
                                  .margin = ISO_MARGIN_AUTO,
                                  .slab_thickness = 0.0,
                                  .dissipation = 50.0,
                                  .relaxation_time = 0.1,
                                  .friction_static = 0.5,
                                  .friction_dynamic = 0.5,
                                  .restitution_speed = 1.0,
                                  .poisson_ratio = 0.3,
                                  .stribeck_speed = 1e-3};
}

iso_contact_options iso_contact_options_default(void) {
    return (iso_contact_options){.representation = ISO_REPRESENTATION_POLYGON,
                                 .cull = ISO_CULL_NONE,
                                 .combine = ISO_COMBINE_DRAKE,
                                 .rigid_layer_thickness = 1e-3,
                                 .rigid_layer_modulus = 1e7,
                                 .stiction_velocity = 1e-4,
                                 .friction = ISO_FRICTION_MODEL_STICK,
                                 .friction_stiffness = 0.0,
                                 .friction_damping_time = -1.0,
                                 .friction_law = ISO_FRICTION_VISCOUS};
}

// One number with its name and whether zero is allowed.
typedef struct checked_value {
    const char* name;
    const char* unit;
    double value;
    bool is_zero_allowed;
} checked_value;

static iso_status check_values(iso_context* ctx, const char* what, const char* name,
                               const checked_value* values, int count) {
    for (int i = 0; i < count; ++i) {
        const checked_value* v = &values[i];
        bool is_good =
            isfinite(v->value) && (v->value > 0.0 || (v->is_zero_allowed && v->value == 0.0));
        ISO_REQUIRE(ctx, is_good, ISO_ERR_RANGE, "%s '%s': %s is %g%s, expected finite and %s 0",
                    what, name, v->name, v->value, v->unit, v->is_zero_allowed ? ">=" : ">");
    }
    return ISO_OK;
}

// M(e) e must rise from row to row, or one pressure would have two extents: its slope M + e M' is
// linear in e, so its ends decide.
static iso_status check_table(iso_context* ctx, const iso_contact_material* material,
                              const char* name) {
    int count = material->modulus_row_count;
    ISO_REQUIRE(ctx, count >= 0 && (count == 0) == (material->modulus_table == NULL),
                ISO_ERR_ARGUMENT,
                "geometry '%s': table of moduli of %d rows, expected rows and a "
                "count, or neither",
                name, count);
    for (int i = 0; i < count; ++i) {
        iso_modulus_row row = material->modulus_table[i];
        ISO_REQUIRE(ctx, row.extent >= 0.0 && row.extent <= 1.0, ISO_ERR_RANGE,
                    "geometry '%s': extent of row %d of the table of moduli is %g, expected in "
                    "[0, 1]",
                    name, i + 1, row.extent);
        ISO_REQUIRE(ctx, isfinite(row.modulus) && row.modulus > 0.0, ISO_ERR_RANGE,
                    "geometry '%s': modulus of row %d of the table is %g Pa, expected finite and "
                    "> 0",
                    name, i + 1, row.modulus);
        if (i == 0) {
            continue;
        }
        iso_modulus_row last = material->modulus_table[i - 1];
        ISO_REQUIRE(ctx, row.extent > last.extent, ISO_ERR_RANGE,
                    "geometry '%s': extent of row %d of the table of moduli is %g, expected above "
                    "%g",
                    name, i + 1, row.extent, last.extent);
        double slope = (row.modulus - last.modulus) / (row.extent - last.extent);
        ISO_REQUIRE(
            ctx, last.modulus + last.extent * slope > 0.0 && row.modulus + row.extent * slope > 0.0,
            ISO_ERR_RANGE,
            "geometry '%s': pressure M(e) e falls between rows %d and %d of the table of "
            "moduli, expected to rise",
            name, i, i + 1);
    }
    return ISO_OK;
}

// Dissipation, expansion rate and restitution are three ways to say one thing.
static iso_status check_damping(iso_context* ctx, const iso_contact_material* material,
                                const char* name) {
    ISO_REQUIRE(ctx, material->restitution <= 1.0, ISO_ERR_RANGE,
                "geometry '%s': restitution is %g, expected in (0, 1]", name,
                material->restitution);
    const char* const names[] = {"dissipation", "expansion rate", "restitution"};
    const bool is_given[] = {
        material->dissipation != iso_contact_material_default().dissipation,
        material->expansion_rate > 0.0,
        material->restitution > 0.0,
    };
    char given[64] = "";
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        if (is_given[i]) {
            strcat(strcat(given, count++ > 0 ? " and " : ""), names[i]);
        }
    }
    ISO_REQUIRE(ctx, count <= 1, ISO_ERR_ARGUMENT,
                "geometry '%s': %s are given, expected one of them", name, given);
    return ISO_OK;
}

static int last_model(void) {
    int last = ISO_CONTACT_MODEL_DEFAULT;
    while (iso_contact_model_of((iso_contact_model_kind)(last + 1))) {
        ++last;
    }
    return last;
}

static iso_status check_choices(iso_context* ctx, const iso_contact_material* material,
                                const char* name) {
    ISO_REQUIRE(ctx,
                (int)material->compliance >= ISO_COMPLIANCE_DEFAULT &&
                    material->compliance <= ISO_COMPLIANCE_COMPLIANT,
                ISO_ERR_RANGE, "geometry '%s': compliance is %d, expected %d to %d", name,
                (int)material->compliance, ISO_COMPLIANCE_DEFAULT, ISO_COMPLIANCE_COMPLIANT);
    ISO_REQUIRE(ctx,
                (int)material->extent_kind >= ISO_EXTENT_AUTO &&
                    material->extent_kind <= ISO_EXTENT_POISSON,
                ISO_ERR_RANGE, "geometry '%s': kind of extent is %d, expected %d to %d", name,
                (int)material->extent_kind, ISO_EXTENT_AUTO, ISO_EXTENT_POISSON);
    ISO_REQUIRE(ctx, iso_contact_model_of(material->model), ISO_ERR_RANGE,
                "geometry '%s': contact model is %d, expected 0 to %d", name, (int)material->model,
                last_model());
    ISO_REQUIRE(ctx, material->poisson_ratio > -1.0 && material->poisson_ratio <= 0.5,
                ISO_ERR_RANGE, "geometry '%s': Poisson's ratio is %g, expected in (-1, 0.5]", name,
                material->poisson_ratio);
    ISO_REQUIRE(ctx, material->layer_count >= 0, ISO_ERR_RANGE,
                "geometry '%s': number of layers is %d, expected >= 0", name,
                material->layer_count);
    ISO_REQUIRE(ctx, material->stiffening >= 0.0 && material->stiffening < 1.0, ISO_ERR_RANGE,
                "geometry '%s': stiffening is %g, expected in [0, 1)", name, material->stiffening);
    return ISO_OK;
}

iso_status iso_contact_material_check(iso_context* ctx, const iso_contact_material* material,
                                      const char* name) {
    iso_status status = check_choices(ctx, material, name);
    if (status != ISO_OK) {
        return status;
    }
    double margin = material->margin == ISO_MARGIN_AUTO ? 0.0 : material->margin;
    const checked_value values[] = {
        {"modulus", " Pa", material->modulus, false},
        {"resolution hint", " m", material->resolution_hint, true},
        {"margin", " m", margin, true},
        {"slab thickness", " m", material->slab_thickness, true},
        {"dissipation", " s/m", material->dissipation, true},
        {"relaxation time", " s", material->relaxation_time, true},
        {"static friction", "", material->friction_static, true},
        {"dynamic friction", "", material->friction_dynamic, true},
        {"expansion rate", " 1/s", material->expansion_rate, true},
        {"restitution", "", material->restitution, true},
        {"restitution speed", " m/s", material->restitution_speed, true},
        {"restitution slope", " s/m", material->restitution_slope, true},
        {"adhesion", " Pa", material->adhesion, true},
        {"Young's modulus", " Pa", material->young_modulus, true},
        {"bristle stiffness", " 1/m", material->bristle_stiffness, true},
        {"bristle damping", " s/m", material->bristle_damping, true},
        {"viscous friction", " s/m", material->bristle_viscous, true},
        {"Stribeck speed", " m/s", material->stribeck_speed, !(material->bristle_stiffness > 0.0)},
        {"dwell time", " s", material->dwell_time, true},
    };
    status = check_values(ctx, "geometry", name, values, (int)(sizeof values / sizeof *values));
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, material->friction_dynamic <= material->friction_static, ISO_ERR_RANGE,
                "geometry '%s': dynamic friction is %g, expected at most the static friction %g",
                name, material->friction_dynamic, material->friction_static);
    status = check_damping(ctx, material, name);
    return status == ISO_OK ? check_table(ctx, material, name) : status;
}

// A law of the caller's own at a few speeds: finite, not driving, none at rest.
static iso_status check_own_friction(iso_context* ctx, const iso_contact_options* options) {
    const iso_own_friction* own = &options->own_friction;
    ISO_REQUIRE(ctx, own->coefficient, ISO_ERR_ARGUMENT,
                "friction law is own, expected own_friction with a function for its coefficient");
    const iso_friction_params pair = {
        .friction_static = 0.5, .friction_dynamic = 0.5, .velocity = options->stiction_velocity};
    double speed = 0.0;
    for (int i = -4; i <= 3; ++i) {
        double mu = own->coefficient(own->user, &pair, speed);
        ISO_REQUIRE(ctx, isfinite(mu) && mu >= 0.0 && (speed > 0.0 || mu == 0.0), ISO_ERR_RANGE,
                    "own friction law gives %g at a slip speed of %g m/s, expected finite and >= "
                    "0, and 0 at rest",
                    mu, speed);
        speed = pow(10.0, i + 1) * options->stiction_velocity;
    }
    return ISO_OK;
}

static iso_status check_friction(iso_context* ctx, const iso_contact_options* options) {
    ISO_REQUIRE(ctx,
                options->friction == ISO_FRICTION_MODEL_STICK ||
                    options->friction == ISO_FRICTION_MODEL_REGULARIZED ||
                    options->friction == ISO_FRICTION_MODEL_BRUSH,
                ISO_ERR_ARGUMENT, "friction is %d, expected stick, regularized or brush",
                (int)options->friction);
    ISO_REQUIRE(ctx,
                (int)options->friction_law >= ISO_FRICTION_VISCOUS &&
                    options->friction_law <= ISO_FRICTION_BRUSH,
                ISO_ERR_ARGUMENT,
                "friction law is %d, expected viscous, tanh, atan, stribeck, three_piece, own, "
                "compliant or brush",
                (int)options->friction_law);
    ISO_REQUIRE(ctx, isfinite(options->friction_damping_time), ISO_ERR_RANGE,
                "friction damping time is %g s, expected finite: negative for critical damping",
                options->friction_damping_time);
    ISO_REQUIRE(ctx, options->brush_size == 0.0 || !(options->brush_size < ISO_BRUSH_LEAST_SIZE),
                ISO_ERR_RANGE, "brush size is %g m, expected 0 (by the geometries) or >= %g m",
                options->brush_size, ISO_BRUSH_LEAST_SIZE);
    return ISO_OK;
}

iso_status iso_contact_options_check(iso_context* ctx, const iso_contact_options* options) {
    ISO_REQUIRE(ctx,
                options->representation == ISO_REPRESENTATION_POLYGON ||
                    options->representation == ISO_REPRESENTATION_TRIANGLE,
                ISO_ERR_ARGUMENT, "contact representation is %d, expected polygon or triangle",
                (int)options->representation);
    ISO_REQUIRE(ctx, options->cull == ISO_CULL_NONE || options->cull == ISO_CULL_DRAKE,
                ISO_ERR_ARGUMENT, "contact culling is %d, expected none or drake",
                (int)options->cull);
    ISO_REQUIRE(ctx,
                (int)options->combine >= ISO_COMBINE_DRAKE &&
                    options->combine <= ISO_COMBINE_ELANDT_MEAN,
                ISO_ERR_ARGUMENT, "combination rule is %d, expected drake, elandt or elandt_mean",
                (int)options->combine);
    ISO_REQUIRE(ctx,
                options->regularization == ISO_REGULARIZATION_PATCH ||
                    options->regularization == ISO_REGULARIZATION_DRAKE,
                ISO_ERR_ARGUMENT, "regularization is %d, expected patch or drake",
                (int)options->regularization);
    ISO_REQUIRE(ctx,
                options->damping == ISO_DAMPING_HUNT_CROSSLEY ||
                    options->damping == ISO_DAMPING_EXTENT_RATE,
                ISO_ERR_ARGUMENT, "damping is %d, expected hunt_crossley or extent_rate",
                (int)options->damping);
    iso_status status = check_friction(ctx, options);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, iso_contact_model_of(options->model), ISO_ERR_ARGUMENT,
                "contact model is %d, expected 0 to %d", (int)options->model, last_model());
    const checked_value values[] = {
        {"rigid layer thickness", " m", options->rigid_layer_thickness, false},
        {"rigid layer modulus", " Pa", options->rigid_layer_modulus, false},
        {"stiction velocity", " m/s", options->stiction_velocity, false},
        {"friction stiffness", " 1/m", options->friction_stiffness, true},
        {"brush size", " m", options->brush_size, true},
    };
    status = check_values(ctx, "options", "contact", values, (int)(sizeof values / sizeof *values));
    return status == ISO_OK && options->friction_law == ISO_FRICTION_OWN
               ? check_own_friction(ctx, options)
               : status;
}

// What friction_stiffness and friction_damping_time stand for where they are left out: a body that
// presses with its weight gives way by mu / 1e4 metres, critically damped.
#define USUAL_STIFFNESS 1e4
#define USUAL_GRAVITY 9.81

iso_shell iso_contact_shell(const iso_contact_options* options) {
    double stiffness =
        options->friction_stiffness > 0.0 ? options->friction_stiffness : USUAL_STIFFNESS;
    double time = options->friction_damping_time > 0.0 ? options->friction_damping_time
                                                       : 2.0 / sqrt(stiffness * USUAL_GRAVITY);
    return (iso_shell){.stiffness = stiffness, .time = time};
}

double iso_contact_material_modulus(const iso_contact_material* material) {
    return material->modulus_row_count > 0 ? material->modulus_table[0].modulus : material->modulus;
}

// Positive root e of a e^2 + b e = p for b > 0, written so that a may be 0 or negative.
static double rising_root(double a, double b, double p) {
    return 2.0 * p / (b + sqrt(fmax(b * b + 4.0 * a * p, 0.0)));
}

double iso_contact_material_extent(const iso_contact_material* material, double pressure) {
    const iso_modulus_row* rows = material->modulus_table;
    int count = material->modulus_row_count;
    if (count == 0) {
        double k = pressure > 0.0 ? material->stiffening : 0.0;
        return pressure / (material->modulus + k * pressure);
    }
    // Constant before the first row and after the last, linear between.
    if (pressure <= rows[0].modulus * rows[0].extent || pressure <= 0.0) {
        return pressure / rows[0].modulus;
    }
    for (int i = 1; i < count; ++i) {
        if (pressure <= rows[i].modulus * rows[i].extent) {
            double slope =
                (rows[i].modulus - rows[i - 1].modulus) / (rows[i].extent - rows[i - 1].extent);
            return rising_root(slope, rows[i].modulus - slope * rows[i].extent, pressure);
        }
    }
    return pressure / rows[count - 1].modulus;
}

// With s = d times the speed before and q = d times the speed after the impact, both sides of
//     s - ln(1 + s) = -q - ln(1 - q),   q = e s
// are d^2 / m times the largest elastic energy. Difference of the sides over s^2, positive below
// the root; a series where the logarithms would cancel.
static double restitution_excess(double e, double s) {
    if (s > 0.1) {
        double q = e * s;
        return q < 1.0 ? (s - log1p(s) + q + log1p(-q)) / (s * s) : -INFINITY;
    }
    double sum = 0.0, power = 1.0, e_power = e * e, sign = 1.0;
    for (int n = 2; n < 24; ++n) {
        sum += (sign - e_power) * power / n;
        sign = -sign;
        power *= s;
        e_power *= e;
    }
    return sum;
}

double iso_dissipation_from_restitution(double restitution, double speed) {
    double lower = 0.0, upper = 1.0 / restitution;
    for (int i = 0; i < 2000 && restitution < 1.0; ++i) {
        double middle = 0.5 * (lower + upper);
        if (middle <= lower || middle >= upper) {
            break;
        }
        if (restitution_excess(restitution, middle) > 0.0) {
            lower = middle;
        } else {
            upper = middle;
        }
    }
    return lower / speed;
}

double iso_contact_material_dissipation(const iso_contact_material* material, double thickness) {
    if (material->expansion_rate > 0.0) {
        return 1.0 / (thickness * material->expansion_rate);
    }
    if (material->restitution > 0.0) {
        bool is_latched = iso_contact_material_is_latched(material);
        return iso_contact_material_impact(material,
                                           is_latched ? 1.0 : material->restitution_speed);
    }
    return material->dissipation;
}

bool iso_contact_material_is_latched(const iso_contact_material* material) {
    return material->restitution > 0.0 && material->restitution_speed == 0.0;
}

double iso_contact_material_impact(const iso_contact_material* material, double speed) {
    double restitution = material->restitution - material->restitution_slope * speed;
    restitution = material->restitution_slope > 0.0 ? fmax(restitution, LEAST_RESTITUTION)
                                                    : material->restitution;
    return iso_dissipation_from_restitution(restitution, speed);
}

double iso_adhesion_combine(double modulus_a, double adhesion_a, double modulus_b,
                            double adhesion_b) {
    if (isinf(modulus_a) != isinf(modulus_b)) {
        return isinf(modulus_a) ? adhesion_b : adhesion_a;
    }
    return fmin(adhesion_a, adhesion_b);
}

double iso_friction_combine(double mu_a, double mu_b) {
    double sum = mu_a + mu_b;
    return sum > 0.0 ? 2.0 * mu_a * mu_b / sum : 0.0;
}

// Of a material without bristles the other's number.
static double combine_bristles(const iso_contact_material* a, double of_a,
                               const iso_contact_material* b, double of_b) {
    bool has_a = a->bristle_stiffness > 0.0, has_b = b->bristle_stiffness > 0.0;
    return has_a && has_b ? iso_friction_combine(of_a, of_b) : has_a ? of_a : of_b;
}

static double bristle_damping(const iso_contact_material* m) {
    return m->bristle_damping > 0.0 ? m->bristle_damping
                                    : 2.0 * sqrt(m->bristle_stiffness / BRISTLE_LOAD);
}

void iso_bristle_combine(const iso_contact_material* a, const iso_contact_material* b,
                         iso_bristle_params* p) {
    p->stiffness = combine_bristles(a, a->bristle_stiffness, b, b->bristle_stiffness);
    p->damping = combine_bristles(a, bristle_damping(a), b, bristle_damping(b));
    p->viscous = combine_bristles(a, a->bristle_viscous, b, b->bristle_viscous);
    p->stribeck_speed = combine_bristles(a, a->stribeck_speed, b, b->stribeck_speed);
    p->dwell_time = combine_bristles(a, a->dwell_time, b, b->dwell_time);
    p->smoothing_speed = BRISTLE_SMOOTHING * p->stribeck_speed;
}

double iso_dissipation_combine(double modulus_a, double dissipation_a, double modulus_b,
                               double dissipation_b) {
    if (isinf(modulus_a) || isinf(modulus_b)) {
        if (isinf(modulus_a) && isinf(modulus_b)) {
            return 0.5 * (dissipation_a + dissipation_b);
        }
        return isinf(modulus_a) ? dissipation_b : dissipation_a;
    }
    double sum = modulus_a + modulus_b;
    return sum > 0.0 ? (modulus_b * dissipation_a + modulus_a * dissipation_b) / sum : 0.0;
}

double iso_dissipation_combine_face(double slope_a, double dissipation_a, double slope_b,
                                    double dissipation_b) {
    if (isinf(slope_a)) {
        return dissipation_b;
    }
    if (isinf(slope_b)) {
        return dissipation_a;
    }
    double share_a = slope_b / (slope_a + slope_b); // c_A / (c_A + c_B)
    double share_b = slope_a / (slope_a + slope_b);
    return dissipation_a * share_a * share_a + dissipation_b * share_b * share_b;
}
