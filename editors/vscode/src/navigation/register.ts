// Going to callers, callees and hot spots: by commands, by lenses and by links.
import * as vscode from 'vscode';
import { shortCount } from '../figures/numbers';
import type { Services } from '../services';
import type { CallGraphParams, CallGraphResult, Location, PlaceArgument } from '../server/protocol';
import { HotSpots } from './hotSpots';
import { hottestSite } from './hottestSite';
import { openPlace } from '../places';
import { cursorPlace, showPlaces } from './places';

const noCallers = 'The profile has no callers of this function.';
const noCallees = 'The profile has no calls of this function.';

export function register(services: Services): void {
  const { context, client } = services;
  const hotSpots = new HotSpots(services);
  context.subscriptions.push(
    hotSpots,
    showNeighbours(services, 'gprof.showCallers', noCallers),
    showNeighbours(services, 'gprof.showCallees', noCallees),
    atCursor(services, 'gprof.goToCallers', (place) => client.executeCommand('gprof.showCallers', place)),
    atCursor(services, 'gprof.goToCallees', (place) => client.executeCommand('gprof.showCallees', place)),
    atCursor(services, 'gprof.goToHottestCallSite', (place) => goToHottestCallSite(services, place)),
    vscode.commands.registerCommand('gprof.nextHotSpot', () => hotSpots.go(1)),
    vscode.commands.registerCommand('gprof.previousHotSpot', () => hotSpots.go(-1)),
  );
}

// The server opens a single location by itself; if there are several, all are shown.
function showNeighbours({ client }: Services, command: string, none: string): vscode.Disposable {
  return client.handleCommand(command, async (parameters, send) => {
    const locations = (await send(parameters)) as Location[] | null | undefined;
    const place = parameters[0] as PlaceArgument;
    if (locations == null || locations.length === 0) vscode.window.setStatusBarMessage(none, 5_000);
    else if (locations.length > 1) await showPlaces(place, locations, none);
    return locations;
  });
}

function atCursor(
  { client }: Services,
  command: string,
  go: (place: PlaceArgument) => Promise<unknown>,
): vscode.Disposable {
  return vscode.commands.registerCommand(command, async () => {
    const place = cursorPlace((uri) => client.uriOf(uri));
    if (place !== undefined) await go(place);
  });
}

async function goToHottestCallSite({ client }: Services, place: PlaceArgument): Promise<void> {
  const graph = await client.request<CallGraphParams, CallGraphResult>('gprof/callGraph', {
    textDocument: { uri: place.uri },
    position: place.position,
    depth: 1,
    direction: 'callers',
  });
  const site = graph === undefined ? undefined : hottestSite(graph);
  if (site === undefined) {
    vscode.window.setStatusBarMessage(noCallers, 5_000);
    return;
  }
  await openPlace(site.location);
  vscode.window.setStatusBarMessage(`Called ${shortCount(site.arc.calls)} times by ${site.caller}`, 5_000);
}
