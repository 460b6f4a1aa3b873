// Draws the axis, and the rows that are scrolled into view: heat per column, or what a thread did in it; what is
// selected, and where the keys are.
import { cssColour } from '../../../pictures/colours';
import type { Theme } from '../../../pictures/media/common/theme';
import type { Selection, TimelineResult } from '../../../server/protocol';
import { blocksOf, partsOfColumn } from '../../activities';
import { ticks } from '../../axis';
import type { Stretch } from '../../selection';
import { isIncluded, stretchOf } from '../../selection';
import type { ActivityColours } from './colours';

export const axisHeight = 22;
const leastStrength = 0.15;
const dimmed = 0.25;

// Where things are, in CSS pixels.
export interface Field {
  readonly left: number; // of the heat
  readonly right: number;
  readonly rowHeight: number;
}

export interface Drawing extends Field {
  readonly result: TimelineResult;
  readonly largest: number;
  readonly activityColours: ActivityColours;
  readonly selection: Selection | null;
  readonly draft: Stretch | undefined; // being chosen
  readonly cursor: { readonly row: number; readonly column: number } | undefined; // while the keys are here
  readonly scrolled: number;
}

export function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no canvas');
  return context;
}

// In CSS pixels, not in those of the screen.
export function resize(canvas: HTMLCanvasElement, width: number, height: number): void {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  contextOf(canvas).setTransform(ratio, 0, 0, ratio, 0, 0);
}

function xOf(time: number, { result, left, right }: Drawing): number {
  const length = result.to - result.from;
  const part = length > 0 ? (time - result.from) / length : 0;
  return left + Math.max(0, Math.min(1, part)) * (right - left);
}

export function drawAxis(canvas: HTMLCanvasElement, drawing: Drawing, theme: Theme): void {
  const context = contextOf(canvas);
  context.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  context.font = theme.textFont;
  context.textBaseline = 'middle';
  const { from, to } = drawing.result;
  const width = drawing.right - drawing.left;
  drawBand(context, drawing, theme, axisHeight);
  drawBounds(context, drawing, theme, axisHeight);
  context.fillStyle = cssColour(theme.description);
  context.globalAlpha = 1;
  const room = context.measureText('00.0 s').width + 10;
  let end = -Infinity;
  for (const { time, text } of ticks({ from, to }, Math.max(1, Math.floor(width / room)))) {
    const x = Math.round(xOf(time, drawing));
    context.fillRect(x, axisHeight - 4, 1, 4);
    const half = context.measureText(text).width / 2;
    const at = Math.max(drawing.left + half, Math.min(drawing.right - half, x));
    if (at - half < end + 4) continue;
    context.textAlign = 'center';
    context.fillText(text, at, (axisHeight - 4) / 2);
    end = at + half;
  }
}

export function drawRows(canvas: HTMLCanvasElement, drawing: Drawing, theme: Theme): void {
  const context = contextOf(canvas);
  const height = canvas.clientHeight;
  context.clearRect(0, 0, canvas.clientWidth, height);
  const { rows } = drawing.result;
  const first = Math.max(0, Math.floor(drawing.scrolled / drawing.rowHeight));
  const last = Math.min(rows.length, Math.ceil((drawing.scrolled + height) / drawing.rowHeight));
  const bottom = Math.min(height, rows.length * drawing.rowHeight - drawing.scrolled);
  // Under the heat, whose colours it would change.
  drawBand(context, drawing, theme, bottom);
  for (let row = first; row < last; row++) drawRow(context, drawing, theme, row);
  drawBounds(context, drawing, theme, bottom);
  drawCursor(context, drawing, theme);
}

function drawRow(context: CanvasRenderingContext2D, drawing: Drawing, theme: Theme, index: number): void {
  const row = drawing.result.rows[index];
  if (row === undefined) return;
  const { left, right, rowHeight, scrolled, selection, largest } = drawing;
  const top = index * rowHeight - scrolled + 1;
  const height = rowHeight - 2;
  context.globalAlpha = theme.highContrast ? 1 : 0.08;
  context.fillStyle = cssColour(theme.foreground);
  if (theme.highContrast) context.fillRect(left, top + height - 1, right - left, 1);
  else context.fillRect(left, top, right - left, height);
  const stretch = drawing.draft ?? stretchOf(selection, drawing.result);
  const isOn = isIncluded(selection, row);
  const width = (drawing.result.to - drawing.result.from) / row.values.length;
  const colours = { on: cssColour(theme.hot), off: cssColour(theme.description) };
  row.values.forEach((value, column) => {
    const parts = row.activities === undefined ? [] : partsOfColumn(row, column);
    if (!(value > 0 || parts.length > 0) || !(largest > 0)) return;
    const begin = drawing.result.from + column * width;
    const isWithin = stretch === undefined || (begin + width > stretch.from + width * 1e-6 && begin < stretch.to - width * 1e-6);
    const x = Math.round(xOf(begin, drawing));
    const next = Math.max(x + 1, Math.round(xOf(begin + width, drawing)));
    const isSelected = isOn && isWithin;
    const box = { x, top, width: next - x, height };
    if (row.activities !== undefined) {
      context.globalAlpha = isSelected ? 1 : dimmed;
      for (const block of blocksOf(parts, largest, height)) {
        context.fillStyle = drawing.activityColours[block.name];
        context.fillRect(x, top + height - block.bottom - block.height, box.width, block.height);
      }
      return;
    }
    context.fillStyle = isSelected ? colours.on : colours.off;
    drawCell(context, theme.highContrast, box, value / largest, isSelected);
  });
  context.globalAlpha = 1;
}

interface Box {
  readonly x: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

// With high contrast, bars: shades cannot be told from each other.
function drawCell(
  context: CanvasRenderingContext2D, highContrast: boolean, { x, top, width, height }: Box, share: number, isSelected: boolean,
): void {
  if (highContrast) {
    const filled = Math.max(2, Math.round(height * share));
    context.globalAlpha = isSelected ? 1 : 0.6;
    context.fillRect(x, top + height - filled, width, filled);
  } else {
    const strength = leastStrength + (1 - leastStrength) * Math.sqrt(share);
    context.globalAlpha = isSelected ? strength : strength * dimmed;
    context.fillRect(x, top, width, height);
  }
}

interface Bounds {
  readonly from: number;
  readonly to: number;
}

function boundsOf(drawing: Drawing): Bounds | undefined {
  const stretch = drawing.draft ?? stretchOf(drawing.selection, drawing.result);
  if (stretch === undefined) return undefined;
  const from = Math.round(xOf(stretch.from, drawing));
  return { from, to: Math.max(from + 1, Math.round(xOf(stretch.to, drawing))) };
}

function drawBand(context: CanvasRenderingContext2D, drawing: Drawing, theme: Theme, bottom: number): void {
  const bounds = boundsOf(drawing);
  if (bounds === undefined || theme.highContrast) return;
  context.globalAlpha = 0.2;
  context.fillStyle = cssColour(theme.focus);
  context.fillRect(bounds.from, 0, bounds.to - bounds.from, bottom);
  context.globalAlpha = 1;
}

// Dashed while it is being chosen.
function drawBounds(context: CanvasRenderingContext2D, drawing: Drawing, theme: Theme, bottom: number): void {
  const bounds = boundsOf(drawing);
  if (bounds === undefined) return;
  context.globalAlpha = 1;
  context.strokeStyle = cssColour(theme.focus);
  context.lineWidth = theme.highContrast ? 2 : 1;
  context.setLineDash(drawing.draft === undefined ? [] : [4, 3]);
  context.beginPath();
  for (const x of [bounds.from + 0.5, bounds.to - 0.5]) {
    context.moveTo(x, 0);
    context.lineTo(x, bottom);
  }
  context.stroke();
  context.setLineDash([]);
}

function drawCursor(context: CanvasRenderingContext2D, drawing: Drawing, theme: Theme): void {
  const { cursor, rowHeight, result } = drawing;
  if (cursor === undefined) return;
  const count = result.rows[cursor.row]?.values.length ?? 0;
  if (count === 0) return;
  const width = (result.to - result.from) / count;
  const x = Math.round(xOf(result.from + cursor.column * width, drawing));
  const next = Math.max(x + 3, Math.round(xOf(result.from + (cursor.column + 1) * width, drawing)));
  context.globalAlpha = 1;
  context.lineWidth = 1;
  const top = cursor.row * rowHeight - drawing.scrolled;
  context.strokeStyle = cssColour(theme.foreground);
  context.strokeRect(x - 0.5, top + 0.5, next - x + 1, rowHeight - 1);
}
