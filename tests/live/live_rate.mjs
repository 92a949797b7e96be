// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Frames per second that pages of a running live view receive, show and draw.
// Usage: node live_rate.mjs URL CHROMIUM PAGES SECONDS WxH DRAWS
// DRAWS: 1, or 0 where calls that draw do nothing: what the page can show where a card draws.

import { launch, newPage } from "../support/browser.mjs";

const [url, browserPath, pageCount, seconds, size, draws] = process.argv.slice(2);
const [width, height] = size.split("x").map(Number);

// Runs in the page: counts over a time.
const measure = (duration) =>
    new Promise((resolve) => {
        const begin = performance.now();
        const before = window.isobar.stats();
        const shown = new Set();
        let turns = 0;
        const turn = (now) => {
            turns += 1;
            shown.add(window.isobar.stats().time);
            if (now - begin < 1000 * duration) {
                requestAnimationFrame(turn);
                return;
            }
            const after = window.isobar.stats();
            const taken = (performance.now() - begin) / 1000;
            resolve({
                received: (after.received - before.received) / taken,
                shown: shown.size / taken,
                drawn: (after.renders - before.renders) / taken,
                turns: turns / taken,
                faces: after.faces,
                triangles: after.bodyTriangles + after.patchTriangles,
                drawCalls: after.drawCalls,
            });
        };
        requestAnimationFrame(turn);
    });

const forgetDrawing = () => {
    for (const name of ["drawElements", "drawArrays", "drawElementsInstanced", "drawArraysInstanced"]) {
        WebGL2RenderingContext.prototype[name] = () => {};
    }
};

const browser = await launch(browserPath);
try {
    const pages = [];
    for (let i = 0; i < Number(pageCount); ++i) {
        const { page } = await newPage(browser, { width, height }, () => true);
        if (draws === "0") {
            await page.addInitScript(forgetDrawing);
        }
        await page.goto(url);
        await page.waitForFunction(() => window.isobar?.stats().faces > 0, null, { timeout: 60000 });
        pages.push(page);
    }
    const found = await Promise.all(pages.map((page) => page.evaluate(measure, Number(seconds))));
    for (const { received, shown, drawn, turns, faces, triangles, drawCalls } of found) {
        console.log(
            `${draws === "0" ? "page without drawing" : "Chromium"}: ${received.toFixed(1)} frames/s received, ${shown.toFixed(1)} shown, ${drawn.toFixed(1)} drawn, ` +
                `${turns.toFixed(1)} turns; ${faces} faces, ${triangles} triangles in ${drawCalls} calls`,
        );
    }
} finally {
    await browser.close();
}
