// Asks for a function: most expensive first, filtered by letters. The server searches, as a program may have more
// functions than a list can hold.
import * as vscode from 'vscode';
import { acceptedItem } from '../acceptedItem';
import type { ListFigures } from '../figures/columns';
import { figuresBefore } from '../figures/columns';
import { differenceMark, differenceText } from '../figures/numbers';
import { plainLabel } from '../figures/plainLabel';
import type { ShortName } from '../figures/shortNames';
import { letters, lettersInPicker, shortNames } from '../figures/shortNames';
import type { FunctionSubject } from '../pictures/messages';
import { subjectOf } from '../pictures/messages';
import type { HotSpot, HotSpotsParams, HotSpotsResult } from '../server/protocol';
import type { Services } from '../services';
import { programFigures } from './programFigures';

interface FunctionItem extends vscode.QuickPickItem {
  readonly subject: FunctionSubject;
}

function itemOf(spot: HotSpot, { short, whole }: ShortName, figures: ListFigures): FunctionItem {
  const { totalDifference } = spot;
  const change = totalDifference === undefined ? ''
    : `${differenceMark(totalDifference)} ${differenceText(totalDifference, figures.unit)}`;
  return {
    label: figuresBefore(spot.totalSeconds, figures) + plainLabel(short),
    description: change,
    ...(whole === undefined ? {} : { detail: whole }),
    alwaysShow: true,
    subject: subjectOf(spot),
  };
}

export async function chooseFunction(services: Services, title: string): Promise<FunctionSubject | undefined> {
  const figures = await programFigures(services);
  const pick = vscode.window.createQuickPick<FunctionItem>();
  pick.title = title;
  pick.placeholder = 'Letters of the function’s name; times are with what it calls';
  let turn = 0;
  const search = async (query: string): Promise<void> => {
    const mine = ++turn;
    pick.busy = true;
    const found = await services.client.request<HotSpotsParams, HotSpotsResult>(
      'gprof/hotSpots', { metric: 'total', query, limit: 100 });
    if (mine !== turn) return;
    const spots = found?.spots ?? [];
    const names = shortNames(spots.map((spot) => spot.signature ?? spot.name), letters(lettersInPicker));
    pick.items = spots.map((spot, index) => itemOf(spot, names[index] ?? { short: spot.name }, figures));
    pick.busy = false;
  };
  return new Promise((resolve) => {
    pick.onDidChangeValue((value) => void search(value));
    pick.onDidAccept(() => {
      resolve(acceptedItem(pick)?.subject);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    void search('');
    pick.show();
  });
}
