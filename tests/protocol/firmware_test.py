"""Firmware in an editor: its functions show the times and calls that the report of its board's gprof has."""
import re
import unittest

from editor import Editor
from firmware import BOARDS, FirmwareTest, renamed, seconds_of
from own_folders import fresh_folder


class Firmware(FirmwareTest):
    @classmethod
    def setUpClass(cls):
        cls.directory = fresh_folder(cls.addClassCleanup)

    def test_lenses_have_the_figures_of_the_report(self):
        for board in BOARDS:
            with self.subTest(board=board.name):
                folder = self.folder_of(board)
                program = "program" if board.has_text else renamed(board, folder, board.code[-1])
                flat = self.judge(board, "-b", "-p", program, "gmon.out").stdout.decode()
                if not board.has_text:
                    (folder / program).unlink()
                source = (folder / "work.c").read_text().splitlines()
                with Editor(folder, opened=["work.c"]) as editor:
                    editor.refreshes()
                    lenses = editor.lenses("work.c")
                compared = 0
                for function, seconds in seconds_of(flat).items():
                    line = next((number for number, text in enumerate(source, 1)
                                 if re.search(rf"\b{re.escape(function.split()[0])}\([^;]*\) \{{$", text)), None)
                    if line is None or seconds == 0:
                        continue
                    title = lenses[line][0]
                    # Figures of few samples have fewer digits in a lens.
                    shown = re.search(r"self ([\d.]+) (m?)s", title)
                    self.assertIsNotNone(shown, title)
                    self.assertAlmostEqual(float(shown[1]) / (1000 if shown[2] else 1), seconds, delta=0.0101, msg=title)
                    compared += 1
                self.assertGreater(compared, 0)


if __name__ == "__main__":
    unittest.main()
