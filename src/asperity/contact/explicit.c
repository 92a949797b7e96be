// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/impulse.h"

#include <string.h>

void iso_explicit_forces(const iso_elastic_system* s, double* out) {
    memset(out, 0, (size_t)s->size * sizeof *out);
    iso_elastic_add_forces(s->e, s->x, out);
    iso_elastic_add_damping(s->e, s->x, s->v, out);
    for (int i = 0; i < 2; ++i) {
        const iso_guide* guide = &s->guides[i];
        iso_guide_add(s, guide, -guide->stiffness * iso_guide_tilt(s, guide, s->x), out);
    }
}

void iso_explicit_push(iso_elastic_system* s, double step, const double* forces) {
    int d = s->e->dimension;
    for (int i = 0; i < s->size; ++i) {
        double force = forces[i] + s->push[i] - s->spring[i] * (s->x[i] - s->spring_end[i]);
        s->v[i] = s->fixed[i] ? 0.0 : s->v[i] + step * force / s->e->masses[i / d];
    }
}

void iso_explicit_reload(iso_elastic_system* s, iso_explicit_report* report) {
    const iso_elastic* e = s->e;
    int d = e->dimension;
    bool is_reloaded = false;
    for (int k = 0; k < e->element_count; ++k) {
        double f[9], g[9];
        iso_elastic_gradient(e, k, s->x, f);
        if (iso_inverse_transposed(d, f, g) > 0.0) {
            continue;
        }
        is_reloaded = true;
        for (int i = 0; i < (d + 1) * d; ++i) {
            s->v[d * e->elements[(d + 1) * k + i / d] + i % d] = 0.0;
        }
    }
    if (is_reloaded) {
        memcpy(s->x, s->begin, (size_t)s->size * sizeof(double));
        ++report->reload_count;
    }
}
