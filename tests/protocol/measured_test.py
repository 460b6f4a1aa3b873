"""Times that were measured by stacks, gprof's estimates with their bounds, and inlined code: what
lenses, hovers, the call hierarchy, reports and gprof/ requests say of them."""
import re
import subprocess

import harness
from editor import Editor
from made_up_recording import FIXED, Called, Sampled, write_recording
from profiled_program import Workspace

# work() costs what its argument says: gprof, which knows the numbers of calls alone, takes the calls
# by cheap() for as dear as those by dear(). A sample is taken in every million rounds.
SOURCE = """\
static volatile unsigned long turned;
/* Each round waits for the one before it, so that no processor is much quicker than another. */
static void spin(long rounds) {
  unsigned long value = turned;
  for (long i = 0; i < rounds; i++) value = value * 6364136223846793005ul + 1;
  turned = value;
}
void work(long rounds) { spin(rounds); }
void cheap(void) {
  for (int i = 0; i < 990; i++) work(10);
}
void dear(void) {
  for (int i = 0; i < 10; i++) work(36000000); /* dear calls */
}
void rare(void) { work(10); }
void again(int depth) {
  spin(9000000);
  if (depth > 0) again(depth - 1);
}
void first(int depth);
void third(int depth) {
  spin(18000000);
  if (depth > 0) first(depth - 1);
}
void second(int depth) {
  spin(9000000);
  third(depth);
}
void first(int depth) {
  spin(3000000);
  second(depth);
}
int main(void) {
  cheap();
  dear();
  rare();
  again(9);
  first(3);
  return 0;
}
"""
FLAGS = ("-O1", "-fno-inline", "-fno-optimize-sibling-calls")
CALLED = (
    *(Called(1, ("main", f"  {name}("), name) for name in ("cheap", "dear", "rare", "again", "first")),
    Called(990, ("cheap", "work(10)"), "work"), Called(10, ("dear", "dear calls"), "work"),
    Called(1, ("rare", "work(10)"), "work"), Called(1001, ("work", "spin(rounds)"), "spin"),
    Called(10, ("again", "spin("), "spin"), Called(9, ("again", "again(depth - 1)"), "again"),
    *(Called(4, (name, "spin("), "spin") for name in ("first", "second", "third")),
    Called(4, ("first", "second(depth)"), "second"), Called(4, ("second", "third(depth)"), "third"),
    Called(3, ("third", "first(depth - 1)"), "first"))


def sampled():
    """360 samples below dear(), 90 below again(), and in each of four turns of the cycle 3, 9 and 18."""
    loop = ("spin", "for (long i")
    yield Sampled(360, (loop, ("work", "spin(rounds)"), ("dear", "dear calls"), ("main", "  dear(")))
    for depth in range(10):
        yield Sampled(9, (loop, ("again", "spin("), *[("again", "again(depth - 1)")] * depth, ("main", "  again(")))
    around = (("second", "third(depth)"), ("first", "second(depth)"))
    outer = (("main", "  first("),)
    for _ in range(4):
        yield Sampled(3, (loop, ("first", "spin("), *outer))
        yield Sampled(9, (loop, ("second", "spin("), *around[1:], *outer))
        yield Sampled(18, (loop, ("third", "spin("), *around, *outer))
        outer = (("third", "first(depth - 1)"), *around, *outer)


INLINED = """\
static inline __attribute__((always_inline)) long sum(const volatile int* values, int count) {
  long total = 0;
  for (int i = 0; i < count; i++)
    total += values[i & 63]; /* inlined line */
  return total;
}
long __attribute__((noinline)) outer(const volatile int* values) {
  long result = 0;
  for (int turn = 0; turn < 800; turn++)
    result += sum(values, 400000); /* the call */
  return result;
}
int main(void) {
  static volatile int values[64];
  return (int)outer(values);
}
"""


def seconds(text):
    """The first time in a text."""
    time, unit = re.search(r"(\d+\.\d+) (m?s)", text).groups()
    return float(time) / {"s": 1, "ms": 1000}[unit]


class Recorded(harness.ProtocolTest):
    source, flags = SOURCE, FLAGS

    def setUp(self):
        super().setUp()
        self.workspace = Workspace(self.folder.resolve() / "program")
        self.workspace.write("work.c", self.source)
        self.workspace.build(("work.c",), (*self.flags, *FIXED))

    def editor(self, **members):
        return Editor(self.workspace.directory, **members)

    def lens(self, editor, fragment):
        return editor.lenses("work.c")[self.line(fragment)][0]

    def line(self, fragment):
        return self.workspace.line_of("work.c", fragment)

    def report(self, *options):
        return subprocess.run(
            [harness.SERVER, "report", "-b", "-q", *options, "program", "gmon.out"],
            cwd=self.workspace.directory, capture_output=True, text=True, check=True).stdout

    def entries(self, report):
        """Function -> (self, children) of the lines that begin entries."""
        rows = re.findall(r"^\[\d+\] +[\d.]+ +([\d.]+) +(?:[\d.]+ +)??([\d.]+) .*? (\w+)(?: <cycle|  ?\[)",
                          report, re.MULTILINE)
        return {name: (float(own), float(children)) for own, children, name in rows}


class WithStacks(Recorded):
    def setUp(self):
        super().setUp()
        write_recording(self.workspace, [*sampled()], CALLED)

    def test_the_dear_caller_is_measured(self):
        with self.editor() as editor:
            editor.open("work.c")
            callers = editor.client.request("gprof/callGraph", {
                "textDocument": {"uri": editor.uri("work.c")}, "depth": 1, "direction": "callers",
                "position": {"line": self.line("void work") - 1, "character": 6}})
            self.assertEqual("measured", callers["basis"])
            names = {node["id"]: node["name"] for node in callers["nodes"]}
            times = {names[arc["from"]]: arc["selfSeconds"] + arc["childSeconds"]
                     for arc in callers["arcs"]}
            for name, time in (("dear", 0.36), ("cheap", 0), ("rare", 0)):
                self.assertAlmostEqual(time, times[name], places=9, msg=name)
            dear = self.lens(editor, "void dear")
            self.assertRegex(dear, r"^1 call · self < [\d.]+ m?s · total \d+\.\d+ m?s \(\d+ %, from stacks\)")
            self.assertAlmostEqual(times["dear"], seconds(dear.split("total")[1]), delta=0.02)
            hover = editor.hover("work.c", self.line("void dear"), "dear")
            self.assertRegex(hover, r"total \d+\.\d+ m?s ± \d+\.\d+ m?s \(\d+ %\), from stacks")
            self.assertIn("Time, from stacks", hover)
            self.assertNotIn("estimate", hover)

    def test_lines_are_measured(self):
        with self.editor() as editor:
            editor.open("work.c")
            hover = editor.hover("work.c", self.line("dear calls"), "int")
            self.assertRegex(hover, r"With what it calls \d+\.\d+ m?s ± \d+\.\d+ m?s \(\d+ %\), from stacks")
            rows = editor.client.request("gprof/lineData", {
                "textDocument": {"uri": editor.uri("work.c")}})
            self.assertEqual("measured", rows["basis"])
            row = next(r for r in rows["lines"] if r["line"] + 1 == self.line("dear calls"))
            self.assertAlmostEqual(row["totalSeconds"], row["callees"][0]["seconds"], delta=0.02)

    def test_recursion_and_a_cycle_of_three(self):
        with self.editor() as editor:
            editor.open("work.c")
            spots = {spot["name"]: spot for spot in editor.client.request(
                "gprof/hotSpots", {"metric": "total"})["spots"]}
            # Per turn: 3, 9 and 18 samples; first is around all of it, second around all but the
            # outermost first's part, and third around all but the outermost second's part as well.
            for name, time in (("first", 0.12), ("second", 0.117), ("third", 0.108), ("again", 0.09)):
                self.assertAlmostEqual(time, spots[name]["totalSeconds"], places=9, msg=name)
            around = editor.client.request("gprof/callGraph", {
                "symbol": "again", "depth": 1, "direction": "callers"})
            self.assertEqual(1, len(around["arcs"]))
            called = around["arcs"][0]
            self.assertAlmostEqual(spots["again"]["totalSeconds"],
                                   called["selfSeconds"] + called["childSeconds"], places=6)
            self.assertAlmostEqual(0.57, spots["main"]["totalSeconds"], places=9)
            self.assertNotIn("cycle's members", editor.hover(
                "work.c", self.line("void second"), "second"))

    def test_the_accurate_report_is_measured(self):
        report = self.report("--accurate")
        self.assertIn("measured, from the stacks", report)
        entries = self.entries(report)
        self.assertEqual([0.36, 0.36, 0], [round(sum(entries[name]), 9) for name in ("work", "dear", "cheap")])
        # gprof's own report is gprof's estimate.
        entries = self.entries(self.report())
        self.assertLessEqual(sum(entries["dear"]), 0.05 * sum(entries["work"]))


class WithoutStacks(Recorded):
    def setUp(self):
        super().setUp()
        write_recording(self.workspace, [*sampled()], CALLED, stacks=False)

    def bounds(self, text):
        low, high = re.search(r"lies between (.+?) and (.+?)\.\s", text).groups()
        return 0 if low.strip() == "0" else seconds(low), seconds(high)

    def test_the_estimate_is_called_one_and_its_bounds_hold_the_truth(self):
        with self.editor() as editor:
            editor.open("work.c")
            self.assertIn(" · total ≈", self.lens(editor, "void cheap"))
            work = seconds(self.lens(editor, "void work").split("total ≈")[1])
            hover = editor.hover("work.c", self.line("void dear"), "dear")
            self.assertIn(", an estimate", hover)
            low, high = self.bounds(hover)
            self.assertLessEqual(low, work * 0.99)
            self.assertGreaterEqual(high, work)
            self.assertIn("Time, estimated", hover)
            spots = editor.client.request("gprof/hotSpots", {"metric": "total"})
            self.assertEqual("estimated", spots["basis"])
            # Recursion and a cycle: their parts of the 570 million rounds that spin() turns.
            whole = next(s["totalSeconds"] for s in spots["spots"] if s["name"] == "main")
            for name, function, rounds in (("first", "void first(int depth) {", 120),
                                           ("again", "void again", 90)):
                low, high = self.bounds(editor.hover("work.c", self.line(function), name))
                self.assertLessEqual(low, whole * rounds / 570)
                self.assertGreaterEqual(high, whole * rounds / 570)

    def test_bounds_in_the_report(self):
        report = self.report("--accurate", "--error")
        self.assertIn("estimated, by numbers of calls", report)
        found = re.findall(r"total [\d.]+ \+-[\d.]+, at least ([\d.]+) and at most ([\d.]+)", report)
        self.assertGreater(len(found), 3)
        for low, high in found:
            self.assertLessEqual(float(low), float(high))

    def test_figures_below_their_error_stand_behind_the_others(self):
        with self.editor() as editor:
            def all_spots():
                spots = editor.client.request("gprof/hotSpots", {"metric": "total"})["spots"]
                return spots if "rare" in [spot["name"] for spot in spots] else None

            # Totals follow the first figures.
            marks = [spot.get("significant", True) for spot in editor.wait_for(all_spots, "totals")]
            self.assertEqual(sorted(marks, reverse=True), marks)
            self.assertIn(False, marks)


CALLING = """\
long __attribute__((noinline)) spin(long turns) {
  volatile long sum = 0;
  for (long turn = 0; turn < turns; turn++) sum += turn;
  return sum;
}
static inline __attribute__((always_inline)) long around(long turns) {
  return spin(turns) + 1;
}
int main(void) {
  return around(300000000) == 0;
}
"""


class InlinedThatCalls(Recorded):
    source, flags = CALLING, ("-O1",)

    def test_has_a_total_of_what_it_calls(self):
        write_recording(self.workspace, [
            Sampled(270, (("spin", "sum += turn"), ("main", "spin(turns) + 1"))),
            Sampled(30, (("main", "spin(turns) + 1"),))], [Called(1, ("main", "spin(turns) + 1"), "spin")])
        with self.editor() as editor:
            editor.open("work.c")
            line = self.line("long around(")
            title = editor.lenses("work.c")[line][0]
            share = re.search(r"^inlined in 1 place · .*total [\d.]+ m?s \((\d+) %, from stacks\)", title)
            self.assertTrue(share, title)
            self.assertGreater(int(share[1]), 90)
            self.assertRegex(editor.hover("work.c", line, "around"), r"With what they call: \d+\.\d+ .*, from stacks")


class Inlined(Recorded):
    """240 of 250 samples are in the inlined function."""
    source, flags = INLINED, ("-O1",)

    def setUp(self):
        super().setUp()
        self.write()

    def write(self, **options):
        outer = ("main", "outer(values)")
        write_recording(self.workspace, [
            Sampled(count, (("outer", fragment), outer))
            for count, fragment in ((200, "inlined line"), (40, "i < count"), (10, "turn < 800"))],
            [Called(1, outer, "outer")], **options)

    def test_at_its_own_lines_or_at_the_call_and_never_both(self):
        with self.editor() as editor:
            editor.open("work.c")

            def times(**members):
                rows = editor.client.request("gprof/lineData", {
                    "textDocument": {"uri": editor.uri("work.c")}} | members)["lines"]
                return {row["line"] + 1: row.get("selfSeconds", 0) for row in rows}
            own, at_calls = times(), times(inlinedAtCalls=True)
            call = self.line("the call")
            body = range(1, self.line("return total") + 1)
            everything = sum(own.values())
            self.assertAlmostEqual(0.25, everything, places=9)
            self.assertAlmostEqual(everything, sum(at_calls.values()), places=9)
            self.assertAlmostEqual(0.24, sum(own.get(line, 0) for line in body), places=9)
            self.assertEqual(0, sum(at_calls.get(line, 0) for line in body))
            self.assertAlmostEqual(0.24, at_calls[call], places=9)

    def test_a_function_that_was_only_inlined(self):
        with self.editor() as editor:
            editor.open("work.c")
            line = self.line("long sum(")
            self.assertRegex(editor.lenses("work.c")[line][0],
                             r"^inlined in 1 place · self \d+\.\d+ m?s \(\d+ %\)")
            self.assertRegex(editor.hover("work.c", line, "sum"), r"Inlined copies: \d+\.\d+ .*m?s")

    def test_is_a_frame_of_the_flame_graph(self):
        with self.editor() as editor:
            answer = editor.client.request("gprof/flameGraph", {})
        self.assertEqual("measured", answer["basis"])
        frames = {}

        def visit(node, path):
            parts = node["self"] + node.get("leftOut", 0)
            parts += sum(child["total"] for child in node["children"])
            self.assertAlmostEqual(node["total"], parts, places=9, msg=path)
            frames[node["name"]] = (path, node)
            for child in node["children"]:
                visit(child, [*path, node["name"]])

        visit(answer["root"], [])
        path, inlined = frames["sum"]
        self.assertEqual(["main", "outer"], path[-2:])
        self.assertTrue(inlined["inlined"])
        self.assertEqual(self.line("long sum("), inlined["range"]["start"]["line"] + 1)
        self.assertTrue(inlined["uri"].endswith("/work.c"))
        self.assertAlmostEqual(0.24, inlined["total"], places=9)
        self.assertEqual(inlined["total"], inlined["self"])
        self.assertNotIn("inlined", frames["outer"][1])

    def test_the_hover_names_the_chain(self):
        self.write(stacks=False)
        with self.editor() as editor:
            editor.open("work.c")
            hover = editor.hover("work.c", self.line("inlined line"), "total")
            self.assertRegex(hover, r"\d m?s in .*sum.*, inlined into .*outer.* at .*work\.c:10")
            hover = editor.hover("work.c", self.line("the call"), "values")
            self.assertRegex(hover, r"Inlined here \(its time is counted where it is defined\): .*sum.* \d+\.\d+ m?s")
