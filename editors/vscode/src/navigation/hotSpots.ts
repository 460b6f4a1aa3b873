// From one hot spot of the program to the next, in the order of the metric.
import * as vscode from 'vscode';
import { sampledTime, scaleOf, shareText, shortCount, timeText } from '../figures/numbers';
import { letters, lettersInPicker, shortName } from '../figures/shortNames';
import type { Services } from '../services';
import { openPlace } from '../places';
import type { HotSpot, HotSpotsParams, HotSpotsResult } from '../server/protocol';
import { showBriefly } from '../status/toasts';
import { isSure, nextIndex, placeOfSpot, reachable } from './hotSpotOrder';
import { cursorPlace } from './places';

const most = 200;

export class HotSpots implements vscode.Disposable {
  private last: number | undefined;
  private readonly subscription: vscode.Disposable;

  constructor(private readonly services: Services) {
    // A different metric means a different order.
    this.subscription = services.settings.onDidChange(() => (this.last = undefined));
  }

  async go(step: 1 | -1): Promise<void> {
    const { client, settings } = this.services;
    const answer = await client.request<HotSpotsParams, HotSpotsResult>('gprof/hotSpots', {
      ...settings.metricOfRequests,
      limit: most,
    });
    const spots = reachable((answer?.spots ?? []).map(asEditorWrites), settings.metric);
    const place = cursorPlace((uri) => uri.toString());
    const cursor = place === undefined ? undefined : { uri: place.uri, line: place.position.line };
    const index = nextIndex(spots, cursor, this.last, step);
    const spot = index === undefined ? undefined : spots[index];
    const target = spot === undefined ? undefined : placeOfSpot(spot);
    if (index === undefined || spot === undefined || target === undefined) {
      showBriefly('The profile has no hot spots in sources of this workspace.');
      return;
    }
    this.last = index;
    await openPlace(target);
    const doubt = isSure(spot) ? '' : ', within the error';
    showBriefly(`Hot spot ${index + 1} of ${spots.length}${doubt}: ${textOf(spot, answer)}`, 8);
  }

  dispose(): void {
    this.subscription.dispose();
  }
}

// The same file may be written in several ways as a URI.
function asEditorWrites(spot: HotSpot): HotSpot {
  const { uri, callSite } = spot;
  return {
    ...spot,
    ...(uri === undefined ? {} : { uri: vscode.Uri.parse(uri).toString() }),
    ...(callSite === undefined ? {} : { callSite: { ...callSite, uri: vscode.Uri.parse(callSite.uri).toString() } }),
  };
}

// "…::ParseNextKey: 0.42 s self (12 %), 0.50 s total, 26.3k calls".
function textOf(spot: HotSpot, answer: HotSpotsResult | undefined): string {
  const unit = answer?.unit ?? 'seconds';
  const program = answer?.programSeconds ?? 0;
  const self = sampledTime(spot.selfSeconds, undefined, scaleOf(answer), unit);
  const times = program > 0
    ? [`${self} self (${shareText(spot.selfSeconds / program)})`, `${timeText(spot.totalSeconds, unit)} total`]
    : [];
  const calls = spot.calls === undefined ? [] : [`${shortCount(spot.calls)} calls`];
  return `${shortName(spot.name, letters(lettersInPicker))}: ${[...times, ...calls].join(', ')}`;
}
