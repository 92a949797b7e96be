// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/text.h"
#include "prepare/jobs/job.h"

/// A model of the body that names the mesh, with mass properties and contact properties: SDFormat
/// or URDF.
/// @param model_path  where the text is going to lie: the mesh is named relative to it when both
///                    are in one folder
iso_status iso_snippet_sdf(const iso_prepare_job* job, const char* model_path, iso_text* out_text);
iso_status iso_snippet_urdf(const iso_prepare_job* job, const char* model_path, iso_text* out_text);

/// The report as one page of HTML.
iso_status iso_report_html(const iso_prepare_job* job, iso_text* out_text);

/// A section of the mesh through the middle of its bounds, normal to an axis, coloured by extent.
iso_status iso_section_svg(const iso_prepare_job* job, int axis, iso_text* out_text);

/// Name of the model: desc->name, or the output's file name without extension.
/// @param out_name  cut when longer
void iso_prepare_name(const iso_prepare_desc* desc, char out_name[ISO_PREPARE_TEXT_SIZE]);

/// Text with the characters that XML and HTML reserve replaced.
iso_status iso_text_append_xml(iso_context* ctx, iso_text* text, const char* plain);
