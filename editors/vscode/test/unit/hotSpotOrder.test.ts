// Which hot spots are gone to, and in which order.
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { isSure, nextIndex, placeOfSpot, reachable } from '../../src/navigation/hotSpotOrder';
import type { HotSpot } from '../../src/server/protocol';

function spot(name: string, line: number, more: Partial<HotSpot> = {}): HotSpot {
  const range = { start: { line, character: 0 }, end: { line, character: 4 } };
  return {
    name, uri: 'file:///a.c', range, selfSeconds: 0, selfError: 0, totalSeconds: 0, totalError: 0, heat: 0, rank: 1,
    ...more,
  };
}

const names = (spots: readonly HotSpot[]): string[] => spots.map(({ name }) => name);

test('times that are less than their error are no hot spots, but many calls are', () => {
  const spots = [spot('spin', 1, { calls: 9 }), spot('area', 2, { calls: 5, significant: false }), spot('idle', 3, { significant: false })];
  assert.deepEqual(names(reachable(spots, 'self')), ['spin']);
  assert.deepEqual(names(reachable(spots, 'total')), ['spin']);
  assert.deepEqual(names(reachable(spots, 'calls')), ['spin', 'area']);
});

test('where all times are within their errors, the likeliest are hot spots', () => {
  const spots = [spot('spin', 1, { significant: false }), spot('area', 2, { significant: false })];
  assert.deepEqual(names(reachable(spots, 'time')), ['spin', 'area']);
  assert.equal(isSure(spot('spin', 1)), true);
  assert.equal(isSure(spot('spin', 1, { significant: false })), false);
});

test('functions without a source cannot be gone to', () => {
  const elsewhere = spot('malloc', 1, { calls: 9 });
  delete elsewhere.uri;
  assert.deepEqual(reachable([elsewhere], 'calls'), []);
});

test('a function of a library is gone to where the program called it most', () => {
  const range = { start: { line: 7, character: 2 }, end: { line: 7, character: 7 } };
  const { uri: _, range: __, ...write } = spot('write [libc.so.6]', 1, { module: 'libc.so.6', callSite: { uri: 'file:///a.c', range } });
  const spots = reachable([spot('a', 10), write, spot('c', 30)], 'self');
  assert.deepEqual(names(spots), ['a', 'write [libc.so.6]', 'c']);
  assert.deepEqual(placeOfSpot(write), { uri: 'file:///a.c', range });
  assert.deepEqual(placeOfSpot(spot('a', 10))?.range.start.line, 10);
  assert.equal(nextIndex(spots, { uri: 'file:///a.c', line: 7 }, undefined, 1), 2);
});

test('it goes on from the hot spot under the cursor, and around', () => {
  const spots = [spot('a', 10), spot('b', 20), spot('c', 30)];
  const at = (line: number) => ({ uri: 'file:///a.c', line });
  assert.equal(nextIndex(spots, at(10), undefined, 1), 1);
  assert.equal(nextIndex(spots, at(30), undefined, 1), 0);
  assert.equal(nextIndex(spots, at(10), undefined, -1), 2);
});

test('from another place it goes on from the last one, or begins with the hottest', () => {
  const spots = [spot('a', 10), spot('b', 20), spot('c', 30)];
  assert.equal(nextIndex(spots, undefined, 1, 1), 2);
  assert.equal(nextIndex(spots, { uri: 'file:///b.c', line: 10 }, undefined, 1), 0);
  assert.equal(nextIndex([], undefined, undefined, 1), undefined);
});
