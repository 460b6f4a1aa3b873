#!/usr/bin/env python3
"""Draws docs/architecture.svg from the includes of the sources.

draw_architecture.py          writes it
draw_architecture.py --check  fails if it is out of date, or ARCHITECTURE.md names a missing file

An arrow leads from a folder to one whose headers it includes; what follows from other arrows is
left out, so that the picture shows the order of the folders rather than every include.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"
PAGE = ROOT / "ARCHITECTURE.md"
INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
AREAS = {
    "server": "server/: what the editor and the command line are told",
    "engine": "engine/: from files to an analysed profile",
}
OUTSIDE = {"server": "main.cc", "engine": "snapshot, program"}
WIDTH, BOX_WIDTH, BOX_HEIGHT, TURN_WIDTH, GAP_X, GAP_Y = 640, 132, 26, 8, 16, 34
MARGIN, TITLE = 16, 26


def folder_of(path):
    """(area, folder) of a source or an included header; None for what lies elsewhere."""
    parts = pathlib.PurePosixPath(path).parts
    if not parts or parts[0] not in AREAS:
        return None
    return parts[0], parts[1] if len(parts) > 2 else parts[0]


def read_arrows():
    """{area: {folder: folders of the same area that it includes}} and the pairs of areas."""
    folders = {area: {} for area in AREAS}
    between = set()
    for area in AREAS:
        for source in sorted((ROOT / area).rglob("*")):
            if source.suffix not in (".cc", ".h", ".S"):
                continue
            _, folder = folder_of(source.relative_to(ROOT).as_posix())
            included = folders[area].setdefault(folder, set())
            for name in INCLUDE.findall(source.read_text()):
                other = folder_of(name)
                if other is None:
                    continue
                if other[0] != area:
                    between.add((area, other[0]))
                elif other[1] != folder:
                    included.add(other[1])
    return folders, between


def reachable(arrows, start):
    found, waiting = set(), list(arrows[start])
    while waiting:
        folder = waiting.pop()
        if folder not in found:
            found.add(folder)
            waiting.extend(arrows.get(folder, ()))
    return found


def without_shortcuts(arrows):
    """Arrows that do not follow from others."""
    return {
        folder: {
            other
            for other in included
            if not any(other in reachable(arrows, third) for third in included if third != other)
        }
        for folder, included in arrows.items()
    }


def layers_of(arrows):
    """Folders by the length of the longest way down from them; those that include nothing last."""
    depth = {}

    def depth_of(folder, above=()):
        if folder in above:
            circle = " -> ".join([*above[above.index(folder):], folder])
            sys.exit(f"folders include each other in a circle: {circle}")
        if folder not in depth:
            depth[folder] = 1 + max(
                (depth_of(other, (*above, folder)) for other in arrows[folder]), default=-1
            )
        return depth[folder]

    for folder in sorted(arrows):
        depth_of(folder)
    rows = [[] for _ in range(max(depth.values()) + 1)]
    for folder in sorted(depth):
        rows[max(depth.values()) - depth[folder]].append(folder)
    return rows


def with_turns(arrows, rows):
    """Rows with a turn, (folder, other, row), wherever an arrow passes a row by; and the hops."""
    row_of = {folder: number for number, row in enumerate(rows) for folder in row}
    full = [list(row) for row in rows]
    hops = []
    for folder in sorted(arrows):
        for other in sorted(arrows[folder]):
            begin = folder
            for number in range(row_of[folder] + 1, row_of[other]):
                turn = (folder, other, number)
                full[number].append(turn)
                hops.append((begin, turn))
                begin = turn
            hops.append((begin, other))
    return full, hops


def width_of(item):
    return BOX_WIDTH if isinstance(item, str) else TURN_WIDTH


def placed(rows, hops, top):
    """{folder or turn: (x, y)} of the left upper corners; a row in the order of what leads to it."""
    places = {}
    for number, row in enumerate(rows):

        def middle_of_users(item):
            users = [places[user][0] + width_of(user) / 2 for user, used in hops if used == item]
            return (sum(users) / len(users) if users else 0, str(item))

        x = MARGIN
        for item in sorted(row, key=middle_of_users):
            places[item] = (x, top + number * (BOX_HEIGHT + GAP_Y))
            x += width_of(item) + GAP_X
        shift = (WIDTH - (x - GAP_X + MARGIN)) / 2
        for item in row:
            places[item] = (places[item][0] + shift, places[item][1])
    return places


def hop(begin, end, places):
    """A curve from below one to above the other; a turn is passed straight."""
    x1, y1 = places[begin][0] + width_of(begin) / 2, places[begin][1] + BOX_HEIGHT
    x2, y2 = places[end][0] + width_of(end) / 2, places[end][1]
    middle = (y1 + y2) / 2
    path = f"M {x1:.0f} {y1} C {x1:.0f} {middle:.0f} {x2:.0f} {middle:.0f} {x2:.0f} {y2}"
    if isinstance(end, str):
        return f'<path class="arrow" d="{path}"/>'
    return f'<path class="line" d="{path} L {x2:.0f} {y2 + BOX_HEIGHT}"/>'


def box(area, folder, place):
    """A folder; what lies in none goes by the name of what it is for."""
    x, y = place
    folder = OUTSIDE[area] if folder == area else folder
    return (
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="4"/>'
        f'<text x="{x + BOX_WIDTH / 2:.0f}" y="{y + 17:.0f}">{folder}</text>'
    )


def draw():
    folders, between = read_arrows()
    areas, top = {}, 0
    for area in AREAS:
        arrows = without_shortcuts(folders[area])
        rows, hops = with_turns(arrows, layers_of(folders[area]))
        places = placed(rows, hops, top + TITLE + MARGIN)
        bottom = max(y for _, y in places.values()) + BOX_HEIGHT + MARGIN
        areas[area] = (hops, places, top, bottom)
        top = bottom + GAP_Y
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top - GAP_Y}" '
        'font-family="sans-serif" font-size="12">',
        "<!-- Made by scripts/draw_architecture.py. -->",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M 0 0 L 8 4 L 0 8 z" fill="#57606a"/></marker>'
        "</defs>",
        "<style>rect { fill: #f6f8fa; stroke: #57606a } .area { fill: #ffffff; stroke: #afb8c1 }"
        " text { fill: #24292f; text-anchor: middle } .title { text-anchor: start;"
        " font-weight: bold } .arrow, .line { fill: none; stroke: #57606a }"
        " .arrow { marker-end: url(#head) }</style>",
    ]
    for area, (hops, places, begin, end) in areas.items():
        lines.append(
            f'<rect class="area" x="1" y="{begin + 1}" width="{WIDTH - 2}" '
            f'height="{end - begin - 2}" rx="6"/>'
            f'<text class="title" x="{MARGIN}" y="{begin + 20}">{AREAS[area]}</text>'
        )
        lines.extend(hop(user, used, places) for user, used in hops)
        boxes = sorted(item for item in places if isinstance(item, str))
        lines.extend(box(area, folder, places[folder]) for folder in boxes)
    for user, used in sorted(between):
        begin, end = areas[user][3], areas[used][2]
        if begin < end:
            x = WIDTH / 2
            lines.append(f'<path class="arrow" d="M {x:.0f} {begin} L {x:.0f} {end}"/>')
    return "\n".join([*lines, "</svg>", ""])


def missing_files():
    """Names on the page that lead nowhere; files stand there without their endings."""
    folders = "engine|server|runtime|formats|tests|scripts|docs"
    named = re.findall(rf"`((?:{folders})/[\w/.-]*)`", PAGE.read_text())
    return [
        name
        for name in sorted(set(named))
        if not (ROOT / name).exists()
        and not list((ROOT / name).parent.glob(pathlib.PurePosixPath(name).name + ".*"))
    ]


def main():
    text = draw()
    if "--check" not in sys.argv[1:]:
        PICTURE.write_text(text)
        return
    if not PICTURE.exists() or PICTURE.read_text() != text:
        sys.exit(
            "docs/architecture.svg does not match the includes of the sources: run "
            "scripts/draw_architecture.py, and look at what has moved"
        )
    if missing := missing_files():
        sys.exit(f"ARCHITECTURE.md names what is not there: {', '.join(missing)}")


if __name__ == "__main__":
    main()
