"""What the tests of the server's own messages share: two profiled programs, and the documentation
that every answer is held against."""
import json
import pathlib
import unittest

import documented_shapes
from editor import Editor  # noqa: F401
from lsp_client import FULL_CAPABILITIES
from own_folders import fresh_folder
from profiled_program import Workspace

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "lsp-extensions.md"
COUNTS = ("counts/main.c", "counts/work.c", "counts/shared.h")
COUNT_SOURCES = ("counts/main.c", "counts/work.c")
INVALID_PARAMS = -32602


def with_capabilities(**members):
    """FULL_CAPABILITIES with more: `workspace={"x": ...}` is laid over its workspace."""
    capabilities = json.loads(json.dumps(FULL_CAPABILITIES))
    for name, value in members.items():
        capabilities.setdefault(name, {}).update(value)
    return capabilities


class Programs(unittest.TestCase):
    """Two programs, built and run once: `counted` has known counts, `burn` takes time."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        root = fresh_folder(cls.addClassCleanup)
        cls.counted = Workspace(root / "counted", *COUNTS)
        cls.counted.build_and_run(COUNT_SOURCES)
        cls.burning = Workspace(root / "burning", "counts/burn.c")
        cls.burning.build(("counts/burn.c",), program="burn")
        cls.burning.execute("burn")
        cls.shapes = documented_shapes.Shapes(PAGE.read_text())

    def ask(self, editor, method, params, refused=None):
        """The answer, which fits what is documented."""
        if refused:
            return editor.client.start_request(method, params).error()
        answer = editor.client.request(method, params)
        self.assertEqual([], self.shapes.defects(answer, answer_shape(method)), method)
        return answer


def answer_shape(method):
    """gprof/lineData -> LineDataResult"""
    word = method.removeprefix("gprof/")
    return word[0].upper() + word[1:] + "Result"
