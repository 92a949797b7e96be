# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
"""tools/check_layers passes the tree as it is and catches every kind of forbidden include."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("ISOBAR_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
TABLE = "base:\nmath: base\ngeometry: math\nsolver: math\n"


def check(root):
    command = [sys.executable, str(SOURCE / "tools" / "check_layers"), str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Layers(unittest.TestCase):
    def tree(self, files):
        """A project with these files; returns what the checker says of it."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        common = {
            "cmake/rooms.txt": TABLE,
            "include/isobar/base.h": "",
            "src/base/a.h": '#include "isobar/base.h"\n',
            "src/math/m.h": '#include "base/a.h"\n',
            "src/geometry/g.h": '#include <math.h>\n#include "math/m.h"\n#include "base/a.h"\n',
        }
        for name, text in {**common, **files}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return check(root)

    def assert_problem(self, result, text):
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(text, result.stdout)

    def test_this_project_is_clean(self):
        result = check(SOURCE)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_allowed_includes_pass(self):
        result = self.tree({})
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("0 problems", result.stdout)

    def test_folders_in_a_circle_are_found(self):
        result = self.tree({"src/math/up/a.h": '#include "math/down/b.h"\n',
                            "src/math/down/b.h": "",
                            "src/math/down/c.h": '#include "math/up/d.h"\n',
                            "src/math/up/d.h": ""})
        self.assert_problem(result, "include cycle of folders: src/math/down -> src/math/up")

    def test_crowded_folders_are_found(self):
        many = {f"src/math/lanes/{i}.h": "" for i in range(21)}
        self.assert_problem(self.tree(many), "src/math/lanes: 21 files, at most 20 in a folder")
        many.popitem()
        self.assertEqual(self.tree(many).returncode, 0)

    def test_parts_of_contact_models_are_found_behind_the_door(self):
        table = TABLE + "contact: math\nstepper: contact\n"
        files = {"cmake/rooms.txt": table, "src/contact/pairs/c.h": "void iso_pair_init(void);\n",
                 "src/contact/new/n.h": "typedef struct iso_new {\n    int a;\n} iso_new;\n"
                                        "void iso_new_init(void);\nvoid iso_shown(void);\n",
                 "include/isobar/base.h": "void iso_shown(void);\n",
                 "src/stepper/s.c": '#include "contact/pairs/c.h"\n'
                                    "void f(void) { iso_pair_init(), iso_shown(); }\n"}
        self.assertEqual(self.tree(files).returncode, 0)
        for line, name in (("void g(void) { iso_new_init(); }", "iso_new_init"),
                           ("static iso_new own;", "iso_new"),
                           ('#include "contact/new/n.h"', "contact/new/")):
            bad = {**files, "src/stepper/s.c": files["src/stepper/s.c"] + line + "\n"}
            self.assert_problem(self.tree(bad), f"src/stepper/s.c:3: '{name}'")

    def test_room_above_is_forbidden(self):
        result = self.tree({"src/math/x.c": '\n#include "geometry/g.h"\n'})
        self.assert_problem(result, 'src/math/x.c:2: #include "geometry/g.h"')

    def test_room_beside_is_forbidden(self):
        result = self.tree({"src/solver/s.c": '#include "geometry/g.h"\n'})
        self.assert_problem(result, "src/solver/s.c:1")

    def test_way_around_through_a_relative_path_is_forbidden(self):
        result = self.tree({"src/solver/s.c": '  #  include "../geometry/g.h"\n'})
        self.assert_problem(result, "solver may not include geometry")

    def test_angle_brackets_do_not_hide_an_include(self):
        result = self.tree({"src/solver/s.c": "#include <geometry/g.h>\n"})
        self.assert_problem(result, "solver may not include geometry")

    def test_public_header_sees_no_room(self):
        result = self.tree({"include/isobar/x.h": '#include "base/a.h"\n'})
        self.assert_problem(result, "a public header may not include base")

    def test_command_sees_public_headers_only(self):
        result = self.tree({"cli/main.c": '#include "isobar/base.h"\n#include "base/a.h"\n'})
        self.assert_problem(result, "cli/main.c:2")
        result = self.tree({"cli/main.c": '#include "isobar_viewer_html.h"\n'})
        self.assertEqual(result.returncode, 0, result.stdout)

    def test_example_sees_public_headers_only(self):
        result = self.tree({"examples/e.c": '#include "math/m.h"\n'})
        self.assert_problem(result, "examples/e.c:1")

    def test_what_posix_alone_has_is_of_the_room_base(self):
        for line, name in (("#include <unistd.h>", "<unistd.h>"), ("# include <sys/stat.h>", "<sys/stat.h>"),
                           ("#include <pthread.h>", "<pthread.h>"), ("#include <strings.h>", "<strings.h>"),
                           ("int f(void) { return getpid(); }", "'getpid'"),
                           ("static pthread_t thread;", "'pthread_t'"),
                           ("#define _XOPEN_SOURCE 700", "'_XOPEN_SOURCE'"),
                           ("char* f(char* a) { return realpath (a, 0); }", "'realpath'")):
            result = self.tree({"src/math/x.c": f"\n{line}\n", "src/base/x.c": line + "\n"})
            self.assert_problem(result, f"src/math/x.c:2: {name} is not of C")
            self.assertNotIn("src/base/x.c", result.stdout)
        for line in ("#include <time.h>", "// fork() is not called", "/* mmap() */ int kill;",
                     'const char* f(void) { return "stat(x)"; }', "void g(s* s) { s->kill(1); s->r.stat(2); }"):
            result = self.tree({"src/math/x.c": line + "\n"})
            self.assertEqual(result.returncode, 0, result.stdout)

    def test_missing_file_is_reported(self):
        result = self.tree({"src/math/x.c": '#include "math/nowhere.h"\n'})
        self.assert_problem(result, "names no file of the project")

    def test_unlisted_room_is_reported(self):
        result = self.tree({"src/attic/x.c": '#include "base/a.h"\n'})
        self.assert_problem(result, "'attic' is not a room")

    def test_cycle_of_files_is_reported(self):
        result = self.tree(
            {"src/math/p.h": '#include "math/q.h"\n', "src/math/q.h": '#include "math/p.h"\n'}
        )
        self.assert_problem(result, "include cycle of files: src/math/p.h -> src/math/q.h")

    def test_cycle_of_rooms_is_reported(self):
        result = self.tree({"src/base/b.c": '#include "math/m.h"\n'})
        self.assert_problem(result, "include cycle of rooms: base -> math -> base")

    def test_table_with_an_unknown_room_is_refused(self):
        result = self.tree({"cmake/rooms.txt": "base:\nmath: bass\n"})
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("'bass' is not a room", result.stderr)


if __name__ == "__main__":
    unittest.main()
