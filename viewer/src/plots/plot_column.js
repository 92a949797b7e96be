// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A column of plots over time (uPlot): a line that follows the shown frame, one cursor and one zoom for
// all plots of the page, values where the pointer is; a click seeks.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { digits } from "../data/units.js";

const HEIGHT = 138;
const TICK_SPACE = { x: 52, y: 24 }; // at least three ticks fit [pixels]
const SYNC = "isobar";
const TIP_LINES = 8;

const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function scaled(values, scale) {
    return Float64Array.from(values, (value) => value / scale);
}

export function peak(lists) {
    let top = 0;
    for (const values of lists) {
        for (const value of values) {
            top = Math.max(top, Math.abs(value));
        }
    }
    return top;
}

// What varies by less than a thousandth is drawn as nearly constant: finer ticks would all read alike.
function readableRange(_, low, high) {
    if (low === null) {
        return [0, 1];
    }
    const size = Math.max(Math.abs(low), Math.abs(high));
    if (high - low < 1e-3 * size) {
        return [Math.min(0, 1.15 * low), Math.max(0, 1.15 * high)];
    }
    return uPlot.rangeNum(low, high, 0.1, true);
}

// Whole powers of ten around what is there, three at least.
function logRange(_, low, high) {
    if (low === null || !(high > 0)) {
        return [0.1, 10];
    }
    const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
    return [10 ** Math.max(from, to - 9), 10 ** Math.max(to, from + 2)];
}

const positive = (values) => Array.from(values, (value) => (value > 0 ? value : null));

export class PlotColumn {
    constructor(recording, parent, onSeek) {
        this.recording = recording;
        this.parent = parent;
        this.onSeek = onSeek;
        this.frame = 0;
        this.plots = [];
        this.logTitles = new Set();
        new ResizeObserver(() => this.#resize()).observe(parent);
    }

    setFrame(frame) {
        this.frame = frame;
        this.plots.forEach((plot) => this.#placeCursor(plot));
    }

    clear() {
        this.plots.forEach((plot) => plot.destroy());
        this.parent.replaceChildren();
        this.plots = [];
    }

    /** Of a recording that grows: draw what there is now. */
    refresh() {
        if (this.plots.length === 0) {
            this.rebuild();
        }
        for (const plot of this.plots) {
            plot.setData(this.#dataOf(plot.lines, plot.isLog));
        }
    }

    /** A plot of lines {label, stroke, width, values()}, with a key under it when it is asked for. */
    add(title, unit, lines, note, hasKey) {
        const card = document.createElement("div");
        card.className = "card plot";
        const head = document.createElement("h2");
        head.textContent = `${title} `;
        const unitLabel = document.createElement("span");
        unitLabel.textContent = unit ? `[${unit}] ${note}` : note;
        const isLog = this.logTitles.has(title);
        head.append(unitLabel, this.#logButton(title, isLog));
        const holder = document.createElement("div");
        card.append(head, holder);
        this.parent.append(card);
        const plot = new uPlot(this.#options(lines, isLog), this.#dataOf(lines, isLog), holder);
        Object.assign(plot, { lines, isLog, unit });
        this.plots.push(plot);
        this.#placeCursor(plot);
        if (hasKey) {
            card.append(this.#key(lines));
        }
    }

    #dataOf(lines, isLog) {
        return [this.recording.times, ...lines.map(({ values }) => (isLog ? positive(values()) : values()))];
    }

    #logButton(title, isLog) {
        const button = document.createElement("button");
        button.className = "log";
        button.textContent = isLog ? "linear" : "log";
        button.title = "Logarithmic or linear axis; what is not positive has no place on the first";
        button.addEventListener("click", () => {
            this.logTitles[isLog ? "delete" : "add"](title);
            this.rebuild();
        });
        return button;
    }

    #key(lines) {
        const key = document.createElement("div");
        key.className = "key";
        for (const line of lines) {
            const item = document.createElement("span");
            const swatch = document.createElement("i");
            swatch.style.background = line.stroke;
            item.append(swatch, line.label);
            key.append(item);
        }
        return key;
    }

    #options(lines, isLog) {
        const axis = {
            stroke: cssColor("--text-soft"),
            font: "11px system-ui, sans-serif",
            grid: { stroke: cssColor("--line"), width: 1 },
            ticks: { stroke: cssColor("--line"), width: 1, size: 4 },
        };
        const power = (value) => (value === null ? "" : digits(value, 2));
        return {
            width: Math.max(120, this.parent.clientWidth - 26),
            height: HEIGHT,
            padding: [8, 16, 0, 0],
            legend: { show: false },
            scales: { x: { time: false }, y: isLog ? { distr: 3, range: logRange } : { range: readableRange } },
            axes: [
                { ...axis, size: 26, gap: 2, space: TICK_SPACE.x, values: (_, ticks) => ticks.map((t) => `${t} s`) },
                { ...axis, size: 48, gap: 4, space: TICK_SPACE.y, ...(isLog ? { values: (_, ticks) => ticks.map(power) } : {}) },
            ],
            series: [{}, ...lines.map(({ label, stroke, width }) => ({ label, stroke, width, points: { show: false } }))],
            cursor: {
                y: false,
                points: { show: false },
                drag: { x: true, y: false, dist: 6 },
                sync: { key: SYNC, setSeries: false },
            },
            hooks: {
                draw: [(plot) => this.#drawCursor(plot)],
                ready: [(plot) => this.#seekOnClick(plot)],
                setCursor: [(plot) => this.#showValues(plot)],
            },
        };
    }

    // The values at the cursor, the largest first.
    #showValues(plot) {
        const { idx, left } = plot.cursor;
        if (!plot.tip) {
            plot.tip = document.createElement("div");
            plot.tip.className = "plot-tip";
            plot.over.append(plot.tip);
        }
        const isShown = idx !== null && idx !== undefined && left >= 0 && Boolean(plot.lines);
        plot.tip.hidden = !isShown;
        if (!isShown) {
            return;
        }
        const rows = plot.lines
            .map((line, k) => ({ ...line, value: plot.data[k + 1][idx] }))
            .filter(({ value }) => value !== null && value !== undefined)
            .sort((a, b) => b.value - a.value)
            .slice(0, TIP_LINES);
        const head = document.createElement("b");
        head.textContent = `${digits(plot.data[0][idx], 5)} s`;
        plot.tip.replaceChildren(head, ...rows.map((row) => this.#valueRow(row, plot.unit)));
        // Beside the cursor, within the plot.
        const room = plot.over.clientWidth - plot.tip.offsetWidth;
        const isRight = left + 10 > room;
        plot.tip.style.left = `${Math.max(0, isRight ? Math.min(room, left - plot.tip.offsetWidth - 10) : left + 10)}px`;
    }

    #valueRow({ label, stroke, value }, unit) {
        const row = document.createElement("div");
        const swatch = document.createElement("i");
        swatch.style.background = stroke;
        const name = document.createElement("span");
        name.textContent = label;
        const number = document.createElement("span");
        number.className = "number";
        number.textContent = `${digits(value, 4)} ${unit.includes(",") ? "" : unit}`;
        row.append(swatch, name, number);
        return row;
    }

    // The line of the shown frame is an element over the plot, so that playing redraws no canvas. Its
    // width is the plot's own number: to ask the element would have the browser lay out the page.
    #placeCursor(plot) {
        if (!plot.timeLine) {
            plot.timeLine = document.createElement("div");
            plot.timeLine.className = "time-line";
            plot.over.append(plot.timeLine);
        }
        const x = plot.valToPos(this.recording.times[this.frame] ?? 0, "x");
        plot.timeLine.style.transform = `translateX(${x}px)`;
        plot.timeLine.hidden = !(x >= 0 && x <= plot.bbox.width / window.devicePixelRatio + 0.5);
    }

    #drawCursor(plot) {
        if (plot.timeLine) {
            this.#placeCursor(plot);
        }
    }

    #seekOnClick(plot) {
        plot.over.addEventListener("click", (event) => {
            const box = plot.over.getBoundingClientRect();
            this.onSeek(this.recording.frameAt(plot.posToVal(event.clientX - box.left, "x")));
        });
    }

    #resize() {
        const width = Math.max(120, this.parent.clientWidth - 26);
        this.plots.filter((plot) => plot.width !== width).forEach((plot) => plot.setSize({ width, height: HEIGHT }));
    }
}
