// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Numbers of the MCAP format, version 0: https://mcap.dev/spec

#define ISO_MCAP_MAGIC "\x89MCAP0\r\n"
#define ISO_MCAP_MAGIC_SIZE 8
#define ISO_MCAP_RECORD_HEAD 9 ///< opcode and length before the contents of every record

typedef enum iso_mcap_opcode {
    ISO_MCAP_HEADER = 0x01,
    ISO_MCAP_FOOTER = 0x02,
    ISO_MCAP_SCHEMA = 0x03,
    ISO_MCAP_CHANNEL = 0x04,
    ISO_MCAP_MESSAGE = 0x05,
    ISO_MCAP_CHUNK = 0x06,
    ISO_MCAP_MESSAGE_INDEX = 0x07,
    ISO_MCAP_CHUNK_INDEX = 0x08,
    ISO_MCAP_STATISTICS = 0x0b,
    ISO_MCAP_SUMMARY_OFFSET = 0x0e,
    ISO_MCAP_DATA_END = 0x0f,
} iso_mcap_opcode;
