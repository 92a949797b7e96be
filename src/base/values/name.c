// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/values/name.h"

#include "base/core/fail.h"
#include "base/core/text.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 96 // letters of a name that is compared with others
#define LISTED 5   // names in a message
#define LIST_SIZE (ISO_NAME_TEXT_SIZE - 160)

iso_name_list iso_name_list_of(const char* const* names, int count) {
    if (count < 0) {
        for (count = 0; names[count]; ++count) {
        }
    }
    return (iso_name_list){.owner = names, .stride = sizeof *names, .count = count};
}

const char* iso_name_list_at(const iso_name_list* list, int index) {
    if (list->at) {
        return list->at(list->owner, index);
    }
    const char* name = NULL;
    memcpy(&name, (const char*)list->owner + (size_t)index * list->stride + list->offset,
           sizeof name);
    return name ? name : "";
}

// --- which one -----------------------------------------------------------------------------------

bool iso_name_ends_in_part(const char* name, const char* part) {
    size_t length = strlen(name), part_length = strlen(part);
    return length > part_length + 2 && strcmp(name + length - part_length, part) == 0 &&
           strncmp(name + length - part_length - 2, "::", 2) == 0;
}

int iso_name_list_find(const iso_name_list* list, const char* name) {
    int found = -1, count = 0;
    for (int i = 0; name && *name && i < list->count; ++i) { // unnamed things are not found
        const char* other = iso_name_list_at(list, i);
        if (strcmp(other, name) == 0) {
            return i;
        }
        if (iso_name_ends_in_part(other, name)) {
            found = i;
            ++count;
        }
    }
    return count == 1 ? found : -1;
}

// --- which one was meant -------------------------------------------------------------------------

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

// Letters to change, add, leave out or swap with the next until a is b (optimal string alignment),
// whatever their case.
static int distance(const char* a, int a_length, const char* b, int b_length) {
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= b_length; ++j) {
        last[j] = j;
    }
    for (int i = 0; i < a_length; ++i) {
        row[0] = i + 1;
        for (int j = 0; j < b_length; ++j) {
            char x = lower(a[i]), y = lower(b[j]);
            row[j + 1] = least(last[j] + (x != y), least(last[j + 1], row[j]) + 1);
            if (i > 0 && j > 0 && x == lower(b[j - 1]) && y == lower(a[i - 1])) {
                row[j + 1] = least(row[j + 1], before[j - 1] + 1);
            }
        }
        int* oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b_length];
}

// Their distance when they are near each other, else LONGEST.
static int near_distance(const char* a, const char* b) {
    size_t a_length = strlen(a), b_length = strlen(b);
    size_t longer = a_length > b_length ? a_length : b_length;
    size_t shorter = a_length + b_length - longer;
    if (shorter == 0 || longer > LONGEST || 3 * (longer - shorter) > longer) {
        return LONGEST;
    }
    int d = distance(a, (int)a_length, b, (int)b_length);
    return 3 * d <= (int)longer ? d : LONGEST;
}

// Part of a scoped name after the last "::".
static const char* bare_name(const char* name) {
    const char* bare = name;
    for (const char* c = strstr(name, "::"); c; c = strstr(bare, "::")) {
        bare = c + 2;
    }
    return bare;
}

// Whether a scoped name begins with the scope.
static bool is_in_scope(const char* name, const char* scope) {
    size_t length = strlen(scope);
    return length > 0 && strncmp(name, scope, length) == 0 && strncmp(name + length, "::", 2) == 0;
}

int iso_name_list_nearest(const iso_name_list* list, const char* name) {
    int found = -1, nearest = LONGEST;
    for (int i = 0; name && i < list->count; ++i) {
        const char* other = iso_name_list_at(list, i);
        // A wrong scope counts as one more difference.
        int d = least(near_distance(name, other), near_distance(name, bare_name(other)));
        d = least(d, near_distance(bare_name(name), bare_name(other)) + 1);
        d = least(d, is_in_scope(other, name) ? 1 : LONGEST);
        if (d < nearest) {
            nearest = d;
            found = i;
        }
    }
    return found;
}

const char* iso_name_list_hint(const iso_name_list* list, const char* name, char* text,
                               size_t size) {
    int nearest = iso_name_list_nearest(list, name);
    text[0] = '\0';
    if (nearest >= 0) {
        const char* meant = iso_name_list_at(list, nearest);
        const char* bare = bare_name(meant);
        bool is_clear = !strstr(name, "::") && !is_in_scope(meant, name) &&
                        iso_name_list_find(list, bare) == nearest;
        (void)snprintf(text, size, "; did you mean '%s'?", is_clear ? bare : meant);
    }
    return text;
}

// --- what is wrong with a name -------------------------------------------------------------------

static bool is_listed(const char* name, const char* part) {
    return *name && (!part || iso_name_ends_in_part(name, part));
}

// "'a', 'b' or 'c'", of those that end in "::part" with a part; of many names the first ones.
static void list_names(const iso_name_list* list, const char* part, char* text, size_t size) {
    size_t used = 0;
    int count = 0, written = 0;
    text[0] = '\0';
    for (int i = 0; i < list->count; ++i) {
        count += is_listed(iso_name_list_at(list, i), part);
    }
    for (int i = 0; i < list->count && written < count && written <= LISTED; ++i) {
        const char* name = iso_name_list_at(list, i);
        if (!is_listed(name, part)) {
            continue;
        }
        const char* link = written == 0 ? "" : written + 1 == count ? " or " : ", ";
        int length = written < LISTED
                         ? snprintf(text + used, size - used, "%s'%.80s'", link, name)
                         : snprintf(text + used, size - used, ", ... (%d in all)", count);
        used += length > 0 ? (size_t)length : 0;
        used = used < size ? used : size - 1;
        ++written;
    }
}

const char* iso_name_list_missing(const iso_name_list* list, const char* noun, const char* name,
                                  char* text, size_t size) {
    char rest[LIST_SIZE];
    const char* link = "";
    name = name ? name : "";
    iso_name_list_hint(list, name, rest, sizeof rest);
    if (!rest[0]) {
        list_names(list, NULL, rest, sizeof rest);
        link = rest[0] ? ", expected " : ", nor any other";
    }
    (void)snprintf(text, size, "there is no %s named '%.80s'%s%s", noun, name, link, rest);
    iso_text_make_printable(text);
    return text;
}

const char* iso_name_list_explain(const iso_name_list* list, const char* noun, const char* name,
                                  char* text, size_t size) {
    char rest[LIST_SIZE];
    name = name ? name : "";
    list_names(list, name, rest, sizeof rest);
    if (!rest[0]) {
        return iso_name_list_missing(list, noun, name, text, size);
    }
    (void)snprintf(text, size, "'%.80s' can be %s %s; say which", name, noun, rest);
    iso_text_make_printable(text);
    return text;
}

iso_status iso_name_list_require(iso_context* ctx, const iso_name_list* list, const char* noun,
                                 const char* name, int* out_index) {
    *out_index = iso_name_list_find(list, name);
    if (*out_index >= 0) {
        return ISO_OK;
    }
    char text[ISO_NAME_TEXT_SIZE];
    return iso_fail(ctx, ISO_ERR_NOT_FOUND, __func__, "%s",
                    iso_name_list_explain(list, noun, name, text, sizeof text));
}
