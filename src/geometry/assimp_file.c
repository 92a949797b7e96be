// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "geometry/surface_readers.h"
#include "geometry/vtk.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <string.h>

// Files that one surface may be spread over (the buffers of a glTF), opened over and over included.
#define MAX_OPEN_COUNT 256
#define MAX_NODE_DEPTH 256

// What assimp reads through: the main file is in memory, others are read from disk when allowed.
typedef struct file_source {
    iso_context* ctx;
    const char* main_name;
    const char* bytes;
    size_t size;
    bool may_open_others;
    int open_count;
    size_t total_size;
    bool is_out_of_memory; // assimp only learns that a file could not be opened
} file_source;

typedef struct open_file {
    struct aiFile file; // first, so that aiFile* leads back here
    iso_context* ctx;
    const char* bytes;
    char* owned_bytes;
    size_t size;
    size_t at;
} open_file;

static size_t file_read(struct aiFile* file, char* out, size_t element_size, size_t count) {
    open_file* f = (open_file*)file->UserData;
    if (element_size == 0) {
        return 0;
    }
    size_t available = (f->size - f->at) / element_size;
    size_t taken = count < available ? count : available;
    memcpy(out, f->bytes + f->at, taken * element_size);
    f->at += taken * element_size;
    return taken;
}

static size_t file_write(struct aiFile* file, const char* bytes, size_t element_size,
                         size_t count) {
    (void)file, (void)bytes, (void)element_size, (void)count;
    return 0;
}

static size_t file_tell(struct aiFile* file) {
    return ((open_file*)file->UserData)->at;
}

static size_t file_size(struct aiFile* file) {
    return ((open_file*)file->UserData)->size;
}

static enum aiReturn file_seek(struct aiFile* file, size_t offset, enum aiOrigin origin) {
    open_file* f = (open_file*)file->UserData;
    size_t base = origin == aiOrigin_SET ? 0 : (origin == aiOrigin_CUR ? f->at : f->size);
    size_t at = base + offset; // wraps for negative offsets, as meant
    if (at > f->size) {
        return aiReturn_FAILURE;
    }
    f->at = at;
    return aiReturn_SUCCESS;
}

static void file_flush(struct aiFile* file) {
    (void)file;
}

static struct aiFile* source_open(struct aiFileIO* io, const char* path, const char* mode) {
    file_source* source = (file_source*)io->UserData;
    bool is_main = strcmp(path, source->main_name) == 0;
    if (mode[0] != 'r' || (!is_main && !source->may_open_others) ||
        source->open_count >= MAX_OPEN_COUNT) {
        return NULL;
    }
    open_file* f = iso_alloc_zeroed(source->ctx, sizeof *f);
    if (!f) {
        source->is_out_of_memory = true;
        return NULL;
    }
    f->file = (struct aiFile){.ReadProc = file_read,
                              .WriteProc = file_write,
                              .TellProc = file_tell,
                              .FileSizeProc = file_size,
                              .SeekProc = file_seek,
                              .FlushProc = file_flush,
                              .UserData = (aiUserData)f};
    f->ctx = source->ctx;
    f->bytes = source->bytes;
    f->size = source->size;
    if (!is_main) {
        size_t room = ISO_MESH_FILE_MAX_SIZE - source->total_size;
        iso_status status = iso_file_read(source->ctx, path, room, &f->owned_bytes, &f->size);
        if (status != ISO_OK) {
            source->is_out_of_memory = status == ISO_ERR_MEMORY;
            iso_free(source->ctx, f);
            return NULL;
        }
        f->bytes = f->owned_bytes;
        source->total_size += f->size;
    }
    ++source->open_count;
    return &f->file;
}

static void source_close(struct aiFileIO* io, struct aiFile* file) {
    (void)io;
    open_file* f = (open_file*)file->UserData;
    iso_free(f->ctx, f->owned_bytes);
    iso_free(f->ctx, f);
}

// A walk over the nodes of a scene.
typedef struct scene_walk {
    iso_context* ctx;
    const struct aiScene* scene;
    iso_surface_source* source;
    iso_surface_builder* builder;
    bool is_y_up;
    bool mirrors; // scale of negative determinant
} scene_walk;

// Affine map x -> m x + t of a node.
typedef struct affine {
    iso_mat3 m;
    iso_vec3 t;
} affine;

static affine affine_from_ai(const struct aiMatrix4x4* a) {
    affine x = {.m = {{{(double)a->a1, (double)a->a2, (double)a->a3},
                       {(double)a->b1, (double)a->b2, (double)a->b3},
                       {(double)a->c1, (double)a->c2, (double)a->c3}}},
                .t = {(double)a->a4, (double)a->b4, (double)a->c4}};
    return x;
}

static affine affine_mul(const affine* a, const affine* b) {
    affine x = {iso_mat3_mul(a->m, b->m), iso_vec3_add(iso_mat3_mul_vec3(&a->m, b->t), a->t)};
    return x;
}

static iso_vec3 place_vertex(const scene_walk* walk, const affine* x, struct aiVector3D v) {
    iso_vec3 p = iso_vec3_make((double)v.x, (double)v.y, (double)v.z);
    p = iso_vec3_add(iso_mat3_mul_vec3(&x->m, p), x->t);
    if (walk->is_y_up) {
        p = iso_vec3_make(p.x, -p.z, p.y);
    }
    return iso_vec3_mul(p, walk->source->scale);
}

static iso_status add_mesh(scene_walk* walk, const struct aiMesh* mesh, const affine* x) {
    bool is_mirrored = (iso_mat3_determinant(&x->m) < 0.0) != walk->mirrors;
    for (unsigned i = 0; i < mesh->mNumFaces; ++i) {
        const struct aiFace* face = &mesh->mFaces[i];
        if (face->mNumIndices != 3) { // triangulated already: a point or a line
            ++walk->source->out_ignored_count;
            continue;
        }
        iso_vec3 corners[3];
        for (int k = 0; k < 3; ++k) {
            unsigned index = face->mIndices[is_mirrored ? 2 - k : k];
            ISO_REQUIRE(walk->ctx, index < mesh->mNumVertices, ISO_ERR_PARSE,
                        "triangle %u names vertex %u of %u", i, index, mesh->mNumVertices);
            corners[k] = place_vertex(walk, x, mesh->mVertices[index]);
        }
        iso_status status = iso_surface_builder_add(walk->ctx, walk->builder, corners);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

static iso_status add_node(scene_walk* walk, const struct aiNode* node, const affine* parent,
                           int depth) {
    ISO_REQUIRE(walk->ctx, depth < MAX_NODE_DEPTH, ISO_ERR_RANGE, "nodes nest deeper than %d",
                MAX_NODE_DEPTH);
    affine own = affine_from_ai(&node->mTransformation);
    affine x = affine_mul(parent, &own);
    iso_status status = ISO_OK;
    for (unsigned i = 0; i < node->mNumMeshes && status == ISO_OK; ++i) {
        ISO_REQUIRE(walk->ctx, node->mMeshes[i] < walk->scene->mNumMeshes, ISO_ERR_PARSE,
                    "a node names mesh %u of %u", node->mMeshes[i], walk->scene->mNumMeshes);
        status = add_mesh(walk, walk->scene->mMeshes[node->mMeshes[i]], &x);
    }
    for (unsigned i = 0; i < node->mNumChildren && status == ISO_OK; ++i) {
        status = add_node(walk, node->mChildren[i], &x, depth + 1);
    }
    return status;
}

static const struct aiScene* import_scene(file_source* source) {
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    if (!properties) {
        return NULL;
    }
    // Collada files of robots are z-up whatever they say: take coordinates as written.
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
    struct aiFileIO io = {source_open, source_close, (aiUserData)source};
    const struct aiScene* scene =
        aiImportFileExWithProperties(source->main_name, aiProcess_Triangulate, &io, properties);
    aiReleasePropertyStore(properties);
    return scene;
}

iso_status iso_assimp_read(iso_context* ctx, iso_surface_source* source, const char* extension,
                           bool may_open, iso_surface_builder* builder) {
    const char* name = source->name;
    char memory_name[16] = "mesh."; // assimp chooses the importer by extension
    strncat(memory_name, extension, 8);
    file_source files = {.ctx = ctx,
                         .main_name = may_open ? name : memory_name,
                         .bytes = source->bytes,
                         .size = source->size,
                         .may_open_others = may_open};
    const struct aiScene* scene = import_scene(&files);
    iso_status status = ISO_OK;
    if (files.is_out_of_memory) {
        status = iso_fail(ctx, ISO_ERR_MEMORY, __func__, "%s: no memory to open files", name);
    } else if (!scene) {
        status = iso_fail(ctx, ISO_ERR_PARSE, __func__, "%s: not a readable .%s file (%s)", name,
                          extension, aiGetErrorString());
    } else if (!scene->mRootNode || (scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE)) {
        status = iso_fail(ctx, ISO_ERR_PARSE, __func__, "%s: the file is incomplete", name);
    } else {
        iso_vec3 s = source->scale;
        scene_walk walk = {.ctx = ctx,
                           .scene = scene,
                           .source = source,
                           .builder = builder,
                           .is_y_up = extension[0] == 'g',
                           .mirrors = ((s.x < 0.0) != (s.y < 0.0)) != (s.z < 0.0)};
        affine identity = {iso_mat3_identity(), iso_vec3_zero()};
        status = add_node(&walk, scene->mRootNode, &identity, 0);
        if (status != ISO_OK) {
            status = iso_fail_prefix(ctx, status, "%s", name);
        }
    }
    aiReleaseImport(scene);
    return status;
}
