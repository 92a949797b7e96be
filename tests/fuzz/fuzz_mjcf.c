// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// MJCF files of any bytes: read or refused in one line, never a crash, a leak or a hang.

#include "scene_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    load_scene_bytes(ISO_SCENE_FORMAT_MJCF, data, size);
    return 0;
}
