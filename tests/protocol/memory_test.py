"""A reader of large profiles in little memory: it succeeds, or says that it cannot; what it does not
do is to print half of a report and end well, or to be killed."""
import os
import pathlib
import platform
import re
import resource
import shutil
import subprocess
import sys

import harness
from lsp_client import PATIENCE

GENERATOR = pathlib.Path(__file__).resolve().parents[1] / "bench" / "generate_program.py"
FUNCTIONS = 20_000
MEGABYTE = 1 << 20
SAYS_THAT_IT_CANNOT = "not enough memory"


def limited(limit):
    """Limits a process's data before it starts: allocations fail from there on."""
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


class Memory(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        if os.environ.get("GPROF_LSP_SANITIZED") == "1":
            self.skipTest("a sanitizer's shadow memory needs more than any limit leaves")
        if platform.machine() != "x86_64" or not (shutil.which("as") and shutil.which("gcc")):
            self.skipTest("programs are generated for x86-64, with as and gcc")
        subprocess.run([sys.executable, GENERATOR, "--functions", str(FUNCTIONS), "--files", "20",
                        "--output", self.folder], check=True)

    def run_in(self, limit, *words):
        return subprocess.run([harness.SERVER, *words, "program", "gmon.out"], cwd=self.folder,
                              capture_output=True, text=True, check=False,
                              preexec_fn=limited(limit * MEGABYTE))

    def test_a_report_is_whole_or_the_exit_status_says_so(self):
        for words in (("report", "-b"), ("report", "-b", "-l")):
            whole = self.run_in(4096, *words)
            self.assertEqual(0, whole.returncode, whole.stderr)
            outcomes = set()
            for limit in (12, 16, 24, 32, 48, 64, 96, 192):
                run = self.run_in(limit, *words)
                outcomes.add(run.returncode)
                with self.subTest(words=words, limit=limit):
                    if run.returncode == 0:
                        self.assertEqual(whole.stdout, run.stdout)
                    else:
                        self.assertEqual(1, run.returncode, run.stderr)
                        self.assertIn(SAYS_THAT_IT_CANNOT, run.stderr)
            self.assertEqual({0, 1}, outcomes, "limits on both sides were tried")

    def test_a_server_says_it_shows_what_it_has_and_goes_on(self):
        client = self.start("--stdio")
        small = self.folder / "small.c"
        small.write_text("int leaf(int n) { return n + 1; }\n"
                         "int main(void) { int n = 0; for (int i = 0; i < 9; ++i) n = leaf(n);"
                         " return n == 0; }\n")
        work = self.folder / "work"
        work.mkdir()
        subprocess.run(["gcc", "-g", "-pg", small, "-o", work / "small"], check=True)
        subprocess.run([work / "small"], check=True, cwd=work)
        client.settings = {"programs": [{"executable": str(work / "small"),
                                         "profiles": [str(work / "gmon.out")]}]}
        client.initialize(self.folder)

        def shown():
            programs = client.request("gprof/programs", {})["programs"]
            return [pathlib.Path(program["executable"]).name for program in programs]

        def execute(command, *arguments):
            client.request("workspace/executeCommand",
                           {"command": command, "arguments": list(arguments)})

        self.assertEqual(["small"], shown())
        status = pathlib.Path(f"/proc/{client.process.pid}/status").read_text()
        data = int(re.search(r"VmData:\s+(\d+) kB", status)[1]) * 1024
        limits = resource.prlimit(client.process.pid, resource.RLIMIT_DATA)

        def failures():
            return sum(SAYS_THAT_IT_CANNOT in params["message"]
                       for method, params in client.notifications if method == "window/showMessage")

        # What cannot be loaded is told again when the user asks again.
        ask = ("gprof.load", {"executable": str(self.folder / "program"),
                              "profiles": [str(self.folder / "gmon.out")]})
        failed = 0
        for more in (2, 4, 8, 12, 16, 24, 32):
            resource.prlimit(client.process.pid, resource.RLIMIT_DATA,
                             (data + more * MEGABYTE, limits[1]))
            before = failures()
            execute(*ask)
            ask = ("gprof.reload",)
            client.wait_until(lambda: failures() > before or "program" in shown(), PATIENCE,
                              "what came of the load")
            self.assertIn("small", shown())
            if "program" in shown():
                break
            failed += 1
        self.assertGreater(failed, 0)
        resource.prlimit(client.process.pid, resource.RLIMIT_DATA, limits)
        execute("gprof.reload")
        client.wait_until(lambda: "program" in shown(), PATIENCE, "the large program")
        self.assertEqual(0, client.shutdown())

    def test_an_export_says_it_too(self):
        run = self.run_in(6, "export", "--format", "callgrind")
        self.assertEqual(1, run.returncode, run.stderr)
        self.assertIn(SAYS_THAT_IT_CANNOT, run.stderr)


if __name__ == "__main__":
    harness.main()
