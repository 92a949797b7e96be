// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/contact/penalty.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Of the reach, for which pairs are listed beyond it.
#define MARGIN 0.1

// --- points --------------------------------------------------------------------------------------

// A point in a triangle by its number: the additive sequence of the plastic number, folded.
static void place_in_face(int number, double out[3]) {
    double u = fmod(0.5 + 0.7548776662466927 * number, 1.0);
    double v = fmod(0.5 + 0.5698402909980532 * number, 1.0);
    if (number == 0) {
        u = v = 1.0 / 3.0;
    } else if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
    }
    out[0] = 1.0 - u - v;
    out[1] = u;
    out[2] = v;
}

static double area_of(const double* x, const int* f) {
    double u[3], v[3], n[3];
    for (int a = 0; a < 3; ++a) {
        u[a] = x[3 * f[1] + a] - x[3 * f[0] + a];
        v[a] = x[3 * f[2] + a] - x[3 * f[0] + a];
    }
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static bool has(const int* element, int vertex) {
    return element[0] == vertex || element[1] == vertex || element[2] == vertex ||
           element[3] == vertex;
}

// Elements by vertex, as starts and lists.
static iso_status list_elements(iso_context* ctx, const iso_elastic* e, int** out_starts,
                                int** out_elements) {
    int n = e->vertex_count, size = 4 * e->element_count;
    int* starts = iso_alloc_array(ctx, n + 2, sizeof *starts);
    int* elements = iso_alloc_array(ctx, size, sizeof *elements);
    *out_starts = starts;
    *out_elements = elements;
    ISO_REQUIRE(ctx, starts && elements, ISO_ERR_MEMORY, "elements of %d vertices", n);
    for (int i = 0; i < size; ++i) {
        ++starts[e->elements[i] + 2];
    }
    for (int v = 0; v < n; ++v) {
        starts[v + 2] += starts[v + 1];
    }
    for (int i = 0; i < size; ++i) {
        elements[starts[e->elements[i] + 1]++] = i / 4;
    }
    return ISO_OK;
}

static iso_status add_points(iso_penalty* p, const int* f, int element, double spacing,
                             bool* is_known) {
    const iso_elastic* e = p->e;
    const int* v = e->elements + 4 * element;
    int count = (int)fmax(floor(area_of(e->rest, f) / (spacing * spacing) + 0.5), 1.0);
    for (int i = 0; i < count; ++i) {
        iso_status status = ISO_ARRAY_GROW(p->ctx, &p->points);
        if (status != ISO_OK) {
            return status;
        }
        iso_penalty_point* point = &p->points.data[p->points.count++];
        double share[3], most = -1.0;
        place_in_face(i, share);
        *point = (iso_penalty_point){.element = element, .is_first = !is_known[element]};
        is_known[element] = true;
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < 4; ++c) {
                point->weights[c] += v[c] == f[k] ? share[k] : 0.0;
            }
            if (share[k] > most) { // the largest weight: of flat faces about the nearest corner
                most = share[k];
                point->nearest = f[k];
            }
        }
    }
    return ISO_OK;
}

// Points of all faces of the first body, or of the others.
static iso_status put_points(iso_penalty* p, const iso_skin* skin, double spacing, bool is_first,
                             const int* starts, const int* elements, bool* is_known) {
    for (int i = 0; i < skin->face_count; ++i) {
        const int* f = skin->faces.data + 3 * i;
        if ((skin->body_of.data[f[0]] == 0) != is_first) {
            continue;
        }
        for (int k = starts[f[0]]; k < starts[f[0] + 1]; ++k) {
            const int* v = p->e->elements + 4 * elements[k];
            if (has(v, f[1]) && has(v, f[2])) {
                iso_status status = add_points(p, f, elements[k], spacing, is_known);
                if (status != ISO_OK) {
                    return status;
                }
            }
        }
    }
    return ISO_OK;
}

iso_status iso_penalty_init(iso_context* ctx, const iso_elastic* e, const iso_skin* skin,
                            double spacing, const iso_penalty_law* law, iso_penalty* out) {
    *out = (iso_penalty){.ctx = ctx, .e = e, .law = *law, .hash = {.ctx = ctx}};
    ISO_REQUIRE(ctx, e->dimension == 3, ISO_ERR_ARGUMENT,
                "penalty forces of bodies in %d dimensions, expected 3", e->dimension);
    ISO_REQUIRE(ctx,
                spacing > 0.0 && law->reach > 0.0 && law->far_stiffness > 0.0 &&
                    law->near_stiffness > 0.0 && isfinite(law->reach),
                ISO_ERR_RANGE,
                "spacing %g m, reach %g m, K1 %g N m^2, K2 %g N m^2 of penalty forces, expected "
                "above 0",
                spacing, law->reach, law->far_stiffness, law->near_stiffness);
    int *starts = NULL, *elements = NULL;
    bool* is_known = iso_alloc_array(ctx, e->element_count, sizeof *is_known);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, is_known, ISO_ERR_MEMORY, "%d elements", e->element_count);
    ISO_TRY(list_elements(ctx, e, &starts, &elements));
    ISO_TRY(put_points(out, skin, spacing, true, starts, elements, is_known));
    out->body_points = out->points.count;
    ISO_TRY(put_points(out, skin, spacing, false, starts, elements, is_known));
    ISO_TRY(ISO_ARRAY_RESERVE(ctx, &out->listed, 3 * e->vertex_count));
    ISO_TRY(ISO_ARRAY_RESERVE(ctx, &out->places, 3 * out->points.count));
    ISO_TRY(ISO_ARRAY_RESERVE(ctx, &out->middles, 3 * out->points.count));
    ISO_TRY(ISO_ARRAY_RESERVE(ctx, &out->radii, out->points.count));

done:
    iso_free(ctx, starts);
    iso_free(ctx, elements);
    iso_free(ctx, is_known);
    if (status != ISO_OK) {
        iso_penalty_free(out);
    }
    return status;
}

void iso_penalty_free(iso_penalty* p) {
    ISO_ARRAY_FREE(p->ctx, &p->points);
    ISO_ARRAY_FREE(p->ctx, &p->pairs);
    ISO_ARRAY_FREE(p->ctx, &p->listed);
    ISO_ARRAY_FREE(p->ctx, &p->places);
    ISO_ARRAY_FREE(p->ctx, &p->middles);
    ISO_ARRAY_FREE(p->ctx, &p->radii);
    ISO_ARRAY_FREE(p->ctx, &p->found);
    iso_box_hash_free(&p->hash);
}

// --- pairs ---------------------------------------------------------------------------------------

static void place_points(iso_penalty* p, const double* x) {
    for (int i = 0; i < p->points.count; ++i) {
        const iso_penalty_point* point = &p->points.data[i];
        const int* v = p->e->elements + 4 * point->element;
        double radius = 0.0;
        for (int a = 0; a < 3; ++a) {
            double sum = 0.0, middle = 0.0;
            for (int k = 0; k < 4; ++k) {
                sum += point->weights[k] * x[3 * v[k] + a];
                middle += 0.25 * x[3 * v[k] + a];
            }
            p->places.data[3 * i + a] = sum;
            p->middles.data[3 * i + a] = middle;
        }
        for (int k = 0; k < 4; ++k) {
            double square = 0.0;
            for (int a = 0; a < 3; ++a) {
                double off = x[3 * v[k] + a] - p->middles.data[3 * i + a];
                square += off * off;
            }
            radius += 0.25 * sqrt(square);
        }
        p->radii.data[i] = radius;
    }
}

static bool has_moved(const iso_penalty* p, const double* x) {
    double most = 0.0, allowed = 0.5 * MARGIN * p->law.reach;
    for (int i = 0; i < 3 * p->e->vertex_count; i += 3) {
        double square = 0.0;
        for (int a = 0; a < 3; ++a) {
            double off = x[i + a] - p->listed.data[i + a];
            square += off * off;
        }
        most = fmax(most, square);
    }
    return p->list_count == 0 || most > allowed * allowed;
}

static int compare_pairs(const void* a, const void* b) {
    const int *p = ((const iso_penalty_pair*)a)->points, *q = ((const iso_penalty_pair*)b)->points;
    int second = (p[1] > q[1]) - (p[1] < q[1]);
    return second != 0 ? second : (p[0] > q[0]) - (p[0] < q[0]);
}

static iso_lab_box box_of(const double* place, double reach) {
    iso_lab_box box;
    for (int a = 0; a < 3; ++a) {
        box.low[a] = place[a] - reach;
        box.high[a] = place[a] + reach;
    }
    return box;
}

static iso_status find_pairs(iso_penalty* p, iso_lab_box* boxes) {
    double reach = (1.0 + MARGIN) * p->law.reach;
    for (int i = 0; i < p->body_points; ++i) {
        boxes[i] = box_of(p->places.data + 3 * i, reach);
    }
    iso_status status = iso_box_hash_build(&p->hash, boxes, p->body_points);
    p->pairs.count = 0;
    for (int i = p->body_points; i < p->points.count && status == ISO_OK; ++i) {
        const double* at = p->places.data + 3 * i;
        iso_lab_box box = box_of(at, 0.0);
        p->found.count = 0;
        status = iso_box_hash_query(&p->hash, &box, &p->found);
        for (int k = 0; k < p->found.count && status == ISO_OK; ++k) {
            const double* from = p->places.data + 3 * p->found.data[k];
            double x = at[0] - from[0], y = at[1] - from[1], z = at[2] - from[2];
            if (x * x + y * y + z * z < reach * reach) {
                status = ISO_ARRAY_GROW(p->ctx, &p->pairs);
                if (status == ISO_OK) {
                    p->pairs.data[p->pairs.count++] = (iso_penalty_pair){{p->found.data[k], i}};
                }
            }
        }
    }
    return status;
}

iso_status iso_penalty_list(iso_penalty* p, const double* x) {
    if (!has_moved(p, x)) {
        return ISO_OK;
    }
    iso_lab_box* boxes = iso_alloc_array(p->ctx, p->body_points, sizeof *boxes);
    ISO_REQUIRE(p->ctx, boxes, ISO_ERR_MEMORY, "%d points", p->body_points);
    place_points(p, x);
    iso_status status = find_pairs(p, boxes);
    iso_free(p->ctx, boxes);
    if (status != ISO_OK) {
        return status;
    }
    qsort(p->pairs.data, (size_t)p->pairs.count, sizeof *p->pairs.data, compare_pairs);
    memcpy(p->listed.data, x, (size_t)(3 * p->e->vertex_count) * sizeof(double));
    ++p->list_count;
    return ISO_OK;
}

// --- forces --------------------------------------------------------------------------------------

iso_penalty_force iso_penalty_meet(const iso_penalty_law* law, const double way[3],
                                   const double centres[3], const double outward[2][3],
                                   double least) {
    iso_penalty_force out = {{0.0, 0.0, 0.0}, false};
    double between = 0.0, apart = 0.0, facing = 0.0;
    for (int a = 0; a < 3; ++a) {
        between += way[a] * way[a];
        apart += centres[a] * centres[a];
        facing += outward[0][a] * outward[1][a];
    }
    between = sqrt(between);
    apart = sqrt(apart);
    if (apart < least && apart > 0.0) { // (3.52); then the far force must not act
        out.is_near = true;
        for (int a = 0; a < 3; ++a) {
            out.force[a] = law->near_stiffness * centres[a] / (apart * apart * apart);
        }
    } else if (between > least && facing < 0.0 && between < law->reach) { // (3.51)
        const double* along = law->keep_printed ? centres : way;
        for (int a = 0; a < 3; ++a) {
            out.force[a] = law->far_stiffness * along[a] / (between * between * between);
        }
    }
    return out;
}

// Adds a force to the vertices of an element, or to the one that is nearest to the point.
static void push(const iso_penalty* p, const iso_penalty_point* point,
                 const iso_penalty_force* found, double sign, double* forces) {
    const int* v = p->e->elements + 4 * point->element;
    for (int k = 0; k < 4; ++k) {
        double share = found->is_near ? 0.25 : v[k] == point->nearest ? 1.0 : 0.0;
        for (int a = 0; a < 3 && share > 0.0; ++a) {
            forces[3 * v[k] + a] += sign * share * found->force[a];
        }
    }
}

void iso_penalty_add(iso_penalty* p, const double* x, double* forces, double on_others[3],
                     int* out_acting, double* out_least) {
    *out_acting = 0;
    double closest = INFINITY;
    on_others[0] = on_others[1] = on_others[2] = 0.0;
    place_points(p, x);
    for (int i = 0; i < p->pairs.count; ++i) {
        const int* at = p->pairs.data[i].points;
        double way[3], centres[3], outward[2][3], square = 0.0;
        for (int a = 0; a < 3; ++a) {
            const double *from = p->places.data + a, *middle = p->middles.data + a;
            way[a] = from[3 * at[1]] - from[3 * at[0]];
            centres[a] = middle[3 * at[1]] - middle[3 * at[0]];
            outward[0][a] = from[3 * at[0]] - middle[3 * at[0]];
            outward[1][a] = from[3 * at[1]] - middle[3 * at[1]];
            square += way[a] * way[a];
        }
        const iso_penalty_point *first = &p->points.data[at[0]], *second = &p->points.data[at[1]];
        iso_penalty_force found =
            iso_penalty_meet(&p->law, way, centres, (const double(*)[3])outward,
                             fmin(p->radii.data[at[0]], p->radii.data[at[1]]));
        bool is_zero = found.force[0] == 0.0 && found.force[1] == 0.0 && found.force[2] == 0.0;
        if (is_zero || (found.is_near && !(first->is_first && second->is_first))) {
            continue;
        }
        push(p, first, &found, -1.0, forces);
        push(p, second, &found, 1.0, forces);
        for (int a = 0; a < 3; ++a) {
            on_others[a] += found.force[a];
        }
        ++*out_acting;
        closest = fmin(closest, square);
    }
    *out_least = sqrt(closest);
}

iso_status iso_penalty_begin_step(iso_elastic_system* s, iso_penalty* p, double on_others[3],
                                  iso_explicit_report* report) {
    memcpy(s->begin, s->x, (size_t)s->size * sizeof(double));
    iso_status status = iso_penalty_list(p, s->x);
    if (status != ISO_OK) {
        return iso_fail(s->ctx, status, __func__, "pairs");
    }
    iso_explicit_forces(s, s->gradient);
    iso_penalty_add(p, s->x, s->gradient, on_others, &report->pair_count, &report->least_gap);
    return ISO_OK;
}

void iso_penalty_end_step(iso_elastic_system* s, double step, const double on_others[3],
                          iso_explicit_report* report) {
    iso_explicit_push(s, step, s->gradient);
    for (int i = 0; i < s->size; ++i) {
        s->x[i] += step * s->v[i];
    }
    for (int a = 0; a < 3; ++a) {
        report->impulse[a] += step * on_others[a];
    }
    iso_explicit_reload(s, report);
}
