"""Hostile programs do the same under `gprof-lsp record` as without it: programs.toml says which.

  tests/run.py tests/harmless/programs_test.py                  the short form, as ctest runs it
  python3 tests/harmless/programs_test.py --all [WORD]...       all rows whose name holds one of the words, with
                                                                their times (comparison.py says how)
"""
import pathlib
import sys

if __name__ == "__main__":
    TESTS = pathlib.Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(TESTS / "support"), str(TESTS / "runtime"), str(TESTS.parent / "scripts")]

import rows
from row_tests import RowTest, add_tests, run_all


class Programs(RowTest):
    pass


add_tests(Programs, [row for row in rows.programs() if row.short])

if __name__ == "__main__":
    sys.exit(run_all(rows.programs(), sys.argv[1:]))
