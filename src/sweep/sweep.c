// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "sweep/axis.h"
#include "sweep/measure.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/values/hash.h"
#include "isobar/state.h"

#include <math.h>
#include <string.h>

static const double k_default_until = 1.0; ///< [s]
static const double k_most_steps = 9e15;   ///< doubles count exactly this far
static const size_t k_most_bytes = (size_t)1 << 30;

struct iso_sweep {
    iso_context* ctx;
    char* scene;
    char** settings; ///< [setting_count] of every variant
    int setting_count;
    iso_package* packages; ///< [package_count] strings owned
    int package_count;
    iso_sweep_axis* axes;
    int axis_count;
    iso_sweep_measure_spec* measures;
    int measure_count;
    int variant_count;
    double until;
    uint64_t hash;
};

// --- running -------------------------------------------------------------------------------------

/// A variant under way.
typedef struct run {
    iso_scene scene;
    iso_world* world;
    iso_task* task;
    iso_sensors* sensors;
    iso_sweep_gauge* gauges; ///< [measure_count]
    bool has_sensors;        ///< that a measure reads
} run;

static void close_run(iso_context* ctx, run* r) {
    iso_free(ctx, r->gauges);
    iso_task_destroy(r->task);
    iso_sensors_destroy(r->sensors);
    iso_world_destroy(r->world);
    iso_scene_destroy(ctx, &r->scene);
}

/// Load the scene with the settings of a variant. The settings and their texts are released here.
static iso_status load(const iso_sweep* sweep, iso_context* ctx, int variant, iso_scene* out) {
    int most = sweep->setting_count + sweep->axis_count;
    const char** settings = iso_alloc_array(ctx, most, sizeof *settings);
    iso_text* texts = iso_alloc_array(ctx, sweep->axis_count, sizeof *texts);
    iso_status status = ISO_OK;
    int count = 0;
    ISO_CHECK(ctx, settings != NULL && texts != NULL, ISO_ERR_MEMORY, "settings of a variant");
    for (int i = 0; i < sweep->setting_count; ++i) {
        settings[count++] = sweep->settings[i];
    }
    for (int i = 0; i < sweep->axis_count; ++i) {
        const iso_sweep_axis* axis = &sweep->axes[i];
        if (axis->parameter == ISO_SWEEP_SETTING) {
            int value = iso_sweep_value_index(sweep, variant, i);
            ISO_TRY(iso_text_printf(ctx, &texts[i], "%s=%s", axis->name, axis->values[value]));
            settings[count++] = texts[i].data;
        }
    }
    iso_scene_options options = {sweep->packages, sweep->package_count, settings, count};
    ISO_TRY(iso_scene_load(ctx, sweep->scene, &options, out));
    for (int i = 0; i < sweep->axis_count; ++i) {
        if (sweep->axes[i].parameter != ISO_SWEEP_SETTING) {
            ISO_TRY(iso_sweep_axis_apply(ctx, &sweep->axes[i],
                                         iso_sweep_value_index(sweep, variant, i), out->model));
        }
    }

done:
    for (int i = 0; texts != NULL && i < sweep->axis_count; ++i) {
        iso_text_free(ctx, &texts[i]);
    }
    iso_free(ctx, texts);
    iso_free(ctx, settings);
    return status;
}

/// What close_run() releases, also on failure.
static iso_status open_run(const iso_sweep* sweep, iso_context* ctx, int variant, run* r) {
    *r = (run){0};
    iso_status status = ISO_OK;
    ISO_TRY(load(sweep, ctx, variant, &r->scene));
    ISO_TRY(iso_world_create(ctx, r->scene.model, &r->scene.world, &r->world));
    ISO_TRY(iso_sensors_create(r->world, r->scene.sensors, r->scene.sensor_count, &r->sensors));
    ISO_TRY(iso_scene_create_task(&r->scene, r->world, &r->task));
    iso_task_set_sensors(r->task, r->sensors);
    r->gauges = iso_alloc_array(ctx, sweep->measure_count, sizeof *r->gauges);
    ISO_CHECK(ctx, r->gauges != NULL, ISO_ERR_MEMORY, "measures of a variant");
    iso_sweep_site site = {r->world, r->task, r->sensors};
    for (int i = 0; i < sweep->measure_count; ++i) {
        const iso_sweep_measure_spec* spec = &sweep->measures[i];
        ISO_TRY(iso_sweep_gauge_begin(ctx, spec, &site, &r->gauges[i]));
        r->has_sensors =
            r->has_sensors || k_iso_sweep_quantities[spec->quantity].kind == ISO_SWEEP_OF_SENSOR;
    }

done:
    return status;
}

static double end_of(const iso_sweep* sweep, const iso_scene* scene) {
    double until = sweep->until > 0.0 ? sweep->until : scene->until;
    return until > 0.0 ? until : k_default_until;
}

static iso_status step_to_end(const iso_sweep* sweep, iso_context* ctx, run* r) {
    double time_step = r->scene.world.time_step;
    double until = end_of(sweep, &r->scene);
    ISO_REQUIRE(ctx, until / time_step <= k_most_steps, ISO_ERR_RANGE,
                "stopping at %g s takes %g steps of %g s, expected at most %g", until,
                until / time_step, time_step, k_most_steps);
    int64_t count = (int64_t)fmax(ceil(until / time_step - 1e-9), 1.0);
    iso_sweep_site site = {r->world, r->task, r->sensors};
    for (int64_t i = 0; i < count && !iso_task_is_over(r->task, r->world); ++i) {
        iso_status status = iso_task_step(r->task, r->world);
        if (status == ISO_OK && r->has_sensors) {
            status = iso_sensors_update(r->sensors, r->world);
        }
        if (status != ISO_OK) {
            return iso_fail_prefix(ctx, status, "t = %g s", iso_world_time(r->world));
        }
        for (int k = 0; k < sweep->measure_count; ++k) {
            iso_sweep_gauge_read(&r->gauges[k], &sweep->measures[k], &site);
        }
    }
    return ISO_OK;
}

iso_status iso_sweep_run(const iso_sweep* sweep, iso_context* ctx, int variant,
                         double* out_values) {
    ISO_REQUIRE(ctx, sweep != NULL && out_values != NULL, ISO_ERR_ARGUMENT,
                "sweep and out_values are required");
    for (int i = 0; i < sweep->measure_count; ++i) {
        out_values[i] = NAN;
    }
    ISO_REQUIRE(ctx, variant >= 0 && variant < sweep->variant_count, ISO_ERR_RANGE,
                "variant %d, expected 0 to %d", variant, sweep->variant_count - 1);
    run r;
    iso_status status = open_run(sweep, ctx, variant, &r);
    if (status == ISO_OK) {
        status = step_to_end(sweep, ctx, &r);
    }
    for (int i = 0; status == ISO_OK && i < sweep->measure_count; ++i) {
        out_values[i] = iso_sweep_gauge_value(&r.gauges[i], &sweep->measures[i]);
    }
    close_run(ctx, &r);
    return status;
}

// --- making --------------------------------------------------------------------------------------

static iso_status copy_options(iso_sweep* sweep, const iso_scene_options* options) {
    iso_context* ctx = sweep->ctx;
    if (options == NULL) {
        return ISO_OK;
    }
    sweep->settings = iso_alloc_array(ctx, options->setting_count, sizeof *sweep->settings);
    sweep->packages = iso_alloc_array(ctx, options->package_count, sizeof *sweep->packages);
    ISO_REQUIRE(ctx, sweep->settings != NULL && sweep->packages != NULL, ISO_ERR_MEMORY,
                "options of a sweep");
    for (int i = 0; i < options->setting_count; ++i) {
        sweep->settings[i] = iso_strdup(ctx, options->settings[i]);
        ISO_REQUIRE(ctx, sweep->settings[i] != NULL, ISO_ERR_MEMORY, "options of a sweep");
        ++sweep->setting_count;
    }
    for (int i = 0; i < options->package_count; ++i) {
        const iso_package* from = &options->packages[i];
        iso_package copy = {iso_strdup(ctx, from->name), iso_strdup(ctx, from->directory)};
        sweep->packages[sweep->package_count++] = copy;
        ISO_REQUIRE(ctx, copy.name != NULL && copy.directory != NULL, ISO_ERR_MEMORY,
                    "options of a sweep");
    }
    return ISO_OK;
}

static iso_status read_axes(iso_sweep* sweep, const iso_sweep_desc* desc) {
    iso_context* ctx = sweep->ctx;
    sweep->axes = iso_alloc_array(ctx, desc->axis_count, sizeof *sweep->axes);
    ISO_REQUIRE(ctx, sweep->axes != NULL, ISO_ERR_MEMORY, "axes of a sweep");
    double product = 1.0;
    for (int i = 0; i < desc->axis_count; ++i) {
        iso_status status = iso_sweep_axis_read(ctx, desc->axes[i], &sweep->axes[i]);
        if (status != ISO_OK) {
            return status;
        }
        product *= sweep->axes[i].count;
        ++sweep->axis_count;
        for (int k = 0; k < i; ++k) {
            ISO_REQUIRE(ctx, strcmp(sweep->axes[k].name, sweep->axes[i].name) != 0,
                        ISO_ERR_ARGUMENT, "'%s' is swept over twice", sweep->axes[i].name);
        }
    }
    ISO_REQUIRE(ctx, product <= ISO_SWEEP_MOST_VARIANTS, ISO_ERR_RANGE,
                "the sweep has %g variants, expected at most %d", product, ISO_SWEEP_MOST_VARIANTS);
    sweep->variant_count = (int)product;
    return ISO_OK;
}

static iso_status read_measures(iso_sweep* sweep, const iso_sweep_desc* desc) {
    iso_context* ctx = sweep->ctx;
    sweep->measures = iso_alloc_array(ctx, desc->measure_count, sizeof *sweep->measures);
    ISO_REQUIRE(ctx, sweep->measures != NULL, ISO_ERR_MEMORY, "measures of a sweep");
    for (int i = 0; i < desc->measure_count; ++i) {
        iso_status status = iso_sweep_measure_read(ctx, desc->measures[i], &sweep->measures[i]);
        if (status != ISO_OK) {
            return status;
        }
        ++sweep->measure_count;
    }
    return ISO_OK;
}

/// With the end of each text, so that "ab", "c" and "a", "bc" differ.
static uint64_t add_text(uint64_t hash, const char* text) {
    return iso_hash_bytes(hash, text, strlen(text) + 1);
}

static iso_status find_hash(iso_sweep* sweep, const run* r) {
    char* bytes = NULL;
    size_t size = 0;
    iso_status status = iso_file_read(sweep->ctx, sweep->scene, k_most_bytes, &bytes, &size);
    if (status != ISO_OK) {
        return status;
    }
    uint64_t model = iso_world_model_hash(r->world);
    double until = end_of(sweep, &r->scene);
    uint64_t hash = iso_hash_bytes(add_text(ISO_HASH_SEED, iso_version()), bytes, size);
    hash = iso_hash_bytes(iso_hash_bytes(hash, &model, sizeof model), &until, sizeof until);
    for (int i = 0; i < sweep->setting_count; ++i) {
        hash = add_text(hash, sweep->settings[i]);
    }
    for (int i = 0; i < sweep->axis_count; ++i) {
        hash = add_text(hash, sweep->axes[i].name);
        for (int k = 0; k < sweep->axes[i].count; ++k) {
            hash = add_text(hash, sweep->axes[i].values[k]);
        }
    }
    for (int i = 0; i < sweep->measure_count; ++i) {
        hash = add_text(hash, sweep->measures[i].text);
    }
    iso_free(sweep->ctx, bytes);
    sweep->hash = hash;
    return ISO_OK;
}

static iso_status check_desc(iso_context* ctx, const iso_sweep_desc* desc) {
    ISO_REQUIRE(ctx, desc != NULL && desc->scene != NULL, ISO_ERR_ARGUMENT, "a scene is required");
    ISO_REQUIRE(ctx, desc->axis_count >= 1 && desc->axis_count <= ISO_SWEEP_MOST_AXES,
                ISO_ERR_ARGUMENT, "%d axes, expected 1 to %d", desc->axis_count,
                ISO_SWEEP_MOST_AXES);
    ISO_REQUIRE(ctx, desc->measure_count >= 1 && desc->measure_count <= ISO_SWEEP_MOST_MEASURES,
                ISO_ERR_ARGUMENT, "%d measures, expected 1 to %d", desc->measure_count,
                ISO_SWEEP_MOST_MEASURES);
    ISO_REQUIRE(ctx, desc->axes != NULL && desc->measures != NULL, ISO_ERR_ARGUMENT,
                "axes and measures are required");
    ISO_REQUIRE(ctx, isfinite(desc->until) && desc->until >= 0.0, ISO_ERR_RANGE,
                "the end is %g s, expected 0 or more", desc->until);
    return ISO_OK;
}

iso_status iso_sweep_check_axis(iso_context* ctx, const char* axis) {
    iso_sweep_axis read;
    iso_status status = iso_sweep_axis_read(ctx, axis, &read);
    iso_sweep_axis_free(ctx, &read);
    return status;
}

iso_status iso_sweep_check_measure(iso_context* ctx, const char* measure) {
    iso_sweep_measure_spec read;
    iso_status status = iso_sweep_measure_read(ctx, measure, &read);
    iso_sweep_measure_free(ctx, &read);
    return status;
}

int iso_sweep_quantity_count(void) {
    return k_iso_sweep_quantity_count;
}

const char* iso_sweep_quantity_name(int quantity) {
    bool is_one = quantity >= 0 && quantity < k_iso_sweep_quantity_count;
    return is_one ? k_iso_sweep_quantities[quantity].name : "";
}

const char* iso_sweep_quantity_subject(int quantity) {
    static const char* const k_subjects[] = {
        [ISO_SWEEP_OF_NOTHING] = "",        [ISO_SWEEP_OF_BODY] = "body",
        [ISO_SWEEP_OF_CONTACT] = "contact", [ISO_SWEEP_OF_JOINT] = "joint",
        [ISO_SWEEP_OF_PROGRAM] = "program", [ISO_SWEEP_OF_SENSOR] = "sensor"};
    bool is_one = quantity >= 0 && quantity < k_iso_sweep_quantity_count;
    return is_one ? k_subjects[k_iso_sweep_quantities[quantity].kind] : "";
}

iso_status iso_sweep_create(iso_context* ctx, const iso_sweep_desc* desc, iso_sweep** out_sweep) {
    ISO_REQUIRE(ctx, out_sweep != NULL, ISO_ERR_ARGUMENT, "out_sweep is required");
    *out_sweep = NULL;
    iso_status status = check_desc(ctx, desc);
    if (status != ISO_OK) {
        return status;
    }
    run r = {0};
    iso_sweep* sweep = iso_alloc_zeroed(ctx, sizeof *sweep);
    ISO_REQUIRE(ctx, sweep != NULL, ISO_ERR_MEMORY, "sweep");
    sweep->ctx = ctx;
    sweep->until = desc->until;
    sweep->scene = iso_strdup(ctx, desc->scene);
    ISO_CHECK(ctx, sweep->scene != NULL, ISO_ERR_MEMORY, "sweep");
    ISO_TRY(copy_options(sweep, desc->options));
    ISO_TRY(read_axes(sweep, desc));
    ISO_TRY(read_measures(sweep, desc));
    ISO_TRY(open_run(sweep, ctx, 0, &r));
    ISO_TRY(find_hash(sweep, &r));
    *out_sweep = sweep;

done:
    close_run(ctx, &r);
    if (status != ISO_OK) {
        iso_sweep_destroy(sweep);
    }
    return status;
}

void iso_sweep_destroy(iso_sweep* sweep) {
    if (sweep == NULL) {
        return;
    }
    iso_context* ctx = sweep->ctx;
    for (int i = 0; i < sweep->setting_count; ++i) {
        iso_free(ctx, sweep->settings[i]);
    }
    for (int i = 0; i < sweep->package_count; ++i) {
        iso_free(ctx, (void*)sweep->packages[i].name);
        iso_free(ctx, (void*)sweep->packages[i].directory);
    }
    for (int i = 0; i < sweep->axis_count; ++i) {
        iso_sweep_axis_free(ctx, &sweep->axes[i]);
    }
    for (int i = 0; i < sweep->measure_count; ++i) {
        iso_sweep_measure_free(ctx, &sweep->measures[i]);
    }
    iso_free(ctx, sweep->settings);
    iso_free(ctx, sweep->packages);
    iso_free(ctx, sweep->axes);
    iso_free(ctx, sweep->measures);
    iso_free(ctx, sweep->scene);
    iso_free(ctx, sweep);
}

// --- what there is -------------------------------------------------------------------------------

static bool is_axis(const iso_sweep* sweep, int axis) {
    return axis >= 0 && axis < sweep->axis_count;
}

int iso_sweep_variant_count(const iso_sweep* sweep) {
    return sweep->variant_count;
}
int iso_sweep_axis_count(const iso_sweep* sweep) {
    return sweep->axis_count;
}
const char* iso_sweep_axis_name(const iso_sweep* sweep, int axis) {
    return is_axis(sweep, axis) ? sweep->axes[axis].name : "";
}
int iso_sweep_value_count(const iso_sweep* sweep, int axis) {
    return is_axis(sweep, axis) ? sweep->axes[axis].count : 0;
}
const char* iso_sweep_value(const iso_sweep* sweep, int axis, int value) {
    bool is_there = value >= 0 && value < iso_sweep_value_count(sweep, axis);
    return is_there ? sweep->axes[axis].values[value] : "";
}
int iso_sweep_value_index(const iso_sweep* sweep, int variant, int axis) {
    if (!is_axis(sweep, axis) || variant < 0 || variant >= sweep->variant_count) {
        return -1;
    }
    for (int i = sweep->axis_count - 1; i > axis; --i) {
        variant /= sweep->axes[i].count;
    }
    return variant % sweep->axes[axis].count;
}
int iso_sweep_measure_count(const iso_sweep* sweep) {
    return sweep->measure_count;
}
const char* iso_sweep_measure(const iso_sweep* sweep, int measure) {
    bool is_there = measure >= 0 && measure < sweep->measure_count;
    return is_there ? sweep->measures[measure].text : "";
}
const char* iso_sweep_measure_unit(const iso_sweep* sweep, int measure) {
    bool is_there = measure >= 0 && measure < sweep->measure_count;
    return is_there ? k_iso_sweep_quantities[sweep->measures[measure].quantity].unit : "";
}
uint64_t iso_sweep_hash(const iso_sweep* sweep) {
    return sweep->hash;
}
