// Restarting and tracing the server, its log, and messages if it is missing.
import * as vscode from 'vscode';
import type { Services } from '../services';
import { Restarts } from './restarts';

const traceLevels = [
  { label: 'Off', level: 'off', detail: 'nothing is written' },
  { label: 'Messages', level: 'messages', detail: 'the names of requests and how long they took' },
  { label: 'Verbose', level: 'verbose', detail: 'requests and answers in full' },
] as const;

export function register(services: Services): void {
  const { context, client, settings, log } = services;
  context.subscriptions.push(
    vscode.commands.registerCommand('gprof.restartServer', () => client.restart()),
    vscode.commands.registerCommand('gprof.showLog', () => log.show()),
    vscode.commands.registerCommand('gprof.traceServer', () => chooseTrace(services)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void client.start()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('gprof.server')) void client.restart();
    }),
    settings.onDidChange(() => void client.tellSettings()),
    client.onDidChangeState((state) => {
      if (state === 'missing') void tellMissing(services);
      if (state === 'failed') void tellFailed(services);
    }),
    client.onMessage(({ severity, text }) => void tell(services, severity, text)),
  );
}

async function chooseTrace({ client }: Services): Promise<void> {
  const chosen = await vscode.window.showQuickPick(traceLevels, { title: 'Profile: Trace Server Messages' });
  if (chosen !== undefined) await client.trace(chosen.level);
}

async function tellMissing({ client }: Services): Promise<void> {
  const settings = 'Open Setting';
  const again = 'Try Again';
  const chosen = await vscode.window.showErrorMessage(client.problem, settings, again);
  if (chosen === again) await client.restart();
  if (chosen === settings) await openSetting('gprof.server.path');
}

async function tellFailed({ client, log }: Services): Promise<void> {
  const restart = 'Restart Server';
  const showLog = 'Show Log';
  const chosen = await vscode.window.showErrorMessage(
    `The profile server keeps ending by itself (${client.problem}). It was started again ${Restarts.most} times.`,
    restart,
    showLog,
  );
  if (chosen === restart) await client.restart();
  if (chosen === showLog) log.show();
}

// Shows the server's messages with possible actions: above all for a profile that does not fit its program.
async function tell(services: Services, severity: 'error' | 'warning' | 'info', text: string): Promise<void> {
  if (severity === 'info') return void vscode.window.showInformationMessage(text);
  const actions = [
    { title: 'Run Program', run: () => vscode.commands.executeCommand('gprof.runProgram') },
    { title: 'Choose Program…', run: () => vscode.commands.executeCommand('gprof.chooseProgram') },
    { title: 'Show Log', run: () => Promise.resolve(services.log.show()) },
  ];
  const show = severity === 'error' ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
  const chosen = await show(text, ...actions);
  await chosen?.run();
}

function openSetting(name: string): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openSettings', name);
}
