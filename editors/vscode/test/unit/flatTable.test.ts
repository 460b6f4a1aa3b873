// The flat profile's table: columns, order, filter, and what a row says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlatProfileRow } from '../../src/server/protocol';
import type { ColumnName, TableRow } from '../../src/views/flatTable';
import {
  allColumns, columns, figuresOf, filteredRows, gprofsOrder, isComparing, layOutTable, orderAfterClick, otherRow, rowText, sortedRows, titleOf,
} from '../../src/views/flatTable';

function row(name: string, selfSeconds: number, more: Partial<FlatProfileRow> = {}): FlatProfileRow {
  const error = Math.sqrt(selfSeconds * 0.01);
  return {
    name, linkageName: name, percent: selfSeconds * 10, selfSeconds, selfError: error, totalSeconds: selfSeconds, totalError: error,
    cumulativeSeconds: 0, ...more,
  };
}

const rows = [row('step', 6, { calls: 100 }), row('main', 3, { totalSeconds: 9.005 }), row('Walk', 0.005, { calls: 7 }), row('idle', 0, { calls: 1_234_567 })];
const scale = { sampleSeconds: 0.01, unsampledBelow: 0.03 };
const figures = figuresOf(rows, 'seconds', scale, true);
const names = (of: readonly TableRow[]): string[] => of.map(({ name }) => name);

function shown(name: ColumnName, of: TableRow): string | undefined {
  return columns.find((column) => column.name === name)?.text(of, figures);
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

test('times of a column have one unit and their errors, and less than a sample is shown as that', () => {
  assert.deepEqual(rows.map((of) => shown('self', of)), ['6.00 ±0.24', '3.00 ±0.17', '<0.03', '<0.03']);
  assert.deepEqual(rows.map((of) => shown('total', of)), ['6.00', '≈9.01', '<0.03', '<0.03']);
  assert.deepEqual(columns.map((column) => titleOf(column, figures)).slice(0, 4), ['Function', '%', 'Self (s)', 'Total (s)']);
  assert.deepEqual(rows.map((of) => shown('calls', of)), ['100', '', '7', '1.23M']);
  assert.equal(shown('total', row('f', 0, { totalSeconds: 0.002 })), '<0.03');
  const measured = figuresOf(rows, 'seconds', scale, false);
  assert.equal(columns.find(({ name }) => name === 'total')?.text(rows[1] ?? row('', 0), measured), '9.01');
  const small = [row('f', 0.012, { selfError: 0.004 }), row('g', 0.001, { selfError: 0 })];
  const fine = figuresOf(small, 'seconds', { sampleSeconds: 0.001, unsampledBelow: 0.003 }, false);
  assert.deepEqual(small.map((of) => columns[2]?.text(of, fine)), ['12.0 ±4.0', '1.0']);
  assert.equal(columns[2]?.text(row('f', 0, { selfError: 0 }), figuresOf(rows, 'seconds', {}, false)), '0.00');
});

test('times of one call have the unit in which most are best read', () => {
  const calls = [2.5, 0.000031, 0.0000029, 0.00000012].map((selfPerCall, at) => row(`f${at}`, 1, { calls: 1, selfPerCall }));
  const wide = figuresOf(calls, 'seconds', scale, false);
  const column = columns.find(({ name }) => name === 'selfPerCall');
  assert.ok(column !== undefined);
  assert.equal(titleOf(column, wide), 'Self/Call (µs)');
  assert.deepEqual(calls.map((of) => column.text(of, wide)), ['2,500,000.0', '31.0', '2.9', '0.1']);
  const exact = figuresOf([row('f', 1234, { selfPerCall: 617 })], 'instructions', {}, false);
  assert.equal(titleOf(column, exact), 'Self/Call (instructions)');
  assert.equal(column.text(row('f', 1234, { selfPerCall: 1617 }), exact), '1,617');
});

test('the name and the share are always shown, others as there is room, of which names get their part', () => {
  const compared = [row('step', 1, { selfDifference: { baseSeconds: 1, difference: 0.5, error: 0.2, verdict: 'regressed' } })];
  const at = (letters: number, of: readonly TableRow[] = rows) => layOutTable(letters, 1, of, figures, ({ length }) => length);
  const shownAt = (letters: number, of?: readonly TableRow[]): string[] => at(letters, of).columns.map(({ column }) => column.name);
  assert.deepEqual(shownAt(5), ['name', 'percent']);
  assert.deepEqual(shownAt(34), ['name', 'percent', 'self']);
  assert.deepEqual(shownAt(46), ['name', 'percent', 'self', 'total']);
  assert.deepEqual(shownAt(5, compared), ['name', 'difference']);
  assert.deepEqual(shownAt(90, compared).slice(0, 4), ['name', 'difference', 'percent', 'self']);
  assert.ok(!shownAt(300).includes('difference'));
  assert.equal(shownAt(300, compared).length, columns.length);
  let widest = 0;
  for (const letters of [60, 90, 120, 200, 300]) {
    const { nameWidth, columns: others } = at(letters);
    assert.equal(nameWidth + others.reduce((sum, { width }) => sum + width + 1, -1), letters);
    assert.ok(nameWidth >= letters * 0.35 && nameWidth > widest, `names have ${nameWidth} of ${letters}`);
    widest = nameWidth;
  }
});

test('a narrow view has total times rather than errors', () => {
  const long = [row('step', 1600, { selfError: 12.5 }), ...rows];
  const of = figuresOf(long, 'seconds', scale, false);
  const texts = (letters: number): (string | undefined)[] => {
    const layout = layOutTable(letters, 1, long, of, ({ length }) => length);
    return layout.columns.map(({ column }) => column.text(long[0] ?? row('', 0), layout.figures));
  };
  assert.deepEqual(texts(60), ['step', '16000.0', '1,600.00 ±12.50', '1,600.00']);
  assert.deepEqual(texts(50), ['step', '16000.0', '1,600.00', '1,600.00']);
  assert.deepEqual(texts(42), ['step', '16000.0', '1,600.00 ±12.50']);
});

test('metrics that were chosen are columns, and matter more than errors', () => {
  const metric = { name: 'Ir', label: 'Instructions', unit: 'instructions', kind: 'exact', origin: 'exact: counted by callgrind' } as const;
  const counted = [row('step', 6, { values: { Ir: { self: 12_400, total: 90_000 } } }), row('main', 3, { values: { Ir: { self: 70 } } }), row('idle', 0)];
  const of = figuresOf(counted, 'seconds', scale, false, [metric]);
  const all = allColumns(of, false);
  assert.deepEqual(all.map(({ name }) => name).slice(0, 5), ['name', 'percent', 'self', 'metric Ir', 'total']);
  const ir = all[3];
  assert.ok(ir !== undefined);
  assert.equal(titleOf(ir, of), 'Ir');
  assert.deepEqual(counted.map((one) => ir.text(one, of)), ['12.4k', '70', '']);
  assert.deepEqual(names(sortedRows(counted, orderAfterClick(gprofsOrder, 'metric Ir'), all)), ['step', 'main', 'idle']);
  assert.deepEqual(names(sortedRows(counted, { column: 'metric gone', descending: false }, all)), ['step', 'main', 'idle']);
  assert.match(rowText(counted[0] ?? row('', 0), of), /, Ir: 12,400 instructions itself, 90,000 instructions in all$/);
  const shownAt = (letters: number): string[] =>
    layOutTable(letters, 1, counted, of, ({ length }) => length).columns.map(({ column }) => column.name);
  assert.ok(shownAt(40).includes('metric Ir'));
});

test('differences to a base', () => {
  const selfDifference = { baseSeconds: 1, difference: 0.5, error: 0.2, verdict: 'regressed' } as const;
  const slower = row('step', 1.5, { selfDifference });
  assert.ok(isComparing([row('main', 1), slower]));
  assert.ok(!isComparing(rows));
  assert.equal(shown('difference', slower), '▲ +0.50');
  assert.match(rowText(slower, figures), /\+0\.50 ±0\.20 s, slower/);
  assert.equal(shown('difference', rows[0] ?? slower), '');
  const noise = { ...selfDifference, verdict: 'noise', runsToDecide: 8 } as const;
  assert.match(rowText(row('step', 1.5, { selfDifference: noise }), figures), /\+0\.50 ±0\.20 s, within the noise: 8 runs a side would decide/);
});

test('other code that was sampled has rows, and the collector no share of the program', () => {
  const libc = otherRow({ name: '[libc.so.6]', kind: 'module', seconds: 4, error: 0.2, percent: 40 });
  const collector = otherRow({ name: '[libgprof_runtime.so]', kind: 'collector', seconds: 5, error: 0.2 });
  assert.deepEqual(names(sortedRows([...rows, libc, collector], gprofsOrder)).slice(0, 3),
    ['step', '[libgprof_runtime.so] the collector itself', '[libc.so.6]']);
  assert.deepEqual([shown('percent', libc), shown('percent', collector), shown('cumulative', libc)], ['40.0', '', '']);
  const qsort = otherRow({ name: 'qsort [libc.so.6]', kind: 'module', seconds: 1, error: 0.1, totalSeconds: 3, totalError: 0.2 });
  assert.match(shown('total', qsort) ?? '', /3\.00$/);
  // A library's has callers, by this name.
  assert.deepEqual([qsort.isLibrary, qsort.linkageName], [true, 'qsort [libc.so.6]']);
  assert.deepEqual([collector.isLibrary, collector.linkageName], [undefined, '']);
  assert.match(rowText(collector, figures), /itself: no part of the program’s time, itself 5\.00 ±0\.20 s$/);
});

test('a row says all of itself', () => {
  assert.match(rowText(rows[1] ?? row('', 0), figures), /^main: 30 %, itself 3\.00 ±0\.17 s, ≈ 9\.01 ±0\.17 s in all$/);
  assert.match(rowText(rows[3] ?? row('', 0), figures), /^idle: 0 %, itself < 0.03 s, 1,234,567 calls$/);
  assert.match(rowText(row('f', 1, { calls: 1, totalPerCall: 0.0000295 }), figures), /1 call, 29\.5 µs in all for each/);
});
