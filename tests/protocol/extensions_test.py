"""The server's own messages, gprof/…: held against docs/lsp-extensions.md both ways, and their
figures against gprof's and against what is known by construction."""
import json
import pathlib
import re
import tempfile
import unittest

import documented_shapes
from counting_program import CountingProgram
from extension_support import (COUNTS, INVALID_PARAMS, PAGE, Editor, Programs, Workspace,
                               answer_shape, with_capabilities)
from own_folders import fresh_folder
from profiled_program import gprof_flat, gprof_graph


class Documentation(Programs):
    def test_all_of_it_can_be_read_and_nothing_is_left_over(self):
        self.assertEqual(set(), self.shapes.referenced() - self.shapes.names()
                         - set(documented_shapes.BASIC))
        for example in documented_shapes.blocks(PAGE.read_text(), "json"):
            json.loads(example)

    def test_announced_and_documented_messages_are_the_same(self):
        page = PAGE.read_text()
        with Editor(self.counted.directory) as editor:
            extensions = editor.offered["experimental"]["gprof"]
            self.assertEqual([], self.shapes.defects(extensions, "ServerExtensions"))
            sections = re.split(r"^## ", page, flags=re.MULTILINE)
            for title, announced in (("Requests", extensions["requests"]),
                                     ("Notifications", extensions["notifications"])):
                section = [text for text in sections if text.startswith(title + "\n")]
                documented = re.findall(r"^### (gprof/\w+)$", section[0], re.MULTILINE)
                self.assertEqual(sorted(documented), announced)
            for method in extensions["requests"]:
                self.assertIn(answer_shape(method), self.shapes.names())
                self.assertIn(answer_shape(method).replace("Result", "Params"), self.shapes.names())

    def test_announced_and_documented_commands_are_the_same(self):
        documented = re.findall(r"^\| `(gprof\.\w+)` \|", PAGE.read_text(), re.MULTILINE)
        with Editor(self.counted.directory) as editor:
            self.assertEqual(sorted(documented),
                             editor.offered["executeCommandProvider"]["commands"])

    def test_the_status_fits_and_comes_only_where_it_is_known(self):
        capabilities = with_capabilities(experimental={"gprof": {"status": True}})
        with Editor(self.counted.directory, capabilities=capabilities) as editor:
            ready = editor.client.wait_for_notification(
                "gprof/status", lambda params: params["state"] == "ready")
            self.assertEqual(str(self.counted.path("program")), ready["program"])
            for method, params in editor.client.notifications:
                if method == "gprof/status":
                    self.assertEqual([], self.shapes.defects(params, "StatusParams"))
        with Editor(self.counted.directory) as editor:
            editor.client.request("gprof/programs", {})
            self.assertNotIn("gprof/status", [method for method, _ in editor.client.notifications])

    def test_examples_fit(self):
        """The JSON of each section is parameters, results, or both, as they are documented."""
        page = PAGE.read_text()
        for method, section in re.findall(r"^### gprof/(\w+)$(.*?)(?=^##)", page,
                                          re.MULTILINE | re.DOTALL):
            name = method[0].upper() + method[1:]
            shapes = [name + end for end in ("Params", "Result") if name + end in self.shapes.names()]
            for example in documented_shapes.blocks(section, "json"):
                value = json.loads(example)
                tries = [self.shapes.defects(value, shape) for shape in shapes]
                self.assertIn([], tries, f"{method}: {value}")

    def test_every_documented_member_is_seen(self):
        """What the page promises does come, in some answer: no member is there on paper alone."""
        seen = set()

        def note(editor, method, params):
            answer = editor.client.request(method, params)
            self.assertEqual([], self.shapes.defects(answer, answer_shape(method), seen), method)

        beside_itself = {"base": {"profiles": ["gmon.out"]}}
        for workspace, settings in ((self.counted, None), (self.burning, None),
                                    (self.burning, beside_itself)):
            with Editor(workspace.directory, settings=settings) as editor:
                sources = [name for name in (*COUNTS, "counts/burn.c")
                           if workspace.path(name).exists()]
                for source in sources:
                    note(editor, "gprof/lineData", {"textDocument": {"uri": editor.uri(source)},
                                                    "metrics": ["time", "calls"]})
                note(editor, "gprof/hotSpots", {"metric": "calls", "metrics": ["calls"]})
                note(editor, "gprof/flatProfile", {"metrics": ["calls"]})
                note(editor, "gprof/metrics", {})
                note(editor, "gprof/timeline", {"rows": "processes"})
                for symbol in ("work", "step", "ping", "factorial", "is_even"):
                    note(editor, "gprof/callGraph", {"symbol": symbol, "depth": 8})
                for name, fragment, word in (("counts/work.c", "int factorial", "factorial"),
                                             ("counts/burn.c", " spin(unsigned", "spin")):
                    if name in sources:
                        place = editor.place(name, workspace.line_of(name, fragment), word)
                        note(editor, "gprof/callSites", {**place, "direction": "callers"})
                note(editor, "gprof/cycles", {})
                note(editor, "gprof/report", {"kind": "flat-profile"})
                note(editor, "gprof/programs", {})
                note(editor, "gprof/idle", {})
                note(editor, "gprof/flameGraph", {"maximumDepth": 1, "differences": True})
        documented = {(name, member) for name in ("LineData", "LineColumn", "LineCallee", "HotSpot", "Heats",
                                                  "FlatProfileRow", "CallGraphNode", "CallGraphArc",
                                                  "CallCycle", "CycleMember", "CallSite",
                                                  "CallGraphResult", "FlameGraphResult", "FlameGraphNode",
                                                  "ReportLink", "ProgramEntry")
                      for member in self.shapes.members(name)}
        # These need C++, samples that are too few, basic-block counts, call sites that share a slot,
        # calls by code that is not profiled, a library, a program that runs, stacks, a base without a function,
        # and a member of a cycle that calls itself.
        elsewhere = {("HotSpot", "signature"), ("HotSpot", "significant"), ("HotSpot", "module"), ("HotSpot", "callSite"),
                     ("LineData", "significant"), ("LineData", "executions"), ("LineCallee", "approximate"),
                     ("LineData", "totalDifference"),
                     ("ProgramEntry", "partOf"), ("ProgramEntry", "live"),
                     ("CallSite", "alternatives"), ("CallSite", "approximate"), ("CallSite", "through"),
                     ("FlameGraphNode", "module"), ("FlameGraphNode", "inlined"), ("FlameGraphNode", "gone"),
                     ("FlameGraphNode", "goneSeconds"), ("CycleMember", "recursiveCalls")}
        self.assertEqual(set(), documented - seen - elsewhere)


class LineData(Programs):
    def lines(self, editor, workspace, name, **params):
        answer = self.ask(editor, "gprof/lineData",
                          {"textDocument": {"uri": editor.uri(name)}, **params})
        return answer, {row["line"] + 1: row for row in answer["lines"]}

    def test_counts_are_those_of_the_program(self):
        line = self.counted.line_of
        with Editor(self.counted.directory, opened=["counts/work.c"]) as editor:
            answer, rows = self.lines(editor, self.counted, "counts/work.c")
            self.assertEqual(("inStep", 1), (answer["source"], answer["version"]))
            self.assertEqual([*rows], sorted(rows))
            calls = {number: (row["callees"][0]["name"], row["calls"]) for number, row
                     in rows.items() if "calls" in row}
            self.assertEqual(calls, {
                line("counts/work.c", "recursive call"): ("factorial", 1200),
                line("counts/work.c", "of work.c"): ("fifty_steps", 300),
                line("counts/work.c", "is_odd(n - 1)"): ("is_odd", 5),
                line("counts/work.c", "is_even(n - 1)"): ("is_even", 5),
                line("counts/work.c", "+= same_name(i)"): ("same_name", 300),
                line("counts/work.c", "factorial(5)"): ("factorial", 300),
                line("counts/work.c", "is_even(10)"): ("is_even", 1),
            })
            callee = rows[line("counts/work.c", "of work.c")]["callees"][0]
            self.assertEqual(editor.uri("counts/shared.h"), callee["uri"])
            self.assertEqual(line("counts/shared.h", "int fifty_steps"),
                             callee["position"]["line"] + 1)

    def test_times_are_gprofs(self):
        flat = gprof_flat(self.burning, "burn")
        with Editor(self.burning.directory) as editor:
            answer, rows = self.lines(editor, self.burning, "counts/burn.c")
            self.assertEqual(("inStep", None), (answer["source"], answer["version"]))
            total = sum(row.get("selfSeconds", 0) for row in rows.values())
            self.assertAlmostEqual(total, sum(float(row[1]) for row in flat.values()), delta=0.05)
            hottest = max(rows.values(), key=lambda row: row["heats"]["self"])
            self.assertEqual(hottest["heats"]["self"], hottest["heat"])
            self.assertGreater(hottest["selfError"], 0)
            for row in rows.values():
                for heat in (row["heat"], *row["heats"].values()):
                    self.assertTrue(0 <= heat <= 1, row)
                self.assertGreaterEqual(row.get("totalSeconds", 0), row.get("selfSeconds", 0))

    def test_the_metric_of_the_settings_is_the_heat(self):
        with Editor(self.counted.directory, settings={"metric": "calls"}) as editor:
            _, rows = self.lines(editor, self.counted, "counts/work.c")
            self.assertTrue(any(row["heat"] > 0 for row in rows.values()))
            for row in rows.values():
                self.assertEqual(row["heats"]["calls"], row["heat"])

    def test_ranges_give_the_same_lines(self):
        with Editor(self.counted.directory) as editor:
            _, rows = self.lines(editor, self.counted, "counts/work.c")
            for number in range(1, 30):
                place = {"line": number - 1, "character": 3}
                _, one = self.lines(editor, self.counted, "counts/work.c",
                                    range={"start": place, "end": place})
                self.assertEqual({k: v for k, v in rows.items() if k == number}, one)
            _, none = self.lines(editor, self.counted, "counts/work.c", range={
                "start": {"line": 5000, "character": 0}, "end": {"line": 9000, "character": 0}})
            self.assertEqual({}, none)

    def test_functions_are_told_as_their_lenses_do(self):
        with Editor(self.counted.directory, settings={"codeLens": {"enable": False}}) as quiet, \
                Editor(self.counted.directory) as editor:
            uri = {"textDocument": {"uri": editor.uri("counts/work.c")}}
            lenses = editor.client.request("textDocument/codeLens", uri)
            self.assertGreater(len(lenses), 3)
            expected = sorted((lens["range"]["start"]["line"], lens["command"]["title"])
                              for lens in lenses)
            for client in (quiet, editor):
                answer, _ = self.lines(client, self.counted, "counts/work.c", functions=True)
                told = [(each["line"], each["text"]) for each in answer["functions"]]
                self.assertEqual(expected, told)
            line = expected[1][0]
            answer, _ = self.lines(editor, self.counted, "counts/work.c", functions=True, range={
                "start": {"line": line, "character": 3}, "end": {"line": line, "character": 4}})
            self.assertEqual([expected[1]], [(each["line"], each["text"]) for each in answer["functions"]])
            answer, _ = self.lines(editor, self.counted, "counts/work.c")
            self.assertNotIn("functions", answer)

    def test_the_hottest_lines_are_those_of_all(self):
        with Editor(self.counted.directory, settings={"metric": "calls"}) as editor:
            _, rows = self.lines(editor, self.counted, "counts/work.c")
            hot = sorted((row for row in rows.values() if row["heat"] > 0),
                         key=lambda row: (-row["heat"], row["line"]))
            self.assertGreater(len(hot), 3)
            for count in (0, 1, 3, len(hot), len(rows) + 1):
                _, some = self.lines(editor, self.counted, "counts/work.c", hottest=count)
                self.assertEqual(sorted(row["line"] + 1 for row in hot[:count]), [*some])

    def test_lines_without_heat_are_not_among_the_hottest(self):
        with Editor(self.counted.directory, settings={"metric": "executions"}) as editor:
            _, rows = self.lines(editor, self.counted, "counts/work.c")
            self.assertTrue(rows and not any(row["heat"] > 0 for row in rows.values()))
            _, some = self.lines(editor, self.counted, "counts/work.c", hottest=len(rows))
            self.assertEqual({}, some)

    def test_edits_move_lines_and_changed_ones_lose_their_figures(self):
        line = self.counted.line_of("counts/work.c", "factorial(5)")
        with Editor(self.counted.directory, opened=["counts/work.c"]) as editor:
            _, before = self.lines(editor, self.counted, "counts/work.c")

            def place(number, character):
                return {"line": number - 1, "character": character}

            editor.client.notify("textDocument/didChange", {
                "textDocument": {"uri": editor.uri("counts/work.c"), "version": 7},
                "contentChanges": [
                    {"range": {"start": place(line, 0), "end": place(line, 0)}, "text": "  "},
                    {"range": {"start": place(1, 0), "end": place(1, 0)}, "text": "\n\n"}]})
            answer, after = self.lines(editor, self.counted, "counts/work.c")
            self.assertEqual(7, answer["version"])
            changed = after.pop(line + 2)
            self.assertEqual({"line", "state", "cells", "level", "heat", "heats"}, set(changed))
            self.assertEqual("changed", changed["state"])
            before.pop(line)
            self.assertEqual({k + 2: {**v, "line": v["line"] + 2} for k, v in before.items()},
                             {k: {**v, "callees": self.moved_back(v)} if "callees" in v else v
                              for k, v in after.items()})

    def moved_back(self, row):
        """Callees that are defined in this document moved with it."""
        return [{**callee, "position": {**callee["position"], "line": callee["position"]["line"] - 2}}
                if callee["uri"].endswith("work.c") else callee for callee in row["callees"]]

    def test_open_documents_tell_where_definitions_are_now(self):
        with Editor(self.counted.directory, opened=["counts/shared.h"]) as editor:
            start = {"line": 0, "character": 0}
            editor.client.notify("textDocument/didChange", {
                "textDocument": {"uri": editor.uri("counts/shared.h"), "version": 2},
                "contentChanges": [{"range": {"start": start, "end": start}, "text": "\n\n\n"}]})
            _, rows = self.lines(editor, self.counted, "counts/work.c")
            callee = rows[self.counted.line_of("counts/work.c", "of work.c")]["callees"][0]
            self.assertEqual(self.counted.line_of("counts/shared.h", "int fifty_steps") + 3,
                             callee["position"]["line"] + 1)

    def test_documents_without_profile_are_empty(self):
        with Editor(self.counted.directory) as editor:
            for uri in ("file:///nowhere.c", "untitled:1", "gprof-report:/index"):
                answer = self.ask(editor, "gprof/lineData", {"textDocument": {"uri": uri}})
                self.assertEqual({"version": None, "source": "unknown", "lines": []}, answer)

    def test_a_client_that_draws_lines_gets_no_hints(self):
        capabilities = with_capabilities(experimental={"gprof": {"decorations": True}})
        with Editor(self.counted.directory, capabilities=capabilities) as editor:
            self.assertEqual({}, editor.hints("counts/work.c"))
            self.assertTrue(self.lines(editor, self.counted, "counts/work.c")[1])


class Lists(Programs):
    def test_the_flat_profile_is_gprofs(self):
        for workspace, program in ((self.counted, "program"), (self.burning, "burn")):
            flat = gprof_flat(workspace, program)
            graph = gprof_graph(workspace, program)
            with Editor(workspace.directory) as editor:
                answer = self.ask(editor, "gprof/flatProfile", {})
                self.assertEqual(("seconds", len(answer["rows"])),
                                 (answer["unit"], answer["total"]))
                rows = {}
                for row in answer["rows"]:
                    rows.setdefault(row["name"], row)
                self.assertLessEqual(set(flat), set(rows))
                for name, (percent, self_seconds, calls) in flat.items():
                    row = rows[name]
                    self.assertEqual(calls, row.get("calls"), name)
                    self.assertEqual(self_seconds, f"{row['selfSeconds']:.2f}", name)
                    self.assertAlmostEqual(percent, row["percent"], delta=0.011)
                    own, children, _, _ = graph[name]
                    self.assertAlmostEqual(own + children, row["totalSeconds"], delta=0.0101)
                    self.assertGreaterEqual(row["totalError"], row["selfError"] * 0.999, name)
                cumulative = 0
                for row in answer["rows"]:
                    cumulative += row["selfSeconds"]
                    self.assertAlmostEqual(cumulative, row["cumulativeSeconds"])
                self.check_pages(editor, answer)

    def check_pages(self, editor, whole):
        for offset in range(0, whole["total"] + 3, 3):
            page = self.ask(editor, "gprof/flatProfile", {"offset": offset, "limit": 3})
            self.assertEqual(whole["rows"][offset:offset + 3], page["rows"])
            self.assertEqual(whole["total"], page["total"])

    def test_hot_spots_are_sorted_by_the_metric(self):
        graph = gprof_graph(self.burning, "burn")
        with Editor(self.burning.directory) as editor:
            for metric, weight in (("self", lambda s: s["selfSeconds"]),
                                   ("total", lambda s: s["totalSeconds"]),
                                   ("calls", lambda s: s.get("calls", 0)
                                    + s.get("recursiveCalls", 0))):
                answer = self.ask(editor, "gprof/hotSpots", {"metric": metric})
                spots = answer["spots"]
                self.assertEqual([*range(1, len(spots) + 1)], [spot["rank"] for spot in spots])
                self.assertEqual(sorted(map(weight, spots), reverse=True), [*map(weight, spots)])
                heats = [spot["heat"] for spot in spots]
                self.assertEqual(sorted(heats, reverse=True), heats)
                for spot in spots:
                    self_seconds, children, calls, _ = graph[spot["name"]]
                    self.assertEqual(calls, spot.get("calls"))
                    self.assertAlmostEqual(self_seconds, spot["selfSeconds"], delta=0.0051)
                    self.assertAlmostEqual(self_seconds + children, spot["totalSeconds"],
                                           delta=0.0101)
                    self.assertEqual(spot["name"], self.text_at(spot))
            limited = self.ask(editor, "gprof/hotSpots", {"metric": "self", "limit": 2})
            self.assertEqual(2, len(limited["spots"]))
            found = self.ask(editor, "gprof/hotSpots", {"metric": "calls", "query": "LFHV"})
            self.assertEqual(["leaf_heavy"], [spot["name"] for spot in found["spots"]])
            self.assertEqual(0, len(self.ask(editor, "gprof/hotSpots", {"limit": 0})["spots"]))

    def text_at(self, place):
        source = pathlib.Path(place["uri"].removeprefix("file://"))
        start, end = place["range"]["start"], place["range"]["end"]
        text = source.read_text().splitlines()[start["line"]]
        return text[start["character"]:end["character"]]

    def test_functions_without_source_have_no_place(self):
        with Editor(self.counted.directory) as editor:
            moved = self.counted.path("counts/work.c")
            hidden = moved.with_suffix(".hidden")
            moved.rename(hidden)
            try:
                spots = self.ask(editor, "gprof/hotSpots", {"metric": "calls"})["spots"]
                spot = next(s for s in spots if s["name"] == "factorial")
                self.assertNotIn("uri", spot)
                self.assertNotIn("range", spot)
            finally:
                hidden.rename(moved)

    def test_names_as_their_authors_wrote_them_or_not(self):
        workspace = Workspace(self.counted.directory.parent / "cpp", "cpp/shapes.cpp")
        workspace.build_and_run(("cpp/shapes.cpp",), compiler="g++")
        with Editor(workspace.directory) as editor:
            rows = self.ask(editor, "gprof/flatProfile", {})["rows"]
            names = {row["linkageName"]: row["name"] for row in rows}
            self.assertEqual("overloaded(double)", names["_ZL10overloadedd"])
            spots = self.ask(editor, "gprof/hotSpots", {"metric": "calls"})["spots"]
            # Only functions of the same name have their parameters in it.
            self.assertLessEqual({"overloaded(double)", "overloaded(int)", "geometry::Square::area"},
                                 {spot["name"] for spot in spots})
        with Editor(workspace.directory, settings={"demangle": False}) as editor:
            rows = self.ask(editor, "gprof/flatProfile", {})["rows"]
            self.assertTrue(all(row["name"] == row["linkageName"] for row in rows))

    def test_several_programs(self):
        with Editor(self.counted.directory.parent) as editor:
            programs = self.ask(editor, "gprof/programs", {})["programs"]
            names = {pathlib.Path(p["executable"]).name: p["name"] for p in programs}
            self.assertLessEqual({"burn", "program"}, set(names))
            self.assertEqual([True] + [False] * (len(programs) - 1),
                             [p["selected"] for p in programs])
            burn = self.ask(editor, "gprof/hotSpots", {"program": names["burn"]})
            self.assertEqual(names["burn"], burn["program"])
            self.assertIn("leaf_heavy", [spot["name"] for spot in burn["spots"]])
            shown = self.ask(editor, "gprof/hotSpots", {})
            self.assertEqual(programs[0]["name"], shown["program"])
            for method, params in (("gprof/hotSpots", {}), ("gprof/flatProfile", {}),
                                   ("gprof/callGraph", {"symbol": "main"}), ("gprof/cycles", {}),
                                   ("gprof/report", {"kind": "flat-profile"})):
                error = self.ask(editor, method, {**params, "program": "none"}, refused=True)
                self.assertEqual(INVALID_PARAMS, error.code)
                for name in names.values():
                    self.assertIn(name, error.message)

    def test_nothing_is_loaded(self):
        with tempfile.TemporaryDirectory() as empty, Editor(empty) as editor:
            self.assertEqual([], self.ask(editor, "gprof/hotSpots", {})["spots"])
            self.assertEqual([], self.ask(editor, "gprof/flatProfile", {})["rows"])
            self.assertEqual([], self.ask(editor, "gprof/programs", {})["programs"])
            self.assertEqual([], self.ask(editor, "gprof/cycles", {})["cycles"])
            self.assertEqual([], self.ask(editor, "gprof/metrics", {})["metrics"])
            self.assertEqual([], self.ask(editor, "gprof/timeline", {"rows": "threads"})["rows"])
            graph = self.ask(editor, "gprof/callGraph", {"symbol": "main"})
            self.assertEqual((None, [], []), (graph["root"], graph["nodes"], graph["arcs"]))
            error = self.ask(editor, "gprof/report", {"kind": "flat-profile"}, refused=True)
            self.assertIn("no profile is loaded", error.message)

    def test_wrong_parameters_are_refused(self):
        with Editor(self.counted.directory) as editor:
            for method, params in (
                    ("gprof/hotSpots", {"metric": "speed"}), ("gprof/hotSpots", {"limit": -1}),
                    ("gprof/lineData", {}), ("gprof/callGraph", {}),
                    ("gprof/callGraph", {"symbol": "main", "direction": "up"}),
                    ("gprof/callGraph", {"textDocument": {"uri": "file:///a.c"}}),
                    ("gprof/report", {"kind": "poem"}), ("gprof/report", {}),
                    ("gprof/report", {"kind": "flat-profile", "options": "-s"})):
                error = self.ask(editor, method, params, refused=True)
                self.assertEqual(INVALID_PARAMS, error.code, (method, params))


class Reload(unittest.TestCase):
    def test_answers_follow_the_profile(self):
        program = CountingProgram(fresh_folder(self.addCleanup))
        program.compile()
        program.run(5)
        with Editor(program.directory) as editor:
            before = editor.client.request("gprof/hotSpots", {"metric": "calls"})
            self.assertEqual(5, before["spots"][0]["calls"])
            # The first load is told as well, perhaps after its first answer.
            editor.wait_for_loads(1)
            refreshes = editor.refreshes()
            program.run(7)
            editor.client.request("workspace/executeCommand", {"command": "gprof.reload"})
            editor.wait_for_loads(refreshes + 1)
            after = editor.client.request("gprof/hotSpots", {"metric": "calls"})
            self.assertEqual(7, after["spots"][0]["calls"])
            self.assertNotEqual(before["generation"], after["generation"])
