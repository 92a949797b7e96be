// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Puts the page of a recording together: connects the clock, stage, panel and plots.

import * as THREE from "three";
import { Bodies } from "./space/bodies.js";
import { BodyPanel } from "./panels/body_panel.js";
import { Forces } from "./space/forces.js";
import { Help } from "./panels/help.js";
import { connectKeys } from "./panels/keys.js";
import { Legend } from "./panels/legend.js";
import { LiveTimeline } from "./live/live_timeline.js";
import { Panel } from "./panels/panel.js";
import { Patches } from "./space/patches.js";
import { Place } from "./space/place.js";
import { Plots } from "./plots/plots.js";
import { Pointer } from "./space/pointer.js";
import { SensorMark } from "./space/sensor_mark.js";
import { Sensors } from "./panels/sensors.js";
import { Stage } from "./space/stage.js";
import { Timeline } from "./panels/timeline.js";
import * as units from "./data/units.js";

const byId = (id) => document.getElementById(id);

export class Viewer {
    /** live: the connection of a live view, or undefined. */
    constructor(recording, live) {
        this.recording = recording;
        this.live = live;
        this.selected = -1;
        this.#makeScene();
        this.legend = new Legend(recording, () => this.#applyLegend());
        this.panel = new Panel(recording, (pair) => this.select(pair));
        this.bodyPanel = new BodyPanel(recording, {
            choose: (index) => this.selectBody(index),
            hide: (index, hides) => this.#hideBody(index, hides),
            follow: (index) => this.#followBody(index),
            fly: () => this.fly(),
        });
        const seek = (frame) => this.timeline.seek(frame);
        this.plots = new Plots(recording, byId("plots"), seek);
        this.sensors = new Sensors(recording, this.legend, seek, (sensor) => {
            this.sensorMark.show(sensor);
            this.stage.invalidate();
        });
        const show = (frame) => this.#showFrame(frame);
        this.timeline = live ? new LiveTimeline(recording, show, live.link) : new Timeline(recording, show);
        this.help = new Help(Boolean(live));
        this.#describe();
        this.#connectToolbar();
        this.pointer = new Pointer(this);
        connectKeys(this);
        this.#connectTheme();
        this.stage.frameCamera();
        this.timeline.seek(0);
        this.place = new Place(this);
        this.place.apply();
        const loop = (now) => {
            this.live?.tick(now);
            this.timeline.tick(now);
            this.pointer.tick();
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
        this.place?.changed();
        this.stage.invalidate();
    }

    selectBody(index) {
        this.bodies.select(index);
        this.bodyPanel.select(index);
        this.stage.invalidate();
    }

    /** A body was clicked. */
    clickBody(index) {
        this.select(-1);
        this.selectBody(index);
    }

    deselect() {
        this.select(-1);
        this.selectBody(-1);
    }

    /** Fly to the selected pair, else to the selected body, else frame the scene. */
    fly() {
        const contact = this.recording.contacts(this.timeline.frame).find(({ pair }) => pair === this.selected);
        const body = this.bodyPanel.selected;
        if (contact) {
            const center = new THREE.Vector3(...contact.center_of_pressure);
            this.stage.flyTo(center, this.patches.radiusOf(this.selected) || 0.05 * this.stage.radius);
        } else if (body >= 0) {
            const sphere = this.bodies.sphereOf(body);
            this.stage.flyTo(sphere.center, sphere.radius || 0.1 * this.stage.radius);
        } else {
            this.stage.frameCamera();
        }
        this.place.changed();
    }

    /** The picture as it is drawn now, as a PNG file. */
    savePicture() {
        this.stage.invalidate();
        this.stage.tick();
        this.stage.canvas.toBlob((blob) => {
            const link = document.createElement("a");
            link.href = URL.createObjectURL(blob);
            const time = this.recording.times[this.timeline.frame].toFixed(3);
            link.download = `${(this.recording.scene || "isobar").replace(/[^\w.-]+/g, "_")}_${time}s.png`;
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        }, "image/png");
    }

    /** Of a live view: pairs have touched that were not known. */
    pairsChanged() {
        this.panel.addPairs();
        this.plots.rebuild();
        byId("legend").hidden = false;
    }

    /** Of a live view: what plots show has grown. */
    refreshPlots() {
        const ratio = this.recording.usualForce / this.scaledForce;
        if (!(ratio > 1 / 1.5 && ratio < 1.5)) {
            this.#setArrowScale(Number(byId("arrow-scale").value));
        }
        this.plots.refresh();
        this.sensors.refresh();
        this.#describe();
    }

    stats() {
        const { info } = this.stage.renderer;
        return {
            frames: this.recording.frameCount,
            frame: this.timeline.frame,
            time: this.recording.times[this.timeline.frame],
            playing: this.timeline.playing,
            bodies: this.recording.bodies.length,
            bodyTriangles: this.bodies.triangleCount,
            pairs: this.recording.pairs.length,
            contacts: this.recording.contacts(this.timeline.frame).length,
            faces: this.patches.faces.length,
            arrowLengths: this.forces.lengths,
            patchTriangles: this.patches.triangleCount,
            selectedPair: this.selected,
            selectedBody: this.bodyPanel.selected,
            followedBody: this.bodyPanel.followed,
            sensors: this.recording.sensors.list.length,
            chosenSensor: this.sensors.chosen?.name ?? null,
            renders: this.stage.renderCount,
            drawCalls: info.render.calls,
            camera: this.stage.camera.position.toArray(),
            target: this.stage.controls.target.toArray(),
            flying: Boolean(this.stage.flight),
            received: this.live?.link.received ?? 0,
            springs: this.live?.drag?.springs.length ?? 0,
        };
    }

    /** Pixel position of a pair's centre of pressure in the page, for tests; null when not touching. */
    locate(pair) {
        const arrow = this.forces.arrows.find((candidate) => candidate.pair === pair);
        return this.#inPage(arrow && this.stage.project(arrow.origin));
    }

    /** Pixel position of the middle of a body. */
    locateBody(index) {
        return this.#inPage(this.stage.project(this.bodies.sphereOf(index).center));
    }

    #inPage(at) {
        const box = this.stage.canvas.getBoundingClientRect();
        return at ? { x: at.x + box.left, y: at.y + box.top } : null;
    }

    #makeScene() {
        const { recording } = this;
        this.stage = new Stage(byId("canvas"));
        this.bodies = new Bodies(recording);
        this.patches = new Patches(recording);
        this.forces = new Forces(recording);
        this.stage.scene.add(this.bodies.group);
        this.sensorMark = new SensorMark(this.bodies);
        this.stage.overlay.add(this.patches.group, this.forces.group, this.sensorMark.group);
        this.stage.setBounds(this.bodies.bounds());
        this.stage.beforeRender = () => {
            this.patches.update(this.stage);
            this.forces.update(this.stage);
            this.sensorMark.update(this.stage);
            this.live?.drag?.update(this.stage);
        };
        this.stage.afterRender = () => this.#placeForceLabel();
    }

    #showFrame(frame) {
        const key = this.recording.frameKey(frame);
        if (key === this.shownKey) {
            return;
        }
        this.shownKey = key;
        this.bodies.setFrame(frame);
        this.patches.setFrame(frame);
        this.forces.setFrame(frame);
        this.panel.setFrame(frame);
        this.bodyPanel.setFrame(frame);
        this.plots.setFrame(frame);
        this.sensors.setFrame(frame);
        if (this.bodyPanel.followed >= 0) {
            this.stage.follow(this.bodies.nodes[this.bodyPanel.followed].position);
        }
        this.#applyLegend();
        this.place?.changed();
    }

    #hideBody(index, hides) {
        this.bodies.nodes[index].visible = !hides;
        this.stage.invalidate();
    }

    #followBody(index) {
        this.stage.follow(index < 0 ? null : this.bodies.nodes[index].position, true);
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
        byId("scene-name").textContent = recording.scene || (this.live ? "Live view" : "Isobar recording");
        document.title = `${recording.scene || (this.live ? "live" : "recording")} – Isobar`;
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
        // The usual force of the recording reaches this part of the scene's radius, blows twice that.
        const usual = 0.55 * this.stage.radius * 10 ** exponent;
        this.scaledForce = this.recording.usualForce;
        this.forces.metresPerNewton = this.scaledForce > 0 ? usual / this.scaledForce : 0;
        this.forces.longest = 2 * usual;
        const notes = [`grid ${units.length(this.stage.gridSpacing)}`];
        if (this.scaledForce > 0) {
            const newtons = units.niceBelow(this.scaledForce);
            const metres = newtons * this.forces.metresPerNewton;
            notes.push(`arrow ${units.quantity(newtons, "N", 1)} = ${units.length(Number(metres.toPrecision(2)))}`);
            if (this.recording.maxForce > 2 * this.scaledForce) {
                notes.push(`cut at ${units.quantity(2 * this.scaledForce, "N", 2)}`);
            }
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
        opacity.value = 1;
        opacity.addEventListener("input", () => {
            this.bodies.setOpacity(Number(opacity.value));
            this.stage.invalidate();
        });
        this.bodies.setOpacity(1);
        const arrows = byId("arrow-scale");
        arrows.addEventListener("input", () => this.#setArrowScale(Number(arrows.value)));
        this.#setArrowScale(0);
        byId("frame-camera").addEventListener("click", () => this.fly());
        byId("save-picture").addEventListener("click", () => this.savePicture());
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
