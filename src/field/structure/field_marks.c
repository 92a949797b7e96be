// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/structure/field_marks.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "field/structure/field_kinks.h"
#include "field/structure/field_planes.h"
#include "field/structure/field_skin.h"
#include "field/structure/field_slopes.h"

// Of inner vertices there are no more than cells, of faces no more than twice and of edges no more
// than three times as many.
#define PARTS_PER_CELL 6

iso_status iso_field_make_marks(iso_context* ctx, iso_field* field) {
    iso_field_parts parts = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_field_parts_init(ctx, PARTS_PER_CELL * field->mesh.tet_count, &parts));
    ISO_TRY(iso_field_mark_skin(ctx, field, &parts, &field->marks));
    if (field->marks.is_shell_level) {
        ISO_TRY(iso_field_mark_planes(ctx, field, &field->marks));
    }
    ISO_TRY(iso_field_make_slopes(ctx, field));
    ISO_TRY(iso_field_mark_kinks(ctx, field, &parts));

done:
    iso_field_parts_destroy(ctx, &parts);
    return status;
}

void iso_field_marks_destroy(iso_context* ctx, iso_field_marks* marks) {
    iso_bvh_destroy(ctx, &marks->level);
    iso_bvh_destroy(ctx, &marks->loose);
    iso_bvh_destroy(ctx, &marks->shell);
    iso_bvh_destroy(ctx, &marks->kinks);
    iso_free(ctx, marks->planes);
    iso_free(ctx, marks->kink_turns);
    iso_free(ctx, marks->hollows);
    *marks = (iso_field_marks){0};
}
