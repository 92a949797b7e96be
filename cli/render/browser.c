// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#define _XOPEN_SOURCE 700 // nftw()

#include "cli/render/browser.h"

#include "cli/render/program.h"

#include "cli/parts/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;

enum {
    k_patience = 120000, // for one answer [ms]
    k_first_descriptor = 10,
    k_longest_root = 40, // names of sockets below it must not be longer than 107
    k_most_received = 1 << 30,
};

static bool fail(cli_browser* browser, const char* format, ...) {
    va_list args;
    va_start(args, format);
    (void)vsnprintf(browser->error, sizeof browser->error, format, args);
    va_end(args);
    return false;
}

bool cli_browser_open(cli_browser* browser) {
    const char* root = getenv("TMPDIR");
    *browser = (cli_browser){.to = -1, .from = -1};
    cli_catch_signals(); // they would leave the folder behind, and end the wait for an answer
    (void)snprintf(browser->folder, sizeof browser->folder, "%s/isobar_render_XXXXXX",
                   root != NULL && strlen(root) <= k_longest_root ? root : "/tmp");
    if (mkdtemp(browser->folder) == NULL) {
        fail(browser, "'%s': no folder can be made there: %s", browser->folder, strerror(errno));
        browser->folder[0] = '\0';
        return false;
    }
    return true;
}

/// Both ends of a pipe, above the descriptors that the child gets.
static bool open_pipe(int ends[2]) {
    int raw[2];
    if (pipe(raw) != 0) {
        return false;
    }
    for (int i = 0; i < 2; ++i) {
        ends[i] = fcntl(raw[i], F_DUPFD_CLOEXEC, k_first_descriptor);
    }
    close(raw[0]);
    close(raw[1]);
    return ends[0] >= 0 && ends[1] >= 0;
}

/// The program, with commands on descriptor 3 and answers on 4, in a process group of its own.
static int spawn(cli_browser* browser, const char* program, const char* const* args, int in,
                 int out) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    for (int i = 0; i < 3; ++i) {
        posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
    }
    posix_spawn_file_actions_adddup2(&actions, in, 3);
    posix_spawn_file_actions_adddup2(&actions, out, 4);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    char path[4096];
    int code = cli_find_program(program, path, sizeof path)
                   ? posix_spawn(&browser->process, path, &actions, &attributes, (char* const*)args,
                                 environ)
                   : ENOENT;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (code != 0) {
        browser->process = 0;
    }
    return code;
}

static bool start(cli_browser* browser) {
    char profile[300];
    (void)setenv("TMPDIR", browser->folder, 1); // what Chromium leaves goes with the folder
    (void)snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", browser->folder);
    const char* args[] = {"chromium",
                          "--headless",
                          "--remote-debugging-pipe",
                          profile,
                          "--no-first-run",
                          "--disable-background-networking",
                          "--disable-component-update",
                          "--disable-sync",
                          "--disable-extensions",
                          "--hide-scrollbars",
                          "--mute-audio",
                          "--use-gl=angle",
                          "--use-angle=swiftshader",
                          "--enable-unsafe-swiftshader",
                          geteuid() == 0 ? "--no-sandbox" : "--disable-default-apps",
                          NULL};
    const char* named = getenv("ISOBAR_CHROMIUM");
    const char* programs[] = {named, "chromium", "chromium-browser", "google-chrome",
                              "google-chrome-stable"};
    int commands[2] = {-1, -1}, answers[2] = {-1, -1};
    int code = open_pipe(commands) && open_pipe(answers) ? ENOENT : EMFILE;
    size_t count = named != NULL && *named != '\0' ? 1 : sizeof programs / sizeof programs[0];
    for (size_t i = count == 1 ? 0 : 1; i < count && code == ENOENT; ++i) {
        code = spawn(browser, programs[i], args, commands[0], answers[1]);
    }
    close(commands[0]);
    close(answers[1]);
    browser->to = commands[1];
    browser->from = answers[0];
    return code == 0 || fail(browser,
                             "no Chromium can be started: %s; install it (Debian: chromium), or "
                             "name one in ISOBAR_CHROMIUM",
                             strerror(code));
}

static bool send_text(cli_browser* browser, const char* text) {
    size_t size = strlen(text) + 1, sent = 0; // messages end with a zero
    while (sent < size) {
        ssize_t part = write(browser->to, text + sent, size - sent);
        if (part < 0 && errno != EINTR) {
            return fail(browser, "Chromium has ended");
        }
        sent += part > 0 ? (size_t)part : 0;
    }
    return true;
}

/// More bytes of Chromium's; false with error.
static bool receive(cli_browser* browser) {
    if (browser->received_size + 65536 > browser->received_room) {
        size_t room = 2 * browser->received_room + 131072;
        char* grown = room < k_most_received ? realloc(browser->received, room) : NULL;
        if (grown == NULL) {
            return fail(browser, "an answer of Chromium is too large: choose a smaller --size");
        }
        browser->received = grown;
        browser->received_room = room;
    }
    struct pollfd waits = {.fd = browser->from, .events = POLLIN};
    int ready = cli_noted_signal() != 0 ? -1 : poll(&waits, 1, k_patience);
    if (cli_noted_signal() != 0) {
        return fail(browser, "interrupted");
    }
    if (ready == 0) {
        return fail(browser, "Chromium has not answered for %d s", k_patience / 1000);
    }
    ssize_t part = ready < 0 ? -1
                             : read(browser->from, browser->received + browser->received_size,
                                    browser->received_room - browser->received_size);
    if (part == 0 || (part < 0 && errno != EINTR)) {
        return fail(browser, "Chromium has ended");
    }
    browser->received_size += part > 0 ? (size_t)part : 0;
    return true;
}

/// The next message; NULL with error.
static json_t* take_message(cli_browser* browser) {
    const char* end = NULL;
    size_t searched = 0;
    while (end == NULL) {
        if (browser->received_size > searched) {
            end = memchr(browser->received + searched, 0, browser->received_size - searched);
            searched = browser->received_size;
        }
        if (end == NULL && !receive(browser)) {
            return NULL;
        }
    }
    size_t length = (size_t)(end - browser->received);
    json_t* message = json_loadb(browser->received, length, 0, NULL);
    browser->received_size -= length + 1;
    memmove(browser->received, end + 1, browser->received_size);
    if (message == NULL) {
        fail(browser, "Chromium has sent what is no JSON");
    }
    return message;
}

/// Send a command (params is taken over) and wait for its result; NULL with error.
static json_t* call(cli_browser* browser, const char* method, json_t* params) {
    int id = ++browser->message_count;
    json_t* command = json_pack("{s:i, s:s, s:o}", "id", id, "method", method, "params", params);
    if (command != NULL && browser->session[0] != '\0') {
        json_object_set_new(command, "sessionId", json_string(browser->session));
    }
    char* text = command != NULL ? json_dumps(command, JSON_COMPACT) : NULL;
    json_decref(command);
    bool is_sent = text != NULL ? send_text(browser, text) : fail(browser, "out of memory");
    free(text);
    json_t* result = NULL;
    while (is_sent && result == NULL) {
        json_t* message = take_message(browser);
        if (message == NULL) {
            return NULL;
        }
        if (json_integer_value(json_object_get(message, "id")) == id) {
            result = json_incref(json_object_get(message, "result"));
            if (result == NULL) {
                const char* why = json_string_value(
                    json_object_get(json_object_get(message, "error"), "message"));
                fail(browser, "Chromium refuses %s: %s", method, why != NULL ? why : "no reason");
                is_sent = false;
            }
        }
        json_decref(message);
    }
    return result;
}

/// An address of a file, in which everything but plain characters is escaped.
static void write_address(const char* folder, const char* page, char* out, size_t size) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, page);
    size_t used = (size_t)snprintf(out, size, "file://");
    for (const char* c = path; *c != '\0' && used + 4 < size; ++c) {
        bool is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                        (*c >= '-' && *c <= '9') || *c == '_'; // with . and /
        used += (size_t)snprintf(out + used, size - used, is_plain ? "%c" : "%%%02X",
                                 (unsigned)(unsigned char)*c);
    }
}

bool cli_browser_show(cli_browser* browser, const char* page) {
    char address[1600];
    (void)signal(SIGPIPE, SIG_IGN); // a browser that ends is an error of write()
    if (!start(browser)) {
        return false;
    }
    write_address(browser->folder, page, address, sizeof address);
    json_t* target = call(browser, "Target.createTarget", json_pack("{s:s}", "url", address));
    const char* id = json_string_value(json_object_get(target, "targetId"));
    json_t* attached = id == NULL ? NULL
                                  : call(browser, "Target.attachToTarget",
                                         json_pack("{s:s, s:b}", "targetId", id, "flatten", 1));
    const char* session = json_string_value(json_object_get(attached, "sessionId"));
    (void)snprintf(browser->session, sizeof browser->session, "%s", session ? session : "");
    bool is_there = session != NULL;
    json_decref(attached);
    json_decref(target);
    // The page's script may not have run yet.
    for (int i = 0; is_there && i < 600; ++i) {
        json_t* found = cli_browser_evaluate(browser, "window.isobar ? isobar.ready : null");
        bool is_ready = json_is_true(found), is_broken = json_is_false(found);
        is_there = found != NULL;
        json_decref(found);
        if (is_ready) {
            return true;
        }
        if (is_broken) {
            return fail(browser, "the page cannot show this recording");
        }
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return is_there && fail(browser, "the page has not loaded");
}

json_t* cli_browser_evaluate(cli_browser* browser, const char* expression) {
    json_t* answer = call(browser, "Runtime.evaluate",
                          json_pack("{s:s, s:b, s:b}", "expression", expression, "awaitPromise", 1,
                                    "returnByValue", 1));
    json_t* thrown = json_object_get(answer, "exceptionDetails");
    json_t* value = NULL;
    if (thrown != NULL) {
        const char* text =
            json_string_value(json_object_get(json_object_get(thrown, "exception"), "description"));
        text = text != NULL ? text : "an exception in the page";
        fail(browser, "%.*s", (int)strcspn(text, "\n"), text);
    } else if (answer != NULL) {
        value = json_object_get(json_object_get(answer, "result"), "value");
        value = value != NULL ? json_incref(value) : json_null();
    }
    json_decref(answer);
    return value;
}

static int remove_one(const char* path, const struct stat* status, int kind, struct FTW* place) {
    (void)status, (void)kind, (void)place;
    (void)remove(path);
    return 0;
}

void cli_browser_close(cli_browser* browser) {
    if (browser->process > 0) {
        close(browser->to);
        close(browser->from);
        kill(-browser->process, SIGKILL);
        (void)waitpid(browser->process, NULL, 0);
    }
    if (browser->folder[0] != '\0') {
        // Its children may write for a moment after they were told to end.
        for (int i = 0; i < 20 && access(browser->folder, F_OK) == 0; ++i) {
            (void)nftw(browser->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
            if (access(browser->folder, F_OK) == 0) {
                nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
            }
        }
    }
    free(browser->received);
    *browser = (cli_browser){.to = -1, .from = -1};
    cli_end_by_signal();
}
