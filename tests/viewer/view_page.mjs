// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Opens the viewer's page in Chromium from file:// and checks that it draws, plays, picks and asks
// the network for nothing. With a fourth argument it also opens that page, which Isobar wrote.
// Usage: node view_page.mjs TEMPLATE.html WORK_DIR CHROMIUM [RECORDED.html]

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launch, newPage } from "../support/browser.mjs";
import { SKIN, ball, crowd, inject, still } from "./recordings.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const [templatePath, workDir, browserPath, recordedPath] = process.argv.slice(2);
const template = fs.readFileSync(templatePath, "utf8");

/** A page with this text, and everything it complained about or asked for. */
async function open(browser, name, text, viewport = { width: 960, height: 600 }) {
    const file = path.join(workDir, `${name}.html`);
    fs.writeFileSync(file, text);
    const own = pathToFileURL(file).href;
    const { page, problems } = await newPage(browser, viewport, (url) => url === own);
    await page.goto(own);
    const ready = await page.evaluate(() => window.isobar.ready);
    return { page, problems, ready };
}

const stats = (page) => page.evaluate(() => window.isobar.stats());

async function setFrame(page, frame) {
    await page.evaluate((index) => window.isobar.setFrame(index), frame);
    await drawn(page);
}

/** Wait until the page has drawn what was asked. */
async function drawn(page) {
    await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    );
}

/** Colours of the 3D canvas: how many distinct ones, and the one at a page position. */
function canvasColors(page, at = { x: 0, y: 0 }) {
    return page.evaluate((point) => {
        const canvas = document.getElementById("canvas");
        const copy = document.createElement("canvas");
        copy.width = canvas.width;
        copy.height = canvas.height;
        const context = copy.getContext("2d", { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        const seen = new Set();
        for (let i = 0; i < data.length; i += 4) {
            seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        }
        const box = canvas.getBoundingClientRect();
        const x = Math.round(((point.x - box.left) * canvas.width) / box.width);
        const y = Math.round(((point.y - box.top) * canvas.height) / box.height);
        return { distinct: seen.size, at: [...context.getImageData(x, y, 1, 1).data].slice(0, 3) };
    }, at);
}

async function theBallIsDrawnWithItsPressureInTheLegendsColours(page, recording) {
    assert.ok((await canvasColors(page)).distinct > 200, "the canvas is (almost) blank");
    await page.click("#toggle-forces"); // the marker would hide the centre
    await page.click("#toggle-edges");
    const contacts = recording.contacts.map((list) => list[0]?.max_pressure ?? 0);
    const deepest = contacts.indexOf(Math.max(...contacts));
    await setFrame(page, deepest);
    const center = await page.evaluate(() => window.isobar.locate(0));
    const { at } = await canvasColors(page, center);
    // viridis ends at (253, 231, 37); measured (253, 230, 37) at the highest pressure.
    [253, 231, 37].forEach((expected, channel) => {
        assert.ok(Math.abs(at[channel] - expected) <= 12, `top colour is ${at}, expected 253,231,37`);
    });
    await page.click("#toggle-forces");
    await page.click("#toggle-edges");
}

async function theLegendFollowsItsRange(page, recording) {
    await setFrame(page, 24);
    const top = () => page.textContent("#legend-ticks .top");
    const highest = Math.max(...recording.contacts.map((list) => list[0]?.max_pressure ?? 0));
    assert.equal(Number(await top()), Number((highest / 1000).toPrecision(4)));
    assert.equal(await page.textContent("#legend-unit"), "[kPa]");
    await page.selectOption("#legend-range", "frame");
    const here = recording.contacts[24][0].max_pressure;
    assert.ok(here < 0.9 * highest, "the chosen frame must differ from the whole recording");
    assert.equal(Number(await top()), Number((here / 1000).toPrecision(4)));
    await page.selectOption("#legend-range", "recording");
}

async function faintPatchesHaveColoursOfTheirOwn(browser) {
    // A ball that is ten thousand times softer than what else touches once.
    const recording = ball();
    recording.bodies.push({ ...recording.bodies[1], name: "anvil" });
    recording.poses = recording.contacts.map(() => [0, 0, -0.01, 1, 0, 0, 0, 0, 0, 0.1, 1, 0, 0, 0, 0, 0, 9, 1, 0, 0, 0]);
    recording.pairs.push({ a: "anvil", b: "ground::plate" });
    const deepest = recording.contacts.findIndex((list) => list.length > 0);
    const hard = { ...recording.contacts[deepest][0], pair: 1, max_pressure: 1e9, polygons: undefined, faces: 0 };
    recording.contacts[0] = [hard];
    const { page, problems } = await open(browser, "faint", inject(template, recording), { width: 1280, height: 800 });
    assert.equal(await page.inputValue("#legend-range"), "pair");
    assert.equal(await page.textContent("#legend-unit"), "[% of each]");
    assert.equal(await page.textContent("#legend-ticks .top"), "100");
    await page.click("#toggle-forces");
    await page.click("#toggle-edges");
    const tops = recording.contacts.map((list) => (list[0]?.pair === 0 ? list[0].max_pressure : 0));
    await setFrame(page, tops.indexOf(Math.max(...tops)));
    const center = await page.evaluate(() => window.isobar.locate(0));
    const bright = (await canvasColors(page, center)).at;
    await page.selectOption("#legend-range", "recording");
    await drawn(page);
    const dark = (await canvasColors(page, center)).at;
    // The ends of viridis; measured (253, 230, 37) and (68, 1, 84).
    [253, 231, 37].forEach((expected, k) => assert.ok(Math.abs(bright[k] - expected) <= 12, `top is ${bright}`));
    [68, 1, 84].forEach((expected, k) => assert.ok(Math.abs(dark[k] - expected) <= 12, `top is ${dark}`));
    assert.deepEqual(problems, []);
    await page.close();
}

async function longNamesShowTheirEnd(browser) {
    const recording = ball();
    recording.pairs[0].a = `robot::${"long_".repeat(12)}finger_tip_1`;
    const { page, problems } = await open(browser, "names", inject(template, recording));
    const shown = await page.evaluate(() => {
        const side = document.querySelector(".names span");
        const text = side.firstChild.firstChild;
        const last = document.createRange();
        last.setStart(text, text.length - 12);
        last.setEnd(text, text.length);
        const [inner, outer] = [last.getBoundingClientRect(), side.getBoundingClientRect()];
        return { end: last.toString(), left: inner.left - outer.left, right: outer.right - inner.right };
    });
    assert.equal(shown.end, "finger_tip_1");
    // Measured 0 on the right; negative where the ellipsis stands at the end.
    assert.ok(shown.left >= 0 && shown.right >= -1, `end of the name lies at ${shown.left}, ${shown.right}`);
    assert.deepEqual(problems, []);
    await page.close();
}

async function longNamesLoseScopesThatTellNothing(browser) {
    const scope = "left_arm::dexterous_hand_with_pads";
    const cases = [
        [`${scope}::thumb::tip`, `${scope}::index::tip`, "thumb::tip", "index::tip"],
        [`${scope}::thumb::tip`, "hand::palm", "tip", "hand::palm"],
        [`${scope}::tip`, "tip", "dexterous_hand_with_pads::tip", "tip"],
    ];
    for (const [a, b, ...expected] of cases) {
        const recording = ball();
        recording.bodies[1].name = recording.pairs[0].a = a;
        recording.bodies[0].name = recording.pairs[0].b = b;
        recording.sensors[0].name = a;
        const { page, problems } = await open(browser, "scopes", inject(template, recording));
        const shown = await page.$$eval(".pair bdi", (sides) => sides.map((side) => side.textContent));
        assert.deepEqual(shown, expected);
        assert.equal(await page.getAttribute(".pair", "title"), `${a} – ${b}`);
        assert.equal(await page.textContent(".sensor .names span"), "tip");
        assert.deepEqual(problems, []);
        await page.close();
    }
}

async function clickingThePatchSelectsItsPairAndShowsItsNumbers(page, recording) {
    await setFrame(page, 22);
    assert.equal((await stats(page)).selectedPair, -1);
    const center = await page.evaluate(() => window.isobar.locate(0));
    await page.mouse.click(center.x, center.y);
    await drawn(page);
    assert.equal((await stats(page)).selectedPair, 0);
    const contact = recording.contacts[22][0];
    const details = await page.textContent("#details");
    const newtons = Math.hypot(...contact.force);
    for (const expected of [
        "ball::ball",
        "ground::plate",
        `${Number((contact.area * 1e4).toPrecision(4))} cm²`,
        `${Number(newtons.toPrecision(4))} N`,
        `${Number((contact.max_pressure / 1000).toPrecision(4))} kPa`,
        String(contact.faces),
    ]) {
        assert.ok(details.includes(expected), `details say "${details}", expected "${expected}"`);
    }
    assert.ok(await page.isVisible("#force-label"));
    await page.keyboard.press("Escape");
    assert.equal((await stats(page)).selectedPair, -1);
    await page.click('.pair[data-pair="0"]');
    assert.equal((await stats(page)).selectedPair, 0);
    await page.evaluate(() => window.isobar.selectPair(-1));
}

async function hoveringAFaceTellsItsPressure(page, recording) {
    await setFrame(page, 22);
    const center = await page.evaluate(() => window.isobar.locate(0));
    await page.mouse.move(center.x + 1, center.y + 1);
    await page.waitForSelector("#tooltip:not([hidden])");
    const text = await page.textContent("#tooltip");
    const value = Number(text.match(/^([\d.]+) kPa/)?.[1]);
    const expected = recording.contacts[22][0].max_pressure / 1000;
    // One pixel beside the centre of a paraboloid some 60 pixels wide; measured 0.5 % below the top.
    assert.ok(value <= expected && value > 0.9 * expected, `tooltip says "${text}"`);
}

async function playingAdvancesAndKeysWork(page, recording) {
    await setFrame(page, 0);
    await page.evaluate(() => window.isobar.play());
    await page.waitForFunction(() => window.isobar.frame > 5);
    await page.keyboard.press(" ");
    const { playing, frame } = await stats(page);
    assert.equal(playing, false);
    await page.keyboard.press("ArrowRight");
    assert.equal((await stats(page)).frame, frame + 1);
    await page.keyboard.press("ArrowLeft");
    assert.equal((await stats(page)).frame, frame);
    await page.keyboard.press("End");
    assert.equal((await stats(page)).frame, recording.contacts.length - 1);
    assert.ok((await page.textContent("#clock")).includes("frame 90 of 90"));
    await page.keyboard.press("Home");
    await page.selectOption("#speed", "10");
    await page.click("#play");
    await page.waitForFunction(() => window.isobar.frame === 89 && !window.isobar.stats().playing);
}

// Frames shown without a drawing between them: the map of the tactile grid alone, which fits its
// card, has the browser lay out the page; plots do not.
async function plotsLayOutNothingForAFrame(page) {
    const metrics = await page.context().newCDPSession(page);
    await metrics.send("Performance.enable");
    const layouts = async () => {
        const found = (await metrics.send("Performance.getMetrics")).metrics;
        return found.find(({ name }) => name === "RecalcStyleCount").value;
    };
    const before = await layouts();
    await page.evaluate(() => Array.from({ length: 60 }, (_, i) => window.isobar.setFrame(i)));
    const count = (await layouts()) - before;
    assert.ok(count < 180, `${count} times were styles computed for 60 frames`);
}

async function plotsSeekAndTheDisplaySwitches(page) {
    assert.equal(await page.locator("#plots .plot").count(), 3);
    await page.click("#plots .u-over", { position: { x: 2, y: 40 } });
    assert.ok((await stats(page)).frame <= 2);
    await page.evaluate(() => window.isobar.setFrame(0));
    await drawn(page);
    const before = await page.evaluate(() => document.getElementById("canvas").toDataURL());
    await page.click("[data-mode=collision]");
    await drawn(page);
    const after = await page.evaluate(() => document.getElementById("canvas").toDataURL());
    assert.notEqual(before, after, "collision geometry looks like the visual geometry");
    await page.click("#theme");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
}

/** Colour in the middle of a cell of the tactile grid, and its position on the page. */
function cellColor(page, row, column) {
    return page.evaluate(
        ([r, c, rows, columns]) => {
            const canvas = document.getElementById("tactile-map");
            const box = canvas.getBoundingClientRect();
            const margin = 18; // tactile_map.js
            const x = margin + ((c + 0.5) * (box.width - margin)) / columns;
            const y = ((rows - r - 0.5) * (box.height - margin)) / rows;
            const ratio = canvas.width / box.width;
            const copy = document.createElement("canvas");
            [copy.width, copy.height] = [canvas.width, canvas.height];
            const context = copy.getContext("2d", { willReadFrequently: true });
            context.drawImage(canvas, 0, 0);
            const data = context.getImageData(x * ratio, y * ratio, 1, 1).data;
            return { rgb: [...data].slice(0, 3), x: box.left + x, y: box.top + y };
        },
        [row, column, SKIN.rows, SKIN.columns],
    );
}

async function sensorsAreListedAndPlotted(page, recording) {
    const normal = recording.contacts.map((list) => list[0]?.normal_force ?? 0);
    const strongest = normal.indexOf(Math.max(...normal));
    await setFrame(page, strongest);
    assert.equal((await stats(page)).sensors, 2);
    assert.equal((await stats(page)).chosenSensor, "skin", "a tactile grid is chosen first");
    const rows = await page.locator(".sensor").allTextContents();
    const newtons = `${Number(normal[strongest].toPrecision(3))} N`;
    assert.ok(rows[0].includes("plate") && rows[0].includes(newtons), `row says "${rows[0]}", expected ${newtons}`);
    assert.ok(rows[1].includes("skin") && rows[1].includes("60 kPa"), `row says "${rows[1]}"`);
    // Force, largest pressure, shear, slip and the area; nothing fell outside.
    assert.equal(await page.locator("#sensor-plots .plot").count(), 5);
    assert.ok((await page.textContent("#sensor-plots .note")).includes("outside"));
    await page.click(".sensor >> nth=0");
    assert.equal((await stats(page)).chosenSensor, "plate");
    assert.equal(await page.isVisible("#tactile-card"), false);
    assert.equal(await page.locator("#sensor-plots .plot").count(), 1);
    assert.ok((await page.textContent("#sensor-details")).includes(`${Number(normal[strongest].toPrecision(4))}) N`));
    await page.click("#sensor-plots .u-over", { position: { x: 2, y: 40 } });
    assert.ok((await stats(page)).frame <= 2, "a click into a sensor's plot seeks");
    await page.click(".sensor >> nth=1");
}

async function theTactileGridShowsPressureShearAndSlip(page, recording) {
    const normal = recording.contacts.map((list) => list[0]?.normal_force ?? 0);
    const strongest = normal.indexOf(Math.max(...normal));
    await setFrame(page, strongest);
    await page.click("#toggle-shear");
    assert.ok((await page.textContent("#tactile-top")).endsWith("kPa and more"), "the impact is cut");
    await page.selectOption("#legend-range", "frame");
    assert.equal(await page.textContent("#tactile-top"), "60 kPa");
    const last = [SKIN.rows - 1, SKIN.columns - 1];
    const top = await cellColor(page, ...last);
    // The ends of viridis; measured (253, 231, 37), and (69, 10, 93) for 2 of 60 kPa.
    [253, 231, 37].forEach((expected, k) => assert.ok(Math.abs(top.rgb[k] - expected) <= 2, `top is ${top.rgb}`));
    const low = await cellColor(page, 0, 1);
    [69, 10, 93].forEach((expected, k) => assert.ok(Math.abs(low.rgb[k] - expected) <= 4, `low is ${low.rgb}`));
    await page.selectOption("#legend-range", "recording");
    const empty = (await cellColor(page, 3, 0)).rgb;
    assert.ok(Math.min(...empty) > 200, `a cell without contact is ${empty}, expected the colour of the page`);
    for (const [kind, rgb] of [["shear", [255, 255, 255]], ["slip", [255, 79, 163]]]) {
        await page.click(`#toggle-${kind}`);
        // An arrow's middle is that of its cell; smoothed, since it is 1.6 pixels wide.
        const arrow = (await cellColor(page, ...last)).rgb;
        const distance = (a, b) => Math.hypot(...a.map((value, k) => value - b[k]));
        // Measured 0.42 (shear) and 0 (slip) of the way from the arrow's colour to the cell's.
        assert.ok(distance(arrow, rgb) < 0.5 * distance(top.rgb, rgb), `no arrow of ${kind}: ${arrow}`);
        await page.click(`#toggle-${kind}`);
    }
    await page.click("#toggle-state");
    assert.deepEqual((await cellColor(page, ...last)).rgb, [255, 79, 163], "a cell that slips");
    assert.deepEqual((await cellColor(page, 0, 1)).rgb, [77, 143, 232], "a cell that sticks");
    assert.ok(Math.min(...(await cellColor(page, 3, 0)).rgb) > 200, "a cell that nothing touches");
    assert.ok((await page.textContent("#tactile-arrows")).includes("Blue cells stick"));
    await page.click("#toggle-state");
    await page.mouse.move(top.x, top.y);
    const cell = await page.textContent("#tactile-cell");
    for (const expected of ["Row 5, column 9", "60 kPa", "300 Pa", "20 mm/s", "1 mm²", "slips", "reads 59"]) {
        assert.ok(cell.includes(expected), `cell says "${cell}", expected "${expected}"`);
    }
    await setFrame(page, 0);
    assert.ok((await page.textContent("#tactile-cell")).includes("pressure 0 Pa"), "the grid follows the frame");
    await page.click("#toggle-shear");
}

/** A grid under the patch of a ball, tilted about y: its slope is that of the skin everywhere. */
function tilted(slope) {
    const recording = ball();
    const half = Math.atan(slope) / 2;
    recording.pairs = [{ a: "ground::plate", b: "ball::ball" }]; // the normal of the faces is +z
    recording.sensors[1].pose = [0, 0, 0.015, Math.cos(half), 0, Math.sin(half), 0];
    recording.sensors[1].size = [0.05, 0.03];
    return recording;
}

async function theSkinIsSeenByACamera(browser) {
    const slope = 0.2;
    const recording = tilted(slope);
    const { page, problems } = await open(browser, "skin", inject(template, recording));
    const deepest = recording.contacts.findIndex((list) => list[0]?.max_pressure > 1e4);
    await setFrame(page, deepest);
    await page.click("#toggle-shear");
    await page.click("#toggle-skin");
    assert.equal(await page.isVisible("#tactile-scale"), false);
    // In S the patch rises by the slope along x; it is lit from three sides at 30 degrees.
    const lights = [90, 210, 330].map((turn) => Math.cos(Math.PI / 6) * Math.cos((turn * Math.PI) / 180));
    const expected = lights.map((x) => 255 * (0.25 + (0.75 * (0.5 - slope * x)) / Math.hypot(slope, 1)));
    const middle = (await cellColor(page, 3, 5)).rgb;
    // Measured 0.6 of 255.
    expected.forEach((value, k) => assert.ok(Math.abs(middle[k] - value) <= 3, `skin is ${middle}, expected ${expected}`));
    const told = Number((await page.textContent("#tactile-arrows")).match(/pressed ([\d.]+) mm/)[1]);
    // Deepest at the grid's lower edge, 25 mm from its centre, which is 5 mm above the patch.
    const depth = 5 * Math.hypot(slope, 1) + 25 * slope;
    assert.ok(told > 0.98 * depth && told <= depth + 0.01, `${told} mm deep, expected nearly ${depth} mm`);
    await page.click("#toggle-shear");
    await page.locator("#tactile-card").screenshot({ path: path.join(workDir, "skin.png") });
    assert.deepEqual(problems, []);
    await page.close();
}

async function checkBall(browser) {
    const recording = ball();
    const { page, problems, ready } = await open(browser, "ball", inject(template, recording));
    assert.equal(ready, true);
    await theBallIsDrawnWithItsPressureInTheLegendsColours(page, recording);
    await theLegendFollowsItsRange(page, recording);
    await clickingThePatchSelectsItsPairAndShowsItsNumbers(page, recording);
    await hoveringAFaceTellsItsPressure(page, recording);
    await playingAdvancesAndKeysWork(page, recording);
    await sensorsAreListedAndPlotted(page, recording);
    await theTactileGridShowsPressureShearAndSlip(page, recording);
    await plotsLayOutNothingForAFrame(page);
    await plotsSeekAndTheDisplaySwitches(page);
    assert.deepEqual(problems, []);
    await page.close();
}

async function whatLiesOverTheSceneNeverOverlaps(browser) {
    const { page, problems } = await open(browser, "sizes", inject(template, ball()));
    for (const [width, height] of [[1280, 800], [820, 1180], [390, 844], [360, 640]]) {
        await page.setViewportSize({ width, height });
        await drawn(page);
        const boxes = await page.evaluate(() =>
            ["scene-info", "scale-note", "legend", "toolbar"].map((id) => {
                const element = document.getElementById(id);
                const range = document.createRange(); // a text is as wide as its words
                range.selectNodeContents(element);
                const { left, right, top, bottom } = (element.tagName === "P" ? range : element).getBoundingClientRect();
                return { id, left, right, top, bottom };
            }),
        );
        for (const [i, a] of boxes.entries()) {
            assert.ok(a.left >= 0 && a.right <= width, `${a.id} leaves a page ${width} wide`);
            for (const b of boxes.slice(0, i)) {
                const isApart = a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
                assert.ok(isApart, `${a.id} lies over ${b.id} on a page of ${width} x ${height}`);
            }
        }
        const view = await page.locator("#view").boundingBox();
        const toolbar = await page.locator("#toolbar").boundingBox();
        assert.ok(toolbar.height < 0.25 * view.height, `the toolbar takes ${toolbar.height} of ${view.height}`);
    }
    assert.deepEqual(problems, []);
    await page.close();
}

/** Pairs of labels of the legend that lie on each other. */
function labelsThatOverlap(page) {
    return page.evaluate(() => {
        const shown = [...document.querySelectorAll("#legend-ticks span")].filter((label) => label.offsetParent);
        const boxes = shown.map((label) => ({ text: label.textContent, ...label.getBoundingClientRect().toJSON() }));
        const pairs = boxes.flatMap((a, i) => boxes.slice(0, i).map((b) => [a, b]));
        return pairs.filter(([a, b]) => a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5).map(([a, b]) => [a.text, b.text]);
    });
}

async function labelsOfTheLegendNeverOverlap(browser) {
    const highest = Math.max(...ball().contacts.map((list) => list[0]?.max_pressure ?? 0));
    const sizes = [[1280, 800], [900, 560], [390, 844], [360, 640]];
    for (const [i, top] of [1e3, 3.4e4, 3.264e4, 7.4e4, 9.524e6, 1.99e5].entries()) {
        const recording = ball();
        recording.contacts.flat().forEach((contact) => (contact.max_pressure *= top / highest));
        const { page, problems } = await open(browser, "labels", inject(template, recording));
        for (const [width, height] of [sizes[i % 4], sizes[(i + 2) % 4]]) {
            await page.setViewportSize({ width, height });
            await drawn(page);
            assert.deepEqual(await labelsThatOverlap(page), [], `up to ${top} Pa on a page of ${width} x ${height}`);
        }
        assert.deepEqual(problems, []);
        await page.close();
    }
}

const distance = (a, b) => Math.hypot(...a.map((value, k) => value - b[k]));
const settled = (page) =>
    page.waitForFunction(() => {
        const { camera, flying } = window.isobar.stats();
        const rests = !flying && window.lastCamera === String(camera);
        window.lastCamera = String(camera);
        return rests;
    }, null, { polling: 400 });

async function theCameraFliesToWhatIsSelected(browser) {
    const recording = ball();
    const { page, problems } = await open(browser, "fly", inject(template, recording));
    assert.equal(await page.inputValue("#opacity"), "1", "bodies are opaque");
    await setFrame(page, 24);
    const home = await stats(page);
    const contact = recording.contacts[24][0];
    await page.evaluate(() => window.isobar.selectPair(0));
    await page.keyboard.press("f");
    await settled(page);
    const near = await stats(page);
    assert.ok(distance(near.target, contact.center_of_pressure) < 1e-6, `the camera looks at ${near.target}`);
    const far = (state) => distance(state.camera, state.target);
    assert.ok(far(near) < 0.7 * far(home), `the camera is at ${far(near)}, was at ${far(home)}`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("f");
    await settled(page);
    assert.ok(distance((await stats(page)).camera, home.camera) < 1e-9, "without a selection F frames the scene");
    const at = await page.evaluate(() => window.isobar.locate(0));
    await page.mouse.dblclick(at.x, at.y);
    await settled(page);
    assert.ok(distance((await stats(page)).target, contact.center_of_pressure) < 1e-6, "a double click flies there");
    assert.deepEqual(problems, []);
    await page.close();
}

async function arrowsOfUsualForcesStayLongBesideABlow(browser) {
    const [frame, blown] = [65, 64]; // of the strongest forces
    const lengths = [];
    for (const factor of [1, 1e4]) {
        const recording = ball();
        recording.contacts[blown][0].force = recording.contacts[blown][0].force.map((f) => f * factor);
        const { page, problems } = await open(browser, `blow-${factor}`, inject(template, recording));
        for (const shown of [frame, blown]) {
            await setFrame(page, shown);
            lengths.push((await stats(page)).arrowLengths[0]);
        }
        assert.equal((await page.textContent("#scale-note")).includes("cut at"), factor > 1);
        assert.deepEqual(problems, []);
        await page.close();
    }
    assert.ok(lengths[0] > 0.05, `an arrow of ${lengths[0]} m in a scene of 0.6 m`);
    assert.ok(Math.abs(lengths[2] / lengths[0] - 1) < 0.01, `${lengths}`);
    assert.ok(lengths[3] > lengths[0] && lengths[3] < 3 * lengths[0], `${lengths}`);
}

async function whatBearsNothingDoesNotTouch(browser) {
    const recording = ball();
    recording.contacts[24][0].force = [0, 0, 1e-30];
    const { page, problems } = await open(browser, "opening", inject(template, recording));
    for (const [frame, count] of [[23, 1], [24, 0]]) {
        await setFrame(page, frame);
        assert.equal(await page.textContent("#pairs-count"), `${count} touching`);
        assert.equal(await page.locator(".pair.idle").count(), 1 - count);
    }
    assert.deepEqual(problems, []);
    await page.close();
}

async function bodiesAreSelectedHiddenAndFollowed(browser) {
    const recording = ball();
    const { page, problems } = await open(browser, "bodies", inject(template, recording));
    await setFrame(page, 0);
    await page.click("#toggle-forces");
    const at = await page.evaluate(() => window.isobar.locateBody(1));
    await page.mouse.click(at.x, at.y);
    assert.equal((await stats(page)).selectedBody, 1);
    const height = Number((recording.poses[0] && (await page.evaluate(() => window.isobar.pose(1)))[2]).toPrecision(4));
    const details = await page.textContent("#body-details");
    assert.ok(details.includes("ball::ball") && details.includes(String(Number((height * 1000).toPrecision(4)))), details);
    const shown = (await canvasColors(page, at)).at;
    await page.keyboard.press("h");
    await drawn(page);
    assert.notDeepEqual((await canvasColors(page, at)).at, shown, "a hidden body is not drawn");
    await page.keyboard.press("Shift+H");
    await page.click("#body-follow");
    const before = await stats(page);
    const from = await page.evaluate(() => window.isobar.pose(1));
    await setFrame(page, 24);
    const after = await stats(page);
    const to = await page.evaluate(() => window.isobar.pose(1));
    for (let k = 0; k < 3; ++k) {
        const moved = to[k] - from[k];
        assert.ok(Math.abs(after.camera[k] - before.camera[k] - moved) < 1e-9, "the camera goes with the body");
    }
    await page.click("#bodies-details > summary"); // it was opened by the selection
    await page.click("#bodies-details > summary");
    await page.click('.body-row[data-body="0"] .body-name');
    assert.equal((await stats(page)).selectedBody, 0);
    assert.deepEqual(problems, []);
    await page.close();
}

async function theAddressHoldsTimeAndCamera(browser) {
    const { page, problems } = await open(browser, "address", inject(template, ball()));
    const first = (await stats(page)).camera;
    await setFrame(page, 33);
    await page.evaluate(() => window.isobar.selectPair(0));
    await page.mouse.move(400, 300);
    await page.mouse.down();
    await page.mouse.move(520, 260, { steps: 5 });
    await page.mouse.up();
    await settled(page);
    await page.waitForFunction(() => /t=0\.55&pair=0&from=/.test(window.location.hash));
    await page.reload();
    await page.evaluate(() => window.isobar.ready);
    const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
    const [camera, target] = ["from", "at"].map((name) => fields.get(name).split(",").map(Number));
    let again = await stats(page);
    for (let i = 0; i < 40 && distance(again.camera, camera) >= 1e-3; ++i) { // a busy machine draws late
        await new Promise((done) => setTimeout(done, 250));
        again = await stats(page);
    }
    assert.deepEqual([again.frame, again.selectedPair], [33, 0]);
    assert.ok(distance(again.camera, camera) < 1e-3 && distance(again.target, target) < 1e-3);
    assert.ok(distance(first, camera) > 1e-2);
    // What somebody wrote by hand and is no place is not followed.
    await page.evaluate(() => (window.location.hash = "t=x&pair=99&from=1,2&at=NaN,0,0"));
    await page.reload();
    assert.equal(await page.evaluate(() => window.isobar.ready), true);
    assert.equal((await stats(page)).frame, 0);
    assert.deepEqual(problems, []);
    await page.close();
}

async function keysAreListedAndPicturesSaved(browser) {
    const { page, problems } = await open(browser, "keys", inject(template, ball()));
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("#help"));
    assert.ok((await page.textContent("#help-list")).includes("save a picture"));
    await page.keyboard.press("Escape");
    assert.equal(await page.isVisible("#help"), false);
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("s")]);
    assert.equal(download.suggestedFilename(), "ball_on_plate_0.000s.png");
    const bytes = fs.readFileSync(await download.path());
    const size = await page.evaluate(() => [document.getElementById("canvas").width, document.getElementById("canvas").height]);
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], size, "the picture is as large as the view");
    assert.ok(bytes.length > 10000, `a picture of ${bytes.length} bytes is blank`);
    assert.deepEqual(problems, []);
    await page.close();
}

async function plotsTellValuesAtOneCursor(browser) {
    const recording = ball();
    const { page, problems } = await open(browser, "plots", inject(template, recording));
    const plots = page.locator("#plots .plot");
    await plots.nth(0).locator(".u-over").hover({ position: { x: 110, y: 40 } });
    await page.waitForSelector("#plots .plot-tip:not([hidden])");
    const heads = await page.locator("#plots .plot-tip b").allTextContents();
    assert.equal(heads.length, 3, "all plots tell their values");
    assert.equal(new Set(heads).size, 1, `one cursor for all plots, not ${heads}`);
    const frame = Math.round(Number(heads[0].replace(" s", "")) * 60);
    const force = recording.contacts[frame][0]?.normal_force ?? 0;
    const told = Number((await plots.nth(0).locator(".plot-tip .number").textContent()).replace(/[^\d.e-]/g, ""));
    assert.ok(Math.abs(told - force) <= 1e-3 * force, `the plot tells ${told} N, expected ${force} N`);
    for (const tip of await page.locator(".plot-tip:visible").all()) {
        const [inner, outer] = [await tip.boundingBox(), await page.locator("#panel").boundingBox()];
        assert.ok(inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width, "values leave the panel");
    }
    assert.equal(await page.locator("#plots .key").count(), 3, "every plot has a key");
    await plots.nth(2).locator(".log").click();
    assert.equal(await plots.nth(2).locator(".log").textContent(), "linear");
    assert.deepEqual(problems, []);
    await page.close();
}

async function eventsAreMarkedOnTheTimeline(browser) {
    const recording = ball();
    const time = (frame) => frame / 60 + 1e-4;
    const contact = { kind: "contact_begins", name: "", direction: 0, a: "world", b: "ball" };
    const level = { kind: "level", name: "height", direction: -1 };
    const events = [{ time: time(20), ...contact }, { time: time(60), ...level }];
    const { page, problems } = await open(browser, "events", inject(template, { ...recording, events }));
    const marks = page.locator("#events .event");
    assert.equal(await marks.count(), 2);
    assert.match(await marks.nth(0).getAttribute("title"), /^0\.33\d* s: contact begins, world \| ball$/);
    assert.match(await marks.nth(1).getAttribute("title"), /^1\.00\d* s: level, height falls$/);
    for (const [index, frame] of [[1, 60], [0, 20]]) {
        await marks.nth(index).click();
        assert.equal((await stats(page)).frame, frame);
        const [mark, slider] = await Promise.all([marks.nth(index), page.locator("#slider")].map((l) => l.boundingBox()));
        const share = (mark.x + mark.width / 2 - slider.x) / slider.width;
        assert.ok(Math.abs(share - frame / 89) < 0.02, `the mark is at ${share}`);
    }
    await page.screenshot({ path: path.join(workDir, "events.png") });
    assert.deepEqual(problems, []);
    await page.close();
}

async function aSingleFrameWithoutContactIsShown(browser) {
    const { page, problems, ready } = await open(browser, "still", inject(template, still()));
    assert.equal(ready, true);
    const { frames, faces, bodies } = await stats(page);
    assert.deepEqual({ frames, faces, bodies }, { frames: 1, faces: 0, bodies: 1 });
    assert.ok((await canvasColors(page)).distinct > 50, "the canvas is (almost) blank");
    assert.ok((await page.textContent("#pairs")).includes("No contact"));
    assert.equal(await page.isVisible("#sensors-card"), false);
    await page.evaluate(() => window.isobar.play());
    assert.equal((await stats(page)).playing, false);
    assert.deepEqual(problems, []);
    await page.close();
}

async function threeThousandFacesStaySmooth(browser) {
    const { page, problems, ready } = await open(browser, "crowd", inject(template, crowd()));
    assert.equal(ready, true);
    const { bodies, faces, contacts } = await stats(page);
    assert.deepEqual({ bodies, faces, contacts }, { bodies: 27, faces: 3016, contacts: 26 });
    const milliseconds = await page.evaluate(() => {
        const rounds = [0, 1, 2, 3].map(() => {
            const start = performance.now();
            for (let frame = 1; frame <= 50; ++frame) {
                window.isobar.setFrame(frame);
            }
            return (performance.now() - start) / 50;
        });
        return Math.min(...rounds); // the others waited for the machine
    });
    // Measured 4.4 ms on two shared cores; a frame at 60 Hz has 16.7 ms. The bound only catches a
    // change of kind (buffers made anew, quadratic work) on a busy machine.
    assert.ok(milliseconds < 40, `one frame takes ${milliseconds} ms to set`);
    console.log(`set frame: ${milliseconds.toFixed(2)} ms for ${faces} faces`);
    assert.deepEqual(problems, []);
    await page.close();
}

async function badDataIsToldOnThePage(browser) {
    for (const [name, text, expected] of [
        ["empty", template, "holds no recording"],
        ["format", inject(template, { format: "other" }), 'expected "isobar-view-1"'],
        ["frames", inject(template, { ...still(), times: [] }), "no frame"],
        ["pair", inject(template, { ...still(), contacts: [[{ pair: 7 }]] }), "pair 7"],
        ["sensors", inject(template, { ...ball(), sensor_values: [] }), "frame 0 has 0 values of sensors"],
    ]) {
        const { page, ready } = await open(browser, name, text);
        assert.equal(ready, false);
        const notice = await page.textContent("#notice");
        assert.ok(notice.includes(expected), `page says "${notice}", expected "${expected}"`);
        await page.close();
    }
}

async function aPageWrittenByIsobarIsShown(browser) {
    const text = fs.readFileSync(recordedPath, "utf8");
    const { page, problems, ready } = await open(browser, "recorded", text);
    assert.equal(ready, true);
    // The sample of tests/record: 7 of its 12 frames, 2 contacts of 5 faces in the second.
    await setFrame(page, 1);
    const { frames, bodies, pairs, contacts, faces, bodyTriangles } = await stats(page);
    assert.deepEqual(
        { frames, bodies, pairs, contacts, faces, bodyTriangles },
        { frames: 7, bodies: 3, pairs: 2, contacts: 2, faces: 10, bodyTriangles: 12 },
    );
    assert.ok((await canvasColors(page)).distinct > 200, "the canvas is (almost) blank");
    assert.deepEqual(await page.locator(".sensor .names > :first-child").allTextContents(), [
        "imu",
        "skin <of> the lid",
    ]);
    assert.equal((await stats(page)).chosenSensor, "skin <of> the lid");
    assert.ok((await page.textContent("#tactile-name")).includes("2 × 3 cells, 30 × 20 mm"));
    assert.equal(await page.textContent("#scene-name"), "sample </script>");
    assert.ok((await page.textContent("#scene-info")).includes("7 of 12 frames"));
    assert.deepEqual(problems, []);
    await page.close();
}

const browser = await launch(browserPath);
try {
    for (const check of [
        checkBall,
        theSkinIsSeenByACamera,
        faintPatchesHaveColoursOfTheirOwn,
        longNamesShowTheirEnd,
        longNamesLoseScopesThatTellNothing,
        theCameraFliesToWhatIsSelected,
        arrowsOfUsualForcesStayLongBesideABlow,
        whatBearsNothingDoesNotTouch,
        bodiesAreSelectedHiddenAndFollowed,
        theAddressHoldsTimeAndCamera,
        keysAreListedAndPicturesSaved,
        plotsTellValuesAtOneCursor,
        whatLiesOverTheSceneNeverOverlaps,
        labelsOfTheLegendNeverOverlap,
        eventsAreMarkedOnTheTimeline,
        aSingleFrameWithoutContactIsShown,
        threeThousandFacesStaySmooth,
        badDataIsToldOnThePage,
        ...(recordedPath ? [aPageWrittenByIsobarIsShown] : []),
    ]) {
        await check(browser);
        console.log(`ok ${check.name}`);
    }
} finally {
    await browser.close();
}
