"""Configurations and versions as docs/editors.md tells them to people: sessions use its very text."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "editors.md"


def snippet(name):
    """The fenced block that follows the comment `<!-- run by the tests: NAME -->`."""
    marked = rf"^<!-- run by the tests: {re.escape(name)} -->\n+```\w*\n(.*?)^```$"
    found = re.findall(marked, PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert len(found) == 1, f"{PAGE.name} has {len(found)} configurations {name}"
    return found[0]


def tested(editor):
    """What the page's table says of the versions of an editor that sessions run with."""
    row = re.findall(rf"^\| \[{re.escape(editor)}\]\(#[^)]*\) \| ([^|]*) \|", PAGE.read_text(),
                     re.MULTILINE)
    assert len(row) == 1, f"the table of {PAGE.name} has {len(row)} rows of {editor}"
    return row[0]


def check_version(test, editor, version):
    """The table names the version that this session runs with."""
    versions = re.findall(r"\d[\w.]*\w", tested(editor))
    test.assertTrue(any(version == known or version.startswith(known + ".") for known in versions),
                    f"{PAGE.name} calls {editor} tested with {versions}, this is {version}")
