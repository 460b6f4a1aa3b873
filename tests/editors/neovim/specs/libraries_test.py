"""Time in libraries: a hover, in its window, names the functions that took it."""
import os

from profiled_program import Workspace, run
from session import SERVER, NeovimTest

LIBRARY_CALLS = """\
#include <stdio.h>
static char text[64];
int prints(int rounds) {
  int length = 0;
  for (int i = 0; i < rounds; i++)
    length += snprintf(text, sizeof text, "%d of %f", i, 0.37 * i); /* calls snprintf */
  return length;
}
int main(void) { return prints(900000) == 0; }
"""
MOVE = """
vim.api.nvim_create_autocmd('CursorMoved', { once = true, callback = function() vim.g.cursor_moved = true end })
vim.api.nvim_win_set_cursor(0, { ..., 4 })
"""
READ_FLOATS = """
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then
    return table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\\n')
  end
end
return ''
"""


class Libraries(NeovimTest):
    def setUp(self):
        super().setUp()
        if "GPROF_RUNTIME_LIBRARY" not in os.environ:
            self.skipTest("skipped: this build has no collector")
        self.workspace = Workspace(self.folder / "project")
        (self.workspace.directory / ".git").mkdir(parents=True)
        self.workspace.write("work.c", LIBRARY_CALLS)
        self.workspace.build(("work.c",), ("-O1", "-fno-builtin", "-fno-inline"))
        run([SERVER, "record", "--rate=1000", "--stacks", "--", "./program"],
            self.workspace.directory)
        self.neovim = self.open(self.workspace, "work.c")
        self.neovim.wait_until_at_rest()

    def hover(self, fragment):
        line = self.workspace.line_of("work.c", fragment)
        # Neovim reports CursorMoved only when idle, and that closes an open hover.
        self.neovim.lua(MOVE, line)
        self.neovim.wait_for(lambda: self.neovim.lua("return vim.g.cursor_moved"), bool, "CursorMoved")
        self.neovim.lua("vim.lsp.buf.hover()")
        return self.neovim.wait_for(lambda: self.neovim.lua(READ_FLOATS), lambda text: text,
                                    "a hover")

    def test_a_functions_hover_names_what_it_called(self):
        self.assertRegex(self.hover("int prints("),
                         r"Of the total, \d+(\.\d+)? m?s \(\d+(\.\d+)? %\) is in snprintf of libc\.")

    def test_a_lines_hover_names_what_it_called(self):
        self.assertRegex(self.hover("calls snprintf"),
                         r"Of that, \d+(\.\d+)? m?s is in snprintf of libc\.")
