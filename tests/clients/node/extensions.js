// @ts-check
// The server's own messages, gprof/…, as a generic client sends them.
'use strict';

const assert = require('node:assert/strict');
const { CALLS } = require('./program.js');
const { FLAT, checkFlatProfile } = require('./reports.js');

/** @typedef {import('./session.js').Session} Session */
/** @typedef {import('./view.js').View} View */

/** @param {any} call of a line @param {string} name @param {number} count */
function checkCallee(call, name, count) {
  assert.equal(call.name, name);
  assert.equal(call.count, count);
}

/** @param {View} main */
async function checkLineData(main) {
  const data = await main.ask({ method: 'gprof/lineData' });
  assert.equal(data.version, main.version);
  const numbers = data.lines.map((/** @type {any} */ row) => row.line);
  assert.deepEqual(numbers, [...new Set(numbers)].sort((a, b) => a - b));
  for (const { heat } of data.lines) assert.ok(heat >= 0 && heat <= 1, `heat ${heat}`);
  const row = data.lines[numbers.indexOf(main.text.line('once a turn'))];
  assert.equal(row.state, 'current');
  assert.equal(row.callees.length, 1);
  checkCallee(row.callees[0], 'work', 40);
}

/** @param {View} work */
async function checkHotSpots(work) {
  const { spots } = await work.session.request('gprof/hotSpots', { metric: 'calls' });
  const hottest = spots[0];
  assert.deepEqual([hottest.name, hottest.calls, hottest.rank], ['leaf', CALLS.leaf, 1]);
  assert.equal(hottest.uri, work.uri);
  assert.equal(hottest.range.start.line, work.text.line('static int leaf'));
}

/** @param {Session} session */
async function checkFlatRows(session) {
  const { rows, total } = await session.request('gprof/flatProfile', {});
  assert.equal(rows.length, total);
  const calls = Object.fromEntries(rows.map((/** @type {any} */ row) => [row.name, row.calls]));
  for (const name of /** @type {const} */ (['twice', 'work', 'größe', 'leaf'])) {
    assert.equal(calls[name], CALLS[name], name);
  }
}

/** The functions around another one, and how often they call each other.
 * @param {View} work */
async function checkCallGraph(work) {
  const graph = await work.ask(
    { method: 'gprof/callGraph' },
    { position: work.text.at('int work(int n)', 'work'), depth: 1, direction: 'both' },
  );
  const names = new Map(graph.nodes.map((/** @type {any} */ node) => [node.id, node.name]));
  assert.equal(names.get(graph.root), 'work');
  const arcs = graph.arcs.map((/** @type {any} */ arc) =>
    [names.get(arc.from), names.get(arc.to), arc.calls].join(' '),
  );
  for (const arc of ['main work 40', 'twice work 20', 'work leaf 300']) {
    assert.ok(arcs.includes(arc), `${arc}, among ${arcs}`);
  }
}

/** A tree whose times add up. @param {Session} session */
async function checkFlameGraph(session) {
  const { root, total, basis } = await session.request('gprof/flameGraph', {});
  assert.equal(basis, 'estimated');
  assert.equal(root.total, total);
  const check = (/** @type {any} */ node) => {
    const below = node.children.map((/** @type {any} */ child) => child.total);
    const sum = below.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, node.self);
    assert.ok(Math.abs(sum + (node.leftOut ?? 0) - node.total) < 1e-6, node.name);
    node.children.forEach(check);
  };
  check(root);
}

/** @param {Session} session @param {string} executable */
async function checkPrograms(session, executable) {
  const { programs } = await session.request('gprof/programs', {});
  assert.deepEqual(
    programs.map((/** @type {any} */ each) => [each.executable, each.selected, each.state]),
    [[executable, true, 'ready']],
  );
}

/** The same text as that of the virtual document. @param {Session} session */
async function checkReport(session) {
  const { uri, text } = await session.request('gprof/report', { kind: 'flat-profile' });
  assert.ok(uri.startsWith(FLAT), uri);
  checkFlatProfile(text);
}

/** @param {Session} session @param {string} executable */
async function checkStatus(session, executable) {
  const ready = () => session.all('gprof/status').find(({ state }) => state === 'ready');
  await session.until(() => ready() !== undefined, 'gprof/status that says ready');
  assert.equal(ready().program, executable);
}

module.exports = {
  checkCallGraph,
  checkFlameGraph,
  checkFlatRows,
  checkHotSpots,
  checkLineData,
  checkPrograms,
  checkReport,
  checkStatus,
};
