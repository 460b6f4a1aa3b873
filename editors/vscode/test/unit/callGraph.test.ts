// The layout of call graphs: layers, crossings, places; which part is drawn, and where keys lead.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallGraphArc, CallGraphNode, CallGraphResult } from '../../src/server/protocol';
import { arcWidth, chooseGraph, mostNodes } from '../../src/pictures/graph/choice';
import { spread } from '../../src/pictures/graph/coordinates';
import { backArcs, layeredGraph, layersOf } from '../../src/pictures/graph/layers';
import type { GraphArc } from '../../src/pictures/graph/layers';
import { placeLabels, pointAt } from '../../src/pictures/graph/labels';
import { curveThrough, placeGraph } from '../../src/pictures/graph/layout';
import { orderLayers } from '../../src/pictures/graph/ordering';
import { boxBeside } from '../../src/pictures/graph/steps';
import { openingScale } from '../../src/pictures/graph/scale';
import { boxName, boxTexts, leftOutText } from '../../src/pictures/graph/texts';

function arcs(...ends: [number, number][]): GraphArc[] {
  return ends.map(([from, to]) => ({ from, to, weight: 1 }));
}

test('labels of arcs stand on no box and on no other label, the weightiest where one looks first', () => {
  const points = [{ x: 0, y: 0 }, { x: 0, y: 100 }];
  const label = { points, width: 60, lineWidth: 2, weight: 1 };
  const [light, heavy] = placeLabels([label, { ...label, weight: 2 }], 15, []);
  assert.deepEqual(heavy, { x: 5, y: 50 });
  assert.deepEqual(light, { x: -65, y: 50 });
  const blocked = placeLabels([label], 15, [{ left: 0, top: 45, right: 10, bottom: 55 }]);
  assert.deepEqual(blocked, [{ x: -65, y: 50 }]);
  assert.deepEqual(placeLabels([label], 15, [{ left: -100, top: 0, right: 100, bottom: 100 }]), [undefined]);
});

test('labels follow the curve of their arc', () => {
  const points = [{ x: 0, y: 0 }, { x: 100, y: 80 }, { x: 40, y: 160 }];
  assert.deepEqual(pointAt(points, 0), { x: 0, y: 0 });
  assert.deepEqual(pointAt(points, 0.25), { x: 50, y: 40 });
  assert.deepEqual(pointAt(points, 0.5), { x: 100, y: 80 });
  assert.deepEqual(pointAt(points, 1), { x: 40, y: 160 });
});

test('one arc of each circle is turned, and none without one', () => {
  assert.deepEqual([...backArcs(4, arcs([0, 1], [1, 2], [2, 3], [0, 3]))], []);
  assert.deepEqual([...backArcs(4, arcs([0, 1], [1, 2], [2, 1], [2, 3]))], [2]);
  assert.equal(backArcs(3, arcs([0, 1], [1, 2], [2, 0])).size, 1);
});

test('every function is below its callers, and those without callers just above what they call', () => {
  const graph = arcs([0, 1], [1, 2], [0, 2], [2, 3], [4, 3]);
  assert.deepEqual(layersOf(5, graph), [0, 1, 2, 3, 2]);
});

test('arcs over several layers have a bend in each between', () => {
  const graph = layeredGraph([10, 10, 10], arcs([0, 1], [1, 2], [0, 2]), 4);
  assert.deepEqual(graph.chains.map((chain) => chain.length), [2, 2, 3]);
  assert.equal(graph.slots.filter(({ node }) => node === -1).length, 1);
  assert.deepEqual(graph.layers.map((layer) => layer.length), [1, 2, 1]);
});

test('arcs that need not cross do not', () => {
  // 0 calls 1, 2, 3, which call 6, 5, 4.
  const graph = layeredGraph(new Array<number>(7).fill(10), arcs([0, 1], [0, 2], [0, 3], [1, 6], [2, 5], [3, 4]), 4);
  const [, middle = [], below = []] = orderLayers(graph);
  const partner = new Map([[1, 6], [2, 5], [3, 4]]);
  assert.deepEqual(below, middle.map((slot) => partner.get(slot)));
});

test('places are as near as can be to what is wanted, and keep their distance', () => {
  assert.deepEqual(spread([{ at: 0, weight: 1 }, { at: 100, weight: 1 }], [10]), [0, 100]);
  assert.deepEqual(spread([{ at: 50, weight: 1 }, { at: 50, weight: 1 }], [10]), [45, 55]);
  assert.deepEqual(spread([{ at: 50, weight: 3 }, { at: 50, weight: 1 }], [8]), [48, 56]);
  const places = spread([9, 3, 7, 1, 1].map((at) => ({ at, weight: 1 })), [5, 5, 5, 5]);
  for (let i = 1; i < places.length; i++) assert.ok((places[i] ?? 0) - (places[i - 1] ?? 0) >= 5 - 1e-9);
  assert.deepEqual(spread([], []), []);
});

// Any graph: as many as this, from a row of numbers that is always the same.
function someGraph(nodes: number, count: number): GraphArc[] {
  let seed = 12345;
  const next = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  return Array.from({ length: count }, () => ({ from: next(nodes), to: next(nodes), weight: 1 + next(9) }))
    .filter(({ from, to }) => from !== to);
}

test('no two boxes overlap, whatever the graph', () => {
  for (const [nodes, count] of [[1, 0], [2, 2], [30, 60], [120, 300]] as const) {
    const sizes = Array.from({ length: nodes }, (_, i) => ({ width: 40 + (i % 7) * 20, height: 50 }));
    const placed = placeGraph({ nodes: sizes, arcs: someGraph(nodes, count) });
    assert.equal(placed.nodes.length, nodes);
    assert.equal(placed.layers.flat().length, nodes);
    for (const layer of placed.layers) {
      for (let i = 1; i < layer.length; i++) {
        const [left = 0, right = 0] = [layer[i - 1], layer[i]];
        const gap = (placed.nodes[right]?.x ?? 0) - (placed.nodes[left]?.x ?? 0);
        assert.ok(gap >= ((sizes[left]?.width ?? 0) + (sizes[right]?.width ?? 0)) / 2, `${left} and ${right}`);
      }
    }
    for (const { x, y } of placed.nodes) assert.ok(x >= 0 && y >= 0 && x <= placed.width && y <= placed.height);
  }
});

test('arcs go from caller to callee: down, and up where they close a circle', () => {
  const sizes = Array.from({ length: 3 }, () => ({ width: 50, height: 40 }));
  const { arcs: placed, nodes } = placeGraph({ nodes: sizes, arcs: arcs([0, 1], [1, 2], [2, 1]) });
  assert.deepEqual(placed.map(({ back }) => back), [false, false, true]);
  for (const { points, back } of placed) {
    const [first, last] = [points[0], points.at(-1)];
    assert.equal((last?.y ?? 0) < (first?.y ?? 0), back);
  }
  assert.equal(placed[0]?.points[0]?.y, (nodes[0]?.y ?? 0) + 20);
  assert.match(curveThrough(placed[0]?.points ?? []), /^M[\d.]+,[\d.]+C/);
  assert.equal(curveThrough([]), '');
});

test('the same graph is drawn the same way', () => {
  const graph = { nodes: Array.from({ length: 40 }, () => ({ width: 60, height: 40 })), arcs: someGraph(40, 90) };
  assert.deepEqual(placeGraph(graph), placeGraph(graph));
});

function graphNode(id: number, name: string, calls = 1, recursiveCalls = 0): CallGraphNode {
  return { id, name, linkageName: name, calls, recursiveCalls, selfSeconds: 1, childSeconds: 0, totalError: 0.1 };
}

function graphArc(from: number, to: number, seconds: number, calls = 1): CallGraphArc {
  return { from, to, calls, selfSeconds: seconds, childSeconds: 0, error: 0.1 };
}

const around: CallGraphResult = {
  program: 'prog', generation: 1, root: 0, truncated: false,
  nodes: ['work', 'main', 'cheap', 'dear', 'below'].map((name, id) => graphNode(id, name)),
  arcs: [graphArc(1, 0, 9), graphArc(0, 2, 1), graphArc(0, 3, 8), graphArc(3, 4, 7), graphArc(2, 4, 0.5)],
};

test('the costliest neighbours are drawn, each with a way to the function', () => {
  const chosen = chooseGraph(around, 4, 10, 0);
  assert.deepEqual(chosen.nodes.map(({ name }) => name), ['work', 'main', 'dear', 'below']);
  assert.deepEqual(chosen.arcs.map(({ from, to }) => [from, to]), [[1, 0], [0, 3], [3, 4]]);
  assert.equal(chosen.hidden, 1);
  assert.equal(chooseGraph(around, 40, 10, 0).hidden, 0);
  assert.deepEqual(chooseGraph({ ...around, root: null }, 40, 10, 0).nodes, []);
});

test('of a graph that could not be read the dearest part is drawn, all of it reachable', () => {
  const dense: CallGraphResult = {
    ...around,
    nodes: Array.from({ length: 500 }, (_, id) => graphNode(id, `f${id}`)),
    arcs: someGraph(500, 5000).map(({ from, to, weight }) => graphArc(from, to, weight)),
  };
  const { nodes, arcs: drawn, hidden, hiddenArcs } = chooseGraph(dense, 1000, 10, 0);
  assert.equal(nodes.length + hidden, 500);
  assert.ok(nodes.length <= mostNodes && drawn.length <= 4 * mostNodes);
  assert.ok(hiddenArcs > 0);
  const reached = new Set([0]);
  for (let grown = true; grown; ) {
    const next = drawn.filter(({ from, to }) => reached.has(from) !== reached.has(to));
    grown = next.length > 0;
    for (const { from, to } of next) reached.add(from).add(to);
  }
  assert.equal(reached.size, nodes.length);
});

test('keys go along the arc with most time, and to neighbours of the layer', () => {
  const chosen = chooseGraph(around, 40, 10, 0);
  const placed = placeGraph({
    nodes: chosen.nodes.map(() => ({ width: 50, height: 40 })),
    arcs: chosen.arcs.map(({ from, to }) => {
      const index = (id: number): number => chosen.nodes.findIndex((node) => node.id === id);
      return { from: index(from), to: index(to), weight: 1 };
    }),
  });
  const name = (at: number | undefined): string | undefined => chosen.nodes[at ?? -1]?.name;
  const at = (wanted: string): number => chosen.nodes.findIndex((node) => node.name === wanted);
  assert.equal(name(boxBeside(chosen, placed, at('work'), 'up')), 'main');
  assert.equal(name(boxBeside(chosen, placed, at('work'), 'down')), 'dear');
  assert.equal(boxBeside(chosen, placed, at('main'), 'up'), undefined);
  const [left, right] = placed.layers.find((layer) => layer.length === 2) ?? [];
  assert.equal(boxBeside(chosen, placed, left ?? -1, 'right'), right);
  assert.equal(boxBeside(chosen, placed, left ?? -1, 'left'), undefined);
});

test('lines are as thick as their time, and none is too thin to be seen', () => {
  assert.equal(arcWidth(graphArc(0, 1, 4), 4), 8);
  assert.equal(arcWidth(graphArc(0, 1, 1), 4), 4.5);
  assert.equal(arcWidth(graphArc(0, 1, 0), 4), 1);
  assert.equal(arcWidth(graphArc(0, 1, 0), 0), 1);
});

test('what stands in a box', () => {
  const figures = { programSeconds: 4, unit: 'seconds' };
  assert.deepEqual(boxTexts(graphNode(0, 'f', 26_300, 5), figures), ['25 % · 1.00 s', '26.3k + 5 calls']);
  assert.deepEqual(boxTexts(graphNode(0, 'main', 0), { ...figures, programSeconds: 0 }), ['1.00 s', 'spontaneous']);
  assert.deepEqual(boxTexts(graphNode(0, 'main', 0), { ...figures, basis: 'measured' }), ['25 % · 1.00 s']);
  assert.deepEqual(boxTexts({ ...graphNode(0, 'f'), cycle: 2 }, figures)[1], '1 call · cycle 2');
  assert.equal(boxName(graphNode(0, 'leveldb::(anonymous namespace)::Block::Iter::ParseNextKey()')), '…::Block::Iter::ParseNextKey');
});

test('functions and arcs below the least share are left out, and counted', () => {
  const nodes = around.nodes.map((node) => ({ ...node, selfSeconds: 9 }));
  const tenth = chooseGraph({ ...around, nodes }, 40, 10, 0.1);
  assert.deepEqual(tenth.nodes.map(({ name }) => name), ['work', 'main', 'dear', 'below', 'cheap']);
  assert.deepEqual([tenth.small, tenth.smallArcs, tenth.hidden], [0, 1, 0]);
  const fifth = chooseGraph({ ...around, nodes }, 40, 10, 0.2);
  assert.deepEqual(fifth.nodes.map(({ name }) => name), ['work', 'main', 'dear', 'below']);
  assert.deepEqual([fifth.small, fifth.smallArcs, fifth.hidden], [1, 0, 0]);
  assert.equal(leftOutText(fifth, 0.2, false), 'Left out: 1 function below 20 %.');
  assert.equal(leftOutText(tenth, 0.1, true), 'Left out: 1 arc below 10 %.');
  assert.equal(leftOutText({ ...fifth, small: 12, smallArcs: 30, hidden: 3 }, 0.005, true),
    'Left out: 12 or more functions and 30 arcs below 0.5 %, 3 functions with less time than these.');
  assert.equal(leftOutText({ ...fifth, small: 0, hidden: 1_200 }, 0.005, true), 'Left out: 1,200 or more functions with less time than these.');
  assert.equal(leftOutText({ ...fifth, small: 0 }, 0.005, true), '');
});

test('a function of little time keeps its callers, a cycle its calls, and a profile without times everything', () => {
  const small = chooseGraph(around, 40, 10_000, 0.005);
  assert.deepEqual(small.nodes.map(({ name }) => name), ['work', 'main', 'dear', 'cheap'], 'judged by its own second');
  const cycle: CallGraphResult = {
    ...around, nodes: around.nodes.map((node) => (node.id === 0 || node.id === 3 ? { ...node, cycle: 1 } : node)), arcs: [graphArc(0, 3, 0)],
  };
  assert.deepEqual(chooseGraph(cycle, 40, 10, 0.05).nodes.map(({ name }) => name), ['work', 'dear']);
  const counted: CallGraphResult = { ...around, arcs: around.arcs.map((arc) => ({ ...arc, selfSeconds: 0 })) };
  assert.equal(chooseGraph(counted, 40, 0, 0.05).nodes.length, 5);
});

test('a graph opens as a whole, unless it could not be read', () => {
  const field = { width: 900, height: 600 };
  assert.equal(openingScale({ width: 300, height: 300 }, field, 12), 1);
  assert.equal(openingScale({ width: 1000, height: 300 }, field, 12), 0.9);
  assert.equal(openingScale({ width: 9000, height: 300 }, field, 12), 0.75);
  assert.equal(openingScale({ width: 9000, height: 300 }, field, 8), 1);
});
