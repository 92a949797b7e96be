// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "asperity/contact/penalty.h"
#include "asperity/lab.h"
#include "asperity/slide/block_mesh.h"
#include "isobar/slide.h"

struct iso_lab_slide {
    iso_lab_slide_desc desc; ///< with the defaults filled in; surfaces are not used any more
    iso_lab_slide_info info;
    iso_elastic* e;
    iso_elastic_system* s;
    int first_upper;     ///< vertex
    double pitch;        ///< of the finer profile [m]
    double mass;         ///< of the upper block [kg], in the plane [kg/m]
    double* weights;     ///< [vertex_count] share of the load; 0 but on the upper flat face
    double* energies;    ///< [element_count]
    double* stresses;    ///< [2 * vertex_count] of vertices, and the volumes they are means over
    iso_penalty penalty; ///< explicit, in space
    iso_task_pool* pool; ///< NULL: one thread
    double* kept;        ///< [2 * size of s] state before a step
    uint64_t fingerprint;
    // state, with the places and velocities of s
    int64_t step_count;
    double mean_x, mean_y; ///< of the upper block when the pulling began [m]
};

/// Mean of places or velocities of the upper block along an axis.
double iso_lab_slide_mean(const iso_lab_slide* slide, const double* of, int axis);

iso_elastic_material iso_lab_block_material(const iso_lab_block* block);

/// Both meshes as one body of elements, the upper one turned down and just above the lower one.
/// @return ISO_ERR_RANGE, ISO_ERR_ARGUMENT, ISO_ERR_GEOMETRY (a profile too steep), ISO_ERR_MEMORY
iso_status iso_lab_slide_place(iso_context* ctx, const iso_block_mesh meshes[2],
                               const iso_lab_slide_desc* desc, iso_elastic** out);
