// The view container Profile: Flat Profile, Call Tree and Cycles, and their commands. The time line is a part of its own.
import * as vscode from 'vscode';
import { Bursts } from '../bursts';
import { subjectOf } from '../pictures/messages';
import { openPlace } from '../places';
import { hasPlace } from '../server/places';
import type { StatusParams } from '../server/protocol';
import type { Services } from '../services';
import { CallTreeView, placeOf } from './callTree';
import type { CallTreeNode, TreeDirection } from './callTreeModel';
import { chooseFunction } from './chooseFunction';
import { CyclesView } from './cycles';
import { FlatProfileView } from './flatProfile';
import { subjectFor } from './subject';

export function register(services: Services): void {
  const { context, client, settings } = services;
  const tree = new CallTreeView(services);
  const flat = new FlatProfileView(services);
  const views = [flat, tree, new CyclesView(services)];
  const refresh = new Bursts(() => {
    for (const view of views) view.refresh();
  });
  let columns = settings.columns.join();
  const showTree = async (argument: unknown, direction: TreeDirection): Promise<void> => {
    const subject = await subjectFor(services, argument, `Profile: Show ${direction === 'callers' ? 'Callers' : 'Callees'} of`);
    if (subject !== undefined) await tree.show(subject, direction);
  };
  context.subscriptions.push(
    ...views,
    refresh,
    client.onDidChangeProfile((status) => {
      announce(status);
      if (status.state !== 'loading') refresh.soon();
    }),
    client.onDidChangeState(() => {
      announce(client.status);
      refresh.soon();
    }),
    settings.onDidChange(() => {
      if (settings.columns.join() !== columns) refresh.soon();
      columns = settings.columns.join();
    }),
    vscode.commands.registerCommand('gprof.showCallersTree', (argument: unknown) => showTree(argument, 'callers')),
    vscode.commands.registerCommand('gprof.showCalleesTree', (argument: unknown) => showTree(argument, 'callees')),
    vscode.commands.registerCommand('gprof.turnToCallers', () => tree.turn()),
    vscode.commands.registerCommand('gprof.turnToCallees', () => tree.turn()),
    vscode.commands.registerCommand('gprof.chooseCallTree', async () => {
      const subject = await chooseFunction(services, 'Profile: Show Call Tree of');
      if (subject !== undefined) await tree.show(subject, tree.currentDirection);
    }),
    vscode.commands.registerCommand('gprof.showFlatProfile', (argument: unknown) => flat.show(argument === 'difference')),
    vscode.commands.registerCommand('gprof.openTreePlace', (element: CallTreeNode) => {
      const place = placeOf(element);
      if (place !== undefined) return openPlace(place, undefined, true);
      return vscode.commands.executeCommand('gprof.goToCallers', { subject: subjectOf(element.node) });
    }),
    vscode.commands.registerCommand('gprof.openDefinition', (argument: unknown) => openDefinition(services, argument)),
  );
  announce(client.status);
}

async function openDefinition(services: Services, argument: unknown): Promise<void> {
  const subject = await subjectFor(services, argument, 'Profile: Go to Definition of');
  if (subject?.uri === undefined || subject.line === undefined) return;
  const start = { line: subject.line, character: subject.character ?? 0 };
  const place = { uri: subject.uri, range: { start, end: start } };
  if (hasPlace(place)) await openPlace(place);
}

// Sets the context keys for menus and welcome texts.
function announce(status: StatusParams | undefined): void {
  const hasProfile = status !== undefined && status.program !== '';
  void vscode.commands.executeCommand('setContext', 'gprof.hasProfile', hasProfile);
}
