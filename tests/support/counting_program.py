"""A program that calls `leaf` as often as its command line says."""
import os
import tempfile

from profiled_program import Workspace, require, run

SOURCE = """\
#include <stdlib.h>

int leaf(int n) {
  return n + 1;
}

int main(int count, char **words) {
  int result = 0;
  for (int i = 0; i < atoi(words[count - 1]); ++i) result = leaf(result);
  return result < 0;
}
"""
NAME = "prog.c"
LEAF_LINE = 3


class CountingProgram(Workspace):
    """`name`, built from `folder`/prog.c into the same folder of the workspace. The program and its profiles appear
    there whole: how often a server looks does not depend on how long a busy machine takes to write them."""

    def __init__(self, directory, folder=".", name="prog"):
        super().__init__(directory)
        self.folder = self.directory / folder
        self.source = (self.folder / NAME).relative_to(self.directory).as_posix()
        self.program = self.folder / name
        self.write(self.source, SOURCE)

    @property
    def profile(self):
        return self.folder / "gmon.out"

    def compile(self, *flags):
        require("gcc")
        with tempfile.TemporaryDirectory(prefix="gprof-lsp-build-") as aside:
            run(["gcc", "-g", "-O0", "-pg", *flags, NAME, "-o", f"{aside}/{self.program.name}"], self.folder)
            self._take(aside)

    def run(self, calls, **environment):
        without_prefix = {k: v for k, v in os.environ.items() if k != "GMON_OUT_PREFIX"}
        with tempfile.TemporaryDirectory(prefix="gprof-lsp-run-") as aside:
            run([self.program, str(calls)], aside, env={**without_prefix, **environment})
            self._take(aside)

    def _take(self, folder):
        for name in os.listdir(folder):
            os.replace(f"{folder}/{name}", self.folder / name)

    def insert_lines(self, count=2):
        """Moves everything down and changes the code. Returns the line of leaf."""
        text = (self.folder / NAME).read_text()
        added = "".join(f"int added_{len(text)}_{i}(int n) {{ return n * {i} + {len(text)}; }}\n"
                        for i in range(count))
        (self.folder / NAME).write_text(added + text)
        return (self.folder / NAME).read_text().splitlines().index("int leaf(int n) {") + 1
