// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// isobar.Contacts in Protocol Buffers: round trips, and what is damaged.

#include "record/proto/contacts.h"
#include "record/proto/proto_read.h"
#include "sample.h"
#include "support/failing_context.h"

#include <stdlib.h>

typedef struct message {
    iso_context* ctx;
    iso_bytes bytes;
    iso_arena arena;
    sample s;
} message;

static void make(message* m, int step) {
    m->ctx = test_context();
    m->bytes = iso_bytes_make(m->ctx);
    CHECK_OK(m->ctx, iso_arena_init(&m->arena, m->ctx, 0));
    sample_make_model(&m->s);
    sample_make_frame(&m->s, step);
}

static void release(message* m) {
    iso_bytes_free(&m->bytes);
    iso_arena_destroy(&m->arena);
    test_context_destroy(m->ctx);
}

static iso_status read_bytes(message* m, const void* data, size_t size, iso_recorded_frame* frame) {
    *frame = (iso_recorded_frame){0};
    CHECK_OK(m->ctx, iso_arena_reset(&m->arena));
    return iso_contacts_read(&m->arena, data, size, &m->s.model, frame);
}

static void every_member_of_a_contact_reads_back(void** state) {
    (void)state;
    message m;
    iso_recorded_frame frame;
    make(&m, 2);
    iso_contact* last = &m.s.contacts[1];
    last->model = "volumetric";
    last->manifold = ISO_MANIFOLD_VOLUME;
    last->normal = iso_vec3_make(0.1, -0.2, 0.3);
    last->extent_a = 0.25;
    last->extent_b = 0.5;
    last->sheet_thickness = 0.75;
    last->sheet_depth = 0.125;
    iso_contacts_put(&m.bytes, &m.s.frame, true);
    CHECK_OK(m.ctx, read_bytes(&m, m.bytes.data, m.bytes.size, &frame));
    assert_int_equal(frame.contact_count, 2);
    for (int i = 0; i < 2; ++i) {
        sample_check_contact(&frame.contacts[i], &m.s.contacts[i]);
        sample_check_faces(&frame.contacts[i], &m.s.contacts[i]);
    }
    assert_string_equal(frame.contacts[1].model, "volumetric");
    assert_int_equal(frame.contacts[1].manifold, ISO_MANIFOLD_VOLUME);
    CHECK_ARRAY_BITS(&frame.contacts[1].normal.x, &last->normal.x, 3);
    CHECK_ARRAY_BITS(&frame.contacts[1].extent_a, &last->extent_a, 4);
    release(&m);
}

// Every cut and many changed bytes end in a frame or in an error, never beyond the message.
static void damaged_messages_are_refused_or_read(void** state) {
    (void)state;
    message m;
    iso_recorded_frame frame;
    make(&m, 1);
    iso_contacts_put(&m.bytes, &m.s.frame, true);
    char* copy = malloc(m.bytes.size);
    assert_non_null(copy);
    int refused = 0;
    for (size_t cut = 0; cut < m.bytes.size; ++cut) {
        char* exact = malloc(cut + 1); // so that a sanitizer sees what is read beyond it
        assert_non_null(exact);
        memcpy(exact, m.bytes.data, cut);
        refused += read_bytes(&m, exact, cut, &frame) != ISO_OK;
        free(exact);
    }
    assert_int_equal(refused, (int)m.bytes.size - 2); // nothing, and the time alone, are messages
    test_random random = test_random_make(5);
    for (int i = 0; i < 20000; ++i) {
        memcpy(copy, m.bytes.data, m.bytes.size);
        size_t at = (size_t)test_random_uniform(&random, 0.0, i % 2 ? 300.0 : (double)m.bytes.size);
        copy[at] = (char)test_random_bits(&random);
        iso_status status = read_bytes(&m, copy, m.bytes.size, &frame);
        assert_true(status == ISO_OK || status == ISO_ERR_PARSE);
        for (int k = 0; status == ISO_OK && k < frame.contact_count; ++k) {
            const iso_patch* patch = &frame.contacts[k].patch;
            assert_true(!patch->face_offsets || !patch->areas ||
                        patch->face_offsets[patch->face_count] == patch->vertex_count);
        }
    }
    free(copy);
    release(&m);
}

// What a field is refused for says its name and what was expected.
static void errors_name_the_field(void** state) {
    (void)state;
    static const struct {
        const char* bytes;
        size_t size;
        const char* error;
    } cases[] = {
        {"\x12\x02\x28\x09", 4, "field 5 \"body_a\" of isobar.Contact: expected 0 to 2"},
        {"\x12\x02\x50\x01", 4, "field 10 \"area\" of isobar.Contact: expected a double"},
        {"\x12\x03\x5a\x01\x41", 5, "field 11 \"force\" of isobar.Contact: expected 3 packed"},
        {"\x12\x03\x1a\x01\xff", 5, "field 3 \"geometry_a\" of isobar.Contact: expected UTF-8"},
        {"\x12\x05\xca\x01\x02\x1a\x00", 7,
         "field 3 \"vertex_pressures\" of isobar.Polygons: "
         "expected \"counts\" before it"},
        {"\x12\x05\xca\x01\x02\x0a\x00", 7,
         "field 2 \"vertices\" of isobar.Polygons: expected to "
         "be there"},
        {"\x12\x02\x28", 3, "isobar.Contacts is damaged"},
        {"\x0b", 1, "isobar.Contacts is damaged with 0 bytes"},
    };
    message m;
    iso_recorded_frame frame;
    make(&m, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        CHECK_STATUS(m.ctx, read_bytes(&m, cases[i].bytes, cases[i].size, &frame), ISO_ERR_PARSE);
        CHECK_ERROR(m.ctx, cases[i].error);
    }
    release(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_of_a_contact_reads_back),
        cmocka_unit_test(damaged_messages_are_refused_or_read),
        cmocka_unit_test(errors_name_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
