// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/text.h"

#include "isobar/lab.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_colours(void) {
    const char *none = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && (none == NULL || none[0] == '\0') && kind != NULL &&
           strcmp(kind, "dumb") != 0;
}

/// In one write: processes of a sweep share stderr.
static void say(const char* level, const char* colour, const char* format, va_list arguments) {
    char text[8192];
    bool is_coloured = has_colours();
    (void)vsnprintf(text, sizeof text, format, arguments);
    fprintf(stderr, "isobar: %s%s:%s %s", is_coloured ? colour : "", level,
            is_coloured ? "\033[0m" : "", text);
}

void cli_error(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say("error", "\033[1;31m", format, arguments);
    va_end(arguments);
}

void cli_warning(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say("warning", "\033[1;33m", format, arguments);
    va_end(arguments);
}

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
