"""However the plugin comes to be there: by Neovim's packages, by a manager, late; with any settings."""
from neovim import PLUGIN
from session import FIGURES, NeovimTest, since_0_10

# What lazy.nvim does with `{ dir = … }`: the folder goes to the runtimepath once Neovim has started
# or a file of a type is opened, then its plugin/ is read.
LATE = f"""
vim.opt.runtimepath:prepend('{PLUGIN}')
vim.cmd('runtime! plugin/gprof.lua')
"""


class InstallingTest(NeovimTest):
    def init(self, settings="", before=""):
        """Nothing but what a test says."""
        path = self.home / "init.lua"
        path.write_text(f"{before}\n{settings}\n")
        return path

    def package(self, kind):
        """Puts the plugin where `git clone` or `ln -s` of a user puts it."""
        folder = self.home / "data" / "nvim" / "site" / "pack" / "profiling" / kind
        folder.mkdir(parents=True)
        (folder / "gprof").symlink_to(PLUGIN)

    def test_a_package_that_is_started(self):
        self.package("start")
        neovim = self.open(self.known_program())
        neovim.wait_for_texts(FIGURES)
        self.assertEqual("", neovim.messages())

    def test_a_package_that_is_added_later(self):
        self.package("opt")
        neovim = self.open(self.known_program())
        self.assertEqual(0, neovim.api.funcs.exists(":Gprof"))
        neovim.command("packadd gprof")
        neovim.wait_for_texts(FIGURES)

    def test_a_package_that_is_added_by_the_configuration(self):
        self.package("opt")
        neovim = self.open(self.known_program(),
                           settings="vim.cmd('packadd gprof') require('gprof').setup {}")
        neovim.wait_for_texts(FIGURES)

    def test_late(self):
        neovim = self.open(self.known_program())
        neovim.lua(LATE)
        neovim.wait_for_texts(FIGURES)
        self.assertEqual("", neovim.messages())

    def test_at_the_first_file_of_a_type(self):
        neovim = self.open(self.known_program(), settings=f"""
            vim.api.nvim_create_autocmd('FileType', {{ pattern = 'c', callback = function(event)
              vim.api.nvim_del_autocmd(event.id)
              {LATE}
              require('gprof').setup {{ annotations = {{ errors = false }} }}
              vim.cmd('doautocmd FileType')
            end }})
        """)
        neovim.wait_for_texts(lambda texts: texts.get(2) == "60 %   0.60 s   30.0k×")
        self.assertEqual(1, len(neovim.servers()))
        self.assertEqual("", neovim.messages())

    def test_read_twice(self):
        neovim = self.open(self.known_program(), settings=LATE + LATE)
        neovim.wait_for_texts(FIGURES)
        self.assertEqual(1, len(neovim.servers()))

    def test_a_filetype_of_the_user_s(self):
        neovim = self.open(self.known_program(), settings="vim.g.gprof = { filetypes = { 'cpp' } }" + LATE)
        neovim.command("doautocmd FileType")
        self.assertEqual([], neovim.servers())
        neovim.command("setfiletype c | set filetype=cpp")
        neovim.wait_for_texts(FIGURES)

    def test_the_help_can_be_found(self):
        neovim = self.start(self.folder, settings=LATE)
        for tag in ("gprof", "gprof-settings", "gprof-versions", ":GprofCallers", "gprof-reports"):
            neovim.command(f"help {tag}")
            self.assertEqual("help", neovim.lua("return vim.bo.buftype"))

    def test_nothing_is_loaded_before_it_is_needed(self):
        neovim = self.start(self.folder, settings=LATE)
        loaded = neovim.lua("return vim.tbl_filter(function(name) return vim.startswith(name, 'gprof') end, "
                            "vim.tbl_keys(package.loaded))")
        heavy = [name for name in loaded if name.startswith(
            ("gprof.annotations", "gprof.reports", "gprof.navigation", "gprof.recording", "gprof.server"))]
        self.assertEqual([], heavy)


class SettingsTest(NeovimTest):
    def warnings(self, settings):
        neovim = self.start(self.folder, settings=f"require('gprof').setup({settings})")
        return neovim.messages()

    def test_none(self):
        self.assertEqual("", self.warnings(""))
        self.assertEqual("", self.warnings("{}"))

    def test_wrong_ones_are_named_and_the_others_hold(self):
        neovim = self.open(self.known_program(), settings="""require('gprof').setup {
          annotations = { errors = false, column = 'wide', colour = 'red' },
          settings = { metric = 3, logLevel = 'loud', threshold = 7 }, autostrat = false, record = 3,
        }""")
        self.assertEqual(1, neovim.messages().count("gprof: settings, 1 of 7 problems: "))
        said = neovim.lua("return table.concat(require('gprof.config').problems(), '; ')")
        for words in ("annotations.column must be", "annotations.colour is no setting",
                      "settings.metric must be a text", "settings.logLevel must be one of",
                      "settings.threshold must be",
                      "autostrat is no setting", "record must be a table"):
            self.assertIn(words, said)
        neovim.wait_for_texts(lambda texts: texts.get(2) == "60 %   0.60 s   30.0k×")

    def test_a_setting_that_is_a_list_of_other_things(self):
        self.assertIn("filetypes must be", self.warnings("{ filetypes = { 1, 2 } }"))
        self.assertIn("filetypes must be", self.warnings("{ filetypes = 'c' }"))
        self.assertIn("cmd must be", self.warnings("{ cmd = 'gprof-lsp' }"))

    def test_something_that_is_no_table(self):
        self.assertIn("gprof:", self.warnings("'fast'"))

    def test_called_again(self):
        neovim = self.open(self.known_program(), settings="""
            require('gprof').setup { annotations = { errors = false } }
            require('gprof').setup { annotations = { functions = false } }
        """)
        neovim.wait_for_texts(FIGURES)
        self.assertEqual({}, neovim.summaries())
        self.assertEqual(1, len(neovim.servers()))

    def test_what_the_server_reads_reaches_it(self):
        self.record_conversation()
        neovim = self.open(self.known_program(), settings="""require('gprof').setup {
          settings = { metric = 'total', threshold = 0.25, inlinedAtCalls = true },
        }""")
        neovim.wait_for_texts(lambda texts: texts)
        given = self.settings_of_the_server()
        self.assertEqual(("total", 0.25, True),
                         (given["metric"], given["threshold"], given["inlinedAtCalls"]))

    def settings_of_the_server(self):
        """What it was told, or has asked for."""
        told = self.sent("workspace/didChangeConfiguration")
        answers = [message["result"][0] for message in self.conversation()
                   if isinstance(message.get("result"), list) and message["result"]
                   and isinstance(message["result"][0], dict) and "threshold" in message["result"][0]]
        return (answers + [params["settings"]["gprof"] for params in told])[-1]

    @since_0_10
    def test_a_server_that_is_named(self):
        (self.path / "gprof-lsp").rename(self.folder / "another")
        neovim = self.open(self.known_program(), settings=f"""require('gprof').setup {{
          cmd = {{ '{self.folder}/another', '--stdio' }},
        }}""")
        neovim.wait_for_texts(FIGURES)
