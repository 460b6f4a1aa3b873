"""Makes tests of rows, and runs all of them by hand."""
import os
import pathlib
import re
import tempfile
import time
import unittest

import checks
import runs
from own_folders import fresh_folder

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVER = pathlib.Path(os.path.abspath(os.environ.get("GPROF_LSP_SERVER") or
                                      ROOT / "build/release/bin/gprof-lsp"))


class RowTest(unittest.TestCase):
    """Each class has a folder, in which its rows run one after the other."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if not SERVER.exists():
            raise unittest.SkipTest(f"skipped: no {SERVER}")
        folder = fresh_folder(cls.addClassCleanup)
        # Rows may change to other users.
        folder.chmod(0o755)
        cls.checker = checks.Checker(runs.Runner(folder), SERVER)

    def check(self, row):
        missing = row.missing()
        if missing:
            self.skipTest(f"skipped: no {', '.join(missing)}")
        found = self.checker.check(row)
        self.assertFalse(found, f"{row.name}:\n" + "\n".join(found))


def add_tests(test_case, rows):
    for row in rows:
        name = "test_" + re.sub(r"\W+", "_", row.name).strip("_")
        setattr(test_case, name, lambda self, row=row: self.check(row))


def run_all(rows, words):
    """Says of each row what differs, and how many do. Returns the exit status."""
    timed = "--all" in words
    words = [word for word in words if not word.startswith("--")]
    chosen = [row for row in rows if not words or any(word in row.name for word in words)]
    failed, skipped = [], []
    with tempfile.TemporaryDirectory(prefix="gprof-lsp-harmless-") as folder:
        os.chmod(folder, 0o755)
        checker = checks.Checker(runs.Runner(folder), SERVER, timed)
        for row in chosen:
            if row.missing():
                skipped.append(f"{row.name} (no {', '.join(row.missing())})")
                continue
            began = time.monotonic()
            checker.largest_disk = 0
            found = checker.check(row)
            print(f"{'FAILED' if found else 'same':6} {time.monotonic() - began:6.1f} s "
                  f"{checker.largest_disk / 2**20:7.1f} MiB  {row.name}", *found, sep="\n    ", flush=True)
            if found:
                failed.append(row.name)
    print(f"{len(chosen)} rows, {len(failed)} differ: {'; '.join(failed) or 'none'}; "
          f"{len(skipped)} skipped: {'; '.join(skipped) or 'none'}")
    return 1 if failed else 0
