// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Sensors of a recording: their values per frame, over time and, of tactile grids, per cell.

const TOTALS = 6; // values of a grid before its cells
const CELL = 6; // pressure, shear x, y, slip x, y, area
const MOST_BLOCKS = 2; // behind the cells: states of all, readings of all; older recordings have none

/** What the states of cells are called. */
export const STATES = ["free", "sticks", "slips"];

const stemOf = (name) => name.replace(/_[wxyz0-9]$/, "");

function largest(values, size) {
    let top = 0;
    for (let at = TOTALS; at + CELL <= values.length; at += CELL) {
        top = Math.max(top, size(values, at));
    }
    return top;
}

const pressureAt = (values, at) => values[at];
const shearAt = (values, at) => Math.hypot(values[at + 1], values[at + 2]);
const slipAt = (values, at) => Math.hypot(values[at + 3], values[at + 4]);

function contactArea(values) {
    let sum = 0;
    for (let at = TOTALS + 5; at < values.length; at += CELL) {
        sum += values[at];
    }
    return sum;
}

// What is told of the cells together, beside the six values before them.
const GRID_GROUPS = [
    { stem: "largest_pressure", unit: "Pa", of: (values) => [largest(values, pressureAt)] },
    { stem: "largest_shear", unit: "Pa", of: (values) => [largest(values, shearAt)] },
    { stem: "largest_slip", unit: "m/s", of: (values) => [largest(values, slipAt)] },
    { stem: "area", unit: "m^2", of: (values) => [contactArea(values)] },
].map((group) => ({ ...group, names: [group.stem] }));

/** Neighbouring values with a common stem and unit: force_x, force_y, force_z are one vector. */
function groupsOf({ names, units, isGrid }) {
    const groups = [];
    const count = isGrid ? TOTALS : names.length;
    for (let i = 0; i < count; ++i) {
        const stem = stemOf(names[i]);
        const last = groups.at(-1);
        if (last && last.stem === stem && last.unit === units[i]) {
            last.names.push(names[i]);
        } else {
            groups.push({ stem, unit: units[i], start: i, names: [names[i]] });
        }
    }
    for (const group of groups) {
        group.of = (values) => values.subarray(group.start, group.start + group.names.length);
    }
    return isGrid ? [...groups, ...GRID_GROUPS] : groups;
}

export class SensorData {
    constructor(json, frames) {
        this.frames = frames;
        let offset = 0;
        this.list = (json.sensors ?? []).map((sensor) => {
            const isGrid = sensor.kind === "tactile";
            const count = sensor.value_count;
            const cells = sensor.rows * sensor.columns;
            const blocks = isGrid ? (count - TOTALS) / cells - CELL : 0;
            if (!Number.isInteger(blocks) || blocks < 0 || blocks > MOST_BLOCKS) {
                throw new Error(`sensor "${sensor.name}" has ${count} values, expected those of ${cells} cells`);
            }
            const known = {
                ...sensor,
                isGrid,
                blocks,
                offset,
                count: count - blocks * cells,
                names: sensor.value_names,
                units: sensor.value_units,
            };
            known.groups = groupsOf(known);
            offset += count;
            return known;
        });
        this.valueCount = offset;
    }

    /** Values of a sensor in a frame; of a grid those before its blocks. */
    values(sensor, frame) {
        return this.#decode(frame).subarray(sensor.offset, sensor.offset + sensor.count);
    }

    /** State of every cell of a grid, row by row; null where the recording has none. */
    states(sensor, frame) {
        return this.#block(sensor, frame, 0);
    }

    /** What the taxel of every cell reads; null where the sensor has none. */
    readings(sensor, frame) {
        return this.#block(sensor, frame, 1);
    }

    /** One list of numbers over time per component of a group. */
    series(sensor, group) {
        const lists = group.names.map(() => new Float64Array(this.frames.count));
        for (let frame = 0; frame < this.frames.count; ++frame) {
            group.of(this.values(sensor, frame)).forEach((value, k) => (lists[k][frame] = value));
        }
        return lists;
    }

    /** What the colours and arrows of a grid reach to: the largest of a frame or, when it is left out,
     * what one frame in twenty exceeds, so that an impact does not leave the others dark. */
    gridScale(sensor, frame) {
        const frames = frame === undefined ? [...Array(this.frames.count).keys()] : [frame];
        const tops = (size) => frames.map((i) => largest(this.values(sensor, i), size)).sort((a, b) => a - b);
        const most = (list) => list[Math.floor(0.95 * (list.length - 1))] || list.at(-1);
        const pressures = tops(pressureAt);
        return {
            peak: pressures.at(-1),
            pressure: most(pressures),
            shear: most(tops(shearAt)),
            slip: most(tops(slipAt)),
        };
    }

    /** A cell of a grid in a frame. */
    static cell(sensor, values, row, column) {
        const at = TOTALS + CELL * (row * sensor.columns + column);
        const [pressure, shearX, shearY, slipX, slipY, area] = values.subarray(at, at + CELL);
        return { pressure, shear: [shearX, shearY], slip: [slipX, slipY], area };
    }

    #block(sensor, frame, which) {
        const cells = sensor.rows * sensor.columns;
        const at = sensor.offset + sensor.count + which * cells;
        return which < sensor.blocks ? this.#decode(frame).subarray(at, at + cells) : null;
    }

    #decode(frame) {
        const values = this.frames.sensors(frame);
        if (values.length !== this.valueCount) {
            throw new Error(`frame ${frame} has ${values.length} values of sensors, expected ${this.valueCount}`);
        }
        return values;
    }
}
