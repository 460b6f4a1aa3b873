"""Builds the programs that runtime_bench.py measures. Keeps those newer than their sources."""

import json
import os
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
CALLEES = 3000
# glibc's collector reserves room for arcs in proportion to the code size: 3 % of its bytes.
BYTES_OF_CODE = 1 << 20


def many_callees_source():
    """One place that calls 3,000 functions, each of which calls two: 9,000 arcs."""
    lines = ["#include <stdio.h>", "#include <stdlib.h>",
             "#define FUNCTION __attribute__((noinline, noclone))",
             "FUNCTION int left(int n) { __asm__ volatile(\"\"); return n + 1; }",
             "FUNCTION int right(int n) { __asm__ volatile(\"\"); return n ^ 3; }"]
    lines += [f"FUNCTION int callee_{i}(int n) {{ return left(n) + right(n + {i}); }}"
              for i in range(CALLEES)]
    lines += ["static int (*const callees[])(int) = {"]
    lines += [f"  callee_{i}," for i in range(CALLEES)]
    lines += ["};", f"""
__asm__(".text\\n.skip {BYTES_OF_CODE}, 0xcc\\n");
FUNCTION unsigned call_all(unsigned sum) {{
  for (int i = 0; i < {CALLEES}; i++) sum = sum * 31 + (unsigned)callees[i]((int)(sum & 255));
  return sum;
}}
int main(int argument_count, char **arguments) {{
  unsigned sum = 0;
  for (int i = argument_count > 1 ? atoi(arguments[1]) : 0; i > 0; i--) sum = call_all(sum);
  printf("%u\\n", sum);
  return 0;
}}"""]
    return "\n".join(lines) + "\n"


class Programs:
    def __init__(self, folder, gcc, clang):
        self.folder = folder
        self.gcc = gcc
        self.clang = clang
        folder.mkdir(parents=True, exist_ok=True)
        self.many_callees = folder / "many_callees.c"
        source = many_callees_source()
        if not self.many_callees.exists() or self.many_callees.read_text() != source:
            self.many_callees.write_text(source)

    def build(self, name, source, *flags, compiler=None, coverage=(), libraries=()):
        """The path of the program. `coverage`: flags only for compiling; when linking with them,
        clang would add its own hooks."""
        source = source if isinstance(source, pathlib.Path) else HERE / source
        output = self.folder / name
        part = output.with_suffix(".o")
        compiler = compiler or self.gcc
        commands = [[compiler, "-g", "-c", *flags, *coverage, "-o", part, source],
                    [compiler, *flags, "-o", output, part, *libraries, "-pthread"]]
        commands = [[os.fspath(word) for word in command] for command in commands]
        text = json.dumps(commands)
        remembered = self.folder / f"{name}.commands"
        if not (output.exists() and remembered.exists() and remembered.read_text() == text and
                output.stat().st_mtime > source.stat().st_mtime):
            for command in commands:
                subprocess.run(command, check=True)
            remembered.write_text(text)
        return output

    def return_stub(self):
        return self.build("libreturn_stub.so", "return_stub.S", "-shared", "-nostdlib", "-fPIC")

    def traced(self, name, source, collector, *flags):
        """With gcc's -fsanitize-coverage; only the collector has its hook."""
        return self.build(name, source, *flags, coverage=["-fsanitize-coverage=trace-pc"],
                          libraries=[collector])

    def guarded(self, name, source, collector, *flags):
        """With clang's -fsanitize-coverage; None without clang."""
        if shutil.which(self.clang) is None:
            return None
        return self.build(name, source, *flags, compiler=self.clang, libraries=[collector],
                          coverage=["-fsanitize-coverage=bb,no-prune,trace-pc-guard,pc-table"])
