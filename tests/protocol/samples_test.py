"""What sampled times are worth: their errors, by what the sidecar says of the samples; what has no
sample; where all samples are; and what samples do not tell of a run."""
import csv
import io
import json
import math
import os
import re
import subprocess
import unittest

import sidecar
from editor import Editor
from feature_session import (KnownProfileTest, capabilities, document, label_of, place,
                             whole)
from own_folders import fresh_folder, own_environment
from profiled_program import Workspace
from tested_build import skip_without_collector

SECOND = 1_000_000_000
BEGIN = 1_700_000_000 * SECOND


def error(samples, of=100, excess=0, tick=0):
    """As docs/gmon-format.md has it, in samples."""
    variance = samples + samples * (1 - samples / of) * excess / of
    return math.sqrt(variance + (tick / of * max(samples, of - samples)) ** 2)


class Samples(KnownProfileTest):
    def ask(self, method, **params):
        with self.editor() as editor:
            return editor.client.request(method, params)

    def run_server(self, *words):
        environment = own_environment(str(self.folder.parent / (self.folder.name + "-user")))
        done = subprocess.run([os.environ["GPROF_LSP_SERVER"], *map(str, words)], cwd=self.folder,
                              env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout

    def hover(self, editor, fragment, name):
        line = self.workspace.line_of("hot.c", fragment)
        column = self.workspace.path("hot.c").read_text().splitlines()[line - 1].index(name)
        return editor.client.request("textDocument/hover",
                                     place(editor, "hot.c", line, column)
                                     )["contents"]["value"].replace("\\", "")

    def lenses(self, editor):
        editor.open("hot.c")
        lenses = editor.client.request("textDocument/codeLens", document(editor, "hot.c"))
        return {lens["range"]["start"]["line"] + 1: lens["command"]["title"] for lens in lenses}


class Errors(Samples):
    def check_errors(self, **quality):
        """60 samples in leaf, 36 in middle, 4 in main."""
        expected = {"leaf": error(60, **quality), "middle": error(36, **quality),
                    "main": error(4, **quality)}
        rows = self.ask("gprof/flatProfile")["rows"]
        self.assertEqual(set(expected), {row["name"] for row in rows})
        for row in rows:
            self.assertAlmostEqual(expected[row["name"]] / 100, row["selfError"], places=9)
        for spot in self.ask("gprof/hotSpots")["spots"]:
            self.assertAlmostEqual(expected[spot["name"]] / 100, spot["selfError"], places=9)
        root = self.ask("gprof/flameGraph")["root"]
        self.assertAlmostEqual(error(100, **quality) / 100, root["error"], places=9)

    def test_without_a_sidecar_samples_are_all_that_is_known(self):
        self.check_errors()

    def test_weights_and_the_tick_are_in_all_errors(self):
        self.workspace.add_sidecar(excess_variance=200, tick_samples=20)
        self.check_errors(excess=200, tick=20)

    def leaf_when_loaded(self, editor, seconds):
        """Its row of the flat profile, asked for again at each refresh until it took so long."""
        def look():
            return [row for row in editor.client.request("gprof/flatProfile", {})["rows"]
                    if row["name"] == "leaf" and row["selfSeconds"] > 0.99 * seconds]
        return editor.wait_for(look, "the load of what was chosen")[0]

    def test_several_runs_are_added_up(self):
        self.workspace.add_sidecar(excess_variance=200, tick_samples=20)
        self.workspace.make(profile="gmon.out.2")
        with self.editor() as editor:
            editor.client.request("workspace/executeCommand", {
                "command": "gprof.select",
                "arguments": [{"executable": str(self.folder / "program"),
                               "profiles": [str(self.folder / "gmon.out"),
                                            str(self.folder / "gmon.out.2")]}]})
            leaf = self.leaf_when_loaded(editor, 1.2)
        self.assertAlmostEqual(1.2, leaf["selfSeconds"], places=9)
        self.assertAlmostEqual(error(120, of=200, excess=200, tick=20) / 100, leaf["selfError"],
                               places=9)


class WithoutSample(Samples):
    """A function that ran, and has no sample, took less than three samples' time."""

    def titles(self, rate=100, **process):
        self.workspace.make(rate=rate, ticks=(("leaf's body", 60),))
        if process:
            self.workspace.add_sidecar(**process)
        with self.editor() as editor:
            return self.lenses(editor)[self.workspace.line_of("hot.c", "int middle")]

    def test_the_rule_of_three(self):
        self.assertEqual("100 calls · self < 0.03 s · total ≈0.40 s (67 %)", self.titles())

    def test_milliseconds(self):
        self.assertIn("self < 3 ms · total ≈", self.titles(rate=1000))

    def test_what_the_tick_may_have_taken(self):
        self.assertIn("self < 0.13 s · total ≈", self.titles(tick_samples=10))

    def test_everywhere(self):
        self.workspace.make(ticks=(("leaf's body", 60),))
        with self.editor() as editor:
            self.lenses(editor)
            hover = self.hover(editor, "int middle", "middle")
            self.assertIn("Self < 0.03 s, total 0.40 s ± ", hover)
            self.assertNotIn("0.00", hover)
            # A line that ran without a sample has its counts, and no time.
            hints = {hint["position"]["line"] + 1: label_of(hint) for hint in editor.client.request(
                "textDocument/inlayHint", whole(editor, "hot.c"))}
            self.assertNotIn(self.workspace.line_of("hot.c", "middle's end"), hints)
            self.assertEqual("15.0k× · → leaf 15.0k×",
                             hints[self.workspace.line_of("hot.c", "most calls")])
            for method in ("gprof/flatProfile", "gprof/hotSpots", "gprof/flameGraph",
                           "gprof/cycles"):
                answer = editor.client.request(method, {})
                self.assertAlmostEqual(0.01, answer["sampleSeconds"], msg=method)
                self.assertAlmostEqual(0.03, answer["unsampledBelow"], msg=method)

    def test_the_unit_fits_the_error(self):
        self.workspace.make(rate=1000)
        with self.editor() as editor:
            titles = self.lenses(editor)
            self.assertIn("self 4.0 ms (4.0 %)", titles[self.workspace.line_of("hot.c", "int main")])
            self.assertIn("Self 36.0 ms ± 6.0 ms (36 %)", self.hover(editor, "int middle", "middle"))

    def test_a_comparison(self):
        old, new = self.folder / "gmon.out", self.folder / "gmon.out.2"
        self.workspace.make(profile=new.name, ticks=(("leaf's body", 60), ("main's end", 40)))
        program = self.folder / "program"
        text = self.run_server("diff", program, old, "--", program, new)
        row = next(row for row in text.splitlines() if row.endswith("middle"))
        self.assertEqual(["0.360", "<0.030"], row.split()[:2])


class InTheKernel(Samples):
    """What part of a self time is time in the kernel: 60 samples in leaf, 36 in middle, 4 in main."""

    PERF_CLOCK = 2

    def texts(self, kernel, flags=sidecar.MARKS_KERNEL_TIME):
        """{name: what its hover says of the kernel}, of functions, and of leaf's line."""
        self.workspace.add_sidecar(kernel=kernel, flags=flags, sample_source=self.PERF_CLOCK)
        with self.editor() as editor:
            self.lenses(editor)
            hovers = {name: self.hover(editor, f"int {name}", name) for name in ("leaf", "middle", "main")}
            hovers["line"] = self.hover(editor, "leaf's body", "return")
        return {name: re.findall(r"of that in the kernel: ([\d.]+ %(?: ± [\d.]+ %)?)", text)
                for name, text in hovers.items()}

    def test_of_functions_and_lines(self):
        # The root of (40² × 20 + 20² × 40) / 60⁴ is 6 %.
        self.assertEqual({"leaf": ["33 % ± 6 %"], "line": ["33 % ± 6 %"], "middle": ["100 %"], "main": []},
                         self.texts(((20, 0), (36, 0), (0, 0))))

    def test_samples_in_groups_have_larger_errors(self):
        # Each sample counts for 1 + 60 / 20 as many: the root of (40² × 80 + 20² × 40) / 60⁴.
        self.assertEqual(["33 % ± 11 %"], self.texts(((20, 60), (0, 0), (0, 0)))["leaf"])

    def test_a_few_samples_say_nothing(self):
        self.assertEqual([], self.texts(((3, 0), (0, 0), (0, 0)))["leaf"])
        self.assertEqual(["6.7 % ± 3.2 %"], self.texts(((4, 0), (0, 0), (0, 0)))["leaf"])
        # The same number, of one tick.
        self.assertEqual([], self.texts(((4, 12), (0, 0), (0, 0)))["leaf"])

    def test_it_is_not_known_of_older_files(self):
        self.assertEqual({"leaf": [], "line": [], "middle": [], "main": []},
                         self.texts(((20, 0), (36, 0), (0, 0)), flags=0))

    def test_of_an_export(self):
        self.workspace.add_sidecar(kernel=((20, 0), (36, 0), (0, 0)), flags=sidecar.MARKS_KERNEL_TIME,
                                   sample_source=self.PERF_CLOCK)
        document = json.loads(self.run_server("export", "--format=json", "program", "gmon.out"))
        leaf, middle, main = (next(row for row in document["functions"] if row["name"] == name)
                              for name in ("leaf", "middle", "main"))
        self.assertAlmostEqual(0.2, leaf["selfInKernel"])
        self.assertAlmostEqual(0.01 * 20 ** 0.5, leaf["selfInKernelError"])
        self.assertAlmostEqual(middle["self"], middle["selfInKernel"])
        self.assertNotIn("selfInKernel", main)
        self.assertAlmostEqual(0.56, sum(row.get("selfInKernel", 0) for row in document["lines"]))

    def test_a_sum_of_runs(self):
        """Of `report -s`; it is not known if one of them does not say."""
        for flags in (sidecar.MARKS_KERNEL_TIME, 0):
            self.workspace.add_sidecar(kernel=((20, 0), (36, 0), (0, 0)), flags=sidecar.MARKS_KERNEL_TIME)
            self.workspace.make(profile="gmon.out.2").add_sidecar(
                profile="gmon.out.2", kernel=((20, 0), (36, 0), (0, 0)), flags=flags)
            self.run_server("report", "-s", "program", "gmon.out", "gmon.out.2")
            summed = sidecar.parse(str(self.folder / "gmon.sum.gpx"))
            self.assertEqual(flags, summed["process"]["flags"])
            self.assertEqual([40, 72, 0], [sample["kernel_count"] for sample in summed["samples"]])


class AllSamples(Samples):
    """100 samples in functions, 7 in libc, 93 in the collector, 2 in no module."""

    ELSEWHERE = (("/lib/libc.so.6", 7), ("/opt/libgprof_runtime.so", 93), ("", 2))
    ALL = 202

    def check_rows(self, stacks):
        self.workspace.add_sidecar(elsewhere=self.ELSEWHERE, stacks=stacks)
        answer = self.ask("gprof/flatProfile")
        others = {other["name"]: other for other in answer["others"]}
        self.assertEqual({"[libc.so.6]": "module", "[libgprof_runtime.so]": "collector",
                          "[unknown]": "unknown"},
                         {name: other["kind"] for name, other in others.items()})
        self.assertAlmostEqual(0.93, others["[libgprof_runtime.so]"]["seconds"])
        rows = sum(row["selfSeconds"] for row in answer["rows"])
        self.assertAlmostEqual(self.ALL / 100, rows + sum(o["seconds"] for o in others.values()))
        self.assertAlmostEqual(self.ALL / 100, answer["sampledSeconds"])
        self.assertAlmostEqual(1.09, answer["programSeconds"])
        # Percentages are of the program's time, to which all but the collector belongs.
        self.assertNotIn("percent", others["[libgprof_runtime.so]"])
        shares = [row["percent"] for row in answer["rows"]]
        shares += [other["percent"] for other in others.values() if "percent" in other]
        self.assertAlmostEqual(100, sum(shares))
        flames = self.ask("gprof/flameGraph")
        self.assertAlmostEqual(1.09, flames["total"])
        self.assertIn("[libc.so.6]", {child["name"] for child in flames["root"]["children"]})

    def check_exports(self):
        program, profile = self.folder / "program", self.folder / "gmon.out"
        written = self.run_server("export", "--format=json", program, profile)
        exported = json.loads(written)
        self.assertAlmostEqual(self.ALL / 100, exported["total"])
        rows = {row["name"]: row["self"] for row in exported["functions"]}
        self.assertAlmostEqual(self.ALL / 100, sum(rows.values()))
        self.assertAlmostEqual(0.93, rows["[libgprof_runtime.so]"])
        self.assertAlmostEqual(0.07, rows["[libc.so.6]"])
        table = self.run_server("export", "--format=csv", program, profile)
        self.assertAlmostEqual(self.ALL / 100,
                               sum(float(row["self"]) for row in csv.DictReader(io.StringIO(table))))

    def test_without_stacks(self):
        self.check_rows(stacks=False)
        self.check_exports()

    def test_with_stacks(self):
        self.check_rows(stacks=True)
        self.check_exports()

    def test_the_collector_is_named_where_shares_are(self):
        self.workspace.add_sidecar(elsewhere=self.ELSEWHERE)
        told = "1.09 s, without 0.93 s in the collector itself"
        with self.editor() as editor:
            self.lenses(editor)
            self.assertIn(f"Shares are of {told}.", self.hover(editor, "int leaf", "leaf"))
        lines = self.run_server("check").splitlines()
        self.assertIn(f"  30,100 calls, 202 samples ({told})", lines)
        self.assertIn("  samples: 1.00 s in functions", lines)
        self.assertIn("  samples: 0.93 s in [libgprof_runtime.so], the collector itself", lines)
        self.assertIn("  samples: 0.07 s in [libc.so.6]", lines)


TINY_CALLS = """\
int tiny(int x) { return x + 1; }
int main(void) {
  volatile int sum = 0;
  for (long i = 0; i < 60000000; i++) sum = tiny(sum);
  return sum == 0;
}
"""


class ManyTinyCalls(unittest.TestCase):
    """What the collector takes itself is most of such a program's samples."""

    def setUp(self):
        skip_without_collector()
        self.workspace = Workspace(fresh_folder(self.addCleanup))
        self.workspace.write("tiny.c", TINY_CALLS)
        self.workspace.build(("tiny.c",), ("-O1", "-fno-inline"))

    def check_sum(self, *options):
        done = subprocess.run([os.environ["GPROF_LSP_SERVER"], "record", "--rate=1000", *options,
                               "--", "./program"], cwd=self.workspace.directory,
                              capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)
        collected = sidecar.parse(self.workspace.path("gmon.out.gpx"))
        taken = sum(sample["count"] for sample in collected["samples"])
        in_collector = sum(sample["count"] for sample in collected["samples"] if sample["module"]
                           and "libgprof_runtime" in sample["module"]["path"])
        self.assertGreater(in_collector, 0)
        with Editor(self.workspace.directory) as editor:
            answer = editor.client.request("gprof/flatProfile", {})
        rate = 1 / answer["sampleSeconds"]
        rows = sum(row["selfSeconds"] for row in answer["rows"])
        others = {other["name"]: other["seconds"] for other in answer["others"]}
        self.assertAlmostEqual(taken, (rows + sum(others.values())) * rate, delta=1e-3)
        self.assertAlmostEqual(in_collector, others["[libgprof_runtime.so]"] * rate, delta=1e-3)

    def test_without_stacks(self):
        self.check_sum("--no-stacks")

    def test_with_stacks(self):
        self.check_sum()


class RunTimes(Samples):
    def add_run(self, wall, cpu, **process):
        self.workspace.add_sidecar(start_time=BEGIN, end_time=BEGIN + int(wall * SECOND),
                                   cpu_time=int(cpu * SECOND), ending=1, **process)

    def test_waiting_is_told_of(self):
        self.add_run(3.94, 0.09)
        waiting = "Mostly waiting (0.09 s of 3.9 s on CPU), which these figures leave out."
        lines = self.run_server("check").splitlines()
        self.assertIn("  ran 3.9 s, 0.09 s on CPU", lines)
        self.assertIn(f"  note: {waiting}", lines)
        with self.editor() as editor:
            self.lenses(editor)
            self.assertIn(waiting, self.hover(editor, "int main", "main"))
            self.assertNotIn(waiting, self.hover(editor, "int leaf", "leaf"))

    def test_a_run_that_was_busy_has_no_such_note(self):
        self.add_run(1.2, 1.1)
        text = self.run_server("check")
        self.assertIn("  ran 1.2 s, 1.1 s on CPU", text.splitlines())
        self.assertNotIn("waiting", text)
        with self.editor() as editor:
            self.lenses(editor)
            self.assertNotIn("waiting is not in these", self.hover(editor, "int main", "main"))

    def test_the_status_has_it_all(self):
        self.add_run(3.94, 0.09, tick_samples=50)
        able = json.loads(json.dumps(capabilities()))
        able["experimental"] = {"gprof": {"status": True}}
        with self.editor(capabilities=able) as editor:
            status = editor.client.wait_for_notification(
                "gprof/status", lambda params: params["state"] == "ready")
        self.assertEqual("ran 3.9 s, 0.09 s on CPU", status["ran"])
        self.assertIn("these figures leave out", status["waiting"])
        self.assertIn("50 % of the samples", status["tick"])

    def test_nothing_is_told_without_a_sidecar(self):
        self.assertNotIn("on CPU", self.run_server("check"))

    def test_the_tick_is_told_of(self):
        self.add_run(1, 1, tick_samples=6)
        told = "6 % of the samples were taken at ticks of the kernel"
        self.assertIn(f"  note: {told}", self.run_server("check"))
        with self.editor() as editor:
            self.lenses(editor)
            hover = self.hover(editor, "int leaf", "leaf")
            self.assertEqual(1, hover.count(told))
            self.assertIn("kernel.perf_event_paranoid", hover)

    def test_few_samples_at_the_tick_are_no_news(self):
        self.add_run(1, 1, tick_samples=5)
        self.assertNotIn("ticks of the kernel", self.run_server("check"))

    def test_a_rate_that_was_not_delivered_is_a_warning(self):
        self.add_run(4, 4, requested_rate=100, covered_time=int(1.0 * SECOND), sample_source=2)
        text = self.run_server("check")
        self.assertIn("was sampled at 25.0 of 100 Hz: 75 % of the CPU time was in the kernel and was not "
                      "sampled", text)
        self.assertIn("0 errors, 1 warning", text)
        self.add_run(1, 1, requested_rate=100, covered_time=int(0.96 * SECOND), sample_source=2)
        self.assertIn("0 errors, 0 warnings", self.run_server("check"))
