"""Three ways to have the collector: preloaded, linked as a library, linked from the archive."""

from harness import ARCHIVE, LIBRARY, RuntimeTest, execute, require
from profiled_program import PRIMARY

EXPECTED = {("main", "rounds"): 2, ("rounds", "work"): 1000}


class Linking(RuntimeTest):
    def run_alone(self, program, *arguments, variables=None):
        outcome = self.preloaded(program, *arguments, variables={"LD_PRELOAD": "",
                                                                 **(variables or {})})
        self.assertEqual((outcome.status, outcome.stderr), (0, ""))
        return outcome

    def assert_profile(self, program, expected=None):
        self.assert_calls(self.calls(program), expected or EXPECTED)
        self.assertEqual(self.files(), ["gmon.out", "gmon.out.gpx"])
        self.assert_gprof_agrees(program, expected or EXPECTED)

    def assert_gprof_agrees(self, program, expected):
        require("gprof")
        text = execute(["gprof", "-b", "-q", program, "gmon.out"], self.directory).stdout
        rows = {row[7]: int(row[5] or 0) for row in filter(None, map(PRIMARY.match,
                                                                     text.splitlines()))}
        for callee in {callee for _, callee in expected}:
            total = sum(n for (caller, to), n in expected.items() if to == callee != caller)
            self.assertEqual(rows.get(callee), total, text[:3000])


class Preloaded(Linking):
    def test_unmodified_programs(self):
        for compiler in ("gcc", "clang"):
            for flags in (("-pie", "-fPIE"), ("-no-pie", "-fno-pie"), ("-O2",), ("-Wl,-z,now",),
                          ("-Wl,-z,lazy",), ("-mfentry",), ("-O2", "-flto"), ("-g0", "-s"),
                          ("-fcf-protection=full",), ("-O1", "-pthread", "-Wl,--as-needed")):
                with self.subTest(f"{compiler} {flags}"):
                    require(compiler)
                    if compiler == "clang" and "-flto" in flags:
                        continue  # needs a linker plugin
                    program = self.build("program", ["calls.c"], *flags, compiler=compiler)
                    self.profiled(program)
                    if "-s" in flags:
                        self.assertEqual(max(n for _, _, n in self.profile().arcs), 1000)
                    else:
                        self.assert_profile(program)

    def test_nothing_but_output_and_status(self):
        program = self.build("endings", ["endings.c"], "-O1", "-pthread")
        for how, status in (("return", 7), ("quick_exit", 7), ("abort", -6)):
            plain = self.plain(program, how)
            self.assertEqual(self.profiled(program, how, status=status).stdout, plain.stdout)

    def test_instrument_functions(self):
        for compiler in ("gcc", "clang"):
            with self.subTest(compiler):
                require(compiler)
                program = self.build("instrumented", ["calls.c"], "-O1", "-finstrument-functions",
                                     compiler=compiler, pg=False)
                self.profiled(program)
                self.assert_profile(program)

    def test_instrument_functions_and_threads(self):
        program = self.build("threads", ["threads.c"], "-O1", "-pthread",
                             "-finstrument-functions", pg=False)
        self.profiled(program, "together", 8, 100_000)
        self.assert_calls(self.calls(program), {
            ("even", "tiny"): 400_000, ("odd", "tiny"): 400_000, (None, "even"): 4,
            ("middle", "leaf"): 800})


class Languages(Linking):
    def test_cpp(self):
        require("g++")
        for flags in (("-O0",), ("-O1",), ("-O2",), ("-O2", "-mfentry")):
            with self.subTest(flags):
                program = self.build("cpp", ["languages.cc"], *flags, compiler="g++")
                plain = self.plain(program)
                self.assertEqual(self.profiled(program).stdout, plain.stdout)
                calls = self.calls(program)
                totals = {}
                for (_, callee), count in calls.items():
                    totals[callee] = totals.get(callee, 0) + count
                self.assertEqual(totals["_Z7throweri"], 500)
                self.assertEqual(totals["_ZN7Derived5valueEv"], 100)
                self.assertEqual(totals["_Z11before_mainv"], 1)
                self.assertEqual(totals["_Z7catcheri"], 1)
                self.assertEqual(totals["_Z10after_mainv"], 1)

    def test_fortran(self):
        require("gfortran")
        program = self.build("fortran", ["numbers.f90"], "-O0", compiler="gfortran")
        outcome = self.profiled(program)
        self.assertEqual(outcome.stdout, "total 10100\n")
        calls = self.calls(program)
        doubled = {callee: count for (_, callee), count in calls.items() if "doubled" in callee}
        self.assertEqual(list(doubled.values()), [100])


class Linked(Linking):
    def test_library(self):
        for flags in (("-pie", "-fPIE"), ("-no-pie", "-fno-pie"), ("-mfentry",)):
            with self.subTest(flags):
                program = self.linked("program", ["calls.c"], *flags)
                self.run_alone(program)
                self.assert_profile(program)

    def test_library_and_preload(self):
        """Both at once: calls are still counted once."""
        program = self.linked("program", ["calls.c"])
        self.profiled(program)
        self.assert_profile(program)

    def test_library_without_pg(self):
        program = self.linked("program", ["calls.c"], "-finstrument-functions", pg=False)
        self.run_alone(program)
        self.assert_profile(program)

    def test_archive(self):
        for flags in (("-static",), ("-static-pie",), ("-static", "-O2", "-mfentry"),
                      ("-static-pie", "-mfentry"), ()):
            for compiler in ("gcc", "clang"):
                if compiler == "clang" and "-static-pie" in flags:
                    continue  # clang 14 links start-up code that crashes, with any collector
                with self.subTest(f"{compiler} {flags}"):
                    require(compiler)
                    program = self.build("static", ["calls.c"], *flags, compiler=compiler,
                                         libraries=[ARCHIVE])
                    self.run_alone(program)
                    self.assert_profile(program)

    def test_archive_and_threads(self):
        for flag in ("-static", "-static-pie"):
            with self.subTest(flag):
                program = self.build("threads", ["threads.c"], "-O1", "-pthread", flag,
                                     libraries=[ARCHIVE])
                self.run_alone(program, "together", 8, 100_000)
                self.assert_calls(self.calls(program), {
                    ("even", "tiny"): 400_000, ("odd", "tiny"): 400_000, ("middle", "leaf"): 800})

    def test_archive_of_a_cpp_program(self):
        require("g++")
        program = self.build("cpp", ["languages.cc"], "-O1", "-static", compiler="g++",
                             libraries=[ARCHIVE])
        outcome = self.run_alone(program)
        self.assertEqual(outcome.numbers(), {"caught": 50, "sum": 100})
        calls = self.calls(program)
        self.assertEqual(sum(n for (_, to), n in calls.items() if to == "_Z7throweri"), 500)

    def test_archive_obeys_variables(self):
        program = self.build("static", ["calls.c"], "-static", libraries=[ARCHIVE])
        output = self.directory / "output"
        output.mkdir()
        self.run_alone(program, variables={"GPROF_OUTPUT": output, "GPROF_RATE": 250})
        self.assert_calls(self.calls(program, directory=output), EXPECTED)
        self.assertEqual({h.rate for h in self.profile(directory=output).histograms}, {250})

    def test_no_cpp_runtime_is_needed(self):
        require("readelf", "nm")
        text = execute(["readelf", "-d", LIBRARY], self.directory).stdout
        needed = [line.split("[")[1].rstrip("]") for line in text.splitlines() if "NEEDED" in line]
        self.assertEqual([n for n in needed if "stdc++" in n or "gcc_s" in n], [])
        undefined = execute(["nm", "-D", "-u", LIBRARY], self.directory).stdout
        self.assertNotRegex(undefined, r"_Z|__cxa_(?!finalize|atexit|at_quick_exit)|__gxx")
