// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "geometry/mesh_files/vtk/vtk_array.h"

#include <limits.h>
#include <math.h>
#include <string.h>

iso_status iso_vtk_read_count(vtk_arrays* arrays, const char* what, int* out_count) {
    iso_word word = iso_lexer_next_word(&arrays->lexer);
    int64_t value;
    if (!iso_word_to_integer(word, &value)) {
        return iso_lexer_fail_word(&arrays->lexer, word, what, "an integer");
    }
    if (value < 0 || value > INT_MAX) {
        return iso_lexer_fail(&arrays->lexer, ISO_ERR_RANGE, "%s is %lld, expected 0 to %d", what,
                              (long long)value, INT_MAX);
    }
    *out_count = (int)value;
    return ISO_OK;
}

static const struct {
    const char* name;
    vtk_type type;
} k_types[] = {
    {"char", VTK_INT8},          {"unsigned_char", VTK_UINT8},
    {"short", VTK_INT16},        {"unsigned_short", VTK_UINT16},
    {"int", VTK_INT32},          {"unsigned_int", VTK_UINT32},
    {"long", VTK_INT64},         {"unsigned_long", VTK_UINT64},
    {"vtktypeint64", VTK_INT64}, {"vtktypeuint64", VTK_UINT64},
    {"vtkidtype", VTK_INT32},    {"float", VTK_FLOAT},
    {"double", VTK_DOUBLE},
};

iso_status iso_vtk_read_type(vtk_arrays* arrays, vtk_type* out_type) {
    iso_word word = iso_lexer_next_word(&arrays->lexer);
    for (size_t i = 0; i < sizeof k_types / sizeof k_types[0]; ++i) {
        if (iso_word_is(word, k_types[i].name)) {
            *out_type = k_types[i].type;
            return ISO_OK;
        }
    }
    return iso_lexer_fail_word(&arrays->lexer, word, "the data type",
                               "float, double, int, vtktypeint64 or the like");
}

static size_t type_size(vtk_type type) {
    static const size_t k_sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return k_sizes[type];
}

iso_status iso_vtk_begin_array(vtk_arrays* arrays, const char* what, int64_t count, vtk_type type) {
    if (arrays->is_binary) {
        iso_lexer_next_line(&arrays->lexer); // data starts behind the line end
        arrays->lexer.has_read_bytes = true;
    }
    // Text needs a digit and a separator for each value.
    size_t left = arrays->lexer.size - arrays->lexer.at;
    size_t most = arrays->is_binary ? left / type_size(type) : left / 2 + 1;
    if (count < 0 || (uint64_t)count > most) {
        return iso_lexer_fail(&arrays->lexer, ISO_ERR_RANGE,
                              "%s: %lld values are announced, but the rest of the file (%zu bytes) "
                              "has room for at most %zu",
                              what, (long long)count, left, most);
    }
    return ISO_OK;
}

// The next big-endian value of the given size; the caller knows that the array may end early.
static iso_status take_bits(vtk_arrays* arrays, vtk_type type, const char* what,
                            uint64_t* out_bits) {
    size_t size = type_size(type);
    if (arrays->lexer.size - arrays->lexer.at < size) {
        return iso_lexer_fail(&arrays->lexer, ISO_ERR_PARSE, "the file ends inside %s", what);
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i) {
        bits = bits << 8 | arrays->lexer.bytes[arrays->lexer.at + i];
    }
    arrays->lexer.at += size;
    *out_bits = bits;
    return ISO_OK;
}

static double bits_to_double(vtk_type type, uint64_t bits) {
    if (type == VTK_FLOAT) {
        uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Integer types, sign extended. Unsigned 64-bit values above INT64_MAX become INT64_MAX, which is
// out of every range asked for.
static int64_t bits_to_integer(vtk_type type, uint64_t bits) {
    switch (type) {
    case VTK_INT8:
        return (int8_t)bits;
    case VTK_INT16:
        return (int16_t)bits;
    case VTK_INT32:
        return (int32_t)bits;
    case VTK_UINT64:
        return bits > INT64_MAX ? INT64_MAX : (int64_t)bits;
    default:
        return (int64_t)bits;
    }
}

iso_status iso_vtk_read_double(vtk_arrays* arrays, vtk_type type, const char* what,
                               double* out_value) {
    if (!arrays->is_binary) {
        iso_word word = iso_lexer_next_word(&arrays->lexer);
        if (!iso_word_to_double(word, out_value)) {
            return iso_lexer_fail_word(&arrays->lexer, word, what, "a finite number");
        }
        return ISO_OK;
    }
    uint64_t bits = 0;
    iso_status status = take_bits(arrays, type, what, &bits);
    if (status != ISO_OK) {
        return status;
    }
    bool is_real = type == VTK_FLOAT || type == VTK_DOUBLE;
    *out_value = is_real ? bits_to_double(type, bits) : (double)bits_to_integer(type, bits);
    if (!isfinite(*out_value)) {
        return iso_lexer_fail(&arrays->lexer, ISO_ERR_PARSE, "%s is %g, expected a finite number",
                              what, *out_value);
    }
    return ISO_OK;
}

iso_status iso_vtk_read_integer(vtk_arrays* arrays, vtk_type type, const char* what, int64_t low,
                                int64_t high, int64_t* out_value) {
    if (!arrays->is_binary) {
        iso_word word = iso_lexer_next_word(&arrays->lexer);
        if (!iso_word_to_integer(word, out_value)) {
            return iso_lexer_fail_word(&arrays->lexer, word, what, "an integer");
        }
    } else {
        uint64_t bits = 0;
        iso_status status = take_bits(arrays, type, what, &bits);
        if (status != ISO_OK) {
            return status;
        }
        *out_value = bits_to_integer(type, bits);
    }
    if (*out_value < low || *out_value > high) {
        return iso_lexer_fail(&arrays->lexer, ISO_ERR_RANGE, "%s is %lld, expected %lld to %lld",
                              what, (long long)*out_value, (long long)low, (long long)high);
    }
    return ISO_OK;
}

iso_status iso_vtk_skip_values(vtk_arrays* arrays, vtk_type type, const char* what, int64_t count) {
    iso_status status = iso_vtk_begin_array(arrays, what, count, type);
    if (status != ISO_OK) {
        return status;
    }
    if (arrays->is_binary) {
        arrays->lexer.at += (size_t)count * type_size(type);
        return ISO_OK;
    }
    for (int64_t i = 0; i < count; ++i) {
        if (iso_lexer_next_word(&arrays->lexer).length == 0) {
            return iso_lexer_fail(&arrays->lexer, ISO_ERR_PARSE, "the file ends inside %s", what);
        }
    }
    return ISO_OK;
}

// Length and bytes: the two highest bits say how many bytes the length takes (11: one, 10: two,
// 01: four, 00: eight).
static iso_status skip_binary_string(vtk_arrays* arrays) {
    static const vtk_type k_lengths[] = {VTK_UINT64, VTK_UINT32, VTK_UINT16, VTK_UINT8};
    const iso_lexer* lexer = &arrays->lexer;
    uint64_t length = 0;
    iso_status status = ISO_OK;
    if (lexer->at < lexer->size) {
        vtk_type type = k_lengths[lexer->bytes[lexer->at] >> 6];
        status = take_bits(arrays, type, "a string", &length);
        length &= UINT64_MAX >> (66 - 8 * type_size(type));
    }
    if (status == ISO_OK && length > lexer->size - lexer->at) {
        return iso_lexer_fail(&arrays->lexer, ISO_ERR_PARSE, "the file ends inside a string");
    }
    arrays->lexer.at += status == ISO_OK ? (size_t)length : 0;
    return status;
}

iso_status iso_vtk_skip_strings(vtk_arrays* arrays, int64_t count) {
    iso_status status = iso_vtk_begin_array(arrays, "a string array", count, VTK_UINT8);
    if (status == ISO_OK && !arrays->is_binary) {
        iso_lexer_next_line(&arrays->lexer); // the rest of the line that announces it
    }
    for (int64_t i = 0; i < count && status == ISO_OK; ++i) {
        if (arrays->is_binary) {
            status = skip_binary_string(arrays);
        } else {
            iso_lexer_next_line(&arrays->lexer);
        }
    }
    return status;
}
