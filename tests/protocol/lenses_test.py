"""textDocument/codeLens and codeLens/resolve: what stands above functions, and what a click does."""

from feature_session import (CONTENT_MODIFIED, KnownProfileTest, capabilities, document,
                             place)
from lsp_client import ResponseError

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

    def test_commands_are_filled_in_when_they_are_asked_for(self):
        with self.editor(capabilities=RESOLVES, opened=["hot.c"]) as editor:
            lenses = self.ask(editor)
            for lens in lenses:
                self.assertEqual(sorted(lens), ["data", "range"])
            resolved = [editor.client.request("codeLens/resolve", lens) for lens in lenses]
            self.check_titles(resolved)
            self.assertEqual([lens["range"] for lens in resolved],
                             [lens["range"] for lens in lenses])
            for lens in resolved:
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

    def test_what_changed_since_then_is_not_resolved(self):
        with self.editor(capabilities=RESOLVES, opened=["hot.c"]) as editor:
            leaf, middle = self.ask(editor)[:2]
            # The function's name is gone: so is the function.
            editor.edit("hot.c", self.workspace.path("hot.c").read_text().replace(
                "int leaf(int x) {", "int other(int y) {"))
            with self.assertRaises(ResponseError) as refused:
                editor.client.request("codeLens/resolve", leaf)
            self.assertEqual(refused.exception.code, CONTENT_MODIFIED)
            self.assertIn("command", editor.client.request("codeLens/resolve", middle))
            # Made from another load than what is shown.
            middle["data"]["generation"] += 1
            with self.assertRaises(ResponseError) as refused:
                editor.client.request("codeLens/resolve", middle)
            self.assertEqual(refused.exception.code, CONTENT_MODIFIED)
            for data in ({}, [], None, "x", {"uri": 3}, {"uri": "file:///nowhere", "generation": 1}):
                with self.assertRaises(ResponseError) as refused:
                    editor.client.request("codeLens/resolve", {"range": middle["range"],
                                                               "data": data})
                self.assertEqual(refused.exception.code, CONTENT_MODIFIED)

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
                                 {"executable": "second", "profiles": ["second.out"]}]}
        with self.editor(settings=settings, opened=["hot.c", "other.c"]) as editor:
            for lens in self.ask(editor):
                self.assertTrue(lens["command"]["title"].endswith(" · also in second"))
            alone = editor.client.request("textDocument/codeLens", document(editor, "other.c"))
            self.assertNotIn("also in", alone[0]["command"]["title"])
            hover = editor.client.request(
                "textDocument/hover", place(editor, "hot.c", self.line("int leaf"), 4))
            text = hover["contents"]["value"]
            self.assertIn("| program | 30,000 | 0.60 s | 0.60 s |", text)
            self.assertIn("| second | 60,000 | 0.60 s | 0.60 s |", text)

    def test_none_where_the_setting_is_off(self):
        with self.editor(settings={"codeLens": {"enable": False}}, opened=["hot.c"]) as editor:
            self.assertEqual(self.ask(editor), [])
