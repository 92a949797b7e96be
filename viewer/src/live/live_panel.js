// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Sliders of joints and actuators and the settings of a live view.

import { element } from "../panels/panel.js";
import { shortName } from "../data/recording.js";
import { digits } from "../data/units.js";

const byId = (id) => document.getElementById(id);
const SLIDER_STEPS = 1000;
const SETTING_LIMIT = 255; // [bytes], of the protocol

export class LivePanel {
    constructor(recording, link) {
        this.recording = recording;
        this.link = link;
        this.sliders = [];
        const { joints, actuators, choices, takes_settings: takesSettings } = recording.controls;
        byId("controls-card").hidden = joints.length + actuators.length === 0 && !takesSettings;
        this.#list("joints", "Joints", joints, (index, value) => link.send("joint", { index, value }));
        this.#list("actuators", "Actuators", actuators, (index, value) => link.send("actuator", { index, value }));
        byId("settings").hidden = !takesSettings;
        this.#connectSettings(choices);
    }

    /** Positions of the newest frame and what actuators are told. */
    show(frame, status) {
        const joints = this.recording.frames.joints(frame);
        for (const slider of this.sliders) {
            const values = slider.kind === "joints" ? joints : status.actuators;
            this.#place(slider, values[slider.index]);
            slider.free?.classList.toggle("on", Boolean(status.held[slider.index]));
        }
    }

    #list(kind, title, rows, send) {
        if (rows.length === 0) {
            return;
        }
        const names = rows.map((row) => row.name);
        const list = element("details", "sliders");
        list.id = `live-${kind}`;
        list.open = rows.length <= 16;
        list.append(element("summary", "", title));
        rows.forEach((row, index) => {
            const line = element("label", "control");
            line.title = row.name;
            const name = element("span", "control-name", shortName(row.name, names));
            const input = element("input", "");
            Object.assign(input, { type: "range", min: row.low, max: row.high });
            input.step = (row.high - row.low) / SLIDER_STEPS;
            input.setAttribute("aria-label", `${row.name} [${row.unit}]`);
            const value = element("span", "number");
            line.append(name, input, value);
            const slider = { kind, index, input, value, row };
            input.addEventListener("input", () => {
                send(index, Number(input.value));
                this.#tell(slider, Number(input.value));
            });
            // Keys of the page are not the slider's.
            input.addEventListener("pointerdown", () => (slider.isHeld = true));
            for (const name of ["pointerup", "pointercancel", "blur"]) {
                input.addEventListener(name, () => (slider.isHeld = false));
            }
            if (kind === "actuators") {
                slider.free = element("button", "chip", "held");
                slider.free.title = "Give this actuator back to the scene's task";
                slider.free.addEventListener("click", (event) => {
                    event.preventDefault();
                    this.link.send("free", { index });
                });
                line.append(slider.free);
            }
            this.sliders.push(slider);
            list.append(line);
        });
        byId("controls").append(list);
    }

    #place(slider, value) {
        if (value !== undefined && !slider.isHeld) {
            slider.input.value = value;
            this.#tell(slider, value);
        }
    }

    #tell(slider, value) {
        slider.value.textContent = `${digits(value, 3)} ${slider.row.unit}`;
    }

    /** Another value makes the world, and with it the page, anew; one that is refused is told and not shown. */
    #connectSettings(choices) {
        for (const { path, value, values } of choices) {
            const name = path.split(".").at(-1).replace("_", " ");
            const label = element("label", "", `${name[0].toUpperCase()}${name.slice(1)} `);
            const select = element("select", "");
            select.id = `live-${name.replace(" ", "-")}`;
            values.forEach((word) => select.add(new Option(word, word)));
            select.value = value;
            select.addEventListener("change", () => {
                this.link.send("set", { setting: `${path}=${select.value}` });
                select.value = value;
            });
            label.append(select);
            byId("live-choices").append(label);
        }
        const field = byId("live-setting");
        field.addEventListener("input", () => field.setCustomValidity(""));
        field.addEventListener("keydown", (event) => {
            if (event.key !== "Enter") {
                return;
            }
            const setting = field.value.trim();
            if (/^[^=]+=/.test(setting) && new TextEncoder().encode(setting).length <= SETTING_LIMIT) {
                this.link.send("set", { setting });
            } else {
                field.setCustomValidity(`Expected PATH=VALUE of at most ${SETTING_LIMIT} bytes, as ${field.placeholder}`);
                field.reportValidity();
            }
        });
    }
}
