"""gprof.export and the flames of stacks: an editor gets what the command line writes, and nothing but
exports is written to."""
import math
import os
import subprocess
import unittest

from editor import Editor
from exported_program import SERVER, ExportedProgram, program_time
from own_folders import fresh_folder
from tested_build import skip_without_collector

INVALID_PARAMS = -32602


def setUpModule():
    if not SERVER:
        raise unittest.SkipTest("GPROF_LSP_SERVER does not name a server")
    skip_without_collector()
    global PROGRAM
    PROGRAM = ExportedProgram(fresh_folder(unittest.addModuleCleanup))


class InAnEditor(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.root = fresh_folder(self.addCleanup)
        settings = {"programs": [{"executable": str(PROGRAM.program),
                                  "profiles": [str(PROGRAM.profiles["stacks"])]}]}
        self.editor = Editor(self.root, settings=settings)
        self.addCleanup(self.editor.__exit__, None, None, None)
        self.editor.__enter__()

    def start(self, **argument):
        return self.editor.client.start_request(
            "workspace/executeCommand", {"command": "gprof.export", "arguments": [argument]})

    def export(self, **argument):
        return self.editor.client.request(
            "workspace/executeCommand", {"command": "gprof.export", "arguments": [argument]})

    def test_texts_are_those_of_the_command_line(self):
        for form in ("callgrind", "csv", "dot", "folded", "json", "speedscope"):
            self.assertEqual({"text": PROGRAM.export("stacks", form).decode()},
                             self.export(format=form), form)
        self.assertEqual({"text": PROGRAM.export("stacks", "csv", "--table=lines").decode()},
                         self.export(format="csv", table="lines"))

    def test_patterns_match_what_lies_beside_a_profile(self):
        """As `gmon.*` does: the sidecar, and a library's profile."""
        profile = PROGRAM.profiles["stacks"]
        sidecar = profile.with_name("gmon.out.gpx")
        self.assertTrue(sidecar.is_file())
        library = profile.with_name("gmon.out.libother.so.1")
        library.write_bytes(profile.read_bytes())
        self.addCleanup(library.unlink)

        def printed(command, *files):
            done = subprocess.run([SERVER, *command, PROGRAM.program, *files], cwd=self.root, stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=300, check=False)
            self.assertEqual(0, done.returncode, done.stderr)
            return done.stdout

        for command in (["export", "--format=folded"], ["report", "-b", "-p"]):
            self.assertEqual(printed(command, profile), printed(command, profile, sidecar, library), command)
        diff = ["diff", "--format=json", PROGRAM.program, profile, "--"]
        self.assertEqual(printed(diff, profile), printed(diff, profile, sidecar, library))
        # A sidecar without its profile is named by mistake.
        done = subprocess.run([SERVER, "export", "--format=folded", PROGRAM.program, sidecar], cwd=self.root,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        self.assertNotEqual(0, done.returncode)

    def test_files_of_the_workspace(self):
        target = self.root / "exported.pb.gz"
        for path in ("exported.pb.gz", str(target), target.as_uri()):
            self.assertEqual({"uri": target.as_uri()}, self.export(format="pprof", path=path))
            self.assertEqual(PROGRAM.export("stacks", "pprof"), target.read_bytes())
        for form in ("callgrind", "csv", "dot", "folded", "json", "speedscope"):
            for _ in range(2):  # the second time it replaces an export
                self.export(format=form, path=form)
            self.assertEqual(PROGRAM.export("stacks", form), (self.root / form).read_bytes())

    def test_nothing_else_is_written_to(self):
        (self.root / "source.c").write_text("int x;\n")
        (self.root / "empty").write_text("")
        (self.root / "folder").mkdir()
        (self.root / "link").symlink_to(self.root / "source.c")
        (self.root / "out").symlink_to(PROGRAM.directory)
        before = sorted(os.listdir(PROGRAM.directory))
        for path in ("source.c", "empty", "folder", "link", "out/file", "../file", "missing/file",
                     str(PROGRAM.directory / "file"), "", "."):
            for form in ("folded", "json", "callgrind", "pprof"):
                error = self.start(format=form, path=path).error()
                self.assertEqual(INVALID_PARAMS, error.code, (path, error))
        self.assertEqual("int x;\n", (self.root / "source.c").read_text())
        self.assertEqual(before, sorted(os.listdir(PROGRAM.directory)))

    def test_arguments_that_make_no_sense(self):
        for argument in ({}, {"format": "gif"}, {"format": 3}, {"format": "pprof"},
                         {"format": "json", "program": "other"}, {"format": "json", "path": 3},
                         {"format": "json", "table": "lines"},
                         {"format": "csv", "table": "columns"}):
            self.assertEqual(INVALID_PARAMS, self.start(**argument).error().code, argument)

    def test_flames_are_the_stacks(self):
        answer = self.editor.client.request("gprof/flameGraph", {"minimumShare": 0})
        self.assertEqual("measured", answer["basis"])
        self.assertAlmostEqual(program_time(PROGRAM.document("stacks")), answer["total"], places=6)
        modules = set()

        def check(node, path):
            parts = node["self"] + node.get("leftOut", 0) + sum(c["total"] for c in node["children"])
            self.assertTrue(math.isclose(node["total"], parts, abs_tol=1e-9), path)
            modules.add(node.get("module"))
            for child in node["children"]:
                check(child, [*path, child["name"]])

        check(answer["root"], [])
        self.assertIn("libc.so.6", modules)
