"""What the protocol's tests have in common: the server under test and sessions with it.

GPROF_LSP_SERVER names the server; LSP_META_MODEL, where it is set, the protocol's meta model.
"""

import os
import pathlib
import shutil
import unittest
from unittest import mock

import lsp_client
import meta_model
from own_folders import fresh_folder, own_environment
from tested_build import skip_without_collector

SERVER = os.environ.get("GPROF_LSP_SERVER")


def meta_model_path():
    """The meta model, or None."""
    path = os.environ.get("LSP_META_MODEL")
    return path if path and pathlib.Path(path).is_file() else None


class ProtocolTest(unittest.TestCase):
    """A test with a server. Where there is a meta model, every message that the server sends in a
    session of start() is held against it when the test is over."""

    # What the server says on standard error, which is no part of the protocol.
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if not SERVER:
            raise unittest.SkipTest("GPROF_LSP_SERVER does not name a server")

    def setUp(self):
        self.folder = fresh_folder(self.addCleanup)
        # Of this process, so that every server that the test starts inherits it.
        own = mock.patch.dict(os.environ, own_environment(fresh_folder(self.addCleanup)))
        own.start()
        self.addCleanup(own.stop)
        self._records = 0

    def compiler(self):
        """A C compiler; without one the test is skipped."""
        found = shutil.which("gcc") or shutil.which("cc")
        if not found:
            self.skipTest("no C compiler")
        return found

    def require_collector(self):
        """Skips the test where the build under test has no collector."""
        skip_without_collector()

    def start(self, *options, **members):
        """A client of a new server. `options` are added to the command line."""
        self._records += 1
        record = self.folder / f"conversation-{self._records}.jsonl"
        if meta_model_path():
            self.addCleanup(self._check_record, record)
        client = lsp_client.LspClient([SERVER, *(options or ["--stdio"])], record=record, **members)
        self.addCleanup(client.close)
        return client

    def open_session(self, *options, root=None, **members):
        """The same, after the handshake."""
        client = self.start(*options, **members)
        client.initialize(root or self.folder)
        return client

    def _check_record(self, record):
        defects = meta_model.check_conversation(meta_model_path(), record)
        self.assertEqual([], defects)
