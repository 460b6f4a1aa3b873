#!/usr/bin/env python3
"""Shows a profiled source file like an editor, by querying gprof-lsp over its standard streams.

  show_profile.py --server PROGRAM --program EXE [--profile GMON] [FILE]

Without FILE it shows the file that most of the time was spent in. Lenses are above their functions,
hints at the ends of lines; cold stretches are left out ("⋮").
"""

import argparse
import os
import pathlib
import re
import shutil
import sys
import textwrap
import urllib.parse

from lsp_client import LspClient

HOT_SYMBOLS = 30  # the hottest file is chosen among those of as many functions
TOP_FUNCTIONS = 10
LINE_BUDGET = 70  # source lines to show, roughly
CONTEXT = 3  # lines kept on either side of an annotated one
SELF_SHARE = re.compile(r"\bself [^()]*\(<?\s*([\d.]+) ?%\)")


class Style:
    """Escape sequences on a terminal, nothing elsewhere."""

    def __init__(self, colour):
        self._colour = colour

    def _wrap(self, code, text):
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text

    def heading(self, text):
        return self._wrap("1", text)

    def lens(self, text):
        return self._wrap("2;3", text)

    def hint(self, text):
        return self._wrap("2;36", text)

    def number(self, text):
        return self._wrap("2", text)


class ProgressLine:
    """The server's $/progress: one changing line on a terminal, otherwise one line per step."""

    def __init__(self, stream):
        self._stream = stream
        self._rewrites = stream.isatty()
        self._last = None

    def show(self, value):
        message = value.get("message") or value.get("title") or ""
        percent = value.get("percentage")
        if not self._rewrites and message == self._last:
            return
        self._last = message
        text = f"{percent:3d} % {message}" if percent is not None else f"      {message}"
        if self._rewrites:
            self._stream.write(f"\r\x1b[K{text[:100]}")
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def finish(self):
        if self._rewrites:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def self_share(lens_title):
    """Percent of the program's time according to the lens; 0 if it has none."""
    match = SELF_SHARE.search(lens_title)
    # The time of inlined code is in the lenses of the functions it was inlined into.
    return float(match.group(1)) if match and not lens_title.startswith("inlined") else 0.0


def path_of(uri):
    return pathlib.Path(urllib.parse.unquote(uri.removeprefix("file://")))


class ProfiledProgram:
    """A running server with one program loaded. Use as a context manager."""

    def __init__(self, options, progress):
        self._settings = {"programs": [{"executable": str(options.program.resolve()),
                                        "profiles": [str(options.profile.resolve())]}]}
        self._client = LspClient([str(options.server), "--stdio"], settings=self._settings)
        self._client.on_notification("$/progress", lambda p: progress.show(p["value"]))
        self.complaints = []
        self._client.on_notification("window/showMessage",
                                     lambda p: self.complaints.append(p["message"]))

    def __enter__(self):
        self._client.initialize(pathlib.Path.cwd(),
                                initializationOptions={"gprof": self._settings})
        self._client.wait_for_notification("$/progress", lambda p: p["value"]["kind"] == "end")
        return self

    def __exit__(self, *exception):
        if exception[0]:
            self._client.close()
        else:
            self._client.shutdown()

    def ask(self, method, **parameters):
        return self._client.request(method, parameters)

    def open_file(self, path):
        self._client.notify("textDocument/didOpen", {"textDocument": {
            "uri": path.as_uri(), "languageId": "cpp", "version": 1, "text": read_text(path)}})

    def hottest_functions(self):
        return self.ask("workspace/symbol", query="") or []

    def lenses(self, path):
        found = self.ask("textDocument/codeLens", textDocument={"uri": path.as_uri()}) or []
        return [(lens["range"]["start"], lens["command"]["title"]) for lens in found]

    def hints(self, path, line_count):
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": line_count, "character": 0}}
        found = self.ask("textDocument/inlayHint", textDocument={"uri": path.as_uri()}, range=whole)
        return {hint["position"]["line"]: label_text(hint["label"]) for hint in found or []}

    def hover(self, path, position):
        found = self.ask("textDocument/hover", textDocument={"uri": path.as_uri()},
                         position=position)
        return found["contents"]["value"] if found else ""

    def body(self, path, position):
        """(first, last) line of the function at the position."""
        items = self.ask("textDocument/prepareCallHierarchy",
                         textDocument={"uri": path.as_uri()}, position=position)
        if not items:
            return position["line"], position["line"]
        return items[0]["range"]["start"]["line"], items[0]["range"]["end"]["line"]


def label_text(label):
    return label if isinstance(label, str) else "".join(part["value"] for part in label)


def read_text(path):
    return path.read_bytes().decode("utf-8", errors="replace")


def hottest_file(program, functions):
    """Among the hottest functions' files, the one whose lenses have the most self time in total."""
    paths = []
    for function in functions[:HOT_SYMBOLS]:
        path = path_of(function["location"]["uri"])
        if path not in paths and path.is_file():
            paths.append(path)
    if not paths:
        return None
    return max(paths, key=lambda path: sum(self_share(title) for _, title in program.lenses(path)))


def chosen_lines(program, path, lenses, hints):
    """The lines to show: whole functions around hot lines, the hottest functions first, until the
    budget is spent."""
    chosen = set()
    # The sort is stable: equal ones stay in source order.
    for position, title in sorted(lenses, key=lambda lens: -self_share(lens[1])):
        if chosen and (len(chosen) >= LINE_BUDGET or self_share(title) == 0):
            break
        first, last = program.body(path, position)
        lines = range(first, last + 1)
        if len(lines) > LINE_BUDGET - len(chosen):
            # Too long to show completely: its head, and the lines near annotated ones.
            near = {line for hot in hints if first <= hot <= last
                    for line in range(hot - CONTEXT, hot + CONTEXT + 1)}
            lines = [line for line in lines if line < first + CONTEXT or line in near or line == last]
            lines = lines[:max(LINE_BUDGET - len(chosen), CONTEXT)]
        chosen.update(lines)
    return chosen


def print_source(path, text, lenses, hints, chosen, style):
    lines = text.splitlines()
    lens_at = {position["line"]: title for position, title in lenses}
    digits = len(str(len(lines)))
    previous = -1
    for number in sorted(line for line in chosen if line < len(lines)):
        if number != previous + 1:
            print(" " * (digits + 1) + style.number("⋮"))
        source = lines[number].expandtabs(4).rstrip()
        if number in lens_at:
            indent = " " * (len(source) - len(source.lstrip()))
            print(" " * (digits + 2) + indent + style.lens(lens_at[number]))
        hint = "  " + style.hint(hints[number]) if number in hints else ""
        print(f"{style.number(str(number + 1).rjust(digits))}  {source}{hint}")
        previous = number
    if previous + 1 < len(lines):
        print(" " * (digits + 1) + style.number("⋮"))


def plain_text(markdown):
    """Markdown as plain text: links as their text, tables as written."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    text = re.sub(r"``? ?(.*?) ?``?", r"\1", re.sub(r"```\w*\n?", "", text))
    text = re.sub(r"(?m)^\*(.*)\*$", r"\1", text.replace("**", ""))
    return re.sub(r"\\([\\`*_{}\[\]()#+.!|<>~-])", r"\1", text)


def print_hover(markdown, style):
    width = max(40, min(shutil.get_terminal_size((110, 24)).columns, 110) - 2)
    for line in plain_text(markdown).strip().splitlines():
        if re.fullmatch(r"[|:-][|\s:-]*", line):
            continue  # the rule below a table's head
        for piece in [line] if line.startswith("|") else textwrap.wrap(line, width) or [""]:
            print(style.number("│ ") + piece)


def print_top_functions(functions, style):
    print(style.heading("Hottest functions"))
    for function in functions[:TOP_FUNCTIONS]:
        location = function["location"]
        place = f"{path_of(location['uri']).name}:{location['range']['start']['line'] + 1}"
        name = function["name"]
        # By characters: names of templates may have no blank to break at.
        name = name if len(name) <= 60 else name[:59] + "…"
        print(f"  {name}  {style.number(place)}")
        print("      " + style.lens(function.get("containerName", "")))


def show(options, style, progress):
    with ProfiledProgram(options, progress) as program:
        functions = program.hottest_functions()
        progress.finish()
        for complaint in program.complaints:
            print(f"gprof-lsp: {complaint}", file=sys.stderr)
        path = options.file.resolve() if options.file else hottest_file(program, functions)
        if path is None:
            sys.exit(1 if program.complaints else
                     "show_profile: the profile knows no function whose source is here")
        text = read_text(path)
        program.open_file(path)
        lenses = program.lenses(path)
        hints = program.hints(path, text.count("\n"))
        if not lenses and not hints:
            sys.exit(f"show_profile: the profile says nothing about {path}")
        print(style.heading(shown_path(path)))
        print_source(path, text, lenses, hints, chosen_lines(program, path, lenses, hints), style)
        if lenses:
            position, _ = max(lenses, key=lambda lens: self_share(lens[1]))
            print(f"\n{style.heading('Hover')} over line {position['line'] + 1}")
            print_hover(program.hover(path, position), style)
        print()
        print_top_functions(functions, style)


def shown_path(path):
    """Relative to the working directory if the file is below it."""
    return os.path.relpath(path) if path.is_relative_to(pathlib.Path.cwd()) else str(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--profile", type=pathlib.Path, default=pathlib.Path("gmon.out"))
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    for needed in (options.program, options.profile) + ((options.file,) if options.file else ()):
        if not needed.is_file():
            sys.exit(f"show_profile: {needed}: there is no such file")
    colour = options.color == "always" or (options.color == "auto" and sys.stdout.isatty())
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    show(options, Style(colour), ProgressLine(sys.stderr))


if __name__ == "__main__":
    main()
