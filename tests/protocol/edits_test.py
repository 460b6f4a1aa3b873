"""Thousands of edits and undos, made in the server and in a reference that knows what each of them
means: no hint and no lens ever stands on a line that is not its own."""

import random
import re
import subprocess

import harness
from lsp_client import FULL_CAPABILITIES
from seeds import moved_seed

FUNCTIONS = 8


def program():
    """C whose functions are called a different number of times each, on lines that say so."""
    lines = []
    for i in range(FUNCTIONS):
        lines += [f"static int leaf_{i}(int n) {{", f"  return n + {i};", "}", ""]
    lines += ["int main(void) {", "  int sum = 0;"]
    for i in range(FUNCTIONS):
        lines += [f"  for (int i = 0; i < {i + 3}; i++)", f"    sum += leaf_{i}(i);", ""]
    return lines + ["  return sum == 0;", "}", ""]


class Line:
    """A line, and which one of the opened text it is; None where it was inserted."""

    def __init__(self, text, origin=None):
        self.text = text
        self.origin = origin


class Reference:
    """The text as a list of lines. Each edit says itself as the protocol does, and knows which
    lines stay which."""

    def __init__(self, lines, end, encoding, rng):
        self.lines = [Line(text, i) for i, text in enumerate(lines)]
        self.opened = list(lines)
        self.end = end
        self.encoding = encoding
        self.rng = rng
        self.undo = []
        self.serial = 0

    def text(self):
        return self.end.join(line.text for line in self.lines)

    def units(self, text):
        if self.encoding == "utf-8":
            return len(text.encode())
        return len(text.encode("utf-16-le")) // 2 if self.encoding == "utf-16" else len(text)

    def position(self, line, column):
        return {"line": line, "character": self.units(self.lines[line].text[:column])}

    def fresh(self):
        """Sometimes a line as others are, but never one that was compiled with a call in it."""
        self.serial += 1
        return self.rng.choice([f"  // \U0001f600 n\u00fc {self.serial}", "}", "", "  int x;",
                                f"int v_{self.serial};"])

    def replace(self, first, last, new):
        """Lines from `first` to `last` (columns included) become `new`; remembers how to go back.
        The range is the smallest of whole lines."""
        (begin, from_column), (stop, to_column), text = new["range"]
        start, end = self.position(begin, from_column), self.position(stop, to_column)
        if self.rng.random() < 0.2:
            start, end = end, start
        before = self.lines[first:last + 1]
        removed = self.text_between(begin, from_column, stop, to_column)
        self.lines[first:last + 1] = new["lines"]
        self.undo.append((begin, from_column, removed, text, first, len(new["lines"]), before))
        return {"range": {"start": start, "end": end}, "text": text}

    def text_between(self, line, column, stop, to_column):
        if line == stop:
            return self.lines[line].text[column:to_column]
        parts = [self.lines[line].text[column:]]
        parts += [each.text for each in self.lines[line + 1:stop]]
        return self.end.join(parts + [self.lines[stop].text[:to_column]])

    def take_back(self):
        line, column, removed, text, first, count, before = self.undo.pop()
        parts = text.split(self.end)
        stop = line + len(parts) - 1
        to_column = len(parts[-1]) + (column if stop == line else 0)
        change = {"range": {"start": self.position(line, column),
                            "end": self.position(stop, to_column)}, "text": removed}
        self.lines[first:first + count] = before
        return change

    def edit(self):
        """One random edit."""
        lines = self.lines
        at = self.rng.randrange(len(lines) - 1)
        line = lines[at]
        size = len(line.text)
        kind = self.rng.randrange(7)
        if kind == 0:  # new lines above
            new = [self.fresh() for _ in range(self.rng.randint(1, 3))]
            text = "".join(each + self.end for each in new)
            return self.replace(at, at, {"range": ((at, 0), (at, 0), text),
                                         "lines": [Line(each) for each in new] + [line]})
        if kind == 1 and size:  # and below
            new = [self.fresh() for _ in range(self.rng.randint(1, 3))]
            text = "".join(self.end + each for each in new)
            return self.replace(at, at, {"range": ((at, size), (at, size), text),
                                         "lines": [line] + [Line(each) for each in new]})
        if kind == 2 and len(lines) > 20:  # lines deleted
            stop = min(at + self.rng.randint(1, 4), len(lines) - 1)
            return self.replace(at, stop, {"range": ((at, 0), (stop, 0), ""),
                                           "lines": [lines[stop]]})
        if kind == 3 and size > 3 and line.text[:size // 2].strip():  # one split
            self.serial += 1
            head, tail = line.text[:size // 2], line.text[size // 2:]
            return self.replace(at, at, {
                "range": ((at, size // 2), (at, size // 2), self.end),
                "lines": [Line(head, line.origin), Line(tail)]})
        if kind == 4 and line.text.strip() and lines[at + 1].text.strip():  # two joined
            return self.replace(at, at + 1, {
                "range": ((at, size), (at + 1, 0), ""),
                "lines": [Line(line.text + lines[at + 1].text, line.origin)]})
        column = self.rng.randint(0, size)
        stop = min(size, column + self.rng.randint(0, 2))
        self.serial += 1
        typed = self.rng.choice(["\u20ac", "\U0001f600", "z", f"{self.serial}"])
        return self.replace(at, at, {
            "range": ((at, column), (at, stop), typed),
            "lines": [Line(line.text[:column] + typed + line.text[stop:], line.origin)]})

    def unchanged(self):
        """Opened line -> where it is, of those that have their text."""
        return {line.origin: i for i, line in enumerate(self.lines)
                if line.origin is not None and line.text == self.opened[line.origin]}


class Edits(harness.ProtocolTest):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "many.c"
        self.source.write_text("\n".join(program()))
        self.uri = self.source.as_uri()
        subprocess.run([self.compiler(), "-g", "-O0", "-pg", str(self.source), "-o", "program"],
                       cwd=self.folder, check=True)
        subprocess.run(["./program"], cwd=self.folder, check=True)

    def ask(self, client):
        """Line -> text, of all hints and of all lenses."""
        identifier = {"textDocument": {"uri": self.uri}}
        everything = {"start": {"line": 0, "character": 0}, "end": {"line": 10000, "character": 0}}
        hints = client.start_request("textDocument/inlayHint", dict(identifier, range=everything))
        lenses = client.start_request("textDocument/codeLens", identifier)

        def label(hint):
            if isinstance(hint["label"], str):
                return hint["label"]
            return "".join(part["value"] for part in hint["label"])

        # A lens begins with the calls; whether the function was edited since may follow.
        return ({hint["position"]["line"]: label(hint) for hint in hints.result() or []},
                {lens["range"]["start"]["line"]: lens["command"]["title"].split(" · ")[0]
                 for lens in lenses.result() or [] if lens.get("command")})

    def compare(self, reference, answers, first):
        where = reference.unchanged()
        hints, lenses = answers
        expected = {where[line]: text for line, text in first[0].items() if line in where}
        self.assertEqual(expected, hints)
        # A lens stands over its own line, edited or not, or where its function's name went.
        names = {title: re.search(r"leaf_\d+|main", reference.opened[line])[0]
                 for line, title in first[1].items()}
        for line, title in lenses.items():
            own = reference.lines[line]
            if first[1].get(own.origin) != title:
                self.assertRegex(own.text, rf"\b{names[title]}\b")
        for line, title in first[1].items():
            if line in where:
                self.assertEqual(title, lenses.get(where[line]))

    def run_session(self, encoding, end, seed, edits):
        rng = random.Random(moved_seed(seed))
        settings = {"programs": [{"executable": str(self.folder / "program"),
                                  "profiles": [str(self.folder / "gmon.out")]}]}
        capabilities = dict(FULL_CAPABILITIES, general={"positionEncodings": [encoding]})
        client = self.open_session(settings=settings, capabilities=capabilities)
        reference = Reference(program(), end, encoding, rng)
        client.notify("textDocument/didOpen", {"textDocument": {
            "uri": self.uri, "languageId": "c", "version": 1, "text": reference.text()}})
        first = self.ask(client)
        self.assertGreaterEqual(len(first[0]), FUNCTIONS, first)
        self.assertGreaterEqual(len(first[1]), FUNCTIONS, first)
        version = 1

        def send(changes):
            nonlocal version
            version += 1
            client.notify("textDocument/didChange", {
                "textDocument": {"uri": self.uri, "version": version}, "contentChanges": changes})

        made = 0
        while made < edits:
            if reference.undo and rng.random() < 0.3:
                changes = [reference.take_back()
                           for _ in range(rng.randint(1, min(4, len(reference.undo))))]
            else:
                changes = [reference.edit() for _ in range(rng.choice([1, 1, 1, 3]))]
            send(changes)
            made += len(changes)
            if rng.random() < 0.25:
                self.compare(reference, self.ask(client), first)
            if len(reference.undo) > 120:  # long before the server forgets any
                while reference.undo:
                    send([reference.take_back()])
                self.assertEqual(reference.opened, [line.text for line in reference.lines])
                self.compare(reference, self.ask(client), first)
        while reference.undo:
            send([reference.take_back()])
        self.assertEqual(first, self.ask(client))
        self.assertEqual(0, client.shutdown())

    def test_no_annotation_is_ever_on_a_wrong_line(self):
        for seed, (encoding, end) in enumerate(
                [("utf-8", "\n"), ("utf-16", "\r\n"), ("utf-32", "\r"), ("utf-16", "\n")]):
            with self.subTest(encoding=encoding, end=end):
                self.run_session(encoding, end, seed, 1500)
