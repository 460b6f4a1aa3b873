// Opening places in sources that the server names: beside pictures, or where the user is.
import * as vscode from 'vscode';
import type { Place } from './server/places';
import type { Range } from './server/protocol';

export function rangeOf(range: Range): vscode.Range {
  return new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
}

// Shows it selected and in the middle. From a picture the source goes into another column, so that both are
// seen; one in which the document is open already is preferred.
export async function openPlace(place: Place, from?: vscode.ViewColumn, keepFocus = false): Promise<void> {
  const uri = vscode.Uri.parse(place.uri, true);
  const shown = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === uri.toString());
  const beside = vscode.window.visibleTextEditors.find((editor) => editor.viewColumn !== from)?.viewColumn;
  const column = from === undefined ? undefined : (shown?.viewColumn ?? beside ?? vscode.ViewColumn.Beside);
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
    void vscode.window.showErrorMessage(`Profile: ${uri.fsPath} cannot be shown: ${reason}`);
  }
}
