// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/text.h"
#include "scene/build/build.h"

/// XML that is not well-formed, but that other programs take all the same: Gazebo, Drake and MuJoCo
/// read it by tinyxml2.

/// What is wrong with it.
typedef enum iso_xml_fault {
    ISO_XML_TEXT_BEFORE,      ///< text before the outermost element
    ISO_XML_LATE_DECLARATION, ///< <?xml ...?> behind blanks or comments
    ISO_XML_DECLARED_AGAIN,   ///< a second <?xml ...?>
    ISO_XML_SHORT_VERSION,    ///< version="1" in <?xml ...?>
    ISO_XML_HYPHENS,          ///< -- in a comment
    ISO_XML_NO_BLANK,         ///< a="1"b="2"
    ISO_XML_BARE_SIGN,        ///< & or < where &amp; or &lt; should be
    ISO_XML_LATIN,            ///< bytes that are no UTF-8, though nothing else is declared
    ISO_XML_REST,             ///< something behind the outermost element
    ISO_XML_FAULT_COUNT,
} iso_xml_fault;

/// A document with such faults mended: the same elements in the same lines.
typedef struct iso_xml_mended {
    iso_text text;                  ///< release with iso_text_free()
    int lines[ISO_XML_FAULT_COUNT]; ///< of the first fault of each kind; 0: none
} iso_xml_mended;

/// Mend what has one of these faults and nothing else; other faults stay. O(size).
iso_status iso_xml_mend(iso_context* ctx, const char* bytes, size_t size,
                        iso_xml_mended* out_mended);
/// Is there anything that was mended?
bool iso_xml_is_mended(const iso_xml_mended* mended);
/// One warning for each kind of fault.
void iso_xml_warn_mended(iso_scene_build* build, const char* file, const iso_xml_mended* mended);
