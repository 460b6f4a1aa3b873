// The time line: its axis, what clicks, drags and keys select, and what is told of it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { cssColour, parseColour } from '../../src/pictures/colours';
import type { Selection, StatusParams, TimelineResult, TimelineRow } from '../../src/server/protocol';
import {
  activities, activitiesOf, blocksOf, hasActivities, highestStack, metricToAsk, partsOfColumn,
} from '../../src/timeline/activities';
import { columnAt, momentText, roundedTime, stretchOfColumns, stretchOfDrag, stretchText, ticks } from '../../src/timeline/axis';
import { columnText, costOf, draftText, leftOutText, pictureText, rowName, rowText } from '../../src/timeline/figures';
import { colourProperty } from '../../src/timeline/media/parts/colours';
import { nameWidths } from '../../src/timeline/media/parts/page';
import { columnsToAsk, mostColumns } from '../../src/timeline/messages';
import { isChosen, isIncluded, stretchOf, tidy, toggled, withStretch } from '../../src/timeline/selection';
import { figuresKey, wholeKey } from '../../src/server/shown';

const row = (thread: number | undefined, name: string, values: number[], process = 1): TimelineRow => ({
  process, name, values, total: values.reduce((sum, value) => sum + value, 0), ...(thread === undefined ? {} : { thread }),
});

const rows = [row(10, 'main', [0.5, 0.5, 0, 0]), row(11, 'parser', [0, 1, 1, 0]), row(12, '', [0, 0, 0, 1])];
const result: TimelineResult = { program: 'sim', generation: 1, metric: 'cpu', unit: 'seconds', from: 0, to: 4, rows };
const run = { from: 0, to: 4 };
const [main, parser, third] = rows as [TimelineRow, TimelineRow, TimelineRow];

const texts = (to: number, most: number, from = 0): string[] => ticks({ from, to }, most).map(({ text }) => text);

test('marks are at round times, as many as there is room for', () => {
  assert.deepEqual(texts(12.3, 7), ['0', '2 s', '4 s', '6 s', '8 s', '10 s', '12 s']);
  assert.deepEqual(texts(12.3, 2), ['0', '10 s']);
  assert.deepEqual(texts(0.31, 4), ['0', '0.1 s', '0.2 s', '0.3 s']);
  assert.deepEqual(texts(0.031, 4), ['0', '10 ms', '20 ms', '30 ms']);
  assert.deepEqual(texts(2.2, 5), ['0', '0.5 s', '1.0 s', '1.5 s', '2.0 s']);
  assert.deepEqual(texts(3_600, 4), ['0', '15 min', '30 min', '45 min', '60 min']);
  assert.deepEqual(texts(7 * 86_400, 8).slice(0, 3), ['0', '24 h', '48 h']);
  assert.deepEqual(texts(1.35, 4, 1.01), ['1.1 s', '1.2 s', '1.3 s']);
  assert.deepEqual(ticks({ from: 0, to: 0 }, 5), []);
});

test('moments have the digits that a column tells apart', () => {
  assert.equal(momentText(1.2345, 0.05), '1.23 s');
  assert.equal(momentText(120, 3), '120 s');
  assert.equal(stretchText({ from: 0, to: 3.4 }, 0.2), '0 s to 3.4 s');
  assert.equal(roundedTime(1.23456, 0.02), 1.23);
  assert.equal(roundedTime(0.1 + 0.2, 0.1), 0.3);
  assert.equal(roundedTime(123_456, 200), 123_500);
});

test('a drag selects what is under it, and at least a column', () => {
  const columns = { run: { from: 0, to: 10 }, count: 100 };
  assert.deepEqual(stretchOfDrag(columns, 0.251, 0.5), { from: 2.5, to: 5 });
  assert.deepEqual(stretchOfDrag(columns, 0.5, 0.251), { from: 2.5, to: 5 });
  assert.deepEqual(stretchOfDrag(columns, -0.3, 1.7), { from: 0, to: 10 });
  assert.deepEqual(stretchOfDrag(columns, 0.301, 0.302), { from: 3, to: 3.1 });
  assert.deepEqual(stretchOfColumns(columns, 98, 99), { from: 9.8, to: 10 });
  assert.equal(columnAt(columns, 3.05), 30);
  assert.equal(columnAt(columns, 99), 99);
});

test('a click selects a row alone, the next one nothing; with a key rows join and leave', () => {
  const one = toggled(null, parser, rows, false);
  assert.deepEqual(one, { threads: [11] });
  assert.equal(toggled(one, parser, rows, false), null);
  assert.deepEqual(toggled(one, main, rows, false), { threads: [10] });
  const two = toggled(one, main, rows, true);
  assert.deepEqual(two, { threads: [11, 10] });
  assert.deepEqual(toggled(two, parser, rows, true), { threads: [10] });
  assert.deepEqual(toggled(two, parser, rows, false), { threads: [11] }, 'one of two is left alone');
});

test('threads that were selected by name are rows that are selected', () => {
  const byName: Selection = { threads: ['parser'] };
  assert.ok(isChosen(byName, parser) && !isChosen(byName, main) && !isChosen({ threads: [''] }, third));
  assert.equal(toggled(byName, parser, rows, false), null);
  assert.deepEqual(toggled(byName, third, rows, true), { threads: [11, 12] });
});

test('processes are selected by their own rows, and tell threads of one number apart', () => {
  const processes = [row(undefined, 'gmon.out.7', [1], 7), row(undefined, 'gmon.out.8', [1], 8)];
  const [seventh] = processes as [TimelineRow];
  const one = toggled({ threads: [1], from: 2 }, seventh, processes, false);
  assert.deepEqual(one, { processes: [7], threads: [1], from: 2 });
  assert.deepEqual(toggled(one, seventh, processes, false), { threads: [1], from: 2 });
  const same = [row(1, 'main', [1], 7), row(1, 'main', [1], 8), row(2, 'other', [1], 8)];
  const [first, , other] = same as [TimelineRow, TimelineRow, TimelineRow];
  const ambiguous = toggled(null, first, same, false);
  assert.deepEqual(ambiguous, { processes: [7], threads: [1] });
  assert.deepEqual(same.map((of) => isChosen(ambiguous, of)), [true, false, false]);
  assert.equal(toggled(ambiguous, first, same, false), null);
  assert.deepEqual(toggled(ambiguous, other, same, false), { threads: [2] });
});

test('a stretch and rows combine; what reaches the end of the run has no bound there', () => {
  const one = withStretch({ threads: [11] }, { from: 1, to: 2.5 }, run);
  assert.deepEqual(one, { threads: [11], from: 1, to: 2.5 });
  assert.deepEqual(toggled(one, parser, rows, false), { from: 1, to: 2.5 });
  assert.deepEqual(withStretch(null, { from: 0, to: 2 }, run), { to: 2 });
  assert.deepEqual(withStretch(null, { from: 2, to: 4 }, run), { from: 2 });
  assert.equal(withStretch(null, run, run), null);
  assert.deepEqual(withStretch(one, undefined, run), { threads: [11] });
  assert.deepEqual(stretchOf({ to: 2 }, run), { from: 0, to: 2 });
  assert.equal(stretchOf({ threads: [1] }, run), undefined);
  assert.equal(tidy({ threads: [], processes: [] }), null);
});

test('rows that figures leave out are told from those that they include', () => {
  assert.deepEqual(rows.map((of) => isIncluded({ threads: [11] }, of)), [false, true, false]);
  assert.deepEqual(rows.map((of) => isIncluded({ from: 1 }, of)), [true, true, true]);
  assert.ok(isIncluded({ threads: [11] }, row(undefined, 'p', [1], 1)) && !isIncluded({ processes: [2] }, main));
});

test('rows are told by name, total and share', () => {
  assert.deepEqual(rows.map(rowName), ['main (10)', 'parser (11)', 'thread 12']);
  assert.equal(rowName(row(undefined, '', [], 4)), 'process 4');
  assert.equal(rowText(parser, result), 'parser (11): 2.00 s, 50 %');
  assert.equal(columnText(parser, 1, result), '1 s to 2 s: 1.00 s');
  assert.equal(rowText({ ...third, total: 0 }, { ...result, rows: [], unit: 'events' }), 'thread 12: 0 events');
  assert.equal(pictureText(result, 'threads', 'CPU time'), 'Time line: CPU time of 3 threads, 0 s to 4 s');
  assert.equal(pictureText({ ...result, rows: [main] }, 'processes', 'Ir'), 'Time line: Ir of 1 process, 0 s to 4 s');
});

test('a stretch costs what lies in it, of the rows that are selected', () => {
  assert.equal(costOf(result, null, { from: 0, to: 4 }), 4);
  assert.equal(costOf(result, null, { from: 0.5, to: 1.5 }), 0.25 + 0.25 + 0.5);
  assert.equal(costOf(result, { threads: ['parser'] }, { from: 0.5, to: 1.5 }), 0.5);
  assert.equal(draftText(result, { threads: [11] }, { from: 1, to: 3 }), '1 s to 3 s: 2.00 s, 50 %');
});

test('what is not in the picture is said', () => {
  assert.equal(leftOutText(result, 'threads'), '');
  assert.equal(leftOutText({ ...result, omittedRows: 3, untimed: 0.25 }, 'threads'), '3 threads with less are left out; 0.25 s without a known time');
});

test('as many columns are asked for as fit, and as there are slices', () => {
  assert.equal(columnsToAsk(150.7, 12, 0.01), 150);
  assert.equal(columnsToAsk(150, 0.5, 0.01), 50);
  assert.equal(columnsToAsk(1e6, 1e9, 0.01), mostColumns);
  assert.equal(columnsToAsk(0, 12, 0.01), 1);
});

test('figures beside names need room, totals more than shares', () => {
  const longest = { name: 90, total: 50, share: 40 };
  assert.deepEqual(nameWidths(800, longest), { names: 206, totals: 50, shares: 40 });
  assert.deepEqual(nameWidths(340, longest), { names: 150, totals: 0, shares: 40 });
  assert.deepEqual(nameWidths(260, longest), { names: 104, totals: 0, shares: 0 });
  assert.equal(nameWidths(100, longest).names, 0);
});

test('what is shown changes with the selection, the picture of all of it does not', () => {
  const status: StatusParams = { state: 'ready', program: 'sim', profiles: [], generation: 1, metric: 'time' };
  const selected = { ...status, selection: { threads: [1] } };
  assert.notEqual(figuresKey(selected), figuresKey(status));
  assert.equal(wholeKey(selected), wholeKey(status));
  assert.notEqual(wholeKey({ ...status, metric: 'Ir' }), wholeKey(status));
});

const doing = (activities: NonNullable<TimelineRow['activities']>, values: number[]): TimelineRow => ({ ...row(10, 'main', values), activities });
const busy = doing(
  [{ name: 'running', values: [0.5, 0, 0.1] }, { name: 'lock', values: [0.25, 1, 0] }, { name: 'idle', values: [0, 0, 0.9] }], [0.75, 1, 0.1]);
const asleep = doing([{ name: 'sleep', values: [0, 0, 0.5] }], [0, 0, 0.5]);
const measured = (...names: string[]): Parameters<typeof metricToAsk>[1] => ({
  metrics: names.map((name) => ({ name, label: name, unit: 'seconds', kind: 'exact', origin: '' })),
});

test('where waits were measured, CPU time and waiting are shown together', () => {
  const waits = measured('cpu', 'wait', 'wait.lock', 'wall', 'calls');
  for (const metric of ['time', 'self', 'calls', 'cpu', 'wall', 'wait', 'wait.lock']) assert.equal(metricToAsk(metric, waits), 'wall', metric);
  assert.equal(metricToAsk('page-faults', waits), undefined);
  assert.equal(metricToAsk('waits of mine', waits), undefined);
  assert.equal(metricToAsk('time', measured('cpu', 'calls')), undefined);
  assert.equal(metricToAsk('time', measured('Ir', 'cpu', 'wall')), undefined, 'time is that of Ir');
});

test('what threads did is told in turn, idle last', () => {
  assert.deepEqual(activitiesOf([asleep, busy]), ['running', 'lock', 'sleep', 'idle']);
  assert.deepEqual(partsOfColumn(busy, 0), [{ name: 'running', value: 0.5 }, { name: 'lock', value: 0.25 }]);
  assert.deepEqual(partsOfColumn(busy, 2), [{ name: 'running', value: 0.1 }, { name: 'idle', value: 0.9 }]);
  assert.deepEqual(partsOfColumn(busy, 7), []);
  assert.ok(hasActivities([main, busy]) && !hasActivities([main]));
  assert.equal(highestStack([asleep, busy]), 1, 'with what is idle');
  const of = { ...result, rows: [busy], to: 3 };
  assert.equal(columnText(busy, 0, of), '0 s to 1 s: 0.75 s: running 0.50 s, lock 0.25 s');
  assert.equal(columnText(busy, 2, of), '2 s to 3 s: 0.10 s: running 0.10 s, idle 0.90 s');
  assert.equal(rowText(busy, of), 'main (10): 1.85 s, 100 %: running 0.60 s, lock 1.25 s, idle 0.90 s');
});

test('what a thread did is stacked in whole pixels', () => {
  const parts = partsOfColumn(busy, 0);
  assert.deepEqual(blocksOf(parts, 1, 20), [{ name: 'running', bottom: 0, height: 10 }, { name: 'lock', bottom: 10, height: 5 }]);
  assert.deepEqual(blocksOf(partsOfColumn(busy, 2), 1, 20), [{ name: 'running', bottom: 0, height: 2 }, { name: 'idle', bottom: 2, height: 18 }]);
  // Less than a pixel is left to what is above, and what is alone is seen.
  assert.deepEqual(blocksOf([{ name: 'running', value: 0.01 }, { name: 'io', value: 0.99 }], 1, 20), [{ name: 'io', bottom: 0, height: 20 }]);
  assert.deepEqual(blocksOf([{ name: 'running', value: 1e-6 }, { name: 'io', value: 2e-6 }], 1, 20), [{ name: 'io', bottom: 0, height: 1 }]);
  assert.deepEqual(blocksOf([], 1, 20), []);
  assert.deepEqual(blocksOf(parts, 0, 20), []);
});

test('each activity has a colour of its own in every kind of theme', async () => {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as {
    contributes: { colors: { id: string; defaults: Record<string, string> }[] };
  };
  const colours = activities.map((name) => {
    const id = colourProperty(name).replace('--vscode-gprof-', 'gprof.');
    return manifest.contributes.colors.find((colour) => colour.id === id)?.defaults;
  });
  for (const theme of ['light', 'dark', 'highContrast', 'highContrastLight']) {
    const ofTheme = colours.map((defaults) => parseColour(defaults?.[theme] ?? '') ?? assert.fail(`a colour is missing in ${theme}`));
    ofTheme.forEach((colour, index) => {
      for (const other of ofTheme.slice(index + 1)) {
        const distance = Math.hypot(colour.red - other.red, colour.green - other.green, colour.blue - other.blue);
        assert.ok(distance > 60, `${cssColour(colour)} and ${cssColour(other)} of ${theme} are alike`);
      }
    });
  }
});

test('a picture changes when idle waiting is shown or folded away', () => {
  const status: StatusParams = { state: 'ready', program: 'sim', profiles: [], generation: 1, metric: 'time', idle: 'folded' };
  assert.notEqual(wholeKey({ ...status, idle: 'shown' }), wholeKey(status));
  assert.notEqual(figuresKey({ ...status, idle: 'shown' }), figuresKey(status));
});
