// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/text/xml.h"

#include "base/core/text.h"
#include "base/values/xml_error.h"
#include "scene/text/xml_mend.h"

#include <libxml/parser.h>
#include <math.h>
#include <string.h>

#define TOO_DEEP "elements are nested deeper than %d"
#define NO_LIMIT 1e16 // larger numbers mean "none" in SDFormat

static const char* node_text(const xmlChar* text) {
    return (const char*)text;
}

// Count elements and depth without recursion.
static iso_status check_extent(iso_scene_build* build, const xmlNode* root) {
    int depth = 0, count = 0, before = build->elements_read;
    for (const xmlNode* node = root; node;) {
        iso_source at = iso_xml_source(node);
        ISO_SCENE_REQUIRE(build, at, ++count <= ISO_SCENE_MAX_ELEMENTS, ISO_ERR_RANGE,
                          "more than %d XML nodes", ISO_SCENE_MAX_ELEMENTS);
        ISO_SCENE_REQUIRE(build, at, before + count <= ISO_SCENE_MAX_ALL_ELEMENTS, ISO_ERR_RANGE,
                          "the files that are read have more than %d XML nodes together",
                          ISO_SCENE_MAX_ALL_ELEMENTS);
        ISO_SCENE_REQUIRE(build, at, depth < ISO_SCENE_MAX_NESTING, ISO_ERR_RANGE, TOO_DEEP,
                          ISO_SCENE_MAX_NESTING);
        if (node->type == XML_ELEMENT_NODE && node->children) {
            node = node->children;
            ++depth;
            continue;
        }
        while (node != root && !node->next) {
            node = node->parent;
            --depth;
        }
        node = node == root ? NULL : node->next;
    }
    build->elements_read += count;
    return ISO_OK;
}

static iso_status check_document(iso_scene_build* build, const xmlDoc* doc, const char* file) {
    iso_source at = {file, 1};
    // One that names a type alone defines nothing, and what it points to is not read: entities that
    // it might define are errors of the parser.
    bool has_definitions = doc->intSubset && doc->intSubset->children;
    ISO_SCENE_REQUIRE(build, at, !has_definitions, ISO_ERR_UNSUPPORTED,
                      "document type definitions and entities are not read");
    const xmlNode* root = xmlDocGetRootElement(doc);
    ISO_SCENE_REQUIRE(build, at, root, ISO_ERR_PARSE, "the file has no XML element");
    return check_extent(build, root);
}

// First, for iso_xml_error_keep().
typedef struct parse_errors {
    iso_xml_error error;
    bool is_version_wrong;
} parse_errors;

// <?xml version="0.0"?>, as some programs write it, is no reason to refuse a file.
static void keep_error(void* parser, iso_xml_parser_error* error) {
    parse_errors* errors = ((xmlParserCtxt*)parser)->_private;
    if (error->domain == XML_FROM_PARSER && error->code == XML_ERR_UNKNOWN_VERSION) {
        errors->is_version_wrong = true;
    } else {
        iso_xml_error_keep(parser, error);
    }
}

static iso_status parse_strictly(iso_scene_build* build, const char* bytes, size_t size,
                                 parse_errors* errors, xmlDoc** out_doc) {
    xmlParserCtxt* parser = xmlNewParserCtxt();
    ISO_REQUIRE(build->ctx, parser, ISO_ERR_MEMORY, "XML parser");
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA |
                  XML_PARSE_COMPACT | XML_PARSE_BIG_LINES | XML_PARSE_RECOVER;
    *errors = (parse_errors){.error = {.message = "unreadable"}};
    parser->_private = errors;
    parser->sax->serror = keep_error;
    *out_doc = xmlCtxtReadMemory(parser, bytes, (int)size, NULL, NULL, options);
    xmlFreeParserCtxt(parser);
    if (errors->error.is_set) {
        xmlFreeDoc(*out_doc);
        *out_doc = NULL;
    }
    return ISO_OK;
}

// What is not well-formed is read once more with what other programs take for it.
static iso_status parse_mended(iso_scene_build* build, const char* file, const char* bytes,
                               size_t size, parse_errors* errors, xmlDoc** out_doc) {
    iso_xml_mended mended;
    ISO_SCENE_TRY(iso_xml_mend(build->ctx, bytes, size, &mended));
    iso_status status = ISO_OK;
    if (iso_xml_is_mended(&mended) && mended.text.length <= INT32_MAX) {
        status = parse_strictly(build, mended.text.data, mended.text.length, errors, out_doc);
    }
    iso_text_free(build->ctx, &mended.text);
    if (*out_doc) {
        iso_xml_warn_mended(build, file, &mended);
    }
    return status;
}

static iso_status finish_document(iso_scene_build* build, const char* file,
                                  const parse_errors* errors, xmlDoc* doc) {
    iso_source at = {file, errors->error.line};
    if (strstr(errors->error.message, "Excessive depth")) { // the parser's own bound is 256
        return iso_scene_fail(build, at, ISO_ERR_RANGE, TOO_DEEP, ISO_SCENE_MAX_NESTING);
    }
    ISO_SCENE_REQUIRE(build, at, doc, ISO_ERR_PARSE, "not well-formed XML: %s",
                      errors->error.message);
    doc->_private = (void*)(uintptr_t)file;
    ISO_SCENE_TRY(check_document(build, doc, file));
    if (errors->is_version_wrong) {
        at.line = 1;
        iso_scene_warn_once(build, at, "XML version", "XML version '%.20s' is read as 1.0",
                            (const char*)doc->version);
    }
    return ISO_OK;
}

iso_status iso_xml_parse(iso_scene_build* build, const char* file, const char* bytes, size_t size,
                         xmlDoc** out_doc) {
    *out_doc = NULL;
    iso_source at = {file, 0};
    ISO_SCENE_REQUIRE(build, at, size > 0, ISO_ERR_PARSE, "the file is empty");
    ISO_SCENE_REQUIRE(build, at, size <= ISO_SCENE_MAX_BYTES, ISO_ERR_RANGE,
                      "%zu bytes, expected at most %zu", size, ISO_SCENE_MAX_BYTES);
    iso_xml_begin();
    parse_errors errors;
    ISO_SCENE_TRY(parse_strictly(build, bytes, size, &errors, out_doc));
    if (!*out_doc) {
        ISO_SCENE_TRY(parse_mended(build, file, bytes, size, &errors, out_doc));
    }
    iso_status status = finish_document(build, file, &errors, *out_doc);
    if (status != ISO_OK) {
        xmlFreeDoc(*out_doc);
        *out_doc = NULL;
    }
    return status;
}

iso_status iso_xml_read_file(iso_scene_build* build, iso_source at, const char* path,
                             xmlDoc** out_doc) {
    char* bytes = NULL;
    size_t size = 0;
    *out_doc = NULL;
    ISO_SCENE_TRY(iso_scene_read_file(build, at, path, &bytes, &size));
    iso_status status = iso_xml_parse(build, path, bytes, size, out_doc);
    iso_free(build->ctx, bytes);
    return status;
}

iso_source iso_xml_source(const xmlNode* node) {
    long line = xmlGetLineNo(node);
    iso_source at = {node->doc->_private, line > 0 && line < INT32_MAX ? (int)line : 0};
    return at;
}

bool iso_xml_is(const xmlNode* node, const char* name) {
    const char* own = node_text(node->name);
    if (!node->ns || !node->ns->prefix) {
        return strcmp(own, name) == 0; // an undeclared prefix stays in the name
    }
    const char* prefix = node_text(node->ns->prefix);
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && name[length] == ':' &&
           strcmp(name + length + 1, own) == 0;
}

// The first element from `node` on, a child of `parent`; _private leads into what stands in for an
// element, and back.
static xmlNode* element_from(xmlNode* node, const xmlNode* parent) {
    for (;;) {
        while (node && node->type != XML_ELEMENT_NODE) {
            node = node->next;
        }
        if (node && !node->_private) {
            return node;
        }
        if (node) {
            parent = node->_private;
            node = parent->children;
        } else if (parent->type == XML_ELEMENT_NODE && parent->_private) {
            const xmlNode* place = parent->_private;
            node = place->next;
            parent = place->parent;
        } else {
            return NULL;
        }
    }
}

xmlNode* iso_xml_first(const xmlNode* node) {
    return element_from(node->children, node);
}

xmlNode* iso_xml_next(const xmlNode* node) {
    return element_from(node->next, node->parent);
}

void iso_xml_stand_in(xmlNode* element, xmlNode* root) {
    element->_private = root;
    root->_private = element;
}

xmlNode* iso_xml_child(const xmlNode* node, const char* name) {
    for (xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, name)) {
            return child;
        }
    }
    return NULL;
}

bool iso_xml_is_one_of(const xmlNode* node, const char* const* names) {
    for (int i = 0; names[i]; ++i) {
        if (iso_xml_is(node, names[i])) {
            return true;
        }
    }
    return false;
}

const char* iso_xml_name(const xmlNode* node) {
    return node_text(node->name);
}

const char* iso_xml_full_name(const xmlNode* node, char* text, size_t size) {
    const char* prefix = node->ns && node->ns->prefix ? node_text(node->ns->prefix) : "";
    (void)snprintf(text, size, "%s%s%s", prefix, *prefix ? ":" : "", iso_xml_name(node));
    return text;
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Text nodes of a list, joined and trimmed.
static iso_status join_text(iso_scene_build* build, const xmlNode* first, const char** out_text) {
    size_t length = 0;
    for (const xmlNode* node = first; node; node = node->next) {
        if (node->type == XML_TEXT_NODE && node->content) {
            length += strlen(node_text(node->content));
        }
    }
    char* text = iso_arena_push(&build->arena, length + 1);
    ISO_REQUIRE(build->ctx, text, ISO_ERR_MEMORY, "text of %zu bytes", length);
    size_t used = 0;
    for (const xmlNode* node = first; node; node = node->next) {
        if (node->type == XML_TEXT_NODE && node->content) {
            size_t part = strlen(node_text(node->content));
            memcpy(text + used, node->content, part);
            used += part;
        }
    }
    while (used > 0 && is_blank(text[used - 1])) {
        --used;
    }
    text[used] = '\0';
    while (is_blank(*text)) {
        ++text;
    }
    *out_text = text;
    return ISO_OK;
}

iso_status iso_xml_text(iso_scene_build* build, const xmlNode* node, const char** out_text) {
    return join_text(build, node->children, out_text);
}

iso_status iso_xml_attribute(iso_scene_build* build, const xmlNode* node, const char* name,
                             const char** out_text) {
    *out_text = NULL;
    for (const xmlAttr* attribute = node->properties; attribute; attribute = attribute->next) {
        if (strcmp(node_text(attribute->name), name) == 0) {
            return join_text(build, attribute->children, out_text);
        }
    }
    return ISO_OK;
}

const char* iso_xml_has_instead(const xmlNode* node, const char* name, char* text, size_t size) {
    iso_name_list list = iso_name_list_of(&name, 1);
    text[0] = '\0';
    for (const xmlAttr* attribute = node->properties; attribute; attribute = attribute->next) {
        const char* other = node_text(attribute->name);
        if (strcmp(other, name) != 0 && iso_name_list_nearest(&list, other) == 0) {
            (void)snprintf(text, size, ", has '%.80s'", other);
        }
    }
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        const char* other = iso_xml_name(child);
        if (iso_name_list_nearest(&list, other) == 0) {
            (void)snprintf(text, size, ", has <%.80s>", other);
        }
    }
    return text;
}

iso_status iso_xml_needs_attribute(iso_scene_build* build, const xmlNode* node, const char* name) {
    char other[ISO_NAME_TEXT_SIZE];
    return iso_scene_fail(build, iso_xml_source(node), ISO_ERR_PARSE,
                          "<%s> needs the attribute '%s'%s", iso_xml_name(node), name,
                          iso_xml_has_instead(node, name, other, sizeof other));
}

iso_status iso_xml_required_attribute(iso_scene_build* build, const xmlNode* node, const char* name,
                                      const char** out_text) {
    ISO_SCENE_TRY(iso_xml_attribute(build, node, name, out_text));
    return *out_text && **out_text ? ISO_OK : iso_xml_needs_attribute(build, node, name);
}

iso_status iso_xml_child_text(iso_scene_build* build, const xmlNode* node, const char* name,
                              const char** out_text) {
    const xmlNode* child = iso_xml_child(node, name);
    *out_text = "";
    return child ? iso_xml_text(build, child, out_text) : ISO_OK;
}

iso_status iso_xml_attribute_or_text(iso_scene_build* build, const xmlNode* node, const char* name,
                                     const char** out_text) {
    ISO_SCENE_TRY(iso_xml_attribute(build, node, name, out_text));
    return *out_text ? ISO_OK : iso_xml_text(build, node, out_text);
}

iso_status iso_xml_parse_numbers(iso_scene_build* build, const xmlNode* node, const char* what,
                                 const char* text, int count, double* out_values) {
    int parsed = iso_text_to_doubles(text, out_values, count);
    ISO_SCENE_REQUIRE(build, iso_xml_source(node), parsed == count, ISO_ERR_PARSE,
                      "<%s>: %s is '%.80s', expected %d finite number%s", iso_xml_name(node), what,
                      text, count, iso_text_plural(count));
    return ISO_OK;
}

iso_status iso_xml_child_numbers(iso_scene_build* build, const xmlNode* node, const char* name,
                                 int count, double* out_values, bool* out_found) {
    const xmlNode* child = iso_xml_child(node, name);
    if (out_found) {
        *out_found = child != NULL;
    }
    if (!child) {
        return ISO_OK;
    }
    const char* text = NULL;
    ISO_SCENE_TRY(iso_xml_text(build, child, &text));
    return iso_xml_parse_numbers(build, child, name, text, count, out_values);
}

iso_status iso_xml_attribute_numbers(iso_scene_build* build, const xmlNode* node, const char* name,
                                     int count, double* out_values, bool* out_found) {
    const char* text = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, node, name, &text));
    if (out_found) {
        *out_found = text != NULL;
    }
    return text ? iso_xml_parse_numbers(build, node, name, text, count, out_values) : ISO_OK;
}

iso_status iso_xml_parse_limit(iso_scene_build* build, const xmlNode* node, const char* what,
                               const char* text, double* out_value) {
    const char* unsigned_text = text + (*text == '-' || *text == '+');
    bool is_infinite = strcmp(unsigned_text, "inf") == 0 || strcmp(unsigned_text, "Inf") == 0 ||
                       strcmp(unsigned_text, "infinity") == 0 || strcmp(unsigned_text, "INF") == 0;
    if (is_infinite) {
        *out_value = *text == '-' ? -INFINITY : INFINITY;
        return ISO_OK;
    }
    double value = 0.0;
    ISO_SCENE_TRY(iso_xml_parse_numbers(build, node, what, text, 1, &value));
    *out_value = value >= NO_LIMIT ? INFINITY : (value <= -NO_LIMIT ? -INFINITY : value);
    return ISO_OK;
}

iso_status iso_xml_parse_bool(iso_scene_build* build, const xmlNode* node, const char* what,
                              const char* text, bool* out_value) {
    bool is_true = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    bool is_false = strcmp(text, "false") == 0 || strcmp(text, "0") == 0;
    ISO_SCENE_REQUIRE(build, iso_xml_source(node), is_true || is_false, ISO_ERR_PARSE,
                      "<%s>: %s is '%.80s', expected true or false", iso_xml_name(node), what,
                      text);
    *out_value = is_true;
    return ISO_OK;
}

void iso_xml_warn_misspelt(iso_scene_build* build, const xmlNode* node, const char* key,
                           const iso_name_list* known) {
    char name[128], hint[ISO_NAME_TEXT_SIZE];
    iso_xml_full_name(node, name, sizeof name);
    iso_scene_warn_once(build, iso_xml_source(node), name, "<%s> is not supported and is ignored%s",
                        name, iso_name_list_hint(known, key ? key : name, hint, sizeof hint));
}

void iso_xml_warn_unsupported(iso_scene_build* build, const xmlNode* node,
                              const char* const* known) {
    bool is_one = iso_xml_is_one_of(node, known); // not misspelt
    iso_name_list list = iso_name_list_of(known, is_one ? 0 : -1);
    iso_xml_warn_misspelt(build, node, NULL, &list);
}

void iso_xml_warn_unknown(iso_scene_build* build, const xmlNode* node, const char* const* known) {
    iso_name_list list = iso_name_list_of(known, -1);
    for (const xmlNode* child = iso_xml_first(node); child; child = iso_xml_next(child)) {
        if (!iso_xml_is_one_of(child, known) && !iso_xml_says_default(child)) {
            iso_xml_warn_misspelt(build, child, NULL, &list);
        }
    }
}
