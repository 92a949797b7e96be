// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Windows knows no process that goes on as a copy of this one, and what is asked for here is bounds
// that hold without the help of the process: neither foreign readers nor meshers run there yet.

#include "base/core/fail.h"
#include "base/system/child.h"
#include "base/system/process.h"

#if defined(_WIN32)

iso_status iso_child_run(iso_context* ctx, const iso_child_desc* desc,
                         iso_child_result* out_result) {
    (void)desc;
    *out_result = (iso_child_result){ISO_CHILD_LOST, 0};
    return iso_fail(ctx, ISO_ERR_UNSUPPORTED, __func__, "on Windows no reader runs by itself");
}

iso_status iso_process_run(iso_context* ctx, const iso_process_desc* desc,
                           iso_process_result* out_result) {
    *out_result = (iso_process_result){0};
    return iso_fail(ctx, ISO_ERR_UNSUPPORTED, __func__, "on Windows '%s' cannot be run in bounds",
                    desc->args[0]);
}

iso_status iso_work_directory_make(iso_context* ctx, iso_work_directory* out_directory) {
    *out_directory = (iso_work_directory){.lock = -1};
    return iso_fail(ctx, ISO_ERR_UNSUPPORTED, __func__, "on Windows no mesher runs");
}

void iso_work_directory_remove(iso_context* ctx, iso_work_directory* directory) {
    (void)ctx;
    *directory = (iso_work_directory){.lock = -1};
}

#endif
