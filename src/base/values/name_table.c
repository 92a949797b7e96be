// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/values/name_table.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/values/hash.h"

#include <string.h>

#define FIRST_CAPACITY 16

static int next_of(const iso_name_table* table, int at) {
    return (at + 1) & (table->capacity - 1);
}

static int first_of(const iso_name_table* table, uint64_t hash) {
    return (int)((hash ^ hash >> 32) & (uint64_t)(table->capacity - 1));
}

static void put(iso_name_table* table, uint64_t hash, int index) {
    int at = first_of(table, hash);
    while (table->indices[at] >= 0) {
        at = next_of(table, at);
    }
    table->hashes[at] = hash;
    table->indices[at] = index;
    ++table->count;
}

static iso_status grow(iso_context* ctx, iso_name_table* table) {
    int capacity = table->capacity > 0 ? 2 * table->capacity : FIRST_CAPACITY;
    iso_name_table larger = {.capacity = capacity};
    larger.hashes = iso_alloc_array(ctx, capacity, sizeof *larger.hashes);
    larger.indices = iso_alloc_array(ctx, capacity, sizeof *larger.indices);
    if (!larger.hashes || !larger.indices) {
        iso_name_table_destroy(ctx, &larger);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "table of %d names", capacity);
    }
    for (int i = 0; i < capacity; ++i) {
        larger.indices[i] = -1;
    }
    for (int i = 0; i < table->capacity; ++i) {
        if (table->indices[i] >= 0) {
            put(&larger, table->hashes[i], table->indices[i]);
        }
    }
    iso_name_table_destroy(ctx, table);
    *table = larger;
    return ISO_OK;
}

iso_status iso_name_table_add(iso_context* ctx, iso_name_table* table, uint64_t hash, int index) {
    iso_status status = 2 * (table->count + 1) > table->capacity ? grow(ctx, table) : ISO_OK;
    if (status == ISO_OK) {
        put(table, hash, index);
    }
    return status;
}

int iso_name_table_find(const iso_name_table* table, uint64_t hash, iso_name_test has_name,
                        const void* user) {
    if (table->capacity == 0) {
        return -1;
    }
    for (int at = first_of(table, hash); table->indices[at] >= 0; at = next_of(table, at)) {
        if (table->hashes[at] == hash && has_name(user, table->indices[at])) {
            return table->indices[at];
        }
    }
    return -1;
}

void iso_name_table_destroy(iso_context* ctx, iso_name_table* table) {
    iso_free(ctx, table->hashes);
    iso_free(ctx, table->indices);
    *table = (iso_name_table){0};
}

// --- lists ---------------------------------------------------------------------------------------

typedef struct listed_name {
    const iso_name_list* list;
    const char* name;
} listed_name;

static bool is_listed(const void* user, int index) {
    const listed_name* wanted = user;
    return strcmp(iso_name_list_at(wanted->list, index), wanted->name) == 0;
}

static int find_noted(const iso_name_index* index, const iso_name_list* list, const char* name) {
    listed_name wanted = {list, name};
    return iso_name_table_find(&index->table, iso_hash_text(ISO_HASH_SEED, name), is_listed,
                               &wanted);
}

static iso_status note_names(iso_context* ctx, iso_name_index* index, const iso_name_list* list) {
    iso_status status = ISO_OK;
    for (; index->noted < list->count; ++index->noted) {
        const char* next = iso_name_list_at(list, index->noted);
        if (*next && find_noted(index, list, next) < 0) {
            ISO_TRY(iso_name_table_add(ctx, &index->table, iso_hash_text(ISO_HASH_SEED, next),
                                       index->noted));
        }
    }
done:
    return status;
}

iso_status iso_name_index_find(iso_context* ctx, iso_name_index* index, const iso_name_list* list,
                               const char* name, int* out_index) {
    bool is_asked = name && *name;
    iso_status status = is_asked ? note_names(ctx, index, list) : ISO_OK;
    *out_index = is_asked && status == ISO_OK ? find_noted(index, list, name) : -1;
    return status;
}

// --- parts of scoped names -----------------------------------------------------------------------

static bool ends_in_part(const void* user, int index) {
    const listed_name* wanted = user;
    return iso_name_ends_in_part(iso_name_list_at(wanted->list, index), wanted->name);
}

// The first name that ends in a part, or the second.
static int find_part(const iso_name_index* index, const iso_name_list* list, const char* part,
                     bool is_second) {
    listed_name wanted = {list, part};
    uint64_t seed = ISO_HASH_SEED + is_second;
    return iso_name_table_find(&index->parts, iso_hash_text(seed, part), ends_in_part, &wanted);
}

static iso_status note_parts(iso_context* ctx, iso_name_index* index, const iso_name_list* list) {
    iso_status status = ISO_OK;
    for (; index->noted_parts < list->count; ++index->noted_parts) {
        const char* name = iso_name_list_at(list, index->noted_parts);
        const char* colons = *name ? strstr(name + 1, "::") : NULL;
        for (; colons && colons[2]; colons = strstr(colons + 1, "::")) {
            const char* part = colons + 2;
            bool is_second = find_part(index, list, part, false) >= 0;
            if (!is_second || find_part(index, list, part, true) < 0) {
                uint64_t seed = ISO_HASH_SEED + is_second;
                ISO_TRY(iso_name_table_add(ctx, &index->parts, iso_hash_text(seed, part),
                                           index->noted_parts));
            }
        }
    }
done:
    return status;
}

iso_status iso_name_index_note(iso_context* ctx, iso_name_index* index, const iso_name_list* list) {
    iso_status status = note_names(ctx, index, list);
    return status == ISO_OK ? note_parts(ctx, index, list) : status;
}

int iso_name_index_look_up(const iso_name_index* index, const iso_name_list* list,
                           const char* name) {
    if (!name || !*name) {
        return -1;
    }
    int exact = find_noted(index, list, name);
    return exact >= 0 || find_part(index, list, name, true) >= 0
               ? exact
               : find_part(index, list, name, false);
}

iso_status iso_name_index_find_scoped(iso_context* ctx, iso_name_index* index,
                                      const iso_name_list* list, const char* name, int* out_index) {
    *out_index = -1;
    iso_status status = iso_name_index_find(ctx, index, list, name, out_index);
    if (status == ISO_OK && *out_index < 0) {
        status = note_parts(ctx, index, list);
        *out_index = status == ISO_OK ? iso_name_index_look_up(index, list, name) : -1;
    }
    return status;
}

void iso_name_index_destroy(iso_context* ctx, iso_name_index* index) {
    iso_name_table_destroy(ctx, &index->table);
    iso_name_table_destroy(ctx, &index->parts);
    *index = (iso_name_index){0};
}
