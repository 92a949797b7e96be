// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/impulse.h"

#include <string.h>

iso_encounter iso_impulse_meet(const iso_impulse_law* law, double velocity, double distance,
                               double inverse_mass, double step) {
    double way = velocity * step, h = law->least, mass = 1.0 / inverse_mass;
    double from = distance < h ? distance : distance - h, to = from + way;
    bool is_killed = velocity < 0.0 && (distance + way < h || !(to > 0.0));
    double work = to > 0.0 && from > 0.0 ? law->stiffness * way / (from * to) : 0.0;
    double square = velocity * velocity + 2.0 * work * inverse_mass;
    if (is_killed || square < 0.0) { // more work than there is energy
        return (iso_encounter){-velocity * mass, true};
    }
    return (iso_encounter){mass * (copysign(sqrt(square), velocity) - velocity), false};
}

// How an impulse on the edge moves its ends, each as a share per unit of mass.
static double shares_of(const iso_impulse_law* law, const double inverse[2], double at,
                        double out[2]) {
    if (!law->keep_printed) { // J M^-1 of the foot: keeps momentum and energy
        out[0] = (1.0 - at) * inverse[0];
        out[1] = at * inverse[1];
        return (1.0 - at) * out[0] + at * out[1];
    }
    double edge = (1.0 - at) * inverse[0] + at * inverse[1]; // (3.43), (3.49)
    out[0] = at >= 0.5 || inverse[0] == 0.0 ? 0.0 : edge / (1.0 - at);
    out[1] = at >= 0.5 && inverse[1] > 0.0 ? edge / at : 0.0;
    return edge;
}

static double inverse_mass(const iso_elastic_system* s, int vertex) {
    return s->fixed[2 * vertex] ? 0.0 : 1.0 / s->e->masses[vertex];
}

static void meet(iso_elastic_system* s, const iso_impulse_law* law, const iso_pair* pair,
                 double step, iso_explicit_report* report) {
    iso_gap gap = iso_gap_measure(2, pair, s->x);
    double distance = sqrt(gap.squared), shares[2], velocity = 0.0;
    const int* v = pair->vertices;
    if (!(distance > 0.0) || distance >= law->reach) {
        return;
    }
    double normal[2] = {gap.way[0] / distance, gap.way[1] / distance};
    double inverse[2] = {inverse_mass(s, v[0]), inverse_mass(s, v[1])};
    double of_point = inverse_mass(s, v[2]);
    double total = of_point + shares_of(law, inverse, -gap.weights[1], shares);
    report->least_gap = fmin(report->least_gap, distance);
    ++report->pair_count;
    if (!(total > 0.0)) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        velocity += gap.weights[k] * (s->v[2 * v[k]] * normal[0] + s->v[2 * v[k] + 1] * normal[1]);
    }
    iso_encounter found = iso_impulse_meet(law, velocity, distance, total, step);
    report->kill_count += found.is_killed;
    double sign = s->skin.body_of.data[v[2]] > 0 ? 1.0 : -1.0;
    for (int a = 0; a < 2; ++a) {
        double p = found.impulse * normal[a];
        s->v[2 * v[2] + a] += of_point * p;
        s->v[2 * v[0] + a] -= shares[0] * p;
        s->v[2 * v[1] + a] -= shares[1] * p;
        report->impulse[a] += sign * p;
    }
}

iso_status iso_elastic_system_explicit_step(iso_elastic_system* s, const iso_impulse_law* law,
                                            double step, iso_explicit_report* report) {
    memcpy(s->begin, s->x, (size_t)s->size * sizeof(double));
    iso_explicit_forces(s, s->gradient);
    iso_explicit_push(s, step, s->gradient);
    for (int i = 0; i < s->size; ++i) {
        s->direction[i] = step * s->v[i];
    }
    iso_status status = iso_skin_find_pairs(&s->skin, s->x, s->direction, law->reach);
    if (status != ISO_OK) {
        return iso_fail(s->ctx, status, __func__, "pairs");
    }
    report->pair_count = 0;
    report->least_gap = INFINITY;
    for (int i = 0; i < s->skin.pairs.count; ++i) {
        meet(s, law, &s->skin.pairs.data[i], step, report);
    }
    for (int i = 0; i < s->size; ++i) {
        s->x[i] += step * s->v[i];
    }
    iso_explicit_reload(s, report);
    return ISO_OK;
}
