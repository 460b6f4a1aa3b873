// Metrics of a profile: how they are listed and follow each other, and how their figures are written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bursts } from '../../src/bursts';
import {
  columnTitle, metricAfter, metricColumn, metricItems, metricsInTurn, titleOfCosts, titleOfMetric, valueIn, valuesText, valueText,
} from '../../src/metrics/text';
import type { MetricDescription } from '../../src/server/protocol';

const metric = (name: string, unit: string, more: Partial<MetricDescription> = {}): MetricDescription => ({
  name, label: name, unit, kind: 'exact', origin: 'exact: counted by callgrind', ...more,
});

const metrics = [
  metric('cpu', 'seconds', { label: 'CPU time', kind: 'sampled', origin: 'sampled 100 times per CPU second', total: 12.3, totalError: 0.35 }),
  metric('page-faults', 'events', { label: 'Page faults', kind: 'sampled', origin: 'sampled by perf', total: 1234 }),
  metric('calls', 'calls', { total: 26_300 }),
  metric('executions', 'executions'),
  metric('seconds per call', 'seconds', { kind: 'derived', origin: 'cpu / calls' }),
];

test('the figures of every profile come first, then what only this one has', () => {
  assert.deepEqual(metricsInTurn([]), ['time', 'calls', 'executions', 'self', 'total']);
  assert.deepEqual(metricsInTurn(metrics).slice(5), ['page-faults', 'seconds per call']);
  assert.equal(metricAfter('total', metrics), 'page-faults');
  assert.equal(metricAfter('seconds per call', metrics), 'time');
  assert.equal(metricAfter('of another profile', metrics), 'time');
  assert.equal(metricAfter('total', []), 'time');
});

test('counts that a profile does not have are not offered', () => {
  const sampled = metrics.filter(({ name }) => name !== 'calls');
  assert.deepEqual(metricsInTurn(sampled), ['time', 'executions', 'self', 'total', 'page-faults', 'seconds per call']);
  assert.deepEqual(metricItems('self', sampled).figures.map(({ metric: name, isShown }) => [name, isShown]),
    [['time', false], ['executions', false], ['self', true], ['total', false]]);
});

test('costs in views are of the metric that is shown, or of the first of cost', () => {
  assert.equal(titleOfCosts('page-faults', metrics), 'Page faults');
  assert.equal(titleOfCosts('time', metrics), 'CPU time');
  assert.equal(titleOfCosts('seconds per call', metrics), 'CPU time');
  assert.equal(titleOfCosts('time', []), 'Time');
});

test('metrics are listed with their units, totals and origins', () => {
  const { figures, own } = metricItems('page-faults', metrics);
  assert.deepEqual(figures.map(({ label }) => label), ['Time', 'Calls', 'Executions', 'Self time', 'Total time']);
  assert.equal(figures[1]?.description, '26,300 calls');
  assert.deepEqual(own.map(({ label, description, detail }) => [label, description, detail]), [
    ['CPU time (cpu)', '12.30 ±0.35 s', 'sampled 100 times per CPU second'],
    ['Page faults (page-faults)', '1,234 events · shown now', 'sampled by perf'],
    ['seconds per call', 'seconds', '= cpu / calls'],
  ]);
  const [ir] = metricItems('time', [metric('Ir', 'instructions', { label: 'Ir: instructions executed' })]).own;
  assert.equal(ir?.label, 'Ir: instructions executed');
});

test('a metric is called by its label, one that the profile has not by its name', () => {
  assert.equal(titleOfMetric('self', metrics), 'Self time');
  assert.equal(titleOfMetric('page-faults', metrics), 'Page faults');
  assert.equal(titleOfMetric('Ir', metrics), 'Ir');
});

test('figures of a metric have its unit', () => {
  assert.equal(valueText(1.84, 0.1356, 'seconds'), '1.84 ±0.14 s');
  assert.equal(valueText(1234, 35, 'events'), '1,234 ±35 events');
  assert.equal(valueText(0.012345, undefined, 'misses'), '0.0123 misses');
  assert.equal(valueText(3.14159, undefined, ''), '3.14');
});

test('a column has one unit', () => {
  const [cpu, faults, , , perCall] = metrics as [MetricDescription, MetricDescription, MetricDescription, MetricDescription, MetricDescription];
  const times = metricColumn(cpu, [0.5, 0.012]);
  assert.deepEqual([columnTitle(times), valueIn(0.5, times)], ['cpu (s)', '0.50']);
  const small = metricColumn(perCall, [0.0000031, 0.0000002]);
  assert.deepEqual([columnTitle(small), valueIn(0.0000031, small)], ['seconds per call (µs)', '3.1']);
  const counts = metricColumn(faults, [12, 1_234_567]);
  assert.deepEqual([columnTitle(counts), valueIn(1_234_567, counts), valueIn(12, counts)], ['page-faults', '1.23M', '12']);
  const ratios = metricColumn(metric('D1mr / Dr', 'misses'), [0.0123, 0.5]);
  assert.deepEqual([valueIn(0.0123, ratios), valueIn(0.5, ratios), valueIn(0, ratios)], ['0.012', '0.500', '0.000']);
  assert.equal(valueIn(3, metricColumn(metric('x', ''), [])), '3');
});

test('values are told with what lies beneath', () => {
  const values = { 'page-faults': { self: 12, selfError: 3, total: 20 }, calls: { self: 7, total: 7 } };
  assert.deepEqual(valuesText(metrics, values), ['page-faults: 12 ±3 events itself, 20 events in all', 'calls: 7 calls']);
  assert.deepEqual(valuesText(metrics, undefined), []);
});

test('the first of a burst is worked on at once, and the last one too', async () => {
  let time = 0;
  let done = 0;
  const bursts = new Bursts(() => (done += 1), () => time);
  bursts.soon();
  assert.equal(done, 1);
  time = 140;
  bursts.soon();
  bursts.soon();
  assert.equal(done, 1);
  await new Promise((resolve) => setTimeout(resolve, 40));
  assert.equal(done, 2);
  time = 1_000;
  bursts.soon();
  assert.equal(done, 3);
  bursts.dispose();
});
