"""Metrics by name, and parts of a profile: what a client of any kind sees of them."""
import os
import re
import unittest

import documented_shapes
from extension_support import INVALID_PARAMS, PAGE, answer_shape
from feature_session import FeatureTest, capabilities, document
from made_up_recording import FIXED
from profiled_program import Workspace, require, run
from threaded_program import threaded_source, write_threads

SERVER = os.environ.get("GPROF_LSP_SERVER")
# parse runs in the thread "parse" first, then solve in the thread "solve", each for half a second.
SOURCE = threaded_source("""\
__attribute__((noinline)) static int parse(unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) sink += i ^ n;
  return 0;
}

__attribute__((noinline)) static int solve(unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) sink -= i & n;
  return 0;
}

__attribute__((noinline)) static void once(void) {
  sink += 1;
}
""", ("parse", "while (cpu() < 0.5) parse(200000);"), ("solve", "once(); while (cpu() < 0.5) solve(200000);"))
CALLGRIND = """\
# callgrind format
events: Ir Dr D1mr
ob={folder}/prog
fl={folder}/prog.c
fn=parse
{parse} 1000 400 20
fn=solve
{solve} 600 100 80
fn=parser
{parser} 10 0 0
cfn=parse
calls=5 {parse}
{parser} 1000 400 20
fn=solver
{solver} 20 0 0
cfn=solve
calls=7 {solve}
{solver} 600 100 80
"""
STATUS = {"experimental": {"gprof": {"status": True}}}


class SelectionTest(FeatureTest):
    def setUp(self):
        super().setUp()
        require("gcc")
        self.workspace = Workspace(self.folder)
        self.workspace.write("prog.c", SOURCE)
        self.build()
        self.shapes = documented_shapes.Shapes(PAGE.read_text())

    def build(self):
        run(["gcc", "-g", "-pg", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-pthread", *FIXED,
             "prog.c", "-o", "prog"], self.folder)

    def ask(self, editor, method, **params):
        """The answer, which fits what is documented."""
        answer = editor.client.request(method, params)
        self.assertEqual([], self.shapes.defects(answer, answer_shape(method)), method)
        return answer

    def refused(self, editor, method, params, *words):
        error = editor.client.start_request(method, params).error()
        self.assertEqual(error.code, INVALID_PARAMS, error.message)
        for word in words:
            self.assertIn(word, error.message)

    def command(self, editor, name, *arguments):
        return editor.client.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def line(self, fragment):
        return self.workspace.line_of("prog.c", fragment)

    def lines(self, editor, **params):
        answer = self.ask(editor, "gprof/lineData", **document(editor, "prog.c"), **params)
        return {line["line"] + 1: line for line in answer["lines"]}

    def spots(self, editor, **params):
        return {spot["name"]: spot for spot in self.ask(editor, "gprof/hotSpots", **params)["spots"]}


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class Threads(SelectionTest):
    def setUp(self):
        super().setUp()
        self.record("parse")

    def record(self, parse):
        """`parse`: the name of the first thread."""
        write_threads(self.workspace, (parse, ("parse", "sink += i ^ n"), ("parser", "parse(200000)")),
                      ("solve", ("solve", "sink -= i & n"), ("solver", "solve(200000)")),
                      more=[(1, ("solver", "once()"), "once")])

    def session(self, **members):
        return self.editor(capabilities={**capabilities(), **STATUS}, opened=["prog.c"], **members)

    def test_everything_follows_the_selection(self):
        with self.session() as editor:
            whole = self.spots(editor)
            self.assertTrue({"parse", "solve"} <= set(whole))
            lenses = editor.lenses("prog.c")
            refreshes = editor.refreshes()
            self.assertIsNone(self.command(editor, "gprof.setSelection", {"threads": ["parse"]}))
            editor.wait_for_loads(refreshes + 1)
            status = editor.client.wait_for_notification("gprof/status", lambda params: "selection" in params)
            self.assertEqual([], self.shapes.defects(status, "StatusParams"))
            self.assertEqual(status["selection"], {"threads": ["parse"]})
            self.assertIn("parse", status["selectionText"])
            of_parse = self.spots(editor)
            self.assertNotIn("solve", [name for name, spot in of_parse.items() if spot["selfSeconds"] > 0])
            self.assertAlmostEqual(of_parse["parse"]["selfSeconds"], whole["parse"]["selfSeconds"], places=9)
            rows = self.lines(editor)
            self.assertIn("selfSeconds", rows[self.line("sink += i ^ n")])
            self.assertNotIn("selfSeconds", rows.get(self.line("sink -= i & n"), {}))
            shown = editor.lenses("prog.c")
            share = re.search(r"self [^(]*\((\d+) %", " ".join(shown[self.line("int parse(")]))
            self.assertEqual(share[1], "100")
            self.assertNotEqual(shown, lenses)
            hints = editor.hints("prog.c")
            self.assertIn(" s", hints[self.line("sink += i ^ n")])
            self.assertNotIn(" s", hints.get(self.line("sink -= i & n"), ""))
            hover = editor.hover("prog.c", self.line("int parse("), "parse")
            self.assertRegex(hover, r"Selected: thread parse( \\?\(\d+\\?\))?\.")
            self.assertNotIn("Calls are not shown", hover)
            flames = self.ask(editor, "gprof/flameGraph")
            self.assertNotIn('"solve"', str(flames).replace("'", '"'))
            report = self.ask(editor, "gprof/report", kind="flat-profile", options="-b --accurate")
            self.assertIn("thread parse", report["text"])
            self.assertNotIn("thread parse", self.ask(editor, "gprof/report", kind="flat-profile")["text"])
            everything = self.spots(editor, selection=None)
            self.assertEqual(everything, whole)
            self.command(editor, "gprof.setSelection", None)
            self.assertEqual(self.spots(editor), whole)
            self.assertEqual(editor.lenses("prog.c"), lenses)

    def test_threads_and_stretches_add_up(self):
        with self.session() as editor:
            told = self.ask(editor, "gprof/metrics")
            length, width = told["length"], told["sliceWidth"]
            self.assertAlmostEqual(length, 1, places=9)
            self.assertAlmostEqual(width, 0.1, places=9)
            names = {thread["name"] for thread in told["threads"]}
            self.assertTrue({"parse", "solve"} <= names, names)
            cpu = next(metric for metric in told["metrics"] if metric["name"] == "cpu")
            self.assertEqual((cpu["kind"], cpu["unit"]), ("sampled", "seconds"))
            self.assertGreater(cpu["totalError"], 0)
            middle = length / 2

            def total(**selection):
                return self.ask(editor, "gprof/flatProfile", selection=selection)["sampledSeconds"]
            self.assertAlmostEqual(total(to=middle) + total(**{"from": middle}), total(), places=9)
            by_thread = [total(threads=[thread["thread"]]) for thread in told["threads"]]
            self.assertAlmostEqual(sum(by_thread), total(), places=9)

    def test_a_stretch_of_time_has_no_calls(self):
        with self.session() as editor:
            self.assertIn("call", " ".join(editor.lenses("prog.c")[self.line("int parse(")]))
            length = self.ask(editor, "gprof/metrics")["length"]
            self.command(editor, "gprof.setSelection", {"from": 0, "to": length / 4})
            lens = " ".join(editor.lenses("prog.c")[self.line("int parse(")])
            self.assertNotIn("call", lens)
            self.assertIn("self ", lens)
            hover = editor.hover("prog.c", self.line("int parse("), "parse")
            self.assertIn("Calls are not shown", hover)
            self.assertIn("Selected: ", hover)
            self.assertTrue(all("calls" not in line for line in self.lines(editor).values()))
            self.assertFalse(self.spots(editor).get("solve", {}).get("selfSeconds"))

    def test_time_lines(self):
        with self.session() as editor:
            answer = self.ask(editor, "gprof/timeline", rows="threads", columns=10)
            self.assertEqual((answer["metric"], answer["unit"]), ("cpu", "seconds"))
            rows = {row["name"]: row for row in answer["rows"]}
            for name, early in (("parse", True), ("solve", False)):
                values = rows[name]["values"]
                self.assertEqual(len(values), 10)
                self.assertAlmostEqual(sum(values), rows[name]["total"], places=9)
                self.assertAlmostEqual(sum(values[:5]) if early else sum(values[5:]), 0.5, places=9)
            processes = self.ask(editor, "gprof/timeline", rows="processes")
            self.assertEqual(len(processes["rows"]), 1)
            self.assertNotIn("thread", processes["rows"][0])
            self.assertAlmostEqual(processes["rows"][0]["total"], sum(row["total"] for row in answer["rows"]), places=9)
            self.assertEqual(len(self.ask(editor, "gprof/timeline", rows="processes", columns=1000000)["rows"][0]["values"]),
                             4096)
            alone = self.ask(editor, "gprof/timeline", rows="threads", selection={"threads": ["solve"]})
            self.assertEqual([row["name"] for row in alone["rows"] if row["total"] > 0], ["solve"])
            for stretch in ({"from": 1000, "to": 1001}, {"from": 0.2, "to": 0.1}, {"from": -1}):
                self.refused(editor, "gprof/timeline", {"rows": "threads", **stretch}, "took", " s")
            self.refused(editor, "gprof/timeline", {"rows": "cores"}, "threads")

    def test_what_there_is_not(self):
        with self.session() as editor:
            for selection, words in (({"threads": ["nobody"]}, ("nobody", "parse", "solve")),
                                     ({"threads": [99999999]}, ("99999999", "parse")),
                                     ({"processes": [99999999]}, ("99999999", "gmon.out")),
                                     ({"from": 1000}, ("1000", "the run lasts")),
                                     ({"from": 0.2, "to": 0.2}, ("the run lasts",)),
                                     ({"threads": [True]}, ("threads[0]",)),
                                     ({"from": "now"}, ("from",))):
                with self.subTest(selection=selection):
                    self.refused(editor, "workspace/executeCommand",
                                 {"command": "gprof.setSelection", "arguments": [selection]}, *words)
                    self.refused(editor, "gprof/hotSpots", {"selection": selection}, *words)
                    self.refused(editor, "gprof/lineData", {**document(editor, "prog.c"), "selection": selection}, *words)
            self.refused(editor, "workspace/executeCommand", {"command": "gprof.setSelection", "arguments": []}, "selection")
            self.refused(editor, "workspace/executeCommand",
                         {"command": "gprof.setSelection", "arguments": [None, "other"]}, "other", "prog")
            for method in ("gprof/hotSpots", "gprof/flatProfile", "gprof/flameGraph", "gprof/cycles"):
                self.refused(editor, method, {"metric": "speed"}, "speed", "cpu", "calls", "seconds per call")
            self.refused(editor, "workspace/executeCommand", {"command": "gprof.setMetric", "arguments": ["speed"]},
                         "speed", "cpu", "calls", "seconds per call")

    def test_a_selection_that_a_new_profile_lacks_is_dropped(self):
        with self.session() as editor:
            whole = self.spots(editor)
            self.command(editor, "gprof.setSelection", {"threads": ["parse"]})
            self.assertNotEqual(self.spots(editor), whole)
            self.workspace.write("prog.c", SOURCE.replace('"parse"', '"reader"'))
            self.build()
            self.record("reader")
            self.command(editor, "gprof.reload")
            editor.wait_for(lambda: self.spots(editor).get("solve", {}).get("selfSeconds"), "all of the profile")
            editor.wait_for_message("no thread parse", "all of the profile is shown")

    def test_derived_figures(self):
        with self.session(settings={"derived": [
                {"name": "half", "formula": "cpu / 2", "unit": "seconds"},
                {"name": "broken", "formula": "cpu / nothing"}, {"name": "a", "formula": "b"},
                {"name": "b", "formula": "a"}, {"name": "never", "formula": "cpu / (calls - calls)"}]}) as editor:
            told = self.ask(editor, "gprof/metrics")
            names = [metric["name"] for metric in told["metrics"]]
            self.assertEqual(names[0], "cpu")
            self.assertTrue({"calls", "half", "seconds per call", "never"} <= set(names), names)
            self.assertFalse({"broken", "a", "b"} & set(names))
            problems = "\n".join(told["problems"])
            for word in ("broken", "nothing", "a -> b"):
                self.assertIn(word, problems)
            editor.wait_for_message("gprof.derived", "broken", "nothing")
            self.assertEqual(1, sum("broken" in message["message"] for message in editor.all_messages()))
            spots = self.spots(editor, metrics=["cpu", "calls", "half", "seconds per call", "never"])
            values = spots["parse"]["values"]
            self.assertAlmostEqual(values["half"]["self"], spots["parse"]["selfSeconds"] / 2, places=9)
            self.assertAlmostEqual(values["half"]["selfError"], spots["parse"]["selfError"] / 2, places=9)
            self.assertEqual(values["calls"], {"self": spots["parse"]["calls"]})
            self.assertAlmostEqual(values["seconds per call"]["self"],
                                   spots["parse"]["selfSeconds"] / spots["parse"]["calls"], places=12)
            self.assertNotIn("never", values)
            self.assertEqual(set(self.spots(editor, metric="never")), set())
            self.command(editor, "gprof.setMetric", "seconds per call")
            lens = " ".join(editor.lenses("prog.c")[self.line("int parse(")])
            self.assertRegex(lens, r"seconds per call [\d.]+ (m|µ|n)?s")
            self.assertIn("seconds per call: ", editor.hover("prog.c", self.line("int parse("), "parse"))
            # No sample is not no time.
            once = self.line("void once(")
            self.assertNotIn("seconds per call", " ".join(editor.lenses("prog.c").get(once, [])))
            self.assertIn("seconds per call: no samples", editor.hover("prog.c", once, "once"))
            answer = self.ask(editor, "gprof/lineData", **document(editor, "prog.c"))
            self.assertEqual(answer["columns"][0]["name"], "value")
            self.refused(editor, "gprof/hotSpots", {"metric": "broken"}, "broken", "nothing")


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class Events(SelectionTest):
    def setUp(self):
        super().setUp()
        (self.folder / "callgrind.out").write_text(CALLGRIND.format(
            folder=self.folder, parse=self.line("sink += i ^ n"), solve=self.line("sink -= i & n"),
            parser=self.line("parse(200000)"), solver=self.line("solve(200000)")))

    def session(self, **settings):
        programs = [{"executable": "prog", "profiles": ["callgrind.out"]}]
        return self.editor(capabilities={**capabilities(), **STATUS}, settings={"programs": programs, **settings},
                           opened=["prog.c"])

    def test_each_event_is_a_metric(self):
        with self.session() as editor:
            told = self.ask(editor, "gprof/metrics")
            self.assertEqual([(metric["name"], metric["kind"], metric["total"]) for metric in told["metrics"][:3]],
                             [("Ir", "exact", 1630), ("Dr", "exact", 500), ("D1mr", "exact", 100)])
            self.assertEqual(told["sliceWidth"], 0)
            spots = self.spots(editor, metrics=["Ir", "Dr", "D1mr", "calls"])
            self.assertEqual(spots["parse"]["values"],
                             {"Ir": {"self": 1000, "total": 1000}, "Dr": {"self": 400, "total": 400},
                              "D1mr": {"self": 20, "total": 20}, "calls": {"self": 5}})
            rows = self.lines(editor, metrics=["Ir", "D1mr"])
            self.assertEqual(rows[self.line("sink += i ^ n")]["values"]["D1mr"]["self"], 20)
            flat = self.ask(editor, "gprof/flatProfile", metric="D1mr", metrics=["Dr"])
            self.assertEqual((flat["unit"], flat["programSeconds"]), ("D1mr", 100))
            by_misses = self.spots(editor, metric="D1mr")
            self.assertEqual(next(iter(by_misses)), "solve")
            self.assertEqual(by_misses["solve"]["selfSeconds"], 80)
            self.assertEqual(self.ask(editor, "gprof/flameGraph", metric="Dr")["total"], 500)

    def test_the_setting_and_the_command_take_any_name(self):
        with self.session(metric="D1mr") as editor:
            lens = " ".join(editor.lenses("prog.c")[self.line("int parse(")])
            self.assertIn("20 ", lens)
            status = editor.client.wait_for_notification("gprof/status", lambda params: params["state"] == "ready")
            self.assertEqual(status["metric"], "D1mr")
            self.assertIn("Unit: D1mr", editor.hover("prog.c", self.line("int parse("), "parse"))
            self.command(editor, "gprof.setMetric", "Dr")
            editor.client.wait_for_notification("gprof/status", lambda params: params["metric"] == "Dr")
            self.assertIn("400 ", " ".join(editor.lenses("prog.c")[self.line("int parse(")]))
            self.command(editor, "gprof.setMetric", "time")
            self.assertIn("1000 ", " ".join(editor.lenses("prog.c")[self.line("int parse(")]))

    def test_a_metric_that_the_profile_lacks_is_told_once(self):
        with self.session(metric="page-faults") as editor:
            for _ in range(3):
                self.assertIn("1000 ", " ".join(editor.lenses("prog.c")[self.line("int parse(")]))
            editor.wait_for_message("no metric page-faults", "Ir", "time is shown")
            editor.settle()
            self.assertEqual(1, sum("page-faults" in message["message"] for message in editor.all_messages()))
            status = editor.client.wait_for_notification("gprof/status", lambda params: params["state"] == "ready")
            self.assertEqual(status["metric"], "time")

    def test_ratios_of_events(self):
        derived = [{"name": "miss rate", "formula": "D1mr / Dr", "unit": "misses"}]
        with self.session(derived=derived, metric="miss rate") as editor:
            spots = self.spots(editor, metrics=["miss rate"])
            self.assertEqual([*spots], ["solve", "parse"])
            self.assertEqual(spots["solve"]["values"]["miss rate"]["self"], 0.8)
            self.assertAlmostEqual(spots["parse"]["values"]["miss rate"]["self"], 0.05)
            self.assertIn("miss rate 0.0500 misses", " ".join(editor.lenses("prog.c")[self.line("int parse(")]))
            hint = editor.hints("prog.c")[self.line("sink += i ^ n")]
            self.assertTrue(hint.startswith("0.0500 misses"), hint)
            total = next(m for m in self.ask(editor, "gprof/metrics")["metrics"] if m["name"] == "miss rate")
            self.assertEqual((total["kind"], total["total"]), ("derived", 0.2))

    def test_what_callgrind_does_not_tell(self):
        with self.session() as editor:
            self.refused(editor, "gprof/hotSpots", {"selection": {"from": 0}}, "does not tell when")
            self.refused(editor, "gprof/hotSpots", {"selection": {"threads": ["parse"]}}, "threads")
            self.refused(editor, "gprof/timeline", {"rows": "processes", "from": 0, "to": 1}, "does not tell when")
            answer = self.ask(editor, "gprof/timeline", rows="processes")
            self.assertEqual(answer.get("untimed"), 1630)

    def test_a_base_is_not_compared_with_parts(self):
        (self.folder / "older.out").write_text((self.folder / "callgrind.out").read_text())
        with self.session(base={"profiles": ["older.out"]}) as editor:
            self.assertTrue(any("selfDifference" in spot for spot in self.spots(editor).values()))
            self.assertFalse(any("selfDifference" in spot for spot in self.spots(editor, metric="Dr").values()))
            self.command(editor, "gprof.setMetric", "Dr")
            self.assertIn("Nothing is compared with the base",
                          editor.hover("prog.c", self.line("int parse("), "parse"))


if __name__ == "__main__":
    unittest.main()
