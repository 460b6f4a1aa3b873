// What the manifest promises of commands, and those that need nothing but an editor.
import { strict as assert } from 'node:assert';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { manifest, open, place, ready, until, untilTrue } from './support';
import type { FlameGraphParams, FlameGraphResult } from '../../src/server/protocol';
import type { HostTests } from './support';

interface Contributions {
  commands?: { command: string; title: string }[];
  keybindings?: { command: string }[];
}

const contributions = (): Contributions =>
  (manifest().packageJSON as { contributes: Contributions }).contributes;

async function runIn(name: string, text: string, within: number, command: string): Promise<vscode.TextEditor> {
  const document = await open(name);
  const editor = await vscode.window.showTextDocument(document);
  const position = place(document, text, within);
  editor.selection = new vscode.Selection(position, position);
  await vscode.commands.executeCommand(command);
  return editor;
}

async function cursorReaches(name: string, text: string): Promise<void> {
  await until(`the cursor stands at ${text} in ${name}`, () => {
    const editor = vscode.window.activeTextEditor;
    const there = editor?.document.fileName.endsWith(name) === true
      && editor.selection.active.line === place(editor.document, text).line;
    return there ? true : undefined;
  });
}

function cursorPlace(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor && `${basename(editor.document.fileName)}:${editor.selection.active.line}`;
}

const otherPlace = (than: string): Promise<string> =>
  until(`the cursor leaves ${than}`, () => {
    const now = cursorPlace();
    return now === than ? undefined : now;
  });

export const commandTests: HostTests = {
  'every command of the manifest is there': async () => {
    await ready();
    const there = new Set(await vscode.commands.getCommands(true));
    const announced = (contributions().commands ?? []).map(({ command }) => command);
    assert(announced.length > 0);
    assert.deepEqual(announced.filter((command) => !there.has(command)), []);
  },

  'every keybinding is one of a command': async () => {
    const announced = new Set((contributions().commands ?? []).map(({ command }) => command));
    const bound = (contributions().keybindings ?? []).map(({ command }) => command);
    assert(bound.length > 0);
    assert.deepEqual(bound.filter((command) => !announced.has(command)), []);
    return Promise.resolve();
  },

  'Go to Callers opens the call': async () => {
    await runIn('shapes.c', 'double outline(', 8, 'gprof.goToCallers');
    await cursorReaches('main.c', 'sum += outline(i)');
  },

  'Go to Callees opens the function': async () => {
    await runIn('shapes.c', 'double area(', 8, 'gprof.goToCallees');
    await cursorReaches('shapes.c', 'double spin(');
  },

  'Go to Hottest Call Site opens the call that cost most': async () => {
    await runIn('shapes.c', 'double spin(', 8, 'gprof.goToHottestCallSite');
    await cursorReaches('shapes.c', 'return spin(2000)');
  },

  'a comparison is told of by the status, and colours the flame graph': async () => {
    const { client } = await ready();
    const profiles = [...(client.status?.profiles ?? [])];
    assert(await client.executeOrTell('gprof.compare', { profiles }));
    await untilTrue('the base is loaded', () => client.status?.comparison !== undefined);
    assert.match(client.status?.comparison?.text ?? '', / → .*: no difference beyond noise$/);
    const flames = await client.request<FlameGraphParams, FlameGraphResult>('gprof/flameGraph', { differences: true });
    assert.equal(flames?.compared, true);
    assert.equal(flames.root?.difference?.verdict, 'noise');
    assert(await client.executeOrTell('gprof.compare', {}));
    await untilTrue('the comparison has ended', () => client.status?.comparison === undefined);
  },

  'Next Hot Spot goes on to other places, Previous Hot Spot goes back': async () => {
    await ready();
    await vscode.commands.executeCommand('gprof.chooseMetric', 'calls');
    await runIn('shapes.c', '#include', 0, 'gprof.nextHotSpot');
    const begin = 'shapes.c:0';
    const first = await otherPlace(begin);
    await vscode.commands.executeCommand('gprof.nextHotSpot');
    await otherPlace(first);
    await vscode.commands.executeCommand('gprof.previousHotSpot');
    await untilTrue('the cursor is back', () => cursorPlace() === first);
  },

  'Restart Server starts another process': async () => {
    const { client } = await ready();
    const before = client.processId;
    await vscode.commands.executeCommand('gprof.restartServer');
    await untilTrue('another process serves', () =>
      client.status?.state === 'ready' && client.processId !== undefined && client.processId !== before);
  },
};
