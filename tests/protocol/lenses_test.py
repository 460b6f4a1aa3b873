"""textDocument/codeLens and codeLens/resolve: what stands above functions, and what a click does."""

import os

from feature_session import (CONTENT_MODIFIED, FeatureTest, KnownProfileTest, capabilities,
                             document, place, whole)
from lsp_client import ResponseError
from made_up_recording import FIXED, Called, Sampled, write_recording
from profiled_program import Workspace, run
from tested_build import needs_collector

RESOLVES = capabilities(codeLens={"resolveSupport": {"properties": ["command"]}})

TITLES = {"int leaf": "30.0k calls · self 0.60 s (60 %) · total 0.60 s (60 %) · #1 by self time",
          "int middle": "100 calls · self 0.36 s (36 %) · total ≈0.76 s (76 %) · #2 by self time"}


class Lenses(KnownProfileTest):
    def ask(self, editor):
        return editor.client.request("textDocument/codeLens", document(editor, "hot.c"))

    def check_titles(self, lenses):
        titles = {lens["range"]["start"]["line"] + 1: lens["command"]["title"] for lens in lenses}
        for fragment, title in TITLES.items():
            self.assertEqual(titles[self.line(fragment)], title)
        self.assertEqual(len(titles), 3)

    def test_complete_for_clients_that_resolve_nothing(self):
        with self.editor(opened=["hot.c"]) as editor:
            lenses = self.ask(editor)
            self.check_titles(lenses)
            for lens in lenses:
                self.assertNotIn("data", lens)
                self.assertNotIn("tooltip", lens["command"])
                # What is complete is resolved as it is.
                self.assertEqual(editor.client.request("codeLens/resolve", lens), lens)

    def test_complete_for_clients_that_know_lenses_but_not_what_to_resolve(self):
        knows = capabilities(codeLens={"dynamicRegistration": True})
        with self.editor(capabilities=knows, opened=["hot.c"]) as editor:
            self.check_titles(self.ask(editor))

    def test_a_few_are_complete_for_clients_that_resolve_lenses(self):
        with self.editor(capabilities=RESOLVES, opened=["hot.c"]) as editor:
            lenses = self.ask(editor)
            self.check_titles(lenses)
            for lens in lenses:
                self.assertTrue(lens["command"]["tooltip"].startswith("Show the callers of "))
                self.assertNotIn("\n", lens["command"]["tooltip"])

    def test_a_click_shows_the_callers(self):
        with self.editor(opened=["hot.c"]) as editor:
            command = next(lens["command"] for lens in self.ask(editor)
                           if lens["range"]["start"]["line"] + 1 == self.line("int leaf"))
            self.assertEqual(command["command"], "gprof.showCallers")
            found = editor.client.request("workspace/executeCommand", {
                "command": command["command"], "arguments": command["arguments"]})
            self.assertEqual([l["range"]["start"]["line"] + 1 for l in found],
                             [self.line("most calls"), self.line("some calls"),
                              self.line("calls leaf")])

    def test_the_function_whose_lines_were_changed_says_so(self):
        text = self.workspace.path("hot.c").read_text()
        mark = "changed since the build"
        with self.editor(opened=["hot.c"]) as editor:
            for change, marked in (
                    (text, []),
                    (text.replace("int sum = 0;", "int sum = 1;"), ["middle"]),
                    # Inserted into the body, deleted from it, between two functions.
                    (text.replace("  return x * 3;", "  x++;\n  return x * 3;"), ["leaf"]),
                    (text.replace("  total += leaf(2); /* calls leaf */\n", ""), ["main"]),
                    (text.replace("\nint middle", "\n/* new */\n\nint middle"), []),
                    (text, [])):
                editor.edit("hot.c", change)
                shown = {}
                for lens in self.ask(editor):
                    line = change.splitlines()[lens["range"]["start"]["line"]]
                    shown[line.split("(")[0].split()[-1]] = lens["command"]["title"]
                self.assertEqual(len(shown), 3)
                self.assertEqual([name for name in shown if mark in shown[name]], marked)

    def test_functions_of_several_programs_say_so(self):
        self.workspace.write("other.c", "int other_main_only(void) { return 1; }\n")
        self.workspace.make(program="second", profile="second.out",
                            sources=("hot.c", "other.c"), scale=2)
        self.workspace.path("gmon.out").touch()  # the newest is shown
        settings = {"programs": [{"executable": "program", "profiles": ["gmon.out"]},
                                 {"executable": "second", "profiles": ["second.out"]}],
                    "codeLens": {"threshold": 0}}
        with self.editor(settings=settings, opened=["hot.c", "other.c"]) as editor:
            for lens in self.ask(editor):
                self.assertTrue(lens["command"]["title"].endswith(" · also in second"))
            alone = editor.client.request("textDocument/codeLens", document(editor, "other.c"))
            self.assertNotIn("also in", alone[0]["command"]["title"])
            hover = editor.client.request(
                "textDocument/hover", place(editor, "hot.c", self.line("int leaf"), 4))
            text = hover["contents"]["value"]
            self.assertRegex(text, r"\| program +\| 30,000 \| 0.60 s \| 0.60 s \|")
            self.assertRegex(text, r"\| second +\| 60,000 \| 0.60 s \| 0.60 s \|")

    def test_none_below_the_threshold(self):
        leaf, middle, main = (self.line(f"int {name}(") for name in ("leaf", "middle", "main"))
        for threshold, shown in ((0.6, {leaf, middle, main}), (0.61, {middle, main}),
                                 (0.77, {main}), (1, {main})):
            settings = {"codeLens": {"threshold": threshold}}
            for able in (None, RESOLVES):
                members = {"capabilities": able} if able else {}
                with self.editor(settings=settings, opened=["hot.c"], **members) as editor:
                    lenses = self.ask(editor)
                    self.assertEqual({lens["range"]["start"]["line"] + 1 for lens in lenses}, shown)
                    for lens in lenses:
                        self.assertIn("command", editor.client.request("codeLens/resolve", lens))
                    summaries = editor.client.request(
                        "gprof/lineData", {**whole(editor, "hot.c"), "functions": True})["functions"]
                    self.assertEqual({summary["line"] + 1 for summary in summaries}, shown)

    def test_none_where_the_setting_is_off(self):
        with self.editor(settings={"codeLens": {"enable": False}}, opened=["hot.c"]) as editor:
            self.assertEqual(self.ask(editor), [])


# Three functions on a line, two on another, and four that a macro defines, called from lines that
# are known.
MANY = """\
#define DEFINE(name) int name(int n) { return n + 1; }
int few(int n) { return n; } int most(int n) { return n + 1; } int none(int n) { return few(n); }
int left(int n) { return n; } int right(int n) { return n + 1; }
DEFINE(red) DEFINE(green) DEFINE(blue) DEFINE(grey)
int main(void) {
  int n = 0;
  for (int i = 0; i < 50; i++) n = most(n); /* calls most */
  n = few(n) + left(n) + right(n) + red(n) + blue(n) + grey(n);
  n = green(green(n)); /* calls green */
  n = none(n);
  return n == 7;
}
"""


class CountedTest(FeatureTest):
    def built(self, text):
        workspace = Workspace(self.folder)
        workspace.write("many.c", text)
        workspace.build(["many.c"], ("-O0", *FIXED))
        return workspace

    def counted(self, text):
        workspace = self.built(text)
        # Without samples no text depends on how long the run took.
        run([os.environ["GPROF_LSP_SERVER"], "record", "--rate=0", "--", "./program"], self.folder)
        return workspace


@needs_collector
class ManyLenses(CountedTest):
    """More than are complete at once."""

    FUNCTIONS = 250

    def setUp(self):
        super().setUp()
        numbers = range(self.FUNCTIONS)
        self.text = "".join(f"int f{i}(int n) {{ return n + {i}; }}\n" for i in numbers) + \
            "int main(void) {\n" + "".join(f"  f{i}(0);\n" for i in numbers) + "  return 0;\n}\n"
        self.counted(self.text)

    def ask(self, editor):
        return editor.client.request("textDocument/codeLens", document(editor, "many.c"))

    def test_commands_are_filled_in_when_they_are_asked_for(self):
        with self.editor(capabilities=RESOLVES, opened=["many.c"]) as editor:
            lenses = self.ask(editor)
            self.assertEqual(len(lenses), self.FUNCTIONS + 1)
            for lens in lenses:
                self.assertEqual(sorted(lens), ["data", "range"])
            for lens in (lenses[0], lenses[self.FUNCTIONS]):
                resolved = editor.client.request("codeLens/resolve", lens)
                self.assertEqual((resolved["range"], resolved["command"]["title"]), (lens["range"], "1 call"))
                self.assertTrue(resolved["command"]["tooltip"].startswith("Show the callers of "))

    def test_complete_for_zed_whatever_it_announces(self):
        # Version 1.6 is reported to draw a blank line over SSH for each lens without a command.
        for name, is_complete in (("Zed", True), ("Zed Preview", True), ("Zedlike", False)):
            with self.editor(capabilities=RESOLVES, opened=["many.c"], name=name) as editor:
                self.assertEqual("command" in self.ask(editor)[0], is_complete)

    def test_what_changed_since_then_is_not_resolved(self):
        with self.editor(capabilities=RESOLVES, opened=["many.c"]) as editor:
            first, second = self.ask(editor)[:2]
            # The function's name is gone: so is the function.
            editor.edit("many.c", self.text.replace("int f0(int n) {", "int other(int m) {"))
            with self.assertRaises(ResponseError) as refused:
                editor.client.request("codeLens/resolve", first)
            self.assertEqual(refused.exception.code, CONTENT_MODIFIED)
            self.assertIn("command", editor.client.request("codeLens/resolve", second))
            # Made from another load than what is shown.
            second["data"]["generation"] += 1
            with self.assertRaises(ResponseError) as refused:
                editor.client.request("codeLens/resolve", second)
            self.assertEqual(refused.exception.code, CONTENT_MODIFIED)
            for data in ({}, [], None, "x", {"uri": 3}, {"uri": "file:///nowhere", "generation": 1}):
                with self.assertRaises(ResponseError) as refused:
                    editor.client.request("codeLens/resolve", {"range": second["range"],
                                                               "data": data})
                self.assertEqual(refused.exception.code, CONTENT_MODIFIED)


@needs_collector
class SharedLenses(CountedTest):
    """Functions whose names stand on one line."""

    def click(self, editor, command):
        return editor.client.request("workspace/executeCommand", {
            "command": command["command"], "arguments": command["arguments"]})

    def test_each_is_named_and_more_than_three_share_the_last(self):
        workspace = self.counted(MANY)
        with self.editor(opened=["many.c"]) as editor:
            titles = editor.lenses("many.c")
            self.assertEqual(titles, {
                2: ["few: 2 calls", "most: 50 calls", "none: 1 call"],
                3: ["left: 1 call", "right: 1 call"],
                4: ["red: 1 call", "green: 2 calls", "+2 more · 2 calls"],
                5: ["1 call"]})
            summaries = editor.client.request(
                "gprof/lineData", {**whole(editor, "many.c"), "functions": True})["functions"]
            self.assertEqual([(summary["line"] + 1, summary["text"]) for summary in summaries],
                             [(line, title) for line, of_line in titles.items() for title in of_line])
            lenses = {lens["command"]["title"].split(" · ")[0]: lens for lens in
                      editor.client.request("textDocument/codeLens", document(editor, "many.c"))}
            # Each stands over its name, and a click shows the callers of that one.
            most = workspace.path("many.c").read_text().splitlines()[1].index("most(")
            self.assertEqual(lenses["most: 50 calls"]["range"]["start"]["character"], most)
            for title, caller in (("most: 50 calls", "calls most"), ("green: 2 calls", "calls green"),
                                  ("few: 2 calls", "none(int n)")):
                found = self.click(editor, lenses[title]["command"])
                self.assertIn(workspace.line_of("many.c", caller),
                              [place["range"]["start"]["line"] + 1 for place in found])
            place_of_green = lenses["green: 2 calls"]["command"]["arguments"][0]
            sites = editor.client.request("gprof/callSites", {
                "textDocument": {"uri": place_of_green["uri"]}, "direction": "callers",
                "position": place_of_green["position"], "function": place_of_green["function"]})
            self.assertEqual((sites["name"], [site["calls"] for site in sites["sites"]]),
                             ("green", [2]))
        with self.editor(capabilities=RESOLVES, opened=["many.c"]) as editor:
            self.assertEqual(editor.lenses("many.c"), titles)

    def test_the_last_lens_asks_which_function_is_meant(self):
        workspace = self.counted(MANY)
        asking = capabilities()
        asking["window"]["showMessage"] = {"messageActionItem": {"additionalPropertiesSupport": False}}
        asked = []

        def answer(params):
            asked.append([action["title"] for action in params["actions"]])
            return {"title": "grey"}

        with self.editor(capabilities=asking, opened=["many.c"]) as editor:
            editor.client.answer_with("window/showMessageRequest", answer)
            lens = next(lens for lens in editor.client.request(
                "textDocument/codeLens", document(editor, "many.c"))
                if lens["command"]["title"].startswith("+2 more"))
            self.assertEqual(lens["command"]["command"], "gprof.showFunctions")
            functions = self.click(editor, lens["command"])
            self.assertEqual([(function["name"], function["figures"]) for function in functions],
                             [("green", "2 calls"), ("red", "1 call"), ("blue", "1 call"),
                              ("grey", "1 call")])
            shown = editor.client.wait_for_request("window/showDocument")
            self.assertEqual(asked, [["green", "red", "blue", "grey"]])
            self.assertEqual(shown["selection"]["start"]["line"] + 1,
                             workspace.line_of("many.c", "few(n) + left(n)"))

    def test_a_name_on_a_line_of_several_is_that_function_s(self):
        self.counted(MANY)
        with self.editor(opened=["many.c"]) as editor:
            for name, calls in (("few", "2 calls."), ("most", "50 calls."), ("left", "1 call.")):
                self.assertIn(calls, editor.hover("many.c", 3 if name == "left" else 2, name))
            _, callers, _ = editor.hierarchy("many.c", 2, "few")
            self.assertEqual({name: lines for name, (_, lines) in callers.items()},
                             {"many.c:main": [8], "many.c:none": [2]})

    def test_a_line_is_that_of_the_costliest(self):
        workspace = self.built("""\
int idle(int n) { return n + 1; } int busy(int n) { while (n < 300000) n = n * 3 / 3 + 1; return n; } int rest(int n) { return n; }
int main(void) {
  int n = 0;
  for (int i = 0; i < 2000; i++) n += idle(n) & 1;
  for (int i = 0; i < 400; i++) n += busy(0) & 1;
  return rest(n) == 7;
}
""")
        write_recording(
            workspace, [Sampled(count, ((name, "int busy"),)) for name, count in (("idle", 2), ("busy", 98))],
            [Called(2000, ("main", "idle(n)"), "idle"), Called(400, ("main", "busy(0)"), "busy"),
             Called(1, ("main", "rest(n)"), "rest")], source="many.c", rate=100, stacks=False)
        with self.editor(opened=["many.c"]) as editor:
            titles = editor.lenses("many.c")
            self.assertEqual(set(titles), {1, 2})
            self.assertEqual([title.split(":")[0] for title in titles[1]], ["idle", "busy", "rest"])
            self.assertIn("self 0.98 s (98 %)", titles[1][1])
            # Beside the names, the line is that of the costliest.
            hover = editor.client.request("textDocument/hover", place(editor, "many.c", 1))
            self.assertIn("busy", hover["contents"]["value"].splitlines()[1])
            self.assertIn("| idle ", hover["contents"]["value"])

    def test_a_line_that_was_split_has_a_lens_for_each(self):
        workspace = self.counted(MANY)
        text = workspace.path("many.c").read_text()
        with self.editor(opened=["many.c"]) as editor:
            editor.edit("many.c", text.replace("; } int most", "; }\nint most").replace(
                "; } int none", "; }\nint none"))
            titles = editor.lenses("many.c")
            self.assertEqual({line: [title.split(" · ")[0] for title in titles.get(line, [])]
                              for line in (2, 3, 4)},
                             # The first one's name is called on the third.
                             {2: [], 3: ["50 calls"], 4: ["1 call"]})
