// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/lab/lab_film.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { k_most_frames = 150 };

// --- bytes in text -------------------------------------------------------------------------------

static void print_base64(FILE* file, const uint8_t* bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned part = (unsigned)bytes[i] << 16;
        part |= i + 1 < size ? (unsigned)bytes[i + 1] << 8 : 0u;
        part |= i + 2 < size ? (unsigned)bytes[i + 2] : 0u;
        fputc(digits[part >> 18], file);
        fputc(digits[(part >> 12) & 63u], file);
        fputc(i + 1 < size ? digits[(part >> 6) & 63u] : '=', file);
        fputc(i + 2 < size ? digits[part & 63u] : '=', file);
    }
}

static void put16(uint8_t* at, double share) {
    unsigned value = (unsigned)(fmin(fmax(share, 0.0), 1.0) * 65535.0 + 0.5);
    at[0] = (uint8_t)(value & 255u);
    at[1] = (uint8_t)(value >> 8);
}

// --- the page ------------------------------------------------------------------------------------

static const char* const k_head =
    "<!doctype html><html lang='en'><meta charset='utf-8'><title>Sliding rough blocks</title>"
    "<style>body{font:15px sans-serif;margin:16px;max-width:1000px}canvas{width:100%;border:1px "
    "solid #ccc;touch-action:none}input[type=range]{width:45%}#bar{display:inline-block;width:8em;"
    "height:.8em;background:linear-gradient(90deg,hsl(220 80% 80%),hsl(165 80% 73%),hsl(110 80% "
    "65%),hsl(55 80% 58%),hsl(0 80% 50%))}#time{white-space:nowrap}</style><h1>Sliding rough "
    "blocks</h1><p>Von Mises stress: none <span id='bar'></span> <span id='most'></span> Pa and "
    "more. <span id='turn'>Drag to turn. </span>Scroll to zoom.</p><canvas id='c' width='1000' "
    "height='520'></canvas><p><button id='play'>pause</button> <input type='range' id='at' min='0' "
    "value='0'> <select id='show'><option>both blocks<option>lower block<option>upper block"
    "</select> <span id='time'></span></p><script>\n";

static const char* const k_tail =
    "const u8=s=>Uint8Array.from(atob(s),c=>c.charCodeAt(0));\n"
    "const n=film.vertices,d=film.dimension,faces=new Uint32Array(u8(film.faces).buffer);\n"
    "const frames=film.frames.map(f=>{const b=u8(f.data);return {time:f.time,ratio:f.ratio,"
    "x:new Uint16Array(b.buffer,0,n*d),s:new Uint16Array(b.buffer,2*n*d,n)}});\n"
    "const size=film.high.map((h,a)=>h-film.low[a]);\n"
    "const all=[];frames.forEach(f=>f.s.forEach((v,i)=>{if(i%7==0)all.push(v)}));\n"
    "all.sort((a,b)=>a-b);const most=Math.max(all[Math.floor(all.length*.995)]||1,1);\n"
    "document.getElementById('most').textContent=(most/65535*film.stress).toPrecision(3);\n"
    "const c=document.getElementById('c'),g=c.getContext('2d'),at=document.getElementById('at');\n"
    "const show=document.getElementById('show'),colors=[];\n"
    "for(let i=0;i<=255;i++){const t=i/255;colors.push(`hsl(${220-220*t} 80% ${80-30*t}%)`)}\n"
    "at.max=frames.length-1;let yaw=.6,tilt=.5,zoom=1,panX=0,panY=0,playing=true;\n"
    // the box of both blocks as it is seen at first
    "const sy=Math.sin(yaw),cy=Math.cos(yaw),wide=d==2?size[0]:size[0]*cy+size[1]*sy,"
    "tall=d==2?size[1]:size[2]*Math.cos(tilt)+(size[0]*sy+size[1]*cy)*Math.sin(tilt);\n"
    "if(d==2)document.getElementById('turn').textContent='Drag to move. ';\n"
    "function draw(){const f=frames[+at.value],p=new Float64Array(3*n);\n"
    " const scale=zoom*Math.min(960/wide,490/tall);\n"
    " for(let v=0;v<n;v++){const q=[0,0,0];for(let a=0;a<d;a++)"
    "q[a]=(f.x[v*d+a]/65535-.5)*size[a];\n"
    "  if(d==2){p[3*v]=q[0];p[3*v+1]=-q[1]}else{const x=q[0]*Math.cos(yaw)-q[1]*Math.sin(yaw),"
    "y=q[0]*Math.sin(yaw)+q[1]*Math.cos(yaw);\n"
    "   p[3*v]=x;p[3*v+1]=-(q[2]*Math.cos(tilt)+y*Math.sin(tilt));"
    "p[3*v+2]=y*Math.cos(tilt)-q[2]*Math.sin(tilt)}\n"
    "  p[3*v]=500+panX+scale*p[3*v];p[3*v+1]=260+panY+scale*p[3*v+1]}\n"
    " const list=[];for(let i=0;i<faces.length;i+=3){const a=faces[i],b=faces[i+1],e=faces[i+2];\n"
    "  const upper=a>=film.upper;if(show.selectedIndex&&upper!=(show.selectedIndex==2))continue;\n"
    "  const turn=(p[3*b]-p[3*a])*(p[3*e+1]-p[3*a+1])-(p[3*b+1]-p[3*a+1])*(p[3*e]-p[3*a]);\n"
    "  if(d==3&&turn>0)continue;list.push([p[3*a+2]+p[3*b+2]+p[3*e+2],a,b,e])}\n"
    " if(d==3)list.sort((a,b)=>b[0]-a[0]);\n"
    " g.clearRect(0,0,c.width,c.height);g.lineWidth=.4;\n"
    " for(const [z,a,b,e] of list){const t=Math.min(Math.round((f.s[a]+f.s[b]+f.s[e])/3/most*255),"
    "255);\n"
    "  g.fillStyle=g.strokeStyle=colors[t];g.beginPath();g.moveTo(p[3*a],p[3*a+1]);"
    "g.lineTo(p[3*b],p[3*b+1]);g.lineTo(p[3*e],p[3*e+1]);g.closePath();g.fill();g.stroke()}\n"
    " document.getElementById('time').textContent=(f.time<0?'the load comes on':"
    "`${+f.time.toPrecision(4)} s`)+`, tangential over normal force ${f.ratio.toFixed(4)}`}\n"
    "let last=0;function tick(t){if(playing&&t-last>50){last=t;"
    "at.value=(+at.value+1)%frames.length;draw()}requestAnimationFrame(tick)}\n"
    "document.getElementById('play').onclick=e=>{playing=!playing;"
    "e.target.textContent=playing?'pause':'play'};\n"
    "at.oninput=()=>{playing=false;document.getElementById('play').textContent='play';draw()};\n"
    "show.onchange=draw;c.onpointermove=e=>{if(!e.buttons)return;"
    "if(d==3&&!e.shiftKey){yaw+=e.movementX/200;tilt=Math.min(Math.max(tilt+e.movementY/200,"
    "-1.5),1.5)}else{panX+=e.movementX;panY+=e.movementY}draw()};\n"
    "c.onwheel=e=>{e.preventDefault();zoom*=Math.exp(-e.deltaY/500);draw()};\n"
    "if(frames.length){draw();requestAnimationFrame(tick)}\n</script></html>\n";

static bool print_faces(FILE* file, const iso_lab_slide_info* info, iso_lab_slide_view view) {
    bool is_plane = info->dimension == 2;
    const int* from = is_plane ? view.elements : view.faces;
    size_t count = 3 * (size_t)(is_plane ? info->element_count : view.face_count);
    uint8_t* bytes = malloc(4 * count + 1);
    if (bytes == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        for (int k = 0; k < 4; ++k) {
            bytes[4 * i + (size_t)k] = (uint8_t)(((unsigned)from[i] >> (8 * k)) & 255u);
        }
    }
    print_base64(file, bytes, 4 * count);
    free(bytes);
    return true;
}

static void find_box(lab_film* film, const iso_lab_slide_info* info, const double* places) {
    int d = info->dimension;
    for (int a = 0; a < d; ++a) {
        film->low[a] = INFINITY;
        film->high[a] = -INFINITY;
    }
    for (int i = 0; i < d * info->vertex_count; ++i) {
        film->low[i % d] = fmin(film->low[i % d], places[i]);
        film->high[i % d] = fmax(film->high[i % d], places[i]);
    }
    for (int a = 0; a < d; ++a) { // room to move in
        double room = 0.05 * (film->high[a] - film->low[a]);
        film->low[a] -= room;
        film->high[a] += room;
    }
}

bool lab_film_open(lab_film* film, const iso_lab_slide_info* info, iso_lab_slide_view view,
                   int64_t step_count) {
    *film = (lab_film){.every = (int)(step_count / k_most_frames) + 1};
    if (!cli_text_open(&film->text)) {
        return false;
    }
    int d = info->dimension;
    find_box(film, info, view.places);
    fprintf(film->text.file, "%sconst film={dimension:%d,vertices:%d,upper:%d,stress:%.9g,low:[",
            k_head, d, info->vertex_count, info->first_upper, info->stress_scale);
    for (int part = 0; part < 2; ++part) {
        for (int a = 0; a < d; ++a) {
            fprintf(film->text.file, "%.9g,", part ? film->high[a] : film->low[a]);
        }
        fprintf(film->text.file, part ? "],faces:\"" : "],high:[");
    }
    bool is_good = print_faces(film->text.file, info, view);
    fprintf(film->text.file, "\",\nframes:[\n");
    return is_good;
}

bool lab_film_step(lab_film* film, const iso_lab_slide_info* info, iso_lab_slide* slide,
                   const iso_lab_slide_sample* sample) {
    if (film->steps++ % film->every != 0) {
        return true;
    }
    int d = info->dimension, n = info->vertex_count;
    iso_lab_slide_view view = iso_lab_slide_view_of(slide);
    size_t size = 2 * (size_t)(n * d + n);
    uint8_t* bytes = malloc(size + 1);
    if (bytes == NULL) {
        return false;
    }
    for (int i = 0; i < n * d; ++i) {
        double low = film->low[i % d], high = film->high[i % d];
        put16(bytes + 2 * i, (view.places[i] - low) / (high - low));
    }
    for (int v = 0; v < n; ++v) {
        put16(bytes + 2 * (n * d + v), view.stresses[v] / info->stress_scale);
    }
    double ratio = sample->normal > 0.0 ? sample->tangential / sample->normal : 0.0;
    fprintf(film->text.file, "{time:%.9g,ratio:%.9g,data:\"", sample->time, ratio);
    print_base64(film->text.file, bytes, size);
    fprintf(film->text.file, "\"},\n");
    free(bytes);
    ++film->frame_count;
    return true;
}

iso_status lab_film_close(iso_context* ctx, lab_film* film, const char* path) {
    fprintf(film->text.file, "]};\n%s", k_tail);
    return cli_text_close(ctx, &film->text, path);
}
