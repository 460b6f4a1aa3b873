"""Cache and state folders of its own for each test: no test sees the user's or another test's."""
import os
import pathlib

VARIABLES = {"XDG_CACHE_HOME": "cache", "XDG_STATE_HOME": "state"}


def own_environment(folder, **more):
    """This process's environment, with the user's folders below `folder`."""
    folder = pathlib.Path(folder).resolve()
    own = {variable: str(folder / name) for variable, name in VARIABLES.items()}
    return {**os.environ, **own, **more}
