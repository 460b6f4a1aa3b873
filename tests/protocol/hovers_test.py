"""textDocument/hover: functions and lines in full, and how the text stands to the build."""
import os

from feature_session import KnownProfileTest, capabilities, place
from known_profile import SOURCE
from profiled_program import Workspace, require, run
from tested_build import needs_collector


class Hovers(KnownProfileTest):
    def ask(self, editor, line, character):
        return editor.client.request("textDocument/hover",
                                     place(editor, "hot.c", line, character))

    def text(self, editor, line, character):
        return self.ask(editor, line, character)["contents"]["value"]

    def test_a_function(self):
        with self.editor(opened=["hot.c"]) as editor:
            line = self.line("int middle")
            hover = self.ask(editor, line, 6)
            self.assertEqual(hover["contents"]["kind"], "markdown")
            text = hover["contents"]["value"]
            self.assertTrue(text.startswith("```c\nmiddle\n```\n\n"), text)
            self.assertIn("100 calls.", text)
            self.assertIn("Self 0.36 s ± 0.06 s (36 %), total 0.76 s ± 0.08 s (76 %), an estimate; "
                          "#2 of the program by self time.", text)
            self.assertRegex(text, r"\| \[main\]\(file:///\S+#L12\) *\| *100 \| *0\.76 s ± 0\.08 s \(76 %\) \| *0\.18 s – 1\.25 s \|")
            self.assertRegex(text, r"\| \[leaf\]\(file:///\S+#L1\) *\| *20,000 \| *0\.40 s ± 0\.05 s \(40 %\) \| *0 – 0\.83 s \|")
            self.assertIn("program. CPU time", text)
            self.assertNotIn("changed", text)
            self.assertNotIn("Program |", text)
            # What the editor marks: the name.
            self.assertEqual(hover["range"], {
                "start": {"line": line - 1, "character": 4},
                "end": {"line": line - 1, "character": 10}})

    def test_a_line(self):
        with self.editor(opened=["hot.c"]) as editor:
            line = self.line("most calls")
            hover = self.ask(editor, line, 2)
            text = hover["contents"]["value"]
            self.assertIn(f"**Line {line}**", text)
            self.assertIn("Executed 15,000 times.", text)
            self.assertIn("With what it calls ≈0.30 s (30 %)", text)
            self.assertRegex(text, r"\| \[leaf\]\(file:///\S+#L1\) *\| *15,000 \| *≈0\.30 s \|")
            whole = SOURCE.splitlines()[line - 1]
            self.assertEqual(hover["range"], {
                "start": {"line": line - 1, "character": 0},
                "end": {"line": line - 1, "character": len(whole)}})
            # At the call itself, the function that is called.
            self.assertIn("30,000 calls.", self.text(editor, line, 10))
            self.assertIsNone(self.ask(editor, self.line("int sum"), 8))

    def test_as_the_client_reads_it(self):
        for formats, kind in ((["plaintext"], "plaintext"), (["markdown"], "markdown"),
                              (["plaintext", "markdown"], "plaintext"),
                              (["asciidoc", "markdown", "plaintext"], "markdown"),
                              ([], "plaintext"), (None, "plaintext")):
            able = capabilities(hover={} if formats is None else {"contentFormat": formats})
            with self.editor(capabilities=able, opened=["hot.c"]) as editor:
                contents = self.ask(editor, self.line("int leaf"), 5)["contents"]
                self.assertEqual(contents["kind"], kind, formats)
                self.assertEqual("](file" in contents["value"], kind == "markdown")
                self.assertIn("30,000 calls.", contents["value"])

    def test_text_that_was_changed(self):
        text = SOURCE.replace("leaf(x);", "leaf(x - 1);").replace("int leaf(int x)",
                                                                  "int leaf(int y)")
        with self.editor(opened=["hot.c"]) as editor:
            editor.edit("hot.c", text)
            line = self.line("most calls")
            changed = self.text(editor, line, 2)
            self.assertIn("Changed since the build", changed)
            self.assertNotIn("15", changed.split("Line", 1)[1].split("\n", 1)[1])
            function = self.text(editor, self.line("int middle"), 6)
            self.assertIn("The function was changed since the build", function)
            self.assertIn("2 lines of this file have changed since the build", function)
            # Its first line is another one, and it is still found by its name.
            self.assertIn("30,000 calls.", self.text(editor, 1, 5))
            other = self.text(editor, self.line("int main"), 5)
            self.assertNotIn("The function was changed", other)
            self.assertIn("figures follow the lines that did not", other)

    @needs_collector
    def test_a_library_is_named(self):
        workspace = Workspace(self.folder / "library")
        workspace.write("work.c", "int work(int n) {\n  int s = 0;\n"
                                  "  for (int i = 0; i < n; i++) s += i;\n  return s;\n}\n")
        workspace.write("prog.c", "int work(int);\nint main(void) { return work(9) & 1; }\n")
        require("gcc")
        flags = ["gcc", "-g", "-O0", "-pg"]
        run([*flags, "-shared", "-fPIC", "work.c", "-o", "libwork.so"], workspace.directory)
        run([*flags, "prog.c", "-L.", "-lwork", "-Wl,-rpath,$ORIGIN", "-o", "prog"],
            workspace.directory)
        run([os.environ["GPROF_LSP_SERVER"], "record", "./prog"], workspace.directory)
        settings = {"programs": [{"executable": "prog", "profiles": ["gmon.out"],
                                  "libraries": ["libwork.so"]}]}
        with self.editor(folder=workspace.directory, settings=settings) as editor:
            editor.open("work.c")
            hover = editor.client.request("textDocument/hover", place(editor, "work.c", 1, 5))
            self.assertIn("libwork.so in prog", hover["contents"]["value"].replace("\\", ""))
