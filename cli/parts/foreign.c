// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What people say who know other tools.

#include "cli/parts/options.h"

#include <stdio.h>
#include <string.h>

typedef struct foreign {
    const char* words; ///< of other tools, with spaces around each
    const char* ours;  ///< the same, the likeliest first
    const char* text;  ///< what to say where a command takes none of ours; NULL: nothing
} foreign;

static const foreign k_options[] = {
    {" -o -O -r --output --out --outfile --output-file --record --save-to --log-file ",
     " -o --record --csv --vtk --page --json ", "what it prints goes to stdout"},
    {" -t -T --time --duration --end --end-time --tmax --t-end --seconds --steps --nsteps ",
     " --until ", NULL},
    {" -d -h --timestep --time-step --time_step --step-size --delta-t ", " --dt ", NULL},
    {" -q -s --silent ", " --quiet ", NULL},
    {" -v -vv --verbosity --debug --log-level ", " --verbose ", NULL},
    {" -j -n --jobs --nthreads --num-threads --workers --processes --cores ",
     " --workers --threads ", NULL},
    {" -s -p -D --param --parameter --override --define ", " --set ", NULL},
    {" -I --include --include-dir --package-path --path --package-map ", " --package ", NULL},
    {" --fps --rate --hz --framerate ", " --frame-rate ", NULL},
    {" --width --height --resolution --geometry --edge-length --max-size ", " --size ", NULL},
    {" --view --viewer --gui --visualize --visualise --visual --show --render --live ", "",
     "'isobar live SCENE' shows it"},
    {" --video --film --movie --animation ", " --film ",
     "'isobar render' makes films of recordings"},
    {" --npz --hdf5 --h5 --parquet --numpy ", " --table ",
     "Recording.export_npz(), export_hdf5() and export_parquet() in Python write these"},
    {" --headless --no-gui --no-render --nogui ", "", "no window opens without it"},
    {" --seed --random-seed ", " --seed ", "nothing is drawn here"},
};

static const foreign k_commands[] = {
    {" simulate sim step exec start rollout record roll ", " run ", NULL},
    {" gui viewer visualize visualise watch show serve ", " live ", NULL},
    {" plot display report page html ", " view ", NULL},
    {" video film movie animate picture screenshot ", " render ", NULL},
    {" mesh tetrahedralize tetrahedralise compile ", " prepare ", NULL},
    {" convert check info validate describe print ls ", " inspect ", NULL},
    {" contact contacts collide query ", " patch ", NULL},
    {" batch grid scan study ", " sweep ", NULL},
    {" csv vtk dump ", " export ", NULL},
    {" fit calibrate tune ", " identify ", NULL},
    {" verify reproduce ", " replay ", NULL},
};

static bool is_one_of(const char* const* names, int count, const char* name, size_t length) {
    for (int i = 0; i < count; ++i) {
        if (strncmp(names[i], name, length) == 0 && names[i][length] == '\0') {
            return true;
        }
    }
    return false;
}

/// Write up to two of a row's own words that are names: "'--csv' or '--vtk'". False: none is.
static bool put_ours(const foreign* row, const char* const* names, int count, char* out,
                     size_t size) {
    int found = 0;
    size_t at = 0, length;
    for (const char* word = row->ours + strspn(row->ours, " "); *word != '\0' && found < 2;
         word += length + strspn(word + length, " ")) {
        length = strcspn(word, " ");
        if (is_one_of(names, count, word, length)) {
            int put = snprintf(out + at, size - at, "%s'%.*s'", found > 0 ? " or " : "",
                               (int)length, word);
            at += put > 0 && (size_t)put < size - at ? (size_t)put : 0;
            ++found;
        }
    }
    return found > 0;
}

void cli_foreign_hint(const char* name, const char* const* names, int count, char out_hint[160]) {
    bool is_option = name[0] == '-';
    const foreign* rows = is_option ? k_options : k_commands;
    size_t row_count = is_option ? sizeof k_options / sizeof k_options[0]
                                 : sizeof k_commands / sizeof k_commands[0];
    const char* text = NULL;
    out_hint[0] = '\0';
    for (size_t i = 0; i < row_count; ++i) {
        char ours[64];
        if (!cli_has_word(rows[i].words, name)) {
            continue;
        }
        if (put_ours(&rows[i], names, count, ours, sizeof ours)) {
            snprintf(out_hint, 160, "; expected %s", ours);
            return;
        }
        text = text != NULL ? text : rows[i].text;
    }
    int nearest = iso_name_nearest(name, names, count);
    if (text != NULL) {
        snprintf(out_hint, 160, "; %s", text);
    } else if (nearest >= 0) {
        snprintf(out_hint, 160, "; did you mean '%s'?", names[nearest]);
    }
}
