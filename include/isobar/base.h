// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Marks what the library exports.
#if defined(_WIN32)
#define ISO_API __declspec(dllexport)
#elif defined(__GNUC__)
#define ISO_API __attribute__((visibility("default")))
#else
#define ISO_API
#endif

/// Marks a result that must be looked at.
#if defined(__GNUC__)
#define ISO_NODISCARD __attribute__((warn_unused_result))
#define ISO_PRINTF(format_index, first_arg) __attribute__((format(printf, format_index, first_arg)))
#else
#define ISO_NODISCARD
#define ISO_PRINTF(format_index, first_arg)
#endif

/// Every status an Isobar function may return, with its text. One list: the enum and the texts
/// cannot drift apart. The command maps them to exit codes (docs/errors.md).
#define ISO_STATUS_LIST(X)                                  \
    X(ISO_OK, "ok")                                         \
    X(ISO_ERR_ARGUMENT, "argument missing or inconsistent") \
    X(ISO_ERR_RANGE, "value outside its valid range")       \
    X(ISO_ERR_MEMORY, "allocation failed")                  \
    X(ISO_ERR_IO, "file cannot be read or written")         \
    X(ISO_ERR_PARSE, "malformed input")                     \
    X(ISO_ERR_UNSUPPORTED, "not supported")                 \
    X(ISO_ERR_NOT_FOUND, "name not found")                  \
    X(ISO_ERR_GEOMETRY, "unusable geometry")                \
    X(ISO_ERR_NO_CONVERGENCE, "iteration limit reached")    \
    X(ISO_ERR_NUMERIC, "not a finite number")

/// What a function came to; see ISO_STATUS_LIST.
typedef enum iso_status {
#define ISO_STATUS_ENUM(name, text) name,
    ISO_STATUS_LIST(ISO_STATUS_ENUM)
#undef ISO_STATUS_ENUM
        ISO_STATUS_COUNT
} iso_status;

/// Text of a status, static storage. Never NULL; "unknown status" for values out of the list.
ISO_API const char* iso_status_text(iso_status status);

/// How important a log message is.
typedef enum iso_log_level {
    ISO_LOG_DEBUG,
    ISO_LOG_INFO,
    ISO_LOG_WARNING,
    ISO_LOG_ERROR,
} iso_log_level;

/// Reallocate: `realloc`-shaped and told the old size. new_size 0 frees and returns NULL;
/// old_ptr NULL allocates. Returned memory is aligned for any type (at least 16 bytes).
typedef void* (*iso_realloc_fn)(void* user, void* old_ptr, size_t old_size, size_t new_size);

/// Receives every log message, one line without newline. May be called from worker threads, never
/// from two at once.
typedef void (*iso_log_fn)(void* user, iso_log_level level, const char* message);

/// Receives a failed internal check (a bug of ours). Returning continues; the default aborts.
typedef void (*iso_assert_fn)(void* user, const char* condition, const char* file, int line);

/// Told of each file before it is opened for reading, found or not; path is valid in the call only.
/// Of what a mesh file names in turn, buffers are told: nothing else of it (materials, images) is
/// read. May be called from worker threads, never from two at once.
typedef void (*iso_file_fn)(void* user, const char* path);

/// Everything a process shares: allocator, log sink, assert hook, last error. No globals exist
/// beside it. Distinct contexts are independent; one context may be used by one thread at a time,
/// its own worker threads and calls that say otherwise (of clones of a world) excepted. Where such
/// calls fail at once the last error is that of one of them; read it when all have returned.
typedef struct iso_context iso_context;

/// How to build a context. Start from iso_context_desc_default().
typedef struct iso_context_desc {
    iso_realloc_fn realloc_fn; ///< NULL: the C library's
    void* realloc_user;        ///< passed to realloc_fn
    iso_log_fn log_fn;         ///< NULL: warnings and errors go to stderr
    void* log_user;            ///< passed to log_fn
    iso_log_level log_level;   ///< messages below this level are not formatted
    iso_assert_fn assert_fn;   ///< NULL: print and abort
    void* assert_user;         ///< passed to assert_fn
    iso_file_fn file_fn;       ///< NULL: nobody is told of files
    void* file_user;           ///< passed to file_fn
} iso_context_desc;

/// Default: C library allocator, log to stderr from ISO_LOG_WARNING, abort on a failed check.
ISO_API iso_context_desc iso_context_desc_default(void);

/// Create a context.
/// @param      desc         copied; NULL means the default
/// @param[out] out_context  owned by the caller, release with iso_context_destroy(); NULL on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY, ISO_ERR_UNSUPPORTED (this build needs SIMD
///         instructions which the processor lacks)
ISO_NODISCARD ISO_API iso_status iso_context_create(const iso_context_desc* desc,
                                                    iso_context** out_context);

/// Destroy a context after everything made with it. NULL is allowed.
ISO_API void iso_context_destroy(iso_context* ctx);

/// Message of the last error of this context: one line, "" when there was none. Owned by the
/// context, valid until the next failing call.
ISO_API const char* iso_context_error(const iso_context* ctx);

/// True when both paths are of one regular file, or, where there is none yet, of one that would be:
/// whoever writes it must not be reading it, nor write it twice. Devices, folders
/// and NULL never are.
ISO_API bool iso_is_same_file(const char* a, const char* b);

/// Version of the library, "major.minor.patch".
ISO_API const char* iso_version(void);

/// What this library was compiled with, for programs that load it with declarations of their own
/// and must not read past a structure (the Python package checks all of it when it is imported):
/// sizes of public structures ("iso_pose"), offsets of their members ("iso_pose.p"), values of
/// enumerators ("ISO_OK").
/// @return number of entries
ISO_API int iso_layout_count(void);
/// Name of an entry, static; "" for indices out of range.
ISO_API const char* iso_layout_name(int entry);
/// Size or offset [bytes] or value of an entry; -1 for indices out of range.
ISO_API long long iso_layout_value(int entry);

/// SIMD back end this library was compiled for: "avx512", "avx2", "neon" or "scalar".
ISO_API const char* iso_simd_backend(void);

#ifdef __cplusplus
}
#endif
