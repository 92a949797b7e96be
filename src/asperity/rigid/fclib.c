// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Problems of contact with friction in the format of FCLIB (HDF5): /fclib_local/{spacedim,
// W/{nzmax, m, n, nz, p, i, x}, vectors/{q, mu}} and /solution/{u, r}. A matrix is a triplet (nz >=
// 0, p rows, i columns), by columns (nz = -1) or by rows (nz = -2).

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "isobar/lab_rigid.h"

void iso_fclib_free(iso_context* ctx, iso_fclib* problem) {
    iso_free(ctx, problem->w);
    *problem = (iso_fclib){0};
}

iso_status iso_fclib_allocate(iso_context* ctx, int contact_count, iso_fclib* out) {
    *out = (iso_fclib){0};
    ISO_REQUIRE(ctx, contact_count >= 1 && contact_count <= ISO_FCLIB_CONTACTS_MAX, ISO_ERR_RANGE,
                "the problem has %d contacts, expected 1 to %d", contact_count,
                ISO_FCLIB_CONTACTS_MAX);
    size_t n = 3 * (size_t)contact_count;
    double* memory =
        iso_alloc_zeroed(ctx, (n * n + 3 * n + (size_t)contact_count) * sizeof(double));
    ISO_REQUIRE(ctx, memory, ISO_ERR_MEMORY, "problem of %d contacts", contact_count);
    *out = (iso_fclib){contact_count,      memory,
                       memory + n * n,     memory + n * n + 3 * n,
                       memory + n * n + n, memory + n * n + 2 * n};
    return ISO_OK;
}

#ifdef ISO_HAS_HDF5

#include <hdf5.h>
#include <math.h>
#include <string.h>

typedef struct fclib_file {
    iso_context* ctx;
    const char* path;
    hid_t id;
} fclib_file;

// HDF5 prints its own errors unless it is told not to; what it was told before comes back.
typedef struct quiet {
    H5E_auto2_t print;
    void* user;
} quiet;

static quiet begin_quiet(void) {
    quiet q = {NULL, NULL};
    (void)H5Eget_auto2(H5E_DEFAULT, &q.print, &q.user);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

// --- reading -------------------------------------------------------------------------------------

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

static iso_status add_entry(const fclib_file* f, int n, int64_t row, int64_t column, double value,
                            double* w) {
    ISO_REQUIRE(f->ctx, row >= 0 && row < n && column >= 0 && column < n && isfinite(value),
                ISO_ERR_RANGE, "%s: entry %g at (%lld, %lld) of W, expected finite, in [0, %d)",
                f->path, value, (long long)row, (long long)column, n);
    w[row * n + column] += value;
    return ISO_OK;
}

static iso_status scatter(const fclib_file* f, int n, int kind, int count, const int* p,
                          const int* i, const double* x, double* w) {
    iso_status status = ISO_OK;
    for (int k = 0; kind >= 0 && status == ISO_OK && k < kind; ++k) {
        status = add_entry(f, n, p[k], i[k], x[k], w);
    }
    for (int line = 0; kind < 0 && status == ISO_OK && line < n; ++line) {
        ISO_REQUIRE(f->ctx, p[line] >= 0 && p[line] <= p[line + 1] && p[line + 1] <= count,
                    ISO_ERR_RANGE, "%s: line %d of W goes from %d to %d, expected in [0, %d]",
                    f->path, line, p[line], p[line + 1], count);
        for (int k = p[line]; status == ISO_OK && k < p[line + 1]; ++k) {
            status = add_entry(f, n, kind == -1 ? i[k] : line, kind == -1 ? line : i[k], x[k], w);
        }
    }
    return status;
}

static iso_status read_matrix(const fclib_file* f, int n, double* w) {
    int rows = 0, kind = 0, count = 0;
    int* indices = NULL;
    double* x = NULL;
    iso_status status = ISO_OK;
    ISO_TRY(read_count(f, "/fclib_local/W/m", n, n, &rows));
    ISO_TRY(read_count(f, "/fclib_local/W/nzmax", 0, n * n, &count));
    ISO_TRY(read_count(f, "/fclib_local/W/nz", -2, count, &kind));
    int lines = kind >= 0 ? kind : n + 1, entries = kind >= 0 ? kind : count;
    indices = iso_alloc_array(f->ctx, lines + entries, sizeof *indices);
    x = iso_alloc_array(f->ctx, entries, sizeof *x);
    ISO_CHECK(f->ctx, indices && x, ISO_ERR_MEMORY, "matrix of %d entries", entries);
    ISO_TRY(read_values(f, "/fclib_local/W/p", H5T_NATIVE_INT, lines, indices));
    ISO_TRY(read_values(f, "/fclib_local/W/i", H5T_NATIVE_INT, entries, indices + lines));
    ISO_TRY(read_values(f, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, entries, x));
    ISO_TRY(scatter(f, n, kind, entries, indices, indices + lines, x, w));

done:
    iso_free(f->ctx, indices);
    iso_free(f->ctx, x);
    return status;
}

static iso_status read_problem(const fclib_file* f, iso_fclib* out) {
    int dimensions = 0, n = 0;
    iso_status status = ISO_OK;
    ISO_REQUIRE(f->ctx, H5Lexists(f->id, "/fclib_local", H5P_DEFAULT) > 0, ISO_ERR_UNSUPPORTED,
                "%s: no group fclib_local; problems with mass matrices are not read", f->path);
    ISO_REQUIRE(f->ctx, H5Lexists(f->id, "/fclib_local/V", H5P_DEFAULT) <= 0, ISO_ERR_UNSUPPORTED,
                "%s: equality constraints (V, R) are not supported", f->path);
    ISO_TRY(read_count(f, "/fclib_local/spacedim", 2, 3, &dimensions));
    ISO_REQUIRE(f->ctx, dimensions == 3, ISO_ERR_UNSUPPORTED,
                "%s: a problem of 2 dimensions, expected 3", f->path);
    ISO_TRY(read_count(f, "/fclib_local/W/n", 3, 3 * ISO_FCLIB_CONTACTS_MAX, &n));
    ISO_REQUIRE(f->ctx, n % 3 == 0, ISO_ERR_RANGE, "%s: W has %d columns, expected three a contact",
                f->path, n);
    ISO_TRY(iso_fclib_allocate(f->ctx, n / 3, out));
    ISO_TRY(read_matrix(f, n, out->w));
    ISO_TRY(read_values(f, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, n, out->b));
    ISO_TRY(read_values(f, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, n / 3, out->friction));
    for (int i = 0; i < n; ++i) {
        double mu = out->friction[i / 3];
        ISO_REQUIRE(
            f->ctx, isfinite(out->b[i]) && isfinite(mu) && mu >= 0.0, ISO_ERR_RANGE,
            "%s: contact %d has velocity %g and friction %g, expected finite, friction >= 0",
            f->path, i / 3, out->b[i], mu);
    }
    if (H5Lexists(f->id, "/solution", H5P_DEFAULT) > 0) {
        ISO_TRY(read_values(f, "/solution/r", H5T_NATIVE_DOUBLE, n, out->r));
        ISO_TRY(read_values(f, "/solution/u", H5T_NATIVE_DOUBLE, n, out->u));
    }
done:
    return status;
}

iso_status iso_fclib_read(iso_context* ctx, const char* path, iso_fclib* out_problem) {
    ISO_REQUIRE(ctx, path && out_problem, ISO_ERR_ARGUMENT, "path and out_problem are required");
    *out_problem = (iso_fclib){0};
    const char* fault = iso_file_fault(path);
    ISO_REQUIRE(ctx, !fault, ISO_ERR_IO, "%s: %s", path, fault ? fault : "");
    quiet q = begin_quiet();
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
    (void)H5Eset_auto2(H5E_DEFAULT, q.print, q.user);
    if (status != ISO_OK) {
        iso_fclib_free(ctx, out_problem);
    }
    return status;
}

// --- writing -------------------------------------------------------------------------------------

static bool write_values(hid_t file, const char* name, hid_t type, int64_t count,
                         const void* values) {
    hsize_t size = (hsize_t)count;
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    (void)H5Pset_create_intermediate_group(links, 1);
    hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    bool is_good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    (void)H5Dclose(set);
    (void)H5Pclose(links);
    (void)H5Sclose(space);
    return is_good;
}

static bool write_count(hid_t file, const char* name, int value) {
    return write_values(file, name, H5T_NATIVE_INT, 1, &value);
}

// All entries that are not zero, by rows.
static bool write_matrix(hid_t file, const iso_fclib* p, int* lines, int* columns, double* x) {
    int n = 3 * p->contact_count, count = 0;
    for (int r = 0; r < n; ++r) {
        lines[r] = count;
        for (int c = 0; c < n; ++c) {
            double value = p->w[(size_t)r * (size_t)n + (size_t)c];
            if (value != 0.0) {
                columns[count] = c;
                x[count++] = value;
            }
        }
    }
    lines[n] = count;
    return write_count(file, "/fclib_local/W/nzmax", count) &&
           write_count(file, "/fclib_local/W/m", n) && write_count(file, "/fclib_local/W/n", n) &&
           write_count(file, "/fclib_local/W/nz", -2) &&
           write_values(file, "/fclib_local/W/p", H5T_NATIVE_INT, n + 1, lines) &&
           write_values(file, "/fclib_local/W/i", H5T_NATIVE_INT, count, columns) &&
           write_values(file, "/fclib_local/W/x", H5T_NATIVE_DOUBLE, count, x);
}

static bool write_problem(hid_t file, const iso_fclib* p, int* indices, double* x) {
    int n = 3 * p->contact_count;
    return file >= 0 && write_count(file, "/fclib_local/spacedim", 3) &&
           write_matrix(file, p, indices, indices + n + 1, x) &&
           write_values(file, "/fclib_local/vectors/q", H5T_NATIVE_DOUBLE, n, p->b) &&
           write_values(file, "/fclib_local/vectors/mu", H5T_NATIVE_DOUBLE, p->contact_count,
                        p->friction) &&
           write_values(file, "/solution/u", H5T_NATIVE_DOUBLE, n, p->u) &&
           write_values(file, "/solution/r", H5T_NATIVE_DOUBLE, n, p->r) &&
           H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0;
}

// The bytes of a file that HDF5 makes in memory: where a disk is full it would write without end.
static iso_status make_image(iso_context* ctx, const char* path, const iso_fclib* problem,
                             int* indices, double* x, char** out_bytes, size_t* out_size) {
    quiet q = begin_quiet();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_fapl_core(access, (size_t)1 << 16, false);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    bool is_good = write_problem(file, problem, indices, x);
    ssize_t size = is_good ? H5Fget_file_image(file, NULL, 0) : -1;
    *out_bytes = size > 0 ? iso_alloc(ctx, (size_t)size) : NULL;
    is_good =
        size > 0 && (!*out_bytes || H5Fget_file_image(file, *out_bytes, (size_t)size) == size);
    (void)H5Pclose(access);
    (void)(file < 0 ? 0 : H5Fclose(file));
    (void)H5Eset_auto2(H5E_DEFAULT, q.print, q.user);
    *out_size = (size_t)size;
    ISO_REQUIRE(ctx, is_good, ISO_ERR_IO, "%s: cannot be written", path);
    ISO_REQUIRE(ctx, *out_bytes, ISO_ERR_MEMORY, "file of %zd bytes", size);
    return ISO_OK;
}

iso_status iso_fclib_write(iso_context* ctx, const char* path, const iso_fclib* problem) {
    ISO_REQUIRE(ctx, path && problem && problem->contact_count > 0, ISO_ERR_ARGUMENT,
                "path and a problem with contacts are required");
    int n = 3 * problem->contact_count;
    int* indices = iso_alloc_array(ctx, n * n + n + 1, sizeof *indices);
    double* x = iso_alloc_array(ctx, n * n, sizeof *x);
    char* bytes = NULL;
    size_t size = 0;
    iso_file_writer writer;
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, indices && x, ISO_ERR_MEMORY, "matrix of %d rows", n);
    status = make_image(ctx, path, problem, indices, x, &bytes, &size);
    if (status == ISO_OK) {
        status = iso_file_writer_open(ctx, path, &writer);
    }
    if (status == ISO_OK) {
        (void)fwrite(bytes, 1, size, writer.file); // what fails is seen when it is committed
        status = iso_file_writer_commit(ctx, &writer);
    }

done:
    iso_free(ctx, bytes);
    iso_free(ctx, indices);
    iso_free(ctx, x);
    return status;
}

#else

iso_status iso_fclib_read(iso_context* ctx, const char* path, iso_fclib* out_problem) {
    *out_problem = (iso_fclib){0};
    return iso_fail(ctx, ISO_ERR_UNSUPPORTED, __func__,
                    "%s: files of FCLIB need HDF5, which was not there when Isobar was built",
                    path ? path : "");
}

iso_status iso_fclib_write(iso_context* ctx, const char* path, const iso_fclib* problem) {
    (void)problem;
    return iso_fail(ctx, ISO_ERR_UNSUPPORTED, __func__,
                    "%s: files of FCLIB need HDF5, which was not there when Isobar was built",
                    path ? path : "");
}

#endif
