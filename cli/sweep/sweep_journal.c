// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/json_output.h"
#include "cli/sweep/sweep.h"
#include "isobar/identify.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Bytes that are locked lie beyond any line: first that of whoever appends, then one per variant.
static const off_t k_append_byte = (off_t)1 << 40;
static const off_t k_first_variant_byte = ((off_t)1 << 40) + 1;
enum { k_longest_error = 2000 };

static struct flock lock_of(off_t byte, short type) {
    struct flock lock;
    memset(&lock, 0, sizeof lock);
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}

static bool lock_and_wait(int fd, off_t byte) {
    struct flock lock = lock_of(byte, F_WRLCK);
    int result = 0;
    do {
        result = fcntl(fd, F_SETLKW, &lock);
    } while (result != 0 && errno == EINTR);
    return result == 0;
}

static void unlock(int fd, off_t byte) {
    struct flock lock = lock_of(byte, F_UNLCK);
    (void)fcntl(fd, F_SETLK, &lock);
}

static bool complain(const sweep_journal* journal, const char* what) {
    cli_error("%s: cannot be %s: %s\n", journal->path, what, strerror(errno));
    return false;
}

// --- lines ---------------------------------------------------------------------------------------

static bool write_all(int fd, const char* bytes, size_t size, off_t at) {
    while (size > 0) {
        ssize_t written = pwrite(fd, bytes, size, at);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        size_t step = written > 0 ? (size_t)written : 0;
        bytes += step;
        at += (off_t)step;
        size -= step;
    }
    return true;
}

/// Where whole lines end: behind them lies what a process left that was killed as it wrote.
static off_t end_of_lines(int fd) {
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return -1;
    }
    off_t end = info.st_size;
    char byte = '\0';
    while (end > 0 && (pread(fd, &byte, 1, end - 1) != 1 || byte != '\n')) {
        --end;
    }
    return end;
}

/// Append one line; the caller's reference is released.
static bool append(sweep_journal* journal, json_t* line) {
    char* text = line != NULL ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(line);
    if (text == NULL) {
        cli_error("out of memory: journal of the sweep\n");
        return false;
    }
    size_t length = strlen(text);
    text[length] = '\n'; // in the place of the zero
    bool is_good = lock_and_wait(journal->fd, k_append_byte);
    off_t end = is_good ? end_of_lines(journal->fd) : -1;
    is_good = end >= 0 && ftruncate(journal->fd, end) == 0 &&
              write_all(journal->fd, text, length + 1, end) && fdatasync(journal->fd) == 0;
    if (!is_good) {
        int error = errno;
        if (end >= 0 && ftruncate(journal->fd, end) != 0) {
            error = errno; // a part of a line, which the next one to append removes
        }
        errno = error;
        complain(journal, "written");
    }
    unlock(journal->fd, k_append_byte);
    free(text);
    return is_good;
}

/// Of the numbers of a variant that is finished, by which damage is found.
static double check_of(const sweep_journal* journal, int variant, const double* values,
                       double wall_seconds, double cpu_seconds) {
    const double rest[3] = {variant, wall_seconds, cpu_seconds};
    double check = iso_table_check(rest, 3);
    for (int i = 0; i < journal->measure_count; ++i) {
        const double pair[2] = {check, isfinite(values[i]) ? values[i] : -1e300};
        check = iso_table_check(pair, 2);
    }
    return check;
}

bool sweep_journal_finish(sweep_journal* journal, int variant, const double* values,
                          const char* error, double wall_seconds, double cpu_seconds) {
    json_t* numbers = json_array();
    for (int i = 0; i < journal->measure_count; ++i) {
        json_array_append_new(numbers, isfinite(values[i]) ? json_real(values[i]) : json_null());
    }
    json_t* line = json_pack("{s:i,s:o,s:f,s:f,s:f}", "variant", variant, "values", numbers,
                             "wall_s", wall_seconds, "cpu_s", cpu_seconds, "check",
                             check_of(journal, variant, values, wall_seconds, cpu_seconds));
    if (line != NULL && error != NULL) {
        char text[k_longest_error];
        snprintf(text, sizeof text, "%s", error);
        json_object_set_new(line, "error", cli_json_path(text));
    }
    return append(journal, line);
}

bool sweep_journal_note_death(sweep_journal* journal, int variant, int signal) {
    return append(journal, json_pack("{s:i,s:i}", "died_at", variant, "signal", signal));
}

// --- reading -------------------------------------------------------------------------------------

static int index_in(const json_t* line, const char* key, int count) {
    const json_t* value = json_object_get(line, key);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    return number >= 0 && number < count ? (int)number : -1;
}

/// False: it says nothing that a journal says.
static bool take_line(sweep_journal* journal, const json_t* line) {
    int died = index_in(line, "died_at", journal->variant_count);
    if (died >= 0) {
        ++journal->rows[died].death_count;
        return true;
    }
    int variant = index_in(line, "variant", journal->variant_count);
    const json_t* values = json_object_get(line, "values");
    if (variant < 0 || json_array_size(values) != (size_t)journal->measure_count) {
        return false;
    }
    sweep_row* row = &journal->rows[variant];
    if (row->is_done) {
        return true;
    }
    for (int i = 0; i < journal->measure_count; ++i) {
        const json_t* value = json_array_get(values, (size_t)i);
        row->values[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
    }
    const json_t* cpu = json_object_get(line, "cpu_s"); // which the first journals lack
    const json_t* check = json_object_get(line, "check");
    row->wall_seconds = json_number_value(json_object_get(line, "wall_s"));
    row->cpu_seconds = cpu != NULL ? json_number_value(cpu) : row->wall_seconds;
    if (check != NULL &&
        json_number_value(check) !=
            check_of(journal, variant, row->values, row->wall_seconds, row->cpu_seconds)) {
        return false;
    }
    const char* error = json_string_value(json_object_get(line, "error"));
    row->error = error != NULL ? strdup(error) : NULL;
    row->is_done = true;
    ++journal->done_count;
    return true;
}

static bool is_header(const sweep_journal* journal, const json_t* line) {
    json_t* wanted = journal->source.header(journal->source.of);
    bool is_same = json_equal(wanted, line) != 0;
    json_decref(wanted);
    return is_same;
}

static bool take_text(sweep_journal* journal, const char* start, size_t length, bool is_first) {
    json_t* line = json_loadb(start, length, 0, NULL);
    bool is_good = is_first ? is_header(journal, line) : take_line(journal, line);
    json_decref(line);
    if (!is_good && is_first) {
        cli_error("%s: is of another sweep (scene, axes, measures, settings or version "
                  "differ), expected none or one of this sweep: remove it, or name another table\n",
                  journal->path);
    } else if (!is_good) {
        cli_error("%s:%d: the line is damaged; without it its variant is run again: "
                  "%.*s\n",
                  journal->path, journal->line_count + 1, length < 80 ? (int)length : 80, start);
    }
    return is_good;
}

bool sweep_journal_read(sweep_journal* journal) {
    struct stat info;
    if (fstat(journal->fd, &info) != 0) {
        return complain(journal, "read");
    }
    if (info.st_size <= journal->read_to) {
        return true;
    }
    size_t size = (size_t)(info.st_size - journal->read_to);
    char* text = malloc(size);
    ssize_t got = text != NULL ? pread(journal->fd, text, size, journal->read_to) : -1;
    bool is_good = got >= 0 || complain(journal, "read");
    const char* start = text;
    const char* end = text != NULL && got > 0 ? text + got : text;
    while (is_good && start < end) {
        const char* stop = memchr(start, '\n', (size_t)(end - start));
        if (stop == NULL) {
            break; // not written to its end yet
        }
        is_good = take_text(journal, start, (size_t)(stop - start), journal->read_to == 0);
        journal->read_to += stop + 1 - start;
        ++journal->line_count;
        start = stop + 1;
    }
    free(text);
    return is_good;
}

// --- opening -------------------------------------------------------------------------------------

static bool begin(sweep_journal* journal) {
    if (!lock_and_wait(journal->fd, k_append_byte)) {
        return complain(journal, "locked");
    }
    bool is_empty = end_of_lines(journal->fd) == 0;
    if (is_empty) { // still locked: nobody begins it twice
        json_t* header = journal->source.header(journal->source.of);
        char* text = header != NULL ? json_dumps(header, JSON_COMPACT) : NULL;
        json_decref(header);
        size_t length = text != NULL ? strlen(text) : 0;
        bool is_good = text != NULL && ftruncate(journal->fd, 0) == 0;
        if (is_good) {
            text[length] = '\n';
            is_good = write_all(journal->fd, text, length + 1, 0) && fdatasync(journal->fd) == 0;
        }
        free(text);
        if (!is_good) {
            complain(journal, "written");
            unlock(journal->fd, k_append_byte);
            return false;
        }
    }
    unlock(journal->fd, k_append_byte);
    return true;
}

cli_exit sweep_journal_open(const sweep_source* source, const char* path, sweep_journal* out) {
    int variants = source->variant_count, measures = source->measure_count;
    *out = (sweep_journal){
        .source = *source, .variant_count = variants, .measure_count = measures, .fd = -1};
    out->path = strdup(path);
    out->rows = calloc((size_t)variants, sizeof *out->rows);
    out->values = calloc((size_t)variants * (size_t)measures, sizeof *out->values);
    if (out->path == NULL || out->rows == NULL || out->values == NULL) {
        cli_error("out of memory: %d variants of a sweep\n", variants);
        return CLI_BAD_INPUT;
    }
    for (int i = 0; i < variants; ++i) {
        out->rows[i].values = out->values + (size_t)i * (size_t)measures;
    }
    out->fd = open(out->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (out->fd < 0) {
        complain(out, "opened");
        return CLI_BAD_INPUT;
    }
    return begin(out) && sweep_journal_read(out) ? CLI_DONE : CLI_BAD_INPUT;
}

void sweep_journal_close(sweep_journal* journal) {
    for (int i = 0; journal->rows != NULL && i < journal->variant_count; ++i) {
        free(journal->rows[i].error);
    }
    if (journal->fd >= 0) {
        close(journal->fd);
    }
    free(journal->rows);
    free(journal->values);
    free(journal->path);
}

// --- who works on what ---------------------------------------------------------------------------

bool sweep_journal_is_claimed(const sweep_journal* journal, int variant) {
    struct flock lock = lock_of(k_first_variant_byte + variant, F_WRLCK);
    return fcntl(journal->fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool sweep_journal_claim(sweep_journal* journal, int variant) {
    struct flock lock = lock_of(k_first_variant_byte + variant, F_WRLCK);
    if (journal->rows[variant].is_done || fcntl(journal->fd, F_SETLK, &lock) != 0) {
        return false;
    }
    // Whoever had it may have finished it since the journal was read.
    if (!sweep_journal_read(journal) || journal->rows[variant].is_done) {
        sweep_journal_release(journal, variant);
        return false;
    }
    return true;
}

void sweep_journal_release(sweep_journal* journal, int variant) {
    unlock(journal->fd, k_first_variant_byte + variant);
}

bool sweep_journal_enter(const sweep_journal* journal) {
    return lock_and_wait(journal->fd, k_append_byte) || complain(journal, "locked");
}

void sweep_journal_leave(const sweep_journal* journal) {
    unlock(journal->fd, k_append_byte);
}
