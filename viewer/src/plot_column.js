// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A column of plots over time (uPlot) with a cursor that follows the shown frame; a click seeks.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

const HEIGHT = 138;

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

export class PlotColumn {
    constructor(recording, parent, onSeek) {
        this.recording = recording;
        this.parent = parent;
        this.onSeek = onSeek;
        this.frame = 0;
        this.plots = [];
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

    /** A plot of lines {label, stroke, width, values}, with a key under it when it is asked for. */
    add(title, unit, lines, note, hasKey) {
        const card = document.createElement("div");
        card.className = "card plot";
        const head = document.createElement("h2");
        head.textContent = `${title} `;
        const unitLabel = document.createElement("span");
        unitLabel.textContent = unit ? `[${unit}] ${note}` : note;
        head.append(unitLabel);
        const holder = document.createElement("div");
        card.append(head, holder);
        this.parent.append(card);
        const plot = new uPlot(this.#options(lines), [this.recording.times, ...lines.map((l) => l.values)], holder);
        this.plots.push(plot);
        this.#placeCursor(plot);
        if (hasKey) {
            card.append(this.#key(lines));
        }
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

    #options(lines) {
        const axis = {
            stroke: cssColor("--text-soft"),
            font: "11px system-ui, sans-serif",
            grid: { stroke: cssColor("--line"), width: 1 },
            ticks: { stroke: cssColor("--line"), width: 1, size: 4 },
        };
        return {
            width: Math.max(120, this.parent.clientWidth - 26),
            height: HEIGHT,
            padding: [8, 16, 0, 0],
            legend: { show: false },
            scales: { x: { time: false }, y: { range: readableRange } },
            axes: [
                { ...axis, size: 26, gap: 2, values: (_, ticks) => ticks.map((t) => `${t} s`) },
                { ...axis, size: 48, gap: 4 },
            ],
            series: [{}, ...lines.map(({ label, stroke, width }) => ({ label, stroke, width, points: { show: false } }))],
            cursor: { y: false, points: { show: false }, drag: { x: true, y: false, dist: 6 } },
            hooks: {
                draw: [(plot) => this.#drawCursor(plot)],
                ready: [(plot) => this.#seekOnClick(plot)],
            },
        };
    }

    // The line of the shown frame is an element over the plot, so that playing redraws no canvas.
    #placeCursor(plot) {
        if (!plot.timeLine) {
            plot.timeLine = document.createElement("div");
            plot.timeLine.className = "time-line";
            plot.over.append(plot.timeLine);
        }
        const x = plot.valToPos(this.recording.times[this.frame], "x");
        plot.timeLine.style.transform = `translateX(${x}px)`;
        plot.timeLine.hidden = !(x >= 0 && x <= plot.over.clientWidth);
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
