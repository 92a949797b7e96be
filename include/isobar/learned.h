// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// A friction coefficient learned from measured pairs of materials: mu = g(E, nu, rho of both)
// ([Datta2018] section 4.3). Theory and what it is worth: docs/theory/lab/learned_friction.md.

/// What a prediction knows of a material.
typedef struct iso_learned_material {
    char name[48];        ///< empty: none
    double young_modulus; ///< [Pa], > 0
    double poisson;       ///< in (-1, 0.5)
    double density;       ///< [kg/m^3], > 0
} iso_learned_material;

/// One measurement.
typedef struct iso_learned_row {
    iso_learned_material a, b;
    double friction; ///< static coefficient, >= 0
} iso_learned_row;

/// The regressions.
typedef enum iso_learned_kind {
    ISO_LEARNED_SVR, ///< epsilon-support-vector regression, by libsvm
    ISO_LEARNED_GP,  ///< Gaussian process; widths and noise of the largest marginal likelihood
} iso_learned_kind;

/// What a regression is made over.
typedef enum iso_learned_features {
    ISO_LEARNED_RAW,      ///< E [GPa], nu, rho [kg/m^3] as they are; support vectors only
    ISO_LEARNED_STANDARD, ///< each less its mean, over its standard deviation
    ISO_LEARNED_LOG,      ///< of log E, nu, log rho the same
} iso_learned_features;

/// How to train. Start from iso_learned_desc_default().
typedef struct iso_learned_desc {
    iso_learned_kind kind;
    iso_learned_features features;
    bool is_symmetric;           ///< mu(a, b) = mu(b, a): each row counts in both orders
    double epsilon;              ///< of support vectors: residuals up to it cost nothing, >= 0; 0.1
    double penalty;              ///< of support vectors: the bound C of coefficients, > 0; 0.5
    double gamma;                ///< of support vectors: kernel exp(-gamma d^2), > 0; 1/6
    const iso_learned_row* rows; ///< borrowed while training
    int row_count;               ///< in [4, 1000]
} iso_learned_desc;

/// Support vectors of standardised features as in the thesis, symmetric, of the table that
/// iso_learned_table() gives.
ISO_API iso_learned_desc iso_learned_desc_default(void);

/// The 36 pairs of [Datta2018] table 4.3, constant. @param[out] out_count  36
ISO_API const iso_learned_row* iso_learned_table(int* out_count);

/// Read rows of CSV: name, E [GPa], nu, rho [kg/m^3], the same of the other, mu. Lines that begin
/// with # and a line of names are passed over.
/// @param[out] out_rows  release with iso_learned_rows_free()
/// @return ISO_ERR_IO, ISO_ERR_PARSE (with file and line), ISO_ERR_RANGE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_learned_rows_read(iso_context* ctx, const char* path,
                                                       iso_learned_row** out_rows, int* out_count);
/// NULL is allowed.
ISO_API void iso_learned_rows_free(iso_context* ctx, iso_learned_row* rows);

/// A trained model: constant.
typedef struct iso_learned iso_learned;

/// Train. O(row_count^3); a model of 36 rows takes milliseconds.
/// @param[out] out_model  release with iso_learned_destroy(); NULL on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (which row), ISO_ERR_MEMORY, ISO_ERR_UNSUPPORTED
///         (support vectors where libsvm was not there at build time)
ISO_NODISCARD ISO_API iso_status iso_learned_train(iso_context* ctx, const iso_learned_desc* desc,
                                                   iso_learned** out_model);
/// NULL is allowed.
ISO_API void iso_learned_destroy(iso_learned* model);

/// Read and write a model as JSON. Written, it appears whole or not at all.
/// @return ISO_ERR_IO, ISO_ERR_PARSE, ISO_ERR_RANGE (file and key), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_learned_read(iso_context* ctx, const char* path,
                                                  iso_learned** out_model);
/// @copydoc iso_learned_read
ISO_NODISCARD ISO_API iso_status iso_learned_write(const iso_learned* model, const char* path);

/// What a model says of a pair.
typedef struct iso_learned_value {
    double friction;  ///< >= 0
    double low, high; ///< 90 % of measurements lie within, by the rows left out one at a time
    double outside;   ///< distance of the pair from the hull of the rows, in standard deviations of
                      ///< the features; 0: within. Beyond it a prediction means little
} iso_learned_value;

/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (a material's value)
ISO_NODISCARD ISO_API iso_status iso_learned_predict(const iso_learned* model,
                                                     const iso_learned_material* a,
                                                     const iso_learned_material* b,
                                                     iso_learned_value* out_value);

/// A material by the name it has in the rows, capitals and small letters alike; NULL: none.
ISO_API const iso_learned_material* iso_learned_find(const iso_learned* model, const char* name);
/// The materials of the rows, each once. index in [0, iso_learned_material_count()); else NULL.
ISO_API int iso_learned_material_count(const iso_learned* model);
/// @copydoc iso_learned_material_count
ISO_API const iso_learned_material* iso_learned_material_at(const iso_learned* model, int index);

/// How good a model is.
typedef struct iso_learned_report {
    int row_count;
    int support_count;            ///< support vectors; of a Gaussian process all rows
    int bound_count;              ///< of them those at the bound C
    double bias;                  ///< what is predicted far away from all rows
    double train_mae, train_rmse; ///< of the rows it was trained with
    double train_r2;              ///< share of the variance explained there
    double loo_mae, loo_rmse;     ///< of each row by a model trained without it
    double mean_mae, mean_rmse;   ///< the same when the mean of the others is predicted
    double coverage;              ///< share of rows within the 90 % interval of the others
    double interval;              ///< half the mean width of those intervals
    double lengths[3];            ///< Gaussian process: of E, nu, rho, in standard deviations
    double noise;                 ///< Gaussian process: standard deviation of a measurement
} iso_learned_report;

/// Train as desc says, and once more without each row.
/// @param[out] out_left_out  [row_count] prediction of each row without it; NULL: not wanted
/// @param[out] out_model     the model, as of iso_learned_train(); NULL: not wanted
/// @return as iso_learned_train()
ISO_NODISCARD ISO_API iso_status iso_learned_evaluate(iso_context* ctx,
                                                      const iso_learned_desc* desc,
                                                      iso_learned_report* out_report,
                                                      double* out_left_out,
                                                      iso_learned** out_model);

#ifdef __cplusplus
}
#endif
