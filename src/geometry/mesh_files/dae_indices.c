// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What assimp takes for 0, or for a number of corners without end.

#include "geometry/mesh_files/dae_indices.h"
#include "base/values/xml_error.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN_SHOWN 40

// The walk over a file, in the parser's _private.
typedef struct index_walk {
    iso_dae_fault* fault;
    const char* element; // NULL: its text is no list of corners
    char token[TOKEN_SHOWN + 1];
    size_t token_length;
    int line; // of the token's end
} index_walk;

// Collada has <p> for other things too, HTML in notes among them.
static const char* find_list(const char* element, const char* parent) {
    static const struct {
        const char *element, *parent;
    } k_lists[] = {
        {"p", "triangles"}, {"p", "trifans"},       {"p", "tristrips"},          {"p", "polylist"},
        {"p", "polygons"},  {"p", "lines"},         {"p", "linestrips"},         {"p", "ph"},
        {"h", "ph"},        {"vcount", "polylist"}, {"vcount", "vertex_weights"}};
    for (size_t i = 0; i < sizeof k_lists / sizeof k_lists[0]; ++i) {
        if (strcmp(element, k_lists[i].element) == 0 && strcmp(parent, k_lists[i].parent) == 0) {
            return k_lists[i].element;
        }
    }
    return NULL;
}

// What follows is not looked at any more.
static void note_fault(index_walk* walk, int line, const char* token) {
    walk->fault->line = line;
    (void)snprintf(walk->fault->text, sizeof walk->fault->text,
                   "'%s' in <%s>, expected whole numbers from 0 to %d", token, walk->element,
                   INT_MAX);
    walk->element = NULL;
}

// Returns false when the token is none, and stops the parser.
static bool end_token(xmlParserCtxt* parser) {
    index_walk* walk = parser->_private;
    if (walk->token_length == 0) {
        return true;
    }
    walk->token[walk->token_length] = '\0';
    bool is_index = strspn(walk->token, "0123456789") == walk->token_length &&
                    walk->token_length < TOKEN_SHOWN && strtoull(walk->token, NULL, 10) <= INT_MAX;
    walk->token_length = 0;
    if (!is_index) {
        note_fault(walk, walk->line, walk->token);
        xmlStopParser(parser);
    }
    return is_index;
}

// A text may come in pieces, and a token be cut.
static void read_text(void* user, const xmlChar* text, int length) {
    xmlParserCtxt* parser = user;
    index_walk* walk = parser->_private;
    walk->line = parser->input->line;
    for (int i = 0; i < length; ++i) {
        walk->line -= text[i] == '\n' && walk->line > 1; // a lone '\r' becomes one, uncounted
    }
    for (int i = 0; i < length && walk->element; ++i) {
        if (!strchr(" \t\r\n", text[i])) {
            walk->token[walk->token_length] = (char)text[i];
            walk->token_length += walk->token_length < TOKEN_SHOWN;
        } else if (!end_token(parser)) {
            return; // the text is gone
        }
        walk->line += text[i] == '\n';
    }
}

// An entity that is none of XML's own: there is no definition of it. The parser stays, which would
// look at it when this returns.
static xmlEntity* find_entity(void* user, const xmlChar* name) {
    xmlParserCtxt* parser = user;
    index_walk* walk = parser->_private;
    if (walk->element) {
        char token[TOKEN_SHOWN + 3];
        (void)snprintf(token, sizeof token, "&%.*s;", TOKEN_SHOWN, (const char*)name);
        note_fault(walk, parser->input->line, token);
    }
    return NULL;
}

static void end_list(xmlParserCtxt* parser) {
    index_walk* walk = parser->_private;
    if (walk->element) {
        (void)end_token(parser);
    }
    walk->element = NULL;
}

static void begin_element(void* user, const xmlChar* name, const xmlChar* prefix,
                          const xmlChar* uri, int namespace_count, const xmlChar** namespaces,
                          int attribute_count, int default_count, const xmlChar** attributes) {
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces;
    (void)attribute_count, (void)default_count, (void)attributes;
    xmlParserCtxt* parser = user;
    index_walk* walk = parser->_private;
    end_list(parser);
    const char* parent = parser->name ? (const char*)parser->name : "";
    walk->element = walk->fault->line > 0 ? NULL : find_list((const char*)name, parent);
}

static void end_element(void* user, const xmlChar* name, const xmlChar* prefix,
                        const xmlChar* uri) {
    (void)name, (void)prefix, (void)uri;
    end_list(user);
}

static void refuse_doctype(void* user, const xmlChar* name, const xmlChar* id, const xmlChar* uri) {
    (void)name, (void)id, (void)uri;
    xmlParserCtxt* parser = user;
    index_walk* walk = parser->_private;
    walk->fault->line = parser->input->line;
    (void)snprintf(walk->fault->text, sizeof walk->fault->text,
                   "document type definitions are not read");
    xmlStopParser(parser);
}

bool iso_dae_find_fault(const char* bytes, size_t size, iso_dae_fault* out_fault) {
    *out_fault = (iso_dae_fault){0};
    xmlParserCtxt* parser = size > 0 ? xmlNewParserCtxt() : NULL;
    if (!parser) {
        return false;
    }
    index_walk walk = {.fault = out_fault};
    parser->_private = &walk;
    xmlSAXHandler* sax = parser->sax;
    memset(sax, 0, sizeof *sax);
    sax->initialized = XML_SAX2_MAGIC;
    sax->internalSubset = refuse_doctype;
    sax->startElementNs = begin_element;
    sax->endElementNs = end_element;
    sax->getEntity = find_entity;
    sax->characters = sax->cdataBlock = sax->ignorableWhitespace = read_text;
    // Builds no tree, and goes on where XML is bad, as assimp does.
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE |
                  XML_PARSE_BIG_LINES | XML_PARSE_RECOVER;
    (void)xmlCtxtReadMemory(parser, bytes, (int)size, NULL, NULL, options);
    xmlFreeParserCtxt(parser);
    return out_fault->line != 0;
}

void iso_dae_blank_comments(char* bytes, size_t size) {
    static const char begin[] = "<!--", end[] = "-->";
    bool is_inside = false;
    for (size_t i = 0; i + 3 <= size; ++i) {
        bool is_end = is_inside && memcmp(bytes + i, end, 3) == 0;
        bool is_begin = !is_inside && i + 4 <= size && memcmp(bytes + i, begin, 4) == 0;
        size_t count = is_begin ? 4 : is_end ? 3 : is_inside && bytes[i] != '\n';
        memset(bytes + i, ' ', count);
        is_inside = (is_inside && !is_end) || is_begin;
        i += is_begin || is_end ? count - 1 : 0;
    }
}
