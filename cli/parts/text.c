// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/text.h"

#include "isobar/lab.h"

#include <stdlib.h>
#include <string.h>

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

void cli_print_escaped(FILE* file, const char* text, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        char c = text[i];
        const char* entity = c == '&'    ? "&amp;"
                             : c == '<'  ? "&lt;"
                             : c == '>'  ? "&gt;"
                             : c == '"'  ? "&quot;"
                             : c == '\'' ? "&#39;"
                                         : NULL;
        if (entity != NULL) {
            fputs(entity, file);
        } else {
            fputc(c, file);
        }
    }
}

void cli_print_html(FILE* file, const char* text) {
    cli_print_escaped(file, text, strlen(text));
}
