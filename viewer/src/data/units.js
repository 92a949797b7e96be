// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Numbers for people: SI prefixes, few digits, units always shown.

const PREFIXES = [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
    [1, ""],
    [1e-3, "m"],
    [1e-6, "µ"],
    [1e-9, "n"],
];

// Smaller quantities in SI units are rounding.
const NOISE = 1e-12;

/** {scale, unit} so that value / scale reads well, e.g. 12300 Pa -> {1000, "kPa"}. */
export function unitFor(value, unit) {
    const size = Math.abs(value);
    if (!(size >= NOISE) || !Number.isFinite(size)) {
        return { scale: 1, unit };
    }
    const [scale, prefix] = PREFIXES.find(([factor]) => size >= factor * 0.9995) ?? PREFIXES.at(-1);
    return { scale, unit: prefix + unit };
}

/** Pressure of a face for people: below 0 the field goes on outside the skin, where nothing presses. */
export function pressure(value) {
    return value < 0 ? "no pressure (margin)" : quantity(value, "Pa");
}

/** {scale, unit} for an area in square metres. */
export function areaUnitFor(value) {
    const size = Math.abs(value);
    if (size >= 0.1 || size === 0) {
        return { scale: 1, unit: "m²" };
    }
    return size >= 1e-4 ? { scale: 1e-4, unit: "cm²" } : { scale: 1e-6, unit: "mm²" };
}

export function digits(value, count = 4) {
    if (value === 0) {
        return "0";
    }
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-4) {
        return value.toExponential(count - 1).replace("e+", "e");
    }
    return String(Number(value.toPrecision(count)));
}

export function quantity(value, unit, count = 4) {
    const chosen = unitFor(value, unit);
    return `${digits(Math.abs(value) < NOISE ? 0 : value / chosen.scale, count)} ${chosen.unit}`;
}

export function area(value, count = 4) {
    const chosen = areaUnitFor(value);
    return `${digits(value / chosen.scale, count)} ${chosen.unit}`;
}

export function length(value) {
    if (value >= 1 || value === 0) {
        return `${digits(value)} m`;
    }
    return value >= 0.01 ? `${digits(value * 100)} cm` : `${digits(value * 1000)} mm`;
}

/** Three components in one common unit: "(1.2, 0, -3) N". */
export function vector(v, unit) {
    const chosen = unitFor(Math.max(...v.map(Math.abs)), unit);
    return `(${cleaned(v.map((x) => x / chosen.scale)).map((x) => digits(x)).join(", ")}) ${chosen.unit}`;
}

// Round-off beside a large component would only distract: four digits of the largest.
function cleaned(v) {
    const largest = Math.max(...v.map(Math.abs));
    return v.map((x) => (Math.abs(x) < largest * 5e-5 || largest < NOISE ? 0 : x));
}

/** The largest of 1, 2, 5 times a power of ten that is not above value. */
export function niceBelow(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    const ratio = value / power;
    return power * (ratio >= 5 ? 5 : ratio >= 2 ? 2 : 1);
}

/** "largest_slip" -> "Largest slip" */
export function phrase(name) {
    const text = name.replaceAll("_", " ");
    return text === "imu" ? "IMU" : text.charAt(0).toUpperCase() + text.slice(1);
}

/** {scale, unit} for a value in a unit as Isobar names it: "N m", "m/s^2", "m^2", "" for none. */
export function unitOf(value, unit) {
    if (unit === "") {
        return { scale: 1, unit };
    }
    return unit === "m^2" ? areaUnitFor(value) : unitFor(value, unit.replace("^2", "²"));
}

/** One number or a vector with such a unit. */
export function reading(values, unit, count = 4) {
    if (values.length > 1 && unit !== "") {
        return vector(values, unit.replace("^2", "²"));
    }
    const chosen = unitOf(Math.max(...values.map(Math.abs)), unit);
    const texts = cleaned(values.map((value) => value / chosen.scale)).map((value) => digits(value, count));
    const list = texts.length > 1 ? `(${texts.join(", ")})` : texts[0];
    return chosen.unit ? `${list} ${chosen.unit}` : list;
}
