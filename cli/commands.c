// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The commands, and their help.

#include "cli/commands.h"

#include "cli/compare/compare.h"
#include "cli/inspect/inspect.h"
#include "cli/lab/lab.h"
#include "cli/render/render.h"
#include "cli/run/run.h"
#include "cli/sweep/sweep.h"

#include <stdio.h>
#include <string.h>

#define SCENE_OPTIONS " --dt --keyframe --set --package --threads --quiet --verbose "
#define PREPARE_OPTIONS                                                                       \
    " -o --units --scale --weld --size --solid --grading --layers --mesher --gmsh --python "  \
    "--time-limit --memory-limit --field --core --backing --density --modulus --dissipation " \
    "--friction --name --sdf --urdf --report --log --json --quiet "

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
                   "--size-limit --restore --save --json "
                   "--hash ",
     cli_run, NULL, CLI_ONE_INPUT, false},
    {"sweep",
     "sweep SCENE --over NAME=VALUES... --measure 'QUANTITY(NAME)'... -o TABLE.csv [--page F.html] "
     "[--until T] [--workers N] [--set path=value]... [--package NAME=DIR]... [--dt H] "
     "[--keyframe K] [--json] [--quiet] [--verbose]",
     "run a scene for all combinations of values, on all cores",
     " --dt --keyframe --set --package --quiet --verbose --until --over --measure --workers --page "
     "-o --json ",
     cli_sweep, cli_sweep_take, CLI_ONE_INPUT, false},
    {"compare",
     "compare SCENE [--models LIST] [--until T] [-o PAGE.html [--frame-rate F] [--no-faces] "
     "[--size-limit SIZE]] [--dt H] [--keyframe K] [--set path=value]... [--package NAME=DIR]... "
     "[--threads N] [--json] [--quiet] [--verbose]",
     "run a scene with several contact models, side by side",
     SCENE_OPTIONS "--models --until -o --frame-rate --no-faces --size-limit --json ", cli_compare,
     NULL, CLI_ONE_INPUT, false},
    {"patch",
     "patch SCENE [--json] [--vtk DIR] [--deformed DIR] [--dt H] [--keyframe K] "
     "[--set path=value]... [--package NAME=DIR]... [--threads N] [--quiet] [--verbose]",
     "compute the contact patches of a scene's initial state",
     SCENE_OPTIONS "--json --vtk --deformed ", cli_patch, NULL, CLI_ONE_INPUT, false},
    {"live",
     "live SCENE [--host ADDRESS] [--port N] [--token TOKEN] [--frame-rate F] [--dt H] "
     "[--keyframe K] [--set path=value]... [--package NAME=DIR]... [--threads N] [--quiet] "
     "[--verbose]",
     "step a scene in real time and show it in browsers",
     SCENE_OPTIONS "--host --port --token --frame-rate ", cli_live, cli_live_take, CLI_ONE_INPUT,
     false},
    {"replay", "replay REC.mcap [--json] [--quiet]",
     "run a recorded scene again and name the first step that differs", " --json --quiet ",
     cli_replay, NULL, CLI_ONE_INPUT, false},
    {"view",
     "view REC.mcap -o PAGE.html [--frame-rate F] [--no-faces] [--size-limit SIZE] [--quiet]",
     "make a self-contained web page of a recording",
     " -o --frame-rate --no-faces --size-limit --quiet ", cli_view, NULL, CLI_ONE_INPUT, false},
    {"export", "export REC.mcap --csv DIR | --vtk DIR [--quiet]",
     "write a recording as CSV tables or VTK files", " --csv --vtk --quiet ", cli_export, NULL,
     CLI_ONE_INPUT, false},
    {"render",
     "render REC.mcap -o FILE.webm|.mp4|.gif|.png|.npz [--size WxH] [--frame-rate F] [--speed V] "
     "[--at "
     "T] "
     "[--camera X,Y,Z,X,Y,Z] [--quiet]",
     "make a film, a picture, or arrays for learning of a recording",
     " -o --size --frame-rate --speed --at --camera --quiet ", cli_render_command, cli_render_take,
     CLI_ONE_INPUT, false},
    {"prepare",
     "prepare SURFACE -o MESH [--units U] [--scale F] [--size H] [--core CORE] [--backing "
     "SURFACE|PLANE] [--field KIND] "
     "[--mesher NAME] [OPTION]... [--json] [--quiet]",
     "make a checked compliant mesh, a model and a report from a surface", PREPARE_OPTIONS,
     cli_prepare, cli_prepare_take, CLI_ONE_INPUT, true},
    {"lab", "lab EXPERIMENT [OPTION]... [--json] [--quiet]",
     "friction laboratory: rough surfaces, how they touch and slide, a learned coefficient, rigid "
     "formulations, the thesis' experiments",
     "", cli_lab, cli_lab_take, CLI_EXPERIMENT, false},
    {"inspect",
     "inspect FILE [--json] [--keyframe K] [--package NAME=DIR]... [--set path=value]... "
     "[--quiet] [--verbose]",
     "explain a scene, robot or mesh file", " --json --keyframe --package --set --quiet --verbose ",
     cli_inspect, NULL, CLI_ONE_INPUT, false},
    {"volume", "volume A B [--pose X,Y,Z[,ROLL,PITCH,YAW]] [--json] [--quiet]",
     "measure what two closed meshes have in common", " --pose --json --quiet ", cli_volume, NULL,
     CLI_TWO_INPUTS, false},
    {"identify",
     "identify TABLE.csv [--data KIND] [--exponent P] [--load-per-mass G] [-o PLOT.svg] [--json] "
     "[--quiet]",
     "fit contact parameters to measurements",
     " --data --exponent --load-per-mass -o --json --quiet ", cli_identify, cli_identify_take,
     CLI_ONE_INPUT, false},
    {"completion", "completion bash|zsh|fish",
     "print what completes commands and options in a shell", "", cli_completion, NULL,
     CLI_WORD_INPUT, false},
    {"version", "version [--json]", "print the version and what was compiled in", " --json ",
     cli_version, NULL, CLI_NO_INPUT, false},
};
const int k_cli_command_count = (int)(sizeof k_cli_commands / sizeof k_cli_commands[0]);

_Static_assert(sizeof k_cli_commands / sizeof k_cli_commands[0] <= CLI_MOST_COMMANDS, "of main");

void cli_print_help(FILE* file) {
    fprintf(file, "isobar %s: contact patches for robots\n\nusage: isobar COMMAND ...\n\n",
            iso_version());
    for (int i = 0; i < k_cli_command_count; ++i) {
        fprintf(file, "  %-10s %s\n", k_cli_commands[i].name, k_cli_commands[i].summary);
    }
    fprintf(file, "\n'isobar COMMAND --help' explains a command. A SCENE is a scenario (.yaml), an "
                  "SDFormat\n(.sdf, .world), a URDF (.urdf) or a MuJoCo (.mjcf, .xml) "
                  "file.\n\nexit codes: 0 done, 2 wrong "
                  "usage, 3 bad input, 4 numerical failure\n");
}

static void print_experiments(FILE* file) {
    for (int i = 0; i < k_cli_experiment_count; ++i) {
        fprintf(file, "  %-8s %s\n", k_cli_experiments[i].name, k_cli_experiments[i].summary);
    }
    fprintf(file, "\n'isobar lab EXPERIMENT --help' lists the options of one.\n");
}

void cli_print_command_help(FILE* file, const cli_command* command, const char* experiment) {
    int e = cli_find_experiment(command, experiment);
    if (e >= 0) {
        fprintf(file, "usage: isobar lab %s [OPTION]...\n\n%s\n\n", experiment,
                k_cli_experiments[e].summary);
    } else {
        fprintf(file, "usage: isobar %s\n\n%s\n\n", command->usage, command->summary);
    }
    if (e < 0 && command->inputs == CLI_EXPERIMENT) {
        print_experiments(file);
        return;
    }
    bool is_thesis = e >= 0 && experiment[0] == 'e' && strcmp(experiment, "e4") != 0;
    for (int i = 0; i < k_cli_option_count; ++i) {
        const cli_option* o = &k_cli_options[i];
        if (cli_find_option(command, experiment, o->name) == o) {
            char left[48];
            snprintf(left, sizeof left, "%s %s", o->name, o->value != NULL ? o->value : "");
            const char* end = is_thesis ? strstr(o->text, "; default:") : NULL;
            fprintf(file, "  %-20s %.*s\n", left,
                    end != NULL ? (int)(end - o->text) : (int)strlen(o->text), o->text);
        }
    }
    if (command->run == cli_sweep) {
        cli_sweep_print_quantities(file);
    }
    if (is_thesis) {
        fprintf(file, "\nWhat is not given is as in the thesis: docs/theory/lab/elastic.md.\n");
    }
}
