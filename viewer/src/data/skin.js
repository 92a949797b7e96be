// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The skin under a tactile sensor as a camera sees it: how deep contacts press it, shaded. The same
// image as isobar.tactile.skin_image() makes (docs/sensors.md). At rest the skin is the x-y plane of S.

const ELEVATION = Math.PI / 6;
const LIGHTS = [90, 210, 330].map((degrees) => { // red, green, blue
    const turn = (degrees * Math.PI) / 180;
    return [Math.cos(ELEVATION) * Math.cos(turn), Math.cos(ELEVATION) * Math.sin(turn), Math.sin(ELEVATION)];
});

/** v in the axes of a frame whose quaternion (w x y z) is q. */
function inAxes(v, [w, x, y, z]) {
    const t = [y * v[2] - z * v[1], z * v[0] - x * v[2], x * v[1] - y * v[0]].map((value) => 2 * value);
    return [
        v[0] - w * t[0] + y * t[2] - z * t[1],
        v[1] - w * t[1] + z * t[0] - x * t[2],
        v[2] - w * t[2] + x * t[1] - y * t[0],
    ];
}

// Takes a point of the world into S.
function toSkin(recording, sensor, frame) {
    const body = recording.poses(frame).slice(7 * sensor.body, 7 * sensor.body + 7);
    return (point) =>
        [body, sensor.pose].reduce(
            (at, pose) => inAxes([0, 1, 2].map((k) => at[k] - pose[k]), pose.slice(3, 7)),
            point,
        );
}

/** Twice the area of a polygon times its normal [m^2], counter-clockwise about it. */
function areaVector(corners) {
    const sum = [0, 0, 0];
    corners.forEach((a, i) => {
        const b = corners[(i + 1) % corners.length];
        const [p, q] = [a, b].map((corner) => corner.map((value, k) => value - corners[0][k]));
        sum[0] += p[1] * q[2] - p[2] * q[1];
        sum[1] += p[2] * q[0] - p[0] * q[2];
        sum[2] += p[0] * q[1] - p[1] * q[0];
    });
    return sum;
}

function isInside(corners, x, y) {
    let [isLeft, isRight] = [true, true];
    corners.forEach((a, i) => {
        const b = corners[(i + 1) % corners.length];
        const turn = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        isLeft &&= turn >= 0;
        isRight &&= turn <= 0;
    });
    return isLeft || isRight;
}

function press(image, corners, normal) {
    const { rows, columns, width, height, depth } = image;
    const center = [0, 1, 2].map((k) => corners.reduce((sum, corner) => sum + corner[k], 0) / corners.length);
    const range = (k, size, count) => {
        const values = corners.map((corner) => (corner[k] / size + 0.5) * count - 0.5);
        return [Math.max(0, Math.ceil(Math.min(...values))), Math.min(count - 1, Math.floor(Math.max(...values)))];
    };
    const [left, right] = range(0, width, columns);
    const [low, high] = range(1, height, rows);
    for (let row = low; row <= high; ++row) {
        for (let column = left; column <= right; ++column) {
            const x = ((column + 0.5) / columns - 0.5) * width;
            const y = ((row + 0.5) / rows - 0.5) * height;
            const slope = (normal[0] * (x - center[0]) + normal[1] * (y - center[1])) / normal[2];
            const at = row * columns + column;
            if (slope - center[2] > depth[at] && isInside(corners, x, y)) {
                depth[at] = slope - center[2];
            }
        }
    }
}

function pressAll(image, { counts, vertices, pressures }, side, placed) {
    let first = 0;
    for (const count of counts) {
        const corners = [];
        let pressure = 0;
        for (let i = first; i < first + count; ++i) {
            corners.push(placed([vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]]));
            pressure += pressures[i];
        }
        first += count;
        const normal = areaVector(corners).map((value) => -side * value); // out of the skin
        if (pressure > 0 && normal[2] > 1e-6 * Math.hypot(...normal)) {
            press(image, corners, normal);
        }
    }
}

/** Depth [m] of the skin below its plane in a frame, row by row along y, from the recorded faces;
 * hasFaces is false where contacts touch the sensor's body whose faces were not recorded. */
export function skinDepth(recording, sensor, frame, rows, columns) {
    const [width, height] = sensor.size;
    const image = { rows, columns, width, height, depth: new Float64Array(rows * columns), hasFaces: true };
    const name = recording.bodyNames[sensor.body];
    const placed = toSkin(recording, sensor, frame);
    const polygons = recording.polygons(frame);
    recording.contacts(frame).forEach(({ pair, faces }, i) => {
        const { a, b } = recording.pairs[pair];
        const side = (b === name) - (a === name);
        if (side !== 0) {
            image.hasFaces &&= faces === 0 || polygons[i].counts.length > 0;
            pressAll(image, polygons[i], side, placed);
        }
    });
    return image;
}

/** RGBA bytes of a depth image, lit from three sides; the first row is the lowest in y. */
export function shade({ rows, columns, width, height, depth }) {
    const bytes = new Uint8ClampedArray(4 * rows * columns).fill(255);
    const slope = (at, index, count, stride, pitch) => {
        const [back, ahead] = [Math.min(index, 1), Math.min(count - 1 - index, 1)];
        return (depth[at - back * stride] - depth[at + ahead * stride]) / (Math.max(1, back + ahead) * pitch);
    };
    for (let row = 0; row < rows; ++row) {
        for (let column = 0; column < columns; ++column) {
            const at = row * columns + column;
            const x = slope(at, column, columns, 1, width / columns);
            const y = slope(at, row, rows, columns, height / rows);
            LIGHTS.forEach((light, k) => {
                const lit = (light[2] - x * light[0] - y * light[1]) / Math.hypot(x, y, 1);
                bytes[4 * at + k] = Math.round(255 * Math.min(1, 0.25 + 0.75 * Math.max(0, lit)));
            });
        }
    }
    return bytes;
}
