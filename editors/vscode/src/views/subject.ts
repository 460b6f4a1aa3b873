// The function that a command is about: what the view or the menu that called it hands over, else the one at the
// cursor, else one that the user chooses.
import * as vscode from 'vscode';
import type { FunctionSubject } from '../pictures/messages';
import { subjectOf } from '../pictures/messages';
import { functionAtCursor, subjectFrom } from '../pictures/subjects';
import type { CallGraphNode } from '../server/protocol';
import type { Services } from '../services';
import { chooseFunction } from './chooseFunction';

// An element of a tree, a row of the flat profile, or the function itself; editors hand over an address, which
// says no more than the cursor.
export function subjectOfArgument(argument: unknown): FunctionSubject | undefined {
  if (typeof argument !== 'object' || argument === null || argument instanceof vscode.Uri) return undefined;
  if ('node' in argument) return subjectOf(argument.node as CallGraphNode);
  return subjectFrom('subject' in argument ? argument : { subject: argument });
}

export async function subjectFor(services: Services, argument: unknown, title: string): Promise<FunctionSubject | undefined> {
  return subjectOfArgument(argument) ?? (await functionAtCursor(services)) ?? chooseFunction(services, title);
}
