// @ts-check
// What the session's client sees beside the code: lenses, hints, hovers.
'use strict';

const assert = require('node:assert/strict');
const lsp = require('vscode-languageserver-protocol/node');
const { CALLS } = require('./program.js');

/** @typedef {import('./view.js').View} View */

/** Lenses by the word that they stand at: titles up to the first " · ".
 * @param {View} view @param {any[]} lenses */
function titles(view, lenses) {
  return Object.fromEntries(
    lenses.map((lens) => [view.text.covered(lens.range), lens.command?.title.split(' · ')[0]]),
  );
}

/** @param {View} view */
async function lensesOf(view) {
  const lenses = await view.ask(lsp.CodeLensRequest.type);
  if (!view.session.offers('codeLensProvider.resolveProvider')) return lenses;
  return Promise.all(
    lenses.map((/** @type {any} */ lens) =>
      lens.command ? lens : view.session.request(lsp.CodeLensResolveRequest.type, lens),
    ),
  );
}

/** @param {any} hint */
const labelOf = ({ label }) =>
  typeof label === 'string' ? label : label.map((/** @type {any} */ part) => part.value).join('');

/** The number of calls that each line's hint tells, by the line: "work 40×".
 * @param {View} view */
async function hintsOf(view) {
  const hints = await view.ask(lsp.InlayHintRequest.type, { range: view.text.whole() });
  for (const { position } of hints) {
    const end = view.text.position(position.line, view.text.lines[position.line].length);
    assert.deepEqual(position, end, 'a hint stands behind its line');
  }
  return new Map(
    hints.map((/** @type {any} */ hint) => [
      hint.position.line,
      /→ (.*×)/.exec(labelOf(hint))?.[1] ?? labelOf(hint),
    ]),
  );
}

/** @param {View} main @param {View} work */
async function checkLenses(main, work) {
  assert.deepEqual(titles(main, await lensesOf(main)), {
    twice: `${CALLS.twice} calls`,
    main: '1 call',
  });
  assert.deepEqual(titles(work, await lensesOf(work)), {
    leaf: `${CALLS.leaf} calls`,
    work: `${CALLS.work} calls`,
    größe: `${CALLS.größe} calls`,
  });
}

/** @param {View} work */
async function checkLensResolve(work) {
  for (const lens of await work.ask(lsp.CodeLensRequest.type)) {
    const resolved = await work.session.request(lsp.CodeLensResolveRequest.type, lens);
    assert.deepEqual(resolved.range, lens.range);
    assert.ok(resolved.command?.title, 'a lens that is resolved has a title');
  }
}

/** @param {View} main @param {View} work */
async function checkHints(main, work) {
  const { text } = main;
  assert.deepEqual(
    await hintsOf(main),
    new Map([
      [text.line('static int twice'), 'work 20×'],
      [text.line('once a turn'), 'work 40×'],
      [text.line('each fourth'), 'twice 10×'],
      [text.line('größe(i)'), 'größe 3×'],
    ]),
  );
  assert.deepEqual(
    await hintsOf(work),
    new Map([
      [work.text.line('five times a call'), 'leaf 300×'],
      [work.text.line('return leaf(n)'), 'leaf 3×'],
    ]),
  );
}

/** A range that is asked for limits the answer. @param {View} main */
async function checkHintRange(main) {
  const line = main.text.line('once a turn');
  const range = { start: { line, character: 0 }, end: main.text.endOfLine('once a turn') };
  const hints = await main.ask(lsp.InlayHintRequest.type, { range });
  assert.deepEqual(hints.map((/** @type {any} */ hint) => hint.position.line), [line]);
}

/** @param {View} main */
async function checkHintResolve(main) {
  const hints = await main.ask(lsp.InlayHintRequest.type, { range: main.text.whole() });
  assert.ok(hints.length > 0);
  for (const hint of hints) {
    const resolved = await main.session.request(lsp.InlayHintResolveRequest.type, hint);
    assert.deepEqual(resolved.position, hint.position);
    assert.equal(labelOf(resolved), labelOf(hint));
    const parts = Array.isArray(resolved.label) ? resolved.label : [];
    const told = [resolved, ...parts].some(({ tooltip }) => tooltip);
    assert.ok(told, `the hint ${labelOf(hint)} has a tooltip once it is resolved`);
  }
}

/** @param {View} view @param {string} fragment @param {string} word */
async function hover(view, fragment, word) {
  const position = view.text.at(fragment, word);
  const answer = await view.ask(lsp.HoverRequest.type, { position });
  assert.equal(answer?.contents.kind, 'markdown', `a hover at ${word}`);
  if (answer.range) assert.equal(answer.range.start.line, position.line);
  return answer.contents.value;
}

/** @param {View} main @param {View} work */
async function checkHovers(main, work) {
  assert.match(await hover(work, 'int work(int n)', 'work'), /\b60 calls/);
  assert.match(await hover(work, 'int größe(int n)', 'größe'), /\b3 calls/);
  const call = await hover(main, 'größe(i)', 'größe');
  assert.match(call, /größe/);
  assert.match(call, /\b3\b/);
  const nowhere = { position: main.text.at('#include', '#include') };
  assert.equal(await main.ask(lsp.HoverRequest.type, nowhere), null);
}

module.exports = {
  checkHintRange,
  checkHintResolve,
  checkHints,
  checkHovers,
  checkLensResolve,
  checkLenses,
  hintsOf,
  lensesOf,
  titles,
};
