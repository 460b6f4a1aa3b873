"""Starts Kate and writes what it shows of a profile: look.py PLAN

Runs in a session bus of its own, with the system's Python. Kate is seen and used as a screen reader
does it: texts, menus and lists by the accessibility bus. The plan is a JSON file:
  file    the source to open                    result  where to write what was seen, as JSON
  place   how many characters of the source stand before the word to look at
  hover   what the hover has to contain
  references  how many lines a list of references has to have
"""
import json
import pathlib
import subprocess
import sys
import time
import warnings

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

# Parts of the interface below which is nothing to see here.
LIMIT_OF_CHILDREN = 300
PATIENCE = 60


def nodes(node, depth=0):
    """The node and all below it. What goes while it is looked at is left out."""
    yield node
    try:
        children = [node.get_child_at_index(index)
                    for index in range(min(node.get_child_count(), LIMIT_OF_CHILDREN))]
    except GLib.Error:
        return
    for child in children:
        if child is not None and depth < 40:
            yield from nodes(child, depth + 1)


def of_kate(role, name=None):
    """All parts of Kate of that role, and that name."""
    desktop = Atspi.get_desktop(0)
    # What was asked of a Kate that still starts would be remembered as if it were all.
    desktop.set_cache_mask(Atspi.Cache.NONE)
    desktop.clear_cache()
    found = []
    for index in range(desktop.get_child_count()):
        application = desktop.get_child_at_index(index)
        if application is None or application.get_name() != "kate":
            continue
        for node in nodes(application):
            try:
                if node.get_role_name() == role and name in (None, node.get_name()):
                    found.append(node)
            except GLib.Error:
                pass  # gone already
    return found


def until(what, condition, again=lambda: None):
    """What the condition returns once that is true; once a second, asks again."""
    limit, asked = time.monotonic() + PATIENCE, 0
    while True:
        if time.monotonic() > asked + 1:
            again()
            asked = time.monotonic()
        value = condition()
        if value:
            return value
        if time.monotonic() > limit:
            raise TimeoutError(f"no sign of {what}")
        time.sleep(0.1)


def text_of(node):
    try:
        return Atspi.Text.get_text(node, 0, -1)
    except GLib.Error:
        return ""


def choose(name):
    """Chooses an entry of a menu."""
    Atspi.Action.do_action(of_kate("menu item", name)[0], 0)


def hover(plan):
    """The hover, after asking for it until the server has been started and has the profile."""
    return until("the hover", lambda: next(
        (text for text in map(text_of, of_kate("label")) if plan["hover"] in text), None),
        lambda: choose("Symbol Info"))


def references(plan):
    choose("Find References")
    listed = until("references", lambda: (
        len(rows := [node.get_name() for node in of_kate("table cell")
                     if node.get_name().startswith("Line: ")]) == plan["references"] and rows))
    return sorted(int(row.split(":")[1]) for row in listed)


def look(plan):
    name = pathlib.Path(plan["file"]).name
    editor = until("the text", lambda: next(
        (node for node in of_kate("text", name) if text_of(node)), None))
    until("the menu", lambda: of_kate("menu item", "Symbol Info"))
    Atspi.Component.grab_focus(editor)
    Atspi.Text.set_caret_offset(editor, plan["place"])
    return {"hover": hover(plan), "references": references(plan)}


def main():
    warnings.simplefilter("ignore", DeprecationWarning)
    plan = json.loads(pathlib.Path(sys.argv[1]).read_text())
    kate = subprocess.Popen(["kate", "--new", "--block", plan["file"]], stdin=subprocess.DEVNULL)
    try:
        seen = look(plan)
    except (TimeoutError, GLib.Error) as problem:
        seen = {"error": str(problem)}
    finally:
        kate.kill()
        kate.wait()
    pathlib.Path(plan["result"]).write_text(json.dumps(seen))


main()
