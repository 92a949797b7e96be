// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The list of pairs and the numbers of the selected one.

import { categoryColor } from "../data/colormap.js";
import * as units from "../data/units.js";

const byId = (id) => document.getElementById(id);

export function element(tag, className, text) {
    const node = document.createElement(tag);
    node.className = className;
    if (text !== undefined) {
        node.textContent = text;
    }
    return node;
}

export class Panel {
    constructor(recording, onSelect) {
        this.recording = recording;
        this.selected = -1;
        this.list = byId("pairs");
        this.details = byId("details");
        this.card = byId("details-card");
        this.rows = new Map();
        byId("deselect").addEventListener("click", () => onSelect(-1));
        this.onSelect = onSelect;
        this.empty = element("p", "empty", recording.isLive ? "No contact yet." : "No contact in this recording.");
        this.addPairs();
    }

    /** Rows for pairs that have none yet. */
    addPairs() {
        for (const pair of this.recording.activePairs.filter((index) => !this.rows.has(index))) {
            this.list.append(this.#row(pair, this.onSelect));
        }
        if (this.rows.size === 0) {
            this.list.append(this.empty);
        } else {
            this.empty.remove();
        }
    }

    setFrame(frame) {
        this.frame = frame;
        const contacts = this.recording.contacts(frame).filter((contact) => this.recording.isPressed(contact));
        byId("pairs-count").textContent = `${contacts.length} touching`;
        const touching = new Map(contacts.map((contact) => [contact.pair, contact]));
        for (const [pair, row] of this.rows) {
            const contact = touching.get(pair);
            row.node.classList.toggle("idle", !contact);
            row.force.textContent = contact ? units.quantity(Math.hypot(...contact.force), "N", 3) : "–";
            row.area.textContent = contact ? units.area(contact.area, 3) : "–";
        }
        this.#drawDetails(touching.get(this.selected));
    }

    select(pair) {
        this.selected = pair;
        for (const [index, row] of this.rows) {
            row.node.classList.toggle("selected", index === pair);
        }
        this.rows.get(pair)?.node.scrollIntoView({ block: "nearest" });
        this.setFrame(this.frame);
    }

    #row(pair, onSelect) {
        const { a, b } = this.recording.pairs[pair];
        const node = element("button", "pair");
        node.dataset.pair = pair;
        node.title = `${a} – ${b}`;
        const swatch = element("i", "swatch");
        swatch.style.background = categoryColor(pair);
        const names = element("span", "names");
        for (const name of this.recording.sideNames(pair)) {
            const side = element("span", "");
            side.append(element("bdi", "", name));
            names.append(side);
        }
        const force = element("span", "number");
        const area = element("span", "number");
        node.append(swatch, names, force, area);
        node.addEventListener("click", () => onSelect(this.selected === pair ? -1 : pair));
        this.rows.set(pair, { node, force, area });
        return node;
    }

    #drawDetails(contact) {
        this.card.hidden = this.selected < 0;
        if (this.selected < 0) {
            return;
        }
        const { a, b, geometry_a: geometryA, geometry_b: geometryB } = this.recording.pairs[this.selected];
        const rows = [
            ["A", geometryA ? `${a} · ${geometryA}` : a],
            ["B", geometryB ? `${b} · ${geometryB}` : b],
        ];
        if (contact) {
            rows.push(["Area", units.area(contact.area)]);
            rows.push(["Faces", String(contact.faces)]);
            rows.push(["Highest pressure", units.quantity(contact.max_pressure, "Pa")]);
            rows.push(["Force on B", units.quantity(Math.hypot(...contact.force), "N")]);
            rows.push(["", units.vector(contact.force, "N")]);
            if (contact.normal_force !== undefined) {
                rows.push(["Normal force", units.quantity(contact.normal_force, "N")]);
            }
            rows.push(["Moment on B", units.vector(contact.moment, "N m")]);
            rows.push(["Centre of pressure", units.vector(contact.center_of_pressure, "m")]);
        } else {
            rows.push(["State", "not touching in this frame"]);
        }
        const list = element("dl", "numbers");
        for (const [name, value] of rows) {
            list.append(element("dt", "", name), element("dd", "", value));
        }
        this.details.replaceChildren(list);
    }
}
