"""Generated programs: what is shown of them is what they were made to hold, and gprof's bytes.

The benchmarks measure large ones of these; here are small ones of every shape.
"""
import collections
import json
import pathlib
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "bench"))

from bench_targets import Pair, PAIRS, growth, regressions  # noqa: E402
from editor import Editor  # noqa: E402
from profiled_program import require  # noqa: E402
from report_cases import Case, ReportTest, subject  # noqa: E402

FUNCTIONS, FILES, LINES, PROFILES = 150, 5, 900, 20
VARIANTS = {
    "flat": ("--shape", "flat"), "deep": ("--shape", "deep"), "cycle": ("--shape", "cycle"),
    "huge-cycle": ("--shape", "huge-cycle"), "tangle": ("--shape", "tangle"),
    "dense": ("--shape", "dense"), "no-debug": ("--shape", "flat", "--no-debug"),
    "padded": ("--shape", "flat", "--align", "16"), "one-file": ("--shape", "deep", "--files", "1"),
    "sparse": ("--shape", "flat", "--sampled", "0.02"),
}
REPORTS = (("-b",), ("-b", "-l"), ("-b", "-C"), ("-b", "-z", "-q"), ("-b", "-A"), ("-b", "-r"))


class GeneratedPrograms(ReportTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        require("as", "gcc", "objcopy", "nm")
        makers = {}
        for name, words in VARIANTS.items():
            command = [sys.executable, TESTS / "bench" / "generate_program.py", "--functions",
                       str(FUNCTIONS), "--files", str(FILES), "--lines", str(LINES), "--profiles",
                       str(PROFILES), *words, "--output", cls.directory / name]
            makers[name] = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for name, maker in makers.items():
            said = maker.communicate()[1]
            if maker.returncode != 0:
                raise AssertionError(f"{name} cannot be made:\n{said}")

    def expected(self, name):
        return json.loads((self.directory / name / "expected.json").read_text())

    def test_reports_are_those_of_gprof(self):
        files = [f"profiles/gmon.out.{number:05}" for number in range(PROFILES)]
        cases = []
        for name in VARIANTS:
            directory = self.directory / name
            cases += [Case(directory, (*words, "program", "gmon.out"), name) for words in REPORTS]
            cases.append(Case(directory, ("-b", "program", *files), name))
            cases.append(Case(directory, ("-s", "-b", "program", *files), name, writes=True))
        self.compare(cases)

    def test_flat_profiles_hold_what_was_made(self):
        for name in VARIANTS:
            for words, ticks, calls in ((("gmon.out",), "ticks", "calls"),
                                        (("profiles/*",), "sum_ticks", "sum_calls")):
                with self.subTest(program=name, profiles=words):
                    self.check_flat_profile(name, words[0], ticks, calls)

    def check_flat_profile(self, name, pattern, ticks, calls):
        directory = self.directory / name
        profiles = sorted(map(str, directory.glob(pattern)))
        done = subprocess.run([*subject(), "-b", "-p", "-z", "program", *profiles], cwd=directory,
                              capture_output=True, text=True, check=True)
        rows = {}
        for fields in map(str.split, done.stdout.splitlines()):
            if len(fields) in (4, 7) and fields[0][0].isdigit():
                rows[fields[-1]] = (fields[2], fields[3] if len(fields) == 7 else "0")
        expected = self.expected(name)["functions"]
        self.assertEqual(len(expected), FUNCTIONS)
        for function in expected:
            self.assertEqual(rows.get(function["name"]),
                             (f"{function[ticks] / 100:.2f}", str(function[calls])),
                             function["name"])

    def test_editors_see_what_was_made(self):
        for name in VARIANTS:
            if name != "no-debug":
                with self.subTest(program=name):
                    self.check_lines(name)

    def check_lines(self, name):
        expected = self.expected(name)
        calls = collections.defaultdict(int)  # (file, line) -> made from there
        for function in expected["functions"]:
            for caller in function["callers"]:
                calls[caller["file"], caller["line"]] += caller["count"]
        settings = {"programs": [{"executable": "program", "profiles": ["gmon.out"]}]}
        shown, seconds = {}, 0.0
        with Editor(self.directory / name, settings=settings) as editor:
            for file in sorted((self.directory / name).glob("*.c")):
                editor.open(file.name)
                editor.lenses(file.name)
                answer = editor.client.request("gprof/lineData", {
                    "textDocument": {"uri": editor.uri(file.name)}})
                for line in answer["lines"]:
                    seconds += line.get("selfSeconds", 0)
                    if line.get("calls"):
                        shown[file.name, line["line"] + 1] = line["calls"]
        self.assertEqual(shown, dict(calls))
        self.assertAlmostEqual(seconds, expected["total_ticks"] / expected["rate"], places=6)


class Verdicts(unittest.TestCase):
    """What the benchmark says of figures."""

    @staticmethod
    def row(time, memory=0.5, program="p"):
        return {"program": program, "ours": "a", "peer": "b", "time": time, "memory": memory}

    def test_a_ratio_that_got_worse_is_a_regression(self):
        found = [(what, before) for _, what, before in
                 regressions([self.row(0.116, 0.57)], [self.row(0.1)])]
        self.assertEqual(found, [("time", 0.1)])
        self.assertEqual(regressions([self.row(0.114, 0.57)], [self.row(0.1)]), [])
        self.assertEqual(len(regressions([self.row(0.05, 0.58)], [self.row(0.1)])), 1)

    def test_work_that_fails_now_is_a_regression(self):
        failed = {"program": "p", "ours": "a", "peer": "b", "failed": True}
        self.assertEqual(len(regressions([failed], [self.row(0.1)])), 1)
        self.assertEqual(regressions([self.row(9)], [failed]), [])

    def test_what_was_not_measured_before_is_none(self):
        self.assertEqual(regressions([self.row(9, program="q")], [self.row(0.1)]), [])

    def test_growth_is_told_of_twice_the_input(self):
        def result(size, seconds, status=0):
            return {"title": "t", "size": size, "work": {
                "w": {"wall": [seconds], "cpu": [seconds], "status": [status]}}}
        rows = growth([result(100, 1.0), result(200, 3.0), result(300, 9.0), result(400, 4.0, 1)])
        self.assertEqual([(row["from"], row["to"], row["time"]) for row in rows], [(100, 200, 3.0)])

    def test_targets_are_those_of_their_sizes(self):
        self.assertEqual(Pair("flat", "a", "b", 0.1, sizes="small").targets_at(50_000), (0.1, None))
        self.assertEqual(Pair("flat", "a", "b", 0.1, sizes="small").targets_at(10**6), (None, None))
        self.assertEqual(Pair("flat", "a", "b", 0.1, sizes="large").targets_at(10**6), (0.1, None))
        self.assertTrue(all(pair.time is None or pair.time > 0 for pair in PAIRS))
