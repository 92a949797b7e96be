// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/fft.h"
#include "asperity/lab.h"
#include "isobar/math.h"

#include <math.h>
#include <string.h>

/// Of contact moduli [Pa]: beyond them pressures leave the range of doubles.
#define LEAST_MODULUS 1e-100
#define MOST_MODULUS 1e100

// The contact while it is being solved. Of a periodic contact displacements have mean zero.
typedef struct half_space {
    const iso_lab_contact_desc* desc;
    int rows, columns, count;
    double rms;          ///< of the heights [m]
    iso_fft_grid grid;   ///< of the convolution: twice as large where the contact is free
    double* influence;   ///< [rows of grid * stride] half spectrum, real
    double* inverse;     ///< of it, of waves that have any
    double* z;           ///< [count] pressures that would close the gaps, were all points free
    double begin;        ///< pressure of a point that overlaps over its gap
    double *re, *im;     ///< half spectrum of what is convolved
    double *p, *u, *t;   ///< [count] pressures, gaps up to a constant, direction
    double* r;           ///< [count] displacements of the direction
    double mean;         ///< the constant of u [m]
    double step, factor; ///< of the last advance along the direction
    bool is_linear;      ///< it cut off no pressure and began none
} half_space;

// Displacement at (x, y) of a half space with E* under a uniform pressure of 1 over the rectangle
// |x'| <= a, |y'| <= b, times pi E* ([Love1929]; [Johnson1985] eq. 3.25).
static double love(double x, double y, double a, double b) {
    double xp = x + a, xm = x - a, yp = y + b, ym = y - b;
    double pp = hypot(xp, yp), pm = hypot(xp, ym), mp = hypot(xm, yp), mm = hypot(xm, ym);
    return xp * log((yp + pp) / (ym + pm)) + yp * log((xp + pp) / (xm + mp)) +
           xm * log((ym + mm) / (yp + mp)) + ym * log((xm + mm) / (xp + pm));
}

static void fill_periodic(half_space* s) {
    double pitch = s->desc->surface->pitch;
    for (int j = 0; j < s->rows; ++j) {
        double qy = 2.0 * ISO_PI * (2 * j <= s->rows ? j : j - s->rows) / (s->rows * pitch);
        for (int k = 0; k <= s->columns / 2; ++k) {
            double q = hypot(qy, 2.0 * ISO_PI * k / (s->columns * pitch));
            s->influence[(size_t)j * (size_t)s->grid.stride + (size_t)k] =
                q > 0.0 ? 2.0 / (s->desc->modulus * q) : 0.0;
        }
    }
}

// The transform of what a cell does to its neighbours on both sides. Distances are whole cells, so
// none of the logarithms meets a zero.
static iso_status fill_free(iso_context* ctx, half_space* s) {
    int rows = s->grid.rows, columns = s->grid.columns;
    double h = s->desc->surface->pitch, scale = h / (ISO_PI * s->desc->modulus);
    double* x = iso_alloc_array(ctx, rows * columns, sizeof *x);
    ISO_REQUIRE(ctx, x, ISO_ERR_MEMORY, "influence of %d x %d points", rows, columns);
    for (int r = 0; r <= s->rows; ++r) {
        for (int c = 0; c <= s->columns; ++c) {
            double value = scale * love(c, r, 0.5, 0.5);
            int below = (rows - r) % rows, before = (columns - c) % columns;
            x[(size_t)r * (size_t)columns + (size_t)c] = value;
            x[(size_t)below * (size_t)columns + (size_t)c] = value;
            x[(size_t)r * (size_t)columns + (size_t)before] = value;
            x[(size_t)below * (size_t)columns + (size_t)before] = value;
        }
    }
    iso_fft_grid_forward(&s->grid, x, rows, columns, s->influence, s->im);
    iso_free(ctx, x);
    return ISO_OK;
}

// u = influence of p.
static void convolve_with(half_space* s, const double* influence, const double* p, double* u) {
    size_t size = iso_fft_grid_size(&s->grid);
    iso_fft_grid_forward(&s->grid, p, s->rows, s->columns, s->re, s->im);
    for (size_t i = 0; i < size; ++i) {
        s->re[i] *= influence[i];
        s->im[i] *= influence[i];
    }
    iso_fft_grid_inverse(&s->grid, s->re, s->im, s->rows, s->columns, u);
}

static void convolve(half_space* s, const double* p, double* u) {
    convolve_with(s, s->influence, p, u);
}

static void fill_inverse(half_space* s) {
    size_t size = iso_fft_grid_size(&s->grid);
    for (size_t i = 0; i < size; ++i) {
        s->inverse[i] = s->influence[i] > 0.0 ? 1.0 / s->influence[i] : 0.0;
    }
}

static iso_status begin(iso_context* ctx, half_space* s) {
    const iso_lab_surface* surface = s->desc->surface;
    int factor = s->desc->is_free ? 2 : 1;
    s->rows = surface->rows;
    s->columns = surface->columns;
    s->count = s->rows * s->columns;
    iso_status status = iso_fft_grid_make(ctx, factor * s->rows, factor * s->columns, &s->grid);
    if (status != ISO_OK) {
        return status;
    }
    size_t size = iso_fft_grid_size(&s->grid), count = (size_t)s->count;
    s->influence = iso_alloc_zeroed(ctx, (4 * size + 5 * count) * sizeof(double));
    ISO_REQUIRE(ctx, s->influence, ISO_ERR_MEMORY, "contact of %d points", s->count);
    s->re = s->influence + size;
    s->im = s->re + size;
    s->p = s->im + size;
    s->u = s->p + count;
    s->t = s->u + count;
    s->r = s->t + count;
    s->z = s->r + count;
    s->inverse = s->z + count;
    double mean = iso_lab_sum(surface->heights, NULL, s->count) / s->count;
    double square = iso_lab_sum(surface->heights, surface->heights, s->count) / s->count;
    s->rms = sqrt(fmax(square - mean * mean, 0.0));
    ISO_REQUIRE(ctx, s->rms > 0.0, ISO_ERR_RANGE, "the surface is flat, expected a rough one");
    if (s->desc->is_free) {
        status = fill_free(ctx, s);
    } else {
        fill_periodic(s);
    }
    fill_inverse(s);
    return status;
}

static void start(half_space* s, const double* from) {
    double wanted = s->desc->mean_pressure * s->count;
    double sum = from ? iso_lab_sum(from, NULL, s->count) : 0.0;
    for (int i = 0; i < s->count; ++i) {
        s->p[i] = sum > 0.0 ? from[i] * (wanted / sum) : s->desc->mean_pressure;
    }
}

// Heights of a grid of twice the pitch: means of four.
static iso_status coarsen(iso_context* ctx, const iso_lab_surface* fine, iso_lab_surface* out) {
    iso_status status =
        iso_lab_surface_allocate(ctx, fine->rows / 2, fine->columns / 2, 2.0 * fine->pitch, out);
    for (int r = 0; status == ISO_OK && r < out->rows; ++r) {
        const double* z = fine->heights + 2 * (size_t)r * (size_t)fine->columns;
        for (int c = 0; c < out->columns; ++c) {
            out->heights[(size_t)r * (size_t)out->columns + (size_t)c] =
                0.25 *
                (z[2 * c] + z[2 * c + 1] + z[2 * c + fine->columns] + z[2 * c + fine->columns + 1]);
        }
    }
    return status;
}

// The neighbour of a coarse cell on the side of a fine one; at an edge of a free grid itself.
static int neighbour(int fine, int count, bool is_free) {
    int at = fine / 2 + (fine % 2 ? 1 : -1);
    return at >= 0 && at < count ? at : is_free ? fine / 2 : (at + count) % count;
}

// Pressures between those of a grid of twice the pitch.
static void refine(const half_space* s, const double* coarse, double* out) {
    int rows = s->rows / 2, columns = s->columns / 2;
    for (int r = 0; r < s->rows; ++r) {
        const double* a = coarse + (size_t)(r / 2) * (size_t)columns;
        const double* b = coarse + (size_t)neighbour(r, rows, s->desc->is_free) * (size_t)columns;
        for (int c = 0; c < s->columns; ++c) {
            int near = c / 2, far = neighbour(c, columns, s->desc->is_free);
            out[(size_t)r * (size_t)s->columns + (size_t)c] =
                0.75 * (0.75 * a[near] + 0.25 * a[far]) + 0.25 * (0.75 * b[near] + 0.25 * b[far]);
        }
    }
}

// Pressures to start from: those given, or those of a coarser grid roughly, which has fewer points
// to let go of. What a coarser grid cannot tell is left to this one.
static iso_status start_from_coarse(iso_context* ctx, half_space* s) {
    enum { least = 64 }; // points each way
    bool is_coarse = s->rows < least || s->columns < least || s->rows % 2 || s->columns % 2;
    start(s, s->desc->start);
    if (s->desc->start || is_coarse) {
        return ISO_OK;
    }
    iso_lab_contact_desc desc = *s->desc;
    iso_lab_contact contact = {0};
    iso_lab_surface surface;
    iso_status status = coarsen(ctx, s->desc->surface, &surface);
    if (status == ISO_OK) {
        desc.surface = &surface;
        desc.tolerance = fmax(desc.tolerance, 1e-3);
        status = iso_lab_contact_solve(ctx, &desc, &contact);
        if (status == ISO_OK) {
            refine(s, contact.pressures, s->t);
            start(s, s->t);
            memset(s->t, 0, (size_t)s->count * sizeof *s->t);
        }
        iso_lab_contact_free(ctx, &contact);
        iso_lab_surface_free(ctx, &surface);
    }
    return status == ISO_ERR_MEMORY ? status : ISO_OK;
}

// Mean of the values over the points with pressure.
static double mean_touching(half_space* s, const double* values) {
    double count = 0.0, sum = 0.0;
    for (int row = 0; row < s->rows; ++row) {
        const double* p = s->p + (size_t)row * (size_t)s->columns;
        const double* v = values + (size_t)row * (size_t)s->columns;
        double counts[8] = {0}, sums[8] = {0};
        for (int c = 0; c < s->columns; ++c) {
            counts[c & 7] += p[c] > 0.0 ? 1.0 : 0.0;
            sums[c & 7] += p[c] > 0.0 ? v[c] : 0.0;
        }
        for (int l = 0; l < 8; ++l) {
            count += counts[l];
            sum += sums[l];
        }
    }
    return sum / count;
}

// The gaps under the pressures, about their mean where there is pressure.
static void find_gaps(half_space* s) {
    const double* z = s->desc->surface->heights;
    if (s->is_linear) { // displacements are those of before less those of the direction
        for (int i = 0; i < s->count; ++i) {
            s->u[i] = s->factor * (s->u[i] + z[i] + s->mean - s->step * s->r[i]) - z[i];
        }
    } else {
        convolve(s, s->p, s->u);
        for (int i = 0; i < s->count; ++i) {
            s->u[i] -= z[i];
        }
    }
    s->mean = mean_touching(s, s->u);
    for (int i = 0; i < s->count; ++i) {
        s->u[i] -= s->mean;
    }
}

// How far the pressures are from complementing the gaps.
static double find_error(const half_space* s) {
    double least = s->u[0];
    for (int i = 0; i < s->count; ++i) {
        least = s->u[i] < least ? s->u[i] : least;
    }
    double work = iso_lab_sum(s->p, s->u, s->count);
    double load = iso_lab_sum(s->p, NULL, s->count);
    return (work / load - least) / s->rms;
}

// The gaps under pressure by the inverse of the whole grid, again where there is pressure.
static void precondition(half_space* s) {
    for (int i = 0; i < s->count; ++i) {
        s->r[i] = s->p[i] > 0.0 ? s->u[i] : 0.0;
    }
    convolve_with(s, s->inverse, s->r, s->z);
    double mean = mean_touching(s, s->z);
    for (int i = 0; i < s->count; ++i) {
        s->z[i] = s->p[i] > 0.0 ? s->z[i] - mean : 0.0;
    }
    double square = iso_lab_sum(s->r, s->r, s->count);
    s->begin = square > 0.0 ? iso_lab_sum(s->r, s->z, s->count) / square : 0.0;
}

// New direction over the points with pressure; returns the product of gaps and what they become.
static double turn(half_space* s, double keep, double before) {
    precondition(s);
    double product = iso_lab_sum(s->u, s->z, s->count);
    double factor = before > 0.0 ? keep * product / before : 0.0;
    for (int i = 0; i < s->count; ++i) {
        s->t[i] = s->p[i] > 0.0 ? s->z[i] + factor * s->t[i] : 0.0;
    }
    return product;
}

// How far along the direction is best; 0 where there is none.
static double find_step(half_space* s) {
    convolve(s, s->t, s->r);
    double mean = mean_touching(s, s->r);
    double work = iso_lab_sum(s->u, s->t, s->count);
    double curve = iso_lab_sum(s->r, s->t, s->count) - mean * iso_lab_sum(s->t, NULL, s->count);
    return curve > 0.0 ? work / curve : 0.0;
}

// The same for the points that overlap without pressure, where all gaps under pressure are even
// and so give no direction: one point alone is.
static double find_step_of_overlap(half_space* s) {
    for (int i = 0; i < s->count; ++i) {
        s->t[i] = s->p[i] > 0.0 ? 0.0 : fmin(s->u[i], 0.0);
    }
    convolve(s, s->t, s->r);
    double curve = iso_lab_sum(s->r, s->t, s->count);
    double work = iso_lab_sum(s->t, s->t, s->count);
    memset(s->t, 0, (size_t)s->count * sizeof *s->t);
    return curve > 0.0 ? work / curve : 0.0;
}

// Along the direction as far as is best, then back to pressures >= 0 of the wanted load.
static void advance(half_space* s) {
    double along = find_step(s), step = along > 0.0 ? along : find_step_of_overlap(s);
    s->is_linear = along > 0.0;
    for (int i = 0; i < s->count; ++i) {
        bool is_in = s->p[i] > 0.0;
        double p = is_in ? s->p[i] - step * s->t[i] : 0.0;
        bool is_left = is_in && !(p > 0.0);
        p = p > 0.0 ? p : 0.0;
        if (p == 0.0 && s->u[i] < 0.0) { // overlap without pressure
            p = -step * (along > 0.0 ? s->begin : 1.0) * s->u[i];
            is_left = true;
        }
        s->is_linear = s->is_linear && !is_left;
        s->p[i] = p;
    }
    double sum = iso_lab_sum(s->p, NULL, s->count);
    s->step = step;
    s->factor = s->desc->mean_pressure * s->count / sum;
    for (int i = 0; i < s->count; ++i) {
        s->p[i] *= s->factor;
    }
}

static void report(half_space* s, iso_lab_contact* out) {
    double least = s->u[0];
    for (int i = 0; i < s->count; ++i) {
        least = s->p[i] > 0.0 && (out->contact_count == 0 || s->u[i] < least) ? s->u[i] : least;
        out->contact_count += s->p[i] > 0.0;
        out->max_pressure = fmax(out->max_pressure, s->p[i]);
    }
    // Where there is pressure the gap is zero; elsewhere it is counted from there.
    for (int i = 0; i < s->count; ++i) {
        out->pressures[i] = s->p[i];
        out->gaps[i] = s->p[i] > 0.0 ? 0.0 : fmax(s->u[i], 0.0);
    }
    out->contact_share = (double)out->contact_count / s->count;
    out->mean_gap = iso_lab_sum(out->gaps, NULL, s->count) / s->count;
    out->approach = s->mean;
    // u + heights is the displacement; the constant does no work of a periodic contact.
    double work = iso_lab_sum(s->p, s->u, s->count);
    work += iso_lab_sum(s->p, s->desc->surface->heights, s->count);
    work += s->mean * iso_lab_sum(s->p, NULL, s->count);
    out->energy = 0.5 * work / s->count;
}

static iso_status iterate(iso_context* ctx, half_space* s, iso_lab_contact* out) {
    double before = 0.0, least = INFINITY;
    iso_status status = start_from_coarse(ctx, s);
    if (status != ISO_OK) {
        return status;
    }
    for (int i = 0;; ++i) {
        find_gaps(s);
        out->error = find_error(s);
        if (s->is_linear && out->error <= s->desc->tolerance) { // not by rounding that has added up
            s->is_linear = false;
            find_gaps(s);
            out->error = find_error(s);
        }
        out->iterations = i;
        ISO_REQUIRE(ctx, isfinite(out->error), ISO_ERR_NUMERIC,
                    "the contact's error is %g after %d iterations", out->error, i);
        if (out->error <= s->desc->tolerance) {
            break;
        }
        ISO_REQUIRE(ctx, i < s->desc->max_iterations, ISO_ERR_NO_CONVERGENCE,
                    "the contact's error is %.3g after %d iterations, expected at most %g",
                    out->error, i, s->desc->tolerance);
        // Points that come in keep the direction: to begin anew with each of them is steepest
        // descent.
        least = fmin(least, out->error);
        before = turn(s, out->error < 10.0 * least ? 1.0 : 0.0, before);
        advance(s);
    }
    report(s, out);
    return ISO_OK;
}

static iso_status check(iso_context* ctx, const iso_lab_contact_desc* d) {
    ISO_REQUIRE(ctx, d->surface && d->surface->heights, ISO_ERR_ARGUMENT,
                "a surface with heights is required");
    ISO_REQUIRE(ctx, d->surface->rows >= 4 && d->surface->columns >= 4, ISO_ERR_RANGE,
                "the grid has %d rows and %d columns, expected at least 4 of each: a profile has "
                "no contact area",
                d->surface->rows, d->surface->columns);
    ISO_REQUIRE(ctx, d->modulus >= LEAST_MODULUS && d->modulus <= MOST_MODULUS, ISO_ERR_RANGE,
                "the contact modulus is %g Pa, expected in [%g, %g]", d->modulus, LEAST_MODULUS,
                MOST_MODULUS);
    ISO_REQUIRE(ctx, isfinite(d->mean_pressure) && d->mean_pressure > 0.0, ISO_ERR_RANGE,
                "the mean pressure is %g Pa, expected finite and > 0", d->mean_pressure);
    ISO_REQUIRE(ctx, d->tolerance >= 1e-14 && d->tolerance <= 0.1, ISO_ERR_RANGE,
                "the tolerance is %g, expected in [1e-14, 0.1]", d->tolerance);
    ISO_REQUIRE(ctx, d->max_iterations > 0, ISO_ERR_RANGE,
                "at most %d iterations are allowed, expected > 0", d->max_iterations);
    for (int i = 0; i < d->surface->rows * d->surface->columns; ++i) {
        ISO_REQUIRE(ctx, isfinite(d->surface->heights[i]), ISO_ERR_RANGE,
                    "height %d of row %d is %g, expected finite", i % d->surface->columns,
                    i / d->surface->columns, d->surface->heights[i]);
    }
    return ISO_OK;
}

iso_lab_contact_desc iso_lab_contact_desc_default(void) {
    return (iso_lab_contact_desc){.tolerance = 1e-8, .max_iterations = 2000};
}

iso_status iso_lab_contact_solve(iso_context* ctx, const iso_lab_contact_desc* desc,
                                 iso_lab_contact* out_contact) {
    ISO_REQUIRE(ctx, desc && out_contact, ISO_ERR_ARGUMENT, "desc and out_contact are required");
    *out_contact = (iso_lab_contact){0};
    half_space s = {.desc = desc};
    iso_status status = ISO_OK;
    ISO_TRY(check(ctx, desc));
    ISO_TRY(begin(ctx, &s));
    out_contact->pressures = iso_alloc_array(ctx, 2 * s.count, sizeof(double));
    ISO_CHECK(ctx, out_contact->pressures, ISO_ERR_MEMORY, "pressures of %d points", s.count);
    out_contact->gaps = out_contact->pressures + s.count;
    ISO_TRY(iterate(ctx, &s, out_contact));

done:
    iso_fft_grid_free(ctx, &s.grid);
    iso_free(ctx, s.influence);
    if (status != ISO_OK) {
        iso_lab_contact_free(ctx, out_contact);
    }
    return status;
}

void iso_lab_contact_free(iso_context* ctx, iso_lab_contact* contact) {
    iso_free(ctx, contact->pressures);
    *contact = (iso_lab_contact){0};
}
