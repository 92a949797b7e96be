// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "live/server.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "isobar/live.h"

#if defined(ISO_HAS_LIVE)

#include <errno.h>
#include <libwebsockets.h>
#include <stdio.h>
#include <string.h>

_Static_assert(LWS_PRE <= ISO_LIVE_HEADROOM, "messages have room for the header of a frame");

enum { k_chunk = 16384, k_files = 512, k_head = 1024 };

struct iso_live_server {
    iso_context* ctx;
    const iso_live_access* access;
    iso_live_mailbox* box;
    const char* page;
    size_t page_size;
    int client_limit;
    int next_client;
    struct lws_protocols protocols[2];
    struct lws_context* lws;
    iso_thread thread;
};

/// One connection: a request for the page, or a page.
typedef struct client {
    bool is_page;
    int number;
    uint64_t sent[ISO_LIVE_SLOT_COUNT]; ///< number of the newest message that it has
    size_t page_sent;                   ///< of the HTML
    size_t size;                        ///< of `text`
    char text[ISO_LIVE_MESSAGE_LIMIT];  ///< a message that arrives in pieces
} client;

static void read_header(struct lws* wsi, enum lws_token_indexes which, char* text, int room) {
    if (lws_hdr_copy(wsi, text, room, which) < 0) {
        (void)snprintf(text, (size_t)room, "?"); // too long for anything that is let in
    }
}

// HTTP status of a request: 200 when it is let in.
static unsigned judge(const iso_live_server* server, struct lws* wsi, bool is_websocket) {
    char host[ISO_LIVE_HOST_SIZE] = "", origin[ISO_LIVE_HOST_SIZE] = "";
    char room[ISO_LIVE_TOKEN_SIZE + 8] = "";
    read_header(wsi, WSI_TOKEN_HOST, host, sizeof host);
    read_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin);
    const char* token = lws_get_urlarg_by_name(wsi, "token=", room, sizeof room);
    if (!iso_live_allows_host(server->access, host)) {
        return HTTP_STATUS_FORBIDDEN;
    }
    if (is_websocket && !iso_live_allows_origin(host, origin)) {
        return HTTP_STATUS_FORBIDDEN;
    }
    return iso_live_allows_token(server->access, token ? token : "") ? HTTP_STATUS_OK
                                                                     : HTTP_STATUS_UNAUTHORIZED;
}

static int finish(struct lws* wsi) {
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int refuse(struct lws* wsi, unsigned code) {
    (void)lws_return_http_status(wsi, code, NULL);
    return finish(wsi);
}

// The page asks for nothing from anywhere but this server, and stands in frames of this machine's
// pages only: notebooks show it.
static int begin_page(iso_live_server* server, struct lws* wsi, const char* path) {
    static const struct {
        const char *name, *value;
    } fields[] = {{"cache-control:", "no-store"},
                  {"referrer-policy:", "no-referrer"},
                  {"x-content-type-options:", "nosniff"},
                  {"cross-origin-opener-policy:", "same-origin"},
                  {"content-security-policy:",
                   "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                   "img-src data: blob:; connect-src 'self' ws:; "
                   "frame-ancestors http://127.0.0.1:* http://localhost:*; base-uri 'none'; "
                   "form-action 'none'"}};
    unsigned char head[LWS_PRE + k_head];
    unsigned char *at = head + LWS_PRE, *end = head + sizeof head - 1;
    unsigned code = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) > 0
                        ? judge(server, wsi, false)
                        : HTTP_STATUS_METHOD_NOT_ALLOWED;
    if (code == HTTP_STATUS_OK && strcmp(path, "/") != 0) {
        code = HTTP_STATUS_NOT_FOUND;
    }
    if (code != HTTP_STATUS_OK) {
        return refuse(wsi, code);
    }
    bool is_ok = lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8",
                                             server->page_size, &at, end) == 0;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
        is_ok = is_ok && lws_add_http_header_by_name(wsi, (const unsigned char*)fields[i].name,
                                                     (const unsigned char*)fields[i].value,
                                                     (int)strlen(fields[i].value), &at, end) == 0;
    }
    if (!is_ok || lws_finalize_write_http_header(wsi, head + LWS_PRE, &at, end) != 0) {
        return -1;
    }
    (void)lws_callback_on_writable(wsi);
    return 0;
}

static int send_page(const iso_live_server* server, struct lws* wsi, client* c) {
    unsigned char chunk[LWS_PRE + k_chunk];
    size_t left = server->page_size - c->page_sent;
    size_t size = left < k_chunk ? left : k_chunk;
    memcpy(chunk + LWS_PRE, server->page + c->page_sent, size);
    c->page_sent += size;
    bool is_last = size == left;
    if (lws_write(wsi, chunk + LWS_PRE, size, is_last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) <
        (int)size) {
        return -1;
    }
    if (is_last) {
        return finish(wsi);
    }
    (void)lws_callback_on_writable(wsi);
    return 0;
}

// The first message that it has not had. What the system does not take at once libwebsockets keeps;
// until that is gone it is not asked for more, and misses the frames between.
static int send_message(const iso_live_server* server, struct lws* wsi, client* c) {
    iso_live_mailbox* box = server->box;
    int slot = 0;
    int written = 0;
    size_t size = 0;
    iso_mutex_lock(&box->lock);
    while (slot < ISO_LIVE_SLOT_COUNT &&
           (box->front[slot].number == 0 || box->front[slot].number == c->sent[slot])) {
        ++slot;
    }
    if (slot < ISO_LIVE_SLOT_COUNT) {
        iso_live_message* message = &box->front[slot];
        size = message->bytes.size - ISO_LIVE_HEADROOM;
        c->sent[slot] = message->number;
        written = lws_write(wsi, (unsigned char*)message->bytes.data + ISO_LIVE_HEADROOM, size,
                            slot == ISO_LIVE_SLOT_FRAME ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    }
    iso_mutex_unlock(&box->lock);
    if (slot < ISO_LIVE_SLOT_COUNT) {
        (void)lws_callback_on_writable(wsi);
    }
    return written < (int)size ? -1 : 0;
}

static int end_connection(struct lws* wsi, enum lws_close_status code, const char* reason) {
    lws_close_reason(wsi, code, (unsigned char*)(uintptr_t)reason, strlen(reason));
    return -1;
}

static int receive(const iso_live_server* server, struct lws* wsi, client* c, const char* data,
                   size_t size) {
    iso_live_command command;
    const char* reason = "";
    if (lws_frame_is_binary(wsi)) {
        return end_connection(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "expected text");
    }
    if (size > sizeof c->text - c->size || lws_remaining_packet_payload(wsi) > sizeof c->text) {
        return end_connection(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "at most 4096 bytes");
    }
    memcpy(c->text + c->size, data, size);
    c->size += size;
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi) > 0) {
        return 0;
    }
    size = c->size;
    c->size = 0;
    if (!iso_live_read_command(c->text, size, &command, &reason)) {
        return end_connection(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, reason);
    }
    command.client = c->number;
    iso_live_mailbox_put(server->box, &command);
    return 0;
}

// What a page held is let go when it leaves.
static void leave(iso_live_server* server, const client* c) {
    iso_live_command release = {.kind = ISO_LIVE_RELEASE, .client = c->number};
    iso_mutex_lock(&server->box->lock);
    --server->box->client_count;
    iso_mutex_unlock(&server->box->lock);
    iso_live_mailbox_put(server->box, &release);
}

static void enter(iso_live_server* server, struct lws* wsi, client* c) {
    memset(c, 0, sizeof *c);
    c->is_page = true;
    c->number = ++server->next_client;
    iso_mutex_lock(&server->box->lock);
    ++server->box->client_count;
    iso_mutex_unlock(&server->box->lock);
    (void)lws_callback_on_writable(wsi);
}

static int greet(const iso_live_server* server, struct lws* wsi) {
    iso_mutex_lock(&server->box->lock);
    bool is_full = server->box->client_count >= server->client_limit;
    iso_mutex_unlock(&server->box->lock);
    unsigned code = is_full ? HTTP_STATUS_SERVICE_UNAVAILABLE : judge(server, wsi, true);
    if (code != HTTP_STATUS_OK) {
        (void)lws_return_http_status(wsi, code, NULL);
        return -1;
    }
    return 0;
}

static int serve(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in,
                 size_t size) {
    struct lws_context* lws = lws_get_context(wsi);
    iso_live_server* server = lws ? lws_context_user(lws) : NULL;
    client* c = user;
    switch ((int)reason) {
    case LWS_CALLBACK_HTTP:
        c->page_sent = 0;
        return begin_page(server, wsi, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_page(server, wsi, c);
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return greet(server, wsi);
    case LWS_CALLBACK_ESTABLISHED:
        enter(server, wsi, c);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_message(server, wsi, c);
    case LWS_CALLBACK_RECEIVE:
        return receive(server, wsi, c, in, size);
    case LWS_CALLBACK_CLOSED:
        leave(server, c);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        (void)lws_callback_on_writable_all_protocol(lws, &server->protocols[0]);
        return 0;
    default:
        return 0;
    }
}

static void* serve_until_closed(void* user) {
    iso_live_server* server = user;
    for (bool is_closing = false; !is_closing;) {
        if (lws_service(server->lws, 0) < 0) {
            break;
        }
        iso_mutex_lock(&server->box->lock);
        is_closing = server->box->is_closing;
        iso_mutex_unlock(&server->box->lock);
    }
    return NULL;
}

static iso_status listen_there(iso_live_server* server, iso_live_access* access) {
    server->protocols[0] = (struct lws_protocols){.name = "isobar-live",
                                                  .callback = serve,
                                                  .per_session_data_size = sizeof(client),
                                                  .rx_buffer_size = ISO_LIVE_MESSAGE_LIMIT};
    struct lws_context_creation_info info = {
        .port = access->port,
        .iface = access->host,
        .protocols = server->protocols,
        .user = server,
        .gid = -1,
        .uid = -1,
        .fd_limit_per_thread = k_files,
        .options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND,
        .timeout_secs = 10,
        .keepalive_timeout = 5,
        .server_string = "isobar",
    };
    lws_set_log_level(0, NULL);
    errno = 0;
    server->lws = lws_create_context(&info);
    ISO_REQUIRE(server->ctx, server->lws, ISO_ERR_IO, "cannot listen on %s, port %d: %s",
                access->host, access->port, errno != 0 ? strerror(errno) : "taken, or not ours");
    struct lws_vhost* vhost = lws_get_vhost_by_name(server->lws, "default");
    if (vhost != NULL) {
        access->port = lws_get_vhost_listen_port(vhost);
    }
    ISO_REQUIRE(server->ctx, access->port > 0, ISO_ERR_IO, "%s: no free port", access->host);
    return ISO_OK;
}

iso_status iso_live_server_start(iso_context* ctx, iso_live_access* access, int client_limit,
                                 const char* page, size_t page_size, iso_live_mailbox* box,
                                 iso_live_server** out_server) {
    iso_live_server* server = iso_alloc_zeroed(ctx, sizeof *server);
    ISO_REQUIRE(ctx, server, ISO_ERR_MEMORY, "server");
    server->ctx = ctx;
    server->access = access;
    server->box = box;
    server->page = page;
    server->page_size = page_size;
    server->client_limit = client_limit;
    iso_status status = ISO_OK;
    ISO_TRY(listen_there(server, access));
    int error = iso_thread_start(&server->thread, serve_until_closed, server, true);
    ISO_CHECK(ctx, error == 0, ISO_ERR_MEMORY, "thread: %s", strerror(error));
    *out_server = server;

done:
    if (status != ISO_OK) {
        if (server->lws != NULL) {
            lws_context_destroy(server->lws);
        }
        iso_free(ctx, server);
    }
    return status;
}

void iso_live_server_stop(iso_live_server* server) {
    if (server == NULL) {
        return;
    }
    iso_mutex_lock(&server->box->lock);
    server->box->is_closing = true;
    iso_mutex_unlock(&server->box->lock);
    lws_cancel_service(server->lws);
    iso_thread_join(server->thread);
    lws_context_destroy(server->lws);
    iso_free(server->ctx, server);
}

void iso_live_server_wake(iso_live_server* server) {
    lws_cancel_service(server->lws);
}

bool iso_live_is_built(void) {
    return true;
}

#else

iso_status iso_live_server_start(iso_context* ctx, iso_live_access* access, int client_limit,
                                 const char* page, size_t page_size, iso_live_mailbox* box,
                                 iso_live_server** out_server) {
    (void)access, (void)client_limit, (void)page, (void)page_size, (void)box, (void)out_server;
    return iso_fail(ctx, ISO_ERR_UNSUPPORTED, __func__,
                    "this build has no live view, which needs libwebsockets: install "
                    "libwebsockets-dev (tools/setup) and build again");
}

void iso_live_server_stop(iso_live_server* server) {
    (void)server;
}

void iso_live_server_wake(iso_live_server* server) {
    (void)server;
}

bool iso_live_is_built(void) {
    return false;
}

#endif
