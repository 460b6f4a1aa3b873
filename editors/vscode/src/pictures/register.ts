// Flame graph and call graph: pictures in editor tabs, and the commands that open them.
import * as vscode from 'vscode';
import type { Services } from '../services';
import { subjectFor } from '../views/subject';
import { CallGraphPicture } from './callGraph';
import { FlameGraphPicture } from './flameGraph';
import type { FromPicture } from './messages';

export function register(services: Services): void {
  const flames = new FlameGraphPicture(services, forward);
  const graph = new CallGraphPicture(services, forward);
  services.context.subscriptions.push(
    flames,
    graph,
    vscode.commands.registerCommand('gprof.showFlameGraph', () => flames.showFor()),
    vscode.commands.registerCommand('gprof.showFlameGraphOfFunction', async (argument: unknown) => {
      const subject = await subjectFor(services, argument, 'Profile: Show Flame Graph of');
      if (subject !== undefined) flames.showFor(subject);
    }),
    vscode.commands.registerCommand('gprof.showCallGraph', async (argument: unknown) => {
      const subject = await subjectFor(services, argument, 'Profile: Show Call Graph around');
      if (subject !== undefined) graph.showFor(subject);
    }),
  );
}

// From one picture to another, or to a view.
function forward(message: FromPicture): void {
  if (message.type === 'flames') {
    const command = message.subject === undefined ? 'gprof.showFlameGraph' : 'gprof.showFlameGraphOfFunction';
    void vscode.commands.executeCommand(command, message.subject);
  } else if (message.type === 'graph') void vscode.commands.executeCommand('gprof.showCallGraph', message.subject);
  else if (message.type === 'tree') {
    const command = message.direction === 'callers' ? 'gprof.showCallersTree' : 'gprof.showCalleesTree';
    void vscode.commands.executeCommand(command, message.subject);
  }
}
