// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/walk/trace_order.h"

void iso_trace_order_begin(iso_trace_order* order, int element_count, int thread,
                           int thread_count) {
    *order = (iso_trace_order){.is_used = true, .is_falling = thread % 2 == 1};
    while ((element_count - 1) >> order->shift >= ISO_TRACE_SHELVES) {
        ++order->shift;
    }
    int shelf_count = ((element_count - 1) >> order->shift) + 1;
    int end = order->is_falling ? (thread + 1) * shelf_count / thread_count - 1
                                : thread * shelf_count / thread_count;
    order->home = end > 0 ? end : 0;
}
