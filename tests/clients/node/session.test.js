// @ts-check
// Whole sessions of a client library that is not ours, vscode-jsonrpc with
// vscode-languageserver-protocol, in each position encoding and over each transport.
//
// GPROF_LSP_SERVER names the server; NODE_PATH leads to the library. run.py sets both.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, test } = require('node:test');
const lsp = require('vscode-languageserver-protocol/node');

const annotations = require('./annotations.js');
const editing = require('./editing.js');
const extensions = require('./extensions.js');
const navigation = require('./navigation.js');
const reports = require('./reports.js');
const { fullCapabilities } = require('./capabilities.js');
const { Program } = require('./program.js');
const { Session, TRANSPORTS, within } = require('./session.js');
const { View } = require('./view.js');

// What the server must offer to this client: paths in its capabilities, and its own messages. What
// it does not offer is skipped by name below; nothing on this list can be.
const EXPECTED = [
  'codeLensProvider',
  'inlayHintProvider',
  'hoverProvider',
  'callHierarchyProvider',
  'workspaceSymbolProvider',
  'executeCommandProvider',
  'codeLensProvider.resolveProvider',
  'inlayHintProvider.resolveProvider',
  'referencesProvider',
  'documentLinkProvider',
  'foldingRangeProvider',
  'diagnosticProvider',
  'workspace.textDocumentContent',
  'gprof/lineData',
  'gprof/hotSpots',
  'gprof/flatProfile',
  'gprof/callGraph',
  'gprof/flameGraph',
  'gprof/programs',
  'gprof/report',
  'gprof/status',
];

// Offered in the capabilities under the first name, or by registering the second.
const REGISTERED_AS = new Map([
  ['documentLinkProvider', lsp.DocumentLinkRequest.method],
  ['foldingRangeProvider', lsp.FoldingRangeRequest.method],
  ['diagnosticProvider', lsp.DocumentDiagnosticRequest.method],
  ['workspace.textDocumentContent', lsp.TextDocumentContentRequest.method],
]);

const REFRESHES_OF_A_LOAD = [
  lsp.CodeLensRefreshRequest.method,
  lsp.InlayHintRefreshRequest.method,
];

const SERVER = /** @type {string} */ (process.env.GPROF_LSP_SERVER);

/** @type {string} */
let folder;
/** @type {Program} */
let program;

before(() => {
  assert.ok(SERVER, 'GPROF_LSP_SERVER does not name a server');
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gprof-lsp-node-'));
  fs.mkdirSync(path.join(folder, 'program folder'));
  program = new Program(path.join(folder, 'program folder'), SERVER);
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

/** @param {Session} session @param {string[] | undefined} encodings that the client offers
 * @returns {Promise<import('./text.js').Encoding>} */
async function initialize(session, encodings) {
  const root = { uri: program.uri(''), name: 'program' };
  /** @type {import('vscode-languageserver-protocol').InitializeParams} */
  const params = {
    processId: process.pid,
    clientInfo: { name: 'vscode-languageserver-protocol' },
    locale: 'en',
    rootUri: root.uri,
    workspaceFolders: [root],
    capabilities: fullCapabilities(encodings),
    initializationOptions: session.token ? { gprof: { token: session.token } } : undefined,
    trace: 'off',
  };
  const { capabilities, serverInfo } = await session.request(lsp.InitializeRequest.type, params);
  assert.equal(serverInfo.name, 'gprof-lsp');
  session.capabilities = capabilities;
  /** @type {import('./text.js').Encoding} */
  const encoding = capabilities.positionEncoding ?? 'utf-16';
  assert.equal(encoding, encodings?.[0] ?? 'utf-16');
  return encoding;
}

/** The progress of loading: begun, rising, ended; then a refresh of each kind.
 * @param {Session} session */
async function checkLoading(session) {
  const ended = () => session.all('$/progress').some(({ kind }) => kind === 'end');
  await session.until(ended, 'the end of the progress');
  for (const values of session.progress.values()) {
    assert.deepEqual([values[0].kind, values.at(-1).kind], ['begin', 'end']);
    const percents = values.flatMap(({ percentage }) => percentage ?? []);
    assert.deepEqual(percents, [...percents].sort((a, b) => a - b), 'progress that rises');
  }
  for (const method of REFRESHES_OF_A_LOAD) {
    await session.until(() => session.all(method).length > 0, method);
  }
  assert.ok(session.all(lsp.ConfigurationRequest.method).length > 0, 'settings were asked for');
  assert.ok(session.registered(lsp.DidChangeConfigurationNotification.method));
  const watched = lsp.DidChangeWatchedFilesNotification.method;
  const registrations = () => session.all(lsp.RegistrationRequest.method)
    .flatMap((params) => params.registrations);
  await session.until(() => registrations().some((each) => each.method === watched &&
    each.registerOptions.watchers.length > 0), watched);
}

/** shutdown and exit, after which a server of its own process has ended with 0. A server that
 * listens goes on, for others. @param {Session} session @param {string} transport */
async function checkEnd(session, transport) {
  assert.equal(await session.request(lsp.ShutdownRequest.type), null);
  await assert.rejects(session.request(lsp.WorkspaceSymbolRequest.type, { query: '' }), {
    code: lsp.ErrorCodes.InvalidRequest,
  });
  await session.notify(lsp.ExitNotification.type);
  await within(session.closed, 'the end of the connection');
  if (transport === 'listen') {
    assert.equal(session.process.exitCode, null);
  } else {
    const [code] = await within(session.exited, 'the end of the server');
    assert.equal(code, 0);
  }
  assert.deepEqual(session.faults, []);
  for (const method of REFRESHES_OF_A_LOAD) {
    assert.equal(session.all(method).length, 1, `${method} comes once, as there was one load`);
  }
}

/** What a session has open. @typedef {{ session: Session, main: View, work: View }} Open */

/** What is checked where the server offers it: the offer, what it is, the check.
 * @type {[string, string, (open: Open) => Promise<void>][]} */
const FEATURES = [
  ['codeLensProvider', 'lenses', ({ main, work }) => annotations.checkLenses(main, work)],
  ['codeLensProvider.resolveProvider', 'lenses are resolved', ({ work }) =>
    annotations.checkLensResolve(work)],
  ['inlayHintProvider', 'hints', ({ main, work }) => annotations.checkHints(main, work)],
  ['inlayHintProvider', 'hints of a range', ({ main }) => annotations.checkHintRange(main)],
  ['inlayHintProvider.resolveProvider', 'hints are resolved', ({ main }) =>
    annotations.checkHintResolve(main)],
  ['hoverProvider', 'hovers', ({ main, work }) => annotations.checkHovers(main, work)],
  ['callHierarchyProvider', 'call hierarchy', ({ main, work }) =>
    navigation.checkHierarchy(main, work)],
  ['workspaceSymbolProvider', 'symbols', ({ work }) => navigation.checkSymbols(work)],
  ['referencesProvider', 'references', ({ main, work }) => navigation.checkReferences(main, work)],
  ['executeCommandProvider', 'commands', ({ main, work }) => navigation.checkCommands(main, work)],
  ['workspace.textDocumentContent', 'reports as documents', ({ session }) =>
    reports.checkContent(session)],
  ['documentLinkProvider', 'links of reports', ({ work }) => reports.checkLinks(work)],
  ['foldingRangeProvider', 'folds of reports', ({ work }) => reports.checkFolds(work)],
  ['diagnosticProvider', 'diagnostics', ({ main }) => reports.checkDiagnostics(main)],
  ['gprof/lineData', 'line data', ({ main }) => extensions.checkLineData(main)],
  ['gprof/hotSpots', 'hot spots', ({ work }) => extensions.checkHotSpots(work)],
  ['gprof/flatProfile', 'flat profile', ({ session }) => extensions.checkFlatRows(session)],
  ['gprof/callGraph', 'call graph', ({ work }) => extensions.checkCallGraph(work)],
  ['gprof/flameGraph', 'flames', ({ session }) => extensions.checkFlameGraph(session)],
  ['gprof/programs', 'programs', ({ session }) =>
    extensions.checkPrograms(session, program.path('program'))],
  ['gprof/report', 'a report', ({ session }) => extensions.checkReport(session)],
  ['gprof/status', 'status', ({ session }) =>
    extensions.checkStatus(session, program.path('program'))],
];

/** @param {import('node:test').TestContext} t @param {Open} open */
async function checkFeatures(t, open) {
  const offers = (/** @type {string} */ feature) =>
    open.session.offers(feature, REGISTERED_AS.get(feature));
  await t.test('what is expected is offered', () => {
    assert.deepEqual(EXPECTED.filter((feature) => !offers(feature)), []);
  });
  for (const [feature, name, check] of FEATURES) {
    const skip = offers(feature) ? false : `${feature} is not offered`;
    await t.test(name, { skip }, () => check(open));
  }
}

/** @param {import('node:test').TestContext} t @param {string} transport
 * @param {string[] | undefined} encodings that the client offers */
async function wholeSession(t, transport, encodings) {
  const caches = path.join(folder, 'caches');
  const environment = { ...process.env, XDG_CACHE_HOME: caches, XDG_STATE_HOME: caches };
  const session = await Session.open(SERVER, transport, environment, folder);
  try {
    const encoding = await initialize(session, encodings);
    const view = (/** @type {string} */ name, content = program.text(name)) =>
      new View(session, program.uri(name), content, encoding);
    let tell = () => {};
    session.settingsMayBeTold = new Promise((resolve) => (tell = () => resolve(undefined)));
    session.notify(lsp.InitializedNotification.type, {});
    const open = { session, main: view('main.c'), work: view('work.c') };
    await t.test('a request that waits is cancelled', () => editing.checkCancel(open.main));
    tell();
    await t.test('loading is told', () => checkLoading(session));
    await checkFeatures(t, open);
    await t.test('several changes in one message, and undo', () =>
      editing.checkChanges(open.work));
    await t.test('a new text, saved, closed, opened again', () =>
      editing.checkLife(open.main, (content) => view('main.c', content)));
    await t.test('shutdown and exit', () => checkEnd(session, transport));
  } finally {
    await session.end();
  }
}

for (const encodings of [['utf-8'], ['utf-16'], ['utf-32'], undefined]) {
  const name = encodings ? `positions in ${encodings}` : 'no word of position encodings';
  test(`a session over stdio, ${name}`, (t) => wholeSession(t, 'stdio', encodings));
}
for (const transport of Object.keys(TRANSPORTS).filter((each) => each !== 'stdio')) {
  test(`a session over ${transport}, the client's first choice of encodings`, (t) =>
    wholeSession(t, transport, ['utf-32', 'utf-16', 'utf-8']));
}
