// A user's way: the packed extension is installed into a new VS Code, a folder with a program that
// was built with -pg and run is opened, and everything else is keys, clicks and what the page shows.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { CodeServer } from './support/code_server.mjs';
import { packed, temporaryFolder, until } from './support/environment.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

const FIRST_ROUNDS = 26_300;

test('the walk', async (t) => {
  const home = await temporaryFolder(t, 'vscode');
  const project = await Project.create(path.join(home, 'shapes'), FIRST_ROUNDS);
  await project.build();
  await project.run();
  const server = await CodeServer.start({ home, extensions: [packed] });
  t.after(() => server.stop());
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, { file: 'main.c' });
  const step = (name, body) => t.test(name, () => withPicture(workbench, name, body));

  await step('lenses-appear', async () => {
    await workbench.annotated('sum += area(i)', /26\.3k/); await until('lenses', async () => (await workbench.lensTexts()).some((text) => /calls/.test(text)));
    console.log(await workbench.lensTexts(), await workbench.statusItems(), await workbench.lines());
    await workbench.screenshot('walk-1');
  });
});
