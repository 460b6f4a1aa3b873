// Hovers: exact figures, and callers and callees as links.
import { strict as assert } from 'node:assert';
import * as vscode from 'vscode';
import { open, place, until } from './support';
import type { HostTests } from './support';

async function hoverAt(document: vscode.TextDocument, text: string, within: number): Promise<vscode.MarkdownString[]> {
  const position = place(document, text, within);
  return until(`a hover on ${text}`, async () => {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[] | undefined>(
      'vscode.executeHoverProvider', document.uri, position);
    const contents = (hovers ?? []).flatMap((hover) => hover.contents as vscode.MarkdownString[]);
    return contents.length > 0 ? contents : undefined;
  });
}

const textOf = (contents: vscode.MarkdownString[]): string => contents.map((content) => content.value).join('\n');

export const hoverTests: HostTests = {
  'a function shows its count to the last call': async () => {
    const text = textOf(await hoverAt(await open('shapes.c'), 'double area(', 8));
    assert.match(text, /26[,. ]?300/);
  },

  'its callers and callees are links': async () => {
    const text = textOf(await hoverAt(await open('shapes.c'), 'double area(', 8));
    assert.match(text, /\[[^\]]*main[^\]]*\]\([^)]+\)/);
    assert.match(text, /\[[^\]]*spin[^\]]*\]\([^)]+\)/);
  },

  'a link to a caller leads to a place that opens': async () => {
    const document = await open('shapes.c');
    const text = textOf(await hoverAt(document, 'double area(', 8));
    const target = /\[[^\]]*main[^\]]*\]\(([^)\s]+)/.exec(text)?.[1];
    assert(target, text);
    if (target.startsWith('command:')) {
      const [command = '', query = '[]'] = target.slice('command:'.length).split('?');
      assert((await vscode.commands.getCommands(true)).includes(command), command);
      await vscode.commands.executeCommand(command, ...(JSON.parse(decodeURIComponent(query)) as unknown[]));
      await until('main.c is open', () =>
        vscode.window.activeTextEditor?.document.fileName.endsWith('main.c') === true ? true : undefined);
    } else {
      const uri = vscode.Uri.parse(target, true);
      assert.equal((await vscode.workspace.openTextDocument(uri.with({ fragment: '' }))).fileName.endsWith('main.c'), true);
    }
  },
};
