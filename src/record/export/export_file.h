// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/text.h"
#include "isobar/record.h"
#include "record/json/bytes.h"

/// Make a directory whose parent exists; one that exists already is fine.
iso_status iso_directory_make(iso_context* ctx, const char* path);

/// Open directory/name for writing; commit or abort follows (base/core/text.h).
iso_status iso_export_file_open(iso_context* ctx, const char* directory, const char* name,
                                iso_file_writer* out_writer);

/// Hand a buffer's bytes to an open file and clear it.
iso_status iso_export_file_put(iso_context* ctx, iso_file_writer* writer, iso_bytes* bytes);
