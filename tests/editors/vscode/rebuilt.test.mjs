// Runs of builds that follow one another, in a workspace of several folders: which is shown, and what the run before it is
// compared with.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CodeServer } from './support/code_server.mjs';
import { LIMIT, packed, temporaryFolder, until } from './support/environment.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

const FIRST = { rounds: 26_300, shown: /→ 26\.3k/ };
const SECOND = { rounds: 31_400, shown: /→ 31\.4k/ };
const OTHER = { rounds: 17_900, shown: /→ 17\.9k/ };

test('runs and builds', async (t) => {
  const home = await temporaryFolder(t, 'vscode');
  const project = await Project.create(path.join(home, 'shapes'), FIRST.rounds);
  const other = await Project.create(path.join(home, 'other'), OTHER.rounds);
  const workspace = path.join(home, 'both.code-workspace');
  await fs.writeFile(workspace, JSON.stringify({ folders: [{ path: 'shapes' }, { path: 'other' }] }));
  await project.build();
  await other.build();
  // A program of the other folder that has the same source.
  await other.build([path.join(project.folder, 'main.c'), path.join(project.folder, 'shapes.c')], 'shared');
  await other.run();
  // As a package's build leaves it: newer, and without lines.
  const staged = path.join(project.folder, 'debian/shapes/usr/bin');
  await fs.mkdir(staged, { recursive: true });
  await promisify(execFile)('strip', ['-o', path.join(staged, 'shapes'), path.join(project.folder, 'shapes')]);
  const server = await CodeServer.start({ home, extensions: [packed] });
  t.after(() => server.stop());
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, workspace, { file: path.join(project.folder, 'main.c') });
  const { page } = workbench;
  const step = (name, body) => t.test(name, () => withPicture(workbench, name, body));
  const main = path.join(project.folder, 'main.c');

  const toast = (pattern) => page.locator('.notification-list-item', { hasText: pattern }).first();
  const rerun = async () => {
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.command('Profile: Run Program Again');
    await toast(/shapes: /).waitFor({ timeout: LIMIT });
  };

  await step('the program of the folder is run and shown', async () => {
    await workbench.command('Profile: Run Program');
    await workbench.row('shapes/shapes').waitFor({ timeout: LIMIT });
    assert.equal(await workbench.rows().filter({ hasText: 'usr/bin' }).count(), 0, 'a stripped copy is offered');
    await workbench.row('shapes/shapes').click();
    await page.locator('.quick-input-title', { hasText: 'Run shapes' }).waitFor();
    await page.keyboard.press('Enter');
    await workbench.annotated('sum += area(i)', FIRST.shown);
  });

  await step('a file that comes back shows its figures again', async () => {
    const text = await fs.readFile(main, 'utf8');
    await fs.writeFile(main, text.replace('sum += area(i);', 'sum += area(i + 1);'));
    await until('the changed line has no count', async () => {
      const line = await workbench.line('sum += area(i + 1)');
      return line !== undefined && !FIRST.shown.test(line.after);
    });
    await fs.writeFile(main, text);
    await workbench.annotated('sum += area(i)', FIRST.shown);
  });

  await step('the run before a rebuild is compared with', async () => {
    await project.setRounds(SECOND.rounds);
    await project.build();
    await rerun();
    // As long as a user reads: VS Code hides what is more than three toasts within 800 milliseconds.
    await page.waitForTimeout(1_500);
    await toast(/shapes: /).getByText('Compare with Previous Run').click();
    await toast(/Compared with the base: /).waitFor({ timeout: LIMIT });
    await workbench.screenshot('compared-with-previous');
    assert.deepEqual((await workbench.notifications()).filter((text) => /no longer available/.test(text)), []);
    await workbench.command('Profile: Stop Comparing');
    await workbench.annotated('sum += area(i)', SECOND.shown);
  });

  await step('so it is by the command, whose message leads to what changed', async () => {
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.command('Profile: Compare with Previous Run');
    await toast(/Compared with the base: /).waitFor({ timeout: LIMIT });
    await page.waitForTimeout(1_500);
    await toast(/Compared with the base: /).getByText('Flat Profile').click();
    const view = await workbench.webview('[role=grid][aria-label="Flat profile"]');
    const heads = async () => (await view.locator('[role=columnheader]').allTextContents()).join();
    await until('the change leads, and orders', async () => /^Function,Change \(\w+\) ▾,%/.test(await heads()));
    await workbench.screenshot('flat-profile-by-change');
  });
});
