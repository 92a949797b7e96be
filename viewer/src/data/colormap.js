// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Perceptual colour maps as 32 samples each, sRGB, interpolated linearly in between.

const TABLES = {
    viridis:
        "440154470d6048186a482374472e7c4538824241863e4a893a548c365d8d32658e2e6d8e2b758e287d8e25848e228c8d" +
        "1f948c1e9c8920a38625ab822eb37c3aba7648c16e58c7656ccd5a7fd34e93d741a8db34c0df25d5e21aeae51afde725",
    turbo:
        "30123b392a734040a24456c7476ee64682f84196ff35abf825c0e71ad2d218e0bd22ebaa3cf58e59fb7379fe5996fe44" +
        "affa37c3f134d7e535e7d739f5c53afcb336fe9e2ffc8725f66c19ed5510e2430ad43305c12302ac1701950d017a0403",
};

/** 256 RGBA bytes of a map, lowest value first. */
export function colorTable(name) {
    const text = TABLES[name];
    const sample = (index, channel) => parseInt(text.substr(index * 6 + channel * 2, 2), 16);
    const last = text.length / 6 - 1;
    const bytes = new Uint8Array(256 * 4);
    for (let i = 0; i < 256; ++i) {
        const at = (i / 255) * last;
        const low = Math.min(Math.floor(at), last - 1);
        for (let channel = 0; channel < 3; ++channel) {
            const value = sample(low, channel) + (at - low) * (sample(low + 1, channel) - sample(low, channel));
            bytes[i * 4 + channel] = Math.round(value);
        }
        bytes[i * 4 + 3] = 255;
    }
    return bytes;
}

// Distinct colours for pairs, readable on light and dark.
const CATEGORIES = [
    "#e8853d", "#3f9be0", "#43b581", "#d9577a", "#a17fe0",
    "#c9a227", "#2fb6b6", "#b56b45", "#8fa63a", "#8795a8",
];

export function categoryColor(index) {
    return CATEGORIES[index % CATEGORIES.length];
}
