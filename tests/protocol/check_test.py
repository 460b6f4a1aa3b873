"""`gprof-lsp check`: what it prints is what the server would do, and the exit status says so."""
import json
import os
import subprocess
import time
import unittest

from counting_program import CountingProgram
from editor import Editor
from own_folders import fresh_folder, own_environment
from profiled_program import run
from tested_build import needs_collector

SERVER = os.environ.get("GPROF_LSP_SERVER")


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class Check(unittest.TestCase):
    def setUp(self):
        self.root = fresh_folder(self.addCleanup) / "work"
        self.root.mkdir()
        self.environment = own_environment(str(self.root.parent / "user"))

    def check(self, *words, status=0, directory=None):
        done = subprocess.run([SERVER, "check", *map(str, words)], cwd=directory or self.root,
                              env=self.environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr if status == 2 else done.stdout

    def program(self, calls=10):
        program = CountingProgram(self.root)
        program.compile()
        program.run(calls)
        return program

    def test_a_program(self):
        self.program()
        lines = self.check().splitlines()
        self.assertEqual(lines[0], f"workspace: {self.root}")
        self.assertIn("program: prog", lines)
        text = "\n".join(lines)
        self.assertRegex(text, r"(?m)^  profile: gmon\.out, .* ago, [\d,]+ bytes$|just now")
        self.assertRegex(text, r"(?m)^  10 calls, (\d+ samples? \(|no samples$)")
        self.assertRegex(text, r"sources in the workspace: 1 in step with the program, 0 changed")
        self.assertIn("watched: prog", lines)
        self.assertEqual(lines[-1],
                         "1 program and 0 libraries would be shown: 0 errors, 0 warnings")

    def threaded(self):
        """A program that can start threads, and does not, so that no call is lost."""
        (self.root / "threads.c").write_text(
            "#include <pthread.h>\n"
            "void* work(void* data) { return data; }\n"
            "int main(int argc, char** argv) {\n"
            "  (void)argv;\n"
            "  pthread_t thread;\n"
            "  if (argc > 1) pthread_create(&thread, 0, work, 0);\n"
            "  return work(0) != 0;\n"
            "}\n")
        run(["gcc", "-g", "-pg", "-pthread", "threads.c", "-o", "threads"], self.root)

    def test_threads_under_the_c_library_s_collector(self):
        self.threaded()
        run(["./threads"], self.root)
        warning = (r"warning: .*gmon\.out: calls may be missing: threads can start threads \(pthread_create\), "
                   r"and the C library's collector loses calls .* gprof-lsp record counts them all\.")
        self.assertRegex(self.check(), warning)
        # From the index as well.
        self.assertRegex(self.check(), warning)
        with Editor(self.root, environment=self.environment, opened=["threads.c"]) as editor:
            self.assertIn("Calls of threads may be missing", editor.hover("threads.c", 2, "work"))
            editor.wait_for_message("calls may be missing")
            self.assertEqual(len(editor.all_messages()), 1)

    @needs_collector
    def test_threads_under_our_collector(self):
        self.threaded()
        # Without samples there is no warning about how they were taken.
        run([SERVER, "record", "--rate=0", "--", "./threads"], self.root)
        self.assertNotIn("may be missing", self.check())
        with Editor(self.root, environment=self.environment, opened=["threads.c"]) as editor:
            self.assertNotIn("may be missing", editor.hover("threads.c", 2, "work"))
            self.assertEqual(editor.all_messages(), [])

    def test_the_directory_may_be_named(self):
        # Of last year: the age that is told does not change between two calls.
        for file in (self.program().profile, self.root / "prog"):
            os.utime(file, (time.time() - 400 * 24 * 3600,) * 2)
        self.assertEqual(self.check(self.root, directory="/").splitlines()[1:],
                         self.check().splitlines()[1:])

    def test_other_profiles(self):
        program = self.program(11)
        program.profile.rename(self.root / "gmon.out.1")
        os.utime(self.root / "gmon.out.1", (1_000_000_000, 1_000_000_000))
        program.run(12)
        text = self.check()
        self.assertIn("  12 calls", text)
        self.assertIn("  could be chosen: gmon.out.1, ", text)

    def test_a_changed_source(self):
        program = self.program()
        self.check()
        program.insert_lines()
        self.assertIn("0 in step with the program, 1 changed, 0 changed beyond", self.check())
        (self.root / "prog.c").unlink()
        self.assertIn("0 in step with the program, 0 changed, 0 changed beyond recognition, "
                      "1 missing", self.check())

    def test_nothing_there(self):
        lines = self.check(status=1).splitlines()
        self.assertTrue(any(line.startswith("note: No profile found") for line in lines), lines)
        self.assertEqual(lines[-1],
                         "0 programs and 0 libraries would be shown: 0 errors, 0 warnings")

    def test_damage(self):
        self.program()
        whole = (self.root / "gmon.out").read_bytes()
        (self.root / "gmon.out").write_bytes(whole[:50])
        configuration = self.root / "settings.json"
        configuration.write_text(json.dumps({"programs": [
            {"executable": "prog", "profiles": ["gmon.out"]}]}))
        text = self.check("--config", configuration, status=1)
        self.assertRegex(text, r"(?m)^error: .*gmon\.out: ")
        self.assertIn("1 error, 0 warnings", text)

    def test_settings(self):
        program = self.program()
        program.profile.rename(self.root / "elsewhere.out")
        configuration = self.root / "settings.json"
        configuration.write_text(json.dumps({"gprof": {"treshold": 1, "programs": [
            {"executable": "prog", "profiles": ["elsewhere.*"]}]}}))
        text = self.check(f"--config={configuration}")
        self.assertIn("  profile: elsewhere.out, ", text)
        self.assertRegex(text, r"(?m)^warning: .*settings\.json: .*treshold")
        self.assertIn("0 errors, 1 warning", text.splitlines()[-1])
        self.assertIn("watched: elsewhere.*", text)
        configuration.write_text("no JSON")
        self.assertIn("error: ", self.check(f"--config={configuration}", status=1))

    def test_usage(self):
        self.assertIn("--no-such", self.check("--no-such", status=2))
        self.assertIn("only one directory", self.check(".", "..", status=2))
        self.assertIn("--config needs", self.check("--config", status=2))
        self.assertIn("not a readable directory", self.check("missing", status=2))
        self.assertIn("Usage: gprof-lsp check", self.check("--help"))
