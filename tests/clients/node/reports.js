// @ts-check
// Reports as documents of the editor, and diagnostics.
'use strict';

const assert = require('node:assert/strict');
const lsp = require('vscode-languageserver-protocol/node');
const { CALLS } = require('./program.js');
const { View } = require('./view.js');

/** @typedef {import('./session.js').Session} Session */

const SCHEME = 'gprof-report';
const FLAT = `${SCHEME}:/flat-profile`;
const GRAPH = `${SCHEME}:/call-graph`;

/** @param {Session} session @param {string} uri @returns {Promise<string>} */
async function textOf(session, uri) {
  return (await session.request(lsp.TextDocumentContentRequest.type, { uri })).text;
}

/** A report that is open in the editor of the other view's session.
 * @param {View} beside @param {string} uri */
async function openReport({ session, text }, uri) {
  return new View(session, uri, await textOf(session, uri), text.encoding, 'plaintext');
}

/** @param {string} text of a flat profile */
function checkFlatProfile(text) {
  for (const name of /** @type {const} */ (['leaf', 'work', 'twice'])) {
    assert.match(text, new RegExp(`\\b${CALLS[name]}\\b.*\\b${name}\\b`));
  }
}

/** @param {Session} session */
async function checkContent(session) {
  const offered =
    session.capabilities.workspace?.textDocumentContent ??
    session.registered(lsp.TextDocumentContentRequest.method);
  assert.ok(offered.schemes.includes(SCHEME));
  checkFlatProfile(await textOf(session, FLAT));
  await assert.rejects(textOf(session, `${SCHEME}:/no-such-report`), {
    code: lsp.ErrorCodes.InvalidParams,
  });
}

/** Links lead to where functions are defined. @param {View} work */
async function checkLinks(work) {
  const report = await openReport(work, FLAT);
  /** @type {Map<string, string>} */
  const targets = new Map();
  for (const link of await report.ask(lsp.DocumentLinkRequest.type)) {
    const { target } = link.target
      ? link
      : await work.session.request(lsp.DocumentLinkResolveRequest.type, link);
    targets.set(report.text.covered(link.range), target);
  }
  const line = work.text.line('static int leaf') + 1;
  assert.ok(targets.get('leaf')?.startsWith(`${work.uri}#L${line}`), `${[...targets]}`);
  report.close();
}

/** @param {View} beside any other document of the session */
async function checkFolds(beside) {
  const report = await openReport(beside, GRAPH);
  const folds = await report.ask(lsp.FoldingRangeRequest.type);
  assert.ok(folds.length > 0);
  for (const { startLine, endLine } of folds) {
    assert.ok(startLine < endLine && endLine < report.text.lines.length);
  }
  report.close();
}

/** They are opt-in: without the setting there are none. @param {View} main */
async function checkDiagnostics(main) {
  const report = await main.ask(lsp.DocumentDiagnosticRequest.type);
  assert.equal(report.kind, 'full');
  assert.deepEqual(report.items, []);
}

module.exports = { FLAT, checkContent, checkDiagnostics, checkFlatProfile, checkFolds, checkLinks };
