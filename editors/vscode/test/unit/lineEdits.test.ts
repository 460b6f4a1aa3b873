// Where lines go when a text is edited. Each case is applied to a text, and every line of it is looked for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineAfterEdit } from '../../src/annotations/lineEdits';
import type { TextChange } from '../../src/annotations/lineEdits';

const before = ['zero', 'one', 'two', 'three', 'four'];

function change(from: [number, number], to: [number, number], text: string): TextChange {
  return { startLine: from[0], startCharacter: from[1], endLine: to[0], endCharacter: to[1], text };
}

function applied(changes: readonly TextChange[]): string[] {
  const offset = (line: number, character: number): number =>
    before.slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + character;
  let text = before.join('\n');
  // From the end on, so that places before stay.
  for (const one of [...changes].sort((a, b) => b.startLine - a.startLine || b.startCharacter - a.startCharacter)) {
    text =
      text.slice(0, offset(one.startLine, one.startCharacter)) +
      one.text +
      text.slice(offset(one.endLine, one.endCharacter));
  }
  return text.split('\n');
}

// A line that is followed shows the text that it had; the lines that are dropped are named.
function check(name: string, changes: readonly TextChange[], dropped: readonly number[]): void {
  test(name, () => {
    const after = applied(changes);
    const gone: number[] = [];
    before.forEach((text, line) => {
      const moved = lineAfterEdit(line, changes, (at) => before[at]?.length ?? 0);
      if (moved === undefined) gone.push(line);
      else assert.equal(after[moved], text, `line ${line}`);
    });
    assert.deepEqual(gone, dropped);
  });
}

check('a line above', [change([0, 0], [0, 0], 'new\n')], []);
check('a new line at the end of one', [change([1, 3], [1, 3], '\n')], []);
check('a new line with more at the end of one', [change([1, 3], [1, 3], '\n  more')], []);
check('a new line before a line’s text', [change([2, 0], [2, 0], '\n')], []);
check('a letter at the end', [change([1, 3], [1, 3], 'x')], [1]);
check('a letter at the beginning', [change([1, 0], [1, 0], 'x')], [1]);
check('a line that is split', [change([3, 2], [3, 2], '\n')], [3]);
check('a line that is deleted', [change([1, 0], [2, 0], '')], [1]);
check('lines that are joined', [change([1, 3], [2, 0], '')], [1, 2]);
check('lines that are replaced', [change([1, 0], [3, 0], 'a\nb\nc\n')], [1, 2]);
check('two places at once', [change([3, 5], [3, 5], '!'), change([0, 0], [0, 0], '\n')], [3]);
check('several cursors add lines', [change([3, 0], [3, 0], 'y\n'), change([1, 0], [1, 0], 'x\n')], []);
