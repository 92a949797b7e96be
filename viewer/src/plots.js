// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Plots over time (uPlot) with a cursor that follows the shown frame; a click seeks.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { categoryColor } from "./colormap.js";
import { areaUnitFor, unitFor } from "./units.js";

const SHOWN_PAIRS = 12;
const HEIGHT = 138;
const ENERGY_COLORS = {
    kinetic: "#3f9be0",
    potential: "#43b581",
    elastic: "#e8853d",
    total: "#a17fe0",
    dissipated: "#d9577a",
};

const cssColor = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function scaled(values, scale) {
    return Float64Array.from(values, (value) => value / scale);
}

function peak(lists) {
    let top = 0;
    for (const values of lists) {
        for (const value of values) {
            top = Math.max(top, Math.abs(value));
        }
    }
    return top;
}

export class Plots {
    constructor(recording, parent, onSeek) {
        this.recording = recording;
        this.parent = parent;
        this.onSeek = onSeek;
        this.frame = 0;
        this.selected = -1;
        this.rebuild();
        new ResizeObserver(() => this.#resize()).observe(parent);
    }

    setFrame(frame) {
        this.frame = frame;
        this.plots.forEach((plot) => this.#placeCursor(plot));
    }

    select(pair) {
        this.selected = pair;
        this.rebuild();
    }

    /** Make all plots anew: after a change of theme or of the selected pair. */
    rebuild() {
        this.plots?.forEach((plot) => plot.destroy());
        this.parent.replaceChildren();
        this.plots = [];
        const { recording } = this;
        if (recording.frameCount < 2) {
            return;
        }
        this.#pairPlot(recording.hasNormalForce ? "Normal force" : "Contact force", "force", (top) => unitFor(top, "N"));
        this.#pairPlot("Contact area", "area", areaUnitFor);
        this.#energyPlot();
        this.#jointPlot();
    }

    #pairPlot(title, key, chooseUnit) {
        const { series, activePairs } = this.recording;
        if (activePairs.length === 0) {
            return;
        }
        const strongest = [...activePairs].sort((a, b) => series.get(b).peak - series.get(a).peak);
        const shown = new Set(strongest.slice(0, SHOWN_PAIRS));
        if (series.has(this.selected)) {
            shown.add(this.selected);
        }
        const pairs = activePairs.filter((pair) => shown.has(pair));
        const { scale, unit } = chooseUnit(peak(pairs.map((pair) => series.get(pair)[key])));
        const isPart = pairs.length < activePairs.length;
        const note = isPart ? `strongest ${pairs.length} of ${activePairs.length} pairs` : "";
        const lines = pairs.map((pair) => {
            const faded = this.selected >= 0 && pair !== this.selected;
            return {
                label: this.recording.pairName(pair),
                stroke: categoryColor(pair) + (faded ? "55" : ""),
                width: pair === this.selected ? 2.4 : 1.4,
                values: scaled(series.get(pair)[key], scale),
            };
        });
        this.#add(title, unit, lines, note, false);
    }

    #energyPlot() {
        const { energy } = this.recording;
        if (energy.length === 0) {
            return;
        }
        const { scale, unit } = unitFor(peak(energy.map(([, values]) => values)), "J");
        const lines = energy.map(([name, values], index) => ({
            label: name.replaceAll("_", " "),
            stroke: ENERGY_COLORS[name] ?? categoryColor(index + 5),
            width: 1.4,
            values: scaled(values, scale),
        }));
        this.#add("Energy", unit, lines, "", true);
    }

    #jointPlot() {
        const series = this.recording.jointSeries();
        if (series.length === 0) {
            return;
        }
        const lines = series.map((values, joint) => ({
            label: this.recording.joints[joint],
            stroke: categoryColor(joint),
            width: 1.2,
            values,
        }));
        this.#add("Joint positions", "rad, m", lines, "", lines.length <= 10);
    }

    #add(title, unit, lines, note, hasKey) {
        const card = document.createElement("div");
        card.className = "card plot";
        const head = document.createElement("h2");
        head.textContent = `${title} `;
        const unitLabel = document.createElement("span");
        unitLabel.textContent = `[${unit}] ${note}`;
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
            scales: { x: { time: false } },
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
