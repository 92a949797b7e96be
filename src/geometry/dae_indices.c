// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What assimp takes for 0, or for a number of corners without end.

#include "base/fail.h"
#include "base/xml_error.h"
#include "geometry/surface_readers.h"

#include <libxml/xmlreader.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char k_blanks[] = " \t\r\n";

static bool holds_indices(const char* element) {
    return strcmp(element, "p") == 0 || strcmp(element, "h") == 0 || strcmp(element, "vcount") == 0;
}

static bool is_index(const char* token, size_t length) {
    return strspn(token, "0123456789") == length && strtoull(token, NULL, 10) <= INT_MAX;
}

// @param line  where the text begins
static iso_status check_text(iso_context* ctx, const char* name, const char* element, long line,
                             const char* text) {
    for (const char* at = text; *at != '\0';) {
        size_t length = strcspn(at, k_blanks);
        ISO_REQUIRE(ctx, length == 0 || is_index(at, length), ISO_ERR_PARSE,
                    "%s:%ld: '%.*s' in <%s>, expected whole numbers from 0 to %d", name, line,
                    (int)(length < 40 ? length : 40), at, element, INT_MAX);
        at += length;
        for (; *at != '\0' && strchr(k_blanks, *at); ++at) {
            line += *at == '\n';
        }
    }
    return ISO_OK;
}

iso_status iso_dae_check_indices(iso_context* ctx, const iso_surface_source* source) {
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE |
                  XML_PARSE_BIG_LINES;
    ISO_REQUIRE(ctx, source->size <= INT_MAX, ISO_ERR_RANGE, "%s: more than %d bytes of XML",
                source->name, INT_MAX);
    iso_xml_begin();
    xmlTextReader* reader =
        xmlReaderForMemory(source->bytes, (int)source->size, NULL, NULL, options);
    ISO_REQUIRE(ctx, reader, ISO_ERR_MEMORY, "XML parser");
    iso_status status = ISO_OK;
    char element[8] = "";
    long line = 0;
    while (status == ISO_OK && xmlTextReaderRead(reader) == 1) {
        int type = xmlTextReaderNodeType(reader);
        if (type == XML_READER_TYPE_ELEMENT) {
            const char* found = (const char*)xmlTextReaderConstLocalName(reader);
            element[0] = '\0';
            strncat(element, holds_indices(found) ? found : "", sizeof element - 1);
            line = xmlGetLineNo(xmlTextReaderCurrentNode(reader));
        } else if (type == XML_READER_TYPE_END_ELEMENT) {
            element[0] = '\0';
        } else if (type == XML_READER_TYPE_TEXT && element[0] != '\0') {
            status = check_text(ctx, source->name, element, line,
                                (const char*)xmlTextReaderConstValue(reader));
        }
    }
    xmlFreeTextReader(reader);
    return status;
}
