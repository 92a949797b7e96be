// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "learn/vector.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/dynamics.h"
#include "isobar/state.h"

#include <math.h>
#include <string.h>

// --- making --------------------------------------------------------------------------------------

/// Something that every variant has by name.
typedef struct name_source {
    const char* noun;
    int (*count)(const iso_world* world);
    const char* (*name)(const iso_world* world, int index);
} name_source;

static const name_source k_sources[] = {
    {"body", iso_world_body_count, iso_world_body_name},
    {"joint", iso_world_joint_count, iso_world_joint_name},
    {"actuator", iso_world_actuator_count, iso_world_actuator_name},
    {"position", iso_world_q_count, NULL},
    {"velocity", iso_world_v_count, NULL},
};

static iso_status check_variant(iso_context* ctx, const iso_world* first, const iso_world* other,
                                int variant) {
    for (size_t s = 0; s < sizeof k_sources / sizeof k_sources[0]; ++s) {
        const name_source* source = &k_sources[s];
        int count = source->count(first), there = source->count(other);
        ISO_REQUIRE(ctx, count == there, ISO_ERR_ARGUMENT,
                    "variant %d is of another structure: its %s count is %d, expected %d", variant,
                    source->noun, there, count);
        for (int i = 0; source->name != NULL && i < count; ++i) {
            ISO_REQUIRE(ctx, strcmp(source->name(first, i), source->name(other, i)) == 0,
                        ISO_ERR_ARGUMENT,
                        "variant %d is of another structure: its %s %d is '%s', expected '%s'",
                        variant, source->noun, i, source->name(other, i), source->name(first, i));
        }
    }
    return ISO_OK;
}

static iso_status check_desc(iso_context* ctx, const iso_vector_desc* desc) {
    ISO_REQUIRE(ctx, desc != NULL && desc->variants != NULL && desc->variant_count >= 1,
                ISO_ERR_ARGUMENT, "at least one variant is required");
    ISO_REQUIRE(ctx, desc->world_count >= 1 && desc->world_count <= 1000000, ISO_ERR_RANGE,
                "%d worlds, expected in [1, 1000000]", desc->world_count);
    ISO_REQUIRE(ctx, desc->thread_count >= 1 && desc->thread_count <= 256, ISO_ERR_RANGE,
                "thread count is %d, expected in [1, 256]", desc->thread_count);
    ISO_REQUIRE(ctx, desc->sensor_count >= 0, ISO_ERR_RANGE, "%d sensors, expected >= 0",
                desc->sensor_count);
    for (int i = 0; i < desc->variant_count; ++i) {
        ISO_REQUIRE(ctx, desc->variants[i] != NULL, ISO_ERR_ARGUMENT, "variant %d is missing", i);
        iso_status status = check_variant(ctx, desc->variants[0], desc->variants[i], i);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

static iso_status make_sensors(iso_vector* vector, const iso_vector_desc* desc) {
    iso_context* ctx = vector->ctx;
    vector->sensors = iso_alloc_array(ctx, vector->worker_count, sizeof(iso_sensors*));
    ISO_REQUIRE(ctx, vector->sensors != NULL, ISO_ERR_MEMORY, "sensors of a vector");
    for (int i = 0; desc->sensor_count > 0 && i < vector->worker_count; ++i) {
        iso_status status = iso_sensors_create(vector->variants[0], desc->sensors,
                                               desc->sensor_count, &vector->sensors[i]);
        if (status != ISO_OK) {
            // The message is in the variant's context.
            return iso_fail(ctx, status, __func__, "%s",
                            iso_context_error(iso_world_context(vector->variants[0])));
        }
    }
    for (int i = 0; i < desc->sensor_count; ++i) {
        vector->sensor_width += iso_sensors_value_count(vector->sensors[0], i);
    }
    return ISO_OK;
}

static iso_status make_members(iso_vector* vector, int count) {
    iso_context* ctx = vector->ctx;
    vector->members = iso_alloc_array(ctx, count, sizeof *vector->members);
    ISO_REQUIRE(ctx, vector->members != NULL, ISO_ERR_MEMORY, "%d worlds", count);
    for (int i = 0; i < count; ++i) {
        iso_status status = iso_world_clone(vector->variants[0], &vector->members[i].world);
        ISO_REQUIRE(ctx, status == ISO_OK, status, "world %d of the vector: out of memory", i);
        ++vector->count;
    }
    return ISO_OK;
}

iso_status iso_vector_create(iso_context* ctx, const iso_vector_desc* desc,
                             iso_vector** out_vector) {
    ISO_REQUIRE(ctx, out_vector != NULL, ISO_ERR_ARGUMENT, "out_vector is required");
    *out_vector = NULL;
    iso_status status = check_desc(ctx, desc);
    if (status != ISO_OK) {
        return status;
    }
    iso_vector* vector = iso_alloc_zeroed(ctx, sizeof *vector);
    ISO_REQUIRE(ctx, vector != NULL, ISO_ERR_MEMORY, "vector");
    vector->ctx = ctx;
    vector->worker_count = desc->thread_count;
    vector->variants = iso_alloc_array(ctx, desc->variant_count, sizeof(iso_world*));
    ISO_CHECK(ctx, vector->variants != NULL, ISO_ERR_MEMORY, "%d variants", desc->variant_count);
    vector->variant_count = desc->variant_count;
    for (int i = 0; i < desc->variant_count; ++i) {
        vector->variants[i] = desc->variants[i];
    }
    ISO_TRY(make_members(vector, desc->world_count));
    ISO_TRY(make_sensors(vector, desc));
    ISO_TRY(iso_task_pool_create(ctx, desc->thread_count, &vector->pool));
    *out_vector = vector;

done:
    if (status != ISO_OK) {
        iso_vector_destroy(vector);
    }
    return status;
}

void iso_vector_destroy(iso_vector* vector) {
    if (vector == NULL) {
        return;
    }
    for (int i = 0; i < vector->count; ++i) {
        iso_world_destroy(vector->members[i].world);
    }
    for (int i = 0; vector->sensors != NULL && i < vector->worker_count; ++i) {
        iso_sensors_destroy(vector->sensors[i]);
    }
    iso_task_pool_destroy(vector->pool);
    iso_free(vector->ctx, vector->sensors);
    iso_free(vector->ctx, vector->members);
    iso_free(vector->ctx, vector->variants);
    iso_free(vector->ctx, vector);
}

// --- what there is -------------------------------------------------------------------------------

static bool is_member(const iso_vector* vector, int index) {
    return vector != NULL && index >= 0 && index < vector->count;
}

int iso_vector_count(const iso_vector* vector) {
    return vector->count;
}
iso_world* iso_vector_world(const iso_vector* vector, int index) {
    return is_member(vector, index) ? vector->members[index].world : NULL;
}
int iso_vector_variant(const iso_vector* vector, int index) {
    return is_member(vector, index) ? vector->members[index].variant : -1;
}
iso_status iso_vector_status(const iso_vector* vector, int index) {
    return is_member(vector, index) ? vector->members[index].status : ISO_ERR_RANGE;
}

int iso_vector_failures(const iso_vector* vector, bool* out_failed) {
    int count = 0;
    for (int i = 0; i < vector->count; ++i) {
        out_failed[i] = vector->members[i].status != ISO_OK;
        count += out_failed[i];
    }
    return count;
}

/// The first reading that failed, with the message of its world.
static iso_status first_failure(iso_vector* vector) {
    for (int i = 0; i < vector->count; ++i) {
        iso_status status = vector->members[i].read_status;
        if (status != ISO_OK) {
            return iso_fail(vector->ctx, status, __func__, "world %d: %s", i,
                            iso_context_error(iso_world_context(vector->members[i].world)));
        }
    }
    return ISO_OK;
}

// --- resetting -----------------------------------------------------------------------------------

iso_status iso_vector_reset(iso_vector* vector, const bool* mask, const int* variants,
                            const double* q, const double* v) {
    ISO_REQUIRE(NULL, vector != NULL, ISO_ERR_ARGUMENT, "vector is required");
    size_t q_count = (size_t)iso_world_q_count(vector->variants[0]);
    size_t v_count = (size_t)iso_world_v_count(vector->variants[0]);
    for (int i = 0; i < vector->count; ++i) {
        int variant = variants != NULL ? variants[i] : 0;
        ISO_REQUIRE(vector->ctx,
                    (mask != NULL && !mask[i]) || (variant >= 0 && variant < vector->variant_count),
                    ISO_ERR_RANGE, "world %d is to be of variant %d, expected 0 to %d", i, variant,
                    vector->variant_count - 1);
    }
    iso_status result = ISO_OK;
    // Worlds of one variant share its context, so one after the other.
    for (int i = 0; i < vector->count; ++i) {
        iso_vector_member* member = &vector->members[i];
        if (mask != NULL && !mask[i]) {
            continue;
        }
        int variant = variants != NULL ? variants[i] : member->variant;
        iso_world* fresh = NULL;
        iso_status status = iso_world_clone(vector->variants[variant], &fresh);
        ISO_REQUIRE(vector->ctx, status == ISO_OK, status, "world %d of the vector: out of memory",
                    i);
        iso_world_destroy(member->world);
        *member = (iso_vector_member){.world = fresh, .variant = variant};
        status = iso_world_set_state(fresh, q != NULL ? q + (size_t)i * q_count : NULL,
                                     v != NULL ? v + (size_t)i * v_count : NULL);
        if (status != ISO_OK && result == ISO_OK) {
            result = iso_fail(vector->ctx, status, __func__, "world %d: %s", i,
                              iso_context_error(iso_world_context(fresh)));
        }
    }
    return result;
}

// --- stepping ------------------------------------------------------------------------------------

/// What a call under way hands to its workers.
typedef struct call {
    iso_vector* vector;
    const iso_actuation* actuations; ///< may be NULL
    int actuator_count;
    int step_count;
    iso_vector_field field;
    int width;
    double* values;
} call;

static void step_member(void* user, int item, int worker) {
    const call* c = user;
    iso_vector_member* member = &c->vector->members[item];
    iso_status status = ISO_OK;
    (void)worker;
    for (int k = 0; c->actuations != NULL && k < c->actuator_count && status == ISO_OK; ++k) {
        const iso_actuation* row = c->actuations + (size_t)item * (size_t)c->actuator_count;
        status = iso_world_set_actuation(member->world, k, &row[k]);
    }
    for (int i = 0; i < c->step_count && status == ISO_OK; ++i) {
        status = iso_world_step(member->world);
    }
    member->status = status;
}

iso_status iso_vector_step(iso_vector* vector, const iso_actuation* actuations, int step_count) {
    ISO_REQUIRE(NULL, vector != NULL, ISO_ERR_ARGUMENT, "vector is required");
    ISO_REQUIRE(vector->ctx, step_count >= 0, ISO_ERR_RANGE, "%d steps, expected >= 0", step_count);
    int actuator_count = iso_world_actuator_count(vector->variants[0]);
    size_t count = (size_t)vector->count * (size_t)actuator_count;
    for (size_t i = 0; actuations != NULL && i < count; ++i) {
        const iso_actuation* a = &actuations[i];
        ISO_REQUIRE(vector->ctx,
                    isfinite(a->feed_forward) && isfinite(a->position) && isfinite(a->velocity),
                    ISO_ERR_RANGE, "actuation of '%s' in world %d is (%g, %g, %g), expected finite",
                    iso_world_actuator_name(vector->variants[0], (int)(i % (size_t)actuator_count)),
                    (int)(i / (size_t)actuator_count), a->feed_forward, a->position, a->velocity);
    }
    call c = {.vector = vector,
              .actuations = actuations,
              .actuator_count = actuator_count,
              .step_count = step_count};
    iso_task_pool_run(vector->pool, vector->count, step_member, &c);
    return ISO_OK;
}

// --- reading -------------------------------------------------------------------------------------

int iso_vector_width(const iso_vector* vector, iso_vector_field field) {
    const iso_world* world = vector->variants[0];
    switch (field) {
    case ISO_VECTOR_Q:
        return iso_world_q_count(world);
    case ISO_VECTOR_V:
        return iso_world_v_count(world);
    case ISO_VECTOR_TIME:
        return 1;
    case ISO_VECTOR_BODY_POSES:
        return 7 * iso_world_body_count(world);
    case ISO_VECTOR_BODY_TWISTS:
        return 6 * iso_world_body_count(world);
    case ISO_VECTOR_CONTACT_FORCES:
        return 3 * iso_world_body_count(world);
    case ISO_VECTOR_EFFORTS:
        return iso_world_joint_count(world);
    case ISO_VECTOR_SENSORS:
        return vector->sensor_width;
    }
    return 0;
}

static void put_vec3(double* out, iso_vec3 a) {
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static void read_bodies(const iso_world* world, bool is_pose, double* out) {
    for (int b = 0; b < iso_world_body_count(world); ++b) {
        if (is_pose) {
            iso_pose x_wb = iso_world_body_pose(world, b);
            iso_quat quat = iso_quat_from_mat3(&x_wb.r);
            put_vec3(out, x_wb.p);
            out[3] = quat.w;
            out[4] = quat.x;
            out[5] = quat.y;
            out[6] = quat.z;
            out += 7;
        } else {
            iso_spatial twist = iso_world_body_twist(world, b);
            put_vec3(out, twist.rotational);
            put_vec3(out + 3, twist.translational);
            out += 6;
        }
    }
}

static void read_forces(const iso_world* world, double* out) {
    memset(out, 0, 3 * (size_t)iso_world_body_count(world) * sizeof *out);
    for (int i = 0; i < iso_world_contact_count(world); ++i) {
        iso_contact contact = iso_world_contact(world, i);
        iso_vec3 f = contact.f_b_w.translational;
        double* a = out + 3 * (size_t)contact.body_a;
        double* b = out + 3 * (size_t)contact.body_b;
        put_vec3(a, iso_vec3_sub((iso_vec3){a[0], a[1], a[2]}, f));
        put_vec3(b, iso_vec3_add((iso_vec3){b[0], b[1], b[2]}, f));
    }
}

static iso_status read_sensors(iso_sensors* sensors, iso_world* world, double* out) {
    iso_status status = sensors != NULL ? iso_sensors_update(sensors, world) : ISO_OK;
    for (int i = 0; sensors != NULL && status == ISO_OK && i < iso_sensors_count(sensors); ++i) {
        int count = iso_sensors_value_count(sensors, i);
        status = iso_sensors_read(sensors, i, out, count);
        out += count;
    }
    return status;
}

static void read_member(void* user, int item, int worker) {
    const call* c = user;
    iso_vector_member* member = &c->vector->members[item];
    iso_world* world = member->world;
    double* out = c->values + (size_t)item * (size_t)c->width;
    switch (c->field) {
    case ISO_VECTOR_Q:
        member->read_status = iso_world_get_state(world, out, NULL);
        break;
    case ISO_VECTOR_V:
        member->read_status = iso_world_get_state(world, NULL, out);
        break;
    case ISO_VECTOR_TIME:
        *out = iso_world_time(world);
        break;
    case ISO_VECTOR_BODY_POSES:
    case ISO_VECTOR_BODY_TWISTS:
        read_bodies(world, c->field == ISO_VECTOR_BODY_POSES, out);
        break;
    case ISO_VECTOR_CONTACT_FORCES:
        read_forces(world, out);
        break;
    case ISO_VECTOR_EFFORTS:
        for (int i = 0; i < c->width; ++i) {
            out[i] = iso_world_joint_effort(world, i);
        }
        break;
    case ISO_VECTOR_SENSORS:
        member->read_status = read_sensors(c->vector->sensors[worker], world, out);
        break;
    }
}

iso_status iso_vector_read(iso_vector* vector, iso_vector_field field, double* out_values) {
    ISO_REQUIRE(NULL, vector != NULL, ISO_ERR_ARGUMENT, "vector is required");
    ISO_REQUIRE(vector->ctx, out_values != NULL, ISO_ERR_ARGUMENT, "out_values is required");
    ISO_REQUIRE(vector->ctx, field >= ISO_VECTOR_Q && field <= ISO_VECTOR_SENSORS, ISO_ERR_RANGE,
                "field %d, expected 0 to %d", (int)field, (int)ISO_VECTOR_SENSORS);
    int width = iso_vector_width(vector, field);
    if (width == 0) {
        return ISO_OK;
    }
    call c = {.vector = vector, .field = field, .width = width, .values = out_values};
    iso_task_pool_run(vector->pool, vector->count, read_member, &c);
    return first_failure(vector);
}
