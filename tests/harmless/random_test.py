"""A few of the random programs of torture.py, by fixed seeds; that runs as many as wanted."""
import subprocess
import unittest

import torture
from own_folders import fresh_folder
from profiled_program import require
from row_tests import SERVER

SEEDS = range(1, 41)
JOBS = 2


class Random(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        require("gcc")
        if not SERVER.exists():
            self.skipTest(f"skipped: no {SERVER}")

    def test_fixed_seeds(self):
        found = []

        def report(seed, differences):
            found.extend(f"torture.py --runs 1 --seed {seed}: {line}" for line in differences)

        torture.run_many(SERVER, fresh_folder(self.addCleanup), SEEDS, JOBS, report)
        self.assertFalse(found, "\n".join(found))

    def test_a_program_is_a_function_of_its_seed(self):
        folder = fresh_folder(self.addCleanup)
        torture.build(folder)

        def output(seed):
            done = subprocess.run([folder / torture.PLAIN, str(seed)], cwd=folder, capture_output=True,
                                  stdin=subprocess.DEVNULL, check=False, timeout=100,
                                  start_new_session=True)
            return done.returncode, done.stdout, done.stderr

        outputs = [output(seed) for seed in range(5)]
        self.assertEqual(outputs, [output(seed) for seed in range(5)])
        self.assertEqual(len({stdout for _, stdout, _ in outputs}), 5)
