// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The list of sensors, the numbers of the chosen one, its grid and its plots.

import { element } from "./panel.js";
import { shortName } from "../data/recording.js";
import { SensorPlots } from "../plots/sensor_plots.js";
import { TactileMap } from "../plots/tactile_map.js";
import { phrase, reading } from "../data/units.js";

const byId = (id) => document.getElementById(id);

// The group of values that says most about a kind of sensor; the first where none is named.
const HEADLINES = { tactile: "largest_pressure", frame: "velocity" };

export class Sensors {
    constructor(recording, legend, onSeek, onChoose) {
        this.data = recording.sensors;
        this.onChoose = onChoose;
        this.rows = [];
        const { list } = this.data;
        byId("sensors-card").hidden = list.length === 0;
        this.map = new TactileMap(recording, legend);
        this.plots = new SensorPlots(recording, byId("sensor-plots"), onSeek);
        list.forEach((sensor, index) => byId("sensors").append(this.#row(sensor, index)));
        this.choose(Math.max(0, list.findIndex((sensor) => sensor.isGrid)));
    }

    setFrame(frame) {
        this.frame = frame;
        this.data.list.forEach((sensor, index) => {
            const headline = sensor.groups.find((group) => group.stem === HEADLINES[sensor.kind]) ?? sensor.groups[0];
            const numbers = [...headline.of(this.data.values(sensor, frame))];
            const value = numbers.length > 1 ? Math.hypot(...numbers) : numbers[0];
            this.rows[index].number.textContent = reading([value], headline.unit, 3);
        });
        this.#drawDetails();
        this.map.setFrame(frame);
        this.plots.setFrame(frame);
    }

    choose(index) {
        this.chosen = this.data.list[index];
        this.rows.forEach((row, at) => row.node.classList.toggle("selected", at === index));
        this.map.show(this.chosen?.isGrid ? this.chosen : null);
        this.plots.show(this.chosen);
        this.#drawDetails();
        this.onChoose(this.chosen);
    }

    /** Draw anew: after a change of theme. */
    rebuild() {
        this.plots.rebuild();
        this.map.draw();
    }

    /** Of a live view: there are more frames. */
    refresh() {
        if (this.chosen) {
            this.plots.rebuild();
        }
    }

    /** Draw the grid anew: after a change of the legend. */
    redraw() {
        this.map.draw();
    }

    #row(sensor, index) {
        const node = element("button", "sensor");
        node.title = sensor.name;
        const names = element("span", "names");
        const all = this.data.list.map((other) => other.name);
        names.append(element("span", "", shortName(sensor.name, all)), element("span", "kind", phrase(sensor.kind)));
        const number = element("span", "number");
        node.append(names, number);
        node.addEventListener("click", () => this.choose(index));
        this.rows.push({ node, number });
        return node;
    }

    #drawDetails() {
        if (!this.chosen || this.frame === undefined) {
            return;
        }
        const values = this.data.values(this.chosen, this.frame);
        const list = element("dl", "numbers");
        for (const group of this.chosen.groups) {
            list.append(element("dt", "", phrase(group.stem)));
            list.append(element("dd", "", reading([...group.of(values)], group.unit)));
        }
        byId("sensor-details").replaceChildren(list);
    }
}
