"""What the tests of the server's own messages share: two profiled programs, and the documentation
that every answer is held against."""
import json
import pathlib
import unittest

import documented_shapes
from editor import Editor  # noqa: F401
from lsp_client import FULL_CAPABILITIES
from made_up_recording import FIXED, replace_samples
from own_folders import fresh_folder
from profiled_program import Workspace

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "lsp-extensions.md"
COUNTS = ("counts/main.c", "counts/work.c", "counts/shared.h")
COUNT_SOURCES = ("counts/main.c", "counts/work.c")
INVALID_PARAMS = -32602
# The samples of `burning`.
BURNT = ((23, ("spin", "sink * 1664525u")), (3, ("spin", "i < rounds")), (1, ("leaf_light", "spin(2000)")),
         (25, ("leaf_heavy", "i * sink")), (4, ("leaf_heavy", "i < 12000")), (1, ("middle", "leaf_light()")),
         (1, ("ping", "leaf_light()")), (1, ("main", "middle(3)")))


def with_capabilities(**members):
    """FULL_CAPABILITIES with more: `workspace={"x": ...}` is laid over its workspace."""
    capabilities = json.loads(json.dumps(FULL_CAPABILITIES))
    for name, value in members.items():
        capabilities.setdefault(name, {}).update(value)
    return capabilities


class Programs(unittest.TestCase):
    """Two programs, built and run once: `counted` has known counts, `burning` known times as well."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        root = fresh_folder(cls.addClassCleanup)
        cls.counted = Workspace(root / "counted", *COUNTS)
        cls.counted.build_and_run(COUNT_SOURCES)
        cls.burning = Workspace(root / "burning", "counts/burn.c")
        cls.burning.build(("counts/burn.c",), ("-O0", *FIXED), program="burn")
        cls.burning.execute("burn")
        replace_samples(cls.burning, BURNT, "counts/burn.c", "burn")
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
