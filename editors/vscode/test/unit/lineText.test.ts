// What stands at the end of a line, by metric and threshold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineText } from '../../src/annotations/lineText';
import type { LineTextOptions } from '../../src/annotations/lineText';
import type { LineData } from '../../src/server/protocol';

const options: LineTextOptions = {
  metric: 'self',
  threshold: 0.005,
  basis: 'estimated',
  unit: 'seconds',
  scale: { sampleSeconds: 0.01, unsampledBelow: 0.03 },
  withErrors: true,
};

// A line with 0.31 of 3.1 seconds, and 0.62 with what it calls.
function line(more: Partial<LineData> = {}): LineData {
  return {
    line: 4,
    state: 'current',
    calls: 26_345,
    selfSeconds: 0.31,
    selfError: 0.056,
    totalSeconds: 0.62,
    heat: Math.sqrt(0.1),
    heats: { calls: 0.7, executions: 0, self: Math.sqrt(0.1), total: Math.sqrt(0.2) },
    ...more,
  };
}

function textOf(data: LineData, more: Partial<LineTextOptions> = {}): string {
  return lineText(data, { ...options, ...more }).replaceAll('\u00a0', ' ').trim().replace(/ {2,}/g, ' | ');
}

test('calls, self time with its error, and its share', () => {
  assert.equal(textOf(line()), '→ 26.3k | 0.31 ±0.06 s | 10 %');
  assert.equal(textOf(line(), { withErrors: false }), '→ 26.3k | 0.31 s | 10 %');
});

test('how often the line ran comes before what it calls, but for the metric of calls', () => {
  const data = line({ executions: 100 });
  assert.equal(textOf(data), '100× | 0.31 ±0.06 s | 10 %');
  assert.equal(textOf(data, { metric: 'calls' }), '→ 26.3k | 0.31 ±0.06 s | 10 %');
});

test('totals are marked as estimates where they are', () => {
  assert.equal(textOf(line(), { metric: 'total' }), '→ 26.3k | ≈0.62 s | 20 %');
  assert.equal(textOf(line(), { metric: 'total', basis: 'measured' }), '→ 26.3k | 0.62 s | 20 %');
  const { calls: _calls, ...leaf } = line({ totalSeconds: 0.31 });
  assert.equal(textOf(leaf, { metric: 'total' }), '0.31 ±0.06 s | 20 %');
});

test('below the threshold there is no time, but the count stays', () => {
  assert.equal(textOf(line(), { threshold: 0.2 }), '→ 26.3k');
  const { calls: _calls, ...uncounted } = line();
  assert.equal(lineText(uncounted, { ...options, threshold: 0.2 }), '');
});

test('less than a sample is no figure', () => {
  assert.equal(textOf(line({ selfSeconds: 0.004, selfError: 0.0063 })), '→ 26.3k | < 0.03 s');
  assert.equal(textOf(line({ selfSeconds: 0.05, selfError: 0.2 })), '→ 26.3k | 0.05 ±0.20 s | 10 %');
  assert.equal(textOf(line({ selfSeconds: 0, selfError: 0 })), '→ 26.3k');
});

test('a changed line has no figures, an approximate count says so', () => {
  assert.equal(textOf(line({ state: 'changed' })), 'changed');
  assert.match(textOf(line({ state: 'approximate' })), /^≈→ 26\.3k/);
});

test('a difference is shown where it is none of chance', () => {
  const difference = { baseSeconds: 0.1, difference: 0.21, error: 0.05 };
  assert.match(textOf(line({ selfDifference: { ...difference, verdict: 'regressed' } })), /\| ▲ \+0\.21 s$/);
  assert.match(
    textOf(line({ selfDifference: { ...difference, difference: -0.21, verdict: 'improved' } })),
    /\| ▼ −0\.21 s$/,
  );
  assert.equal(textOf(line({ selfDifference: { ...difference, verdict: 'noise' } })), '→ 26.3k | 0.31 ±0.06 s | 10 %');
});

test('cells of all lines stand below each other', () => {
  const ends = [line(), line({ calls: 3 }), line({ selfSeconds: 12.5, selfError: 0.35 })].map((data) => {
    const text = lineText(data, options);
    return [text.indexOf('s'), text.length];
  });
  assert.deepEqual(ends[1], ends[0]);
  assert.deepEqual(ends[2], ends[0]);
});
