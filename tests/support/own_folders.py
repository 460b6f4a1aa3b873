"""Folders of its own for each test, for its files, cache and state: no test sees the user's or another
test's."""
import os
import pathlib
import tempfile

VARIABLES = {"XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state"}


def fresh_folder(add_cleanup):
    """An empty folder that is removed at the end of what `add_cleanup` is of: self.addCleanup."""
    folder = tempfile.TemporaryDirectory(prefix="gprof-lsp-test-")
    add_cleanup(folder.cleanup)
    return pathlib.Path(folder.name).resolve()


def own_environment(folder, **more):
    """This process's environment, with the user's folders below `folder`; nothing is fetched."""
    folder = pathlib.Path(folder).resolve()
    own = {variable: str(folder / name) for variable, name in VARIABLES.items()}
    return {**os.environ, **own, "DEBUGINFOD_URLS": "", **more}
