// The flat profile's table: columns, order, filter, and what a row says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlatProfileRow } from '../../src/server/protocol';
import type { ColumnName, TableRow } from '../../src/views/flatTable';
import {
  columns, columnsFor, filteredRows, gprofsOrder, isComparing, orderAfterClick, otherRow, rowText, sortedRows,
} from '../../src/views/flatTable';

function row(name: string, selfSeconds: number, more: Partial<FlatProfileRow> = {}): FlatProfileRow {
  return { name, linkageName: name, percent: selfSeconds * 10, selfSeconds, selfError: Math.sqrt(selfSeconds * 0.01), cumulativeSeconds: 0, ...more };
}

const rows = [row('step', 6, { calls: 100 }), row('main', 3), row('Walk', 0.005, { calls: 7 }), row('idle', 0, { calls: 1_234_567 })];
const scale = { sampleSeconds: 0.01, unsampledBelow: 0.03 };
const names = (of: readonly TableRow[]): string[] => of.map(({ name }) => name);

function shown(name: ColumnName, of: TableRow): string | undefined {
  return columns.find((column) => column.name === name)?.text(of, 'seconds', scale);
}

test('rows are sorted by any column, those without a value last', () => {
  assert.deepEqual(names(sortedRows(rows, gprofsOrder)), ['step', 'main', 'Walk', 'idle']);
  assert.deepEqual(names(sortedRows(rows, { column: 'calls', descending: true })), ['idle', 'step', 'Walk', 'main']);
  assert.deepEqual(names(sortedRows(rows, { column: 'calls', descending: false })), ['Walk', 'step', 'idle', 'main']);
  assert.deepEqual(names(sortedRows(rows, { column: 'name', descending: false })), ['idle', 'main', 'step', 'Walk']);
  const equal = ['c', 'a', 'b'].map((name) => row(name, 1));
  assert.deepEqual(names(sortedRows(equal, gprofsOrder)), ['c', 'a', 'b'], 'equal rows change places');
});

test('a click sorts by a column, the next one the other way', () => {
  const byCalls = orderAfterClick(gprofsOrder, 'calls');
  assert.deepEqual(byCalls, { column: 'calls', descending: true });
  assert.deepEqual(orderAfterClick(byCalls, 'calls'), { column: 'calls', descending: false });
  assert.deepEqual(orderAfterClick(byCalls, 'name'), { column: 'name', descending: false });
});

test('a filter takes small letters for either', () => {
  assert.deepEqual(names(filteredRows(rows, 'wa')), ['Walk']);
  assert.deepEqual(names(filteredRows(rows, 'Wa')), ['Walk']);
  assert.deepEqual(names(filteredRows(rows, 'WA')), []);
  assert.equal(filteredRows(rows, ' '), rows);
});

test('times are shown with their error, and less than a sample as that', () => {
  assert.deepEqual(rows.map((of) => shown('self', of)), ['6.00 ±0.24 s', '3.00 ±0.17 s', '< 0.03 s', '< 0.03 s']);
  assert.deepEqual(rows.map((of) => shown('calls', of)), ['100', '', '7', '1.23M']);
  assert.equal(columns.find(({ name }) => name === 'self')?.text(row('f', 0, { selfError: 0, calls: 1 }), 'seconds', {}), '0');
});

test('the name and the share are always shown, others as there is room', () => {
  const shownAt = (letters: number, comparing = false): string[] => columnsFor(letters, comparing).map(({ name }) => name);
  assert.deepEqual(shownAt(5), ['name', 'percent']);
  assert.deepEqual(shownAt(40), ['name', 'percent', 'self']);
  assert.ok(shownAt(60, true).includes('difference'));
  assert.ok(!shownAt(200).includes('difference'));
  assert.equal(shownAt(200, true).length, columns.length);
});

test('differences to a base', () => {
  const selfDifference = { baseSeconds: 1, difference: 0.5, error: 0.2, verdict: 'regressed' } as const;
  const slower = row('step', 1.5, { selfDifference });
  assert.ok(isComparing([row('main', 1), slower]));
  assert.ok(!isComparing(rows));
  assert.equal(shown('difference', slower), '▲ +0.50 s');
  assert.match(rowText(slower, 'seconds', scale), /\+0\.50 ±0\.20 s, slower/);
  assert.equal(shown('difference', rows[0] ?? slower), '');
});

test('other code that was sampled has rows, and the collector no share of the program', () => {
  const libc = otherRow({ name: '[libc.so.6]', kind: 'module', seconds: 4, error: 0.2, percent: 40 });
  const collector = otherRow({ name: '[libgprof_runtime.so]', kind: 'collector', seconds: 5, error: 0.2 });
  assert.deepEqual(names(sortedRows([...rows, libc, collector], gprofsOrder)).slice(0, 3),
    ['step', '[libgprof_runtime.so] the collector itself', '[libc.so.6]']);
  assert.deepEqual([shown('percent', libc), shown('percent', collector), shown('cumulative', libc)], ['40 %', '', '']);
  assert.match(rowText(collector, 'seconds', scale), /itself: no part of the program’s time, itself 5\.00 ±0\.20 s$/);
});

test('a row says all of itself', () => {
  assert.match(rowText(rows[3] ?? row('', 0), 'seconds', scale), /^idle: 0 %, itself < 0.03 s, 1,234,567 calls$/);
  assert.match(rowText(row('f', 1, { calls: 1, totalPerCall: 0.0000295 }), 'seconds', scale), /1 call, 29\.5 µs in all for each/);
});
