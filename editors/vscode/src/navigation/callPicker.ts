// Callers and callees with their figures, to choose from. Peeks show source lines only, so this is a pick: the arrow keys
// show each call's place, Enter goes there, Escape comes back to where the user was.
import * as vscode from 'vscode';
import { acceptedItem } from '../acceptedItem';
import { plainLabel } from '../figures/plainLabel';
import { openPlace } from '../places';
import type { PlaceArgument } from '../server/protocol';
import { showBriefly } from '../status/toasts';
import type { CallDirection, CallEntry, CallList } from './callList';
import { onlyCallText } from './callList';
import { PlacePreview } from './placePreview';

interface CallItem extends vscode.QuickPickItem {
  readonly entry: CallEntry;
}

// A single call is opened at once.
export async function chooseCall({ title, note, entries }: CallList, direction: CallDirection): Promise<void> {
  const [only] = entries;
  if (entries.length === 1 && only?.place !== undefined) {
    await openPlace(only.place);
    showBriefly(onlyCallText(only, direction), 8);
    return;
  }
  const pick = vscode.window.createQuickPick<CallItem>();
  pick.title = title;
  pick.placeholder = note;
  pick.matchOnDescription = true;
  pick.items = entries.map((entry) => ({
    label: entry.figures + plainLabel(entry.name),
    description: entry.where,
    ...(entry.detail === undefined ? {} : { detail: entry.detail }),
    entry,
  }));
  const preview = new PlacePreview();
  // The first entry is active before the user has moved.
  let moved = false;
  pick.onDidChangeActive(([item]) => {
    if (moved && item?.entry.place !== undefined) preview.show(item.entry.place);
    moved = true;
  });
  const chosen = await new Promise<CallEntry | undefined>((resolve) => {
    pick.onDidAccept(() => {
      resolve(acceptedItem(pick)?.entry);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
  if (chosen?.place === undefined) {
    await preview.goBack();
    if (chosen !== undefined) showBriefly(`The source of ${chosen.wholeName} is not known.`);
    return;
  }
  await preview.end();
  await openPlace(chosen.place);
}

// As the editor says that a definition was not found: at the place itself.
export async function sayAt(place: PlaceArgument, text: string): Promise<void> {
  const { line, character } = place.position;
  await vscode.commands.executeCommand(
    'editor.action.goToLocations', vscode.Uri.parse(place.uri), new vscode.Position(line, character), [], 'goto', text);
}
