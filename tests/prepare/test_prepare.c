// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The whole of iso_prepare(), with a script in the place of gmsh that gives a known mesh. What the
// real meshers make is looked at in tests/cli/test_prepare.py.

#include "base/system/clock.h"
#include "base/system/process.h"
#include "prepare/surfaces.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

// A tetrahedron of 0.1 m.
static const char k_surface[] = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\n"
                                "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
static const char k_volume[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 0.1 0 0\n"
    "3 0 0.1 0\n4 0 0 0.1\n5 0.02 0.03 0.02\n$EndNodes\n$Elements\n4\n"
    "1 4 2 0 1 1 3 2 5\n2 4 2 0 1 1 2 4 5\n3 4 2 0 1 2 3 4 5\n"
    "4 4 2 0 1 1 4 3 5\n$EndElements\n";

typedef struct files {
    char surface[TEST_PATH_SIZE], mesh[TEST_PATH_SIZE], gmsh[TEST_PATH_SIZE];
    char sdf[TEST_PATH_SIZE], urdf[TEST_PATH_SIZE], report[TEST_PATH_SIZE], log[TEST_PATH_SIZE];
    iso_prepare_desc desc;
} files;

static void write_text(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_files(files* f, const char* volume) {
    static char script[4096];
    write_text(temp_path(f->surface, "tet.obj"), k_surface);
    (void)snprintf(script, sizeof script, "#!/bin/sh\necho made\ncat > volume.msh <<'END'\n%sEND\n",
                   volume);
    write_text(temp_path(f->gmsh, "gmsh"), script);
    assert_int_equal(chmod(f->gmsh, 0700), 0);
    f->desc = iso_prepare_desc_default();
    f->desc.input = f->surface;
    f->desc.output = temp_path(f->mesh, "tet.vtu");
    f->desc.sdf = temp_path(f->sdf, "tet.sdf");
    f->desc.urdf = temp_path(f->urdf, "tet.urdf");
    f->desc.report = temp_path(f->report, "tet.html");
    f->desc.log = temp_path(f->log, "tet.log");
    f->desc.gmsh = f->gmsh;
    f->desc.mesher = ISO_PREPARE_MESHER_GMSH;
}

// Without the log, which failures write as well.
static int count_outputs(const files* f) {
    const char* const paths[] = {f->mesh, f->sdf, f->urdf, f->report};
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        count += access(paths[i], F_OK) == 0;
    }
    return count;
}

static void check_file(const char* path, const char* expected) {
    char text[1024];
    FILE* file = fopen(path, "r");
    CHECK(file != NULL, "%s is not there", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, expected);
}

static void remove_files(const files* f) {
    const char* const paths[] = {f->mesh, f->sdf, f->urdf, f->report, f->log, f->surface, f->gmsh};
    for (int i = 0; i < 7; ++i) {
        (void)remove(paths[i]);
    }
}

static void everything_is_written_and_reported(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    iso_prepare_report r;
    make_files(&f, k_volume);
    CHECK_OK(ctx, iso_prepare(ctx, &f.desc, NULL, &r));
    assert_int_equal(count_outputs(&f), 4);
    check_file(f.log, "--- gmsh ---\nmade\n");
    assert_string_equal(r.field, "distance");
    assert_int_equal(r.stage_count, 9);
    assert_int_equal(r.mesh_vertex_count, 5);
    assert_int_equal(r.mesh_tet_count, 4);
    assert_int_equal(r.hole_count + r.turned_count + r.warning_count, 0);
    CHECK_REL(r.mesh_volume, 1e-3 / 6.0, 1e-14); // measured 1.6e-16
    CHECK_REL(r.mass, 1.0 / 6.0, 1e-14);         // measured 1.7e-16
    CHECK_VEC3_NEAR(r.center_of_mass, iso_vec3_make(0.025, 0.025, 0.025), 1e-16); // measured 6e-18
    CHECK_NEAR(r.thickness, 0.03 / sqrt(3.0), 1e-15);                             // measured 0
    CHECK_NEAR(r.extent_mean, 0.25, 1e-15); // one vertex of four in each tetrahedron; 0
    iso_volume_report v;
    iso_mass_properties mass;
    CHECK_OK(ctx, iso_volume_inspect(ctx, f.mesh, &v, &mass));
    assert_true(v.has_extent && !v.has_pressure && !v.has_modulus);
    CHECK_BITS(v.extent_low, 0.0);
    CHECK_BITS(v.extent_high, 1.0);
    CHECK_BITS(v.quality_min, r.quality_min);
    assert_int_equal(v.skin_element_count, 0);
    remove_files(&f);
    test_context_destroy(ctx);
}

// The last file cannot be written: what the others replaced comes back, what they made goes.
static void older_files_survive_a_failure(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    char spare[TEST_PATH_SIZE + 32];
    make_files(&f, k_volume);
    write_text(f.mesh, "older mesh");
    write_text(f.sdf, "older model");
    f.desc.log = "/dev/full";
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/dev/full: No space left on device");
    assert_int_equal(access("/dev/full", F_OK), 0);
    assert_int_equal(count_outputs(&f), 2);
    check_file(f.mesh, "older mesh");
    check_file(f.sdf, "older model");
    f.desc.log = NULL;
    CHECK_OK(ctx, iso_prepare(ctx, &f.desc, NULL, NULL));
    assert_int_equal(count_outputs(&f), 4);
    const char* const paths[] = {f.mesh, f.sdf, f.urdf, f.report};
    for (int i = 0; i < 4; ++i) {
        (void)snprintf(spare, sizeof spare, "%s.%ld.older", paths[i], (long)getpid());
        assert_int_equal(access(spare, F_OK), -1);
    }
    remove_files(&f);
    test_context_destroy(ctx);
}

static bool has_warning(const iso_prepare_report* r, const char* part) {
    for (int i = 0; i < r->warning_count; ++i) {
        if (strstr(r->warnings[i], part)) {
            return true;
        }
    }
    return false;
}

// A script in the place of the interpreter of fTetWild, and a surface without its slanted face. The
// inner vertex lies 0.02 from the faces that are given, 0.03 / sqrt(3) from that of the mesh.
static void depth_is_that_below_the_skin_of_the_mesh(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    iso_prepare_report r;
    iso_volume_report v;
    make_files(&f, k_volume);
    write_text(f.surface, "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
    f.desc.mesher = ISO_PREPARE_MESHER_FTETWILD;
    f.desc.python = f.gmsh;
    CHECK_OK(ctx, iso_prepare(ctx, &f.desc, NULL, &r));
    CHECK_NEAR(r.thickness, 0.03 / sqrt(3.0), 1e-15); // measured 0
    CHECK_OK(ctx, iso_volume_inspect(ctx, f.mesh, &v, NULL));
    CHECK_BITS(v.thickness, r.thickness);
    CHECK_BITS(r.full_depth_low, r.thickness);
    CHECK_BITS(r.full_depth_high, r.thickness);
    CHECK_BITS(v.full_depth_low, r.thickness);
    assert_true(has_warning(&r, "1 hole ("));
    assert_false(has_warning(&r, "touches itself"));
    remove_files(&f);
    test_context_destroy(ctx);
}

// What the fine envelope is too much for a coarser one may do; where that crashes too both crashes
// are told, nothing is written and the surface is left as it was.
static void a_crash_of_ftetwild_is_no_end_while_a_coarser_surface_is_left(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    iso_prepare_report r;
    static char script[4096];
    make_files(&f, k_volume);
    (void)snprintf(script, sizeof script,
                   "#!/bin/sh\necho thinking\n[ $3 = 0.001 ] && kill -SEGV $$\n"
                   "cat > volume.msh <<'END'\n%sEND\n",
                   k_volume);
    write_text(f.gmsh, script);
    f.desc.mesher = ISO_PREPARE_MESHER_FTETWILD;
    f.desc.python = f.gmsh;
    CHECK_OK(ctx, iso_prepare(ctx, &f.desc, NULL, &r));
    assert_string_equal(r.mesher, "fTetWild");
    assert_true(has_warning(&r, "fTetWild crashed: it fills a coarser surface, within 1.4 mm of "
                                "this one with vertices merged, for at most 36 s"));
    assert_false(has_warning(&r, "--time-limit"));
    remove_files(&f);
    make_files(&f, k_volume);
    f.desc.mesher = ISO_PREPARE_MESHER_FTETWILD;
    f.desc.python = f.gmsh;
    write_text(f.gmsh, "#!/bin/sh\necho thinking of $3\nkill -SEGV $$\n");
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, &r), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "fTetWild crashed (signal 11) after 0.");
    CHECK_ERROR(ctx, "last words: thinking of 0.001; on a coarser surface: fTetWild crashed");
    CHECK_ERROR(ctx, "last words: thinking of 0.005");
    assert_int_equal(count_outputs(&f), 0);
    check_file(f.surface, k_surface);
    remove_files(&f);
    test_context_destroy(ctx);
}

// gmsh crashes, and there is no fTetWild that could.
static void a_program_that_does_not_begin_does_not_crash(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    iso_prepare_report r;
    make_files(&f, k_volume);
    write_text(f.gmsh, "#!/bin/sh\nkill -SEGV $$\n");
    f.desc.mesher = ISO_PREPARE_MESHER_AUTO;
    f.desc.python = "/nowhere/python3";
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, &r), ISO_ERR_NOT_FOUND);
    CHECK_ERROR(ctx, "'/nowhere/python3', which is to run fTetWild, is not to be found");
    assert_null(strstr(iso_context_error(ctx), "coarser surface"));
    assert_int_equal(count_outputs(&f), 0);
    remove_files(&f);
    test_context_destroy(ctx);
}

// Two tetrahedra with an edge in common and nothing else.
static void a_skin_that_touches_itself_is_a_warning(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    iso_prepare_report r;
    make_files(&f, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 0.1 0 0\n"
                   "3 0 0.1 0\n4 0 0 0.1\n5 -0.1 0 0\n6 0 -0.1 0\n$EndNodes\n$Elements\n2\n"
                   "1 4 2 0 1 1 2 3 4\n2 4 2 0 1 1 5 6 4\n$EndElements\n");
    f.desc.mesher = ISO_PREPARE_MESHER_FTETWILD;
    f.desc.python = f.gmsh;
    CHECK_OK(ctx, iso_prepare(ctx, &f.desc, NULL, &r));
    assert_true(has_warning(&r, "touches itself along 1 edge:"));
    remove_files(&f);
    test_context_destroy(ctx);
}

// A small tetrahedron that stands in the face of the large one, of which the mesher keeps the large
// one alone: it ends 0.034 / sqrt(3) m below the skin, and 0.01 / sqrt(3) or 0.2 / sqrt(3) m above
// it.
static void the_worst_place_of_a_surface_is_inside_or_outside_the_body(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    iso_prepare_report r;
    char surface[1024];
    for (int is_high = 0; is_high < 2; ++is_high) {
        make_files(&f, k_volume);
        (void)snprintf(surface, sizeof surface,
                       "%sv 0.022 0.022 0.022\nv %s\nv 0.04 0.03 0.04\nv 0.03 0.04 0.04\n"
                       "f 5 7 6\nf 5 6 8\nf 6 7 8\nf 5 8 7\n",
                       k_surface, is_high ? "0.1 0.1 0.1" : "0.04 0.04 0.03");
        write_text(f.surface, surface);
        f.desc.mesher = ISO_PREPARE_MESHER_FTETWILD;
        f.desc.python = f.gmsh;
        CHECK_OK(ctx, iso_prepare(ctx, &f.desc, NULL, &r));
        double expected = (is_high ? 0.2 : 0.034) / sqrt(3.0);
        CHECK_NEAR(r.surface_off.max, expected, 1e-15); // measured 1.1e-17
        assert_int_equal(has_warning(&r, "(0.022, 0.022, 0.022), inside the body: what"), !is_high);
        assert_int_equal(has_warning(&r, "(0.1, 0.1, 0.1), outside: something was lost"), is_high);
    }
    remove_files(&f);
    test_context_destroy(ctx);
}

// Both meshers hang: together they take no longer than the limit, and the message has both times.
static void meshers_of_auto_share_the_time_limit(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    iso_prepare_report r;
    char python[TEST_PATH_SIZE];
    make_files(&f, k_volume);
    write_text(temp_path(python, "python"), "#!/bin/sh\nexec sleep 100\n");
    assert_int_equal(chmod(python, 0700), 0);
    write_text(f.gmsh, "#!/bin/sh\nexec sleep 100\n");
    f.desc.mesher = ISO_PREPARE_MESHER_AUTO;
    f.desc.python = python;
    f.desc.time_limit = 0.8;
    double start = iso_clock_seconds();
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, &r), ISO_ERR_NO_CONVERGENCE);
    double seconds = iso_clock_seconds() - start;
    CHECK(seconds > 0.7 && seconds < 4.0, "took %g s", seconds); // measured 1.02 to 1.08
    CHECK_ERROR(ctx, "gmsh was not ready after 0.2 s, its part of the time limit, and was killed");
    CHECK_ERROR(ctx, "then fTetWild: ");
    assert_true(has_warning(&r, "fTetWild is used instead, for at most 0."));
    // fTetWild makes it.
    static char script[4096];
    (void)snprintf(script, sizeof script, "#!/bin/sh\ncat > volume.msh <<'END'\n%sEND\n", k_volume);
    write_text(python, script);
    f.desc.time_limit = 3.0;
    CHECK_OK(ctx, iso_prepare(ctx, &f.desc, NULL, &r));
    assert_string_equal(r.mesher, "fTetWild");
    assert_true(has_warning(&r, "gmsh was not ready after 0.75 s"));
    assert_false(has_warning(&r, "coarser surface"));
    // fTetWild makes it with a wider envelope alone: what the caller asked for is kept, and said.
    (void)snprintf(script, sizeof script,
                   "#!/bin/sh\n[ $3 = 0.001 ] && exec sleep 100\n"
                   "[ $2 = 0.03 ] || exit 1\ncat > volume.msh <<'END'\n%sEND\n",
                   k_volume);
    write_text(python, script);
    f.desc.size = 0.03;
    CHECK_OK(ctx, iso_prepare(ctx, &f.desc, NULL, &r));
    assert_true(has_warning(&r, "it fills a coarser surface, within 1.4 mm of this one with "
                                "vertices merged, for at most 0.9 s"));
    // So it is where nothing but fTetWild is asked for.
    f.desc.mesher = ISO_PREPARE_MESHER_FTETWILD;
    CHECK_OK(ctx, iso_prepare(ctx, &f.desc, NULL, &r));
    assert_true(has_warning(&r, "it fills a coarser surface, within 1.4 mm of this one with "
                                "vertices merged, for at most 0.9 s"));
    f.desc.time_limit = 0.3;
    write_text(python, "#!/bin/sh\nexec sleep 100\n");
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, &r), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "fTetWild was not ready after 0.09 s, its part of the time limit");
    remove_files(&f);
    assert_int_equal(unlink(python), 0);
    test_context_destroy(ctx);
}

// A sixth vertex a nanometre from the middle of an inner triangle: as deep as it is, not as deep as
// the triangle's corners make it there, its extent jumps by 0.077 across a tetrahedron of height
// 5.5e-10 m, where 48 / m is the mean.
static const char k_flat_volume[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 0.1 0 0\n3 0 0.1 0\n4 0 0 0.1\n"
    "5 0.02 0.03 0.02\n6 0.02 0.015000001 0.01\n$EndNodes\n$Elements\n7\n"
    "1 4 2 0 1 6 3 2 5\n2 4 2 0 1 1 6 2 5\n3 4 2 0 1 1 3 6 5\n4 4 2 0 1 1 3 2 6\n"
    "5 4 2 0 1 1 2 4 5\n6 4 2 0 1 2 3 4 5\n7 4 2 0 1 1 4 3 5\n$EndElements\n";

static void a_field_that_jumps_across_a_flat_tetrahedron_is_refused_or_made_anew(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    iso_prepare_report r;
    char python[TEST_PATH_SIZE], script[2048];
    make_files(&f, k_flat_volume);
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, &r), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "tetrahedra of gmsh are so flat that the pressure rises up to 2.9e+06 times");
    CHECK_ERROR(ctx, "try --mesher ftetwild, a new surface by --size");
    assert_int_equal(count_outputs(&f), 0);
    (void)snprintf(script, sizeof script, "#!/bin/sh\ncat > volume.msh <<'END'\n%sEND\n", k_volume);
    write_text(temp_path(python, "python"), script);
    assert_int_equal(chmod(python, 0700), 0);
    f.desc.python = python;
    f.desc.mesher = ISO_PREPARE_MESHER_AUTO;
    CHECK_OK(ctx, iso_prepare(ctx, &f.desc, NULL, &r));
    assert_string_equal(r.mesher, "fTetWild");
    assert_int_equal(r.mesh_tet_count, 4);
    assert_int_equal(r.stage_count, 11); // mesh and field twice
    assert_true(has_warning(&r, "so flat that the pressure rises"));
    assert_true(has_warning(&r, "fTetWild is used instead"));
    f.desc.python = f.gmsh; // no better
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, &r), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "tetrahedra of fTetWild are so flat");
    CHECK_ERROR(ctx, "try a new surface by --size");
    assert_int_equal(count_outputs(&f), 4); // the older ones
    remove_files(&f);
    assert_int_equal(unlink(python), 0);
    test_context_destroy(ctx);
}

// A vertex of the skin 1e-11 m inside an edge of 0.14 m: all but one corner have extent 0.
static void a_tetrahedron_of_no_height_is_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    static const char k_no_height[] =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 0.1 0 0\n3 0 0.1 0\n"
        "4 0 0 0.1\n5 0.05 0.04999999999 0\n6 0.02 0.03 0.02\n$EndNodes\n$Elements\n6\n"
        "1 4 2 0 1 1 5 2 6\n2 4 2 0 1 1 3 5 6\n3 4 2 0 1 1 2 4 6\n4 4 2 0 1 2 3 4 6\n"
        "5 4 2 0 1 1 4 3 6\n6 4 2 0 1 2 5 3 6\n$EndElements\n";
    make_files(&f, k_no_height);
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "the flattest tetrahedron of gmsh has quality");
    CHECK_ERROR(ctx, "at least 1e-14 is wanted: try --mesher ftetwild");
    assert_int_equal(count_outputs(&f), 0);
    remove_files(&f);
    test_context_destroy(ctx);
}

static bool is_always_cancelled(void* user) {
    return ++*(int*)user > 3;
}

static void failures_leave_nothing(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    iso_prepare_report r;
    make_files(&f, "$MeshFormat\nnonsense\n");
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, &r), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "its result is no mesh (volume.msh:2: the version is 'nonsense'");
    assert_int_equal(count_outputs(&f), 0);
    CHECK_ERROR(ctx, "try --mesher ftetwild");
    check_file(f.log, "--- gmsh ---\nmade\n"); // wanted most after a failure
    assert_int_equal(r.triangle_count, 4);     // what was found before is told
    make_files(&f, k_volume);
    int call_count = 0;
    iso_prepare_callbacks callbacks = {.is_cancelled = is_always_cancelled, .user = &call_count};
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, &callbacks, NULL), ISO_ERR_NO_CONVERGENCE);
    CHECK_ERROR(ctx, "cancelled before stage 'check'");
    assert_int_equal(count_outputs(&f), 0);
    f.desc.urdf = "/no/such/folder/tet.urdf";
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, &r), ISO_ERR_IO);
    CHECK_ERROR(ctx, "/no/such/folder/tet.urdf: cannot be written: No such file or directory");
    assert_int_equal(r.stage_count, 0); // before any work
    assert_int_equal(count_outputs(&f), 0);
    remove_files(&f);
    test_context_destroy(ctx);
}

static void descriptions_are_checked(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    files f;
    make_files(&f, k_volume);
    const iso_prepare_desc good = f.desc;
    struct {
        double* value;
        double bad;
        const char* message;
    } cases[] = {{&f.desc.unit, -1.0, "unit is -1"},
                 {&f.desc.scale, 0.0, "scale is 0, expected finite, > 0"},
                 {&f.desc.scale, 1e-20, "the largest side is 1e-21 m, expected in [1e-07, 100000]"},
                 {&f.desc.scale, 1e7, "the largest side is 1e+06 m, expected in [1e-07, 100000]"},
                 {&f.desc.size, (double)NAN, "edge length is nan"},
                 {&f.desc.size, 0.1, "edge length 0.1 m is not below the largest side"},
                 {&f.desc.size, 1e-6, "would take 5.5e+10 triangles, at most 2e+06"},
                 {&f.desc.grading, 0.5, "grading is 0.5, expected finite, >= 1"},
                 {&f.desc.time_limit, 0.0, "time limit is 0"},
                 {&f.desc.density, -3.0, "density is -3"},
                 {&f.desc.modulus, 0.0, "modulus is 0"},
                 {&f.desc.dissipation, -1.0, "dissipation is -1"},
                 {&f.desc.friction_static, 0.1, "static friction is 0.1, expected finite, >= 0.5"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        f.desc = good;
        *cases[i].value = cases[i].bad;
        CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_RANGE);
        CHECK_ERROR(ctx, cases[i].message);
    }
    f.desc = good;
    f.desc.weld_tolerance = 0.1; // all that a body of 0.1 m has
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "the surface is 0.1 m thick, expected more than the 0.1 m within which");
    f.desc = good;
    write_text(f.surface, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n");
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_GEOMETRY);
    CHECK_ERROR(ctx, "the surface is 0 m thick, expected more than the 1e-06 m within which");
    // 3 m large, further away than a scene takes a centre of mass, in one coordinate or in all.
    write_text(f.surface, "v 1e13 0 0\nv 1.0000000000003e13 0 0\nv 1e13 3 0\nv 1e13 0 3\n"
                          "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the surface reaches 1e+13 m from the origin, expected at most 1e+06");
    write_text(f.surface, "v 6e5 6e5 -6e5\nv 600003 6e5 -6e5\nv 6e5 600003 -6e5\n"
                          "v 6e5 6e5 -599997\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_RANGE);
    CHECK_ERROR(ctx, "the surface reaches 1.03923e+06 m from the origin, expected at most 1e+06");
    write_text(f.surface, k_surface);
    f.desc.layers = 65;
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_RANGE);
    f.desc = good;
    f.desc.field = ISO_PREPARE_FIELD_LAPLACE;
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_ARGUMENT);
    f.desc = good;
    f.desc.output = "x.stl";
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_UNSUPPORTED);
    f.desc.input = NULL;
    CHECK_STATUS(ctx, iso_prepare(ctx, &f.desc, NULL, NULL), ISO_ERR_ARGUMENT);
    assert_string_equal(iso_guess_unit(95.0), "mm");
    assert_string_equal(iso_guess_unit(95000.0), "um");
    assert_string_equal(iso_guess_unit(1e-4), "m");
    assert_null(iso_guess_unit(0.1));
    static const char* const units[] = {"um", "mm", "cm", "m", "in", "ft", "inch", "", NULL};
    static const double metres[] = {1e-6, 1e-3, 1e-2, 1.0, 0.0254, 0.3048, 0.0, 0.0, 0.0};
    for (int i = 0; i < 9; ++i) {
        assert_true(iso_unit_length(units[i]) == metres[i]);
    }
    remove_files(&f);
    test_context_destroy(ctx);
}

static iso_status prepare_once(iso_context* ctx, void* user) {
    files* f = user;
    iso_status status = iso_prepare(ctx, &f->desc, NULL, NULL);
    assert_int_equal(count_outputs(f), status == ISO_OK ? 4 : 0);
    return status;
}

static void preparing_survives_every_allocation_failure(void** state) {
    (void)state;
    files f;
    make_files(&f, k_volume);
    int count = check_every_allocation_failure(prepare_once, &f);
    CHECK(count > 100, "%d allocations", count);
    remove_files(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_written_and_reported),
        cmocka_unit_test(older_files_survive_a_failure),
        cmocka_unit_test(depth_is_that_below_the_skin_of_the_mesh),
        cmocka_unit_test(a_skin_that_touches_itself_is_a_warning),
        cmocka_unit_test(a_tetrahedron_of_no_height_is_refused),
        cmocka_unit_test(a_field_that_jumps_across_a_flat_tetrahedron_is_refused_or_made_anew),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(the_worst_place_of_a_surface_is_inside_or_outside_the_body),
        cmocka_unit_test(a_crash_of_ftetwild_is_no_end_while_a_coarser_surface_is_left),
        cmocka_unit_test(a_program_that_does_not_begin_does_not_crash),
        cmocka_unit_test(meshers_of_auto_share_the_time_limit),
        cmocka_unit_test(descriptions_are_checked),
        cmocka_unit_test(preparing_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
