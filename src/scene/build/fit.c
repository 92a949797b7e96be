// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Do contact properties suit the size of their shape?

#include "scene/build/build.h"

#include "isobar/geometry.h"

#include <math.h>
#include <stdio.h>

// Largest extent of a shape [m]; 0: unknown before its file is read, or endless.
static double largest_size(const iso_shape_desc* shape) {
    double radius = shape->radius, length = shape->length;
    iso_vec3 size = shape->size;
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
        return 2.0 * radius;
    case ISO_SHAPE_CYLINDER:
        return fmax(2.0 * radius, length);
    case ISO_SHAPE_CAPSULE:
        return length + 2.0 * radius;
    case ISO_SHAPE_ELLIPSOID:
        return 2.0 * fmax(size.x, fmax(size.y, size.z));
    case ISO_SHAPE_BOX:
        return fmax(size.x, fmax(size.y, size.z));
    case ISO_SHAPE_HALF_SPACE:
    case ISO_SHAPE_CONVEX:
    case ISO_SHAPE_MESH:
        break;
    }
    return 0.0;
}

// Smallest hint that makes so many tetrahedra at most, rounded up to two digits [m].
static double smallest_hint(const iso_shape_desc* shape, double tet_count) {
    double low = -300.0, high = log10(largest_size(shape));
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high);
        if (iso_shape_tet_count(shape, pow(10.0, middle)) > tet_count) {
            low = middle;
        } else {
            high = middle;
        }
    }
    double unit = pow(10.0, floor(high) - 1.0);
    return ceil(pow(10.0, high) / unit) * unit;
}

static const char* article(const iso_shape_desc* shape) {
    return shape->kind == ISO_SHAPE_ELLIPSOID ? "an" : "a";
}

static iso_status check_hint(iso_scene_build* build, iso_source at, const iso_shape_desc* shape,
                             double hint) {
    double count = hint > 0.0 ? iso_shape_tet_count(shape, hint) : 0.0;
    const char* kind = iso_shape_kind_name(shape->kind);
    if (count <= ISO_SCENE_MANY_TETS) {
        return ISO_OK;
    }
    double least = smallest_hint(shape, ISO_SCENE_MAX_TETS);
    ISO_SCENE_REQUIRE(build, at, count <= ISO_SCENE_MAX_TETS, ISO_ERR_RANGE,
                      "resolution hint is %g m: %s %s of %g m would be made of %.2g tetrahedra, "
                      "expected at most %d, a hint >= %g m (%g m makes %.0f)",
                      hint, article(shape), kind, largest_size(shape), count, ISO_SCENE_MAX_TETS,
                      least, least, iso_shape_tet_count(shape, least));
    char key[64];
    snprintf(key, sizeof key, "resolution hint %g", hint);
    iso_scene_warn_once(build, at, key,
                        "resolution hint is %g m: %s %s of %g m is made of %.0f tetrahedra, which "
                        "is slow; %g m makes %.0f",
                        hint, article(shape), kind, largest_size(shape), count,
                        smallest_hint(shape, ISO_SCENE_MANY_TETS),
                        iso_shape_tet_count(shape, smallest_hint(shape, ISO_SCENE_MANY_TETS)));
    return ISO_OK;
}

iso_status iso_scene_check_fit(iso_scene_build* build, iso_source at, const iso_shape_desc* shape,
                               const iso_contact_material* material) {
    double size = largest_size(shape);
    bool has_margin = size > 0.0 && material->compliance != ISO_COMPLIANCE_RIGID;
    ISO_SCENE_REQUIRE(
        build, at, !has_margin || material->margin == ISO_MARGIN_AUTO || material->margin <= size,
        ISO_ERR_RANGE,
        "margin is %g m around %s %s of %g m, expected at most its size (some "
        "millimetres are usual)",
        material->margin, article(shape), iso_shape_kind_name(shape->kind), size);
    return check_hint(build, at, shape, material->resolution_hint);
}
