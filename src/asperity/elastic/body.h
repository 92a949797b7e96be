// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/elastic/neo_hookean.h"
#include "isobar/base.h"

/// An elastic material with Rayleigh damping.
typedef struct iso_elastic_material {
    double young;             ///< Young's modulus [Pa], > 0
    double poisson;           ///< Poisson's ratio, in (-1, 0.5)
    double density;           ///< [kg/m^3], > 0
    double mass_damping;      ///< alpha of (3.23) [1/s], >= 0
    double stiffness_damping; ///< beta of (3.23) [s], >= 0
} iso_elastic_material;

/// What to make elastic bodies of.
typedef struct iso_elastic_desc {
    int dimension;          ///< 2: triangles, plane strain, 1 m thick; 3: tetrahedra
    const double* vertices; ///< [vertex_count * dimension] at rest [m], copied
    int vertex_count;       ///<
    const int* elements;    ///< [element_count * (dimension + 1)] copied; volumes > 0
    int element_count;      ///<
    const int* material_of; ///< [element_count] copied; NULL: all of the first material
    const iso_elastic_material* materials; ///< [material_count] copied
    int material_count;                    ///<
} iso_elastic_desc;

/// Linear finite elements of one or several bodies ([Datta2018] 3.13 to 3.21). Constant once made;
/// places, velocities and forces are arrays [vertex_count * dimension] of whoever uses it.
typedef struct iso_elastic {
    int dimension, vertex_count, element_count;
    double* rest;    ///< [vertex_count * dimension] [m]
    int* elements;   ///< [element_count * (dimension + 1)]
    double* slopes;  ///< gradients of the elements' hat functions at rest,
                     ///< [element_count * (dimension + 1) * dimension] [1/m]
    double* volumes; ///< [element_count] at rest [m^3]; [m^2] of triangles, 1 m thick
    iso_lame* lame;  ///< [element_count]
    double* damping; ///< [element_count] beta [s]
    double* masses;  ///< [vertex_count] lumped [kg]
    double* drag;    ///< [vertex_count] lumped alpha m [kg/s]
} iso_elastic;

/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (a modulus, an index, a place), ISO_ERR_GEOMETRY
///         (inverted or flat element at rest, vertex of no element), ISO_ERR_MEMORY
iso_status iso_elastic_create(iso_context* ctx, const iso_elastic_desc* desc, iso_elastic** out);
/// NULL is allowed.
void iso_elastic_destroy(iso_context* ctx, iso_elastic* e);

/// Check one material. @return ISO_ERR_RANGE, naming value and range
iso_status iso_elastic_material_check(iso_context* ctx, const iso_elastic_material* material);

/// Deformation gradient of an element at places x, [dimension * dimension] row major.
void iso_elastic_gradient(const iso_elastic* e, int element, const double* x, double* out_f);

/// Elastic energy [J]; INFINITY where an element is inverted.
double iso_elastic_energy(const iso_elastic* e, const double* x);

/// Add the elastic forces, -dE/dx [N] (3.20, 3.21).
/// @return the first inverted element, whose force is left out, or -1
int iso_elastic_add_forces(const iso_elastic* e, const double* x, double* forces);

/// Add -K(x) u: how forces change along u ([Datta2018] 3.27 to 3.30). Inverted elements are left
/// out.
/// @param with_beta  each element times its beta: of velocities the damping force (3.31)
void iso_elastic_add_differential(const iso_elastic* e, const double* x, const double* u,
                                  bool with_beta, double* forces);

/// Add the damping forces -(alpha M + beta K(x)) v [N] (3.23).
void iso_elastic_add_damping(const iso_elastic* e, const double* x, const double* v,
                             double* forces);

/// Second derivatives of an element's energy, [(n d) * (n d)] with n = d + 1, row major. J > 0.
/// @param project  of its density the nearest positive semidefinite one
void iso_elastic_element_hessian(const iso_elastic* e, int element, const double* x, bool project,
                                 double* out);
