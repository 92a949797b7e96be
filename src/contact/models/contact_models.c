// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The table of contact models: one row each.

#include "contact/point/hertz_model.h"
#include "contact/pressure_field/pressure_field.h"
#include "contact/volumetric/volumetric_model.h"

static const iso_contact_model* const rows[] = {
    [ISO_CONTACT_MODEL_DEFAULT] = &iso_pressure_field_model,
    [ISO_CONTACT_MODEL_PRESSURE_FIELD] = &iso_pressure_field_model,
    [ISO_CONTACT_MODEL_HERTZ] = &iso_hertz_model,
    [ISO_CONTACT_MODEL_VOLUMETRIC] = &iso_volumetric_model,
};

const iso_contact_model* iso_contact_model_of(iso_contact_model_kind kind) {
    int count = (int)(sizeof rows / sizeof *rows), index = (int)kind;
    return index >= 0 && index < count ? rows[index] : NULL;
}
