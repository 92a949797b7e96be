// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

// <asset>: meshes and what they are made of.

static iso_status read_inline_faces(iso_mjcf_reader* reader, const xmlNode* node, const char* text,
                                    iso_tri_mesh* mesh) {
    iso_scene_build* build = reader->build;
    double* list = NULL;
    int count = 0;
    ISO_SCENE_TRY(iso_mjcf_parse_list(reader, node, "face", text, &list, &count));
    ISO_SCENE_REQUIRE(build, iso_xml_source(node), count > 0 && count % 3 == 0, ISO_ERR_PARSE,
                      "<mesh>: face has %d numbers, expected three for each face", count);
    mesh->triangle_count = count / 3;
    mesh->triangles =
        iso_arena_push_array(&build->arena, mesh->triangle_count, sizeof *mesh->triangles);
    ISO_REQUIRE(build->ctx, mesh->triangles, ISO_ERR_MEMORY, "%d faces", mesh->triangle_count);
    for (int i = 0; i < count; ++i) {
        ISO_SCENE_REQUIRE(build, iso_xml_source(node),
                          list[i] >= 0.0 && list[i] < mesh->vertex_count &&
                              list[i] == floor(list[i]),
                          ISO_ERR_RANGE, "<mesh>: face index is %g, expected 0 to %d", list[i],
                          mesh->vertex_count - 1);
        mesh->triangles[i / 3][i % 3] = (int)list[i];
    }
    return ISO_OK;
}

iso_status iso_mjcf_add_surface(iso_scene_build* build, iso_mjcf_mesh* mesh, int vertex_count,
                                int triangle_count, iso_tri_mesh** out_surface) {
    int rows = triangle_count > 0 ? triangle_count : 1;
    iso_tri_mesh* surface = iso_arena_push(&build->arena, sizeof *surface);
    iso_vec3* points = iso_arena_push_array(&build->arena, vertex_count, sizeof *points);
    int(*corners)[3] = iso_arena_push_array(&build->arena, rows, sizeof *corners);
    ISO_REQUIRE(build->ctx, surface && points && corners, ISO_ERR_MEMORY, "mesh of %d vertices",
                vertex_count);
    *surface = (iso_tri_mesh){vertex_count, rows, points, corners};
    corners[0][0] = 0; // without faces it is the hull of its vertices, which needs no triangles
    corners[0][1] = 1;
    corners[0][2] = 2;
    mesh->shape.surface = mesh->solid.surface = surface;
    mesh->shape.path = mesh->solid.path = NULL;
    mesh->solid.kind = triangle_count > 0 ? ISO_SHAPE_MESH : ISO_SHAPE_CONVEX;
    *out_surface = surface;
    return ISO_OK;
}

static iso_status read_inline_mesh(iso_mjcf_reader* reader, const xmlNode* node,
                                   const char* vertices, const char* faces, iso_mjcf_mesh* mesh) {
    iso_scene_build* build = reader->build;
    iso_tri_mesh* surface = NULL;
    double* list = NULL;
    int count = 0;
    ISO_SCENE_TRY(iso_mjcf_parse_list(reader, node, "vertex", vertices, &list, &count));
    ISO_SCENE_REQUIRE(build, iso_xml_source(node), count >= 12 && count % 3 == 0, ISO_ERR_PARSE,
                      "<mesh>: vertex has %d numbers, expected three for each of 4 or more", count);
    ISO_SCENE_TRY(iso_mjcf_add_surface(build, mesh, count / 3, 0, &surface));
    for (int i = 0; i < count / 3; ++i) {
        surface->vertices[i] = iso_vec3_make(list[3 * i], list[3 * i + 1], list[3 * i + 2]);
    }
    if (faces) {
        ISO_SCENE_TRY(read_inline_faces(reader, node, faces, surface));
        mesh->solid.kind = ISO_SHAPE_MESH;
    }
    return ISO_OK;
}

iso_status iso_mjcf_resolve_asset(const iso_mjcf_reader* reader, const xmlNode* node,
                                  const char* file, const char** out_path, const char** name) {
    iso_scene_build* build = reader->build;
    const iso_mjcf_settings* settings = iso_mjcf_settings_of(reader, node);
    iso_source at = iso_xml_source(node);
    const char* last = strrchr(file, '/');
    file = settings->strips_paths && last ? last + 1 : file;
    const char *path = file, *nearby = NULL;
    if (settings->mesh_directory && *settings->mesh_directory && *file != '/') {
        ISO_SCENE_TRY(iso_scene_format(build, &path, "%s/%s", settings->mesh_directory, file));
    }
    ISO_SCENE_TRY(iso_mjcf_resolve(reader, node, path, out_path));
    if (strcmp(at.file, settings->path) != 0 && !iso_scene_file_exists(build, *out_path)) {
        ISO_SCENE_TRY(iso_scene_resolve_uri(build, at, file, &nearby));
        *out_path = iso_scene_file_exists(build, nearby) ? nearby : *out_path;
    }
    if (*name) {
        return ISO_OK;
    }
    const char* slash = strrchr(file, '/');
    const char* stem = slash ? slash + 1 : file;
    const char* dot = strrchr(stem, '.');
    return iso_scene_copy_text(build, stem, dot ? (size_t)(dot - stem) : strlen(stem), name);
}

const char* const iso_mjcf_mesh_attributes[] = {
    "name",    "class",       "file",    "scale",    "vertex",   "face",
    "refpos",  "refquat",     "normal",  "texcoord", "material", "smoothnormal",
    "inertia", "maxhullvert", "builtin", "params",   NULL};

static iso_status read_mesh_mass(iso_scene_build* build, iso_source at, const char* inertia,
                                 iso_mjcf_mesh* mesh) {
    static const char* const names[] = {"legacy", "exact", "convex", "shell"};
    iso_name_list list = iso_name_list_of(names, 4);
    int index = inertia ? iso_name_list_find(&list, inertia) : ISO_MJCF_MASS_LEGACY;
    ISO_SCENE_REQUIRE(build, at, index >= 0, ISO_ERR_PARSE,
                      "<mesh>: inertia is '%.40s', expected legacy, exact, convex or shell",
                      inertia);
    mesh->mass = (iso_mjcf_mesh_mass)index;
    bool is_hull = mesh->solid.kind != ISO_SHAPE_MESH && mesh->mass != ISO_MJCF_MASS_SHELL;
    if (mesh->mass == ISO_MJCF_MASS_CONVEX || is_hull) {
        mesh->mass = ISO_MJCF_MASS_CONVEX;
        mesh->solid.kind = ISO_SHAPE_CONVEX;
    }
    return ISO_OK;
}

// v becomes scale * R^T (v - p): another place of the mesh, unless unequal scales follow a turn,
// which turn_vertices() does.
static iso_status read_reference(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                 iso_mjcf_mesh* mesh, bool* out_is_bent) {
    double p[3] = {0.0}, q[4] = {1.0, 0.0, 0.0, 0.0}, scale[3] = {1.0, 1.0, 1.0};
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "scale", 3, 3, scale, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "refpos", 3, 3, p, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "refquat", 4, 4, q, NULL));
    iso_vec3 s = iso_vec3_make(scale[0], scale[1], scale[2]);
    bool is_turned = q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0;
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), norm > 1e-9, ISO_ERR_RANGE,
                      "<mesh>: refquat has norm %g, expected 1", norm);
    iso_mat3 r = iso_mat3_from_quat(iso_quat_normalized(iso_quat_make(q[0], q[1], q[2], q[3])));
    iso_vec3 moved = iso_vec3_mul(s, iso_vec3_make(-p[0], -p[1], -p[2]));
    mesh->x_ref.r = iso_mat3_transpose(r);
    mesh->shape.scale = mesh->solid.scale = s;
    *out_is_bent = is_turned && !(s.x == s.y && s.y == s.z);
    mesh->x_ref.p = *out_is_bent ? iso_vec3_make(-p[0], -p[1], -p[2])
                                 : iso_mat3_mul_vec3(&mesh->x_ref.r, moved);
    return ISO_OK;
}

// R^T (v - p) of all vertices, in a copy of the mesh, which is scaled later. A file that cannot be
// read is left to the geom that needs it.
static iso_status turn_vertices(iso_scene_build* build, iso_mjcf_mesh* mesh) {
    iso_tri_mesh loaded = {0}, *copy = NULL;
    const iso_tri_mesh* from = mesh->shape.surface;
    const char* path = mesh->shape.path;
    iso_status status = ISO_OK;
    if (path) {
        bool is_there = !build->is_memory_only && iso_scene_file_exists(build, path);
        status = is_there
                     ? iso_tri_mesh_load(build->ctx, path, iso_vec3_make(1.0, 1.0, 1.0), &loaded)
                     : ISO_ERR_NOT_FOUND;
        if (status != ISO_OK) {
            return status == ISO_ERR_MEMORY ? status : ISO_OK;
        }
        from = &loaded;
    }
    iso_shape_kind kind = mesh->solid.kind;
    status = iso_mjcf_add_surface(build, mesh, from->vertex_count, from->triangle_count, &copy);
    mesh->solid.kind = kind;
    for (int i = 0; status == ISO_OK && i < from->vertex_count; ++i) {
        iso_vec3 v = iso_vec3_add(from->vertices[i], mesh->x_ref.p);
        copy->vertices[i] = iso_mat3_mul_vec3(&mesh->x_ref.r, v);
    }
    if (status == ISO_OK) {
        memcpy(copy->triangles, from->triangles,
               (size_t)from->triangle_count * sizeof *copy->triangles);
    }
    mesh->x_ref = iso_pose_identity();
    iso_tri_mesh_destroy(build->ctx, &loaded);
    return status;
}

static iso_status read_contents(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                iso_mjcf_mesh* mesh) {
    static const char* const keys[] = {"file", "vertex", "builtin", "face"};
    iso_scene_build* build = reader->build;
    const char* texts[4];
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        ISO_SCENE_TRY(iso_mjcf_text(reader, item, keys[i], &texts[i]));
        count += i < 3 && texts[i];
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(item->node),
                      count > 0 || !iso_xml_child(item->node, "plugin"), ISO_ERR_UNSUPPORTED,
                      "<mesh>: a surface that a plugin makes is not supported; export it as .obj");
    ISO_SCENE_REQUIRE(build, iso_xml_source(item->node), count == 1, ISO_ERR_PARSE,
                      "<mesh> has %d of file, vertex and builtin, expected one", count);
    if (texts[1]) {
        return read_inline_mesh(reader, item->node, texts[1], texts[3], mesh);
    }
    if (texts[2]) {
        return iso_mjcf_make_builtin(reader, item, texts[2], mesh);
    }
    ISO_SCENE_TRY(
        iso_mjcf_resolve_asset(reader, item->node, texts[0], &mesh->shape.path, &mesh->name));
    mesh->solid.path = mesh->shape.path;
    ISO_SCENE_TRY(iso_mjcf_read_msh(reader, item->node, mesh));
    return iso_mjcf_read_points(reader, item->node, mesh);
}

// MuJoCo keeps so many vertices of a hull.
static iso_status warn_of_fewer_vertices(const iso_mjcf_reader* reader, const iso_mjcf_item* item) {
    int most = -1;
    ISO_SCENE_TRY(iso_mjcf_whole(reader, item, "maxhullvert", -1.0, 1e9, &most));
    if (most > 0) {
        iso_scene_warn_once(reader->build, iso_xml_source(item->node), "maxhullvert",
                            "<mesh>: maxhullvert is %d: hulls keep all their vertices here", most);
    }
    return ISO_OK;
}

static iso_status read_mesh(iso_mjcf_reader* reader, const xmlNode* node) {
    iso_scene_build* build = reader->build;
    iso_mjcf_item item;
    iso_mjcf_mesh mesh = {.shape = iso_shape_desc_default(ISO_SHAPE_CONVEX),
                          .solid = iso_shape_desc_default(ISO_SHAPE_MESH)};
    const char* inertia = NULL;
    bool is_bent = false;
    iso_xml_warn_attributes(build, node, iso_mjcf_mesh_attributes);
    ISO_SCENE_TRY(iso_mjcf_item_of(reader, node, 0, &item));
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "name", &mesh.name));
    ISO_SCENE_TRY(iso_mjcf_text(reader, &item, "inertia", &inertia));
    ISO_SCENE_TRY(warn_of_fewer_vertices(reader, &item));
    ISO_SCENE_TRY(read_reference(reader, &item, &mesh, &is_bent));
    ISO_SCENE_TRY(read_contents(reader, &item, &mesh));
    ISO_SCENE_TRY(is_bent ? turn_vertices(build, &mesh) : ISO_OK);
    ISO_SCENE_TRY(mesh.name && *mesh.name ? ISO_OK : iso_xml_needs_attribute(build, node, "name"));
    ISO_SCENE_TRY(iso_mjcf_require_new_name(
        reader, node, ISO_MJCF_MESHES,
        ISO_NAME_LIST(reader->meshes.data, reader->meshes.count, iso_mjcf_mesh, name), mesh.name));
    if (mesh.mass != ISO_MJCF_MASS_SHELL) { // as a plate is
        ISO_SCENE_TRY(read_mesh_mass(build, iso_xml_source(node), inertia, &mesh));
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->meshes));
    reader->meshes.data[reader->meshes.count++] = mesh;
    return ISO_OK;
}

iso_status iso_mjcf_read_meshes(iso_mjcf_reader* reader, const xmlNode* asset) {
    // Looks are left to renderers.
    static const char* const known[] = {"mesh", "texture", "material", "hfield",
                                        "skin", "model",   NULL};
    iso_xml_warn_unknown(reader->build, asset, known);
    for (const xmlNode* child = iso_xml_first(asset); child; child = iso_xml_next(child)) {
        if (iso_xml_is(child, "mesh")) {
            ISO_SCENE_TRY(read_mesh(reader, child));
        } else if (iso_xml_is(child, "hfield")) {
            ISO_SCENE_TRY(iso_mjcf_read_hfield(reader, child));
        }
    }
    return ISO_OK;
}
