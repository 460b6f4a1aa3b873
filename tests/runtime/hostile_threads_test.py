"""Threads that share streams, locks, conditions and pipes, are cancelled, fork and jump out of handlers, while
their waits are measured: the program does what it does without, and ThreadSanitizer finds no race, neither in
the program nor in the collector's own functions."""
import re
import shutil
import unittest

from harness import ARCHIVE, ROOT, clean_environment, execute, require
from record_support import RecordTest

SEEDS = range(1, 6)
THREADS = "hostile_threads.c"
# Of the archive, those that the shared library has others for.
STATIC_SOURCES = re.search(r"set\(static_sources ([^)]*)\)",
                           (ROOT / "runtime/CMakeLists.txt").read_text())[1].split()
SHARED_SOURCES = [name for name in re.search(r"set\(shared_sources ([^)]*)\)",
                                             (ROOT / "runtime/CMakeLists.txt").read_text())[1].split()]
FLAGS = ["-std=c++20", "-O1", "-g", "-fPIC", "-w", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
         "-fno-stack-protector", "-fvisibility=hidden", "-ftls-model=initial-exec",
         "-fasynchronous-unwind-tables", '-DGPROF_RUNTIME_VERSION="0"', "-I", ROOT,
         "-I", ROOT / "runtime/include"]


class HostileThreads(RecordTest):
    @classmethod
    def hostile_program(cls, compiler, *flags):
        """None without the compiler, or its library."""
        if shutil.which(compiler) is None:
            return None
        name = "-".join((compiler, *(flag.strip("-").replace("=", "-") for flag in flags)))
        try:
            return cls.build(name, [THREADS], "-O1", "-w", "-rdynamic", *flags, compiler=compiler, pg=False,
                             libraries=["-pthread"])
        except AssertionError:
            return None

    def compare(self, program, seed, *options):
        plain = self.plain(program, str(seed), "200")
        self.assertEqual((plain.status, plain.stderr), (3, ""), plain.stdout)
        status, output, errors = self.record("--output=o", *options, program, str(seed), "200")
        self.assertEqual((status, output), (plain.status, plain.stdout), errors)
        self.assertEqual([line for line in errors.splitlines() if not line.startswith("gprof-lsp: ")], [])

    def test_the_same_as_without(self):
        program = self.hostile_program("gcc")
        for seed in SEEDS:
            for options in (("--wait", "--stacks"), ("--wait", "--rate=5000")):
                with self.subTest(f"{seed}, {options}"):
                    self.compare(program, seed, *options)

    def test_under_thread_sanitizer(self):
        programs = [self.hostile_program(compiler, "-fsanitize=thread") for compiler in ("gcc", "clang")]
        if programs == [None, None]:
            self.skipTest("skipped: no compiler with ThreadSanitizer")
        for program in programs:
            for seed in SEEDS if program is not None else ():
                with self.subTest(f"{program.name} {seed}"):
                    self.compare(program, seed, "--wait", "--stacks")

    def test_the_collector_under_thread_sanitizer(self):
        """Only the functions that measure waits are instrumented. Sampling is off: its handler counts waits too, and would
        enter the sanitizer's runtime while that is interrupted."""
        require("clang", "clang++", "ar")
        program = self.hostile_program("clang", "-fsanitize=thread")
        if program is None:
            self.skipTest("skipped: no clang with ThreadSanitizer")
        library = self.instrumented()
        for seed in SEEDS:
            plain = self.plain(program, str(seed), "200")
            outcome = execute([program, str(seed), "200"], self.directory, clean_environment(
                LD_PRELOAD=library, GPROF_ANY=1, GPROF_WAIT=1, GPROF_RATE=0))
            self.assertEqual((outcome.status, outcome.stdout, outcome.stderr),
                             (plain.status, plain.stdout, ""))
            waits = self.sidecar()["waits"]
            self.assertGreater(len({wait["function"] for wait in waits}), 3, waits)

    def instrumented(self):
        """The shared library, from the archive and the sources that are not in it."""
        folder = self.built / "instrumented"
        folder.mkdir()
        self.run_tool("ar", "x", ARCHIVE, directory=folder)
        for name in STATIC_SOURCES:
            (folder / f"{name.rpartition('/')[2]}.o").unlink()
        waits = [str(path.relative_to(ROOT / "runtime")) for path in (ROOT / "runtime/waits").glob("*.cc")]
        for name in sorted(set(SHARED_SOURCES) | set(waits) - set(STATIC_SOURCES)):
            if "$" in name:  # of the architecture
                continue
            # What runs before the sanitizer's runtime does, when a thread gets its state, cannot be compiled for it.
            hooks = name.startswith("waits/") and name != "waits/cpu_waits.cc"
            flags = ["-fsanitize=thread"] if hooks else []
            self.run_tool("clang++", *FLAGS, *flags, "-c", ROOT / "runtime" / name,
                          "-o", folder / f"{name.rpartition('/')[2]}.o")
        machine = execute(["uname", "-m"], folder).stdout.strip()
        self.run_tool("clang", "-I", ROOT, "-c", ROOT / f"runtime/arch/{machine}/wait_entries.S",
                      "-o", folder / "wait_entries.o")
        library = folder / "libinstrumented.so"
        self.run_tool("clang", "-shared", "-o", library, *sorted(folder.glob("*.o")), "-Wl,-z,nodelete",
                      "-Wl,--no-as-needed", "-l:libdl.so.2")
        used = execute(["nm", "-D", "--undefined-only", library], folder).stdout
        self.assertIn("__tsan_write", used)
        return library

    def run_tool(self, *command, directory=None):
        done = execute(command, directory or self.built)
        self.assertEqual(done.status, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
