// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Options and experiments as data: help and parser agree.

#include "cli/parts/options.h"

#include <stdio.h>
#include <string.h>

#define OUTPUT_OPTIONS " -o --page --json --quiet "
#define MEASURED_OPTIONS " --from --height-unit "
#define SURFACE_OPTIONS \
    " --kind --points --pitch --rms --hurst --roll-off --shortest --longest --radius --seed "
#define BLOCK_OPTIONS                                                                     \
    " --load --press --alpha --height --gravity --speed --travel --force-rate --step "    \
    "--friction-local --tow --upper-points --settle --surfaces --state --method --reach " \
    "--contact-stiffness --printed --sample --table "
#define SLIDE_OPTIONS                                                                        \
    SURFACE_OPTIONS MEASURED_OPTIONS BLOCK_OPTIONS OUTPUT_OPTIONS                            \
        "--young --upper-young --poisson --block-density --beta --damp-highest --dimension " \
        "--across --hold --film --threads "
#define LEARN_OPTIONS OUTPUT_OPTIONS "--from --model --features --pair --one-way "

const cli_experiment k_cli_experiments[] = {
    {"surface", "make a rough surface or measure one",
     SURFACE_OPTIONS MEASURED_OPTIONS OUTPUT_OPTIONS "--profile "},
    {"contact", "press a rough surface on a half space",
     SURFACE_OPTIONS MEASURED_OPTIONS OUTPUT_OPTIONS
     "--contact-modulus --load --free --tolerance --table --shear "},
    {"slide", "slide rough elastic blocks on each other", SLIDE_OPTIONS},
    {"learn", "learn a coefficient of friction from measured pairs", LEARN_OPTIONS},
    {"rigid", "solve contact problems by the rigid formulations",
     " -o --from --scene --table --json --quiet "},
    {"e1", "table 4.1 of the thesis: sets of parameters, each of many surfaces",
     SURFACE_OPTIONS BLOCK_OPTIONS OUTPUT_OPTIONS "--series --workers "},
    {"e2", "kinetic friction in space, with the thesis' numbers", SLIDE_OPTIONS},
    {"e3", "static friction in space, with the thesis' numbers", SLIDE_OPTIONS},
    {"e4", "the thesis' learned coefficient", LEARN_OPTIONS},
};
const int k_cli_experiment_count = (int)(sizeof k_cli_experiments / sizeof k_cli_experiments[0]);

/// Of an option with several meanings the row that names the command or experiment counts, and the
/// one without names for all others.
const cli_option k_cli_options[] = {
    {"--models", "LIST",
     "default: pressure_field,volumetric,hertz; the first that runs is what others differ from",
     "names of contact models between commas", NULL},
    {"--until", "T", "simulated time at which to stop [s]; default: what the scene says, else 1",
     "a number > 0", NULL},
    {"--dt", "H", "time step [s]; short for --set simulation.time_step=H",
     "a number > 0, at most 1", NULL},
    {"--keyframe", "NAME|INDEX", "start of a MuJoCo file; default: the pose of the file, qpos0",
     "a name of up to 119 characters or an index from 0", NULL},
    {"--set", "PATH=VALUE", "change a value of the scenario, e.g. simulation.method=sap",
     "PATH=VALUE", NULL},
    {"--package", "NAME=DIR", "where package://NAME/ points", "NAME=DIR", NULL},
    {"--record", "FILE", "record to an MCAP file", "a path", NULL},
    {"--frame-rate", "F", "frames kept per simulated second [Hz]; default: 60", "a number > 0",
     " run "},
    {"--frame-rate", "F", "frames per second of the film [Hz]; default: 30", "a number > 0",
     " render "},
    {"--frame-rate", "F",
     "frames shown per second of real time at most [Hz], 1 to 240; default: 60", "a number > 0",
     " live "},
    {"--frame-rate", "F", "frames shown per simulated second at most [Hz]; default: 60",
     "a number > 0", NULL},
    {"--no-faces", NULL, "leave out the faces of contact patches", NULL, NULL},
    {"--exact-energy", NULL, "record exact elastic energies, each as long as patches of a step",
     NULL, NULL},
    {"--json-contacts", NULL, "record contacts as JSON instead of Protocol Buffers", NULL, NULL},
    {"--size-limit", "SIZE", "bytes of the recording; with k, M or G thousands",
     "a number > 0, or one with k, M or G", " run "},
    {"--size-limit", "SIZE", "bytes of the page's frames; with k, M or G thousands",
     "a number > 0, or one with k, M or G", NULL},
    {"--host", "ADDRESS", "IPv4 address to listen on; default: 127.0.0.1, this machine only",
     "an address", NULL},
    {"--port", "N", "to listen on; default: one that is free", "a whole number, 0 to 65535", NULL},
    {"--token", "TOKEN", "what a browser must know; default: made at random",
     "8 to 64 letters, digits, '-' or '_'", NULL},
    {"--restore", "STATE", "start from a saved state", "a path", NULL},
    {"--save", "STATE", "write the final state", "a path", NULL},
    {"--hash", NULL, "print only the hash of the final state", NULL, NULL},
    {"--json", NULL, "print exactly one JSON object on stdout", NULL, NULL},
    {"--quiet", NULL, "print the result and errors only", NULL, " patch inspect prepare "},
    {"--quiet", NULL, "print errors only", NULL, NULL},
    {"--verbose", NULL, "print every message of loading, also of those of one kind", NULL, NULL},
    {"--threads", "N", "worker threads; results do not depend on it", "a whole number, 1 to 256",
     NULL},
    {"--pose", "X,Y,Z[,R,P,Y]", "of B in A's frame [m], [rad]; default: as in the files",
     "three or six finite numbers between commas", NULL},
    {"--vtk", "DIR", "write VTK files (ParaView) into DIR", "a path", NULL},
    {"--deformed", "DIR", "write compliant bodies as contact deforms them into DIR (VTK)", "a path",
     NULL},
    {"--csv", "DIR", "write CSV tables into DIR", "a path", NULL},
    {"-o", "FILE", "the table (CSV)", "a path", " sweep "},
    {"-o", "FILE", "the page (HTML)", "a path", " compare view "},
    {"-o", "FILE",
     "a film: .webm, or .mp4, .gif and others by ffmpeg; a picture: .png; arrays: .npz", "a path",
     " render "},
    {"-o", "FILE", "the mesh (.vtk)", "a path", " prepare "},
    {"-o", "FILE", "the plot (SVG)", "a path", " identify "},
    {"-o", "FILE", "the heights (.csv, .npz)", "a path", " surface "},
    {"-o", "FILE", "the model, for scenes and for later (.json)", "a path", " learn e4 "},
    {"-o", "FILE", "the contact problem (FCLIB, .hdf5)", "a path", " rigid "},
    {"-o", "FILE", "arrays (.npz)", "a path", NULL},
    {"--data", "KIND",
     "indentation, tap, sliding, impacts or presses; default: by the names of the columns",
     "indentation, tap, sliding, impacts or presses", NULL},
    {"--exponent", "P", "of the depth, as known (Hertz: 1.5); default: fitted", "a number >= 1",
     NULL},
    {"--load-per-mass", "G", "normal force over the tapped mass [m/s^2]; default: 9.81",
     "a number > 0", NULL},
    {"--units", "U", "um, mm, cm, m, in or ft: of the file's coordinates; default: m",
     "um, mm, cm, m, in or ft", NULL},
    {"--scale", "F", "further factor on all coordinates", "a number > 0", NULL},
    {"--weld", "D", "merge vertices nearer than this [m]; default: 1e-6 of the size",
     "a number > 0", NULL},
    {"--size", "H", "wanted edge length [m] of a new surface; default: the triangles stay",
     "a number > 0", " prepare "},
    {"--size", "WxH", "of pictures, even numbers of pixels; default: 1280x720",
     "WxH, both even, 16 to 4096", " render "},
    {"--at", "T", "time of a picture [s], within the recording; default: its end", "a number >= 0",
     NULL},
    {"--camera", "X,Y,Z,X,Y,Z", "where it is and what it looks at [m]; default: all is seen",
     "six finite numbers between commas, two places that differ", NULL},
    {"--solid", NULL, "leave out closed parts inside others, which become cavities else", NULL,
     NULL},
    {"--grading", "G", "edges deep inside over those on the skin; default: 1.5", "a number > 0",
     NULL},
    {"--layers", "N", "layers between surfaces of equal extent; default: 1",
     "a whole number, 1 to 64", NULL},
    {"--mesher", "NAME", "gmsh, ftetwild or auto; default: auto", "gmsh, ftetwild or auto", NULL},
    {"--gmsh", "PROGRAM", "where gmsh is; default: on PATH", "a path", NULL},
    {"--python", "PROGRAM", "has pytetwild; default: $ISOBAR_PYTHON, that of the build or python3",
     "a path", NULL},
    {"--time-limit", "T", "of a mesher's run, with auto of both [s]; default: 120", "a number > 0",
     NULL},
    {"--memory-limit", "M", "of each mesher's run [MiB]; default: none", "a number > 0", NULL},
    {"--field", "KIND", "distance, poisson, laplace; default: laplace with core or backing",
     "distance, poisson or laplace", NULL},
    {"--core", "SURFACE", "closed surface of a rigid core inside", "a path", NULL},
    {"--backing", "SURFACE|PLANE",
     "what the body is bonded to: a surface, or X,Y,Z,NX,NY,NZ of a plane in the unit of the file",
     "a path, or X,Y,Z,NX,NY,NZ with a normal that is not 0", NULL},
    {"--density", "D", "density [kg/m^3]; default: 1000", "a number > 0", NULL},
    {"--modulus", "M", "pressure at full extent [Pa]; default: 1e7", "a number > 0", NULL},
    {"--dissipation", "D", "Hunt-Crossley dissipation [s/m]; default: 1", "a number >= 0", NULL},
    {"--friction", "MU", "static and dynamic friction; default: 0.5", "a number >= 0", NULL},
    {"--name", "NAME", "of the model; default: that of the mesh file", "a name", NULL},
    {"--sdf", "FILE", "SDFormat model; default: beside the mesh; 'none' for no file", "a path",
     NULL},
    {"--urdf", "FILE", "URDF; default: beside the mesh; 'none' for no file", "a path", NULL},
    {"--report", "FILE", "page with pictures; default: beside the mesh; 'none' for no file",
     "a path", NULL},
    {"--log", "FILE", "what the meshers said, also when they fail", "a path", NULL},
    {"--kind", "KIND", "white, pink, self-affine, sine or sphere; default: self-affine",
     "white, pink, self-affine, sine or sphere", NULL},
    {"--points", "N", "points along, and across; default: 256", "a whole number, 4 to 8192", NULL},
    {"--profile", NULL, "a line of points instead of a square", NULL, NULL},
    {"--pitch", "D", "between points [m]; default: 1e-6, or that of a measured profile",
     "a number > 0", NULL},
    {"--rms", "H", "rms height [m]; default: in the plane at a speed 0.3 pitches, else 1e-7",
     "a number > 0", " slide "},
    {"--rms", "H", "rms height [m]; default: 1e-7", "a number > 0", NULL},
    {"--hurst", "H", "exponent of a self-affine surface; default: 0.8", "a number > 0, at most 1",
     NULL},
    {"--roll-off", "L", "wave length above which the spectrum is flat [m]; default: the longest",
     "a number > 0", NULL},
    {"--shortest", "L", "wave length [m]; default: two pitches", "a number > 0", NULL},
    {"--longest", "L",
     "wave length [m]; default: in the plane at a speed 16 pitches, else that of the grid",
     "a number > 0", " slide "},
    {"--longest", "L", "wave length [m]; default: that of the grid", "a number > 0", NULL},
    {"--radius", "R", "of a sphere [m]; default: 1", "a number > 0", NULL},
    {"--seed", "N", "same seed, same bits; default: 1", "a whole number, 0 to 2^53", NULL},
    {"--from", "FILE", "rows to learn from (CSV); default: those of the thesis", "a path",
     " learn e4 "},
    {"--from", "FILE", "contact problem (FCLIB)", "a path", " rigid "},
    {"--from", "FILE", "measured surface (CSV profile or map, NPZ, PNG)", "a path", NULL},
    {"--height-unit", "H",
     "metres of 1 in a CSV, of black to white in a PNG; default: as the column is named, else 1",
     "a number > 0", NULL},
    {"--contact-modulus", "E", "E* [Pa], 1/E* = sum of (1 - nu^2)/E; default: 1e9", "a number > 0",
     NULL},
    {"--load", "LOW[:HIGH:N]",
     "mean pressures, in equal ratio [Pa]; default: 1e-3:1e-1:8 of E* times the rms slope",
     "a number > 0, or LOW:HIGH:N with LOW < HIGH and N from 2 to 1000", " contact "},
    {"--load", "P", "mean pressure [Pa]; default: 0.01 of the upper modulus, with gravity none",
     "a number > 0", NULL},
    {"--free", NULL, "nothing beyond the grid, which repeats for ever else", NULL, NULL},
    {"--tolerance", "E", "of the contact's complementarity; default: 1e-8",
     "a number from 1e-14 to 0.1", NULL},
    {"--shear", "A:B",
     "shear stress A + B p [Pa] where there is contact: adds friction to the table",
     "two numbers >= 0 with a colon between", NULL},
    {"--model", "KIND", "svr (support vectors) or gp (Gaussian process); default: svr", "svr or gp",
     NULL},
    {"--features", "KIND", "raw, standard or log; default: standard", "raw, standard or log", NULL},
    {"--pair", "A,B", "say the friction of two materials of the rows", "two names and a comma",
     NULL},
    {"--one-way", NULL, "do not learn each row in both orders", NULL, NULL},
    {"--scene", "NAME", "incline, slide, diagonal, stack, table or rod; default: all",
     "incline, slide, diagonal, stack, table or rod", NULL},
    {"--page", "FILE", "page with plots", "a path", NULL},
    {"--young", "E", "Young's modulus of the blocks [Pa]; default: 1e6", "a number > 0", NULL},
    {"--upper-young", "E", "of the upper block [Pa]; default: that of the lower", "a number > 0",
     NULL},
    {"--poisson", "NU", "Poisson's ratio of the blocks; default: 0.45",
     "a number, in (-1, 0.5) for a material that exists", NULL},
    {"--block-density", "RHO", "of the blocks [kg/m^3]; default: 1000", "a number > 0", NULL},
    {"--alpha", "A", "mass damping of the blocks [1/s]; default: 0", "a number >= 0", NULL},
    {"--beta", "B",
     "stiffness damping of the blocks [s]; default: in the plane at a speed a pitch over it, else "
     "0",
     "a number >= 0", NULL},
    {"--height", "H", "of the blocks [m]; default: 24 pitches", "a number > 0", NULL},
    {"--gravity", "G", "on the blocks [m/s^2]; default: 0", "a number >= 0", NULL},
    {"--speed", "V", "simulated seconds per second of the film; default: 1", "a number > 0",
     " render "},
    {"--speed", "V", "of the drive, or what counts as sliding [m/s]; default: 0.01", "a number > 0",
     NULL},
    {"--travel", "D", "of the drive [m]; default: 24 pitches", "a number > 0", NULL},
    {"--force-rate", "R", "pull by a force that grows so fast [N/(m s)] until the block slides",
     "a number > 0", NULL},
    {"--step", "H", "time step [s]; default: a quarter of a pitch at the speed", "a number > 0",
     NULL},
    {"--friction-local", "MU", "local coefficient of friction; default: 0", "a number >= 0", NULL},
    {"--tow", "K", "stiffness of the drive [N/m^2]; default: the upper modulus", "a number > 0",
     NULL},
    {"--upper-points", "N", "pitches along the upper block; default: a third of the lower's",
     "a whole number, 1 to 65536", NULL},
    {"--settle", "N", "steps in which the load comes on; default: 20", "a whole number, 1 to 65536",
     NULL},
    {"--surfaces", "N", "slide N pairs of surfaces, of this seed and those after it; mean, spread",
     "a whole number, 1 to 65536", NULL},
    {"--state", "FILE", "what is finished, row by row; a run goes on from it", "a path", " e1 "},
    {"--state", "FILE", "kept every 20 steps, rows in FILE.csv; a run goes on from it", "a path",
     NULL},
    {"--dimension", "2|3", "in the plane, or in space; default: 2", "2 or 3", NULL},
    {"--across", "N", "pitches across, in space; default: a third of those along",
     "a whole number, 2 to 65536", NULL},
    {"--reach", "D", "distance below which faces repel [m]; default: a tenth of a pitch",
     "a number > 0", NULL},
    {"--contact-stiffness", "K", "of the barrier [J/m^4], or K of the thesis' contact",
     "a number > 0", NULL},
    {"--press", "F", "force that presses [N/m], in space [N]; instead of --load", "a number > 0",
     NULL},
    {"--sample", "T",
     "explicit: time between samples [s]; default: a quarter of a pitch at the speed",
     "a number > 0", NULL},
    {"--hold", "T",
     "penalty: time in which a controller brings the normal force back [s]; default: none",
     "a number > 0", NULL},
    {"--damp-highest", NULL, "stiffness damping that the two highest modes give, instead of --beta",
     NULL, NULL},
    {"--series", "NAMES",
     "blocks of table 4.1 for e1, between commas, e.g. young,beta-0.5; default: all", "names",
     NULL},
    {"--printed", NULL, "explicit: contact as the thesis prints it, slips of the pen included",
     NULL, NULL},
    {"--film", "FILE", "a page that plays the deforming blocks, stress as colour (HTML)", "a path",
     NULL},
    {"--method", "NAME", "implicit (barrier) or explicit (the thesis' impulses, in space penalty)",
     "implicit or explicit", NULL},
    {"--over", "NAME=VALUES",
     "LOW:HIGH:COUNT, LOW:HIGH:COUNT:log or A,B,C for friction, modulus, dissipation, mass (of "
     "all, or of NAME(BODY)), or for a path of --set",
     "NAME=VALUES, at most 16 times", NULL},
    {"--measure", "Q(NAME)",
     "what is measured, e.g. 'max_slip(spanner)'; docs/sweeps.md lists quantities",
     "QUANTITY(NAME), at most 64 times", NULL},
    {"--workers", "N", "processes at once; default: one per processor, under mpirun one per rank",
     "a whole number, 1 to 1024", NULL},
    {"--table", "FILE", "table of the loads (CSV)", "a path", " contact "},
    {"--table", "FILE", "table of the methods (CSV)", "a path", " rigid "},
    {"--table", "FILE", "table of the sets (CSV)", "a path", " e1 "},
    {"--table", "FILE", "table of the steps (CSV)", "a path", NULL},
};
const int k_cli_option_count = (int)(sizeof k_cli_options / sizeof k_cli_options[0]);

_Static_assert(sizeof k_cli_options / sizeof k_cli_options[0] <= CLI_MOST_OPTIONS, "of their list");

bool cli_has_word(const char* words, const char* word) {
    char needle[64];
    int length = snprintf(needle, sizeof needle, " %s ", word);
    return length < (int)sizeof needle && strstr(words, needle) != NULL;
}

const char* cli_given(const cli_options* options, const char* name) {
    const char* value = NULL;
    for (int i = 0; i < k_cli_option_count; ++i) {
        bool is_it = options->given[i] != NULL && strcmp(k_cli_options[i].name, name) == 0;
        value = is_it ? options->given[i] : value;
    }
    return value;
}

static int find_experiment(const char* name) {
    int found = -1;
    for (int i = 0; i < k_cli_experiment_count && name != NULL; ++i) {
        found = strcmp(k_cli_experiments[i].name, name) == 0 ? i : found;
    }
    return found;
}

int cli_find_experiment(const cli_command* command, const char* name) {
    return command->inputs == CLI_EXPERIMENT ? find_experiment(name) : -1;
}

bool cli_require_experiment(const char* name) {
    if (find_experiment(name) >= 0) {
        return true;
    }
    const char* names[CLI_MOST_EXPERIMENTS];
    int count = 0;
    cli_error("unknown experiment '%s', expected ", name);
    for (; count < k_cli_experiment_count && count < CLI_MOST_EXPERIMENTS; ++count) {
        names[count] = k_cli_experiments[count].name;
        const char* before = count == 0 ? "" : count == k_cli_experiment_count - 1 ? " or " : ", ";
        fprintf(stderr, "%s%s", before, names[count]);
    }
    int nearest = iso_name_nearest(name, names, count);
    fprintf(stderr, nearest >= 0 ? "; did you mean '%s'?\n" : "\n",
            nearest >= 0 ? names[nearest] : "");
    return false;
}

static bool accepts(const cli_command* command, int experiment, const char* name) {
    bool is_accepted = cli_has_word(command->options, name);
    for (int i = 0; i < k_cli_experiment_count && command->inputs == CLI_EXPERIMENT; ++i) {
        bool is_meant = experiment < 0 || experiment == i;
        is_accepted = is_accepted || (is_meant && cli_has_word(k_cli_experiments[i].options, name));
    }
    return is_accepted;
}

const cli_option* cli_find_option(const cli_command* command, const char* experiment,
                                  const char* name) {
    int e = cli_find_experiment(command, experiment);
    const char* topic = e >= 0 ? experiment : command->name;
    for (int i = 0; i < k_cli_option_count && accepts(command, e, name); ++i) {
        const cli_option* o = &k_cli_options[i];
        if (strcmp(o->name, name) == 0 && (o->of == NULL || cli_has_word(o->of, topic))) {
            return o;
        }
    }
    return NULL;
}

int cli_option_names(const cli_command* command, const char* experiment,
                     const char* names[CLI_MOST_OPTIONS]) {
    int count = 0, e = cli_find_experiment(command, experiment);
    for (int i = 0; i < k_cli_option_count && count < CLI_MOST_OPTIONS; ++i) {
        if (accepts(command, e, k_cli_options[i].name)) {
            names[count++] = k_cli_options[i].name;
        }
    }
    return count;
}
