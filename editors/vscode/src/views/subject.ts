// The function that a command is about: the one passed by the view or menu, else the one at the cursor, else the user's
// choice.
import * as vscode from 'vscode';
import type { FunctionSubject } from '../pictures/messages';
import { subjectOf } from '../pictures/messages';
import { functionAtCursor, subjectFrom } from '../pictures/subjects';
import type { CallGraphNode } from '../server/protocol';
import type { Services } from '../services';
import { chooseFunction } from './chooseFunction';

// An element of a tree, a row of the flat profile, or the function itself; editors pass a URI, which tells no more than
// the cursor.
export function subjectOfArgument(argument: unknown): FunctionSubject | undefined {
  if (typeof argument !== 'object' || argument === null || argument instanceof vscode.Uri) return undefined;
  if ('node' in argument) return subjectOf(argument.node as CallGraphNode);
  return subjectFrom('subject' in argument ? argument : { subject: argument });
}

export async function subjectFor(services: Services, argument: unknown, title: string): Promise<FunctionSubject | undefined> {
  return subjectOfArgument(argument) ?? (await functionAtCursor(services)) ?? chooseFunction(services, title);
}
