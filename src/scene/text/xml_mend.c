// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/text/xml_mend.h"

#include "base/core/fail.h"

#include <libxml/xmlstring.h>
#include <string.h>

typedef struct mender {
    iso_context* ctx;
    iso_xml_mended* out;
    const char* bytes;
    const char* at; ///< what is not copied yet begins here
    const char* end;
    const char* counted; ///< up to here lines were counted
    int line;            ///< there
    int depth;           ///< of open elements
    bool has_declaration;
    bool has_root;
    bool is_done; ///< the rest is not to be read
} mender;

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool begins_with(const mender* m, const char* at, const char* text) {
    size_t length = strlen(text);
    return (size_t)(m->end - at) >= length && memcmp(at, text, length) == 0;
}

// The first `text` from `at` on; the end of the document where there is none.
static const char* find(const mender* m, const char* at, const char* text) {
    while (at < m->end && !begins_with(m, at, text)) {
        const char* next = memchr(at + 1, text[0], (size_t)(m->end - at - 1));
        at = next ? next : m->end;
    }
    return at;
}

static const char* beyond(const mender* m, const char* at, const char* text) {
    const char* found = find(m, at, text);
    return found < m->end ? found + strlen(text) : m->end;
}

// Faults come in the order of the document.
static void note(mender* m, iso_xml_fault fault, const char* at) {
    for (; m->counted < at; ++m->counted) {
        m->line += *m->counted == '\n';
    }
    if (m->out->lines[fault] == 0) {
        m->out->lines[fault] = m->line;
    }
}

static iso_status put(mender* m, const char* text, size_t length) {
    return iso_text_append(m->ctx, &m->out->text, text, length);
}

static iso_status copy_to(mender* m, const char* end) {
    const char* from = m->at;
    m->at = end;
    return put(m, from, (size_t)(end - from));
}

// Nothing up to `end` but its line breaks.
static iso_status blank_to(mender* m, const char* end) {
    for (; m->at < end; ++m->at) {
        ISO_SCENE_TRY(put(m, *m->at == '\n' || *m->at == '\r' ? m->at : " ", 1));
    }
    return ISO_OK;
}

static const char* skip_blanks(const mender* m, const char* at) {
    while (at < m->end && is_blank(*at)) {
        ++at;
    }
    return at;
}

// --- parts of a document -------------------------------------------------------------------------

static iso_status mend_comment(mender* m) {
    const char* text = m->at + strlen("<!--");
    const char* close = find(m, text, "-->");
    const char* hyphens = find(m, text, "--");
    if (close == m->end || hyphens == close) {
        return copy_to(m, beyond(m, close, "-->")); // good, or never closed
    }
    note(m, ISO_XML_HYPHENS, hyphens);
    ISO_SCENE_TRY(copy_to(m, text));
    ISO_SCENE_TRY(blank_to(m, close));
    return copy_to(m, close + strlen("-->"));
}

// & of nothing that XML knows, and < in a value.
static iso_status mend_signs(mender* m, const char* end) {
    static const char* const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#"};
    for (const char* at = m->at; at < end; ++at) {
        bool is_bare = *at == '&' || *at == '<';
        for (size_t i = 0; is_bare && i < sizeof known / sizeof *known; ++i) {
            is_bare = !begins_with(m, at, known[i]);
        }
        if (is_bare) {
            note(m, ISO_XML_BARE_SIGN, at);
            ISO_SCENE_TRY(copy_to(m, at));
            ISO_SCENE_TRY(*at == '&' ? put(m, "&amp;", 5) : put(m, "&lt;", 4));
            ++m->at;
        }
    }
    return copy_to(m, end);
}

// <name a="1" b="2">, <name/>, </name>
static iso_status mend_tag(mender* m) {
    bool is_end = begins_with(m, m->at, "</");
    const char* at = m->at;
    while (at < m->end && *at != '>') {
        if (*at != '"' && *at != '\'') {
            ++at;
            continue;
        }
        const char* close = memchr(at + 1, *at, (size_t)(m->end - at - 1));
        if (!close) {
            return copy_to(m, m->end);
        }
        ISO_SCENE_TRY(copy_to(m, at + 1));
        ISO_SCENE_TRY(mend_signs(m, close));
        at = close + 1;
        ISO_SCENE_TRY(copy_to(m, at));
        if (at < m->end && !is_blank(*at) && !strchr("/>?", *at)) {
            note(m, ISO_XML_NO_BLANK, at);
            ISO_SCENE_TRY(put(m, " ", 1));
        }
    }
    bool is_empty = !is_end && at < m->end && at[-1] == '/';
    m->depth += is_end ? -1 : is_empty ? 0 : 1;
    m->has_root = true;
    return copy_to(m, at < m->end ? at + 1 : at);
}

static iso_status mend_text(mender* m, const char* end) {
    bool is_text = skip_blanks(m, m->at) < end;
    if (m->depth > 0 || !is_text || end == m->end) {
        return mend_signs(m, end);
    }
    note(m, ISO_XML_TEXT_BEFORE, skip_blanks(m, m->at));
    return blank_to(m, end);
}

// What may follow the outermost element is blanks, comments and instructions.
static iso_status mend_rest(mender* m) {
    bool is_allowed = m->at == m->end || is_blank(*m->at) || begins_with(m, m->at, "<!--") ||
                      begins_with(m, m->at, "<?");
    if (!is_allowed) {
        note(m, ISO_XML_REST, m->at);
        m->is_done = true;
        m->at = m->end;
    }
    return ISO_OK;
}

static bool is_declaration(const mender* m, const char* at) {
    return begins_with(m, at, "<?xml") && m->end - at > 5 && is_blank(at[5]);
}

// version="1" of a declaration is 1.0, and one before the outermost element is enough.
static iso_status mend_instruction(mender* m) {
    static const char* const short_ones[] = {"version=\"1\"", "version='1'"};
    const char* close = beyond(m, m->at, "?>");
    if (is_declaration(m, m->at) && !m->has_root) {
        if (m->has_declaration) {
            note(m, ISO_XML_DECLARED_AGAIN, m->at);
            return blank_to(m, close);
        }
        m->has_declaration = true;
    }
    for (int i = 0; i < 2 && begins_with(m, m->at, "<?xml "); ++i) {
        const char* version = find(m, m->at, short_ones[i]);
        if (version < close) {
            note(m, ISO_XML_SHORT_VERSION, version);
            ISO_SCENE_TRY(copy_to(m, version + strlen("version='1")));
            ISO_SCENE_TRY(put(m, ".0", 2));
        }
    }
    return copy_to(m, close);
}

static iso_status mend_next(mender* m) {
    if (m->has_root && m->depth <= 0) {
        ISO_SCENE_TRY(mend_rest(m));
        if (m->is_done) {
            return ISO_OK;
        }
    }
    if (*m->at != '<') {
        // Blanks after the outermost element end where something else begins.
        bool is_behind = m->has_root && m->depth <= 0;
        return mend_text(m, is_behind ? skip_blanks(m, m->at) : find(m, m->at, "<"));
    }
    if (begins_with(m, m->at, "<!--")) {
        return mend_comment(m);
    }
    if (begins_with(m, m->at, "<![CDATA[")) {
        return copy_to(m, beyond(m, m->at, "]]>"));
    }
    if (begins_with(m, m->at, "<?")) {
        return mend_instruction(m);
    }
    if (begins_with(m, m->at, "<!")) {
        return copy_to(m, m->end); // definitions are refused anyway
    }
    return mend_tag(m);
}

// --- the document --------------------------------------------------------------------------------

// The declaration behind blanks and comments; NULL where it is in its place or there is none.
static const char* late_declaration(const mender* m, const char* at) {
    const char* first = at;
    for (;;) {
        at = skip_blanks(m, at);
        if (!begins_with(m, at, "<!--")) {
            break;
        }
        at = beyond(m, at, "-->");
    }
    return is_declaration(m, at) && at > first ? at : NULL;
}

// It goes to the front, and leaves its line breaks where it was.
static iso_status mend_declaration(mender* m) {
    const char* declaration = late_declaration(m, m->at);
    if (!declaration) {
        return ISO_OK;
    }
    const char* close = beyond(m, declaration, "?>");
    for (const char* c = declaration; c < close; ++c) {
        ISO_SCENE_TRY(put(m, is_blank(*c) ? " " : c, 1));
    }
    while (m->at < declaration) {
        ISO_SCENE_TRY(*m->at == '<' ? mend_comment(m) : copy_to(m, skip_blanks(m, m->at)));
    }
    note(m, ISO_XML_LATE_DECLARATION, declaration);
    m->has_declaration = true;
    return blank_to(m, close);
}

// Is the text in UTF-8, as far as its declaration says?
static bool says_utf8(const iso_text* text) {
    const char* encoding =
        strncmp(text->data, "<?xml", 5) == 0 ? strstr(text->data, "encoding") : NULL;
    const char* close = strstr(text->data, "?>");
    if (!encoding || !close || encoding > close) {
        return (unsigned char)text->data[0] < 0xfe; // no mark of UTF-16
    }
    const char* value = encoding + strcspn(encoding, "\"'");
    return *value && xmlStrncasecmp((const xmlChar*)value + 1, (const xmlChar*)"utf-8", 5) == 0;
}

// Bytes that are no UTF-8 stand for themselves: Latin-1, as editors wrote it before.
static iso_status mend_latin(mender* m) {
    iso_text from = m->out->text;
    bool is_latin = from.length > 0 && says_utf8(&from) &&
                    (strlen(from.data) < from.length || !iso_text_is_utf8(from.data));
    if (!is_latin) {
        return ISO_OK;
    }
    iso_status status = ISO_OK;
    const unsigned char* bytes = (const unsigned char*)from.data;
    int line = 1;
    m->out->text = (iso_text){0};
    for (size_t i = 0, length = 0; i < from.length; i += length) {
        int known = iso_text_character_length(bytes + i);
        char two[2] = {(char)(0xc0 | bytes[i] >> 6), (char)(0x80 | (bytes[i] & 0x3f))};
        length = known > 0 ? (size_t)known : 1;
        line += bytes[i] == '\n';
        if (known <= 0 && m->out->lines[ISO_XML_LATIN] == 0) {
            m->out->lines[ISO_XML_LATIN] = line;
        }
        ISO_TRY(known > 0 ? put(m, from.data + i, length) : put(m, two, 2));
    }

done:
    iso_text_free(m->ctx, &from);
    return status;
}

iso_status iso_xml_mend(iso_context* ctx, const char* bytes, size_t size,
                        iso_xml_mended* out_mended) {
    *out_mended = (iso_xml_mended){.lines = {0}};
    mender m = {.ctx = ctx,
                .out = out_mended,
                .bytes = bytes,
                .at = bytes,
                .end = bytes + size,
                .counted = bytes,
                .line = 1};
    iso_status status = ISO_OK;
    if (begins_with(&m, bytes, "\xef\xbb\xbf")) { // a byte order mark
        ISO_TRY(copy_to(&m, bytes + 3));
    }
    ISO_TRY(mend_declaration(&m));
    while (m.at < m.end) {
        ISO_TRY(mend_next(&m));
    }
    ISO_TRY(mend_latin(&m));

done:
    if (status != ISO_OK) {
        iso_text_free(ctx, &out_mended->text);
    }
    return status;
}

bool iso_xml_is_mended(const iso_xml_mended* mended) {
    bool is_any = false;
    for (int i = 0; i < ISO_XML_FAULT_COUNT; ++i) {
        is_any = is_any || mended->lines[i] > 0;
    }
    return is_any;
}

void iso_xml_warn_mended(iso_scene_build* build, const char* file, const iso_xml_mended* mended) {
    static const char* const texts[ISO_XML_FAULT_COUNT] = {
        [ISO_XML_TEXT_BEFORE] = "text before the outermost element is ignored",
        [ISO_XML_LATE_DECLARATION] =
            "the XML declaration is read as if it stood at the beginning of the file",
        [ISO_XML_DECLARED_AGAIN] = "a second XML declaration is passed over",
        [ISO_XML_SHORT_VERSION] = "version 1 of XML is read as 1.0",
        [ISO_XML_HYPHENS] = "'--' within a comment, which XML does not allow, is passed over",
        [ISO_XML_NO_BLANK] = "a blank is missing between two attributes",
        [ISO_XML_BARE_SIGN] = "'&' or '<' is read as it stands, expected '&amp;' or '&lt;'",
        [ISO_XML_LATIN] = "bytes that are not UTF-8 are read as Latin-1",
        [ISO_XML_REST] = "what follows the end of the outermost element is ignored",
    };
    for (int i = 0; i < ISO_XML_FAULT_COUNT; ++i) {
        iso_source at = {file, mended->lines[i]};
        if (at.line > 0) {
            iso_scene_warn_once(build, at, texts[i], "%s", texts[i]);
        }
    }
}
