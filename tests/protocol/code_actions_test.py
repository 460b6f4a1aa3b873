"""textDocument/codeAction, and lenses as hints: for editors without menus and without lenses."""
import pathlib
import urllib.parse

from feature_session import KnownProfileTest, capabilities, document, label_of, place, whole
from lsp_client import PATIENCE
from own_folders import own_environment


def able(**text_document):
    """Of an editor that opens documents for a server, and has no extension for profiles."""
    result = capabilities(codeAction={"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
                          **text_document)
    result["window"]["showDocument"] = {"support": True}
    result["workspace"].pop("textDocumentContent", None)
    result.pop("experimental", None)
    return result


class CodeActions(KnownProfileTest):
    def actions(self, editor, fragment, **context):
        where = place(editor, "hot.c", self.line(fragment))
        return editor.client.request("textDocument/codeAction", {
            "textDocument": where["textDocument"],
            "range": {"start": where["position"], "end": where["position"]},
            "context": {"diagnostics": [], **context}})

    def shown_by(self, editor, action):
        """The document that the editor is asked to open when an action is chosen."""
        before = editor.client.count_requests("window/showDocument")
        command = action["command"]
        editor.client.request("workspace/executeCommand",
                              {"command": command["command"], "arguments": command["arguments"]})
        editor.client.wait_until(lambda: editor.client.count_requests("window/showDocument") > before,
                                 PATIENCE, "a document that is shown")
        return [params for method, params in editor.client.server_requests
                if method == "window/showDocument"][-1]

    def test_calls_and_reports(self):
        environment = own_environment(str(self.folder.parent / f"{self.folder.name}-user"))
        with self.editor(capabilities=able(), environment=environment) as editor:
            editor.open("hot.c")
            self.assertEqual({"codeActionKinds": ["source.gprof"]}, editor.offered["codeActionProvider"])
            actions = self.actions(editor, "leaf's body")
            titles = [action["title"] for action in actions]
            callers = [action for action in actions if action["title"].startswith("Go to caller of leaf: ")]
            self.assertTrue(callers, titles)
            shown = self.shown_by(editor, callers[0])
            self.assertEqual(document(editor, "hot.c")["textDocument"]["uri"], shown["uri"])
            text = (self.folder / "hot.c").read_text().splitlines()
            self.assertIn("leaf(", text[shown["selection"]["start"]["line"]])
            report = next(action for action in actions if action["title"].startswith("Show the flat profile"))
            shown = self.shown_by(editor, report)
            path = pathlib.Path(urllib.parse.unquote(urllib.parse.urlsplit(shown["uri"]).path))
            self.assertIn("leaf", path.read_text())
            self.assertTrue(path.name.endswith("-flat-profile.txt"), path)

    def test_kinds(self):
        with self.editor(capabilities=able()) as editor:
            editor.open("hot.c")
            self.assertTrue(self.actions(editor, "leaf's body", only=["source"]))
            self.assertEqual([], self.actions(editor, "leaf's body", only=["quickfix", "source.fixAll"]))

    def test_editors_with_menus_of_their_own(self):
        own = able()
        own["experimental"] = {"gprof": {"version": 1}}
        with self.editor(capabilities=own) as editor:
            self.assertNotIn("codeActionProvider", editor.offered)


class LensesAsHints(KnownProfileTest):
    def test_one_at_the_end_of_each_function_with_a_lens(self):
        with self.editor() as editor:
            editor.open("hot.c")
            lenses = editor.lenses("hot.c")
            usual = editor.client.request("textDocument/inlayHint", whole(editor, "hot.c"))
        with self.editor(capabilities=capabilities(codeLens=None)) as editor:
            editor.open("hot.c")
            hints = editor.client.request("textDocument/inlayHint", whole(editor, "hot.c"))
        texts = {hint["position"]["line"] + 1: [label_of(hint)] for hint in usual}
        for line, titles in lenses.items():
            texts.setdefault(line, []).extend(titles)
        self.assertEqual({line: " · ".join(parts) for line, parts in texts.items()},
                         {hint["position"]["line"] + 1: label_of(hint) for hint in hints})
        self.assertEqual(len(texts), len(hints))
        text = (self.folder / "hot.c").read_text().splitlines()
        for hint in hints:
            self.assertEqual(len(text[hint["position"]["line"]]), hint["position"]["character"])


if __name__ == "__main__":
    import unittest
    unittest.main()
