// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Longest text iso_number_format() writes, terminating zero included.
#define ISO_NUMBER_TEXT_SIZE 32

/// Write a finite double as decimal text that reads back to the same double: nearly always the
/// shortest such text, never more than 17 digits; a valid JSON number, the same in every locale.
/// Grisu2, [Loitsch2010]; some ten times faster than printf with 17 digits.
/// @param[out] out_text  at least ISO_NUMBER_TEXT_SIZE bytes, zero-terminated
/// @return number of characters
int iso_number_format(double value, char* out_text);

/// The same for a float: at most 9 digits, reads back to the same float.
int iso_number_format_float(float value, char* out_text);
