// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0
//
// What looks at .dae files before assimp does: whatever the bytes, there is a fault with a line and
// a text, or none.

#include "geometry/mesh_files/dae_indices.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    iso_dae_fault fault;
    bool is_bad = iso_dae_find_fault((const char*)data, size, &fault);
    if (is_bad != (fault.line > 0) || is_bad != (fault.text[0] != '\0')) {
        abort();
    }
    return 0;
}
