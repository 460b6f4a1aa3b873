"""gprof's reports in scratch buffers: the very text, names that jump to code, and new texts after reruns."""
from session import FIGURES, SERVER, NeovimTest, since_0_10

from profiled_program import run

PLACE = "return { vim.fn.expand('%:t'), vim.fn.line('.'), vim.fn.line('$') }"


class ReportsTest(NeovimTest):
    def setUp(self):
        super().setUp()
        self.show_known_program()

    def printed(self, *options):
        """What `gprof-lsp report` prints, line by line."""
        text = run([SERVER, "report", "-b", *options, "program", "gmon.out"], self.workspace.directory)
        return text.removesuffix("\n").split("\n")

    def shown(self, command, wanted):
        self.neovim.command(command)
        return self.neovim.wait_for(self.neovim.line_texts, lambda lines: lines == wanted, command)

    def follow(self, word, keys="<CR>"):
        """Goes to a word of the report, and on to what it stands for."""
        self.neovim.lua("vim.fn.search(...)", word)
        self.neovim.keys(keys)

    def wait_for_place(self, file, line):
        self.neovim.wait_for(lambda: self.neovim.lua(PLACE)[:2], lambda place: place == [file, line],
                             f"line {line} of {file}")

    def test_flat_profile(self):
        self.shown("GprofFlat", self.printed("-p"))
        options = self.neovim.lua("return { vim.bo.buftype, vim.bo.modifiable, vim.bo.modified, vim.bo.swapfile, "
                                  "vim.bo.filetype, #vim.api.nvim_list_wins() }")
        self.assertEqual(["nofile", False, False, False, "gprofreport", 2], options)

    def test_call_graph_at_the_function_of_the_cursor(self):
        self.neovim.command("9")
        self.shown("GprofGraph", self.printed("-q"))
        line = self.neovim.wait_for(lambda: self.neovim.api.current.line,
                                    lambda text: text.startswith("["), "an entry")
        self.assertIn("middle", line)

    def test_annotated_source(self):
        self.shown("GprofAnnotate", self.printed("-Ahot.c:"))

    def test_annotated_source_of_a_named_file(self):
        self.neovim.command("enew")
        self.shown("GprofAnnotate hot.c", self.printed("-Ahot.c:"))

    def test_annotated_sources_of_all_files(self):
        self.shown("GprofAnnotate!", self.printed("-A"))

    def test_options(self):
        self.shown("GprofFlat -l", self.printed("-p", "-l"))
        self.shown("GprofFlat --error", self.printed("-p", "--error"))

    def test_a_name_leads_to_its_definition(self):
        self.shown("GprofFlat", self.printed("-p"))
        self.follow(r"\<middle\>")
        self.wait_for_place("hot.c", 5)
        # In the window that was there, and back by the jump list.
        self.assertEqual(2, self.neovim.lua("return #vim.api.nvim_list_wins()"))

    def test_a_name_leads_to_where_its_definition_is_now(self):
        self.neovim.keys("ggO/* above */<Esc>")
        self.neovim.wait_for_texts(lambda texts: 3 in texts)
        self.shown("GprofFlat", self.printed("-p"))
        self.follow(r"\<middle\>", "<C-]>")
        self.wait_for_place("hot.c", 6)

    def test_a_name_leads_to_a_file_that_is_not_open(self):
        self.shown("GprofFlat", self.printed("-p"))
        for hidden in ("hidden", "nohidden"):
            with self.subTest(hidden):
                self.neovim.command(f"set {hidden} | wincmd p | edit! notes.txt | call setline(1, 'words') | wincmd p")
                self.follow(r"\<middle\>")
                self.wait_for_place("hot.c", 5)
                self.assertEqual(["words"], self.neovim.lua(
                    "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, -1, false)"))
                self.neovim.wait_for_texts(lambda texts: texts.get(9) == FIGURES[9])
                self.neovim.command("only! | edit! hot.c")
                self.shown("GprofFlat", self.printed("-p"))

    def test_what_leads_nowhere_says_so(self):
        self.shown("GprofFlat", self.printed("-p"))
        self.neovim.keys("gg<CR>")
        self.neovim.wait_for(self.neovim.messages, lambda said: "nothing here leads to code" in said,
                             "messages")

    def test_names_are_underlined(self):
        self.shown("GprofFlat", self.printed("-p"))
        marked = self.neovim.lua("""
            local namespace, words = vim.api.nvim_get_namespaces()['gprof.report'], {}
            for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
              local line = vim.api.nvim_buf_get_lines(0, mark[2], mark[2] + 1, false)[1]
              table.insert(words, line:sub(mark[3] + 1, mark[4].end_col) .. ' ' .. mark[4].hl_group)
            end
            table.sort(words)
            return words
        """)
        self.assertEqual(["leaf GprofLink", "main GprofLink", "middle GprofLink"], marked)

    def test_a_rerun_renews_what_is_shown(self):
        first = self.shown("GprofFlat", self.printed("-p"))
        self.neovim.command("normal! G")
        self.workspace.make(scale=2)
        second = self.printed("-p")
        self.assertNotEqual(first, second)
        self.neovim.wait_for(self.neovim.line_texts, lambda lines: lines == second, "the report")
        self.assertEqual(len(second), self.neovim.lua(PLACE)[1])

    def test_a_rerun_renews_what_was_hidden(self):
        self.shown("GprofFlat", self.printed("-p"))
        self.neovim.command("close")
        self.workspace.make(scale=2)
        self.neovim.wait_for_texts(lambda texts: texts.get(8) == "→ 10.0k")
        self.shown("GprofFlat", self.printed("-p"))

    def test_read_again(self):
        lines = self.shown("GprofFlat", self.printed("-p"))
        self.neovim.command("edit")
        self.neovim.wait_for(self.neovim.line_texts, lambda found: found == lines, "the report")

    def test_one_window_for_all_reports(self):
        self.shown("GprofFlat", self.printed("-p"))
        self.neovim.command("wincmd p")
        self.shown("GprofGraph", self.printed("-q"))
        self.assertEqual(2, self.neovim.lua("return #vim.api.nvim_list_wins()"))
        self.neovim.command("wincmd p")
        self.shown("vertical GprofFlat", self.printed("-p"))
        self.assertEqual(3, self.neovim.lua("return #vim.api.nvim_list_wins()"))

    def test_entries_can_be_folded(self):
        self.shown("GprofGraph", self.printed("-q"))
        self.neovim.command("normal! zM")
        folds = self.neovim.lua("""
            local count, line = 0, 1
            while line <= vim.fn.line('$') do
              local last = vim.fn.foldclosedend(line)
              count, line = count + (last > 0 and 1 or 0), math.max(line, last) + 1
            end
            return count
        """)
        self.assertGreaterEqual(folds, 3)

    def test_no_profile(self):
        self.neovim.command("Gprof clear")
        self.neovim.wait_for_texts({})
        self.neovim.command("GprofFlat")
        lines = self.neovim.wait_for(self.neovim.line_texts, lambda lines: lines != [""], "the report")
        self.assertIn("There is no report", lines[0])

    @since_0_10
    def test_windows_of_code_keep_their_options(self):
        self.neovim.command("set wrap spell list")
        self.shown("GprofFlat", self.printed("-p"))
        self.assertEqual([False, False], self.neovim.lua("return { vim.wo.wrap, vim.wo.spell }"))
        self.neovim.command("edit hot.c")
        self.assertEqual([True, True, True],
                         self.neovim.lua("return { vim.wo.wrap, vim.wo.spell, vim.wo.list }"))
