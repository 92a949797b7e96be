// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/stages/method.h"

#include "integrator/ode.h"
#include "stepper/stages/stages.h"

static const iso_method_row rows[] = {
    [ISO_METHOD_LAGGED] = {.step = iso_stepper_step_convex,
                           .law = ISO_DISCRETE_LAGGED,
                           .order = 1,
                           .may_stick = true},
    [ISO_METHOD_SAP] = {.step = iso_stepper_step_convex, .law = ISO_DISCRETE_SAP, .order = 1},
    [ISO_METHOD_SIMILAR] = {.step = iso_stepper_step_convex,
                            .law = ISO_DISCRETE_SIMILAR,
                            .order = 1},
    [ISO_METHOD_TAMSI] = {.step = iso_stepper_step_tamsi, .law = ISO_DISCRETE_TAMSI, .order = 1},
    [ISO_METHOD_MIDPOINT] = {.step = iso_stepper_step_convex,
                             .law = ISO_DISCRETE_LAGGED,
                             .order = 2,
                             .may_stick = true,
                             .takes_the_middle = true},
    [ISO_METHOD_RK4] = {.step = iso_stepper_integrate, .table = &iso_rk_table_rk4},
    [ISO_METHOD_RK23] = {.step = iso_stepper_integrate, .table = &iso_rk_table_rk23},
    [ISO_METHOD_RK45] = {.step = iso_stepper_integrate, .table = &iso_rk_table_rk45},
    [ISO_METHOD_RADAU] = {.step = iso_stepper_integrate,
                          .table = &iso_rk_table_rk45,
                          .ode = "radau"},
    [ISO_METHOD_CVODE] = {.step = iso_stepper_integrate,
                          .table = &iso_rk_table_rk45,
                          .ode = "cvode"},
};

const iso_method_row* iso_method_row_of(iso_method method) {
    int index = (int)method, count = (int)(sizeof rows / sizeof *rows);
    return index >= 0 && index < count ? &rows[index] : NULL;
}

bool iso_stepper_has_method(iso_method method) {
    const iso_method_row* row = iso_method_row_of(method);
    return row && (!row->ode || iso_ode_find_method(row->ode) != NULL);
}

bool iso_stepper_is_velocity_level(iso_method method) {
    const iso_method_row* row = iso_method_row_of(method);
    return row && !row->table;
}

bool iso_method_is_adaptive(iso_method method) {
    const iso_method_row* row = iso_method_row_of(method);
    return row && row->table && row->table->embedded_order > 0;
}

bool iso_method_takes_the_middle(iso_method method) {
    const iso_method_row* row = iso_method_row_of(method);
    return row && row->takes_the_middle;
}

bool iso_method_may_stick(iso_method method) {
    const iso_method_row* row = iso_method_row_of(method);
    return row && row->may_stick;
}

bool iso_method_has_adhesion(iso_method method) {
    const iso_method_row* row = iso_method_row_of(method);
    bool is_convex = row && !row->table;
    return !is_convex || row->law == ISO_DISCRETE_LAGGED || row->law == ISO_DISCRETE_TAMSI;
}
