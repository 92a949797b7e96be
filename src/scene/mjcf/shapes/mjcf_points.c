// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include "base/core/text.h"

#include <string.h>

// An .obj of vertices alone, whose hull it is.

static const char* next_line(const char* line, const char* end) {
    const char* feed = memchr(line, '\n', (size_t)(end - line));
    return feed ? feed + 1 : end;
}

static bool begins(const char* line, const char* end, char letter) {
    while (line < end && (*line == ' ' || *line == '\t')) {
        ++line;
    }
    return end - line > 1 && line[0] == letter && (line[1] == ' ' || line[1] == '\t');
}

// How many lines begin with "v"; 0 when one begins with "f".
static int count_points(const char* bytes, const char* end) {
    int count = 0;
    for (const char* line = bytes; line < end; line = next_line(line, end)) {
        if (begins(line, end, 'f')) {
            return 0;
        }
        count += begins(line, end, 'v');
    }
    return count;
}

// The first three words after "v"; a colour may follow.
static bool parse_point(const char* line, const char* end, iso_vec3* out) {
    static const char blanks[] = " \t\r";
    char text[256];
    double n[3];
    const char* stop = next_line(line, end);
    size_t length = (size_t)(stop - line);
    if (length >= sizeof text) {
        return false;
    }
    memcpy(text, line, length);
    text[length] = '\0';
    text[strcspn(text, "\n#")] = '\0';
    char* word = text + strspn(text, blanks) + 1;
    for (int k = 0; k < 3; ++k) {
        word += strspn(word, blanks);
        size_t size = strcspn(word, blanks);
        bool is_last = word[size] == '\0';
        word[size] = '\0';
        if (!iso_text_to_double(word, &n[k])) {
            return false;
        }
        word += is_last ? size : size + 1;
    }
    *out = iso_vec3_make(n[0], n[1], n[2]);
    return true;
}

static iso_status parse_points(iso_scene_build* build, const xmlNode* node, const char* path,
                               const char* bytes, size_t size, iso_mjcf_mesh* mesh) {
    const char* end = bytes + size;
    iso_tri_mesh* surface = NULL;
    int count = count_points(bytes, end), index = 0, number = 0;
    if (count == 0) {
        return ISO_OK;
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(node), count >= 4, ISO_ERR_GEOMETRY,
                      "'%s' has %d vertices and no faces, expected at least 4", path, count);
    ISO_SCENE_TRY(iso_mjcf_add_surface(build, mesh, count, 0, &surface));
    for (const char* line = bytes; line < end; line = next_line(line, end)) {
        ++number;
        if (!begins(line, end, 'v')) {
            continue;
        }
        ISO_SCENE_REQUIRE(build, iso_xml_source(node),
                          parse_point(line, end, &surface->vertices[index]), ISO_ERR_PARSE,
                          "%s:%d: expected 'v' and three finite numbers", path, number);
        ++index;
    }
    return ISO_OK;
}

iso_status iso_mjcf_read_points(const iso_mjcf_reader* reader, const xmlNode* node,
                                iso_mjcf_mesh* mesh) {
    iso_scene_build* build = reader->build;
    const char* path = mesh->shape.path;
    char* bytes = NULL;
    size_t size = 0;
    if (!path || !iso_path_has_extension(path, "obj") || !iso_scene_file_exists(build, path)) {
        return ISO_OK; // said where a geom needs it
    }
    ISO_SCENE_TRY(iso_scene_read_file(build, iso_xml_source(node), path, &bytes, &size));
    iso_status status = parse_points(build, node, path, bytes, size, mesh);
    iso_free(build->ctx, bytes);
    return status;
}
