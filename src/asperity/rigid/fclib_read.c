// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/rigid/fclib.h"
#include "base/core/text.h"

#ifdef ISO_HAS_HDF5

#include <math.h>

/// Of a matrix, and of the bodies of a global problem.
enum { ENTRIES_MAX = 50000000, FREEDOMS_MAX = 1000000 };

typedef struct fclib_file {
    iso_context* ctx;
    const char* path;
    hid_t id;
} fclib_file;

static iso_status read_values(const fclib_file* f, const char* name, hid_t type, int64_t count,
                              void* out) {
    hid_t set = H5Dopen2(f->id, name, H5P_DEFAULT);
    ISO_REQUIRE(f->ctx, set >= 0, ISO_ERR_PARSE, "%s: %s is missing", f->path, name);
    hid_t space = H5Dget_space(set);
    int64_t found = (int64_t)H5Sget_simple_extent_npoints(space);
    bool is_good = found == count && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0;
    (void)H5Sclose(space);
    (void)H5Dclose(set);
    ISO_REQUIRE(f->ctx, is_good, ISO_ERR_PARSE,
                "%s: %s has %lld values or cannot be read, expected %lld", f->path, name,
                (long long)found, (long long)count);
    return ISO_OK;
}

static iso_status read_count(const fclib_file* f, const char* name, int low, int high, int* out) {
    iso_status status = read_values(f, name, H5T_NATIVE_INT, 1, out);
    ISO_REQUIRE(f->ctx, status != ISO_OK || (*out >= low && *out <= high), ISO_ERR_RANGE,
                "%s: %s is %d, expected in [%d, %d]", f->path, name, *out, low, high);
    return status;
}

static iso_status add_entry(const fclib_file* f, const char* name, int row, int column, double x,
                            iso_triplets* out) {
    bool is_there = row >= 0 && row < out->rows && column >= 0 && column < out->columns;
    ISO_REQUIRE(f->ctx, is_there && isfinite(x), ISO_ERR_RANGE,
                "%s: entry %g at (%d, %d) of %s, expected finite, below (%d, %d)", f->path, x, row,
                column, name, out->rows, out->columns);
    out->row[out->count] = row;
    out->column[out->count] = column;
    out->x[out->count++] = x;
    return ISO_OK;
}

static bool do_triplets_fit(int count, const int* rows, const int* columns,
                            const iso_triplets* out) {
    for (int k = 0; k < count; ++k) {
        if (rows[k] >= out->rows || columns[k] >= out->columns) {
            return false;
        }
    }
    return true;
}

// Of triplets p are columns, as CSparse has them and as files have them; where these do not fit,
// rows, as the header of FCLIB says.
static iso_status add_entries(const fclib_file* f, const char* name, int kind, int count,
                              const int* p, const int* i, const double* x, iso_triplets* out) {
    iso_status status = ISO_OK;
    int lines = kind == -1 ? out->columns : kind == -2 ? out->rows : 0;
    bool is_turned = kind > 0 && !do_triplets_fit(kind, i, p, out);
    for (int k = 0; kind >= 0 && status == ISO_OK && k < kind; ++k) {
        status = is_turned ? add_entry(f, name, p[k], i[k], x[k], out)
                           : add_entry(f, name, i[k], p[k], x[k], out);
    }
    for (int line = 0; status == ISO_OK && line < lines; ++line) {
        int from = line > 0 ? p[line] : 0; // each entry once, so that they fit
        ISO_REQUIRE(f->ctx, p[line] == from && from <= p[line + 1] && p[line + 1] <= count,
                    ISO_ERR_RANGE, "%s: line %d of %s goes from %d to %d, expected in [0, %d]",
                    f->path, line, name, p[line], p[line + 1], count);
        for (int k = from; status == ISO_OK && k < p[line + 1]; ++k) {
            status =
                add_entry(f, name, kind == -1 ? i[k] : line, kind == -1 ? line : i[k], x[k], out);
        }
    }
    return status;
}

// @param name  of its group
static iso_status read_matrix(const fclib_file* f, const char* name, int most_rows,
                              int most_columns, iso_triplets* out) {
    int kind = 0, count = 0;
    int* indices = NULL;
    double* x = NULL;
    char part[64];
    iso_status status = ISO_OK;
#define PART(of) ((void)snprintf(part, sizeof part, "%s/" of, name), part)
    ISO_TRY(read_count(f, PART("m"), 1, most_rows, &out->rows));
    ISO_TRY(read_count(f, PART("n"), 1, most_columns, &out->columns));
    double all = (double)out->rows * out->columns;
    ISO_TRY(read_count(f, PART("nzmax"), 0, all < ENTRIES_MAX ? (int)all : ENTRIES_MAX, &count));
    ISO_TRY(read_count(f, PART("nz"), -2, count, &kind));
    int lines = kind >= 0 ? kind : (kind == -1 ? out->columns : out->rows) + 1;
    int entries = kind >= 0 ? kind : count;
    indices = iso_alloc_array(f->ctx, lines + entries + 1, sizeof *indices);
    x = iso_alloc_array(f->ctx, entries + 1, sizeof *x);
    out->row = iso_alloc_array(f->ctx, 2 * entries + 1, sizeof *out->row);
    out->x = iso_alloc_array(f->ctx, entries + 1, sizeof *out->x);
    ISO_CHECK(f->ctx, indices && x && out->row && out->x, ISO_ERR_MEMORY, "matrix of %d entries",
              entries);
    out->column = out->row + entries;
    ISO_TRY(read_values(f, PART("p"), H5T_NATIVE_INT, lines, indices));
    ISO_TRY(read_values(f, PART("i"), H5T_NATIVE_INT, entries, indices + lines));
    ISO_TRY(read_values(f, PART("x"), H5T_NATIVE_DOUBLE, entries, x));
    ISO_TRY(add_entries(f, name, kind, entries, indices, indices + lines, x, out));
#undef PART

done:
    iso_free(f->ctx, indices);
    iso_free(f->ctx, x);
    return status;
}

// Everything but the matrix of a local problem; all of a global one.
typedef struct parts {
    iso_triplets m, h; ///< W is m
    double *f, *w;
} parts;

static iso_status read_local(const fclib_file* f, parts* p, iso_fclib* out) {
    int most = 3 * ISO_FCLIB_CONTACTS_MAX;
    iso_status status = ISO_OK;
    ISO_REQUIRE(f->ctx, H5Lexists(f->id, "/fclib_local/V", H5P_DEFAULT) <= 0, ISO_ERR_UNSUPPORTED,
                "%s: equality constraints (V, R) are not supported", f->path);
    ISO_TRY(read_matrix(f, "/fclib_local/W", most, most, &p->m));
    int n = p->m.columns;
    ISO_CHECK(f->ctx, n % 3 == 0 && p->m.rows == n, ISO_ERR_RANGE,
              "%s: W is %d by %d, expected square, three a contact", f->path, p->m.rows, n);
    ISO_TRY(iso_fclib_allocate(f->ctx, n / 3, out));
    for (int k = 0; k < p->m.count; ++k) {
        out->w[(size_t)p->m.row[k] * (size_t)n + (size_t)p->m.column[k]] += p->m.x[k];
    }
    ISO_TRY(iso_fclib_check(f->ctx, f->path, out));
    ISO_TRY(read_values(f, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, n, out->b));
    ISO_TRY(read_values(f, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, n / 3, out->friction));
done:
    return status;
}

static iso_status read_global(const fclib_file* f, parts* p, iso_fclib* out) {
    iso_status status = ISO_OK;
    ISO_REQUIRE(f->ctx, H5Lexists(f->id, "/fclib_global/G", H5P_DEFAULT) <= 0, ISO_ERR_UNSUPPORTED,
                "%s: equality constraints (G) are not supported", f->path);
    ISO_TRY(read_matrix(f, "/fclib_global/M", FREEDOMS_MAX, FREEDOMS_MAX, &p->m));
    ISO_TRY(read_matrix(f, "/fclib_global/H", FREEDOMS_MAX, 3 * ISO_FCLIB_CONTACTS_MAX, &p->h));
    int size = p->m.rows, n = p->h.columns;
    ISO_CHECK(f->ctx, p->m.columns == size && p->h.rows == size && n % 3 == 0, ISO_ERR_RANGE,
              "%s: M is %d by %d and H %d by %d, expected M square, H with its rows and three "
              "columns a contact",
              f->path, size, p->m.columns, p->h.rows, n);
    p->f = iso_alloc_array(f->ctx, size + n, sizeof *p->f);
    ISO_CHECK(f->ctx, p->f, ISO_ERR_MEMORY, "vectors of %d numbers", size + n);
    p->w = p->f + size;
    ISO_TRY(read_values(f, "/fclib_global/vectors/f", H5T_NATIVE_DOUBLE, size, p->f));
    ISO_TRY(read_values(f, "/fclib_global/vectors/w", H5T_NATIVE_DOUBLE, n, p->w));
    for (int i = 0; i < size + n; ++i) {
        ISO_CHECK(f->ctx, isfinite(p->f[i]), ISO_ERR_RANGE, "%s: number %d of vectors/%c is %g",
                  f->path, i < size ? i : i - size, i < size ? 'f' : 'w', p->f[i]);
    }
    ISO_TRY(iso_fclib_allocate(f->ctx, n / 3, out));
    ISO_TRY(read_values(f, "/fclib_global/vectors/mu", H5T_NATIVE_DOUBLE, n / 3, out->friction));
    ISO_TRY(iso_fclib_condense(f->ctx, f->path, &p->m, &p->h, p->f, p->w, out));
    ISO_TRY(iso_fclib_check(f->ctx, f->path, out));
done:
    return status;
}

static iso_status read_problem(const fclib_file* f, iso_fclib* out) {
    bool is_local = H5Lexists(f->id, "/fclib_local", H5P_DEFAULT) > 0;
    parts p = {.f = NULL};
    int dimensions = 0;
    iso_status status = ISO_OK;
    ISO_REQUIRE(f->ctx, is_local || H5Lexists(f->id, "/fclib_global", H5P_DEFAULT) > 0,
                ISO_ERR_PARSE, "%s: neither fclib_local nor fclib_global is there", f->path);
    ISO_TRY(read_count(f, is_local ? "/fclib_local/spacedim" : "/fclib_global/spacedim", 2, 3,
                       &dimensions));
    ISO_CHECK(f->ctx, dimensions == 3, ISO_ERR_UNSUPPORTED,
              "%s: a problem of 2 dimensions, expected 3", f->path);
    ISO_TRY(is_local ? read_local(f, &p, out) : read_global(f, &p, out));
    int n = 3 * out->contact_count;
    for (int i = 0; i < n; ++i) {
        double mu = out->friction[i / 3];
        ISO_CHECK(f->ctx, isfinite(out->b[i]) && isfinite(mu) && mu >= 0.0, ISO_ERR_RANGE,
                  "%s: contact %d has velocity %g and friction %g, expected finite, friction >= 0",
                  f->path, i / 3, out->b[i], mu);
    }
    if (H5Lexists(f->id, "/solution", H5P_DEFAULT) > 0) {
        ISO_TRY(read_values(f, "/solution/r", H5T_NATIVE_DOUBLE, n, out->r));
        ISO_TRY(read_values(f, "/solution/u", H5T_NATIVE_DOUBLE, n, out->u));
    }
done:
    iso_triplets_free(f->ctx, &p.m);
    iso_triplets_free(f->ctx, &p.h);
    iso_free(f->ctx, p.f);
    return status;
}

iso_status iso_fclib_read(iso_context* ctx, const char* path, iso_fclib* out_problem) {
    ISO_REQUIRE(ctx, path && out_problem, ISO_ERR_ARGUMENT, "path and out_problem are required");
    *out_problem = (iso_fclib){0};
    const char* fault = iso_file_fault(path);
    ISO_REQUIRE(ctx, !fault, ISO_ERR_IO, "%s: %s", path, fault ? fault : "");
    iso_fclib_quiet q = iso_fclib_quiet_begin();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS); // what is still open goes with the file
    (void)H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    fclib_file f = {ctx, path, H5Fopen(path, H5F_ACC_RDONLY, access)};
    (void)H5Pclose(access);
    iso_status status = ISO_ERR_PARSE;
    if (f.id < 0) {
        iso_fail(ctx, status, __func__, "%s: no HDF5 file", path);
    } else {
        status = read_problem(&f, out_problem);
        (void)H5Fclose(f.id);
    }
    iso_fclib_quiet_end(q);
    if (status != ISO_OK) {
        iso_fclib_free(ctx, out_problem);
    }
    return status;
}

#else

iso_status iso_fclib_read(iso_context* ctx, const char* path, iso_fclib* out_problem) {
    *out_problem = (iso_fclib){0};
    return iso_fail(ctx, ISO_ERR_UNSUPPORTED, __func__,
                    "%s: files of FCLIB need HDF5, which was not there when Isobar was built",
                    path ? path : "");
}

#endif
