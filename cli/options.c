// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENE_OPTIONS " --dt --keyframe --set --package --threads --quiet --verbose "

const cli_command k_cli_commands[] = {
    {"run",
     "run SCENE [--until T] [--dt H] [--keyframe K] [--set path=value]... [--package NAME=DIR]... "
     "[--record F.mcap [--frame-rate F] [--no-faces] [--json-contacts] [--exact-energy] "
     "[--size-limit SIZE]] [--restore STATE] "
     "[--save STATE] [--json | --hash] [--quiet] "
     "[--verbose] "
     "[--threads N]",
     "step a scene and report bodies, contacts and energy",
     SCENE_OPTIONS "--until --record --frame-rate --no-faces --json-contacts --exact-energy "
                   "--size-limit --restore --save "
                   "--json --hash ",
     cli_run},
    {"sweep",
     "sweep SCENE --over NAME=VALUES... --measure 'QUANTITY(NAME)'... -o TABLE.csv [--page F.html] "
     "[--until T] [--workers N] [--set path=value]... [--package NAME=DIR]... [--dt H] "
     "[--keyframe K] [--json] [--quiet] [--verbose]",
     "run a scene for all combinations of values, on all cores",
     " --dt --keyframe --set --package --quiet --verbose --until --over --measure --workers --page "
     "-o --json ",
     cli_sweep},
    {"compare",
     "compare SCENE [--models LIST] [--until T] [-o PAGE.html [--frame-rate F] [--no-faces] "
     "[--size-limit SIZE]] [--dt H] [--keyframe K] [--set path=value]... [--package NAME=DIR]... "
     "[--threads N] [--json] [--quiet] [--verbose]",
     "run a scene with several contact models, side by side",
     SCENE_OPTIONS "--models --until -o --frame-rate --no-faces --size-limit --json ", cli_compare},
    {"patch",
     "patch SCENE [--json] [--vtk DIR] [--deformed DIR] [--dt H] [--keyframe K] "
     "[--set path=value]... [--package NAME=DIR]... [--threads N] [--quiet] [--verbose]",
     "compute the contact patches of a scene's initial state",
     SCENE_OPTIONS "--json --vtk --deformed ", cli_patch},
    {"live",
     "live SCENE [--host ADDRESS] [--port N] [--token TOKEN] [--frame-rate F] [--dt H] "
     "[--keyframe K] [--set path=value]... [--package NAME=DIR]... [--threads N] [--quiet] "
     "[--verbose]",
     "step a scene in real time and show it in browsers",
     SCENE_OPTIONS "--host --port --token --frame-rate ", cli_live},
    {"replay", "replay REC.mcap [--json] [--quiet]",
     "run a recorded scene again and name the first step that differs", " --json --quiet ",
     cli_replay},
    {"view",
     "view REC.mcap -o PAGE.html [--frame-rate F] [--no-faces] [--size-limit SIZE] [--quiet]",
     "make a self-contained web page of a recording",
     " -o --frame-rate --no-faces --size-limit --quiet ", cli_view},
    {"export", "export REC.mcap --csv DIR | --vtk DIR [--quiet]",
     "write a recording as CSV tables or VTK files", " --csv --vtk --quiet ", cli_export},
    {"render",
     "render REC.mcap -o FILE.webm|.mp4|.png|.npz [--size WxH] [--frame-rate F] [--speed V] [--at "
     "T] "
     "[--camera X,Y,Z,X,Y,Z] [--quiet]",
     "make a film, a picture, or arrays for learning of a recording",
     " -o --size --frame-rate --speed --at --camera --quiet ", cli_render_command},
    {"prepare",
     "prepare SURFACE -o MESH [--units U] [--scale F] [--size H] [--core CORE] [--backing "
     "SURFACE|PLANE] [--field KIND] "
     "[--mesher NAME] [OPTION]... [--json] [--quiet]",
     "make a checked compliant mesh, a model and a report from a surface", CLI_PREPARE_OPTIONS,
     cli_prepare},
    {"lab",
     "lab surface|contact|slide|learn|rigid|e1|e2|e3|e4 [--kind KIND | --from FILE] [--points N] "
     "[--profile] "
     "[OPTION]... [--json] [--quiet]",
     "friction laboratory: rough surfaces, how they touch and slide, a learned coefficient, rigid "
     "formulations, the thesis' experiments",
     CLI_LAB_OPTIONS, cli_lab},
    {"inspect",
     "inspect FILE [--json] [--keyframe K] [--package NAME=DIR]... [--set path=value]... "
     "[--quiet] [--verbose]",
     "explain a scene, robot or mesh file", " --json --keyframe --package --set --quiet --verbose ",
     cli_inspect},
    {"volume", "volume A B [--pose X,Y,Z[,ROLL,PITCH,YAW]] [--json] [--quiet]",
     "measure what two closed meshes have in common", " --pose --json --quiet ", cli_volume},
    {"identify",
     "identify TABLE.csv [--data KIND] [--exponent P] [--load-per-mass G] [-o PLOT.svg] [--json] "
     "[--quiet]",
     "fit contact parameters to measurements",
     " --data --exponent --load-per-mass -o --json --quiet ", cli_identify},
    {"version", "version [--json]", "print the version and what was compiled in", " --json ",
     cli_version},
};
const int k_cli_command_count = (int)(sizeof k_cli_commands / sizeof k_cli_commands[0]);

/// Every option with the help line, whether a value follows and what it is expected to be.
typedef struct option_help {
    const char* name;
    const char* value;
    const char* text;
    const char* expected;
} option_help;

static const option_help k_options[] = {
    {"--models", "LIST",
     "default: pressure_field,volumetric,hertz; the first is what others differ "
     "from",
     "names of contact models between commas"},
    {"--until", "T", "simulated time at which to stop [s]; default: what the scene says, else 1",
     "a number > 0"},
    {"--dt", "H", "time step [s]; short for --set simulation.time_step=H",
     "a number > 0, at most 1"},
    {"--keyframe", "NAME|INDEX", "start of a MuJoCo file; default: the pose of the file, qpos0",
     "a name of up to 119 characters or an index from 0"},
    {"--set", "PATH=VALUE", "change a value of the scenario, e.g. simulation.method=sap",
     "PATH=VALUE"},
    {"--package", "NAME=DIR", "where package://NAME/ points", "NAME=DIR"},
    {"--record", "FILE", "record to an MCAP file", "a path"},
    {"--frame-rate", "F", "frames kept per simulated, shown per real second [Hz]; default: 60",
     "a number > 0"},
    {"--no-faces", NULL, "leave out the faces of contact patches", NULL},
    {"--exact-energy", NULL, "record exact elastic energies, each as long as patches of a step",
     NULL},
    {"--json-contacts", NULL, "record contacts as JSON instead of Protocol Buffers", NULL},
    {"--size-limit", "SIZE",
     "bytes of the recording, of the frames of a page; with k, M or G thousands",
     "a number > 0, or one with k, M or G"},
    {"--host", "ADDRESS", "IPv4 address to listen on; default: 127.0.0.1, this machine only",
     "an address"},
    {"--port", "N", "to listen on; default: one that is free", "a whole number, 0 to 65535"},
    {"--token", "TOKEN", "what a browser must know; default: made at random",
     "8 to 64 letters, digits, '-' or '_'"},
    {"--restore", "STATE", "start from a saved state", "a path"},
    {"--save", "STATE", "write the final state", "a path"},
    {"--hash", NULL, "print only the hash of the final state", NULL},
    {"--json", NULL, "print exactly one JSON object on stdout", NULL},
    {"--quiet", NULL, "print errors only", NULL},
    {"--verbose", NULL, "print every message of loading, also of those of one kind", NULL},
    {"--threads", "N", "worker threads; results do not depend on it", "a whole number, 1 to 256"},
    {"--pose", "X,Y,Z[,R,P,Y]", "of B in A's frame [m], [rad]; default: as in the files",
     "three or six finite numbers between commas"},
    {"--vtk", "DIR", "write VTK files (ParaView) into DIR", "a path"},
    {"--deformed", "DIR", "write compliant bodies as contact deforms them into DIR (VTK)",
     "a path"},
    {"--csv", "DIR", "write CSV tables into DIR", "a path"},
    {"-o", "FILE", "output file", "a path"},
    {"--data", "KIND", "indentation, tap, sliding or impacts; default: by the names of the columns",
     "indentation, tap, sliding or impacts"},
    {"--exponent", "P", "of the depth, as known (Hertz: 1.5); default: fitted", "a number >= 1"},
    {"--load-per-mass", "G", "normal force over the tapped mass [m/s^2]; default: 9.81",
     "a number > 0"},
    {"--units", "U", "um, mm, cm, m, in or ft: of the file's coordinates; default: m",
     "um, mm, cm, m, in or ft"},
    {"--scale", "F", "further factor on all coordinates", "a number > 0"},
    {"--weld", "D", "merge vertices nearer than this [m]; default: 1e-6 of the size",
     "a number > 0"},
    {"--size", "H|WxH",
     "wanted edge length [m] (a new surface; default: the triangles stay); of pictures, even "
     "numbers of pixels; default: 1280x720",
     "a number > 0; of pictures WxH, both even, 16 to 4096"},
    {"--at", "T", "time of a picture [s]; default: the end", "a number >= 0"},
    {"--camera", "X,Y,Z,X,Y,Z", "where it is and what it looks at [m]; default: all is seen",
     "six finite numbers between commas"},
    {"--solid", NULL, "leave out closed parts inside others, which become cavities else", NULL},
    {"--grading", "G", "edges deep inside over those on the skin; default: 1.5", "a number > 0"},
    {"--layers", "N", "layers between surfaces of equal extent; default: 1",
     "a whole number, 1 to 64"},
    {"--mesher", "NAME", "gmsh, ftetwild or auto; default: auto", "gmsh, ftetwild or auto"},
    {"--gmsh", "PROGRAM", "where gmsh is; default: on PATH", "a path"},
    {"--python", "PROGRAM", "has pytetwild; default: $ISOBAR_PYTHON, that of the build or python3",
     "a path"},
    {"--time-limit", "T", "of a mesher's run, with auto of both [s]; default: 120", "a number > 0"},
    {"--memory-limit", "M", "of each mesher's run [MiB]; default: none", "a number > 0"},
    {"--field", "KIND", "distance, poisson, laplace; default: laplace with core or backing",
     "distance, poisson or laplace"},
    {"--core", "SURFACE", "closed surface of a rigid core inside", "a path"},
    {"--backing", "SURFACE|PLANE",
     "what the body is bonded to: a surface, or X,Y,Z,NX,NY,NZ of a plane in the unit of the file",
     "a path, or point and normal"},
    {"--density", "D", "density [kg/m^3]; default: 1000", "a number > 0"},
    {"--modulus", "M", "pressure at full extent [Pa]; default: 1e7", "a number > 0"},
    {"--dissipation", "D", "Hunt-Crossley dissipation [s/m]; default: 1", "a number >= 0"},
    {"--friction", "MU", "static and dynamic friction; default: 0.5", "a number >= 0"},
    {"--name", "NAME", "of the model; default: that of the mesh file", "a name"},
    {"--sdf", "FILE", "SDFormat model; default: beside the mesh; 'none' for no file", "a path"},
    {"--urdf", "FILE", "URDF; default: beside the mesh; 'none' for no file", "a path"},
    {"--report", "FILE", "page with pictures; default: beside the mesh; 'none' for no file",
     "a path"},
    {"--log", "FILE", "what the meshers said, also when they fail", "a path"},
    {"--kind", "KIND", "white, pink, self-affine, sine or sphere; default: self-affine",
     "white, pink, self-affine, sine or sphere"},
    {"--points", "N", "points along, and across; default: 256", "a whole number, 4 to 8192"},
    {"--profile", NULL, "a line of points instead of a square", NULL},
    {"--pitch", "D", "between points [m]; default: 1e-6, or that of a measured profile",
     "a number > 0"},
    {"--rms", "H", "rms height [m]; default: 1e-7", "a number > 0"},
    {"--hurst", "H", "exponent of a self-affine surface; default: 0.8", "a number > 0, at most 1"},
    {"--roll-off", "L", "wave length above which the spectrum is flat [m]; default: the longest",
     "a number > 0"},
    {"--shortest", "L", "wave length [m]; default: two pitches", "a number > 0"},
    {"--longest", "L", "wave length [m]; default: that of the grid", "a number > 0"},
    {"--radius", "R", "of a sphere [m]; default: 1", "a number > 0"},
    {"--seed", "N", "same seed, same bits; default: 1", "a whole number, 0 to 2^53"},
    {"--from", "FILE",
     "measured surface (CSV profile or map, PNG); rows to learn from (CSV); contact problem "
     "(FCLIB)",
     "a path"},
    {"--height-unit", "H", "metres of 1 in a CSV, of black to white in a PNG; default: 1",
     "a number > 0"},
    {"--contact-modulus", "E", "E* [Pa], 1/E* = sum of (1 - nu^2)/E; default: 1e9", "a number > 0"},
    {"--load", "LOW[:HIGH:N]",
     "mean pressures, in equal ratio [Pa]; default: 1e-3:1e-1:8 of E* "
     "times the rms slope",
     "a number > 0, or LOW:HIGH:N with LOW < HIGH and N from 2 to 1000"},
    {"--free", NULL, "nothing beyond the grid, which repeats for ever else", NULL},
    {"--tolerance", "E", "of the contact's complementarity; default: 1e-8",
     "a number from 1e-14 to 0.1"},
    {"--shear", "A:B",
     "shear stress A + B p [Pa] where there is contact: adds friction to the table",
     "two numbers >= 0 with a colon between"},
    {"--model", "KIND", "svr (support vectors) or gp (Gaussian process); default: svr",
     "svr or gp"},
    {"--features", "KIND", "raw, standard or log; default: standard", "raw, standard or log"},
    {"--pair", "A,B", "say the friction of two materials of the rows", "two names and a comma"},
    {"--one-way", NULL, "do not learn each row in both orders", NULL},
    {"--scene", "NAME", "incline, slide, diagonal, stack, table or rod; default: all",
     "incline, slide, diagonal, stack, table or rod"},
    {"--page", "FILE", "page with plots", "a path"},
    {"--young", "E", "Young's modulus of the blocks [Pa]; default: 1e6", "a number > 0"},
    {"--upper-young", "E", "of the upper block [Pa]; default: that of the lower", "a number > 0"},
    {"--poisson", "NU", "Poisson's ratio of the blocks; default: 0.45",
     "a number, in (-1, 0.5) for a material that exists"},
    {"--block-density", "RHO", "of the blocks [kg/m^3]; default: 1000", "a number > 0"},
    {"--alpha", "A", "mass damping of the blocks [1/s]; default: 0", "a number >= 0"},
    {"--beta", "B", "stiffness damping of the blocks [s]; default: 0", "a number >= 0"},
    {"--height", "H", "of the blocks [m]; default: 24 pitches", "a number > 0"},
    {"--gravity", "G", "on the blocks [m/s^2]; default: 0", "a number >= 0"},
    {"--speed", "V",
     "of the drive, or what counts as sliding [m/s]; default: 0.01; of a film, simulated seconds "
     "per second; default: 1",
     "a number > 0"},
    {"--travel", "D", "of the drive [m]; default: 24 pitches", "a number > 0"},
    {"--force-rate", "R", "pull by a force that grows so fast [N/(m s)] until the block slides",
     "a number > 0"},
    {"--step", "H", "time step [s]; default: a quarter of a pitch at the speed", "a number > 0"},
    {"--friction-local", "MU", "local coefficient of friction; default: 0", "a number >= 0"},
    {"--tow", "K", "stiffness of the drive [N/m^2]; default: the upper modulus", "a number > 0"},
    {"--upper-points", "N", "pitches along the upper block; default: a third of the lower's",
     "a whole number, 1 to 65536"},
    {"--settle", "N", "steps in which the load comes on; default: 20",
     "a whole number, 1 to 65536"},
    {"--surfaces", "N", "slide N pairs of surfaces, of this seed and those after it; mean, spread",
     "a whole number, 1 to 65536"},
    {"--state", "FILE", "kept every 20 steps, rows in FILE.csv; a run goes on from it", "a path"},
    {"--dimension", "2|3", "in the plane, or in space; default: 2", "2 or 3"},
    {"--across", "N", "pitches across, in space; default: a third of those along",
     "a whole number, 2 to 65536"},
    {"--reach", "D", "distance below which faces repel [m]; default: a tenth of a pitch",
     "a number > 0"},
    {"--contact-stiffness", "K", "of the barrier [J/m^4], or K of the thesis' contact",
     "a number > 0"},
    {"--press", "F", "force that presses [N/m], in space [N]; instead of --load", "a number > 0"},
    {"--sample", "T",
     "explicit: time between samples [s]; default: a quarter of a pitch at the speed",
     "a number > 0"},
    {"--hold", "T",
     "penalty: time in which a controller brings the normal force back [s]; default: none",
     "a number > 0"},
    {"--damp-highest", NULL, "stiffness damping that the two highest modes give, instead of --beta",
     NULL},
    {"--series", "NAMES",
     "blocks of table 4.1 for e1, between commas, e.g. young,beta-0.5; default: all", "names"},
    {"--printed", NULL, "explicit: contact as the thesis prints it, slips of the pen included",
     NULL},
    {"--film", "FILE", "a page that plays the deforming blocks, stress as colour (HTML)", "a path"},
    {"--method", "NAME", "implicit (barrier) or explicit (the thesis' impulses, in space penalty)",
     "implicit or explicit"},
    {"--over", "NAME=VALUES",
     "LOW:HIGH:COUNT, LOW:HIGH:COUNT:log or A,B,C for friction, modulus, dissipation, mass (of "
     "all, "
     "or of NAME(BODY)), or for a path of --set",
     "NAME=VALUES, at most 16 times"},
    {"--measure", "Q(NAME)",
     "what is measured, e.g. 'max_slip(spanner)'; docs/sweeps.md lists quantities",
     "QUANTITY(NAME), at most 64 times"},
    {"--workers", "N", "processes at once; default: one per processor, under mpirun one per rank",
     "a whole number, 1 to 1024"},
    {"--table", "FILE", "table of the loads, or of the steps (CSV)", "a path"},
};
enum { k_option_count = (int)(sizeof k_options / sizeof k_options[0]) };

static bool accepts(const cli_command* command, const char* name) {
    char needle[32];
    snprintf(needle, sizeof needle, " %s ", name);
    return strstr(command->options, needle) != NULL;
}

void cli_print_help(FILE* file) {
    fprintf(file, "isobar %s: contact patches for robots\n\nusage: isobar COMMAND ...\n\n",
            iso_version());
    for (int i = 0; i < k_cli_command_count; ++i) {
        fprintf(file, "  %-8s %s\n", k_cli_commands[i].name, k_cli_commands[i].summary);
    }
    fprintf(file, "\n'isobar COMMAND --help' explains a command. A SCENE is a scenario (.yaml), an "
                  "SDFormat\n(.sdf, .world), a URDF (.urdf) or a MuJoCo (.mjcf, .xml) "
                  "file.\n\nexit codes: 0 done, 2 wrong "
                  "usage, 3 bad input, 4 numerical failure\n");
}

void cli_print_command_help(FILE* file, const cli_command* command) {
    fprintf(file, "usage: isobar %s\n\n%s\n\n", command->usage, command->summary);
    for (int i = 0; i < k_option_count; ++i) {
        if (accepts(command, k_options[i].name)) {
            char left[48];
            snprintf(left, sizeof left, "%s %s", k_options[i].name,
                     k_options[i].value != NULL ? k_options[i].value : "");
            fprintf(file, "  %-20s %s\n", left, k_options[i].text);
        }
    }
}

static cli_exit usage_error(const cli_command* command, const char* message, const char* what) {
    fprintf(stderr, "isobar: error: %s '%s' (usage: isobar %s)\n", message, what, command->usage);
    return CLI_USAGE;
}

bool cli_parse_not_negative(const char* text, double* out_value) {
    char* end = NULL;
    errno = 0;
    *out_value = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0' && isfinite(*out_value) && *out_value >= 0.0;
}

bool cli_parse_positive(const char* text, double* out_value) {
    return cli_parse_not_negative(text, out_value) && *out_value > 0.0;
}

static bool add_setting(cli_options* options, const char* setting) {
    if (options->setting_count == k_cli_list_size) {
        return false;
    }
    options->settings[options->setting_count++] = setting;
    return true;
}

/// "prefix" + value as a setting, stored in options->text.
static bool add_derived_setting(cli_options* options, const char* prefix, const char* value) {
    char* text = options->text + options->text_used;
    size_t room = sizeof options->text - options->text_used;
    int length = snprintf(text, room, "%s%s", prefix, value);
    if (length < 0 || (size_t)length >= room) {
        return false;
    }
    options->text_used += (size_t)length + 1;
    return add_setting(options, text);
}

/// Quoted, as any text may be the name of a keyframe.
static bool add_keyframe(cli_options* options, const char* value) {
    char quoted[256] = "'";
    size_t used = 1;
    for (const char* c = value; *c != '\0' && used < sizeof quoted - 3; ++c) {
        quoted[used++] = *c;
        if (*c == '\'') {
            quoted[used++] = '\'';
        }
    }
    quoted[used] = '\'';
    quoted[used + 1] = '\0';
    return strlen(value) < 120 && add_derived_setting(options, "simulation.keyframe=", quoted);
}

static bool add_package(cli_options* options, const char* value) {
    const char* equal = strchr(value, '=');
    size_t room = sizeof options->text - options->text_used;
    if (equal == NULL || equal == value || equal[1] == '\0' ||
        options->package_count == k_cli_list_size || (size_t)(equal - value) >= room) {
        return false;
    }
    char* name = options->text + options->text_used;
    memcpy(name, value, (size_t)(equal - value));
    name[equal - value] = '\0';
    options->text_used += (size_t)(equal - value) + 1;
    options->packages[options->package_count++] = (iso_package){name, equal + 1};
    return true;
}

/// Bytes, or thousands, millions, thousand millions of them.
static bool parse_size(const char* text, double* out_size) {
    static const char units[] = "kMG";
    size_t length = strlen(text);
    const char* unit = length > 1 ? strchr(units, text[length - 1]) : NULL;
    char number[64];
    if (length >= sizeof number) {
        return false;
    }
    (void)snprintf(number, sizeof number, "%.*s", (int)(length - (unit ? 1 : 0)), text);
    bool is_size = cli_parse_positive(number, out_size);
    for (const char* u = units; unit && u <= unit; ++u) {
        *out_size *= 1000.0;
    }
    return is_size && *out_size < 9e15;
}

/// How many frames are kept or shown.
static bool take_frames(cli_options* options, const char* name, const char* value) {
    if (strcmp(name, "--frame-rate") == 0) {
        return cli_parse_positive(value, &options->frame_rate);
    }
    return strcmp(name, "--size-limit") == 0 && parse_size(value, &options->size_limit);
}

/// Take one option with its value; false when the value is unusable.
static bool take_value(cli_options* options, const char* name, const char* value) {
    double number = 0.0;
    if (options->render.is_meant && strstr(" --size --at --speed --camera ", name) != NULL) {
        return cli_render_take(options, name, value);
    }
    if (strcmp(name, "--until") == 0) {
        return cli_parse_positive(value, &options->until);
    }
    if (strcmp(name, "--dt") == 0) {
        return cli_parse_positive(value, &number) && number <= 1.0 &&
               add_derived_setting(options, "simulation.time_step=", value);
    }
    if (strcmp(name, "--keyframe") == 0) {
        return value[0] != '\0' && add_keyframe(options, value);
    }
    if (strcmp(name, "--threads") == 0) {
        return cli_parse_positive(value, &number) && number == floor(number) && number <= 256.0 &&
               add_derived_setting(options, "simulation.threads=", value);
    }
    if (strcmp(name, "--set") == 0) {
        return strchr(value, '=') != NULL && strchr(value, '=') != value &&
               add_setting(options, value);
    }
    if (strcmp(name, "--exponent") == 0) {
        return cli_parse_positive(value, &options->exponent) && options->exponent >= 1.0;
    }
    if (strcmp(name, "--load-per-mass") == 0) {
        return cli_parse_positive(value, &options->load);
    }
    if (strcmp(name, "--data") == 0) {
        options->from = value;
        return cli_identify_kind(value) != ISO_IDENTIFY_AUTO;
    }
    if (strcmp(name, "--package") == 0) {
        return add_package(options, value);
    }
    if (strcmp(name, "--pose") == 0) {
        return cli_parse_pose(value, &options->pose);
    }
    const struct {
        const char* name;
        const char** target;
    } paths[] = {{"--record", &options->record_path},    {"--save", &options->save_path},
                 {"--restore", &options->restore_path},  {"--models", &options->models},
                 {"--vtk", &options->vtk_dir},           {"--csv", &options->csv_dir},
                 {"--deformed", &options->deformed_dir}, {"-o", &options->output}};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        if (strcmp(name, paths[i].name) == 0) {
            *paths[i].target = value;
            return value[0] != '\0';
        }
    }
    return take_frames(options, name, value) || cli_live_take(options, name, value) ||
           cli_sweep_take(options, name, value) || cli_lab_take(options, name, value) ||
           cli_prepare_take(options, name, value);
}

static const option_help* find_option(const cli_command* command, const char* name) {
    for (int i = 0; i < k_option_count; ++i) {
        if (strcmp(k_options[i].name, name) == 0 && accepts(command, name)) {
            return &k_options[i];
        }
    }
    return NULL;
}

static cli_exit report_unknown(const cli_command* command, const char* name) {
    const char* names[k_option_count];
    int count = 0;
    for (int i = 0; i < k_option_count; ++i) {
        if (accepts(command, k_options[i].name)) {
            names[count++] = k_options[i].name;
        }
    }
    int nearest = iso_name_nearest(name, names, count);
    fprintf(stderr, "isobar: error: unknown option '%s'%s%s%s (usage: isobar %s)\n", name,
            nearest >= 0 ? "; did you mean '" : "", nearest >= 0 ? names[nearest] : "",
            nearest >= 0 ? "'?" : "", command->usage);
    return CLI_USAGE;
}

/// Nothing that is written replaces what is read, or something else that is written. A state may be
/// saved over the one it came from. (`prepare` has more files and looks itself.)
static cli_exit check_clashes(const cli_options* options) {
    const struct {
        const char *path, *what;
    } files[] = {{options->input, "the input"},
                 {options->restore_path, "the state to restore"},
                 {options->record_path, "the recording"},
                 {options->save_path, "the state"},
                 {options->lab.from, "the measured surface"},
                 {options->output, "the page"},
                 {options->lab.page, "the page of plots"},
                 {options->lab.table, "the table"},
                 {options->lab.slide.film, "the film"}};
    for (int i = 2; i < 9; ++i) {
        for (int k = 0; k < i; ++k) {
            bool is_state = i == 3 && k == 1;
            if (files[i].path && files[k].path && !is_state &&
                iso_is_same_file(files[i].path, files[k].path)) {
                fprintf(stderr,
                        "isobar: error: %s: %s would replace %s, expected a file of its own\n",
                        files[i].path, files[i].what, files[k].what);
                return CLI_BAD_INPUT;
            }
        }
    }
    return CLI_DONE;
}

static void take_flag(cli_options* options, const char* name) {
    const struct {
        const char* name;
        bool* flag;
    } flags[] = {{"--json", &options->is_json},
                 {"--hash", &options->is_hash},
                 {"--quiet", &options->is_quiet},
                 {"--verbose", &options->is_verbose},
                 {"--profile", &options->lab.is_profile},
                 {"--free", &options->lab.is_free},
                 {"--one-way", &options->lab.is_one_way},
                 {"--printed", &options->lab.slide.is_printed},
                 {"--damp-highest", &options->lab.slide.is_damped},
                 {"--solid", &options->prepare.is_solid},
                 {"--no-faces", &options->is_without_faces},
                 {"--exact-energy", &options->is_energy_exact},
                 {"--json-contacts", &options->is_json_contacts}};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) {
        *flags[i].flag |= strcmp(name, flags[i].name) == 0;
    }
    options->lab.making = options->lab.is_profile ? "--profile" : options->lab.making;
    cli_slide_options* slide = &options->lab.slide;
    slide->given = slide->is_printed  ? "--printed"
                   : slide->is_damped ? "--damp-highest"
                                      : slide->given;
}

cli_exit cli_parse(const cli_command* command, int argc, char** argv, cli_options* out_options) {
    memset(out_options, 0, sizeof *out_options);
    out_options->prepare = iso_prepare_desc_default();
    out_options->pose = iso_pose_identity();
    out_options->lab.surface = iso_lab_surface_desc_default();
    out_options->lab.features = ISO_LEARNED_STANDARD;
    out_options->render.is_meant = command->run == cli_render_command;
    for (int i = 2; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            out_options->is_help = true;
            return CLI_DONE;
        }
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            bool is_first = out_options->input == NULL;
            if (!is_first && (out_options->second != NULL || !accepts(command, "--pose"))) {
                return usage_error(command, "unexpected argument", argv[i]);
            }
            *(is_first ? &out_options->input : &out_options->second) = argv[i];
            continue;
        }
        const option_help* option = find_option(command, argv[i]);
        if (option == NULL) {
            return report_unknown(command, argv[i]);
        }
        if (option->value == NULL) {
            take_flag(out_options, argv[i]);
            continue;
        }
        if (i + 1 == argc) {
            return usage_error(command, "value missing after", argv[i]);
        }
        if (!take_value(out_options, argv[i], argv[i + 1])) {
            fprintf(stderr, "isobar: error: %s is '%s', expected %s\n", argv[i], argv[i + 1],
                    option->expected);
            return CLI_USAGE;
        }
        ++i;
    }
    bool has_input = out_options->input != NULL && out_options->input[0] != '\0';
    if (!has_input && command->run != cli_version) {
        bool is_lab = command->run == cli_lab;
        return usage_error(command, is_lab ? "experiment missing for" : "input file missing for",
                           command->name);
    }
    if (out_options->input != NULL && command->run == cli_version) {
        return usage_error(command, "unexpected argument", out_options->input);
    }
    if (out_options->is_json && out_options->is_hash) {
        fprintf(stderr, "isobar: error: --json and --hash are both given, expected one\n");
        return CLI_USAGE;
    }
    return command->run == cli_prepare ? CLI_DONE : check_clashes(out_options);
}
