// Asks for a function: most expensive first, filtered by letters. The server searches, as a program may have more
// functions than a list can hold.
import * as vscode from 'vscode';
import { differenceMark, differenceText, sampledTime, shareText } from '../figures/numbers';
import { plainLabel } from '../figures/plainLabel';
import type { FunctionSubject } from '../pictures/messages';
import { subjectOf } from '../pictures/messages';
import type { HotSpot, HotSpotsParams, HotSpotsResult } from '../server/protocol';
import type { Services } from '../services';
import type { ProgramFigures } from './programFigures';
import { programFigures } from './programFigures';

interface FunctionItem extends vscode.QuickPickItem {
  readonly subject: FunctionSubject;
}

function itemOf(spot: HotSpot, { seconds, unit, scale }: ProgramFigures): FunctionItem {
  const share = seconds > 0 ? `${shareText(Math.min(1, spot.totalSeconds / seconds))} · ` : '';
  const subject = subjectOf(spot);
  const { totalDifference } = spot;
  const change = totalDifference === undefined ? '' : ` · ${differenceMark(totalDifference)} ${differenceText(totalDifference, unit)}`;
  return {
    label: plainLabel(spot.signature ?? spot.name),
    description: `${share}${sampledTime(spot.totalSeconds, spot.totalError, scale, unit)} in all${change}`,
    alwaysShow: true,
    subject,
  };
}

export async function chooseFunction(services: Services, title: string): Promise<FunctionSubject | undefined> {
  const figures = await programFigures(services);
  const pick = vscode.window.createQuickPick<FunctionItem>();
  pick.title = title;
  pick.placeholder = 'Letters of the function’s name';
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
