// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/thread.h"

#include <libxml/parser.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/// The first thing that libxml2 finds wrong; what follows from it is noise. For rooms that read
/// XML.
typedef struct iso_xml_error {
    bool is_set;
    int line;
    char message[256];
} iso_xml_error;

#if LIBXML_VERSION >= 21200
typedef const xmlError iso_xml_parser_error;
#else
typedef xmlError iso_xml_parser_error;
#endif

static inline void iso_xml_error_set(iso_xml_error* first, int line, const char* message) {
    if (!first->is_set) {
        first->is_set = true;
        first->line = line;
        (void)snprintf(first->message, sizeof first->message, "%.*s", (int)strcspn(message, "\n"),
                       message);
    }
}

/// Handler of a parser whose _private begins with an iso_xml_error.
static inline void iso_xml_error_keep(void* parser, iso_xml_parser_error* error) {
    // An undeclared prefix is no reason to refuse a file: drake: is often undeclared.
    if (error->level >= XML_ERR_ERROR && error->domain != XML_FROM_NAMESPACE) {
        iso_xml_error_set(((xmlParserCtxt*)parser)->_private, error->line,
                          error->message ? error->message : "unreadable");
    }
}

extern iso_once iso_xml_once;

/// To be called before libxml2 is used, which otherwise makes what its threads share when the first
/// of them comes.
static inline void iso_xml_begin(void) {
    iso_once_call(&iso_xml_once, xmlInitParser);
}
