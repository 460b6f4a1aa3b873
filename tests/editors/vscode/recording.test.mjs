// Runs that do not end by themselves: what was counted until then is kept, and how they ended is told.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CodeServer } from './support/code_server.mjs';
import { packed, temporaryFolder, until } from './support/environment.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

const run = promisify(execFile);

// Works until it is ended; `crash` and `fail` are its words for other ends. A slow one takes its time when it is asked
// to end, as programs with much to save do.
const ENDLESS = `#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

volatile long sum;

static void work(void) {
    for (int i = 0; i < 100000; i++) {
        sum += i;
    }
}

static void save(int number) {
    (void)number;
    sleep(3);
    _exit(0);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (strcmp(what, "slow") == 0) {
        signal(SIGHUP, save);
    }
    for (int i = 0; i < 1000; i++) {
        work();
    }
    if (strcmp(what, "crash") == 0) {
        raise(SIGSEGV);
    }
    if (strcmp(what, "fail") == 0) {
        usleep(1500000);
        return 3;
    }
    FILE *begun = fopen("begun", "w");
    fclose(begun);
    for (;;) {
        work();
    }
}
`;

const BRIEF = `volatile long total;

int main(void) {
    for (int i = 0; i < 400000000; i++) {
        total += i;
    }
    return 0;
}
`;

test('runs that are ended', async (t) => {
  const home = await temporaryFolder(t, 'vscode');
  const project = new Project(path.join(home, 'endless'));
  await fs.mkdir(project.folder);
  await project.write('endless.c', ENDLESS);
  await run('gcc', ['-g', '-pg', '-O0', 'endless.c', '-o', 'endless'], { cwd: project.folder });
  const server = await CodeServer.start({ home, extensions: [packed] });
  t.after(() => server.stop());
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, { file: 'endless.c' });
  const { page } = workbench;
  const step = (name, body) => t.test(name, () => withPicture(workbench, name, body));
  const begun = path.join(project.folder, 'begun');

  const start = async (words, program = 'endless') => {
    await fs.rm(begun, { force: true });
    // The list gets more rows while it is open, and a click that falls just then may choose another one.
    await until('the arguments are asked for', async () => {
      await workbench.command('Profile: Run Program');
      await workbench.pick(program);
      return page.locator('.quick-input-title', { hasText: `Run ${program}` }).waitFor({ timeout: 10_000 })
        .then(() => true, () => page.keyboard.press('Escape'));
    }, 120_000);
    await workbench.type(words);
  };
  const begins = () => until('the program works', () => fs.access(begun).then(() => true, () => false));
  const toast = (pattern, limit) => until(`a toast says ${pattern}`,
    async () => (await workbench.notifications()).find((text) => pattern.test(text)), limit);

  await step('a crash is told, its profile is shown, and the task fails', async () => {
    await start('crash');
    await toast(/endless was killed by SIGSEGV at endless\.c:\d+\. /);
    await workbench.annotated('sum += i', /\d/);
    // What a task's terminal shows of its end.
    await page.locator('.part.panel [aria-label*="Profile endless"] .codicon-error, .part.panel .codicon-error').first().waitFor();
    await workbench.screenshot('run-crashed');
  });

  await step('its line is marked, and the toast leads there', async () => {
    await page.locator('.notification-list-item', { hasText: 'SIGSEGV' }).getByText('Show Crash').click();
    const line = ENDLESS.split('\n').findIndex((text) => text.includes('raise(SIGSEGV)')) + 1;
    await page.locator('.statusbar-item', { hasText: `Ln ${line}, Col 1` }).waitFor();
    await page.locator('.squiggly-error').first().waitFor();
    await workbench.screenshot('run-crash-line');
    await workbench.goToLine(1);
  });

  await step('a failing program is told', async () => {
    await start('fail');
    await toast(/endless ended with status 3\. \S+ s CPU of /);
  });

  await step('runs are a list, from which one is shown, and another deleted', async () => {
    const rows = () => page.locator('.quick-input-list .monaco-list-row');
    const run = (words) => rows().filter({ hasText: words });
    const list = async () => {
      await workbench.command('Profile: Runs');
      await page.locator('.quick-input-title', { hasText: 'Profile: Runs of endless' }).waitFor();
    };
    await list();
    await run('fail · ').filter({ hasText: 'status 3' }).filter({ hasText: 'shown now' }).waitFor();
    await workbench.screenshot('runs');
    await run('crash · ').filter({ hasText: 'SIGSEGV' }).click();
    await until('the run that was chosen is shown', async () => {
      await list();
      const isShown = await run('crash · ').filter({ hasText: 'shown now' }).count() === 1;
      if (!isShown) await page.keyboard.press('Escape');
      return isShown;
    });
    await run('fail · ').hover();
    await run('fail · ').locator('.codicon-trash').click();
    await until('the other is deleted', async () => (await run('fail · ').count()) === 0 && (await rows().count()) === 1);
    await page.keyboard.press('Escape');
  });

  await step('the next run takes changed settings', async () => {
    await server.writeSettings({ 'gprof.record.rate': 2000, 'gprof.record.wait': true });
    // The editor reads its settings when it sees that the file has changed.
    await until('a run has the rate', async () => {
      await workbench.command('Notifications: Clear All Notifications');
      await workbench.command('Profile: Run Program Again');
      if (await toast(/endless ended with status 3\. /, 30_000).catch(() => undefined) === undefined) return false;
      await page.locator('.notification-toast', { hasText: 'endless ended' }).getByRole('button', { name: 'Details' }).click();
      const dialog = page.locator('.monaco-dialog-box');
      const details = await dialog.innerText();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      return / at (\S+ of )?2,000 Hz/.test(details) && /, waited 1\.\d/.test(details);
    }, 120_000);
  });

  await step('a terminated task leaves its profile', async () => {
    await start('');
    await begins();
    await workbench.command('Tasks: Terminate Task');
    await workbench.pick('Profile endless').catch(() => {});
    await toast(/endless was (terminated|killed by SIGKILL); its profile was kept/);
    await workbench.screenshot('run-terminated');
  });

  await step('a closed terminal leaves the profile of a program that takes its time to end', async () => {
    // What was told of the run before would pass for this one's.
    await workbench.command('Notifications: Clear All Notifications');
    await start('slow');
    await begins();
    await workbench.command('Terminal: Kill the Active Terminal Instance');
    // VS Code kills whatever has not ended after five seconds: on a slow machine that is the recorder.
    await toast(/endless: |endless was (terminated|killed)|recorder of endless was killed; what was counted until then was kept/);
  });

  await step('the program is in the status bar before a source is open', async () => {
    await project.write('Makefile', 'endless: endless.c\n\tgcc -g -pg $< -o $@\n');
    const next = await Workbench.open(browser, server, project.folder);
    await until('the status bar names the program',
      async () => (await next.statusItems()).some((text) => /\bendless\b/.test(text)));
    await next.screenshot('status-before-a-source');
    await next.page.close();
  });

  const attached = 'a process that runs already is sampled until it is stopped';
  await t.test(attached, (own) => withPicture(workbench, attached, async () => {
    await workbench.command('Notifications: Clear All Notifications');
    // It says that it has begun in a folder of its own.
    const running = spawn(path.join(project.folder, 'endless'), [], { cwd: await temporaryFolder(own, 'vscode-attached'), stdio: 'ignore' });
    own.after(() => running.kill('SIGKILL'));
    await workbench.command('Profile: Attach to Process');
    await page.locator('.quick-input-title', { hasText: 'Profile: Attach to Process' }).waitFor();
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await rows.first().filter({ hasText: 'endless' }).filter({ hasText: `process ${running.pid}` }).click();
    const sampling = page.locator('.notification-toast', { hasText: `sampling endless (${running.pid})` });
    const begun = await until('it is sampled, or why it cannot be', async () => {
      const refusal = (await workbench.notifications()).find((text) => /cannot be sampled/.test(text));
      return refusal ?? (await sampling.filter({ hasText: /[1-9] s/ }).count() > 0 ? 'sampled' : undefined);
    });
    if (begun !== 'sampled') {
      own.skip(`skipped: ${begun}`);
      return;
    }
    await workbench.screenshot('attached');
    await sampling.hover();
    await sampling.getByRole('button', { name: 'Cancel' }).click();
    await toast(/endless: \S+ s CPU (of|in) /);
    await workbench.annotated('sum += i', /%/);
    assert.equal(running.exitCode, null, 'it runs on');
    assert.equal(running.signalCode, null);
  }));

  await step('the status bar has the program of the file at hand', async () => {
    await project.write('brief.c', BRIEF);
    await run('gcc', ['-g', '-O1', 'brief.c', '-o', 'brief'], { cwd: project.folder });
    await workbench.command('Notifications: Clear All Notifications');
    await start('', 'brief');
    await toast(/brief: /);
    const shown = async (file, fragment, program) => {
      await workbench.openFile(file);
      await workbench.annotated(fragment, /%/);
      await workbench.status(new RegExp(`^${program} · time · `));
    };
    await shown('brief.c', 'total += i', 'brief');
    await shown('endless.c', 'sum += i', 'endless');
    await workbench.status(/The program of this file: \S+\/endless\n.*Views and reports show brief\./s);
    await shown('brief.c', 'total += i', 'brief');
    // Toasts hide after a while; this list keeps all of them.
    await workbench.command('Notifications: Show Notifications');
    const told = page.locator('.notifications-center .notification-list-item-message');
    await told.filter({ hasText: 'brief: ' }).first().waitFor();
    assert.deepEqual((await told.allTextContents()).filter((text) => /programs have profiles/.test(text)), [],
      'whoever runs a program has said which one is meant');
    await page.keyboard.press('Escape');
  });

  await step('all runs have used one terminal', async () => {
    const tabs = await page.locator('.terminal-tabs-entry').count();
    assert.ok(tabs <= 1, `${tabs} terminals`);
  });
});
