// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Bodies of the recording as meshes: visual or collision geometry, posed per frame.

import * as THREE from "three";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { decodeArray } from "../data/arrays.js";

// Beyond this many triangles crease detection takes too long at load; vertex normals are smooth.
const CREASE_LIMIT = 40000;
const CREASE_ANGLE = (35 * Math.PI) / 180;

function buildGeometry(visual) {
    const geometry = new THREE.BufferGeometry();
    const vertices = Float32Array.from(decodeArray(visual.vertices));
    const triangles = Uint32Array.from(decodeArray(visual.triangles));
    geometry.setAttribute("position", new THREE.BufferAttribute(vertices, 3));
    geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
    if (triangles.length / 3 > CREASE_LIMIT) {
        geometry.computeVertexNormals();
        return geometry;
    }
    return toCreasedNormals(geometry, CREASE_ANGLE);
}

function setPose(object, pose, offset) {
    object.position.set(pose[offset], pose[offset + 1], pose[offset + 2]);
    object.quaternion.set(pose[offset + 4], pose[offset + 5], pose[offset + 6], pose[offset + 3]);
}

export class Bodies {
    constructor(recording) {
        this.recording = recording;
        this.group = new THREE.Group();
        this.materials = [];
        this.opacity = 1;
        this.triangleCount = 0;
        this.nodes = recording.bodies.map((body, index) => this.#buildBody(body, index));
        this.group.add(...this.nodes);
        this.setMode("visual");
    }

    setFrame(frame) {
        const poses = this.recording.poses(frame);
        this.nodes.forEach((node, index) => {
            if (poses.length >= 7 * (index + 1)) {
                setPose(node, poses, 7 * index);
            }
        });
    }

    /** "visual" or "collision"; a body without the asked kind shows what it has. */
    setMode(mode) {
        this.mode = mode;
        for (const node of this.nodes) {
            const hasMode = node.children.some((child) => child.userData.role === mode);
            for (const child of node.children) {
                child.visible = !hasMode || child.userData.role === mode;
                const [mesh, lines] = child.children;
                if (lines) {
                    // Contact geometry in the place of what a body looks like is drawn like it.
                    const standsIn = mode === "visual" && !hasMode;
                    lines.visible = !standsIn;
                    mesh.material.userData.alpha = standsIn ? 1 : mesh.material.userData.ownAlpha;
                }
            }
        }
        this.setOpacity();
    }

    setOpacity(opacity = this.opacity) {
        this.opacity = opacity;
        this.group.visible = opacity > 0.005;
        for (const material of this.materials) {
            const value = opacity * material.userData.alpha;
            material.opacity = value;
            material.transparent = value < 0.995;
            material.depthWrite = value >= 0.995;
            material.needsUpdate = true;
        }
    }

    /** Tint one body; -1: none. */
    select(index) {
        for (const material of this.materials) {
            material.emissive.set(material.userData.body === index ? 0x2a5f9e : 0x000000);
        }
    }

    /** Sphere around a body in the shown frame. */
    sphereOf(index) {
        const node = this.nodes[index];
        node.updateMatrixWorld(true);
        const box = new THREE.Box3();
        for (const child of node.children.filter((part) => part.visible)) {
            box.expandByObject(child);
        }
        const sphere = new THREE.Sphere(node.position.clone(), 0);
        return box.isEmpty() ? sphere : box.getBoundingSphere(sphere);
    }

    /** Nearest body under a ray: {name, index, point, distance} or null. */
    pick(raycaster) {
        if (!this.group.visible) {
            return null;
        }
        const meshes = this.nodes.filter((node) => node.visible).flatMap((node) =>
            node.children.filter((child) => child.visible).map((child) => child.children[0]),
        );
        const hit = raycaster.intersectObjects(meshes, false)[0];
        if (!hit) {
            return null;
        }
        const { body: name, index } = hit.object.userData;
        return { name, index, point: hit.point, distance: hit.distance };
    }

    /** Box around the moving bodies over the recording, and the fixed ones of comparable size. */
    bounds() {
        const moving = new THREE.Box3();
        const fixed = new THREE.Box3();
        const frames = this.recording.frameCount;
        const samples = Math.min(frames, 24);
        const centers = this.nodes.map((node) => node.userData.sphere);
        for (let i = 0; i < samples; ++i) {
            this.setFrame(Math.round((i * (frames - 1)) / Math.max(1, samples - 1)));
            this.nodes.forEach((node, index) => {
                if (!centers[index]) {
                    return;
                }
                node.updateMatrixWorld(true);
                const box = new THREE.Box3().setFromObject(node);
                (this.recording.bodies[index].fixed ? fixed : moving).union(box);
            });
        }
        if (moving.isEmpty() || fixed.isEmpty()) {
            return moving.isEmpty() ? fixed : moving;
        }
        const size = (box) => box.getSize(new THREE.Vector3()).length();
        return size(fixed) < 2.5 * size(moving) ? moving.union(fixed) : moving;
    }

    #buildBody(body, index) {
        const node = new THREE.Group();
        for (const visual of body.visuals ?? []) {
            const child = this.#buildVisual(body, visual, index);
            node.add(child);
            node.userData.sphere = true;
        }
        node.name = body.name ?? `body ${index}`;
        return node;
    }

    #buildVisual(body, visual, index) {
        const [r, g, b, a] = visual.color ?? [0.72, 0.74, 0.77, 1];
        const isCollision = visual.role === "collision";
        const material = new THREE.MeshStandardMaterial({
            color: new THREE.Color().setRGB(r, g, b, THREE.SRGBColorSpace),
            roughness: 0.62,
            metalness: 0.02,
            side: THREE.DoubleSide,
            shadowSide: THREE.FrontSide,
            polygonOffset: true,
            polygonOffsetFactor: 2, // behind mesh lines and patches
            polygonOffsetUnits: 2,
        });
        material.userData.alpha = material.userData.ownAlpha = a ?? 1;
        material.userData.body = index;
        this.materials.push(material);
        const mesh = new THREE.Mesh(buildGeometry(visual), material);
        mesh.castShadow = !body.fixed || !isCollision;
        mesh.receiveShadow = true;
        mesh.userData.body = body.name;
        mesh.userData.index = index;
        mesh.renderOrder = body.fixed ? 0 : 1; // translucent bodies are drawn over the fixed ones
        const holder = new THREE.Group();
        holder.userData.role = isCollision ? "collision" : "visual";
        holder.add(mesh);
        if (isCollision) {
            holder.add(this.#meshLines(visual));
        }
        if (visual.pose) {
            setPose(holder, visual.pose, 0);
        }
        this.triangleCount += decodeArray(visual.triangles).length / 3;
        return holder;
    }

    #meshLines(visual) {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute(
            "position",
            new THREE.BufferAttribute(Float32Array.from(decodeArray(visual.vertices)), 3),
        );
        geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(decodeArray(visual.triangles)), 1));
        const lines = new THREE.WireframeGeometry(geometry);
        const material = new THREE.LineBasicMaterial({
            color: 0x10151b,
            opacity: 0.3,
            transparent: true,
            depthWrite: false,
        });
        const segments = new THREE.LineSegments(lines, material);
        segments.renderOrder = 2;
        return segments;
    }
}
