// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/png_image.h"

#include "base/core/alloc.h"

#include <png.h>

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// One image being read. libpng leaves by longjmp(); so nothing that changes is on the stack.
typedef struct png_reading {
    iso_context* ctx;
    iso_arena* arena;
    const char* bytes;
    size_t size, used;
    png_structp png;
    png_infop info;
    int most;
    bool is_too_large, is_out_of_memory;
    char reason[128];
    iso_png_image image;
} png_reading;

bool iso_png_is(const char* bytes, size_t size) {
    return size >= 8 && png_sig_cmp((png_const_bytep)bytes, 0, 8) == 0;
}

_Noreturn static void fail(png_structp png, png_const_charp message) {
    png_reading* r = png_get_error_ptr(png);
    (void)snprintf(r->reason, sizeof r->reason, "%s", message);
    png_longjmp(png, 1);
}

// What libpng can do without.
static void pass_over(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    png_reading* r = png_get_io_ptr(png);
    if (count > r->size - r->used) {
        png_error(png, "it ends too early");
    }
    memcpy(target, r->bytes + r->used, count);
    r->used += count;
}

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
    png_reading* r = png_get_mem_ptr(png);
    void* memory = iso_alloc(r->ctx, size);
    r->is_out_of_memory = r->is_out_of_memory || !memory;
    return memory;
}

static void release(png_structp png, png_voidp memory) {
    png_reading* r = png_get_mem_ptr(png);
    iso_free(r->ctx, memory);
}

// Memory of the arena.
static void* push(png_reading* r, size_t size) {
    void* memory = iso_arena_push(r->arena, size);
    r->is_out_of_memory = r->is_out_of_memory || !memory;
    if (!memory) {
        png_error(r->png, "out of memory");
    }
    return memory;
}

// One to four numbers of 8 or 16 bits for each point.
static void ask_for_bytes(png_reading* r) {
    png_set_packing(r->png);
    if (png_get_color_type(r->png, r->info) == PNG_COLOR_TYPE_PALETTE) {
        png_set_palette_to_rgb(r->png);
    } else if (png_get_bit_depth(r->png, r->info) < 8) {
        png_set_expand_gray_1_2_4_to_8(r->png);
    }
}

static void take_first_channel(png_reading* r, const png_byte* pixels, size_t row_size,
                               size_t channels) {
    size_t rows = (size_t)r->image.rows, columns = (size_t)r->image.columns;
    bool is_fine = png_get_bit_depth(r->png, r->info) == 16;
    r->image.values = push(r, rows * columns);
    r->image.fine = is_fine ? push(r, rows * columns * sizeof *r->image.fine) : NULL;
    size_t size = is_fine ? 2 : 1;
    for (size_t i = 0; i < rows; ++i) {
        for (size_t k = 0; k < columns; ++k) {
            const png_byte* at = pixels + i * row_size + k * channels * size;
            r->image.has_colours |= channels >= 3 && (memcmp(at, at + size, size) != 0 ||
                                                      memcmp(at, at + 2 * size, size) != 0);
            r->image.values[i * columns + k] = at[0];
            if (is_fine) {
                r->image.fine[i * columns + k] = (uint16_t)(at[0] << 8 | at[1]);
            }
        }
    }
}

static void read_all(png_reading* r) {
    png_read_info(r->png, r->info);
    uint32_t columns = png_get_image_width(r->png, r->info);
    uint32_t rows = png_get_image_height(r->png, r->info);
    r->is_too_large = (uint64_t)columns * rows > (uint64_t)r->most;
    r->image.columns = (int)columns;
    r->image.rows = (int)rows;
    if (r->is_too_large) {
        return;
    }
    png_uint_32 across = 0, down = 0;
    int unit = PNG_RESOLUTION_UNKNOWN;
    if (png_get_pHYs(r->png, r->info, &across, &down, &unit) != 0 && unit == PNG_RESOLUTION_METER &&
        across > 0 && across == down) {
        r->image.pitch = 1.0 / across;
    }
    ask_for_bytes(r);
    int pass_count = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    size_t channels = png_get_channels(r->png, r->info);
    size_t row_size = png_get_rowbytes(r->png, r->info);
    png_bytep pixels = push(r, rows * row_size);
    memset(pixels, 0, rows * row_size); // passes fill it in
    for (int pass = 0; pass < pass_count; ++pass) {
        for (uint32_t i = 0; i < rows; ++i) {
            png_read_row(r->png, pixels + i * row_size, NULL);
        }
    }
    png_read_end(r->png, NULL);
    take_first_channel(r, pixels, row_size, channels);
}

// True unless libpng left.
static bool attempt(png_reading* r) {
    if (setjmp(png_jmpbuf(r->png)) != 0) {
        return false;
    }
    png_set_read_fn(r->png, r, read_bytes);
    // Neither colour profiles nor texts: libpng takes memory for the length that a chunk claims.
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(r->png, PNG_HANDLE_CHUNK_AS_DEFAULT, (png_const_bytep) "pHYs", 1);
    read_all(r);
    return true;
}

iso_status iso_png_decode(iso_context* ctx, iso_arena* arena, const char* bytes, size_t size,
                          int most, iso_png_image* out, char out_fault[ISO_PNG_FAULT_SIZE]) {
    png_reading r = {.ctx = ctx, .arena = arena, .bytes = bytes, .size = size, .most = most};
    bool is_read = false;
    r.png =
        png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &r, fail, pass_over, &r, allocate, release);
    r.info = r.png ? png_create_info_struct(r.png) : NULL;
    if (r.info) {
        is_read = attempt(&r);
    }
    png_destroy_read_struct(&r.png, &r.info, NULL);
    *out = r.image;
    if (!is_read) {
        (void)snprintf(out_fault, ISO_PNG_FAULT_SIZE, "%s",
                       r.is_out_of_memory ? "out of memory" : r.reason);
        return r.is_out_of_memory ? ISO_ERR_MEMORY : ISO_ERR_PARSE;
    }
    return r.is_too_large ? ISO_ERR_RANGE : ISO_OK;
}
