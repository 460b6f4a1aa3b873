// What run.py hands to the tests, and waiting for what has to happen.
import fs from 'node:fs/promises';
import path from 'node:path';

function required(name) {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: tests/editors/vscode/run.py starts these tests`);
  }
  return value;
}

// Where scripts/install-test-clients put code-server and playwright-core.
export const installed = required('GPROF_LSP_VSCODE');
export const chromium = required('GPROF_LSP_CHROMIUM');
// The packed extension, and where it is made.
export const packed = required('GPROF_LSP_VSIX');
export const extensionFolder = required('GPROF_LSP_EXTENSION');
// Where screenshots and measurements are kept for people to look at.
export const kept = required('GPROF_LSP_KEPT');

// How long anything may take that is to happen on a busy machine: a limit for hanging, not a
// measure of speed.
export const LIMIT = 1_000 * Number(process.env.GPROF_LSP_LIMIT ?? 60);

export const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

// The first answer of `look` that is true, undefined answers and errors of a page in motion aside.
export async function until(what, look, limit = LIMIT) {
  const end = Date.now() + limit;
  let last;
  for (;;) {
    last = await look();
    if (last) {
      return last;
    }
    if (Date.now() > end) {
      throw new Error(`did not happen within ${limit / 1000} s: ${what}`);
    }
    await pause(50);
  }
}

// An empty folder that goes away with the test.
export async function temporaryFolder(test, name) {
  const folder = await fs.mkdtemp(path.join(process.env.TMPDIR ?? '/tmp', `gprof-lsp-${name}-`));
  test.after(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
