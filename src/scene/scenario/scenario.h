// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/text/yaml_tree.h"

/// Scenario files (docs/scene_format.md): the sections are read in the order of the functions
/// below, whatever their order in the file.
typedef struct iso_scenario {
    iso_scene_build* build;
    iso_yaml_node* root;
} iso_scenario;

iso_status iso_scenario_read_bytes(iso_scene_build* build, const char* path, const char* bytes,
                                   size_t size, const iso_scene_options* options);
/// The "path=value" settings for files that are no scenario: simulation and default_material.
iso_status iso_scenario_read_settings(iso_scene_build* build, const iso_scene_options* options);
/// Of these the keyframe, which is wanted before the file is read.
iso_status iso_scenario_read_keyframe(iso_scene_build* build, const iso_scene_options* options);

/// Change the tree as each "path=value" says.
/// @param is_scenario  false: only simulation.* and default_material.* exist
iso_status iso_scenario_apply_settings(iso_scene_build* build, iso_yaml_node* root,
                                       const iso_scene_options* options, bool is_scenario);

iso_status iso_scenario_read_simulation(const iso_scenario* scenario);
iso_status iso_scenario_read_materials(const iso_scenario* scenario);
iso_status iso_scenario_add_bodies(const iso_scenario* scenario);
/// The list `directives`; names inside `scope`.
iso_status iso_scenario_read_directives(iso_scene_build* build, const iso_yaml_node* directives,
                                        const char* scope);
/// Where fixed bodies are, when all frames are known.
iso_status iso_scenario_fix_bodies(const iso_scenario* scenario);
iso_status iso_scenario_add_joints(const iso_scenario* scenario);
/// Where the others start, when it is known which of them float.
iso_status iso_scenario_start_bodies(const iso_scenario* scenario);
/// An entry of fixed_tendons.
iso_status iso_scenario_add_tendon(iso_scene_build* build, const iso_yaml_node* node);
/// couplers and constraints
iso_status iso_scenario_add_closures(const iso_scenario* scenario);
iso_status iso_scenario_read_initial(const iso_scenario* scenario);
iso_status iso_scenario_read_actuation(const iso_scenario* scenario);
/// forces: signals that push bodies.
iso_status iso_scenario_read_forces(const iso_scenario* scenario);
iso_status iso_scenario_read_programs(const iso_scenario* scenario);
/// criteria: programs that only wait.
iso_status iso_scenario_read_criteria(const iso_scenario* scenario);
/// motions: paths of fixed bodies.
iso_status iso_scenario_read_motions(const iso_scenario* scenario);
iso_status iso_scenario_read_sensors(const iso_scenario* scenario);
iso_status iso_scenario_read_events(const iso_scenario* scenario);

// --- shared --------------------------------------------------------------------------------------

/// Drake's Transform: {base_frame, translation, rotation}. base_frame is inside `scope`, by default
/// the world.
/// @param node  NULL: identity in the world
iso_status iso_scenario_read_pose(iso_scene_build* build, const iso_yaml_node* node,
                                  const char* what, const char* scope, iso_scene_frame* out_base,
                                  iso_pose* out_x);
/// Frame by name inside a scope; "world" is the world in every scope.
iso_status iso_scenario_find_frame(iso_scene_build* build, iso_source at, const char* scope,
                                   const char* name, iso_scene_frame* out_frame);
/// The key `shape` of a mapping and its sizes. `what` is the mapping in messages: "a geometry".
iso_status iso_scenario_read_shape(iso_scene_build* build, const iso_yaml_node* node,
                                   const char* what, iso_shape_desc* shape);
/// Contact properties among the keys of a mapping.
iso_status iso_scenario_read_properties(iso_scene_build* build, const iso_yaml_node* node,
                                        iso_material_spec* spec);
/// {material: NAME} and the properties beside it.
iso_status iso_scenario_read_material(const iso_scenario* scenario, const iso_yaml_node* node,
                                      iso_material_spec* spec);
/// Names of the keys iso_scenario_read_properties() reads.
extern const char* const iso_scenario_property_keys[];
/// What `simulation` may say; NULL at the end.
extern const char* const iso_scenario_simulation_keys[];
#define ISO_SCENARIO_PROPERTY_COUNT 24
/// A number, or {type: constant | square_wave | table | cubic, ...}. The caller owns its table.
iso_status iso_scenario_read_signal(iso_scene_build* build, const iso_yaml_node* node,
                                    const char* what, iso_signal_desc* signal);
/// The actuator of a joint; a joint that has none gets one.
iso_status iso_scenario_actuator_of_joint(iso_scene_build* build, iso_source at, const char* name,
                                          int* out_actuator);
/// The keys position and velocity of a joint; strict about limits.
iso_status iso_scenario_read_joint_state(iso_scene_build* build, const iso_yaml_node* node,
                                         int joint);
