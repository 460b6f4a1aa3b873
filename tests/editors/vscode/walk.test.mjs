// A user's way: the packed extension is installed into a new VS Code, a folder with a program that
// was built with -pg and run is opened, and everything else is keys, clicks and what the page shows.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { CodeServer } from './support/code_server.mjs';
import { packed, temporaryFolder, until } from './support/environment.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

const FIRST = { rounds: 26_300, shown: /→ 26\.3k/ };
const SECOND = { rounds: 31_400, shown: /→ 31\.4k/ };
const RECORDED = { rounds: 17_900, shown: /→ 17\.9k/ };
const LINE_OF_CALL = 13;
const LINE_OF_OUTLINE = 17;

test('a user\'s way', async (t) => {
  const home = await temporaryFolder(t, 'vscode');
  const project = await Project.create(path.join(home, 'shapes'), FIRST.rounds);
  await project.build();
  await project.run();
  const server = await CodeServer.start({ home, extensions: [packed] });
  t.after(() => server.stop());
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, { file: 'main.c' });
  const { page } = workbench;
  const step = (name, body) => t.test(name, () => withPicture(workbench, name, body));

  await step('counts are in the code, without any setting', async () => {
    const call = await workbench.annotated('sum += area(i)', FIRST.shown);
    assert.equal(call.number, LINE_OF_CALL);
    await workbench.annotated('sum += outline(i)', /→ 7\b/);
    await workbench.annotated('sum += is_even(40)', /→ 1\b/);
    assert.equal((await workbench.line('double sum')).after, '', 'a line without a call has a count');
    await workbench.screenshot('counts');
  });

  await step('the hover behind a line has the exact count', async () => {
    await workbench.hoverBehind('sum += area(i)', /26[,.\s]?300/);
    await workbench.screenshot('hover');
    await page.mouse.move(5, 400);
  });

  await step('the status bar names the program and the age of its profile', async () => {
    await workbench.status(/shapes · (just now|\d+ \w+)/);
  });

  await step('a click on a lens lands on the caller', async () => {
    await workbench.openFile('shapes.c');
    const lens = workbench.lenses().filter({ hasText: /^7.calls/ });
    await lens.first().click();
    await workbench.cursorAt('main.c', LINE_OF_OUTLINE);
  });

  await step('another metric shows other figures', async () => {
    await workbench.command('Profile: Switch Metric');
    await workbench.pick('Total');
    await workbench.annotated('sum += area(i)', /\d (s|ms|µs).*\d %/);
    await workbench.screenshot('metric-total');
    await workbench.command('Profile: Switch Metric');
    await workbench.pick('Calls');
    await workbench.annotated('sum += area(i)', FIRST.shown);
  });

  await step('what is typed above moves the counts with the code', async () => {
    await workbench.goToLine(11);
    await page.keyboard.press('End');
    const typed = page.keyboard.type('\n// one\n// two', { delay: 40 });
    let looks = 0;
    await until('the lines are there', async () => {
      const line = await workbench.line('sum += area(i)');
      assert.match(line.after, FIRST.shown, `the count left line ${line.number}`);
      looks += 1;
      return line.number === LINE_OF_CALL + 2;
    });
    await typed;
    assert.ok(looks > 0);
    const moved = await workbench.annotated('sum += outline(i)', /→ 7\b/);
    assert.equal(moved.number, LINE_OF_OUTLINE + 2);
    for (const fragment of ['// one', '// two', 'double sum']) {
      assert.equal((await workbench.line(fragment)).after, '', `${fragment} has a count`);
    }
    await page.keyboard.press('Control+S');
    await workbench.status(/shapes.*1 source changed/);
    await workbench.screenshot('edited');
  });

  await step('another build and run refreshes them', async () => {
    await project.setRounds(SECOND.rounds);
    await project.build();
    await project.run();
    await workbench.annotated('sum += area(i)', SECOND.shown);
    await workbench.annotated('sum += outline(i)', /→ 7\b/);
  });
});
