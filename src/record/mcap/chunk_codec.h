// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "record/json/bytes.h"

#include <stdint.h>

/// Zstandard, as MCAP names it.
#define ISO_CHUNK_COMPRESSION "zstd"

/// Records of more bytes are refused, so that a small file cannot fill the memory.
#define ISO_CHUNK_MOST_BYTES ((uint64_t)1 << 30)

/// Replace the contents of out_packed by the compressed bytes.
/// @return ISO_ERR_MEMORY
iso_status iso_chunk_compress(const iso_bytes* records, iso_bytes* out_packed);

/// Replace the contents of out_records by the bytes that were compressed.
/// @param size  of them
/// @return false when the packed bytes are damaged or do not make `size` bytes; out_records has
/// failed when memory is short
bool iso_chunk_decompress(const void* packed, size_t packed_size, size_t size,
                          iso_bytes* out_records);

/// CRC-32 (ISO-HDLC, polynomial 0xEDB88320) of what came before and of these bytes. Start with 0.
uint32_t iso_chunk_crc(uint32_t crc, const void* bytes, size_t size);
