// Places of the protocol in the editor, and how they are shown.
import * as vscode from 'vscode';
import type { DocumentUri, Location, PlaceArgument, Position, Range } from '../server/protocol';

export function asPosition(position: Position): vscode.Position {
  return new vscode.Position(position.line, position.character);
}

export function asRange(range: Range): vscode.Range {
  return new vscode.Range(asPosition(range.start), asPosition(range.end));
}

export function asLocation(location: Location): vscode.Location {
  return new vscode.Location(vscode.Uri.parse(location.uri), asRange(location.range));
}

export async function showPlace(uri: DocumentUri, range: Range): Promise<void> {
  const selection = new vscode.Range(asPosition(range.start), asPosition(range.start));
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection });
  editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

// One is opened, several are shown below the place to choose from.
export async function showPlaces(place: PlaceArgument, locations: readonly Location[], none: string): Promise<void> {
  await vscode.commands.executeCommand(
    'editor.action.goToLocations',
    vscode.Uri.parse(place.uri),
    asPosition(place.position),
    locations.map(asLocation),
    'peek',
    none,
  );
}

// Where the cursor is; undefined where no source has the focus.
export function cursorPlace(uriOf: (uri: vscode.Uri) => DocumentUri): PlaceArgument | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { line, character } = editor.selection.active;
  return { uri: uriOf(editor.document.uri), position: { line, character } };
}
