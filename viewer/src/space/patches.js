// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Contact patches of the shown frame: polygons coloured by pressure per fragment, their edges, and
// picking. Buffers grow when a frame needs more and are reused otherwise.

import * as THREE from "three";
import { colorTable } from "../data/colormap.js";
import { PatchRings } from "./patch_rings.js";

const VERTEX = `
attribute float pressure;
attribute float top; // what the pressure is told in: 1 Pa, or the largest of the pair
attribute float pair;
uniform float edgeLength; // mean of the frame [m]
varying float vPressure;
varying float vPair;
varying float vEdge; // that length on the screen, as a share of its height
void main() {
    vPressure = pressure / top;
    vPair = pair;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vEdge = 0.5 * projectionMatrix[1][1] * edgeLength / gl_Position.w;
}`;

const FACE_FRAGMENT = `
uniform sampler2D map;
uniform vec2 range;
uniform float selected;
uniform vec3 faded;
varying float vPressure;
varying float vPair;
void main() {
    float t = clamp((vPressure - range.x) / max(range.y - range.x, 1e-30), 0.0, 1.0);
    vec3 color = texture2D(map, vec2(t * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb;
    bool other = selected >= 0.0 && abs(vPair - selected) > 0.5;
    gl_FragColor = vec4(other ? mix(color, faded, 0.72) : color, 1.0);
    #include <colorspace_fragment>
}`;

const EDGE_FRAGMENT = `
uniform float selected;
varying float vPair;
varying float vEdge;
void main() {
    // Edges of a few pixels would hide the colours between them.
    float strength = smoothstep(0.004, 0.02, vEdge);
    bool chosen = selected >= 0.0 && abs(vPair - selected) < 0.5;
    vec4 color = chosen ? vec4(1.0, 1.0, 1.0, 0.85) : vec4(0.04, 0.05, 0.07, 0.5);
    gl_FragColor = vec4(color.rgb, color.a * strength);
}`;

const inPascal = () => 1;

/** A buffer attribute that keeps spare room. */
class GrowingAttribute {
    constructor(ArrayType, itemSize) {
        this.ArrayType = ArrayType;
        this.itemSize = itemSize;
        this.attribute = null;
        this.resize(64);
    }

    /** True when a new attribute had to be made. */
    reserve(count) {
        if (count <= this.attribute.count) {
            return false;
        }
        this.resize(Math.ceil(count * 1.5));
        return true;
    }

    resize(count) {
        this.array = new this.ArrayType(count * this.itemSize);
        this.attribute = new THREE.BufferAttribute(this.array, this.itemSize);
        this.attribute.setUsage(THREE.DynamicDrawUsage);
    }
}

export class Patches {
    constructor(recording) {
        this.recording = recording;
        this.table = new THREE.DataTexture(colorTable("viridis"), 256, 1);
        this.table.colorSpace = THREE.SRGBColorSpace;
        this.table.magFilter = THREE.LinearFilter;
        this.table.minFilter = THREE.LinearFilter;
        this.table.needsUpdate = true;
        this.uniforms = {
            map: { value: this.table },
            range: { value: new THREE.Vector2(0, 1) },
            edgeLength: { value: 0 },
            selected: { value: -1 },
            faded: { value: new THREE.Color(0x808890) },
        };
        this.position = new GrowingAttribute(Float32Array, 3);
        this.pressure = new GrowingAttribute(Float32Array, 1);
        this.top = new GrowingAttribute(Float32Array, 1);
        this.pair = new GrowingAttribute(Float32Array, 1);
        this.topOf = inPascal;
        this.triangles = new GrowingAttribute(Uint32Array, 1);
        this.edges = new GrowingAttribute(Uint32Array, 1);
        this.triangleFace = new Uint32Array(64);
        this.faces = []; // {pair, first, count} of the shown frame
        this.#build();
    }

    setFrame(frame) {
        const polygons = this.recording.polygons(frame);
        const parts = this.recording.contacts(frame).map(({ pair }, i) => ({ pair, polygons: polygons[i] }));
        let vertexCount = 0;
        let faceCount = 0;
        for (const { polygons } of parts) {
            vertexCount += polygons.vertices.length / 3;
            faceCount += polygons.counts.length;
        }
        this.#reserve(vertexCount, faceCount);
        this.#fill(parts);
        this.hover.visible = false;
        this.rings.set(this.recording.contacts(frame));
    }

    setColorMap(name) {
        this.table.image.data.set(colorTable(name));
        this.table.needsUpdate = true;
    }

    /** The pressure of the last colour; a function of the pair, where each has its own. */
    setTop(top) {
        const isEach = typeof top === "function";
        const topOf = isEach ? top : inPascal;
        this.uniforms.range.value.set(0, isEach ? 1 : top);
        if (topOf !== this.topOf) {
            this.topOf = topOf;
            this.#fillTops();
        }
    }

    select(pair) {
        this.uniforms.selected.value = pair;
    }

    /** Nearest face under a ray: {pair, face, pressure, point, distance} or null. */
    pick(raycaster) {
        if (!this.mesh.visible || this.faces.length === 0) {
            return null;
        }
        const hit = raycaster.intersectObject(this.mesh, false)[0];
        if (!hit) {
            return null;
        }
        const faceIndex = this.triangleFace[hit.faceIndex];
        const corners = [hit.face.a, hit.face.b, hit.face.c];
        const points = corners.map((i) => new THREE.Vector3().fromArray(this.position.array, 3 * i));
        const weights = new THREE.Vector3();
        THREE.Triangle.getBarycoord(hit.point, ...points, weights);
        const values = corners.map((i) => this.pressure.array[i]);
        const pressure = weights.x * values[0] + weights.y * values[1] + weights.z * values[2];
        const face = this.faces[faceIndex];
        return { ...face, pressure, point: hit.point, distance: hit.distance };
    }

    /** Largest distance of a pair's vertices from their middle; 0 without faces. */
    radiusOf(pair) {
        const points = [];
        for (const { first, count } of this.faces.filter((face) => face.pair === pair)) {
            for (let i = first; i < first + count; ++i) {
                points.push(new THREE.Vector3().fromArray(this.position.array, 3 * i));
            }
        }
        return points.length > 0 ? new THREE.Box3().setFromPoints(points).getBoundingSphere(new THREE.Sphere()).radius : 0;
    }

    /** Before drawing: a ring around patches that are too small to be seen. */
    update(stage) {
        this.rings.update(stage);
    }

    /** Outline one face (as returned by pick), or none. */
    setHover(face) {
        this.hover.visible = Boolean(face);
        if (!face) {
            return;
        }
        const points = [];
        for (let i = 0; i <= face.count; ++i) {
            const vertex = face.first + (i % face.count);
            points.push(new THREE.Vector3().fromArray(this.position.array, 3 * vertex));
        }
        this.hover.geometry.dispose();
        this.hover.geometry = new THREE.BufferGeometry().setFromPoints(points);
    }

    #build() {
        const everywhere = new THREE.Sphere(new THREE.Vector3(), Infinity);
        this.geometry = new THREE.BufferGeometry();
        this.edgeGeometry = new THREE.BufferGeometry();
        this.geometry.boundingSphere = everywhere;
        this.edgeGeometry.boundingSphere = everywhere;
        const common = { vertexShader: VERTEX, uniforms: this.uniforms };
        this.mesh = new THREE.Mesh(
            this.geometry,
            new THREE.ShaderMaterial({
                ...common,
                fragmentShader: FACE_FRAGMENT,
                side: THREE.DoubleSide,
                polygonOffset: true,
                polygonOffsetFactor: 1, // behind its edges, before the bodies
                polygonOffsetUnits: 1,
            }),
        );
        this.edgeLines = new THREE.LineSegments(
            this.edgeGeometry,
            new THREE.ShaderMaterial({ ...common, fragmentShader: EDGE_FRAGMENT, transparent: true }),
        );
        this.hover = new THREE.Line(
            new THREE.BufferGeometry(),
            new THREE.LineBasicMaterial({ color: 0xffffff, depthTest: false }),
        );
        for (const object of [this.mesh, this.edgeLines, this.hover]) {
            object.frustumCulled = false;
        }
        this.edgeLines.renderOrder = 1;
        this.hover.renderOrder = 2;
        this.hover.visible = false;
        this.group = new THREE.Group();
        this.rings = new PatchRings();
        this.group.add(this.mesh, this.edgeLines, this.hover, this.rings.group);
        this.#attach();
    }

    #attach() {
        for (const geometry of [this.geometry, this.edgeGeometry]) {
            geometry.setAttribute("position", this.position.attribute);
            geometry.setAttribute("pressure", this.pressure.attribute);
            geometry.setAttribute("top", this.top.attribute);
            geometry.setAttribute("pair", this.pair.attribute);
        }
        this.geometry.setIndex(this.triangles.attribute);
        this.edgeGeometry.setIndex(this.edges.attribute);
    }

    #reserve(vertexCount, faceCount) {
        const triangleCount = Math.max(0, vertexCount - 2 * faceCount);
        const grown = [
            this.position.reserve(vertexCount),
            this.pressure.reserve(vertexCount),
            this.top.reserve(vertexCount),
            this.pair.reserve(vertexCount),
            this.triangles.reserve(3 * triangleCount),
            this.edges.reserve(2 * vertexCount),
        ];
        if (grown.includes(true)) {
            // Old GPU buffers go with the geometries' dispose; they are made anew on the next draw.
            this.geometry.dispose();
            this.edgeGeometry.dispose();
            this.#attach();
        }
        if (triangleCount > this.triangleFace.length) {
            this.triangleFace = new Uint32Array(Math.ceil(triangleCount * 1.5));
        }
    }

    #distance(a, b) {
        const p = this.position.array;
        const x = p[3 * a] - p[3 * b];
        const y = p[3 * a + 1] - p[3 * b + 1];
        const z = p[3 * a + 2] - p[3 * b + 2];
        return Math.sqrt(x * x + y * y + z * z); // Math.hypot() takes many times as long
    }

    #fill(parts) {
        this.faces.length = 0;
        let vertex = 0;
        let triangle = 0;
        let edge = 0;
        let perimeter = 0;
        for (const { pair, polygons } of parts) {
            this.position.array.set(polygons.vertices, 3 * vertex);
            this.pressure.array.set(polygons.pressures, vertex);
            this.pair.array.fill(pair, vertex, vertex + polygons.vertices.length / 3);
            for (let face = 0; face < polygons.counts.length; ++face) {
                const count = polygons.counts[face];
                for (let i = 0; i < count; ++i) {
                    const next = vertex + ((i + 1) % count);
                    this.edges.array[edge++] = vertex + i;
                    this.edges.array[edge++] = next;
                    perimeter += this.#distance(vertex + i, next);
                }
                for (let i = 2; i < count; ++i) {
                    this.triangles.array[3 * triangle] = vertex;
                    this.triangles.array[3 * triangle + 1] = vertex + i - 1;
                    this.triangles.array[3 * triangle + 2] = vertex + i;
                    this.triangleFace[triangle++] = this.faces.length;
                }
                this.faces.push({ pair, face, first: vertex, count });
                vertex += count;
            }
        }
        this.triangleCount = triangle;
        this.#fillTops();
        this.uniforms.edgeLength.value = edge > 0 ? (2 * perimeter) / edge : 0;
        this.geometry.setDrawRange(0, 3 * triangle);
        this.edgeGeometry.setDrawRange(0, edge);
        for (const part of [this.position, this.pressure, this.pair, this.triangles, this.edges]) {
            part.attribute.needsUpdate = true;
        }
    }

    #fillTops() {
        for (const { pair, first, count } of this.faces) {
            this.top.array.fill(this.topOf(pair) || 1, first, first + count);
        }
        this.top.attribute.needsUpdate = true;
    }
}
