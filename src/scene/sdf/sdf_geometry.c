// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/sdf/sdf.h"
#include "scene/tags/height_grid.h"
#include "scene/tags/prism.h"
#include "scene/tags/shape_tags.h"

#include <math.h>

#include <string.h>

// Three numbers; where they are missing each is 1, as the format says.
static iso_status read_vector(iso_scene_build* build, const xmlNode* element, const char* name,
                              iso_vec3* out_vector) {
    double n[3] = {1.0, 1.0, 1.0};
    bool is_found = false;
    ISO_SCENE_TRY(iso_xml_child_numbers(build, element, name, 3, n, &is_found));
    if (!is_found) {
        iso_shape_tag_warn_default(build, element, name, n[0]);
    }
    *out_vector = iso_vec3_make(n[0], n[1], n[2]);
    return ISO_OK;
}

// The half space below a plane; <size> is only for drawing.
static iso_status read_plane(iso_scene_build* build, const xmlNode* element, iso_shape_desc* shape,
                             iso_pose* x_offset) {
    *shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    iso_vec3 normal = iso_vec3_make(0.0, 0.0, 1.0);
    if (iso_xml_child(element, "normal")) {
        ISO_SCENE_TRY(read_vector(build, element, "normal", &normal));
    }
    double norm = iso_vec3_norm(normal);
    ISO_SCENE_REQUIRE(build, iso_xml_source(element), norm > 1e-6 && norm <= ISO_SCENE_MAX_LENGTH,
                      ISO_ERR_RANGE, "<plane>: <normal> has length %g, expected a direction", norm);
    x_offset->r = iso_scene_turn_z_to(normal);
    return ISO_OK;
}

static iso_status read_mesh(iso_scene_build* build, const xmlNode* element, bool is_visual,
                            iso_shape_desc* shape, bool* out_is_known) {
    static const char* const known[] = {"uri", "scale", "drake:declare_convex", NULL};
    iso_xml_warn_unknown(build, element, known);
    bool is_convex = iso_xml_child(element, "drake:declare_convex") != NULL;
    *shape = iso_shape_desc_default(is_convex ? ISO_SHAPE_CONVEX : ISO_SHAPE_MESH);
    const char* uri = NULL;
    ISO_SCENE_TRY(iso_xml_child_text(build, element, "uri", &uri));
    ISO_SCENE_REQUIRE(build, iso_xml_source(element), *uri || is_visual, ISO_ERR_PARSE,
                      "<mesh> has no <uri>");
    ISO_SCENE_TRY(
        iso_scene_resolve_mesh(build, iso_xml_source(element), uri, is_visual, &shape->path));
    *out_is_known = shape->path != NULL;
    return iso_xml_child(element, "scale") ? read_vector(build, element, "scale", &shape->scale)
                                           : ISO_OK;
}

// --- polygons and heights ------------------------------------------------------------------------

// The points of one polygon, behind those of others.
static iso_status read_polygon(iso_scene_build* build, const xmlNode* element, iso_vec3* points,
                               int* count) {
    for (const xmlNode* child = iso_xml_first(element); child && *count <= ISO_PRISM_MOST_POINTS;
         child = iso_xml_next(child)) {
        const char* text = NULL;
        double n[2];
        if (!iso_xml_is(child, "point")) {
            continue;
        }
        ISO_SCENE_TRY(iso_xml_text(build, child, &text));
        ISO_SCENE_TRY(iso_xml_parse_numbers(build, child, "its value", text, 2, n));
        ISO_SCENE_REQUIRE(build, iso_xml_source(child),
                          fmax(fabs(n[0]), fabs(n[1])) <= ISO_SCENE_MAX_LENGTH, ISO_ERR_RANGE,
                          "<point> is '%.40s', expected at most %g m", text, ISO_SCENE_MAX_LENGTH);
        points[(*count)++] = iso_vec3_make(n[0], n[1], 0.0);
    }
    return ISO_OK;
}

// <polyline>: a prism over a polygon; several of them are a polygon and its holes.
static iso_status read_polyline(iso_scene_build* build, const xmlNode* element,
                                iso_shape_desc* shape) {
    static const char* const known[] = {"point", "height", NULL};
    enum { k_most = 64 };
    iso_source at = iso_xml_source(element);
    int sizes[k_most], contour_count = 0, count = 0;
    double height = 1.0;
    iso_vec3* points =
        iso_arena_push_array(&build->arena, ISO_PRISM_MOST_POINTS + 1, sizeof *points);
    ISO_REQUIRE(build->ctx, points, ISO_ERR_MEMORY, "points of a polygon");
    for (const xmlNode* one = element; one; one = iso_xml_next(one)) {
        double own = 1.0;
        int before = count;
        iso_xml_warn_unknown(build, one, known);
        ISO_SCENE_REQUIRE(build, iso_xml_source(one),
                          iso_xml_is(one, "polyline") && contour_count < k_most,
                          ISO_ERR_UNSUPPORTED,
                          "other shapes in one <geometry> with a <polyline>, expected polygons, at "
                          "most %d",
                          k_most);
        bool is_found = false;
        ISO_SCENE_TRY(iso_xml_child_numbers(build, one, "height", 1, &own, &is_found));
        if (!is_found) {
            iso_shape_tag_warn_default(build, one, "height", own);
        }
        ISO_SCENE_REQUIRE(build, iso_xml_source(one), own > 0.0 && own <= ISO_SCENE_MAX_LENGTH,
                          ISO_ERR_RANGE, "<polyline>: height is %g m, expected > 0 and <= %g", own,
                          ISO_SCENE_MAX_LENGTH);
        height = contour_count == 0 ? own : height;
        ISO_SCENE_REQUIRE(build, iso_xml_source(one), own == height, ISO_ERR_UNSUPPORTED,
                          "<polyline>: height is %g m, of the one before %g m, expected the same",
                          own, height);
        ISO_SCENE_TRY(read_polygon(build, one, points, &count));
        sizes[contour_count++] = count - before;
    }
    *shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    return iso_scene_make_prism(build, at, points, sizes, contour_count, height, &shape->surface);
}

// <cone>: its tip at the upper end of its length, around the middle of which it stands; of so many
// sides.
static iso_status read_cone(iso_scene_build* build, const xmlNode* element, iso_shape_desc* shape) {
    enum { k_sides = 64 };
    double sizes[] = {1.0, 1.0};
    static const char* const names[] = {"radius", "length"};
    for (int i = 0; i < 2; ++i) {
        bool is_found = false;
        ISO_SCENE_TRY(iso_xml_child_numbers(build, element, names[i], 1, &sizes[i], &is_found));
        if (!is_found) {
            iso_shape_tag_warn_default(build, element, names[i], sizes[i]);
        }
        ISO_SCENE_REQUIRE(build, iso_xml_source(element),
                          sizes[i] > 0.0 && sizes[i] <= ISO_SCENE_MAX_LENGTH, ISO_ERR_RANGE,
                          "<cone>: %s is %g m, expected > 0 and <= %g", names[i], sizes[i],
                          ISO_SCENE_MAX_LENGTH);
    }
    iso_tri_mesh* mesh = iso_arena_push(&build->arena, sizeof *mesh);
    iso_vec3* vertices = iso_arena_push_array(&build->arena, k_sides + 2, sizeof *vertices);
    int(*triangles)[3] = iso_arena_push_array(&build->arena, 2 * k_sides, sizeof *triangles);
    ISO_REQUIRE(build->ctx, mesh && vertices && triangles, ISO_ERR_MEMORY, "cone");
    for (int i = 0; i < k_sides; ++i) {
        double angle = 2.0 * ISO_PI * i / k_sides;
        int next = (i + 1) % k_sides;
        vertices[i] = iso_vec3_make(sizes[0] * cos(angle), sizes[0] * sin(angle), -0.5 * sizes[1]);
        const int side[] = {i, next, k_sides}, bottom[] = {next, i, k_sides + 1};
        for (int k = 0; k < 3; ++k) {
            triangles[2 * i][k] = side[k];
            triangles[2 * i + 1][k] = bottom[k];
        }
    }
    vertices[k_sides] = iso_vec3_make(0.0, 0.0, 0.5 * sizes[1]);
    vertices[k_sides + 1] = iso_vec3_make(0.0, 0.0, -0.5 * sizes[1]);
    *mesh = (iso_tri_mesh){k_sides + 2, 2 * k_sides, vertices, triangles};
    *shape = iso_shape_desc_default(ISO_SHAPE_CONVEX);
    shape->surface = mesh;
    return ISO_OK;
}

// Heights are parts of the brightest one; a negative size turns them over.
static void scale_heights(iso_height_grid* grid, double height) {
    int count = grid->rows * grid->columns;
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, grid->heights[i]);
    }
    for (int i = 0; i < count; ++i) {
        double part = most > 0.0 ? grid->heights[i] / most : 0.0;
        grid->heights[i] = height < 0.0 ? 1.0 - part : part;
    }
    grid->top = fabs(height);
}

// <heightmap>: a closed surface from the heights of an image down to a base below them.
static iso_status read_heightmap(iso_scene_build* build, const xmlNode* element,
                                 iso_shape_desc* shape, iso_pose* x_offset) {
    // What only a renderer would use is passed over.
    static const char* const known[] = {"uri",      "size",    "pos",   "use_terrain_paging",
                                        "sampling", "texture", "blend", NULL};
    iso_source at = iso_xml_source(element);
    iso_height_grid grid = {0};
    iso_vec3 size;
    double pos[3] = {0.0, 0.0, 0.0};
    const char *uri = NULL, *path = NULL;
    iso_xml_warn_unknown(build, element, known);
    ISO_SCENE_TRY(iso_xml_child_text(build, element, "uri", &uri));
    ISO_SCENE_REQUIRE(build, at, *uri, ISO_ERR_PARSE, "<heightmap> has no <uri>");
    ISO_SCENE_TRY(read_vector(build, element, "size", &size));
    ISO_SCENE_REQUIRE(build, at,
                      size.x > 0.0 && size.y > 0.0 && size.z != 0.0 &&
                          iso_vec3_norm(size) <= ISO_SCENE_MAX_LENGTH,
                      ISO_ERR_RANGE,
                      "<heightmap>: size is %g %g %g m, expected x and y > 0, z not 0, at most %g",
                      size.x, size.y, size.z, ISO_SCENE_MAX_LENGTH);
    ISO_SCENE_TRY(iso_xml_child_numbers(build, element, "pos", 3, pos, NULL));
    ISO_SCENE_TRY(iso_scene_resolve_uri(build, at, uri, &path));
    ISO_SCENE_TRY(iso_height_grid_read_image(build, at, path, &grid));
    scale_heights(&grid, size.z);
    grid.half_x = 0.5 * size.x;
    grid.half_y = 0.5 * size.y;
    grid.base = 0.1 * fmax(size.x, size.y);
    x_offset->p = iso_vec3_make(pos[0], pos[1], pos[2]);
    *shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    return iso_height_grid_surface(build, &grid, &shape->surface);
}

iso_status iso_sdf_read_geometry(iso_scene_build* build, const xmlNode* element, bool is_visual,
                                 iso_shape_desc* shape, iso_pose* x_offset, bool* out_is_known) {
    *x_offset = iso_pose_identity();
    *out_is_known = true;
    const xmlNode* geometry = iso_xml_child(element, "geometry");
    const xmlNode* kind = geometry ? iso_xml_first(geometry) : NULL;
    if (!geometry) {
        iso_scene_warn_once(build, iso_xml_source(element), iso_xml_name(element),
                            "<%s> has no <geometry> and is left out", iso_xml_name(element));
    }
    if (!kind || iso_xml_is(kind, "empty")) {
        *out_is_known = false;
        return ISO_OK;
    }
    bool is_read = false;
    ISO_SCENE_TRY(iso_shape_tag_read(build, kind, true, shape, &is_read));
    if (is_read) {
        return ISO_OK;
    }
    if (iso_xml_is(kind, "box")) {
        *shape = iso_shape_desc_default(ISO_SHAPE_BOX);
        return read_vector(build, kind, "size", &shape->size);
    }
    if (iso_xml_is(kind, "ellipsoid")) {
        *shape = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
        return read_vector(build, kind, "radii", &shape->size);
    }
    if (iso_xml_is(kind, "plane")) {
        return read_plane(build, kind, shape, x_offset);
    }
    if (iso_xml_is(kind, "mesh")) {
        return read_mesh(build, kind, is_visual, shape, out_is_known);
    }
    if (iso_xml_is(kind, "cone")) {
        return read_cone(build, kind, shape);
    }
    if (iso_xml_is(kind, "polyline") && !is_visual) {
        return read_polyline(build, kind, shape);
    }
    if (iso_xml_is(kind, "heightmap") && !is_visual) {
        return read_heightmap(build, kind, shape, x_offset);
    }
    *out_is_known = false;
    return iso_shape_tag_unknown(build, kind, is_visual);
}
