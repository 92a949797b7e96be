// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"

/// A box along the axes; the third axis of the plane is empty.
typedef struct iso_lab_box {
    double low[3], high[3];
} iso_lab_box;

/// Boxes by the cells of a uniform grid that they meet, cells by a hash ([Datta2018] section
/// 3.5.1). Cells are about twice the mean box, so a box meets few. Zero-initialise with ctx set.
typedef struct iso_box_hash {
    iso_context* ctx;
    double cell;
    int box_count, bucket_count;
    ISO_ARRAY(iso_lab_box) boxes;
    ISO_ARRAY(int) starts, entries, stamps;
    int stamp;
} iso_box_hash;

void iso_box_hash_free(iso_box_hash* h);

/// Put boxes in; copied. @return ISO_ERR_MEMORY
iso_status iso_box_hash_build(iso_box_hash* h, const iso_lab_box* boxes, int count);

/// Append the boxes that meet one to found, each once.
typedef ISO_ARRAY(int) iso_box_list;
iso_status iso_box_hash_query(iso_box_hash* h, const iso_lab_box* box, iso_box_list* found);
