"""The client configuration of gprof-lsp for the package LSP, and what a click on a lens shows."""

from LSP.plugin import AbstractPlugin, Request, register_plugin, unregister_plugin
from LSP.plugin.locationpicker import LocationPicker

import sublime

# Commands that answer places. The server opens the only one itself.
LISTED = ("gprof.showCallers", "gprof.showCallees")


class Gprof(AbstractPlugin):
    """Its settings are those of LSP-gprof.sublime-settings, which LSP finds by this name."""

    @classmethod
    def name(cls):
        return "gprof"

    def on_pre_server_command(self, command, done_callback):
        """Lists the places that the server answers, in a quick panel."""
        session = self.weaksession()
        if session is None or command["command"] not in LISTED:
            return False

        def show(locations):
            view = session.window.active_view()
            if view is not None and locations and len(locations) > 1:
                # Panels belong to the main thread, answers arrive on another.
                sublime.set_timeout(lambda: LocationPicker(view, session, locations, side_by_side=False))
            done_callback()

        def fail(error):
            session.window.status_message("gprof-lsp: " + str(error.get("message", error)))
            done_callback()

        session.send_request(Request("workspace/executeCommand", command), show, fail)
        return True


def plugin_loaded():
    register_plugin(Gprof)


def plugin_unloaded():
    unregister_plugin(Gprof)
