"""speedscope's own importer opens what is exported, and finds the same times in it.

It knows other formats than its own as well. GPROF_LSP_NPM_FOLDER is where the npm packages go.
"""
import json
import os
import pathlib
import subprocess
import unittest

from exported_program import SERVER, ExportedProgram, is_collector, program_time, self_by_name, total_by_name
from own_folders import fresh_folder
from skipping import fetched, require_or_skip, skipped
from tested_build import skip_without_collector

HERE = pathlib.Path(__file__).resolve().parent
CYCLE = {"ping(int)", "pong(int)", "peng(int)"}
NPM_FOLDER = os.environ.get("GPROF_LSP_NPM_FOLDER")
KINDS = ("stacks", "plain")
# Format -> the name of the file, by which speedscope knows some of them.
FORMATS = {"speedscope": "speedscope.json", "folded": "folded.txt", "pprof": "pb.gz",
           "callgrind": "callgrind.out"}
SECONDS = {"nanoseconds": 1e-9, "microseconds": 1e-6, "none": 1e-6}


class Speedscope(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        require_or_skip("node")
        if not SERVER or not NPM_FOLDER:
            raise skipped("GPROF_LSP_SERVER and GPROF_LSP_NPM_FOLDER are not both set")
        skip_without_collector()
        fetched("node", NPM_FOLDER)
        program = ExportedProgram(fresh_folder(cls.addClassCleanup))
        cls.documents = {kind: program.document(kind) for kind in KINDS}
        wanted = [(kind, form) for kind in KINDS for form in FORMATS]
        files = [program.export_to(kind, form, FORMATS[form]) for kind, form in wanted]
        done = subprocess.run(
            ["node", HERE / "import.js", pathlib.Path(NPM_FOLDER) / "node_modules" / "speedscope",
             *files], capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.opened = dict(zip(wanted, json.loads(done.stdout)))

    def profile(self, kind, form):
        answer = self.opened[kind, form]
        self.assertNotIn("error", answer)
        self.assertEqual(1, len(answer["profiles"]))
        return answer["profiles"][0]

    def test_totals(self):
        for (kind, form) in self.opened:
            with self.subTest(kind=kind, form=form):
                profile = self.profile(kind, form)
                scale = SECONDS[profile["unit"]]
                document = self.documents[kind]
                # Formats of stacks leave the collector out.
                total = document["total"] if form == "callgrind" else program_time(document)
                self.assertAlmostEqual(total, profile["total"] * scale, delta=0.001)

    def test_self_times_of_functions(self):
        for (kind, form) in self.opened:
            with self.subTest(kind=kind, form=form):
                profile = self.profile(kind, form)
                scale = SECONDS[profile["unit"]]
                for name, time in self_by_name(self.documents[kind]).items():
                    # speedscope makes a tree of callgrind's calls, and cuts cycles.
                    if form == "callgrind" and name in CYCLE:
                        continue
                    if form != "callgrind" and is_collector(name):
                        continue
                    if form == "folded":
                        name = name.replace(";", ":")
                    if time > 0.01:
                        self.assertAlmostEqual(time, profile["self"].get(name, 0) * scale,
                                               delta=0.02 * time + 0.001, msg=name)

    def test_total_times_of_measured_functions(self):
        profile = self.profile("stacks", "speedscope")
        for name, time in total_by_name(self.documents["stacks"]).items():
            # Of unknown code between others, a table and a stack may think differently.
            if time > 0.01 and not is_collector(name):
                self.assertAlmostEqual(time, profile["totals"][name] * 1e-6, delta=1e-5, msg=name)

    def test_the_name_tells_the_basis(self):
        self.assertIn("measured", self.opened["stacks", "speedscope"]["name"])
        self.assertIn("estimated", self.opened["plain", "speedscope"]["name"])
