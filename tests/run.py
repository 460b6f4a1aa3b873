#!/usr/bin/env python3
"""Runs a Python test, or some of its cases: tests/run.py tests/FOLDER/NAME_test.py [CLASS[.CASE]]...

A test finds the modules of its own folders, of tests/support and of scripts by their names. What it
tests is in the environment, as ctest sets it; GPROF_LSP_SERVER names the server. If GPROF_LSP_PASSED names
a folder, a whole test that passed there is not run again while all that it reads is as it was.
"""
import os
import pathlib
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent
sys.path.append(str(TESTS / "support"))
from remembered_passes import UNCHANGED, RememberedPass  # noqa: E402


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    # The rest is as if the test were the program.
    del sys.argv[0]
    test = pathlib.Path(sys.argv[0]).resolve()
    own = [folder for folder in test.parents if folder.is_relative_to(TESTS) and folder != TESTS]
    sys.path[:1] = map(str, [*own, TESTS / "support", TESTS.parent / "scripts"])
    # The programs under test have no use for it.
    folder = os.environ.pop("GPROF_LSP_PASSED", None)
    passed = RememberedPass(test, folder) if folder and len(sys.argv) == 1 else None
    if passed and passed.holds():
        print(UNCHANGED)
        return
    if "GPROF_TEST_SEED" in os.environ:
        print(f"GPROF_TEST_SEED={os.environ['GPROF_TEST_SEED']}", file=sys.stderr)
    result = unittest.main(test.stem, verbosity=2, exit=False).result
    if passed:
        passed.keep(result)
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
