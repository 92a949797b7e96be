// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Puts the page together: reads the embedded recording, connects the clock, stage, panel and plots.

import "./style.css";
import { Bodies } from "./bodies.js";
import { Forces } from "./forces.js";
import { Legend } from "./legend.js";
import { Panel } from "./panel.js";
import { Patches } from "./patches.js";
import { Plots } from "./plots.js";
import { Recording } from "./recording.js";
import { SensorMark } from "./sensor_mark.js";
import { Sensors } from "./sensors.js";
import { Stage } from "./stage.js";
import { Timeline } from "./timeline.js";
import * as units from "./units.js";

const byId = (id) => document.getElementById(id);

class Viewer {
    constructor(recording) {
        this.recording = recording;
        this.selected = -1;
        this.stage = new Stage(byId("canvas"));
        this.bodies = new Bodies(recording);
        this.patches = new Patches(recording);
        this.forces = new Forces(recording);
        this.stage.scene.add(this.bodies.group);
        this.sensorMark = new SensorMark(this.bodies);
        this.stage.overlay.add(this.patches.group, this.forces.group, this.sensorMark.group);
        this.stage.setBounds(this.bodies.bounds());
        this.stage.beforeRender = () => {
            this.forces.update(this.stage);
            this.sensorMark.update(this.stage);
        };
        this.stage.afterRender = () => this.#placeForceLabel();
        this.legend = new Legend(recording, () => this.#applyLegend());
        this.panel = new Panel(recording, (pair) => this.select(pair));
        const seek = (frame) => this.timeline.seek(frame);
        this.plots = new Plots(recording, byId("plots"), seek);
        this.sensors = new Sensors(recording, this.legend, seek, (sensor) => {
            this.sensorMark.show(sensor);
            this.stage.invalidate();
        });
        this.timeline = new Timeline(recording, (frame) => this.#showFrame(frame));
        this.#describe();
        this.#connectToolbar();
        this.#connectPointer();
        this.#connectKeys();
        this.#connectTheme();
        this.stage.frameCamera();
        this.timeline.seek(0);
        const loop = (now) => {
            this.timeline.tick(now);
            this.#hoverIfMoved();
            this.stage.tick();
            requestAnimationFrame(loop);
        };
        requestAnimationFrame(loop);
    }

    select(pair) {
        this.selected = this.recording.series.has(pair) ? pair : -1;
        this.patches.select(this.selected);
        this.forces.selected = this.selected;
        this.panel.select(this.selected);
        this.plots.select(this.selected);
        this.stage.invalidate();
    }

    stats() {
        const { info } = this.stage.renderer;
        return {
            frames: this.recording.frameCount,
            frame: this.timeline.frame,
            playing: this.timeline.playing,
            bodies: this.recording.bodies.length,
            bodyTriangles: this.bodies.triangleCount,
            pairs: this.recording.pairs.length,
            contacts: this.recording.contacts(this.timeline.frame).length,
            faces: this.patches.faces.length,
            patchTriangles: this.patches.triangleCount,
            selectedPair: this.selected,
            sensors: this.recording.sensors.list.length,
            chosenSensor: this.sensors.chosen?.name ?? null,
            renders: this.stage.renderCount,
            drawCalls: info.render.calls,
        };
    }

    /** Pixel position of a pair's centre of pressure in the page, for tests; null when not touching. */
    locate(pair) {
        const arrow = this.forces.arrows.find((candidate) => candidate.pair === pair);
        const at = arrow && this.stage.project(arrow.origin);
        const box = this.stage.canvas.getBoundingClientRect();
        return at ? { x: at.x + box.left, y: at.y + box.top } : null;
    }

    #showFrame(frame) {
        if (frame === this.shownFrame) {
            return;
        }
        this.shownFrame = frame;
        this.bodies.setFrame(frame);
        this.patches.setFrame(frame);
        this.forces.setFrame(frame);
        this.panel.setFrame(frame);
        this.plots.setFrame(frame);
        this.sensors.setFrame(frame);
        this.#applyLegend();
    }

    #applyLegend() {
        const top = this.legend.show(this.recording, this.timeline.frame);
        if (this.colorMap !== this.legend.map.value) {
            this.colorMap = this.legend.map.value;
            this.patches.setColorMap(this.colorMap);
        }
        this.patches.setTop(top);
        this.sensors.redraw();
        this.stage.invalidate();
    }

    #describe() {
        const { recording } = this;
        byId("scene-name").textContent = recording.scene || "Isobar recording";
        document.title = `${recording.scene || "recording"} – Isobar`;
        const parts = [
            `${recording.bodies.length} bodies`,
            `${recording.frameCount} frames`,
            `${units.digits(recording.endTime - recording.startTime)} s`,
            ...recording.notes,
        ];
        byId("scene-info").textContent = parts.join(" · ");
        byId("legend").hidden = recording.activePairs.length === 0;
    }

    #setArrowScale(exponent) {
        // The strongest force of the recording reaches this part of the scene's radius.
        const longest = 0.55 * this.stage.radius * 10 ** exponent;
        this.forces.metresPerNewton = this.recording.maxForce > 0 ? longest / this.recording.maxForce : 0;
        const notes = [`grid ${units.length(this.stage.gridSpacing)}`];
        if (this.recording.maxForce > 0) {
            const newtons = units.niceBelow(this.recording.maxForce);
            const metres = newtons * this.forces.metresPerNewton;
            notes.push(`arrow ${units.quantity(newtons, "N", 1)} = ${units.length(Number(metres.toPrecision(2)))}`);
        }
        byId("scale-note").textContent = notes.join(" · ");
        this.stage.invalidate();
    }

    #connectToolbar() {
        const toggle = (id, apply) => {
            const button = byId(id);
            button.addEventListener("click", () => {
                apply(button.classList.toggle("on"));
                this.stage.invalidate();
            });
        };
        toggle("toggle-patches", (on) => (this.patches.mesh.visible = on));
        toggle("toggle-edges", (on) => (this.patches.edgeLines.visible = on));
        toggle("toggle-xray", (on) => (this.stage.xray = on));
        toggle("toggle-forces", (on) => (this.forces.group.visible = on));
        const modes = [...document.querySelectorAll("#geometry-mode button")];
        for (const button of modes) {
            button.addEventListener("click", () => {
                modes.forEach((other) => other.classList.toggle("on", other === button));
                this.bodies.setMode(button.dataset.mode);
                this.stage.invalidate();
            });
        }
        const opacity = byId("opacity");
        opacity.value = this.recording.activePairs.length > 0 ? 0.55 : 1;
        const applyOpacity = () => {
            this.bodies.setOpacity(Number(opacity.value));
            this.stage.invalidate();
        };
        opacity.addEventListener("input", applyOpacity);
        applyOpacity();
        const arrows = byId("arrow-scale");
        arrows.addEventListener("input", () => this.#setArrowScale(Number(arrows.value)));
        this.#setArrowScale(0);
        byId("frame-camera").addEventListener("click", () => this.stage.frameCamera());
    }

    #connectPointer() {
        const canvas = this.stage.canvas;
        let pressed = null;
        canvas.addEventListener("pointerdown", (event) => (pressed = [event.clientX, event.clientY]));
        canvas.addEventListener("pointerup", (event) => {
            const moved = pressed && Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]);
            if (moved !== null && moved < 4) {
                const hit = this.#pick(event.clientX, event.clientY).face;
                this.select(hit ? hit.pair : -1);
            }
        });
        canvas.addEventListener("pointermove", (event) => {
            this.pointer = event.buttons === 0 ? [event.clientX, event.clientY] : null;
            this.pointerMoved = true;
        });
        canvas.addEventListener("pointerleave", () => {
            this.pointer = null;
            this.pointerMoved = true;
        });
    }

    #pick(clientX, clientY) {
        const raycaster = this.stage.raycaster(clientX, clientY);
        const body = this.bodies.pick(raycaster);
        let face = this.patches.pick(raycaster);
        const slack = 1e-3 * this.stage.radius;
        if (face && body && !this.stage.xray && body.distance < face.distance - slack) {
            face = null;
        }
        return { face, body };
    }

    #hoverIfMoved() {
        if (!this.pointerMoved) {
            return;
        }
        this.pointerMoved = false;
        const tip = byId("tooltip");
        const { face, body } = this.pointer ? this.#pick(...this.pointer) : {};
        this.patches.setHover(face);
        this.stage.canvas.style.cursor = face ? "pointer" : "";
        this.stage.invalidate();
        tip.hidden = !face && !body;
        if (tip.hidden) {
            return;
        }
        tip.textContent = face
            ? `${units.pressure(face.pressure)}\n${this.recording.pairName(face.pair)}, face ${face.face}`
            : body.name;
        const box = this.stage.canvas.getBoundingClientRect();
        const x = Math.min(this.pointer[0] - box.left + 14, box.width - tip.offsetWidth - 6);
        const y = Math.min(this.pointer[1] - box.top + 16, box.height - tip.offsetHeight - 6);
        tip.style.transform = `translate(${x}px, ${y}px)`;
    }

    #placeForceLabel() {
        const label = byId("force-label");
        const tip = this.forces.group.visible && this.forces.tip(this.selected);
        const at = tip && this.stage.project(tip);
        label.hidden = !at;
        if (at) {
            const arrow = this.forces.arrows.find((candidate) => candidate.pair === this.selected);
            label.textContent = units.quantity(arrow.force.length(), "N", 3);
            label.style.transform = `translate(${at.x + 8}px, ${at.y - 22}px)`;
        }
    }

    #connectKeys() {
        const press = (id) => byId(id).click();
        const actions = {
            " ": () => this.timeline.toggle(),
            ArrowLeft: (event) => this.timeline.step(event.shiftKey ? -10 : -1),
            ArrowRight: (event) => this.timeline.step(event.shiftKey ? 10 : 1),
            ArrowUp: () => this.timeline.changeSpeed(1),
            ArrowDown: () => this.timeline.changeSpeed(-1),
            Home: () => this.timeline.seek(0),
            End: () => this.timeline.seek(Infinity),
            Escape: () => this.select(-1),
            l: () => this.timeline.toggleLoop(),
            f: () => press("frame-camera"),
            p: () => press("toggle-patches"),
            e: () => press("toggle-edges"),
            x: () => press("toggle-xray"),
            v: () => press("toggle-forces"),
            g: () => document.querySelector("#geometry-mode button:not(.on)").click(),
        };
        window.addEventListener("keydown", (event) => {
            const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
            if (!action || event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") {
                return;
            }
            event.preventDefault();
            action(event);
        });
    }

    #connectTheme() {
        const preferred = window.matchMedia("(prefers-color-scheme: dark)");
        let dark = preferred.matches;
        const apply = () => {
            document.documentElement.dataset.theme = dark ? "dark" : "light";
            this.stage.setTheme(dark);
            this.plots.rebuild();
            this.sensors.rebuild();
        };
        byId("theme").addEventListener("click", () => {
            dark = !dark;
            apply();
        });
        preferred.addEventListener("change", (event) => {
            dark = event.matches;
            apply();
        });
        apply();
    }
}

function showNotice(message) {
    const notice = byId("notice");
    notice.hidden = false;
    notice.textContent = message;
}

function readEmbedded() {
    const text = byId("isobar-data").textContent.trim();
    if (!text.startsWith("{")) {
        throw new Error("this page holds no recording; make one with: isobar view RECORDING.mcap");
    }
    return new Recording(JSON.parse(text));
}

async function start() {
    try {
        const recording = readEmbedded();
        byId("isobar-data").textContent = ""; // the text is parsed; let it go
        const viewer = new Viewer(recording);
        Object.assign(window.isobar, {
            setFrame: (frame) => viewer.timeline.seek(frame),
            play: () => viewer.timeline.play(),
            pause: () => viewer.timeline.pause(),
            selectPair: (pair) => viewer.select(pair),
            stats: () => viewer.stats(),
            locate: (pair) => viewer.locate(pair),
        });
        Object.defineProperty(window.isobar, "frame", { get: () => viewer.timeline.frame });
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        return true;
    } catch (error) {
        document.documentElement.dataset.theme = "light";
        showNotice(`Cannot show this recording: ${error.message}`);
        return false;
    }
}

// ready resolves to true once the first frame is drawn, to false when there is nothing to show.
window.isobar = {};
window.isobar.ready = start();
