// A folder that nobody has trusted: nothing that it names is started, until it is trusted.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { carriedServer, CodeServer } from './support/code_server.mjs';
import { packed, temporaryFolder } from './support/environment.mjs';
import { processesOf } from './support/processes.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

const exists = (file) => fs.access(file).then(() => true, () => false);

// A server of the folder's own, which leaves a mark when it is started.
async function writeTrap(project, mark, real) {
  const trap = path.join(project.folder, 'trap');
  await fs.writeFile(trap, `#!/bin/sh\n: > '${mark}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
  await fs.mkdir(path.join(project.folder, '.vscode'));
  await project.write('.vscode/settings.json', JSON.stringify({ 'gprof.server.path': trap }));
}

test('a folder that is not trusted', async (t) => {
  const home = await temporaryFolder(t, 'vscode-trust');
  const project = await Project.create(path.join(home, 'shapes'), 26_300);
  await project.build();
  await project.run();
  const server = await CodeServer.start({
    home, extensions: [packed], trust: true,
    settings: { 'security.workspace.trust.startupPrompt': 'never' },
  });
  t.after(() => server.stop());
  const extensions = path.join(home, 'extensions');
  const mark = path.join(home, 'started');
  await writeTrap(project, mark, await carriedServer(home));
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, { file: 'main.c' });
  const step = (name, body) => t.test(name, () => withPicture(workbench, name, body));

  await step('starts nothing and says why', async () => {
    await workbench.status(/Profile.*not trusted/);
    await workbench.command('Profile: Restart Server');
    await workbench.openFile('shapes.c');
    await workbench.openFile('main.c');
    await workbench.screenshot('not-trusted');
    assert.deepEqual(await processesOf(extensions, 'gprof-lsp'), []);
    assert.equal(await exists(mark), false, 'what the folder names was started');
    assert.deepEqual(await workbench.lensTexts(), []);
  });

  await step('shows its profile once it is trusted', async () => {
    await workbench.command('Workspaces: Manage Workspace Trust');
    await workbench.page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ })
      .first().click();
    await workbench.openFile('main.c');
    await workbench.annotated('sum += area(i)', /26\.3k/);
    assert.equal(await exists(mark), true, 'the server that a trusted folder names is started');
  });
});
