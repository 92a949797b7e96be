// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The kernels are compiled a second time here, on plain C lanes, and must give the library's bits.

#undef ISO_SIMD_AVX2
#undef ISO_SIMD_AVX512
#undef ISO_SIMD_NEON
#define iso_bvh_match plain_bvh_match
#define iso_bvh_match_filtered plain_bvh_match_filtered
#define iso_bvh_float4_spread plain_bvh_float4_spread
#define iso_bvh_cut plain_bvh_cut
#define iso_bvh_visit_begin plain_bvh_visit_begin
#define iso_bvh_visit_next plain_bvh_visit_next
#define iso_bvh_leaf_box plain_bvh_leaf_box
#define iso_clip_slices plain_clip_slices
#define iso_clip_slice_tet plain_clip_slice_tet
#define iso_clip_plane plain_clip_plane
#define iso_clip_planes plain_clip_planes
#define iso_clip_clean plain_clip_clean
#define iso_face_list_add plain_face_list_add
#define iso_face_list_put plain_face_list_put
#define iso_face_list_put_measured plain_face_list_put_measured
#define iso_face_list_finish plain_face_list_finish
#define iso_face_list_begin plain_face_list_begin
#define iso_face_list_restart plain_face_list_restart
#define iso_face_list_reserve plain_face_list_reserve
#define iso_face_list_reserve_exactly plain_face_list_reserve_exactly
#define iso_face_bag_begin plain_face_bag_begin
#define iso_face_bag_grow plain_face_bag_grow
#define iso_face_bag_put plain_face_bag_put
#define iso_face_bag_add plain_face_bag_add
#define iso_face_bag_sort plain_face_bag_sort
#define iso_face_merge plain_face_merge
#define iso_face_put_fan plain_face_put_fan
#define iso_face_fill plain_face_fill
#define iso_piece_noise plain_piece_noise
#define iso_piece_search_begin plain_piece_search_begin
#define iso_piece_search_step plain_piece_search_step
#define iso_piece_search_run plain_piece_search_run
#define iso_seed_rims plain_seed_rims
#define iso_seed_closed plain_seed_closed
#define iso_seed_ray plain_seed_ray
#define iso_seed_segment plain_seed_segment
#define iso_extreme_search_begin plain_extreme_search_begin
#define iso_extreme_search_step plain_extreme_search_step
#define iso_rim_filter_begin plain_rim_filter_begin
#define iso_rim_filter_keeps plain_rim_filter_keeps
#define iso_slab_filter_keeps plain_slab_filter_keeps
#define iso_plane_slack plain_plane_slack
#define iso_planes_apart plain_planes_apart
#define iso_edge_lines_fill plain_edge_lines_fill
#define iso_edge_lines_apart plain_edge_lines_apart
#define iso_visitor_begin plain_visitor_begin
#define iso_visitor_look_at plain_visitor_look_at
#define iso_visitor_visit plain_visitor_visit
#define iso_visitor_visit_closely plain_visitor_visit_closely
#define iso_collect_field_field plain_collect_field_field
#define iso_collect_field_field_in_order plain_collect_field_field_in_order
#define iso_field_walk_is_large plain_field_walk_is_large
#define iso_field_walk_is_ordered plain_field_walk_is_ordered
#define iso_overlap_box_find plain_overlap_box_find
#define iso_overlap_box_cut plain_overlap_box_cut
#define iso_overlap_box_shrink plain_overlap_box_shrink
#define iso_tet_packet_fill plain_tet_packet_fill
#define iso_tet_packet_test plain_tet_packet_test
#define iso_tet_view_make plain_tet_view_make
#define iso_collect_field_pairs plain_collect_field_pairs
#define iso_collect_field_pairs_if_few plain_collect_field_pairs_if_few
#define iso_field_pairs_are_few plain_field_pairs_are_few
#define iso_collect_field_surface plain_collect_field_surface
#define iso_collect_field_half_space plain_collect_field_half_space
#define iso_collect_half_space_surface plain_collect_half_space_surface
#define iso_tri_candidates_put plain_tri_candidates_put
#define iso_pair_find_sides plain_pair_find_sides
#define iso_pair_is_large plain_pair_is_large
#define iso_pair_is_shared plain_pair_is_shared
#define iso_pair_query plain_pair_query
#define iso_pair_query_with plain_pair_query_with
#define iso_pair_query_counted plain_pair_query_counted
#include "geometry/search/bvh_query.c"
#include "surface/clipping/clip.c"
// Names that several of the files use for something of their own.
#include "surface/faces/face_bag.c"
#include "surface/faces/face_list.c"
#include "surface/faces/face_merge.c"
#define position position_of_piece
#include "surface/walk/element_search.c"
#undef position
#undef PADDING
#include "surface/walk/trace_extremes.c"
#undef PADDING
#undef SLOPE_PADDING
#include "surface/walk/trace_ray.c"
#undef PADDING
#undef NOISE
#include "surface/walk/trace_seeds.c"
#undef NOISE
#include "surface/walk/trace_visit.c"
#undef PARALLEL_TOLERANCE
#include "surface/pairs/collect_field_field.c"
#undef SMALLEST
#define collect_pair collect_pair_of_pairs
#define collector collector_of_pairs
#define rising_faces rising_faces_of_pairs
#define sort_pairs sort_few_pairs
#undef sort_pairs
#include "surface/clipping/overlap_box.c"
#include "surface/clipping/tet_packet.c"
#include "surface/pairs/collect_field_pairs.c"
#undef collect_pair
#undef collector
#undef rising_faces
#include "surface/clipping/rim_filter.c"
#include "surface/clipping/slab_filter.c"
#undef ROUNDING
#define cells_of cells_of_bits
#include "surface/clipping/plane_filter.c"
#undef cells_of
#undef ROUNDING
#define cross cross_of_lines
#include "surface/clipping/edge_filter.c"
#undef cross
#undef ROUNDING
#include "support/check.h"

#undef iso_planes_apart
#undef iso_edge_lines_apart
int iso_planes_apart(const iso_plane_triangles* triangles, const iso_field* field, int leaf);
int iso_edge_lines_apart(const iso_edge_lines* lines, const iso_field* field, int leaf);

// How many pairs the filters say are apart, as the library's do.
static long parted_by_planes, parted_by_lines;

static int compare_planes(const iso_plane_triangles* triangles, const iso_field* field, int leaf) {
    int apart = plain_planes_apart(triangles, field, leaf);
    assert_int_equal(apart, iso_planes_apart(triangles, field, leaf));
    parted_by_planes += __builtin_popcount((unsigned)apart);
    return apart;
}

static int compare_lines(const iso_edge_lines* lines, const iso_field* field, int leaf) {
    _Alignas(64) const iso_edge_lines aligned = *lines; // as 512 bits of floats are
    int apart = plain_edge_lines_apart(lines, field, leaf);
    assert_int_equal(apart, iso_edge_lines_apart(&aligned, field, leaf));
    parted_by_lines += __builtin_popcount((unsigned)apart);
    return apart;
}

#define iso_planes_apart compare_planes
#define iso_edge_lines_apart compare_lines
#define clip_plainly clip_plainly_fs
#define meeting_lanes meeting_lanes_fs
#include "surface/pairs/collect_field_surface.c"
#include "surface/pairs/tri_candidates.c"
#undef clip_plainly
#undef meeting_lanes
#include "surface/pairs/collect_half_space.c"
#include "surface/pairs/collect_half_space_surface.c"
#include "surface/pairs/pair_query.c"
#undef iso_pair_query

#include "surface/pair_fixture.h"
#include "surface/patch_bits.h"

iso_status iso_pair_query(iso_arena* arena, const iso_contact_shape* a, const iso_pose* x_wa,
                          const iso_contact_shape* b, const iso_pose* x_wb,
                          const iso_contact_options* options, iso_patch* out_patch);

#define PAIR_KINDS 9

static void plain_lanes_give_the_bits_of_simd_lanes(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_arena arenas[2];
    CHECK_OK(ctx, iso_arena_init(&arenas[0], ctx, 0));
    CHECK_OK(ctx, iso_arena_init(&arenas[1], ctx, 0));
    iso_contact_material slab_material = fixture_compliant(1e6, 0.0);
    slab_material.slab_thickness = 0.05;
    iso_contact_shape* shapes[9] = {
        fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.03)),
        fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), fixture_compliant(1e6, 0.0)),
        fixture_shape(ctx, fixture_cylinder(0.05, 0.3), fixture_rigid(0.02)),
        fixture_half_space(ctx, fixture_rigid(0.0)),
        fixture_half_space(ctx, slab_material),
        fixture_shape(ctx, fixture_cylinder(0.05, 0.3), fixture_compliant(1e7, 0.02)),
        fixture_shape(ctx, fixture_sphere(0.05), fixture_compliant(1e4, 0.006)),
        fixture_shape(ctx, fixture_sphere(0.06), fixture_rigid(0.006)),
        fixture_shape(ctx, fixture_cylinder(0.01, 0.3), fixture_rigid(0.3))};
    // The last two: cells and triangles so fine that many boxes meet, and long triangles.
    const int pairs[PAIR_KINDS][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {2, 4},
                                      {1, 2}, {1, 5}, {6, 7}, {6, 8}};
    test_random random = test_random_make(11);
    long faces = 0;
    for (int i = 0; i < 20 * PAIR_KINDS; ++i) {
        const iso_contact_shape* a = shapes[pairs[i % PAIR_KINDS][0]];
        const iso_contact_shape* b = shapes[pairs[i % PAIR_KINDS][1]];
        iso_pose x_wa = test_random_pose(&random, 0.1), x_ab = test_random_pose(&random, 0.08);
        iso_pose x_wb = iso_pose_mul(&x_wa, &x_ab);
        iso_contact_options options = fixture_options();
        options.cull = i % 2 ? ISO_CULL_DRAKE : ISO_CULL_NONE;
        options.representation =
            i / PAIR_KINDS % 3 ? ISO_REPRESENTATION_POLYGON : ISO_REPRESENTATION_TRIANGLE;
        iso_patch p, q;
        CHECK_OK(ctx, iso_arena_reset(&arenas[0]));
        CHECK_OK(ctx, iso_arena_reset(&arenas[1]));
        CHECK_OK(ctx, iso_pair_query(&arenas[0], a, &x_wa, b, &x_wb, &options, &p));
        CHECK_OK(ctx, plain_pair_query(&arenas[1], a, &x_wa, b, &x_wb, &options, &q));
        if (p.face_count > 0 || q.face_count > 0) {
            check_patch_bits(&p, &q, "plain and SIMD lanes");
            faces += p.face_count;
        }
    }
    CHECK(faces > 10000, "%ld faces", faces);
    // Measured 179,380 and 64,974.
    CHECK(parted_by_planes > 100000, "%ld pairs parted by planes", parted_by_planes);
    CHECK(parted_by_lines > 40000, "%ld pairs parted by lines", parted_by_lines);
    for (int i = 0; i < 9; ++i) {
        iso_contact_shape_destroy(ctx, shapes[i]);
    }
    iso_arena_destroy(&arenas[0]);
    iso_arena_destroy(&arenas[1]);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lanes_give_the_bits_of_simd_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
