// Starting, restarting and tracing the server, and what is said when it is not there.
import * as vscode from 'vscode';
import type { Services } from '../services';

export function register({ context, client, settings }: Services): void {
  context.subscriptions.push(
    vscode.commands.registerCommand('gprof.restartServer', () => client.restart()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void client.start()),
    settings.onDidChange(() => void client.tellSettings()),
  );
}
