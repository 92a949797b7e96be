// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/contact.h"
#include "isobar/model.h"
#include "isobar/scene.h"
#include "isobar/sensor.h"
#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes an MCAP file (https://mcap.dev) while a world runs. The file only ever grows, and what
/// was flushed stays readable when the program is killed. Channels: docs/recording.md.
typedef struct iso_recorder iso_recorder;

/// Start from iso_recorder_desc_default().
typedef struct iso_recorder_desc {
    const char* scene_name; ///< copied; NULL: ""
    double frame_rate;      ///< frames kept per simulated second [Hz], >= 0; 0: every call; 60
    bool with_faces;        ///< polygons, pressures, tractions and slip of every face; true
    bool with_foxglove;     ///< channels /tf, /scene and /scene/bodies, for pictures; true
    bool json_contacts;     ///< contacts as JSON, many times slower; false: Protocol Buffers; false
    bool exact_energy;      ///< elastic energies as iso_world_elastic_energy(), which take about as
                            ///< long as the patches of a step; false: by columns; false
    double flush_interval;  ///< wall time after which a chunk is handed to the system [s]; 0.25
    int chunk_size;         ///< bytes after which a chunk is handed to the system, > 0; 4 MiB
    const char* scene_path; ///< file the world was made from, for `isobar replay`; copied; NULL: ""
    const iso_scene_options* scene_options; ///< it was read with; copied; NULL: none
    const iso_sensors* sensors; ///< whose values are recorded as the last iso_sensors_update() left
                                ///< them; borrowed until the recorder is closed; NULL: none
    double size_limit;  ///< bytes that the file never exceeds, >= 0; what comes later is not
                        ///< recorded, and the log says so; 0: none; 0
    bool in_background; ///< a thread of its own encodes, compresses and writes up to eight frames
                        ///< late, with the same bytes; not with a size_limit or a flush_interval
                        ///< of 0. What fails there fails the next call; true
} iso_recorder_desc;
/// The values named beside the members.
ISO_API iso_recorder_desc iso_recorder_desc_default(void);

/// Start a recording: creates (or replaces) the file and writes the bodies' shapes, the joints and
/// the settings. Worlds created with load_visuals show their visuals.
/// @param      world         read during the call only
/// @param      desc          NULL means the default
/// @param[out] out_recorder  owned by the caller, release with iso_recorder_close(); NULL on error
/// @return ISO_ERR_IO (message names the path), ISO_ERR_ARGUMENT (a text is not UTF-8),
///         ISO_ERR_RANGE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_recorder_create(iso_context* ctx, const char* path,
                                                     const iso_world* world,
                                                     const iso_recorder_desc* desc,
                                                     iso_recorder** out_recorder);

/// Record the hash of the present state; and the state and the last contacts, unless the frame rate
/// says that it is too early. Call it after every step. After a failure every later call fails the
/// same way.
/// @param world  the world given to iso_recorder_create()
/// @return ISO_ERR_IO, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_recorder_record(iso_recorder* recorder,
                                                     const iso_world* world);

/// Will iso_recorder_record() keep a frame of the world's present state? What a frame needs
/// (iso_sensors_update()) may be left out when not.
ISO_API bool iso_recorder_is_due(const iso_recorder* recorder, const iso_world* world);

/// When the next frame is due, on the grid of the frame rate [s]; infinite for a recorder whose
/// size limit is reached.
ISO_API double iso_recorder_next_time(const iso_recorder* recorder);

/// Keep a frame, due or not, of a clone that iso_world_place_within() has put within the last step
/// of the world: before iso_recorder_record() of that step, in the order of time. No hash is kept.
/// @return as iso_recorder_record()
ISO_NODISCARD ISO_API iso_status iso_recorder_record_within(iso_recorder* recorder,
                                                            const iso_world* clone);

/// Frames recorded so far; waits until they are written.
ISO_API int iso_recorder_frame_count(const iso_recorder* recorder);

/// Finish the file (index, summary) and release the recorder, also after a failure. NULL is
/// allowed.
/// @return ISO_ERR_IO when anything could not be written
ISO_NODISCARD ISO_API iso_status iso_recorder_close(iso_recorder* recorder);

/// A body of a recording.
typedef struct iso_recorded_body {
    const char* name; ///< scoped, "model::link"; body 0 is "world"
    bool is_fixed;    ///< the world and everything welded to it
    double mass;      ///< [kg]; 0 for "world"
    int surface_count;
    const iso_body_surface* surfaces; ///< [surface_count]
} iso_recorded_body;

/// A joint of a recording.
typedef struct iso_recorded_joint {
    const char* name; ///< scoped, "model::joint"
    iso_joint_kind kind;
} iso_recorded_joint;

/// A sensor of a recording.
typedef struct iso_recorded_sensor {
    const char* name;
    iso_sensor_kind kind;
    const char* body;             ///< S is fixed to; scoped
    iso_pose x_bs;                ///< pose of S in the body
    int rows, columns;            ///< tactile; else 0
    double width, height;         ///< tactile [m]; else 0
    int value_index, value_count; ///< in sensor_values of frames
    int name_count;               ///< as value_count; tactile: 12, the last 6 for every cell, then
                                  ///< one for each block of a value of every cell, the states
                                  ///< ("stick_slip") and the readings; old recordings have none
    const char* const* value_names; ///< [name_count]
    const char* const* value_units; ///< [name_count]
} iso_recorded_sensor;

/// What does not change during a recording.
typedef struct iso_recorded_model {
    const char* scene_name;
    const char* isobar_version; ///< that wrote the file
    iso_world_desc settings;
    int body_count, joint_count;
    const iso_recorded_body* bodies;  ///< [body_count]
    const iso_recorded_joint* joints; ///< [joint_count]
    int sensor_count, sensor_value_count;
    const iso_recorded_sensor* sensors; ///< [sensor_count]

    const char* scene_path;          ///< "": not known
    iso_scene_options scene_options; ///< the scene was read with
    size_t state_size;               ///< 0: not known
    const void* state;               ///< [state_size] at the start: iso_world_restore()
} iso_recorded_model;

/// Hash of the state after so many steps.
typedef struct iso_recorded_hash {
    int64_t step_count;
    uint64_t state_hash;
} iso_recorded_hash;

/// One recorded instant. Its contacts read like those of a world, without the fields' gradients
/// (NULL); without recorded faces a patch keeps its face_count and sums, and its arrays are NULL.
typedef struct iso_recorded_frame {
    double time;        ///< [s]
    int64_t step_count; ///< steps made so far
    uint64_t state_hash;
    const iso_pose* poses;          ///< x_wb [body_count]
    const iso_spatial* twists;      ///< (angular; of the origin) [body_count]
    const double* joint_positions;  ///< [joint_count] [rad] or [m]
    const double* joint_velocities; ///< [joint_count] [rad/s] or [m/s]
    const double* joint_efforts;    ///< [joint_count] [N m] or [N]
    int contact_count;
    const iso_contact* contacts; ///< [contact_count]
    iso_energy energy;
    const double* sensor_values; ///< [sensor_value_count]; NULL without sensors
} iso_recorded_frame;

/// A recording opened for reading: complete files and those cut short by a crash.
typedef struct iso_recording iso_recording;

/// Open a recording and index its frames. Reads the whole file once.
/// @param[out] out_recording  owned by the caller, release with iso_recording_close(); NULL on
/// error
/// @return ISO_ERR_IO, ISO_ERR_PARSE (not an Isobar recording, damaged; the message tells where),
///         ISO_ERR_UNSUPPORTED (compressed chunks), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_recording_open(iso_context* ctx, const char* path,
                                                    iso_recording** out_recording);
/// NULL is allowed.
ISO_API void iso_recording_close(iso_recording* recording);

/// False when the file ends before its summary: the program that wrote it was killed.
ISO_API bool iso_recording_is_complete(const iso_recording* recording);
/// Owned by the recording.
ISO_API const iso_recorded_model* iso_recording_model(const iso_recording* recording);
/// Number of frames, >= 0.
ISO_API int iso_recording_frame_count(const iso_recording* recording);
/// Time of a frame in [0, frame_count), to one nanosecond; 0 for other indices [s].
ISO_API double iso_recording_frame_time(const iso_recording* recording, int frame);

/// Read one frame.
/// @param      frame      in [0, frame_count)
/// @param[out] out_frame  owned by the recording, valid until the next call on it; NULL on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_IO, ISO_ERR_PARSE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_recording_read(iso_recording* recording, int frame,
                                                    const iso_recorded_frame** out_frame);

/// Told after every frame that an export or a page has taken.
/// @param done  of count frames
typedef void (*iso_recording_progress)(void* user, int done, int count);

/// Have exports and pages of this recording say how far they are; NULL: no longer.
ISO_API void iso_recording_set_progress(iso_recording* recording, iso_recording_progress progress,
                                        void* user);

/// The hashes of all states that iso_recorder_record() was given, in the order of the file; those
/// of states without a frame too. None in recordings of older versions.
/// @param[out] out_hashes  [*out_count] owned by the recording
/// @return ISO_ERR_ARGUMENT, ISO_ERR_IO, ISO_ERR_PARSE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_recording_hashes(iso_recording* recording,
                                                      const iso_recorded_hash** out_hashes,
                                                      int* out_count);

/// What happened in the steps of a watched world (iso_world_watch()) that iso_recorder_record() was
/// given, by time; bodies are those of the model, `function` is -1. None in recordings of older
/// versions.
/// @param[out] out_events  [*out_count] owned by the recording
/// @return ISO_ERR_ARGUMENT, ISO_ERR_IO, ISO_ERR_PARSE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_recording_events(iso_recording* recording,
                                                      const iso_event** out_events, int* out_count);

/// Write bodies.csv, joints.csv, contacts.csv, faces.csv, energy.csv, where there are sensors
/// sensors.csv and where there are events events.csv into a directory, which is made when missing
/// (its parent must exist). Columns and units: docs/recording.md.
/// @return ISO_ERR_PARSE (the recording holds no frames), ISO_ERR_IO and the errors of
///         iso_recording_read(); a file is written whole or not at all
ISO_NODISCARD ISO_API iso_status iso_recording_export_csv(iso_recording* recording,
                                                          const char* directory);

/// Write bodies and patches of every frame as VTK files (.vtp) with the collections bodies.pvd and
/// patches.pvd, which ParaView opens. Faces carry pressure, traction, slip velocity, normal, area.
/// @return as iso_recording_export_csv()
ISO_NODISCARD ISO_API iso_status iso_recording_export_vtk(iso_recording* recording,
                                                          const char* directory);

/// The same for the present contacts of a world: bodies.vtp and patches.vtp.
/// @return ISO_ERR_IO, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_contacts_export_vtk(const iso_world* world,
                                                         const char* directory);

/// Write the deformed configuration of every compliant body of tetrahedra of a world (see
/// iso_world_deformed()) as legacy VTK files in ASCII: BODY.MODEL.LINK.GEOMETRY.vtk holds its
/// tetrahedra, .surface.vtk its surface with is_contact per triangle; both the body's own pressure
/// per point [Pa].
/// @return ISO_ERR_ARGUMENT, ISO_ERR_IO, ISO_ERR_MEMORY; a file is written whole or not at all
ISO_NODISCARD ISO_API iso_status iso_deformed_export_vtk(const iso_world* world,
                                                         const char* directory);

/// How much of a recording a page holds. Start from iso_view_desc_default().
typedef struct iso_view_desc {
    double frame_rate; ///< frames kept per simulated second at most [Hz], > 0; 60
    size_t size_limit; ///< bytes of frame data; beyond it every second frame goes; 200 MiB
    bool with_faces;   ///< polygons of the patches; true
} iso_view_desc;
/// The values named beside the members.
ISO_API iso_view_desc iso_view_desc_default(void);

/// Write a self-contained page: the viewer's HTML with this recording in the place of the token
/// `@@ISOBAR_DATA@@`. What is left out is said in the log and on the page.
/// @param html_template  [html_size] bytes of the viewer's page
/// @param desc           NULL means the default
/// @return ISO_ERR_ARGUMENT (the token is not there exactly once), ISO_ERR_PARSE (no frames),
///         ISO_ERR_IO and the errors of iso_recording_read(); the page is written whole or not at
///         all
ISO_NODISCARD ISO_API iso_status iso_recording_write_view(iso_recording* recording,
                                                          const char* html_template,
                                                          size_t html_size, const char* path,
                                                          const iso_view_desc* desc);

#ifdef __cplusplus
}
#endif
