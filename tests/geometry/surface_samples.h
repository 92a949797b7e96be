// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// The tetrahedron (0,0,0), (1,0,0), (0,1,0), (0,0,1) in every format.
static const char k_obj[] = "# comment\no thing\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                            "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
static const char k_stl[] =
    "solid x\n"
    "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\n"
    "endfacet\nfacet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\n"
    "endloop\nendfacet\nfacet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\n"
    "vertex 0 0 1\nendloop\nendfacet\nfacet normal -1 0 0\nouter loop\nvertex 0 0 0\n"
    "vertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\nendsolid x\n";
static const char k_ply[] = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty "
                            "float y\nproperty float z\nelement face 4\nproperty list uchar int "
                            "vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
                            "3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
// Collada in centimetres, declared y-up (which is ignored), moved by a node.
static const char k_dae[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
    "version=\"1.4.1\"><asset><unit name=\"centimeter\" meter=\"0.01\"/><up_axis>Y_UP</up_axis>"
    "</asset><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"pa\" "
    "count=\"12\">0 0 0 100 0 0 0 100 0 0 0 100</float_array><technique_common><accessor "
    "source=\"#pa\" count=\"4\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" "
    "type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor></technique_common></source>"
    "<vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles "
    "count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 2 1 0 1 3 1 2 3 0 3 2"
    "</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene "
    "id=\"s\"><node id=\"n\"><translate>0 0 200</translate><instance_geometry url=\"#g\"/></node>"
    "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene>"
    "</COLLADA>";
// glTF: y-up, so the file holds (x, z, -y); the node mirrors x, which turns the triangles over.
// Buffer: 4 positions (float), 12 indices (uint16).
static const char k_gltf[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
    "\"nodes\":[{\"mesh\":0%s}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"
    "\"indices\":1}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,"
    "\"type\":\"VEC3\",\"min\":[0,0,-1],\"max\":[1,1,0]},{\"bufferView\":1,\"componentType\":5123,"
    "\"count\":12,\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,"
    "\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,\"byteLength\":24}],\"buffers\":[{"
    "\"byteLength\":72,\"uri\":\"%s\"}]}";

static inline void put_gltf_buffer(unsigned char bytes[72]) {
    static const float k_positions[12] = {0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 1, 0};
    static const uint16_t k_indices[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    memcpy(bytes, k_positions, 48);
    memcpy(bytes + 48, k_indices, 24);
}

// The buffer as a data: URI.
static inline void make_gltf(char* text, size_t size, const char* node, const char* uri) {
    static const char k_digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char data[160] = "data:application/octet-stream;base64,";
    if (!uri) {
        unsigned char bytes[72];
        put_gltf_buffer(bytes);
        char* c = data + strlen(data);
        for (int i = 0; i < 72; i += 3) {
            unsigned bits = (unsigned)bytes[i] << 16 | (unsigned)bytes[i + 1] << 8 | bytes[i + 2];
            for (int k = 0; k < 4; ++k) {
                *c++ = k_digits[bits >> (18 - 6 * k) & 63];
            }
        }
        *c = '\0';
        uri = data;
    }
    snprintf(text, size, k_gltf, node, uri);
}

// A .glb of that buffer. Returns its size.
static inline size_t make_glb(unsigned char* bytes, size_t room) {
    char json[2048];
    make_gltf(json, sizeof json, "", "");
    char* uri = strstr(json, ",\"uri\":\"\"");
    memmove(uri, uri + 9, strlen(uri + 9) + 1);
    while (strlen(json) % 4 != 0) {
        strcat(json, " ");
    }
    uint32_t json_size = (uint32_t)strlen(json), size = 12 + 8 + json_size + 8 + 72;
    uint32_t words[] = {0x46546c67, 2, size, json_size, 0x4e4f534a, 72, 0x004e4942};
    assert_true(size <= room);
    memcpy(bytes, words, 20);
    memcpy(bytes + 20, json, json_size);
    memcpy(bytes + 20 + json_size, words + 5, 8);
    put_gltf_buffer(bytes + 28 + json_size);
    return size;
}
