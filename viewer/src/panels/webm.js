// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A WebM file (Matroska, RFC 9559) of one silent video track: header, clusters that begin with a key
// frame, no index.

const bytesOf = (text) => new TextEncoder().encode(text);

/** A whole number, big endian, in as few bytes as it takes. */
function unsigned(value) {
    const bytes = [];
    do {
        bytes.unshift(value % 256);
        value = Math.floor(value / 256);
    } while (value > 0);
    return Uint8Array.from(bytes);
}

function float64(value) {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setFloat64(0, value);
    return bytes;
}

function join(parts) {
    const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole;
}

/** An element: its id, its size in eight bytes, what it holds. */
function element(id, ...parts) {
    const size = new Uint8Array(8);
    const content = join(parts);
    new DataView(size.buffer).setBigUint64(0, (1n << 56n) | BigInt(content.length));
    return join([unsigned(id), size, content]);
}

function header() {
    return element(
        0x1a45dfa3, // EBML
        element(0x4286, unsigned(1)), // EBMLVersion
        element(0x42f7, unsigned(1)), // EBMLReadVersion
        element(0x42f2, unsigned(4)), // EBMLMaxIDLength
        element(0x42f3, unsigned(8)), // EBMLMaxSizeLength
        element(0x4282, bytesOf("webm")), // DocType
        element(0x4287, unsigned(4)), // DocTypeVersion
        element(0x4285, unsigned(2)), // DocTypeReadVersion
    );
}

function track(codec, width, height) {
    const video = element(0xe0, element(0xb0, unsigned(width)), element(0xba, unsigned(height)));
    return element(
        0x1654ae6b, // Tracks
        element(
            0xae, // TrackEntry
            element(0xd7, unsigned(1)), // TrackNumber
            element(0x73c5, unsigned(1)), // TrackUID
            element(0x9c, unsigned(0)), // FlagLacing
            element(0x83, unsigned(1)), // TrackType: video
            element(0x86, bytesOf(codec)), // CodecID
            video,
        ),
    );
}

/** One frame: track 1, time after its cluster's [ms], key frame or not. */
function block(chunk, clusterTime) {
    const offset = Math.round(chunk.time - clusterTime);
    const head = Uint8Array.from([0x81, (offset >> 8) & 255, offset & 255, chunk.isKey ? 0x80 : 0]);
    return element(0xa3, head, chunk.data);
}

/** chunks: {time [ms], isKey, data}, in order, the first a key frame. duration [ms]. */
export function webm(codec, width, height, duration, chunks) {
    const info = element(
        0x1549a966, // Info
        element(0x2ad7b1, unsigned(1000000)), // TimestampScale: a millisecond
        element(0x4489, float64(duration)), // Duration
        element(0x4d80, bytesOf("isobar")), // MuxingApp
        element(0x5741, bytesOf("isobar")), // WritingApp
    );
    const clusters = [];
    for (const chunk of chunks) {
        if (chunk.isKey) {
            clusters.push([]);
        }
        clusters.at(-1).push(chunk);
    }
    const written = clusters.map((group) => {
        const start = Math.round(group[0].time);
        const blocks = group.map((chunk) => block(chunk, start));
        return element(0x1f43b675, element(0xe7, unsigned(start)), ...blocks);
    });
    return join([header(), element(0x18538067, info, track(codec, width, height), ...written)]);
}
