// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf.h"

#include <math.h>
#include <string.h>

#define SHOWN_GROUPS 3 // geoms of higher groups are hidden

// --- meshes --------------------------------------------------------------------------------------

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

static iso_status read_inline_mesh(iso_mjcf_reader* reader, const xmlNode* node,
                                   const char* vertices, const char* faces, iso_mjcf_mesh* mesh) {
    iso_scene_build* build = reader->build;
    double* list = NULL;
    int count = 0;
    ISO_SCENE_TRY(iso_mjcf_parse_list(reader, node, "vertex", vertices, &list, &count));
    ISO_SCENE_REQUIRE(build, iso_xml_source(node), count >= 12 && count % 3 == 0, ISO_ERR_PARSE,
                      "<mesh>: vertex has %d numbers, expected three for each of 4 or more", count);
    iso_tri_mesh* surface = iso_arena_push(&build->arena, sizeof *surface);
    iso_vec3* points = iso_arena_push_array(&build->arena, count / 3, sizeof *points);
    int(*corner)[3] = iso_arena_push(&build->arena, sizeof *corner);
    ISO_REQUIRE(build->ctx, surface && points && corner, ISO_ERR_MEMORY, "mesh of %d vertices",
                count / 3);
    for (int i = 0; i < count / 3; ++i) {
        points[i] = iso_vec3_make(list[3 * i], list[3 * i + 1], list[3 * i + 2]);
    }
    // Without faces it is the hull of its vertices, which needs no triangles.
    (*corner)[0] = 0;
    (*corner)[1] = 1;
    (*corner)[2] = 2;
    *surface = (iso_tri_mesh){count / 3, 1, points, corner};
    if (faces) {
        ISO_SCENE_TRY(read_inline_faces(reader, node, faces, surface));
    }
    mesh->shape.surface = surface;
    mesh->solid.surface = surface;
    mesh->solid.kind = faces ? ISO_SHAPE_MESH : ISO_SHAPE_CONVEX;
    return ISO_OK;
}

iso_status iso_mjcf_resolve_asset(const iso_mjcf_reader* reader, iso_source at, const char* file,
                                  const char** out_path, const char** name) {
    iso_scene_build* build = reader->build;
    const char *path = file, *nearby = NULL;
    if (reader->mesh_directory && *reader->mesh_directory && *file != '/') {
        ISO_SCENE_TRY(iso_scene_format(build, &path, "%s/%s", reader->mesh_directory, file));
    }
    ISO_SCENE_TRY(iso_mjcf_resolve(reader, at, path, out_path));
    if (strcmp(at.file, reader->path) != 0 && !iso_scene_file_exists(build, *out_path)) {
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
    "name",   "class",    "file",     "scale",        "vertex",  "face",        "refpos", "refquat",
    "normal", "texcoord", "material", "smoothnormal", "inertia", "maxhullvert", NULL};

static iso_status read_mesh_mass(iso_scene_build* build, iso_source at, const char* inertia,
                                 iso_mjcf_mesh* mesh) {
    static const char* const names[] = {"legacy", "exact", "convex", "shell"};
    iso_name_list list = iso_name_list_of(names, 4);
    int index = inertia ? iso_name_list_find(&list, inertia) : ISO_MJCF_MASS_LEGACY;
    ISO_SCENE_REQUIRE(build, at, index >= 0, ISO_ERR_PARSE,
                      "<mesh>: inertia is '%.40s', expected legacy, exact, convex or shell",
                      inertia);
    mesh->mass = (iso_mjcf_mesh_mass)index;
    if (mesh->mass == ISO_MJCF_MASS_CONVEX || mesh->solid.kind != ISO_SHAPE_MESH) {
        mesh->mass = ISO_MJCF_MASS_CONVEX;
        mesh->solid.kind = ISO_SHAPE_CONVEX;
    }
    return ISO_OK;
}

static iso_status read_mesh(iso_mjcf_reader* reader, const xmlNode* node) {
    iso_scene_build* build = reader->build;
    iso_source at = iso_xml_source(node);
    iso_mjcf_item item;
    iso_mjcf_mesh mesh = {.shape = iso_shape_desc_default(ISO_SHAPE_CONVEX),
                          .solid = iso_shape_desc_default(ISO_SHAPE_MESH)};
    const char* file = NULL;
    const char* vertices = NULL;
    const char* faces = NULL;
    const char* inertia = NULL;
    double scale[3] = {1.0, 1.0, 1.0}, p[3] = {0.0}, q[4] = {1.0, 0.0, 0.0, 0.0};
    iso_xml_warn_attributes(build, node, iso_mjcf_mesh_attributes);
    ISO_SCENE_TRY(iso_mjcf_item_of(reader, node, 0, &item));
    ISO_SCENE_TRY(iso_xml_attribute(build, node, "name", &mesh.name));
    ISO_SCENE_TRY(iso_mjcf_text(reader, &item, "file", &file));
    ISO_SCENE_TRY(iso_mjcf_text(reader, &item, "vertex", &vertices));
    ISO_SCENE_TRY(iso_mjcf_text(reader, &item, "face", &faces));
    ISO_SCENE_TRY(iso_mjcf_text(reader, &item, "inertia", &inertia));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "scale", 3, 3, scale, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "refpos", 3, 3, p, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, &item, "refquat", 4, 4, q, NULL));
    ISO_SCENE_REQUIRE(build, at,
                      p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0 && q[0] > 0.0 && q[1] == 0.0 &&
                          q[2] == 0.0 && q[3] == 0.0,
                      ISO_ERR_UNSUPPORTED,
                      "<mesh>: refpos and refquat are not supported; move the geom instead");
    ISO_SCENE_REQUIRE(build, at, (file != NULL) != (vertices != NULL), ISO_ERR_PARSE,
                      "<mesh> needs either file or vertex");
    mesh.shape.scale = mesh.solid.scale = iso_vec3_make(scale[0], scale[1], scale[2]);
    if (file) {
        ISO_SCENE_TRY(iso_mjcf_resolve_asset(reader, at, file, &mesh.shape.path, &mesh.name));
        mesh.solid.path = mesh.shape.path;
        ISO_SCENE_TRY(iso_mjcf_read_msh(reader, node, &mesh));
    } else {
        ISO_SCENE_TRY(read_inline_mesh(reader, node, vertices, faces, &mesh));
    }
    ISO_SCENE_TRY(mesh.name && *mesh.name ? ISO_OK : iso_xml_needs_attribute(build, node, "name"));
    ISO_SCENE_TRY(iso_mjcf_require_new_name(
        reader, node, ISO_NAME_LIST(reader->meshes.data, reader->meshes.count, iso_mjcf_mesh, name),
        mesh.name));
    ISO_SCENE_TRY(read_mesh_mass(build, at, inertia, &mesh));
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &reader->meshes));
    reader->meshes.data[reader->meshes.count++] = mesh;
    return ISO_OK;
}

iso_status iso_mjcf_read_meshes(iso_mjcf_reader* reader, const xmlNode* asset) {
    // Looks are left to renderers.
    static const char* const known[] = {"mesh", "texture", "material", "hfield", "skin", NULL};
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

// The asset that a geom names by an attribute of the kind's name.
static iso_status find_asset(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                             const char* kind, const iso_mjcf_mesh* assets, int count,
                             const iso_mjcf_mesh** out_asset) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, kind, &name));
    for (int i = 0; name && i < count; ++i) {
        if (strcmp(assets[i].name, name) == 0) {
            *out_asset = &assets[i];
            return ISO_OK;
        }
    }
    iso_name_list list = ISO_NAME_LIST(assets, count, iso_mjcf_mesh, name);
    return iso_scene_fail_missing(reader->build, iso_xml_source(item->node), &list, kind, name);
}

iso_status iso_mjcf_find_mesh(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                              const iso_mjcf_mesh** out_mesh) {
    const char* type = NULL;
    *out_mesh = NULL;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "type", &type));
    return type && strcmp(type, "mesh") == 0
               ? find_asset(reader, item, type, reader->meshes.data, reader->meshes.count, out_mesh)
               : ISO_OK;
}

// --- shapes --------------------------------------------------------------------------------------

typedef struct geom_type {
    const char* name;
    iso_shape_kind kind;
    int size_count; ///< least
    bool has_ends;  ///< fromto may stand in for the last size
} geom_type;

static const geom_type k_types[] = {
    {"sphere", ISO_SHAPE_SPHERE, 1, false},
    {"capsule", ISO_SHAPE_CAPSULE, 2, true},
    {"ellipsoid", ISO_SHAPE_ELLIPSOID, 3, true},
    {"cylinder", ISO_SHAPE_CYLINDER, 2, true},
    {"box", ISO_SHAPE_BOX, 3, true},
    {"plane", ISO_SHAPE_HALF_SPACE, 0, false},
    {"mesh", ISO_SHAPE_MESH, 0, false},
    {"hfield", ISO_SHAPE_MESH, 0, false},
};

static iso_status find_type(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const geom_type** out_type) {
    const char* name = NULL;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "type", &name));
    name = name ? name : "sphere";
    bool is_site = iso_xml_is(item->node, "site"); // neither plane, mesh nor hfield
    size_t count = sizeof k_types / sizeof *k_types - (is_site ? 3 : 0);
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(k_types[i].name, name) == 0) {
            *out_type = &k_types[i];
            return ISO_OK;
        }
    }
    return iso_scene_fail(reader->build, iso_xml_source(item->node), ISO_ERR_UNSUPPORTED,
                          "<%s>: type is '%.40s', expected %ssphere, capsule, ellipsoid, "
                          "cylinder%s",
                          iso_xml_name(item->node), name, is_site ? "" : "plane, ",
                          is_site ? " or box" : ", box, mesh or hfield");
}

// Half sizes, or radius and half length.
static iso_status set_sizes(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const double* size, iso_shape_desc* shape) {
    shape->radius = size[0];
    shape->length = 2.0 * size[1];
    double unit = shape->kind == ISO_SHAPE_BOX ? 2.0 : 1.0;
    shape->size = iso_vec3_make(unit * size[0], unit * size[1], unit * size[2]);
    return iso_scene_check_shape(reader->build, iso_xml_source(item->node), shape);
}

// From end to end: the pose is in the middle, z points from the second end to the first.
static iso_status apply_ends(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                             const double* ends, iso_pose* x, double* out_half_length) {
    iso_vec3 a = iso_vec3_make(ends[0], ends[1], ends[2]);
    iso_vec3 b = iso_vec3_make(ends[3], ends[4], ends[5]);
    iso_vec3 along = iso_vec3_sub(a, b);
    double length = iso_vec3_norm(along);
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node),
                      length > 1e-12 && length <= ISO_SCENE_MAX_LENGTH, ISO_ERR_RANGE,
                      "<%s>: fromto spans %g m, expected > 0 and <= %g", iso_xml_name(item->node),
                      length, ISO_SCENE_MAX_LENGTH);
    x->p = iso_vec3_lerp(a, b, 0.5);
    x->r = iso_scene_turn_z_to(along);
    *out_half_length = 0.5 * length;
    return ISO_OK;
}

iso_status iso_mjcf_read_shape(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                               iso_shape_desc* shape, iso_shape_desc* solid, iso_pose* x) {
    const geom_type* type = NULL;
    bool is_site = iso_xml_is(item->node, "site");
    double usual = is_site ? 0.005 : 0.0;
    double size[3] = {usual, usual, usual}, ends[6];
    int size_count = 0, end_count = 0;
    ISO_SCENE_TRY(find_type(reader, item, &type));
    ISO_SCENE_TRY(iso_mjcf_pose(reader, item, x));
    *shape = iso_shape_desc_default(type->kind);
    if (type->kind == ISO_SHAPE_MESH) {
        const iso_mjcf_mesh* mesh = NULL;
        bool is_field = strcmp(type->name, "hfield") == 0;
        ISO_SCENE_TRY(find_asset(reader, item, type->name,
                                 is_field ? reader->hfields.data : reader->meshes.data,
                                 is_field ? reader->hfields.count : reader->meshes.count, &mesh));
        *shape = mesh->shape;
        *solid = mesh->solid;
        return ISO_OK;
    }
    const char* fitted = NULL;
    ISO_SCENE_TRY(iso_mjcf_text(reader, item, "mesh", &fitted));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), !fitted, ISO_ERR_UNSUPPORTED,
                      "<geom>: a %s fitted to mesh '%s' is not supported; give its size",
                      type->name, fitted);
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "size", 0, 3, size, &size_count));
    if (type->kind == ISO_SHAPE_HALF_SPACE) {
        *solid = *shape;
        return ISO_OK; // its size is for drawing
    }
    if (type->has_ends) {
        ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "fromto", 6, 6, ends, &end_count));
    }
    int needed = end_count > 0 ? 1 : type->size_count;
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node), is_site || size_count >= needed,
                      ISO_ERR_PARSE, "<geom>: a %s has %d sizes, expected %d", type->name,
                      size_count, needed);
    if (end_count > 0) {
        double half = 0.0;
        bool is_round = type->kind == ISO_SHAPE_CAPSULE || type->kind == ISO_SHAPE_CYLINDER;
        ISO_SCENE_TRY(apply_ends(reader, item, ends, x, &half));
        size[1] = is_round ? half : size[0];
        size[2] = half;
    }
    ISO_SCENE_TRY(set_sizes(reader, item, size, shape));
    *solid = *shape;
    return ISO_OK;
}

// --- contact -------------------------------------------------------------------------------------

// Whole numbers of 32 bits; negative ones as their bits.
static iso_status read_bits(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                            const char* name, uint32_t* bits) {
    double value = *bits;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, name, 1, 1, &value, NULL));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(item->node),
                      value >= INT32_MIN && value <= UINT32_MAX && value == floor(value),
                      ISO_ERR_RANGE, "<geom>: %s is %.15g, expected a whole number of 32 bits",
                      name, value);
    *bits = (uint32_t)(int64_t)value;
    return ISO_OK;
}

static iso_status add_visual(const iso_mjcf_reader* reader, const iso_mjcf_item* item, int body,
                             const char* name, const iso_shape_desc* shape, const iso_pose* x_bg) {
    iso_visual_desc visual = iso_visual_desc_default();
    double rgba[4] = {0.5, 0.5, 0.5, 1.0};
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "rgba", 4, 4, rgba, NULL));
    for (int i = 0; i < 4; ++i) {
        visual.rgba[i] = (float)fmin(fmax(rgba[i], 0.0), 1.0);
    }
    visual.name = name;
    visual.shape = *shape;
    visual.x_bg = *x_bg;
    return iso_scene_add_visual(reader->build, iso_xml_source(item->node), body, &visual);
}

const char* const iso_mjcf_geom_attributes[] = {
    "name",        "class",  "type",         "size",     "pos",  "quat",    "axisangle",
    "xyaxes",      "zaxis",  "euler",        "fromto",   "mass", "density", "contype",
    "conaffinity", "condim", "group",        "friction", "mesh", "rgba",    "material",
    "hfield",      "user",   "shellinertia", "priority", NULL};

// Known to pairs, and to what other geoms do with it.
static iso_status remember_geom(iso_mjcf_reader* reader, const iso_mjcf_geom* geom) {
    ISO_SCENE_TRY(ISO_ARRAY_GROW(reader->build->ctx, &reader->geoms));
    reader->geoms.data[reader->geoms.count++] = *geom;
    return ISO_OK;
}

iso_status iso_mjcf_add_geom(iso_mjcf_reader* reader, const iso_mjcf_item* item, int body,
                             const iso_pose* x_frame) {
    iso_scene_build* build = reader->build;
    int model_body = reader->bodies.data[body].body;
    iso_mjcf_geom geom = {.node = item->node, .body = body, .geometry = -1};
    iso_geometry_desc geometry = iso_geometry_desc_default();
    iso_material_spec spec = iso_material_spec_default();
    iso_shape_desc solid;
    iso_pose x;
    int group = 0;
    iso_xml_warn_attributes(build, item->node, iso_mjcf_geom_attributes);
    ISO_SCENE_TRY(iso_mjcf_name(reader, item->node, &geometry.name));
    ISO_SCENE_TRY(iso_mjcf_read_shape(reader, item, &geometry.shape, &solid, &x));
    ISO_SCENE_TRY(read_bits(reader, item, "contype", &geometry.collision_group));
    ISO_SCENE_TRY(read_bits(reader, item, "conaffinity", &geometry.collision_mask));
    ISO_SCENE_TRY(iso_mjcf_whole(reader, item, "group", -1e9, 1e9, &group));
    ISO_SCENE_TRY(iso_mjcf_read_friction(reader, item, &geom, &spec));
    if (geometry.shape.kind == ISO_SHAPE_MESH) { // a height field; meshes collide as hulls
        spec.value.compliance = ISO_COMPLIANCE_RIGID;
        spec.stated |= ISO_MATERIAL_COMPLIANCE;
    }
    geometry.x_bg = iso_pose_mul(x_frame, &x);
    geometry.material = spec.value;
    geom.name = geometry.name;
    geom.x_bg = geometry.x_bg;
    geom.has_mesh = geometry.shape.kind == ISO_SHAPE_CONVEX;
    geom.group = geometry.collision_group;
    geom.mask = geometry.collision_mask;
    bool is_solid = !reader->is_off.contact && (geom.group != 0 || geom.mask != 0 ||
                                                iso_mjcf_is_paired(reader, geometry.name));
    if (!is_solid || group < SHOWN_GROUPS) {
        ISO_SCENE_TRY(add_visual(reader, item, model_body, geometry.name, &solid, &geometry.x_bg));
    }
    int count = iso_model_geometry_count(build->model);
    if (is_solid) {
        ISO_SCENE_TRY(iso_scene_add_geometry(build, iso_xml_source(item->node), model_body,
                                             &geometry, spec.stated));
    }
    // One without size is left out.
    geom.geometry = iso_model_geometry_count(build->model) > count ? count : -1;
    return geom.geometry >= 0 || geom.name ? remember_geom(reader, &geom) : ISO_OK;
}
