// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Force arrows at the centres of pressure and markers there. A force acts on body b of its pair.

import * as THREE from "three";
import { categoryColor } from "../data/colormap.js";

const Z = new THREE.Vector3(0, 0, 1);
const SHAFT_PIXELS = 3.2; // diameter of a shaft on the screen
const HEAD_PIXELS = 11;
const LIVE_CAPACITY = 2048; // arrows where the number of pairs is not known
const MARKER_PIXELS = 7; // at most a third of the patch

function instanced(geometry, capacity) {
    const material = new THREE.MeshLambertMaterial();
    const mesh = new THREE.InstancedMesh(geometry, material, capacity);
    mesh.frustumCulled = false;
    mesh.count = 0;
    return mesh;
}

export class Forces {
    constructor(recording) {
        this.recording = recording;
        this.metresPerNewton = 0;
        this.longest = Infinity; // where arrows are cut [m]
        this.selected = -1;
        this.arrows = [];
        const capacity = Math.max(1, recording.isLive ? LIVE_CAPACITY : recording.pairs.length);
        const shaft = new THREE.CylinderGeometry(0.5, 0.5, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5);
        const head = new THREE.ConeGeometry(0.5, 1, 20).rotateX(Math.PI / 2).translate(0, 0, 0.5);
        this.shafts = instanced(shaft, capacity);
        this.heads = instanced(head, capacity);
        this.markers = instanced(new THREE.SphereGeometry(0.5, 20, 14), capacity);
        this.group = new THREE.Group();
        this.group.add(this.shafts, this.heads, this.markers);
    }

    setFrame(frame) {
        this.arrows = this.recording
            .contacts(frame)
            .slice(0, this.shafts.instanceMatrix.count)
            .map((contact) => ({
                pair: contact.pair,
                origin: new THREE.Vector3(...contact.center_of_pressure),
                force: new THREE.Vector3(...contact.force),
                radius: Math.sqrt(contact.area / Math.PI),
            }));
    }

    /** Tip of the arrow of a pair in the shown frame, or null. */
    tip(pair) {
        const arrow = this.arrows.find((candidate) => candidate.pair === pair);
        return arrow && arrow.origin.clone().addScaledVector(arrow.force.clone().normalize(), this.#length(arrow));
    }

    /** Of the arrows of the shown frame [m]. */
    get lengths() {
        return this.arrows.map((arrow) => this.#length(arrow));
    }

    #length(arrow) {
        return Math.min(arrow.force.length() * this.metresPerNewton, this.longest);
    }

    /** Place the instances; widths follow the camera so that arrows stay readable. */
    update(stage) {
        const color = new THREE.Color();
        const matrix = new THREE.Matrix4();
        this.arrows.forEach((arrow, index) => {
            const pixel = stage.pixelSize(arrow.origin);
            const length = this.#length(arrow);
            const direction = arrow.force.clone().normalize();
            const turn = new THREE.Quaternion().setFromUnitVectors(Z, direction);
            const headLength = Math.min(1.7 * HEAD_PIXELS * pixel, 0.6 * length);
            const headWidth = Math.min(HEAD_PIXELS * pixel, headLength);
            const width = Math.min(SHAFT_PIXELS * pixel, 0.4 * headWidth);
            const neck = arrow.origin.clone().addScaledVector(direction, length - headLength);
            const place = (mesh, at, w, l) => {
                matrix.compose(at, turn, new THREE.Vector3(w, w, Math.max(l, 1e-12)));
                mesh.setMatrixAt(index, matrix);
            };
            place(this.shafts, arrow.origin, width, length - headLength);
            place(this.heads, neck, headWidth, headLength);
            const marker = Math.min(MARKER_PIXELS * pixel, arrow.radius * 0.67);
            place(this.markers, arrow.origin, marker, marker);
            color.set(categoryColor(arrow.pair));
            if (this.selected >= 0 && this.selected !== arrow.pair) {
                color.lerp(new THREE.Color(0x808890), 0.7);
            }
            this.shafts.setColorAt(index, color);
            this.heads.setColorAt(index, color);
        });
        for (const mesh of [this.shafts, this.heads, this.markers]) {
            mesh.count = this.arrows.length;
            mesh.instanceMatrix.needsUpdate = true;
            if (mesh.instanceColor) {
                mesh.instanceColor.needsUpdate = true;
            }
        }
    }
}
