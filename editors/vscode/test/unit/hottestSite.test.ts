// Which call of a function costs most.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hottestSite } from '../../src/navigation/hottestSite';
import type { CallGraphResult, Range } from '../../src/server/protocol';

function at(line: number): Range {
  return { start: { line, character: 0 }, end: { line, character: 4 } };
}

function graph(arcs: readonly (readonly [number, number, number, number])[]): CallGraphResult {
  const node = { linkageName: '', calls: 1, recursiveCalls: 0, selfSeconds: 0, childSeconds: 0, totalError: 0 };
  return {
    program: 'sim',
    generation: 1,
    root: 0,
    truncated: false,
    nodes: [0, 1, 2].map((id) => ({ ...node, id, name: `f${id}`, linkageName: `f${id}`, uri: `file:///${id}.c`, range: at(id) })),
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
