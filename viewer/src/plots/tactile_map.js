// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A tactile grid as it is seen from outside, z towards the eye: cells coloured by pressure, shear and
// slip as arrows. Rows run upwards along y, columns to the right along x.

import { colorTable } from "../data/colormap.js";
import { SensorData, STATES } from "../data/sensor_data.js";
import { shade, skinDepth } from "../data/skin.js";
import { area, digits, quantity, unitFor } from "../data/units.js";

const byId = (id) => document.getElementById(id);
const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const MARGIN = 18; // room for the axes, left and below [px]
const MAX_HEIGHT = 250;
const ARROW_CELL = 16; // arrows of smaller cells are put together [px]
const LONGEST = 1.6; // arrows are cut at this many cells
const SKIN_PIXELS = 160; // of the longer side of the skin's image
const ARROWS = {
    shear: { color: "#ffffff", rim: "rgba(0, 0, 0, 0.75)" },
    slip: { color: "#ff4fa3", rim: "rgba(0, 0, 0, 0.6)" },
};

const STATE_COLORS = [null, "#4d8fe8", "#ff4fa3"]; // sticks, slips

function drawArrow(context, x, y, dx, dy, style) {
    const length = Math.hypot(dx, dy);
    if (length < 1.5) {
        return;
    }
    const head = Math.min(5, 0.55 * length);
    const [ux, uy] = [dx / length, dy / length];
    const stroke = (color, width) => {
        context.strokeStyle = color;
        context.lineWidth = width;
        context.beginPath();
        context.moveTo(x, y);
        context.lineTo(x + dx, y + dy);
        context.moveTo(x + dx - head * (ux + 0.6 * uy), y + dy - head * (uy - 0.6 * ux));
        context.lineTo(x + dx, y + dy);
        context.lineTo(x + dx - head * (ux - 0.6 * uy), y + dy - head * (uy + 0.6 * ux));
        context.stroke();
    };
    context.lineCap = "round";
    context.lineJoin = "round";
    stroke(style.rim, 3.2);
    stroke(style.color, 1.6);
}

export class TactileMap {
    constructor(recording, legend) {
        this.recording = recording;
        this.data = recording.sensors;
        this.legend = legend;
        this.card = byId("tactile-card");
        this.canvas = byId("tactile-map");
        this.shown = { shear: true, slip: false };
        for (const kind of Object.keys(ARROWS)) {
            byId(`toggle-${kind}`).addEventListener("click", (event) => {
                this.shown[kind] = event.currentTarget.classList.toggle("on");
                this.draw();
            });
        }
        for (const [id, name] of [["toggle-state", "isByState"], ["toggle-skin", "isSkin"]]) {
            byId(id).addEventListener("click", (event) => {
                this[name] = event.currentTarget.classList.toggle("on");
                this.draw();
            });
        }
        this.canvas.addEventListener("pointermove", (event) => this.#hover(event));
        this.canvas.addEventListener("pointerleave", () => this.#hover(null));
        new ResizeObserver(() => this.draw()).observe(this.card);
    }

    /** Show a grid; null hides the card. */
    show(sensor) {
        this.sensor = sensor;
        this.card.hidden = !sensor;
        this.pointed = null;
        if (sensor) {
            const [width, height] = sensor.size.map((value) => digits(1000 * value, 3));
            byId("tactile-name").textContent =
                `${sensor.name} · ${sensor.rows} × ${sensor.columns} cells, ${width} × ${height} mm`;
            byId("toggle-state").hidden = sensor.blocks === 0;
            this.whole = this.data.gridScale(sensor);
            this.draw();
        }
    }

    /** The frame of the next draw(). */
    setFrame(frame) {
        this.frame = frame;
    }

    draw() {
        if (!this.sensor || this.frame === undefined) {
            return;
        }
        this.values = this.data.values(this.sensor, this.frame);
        this.states = this.data.states(this.sensor, this.frame);
        this.readings = this.data.readings(this.sensor, this.frame);
        const isWhole = this.legend.rangeMode.value !== "frame";
        this.top = isWhole ? this.whole : this.data.gridScale(this.sensor, this.frame);
        this.#layOut();
        if (this.isSkin) {
            this.#drawSkin();
        } else {
            this.#drawCells();
            for (const kind of Object.keys(ARROWS).filter((name) => this.shown[name] && this.top[name] > 0)) {
                this.#drawArrows(kind);
            }
        }
        this.#drawAxes();
        this.#drawScale();
        this.#tellCell();
    }

    // Depth shaded; dots at the cells, or means of some, move with their shear.
    #drawSkin() {
        const { context, grid, sensor } = this;
        const pixel = Math.max(grid.width, grid.height) / SKIN_PIXELS;
        const [rows, columns] = [grid.height, grid.width].map((side) => Math.max(2, Math.round(side / pixel)));
        this.skin = skinDepth(this.recording, sensor, this.frame, rows, columns);
        const picture = document.createElement("canvas");
        [picture.width, picture.height] = [columns, rows];
        picture.getContext("2d").putImageData(new ImageData(shade(this.skin), columns, rows), 0, 0);
        context.save();
        context.translate(MARGIN, grid.height);
        context.scale(1, -1); // rows run upwards
        context.drawImage(picture, 0, 0, grid.width, grid.height);
        context.restore();
        if (this.shown.shear) {
            this.#eachGroup("shear", (x, y, dx, dy) => {
                context.fillStyle = "#101010";
                context.beginPath();
                context.arc(x + dx, y - dy, 2, 0, 2 * Math.PI);
                context.fill();
            });
        }
    }

    // As wide as the card or as high as allowed, in the proportions of the pad.
    #layOut() {
        const { rows, columns, size } = this.sensor;
        const room = this.card.clientWidth - 26 - MARGIN;
        const width = Math.max(40, Math.min(room, (MAX_HEIGHT * size[0]) / size[1]));
        const height = Math.max(24, (width * size[1]) / size[0]);
        const ratio = window.devicePixelRatio || 1;
        const [w, h] = [width + MARGIN, height + MARGIN];
        this.canvas.style.width = `${w}px`;
        this.canvas.style.height = `${h}px`;
        this.canvas.width = Math.round(w * ratio);
        this.canvas.height = Math.round(h * ratio);
        this.context = this.canvas.getContext("2d");
        this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.grid = { width, height, dx: width / columns, dy: height / rows };
    }

    #drawCells() {
        const { context, sensor, grid } = this;
        const table = colorTable(this.legend.map.value);
        context.fillStyle = cssColor("--surface-soft");
        context.fillRect(MARGIN, 0, grid.width, grid.height);
        for (let row = 0; row < sensor.rows; ++row) {
            for (let column = 0; column < sensor.columns; ++column) {
                const cell = SensorData.cell(sensor, this.values, row, column);
                if (cell.area === 0) {
                    continue;
                }
                context.fillStyle = this.#stateColor(row, column) ?? this.#pressureColor(cell, table);
                const x = MARGIN + column * grid.dx;
                context.fillRect(x, grid.height - (row + 1) * grid.dy, grid.dx + 0.4, grid.dy + 0.4);
            }
        }
        this.#drawLines();
    }

    #pressureColor(cell, table) {
        const share = this.top.pressure > 0 ? cell.pressure / this.top.pressure : 0;
        const at = 4 * Math.round(255 * Math.min(1, Math.max(0, share)));
        return `rgb(${table[at]}, ${table[at + 1]}, ${table[at + 2]})`;
    }

    // null where cells are not coloured by what they do.
    #stateColor(row, column) {
        const isShown = this.isByState && this.states;
        return isShown ? STATE_COLORS[this.states[row * this.sensor.columns + column]] : null;
    }

    #drawLines() {
        const { context, sensor, grid } = this;
        context.strokeStyle = cssColor("--line");
        context.lineWidth = 1;
        context.strokeRect(MARGIN + 0.5, 0.5, grid.width - 1, grid.height - 1);
        if (Math.min(grid.dx, grid.dy) < 7) {
            return;
        }
        context.beginPath();
        for (let column = 1; column < sensor.columns; ++column) {
            context.moveTo(MARGIN + column * grid.dx, 0);
            context.lineTo(MARGIN + column * grid.dx, grid.height);
        }
        for (let row = 1; row < sensor.rows; ++row) {
            context.moveTo(MARGIN, row * grid.dy);
            context.lineTo(MARGIN + grid.width, row * grid.dy);
        }
        context.globalAlpha = 0.5;
        context.stroke();
        context.globalAlpha = 1;
    }

    #drawAxes() {
        const { context, grid } = this;
        const color = cssColor("--text-soft");
        const y = grid.height + MARGIN / 2;
        context.fillStyle = color;
        context.font = "11px system-ui, sans-serif";
        context.textBaseline = "middle";
        drawArrow(context, MARGIN, y, 24, 0, { color, rim: "transparent" });
        context.fillText("x", MARGIN + 30, y);
        drawArrow(context, MARGIN / 2, grid.height, 0, -24, { color, rim: "transparent" });
        context.fillText("y", MARGIN / 2 - 3, grid.height - 32);
    }

    #drawArrows(kind) {
        this.#eachGroup(kind, (x, y, dx, dy, count) => {
            if (count > 0) {
                drawArrow(this.context, x - dx / 2, y + dy / 2, dx, -dy, ARROWS[kind]);
            }
        });
    }

    // Means over as many cells as it takes for arrows to have room; the scale's end fills its room.
    #eachGroup(kind, draw) {
        const { sensor, grid } = this;
        const stepX = Math.ceil(ARROW_CELL / grid.dx);
        const stepY = Math.ceil(ARROW_CELL / grid.dy);
        const room = Math.min(stepX * grid.dx, stepY * grid.dy);
        for (let row = 0; row < sensor.rows; row += stepY) {
            for (let column = 0; column < sensor.columns; column += stepX) {
                const { mean, count } = this.#meanOf(kind, row, column, stepY, stepX);
                const share = this.top[kind] > 0 ? Math.hypot(...mean) / this.top[kind] : 0;
                const pixels = share > LONGEST ? (room * LONGEST) / share : room;
                const [dx, dy] = mean.map((value) => (share > 0 ? (value / this.top[kind]) * pixels : 0));
                const x = MARGIN + Math.min(column + stepX / 2, (column + sensor.columns) / 2) * grid.dx;
                const y = grid.height - Math.min(row + stepY / 2, (row + sensor.rows) / 2) * grid.dy;
                draw(x, y, dx, dy, count);
            }
        }
    }

    // Of the cells of a block that touch.
    #meanOf(kind, row, column, height, width) {
        const { sensor } = this;
        const sum = [0, 0];
        let count = 0;
        for (let r = row; r < Math.min(row + height, sensor.rows); ++r) {
            for (let c = column; c < Math.min(column + width, sensor.columns); ++c) {
                const cell = SensorData.cell(sensor, this.values, r, c);
                sum[0] += cell[kind][0];
                sum[1] += cell[kind][1];
                count += cell.area > 0;
            }
        }
        return { mean: sum.map((value) => (count > 0 ? value / count : 0)), count };
    }

    #drawScale() {
        const bar = byId("tactile-bar");
        const table = colorTable(this.legend.map.value);
        const stops = [0, 51, 102, 153, 204, 255].map((i) => `rgb(${table.subarray(4 * i, 4 * i + 3).join(", ")})`);
        bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
        const { scale, unit } = unitFor(this.top.pressure, "Pa");
        const isCut = this.top.peak > this.top.pressure;
        byId("tactile-top").textContent =
            `${digits(this.top.pressure / scale, 3)} ${unit}${isCut ? " and more" : ""}`;
        byId("tactile-scale").hidden = this.isSkin;
        if (this.isSkin) {
            byId("tactile-arrows").textContent = this.#tellSkin();
            return;
        }
        byId("tactile-arrows").textContent =
            `Arrow as wide as its cells: shear ${quantity(this.top.shear, "Pa", 3)}, ` +
            `slip ${quantity(this.top.slip, "m/s", 3)}` +
            (this.isByState && this.states ? ". Blue cells stick, pink ones slip" : "");
    }

    #tellSkin() {
        if (!this.skin.hasFaces) {
            return "The recording holds no faces of what touches: the skin's depth is not known.";
        }
        const deepest = 1000 * this.skin.depth.reduce((most, depth) => Math.max(most, depth), 0);
        return (
            `Skin pressed ${digits(deepest, 3)} mm deep, lit from three sides. ` +
            `Dots move with shear, by their distance at ${quantity(this.top.shear, "Pa", 3)}`
        );
    }

    #hover(event) {
        this.pointed = null;
        if (event && this.grid) {
            const box = this.canvas.getBoundingClientRect();
            const column = Math.floor((event.clientX - box.left - MARGIN) / this.grid.dx);
            const row = Math.floor((this.grid.height - (event.clientY - box.top)) / this.grid.dy);
            if (row >= 0 && row < this.sensor.rows && column >= 0 && column < this.sensor.columns) {
                this.pointed = [row, column];
            }
        }
        this.#tellCell();
    }

    #tellCell() {
        const note = byId("tactile-cell");
        if (!this.pointed) {
            note.textContent = "Hover over a cell for its values.";
            return;
        }
        const [row, column] = this.pointed;
        const cell = SensorData.cell(this.sensor, this.values, row, column);
        note.textContent =
            `Row ${row}, column ${column}: pressure ${quantity(cell.pressure, "Pa", 3)}, ` +
            `shear ${quantity(Math.hypot(...cell.shear), "Pa", 3)}, ` +
            `slip ${quantity(Math.hypot(...cell.slip), "m/s", 3)}, ${area(cell.area, 3)} in contact` +
            this.#tellTaxel(row * this.sensor.columns + column);
    }

    // What a cell does, and what its taxel reads.
    #tellTaxel(cell) {
        const state = this.states ? `, ${STATES[this.states[cell]]}` : "";
        return state + (this.readings ? `, reads ${digits(this.readings[cell], 4)}` : "");
    }
}
