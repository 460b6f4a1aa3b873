// @ts-check
// Edits of an open document: what is shown moves with its line, and comes back with it.
'use strict';

const assert = require('node:assert/strict');
const lsp = require('vscode-languageserver-protocol/node');
const { hintsOf, lensesOf, titles } = require('./annotations.js');

/** @typedef {import('./view.js').View} View */
/** @typedef {import('./text.js').Text} Text */

/** The place before a line's first character.
 * @param {Text} text @param {string} fragment */
function before(text, fragment) {
  const start = text.position(text.line(fragment), 0);
  return { start, end: start };
}

/** Several changes in one message, each on the text that the one before left: lines before a
 * function, words of four bytes before its name, and a line taken away.
 * @param {View} work */
async function checkChanges(work) {
  const original = work.text;
  work.change(
    (text) => ({ range: before(text, 'static int leaf'), text: '/* new 😀 */\r\n// 漢字\r\n' }),
    (text) => ({ range: text.range('// 漢字', '漢'), text: '𝒳😀' }),
    (text) => ({ range: before(text, 'int größe'), text: '/* 😀𝒳 */ ' }),
    (text) => {
      const { start } = before(text, 'int sum = 0;');
      return { range: { start, end: { line: start.line + 1, character: 0 } }, text: '' };
    },
  );
  assert.ok(work.text.lines.includes('// 𝒳😀字'));
  const lenses = await lensesOf(work);
  const shown = titles(work, lenses);
  assert.equal(shown.leaf, '303 calls');
  assert.equal(shown.work, '60 calls');
  for (const lens of lenses) {
    const name = work.text.covered(lens.range);
    assert.equal(lens.range.start.line, work.text.line(`int ${name}(int n)`));
  }
  const hints = await hintsOf(work);
  assert.equal(hints.get(work.text.line('five times a call')), 'leaf 300×');
  // The line of größe was edited: what it says of that line is not said as if nothing were.
  assert.notEqual(hints.get(work.text.line('int größe')), 'leaf 3×');

  await checkUndo(work, original);
}

/** The same changes, taken back from the last to the first, in one message.
 * @param {View} work @param {Text} original */
async function checkUndo(work, original) {
  work.change(
    (text) => ({ range: before(text, 'for (int i'), text: '  int sum = 0;\r\n' }),
    (text) => ({ range: text.range('int größe', '/* 😀𝒳 */ '), text: '' }),
    (text) => ({ range: text.range('// 𝒳😀字', '𝒳😀'), text: '漢' }),
    (text) => {
      const { start } = before(text, '/* new 😀 */');
      return { range: { start, end: { line: start.line + 2, character: 0 } }, text: '' };
    },
  );
  assert.equal(work.text.content, original.content);
  assert.equal(titles(work, await lensesOf(work)).größe, '3 calls');
  const hints = await hintsOf(work);
  assert.equal(hints.get(work.text.line('return leaf(n)')), 'leaf 3×');
  assert.equal(hints.get(work.text.line('five times a call')), 'leaf 300×');
}

/** A whole text in place of ranges, then saved and closed and opened again.
 * @param {View} main @param {(content: string) => View} open */
async function checkLife(main, open) {
  const { content } = main.text;
  main.change((text) => ({ range: text.whole(), text: `// 😀\n${content}` }));
  main.save();
  const moved = await hintsOf(main);
  assert.equal(moved.get(main.text.line('once a turn')), 'work 40×');
  main.close();
  const again = open(content);
  const shown = await hintsOf(again);
  assert.equal(shown.get(again.text.line('once a turn')), 'work 40×');
  assert.equal(shown.size, 4);
}

/** A request that has to wait is cancelled through the library's token: before the settings are
 * told no profile is loaded. Returns when the answer is there.
 * @param {View} main */
async function checkCancel(main) {
  const source = new lsp.CancellationTokenSource();
  const params = { textDocument: { uri: main.uri } };
  const answer = main.session.request(lsp.CodeLensRequest.type, params, source.token);
  source.cancel();
  await assert.rejects(answer, { code: lsp.LSPErrorCodes.RequestCancelled });
}

module.exports = { checkCancel, checkChanges, checkLife };
