// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Texts read as rows of numbers and as one number of JSON: what is accepted is finite and what
// strtod reads there.

#include "base/core/text.h"
#include "record/json/number_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    enum { MOST = 64 };
    double values[MOST];
    char* text = malloc(size + 1);
    if (!text) {
        return 0;
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    int count = iso_text_to_doubles(text, values, MOST);
    const char* c = text;
    for (int i = 0; i < count; ++i) {
        char* end = NULL;
        double expected = strtod(c, &end);
        if (end == c || !isfinite(values[i]) || values[i] != expected) {
            abort();
        }
        c = end;
    }
    double value;
    const char* behind = iso_number_read(text, text + size, &value);
    if (behind) {
        char* end = NULL;
        double expected = strtod(text, &end);
        if (behind > text + size || end < behind || !isfinite(value) ||
            (end == behind && value != expected)) {
            abort();
        }
    }
    free(text);
    return 0;
}
