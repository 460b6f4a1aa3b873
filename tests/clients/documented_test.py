"""docs/editors.md marks as tested what has a session, and no more; and has no configuration that no
session runs, among those that it says are run.
"""
import pathlib
import re
import unittest

from documented import PAGE

HERE = pathlib.Path(__file__).resolve().parent


class Documented(unittest.TestCase):
    def setUp(self):
        self.page = PAGE.read_text()
        self.sessions = "\n".join(file.read_text() for file in HERE.glob("*/*.py"))

    def test_editors_are_marked_as_tested_that_have_a_session(self):
        rows = re.findall(r"^\| \[([^\]]*)\]\(#([^)]*)\) \| ([^|]*) \|", self.page, re.MULTILINE)
        self.assertEqual({name for name, _, versions in rows if versions != "untested"},
                         set(re.findall(r'check_version\(self, "([^"]*)"', self.sessions)))
        headings = re.findall(r"^## (.*)$", self.page, re.MULTILINE)
        for name, anchor, versions in rows:
            self.assertIn(name, headings)
            self.assertEqual(re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-"), anchor)
            section = self.page.split(f"\n## {name}\n")[1].split("\n## ")[0]
            self.assertEqual(versions != "untested", "<!-- run by the tests" in section, name)
            self.assertEqual(versions == "untested", "\nUntested" in section, name)

    def test_configurations_that_tests_run_are_run(self):
        marked = re.findall(r"<!-- run by the tests: (.*) -->", self.page)
        self.assertGreater(len(marked), 0)
        for name in marked:
            # Helix's are named by their files.
            self.assertIn(f'"{name.split("/")[-1]}"', self.sessions)
