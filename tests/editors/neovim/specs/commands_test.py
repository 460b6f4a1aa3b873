"""`:Gprof {what}`, what is completed, the maps, and what is said where something is not possible."""
import os
import subprocess

import pynvim

from neovim import PLUGIN
from session import FIGURES, METRICS, VERSION, NeovimTest

from profiled_program import run

COMMANDS = ("Gprof", "GprofAnnotate", "GprofCallees", "GprofCallers", "GprofDiff", "GprofFlat",
            "GprofGraph", "GprofHotspots", "GprofNext", "GprofPrev", "GprofRun")
# Chooses what is at the place vim.g.choice, and keeps what it was asked.
CHOOSE = """
vim.ui.select = function(choices, options, on_choice)
  vim.g.asked = options.prompt
  vim.g.offered = vim.tbl_map(options.format_item or tostring, choices)
  on_choice(vim.g.choice and choices[vim.g.choice])
end
vim.ui.input = function(options, on_confirm)
  vim.g.asked = options.prompt
  on_confirm(vim.g.answer)
end
"""


class CommandsTest(NeovimTest):
    def setUp(self):
        super().setUp()
        self.show_known_program(CHOOSE)

    def completed(self, typed):
        return self.neovim.api.funcs.getcompletion(typed, "cmdline")

    def refusal(self, command):
        """What is said of a command that cannot be done."""
        try:
            self.neovim.command(command)
        except pynvim.NvimError as error:
            return str(error)
        return self.neovim.wait_for(self.neovim.messages, lambda said: "gprof" in said, command)

    def test_every_command_is_there(self):
        self.assertEqual(list(COMMANDS), self.completed("Gprof"))

    def test_completion(self):
        controls = self.completed("Gprof ")
        for name in ("load", "reload", "clear", "metric", "threshold", "toggle", "info", "program", "select",
                     "timeline"):
            self.assertIn(name, controls)
        self.assertEqual(["reload", "restart"], self.completed("Gprof re"))
        self.assertEqual(METRICS, self.completed("Gprof metric ")[:len(METRICS)])
        self.assertIn("cpu", self.completed("Gprof metric "))
        self.assertEqual(["self"], self.completed("Gprof metric sel"))
        self.assertIn("0.5%", self.completed("Gprof threshold "))
        self.assertIn("program", self.completed("Gprof load pro"))
        self.assertIn("gmon.out", self.completed("Gprof load program gm"))
        self.assertEqual(["total"], self.completed("GprofHotspots to"))
        self.assertIn("--accurate", self.completed("GprofFlat --"))
        self.assertIn("hot.c", self.completed("GprofAnnotate ho"))
        self.assertIn("program", self.completed("GprofRun pro"))
        self.assertEqual([], self.completed("Gprof nonsense "))

    def test_metric(self):
        self.neovim.command("Gprof metric calls")
        self.neovim.wait_for_texts(lambda texts: texts.get(7) == "→ 15.0k")
        self.neovim.command("Gprof metric self")
        self.neovim.wait_for_texts(FIGURES)

    def test_metric_by_choice(self):
        self.neovim.lua("vim.g.choice = 2")
        self.neovim.command("Gprof metric")
        self.neovim.wait_for_texts(lambda texts: texts.get(7) == "→ 15.0k")
        offered = [text.split(":")[0] for text in self.neovim.lua("return vim.g.offered")]
        self.assertEqual([*METRICS, "cpu"], offered[:len(METRICS) + 1])

    def test_a_metric_that_there_is_not(self):
        self.assertIn("has no metric speed; it has time", self.refusal("Gprof metric speed"))
        self.neovim.wait_for_texts(FIGURES)

    def test_threshold(self):
        few = {line: text for line, text in FIGURES.items() if line not in (9, 16)}
        for share in ("50%", "0.5", ".5"):
            with self.subTest(share):
                self.neovim.command(f"Gprof threshold {share}")
                self.neovim.wait_for_texts(few)
                self.neovim.command("Gprof threshold 0")
                self.neovim.wait_for_texts(FIGURES)

    def test_a_threshold_that_is_none(self):
        for word in ("many", "5", "-1", "120%"):
            with self.subTest(word):
                self.assertIn("no share", self.refusal(f"Gprof threshold {word}"))

    def test_clear_and_reload(self):
        self.neovim.command("Gprof clear")
        self.neovim.wait_for_texts({})
        self.assertEqual({}, self.neovim.summaries())
        self.neovim.command("Gprof reload")
        self.neovim.wait_for_texts(FIGURES)

    def test_load(self):
        # Another program of the same source.
        self.workspace.make(program="another", profile="profile", scale=2)
        self.neovim.command("Gprof load another profile")
        self.neovim.wait_for_texts(lambda texts: texts.get(8) == "→ 10.0k")
        self.assertIn("another", self.neovim.lua("return require('gprof').statusline()"))

    def test_load_by_a_path_with_the_home_and_the_file_in_it(self):
        self.workspace.make(program="hot", profile="profile", scale=2)
        self.neovim.command("Gprof load %:r profile")
        self.neovim.wait_for_texts(lambda texts: texts.get(8) == "→ 10.0k")

    def test_load_of_what_is_not_there(self):
        self.assertIn("missing", self.refusal("Gprof load missing"))
        self.neovim.wait_until_at_rest()
        self.assertEqual(FIGURES, self.neovim.texts())

    def test_select(self):
        other = self.known_program("other")
        other.make(profile="gmon.out.77", scale=2)
        other.make()
        # Each older than what was made of it.
        written = other.path("gmon.out.77").stat().st_mtime
        for name, age in (("program", 60), ("hot.c", 120)):
            os.utime(other.path(name), (written - age, written - age))
        neovim = self.open(other, settings=CHOOSE)
        neovim.wait_for_texts(FIGURES)
        neovim.command("Gprof program")
        offered = neovim.wait_for_lua("return vim.g.offered")
        self.assertEqual(["program  gmon.out  (shown)", "program  gmon.out.77"], offered)
        neovim.lua("vim.g.choice = 2")
        neovim.command("Gprof select")
        neovim.wait_for_texts(lambda texts: texts.get(8) == "→ 10.0k")

    def test_info(self):
        said = self.information()
        for words in (str(self.workspace.path("program")), "gmon.out, just now",
                      "as it was compiled", "estimated (≈)", "time; times below 0.5 %"):
            self.assertIn(words, said)

    def information(self):
        """What `:Gprof info` prints, which is kept in no history."""
        self.neovim.lua("""
            vim.api.nvim_echo = function(chunks) vim.g.said = chunks[1][1] end
            vim.cmd('Gprof info')
        """)
        return self.neovim.wait_for_lua("return vim.g.said")

    def test_what_is_not_known(self):
        self.assertIn(":Gprof fly is not known", self.refusal("Gprof fly"))

    def test_without_a_server(self):
        neovim = self.start(self.folder)
        for command in ("Gprof metric calls", "Gprof info", "GprofFlat", "GprofHotspots", "GprofCallers"):
            with self.subTest(command):
                try:
                    neovim.command(command)
                    said = neovim.messages()
                except pynvim.NvimError as error:
                    said = str(error)
                self.assertIn("no server runs", said)

    def test_maps(self):
        maps = self.neovim.lua("return require('gprof.commands').maps")
        for map_ in maps:
            self.assertNotEqual("", self.neovim.api.funcs.maparg(f"<Plug>(gprof-{map_['name']})", "n"))
        self.neovim.command("nmap gm <Plug>(gprof-toggle)")
        self.neovim.keys("gm")
        self.neovim.wait_for_texts({})
        self.neovim.keys("gm")
        self.neovim.wait_for_texts(FIGURES)

    def test_no_key_is_mapped(self):
        found = self.neovim.lua("""
            local found = {}
            for _, mode in ipairs({ 'n', 'v', 'i', 'o', 'c', 't' }) do
              for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
                local is_ours = (map.rhs or ''):lower():find('gprof') or (map.desc or ''):lower():find('gprof')
                if is_ours and not map.lhs:find('<Plug>', 1, true) then
                  table.insert(found, map.lhs)
                end
              end
            end
            return found
        """)
        self.assertEqual([], found)


class HelpTest(NeovimTest):
    def test_the_page_is_what_the_tables_say(self):
        neovim = self.start(self.folder)
        target = self.home / "doc" / "gprof.txt"
        neovim.lua("vim.env.GPROF_HELP_FILE = ...", str(target))
        neovim.command(f"luafile {PLUGIN}/scripts/generate_help.lua")
        for name in ("gprof.txt", "tags"):
            self.assertEqual((target.parent / name).read_text(), (PLUGIN / "doc" / name).read_text(),
                             f"doc/{name} has to be generated anew")

    def test_every_command_map_and_setting_has_a_tag(self):
        neovim = self.start(self.folder)
        names = neovim.lua("""
            local names = {}
            for _, command in ipairs(require('gprof.commands').commands) do
              table.insert(names, ':' .. command.name)
            end
            for _, map in ipairs(require('gprof.commands').maps) do
              table.insert(names, '<Plug>(gprof-' .. map.name .. ')')
            end
            for _, setting in ipairs(require('gprof.config').schema) do
              table.insert(names, 'gprof.' .. setting.name)
            end
            return names
        """)
        page = (PLUGIN / "doc" / "gprof.txt").read_text()
        missing = [name for name in names if name not in page and name.removeprefix("gprof.") not in page]
        self.assertEqual([], missing)
        self.assertTrue(all(len(line) < 400 for line in page.splitlines()))


class HealthTest(NeovimTest):
    def report(self, neovim):
        neovim.command("checkhealth gprof")
        return neovim.wait_for(lambda: "\n".join(neovim.line_texts()), lambda text: "gprof: workspace" in text
                               or "no gprof-lsp" in text, "the report")

    def test_all_is_well(self):
        neovim = self.open(self.known_program())
        neovim.wait_for_texts(FIGURES)
        said = self.report(neovim)
        self.assertNotIn("ERROR", said)
        for words in ("All settings are understood", "It serves", "1 buffer.", "It shows", "gmon.out",
                      "gprof-lsp"):
            self.assertIn(words, said)

    def test_a_version_with_a_reduced_set_is_told(self):
        said = self.report(self.start(self.folder))
        number = ".".join(map(str, VERSION))
        self.assertIn(f"Neovim {number}", said)
        self.assertEqual(VERSION < (0, 10), "a reduced set of the plugin works" in said)

    def test_no_server(self):
        neovim = self.start(self.folder, settings="require('gprof').setup { cmd = { 'no-such-server' } }")
        said = self.report(neovim)
        self.assertIn("There is no gprof-lsp", said)
        self.assertIn("Install it", said)

    def test_wrong_settings(self):
        neovim = self.start(self.folder, settings="vim.g.gprof = { annotations = { column = 'wide' } }")
        said = self.report(neovim)
        self.assertIn("annotations.column must be", said)

    def test_no_profile(self):
        workspace = self.known_program()
        workspace.path("gmon.out").unlink()
        neovim = self.open(workspace)
        neovim.wait_until_at_rest()
        said = self.report(neovim)
        self.assertIn("It shows no profile", said)

    def test_a_program_without_debug_information(self):
        workspace = self.known_program()
        workspace.path("program").unlink()
        run(["gcc", "-pg", "hot.c", "-o", "program"], workspace.directory)
        subprocess.run(["./program"], cwd=workspace.directory, check=False)
        neovim = self.open(workspace)
        neovim.wait_until_at_rest()
        said = self.report(neovim)
        self.assertIn("-g", said)

    def test_autostart_is_off(self):
        neovim = self.open(self.known_program(), settings="vim.g.gprof = { autostart = false }")
        said = self.report(neovim)
        self.assertIn("No server runs for", said)
        self.assertIn(":Gprof start", said)
