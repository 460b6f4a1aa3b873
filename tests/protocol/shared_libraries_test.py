"""Shared libraries that have profiles of their own, beside those of the program that uses them."""
import os
import unittest

from editor import Editor
from own_folders import fresh_folder
from profiled_program import require, run
from tested_build import COLLECTOR, skip_without_collector


LIBRARY = """\
int in_library(int n) {
  return n * 2;
}
"""
USER = """\
#include <stdlib.h>

int in_library(int n);

int main(int count, char **words) {
  int result = 0;
  for (int i = 0; i < atoi(words[count - 1]); ++i) result = in_library(result);
  return result != 0;
}
"""


class Libraries(unittest.TestCase):
    def setUp(self):
        require("gcc")
        skip_without_collector()
        self.root = fresh_folder(self.addCleanup)
        (self.root / "library.c").write_text(LIBRARY)
        (self.root / "user.c").write_text(USER)
        run(["gcc", "-g", "-O0", "-pg", "-fPIC", "-shared", "-Wl,-soname,libwork.so.1",
             "library.c", "-o", "libwork.so.1.2"], self.root)
        (self.root / "libwork.so.1").symlink_to("libwork.so.1.2")
        run(["gcc", "-g", "-O0", "-pg", "user.c", "-o", "user", "libwork.so.1.2",
             "-Wl,-rpath," + str(self.root)], self.root)
        self.run_user(21)

    def run_user(self, calls):
        run(["./user", str(calls)], self.root, env={**os.environ, "LD_PRELOAD": COLLECTOR})

    def check(self, settings=None):
        self.assertTrue((self.root / "gmon.out.libwork.so.1").is_file())
        with Editor(self.root, settings=settings, opened=["library.c"]) as editor:
            editor.wait_for_loads(1)
            self.assertEqual([t.split(" · ")[0] for t in editor.lenses("library.c")[1]],
                             ["21 calls"])
            self.assertIn(5, editor.lenses("user.c"))
            self.assertEqual(editor.all_messages(), [])
            self.run_user(22)
            editor.files_changed("gmon.out.gpx", "gmon.out")
            editor.wait_for_lens("library.c", 1, "22 calls")

    def test_found_in_the_workspace(self):
        self.check()

    def test_found_without_a_sidecar_by_its_name(self):
        (self.root / "gmon.out.gpx").unlink()
        self.check()

    def test_named_by_the_settings(self):
        self.check({"programs": [{"executable": "user", "profiles": ["gmon.out"],
                                  "libraries": ["lib*.so*"]}]})

    def test_summed_over_the_same_runs(self):
        for name in ("gmon.out", "gmon.out.gpx", "gmon.out.libwork.so.1"):
            (self.root / name).rename(self.root / name.replace("gmon.out", "one"))
        self.run_user(30)
        settings = {"programs": [{"executable": "user", "profiles": ["one", "gmon.out"]}]}
        # The first run's sidecar has another file's name; the name of the file tells enough.
        (self.root / "one.gpx").unlink()
        with Editor(self.root, settings=settings, opened=["library.c"]) as editor:
            editor.wait_for_loads(1)
            self.assertEqual([t.split(" · ")[0] for t in editor.lenses("library.c")[1]],
                             ["51 calls"])
