// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"
#include "isobar/contact.h"
#include "isobar/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

// Extent fields over tetrahedra, and the moduli that turn them into pressures.
// Theory: docs/theory/pressure_field.md; [Elandt2022] section 5.1, appendix B.

/// Where an extent field is 0, 1, or free. Start from iso_extent_desc_default(). A face of the skin
/// whose three vertices belong to the core is bonded to it; of the others those that are not
/// insulated are exposed. e is 0 on the vertices of exposed faces (the rim where the core ends at
/// them included), 1 on the other vertices of the core, and free elsewhere, with no flux through
/// insulated faces. Vertices of no tetrahedron get 0.
typedef struct iso_extent_desc {
    /// Distance: to the exposed skin d, over the largest d; with a core d / (d + distance to the
    /// core). Poisson: Laplace's equation with a core; without one a uniform source, the largest
    /// value scaled to 1. Auto: Poisson with a core, else distance.
    iso_extent_kind kind;
    const bool* is_core;      ///< [vertex_count] vertices of a rigid core; NULL: none
    const iso_tri_mesh* core; ///< surface of a rigid core: vertices on it and, when it is closed,
                              ///< inside it belong to the core; NULL: none
    const bool* is_insulated; ///< [triangle_count of iso_tet_mesh_skin()] NULL: none
} iso_extent_desc;

/// Auto, without core, all of the skin exposed.
ISO_API iso_extent_desc iso_extent_desc_default(void);

/// How a field was found.
typedef struct iso_extent_report {
    int core_vertex_count;    ///< vertices with e = 1 given
    int exposed_vertex_count; ///< vertices with e = 0 given
    int free_vertex_count;    ///< the rest
    int clamped_count;        ///< free vertices that left [0, 1] and were set to its ends: obtuse
                              ///< tetrahedra break the maximum principle of the discrete equation
    double residual;          ///< of the linear system over its right-hand side; 0 for distances
} iso_extent_report;

/// Extent e of every vertex of a tetrahedral mesh: 0 on the outer skin, 1 at a rigid core or where
/// deepest; affine in between. Poisson's equation is solved with linear finite elements (sparse
/// Cholesky factorisation); a mesh refined n times costs about n^6.
/// @param      mesh         positive volumes; every part must touch exposed skin or core
/// @param      desc         NULL: the default
/// @param[out] out_extents  [vertex_count]
/// @param[out] out_report   may be NULL
/// @return ISO_ERR_ARGUMENT, ISO_ERR_GEOMETRY (no exposed skin, a part that touches neither, no
///         vertex left to be positive), ISO_ERR_NUMERIC, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_extent_solve(iso_context* ctx, const iso_tet_mesh* mesh,
                                                  const iso_extent_desc* desc, double* out_extents,
                                                  iso_extent_report* out_report);

/// Modulus of a thin elastic layer bonded to something rigid, pressed by something wide:
/// E (1 - nu) / ((1 + nu) (1 - 2 nu)), uniaxial strain. With the layer's thickness H as depth of
/// full extent, p0 = M e = M h / H. [Elandt2022] section 4.5.
/// @param youngs_modulus  [Pa], > 0
/// @param poisson_ratio   in (-1, 0.5)
/// @return [Pa]; NaN when out of range
ISO_API double iso_layer_modulus(double youngs_modulus, double poisson_ratio);

/// Modulus E* = E / (1 - nu^2) of an elastic half space under a rigid indenter.
/// @param poisson_ratio  in (-1, 0.5]
/// @return [Pa]; NaN when out of range
ISO_API double iso_half_space_modulus(double youngs_modulus, double poisson_ratio);

/// Pressure at depth h below the surface that makes the net force on the flat end of a cylinder of
/// radius R, pressed into an elastic half space, that of elasticity: 2 E* h / (pi R).
/// [Elandt2022] eq. B.2. For R much smaller than the layer's thickness.
/// @return [Pa]; 0 for depths <= 0
ISO_API double iso_half_space_pressure_cylinder(double modulus, double radius, double depth);

/// The same for a sphere: (E* / pi) sqrt(h / R), eq. B.4. Its slope at the surface is infinite. For
/// penetration d << radius of the contact sqrt(2 d R) << thickness of the layer.
/// @return [Pa]; 0 for depths <= 0
ISO_API double iso_half_space_pressure_sphere(double modulus, double radius, double depth);

/// Net force on the flat end of a cylinder at penetration d: 2 E* R d, eq. B.1 [N].
ISO_API double iso_half_space_force_cylinder(double modulus, double radius, double penetration);

/// Net force on a sphere at penetration d, Hertz: 4/3 E* sqrt(R) d^(3/2), eq. B.3 [N]. With the
/// radius R_e = sqrt(2 d R) of the contact surface it is (2 sqrt(2) / 3) E* R_e d.
ISO_API double iso_half_space_force_sphere(double modulus, double radius, double penetration);

/// Pressure [Pa] that a body should have at a depth [m] > 0.
typedef double (*iso_pressure_law_fn)(void* user, double depth);

/// Table of moduli that gives a body whose full extent lies at depth `thickness` the pressures of a
/// law: M(e) = law(e thickness) / e. Row i lies at e = ((i + 1) / row_count)^2, close near the
/// skin; nearer than the first row the pressure is linear. A shape whose layer_count is
/// row_count - 1 has its cuts at the rows, so that its pressure is that of the law at every cut.
/// @param thickness  [m], > 0
/// @param out_rows   [row_count], row_count >= 1; for iso_contact_material::modulus_table
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (thickness, a pressure of the law that is not positive)
ISO_NODISCARD ISO_API iso_status iso_modulus_table_fill(iso_context* ctx, iso_pressure_law_fn law,
                                                        void* user, double thickness,
                                                        iso_modulus_row* out_rows, int row_count);

#ifdef __cplusplus
}
#endif
