// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/path.h"
#include "geometry/mesh_files/vtk/volume_file.h"
#include "prepare/meshers/mesher.h"

#include <stdlib.h>
#include <string.h>

// pytetwild 0.4 imports pyvista, which arrays do without and which takes seconds to load: an empty
// module stands in for it. Reads vertices.f64 and triangles.i32, writes volume.msh. Tetrahedra come
// with either orientation.
static const char k_script[] =
    "import sys\n"
    "import types\n"
    "sys.modules['pyvista'] = types.ModuleType('pyvista')\n"
    "try:\n"
    "    import numpy as np\n"
    "    import pytetwild\n"
    "except ImportError as error:\n"
    "    print('pytetwild is missing:', error)\n"
    "    sys.exit(9)\n"
    "v = np.fromfile('vertices.f64').reshape(-1, 3)\n"
    "f = np.fromfile('triangles.i32', dtype=np.int32).reshape(-1, 3)\n"
    "size, envelope, energy = (float(a) for a in sys.argv[1:4])\n"
    "p, t = pytetwild.tetrahedralize(v, f, edge_length_abs=size if size > 0 else None,\n"
    "                                epsilon=envelope, stop_energy=energy,\n"
    "                                num_opt_iter=int(sys.argv[4]), num_threads=1, quiet=False)\n"
    "p, t = np.asarray(p, dtype=float), np.asarray(t, dtype=np.int64)\n"
    "if t.size == 0:\n"
    "    print('fTetWild found no inside: is the surface nearly closed?')\n"
    "    sys.exit(10)\n"
    "e = p[t[:, 1:]] - p[t[:, :1]]\n"
    "flipped = np.linalg.det(e) < 0\n"
    "t[flipped] = t[flipped][:, [0, 2, 1, 3]]\n"
    "with open('volume.msh', 'w') as out:\n"
    "    out.write('$MeshFormat\\n2.2 0 8\\n$EndMeshFormat\\n$Nodes\\n%d\\n' % len(p))\n"
    "    for i, q in enumerate(p):\n"
    "        out.write('%d %.17g %.17g %.17g\\n' % (i + 1, *q))\n"
    "    out.write('$EndNodes\\n$Elements\\n%d\\n' % len(t))\n"
    "    for i, q in enumerate(t + 1):\n"
    "        out.write('%d 4 2 0 1 %d %d %d %d\\n' % (i + 1, *q))\n"
    "    out.write('$EndElements\\n')\n";

static iso_status write_input(iso_prepare_job* job) {
    const iso_tri_mesh* mesh = &job->joined;
    iso_status status = ISO_OK;
    ISO_TRY(iso_prepare_write(job, "vertices.f64", mesh->vertices,
                              (size_t)mesh->vertex_count * sizeof *mesh->vertices));
    ISO_TRY(iso_prepare_write(job, "triangles.i32", mesh->triangles,
                              (size_t)mesh->triangle_count * sizeof *mesh->triangles));
    status = iso_prepare_write(job, "fill.py", k_script, sizeof k_script - 1);

done:
    return status;
}

// --python, ISOBAR_PYTHON, the interpreter that the build was configured with, or what PATH has.
// Never what lies in the current folder, which may be anybody's, or beside the program by chance.
static const char* interpreter(const iso_prepare_job* job) {
    const char* named = job->desc->python ? job->desc->python : getenv("ISOBAR_PYTHON");
    if (named && *named) {
        return named;
    }
#ifdef ISO_PREPARE_PYTHON
    if (iso_path_is_program(ISO_PREPARE_PYTHON)) {
        return ISO_PREPARE_PYTHON;
    }
#endif
    return "python3";
}

static bool lacks_pytetwild(const iso_prepare_job* job) {
    return job->log && strstr(job->log, "pytetwild is missing") != NULL;
}

iso_status iso_mesh_by_ftetwild(iso_prepare_job* job, iso_ftetwild_care care) {
    const char* python = interpreter(job);
    char size[32], envelope[32], energy[32], iterations[32];
    const char* args[] = {python, "fill.py", size, envelope, energy, iterations, NULL};
    char* path = iso_prepare_path(job, "volume.msh");
    iso_volume_file file = {0};
    iso_status status = ISO_OK;
    (void)snprintf(size, sizeof size, "%.9g", job->desc->size);
    (void)snprintf(envelope, sizeof envelope, "%g", care.envelope);
    (void)snprintf(energy, sizeof energy, "%g", care.stop_energy);
    (void)snprintf(iterations, sizeof iterations, "%d", care.iteration_count);
    ISO_CHECK(job->ctx, path, ISO_ERR_MEMORY, "path of a file");
    ISO_TRY(write_input(job));
    status = iso_mesher_run(job, "fTetWild", args, false);
    ISO_CHECK(job->ctx, status != ISO_ERR_NOT_FOUND, ISO_ERR_NOT_FOUND,
              "'%s', which is to run fTetWild, is not to be found: name an interpreter with "
              "--python or ISOBAR_PYTHON",
              python);
    ISO_CHECK(job->ctx, status == ISO_OK || !lacks_pytetwild(job), ISO_ERR_NOT_FOUND,
              "fTetWild is not installed for %s: run tools/setup or 'pip install pytetwild', or "
              "name another interpreter with --python or ISOBAR_PYTHON",
              python);
    ISO_TRY(status);
    ISO_TRY(iso_volume_file_load(job->ctx, path, iso_vec3_make(1.0, 1.0, 1.0), &file));
    job->mesh = file.mesh;
    file.mesh = (iso_tet_mesh){0};

done:
    iso_volume_file_destroy(job->ctx, &file);
    iso_free(job->ctx, path);
    return status;
}
