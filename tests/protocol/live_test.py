"""Programs that are shown while they run: their counts rise on the screen, they notice nothing of it, and at
the end their profile stands there. Live files that are of no use change nothing but a message."""
import copy
import os
import re
import signal
import struct
import subprocess
import time
import unittest

from editor import Editor
from lsp_client import FULL_CAPABILITIES, PATIENCE
from own_folders import fresh_folder
from profiled_program import Workspace, require, run
from tested_build import COLLECTOR, skip_without_collector

SERVER = os.environ["GPROF_LSP_SERVER"]

# Calls leaf as often as each line says.
SOURCE = """\
#include <stdio.h>
#include <stdlib.h>

int leaf(int n) {
  return n + 1;
}

int main(void) {
  char line[64];
  int result = 0;
  while (fgets(line, sizeof line, stdin)) {
    for (int i = atoi(line); i > 0; --i) result = leaf(result);
    puts("done");
    fflush(stdout);
  }
  return result < 0;
}
"""
LEAF_LINE = 4
# Offsets in the header of a live file, by docs/gmon-format.md.
VERSION, PROCESS = 8, 32


def environment(**variables):
    without = {k: v for k, v in os.environ.items()
               if k != "GMON_OUT_PREFIX" and not k.startswith("GPROF_")}
    return {**without, **{k: str(v) for k, v in variables.items()}}


class Running:
    """The program, under the collector, until it is told to end."""

    def __init__(self, test, command, directory, **variables):
        self.process = subprocess.Popen([str(word) for word in command], cwd=directory, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=environment(**variables))
        test.addCleanup(self.kill)

    def call(self, times):
        self.process.stdin.write(f"{times}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def end(self):
        self.process.communicate(timeout=60)
        assert self.process.returncode == 0, self.process.returncode

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Session(Editor):
    def __init__(self, workspace, settings=None):
        capabilities = copy.deepcopy(FULL_CAPABILITIES)
        # The server watches the files itself.
        capabilities["workspace"]["didChangeWatchedFiles"] = {"dynamicRegistration": False}
        capabilities["experimental"] = {"gprof": {"status": True}}
        super().__init__(workspace, settings=settings, capabilities=capabilities)
        self.open("prog.c")
        self.wait_for_loads(1)

    def statuses(self):
        return [params for method, params in self.client.notifications if method == "gprof/status"]

    def wait_for_calls(self, calls):
        self.wait_for_lens("prog.c", LEAF_LINE, f"{calls} call")

    def calls(self):
        titles = self.lenses("prog.c").get(LEAF_LINE)
        return titles and titles[0].split(" · ")[0]

    def wait_for_status(self, wanted):
        self.client.wait_until(lambda: self.statuses() and wanted(self.statuses()[-1]), PATIENCE,
                               "a status")

    def told(self):
        """What the user is told: messages, and the warnings in the status."""
        warnings = self.statuses()[-1].get("warnings", []) if self.statuses() else []
        return [message["message"] for message in self.messages] + warnings

    def wait_to_be_told(self, *words):
        self.client.wait_until(
            lambda: any(all(word in text for word in words) for text in self.told()), PATIENCE, words)

    def wait_for_all_refreshes(self):
        loads = max((status.get("generation", 0) for status in self.statuses()), default=0)
        self.wait_for_loads(loads)


class Live(unittest.TestCase):
    def setUp(self):
        require("gcc")
        skip_without_collector()
        self.directory = fresh_folder(self.addCleanup)
        self.build(self.directory)

    def build(self, directory, source=SOURCE):
        Workspace(directory).write("prog.c", source)
        run(["gcc", "-g", "-O0", "-pg", "prog.c", "-o", "prog"], directory)

    def start(self, live=1, **variables):
        return Running(self, ["./prog"], self.directory, LD_PRELOAD=COLLECTOR, GPROF_LIVE=live,
                       **variables)

    def run_whole(self, calls):
        done = self.start(live=0)
        done.call(calls)
        done.end()

    def live_files(self):
        return sorted(self.directory.glob("gmon.live.*"))

    def expect_quiet(self, session):
        # A load that was told of has its refresh yet to come.
        session.wait_for_all_refreshes()
        refreshes = session.refreshes()
        session.settle()
        self.assertEqual(session.refreshes(), refreshes)

    def test_counts_rise_and_end_with_the_profile(self):
        # The server may look between two calls, or between a call and a sample. So there are no samples, and the test
        # waits for each call.
        program = Running(self, [SERVER, "record", "--live", "--rate=0", "--", "./prog"], self.directory)
        program.call(10)
        with Session(self.directory) as session:
            session.wait_for_calls(10)
            status = session.statuses()[-1]
            self.assertEqual((status["state"], status["live"]), ("ready", True))
            self.assertEqual(status["profiles"], [str(self.live_files()[0])])
            self.assertIn("Running, live", session.hover("prog.c", LEAF_LINE, "leaf"))
            self.assertTrue(session.client.request("gprof/programs", {})["programs"][0]["live"])
            seen = session.refreshes()
            for calls in (11, 12, 13):
                program.call(1)
                session.wait_for_calls(calls)
            self.assertEqual(session.refreshes(), seen + 3, "one refresh a look that saw more")
            self.expect_quiet(session)
            program.call(92)
            program.end()
            session.wait_for_calls(105)
            session.wait_for_status(lambda s: "live" not in s and s["profiles"] ==
                                    [str(self.directory / "gmon.out")])
            self.assertEqual(session.calls(), "105 calls")
            self.assertEqual(self.live_files(), [])
            self.assertNotIn("Running, live", session.hover("prog.c", LEAF_LINE, "leaf"))
            self.expect_quiet(session)
            self.assertEqual(session.told(), [])

    def test_looks_do_not_show_as_loads(self):
        # As above, each look sees a whole step.
        program = self.start(GPROF_RATE=0)
        program.call(10)
        with Session(self.directory) as session:
            session.wait_for_calls(10)
            session.settle()
            before = len(session.statuses())
            progress = session.client.count_requests("window/workDoneProgress/create")
            for calls in (11, 12):
                program.call(1)
                session.wait_for_calls(calls)
            session.settle()
            states = [(s["state"], s["live"]) for s in session.statuses()[before:]]
            self.assertEqual(states, [("ready", True)] * 2)
            self.assertEqual(session.client.count_requests("window/workDoneProgress/create"),
                             progress)
            program.end()

    def test_a_program_that_starts_under_an_open_session(self):
        self.run_whole(7)
        for settings in (None, {"programs": [{"executable": "prog", "profiles": ["gmon.out"]}]},
                         {"programs": [{"executable": "prog"}]}):
            with self.subTest(settings=settings), Session(self.directory, settings) as session:
                session.wait_for_calls(7)
                program = self.start()
                program.call(50)
                session.wait_for_calls(50)
                program.call(50)
                session.wait_for_calls(100)
                program.end()
                session.wait_for_status(lambda s: "live" not in s)
                self.assertEqual(session.calls(), "100 calls")
                self.assertEqual(session.told(), [])
            self.run_whole(7)

    def test_a_pattern_of_profiles(self):
        self.run_whole(7)
        os.rename(self.directory / "gmon.out", self.directory / "runs.1")
        for sidecar in self.directory.glob("*.gpx"):
            sidecar.unlink()
        settings = {"programs": [{"executable": "prog", "profiles": ["runs.*"]}]}
        program = self.start(GMON_OUT_PREFIX="runs")
        program.call(10)
        with Session(self.directory, settings) as session:
            session.wait_for_calls(17)
            program.call(20)
            session.wait_for_calls(37)
            program.end()
            session.wait_for_status(lambda s: "live" not in s)
            self.assertEqual(session.calls(), "37 calls")

    def test_counts_of_ones_own(self):
        program = self.start(live=0)
        program.call(10)
        with Session(self.directory) as session:
            self.expect_quiet(session)
            self.assertIsNone(session.calls())
            program.end()
            session.wait_for_calls(10)

    def test_a_killed_program(self):
        program = self.start()
        program.call(10)
        with Session(self.directory) as session:
            session.wait_for_calls(10)
            program.call(15)
            program.process.send_signal(signal.SIGKILL)
            program.process.wait()
            session.wait_for_calls(25)
            session.wait_to_be_told("was killed", f"gprof-lsp recover {self.directory}")
            session.wait_for_status(lambda s: "live" not in s)
            self.assertEqual(session.calls(), "25 calls")
            self.expect_quiet(session)
            self.assertEqual(len(session.told()), 1, session.told())
            run([SERVER, "recover", "."], self.directory, env=environment())
            session.wait_for_status(lambda s: s["profiles"] == [str(self.directory / "gmon.out")])
            self.assertEqual(session.calls(), "25 calls")
            self.run_whole(4)
            session.wait_for_calls(4)

    def test_another_program_in_the_directory(self):
        self.run_whole(7)
        other = self.directory / "other"
        self.build(other, SOURCE.replace("n + 1", "n + 2"))
        settings = {"programs": [{"executable": "prog", "profiles": ["gmon.out"]}]}
        with Session(self.directory, settings) as session:
            session.wait_for_calls(7)
            program = Running(self, ["other/prog"], self.directory, LD_PRELOAD=COLLECTOR,
                              GPROF_LIVE=1)
            program.call(10)
            session.wait_to_be_told("other/prog", "gmon.out")
            self.expect_quiet(session)
            self.assertEqual(session.calls(), "7 calls")
            self.assertEqual(len(session.told()), 1, session.told())
            program.kill()

    def remains(self):
        """The bytes of the live file of a program that was killed."""
        program = self.start()
        program.call(10)
        file, = self.live_files()
        program.kill()
        bytes_ = file.read_bytes()
        file.unlink()
        return bytes_

    def expect_message_alone(self, name, bytes_, *words, settings=None):
        """A live file comes that is of no use, beside a profile of 7 calls."""
        with Session(self.directory, settings) as session:
            session.wait_for_calls(7)
            (self.directory / "new").write_bytes(bytes_)
            os.rename(self.directory / "new", self.directory / name)
            session.wait_to_be_told(name, *words)
            self.expect_quiet(session)
            self.assertEqual(session.calls(), "7 calls")
            self.assertEqual(len(session.told()), 1, session.told())

    def test_remains_whose_process_number_is_used_again(self):
        self.run_whole(7)
        remains = bytearray(self.remains())
        struct.pack_into("<I", remains, PROCESS, os.getpid())
        name = f"gmon.live.{os.getpid()}"
        settings = {"programs": [{"executable": "prog", "profiles": [name, "gmon.out"]}]}
        self.expect_message_alone(name, remains, "has ended without writing its profile",
                                  "gprof-lsp recover")
        with Session(self.directory, settings) as session:
            session.wait_to_be_told(name, "has ended without writing its profile")
            self.assertEqual(len(session.told()), 1, session.told())

    def test_remains_that_are_older_than_the_profile(self):
        remains = self.remains()
        time.sleep(0.01)
        self.run_whole(7)
        (self.directory / f"gmon.live.{os.getpid()}").write_bytes(remains)
        with Session(self.directory) as session:
            self.expect_quiet(session)
            self.assertEqual((session.calls(), session.told()), ("7 calls", []))

    def test_damaged_live_files(self):
        remains = self.remains()
        self.run_whole(7)
        newer = bytearray(remains)
        struct.pack_into("<I", newer, VERSION, 99)
        for name, bytes_, word in (("gmon.live.4711", remains[:1000], "the file ends inside"),
                                   ("gmon.live.4712", b"what is this" * 1000, "gprofliv"),
                                   ("gmon.live.4713", newer, "version")):
            with self.subTest(name=name):
                self.expect_message_alone(name, bytes_, word)
                (self.directory / name).unlink()

    def test_damage_while_it_runs(self):
        program = self.start()
        program.call(10)
        with Session(self.directory) as session:
            session.wait_for_calls(10)
            file, = self.live_files()
            # Another file takes the name: the program goes on counting in its own.
            (self.directory / "new").write_bytes(b"gprofliv" + b"\xff" * 3000)
            os.rename(self.directory / "new", file)
            session.wait_to_be_told(file.name)
            self.expect_quiet(session)
            self.assertEqual(session.calls(), "10 calls")
            self.assertEqual(len(session.told()), 1, session.told())
            program.kill()

    def traced(self, live):
        """What the program asks of the kernel, call by call, while it is looked at."""
        trace = self.directory / f"trace.{live}"
        program = Running(self, ["strace", "-f", "-o", trace, "-E", f"LD_PRELOAD={COLLECTOR}", "-E",
                                 f"GPROF_LIVE={live}", "-E", "GPROF_RATE=0", "./prog"],
                          self.directory)
        program.call(10)
        with Session(self.directory) as session:
            for calls in (20, 30, 40):
                program.call(10)
                if live:
                    session.wait_for_calls(calls)
            program.end()
            session.wait_for_calls(40)
        # No samples: they come when they come.
        return re.findall(r"^\d+ +(\w+)\(", trace.read_text(), re.MULTILINE)

    def test_a_program_makes_the_same_system_calls(self):
        require("strace")
        with_live = self.traced(1)
        for name in ("gmon.out", "gmon.out.gpx"):
            (self.directory / name).unlink()
        without = self.traced(0)

        def behind_the_start(calls):
            return calls[calls.index("write"):]
        self.assertEqual(behind_the_start(with_live), behind_the_start(without))
        self.assertLessEqual(abs(len(with_live) - len(without)), 5)
