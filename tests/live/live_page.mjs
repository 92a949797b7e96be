// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Opens a live view in Chromium and uses it as people do: buttons, keys, dragging, sliders.
// Usage: node live_page.mjs URL SCENE CHROMIUM [SCREENSHOT_DIR]

import assert from "node:assert/strict";
import fs from "node:fs";
import http from "node:http";
import path from "node:path";
import { launch, newPage } from "../support/browser.mjs";

const [url, scenePath, browserPath, pictures] = process.argv.slice(2);

const stats = (page) => page.evaluate(() => window.isobar.stats());
const status = (page) => page.evaluate(() => window.isobar.live.status);

async function picture(page, name) {
    if (pictures) {
        await page.screenshot({ path: path.join(pictures, `${name}.png`) });
    }
}

async function open(browser, address = url, size = { width: 1280, height: 800 }) {
    const origin = new URL(url).origin;
    const { page, problems } = await newPage(browser, size, (asked) => asked.startsWith(origin));
    await page.goto(address);
    await page.waitForFunction(() => window.isobar?.stats, null, { timeout: 60000 });
    return { page, problems };
}

async function buttonsAndKeysRunTheWorld(page) {
    assert.equal((await stats(page)).playing, false);
    assert.equal((await status(page)).steps, 0);
    await page.click("#step-forward");
    await page.waitForFunction(() => window.isobar.live.status.steps === 1);
    await page.keyboard.press("Shift+ArrowRight");
    await page.waitForFunction(() => window.isobar.live.status.steps === 11);
    await page.keyboard.press(" ");
    await page.waitForFunction(() => window.isobar.stats().playing && window.isobar.stats().time > 0.3);
    await page.click("#play");
    await page.waitForFunction(() => !window.isobar.stats().playing);
    await page.selectOption("#speed", "0.1");
    await page.waitForFunction(() => window.isobar.live.status.speed === 0.1);
    await page.keyboard.press("ArrowUp");
    await page.waitForFunction(() => window.isobar.live.status.speed === 0.25);
    assert.ok((await page.textContent("#pairs")).includes("ball"), "the pair that touches is listed");
    await page.keyboard.press("r");
    await page.waitForFunction(() => window.isobar.live.status.steps === 0);
    await page.selectOption("#speed", "1");
}

async function theSliderGoesThroughWhatWasSeen(page) {
    await page.click("#play");
    await page.waitForFunction(() => window.isobar.stats().frames > 10 && window.isobar.stats().time > 0.2);
    await page.click("#play");
    await page.waitForFunction(() => !window.isobar.stats().playing);
    const { frames, time } = await stats(page);
    await page.keyboard.press("Home");
    assert.ok((await stats(page)).time < time);
    assert.ok((await page.textContent("#clock")).includes("frames ago"));
    await page.keyboard.press("End");
    const end = await stats(page);
    assert.equal(end.frame, end.frames - 1);
    assert.ok(end.frames >= frames);
    assert.ok((await page.locator("#plots .plot").count()) >= 3, "plots grow with what arrives");
}

async function draggingPullsABodyAndShowsTheSpring(page) {
    const ball = 2;
    await page.keyboard.press("r");
    await page.waitForFunction(() => window.isobar.live.status.steps === 0);
    await page.click("#play");
    await page.waitForFunction(() => window.isobar.stats().time > 0.3);
    const before = await page.evaluate((index) => window.isobar.pose(index), ball);
    const camera = (await stats(page)).camera;
    const at = await page.evaluate((index) => window.isobar.locateBody(index), ball);
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x, at.y - 60, { steps: 4 });
    await page.mouse.move(at.x, at.y - 120, { steps: 4 });
    await page.waitForFunction(() => window.isobar.stats().springs === 1);
    await page.waitForFunction(
        ([index, height]) => window.isobar.pose(index)[2] > height + 0.03,
        [ball, before[2]],
    );
    await page.mouse.move(at.x + 1, at.y - 120);
    await page.waitForSelector("#tooltip:not([hidden])");
    assert.match(await page.textContent("#tooltip"), /^[\d.]+ m?N$/);
    await picture(page, "live_drag");
    await page.mouse.up();
    await page.waitForFunction(() => window.isobar.stats().springs === 0);
    await page.waitForFunction(
        ([index, height]) => Math.abs(window.isobar.pose(index)[2] - height) < 0.005,
        [ball, before[2]],
    );
    assert.deepEqual((await stats(page)).camera, camera, "the scene turned while a body was held");
    await page.click("#play");
}

async function slidersMoveJointsAndActuators(page) {
    await page.waitForFunction(() => !window.isobar.stats().playing);
    const set = (list, value) =>
        page.evaluate(
            ([id, wanted]) => {
                const input = document.querySelector(`#${id} input`);
                input.value = wanted;
                input.dispatchEvent(new Event("input"));
            },
            [list, value],
        );
    await set("live-joints", -0.9);
    await page.waitForFunction(() => Math.abs(window.isobar.joints()[0] + 0.9) < 1e-6);
    await set("live-actuators", 0.6);
    await page.waitForFunction(() => window.isobar.live.status.held[0]);
    await page.click("#play");
    await page.waitForFunction(() => Math.abs(window.isobar.joints()[0] - 0.6) < 0.03);
    await picture(page, "live_sliders");
    await page.click("#live-actuators .chip.on");
    await page.waitForFunction(() => Math.abs(window.isobar.joints()[0] - 0.25) < 0.03);
    await page.click("#play");
}

async function bodiesCanBeClicked(page) {
    const at = await page.evaluate(() => window.isobar.locateBody(1));
    await page.mouse.click(at.x, at.y);
    await page.waitForFunction(() => window.isobar.stats().selectedBody === 1);
    assert.ok((await page.textContent("#body-details")).includes("arm"));
    assert.equal((await stats(page)).springs, 0, "a click pulls nothing");
    await page.keyboard.press("Escape");
}

async function twoPagesShowOneWorld(page) {
    const other = await open(browser, url, { width: 390, height: 844 });
    await page.click("#play");
    await other.page.waitForFunction(() => window.isobar.stats().playing);
    await picture(other.page, "live_phone");
    await other.page.click("#play");
    await page.waitForFunction(() => !window.isobar.stats().playing);
    await other.page.close();
    assert.deepEqual(other.problems, []);
}

async function pagesOfThisMachineFrameItAsNotebooksDo() {
    for (const [host, isShown] of [["localhost", true], ["127.0.0.1", true], ["127.0.0.2", false]]) {
        const server = http.createServer((_, answer) => {
            answer.setHeader("content-type", "text/html");
            answer.end(`<iframe src="${url}" width="800" height="500"></iframe>`);
        });
        await new Promise((resolve) => server.listen(0, host, resolve));
        const page = await browser.newPage();
        await page.goto(`http://${host}:${server.address().port}/`);
        const loaded = page.frames()[1].waitForFunction(() => window.isobar?.live?.status, null, {
            timeout: isShown ? 60000 : 3000,
        });
        const done = await loaded.then(() => true, () => false);
        assert.equal(done, isShown, `framed by ${host}`);
        await page.close();
        server.close();
    }
}

async function settingsAndSavedScenesComeWithoutLosingTheCamera(page) {
    await page.mouse.move(500, 200);
    await page.mouse.wheel(0, -300);
    await page.waitForTimeout(900);
    const camera = (await stats(page)).camera;
    await page.selectOption("#live-method", "sap");
    await page.waitForFunction(
        () => window.isobar?.live?.recording?.controls.choices[0].value === "sap",
        null,
        { timeout: 30000 },
    );
    const distance = (a, b) => Math.hypot(...a.map((value, k) => value - b[k]));
    await page.waitForFunction(() => window.isobar?.stats);
    assert.ok(distance((await stats(page)).camera, camera) < 1e-4 * Math.hypot(...camera), "the camera moved");
    assert.equal(await page.inputValue("#live-method"), "sap");
    await page.fill("#live-setting", "oops");
    await page.press("#live-setting", "Enter");
    assert.match(await page.evaluate(() => document.getElementById("live-setting").validationMessage), /PATH=VALUE/);
    fs.writeFileSync(scenePath, fs.readFileSync(scenePath, "utf8").replace("live test", "saved anew"));
    await page.waitForFunction(() => document.getElementById("scene-name").textContent === "saved anew", null, { timeout: 30000 });
    fs.writeFileSync(scenePath, "bodies: [oops");
    await page.waitForSelector("#live-notice:not([hidden])");
    await page.waitForFunction(() => /scene\.yaml:\d+/.test(document.getElementById("live-notice").textContent));
    await page.selectOption("#live-contact-model", "hertz");
    assert.equal(await page.inputValue("#live-contact-model"), "default", "what is refused is not shown");
}

const browser = await launch(browserPath);
try {
    const { page, problems } = await open(browser);
    await picture(page, "live_start");
    for (const check of [
        buttonsAndKeysRunTheWorld,
        theSliderGoesThroughWhatWasSeen,
        draggingPullsABodyAndShowsTheSpring,
        slidersMoveJointsAndActuators,
        bodiesCanBeClicked,
        twoPagesShowOneWorld,
        pagesOfThisMachineFrameItAsNotebooksDo,
        settingsAndSavedScenesComeWithoutLosingTheCamera,
    ]) {
        await check(page);
        console.log(`ok ${check.name}`);
    }
    assert.deepEqual(problems, []);
} finally {
    await browser.close();
}
