// "Profile: Export…": the profile in the formats of other tools. Inside the workspace the server writes the file,
// completely or not at all; elsewhere it is written here.
import { basename, join } from 'node:path';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { ExportArgument, ExportedText } from '../server/protocol';
import type { Services } from '../services';
import { showToast } from '../status/toasts';

interface FormatItem extends vscode.QuickPickItem {
  readonly argument: Pick<ExportArgument, 'format' | 'table'>;
  readonly ending: string;
}

const formats: readonly FormatItem[] = [
  { label: 'speedscope', detail: 'JSON for speedscope', argument: { format: 'speedscope' }, ending: '.speedscope.json' },
  { label: 'Folded stacks', detail: 'One stack per line: flamegraph.pl, inferno', argument: { format: 'folded' }, ending: '.folded' },
  { label: 'pprof', detail: 'Protocol buffers, compressed: go tool pprof', argument: { format: 'pprof' }, ending: '.pb.gz' },
  { label: 'Callgrind', detail: 'For KCachegrind and QCachegrind', argument: { format: 'callgrind' }, ending: '.callgrind' },
  { label: 'Graphviz', detail: 'The call graph in the language of dot', argument: { format: 'dot' }, ending: '.dot' },
  { label: 'JSON', detail: 'Functions, calls and lines', argument: { format: 'json' }, ending: '.json' },
  { label: 'CSV: functions', detail: 'A table of functions', argument: { format: 'csv', table: 'functions' }, ending: '.functions.csv' },
  { label: 'CSV: calls', detail: 'A table of calls between functions', argument: { format: 'csv', table: 'arcs' }, ending: '.calls.csv' },
  { label: 'CSV: lines', detail: 'A table of lines', argument: { format: 'csv', table: 'lines' }, ending: '.lines.csv' },
];

export async function exportProfile(services: Services): Promise<void> {
  const { client } = services;
  const program = client.status?.program ?? '';
  if (program === '') {
    void vscode.window.showInformationMessage('Profile: no profile is shown that could be exported.');
    return;
  }
  const format = await vscode.window.showQuickPick(formats, { title: 'Profile: Export', matchOnDetail: true });
  if (format === undefined) return;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
  const target = await vscode.window.showSaveDialog({
    title: `Profile: Export as ${format.label}`,
    defaultUri: vscode.Uri.file(join(folder, `${basename(program)}${format.ending}`)),
  });
  if (target === undefined) return;
  if (await write(services, format, target)) await tellWritten(target, format);
}

async function write({ client }: Services, { argument }: FormatItem, target: vscode.Uri): Promise<boolean> {
  const isInside = vscode.workspace.getWorkspaceFolder(target) !== undefined;
  if (isInside || argument.format === 'pprof') return client.executeOrTell('gprof.export', { ...argument, path: target.fsPath });
  const exported = await client.execute<ExportedText>('gprof.export', argument);
  if (exported === undefined) {
    void vscode.window.showErrorMessage('Profile: the profile could not be exported. The log says more.');
    return false;
  }
  try {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(exported.text));
    return true;
  } catch (error) {
    void showToast('error', `Profile: ${target.fsPath}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function tellWritten(target: vscode.Uri, { argument }: FormatItem): Promise<void> {
  await showToast('info', `The profile was written to ${basename(target.fsPath)}.`,
    argument.format === 'pprof' ? {} : { 'Open': () => vscode.window.showTextDocument(target) });
}
