// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Tables of a comparison.

#include "cli/compare/compare.h"
#include "cli/parts/json_output.h"
#include "cli/parts/tables.h"

#include <math.h>
#include <string.h>

int compare_find_contact(const compare_run* run, const iso_contact* like) {
    int count = run->overlaps != NULL ? iso_world_contact_count(run->world) : 0;
    for (int i = 0; i < count; ++i) {
        iso_contact c = iso_world_contact(run->world, i);
        if (c.body_a == like->body_a && c.body_b == like->body_b &&
            strcmp(c.geometry_name_a, like->geometry_name_a) == 0 &&
            strcmp(c.geometry_name_b, like->geometry_name_b) == 0) {
            return i;
        }
    }
    return -1;
}

const compare_run* compare_reference(const compare* c) {
    for (int i = 0; i < c->count; ++i) {
        if (c->runs[i].overlaps != NULL) {
            return &c->runs[i];
        }
    }
    return c->runs;
}

double compare_distance(const compare* c, int run, const char** out_body) {
    const compare_run* reference = compare_reference(c);
    const iso_world *first = reference->world, *other = c->runs[run].world;
    double most = 0.0;
    *out_body = NULL;
    if (reference == &c->runs[run] || first == NULL || other == NULL) {
        return NAN;
    }
    for (int i = 1; i < iso_world_body_count(first); ++i) {
        iso_vec3 a = iso_world_body_pose(first, i).p, b = iso_world_body_pose(other, i).p;
        double distance = iso_vec3_norm(iso_vec3_sub(b, a));
        if (distance > most) {
            most = distance;
            *out_body = iso_world_body_name(first, i);
        }
    }
    return most;
}

static void print_runs(const compare* c) {
    printf("%-16s %10s %10s %9s %9s %14s %14s %14s  %s\n", "model", "end [s]", "steps", "wall [s]",
           "contacts", "kinetic [J]", "potential [J]", "elastic [J]", "farthest from the first");
    for (int i = 0; i < c->count; ++i) {
        const compare_run* run = &c->runs[i];
        if (run->overlaps == NULL) {
            printf("%-16s does not run: %s\n", run->name, run->error);
            continue;
        }
        iso_energy e = iso_world_energy(run->world);
        const char* body = NULL;
        double distance = compare_distance(c, i, &body);
        printf("%-16s %10.5g %10lld %9.3f %9d %14.6g %14.6g %14.6g  ", run->name,
               iso_world_time(run->world), (long long)run->step_count, run->wall_seconds,
               iso_world_contact_count(run->world), e.kinetic, e.potential,
               cli_elastic_energy(run->world));
        if (body != NULL) {
            printf("%.3g m, %s\n", distance, body);
        } else {
            printf("-\n");
        }
        if (run->other_count > 0) {
            printf("%-16s %d of these contacts ha%s another model\n", "", run->other_count,
                   run->other_count == 1 ? "s" : "ve");
        }
        if (run->error[0] != '\0') {
            printf("%-16s stopped: %s\n", "", run->error);
        }
    }
}

static void print_bodies(const compare* c) {
    for (int i = 0; i < c->count; ++i) {
        if (c->runs[i].overlaps != NULL) {
            printf("\n%s\n", c->runs[i].name);
            cli_print_bodies(c->runs[i].world);
        }
    }
}

static void print_contacts(const compare* c) {
    // The last is the mean depth, volume over area.
    printf("\n%-16s %-16s %-40s %-32s %-32s %10s %10s\n", "run", "model", "contact",
           "force on the second [N]", "moment about its centre [N m]", "area [m2]", "mean [m]");
    for (int i = 0; i < c->count; ++i) {
        const compare_run* run = &c->runs[i];
        int count = run->overlaps != NULL ? iso_world_contact_count(run->world) : 0;
        for (int k = 0; k < count; ++k) {
            iso_contact contact = iso_world_contact(run->world, k);
            iso_vec3 f = contact.f_b_w.translational, m = contact.f_b_w.rotational;
            char pair[256];
            (void)snprintf(pair, sizeof pair, "%s | %s", contact.body_name_a, contact.body_name_b);
            printf("%-16s %-16s %-40s %10.4g %10.4g %10.4g %10.3g %10.3g %10.3g %10.3g ", run->name,
                   contact.model, pair, f.x + 0.0, f.y + 0.0, f.z + 0.0, m.x + 0.0, m.y + 0.0,
                   m.z + 0.0, contact.patch.area);
            if (isfinite(run->overlaps[k].depth)) {
                printf("%10.3g\n", run->overlaps[k].depth);
            } else {
                printf("%10s\n", "-");
            }
        }
    }
}

void compare_print(const compare* c) {
    print_runs(c);
    print_bodies(c);
    print_contacts(c);
}

static json_t* json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

/// The angle between two orientations [rad].
static double angle_between(const iso_pose* a, const iso_pose* b) {
    iso_mat3 r = iso_mat3_mul(iso_mat3_transpose(a->r), b->r);
    double sine = 0.5 * sqrt(pow(r.m[2][1] - r.m[1][2], 2.0) + pow(r.m[0][2] - r.m[2][0], 2.0) +
                             pow(r.m[1][0] - r.m[0][1], 2.0));
    return atan2(sine, 0.5 * (r.m[0][0] + r.m[1][1] + r.m[2][2] - 1.0));
}

static json_t* bodies_json(const iso_world* first, const iso_world* other) {
    json_t* list = json_array();
    for (int i = 1; i < iso_world_body_count(first); ++i) {
        iso_pose a = iso_world_body_pose(first, i), b = iso_world_body_pose(other, i);
        if (!iso_world_body_is_fixed(first, i)) {
            json_array_append_new(list,
                                  json_pack("{s:s,s:f,s:f}", "name", iso_world_body_name(first, i),
                                            "distance", iso_vec3_norm(iso_vec3_sub(b.p, a.p)),
                                            "angle", angle_between(&a, &b)));
        }
    }
    return list;
}

/// Of contacts that both have.
static json_t* wrenches_json(const compare_run* first, const compare_run* other) {
    json_t* list = json_array();
    for (int i = 0; i < iso_world_contact_count(other->world); ++i) {
        iso_contact b = iso_world_contact(other->world, i);
        int k = compare_find_contact(first, &b);
        if (k >= 0) {
            iso_contact a = iso_world_contact(first->world, k);
            json_array_append_new(
                list,
                json_pack(
                    "{s:s,s:s,s:o,s:o,s:o}", "a", b.body_name_a, "b", b.body_name_b, "force",
                    cli_json_vec3(iso_vec3_sub(b.f_b_w.translational, a.f_b_w.translational)),
                    "moment", cli_json_vec3(iso_vec3_sub(b.f_b_w.rotational, a.f_b_w.rotational)),
                    "depth", json_number(other->overlaps[i].depth - first->overlaps[k].depth)));
        }
    }
    return list;
}

static json_t* differences_json(const compare_run* first, const compare_run* other) {
    if (first == other || first->overlaps == NULL) {
        return json_null();
    }
    iso_energy a = iso_world_energy(first->world), b = iso_world_energy(other->world);
    double elastic = cli_elastic_energy(other->world) - cli_elastic_energy(first->world);
    return json_pack("{s:o,s:o,s:o,s:f,s:f,s:o}", "bodies", bodies_json(first->world, other->world),
                     "contacts", wrenches_json(first, other), "wall_ratio",
                     json_number(other->wall_seconds / first->wall_seconds), "kinetic",
                     b.kinetic - a.kinetic, "potential", b.potential - a.potential, "elastic",
                     json_number(elastic));
}

static json_t* run_json(const compare_run* first, const compare_run* run) {
    json_t* error = run->error[0] != '\0' ? json_string(run->error) : json_null();
    if (run->overlaps == NULL) {
        return json_pack("{s:s,s:o,s:i}", "model", run->name, "error", error, "steps", 0);
    }
    json_t* contacts = cli_json_contacts(run->world);
    for (size_t i = 0; i < json_array_size(contacts); ++i) {
        json_t* contact = json_array_get(contacts, i);
        json_object_set_new(contact, "model",
                            json_string(iso_world_contact(run->world, (int)i).model));
        json_object_set_new(contact, "overlap", json_number(run->overlaps[i].volume));
        json_object_set_new(contact, "depth", json_number(run->overlaps[i].depth));
    }
    return json_pack("{s:s,s:o,s:f,s:I,s:f,s:i,s:o,s:o,s:o,s:o}", "model", run->name, "error",
                     error, "time", iso_world_time(run->world), "steps",
                     (json_int_t)run->step_count, "wall_s", run->wall_seconds,
                     "contacts_of_other_models", run->other_count, "bodies",
                     cli_json_bodies(run->world), "contacts", contacts, "energy",
                     cli_json_energy(run->world), "differences", differences_json(first, run));
}

json_t* compare_json(const compare* c) {
    json_t* runs = json_array();
    for (int i = 0; i < c->count; ++i) {
        json_array_append_new(runs, run_json(compare_reference(c), &c->runs[i]));
    }
    return json_pack("{s:s,s:o}", "file", c->options->input, "models", runs);
}
