// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Chromium for tests of pages, and what a page complains about.

import { createRequire } from "node:module";

const require = createRequire(new URL("../../viewer/package.json", import.meta.url));
const { chromium } = require("playwright-core");

export function launch(executablePath) {
    const args = [
        "--no-sandbox",
        "--use-gl=angle",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
    ];
    return chromium.launch({ executablePath, args });
}

/** A page, and everything it complains about or asks of others than isOwn(url) allows. */
export async function newPage(browser, viewport, isOwn) {
    const page = await browser.newPage({ viewport });
    const problems = [];
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) {
            problems.push(`${message.type()}: ${message.text()}`);
        }
    });
    page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
    page.on("request", (request) => {
        if (!/^(data|blob):/.test(request.url()) && !isOwn(request.url())) {
            problems.push(`request: ${request.url()}`);
        }
    });
    return { page, problems };
}
