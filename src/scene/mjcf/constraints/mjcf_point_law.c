// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// How geoms of MJCF press: what <option> and a geom say of MuJoCo's soft contact.

#include "scene/mjcf/mjcf.h"

#include <math.h>
#include <string.h>

#define USUAL_TIME_STEP 2e-3
#define SAFE_STEPS 2.0 // of the least time constant

iso_status iso_mjcf_read_cone(iso_mjcf_reader* reader, const iso_mjcf_item* option) {
    iso_scene_build* build = reader->build;
    iso_point_law* law = &reader->point;
    const char* cone = NULL;
    double step = USUAL_TIME_STEP;
    ISO_SCENE_TRY(iso_mjcf_text(reader, option, "cone", &cone));
    ISO_SCENE_REQUIRE(build, iso_xml_source(option->node),
                      !cone || strcmp(cone, "elliptic") == 0 || strcmp(cone, "pyramidal") == 0,
                      ISO_ERR_PARSE, "<option>: cone is '%.40s', expected pyramidal or elliptic",
                      cone);
    const char* ratio = NULL;
    ISO_SCENE_TRY(iso_mjcf_text(reader, option, "impratio", &ratio));
    law->is_stated = law->is_stated || cone || ratio;
    law->source = iso_xml_source(option->node);
    law->is_pyramid = cone ? strcmp(cone, "pyramidal") == 0 : law->is_pyramid;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, option, "impratio", 1, 1, &law->impratio, NULL));
    ISO_SCENE_REQUIRE(build, iso_xml_source(option->node),
                      law->impratio > 0.0 && law->impratio <= 1e12, ISO_ERR_RANGE,
                      "<option>: impratio is %g, expected > 0 and <= 1e12", law->impratio);
    int count = 0;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, option, "timestep", 1, 1, &step, &count));
    law->safe_time = count > 0 ? SAFE_STEPS * step : law->safe_time;
    return ISO_OK;
}

iso_point_law iso_mjcf_point_law_default(void) {
    return (iso_point_law){.kind = ISO_POINT_LAW_MUJOCO,
                           .stiffness = INFINITY,
                           .solref = ISO_POINT_LAW_SOLREF,
                           .solimp = {0.9, 0.95, 0.001, 0.5, 2.0},
                           .solmix = 1.0,
                           .is_pyramid = true,
                           .impratio = 1.0,
                           .safe_time = SAFE_STEPS * USUAL_TIME_STEP};
}

iso_status iso_mjcf_read_point_law(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                   const iso_mjcf_geom* geom, iso_point_law* out) {
    iso_scene_build* build = reader->build;
    const char* text = NULL;
    *out = reader->point;
    out->friction = geom->friction;
    out->dimension = geom->dimension;
    out->priority = geom->priority;
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "solref", 1, 2, out->solref, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "solimp", 1, 5, out->solimp, NULL));
    ISO_SCENE_TRY(iso_mjcf_numbers(reader, item, "solmix", 1, 1, &out->solmix, NULL));
    bool is_good = isfinite(out->solmix) && isfinite(out->solref[0]) && isfinite(out->solref[1]);
    for (int i = 0; i < 5; ++i) {
        is_good = is_good && isfinite(out->solimp[i]);
    }
    ISO_SCENE_REQUIRE(build, iso_xml_source(item->node), is_good, ISO_ERR_RANGE,
                      "<geom>: solref, solimp or solmix is not finite");
    for (int i = 0; i < 3; ++i) {
        static const char* const names[] = {"solref", "solimp", "solmix"};
        ISO_SCENE_TRY(iso_mjcf_text(reader, item, names[i], &text));
        out->is_stated = out->is_stated || text;
        out->source = text || !out->source.file ? iso_xml_source(item->node) : out->source;
    }
    return ISO_OK;
}
