// @ts-check
// Ways from function to function: the call hierarchy, symbols, references, commands.
'use strict';

const assert = require('node:assert/strict');
const lsp = require('vscode-languageserver-protocol/node');

/** @typedef {import('./view.js').View} View */

/** @param {View} view @param {lsp.Range} range */
const place = (view, range) => `${range.start.line}: ${view.text.covered(range)}`;

/** "name of the other function: detail" -> the call sites as "line: covered words". A line with
 * several calls of a function may be one site or several.
 * @param {View[]} views @param {any[]} calls @param {'from' | 'to'} end
 * @param {string | undefined} uri of the sites; the other function's unless given */
function sites(views, calls, end, uri) {
  return Object.fromEntries(
    calls.map((call) => {
      const view = views.find((v) => v.uri === (uri ?? call[end].uri));
      assert.ok(view, `call sites in an open document, not in ${call[end].uri}`);
      return [
        `${call[end].name}: ${call[end].detail.split(' · ')[0]}`,
        [...new Set(call.fromRanges.map((/** @type {lsp.Range} */ range) => place(view, range)))],
      ];
    }),
  );
}

/** @param {View} view @param {string} fragment @param {string} word */
async function prepare(view, fragment, word) {
  const position = view.text.at(fragment, word);
  const items = await view.ask(lsp.CallHierarchyPrepareRequest.type, { position });
  assert.equal(items?.length, 1, `one function at ${word} of ${fragment}`);
  return items[0];
}

/** @param {View} main @param {View} work */
async function checkHierarchy(main, work) {
  const { session } = main;
  const views = [main, work];
  const item = await prepare(work, 'int work(int n)', 'work');
  assert.equal(item.name, 'work');
  assert.equal(item.detail.split(' · ')[0], '60 calls');
  assert.equal(work.text.covered(item.selectionRange), 'work');

  const incoming = await session.request(lsp.CallHierarchyIncomingCallsRequest.type, { item });
  assert.deepEqual(sites(views, incoming, 'from', undefined), {
    'main: 40 of 60 calls': [`${main.text.line('once a turn')}: work`],
    'twice: 20 of 60 calls': [`${main.text.line('static int twice')}: work`],
  });
  // Which of the words of that line it is, behind characters of every width.
  const [first] = incoming.find((/** @type {any} */ call) => call.from.name === 'twice').fromRanges;
  assert.deepEqual(first, main.text.range('static int twice', 'work'));

  const outgoing = await session.request(lsp.CallHierarchyOutgoingCallsRequest.type, { item });
  assert.deepEqual(sites(views, outgoing, 'to', item.uri), {
    'leaf: 300 of 303 calls': [`${work.text.line('five times a call')}: leaf`],
  });
  await checkHierarchyAtCall(main, work);
}

/** At a call it begins with the function that is called; and it goes on from item to item.
 * @param {View} main @param {View} work */
async function checkHierarchyAtCall(main, work) {
  const { session } = main;
  const views = [main, work];
  const item = await prepare(main, 'größe(i)', 'größe');
  assert.equal(item.name, 'größe');
  assert.equal(item.uri, work.uri);
  const outgoing = await session.request(lsp.CallHierarchyOutgoingCallsRequest.type, { item });
  assert.deepEqual(sites(views, outgoing, 'to', item.uri), {
    'leaf: 3 of 303 calls': [`${work.text.line('return leaf(n)')}: leaf`],
  });
  const back = await session.request(lsp.CallHierarchyIncomingCallsRequest.type, {
    item: outgoing[0].to,
  });
  assert.deepEqual(back.map((/** @type {any} */ call) => call.from.name).sort(), ['größe', 'work']);
  const callers = await session.request(lsp.CallHierarchyIncomingCallsRequest.type, { item });
  assert.deepEqual(sites(views, callers, 'from', undefined), {
    'main: 3 of 3 calls': [`${main.text.line('größe(i)')}: größe`],
  });
}

/** @param {View} work */
async function checkSymbols(work) {
  const found = await work.session.request(lsp.WorkspaceSymbolRequest.type, { query: 'grö' });
  assert.deepEqual(found.map((/** @type {any} */ symbol) => symbol.name), ['größe']);
  assert.equal(found[0].location.uri, work.uri);
  assert.equal(work.text.covered(found[0].location.range), 'größe');
  const all = await work.session.request(lsp.WorkspaceSymbolRequest.type, { query: '' });
  const names = all.map((/** @type {any} */ symbol) => symbol.name);
  for (const name of ['main', 'twice', 'work', 'leaf']) assert.ok(names.includes(name), name);
}

/** Where the profiled calls of a function stand, each line once.
 * @param {View[]} views @param {lsp.Location[]} locations */
function places(views, locations) {
  const all = locations.map(({ uri, range }) => {
    const view = views.find((v) => v.uri === uri);
    assert.ok(view, `a place in an open document, not in ${uri}`);
    return place(view, range);
  });
  return [...new Set(all)].sort();
}

/** @param {View} main */
const callsOfWork = (main) =>
  ['once a turn', 'static int twice'].map((each) => `${main.text.line(each)}: work`).sort();

/** @param {View} main @param {View} work */
async function checkReferences(main, work) {
  const locations = await work.ask(lsp.ReferencesRequest.type, {
    position: work.text.at('int work(int n)', 'work'),
    context: { includeDeclaration: false },
  });
  assert.deepEqual(places([main, work], locations), callsOfWork(main));
}

/** The click on a lens. @param {View} main @param {View} work */
async function checkCommands(main, work) {
  const { session } = work;
  const ask = (/** @type {string} */ fragment, /** @type {string} */ word) =>
    session.request(lsp.ExecuteCommandRequest.type, {
      command: 'gprof.showCallers',
      arguments: [{ uri: work.uri, position: work.text.at(fragment, word) }],
    });
  const several = await ask('int work(int n)', 'work');
  assert.deepEqual(places([main, work], several), callsOfWork(main));
  const only = await ask('int größe(int n)', 'größe');
  assert.deepEqual(places([main, work], only), [`${main.text.line('größe(i)')}: größe`]);
  // Where there is one place alone, the server may ask the editor to go there.
  for (const { uri, selection } of session.all(lsp.ShowDocumentRequest.method)) {
    assert.deepEqual(places([main, work], [{ uri, range: selection }]), places([main, work], only));
  }
  await assert.rejects(
    session.request(lsp.ExecuteCommandRequest.type, { command: 'gprof.noSuchCommand' }),
    { code: lsp.ErrorCodes.InvalidParams },
  );
}

module.exports = { checkCommands, checkHierarchy, checkReferences, checkSymbols };
