// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A state as bytes, little endian (docs/recording.md, "States"):
//   0 magic, 8 version u32, 12 body count u32, 16 size u64, 24 checksum u64 (FNV-1a of all other
//   bytes), 32 model hash u64, 40 name of the first body [56], 96 structure hash u64 (0: not
//   said), 104 step count i64, 112 step origin i64, 120 peak's geometries i32 i32, 128 count of
//   memories u32, 132 count of doubles u32, 136 doubles: scalars, then the blocks; then the
//   memories; in version 8 then the attachments (world/state/attachment.h). Without attachments it
//   is version 7.

#include "isobar/state.h"

#include "world/state/attachment.h"
#include "world/state/bytes.h"
#include "world/state/switches.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/values/hash.h"
#include "contact/pairs/episode.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define VERSION 7
#define VERSION_WITH_ATTACHMENTS 8
#define HEADER_SIZE 136
#define NAME_SIZE 64
#define MEMORY_SIZE (8 + 8 * ISO_PAIR_MEMORY_DOUBLES)
#define MOTION_DOUBLES ((int)(sizeof(iso_body_motion) / sizeof(double)))
static const char k_magic[8] = "ISOSTATE";

/// The end of the name's place is the structure hash.
#define STRUCTURE_AT 96
#define NAME_TEXT_SIZE (NAME_SIZE - 8)

/// Scalars of the state that are doubles.
enum { k_time, k_time_origin, k_booked_stretch, k_peak_extent, k_peak_time, k_scalar_count };

enum { k_block_q, k_block_v, k_block_motions = ISO_STATE_BLOCKS - 1 };

_Static_assert(sizeof(iso_spatial) == 6 * sizeof(double), "six doubles");
_Static_assert(sizeof(iso_actuation) == 3 * sizeof(double), "three doubles");
_Static_assert(sizeof(iso_body_motion) == 19 * sizeof(double), "doubles only");

void iso_world_state_blocks(const iso_world* world, iso_state_block blocks[ISO_STATE_BLOCKS]) {
    const iso_multibody* mb = &world->multibody;
    blocks[k_block_q] = (iso_state_block){world->q, mb->q_count};
    blocks[k_block_v] = (iso_state_block){world->v, mb->v_count};
    blocks[2] = (iso_state_block){(double*)world->actuations, 3 * world->actuator_count};
    blocks[3] = (iso_state_block){world->efforts, world->actuator_count};
    blocks[4] = (iso_state_block){(double*)world->f_b_w, 6 * mb->body_count};
    blocks[5] = (iso_state_block){(double*)world->constraint_forces, 6 * world->constraint_count};
    blocks[6] = (iso_state_block){world->tie_efforts, world->coupler_count + world->tendon_count};
    blocks[7] = (iso_state_block){(double*)&world->works, ISO_WORK_COUNT};
    blocks[8] = (iso_state_block){world->moved, mb->body_count};
    blocks[k_block_motions] =
        (iso_state_block){(double*)world->motions, MOTION_DOUBLES * mb->body_count};
}

static int double_count(const iso_world* world) {
    iso_state_block blocks[ISO_STATE_BLOCKS];
    int count = k_scalar_count;
    iso_world_state_blocks(world, blocks);
    for (int i = 0; i < ISO_STATE_BLOCKS; ++i) {
        count += blocks[i].count;
    }
    return count;
}

static uint64_t checksum(const unsigned char* bytes, size_t size) {
    return iso_hash_bytes(iso_hash_bytes(ISO_HASH_SEED, bytes, 24), bytes + 32, size - 32);
}

/// Geometry of a name that the warnings keeps, or -1.
static int geometry_of(const iso_world* world, const char* name) {
    for (int i = 0; i < world->geometry_count; ++i) {
        if (world->geometries[i].name == name) {
            return i;
        }
    }
    return -1;
}

static const char* model_name(const iso_world* world) {
    return world->multibody.body_count > 1 ? world->body_names[1] : "";
}

size_t iso_world_state_size(const iso_world* world) {
    if (world == NULL) {
        return 0;
    }
    return HEADER_SIZE + 8 * (size_t)double_count(world) +
           MEMORY_SIZE * (size_t)world->memory.count + iso_attachments_size(world);
}

static void write_header(const iso_world* world, size_t size, unsigned char* at) {
    memset(at, 0, HEADER_SIZE);
    memcpy(at, k_magic, sizeof k_magic);
    iso_put_u32(at + 8, world->attachments.count > 0 ? VERSION_WITH_ATTACHMENTS : VERSION);
    iso_put_u32(at + 12, (uint32_t)world->multibody.body_count);
    iso_put_u64(at + 16, (uint64_t)size);
    iso_put_u64(at + 32, world->model_hash);
    snprintf((char*)at + 40, NAME_TEXT_SIZE, "%s", model_name(world));
    iso_put_u64(at + STRUCTURE_AT, iso_world_structure_hash(world));
    iso_put_u64(at + 104, (uint64_t)world->step_count);
    iso_put_u64(at + 112, (uint64_t)world->step_origin);
    iso_put_u32(at + 120, (uint32_t)geometry_of(world, world->warnings.peak.geometry_name_a));
    iso_put_u32(at + 124, (uint32_t)geometry_of(world, world->warnings.peak.geometry_name_b));
    iso_put_u32(at + 128, (uint32_t)world->memory.count);
    iso_put_u32(at + 132, (uint32_t)double_count(world));
}

static unsigned char* write_doubles(const iso_world* world, unsigned char* at) {
    iso_state_block blocks[ISO_STATE_BLOCKS];
    const double scalars[k_scalar_count] = {
        [k_time] = world->time,
        [k_time_origin] = world->time_origin,
        [k_booked_stretch] = world->booked_stretch,
        [k_peak_extent] = world->warnings.peak.extent,
        [k_peak_time] = world->warnings.peak.time,
    };
    iso_put_doubles(at, scalars, k_scalar_count);
    at += 8 * k_scalar_count;
    iso_world_state_blocks(world, blocks);
    for (int i = 0; i < ISO_STATE_BLOCKS; ++i) {
        iso_put_doubles(at, blocks[i].data, blocks[i].count);
        at += 8 * (size_t)blocks[i].count;
    }
    return at;
}

iso_status iso_world_save(const iso_world* world, void* buffer, size_t size, size_t* out_size) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    ISO_REQUIRE(world->ctx, buffer != NULL && out_size != NULL, ISO_ERR_ARGUMENT,
                "buffer and out_size are required");
    size_t needed = iso_world_state_size(world);
    ISO_REQUIRE(world->ctx, size >= needed, ISO_ERR_RANGE,
                "the buffer holds %zu bytes, expected at least %zu", size, needed);
    unsigned char* bytes = buffer;
    write_header(world, needed, bytes);
    unsigned char* at = write_doubles(world, bytes + HEADER_SIZE);
    for (int i = 0; i < world->memory.count; ++i) {
        const iso_pair_memory* memory = &world->memory.data[i];
        iso_put_u32(at, (uint32_t)memory->geometry_a);
        iso_put_u32(at + 4, (uint32_t)memory->geometry_b);
        iso_put_doubles(at + 8, memory->values, ISO_PAIR_MEMORY_DOUBLES);
        at += MEMORY_SIZE;
    }
    iso_attachments_write(world, at);
    iso_put_u64(bytes + 24, checksum(bytes, needed));
    *out_size = needed;
    return ISO_OK;
}

static iso_status fail_other_model(const iso_world* world, const unsigned char* at,
                                   bool is_across) {
    char name[NAME_TEXT_SIZE];
    memcpy(name, at + 40, NAME_TEXT_SIZE);
    name[NAME_TEXT_SIZE - 1] = '\0';
    uint64_t found = iso_get_u64(at + (is_across ? STRUCTURE_AT : 32));
    uint64_t wanted = is_across ? iso_world_structure_hash(world) : world->model_hash;
    const char* what =
        is_across ? "the state is of another structure" : "the state is of another model";
    return iso_fail(world->ctx, ISO_ERR_NOT_FOUND, __func__,
                    "%s: of %016" PRIx64 " (%" PRIu32 " bodies, '%s' first), expected %016" PRIx64
                    " (%d bodies, '%s' first)",
                    what, found, iso_get_u32(at + 12), name, wanted, world->multibody.body_count,
                    model_name(world));
}

/// @param is_across  numbers of the model may differ
static iso_status check_header(const iso_world* world, const unsigned char* at, size_t size,
                               bool is_across) {
    iso_context* ctx = world->ctx;
    ISO_REQUIRE(ctx, size >= HEADER_SIZE && memcmp(at, k_magic, sizeof k_magic) == 0, ISO_ERR_PARSE,
                "not a state of Isobar: %zu bytes that do not start with a header of %d", size,
                HEADER_SIZE);
    uint32_t version = iso_get_u32(at + 8);
    ISO_REQUIRE(ctx, version == VERSION || version == VERSION_WITH_ATTACHMENTS, ISO_ERR_UNSUPPORTED,
                "the state has format version %" PRIu32 ", expected %d or %d", version, VERSION,
                VERSION_WITH_ATTACHMENTS);
    ISO_REQUIRE(ctx, iso_get_u64(at + 16) == size, ISO_ERR_PARSE,
                "the state is cut short or too long: %zu bytes, expected %" PRIu64, size,
                iso_get_u64(at + 16));
    ISO_REQUIRE(ctx, iso_get_u64(at + 24) == checksum(at, size), ISO_ERR_PARSE,
                "the state is damaged: its checksum is %016" PRIx64 ", expected %016" PRIx64,
                checksum(at, size), iso_get_u64(at + 24));
    bool is_same = iso_get_u64(at + 32) == world->model_hash;
    if (!is_same &&
        !(is_across && iso_get_u64(at + STRUCTURE_AT) == iso_world_structure_hash(world))) {
        return fail_other_model(world, at, is_across);
    }
    uint64_t doubles = iso_get_u32(at + 132), memories = iso_get_u32(at + 128);
    uint64_t plain_size = HEADER_SIZE + 8 * doubles + MEMORY_SIZE * memories;
    ISO_REQUIRE(ctx,
                doubles == (uint64_t)double_count(world) && memories <= INT_MAX &&
                    (version == VERSION ? plain_size == size : plain_size < size),
                ISO_ERR_PARSE, "the state is damaged: its counts do not agree with its size");
    return ISO_OK;
}

static bool is_index(int index, int count) {
    return index >= 0 && index < count;
}

static iso_status check_motions(const iso_world* world, const double* values) {
    for (int b = 0; b < world->multibody.body_count; ++b) {
        iso_body_motion motion;
        memcpy(&motion, values + (size_t)(MOTION_DOUBLES * b), sizeof motion);
        bool is_off = motion.is_set == 0.0;
        bool is_on = motion.is_set == 1.0 && b > 0 && world->multibody.bodies[b].tree < 0 &&
                     iso_pose_is_rigid(&motion.x_wb);
        ISO_REQUIRE(world->ctx, is_off || is_on, ISO_ERR_RANGE,
                    "the state moves body '%s', which it cannot", world->body_names[b]);
    }
    return ISO_OK;
}

/// Values that a checksum cannot vouch for. Scalars and blocks as in the file.
static iso_status check_values(const iso_world* world, const unsigned char* at,
                               const double* doubles) {
    iso_context* ctx = world->ctx;
    iso_state_block blocks[ISO_STATE_BLOCKS];
    int total = double_count(world);
    for (int i = 0; i < total; ++i) {
        ISO_REQUIRE(ctx, isfinite(doubles[i]), ISO_ERR_RANGE, "number %d of the state is %g", i,
                    doubles[i]);
    }
    int64_t steps = (int64_t)iso_get_u64(at + 104), origin = (int64_t)iso_get_u64(at + 112);
    ISO_REQUIRE(ctx, origin >= 0 && steps >= origin && steps < INT64_MAX / 2, ISO_ERR_RANGE,
                "the state was made by %" PRId64 " steps since %" PRId64, steps, origin);
    int peak_a = (int)iso_get_u32(at + 120), peak_b = (int)iso_get_u32(at + 124);
    bool has_no_peak = peak_a == -1 && peak_b == -1;
    ISO_REQUIRE(ctx,
                has_no_peak || (is_index(peak_a, world->geometry_count) &&
                                is_index(peak_b, world->geometry_count)),
                ISO_ERR_RANGE, "the state names geometries %d and %d, expected below %d", peak_a,
                peak_b, world->geometry_count);
    iso_world_state_blocks(world, blocks);
    iso_status status = iso_world_check_q(world, doubles + k_scalar_count);
    const double* motions = doubles + total - blocks[k_block_motions].count;
    return status == ISO_OK ? check_motions(world, motions) : status;
}

static iso_status read_memories(const iso_world* world, const unsigned char* at, int count,
                                iso_pair_memory* out) {
    for (int i = 0; i < count; ++i) {
        iso_pair_memory* memory = &out[i];
        memory->geometry_a = (int)iso_get_u32(at);
        memory->geometry_b = (int)iso_get_u32(at + 4);
        iso_get_doubles(at + 8, memory->values, ISO_PAIR_MEMORY_DOUBLES);
        at += MEMORY_SIZE;
        bool is_good = memory->geometry_a >= 0 && memory->geometry_a < memory->geometry_b &&
                       memory->geometry_b < world->geometry_count;
        for (int k = 0; k < ISO_PAIR_MEMORY_DOUBLES; ++k) {
            is_good = is_good && isfinite(memory->values[k]);
        }
        is_good = is_good && iso_contact_memory_is_usable(world->contacts, memory);
        const iso_pair_memory* before = i > 0 ? &out[i - 1] : NULL;
        bool is_in_order =
            before == NULL || before->geometry_a < memory->geometry_a ||
            (before->geometry_a == memory->geometry_a && before->geometry_b < memory->geometry_b) ||
            (before->geometry_a == memory->geometry_a && before->geometry_b == memory->geometry_b &&
             iso_episode_goes_on(before, memory));
        ISO_REQUIRE(world->ctx, is_good && is_in_order, ISO_ERR_RANGE,
                    "memory %d of the state, of geometries %d and %d, is unusable, expected of the "
                    "method and friction law of this world",
                    i, memory->geometry_a, memory->geometry_b);
    }
    return ISO_OK;
}

/// The point of no return: everything is checked, memory is there.
static void take_over(iso_world* world, const unsigned char* at, const double* doubles) {
    iso_state_block blocks[ISO_STATE_BLOCKS];
    iso_contact_peak* peak = &world->warnings.peak;
    int a = (int)iso_get_u32(at + 120), b = (int)iso_get_u32(at + 124);
    *peak = (iso_contact_peak){.extent = doubles[k_peak_extent], .time = doubles[k_peak_time]};
    if (a >= 0) {
        peak->body_name_a = world->geometries[a].body_name;
        peak->body_name_b = world->geometries[b].body_name;
        peak->geometry_name_a = world->geometries[a].name;
        peak->geometry_name_b = world->geometries[b].name;
    }
    world->time = doubles[k_time];
    world->time_origin = doubles[k_time_origin];
    world->step_count = (int64_t)iso_get_u64(at + 104);
    world->step_origin = (int64_t)iso_get_u64(at + 112);
    double time = world->time_origin +
                  (double)(world->step_count - world->step_origin) * world->desc.time_step;
    if (time != world->time) { // made with another time step: count anew
        world->time_origin = world->time;
        world->step_origin = world->step_count;
    }
    world->booked_stretch = doubles[k_booked_stretch];
    const double* from = doubles + k_scalar_count;
    iso_world_state_blocks(world, blocks);
    for (int i = 0; i < ISO_STATE_BLOCKS; ++i) {
        if (blocks[i].count > 0) {
            memcpy(blocks[i].data, from, (size_t)blocks[i].count * sizeof *from);
        }
        from += blocks[i].count;
    }
    memset(&world->contact_result, 0, sizeof world->contact_result);
    world->record.is_known = false;
    world->report = (iso_step_report){.slowest_body = -1, .reason_body_a = -1, .reason_body_b = -1};
    iso_world_find_motions(world);
    iso_world_refresh(world);
}

// Put `next` in the place of what is there, which is kept in `last`.
static void exchange(void* place, const void* next, void* last, size_t size) {
    if (size > 0) {
        memcpy(last, place, size);
        memcpy(place, next, size);
    }
}

// The last that may fail; then nothing has changed.
static iso_status restore_switches(iso_world* world, const iso_attachment_array* attachments) {
    size_t size = (size_t)world->constraint_count * sizeof *world->switches;
    iso_constraint_switch* before = iso_arena_push(&world->scratch, size + 1);
    iso_constraint_switch* after = iso_arena_push(&world->scratch, size + 1);
    size_t couplers = (size_t)world->coupler_count * sizeof *world->present_couplers;
    iso_coupler* coupled_before = iso_arena_push(&world->scratch, couplers + 1);
    iso_coupler* coupled_after = iso_arena_push(&world->scratch, couplers + 1);
    size_t tendons = (size_t)world->tendon_count * sizeof *world->present_tendons;
    iso_fixed_tendon* tendons_after = iso_arena_push(&world->scratch, tendons + 1);
    ISO_REQUIRE(world->ctx, before && after && coupled_before && coupled_after && tendons_after,
                ISO_ERR_MEMORY, "switches of a state");
    iso_status status = iso_world_read_switches(world, attachments, after);
    if (status == ISO_OK) {
        status = iso_world_read_couplers(world, attachments, coupled_after);
    }
    if (status == ISO_OK) {
        status = iso_world_read_tendons(world, attachments, tendons_after);
    }
    if (status != ISO_OK || size + couplers + tendons == 0) {
        return status;
    }
    exchange(world->switches, after, before, size);
    exchange(world->present_couplers, coupled_after, coupled_before, couplers);
    status = iso_world_apply_switches(world);
    if (status != ISO_OK) {
        exchange(world->switches, before, after, size);
        exchange(world->present_couplers, coupled_before, coupled_after, couplers);
        (void)iso_world_apply_switches(world); // fails as before; the stepper has what it had
    } else if (tendons > 0) {
        memcpy(world->present_tendons, tendons_after, tendons);
    }
    return status;
}

static iso_status restore(iso_world* world, const void* bytes, size_t size, bool is_across) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    ISO_REQUIRE(world->ctx, bytes != NULL, ISO_ERR_ARGUMENT, "bytes are required");
    const unsigned char* at = bytes;
    iso_attachment_array attachments = {0};
    iso_status status = iso_world_check_free(world, "restored");
    if (status == ISO_OK) {
        status = check_header(world, at, size, is_across);
    }
    if (status != ISO_OK) {
        return status;
    }
    int total = double_count(world), count = (int)iso_get_u32(at + 128);
    ISO_TRY(iso_arena_reset(&world->scratch));
    double* doubles = iso_arena_push_array(&world->scratch, total, sizeof *doubles);
    iso_pair_memory* memories = iso_arena_push_array(&world->scratch, count, sizeof *memories);
    ISO_CHECK(world->ctx, doubles != NULL && memories != NULL, ISO_ERR_MEMORY,
              "out of memory for a state");
    iso_get_doubles(at + HEADER_SIZE, doubles, total);
    ISO_TRY(check_values(world, at, doubles));
    ISO_TRY(read_memories(world, at + HEADER_SIZE + 8 * (size_t)total, count, memories));
    size_t plain_size = HEADER_SIZE + 8 * (size_t)total + MEMORY_SIZE * (size_t)count;
    if (size > plain_size) {
        ISO_TRY(iso_attachments_read(world->ctx, at + plain_size, size - plain_size, &attachments));
    }
    ISO_TRY(ISO_ARRAY_RESERVE(world->ctx, &world->memory, count));
    ISO_TRY(restore_switches(world, &attachments));
    for (int i = 0; i < count; ++i) {
        world->memory.data[i] = memories[i];
    }
    world->memory.count = count;
    world->has_leads = false;
    take_over(world, at, doubles);
    iso_attachment_array old = world->attachments;
    world->attachments = attachments;
    attachments = old;
done:
    iso_attachments_free(world->ctx, &attachments);
    return status;
}

iso_status iso_world_restore(iso_world* world, const void* bytes, size_t size) {
    return restore(world, bytes, size, false);
}

iso_status iso_world_restore_across(iso_world* world, const void* bytes, size_t size) {
    return restore(world, bytes, size, true);
}

iso_status iso_world_save_file(const iso_world* world, const char* path) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    iso_context* ctx = world->ctx;
    ISO_REQUIRE(ctx, path != NULL, ISO_ERR_ARGUMENT, "path is required");
    size_t size = iso_world_state_size(world);
    iso_file_writer writer = {0};
    iso_status status = ISO_OK;
    void* buffer = iso_alloc(ctx, size);
    ISO_CHECK(ctx, buffer != NULL, ISO_ERR_MEMORY, "%s: out of memory for a state", path);
    ISO_TRY(iso_world_save(world, buffer, size, &size));
    ISO_TRY(iso_file_writer_open(ctx, path, &writer));
    if (fwrite(buffer, 1, size, writer.file) != size) {
        iso_file_writer_abort(ctx, &writer);
        status = iso_fail(ctx, ISO_ERR_IO, __func__, "%s: cannot be written", path);
        goto done;
    }
    ISO_TRY(iso_file_writer_commit(ctx, &writer));
done:
    iso_free(ctx, buffer);
    return status;
}

iso_status iso_world_load_file(iso_world* world, const char* path) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    ISO_REQUIRE(world->ctx, path != NULL, ISO_ERR_ARGUMENT, "path is required");
    char* bytes = NULL;
    size_t size = 0;
    iso_status status = iso_file_read(world->ctx, path, (size_t)1 << 32, &bytes, &size);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_world_restore(world, bytes, size);
    iso_free(world->ctx, bytes);
    return status == ISO_OK ? ISO_OK : iso_fail_prefix(world->ctx, status, "%s", path);
}
