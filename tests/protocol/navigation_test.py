"""textDocument/references, call hierarchies and workspace/symbol."""

import shutil

from feature_session import FeatureTest, KnownProfileTest, place
from known_profile import SOURCE
from profiled_program import Workspace


class Navigation(KnownProfileTest):
    def references(self, editor, line, character, declaration=False):
        """(line, word) of each."""
        found = editor.client.request("textDocument/references", {
            **place(editor, "hot.c", line, character),
            "context": {"includeDeclaration": declaration}})
        lines = SOURCE.splitlines()
        return [(r["range"]["start"]["line"] + 1,
                 lines[r["range"]["start"]["line"]][r["range"]["start"]["character"]:
                                                    r["range"]["end"]["character"]])
                for r in found]

    def test_references_are_the_profiled_calls(self):
        calls = [(self.line("most calls"), "leaf"), (self.line("some calls"), "leaf"),
                 (self.line("calls leaf"), "leaf")]
        definition = (self.line("int leaf"), "leaf")
        with self.editor(opened=["hot.c"]) as editor:
            # On the name at the definition, at its end, in the body, and at a call of it.
            for line, character in ((1, 4), (1, 8), (2, 0), (self.line("calls leaf"), 12)):
                self.assertEqual(self.references(editor, line, character), calls)
                self.assertEqual(self.references(editor, line, character, True),
                                 [definition, *calls])
            # Other names are not ours, nor are lines of no function.
            self.assertEqual(self.references(editor, 2, 9), [])
            self.assertEqual(self.references(editor, 4, 0, True), [])
            self.assertEqual(self.references(editor, 5000, 0, True), [])

    def test_hierarchy_by_time(self):
        with self.editor(opened=["hot.c"]) as editor:
            item, callers, callees = editor.hierarchy("hot.c", self.line("int leaf"), "leaf")
            self.assertEqual(item["data"]["program"], str(self.folder / "program"))
            self.assertEqual(list(callers.items()), [
                ("hot.c:middle", ("20.0k of 30.0k calls · ≈0.40 s",
                                  [self.line("most calls"), self.line("some calls")])),
                ("hot.c:main", ("10.0k of 30.0k calls · ≈0.20 s", [self.line("calls leaf")]))])
            self.assertEqual(callees, {})
            _, _, callees = editor.hierarchy("hot.c", self.line("int main"), "main")
            self.assertEqual([(k, v[0]) for k, v in callees.items()],
                             [("hot.c:middle", "100 of 100 calls · ≈0.76 s"),
                              ("hot.c:leaf", "10.0k of 30.0k calls · ≈0.20 s")])

    def test_calls_on_changed_lines_are_not_shown_where_they_are_not(self):
        with self.editor(opened=["hot.c"]) as editor:
            editor.edit("hot.c", SOURCE.replace("  sum += leaf(x);", "  sum += other(x);"))
            item = editor.client.request("textDocument/prepareCallHierarchy",
                                         place(editor, "hot.c", 1, 4))[0]
            callers = editor.client.request("callHierarchy/incomingCalls", {"item": item})
            self.assertEqual([[r["start"]["line"] + 1 for r in c["fromRanges"]] for c in callers],
                             [[self.line("some calls")], [self.line("calls leaf")]])

    def symbols(self, editor, query=""):
        return editor.client.request("workspace/symbol", {"query": query})

    def test_symbols_by_heat(self):
        orders = {"self": ["leaf", "middle", "main"], "calls": ["leaf", "middle", "main"],
                  "total": ["main", "middle", "leaf"], "executions": ["leaf", "middle", "main"]}
        for metric, order in orders.items():
            with self.subTest(metric), self.editor(settings={"metric": metric}) as editor:
                self.assertEqual([s["name"] for s in self.symbols(editor)], order)

    def test_symbols_have_places_and_figures(self):
        with self.editor() as editor:
            found = {s["name"]: s for s in self.symbols(editor)}
            for name, text in (("leaf", "30.0k calls · self 0.60 s (60 %) · total 0.60 s (60 %) · #1 by self time"),
                               ("middle", "100 calls · self 0.36 s (36 %) · total ≈0.76 s (76 %) · #2 by self time")):
                self.assertEqual(found[name]["containerName"], text)
                self.assertEqual(found[name]["location"]["uri"], editor.uri("hot.c"))
                self.assertEqual(found[name]["location"]["range"]["start"],
                                 {"line": self.line(f"int {name}") - 1, "character": 4})
            self.assertEqual([s["name"] for s in self.symbols(editor, "MDL")], ["middle"])
            self.assertEqual([s["name"] for s in self.symbols(editor, "a")], ["leaf", "main"])
            self.assertEqual(self.symbols(editor, "leaff"), [])

    def test_symbols_of_several_programs_are_listed_once(self):
        self.workspace.make(program="second", profile="second.out")
        self.workspace.path("gmon.out").touch()  # the newest is shown
        settings = {"programs": [{"executable": "program", "profiles": ["gmon.out"]},
                                 {"executable": "second", "profiles": ["second.out"]}]}
        with self.editor(settings=settings) as editor:
            found = self.symbols(editor)
            self.assertEqual([s["name"] for s in found], ["leaf", "middle", "main"])
            self.assertTrue(found[0]["containerName"].endswith(" · program"))

    def test_copies_of_a_static_function_are_one_symbol(self):
        workspace = Workspace(self.folder / "copies", "counts/main.c", "counts/work.c",
                              "counts/shared.h")
        workspace.build_and_run(("counts/main.c", "counts/work.c"))
        with self.editor(folder=workspace.directory, settings={"metric": "calls"}) as editor:
            step = [s for s in self.symbols(editor, "step")
                    if s["name"] == "step"]
            self.assertEqual(len(step), 1)
            self.assertTrue(step[0]["containerName"].startswith("21.4k calls"), step)
            self.assertIn("2 instances", step[0]["containerName"])
            # Two functions of one name are two.
            self.assertEqual(len([s for s in self.symbols(editor, "same_name")
                                  if s["name"] == "same_name"]), 2)


class MovedTree(FeatureTest):
    """A program whose sources lie deep in the workspace, where no path of the build leads."""

    def moved(self, prefix, folder=""):
        """A program that was built as if in `prefix`, its sources in `folder` of it; then moved."""
        built = Workspace(self.folder / "built")
        caller = "int work(int n);\nint main(void) {\n  return work(1) + work(2) - 3; /* here */\n}\n"
        built.write(f"{folder}caller.c", caller)
        built.write(f"{folder}callee.c", "int work(int n) {\n  return n;\n}\n")
        built.build([f"{folder}caller.c", f"{folder}callee.c"],
                    ("-O0", f"-fdebug-prefix-map={built.directory}={prefix}"))
        built.execute()
        workspace = self.folder / "workspace"
        target = workspace / "third" / "party"
        target.parent.mkdir(parents=True)
        shutil.move(built.directory, target)
        for name in ("program", "gmon.out"):
            shutil.move(target / name, workspace / name)
        return workspace, f"third/party/{folder}"

    def check_callers(self, prefix, folder=""):
        workspace, folder = self.moved(prefix, folder)
        with self.editor(workspace, opened=[folder + "callee.c"]) as editor:
            editor.settle()
            _, callers, _ = editor.hierarchy(folder + "callee.c", 1, "work")
            self.assertEqual({name: (detail.split(" · ")[0], lines)
                              for name, (detail, lines) in callers.items()},
                             {"caller.c:main": ("2 of 2 calls", [3])})
            found = editor.client.request("workspace/executeCommand", {
                "command": "gprof.showCallers", "arguments": [
                    {"uri": editor.uri(folder + "callee.c"), "position": {"line": 0, "character": 4}}]})
            self.assertEqual([(call["uri"], call["range"]["start"]["line"]) for call in found],
                             [(editor.uri(folder + "caller.c"), 2)])

    def test_callers_in_files_of_another_build_folder(self):
        self.check_callers("/nowhere/project", "src/")

    def test_callers_in_files_of_relative_paths(self):
        self.check_callers(".", "src/")

    def test_callers_in_files_that_only_their_names_tell(self):
        self.check_callers(".")

    def test_what_was_asked_before_a_file_was_opened(self):
        workspace, folder = self.moved("/nowhere/project", "src/")
        with self.editor(workspace) as editor:
            def places():
                found = editor.client.request("workspace/symbol", {"query": "work"})
                return [symbol["location"]["uri"] for symbol in found]
            self.assertEqual(places(), [])
            editor.open(folder + "caller.c")
            self.assertNotEqual(editor.lenses(folder + "caller.c"), {})
            self.assertEqual(places(), [editor.uri(folder + "callee.c")])
