// Going to callers, callees and hot spots: by commands, by lenses and by links.
import * as vscode from 'vscode';
import { shortCount } from '../figures/numbers';
import { letters, lettersInPicker, shortName } from '../figures/shortNames';
import type { Services } from '../services';
import type { CallGraphParams, CallGraphResult, CallSitesParams, CallSitesResult, PlaceArgument } from '../server/protocol';
import { showBriefly } from '../status/toasts';
import type { CallDirection } from './callList';
import { callListOf, hasNamed } from './callList';
import { chooseCall, sayAt } from './callPicker';
import { HotSpots } from './hotSpots';
import { hottestSite } from './hottestSite';
import { openPlace } from '../places';
import type { FunctionSubject } from '../pictures/messages';
import { functionParams } from '../pictures/messages';
import { subjectFrom } from '../pictures/subjects';
import { cursorPlace } from './places';

const noFunction = 'No profiled function at the cursor.';
const noCallers = 'The profile has no callers of this function.';
const noStacks = 'Only stacks, which this recording lacks, show who called it.';
const noCallees = 'The profile has no calls by this function.';

export function register(services: Services): void {
  const { context } = services;
  const hotSpots = new HotSpots(services);
  context.subscriptions.push(
    hotSpots,
    onClick(services, 'gprof.showCallers', 'callers'),
    onClick(services, 'gprof.showCallees', 'callees'),
    services.client.handleCommand('gprof.showFunctions', ([place]) => showFunctions(place as PlaceArgument)),
    vscode.commands.registerCommand('gprof.goToCallers', (argument: unknown) => goToCallers(services, argument)),
    atCursor(services, 'gprof.goToCallees', (place) => showCalls(services, place, 'callees')),
    atCursor(services, 'gprof.goToHottestCallSite', (place) => goToHottestCallSite(services, place)),
    vscode.commands.registerCommand('gprof.nextHotSpot', () => hotSpots.go(1)),
    vscode.commands.registerCommand('gprof.previousHotSpot', () => hotSpots.go(-1)),
  );
}

// Of lenses and links. The server would answer with places alone.
function onClick(services: Services, command: string, direction: CallDirection): vscode.Disposable {
  return services.client.handleCommand(command, ([place]) => showCalls(services, place as PlaceArgument, direction));
}

// Of a line that defines more functions than it has lenses: its hover lists them.
async function showFunctions({ uri, position }: PlaceArgument): Promise<void> {
  await openPlace({ uri, range: { start: position, end: position } });
  await vscode.commands.executeCommand('editor.action.showHover');
}

async function showCalls({ client }: Services, place: PlaceArgument, direction: CallDirection): Promise<void> {
  const { uri, ...at } = place;
  const calls = await client.request<CallSitesParams, CallSitesResult>('gprof/callSites', { textDocument: { uri }, ...at, direction });
  if (calls === undefined) {
    showBriefly('The profile server did not answer. See its log.');
  } else if (calls.name === undefined) {
    await sayAt(place, noFunction);
  } else if (!hasNamed(calls.sites)) {
    await sayAt(place, direction === 'callers' ? noCallers : noCallees);
  } else {
    await chooseCall(callListOf(calls, direction), direction);
  }
}

// Of the function that a view passes, which may have no place, else of the one at the cursor.
async function goToCallers(services: Services, argument: unknown): Promise<void> {
  const subject = subjectFrom(argument);
  const place = subject === undefined ? cursorPlace((uri) => services.client.uriOf(uri)) : undefined;
  if (place !== undefined) await showCalls(services, place, 'callers');
  if (subject !== undefined) await showCallersOf(services, subject);
}

async function showCallersOf({ client }: Services, subject: FunctionSubject): Promise<void> {
  const calls = await client.request<CallSitesParams, CallSitesResult>(
    'gprof/callSites', { ...functionParams(subject), direction: 'callers' });
  if (calls !== undefined && hasNamed(calls.sites)) {
    await chooseCall(callListOf(calls, 'callers'), 'callers');
    return;
  }
  const reason = calls?.basis === 'estimated' && subject.isLibrary === true ? noStacks : noCallers;
  showBriefly(calls === undefined ? 'The profile server did not answer. See its log.' : `${subject.name}: ${reason}`);
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
    await sayAt(place, graph?.root === null ? noFunction : noCallers);
    return;
  }
  await openPlace(site.location);
  const caller = shortName(site.caller, letters(lettersInPicker));
  showBriefly(site.arc.calls > 0 ? `${shortCount(site.arc.calls)} calls from ${caller}` : `Most of its time is under calls from ${caller}`);
}
