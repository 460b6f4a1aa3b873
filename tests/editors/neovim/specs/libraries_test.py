"""Time in libraries: hovers name the functions that took it, and lists lead to the lines that call them."""
import os
import re

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
READ_LIST = """
local list = vim.fn.getqflist({ title = 0, items = 0 })
return { list.title, vim.tbl_map(function(entry) return { entry.lnum, entry.text } end, list.items) }
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

    def list(self, command):
        self.neovim.lua("vim.fn.setqflist({}, 'f')")
        self.neovim.command(command)
        return self.neovim.wait_for(lambda: self.neovim.lua(READ_LIST), lambda found: found[0], command)

    def test_a_library_among_the_hot_spots_leads_to_the_call(self):
        _, entries = self.list("GprofHotspots!")
        line = self.workspace.line_of("work.c", "calls snprintf")
        of_libraries = [(at, text) for at, text in entries if re.search(r"^#\d+ .*\[libc\.so", text)]
        self.assertTrue(of_libraries, entries)
        at, text = of_libraries[0]
        self.assertEqual(line, at, entries)
        self.assertRegex(text, rf" · called at work\.c:{line}$")

    def test_the_callers_of_a_librarys_function_are_listed_at_its_name(self):
        line = self.workspace.line_of("work.c", "calls snprintf")
        text = self.workspace.path("work.c").read_text().splitlines()[line - 1]
        self.neovim.lua("vim.api.nvim_win_set_cursor(0, { ... })", line, text.index("snprintf"))
        title, entries = self.list("GprofCallers!")
        self.assertRegex(title, r"^Callers of snprintf \[libc\.so\.6\] · program$")
        self.assertEqual([line], [at for at, _ in entries])
        self.assertRegex(entries[0][1], r"^[\d.]+ .*m?s \([\d.]+ %\) measured · from prints$")
