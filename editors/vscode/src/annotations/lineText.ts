// The text at the end of a line: its cells below those of other lines. Pure.
import type { LineColumn } from '../server/protocol';
import { gap } from './alignment';

// Neither breaks a line nor is dropped by the editor.
const blank = '\u00a0';
// Where a line may break though nothing is in front.
const breakPoint = '\u200b';
// Columns that move to the left, rather than beyond the edge of the window.
const leadingColumns = 2;

// Each cell ends where its column does, unless it is wider. Where they do not all fit into so many characters, blank
// ones make room. Lines break between cells and before the first. Empty if there is nothing to show.
export function lineText(cells: readonly string[], columns: readonly LineColumn[], characters = Infinity): string {
  if (cells.every((cell) => cell === '')) return '';
  const padded = cells.map((cell, index) => cell.padStart(columns[index]?.width ?? 0).replaceAll(' ', blank));
  const whole = padded.join(' ');
  return breakPoint + (whole.length <= characters ? whole : padded.filter((_, index) => cells[index] !== '').join(' '));
}

// The share alone, of a line behind which not even that fits; for the gutter, where it always does. Undefined if it fits,
// and where there is none: "25", of a hundred.
export function shareForGutter(cells: readonly string[], columns: readonly LineColumn[], characters: number): string | undefined {
  const share = cells[columns.findIndex(({ name }) => name === 'share')]?.trim() ?? '';
  return share === '' || share.length <= characters ? undefined : share.replace(/[\s%]/g, '');
}

export interface Placement {
  readonly lineWidth: number;
  readonly column: number;
  readonly cellColumns: readonly LineColumn[];
  // Pixels that the window has for text, if that is known.
  readonly room: number | undefined;
}

// Figures begin in their column, or as far to the left of it as the leading ones need, and behind the line. Cells that
// the rest of the window does not hold go to a second line, which is not shown.
export function placementStyle({ lineWidth, column, cellColumns, room }: Placement): string {
  // Otherwise there may be a side bar, for which figures make room, but no cell is left out.
  const [least, most] = room === undefined ? ['100vw - 500px', '100vw - 200px'] : [`${room}px`, `${room}px`];
  const needed = neededBy(cellColumns);
  const start = `max(${lineWidth + gap}ch, min(${column}ch, ${least} - ${needed}ch))`;
  return [
    `0 0 0 calc(${start} - ${lineWidth}ch)`,
    'display: inline-block',
    `max-width: calc(${most} - ${start})`,
    'height: 1lh',
    'vertical-align: top',
    'overflow: hidden',
    'white-space: pre-wrap',
  ].join('; ');
}

// How many characters fit behind a line, by the width of one: about as many as the style will show.
export function charactersBehind({ lineWidth, column, cellColumns, room }: Placement, characterWidth: number): number {
  if (room === undefined) return Infinity;
  const characters = Math.floor(room / characterWidth);
  return characters - Math.max(lineWidth + gap, Math.min(column, characters - neededBy(cellColumns)));
}

function neededBy(columns: readonly LineColumn[]): number {
  return columns.slice(0, leadingColumns).reduce((sum, { width }) => sum + width + 1, 0);
}
