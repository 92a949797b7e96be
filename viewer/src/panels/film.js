// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Pictures and films of a recording, which `isobar render` asks the page for: the stage alone, in a
// size of its own, without panels.

import { DepthPass } from "../space/depth_pass.js";
import { webm } from "./webm.js";

const KEY_SECONDS = 2; // a player can jump to these frames
const BITS_PER_PIXEL = 0.25; // of a frame

/** Base64 of bytes. */
function base64(bytes) {
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768) {
        text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    }
    return btoa(text);
}

export class Film {
    constructor(viewer) {
        this.viewer = viewer;
    }

    /** Draw in this size [pixels] from now on, from one point at another, or so that all is seen. */
    open(width, height, from, at) {
        const { stage, recording } = this.viewer;
        stage.fix(width, height);
        if (from && at) {
            stage.setView(from, at);
        } else {
            stage.frameCamera();
        }
        this.width = width;
        this.height = height;
        return { start: recording.startTime, end: recording.endTime, bodies: recording.bodies.map(({ name }) => name) };
    }

    /** Draw the last frame that is not after this time. */
    draw(time) {
        const { stage, timeline, recording } = this.viewer;
        timeline.seek(recording.frameAt(time * (1 + 1e-9) + 1e-9));
        stage.invalidate();
        stage.tick();
    }

    /** A PNG, in base64. */
    picture(time) {
        this.draw(time);
        return this.viewer.stage.canvas.toDataURL("image/png").split(",")[1];
    }

    /**
     * What a camera would see of the bodies alone, rows from the top, in base64: rgb (3 bytes), depth
     * along the view [m] (float32, infinite beyond all), segmentation (uint16: body's number, 65535: none).
     */
    layers(time) {
        const { stage, bodies } = this.viewer;
        const hidden = [stage.grid, stage.shadowCatcher].filter((part) => part.visible);
        const isShown = stage.overlay.visible;
        hidden.forEach((part) => (part.visible = false));
        stage.overlay.visible = false;
        this.draw(time);
        const gl = stage.renderer.getContext();
        const size = this.width * this.height;
        const rgba = new Uint8Array(4 * size);
        gl.readPixels(0, 0, this.width, this.height, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
        this.pass ??= new DepthPass(this.width, this.height);
        const seen = this.pass.render(stage, bodies);
        hidden.forEach((part) => (part.visible = true));
        stage.overlay.visible = isShown;
        const rgb = new Uint8Array(3 * size);
        for (let row = 0; row < this.height; ++row) {
            const from = (this.height - 1 - row) * this.width; // the lowest row comes first
            for (let column = 0; column < this.width; ++column) {
                rgb.set(rgba.subarray(4 * (from + column), 4 * (from + column) + 3), 3 * (row * this.width + column));
            }
        }
        return { rgb: base64(rgb), depth: base64(seen.depth), segmentation: base64(seen.segmentation) };
    }

    /**
     * What the camera is: focal lengths and centre [pixels], then its pose in the world, rotation row by
     * row and position. x points to the right, y down, z along the view.
     */
    camera() {
        const { camera } = this.viewer.stage;
        camera.updateMatrixWorld(true);
        const focal = this.height / 2 / Math.tan((camera.fov * Math.PI) / 360);
        const m = camera.matrixWorld.elements; // by columns; y up, z against the view
        const rows = [0, 1, 2].flatMap((row) => [m[row], -m[4 + row], -m[8 + row]]);
        return [focal, focal, this.width / 2, this.height / 2, ...rows, m[12], m[13], m[14]];
    }

    /** Begin a film of so many frames per second. */
    async begin(rate) {
        const pixels = this.width * this.height;
        const settings = {
            codec: "vp09.00.41.08",
            width: this.width,
            height: this.height,
            bitrate: Math.max(2e6, BITS_PER_PIXEL * pixels * rate),
            framerate: rate,
        };
        if (!window.VideoEncoder || !(await VideoEncoder.isConfigSupported(settings)).supported) {
            throw new Error("this browser cannot encode VP9 films of this size");
        }
        this.rate = rate;
        this.count = 0;
        this.chunks = [];
        this.failure = null;
        this.encoder = new VideoEncoder({
            output: (chunk) => {
                const data = new Uint8Array(chunk.byteLength);
                chunk.copyTo(data);
                this.chunks.push({ time: chunk.timestamp / 1000, isKey: chunk.type === "key", data });
            },
            error: (error) => (this.failure = error),
        });
        this.encoder.configure(settings);
    }

    /** Add the frame of a time. */
    async add(time) {
        this.draw(time);
        const timestamp = Math.round((1e6 * this.count) / this.rate);
        const frame = new VideoFrame(this.viewer.stage.canvas, { timestamp, duration: Math.round(1e6 / this.rate) });
        const keyFrame = this.count % Math.max(1, Math.round(KEY_SECONDS * this.rate)) === 0;
        this.encoder.encode(frame, { keyFrame });
        frame.close();
        this.count += 1;
        while (this.encoder.encodeQueueSize > 8 && !this.failure) {
            await new Promise((resolve) => setTimeout(resolve, 2));
        }
        if (this.failure) {
            throw this.failure;
        }
    }

    /** The whole film, as WebM in base64. */
    async end() {
        await this.encoder.flush();
        this.encoder.close();
        if (this.failure) {
            throw this.failure;
        }
        return base64(webm("V_VP9", this.width, this.height, (1000 * this.count) / this.rate, this.chunks));
    }
}
