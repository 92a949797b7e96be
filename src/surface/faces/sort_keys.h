// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Something to be sorted by a key that is not negative.
typedef struct iso_keyed {
    int key;
    void* what;
} iso_keyed;

/// By increasing keys; those that are equal keep their order.
/// @param spare  [count]
/// @return entries or spare, whichever the result is in
iso_keyed* iso_sort_keys(iso_keyed* entries, iso_keyed* spare, int count);
