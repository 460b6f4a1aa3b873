"""Nothing in the environment, the files, the limits or the signals harms the program."""
import os
import random
import resource
import shutil
import subprocess

from harness import ARCHIVE, LIBRARY, PROGRAMS, RuntimeTest, clean_environment, execute, require
from seeds import moved_seed

EXPECTED = {("main", "rounds"): 2, ("rounds", "work"): 1000}
VARIABLES = ("GPROF_RATE", "GPROF_STACKS", "GPROF_LIVE", "GPROF_PRICE", "GPROF_OUTPUT",
             "GPROF_RECORD", "GPROF_NOTES", "GPROF_SAMPLE_PRICE", "GMON_OUT_PREFIX")
VALUES = ("", "0", "1", "-1", "100", "99999999999999999999", "18446744073709551616", "0x10", "1e9",
          "abc", " 7", "7 ", "yes", "%s%n%s%n", "/", ".", "..", "//", "/dev/null", "/proc/self/mem",
          "/nowhere/at/all", "a" * 5000, "x/" * 3000, "\x01\x02\xff", "~", "$HOME", "a\nb", "*",
          "2147483648", "20000", "1000000", "\xc3\xa9")


class Hostile(RuntimeTest):
    @classmethod
    def programs(cls):
        cls.program = cls.build("calls", ["calls.c"], "-O1")
        cls.plain_program = cls.build("plain", ["calls.c"], "-O1", pg=False)
        cls.static = cls.build("static", ["calls.c"], "-O1", "-static", libraries=[ARCHIVE])

    def clear(self):
        for name in self.files():
            path = self.directory / name
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


class Environment(Hostile):
    def setUp(self):
        super().setUp()
        self.plain_outcome = self.plain(self.plain_program)

    def assert_survives(self, variables):
        for program in (self.program, self.static):
            with self.subTest(f"{program.name} {variables}"[:300]):
                variables = {k: v for k, v in variables.items() if "\0" not in v}
                preload = str(LIBRARY) if program == self.program else ""
                outcome = self.preloaded(program, variables={"LD_PRELOAD": preload} | variables)
                self.assert_unharmed(self.plain_outcome, outcome)
                if "gmon.out" in self.files():
                    self.assert_calls(self.calls(program), EXPECTED)
                self.clear()

    def test_each_value(self):
        for variable in VARIABLES:
            for value in VALUES:
                self.assert_survives({variable: value})

    def test_many_at_random(self):
        generator = random.Random(moved_seed(4))
        for _ in range(60):
            self.assert_survives({
                variable: generator.choice(VALUES) if generator.random() < 0.5 else
                "".join(chr(generator.randint(1, 126)) for _ in range(generator.randint(0, 60)))
                for variable in VARIABLES if generator.random() < 0.6})

    def test_wrong_numbers_are_said(self):
        for variable, value in (("GPROF_RATE", "abc"), ("GPROF_RATE", "-5"),
                                ("GPROF_RATE", "99999999999999999999")):
            with self.subTest(f"{variable}={value}"):
                outcome = self.preloaded(self.program, variables={variable: value})
                self.assertIn(variable, self.assert_unharmed(self.plain_outcome, outcome))
                self.assert_calls(self.calls(self.program), EXPECTED)

    def test_no_environment_at_all(self):
        outcome = execute([self.static], self.directory, {})
        self.assert_unharmed(self.plain_outcome, outcome)
        self.assert_calls(self.calls(self.static), EXPECTED)


class LiveFile(Hostile):
    """Another file has the name of the live file: it is left alone."""

    def launched(self, preparation):
        script = f"{preparation}; LD_PRELOAD={LIBRARY}; export LD_PRELOAD; exec {self.program}"
        outcome = execute(["/bin/sh", "-c", script], self.directory, clean_environment())
        self.assert_unharmed(self.plain(self.plain_program), outcome)
        self.assert_calls(self.calls(self.program), EXPECTED)

    def test_file(self):
        self.launched("echo precious > gmon.live.$$")

    def test_directory(self):
        self.launched("mkdir gmon.live.$$ && touch gmon.live.$$/in")

    def test_link_to_a_file(self):
        (self.directory / "target").write_text("precious")
        self.launched("ln -s target gmon.live.$$")
        self.assertEqual((self.directory / "target").read_text(), "precious")

    def test_link_to_nothing(self):
        self.launched("ln -s nothing gmon.live.$$")
        self.assertNotIn("nothing", self.files())

    def test_link_to_itself(self):
        self.launched("ln -s gmon.live.$$ gmon.live.$$")

    def test_pipe(self):
        self.launched("mkfifo gmon.live.$$ .gmon.out.$$.tmp gmon.out gmon.out.gpx")

    def test_leftovers_of_another_process_of_the_number(self):
        self.launched("head -c 100000 /dev/urandom > gmon.live.$$")

    def test_hard_link(self):
        (self.directory / "target").write_text("precious")
        self.launched("ln target gmon.live.$$; ln target .gmon.out.$$.tmp")
        self.assertEqual((self.directory / "target").read_text(), "precious")


class Descriptors(Hostile):
    def assert_counts(self, *actions, plain=None, **options):
        expected = plain or self.plain(self.plain_program, *actions, **options)
        for program in (self.program, self.static):
            with self.subTest(f"{program.name} {actions}"):
                preload = str(LIBRARY) if program == self.program else ""
                outcome = self.preloaded(program, *actions, variables={"LD_PRELOAD": preload},
                                         **options)
                self.assert_unharmed(expected, outcome)
                self.assert_calls(self.calls(program), EXPECTED)
                (self.directory / "gmon.out").unlink()

    def test_all_closed(self):
        self.assert_counts("close=3")
        self.assert_counts("close=0")

    def test_all_reused(self):
        own = self.directory / "own"
        self.assert_counts(f"reuse={own}")
        self.assertEqual(own.read_bytes(), b"", "the collector wrote into the program's file")
        self.assert_counts(f"take={own}")
        self.assertEqual(own.read_bytes(), b"", "the collector wrote into the program's file")

    def test_standard_ones_closed_from_the_start(self):
        def close_all():
            for descriptor in range(3):
                os.close(descriptor)

        self.assert_counts(preexec_fn=close_all)

    def test_none_left(self):
        """No more files can be opened: the mapped counts remain."""
        for action in ("nofile=0", "nofile=3"):
            for program in (self.program, self.static):
                with self.subTest(f"{program.name} {action}"):
                    self.clear()
                    preload = str(LIBRARY) if program == self.program else ""
                    outcome = self.preloaded(program, action, variables={"LD_PRELOAD": preload})
                    line = self.assert_unharmed(self.plain(self.plain_program, action), outcome)
                    if "gmon.out" not in self.files():
                        self.assertNotEqual(line, "")
                        self.assertEqual(self.recover().status, 0)
                    self.assert_calls(self.calls(program), EXPECTED)

    def test_few_from_the_start(self):
        for number in (3, 4, 5, 8):
            def limit(number=number):
                resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))

            outcome = self.preloaded(self.static, variables={"LD_PRELOAD": ""}, preexec_fn=limit)
            self.assert_unharmed(self.plain(self.plain_program), outcome)
            if "gmon.out" in self.files():
                self.assert_calls(self.calls(self.static), EXPECTED)
                (self.directory / "gmon.out").unlink()


    def test_few_are_all_the_programs(self):
        """Below the usual limit no descriptor is taken for sampling. If the program lowers the limit
        itself, those in use have numbers that it no longer gets."""
        program = self.build("descriptors", ["descriptors.c"], "-O1", pg=False)
        for number in (16, 64, 400, 512, 1000):
            def limit(number=number):
                resource.setrlimit(resource.RLIMIT_NOFILE, (number, number))

            ways = [((), limit), *([((number,), None)] if number < 500 else [])]
            for words, prepare in ways:
                with self.subTest(f"{number} {words}"):
                    self.clear()
                    outcome = self.preloaded(program, *words, preexec_fn=prepare, variables={
                        "GPROF_ANY": 1, "GPROF_RATE": 1000})
                    self.assertEqual(outcome, self.plain(program, *words, preexec_fn=prepare))
                    self.assertGreater(self.sidecar()["process"]["samples"], 0)


class Limits(Hostile):
    def test_small_stacks(self):
        # Bound at its start: the loader's lazy binding saves the vector registers on the caller's
        # stack, and a signal in the middle of it would need room for a third frame.
        program = self.build("small_stacks", ["small_stacks.c"], "-O1", "-pthread", "-Wl,-z,now")
        for variables in ({}, {"GPROF_RATE": 5000, "GPROF_STACKS": 1}):
            with self.subTest(variables):
                outcome = self.profiled(program, variables=variables)
                self.assertTrue(outcome.stdout.endswith("done\n"), outcome.stdout)
                calls = self.calls(program)
                searches = outcome.numbers()["searches"]
                self.assert_calls(calls, {("work", "leaf"): 20_000, ("on_signal", "leaf"): 10_000,
                                          (None, "on_signal"): 1000,
                                          ("on_long_signal", "search"): searches,
                                          ("search", "cmp"): 2 * searches})
                self.assertEqual(calls["work", "cmp"] + calls["search", "cmp"], calls["cmp", "leaf"])

    def test_little_memory(self):
        """Whatever the limit of the address space: the program runs, and its counts are right."""
        plain = self.plain(self.plain_program)
        for kibibytes in (2500, 2800, 3200, 4000, 5000, 6000, 8000, 12000, 20000, 40000):
            def limit(size=kibibytes * 1024):
                resource.setrlimit(resource.RLIMIT_AS, (size, size))

            with self.subTest(f"{kibibytes} KiB"):
                if self.plain(self.plain_program, preexec_fn=limit) != plain:
                    continue  # too little for the program itself
                outcome = self.preloaded(self.static, variables={"LD_PRELOAD": ""},
                                         preexec_fn=limit)
                line = self.assert_unharmed(plain, outcome)
                if "gmon.out" in self.files():
                    lost = self.sidecar()["process"]["lost_calls"]
                    counted = self.calls(self.static).get(("rounds", "work"), 0)
                    self.assertGreaterEqual(counted + lost, 1000)
                    if lost:
                        self.assertNotEqual(line, "")
                self.clear()

    def test_a_line_that_cannot_be_written(self):
        """Nobody reads standard error, or it is a file that may not grow: the program, which writes
        nothing there, does not die of the collector's line."""
        def no_more(_directory):
            reading, writing = os.pipe()
            os.close(reading)
            return writing

        def full_file(directory):
            return os.open(directory / "errors", os.O_WRONLY | os.O_CREAT)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

        plain = self.plain(self.plain_program)
        for make, prepare in ((no_more, None), (full_file, limit)):
            with self.subTest(make.__name__):
                errors = make(self.directory)
                # The profile cannot be written, which is to be reported.
                done = subprocess.run(
                    [self.program], cwd=self.directory, stdout=subprocess.PIPE, stderr=errors,
                    preexec_fn=prepare, check=False, timeout=120,
                    env=clean_environment(LD_PRELOAD=LIBRARY, GPROF_OUTPUT="/proc/self"))
                os.close(errors)
                self.assertEqual((done.returncode, done.stdout.decode()), (plain.status, plain.stdout))

    def test_contexts(self):
        for flags in (["-O1"], ["-O2", "-mfentry"]):
            program = self.build("contexts", ["contexts.c"], *flags)
            for variables in ({}, {"GPROF_RATE": 10000, "GPROF_STACKS": 1}):
                with self.subTest(f"{flags} {variables}"):
                    outcome = self.profiled(program, variables=variables)
                    self.assertEqual(outcome.numbers(), {"wrong": 0})
                    self.assert_calls(self.calls(program), {
                        ("coroutine", "leaf"): 100, ("jumper", "leaf"): 50,
                        ("main", "jumper"): 50, (None, "on_signal"): 50, ("on_signal", "leaf"): 50,
                        ("on_fault", "leaf"): 50, ("faulted", "on_fault"): 50,
                        (None, "faulted"): 50, ("main", "leaf"): 1000})


class Stress(Hostile):
    @classmethod
    def programs(cls):
        cls.program = cls.build("stress", ["stress.c"], "-O1", "-pthread")
        cls.plugs = [cls.build(f"plug_{tag}.so", ["library.c"], "-O1", "-fPIC", "-shared",
                               f"-DTAG=_{tag}", "-DPLAIN_NAMES", f"-Wl,-soname,plug_{tag}.so")
                     for tag in ("a", "b")]

    def assert_exact(self, milliseconds, variables=None):
        outcome = self.profiled(self.program, milliseconds, *self.plugs, variables=variables)
        printed = outcome.numbers()
        calls = self.calls(self.program)
        self.assert_calls(calls, {
            ("on_signal", "in_handler"): printed["handler"], ("worker", "in_worker"):
            printed["worker"], ("short_worker", "in_short"): printed["short"],
            ("worker", "cmp"): printed["sorted"], (None, "short_worker"): printed["short"] // 10,
            (None, "on_signal"): printed["handler"] // 3})
        for index, tag in enumerate(("a", "b")):
            entered = printed[f"entered_{index}"]
            self.assert_calls(self.calls(self.plugs[index], f"gmon.out.plug_{tag}.so"), {
                ("plug_enter", f"enter_{tag}"): entered,
                (f"enter_{tag}", f"middle_{tag}"): 5 * entered,
                (f"middle_{tag}", f"inner_{tag}"): 20 * entered})
        children = [line.split()[1:] for line in outcome.stdout.splitlines()
                    if line.startswith("child ")]
        self.assertEqual(len(children), printed["children"])
        for process, times in children:
            self.assert_calls(self.calls(self.program, f"gmon.out.{process}"),
                              {("child", "in_child"): int(times)})
        self.assertEqual([n for n in self.files() if "live" in n or "tmp" in n], [])

    def test_counts(self):
        self.assert_exact(3000)

    def test_with_samples_and_stacks(self):
        self.assert_exact(3000, {"GPROF_RATE": 2000, "GPROF_STACKS": 1})


class Untouched(Hostile):
    """Programs that are not instrumented, preloaded: they do the same, sampled or not."""

    def assert_untouched(self, *command):
        require(command[0])
        profiles = self.directory / "profiles"
        shutil.rmtree(profiles, ignore_errors=True)
        profiles.mkdir()
        expected = execute(command, self.directory)
        for sampled in (0, 1):
            outcome = execute(command, self.directory, clean_environment(
                LD_PRELOAD=LIBRARY, GPROF_STACKS=1, GPROF_RATE=1000, GPROF_ANY=sampled, GPROF_OUTPUT=profiles))
            self.assertEqual(outcome, expected)
            if not sampled:
                self.assertEqual(list(profiles.iterdir()), [])

    def test_programs(self):
        shutil.copy(PROGRAMS / "calls.c", self.directory / "calls.c")
        for command in (["ls", "-la", "/usr/bin"], ["false"], ["bash", "-c", "echo $((6*7)); ls; exit 3"],
                        ["python3", "-c", "import threading, subprocess, os\n"
                         "t = [threading.Thread(target=sum, args=(range(10000),)) for _ in '1234']\n"
                         "[x.start() for x in t]; [x.join() for x in t]\n"
                         "print(subprocess.check_output(['echo', 'hello'])); os._exit(5)"],
                        ["sh", "-c", "kill -TERM $$"], ["gcc", "-S", "calls.c", "-I", PROGRAMS, "-o", "-"],
                        ["sort", "calls.c"], ["tar", "cf", "-", "--mtime=@0", "calls.c"]):
            with self.subTest(command[0]):
                self.assert_untouched(*command)
