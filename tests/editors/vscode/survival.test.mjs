// The server ends, again and again: it comes back, and when it does not any more the user is told
// and can have it back.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { CodeServer } from './support/code_server.mjs';
import { packed, temporaryFolder, until } from './support/environment.mjs';
import { processesOf } from './support/processes.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

const MOST_RESTARTS = 5;

test('a server that ends', async (t) => {
  const home = await temporaryFolder(t, 'vscode-survival');
  const project = await Project.create(path.join(home, 'shapes'), 26_300);
  await project.build();
  await project.run();
  const server = await CodeServer.start({ home, extensions: [packed] });
  t.after(() => server.stop());
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, { file: 'main.c' });
  const step = (name, body) => t.test(name, () => withPicture(workbench, name, body));
  const extensions = path.join(home, 'extensions');

  // The only server that runs: another one than those that have been seen.
  const seen = new Set();
  async function nextServer() {
    return until('a server runs', async () => {
      const running = await processesOf(extensions, 'gprof-lsp');
      assert.ok(running.length <= 1, `several servers run: ${running}`);
      return running.find((id) => !seen.has(id));
    });
  }

  async function killServer() {
    const id = await nextServer();
    seen.add(id);
    process.kill(id, 'SIGKILL');
  }

  await step('comes back and shows what it showed', async () => {
    await workbench.annotated('sum += area(i)', /26\.3k/);
    await killServer();
    await nextServer();
    await workbench.annotated('sum += area(i)', /26\.3k/);
    await until('lenses are back',
      async () => (await workbench.lensTexts()).some((text) => /\b21 calls/.test(text)));
    assert.deepEqual(await workbench.notifications(), [], 'one end is no reason to disturb anybody');
  });

  await step('is given up after five restarts, with a button that starts it again', async () => {
    for (let restart = 1; restart < MOST_RESTARTS; restart += 1) {
      await killServer();
      await nextServer();
    }
    await killServer();
    const button = workbench.page.locator('.notifications-toasts .monaco-button',
      { hasText: /restart|start again/i }).first();
    await button.waitFor();
    await workbench.screenshot('server-given-up');
    assert.deepEqual(await processesOf(extensions, 'gprof-lsp'), []);
    await button.click();
    await nextServer();
    await workbench.annotated('sum += area(i)', /26\.3k/);
  });
});
