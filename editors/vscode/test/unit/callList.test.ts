// Callers and callees to choose from, and figures that stand below each other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresBefore, timeIn, unitOfCalls, unitOfTimes } from '../../src/figures/columns';
import { callListOf, hasNamed, onlyCallText } from '../../src/navigation/callList';
import type { CallSite, CallSitesResult } from '../../src/server/protocol';

const at = (line: number) => ({ start: { line, character: 4 }, end: { line, character: 8 } });

function site(name: string, line: number, calls: number, more: Partial<CallSite> = {}): CallSite {
  return { name, uri: 'file:///a/main%20.c', range: at(line), definition: { uri: `file:///a/${name}.c`, range: at(1) }, calls, ...more };
}

function result(sites: CallSite[], more: Partial<CallSitesResult> = {}): CallSitesResult {
  return { program: 'prog', generation: 1, name: 'area', basis: 'measured', unit: 'seconds', programSeconds: 10, sites, truncated: false, ...more };
}

// With spaces that can be read.
const plain = (text: string): string => text.replaceAll('\u2007', '_').replaceAll('\u2002', ' ');

test('what is said of all callees together is measured of them together', () => {
  const recursive = [site('walk', 3, 10, { seconds: 1.06 }), site('walk', 4, 5, { seconds: 1.07 }), site('leaf', 5, 2, { seconds: 0.2 })];
  const list = callListOf(result(recursive, { seconds: 1.1 }), 'callees');
  assert.equal(list.title, '2 callees of area: 17 calls, 1.10 s');
  assert.match(list.entries[0]?.figures ?? '', /1\.10 s/);
});

test('callers have their share, time and calls, one below the other, and lead to the call', () => {
  const list = callListOf(result([
    site('leveldb::(anonymous namespace)::Block::Iter::ParseNextKeyAndTheValueBehindIt()', 12, 26_300, { seconds: 4.2 }),
    site('main', 20, 7, { seconds: 0.05, approximate: true, alternatives: [{ uri: 'file:///a/main%20.c', range: at(22) }, { uri: 'file:///b.h', range: at(0) }] }),
    site('main', 30, 1, { seconds: 0 }),
  ]), 'callers');
  assert.equal(list.title, '2 callers of area at 3 places: 26,308 calls, 4.25 s');
  assert.equal(list.note, 'Times are measured from stacks');
  assert.deepEqual(list.entries.map(({ figures }) => plain(figures)), [
    '42.0 % _4.20 s 26.3k× ', '_0.5 % _0.05 s ___≈7× ', '_0.0 % _0.00 s ____1× ',
  ]);
  assert.deepEqual(list.entries.map(({ name }) => name), ['…::Iter::ParseNextKeyAndTheValueBehindIt', 'main', 'main']);
  assert.deepEqual(list.entries.map(({ where }) => where), ['main .c:13', 'main .c:21, together with 23, b.h:1', 'main .c:31']);
  assert.deepEqual(list.entries[0]?.place, { uri: 'file:///a/main%20.c', range: at(12) });
  assert.match(list.entries[0]?.wholeName ?? '', /^leveldb::/);
});

test('callees lead to their definitions, each once', () => {
  const list = callListOf(result([site('spin', 3, 10, { seconds: 1 }), site('spin', 4, 5, { seconds: 0.5 }), site('idle', 5, 2)]), 'callees');
  assert.equal(list.title, '2 callees of area: 17 calls, 1.50 s');
  assert.deepEqual(list.entries.map(({ figures, name }) => plain(figures) + name), ['15.0 % _1.50 s 15× spin', '_0.0 % _0.00 s _2× idle']);
  assert.deepEqual(list.entries[0]?.place, { uri: 'file:///a/spin.c', range: at(1) });
});

test('the only call is told in words', () => {
  const said = (more: Partial<CallSite>, basis: 'measured' | 'estimated', direction: 'callers' | 'callees') => {
    const [only] = callListOf(result([site('docall', 3, 0, more)], { basis }), direction).entries;
    return only === undefined ? '' : onlyCallText(only, direction);
  };
  assert.equal(said({ seconds: 9.66 }, 'measured', 'callees'), 'docall: 9.66 s (97 %)');
  assert.equal(said({ seconds: 0.42, calls: 26_300 }, 'estimated', 'callers'), 'from docall: ≈0.42 s (4.2 %), 26.3k×');
  assert.equal(said({}, 'measured', 'callees'), 'docall');
});

test('a profile without times has calls alone, and says nothing of how times are known', () => {
  const { basis: _, ...untimed } = result([site('main', 3, 10)], { programSeconds: 0 });
  const list = callListOf(untimed, 'callers');
  assert.equal(list.title, '1 caller of area: 10 calls');
  assert.equal(list.note, '');
  const [only] = list.entries;
  assert.ok(only !== undefined);
  assert.equal(onlyCallText(only, 'callers'), 'from main: 10×');
});

test('what has no place says so, and code that counts no calls is no function', () => {
  const { uri: _, range: __, ...placeless } = site('main', 3, 10, { through: 'qsort' });
  const { definition: ___, ...unknown } = placeless;
  const start: CallSite = { name: '<spontaneous>', calls: 0, seconds: 1 };
  const list = callListOf(result([placeless, unknown, start, site('area', 9, 4, { recursive: true })]), 'callers');
  assert.deepEqual(list.entries.map(({ name, where }) => `${name}: ${where}`), [
    'main through qsort: main.c:2, the line of the call is not known', 'main through qsort: its source is not here',
    'code that counts no calls: ', 'area (recursive): main .c:10',
  ]);
  assert.match(list.title, /^2 callers of area: 20 calls/);
  assert.equal(list.entries[1]?.place, undefined);
  assert.ok(!hasNamed([start]));
  assert.ok(hasNamed([start, placeless]));
  assert.equal(callListOf(result([start]), 'callers').title, 'Callers of area');
});

test('where calls are not counted, their measured time stands alone', () => {
  const sites = [site('main', 3, 0, { seconds: 4 }), site('idle', 5, 0, { seconds: 1 })];
  const list = callListOf(result(sites), 'callers');
  assert.equal(list.title, '2 callers of area: 5.00 s measured');
  assert.deepEqual(list.entries.map(({ figures, name }) => plain(figures) + name), ['40.0 % _4.00 s main', '10.0 % _1.00 s idle']);
});

test('estimates are called that', () => {
  assert.match(callListOf(result([site('main', 1, 1, { seconds: 1 })], { basis: 'estimated' }), 'callers').note, /estimated/);
});

test('figures of a list have the unit of the whole', () => {
  const figures = { seconds: 12.5, unit: 'seconds', scale: { sampleSeconds: 0.01, unsampledBelow: 0.03 } };
  assert.deepEqual([12.5, 1.234, 0.001, 0.02].map((time) => plain(figuresBefore(time, figures))), [
    '100.0 % 12.50 s ', '_9.9 % _1.23 s ', '<0.1 % <0.03 s ', '_0.2 % _0.02 s ',
  ]);
  assert.equal(plain(figuresBefore(250, { seconds: 1000, unit: 'instructions', scale: {} })), '25.0 % __250 instructions ');
});

test('units in which a column is best read', () => {
  assert.deepEqual([250, 0.1, 0.05, 0.0005, 0].map((largest) => unitOfTimes(largest, 'seconds', {}).name), ['s', 's', 'ms', 'µs', 's']);
  const calls = unitOfCalls([3.2, 2e-8, 3e-8], 'seconds');
  assert.deepEqual([3.2, 2e-8, 3e-7].map((time) => timeIn(time, calls)), ['3,200,000.0', '<0.1', '0.3']);
  assert.equal(unitOfCalls([], 'seconds').name, 'ns');
});
