"""The completions of fish, as fish finds them. Skipped where it is not installed."""

from completion_support import CompletionTest


class Fish(CompletionTest):
    shell = "fish"

    def complete(self, line):
        text = self.run_shell("--no-config", "-c",
                              f"source '{self.script}'; complete -C 'gprof-lsp {line}'")
        found = [entry.split("\t")[0] for entry in text.splitlines()]
        # Those that begin so; where there are some, newer versions also tell of those that only have its letters.
        word = line.rpartition(" ")[2]
        return sorted([entry for entry in found if entry.startswith(word)] or found)

    def test_commands(self):
        self.assertEqual(self.complete("re"), ["record", "recover", "report"])
        self.assertEqual(self.complete("help di"), ["diff"])

    def test_options(self):
        self.assertEqual(self.complete("--to"), ["--token-file"])
        self.assertEqual(self.complete("record --"),
                         ["--children", "--help", "--keep-executable", "--live", "--no-stacks", "--output",
                          "--pid", "--rate", "--runs", "--stacks", "--summary", "--time", "--wait"])
        self.assertEqual(self.complete("diff a b --not"), ["--notes"])

    def test_values(self):
        self.assertEqual(self.complete("export --format=s"), ["--format=speedscope"])
        self.assertEqual(self.complete("diff --metric "), ["calls", "self", "total"])
        self.assertEqual(self.complete("report --color=n"), ["--color=never"])

    def test_files_and_folders(self):
        self.assertEqual(self.complete("check --config f"), ["file.json", "folder/"])
        self.assertEqual(self.complete("check f"), ["folder/"])
        self.assertEqual(self.complete("record --output=f"), ["--output=folder/"])
        self.assertEqual(self.complete("export fi"), ["file.json"])
