// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Runs a fuzz target over its kept corpus without libFuzzer, so that every compiler and every build
// replays what fuzzing has found: fuzz_<x> CORPUS_DIRECTORY.

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Returns false when the file cannot be read.
static int replay_file(const char* path) {
    FILE* file = fopen(path, "rb");
    if (!file) {
        return 0;
    }
    uint8_t* bytes = NULL;
    size_t size = 0;
    struct stat info;
    int is_read = fstat(fileno(file), &info) == 0;
    if (is_read) {
        size = (size_t)info.st_size;
        bytes = malloc(size > 0 ? size : 1);
        is_read = bytes && fread(bytes, 1, size, file) == size;
    }
    fclose(file);
    if (is_read) {
        LLVMFuzzerTestOneInput(bytes, size);
    }
    free(bytes);
    return is_read;
}

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS_DIRECTORY\n", argv[0]);
        return 2;
    }
    struct dirent** entries = NULL;
    int entry_count = scandir(argv[1], &entries, NULL, alphasort);
    int replayed = 0;
    int failed = 0;
    for (int i = 0; i < entry_count; ++i) {
        if (entries[i]->d_name[0] != '.') {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[1], entries[i]->d_name);
            if (replay_file(path)) {
                ++replayed;
            } else {
                fprintf(stderr, "%s: cannot be read\n", path);
                ++failed;
            }
        }
        free(entries[i]);
    }
    free(entries);
    printf("%s: %d inputs replayed\n", argv[1], replayed);
    if (replayed == 0) {
        fprintf(stderr, "%s: no inputs; a fuzz target needs a corpus\n", argv[1]);
    }
    return replayed > 0 && failed == 0 ? 0 : 1;
}
