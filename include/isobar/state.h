// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The whole state of a world: time, steps, positions, velocities, what contacts remember,
/// actuation and applied wrenches, prescribed motions, the energy ledger, the contact peak. A world
/// of the same model that is given it steps on with the same bits. Contacts of the last step are
/// not part of it: iso_world_contact_count() is 0 until the next step or
/// iso_world_update_contacts(). Nor are the settings: a state may be continued with another method
/// or time step. Format: docs/recording.md, "States".

/// FNV-1a of everything constant about a world that shapes its motion: bodies, joints, actuators,
/// constraints, couplers, geometries with their meshes and pressures; names included. Margins are
/// not in it: they may follow the time step.
ISO_API uint64_t iso_world_model_hash(const iso_world* world);

/// FNV-1a of what a world consists of, whatever its numbers are: names, kinds and order of bodies,
/// joints, actuators, fixed tendons, constraints, couplers and geometries (kind of shape, rigid or
/// not).
ISO_API uint64_t iso_world_structure_hash(const iso_world* world);

/// Bytes that iso_world_save() writes for the present state.
ISO_API size_t iso_world_state_size(const iso_world* world);

/// Write the state into a buffer. Allocates nothing.
/// @param      size      of the buffer
/// @param[out] out_size  bytes written
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (the buffer is too small)
ISO_NODISCARD ISO_API iso_status iso_world_save(const iso_world* world, void* buffer, size_t size,
                                                size_t* out_size);

/// Take a state over. On failure the world is untouched.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_PARSE (not a state, cut short, damaged), ISO_ERR_UNSUPPORTED
///         (another version), ISO_ERR_NOT_FOUND (of another model; the message names both),
///         ISO_ERR_RANGE (values), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_restore(iso_world* world, const void* bytes,
                                                   size_t size);

/// iso_world_restore() of a state of a world that has the same structure but may have other
/// numbers: masses, friction, moduli, sizes, gains, limits. Positions, velocities, actuation and
/// what contacts remember are taken over as they are; what does not agree with the new numbers (a
/// patch stretched beyond its friction, a joint beyond its limit, a body deeper than it would lie)
/// the next steps bring in order. Across numbers the energy ledger has no meaning.
/// @return as iso_world_restore(); ISO_ERR_NOT_FOUND: of another structure, or saved by a version
///         that did not say which
ISO_NODISCARD ISO_API iso_status iso_world_restore_across(iso_world* world, const void* bytes,
                                                          size_t size);

/// iso_world_save() into a file, which is written whole or not at all.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_IO (message names the path), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_save_file(const iso_world* world, const char* path);

/// iso_world_restore() from a file.
/// @return ISO_ERR_IO and the errors of iso_world_restore(); the message names the path
ISO_NODISCARD ISO_API iso_status iso_world_load_file(iso_world* world, const char* path);

/// Numbers that others keep with the state of a world, controllers, tasks or sensors: they are
/// saved, restored and cloned with it and mean nothing to it. They must be finite when saved. Finds
/// the attachment of a name, or makes one of zeros; one of another size is emptied.
/// @param      name        1 to 15 bytes
/// @param[out] out_values  [count] owned by the world, valid until it is attached to or restored
/// @param[out] out_is_new  it was not there, or had another size
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (name, count), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_attach(iso_world* world, const char* name, int count,
                                                  double** out_values, bool* out_is_new);
/// Read an attachment; NULL when there is none of that name.
/// @param[out] out_count  may be NULL
ISO_API const double* iso_world_attachment(const iso_world* world, const char* name,
                                           int* out_count);

/// A second world with the same settings in the same state. The two share what is constant, meshes
/// and pressure fields included, and nothing else: each may be stepped and destroyed in any order,
/// also at once on different threads (isobar/batch.h). O(state).
/// @param[out] out_clone  owned by the caller, release with iso_world_destroy(); NULL on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_world_clone(const iso_world* world, iso_world** out_clone);

#ifdef __cplusplus
}
#endif
