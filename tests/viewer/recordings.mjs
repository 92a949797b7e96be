// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Synthetic recordings in the form "isobar-view-1" for the viewer's tests. Closed-form pressures, so
// that the tests know the numbers they must find on the page.

const base64 = (typed) => Buffer.from(typed.buffer, typed.byteOffset, typed.byteLength).toString("base64");
const f32 = (values) => ({ f32: base64(Float32Array.from(values)) });
const u32 = (values) => ({ u32: base64(Uint32Array.from(values)) });

function boxMesh(sx, sy, sz) {
    const vertices = [];
    for (let i = 0; i < 8; ++i) {
        vertices.push(((i & 1) - 0.5) * sx, (((i >> 1) & 1) - 0.5) * sy, (((i >> 2) & 1) - 0.5) * sz);
    }
    const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    const triangles = quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
    return { vertices, triangles };
}

function sphereMesh(radius, rows, columns) {
    const vertices = [];
    const triangles = [];
    for (let i = 0; i <= rows; ++i) {
        const polar = (Math.PI * i) / rows;
        for (let j = 0; j < columns; ++j) {
            const turn = (2 * Math.PI * j) / columns;
            vertices.push(
                radius * Math.sin(polar) * Math.cos(turn),
                radius * Math.sin(polar) * Math.sin(turn),
                radius * Math.cos(polar),
            );
        }
    }
    for (let i = 0; i < rows; ++i) {
        for (let j = 0; j < columns; ++j) {
            const a = i * columns + j;
            const b = i * columns + ((j + 1) % columns);
            triangles.push(a, a + columns, b, b, a + columns, b + columns);
        }
    }
    return { vertices, triangles };
}

function visual(mesh, color, role = "visual") {
    return { vertices: f32(mesh.vertices), triangles: u32(mesh.triangles), color, pose: [0, 0, 0, 1, 0, 0, 0], role };
}

// A disc of quads and triangles at (x, y, z) with the paraboloid p = top (1 - (r / radius)^2).
function discPatch(pair, x, y, z, radius, top, rings, sectors) {
    const counts = [];
    const vertices = [];
    const pressures = [];
    const put = (r, k) => {
        const turn = (2 * Math.PI * k) / sectors;
        vertices.push(x + r * Math.cos(turn), y + r * Math.sin(turn), z);
        pressures.push(top * (1 - (r / radius) ** 2));
    };
    for (let ring = 0; ring < rings; ++ring) {
        const inner = (radius * ring) / rings;
        const outer = (radius * (ring + 1)) / rings;
        for (let k = 0; k < sectors; ++k) {
            put(inner, k);
            put(outer, k);
            put(outer, k + 1);
            if (ring > 0) {
                put(inner, k + 1);
            }
            counts.push(ring > 0 ? 4 : 3);
        }
    }
    const area = Math.PI * radius ** 2;
    const normal = 0.5 * top * area; // integral of the paraboloid
    return {
        pair,
        faces: counts.length,
        area,
        force: [0.15 * normal, 0, normal],
        normal_force: normal,
        moment: [0, 0, 0.01 * normal * radius],
        center_of_pressure: [x, y, z],
        max_pressure: top,
        polygons: { counts: u32(counts), vertices: f32(vertices), pressures: f32(pressures) },
    };
}

const GROUND = (size) => ({
    name: "ground::plate",
    fixed: true,
    visuals: [visual(boxMesh(size, size, 0.02), [0.8, 0.81, 0.83, 1])],
});

export const SKIN = { rows: 6, columns: 10, pressure: (share, row, column) => share * 1000 * (row + 1) * (column + 1) };

// A force plate under the ball, and a grid whose pressure grows along rows and columns while the ball
// touches; shear along x, slip along y. Cells of the upper half slip, the others stick; the reading of
// a taxel is 10 times its row and its column.
function ballSensors(contacts) {
    const { rows, columns, pressure } = SKIN;
    const top = Math.max(...contacts.map((list) => list[0]?.normal_force ?? 0));
    const values = contacts.map((list) => {
        const force = list[0]?.normal_force ?? 0;
        const cells = [];
        const states = [];
        const readings = [];
        for (let row = 0; row < rows; ++row) {
            for (let column = 0; column < columns; ++column) {
                const share = column === 0 ? 0 : force / top; // the first column is never touched
                cells.push(pressure(share, row, column), 300 * share, 0, 0, 0.02 * share, share > 0 ? 1e-6 : 0);
                const touched = row >= rows / 2 ? 2 : 1;
                states.push(share > 0 ? touched : 0);
                readings.push(10 * row + column);
            }
        }
        return f32([0, 0, -force, 0, 0, 0, 0, 0, -force, 0, 0, 0, ...cells, ...states, ...readings]);
    });
    const totals = ["force_x", "force_y", "force_z", "outside_x", "outside_y", "outside_z"];
    // Aside: their axes would hide the middle of the patch.
    const frame = { body: 0, pose: [0.2, 0.2, 0, 1, 0, 0, 0], rows: 0, columns: 0, size: [0, 0] };
    const sensors = [
        {
            ...frame,
            name: "plate",
            kind: "force_torque",
            value_count: 6,
            value_names: ["force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z"],
            value_units: ["N", "N", "N", "N m", "N m", "N m"],
        },
        {
            ...frame,
            name: "skin",
            kind: "tactile",
            rows,
            columns,
            size: [0.1, 0.06],
            value_count: 6 + 8 * rows * columns,
            value_names: [...totals, "pressure", "shear_x", "shear_y", "slip_x", "slip_y", "area", "stick_slip", "reading"],
            value_units: [...totals.map(() => "N"), "Pa", "Pa", "Pa", "m/s", "m/s", "m^2", "", ""],
        },
    ];
    return { sensors, sensor_values: values };
}

/** A ball of radius 0.1 m dropped on a plate, sinking up to 12 mm; 90 frames; two sensors. */
export function ball() {
    const frames = 90;
    const times = [];
    const poses = [];
    const contacts = [];
    const energy = { kinetic: [], potential: [], elastic: [] };
    for (let i = 0; i < frames; ++i) {
        const t = i / 60;
        const height = 0.088 + 0.06 * Math.abs(Math.cos(Math.PI * t * 1.4)) * Math.exp(-0.6 * t);
        const depth = Math.max(0, 0.1 - height);
        times.push(t);
        poses.push(f32([0, 0, -0.01, 1, 0, 0, 0, 0, 0, height, Math.cos(t), 0, Math.sin(t), 0]));
        const radius = Math.sqrt(2 * 0.1 * depth);
        contacts.push(depth > 1e-6 ? [discPatch(0, 0, 0, 0, radius, 1e6 * depth, 8, 24)] : []);
        energy.potential.push(9.81 * 0.5 * height);
        energy.elastic.push(900 * depth ** 2);
        energy.kinetic.push(Math.max(0, 0.8 - 9.81 * 0.5 * (height - 0.08) - 900 * depth ** 2));
    }
    return {
        format: "isobar-view-1",
        scene: "ball_on_plate",
        bodies: [
            GROUND(0.6),
            {
                name: "ball::ball",
                fixed: false,
                visuals: [
                    visual(sphereMesh(0.1, 32, 64), [0.28, 0.5, 0.78, 1]),
                    visual(sphereMesh(0.1, 8, 14), [0.75, 0.45, 0.3, 1], "collision"),
                ],
            },
        ],
        joints: [],
        pairs: [{ a: "ball::ball", b: "ground::plate" }],
        times: f32(times),
        poses,
        joint_positions: [],
        contacts,
        ...ballSensors(contacts),
        energy: Object.fromEntries(Object.entries(energy).map(([name, values]) => [name, f32(values)])),
    };
}

/** No contact, plain JSON arrays, one frame. */
export function still() {
    const mesh = boxMesh(0.4, 0.2, 0.1);
    return {
        format: "isobar-view-1",
        scene: "still_life",
        bodies: [
            { name: "box::box", fixed: false, visuals: [{ ...mesh, color: [0.6, 0.3, 0.3, 1], role: "visual" }] },
        ],
        joints: [],
        pairs: [],
        times: [0],
        poses: [[0, 0, 0.05, 1, 0, 0, 0]],
        joint_positions: [[]],
        contacts: [[]],
        energy: {},
    };
}

/** 27 bodies and 3000 faces in each of 240 frames; 26 pairs. */
export function crowd() {
    const frames = 240;
    const bodies = [GROUND(1.6)];
    const pairs = [];
    const places = [];
    for (let i = 1; i < 27; ++i) {
        const color = [0.35 + 0.02 * i, 0.75 - 0.015 * i, 0.55, 1];
        const mesh = i % 2 ? sphereMesh(0.08, 20, 40) : boxMesh(0.16, 0.16, 0.16);
        bodies.push({ name: `clutter::item_${i}`, fixed: false, visuals: [visual(mesh, color)] });
        pairs.push({ a: `clutter::item_${i}`, b: "ground::plate" });
        places.push([(((i - 1) % 6) - 2.5) * 0.22, (Math.floor((i - 1) / 6) - 2) * 0.22]);
    }
    const times = Array.from({ length: frames }, (_, i) => i / 60);
    const poses = times.map((t) =>
        f32([0, 0, -0.01, 1, 0, 0, 0, ...places.flatMap(([x, y], k) => [x, y, 0.078 + 0.002 * Math.sin(3 * t + k), 1, 0, 0, 0])]),
    );
    const contacts = times.map((t) =>
        places.map(([x, y], k) => discPatch(k, x, y, 0, 0.04, 2e4 * (1.2 + k / 13 + Math.sin(3 * t + k)), 4, 29)),
    );
    return {
        format: "isobar-view-1",
        scene: "clutter",
        notes: ["decimated from 2400 frames"],
        bodies,
        joints: ["arm::shoulder", "arm::elbow"],
        pairs,
        times: f32(times),
        poses,
        joint_positions: times.map((t) => f32([Math.sin(t), 0.5 * Math.cos(2 * t)])),
        contacts,
        energy: { kinetic: f32(times.map((t) => 0.1 + 0.1 * Math.cos(t))), elastic: f32(times.map(() => 0.2)) },
    };
}

/** The page with a recording in it, as `isobar view` writes it. */
export function inject(template, recording) {
    const token = "@@ISOBAR_DATA@@";
    const parts = template.split(token);
    if (parts.length !== 2) {
        throw new Error(`template holds the token ${parts.length - 1} times, expected once`);
    }
    return parts.join(JSON.stringify(recording).replaceAll("<", "\\u003c"));
}
