// Whether the user was asked, or has said otherwise, which of several programs is meant.
import type * as vscode from 'vscode';

const key = 'gprof.askedForProgram';

export function isProgramAsked({ workspaceState }: vscode.ExtensionContext): boolean {
  return workspaceState.get<boolean>(key) === true;
}

// By choosing a program, running one, or keeping what is shown.
export async function programIsKnown({ workspaceState }: vscode.ExtensionContext): Promise<void> {
  await workspaceState.update(key, true);
}
