// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/names.h"
#include "scene/build/build.h"

/// A YAML document as a tree that remembers lines. Lives in the arena of the load.
typedef enum iso_yaml_kind {
    ISO_YAML_SCALAR,
    ISO_YAML_SEQUENCE,
    ISO_YAML_MAPPING,
} iso_yaml_kind;

typedef struct iso_yaml_node iso_yaml_node;
struct iso_yaml_node {
    iso_yaml_kind kind;
    iso_source source;
    const char* tag;  ///< "!Rpy"; "" when there is none
    const char* text; ///< scalars
    bool is_plain;    ///< scalars without quotes
    int count;        ///< of children
    int capacity;
    iso_yaml_node** children; ///< [count] elements of a sequence, values of a mapping
    const char** keys;        ///< [count] of a mapping
};

/// Parse one document. Aliases are copied; duplicate keys, merge keys and several documents are
/// errors. An empty document is an empty mapping.
iso_status iso_yaml_parse(iso_scene_build* build, const char* file, const char* bytes, size_t size,
                          iso_yaml_node** out_root);

/// Value of a key, NULL when absent, `null` or `~` (or node NULL).
iso_yaml_node* iso_yaml_get(const iso_yaml_node* node, const char* key);
/// The keys of a mapping; none of another node and of NULL.
iso_name_list iso_yaml_keys(const iso_yaml_node* node);
/// Add or replace the value of a key.
iso_status iso_yaml_put(iso_scene_build* build, iso_yaml_node* mapping, const char* key,
                        iso_yaml_node* value);
iso_status iso_yaml_new_mapping(iso_scene_build* build, iso_source at, iso_yaml_node** out_node);
/// Nothing was written: "key:" or "key: ~".
bool iso_yaml_is_null(const iso_yaml_node* node);

// Readers. `what` names the value in messages.

/// A mapping all of whose keys are in `known` (NULL at the end).
iso_status iso_yaml_check_mapping(const iso_scene_build* build, const iso_yaml_node* node,
                                  const char* what, const char* const* known);
iso_status iso_yaml_check_sequence(const iso_scene_build* build, const iso_yaml_node* node,
                                   const char* what);
iso_status iso_yaml_text(const iso_scene_build* build, const iso_yaml_node* node, const char* what,
                         const char** out_text);
iso_status iso_yaml_number(const iso_scene_build* build, const iso_yaml_node* node,
                           const char* what, double* out_value);
iso_status iso_yaml_bool(const iso_scene_build* build, const iso_yaml_node* node, const char* what,
                         bool* out_value);
/// Exactly count numbers of a sequence.
iso_status iso_yaml_numbers(const iso_scene_build* build, const iso_yaml_node* node,
                            const char* what, int count, double* out_values);

// The same for the value of a key; when it is absent the output stays as it is.

iso_status iso_yaml_get_text(const iso_scene_build* build, const iso_yaml_node* mapping,
                             const char* key, const char** out_text);
iso_status iso_yaml_get_number(const iso_scene_build* build, const iso_yaml_node* mapping,
                               const char* key, double* out_value);
/// As iso_yaml_get_number(), in [lower, upper], or (lower, upper] with is_open.
iso_status iso_yaml_get_ranged(const iso_scene_build* build, const iso_yaml_node* mapping,
                               const char* key, double lower, bool is_open, double upper,
                               double* out_value);
iso_status iso_yaml_get_bool(const iso_scene_build* build, const iso_yaml_node* mapping,
                             const char* key, bool* out_value);
iso_status iso_yaml_get_vec3(const iso_scene_build* build, const iso_yaml_node* mapping,
                             const char* key, iso_vec3* out_value);
/// A whole number in [lower, upper].
iso_status iso_yaml_get_count(const iso_scene_build* build, const iso_yaml_node* mapping,
                              const char* key, int lower, int upper, int* out_value);
/// A value by its name (isobar/names.h).
iso_status iso_yaml_get_name(const iso_scene_build* build, const iso_yaml_node* mapping,
                             const char* key, iso_name_family family, int* out_value);
/// One of `names`; out_index its index.
iso_status iso_yaml_get_choice(const iso_scene_build* build, const iso_yaml_node* mapping,
                               const char* key, const char* const* names, int name_count,
                               int* out_index);
/// A key that must be there.
iso_status iso_yaml_require(const iso_scene_build* build, const iso_yaml_node* mapping,
                            const char* what, const char* key, iso_yaml_node** out_value);
iso_status iso_yaml_require_text(const iso_scene_build* build, const iso_yaml_node* mapping,
                                 const char* what, const char* key, const char** out_text);
/// "a, b, c" of a list of names that ends with NULL.
const char* iso_yaml_join_names(const char* const* names, char* buffer, size_t size);
