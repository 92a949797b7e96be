// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Problems of contact with friction in the format of FCLIB (asperity/rigid/fclib.h): written.

#include "asperity/rigid/fclib.h"

#include "base/core/text.h"

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

// HDF5 prints its own errors unless it is told not to; what it was told before comes back.
iso_fclib_quiet iso_fclib_quiet_begin(void) {
    iso_fclib_quiet q = {NULL, NULL};
    (void)H5Eget_auto2(H5E_DEFAULT, &q.print, &q.user);
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

void iso_fclib_quiet_end(iso_fclib_quiet q) {
    (void)H5Eset_auto2(H5E_DEFAULT, q.print, q.user);
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
    iso_fclib_quiet q = iso_fclib_quiet_begin();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    (void)H5Pset_fapl_core(access, (size_t)1 << 16, false);
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    bool is_good = write_problem(file, problem, indices, x);
    long long size = is_good ? H5Fget_file_image(file, NULL, 0) : -1;
    *out_bytes = size > 0 ? iso_alloc(ctx, (size_t)size) : NULL;
    is_good =
        size > 0 && (!*out_bytes || H5Fget_file_image(file, *out_bytes, (size_t)size) == size);
    (void)H5Pclose(access);
    (void)(file < 0 ? 0 : H5Fclose(file));
    iso_fclib_quiet_end(q);
    *out_size = (size_t)size;
    ISO_REQUIRE(ctx, is_good, ISO_ERR_IO, "%s: cannot be written", path);
    ISO_REQUIRE(ctx, *out_bytes, ISO_ERR_MEMORY, "file of %lld bytes", size);
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

iso_status iso_fclib_write(iso_context* ctx, const char* path, const iso_fclib* problem) {
    (void)problem;
    return iso_fail(ctx, ISO_ERR_UNSUPPORTED, __func__,
                    "%s: files of FCLIB need HDF5, which was not there when Isobar was built",
                    path ? path : "");
}

#endif
