// The flat profile as a table: its columns, and which rows are shown in which order.
import { differenceMark, differenceText, exactCount, sampledTime, shareText, shortCount, timeText } from '../figures/numbers';
import type { SampleScale } from '../figures/numbers';
import type { FlatProfileRow, OtherSamples } from '../server/protocol';

// A function, or other sampled code, which has no calls and no place.
export type TableRow = Omit<FlatProfileRow, 'percent' | 'cumulativeSeconds'> &
  Partial<Pick<FlatProfileRow, 'percent' | 'cumulativeSeconds'>> & { readonly isOther?: boolean };

// With these the rows cover all samples. The collector's have no share of the program.
export function otherRow({ name, kind, seconds, error, percent }: OtherSamples): TableRow {
  return {
    name: kind === 'collector' ? `${name} the collector itself` : name,
    linkageName: '', selfSeconds: seconds, selfError: error, isOther: true,
    ...(percent === undefined ? {} : { percent }),
  };
}

export type ColumnName = 'name' | 'percent' | 'self' | 'difference' | 'calls' | 'selfPerCall' | 'totalPerCall' | 'cumulative';

export interface Column {
  readonly name: ColumnName;
  readonly title: string;
  readonly hint: string;
  readonly letters: number; // of its widest text
  readonly descendingFirst: boolean;
  readonly value: (row: TableRow) => number | string | undefined;
  readonly text: (row: TableRow, unit: string, scale: SampleScale) => string;
}

// Without samples there is no figure.
function perCall(time: number | undefined, unit: string): string {
  return time === undefined || time === 0 ? '' : timeText(time, unit);
}

function selfText({ selfSeconds, selfError }: TableRow, unit: string, scale: SampleScale): string {
  return sampledTime(selfSeconds, selfError, scale, unit);
}

// In order of importance: a narrow view drops the last first; the name comes first.
export const columns: readonly Column[] = [
  {
    name: 'name', title: 'Function', hint: 'Functions by name', letters: 0, descendingFirst: false,
    value: (row) => row.name, text: (row) => row.name,
  },
  {
    name: 'percent', title: '%', hint: 'Share of the program’s time', letters: 7, descendingFirst: true,
    value: (row) => row.percent, text: ({ percent }) => (percent === undefined ? '' : shareText(percent / 100)),
  },
  {
    name: 'self', title: 'Self', hint: 'Time in the function itself, with its error', letters: 13, descendingFirst: true,
    value: (row) => row.selfSeconds, text: selfText,
  },
  {
    name: 'difference', title: 'Change', hint: 'Self time beside that of the base, for one run', letters: 16, descendingFirst: true,
    value: (row) => row.selfDifference?.difference,
    text: ({ selfDifference }, unit) => selfDifference === undefined ? ''
      : `${differenceMark(selfDifference)} ${signed(selfDifference.difference, unit)}`,
  },
  {
    name: 'calls', title: 'Calls', hint: 'Calls by other functions', letters: 7, descendingFirst: true,
    value: (row) => row.calls, text: (row) => (row.calls === undefined ? '' : shortCount(row.calls)),
  },
  {
    name: 'selfPerCall', title: 'Self/Call', hint: 'Time in the function itself for each call', letters: 10, descendingFirst: true,
    value: (row) => row.selfPerCall, text: (row, unit) => perCall(row.selfPerCall, unit),
  },
  {
    name: 'totalPerCall', title: 'Total/Call', hint: 'Time with what it called, for each call', letters: 10, descendingFirst: true,
    value: (row) => row.totalPerCall, text: (row, unit) => perCall(row.totalPerCall, unit),
  },
  {
    name: 'cumulative', title: 'Cumulative', hint: 'Time of this and all functions before it in gprof’s order', letters: 11,
    descendingFirst: false, value: (row) => row.cumulativeSeconds, 
    text: ({ cumulativeSeconds }, unit) => (cumulativeSeconds === undefined ? '' : timeText(cumulativeSeconds, unit)),
  },
];

function signed(time: number, unit: string): string {
  return `${time > 0 ? '+' : time < 0 ? '−' : ''}${timeText(Math.abs(time), unit)}`;
}

export interface Order {
  readonly column: ColumnName;
  readonly descending: boolean;
}

export const gprofsOrder: Order = { column: 'self', descending: true };

export function isComparing(rows: readonly TableRow[]): boolean {
  return rows.some((row) => row.selfDifference !== undefined);
}

// As many as fit.
export function columnsFor(letters: number, comparing: boolean): Column[] {
  const nameLetters = 16;
  let left = letters - nameLetters;
  const shown: Column[] = [];
  for (const column of columns) {
    if (column.name === 'difference' && !comparing) continue;
    left -= column.letters;
    if (left < 0 && shown.length > 1) break;
    shown.push(column);
  }
  return shown;
}

// Rows without a value come last, in either order; equal ones in gprof's.
export function sortedRows(rows: readonly TableRow[], order: Order): TableRow[] {
  const column = columns.find(({ name }) => name === order.column) ?? columns[0];
  if (column === undefined) return [...rows];
  const sign = order.descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = column.value(a);
    const y = column.value(b);
    if (x === undefined || y === undefined) return Number(x === undefined) - Number(y === undefined);
    if (typeof x === 'string' || typeof y === 'string') return sign * String(x).localeCompare(String(y), 'en');
    return sign * (x - y);
  });
}

// A query with capital letters is case-sensitive.
export function filteredRows(rows: readonly TableRow[], query: string): readonly TableRow[] {
  const wanted = query.trim();
  if (wanted === '') return rows;
  const exact = wanted !== wanted.toLowerCase();
  return rows.filter(({ name }) => (exact ? name : name.toLowerCase()).includes(wanted));
}

// A second click on a column reverses its order.
export function orderAfterClick(order: Order, name: ColumnName): Order {
  if (order.column === name) return { column: name, descending: !order.descending };
  return { column: name, descending: columns.find((column) => column.name === name)?.descendingFirst ?? true };
}

// The whole row, for the hover and for screen readers.
export function rowText(row: TableRow, unit: string, scale: SampleScale): string {
  const share = row.percent === undefined ? 'no part of the program’s time' : shareText(row.percent / 100);
  const parts = [`${share}, itself ${selfText(row, unit, scale)}`];
  if (row.selfDifference !== undefined) parts.push(differenceText(row.selfDifference, unit));
  if (row.calls !== undefined) parts.push(`${exactCount(row.calls)} ${row.calls === 1 ? 'call' : 'calls'}`);
  if (row.totalPerCall !== undefined && row.totalPerCall > 0) parts.push(`${timeText(row.totalPerCall, unit)} in all for each`);
  return `${row.name}: ${parts.join(', ')}`;
}
