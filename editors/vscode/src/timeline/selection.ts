// What is selected: stretches of time, and rows, which are threads or processes. Pure.
import type { Selection, TimelineRow } from '../server/protocol';

export type Row = Pick<TimelineRow, 'process' | 'thread' | 'name'>;

// Whether the row itself is named by the selection.
export function isChosen(selection: Selection | null, row: Row): boolean {
  const { threads = [], processes = [] } = selection ?? {};
  if (row.thread === undefined) return processes.includes(row.process);
  const isNamed = threads.includes(row.thread) || (row.name !== '' && threads.includes(row.name));
  return isNamed && (processes.length === 0 || processes.includes(row.process));
}

// Whether figures include the row, as far as that does not depend on time.
export function isIncluded(selection: Selection | null, row: Row): boolean {
  const { threads = [], processes = [] } = selection ?? {};
  if (processes.length > 0 && !processes.includes(row.process)) return false;
  return row.thread === undefined || threads.length === 0 || isChosen(selection, row);
}

function isSame(a: Row, b: Row): boolean {
  return a.process === b.process && a.thread === b.thread;
}

// Other processes may have a thread of the same number.
function isAmbiguous(row: Row, rows: readonly Row[]): boolean {
  return rows.some((other) => other.thread === row.thread && other.process !== row.process);
}

function unique(numbers: readonly (number | undefined)[]): number[] {
  return [...new Set(numbers.filter((number) => number !== undefined))];
}

function withRows(selection: Selection | null, chosen: readonly Row[], rows: readonly Row[]): Selection | null {
  const { threads, processes, ...time } = selection ?? {};
  if (rows.every(({ thread }) => thread === undefined)) {
    return tidy({ ...time, ...(threads === undefined ? {} : { threads }), processes: unique(chosen.map(({ process }) => process)) });
  }
  const before = rows.filter((row) => isChosen(selection, row));
  const kept = before.some((row) => isAmbiguous(row, rows)) ? [] : (processes ?? []);
  const needed = chosen.some((row) => isAmbiguous(row, rows)) ? unique(chosen.map(({ process }) => process)) : kept;
  return tidy({ ...time, threads: unique(chosen.map(({ thread }) => thread)), processes: needed });
}

// A click on a row selects it alone, one on the only selected one nothing; `add`: the row joins those that are selected,
// or leaves them. A stretch of time stays.
export function toggled(selection: Selection | null, row: Row, rows: readonly Row[], add: boolean): Selection | null {
  const before = rows.filter((other) => isChosen(selection, other));
  const wasChosen = before.some((other) => isSame(other, row));
  if (add) {
    return withRows(selection, wasChosen ? before.filter((other) => !isSame(other, row)) : [...before, row], rows);
  }
  return withRows(selection, wasChosen && before.length === 1 ? [] : [row], rows);
}

// A stretch that reaches an end of the run has no bound there.
export function withStretch(selection: Selection | null, stretch: Stretch | undefined, run: Stretch): Selection | null {
  const { from: _from, to: _to, ...rows } = selection ?? {};
  if (stretch === undefined) return tidy(rows);
  const { from, to } = stretch;
  return tidy({ ...rows, ...(from > run.from ? { from } : {}), ...(to < run.to ? { to } : {}) });
}

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export function stretchOf(selection: Selection | null, run: Stretch): Stretch | undefined {
  if (selection?.from === undefined && selection?.to === undefined) return undefined;
  return { from: selection.from ?? run.from, to: selection.to ?? run.to };
}

// Null where nothing is left.
export function tidy({ threads = [], processes = [], from, to }: Selection): Selection | null {
  const selection: Selection = {
    ...(processes.length > 0 ? { processes } : {}),
    ...(threads.length > 0 ? { threads } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
  return Object.keys(selection).length === 0 ? null : selection;
}
