"""What stands behind lines and in the sign column, and how it is coloured."""
import os
import unicodedata

from session import FIGURES, SUMMARIES, NeovimTest, since_0_10

# One screen line of each kind: blanks, tabs, characters of two cells, combining ones.
WIDE = """\
/* 漢字 wide */
\tint tabs; /* é */
int zwölf;
"""


def cells(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


class AnnotationsTest(NeovimTest):
    def shown(self, settings="", **options):
        """A Neovim that shows the known program."""
        neovim = self.open(self.known_program(), settings=settings, **options)
        neovim.wait_for_texts(lambda texts: texts)
        neovim.wait_until_at_rest()
        return neovim

    def columns(self, neovim):
        """Line -> the cell at which its figures begin."""
        width = {line: neovim.api.funcs.strdisplaywidth(text)
                 for line, text in enumerate(neovim.line_texts(), 1)}
        return {line: width[line] + 1 + mark.margin for line, mark in neovim.marks().items()}

    def test_nothing_but_the_runtimepath(self):
        neovim = self.shown()
        self.assertEqual(FIGURES, neovim.texts())
        self.assertEqual(SUMMARIES, neovim.summaries())
        self.assertEqual("", neovim.messages())

    def test_at_line_ends_in_one_column(self):
        neovim = self.shown()
        self.assertEqual({"eol"}, {mark.position for mark in neovim.marks().values()})
        columns = self.columns(neovim)
        self.assertEqual(1, len(set(columns.values())), columns)
        longest = max(map(len, neovim.line_texts()))
        self.assertGreater(min(columns.values()), longest)
        # The time begins, or would begin, in the same cell of each text.
        ends = {mark.chunks[1][0].index(" s") for mark in neovim.marks().values()
                if " s" in mark.text}
        self.assertEqual(1, len(ends), ends)

    def test_wide_characters_and_tabs(self):
        workspace = self.known_program()
        source = workspace.path("hot.c")
        text = source.read_text().replace("  total += middle(1); /*", "\ttotal += middle(1); /* 漢字é")
        source.write_text(WIDE + text)
        workspace.make()
        neovim = self.open(workspace)
        neovim.wait_for_texts(lambda texts: len(texts) == len(FIGURES))
        columns = self.columns(neovim)
        wide = workspace.line_of("hot.c", "漢字é")
        # It is far longer than the others.
        width = neovim.lua(f"return vim.fn.strdisplaywidth(vim.fn.getline({wide}))")
        self.assertEqual(width + 2, columns.pop(wide))
        self.assertEqual(1, len(set(columns.values())), columns)

    def test_the_cursors_line_alone(self):
        first, second, *_ = sorted(FIGURES)
        neovim = self.open(self.known_program(), settings="require('gprof').setup({ annotations = { lines = 'cursor' } })")
        neovim.wait_for_lua("return require('gprof.annotations').of(vim.api.nvim_get_current_buf()) ~= nil")
        for line in (first, second, first):
            neovim.command(str(line))
            neovim.wait_for_texts({line: FIGURES[line]})
        # What a function's lens would say is no figure of a line, and neither are signs.
        self.assertEqual(SUMMARIES, neovim.summaries())
        neovim.command("1")
        neovim.wait_for_texts({line: text for line, text in FIGURES.items() if line == 1})

    def test_while_a_key_is_held(self):
        neovim = self.open(self.known_program(), settings="require('gprof').setup({ annotations = { lines = 'held' } })")
        neovim.wait_for(neovim.summaries, lambda found: found == SUMMARIES, "what stands behind functions")
        self.assertEqual({}, neovim.texts())

        def held():
            neovim.command("Gprof peek")
            return neovim.texts()

        neovim.wait_for(held, lambda texts: texts == FIGURES, "figures while the key is held")
        neovim.wait_for_texts({})

    def test_none_while_inserting(self):
        neovim = self.shown("require('gprof').setup({ annotations = { inserting = false } })")
        neovim.keys("i")
        neovim.wait_for_texts({})
        neovim.keys("<Esc>")
        neovim.wait_for_texts(FIGURES)

    def test_a_long_line_has_its_figures_behind_its_end(self):
        workspace = self.known_program()
        source = workspace.path("hot.c")
        source.write_text(source.read_text().replace("leaf's body", "leaf's body" + "!" * 120))
        workspace.make()
        neovim = self.open(workspace)
        neovim.wait_for_texts(lambda texts: texts)
        columns = self.columns(neovim)
        self.assertEqual(len(neovim.line_texts()[1]) + 2, columns.pop(2))
        self.assertEqual(1, len(set(columns.values())), columns)
        self.assertLessEqual(max(columns.values()), 80)

    def test_nothing_stands_beyond_the_window(self):
        neovim = self.shown()
        whole = neovim.texts()
        for room in (100, 70, 50, 40, 25, 12):
            neovim.command(f"set columns={room}")
            within = neovim.wait_for(lambda: self.ends(neovim), lambda ends: max(ends.values(), default=0) <= room,
                                     f"figures within {room} columns")
            if room >= 70:
                self.assertIn(2, within, "its share and time fit")
            for line, text in neovim.texts().items():
                self.assertTrue(set(text.split()) <= set(whole[line].split()), text)
        self.assertEqual({}, neovim.texts())
        neovim.command("set columns=300")
        neovim.wait_for_texts(whole)
        neovim.command("vsplit | vertical resize 50")
        neovim.wait_for(lambda: self.ends(neovim), lambda ends: max(ends.values()) <= 50, "figures for the narrower")

    @staticmethod
    def ends(neovim):
        """Line -> the column in which its figures end."""
        texts = neovim.line_texts()
        return {line: len(texts[line - 1]) + 1 + sum(len(chunk[0]) for chunk in mark.chunks)
                for line, mark in neovim.marks().items() if mark.chunks}

    def test_figures_never_begin_behind_the_column_of_the_settings(self):
        neovim = self.shown("require('gprof').setup { annotations = { column = 20 } }")
        widths = {line: len(text) for line, text in enumerate(neovim.line_texts(), 1)}
        self.assertEqual({line: max(20, widths[line] + 2) for line in neovim.marks()},
                         self.columns(neovim))

    def test_colours_follow_heat(self):
        marks = self.shown().marks()
        self.assertEqual({2: ["GprofHeat5"], 7: ["GprofCold"], 8: ["GprofCold"], 9: ["GprofHeat4"],
                          14: ["GprofCold"], 15: ["GprofCold"], 16: ["GprofHeat2"],
                          **{line: ["GprofFunction"] for line in SUMMARIES}},
                         {line: mark.groups for line, mark in marks.items()})

    @since_0_10
    def test_signs_follow_heat(self):
        marks = self.shown().marks()
        self.assertEqual({2: ("▎ ", "GprofSign5"), 9: ("▎ ", "GprofSign4"), 16: ("▎ ", "GprofSign2")},
                         {line: (mark.sign, mark.sign_group) for line, mark in marks.items()
                          if mark.sign})

    @since_0_10
    def test_other_signs_or_none(self):
        self.assertEqual({"##"}, {mark.sign for mark in self.shown(
            "require('gprof').setup { annotations = { sign_text = '##' } }").marks().values()} - {""})

    @since_0_10
    def test_without_signs(self):
        neovim = self.shown("require('gprof').setup { annotations = { signs = false } }")
        self.assertEqual({""}, {mark.sign for mark in neovim.marks().values()})
        self.assertEqual(FIGURES, neovim.texts())

    def resolved(self, neovim, group):
        """The name of the group that the highlight group ends at."""
        return neovim.api.funcs.synIDattr(
            neovim.api.funcs.synIDtrans(neovim.api.funcs.hlID(group)), "name")

    def test_groups_link_to_standard_ones(self):
        neovim = self.shown()
        groups = neovim.lua("return require('gprof.annotations.highlights').groups")
        self.assertGreaterEqual(len(groups), 12)
        for name, *_ in groups:
            resolved = self.resolved(neovim, name)
            self.assertFalse(resolved.startswith("Gprof"), f"{name} ends at {resolved!r}")
            self.assertNotEqual("", resolved, name)

    def test_groups_can_be_overridden(self):
        neovim = self.shown("vim.cmd('highlight link GprofHeat5 ErrorMsg')")
        self.assertEqual("ErrorMsg", self.resolved(neovim, "GprofHeat5"))
        self.assertEqual("ErrorMsg", self.resolved(neovim, "GprofSign5"))
        neovim.command("highlight GprofHeat4 guifg=#123456 ctermfg=3")
        neovim.command("colorscheme blue")
        self.assertNotEqual("", self.resolved(neovim, "GprofHeat2"))
        self.assertFalse(self.resolved(neovim, "GprofHeat2").startswith("Gprof"))

    def test_without_errors(self):
        neovim = self.shown("require('gprof').setup { annotations = { errors = false } }")
        self.assertEqual("60 %   0.60 s   30.0k×", neovim.texts()[2])

    def test_without_functions(self):
        neovim = self.shown("require('gprof').setup { annotations = { functions = false } }")
        self.assertEqual({}, neovim.summaries())
        self.assertEqual(FIGURES, neovim.texts())

    def test_by_calls(self):
        neovim = self.shown("require('gprof').setup { settings = { metric = 'calls' } }")
        texts = neovim.texts()
        self.assertEqual("→ 15.0k", texts[7])
        self.assertEqual(["GprofHeat5"], neovim.marks()[7].groups)

    def test_by_total_time(self):
        neovim = self.shown("require('gprof').setup { settings = { metric = 'total' } }")
        texts = neovim.texts()
        # What the line took itself is sampled; what its callees took is an estimate and says so.
        self.assertEqual("60 %  0.60 ±0.08 s   30.0k×", texts[2])
        self.assertEqual("30 %       ≈0.30 s   15.0k×", texts[7])
        self.assertEqual("76 %       ≈0.76 s    → 100", texts[14])

    def test_above_a_threshold(self):
        neovim = self.shown("require('gprof').setup { settings = { threshold = 0.5 } }")
        self.assertEqual({line: text for line, text in FIGURES.items() if line not in (9, 16)},
                         neovim.texts())

    def test_settings_of_a_variable(self):
        neovim = self.shown("vim.g.gprof = { annotations = { errors = false } }")
        self.assertEqual("60 %   0.60 s   30.0k×", neovim.texts()[2])

    def test_a_function_whose_body_changed_says_so(self):
        neovim = self.shown()
        neovim.keys("8Gdd")
        summaries = neovim.wait_for(neovim.summaries, lambda said: "changed" in said.get(5, ""),
                                    "summaries")
        self.assertEqual({1: SUMMARIES[1], 5: SUMMARIES[5] + " · changed since the build",
                          11: SUMMARIES[12]}, summaries)
        neovim.keys("u")
        neovim.wait_for(neovim.summaries, lambda said: said == SUMMARIES, "summaries")

    def test_a_single_sample_is_as_large_as_its_error(self):
        workspace = self.known_program()
        workspace.make(ticks=(("leaf's body", 60), ("middle's end", 1)))
        neovim = self.open(workspace)
        self.assertEqual("1.6 %  0.01 ±0.01 s", neovim.wait_for_texts(lambda texts: texts)[9])


class FilesTest(NeovimTest):
    """Texts that Neovim does not keep as they are on the disk."""

    def rewritten(self, change):
        """The program, built of a source whose bytes were changed."""
        workspace = self.known_program()
        source = workspace.path("hot.c")
        source.write_bytes(change(source.read_bytes()))
        workspace.make()
        return self.open(workspace)

    def test_lines_that_end_as_on_windows(self):
        neovim = self.rewritten(lambda data: data.replace(b"\n", b"\r\n"))
        self.assertEqual("dos", neovim.lua("return vim.bo.fileformat"))
        neovim.wait_for_texts(FIGURES)
        neovim.keys("ggO/* above */<Esc>")
        neovim.wait_for_texts({line + 1: text for line, text in FIGURES.items()})

    def test_no_end_of_the_last_line(self):
        neovim = self.rewritten(lambda data: data.rstrip(b"\n"))
        neovim.wait_for_texts(FIGURES)
        neovim.keys("Goint more;<Esc>")
        neovim.wait_until_at_rest()
        self.assertEqual(FIGURES, neovim.texts())

    def test_a_mark_of_byte_order(self):
        neovim = self.rewritten(lambda data: b"\xef\xbb\xbf" + data)
        neovim.wait_for_texts(FIGURES)

    def test_another_encoding(self):
        """What Neovim tells the server is another text than the compiler has seen, in one line."""
        workspace = self.known_program()
        source = workspace.path("hot.c")
        source.write_bytes(source.read_bytes().replace(b"int sum = 0;", b"int sum = 0; /* \xe4\xf6 */"))
        past = workspace.path("program").stat().st_mtime - 60
        os.utime(source, (past, past))
        neovim = self.open(workspace)
        self.assertEqual("latin1", neovim.lua("return vim.bo.fileencoding"))
        texts = neovim.wait_for_texts(lambda texts: texts.get(2) == FIGURES[2])
        self.assertEqual(FIGURES, {line: text for line, text in texts.items() if line != 6})


class NoDataTest(NeovimTest):
    def test_a_file_without_profile(self):
        workspace = self.known_program()
        workspace.write("cold.c", "int cold(void) {\n  return 1;\n}\n")
        neovim = self.open(workspace)
        neovim.wait_for_texts(FIGURES)
        neovim.edit("cold.c")
        neovim.wait_for_lua("return require('gprof.annotations').of(0) ~= nil "
                            "or require('gprof.annotations').of(vim.api.nvim_get_current_buf()) ~= nil")
        neovim.wait_until_at_rest()
        self.assertEqual({}, neovim.marks())
        self.assertNotIn("gprof", neovim.messages())

    def test_a_workspace_without_profile(self):
        folder = self.folder / "empty"
        folder.mkdir()
        (folder / "new.c").write_text("int main(void) { return 0; }\n")
        neovim = self.start(folder, words=["new.c"])
        neovim.wait_for_lua("return #vim.tbl_filter(function(client) return client.name == 'gprof' end, "
                            "(vim.lsp.get_clients or vim.lsp.get_active_clients)()) == 1")
        neovim.wait_until_at_rest()
        self.assertEqual({}, neovim.marks())
        self.assertEqual("", neovim.messages())
        self.assertEqual("gprof: no profile", neovim.lua("return require('gprof').statusline()"))

    def test_another_file_type(self):
        workspace = self.known_program()
        workspace.write("notes.txt", "leaf\n")
        neovim = self.start(workspace.directory, words=["notes.txt"])
        self.assertEqual([], neovim.servers())
        self.assertEqual("", neovim.messages())
        self.assertEqual("", neovim.lua("return require('gprof').statusline()"))
        neovim.edit("hot.c")
        neovim.wait_for_texts(FIGURES)

    def test_a_text_that_has_no_file(self):
        neovim = self.start(self.known_program().directory)
        neovim.command("setfiletype c")
        neovim.command("vnew | setfiletype c")
        neovim.command("new gprof://what.c | setfiletype c")
        self.assertEqual([], neovim.servers())
        self.assertEqual("", neovim.messages())
