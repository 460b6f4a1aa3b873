// An editor far from the extensions' host, as with Remote - SSH: what is drawn comes when the text may
// be another one already.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { CodeServer } from './support/code_server.mjs';
import { packed, pause, temporaryFolder, until } from './support/environment.mjs';
import { farAway } from './support/far_server.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

// Milliseconds.
const WAY = 250;
const LINE_OF_CALL = 13;
const METRICS = 4;

test('figures that were under way when a line was typed', async (t) => {
  const home = await temporaryFolder(t, 'vscode');
  const project = await Project.create(path.join(home, 'shapes'), 26_300);
  await project.build();
  await project.run();
  const server = await CodeServer.start({ home, extensions: [packed] });
  t.after(() => server.stop());
  server.address = await farAway(t, server.port, WAY);
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, { file: 'main.c' });
  const { page } = workbench;
  const codeWithFigures = async () => (await workbench.lines())
    .filter(({ after }) => after !== '').map(({ text }) => text.trim()).sort();

  await withPicture(workbench, 'far', async () => {
    await workbench.annotated('sum += area(i)', /→ 26\.3k/);
    const expected = await codeWithFigures();
    assert.equal(expected.length, 6);
    await workbench.goToLine(11);
    await page.keyboard.press('End');
    for (let round = 0; round < METRICS; round += 1) {
      await page.keyboard.press('Control+Alt+P');
      await page.keyboard.press('m');
      // The setting has been stored, what is drawn after that is under way.
      await pause(1.5 * WAY);
      await page.keyboard.press('Enter');
      await until('there is a line more',
        async () => (await workbench.line('sum += area(i)')).number === LINE_OF_CALL + 1);
      await pause(6 * WAY);
      await until('each figure stands behind its code',
        async () => isDeepStrictEqual(await codeWithFigures(), expected));
      await page.keyboard.press('Control+Z');
      await until('the line is gone',
        async () => (await workbench.line('sum += area(i)')).number === LINE_OF_CALL);
    }
  });
});
