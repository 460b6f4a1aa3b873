// The text at the end of a line: its cells below those of other lines. Pure.
import type { LineColumn } from '../server/protocol';

// The editor drops blanks at the ends of decorations, but not these.
const blank = '\u00a0';

// Each cell ends where its column does, unless it is wider. Empty if there is nothing to show.
export function lineText(cells: readonly string[], columns: readonly LineColumn[]): string {
  return cells
    .map((cell, index) => cell.padStart(columns[index]?.width ?? 0))
    .join(' ')
    .replaceAll(' ', blank);
}
