// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/isobar.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PAGE "<html>@@ISOBAR_DATA@@</html>"
#define TOKEN "c-test-token"

// A ball that floats.
static iso_world* make_world(iso_context* ctx) {
    char path[TEST_PATH_SIZE];
    temp_path(path, "live.yaml");
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs("simulation: {gravity: [0, 0, 0]}\n"
          "bodies: [{name: ball, mass: 1, geometry: [{name: g, shape: sphere, radius: 0.1}]}]\n",
          file);
    fclose(file);
    iso_scene scene;
    iso_world* world;
    CHECK_OK(ctx, iso_scene_load(ctx, path, NULL, &scene));
    CHECK_OK(ctx, iso_world_create(ctx, scene.model, &scene.world, &world));
    iso_scene_destroy(ctx, &scene);
    return world;
}

static iso_live* listen_here(iso_context* ctx) {
    iso_live_desc desc = iso_live_desc_default();
    iso_live* live;
    desc.page = PAGE;
    desc.page_size = strlen(PAGE);
    desc.token = TOKEN;
    CHECK_OK(ctx, iso_live_create(ctx, &desc, &live));
    return live;
}

static int connect_to(const iso_live* live) {
    int port = atoi(strrchr(iso_live_url(live), ':') + 1);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    assert_int_equal(inet_pton(AF_INET, "127.0.0.1", &address.sin_addr), 1);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr*)&address, sizeof address), 0);
    char text[512];
    int size =
        snprintf(text, sizeof text,
                 "GET /live?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                 "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                 "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: isobar-live\r\n\r\n",
                 TOKEN, port);
    assert_int_equal(send(fd, text, (size_t)size, 0), size);
    assert_true(recv(fd, text, sizeof text - 1, 0) > 12);
    assert_memory_equal(text, "HTTP/1.1 101", 12);
    return fd;
}

// Masked with zeros: the bytes stay as they are.
static void send_text(int fd, const char* text) {
    char message[200] = {(char)0x81, (char)(0x80 | (char)strlen(text))};
    memcpy(message + 6, text, strlen(text) + 1);
    assert_true(send(fd, message, 6 + strlen(text), 0) > 0);
}

static void a_world_is_stepped_dragged_and_reset(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    if (!iso_live_is_built()) {
        skip();
    }
    iso_world* world = make_world(ctx);
    iso_live* live = listen_here(ctx);
    CHECK_STATUS(ctx, iso_live_run(live, 0.0, NULL), ISO_ERR_ARGUMENT);
    CHECK_OK(ctx, iso_live_show(live, "test", world, NULL, NULL));
    int fd = connect_to(live);
    send_text(fd, "{\"do\":\"drag\",\"index\":1,\"at\":[0,0,0],\"to\":[0.1,0,0]}");
    send_text(fd, "{\"do\":\"step\",\"count\":50}");
    while (iso_world_step_count(world) < 50) {
        CHECK_OK(ctx, iso_live_run(live, 0.02, NULL));
    }
    assert_int_equal(iso_world_step_count(world), 50);
    assert_int_equal(iso_live_client_count(live), 1);
    iso_vec3 moved = iso_world_body_pose(world, 1).p;
    // An oscillator of 12 rad/s with 0.7 of the critical damping goes 0.1348 of the way in 50 ms;
    // steps of 1 ms of a symplectic Euler method 0.1379.
    assert_true(moved.x > 0.0130 && moved.x < 0.0140 && moved.y == 0.0);
    send_text(fd, "{\"do\":\"reset\"}");
    while (iso_world_step_count(world) > 0) {
        CHECK_OK(ctx, iso_live_run(live, 0.02, NULL));
    }
    assert_true(iso_world_body_pose(world, 1).p.x == 0.0);
    iso_live_request request;
    send_text(fd, "{\"do\":\"reload\"}");
    do {
        CHECK_OK(ctx, iso_live_run(live, 0.05, &request));
    } while (request.kind == ISO_LIVE_REQUEST_NONE);
    assert_int_equal(request.kind, ISO_LIVE_REQUEST_RELOAD);
    iso_live_destroy(live); // while the page is connected
    close(fd);
    iso_world_destroy(world);
    test_context_destroy(ctx);
}

static void what_cannot_be_served_is_refused(void** state) {
    (void)state;
    iso_context* ctx = test_context();
    iso_live_desc desc = iso_live_desc_default();
    iso_live* live;
    CHECK_STATUS(ctx, iso_live_create(ctx, &desc, &live), ISO_ERR_ARGUMENT);
    desc.page = "<html></html>";
    desc.page_size = strlen(desc.page);
    CHECK_STATUS(ctx, iso_live_create(ctx, &desc, &live), ISO_ERR_ARGUMENT);
    CHECK_ERROR(ctx, "@@ISOBAR_DATA@@");
    desc.page = PAGE;
    desc.page_size = strlen(PAGE);
    desc.port = 65536;
    CHECK_STATUS(ctx, iso_live_create(ctx, &desc, &live), ISO_ERR_RANGE);
    desc.port = 0;
    desc.host = "::1";
    CHECK_STATUS(ctx, iso_live_create(ctx, &desc, &live), ISO_ERR_RANGE);
    desc.host = "127.0.0.1";
    desc.client_limit = 0;
    CHECK_STATUS(ctx, iso_live_create(ctx, &desc, &live), ISO_ERR_RANGE);
    if (!iso_live_is_built()) {
        desc.client_limit = 1;
        CHECK_STATUS(ctx, iso_live_create(ctx, &desc, &live), ISO_ERR_UNSUPPORTED);
        CHECK_ERROR(ctx, "libwebsockets-dev");
    }
    iso_live_destroy(NULL);
    test_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_is_stepped_dragged_and_reset),
        cmocka_unit_test(what_cannot_be_served_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
