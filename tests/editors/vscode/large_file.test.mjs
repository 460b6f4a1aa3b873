// A file of 20,000 lines: what is asked of the server covers what is on the screen and a screen
// around it, the hottest line is found, and the page's long tasks are written down. Of small files, how soon their figures
// and lenses are there.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { carriedServer, CodeServer } from './support/code_server.mjs';
import { kept, packed, temporaryFolder, until } from './support/environment.mjs';
import { firstDrawing } from './support/first_drawing.mjs';
import { longTasks } from './support/long_tasks.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

const FUNCTIONS = 2_000;
const HOTTEST = 1_500;
const LINES_OF_FUNCTION = 10;
const SMALL_FILES = 5;
const RECORDER = fileURLToPath(new URL('support/recording_server.mjs', import.meta.url));

// Ten lines each; number n is called n % 900 + 100 times, so that what is shown tells the line.
function source() {
  const lines = ['#include <stdio.h>', 'static double sum;'];
  for (let number = 0; number < FUNCTIONS; number += 1) {
    const rounds = number === HOTTEST ? 100_000 : 3;
    lines.push(`static void part_${number}(void) {`, `    for (int i = 0; i < ${rounds}; i++) {`,
      `        sum += i * ${number};`, '    }', '}', `static void call_${number}(void) {`,
      `    for (int i = 0; i < ${number % 900 + 100}; i++) {`, `        part_${number}();`, '    }', '}');
  }
  const small = [...Array(SMALL_FILES).keys()];
  lines.push(...small.map((number) => `double small_${number}(int n);`), 'int main(void) {',
    ...small.map((number) => `    sum += small_${number}(20000000);`));
  for (let number = 0; number < FUNCTIONS; number += 1) {
    lines.push(`    call_${number}();`);
  }
  return [...lines, '    printf("%.0f\\n", sum);', '    return 0;', '}', ''].join('\n');
}

const smallSource = (number) => `double small_${number}(int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += i * 0.5;
    }
    return sum;
}
`;

const lineOfCall = (number) => 2 + number * LINES_OF_FUNCTION + 8;

async function scrollAndType(page) {
  for (let presses = 0; presses < 20; presses += 1) {
    await page.keyboard.press('PageDown');
    await page.waitForTimeout(100);
  }
  await page.keyboard.press('Home');
  await page.keyboard.type('// text', { delay: 30 });
  await page.waitForTimeout(500);
  await page.keyboard.press('Control+Z');
}

async function messagesIn(file) {
  const lines = (await fs.readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line).message);
}

test('a file of 20,000 lines', async (t) => {
  const home = await temporaryFolder(t, 'vscode-large');
  const project = await Project.create(path.join(home, 'large'), 1);
  await project.write('large.c', source());
  const small = [...Array(SMALL_FILES).keys()].map((number) => `small_${number}.c`);
  await Promise.all(small.map((name, number) => project.write(name, smallSource(number))));
  await project.build(['large.c', ...small]);
  await project.run();
  const traffic = path.join(home, 'traffic');
  const server = await CodeServer.start({
    home, extensions: [packed], settings: { 'gprof.server.path': RECORDER },
    environment: async () => ({
      GPROF_LSP_TRAFFIC: traffic, GPROF_LSP_RECORDED: await carriedServer(home),
    }),
  });
  t.after(() => server.stop());
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, { file: 'large.c' });
  const step = (name, body) => t.test(name, () => withPicture(workbench, name, body));
  const screens = [];

  // Waits until the figure of a call on the screen is there, and notes what was to be seen.
  async function annotatedCall(number) {
    await workbench.goToLine(lineOfCall(number));
    await workbench.annotated(`part_${number}();`, new RegExp(`\\b${number % 900 + 100}\\b`));
    const lines = await workbench.lines();
    screens.push({ first: lines[0].number - 1, last: lines.at(-1).number - 1 });
  }

  await step('figures appear wherever one looks', async () => {
    for (const number of [3, 400, 1_000, HOTTEST, 1_990]) {
      await annotatedCall(number);
    }
    await workbench.screenshot('large-file');
  });

  await step('requests cover the visible range and a screen around it', async () => {
    const requests = (await messagesIn(traffic)).filter(({ method }) => method === 'gprof/lineData')
      .map(({ params }) => params);
    const ranged = requests.filter(({ range }) => range !== undefined);
    const rest = requests.filter(({ range }) => range === undefined);
    const screen = Math.max(...screens.map(({ first, last }) => last - first + 1));
    for (const { range } of ranged) {
      const lines = range.end.line - range.start.line + 1;
      assert.ok(lines <= 3 * (screen + 2), `${lines} lines were asked for, a screen has ${screen}`);
    }
    for (const { first, last } of screens) {
      const covered = ranged.some(({ range }) => range.start.line <= first && range.end.line >= last);
      assert.ok(covered, `nobody asked for the lines ${first} to ${last}`);
    }
    // Of the whole file only its hottest lines, for the overview ruler.
    for (const params of rest) {
      assert.ok(params.hottest > 0 && params.hottest <= 1_000, JSON.stringify(params));
    }
    await fs.mkdir(kept, { recursive: true });
    await fs.writeFile(path.join(kept, 'large-file-requests.json'), JSON.stringify({ screens, requests }, null, 1));
  });

  await step('Next Hot Spot finds the hottest function', async () => {
    await workbench.goToLine(1);
    await workbench.command('Profile: Go to Next Hot Spot');
    await until('the hottest lines are on the screen',
      async () => (await workbench.lines()).some(({ text }) => text.includes(`part_${HOTTEST}(void)`)));
  });

  await step('small files have their figures and lenses soon after their text', async () => {
    const measured = [];
    for (const name of small) {
      measured.push(await firstDrawing(workbench.page, path.parse(name).name, () => workbench.openFile(name)));
    }
    console.log(`milliseconds after the text: ${JSON.stringify(measured)}`);
    await fs.mkdir(kept, { recursive: true });
    await fs.writeFile(path.join(kept, 'small-files-opened.json'), JSON.stringify(measured, null, 1));
    await workbench.openFile('large.c');
  });

  // The workbench has long tasks of its own: what the extension adds to them is the difference.
  await step('scrolling and typing, with the tasks of the page', async () => {
    const measured = {};
    for (const [name, command] of [['without', 'Hide Line Annotations'], ['with', 'Show Line Annotations']]) {
      await workbench.command(`Profile: ${command}`);
      await workbench.goToLine(1_000);
      if (name === 'with') {
        await annotatedCall(99);
      }
      measured[name] = await longTasks(workbench.page, () => scrollAndType(workbench.page));
      const { long: _, ...numbers } = measured[name];
      console.log(`${name} annotations: ${JSON.stringify(numbers)}`);
      assert.ok(numbers.tasks > 0, 'the trace holds no tasks: nothing was measured');
    }
    await fs.writeFile(path.join(kept, 'large-file-long-tasks.json'), JSON.stringify(measured, null, 1));
  });
});
