"""The comparison finds what differs: recorders that do harm stand in for `gprof-lsp record`."""
import unittest
from unittest import mock

import checks
import comparison
import runs
from own_folders import fresh_folder
from rows import Row

# Finds the folder of profiles and the command, as the words of a recording have them.
RECORDER = """#!/bin/sh
for word; do
  shift
  case $word in --output=*) output=${word#--output=} ;; --) break ;; esac
done
"""
HARMLESS = '"$@"; status=$?; echo "gprof-lsp: a profile" >&2; exit $status'
MODES = {"record": ()}


class Differences(unittest.TestCase):
    def setUp(self):
        self.folder = fresh_folder(self.addCleanup)
        self.runner = runs.Runner(self.folder / "runs")

    def found(self, recorder, run="echo out; echo error >&2; exit 3", **members):
        server = self.folder / "recorder"
        server.write_text(RECORDER + recorder + "\n")
        server.chmod(0o755)
        checker = checks.Checker(self.runner, server)
        return "\n".join(checker.check(Row("a row", run, **members), MODES))

    def test_none(self):
        self.assertEqual(self.found(HARMLESS), "")

    def test_output(self):
        self.assertIn("stdout", self.found("echo more; " + HARMLESS))
        self.assertIn("stderr", self.found("echo more >&2; " + HARMLESS))

    def test_status(self):
        self.assertIn("status 3, then 4", self.found(HARMLESS.replace("$status", "4")))
        self.assertIn("status 3, then -9", self.found(HARMLESS.replace("exit $status", "kill -9 $$")))

    def test_files(self):
        self.assertIn("file left: None", self.found("touch left; " + HARMLESS))
        self.assertIn("file own", self.found("touch own; chmod 600 own; " + HARMLESS, "echo x > own"))
        self.assertEqual(self.found("touch own; chmod 600 own; " + HARMLESS, "echo x > own", unseen=("own",)), "")

    def test_processes(self):
        with mock.patch.object(runs, "GRACE_SECONDS", 0.1):
            self.assertIn("processes left", self.found("sleep 1000 >/dev/null 2>&1 & " + HARMLESS))
        self.assertEqual(self.found(HARMLESS, "sleep 1000 & echo", leaves=("sleep",)), "")

    def test_disk(self):
        filled = "head -c 3000000 /dev/zero > $output/live; " + HARMLESS
        self.assertIn("MiB of disk", self.found(filled, disk=1))
        self.assertEqual(self.found(filled, disk=4), "")

    def test_our_lines(self):
        self.assertIn("last line is missing", self.found('"$@"'))
        self.assertIn("more than one line", self.found("echo gprof-lsp: x >&2; " + HARMLESS))

    def test_a_row_that_differs_by_itself(self):
        self.assertIn("two plain runs differ", self.found(HARMLESS, "cat /proc/sys/kernel/random/uuid"))
        self.assertEqual(self.found(HARMLESS, "cat /proc/sys/kernel/random/uuid",
                                    replace=(("^.*$", "NUMBER"),)), "")

    def test_time(self):
        def run_of(seconds):
            return runs.Run(0, "", "", {}, (), seconds, seconds, 0)

        self.assertEqual(comparison.differences_of_time([run_of(1)], [run_of(1.7)]), [])
        self.assertEqual(len(comparison.differences_of_time([run_of(1)], [run_of(1.9)])), 2)
        # The shortest of several count.
        self.assertEqual(comparison.differences_of_time([run_of(1)], [run_of(9), run_of(1.1)]), [])

    def test_a_missing_tool(self):
        self.assertEqual(Row("a row", ":", needs=("sh", "nothing-of-this-name")).missing(),
                         ["nothing-of-this-name"])
