"""docs/security.md promises nothing that no test holds: every promise names tests, and there are such
tests."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "security.md"
CODE = re.compile(r"`([^`]+)`")
HEADERS = (["promise", "test"], ["medium", "what is shown", "test"])


def rows():
    """(promise, text of the tests) of all tables of promises."""
    found, inside = [], False
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("|"):
            inside = False
        elif [cell.strip() for cell in line.strip("|").split("|")] in HEADERS:
            inside = True
        elif inside and not line.startswith("|---"):
            found.append((cells[0].strip("| "), cells[-1].strip("| ")))
    return found


def named_tests(text):
    """[(file, name)]; a name belongs to the file before it."""
    tests, file = [], None
    for word in CODE.findall(text):
        if word.startswith(("tests/", "editors/")):
            file = word
        else:
            tests.append((file, word))
    return tests


def definitions(suffix, name):
    """How a test of that name begins, in a file of that language."""
    quoted = [f'"{name}"', f"'{name}'"]
    return {".py": [f"def {name}("],
            ".cc": [f'TEST_CASE("{name}"'],
            ".lua": [f"{word}({text}" for word in ("describe", "it") for text in quoted],
            ".ts": [f"test({text}" for text in quoted]}[suffix]


def is_there(file, name):
    path = ROOT / file
    if not path.is_file():
        return False
    # A title that is too long for a line is written in pieces, or on the next one.
    text = re.sub(r'"\s*\n\s*"', "", path.read_text())
    text = re.sub(r"\(\s*\n\s*", "(", text)
    return any(definition in text for definition in definitions(path.suffix, name))


class SecurityPage(unittest.TestCase):
    def test_every_promise_names_a_test(self):
        promises = rows()
        self.assertGreater(len(promises), 10)
        for promise, text in promises:
            with self.subTest(promise):
                self.assertTrue(named_tests(text), "no test is named")

    def test_every_test_that_is_named_exists(self):
        for promise, text in rows():
            for file, name in named_tests(text):
                with self.subTest(promise, test=name):
                    self.assertIsNotNone(file, "the test's file is not named")
                    self.assertTrue(is_there(file, name), f"{file} has no such test")

    def test_a_test_that_is_missing_would_be_seen(self):
        self.assertFalse(is_there("tests/protocol/listening_test.py", "test_of_nothing"))
        self.assertFalse(is_there("tests/protocol/none_test.py", "test_of_nothing"))
