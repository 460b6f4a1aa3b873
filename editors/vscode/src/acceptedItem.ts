import type * as vscode from 'vscode';

// What was chosen when a list says onDidAccept. A click chooses the item under it, whatever item was active when it fell:
// a list that has just got more items may have made another one active.
export function acceptedItem<Item extends vscode.QuickPickItem>(pick: vscode.QuickPick<Item>): Item | undefined {
  return pick.selectedItems[0] ?? pick.activeItems[0];
}
