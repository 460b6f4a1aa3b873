"""Windows programs in a workspace: they are found with their profiles, and shown like any other."""
import json
import os
import subprocess
import unittest

import gmon_files
from editor import Editor
from own_folders import fresh_folder, own_environment
from profiled_program import require, run

SERVER = os.environ.get("GPROF_LSP_SERVER")

SOURCE = """\
static int leaf(int n) {
  return n + 1;
}

int middle(int n) {
  return leaf(n) + 1;
}

int main(void) {
  return middle(1);
}
"""
LEAF, MIDDLE, MAIN = 1, 5, 9
CALL_OF_LEAF, CALL_OF_MIDDLE = 6, 10
COMPILERS = {"x86_64-w64-mingw32-gcc": (8, ""), "i686-w64-mingw32-gcc": (4, "_")}
# Where Windows may load a program: a multiple of 64 KiB away from where it was linked.
DISTANCE = 0x120000


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class WindowsPrograms(unittest.TestCase):
    def setUp(self):
        self.root = fresh_folder(self.addCleanup) / "work"
        self.root.mkdir()
        self.environment = own_environment(str(self.root.parent / "user"))

    def make(self, compiler, *flags, profile="gmon.out"):
        """prog.exe and a profile as the library of MinGW writes it: 60 calls of leaf, 30 of middle."""
        require(compiler, "nm", "objdump")
        size, prefix = COMPILERS[compiler]
        (self.root / "prog.c").write_text(SOURCE)
        run([compiler, "-g", "-O0", *flags, "prog.c", "-o", "prog.exe"], self.root)
        at = {}
        for line in run(["nm", "prog.exe"], self.root).splitlines():
            fields = line.split()
            if len(fields) == 3:
                at[fields[2]] = int(fields[0], 16) + DISTANCE
        leaf, middle, main = (at[prefix + name] for name in ("leaf", "middle", "main"))
        headers = run(["objdump", "-h", "prog.exe"], self.root).splitlines()
        text = next(line for line in headers if " .text " in line).split()
        low = int(text[3], 16) + DISTANCE
        high = low + int(text[2], 16) // 4 * 4
        bins = [0] * ((high - low) // 2)
        bins[(leaf + 4 - low) // 2] = 30
        bins[(middle + 4 - low) // 2] = 10
        arcs = [gmon_files.Arc(self.return_address("leaf", prefix), leaf, 60),
                gmon_files.Arc(self.return_address("middle", prefix), middle, 30)]
        histogram = gmon_files.Histogram(low, high, bins)
        (self.root / profile).write_bytes(gmon_files.bsd44_file(
            gmon_files.Layout(size, "little"), histogram, arcs))
        return main

    def return_address(self, callee, prefix):
        """After the only call of the function."""
        code = run(["objdump", "-d", "--no-show-raw-insn", "prog.exe"], self.root).splitlines()
        place = next(i for i, line in enumerate(code)
                     if "call" in line and line.endswith(f"<{prefix}{callee}>"))
        return int(code[place + 1].split(":")[0], 16) + DISTANCE

    def command(self, *words, status=0):
        done = subprocess.run([SERVER, *words], cwd=self.root, env=self.environment,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def test_lenses_hovers_and_calls(self):
        for compiler in COMPILERS:
            with self.subTest(compiler):
                self.make(compiler)
                with Editor(self.root, environment=self.environment, opened=["prog.c"]) as editor:
                    editor.wait_for_loads(1)
                    lenses = editor.lenses("prog.c")
                    self.assertEqual(lenses[LEAF], [
                        "60 calls · self 0.30 s (75 %) · total 0.30 s (75 %) · #1 by self time"])
                    self.assertTrue(lenses[MIDDLE][0].startswith("30 calls · self 0.10 s (25 %)"))
                    self.assertIn("60 calls", editor.hover("prog.c", LEAF, "leaf"))
                    item, callers, callees = editor.hierarchy("prog.c", MIDDLE, "middle")
                    self.assertEqual(item["name"], "middle")
                    self.assertEqual(callers["prog.c:main"][1], [CALL_OF_MIDDLE])
                    self.assertEqual(callees["prog.c:leaf"][1], [CALL_OF_LEAF])
                    self.assertEqual(editor.all_messages(), [])

    def test_check(self):
        """A program is found without a permission to execute it, which Windows' files do not have."""
        self.make("x86_64-w64-mingw32-gcc")
        (self.root / "prog.exe").chmod(0o644)
        lines = self.command("check").splitlines()
        self.assertIn("program: prog.exe", lines)
        self.assertIn("90 calls", "\n".join(lines))
        self.assertIn("1 in step with the program", "\n".join(lines))

    def test_libraries_are_no_programs(self):
        require("x86_64-w64-mingw32-gcc")
        self.make("x86_64-w64-mingw32-gcc", "-shared")
        (self.root / "prog.exe").rename(self.root / "prog.dll")
        self.assertNotIn("program: prog.dll", self.command("check", status=1))

    def test_export(self):
        self.make("i686-w64-mingw32-gcc")
        exported = json.loads(self.command("export", "--format=json", "prog.exe", "gmon.out"))
        self.assertIn("leaf", json.dumps(exported))

    def test_diff(self):
        self.make("x86_64-w64-mingw32-gcc")
        answer = json.loads(self.command("diff", "--json", "prog.exe", "gmon.out", "--",
                                         "prog.exe", "gmon.out"))
        self.assertIn("leaf", {function["linkageName"] for function in answer["functions"]})

    def test_a_build_id_is_that_of_the_program(self):
        """Debug information apart, as objcopy leaves it."""
        self.make("x86_64-w64-mingw32-gcc", "-Wl,--build-id")
        run(["objcopy", "--only-keep-debug", "prog.exe", "prog.debug"], self.root)
        run(["objcopy", "--strip-debug", "--add-gnu-debuglink=prog.debug", "prog.exe"], self.root)
        report = self.command("report", "-b", "-l", "-p", "prog.exe", "gmon.out")
        self.assertIn("leaf (prog.c:", report)
