"""Any allocation, open, read, write, map or rename of the server may fail: it lives, it shows the last
good profile or the new one, no file is half written, and the next load is as if nothing had been.

A library that is preloaded lets the n-th call of a kind fail (tests/programs/faults/faults.c).
"""
import enum
import json
import mmap
import os
import pathlib
import random
import struct
import subprocess
import sys
import time

import harness
import lsp_client
from editor import Editor
from known_profile import KnownProfile
from lsp_client import PATIENCE
from own_folders import own_environment
from tested_build import not_sanitized

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "programs" / "faults" / "faults.c"
# More calls than this are not all tried, but as many of them.
MOST_TRIED = 150

# Of a function, in the two profiles.
CALLS = ("30.0k calls", "60.0k calls")


class Kind(enum.IntEnum):
    """As in faults.c."""
    NONE = 0
    ALLOCATION = 1
    OPENING = 2
    READING = 3
    WRITING = 4
    MAPPING = 5
    RENAMING = 6


class Control:
    """The words that the preloaded library looks at."""
    NEVER = 1 << 62
    WORDS = struct.Struct("<QQQ")

    def __init__(self, path):
        path.write_bytes(bytes(self.WORDS.size))
        with open(path, "r+b") as file:
            self._words = mmap.mmap(file.fileno(), self.WORDS.size)

    def arm(self, kind, call):
        self.disarm()
        self._words[8:24] = struct.pack("<QQ", call, 0)
        self._words[0:8] = struct.pack("<Q", kind)

    def disarm(self):
        self._words[0:8] = struct.pack("<Q", Kind.NONE)

    @property
    def failed(self):
        return self.WORDS.unpack(self._words[:])[2]

    @property
    def left(self):
        return self.WORDS.unpack(self._words[:])[1]


@not_sanitized("a sanitizer allocates by itself")
class Faults(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        library = self.folder / "faults.so"
        subprocess.run([self.compiler(), "-shared", "-fPIC", "-O1", SOURCE, "-o", library],
                       check=True)
        self.control = Control(self.folder / "control")
        self.environment = own_environment(self.folder / "own", LD_PRELOAD=str(library),
                                           GPROF_TEST_FAULTS=str(self.folder / "control"))
        work = self.folder / "work"
        work.mkdir()
        self.known = KnownProfile(work).make()
        self.profiles = [self.known.path("gmon.out").read_bytes()]
        self.known.make(scale=2)
        self.profiles.append(self.known.path("gmon.out").read_bytes())

    def write_profile(self, number):
        """Replaces the profile, as a program's end does."""
        fresh = self.known.path("fresh")
        fresh.write_bytes(self.profiles[number])
        os.replace(fresh, self.known.path("gmon.out"))

    def shown(self, editor):
        """What the lenses say, or None where the request failed."""
        try:
            return editor.lenses("hot.c")
        except lsp_client.ResponseError:
            return None

    def ask(self, editor, command, *arguments):
        try:
            editor.client.request("workspace/executeCommand",
                                  {"command": command, "arguments": list(arguments)})
        except lsp_client.ResponseError:
            pass

    def ask_until(self, condition, what):
        """The condition asks the server, whose answers it waits for."""
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, f"no sign of {what}")

    def wait_for(self, editor, wanted):
        """A load without faults."""
        self.ask(editor, "gprof.reload")
        self.ask_until(lambda: self.shown(editor) == wanted, "the new profile")

    def calls_of_reload(self, editor, kind, wanted):
        self.control.arm(kind, Control.NEVER)
        self.wait_for(editor, wanted)
        self.control.disarm()
        return Control.NEVER - self.control.left

    def points(self, calls):
        """The numbers of the calls that are to fail: all of few, of many the same at every run."""
        if calls <= MOST_TRIED:
            return range(1, calls + 1)
        return sorted(random.Random(calls).sample(range(1, calls + 1), MOST_TRIED))

    def fail_reload(self, editor, kind, call, texts, number):
        """One reload in which that call fails."""
        self.write_profile(number)
        self.control.arm(kind, call)
        self.ask(editor, "gprof.reload")
        self.ask_until(lambda: self.control.failed or self.shown(editor) == texts[number],
                       f"call {call} of {kind.name}, which is to fail")
        self.control.disarm()
        self.assertIn(self.shown(editor), (None, *texts), (kind, call))
        self.wait_for(editor, texts[number])

    def test_a_reload_in_which_a_call_fails(self):
        with Editor(self.known.directory, environment=self.environment, opened=["hot.c"]) as editor:
            texts = []
            for number, calls in enumerate(CALLS):
                self.write_profile(number)
                self.ask(editor, "gprof.reload")
                # The load that began with the session may have found the other one.
                self.ask_until(lambda: calls in str(self.shown(editor)), f"the profile with {calls}")
                texts.append(self.shown(editor))
            number = 0
            for kind in list(Kind)[1:]:
                self.write_profile(number)
                calls = self.calls_of_reload(editor, kind, texts[number])
                print(f"{kind.name}: {calls} calls", file=sys.stderr)
                for call in self.points(calls):
                    number = 1 - number
                    with self.subTest(kind=kind.name, call=call):
                        self.fail_reload(editor, kind, call, texts, number)
                    self.assertIsNone(editor.client.process.poll(), "the server lives")
                number = 1 - number

    def test_an_export_in_which_a_call_fails(self):
        target = self.folder / "export.json"
        command = [harness.SERVER, "export", "--format=json", f"--output={target}", "program",
                   "gmon.out"]

        def run():
            return subprocess.run(command, cwd=self.known.directory, env=self.environment,
                                  capture_output=True, text=True, check=False)
        self.assertEqual(0, run().returncode)
        whole = target.read_text()
        for kind in list(Kind)[1:]:
            self.control.arm(kind, Control.NEVER)
            self.assertEqual(0, run().returncode)
            calls = Control.NEVER - self.control.left
            for call in self.points(calls):
                if (kind, call) == (Kind.ALLOCATION, 1):
                    continue  # before main()
                self.control.arm(kind, call)
                target.write_text("before")
                done = run()
                with self.subTest(kind=kind.name, call=call):
                    self.assertIn(done.returncode, (0, 1, 127), done.stderr)
                    text = target.read_text()
                    if done.returncode != 0:
                        self.assertEqual("before", text)
                        self.assertNotEqual("", done.stderr)
                    elif text != whole:
                        # Without what could not be read, which is told.
                        self.assertEqual(json.loads(whole)["total"], json.loads(text)["total"])
                        self.assertIn("warning", done.stderr)
            self.control.disarm()
