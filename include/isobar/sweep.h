// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One scene, run once for every combination of values. A sweep says what the variants are and runs
/// any one of them; it holds no results and does not say who runs which (docs/sweeps.md).
typedef struct iso_sweep iso_sweep;

/// Most axes, values of an axis, variants and measures of a sweep.
#define ISO_SWEEP_MOST_AXES 16
#define ISO_SWEEP_MOST_VALUES 100000     ///< of an axis
#define ISO_SWEEP_MOST_VARIANTS 10000000 ///< of a sweep
#define ISO_SWEEP_MOST_MEASURES 64       ///< of a sweep

/// What is run and measured. Strings are copied.
typedef struct iso_sweep_desc {
    const char* scene;                ///< path of a file that iso_scene_load() takes
    const iso_scene_options* options; ///< of every variant; may be NULL
    /// [axis_count] "NAME=VALUES", the last one changes fastest. VALUES are "LOW:HIGH:COUNT" (in
    /// equal steps), "LOW:HIGH:COUNT:log" (in equal ratios) or "A,B,C" (YAML; commas within
    /// brackets and quotes do not part). NAME has a dot and is a path of iso_scene_options, or is
    /// friction (both coefficients), modulus [Pa], dissipation [s/m] or mass [kg] of all that have
    /// it, or of what is named: "friction(spanner)" for a geometry, a body or a model.
    const char* const* axes;
    int axis_count;
    double until; ///< simulated time to stop at [s]; 0: what the scene says, else 1
    /// [measure_count] "QUANTITY(NAME)", docs/sweeps.md; before it "max_", "min_", "mean_", "rms_"
    /// over all steps, or nothing, for the value at the end.
    const char* const* measures;
    int measure_count;
} iso_sweep_desc;

/// Can this be an axis ("NAME=VALUES") of some scene? Whether a scene has what it names is said by
/// iso_sweep_create().
/// @return ISO_ERR_PARSE, ISO_ERR_RANGE (values), ISO_ERR_NOT_FOUND (a parameter), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_sweep_check_axis(iso_context* ctx, const char* axis);
/// The same of a measure, "QUANTITY(NAME)".
/// @return ISO_ERR_PARSE, ISO_ERR_NOT_FOUND (a quantity), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_sweep_check_measure(iso_context* ctx, const char* measure);
/// Number of quantities that can be measured.
ISO_API int iso_sweep_quantity_count(void);
/// Name of a quantity; "" for indices out of range.
ISO_API const char* iso_sweep_quantity_name(int quantity);
/// What it is of: "body", "contact", "joint", "sensor", "program" or, of the world, "".
ISO_API const char* iso_sweep_quantity_subject(int quantity);

/// Read the axes and measures, and make the world of the first variant to see that all names are
/// there.
/// @param[out] out_sweep  owned by the caller, release with iso_sweep_destroy(); NULL on error
/// @return ISO_ERR_ARGUMENT (missing, too many), ISO_ERR_PARSE, ISO_ERR_RANGE (values),
///         ISO_ERR_NOT_FOUND (a name), errors of iso_scene_load() and iso_world_create()
ISO_NODISCARD ISO_API iso_status iso_sweep_create(iso_context* ctx, const iso_sweep_desc* desc,
                                                  iso_sweep** out_sweep);
/// Release a sweep. NULL is allowed.
ISO_API void iso_sweep_destroy(iso_sweep* sweep);

/// Number of variants: the product of the numbers of values.
ISO_API int iso_sweep_variant_count(const iso_sweep* sweep);
/// Number of axes.
ISO_API int iso_sweep_axis_count(const iso_sweep* sweep);
/// Name of an axis; "" for indices out of range. Owned by the sweep, as all texts below.
ISO_API const char* iso_sweep_axis_name(const iso_sweep* sweep, int axis);
/// Number of values of an axis; 0 for indices out of range.
ISO_API int iso_sweep_value_count(const iso_sweep* sweep, int axis);
/// A value of an axis as it was written, or its number; "" for indices out of range.
ISO_API const char* iso_sweep_value(const iso_sweep* sweep, int axis, int value);
/// Which value of an axis a variant has; -1 for indices out of range.
ISO_API int iso_sweep_value_index(const iso_sweep* sweep, int variant, int axis);
/// Number of measures.
ISO_API int iso_sweep_measure_count(const iso_sweep* sweep);
/// A measure as it was written; "" for indices out of range.
ISO_API const char* iso_sweep_measure(const iso_sweep* sweep, int measure);
/// Unit of a measure, "m"; "" for plain numbers, columns of sensors and indices out of range.
ISO_API const char* iso_sweep_measure_unit(const iso_sweep* sweep, int measure);
/// FNV-1a of all that the results depend on: the bytes of the scene file, the model of the first
/// variant, axes, measures, settings, the end, and the library's version.
ISO_API uint64_t iso_sweep_hash(const iso_sweep* sweep);

/// Load a variant and step it to the end. A function of its arguments and of the files: the same
/// bits in every process. The sweep is only read: processes and threads may share it, each with a
/// context of its own.
/// @param      ctx         that of this run
/// @param[out] out_values  [measure count]; NAN where there is nothing to measure (a margin without
///                         a contact), all of them on error
/// @return ISO_ERR_RANGE (variant), errors of loading and of iso_task_step()
ISO_NODISCARD ISO_API iso_status iso_sweep_run(const iso_sweep* sweep, iso_context* ctx,
                                               int variant, double* out_values);

#ifdef __cplusplus
}
#endif
