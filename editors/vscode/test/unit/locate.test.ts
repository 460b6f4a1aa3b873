// Which server is started, and which is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locateServer } from '../../src/server/locate';
import type { ServerSearch } from '../../src/server/locate';

function search(files: readonly string[], more: Partial<ServerSearch> = {}): ServerSearch {
  return {
    setting: '',
    arguments: [],
    extensionFolder: '/extension',
    workspaceFolder: '/project',
    homeFolder: '/users/me',
    path: '/usr/local/bin:/usr/bin',
    isExecutable: (path) => files.includes(path),
    exists: (path) => files.includes(path),
    ...more,
  };
}

function commandOf(given: ServerSearch): string {
  const found = locateServer(given);
  return 'server' in found ? found.server.command : `missing: ${found.missing}`;
}

const carried = '/extension/bin/gprof-lsp';
const installed = '/usr/bin/gprof-lsp';

test('the setting comes before the carried server, and that before PATH', () => {
  const files = ['/own/gprof-lsp', carried, installed];
  assert.equal(commandOf(search(files, { setting: '/own/gprof-lsp' })), '/own/gprof-lsp');
  assert.equal(commandOf(search(files)), carried);
  assert.equal(commandOf(search([installed])), installed);
});

test('a setting that names no program is an error, not a reason to take another server', () => {
  assert.match(commandOf(search([carried], { setting: '/own/gprof-lsp' })), /^missing: .*does not exist: \/own/);
  assert.match(
    commandOf(search([carried], { setting: '/own/gprof-lsp', exists: () => true })),
    /^missing: .*cannot be executed/,
  );
  assert.match(commandOf(search([carried], { setting: 'bin/gprof-lsp' })), /^missing: .*no absolute path/);
});

test('the home folder and the workspace folder are expanded', () => {
  assert.equal(commandOf(search(['/users/me/x'], { setting: '~/x' })), '/users/me/x');
  assert.equal(commandOf(search(['/project/b/x'], { setting: '${workspaceFolder}/b/x' })), '/project/b/x');
  assert.match(
    commandOf(search(['/b/x'], { setting: '${workspaceFolder}/b/x', workspaceFolder: undefined })),
    /^missing/,
  );
});

test('relative entries of PATH are not searched', () => {
  assert.match(commandOf(search(['gprof-lsp', 'bin/gprof-lsp'], { path: '.:bin:' })), /^missing/);
  assert.match(commandOf(search([], { path: undefined })), /^missing: .*not on PATH/);
});

test('the collector beside the server is named to it, and only if it is there', () => {
  const runtime = '/extension/bin/libgprof_runtime.so';
  const found = locateServer(search([carried, runtime]));
  assert.deepEqual('server' in found && found.server.environment, { GPROF_RUNTIME_LIBRARY: runtime });
  const without = locateServer(search([carried]));
  assert.deepEqual('server' in without && without.server.environment, {});
});
