"""textDocument/inlayHint and inlayHint/resolve: figures at the ends of lines, by every metric."""
import random

from feature_session import (CONTENT_MODIFIED, KnownProfileTest, capabilities, label_of,
                             whole)
from lsp_client import ResponseError
from seeds import moved_seed

EVERYTHING = ["tooltip", "label.tooltip", "label.location", "label.command", "textEdits"]

BY_METRIC = {
    "self": {"leaf's body": "0.60 s 60 % · 30.0k×",
             "most calls": "15.0k× · → leaf 15.0k×",
             "some calls": "→ leaf 5,000×",
             "middle's end": "0.36 s 36 %",
             "calls middle": "→ middle 100×",
             "calls leaf": "→ leaf 10.0k×",
             "main's end": "0.04 s 4.0 %"},
    "calls": {"leaf's body": "30.0k× · 0.60 s 60 %",
              "most calls": "→ leaf 15.0k× · 15.0k×"},
    "executions": {"leaf's body": "30.0k× · 0.60 s 60 %",
                   "most calls": "15.0k× · → leaf 15.0k×"},
    "total": {"leaf's body": "0.60 s 60 % · 30.0k×",
              "most calls": "≈0.30 s 30 % · 15.0k× · → leaf 15.0k×",
              "some calls": "≈0.10 s 10 % · → leaf 5,000×",
              "calls middle": "≈0.76 s 76 % · → middle 100×",
              "calls leaf": "≈0.20 s 20 % · → leaf 10.0k×"},
}


def resolving(*members):
    return capabilities(inlayHint={"resolveSupport": {"properties": list(members)}})


class Hints(KnownProfileTest):
    def ask(self, editor, first=1, last=100000):
        return editor.client.request("textDocument/inlayHint", whole(editor, "hot.c", first, last))

    def hint_at(self, editor, fragment):
        return next(hint for hint in self.ask(editor)
                    if hint["position"]["line"] + 1 == self.line(fragment))

    def test_the_metric_leads(self):
        for metric, expected in BY_METRIC.items():
            with self.subTest(metric), self.editor(settings={"metric": metric}) as editor:
                editor.open("hot.c")
                hints = editor.hints("hot.c")
                for fragment, label in expected.items():
                    self.assertEqual(hints[self.line(fragment)], label)
                self.assertEqual(sorted(hints), sorted(map(self.line, BY_METRIC["self"])))

    def test_the_threshold_leaves_counts_alone(self):
        with self.editor(settings={"threshold": 0.5, "metric": "total"}) as editor:
            editor.open("hot.c")
            hints = editor.hints("hot.c")
            self.assertEqual({fragment: hints.get(self.line(fragment))
                              for fragment in BY_METRIC["self"]},
                             {"leaf's body": "0.60 s 60 % · 30.0k×",
                              "most calls": "15.0k× · → leaf 15.0k×",
                              "some calls": "→ leaf 5,000×",
                              "middle's end": None,
                              "calls middle": "≈0.76 s 76 % · → middle 100×",
                              "calls leaf": "→ leaf 10.0k×",
                              "main's end": None})

    def test_a_line_has_one_hint_whatever_the_range(self):
        generator = random.Random(moved_seed(7))
        with self.editor(capabilities=resolving(*EVERYTHING), opened=["hot.c"]) as editor:
            everything = self.ask(editor)
            self.assertEqual(self.ask(editor), everything)
            count = len(self.workspace.path("hot.c").read_text().splitlines())
            for _ in range(50):
                first = generator.randint(1, count)
                last = generator.randint(first, count)
                self.assertEqual(self.ask(editor, first, last),
                                 [hint for hint in everything
                                  if first <= hint["position"]["line"] + 1 <= last])
            self.assertEqual(self.ask(editor, 1000, 2000), [])

    def test_plain_for_clients_that_resolve_nothing(self):
        with self.editor(opened=["hot.c"]) as editor:
            for hint in self.ask(editor):
                self.assertIsInstance(hint["label"], str)
                self.assertNotIn("data", hint)
                self.assertNotIn("tooltip", hint)
                self.assertEqual(editor.client.request("inlayHint/resolve", hint), hint)

    def test_only_what_the_client_resolves_is_filled_in(self):
        with self.editor(capabilities=resolving("tooltip"), opened=["hot.c"]) as editor:
            hint = self.hint_at(editor, "most calls")
            self.assertEqual(hint["label"], "15.0k× · → leaf 15.0k×")
            resolved = editor.client.request("inlayHint/resolve", hint)
            self.assertEqual({k: v for k, v in resolved.items() if k != "tooltip"}, hint)
            tooltip = resolved["tooltip"]
            self.assertEqual(tooltip["kind"], "markdown")
            self.assertIn("Executed 15,000 times.", tooltip["value"])
            self.assertIn("With what it calls ≈0.30 s (30 %)", tooltip["value"])
            self.assertRegex(tooltip["value"], r"\[leaf\]\(file:///\S*hot\.c#L1\) *\| *15,000 \| *≈0\.30 s")
            body = editor.client.request("inlayHint/resolve", self.hint_at(editor, "leaf's body"))
            self.assertIn("Self 0.60 s ± 0.08 s (60 %).", body["tooltip"]["value"])

    def test_the_calls_are_a_part_that_can_be_clicked(self):
        with self.editor(capabilities=resolving("label.location", "label.command")) as editor:
            editor.open("hot.c")
            hint = self.hint_at(editor, "most calls")
            self.assertEqual([part["value"] for part in hint["label"]],
                             ["15.0k× · ", "→ leaf 15.0k×"])
            resolved = editor.client.request("inlayHint/resolve", hint)
            self.assertNotIn("tooltip", resolved)
            self.assertEqual(label_of(resolved), label_of(hint))
            plain, call = resolved["label"]
            self.assertEqual(plain, {"value": "15.0k× · "})
            self.assertEqual(call["location"], {
                "uri": editor.uri("hot.c"),
                "range": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 8}}})
            self.assertEqual(call["command"]["command"], "gprof.showCallees")
            found = editor.client.request("workspace/executeCommand", {
                "command": "gprof.showCallees", "arguments": call["command"]["arguments"]})
            self.assertEqual([l["range"]["start"]["line"] + 1 for l in found], [1])

    def test_plain_text_where_the_client_reads_no_markdown(self):
        able = resolving("tooltip")
        able["textDocument"]["hover"] = {"contentFormat": ["plaintext", "markdown"]}
        with self.editor(capabilities=able, opened=["hot.c"]) as editor:
            hint = editor.client.request("inlayHint/resolve", self.hint_at(editor, "most calls"))
            self.assertEqual(hint["tooltip"]["kind"], "plaintext")
            self.assertNotIn("](file", hint["tooltip"]["value"])
            self.assertIn("Executed 15,000 times.", hint["tooltip"]["value"])

    def test_what_changed_since_then_is_not_resolved(self):
        def refused(hint):
            with self.assertRaises(ResponseError) as error:
                editor.client.request("inlayHint/resolve", hint)
            self.assertEqual(error.exception.code, CONTENT_MODIFIED)

        with self.editor(capabilities=resolving("tooltip"), opened=["hot.c"]) as editor:
            most, some = self.hint_at(editor, "most calls"), self.hint_at(editor, "some calls")
            text = self.workspace.path("hot.c").read_text()
            editor.edit("hot.c", text.replace("leaf(x);", "leaf(x - 1);"))
            refused(most)
            self.assertIn("tooltip", editor.client.request("inlayHint/resolve", some))
            refused({**some, "label": "another"})
            some["data"]["generation"] += 1
            refused(some)
            for data in ({}, [], "x", {"uri": editor.uri("hot.c"), "line": -1, "generation": 1},
                         {"uri": editor.uri("hot.c"), "line": 1 << 40, "generation": 1}):
                refused({**some, "data": data})

    def test_changed_lines_show_nothing(self):
        text = self.workspace.path("hot.c").read_text()
        with self.editor(opened=["hot.c"]) as editor:
            before = editor.hints("hot.c")
            editor.edit("hot.c", "/* new */\n" + text.replace("leaf(x);", "leaf(x) ;"))
            expected = {line + 1: label for line, label in before.items()
                        if line != self.line("most calls")}
            self.assertEqual(editor.hints("hot.c"), expected)
            editor.edit("hot.c", text)
            self.assertEqual(editor.hints("hot.c"), before)

    def test_none_for_clients_that_draw_themselves_or_want_none(self):
        able = capabilities()
        able["experimental"] = {"gprof": {"decorations": True}}
        for members in ({"capabilities": able}, {"settings": {"inlayHints": {"enable": False}}}):
            with self.editor(**members, opened=["hot.c"]) as editor:
                self.assertEqual(self.ask(editor), [])
