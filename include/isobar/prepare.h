// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"
#include "isobar/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

// From a raw surface to a checked compliant mesh: docs/prepare.md.

/// The program that fills a surface with tetrahedra, in a process of its own.
typedef enum iso_prepare_mesher {
    ISO_PREPARE_MESHER_AUTO, ///< gmsh; fTetWild where the surface intersects itself, gmsh fails or
                             ///< its tetrahedra are too flat for a field
    ISO_PREPARE_MESHER_GMSH, ///< keeps the surface; it must be closed and clean
    ISO_PREPARE_MESHER_FTETWILD, ///< any surface, holes are closed; the new surface lies within a
                                 ///< thousandth of the size of the old one
} iso_prepare_mesher;

/// How the extent field is made (include/isobar/field.h).
typedef enum iso_prepare_field {
    ISO_PREPARE_FIELD_AUTO,     ///< Laplace with a core or a backing, else distance
    ISO_PREPARE_FIELD_DISTANCE, ///< distance to the skin; with a core or backing d / (d +
                                ///< distance to it)
    ISO_PREPARE_FIELD_POISSON,  ///< uniform source; no core, no backing
    ISO_PREPARE_FIELD_LAPLACE,  ///< 0 on the skin, 1 on core and backing; needs one
} iso_prepare_field;

/// What to prepare, and how. Start from iso_prepare_desc_default(). All strings are borrowed.
typedef struct iso_prepare_desc {
    const char* input;       ///< .stl, .obj, .ply, .gltf, .glb, .dae, .step or .stp
    const char* output;      ///< .vtk or .vtu
    const char* core;        ///< closed surface of a rigid core inside, same unit; NULL: none
    const char* backing;     ///< surface that the body is bonded to, same unit: the skin on it has
                             ///< extent 1; NULL: none
    iso_vec3 backing_point;  ///< the same of a plane: a point of it, as in the file
    iso_vec3 backing_normal; ///< of the plane, any length; 0: none
    const char* report;      ///< .html to write; NULL: none
    const char* sdf;         ///< model to write; NULL: none
    const char* urdf;        ///< robot to write; NULL: none
    const char* log;         ///< what the meshers said is written there, also when they fail; NULL:
                             ///< nowhere
    const char* name;        ///< of the model; NULL: file name of the output without its extension

    double unit;           ///< metres in one unit of the file, > 0; 0: metre, and doubts are voiced
    double scale;          ///< further factor on all coordinates, > 0; 1
    double weld_tolerance; ///< vertices nearer than this become one [m]; 0: 1e-6 of the size
    double size;           ///< wanted edge length [m]: the surface is meshed anew; 0: its triangles
                           ///< stay
    double grading;        ///< edges deep inside over edges on the skin, >= 1; 1.5
    bool is_solid;         ///< closed parts inside another one are left out; false: cavities
    int layers;            ///< layers between surfaces of equal extent, >= 1; 1: as meshed

    iso_prepare_mesher mesher;
    const char* gmsh;   ///< program; NULL: gmsh, looked for on PATH
    const char* python; ///< interpreter that has pytetwild; NULL: ISOBAR_PYTHON of the environment,
                        ///< the one that the library was built with, or python3 on PATH; never
                        ///< one of the current folder
    double time_limit;  ///< of a program [s], > 0; with ISO_PREPARE_MESHER_AUTO of both meshers
                        ///< together: the runs of gmsh share a quarter, fTetWild has what is
                        ///< left, the last 0.3 of the limit for a coarser surface where it is
                        ///< late or crashes; 120
    double memory_limit; ///< address space of each program [bytes]; 0: none

    iso_prepare_field field;
    double density;          ///< [kg/m^3], > 0; 1000
    double modulus;          ///< pressure at full extent [Pa], > 0; 1e7
    double dissipation;      ///< Hunt-Crossley [s/m], >= 0; 1
    double friction_static;  ///< >= friction_dynamic; 0.5
    double friction_dynamic; ///< >= 0; 0.5
} iso_prepare_desc;

/// No files; the values named above.
ISO_API iso_prepare_desc iso_prepare_desc_default(void);

/// What a caller may watch. Zero-initialise for none.
typedef struct iso_prepare_callbacks {
    /// A stage has begun, goes on (about once a second) or has something to tell.
    void (*progress)(void* user, const char* stage, double elapsed_s, const char* message);
    /// A doubt: also in the report.
    void (*warning)(void* user, const char* message);
    /// True ends the work: the mesher is killed and nothing is written.
    bool (*is_cancelled)(void* user);
    void* user;
} iso_prepare_callbacks;

enum {
    ISO_PREPARE_HOLE_MAX = 8,     ///< holes and intersections described in a report
    ISO_PREPARE_WARNING_MAX = 16, ///< warnings kept
    ISO_PREPARE_TEXT_SIZE = 256,
    ISO_PREPARE_STAGE_MAX = 16,
    ISO_PREPARE_BIN_COUNT = 20,
};

/// A closed chain of edges that belong to one triangle each.
typedef struct iso_prepare_hole {
    iso_vec3 center; ///< mean of its vertices [m]
    double length;   ///< [m]
    int edge_count;
} iso_prepare_hole;

/// How far one surface lies from another, at some tens of thousands of points spread over it.
typedef struct iso_prepare_deviation {
    double max, rms; ///< distance to the nearest point of the other, rms over the area [m]
    iso_vec3 where;  ///< the point of the largest distance [m]
} iso_prepare_deviation;

/// What was found and done. Lengths in metres, after scaling.
typedef struct iso_prepare_report {
    double scale; ///< factor on the file's coordinates
    iso_vec3 lower, upper;
    int input_vertex_count, input_triangle_count;
    int vertex_count, triangle_count; ///< of the repaired surface
    int part_count;
    int welded_count;     ///< vertices merged
    int collapsed_count;  ///< triangles of which two corners were merged
    int duplicate_count;  ///< triangles that were there already
    int degenerate_count; ///< triangles without height, flipped or removed
    int turned_count;     ///< triangles turned over
    int cavity_count;     ///< parts inside another part
    int dropped_count;    ///< parts inside another part that were left out
    int hole_count, non_manifold_edge_count, inconsistent_edge_count;
    int intersection_count;                       ///< pairs of triangles that are left
    int untangled_count;                          ///< pairs undone by small moves of edges
    iso_prepare_hole holes[ISO_PREPARE_HOLE_MAX]; ///< the longest first
    iso_vec3 intersections[ISO_PREPARE_HOLE_MAX]; ///< where, the first ones
    double surface_area, surface_volume;          ///< [m^2], [m^3]
    const char* mesher;                           ///< "gmsh" or "fTetWild", static storage
    int mesh_vertex_count, mesh_tet_count;        ///< of what was written
    int inner_vertex_count;                       ///< given where all corners were on the skin
    int quality_bins[ISO_PREPARE_BIN_COUNT];      ///< tetrahedra by quality, 0 to 1
    double quality_min, quality_mean;             ///< 3 inradius / circumradius: 1 is regular
    double dihedral_min;                          ///< smallest angle between faces [rad]
    double mesh_volume;                           ///< [m^3]
    iso_prepare_deviation skin_off;    ///< of the mesh's skin from the given surface and core: what
                                       ///< closes holes is off it
    iso_prepare_deviation surface_off; ///< of the given surface and core from the skin: what lies
                                       ///< inside the body, where parts overlap, is off it
    double thickness; ///< the deepest vertex lies this far below the mesh's outer skin [m]; the
                      ///< surface of a core is no outer skin
    double full_depth_low, full_depth_high; ///< extent 1 lies so deep [m]: a core from here to
                                            ///< there, one vertex without a core
    const char* field;                      ///< "distance", "poisson" or "laplace"
    int core_vertex_count, clamped_count;   ///< of the field
    double residual;                        ///< of the field's equations
    double extent_mean;                     ///< over the volume
    double mass;                            ///< [kg]
    iso_vec3 center_of_mass;                ///< [m]
    iso_mat3 inertia;                       ///< about it [kg m^2]
    int warning_count;
    char warnings[ISO_PREPARE_WARNING_MAX][ISO_PREPARE_TEXT_SIZE];
    int stage_count;
    struct {
        const char* name; ///< static storage
        double seconds;
        char note[ISO_PREPARE_TEXT_SIZE];
    } stages[ISO_PREPARE_STAGE_MAX];
} iso_prepare_report;

/// Read a surface, repair and check it, fill it with tetrahedra, make the extent field, write the
/// mesh (point arrays `extent`; field data `units`, `modulus`, `generator`, `source`) and what else
/// desc asks for. All files appear together at the end, or none does and older ones of these names
/// stay; the log alone is also written after a failure.
/// @param      callbacks   may be NULL
/// @param[out] out_report  filled as far as the work came, also on error; may be NULL
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_IO, ISO_ERR_PARSE, ISO_ERR_UNSUPPORTED,
///         ISO_ERR_GEOMETRY (the surface cannot be meshed; the mesher failed, its result is not
///         the body or too flat for a field), ISO_ERR_NOT_FOUND (the mesher is not installed),
///         ISO_ERR_NO_CONVERGENCE (time limit, cancelled), ISO_ERR_NUMERIC, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_prepare(iso_context* ctx, const iso_prepare_desc* desc,
                                             const iso_prepare_callbacks* callbacks,
                                             iso_prepare_report* out_report);

/// Quality of a tetrahedron: 3 inradius / circumradius, 1 for a regular one, 0 for a flat one.
ISO_API double iso_tet_quality(iso_vec3 a, iso_vec3 b, iso_vec3 c, iso_vec3 d);

/// What `isobar inspect` says of a volume file beyond iso_mesh_report.
typedef struct iso_volume_report {
    iso_mesh_report mesh;
    int quality_bins[ISO_PREPARE_BIN_COUNT];
    double quality_min, quality_mean, dihedral_min; ///< as in iso_prepare_report
    bool has_extent, has_pressure, has_modulus;     ///< point arrays of the file
    double extent_low, extent_high;                 ///< range of each
    double pressure_low, pressure_high;             ///< [Pa]
    double modulus_low, modulus_high;               ///< [Pa]
    double skin_extent_max;   ///< largest extent on the skin; 0 without a core
    double skin_pressure_max; ///< largest pressure on the skin [Pa]
    int skin_element_count; ///< tetrahedra with all corners on the skin: given an inner vertex when
                            ///< a field is made
    double thickness;       ///< largest distance of a vertex to the skin [m]; with extents to the
                            ///< faces with a corner of extent 0: the inside of a core is no skin
    double full_depth_low, full_depth_high; ///< the largest extent lies so deep [m]; 0 without
    double edge_mean;                       ///< mean edge length [m]
} iso_volume_report;

/// Read .vtk, .vtu or .msh and judge it.
/// @param[out] out_mass  of density 1; may be NULL
/// @return as iso_tet_mesh_load() and iso_tet_mesh_inspect()
ISO_NODISCARD ISO_API iso_status iso_volume_inspect(iso_context* ctx, const char* path,
                                                    iso_volume_report* out_report,
                                                    iso_mass_properties* out_mass);

/// A size that is hardly meant: the unit of coordinates, taken as metres so far, that would make it
/// plausible ("mm", "um"), or "m" for something too small. NULL when `side` [m], the largest side
/// of a body, is between 1 mm and 5 m. Static storage.
ISO_API const char* iso_guess_unit(double side);
/// Metres in a unit of length ("um", "mm", "cm", "m", "in", "ft"), for iso_prepare_desc.unit; 0 for
/// any other word.
ISO_API double iso_unit_length(const char* name);

#ifdef __cplusplus
}
#endif
