"""Annotations of programs in other languages, and of block counts."""
import re
import shutil
import struct
import unittest

from editor import Editor
from made_up_recording import remove_samples
from own_folders import fresh_folder
from profiled_program import Workspace, run

FORTRAN = """\
module geometry
contains
  subroutine Grow(x)
    integer, intent(inout) :: x
    x = x + 1
  end subroutine Grow
end module geometry

integer function outside(x)
  integer, intent(in) :: x
  outside = x * 2
end function outside

program main
  use geometry
  integer :: i, total, outside
  total = 0
  do i = 1, 25
    call Grow(total)
  end do
  do i = 1, 14
    total = total + outside(i)
  end do
  print *, total
end program main
"""

ADA = """\
with Ada.Text_IO;
procedure Work is
   package Counter is
      procedure Bump (X : in out Integer);
   end Counter;
   package body Counter is
      procedure Bump (X : in out Integer) is
      begin
         X := X + 1;
      end Bump;
   end Counter;
   Total : Integer := 0;
begin
   for I in 1 .. 33 loop
      Counter.Bump (Total);
   end loop;
   Ada.Text_IO.Put_Line (Integer'Image (Total));
end Work;
"""

D = """\
module work;
import core.stdc.stdio;
int twice(int x) { return x + x; }
struct Box { int value; int grow(int by) { value += by; return value; } }
extern (C) int main() {
  int total = 0;
  foreach (i; 0 .. 19) total += twice(i);
  Box box;
  foreach (i; 0 .. 8) total += box.grow(i);
  printf("%d\\n", total);
  return 0;
}
"""


class Languages(unittest.TestCase):
    def setUp(self):
        self.workspace = Workspace(fresh_folder(self.addCleanup))

    def lens_counts(self, editor, name):
        return {line: titles[0].split(" · ")[0] for line, titles in editor.lenses(name).items()}

    def test_fortran(self):
        self.workspace.write("work.f90", FORTRAN)
        self.workspace.build_and_run(("work.f90",), ("-O0",), compiler="gfortran")
        line = self.workspace.line_of
        with Editor(self.workspace.directory, opened=["work.f90"]) as editor:
            lenses = self.lens_counts(editor, "work.f90")
            self.assertEqual(lenses[line("work.f90", "  subroutine Grow")], "25 calls")
            self.assertEqual(lenses[line("work.f90", "integer function outside")], "14 calls")
            hints = editor.hints("work.f90")
            self.assertIn("→ geometry::grow 25×", hints[line("work.f90", "call Grow")])
            self.assertIn("→ outside 14×", hints[line("work.f90", "+ outside(i)")])
            _, callers, _ = editor.hierarchy("work.f90", line("work.f90", "  subroutine Grow"),
                                             "Grow")
            self.assertEqual([v[1] for v in callers.values()], [[line("work.f90", "call Grow")]])

    def test_ada(self):
        self.workspace.write("work.adb", ADA)
        directory = self.workspace.directory
        if not shutil.which("gnatmake"):
            self.skipTest("skipped: no gnatmake")
        run(["gnatmake", "-q", "-g", "-O0", "-pg", "work.adb", "-o", "program", "-largs", "-pg"],
            directory)
        self.workspace.execute()
        with Editor(directory, opened=["work.adb"]) as editor:
            bump = self.workspace.line_of("work.adb", "procedure Bump (X : in out Integer) is")
            self.assertEqual(self.lens_counts(editor, "work.adb")[bump], "33 calls")
            self.assertIn("33×", editor.hints("work.adb")[
                self.workspace.line_of("work.adb", "Counter.Bump (Total)")])

    def test_d(self):
        self.workspace.write("work.d", D)
        self.workspace.build_and_run(("work.d",), ("-O0",), compiler="gdc")
        line = self.workspace.line_of
        with Editor(self.workspace.directory, opened=["work.d"]) as editor:
            lenses = self.lens_counts(editor, "work.d")
            self.assertEqual(lenses[line("work.d", "int twice")], "19 calls")
            self.assertEqual(lenses[line("work.d", "int grow")], "8 calls")
            self.assertIn("→ Box.grow 8×", editor.hints("work.d")[line("work.d", "box.grow")])

    def test_block_counts_become_executions(self):
        """Blocks at known addresses: the largest of a line in an instance, summed over instances."""
        self.workspace.write("shared.h", "static int copy(int x) {\n  return x + 1;\n}\n")
        self.workspace.write("one.c", '#include "shared.h"\nint one(int x) { return copy(x); }\n')
        self.workspace.write(
            "main.c", '#include "shared.h"\nint one(int);\nint main(void) {\n'
                      "  return copy(one(-2));\n}\n")
        self.workspace.build_and_run(("main.c", "one.c"), ("-O0", "-no-pie"))
        remove_samples(self.workspace.path("gmon.out"))
        copies = [int(row.split()[0], 16) for row in
                  run(["nm", "program"], self.workspace.directory).splitlines()
                  if re.search(r" t copy$", row)]
        self.assertEqual(len(copies), 2)
        blocks = [(copies[0], 100), (copies[0] + 1, 40), (copies[1], 26212), (copies[1] + 1, 7)]
        record = struct.pack("<BI", 2, len(blocks))
        record += b"".join(struct.pack("<QQ", *block) for block in blocks)
        with open(self.workspace.path("gmon.out"), "ab") as profile:
            profile.write(record)
        with Editor(self.workspace.directory, opened=["shared.h"]) as editor:
            self.assertTrue(editor.hints("shared.h")[1].startswith("26.3k×"))
            self.assertIn("Executed 26,312 times.", editor.hover("shared.h", 1, "copy"))
