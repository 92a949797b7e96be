// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Dragging bodies of a live view with the pointer: a spring from the place that was grasped to the
// pointer, in the plane through that place that faces the camera. Springs of all pages are drawn.

import * as THREE from "three";
import { quantity } from "../data/units.js";

const SPRING_LIMIT = 8;
const COLOR = 0xff7a1a;
const KNOB_PIXELS = 9;

export class LiveDrag {
    constructor(viewer, link) {
        this.viewer = viewer;
        this.link = link;
        this.held = null; // {index, at, plane}
        this.springs = [];
        this.group = new THREE.Group();
        this.lines = Array.from({ length: SPRING_LIMIT }, () => this.#makeSpring());
        viewer.stage.overlay.add(this.group);
        this.#connect();
    }

    /** Springs of the newest frame. */
    show(springs) {
        this.springs = springs;
        this.lines.forEach((line, i) => {
            const spring = springs[i];
            line.node.visible = Boolean(spring);
            if (spring) {
                const ends = [spring.from, spring.to].map((end) => new THREE.Vector3(...end));
                line.rod.geometry.setFromPoints(ends);
                line.knobs.forEach((knob, k) => knob.position.copy(ends[k]));
            }
        });
    }

    /** Widths follow the camera. */
    update(stage) {
        for (const line of this.lines.filter(({ node }) => node.visible)) {
            for (const knob of line.knobs) {
                knob.scale.setScalar(KNOB_PIXELS * stage.pixelSize(knob.position));
            }
        }
    }

    /** What the tooltip says while a body is held, or null. */
    label() {
        const mine = this.held && this.springs.find((spring) => spring.body === this.held.index);
        return mine ? quantity(Math.hypot(...mine.force), "N", 3) : null;
    }

    #makeSpring() {
        const node = new THREE.Group();
        const rod = new THREE.Line(
            new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3()]),
            new THREE.LineBasicMaterial({ color: COLOR, depthTest: false }),
        );
        const knobs = [0, 1].map(() => {
            const material = new THREE.MeshBasicMaterial({ color: COLOR, depthTest: false });
            return new THREE.Mesh(new THREE.SphereGeometry(0.5, 16, 12), material);
        });
        rod.frustumCulled = false;
        rod.renderOrder = 5;
        knobs.forEach((knob) => (knob.renderOrder = 5));
        node.add(rod, ...knobs);
        node.visible = false;
        this.group.add(node);
        return { node, rod, knobs };
    }

    // Before the camera's controls, which would turn the scene.
    #connect() {
        const { canvas } = this.viewer.stage;
        canvas.parentElement.addEventListener(
            "pointerdown",
            (event) => {
                if (event.target === canvas && event.button === 0 && !event.altKey && this.#grasp(event)) {
                    event.stopPropagation();
                    event.preventDefault();
                    canvas.setPointerCapture(event.pointerId);
                }
            },
            { capture: true },
        );
        canvas.addEventListener("pointermove", (event) => this.#move(event));
        for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
            canvas.addEventListener(name, () => this.#letGo());
        }
    }

    #grasp(event) {
        const { stage, bodies, recording } = this.viewer;
        const raycaster = stage.raycaster(event.clientX, event.clientY);
        const hit = bodies.pick(raycaster);
        if (!hit || recording.bodies[hit.index].fixed) {
            return false;
        }
        const normal = stage.camera.getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point);
        const node = bodies.nodes[hit.index];
        node.updateMatrixWorld(true);
        this.held = { index: hit.index, at: node.worldToLocal(hit.point.clone()).toArray(), plane, hit };
        this.start = [event.clientX, event.clientY];
        this.isPulling = false;
        return true;
    }

    #move(event) {
        if (!this.held) {
            return;
        }
        // A click that trembles pulls nothing.
        const moved = Math.hypot(event.clientX - this.start[0], event.clientY - this.start[1]);
        this.isPulling ||= moved >= 4;
        const { ray } = this.viewer.stage.raycaster(event.clientX, event.clientY);
        const to = ray.intersectPlane(this.held.plane, new THREE.Vector3());
        if (this.isPulling && to) {
            this.link.send("drag", { index: this.held.index, at: this.held.at, to: to.toArray() });
        }
    }

    #letGo() {
        if (!this.held) {
            return;
        }
        const { index } = this.held;
        this.held = null;
        if (this.isPulling) {
            this.link.send("release");
        } else {
            this.viewer.clickBody(index);
        }
    }
}
