// Which lines are asked for, where figures begin, and how thresholds are typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotationColumn, widthOf } from '../../src/annotations/alignment';
import { areCovered, rangesAround } from '../../src/annotations/lineRanges';
import { parseThreshold } from '../../src/annotations/threshold';

test('a screen more at both ends, within the text', () => {
  assert.deepEqual(rangesAround([{ first: 100, last: 139 }], 20_000), [{ first: 60, last: 179 }]);
  assert.deepEqual(rangesAround([{ first: 0, last: 39 }], 50), [{ first: 0, last: 49 }]);
  assert.deepEqual(rangesAround([], 50), []);
});

test('folded code between visible parts is not asked for', () => {
  const parts = [
    { first: 100, last: 119 },
    { first: 9_000, last: 9_019 },
  ];
  assert.deepEqual(rangesAround(parts, 20_000), [
    { first: 60, last: 159 },
    { first: 8_960, last: 9_059 },
  ]);
  const close = [
    { first: 100, last: 119 },
    { first: 130, last: 149 },
  ];
  assert.deepEqual(rangesAround(close, 20_000), [{ first: 60, last: 189 }]);
});

test('scrolling asks again only when less than half a screen is left', () => {
  const known = rangesAround([{ first: 100, last: 139 }], 20_000);
  assert.ok(areCovered([{ first: 100, last: 139 }], known, 20_000));
  assert.ok(areCovered([{ first: 119, last: 158 }], known, 20_000));
  assert.ok(!areCovered([{ first: 121, last: 160 }], known, 20_000));
  assert.ok(!areCovered([{ first: 5_000, last: 5_039 }], known, 20_000));
  assert.ok(areCovered([{ first: 0, last: 39 }], [{ first: 0, last: 49 }], 50));
});

test('tabs reach to the next stop, wide characters take two cells', () => {
  assert.equal(widthOf('\tx', 4), 5);
  assert.equal(widthOf('ab\tx', 4), 5);
  assert.equal(widthOf('変数', 4), 4);
  assert.equal(widthOf('é', 4), 1);
});

test('figures begin behind three of four lines, but no further than they may', () => {
  const lines = Array.from({ length: 75 }, () => 40);
  const longer = Array.from({ length: 25 }, () => 70);
  assert.equal(annotationColumn([...lines, ...longer], 80), 44);
  assert.equal(annotationColumn([...lines, ...longer, 70], 80), 72);
  assert.equal(annotationColumn([...lines, ...longer, 48], 80), 52);
  assert.equal(annotationColumn(lines.map(() => 100), 80), 80);
  assert.equal(annotationColumn([40, 40, 60], 80), 64);
  assert.equal(annotationColumn([], 80), 24);
});

test('thresholds are typed as percentages', () => {
  assert.equal(parseThreshold('0.5'), 0.005);
  assert.equal(parseThreshold(' 12 % '), 0.12);
  assert.equal(parseThreshold('1,5'), 0.015);
  assert.equal(parseThreshold('100'), 1);
  for (const wrong of ['', '101', '-1', 'x', '1e1', '.']) assert.equal(parseThreshold(wrong), undefined);
});
