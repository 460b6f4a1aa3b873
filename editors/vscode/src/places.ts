// Opens source places named by the server: next to pictures, or where the user is.
import * as vscode from 'vscode';
import type { Place } from './server/places';
import type { Range } from './server/protocol';
import { showToast } from './status/toasts';

export function rangeOf(range: Range): vscode.Range {
  return new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
}

// A column other than the picture's: one that shows the document, has it, or shows any other; else a new one.
function columnFor(uri: vscode.Uri, from: vscode.ViewColumn): vscode.ViewColumn {
  const others = vscode.window.tabGroups.all.filter((group) => group.viewColumn !== from);
  const holds = (tab: vscode.Tab): boolean =>
    tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString();
  const best = others.find((group) => group.activeTab !== undefined && holds(group.activeTab))
    ?? others.find((group) => group.tabs.some(holds))
    ?? others[0];
  return best?.viewColumn ?? vscode.ViewColumn.Beside;
}

// Shows it selected and centred. From a picture the source opens in another column, so that both are visible.
export async function openPlace(place: Place, from?: vscode.ViewColumn, keepFocus = false): Promise<void> {
  const uri = vscode.Uri.parse(place.uri, true);
  const column = from === undefined ? undefined : columnFor(uri, from);
  const selection = rangeOf(place.range);
  try {
    const editor = await vscode.window.showTextDocument(uri, {
      ...(column === undefined ? {} : { viewColumn: column }),
      preserveFocus: keepFocus,
      selection: new vscode.Range(selection.start, selection.start),
    });
    editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    void showToast('error', `Profile: ${uri.fsPath} cannot be shown: ${reason}`);
  }
}
