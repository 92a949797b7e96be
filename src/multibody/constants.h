// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "multibody/multibody.h"

/// Fill stands, links and link_of of a multibody whose bodies are numbered. 3 allocations, owned by
/// the multibody also on failure.
iso_status iso_multibody_find_constants(iso_context* ctx, iso_multibody* multibody);
