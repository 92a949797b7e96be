// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The tree of bodies, by model, and the numbers of the selected one: pose, hide, follow.

import { element } from "./panel.js";
import * as units from "../data/units.js";

const byId = (id) => document.getElementById(id);

const modelOf = (name) => (name.includes("::") ? name.slice(0, name.lastIndexOf("::")) : "");
const linkOf = (name) => name.slice(name.lastIndexOf("::") + (name.includes("::") ? 2 : 0));

// Roll, pitch, yaw of a unit quaternion w x y z [deg].
function angles([w, x, y, z]) {
    const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
    const pitch = Math.asin(Math.min(1, Math.max(-1, 2 * (w * y - z * x))));
    const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
    return [roll, pitch, yaw].map((angle) => (angle * 180) / Math.PI);
}

export class BodyPanel {
    /** actions: choose(index), hide(index, hidden), follow(index or -1), fly(index). */
    constructor(recording, actions) {
        this.recording = recording;
        this.actions = actions;
        this.selected = -1;
        this.followed = -1;
        this.rows = [];
        this.hidden = new Set();
        byId("bodies-count").textContent = String(recording.bodies.length);
        this.#buildTree();
    }

    select(index) {
        this.selected = index;
        this.rows.forEach((row, at) => row.node.classList.toggle("selected", at === index));
        if (index >= 0) {
            byId("bodies-details").open = true;
            this.rows[index].node.scrollIntoView({ block: "nearest" });
        }
        this.setFrame(this.frame);
    }

    setFrame(frame) {
        this.frame = frame;
        const card = byId("body-card");
        card.hidden = this.selected < 0;
        if (this.selected < 0 || frame === undefined) {
            return;
        }
        const body = this.recording.bodies[this.selected];
        const pose = this.recording.poses(frame).subarray(7 * this.selected, 7 * this.selected + 7);
        const rows = [["Name", body.name]];
        rows.push(["Position", units.vector([...pose.slice(0, 3)], "m")]);
        rows.push(["Roll, pitch, yaw", `${angles(pose.slice(3)).map((a) => units.digits(a, 4)).join(", ")} °`]);
        rows.push(["Quaternion w x y z", [...pose.slice(3)].map((q) => q.toFixed(4)).join(", ")]);
        rows.push(["Kind", body.fixed ? "fixed" : "moves"]);
        const list = element("dl", "numbers");
        for (const [name, value] of rows) {
            list.append(element("dt", "", name), element("dd", "", value));
        }
        byId("body-details").replaceChildren(list);
        byId("body-follow").classList.toggle("on", this.followed === this.selected);
        byId("body-hide").classList.toggle("on", this.hidden.has(this.selected));
    }

    follow(index) {
        this.followed = index;
        this.actions.follow(index);
        this.setFrame(this.frame);
    }

    toggleFollow() {
        if (this.selected >= 0) {
            this.follow(this.followed === this.selected ? -1 : this.selected);
        }
    }

    toggleHidden(index = this.selected) {
        if (index < 0) {
            return;
        }
        const hides = !this.hidden.has(index);
        this.hidden[hides ? "add" : "delete"](index);
        this.rows[index].node.classList.toggle("idle", hides);
        this.rows[index].eye.textContent = hides ? "show" : "hide";
        this.actions.hide(index, hides);
        this.setFrame(this.frame);
    }

    showAll() {
        [...this.hidden].forEach((index) => this.toggleHidden(index));
    }

    #buildTree() {
        const models = new Map();
        this.recording.bodies.forEach((body, index) => {
            const model = modelOf(body.name ?? "");
            models.set(model, [...(models.get(model) ?? []), index]);
        });
        for (const [model, indices] of models) {
            let parent = byId("bodies");
            if (model && indices.length > 1) {
                const branch = element("details", "branch");
                branch.open = this.recording.bodies.length <= 24;
                branch.append(element("summary", "", `${model} `));
                branch.firstChild.append(element("span", "", String(indices.length)));
                parent.append(branch);
                parent = branch;
            }
            indices.forEach((index) => parent.append(this.#row(index, indices.length > 1)));
        }
        byId("body-follow").addEventListener("click", () => this.toggleFollow());
        byId("body-hide").addEventListener("click", () => this.toggleHidden());
        byId("body-fly").addEventListener("click", () => this.actions.fly(this.selected));
        byId("body-deselect").addEventListener("click", () => this.actions.choose(-1));
    }

    #row(index, isPart) {
        const { name } = this.recording.bodies[index];
        const node = element("div", "body-row");
        node.dataset.body = index;
        node.title = name;
        const button = element("button", "body-name", isPart ? linkOf(name) : name);
        button.addEventListener("click", () => this.actions.choose(this.selected === index ? -1 : index));
        const eye = element("button", "body-eye", "hide");
        eye.setAttribute("aria-label", `hide or show ${name}`);
        eye.addEventListener("click", () => this.toggleHidden(index));
        node.append(button, eye);
        this.rows[index] = { node, eye };
        return node;
    }
}
