// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "text.h"

#include "isobar/lab.h"

#include <stdlib.h>

bool cli_text_open(cli_text* text) {
    *text = (cli_text){0};
    text->file = open_memstream(&text->text, &text->size);
    return text->file != NULL;
}

void cli_text_drop(cli_text* text) {
    (void)fclose(text->file);
    free(text->text);
    *text = (cli_text){0};
}

iso_status cli_text_close(iso_context* ctx, cli_text* text, const char* path) {
    bool is_good = ferror(text->file) == 0;
    is_good = fclose(text->file) == 0 && is_good;
    iso_status status =
        is_good ? iso_lab_text_write(ctx, path, text->text, text->size) : ISO_ERR_MEMORY;
    free(text->text);
    *text = (cli_text){0};
    return status;
}
