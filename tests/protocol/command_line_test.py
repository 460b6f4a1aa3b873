"""Help by all its names, and the completions of bash, which every system has."""
import subprocess
import unittest

from completion_support import SERVER, CompletionTest

COMMANDS = ("report", "record", "recover", "check", "export", "diff", "query", "mcp", "help")


@unittest.skipUnless(SERVER, "GPROF_LSP_SERVER does not name a server")
class Help(unittest.TestCase):
    def run_server(self, *words, status=0):
        done = subprocess.run([SERVER, *words], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, (words, done.stderr))
        return done.stderr if status else done.stdout

    def test_help_says_what_the_option_says(self):
        self.assertEqual(self.run_server("help"), self.run_server("--help"))
        for command in COMMANDS:
            text = self.run_server("help", command)
            self.assertEqual(text, self.run_server(command, "--help"))
            self.assertEqual(text, self.run_server(command, "-h"))
            self.assertTrue(text.startswith(f"Usage: gprof-lsp {command}"), text)

    def test_commands_are_listed_with_a_line_each(self):
        text = self.run_server("--help")
        for command in COMMANDS:
            self.assertRegex(text, rf"(?m)^  {command} +[A-Z].*\n(  [a-z]|\n)")
        self.assertNotIn("describe", text)

    def test_unknown_words(self):
        self.assertIn("nonsense is not a command", self.run_server("help", "nonsense", status=2))
        self.assertIn("only one", self.run_server("help", "diff", "check", status=2))
        self.assertIn("nonsense is not a command", self.run_server("nonsense", status=2))
        self.assertIn("did you mean --format?", self.run_server("export", "--fromat=x", status=2))

    def test_a_template_that_asks_for_what_is_unknown(self):
        done = subprocess.run([SERVER, "describe", "--as=manual"], input="@options nonsense@\n",
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("@options nonsense@", done.stderr)


class Bash(CompletionTest):
    shell = "bash"

    def complete(self, *words):
        """What the last word may become; words as bash parts them."""
        values = " ".join(f"'{word}'" for word in ("gprof-lsp", *words))
        text = self.run_shell("--norc", "--noprofile", "-c", f"""
            source '{self.script}'
            [[ $(complete -p gprof-lsp) == *' -F _gprof_lsp '* ]] || exit 9
            COMP_WORDS=({values}) COMP_CWORD={len(words)}
            _gprof_lsp gprof-lsp
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """)
        return sorted(text.split())

    def test_commands(self):
        self.assertEqual(self.complete(""), sorted(COMMANDS))
        self.assertEqual(self.complete("re"), ["record", "recover", "report"])
        self.assertEqual(self.complete("help", "di"), ["diff"])

    def test_options(self):
        self.assertEqual(self.complete("--to"), ["--token-file="])
        self.assertEqual(self.complete("record", "--"),
                         ["--children=", "--help", "--keep-executable", "--live", "--no-stacks", "--output=",
                          "--pid=", "--rate=", "--runs=", "--stacks", "--summary=", "--time=", "--wait"])
        self.assertEqual(self.complete("diff", "a", "b", "--not"), ["--notes"])
        self.assertEqual(self.complete("diff", "a", "b", "--", "--not"), [])

    def test_values(self):
        for words in (("--format", "=", "s"), ("--format", "s")):
            self.assertEqual(self.complete("export", *words), ["speedscope"])
        # Where = parts no words.
        self.assertEqual(self.complete("export", "--format=s"), ["--format=speedscope"])
        self.assertEqual(self.complete("diff", "--metric", "="), ["calls", "self", "total"])
        self.assertEqual(self.complete("report", "--color", "="), ["always", "auto", "never"])
        # It has no value then.
        self.assertEqual(self.complete("report", "--color", "f"), ["file.json", "folder"])
        self.assertEqual(self.complete("record", "--rate", "="), [])

    def test_files_and_folders(self):
        self.assertEqual(self.complete("check", "--config", "=", ""), ["file.json", "folder"])
        self.assertEqual(self.complete("check", ""), ["folder"])
        self.assertEqual(self.complete("record", "--output", "f"), ["folder"])
        self.assertEqual(self.complete("export", "-o", "fi"), ["file.json"])
        self.assertEqual(self.complete("export", "fi"), ["file.json"])

    def test_the_options_of_a_program_are_its_own(self):
        self.assertEqual(self.complete("record", "--rate", "9", "--l"), ["--live"])
        self.assertEqual(self.complete("record", "--rate", "=", "9", "--l"), ["--live"])
        self.assertEqual(self.complete("record", "prog", "--l"), [])
        self.assertEqual(self.complete("record", "--", "--l"), [])
