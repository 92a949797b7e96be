// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The frame of the chosen sensor in the scene: its axes and, of a tactile grid, its outline.

import * as THREE from "three";

const AXIS_PIXELS = 34;

export class SensorMark {
    constructor(bodies) {
        this.bodies = bodies;
        this.group = new THREE.Group();
        this.axes = new THREE.AxesHelper(1);
        this.outline = new THREE.LineLoop(
            new THREE.BufferGeometry(),
            new THREE.LineBasicMaterial({ color: 0xff4fa3 }),
        );
        this.group.add(this.axes, this.outline);
        this.group.matrixAutoUpdate = false;
        this.group.visible = false;
    }

    show(sensor) {
        this.sensor = sensor && this.bodies.nodes[sensor.body] ? sensor : null;
        this.group.visible = Boolean(this.sensor);
        if (!this.sensor) {
            return;
        }
        const [x, y, z, qw, qx, qy, qz] = sensor.pose;
        this.pose = new THREE.Matrix4().compose(
            new THREE.Vector3(x, y, z),
            new THREE.Quaternion(qx, qy, qz, qw),
            new THREE.Vector3(1, 1, 1),
        );
        const [w, h] = sensor.size.map((size) => size / 2);
        this.outline.visible = sensor.isGrid;
        this.outline.geometry.setFromPoints([
            new THREE.Vector3(-w, -h, 0),
            new THREE.Vector3(w, -h, 0),
            new THREE.Vector3(w, h, 0),
            new THREE.Vector3(-w, h, 0),
        ]);
    }

    /** Place it in the shown frame; the axes keep their size on the screen. */
    update(stage) {
        if (!this.sensor) {
            return;
        }
        const node = this.bodies.nodes[this.sensor.body];
        node.updateMatrixWorld(true);
        this.group.matrix.multiplyMatrices(node.matrixWorld, this.pose);
        const origin = new THREE.Vector3().setFromMatrixPosition(this.group.matrix);
        this.axes.scale.setScalar(AXIS_PIXELS * stage.pixelSize(origin));
        this.group.updateMatrixWorld(true);
    }
}
