// What the time line tells of rows and stretches in words and numbers. Pure.
import { activitiesText } from './activities';
import { shareText } from '../figures/numbers';
import { valueText } from '../metrics/text';
import type { Selection, TimelineResult, TimelineRow } from '../server/protocol';
import type { Columns } from './axis';
import { columnWidth, stretchOfColumns, stretchText } from './axis';
import type { RowKind } from './messages';
import type { Row, Stretch } from './selection';
import { isIncluded } from './selection';

export function columnsOf({ rows, from, to }: TimelineResult): Columns {
  return { run: { from, to }, count: Math.max(1, ...rows.map(({ values }) => values.length)) };
}

// "parser (12)", "thread 12", "gmon.out.7 (7)".
export function rowName({ name, thread, process }: Row): string {
  const number = thread ?? process;
  if (name === '') return `${thread === undefined ? 'process' : 'thread'} ${number}`;
  return `${name} (${number})`;
}

export function wholeOf(rows: readonly TimelineRow[]): number {
  return rows.reduce((sum, { total }) => sum + total, 0);
}

export function largestValue(rows: readonly TimelineRow[]): number {
  let largest = 0;
  for (const { values } of rows) for (const value of values) largest = Math.max(largest, value);
  return largest;
}

// "parser (12): 0.52 s, 61 %", and what it did: "parser (12): 0.52 s, 61 %: running 0.12 s, lock 0.40 s".
export function rowText(row: TimelineRow, { rows, unit }: TimelineResult): string {
  const whole = wholeOf(rows);
  const share = whole > 0 ? `, ${shareText(row.total / whole)}` : '';
  return joined(`${rowName(row)}: ${valueText(row.total, undefined, unit)}${share}`, activitiesText({ unit }, row));
}

function joined(text: string, doings: string): string {
  return doings === '' ? text : `${text}: ${doings}`;
}

// "1.20 s to 1.25 s: 42 ms", "1.20 s to 1.25 s: 42 ms: running 12 ms, lock 30 ms".
export function columnText(row: TimelineRow, column: number, result: TimelineResult): string {
  const columns = columnsOf(result);
  const stretch = stretchText(stretchOfColumns(columns, column, column), columnWidth(columns));
  return joined(`${stretch}: ${valueText(row.values[column] ?? 0, undefined, result.unit)}`, activitiesText(result, row, column));
}

// What the rows that are selected cost within the stretch; columns that lie in it in part count by that part.
export function costOf(result: TimelineResult, selection: Selection | null, { from, to }: Stretch): number {
  const columns = columnsOf(result);
  const width = columnWidth(columns);
  let sum = 0;
  for (const row of result.rows.filter((one) => isIncluded(selection, one))) {
    row.values.forEach((value, column) => {
      const begin = result.from + column * width;
      const part = Math.min(to, begin + width) - Math.max(from, begin);
      if (part > 0 && width > 0) sum += value * Math.min(1, part / width);
    });
  }
  return sum;
}

// "1.20 s to 3.40 s: 0.55 s, 12 %": while a stretch is being chosen.
export function draftText(result: TimelineResult, selection: Selection | null, stretch: Stretch): string {
  const cost = costOf(result, selection, stretch);
  const whole = wholeOf(result.rows);
  const share = whole > 0 ? `, ${shareText(cost / whole)}` : '';
  return `${stretchText(stretch, columnWidth(columnsOf(result)))}: ${valueText(cost, undefined, result.unit)}${share}`;
}

// "3 threads from 0 s to 12.3 s".
export function pictureText(result: TimelineResult, kind: RowKind, label: string): string {
  const one = kind === 'threads' ? 'thread' : 'process';
  const count = result.rows.length === 1 ? `1 ${one}` : `${result.rows.length} ${kind}`;
  const columns = columnsOf(result);
  return `Time line: ${label} of ${count}, ${stretchText(columns.run, columnWidth(columns))}`;
}

// What the picture does not show.
export function leftOutText({ omittedRows = 0, untimed = 0, unit }: TimelineResult, kind: RowKind): string {
  return [
    ...(omittedRows > 0 ? [`${omittedRows} ${kind} with less are left out`] : []),
    ...(untimed > 0 ? [`${valueText(untimed, undefined, unit)} without a known time`] : []),
  ].join('; ');
}
