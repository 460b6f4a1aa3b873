// What threads did in each column, as a time line by wall-clock time tells it: running, waiting for what, idle. Pure.
import type { Activity, Metric, MetricsResult, TimelineResult, TimelineRow } from '../server/protocol';
import { isShownFigure } from '../annotations/metrics';
import { valueText } from '../metrics/text';

// As they are stacked, from the bottom.
export const activities: readonly Activity[] = ['running', 'lock', 'io', 'sleep', 'child', 'other', 'cpu', 'idle'];

export const activityTitles: Readonly<Record<Activity, string>> = {
  running: 'running', lock: 'lock', io: 'I/O', sleep: 'sleep', child: 'child', other: 'other', cpu: 'runnable', idle: 'idle',
};

export const activityHints: Readonly<Record<Activity, string>> = {
  running: 'On a CPU',
  lock: 'Waiting for a lock',
  io: 'Waiting for input or output',
  sleep: 'Sleeping',
  child: 'Waiting for another process',
  other: 'Waiting for another thread, or for something else',
  cpu: 'Ready to run, waiting for a CPU',
  idle: 'Waiting for work',
};

// Where waits were measured, CPU time is shown with the waiting beside it, and waiting with the CPU time: other metrics
// are shown as they are. Undefined: as the server chooses.
export function metricToAsk(metric: Metric, { metrics }: Pick<MetricsResult, 'metrics'>): Metric | undefined {
  if (!metrics.some(({ name }) => name === 'wall')) return undefined;
  const isOfCpu = metric === 'cpu' || (isShownFigure(metric) && metrics[0]?.name === 'cpu');
  return isOfCpu || metric === 'wall' || /^wait(\.|$)/.test(metric) ? 'wall' : undefined;
}

export function hasActivities(rows: readonly TimelineRow[]): boolean {
  return rows.some((row) => row.activities !== undefined);
}

// Those that occur, as they are stacked.
export function activitiesOf(rows: readonly TimelineRow[]): Activity[] {
  const found = new Set(rows.flatMap((row) => (row.activities ?? []).map(({ name }) => name)));
  return activities.filter((name) => found.has(name));
}

export interface Part {
  readonly name: Activity;
  readonly value: number;
}

// Drawn for each column: no more is made than is needed. The server tells them in the order in which they are stacked.
function partsBy(row: TimelineRow, valueOf: (values: readonly number[]) => number): Part[] {
  const parts: Part[] = [];
  for (const { name, values } of row.activities ?? []) {
    const value = valueOf(values);
    if (value > 0) parts.push({ name, value });
  }
  return parts;
}

// From the bottom, without those that do not occur there.
export function partsOfColumn(row: TimelineRow, column: number): Part[] {
  return partsBy(row, (values) => values[column] ?? 0);
}

export function partsOfRow(row: TimelineRow): Part[] {
  return partsBy(row, (values) => values.reduce((sum, value) => sum + value, 0));
}

// The highest stack: what is idle is drawn in it whether it counts or not.
export function highestStack(rows: readonly TimelineRow[]): number {
  let highest = 0;
  for (const { values, activities: all = [] } of rows) {
    for (let column = 0; column < values.length; column++) {
      let sum = 0;
      for (const activity of all) sum += activity.values[column] ?? 0;
      highest = Math.max(highest, sum);
    }
  }
  return highest;
}

// "running 12 ms, lock 0.30 s". Empty if it did nothing.
export function partsText(parts: readonly Part[], unit: string): string {
  return parts.map(({ name, value }) => `${activityTitles[name]} ${valueText(value, undefined, unit)}`).join(', ');
}

// A part of a column, in pixels from its bottom.
export interface Block {
  readonly name: Activity;
  readonly bottom: number;
  readonly height: number;
}

// Whole pixels, so that nothing is blurred: what is less than one is left to its neighbours, but something is always seen.
export function blocksOf(parts: readonly Part[], highest: number, height: number): Block[] {
  if (!(highest > 0)) return [];
  let sum = 0;
  let bottom = 0;
  const blocks: Block[] = [];
  for (const { name, value } of parts) {
    sum += value;
    const top = Math.min(height, Math.round((sum / highest) * height));
    if (top > bottom) blocks.push({ name, bottom, height: top - bottom });
    bottom = Math.max(bottom, top);
  }
  const largest = parts.reduce<Part | undefined>((most, part) => (most === undefined || part.value > most.value ? part : most), undefined);
  return blocks.length > 0 || largest === undefined ? blocks : [{ name: largest.name, bottom: 0, height: 1 }];
}

export function activitiesText(result: Pick<TimelineResult, 'unit'>, row: TimelineRow, column?: number): string {
  return partsText(column === undefined ? partsOfRow(row) : partsOfColumn(row, column), result.unit);
}
