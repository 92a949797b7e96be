// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/barrier.h"
#include "asperity/contact/parallel.h"
#include "asperity/contact/system.h"
#include "math/eigen.h"

#include <string.h>

iso_status iso_elastic_system_begin(iso_elastic_system* s, double step) {
    const iso_elastic* e = s->e;
    int block = e->dimension * (e->dimension + 1);
    s->step = step;
    memcpy(s->begin, s->x, (size_t)s->size * sizeof(double));
    for (int i = 0; i < s->size; ++i) {
        s->ahead[i] = s->x[i] + step * s->v[i];
    }
    for (int k = 0; s->blocks && k < e->element_count; ++k) {
        double* b = s->blocks + (size_t)k * (size_t)(block * block);
        iso_elastic_element_hessian(e, k, s->x, true, b);
        for (int i = 0; i < block * block; ++i) {
            b[i] *= e->damping[k] / step;
        }
    }
    return ISO_OK;
}

iso_status iso_elastic_system_lag(iso_elastic_system* s, const double* x) {
    double reach = s->law.reach * s->law.reach;
    s->lagged.count = 0;
    for (int i = 0; s->law.friction > 0.0 && i < s->skin.pairs.count; ++i) {
        const iso_pair* pair = &s->skin.pairs.data[i];
        iso_gap gap = iso_gap_measure(s->e->dimension, pair, x);
        if (gap.squared >= reach) {
            continue;
        }
        iso_status status = ISO_ARRAY_GROW(s->ctx, &s->lagged);
        if (status != ISO_OK) {
            return status;
        }
        iso_lagged_pair* lag = &s->lagged.data[s->lagged.count++];
        double distance = sqrt(gap.squared);
        *lag = (iso_lagged_pair){.pair = *pair};
        lag->limit = -s->law.friction * s->law.stiffness * 2.0 * distance *
                     iso_barrier_slope(gap.squared, reach) *
                     iso_parallel_measure(pair, s->e->rest, x).factor;
        for (int k = 0; k < gap.count; ++k) {
            lag->weights[k] = gap.weights[k];
        }
        for (int a = 0; a < s->e->dimension; ++a) {
            lag->normal[a] = gap.way[a] / distance;
        }
    }
    return ISO_OK;
}

// Slip of a lagged pair since the step began, and its length.
static double slip_of(const iso_elastic_system* s, const iso_lagged_pair* lag, const double* x,
                      double slip[3]) {
    int d = s->e->dimension, count = iso_gap_count(lag->pair.kind);
    double along = 0.0, sum = 0.0;
    for (int a = 0; a < d; ++a) {
        slip[a] = 0.0;
        for (int k = 0; k < count; ++k) {
            int i = lag->pair.vertices[k] * d + a;
            slip[a] += lag->weights[k] * (x[i] - s->begin[i]);
        }
        along += slip[a] * lag->normal[a];
    }
    for (int a = 0; a < d; ++a) {
        slip[a] -= along * lag->normal[a];
        sum += slip[a] * slip[a];
    }
    return sqrt(sum);
}

// s->damped = C (x - begin) / step of stiffness damping
static void damp(iso_elastic_system* s, const double* x) {
    const iso_elastic* e = s->e;
    int d = e->dimension, size = d * (d + 1);
    memset(s->damped, 0, (size_t)s->size * sizeof(double));
    for (int k = 0; s->blocks && k < e->element_count; ++k) {
        const int* v = e->elements + k * (d + 1);
        const double* b = s->blocks + (size_t)k * (size_t)(size * size);
        double moved[12];
        for (int i = 0; i < size; ++i) {
            moved[i] = x[v[i / d] * d + i % d] - s->begin[v[i / d] * d + i % d];
        }
        for (int i = 0; i < size; ++i) {
            double sum = 0.0;
            for (int j = 0; j < size; ++j) {
                sum += b[i * size + j] * moved[j];
            }
            s->damped[v[i / d] * d + i % d] += sum;
        }
    }
}

// What acts on each vertex by itself: inertia, drag and damping, springs, pushes.
static void add_own_value(iso_elastic_system* s, const double* x, double* total) {
    double h = s->step;
    damp(s, x);
    for (int i = 0; i < s->size; ++i) {
        int v = i / s->e->dimension;
        double off = x[i] - s->ahead[i], moved = x[i] - s->begin[i], pull = x[i] - s->spring_end[i];
        double kept = 0.5 * s->e->masses[v] / (h * h) * off * off +
                      0.5 * (s->e->drag[v] / h * moved + s->damped[i]) * moved +
                      0.5 * s->spring[i] * pull * pull;
        double pushed = s->push[i] * moved;
        *total += kept - pushed;
        s->parts += fabs(kept) + fabs(pushed);
    }
}

double iso_elastic_system_value(iso_elastic_system* s, const double* x) {
    int d = s->e->dimension;
    double total = iso_elastic_energy(s->e, x), reach = s->law.reach * s->law.reach;
    if (!isfinite(total)) {
        return INFINITY;
    }
    for (int i = 0; i < 2; ++i) {
        double tilt = iso_guide_tilt(s, &s->guides[i], x);
        total += 0.5 * s->guides[i].stiffness * tilt * tilt;
    }
    s->parts = total;
    add_own_value(s, x, &total);
    for (int i = 0; i < s->skin.pairs.count; ++i) {
        const iso_pair* pair = &s->skin.pairs.data[i];
        double squared = iso_gap_measure(d, pair, x).squared;
        if (squared < reach) {
            double factor = iso_parallel_measure(pair, s->e->rest, x).factor;
            double value =
                squared > 0.0 ? factor * s->law.stiffness * iso_barrier(squared, reach) : INFINITY;
            total += value;
            s->parts += value;
        }
    }
    for (int i = 0; i < s->lagged.count; ++i) {
        double slip[3], length = slip_of(s, &s->lagged.data[i], x, slip);
        double value = s->lagged.data[i].limit * iso_slip_work(length, s->law.slip_speed * s->step);
        total += value;
        s->parts += value;
    }
    return total;
}

static void add_barrier_gradient(const iso_elastic_system* s, const double* x, double* out) {
    int d = s->e->dimension;
    double reach = s->law.reach * s->law.reach;
    for (int i = 0; i < s->skin.pairs.count; ++i) {
        const iso_pair* pair = &s->skin.pairs.data[i];
        iso_gap gap = iso_gap_measure(d, pair, x);
        if (gap.squared >= reach) {
            continue;
        }
        iso_parallel parallel = iso_parallel_measure(pair, s->e->rest, x);
        double turn[12] = {0}, bend[144];
        double scale =
            2.0 * parallel.factor * s->law.stiffness * iso_barrier_slope(gap.squared, reach);
        double on_turn = parallel.slope * s->law.stiffness * iso_barrier(gap.squared, reach);
        if (parallel.slope > 0.0) {
            iso_parallel_derivatives(pair, x, turn, bend);
        }
        for (int k = 0; k < gap.count * d; ++k) {
            out[pair->vertices[k / d] * d + k % d] +=
                scale * gap.weights[k / d] * gap.way[k % d] + on_turn * turn[k];
        }
    }
}

static void add_friction_gradient(const iso_elastic_system* s, const double* x, double* out) {
    int d = s->e->dimension;
    for (int i = 0; i < s->lagged.count; ++i) {
        const iso_lagged_pair* lag = &s->lagged.data[i];
        double slip[3], length = slip_of(s, lag, x, slip);
        double scale = lag->limit * iso_slip_share_over(length, s->law.slip_speed * s->step);
        for (int k = 0; k < iso_gap_count(lag->pair.kind) * d; ++k) {
            out[lag->pair.vertices[k / d] * d + k % d] += scale * lag->weights[k / d] * slip[k % d];
        }
    }
}

void iso_elastic_system_contact_gradient(const iso_elastic_system* s, const double* x,
                                         bool of_friction, double* out) {
    memset(out, 0, (size_t)s->size * sizeof *out);
    if (of_friction) {
        add_friction_gradient(s, x, out);
    } else {
        add_barrier_gradient(s, x, out);
    }
}

void iso_elastic_system_gradient(iso_elastic_system* s, const double* x, double* out) {
    int d = s->e->dimension;
    double h = s->step;
    memset(out, 0, (size_t)s->size * sizeof *out);
    iso_elastic_add_forces(s->e, x, out);
    damp(s, x);
    for (int i = 0; i < s->size; ++i) {
        double moved = x[i] - s->begin[i];
        out[i] = -out[i] + s->e->masses[i / d] / (h * h) * (x[i] - s->ahead[i]) +
                 s->e->drag[i / d] / h * moved + s->damped[i] +
                 s->spring[i] * (x[i] - s->spring_end[i]) - s->push[i];
    }
    for (int i = 0; i < 2; ++i) {
        const iso_guide* guide = &s->guides[i];
        iso_guide_add(s, guide, guide->stiffness * iso_guide_tilt(s, guide, x), out);
    }
    add_barrier_gradient(s, x, out);
    add_friction_gradient(s, x, out);
    for (int i = 0; i < s->size; ++i) {
        out[i] = s->fixed[i] ? 0.0 : out[i];
    }
}

// Negative eigenvalues of a symmetric matrix become zero.
static void lift(double* h, int n) {
    double a[144], vectors[144];
    memcpy(a, h, (size_t)(n * n) * sizeof *h);
    iso_symmetric_eigen(a, n, vectors);
    for (int k = 0; k < n; ++k) {
        for (int i = 0; a[k * n + k] < 0.0 && i < n * n; ++i) {
            h[i] -= a[k * n + k] * vectors[i / n * n + k] * vectors[i % n * n + k];
        }
    }
}

// Second derivatives of factor times barrier, from those of the barrier h and its slope, where
// edges are nearly parallel.
static void add_parallel_hessian(const iso_pair* pair, iso_parallel parallel, const double* x,
                                 double value, const double* slope, double* h) {
    double turn[12], bend[144];
    iso_parallel_derivatives(pair, x, turn, bend);
    for (int k = 0; k < 144; ++k) {
        int r = k / 12, c = k % 12;
        h[k] = parallel.factor * h[k] + parallel.slope * (turn[r] * slope[c] + slope[r] * turn[c]) +
               value * (parallel.curvature * turn[r] * turn[c] + parallel.slope * bend[k]);
    }
}

static iso_status add_barrier_hessian(iso_elastic_system* s, const double* x, bool project) {
    int d = s->e->dimension;
    double reach = s->law.reach * s->law.reach;
    for (int i = 0; i < s->skin.pairs.count; ++i) {
        const iso_pair* pair = &s->skin.pairs.data[i];
        iso_gap gap = iso_gap_measure(d, pair, x);
        if (gap.squared >= reach) {
            continue;
        }
        int n = gap.count * d;
        double slope[12], *h = iso_sparse_add(&s->sparse, pair->vertices, gap.count);
        if (h == NULL) {
            return ISO_ERR_MEMORY;
        }
        double first = s->law.stiffness * iso_barrier_slope(gap.squared, reach);
        double second = s->law.stiffness * iso_barrier_curvature(gap.squared, reach);
        iso_gap_slope(d, &gap, slope);
        iso_gap_curvature(d, pair, &gap, x, h);
        for (int k = 0; k < n * n; ++k) {
            h[k] = first * h[k] + second * slope[k / n] * slope[k % n];
        }
        iso_parallel parallel = iso_parallel_measure(pair, s->e->rest, x);
        if (parallel.slope > 0.0) {
            for (int k = 0; k < n; ++k) {
                slope[k] *= first;
            }
            double value = s->law.stiffness * iso_barrier(gap.squared, reach);
            add_parallel_hessian(pair, parallel, x, value, slope, h);
        }
        if (project) {
            lift(h, n);
        }
    }
    return ISO_OK;
}

// limit [share/y (P - t t^T) + slope of share t t^T] with P = I - n n^T and t along the slip: no
// negative eigenvalue.
static iso_status add_friction_hessian(iso_elastic_system* s, const double* x) {
    int d = s->e->dimension;
    double e = s->law.slip_speed * s->step;
    for (int i = 0; i < s->lagged.count; ++i) {
        const iso_lagged_pair* lag = &s->lagged.data[i];
        int count = iso_gap_count(lag->pair.kind), n = count * d;
        double slip[3], length = slip_of(s, lag, x, slip), inner[3][3];
        double across = iso_slip_share_over(length, e), along = iso_slip_share_slope(length, e);
        double* h = iso_sparse_add(&s->sparse, lag->pair.vertices, count);
        if (h == NULL) {
            return ISO_ERR_MEMORY;
        }
        for (int a = 0; a < d; ++a) {
            for (int b = 0; b < d; ++b) {
                double t = length > 0.0 ? slip[a] * slip[b] / (length * length) : 0.0;
                inner[a][b] = lag->limit *
                              (across * ((a == b ? 1.0 : 0.0) - lag->normal[a] * lag->normal[b]) +
                               (along - across) * t);
            }
        }
        for (int k = 0; k < n * n; ++k) {
            int r = k / n, c = k % n;
            h[k] = lag->weights[r / d] * lag->weights[c / d] * inner[r % d][c % d];
        }
    }
    return ISO_OK;
}

static iso_status add_own_hessian(iso_elastic_system* s) {
    const iso_elastic* e = s->e;
    int d = e->dimension;
    for (int v = 0; v < e->vertex_count; ++v) {
        double* h = iso_sparse_add(&s->sparse, &v, 1);
        if (h == NULL) {
            return ISO_ERR_MEMORY;
        }
        for (int i = 0; i < d * d; ++i) {
            h[i] = i % (d + 1) != 0 ? 0.0
                                    : e->masses[v] / (s->step * s->step) + e->drag[v] / s->step +
                                          s->spring[v * d + i / d];
        }
    }
    for (int k = 0; k < 2; ++k) {
        const iso_guide* guide = &s->guides[k];
        int count = guide->count, size = count * d;
        double* h = count > 0 ? iso_sparse_add(&s->sparse, guide->vertices, count) : NULL;
        for (int i = 0; h && i < size * size; ++i) {
            bool is_height = i / size % d == d - 1 && i % size % d == d - 1;
            h[i] = is_height ? guide->stiffness * guide->levers[i / size / d] *
                                   guide->levers[i % size / d]
                             : 0.0;
        }
        if (count > 0 && h == NULL) {
            return ISO_ERR_MEMORY;
        }
    }
    return ISO_OK;
}

/// Elements of an item of work.
#define CHUNK 64

typedef struct element_work {
    const iso_elastic_system* s;
    const double* x;
    double* blocks; ///< those of the elements, one after the other
    bool project;
} element_work;

// Second derivatives of some elements, each into its own block.
static void fill_elements(void* user, int item, int worker) {
    const element_work* work = user;
    const iso_elastic* e = work->s->e;
    size_t size = (size_t)(e->dimension * (e->dimension + 1)), square = size * size;
    int end = (item + 1) * CHUNK < e->element_count ? (item + 1) * CHUNK : e->element_count;
    (void)worker;
    for (int k = item * CHUNK; k < end; ++k) {
        double* h = work->blocks + (size_t)k * square;
        iso_elastic_element_hessian(e, k, work->x, work->project, h);
        for (size_t i = 0; work->s->blocks && i < square; ++i) {
            h[i] += work->s->blocks[(size_t)k * square + i];
        }
    }
}

iso_status iso_elastic_system_hessian(iso_elastic_system* s, const double* x, bool project) {
    const iso_elastic* e = s->e;
    int d = e->dimension, items = (e->element_count + CHUNK - 1) / CHUNK;
    iso_sparse_begin(&s->sparse, d, e->vertex_count);
    s->sparse.base_count = e->element_count;
    for (int k = 0; k < e->element_count; ++k) {
        if (iso_sparse_add(&s->sparse, e->elements + k * (d + 1), d + 1) == NULL) {
            return ISO_ERR_MEMORY;
        }
    }
    element_work work = {s, x, s->sparse.values.data, project};
    if (s->sparse.pool != NULL) {
        iso_task_pool_run(s->sparse.pool, items, fill_elements, &work);
    } else {
        for (int i = 0; i < items; ++i) {
            fill_elements(&work, i, 0);
        }
    }
    iso_status status = add_own_hessian(s);
    status = status == ISO_OK ? add_barrier_hessian(s, x, project) : status;
    return status == ISO_OK ? add_friction_hessian(s, x) : status;
}
