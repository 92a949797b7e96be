// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The three.js stage: camera, lights, ground grid, render loop on demand. World frame is z up.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { niceBelow } from "../data/units.js";

const GRID_VERTEX = `
varying vec2 at;
void main() {
    vec4 world = modelMatrix * vec4(position, 1.0);
    at = world.xy;
    gl_Position = projectionMatrix * viewMatrix * world;
}`;

const GRID_FRAGMENT = `
uniform vec3 color;
uniform vec2 center;
uniform float spacing;
uniform float reach;
varying vec2 at;
float lines(float step_size, float width) {
    vec2 scaled = at / step_size;
    vec2 edge = abs(fract(scaled - 0.5) - 0.5) / max(fwidth(scaled), vec2(1e-9));
    return 1.0 - clamp(min(edge.x, edge.y) / width, 0.0, 1.0);
}
void main() {
    float minor = lines(spacing, 1.0) * 0.32;
    float major = lines(spacing * 10.0, 1.4) * 0.75;
    float fade = 1.0 - smoothstep(0.25, 1.0, length(at - center) / reach);
    gl_FragColor = vec4(color, max(minor, major) * fade);
}`;

const FLIGHT = 450; // how long the camera is under way [ms]

export class Stage {
    constructor(canvas) {
        this.canvas = canvas;
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFShadowMap;
        this.renderer.autoClear = false;
        this.scene = new THREE.Scene(); // bodies, ground
        this.overlay = new THREE.Scene(); // patches, arrows: may be seen through the bodies
        this.xray = true;
        this.camera = new THREE.PerspectiveCamera(36, 1, 0.01, 100);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.15;
        this.controls.addEventListener("change", () => this.invalidate());
        this.controls.addEventListener("start", () => (this.flight = null));
        this.afterRender = () => {};
        this.beforeRender = () => {};
        this.renderCount = 0;
        this.width = this.height = 1; // of the view [CSS pixels]
        this.#addLights();
        this.#addGround();
        this.dirty = true;
        new ResizeObserver(() => this.#resize()).observe(canvas.parentElement);
        this.#resize();
    }

    invalidate() {
        this.dirty = true;
    }

    /** Called once per animation frame; draws only when something changed. */
    tick() {
        if (this.flight) {
            this.#fly();
        }
        this.controls.update();
        if (!this.dirty) {
            return;
        }
        this.dirty = false;
        this.beforeRender();
        this.renderer.info.autoReset = false;
        this.renderer.info.reset();
        this.renderer.clear();
        this.renderer.render(this.scene, this.camera);
        if (this.xray) {
            this.renderer.clearDepth();
        }
        this.renderer.render(this.overlay, this.camera);
        this.renderCount += 1;
        this.afterRender();
    }

    /** Size ground, shadows and clip planes for a scene around bounds (a THREE.Box3). */
    setBounds(bounds) {
        const sphere = bounds.getBoundingSphere(new THREE.Sphere());
        this.center = sphere.center;
        this.radius = Math.max(sphere.radius, 1e-4);
        const reachesGround = bounds.min.z < this.radius && bounds.max.z > -this.radius;
        const below = bounds.min.z < -0.02 * this.radius;
        const ground = reachesGround && !below ? 0 : bounds.min.z;
        this.gridSpacing = niceBelow(this.radius / 3);
        const lift = ground + 3e-4 * this.radius;
        this.grid.position.set(this.center.x, this.center.y, lift);
        this.grid.scale.setScalar(12 * this.radius);
        this.gridUniforms.center.value.set(this.center.x, this.center.y);
        this.gridUniforms.spacing.value = this.gridSpacing;
        this.gridUniforms.reach.value = 5 * this.radius;
        this.shadowCatcher.position.set(this.center.x, this.center.y, ground);
        this.shadowCatcher.scale.setScalar(12 * this.radius);
        this.#fitShadow();
        this.controls.minDistance = 0.02 * this.radius;
        this.controls.maxDistance = 40 * this.radius;
    }

    frameCamera() {
        this.flight = null;
        const narrow = Math.min(1, this.camera.aspect);
        const distance = (1.08 * this.radius) / Math.sin(((this.camera.fov / 2) * Math.PI) / 180) / narrow;
        const direction = new THREE.Vector3(0.72, -1, 0.55).normalize();
        this.controls.target.copy(this.center);
        this.camera.position.copy(this.center).addScaledVector(direction, distance);
        this.camera.near = distance / 400;
        this.camera.far = distance * 40;
        this.camera.updateProjectionMatrix();
        this.controls.update();
        this.invalidate();
    }

    /** Draw in this size [pixels], whatever the page's, from now on. */
    fix(width, height) {
        this.isFixed = true;
        this.renderer.setPixelRatio(1);
        this.#setSize(width, height, true);
    }

    /** Look from one point at another, both lists of three numbers. */
    setView(from, at) {
        this.flight = null;
        this.camera.position.set(...from);
        this.controls.target.set(...at);
        const distance = this.camera.position.distanceTo(this.controls.target);
        this.#setClip(distance);
        this.controls.update();
        this.invalidate();
    }

    /** Fly so that a sphere fills the view, from the side that is seen now. */
    flyTo(center, radius) {
        const narrow = Math.min(1, this.camera.aspect);
        const distance = (1.6 * radius) / Math.sin(((this.camera.fov / 2) * Math.PI) / 180) / narrow;
        const direction = this.camera.position.clone().sub(this.controls.target).normalize();
        this.controls.minDistance = Math.min(this.controls.minDistance, 0.2 * distance);
        this.flight = {
            from: this.camera.position.clone(),
            fromTarget: this.controls.target.clone(),
            to: center.clone().addScaledVector(direction, distance),
            toTarget: center.clone(),
            start: performance.now(),
        };
        this.invalidate();
    }

    /** Move the camera as a point moves; null: no longer. */
    follow(point, isNew = false) {
        if (point && !isNew && this.followed) {
            const move = point.clone().sub(this.followed);
            this.camera.position.add(move);
            this.controls.target.add(move);
        }
        this.followed = point ? point.clone() : null;
        this.invalidate();
    }

    #fly() {
        const { from, fromTarget, to, toTarget, start } = this.flight;
        const share = Math.min(1, (performance.now() - start) / FLIGHT);
        const eased = share * share * (3 - 2 * share);
        this.camera.position.lerpVectors(from, to, eased);
        this.controls.target.lerpVectors(fromTarget, toTarget, eased);
        this.#setClip(this.camera.position.distanceTo(this.controls.target));
        if (share === 1) {
            this.flight = null;
        }
        this.invalidate();
    }

    // What is near stays in view, and so does the whole scene behind it.
    #setClip(distance) {
        const reach = this.camera.position.distanceTo(this.center) + 12 * this.radius;
        this.camera.near = Math.max(distance / 400, reach / 2e5);
        this.camera.far = Math.max(distance * 40, reach);
        this.camera.updateProjectionMatrix();
    }

    setTheme(dark) {
        this.renderer.setClearColor(dark ? 0x171b21 : 0xeef1f4);
        this.gridUniforms.color.value.set(dark ? 0x9fb0c3 : 0x5d6b7a);
        this.hemisphere.color.set(dark ? 0xdfe8f2 : 0xffffff);
        this.hemisphere.groundColor.set(dark ? 0x4a4f58 : 0xb3b0aa);
        this.shadowCatcher.material.opacity = dark ? 0.38 : 0.2;
        this.invalidate();
    }

    /** Ray through a point of the canvas, in client pixels. */
    raycaster(clientX, clientY) {
        const box = this.canvas.getBoundingClientRect();
        const at = new THREE.Vector2(
            ((clientX - box.left) / box.width) * 2 - 1,
            1 - ((clientY - box.top) / box.height) * 2,
        );
        const raycaster = new THREE.Raycaster();
        raycaster.setFromCamera(at, this.camera);
        return raycaster;
    }

    /** Pixel position of a world point inside the view, or null behind the camera. */
    project(point) {
        const p = point.clone().project(this.camera);
        if (p.z > 1) {
            return null;
        }
        return {
            x: (p.x * 0.5 + 0.5) * this.width,
            y: (0.5 - p.y * 0.5) * this.height,
        };
    }

    /** World length of one pixel at a point. */
    pixelSize(point) {
        const distance = this.camera.position.distanceTo(point);
        const height = 2 * distance * Math.tan(((this.camera.fov / 2) * Math.PI) / 180);
        return height / this.height;
    }

    #addLights() {
        this.hemisphere = new THREE.HemisphereLight(0xffffff, 0x808080, 1.5);
        this.hemisphere.position.set(0, 0, 1);
        this.sun = new THREE.DirectionalLight(0xfffaf0, 2.1);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        this.sun.shadow.radius = 4;
        this.scene.add(this.hemisphere, this.sun, this.sun.target);
        const overlayLight = new THREE.HemisphereLight(0xffffff, 0xb8b8b8, 3.1);
        overlayLight.position.set(0, 0, 1);
        this.overlay.add(overlayLight);
    }

    #addGround() {
        this.gridUniforms = {
            color: { value: new THREE.Color() },
            center: { value: new THREE.Vector2() },
            spacing: { value: 1 },
            reach: { value: 1 },
        };
        this.grid = new THREE.Mesh(
            new THREE.PlaneGeometry(1, 1),
            new THREE.ShaderMaterial({
                vertexShader: GRID_VERTEX,
                fragmentShader: GRID_FRAGMENT,
                uniforms: this.gridUniforms,
                transparent: true,
                depthWrite: false,
                side: THREE.DoubleSide,
            }),
        );
        this.grid.renderOrder = -1;
        this.shadowCatcher = new THREE.Mesh(
            new THREE.PlaneGeometry(1, 1),
            new THREE.ShadowMaterial({ depthWrite: false }),
        );
        this.shadowCatcher.renderOrder = -2;
        this.shadowCatcher.receiveShadow = true;
        this.scene.add(this.shadowCatcher, this.grid);
    }

    #fitShadow() {
        const r = this.radius;
        this.sun.position.copy(this.center).add(new THREE.Vector3(0.9, -0.7, 2.2).multiplyScalar(1.6 * r));
        this.sun.target.position.copy(this.center);
        const camera = this.sun.shadow.camera;
        Object.assign(camera, { left: -1.5 * r, right: 1.5 * r, top: 1.5 * r, bottom: -1.5 * r });
        camera.near = 0.5 * r;
        camera.far = 8 * r;
        camera.updateProjectionMatrix();
        this.sun.shadow.normalBias = 0.004 * r;
        this.sun.shadow.bias = -0.0004;
    }

    #resize() {
        const { clientWidth, clientHeight } = this.canvas.parentElement;
        if (clientWidth === 0 || clientHeight === 0 || this.isFixed) {
            return;
        }
        this.#setSize(clientWidth, clientHeight, false);
    }

    // Kept: to ask the page for them in every frame makes it lay itself out.
    #setSize(width, height, isStyled) {
        this.width = width;
        this.height = height;
        this.renderer.setSize(width, height, isStyled);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        this.invalidate();
    }
}
