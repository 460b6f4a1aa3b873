"""Runs `gprof-lsp report` and GNU gprof with the same arguments and compares their output.

Both must print the same bytes, exit with the same status, both or neither write to stderr, and
leave the same files. GPROF_LSP_SERVER names the program under test.
"""
import concurrent.futures
import dataclasses
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import gnu_versions
from own_folders import fresh_folder
from profiled_program import require
from tested_build import SANITIZED

TIME_LIMIT = 60  # seconds; detects hangs, not slowness
LIMITED_TIME = 20
SHOWN_DIFF_LINES, SHOWN_FAILURES = 40, 8

# A sanitizer's shadow memory needs more than any limit leaves.
MEMORY_LIMIT = "" if SANITIZED else "ulimit -v 2097152; "  # KiB
LIMITS = ("sh", "-c", f'ulimit -t 5; {MEMORY_LIMIT}exec "$@"', "sh")

# The least number of comparisons in each test file; together more than the promised 5,000.
COMPARISONS = {"graphs": 4800, "options": 400, "formats": 500, "sources": 400, "malformed": 600,
               "windows_programs": 600}


def subject():
    """The command under test."""
    return [os.environ["GPROF_LSP_SERVER"], "report"]


def require_judge():
    require("gprof")
    if gnu_versions.installed() is None:
        raise unittest.SkipTest("skipped: the gprof that is installed is not GNU's")


@dataclasses.dataclass(frozen=True)
class Case:
    """One command line in one directory. `writes`: it leaves files, which are compared, too.

    `explained`: without -b, so that each tool explains the figures in its own words.
    `stderr_may_differ`: one tool may warn about something that the other accepts silently.
    `limited`: with limits on memory and processor time, for malicious input.
    `twin`: what GNU gprof reads instead of `program` if it is known to misread that.
    """
    directory: pathlib.Path
    words: tuple
    label: str = ""
    stdin: bytes | None = None  # through a pipe
    stdin_file: str = os.devnull  # seekable, unlike a pipe
    writes: bool = False
    explained: bool = False
    stderr_may_differ: bool = False
    environment: tuple = ()
    limited: bool = False
    twin: str = ""

    def for_judge(self):
        words = self.words
        if self.twin:
            words = tuple(self.twin if word == "program" else word for word in words)
        return dataclasses.replace(self, words=words, twin="")


@dataclasses.dataclass
class Outcome:
    stdout: bytes
    stderr: bytes
    status: int
    files: dict


def execute(command, case, directory):
    if case.limited:
        command = [*LIMITS, *command]
    environment = {k: v for k, v in os.environ.items() if k not in ("GPROF_PATH", "LANGUAGE")}
    environment |= {"LC_ALL": "C", **dict(case.environment)}
    time_limit = LIMITED_TIME if case.limited else TIME_LIMIT
    with open(directory / case.stdin_file, "rb") as file:
        options = {"stdin": file} if case.stdin is None else {"input": case.stdin}
        done = subprocess.run([*command, *case.words], cwd=directory, env=environment,
                              capture_output=True, timeout=time_limit, check=False, **options)
    return Outcome(done.stdout, done.stderr, done.returncode, {})


def files_below(directory):
    return {str(path.relative_to(directory)): path.read_bytes()
            for path in sorted(directory.rglob("*")) if path.is_file()}


def execute_in_copy(command, case, name):
    """Runs in a copy of the directory with that name; also returns the files written."""
    with tempfile.TemporaryDirectory(prefix="gprof-lsp-report-") as temporary:
        directory = pathlib.Path(temporary) / name
        shutil.copytree(case.directory, directory)
        before = files_below(directory)
        outcome = execute(command, case, directory)
        after = files_below(directory)
        outcome.files = {file: data for file, data in after.items() if before.get(file) != data}
        if "gmon.sum" in outcome.files:
            outcome.files["gmon.sum"] = meaning_of_summary(case, directory)
        return outcome


def meaning_of_summary(case, directory):
    """What gprof reads from a summary, whose bytes cannot be compared: spare ones are not set."""
    executable = next((word for word in case.words if word == "program"), "a.out")
    shown = subprocess.run(["gprof", "-b", "-i", "-z", "-p", "-q", executable, "gmon.sum"],
                           cwd=directory, capture_output=True, check=False, timeout=TIME_LIMIT)
    return shown.stdout + b"status %d" % shown.returncode


def outcome_of(command, case):
    if not case.writes:
        return execute(command, case, case.directory)
    return execute_in_copy(command, case, "work")


def unexplained(command, case, full):
    """The full report with `<explanation>` for each explanatory text.

    The tools explain in their own words, in the same places. These are found with the brief report:
    what only the full report has between two of its lines is explanation. Only the title differs:
    it says that an explanation follows. Blank lines and form feeds between adjacent lines are kept;
    those around an explanation belong to it.
    """
    brief = outcome_of(command, dataclasses.replace(case, words=("-b", *case.words)))
    anchors = [line for line in brief.stdout.split(b"\n") if line.strip()]
    kept, gap, next_anchor = [], [], 0
    for line in full.split(b"\n"):
        if next_anchor < len(anchors) and brief_title(line) == anchors[next_anchor]:
            kept += [*explanation_or_blank(gap), line]
            gap, next_anchor = [], next_anchor + 1
        else:
            gap.append(line)
    kept += explanation_or_blank(gap)
    kept.append(b"%d of %d lines" % (next_anchor, len(anchors)))
    return b"\n".join(kept)


def brief_title(line):
    if line == b"\t\t     Call graph (explanation follows)":
        return b"\t\t\tCall graph"
    return line


def explanation_or_blank(gap):
    return [b"<explanation>"] if any(line.strip() for line in gap) else gap


def unified_diff(expected, actual):
    lines = difflib.unified_diff(expected.decode(errors="backslashreplace").split("\n"),
                                 actual.decode(errors="backslashreplace").split("\n"),
                                 "gprof", "gprof-lsp report", lineterm="")
    return "\n".join(list(lines)[:SHOWN_DIFF_LINES]) or "(line ends differ)"


def difference(case):
    """A description of the difference, or None."""
    judged = case.for_judge()
    expected, actual = outcome_of(["gprof"], judged), outcome_of(subject(), case)
    if case.explained:
        expected.stdout = unexplained(["gprof"], judged, expected.stdout)
        actual.stdout = unexplained(subject(), case, actual.stdout)
    if expected.stdout != actual.stdout:
        return unified_diff(expected.stdout, actual.stdout) + first_line(actual.stderr)
    if expected.status != actual.status:
        return (f"status {expected.status} expected, not {actual.status}"
                + first_line(expected.stderr) + first_line(actual.stderr))
    if bool(expected.stderr) != bool(actual.stderr) and not case.stderr_may_differ:
        return ("stderr:\n" + unified_diff(expected.stderr, actual.stderr))
    if expected.files.keys() != actual.files.keys():
        return f"files {sorted(expected.files)} expected, not {sorted(actual.files)}"
    for name, content in expected.files.items():
        if content != actual.files[name]:
            return f"{name}:\n" + unified_diff(content, actual.files[name])
    return None


def first_line(stderr):
    return "\nstderr: " + stderr.decode(errors="replace").splitlines()[0] if stderr else ""


def failure(case, judge):
    try:
        found = judge(case)
    except subprocess.TimeoutExpired as expired:
        found = f"no end within {expired.timeout} s: {expired.cmd[0]}"
    except Exception as problem:  # one broken case must not hide the others
        found = f"{type(problem).__name__}: {problem}"
    if found is None:
        return None
    words = " ".join(repr(w) if re.search(r"[\s'\"]", w) or not w else w for w in case.words)
    return f"{case.label}\n  in {case.directory}: gprof {words}\n{found}"


def compare_all(cases, judge):
    """The number of comparisons, and the failures in the order of the cases."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as workers:
        results = list(workers.map(lambda case: failure(case, judge), cases))
    return len(results), [result for result in results if result]


class ReportTest(unittest.TestCase):
    """A directory, and comparisons of many cases at once."""
    comparisons = 0  # of all classes of the file

    @classmethod
    def setUpClass(cls):
        require_judge()
        cls.directory = fresh_folder(cls.addClassCleanup)

    def new_directory(self, name):
        directory = self.directory / name
        directory.mkdir(parents=True)
        return directory

    def compare(self, cases, judge=difference):
        """`judge` returns what is wrong with a case, or None."""
        count, failures = compare_all(cases, judge)
        ReportTest.comparisons += count
        if failures:
            if log := os.environ.get("GPROF_LSP_DIFFERENCES"):
                with open(log, "a", encoding="utf-8") as out:
                    out.write("\n\n".join(failures) + "\n\n")
            self.fail(f"{len(failures)} of {count} differ:\n\n"
                      + "\n\n".join(failures[:SHOWN_FAILURES]))


def enough_comparisons(topic):
    """A tearDownModule that requires COMPARISONS[topic], unless tests were skipped or selected."""
    def tear_down_module():
        print(f"{topic}: {ReportTest.comparisons} comparisons", flush=True)
        if ReportTest.comparisons and len(sys.argv) == 1:
            assert ReportTest.comparisons >= COMPARISONS[topic], "too few comparisons"
    return tear_down_module
