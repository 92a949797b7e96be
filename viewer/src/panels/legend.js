// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The pressure legend: colour bar, ticks in Pa, kPa, MPa or GPa, range and colour map choice.

import { colorTable } from "../data/colormap.js";
import { digits, niceBelow, unitFor } from "../data/units.js";

const byId = (id) => document.getElementById(id);

export class Legend {
    constructor(recording, onChange) {
        this.bar = byId("legend-bar");
        this.ticks = byId("legend-ticks");
        this.unit = byId("legend-unit");
        this.rangeMode = byId("legend-range");
        this.map = byId("legend-map");
        this.rangeMode.addEventListener("change", onChange);
        // One range for all would leave the patches of a soft body beside a hard one without colours.
        this.rangeMode.value = recording.hasFaintPatches ? "pair" : "recording";
        this.map.addEventListener("change", () => {
            this.#drawBar();
            onChange();
        });
        this.#drawBar();
    }

    /** Draw the ticks of the chosen range. Returns its highest pressure, or where each pair has its
     * own a function of the pair; the lowest is zero, the edge of every patch. */
    show(recording, frame) {
        const isEach = this.rangeMode.value === "pair";
        const whole = this.rangeMode.value === "recording";
        const top = isEach ? 1 : (whole ? recording.maxPressure : recording.framePressure[frame]) || 1;
        if (top !== this.top || isEach !== this.isEach) {
            this.top = top;
            this.isEach = isEach;
            this.#drawTicks(top, isEach ? { scale: 0.01, unit: "% of each" } : unitFor(top, "Pa"));
        }
        this.topOfPair ??= (pair) => recording.series.get(pair).pressure;
        return isEach ? this.topOfPair : top;
    }

    #drawBar() {
        const context = this.bar.getContext("2d");
        const image = context.createImageData(1, 256);
        const table = colorTable(this.map.value);
        for (let i = 0; i < 256; ++i) {
            image.data.set(table.subarray(4 * (255 - i), 4 * (256 - i)), 4 * i);
        }
        context.putImageData(image, 0, 0);
    }

    #drawTicks(top, { scale, unit }) {
        this.unit.textContent = `[${unit}]`;
        const step = niceBelow(top / scale / 4);
        const labels = [[top / scale, true]];
        for (let k = 0; k * step <= (top / scale) * 0.93; ++k) {
            labels.push([k * step, false]);
        }
        this.ticks.replaceChildren(
            ...labels.map(([value, isTop]) => {
                const isNear = !isTop && value * scale > 0.75 * top; // a low bar has no room for both
                const label = document.createElement("span");
                label.style.bottom = `${(100 * value * scale) / top}%`;
                label.textContent = digits(value, isTop ? 4 : 3);
                label.classList.toggle("top", isTop);
                label.classList.toggle("near", isNear);
                return label;
            }),
        );
    }
}
