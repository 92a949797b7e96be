// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/context.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(_WIN32)
#define OPEN_FLAGS O_BINARY // nothing there is waited for, and what is started inherits nothing
#else
#define OPEN_FLAGS (O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#endif

// Looked at after it is open, so that nothing else can come into its place; O_NONBLOCK, so that the
// open does not wait for who writes a pipe. What reading a regular file does is the same with it.
// Returns a descriptor, or -1 with the system's reason, which is 0 where it is not a regular file.
static int open_regular(const char* path, int* out_error) {
    struct stat info;
    int file = open(path, O_RDONLY | OPEN_FLAGS);
    *out_error = 0;
    if (file < 0) {
        // A socket and a device without a driver do not open: that is not the reason to tell.
        int error = errno;
        bool is_other = stat(path, &info) == 0 && !S_ISREG(info.st_mode) && error != EACCES;
        *out_error = is_other ? 0 : error;
        return -1;
    }
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
        return file;
    }
    close(file);
    return -1;
}

void iso_file_tell(iso_context* ctx, const char* path) {
    if (ctx && ctx->desc.file_fn) {
        iso_mutex_lock(&ctx->log_lock);
        ctx->desc.file_fn(ctx->desc.file_user, path);
        iso_mutex_unlock(&ctx->log_lock);
    }
}

iso_status iso_file_open(iso_context* ctx, const char* path, FILE** out_file) {
    int error = 0;
    iso_file_tell(ctx, path);
    int descriptor = open_regular(path, &error);
    *out_file = NULL;
    ISO_REQUIRE(ctx, descriptor >= 0 || error != 0, ISO_ERR_IO, "%s: not a regular file", path);
    ISO_REQUIRE(ctx, descriptor >= 0, ISO_ERR_IO, "%s: %s", path, strerror(error));
    *out_file = fdopen(descriptor, "rb");
    if (!*out_file) {
        error = errno;
        close(descriptor);
        return iso_fail(ctx, ISO_ERR_IO, __func__, "%s: %s", path, strerror(error));
    }
    return ISO_OK;
}

const char* iso_file_fault(const char* path) {
    struct stat info;
    int error = 0;
    int descriptor = open_regular(path, &error);
    if (descriptor < 0) {
        return error != 0 ? strerror(error) : "not a regular file";
    }
    bool has_bytes = fstat(descriptor, &info) == 0 && info.st_size > 0;
    close(descriptor);
    return has_bytes ? NULL : "it is empty";
}

static iso_status read_stream(iso_context* ctx, FILE* file, const char* path, size_t max_size,
                              char** out_bytes, size_t* out_size) {
    struct stat info;
    ISO_REQUIRE(ctx, fstat(fileno(file), &info) == 0, ISO_ERR_IO, "%s: %s", path, strerror(errno));
    size_t size = (size_t)info.st_size;
    ISO_REQUIRE(ctx, size <= max_size, ISO_ERR_RANGE, "%s: %zu bytes, expected at most %zu", path,
                size, max_size);
    char* bytes = iso_alloc(ctx, size + 1);
    ISO_REQUIRE(ctx, bytes, ISO_ERR_MEMORY, "%s: %zu bytes", path, size);
    // A file that shrinks meanwhile gives fewer bytes.
    size_t got = fread(bytes, 1, size, file);
    if (ferror(file)) {
        iso_free(ctx, bytes);
        return iso_fail(ctx, ISO_ERR_IO, __func__, "%s: %s", path, strerror(errno));
    }
    bytes[got] = '\0';
    *out_bytes = bytes;
    *out_size = got;
    return ISO_OK;
}

// What a clone of a repository has where nobody asked for the large files of it.
static bool is_lfs_pointer(const char* bytes) {
    static const char start[] = "version https://git-lfs.github.com/spec/";
    return strncmp(bytes, start, sizeof start - 1) == 0;
}

iso_status iso_file_read(iso_context* ctx, const char* path, size_t max_size, char** out_bytes,
                         size_t* out_size) {
    *out_bytes = NULL;
    *out_size = 0;
    FILE* file = NULL;
    iso_status status = iso_file_open(ctx, path, &file);
    if (status == ISO_OK) {
        status = read_stream(ctx, file, path, max_size, out_bytes, out_size);
        fclose(file);
    }
    if (status == ISO_OK && is_lfs_pointer(*out_bytes)) {
        iso_free(ctx, *out_bytes);
        *out_bytes = NULL;
        *out_size = 0;
        return iso_fail(ctx, ISO_ERR_PARSE, __func__,
                        "%s: a pointer of Git LFS in the place of the file, which 'git lfs pull' "
                        "brings",
                        path);
    }
    return status;
}

// To write is to wait for the reader again.
static bool make_waiting(int file) {
#if defined(_WIN32)
    return file >= 0;
#else
    return fcntl(file, F_SETFL, 0) == 0;
#endif
}

// Opening a pipe would wait until somebody reads it, maybe for ever.
FILE* iso_file_create(const char* path, const char** out_reason) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | OPEN_FLAGS, 0666);
    int error = errno;
    FILE* opened = NULL;
    if (file >= 0) {
        opened = make_waiting(file) ? fdopen(file, "wb") : NULL;
        error = errno;
        if (!opened) {
            close(file);
        }
    }
    *out_reason = error == ENXIO ? "a pipe that nobody reads" : strerror(error);
    return opened;
}

static iso_status open_writer(iso_context* ctx, const char* path, bool is_growing,
                              iso_file_writer* out_writer) {
    *out_writer = (iso_file_writer){0};
    iso_text part = {0};
    iso_status status = ISO_OK;
    iso_path_kind kind = iso_path_look(path);
    bool is_direct = kind != ISO_PATH_NONE ? kind != ISO_PATH_FILE : is_growing;
    char* copy = kind != ISO_PATH_NONE ? iso_path_real(ctx, path) : NULL; // through symbolic links
    if (!copy && (kind == ISO_PATH_NONE || errno != ENOMEM)) {
        copy = iso_strdup(ctx, path);
    }
    ISO_CHECK(ctx, copy, ISO_ERR_MEMORY, "%s: path", path);
    if (!is_direct) {
        ISO_TRY(iso_text_printf(ctx, &part, "%s.part", copy));
    }
    const char* reason = NULL;
    FILE* file = iso_file_create(is_direct ? copy : part.data, &reason);
    ISO_CHECK(ctx, file, ISO_ERR_IO, "%s: %s", path, reason);
    *out_writer = (iso_file_writer){.file = file, .path = copy, .part_path = part.data};

done:
    if (status != ISO_OK) {
        iso_free(ctx, copy);
        iso_text_free(ctx, &part);
    }
    return status;
}

iso_status iso_file_writer_open(iso_context* ctx, const char* path, iso_file_writer* out_writer) {
    return open_writer(ctx, path, false, out_writer);
}

iso_status iso_file_writer_open_growing(iso_context* ctx, const char* path,
                                        iso_file_writer* out_writer) {
    return open_writer(ctx, path, true, out_writer);
}

static void writer_free(iso_context* ctx, iso_file_writer* writer) {
    iso_free(ctx, writer->path);
    iso_free(ctx, writer->part_path);
    *writer = (iso_file_writer){0};
}

static void remove_part(const iso_file_writer* writer) {
    if (writer->part_path) {
        remove(writer->part_path);
    }
}

iso_status iso_file_writer_commit(iso_context* ctx, iso_file_writer* writer) {
    errno = EIO; // a write that failed long ago left no reason
    int write_error = fflush(writer->file) != 0 || ferror(writer->file) ? errno : 0;
    int close_error = fclose(writer->file) != 0 ? errno : 0;
    writer->file = NULL;
    int error = write_error ? write_error : close_error;
    if (error == 0 && writer->part_path) {
        error = iso_path_replace(writer->part_path, writer->path);
    }
    iso_status status = ISO_OK;
    if (error != 0) {
        remove_part(writer);
        status = iso_fail(ctx, ISO_ERR_IO, __func__, "%s: %s", writer->path, strerror(error));
    }
    writer_free(ctx, writer);
    return status;
}

void iso_file_writer_abort(iso_context* ctx, iso_file_writer* writer) {
    if (writer->file) {
        fclose(writer->file);
        remove_part(writer);
    }
    writer_free(ctx, writer);
}

void iso_file_writer_leave(iso_context* ctx, iso_file_writer* writer) {
    if (writer->file) {
        fclose(writer->file);
    }
    writer_free(ctx, writer);
}

static bool is_separator(char c) {
#if defined(_WIN32)
    return c == '/' || c == '\\';
#else
    return c == '/';
#endif
}

static bool is_absolute(const char* path) {
#if defined(_WIN32)
    return is_separator(path[0]) || (path[0] != '\0' && path[1] == ':');
#else
    return is_separator(path[0]);
#endif
}

static const char* after_last_slash(const char* path) {
    const char* name = path;
    for (const char* c = path; *c; ++c) {
        name = is_separator(*c) ? c + 1 : name;
    }
    return name;
}

char* iso_path_directory(iso_context* ctx, const char* path) {
    return iso_strndup(ctx, path, (size_t)(after_last_slash(path) - path));
}

char* iso_path_join(iso_context* ctx, const char* directory, const char* relative) {
    size_t length = strlen(directory);
    if (is_absolute(relative) || length == 0) {
        return iso_strdup(ctx, relative);
    }
    iso_text joined = {0};
    const char* separator = is_separator(directory[length - 1]) ? "" : "/";
    if (iso_text_printf(ctx, &joined, "%s%s%s", directory, separator, relative) != ISO_OK) {
        return NULL;
    }
    return joined.data;
}

#if defined(_WIN32)

// Files have no number there: their absolute paths are compared, as Windows does.
bool iso_is_same_file(const char* a, const char* b) {
    char* whole_a = a ? _fullpath(NULL, a, 0) : NULL;
    char* whole_b = b ? _fullpath(NULL, b, 0) : NULL;
    iso_path_kind kind = whole_a ? iso_path_look(whole_a) : ISO_PATH_SPECIAL;
    bool is_same = whole_a && whole_b && (kind == ISO_PATH_FILE || kind == ISO_PATH_NONE) &&
                   iso_text_equals_folded(whole_a, whole_b);
    free(whole_a);
    free(whole_b);
    return is_same;
}

#else

// The folder that a path is in, as far as it can be found.
static bool find_folder(const char* path, struct stat* out_info) {
    char folder[4096]; // a longer path leads nowhere (PATH_MAX)
    size_t length = (size_t)(after_last_slash(path) - path);
    if (length >= sizeof folder) {
        return false;
    }
    memcpy(folder, path, length);
    folder[length] = '\0';
    return stat(length > 0 ? folder : ".", out_info) == 0;
}

static bool is_same_entry(const struct stat* a, const struct stat* b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool iso_is_same_file(const char* a, const char* b) {
    struct stat info_a, info_b;
    if (!a || !b) {
        return false;
    }
    bool has_a = stat(a, &info_a) == 0, has_b = stat(b, &info_b) == 0;
    if (has_a || has_b) {
        return has_a && has_b && S_ISREG(info_a.st_mode) && is_same_entry(&info_a, &info_b);
    }
    if (!find_folder(a, &info_a) || !find_folder(b, &info_b)) {
        return strcmp(a, b) == 0;
    }
    return is_same_entry(&info_a, &info_b) && strcmp(after_last_slash(a), after_last_slash(b)) == 0;
}

#endif

static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

// Both up to the end of b.
static bool begins(const char* a, const char* b) {
    while (*b && lower(*a) == lower(*b)) {
        ++a;
        ++b;
    }
    return *b == '\0';
}

bool iso_text_begins_folded(const char* text, const char* start) {
    return begins(text, start);
}

bool iso_text_equals_folded(const char* a, const char* b) {
    return strlen(a) == strlen(b) && begins(a, b);
}

bool iso_path_has_extension(const char* path, const char* extension) {
    const char* name = after_last_slash(path);
    const char* dot = strrchr(name, '.');
    return dot && dot != name && iso_text_equals_folded(dot + 1, extension + (extension[0] == '.'));
}
