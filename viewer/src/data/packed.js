// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Reads packed frames (docs/recording.md, "Packed frames"): a block of numbers, a block of polygons.

const HEAD = 36; // bytes before the poses
const CONTACT = 56; // bytes of a contact's row

function require(condition, message) {
    if (!condition) {
        throw new Error(message);
    }
}

function floats(view, at, count) {
    const values = new Float32Array(count);
    for (let i = 0; i < count; ++i) {
        values[i] = view.getFloat32(at + 4 * i, true);
    }
    return values;
}

function readContact(view, at) {
    const number = (i) => view.getFloat32(at + 8 + 4 * i, true);
    const normalForce = number(11);
    return {
        pair: view.getUint32(at, true),
        faces: view.getUint32(at + 4, true),
        area: number(0),
        force: [number(1), number(2), number(3)],
        moment: [number(4), number(5), number(6)],
        center_of_pressure: [number(7), number(8), number(9)],
        max_pressure: number(10),
        ...(Number.isNaN(normalForce) ? {} : { normal_force: normalForce }),
    };
}

/** Block of numbers in bytes from `start`; `size` is what it took. */
export function readNumbers(bytes, start = 0) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start);
    require(view.byteLength >= HEAD, `frame has ${view.byteLength} bytes of numbers, expected more`);
    const [bodies, joints, sensors, contactCount] = [20, 24, 28, 32].map((at) => view.getUint32(at, true));
    const size = HEAD + 4 * (7 * bodies + joints + sensors) + CONTACT * contactCount;
    require(size <= view.byteLength, `frame has ${view.byteLength} bytes of numbers, expected ${size}`);
    const jointsAt = HEAD + 28 * bodies;
    const sensorsAt = jointsAt + 4 * joints;
    const contactsAt = sensorsAt + 4 * sensors;
    return {
        time: view.getFloat64(0, true),
        energy: floats(view, 8, 3), // kinetic, potential, elastic
        poses: floats(view, HEAD, 7 * bodies),
        joints: floats(view, jointsAt, joints),
        sensors: floats(view, sensorsAt, sensors),
        contacts: Array.from({ length: contactCount }, (_, i) => readContact(view, contactsAt + CONTACT * i)),
        size,
    };
}

const NONE = { counts: new Uint32Array(0), vertices: new Float32Array(0), pressures: new Float32Array(0) };

// Steps from corner to corner, low bytes then high ones, the sign in the lowest bit.
function readChannel(bytes, at, count, low, step) {
    const values = new Float32Array(count);
    let last = 0;
    for (let i = 0; i < count; ++i) {
        const folded = bytes[at + i] | (bytes[at + count + i] << 8);
        last = (last + ((folded >>> 1) ^ -(folded & 1))) & 0xffff;
        values[i] = low + step * last;
    }
    return values;
}

function codeReader(bytes, start, end) {
    let at = start;
    return () => {
        let value = 0;
        for (let shift = 0; ; shift += 7) {
            require(at < end && shift < 35, "polygons of a frame are cut short");
            const byte = bytes[at++];
            value += (byte & 127) * 2 ** shift;
            if (byte < 128) {
                return value;
            }
        }
    };
}

function readPatch(bytes, view, at) {
    const [faceCount, vertexCount, cornerCount, codeSize] = [0, 4, 8, 12].map((k) => view.getUint32(at + k, true));
    const [x, y, z, step, low, pressureStep] = floats(view, at + 16, 6);
    const end = at + 40 + 8 * cornerCount + codeSize;
    require(end <= bytes.length, `polygons take ${end} bytes, the frame has ${bytes.length}`);
    const channels = [
        [x, step],
        [y, step],
        [z, step],
        [low, pressureStep],
    ].map(([from, by], k) => readChannel(bytes, at + 40 + 2 * k * cornerCount, cornerCount, from, by));
    const next = codeReader(bytes, end - codeSize, end);
    const counts = new Uint32Array(faceCount);
    const vertices = new Float32Array(3 * vertexCount);
    const pressures = new Float32Array(vertexCount);
    let total = 0;
    for (let f = 0; f < faceCount; ++f) {
        counts[f] = next();
        total += counts[f];
    }
    require(total === vertexCount, `faces have ${total} vertices, expected ${vertexCount}`);
    let known = 0;
    for (let i = 0; i < vertexCount; ++i) {
        const corner = known - next();
        require(corner >= 0 && corner < cornerCount, `vertex ${i} names corner ${corner} of ${cornerCount}`);
        known += corner === known ? 1 : 0;
        vertices.set([channels[0][corner], channels[1][corner], channels[2][corner]], 3 * i);
        pressures[i] = channels[3][corner];
    }
    return { polygons: { counts, vertices, pressures }, end };
}

/** Polygons of every contact, in the order of the numbers' contacts. An empty block: none was kept. */
export function readPolygons(bytes, contactCount, start = 0) {
    if (start >= bytes.length) {
        return Array(contactCount).fill(NONE);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = start;
    return Array.from({ length: contactCount }, () => {
        if (view.getUint32(at, true) === 0) {
            at += 4;
            return NONE;
        }
        const { polygons, end } = readPatch(bytes, view, at);
        at = end;
        return polygons;
    });
}
