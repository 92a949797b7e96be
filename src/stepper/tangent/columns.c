// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "stepper/tangent/columns.h"

#include <math.h>
#include <string.h>

// Shallower than so many steps of positions is a mere touch.
#define MERE_TOUCH 4.0

int iso_tangent_column_island(const iso_tangent_call* t, int column) {
    const iso_dynamics* dynamics = &t->stepper->dynamics;
    if (column < 2 * t->v_count) {
        return iso_tangent_dof_island(t, column % t->v_count);
    }
    if (column >= iso_tangent_first_parameter(t)) {
        return -1;
    }
    const iso_actuator* actuator = &dynamics->actuators[(column - 2 * t->v_count) / 3];
    int tree = actuator->body >= 0     ? dynamics->multibody->bodies[actuator->body].tree
               : actuator->tendon >= 0 ? iso_fixed_tendon_tree(&dynamics->tendons[actuator->tendon],
                                                               dynamics->multibody)
                                       : -1;
    return tree >= 0 ? t->islands[tree] : -1;
}

// Trees that potentials join: each tree's number is that of the first of its island.
void iso_tangent_find_islands(const iso_tangent_call* t) {
    const iso_convex_problem* problem = &t->chain.bases[0].problem;
    for (int i = 0; i < problem->tree_count; ++i) {
        t->islands[i] = i;
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_potential* p = &problem->potentials[k];
        iso_island_join(t->islands, p->tree_a, p->tree_b);
    }
    for (int i = 0; i < problem->tree_count; ++i) {
        t->islands[i] = iso_island_leader(t->islands, i);
    }
}

double iso_tangent_step(const iso_tangent_call* t, int column) {
    const iso_tangent_steps* s = t->steps;
    if (column >= iso_tangent_first_parameter(t)) {
        return s->parameters[column - iso_tangent_first_parameter(t)];
    }
    const double controls[] = {s->control, s->position, s->velocity};
    return column < t->v_count       ? s->position
           : column < 2 * t->v_count ? s->velocity
                                     : controls[(column - 2 * t->v_count) % 3];
}

// Targets act through the sum of feed-forward, kp times position and kd times velocity alone
// (iso_drive_make()): their columns are those of the feed-forward times the gains.
void iso_tangent_leave_out_targets(const iso_tangent_call* t) {
    for (int i = 2 * t->v_count; i < iso_tangent_first_parameter(t); ++i) {
        t->is_done[i] = (i - 2 * t->v_count) % 3 != 0;
    }
}

static void put_target(const iso_tangent_call* t, int effort, int column, double gain,
                       iso_tangent_output* output) {
    size_t rows = 2 * (size_t)t->v_count;
    const double* from = output->columns + (size_t)effort * rows;
    double *to = output->columns + (size_t)column * rows, size = 1.0, scaled = 1.0;
    for (size_t i = 0; i < rows; ++i) {
        to[i] = gain * from[i];
        size = fmax(size, fabs(from[i]));
        scaled = fmax(scaled, fabs(to[i]));
    }
    output->errors[column] =
        gain != 0.0 ? fabs(gain) * output->errors[effort] * size / scaled : 0.0;
}

void iso_tangent_put_targets(const iso_tangent_call* t, iso_tangent_output* output) {
    for (int i = 0; i < t->stepper->dynamics.actuator_count; ++i) {
        const iso_actuator* a = &t->stepper->dynamics.actuators[i];
        int effort = 2 * t->v_count + 3 * i;
        put_target(t, effort, effort + 1, a->kp, output);
        put_target(t, effort, effort + 2, a->kd, output);
    }
}

// The next columns that are not done yet, at most one of each island, all of positions or none.
// Positions come last: the patches that were found for the solution are still known until then.
int iso_tangent_next_group(iso_tangent_call* t, int* group) {
    int columns = iso_tangent_column_count(t), count = 0;
    bool is_moved = false;
    if (t->is_open) {
        return 0;
    }
    memset(t->is_taken, 0, (size_t)t->stepper->dynamics.multibody->tree_count);
    for (int k = 0; k < columns; ++k) {
        int i = (k + t->v_count) % columns;
        int island = t->is_done[i] ? -1 : iso_tangent_column_island(t, i);
        bool is_alone = !t->is_done[i] && island < 0;
        if (t->is_done[i] || (count > 0 && (is_alone || is_moved != (i < t->v_count))) ||
            (island >= 0 && t->is_taken[island])) {
            continue;
        }
        group[count++] = i;
        is_moved = i < t->v_count;
        t->is_done[i] = true;
        if (is_alone) {
            break;
        }
        t->is_taken[island] = true;
    }
    return count;
}

// Whether bodies of an island, or any, barely touch: less deep than a few steps of positions. There
// every column meets another patch.
static bool has_mere_touch(const iso_tangent_call* t, int island) {
    const iso_mb_body* bodies = t->stepper->dynamics.multibody->bodies;
    const iso_contact_set* set = &t->chain.bases[0].stages.set;
    bool is_mere = false;
    for (int i = 0; i < set->pair_count && !is_mere; ++i) {
        const iso_contact_pair* pair = &set->pairs[i];
        int tree = bodies[pair->body_a].tree;
        tree = tree >= 0 ? tree : bodies[pair->body_b].tree;
        if (island < 0 || (tree >= 0 && t->islands[tree] == island)) {
            iso_contact_stiffness press = pair->model->stiffness(pair);
            is_mere = !(press.force > MERE_TOUCH * t->steps->position * press.stiffness);
        }
    }
    return is_mere;
}

// A column has no derivative: nor have others of an island whose bodies barely touch.
void iso_tangent_lose_column(iso_tangent_call* t, int column) {
    int island = iso_tangent_column_island(t, column);
    bool is_lost = has_mere_touch(t, island);
    if (island < 0) {
        t->is_open = t->is_open || is_lost;
    } else {
        t->is_lost[island] = t->is_lost[island] || is_lost;
    }
}

// What was found of columns that may not be trusted goes.
void iso_tangent_clear_lost(const iso_tangent_call* t, iso_tangent_output* output) {
    int columns = iso_tangent_column_count(t), trees = t->stepper->dynamics.multibody->tree_count;
    bool has_lost = t->is_open;
    for (int i = 0; i < trees; ++i) {
        has_lost = has_lost || t->is_lost[i];
    }
    for (int i = 0; i < columns; ++i) {
        int island = iso_tangent_column_island(t, i);
        if (t->is_open || (island >= 0 ? t->is_lost[island] : has_lost)) {
            output->errors[i] = INFINITY;
        }
    }
}

// Nothing is found yet.
void iso_tangent_clear_output(const iso_tangent_call* t, iso_tangent_output* output) {
    int columns = iso_tangent_column_count(t);
    size_t numbers = (size_t)columns * 2 * (size_t)t->v_count;
    for (int i = 0; i < columns; ++i) {
        output->errors[i] = INFINITY;
    }
    for (size_t i = 0; i < numbers; ++i) {
        output->columns[i] = 0.0;
    }
}

bool iso_tangent_is_complete(const iso_tangent_call* t, const iso_tangent_output* output) {
    bool is_all = true;
    for (int i = 0; i < iso_tangent_column_count(t); ++i) {
        is_all = is_all && isfinite(output->errors[i]);
    }
    return is_all;
}
