// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/model/order.h"

#include <string.h>

static const char* body_name(const iso_model* model, int body) {
    return model->bodies.data[body].desc.name;
}

/// Model joint whose child is each model body, -1 for none.
static void find_inboard_joints(const iso_model* model, int* inboard) {
    for (int i = 0; i < model->bodies.count; ++i) {
        inboard[i] = -1;
    }
    for (int j = 0; j < model->joints.count; ++j) {
        inboard[model->joints.data[j].child] = j;
    }
}

static int parent_of(const iso_model* model, const int* inboard, int body) {
    return inboard[body] >= 0 ? model->joints.data[inboard[body]].parent : ISO_WORLD_BODY;
}

/// Child of `parent` with the smallest name after `previous` (NULL: the first), or -1.
static int next_child(const iso_model* model, const int* inboard, int parent,
                      const char* previous) {
    int best = -1;
    for (int i = 1; i < model->bodies.count; ++i) {
        if (parent_of(model, inboard, i) != parent ||
            (previous != NULL && strcmp(body_name(model, i), previous) <= 0)) {
            continue;
        }
        if (best < 0 || strcmp(body_name(model, i), body_name(model, best)) < 0) {
            best = i;
        }
    }
    return best;
}

/// Depth-first walk with the path kept in `stack`; appends bodies to order->model_body.
static int walk(const iso_model* model, const int* inboard, iso_body_order* order, int* stack,
                const char** visited) {
    int depth = 0, count = 0;
    stack[0] = ISO_WORLD_BODY;
    visited[0] = NULL;
    order->model_body[count++] = ISO_WORLD_BODY;
    while (depth >= 0) {
        int child = next_child(model, inboard, stack[depth], visited[depth]);
        if (child < 0) {
            --depth;
            continue;
        }
        visited[depth] = body_name(model, child);
        order->model_body[count++] = child;
        ++depth;
        stack[depth] = child;
        visited[depth] = NULL;
    }
    return count;
}

/// World indices, parents and weld groups from the finished order.
static void link_bodies(const iso_model* model, const int* inboard, iso_body_order* order) {
    for (int i = 0; i < order->body_count; ++i) {
        order->world_body[order->model_body[i]] = i;
    }
    for (int i = 0; i < order->body_count; ++i) {
        int body = order->model_body[i];
        int joint = inboard[body];
        order->model_joint[i] = joint;
        order->parent[i] = i == 0 ? -1 : order->world_body[parent_of(model, inboard, body)];
        bool is_welded = joint >= 0 && model->joints.data[joint].kind == ISO_JOINT_WELD;
        order->weld_root[i] = is_welded ? order->weld_root[order->parent[i]] : i;
    }
}

/// Some body that no walk from the world reaches.
static iso_status report_loop(const iso_model* model, const iso_body_order* order, int count) {
    for (int i = 1; i < model->bodies.count; ++i) {
        bool is_reached = false;
        for (int k = 0; k < count; ++k) {
            is_reached = is_reached || order->model_body[k] == i;
        }
        if (!is_reached) {
            return iso_fail(model->ctx, ISO_ERR_ARGUMENT, __func__,
                            "joints above body '%s' form a loop that never reaches the world",
                            body_name(model, i));
        }
    }
    return ISO_OK;
}

iso_status iso_body_order_create(const iso_model* model, iso_body_order* out_order) {
    iso_context* ctx = model->ctx;
    iso_status status = ISO_OK;
    int n = model->bodies.count;
    memset(out_order, 0, sizeof *out_order);
    out_order->body_count = n;
    int* inboard = iso_alloc_array(ctx, n, sizeof *inboard);
    int* stack = iso_alloc_array(ctx, n, sizeof *stack);
    const char** visited = iso_alloc_array(ctx, n, sizeof *visited);
    int** arrays[] = {&out_order->model_body, &out_order->world_body, &out_order->model_joint,
                      &out_order->parent, &out_order->weld_root};
    bool is_complete = inboard != NULL && stack != NULL && visited != NULL;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        *arrays[i] = iso_alloc_array(ctx, n, sizeof(int));
        is_complete = is_complete && *arrays[i] != NULL;
    }
    ISO_CHECK(ctx, is_complete, ISO_ERR_MEMORY, "out of memory for %d bodies", n);
    find_inboard_joints(model, inboard);
    int count = walk(model, inboard, out_order, stack, visited);
    if (count < n) {
        ISO_TRY(report_loop(model, out_order, count));
    }
    link_bodies(model, inboard, out_order);

done:
    iso_free(ctx, inboard);
    iso_free(ctx, stack);
    iso_free(ctx, (void*)visited);
    if (status != ISO_OK) {
        iso_body_order_free(ctx, out_order);
    }
    return status;
}

void iso_body_order_free(iso_context* ctx, iso_body_order* order) {
    iso_free(ctx, order->model_body);
    iso_free(ctx, order->world_body);
    iso_free(ctx, order->model_joint);
    iso_free(ctx, order->parent);
    iso_free(ctx, order->weld_root);
    memset(order, 0, sizeof *order);
}

/// True when a joint between child and its parent keeps the two from colliding.
static bool is_adjacent(const iso_body_order* order, const iso_model* model, int child) {
    int joint = order->model_joint[child];
    return joint >= 0 && order->parent[child] > 0 &&
           model->joints.data[joint].kind != ISO_JOINT_FREE;
}

void iso_body_order_filter(const iso_body_order* order, const iso_model* model, bool* out_may) {
    int n = order->body_count;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            bool is_filtered = order->weld_root[i] == order->weld_root[j] ||
                               (order->parent[i] == j && is_adjacent(order, model, i)) ||
                               (order->parent[j] == i && is_adjacent(order, model, j));
            out_may[i * n + j] = !is_filtered;
        }
    }
    for (int k = 0; k < model->excluded.count; ++k) {
        int a = order->world_body[model->excluded.data[k].body_a];
        int b = order->world_body[model->excluded.data[k].body_b];
        out_may[a * n + b] = false;
        out_may[b * n + a] = false;
    }
}
