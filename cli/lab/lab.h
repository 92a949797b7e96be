// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/lab/lab_slide.h"
#include "cli/parts/session.h"

#define CLI_CONTACT_MODULUS 1e9 ///< of `lab contact` [Pa], where none is given

cli_exit cli_lab(const cli_options* options);
bool cli_lab_take(cli_options* options, const char* name, const char* value);

// The experiments.

cli_exit cli_lab_surface(cli_session* session, const cli_options* options,
                         const iso_lab_surface* surface);
cli_exit cli_lab_contact(cli_session* session, const cli_options* options,
                         const iso_lab_surface* surface);
cli_exit cli_lab_slide(cli_session* session, const cli_options* options,
                       const iso_lab_surface* lower);
/// One slide, of which nothing is written.
iso_status cli_slide_run_one(cli_session* session, const cli_options* options,
                             const iso_lab_surface* lower, uint64_t seed, slide_summary* out,
                             int* out_steps);
/// The rough face of the upper block. lower: but for its heights.
/// @param[out] out  release with iso_lab_surface_free()
iso_status cli_slide_make_upper(cli_session* session, const cli_options* options,
                                const iso_lab_surface* lower, uint64_t seed, iso_lab_surface* out);
/// Warn where it has so few asperities that friction is theirs, not that of the surface.
void cli_slide_warn_of_few(cli_session* session, const cli_options* options,
                           const iso_lab_surface* lower, uint64_t seed);
/// All numbers of a slide that change what comes out, as a text.
void cli_slide_describe(const cli_options* options, char* text, size_t size);
/// Numbers of the thesis' experiments E2 and E3, where none are given; those names, and e4, become
/// that of the experiment behind them.
void cli_lab_preset(cli_options* options);
/// `lab slide --surfaces N`: the same slide of N pairs of surfaces; mean and spread.
cli_exit cli_lab_slide_surfaces(cli_session* session, const cli_options* options);
/// Those without a surface: a learned coefficient, rigid formulations.
cli_exit cli_lab_learn(cli_session* session, const cli_options* options);
cli_exit cli_lab_rigid(cli_session* session, const cli_options* options);
/// The thesis' table 4.1: sets of parameters times surfaces, by many processes.
cli_exit cli_lab_e1(cli_session* session, const cli_options* options);
