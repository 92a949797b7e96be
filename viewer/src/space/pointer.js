// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The pointer over the scene: tooltips, clicks on patches and bodies, double clicks that fly there.

import * as units from "../data/units.js";

const byId = (id) => document.getElementById(id);
const CLICK = 4; // a click moves less [pixels]

export class Pointer {
    constructor(viewer) {
        this.viewer = viewer;
        this.at = null;
        this.#connect();
    }

    /** Once per animation frame. */
    tick() {
        if (!this.hasMoved) {
            return;
        }
        this.hasMoved = false;
        const { stage, patches } = this.viewer;
        const { face, body } = this.at ? this.pick(...this.at) : {};
        patches.setHover(face);
        stage.canvas.style.cursor = face || body ? "pointer" : "";
        stage.invalidate();
        this.#showTip(this.#text(face, body));
    }

    pick(clientX, clientY) {
        const { stage, bodies, patches } = this.viewer;
        const raycaster = stage.raycaster(clientX, clientY);
        const body = bodies.pick(raycaster);
        let face = patches.pick(raycaster);
        const slack = 1e-3 * stage.radius;
        const isHidden = face && body && !stage.xray && body.distance < face.distance - slack;
        // A scene that was read anew has no contacts yet; those of the last one may still be drawn.
        if (isHidden || !this.viewer.recording.pairs[face?.pair]) {
            face = null;
        }
        return { face, body };
    }

    #text(face, body) {
        const { recording, live } = this.viewer;
        const pull = live?.drag?.label();
        if (pull) {
            return pull;
        }
        if (face) {
            return `${units.pressure(face.pressure)}\n${recording.pairName(face.pair)}, face ${face.face}`;
        }
        return body ? body.name : null;
    }

    #showTip(text) {
        const tip = byId("tooltip");
        tip.hidden = !text;
        if (!text) {
            return;
        }
        tip.textContent = text;
        const box = this.viewer.stage.canvas.getBoundingClientRect();
        const x = Math.min(this.at[0] - box.left + 14, box.width - tip.offsetWidth - 6);
        const y = Math.min(this.at[1] - box.top + 16, box.height - tip.offsetHeight - 6);
        tip.style.transform = `translate(${x}px, ${y}px)`;
    }

    #click(event) {
        const { viewer } = this;
        const { face, body } = this.pick(event.clientX, event.clientY);
        if (face) {
            viewer.selectBody(-1);
            viewer.select(face.pair);
        } else if (body) {
            viewer.clickBody(body.index);
        } else {
            viewer.deselect();
        }
    }

    #connect() {
        const { viewer } = this;
        const { canvas } = viewer.stage;
        let pressed = null;
        canvas.addEventListener("pointerdown", (event) => (pressed = [event.clientX, event.clientY]));
        canvas.addEventListener("pointerup", (event) => {
            const moved = pressed ? Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) : Infinity;
            pressed = null;
            if (moved < CLICK && event.button === 0) {
                this.#click(event);
            }
        });
        canvas.addEventListener("dblclick", (event) => {
            this.#click(event);
            if (viewer.selected >= 0 || viewer.bodyPanel.selected >= 0) {
                viewer.fly();
            }
        });
        canvas.addEventListener("pointermove", (event) => {
            const isHolding = Boolean(viewer.live?.drag?.held);
            this.at = event.buttons === 0 || isHolding ? [event.clientX, event.clientY] : null;
            this.hasMoved = true;
        });
        canvas.addEventListener("pointerleave", () => {
            this.at = null;
            this.hasMoved = true;
        });
    }
}
