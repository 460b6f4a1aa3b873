"""--metric, --thread, --process and --time of report, export and diff; what check and the JSON export list."""
import csv
import io
import json
import os
import re
import subprocess
import unittest

from made_up_recording import FIXED
from own_folders import fresh_folder
from profiled_program import Workspace, require, run
from threaded_program import threaded_source, write_threads

SERVER = os.environ.get("GPROF_LSP_SERVER")
# parse runs in the thread "parser", then solve in the thread "solver", each for half a second.
SOURCE = threaded_source("""\
__attribute__((noinline)) static int step(unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) sink += i ^ n;
  return 0;
}

__attribute__((noinline)) static void parse(void) {
  while (cpu() < 0.5) step(200000);
}

__attribute__((noinline)) static void solve(void) {
  while (cpu() < 0.5) step(200000);
}
""", ("parser", "parse();"), ("solver", "solve();"))
CALLGRIND = """\
# callgrind format
events: Ir Dr D1mr
ob={folder}/prog
fl={folder}/prog.c
fn=step
{line} 1000 400 20
fn=parse
{line} 10 0 0
calls=1 {line}
{line} 1000 400 20
"""


class PartTest(unittest.TestCase):
    """The program is built once."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        require("gcc")
        cls.folder = fresh_folder(cls.addClassCleanup)
        cls.workspace = Workspace(cls.folder)
        cls.workspace.write("prog.c", SOURCE)
        run(["gcc", "-g", "-pg", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread", *FIXED,
             "prog.c", "-o", "prog"], cls.folder)

    def command(self, *words, status=0):
        """Standard output, or the one line on standard error."""
        done = subprocess.run([SERVER, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=300,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, status, (words, done.stderr))
        if status == 0:
            return done.stdout
        told = [line for line in done.stderr.splitlines() if "warning: " not in line]
        self.assertEqual((len(told), done.stdout), (1, ""), done.stderr)
        return told[0]

    def document(self, *words):
        return json.loads(self.command("export", "--format=json", *words))

    def callgrind(self):
        line = self.workspace.line_of("prog.c", "sink += i ^ n")
        (self.folder / "callgrind.out").write_text(CALLGRIND.format(folder=self.folder, line=line))
        return ("prog", "callgrind.out")


def selves(document):
    return {function["name"]: function["self"] for function in document["functions"]}


def total_of(document, name):
    return sum(function["total"] for function in document["functions"] if function["name"] == name)


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class Threads(PartTest):
    """The recording of write_threads."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        loop = ("step", "sink += i ^ n")
        write_threads(cls.workspace, ("parser", loop, ("parse", "step(200000)"), ("parser", "parse();")),
                      ("solver", loop, ("solve", "step(200000)"), ("solver", "solve();")))

    def setUp(self):
        self.whole = self.document("prog")

    def test_threads_have_their_own_figures(self):
        of_parser = self.document("--thread=parser", "prog")
        of_solver = self.document("--thread=solver", "prog")
        self.assertAlmostEqual(total_of(of_parser, "parse"), 0.5, places=9)
        self.assertEqual(total_of(of_parser, "solve"), 0)
        self.assertEqual(total_of(of_solver, "parse"), 0)
        self.assertAlmostEqual(total_of(of_solver, "solve"), 0.5, places=9)
        self.assertIn("parser", of_parser["selected"])
        self.assertAlmostEqual(of_parser["total"] + of_solver["total"], self.whole["total"], places=9)
        both = self.document("--thread=parser,solver", "prog")
        self.assertAlmostEqual(both["total"], of_parser["total"] + of_solver["total"], places=9)
        number = next(thread["id"] for thread in self.whole["threads"] if thread["name"] == "parser")
        self.assertEqual(self.document(f"--thread={number}", "prog")["functions"], of_parser["functions"])

    def test_stretches_of_time_add_up(self):
        checked = self.command("check", ".")
        length = float(re.search(r"length of the run: ([\d.]+) s", checked)[1])
        self.assertEqual(length, 1)
        middle = length / 2
        first = self.document(f"--time=..{middle}", "prog")
        second = self.document(f"--time={middle}..", "prog")
        self.assertAlmostEqual(first["total"], 0.5, places=9)
        self.assertAlmostEqual(first["total"] + second["total"], self.whole["total"], places=9)
        self.assertTrue(all("calls" not in function for function in first["functions"]))
        early = self.document(f"--time=..{length / 4}", "--thread=solver", "prog")
        self.assertEqual(total_of(early, "solve"), 0)

    def test_formats_agree(self):
        part = ("--thread=parser", "prog")
        table = csv.DictReader(io.StringIO(self.command("export", "--format=csv", *part)))
        document = self.document(*part)
        self.assertEqual([float(row["self"]) for row in table],
                         [function["self"] for function in document["functions"]])
        for form in ("folded", "callgrind", "dot", "speedscope"):
            text = self.command("export", f"--format={form}", *part)
            self.assertIn("parse", text, form)
            self.assertNotIn("solve", text, form)

    def test_report(self):
        flat = self.command("report", "--accurate", "-b", "-p", "--thread=parser", "prog")
        self.assertRegex(flat, r"(?m)^Part of the profile: thread parser( \(\d+\))?\.$")
        graph = self.command("report", "--accurate", "-b", "-q", "--thread=parser", "prog")
        self.assertRegex(graph, r"(?m)^\[\d+\].* parse \[\d+\]$")
        timed = self.command("report", "--accurate", "-b", "-p", "--time=0..0.2", "prog")
        self.assertIn("Calls have no time, and are left out.", timed)
        whole = self.command("report", "--accurate", "-b", "prog")
        self.assertEqual(whole, self.command("report", "--accurate", "-b", "--metric=cpu", "prog"))
        self.assertNotIn("Part of", whole)

    def test_diff_of_threads_by_name(self):
        same = json.loads(self.command("diff", "--json", "--thread=parser", "--metric=total", "prog", "gmon.out", "--",
                                       "prog", "gmon.out"))
        names = {function["name"]: function for function in same["functions"]}
        self.assertIn("parse", " ".join(names))
        self.assertTrue(any("only thread parser" in remark for remark in same["remarks"]), same["remarks"])
        self.assertEqual({function["verdict"] for function in same["functions"]}, {"noise"})

    def test_what_there_is(self):
        text = self.command("check", ".")
        self.assertRegex(text, r"(?m)^  metric: cpu, seconds: sampled [\d,]+ times per CPU second$")
        self.assertRegex(text, r"(?m)^  metric: calls, calls: exact")
        self.assertRegex(text, r"(?m)^  thread: parser \(\d+\), 0\.\d+ s$")
        self.assertRegex(text, r"(?m)^  length of the run: [\d.]+ s, in slices of ")
        metrics = {metric["name"]: metric for metric in self.whole["metrics"]}
        self.assertAlmostEqual(metrics["cpu"]["total"], self.whole["total"], places=9)
        self.assertEqual((metrics["cpu"]["unit"], metrics["cpu"]["kind"]), ("seconds", "sampled"))
        self.assertTrue({"parser", "solver"} <= {thread["name"] for thread in self.whole["threads"]})
        for function in self.whole["functions"]:
            cpu = function["values"].get("cpu", {"self": 0, "total": 0})
            self.assertEqual((cpu["self"], cpu["total"]), (function["self"], function["total"]))

    def test_what_there_is_not(self):
        for words, expected in (
                (("--thread=nobody",), "no thread nobody; it has "),
                (("--thread=99999999",), "no thread 99999999; it has "),
                (("--process=99999999",), "no process 99999999; it has "),
                (("--time=1000..1001",), "there is nothing from 1000 s to 1001 s: the run lasts from 0 s to "),
                (("--metric=Ir",), "no costs by the metric Ir; it has cpu"),
                (("--time=2..1",), "--time=2..1: expected seconds")):
            with self.subTest(words=words):
                self.assertIn(expected, self.command("export", "--format=json", *words, "prog", status=2))
                told = self.command("diff", *words, "prog", "gmon.out", "--", "prog", "gmon.out", status=2)
                self.assertIn(expected, told)
                if "expected seconds" in expected:
                    continue  # no stretch of time is a SYMSPEC
                self.assertIn(expected, self.command("report", "--accurate", *words, "prog", status=1))

    def test_report_needs_accurate(self):
        self.assertIn("need --accurate", self.command("report", "--thread=parser", "prog", status=1))
        self.assertIn("whole gmon files", self.command("report", "--accurate", "-i", "--thread=parser", "prog",
                                                       status=1))


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class Events(PartTest):
    def test_each_event_is_a_metric(self):
        document = self.document(*self.callgrind())
        self.assertEqual([(metric["name"], metric["kind"], metric["total"]) for metric in document["metrics"]
                          if metric["name"] in ("Ir", "Dr", "D1mr")],
                         [("Ir", "exact", 1010), ("Dr", "exact", 400), ("D1mr", "exact", 20)])
        self.assertEqual(document["metric"], "Ir")
        functions = {function["name"]: function["values"] for function in document["functions"]}
        self.assertEqual(functions["step"]["D1mr"], {"self": 20, "total": 20})
        self.assertEqual(functions["parse"]["Ir"], {"self": 10, "total": 1010})
        self.assertEqual(functions["parse"]["Dr"], {"self": 0, "total": 400})
        step = next(function["id"] for function in document["functions"] if function["name"] == "step")
        lines = [line["values"] for line in document["lines"] if line["function"] == step]
        self.assertEqual(sum(line.get("D1mr", {"self": 0})["self"] for line in lines), 20)

    def test_exports_are_of_the_metric(self):
        document = self.document("--metric=D1mr", *self.callgrind())
        self.assertEqual((document["metric"], document["total"]), ("D1mr", 20))
        self.assertEqual(selves(document)["step"], 20)
        # What has no misses is there for its other figures.
        self.assertEqual(selves(document)["parse"], 0)
        folded = self.command("export", "--format=folded", "--metric=Dr", *self.callgrind())
        self.assertRegex(folded, r"(?m)step 400$")

    def test_report_of_callgrind(self):
        for accurate in ((), ("--accurate",)):
            flat = self.command("report", "-b", "-p", *accurate, "--metric=Dr", *self.callgrind())
            self.assertIn("Costs were counted, in data reads.", flat)
            self.assertRegex(flat, r"(?m)^100\.00 +400\.00 +400\.00 .* step$")
        graph = self.command("report", "-b", "-q", "--metric=Ir", *self.callgrind())
        self.assertRegex(graph, r"(?m)^\[\d+\] +100\.0 +10\.00 1000\.00 .*parse \[\d+\]$")
        self.assertIn("costs with callees were counted", graph)
        self.assertEqual(graph, self.command("report", "--accurate", "-b", "-q", *self.callgrind()))

    def test_diff_by_an_event(self):
        profile = self.callgrind()
        text = (self.folder / "callgrind.out").read_text()
        (self.folder / "worse.out").write_text(text.replace("1000 400 20", "1000 400 900"))
        by_misses = json.loads(self.command("diff", "--json", "--metric=D1mr", *profile, "--", "prog", "worse.out"))
        by_loads = json.loads(self.command("diff", "--json", "--metric=Dr", *profile, "--", "prog", "worse.out"))
        step = {function["name"]: function["self"] for function in by_misses["functions"]}["step"]
        self.assertEqual((step["before"], step["after"]), (20, 900))
        self.assertEqual({function["verdict"] for function in by_loads["functions"]}, {"noise"})
        self.assertIn("compared by D1mr", by_misses["remarks"])

    def test_what_callgrind_does_not_tell(self):
        profile = self.callgrind()
        self.assertIn("no costs by the metric cpu; it has Ir, Dr, D1mr",
                      self.command("export", "--format=json", "--metric=cpu", *profile, status=2))
        self.assertIn("does not tell when", self.command("export", "--format=json", "--time=0..1", *profile, status=2))


if __name__ == "__main__":
    unittest.main()
