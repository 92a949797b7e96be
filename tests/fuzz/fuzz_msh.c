// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0
//
// Gmsh files: whatever the bytes, the reader gives a checked mesh with finite arrays or an
// error with a message.

#include "fuzz/volume_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    read_volume_input(data, size, "msh");
    return 0;
}
