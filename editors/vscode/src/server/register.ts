// Restarting and tracing the server, its log, and messages if it is missing.
import * as vscode from 'vscode';
import type { Services } from '../services';
import { showToast } from '../status/toasts';
import type { Severity } from '../status/toasts';
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
  await showToast('error', client.problem, {
    'Open Setting': () => openSetting('gprof.server.path'),
    'Try Again': () => client.restart(),
  });
}

async function tellFailed({ client, log }: Services): Promise<void> {
  const text = `The profile server keeps ending by itself. It was started again ${Restarts.most} times. (${client.problem})`;
  await showToast('error', text, {
    'Restart Server': () => client.restart(),
    'Show Log': () => Promise.resolve(log.show()),
  });
}

// Shows the server's messages with possible actions: above all for a profile that does not fit its program.
async function tell({ log }: Services, severity: Severity, text: string): Promise<void> {
  await showToast(severity, text, severity === 'info' ? {} : {
    'Run Program': () => vscode.commands.executeCommand('gprof.runProgram'),
    'Choose Program…': () => vscode.commands.executeCommand('gprof.chooseProgram'),
    'Show Log': () => Promise.resolve(log.show()),
  });
}

function openSetting(name: string): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.openSettings', name);
}
