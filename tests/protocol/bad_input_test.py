"""Damaged, missing and foreign files: one clear message each, and the last good profile stays."""
import os
import unittest

from editor import Editor
from extension_support import with_capabilities
from own_folders import fresh_folder
from profiled_program import Workspace, run

SOURCE = "counts/work.c"


class BadInput(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace(fresh_folder(self.addCleanup), "counts/main.c", SOURCE,
                                   "counts/shared.h")
        self.workspace.build_and_run(("counts/main.c", SOURCE))

    def settings(self, executable="program", profile="gmon.out"):
        return {"programs": [{"executable": executable, "profiles": [profile]}]}

    def message_for(self, settings):
        """The only message that the server shows; it must live on and answer."""
        with Editor(self.workspace.directory, settings=settings, opened=[SOURCE]) as editor:
            lenses = editor.lenses(SOURCE)
            self.assertEqual(len(editor.all_messages()), 1, editor.messages)
            return editor.messages[0]["message"], lenses

    def test_missing_executable(self):
        message, lenses = self.message_for(self.settings(executable="absent"))
        self.assertIn("absent: cannot open the file", message)
        self.assertEqual(lenses, {})

    def test_missing_profile(self):
        message, _ = self.message_for(self.settings(profile="absent.out"))
        self.assertIn("absent.out: cannot open the file", message)

    def test_unreadable_kind_of_file(self):
        os.mkfifo(self.workspace.path("pipe.out"))
        message, _ = self.message_for(self.settings(profile="pipe.out"))
        self.assertIn("pipe.out: not a regular file", message)

    def test_executable_that_is_none(self):
        self.workspace.write("script", "#!/bin/sh\nexit 0\n")
        message, _ = self.message_for(self.settings(executable="script"))
        self.assertIn("script: ", message)
        self.assertIn("ELF", message)

    def test_profile_that_is_none(self):
        self.workspace.write("text.out", "This is no profile, whatever its name says.\n" * 20)
        message, _ = self.message_for(self.settings(profile="text.out"))
        self.assertIn("text.out: ", message)

    def test_truncated_profile(self):
        whole = self.workspace.path("gmon.out").read_bytes()
        self.workspace.path("short.out").write_bytes(whole[:len(whole) // 2])
        message, _ = self.message_for(self.settings(profile="short.out"))
        self.assertRegex(message, r"short\.out: .*ends.*\(at byte \d+\)")

    def test_sparse_profiles(self):
        for gibibytes in (3, 500):
            with self.subTest(gibibytes=gibibytes):
                sparse = self.workspace.path("sparse.out")
                sparse.write_bytes(b"gmon\x01" + bytes(15))
                os.truncate(sparse, gibibytes << 30)
                message, _ = self.message_for(self.settings(profile="sparse.out"))
                self.assertRegex(message, r"sparse\.out: .*at most 1073741824 bytes expected")

    def test_sparse_profile_beside_a_good_one(self):
        sparse = self.workspace.path("gmon.out.1")
        sparse.write_bytes(b"gmon\x01" + bytes(15))
        os.truncate(sparse, 500 << 30)
        with Editor(self.workspace.directory, opened=[SOURCE]) as editor:
            self.assertNotEqual(editor.lenses(SOURCE), {})

    def test_profile_of_another_program(self):
        self.workspace.write("other.c", "int main(void) { return 0; }\n")
        run(["gcc", "-g", "-pg", "-no-pie", "other.c", "-o", "other"], self.workspace.directory)
        message, _ = self.message_for(self.settings(executable="other"))
        self.assertIn("gmon.out: does not belong to", message)

    def test_no_symbols(self):
        run(["strip", "-o", "bare", "program"], self.workspace.directory)
        os.utime(self.workspace.path("bare"), (0, 0))
        message, lenses = self.message_for(self.settings(executable="bare"))
        self.assertIn("bare: ", message)
        self.assertIn("strip", message)
        self.assertEqual(lenses, {})

    def test_no_debug_information(self):
        run(["strip", "-g", "-o", "bare", "program"], self.workspace.directory)
        os.utime(self.workspace.path("bare"), (0, 0))
        message, lenses = self.message_for(self.settings(executable="bare"))
        self.assertIn("-g", message)
        self.assertEqual(lenses, {})

    def test_executable_newer_than_profile(self):
        os.utime(self.workspace.path("gmon.out"), (1_000_000_000, 1_000_000_000))
        message, lenses = self.message_for(self.settings())
        self.assertIn("was rebuilt after this profile", message)
        self.assertEqual(len(lenses), 5)

    def status_for(self, settings):
        """What a client is told that shows the status; it gets no message beside that."""
        capabilities = with_capabilities(experimental={"gprof": {"status": True}})
        with Editor(self.workspace.directory, settings=settings, capabilities=capabilities,
                    opened=[SOURCE]) as editor:
            status = editor.client.wait_for_notification(
                "gprof/status", lambda params: params["state"] != "loading")
            editor.lenses(SOURCE)
            self.assertEqual([], editor.all_messages())
            return status

    def test_a_client_that_shows_the_status_has_warnings_there(self):
        run(["strip", "-g", "-o", "bare", "program"], self.workspace.directory)
        os.utime(self.workspace.path("bare"), (0, 0))
        status = self.status_for(self.settings(executable="bare"))
        self.assertEqual(1, len(status["warnings"]), status)
        self.assertIn("-g", status["warnings"][0])

    def test_the_status_says_once_that_a_program_was_rebuilt(self):
        os.utime(self.workspace.path("gmon.out"), (1_000_000_000, 1_000_000_000))
        status = self.status_for(self.settings())
        self.assertEqual("stale", status["state"])
        self.assertIn("was rebuilt since its profile was written", status["message"])
        self.assertNotIn("warnings", status)

    def test_unknown_settings_are_named_once(self):
        settings = dict(self.settings(), treshold=0.1, metric=7)
        message, lenses = self.message_for(settings)
        self.assertIn("treshold", message)
        self.assertIn("metric", message)
        self.assertEqual(len(lenses), 5)

    def test_last_good_profile_stays(self):
        with Editor(self.workspace.directory, settings=self.settings(), opened=[SOURCE]) as editor:
            good = editor.lenses(SOURCE)
            self.assertEqual(len(good), 5)
            for damage in (b"", b"gmon", b"\0" * 100):
                self.workspace.path("gmon.out").write_bytes(damage)
                seen = len(editor.messages)
                editor.client.request("workspace/executeCommand", {"command": "gprof.reload"})
                editor.wait_for_message(after=seen)
                self.assertIn("gmon.out", editor.all_messages()[-1]["message"])
                self.assertEqual(editor.lenses(SOURCE), good)
