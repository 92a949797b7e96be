// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build/build.h"

#include <libxml/tree.h>

/// XML as the SDFormat and URDF readers see it: elements, attributes and numbers with file:line.
/// Names are qualified as written, "drake:mu_static", whether or not the prefix was declared.

/// Parse a document: no network, no DTD, no entities, bounded depth and size.
/// @param      file     name for messages, must outlive the document
/// @param[out] out_doc  release with xmlFreeDoc()
iso_status iso_xml_parse(iso_scene_build* build, const char* file, const char* bytes, size_t size,
                         xmlDoc** out_doc);
/// The document of a file, read whole; as iso_xml_parse().
/// @param at  what names the file
iso_status iso_xml_read_file(iso_scene_build* build, iso_source at, const char* path,
                             xmlDoc** out_doc);

iso_source iso_xml_source(const xmlNode* node);
/// Is this element called `name`?
bool iso_xml_is(const xmlNode* node, const char* name);
/// First child element, next sibling element; NULL at the end.
xmlNode* iso_xml_first(const xmlNode* node);
xmlNode* iso_xml_next(const xmlNode* node);
/// From now on both find in the place of an element what `root`, of another document, contains.
void iso_xml_stand_in(xmlNode* element, xmlNode* root);
/// First child element called name, or NULL.
xmlNode* iso_xml_child(const xmlNode* node, const char* name);
/// Is it called by one of these names (NULL at the end)?
bool iso_xml_is_one_of(const xmlNode* node, const char* const* names);
/// Local name for messages, static while the document lives.
const char* iso_xml_name(const xmlNode* node);
/// Name as it is written, with its prefix. Returns text.
const char* iso_xml_full_name(const xmlNode* node, char* text, size_t size);

/// Trimmed text of an element, "" when empty. Lives as long as the load.
iso_status iso_xml_text(iso_scene_build* build, const xmlNode* node, const char** out_text);
/// Attribute value, NULL when absent.
iso_status iso_xml_attribute(iso_scene_build* build, const xmlNode* node, const char* name,
                             const char** out_text);
/// Fail for want of an attribute, naming the one that was likely meant to be it.
iso_status iso_xml_needs_attribute(iso_scene_build* build, const xmlNode* node, const char* name);
/// Attribute that must be there and not be empty.
iso_status iso_xml_required_attribute(iso_scene_build* build, const xmlNode* node, const char* name,
                                      const char** out_text);
/// ", has 'radus'" or ", has <radus>" when an attribute or element is near the one that is missing,
/// or "". Returns text.
const char* iso_xml_has_instead(const xmlNode* node, const char* name, char* text, size_t size);
/// Trimmed text of the child element called name; "" when the child is absent.
iso_status iso_xml_child_text(iso_scene_build* build, const xmlNode* node, const char* name,
                              const char** out_text);

/// Exactly count finite numbers in a text that belongs to `node`; `what` names it in messages.
iso_status iso_xml_parse_numbers(iso_scene_build* build, const xmlNode* node, const char* what,
                                 const char* text, int count, double* out_values);
/// What an attribute says, or the text of the element where it is absent: URDF has numbers in
/// `value`, SDFormat between the tags.
iso_status iso_xml_attribute_or_text(iso_scene_build* build, const xmlNode* node, const char* name,
                                     const char** out_text);
/// Numbers of the child element called name; left as they are when the child is absent.
/// @param out_found  may be NULL
iso_status iso_xml_child_numbers(iso_scene_build* build, const xmlNode* node, const char* name,
                                 int count, double* out_values, bool* out_found);
/// Numbers of an attribute; left as they are when absent.
iso_status iso_xml_attribute_numbers(iso_scene_build* build, const xmlNode* node, const char* name,
                                     int count, double* out_values, bool* out_found);
/// One number that may be infinite ("inf", "-inf", or |x| >= 1e16, the files' way to say "none").
iso_status iso_xml_parse_limit(iso_scene_build* build, const xmlNode* node, const char* what,
                               const char* text, double* out_value);
/// "true", "1", "false", "0".
iso_status iso_xml_parse_bool(iso_scene_build* build, const xmlNode* node, const char* what,
                              const char* text, bool* out_value);

/// Warn once for each child element whose name is not in `known` (NULL at the end) and that does
/// not say a default, as iso_xml_says_default().
void iso_xml_warn_unknown(iso_scene_build* build, const xmlNode* node, const char* const* known);
/// The same for one element that is not in the list.
/// @param key  by which the list calls it; NULL: its name with its prefix
void iso_xml_warn_misspelt(iso_scene_build* build, const xmlNode* node, const char* key,
                           const iso_name_list* known);
/// Warn once for each attribute of an element that is not in `known` (NULL at the end); those of
/// other programs' name spaces are passed over.
void iso_xml_warn_attributes(iso_scene_build* build, const xmlNode* node, const char* const* known);
/// Warn once for each kind of child that an element cannot hold, none of `known` (NULL at the end);
/// those of other programs' name spaces are passed over.
void iso_xml_warn_children(iso_scene_build* build, const xmlNode* node, const char* const* known);
/// An element and what it may say.
typedef struct iso_xml_row {
    const char* element;         ///< its name, or "parent/name"
    const char* attributes[32];  ///< NULL at the end
    const char* const* children; ///< NULL at the end; NULL: who reads it looks at them
} iso_xml_row;
/// Warn of what an element says beyond its row.
/// @return the row, or NULL where it has none
const iso_xml_row* iso_xml_check_row(iso_scene_build* build, const xmlNode* node,
                                     const iso_xml_row* rows, int count);
/// The same for an element and what is in it. One without a row that holds no elements, or text
/// beside them, or is a contact property, is a value: it has nothing else; others without a row are
/// not looked into. A second
/// element of what can be said once is a warning, of contact properties an error.
/// @return ISO_ERR_PARSE
iso_status iso_xml_check_elements(iso_scene_build* build, const xmlNode* node,
                                  const iso_xml_row* rows, int count);
/// Warn once that an element does nothing here.
/// @param known  what the format has in its place (NULL at the end): one that is none of these may
///               be misspelt
void iso_xml_warn_unsupported(iso_scene_build* build, const xmlNode* node,
                              const char* const* known);
/// Does an element of SDFormat that is not read say what holds without it, or only how another
/// engine is to compute? One that holds others does where all of them do.
bool iso_xml_says_default(const xmlNode* node);
/// The same of an attribute of MJCF.
bool iso_xml_attribute_says_default(const xmlAttr* attribute);
