"""Waiting, of a profile whose every figure is known: what lenses, hints, hovers, lists, reports and exports
say of it. The collector has no part in it: the test writes the sidecar."""
import json
import os
import subprocess

import documented_shapes
import known_waits
from extension_support import INVALID_PARAMS, PAGE, answer_shape, with_capabilities
from feature_session import KnownProfileTest, document

SERVER = os.environ.get("GPROF_LSP_SERVER")


class WaitingTest(KnownProfileTest):
    """The figures of known_waits."""

    def setUp(self):
        super().setUp()
        self.write_sidecar(self.workspace.path("gmon.out.gpx"))
        self.shapes = documented_shapes.Shapes(PAGE.read_text())

    def write_sidecar(self, path, of_lock=790_000_000):
        known_waits.write_sidecar(self.workspace, path, of_lock)

    def ask(self, editor, method, **params):
        """The answer, which fits what is documented."""
        answer = editor.client.request(method, params)
        self.assertEqual([], self.shapes.defects(answer, answer_shape(method)), method)
        return answer

    def spots(self, editor, **params):
        return {spot["name"]: spot for spot in self.ask(editor, "gprof/hotSpots", **params)["spots"]}

    def run_command(self, *arguments, status=0):
        done = subprocess.run([SERVER, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(status, done.returncode, done.stderr)
        return done


class InTheEditor(WaitingTest):
    def test_lenses_tell_it_beside_cpu_time(self):
        with self.editor(opened=["hot.c"]) as editor:
            lenses = editor.lenses("hot.c")
            self.assertRegex(lenses[self.line("int middle")][0], r"self 0\.36 s .* · waits 8\.2 s \(lock 7\.9\)$")
            # What is idle is left out.
            self.assertRegex(lenses[self.line("int main")][0], r" · waits 8\.2 s \(lock 7\.9\)$")
            self.assertNotIn("waits", lenses[self.line("int leaf")][0])

    def test_hints_lead_to_the_line_that_blocks(self):
        with self.editor(opened=["hot.c"]) as editor:
            hints = editor.hints("hot.c")
            self.assertIn("8.2 s wait", hints[self.line("calls middle")])
            self.assertIn("7.9 s lock", hints[self.line("some calls")])
            self.assertIn("300 ms io", hints[self.line("most calls")])
            # What is idle does not flood them.
            for fragment in ("calls leaf", "leaf's body"):
                self.assertNotRegex(hints.get(self.line(fragment), ""), " lock| io| wait", fragment)

    def test_lines_have_a_cell_for_it(self):
        with self.editor(opened=["hot.c"]) as editor:
            answer = self.ask(editor, "gprof/lineData", **document(editor, "hot.c"))
            names = [column["name"] for column in answer["columns"]]
            self.assertIn("waits", names)
            cells = {line["line"] + 1: line.get("cells", []) for line in answer["lines"]}
            self.assertEqual("7.9 s lock", cells[self.line("some calls")][names.index("waits")])
            self.assertEqual("8.2 s wait", cells[self.line("calls middle")][names.index("waits")])
            # As times, they are the line's own where self times are asked for.
            answer = self.ask(editor, "gprof/lineData", metric="self", **document(editor, "hot.c"))
            cells = {line["line"] + 1: line.get("cells", []) for line in answer["lines"]}
            self.assertEqual("7.9 s lock", cells[self.line("some calls")][names.index("waits")])
            self.assertNotIn("8.2 s wait", cells[self.line("calls middle")])

    def test_hovers_tell_who_had_the_lock(self):
        with self.editor(opened=["hot.c"]) as editor:
            for line, word in ((self.line("some calls"), "sum"), (self.line("int middle"), "middle")):
                hover = editor.hover("hot.c", line, word)
                self.assertRegex(hover, r"Meanwhile the lock was held by \[?main\]?[^ ]* at "
                                        rf"\[?hot\.c:{self.line('calls leaf')}\b.* for 7\.00 s \(90 times\)")
            self.assertIn("Waits 7.90 s here, 100 times, 1.20 s at the longest: lock.",
                          editor.hover("hot.c", self.line("some calls"), "sum"))
            hover = editor.hover("hot.c", self.line("int middle"), "middle")
            self.assertIn("Waits 8.20 s here, 120 times, 1.20 s at the longest: lock 7.90 s, 100 times; io 300 "
                          "ms, 20 times.", hover)
            for line, word in ((self.line("int main"), "main"), (self.line("calls middle"), "total")):
                hover = editor.hover("hot.c", line, word)
                self.assertIn("Waits 8.20 s in what it calls, 120 times, 1.20 s at the longest: lock", hover)
            self.assertIn("CPU time: waiting is told beside it.", hover)

    def test_idle_waiting_is_folded_until_it_is_asked_for(self):
        with self.editor(opened=["hot.c"]) as editor:
            line = self.line("calls leaf")
            self.assertIn("idle: 2 threads wait here for 18.0 s; gprof.idle shows it.",
                          editor.hover("hot.c", line, "total"))
            self.assertNotIn("main", self.spots(editor, metric="wait"))
            refreshes = editor.refreshes()
            self.assertIsNone(editor.client.request("workspace/executeCommand",
                                                    {"command": "gprof.setIdle", "arguments": ["shown"]}))
            editor.wait_for_loads(refreshes + 1)
            self.assertIn("18 s lock", editor.hints("hot.c")[line])
            self.assertRegex(editor.lenses("hot.c")[self.line("int main")][0], r"waits 26 s \(lock 26\)")
            self.assertAlmostEqual(18, self.spots(editor, metric="wait")["main"]["selfSeconds"])
            totals = {metric["name"]: metric.get("total")
                      for metric in self.ask(editor, "gprof/metrics")["metrics"]}
            self.assertAlmostEqual(26.2, totals["wait"])
            error = editor.client.start_request("workspace/executeCommand", {
                "command": "gprof.setIdle", "arguments": ["away"]}).error()
            self.assertEqual(INVALID_PARAMS, error.code)

    def test_the_status_says_whether_idle_waiting_is_shown(self):
        with self.editor(capabilities=with_capabilities(experimental={"gprof": {"status": True}})) as editor:
            def wait_for(idle):
                editor.client.wait_for_notification("gprof/status", lambda params: params.get("idle") == idle)
            wait_for("folded")
            editor.client.request("workspace/executeCommand", {"command": "gprof.setIdle", "arguments": ["shown"]})
            wait_for("shown")

    def test_the_setting_shows_idle_waiting(self):
        with self.editor(settings={"idle": "shown"}, opened=["hot.c"]) as editor:
            self.assertIn("18 s lock", editor.hints("hot.c")[self.line("calls leaf")])


class AsAMetric(WaitingTest):
    def test_the_list_has_them_with_their_totals(self):
        with self.editor() as editor:
            metrics = {metric["name"]: metric for metric in self.ask(editor, "gprof/metrics")["metrics"]}
            self.assertEqual(["cpu", "wait", "wait.lock", "wait.io", "wall"], list(metrics)[:5])
            for name, total in (("cpu", 1), ("wait", 8.2), ("wait.lock", 7.9), ("wait.io", 0.3), ("wall", 9.2)):
                self.assertAlmostEqual(total, metrics[name]["total"], msg=name)
                self.assertEqual("seconds", metrics[name]["unit"])
            self.assertEqual("exact", metrics["wait"]["kind"])
            self.assertNotIn("totalError", metrics["wait"])
            self.assertAlmostEqual(metrics["cpu"]["totalError"], metrics["wall"]["totalError"])

    def test_hot_spots_and_flame_graph_by_the_clock(self):
        with self.editor() as editor:
            spots = self.spots(editor, metric="wall")
            self.assertEqual(["middle", "leaf", "main"], list(spots))
            self.assertAlmostEqual(8.56, spots["middle"]["selfSeconds"])
            self.assertAlmostEqual(0.04, spots["main"]["selfSeconds"])
            self.assertEqual(["middle"], list(self.spots(editor, metric="wait.io")))
            flames = self.ask(editor, "gprof/flameGraph", metric="wait")
            self.assertEqual("measured", flames["basis"])
            self.assertAlmostEqual(8.2, flames["total"])
            self.assertEqual("main", flames["root"]["children"][0]["name"])
            self.assertEqual("middle", flames["root"]["children"][0]["children"][0]["name"])

    def test_lines_have_it_where_they_wait(self):
        with self.editor(opened=["hot.c"]) as editor:
            for metric, expected in (("wait", {"some calls": 7.9, "most calls": 0.3}), ("wait.io", {"most calls": 0.3})):
                answer = self.ask(editor, "gprof/lineData", metric=metric, threshold=0, **document(editor, "hot.c"))
                times = {line["line"] + 1: line.get("selfSeconds", 0) for line in answer["lines"]}
                waiting = {line: time for line, time in times.items() if time > 0}
                self.assertEqual({self.line(fragment) for fragment in expected}, set(waiting), metric)
                for fragment, time in expected.items():
                    self.assertAlmostEqual(time, waiting[self.line(fragment)])

    def test_selections_of_threads_and_time_add_up(self):
        with self.editor() as editor:
            def middle(**selection):
                spots = self.spots(editor, metric="wait", selection=selection)
                return spots["middle"]["selfSeconds"] if "middle" in spots else 0
            self.assertAlmostEqual(8.2, middle(threads=["main"]))
            self.assertEqual(0, middle(threads=["pool"]))
            first, rest = middle(to=3), middle(**{"from": 3})
            self.assertAlmostEqual(3 * 0.79, first)
            self.assertAlmostEqual(8.2, first + rest)

    def test_the_time_line_has_it_by_slice(self):
        with self.editor() as editor:
            line = self.ask(editor, "gprof/timeline", metric="wait", rows="threads", columns=10)
            main = next(row for row in line["rows"] if row["name"] == "main")
            self.assertAlmostEqual(0.79, main["values"][0])
            self.assertAlmostEqual(1.09, main["values"][9])
            self.assertEqual(0, sum(sum(row["values"]) for row in line["rows"] if row["name"] == "pool"))
            # A client that draws idle waiting in a colour of its own asks for both.
            line = self.ask(editor, "gprof/timeline", metric="wait", rows="threads", columns=10,
                            selection={"idle": True})
            self.assertAlmostEqual(18, sum(sum(row["values"]) for row in line["rows"] if row["name"] == "pool"))


    def activities(self, editor, **params):
        """By the thread's name, then the activity's: its values. Threads of one name are one."""
        line = self.ask(editor, "gprof/timeline", rows="threads", columns=10, **params)
        found = {}
        for row in line["rows"]:
            counted = [activity["values"] for activity in row.get("activities", []) if activity["name"] != "idle"]
            if line["metric"] != "cpu":
                for column, value in enumerate(row["values"]):
                    self.assertAlmostEqual(value, sum(values[column] for values in counted))
            of_thread = found.setdefault(row["name"], {})
            for activity in row.get("activities", []):
                before = of_thread.get(activity["name"], [0] * 10)
                of_thread[activity["name"]] = [a + b for a, b in zip(before, activity["values"], strict=True)]
        return found

    def test_the_time_line_tells_what_threads_did(self):
        with self.editor() as editor:
            found = self.activities(editor, metric="wall")
            self.assertEqual(["running", "lock", "io"], list(found["main"]))
            self.assertEqual(["idle"], list(found["pool"]))
            self.assertAlmostEqual(1, found["main"]["running"][0])
            self.assertAlmostEqual(0, sum(found["main"]["running"][1:]))
            for lock in found["main"]["lock"]:
                self.assertAlmostEqual(0.79, lock)
            self.assertEqual([0] * 9, found["main"]["io"][:9])
            self.assertAlmostEqual(0.3, found["main"]["io"][9])
            # It is folded away, and told all the same.
            for idle in found["pool"]["idle"]:
                self.assertAlmostEqual(1.8, idle)
            self.assertEqual({"main": ["lock", "io"], "pool": ["idle"]},
                             {name: list(of) for name, of in self.activities(editor, metric="wait").items()})
            self.assertEqual({"main": ["io"], "pool": []},
                             {name: list(of) for name, of in self.activities(editor, metric="wait.io").items()})
            self.assertEqual({"main": [], "pool": []},
                             {name: list(of) for name, of in self.activities(editor, metric="cpu").items()})

    def test_idle_waiting_that_is_shown_is_in_the_values_of_the_time_line(self):
        with self.editor() as editor:
            line = self.ask(editor, "gprof/timeline", metric="wall", rows="threads", columns=10,
                            selection={"idle": True})
            for row in line["rows"]:
                for column, value in enumerate(row["values"]):
                    self.assertAlmostEqual(value, sum(one["values"][column] for one in row["activities"]))
            self.assertAlmostEqual(27.2, sum(row["total"] for row in line["rows"]))

    def test_the_time_line_of_a_stretch_and_a_thread_tells_them_alone(self):
        with self.editor() as editor:
            found = self.activities(editor, metric="wall", selection={"threads": ["main"], "from": 9})
            self.assertEqual({"main": ["lock", "io"], "pool": []}, {name: list(of) for name, of in found.items()})
            self.assertAlmostEqual(0.79, sum(found["main"]["lock"]))


class OnTheCommandLine(WaitingTest):
    def test_reports_take_it_by_name(self):
        text = self.run_command("report", "--accurate", "--metric", "wait", "-b", "-p", "program", "gmon.out").stdout
        self.assertIn("Costs were taken from a clock, in seconds.", text)
        row = next(line for line in text.splitlines() if line.endswith(" middle"))
        self.assertEqual(["100.0", "8.20", "8.20"], [f"{float(row.split()[0]):.1f}", *row.split()[1:3]])
        graph = self.run_command("report", "--accurate", "--metric", "wall", "-b", "-q", "program",
                                 "gmon.out").stdout
        self.assertRegex(graph, r"(?m)^\[\d+\].*\bmiddle \[")
        failed = self.run_command("report", "--accurate", "--metric", "wait.child", "program", "gmon.out", status=1)
        self.assertIn("cpu, wait, wait.lock, wait.io, wall", failed.stderr)

    def test_idle_waiting_is_part_of_it_where_it_is_asked_for(self):
        text = self.run_command("report", "--accurate", "--metric", "wait", "--idle", "-b", "-p", "program",
                                "gmon.out").stdout
        row = next(line for line in text.splitlines() if line.endswith(" main"))
        self.assertEqual("18.00", row.split()[2])

    def test_exports_take_it_by_name(self):
        exported = self.run_command("export", "--format=json", "--metric", "wait", "program", "gmon.out").stdout
        found = json.loads(exported)
        middle = next(function for function in found["functions"] if function["name"] == "middle")
        self.assertAlmostEqual(8.2, middle["self"])
        self.assertAlmostEqual(8.56, middle["values"]["wall"]["self"])
        self.assertAlmostEqual(middle["values"]["cpu"]["selfError"], middle["values"]["wall"]["selfError"], 1)
        folded = self.run_command("export", "--format=folded", "--metric", "wait.lock", "program", "gmon.out").stdout
        self.assertRegex(folded, r"(?m)^.*main;middle(;.*)? \d+$")

    def test_a_lock_that_got_slower_is_a_regression(self):
        before = self.workspace.path("before")
        before.mkdir()
        (before / "gmon.out").write_bytes(self.workspace.path("gmon.out").read_bytes())
        self.write_sidecar(before / "gmon.out.gpx", of_lock=400_000_000)
        compared = self.run_command("diff", "--metric=wait.lock", "--format=json", "program", "before/gmon.out", "--",
                                    "program", "gmon.out").stdout
        found = next(function for function in json.loads(compared)["functions"] if function["name"] == "middle")
        self.assertAlmostEqual(4.0, found["self"]["before"])
        self.assertAlmostEqual(7.9, found["self"]["after"])
        self.assertEqual("regressed", found["verdict"])
