// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "world/state/world_state.h"

iso_status iso_world_elastic_energy(const iso_world* world, int contact,
                                    iso_elastic_energy* out_energy) {
    ISO_REQUIRE(world ? world->ctx : NULL, world && out_energy, ISO_ERR_ARGUMENT,
                "world and out_energy are required");
    const iso_contact_set* set = &world->contact_result.set;
    ISO_REQUIRE(world->ctx, contact >= -1 && contact < set->pair_count, ISO_ERR_RANGE,
                "contact %d, expected -1 for all or one of %d", contact, set->pair_count);
    *out_energy = (iso_elastic_energy){.is_exact = true};
    iso_status status = ISO_OK;
    for (int i = 0; i < set->pair_count && status == ISO_OK; ++i) {
        if (contact < 0 || contact == i) {
            const iso_contact_pair* pair = &set->pairs[i];
            iso_elastic_energy one = {0};
            status = pair->model->exact_energy(world->contacts, pair, &one);
            out_energy->energy += one.energy;
            out_energy->is_exact = out_energy->is_exact && one.is_exact;
        }
    }
    return status;
}
