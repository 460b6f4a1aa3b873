// Which lines are requested: those on the screen and a screen around them. Pure.

// Both ends included.
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

// The visible parts of an editor, possibly with folded code in between, each extended by a screen at both ends.
export function rangesAround(visible: readonly LineRange[], lineCount: number): LineRange[] {
  return widened(visible, screenOf(visible), lineCount);
}

// Whether half a screen of known lines, or the end of the text, surrounds all visible ones.
export function areCovered(
  visible: readonly LineRange[],
  known: readonly LineRange[],
  lineCount: number,
): boolean {
  const wanted = widened(visible, Math.floor(screenOf(visible) / 2), lineCount);
  return wanted.every((range) => known.some((other) => other.first <= range.first && other.last >= range.last));
}

function screenOf(visible: readonly LineRange[]): number {
  return visible.reduce((sum, range) => sum + range.last - range.first + 1, 0);
}

// Ascending; adjacent ones merged.
function widened(ranges: readonly LineRange[], lines: number, lineCount: number): LineRange[] {
  const last = Math.max(lineCount - 1, 0);
  const wide = ranges
    .map((range) => ({ first: Math.max(range.first - lines, 0), last: Math.min(range.last + lines, last) }))
    .sort((a, b) => a.first - b.first);
  const merged: LineRange[] = [];
  for (const range of wide) {
    const before = merged.at(-1);
    if (before === undefined || range.first > before.last + 1) merged.push(range);
    else merged[merged.length - 1] = { first: before.first, last: Math.max(before.last, range.last) };
  }
  return merged;
}
