"""Shared by tests of single features: their own folder, sessions with clients that can do more or
less than most, and documents by line."""
import copy
import unittest

from editor import Editor
from known_profile import KnownProfile
from lsp_client import FULL_CAPABILITIES
from own_folders import fresh_folder

CONTENT_MODIFIED = -32801


def capabilities(**text_document):
    """Those of a usual client, with some members of textDocument replaced. None removes one."""
    able = copy.deepcopy(FULL_CAPABILITIES)
    for name in ("codeLens", "inlayHint", "diagnostic", "publishDiagnostics"):
        able["textDocument"].pop(name, None)
    able["textDocument"].update({"codeLens": {}, "inlayHint": {}})
    for name, value in text_document.items():
        able["textDocument"].pop(name, None)
        if value is not None:
            able["textDocument"][name] = value
    return able


class FeatureTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = fresh_folder(self.addCleanup)

    def editor(self, folder=None, **members):
        """For a with statement: the session is shut down properly, and its messages are checked."""
        members.setdefault("capabilities", capabilities())
        return Editor(folder or self.folder, **members)


class KnownProfileTest(FeatureTest):
    """With the program in its folder whose every figure is known."""

    def setUp(self):
        super().setUp()
        self.workspace = KnownProfile(self.folder).make()

    def line(self, fragment):
        return self.workspace.line_of("hot.c", fragment)


def document(editor, name):
    return {"textDocument": {"uri": editor.uri(name)}}


def whole(editor, name, first=1, last=100000):
    return {**document(editor, name), "range": {"start": {"line": first - 1, "character": 0},
                                                "end": {"line": last - 1, "character": 0}}}


def place(editor, name, line, character=0):
    return {**document(editor, name), "position": {"line": line - 1, "character": character}}


def label_of(hint):
    """The text of its label, whether in one piece or in parts."""
    label = hint["label"]
    return label if isinstance(label, str) else "".join(part["value"] for part in label)
