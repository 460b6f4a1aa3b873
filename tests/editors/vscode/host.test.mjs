// The tests of editors/vscode/test/host, inside of a real extension host: each is reported here.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { CodeServer } from './support/code_server.mjs';
import { extensionFolder, temporaryFolder, until } from './support/environment.mjs';
import { Project } from './support/project.mjs';
import { startBrowser, withPicture, Workbench } from './support/workbench.mjs';

// The problem with where in the tests it came up, without the workbench's own functions.
function readable(problem) {
  const error = new Error(problem.split('\n').filter((line) => !line.includes('://')).join('\n'));
  error.stack = error.message;
  return error;
}

test('inside of an extension host', async (t) => {
  await promisify(execFile)(process.execPath, ['esbuild.mjs', '--tests'], { cwd: extensionFolder });
  const home = await temporaryFolder(t, 'vscode-host');
  const project = await Project.create(path.join(home, 'shapes'), 26_300);
  await project.build();
  await project.run();
  const results = path.join(home, 'results.json');
  const server = await CodeServer.start({
    home, developer: true, environment: () => ({ GPROF_LSP_HOST_RESULTS: results }),
  });
  t.after(() => server.stop());
  const browser = await startBrowser(t);
  const workbench = await Workbench.open(browser, server, project.folder, {
    payload: [
      ['extensionDevelopmentPath', server.uri(extensionFolder)],
      ['extensionTestsPath', server.uri(path.join(extensionFolder, 'build/host/index.js'))],
    ],
  });
  await withPicture(workbench, 'host', () =>
    until('the tests end', () => fs.access(results).then(() => true, () => false), 240_000));
  const reported = JSON.parse(await fs.readFile(results, 'utf8'));
  assert.ok(reported.length > 0);
  for (const { name, problem } of reported) {
    await t.test(name, () => {
      if (problem !== undefined) {
        throw readable(problem);
      }
    });
  }
});
