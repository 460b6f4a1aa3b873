// The view Timeline, and what is selected: its entry in the status bar, and the commands.
import * as vscode from 'vscode';
import type { Services } from '../services';
import { SelectionItem } from './selectionItem';
import { TimelineView } from './timeline';

export function register(services: Services): void {
  const { context, client, settings } = services;
  const timeline = new TimelineView(services);
  // Parts of the manifest that older servers have no answers for are hidden.
  const announce = (): void => {
    const isOlder = client.state === 'running' && !client.supports('gprof/timeline');
    void vscode.commands.executeCommand('setContext', 'gprof.olderServer', isOlder);
  };
  // What can be done about idle waiting: nothing where no waits were measured.
  const announceIdle = (): void =>
    void vscode.commands.executeCommand('setContext', 'gprof.idle', client.state === 'running' ? client.status?.idle : undefined);
  announce();
  announceIdle();
  context.subscriptions.push(
    timeline,
    new SelectionItem(client),
    client.onDidChangeState(() => {
      announce();
      announceIdle();
    }),
    client.onDidChangeProfile(announceIdle),
    vscode.commands.registerCommand('gprof.showTimeline', () => vscode.commands.executeCommand('gprof.timeline.focus')),
    vscode.commands.registerCommand('gprof.showIdleWaiting', () => settings.chooseIdle('shown')),
    vscode.commands.registerCommand('gprof.foldIdleWaiting', () => settings.chooseIdle('folded')),
    vscode.commands.registerCommand('gprof.clearSelection', () => timeline.select(null)),
    vscode.commands.registerCommand('gprof.showTimelineOfThreads', () => timeline.showRows('threads')),
    vscode.commands.registerCommand('gprof.showTimelineOfProcesses', () => timeline.showRows('processes')),
  );
}
