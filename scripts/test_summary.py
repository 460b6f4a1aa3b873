"""Prints the slowest, the skipped and the failed tests of a run of scripts/test, from the results that ctest wrote.

  python3 scripts/test_summary.py DIRECTORY

DIRECTORY holds a JUnit file for each run of ctest, PRESET.xml or PRESET.NUMBER.xml, and may hold a file `skipped` with
a line for each check that was skipped outside of ctest. Exit status 1 if anything was skipped and
GPROF_LSP_REQUIRE_TESTS is set in the environment. Tests that do not apply to a build (tests/support/tested_build.py)
are counted, but not as skipped, and so are those that were not run again (tests/support/remembered_passes.py).
"""
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/support"))
from remembered_passes import UNCHANGED  # noqa: E402
from tested_build import NOT_HERE  # noqa: E402

SLOWEST = 10
# Of what a failed test printed, the end is repeated: a log that is cut then still says what failed, and how.
LINES_OF_A_FAILURE = 25
FAILURES_SHOWN = 8


def cases(directory):
    """(name, preset, seconds, reasons why it or parts of it were skipped, whether it was left as it was) of every
    test."""
    for file in sorted(directory.glob("*.xml")):
        for case in xml.etree.ElementTree.parse(file).getroot().iter("testcase"):
            reasons = [] if case.find("skipped") is None else reasons_of(case)
            unchanged = (case.findtext("system-out") or "").strip() == UNCHANGED
            yield case.get("name"), file.name.split(".")[0], float(case.get("time") or 0), reasons, unchanged


def reasons_of(case):
    """What the test itself says, if it does: each reason once."""
    text = case.findtext("system-out") or ""
    said = re.findall(r"\.\.\. skipped (['\"])(.*)\1$", text, re.MULTILINE)
    reasons = [reason for _, reason in said] or re.findall(r"(?i)skipped[=:(' ]+([^\n]+)", text)[-1:]
    reasons = [reason.removeprefix("skipped: ").strip(" '\")") for reason in reasons]
    return list(dict.fromkeys(reasons)) or ["no reason given"]


def failures(directory):
    """(name, preset, the end of what it printed) of every test that failed."""
    for file in sorted(directory.glob("*.xml")):
        for case in xml.etree.ElementTree.parse(file).getroot().iter("testcase"):
            if case.find("failure") is not None:
                printed = (case.findtext("system-out") or "").rstrip().splitlines()
                yield case.get("name"), file.name.split(".")[0], printed[-LINES_OF_A_FAILURE:]


def print_failures(directory):
    failed = list(failures(directory))
    for name, preset, printed in failed[:FAILURES_SHOWN]:
        print(f"\nFAILED: {name} ({preset}). The end of what it printed:")
        for line in printed:
            print(f"    {line[:200]}")
    for name, preset, _ in failed[FAILURES_SHOWN:]:
        print(f"FAILED: {name} ({preset})")


def main():
    directory = pathlib.Path(sys.argv[1])
    found = list(cases(directory))
    if not found:
        return 0
    print(f"\nSlowest of {len(found)} tests:")
    for name, preset, seconds, *_ in sorted(found, key=lambda case: -case[2])[:SLOWEST]:
        print(f"{seconds:8.1f} s  {name} ({preset})")
    skipped = [f"{name} ({preset}): {reason}" for name, preset, _, reasons, _ in found for reason in reasons
               if not reason.startswith(NOT_HERE)]
    other = directory / "skipped"
    if other.is_file():
        skipped += other.read_text().splitlines()
    unchanged = sum(is_unchanged for *_, is_unchanged in found)
    if unchanged:
        print(f"Tests that passed before, and of which nothing has changed since: {unchanged}")
    left_out = sum(any(reason.startswith(NOT_HERE) for reason in reasons) for *_, reasons, _ in found)
    if left_out:
        print(f"Tests that do not apply to their build, or parts of which do not: {left_out}")
    for line in skipped:
        print(f"SKIPPED: {line}")
    print_failures(directory)
    if skipped and os.environ.get("GPROF_LSP_REQUIRE_TESTS"):
        print("scripts/test: GPROF_LSP_REQUIRE_TESTS is set, so nothing may be skipped.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
