// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Contacts, energy and joints over time.

import { categoryColor } from "../data/colormap.js";
import { PlotColumn, peak, scaled } from "./plot_column.js";
import { areaUnitFor, unitFor } from "../data/units.js";

const SHOWN_PAIRS = 12;
const ENERGY_COLORS = {
    kinetic: "#3f9be0",
    potential: "#43b581",
    elastic: "#e8853d",
    total: "#a17fe0",
    dissipated: "#d9577a",
};

export class Plots extends PlotColumn {
    constructor(recording, parent, onSeek) {
        super(recording, parent, onSeek);
        this.selected = -1;
        this.rebuild();
    }

    select(pair) {
        this.selected = pair;
        this.rebuild();
    }

    /** Make all plots anew: after a change of theme or of the selected pair. */
    rebuild() {
        this.clear();
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
        const { scale, unit } = chooseUnit(peak(pairs.map((pair) => this.recording.seriesOver(pair)[key])));
        const isPart = pairs.length < activePairs.length;
        const note = isPart ? `strongest ${pairs.length} of ${activePairs.length} pairs` : "";
        const lines = pairs.map((pair) => {
            const faded = this.selected >= 0 && pair !== this.selected;
            return {
                label: this.recording.pairName(pair),
                stroke: categoryColor(pair) + (faded ? "55" : ""),
                width: pair === this.selected ? 2.4 : 1.4,
                values: () => scaled(this.recording.seriesOver(pair)[key], scale),
            };
        });
        this.add(title, unit, lines, note, true);
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
            values: () => scaled(values, scale),
        }));
        this.add("Energy", unit, lines, "", true);
    }

    #jointPlot() {
        const { recording } = this;
        const series = recording.jointSeries();
        if (series.length === 0) {
            return;
        }
        const lines = series.map((values, joint) => ({
            label: recording.joints[joint],
            stroke: categoryColor(joint),
            width: 1.2,
            values: recording.isLive ? () => recording.jointSeries()[joint] ?? [] : () => values,
        }));
        this.add("Joint positions", "rad, m", lines, "", lines.length <= 10);
    }
}
