// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

import fs from "node:fs";
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// The page contains these libraries, so it carries their licences.
function licenceNotices() {
    return {
        name: "licence-notices",
        transformIndexHtml(html) {
            const names = Object.keys(JSON.parse(fs.readFileSync("package.json", "utf8")).dependencies);
            const notices = names.map((name) => {
                const text = fs.readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim();
                return `${name}\n\n${text}`;
            });
            return html.replace("</html>", () => `</html>\n<!--\nThis page contains:\n\n${notices.join("\n\n")}\n-->`);
        },
    };
}

// One HTML file with everything inlined, so that it works from file:// and without a network.
export default defineConfig({
    base: "./",
    plugins: [licenceNotices(), viteSingleFile({ removeViteModuleLoader: true })],
    build: { target: "es2022", modulePreload: false, chunkSizeWarningLimit: 2000 },
});
