// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Everything in this file runs in a child process: no context, memory of the C library alone.

#include "geometry/mesh_files/assimp_import.h"

#if defined(ISO_HAS_ASSIMP)

#include "base/core/alloc.h"
#include "base/core/text.h"
#include "geometry/mesh_files/dae_indices.h"
#include "geometry/mesh_files/vtk/vtk.h"

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Files that one surface may be spread over (the buffers of a glTF), opened over and over included.
#define MAX_OPEN_COUNT 256
#define MAX_NODE_DEPTH 256
#define MAX_WARNING_COUNT 10
#define TRIANGLES_AT_ONCE (ISO_CHILD_RECORD_SIZE / sizeof(iso_assimp_triangle))

// What assimp reads through: the main file is in memory, others are read from disk when allowed.
typedef struct file_source {
    const iso_assimp_job* job;
    const iso_child_pipe* pipe;
    iso_child_bounds bounds;
    int open_count;
    int warning_count;
    size_t total_size;
    bool is_out_of_memory; // assimp only learns that a file could not be opened
} file_source;

typedef struct open_file {
    struct aiFile file; // first, so that aiFile* leads back here
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

// Another file was opened: reading may take longer.
static void raise_bounds(file_source* source, size_t size) {
    uint64_t sent = size;
    source->total_size += size;
    source->bounds.seconds = ISO_ASSIMP_SECONDS(source->job->size + source->total_size);
    source->bounds.bytes = ISO_ASSIMP_BYTES(source->job->size + source->total_size);
    iso_child_bound(&source->bounds);
    iso_child_send(source->pipe, ISO_ASSIMP_OPENED, &sent, sizeof sent);
}

static struct aiFile* source_open(struct aiFileIO* io, const char* path, const char* mode) {
    file_source* source = (file_source*)io->UserData;
    const iso_assimp_job* job = source->job;
    bool is_main = strcmp(path, job->main_name) == 0;
    if (mode[0] != 'r' || (!is_main && !job->may_open_others) ||
        source->open_count >= MAX_OPEN_COUNT) {
        return NULL;
    }
    open_file* f = iso_alloc_zeroed(NULL, sizeof *f);
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
    f->bytes = job->bytes;
    f->size = job->size;
    if (!is_main) {
        iso_child_send(source->pipe, ISO_ASSIMP_OPENS, path, strlen(path));
        size_t room = ISO_MESH_FILE_MAX_SIZE - source->total_size;
        iso_status status = iso_file_read(NULL, path, room, &f->owned_bytes, &f->size);
        if (status != ISO_OK) {
            source->is_out_of_memory = status == ISO_ERR_MEMORY;
            iso_free(NULL, f);
            return NULL;
        }
        f->bytes = f->owned_bytes;
        raise_bounds(source, f->size);
    }
    ++source->open_count;
    return &f->file;
}

static void source_close(struct aiFileIO* io, struct aiFile* file) {
    (void)io;
    open_file* f = (open_file*)file->UserData;
    iso_free(NULL, f->owned_bytes);
    iso_free(NULL, f);
}

// A walk over the nodes of a scene.
typedef struct scene_walk {
    const iso_assimp_job* job;
    const iso_child_pipe* pipe;
    const struct aiScene* scene;
    bool mirrors; // scale of negative determinant
    int64_t ignored_count;
    iso_assimp_triangle* triangles; // [TRIANGLES_AT_ONCE]
    size_t triangle_count;
} scene_walk;

static void send_failure(const iso_child_pipe* pipe, iso_status status, int line,
                         const char* text) {
    struct {
        iso_assimp_failure head;
        char text[1000];
    } message = {.head = {(int32_t)status, line}};
    (void)snprintf(message.text, sizeof message.text, "%s", text);
    iso_child_send(pipe, ISO_ASSIMP_FAILED, &message, sizeof message.head + strlen(message.text));
}

// Tell the parent why there is no mesh. Returns false.
static bool fail(const iso_child_pipe* pipe, iso_status status, const char* format, ...) {
    char text[1000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    send_failure(pipe, status, 0, text);
    return false;
}

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
    if (walk->job->is_y_up) {
        p = iso_vec3_make(p.x, -p.z, p.y);
    }
    return iso_vec3_mul(p, walk->job->scale);
}

static void flush(scene_walk* walk) {
    iso_child_send(walk->pipe, ISO_ASSIMP_TRIANGLES, walk->triangles,
                   walk->triangle_count * sizeof *walk->triangles);
    walk->triangle_count = 0;
}

static bool add_mesh(scene_walk* walk, const struct aiMesh* mesh, const affine* x) {
    bool is_mirrored = (iso_mat3_determinant(&x->m) < 0.0) != walk->mirrors;
    for (unsigned i = 0; i < mesh->mNumFaces; ++i) {
        const struct aiFace* face = &mesh->mFaces[i];
        if (face->mNumIndices != 3) { // triangulated already: a point or a line
            ++walk->ignored_count;
            continue;
        }
        iso_assimp_triangle* triangle = &walk->triangles[walk->triangle_count];
        for (int k = 0; k < 3; ++k) {
            unsigned index = face->mIndices[is_mirrored ? 2 - k : k];
            if (index >= mesh->mNumVertices) {
                return fail(walk->pipe, ISO_ERR_PARSE, "triangle %u names vertex %u of %u", i,
                            index, mesh->mNumVertices);
            }
            triangle->corners[k] = place_vertex(walk, x, mesh->mVertices[index]);
        }
        if (++walk->triangle_count == TRIANGLES_AT_ONCE) {
            flush(walk);
        }
    }
    return true;
}

static bool add_node(scene_walk* walk, const struct aiNode* node, const affine* parent, int depth) {
    if (depth >= MAX_NODE_DEPTH) {
        return fail(walk->pipe, ISO_ERR_RANGE, "nodes nest deeper than %d", MAX_NODE_DEPTH);
    }
    affine own = affine_from_ai(&node->mTransformation);
    affine x = affine_mul(parent, &own);
    for (unsigned i = 0; i < node->mNumMeshes; ++i) {
        unsigned mesh = node->mMeshes[i];
        if (mesh >= walk->scene->mNumMeshes) {
            return fail(walk->pipe, ISO_ERR_PARSE, "a node names mesh %u of %u", mesh,
                        walk->scene->mNumMeshes);
        }
        if (!add_mesh(walk, walk->scene->mMeshes[mesh], &x)) {
            return false;
        }
    }
    for (unsigned i = 0; i < node->mNumChildren; ++i) {
        if (!add_node(walk, node->mChildren[i], &x, depth + 1)) {
            return false;
        }
    }
    return true;
}

static void fail_of_memory(const file_source* source) {
    fail(source->pipe, ISO_ERR_MEMORY, "%.0f", source->bounds.bytes / ISO_ASSIMP_MEGABYTE);
}

static void send_scene(const file_source* source, const struct aiScene* scene) {
    iso_vec3 s = source->job->scale;
    scene_walk walk = {.job = source->job,
                       .pipe = source->pipe,
                       .scene = scene,
                       .mirrors = ((s.x < 0.0) != (s.y < 0.0)) != (s.z < 0.0)};
    walk.triangles = iso_alloc(NULL, TRIANGLES_AT_ONCE * sizeof *walk.triangles);
    if (!walk.triangles) {
        fail_of_memory(source);
        return;
    }
    affine identity = {iso_mat3_identity(), iso_vec3_zero()};
    if (add_node(&walk, scene->mRootNode, &identity, 0)) {
        flush(&walk);
        iso_child_send(walk.pipe, ISO_ASSIMP_IGNORED, &walk.ignored_count,
                       sizeof walk.ignored_count);
    }
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
    const struct aiScene* scene = aiImportFileExWithProperties(
        source->job->main_name, aiProcess_Triangulate, &io, properties);
    aiReleasePropertyStore(properties);
    return scene;
}

// assimp warns of what it leaves out. What does not concern the triangles is not passed on.
static void pass_warning(const char* message, char* user) {
    static const char* const k_other[] = {"aterial",  "exture", "olor",
                                          "nimation", "light",  "amera"};
    file_source* source = (file_source*)(void*)user;
    const char* text = strstr(message, ": "); // after "Warn,  T0: "
    bool is_warning = strncmp(message, "Warn", 4) == 0 && text;
    for (size_t i = 0; i < sizeof k_other / sizeof k_other[0]; ++i) {
        is_warning = is_warning && !strstr(message, k_other[i]);
    }
    if (is_warning && ++source->warning_count <= MAX_WARNING_COUNT) {
        size_t length = strcspn(text + 2, "\n");
        iso_child_send(source->pipe, ISO_ASSIMP_WARNED, text + 2, length < 1000 ? length : 1000);
    }
}

// The same without comments, where there is memory for it; never freed, as the process ends.
static iso_assimp_job without_comments(const iso_assimp_job* job) {
    iso_assimp_job plain = *job;
    char* bytes = strcmp(job->extension, "dae") == 0 ? malloc(job->size + 1) : NULL;
    if (bytes) {
        memcpy(bytes, job->bytes, job->size);
        iso_dae_blank_comments(bytes, job->size);
        plain.bytes = bytes;
    }
    return plain;
}

void iso_assimp_import(const iso_assimp_job* given, const iso_child_pipe* pipe) {
    iso_assimp_job plain = *given;
    const iso_assimp_job* job = &plain;
    file_source source = {.job = job, .pipe = pipe};
    source.bounds.seconds = ISO_ASSIMP_SECONDS(job->size);
    source.bounds.bytes = ISO_ASSIMP_BYTES(job->size);
    iso_child_bound(&source.bounds);
    iso_dae_fault fault;
    if (strcmp(job->extension, "dae") == 0 && iso_dae_find_fault(job->bytes, job->size, &fault)) {
        send_failure(pipe, ISO_ERR_PARSE, fault.line, fault.text);
        return;
    }
    plain = without_comments(given);
    struct aiLogStream log = {pass_warning, (char*)&source};
    aiAttachLogStream(&log);
    const struct aiScene* scene = import_scene(&source);
    if (source.is_out_of_memory || (!scene && strstr(aiGetErrorString(), "bad_alloc"))) {
        fail_of_memory(&source);
    } else if (!scene) {
        fail(pipe, ISO_ERR_PARSE, "not a readable .%s file (%s)", job->extension,
             aiGetErrorString());
    } else if (!scene->mRootNode || (scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE)) {
        fail(pipe, ISO_ERR_PARSE, "the file is incomplete");
    } else {
        send_scene(&source, scene);
    } // the process ends here: nothing is released
}

#endif
