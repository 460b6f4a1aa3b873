// The time line: what is dragged and clicked on it is what line figures, lenses, views and the status bar show.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CodeServer } from './support/code_server.mjs';
import { packed, temporaryFolder, until } from './support/environment.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

// One thread is hot in parse for a second of its CPU time, then another one in solve.
const STAGES = `#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

volatile long sum;
static volatile int ended;

void parse(void) {
    for (int i = 0; i < 400000; i++) {
        sum += i % 7;
    }
}

void solve(void) {
    for (int i = 0; i < 400000; i++) {
        sum -= i / 3;
    }
}

static void *parser(void *unused) {
    pthread_setname_np(pthread_self(), "parser");
    while (!ended) {
        parse();
    }
    return unused;
}

static void *solver(void *unused) {
    pthread_setname_np(pthread_self(), "solver");
    while (!ended) {
        solve();
    }
    return unused;
}

int main(void) {
    void *(*stages[])(void *) = {parser, solver};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        clockid_t its_time;
        struct timespec second = {1, 0};
        ended = 0;
        pthread_create(&thread, NULL, stages[i], NULL);
        pthread_getcpuclockid(thread, &its_time);
        while (clock_nanosleep(its_time, TIMER_ABSTIME, &second, NULL) == EINTR) {
        }
        ended = 1;
        pthread_join(thread, NULL);
    }
    printf("%ld\\n", sum);
    return 0;
}
`;

const PARSED = 'sum += i % 7';
const SOLVED = 'sum -= i / 3';
const TIME = /\d (s|ms)\b.* \d+ %|\d+ %/;
const GRID = '[role=grid][aria-label^="Time line"]';
const FLAT = '[role=grid][aria-label="Flat profile"]';

test('the time line', async (t) => {
  const home = await temporaryFolder(t, 'vscode');
  const project = new Project(path.join(home, 'stages'));
  await fs.mkdir(project.folder);
  await project.write('stages.c', STAGES);
  await promisify(execFile)('gcc', ['-g', '-pg', '-O0', '-pthread', 'stages.c', '-o', 'stages'], { cwd: project.folder });
  const server = await CodeServer.start({ home, extensions: [packed] });
  t.after(() => server.stop());
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, { file: 'stages.c', size: { width: 1440, height: 960 } });
  const { page } = workbench;
  const step = (name, body) => t.test(name, () => withPicture(workbench, name, body));
  let view;

  const selected = () => page.locator('.part.statusbar .statusbar-item[aria-label^="Profile of"]');
  const row = (name) => view.locator('.name', { hasText: new RegExp(`^${name} \\(`) });
  const isLeftOut = (fragment) => until(`${fragment} has no time`, async () => !TIME.test((await workbench.line(fragment)).after));
  // All lenses: a pattern for each.
  const lenses = async (...patterns) => {
    let seen;
    await until(`the lenses are ${patterns}`, async () => {
      seen = await workbench.lensTexts();
      return seen.length === patterns.length && patterns.every((pattern, index) => pattern.test(seen[index]));
    }).catch((error) => {
      throw new Error(`${error.message}; they are ${JSON.stringify(seen)}`);
    });
  };
  const flatNames = async () => {
    const flat = await workbench.webview(FLAT);
    const rows = await flat.locator('[role=row][data-index]').evaluateAll((elements) => elements.map((element) =>
      ({ name: element.querySelector('.name').textContent, share: element.querySelector('.percent').textContent })));
    return new Map(rows.map(({ name, share }) => [name, parseFloat(share.replace('<', ''))]));
  };
  const share = (name, isRight) => until(`the share of ${name} in the flat profile`, async () =>
    isRight((await flatNames()).get(name) ?? 0));
  const showsAll = async () => {
    await selected().waitFor({ state: 'hidden' });
    await workbench.annotated(PARSED, TIME);
    await workbench.annotated(SOLVED, TIME);
    for (const name of ['parse', 'solve']) await share(name, (percent) => percent > 25 && percent < 75);
  };
  // Escape comes before each command, and on the time line it would clear what is selected.
  const leaveTimeline = () => page.locator('.editor-group-container.active .view-line', { hasText: 'stdio.h' }).click();
  // From one part of the run to another.
  const drag = async (from, to) => {
    const picture = await view.locator('.body canvas').boundingBox();
    const names = await row('parser').boundingBox();
    const left = names.x + names.width;
    const width = picture.x + picture.width - 8 - left;
    const y = names.y + names.height / 2;
    await page.mouse.move(left + width * from, y);
    await page.mouse.down();
    await page.mouse.move(left + width * to, y, { steps: 8 });
    await page.mouse.up();
  };

  await step('a run has a time line, with a row for each thread', async () => {
    await workbench.command('Profile: Run Program');
    await workbench.pick('stages');
    await page.locator('.quick-input-title', { hasText: 'Run stages' }).waitFor();
    await page.keyboard.press('Enter');
    await workbench.annotated(PARSED, TIME);
    await workbench.command('View: Hide Panel');
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.command('Profile: Show Flat Profile');
    await workbench.command('Profile: Show Timeline');
    view = await workbench.webview(GRID);
    for (const name of ['parser', 'solver']) {
      await row(name).waitFor();
      assert.match(await row(name).getAttribute('aria-label'), new RegExp(`^${name} \\(\\d+\\): [\\d.]+ m?s, \\d+ %$`));
    }
    await showsAll();
    await workbench.screenshot('timeline-before');
  });

  await step('a stretch that is dragged is what everything shows', async () => {
    // Within the first thread's part, even if the second one was kept from running for most of its time.
    await drag(0.02, 0.2);
    await workbench.status(/ s to .* s/);
    await workbench.annotated(PARSED, TIME);
    await isLeftOut(SOLVED);
    await share('parse', (percent) => percent > 80);
    await share('solve', (percent) => percent < 5);
    // Of parse and of parser.
    await lenses(/^self [\d.]+ m?s \((9\d|100) %\)/, /^self .* total [\d.]+ m?s \((9\d|100) %/);
    await workbench.screenshot('timeline');
  });

  await step('a thread combines with the stretch', async () => {
    await row('solver').click();
    await workbench.status(/solver.*, .* s to .* s/);
    await isLeftOut(PARSED);
    await row('parser').click();
    await workbench.status(/parser.*, .* s to .* s/);
    await workbench.annotated(PARSED, TIME);
    await lenses(/^self [\d.]+ m?s \(100 %\)/, /^self .* total [\d.]+ m?s \(100 %/);
    await workbench.screenshot('timeline-thread-and-stretch');
  });

  await step('Escape shows all again', async () => {
    await page.keyboard.press('Escape');
    await showsAll();
  });

  await step('a click on a name shows the thread alone, in lenses and in the flame graph as well', async () => {
    await row('solver').click();
    await workbench.status(/thread solver/);
    assert.equal(await view.locator('[role=row]', { has: row('solver') }).getAttribute('aria-selected'), 'true');
    await workbench.annotated(SOLVED, TIME);
    await isLeftOut(PARSED);
    await share('solve', (percent) => percent > 80);
    // Of solve and solver.
    await lenses(/^[\d,.k]+ calls · self [\d.]+ m?s \(100 %\)/, /^1 call · self .* total [\d.]+ m?s \(100 %/);
    await workbench.screenshot('timeline-thread');
    await leaveTimeline();
    await workbench.command('Profile: Show Flame Graph');
    const flames = await workbench.webview('[role=toolbar][aria-label="Flame graph"]');
    // Keys are for what is drawn.
    await flames.locator('[role=treeitem]').first().waitFor({ state: 'attached' });
    await workbench.searchFlames(flames, 'parse');
    await flames.locator('.found', { hasText: 'not found' }).waitFor();
    // What is open follows.
    await row('parser').click();
    await flames.locator('.found', { hasText: /\d+ %/ }).waitFor();
    await workbench.screenshot('timeline-flames');
    await flames.locator('[role=tree]').focus();
    await workbench.command('View: Close Editor');
  });

  await step('a click on the status bar shows all again', async () => {
    await workbench.status(/thread parser/);
    await selected().click();
    await showsAll();
    await workbench.screenshot('timeline-cleared');
  });

  await step('keys select a stretch and a thread', async () => {
    await view.locator(GRID).focus();
    await page.keyboard.press('Home');
    for (let i = 0; i < 3; i++) await page.keyboard.press('Control+Shift+ArrowRight');
    await view.locator('[role=status].said', { hasText: / s to .* s: .*%$/ }).waitFor();
    assert.equal(await selected().isVisible(), false, 'it is selected before Enter');
    await page.keyboard.press('Enter');
    await workbench.status(/ s to .* s/);
    await isLeftOut(SOLVED);
    await page.keyboard.press('Escape');
    await showsAll();
  });

  await step('a metric has its column, and its unit in the list', async () => {
    await workbench.command('Profile: Choose Columns');
    await workbench.row(/CPU time/).click();
    await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    const flat = await workbench.webview(FLAT);
    await flat.locator('[role=columnheader].metric', { hasText: /^cpu \(m?s\)/ }).waitFor();
    await flat.locator('[role=gridcell].metric', { hasText: /\d/ }).first().waitFor();
    await workbench.command('Profile: Switch Metric');
    await workbench.row(/CPU time/).waitFor();
    await workbench.screenshot('metrics');
    await page.keyboard.press('Escape');
  });
});
