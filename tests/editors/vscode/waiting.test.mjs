// Waiting: a program whose threads wait for known things, the time line that shows each in its colour, and idle waiting,
// which is shown and folded away.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { carriedServer, CodeServer } from './support/code_server.mjs';
import { packed, temporaryFolder, until } from './support/environment.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

const run = promisify(execFile);

// owner has the lock while taker waits for it, reader reads from a pipe that is written to late, sleeper sleeps, and
// worker waits for work that never comes.
const WAITS = `#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int ended;
static int ends[2];
volatile long sum;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

static void nap(double seconds) {
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (time_t)seconds))};
    nanosleep(&time, NULL);
}

static void compute(double seconds) {
    for (double end = now() + seconds; now() < end;) {
        for (int i = 0; i < 10000; i++) {
            sum += i % 7;
        }
    }
}

static void *owner(void *unused) {
    pthread_setname_np(pthread_self(), "owner");
    pthread_mutex_lock(&gate);
    compute(0.9);
    pthread_mutex_unlock(&gate);
    return unused;
}

static void *taker(void *unused) {
    pthread_setname_np(pthread_self(), "taker");
    nap(0.1);
    pthread_mutex_lock(&gate); // for the gate
    pthread_mutex_unlock(&gate);
    return unused;
}

static void *reader(void *unused) {
    char letter;
    pthread_setname_np(pthread_self(), "reader");
    return read(ends[0], &letter, 1) == 1 ? unused : NULL; // from the pipe
}

static void *sleeper(void *unused) {
    pthread_setname_np(pthread_self(), "sleeper");
    nap(1);
    return unused;
}

static void *worker(void *unused) {
    pthread_setname_np(pthread_self(), "worker");
    pthread_mutex_lock(&queue);
    while (!ended) {
        pthread_cond_wait(&work, &queue); // for work
    }
    pthread_mutex_unlock(&queue);
    return unused;
}

static void join(pthread_t *threads) {
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
}

int main(void) {
    void *(*parts[])(void *) = {owner, taker, reader, sleeper, worker};
    pthread_t threads[5];
    if (pipe(ends) != 0) {
        return 1;
    }
    for (int i = 0; i < 5; i++) {
        pthread_create(&threads[i], NULL, parts[i], NULL);
    }
    pid_t child = fork();
    if (child == 0) {
        nap(0.8);
        _exit(0);
    }
    waitpid(child, NULL, 0); // for the child
    if (write(ends[1], "x", 1) != 1) {
        return 1;
    }
    join(threads);
    pthread_mutex_lock(&queue);
    ended = 1;
    pthread_cond_signal(&work);
    pthread_mutex_unlock(&queue);
    pthread_join(threads[4], NULL);
    printf("%ld\\n", sum);
    return 0;
}
`;

const GRID = '[role=grid][aria-label^="Time line"]';
const DOINGS = { owner: 'running', taker: 'lock', reader: 'io', sleeper: 'sleep', worker: 'idle' };
// Pixels of a row in the colour of the activity. A busy machine makes a running thread runnable for a part of its time.
const drawnAs = (counts, activity) => counts[activity] + (activity === 'running' ? counts.cpu : 0);
const THEMES = { light: 'Light Modern', dark: 'Dark Modern', 'high-contrast': 'Dark High Contrast' };

// Seconds that threads are to wait.
const MEANT = { 'wait.lock': 0.8, 'wait.io': 0.8, 'wait.sleep': 1.1, 'wait.child': 0.8 };
// The worker's idle time is shown in the last line alone.
const IDLE = 0.95;

// Records a run in which the threads did what they are for. On a busy machine one may be kept from running for most
// of the time, and has nothing to wait for when it runs.
async function recordWaits(server, folder) {
  for (let attempt = 0; attempt < 20; attempt++) {
    const words = ['record', '--wait', '--stacks', '--rate=1000', '--', './waits'];
    const { stderr } = await run(server, words, { cwd: folder });
    const idle = Number(/, idle ([\d.]+) s/.exec(stderr)?.[1] ?? 0);
    const { stdout } = await run(server, ['export', '--format', 'json', 'waits', 'gmon.out'], { cwd: folder, maxBuffer: 1 << 26 });
    const totals = Object.fromEntries(JSON.parse(stdout).metrics.map(({ name, total }) => [name, total]));
    if (idle > IDLE && Object.entries(MEANT).every(([name, seconds]) => totals[name] > 0.75 * seconds)) return;
    const profiles = (await fs.readdir(folder)).filter((name) => name.startsWith('gmon.out'));
    await Promise.all(profiles.map((name) => fs.rm(path.join(folder, name))));
  }
  throw new Error('the threads never waited as long as they are to');
}

// In the page: how many pixels of a row's picture have each activity's colour, and whether two have the same.
function coloursOfRow(name) {
  const canvas = document.querySelector('.body canvas');
  const label = [...document.querySelectorAll('.name')].find((element) => element.textContent.startsWith(`${name} (`));
  const ratio = canvas.width / canvas.clientWidth;
  const box = label.getBoundingClientRect();
  const top = (box.top - canvas.getBoundingClientRect().top) * ratio;
  const left = Math.ceil(box.right - canvas.getBoundingClientRect().left) * ratio;
  const { data } = canvas.getContext('2d').getImageData(left, top, canvas.width - left, box.height * ratio);
  const style = getComputedStyle(document.documentElement);
  const counts = {};
  for (const activity of ['Running', 'Lock', 'Io', 'Sleep', 'Child', 'Other', 'Cpu', 'Idle']) {
    const colour = style.getPropertyValue(`--vscode-gprof-timeline${activity}`).trim();
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at] === red && data[at + 1] === green && data[at + 2] === blue) count += 1;
    }
    counts[activity.toLowerCase()] = count;
  }
  return counts;
}

test('waiting', async (t) => {
  const home = await temporaryFolder(t, 'vscode');
  const project = new Project(path.join(home, 'waits'));
  await fs.mkdir(project.folder);
  await project.write('waits.c', WAITS);
  await run('gcc', ['-g', '-pg', '-O0', '-pthread', 'waits.c', '-o', 'waits'], { cwd: project.folder });
  const server = await CodeServer.start({ home, extensions: [packed] });
  t.after(() => server.stop());
  await recordWaits(await carriedServer(home), project.folder);
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, { file: 'waits.c', size: { width: 1440, height: 960 } });
  const { page } = workbench;
  const step = (name, body) => t.test(name, () => withPicture(workbench, name, body));
  let view;

  const row = (name) => view.locator('.name', { hasText: new RegExp(`^${name} \\(`) });
  const said = (name) => row(name).getAttribute('aria-label');
  const legend = (activity) => view.locator(`.legend [data-activity=${activity}]`);
  const total = async (name) => {
    const [, value, unit] = /: ([\d.]+) (m?s)/.exec(await said(name)) ?? [0, '0', 's'];
    return Number(value) * (unit === 'ms' ? 1e-3 : 1);
  };
  const setTheme = async (theme) => {
    await workbench.command('Preferences: Color Theme');
    await workbench.type(theme);
  };
  const shows = (name, isRight) => until(`the time of ${name}`, async () => isRight(await total(name)));

  await step('lines tell what they wait for', async () => {
    await workbench.goToLine(40);
    await workbench.annotated('// for the gate', /\d+ m?s lock/);
    await workbench.annotated('// from the pipe', /\d+ m?s io/);
  });

  await step('the time line shows in colours what threads did', async () => {
    await workbench.command('Profile: Show Timeline');
    view = await workbench.webview(GRID);
    for (const [name, activity] of Object.entries(DOINGS)) {
      await row(name).waitFor();
      // The row's label is there before its picture is drawn.
      await until(`${name} is drawn as ${activity}`, async () => {
        const counts = await view.evaluate(coloursOfRow, name);
        const [most] = Object.entries({ ...counts, cpu: 0 }).sort((a, b) => b[1] - a[1]);
        return most[0] === activity && drawnAs(counts, activity) > 500;
      });
      await legend(activity).waitFor();
    }
    // On a busy machine, it is ready to run for a while.
    assert.match(await said('taker'), /^taker \(\d+\): .*: (running .*)?lock [\d.]+ m?s, sleep [\d.]+ m?s(, runnable [\d.]+ [mµ]?s)?$/);
    await legend('child').waitFor();
  });

  await step('a column tells the times of what was done in it', async () => {
    const picture = await view.locator('.body canvas').boundingBox();
    const names = await row('taker').boundingBox();
    await page.mouse.move((names.x + names.width + picture.x + picture.width) / 2, names.y + names.height / 2, { steps: 3 });
    await view.locator('[role=tooltip]', { hasText: / s to .* s: [\d.]+ m?s: lock [\d.]+ m?s(, runnable [\d.]+ [mµ]?s)?$/ }).waitFor();
    await workbench.screenshot('waiting-column');
  });

  await step('colours differ in each kind of theme', async () => {
    for (const [kind, theme] of Object.entries(THEMES)) {
      await setTheme(theme);
      await until(`the theme is ${theme}`, async () => view.evaluate((wanted) =>
        document.body.classList.contains(`vscode-${wanted}`), kind));
      await until(`rows are drawn in ${theme}`, async () => {
        for (const [name, activity] of Object.entries(DOINGS)) {
          const counts = await view.evaluate(coloursOfRow, name);
          if (counts[activity] === 0 || !(drawnAs(counts, activity) > 500)) return false;
          if (Object.values(counts).filter((count) => count === counts[activity]).length > 1) return false;
        }
        return true;
      });
      await workbench.screenshot(`waiting-${kind}`);
    }
    await setTheme(THEMES.light);
  });

  await step('idle waiting is shown and folded away by a command', async () => {
    await shows('worker', (time) => time < 0.1);
    assert.equal(await legend('idle').textContent(), 'idle, folded');
    await workbench.command('Profile: Show Idle Waiting');
    await shows('worker', (time) => time > 0.9);
    assert.match(await said('worker'), /idle/);
    await workbench.goToLine(65);
    await workbench.annotated('// for work', /\d+(\.\d+)? m?s wait/);
    await workbench.screenshot('waiting-idle');
    await workbench.command('Profile: Fold Idle Waiting');
    await shows('worker', (time) => time < 0.1);
    await until('no idle waiting on the line', async () => !/wait/.test((await workbench.line('// for work')).after));
  });

  await step('by what hovers say of it', async () => {
    const word = page.locator('.editor-group-container.active .view-line', { hasText: '// for work' }).locator('span', { hasText: /^pthread_cond_wait/ }).last();
    for (const [link, isRight] of [['show it', (time) => time > 0.9], ['fold it', (time) => time < 0.1]]) {
      const hover = page.locator('.monaco-hover:visible', { hasText: link }).first();
      await until(`a hover says ${link}`, async () => {
        await page.mouse.move(5, 400);
        await word.hover({ timeout: 5_000 });
        return hover.waitFor({ timeout: 3_000 }).then(() => true, () => false);
      });
      await workbench.screenshot(`waiting-hover-${link.split(' ')[0]}`);
      await hover.getByText(link).click();
      await shows('worker', isRight);
    }
  });

  await step('and by a click on its name beside the picture', async () => {
    await legend('idle').getByRole('button').click();
    await shows('worker', (time) => time > 0.9);
    assert.equal(await legend('idle').textContent(), 'idle');
    await legend('idle').getByRole('button').click();
    await shows('worker', (time) => time < 0.1);
  });

  await step('time by the clock is a metric of lines, hot spots and the flame graph', async () => {
    await workbench.command('Profile: Switch Metric');
    await workbench.page.locator('.quick-input-title', { hasText: 'Profile: Switch Metric' }).waitFor();
    await workbench.type('by the clock');
    await workbench.goToLine(45);
    await workbench.annotated('// for the gate', /\d+ % .* m?s/);
    await workbench.screenshot('waiting-wall');
    await workbench.command('Profile: Go to Next Hot Spot');
    // nap, which sleeps longest: main waits for the child alone, which is over earlier.
    await workbench.cursorAt('waits.c', 21);
    await workbench.screenshot('waiting-hot-spot');
    await workbench.command('Profile: Show Flame Graph');
    const flames = await workbench.webview('[role=toolbar][aria-label="Flame graph"]');
    await flames.locator('[role=treeitem]').first().waitFor({ state: 'attached' });
    await workbench.searchFlames(flames, 'taker');
    await flames.locator('.found', { hasText: /^1 function, [12]\d %/ }).waitFor();
    await flames.getByText('measured from stacks').waitFor();
    await workbench.screenshot('waiting-flames');
  });
});
