// Counts, times, shares and ages as text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { age, exactCount, sampledTime, shareText, shortCount } from '../../src/figures/numbers';

test('counts have three digits from ten thousand on, and never four', () => {
  const expected: readonly (readonly [number, string])[] = [
    [0, '0'],
    [999, '999'],
    [9_999, '9,999'],
    [10_000, '10.0k'],
    [26_345, '26.3k'],
    [99_949, '99.9k'],
    [99_951, '100k'],
    [999_499, '999k'],
    [999_500, '1.00M'],
    [9_994_000, '9.99M'],
    [9_996_000, '10.0M'],
    [1_346_269_000, '1.35G'],
  ];
  for (const [count, text] of expected) assert.equal(shortCount(count), text);
});

test('exact counts are grouped by thousands', () => {
  assert.equal(exactCount(7), '7');
  assert.equal(exactCount(1_000), '1,000');
  assert.equal(exactCount(79_960_000), '79,960,000');
});

test('shares have two digits, and small ones are not nothing', () => {
  assert.equal(shareText(0), '0 %');
  assert.equal(shareText(0.0004), '<0.1 %');
  assert.equal(shareText(0.0051), '0.5 %');
  assert.equal(shareText(0.0994), '9.9 %');
  assert.equal(shareText(0.0996), '10 %');
  assert.equal(shareText(1), '100 %');
});

test('what has no sample is less than a limit, which is rounded up', () => {
  const at = (rate: number): { sampleSeconds: number; unsampledBelow: number } =>
    ({ sampleSeconds: 1 / rate, unsampledBelow: 3 / rate });
  assert.equal(sampledTime(0, 0, at(100)), '< 0.03 s');
  assert.equal(sampledTime(0, 0, at(1000)), '< 3 ms');
  assert.equal(sampledTime(0, 0, { sampleSeconds: 0.001, unsampledBelow: 0.00361 }), '< 3.7 ms');
  assert.equal(sampledTime(0, 0, at(1), 'samples'), '< 3 samples');
  assert.equal(sampledTime(0.01, 0, at(100)), '10 ms');
  assert.equal(sampledTime(0, 0, {}, 'Ir'), '0');
});

test('ages are told in the largest unit that is not zero', () => {
  const minute = 60_000;
  assert.equal(age(0), 'just now');
  assert.equal(age(-5_000), 'just now');
  assert.equal(age(59 * minute), '59 min ago');
  assert.equal(age(60 * minute), '1 h ago');
  assert.equal(age(47 * 60 * minute), '47 h ago');
  assert.equal(age(48 * 60 * minute), '2 days ago');
});
