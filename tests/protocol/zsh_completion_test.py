"""The completions of zsh, typed at a terminal. Skipped where it is not installed."""
import os
import pty
import select
import time

from completion_support import CompletionTest

DEADLINE = 60  # seconds, of a machine that has much else to do


class Zsh(CompletionTest):
    shell = "zsh"

    def script_name(self):
        return "_gprof-lsp"

    def setUp(self):
        super().setUp()
        self.result = self.root / "result"
        start = self.root / ".zshrc"
        # ^X says what the line has become.
        start.write_text(f"""
            fpath=('{self.script.parent}' $fpath)
            autoload -Uz compinit && compinit -u -D
            show() {{ print -r -- "$BUFFER" > '{self.result}.new' &&
                      command mv '{self.result}.new' '{self.result}'; BUFFER= }}
            zle -N show
            bindkey -e
            bindkey '^X' show
            bindkey '^I' complete-word
            setopt no_beep
        """)
        self.environment.update(ZDOTDIR=str(self.root), TERM="vt100", PS1="ready> ")
        process, self.terminal = pty.fork()
        if process == 0:
            os.chdir(self.work)
            os.execve(self.program, [self.program, "-d", "-i"], self.environment)
        self.addCleanup(os.waitpid, process, 0)
        self.addCleanup(os.close, self.terminal)
        self.wait(lambda: b"ready> " in self.said)

    said = b""

    def wait(self, is_done):
        end = time.monotonic() + DEADLINE
        while not is_done():
            self.assertLess(time.monotonic(), end, self.said)
            if select.select([self.terminal], [], [], 0.05)[0]:
                self.said += os.read(self.terminal, 65536)

    def complete(self, line):
        self.result.unlink(missing_ok=True)
        os.write(self.terminal, f"gprof-lsp {line}\t\x18".encode())
        self.wait(self.result.exists)
        return self.result.read_text().rstrip("\n").removeprefix("gprof-lsp ")

    def test_what_can_become_one_thing_alone(self):
        for typed, becomes in (
                ("rep", "report "), ("help di", "help diff "), ("--tok", "--token-file="),
                ("record --sta", "record --stacks "), ("diff a b --not", "diff a b --notes "),
                ("export --format=sp", "export --format=speedscope "),
                ("diff --metric t", "diff --metric total "),
                ("report --color=ne", "report --color=never "),
                ("check --config fi", "check --config file.json "),
                ("check f", "check folder/"), ("record --output=f", "record --output=folder/"),
                ("export -o fi", "export -o file.json "), ("export fi", "export file.json "),
                ("record ls --sta", "record ls --sta")):
            with self.subTest(typed=typed):
                self.assertEqual(self.complete(typed), becomes)
