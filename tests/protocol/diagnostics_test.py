"""Diagnostics, pulled or pushed: where a program crashed; of sources that were changed since the build, opt-in."""
import os
import subprocess

from feature_session import FeatureTest, capabilities, document
from known_profile import SOURCE, KnownProfile
from own_folders import own_environment
from profiled_program import Workspace
from tested_build import needs_collector

ON = {"diagnostics": {"enable": True}}
PULLS = capabilities(diagnostic={})
IS_TOLD = capabilities(publishDiagnostics={"versionSupport": True})
BOTH = capabilities(diagnostic={}, publishDiagnostics={})
BOTH["workspace"].pop("diagnostics", None)
BOTH_AND_REFRESHES = capabilities(diagnostic={}, publishDiagnostics={})
BOTH_AND_REFRESHES["workspace"]["diagnostics"] = {"refreshSupport": True}
PUBLISH = "textDocument/publishDiagnostics"

INFORMATION, WARNING, ERROR = 3, 2, 1

CHANGED = SOURCE.replace("int sum = 0;", "int sum = 1;")


class Diagnostics(FeatureTest):
    def setUp(self):
        super().setUp()
        self.workspace = KnownProfile(self.folder / "work").make()
        self.environment = own_environment(self.folder / "user")

    def session(self, able, settings=None, known=True, opened=()):
        """`known`: with the cache in which earlier sessions kept what was compiled."""
        environment = self.environment if known else own_environment(self.folder / "nobody")
        return self.editor(folder=self.workspace.directory, capabilities=able,
                           settings=ON if settings is None else settings, environment=environment,
                           opened=opened)

    def learn(self):
        """A session that sees the source in step, and keeps what was compiled."""
        with self.session(PULLS, opened=["hot.c"]) as editor:
            self.assertEqual(self.pull(editor)["items"], [])

    def change(self, text=CHANGED):
        source = self.workspace.path("hot.c")
        source.write_text(text)
        later = self.workspace.path("program").stat().st_mtime + 10
        os.utime(source, (later, later))

    def pull(self, editor, **more):
        return editor.client.request("textDocument/diagnostic",
                                     {**document(editor, "hot.c"), **more})

    def published(self, editor):
        return [params for method, params in editor.client.notifications if method == PUBLISH]

    def settle(self, editor):
        """Waits until what was sent before has been looked at: requests are answered in turn."""
        editor.lenses("hot.c")

    def check_changed(self, diagnostics):
        self.assertEqual(len(diagnostics), 1)
        found = diagnostics[0]
        line = CHANGED.splitlines().index("  int sum = 1;")
        self.assertEqual(found["range"], {"start": {"line": line, "character": 0},
                                          "end": {"line": line, "character": 14}})
        self.assertEqual((found["severity"], found["source"], found["code"]),
                         (INFORMATION, "gprof", "stale-source"))
        self.assertIn("1 line of this source was changed since program was built",
                      found["message"])

    def check_stale(self, diagnostics):
        self.assertEqual(len(diagnostics), 1)
        found = diagnostics[0]
        self.assertEqual(found["range"]["start"], {"line": 0, "character": 0})
        self.assertEqual((found["severity"], found["code"]), (WARNING, "stale-source"))
        self.assertIn("Build program and run it again", found["message"])

    def test_pulled(self):
        self.learn()
        self.change()
        with self.session(PULLS, opened=["hot.c"]) as editor:
            report = self.pull(editor)
            self.assertEqual(report["kind"], "full")
            self.check_changed(report["items"])
            again = self.pull(editor, previousResultId=report["resultId"])
            self.assertEqual(again, {"kind": "unchanged", "resultId": report["resultId"]})
            self.assertEqual(self.pull(editor, previousResultId="another"), report)
            editor.edit("hot.c", SOURCE)
            fresh = self.pull(editor, previousResultId=report["resultId"])
            self.assertEqual((fresh["kind"], fresh["items"]), ("full", []))
            self.assertEqual(self.published(editor), [])

    def test_nothing_is_known_of_the_text(self):
        self.change()
        with self.session(PULLS, known=False, opened=["hot.c"]) as editor:
            self.check_stale(self.pull(editor)["items"])

    def test_off_unless_it_is_asked_for(self):
        self.change()
        for able in (PULLS, IS_TOLD):
            with self.session(able, settings={}, known=False, opened=["hot.c"]) as editor:
                if able is PULLS:
                    self.assertEqual(self.pull(editor)["items"], [])
                self.settle(editor)
                self.assertEqual(self.published(editor), [])

    def test_pushed_once_for_each_state(self):
        self.change()
        with self.session(IS_TOLD, known=False, opened=["hot.c"]) as editor:
            first = editor.client.wait_for_notification(PUBLISH)
            self.check_stale(first["diagnostics"])
            self.assertEqual((first["uri"], first["version"]), (editor.uri("hot.c"), 1))
            editor.save("hot.c")
            editor.client.request("workspace/executeCommand", {"command": "gprof.reload"})
            self.settle(editor)
            editor.client.notify("textDocument/didClose", document(editor, "hot.c"))
            last = editor.client.wait_for_notification(PUBLISH, lambda p: not p["diagnostics"])
            self.assertEqual(last, {"uri": editor.uri("hot.c"), "diagnostics": []})
            self.assertEqual(self.published(editor), [first, last])

    def test_pushed_when_edits_change_the_state(self):
        self.learn()
        self.change()
        with self.session(capabilities(publishDiagnostics={}), opened=["hot.c"]) as editor:
            first = editor.client.wait_for_notification(PUBLISH)
            self.check_changed(first["diagnostics"])
            self.assertNotIn("version", first)
            editor.edit("hot.c", SOURCE)
            editor.client.wait_for_notification(PUBLISH, lambda p: not p["diagnostics"])

    def test_taken_back_when_the_setting_is_turned_off(self):
        self.change()
        with self.session(IS_TOLD, known=False, opened=["hot.c"]) as editor:
            editor.client.wait_for_notification(PUBLISH, lambda p: p["diagnostics"])
            editor.client.settings = {}
            editor.client.notify("workspace/didChangeConfiguration", {"settings": None})
            editor.client.wait_for_notification(PUBLISH, lambda p: not p["diagnostics"])
            editor.client.settings = ON
            editor.client.notify("workspace/didChangeConfiguration", {"settings": None})
            editor.client.wait_until(lambda: len(self.published(editor)) == 3, 60, "the third one")
            self.check_stale(self.published(editor)[2]["diagnostics"])

    def test_only_for_clients_that_know_them(self):
        self.change()
        for able in (capabilities(), BOTH_AND_REFRESHES):
            with self.session(able, known=False, opened=["hot.c"]) as editor:
                self.settle(editor)
                self.assertEqual(self.published(editor), [])

    def test_pushed_to_a_client_that_pulls_but_not_again(self):
        """As Neovim 0.10: it would never ask for what a later load says."""
        self.change()
        with self.session(BOTH, known=False, opened=["hot.c"]) as editor:
            self.check_stale(editor.client.wait_for_notification(PUBLISH)["diagnostics"])

    def test_announced_to_clients_that_pull(self):
        for able, announced in ((PULLS, True), (IS_TOLD, False), (BOTH, False), (BOTH_AND_REFRESHES, True)):
            with self.session(able) as editor:
                self.assertEqual("diagnosticProvider" in editor.offered, announced)


CRASHES = """#include <string.h>

static size_t size_of(const char *text) {
  return strlen(text);
}

int main(int count, char **words) {
  volatile size_t sum = 0;
  for (int i = 0; i < 20000000; ++i) sum += i;
  if (count == 1) return 0;
  return (int)size_of((char *)24) + **words;
}
"""


@needs_collector
class Crashes(FeatureTest):
    def setUp(self):
        super().setUp()
        self.workspace = Workspace(self.folder / "work")
        self.workspace.write("crash.c", CRASHES)
        self.workspace.build(("crash.c",), ("-O1", "-fno-inline", "-fno-optimize-sibling-calls"), pg=False)

    def record(self, *words):
        status = subprocess.run([os.environ["GPROF_LSP_SERVER"], "record", "--", "./program", *words],
                                cwd=self.workspace.directory, stderr=subprocess.PIPE, check=False).returncode
        self.assertEqual(-11 if words else 0, status)

    def session(self, settings=None, **able):
        return self.editor(folder=self.workspace.directory, capabilities=capabilities(**able), settings=settings or {},
                           opened=["crash.c"])

    def published(self, editor):
        return editor.client.wait_for_notification(PUBLISH)["diagnostics"]

    def check(self, found):
        self.assertEqual({"start": {"line": 3, "character": 2}, "end": {"line": 3, "character": 22}}, found["range"])
        self.assertEqual((ERROR, "gprof", "crash"), (found["severity"], found["source"], found["code"]))
        self.assertEqual("program was killed by SIGSEGV in libc.so.6, called here: no access to address 0x18. "
                         "Called by main (crash.c:11)", found["message"])

    def test_the_line_is_an_error_until_another_run(self):
        self.record("crash")
        with self.session(publishDiagnostics={}) as editor:
            only, = self.published(editor)
            self.check(only)
            self.assertNotIn("relatedInformation", only)
            self.record()
            editor.client.request("workspace/executeCommand", {"command": "gprof.reload"})
            editor.client.wait_for_notification(PUBLISH, lambda params: not params["diagnostics"])

    def test_calls_are_related_information_for_clients_that_show_it(self):
        self.record("crash")
        with self.session(diagnostic={"relatedInformation": True}) as editor:
            report = editor.client.request("textDocument/diagnostic", document(editor, "crash.c"))
            only, = report["items"]
            self.check(only)
            self.assertEqual([{"message": "called by main",
                               "location": {"uri": editor.uri("crash.c"),
                                            "range": {"start": {"line": 10, "character": 2},
                                                      "end": {"line": 10, "character": 44}}}}],
                             only["relatedInformation"])

    def test_a_line_that_was_edited_is_not_marked(self):
        self.record("crash")
        with self.session(publishDiagnostics={}) as editor:
            self.published(editor)
            editor.edit("crash.c", CRASHES.replace("strlen(text)", "strlen(text ? text : \"\")"))
            editor.client.wait_for_notification(PUBLISH, lambda params: not params["diagnostics"])
            # It is again, above another line.
            editor.edit("crash.c", "\n" + CRASHES)
            last = editor.client.wait_for_notification(PUBLISH, lambda params: params["diagnostics"]
                                                       and params["diagnostics"][0]["range"]["start"]["line"] == 4)
            self.assertEqual(1, len(last["diagnostics"]))

    def test_not_where_the_setting_is_off(self):
        self.record("crash")
        off = {"diagnostics": {"crashes": False}}
        with self.session(off, publishDiagnostics={}) as editor:
            editor.settle()
            self.assertEqual([], [params for method, params in editor.client.notifications if method == PUBLISH])
