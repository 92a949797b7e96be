// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/schemas.h"

#include "record/frames/foxglove.h"
#include "record/proto/contacts.h"

// A schema's layout is the map of it.
// clang-format off
#define OBJECT(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"
#define FIELD(name, schema) "\"" name "\":" schema
#define AND ","
#define LIST(items) "{\"type\":\"array\",\"items\":" items "}"
#define NUMBER(unit) "{\"type\":[\"number\",\"null\"],\"description\":\"" unit "\"}"
#define NUMBERS(unit) \
    "{\"type\":\"array\",\"items\":{\"type\":[\"number\",\"null\"]},\"description\":\"" unit "\"}"
#define INTEGER "{\"type\":\"integer\"}"
#define INTEGERS LIST(INTEGER)
#define TEXT "{\"type\":\"string\"}"
#define FLAG "{\"type\":\"boolean\"}"

#define SURFACE OBJECT( \
    FIELD("name", TEXT) AND \
    FIELD("role", "{\"enum\":[\"visual\",\"collision\"]}") AND \
    FIELD("pose", NUMBERS("in the body: position m, quaternion w x y z")) AND \
    FIELD("color", NUMBERS("red, green, blue, alpha, 0 to 1")) AND \
    FIELD("vertices", NUMBERS("m, 3 per vertex")) AND \
    FIELD("triangles", INTEGERS))

static const char k_model[] = OBJECT(
    FIELD("format", TEXT) AND
    FIELD("isobar_version", TEXT) AND
    FIELD("scene", TEXT) AND
    FIELD("settings", "{\"type\":\"object\"}") AND
    FIELD("bodies", LIST(OBJECT(
        FIELD("name", TEXT) AND
        FIELD("is_fixed", FLAG) AND
        FIELD("mass", NUMBER("kg")) AND
        FIELD("surfaces", LIST(SURFACE))))) AND
    FIELD("joints", LIST(OBJECT(
        FIELD("name", TEXT) AND
        FIELD("kind", TEXT)))) AND
    FIELD("sensors", LIST(OBJECT(
        FIELD("name", TEXT) AND
        FIELD("kind", TEXT) AND
        FIELD("body", TEXT) AND
        FIELD("pose", NUMBERS("in the body: position m, quaternion w x y z")) AND
        FIELD("rows", INTEGER) AND
        FIELD("columns", INTEGER) AND
        FIELD("size", NUMBERS("m")) AND
        FIELD("value_count", INTEGER) AND
        FIELD("value_names", LIST(TEXT)) AND
        FIELD("value_units", LIST(TEXT))))) AND
    FIELD("origin", OBJECT(
        FIELD("path", TEXT) AND
        FIELD("settings", LIST(TEXT)) AND
        FIELD("packages", LIST(OBJECT(FIELD("name", TEXT) AND FIELD("directory", TEXT)))) AND
        FIELD("state", TEXT))));

static const char k_state[] = OBJECT(
    FIELD("time", NUMBER("s")) AND
    FIELD("step_count", INTEGER) AND
    FIELD("state_hash", TEXT) AND
    FIELD("poses", NUMBERS("7 per body: position m, quaternion w x y z, in the world")) AND
    FIELD("twists", NUMBERS("6 per body: angular velocity rad/s, velocity of the origin m/s")) AND
    FIELD("joint_positions", NUMBERS("rad or m")) AND
    FIELD("joint_velocities", NUMBERS("rad/s or m/s")) AND
    FIELD("joint_efforts", NUMBERS("N m or N")));

static const char k_hashes[] = OBJECT(
    FIELD("step_counts", INTEGERS) AND
    FIELD("state_hashes", LIST(TEXT)));

static const char k_events[] = OBJECT(
    FIELD("events", LIST(OBJECT(
        FIELD("kind", TEXT) AND
        FIELD("time", NUMBER("s, within a step")) AND
        FIELD("name", TEXT) AND
        FIELD("body_a", INTEGER) AND
        FIELD("body_b", INTEGER) AND
        FIELD("geometry_a", TEXT) AND
        FIELD("geometry_b", TEXT) AND
        FIELD("direction", INTEGER)))));

static const char k_sensors[] = OBJECT(
    FIELD("time", NUMBER("s")) AND
    FIELD("sensors", LIST(OBJECT(
        FIELD("name", TEXT) AND
        FIELD("values", NUMBERS("names and units: sensors of /isobar/model"))))));

#define POLYGONS OBJECT( \
    FIELD("counts", INTEGERS) AND \
    FIELD("vertices", NUMBERS("m, 3 per vertex")) AND \
    FIELD("vertex_pressures", NUMBERS("Pa")) AND \
    FIELD("areas", NUMBERS("m^2, per face")) AND \
    FIELD("centroids", NUMBERS("m, 3 per face")) AND \
    FIELD("normals", NUMBERS("from a into b, 3 per face")) AND \
    FIELD("pressures", NUMBERS("Pa, at the centroid of a face")) AND \
    FIELD("tractions", NUMBERS("on b, Pa, 3 per face")) AND \
    FIELD("slip_velocities", NUMBERS("tangential, b relative to a, m/s, 3 per face")) AND \
    FIELD("stretches", NUMBERS("of the springs of friction, m, 3 per face; other laws: left out")) AND \
    FIELD("sliding", NUMBERS("share of the force of a face that slides; with the stretches")))

static const char k_contacts[] = OBJECT(
    FIELD("time", NUMBER("s")) AND
    FIELD("contacts", LIST(OBJECT(
        FIELD("a", TEXT) AND
        FIELD("b", TEXT) AND
        FIELD("geometry_a", TEXT) AND
        FIELD("geometry_b", TEXT) AND
        FIELD("body_a", INTEGER) AND
        FIELD("body_b", INTEGER) AND
        FIELD("is_rigid_a", FLAG) AND
        FIELD("is_rigid_b", FLAG) AND
        FIELD("faces", INTEGER) AND
        FIELD("area", NUMBER("m^2")) AND
        FIELD("force", NUMBERS("on b, world, N")) AND
        FIELD("moment", NUMBERS("on b about the centre of pressure, world, N m")) AND
        FIELD("center_of_pressure", NUMBERS("m")) AND
        FIELD("centroid", NUMBERS("m")) AND
        FIELD("max_pressure", NUMBER("Pa")) AND
        FIELD("elastic_energy", NUMBER("J")) AND
        FIELD("is_energy_exact", FLAG) AND
        FIELD("extent_a", NUMBER("largest pressure over the largest of the field of a")) AND
        FIELD("extent_b", NUMBER("the same of b")) AND
        FIELD("sheet_thickness", NUMBER("m, of something the patch lies on both sides of")) AND
        FIELD("sheet_depth", NUMBER("m, the penetration there; 0: nowhere")) AND
        FIELD("model", TEXT) AND
        FIELD("manifold", INTEGER) AND
        FIELD("normal", NUMBERS("from a into b, unit; of contacts without faces")) AND
        FIELD("polygons", POLYGONS)))));

#define ENERGY(name) AND FIELD(#name, NUMBER("J"))
static const char k_energy[] = OBJECT(
    FIELD("time", NUMBER("s"))
    ISO_RECORDED_ENERGIES(ENERGY)
    ISO_LATER_ENERGIES(ENERGY));

// The Foxglove schemas https://docs.foxglove.dev/docs/visualization/message-schemas, with the
// fields that Isobar writes.
#define REAL "{\"type\":\"number\"}"
#define MOMENT OBJECT(FIELD("sec", INTEGER) AND FIELD("nsec", INTEGER))
#define VECTOR OBJECT(FIELD("x", REAL) AND FIELD("y", REAL) AND FIELD("z", REAL))
#define QUATERNION \
    OBJECT(FIELD("x", REAL) AND FIELD("y", REAL) AND FIELD("z", REAL) AND FIELD("w", REAL))
static const char k_transforms[] = OBJECT(
    FIELD("transforms", LIST(OBJECT(
        FIELD("timestamp", MOMENT) AND
        FIELD("parent_frame_id", TEXT) AND
        FIELD("child_frame_id", TEXT) AND
        FIELD("translation", VECTOR) AND
        FIELD("rotation", QUATERNION)))));
// clang-format on

iso_channel_schema iso_channel_schema_of(iso_channel channel) {
    static const iso_channel_schema schemas[ISO_CHANNEL_COUNT] = {
        [ISO_CHANNEL_MODEL] = {"/isobar/model", "isobar.Model", k_model, NULL},
        [ISO_CHANNEL_STATE] = {"/isobar/state", "isobar.State", k_state, NULL},
        [ISO_CHANNEL_CONTACTS] = {"/isobar/contacts", "isobar.Contacts", k_contacts,
                                  iso_contacts_put_schema},
        [ISO_CHANNEL_ENERGY] = {"/isobar/energy", "isobar.Energy", k_energy, NULL},
        [ISO_CHANNEL_HASHES] = {"/isobar/hashes", "isobar.Hashes", k_hashes, NULL},
        [ISO_CHANNEL_SENSORS] = {"/isobar/sensors", "isobar.Sensors", k_sensors, NULL},
        [ISO_CHANNEL_EVENTS] = {"/isobar/events", "isobar.Events", k_events, NULL},
        [ISO_CHANNEL_TRANSFORMS] = {"/tf", "foxglove.FrameTransforms", k_transforms, NULL},
        [ISO_CHANNEL_CONTACT_SCENE] = {"/scene", "foxglove.SceneUpdate", NULL,
                                       iso_scene_put_schema},
        [ISO_CHANNEL_BODY_SCENE] = {"/scene/bodies", "foxglove.SceneUpdate", NULL,
                                    iso_scene_put_schema},
    };
    return schemas[channel];
}
