// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"
#include "record/json/bytes.h"

// Messages that Foxglove draws without any set-up, in single precision: transforms in JSON, scenes
// in Protocol Buffers.

/// The schema of scenes.
void iso_scene_put_schema(iso_bytes* out);

/// foxglove.FrameTransforms: every body's frame, named like the body, in the frame "world".
void iso_encode_transforms(iso_bytes* out, const iso_recorded_model* model,
                           const iso_recorded_frame* frame);

/// foxglove.SceneUpdate: the surfaces of all bodies, each fixed to its body's frame. Bodies that
/// have visuals show those, the others their contact geometry.
void iso_encode_body_scene(iso_bytes* out, const iso_recorded_model* model);

/// foxglove.SceneUpdate: the patches' faces coloured by pressure from 0 to top_pressure [Pa].
/// Neighbouring faces share points.
/// @param scratch     its content is lost
/// @param with_faces  false: none
void iso_encode_contact_scene(iso_bytes* out, iso_bytes* scratch, const iso_recorded_frame* frame,
                              bool with_faces, double top_pressure);
