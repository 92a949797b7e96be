// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/model/order.h"

#include <stdlib.h>
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

/// A body below its parent; those of one parent lie together, by name.
typedef struct child_entry {
    int parent, body;
    const char* name;
} child_entry;

static int compare_children(const void* a, const void* b) {
    const child_entry *x = a, *y = b;
    return x->parent != y->parent ? (x->parent > y->parent) - (x->parent < y->parent)
                                  : strcmp(x->name, y->name);
}

static void sort_children(const iso_model* model, const int* inboard, child_entry* children) {
    int count = model->bodies.count - 1;
    for (int i = 0; i < count; ++i) {
        int body = i + 1;
        children[i] = (child_entry){parent_of(model, inboard, body), body, body_name(model, body)};
    }
    qsort(children, (size_t)count, sizeof *children, compare_children);
}

/// Where the children of a body begin among all.
static int first_child(const child_entry* children, int count, int parent) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (children[middle].parent < parent) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Depth-first walk, children by name; `stack` holds the path, `next` the child of each body on it
/// that comes next. Appends bodies to order->model_body.
static int walk(const child_entry* children, int child_count, iso_body_order* order, int* stack,
                int* next) {
    int depth = 0, count = 0;
    stack[0] = ISO_WORLD_BODY;
    next[0] = first_child(children, child_count, ISO_WORLD_BODY);
    order->model_body[count++] = ISO_WORLD_BODY;
    while (depth >= 0) {
        int at = next[depth];
        if (at >= child_count || children[at].parent != stack[depth]) {
            --depth;
            continue;
        }
        ++next[depth];
        order->model_body[count++] = children[at].body;
        ++depth;
        stack[depth] = children[at].body;
        next[depth] = first_child(children, child_count, children[at].body);
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
    int* next = iso_alloc_array(ctx, n, sizeof *next);
    child_entry* children = iso_alloc_array(ctx, n, sizeof *children);
    int** arrays[] = {&out_order->model_body, &out_order->world_body, &out_order->model_joint,
                      &out_order->parent, &out_order->weld_root};
    bool is_complete = inboard && stack && next && children;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        *arrays[i] = iso_alloc_array(ctx, n, sizeof(int));
        is_complete = is_complete && *arrays[i] != NULL;
    }
    ISO_CHECK(ctx, is_complete, ISO_ERR_MEMORY, "out of memory for %d bodies", n);
    find_inboard_joints(model, inboard);
    sort_children(model, inboard, children);
    int count = walk(children, n - 1, out_order, stack, next);
    if (count < n) {
        ISO_TRY(report_loop(model, out_order, count));
    }
    link_bodies(model, inboard, out_order);

done:
    iso_free(ctx, inboard);
    iso_free(ctx, stack);
    iso_free(ctx, next);
    iso_free(ctx, children);
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

iso_status iso_body_order_filter(const iso_body_order* order, const iso_model* model,
                                 iso_body_filter* out_filter) {
    int count = model->excluded.count;
    *out_filter = (iso_body_filter){0};
    iso_body_pair* pairs = iso_alloc_array(model->ctx, count, sizeof *pairs);
    ISO_REQUIRE(model->ctx, pairs, ISO_ERR_MEMORY, "%d excluded pairs of bodies", count);
    for (int i = 0; i < count; ++i) {
        const iso_excluded_pair* pair = &model->excluded.data[i];
        pairs[i] =
            (iso_body_pair){order->world_body[pair->body_a], order->world_body[pair->body_b]};
    }
    iso_status status =
        iso_body_filter_create(model->ctx, order->body_count, pairs, count, out_filter);
    for (int i = 0; i < order->body_count && status == ISO_OK; ++i) {
        out_filter->groups[i] = order->weld_root[i];
        out_filter->exclusions[i] = model->bodies.data[order->model_body[i]].desc.exclusion;
        out_filter->adjacent[i] = i > 0 && is_adjacent(order, model, i) ? order->parent[i] : -1;
    }
    iso_free(model->ctx, pairs);
    return status;
}
