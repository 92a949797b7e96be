// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The connection to `isobar live`: what it sends (docs/live.md), what the page asks for.

const RETRY = 1000; // [ms]

export class LiveLink {
    /** handlers: model(json), pairs(list), frame(status, bytes), state(connected). */
    constructor(handlers) {
        this.handlers = handlers;
        this.received = 0;
        this.#connect();
    }

    /** A command; dropped while there is no connection. */
    send(name, members = {}) {
        if (this.socket.readyState === WebSocket.OPEN) {
            this.socket.send(JSON.stringify({ do: name, ...members }));
        }
    }

    #connect() {
        const { host, search } = window.location;
        const token = new URLSearchParams(search).get("token") ?? "";
        this.socket = new WebSocket(`ws://${host}/live?token=${encodeURIComponent(token)}`, "isobar-live");
        this.socket.binaryType = "arraybuffer";
        this.socket.onopen = () => this.handlers.state(true);
        this.socket.onmessage = ({ data }) => this.#take(data);
        this.socket.onclose = () => {
            this.handlers.state(false);
            setTimeout(() => this.#connect(), RETRY);
        };
    }

    #take(data) {
        if (typeof data === "string") {
            const json = JSON.parse(data);
            if (json.format !== undefined) {
                this.handlers.model(json);
            } else {
                this.handlers.pairs(json.pairs);
            }
            return;
        }
        this.received += 1;
        const size = new DataView(data).getUint32(0, true);
        const status = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size)));
        this.handlers.frame(status, new Uint8Array(data, 4 + size));
    }
}
