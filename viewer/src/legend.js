// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The pressure legend: colour bar, ticks in Pa, kPa, MPa or GPa, range and colour map choice.

import { colorTable } from "./colormap.js";
import { digits, niceBelow, unitFor } from "./units.js";

const byId = (id) => document.getElementById(id);

export class Legend {
    constructor(onChange) {
        this.bar = byId("legend-bar");
        this.ticks = byId("legend-ticks");
        this.unit = byId("legend-unit");
        this.rangeMode = byId("legend-range");
        this.map = byId("legend-map");
        this.rangeMode.addEventListener("change", onChange);
        this.map.addEventListener("change", () => {
            this.#drawBar();
            onChange();
        });
        this.#drawBar();
    }

    /** Highest pressure of the chosen range; the lowest is zero, the edge of every patch. */
    show(recording, frame) {
        const whole = this.rangeMode.value === "recording";
        const top = (whole ? recording.maxPressure : recording.framePressure[frame]) || 1;
        if (top !== this.top) {
            this.top = top;
            this.#drawTicks(top);
        }
        return top;
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

    #drawTicks(top) {
        const { scale, unit } = unitFor(top, "Pa");
        this.unit.textContent = `[${unit}]`;
        const step = niceBelow(top / scale / 4);
        const labels = [[top / scale, true]];
        for (let k = 0; k * step <= (top / scale) * 0.93; ++k) {
            labels.push([k * step, false]);
        }
        this.ticks.replaceChildren(
            ...labels.map(([value, isTop]) => {
                const label = document.createElement("span");
                label.style.bottom = `${(100 * value * scale) / top}%`;
                label.textContent = digits(value, isTop ? 4 : 3);
                label.classList.toggle("top", isTop);
                return label;
            }),
        );
    }
}
