// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/log.h"
#include "base/values/name.h"
#include "geometry/mesh_text/volume_reader.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Arrays of volume files that nobody wants: a misspelt name must not be lost in silence.

void iso_volume_data_pass_over(iso_volume_data* data, const char* name, size_t name_length,
                               iso_array_fault fault) {
    if (data->unused_count < ISO_UNUSED_ARRAYS) {
        iso_unused_array* unused = &data->unused[data->unused_count];
        size_t length = name_length < ISO_ARRAY_NAME_LENGTH ? name_length : ISO_ARRAY_NAME_LENGTH;
        memset(unused->name, 0, sizeof unused->name);
        for (size_t i = 0; i < length; ++i) {
            bool is_shown = (unsigned char)name[i] >= ' ' && name[i] != 127;
            unused->name[i] = is_shown ? name[i] : '?';
        }
        unused->fault = fault;
        ++data->unused_count;
    } else if (data->unused_count < INT32_MAX) {
        ++data->unused_count;
    }
}

static bool is_found(const iso_volume_data* data, const char* name) {
    for (int i = 0; i < data->array_count; ++i) {
        if (data->arrays[i].values && strcmp(data->arrays[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// The array that a name was likely meant to be: wanted, not in the file, and no other does its
// work (pressure and extent are two ways to give one field). NULL: none.
static const char* likely_name(const iso_volume_data* data, const char* name) {
    bool has_field = is_found(data, "pressure") || is_found(data, "extent");
    for (int i = 0; i < data->array_count; ++i) {
        const char* wanted = data->arrays[i].name;
        bool is_missing = strcmp(wanted, "modulus") == 0 ? !is_found(data, wanted) : !has_field;
        iso_name_list list = iso_name_list_of(&wanted, 1);
        if (is_missing && iso_name_list_nearest(&list, name) == 0) {
            return wanted;
        }
    }
    return NULL;
}

static void list_wanted(const iso_volume_data* data, char* text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < data->array_count && used < size; ++i) {
        int written = snprintf(text + used, size - used, "%s%s",
                               i == 0 ? "" : (i + 1 < data->array_count ? ", " : " or "),
                               data->arrays[i].name);
        used += written > 0 ? (size_t)written : 0;
    }
}

void iso_volume_data_report_unused(iso_context* ctx, const char* name,
                                   const iso_volume_data* data) {
    static const char* const faults[] = {"", " has more than one component and",
                                         " has values of cells, not of points, and"};
    char wanted[128];
    if (data->array_count == 0) {
        return; // nobody asks for arrays
    }
    list_wanted(data, wanted, sizeof wanted);
    char others[512] = "";
    size_t used = 0;
    int count = data->unused_count < ISO_UNUSED_ARRAYS ? data->unused_count : ISO_UNUSED_ARRAYS;
    for (int i = 0; i < count; ++i) {
        const iso_unused_array* unused = &data->unused[i];
        const char* likely = likely_name(data, unused->name);
        if (likely && strcmp(likely, unused->name) != 0) {
            iso_log(ctx, ISO_LOG_WARNING,
                    "%s: array '%s' is not used; did you mean '%s'? Read are point arrays of one "
                    "component named %s",
                    name, unused->name, likely, wanted);
        } else if (likely) {
            iso_log(ctx, ISO_LOG_WARNING,
                    "%s: array '%s'%s is not used: read are point arrays of one component named %s",
                    name, unused->name, faults[unused->fault], wanted);
        } else if (used < sizeof others) {
            int written = snprintf(others + used, sizeof others - used, "%s'%s'", used ? ", " : "",
                                   unused->name);
            used += written > 0 ? (size_t)written : 0;
        }
    }
    if (used > 0) {
        iso_log(ctx, ISO_LOG_INFO, "%s: arrays that are not used: %s%s", name, others,
                data->unused_count > count ? ", ..." : "");
    }
}
