// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The page of a comparison: the viewer once for each model, in frames that one slider moves.

#include "cli/compare/compare.h"
#include "cli/parts/json_output.h"
#include "cli/parts/text.h"

#include "isobar_viewer_html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char k_head[] =
    "<!doctype html><html lang='en'><meta charset='utf-8'>"
    "<meta name='viewport' content='width=device-width'><title>%s: contact models</title><style>\n"
    ":root{color-scheme:light dark}body{font:14px/1.5 system-ui,sans-serif;margin:0;"
    "display:flex;flex-direction:column;height:100vh}\n"
    "header{display:flex;gap:1rem;align-items:center;padding:.4rem 1rem}h1{font-size:1rem;margin:0}"
    "#time{flex:1}output{min-width:6rem;text-align:right}\n"
    "main{flex:1;display:flex;flex-wrap:wrap;min-height:0;overflow:auto}"
    "section{flex:1 1 26rem;display:flex;flex-direction:column;min-height:24rem}"
    "h2{font-size:.95rem;margin:0;padding:.2rem 1rem}iframe{border:0;flex:1;width:100%%}\n"
    ".wide{overflow:auto;max-height:30vh;padding:.4rem 1rem}table{border-collapse:collapse}"
    "td,th{padding:.05rem .8rem;text-align:right;white-space:nowrap}"
    "td:first-child,th:first-child,td[colspan]{text-align:left}"
    "td div{white-space:normal;max-width:75vw}\n"
    "</style><header><h1>%s</h1><button id='play'>Play</button>"
    "<input id='time' type='range' min='0' max='0' value='0' aria-label='Time'>"
    "<output id='now'></output></header><main>\n";

// The frames have their recordings in them, so that they are of this page's origin.
static const char k_script[] =
    "<script>\n"
    "const views = [...document.querySelectorAll('iframe')];\n"
    "const slider = document.getElementById('time'), play = document.getElementById('play');\n"
    "const api = (v) => v.contentWindow.isobar;\n"
    "let timer = 0;\n"
    "function show(frame) {\n"
    "    slider.value = frame;\n"
    "    for (const v of views) {\n"
    "        api(v).pause();\n"
    "        api(v).setFrame(Math.min(frame, api(v).stats().frames - 1));\n"
    "    }\n"
    "    const longest = views.reduce((a, v) => api(v).stats().frames > api(a).stats().frames"
    " ? v : a);\n"
    "    document.getElementById('now').textContent ="
    " `${api(longest).stats().time.toFixed(3)} s`;\n"
    "}\n"
    "function stop() { clearInterval(timer); timer = 0; play.textContent = 'Play'; }\n"
    "play.onclick = () => {\n"
    "    if (timer) { stop(); return; }\n"
    "    if (Number(slider.value) >= Number(slider.max)) show(0);\n"
    "    play.textContent = 'Pause';\n"
    "    timer = setInterval(() => {\n"
    "        if (Number(slider.value) >= Number(slider.max)) stop();\n"
    "        else show(Number(slider.value) + 1);\n"
    "    }, 1000 / RATE);\n"
    "};\n"
    "slider.oninput = () => { stop(); show(Number(slider.value)); };\n"
    "window.comparison = { show, ready: (async () => {\n"
    "    await new Promise((done) => document.readyState === 'complete' ? done()"
    " : addEventListener('load', done));\n"
    "    const good = await Promise.all(views.map((v) => api(v).ready));\n"
    "    slider.max = Math.max(...views.map((v) => api(v).stats().frames)) - 1;\n"
    "    show(0);\n"
    "    return good.every(Boolean);\n"
    "})() };\n"
    "</script>\n";

/// Its page as text; NULL after an error was set aside.
static char* read_page(const compare_run* run, size_t* out_size) {
    FILE* file = fopen(run->page, "rb");
    long size = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char* text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (text != NULL) {
        rewind(file);
        *out_size = fread(text, 1, (size_t)size, file);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return text;
}

static iso_status make_view(compare* c, compare_run* run) {
    iso_view_desc desc = iso_view_desc_default();
    const cli_options* options = c->options;
    desc.frame_rate = options->frame_rate > 0.0 ? options->frame_rate : desc.frame_rate;
    desc.with_faces = !options->is_without_faces;
    double limit = options->size_limit > 0.0 ? 0.75 * options->size_limit : (double)desc.size_limit;
    desc.size_limit = (size_t)(limit / c->count);
    (void)snprintf(run->page, sizeof run->page, "%s/%s.html", c->folder, run->name);
    iso_recording* recording = NULL;
    iso_status status = iso_recording_open(c->session.ctx, run->recording, &recording);
    if (status == ISO_OK) {
        status = iso_recording_write_view(recording, (const char*)isobar_viewer_html,
                                          isobar_viewer_html_size, run->page, &desc);
    }
    iso_recording_close(recording);
    return status;
}

static iso_status print_view(compare* c, compare_run* run, FILE* file) {
    iso_status status = make_view(c, run);
    if (status != ISO_OK) {
        return status;
    }
    size_t size = 0;
    char* text = read_page(run, &size);
    if (text == NULL) {
        return ISO_ERR_MEMORY;
    }
    fprintf(file, "<section><h2>%s", run->name);
    if (run->error[0] != '\0') {
        fputs(" stopped: ", file);
        cli_print_html(file, run->error);
    }
    fprintf(file, "</h2><iframe title='%s' srcdoc=\"", run->name);
    cli_print_escaped(file, text, size);
    fputs("\"></iframe></section>\n", file);
    free(text);
    return ISO_OK;
}

static void print_cell(FILE* file, double value) {
    if (isfinite(value)) {
        fprintf(file, "<td>%.4g</td>", value);
    } else {
        fputs("<td>-</td>", file);
    }
}

static void print_runs(const compare* c, FILE* file) {
    fputs("<table><tr><th>model<th>end [s]<th>steps<th>wall [s]<th>contacts<th>of other models"
          "<th>kinetic [J]<th>potential [J]<th>elastic [J]<th>farthest from the first [m]<th>of "
          "which body</tr>\n",
          file);
    for (int i = 0; i < c->count; ++i) {
        const compare_run* run = &c->runs[i];
        if (run->overlaps == NULL) {
            fprintf(file, "<tr><td>%s<td colspan=10><div>does not run: ", run->name);
            cli_print_html(file, run->error);
            fputs("</div></tr>\n", file);
            continue;
        }
        iso_energy e = iso_world_energy(run->world);
        const char* body = NULL;
        const double numbers[] = {iso_world_time(run->world),
                                  (double)run->step_count,
                                  run->wall_seconds,
                                  iso_world_contact_count(run->world),
                                  run->other_count,
                                  e.kinetic,
                                  e.potential,
                                  cli_elastic_energy(run->world),
                                  compare_distance(c, i, &body)};
        fprintf(file, "<tr><td>%s</td>", run->name);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
            print_cell(file, numbers[k]);
        }
        fputs("<td>", file);
        cli_print_html(file, body != NULL ? body : "-");
        fputs("</tr>\n", file);
    }
    fputs("</table>\n", file);
}

static void print_contact(const compare* c, const compare_run* run, int index, FILE* file) {
    iso_contact contact = iso_world_contact(run->world, index);
    iso_vec3 f = contact.f_b_w.translational, m = contact.f_b_w.rotational;
    const compare_run* reference = compare_reference(c);
    int like = compare_find_contact(reference, &contact);
    double difference = NAN;
    if (like >= 0 && run != reference) {
        iso_contact first = iso_world_contact(reference->world, like);
        difference = iso_vec3_norm(iso_vec3_sub(f, first.f_b_w.translational));
    }
    fprintf(file, "<tr><td>%s</td><td>%s</td><td>", run->name, contact.model);
    cli_print_html(file, contact.body_name_a);
    fputs(" | ", file);
    cli_print_html(file, contact.body_name_b);
    fprintf(file, "</td><td>%.4g %.4g %.4g</td><td>%.3g %.3g %.3g</td>", f.x + 0.0, f.y + 0.0,
            f.z + 0.0, m.x + 0.0, m.y + 0.0, m.z + 0.0);
    print_cell(file, difference);
    print_cell(file, contact.patch.area);
    print_cell(file, run->overlaps[index].depth);
    fputs("</tr>\n", file);
}

static void print_contacts(const compare* c, FILE* file) {
    fputs("<table><tr><th>run<th>model<th>contact<th>force on the second [N]<th>moment about its "
          "centre [N m]<th>force differs by [N]<th>area [m&sup2;]<th>mean depth [m]</tr>\n",
          file);
    for (int i = 0; i < c->count; ++i) {
        const compare_run* run = &c->runs[i];
        int count = run->overlaps != NULL ? iso_world_contact_count(run->world) : 0;
        for (int k = 0; k < count; ++k) {
            print_contact(c, run, k, file);
        }
    }
    fputs("</table>\n", file);
}

static iso_status print_page(compare* c, FILE* file) {
    char title[256] = "", *text = NULL;
    size_t size = 0;
    FILE* memory = open_memstream(&text, &size);
    if (memory != NULL) {
        cli_print_html(memory, c->options->input);
        (void)fclose(memory);
        (void)snprintf(title, sizeof title, "%s", text);
        free(text);
    }
    fprintf(file, k_head, title, title);
    iso_status status = ISO_OK;
    for (int i = 0; i < c->count && status == ISO_OK; ++i) {
        if (c->runs[i].recording[0] != '\0' && c->runs[i].step_count > 0) {
            status = print_view(c, &c->runs[i], file);
        }
    }
    fputs("</main><div class='wide'>\n", file);
    print_runs(c, file);
    print_contacts(c, file);
    double rate = c->options->frame_rate > 0.0 ? fmin(c->options->frame_rate, 60.0)
                                               : iso_view_desc_default().frame_rate;
    fprintf(file, "</div><script>const RATE = %.17g;</script>\n%s</html>\n", rate, k_script);
    return status;
}

iso_status compare_write_page(compare* c) {
    cli_text text;
    if (!cli_text_open(&text)) {
        return ISO_ERR_MEMORY;
    }
    iso_status status = print_page(c, text.file);
    if (status == ISO_OK) {
        status = cli_text_close(c->session.ctx, &text, c->options->output);
    } else {
        cli_text_drop(&text);
    }
    if (status == ISO_OK && !c->options->is_quiet && !c->options->is_json) {
        printf("%s: %d model%s\n", c->options->output, c->count, cli_plural(c->count));
    }
    return status;
}
