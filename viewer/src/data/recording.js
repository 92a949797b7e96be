// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A recording and what is asked of it: SI units throughout. Frames: frames.js.

import { decodeArray } from "./arrays.js";
import { PackedFrames, PlainFrames } from "./frames.js";
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

function framesOf(json) {
    const kinds = { "isobar-view-1": PlainFrames, "isobar-view-2": PackedFrames };
    if (json?.frames) {
        return json.frames;
    }
    const Kind = kinds[json?.format];
    if (!Kind) {
        throw new Error(`format is ${JSON.stringify(json?.format)}, expected "isobar-view-1" or "isobar-view-2"`);
    }
    return new Kind(json);
}

// Zeros where a pair did not touch.
function pad(series, count) {
    while (series.force.length < count) {
        series.force.push(0);
        series.area.push(0);
    }
    return series;
}

export class Recording {
    constructor(json) {
        this.frames = framesOf(json);
        this.scene = json.scene ?? "";
        this.notes = json.notes ?? [];
        this.bodies = json.bodies ?? [];
        this.bodyNames = this.bodies.map((body) => body.name);
        this.pairs = json.pairs ?? [];
        this.joints = json.joints ?? [];
        this.events = json.events ?? [];
        if (this.frameCount === 0) {
            throw new Error("the recording holds no frame");
        }
        this.energy = Object.entries(json.energy ?? {})
            .map(([name, values]) => [name, decodeArray(values)])
            .filter(([, values]) => values.length === this.frameCount);
        this.sensors = new SensorData(json, this.frames);
        this.#summarise();
    }

    get isLive() {
        return false;
    }

    get times() {
        return this.frames.times;
    }

    get frameCount() {
        return this.frames.count;
    }

    get startTime() {
        return this.times[0];
    }

    get endTime() {
        return this.times[this.frameCount - 1];
    }

    /** What tells the contents of frames apart. */
    frameKey(frame) {
        return frame;
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
        return this.frames.poses(frame);
    }

    contacts(frame) {
        return this.frames.contacts(frame);
    }

    /** Of each contact: counts per face, vertices, pressures per vertex. */
    polygons(frame) {
        return this.frames.polygons(frame);
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
        this.framePressure = [];
        this.frameForce = [];
        for (let frame = 0; frame < this.frameCount; ++frame) {
            this.countFrame(frame);
        }
        this.activePairs = [...this.series.keys()].sort((a, b) => a - b);
    }

    /** Take the contacts of a frame into account, which follows those that were before. */
    countFrame(frame) {
        this.framePressure[frame] = 0;
        this.frameForce[frame] = 0;
        for (const contact of this.contacts(frame)) {
            const series = this.#seriesOf(contact.pair);
            const magnitude = norm(contact.force);
            this.hasNormalForce ||= contact.normal_force !== undefined;
            pad(series, frame + 1);
            series.force[frame] += contact.normal_force ?? magnitude;
            series.area[frame] += contact.area;
            series.peak = Math.max(series.peak, magnitude);
            series.pressure = Math.max(series.pressure, contact.max_pressure);
            this.frameForce[frame] = Math.max(this.frameForce[frame], magnitude);
            this.framePressure[frame] = Math.max(this.framePressure[frame], contact.max_pressure);
        }
        this.maxPressure = Math.max(this.maxPressure, this.framePressure[frame]);
        this.maxForce = Math.max(this.maxForce, this.frameForce[frame]);
    }

    /** What the strongest contact of a frame bears in all but one of ten frames: blows do not count. */
    get usualForce() {
        const forces = this.frameForce.filter((force) => force > 0).sort((a, b) => a - b);
        return forces.length > 0 ? forces[Math.ceil(0.9 * forces.length) - 1] : 0;
    }

    /** Does a contact bear anything? Patches of a frame are also those that open, or only begin to touch. */
    isPressed(contact) {
        return norm(contact.force) > 1e-9 * this.maxForce;
    }

    /** Force and area over time of a pair. */
    seriesOver(pair) {
        return pad(this.series.get(pair), this.frameCount);
    }

    /** True when most patches reach less than a tenth of the highest pressure. */
    get hasFaintPatches() {
        const tops = [];
        for (let frame = 0; frame < this.frameCount; ++frame) {
            tops.push(...this.contacts(frame).map((contact) => contact.max_pressure));
        }
        return tops.filter((top) => top < 0.1 * this.maxPressure).length > 0.5 * tops.length;
    }

    #seriesOf(pair) {
        if (!this.pairs[pair]) {
            throw new Error(`contact names pair ${pair}, expected 0 to ${this.pairs.length - 1}`);
        }
        let series = this.series.get(pair);
        if (!series) {
            series = { force: [], area: [], peak: 0, pressure: 0 };
            this.series.set(pair, series);
        }
        return series;
    }

    /** Joint positions as one series per joint, or [] when they are not recorded. */
    jointSeries() {
        const series = this.joints.map(() => new Float64Array(this.frameCount));
        for (let frame = 0; frame < this.frameCount; ++frame) {
            const values = this.frames.joints(frame);
            if (values.length !== this.joints.length) {
                return [];
            }
            values.forEach((value, joint) => (series[joint][frame] = value));
        }
        return series;
    }
}
