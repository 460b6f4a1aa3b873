#!/usr/bin/env python3
"""Runs every N-th of the unit tests in one process: under sanitizers, starting the program takes
longer than most tests.

  unit_part.py UNIT_TESTS PART OF
"""

import os
import re
import subprocess
import sys
import tempfile


def names_of_tests(program):
    # Version 2 of Catch2, and version 3.
    for options in (["--list-test-names-only"], ["--list-tests", "--verbosity", "quiet"]):
        listed = subprocess.run([program, *options], capture_output=True, text=True, check=False)
        names = [line for line in listed.stdout.splitlines() if line.strip()]
        if names and not listed.stderr:
            return names
    sys.exit(f"{program} lists no tests: {listed.stderr}")


def main():
    program, part, parts = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    names = names_of_tests(program)
    with tempfile.NamedTemporaryFile("w", prefix="gprof-lsp-unit-", suffix=".txt") as chosen:
        # A name may hold what would otherwise be a pattern.
        for name in names[part::parts]:
            chosen.write('"' + re.sub(r'([\\",\[\]])', r"\\\1", name) + '"\n')
        chosen.flush()
        print(f"{len(names[part::parts])} of {len(names)} tests", flush=True)
        run = subprocess.run([program, "--input-file", chosen.name, "--durations", "no"],
                             env=os.environ, check=False)
    sys.exit(run.returncode if run.returncode >= 0 else 1)


if __name__ == "__main__":
    main()
