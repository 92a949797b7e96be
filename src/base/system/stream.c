// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/system/stream.h"

#include <stdlib.h>

#if defined(_WIN32)

bool iso_stream_open(iso_stream* out_stream) {
    *out_stream = (iso_stream){.file = tmpfile()};
    return out_stream->file != NULL;
}

bool iso_stream_close(iso_stream* stream) {
    long size = ftell(stream->file);
    stream->text = size >= 0 ? calloc(1, (size_t)size + 1) : NULL;
    if (stream->text) {
        rewind(stream->file);
        stream->size = fread(stream->text, 1, (size_t)size, stream->file);
    }
    fclose(stream->file);
    stream->file = NULL;
    return stream->text != NULL;
}

#else

bool iso_stream_open(iso_stream* out_stream) {
    *out_stream = (iso_stream){0};
    out_stream->file = open_memstream(&out_stream->text, &out_stream->size);
    return out_stream->file != NULL;
}

bool iso_stream_close(iso_stream* stream) {
    bool is_whole = fclose(stream->file) == 0;
    stream->file = NULL;
    if (!is_whole) {
        free(stream->text);
        stream->text = NULL;
    }
    return stream->text != NULL;
}

#endif

void iso_stream_free(iso_stream* stream) {
    if (stream->file) {
        (void)iso_stream_close(stream);
    }
    free(stream->text);
    *stream = (iso_stream){0};
}
