// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "isobar/learned.h"

// [Datta2018] table 4.3: clean, dry pairs of web tables; roughness unknown.
#define STEEL \
    { "Steel", 200e9, 0.25, 8000.0 }
#define COPPER \
    { "Copper", 133e9, 0.35, 8940.0 }
#define ALUMINUM \
    { "Aluminum", 69e9, 0.33, 2700.0 }
#define BRASS \
    { "Brass", 115e9, 0.34, 8730.0 }
#define CASTIRON \
    { "CastIron", 170e9, 0.26, 7200.0 }
#define CADMIUM \
    { "Cadmium", 64e9, 0.31, 8650.0 }
#define CHROMIUM \
    { "Chromium", 248e9, 0.31, 7190.0 }
#define GLASS \
    { "Glass", 60e9, 0.25, 2400.0 }
#define NICKEL \
    { "Nickel", 170e9, 0.31, 8900.0 }
#define GRAPHITE \
    { "Graphite", 20e9, 0.2, 2050.0 }
#define NYLON \
    { "Nylon", 4e9, 0.39, 1130.0 }
#define PLEXIGLASS \
    { "Plexiglass", 3.3e9, 0.37, 1190.0 }
#define POLYSTYRENE \
    { "Polystyrene", 2.5e9, 0.4, 1040.0 }
#define RUBBER \
    { "Rubber", 10e6, 0.47, 2300.0 }
#define ASPHALT \
    { "Asphalt", 3e9, 0.35, 2500.0 }
#define CONCRETE \
    { "Concrete", 17e9, 0.17, 2400.0 }
#define TEFLON \
    { "Teflon", 500e6, 0.47, 2200.0 }
#define WOOD \
    { "Wood", 10e9, 0.35, 750.0 }
#define ZINC \
    { "Zinc", 82.7e9, 0.25, 7120.0 }

static const iso_learned_row k_rows[] = {
    {STEEL, STEEL, 0.78},
    {COPPER, COPPER, 1.21},
    {ALUMINUM, ALUMINUM, 1.1},
    {ALUMINUM, STEEL, 0.61},
    {BRASS, CASTIRON, 0.4},
    {CADMIUM, CADMIUM, 0.5},
    {CADMIUM, STEEL, 0.6},
    {CASTIRON, CASTIRON, 1.1},
    {CHROMIUM, CHROMIUM, 0.41},
    {COPPER, CASTIRON, 1.05},
    {COPPER, COPPER, 1.0},
    {COPPER, STEEL, 0.53},
    {GLASS, GLASS, 0.95},
    {GLASS, STEEL, 0.6},
    {GLASS, NICKEL, 0.78},
    {GRAPHITE, GRAPHITE, 0.1},
    {GRAPHITE, STEEL, 0.1},
    {NICKEL, NICKEL, 0.8},
    {NICKEL, STEEL, 0.7},
    {NYLON, NYLON, 0.2},
    {PLEXIGLASS, PLEXIGLASS, 0.8},
    {PLEXIGLASS, STEEL, 0.45},
    {POLYSTYRENE, POLYSTYRENE, 0.5},
    {POLYSTYRENE, STEEL, 0.3},
    {RUBBER, ASPHALT, 0.6},
    {RUBBER, CONCRETE, 0.9},
    {BRASS, STEEL, 0.35},
    {STEEL, CASTIRON, 0.4},
    {TEFLON, STEEL, 0.04},
    {TEFLON, TEFLON, 0.04},
    {WOOD, WOOD, 0.3},
    {WOOD, COPPER, 0.4},
    {WOOD, STEEL, 0.45},
    {WOOD, CONCRETE, 0.62},
    {ZINC, ZINC, 0.6},
    {ZINC, CASTIRON, 0.85},
};

const iso_learned_row* iso_learned_table(int* out_count) {
    *out_count = (int)(sizeof k_rows / sizeof k_rows[0]);
    return k_rows;
}
