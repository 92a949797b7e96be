// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Runs a fuzz target without libFuzzer, in every build: over its kept corpus, and over inputs drawn
// from it by seeds. fuzz_<x> CORPUS_DIRECTORY [SECONDS [FIRST_SEED [MOST]]]
//
// A drawn input is one of the corpus with a few changes: bytes set, turned, removed, repeated or
// taken from another input. The seed that fails is the last one printed where FUZZ_TELL is set.

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "support/random.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

typedef struct input {
    uint8_t* bytes;
    size_t size;
} input;

typedef struct corpus {
    input* inputs;
    int count, failed;
} corpus;

// Inputs do not grow beyond this.
enum { MOST_BYTES = 1 << 16, MOST_CHANGES = 8, LONGEST_PART = 64 };

// Returns false when the file cannot be read.
static bool read_input(const char* path, input* read) {
    FILE* file = fopen(path, "rb");
    if (!file) {
        return false;
    }
    struct stat info;
    bool is_read = fstat(fileno(file), &info) == 0;
    if (is_read) {
        read->size = (size_t)info.st_size;
        read->bytes = malloc(read->size > 0 ? read->size : 1);
        is_read = read->bytes && fread(read->bytes, 1, read->size, file) == read->size;
    }
    fclose(file);
    return is_read;
}

static corpus read_corpus(const char* folder) {
    struct dirent** entries = NULL;
    int entry_count = scandir(folder, &entries, NULL, alphasort);
    corpus all = {.inputs = calloc(entry_count > 0 ? (size_t)entry_count : 1, sizeof *all.inputs)};
    for (int i = 0; i < entry_count; ++i) {
        if (entries[i]->d_name[0] != '.') {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
            input* next = &all.inputs[all.count];
            if (read_input(path, next)) {
                ++all.count;
            } else {
                fprintf(stderr, "%s: cannot be read\n", path);
                free(next->bytes);
                *next = (input){0};
                ++all.failed;
            }
        }
        free(entries[i]);
    }
    free(entries);
    return all;
}

// Puts `count` bytes of `part` at `at`, in place of `gone` bytes there, where there is room.
static void splice(uint8_t* bytes, size_t* size, size_t at, size_t gone, const uint8_t* part,
                   size_t count) {
    if (*size - gone + count <= MOST_BYTES) {
        memmove(bytes + at + count, bytes + at + gone, *size - at - gone);
        memcpy(bytes + at, part, count);
        *size += count - gone;
    }
}

static size_t draw_below(test_random* random, size_t count) {
    return count > 0 ? (size_t)(test_random_bits(random) % count) : 0;
}

static void change(test_random* random, uint8_t* bytes, size_t* size, const input* other) {
    static const char* const parts[] = {"0",  "-1", "1e999", "nan",  "4294967296", "\"", "<", ">",
                                        "\n", "/",  "..",    "\xff", "1e-320",     "&",  "[", "}"};
    size_t at = draw_below(random, *size), rest = *size - at;
    size_t length = 1 + draw_below(random, LONGEST_PART);
    length = length < rest ? length : rest;
    uint8_t part[LONGEST_PART];
    switch (test_random_int(random, 0, 5)) {
    case 0:
        if (rest > 0) {
            bytes[at] = (uint8_t)test_random_bits(random);
        }
        return;
    case 1:
        if (rest > 0) {
            bytes[at] ^= (uint8_t)(1u << test_random_int(random, 0, 7));
        }
        return;
    case 2:
        splice(bytes, size, at, length, part, 0);
        return;
    case 3:
        memcpy(part, bytes + at, length);
        splice(bytes, size, at, 0, part, length);
        return;
    case 4: {
        const char* text = parts[draw_below(random, sizeof parts / sizeof *parts)];
        splice(bytes, size, at, 0, (const uint8_t*)text, strlen(text));
        return;
    }
    default: {
        size_t from = draw_below(random, other->size);
        size_t left = other->size - from;
        size_t taken = left < sizeof part ? left : sizeof part;
        splice(bytes, size, at, length, other->bytes + from, taken);
        return;
    }
    }
}

static void run_seed(const corpus* all, uint64_t seed, uint8_t* bytes) {
    test_random random = test_random_make(seed);
    const input* start = &all->inputs[draw_below(&random, (size_t)all->count)];
    size_t size = start->size < MOST_BYTES ? start->size : MOST_BYTES;
    memcpy(bytes, start->bytes, size);
    int changes = test_random_int(&random, 1, MOST_CHANGES);
    for (int i = 0; i < changes; ++i) {
        change(&random, bytes, &size, &all->inputs[draw_below(&random, (size_t)all->count)]);
    }
    // A copy of the input's own size, so that AddressSanitizer sees what is read beyond it.
    uint8_t* copy = malloc(size > 0 ? size : 1);
    if (copy) {
        memcpy(copy, bytes, size);
        LLVMFuzzerTestOneInput(copy, size);
        free(copy);
    }
}

static uint64_t run_drawn(const corpus* all, double seconds, uint64_t first, uint64_t most) {
    uint8_t* bytes = malloc(MOST_BYTES);
    bool is_told = getenv("FUZZ_TELL") != NULL;
    uint64_t count = 0;
    clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    while (bytes && count < most && clock() < end) {
        if (is_told) {
            fprintf(stderr, "seed %llu\n", (unsigned long long)(first + count));
        }
        run_seed(all, first + count, bytes);
        ++count;
    }
    free(bytes);
    return count;
}

int main(int argc, char** argv) {
    if (argc < 2 || argc > 5) {
        fprintf(stderr, "usage: %s CORPUS_DIRECTORY [SECONDS [FIRST_SEED [MOST]]]\n", argv[0]);
        return 2;
    }
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 0.0;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    uint64_t most = argc > 4 ? strtoull(argv[4], NULL, 10) : UINT64_MAX;
    corpus all = read_corpus(argv[1]);
    for (int i = 0; i < all.count; ++i) {
        LLVMFuzzerTestOneInput(all.inputs[i].bytes, all.inputs[i].size);
    }
    uint64_t drawn = all.count > 0 ? run_drawn(&all, seconds, first, most) : 0;
    printf("%s: %d inputs replayed, %llu drawn\n", argv[1], all.count, (unsigned long long)drawn);
    if (all.count == 0) {
        fprintf(stderr, "%s: no inputs; a fuzz target needs a corpus\n", argv[1]);
    }
    int failed = all.failed;
    bool is_whole = all.count > 0 && failed == 0;
    for (int i = 0; i < all.count; ++i) {
        free(all.inputs[i].bytes);
    }
    free(all.inputs);
    return is_whole ? 0 : 1;
}
