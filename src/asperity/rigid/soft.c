// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/elastic/modes.h"
#include "asperity/rigid/system.h"
#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <math.h>
#include <string.h>

// Scenes of elastic boxes: symplectic Euler, contact impulses by the exact cone ([Datta2018] 2.56
// to 2.70). Contacts are between vertices, masses are lumped: W is a multiple of the identity for
// each.

enum { ROD_CELLS = 8, MOST_VERTICES = 40, MOST_ELEMENTS = 6 * ROD_CELLS };

#define YOUNG 1e6
#define ROD_YOUNG 1e8
#define POISSON 0.3
#define STEP_SHARE 0.5 // of the longest stable step

static const iso_cone_options k_newton = {1e-10, 100};

typedef struct soft {
    int vertex_count, element_count, contact_count;
    double rest[3 * MOST_VERTICES], x[3 * MOST_VERTICES], v[3 * MOST_VERTICES];
    double forces[3 * MOST_VERTICES], masses[MOST_VERTICES];
    int elements[4 * MOST_ELEMENTS], material_of[MOST_ELEMENTS];
    iso_elastic_material materials[5];
    int low[ISO_RIGID_CONTACTS], high[ISO_RIGID_CONTACTS]; ///< vertices; low -1: the ground
    double w[ISO_RIGID_ROWS * ISO_RIGID_ROWS], b[ISO_RIGID_ROWS], f[ISO_RIGID_ROWS];
    double friction[ISO_RIGID_CONTACTS];
    iso_elastic* e;
    double step;
} soft;

// Vertex of a bar: along, then (across, up) in turn.
static int corner(int first, int along, int across, int up) {
    return first + 4 * along + across + 2 * up;
}

// Six tetrahedra about the diagonal of each cell.
static void add_cells(soft* s, int first, int cells, int material) {
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (int c = 0; c < cells; ++c) {
        for (int k = 0; k < 6; ++k) {
            int place[3] = {0, 0, 0}, *t = s->elements + 4 * s->element_count;
            for (int n = 0; n < 4; ++n) {
                // the first three orders are even: two corners change places
                int to = k >= 3 || n < 2 ? n : 5 - n;
                t[to] = corner(first, c + place[0], place[1], place[2]);
                place[n < 3 ? orders[k][n] : 0] = 1;
            }
            s->material_of[s->element_count++] = material;
        }
    }
}

// @return the first vertex
static int add_bar(soft* s, const iso_rigid_box* box, int cells, int material) {
    int first = s->vertex_count;
    double x = box->size.x - box->foot, y = box->size.y - box->foot, z = box->size.z;
    iso_mat3 r = iso_mat3_from_axis_angle(iso_vec3_make(0.0, 1.0, 0.0), -box->tilt);
    iso_vec3 middle = iso_vec3_add(box->p_wb, box->p_bg);
    middle.z -= box->foot; // feet are part of the bar
    for (int i = 0; i <= cells; ++i) {
        for (int k = 0; k < 4; ++k) {
            iso_vec3 at =
                iso_vec3_make(x * ((double)i / cells - 0.5), y * (k % 2 - 0.5), z * (k / 2 - 0.5));
            at = iso_vec3_add(middle, iso_mat3_mul_vec3(&r, at));
            double* to = s->rest + 3 * s->vertex_count;
            double* v = s->v + 3 * s->vertex_count++;
            memcpy(to, (double[]){at.x, at.y, at.z}, 3 * sizeof *to);
            memcpy(v, (double[]){box->v_wb.x, box->v_wb.y, box->v_wb.z}, 3 * sizeof *v);
        }
    }
    s->materials[material] = (iso_elastic_material){.young = box->tilt > 0.0 ? ROD_YOUNG : YOUNG,
                                                    .poisson = POISSON,
                                                    .density = box->mass / (x * y * z)};
    add_cells(s, first, cells, material);
    return first;
}

// Contacts have the order of the rigid scenes: along +, -, first those across +.
static void add_box(soft* s, const iso_rigid_box* box, int index) {
    int below = s->vertex_count - 8, first = add_bar(s, box, 1, index);
    for (int k = 0; k < 4; ++k) {
        int along = 1 - k % 2, across = 1 - k / 2;
        s->low[s->contact_count] = index > 0 ? corner(below, along, across, 1) : -1;
        s->high[s->contact_count++] = corner(first, along, across, 0);
    }
}

static void add_rod(soft* s, const iso_rigid_box* box) {
    int first = add_bar(s, box, ROD_CELLS, 0);
    double low = fmin(s->rest[3 * first + 2], s->rest[3 * (first + 2) + 2]);
    for (int i = 0; i < s->vertex_count; ++i) {
        s->rest[3 * i + 2] -= low;
    }
    for (int k = 0; k < 2; ++k) { // the lower edge of the end
        s->low[s->contact_count] = -1;
        s->high[s->contact_count++] = first + k;
    }
}

// Lumped masses whose centre is the box's: those of a corner grow straight along both axes.
static void shift_masses(soft* s, const iso_rigid_box* box) {
    double a = 0.5 * (box->size.x - box->foot), b = 0.5 * (box->size.y - box->foot);
    for (int i = 0; i < s->vertex_count; ++i) {
        double along = s->rest[3 * i] > 0.0 ? 1.0 : -1.0,
               across = s->rest[3 * i + 1] > 0.0 ? 1.0 : -1.0;
        s->masses[i] = box->mass / s->vertex_count *
                       (1.0 - along * box->p_bg.x / a - across * box->p_bg.y / b);
    }
}

static iso_status make(iso_context* ctx, const iso_rigid_setup* setup, soft* s) {
    for (int i = 0; i < setup->box_count; ++i) {
        if (setup->boxes[i].tilt > 0.0) {
            add_rod(s, &setup->boxes[i]);
        } else {
            add_box(s, &setup->boxes[i], i);
        }
    }
    iso_elastic_desc desc = {.dimension = 3,
                             .vertices = s->rest,
                             .vertex_count = s->vertex_count,
                             .elements = s->elements,
                             .element_count = s->element_count,
                             .material_of = s->material_of,
                             .materials = s->materials,
                             .material_count = setup->box_count};
    double high[2], alpha = 0.0, beta = 0.0;
    iso_status status = iso_elastic_create(ctx, &desc, &s->e);
    if (status != ISO_OK) {
        return status;
    }
    memcpy(s->x, s->rest, sizeof s->x);
    memcpy(s->masses, s->e->masses, (size_t)s->vertex_count * sizeof *s->masses);
    if (setup->boxes[0].foot > 0.0) {
        shift_masses(s, &setup->boxes[0]);
        memcpy(s->e->masses, s->masses, (size_t)s->vertex_count * sizeof *s->masses);
    }
    status = iso_elastic_top_modes(ctx, s->e, s->x, NULL, high);
    iso_elastic_critical_damping(high, &alpha, &beta); // alpha would stop whole bodies
    for (int i = 0; i < s->element_count; ++i) {
        s->e->damping[i] = beta;
    }
    s->step = STEP_SHARE * iso_elastic_longest_step(high[0], 0.0, beta);
    s->step = 0.5 * setup->duration / ceil(0.5 * setup->duration / s->step);
    for (int i = 0; i < s->contact_count; ++i) {
        s->friction[i] = setup->friction;
    }
    return status;
}

// v without contact (2.67), then W and b of the contacts, whose rows are (z, x, y).
static void assemble(soft* s, iso_vec3 gravity) {
    const double pull[3] = {gravity.x, gravity.y, gravity.z};
    int rows = 3 * s->contact_count;
    memset(s->forces, 0, sizeof s->forces);
    iso_elastic_add_forces(s->e, s->x, s->forces);
    iso_elastic_add_damping(s->e, s->x, s->v, s->forces);
    for (int i = 0; i < 3 * s->vertex_count; ++i) {
        s->v[i] += s->step * (s->forces[i] / s->masses[i / 3] + pull[i % 3]);
    }
    memset(s->w, 0, sizeof s->w);
    for (int i = 0; i < s->contact_count; ++i) {
        int low = s->low[i], high = s->high[i];
        double gap = s->x[3 * high + 2] - (low >= 0 ? s->x[3 * low + 2] : 0.0);
        for (int k = 0; k < 3; ++k) {
            int axis = (k + 2) % 3, row = 3 * i + k;
            s->b[row] = s->v[3 * high + axis] - (low >= 0 ? s->v[3 * low + axis] : 0.0);
            s->w[row * rows + row] =
                1.0 / s->masses[high] + (low >= 0 ? 1.0 / s->masses[low] : 0.0);
        }
        s->b[3 * i] += (gap > 0.0 ? gap : 0.2 * gap) / s->step;
    }
}

static void advance(soft* s) {
    for (int i = 0; i < 3 * s->contact_count; ++i) {
        int axis = (i % 3 + 2) % 3, low = s->low[i / 3], high = s->high[i / 3];
        s->v[3 * high + axis] += s->f[i] / s->masses[high];
        if (low >= 0) {
            s->v[3 * low + axis] -= s->f[i] / s->masses[low];
        }
    }
    for (int i = 0; i < 3 * s->vertex_count; ++i) {
        s->x[i] += s->step * s->v[i];
    }
}

// Velocity of the centre of mass of the first box.
static iso_vec3 velocity_of(const soft* s) {
    double mass = 0.0, sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3 * 8; ++i) {
        sum[i % 3] += s->masses[i / 3] * s->v[i];
        mass += i % 3 == 0 ? s->masses[i / 3] : 0.0;
    }
    return iso_vec3_make(sum[0] / mass, sum[1] / mass, sum[2] / mass);
}

// @param before  velocity in the middle of the run, when what shook at the start has settled
static double measure(const soft* s, iso_rigid_scene scene, const iso_rigid_setup* setup,
                      iso_vec3 before) {
    double weight = 0.0, lowest = 0.0;
    iso_vec3 v = velocity_of(s);
    for (int i = 0; i < s->vertex_count; ++i) {
        weight += s->masses[i] * fabs(setup->gravity.z) * s->step;
    }
    for (int i = 0; i < 4 && i < s->contact_count; ++i) {
        lowest += s->f[3 * i];
    }
    iso_rigid_end end = {v, before, 0.5 * setup->duration, lowest / weight, s->f[0] / weight};
    return iso_rigid_value(scene, &end);
}

// Of both vertices of a rod's lower edge.
static double slip_of_tip(const soft* s) {
    const double *a = s->v + 3 * s->high[0], *b = s->v + 3 * s->high[1];
    return 0.5 * hypot(a[0] + b[0], a[1] + b[1]);
}

iso_status iso_rigid_run_soft(iso_context* ctx, const iso_rigid_setup* setup, iso_rigid_scene scene,
                              iso_rigid_result* out_result) {
    soft* s = iso_alloc_zeroed(ctx, sizeof *s);
    ISO_REQUIRE(ctx, s, ISO_ERR_MEMORY, "scene of elastic bodies");
    iso_status status = make(ctx, setup, s);
    int steps = status == ISO_OK ? (int)lround(setup->duration / s->step) : 0;
    iso_cone_problem p = {s->contact_count, s->w, s->b, s->friction};
    iso_vec3 before = iso_vec3_zero();
    double least = INFINITY;
    out_result->is_solved = true;
    for (int i = 0; status == ISO_OK && i < steps && out_result->is_solved; ++i) {
        iso_cone_report report = {0};
        assemble(s, setup->gravity);
        status = iso_cone_newton(ctx, &p, &k_newton, s->f, &report);
        out_result->is_solved = report.is_solved;
        out_result->residual = fmax(out_result->residual, report.residual);
        out_result->iterations =
            report.iterations > out_result->iterations ? report.iterations : out_result->iterations;
        advance(s);
        least = fmin(least, slip_of_tip(s));
        before = 2 * (i + 1) == steps ? velocity_of(s) : before;
    }
    out_result->coulomb = out_result->residual;
    out_result->contact_count = s->contact_count;
    for (int i = 0; status == ISO_OK && i < s->contact_count; ++i) {
        out_result->normal[i] = s->f[3 * i] / s->step;
    }
    bool is_rod = scene == ISO_RIGID_ROD;
    out_result->value = status != ISO_OK || !out_result->is_solved ? (double)NAN
                        : is_rod                                   ? least
                                 : measure(s, scene, setup, before);
    iso_elastic_destroy(ctx, s->e);
    iso_free(ctx, s);
    return status;
}
