// Runs the tests of this folder inside of an extension host, one after the other, in an open folder that holds a
// profiled program (tests/editors/vscode/support/project.mjs). What became of each is written to the file that
// GPROF_LSP_HOST_RESULTS names: a host in a browser has no exit status.
import { renameSync, writeFileSync } from 'node:fs';
import { agentTests } from './agents';
import { callHierarchyTests } from './callHierarchy';
import { commandTests } from './commands';
import { lensTests } from './lenses';
import { hoverTests } from './hovers';
import { settingTests } from './settings';
import type { HostTests } from './support';

const all: Readonly<Record<string, HostTests>> = {
  lenses: lensTests,
  hovers: hoverTests,
  'call hierarchy': callHierarchyTests,
  commands: commandTests,
  settings: settingTests,
  agents: agentTests,
};

interface Result {
  name: string;
  problem?: string;
}

export async function run(): Promise<void> {
  const results: Result[] = [];
  for (const [subject, tests] of Object.entries(all)) {
    for (const [title, body] of Object.entries(tests)) {
      results.push(await resultOf(`${subject}: ${title}`, body));
    }
  }
  const file = process.env['GPROF_LSP_HOST_RESULTS'];
  if (file === undefined) throw new Error('GPROF_LSP_HOST_RESULTS is not set');
  // Whoever waits for the file finds it whole.
  writeFileSync(`${file}.part`, JSON.stringify(results));
  renameSync(`${file}.part`, file);
}

async function resultOf(name: string, body: () => Promise<void>): Promise<Result> {
  try {
    await body();
    return { name };
  } catch (error) {
    return { name, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
