// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

// One HTML file with everything inlined, so that it works from file:// and without a network.
export default defineConfig({
    base: "./",
    plugins: [viteSingleFile({ removeViteModuleLoader: true })],
    build: { target: "es2022", modulePreload: false, chunkSizeWarningLimit: 2000 },
});
