// The axis of time: which time lies where, and round marks. Pure.
import type { Stretch } from './selection';

export interface Tick {
  readonly time: number;
  readonly text: string;
}

// Steps that are read at once, in seconds: above a minute those of a clock.
const steps = [
  ...[-9, -8, -7, -6, -5, -4, -3, -2, -1, 0].flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`))),
  10, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800,
];

// At most so many marks, at round times.
export function ticks({ from, to }: Stretch, most: number): Tick[] {
  const length = to - from;
  if (!(length > 0) || most < 1) return [];
  const step = steps.find((wanted) => length / wanted <= most) ?? length;
  const made: Tick[] = [];
  for (let count = Math.ceil(from / step - 1e-9); count * step <= to + step * 1e-9; count++) {
    made.push({ time: count * step, text: tickText(count * step, step) });
  }
  return made;
}

function tickText(time: number, step: number): string {
  if (time === 0) return '0';
  if (step >= 3_600) return `${trimmed(time / 3_600, step / 3_600)} h`;
  if (step >= 60) return `${trimmed(time / 60, step / 60)} min`;
  if (step >= 0.1) return `${trimmed(time, step)} s`;
  if (step >= 1e-3) return time >= 1 ? `${trimmed(time, step)} s` : `${trimmed(time * 1e3, step * 1e3)} ms`;
  return time >= 1e-3 ? `${trimmed(time * 1e3, step * 1e3)} ms` : `${trimmed(time * 1e6, step * 1e6)} µs`;
}

// With the decimals that the step needs.
function trimmed(value: number, step: number): string {
  return value.toFixed(Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
}

// "1.20 s": a moment, to the exactness of one column.
export function momentText(time: number, columnWidth: number): string {
  return time === 0 ? '0 s' : `${trimmed(time, roundStep(columnWidth))} s`;
}

export function stretchText({ from, to }: Stretch, columnWidth: number): string {
  return `${momentText(from, columnWidth)} to ${momentText(to, columnWidth)}`;
}

// The largest power of ten that is not longer than a column.
function roundStep(columnWidth: number): number {
  return columnWidth > 0 ? 10 ** Math.floor(Math.log10(columnWidth) + 1e-9) : 1e-9;
}

// To the exactness that the picture has, so that bounds have few digits.
export function roundedTime(time: number, columnWidth: number): number {
  const power = Math.round(Math.log10(roundStep(columnWidth)));
  return power >= 0 ? Math.round(time / 10 ** power) * 10 ** power : Number(time.toFixed(Math.min(12, -power)));
}

// The columns of `count` in `run`.
export interface Columns {
  readonly run: Stretch;
  readonly count: number;
}

export function columnWidth({ run, count }: Columns): number {
  return (run.to - run.from) / Math.max(1, count);
}

export function columnAt(columns: Columns, time: number): number {
  const at = Math.floor((time - columns.run.from) / columnWidth(columns) + 1e-9);
  return Math.max(0, Math.min(columns.count - 1, Number.isFinite(at) ? at : 0));
}

export function stretchOfColumns(columns: Columns, first: number, last: number): Stretch {
  const width = columnWidth(columns);
  const { run } = columns;
  return {
    from: first <= 0 ? run.from : roundedTime(run.from + first * width, width),
    to: last + 1 >= columns.count ? run.to : roundedTime(run.from + (last + 1) * width, width),
  };
}

// From one x to another, both as parts of the width; at least a column.
export function stretchOfDrag(columns: Columns, a: number, b: number): Stretch {
  const width = columnWidth(columns);
  const { run } = columns;
  const timeAt = (part: number): number => {
    if (part <= 0) return run.from;
    return part >= 1 ? run.to : roundedTime(run.from + part * (run.to - run.from), width);
  };
  const [from, to] = [timeAt(Math.min(a, b)), timeAt(Math.max(a, b))];
  if (to > from) return { from, to };
  const column = columnAt(columns, from);
  return stretchOfColumns(columns, column, column);
}
