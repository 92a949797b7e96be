// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/export/vtk_file.h"

#include "record/json/number_text.h"

#include <math.h>
#include <stdio.h>
#include <zlib.h>

void iso_vtk_put_array(iso_bytes* xml, iso_bytes* raw, const char* type, const char* name,
                       int components, const iso_bytes* values, int level) {
    iso_bytes_put_line(xml,
                       "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                       "format=\"appended\" offset=\"%zu\"/>",
                       type, name, components, raw->size);
    raw->has_failed = raw->has_failed || values->has_failed;
    iso_bytes_put_u64(raw, values->size > 0 ? 1 : 0); // blocks
    iso_bytes_put_u64(raw, values->size);             // of so many bytes
    iso_bytes_put_u64(raw, 0);                        // none of them partial
    if (values->size == 0) {
        return;
    }
    size_t at = raw->size;
    iso_bytes_put_u64(raw, 0); // bytes of the block, once they are known
    uLongf packed_size = compressBound(values->size);
    char* room = iso_bytes_reserve(raw, packed_size);
    if (!room || compress2((Bytef*)room, &packed_size, (const Bytef*)values->data, values->size,
                           level) != Z_OK) {
        raw->has_failed = true;
        return;
    }
    raw->size += packed_size;
    iso_bytes_set_u64(raw, at, packed_size);
}

iso_vtk_file iso_vtk_file_make(iso_bytes* xml) {
    return (iso_vtk_file){xml, iso_bytes_make(xml->ctx), iso_bytes_make(xml->ctx)};
}

void iso_vtk_file_put_array(iso_vtk_file* file, const char* type, const char* name, int components,
                            int level) {
    iso_vtk_put_array(file->xml, &file->raw, type, name, components, &file->values, level);
    iso_bytes_clear(&file->values);
}

// The names of all bodies, as character codes ended by zeros.
static void put_names(iso_bytes* xml, const iso_recorded_model* model) {
    iso_bytes_put_line(
        xml, "<Array type=\"String\" Name=\"body_names\" NumberOfTuples=\"%d\" format=\"ascii\">",
        model->body_count);
    for (int i = 0; i < model->body_count; ++i) {
        for (const char* c = model->bodies[i].name; *c; ++c) {
            char code[8];
            int length = snprintf(code, sizeof code, "%u ", (unsigned)(unsigned char)*c);
            iso_bytes_put(xml, code, (size_t)length);
        }
        iso_bytes_put(xml, "0\n", 2);
    }
    iso_bytes_put_line(xml, "</Array>");
}

void iso_vtk_file_begin(iso_vtk_file* file, const iso_recorded_model* model, const double* time,
                        int point_count, int polygon_count) {
    iso_bytes_put_line(file->xml, "<?xml version=\"1.0\"?>");
    iso_bytes_put_line(file->xml,
                       "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
                       "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">");
    iso_bytes_put_line(file->xml, "<PolyData><FieldData>");
    if (time) {
        char text[ISO_NUMBER_TEXT_SIZE] = "0";
        if (isfinite(*time)) {
            iso_number_format(*time, text);
        }
        iso_bytes_put_line(file->xml,
                           "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                           "format=\"ascii\">%s</DataArray>",
                           text);
    }
    put_names(file->xml, model);
    iso_bytes_put_line(file->xml, "</FieldData>");
    iso_bytes_put_line(file->xml,
                       "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
                       "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">",
                       point_count, polygon_count);
}

void iso_vtk_file_end(iso_vtk_file* file) {
    iso_bytes_put_line(file->xml, "</Piece></PolyData>");
    iso_bytes_put_line(file->xml, "<AppendedData encoding=\"raw\">");
    iso_bytes_put(file->xml, "_", 1); // the arrays' offsets count from here
    iso_bytes_put(file->xml, file->raw.data, file->raw.size);
    iso_bytes_put_line(file->xml, "\n</AppendedData></VTKFile>");
    file->xml->has_failed = file->xml->has_failed || file->raw.has_failed;
    iso_bytes_free(&file->raw);
    iso_bytes_free(&file->values);
}
