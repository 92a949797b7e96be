// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Models of friction as JSON.

#include "asperity/learned/model.h"
#include "base/core/text.h"
#include "base/values/hash.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "isobar friction model"
enum { VERSION = 1 };

static const char* const k_kinds[] = {"svr", "gp"};
static const char* const k_features[] = {"raw", "standard", "log"};

// --- writing -------------------------------------------------------------------------------------

static json_t* material_json(const iso_learned_material* m) {
    return json_pack("{s:s,s:f,s:f,s:f}", "name", m->name, "young_modulus", m->young_modulus,
                     "poisson", m->poisson, "density", m->density);
}

static json_t* numbers_json(const double* values, int count) {
    json_t* list = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(list, json_real(values[i]));
    }
    return list;
}

// Of all that a model says but this.
static json_t* check_of(const json_t* root) {
    json_t* rest = json_copy((json_t*)root);
    (void)json_object_del(rest, "check");
    char* text = rest ? json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    char word[20] = "";
    (void)snprintf(word, sizeof word, "%016llx",
                   text ? (unsigned long long)iso_hash_text(ISO_HASH_SEED, text) : 0ULL);
    free(text);
    json_decref(rest);
    return json_string(word);
}

static json_t* model_json(const iso_learned* m) {
    json_t* rows = json_array();
    for (int i = 0; i < m->row_count; ++i) {
        json_array_append_new(rows, json_pack("{s:o,s:o,s:f}", "a", material_json(&m->rows[i].a),
                                              "b", material_json(&m->rows[i].b), "friction",
                                              m->rows[i].friction));
    }
    json_t* root = json_pack("{s:s,s:i,s:s,s:s,s:b,s:f}", "format", FORMAT, "version", (int)VERSION,
                             "kind", k_kinds[m->kind], "features", k_features[m->features],
                             "symmetric", (int)m->is_symmetric, "interval", m->interval);
    if (m->kind == ISO_LEARNED_GP) {
        double lengths[3];
        for (int k = 0; k < 3; ++k) {
            lengths[k] = sqrt(0.5 / m->weights[k]);
        }
        json_object_set_new(root, "variance", json_real(m->variance));
        json_object_set_new(root, "mean_variance", json_real(m->mean_variance));
        json_object_set_new(root, "noise_variance", json_real(m->noise_variance));
        json_object_set_new(root, "lengths", numbers_json(lengths, 3));
    } else {
        json_object_set_new(root, "epsilon", json_real(m->epsilon));
        json_object_set_new(root, "penalty", json_real(m->penalty));
        json_object_set_new(root, "gamma", json_real(m->gamma));
        json_object_set_new(root, "bias", json_real(m->bias));
        json_object_set_new(root, "coefficients", numbers_json(m->coefficients, m->row_count));
    }
    json_object_set_new(root, "rows", rows);
    json_object_set_new(root, "check", check_of(root));
    return root;
}

iso_status iso_learned_write(const iso_learned* model, const char* path) {
    ISO_REQUIRE(model ? model->ctx : NULL, model && path, ISO_ERR_ARGUMENT,
                "model and path are required");
    json_t* root = model_json(model);
    char* text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    iso_file_writer writer;
    iso_status status = text ? iso_file_writer_open(model->ctx, path, &writer) : ISO_ERR_MEMORY;
    if (status == ISO_OK) {
        fprintf(writer.file, "%s\n", text);
        status = iso_file_writer_commit(model->ctx, &writer);
    }
    free(text);
    json_decref(root);
    return status;
}

// --- reading -------------------------------------------------------------------------------------

typedef struct reader {
    iso_context* ctx;
    const char* path;
    json_t* root;
    iso_learned_desc desc;
    iso_learned_row* rows;
} reader;

// A finite number in [low, high].
static iso_status take_number(const reader* r, const json_t* object, const char* where,
                              const char* key, double low, double high, double* out) {
    const json_t* value = json_object_get(object, key);
    ISO_REQUIRE(r->ctx, value, ISO_ERR_PARSE, "%s: %s%s is missing, expected a number", r->path,
                where, key);
    ISO_REQUIRE(r->ctx, json_is_number(value), ISO_ERR_PARSE, "%s: %s%s is no number", r->path,
                where, key);
    *out = json_number_value(value);
    ISO_REQUIRE(r->ctx, *out >= low && *out <= high, ISO_ERR_RANGE,
                "%s: %s%s is %g, expected in [%g, %g]", r->path, where, key, *out, low, high);
    return ISO_OK;
}

static iso_status take_choice(const reader* r, const char* key, const char* const* names, int count,
                              int* out) {
    const char* text = json_string_value(json_object_get(r->root, key));
    ISO_REQUIRE(r->ctx, text, ISO_ERR_PARSE, "%s: %s is missing or no text, expected %s or %s",
                r->path, key, names[0], names[count - 1]);
    for (*out = 0; *out < count && strcmp(names[*out], text) != 0; ++*out) {
    }
    ISO_REQUIRE(r->ctx,
                *out<count, ISO_ERR_PARSE, "%s: %s is '%.40s', expected %s%s%s or %s", r->path, key,
                     text, names[0], count> 2
                    ? ", "
                    : "",
                count > 2 ? names[1] : "", names[count - 1]);
    return ISO_OK;
}

static iso_status take_material(const reader* r, const json_t* row, int index, const char* key,
                                iso_learned_material* out) {
    char where[48];
    const json_t* object = json_object_get(row, key);
    (void)snprintf(where, sizeof where, "rows[%d].%s.", index, key);
    ISO_REQUIRE(r->ctx, json_is_object(object), ISO_ERR_PARSE,
                "%s: rows[%d].%s is missing, expected an object", r->path, index, key);
    const char* name = json_string_value(json_object_get(object, "name"));
    (void)snprintf(out->name, sizeof out->name, "%s", name ? name : "");
    iso_status status = ISO_OK;
    ISO_TRY(take_number(r, object, where, "young_modulus", 1e-3, 1e15, &out->young_modulus));
    ISO_TRY(take_number(r, object, where, "poisson", -0.99, 0.5, &out->poisson));
    ISO_TRY(take_number(r, object, where, "density", 1e-6, 1e9, &out->density));
done:
    return status;
}

static iso_status take_rows(reader* r) {
    const json_t* rows = json_object_get(r->root, "rows");
    int count = (int)json_array_size(rows);
    ISO_REQUIRE(r->ctx, json_is_array(rows) && count >= 4 && count <= ISO_LEARNED_ROWS_MAX,
                ISO_ERR_PARSE, "%s: rows is missing or has %d entries, expected 4 to %d", r->path,
                count, ISO_LEARNED_ROWS_MAX);
    r->rows = iso_alloc_array(r->ctx, count, sizeof *r->rows);
    ISO_REQUIRE(r->ctx, r->rows, ISO_ERR_MEMORY, "%d rows", count);
    iso_status status = ISO_OK;
    for (int i = 0; i < count; ++i) {
        char where[32];
        const json_t* row = json_array_get(rows, (size_t)i);
        (void)snprintf(where, sizeof where, "rows[%d].", i);
        ISO_TRY(take_material(r, row, i, "a", &r->rows[i].a));
        ISO_TRY(take_material(r, row, i, "b", &r->rows[i].b));
        ISO_TRY(take_number(r, row, where, "friction", 0.0, 1e3, &r->rows[i].friction));
    }
    r->desc.rows = r->rows;
    r->desc.row_count = count;
done:
    return status;
}

static iso_status take_numbers(const reader* r, const char* key, int count, double low, double high,
                               double* out) {
    const json_t* list = json_object_get(r->root, key);
    ISO_REQUIRE(r->ctx, json_is_array(list) && (int)json_array_size(list) == count, ISO_ERR_PARSE,
                "%s: %s is missing or has %d numbers, expected %d", r->path, key,
                (int)json_array_size(list), count);
    for (int i = 0; i < count; ++i) {
        const json_t* value = json_array_get(list, (size_t)i);
        out[i] = json_number_value(value);
        ISO_REQUIRE(r->ctx, json_is_number(value) && out[i] >= low && out[i] <= high, ISO_ERR_RANGE,
                    "%s: %s[%d] is %g or no number, expected in [%g, %g]", r->path, key, i, out[i],
                    low, high);
    }
    return ISO_OK;
}

static iso_status take_head(reader* r) {
    const char* format = json_string_value(json_object_get(r->root, "format"));
    ISO_REQUIRE(r->ctx, format && strcmp(format, FORMAT) == 0, ISO_ERR_PARSE,
                "%s: format is '%.40s', expected '%s'", r->path, format ? format : "", FORMAT);
    double version = 0.0;
    int kind = 0, features = 0;
    const json_t* symmetric = json_object_get(r->root, "symmetric");
    iso_status status = ISO_OK;
    ISO_TRY(take_number(r, r->root, "", "version", VERSION, VERSION, &version));
    ISO_TRY(take_choice(r, "kind", k_kinds, 2, &kind));
    ISO_TRY(take_choice(r, "features", k_features, 3, &features));
    ISO_CHECK(r->ctx, json_is_boolean(symmetric), ISO_ERR_PARSE,
              "%s: symmetric is missing, expected true or false", r->path);
    r->desc.kind = (iso_learned_kind)kind;
    r->desc.features = (iso_learned_features)features;
    r->desc.is_symmetric = json_is_true(symmetric);
    if (kind == (int)ISO_LEARNED_SVR) {
        ISO_TRY(take_number(r, r->root, "", "epsilon", 0.0, 1e3, &r->desc.epsilon));
        ISO_TRY(take_number(r, r->root, "", "penalty", 1e-12, 1e12, &r->desc.penalty));
        ISO_TRY(take_number(r, r->root, "", "gamma", 1e-12, 1e12, &r->desc.gamma));
    }
    ISO_TRY(take_rows(r));
done:
    return status;
}

// Without a check a model is taken as it is.
static iso_status take_check(const reader* r) {
    const json_t* found = json_object_get(r->root, "check");
    json_t* wanted = check_of(r->root);
    bool is_same = !found || json_equal(found, wanted);
    json_decref(wanted);
    ISO_REQUIRE(r->ctx, is_same, ISO_ERR_PARSE,
                "%s: the model does not fit its check: it is damaged or was changed; without the "
                "check it is taken as it is",
                r->path);
    return ISO_OK;
}

static iso_status take_svr(const reader* r, iso_learned* m) {
    double bound = 2.0 * m->penalty * (1.0 + 1e-9);
    for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
        m->weights[k] = m->gamma;
    }
    iso_status status = take_number(r, r->root, "", "bias", -1e3, 1e3, &m->bias);
    return status == ISO_OK
               ? take_numbers(r, "coefficients", m->row_count, -bound, bound, m->coefficients)
               : status;
}

static iso_status take_gp(const reader* r, iso_learned* m) {
    double lengths[3];
    iso_status status = ISO_OK;
    ISO_TRY(take_number(r, r->root, "", "variance", 1e-12, 1e6, &m->variance));
    ISO_TRY(take_number(r, r->root, "", "mean_variance", 0.0, 1e6, &m->mean_variance));
    ISO_TRY(take_number(r, r->root, "", "noise_variance", 1e-12, 1e6, &m->noise_variance));
    ISO_TRY(take_numbers(r, "lengths", 3, 1e-6, 1e6, lengths));
    for (int k = 0; k < ISO_LEARNED_SIZE; ++k) {
        m->weights[k] = 0.5 / (lengths[k % 3] * lengths[k % 3]);
    }
    ISO_TRY(iso_learned_factor(m));
done:
    return status;
}

iso_status iso_learned_read(iso_context* ctx, const char* path, iso_learned** out_model) {
    ISO_REQUIRE(ctx, path && out_model, ISO_ERR_ARGUMENT, "path and out_model are required");
    *out_model = NULL;
    reader r = {.ctx = ctx, .path = path, .desc = iso_learned_desc_default()};
    iso_learned* m = NULL;
    char* bytes = NULL;
    size_t size = 0;
    json_error_t error;
    iso_status status = ISO_OK;
    ISO_TRY(iso_file_read(ctx, path, (size_t)1 << 24, &bytes, &size));
    r.root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    ISO_CHECK(ctx, r.root, ISO_ERR_PARSE, "%s:%d: %s", path, error.line, error.text);
    ISO_TRY(take_check(&r));
    ISO_TRY(take_head(&r));
    ISO_TRY(iso_learned_begin(ctx, &r.desc, &m));
    ISO_TRY(take_number(&r, r.root, "", "interval", 0.0, 1e6, &m->interval));
    ISO_TRY(r.desc.kind == ISO_LEARNED_GP ? take_gp(&r, m) : take_svr(&r, m));
    *out_model = m;
    m = NULL;

done:
    iso_learned_destroy(m);
    iso_free(ctx, r.rows);
    json_decref(r.root);
    iso_free(ctx, bytes);
    return status;
}
