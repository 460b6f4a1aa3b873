"""The comparison with a base in the editor: what every feature shows of it, and what becomes of it
when the base is no good."""
import os
import pathlib
import unittest

import documented_shapes
from compared_builds import NAMES, Build, source
from feature_session import FeatureTest, capabilities, document
from own_folders import own_environment
from tested_build import needs_collector

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "lsp-extensions.md"
MEANS = {"alpha": 900, "beta": 500, "delta": 400, "epsilon": 300, "eta": 200}
PUBLISH = "textDocument/publishDiagnostics"
SERVER = os.environ.get("GPROF_LSP_SERVER")


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class Compare(FeatureTest):
    def setUp(self):
        super().setUp()
        self.old = Build(self.folder, "base").compile()
        # Two lines more: lines of the base are found again below them.
        self.new = Build(self.folder, "now", "/* one\n   two */\n" + source()).compile("-DWORK=52")
        self.old_runs = self.old.write_runs(3, MEANS, 1, calls={"alpha": 10, "beta": 5})
        self.new_runs = self.new.write_runs(3, dict(MEANS, delta=800), 2,
                                            calls={"alpha": 12, "beta": 5})
        self.shapes = documented_shapes.Shapes(PAGE.read_text())

    def side(self, build, runs):
        return {"executable": str(build.program), "profiles": [str(run) for run in runs]}

    def settings(self, base=True, **more):
        settings = {"programs": [self.side(self.new, self.new_runs)], **more}
        if base:
            settings["base"] = self.side(self.old, self.old_runs)
        return settings

    def session(self, able=None, opened=(), **settings):
        return self.editor(folder=self.new.directory, settings=self.settings(**settings), opened=opened,
                           **({"capabilities": able} if able else {}))

    def execute(self, editor, *arguments):
        return editor.client.request("workspace/executeCommand", {
            "command": "gprof.compare", "arguments": list(arguments)})

    def title(self, editor, name):
        return editor.lenses("work.c")[self.new.line_of_function(name)][0]

    def ask(self, editor, method, shape, **params):
        answer = editor.client.request(method, params)
        self.assertEqual([], self.shapes.defects(answer, shape))
        return answer


class Shown(Compare):
    def test_lenses(self):
        with self.session(opened=["work.c"]) as editor:
            self.assertRegex(self.title(editor, "delta"), r" · self \+0\.\d\d s \(\+\d+ %\) ▲")
            self.assertIn("2 calls more", self.title(editor, "alpha"))
            self.assertNotIn("▲", self.title(editor, "beta"))
            self.assertNotIn("more", self.title(editor, "beta"))

    def test_what_differs_has_a_lens_whatever_the_threshold(self):
        with self.session(opened=["work.c"], codeLens={"threshold": 1}) as editor:
            shown = editor.lenses("work.c")
            for name in ("delta", "alpha"):
                self.assertIn(self.new.line_of_function(name), shown)
            self.assertNotIn(self.new.line_of_function("beta"), shown)

    def test_nothing_without_a_base(self):
        with self.session(base=False, opened=["work.c"]) as editor:
            self.assertNotIn("▲", self.title(editor, "delta"))
            spots = self.ask(editor, "gprof/hotSpots", "HotSpotsResult", order="regression")
            self.assertNotIn("selfDifference", spots["spots"][0])

    def test_hints_follow_the_source(self):
        with self.session(opened=["work.c"]) as editor:
            hints = editor.hints("work.c")
            self.assertRegex(hints[self.new.line_of_function("delta")], r"\+0\.\d\d s ▲")
            self.assertNotIn("▲", hints[self.new.line_of_function("alpha")])
            # A line that was changed since is not compared.
            editor.edit("work.c", self.new.text.replace("void delta(void)", "void delta (void)"))
            self.assertNotIn("▲", "".join(editor.hints("work.c").values()))

    def test_hovers(self):
        with self.session(opened=["work.c"]) as editor:
            text = editor.hover("work.c", self.new.line_of_function("delta"), "delta")
            self.assertRegex(text, r"Self +\|.*0\.\d\d s \|.*\+0\.\d\d s ± 0\.\d\d s \(\+\d+ %\).*regressed")
            self.assertIn("Of one run, by 3 of the base and 3 now.", text)
            text = editor.hover("work.c", self.new.line_of_function("alpha"), "alpha")
            self.assertRegex(text, r"Calls +\| *10 \| *12 \| *\+2 \| *more")
            self.assertRegex(text, r"Self +\|.*noise")

    def test_lists(self):
        with self.session() as editor:
            spots = self.ask(editor, "gprof/hotSpots", "HotSpotsResult", order="regression")["spots"]
            self.assertEqual((spots[0]["name"], spots[0]["rank"]), ("delta", 1))
            self.assertEqual(spots[0]["selfDifference"]["verdict"], "regressed")
            self.assertAlmostEqual(spots[0]["selfDifference"]["baseSeconds"], 0.4, delta=0.05)
            self.assertEqual({spot["selfDifference"]["verdict"] for spot in spots[1:]}, {"noise"})
            alpha = next(spot for spot in spots if spot["name"] == "alpha")
            self.assertEqual(alpha["callsDifference"], 2)
            by_cost = self.ask(editor, "gprof/hotSpots", "HotSpotsResult")["spots"]
            self.assertEqual(by_cost[0]["name"], "alpha")
            rows = self.ask(editor, "gprof/flatProfile", "FlatProfileResult")["rows"]
            delta = next(row for row in rows if row["name"] == "delta")
            self.assertGreater(delta["selfDifference"]["difference"],
                               3 * delta["selfDifference"]["error"])

    def test_line_data(self):
        with self.session(opened=["work.c"]) as editor:
            lines = self.ask(editor, "gprof/lineData", "LineDataResult",
                             **document(editor, "work.c"))["lines"]
            cells = {line["line"] + 1: line["cells"] for line in lines}
            self.assertRegex(cells[self.new.line_of_function("delta")][2], r"^\+0\.\d\d s ▲$")
            self.assertEqual("", [*cells[self.new.line_of_function("alpha")], ""][2], "noise")
            by_line = {line["line"] + 1: line.get("selfDifference") for line in lines}
            self.assertEqual(by_line[self.new.line_of_function("delta")]["verdict"], "regressed")
            self.assertEqual(by_line[self.new.line_of_function("alpha")]["verdict"], "noise")

    def test_diagnostics_are_pulled(self):
        on = {"diagnostics": {"enable": True}}
        with self.session(able=capabilities(diagnostic={}), **on, opened=["work.c"]) as editor:
            items = editor.client.request("textDocument/diagnostic",
                                          document(editor, "work.c"))["items"]
            self.check_warning(items)

    def test_diagnostics_are_pushed(self):
        on = {"diagnostics": {"enable": True}}
        with self.session(able=capabilities(publishDiagnostics={}), **on) as editor:
            editor.open("work.c")
            pushed = editor.client.wait_for_notification(PUBLISH)
            self.check_warning(pushed["diagnostics"])

    def check_warning(self, items):
        self.assertEqual([(item["code"], item["severity"]) for item in items], [("regression", 2)])
        line = self.new.line_of_function("delta") - 1
        self.assertEqual(items[0]["range"]["start"]["line"], line)
        self.assertRegex(items[0]["message"], r"^delta is slower than in the base run: self \+0\.")


class Chosen(Compare):
    def test_by_command(self):
        with self.session(base=False, opened=["work.c"]) as editor:
            self.execute(editor, self.side(self.old, self.old_runs))
            self.wait_for(editor, "delta", "▲")
            # Runs of one build beside each other: nothing stands out.
            self.execute(editor, {"profiles": [str(run) for run in self.new_runs]})
            self.wait_for(editor, "delta", "▲", there=False)
            self.execute(editor, self.side(self.old, self.old_runs))
            self.wait_for(editor, "delta", "▲")
            self.execute(editor, None)
            self.wait_for(editor, "delta", "▲", there=False)

    def wait_for(self, editor, name, text, there=True):
        editor.wait_for(lambda: (text in self.title(editor, name)) == there,
                        f"{text!r} {'in' if there else 'gone from'} {name}'s lens")

    def test_arguments_that_do_not_fit(self):
        with self.session() as editor:
            for argument in (7, "work", {"executable": 7}):
                error = editor.client.start_request("workspace/executeCommand", {
                    "command": "gprof.compare", "arguments": [argument]}).error()
                self.assertIn("expected one argument", str(error))

    def test_the_user_is_asked(self):
        asked = []

        def answer(params):
            asked.append([action["title"] for action in params["actions"]])
            wanted = self.new_runs[1].name if len(asked) == 1 else "No comparison"
            return next(a for a in params["actions"] if wanted in a["title"])

        able = capabilities()
        able.setdefault("window", {})["showMessage"] = {"messageActionItem": {}}
        with self.session(able=able, base=False, opened=["work.c"]) as editor:
            editor.client.answer_with("window/showMessageRequest", answer)
            one_run = self.side(self.new, self.new_runs[:1])
            editor.client.request("workspace/executeCommand", {
                "command": "gprof.select", "arguments": [{**one_run, "pinned": True}]})
            editor.wait_for_lens("work.c", self.new.line_of_function("alpha"), "12 calls")
            self.execute(editor)
            self.wait_for_spots(editor, "selfDifference")
            # What is shown is not offered.
            self.assertEqual(len(asked[0]), 2, asked)
            self.execute(editor)
            self.wait_for_spots(editor, "selfDifference", there=False)

    def wait_for_spots(self, editor, member, there=True):
        def look():
            return (member in self.ask(editor, "gprof/hotSpots", "HotSpotsResult")["spots"][0]) == there
        editor.wait_for(look, f"{member} in the hot spots")

    def test_a_base_that_is_no_good_changes_nothing(self):
        with self.session(opened=["work.c"]) as editor:
            before = self.title(editor, "delta")
            self.assertIn("▲", before)
            broken = self.folder / "broken"
            broken.write_bytes(b"no profile")
            self.execute(editor, {"executable": str(self.old.program), "profiles": [str(broken)]})
            editor.wait_for_message()
            self.assertEqual(len(editor.all_messages()), 1)
            self.assertIn("this base cannot be compared with", editor.all_messages()[0]["message"])
            self.assertIn("broken", editor.all_messages()[0]["message"])
            self.assertEqual(self.title(editor, "delta"), before)

    def test_a_base_of_a_build_that_is_gone(self):
        with self.session(opened=["work.c"]) as editor:
            self.execute(editor, {"executable": str(self.gone().program),
                                  "profiles": [str(run) for run in self.old_runs]})
            editor.wait_for_message()
            self.assertIn("this recording was made by an earlier build of", editor.all_messages()[0]["message"])

    def gone(self):
        """What stands where the build of the base was: a program with nothing at the same place."""
        return Build(self.folder, "gone", source()).compile("-DWORK=52", "-Wl,-Ttext-segment=0x10000000")

    def test_the_base_is_never_shown_as_a_program(self):
        with self.session() as editor:
            programs = self.ask(editor, "gprof/programs", "ProgramsResult")["programs"]
            self.assertEqual([program["executable"] for program in programs],
                             [str(self.new.program)])

    def test_a_new_profile_of_the_base_is_compared_with(self):
        with self.session(opened=["work.c"]) as editor:
            self.assertIn("▲", self.title(editor, "delta"))
            for i, run in enumerate(self.old_runs):
                self.old.write_run(run.name, dict(MEANS, delta=800 + i))
            editor.files_changed(*[f"../base/{run.name}" for run in self.old_runs])
            self.wait_for(editor, "delta", "▲", there=False)


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
@needs_collector
class Rebuilt(FeatureTest):
    """A program that was recorded, changed, rebuilt in the same place and recorded again."""

    def setUp(self):
        super().setUp()
        self.environment = own_environment(self.folder / "user")
        self.kept = self.folder / "user" / "cache" / "gprof-lsp" / "executables"

    def record(self, folder, *flags, names=NAMES, rounds=400, keep=True):
        """With other `names`, its functions are in another order."""
        self.build = Build(self.folder, "build", source(names=names, rounds=rounds)).compile(*flags)
        return self.build.record(SERVER, folder, self.environment,
                                 more=("--keep-executable",) if keep else ())

    def rebuilt(self, *flags, **options):
        """The recordings before and after."""
        before = self.record("before", *flags, **options)
        after = self.record("after", *flags, names=tuple(reversed(NAMES)), rounds=500, **options)
        return before, after

    def session(self, profile):
        settings = {"programs": [{"executable": str(self.build.program), "profiles": [str(profile)]}]}
        return self.editor(folder=self.build.directory, settings=settings, opened=["work.c"],
                           environment=self.environment)

    def compare(self, editor, profile):
        editor.client.request("workspace/executeCommand", {
            "command": "gprof.compare", "arguments": [{"profiles": [str(profile)]}]})

    def differences(self, editor):
        spots = editor.client.request("gprof/hotSpots", {"metric": "calls", "order": "regression"})["spots"]
        found = {spot["name"]: spot.get("callsDifference") for spot in spots if spot["name"] in NAMES}
        return found if any(value is not None for value in found.values()) else {}

    def says_gone(self, before, after):
        with self.session(after) as editor:
            self.compare(editor, before)
            editor.wait_for_message("earlier build of work that is no longer available")
            self.assertEqual({}, self.differences(editor))

    def compares(self, before, after):
        with self.session(after) as editor:
            self.compare(editor, before)
            found = editor.wait_for(lambda: self.differences(editor), "differences")
            # Each by its name, wherever it was.
            self.assertEqual({name: 100 for name in NAMES}, found)
            # How well a busy machine could sample is another matter.
            self.assertNotRegex(str(editor.all_messages()), "earlier build|rebuilt|compared")

    def test_the_recording_before_is_compared_with(self):
        self.compares(*self.rebuilt())
        self.assertEqual(0o700, self.kept.stat().st_mode & 0o777)
        self.assertEqual({0o600}, {path.stat().st_mode & 0o777 for path in self.kept.iterdir()})

    def test_without_a_build_id(self):
        self.compares(*self.rebuilt("-Wl,--build-id=none"))

    def test_when_the_executable_is_gone(self):
        before, after = self.rebuilt()
        copy = self.folder / "shown"
        self.build.program.rename(copy)
        settings = {"programs": [{"executable": str(copy), "profiles": [str(after)]}]}
        with self.editor(folder=self.build.directory, settings=settings, environment=self.environment,
                         opened=["work.c"]) as editor:
            editor.client.request("workspace/executeCommand", {
                "command": "gprof.compare",
                "arguments": [{"executable": str(self.build.program), "profiles": [str(before)]}]})
            editor.wait_for(lambda: self.differences(editor), "differences")

    def test_lines_of_a_text_that_was_shown(self):
        # The loop takes long enough to be sampled.
        slow = "-DWORK=1000"
        before = self.record("before", slow)
        with self.session(before) as editor:
            editor.wait_for_lens("work.c", self.build.line_of_function("delta"), "400 calls")
            editor.wait_for(lambda: list((self.folder / "user" / "cache" / "gprof-lsp" / "lines").glob("*")),
                            "the lines of the sources")
        after = self.record("after", slow, rounds=500)
        with self.session(after) as editor:
            self.compare(editor, before)
            line = self.build.line_of_function("delta")
            editor.wait_for(lambda: "100 calls more" in editor.lenses("work.c")[line][0], "the difference")
            lines = editor.client.request("gprof/lineData", document(editor, "work.c"))["lines"]
            # The loop in it.
            self.assertIn(line + 1, [one["line"] + 1 for one in lines if "selfDifference" in one])

    def test_of_a_recording_whose_executable_was_not_kept(self):
        self.says_gone(*self.rebuilt(keep=False))

    def test_a_damaged_copy_counts_as_none(self):
        before, after = self.rebuilt()
        for copy in self.kept.glob("*.executable"):
            copy.write_bytes(copy.read_bytes()[:-1] + b"?")
        self.says_gone(before, after)
