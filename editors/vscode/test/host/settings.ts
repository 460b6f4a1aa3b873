// Settings: described, with defaults that are valid, and what is not valid changes nothing.
import { strict as assert } from 'node:assert';
import * as vscode from 'vscode';
import { manifest, open, ready, until, withSetting } from './support';
import type { HostTests } from './support';

interface Setting {
  type?: string | string[];
  default?: unknown;
  description?: string;
  markdownDescription?: string;
  enum?: unknown[];
  enumDescriptions?: string[];
  markdownEnumDescriptions?: string[];
}

function settings(): Record<string, Setting> {
  const { contributes } = manifest().packageJSON as {
    contributes: { configuration: { properties: Record<string, Setting> } | { properties: Record<string, Setting> }[] };
  };
  const sections = [contributes.configuration].flat();
  return Object.assign({}, ...sections.map(({ properties }) => properties)) as Record<string, Setting>;
}

export const settingTests: HostTests = {
  'each is described and has a default of its kind': () => {
    const entries = Object.entries(settings());
    assert(entries.length > 5);
    for (const [name, setting] of entries) {
      assert.match(name, /^gprof\./);
      assert((setting.description ?? setting.markdownDescription ?? '').length > 20, `${name} is not described`);
      assert('default' in setting, `${name} has no default`);
      if (setting.enum === undefined) continue;
      assert(setting.enum.includes(setting.default), `the default of ${name} is none of its values`);
      const described = setting.enumDescriptions ?? setting.markdownEnumDescriptions ?? [];
      assert.equal(described.length, setting.enum.length, `values of ${name} are not described`);
    }
    return Promise.resolve();
  },

  'what can start a program is ignored in folders that are not trusted': () => {
    const { capabilities } = manifest().packageJSON as {
      capabilities: { untrustedWorkspaces: { restrictedConfigurations?: string[] } };
    };
    const restricted = capabilities.untrustedWorkspaces.restrictedConfigurations ?? [];
    const dangerous = Object.keys(settings()).filter((name) => /^gprof\.(server\.(path|arguments)|programs|base)$/.test(name));
    assert(dangerous.includes('gprof.server.path') && dangerous.includes('gprof.programs'));
    assert.deepEqual(dangerous.filter((name) => !restricted.includes(name)), []);
    return Promise.resolve();
  },

  'a value of the wrong kind changes nothing': async () => {
    const document = await open('shapes.c');
    const { client } = await ready();
    await withSetting('threshold', 'much', async () => {
      const lenses = await until('lenses are there still', async () => {
        const found = await vscode.commands.executeCommand<vscode.CodeLens[] | undefined>(
          'vscode.executeCodeLensProvider', document.uri);
        return found !== undefined && found.length > 0 ? found : undefined;
      });
      assert(lenses.length >= 3);
      assert.equal(client.state, 'running');
    });
  },
};
