// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Arrays of the embedded JSON.

/** Bytes of base64 text. */
export function decodeBase64(text) {
    if (Uint8Array.fromBase64) {
        return Uint8Array.fromBase64(text);
    }
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) {
        bytes[i] = binary.charCodeAt(i);
    }
    return bytes;
}

/** Plain array, {"f32": base64} or {"u32": base64} (little endian) to an array of numbers. */
export function decodeArray(value) {
    if (value == null) {
        return new Float32Array(0);
    }
    if (Array.isArray(value)) {
        return Float64Array.from(value);
    }
    const text = value.f32 ?? value.u32;
    if (typeof text !== "string") {
        throw new Error("array is neither a list nor {f32} nor {u32}");
    }
    const bytes = decodeBase64(text);
    if (bytes.length % 4 !== 0) {
        throw new Error(`binary array has ${bytes.length} bytes, expected a multiple of 4`);
    }
    return value.f32 !== undefined ? new Float32Array(bytes.buffer) : new Uint32Array(bytes.buffer);
}
