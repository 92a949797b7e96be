// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/flux/flux.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"
#include "geometry/tetrahedra/tet_split.h"

#include <string.h>

// A pressure this little above or below zero, relative to the largest, is zero.
#define ZERO_PRESSURE 1e-12

// Ratio of the widths of cells through which flux is led at a time.
#define WIDTH_STEP 16.0

// Where a pole lies in its cell: nowhere that a symmetric pose would lead a surface through.
static const double k_pole_weights[4] = {0.4142135623730951, 0.2360679774997897, 0.1961524227066319,
                                         0.1535660374204833};

// Tetrahedra into which iso_tet_mesh_slice() makes the part of one on a side of a level that has
// corners on both sides, from the number of corners there and on the level.
static int piece_count(int own, int on) {
    return own == 1 ? 1 : own == 2 && on == 1 ? 2 : 3;
}

typedef struct tet_sides {
    int below, on, above;
} tet_sides;

static tet_sides sides_of(const double* pressures, const int* tet) {
    tet_sides s = {0};
    for (int k = 0; k < 4; ++k) {
        double p = pressures[tet[k]];
        s.below += p < 0.0;
        s.above += p > 0.0;
        s.on += p == 0.0;
    }
    return s;
}

// What is being built: the mesh, cut at zero pressure.
typedef struct flux_maker {
    iso_context* ctx;
    const iso_field* field;
    iso_tet_mesh mesh;
    iso_nodal_arrays arrays; ///< values[0]: pressures
    iso_tet_mesh kept;       ///< tetrahedra of `mesh` with pressure; borrows its vertices
    iso_tet_topology topology;
    int first_pole;   ///< vertex of `mesh`; the poles are the last ones
    int *order, *out; ///< [cell_count] breadth first; side through which a cell drains
    double* widths;   ///< [cell_count] [m^2]
    iso_field_flux* flux;
} flux_maker;

static iso_status copy_field(flux_maker* m) {
    iso_context* ctx = m->ctx;
    const iso_field* field = m->field;
    int n = field->mesh.vertex_count;
    iso_status status = ISO_OK;
    double zero = ZERO_PRESSURE * fmax(field->max_pressure, -field->min_pressure);
    ISO_TRY(iso_tet_mesh_copy_scaled(ctx, &field->mesh, iso_vec3_make(1.0, 1.0, 1.0), &m->mesh));
    m->arrays.count = 1;
    m->arrays.values[0] = iso_alloc_array(ctx, n, sizeof(double));
    ISO_CHECK(ctx, m->arrays.values[0], ISO_ERR_MEMORY, "pressures of %d vertices", n);
    for (int i = 0; i < n; ++i) {
        double p = field->pressures[i];
        m->arrays.values[0][i] = fabs(p) <= zero ? 0.0 : p;
    }
done:
    return status;
}

// Cut the copy at zero pressure and keep the tetrahedra with pressure; counts them per tetrahedron
// of the field.
static iso_status cut_field(flux_maker* m) {
    iso_context* ctx = m->ctx;
    iso_field_flux* flux = m->flux;
    const iso_tet_mesh* whole = &m->field->mesh;
    const double level = 0.0;
    iso_status status = ISO_OK;
    bool is_cut = false;
    for (int t = 0; t < whole->tet_count && !is_cut; ++t) {
        tet_sides s = sides_of(m->arrays.values[0], whole->tets[t]);
        is_cut = s.below > 0 && s.above > 0;
    }
    if (is_cut) {
        ISO_TRY(iso_tet_mesh_slice(ctx, &m->mesh, &m->arrays, &level, 1, 0.0));
    }
    flux->tet_count = whole->tet_count;
    flux->first = iso_alloc_array(ctx, whole->tet_count + 1, sizeof *flux->first);
    m->kept.tets = iso_alloc_array(ctx, m->mesh.tet_count, sizeof *m->kept.tets);
    ISO_CHECK(ctx, flux->first && m->kept.tets, ISO_ERR_MEMORY, "%d tetrahedra", m->mesh.tet_count);
    m->kept.vertices = m->mesh.vertices;
    m->kept.vertex_count = m->mesh.vertex_count;
    for (int t = 0, at = 0; t < whole->tet_count; ++t) {
        tet_sides s = sides_of(m->arrays.values[0], whole->tets[t]);
        bool is_mixed = s.below > 0 && s.above > 0;
        int skipped = is_mixed ? piece_count(s.below, s.on) : s.above == 0;
        int kept = is_mixed ? piece_count(s.above, s.on) : s.above > 0;
        flux->first[t] = m->kept.tet_count;
        for (int k = 0; k < kept; ++k) {
            memcpy(m->kept.tets[m->kept.tet_count++], m->mesh.tets[at + skipped + k],
                   sizeof *m->kept.tets);
        }
        at += skipped + kept;
    }
    flux->first[whole->tet_count] = m->kept.tet_count;
done:
    return status;
}

static double mean_pressure(const flux_maker* m, const int* tet) {
    const double* p = m->arrays.values[0];
    return 0.25 * (p[tet[0]] + p[tet[1]] + p[tet[2]] + p[tet[3]]);
}

// Marks the cells at vertices that no neighbour exceeds; returns how many there are.
static int mark_pole_cells(const flux_maker* m, bool* is_top, bool* is_marked) {
    const double* p = m->arrays.values[0];
    int count = 0;
    for (int i = 0; i < m->kept.vertex_count; ++i) {
        is_top[i] = true;
    }
    for (int i = 0; i < 16 * m->kept.tet_count; ++i) {
        const int* tet = m->kept.tets[i / 16];
        if (p[tet[i / 4 % 4]] < p[tet[i % 4]]) {
            is_top[tet[i / 4 % 4]] = false;
        }
    }
    for (int t = 0; t < m->kept.tet_count; ++t) {
        const int* tet = m->kept.tets[t];
        is_marked[t] = is_top[tet[0]] || is_top[tet[1]] || is_top[tet[2]] || is_top[tet[3]];
        count += is_marked[t];
    }
    return count;
}

// A pole inside a cell, near a corner that no neighbour exceeds: four cells about it.
static void split_cell(flux_maker* m, const int* tet, const bool* is_top, int pole) {
    iso_vec3* v = m->mesh.vertices;
    double* p = m->arrays.values[0];
    int top = 0;
    while (top < 3 && !is_top[tet[top]]) {
        ++top;
    }
    for (int k = 0; k < 4; ++k) {
        double weight = 0.2 * k_pole_weights[k] + (k == top ? 0.8 : 0.0);
        v[pole] = iso_vec3_add_scaled(v[pole], v[tet[k]], weight);
        p[pole] += weight * p[tet[k]];
    }
    for (int k = 0; k < 4; ++k) {
        int* piece = m->kept.tets[m->kept.tet_count++];
        memcpy(piece, tet, 4 * sizeof *piece);
        piece[k] = pole;
    }
}

// Put poles into the mesh: its last vertices, from m->first_pole on.
static iso_status place_poles(flux_maker* m) {
    iso_context* ctx = m->ctx;
    int vertices = m->mesh.vertex_count, cells = m->kept.tet_count;
    int(*old)[4] = m->kept.tets;
    bool* is_top = iso_alloc_array(ctx, vertices, sizeof *is_top);
    bool* is_marked = iso_alloc_array(ctx, cells, sizeof *is_marked);
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, is_top && is_marked, ISO_ERR_MEMORY, "poles of %d tetrahedra", cells);
    int count = mark_pole_cells(m, is_top, is_marked);
    ISO_TRY(iso_tet_mesh_add_vertices(ctx, &m->mesh, &m->arrays, count));
    m->kept = (iso_tet_mesh){.vertices = m->mesh.vertices,
                             .vertex_count = m->mesh.vertex_count,
                             .tets = iso_alloc_array(ctx, cells + 3 * count, sizeof *old)};
    ISO_CHECK(ctx, m->kept.tets, ISO_ERR_MEMORY, "%d tetrahedra", cells + 3 * count);
    m->first_pole = vertices;
    for (int t = 0, cell = 0, pole = vertices; t < m->flux->tet_count; ++t) {
        int end = m->flux->first[t + 1];
        m->flux->first[t] = m->kept.tet_count;
        for (; cell < end; ++cell) {
            if (is_marked[cell]) {
                split_cell(m, old[cell], is_top, pole++);
            } else {
                memcpy(m->kept.tets[m->kept.tet_count++], old[cell], sizeof *old);
            }
        }
    }
    m->flux->first[m->flux->tet_count] = m->kept.tet_count;

done:
    if (old != m->kept.tets) {
        iso_free(ctx, old);
    }
    iso_free(ctx, is_top);
    iso_free(ctx, is_marked);
    return status;
}

static int side_towards(const flux_maker* m, int tet, int neighbor) {
    int side = 0;
    while (side < 3 && m->topology.neighbors[tet][side] != neighbor) {
        ++side;
    }
    return side;
}

// Area that the flux through a cell has: small in slivers, where the same flux is a large field.
static double width_of(const flux_maker* m, int t) {
    const iso_vec3* v = m->kept.vertices;
    const int* tet = m->kept.tets[t];
    double longest = 0.0;
    for (int k = 0; k < 16; ++k) {
        longest = fmax(longest, iso_vec3_distance(v[tet[k / 4]], v[tet[k % 4]]));
    }
    return longest > 0.0 ? iso_tet_mesh_tet_volume(&m->kept, t) / longest : 0.0;
}

// The cells at poles: m->order. Returns how many there are.
static int find_roots(flux_maker* m) {
    int count = 0;
    for (int t = 0; t < m->kept.tet_count; ++t) {
        iso_flux_cell* cell = &m->flux->cells[t];
        memcpy(cell->corners, m->kept.tets[t], sizeof cell->corners);
        cell->pole = m->out[t] = -1;
        for (int k = 0; k < 4; ++k) {
            cell->pole = cell->corners[k] >= m->first_pole ? k : cell->pole;
        }
        if (cell->pole >= 0) {
            m->order[count++] = t;
        }
    }
    return count;
}

// Breadth first from the cells at poles: m->order, and where each cell drains. First through cells
// of the largest widths only, then through narrower ones too, so that no more than must flows
// through slivers, whose large fields would be lost in rounding. Returns how many were found.
static int order_cells(flux_maker* m) {
    int count = find_roots(m), all = m->kept.tet_count;
    double widest = 0.0, narrowest = INFINITY;
    for (int t = 0; t < all; ++t) {
        m->widths[t] = width_of(m, t);
        widest = fmax(widest, m->widths[t]);
        narrowest = fmin(narrowest, m->widths[t]);
    }
    for (double least = widest; count < all; least /= WIDTH_STEP) {
        for (int i = 0; i < count; ++i) {
            for (int k = 0; m->widths[m->order[i]] * WIDTH_STEP >= least && k < 4; ++k) {
                int other = m->topology.neighbors[m->order[i]][k];
                if (other >= 0 && m->flux->cells[other].pole < 0 && m->out[other] < 0) {
                    m->out[other] = side_towards(m, other, m->order[i]);
                    m->order[count++] = other;
                }
            }
        }
        if (least <= narrowest * WIDTH_STEP) {
            break;
        }
    }
    return count;
}

// A cell at a pole drains into it; every other one hands what it collects to the next.
static void drain_cells(flux_maker* m, int count) {
    for (int i = count - 1; i >= 0; --i) {
        int t = m->order[i];
        iso_flux_cell* cell = &m->flux->cells[t];
        double collected = mean_pressure(m, cell->corners) * iso_tet_mesh_tet_volume(&m->kept, t);
        for (int k = 0; k < 4; ++k) {
            collected -= cell->flux[k];
        }
        if (cell->pole >= 0) {
            // The radial field of the pole enters through the face opposite to it.
            cell->drain = collected;
            cell->flux[cell->pole] += collected;
            m->flux->poles[cell->corners[cell->pole] - m->first_pole].taken += collected;
        } else {
            int to = m->topology.neighbors[t][m->out[t]];
            cell->flux[m->out[t]] = collected;
            m->flux->cells[to].flux[side_towards(m, to, t)] = -collected;
        }
    }
}

static bool is_skin_unpressed(const flux_maker* m) {
    for (int t = 0; t < m->kept.tet_count; ++t) {
        for (int k = 0; k < 4; ++k) {
            for (int c = 0; m->topology.neighbors[t][k] < 0 && c < 3; ++c) {
                if (m->arrays.values[0][m->kept.tets[t][k_tet_faces[k][c]]] != 0.0) {
                    return false;
                }
            }
        }
    }
    return true;
}

static iso_status make_poles(flux_maker* m) {
    iso_field_flux* flux = m->flux;
    flux->pole_count = m->kept.vertex_count - m->first_pole;
    flux->poles = iso_alloc_array(m->ctx, flux->pole_count, sizeof *flux->poles);
    ISO_REQUIRE(m->ctx, flux->poles, ISO_ERR_MEMORY, "%d poles", flux->pole_count);
    for (int i = 0; i < flux->pole_count; ++i) {
        int vertex = m->first_pole + i;
        flux->poles[i] =
            (iso_flux_pole){m->kept.vertices[vertex], m->arrays.values[0][vertex], 0.0};
    }
    return ISO_OK;
}

static iso_status fill_flux(flux_maker* m) {
    iso_context* ctx = m->ctx;
    iso_field_flux* flux = m->flux;
    int cells = m->kept.tet_count, vertices = m->kept.vertex_count;
    iso_status status = ISO_OK;
    flux->cells = iso_alloc_array(ctx, cells, sizeof *flux->cells);
    m->order = iso_alloc_array(ctx, cells, sizeof *m->order);
    m->out = iso_alloc_array(ctx, cells, sizeof *m->out);
    m->widths = iso_alloc_array(ctx, cells, sizeof *m->widths);
    ISO_CHECK(ctx, flux->cells && m->order && m->out && m->widths, ISO_ERR_MEMORY,
              "flux of %d tetrahedra", cells);
    memset(flux->cells, 0, (size_t)cells * sizeof *flux->cells);
    ISO_TRY(iso_tet_topology_create(ctx, &m->kept, &m->topology));
    ISO_TRY(make_poles(m));
    int count = order_cells(m);
    drain_cells(m, count);
    flux->cell_count = cells;
    flux->is_complete = count == cells;
    flux->is_zero_on_skin = is_skin_unpressed(m);
    flux->vertex_count = vertices;
    flux->vertices = m->mesh.vertices;
    flux->pressures = m->arrays.values[0];
    m->mesh.vertices = NULL;
    m->arrays.values[0] = NULL;
done:
    return status;
}

iso_status iso_field_flux_create(iso_context* ctx, const iso_field* field,
                                 iso_field_flux** out_flux) {
    flux_maker m = {.ctx = ctx, .field = field};
    iso_status status = ISO_OK;
    *out_flux = NULL;
    m.flux = iso_alloc_zeroed(ctx, sizeof *m.flux);
    ISO_CHECK(ctx, m.flux, ISO_ERR_MEMORY, "flux of a field");
    ISO_TRY(copy_field(&m));
    ISO_TRY(cut_field(&m));
    ISO_TRY(place_poles(&m));
    ISO_TRY(fill_flux(&m));
    *out_flux = m.flux;
done:
    if (status != ISO_OK) {
        iso_field_flux_destroy(ctx, m.flux);
    }
    iso_tet_topology_destroy(ctx, &m.topology);
    iso_free(ctx, m.kept.tets);
    iso_tet_mesh_destroy(ctx, &m.mesh);
    iso_free(ctx, m.arrays.values[0]);
    iso_free(ctx, m.order);
    iso_free(ctx, m.out);
    iso_free(ctx, m.widths);
    return status;
}

void iso_field_flux_destroy(iso_context* ctx, iso_field_flux* flux) {
    if (flux) {
        iso_free(ctx, flux->vertices);
        iso_free(ctx, flux->pressures);
        iso_free(ctx, flux->cells);
        iso_free(ctx, flux->first);
        iso_free(ctx, flux->poles);
        iso_free(ctx, flux);
    }
}
