"""`:Gprof attach`: a process that runs already is sampled, and its profile is shown."""
import os
import re
import subprocess
import unittest

from profiled_program import Workspace, require, run
from session import SERVER, VERSION, NeovimTest

# Spins until it is told to stop, and says what its process is called.
PROGRAM = """\
#include <poll.h>
#include <stdio.h>
#include <unistd.h>
volatile unsigned sink;
__attribute__((noinline)) void spin(void) {
  for (int i = 0; i < 100000; i++) sink = sink * 5 + 1; /* spins */
}
int main(void) {
  struct pollfd input = {0, POLLIN, 0};
  printf("%d\\n", getpid());
  fflush(stdout);
  while (poll(&input, 1, 0) == 0) spin();
  return 0;
}
"""
CHOOSE = """
vim.ui.select = function(choices, options, on_choice)
  vim.g.offered = options.format_item(choices[1])
  on_choice(choices[1])
end
"""


class Attach(NeovimTest):
    def setUp(self):
        super().setUp()
        require("gcc")
        self.workspace = Workspace(self.folder / "project")
        (self.workspace.directory / ".git").mkdir(parents=True)
        self.workspace.write("main.c", PROGRAM)
        run(["gcc", "-g", "-O1", "main.c", "-o", "spinner"], self.workspace.directory)
        self.process = subprocess.Popen([self.workspace.path("spinner")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (self.process.kill(), self.process.communicate()))
        self.assertEqual(int(self.process.stdout.readline()), self.process.pid)
        tried = subprocess.run([SERVER, "record", f"--pid={self.process.pid}", "--time=0.1", f"--output={self.folder}"],
                               capture_output=True, text=True, check=False)
        if "cannot be sampled" in tried.stderr:
            self.skipTest(f"skipped: {tried.stderr.strip()}")
        self.neovim = self.open(self.workspace, "main.c", CHOOSE)

    def shown(self):
        self.neovim.wait_for(self.neovim.messages, lambda text: re.search(r"spinner: .* s CPU (of|in) ", text),
                             "what was sampled")
        line = self.workspace.line_of("main.c", "/* spins */")
        self.neovim.wait_for_texts(lambda texts: "%" in texts.get(line, ""))

    def recordings(self):
        state = self.home / ("state" if VERSION >= (0, 8) else "data") / "nvim" / "gprof" / "recordings"
        return sorted(path.name for path in state.glob("*/*/*"))

    def test_a_process_by_its_number(self):
        self.neovim.command(f"Gprof attach {self.process.pid} 1")
        self.shown()
        self.assertIn("perf.data", self.recordings())
        self.assertEqual(sorted(os.listdir(self.workspace.directory)), [".git", "main.c", "spinner"])
        self.assertIsNone(self.process.poll())
        _, errors = self.process.communicate("\n")
        self.assertEqual((self.process.returncode, errors), (0, None))

    def test_a_process_of_the_workspace_is_offered_first(self):
        # It ends by CTRL-C in its terminal.
        self.neovim.command("Gprof attach")
        self.assertEqual(self.neovim.lua("return vim.g.offered"),
                         f"spinner (process {self.process.pid}): {self.workspace.path('spinner')}")
        # Before the recorder has begun its file, it would keep nothing.
        self.neovim.wait_for(self.recording_begins, bool, "the recording")
        self.neovim.lua("""
          for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
            if vim.bo[buffer].buftype == 'terminal' then
              vim.defer_fn(function() vim.fn.chansend(vim.bo[buffer].channel, '\\3') end, 700)
            end
          end""")
        self.shown()

    def recording_begins(self):
        return any(name.endswith(".tmp") for name in self.recordings())

    def test_what_is_wrong_is_said(self):
        self.neovim.refuses("Gprof attach x", "takes the number of a process")
        self.process.communicate("\n")
        number = self.process.pid
        self.neovim.refuses(f"Gprof attach {number}", f"no process of yours has the number {number}")
        self.assertEqual(self.recordings(), [])


if __name__ == "__main__":
    unittest.main()
