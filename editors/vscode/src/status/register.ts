// The status bar, its menu, and which of several programs is shown.
import * as vscode from 'vscode';
import type { Services } from '../services';
import { showMenu } from './menu';
import { ProgramChoice } from './programs';
import { StatusBar } from './statusBar';

export function register(services: Services): void {
  const { context, client, settings } = services;
  const statusBar = new StatusBar(services);
  const choice = new ProgramChoice(services);
  const tellAnnotations = (): void =>
    void vscode.commands.executeCommand('setContext', 'gprof.annotationsShown', settings.annotationsShown);
  tellAnnotations();
  context.subscriptions.push(
    statusBar,
    vscode.commands.registerCommand('gprof.showMenu', () => showMenu(services, statusBar.compared)),
    vscode.commands.registerCommand('gprof.chooseProgram', () => choice.choose()),
    vscode.commands.registerCommand('gprof.pinProfile', () => choice.pin(true)),
    vscode.commands.registerCommand('gprof.unpinProfile', () => choice.pin(false)),
    vscode.commands.registerCommand('gprof.reloadProfile', () => client.executeOrTell('gprof.reload')),
    vscode.commands.registerCommand('gprof.openSettings', () =>
      vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${context.extension.id}`),
    ),
    client.onDidChangeProfile((status) => {
      if (status.state !== 'loading' && status.program !== '') void choice.askOnce();
    }),
    settings.onDidChange(tellAnnotations),
  );
}
