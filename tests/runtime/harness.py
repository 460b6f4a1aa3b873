"""Runs small programs under the collector and reads what it counted.

ctest sets these environment variables: GPROF_RUNTIME_LIBRARY (libgprof_runtime.so),
GPROF_RUNTIME_ARCHIVE (libgprof_runtime.a), GPROF_RUNTIME_INCLUDE (the folder of gprof/runtime.h),
GPROF_LSP_SERVER, and GPROF_RUNTIME_AARCH64_DIR with both libraries for aarch64, if they were built.
Each defaults to its place in build/release.
"""
import contextlib
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import gmon_profile
from own_folders import fresh_folder
from profiled_program import require  # noqa: F401

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests" / "programs" / "runtime"
OWN_VARIABLES = re.compile(r"GPROF_|GMON_OUT_PREFIX$|LD_PRELOAD$")


def setting(variable, default):
    # Not resolved: the collector's own name is a link to its version.
    return pathlib.Path(os.path.abspath(os.environ.get(variable) or ROOT / default))


LIBRARY = setting("GPROF_RUNTIME_LIBRARY", "build/release/lib/libgprof_runtime.so")
ARCHIVE = setting("GPROF_RUNTIME_ARCHIVE", "build/release/lib/libgprof_runtime.a")
FAULTY_LIBRARY = setting("GPROF_RUNTIME_FAULTY_LIBRARY", "build/release/lib/libgprof_runtime_faulty.so")
INCLUDE = setting("GPROF_RUNTIME_INCLUDE", "runtime/include")
SERVER = setting("GPROF_LSP_SERVER", "build/release/bin/gprof-lsp")


def clean_environment(**more):
    """This process's, without the collector's variables, plus `more`."""
    kept = {k: v for k, v in os.environ.items() if not OWN_VARIABLES.match(k)}
    return kept | {"LC_ALL": "C"} | {k: str(v) for k, v in more.items()}


@dataclasses.dataclass(frozen=True)
class Outcome:
    status: int  # negative: the signal
    stdout: str
    stderr: str

    def numbers(self):
        """The `NAME NUMBER` lines of the program's output."""
        found = re.findall(r"^(\S+) (-?\d+)$", self.stdout, re.M)
        return {name: int(number) for name, number in found}


def states_of_threads(session):
    """What the threads of a session's processes do: state, signals, and where they are in the kernel."""
    states = []
    for task in pathlib.Path("/proc").glob("[0-9]*/task/[0-9]*"):
        # The thread may end while it is looked at, and some kernels do not say where it is.
        with contextlib.suppress(OSError):
            name, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            if int(rest.split()[3]) != session:
                continue
            status = (task / "status").read_text()
            signals = re.findall(r"^(?:State|SigQ|SigPnd|ShdPnd|SigBlk):.*", status, re.M)
            states.append(" ".join([name, *signals]).replace("\t", " "))
            states.append(f"  in {(task / 'wchan').read_text()} {(task / 'syscall').read_text().strip()}")
    return "\n".join(states)


def execute(command, directory, environment=None, timeout=240, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    process = subprocess.Popen([str(word) for word in command], cwd=directory,
                               env=clean_environment() if environment is None else environment,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True, **options)
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        states = states_of_threads(process.pid)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        raise AssertionError(f"{command} hangs:\n{stdout[-2000:]!r}\n{stderr[-2000:]!r}\n{states}") from None
    return Outcome(process.returncode, stdout.decode(errors="replace"),
                   stderr.decode(errors="replace"))


class RuntimeTest(unittest.TestCase):
    """A fresh directory for each test; programs are built once per class, in `built`."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        require("gcc", "nm")
        for path in (LIBRARY, ARCHIVE):
            if not path.exists():
                raise unittest.SkipTest(f"skipped: no {path}")
        cls.built = fresh_folder(cls.addClassCleanup)
        # Programs may run as another user.
        cls.built.chmod(0o755)
        cls.programs()

    @classmethod
    def programs(cls):
        """Builds the programs that the tests of the class share."""

    @classmethod
    def build(cls, program, sources, *flags, compiler="gcc", pg=True, libraries=()):
        """Builds into `built`; sources without a directory are there or among the test programs."""
        require(compiler)
        paths = [cls.source(source) for source in sources]
        command = [compiler, "-g", *(["-pg"] if pg else []), *flags, "-I", INCLUDE, *paths,
                   "-o", cls.built / program, *libraries]
        done = execute(command, cls.built)
        if done.status != 0:
            raise AssertionError(f"{' '.join(map(str, command))}:\n{done.stderr}")
        return cls.built / program

    @classmethod
    def source(cls, name):
        for place in (pathlib.Path(name), cls.built / name, PROGRAMS / name):
            if place.is_absolute() and place.exists():
                return place
        raise AssertionError(f"no source {name}")

    @classmethod
    def linked(cls, program, sources, *flags, **options):
        """Built and linked with the collector as a shared library, found by its path."""
        return cls.build(program, sources, *flags, libraries=(
            *options.pop("libraries", ()), f"-L{LIBRARY.parent}", f"-Wl,-rpath,{LIBRARY.parent}",
            "-Wl,--no-as-needed", "-lgprof_runtime"), **options)

    def setUp(self):
        self.directory = fresh_folder(self.addCleanup)

    def plain(self, program, *arguments, directory=None, **options):
        """Without the collector; if the program itself writes a profile, it does so elsewhere."""
        with tempfile.TemporaryDirectory(prefix="gprof-runtime-plain-") as elsewhere:
            return execute([program, *arguments], directory or elsewhere, **options)

    def preloaded(self, program, *arguments, directory=None, variables=None, **options):
        variables = {"LD_PRELOAD": LIBRARY, **(variables or {})}
        return execute([program, *arguments], directory or self.directory,
                       clean_environment(**variables), **options)

    def profiled(self, program, *arguments, status=0, **options):
        """With the collector preloaded; checks the status, and that nothing is reported."""
        outcome = self.preloaded(program, *arguments, **options)
        self.assertEqual((outcome.status, outcome.stderr), (status, ""), outcome.stdout[-2000:])
        return outcome

    def recover(self, directory=None):
        require_file(SERVER)
        return execute([SERVER, "recover", directory or self.directory], self.directory)

    def profile(self, name="gmon.out", directory=None):
        path = (directory or self.directory) / name
        self.assertTrue(path.exists(), f"no {name}; there is {self.files(directory)}")
        return gmon_profile.read(path)

    def sidecar(self, name="gmon.out.gpx", directory=None):
        import sidecar
        path = (directory or self.directory) / name
        self.assertTrue(path.exists(), f"no {name}; there is {self.files(directory)}")
        return sidecar.parse(str(path))

    def calls(self, program, name="gmon.out", directory=None):
        """{(caller, callee): count}, with names of the program's functions; None: no caller."""
        return gmon_profile.calls(self.profile(name, directory), gmon_profile.symbols_of(program))

    def files(self, directory=None):
        return sorted(path.name for path in (directory or self.directory).iterdir())

    def assert_calls(self, actual, expected):
        """The expected arcs, exactly; there may be arcs between other functions, too."""
        self.assertEqual({arc: actual.get(arc, 0) for arc in expected}, expected, actual)

    def assert_only_calls(self, actual, expected):
        """The expected arcs are all arcs of the profile, except those of the start-up code."""
        self.assertEqual(without_start(actual), expected)

    def assert_one_line_at_most(self, text):
        self.assertLessEqual(len(text.splitlines()), 1, text)
        if text:
            self.assertRegex(text, r"^gprof: .+\n$")

    def assert_unharmed(self, plain, outcome):
        """The same output and status; at most one line of the collector on standard error."""
        self.assertEqual((outcome.status, outcome.stdout), (plain.status, plain.stdout),
                         outcome.stderr[-2000:])
        lines = outcome.stderr.splitlines(keepends=True)
        own = [line for line in lines if line.startswith("gprof: ")]
        self.assertLessEqual(len(own), 1, outcome.stderr)
        self.assertEqual("".join(line for line in lines if line not in own), plain.stderr)
        return own[0] if own else ""


def without_start(calls):
    return {(caller, callee): count for (caller, callee), count in calls.items()
            if callee != "main" and not callee.startswith("_")}


def require_file(path):
    if not path.exists():
        raise unittest.SkipTest(f"skipped: no {path}")


def require_root():
    if os.geteuid() != 0:
        raise unittest.SkipTest("skipped: not the superuser")


def required(tool):
    require(tool)
    return shutil.which(tool)
