"""Several programs and profiles in one workspace; choosing between them."""
import copy
import os
import pathlib
import shutil
import unittest

from counting_program import LEAF_LINE, CountingProgram
from editor import Editor
from lsp_client import FULL_CAPABILITIES, PATIENCE
from own_folders import fresh_folder, own_environment
from profiled_program import run


def asking_capabilities():
    result = copy.deepcopy(FULL_CAPABILITIES)
    result["window"]["showMessage"] = {"messageActionItem": {"additionalPropertiesSupport": False}}
    result["experimental"] = {"gprof": {"version": 1}}
    return result


class ProgramsTest(unittest.TestCase):
    def setUp(self):
        self.root = fresh_folder(self.addCleanup) / "work"
        self.root.mkdir()
        self.environment = own_environment(str(self.root.parent / "user"))

    def editor(self, settings=None, capabilities=None, program=None):
        editor = Editor(self.root, settings=settings,
                        capabilities=capabilities or asking_capabilities(),
                        environment=self.environment)
        if program:
            editor.open(program.source)
        editor.wait_for_loads(1)
        return editor

    def execute(self, editor, command, *arguments):
        return editor.client.request("workspace/executeCommand",
                                     {"command": command, "arguments": list(arguments)})

    def calls(self, editor, program, line=LEAF_LINE):
        return [title.split(" · ")[0] for title in editor.lenses(program.source).get(line, [])]

    def older(self, path, seconds):
        then = path.stat().st_mtime - seconds
        os.utime(path, (then, then))

    def several_runs(self, program):
        """gmon.out.1 to .3, the third the newest, of 11, 12 and 13 calls."""
        for number in (1, 2, 3):
            program.run(10 + number)
            target = program.folder / f"gmon.out.{number}"
            program.profile.rename(target)
            self.older(target, 100 - 10 * number)
        self.older(program.program, 200)

    def status(self, editor):
        found = [params for method, params in editor.client.notifications
                 if method == "gprof/status"]
        return found[-1]


class Programs(ProgramsTest):
    def test_two_programs_of_two_sources(self):
        first = CountingProgram(self.root, "first")
        second = CountingProgram(self.root, "second")
        for program, calls in ((first, 5), (second, 6)):
            program.compile()
            program.run(calls)
        with self.editor() as editor:
            self.assertEqual(self.calls(editor, first), ["5 calls"])
            self.assertEqual(self.calls(editor, second), ["6 calls"])
            self.assertEqual(editor.all_messages(), [])

    def test_a_tree_of_many_is_told_of_in_percent(self):
        program = CountingProgram(self.root, "first")
        program.compile()
        program.run(5)
        copies = 150
        for number in range(copies):
            folder = self.root / f"copy{number}"
            folder.mkdir()
            for file in (program.program, program.profile):
                shutil.copy2(file, folder)
        with self.editor() as editor:
            reports = [params["value"]["percentage"] for method, params in
                       editor.client.notifications
                       if method == "$/progress" and params["value"]["kind"] == "report"]
            self.assertEqual(self.calls(editor, program), ["5 calls"])
        # One for each program at least would be more.
        self.assertEqual(sorted(set(reports)), reports)
        self.assertGreater(len(reports), 50)
        self.assertLessEqual(len(reports), 101)

    def test_one_that_fails_does_not_keep_the_other(self):
        good = CountingProgram(self.root, "good")
        good.compile()
        good.run(5)
        settings = {"programs": [{"executable": "missing", "profiles": ["gmon.out"]},
                                 {"executable": "good/prog", "profiles": ["good/gmon.out"]}]}
        with self.editor(settings) as editor:
            self.assertEqual(self.calls(editor, good), ["5 calls"])
            self.assertEqual(len(editor.all_messages()), 1)
            self.assertIn("missing", editor.all_messages()[0]["message"])
            status = self.status(editor)
            self.assertEqual((status["state"], status["program"]),
                             ("ready", str(good.program)))

    def test_nothing_that_can_be_loaded(self):
        settings = {"programs": [{"executable": "missing", "profiles": ["gmon.out"]}]}
        with self.editor(settings) as editor:
            status = self.status(editor)
            self.assertEqual(status["state"], "error")
            self.assertIn("missing", status["message"])

    def test_the_newest_of_many_profiles(self):
        program = CountingProgram(self.root)
        program.compile()
        self.several_runs(program)
        with self.editor() as editor:
            self.assertEqual(self.calls(editor, program), ["13 calls"])
            self.assertEqual(self.status(editor)["profiles"], [str(self.root / "gmon.out.3")])
            program.run(14)
            program.profile.rename(self.root / "gmon.out.4")
            self.execute(editor, "gprof.reload")
            editor.wait_for_lens(program.source, LEAF_LINE, "14 calls")

    def test_a_prefix_of_the_users(self):
        program = CountingProgram(self.root)
        program.compile()
        program.run(9, GMON_OUT_PREFIX="run")
        self.assertEqual(len(list(self.root.glob("run.*"))), 1)
        with self.editor() as editor:
            self.assertEqual(self.calls(editor, program), ["9 calls"])

    def test_globs_are_summed(self):
        program = CountingProgram(self.root)
        program.compile()
        self.several_runs(program)
        # What lies beside profiles is none.
        (self.root / "gmon.out.1.gpx").write_bytes(b"no sidecar")
        settings = {"programs": [{"executable": "prog", "profiles": ["gmon.out.*"]}]}
        with self.editor(settings) as editor:
            self.assertEqual(self.calls(editor, program), ["36 calls"])
            program.run(4)
            program.profile.rename(self.root / "gmon.out.4")
            editor.files_changed("gmon.out.4")
            editor.wait_for_lens(program.source, LEAF_LINE, "40 calls")

    def test_a_folder_with_special_characters(self):
        program = CountingProgram(self.root, "a [b] {c}")
        program.compile()
        program.run(8)
        settings = {"programs": [{"executable": "prog", "profiles": ["gmon*"]}]}
        self.root = program.folder
        program.source = "prog.c"
        capabilities = asking_capabilities()
        capabilities["workspace"]["didChangeWatchedFiles"]["dynamicRegistration"] = False
        with self.editor(settings, capabilities) as editor:
            editor.open("prog.c")
            self.assertEqual(self.calls(editor, program), ["8 calls"])
            program.run(9)
            editor.wait_for_lens("prog.c", LEAF_LINE, "9 calls")

    def choose_the_first_run(self):
        """The program, whose first run of several was chosen in a session that is over."""
        program = CountingProgram(self.root)
        program.compile()
        self.several_runs(program)
        with self.editor() as editor:
            self.execute(editor, "gprof.select", {"executable": str(program.program),
                                                  "profiles": [str(self.root / "gmon.out.1")]})
            editor.wait_for_lens("prog.c", LEAF_LINE, "11 calls")
        return program

    def test_select_with_arguments_and_remembered(self):
        program = self.choose_the_first_run()
        with self.editor(program=program) as editor:
            self.assertEqual(self.calls(editor, program), ["11 calls"])
            self.execute(editor, "gprof.clear")
            editor.settle()
            self.assertEqual(self.calls(editor, program), [])
        with self.editor(program=program) as editor:
            self.assertEqual(self.calls(editor, program), ["13 calls"])

    def test_a_choice_that_is_gone_is_ignored(self):
        program = self.choose_the_first_run()
        (self.root / "gmon.out.1").unlink()
        with self.editor(program=program) as editor:
            self.assertEqual(self.calls(editor, program), ["13 calls"])
            self.assertEqual(editor.all_messages(), [])

    def test_a_newer_profile_takes_the_place_of_a_choice_unless_it_is_pinned(self):
        program = CountingProgram(self.root)
        program.compile()
        self.several_runs(program)
        first = {"executable": str(program.program), "profiles": [str(self.root / "gmon.out.1")]}

        def why(editor, expected):
            editor.client.wait_until(lambda: self.status(editor).get("why") == expected, PATIENCE,
                                     expected)

        with self.editor(program=program) as editor:
            why(editor, "The newest of 3 profiles.")
            self.execute(editor, "gprof.select", first)
            editor.wait_for_lens("prog.c", LEAF_LINE, "11 calls")
            why(editor, "Chosen by you, until a newer profile is written.")
            program.run(20)
            editor.files_changed("gmon.out")
            editor.wait_for_lens("prog.c", LEAF_LINE, "20 calls")
            why(editor, "The newest of 4 profiles.")
            self.execute(editor, "gprof.select", {**first, "pinned": True})
            editor.wait_for_lens("prog.c", LEAF_LINE, "11 calls")
            why(editor, "Pinned: newer profiles are not shown.")
            program.run(21)
            program.profile.rename(self.root / "gmon.out.5")
            self.older(self.root / "gmon.out.5", 5)
            program.run(22)
            self.execute(editor, "gprof.reload")
            why(editor, "Pinned: newer profiles are not shown.")
            self.assertEqual(self.calls(editor, program), ["11 calls"])
        with self.editor(program=program) as editor:
            self.assertEqual(self.calls(editor, program), ["11 calls"])
            self.assertTrue(self.status(editor)["pinned"])
            # The program alone: unpinned.
            self.execute(editor, "gprof.select", {"executable": str(program.program)})
            editor.wait_for_lens("prog.c", LEAF_LINE, "22 calls")

    def test_settings_come_before_what_is_remembered(self):
        program = self.choose_the_first_run()
        named = {"programs": [{"executable": "prog", "profiles": ["gmon.out.2"]}]}
        with self.editor(named, program=program) as editor:
            self.assertEqual(self.calls(editor, program), ["12 calls"])
            self.assertEqual(self.status(editor)["why"], "Named by the setting gprof.programs.")

    def test_where_choices_are_kept(self):
        self.choose_the_first_run()
        state = pathlib.Path(self.environment["XDG_STATE_HOME"])
        self.assertEqual([path.relative_to(state).parent for path in state.rglob("*")
                          if path.is_file()], [pathlib.Path("gprof-lsp/choices")])

    def test_select_asks(self):
        program = CountingProgram(self.root)
        program.compile()
        self.several_runs(program)
        asked = []

        def answer(params):
            asked.append([action["title"] for action in params["actions"]])
            return next(a for a in params["actions"] if "gmon.out.2" in a["title"])

        with self.editor(program=program) as editor:
            editor.client.answer_with("window/showMessageRequest", answer)
            self.execute(editor, "gprof.select")
            editor.wait_for_lens("prog.c", LEAF_LINE, "12 calls")
            titles = asked[0]
            self.assertEqual(len(titles), len(set(titles)))
            self.assertIn("prog — sum of 3 profiles", titles)
            self.assertRegex("\n".join(titles), r"prog — gmon\.out\.3, 1 minute ago")
            # Taking nothing changes nothing.
            before = editor.refreshes()
            editor.client.answer_with("window/showMessageRequest", lambda params: None)
            self.execute(editor, "gprof.select")
            editor.client.wait_until(
                lambda: editor.client.count_requests("window/showMessageRequest") == 2, PATIENCE,
                "a question")
            self.assertEqual(self.calls(editor, program), ["12 calls"])
            self.assertEqual(editor.refreshes(), before)

    def test_the_sum_can_be_chosen(self):
        program = CountingProgram(self.root)
        program.compile()
        self.several_runs(program)
        with self.editor(program=program) as editor:
            editor.client.answer_with(
                "window/showMessageRequest",
                lambda params: next(a for a in params["actions"] if "sum of" in a["title"]))
            self.execute(editor, "gprof.select")
            editor.wait_for_lens("prog.c", LEAF_LINE, "36 calls")

    def test_select_is_not_asked_of_a_client_that_cannot(self):
        program = CountingProgram(self.root)
        program.compile()
        program.run(3)
        capabilities = asking_capabilities()
        capabilities["window"].pop("showMessage")
        with self.editor(capabilities=capabilities, program=program) as editor:
            self.execute(editor, "gprof.select")
            self.assertEqual(self.calls(editor, program), ["3 calls"])
            self.assertEqual(editor.client.count_requests("window/showMessageRequest"), 0)

    def test_loaded_by_hand(self):
        shown = CountingProgram(self.root, "shown")
        shown.compile()
        shown.run(3)
        away = CountingProgram(self.root.parent / "away")
        away.compile()
        away.run(4)
        with self.editor(program=shown) as editor:
            self.execute(editor, "gprof.load", {"executable": str(away.program),
                                                "profiles": [str(away.folder / "gmon.*")]})
            uri = (away.folder / "prog.c").as_uri()
            editor.settle()
            lenses = editor.client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
            self.assertTrue(lenses)
            self.assertEqual(self.calls(editor, shown), ["3 calls"])
            self.assertEqual(self.status(editor)["program"], str(away.program))
        with self.editor(program=shown) as editor:
            self.assertEqual(self.status(editor)["program"], str(away.program))

    def test_all_that_was_loaded_by_hand_is_remembered(self):
        """Three programs of one workspace whose profiles are elsewhere: the next session knows them all."""
        loaded = []
        for number in (1, 2, 3):
            program = CountingProgram(self.root, f"prog{number}")
            program.compile()
            program.run(10 + number)
            kept = self.root.parent / "kept" / str(number) / "gmon.out"
            kept.parent.mkdir(parents=True)
            program.profile.rename(kept)
            loaded.append((program, kept))
        with self.editor() as editor:
            for program, kept in loaded:
                self.execute(editor, "gprof.load", {"executable": str(program.program), "newest": True,
                                                    "profiles": [str(kept)]})
            editor.settle()
        with self.editor() as editor:
            self.assertEqual(self.status(editor)["program"], str(loaded[-1][0].program))
            for number, (program, _) in enumerate(loaded, start=1):
                self.assertEqual(self.calls(editor, program), [f"{10 + number} calls"])
            known = editor.client.request("gprof/programs", {})["programs"]
            self.assertEqual({str(program.program) for program, _ in loaded},
                             {entry["executable"] for entry in known})

    def test_what_cannot_be_shown_is_named(self):
        """Not the program that is shown in its place."""
        shown = CountingProgram(self.root, "shown")
        shown.compile()
        shown.run(3)
        stripped = CountingProgram(self.root.parent / "away")
        stripped.compile("-s")
        stripped.run(4)
        with self.editor(program=shown) as editor:
            self.assertNotIn("unavailable", self.status(editor))
            self.execute(editor, "gprof.load", {"executable": str(stripped.program),
                                                "profiles": [str(stripped.profile)]})
            editor.settle()
            status = self.status(editor)
            self.assertEqual((str(shown.program), str(stripped.program)),
                             (status["program"], status["unavailable"]))
            self.assertIn("no function symbols", status["message"])
            self.assertEqual(self.calls(editor, shown), ["3 calls"])
            self.execute(editor, "gprof.select", {"executable": str(shown.program)})
            editor.settle()
            self.assertNotIn("unavailable", self.status(editor))

    def test_the_newest_of_what_was_loaded(self):
        program = CountingProgram(self.root)
        program.compile()
        profiles = [str(self.root / "gmon.out"), str(self.root.parent / "kept" / "[0-9]*" / "gmon.out"),
                    str(self.root / "nobody" / "gmon.out")]
        kept = self.root.parent / "kept" / "1"
        kept.mkdir(parents=True)
        program.run(4)
        program.profile.rename(kept / "gmon.out")
        self.older(kept / "gmon.out", 50)
        with self.editor(program=program) as editor:
            self.execute(editor, "gprof.load", {"executable": str(program.program),
                                                "profiles": profiles, "newest": True})
            editor.wait_for_lens("prog.c", LEAF_LINE, "4 calls")
            # A run in the workspace is newer, and is no part of a sum.
            program.run(7)
            editor.wait_for_lens("prog.c", LEAF_LINE, "7 calls")
            entry, = editor.client.request("gprof/programs", {})["programs"]
            self.assertEqual([str(program.profile)], entry["profiles"])
            self.assertEqual([str(program.profile), str(kept / "gmon.out")], entry["candidates"])
            later = kept.parent / "2"
            later.mkdir()
            program.run(9)
            program.profile.rename(later / "gmon.out")
            editor.wait_for_lens("prog.c", LEAF_LINE, "9 calls")
        with self.editor(program=program) as editor:
            self.assertEqual(self.status(editor)["profiles"], [str(later / "gmon.out")])

    def test_the_newest_is_also_looked_for_in_the_workspace(self):
        program = CountingProgram(self.root)
        program.compile()
        kept = self.root.parent / "kept"
        kept.mkdir()
        program.run(4)
        program.profile.rename(kept / "gmon.out")
        self.older(kept / "gmon.out", 50)
        (self.root / "deep" / "down").mkdir(parents=True)
        with self.editor(program=program) as editor:
            self.execute(editor, "gprof.load", {"executable": str(program.program), "newest": True,
                                                "profiles": [str(kept / "gmon.out")]})
            editor.wait_for_lens("prog.c", LEAF_LINE, "4 calls")
            program.run(7)
            program.profile.rename(self.root / "deep" / "down" / "gmon.out")
            self.execute(editor, "gprof.reload")
            editor.wait_for_lens("prog.c", LEAF_LINE, "7 calls")

    def test_the_order_of_programs_that_share_sources(self):
        program = CountingProgram(self.root)
        program.compile()
        program.run(5)
        (self.root / "other").mkdir()
        run(["gcc", "-g", "-O0", "-pg", "-DOTHER", self.root / "prog.c", "-o", "other/prog"],
            self.root)
        run(["./prog", "6"], self.root / "other")
        self.older(program.profile, 50)
        with self.editor(program=program) as editor:
            self.assertTrue(self.calls(editor, program)[0].startswith("6 calls"))
            self.execute(editor, "gprof.select", {"executable": str(program.program)})
            editor.wait_for_lens("prog.c", LEAF_LINE, "5 calls")

    def test_workspace_folders_come_and_go(self):
        first = CountingProgram(self.root, "first")
        first.compile()
        first.run(5)
        with self.editor(program=first) as editor:
            folder = {"uri": self.root.as_uri(), "name": "work"}
            editor.client.notify("workspace/didChangeWorkspaceFolders", {
                "event": {"added": [], "removed": [folder]}})
            editor.settle()
            self.assertEqual(self.calls(editor, first), [])
            editor.client.notify("workspace/didChangeWorkspaceFolders", {
                "event": {"added": [folder], "removed": []}})
            editor.wait_for_lens(first.source, LEAF_LINE, "5 calls")


class SeveralFolders(ProgramsTest):
    """A workspace of two folders, each with a program of its own."""

    def setUp(self):
        super().setUp()
        self.app = CountingProgram(self.root, "app")
        self.tool = CountingProgram(self.root, "tool")
        self.app.compile()
        self.tool.compile()

    def editor(self, settings=None, capabilities=None, program=None):
        editor = Editor(self.root, settings=settings, capabilities=asking_capabilities(),
                        environment=self.environment, folders=("app", "tool"))
        for shown in (self.app, self.tool):
            editor.open(shown.source)
        editor.wait_for_loads(1)
        return editor

    def share(self, calls):
        """A newer program of the folder tool that is built from the source in app."""
        run(["gcc", "-g", "-O0", "-pg", "-DOTHER", self.app.folder / "prog.c", "-o", "shared"],
            self.tool.folder)
        run(["./shared", str(calls)], self.tool.folder)
        return self.tool.folder / "shared"

    def test_a_file_shows_the_program_of_its_folder(self):
        self.app.run(5)
        self.older(self.app.profile, 50)
        shared = self.share(6)
        with self.editor() as editor:
            self.assertEqual(self.status(editor)["program"], str(shared))
            self.assertEqual(self.calls(editor, self.app), ["5 calls"])
            # A choice is one for the files of its own folder.
            for chosen in (self.app.program, shared):
                self.execute(editor, "gprof.select", {"executable": str(chosen)})
                editor.client.wait_until(lambda: self.status(editor)["program"] == str(chosen),
                                         PATIENCE, "the choice")
                self.assertEqual(self.calls(editor, self.app), ["5 calls"])
        # Where its own folder has none, that of another folder is better than nothing.
        self.app.profile.unlink()
        with self.editor() as editor:
            self.assertEqual(self.calls(editor, self.app), ["6 calls"])

    def test_each_keeps_what_was_loaded_for_it(self):
        kept = {}
        for program, calls in ((self.app, 5), (self.tool, 6)):
            program.run(calls)
            kept[program] = self.root.parent / "kept" / program.folder.name / "gmon.out"
            kept[program].parent.mkdir(parents=True)
            program.profile.rename(kept[program])

        def load(editor, program):
            self.execute(editor, "gprof.load", {"executable": str(program.program), "newest": True,
                                                "profiles": [str(kept[program])]})

        def both_are_shown(editor):
            editor.wait_for_lens(self.app.source, LEAF_LINE, "5 calls")
            editor.wait_for_lens(self.tool.source, LEAF_LINE, "6 calls")

        with self.editor() as editor:
            load(editor, self.app)
            load(editor, self.tool)
            both_are_shown(editor)
        with self.editor() as editor:
            both_are_shown(editor)
            self.assertEqual(self.status(editor)["program"], str(self.tool.program))
            load(editor, self.app)
            editor.client.wait_until(lambda: self.status(editor)["program"] == str(self.app.program),
                                     PATIENCE, "the choice")
            both_are_shown(editor)
        self.tool.program.unlink()
        with self.editor() as editor:
            editor.wait_for_lens(self.app.source, LEAF_LINE, "5 calls")
            self.assertEqual([], editor.all_messages())
