// Lenses over functions, as VS Code asks for them, and inlay hints, which the extension's own drawing replaces.
import { strict as assert } from 'node:assert';
import * as vscode from 'vscode';
import { open, place, until, withSetting } from './support';
import type { HostTests } from './support';

async function lensesOf(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[] | undefined>(
    'vscode.executeCodeLensProvider', document.uri, 100);
  return lenses ?? [];
}

async function lensOver(document: vscode.TextDocument, definition: string): Promise<vscode.CodeLens> {
  const { line } = place(document, definition);
  return until(`a lens over ${definition}`, async () =>
    (await lensesOf(document)).find((lens) => lens.range.start.line === line));
}

export const lensTests: HostTests = {
  'each function has its counts': async () => {
    const document = await open('shapes.c');
    assert.match((await lensOver(document, 'double area(')).command?.title ?? '', /\b26[,.]?3(00|k)\D.*calls/);
    assert.match((await lensOver(document, 'double outline(')).command?.title ?? '', /\b7 calls/);
  },

  'a click has a command that is there': async () => {
    const { command } = await lensOver(await open('shapes.c'), 'double area(');
    assert(command, 'the lens has no command');
    assert((await vscode.commands.getCommands(true)).includes(command.command), command.command);
  },

  'a click on a function with one caller opens the call': async () => {
    const { command } = await lensOver(await open('shapes.c'), 'double outline(');
    assert(command);
    await vscode.commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[]));
    const editor = await until('the caller is open', () => {
      const active = vscode.window.activeTextEditor;
      return active?.document.fileName.endsWith('main.c') === true ? active : undefined;
    });
    assert.equal(editor.selection.active.line, place(editor.document, 'sum += outline(i)').line);
  },

  'the setting gprof.codeLens.enable takes them away': async () => {
    const document = await open('shapes.c');
    await lensOver(document, 'double area(');
    await withSetting('codeLens.enable', false, async () => {
      await until('there are no lenses', async () => ((await lensesOf(document)).length === 0 ? true : undefined));
    });
    await lensOver(document, 'double area(');
  },

  'there are no inlay hints beside what the extension draws': async () => {
    const document = await open('main.c');
    await lensOver(document, 'int main(');
    const range = new vscode.Range(0, 0, document.lineCount, 0);
    const hints = await vscode.commands.executeCommand<vscode.InlayHint[] | undefined>(
      'vscode.executeInlayHintProvider', document.uri, range);
    assert.deepEqual(hints ?? [], []);
  },
};
