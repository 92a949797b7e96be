// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Rings around patches that are only a few pixels large, so that they are seen from afar.

import * as THREE from "three";
import { categoryColor } from "../data/colormap.js";

const SMALL = 14; // diameter of a patch on the screen below which it gets a ring [pixels]
const RING = 20; // diameter of the ring [pixels]
const CAPACITY = 512;

export class PatchRings {
    constructor() {
        this.contacts = [];
        const material = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.8, side: THREE.DoubleSide });
        this.mesh = new THREE.InstancedMesh(new THREE.RingGeometry(0.42, 0.5, 40), material, CAPACITY);
        this.mesh.frustumCulled = false;
        this.mesh.count = 0;
        this.group = new THREE.Group();
        this.group.add(this.mesh);
    }

    set(contacts) {
        this.contacts = contacts;
    }

    /** Rings face the camera and keep their size on the screen. */
    update(stage) {
        const matrix = new THREE.Matrix4();
        const color = new THREE.Color();
        let count = 0;
        for (const contact of this.contacts) {
            const at = new THREE.Vector3(...contact.center_of_pressure);
            const pixel = stage.pixelSize(at);
            const width = 2 * Math.sqrt(Math.max(contact.area, 0) / Math.PI);
            if (width < SMALL * pixel && count < CAPACITY) {
                const size = RING * pixel;
                matrix.compose(at, stage.camera.quaternion, new THREE.Vector3(size, size, size));
                this.mesh.setMatrixAt(count, matrix);
                this.mesh.setColorAt(count, color.set(categoryColor(contact.pair)));
                count += 1;
            }
        }
        this.mesh.count = count;
        this.mesh.instanceMatrix.needsUpdate = true;
        if (this.mesh.instanceColor) {
            this.mesh.instanceColor.needsUpdate = true;
        }
    }
}
