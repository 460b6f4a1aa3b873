// Asks for a function: most expensive first, filtered by letters. The server searches, as a program may have more
// functions than a list can hold.
import * as vscode from 'vscode';
import type { ListFigures } from '../figures/columns';
import { figuresBefore } from '../figures/columns';
import { differenceMark, differenceText } from '../figures/numbers';
import { plainLabel } from '../figures/plainLabel';
import { letters, lettersInPicker, shortName } from '../figures/shortNames';
import type { FunctionSubject } from '../pictures/messages';
import { subjectOf } from '../pictures/messages';
import type { HotSpot, HotSpotsParams, HotSpotsResult } from '../server/protocol';
import type { Services } from '../services';
import { programFigures } from './programFigures';

interface FunctionItem extends vscode.QuickPickItem {
  readonly subject: FunctionSubject;
}

function itemOf(spot: HotSpot, figures: ListFigures): FunctionItem {
  const { totalDifference } = spot;
  const change = totalDifference === undefined ? ''
    : `${differenceMark(totalDifference)} ${differenceText(totalDifference, figures.unit)}`;
  const whole = spot.signature ?? spot.name;
  const name = shortName(whole, letters(lettersInPicker));
  return {
    label: figuresBefore(spot.totalSeconds, figures) + plainLabel(name),
    description: change,
    ...(name === whole ? {} : { detail: whole }),
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
    pick.items = (found?.spots ?? []).map((spot) => itemOf(spot, figures));
    pick.busy = false;
  };
  return new Promise((resolve) => {
    pick.onDidChangeValue((value) => void search(value));
    pick.onDidAccept(() => {
      resolve(pick.activeItems[0]?.subject);
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
