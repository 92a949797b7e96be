// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "prepare/jobs/job.h"

/// Fill job->joined with tetrahedra by gmsh, into job->mesh: with desc->size the surface is meshed
/// anew, else its triangles stay.
/// @return ISO_ERR_NOT_FOUND (no gmsh), ISO_ERR_GEOMETRY (it failed, crashed or gave no mesh; the
///         message has its own words), ISO_ERR_NO_CONVERGENCE (time limit, cancelled), ISO_ERR_IO,
///         ISO_ERR_MEMORY
iso_status iso_mesh_by_gmsh(iso_prepare_job* job);

/// How near to the surface fTetWild stays, and how long it works on the tetrahedra.
typedef struct iso_ftetwild_care {
    double envelope;     ///< over the diagonal of the bounding box
    double stop_energy;  ///< of the worst tetrahedron (a regular one has 3) where it is content
    int iteration_count; ///< at most
} iso_ftetwild_care;

/// Its own defaults.
#define ISO_FTETWILD_FINE ((iso_ftetwild_care){1e-3, 10.0, 80})

/// The same by fTetWild. The surface may be dirty and open.
/// @return as iso_mesh_by_gmsh(); ISO_ERR_NOT_FOUND also when Python lacks pytetwild
iso_status iso_mesh_by_ftetwild(iso_prepare_job* job, iso_ftetwild_care care);

/// Triangles of a .step file by gmsh, in metres.
/// @param[out] out_mesh  release with iso_tri_mesh_destroy()
iso_status iso_step_surface(iso_prepare_job* job, const char* path, iso_tri_mesh* out_mesh);

/// Run a mesher with args (NULL at the end) in the job's directory. label names it in messages.
/// Its words are kept in job->log.
/// @param is_secluded  settings in the user's home do not count
/// @return ISO_OK when it exited with code 0
iso_status iso_mesher_run(iso_prepare_job* job, const char* label, const char* const* args,
                          bool is_secluded);

/// Write a file into the job's directory.
iso_status iso_prepare_write(iso_prepare_job* job, const char* name, const void* bytes,
                             size_t size);

/// Lengths of edges that are wanted at points of a grid, for gmsh: size.txt. Near the skin those of
/// its triangles (or desc->size), deep inside desc->grading times as much.
iso_status iso_size_grid_write(iso_prepare_job* job);
