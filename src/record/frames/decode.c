// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/decode.h"

#include "base/core/fail.h"
#include "record/frames/encode.h"
#include "record/frames/origin.h"
#include "record/frames/recorded_sensors.h"
#include "record/frames/schemas.h"
#include "record/json/json_fields.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

// Recordings of older versions do not say: the default.
static iso_status decode_friction(iso_context* ctx, const json_t* object,
                                  iso_contact_options* contact) {
    iso_contact_options options = iso_contact_options_default();
    int friction = (int)options.friction, model = (int)options.model;
    int law = (int)options.friction_law;
    iso_status status = ISO_OK;
    if (json_object_get(object, "friction")) {
        ISO_TRY(iso_json_get_name(ctx, object, "friction", ISO_NAMES_FRICTION_MODEL, &friction));
        ISO_TRY(
            iso_json_get_number(ctx, object, "friction_stiffness", &options.friction_stiffness));
        ISO_TRY(iso_json_get_number(ctx, object, "friction_damping_time",
                                    &options.friction_damping_time));
    }
    if (json_object_get(object, "friction_law")) {
        ISO_TRY(iso_json_get_name(ctx, object, "friction_law", ISO_NAMES_FRICTION_LAW, &law));
    }
    if (json_object_get(object, "contact_model")) {
        ISO_TRY(
            iso_json_get_name(ctx, object, "contact_model", ISO_NAMES_CONTACT_MODEL_KIND, &model));
    }
    contact->model = (iso_contact_model_kind)model;
    contact->friction = (iso_friction_model)friction;
    contact->friction_law = (iso_friction_law)law;
    contact->friction_stiffness = options.friction_stiffness;
    contact->friction_damping_time = options.friction_damping_time;
    if (json_object_get(object, "brush_size")) {
        ISO_TRY(iso_json_get_number(ctx, object, "brush_size", &contact->brush_size));
    }

done:
    return status;
}

static iso_status decode_settings(const iso_json_doc* doc, iso_world_desc* settings) {
    iso_context* ctx = doc->ctx;
    const json_t* root = doc->root;
    iso_status status = ISO_OK;
    iso_contact_options* contact = &settings->contact;
    json_t* object = NULL;
    int64_t thread_count = 0, max_substeps = iso_world_desc_default().max_substeps;
    int method = 0, representation = 0, cull = 0, combine = 0, regularization = 0;
    int damping = (int)ISO_DAMPING_HUNT_CROSSLEY; // of recordings that do not say
    *settings = (iso_world_desc){0};
    ISO_TRY(iso_json_get_object(ctx, root, "settings", &object));
    ISO_TRY(iso_json_get_number(ctx, object, "time_step", &settings->time_step));
    ISO_TRY(iso_json_get_vec3(doc, object, "gravity", &settings->gravity));
    ISO_TRY(iso_json_get_name(ctx, object, "method", ISO_NAMES_METHOD, &method));
    ISO_TRY(iso_json_get_number(ctx, object, "accuracy", &settings->accuracy));
    settings->error_control = json_is_true(json_object_get(object, "error_control"));
    if (json_object_get(object, "max_substeps")) {
        ISO_TRY(iso_json_get_int(ctx, object, "max_substeps", 1, ISO_MOST_SUBSTEPS, &max_substeps));
    }
    if (json_object_get(object, "initial_step")) {
        ISO_TRY(iso_json_get_number(ctx, object, "initial_step", &settings->initial_step));
    }
    if (json_object_get(object, "max_step")) {
        ISO_TRY(iso_json_get_number(ctx, object, "max_step", &settings->max_step));
    }
    ISO_TRY(iso_json_get_int(ctx, object, "thread_count", 1, INT_MAX, &thread_count));
    ISO_TRY(iso_json_get_name(ctx, object, "representation", ISO_NAMES_REPRESENTATION,
                              &representation));
    ISO_TRY(iso_json_get_name(ctx, object, "cull", ISO_NAMES_CULL, &cull));
    ISO_TRY(iso_json_get_name(ctx, object, "combine", ISO_NAMES_COMBINE, &combine));
    if (json_object_get(object, "damping")) {
        ISO_TRY(iso_json_get_name(ctx, object, "damping", ISO_NAMES_DAMPING, &damping));
    }
    ISO_TRY(iso_json_get_name(ctx, object, "regularization", ISO_NAMES_REGULARIZATION,
                              &regularization));
    ISO_TRY(
        iso_json_get_number(ctx, object, "rigid_layer_thickness", &contact->rigid_layer_thickness));
    ISO_TRY(iso_json_get_number(ctx, object, "rigid_layer_modulus", &contact->rigid_layer_modulus));
    ISO_TRY(iso_json_get_number(ctx, object, "stiction_velocity", &contact->stiction_velocity));
    ISO_TRY(decode_friction(ctx, object, contact));
    settings->method = (iso_method)method;
    settings->max_substeps = (int)max_substeps;
    settings->thread_count = (int)thread_count;
    contact->representation = (iso_representation)representation;
    contact->cull = (iso_cull)cull;
    contact->combine = (iso_combine)combine;
    contact->damping = (iso_damping)damping;
    contact->regularization = (iso_regularization)regularization;

done:
    return status;
}

static iso_status decode_mesh(const iso_json_doc* doc, const json_t* object, iso_tri_mesh* mesh) {
    iso_context* ctx = doc->ctx;
    iso_status status = ISO_OK;
    iso_number_list numbers = {NULL, 0};
    int* indices = NULL;
    int index_count = 0;
    const iso_vec3* vertices = NULL;
    ISO_TRY(iso_json_get_list(doc, object, "vertices", &numbers));
    ISO_CHECK(ctx, numbers.count % 3 == 0, ISO_ERR_PARSE,
              "\"vertices\" has %d elements, expected a multiple of 3", numbers.count);
    mesh->vertex_count = numbers.count / 3;
    ISO_TRY(iso_json_get_vec3s(doc, object, "vertices", mesh->vertex_count, &vertices));
    ISO_TRY(iso_json_copy_ints(doc, object, "triangles", 0, mesh->vertex_count - 1, &indices,
                               &index_count));
    ISO_CHECK(ctx, index_count % 3 == 0, ISO_ERR_PARSE,
              "\"triangles\" has %d elements, expected a multiple of 3", index_count);
    mesh->triangle_count = index_count / 3;
    mesh->triangles = (int(*)[3])indices;
    mesh->vertices = (iso_vec3*)vertices;

done:
    return status;
}

static iso_status decode_surface(const iso_json_doc* doc, const json_t* object,
                                 iso_body_surface* surface) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    iso_status status = ISO_OK;
    const char* role = NULL;
    const double *pose = NULL, *color = NULL;
    iso_tri_mesh* mesh = iso_arena_push(arena, sizeof *mesh);
    ISO_CHECK(ctx, mesh, ISO_ERR_MEMORY, "recorded surface");
    ISO_TRY(iso_json_copy_text(arena, object, "name", &surface->name));
    ISO_TRY(iso_json_get_text(ctx, object, "role", &role));
    surface->is_collision = strcmp(role, "collision") == 0;
    ISO_TRY(iso_json_get_numbers(doc, object, "pose", 7, &pose));
    ISO_TRY(iso_json_get_numbers(doc, object, "color", 4, &color));
    ISO_TRY(decode_mesh(doc, object, mesh));
    surface->x_bg = iso_pose_from_numbers(pose);
    for (int i = 0; i < 4; ++i) {
        surface->rgba[i] = (float)color[i];
    }
    surface->mesh = mesh;

done:
    return status;
}

static iso_status decode_body(const iso_json_doc* doc, const json_t* object,
                              iso_recorded_body* body) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    iso_status status = ISO_OK;
    json_t* array = NULL;
    ISO_TRY(iso_json_copy_text(arena, object, "name", &body->name));
    ISO_TRY(iso_json_get_bool(ctx, object, "is_fixed", &body->is_fixed));
    ISO_TRY(iso_json_get_number(ctx, object, "mass", &body->mass));
    ISO_TRY(iso_json_get_array(doc, object, "surfaces", &array, &body->surface_count));
    iso_body_surface* surfaces = iso_arena_push_array(arena, body->surface_count, sizeof *surfaces);
    ISO_CHECK(ctx, surfaces, ISO_ERR_MEMORY, "%d surfaces", body->surface_count);
    for (int i = 0; i < body->surface_count; ++i) {
        ISO_TRY(decode_surface(doc, json_array_get(array, (size_t)i), &surfaces[i]));
    }
    body->surfaces = surfaces;

done:
    return status;
}

static iso_status decode_bodies(const iso_json_doc* doc, iso_recorded_model* model) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    iso_status status = ISO_OK;
    json_t* array = NULL;
    ISO_TRY(iso_json_get_array(doc, doc->root, "bodies", &array, &model->body_count));
    iso_recorded_body* bodies = iso_arena_push_array(arena, model->body_count, sizeof *bodies);
    ISO_CHECK(ctx, bodies, ISO_ERR_MEMORY, "%d bodies", model->body_count);
    for (int i = 0; i < model->body_count; ++i) {
        ISO_TRY(decode_body(doc, json_array_get(array, (size_t)i), &bodies[i]));
    }
    model->bodies = bodies;

done:
    return status;
}

static iso_status decode_joints(const iso_json_doc* doc, iso_recorded_model* model) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    iso_status status = ISO_OK;
    json_t* array = NULL;
    ISO_TRY(iso_json_get_array(doc, doc->root, "joints", &array, &model->joint_count));
    iso_recorded_joint* joints = iso_arena_push_array(arena, model->joint_count, sizeof *joints);
    ISO_CHECK(ctx, joints, ISO_ERR_MEMORY, "%d joints", model->joint_count);
    for (int i = 0; i < model->joint_count; ++i) {
        const json_t* joint = json_array_get(array, (size_t)i);
        int kind = 0;
        ISO_TRY(iso_json_copy_text(arena, joint, "name", &joints[i].name));
        ISO_TRY(iso_json_get_name(ctx, joint, "kind", ISO_NAMES_JOINT_KIND, &kind));
        joints[i].kind = (iso_joint_kind)kind;
    }
    model->joints = joints;

done:
    return status;
}

iso_status iso_decode_model(iso_arena* arena, const char* text, size_t size,
                            iso_recorded_model* out_model) {
    iso_context* ctx = arena->ctx;
    iso_json_doc doc;
    const char* format = NULL;
    *out_model = (iso_recorded_model){0};
    iso_status status = iso_json_parse(arena, text, size, &doc);
    if (status != ISO_OK) {
        return status;
    }
    ISO_TRY(iso_json_get_text(ctx, doc.root, "format", &format));
    ISO_CHECK(ctx, strcmp(format, ISO_RECORDING_FORMAT) == 0, ISO_ERR_PARSE,
              "\"format\" is \"%.32s\", expected \"%s\"", format, ISO_RECORDING_FORMAT);
    ISO_TRY(iso_json_copy_text(arena, doc.root, "scene", &out_model->scene_name));
    ISO_TRY(iso_json_copy_text(arena, doc.root, "isobar_version", &out_model->isobar_version));
    ISO_TRY(decode_settings(&doc, &out_model->settings));
    ISO_TRY(decode_bodies(&doc, out_model));
    ISO_TRY(decode_joints(&doc, out_model));
    ISO_TRY(iso_decode_recorded_sensors(&doc, out_model));
    ISO_TRY(iso_decode_origin(&doc, out_model));

done:
    iso_json_release(&doc);
    return status;
}

static iso_status decode_hash(iso_context* ctx, const json_t* root, uint64_t* out_hash) {
    const char* text = NULL;
    iso_status status = iso_json_get_text(ctx, root, "state_hash", &text);
    if (status == ISO_OK) {
        ISO_REQUIRE(ctx, strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16,
                    ISO_ERR_PARSE, "\"state_hash\" is \"%.32s\", expected 16 hexadecimal digits",
                    text);
        sscanf(text, "%" SCNx64, out_hash);
    }
    return status;
}

static iso_status decode_motion(const iso_json_doc* doc, const json_t* root, int body_count,
                                iso_recorded_frame* frame) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    iso_status status = ISO_OK;
    const double *poses = NULL, *twists = NULL;
    ISO_CHECK(ctx, body_count <= INT_MAX / 7, ISO_ERR_PARSE, "%d bodies", body_count);
    ISO_TRY(iso_json_get_numbers(doc, root, "poses", 7 * body_count, &poses));
    ISO_TRY(iso_json_get_numbers(doc, root, "twists", 6 * body_count, &twists));
    iso_pose* x = iso_arena_push_array(arena, body_count, sizeof *x);
    iso_spatial* v = iso_arena_push_array(arena, body_count, sizeof *v);
    ISO_CHECK(ctx, x && v, ISO_ERR_MEMORY, "poses of %d bodies", body_count);
    for (int i = 0; i < body_count; ++i) {
        const double* t = twists + 6 * i;
        x[i] = iso_pose_from_numbers(poses + 7 * i);
        v[i].rotational = iso_vec3_make(t[0], t[1], t[2]);
        v[i].translational = iso_vec3_make(t[3], t[4], t[5]);
    }
    frame->poses = x;
    frame->twists = v;

done:
    return status;
}

iso_status iso_decode_state(iso_arena* arena, const char* text, size_t size,
                            const iso_recorded_model* model, iso_recorded_frame* frame) {
    iso_context* ctx = arena->ctx;
    iso_json_doc doc;
    int n = model->joint_count;
    iso_status status = iso_json_parse(arena, text, size, &doc);
    if (status != ISO_OK) {
        return status;
    }
    ISO_TRY(iso_json_get_number(ctx, doc.root, "time", &frame->time));
    ISO_TRY(iso_json_get_int(ctx, doc.root, "step_count", 0, INT64_MAX, &frame->step_count));
    ISO_TRY(decode_hash(ctx, doc.root, &frame->state_hash));
    ISO_TRY(decode_motion(&doc, doc.root, model->body_count, frame));
    ISO_TRY(iso_json_get_numbers(&doc, doc.root, "joint_positions", n, &frame->joint_positions));
    ISO_TRY(iso_json_get_numbers(&doc, doc.root, "joint_velocities", n, &frame->joint_velocities));
    ISO_TRY(iso_json_get_numbers(&doc, doc.root, "joint_efforts", n, &frame->joint_efforts));

done:
    iso_json_release(&doc);
    return status;
}

// Vertices per face become offsets into the vertices.
static iso_status decode_offsets(const iso_json_doc* doc, const json_t* object, iso_patch* patch) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    int *counts = NULL, count = 0;
    iso_status status = iso_json_copy_ints(doc, object, "counts", 3, 1 << 20, &counts, &count);
    if (status != ISO_OK) {
        return status;
    }
    ISO_REQUIRE(ctx, count == patch->face_count, ISO_ERR_PARSE,
                "\"counts\" has %d elements, expected %d", count, patch->face_count);
    int* offsets = iso_arena_push_array(arena, count + 1, sizeof *offsets);
    ISO_REQUIRE(ctx, offsets, ISO_ERR_MEMORY, "offsets of %d faces", count);
    offsets[0] = 0;
    for (int f = 0; f < count; ++f) {
        ISO_REQUIRE(ctx, offsets[f] <= INT_MAX / 3 - counts[f], ISO_ERR_PARSE,
                    "\"counts\" add up to too many vertices");
        offsets[f + 1] = offsets[f] + counts[f];
    }
    patch->face_offsets = offsets;
    patch->vertex_count = offsets[count];
    return ISO_OK;
}

static iso_status decode_faces(const iso_json_doc* doc, const json_t* object,
                               iso_contact* contact) {
    iso_patch* patch = &contact->patch;
    int n = patch->face_count;
    iso_status status = decode_offsets(doc, object, patch);
    if (status != ISO_OK) {
        return status;
    }
    int m = patch->vertex_count;
    ISO_TRY(iso_json_get_vec3s(doc, object, "vertices", m, &patch->vertices));
    ISO_TRY(iso_json_get_numbers(doc, object, "vertex_pressures", m, &patch->vertex_pressures));
    ISO_TRY(iso_json_get_numbers(doc, object, "areas", n, &patch->areas));
    ISO_TRY(iso_json_get_vec3s(doc, object, "centroids", n, &patch->centroids));
    ISO_TRY(iso_json_get_vec3s(doc, object, "normals", n, &patch->normals));
    ISO_TRY(iso_json_get_numbers(doc, object, "pressures", n, &patch->pressures));
    ISO_TRY(iso_json_get_vec3s(doc, object, "tractions", n, &contact->tractions));
    ISO_TRY(iso_json_get_vec3s(doc, object, "slip_velocities", n, &contact->slip_velocities));
    if (json_object_get(object, "stretches")) {
        ISO_TRY(iso_json_get_vec3s(doc, object, "stretches", n, &contact->stretches));
        ISO_TRY(iso_json_get_numbers(doc, object, "sliding", n, &contact->sliding));
    }

done:
    return status;
}

static iso_status decode_names(iso_arena* arena, const json_t* object,
                               const iso_recorded_model* model, iso_contact* contact) {
    iso_status status = ISO_OK;
    int64_t a = 0, b = 0;
    ISO_TRY(iso_json_get_int(arena->ctx, object, "body_a", 0, model->body_count - 1, &a));
    ISO_TRY(iso_json_get_int(arena->ctx, object, "body_b", 0, model->body_count - 1, &b));
    ISO_TRY(iso_json_copy_text(arena, object, "geometry_a", &contact->geometry_name_a));
    ISO_TRY(iso_json_copy_text(arena, object, "geometry_b", &contact->geometry_name_b));
    contact->body_a = (int)a;
    contact->body_b = (int)b;
    contact->body_name_a = model->bodies[a].name;
    contact->body_name_b = model->bodies[b].name;

done:
    return status;
}

// A number that older recordings lack: 0.
static iso_status decode_optional(iso_context* ctx, const json_t* object, const char* key,
                                  double* out_value) {
    *out_value = 0.0;
    return json_object_get(object, key) ? iso_json_get_number(ctx, object, key, out_value) : ISO_OK;
}

// What contacts without faces have beside patches.
static iso_status decode_model(const iso_json_doc* doc, const json_t* object,
                               iso_contact* contact) {
    contact->model = "pressure_field";
    contact->manifold = ISO_MANIFOLD_PATCH;
    if (!json_object_get(object, "manifold")) {
        return ISO_OK;
    }
    int64_t kind = 0;
    iso_status status = ISO_OK;
    ISO_TRY(iso_json_get_int(doc->ctx, object, "manifold", ISO_MANIFOLD_PATCH, ISO_MANIFOLD_VOLUME,
                             &kind));
    ISO_TRY(iso_json_copy_text(doc->arena, object, "model", &contact->model));
    ISO_TRY(iso_json_get_vec3(doc, object, "normal", &contact->normal));
    contact->manifold = (iso_manifold_kind)kind;
done:
    return status;
}

static iso_status decode_contact(const iso_json_doc* doc, const json_t* object,
                                 const iso_recorded_model* model, iso_contact* contact) {
    iso_arena* arena = doc->arena;
    iso_context* ctx = doc->ctx;
    iso_patch* patch = &contact->patch;
    int64_t face_count = 0;
    iso_status status = ISO_OK;
    *contact = (iso_contact){0};
    ISO_TRY(decode_names(arena, object, model, contact));
    ISO_TRY(iso_json_get_bool(ctx, object, "is_rigid_a", &patch->is_rigid_a));
    ISO_TRY(iso_json_get_bool(ctx, object, "is_rigid_b", &patch->is_rigid_b));
    ISO_TRY(iso_json_get_int(ctx, object, "faces", 0, INT_MAX / 3, &face_count));
    ISO_TRY(iso_json_get_number(ctx, object, "area", &patch->area));
    ISO_TRY(iso_json_get_vec3(doc, object, "force", &contact->f_b_w.translational));
    ISO_TRY(iso_json_get_vec3(doc, object, "moment", &contact->f_b_w.rotational));
    ISO_TRY(iso_json_get_vec3(doc, object, "center_of_pressure", &patch->center_of_pressure));
    ISO_TRY(iso_json_get_vec3(doc, object, "centroid", &patch->centroid));
    ISO_TRY(iso_json_get_number(ctx, object, "max_pressure", &patch->max_pressure));
    ISO_TRY(iso_json_get_number(ctx, object, "elastic_energy", &contact->elastic_energy));
    if (json_object_get(object, "is_energy_exact")) {
        ISO_TRY(iso_json_get_bool(ctx, object, "is_energy_exact", &contact->is_energy_exact));
    }
    ISO_TRY(decode_optional(ctx, object, "extent_a", &contact->extent_a));
    ISO_TRY(decode_optional(ctx, object, "extent_b", &contact->extent_b));
    ISO_TRY(decode_optional(ctx, object, "sheet_thickness", &contact->sheet_thickness));
    ISO_TRY(decode_optional(ctx, object, "sheet_depth", &contact->sheet_depth));
    ISO_TRY(decode_model(doc, object, contact));
    patch->face_count = (int)face_count;
    if (json_object_get(object, "polygons")) {
        json_t* polygons = NULL;
        ISO_TRY(iso_json_get_object(ctx, object, "polygons", &polygons));
        ISO_TRY(decode_faces(doc, polygons, contact));
    }

done:
    return status;
}

iso_status iso_decode_contacts(iso_arena* arena, const char* text, size_t size,
                               const iso_recorded_model* model, iso_recorded_frame* frame) {
    iso_context* ctx = arena->ctx;
    iso_json_doc doc;
    json_t* array = NULL;
    int count = 0;
    iso_status status = iso_json_parse(arena, text, size, &doc);
    if (status != ISO_OK) {
        return status;
    }
    ISO_TRY(iso_json_get_array(&doc, doc.root, "contacts", &array, &count));
    iso_contact* contacts = iso_arena_push_array(arena, count, sizeof *contacts);
    ISO_CHECK(ctx, contacts, ISO_ERR_MEMORY, "%d contacts", count);
    for (int i = 0; i < count; ++i) {
        ISO_TRY(decode_contact(&doc, json_array_get(array, (size_t)i), model, &contacts[i]));
    }
    frame->contacts = contacts;
    frame->contact_count = count;

done:
    iso_json_release(&doc);
    return status;
}

iso_status iso_decode_energy(iso_arena* arena, const char* text, size_t size,
                             iso_recorded_frame* frame) {
    iso_context* ctx = arena->ctx;
    iso_json_doc doc;
    iso_energy* energy = &frame->energy;
    iso_status status = iso_json_parse(arena, text, size, &doc);
    if (status != ISO_OK) {
        return status;
    }
#define GET(name) ISO_TRY(iso_json_get_number(ctx, doc.root, #name, &energy->name));
    ISO_RECORDED_ENERGIES(GET)
#undef GET
#define GET(name)                                                          \
    energy->name = NAN;                                                    \
    if (json_object_get(doc.root, #name)) {                                \
        ISO_TRY(iso_json_get_number(ctx, doc.root, #name, &energy->name)); \
    }
    ISO_LATER_ENERGIES(GET)
#undef GET

done:
    iso_json_release(&doc);
    return status;
}

static iso_status decode_event(iso_arena* arena, const json_t* object,
                               const iso_recorded_model* model, iso_event* out) {
    iso_context* ctx = arena->ctx;
    int kind = 0;
    int64_t a = -1, b = -1, direction = 0;
    iso_status status = ISO_OK;
    *out = (iso_event){.function = -1};
    ISO_TRY(iso_json_get_name(ctx, object, "kind", ISO_NAMES_EVENT_KIND, &kind));
    ISO_TRY(iso_json_get_number(ctx, object, "time", &out->time));
    ISO_TRY(iso_json_copy_text(arena, object, "name", &out->function_name));
    ISO_TRY(iso_json_get_int(ctx, object, "body_a", -1, model->body_count - 1, &a));
    ISO_TRY(iso_json_get_int(ctx, object, "body_b", -1, model->body_count - 1, &b));
    ISO_TRY(iso_json_copy_text(arena, object, "geometry_a", &out->geometry_name_a));
    ISO_TRY(iso_json_copy_text(arena, object, "geometry_b", &out->geometry_name_b));
    ISO_TRY(iso_json_get_int(ctx, object, "direction", -1, 1, &direction));
    out->kind = (iso_event_kind)kind;
    out->body_a = (int)a;
    out->body_b = (int)b;
    out->direction = (int)direction;
done:
    return status;
}

iso_status iso_decode_events(iso_arena* arena, const char* text, size_t size,
                             const iso_recorded_model* model, iso_recorded_events* events) {
    iso_json_doc doc;
    json_t* list = NULL;
    int count = 0;
    iso_status status = iso_json_parse(arena, text, size, &doc);
    if (status != ISO_OK) {
        return status;
    }
    ISO_TRY(iso_json_get_array(&doc, doc.root, "events", &list, &count));
    for (int i = 0; i < count; ++i) {
        iso_event event;
        ISO_TRY(decode_event(arena, json_array_get(list, (size_t)i), model, &event));
        ISO_TRY(ISO_ARRAY_GROW(arena->ctx, events));
        events->data[events->count++] = event;
    }
done:
    iso_json_release(&doc);
    return status;
}
