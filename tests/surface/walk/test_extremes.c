// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The search for extremes alone finds a pair of cells of every closed part of the surface of equal
// pressure: parts are put together from the faces of all pairs of cells. Poses are in no way
// aligned: parts are joined where faces of cells are crossed.

#include "base/core/alloc.h"
#include "field/build/field_build.h"
#include "geometry/tessellation/tessellate.h"
#include "surface/kernel_patch.h"
#include "surface/pair_fixture.h"
#include "surface/walk/trace_extremes.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

#include <stdlib.h>

// Corners this close to a skin are on it [m].
#define CLOSE 1e-10

// One bit and one face for each pair of tetrahedra.
typedef struct pair_map {
    const iso_field *field_0, *field_1;
    int width;
    bool* is_found; // by the search
    int* faces;     // -1: none
    int* parts;     // [face] another one of the part, or itself
    bool* has_rim;  // [face]
} pair_map;

static int at(const pair_map* map, int tet_0, int tet_1) {
    return tet_0 * map->width + tet_1;
}

static bool note_pair(void* user, int cell_0, int cell_1) {
    pair_map* map = user;
    map->is_found[at(map, map->field_0->tree.elements[cell_0],
                     map->field_1->tree.elements[cell_1])] = true;
    return true;
}

static int part_of(const pair_map* map, int face) {
    while (map->parts[face] != face) {
        face = map->parts[face];
    }
    return face;
}

static void join(const pair_map* map, int face, int pair) {
    if (map->faces[pair] >= 0) {
        map->parts[part_of(map, face)] = part_of(map, map->faces[pair]);
    }
}

// A cell by its tetrahedron.
static const iso_field_cell* cell_of(const iso_field* field, int tet) {
    int cell = 0;
    while (field->tree.elements[cell] != tet) {
        ++cell;
    }
    return &field->cells[cell];
}

// Faces of a cell, one bit each, that a face of the surface ends at: in which two of its corners
// lie. @param x  of the cell in frame 0
static int ends_at(const iso_patch* patch, int face, const iso_field_cell* cell,
                   const iso_pose* x) {
    int sides = 0;
    for (int side = 0; side < 4; ++side) {
        iso_vec3 n = {cell->planes[0][side], cell->planes[1][side], cell->planes[2][side]};
        int corners = 0;
        for (int i = patch->face_offsets[face]; i < patch->face_offsets[face + 1]; ++i) {
            iso_vec3 p = iso_pose_inverse_point(x, patch->vertices[i]);
            corners += fabs(iso_vec3_dot(n, p) + cell->planes[3][side]) < CLOSE;
        }
        sides |= (corners > 1) << side;
    }
    return sides;
}

static void join_all(const pair_map* map, const iso_patch* patch, const iso_pose* x_01) {
    iso_pose identity = iso_pose_identity();
    for (int face = 0; face < patch->face_count; ++face) {
        iso_face_elements e = patch->elements[face];
        const iso_field_cell *a = cell_of(map->field_0, e.a), *b = cell_of(map->field_1, e.b);
        int sides_a = ends_at(patch, face, a, &identity), sides_b = ends_at(patch, face, b, x_01);
        for (int side = 0; side < 4; ++side) {
            int next_a = a->neighbors[side], next_b = b->neighbors[side];
            bool is_at_a = sides_a >> side & 1, is_at_b = sides_b >> side & 1;
            if (is_at_a && next_a >= 0) {
                join(map, face, at(map, map->field_0->tree.elements[next_a], e.b));
            }
            if (is_at_b && next_b >= 0) {
                join(map, face, at(map, e.a, map->field_1->tree.elements[next_b]));
            }
            map->has_rim[face] |= (is_at_a && next_a < 0) || (is_at_b && next_b < 0);
        }
    }
}

// @return closed parts
static int check_parts(const pair_map* map, const iso_patch* patch, const char* name, int pose) {
    int closed = 0;
    for (int part = 0; part < patch->face_count; ++part) {
        bool is_closed = map->parts[part] == part, is_found = false;
        double area = 0.0;
        for (int face = 0; face < patch->face_count && is_closed; ++face) {
            if (part_of(map, face) == part) {
                iso_face_elements e = patch->elements[face];
                is_found = is_found || map->is_found[at(map, e.a, e.b)];
                is_closed = !map->has_rim[face];
                area += patch->areas[face];
            }
        }
        CHECK(is_found || !is_closed, "%s, pose %d: a closed part of %g m^2 is not found", name,
              pose, area);
        closed += is_closed;
    }
    return closed;
}

// @return closed parts
static int check_pose(const char* name, int pose, iso_field* field_0, iso_field* field_1,
                      const iso_pose* x_01) {
    iso_patch patch =
        kernel_patch(ctx, &arena, iso_collect_field_pairs, field_0, field_1, x_01, ISO_CULL_NONE);
    size_t pairs = (size_t)field_0->mesh.tet_count * (size_t)field_1->mesh.tet_count;
    size_t faces = (size_t)patch.face_count + 1;
    pair_map map = {field_0,
                    field_1,
                    field_1->mesh.tet_count,
                    calloc(pairs, sizeof(bool)),
                    malloc(pairs * sizeof(int)),
                    malloc(faces * sizeof(int)),
                    calloc(faces, sizeof(bool))};
    assert_true(map.is_found && map.faces && map.parts && map.has_rim);
    for (size_t i = 0; i < pairs; ++i) {
        map.faces[i] = -1;
    }
    for (int face = 0; face < patch.face_count; ++face) {
        map.parts[face] = face;
        map.faces[at(&map, patch.elements[face].a, patch.elements[face].b)] = face;
    }
    join_all(&map, &patch, x_01);
    iso_extreme_search search;
    iso_extreme_search_begin(&search, &arena, field_0, field_1, x_01, note_pair, &map);
    while (!iso_extreme_search_is_done(&search)) {
        assert_true(iso_extreme_search_step(&search));
    }
    int closed = check_parts(&map, &patch, name, pose);
    free(map.is_found);
    free(map.faces);
    free(map.parts);
    free(map.has_rim);
    return closed;
}

static iso_field* field_of(iso_shape_desc shape, double modulus, double hint) {
    iso_field* field = NULL;
    iso_field_recipe recipe = {.modulus = modulus, .resolution_hint = hint};
    CHECK_OK(ctx, iso_field_create_for_shape(ctx, &shape, &recipe, NULL, &field));
    return field;
}

// A brick of cubes, of six tetrahedra each, with any pressures at the inner vertices: kinks of all
// kinds.
#define SIDE 7
static iso_field* wild_brick(test_random* random, double low, double high) {
    const int around[7] = {1, 3, 2, 6, 4, 5, 1};
    iso_tet_mesh mesh = {.vertex_count = SIDE * SIDE * SIDE,
                         .tet_count = 6 * (SIDE - 1) * (SIDE - 1) * (SIDE - 1)};
    mesh.vertices = iso_alloc_array(ctx, mesh.vertex_count, sizeof *mesh.vertices);
    mesh.tets = iso_alloc_array(ctx, mesh.tet_count, sizeof *mesh.tets);
    double* pressures = iso_alloc_array(ctx, mesh.vertex_count, sizeof *pressures);
    assert_true(mesh.vertices && mesh.tets && pressures);
    int count = 0;
    for (int i = 0; i < mesh.vertex_count; ++i) {
        int k[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        double middle = 0.5 * (SIDE - 1), depth = INFINITY;
        for (int axis = 0; axis < 3; ++axis) {
            depth = fmin(depth, middle - fabs(k[axis] - middle));
        }
        mesh.vertices[i] = iso_vec3_scale(
            iso_vec3_make(k[0] - middle, k[1] - middle, k[2] - middle), 0.1 / (SIDE - 1));
        pressures[i] = depth > 0.0 ? test_random_uniform(random, low, high) : 0.0;
        for (int j = 0; j < 6 && k[0] < SIDE - 1 && k[1] < SIDE - 1 && k[2] < SIDE - 1; ++j) {
            const int bits[4] = {0, around[j], around[j + 1], 7};
            for (int c = 0; c < 4; ++c) {
                mesh.tets[count][c] =
                    i + (bits[c] & 1) + (bits[c] >> 1 & 1) * SIDE + (bits[c] >> 2) * SIDE * SIDE;
            }
            iso_vec3 v[4];
            for (int c = 0; c < 4; ++c) {
                int p = mesh.tets[count][c];
                v[c] = iso_vec3_make(p % SIDE, p / SIDE % SIDE, p / SIDE / SIDE);
            }
            double volume =
                iso_vec3_dot(iso_vec3_sub(v[1], v[0]),
                             iso_vec3_cross(iso_vec3_sub(v[2], v[0]), iso_vec3_sub(v[3], v[0])));
            if (volume < 0.0) {
                int first = mesh.tets[count][0];
                mesh.tets[count][0] = mesh.tets[count][1];
                mesh.tets[count][1] = first;
            }
            ++count;
        }
    }
    iso_field* field = NULL;
    CHECK_OK(ctx, iso_field_create(ctx, &mesh, pressures, &field));
    return field;
}

// @return closed parts, all of which are found
static int check_pair(const char* name, iso_field* field_0, iso_field* field_1, double reach,
                      int poses) {
    test_random random = test_random_make(11);
    int closed = 0;
    for (int i = 0; i < poses; ++i) {
        iso_pose x_01 = test_random_pose(&random, reach);
        closed += check_pose(name, i, field_0, field_1, &x_01);
        iso_pose x_10 = iso_pose_inverse(&x_01);
        closed += check_pose(name, i, field_1, field_0, &x_10);
    }
    iso_field_destroy(ctx, field_0);
    iso_field_destroy(ctx, field_1);
    return closed;
}

static void every_closed_part_of_level_fields_is_found(void** state) {
    (void)state;
    int closed = check_pair("sphere in sphere", field_of(fixture_sphere(0.1), 1e5, 0.05),
                            field_of(fixture_sphere(0.05), 2e5, 0.025), 0.04, 24);
    closed += check_pair("plate in sphere", field_of(fixture_sphere(0.1), 1e5, 0.05),
                         field_of(fixture_box(0.08, 0.05, 0.01), 1e5, 0.0), 0.05, 24);
    closed += check_pair("box in cylinder", field_of(fixture_cylinder(0.1, 0.2), 1e5, 0.08),
                         field_of(fixture_box(0.06, 0.05, 0.04), 3e5, 0.0), 0.05, 24);
    CHECK(closed > 20, "%d closed parts", closed); // measured 104 and 30
}

static void every_closed_part_of_wild_fields_is_found(void** state) {
    (void)state;
    test_random random = test_random_make(3);
    int closed = 0;
    for (int i = 0; i < 3; ++i) {
        closed += check_pair("wild", wild_brick(&random, 1e4, 1e5), wild_brick(&random, 5e4, 9e4),
                             0.03, 3);
        closed += check_pair("wild and sphere", wild_brick(&random, 1e4, 1e5),
                             field_of(fixture_sphere(0.06), 1.2e5, 0.03), 0.03, 3);
    }
    CHECK(closed > 20, "%d closed parts", closed); // measured 104 and 30
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_closed_part_of_level_fields_is_found),
        TEST(every_closed_part_of_wild_fields_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
