// The flat profile as a table: its columns, each with one unit, and which rows are shown in which order.
import type { TimeUnit } from '../figures/columns';
import { percentIn, sampledTimeIn, timeIn, unitOfCalls, unitOfTimes } from '../figures/columns';
import { differenceMark, differenceText, exactCount, sampledTime, shareText, shortCount, timeText } from '../figures/numbers';
import type { SampleScale } from '../figures/numbers';
import type { MetricColumn } from '../metrics/text';
import { columnTitle, metricColumn, valueIn, valuesText } from '../metrics/text';
import type { FlatProfileRow, MetricDescription, OtherSamples } from '../server/protocol';

type OfFunctions = 'percent' | 'cumulativeSeconds' | 'totalSeconds' | 'totalError';

// A function, or other sampled code, which has no calls and no place. A library's has callers.
export type TableRow = Omit<FlatProfileRow, OfFunctions> & Partial<Pick<FlatProfileRow, OfFunctions>>
  & { readonly isOther?: boolean; readonly isLibrary?: boolean };

// With these the rows cover all samples. The collector's have no share of the program.
export function otherRow({ name, kind, seconds, error, percent, totalSeconds, totalError, selfDifference }: OtherSamples): TableRow {
  return {
    name: kind === 'collector' ? `${name} the collector itself` : name,
    linkageName: kind === 'module' ? name : '', selfSeconds: seconds, selfError: error, isOther: true,
    ...(kind === 'module' ? { isLibrary: true } : {}),
    ...(percent === undefined ? {} : { percent }),
    ...(totalSeconds === undefined ? {} : { totalSeconds }),
    ...(totalError === undefined ? {} : { totalError }),
    ...(selfDifference === undefined ? {} : { selfDifference }),
  };
}

// What the figures of a table have in common.
export interface TableFigures {
  readonly unit: string; // of the rows' times
  readonly scale: SampleScale;
  readonly estimated: boolean; // total times are gprof's estimates
  readonly errors: boolean; // self times are shown with them
  readonly times: TimeUnit; // of the columns of times
  readonly perCall: TimeUnit;
  readonly metrics: readonly MetricColumn[]; // those with a column of their own
}

export function figuresOf(
  rows: readonly TableRow[], unit: string, scale: SampleScale, estimated: boolean, metrics: readonly MetricDescription[] = [],
): TableFigures {
  let largest = 0;
  for (const row of rows) largest = Math.max(largest, row.selfSeconds, row.totalSeconds ?? 0);
  const perCall = rows.flatMap((row) => [row.selfPerCall ?? 0, row.totalPerCall ?? 0]);
  return {
    unit, scale, estimated, errors: true, times: unitOfTimes(largest, unit, scale), perCall: unitOfCalls(perCall, unit),
    metrics: metrics.map((metric) => metricColumn(metric, rows.flatMap(({ values }) => values?.[metric.name]?.self ?? []))),
  };
}

type MetricColumnName = `metric ${string}`;
export type ColumnName = MetricColumnName | 'name' | 'percent' | 'self' | 'total' | 'difference' | 'calls' | 'selfPerCall' | 'totalPerCall' | 'cumulative';

export interface Column {
  readonly name: ColumnName;
  readonly title: string;
  readonly hint: string;
  readonly descendingFirst: boolean;
  readonly unit?: (figures: TableFigures) => TimeUnit; // of its times
  readonly value: (row: TableRow) => number | string | undefined;
  readonly text: (row: TableRow, figures: TableFigures) => string;
}

function isEstimate(row: TableRow, { estimated }: TableFigures): boolean {
  return estimated && row.totalSeconds !== row.selfSeconds;
}

// Without samples there is no figure.
function perCall(time: number | undefined, figures: TableFigures): string {
  return time === undefined || time === 0 ? '' : timeIn(time, figures.perCall);
}

function total(row: TableRow, figures: TableFigures): string {
  if (row.totalSeconds === undefined) return '';
  const text = sampledTimeIn(row.totalSeconds, undefined, figures.times, figures.scale);
  return isEstimate(row, figures) && !text.startsWith('<') ? `≈${text}` : text;
}

const timesUnit = ({ times }: TableFigures): TimeUnit => times;
const perCallUnit = ({ perCall: unit }: TableFigures): TimeUnit => unit;

// In order of importance: a narrow view drops the last first; the name comes first. Metrics that were chosen come after
// `self`.
export const columns: readonly Column[] = [
  {
    name: 'name', title: 'Function', hint: 'Functions by name', descendingFirst: false,
    value: (row) => row.name, text: (row) => row.name,
  },
  {
    name: 'percent', title: '%', hint: 'Share of the program’s time', descendingFirst: true,
    value: (row) => row.percent, text: ({ percent }) => (percent === undefined ? '' : percentIn(percent / 100)),
  },
  {
    name: 'self', title: 'Self', hint: 'Time in the function itself, with its error', descendingFirst: true, unit: timesUnit,
    value: (row) => row.selfSeconds,
    text: ({ selfSeconds, selfError }, { times, scale, errors }) => sampledTimeIn(selfSeconds, errors ? selfError : undefined, times, scale),
  },
  {
    name: 'total', title: 'Total', hint: 'Time in the function and what it called; ≈ is gprof’s estimate', descendingFirst: true,
    unit: timesUnit, value: (row) => row.totalSeconds, text: total,
  },
  {
    name: 'difference', title: 'Change', hint: 'Self time compared with the base, for one run', descendingFirst: true, unit: timesUnit,
    value: (row) => row.selfDifference?.difference,
    text: ({ selfDifference }, { times }) => selfDifference === undefined ? ''
      : `${differenceMark(selfDifference)} ${signed(selfDifference.difference, times)}`,
  },
  {
    name: 'calls', title: 'Calls', hint: 'Calls by other functions', descendingFirst: true,
    value: (row) => row.calls, text: (row) => (row.calls === undefined ? '' : shortCount(row.calls)),
  },
  {
    name: 'selfPerCall', title: 'Self/Call', hint: 'Time in the function itself for each call', descendingFirst: true, unit: perCallUnit,
    value: (row) => row.selfPerCall, text: (row, figures) => perCall(row.selfPerCall, figures),
  },
  {
    name: 'totalPerCall', title: 'Total/Call', hint: 'Time with what it called, for each call', descendingFirst: true, unit: perCallUnit,
    value: (row) => row.totalPerCall, text: (row, figures) => perCall(row.totalPerCall, figures),
  },
  {
    name: 'cumulative', title: 'Cumulative', hint: 'Time of this and all functions before it in gprof’s order', descendingFirst: false,
    unit: timesUnit, value: (row) => row.cumulativeSeconds,
    text: ({ cumulativeSeconds }, { times }) => (cumulativeSeconds === undefined ? '' : timeIn(cumulativeSeconds, times)),
  },
];

function columnOf(metric: MetricColumn): Column {
  const { name, label } = metric.metric;
  return {
    name: `metric ${name}`, title: columnTitle(metric), hint: `${label}, in the function itself`, descendingFirst: true,
    value: ({ values }) => values?.[name]?.self,
    text: ({ values }) => {
      const value = values?.[name]?.self;
      return value === undefined ? '' : valueIn(value, metric);
    },
  };
}

// With those of the metrics that were chosen. In a comparison, the change is what matters most: it has a column in the
// narrowest view.
export function allColumns({ metrics }: TableFigures, comparing: boolean): readonly Column[] {
  const at = columns.findIndex(({ name }) => name === 'self') + 1;
  const [name, ...others] = [...columns.slice(0, at), ...metrics.map(columnOf), ...columns.slice(at)];
  const isChange = (column: Column): boolean => column.name === 'difference';
  const rest = others.filter((column) => !isChange(column));
  return [...(name === undefined ? [] : [name]), ...(comparing ? others.filter(isChange) : []), ...rest];
}

// "Self (s)".
export function titleOf({ title, unit }: Column, figures: TableFigures): string {
  return unit === undefined ? title : `${title} (${unit(figures).name})`;
}

function signed(time: number, unit: TimeUnit): string {
  return `${time > 0 ? '+' : time < 0 ? '−' : ''}${timeIn(Math.abs(time), unit)}`;
}

export interface Order {
  readonly column: ColumnName;
  readonly descending: boolean;
}

export const gprofsOrder: Order = { column: 'self', descending: true };

export function isComparing(rows: readonly TableRow[]): boolean {
  return rows.some((row) => row.selfDifference !== undefined);
}

// Columns with their widths, in the unit of `measure`; names have what is left.
export interface TableLayout {
  readonly figures: TableFigures;
  readonly columns: readonly { readonly column: Column; readonly width: number }[];
  readonly nameWidth: number;
}

const leastName = '…::ParseKey';
const leastNameShare = 0.35;
const orderMark = ' ▾';
// The rows with the longest texts are among the first of gprof's order.
const measuredRows = 2_000;

// As many columns as fit beside names, which get their part of a wide view. A narrow view has total times rather than
// errors, which are in the rows' hovers.
export function layOutTable(
  width: number, gap: number, rows: readonly TableRow[], figures: TableFigures, measure: (text: string) => number,
): TableLayout {
  const whole = columnsIn(width, gap, rows, figures, measure);
  const narrow = columnsIn(width, gap, rows, { ...figures, errors: false }, measure);
  return wanted(narrow) > wanted(whole) ? narrow : whole;
}

// How many of the columns are shown that matter more than errors do.
function wanted({ columns: shown }: TableLayout): number {
  return shown.filter(({ column }) => column.name === 'total' || column.name.startsWith('metric ')).length;
}

function columnsIn(
  width: number, gap: number, rows: readonly TableRow[], figures: TableFigures, measure: (text: string) => number,
): TableLayout {
  const leastWidth = Math.max(measure(leastName), width * leastNameShare);
  const shown: { column: Column; width: number }[] = [];
  let nameWidth = width;
  for (const column of allColumns(figures, isComparing(rows))) {
    const own = column.name === 'name' ? 0 : widthOf(column, rows, figures, measure);
    const left = column.name === 'name' ? nameWidth : nameWidth - own - gap;
    if (left < leastWidth && shown.length > 1) break;
    nameWidth = left;
    shown.push({ column, width: own });
  }
  return { figures, columns: shown, nameWidth };
}

function widthOf(column: Column, rows: readonly TableRow[], figures: TableFigures, measure: (text: string) => number): number {
  let longest = '';
  for (const row of rows.slice(0, measuredRows)) {
    const text = column.text(row, figures);
    if (text.length > longest.length) longest = text;
  }
  return Math.ceil(Math.max(measure(titleOf(column, figures) + orderMark), measure(longest)));
}

// Rows without a value come last, in either order; equal ones in gprof's.
export function sortedRows(rows: readonly TableRow[], order: Order, of: readonly Column[] = columns): TableRow[] {
  // A metric may have lost its column.
  const found = of.find(({ name }) => name === order.column);
  const column = found ?? columns.find(({ name }) => name === gprofsOrder.column);
  if (column === undefined) return [...rows];
  const sign = (found === undefined ? gprofsOrder : order).descending ? -1 : 1;
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
export function rowText(row: TableRow, figures: TableFigures): string {
  const { unit, scale, metrics } = figures;
  const share = row.percent === undefined ? 'no part of the program’s time' : shareText(row.percent / 100);
  const parts = [`${share}, itself ${sampledTime(row.selfSeconds, row.selfError, scale, unit)}`];
  if (row.totalSeconds !== undefined && row.totalSeconds !== row.selfSeconds) {
    parts.push(`${isEstimate(row, figures) ? '≈ ' : ''}${sampledTime(row.totalSeconds, row.totalError, scale, unit)} in all`);
  }
  if (row.selfDifference !== undefined) parts.push(differenceText(row.selfDifference, unit));
  if (row.calls !== undefined) parts.push(`${exactCount(row.calls)} ${row.calls === 1 ? 'call' : 'calls'}`);
  if (row.totalPerCall !== undefined && row.totalPerCall > 0) parts.push(`${timeText(row.totalPerCall, unit)} in all for each`);
  parts.push(...valuesText(metrics.map(({ metric }) => metric), row.values));
  return `${row.name}: ${parts.join(', ')}`;
}
