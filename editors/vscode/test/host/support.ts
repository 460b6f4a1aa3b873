// What the tests within an extension host share: the open documents, places in them, and waiting.
import { strict as assert } from 'node:assert';
import * as vscode from 'vscode';
import type { Extension } from '../../src/extension';

export type HostTests = Readonly<Record<string, () => Promise<void>>>;

const limit = 60_000;
const identifier = 'gprof-lsp.gprof-lsp';

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });

// The first answer of `look` that is not undefined.
export async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const end = Date.now() + limit;
  for (;;) {
    const answer = await look();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error(`did not happen: ${what}`);
    await pause(50);
  }
}

export async function untilTrue(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  await until(what, async () => ((await look()) ? true : undefined));
}

export function manifest(): vscode.Extension<Extension> {
  const found = vscode.extensions.getExtension<Extension>(identifier);
  assert(found, `${identifier} is not installed`);
  return found;
}

// The extension once its server shows the profile.
export async function ready(): Promise<Extension> {
  const extension = await manifest().activate();
  await untilTrue('the profile is shown', () => extension.client.status?.state === 'ready');
  return extension;
}

export async function open(name: string): Promise<vscode.TextDocument> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert(folder, 'no folder is open');
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, name));
  await vscode.window.showTextDocument(document, { preview: false });
  await ready();
  return document;
}

// Where the text stands first; within it, after so many characters.
export function place(document: vscode.TextDocument, text: string, within = 0): vscode.Position {
  const offset = document.getText().indexOf(text);
  assert(offset >= 0, `${document.fileName} does not hold ${text}`);
  return document.positionAt(offset + within);
}

// Changes the setting `gprof.NAME` of the user for as long as `body` runs.
export async function withSetting(name: string, value: unknown, body: () => Promise<void>): Promise<void> {
  const update = (to: unknown) =>
    vscode.workspace.getConfiguration('gprof').update(name, to, vscode.ConfigurationTarget.Global);
  await update(value);
  try {
    await body();
  } finally {
    await update(undefined);
  }
}
