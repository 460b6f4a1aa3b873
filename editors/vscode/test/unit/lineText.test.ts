// How the cells of lines are laid out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roomForText, widthsOfGroups } from '../../src/annotations/editorWidths';
import { charactersBehind, lineText, placementStyle, shareForGutter } from '../../src/annotations/lineText';

const columns = [
  { name: 'count', width: 8 },
  { name: 'time', width: 13 },
  { name: 'share', width: 6 },
];

function textOf(cells: readonly string[]): string {
  return lineText(cells, columns).replaceAll('\u00a0', ' ').replace('\u200b', '');
}

test('where not even the share fits, it is for the gutter', () => {
  assert.equal(shareForGutter(['→ 26.3k', '0.31 s', ' 10 %'], columns, 3), '10');
  assert.equal(shareForGutter(['→ 26.3k', '0.31 s', ' 10 %'], columns, 4), undefined);
  assert.equal(shareForGutter(['→ 26.3k', '0.31 s', ''], columns, -20), undefined);
  assert.equal(shareForGutter(['changed'], [{ name: 'state', width: 7 }], 2), undefined);
});

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
    lineText(['100×', '', '', '1.2M miss'], more).replaceAll('\u00a0', ' ').replace('\u200b', ''),
    '    100×                       1.2M miss',
  );
  assert.equal(textOf(['100×', '0.31 s', '10 %', 'more']), '    100×        0.31 s   10 % more');
});

test('a line breaks before its cells and between them, and nowhere else', () => {
  const words = lineText(['→ 1', '0.31 ±0.06 s', '10 %'], columns).split(/[ \u200b]/);
  assert.deepEqual(words.map((word) => word.replaceAll('\u00a0', ' ')), ['', '     → 1', ' 0.31 ±0.06 s', '  10 %']);
  assert.equal(lineText(['', ''], columns), '');
});

test('figures begin in their column, unless the window ends before the leading ones would', () => {
  const placement = { lineWidth: 30, column: 44, cellColumns: columns, room: undefined };
  assert.match(placementStyle(placement), /^0 0 0 calc\(max\(32ch, min\(44ch, 100vw - 500px - 23ch\)\) - 30ch\); /);
  assert.match(placementStyle(placement), /; max-width: calc\(100vw - 200px - max\(32ch, [^;]*\)\)\); /);
  assert.match(
    placementStyle({ ...placement, room: 500 }),
    /; max-width: calc\(500px - max\(32ch, min\(44ch, 500px - 23ch\)\)\); /,
  );
});

test('the widths of groups follow the layout, as far as it tells them', () => {
  const beside = [{ size: 700 }, { size: 500, groups: [{ size: 300 }, { size: 200 }] }];
  assert.deepEqual(widthsOfGroups({ orientation: 0, groups: beside }), [undefined, 700, 500, 500]);
  const below = [{ size: 300 }, { size: 200, groups: [{ size: 400 }, { size: 800 }] }];
  assert.deepEqual(widthsOfGroups({ orientation: 1, groups: below }), [undefined, undefined, 400, 800]);
  assert.deepEqual(widthsOfGroups({ orientation: 0, groups: [{}] }), [undefined, undefined]);
  assert.equal(roomForText(1_090, false), 1_000);
  assert.equal(roomForText(1_090, true), 880);
  assert.equal(roomForText(50, true), 0);
});

test('blank cells make room where not all fit', () => {
  assert.equal(lineText(['', '', '10 %'], columns, 20), '\u200b\u00a0\u00a010\u00a0%');
  assert.equal(lineText(['', '', '10 %'], columns, 29).length, 1 + 29);
  const placement = { lineWidth: 10, column: 44, cellColumns: columns, room: 500 };
  assert.equal(charactersBehind(placement, 10), 23);
  assert.equal(charactersBehind({ ...placement, room: 1_000 }, 10), 56);
  assert.equal(charactersBehind({ ...placement, lineWidth: 60 }, 10), -12);
  assert.equal(charactersBehind({ ...placement, room: undefined }, 10), Infinity);
});
