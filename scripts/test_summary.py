"""Prints the slowest and the skipped tests of a run of scripts/test, from the results that ctest wrote.

  python3 scripts/test_summary.py DIRECTORY

DIRECTORY holds a JUnit file for each run of ctest, and may hold a file `skipped` with a line for each check that
was skipped outside of ctest. Exit status 1 if anything was skipped and GPROF_LSP_REQUIRE_TESTS is set in the
environment.
"""
import os
import pathlib
import re
import sys
import xml.etree.ElementTree

SLOWEST = 10


def cases(directory):
    """(name, preset, seconds, reason why it was skipped or None) of every test."""
    for file in sorted(directory.glob("*.xml")):
        for case in xml.etree.ElementTree.parse(file).getroot().iter("testcase"):
            skipped = case.find("skipped")
            yield (case.get("name"), file.stem, float(case.get("time") or 0),
                   None if skipped is None else reason_of(case))


def reason_of(case):
    """What the test itself says, if it does."""
    text = case.findtext("system-out") or ""
    said = re.findall(r"(?i)skipped[=:(' ]+([^\n]+)", text)
    return said[-1].strip(" '\")") if said else "no reason given"


def main():
    directory = pathlib.Path(sys.argv[1])
    found = list(cases(directory))
    if not found:
        return 0
    print(f"\nSlowest of {len(found)} tests:")
    for name, preset, seconds, _ in sorted(found, key=lambda case: -case[2])[:SLOWEST]:
        print(f"{seconds:8.1f} s  {name} ({preset})")
    skipped = [f"{name} ({preset}): {reason}" for name, preset, _, reason in found if reason is not None]
    other = directory / "skipped"
    if other.is_file():
        skipped += other.read_text().splitlines()
    for line in skipped:
        print(f"SKIPPED: {line}")
    if skipped and os.environ.get("GPROF_LSP_REQUIRE_TESTS"):
        print("scripts/test: GPROF_LSP_REQUIRE_TESTS is set, so nothing may be skipped.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
