// The place that a command starts from.
import * as vscode from 'vscode';
import type { DocumentUri, PlaceArgument } from '../server/protocol';

// Where the cursor is; undefined if no source has the focus.
export function cursorPlace(uriOf: (uri: vscode.Uri) => DocumentUri): PlaceArgument | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { line, character } = editor.selection.active;
  return { uri: uriOf(editor.document.uri), position: { line, character } };
}
