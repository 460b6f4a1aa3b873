"""What tells of the commands beside the program: manual pages and completions; and how the tests of
packages run commands."""
import gzip
import subprocess
import sys

PAGES = ("gprof-lsp", "gprof-lsp-check", "gprof-lsp-diff", "gprof-lsp-export", "gprof-lsp-record",
         "gprof-lsp-report")
COMPLETIONS = ("share/bash-completion/completions/gprof-lsp",
               "share/fish/vendor_completions.d/gprof-lsp.fish",
               "share/zsh/vendor-completions/_gprof-lsp")
COMMAND_FILES = (*(f"share/man/man1/{page}.1.gz" for page in PAGES), *COMPLETIONS)


def run(*command):
    """What it prints; a command that fails ends the test."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"failed ({done.returncode}): {' '.join(map(str, command))}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def check_command_files(root):
    """Each is there and tells of an option; `root` is what `bin` is in."""
    for name in COMMAND_FILES:
        path = root / name
        if not path.is_file():
            sys.exit(f"{name} is missing")
        data = path.read_bytes()
        text = (gzip.decompress(data) if name.endswith(".gz") else data).decode()
        if "help" not in text or "\n@" in text:
            sys.exit(f"{name} does not tell of the options:\n{text[:1000]}")
