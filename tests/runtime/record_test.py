"""`gprof-lsp record` behaves like the program that it runs, and reports the outcome."""
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import subprocess
import time

from harness import ARCHIVE, LIBRARY, SERVER, clean_environment, require
from record_support import ALL_FIGURES, FIGURES, RecordTest


class Runs(RecordTest):
    def test_figures_of_a_run(self):
        status, output, errors = self.record("--", self.program, "exit", 7)
        self.assertEqual((status, output), (7, ""))
        line = self.last_line(errors)
        self.assertEqual(errors, f"gprof-lsp: {line}\n")
        figures = re.fullmatch(f"gmon.out: {FIGURES}", line)
        self.assertTrue(figures, line)
        self.assertEqual(figures.groups(), ("1,002", "1"))
        self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])
        self.assertEqual(self.calls(self.program)["work", "leaf"], 1000)

    def test_the_streams_are_the_programs(self):
        status, output, errors = self.record(self.program, "echo", input="one\ntwo\n")
        self.assertEqual((status, output), (0, "one\ntwo\n"))
        self.assertEqual(len(errors.splitlines()), 1)

    def test_words_of_the_program_are_not_options(self):
        for words in ((), ("--",)):
            status, output, _ = self.record("--rate", 50, *words, self.program, "print", "--rate",
                                            "--", "-x", "")
            self.assertEqual((status, output), (0, "--rate\n--\n-x\n\n"))

    def test_closed_streams(self):
        status, output, _ = self.run_server("record", "sh", "-c", f"'{self.program}' 2>&- <&-; "
                                            "ls -l /proc/self/fd >/dev/null; echo done")
        self.assertEqual((status, output), (0, "done\n"))
        done = subprocess.run(["sh", "-c", '"$@" <&- >&- 2>&-', "sh", SERVER, "record",
                               self.program], cwd=self.directory, env=clean_environment(),
                              check=False, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.calls(self.program)["work", "leaf"], 1000)

    def test_the_child_end_is_seen_where_it_is_ignored(self):
        def ignore():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        status, _, _ = self.record(self.program, "exit", 9, preexec_fn=ignore)
        self.assertEqual(status, 9)

    def test_output_directory(self):
        status, _, errors = self.record("--output=a/b", self.program, "directory")
        self.assertEqual(status, 0)
        self.assertTrue(self.last_line(errors).startswith("a/b/gmon.out: "), errors)
        self.assertEqual(self.files(self.directory / "a/b"), ["gmon.out", "gmon.out.gpx"])
        self.record("--output", "x y:z", self.program, "directory")
        self.assertEqual(self.files(self.directory / "x y:z"), ["gmon.out", "gmon.out.gpx"])
        self.record(self.program, "directory")
        self.assertIn("gmon.out", self.files())

    def test_prefix_of_names(self):
        status, _, errors = self.record(self.program, variables={"GMON_OUT_PREFIX": "mine"})
        self.assertEqual(status, 0)
        self.assertRegex(self.last_line(errors), f"^mine\\.\\d+: {FIGURES}$")

    def test_unusable_output_directory(self):
        (self.directory / "file").write_text("")
        for place in ("file", "file/below", "/proc/no/such"):
            status, output, errors = self.record("--output", place, self.program, "print", "ran")
            self.assertEqual((status, output), (125, ""), errors)
            self.assertIn(place, self.last_line(errors))

    def test_wrong_command_lines(self):
        for words in ((), ("--",), ("--no-such", "true"), ("--rate", "x", "true"),
                      ("--rate=20001", "true"), ("--runs=0", "true"), ("--output=", "true"),
                      ("--live=1", "true"), ("--rate",)):
            status, output, errors = self.record(*words)
            self.assertEqual((status, output), (2, ""), words)
            self.last_line(errors)
        status, output, _ = self.record("--help")
        self.assertEqual(status, 0)
        self.assertIn("--runs=N", output)

    def test_environment_of_the_program(self):
        script = ("echo $$ $GPROF_RECORD; echo $GPROF_OUTPUT; echo $GPROF_RATE,$GPROF_STACKS,"
                  "$GPROF_LIVE,$GPROF_PRICE; echo $LD_PRELOAD")
        _, output, _ = self.record("--rate=333", "--stacks", "--live", "sh", "-c", script,
                                   variables={"LD_PRELOAD": LIBRARY, "GPROF_RECORD": "1"})
        numbers, directory, settings, preload = output.splitlines()
        self.assertEqual(*numbers.split())
        self.assertEqual(directory, str(self.directory))
        self.assertEqual(settings, "333,1,1,1")
        self.assertRegex(preload, rf"^/.*/libgprof_runtime\.so:{re.escape(str(LIBRARY))}$")
        for own, rate, stacks in (({}, "auto", 1), ({"GPROF_RATE": "", "GPROF_STACKS": ""}, "auto", 1),
                                  ({"GPROF_RATE": "250"}, "250", 1), ({"GPROF_STACKS": "auto"}, "auto", "auto")):
            _, output, _ = self.record("sh", "-c", script, variables=own)
            self.assertEqual(output.splitlines()[2], f"{rate},{stacks},,1")

    def test_price_of_a_sample(self):
        """Measured before the program begins, whatever the environment says; it is 100 ns at least."""
        self.record(self.program)
        by_events = self.sidecar()["process"]["sample_source"] == "perf_clock"
        _, output, _ = self.record("sh", "-c", "echo $GPROF_SAMPLE_PRICE",
                                   variables={"GPROF_SAMPLE_PRICE": "7"})
        self.assertRegex(output, r"^[1-9]\d{2,}\n$" if by_events else r"^\n$")

    def test_programs_that_cannot_be_started(self):
        (self.directory / "no-interpreter").write_text("#!/no/such/interpreter\n")
        (self.directory / "no-interpreter").chmod(0o755)
        (self.directory / "data").write_text("data")
        for program, expected in (("./missing", 127), ("no-such-program-anywhere", 127), ("", 127),
                                  ("./data", 126), (".", 126), ("./no-interpreter", 126)):
            status, output, errors = self.record("--", program)
            self.assertEqual((status, output), (expected, ""), errors)
            self.assertEqual(len(errors.splitlines()), 1, errors)
            self.assertIn(f"{program}: ", self.last_line(errors))

    def test_path_is_searched(self):
        (self.directory / "elsewhere").mkdir()
        shutil.copy(self.program, self.directory / "elsewhere" / "only-here")
        status, _, errors = self.record("only-here", "exit", 4, variables={
            "PATH": f"/nowhere:{self.directory}/elsewhere:{os.environ['PATH']}"})
        self.assertEqual(status, 4, errors)
        self.assertRegex(self.last_line(errors), FIGURES)

    def test_scripts(self):
        for name, start in (("script", "#!/bin/sh\n"), ("bare-script", "")):
            script = self.directory / name
            script.write_text(f"{start}'{self.program}' exit 5\n")
            script.chmod(0o755)
            status, _, errors = self.record(f"./{name}", "--output", "elsewhere")
            self.assertEqual(status, 5, errors)
            self.assertRegex(self.last_line(errors), rf"^gmon\.out: {FIGURES}(?:; left out: .*)?$")
            self.assertEqual(self.calls(self.program)["work", "leaf"], 1000)

    def test_programs_that_take_no_time(self):
        # Nothing is there to be sampled; what was named leaves a profile all the same.
        (self.directory / "script").write_text("#!/bin/sh\nexit 6\n")
        (self.directory / "script").chmod(0o755)
        for program, expected in (("true", 0), ("./script", 6)):
            status, _, errors = self.record("--rate=1", "--output=o", program)
            self.assertEqual(status, expected)
            self.assertRegex(self.last_line(errors), "^o/gmon.out: .*calls are not counted")

    def test_static_programs(self):
        static = self.build("static", ["recorded.c"], "-O1", "-static")
        status, _, errors = self.record("--output=o", static, "exit", 6)
        self.assertEqual(status, 6)
        self.assertRegex(self.last_line(errors), "statically linked.*-lgprof_runtime")
        linked = self.build("static-linked", ["recorded.c"], "-O1", "-static", libraries=[ARCHIVE])
        status, _, errors = self.record("--output=o", linked, "exit", 6)
        self.assertEqual(status, 6)
        self.assertRegex(self.last_line(errors), f"^o/gmon.out: {FIGURES}$")

    def test_children(self):
        status, _, errors = self.record(self.program, "fork")
        self.assertEqual(status, 0)
        line = self.last_line(errors)
        self.assertRegex(line, rf"^gmon\.out: {ALL_FIGURES}; further processes: gmon\.out\.\d+, ")
        children = re.findall(r"gmon\.out\.\d+", line)
        self.assertEqual(sorted(self.calls(self.program, child)["work", "leaf"]
                                for child in children), [10, 20, 30])

    def test_another_program_in_the_same_process(self):
        other = self.build("other", ["recorded.c"], "-O1")
        status, _, errors = self.record(self.program, "exec", other)
        self.assertEqual(status, 8, errors)
        line = self.last_line(errors)
        self.assertRegex(line, rf"^gmon\.out: {FIGURES}; after exec: gmon\.out\.\d+\.1$")
        self.assertEqual(self.sidecar()["process"]["ending"], "executed")
        later = line.rpartition(" ")[2]
        self.assertEqual(self.calls(other, later)["work", "leaf"], 1000)

    def test_rate_and_stacks(self):
        self.record("--rate=0", self.program)
        self.assertEqual(self.sidecar()["process"]["requested_rate"], 0)
        self.record("--rate=123", "--stacks", self.program)
        process = self.sidecar()["process"]
        self.assertEqual((process["requested_rate"], process["flags"] & 1), (123, 1))
        self.assertGreater(process["price_picoseconds"], 0)


class Signals(RecordTest):
    def test_killed_programs(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGINT):
            status, _, errors = self.record("--output", number.name, self.program, "kill",
                                            int(number))
            self.assertEqual(status, -number, errors)
            # Of a crash, the line.
            place = r" at recorded\.c:24 \(main\)" if number == signal.SIGSEGV else ""
            self.assertRegex(self.last_line(errors), rf"^{number.name}/gmon\.out: {FIGURES}; "
                             rf"killed by {number.name}{place}; recovered$")
            directory = self.directory / number.name
            self.assertEqual(self.files(directory), ["gmon.out", "gmon.out.gpx"])
            self.assertEqual(self.calls(self.program, directory=directory)["work", "leaf"], 1000)
            process = self.sidecar(directory=directory)["process"]
            self.assertEqual((process["ending"], process["exit_status"]), ("killed", number))

    def test_the_summary_says_how_the_run_ended(self):
        summary = self.directory / "summary.json"

        def run(*words):
            status, _, errors = self.record(f"--summary={summary}", *words)
            return status, json.loads(summary.read_text()), self.last_line(errors)

        status, told, line = run("--rate=1000", self.program)
        self.assertEqual((status, told["status"], told["profile"], told["program"]),
                         (0, 0, "gmon.out", str(self.program)))
        self.assertEqual("; ".join([f"gmon.out: {told['figures']}", told["times"],
                                    *told["remarks"]]), line)
        self.assertNotIn("problem", told)
        self.assertNotIn("signal", told)

        status, told, line = run(self.program, "exit", "7")
        self.assertEqual((status, told["status"]), (7, 7))

        status, told, _ = run(self.program, "kill", str(signal.SIGSEGV.value))
        self.assertEqual((status, told["signal"], told["profile"]),
                         (128 + signal.SIGSEGV, "SIGSEGV", "gmon.out"))
        self.assertNotIn("status", told)

        static = self.build("static-plain", ["recorded.c"], "-O1", "-static", pg=False)
        status, told, line = run(static)
        self.assertEqual((status, told["problem"]), (0, line))
        self.assertNotIn("profile", told)

        status, told, line = run("./nowhere")
        self.assertEqual((status, told["status"], told["problem"]), (127, 127, line))

        status, told, _ = run("--runs=2", self.program, "exit", "7")
        self.assertEqual((status, told["status"], told["profile"]), (7, 7, "gmon.sum"))

    def test_a_summary_that_cannot_be_written(self):
        status, _, errors = self.record("--summary=nowhere/summary.json", self.program, "exit", "7")
        self.assertEqual(status, 7)
        self.assertIn("nowhere", self.last_line(errors))

    def test_no_core_of_its_own(self):
        def allow():
            _, hard = resource.getrlimit(resource.RLIMIT_CORE)
            resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        process = subprocess.Popen([SERVER, "record", self.program, "kill", "11"],
                                   cwd=self.directory, stderr=subprocess.DEVNULL,
                                   preexec_fn=allow, env=clean_environment())
        _, status = os.waitpid(process.pid, 0)
        process.returncode = 0
        self.assertEqual(os.WTERMSIG(status), signal.SIGSEGV)
        self.assertFalse(os.WCOREDUMP(status))

    def test_killed_children(self):
        status, _, errors = self.record(self.program, "child-killed")
        self.assertEqual(status, 0)
        child = re.search(r"further processes: (gmon\.out\.\d+)", self.last_line(errors))[1]
        self.assertEqual(self.calls(self.program, child)["work", "leaf"], 77)
        self.assertEqual(self.files(), sorted(["gmon.out", "gmon.out.gpx", child, f"{child}.gpx"]))

    def test_signals_to_record_alone_are_passed_on(self):
        for name in ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGINT", "SIGQUIT", "SIGALRM"):
            number = int(getattr(signal, name))
            process, _ = self.start(self.program, "signals", number)
            process.send_signal(number)
            output, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 3, errors)
            self.assertIn(f"{number} 1\n", output)
            self.assertRegex(self.last_line(errors), FIGURES)

    def test_signals_that_kill(self):
        process, _ = self.start(self.program, "signals", int(signal.SIGUSR1))
        process.terminate()
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGTERM)
        self.assertRegex(self.last_line(errors), "killed by SIGTERM; recovered$")
        self.assertEqual(self.calls(self.program)["work", "leaf"], 1000)

    def test_what_the_terminal_sends_arrives_once(self):
        """SIGINT from a terminal reaches both; record forwards nothing and survives."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.directory)
            os.execve(SERVER, [SERVER, "record", self.program, "signals", "10", "2"],
                      clean_environment())
        self.addCleanup(os.close, terminal)
        text = self.read_terminal(terminal, "ready")
        number = int(re.search(r"(\d+)\r\nready", text)[1])
        os.write(terminal, b"\x03")
        self.read_terminal(terminal, "received")
        self.wait_until(lambda: not self.pending(process, signal.SIGINT), process)
        os.kill(number, signal.SIGUSR1)
        text = self.read_terminal(terminal, "gprof-lsp: ")
        _, status = os.waitpid(process, 0)
        self.assertEqual(os.WEXITSTATUS(status), 3, text)
        self.assertIn("2 1\r\n", text)

    def read_terminal(self, terminal, wanted):
        text = ""
        while wanted not in text:
            try:
                text += os.read(terminal, 1000).decode()
            except OSError:
                break
        self.assertIn(wanted, text)
        return text

    @staticmethod
    def pending(process, number):
        text = pathlib.Path(f"/proc/{process}/status").read_text()
        masks = re.findall(r"^(?:Sig|Shd)Pnd:\s*(\w+)$", text, re.M)
        return any(int(mask, 16) >> (number - 1) & 1 for mask in masks)

    def wait_until(self, condition, what):
        for _ in range(3000):
            if condition():
                return
            time.sleep(0.01)
        self.fail(f"waited in vain for {what}")

    @staticmethod
    def state(process):
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]

    def test_stopping_and_going_on(self):
        for number in (signal.SIGSTOP, signal.SIGTSTP):
            process, child = self.start(self.program, "signals", int(signal.SIGUSR1),
                                        preexec_fn=os.setpgrp)
            os.kill(child, number)
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            self.assertTrue(os.WIFSTOPPED(status))
            self.assertEqual(os.WSTOPSIG(status), number)
            self.assertEqual(self.state(child), "T")
            os.kill(process.pid, signal.SIGCONT)
            self.wait_until(lambda: self.state(child) != "T", "the program to go on")
            process.send_signal(signal.SIGUSR1)
            output, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 3, errors)
            self.assertIn(f"{int(signal.SIGUSR1)} 1\n", output)

    def test_a_stop_of_the_whole_group(self):
        process, child = self.start(self.program, "signals", int(signal.SIGUSR1),
                                    preexec_fn=os.setpgrp)
        os.killpg(process.pid, signal.SIGTSTP)
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertEqual(os.WSTOPSIG(status), signal.SIGTSTP)
        self.assertEqual(self.state(child), "T")
        os.killpg(process.pid, signal.SIGCONT)
        process.send_signal(signal.SIGUSR1)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 3)


class ManyRuns(RecordTest):
    def test_sum(self):
        status, _, errors = self.record("--runs=10", "--output=o", self.program)
        self.assertEqual(status, 0)
        self.assertRegex(self.last_line(errors), f"^o/gmon.sum: {FIGURES}; "
                         "the sum of 10 runs, in o/run-01 to o/run-10$")
        directory = self.directory / "o"
        self.assertEqual(self.files(directory),
                         ["gmon.sum", "gmon.sum.gpx", *(f"run-{run:02}" for run in range(1, 11))])
        self.assertEqual(self.files(directory / "run-03"), ["gmon.out", "gmon.out.gpx"])
        calls = self.calls(self.program, "gmon.sum", directory)
        self.assertEqual((calls["work", "leaf"], calls["main", "work"]), (10000, 10))

    def test_the_sum_has_what_the_sidecars_have(self):
        program = self.build("deep_time", ["deep_time.c"], "-O1")
        status, _, errors = self.record("--runs=3", "--stacks", "--rate=500", program)
        self.assertEqual(status, 0, errors)
        runs = [self.sidecar(directory=self.directory / f"run-{run}") for run in (1, 2, 3)]
        total = self.sidecar("gmon.sum.gpx")
        for field in ("calls", "samples", "signals", "cpu_time", "covered_time", "sampling_time",
                      "lost_stacks"):
            self.assertEqual(total["process"][field],
                             sum(run["process"][field] for run in runs), field)
        self.assertEqual(total["process"]["requested_rate"], 500)
        self.assertEqual(total["process"]["start_time"],
                         min(run["process"]["start_time"] for run in runs))
        for section in ("arcs", "samples", "stacks"):
            self.assertEqual(sum(entry["count"] for entry in total[section]),
                             sum(entry["count"] for run in runs for entry in run[section]), section)
        self.assertEqual(len(total["threads"]), 3)
        self.assertEqual(total["modules"][0]["file"], "gmon.sum")
        self.assert_caller_is_measured(program)
        (self.directory / "gmon.sum").unlink()
        (self.directory / "gmon.sum.gpx").unlink()
        status, _, errors = self.run_server("report", "-s", program,
                                            *(f"run-{run}/gmon.out" for run in (1, 2, 3)))
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(self.sidecar("gmon.sum.gpx"), total)
        self.assert_caller_is_measured(program)

    def assert_caller_is_measured(self, program):
        """Of two callers of one function, called equally often, one caused nearly all of its time."""
        status, output, errors = self.run_server("export", "--format=json", program, "gmon.sum")
        self.assertEqual((status, errors), (0, ""))
        functions = {entry["name"]: entry for entry in json.loads(output)["functions"]}
        # The time that a program takes to start depends on the machine.
        seconds = functions["burn"]["total"]
        self.assertGreater(seconds, 0.5)
        self.assertGreater(functions["dear"]["total"], 0.85 * seconds)
        self.assertLess(functions["cheap"]["total"], 0.15 * seconds)
        require("gprof")
        flat = subprocess.run(["gprof", "-b", "-p", program, "gmon.sum"], cwd=self.directory,
                              capture_output=True, text=True, check=True).stdout
        self.assertRegex(flat, r"(?m) 6 .* burn$")

    def test_first_failure(self):
        script = "test -e one && exit 0; touch one; exit 5"
        status, _, errors = self.record("--runs=3", "sh", "-c", f"'{self.program}'; {script}")
        self.assertEqual(status, 5)
        self.assertIn("the sum of 3 runs", self.last_line(errors))
        self.assertEqual(self.calls(self.program, "gmon.sum")["work", "leaf"], 3000)

    def test_an_interrupted_run_is_the_last(self):
        status, _, errors = self.record("--runs=3", "--output=o", self.program, "kill", 2)
        self.assertEqual(status, -signal.SIGINT)
        self.assertIn("1 of 3 runs", errors)
        self.assertEqual(self.files(self.directory / "o"), ["gmon.sum", "gmon.sum.gpx", "run-1"])
        status, _, _ = self.record("--runs=3", "--output=p", self.program, "kill", 9)
        self.assertEqual(status, -signal.SIGKILL)
        calls = self.calls(self.program, "gmon.sum", self.directory / "p")
        self.assertEqual(calls["work", "leaf"], 3000)

    def test_a_request_to_end_is_one_for_all_runs(self):
        process, _ = self.start("--runs=3", self.program, "signals", int(signal.SIGTERM))
        process.terminate()
        output, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, output.count("ready")), (3, 0), errors)
        self.assertIn("1 of 3 runs", errors)

    def test_a_program_that_cannot_be_started(self):
        status, _, errors = self.record("--runs=3", "./missing")
        self.assertEqual((status, len(errors.splitlines())), (127, 1))

class Kept(RecordTest):
    """The executable, for later comparisons."""

    def setUp(self):
        super().setUp()
        self.cache = self.directory / "cache"
        self.variables = {"XDG_CACHE_HOME": str(self.cache)}

    def copies(self):
        return [path.read_bytes() for path in self.cache.glob("gprof-lsp/executables/*.executable")]

    def kept(self, *words):
        status, _, errors = self.record("--keep-executable", *words, variables=self.variables)
        self.assertEqual((status, len(errors.splitlines())), (0, 1), errors)
        return self.copies()

    def test_as_it_was_run(self):
        self.assertEqual(self.kept(self.program), [self.program.read_bytes()])
        # Once for all runs.
        self.assertEqual(self.kept(self.program), [self.program.read_bytes()])
        self.assertEqual(self.kept("--runs=2", self.program), [self.program.read_bytes()])

    def test_not_unless_it_is_asked_for(self):
        self.record(self.program, variables=self.variables)
        self.assertFalse(self.cache.exists())

    def test_of_a_program_that_a_script_runs(self):
        self.assertEqual(self.kept("sh", "-c", f"'{self.program}' exit 0; exit 0"), [self.program.read_bytes()])

    def test_of_a_program_that_is_replaced_while_it_runs(self):
        program = self.directory / "replaced"
        shutil.copy2(self.program, program)
        process, number = self.start("--keep-executable", program, "signals", signal.SIGUSR1.value,
                                     variables=self.variables)
        shutil.copy2(self.plain_program, self.directory / "new")
        (self.directory / "new").rename(program)
        os.kill(number, signal.SIGUSR1)
        process.communicate(timeout=120)
        self.assertEqual(self.copies(), [self.program.read_bytes()])

    def test_where_nothing_can_be_kept(self):
        self.cache.write_text("")
        status, _, errors = self.record("--keep-executable", self.program, variables=self.variables)
        self.assertEqual(status, 0)
        self.assertIn("cannot make the directory", errors.splitlines()[0])
        self.assertTrue(self.last_line(errors).startswith("gmon.out: "), errors)
