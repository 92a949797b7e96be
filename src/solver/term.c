// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/term.h"

#include "solver/tile.h"

#include <string.h>

void iso_term_init(iso_newton_term* term, const iso_convex_problem* problem, int potential) {
    const iso_potential* p = &problem->potentials[potential];
    const iso_inner* inner = problem->inners ? &problem->inners[potential] : NULL;
    iso_block_view diagonal_a = term->diagonal_a, diagonal_b = term->diagonal_b;
    iso_block_view coupling = term->coupling;
    *term = (iso_newton_term){.potential = p,
                              .inner = inner && inner->ops ? inner : NULL,
                              .rows = p->rows,
                              .first_a = problem->v_index[p->tree_a],
                              .diagonal_a = diagonal_a,
                              .diagonal_b = diagonal_b,
                              .coupling = coupling};
    term->dofs_a = problem->v_index[p->tree_a + 1] - term->first_a;
    if (p->tree_b >= 0) {
        term->first_b = problem->v_index[p->tree_b];
        term->dofs_b = problem->v_index[p->tree_b + 1] - term->first_b;
    }
    if (p->rows == 6 && p->jacobian_a && term->dofs_a == 6) {
        term->shift_a = iso_shift_find(p->jacobian_a);
    }
    if (p->rows == 6 && term->dofs_b == 6) {
        term->shift_b = iso_shift_find(p->jacobian_b);
    }
    term->is_shift = term->shift_a.sign != 0.0 && (term->dofs_b == 0 || term->shift_b.sign != 0.0);
}

void iso_term_velocity(const iso_newton_term* term, const double* v, double* out_u) {
    const iso_potential* p = term->potential;
    if (!p->jacobian_a) {
        out_u[0] = v[p->dof];
        return;
    }
    for (int i = 0; i < ISO_POTENTIAL_MAX_ROWS; ++i) {
        out_u[i] = 0.0;
    }
    if (term->is_shift) {
        iso_shift_add_jx(&term->shift_a, v + term->first_a, out_u);
    } else {
        iso_tiles_add_ax(out_u, p->jacobian_a, v + term->first_a, term->rows, term->dofs_a);
    }
    if (term->dofs_b > 0 && term->is_shift) {
        iso_shift_add_jx(&term->shift_b, v + term->first_b, out_u);
    } else if (term->dofs_b > 0) {
        iso_tiles_add_ax(out_u, p->jacobian_b, v + term->first_b, term->rows, term->dofs_b);
    }
}

void iso_term_add_transposed(const iso_newton_term* term, double scale, const double* f,
                             double* out) {
    const iso_potential* p = term->potential;
    if (term->is_shift) {
        iso_shift_add_jtf(&term->shift_a, scale, f, out + term->first_a);
        if (term->dofs_b > 0) {
            iso_shift_add_jtf(&term->shift_b, scale, f, out + term->first_b);
        }
        return;
    }
    if (!p->jacobian_a) {
        out[p->dof] += scale * f[0];
        return;
    }
    iso_tiles_add_atx(out + term->first_a, scale, p->jacobian_a, f, term->rows, term->dofs_a);
    if (term->dofs_b > 0) {
        iso_tiles_add_atx(out + term->first_b, scale, p->jacobian_b, f, term->rows, term->dofs_b);
    }
}

static void add_shifted(const iso_newton_term* term) {
    const double* h = term->hessian;
    double block[ISO_SHIFT_BLOCK], other[ISO_SHIFT_BLOCK], both[ISO_SHIFT_BLOCK];
    const iso_shift *j_a = &term->shift_a, *j_b = &term->shift_b;
    const iso_block_view *aa = &term->diagonal_a, *bb = &term->diagonal_b, *ab = &term->coupling;
    iso_shifted a = iso_shift_hessian(j_a, h);
    iso_shift_write(h, j_a, &a, &a, block);
    if (term->dofs_b == 0) {
        iso_shift_add(block, 1.0, aa->values, aa->stride);
        return;
    }
    // All is written before any is read again, which would wait for it.
    iso_shifted b = iso_shift_hessian(j_b, h);
    iso_shift_write(h, j_b, &b, &b, other);
    if (ab->is_transposed) {
        iso_shift_write(h, j_b, &b, &a, both);
    } else {
        iso_shift_write(h, j_a, &a, &b, both);
    }
    iso_shift_add(block, 1.0, aa->values, aa->stride);
    iso_shift_add(other, 1.0, bb->values, bb->stride);
    iso_shift_add(both, j_a->sign * j_b->sign, ab->values, ab->stride);
}

// -H J of one potential; its Hessian is symmetric.
static void multiply_hessian(const iso_newton_term* term, const double* jacobian, int dofs,
                             double* out) {
    memset(out, 0, (size_t)(term->rows * dofs) * sizeof *out);
    iso_tiles_subtract_atb(out, dofs, term->hessian, term->rows, jacobian, dofs, term->rows,
                           term->rows, dofs);
}

static void add_dense(const iso_newton_term* term, double* product) {
    const iso_potential* p = term->potential;
    int rows = term->rows, dofs_a = term->dofs_a, dofs_b = term->dofs_b;
    const iso_block_view *aa = &term->diagonal_a, *bb = &term->diagonal_b, *ab = &term->coupling;
    double* h_ja = product; // -H J_a
    multiply_hessian(term, p->jacobian_a, dofs_a, h_ja);
    iso_tiles_subtract_atb_upper(aa->values, aa->stride, p->jacobian_a, dofs_a, h_ja, dofs_a, rows,
                                 dofs_a);
    if (dofs_b == 0) {
        return;
    }
    double* h_jb = product + rows * dofs_a; // -H J_b
    multiply_hessian(term, p->jacobian_b, dofs_b, h_jb);
    iso_tiles_subtract_atb_upper(bb->values, bb->stride, p->jacobian_b, dofs_b, h_jb, dofs_b, rows,
                                 dofs_b);
    if (ab->is_transposed) {
        iso_tiles_subtract_atb(ab->values, ab->stride, p->jacobian_b, dofs_b, h_ja, dofs_a, dofs_b,
                               rows, dofs_a);
    } else {
        iso_tiles_subtract_atb(ab->values, ab->stride, p->jacobian_a, dofs_a, h_jb, dofs_b, dofs_a,
                               rows, dofs_b);
    }
}

void iso_term_add_hessian(const iso_newton_term* term, double* product) {
    double trace = 0.0;
    for (int i = 0; i < term->rows; ++i) {
        trace += term->hessian[i * (term->rows + 1)];
    }
    if (trace == 0.0) {
        return; // positive semidefinite, hence zero
    }
    if (!term->potential->jacobian_a) {
        int d = term->potential->dof - term->first_a;
        term->diagonal_a.values[d * (term->diagonal_a.stride + 1)] += term->hessian[0];
    } else if (term->is_shift) {
        add_shifted(term);
    } else {
        add_dense(term, product);
    }
}
