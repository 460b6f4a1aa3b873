// The flame graph's tree, where its boxes stand, what a search finds, and where keys lead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Difference, FlameGraphNode } from '../../src/server/protocol';
import { differenceParts, markOf, strengthOf } from '../../src/pictures/flame/differences';
import { boxAt, boxesByRow, flameBoxes } from '../../src/pictures/flame/layout';
import { frameBeside } from '../../src/pictures/flame/navigation';
import { nextMatch, searchFrames } from '../../src/pictures/flame/search';
import { flameTree, frameAtPath, isWithin, pathTo } from '../../src/pictures/flame/tree';

function node(name: string, self: number, children: FlameGraphNode[] = [], leftOut = 0): FlameGraphNode {
  const total = self + leftOut + children.reduce((sum, child) => sum + child.total, 0);
  return { name, total, self, children, ...(leftOut > 0 ? { leftOut } : {}) };
}

// main 10: work 6 (step 4, spin 1, 1 itself), other 3 (step 2, 1 itself), 1 itself.
const root = node('main', 1, [
  node('work', 1, [node('step', 4), node('spin', 1)]),
  node('other', 1, [node('step', 2)]),
]);
const tree = flameTree(root);

function idOf(...names: string[]): number {
  return frameAtPath(tree, names);
}

test('frames stand in the order of a walk, each after the time before it', () => {
  assert.deepEqual(tree.frames.map(({ name, depth, start, end }) => [name, depth, start, end]), [
    ['main', 0, 0, 6], ['work', 1, 0, 4], ['step', 2, 0, 3], ['spin', 2, 4, 4], ['other', 1, 6, 6], ['step', 2, 6, 6],
  ]);
  assert.equal(tree.depth, 3);
  assert.deepEqual(flameTree(null), { frames: [], depth: 0 });
});

test('a path leads to its frame, or as far as there is one', () => {
  assert.deepEqual(pathTo(tree, 5).map(({ name }) => name), ['main', 'other', 'step']);
  assert.equal(idOf('main', 'other', 'step'), 5);
  assert.equal(idOf('main', 'other', 'gone', 'step'), 4);
  assert.equal(idOf('another program', 'work'), 0);
});

test('boxes are as wide as their time, over the whole width', () => {
  const boxes = flameBoxes(tree, 0, 1000);
  assert.deepEqual(boxes.map(({ frame, row, x, width }) => [frame, row, x, width]), [
    [0, 0, 0, 1000], [1, 1, 0, 600], [2, 2, 0, 400], [3, 2, 400, 100], [4, 1, 600, 300], [5, 2, 600, 200],
  ]);
});

test('a zoomed frame has the whole width, and so have those that called it', () => {
  const boxes = flameBoxes(tree, idOf('main', 'other'), 1000);
  assert.deepEqual(boxes.map(({ frame, row, x, width }) => [frame, row, x, width]), [
    [0, 0, 0, 1000], [4, 1, 0, 1000], [5, 2, 0, 1000 * 2 / 3],
  ]);
});

test('frames narrower than a pixel are one block, and no time is lost', () => {
  const many = flameTree(node('main', 0, [
    node('wide', 900), ...Array.from({ length: 100 }, (_, i) => node(`thin${i}`, 0.9)),
  ], 10));
  const boxes = flameBoxes(many, 0, 1000);
  assert.deepEqual(boxes.map(({ frame }) => frame), [0, 1, -1]);
  const row = boxes.filter((box) => box.row === 1);
  assert.ok(Math.abs(row.reduce((sum, { width }) => sum + width, 0) - 1000) < 1e-6);
  assert.ok(Math.abs((row[1]?.x ?? 0) - (row[0]?.width ?? 0)) < 1e-6);
});

test('no more boxes than pixels are made, however many frames there are', () => {
  const wide = node('main', 0, Array.from({ length: 100 }, (_, i) =>
    node(`f${i}`, 0, Array.from({ length: 100 }, (_unused, j) => node(`g${j}`, 1)))));
  const all = flameTree(wide);
  assert.equal(all.frames.length, 10_101);
  assert.ok(flameBoxes(all, 0, 500).length <= 1 + 100 + 500);
  assert.equal(flameBoxes(all, 1, 500).length, 102);
});

test('a program without time is its root alone', () => {
  assert.deepEqual(flameBoxes(flameTree(node('main', 0, [node('f', 0)])), 0, 300),
    [{ frame: 0, row: 0, x: 0, width: 300 }]);
});

test('what lies under the mouse', () => {
  const rows = boxesByRow(flameBoxes(tree, 0, 1000));
  assert.equal(boxAt(rows, 2, 399)?.frame, 2);
  assert.equal(boxAt(rows, 2, 400)?.frame, 3);
  assert.equal(boxAt(rows, 2, 550), undefined);
  assert.equal(boxAt(rows, 2, 700)?.frame, 5);
  assert.equal(boxAt(rows, 2, 850), undefined);
  assert.equal(boxAt(rows, 7, 5), undefined);
});

test('a search counts time within what it found once', () => {
  const nested = flameTree(node('main', 0, [node('walk', 2, [node('walk', 2, [node('leaf', 4)])]), node('leaf', 2)]));
  const walk = searchFrames(nested, 'walk');
  assert.deepEqual([[...walk.frames], walk.functions, walk.share], [[1, 2], 1, 0.8]);
  assert.equal(searchFrames(nested, 'l').functions, 2);
  assert.equal(searchFrames(nested, 'Walk').functions, 0, 'capital letters match themselves alone');
  assert.equal(searchFrames(nested, 'WALK').frames.size, 0);
  assert.equal(searchFrames(nested, '  ').share, 0);
  assert.equal(searchFrames(flameTree(null), 'x').share, 0);
});

test('matches follow each other in a circle', () => {
  const found = searchFrames(tree, 'step');
  assert.equal(nextMatch(found, 0, true), 2);
  assert.equal(nextMatch(found, 2, true), 5);
  assert.equal(nextMatch(found, 5, true), 2);
  assert.equal(nextMatch(found, 2, false), 5);
  assert.equal(nextMatch(searchFrames(tree, 'nothing'), 0, true), undefined);
});

test('arrow keys go to callers, callees and along the row', () => {
  const rows = boxesByRow(flameBoxes(tree, 0, 1000));
  const from = (id: number): (number | undefined)[] =>
    (['caller', 'callee', 'left', 'right'] as const).map((step) => frameBeside(tree, rows, id, step));
  assert.deepEqual(from(0), [undefined, 1, undefined, undefined]);
  assert.deepEqual(from(3), [1, undefined, 2, 5]);
  assert.deepEqual(from(4), [0, 5, 1, undefined]);
  const narrow = boxesByRow(flameBoxes(tree, 0, 3));
  assert.equal(frameBeside(tree, narrow, 4, 'callee'), undefined, 'to a frame that is not drawn');
});

test('a frame holds itself and what it called', () => {
  const work = tree.frames[1];
  assert.ok(work !== undefined);
  assert.deepEqual([0, 1, 2, 3, 4].map((id) => isWithin(work, id)), [false, true, true, true, false]);
});

test('differences are coloured by their share of the whole, and noise is not', () => {
  const compared = (frame: FlameGraphNode, before: number, verdict: Difference['verdict']): FlameGraphNode =>
    ({ ...frame, difference: { baseSeconds: before, difference: frame.total - before, error: 0.1, verdict } });
  const now = flameTree(compared(node('main', 0, [
    compared(node('slower', 4), 2, 'regressed'),
    { ...compared(node('faster', 3), 3.5, 'improved'), gone: [{ name: 'helper', seconds: 0.5 }] },
    compared(node('same', 2), 1.9, 'noise'),
    node('small', 1),
  ]), 7.5, 'regressed'));
  const strengths = now.frames.map((frame) => strengthOf(frame, now));
  assert.deepEqual(strengths.map((strength) => Math.sign(strength)), [1, 1, -1, 0, 0]);
  assert.equal(strengths[0], 1);
  assert.ok(Math.abs((strengths[1] ?? 0) - Math.sqrt(0.8)) < 1e-9);
  assert.deepEqual(now.frames.map(markOf), ['▲ ', '▲ ', '▼ ', '', '']);
  const parts = now.frames.map((frame) => differenceParts(frame, 'seconds'));
  assert.deepEqual(parts[1], ['before 2.00 s, now 4.00 s: +2.00 ±0.10 s']);
  assert.deepEqual(parts[2], ['before 3.50 s, now 3.00 s: -0.50 ±0.10 s', 'only in the base: helper 0.50 s']);
  assert.match(parts[3]?.[0] ?? '', /, within the noise$/);
  assert.deepEqual(parts[4], ['not known in the base']);
});
