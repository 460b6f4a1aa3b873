// Places to go to from the cursor, and lists of them to choose from.
import * as vscode from 'vscode';
import { rangeOf } from '../places';
import type { DocumentUri, Location, PlaceArgument, Position } from '../server/protocol';

function asPosition(position: Position): vscode.Position {
  return new vscode.Position(position.line, position.character);
}

function asLocation(location: Location): vscode.Location {
  return new vscode.Location(vscode.Uri.parse(location.uri), rangeOf(location.range));
}

// Opens a single one; several are shown below the place to choose from.
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

// Where the cursor is; undefined if no source has the focus.
export function cursorPlace(uriOf: (uri: vscode.Uri) => DocumentUri): PlaceArgument | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { line, character } = editor.selection.active;
  return { uri: uriOf(editor.document.uri), position: { line, character } };
}
