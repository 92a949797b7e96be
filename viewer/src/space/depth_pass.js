// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Depth and number of the body at every pixel, drawn into a buffer of floats.

import * as THREE from "three";

const VERTEX = `
varying float depth;
void main() {
    vec4 seen = modelViewMatrix * vec4(position, 1.0);
    depth = -seen.z;
    gl_Position = projectionMatrix * seen;
}`;

const FRAGMENT = `
uniform float body;
varying float depth;
void main() {
    gl_FragColor = vec4(depth, body + 1.0, 0.0, 1.0);
}`;

const NOTHING = 65535;

export class DepthPass {
    constructor(width, height) {
        this.target = new THREE.WebGLRenderTarget(width, height, {
            type: THREE.FloatType,
            minFilter: THREE.NearestFilter,
            magFilter: THREE.NearestFilter,
        });
        this.materials = new Map();
        this.pixels = new Float32Array(4 * width * height);
    }

    /** {depth, segmentation}: bytes of float32 and uint16, rows from the top. */
    render(stage, bodies) {
        const shown = this.#dress(bodies);
        const { renderer } = stage;
        const { width, height } = this.target;
        const clear = renderer.getClearColor(new THREE.Color());
        const alpha = renderer.getClearAlpha();
        const background = stage.scene.background;
        stage.scene.background = null;
        renderer.setRenderTarget(this.target);
        renderer.setClearColor(0x000000, 0);
        renderer.clear();
        renderer.render(stage.scene, stage.camera);
        renderer.readRenderTargetPixels(this.target, 0, 0, width, height, this.pixels);
        renderer.setRenderTarget(null);
        renderer.setClearColor(clear, alpha);
        stage.scene.background = background;
        shown.forEach(({ mesh, material, lines, hadLines }) => {
            mesh.material = material;
            if (lines) {
                lines.visible = hadLines;
            }
        });
        return this.#unpack(width, height);
    }

    #dress(bodies) {
        const shown = [];
        bodies.nodes.forEach((node, index) => {
            for (const holder of node.children) {
                const [mesh, lines] = holder.children;
                shown.push({ mesh, material: mesh.material, lines, hadLines: lines?.visible });
                mesh.material = this.#material(index);
                if (lines) {
                    lines.visible = false;
                }
            }
        });
        return shown;
    }

    #material(index) {
        if (!this.materials.has(index)) {
            this.materials.set(index, new THREE.ShaderMaterial({
                vertexShader: VERTEX,
                fragmentShader: FRAGMENT,
                uniforms: { body: { value: index } },
                side: THREE.DoubleSide,
                blending: THREE.NoBlending,
            }));
        }
        return this.materials.get(index);
    }

    #unpack(width, height) {
        const depth = new Float32Array(width * height);
        const segmentation = new Uint16Array(width * height);
        for (let row = 0; row < height; ++row) {
            const from = (height - 1 - row) * width; // the lowest row comes first
            for (let column = 0; column < width; ++column) {
                const at = 4 * (from + column);
                const to = row * width + column;
                const body = this.pixels[at + 1];
                depth[to] = body > 0 ? this.pixels[at] : Infinity;
                segmentation[to] = body > 0 ? body - 1 : NOTHING;
            }
        }
        return { depth: new Uint8Array(depth.buffer), segmentation: new Uint8Array(segmentation.buffer) };
    }
}
