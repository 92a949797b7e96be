// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/state/attachment.h"

#include "world/state/bytes.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <math.h>
#include <string.h>

#define MAX_ATTACHMENTS 64
#define MAX_NUMBERS 10000000
#define HEAD_SIZE ((size_t)ISO_ATTACHMENT_NAME_SIZE + 8)

void iso_attachments_free(iso_context* ctx, iso_attachment_array* list) {
    for (int i = 0; i < list->count; ++i) {
        iso_free(ctx, list->data[i].values);
    }
    ISO_ARRAY_FREE(ctx, list);
}

iso_attachment* iso_attachment_find(const iso_attachment_array* list, const char* name) {
    for (int i = 0; i < list->count; ++i) {
        if (strcmp(list->data[i].name, name) == 0) {
            return &list->data[i];
        }
    }
    return NULL;
}

// A new one of zeros at the end.
static iso_status add(iso_context* ctx, iso_attachment_array* list, const char* name, int count) {
    iso_status status = ISO_ARRAY_GROW(ctx, list);
    if (status != ISO_OK) {
        return status;
    }
    iso_attachment attachment = {.count = count};
    memcpy(attachment.name, name, strlen(name) + 1);
    attachment.values = iso_alloc_array(ctx, count > 0 ? count : 1, sizeof(double));
    ISO_REQUIRE(ctx, attachment.values != NULL, ISO_ERR_MEMORY, "attachment '%s' of %d numbers",
                name, count);
    memset(attachment.values, 0, (size_t)(count > 0 ? count : 1) * sizeof(double));
    list->data[list->count++] = attachment;
    return ISO_OK;
}

iso_status iso_attachments_copy(iso_context* ctx, const iso_attachment_array* from,
                                iso_attachment_array* to) {
    for (int i = 0; i < from->count; ++i) {
        const iso_attachment* source = &from->data[i];
        iso_status status = add(ctx, to, source->name, source->count);
        if (status != ISO_OK) {
            return status;
        }
        memcpy(to->data[i].values, source->values, (size_t)source->count * sizeof(double));
    }
    return ISO_OK;
}

iso_status iso_world_attach(iso_world* world, const char* name, int count, double** out_values,
                            bool* out_is_new) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    iso_context* ctx = world->ctx;
    ISO_REQUIRE(ctx, name != NULL && out_values != NULL && out_is_new != NULL, ISO_ERR_ARGUMENT,
                "name, out_values and out_is_new are required");
    size_t length = strlen(name);
    ISO_REQUIRE(ctx, length > 0 && length < ISO_ATTACHMENT_NAME_SIZE, ISO_ERR_RANGE,
                "the name of an attachment has %zu bytes, expected 1 to %d", length,
                ISO_ATTACHMENT_NAME_SIZE - 1);
    ISO_REQUIRE(ctx, count >= 0 && count <= MAX_NUMBERS, ISO_ERR_RANGE,
                "attachment '%s' of %d numbers, expected 0 to %d", name, count, MAX_NUMBERS);
    iso_attachment* known = iso_attachment_find(&world->attachments, name);
    *out_is_new = known == NULL || known->count != count;
    if (known != NULL && known->count != count) {
        double* values =
            iso_realloc(ctx, known->values, (size_t)(count > 0 ? count : 1) * sizeof(double));
        ISO_REQUIRE(ctx, values != NULL, ISO_ERR_MEMORY, "attachment '%s' of %d numbers", name,
                    count);
        memset(values, 0, (size_t)count * sizeof(double));
        known->values = values;
        known->count = count;
    } else if (known == NULL) {
        ISO_REQUIRE(ctx, world->attachments.count < MAX_ATTACHMENTS, ISO_ERR_RANGE,
                    "attachment '%s' is one too many, expected at most %d", name, MAX_ATTACHMENTS);
        iso_status status = add(ctx, &world->attachments, name, count);
        if (status != ISO_OK) {
            return status;
        }
        known = &world->attachments.data[world->attachments.count - 1];
    }
    *out_values = known->values;
    return ISO_OK;
}

const double* iso_world_attachment(const iso_world* world, const char* name, int* out_count) {
    const iso_attachment* known =
        world != NULL && name != NULL ? iso_attachment_find(&world->attachments, name) : NULL;
    if (out_count != NULL) {
        *out_count = known != NULL ? known->count : 0;
    }
    return known != NULL ? known->values : NULL;
}

size_t iso_attachments_size(const iso_world* world) {
    size_t size = world->attachments.count > 0 ? 8 : 0;
    for (int i = 0; i < world->attachments.count; ++i) {
        size += HEAD_SIZE + 8 * (size_t)world->attachments.data[i].count;
    }
    return size;
}

unsigned char* iso_attachments_write(const iso_world* world, unsigned char* at) {
    if (world->attachments.count == 0) {
        return at;
    }
    iso_put_u32(at, (uint32_t)world->attachments.count);
    iso_put_u32(at + 4, 0);
    at += 8;
    for (int i = 0; i < world->attachments.count; ++i) {
        const iso_attachment* attachment = &world->attachments.data[i];
        memcpy(at, attachment->name, ISO_ATTACHMENT_NAME_SIZE);
        iso_put_u32(at + ISO_ATTACHMENT_NAME_SIZE, (uint32_t)attachment->count);
        iso_put_u32(at + ISO_ATTACHMENT_NAME_SIZE + 4, 0);
        at += HEAD_SIZE;
        iso_put_doubles(at, attachment->values, attachment->count);
        at += 8 * (size_t)attachment->count;
    }
    return at;
}

iso_status iso_attachments_read(iso_context* ctx, const unsigned char* at, size_t size,
                                iso_attachment_array* out) {
    const unsigned char* end = at + size;
    ISO_REQUIRE(ctx, size >= 8 && iso_get_u32(at) >= 1 && iso_get_u32(at) <= MAX_ATTACHMENTS,
                ISO_ERR_PARSE, "the state is damaged: %zu bytes of attachments", size);
    uint32_t list_count = iso_get_u32(at);
    at += 8;
    for (uint32_t i = 0; i < list_count; ++i) {
        ISO_REQUIRE(ctx, (size_t)(end - at) >= HEAD_SIZE, ISO_ERR_PARSE,
                    "the state is damaged: attachment %u is cut short", i);
        char name[ISO_ATTACHMENT_NAME_SIZE];
        memcpy(name, at, sizeof name);
        uint32_t count = iso_get_u32(at + ISO_ATTACHMENT_NAME_SIZE);
        at += HEAD_SIZE;
        bool is_named = name[0] != '\0' && memchr(name, '\0', sizeof name) != NULL;
        ISO_REQUIRE(ctx,
                    is_named && iso_attachment_find(out, name) == NULL && count <= MAX_NUMBERS &&
                        (size_t)(end - at) >= 8 * (size_t)count,
                    ISO_ERR_PARSE, "the state is damaged: attachment %u", i);
        iso_status status = add(ctx, out, name, (int)count);
        if (status != ISO_OK) {
            return status;
        }
        double* values = out->data[i].values;
        iso_get_doubles(at, values, (int)count);
        at += 8 * (size_t)count;
        for (uint32_t k = 0; k < count; ++k) {
            ISO_REQUIRE(ctx, isfinite(values[k]), ISO_ERR_RANGE,
                        "number %u of attachment '%s' of the state is %g", k, name, values[k]);
        }
    }
    ISO_REQUIRE(ctx, at == end, ISO_ERR_PARSE,
                "the state is damaged: %zu bytes follow its attachments", (size_t)(end - at));
    return ISO_OK;
}
