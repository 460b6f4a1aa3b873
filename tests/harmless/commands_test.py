"""Real commands do the same under `gprof-lsp record` as without it: commands.toml says which.

  tests/run.py tests/harmless/commands_test.py                  the short form, as ctest runs it
  python3 tests/harmless/commands_test.py --all [WORD]...       all rows whose name holds one of the words, with
                                                                their times (comparison.py says how)
"""
import pathlib
import sys

if __name__ == "__main__":
    TESTS = pathlib.Path(__file__).resolve().parents[1]
    sys.path[:0] = [str(TESTS / "support"), str(TESTS / "runtime"), str(TESTS.parent / "scripts")]

import rows
from row_tests import RowTest, add_tests, run_all


class Commands(RowTest):
    pass


add_tests(Commands, [row for row in rows.commands() if row.short])

if __name__ == "__main__":
    sys.exit(run_all(rows.commands(), sys.argv[1:]))
