// What the editor's agents are offered: the tools of language models, and the server of the Model Context Protocol.
import { strict as assert } from 'node:assert';
import * as vscode from 'vscode';
import { manifest, ready } from './support';
import type { HostTests } from './support';

interface Contributions {
  readonly languageModelTools: readonly { readonly name: string }[];
  readonly mcpServerDefinitionProviders: readonly { readonly id: string }[];
}

const contributions = (): Contributions => (manifest().packageJSON as { contributes: Contributions }).contributes;

async function ask(name: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  return result.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

export const agentTests: HostTests = {
  'the tools are there, by the names of the manifest': async () => {
    await ready();
    const known = vscode.lm.tools.map(({ name }) => name);
    const names = contributions().languageModelTools.map(({ name }) => name);
    assert(names.includes('gprof_hot_spots'), names.join());
    for (const name of names) assert(known.includes(name), `${name} is not among ${known.join()}`);
  },

  'a tool answers from the profile of the workspace': async () => {
    await ready();
    const programs = JSON.parse(await ask('gprof_programs', {})) as { programs: { name: string; shown?: boolean }[] };
    assert.equal(programs.programs[0]?.shown, true);
    const { functions } = JSON.parse(await ask('gprof_hot_spots', { order: 'calls', limit: 3 })) as {
      functions: { function: string; calls?: number }[];
    };
    assert.equal(functions.length, 3);
    assert((functions[0]?.calls ?? 0) >= (functions[1]?.calls ?? 0));
  },

  'what is wrong is said to the model': async () => {
    await ready();
    assert.match(await ask('gprof_function', { function: 'no_such_function' }), /has no function no_such_function/);
    assert.match(await ask('gprof_lines', { file: '/etc/passwd' }), /outside of the workspace/);
  },

  'the server is announced by the id that is registered': () => {
    assert.deepEqual(contributions().mcpServerDefinitionProviders.map(({ id }) => id), ['gprof.tools']);
    // The editor refuses what the manifest does not announce.
    assert.throws(() =>
      vscode.lm.registerMcpServerDefinitionProvider('gprof.other', { provideMcpServerDefinitions: () => [] }));
    return Promise.resolve();
  },
};
