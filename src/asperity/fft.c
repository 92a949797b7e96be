// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/fft.h"

#include "isobar/math.h"
#include "math/lanes_f64x4.h"

#include <math.h>
#include <string.h>

enum { LANES = ISO_FFT_LANES };

static void find_factors(iso_fft* f) {
    int rest = f->n;
    f->factor_count = 0;
    for (int p = 4; rest > 1;) {
        if (rest % p == 0) {
            f->factors[f->factor_count++] = p;
            rest /= p;
        } else {
            p = p == 4 ? 2 : p == 2 ? 3 : p + 2;
            p = (int64_t)p * p > rest && p != 2 ? rest : p;
        }
    }
}

static void fft_free(iso_context* ctx, iso_fft* f) {
    iso_free(ctx, f->cosine);
    iso_free(ctx, f->memory);
    *f = (iso_fft){0};
}

static iso_status fft_make(iso_context* ctx, int n, iso_fft* f) {
    *f = (iso_fft){.n = n};
    size_t size = (size_t)n * LANES;
    f->cosine = iso_alloc(ctx, 2 * (size_t)n * sizeof(double));
    f->memory = iso_alloc_zeroed(ctx, 4 * size * sizeof(double));
    ISO_REQUIRE(ctx, f->cosine && f->memory, ISO_ERR_MEMORY, "transform of %d points", n);
    f->sine = f->cosine + n;
    f->re = f->memory;
    f->im = f->re + size;
    f->re_next = f->im + size;
    f->im_next = f->re_next + size;
    find_factors(f);
    for (int k = 0; k < n; ++k) {
        // About the nearest quarter of the circle, so that the symmetries hold to the bit.
        int quarter = (int)((4 * (int64_t)k + n / 2) / n);
        double angle = ISO_PI * (double)(4 * (int64_t)k - (int64_t)quarter * n) / (2.0 * n);
        double c = cos(angle), s = sin(angle);
        f->cosine[k] = quarter % 4 == 0 ? c : quarter % 4 == 1 ? -s : quarter % 4 == 2 ? -c : s;
        f->sine[k] = quarter % 4 == 0 ? s : quarter % 4 == 1 ? c : quarter % 4 == 2 ? -s : -c;
    }
    return ISO_OK;
}

// z times the conjugate of the wave w.
static inline void turn_back(iso_double4 re, iso_double4 im, const double* w, double* out_re,
                             double* out_im) {
    iso_double4 c = iso_double4_set(w[0]), s = iso_double4_set(w[1]);
    iso_double4_store(out_re, iso_double4_add(iso_double4_mul(re, c), iso_double4_mul(im, s)));
    iso_double4_store(out_im, iso_double4_sub(iso_double4_mul(im, c), iso_double4_mul(re, s)));
}

// One butterfly of four: count elements from each of x, x + hop, ... to y, y + count, ...
static void radix_4(const double* xr, const double* xi, double* yr, double* yi, size_t hop,
                    size_t count, const double* w) {
    for (size_t i = 0; i < count; i += 4) {
        iso_double4 re[4], im[4];
        for (size_t k = 0; k < 4; ++k) {
            re[k] = iso_double4_load(xr + i + k * hop);
            im[k] = iso_double4_load(xi + i + k * hop);
        }
        iso_double4 ar = iso_double4_add(re[0], re[2]), ai = iso_double4_add(im[0], im[2]);
        iso_double4 br = iso_double4_sub(re[0], re[2]), bi = iso_double4_sub(im[0], im[2]);
        iso_double4 cr = iso_double4_add(re[1], re[3]), ci = iso_double4_add(im[1], im[3]);
        iso_double4 dr = iso_double4_sub(re[1], re[3]), di = iso_double4_sub(im[1], im[3]);
        iso_double4_store(yr + i, iso_double4_add(ar, cr));
        iso_double4_store(yi + i, iso_double4_add(ai, ci));
        turn_back(iso_double4_add(br, di), iso_double4_sub(bi, dr), w, yr + i + count,
                  yi + i + count);
        turn_back(iso_double4_sub(ar, cr), iso_double4_sub(ai, ci), w + 2, yr + i + 2 * count,
                  yi + i + 2 * count);
        turn_back(iso_double4_sub(br, di), iso_double4_add(bi, dr), w + 4, yr + i + 3 * count,
                  yi + i + 3 * count);
    }
}

// One output of a butterfly of r inputs: sum over j of x_j w^(first + step j).
static void radix_sum(const iso_fft* f, const double* restrict xr, const double* restrict xi,
                      double* restrict yr, double* restrict yi, size_t hop, size_t count, int r,
                      int64_t first, int64_t step) {
    memset(yr, 0, count * sizeof *yr);
    memset(yi, 0, count * sizeof *yi);
    for (int j = 0; j < r; ++j) {
        int64_t at = (first + step * j) % f->n;
        double c = f->cosine[at], s = f->sine[at];
        const double *ur = xr + (size_t)j * hop, *ui = xi + (size_t)j * hop;
        for (size_t i = 0; i < count; ++i) {
            yr[i] += ur[i] * c + ui[i] * s;
            yi[i] += ui[i] * c - ur[i] * s;
        }
    }
}

// Stockham's order: stage by stage from one array to the other, nothing to permute at the end.
static void transform(iso_fft* f) {
    int length = f->n;
    size_t done = 1;
    for (int stage = 0; stage < f->factor_count; ++stage) {
        int r = f->factors[stage], m = length / r;
        int64_t step = f->n / length;
        size_t count = done * LANES, hop = (size_t)m * count;
        for (int p = 0; p < m; ++p) {
            const double *xr = f->re + (size_t)p * count, *xi = f->im + (size_t)p * count;
            double* yr = f->re_next + (size_t)p * (size_t)r * count;
            double* yi = f->im_next + (size_t)p * (size_t)r * count;
            if (r == 4) {
                double w[6];
                for (int k = 1; k < 4; ++k) {
                    w[2 * k - 2] = f->cosine[k * p * step];
                    w[2 * k - 1] = f->sine[k * p * step];
                }
                radix_4(xr, xi, yr, yi, hop, count, w);
                continue;
            }
            for (int k = 0; k < r; ++k) {
                radix_sum(f, xr, xi, yr + (size_t)k * count, yi + (size_t)k * count, hop, count, r,
                          k * p * step, (int64_t)k * (f->n / r));
            }
        }
        double *re = f->re, *im = f->im;
        f->re = f->re_next;
        f->im = f->im_next;
        f->re_next = re;
        f->im_next = im;
        length = m;
        done *= (size_t)r;
    }
}

// With the parts exchanged it turns the other way; not scaled.
static void transform_back(iso_fft* f) {
    double* re = f->re;
    f->re = f->im;
    f->im = re;
    transform(f);
    re = f->re;
    f->re = f->im;
    f->im = re;
}

iso_status iso_fft_grid_make(iso_context* ctx, int rows, int columns, iso_fft_grid* out) {
    *out = (iso_fft_grid){.rows = rows, .columns = columns};
    out->stride = (columns / 2 + LANES) / LANES * LANES;
    iso_status status = fft_make(ctx, columns, &out->along);
    return status == ISO_OK ? fft_make(ctx, rows, &out->across) : status;
}

void iso_fft_grid_free(iso_context* ctx, iso_fft_grid* grid) {
    fft_free(ctx, &grid->along);
    fft_free(ctx, &grid->across);
}

// All columns of a half spectrum, LANES at a time; rows from filled_rows on are zero before.
static void transform_columns(iso_fft_grid* grid, double* re, double* im, int filled_rows,
                              int wanted_rows, void (*turn)(iso_fft*)) {
    iso_fft* f = &grid->across;
    if (f->n == 1) {
        return;
    }
    for (int block = 0; block < grid->stride; block += LANES) {
        for (int r = 0; r < f->n; ++r) {
            size_t at = (size_t)r * (size_t)grid->stride + (size_t)block;
            if (r < filled_rows) {
                memcpy(f->re + (size_t)r * LANES, re + at, LANES * sizeof(double));
                memcpy(f->im + (size_t)r * LANES, im + at, LANES * sizeof(double));
            } else {
                memset(f->re + (size_t)r * LANES, 0, LANES * sizeof(double));
                memset(f->im + (size_t)r * LANES, 0, LANES * sizeof(double));
            }
        }
        turn(f);
        for (int r = 0; r < wanted_rows; ++r) {
            size_t at = (size_t)r * (size_t)grid->stride + (size_t)block;
            memcpy(re + at, f->re + (size_t)r * LANES, LANES * sizeof(double));
            memcpy(im + at, f->im + (size_t)r * LANES, LANES * sizeof(double));
        }
    }
}

// From LANES transforms of pairs of real rows a + i b to the half spectra of the rows.
static void part_rows(const iso_fft_grid* grid, int row, int last, double* re, double* im) {
    const iso_fft* f = &grid->along;
    for (int k = 0; k < grid->stride; ++k) {
        bool is_there = k <= f->n / 2;
        size_t at = (size_t)(is_there ? k : 0) * LANES;
        size_t other = (size_t)(is_there && k > 0 ? f->n - k : 0) * LANES;
        for (int l = 0; l < LANES && row + 2 * l < last; ++l) {
            double zr = f->re[at + (size_t)l], zi = f->im[at + (size_t)l];
            double cr = f->re[other + (size_t)l], ci = f->im[other + (size_t)l];
            size_t to = (size_t)(row + 2 * l) * (size_t)grid->stride + (size_t)k;
            re[to] = is_there ? 0.5 * (zr + cr) : 0.0;
            im[to] = is_there ? 0.5 * (zi - ci) : 0.0;
            if (row + 2 * l + 1 < last) {
                re[to + (size_t)grid->stride] = is_there ? 0.5 * (zi + ci) : 0.0;
                im[to + (size_t)grid->stride] = is_there ? 0.5 * (cr - zr) : 0.0;
            }
        }
    }
}

void iso_fft_grid_forward(iso_fft_grid* grid, const double* x, int filled_rows, int filled_columns,
                          double* re, double* im) {
    iso_fft* f = &grid->along;
    for (int row = 0; row < filled_rows; row += 2 * LANES) {
        memset(f->re, 0, (size_t)f->n * LANES * sizeof(double));
        memset(f->im, 0, (size_t)f->n * LANES * sizeof(double));
        for (int l = 0; l < 2 * LANES && row + l < filled_rows; ++l) {
            const double* from = x + (size_t)(row + l) * (size_t)filled_columns;
            double* to = (l % 2 == 0 ? f->re : f->im) + l / 2;
            for (int c = 0; c < filled_columns; ++c) {
                to[(size_t)c * LANES] = from[c];
            }
        }
        transform(f);
        part_rows(grid, row, filled_rows, re, im);
    }
    transform_columns(grid, re, im, filled_rows, grid->rows, transform);
}

// The transforms of pairs of real rows from their half spectra.
static void join_rows(iso_fft_grid* grid, int row, int last, const double* re, const double* im) {
    iso_fft* f = &grid->along;
    memset(f->re, 0, (size_t)f->n * LANES * sizeof(double));
    memset(f->im, 0, (size_t)f->n * LANES * sizeof(double));
    for (int l = 0; l < LANES && row + 2 * l < last; ++l) {
        size_t a = (size_t)(row + 2 * l) * (size_t)grid->stride;
        size_t b = a + (size_t)grid->stride;
        double has_b = row + 2 * l + 1 < last ? 1.0 : 0.0;
        b = has_b > 0.0 ? b : a;
        for (int k = 0; k <= f->n / 2; ++k) {
            double ar = re[a + (size_t)k], ai = im[a + (size_t)k];
            double br = has_b * re[b + (size_t)k], bi = has_b * im[b + (size_t)k];
            bool is_own = k == 0 || 2 * k == f->n; // real
            size_t at = (size_t)k * LANES + (size_t)l;
            f->re[at] = ar - (is_own ? 0.0 : bi);
            f->im[at] = br + (is_own ? 0.0 : ai);
            if (!is_own) {
                size_t other = (size_t)(f->n - k) * LANES + (size_t)l;
                f->re[other] = ar + bi;
                f->im[other] = br - ai;
            }
        }
    }
}

void iso_fft_grid_inverse(iso_fft_grid* grid, double* re, double* im, int wanted_rows,
                          int wanted_columns, double* x) {
    iso_fft* f = &grid->along;
    double scale = 1.0 / ((double)grid->rows * (double)grid->columns);
    transform_columns(grid, re, im, grid->rows, wanted_rows, transform_back);
    for (int row = 0; row < wanted_rows; row += 2 * LANES) {
        join_rows(grid, row, wanted_rows, re, im);
        transform_back(f);
        for (int l = 0; l < 2 * LANES && row + l < wanted_rows; ++l) {
            double* to = x + (size_t)(row + l) * (size_t)wanted_columns;
            const double* from = (l % 2 == 0 ? f->re : f->im) + l / 2;
            for (int c = 0; c < wanted_columns; ++c) {
                to[c] = scale * from[(size_t)c * LANES];
            }
        }
    }
}
