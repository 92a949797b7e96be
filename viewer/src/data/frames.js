// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Where the frames of a recording come from. All of them answer the same questions about frame i:
// poses (position and quaternion w x y z of every body), joints, sensors, contacts, polygons (of each
// contact: counts per face, vertices, pressures per vertex).

import { inflateSync } from "fflate";
import { decodeArray, decodeBase64 } from "./arrays.js";
import { readNumbers, readPolygons } from "./packed.js";

/** The form "isobar-view-1": JSON that people and tests write by hand. */
export class PlainFrames {
    constructor(json) {
        this.json = json;
        this.times = decodeArray(json.times);
        this.sensorValues = [];
    }

    get count() {
        return this.times.length;
    }

    poses(i) {
        return decodeArray(this.json.poses?.[i]);
    }

    joints(i) {
        return decodeArray(this.json.joint_positions?.[i]);
    }

    sensors(i) {
        return (this.sensorValues[i] ??= decodeArray(this.json.sensor_values?.[i]));
    }

    contacts(i) {
        return this.json.contacts?.[i] ?? [];
    }

    polygons(i) {
        return this.contacts(i).map(({ polygons: raw = {} }) => ({
            counts: decodeArray(raw.counts),
            vertices: decodeArray(raw.vertices),
            pressures: decodeArray(raw.pressures),
        }));
    }
}

/** The form "isobar-view-2", which Isobar writes: blocks that are inflated when they are asked for. */
export class PackedFrames {
    constructor(json) {
        this.times = decodeArray(json.times);
        this.numbers = json.numbers.map((text) => readNumbers(inflateSync(decodeBase64(text))));
        this.packedPolygons = json.polygons.map(decodeBase64);
        if (this.numbers.length !== this.times.length || this.packedPolygons.length !== this.times.length) {
            throw new Error(`${this.times.length} times for ${this.numbers.length} frames`);
        }
    }

    get count() {
        return this.times.length;
    }

    poses(i) {
        return this.numbers[i].poses;
    }

    joints(i) {
        return this.numbers[i].joints;
    }

    sensors(i) {
        return this.numbers[i].sensors;
    }

    contacts(i) {
        return this.numbers[i].contacts;
    }

    polygons(i) {
        const packed = this.packedPolygons[i];
        const bytes = packed.length > 0 ? inflateSync(packed) : packed;
        return readPolygons(bytes, this.contacts(i).length);
    }
}

/** Frames as they arrive from a server; the oldest go when there are more than a limit. */
export class LiveFrames {
    constructor() {
        this.times = [];
        this.list = []; // {numbers, bytes}
    }

    get count() {
        return this.list.length;
    }

    /** bytes: the packed blocks of a frame, one after the other. */
    append(bytes) {
        const numbers = readNumbers(bytes);
        this.times.push(numbers.time);
        this.list.push({ numbers, bytes });
        return numbers;
    }

    forget(count) {
        this.times.splice(0, count);
        this.list.splice(0, count);
    }

    poses(i) {
        return this.list[i].numbers.poses;
    }

    joints(i) {
        return this.list[i].numbers.joints;
    }

    sensors(i) {
        return this.list[i].numbers.sensors;
    }

    contacts(i) {
        return this.list[i]?.numbers.contacts ?? [];
    }

    polygons(i) {
        const { numbers, bytes } = this.list[i];
        return readPolygons(bytes, numbers.contacts.length, numbers.size);
    }
}
