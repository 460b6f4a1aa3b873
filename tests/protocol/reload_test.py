"""Programs that are rebuilt and run again under an open session: the newest counts are shown, told by
one refresh of each kind, and what fails changes nothing but a message."""
import copy
import os
import pathlib
import time
import unittest

from counting_program import LEAF_LINE, CountingProgram
from editor import Editor
from lsp_client import FULL_CAPABILITIES, PATIENCE
from own_folders import fresh_folder
from process_memory import resident_bytes
from tested_build import SANITIZED

# Seconds without a change until the server looks, and how long it waits if changes do not end.
QUIET, UNREST = 0.2, 1


def capabilities(watches):
    """Of a client that watches files for the server, or leaves that to it."""
    result = copy.deepcopy(FULL_CAPABILITIES)
    result["workspace"]["didChangeWatchedFiles"] = {"dynamicRegistration": watches,
                                                    "relativePatternSupport": watches}
    result["experimental"] = {"gprof": {"version": 1}}
    return result


class Session(Editor):
    """An open session with a program that is loaded."""

    def __init__(self, program, watches=False, settings=None):
        super().__init__(program.directory, settings=settings,
                         capabilities=capabilities(watches))
        self.program = program
        self.open(program.source)
        self.wait_for_loads(1)

    def all_refreshes(self):
        """Of lenses, and of hints."""
        return (self.refreshes(), self.client.count_requests("workspace/inlayHint/refresh"))

    def states(self):
        return [params["state"] for method, params in self.client.notifications
                if method == "gprof/status"]

    def wait_for_calls(self, calls, line=LEAF_LINE):
        self.wait_for_lens(self.program.source, line, f"{calls:,} call")

    def shown_calls(self):
        """Line -> calls, of leaf."""
        return {line: titles[0].split(" · ")[0] for line, titles in
                self.lenses(self.program.source).items() if not titles[0].startswith("called by the C")}

    def wait_for_state(self, state):
        self.client.wait_for_notification("gprof/status", lambda p: p["state"] == state)


class Reload(unittest.TestCase):
    def setUp(self):
        self.program = CountingProgram(fresh_folder(self.addCleanup))
        self.program.compile()
        self.program.run(10)

    def expect_quiet(self, session, refreshes):
        session.settle()
        self.assertEqual(session.all_refreshes(), refreshes)

    def test_run_again(self):
        with Session(self.program) as session:
            session.wait_for_calls(10)
            self.program.run(20)
            session.wait_for_calls(20)
            self.expect_quiet(session, (2, 2))
            self.assertEqual(session.all_messages(), [])
            self.assertEqual(session.states(), ["loading", "ready", "loading", "ready"])

    def test_run_again_where_the_client_watches(self):
        with Session(self.program, watches=True) as session:
            session.wait_for_calls(10)
            self.program.run(20)
            session.files_changed("gmon.out")
            session.wait_for_calls(20)
            self.expect_quiet(session, (2, 2))
            # Nothing has changed, whatever the client says.
            session.files_changed("gmon.out", "prog")
            self.expect_quiet(session, (2, 2))
            self.assertEqual(session.states(), ["loading", "ready", "loading", "ready"])

    def test_a_server_does_not_watch_what_the_client_does(self):
        with Session(self.program, watches=True) as session:
            # It looks once more when it has asked the client to watch.
            session.settle()
            self.program.run(20)
            self.expect_quiet(session, (1, 1))

    def test_settings_name_the_files(self):
        settings = {"programs": [{"executable": "prog", "profiles": ["gmon.out"]}]}
        with Session(self.program, settings=settings) as session:
            session.wait_for_calls(10)
            self.program.run(20)
            session.wait_for_calls(20)
            self.expect_quiet(session, (2, 2))

    def test_a_build_alone_keeps_what_is_shown(self):
        with Session(self.program) as session:
            session.wait_for_calls(10)
            self.program.insert_lines()
            self.program.compile()
            session.wait_for_message("prog", "was rebuilt since its profile was written")
            session.wait_for_state("stale")
            session.settle()
            self.assertEqual(session.shown_calls(), {LEAF_LINE: "10 calls"},
                             "the open document has the old text")
            lenses, hints = session.all_refreshes()
            self.assertLessEqual(lenses, 2)
            self.assertLessEqual(hints, 2)
            self.assertEqual(len(session.all_messages()), 1)
            self.assertEqual(session.all_messages()[0]["type"], 3)
            self.program.run(30)
            line = LEAF_LINE + 2
            session.edit(self.program.source, (self.program.folder / "prog.c").read_text())
            session.wait_for_calls(30, line)
            self.expect_quiet(session, (lenses + 1, hints + 1))
            self.assertEqual(session.states()[-1], "ready")
            self.assertEqual(len(session.all_messages()), 1)

    def test_build_and_run_at_once(self):
        with Session(self.program) as session:
            session.wait_for_calls(10)
            line = self.program.insert_lines()
            session.edit(self.program.source, (self.program.folder / "prog.c").read_text())
            # Together, as a build and a run that take no time would be.
            self.program.program.rename(self.program.folder / "old")
            (self.program.folder / "old").unlink()
            self.program.compile()
            self.program.run(40)
            session.wait_for_calls(40, line)
            session.settle()
            self.assertEqual(session.shown_calls()[line], "40 calls")
            self.assertEqual(session.states()[-1], "ready")

    def test_a_half_written_profile(self):
        with Session(self.program) as session:
            session.wait_for_calls(10)
            self.program.run(20)
            session.wait_for_calls(20)
            whole = self.program.profile.read_bytes()
            before = session.all_refreshes()
            half = self.program.folder / "half"
            for share in (3, 5, 7):
                # Written in one go: an empty file would cause a message as well.
                half.write_bytes(whole[:len(whole) * share // 10])
                os.replace(half, self.program.profile)
                session.wait_for_message("gmon.out")
                session.settle()
            self.assertEqual(len(session.all_messages()), 1, session.messages)
            self.assertEqual(session.shown_calls(), {LEAF_LINE: "20 calls"})
            self.assertEqual(session.all_refreshes(), before)
            self.program.run(50)
            session.wait_for_calls(50)
            self.expect_quiet(session, tuple(n + 1 for n in before))

    def test_a_profile_that_is_whole_soon(self):
        self.program.run(30)
        whole = self.program.profile.read_bytes()
        self.program.run(10)
        with Session(self.program) as session:
            session.wait_for_calls(10)
            session.settle()
            moments = [time.monotonic()]
            with open(self.program.profile, "wb") as profile:
                for at in range(0, len(whole), max(1, len(whole) // 5)):
                    profile.write(whole[at:at + max(1, len(whole) // 5)])
                    profile.flush()
                    moments.append(time.monotonic())
                    time.sleep(0.02)
            session.wait_for_calls(30)
            # Where the machine stood still for so long between two steps, the server may have looked in between.
            if moments[-1] - moments[0] < UNREST and all(
                    later - earlier < QUIET for earlier, later in zip(moments, moments[2:])):
                self.assertEqual(session.all_messages(), [])

    def test_what_vanishes_stays(self):
        with Session(self.program) as session:
            session.wait_for_calls(10)
            self.program.profile.unlink()
            self.expect_quiet(session, (1, 1))
            self.program.program.unlink()
            self.expect_quiet(session, (1, 1))
            self.assertEqual(session.shown_calls(), {LEAF_LINE: "10 calls"})
            self.assertEqual(session.all_messages(), [])
            self.program.compile()
            self.program.run(60)
            session.wait_for_calls(60)

    def test_a_profile_of_another_program(self):
        other = CountingProgram(self.program.directory / "elsewhere")
        other.insert_lines(40)
        other.compile()
        other.run(7)
        settings = {"programs": [{"executable": "prog", "profiles": ["gmon.out"]}]}
        with Session(self.program, settings=settings) as session:
            session.wait_for_calls(10)
            os.replace(other.profile, self.program.profile)
            session.wait_for_message("gmon.out", "does not belong to")
            self.expect_quiet(session, (1, 1))
            self.assertEqual(session.shown_calls(), {LEAF_LINE: "10 calls"})
            self.assertEqual(len(session.all_messages()), 1)

    def test_the_first_profile_comes_later(self):
        self.program.profile.unlink()
        with Session(self.program) as session:
            self.assertEqual(session.shown_calls(), {})
            self.program.run(70)
            session.wait_for_calls(70)
            self.expect_quiet(session, (2, 2))

    def test_the_program_comes_into_a_new_directory(self):
        root = self.program.directory / "root"
        root.mkdir()
        fresh = CountingProgram(root)
        with Session(fresh) as session:
            build = CountingProgram(root, folder="build/debug")
            session.open(build.source)
            build.compile()
            build.run(80)
            session.wait_for_lens(build.source, LEAF_LINE, "80 calls")

    def test_many_reloads_leave_nothing_behind(self):
        with Session(self.program) as session:
            session.wait_for_calls(10)
            process = pathlib.Path(f"/proc/{session.client.process.pid}")

            def held():
                return (len(list((process / "fd").iterdir())),
                        len(list((process / "task").iterdir())), resident_bytes(process.name))

            def reload(calls):
                self.program.run(calls)
                before = session.refreshes()
                session.client.request("workspace/executeCommand", {"command": "gprof.reload"})
                session.wait_for_loads(before + 1)
                session.shown_calls()

            for calls in range(1, 60):
                reload(calls)
            descriptors, threads, memory = held()
            for calls in range(60, 360):
                reload(calls)
            after = held()
            self.assertLessEqual(after[0], descriptors + 3, "descriptors")
            self.assertEqual(after[1], threads, "threads")
            # A reload that kept its snapshot would add some hundred kilobytes each time.
            if not SANITIZED:
                self.assertLess(after[2], memory + 20 * 2**20, "bytes of memory")
            session.wait_for_calls(359)


class Watching(unittest.TestCase):
    """What a client is asked to watch."""

    def setUp(self):
        self.root = fresh_folder(self.addCleanup)
        self.program = CountingProgram(self.root / "work")
        self.program.compile()
        self.program.run(10)

    def watchers(self, session, count=1):
        """Of the count-th registration."""
        def registrations():
            return [r for method, params in session.client.server_requests
                    if method == "client/registerCapability" for r in params["registrations"]
                    if r["method"] == "workspace/didChangeWatchedFiles"]
        session.client.wait_until(lambda: len(registrations()) >= count, PATIENCE, "a registration")
        return registrations()[count - 1]["registerOptions"]["watchers"]

    def test_relative_patterns(self):
        with Session(self.program, watches=True) as session:
            patterns = [(w["globPattern"]["baseUri"], w["globPattern"]["pattern"])
                        for w in self.watchers(session)]
            base = self.program.directory.as_uri()
            self.assertEqual(len(patterns), len(set(patterns)))
            self.assertEqual({uri for uri, _ in patterns}, {base})
            for pattern in ("**/gmon.out*", "**/gmon.sum", "**/*.gpx", "prog"):
                self.assertIn((base, pattern), patterns)

    def test_absolute_patterns(self):
        client = capabilities(True)
        client["workspace"]["didChangeWatchedFiles"]["relativePatternSupport"] = False
        with Editor(self.program.directory, capabilities=client) as editor:
            patterns = [w["globPattern"] for w in self.watchers(editor)]
            self.assertEqual(len(patterns), len(set(patterns)))
            self.assertIn(f"{self.program.directory}/**/gmon.out*", patterns)
            self.assertIn(f"{self.program.directory}/prog", patterns)

    def test_outside_of_the_workspace(self):
        settings = {"programs": [{"executable": str(self.program.program),
                                  "profiles": [str(self.program.folder / "gmon*.out")]}]}
        empty = self.root / "empty"
        empty.mkdir()
        with Editor(empty, settings=settings, capabilities=capabilities(True)) as editor:
            patterns = {(w["globPattern"]["baseUri"], w["globPattern"]["pattern"])
                        for w in self.watchers(editor)}
            base = self.program.folder.as_uri()
            self.assertEqual(patterns, {(base, "prog"), (base, "gmon*.out"),
                                        (base, "gmon*.out.*"), (base, "gmon.live.*")})

    def test_outside_without_relative_patterns_the_server_watches(self):
        settings = {"programs": [{"executable": str(self.program.program),
                                  "profiles": [str(self.program.profile)]}]}
        empty = self.root / "empty"
        empty.mkdir()
        client = capabilities(True)
        client["workspace"]["didChangeWatchedFiles"]["relativePatternSupport"] = False
        with Editor(empty, settings=settings, capabilities=client) as editor:
            editor.wait_for_loads(1)
            self.watchers(editor)
            editor.settle()
            self.program.run(20)
            editor.wait_for_loads(2)

    def test_registered_anew_only_when_it_changes(self):
        settings = {"programs": [{"executable": "prog", "profiles": ["gmon.out"]}]}
        with Session(self.program, watches=True, settings=settings) as session:
            self.watchers(session)
            self.program.run(20)
            session.files_changed("gmon.out")
            session.wait_for_calls(20)
            session.settle()
            self.assertEqual(session.client.count_requests("client/unregisterCapability"), 0)
            session.client.settings = {"programs": [{"executable": "prog",
                                                     "profiles": ["gmon*.out"]}]}
            session.client.notify("workspace/didChangeConfiguration", {"settings": None})
            session.client.wait_until(
                lambda: session.client.count_requests("client/unregisterCapability") == 1,
                PATIENCE, "an unregistration")
            patterns = [w["globPattern"]["pattern"] for w in self.watchers(session, 2)]
            self.assertEqual(patterns, ["gmon*.out", "gmon*.out.*", "gmon.live.*", "prog"])
