// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What the chosen sensor reads over time: one plot per vector or number.

import { PlotColumn, peak, scaled } from "./plot_column.js";
import { phrase, unitOf } from "../data/units.js";

// Of the components x, y, z; of a quaternion w, x, y, z.
const COMPONENT_COLORS = { x: "#d9577a", y: "#43b581", z: "#3f9be0", w: "#a17fe0" };
const SINGLE_COLOR = "#e8853d";

export class SensorPlots extends PlotColumn {
    show(sensor) {
        this.sensor = sensor;
        this.rebuild();
    }

    /** Make all plots anew: after a change of theme or of the chosen sensor. */
    rebuild() {
        this.clear();
        if (!this.sensor || this.recording.frameCount < 2) {
            return;
        }
        const silent = this.sensor.groups.filter((group) => !this.#plot(group));
        if (silent.length > 0) {
            const note = document.createElement("p");
            note.className = "note";
            note.textContent = `Zero all the time: ${silent.map((group) => group.stem.replaceAll("_", " ")).join(", ")}`;
            this.parent.append(note);
        }
    }

    // False where there is nothing but zeros.
    #plot(group) {
        const lists = this.recording.sensors.series(this.sensor, group);
        const top = peak(lists);
        if (top === 0) {
            return false;
        }
        const { scale, unit } = unitOf(top, group.unit);
        const lines = lists.map((values, k) => {
            const component = group.names[k].slice(group.stem.length + 1);
            return {
                label: component || phrase(group.stem),
                stroke: COMPONENT_COLORS[component] ?? SINGLE_COLOR,
                width: 1.4,
                values: () => scaled(values, scale),
            };
        });
        this.add(`${phrase(group.stem)}`, unit, lines, this.sensor.name, lines.length > 1);
        return true;
    }
}
