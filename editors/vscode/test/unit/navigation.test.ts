// From hot spot to hot spot, and to the call that costs most.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextIndex, reachable } from '../../src/navigation/hotSpotOrder';
import { hottestSite } from '../../src/navigation/hottestSite';
import type { CallGraphResult, HotSpot, Range } from '../../src/server/protocol';

function at(line: number): Range {
  return { start: { line, character: 0 }, end: { line, character: 4 } };
}

function spot(name: string, line: number, more: Partial<HotSpot> = {}): HotSpot {
  return {
    name,
    uri: 'file:///a.c',
    range: at(line),
    selfSeconds: 1,
    selfError: 0.1,
    totalSeconds: 1,
    totalError: 0.1,
    heat: 1,
    rank: 1,
    ...more,
  };
}

const spots = [spot('hot', 10), spot('warm', 20), spot('mild', 5)];

test('the first step leads to the hottest, and around from the last', () => {
  assert.equal(nextIndex(spots, undefined, undefined, 1), 0);
  assert.equal(nextIndex(spots, undefined, undefined, -1), 2);
  assert.equal(nextIndex(spots, undefined, 2, 1), 0);
  assert.equal(nextIndex([], undefined, undefined, 1), undefined);
});

test('the cursor on a hot spot counts for more than the last step', () => {
  assert.equal(nextIndex(spots, { uri: 'file:///a.c', line: 20 }, 0, 1), 2);
  assert.equal(nextIndex(spots, { uri: 'file:///a.c', line: 20 }, 0, -1), 0);
  assert.equal(nextIndex(spots, { uri: 'file:///b.c', line: 20 }, 0, 1), 1);
});

test('functions without source, or with less time than their error, are left out', () => {
  const { uri: _uri, ...elsewhere } = spot('libc', 1);
  assert.deepEqual(
    reachable([elsewhere, spot('noise', 2, { significant: false }), spot('hot', 3)]).map(({ name }) => name),
    ['hot'],
  );
});

function graph(arcs: readonly (readonly [number, number, number, number])[]): CallGraphResult {
  const node = { calls: 1, recursiveCalls: 0, selfSeconds: 0, childSeconds: 0, totalError: 0 };
  return {
    program: 'sim',
    generation: 1,
    root: 0,
    truncated: false,
    nodes: [0, 1, 2].map((id) => ({ ...node, id, name: `f${id}`, uri: `file:///${id}.c`, range: at(id) })),
    arcs: arcs.map(([from, to, calls, seconds]) => ({
      from,
      to,
      calls,
      selfSeconds: seconds,
      childSeconds: 0,
      error: 0,
      ...(from === 2 ? {} : { sites: [{ uri: 'file:///site.c', range: at(calls) }] }),
    })),
  };
}

test('the hottest site is that of the arc with most time, then of most calls', () => {
  assert.equal(hottestSite(graph([[1, 0, 5, 0.1], [2, 0, 9, 0.4]]))?.caller, 'f2');
  assert.equal(hottestSite(graph([[1, 0, 5, 0], [2, 0, 2, 0]]))?.caller, 'f1');
  assert.equal(hottestSite(graph([[0, 1, 5, 1]])), undefined);
});

test('without known sites it is the caller', () => {
  assert.equal(hottestSite(graph([[1, 0, 5, 1]]))?.location.uri, 'file:///site.c');
  assert.equal(hottestSite(graph([[2, 0, 5, 1]]))?.location.uri, 'file:///2.c');
});
