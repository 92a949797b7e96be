// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Reads the JSON form "isobar-view-1" and answers questions about it: SI units throughout.

import { decodeArray } from "./arrays.js";
import { SensorData } from "./sensor_data.js";

const norm = (v) => Math.hypot(v[0], v[1], v[2]);

// Characters of a name that fit into a row of the list of pairs, or nearly.
const ROW = 18;

/** The model's name where its link has it too. Of a long name, as much of its end, in whole parts, as
    no other of `all` ends in. */
export function shortName(name, all) {
    const parts = name.split("::");
    if (parts.length > 1 && parts[0] === parts[parts.length - 1]) {
        return parts[0];
    }
    for (let i = parts.length - 1; name.length > ROW && i > 0; --i) {
        const end = parts.slice(i).join("::");
        if (!all.some((other) => other !== name && `::${other}`.endsWith(`::${end}`))) {
            return end;
        }
    }
    return name;
}

export class Recording {
    constructor(json) {
        if (!json || json.format !== "isobar-view-1") {
            throw new Error(`format is ${JSON.stringify(json?.format)}, expected "isobar-view-1"`);
        }
        this.scene = json.scene ?? "";
        this.notes = json.notes ?? [];
        this.bodies = json.bodies ?? [];
        this.bodyNames = this.bodies.map((body) => body.name);
        this.pairs = json.pairs ?? [];
        this.joints = json.joints ?? [];
        this.times = decodeArray(json.times);
        this.frameCount = this.times.length;
        if (this.frameCount === 0) {
            throw new Error("the recording holds no frame");
        }
        this.rawPoses = json.poses ?? [];
        this.rawJointPositions = json.joint_positions ?? [];
        this.rawContacts = json.contacts ?? [];
        this.energy = Object.entries(json.energy ?? {})
            .map(([name, values]) => [name, decodeArray(values)])
            .filter(([, values]) => values.length === this.frameCount);
        this.sensors = new SensorData(json, this.frameCount);
        this.#summarise();
    }

    get startTime() {
        return this.times[0];
    }

    get endTime() {
        return this.times[this.frameCount - 1];
    }

    /** Last frame whose time is not after t. */
    frameAt(t) {
        let low = 0;
        let high = this.frameCount - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.times[middle] <= t) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Position and quaternion (w x y z) of every body, 7 numbers each. */
    poses(frame) {
        return decodeArray(this.rawPoses[frame]);
    }

    contacts(frame) {
        return this.rawContacts[frame] ?? [];
    }

    /** Polygons of one contact: counts per face, vertices and pressures per vertex. */
    static polygons(contact) {
        const raw = contact.polygons ?? {};
        return {
            counts: decodeArray(raw.counts),
            vertices: decodeArray(raw.vertices),
            pressures: decodeArray(raw.pressures),
        };
    }

    pairName(index) {
        return this.sideNames(index).join(" – ");
    }

    /** Names of both sides; with the geometry's where the bodies touch in several. */
    sideNames(index) {
        const { a, b, geometry_a: geometryA, geometry_b: geometryB } = this.pairs[index];
        const name = (body, geometry) =>
            shortName(body, this.bodyNames) + (geometry ? ` · ${geometry}` : "");
        return [name(a, geometryA), name(b, geometryB)];
    }

    // Per-pair series over time, made only for pairs that ever touch; no contact counts as zero.
    #summarise() {
        this.series = new Map();
        this.maxPressure = 0;
        this.maxForce = 0;
        this.hasNormalForce = false;
        this.framePressure = new Float64Array(this.frameCount);
        for (let frame = 0; frame < this.frameCount; ++frame) {
            for (const contact of this.contacts(frame)) {
                const series = this.#seriesOf(contact.pair);
                const magnitude = norm(contact.force);
                this.hasNormalForce ||= contact.normal_force !== undefined;
                series.force[frame] += contact.normal_force ?? magnitude;
                series.area[frame] += contact.area;
                series.peak = Math.max(series.peak, magnitude);
                series.pressure = Math.max(series.pressure, contact.max_pressure);
                this.maxForce = Math.max(this.maxForce, magnitude);
                this.framePressure[frame] = Math.max(this.framePressure[frame], contact.max_pressure);
            }
            this.maxPressure = Math.max(this.maxPressure, this.framePressure[frame]);
        }
        this.activePairs = [...this.series.keys()].sort((a, b) => a - b);
    }

    /** True when most patches reach less than a tenth of the highest pressure. */
    get hasFaintPatches() {
        const tops = this.rawContacts.flat().map((contact) => contact.max_pressure);
        return tops.filter((top) => top < 0.1 * this.maxPressure).length > 0.5 * tops.length;
    }

    #seriesOf(pair) {
        if (!this.pairs[pair]) {
            throw new Error(`contact names pair ${pair}, expected 0 to ${this.pairs.length - 1}`);
        }
        let series = this.series.get(pair);
        if (!series) {
            series = {
                force: new Float64Array(this.frameCount),
                area: new Float64Array(this.frameCount),
                peak: 0,
                pressure: 0,
            };
            this.series.set(pair, series);
        }
        return series;
    }

    /** Joint positions as one series per joint, or [] when they are not recorded. */
    jointSeries() {
        const series = this.joints.map(() => new Float64Array(this.frameCount));
        for (let frame = 0; frame < this.frameCount; ++frame) {
            const values = decodeArray(this.rawJointPositions[frame]);
            if (values.length !== this.joints.length) {
                return [];
            }
            values.forEach((value, joint) => (series[joint][frame] = value));
        }
        return series;
    }
}
