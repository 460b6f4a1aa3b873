// How the cells of lines are laid out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineText } from '../../src/annotations/lineText';

const columns = [
  { name: 'count', width: 8 },
  { name: 'time', width: 13 },
  { name: 'share', width: 6 },
];

function textOf(cells: readonly string[]): string {
  return lineText(cells, columns).replaceAll('\u00a0', ' ');
}

test('cells end where their column does', () => {
  assert.equal(textOf(['→ 26.3k', '0.31 ±0.06 s', '10 %']), ' → 26.3k  0.31 ±0.06 s   10 %');
  assert.equal(textOf(['', '12.50 ±0.35 s', '9.9 %']), '         12.50 ±0.35 s  9.9 %');
  assert.equal(textOf(['changed']), ' changed');
  assert.equal(textOf([]), '');
});

test('a cell that is wider than its column is kept apart from the next', () => {
  assert.equal(textOf(['1', '100.00 ±10.00 s', '10 %']), '       1 100.00 ±10.00 s   10 %');
});

test('a cell that the editor has never heard of is laid out as any other', () => {
  const more = [...columns, { name: 'cacheMisses', width: 10 }];
  assert.equal(
    lineText(['100×', '', '', '1.2M miss'], more).replaceAll('\u00a0', ' '),
    '    100×                       1.2M miss',
  );
  assert.equal(textOf(['100×', '0.31 s', '10 %', 'more']), '    100×        0.31 s   10 % more');
});

test('the editor would drop blanks that are not made to stay', () => {
  assert.ok(!lineText(['1', '0.31 s'], columns).includes(' '));
});
