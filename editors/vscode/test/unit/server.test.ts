// How often a server is started again, and what it is told of the settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsForServer } from '../../src/server/configuration';
import { linkedCommands, withIdleLinks } from '../../src/server/idleLinks';
import { Restarts } from '../../src/server/restarts';

test('five restarts, each after a longer wait than the one before', () => {
  const restarts = new Restarts();
  const delays: number[] = [];
  for (let delay = restarts.next(0); delay !== undefined; delay = restarts.next(0)) delays.push(delay);
  assert.equal(delays.length, 5);
  assert.equal(Restarts.most, 5);
  assert.deepEqual(delays, [...new Set(delays)].sort((a, b) => a - b));
});

test('a server that ran for long begins anew, one that ends at once does not', () => {
  const restarts = new Restarts();
  for (let i = 0; i < 5; i += 1) restarts.next(0);
  restarts.started(1_000);
  assert.equal(restarts.next(2_000), undefined);
  restarts.started(3_000);
  assert.notEqual(restarts.next(3_000 + 600_000), undefined);
});

test('what ends before it has begun is not started for ever, however long its predecessor ran', () => {
  const restarts = new Restarts();
  restarts.started(1_000);
  const delays: number[] = [];
  const ended = 1_000 + 3_600_000;
  for (let delay = restarts.next(ended); delay !== undefined; delay = restarts.next(ended)) delays.push(delay);
  assert.equal(delays.length, Restarts.most);
});

test('a restart by hand forgets', () => {
  const restarts = new Restarts();
  for (let i = 0; i < 5; i += 1) restarts.next(0);
  restarts.forget();
  assert.notEqual(restarts.next(0), undefined);
});

test('the server is told its own settings alone, and what was chosen comes first', () => {
  const section = { metric: 'self', threshold: 0.1, annotations: { enable: true }, server: { path: '/x' }, trace: {} };
  assert.deepEqual(settingsForServer(section, { metric: 'calls' }), { metric: 'calls', threshold: 0.1 });
  assert.deepEqual(settingsForServer(null, {}), {});
});

test('what hovers say of idle waiting can be clicked, and nothing else', () => {
  const hover = 'Waits 7.90 s: lock.\n\nidle: 3 threads wait here for 28.0 s; gprof.idle shows it.\n\nCPU time.\n';
  assert.equal(withIdleLinks(hover),
    'Waits 7.90 s: lock.\n\nidle: 3 threads wait here for 28.0 s: [show it](command:gprof.showIdleWaiting "Profile: Show Idle Waiting").\n\nCPU time.\n');
  assert.match(withIdleLinks('idle: 1 thread waits here for 28.0 s, which is shown as well.') ?? '', /\[fold it\]\(command:gprof\.foldIdleWaiting /);
  for (const text of ['', '`f; gprof.idle shows it.`', 'called: f; gprof.idle shows it.', 'idle: 3 threads wait here for 28.0 s.']) {
    assert.equal(withIdleLinks(text), undefined, text);
  }
  const linked = [...(withIdleLinks(hover) ?? '').matchAll(/command:([\w.]+)/g)].map(([, name]) => name);
  assert.ok(linked.length > 0 && linked.every((name) => linkedCommands.includes(name ?? '')));
});
