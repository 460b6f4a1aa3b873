"""The server that is linked statically: needs nothing of the system, and does what the other one does."""
import os
import pathlib
import subprocess
import tempfile
import unittest

from editor import Editor
from own_folders import fresh_folder, own_environment
from profiled_program import require, run

SERVER = os.environ.get("GPROF_LSP_SERVER")
STATIC_SERVER = os.environ.get("GPROF_LSP_STATIC_SERVER")
RUNTIME = os.environ.get("GPROF_RUNTIME_LIBRARY")
WORK = pathlib.Path(__file__).resolve().parent / "programs/work.c"
# What is released is built with version 4 of capstone; version 5 knows more processors.
LARGEST_BY_CAPSTONE = {"4": 16_000_000, "5": 18_500_000}


class StaticServer(unittest.TestCase):
    def setUp(self):
        if not STATIC_SERVER:
            self.skipTest("skipped: no server that is linked statically")

    def test_it_needs_nothing(self):
        require("readelf", "strip", "pkg-config")
        headers = run(["readelf", "--wide", "-l", "-d", STATIC_SERVER], "/")
        self.assertNotIn("INTERP", headers)
        self.assertNotIn("(NEEDED)", headers)
        with tempfile.TemporaryDirectory() as folder:
            stripped = pathlib.Path(folder) / "server"
            run(["strip", "-o", stripped, STATIC_SERVER], folder)
            capstone = run(["pkg-config", "--modversion", "capstone"], folder).partition(".")[0]
            self.assertLess(stripped.stat().st_size, LARGEST_BY_CAPSTONE[capstone])
            self.assertEqual(run([stripped, "--version"], folder), run([SERVER, "--version"], folder))

    def test_names_of_hosts(self):
        """Whatever modules the system names for them."""
        process = subprocess.Popen([STATIC_SERVER, "--listen=localhost:0"], stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        said = process.stdout.readline()
        self.assertRegex(said, r"(127\.0\.0\.1|\[::1\]):\d+")
        done = subprocess.run([STATIC_SERVER, "--listen=no-such-host.invalid:0"], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no-such-host.invalid", done.stderr)

    def test_locales_and_threads(self):
        require("gcc")
        if not RUNTIME:
            self.skipTest("skipped: this build has no collector")
        folder = fresh_folder(self.addCleanup)
        run(["gcc", "-g", "-O1", "-pg", WORK, "-o", "work"], folder)
        run([STATIC_SERVER, "record", f"--output={folder}", "--", "./work"], folder)
        reports = {run([server, "report", "-b", "work", "gmon.out"], folder, env={**os.environ, "LC_ALL": locale})
                   for server in (SERVER, STATIC_SERVER) for locale in ("C", "C.UTF-8", "no_SUCH")}
        self.assertEqual(len(reports), 1)
        (folder / "work.c").write_text(WORK.read_text())
        lenses = []
        for server in (SERVER, STATIC_SERVER):
            with Editor(folder, environment=own_environment(folder / "user"), opened=["work.c"], server=server,
                        settings={"programs": [{"executable": "work", "profiles": ["gmon.out"]}]}) as editor:
                editor.wait_for_loads(1)
                lenses.append(editor.lenses("work.c"))
        self.assertEqual(lenses[0], lenses[1])


if __name__ == "__main__":
    unittest.main()
