// The menu of the status bar entry: what can be done in the profile's state.
import * as vscode from 'vscode';
import { shareText } from '../figures/numbers';
import { plainLabel } from '../figures/plainLabel';
import { profileMetrics } from '../metrics/profileMetrics';
import { titleOfMetric } from '../metrics/text';
import type { StatusParams } from '../server/protocol';
import { isSelecting } from '../server/shown';
import type { Services } from '../services';

interface Offer extends vscode.QuickPickItem {
  readonly command?: string;
}

export async function showMenu(services: Services, compared: boolean): Promise<void> {
  const known = new Set(await vscode.commands.getCommands(true));
  const metrics = (await profileMetrics(services))?.metrics ?? [];
  const metric = titleOfMetric(services.settings.metric, metrics);
  const offers = offersFor(services, compared, metric).filter((offer) => offer.command === undefined || known.has(offer.command));
  const chosen = await vscode.window.showQuickPick(withoutEmptyParts(offers), {
    title: titleOf(services),
    matchOnDescription: true,
  });
  if (chosen?.command !== undefined) await vscode.commands.executeCommand(chosen.command);
}

function titleOf({ client }: Services): string {
  const status = client.status;
  return status === undefined || status.program === '' ? 'Profile' : `Profile of ${status.program}`;
}

function offersFor(services: Services, compared: boolean, metric: string): Offer[] {
  const { client } = services;
  if (client.state === 'untrusted') return [offer('$(shield) Trust This Folder…', 'workbench.trust.manage')];
  const hasProfile = (client.status?.program ?? '') !== '';
  const ran = client.state === 'running';
  return [
    ...(hasProfile ? profileOffers(services, metric) : []),
    ...(ran ? runOffers(hasProfile, compared) : []),
    part('Server'),
    offer('$(debug-restart) Restart Server', 'gprof.restartServer'),
    offer('$(output) Show Log', 'gprof.showLog'),
    offer('$(gear) Settings', 'gprof.openSettings'),
  ];
}

function profileOffers({ client, settings }: Services, metric: string): Offer[] {
  const shown = settings.annotationsShown;
  return [
    part('Show'),
    offer('$(arrow-down) Go to Next Hot Spot', 'gprof.nextHotSpot'),
    offer('$(flame) Flame Graph', 'gprof.showFlameGraph'),
    offer('$(type-hierarchy) Call Graph', 'gprof.showCallGraph'),
    offer('$(list-ordered) Flat Profile', 'gprof.showFlatProfile'),
    ...(client.supports('gprof/timeline') ? [offer('$(graph) Timeline', 'gprof.showTimeline')] : []),
    ...(isSelecting(client.status)
      ? [offer('$(clear-all) Clear Selection', 'gprof.clearSelection', plainLabel(client.status?.selectionText ?? ''))]
      : []),
    ...idleOffers(client.status?.idle),
    offer('$(file-text) Reports…', 'gprof.openReport'),
    client.status?.pinned === true
      ? offer('$(pinned) Unpin Profile', 'gprof.unpinProfile', 'show the newest profile again')
      : offer('$(pin) Pin Profile', 'gprof.pinProfile', 'newer profiles are not shown'),
    part('Lines'),
    offer('$(symbol-ruler) Switch Metric…', 'gprof.chooseMetric', metric),
    ...(client.supports('gprof/metrics') ? [offer('$(table) Choose Columns…', 'gprof.chooseColumns')] : []),
    offer('$(filter) Set Threshold…', 'gprof.chooseThreshold', shareText(settings.threshold)),
    shown
      ? offer('$(eye-closed) Hide Line Annotations', 'gprof.hideAnnotations')
      : offer('$(eye) Show Line Annotations', 'gprof.showAnnotations'),
  ];
}

function idleOffers(idle: StatusParams['idle']): Offer[] {
  if (idle === undefined) return [];
  return idle === 'folded'
    ? [offer('$(unfold) Show Idle Waiting', 'gprof.showIdleWaiting', 'it is in no figure')]
    : [offer('$(fold) Fold Idle Waiting', 'gprof.foldIdleWaiting')];
}

function runOffers(hasProfile: boolean, compared: boolean): Offer[] {
  return [
    part('Program'),
    offer('$(play) Run Program', 'gprof.runProgram'),
    offer('$(debug-disconnect) Attach to Process…', 'gprof.attachToProcess'),
    ...(hasProfile
      ? [
          offer('$(list-unordered) Runs…', 'gprof.showRuns'),
          offer('$(history) Compare with Previous Run', 'gprof.compareWithPrevious'),
          offer('$(git-compare) Compare with…', 'gprof.compareWith'),
          ...(compared ? [offer('$(close) Stop Comparing', 'gprof.stopComparing')] : []),
          offer('$(export) Export…', 'gprof.exportProfile'),
        ]
      : []),
    offer('$(list-selection) Choose Program…', 'gprof.chooseProgram'),
    offer('$(refresh) Reload Profile', 'gprof.reloadProfile'),
  ];
}

function offer(label: string, command: string, description = ''): Offer {
  return { label, command, description };
}

function part(label: string): Offer {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function withoutEmptyParts(offers: readonly Offer[]): Offer[] {
  return offers.filter((item, index) => item.command !== undefined || offers[index + 1]?.command !== undefined);
}
