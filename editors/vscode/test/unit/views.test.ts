// The call tree as it unfolds, what pictures are about, reports' addresses, times as text, and pages of webviews.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differenceText, sampledTime, timeText, timeWithError } from '../../src/figures/numbers';
import { functionParams, subjectOf } from '../../src/pictures/messages';
import { newNonce, webviewPage } from '../../src/pictures/page';
import { reportAddress, reports } from '../../src/reports/kinds';
import type { CallGraphNode, CallGraphResult } from '../../src/server/protocol';
import { childrenOf, rootOf } from '../../src/views/callTreeModel';
import { descriptionOf, labelOf, tooltipOf } from '../../src/views/callTreeText';

const range = (line: number): CallGraphNode['range'] & object => ({ start: { line, character: 4 }, end: { line, character: 8 } });

function node(id: number, name: string, line?: number): CallGraphNode {
  const place = line === undefined ? {} : { uri: 'file:///a.c', range: range(line) };
  return { id, name, linkageName: name, calls: 1, recursiveCalls: 0, selfSeconds: 1, childSeconds: 0, totalError: 0, ...place };
}

const arc = (from: number, to: number, selfSeconds: number, calls = 1) => ({ from, to, calls, selfSeconds, childSeconds: 0, error: 0 });

const graph: CallGraphResult = {
  program: 'prog', generation: 1, root: 0, otherRoots: [4], truncated: false,
  nodes: [node(0, 'work', 3), node(1, 'main', 9), node(2, 'step', 1), node(3, 'spin'), node(4, 'work', 3)],
  arcs: [arc(1, 0, 5), arc(0, 2, 1), arc(0, 3, 3), arc(4, 2, 2), arc(1, 2, 9)],
};

test('a function unfolds into what it calls, of all its instances, most time first', () => {
  const root = rootOf(graph);
  assert.ok(root !== undefined);
  const callees = childrenOf(root, graph, 'callees');
  assert.deepEqual(callees.map((child) => [child.node.name, child.arc?.selfSeconds]), [['spin', 3], ['step', 2], ['step', 1]]);
  assert.deepEqual(childrenOf(root, graph, 'callers').map((child) => child.node.name), ['main']);
  assert.equal(rootOf({ ...graph, root: null }), undefined);
});

test('the root has the figures of all instances, as what is below it has', () => {
  const whole = { calls: 2, recursiveCalls: 0, selfSeconds: 1, childSeconds: 2, totalError: 0.1 };
  const root = rootOf({ ...graph, nodes: graph.nodes.map((one) => (one.id === 0 ? { ...one, selfSeconds: 0 } : one)), whole });
  assert.ok(root !== undefined);
  assert.equal(labelOf(root, { seconds: 4, unit: 'seconds', scale: {} }), '75.0 %\u2002\u20073.00 s\u2002work');
  assert.equal(descriptionOf(root), '2×');
});

test('a function without a sample took less than one, and not nothing', () => {
  const figures = { seconds: 4, unit: 'seconds', scale: { sampleSeconds: 0.001, unsampledBelow: 0.003 } };
  const idle = { node: { ...node(0, 'idle'), selfSeconds: 0, calls: 7 }, arc: arc(1, 0, 0, 5), recursive: false };
  assert.equal(labelOf(idle, figures), '\u20070.0 %\u2002<0.003 s\u2002idle');
  assert.equal(descriptionOf(idle), '5×');
  assert.equal(tooltipOf(idle, figures, 'callees'),
    'idle\nCalled from above 5 times: < 3 ms\nIn all < 3 ms, itself < 3 ms, called 7 times');
  const busy = { node: { ...node(0, 'busy'), selfSeconds: 1, totalError: 0.05 }, recursive: true };
  assert.equal(labelOf(busy, figures), '25.0 %\u20021.000 s\u2002busy');
  assert.equal(labelOf(busy, { ...figures, seconds: 0 }), 'busy', 'a profile without times has none');
  assert.equal(tooltipOf(busy, figures, 'callers'),
    'busy\nIn all 1.00 ±0.05 s, itself 1.00 s, called 1 time\nIt stands above already.');
});

test('a function has its cost by each metric that was chosen', () => {
  const metric = { name: 'Ir', label: 'Ir', unit: 'instructions', kind: 'exact', origin: 'exact: counted by callgrind' } as const;
  const cpu = { name: 'cpu', label: 'CPU time', unit: 'seconds', kind: 'sampled', origin: 'sampled 100 times per CPU second' } as const;
  const values = {
    metrics: [metric, cpu],
    of: (name: string) => (name === 'work' ? { Ir: { self: 26_300, total: 40_000 }, cpu: { self: 0.012 } } : undefined),
  };
  const work = { node: { ...node(0, 'work'), calls: 7 }, recursive: false };
  assert.equal(descriptionOf(work, values), '7× · Ir 26.3k · cpu 12.0 ms');
  assert.equal(descriptionOf({ ...work, node: node(1, 'main') }, values), '1×');
  assert.match(tooltipOf(work, { seconds: 4, unit: 'seconds', scale: {} }, 'callees', values),
    /\nIr: 26,300 instructions itself, 40,000 instructions in all\ncpu: 12 ms$/);
});

test('a function that stands above itself is recursive', () => {
  const root = rootOf(graph);
  assert.ok(root !== undefined);
  const [spin] = childrenOf(root, graph, 'callees');
  assert.equal(spin?.recursive, false);
  const back: CallGraphResult = { ...graph, root: 3, otherRoots: [], arcs: [arc(3, 0, 1), arc(3, 2, 1)] };
  const below = childrenOf(spin ?? root, back, 'callees');
  assert.deepEqual(below.map((child) => [child.node.name, child.recursive]), [['work', true], ['step', false]]);
  const namesake: CallGraphResult = { ...back, nodes: [node(0, 'work', 77), ...graph.nodes.slice(1)] };
  assert.equal(childrenOf(spin ?? root, namesake, 'callees')[0]?.recursive, false, 'another function of that name');
});

test('a function is asked about by its place, else by its linkage name', () => {
  assert.deepEqual(functionParams(subjectOf(node(0, 'work', 3))), {
    textDocument: { uri: 'file:///a.c' }, position: { line: 3, character: 4 },
  });
  const write = subjectOf({ name: 'write [libc.so.6]', module: 'libc.so.6' });
  assert.deepEqual(write, { name: 'write [libc.so.6]', isLibrary: true });
  assert.deepEqual(functionParams(write), { symbol: 'write [libc.so.6]' });
  assert.deepEqual(functionParams(subjectOf({ name: 'f(int)', linkageName: '_Z1fi' })), { symbol: '_Z1fi' });
  assert.deepEqual(functionParams({ name: 'f' }), { symbol: 'f' });
});

test('each report has its own command and address', () => {
  assert.equal(new Set(reports.map(({ command }) => command)).size, 8);
  assert.equal(reportAddress('flat-profile'), 'gprof-report:/flat-profile');
  assert.equal(reportAddress('call-graph', '-b -z'), 'gprof-report:/call-graph?options=-b%20-z');
});

test('times in the unit in which they are best read', () => {
  assert.deepEqual([0, 123.456, 1.234, 0.1, 0.0123, 0.00123, 0.0000123, 1.2e-8].map((time) => timeText(time)),
    ['0', '123.5 s', '1.23 s', '0.10 s', '12 ms', '1.2 ms', '12.3 µs', '12.0 ns']);
  assert.equal(timeText(1234, 'instructions'), '1234 instructions');
  assert.equal(timeWithError(1.84, 0.1356), '1.84 ±0.14 s');
  assert.equal(timeWithError(0.02, 0.01414), '20 ±14 ms');
  assert.equal(timeWithError(0.02, 0), '20 ms');
  assert.equal(timeWithError(0, 0.3), '0.00 ±0.30 s');
});

test('what has no sample took less than that can mean', () => {
  const scale = { sampleSeconds: 0.01, unsampledBelow: 0.03 };
  assert.equal(sampledTime(0.004, 0.006, scale), '< 0.03 s');
  assert.equal(sampledTime(0.01, 0.012, scale), '10 ±12 ms');
  assert.equal(sampledTime(0, 0, scale), '< 0.03 s');
  assert.equal(sampledTime(0, undefined, {}), '0');
  assert.equal(sampledTime(0.004, undefined, {}), '4.0 ms');
});

test('differences have their sign, error and verdict', () => {
  const difference = { baseSeconds: 1, difference: -0.5, error: 0.1, verdict: 'improved' } as const;
  assert.equal(differenceText(difference), '-0.50 ±0.10 s, faster');
  assert.equal(differenceText({ ...difference, difference: 0.5, verdict: 'noise' }), '+0.50 ±0.10 s, within the noise');
});

test('a page runs its one script and nothing else', () => {
  const page = webviewPage({ title: '<b>"x"</b>', source: 'https://own', script: 'https://own/a.js', style: 'https://own/a.css', nonce: 'abc' });
  assert.match(page, /content="default-src &#39;none&#39;; style-src https:\/\/own; script-src &#39;nonce-abc&#39;"/);
  assert.ok(!page.includes('<b>'));
  assert.deepEqual(page.match(/<script[^>]*>/g), ['<script nonce="abc" src="https://own/a.js">']);
  assert.doesNotMatch(page, /unsafe|style=|onload/);
  assert.notEqual(newNonce(), newNonce());
});
