"""What one server made of a large program is what the next one shows, and is only believed where
nothing has changed."""
import concurrent.futures
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import threading
import time

import harness
from editor import Editor

GENERATOR = pathlib.Path(__file__).resolve().parents[1] / "bench" / "generate_program.py"
FUNCTIONS = 2500


class SecondStart(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        if platform.machine() != "x86_64" or not (shutil.which("as") and shutil.which("gcc")):
            self.skipTest("programs are generated for x86-64, with as and gcc")
        subprocess.run([sys.executable, GENERATOR, "--functions", str(FUNCTIONS), "--files", "10",
                        "--output", self.folder], check=True)
        self.sources = sorted(source.name for source in self.folder.glob("file_*.c"))
        time.sleep(0.2)  # what was written a moment ago is not kept
        self.settings = {"programs": [{"executable": str(self.folder / "program"),
                                       "profiles": [str(self.folder / "gmon.out")]}],
                         # A lens for each function, whether or not it was called.
                         "codeLens": {"threshold": 0}}

    def indexes(self):
        """The program's and the snapshot's."""
        return sorted((pathlib.Path(os.environ["XDG_CACHE_HOME"]) / "gprof-lsp" / "indexes")
                      .glob("*.index"))

    def all_answers(self):
        """The answers of a new server, which ends once its index is written."""
        source = self.sources[7]
        with Editor(self.folder, self.settings, environment=dict(os.environ)) as editor:
            editor.open(source)
            lines = (self.folder / source).read_text().splitlines()
            first = next(i for i, line in enumerate(lines, 1) if "(" in line)
            editor.wait_for_lens(source, first, "")
            name = lines[first - 1].split("(")[0].split()[-1]
            answers = (editor.lenses(source), editor.hints(source), editor.hover(source, first, name),
                       editor.hierarchy(source, first, name))
            editor.settle()
            return answers

    def test_the_second_server_answers_as_the_first(self):
        first = self.all_answers()
        kept = self.indexes()
        self.assertEqual(2, len(kept))
        numbers = [path.stat().st_ino for path in kept]
        self.assertEqual(first, self.all_answers())
        # They were read, and not written again.
        self.assertEqual(numbers, [path.stat().st_ino for path in self.indexes()])

    def test_damage_is_not_seen(self):
        first = self.all_answers()
        for kept in self.indexes():
            whole = bytearray(kept.read_bytes())
            whole[len(whole) // 2] ^= 1
            kept.write_bytes(whole)
            self.assertEqual(first, self.all_answers())
            self.assertNotEqual(bytes(whole), kept.read_bytes())

    def test_several_servers_at_once_share_one_index(self):
        # All of them find none, and all of them write it.
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            first = [answers.result() for answers in
                     [pool.submit(self.all_answers) for _ in range(4)]]
        self.assertEqual(2, len(self.indexes()))
        # All of them read both, while these are replaced by the same and by damage.
        contents = {path: path.read_bytes() for path in self.indexes()}
        ended = threading.Event()

        def disturb():
            turn = 0
            while not ended.wait(0.02):
                turn += 1
                for kept, whole in contents.items():
                    written = kept.with_suffix(".new")
                    written.write_bytes(whole if turn % 2 else whole[:turn * 997 % len(whole)])
                    written.rename(kept)

        disturber = threading.Thread(target=disturb)
        disturber.start()
        try:
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                second = [answers.result() for answers in
                          [pool.submit(self.all_answers) for _ in range(8)]]
        finally:
            ended.set()
            disturber.join()
        for answers in first[1:] + second:
            self.assertEqual(first[0], answers)

    def test_another_profile_is_another_answer(self):
        self.all_answers()
        self.assertEqual(2, len(self.indexes()))
        data = bytearray((self.folder / "gmon.out").read_bytes())
        stamp = (self.folder / "gmon.out").stat()
        data[-4:] = (812_345_678).to_bytes(4, "little")  # the count of the last arc
        (self.folder / "gmon.out").write_bytes(data)
        # Not even where it has the old one's time.
        os.utime(self.folder / "gmon.out", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        with Editor(self.folder, self.settings, environment=dict(os.environ)) as editor:
            found = False
            for source in sorted(self.folder.glob("file_*.c")):
                editor.open(source.name)
                if not found:
                    line = next(i for i, text in enumerate(source.read_text().splitlines(), 1)
                                if "(" in text)
                    editor.wait_for_lens(source.name, line, "")
                found = found or re.search(r"\b81\d(\.\d+)?M", str(editor.lenses(source.name)))
            self.assertTrue(found)
