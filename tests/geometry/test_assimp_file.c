// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Files that assimp reads, in a process of its own.

#include "base/core/poison.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/surface_builder.h"
#include "geometry/mesh_files/surface_file.h"
#include "geometry/surface_samples.h"
#include "support/assets.h"
#include "support/busy_heap.h"
#include "support/failing_context.h"
#include "support/kept_warning.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>

static const iso_vec3 k_ones = {1.0, 1.0, 1.0};

static void check_no_zombie(void) {
    int state;
    assert_int_equal(waitpid(-1, &state, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

// Whatever a version of assimp makes of it: an error that names the file, and we live.
static void check_refused(const void* bytes, size_t size, const char* extension) {
    iso_context* ctx = test_context();
    iso_tri_mesh mesh;
    iso_status status =
        iso_tri_mesh_load_memory(ctx, bytes, size, extension, "dir/m", k_ones, &mesh);
    CHECK(status == ISO_ERR_PARSE || status == ISO_ERR_RANGE || status == ISO_ERR_MEMORY,
          "status %d", (int)status);
    CHECK_ERROR(ctx, "dir/m: ");
    assert_null(mesh.vertices);
    check_no_zombie();
    test_context_destroy(ctx);
}

// text with its first old replaced. Returns the size.
static size_t replace(char* bytes, size_t size, const char* text, const char* old,
                      const char* new_part) {
    const char* at = strstr(text, old);
    assert_non_null(at);
    return (size_t)snprintf(bytes, size, "%.*s%s%s", (int)(at - text), text, new_part,
                            at + strlen(old));
}

// A sample with a part of it replaced.
static void check_refused_with(const char* text, const char* old, const char* new_part,
                               const char* extension) {
    char bytes[4096];
    size_t size = replace(bytes, sizeof bytes, text, old, new_part);
    check_refused(bytes, size, extension);
}

static const char k_corners[] = "<p>0 2 1 0 1 3";

// assimp takes the first for 0, and the others for corners without end.
static void indices_that_are_none_are_named_with_their_line(void** state) {
    (void)state;
    static const struct {
        const char *part, *message;
    } cases[] = {
        {"<p>0 2 1\n-1 1 3", "m:2: '-1' in <p>, expected whole numbers from 0 to 2147483647"},
        {"<p>x 2 1 0 1 3", "m:1: 'x' in <p>, expected whole"},
        {"<p\n>x 2 1 0 1 3", "m:2: 'x' in <p>, expected whole"},
        {"<p>\n\n0 2 1.5 0 1 3", "m:3: '1.5' in <p>, expected whole"},
        {"<p>0 2 99999999999 0 1 3", "m:1: '99999999999' in <p>, expected whole"},
        {"<p><![CDATA[0 2 x]]> 0 1 3", "m:1: 'x' in <p>, expected whole"},
        {"<p>0 2\n<!-- a\n comment -->\n1 0 -1 3", "m:4: '-1' in <p>, expected whole"},
        {"<p>0 2 1 0 1&#45; 3", "m:1: '1-' in <p>, expected whole"},
        {"<p a='1' a='2'>0 2 1 -1 1 3", "m:1: '-1' in <p>, expected whole"},
        {"<!-- -- -->&<p>0 2 1 x 1 3", "m:1: 'x' in <p>, expected whole"},
        {"<!-- \xfc --><p>0 2 1 x 1 3", "m:1: 'x' in <p>, expected whole"},
        {"<p>0&nbsp;2 1 0 1 3", "m:1: '&nbsp;' in <p>, expected whole"},
        {"<p/>-1 x<p>0 2 1 0 1 3", "m: not a readable .dae file (Expected different"},
        {"<vcount>3 3 -3</vcount><p>0 2 1 0 1 y", "m:1: 'y' in <p>, expected whole"},
        {"<ph><p>0 2 1</p><h>0\n1 z</h></ph><p>0 2 1 0 1 3", "m:2: 'z' in <h>, expected whole"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_context* ctx = test_context();
        iso_tri_mesh mesh;
        char bytes[4096];
        size_t size = replace(bytes, sizeof bytes, k_dae, k_corners, cases[i].part);
        CHECK_STATUS(ctx, iso_tri_mesh_load_memory(ctx, bytes, size, "dae", "m", k_ones, &mesh),
                     ISO_ERR_PARSE);
        CHECK_ERROR(ctx, cases[i].message);
        test_context_destroy(ctx);
    }
}

static void lines_are_counted_beyond_what_xml_nodes_keep(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tri_mesh mesh;
    size_t line_count = 70000, size = line_count + 4096;
    char *part = malloc(size), *bytes = malloc(size);
    assert_true(part && bytes);
    memset(part, '\n', line_count);
    strcpy(part + line_count, "<p>\n0 2 1 0 -1 3");
    size = replace(bytes, size, k_dae, k_corners, part);
    CHECK_STATUS(ctx, iso_tri_mesh_load_memory(ctx, bytes, size, "dae", "m", k_ones, &mesh),
                 ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "m:70002: '-1' in <p>");
    free(part);
    free(bytes);
    test_context_destroy(ctx);
}

// Blanks of any kind, and paragraphs of notes.
static void lists_of_any_shape_are_read(void** state) {
    (void)state;
    static const struct {
        const char *old, *part;
    } k_cases[] = {{"<p>0 2 1", "<!-- a b -->\n<p>\r\n0 2\t1"},
                   {"</COLLADA>", "<extra><note><p>some -1 words</p></note></extra></COLLADA>"}};
    for (size_t i = 0; i < sizeof k_cases / sizeof *k_cases; ++i) {
        iso_context* ctx = test_context();
        iso_tri_mesh mesh;
        char bytes[4096];
        size_t size = replace(bytes, sizeof bytes, k_dae, k_cases[i].old, k_cases[i].part);
        CHECK_OK(ctx, iso_tri_mesh_load_memory(ctx, bytes, size, "dae", "m", k_ones, &mesh));
        assert_int_equal(mesh.triangle_count, 4);
        iso_tri_mesh_destroy(ctx, &mesh);
        test_context_destroy(ctx);
    }
}

// Ten levels of ten entities each: 10^10 words, were they put in.
static void entities_are_refused_before_they_grow(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tri_mesh mesh;
    char bytes[2048] = "<!DOCTYPE a [\n<!ENTITY e0 \"corner\">\n";
    for (int i = 1; i <= 10; ++i) {
        size_t used = strlen(bytes);
        int written = snprintf(bytes + used, sizeof bytes - used, "<!ENTITY e%d \"", i);
        for (int k = 0; k < 10; ++k) {
            used += (size_t)written;
            written = snprintf(bytes + used, sizeof bytes - used, "&e%d;", i - 1);
        }
        used += (size_t)written;
        snprintf(bytes + used, sizeof bytes - used, "\">\n");
    }
    strcat(bytes, "]>\n<COLLADA><triangles><p>&e10;</p></triangles></COLLADA>\n");
    CHECK_STATUS(ctx,
                 iso_tri_mesh_load_memory(ctx, bytes, strlen(bytes), "dae", "m", k_ones, &mesh),
                 ISO_ERR_PARSE);
    CHECK_ERROR(ctx, "m:1: document type definitions are not read");
    check_refused("", 0, "dae");
    test_context_destroy(ctx);
}

static void malformed_files_are_errors_and_the_process_lives(void** state) {
    (void)state;
    check_refused_with(k_dae, "count=\"12\">", "count=\"-2\">", "dae"); // assimp 5.2: signal 11
    check_refused_with(k_dae, "<p>0 2 1", "<p>0 2 9", "dae");
    check_refused_with(k_dae, "0 0 0 100</float_array>", "</float_array>", "dae");
    char gltf[2048];
    make_gltf(gltf, sizeof gltf, "", NULL);
    check_refused_with(gltf, "\"byteLength\":48", "\"byteLength\":4800", "gltf");
    check_refused_with(gltf, "\"count\":12", "\"count\":1200000", "gltf");
    check_refused_with(gltf, "\"indices\":1", "\"indices\":7", "gltf");
    check_refused_with(gltf, "\"mesh\":0", "\"mesh\":3", "gltf");
}

#ifndef ISO_HAS_ADDRESS_SANITIZER // memory has no bound there
static void more_memory_than_a_file_may_need_is_refused(void** state) {
    (void)state;
    check_refused_with(k_dae, "count=\"12\">", "count=\"999999999\">", "dae");
}
#endif

static void files_that_end_too_early_are_errors(void** state) {
    (void)state;
    unsigned char glb[2048];
    size_t size = make_glb(glb, sizeof glb);
    for (size_t cut = 1; cut < size; cut += 97) {
        check_refused(glb, size - cut, "glb");
    }
    for (size_t cut = 1; cut < strlen(k_dae); cut += 211) {
        check_refused(k_dae, strlen(k_dae) - cut, "dae");
    }
}

static void what_assimp_leaves_out_is_a_warning(void** state) {
    (void)state;
    kept_warning kept;
    iso_context* ctx = warned_context(&kept);
    char gltf[2048];
    make_gltf(gltf, sizeof gltf, "", NULL);
    strstr(gltf, "\"count\":12")[9] = '1'; // a triangle has lost a corner
    iso_tri_mesh mesh;
    CHECK_OK(ctx, iso_tri_mesh_load_memory(ctx, gltf, strlen(gltf), "gltf", "m", k_ones, &mesh));
    assert_int_equal(mesh.triangle_count, 3);
    CHECK_TEXT(kept.text, "m: the .gltf reader says: The number of vertices was not compatible");
    iso_tri_mesh_destroy(ctx, &mesh);
    iso_context_destroy(ctx);
}

static void a_caller_that_ignores_its_children_gets_meshes_and_errors(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_tri_mesh mesh;
    struct sigaction none = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGCHLD, &none, &before);
    CHECK_OK(ctx, iso_tri_mesh_load_memory(ctx, k_dae, strlen(k_dae), "dae", "m", k_ones, &mesh));
    assert_int_equal(mesh.triangle_count, 4);
    iso_tri_mesh_destroy(ctx, &mesh);
    check_refused_with(k_dae, "count=\"12\">", "count=\"-2\">", "dae");
    sigaction(SIGCHLD, &before, NULL);
    test_context_destroy(ctx);
}

// Comments may stand anywhere, and end anywhere; assimp 5.2 takes some for elements.
static void comments_of_a_dae_mean_nothing(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    static const char* const k_comments[] = {"<!-- <input/> -->", "<!---->", "<!--->\n-- ->-->",
                                             "<!-- <p>0 1 2</p>\n <!-- -->"};
    for (const char* at = strchr(k_dae + 8, '<'); at; at = strchr(at + 1, '<')) {
        for (size_t i = 0; i < sizeof k_comments / sizeof *k_comments; ++i) {
            char bytes[8192];
            iso_tri_mesh mesh;
            int size = snprintf(bytes, sizeof bytes, "%.*s%s%s", (int)(at - k_dae), k_dae,
                                k_comments[i], at);
            assert_in_range(size, 1, sizeof bytes - 1);
            CHECK_OK(ctx,
                     iso_tri_mesh_load_memory(ctx, bytes, (size_t)size, "dae", "m", k_ones, &mesh));
            assert_int_equal(mesh.triangle_count, 4);
            iso_tri_mesh_destroy(ctx, &mesh);
        }
    }
    test_context_destroy(ctx);
}

static atomic_bool g_is_over;

static void* load_some(void* user) {
    (void)user;
    iso_context* ctx = test_context();
    for (int i = 0; i < 10; ++i) {
        iso_tri_mesh mesh;
        CHECK_OK(ctx,
                 iso_tri_mesh_load_memory(ctx, k_dae, strlen(k_dae), "dae", "m", k_ones, &mesh));
        assert_int_equal(mesh.triangle_count, 4);
        iso_tri_mesh_destroy(ctx, &mesh);
    }
    test_context_destroy(ctx);
    return NULL;
}

// Not so in AddressSanitizer's allocator, whose locks a child inherits as they are.
static void threads_may_load_while_others_allocate(void** state) {
    (void)state;
#ifdef ISO_HAS_ADDRESS_SANITIZER
    skip();
#endif
    pthread_t loaders[2], allocators[2];
    atomic_store(&g_is_over, false);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(pthread_create(&allocators[i], NULL, allocate_all_the_time, &g_is_over),
                         0);
        assert_int_equal(pthread_create(&loaders[i], NULL, load_some, NULL), 0);
    }
    for (int i = 0; i < 2; ++i) {
        pthread_join(loaders[i], NULL);
    }
    atomic_store(&g_is_over, true);
    for (int i = 0; i < 2; ++i) {
        pthread_join(allocators[i], NULL);
    }
    check_no_zombie();
}

// What assimp gives when it is called in this process.
typedef struct oracle {
    iso_context* ctx;
    const struct aiScene* scene;
    iso_surface_builder builder;
} oracle;

static iso_vec3 times(const iso_mat3* m, iso_vec3 t, iso_vec3 p) {
    return iso_vec3_add(iso_mat3_mul_vec3(m, p), t);
}

static void add_node(oracle* o, const struct aiNode* node, const iso_mat3* parent_m,
                     iso_vec3 parent_t) {
    const struct aiMatrix4x4* a = &node->mTransformation;
    iso_mat3 own = {{{(double)a->a1, (double)a->a2, (double)a->a3},
                     {(double)a->b1, (double)a->b2, (double)a->b3},
                     {(double)a->c1, (double)a->c2, (double)a->c3}}};
    iso_mat3 m = iso_mat3_mul(*parent_m, own);
    iso_vec3 t =
        times(parent_m, parent_t, iso_vec3_make((double)a->a4, (double)a->b4, (double)a->c4));
    bool is_mirrored = iso_mat3_determinant(&m) < 0.0;
    for (unsigned i = 0; i < node->mNumMeshes; ++i) {
        const struct aiMesh* mesh = o->scene->mMeshes[node->mMeshes[i]];
        for (unsigned f = 0; f < mesh->mNumFaces; ++f) {
            iso_vec3 corners[3];
            for (int k = 0; k < 3 && mesh->mFaces[f].mNumIndices == 3; ++k) {
                struct aiVector3D v =
                    mesh->mVertices[mesh->mFaces[f].mIndices[is_mirrored ? 2 - k : k]];
                iso_vec3 p = times(&m, t, iso_vec3_make((double)v.x, (double)v.y, (double)v.z));
                corners[k] = iso_vec3_make(p.x, -p.z, p.y);
            }
            if (mesh->mFaces[f].mNumIndices == 3) {
                CHECK_OK(o->ctx, iso_surface_builder_add(o->ctx, &o->builder, corners));
            }
        }
    }
    for (unsigned i = 0; i < node->mNumChildren; ++i) {
        add_node(o, node->mChildren[i], &m, t);
    }
}

// true when the file is readable.
static bool compare_with_oracle(iso_context* ctx, const char* path) {
    iso_tri_mesh mesh;
    iso_status status = iso_tri_mesh_load(ctx, path, k_ones, &mesh);
    if (status == ISO_OK) { // assimp leaks where it fails
        oracle o = {.ctx = ctx, .scene = aiImportFile(path, aiProcess_Triangulate)};
        assert_non_null(o.scene);
        iso_mat3 identity = iso_mat3_identity();
        add_node(&o, o.scene->mRootNode, &identity, iso_vec3_zero());
        iso_tri_mesh want = iso_surface_builder_finish(ctx, &o.builder);
        CHECK(mesh.vertex_count == want.vertex_count && mesh.triangle_count == want.triangle_count,
              "%s: %d vertices, %d triangles", path, mesh.vertex_count, mesh.triangle_count);
        assert_memory_equal(mesh.vertices, want.vertices,
                            (size_t)want.vertex_count * sizeof *want.vertices);
        assert_memory_equal(mesh.triangles, want.triangles,
                            (size_t)want.triangle_count * sizeof *want.triangles);
        iso_tri_mesh_destroy(ctx, &want);
        aiReleaseImport(o.scene);
    }
    iso_tri_mesh_destroy(ctx, &mesh);
    return status == ISO_OK;
}

static void meshes_are_those_that_assimp_gives_here_to_the_bit(void** state) {
    (void)state;
    static const char* const k_folders[] = {"dishes/assets",
                                            "iiwa_description/meshes/iiwa14/visual",
                                            "veggies/assets",
                                            "iiwa_description/meshes/iiwa7/visual",
                                            "wsg_50_description/meshes",
                                            "manipulation_station/assets",
                                            "jaco_description/meshes"};
    char folder[TEST_PATH_SIZE], path[2 * TEST_PATH_SIZE];
    asset_path(folder, k_folders[0]); // skips where there are none
    iso_context* ctx = test_context();
    int count = 0;
    for (size_t i = 0; i < sizeof k_folders / sizeof k_folders[0]; ++i) {
        DIR* entries = opendir(asset_path(folder, k_folders[i]));
        assert_non_null(entries);
        for (struct dirent* entry; (entry = readdir(entries)) != NULL;) {
            const char* dot = strrchr(entry->d_name, '.');
            if (dot && strcmp(dot, ".gltf") == 0) {
                snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
                count += compare_with_oracle(ctx, path);
            }
        }
        closedir(entries);
    }
    CHECK(count >= 40, "%d files", count);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_that_are_none_are_named_with_their_line),
        cmocka_unit_test(lines_are_counted_beyond_what_xml_nodes_keep),
        cmocka_unit_test(lists_of_any_shape_are_read),
        cmocka_unit_test(entities_are_refused_before_they_grow),
        cmocka_unit_test(malformed_files_are_errors_and_the_process_lives),
#ifndef ISO_HAS_ADDRESS_SANITIZER
        cmocka_unit_test(more_memory_than_a_file_may_need_is_refused),
#endif
        cmocka_unit_test(files_that_end_too_early_are_errors),
        cmocka_unit_test(what_assimp_leaves_out_is_a_warning),
        cmocka_unit_test(a_caller_that_ignores_its_children_gets_meshes_and_errors),
        cmocka_unit_test(comments_of_a_dae_mean_nothing),
        cmocka_unit_test(threads_may_load_while_others_allocate),
        cmocka_unit_test(meshes_are_those_that_assimp_gives_here_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
