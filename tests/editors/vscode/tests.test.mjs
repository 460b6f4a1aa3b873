// Tests that are profiled alone, from the lens above one and from the list of CTest's: in a project that no profile is
// known of.
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

const run = promisify(execFile);
const title = 'Profile this test';

const TESTS = `#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

volatile long sum;

static void work(int rounds) {
    for (int i = 0; i < rounds; i++) {
        sum += i;
    }
}

TEST(Sums, Light) {
    work(200000000);  // light
}

TEST(Sums, Heavy) {
    work(300000000);  // heavy
    std::FILE *place = std::fopen("ran-here", "w");
    std::fputs(std::getenv("PLACE"), place);
    std::fclose(place);
}
`;

test('tests that are profiled alone', async (t) => {
  if (await fs.access('/usr/include/gtest/gtest.h').then(() => false, () => true)) {
    t.skip('no GoogleTest (Debian\'s package libgtest-dev)');
    return;
  }
  const home = await temporaryFolder(t, 'vscode');
  const project = new Project(path.join(home, 'sums'));
  const build = path.join(project.folder, 'build');
  const data = path.join(project.folder, 'data');
  await fs.mkdir(build, { recursive: true });
  await fs.mkdir(data);
  await project.write('tests.cc', TESTS);
  const words = ['-std=c++17', '-g', '-O0', '../tests.cc', '-o', 'tests', '-lgtest', '-lgtest_main', '-lpthread'];
  await run('g++', words, { cwd: build });
  // An escaped reference is text, as CMake writes it.
  await project.write('build/CTestTestfile.cmake', `add_test([=[heavy sums]=] "${build}/tests" "--gtest_filter=Sums.Heavy")
set_tests_properties([=[heavy sums]=] PROPERTIES  ENVIRONMENT "PLACE=\\\${here}" WORKING_DIRECTORY "${data}")
`);
  const server = await CodeServer.start({ home, extensions: [packed] });
  t.after(() => server.stop());
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, { file: 'tests.cc' });
  const { page } = workbench;
  const step = (name, body) => t.test(name, () => withPicture(workbench, name, body));
  const place = path.join(data, 'ran-here');
  const ran = () => until('the test has run in its folder', () => fs.readFile(place, 'utf8').catch(() => undefined));
  const toast = (pattern) => until(`a toast says ${pattern}`,
    async () => (await workbench.notifications()).find((text) => pattern.test(text)));

  await step('each test has a lens before anything was run', async () => {
    await until('both have it', async () => (await workbench.lensTexts()).filter((text) => text === title).length === 2);
    await workbench.screenshot('tests-lenses');
  });

  await step('a click runs the test below alone, where CTest would, and shows its profile', async () => {
    await workbench.goToLine(17);
    await until('the click runs it', async () => {
      const lens = workbench.lenses().filter({ hasText: title }).last();
      await lens.click({ timeout: 5_000 }).catch(() => undefined);
      return page.locator('.part.panel').getByText('Sums.Heavy').first().waitFor({ timeout: 20_000 }).then(() => true, () => false);
    }, 120_000);
    // Words of a test are not variables.
    assert.equal(await ran(), '${here}');
    await toast(/^tests: \S+ s CPU/);
    await workbench.annotated('// heavy', /\d/);
    assert.equal((await workbench.line('// light')).after, '');
    await workbench.screenshot('tests-profiled');
  });

  await step('the run is in the list, with its words', async () => {
    await workbench.command('Profile: Runs');
    await page.locator('.quick-input-title', { hasText: 'Profile: Runs of tests' }).waitFor();
    await workbench.rows().filter({ hasText: '--gtest_filter=Sums.Heavy · ' }).filter({ hasText: 'shown now' }).waitFor();
    await page.keyboard.press('Escape');
  });

  await step('tests of CTest are a list', async () => {
    await fs.rm(place);
    await workbench.command('Profile: CTest Test');
    await workbench.pick('heavy sums');
    assert.equal(await ran(), '${here}');
  });

  await step('Run Program Again repeats the test', async () => {
    await fs.rm(place);
    await workbench.command('Profile: Run Program Again');
    assert.equal(await ran(), '${here}');
  });
});
