// A user's way: the packed extension is installed into a new VS Code, a folder with a program that
// was built with -pg and run is opened, and everything else is keys, clicks and what the page shows.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { CodeServer } from './support/code_server.mjs';
import { packed, pause, temporaryFolder, until } from './support/environment.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

const FIRST = { rounds: 26_300, shown: /→ 26\.3k/ };
const SECOND = { rounds: 31_400, shown: /→ 31\.4k/ };
const RECORDED = { rounds: 17_900, shown: /→ 17\.9k/ };
const LINE_OF_CALL = 13;
const LINE_OF_OUTLINE = 17;
// In shapes.c.
const LINE_OF_SPIN = 3;
const LINE_OF_AREA = 11;
const LINE_OF_DEFINITION = 15;
const LINE_OF_OUTLINES_CALL = 17;
const THEMES = {
  light: 'Light Modern', dark: 'Dark Modern', 'high-contrast': 'Dark High Contrast',
};

test('a user\'s way', async (t) => {
  const home = await temporaryFolder(t, 'vscode');
  const project = await Project.create(path.join(home, 'shapes'), FIRST.rounds);
  await project.build();
  await project.run();
  // The one setting is about Run Program alone.
  const server = await CodeServer.start({
    home, extensions: [packed], settings: { 'gprof.record.stacks': true },
  });
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
    await workbench.status(/shapes · time · (just now|\d+ \w+)/);
    assert.equal((await workbench.line('double sum')).after, '', 'a line without a call has a count');
    await workbench.screenshot('counts');
  });

  await step('figures stay within the window, however narrow it is', async () => {
    const stayWithin = async (what) => {
      let seen;
      await until(`figures end within ${what}`, async () => {
        seen = await workbench.placesOfFigures();
        // What stands behind code that is itself too long is as far away as its end.
        const near = seen.figures.filter(({ left }) => left < seen.edge);
        return near.length >= 3
          && near.every(({ right, height, line }) => right <= seen.edge + 1 && Math.abs(height - line) <= 1);
      }).catch((error) => {
        throw new Error(`${error.message}; ${JSON.stringify(seen)}`);
      });
      await workbench.screenshot(`figures-in-${what.replaceAll(/\W+/g, '-')}`);
    };
    for (const width of [1440, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      // No extension is told of another width: it looks when something moves.
      await workbench.goToLine(width % 10 + 1);
      await stayWithin(`${width} pixels`);
    }
    await page.setViewportSize({ width: 1440, height: 800 });
    await workbench.command('View: Split Editor Right');
    await stayWithin('a split');
    await workbench.annotated('sum += area(i)', FIRST.shown);
    await page.setViewportSize({ width: 1280, height: 800 });
    await workbench.command('View: Close All Editors in Group');
  });

  await step('the hover behind a line has the exact count', async () => {
    await workbench.hoverBehind('sum += area(i)', /26[,.\s]?300/);
    await workbench.screenshot('hover');
    await page.mouse.move(5, 400);
  });

  await step('the status bar names the program and the age of its profile', async () => {
    await workbench.status(/shapes · time · (just now|\d+ \w+)/);
  });

  await step('a click on a lens lands on the caller', async () => {
    await workbench.openFile('shapes.c');
    const lens = workbench.lenses().filter({ hasText: /^7.calls/ });
    await lens.first().click();
    await workbench.cursorAt('main.c', LINE_OF_OUTLINE);
  });

  await step('callers have their calls and times, show their places, and lead there', async () => {
    await workbench.openFile('shapes.c');
    await workbench.goToLine(LINE_OF_SPIN);
    const title = page.locator('.quick-input-title', { hasText: /^3 callers of spin: 26,907 calls, [\d.]+ m?s$/ });
    // A lens that is drawn anew at that moment has lost its command.
    await until('a click shows the callers', async () => {
      await workbench.lenses().filter({ hasText: /^26\.9k.calls/ }).first().click();
      return title.waitFor({ timeout: 5_000 }).then(() => true, () => false);
    });
    const texts = () => workbench.rows().allTextContents();
    const rows = await until('each caller has its figures', async () => {
      const shown = (await texts()).map((text) => text.replaceAll(/[\u2007\u2002\s]+/g, ' ').trim());
      return shown.length === 3 ? shown : undefined;
    });
    for (const caller of [/ 26\.3k× area ?shapes\.c:12/, / 600× layer ?shapes\.c:22/, / 7× outline ?shapes\.c:17/]) {
      const row = rows.find((text) => caller.test(text));
      assert.ok(row, `no row fits ${caller}: ${JSON.stringify(rows)}`);
      assert.match(row, /^<?[\d.]+ % <?[\d.]+ m?s [\d.]+k?×/);
    }
    await workbench.screenshot('callers');
    const mark = page.locator('.monaco-editor .view-overlays .cdr[class*="ced-"]').first();
    await page.keyboard.press('ArrowDown');
    await mark.waitFor();
    await page.keyboard.press('Escape');
    await title.waitFor({ state: 'hidden' });
    await workbench.cursorAt('shapes.c', LINE_OF_SPIN);
    await workbench.command('Profile: Go to Callers');
    await title.waitFor();
    await workbench.row(/outline/).waitFor();
    await page.keyboard.type('outline');
    await until('one row is left', async () => (await texts()).length === 1);
    await page.keyboard.press('Enter');
    await workbench.cursorAt('shapes.c', LINE_OF_OUTLINES_CALL);
  });

  await step('beside a function there is none to go to', async () => {
    await workbench.goToLine(1);
    await workbench.command('Profile: Go to Callers');
    await page.locator('.monaco-editor-overlaymessage', { hasText: 'No profiled function at the cursor.' }).waitFor();
    await workbench.screenshot('no-function');
    await page.keyboard.press('Escape');
    await workbench.openFile('main.c');
  });

  await step('another metric shows other figures', async () => {
    await workbench.command('Profile: Switch Metric');
    await workbench.pick('Total');
    await workbench.annotated('sum += area(i)', /\d %.*\d (s|ms|µs)/);
    await workbench.screenshot('metric-total');
    await workbench.command('Profile: Switch Metric');
    await workbench.pick('Calls');
    await workbench.annotated('sum += area(i)', FIRST.shown);
  });

  await step('a change that is taken back leaves no warning', async () => {
    await workbench.goToLine(11);
    await page.keyboard.press('End');
    await page.keyboard.type('x');
    await workbench.status(/1 source changed/);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Control+S');
    await until('the warning goes', async () => (await workbench.statusItems()).every((text) => !/source changed/.test(text)));
    await workbench.annotated('sum += area(i)', FIRST.shown);
  });

  await step('what is typed above moves the counts with the code', async () => {
    await workbench.goToLine(11);
    await page.keyboard.press('End');
    // Of figures that come when the text is another one already, far.test.mjs says where they end.
    await pause(1_000);
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

  await step('the flame graph says how its times are known, is searched, and leads to the source', async () => {
    await workbench.command('Profile: Show Flame Graph');
    const picture = await workbench.webview('[role=toolbar][aria-label="Flame graph"]');
    await picture.locator('.basis', { hasText: /estimated/ }).waitFor();
    await workbench.searchFlames(picture, 'spin');
    await picture.locator('.found', { hasText: /\d/ }).waitFor();
    await page.keyboard.press('Enter');
    await picture.locator('[role=treeitem][aria-label^="spin: "]').waitFor({ state: 'attached' });
    await workbench.screenshot('flame-graph-estimated');
    await picture.locator('[role=tree]').focus();
    await page.keyboard.press('Control+Enter');
    await workbench.cursorAt('shapes.c', LINE_OF_SPIN);
  });

  await step('the call graph draws callers, and a click leads to their source', async () => {
    await workbench.command('Profile: Show Call Graph');
    let picture = await workbench.webview('[role=toolbar][aria-label="Call graph"]');
    const node = (name) => picture.locator(`svg [aria-label^="${name}"]`).first();
    await node('spin').waitFor();
    await node('main').waitFor();
    // As wide as it opens in a new window.
    await workbench.command('View: Join All Editor Groups');
    picture = await workbench.webview('[role=toolbar][aria-label="Call graph"]');
    await node('main').waitFor();
    await workbench.screenshot('call-graph');
    // The toolbar is one row, and every text can be read.
    const tops = await picture.locator('[role=toolbar] > :visible').evaluateAll((elements) => elements.map((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return (top + bottom) / 2;
    }));
    assert.ok(tops.length > 6 && Math.max(...tops) - Math.min(...tops) < 6, `the toolbar is not in one row: ${tops}`);
    const heights = await picture.locator('svg text').evaluateAll((elements) => elements.map((element) =>
      parseFloat(getComputedStyle(element).fontSize) * element.getScreenCTM().a));
    assert.ok(Math.min(...heights) >= 9, `texts are ${Math.min(...heights)} pixels high`);
    const functions = () => picture.locator('svg .box').count();
    const before = await functions();
    await picture.locator('[aria-label="Least share"]').selectOption({ label: '≥ 5.0 %' });
    await picture.locator('.note', { hasText: /^Left out: \d+ functions? (and \d+ arcs? )?below 5\.0 %\./ }).waitFor();
    assert.ok(await functions() < before);
    await picture.locator('[aria-label="Least share"]').selectOption({ label: 'All' });
    await until('all are back', async () => await functions() >= before);
    await node('area').click();
    await page.keyboard.press('Enter');
    await workbench.cursorAt('shapes.c', LINE_OF_AREA);
  });

  await step('the flat profile is sorted, filtered, and opens functions', async () => {
    await workbench.command('Profile: Show Flat Profile');
    const view = await workbench.webview('[role=grid][aria-label="Flat profile"]');
    const names = () => view.locator('[role=row][data-index] .name').allTextContents();
    assert.deepEqual((await names()).slice(0, 1), ['spin'], 'gprof\'s order begins with the time');
    await view.locator('[data-column=name]').click();
    await until('it is sorted by name', async () => (await names())[0] === 'area');
    await workbench.screenshot('flat-profile');
    const heads = () => view.locator('[role=columnheader]').allTextContents();
    assert.match((await heads()).join(), /^Function ▴,%,Self \(s\),Total \(s\)/);
    const row = (name) => view.locator('[role=row][data-index]', { has: view.locator('.name', { hasText: new RegExp(`^${name}$`) }) });
    await row('area').locator('.total', { hasText: /^≈[\d.]+$/ }).waitFor();
    await row('spin').locator('.self', { hasText: /^[\d.]+( ±[\d.]+)?$/ }).waitFor();
    // Names grow with the view. While it is drawn anew, nothing has a width.
    const widthOfNames = async () => (await view.locator('[role=columnheader].name').boundingBox())?.width;
    const narrow = await until('names have a width', widthOfNames);
    const edge = await page.locator('.part.sidebar').boundingBox();
    await page.mouse.move(edge.x + edge.width, 500);
    await page.mouse.down();
    await page.mouse.move(edge.x + edge.width + 250, 500, { steps: 5 });
    await page.mouse.up();
    await until('names have more room', async () => await widthOfNames() > narrow + 40);
    await workbench.screenshot('flat-profile-wide');
    await page.mouse.move(edge.x + edge.width + 250, 500);
    await page.mouse.down();
    await page.mouse.move(edge.x + edge.width, 500, { steps: 5 });
    await page.mouse.up();
    await view.locator('input[type=search]').fill('outl');
    await until('one row is left', async () => (await names()).join() === 'outline');
    await view.locator('[role=row][data-index]').first().click();
    await workbench.cursorAt('shapes.c', LINE_OF_DEFINITION);
    await view.locator('input[type=search]').fill('');
  });

  await step('the call tree has figures before names', async () => {
    await workbench.command('Profile: Show Callees Tree');
    const tree = page.locator('[role=tree][aria-label*="Call Tree"]');
    const label = tree.locator('.label-name').first();
    await label.waitFor();
    await until('the first is a share, a time and a name', async () =>
      /^[\u2007 ]*<?[\d.]+ %\s+[\u2007 ]*<?[\d.]+ m?s\s+\w+$/.test(await label.textContent()));
    await workbench.screenshot('call-tree');
  });

  await step('a report of gprof is a document with links', async () => {
    await workbench.command('Profile: Show Call Graph Report');
    await until('the report is shown', async () => (await workbench.lines()).some(({ text }) => /index % time/.test(text)));
    await page.locator('.view-line .detected-link').first().waitFor();
    await workbench.screenshot('report');
  });

  await step('Run Program shows its profile and writes nothing into the folder', async () => {
    await project.setRounds(RECORDED.rounds);
    await project.build();
    const before = await project.listing();
    await workbench.command('View: Close All Editors');
    await workbench.openFile('main.c');
    await workbench.command('Profile: Run Program');
    await workbench.pick('shapes');
    await page.locator('.quick-input-title', { hasText: 'Run shapes' }).waitFor();
    await page.keyboard.press('Enter');
    await workbench.annotated('sum += area(i)', RECORDED.shown);
    await workbench.screenshot('run-program');
    assert.deepEqual(await project.listing(), before, 'something was written into the folder');
  });

  await step('stacks that were recorded are measured times in the flame graph', async () => {
    await workbench.command('Profile: Show Flame Graph');
    const picture = await workbench.webview('[role=toolbar][aria-label="Flame graph"]');
    await picture.locator('.basis', { hasText: /measured/ }).waitFor();
    await workbench.command('View: Hide Panel');
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.screenshot('flame-graph');
  });

  await step('themes have their own colours', async () => {
    await workbench.openFile('main.c');
    await workbench.annotated('sum += area(i)', RECORDED.shown);
    const seen = new Set();
    for (const [name, theme] of Object.entries(THEMES)) {
      await workbench.command('Preferences: Color Theme');
      await workbench.type(theme);
      const colour = await until(`${theme} has another colour`, async () => {
        const now = (await workbench.line('sum += outline(i)'))?.colour;
        return seen.has(now) ? undefined : now;
      });
      seen.add(colour);
      await workbench.annotated('sum += area(i)', RECORDED.shown);
      await workbench.screenshot(`theme-${name}`);
    }
  });
});
