// "Profile: Compare with…": compares everything shown with another profile, or another build.
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { plainLabel } from '../figures/plainLabel';
import type { CompareArgument, ProgramsParams, ProgramsResult } from '../server/protocol';
import type { Services } from '../services';
import { patternOf } from './definition';
import type { RecordingStorage } from './storage';

interface BaseItem extends vscode.QuickPickItem {
  readonly choose?: () => Promise<CompareArgument | undefined>;
}

export class Comparing implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly services: Services,
    private readonly storage: RecordingStorage,
  ) {
    // A comparison lasts as long as the server.
    this.subscription = services.client.onDidChangeState((state) => {
      if (state !== 'running') void announce(false);
    });
  }

  async start(): Promise<void> {
    const items = await this.items();
    if (items === undefined) {
      void vscode.window.showInformationMessage('Profile: nothing is shown that could be compared.');
      return;
    }
    const chosen = await vscode.window.showQuickPick(items, {
      title: 'Profile: Compare with', placeHolder: 'The profile or build that is the base', matchOnDescription: true,
    });
    const base = await chosen?.choose?.();
    if (base === undefined) return;
    if (await this.services.client.executeOrTell('gprof.compare', base)) await announce(true);
  }

  async stop(): Promise<void> {
    if (await this.services.client.executeOrTell('gprof.compare', {})) await announce(false);
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async items(): Promise<BaseItem[] | undefined> {
    const loaded = await this.services.client.request<ProgramsParams, ProgramsResult>('gprof/programs', {});
    const shown = loaded?.programs.find(({ selected }) => selected);
    if (shown === undefined) return undefined;
    const recordings = (await this.storage.recordingsOf(shown.executable)).filter(({ profile }) => !shown.profiles.includes(profile));
    const known = new Set([...shown.profiles, ...recordings.map(({ profile }) => profile)]);
    const others = shown.candidates.filter((path) => !known.has(path));
    const baseOf = (profile: string) => (): Promise<CompareArgument> => Promise.resolve({ profiles: [patternOf(profile)] });
    return [
      ...separated('Recorded here', recordings.map(({ profile, time }) =>
        ({ label: `$(history) ${time.toLocaleString()}`, description: basename(shown.executable), choose: baseOf(profile) }))),
      ...separated('Found', others.map((path) =>
        ({ label: `$(file) ${plainLabel(basename(path))}`, description: vscode.workspace.asRelativePath(dirname(path)), choose: baseOf(path) }))),
      { label: 'Other', kind: vscode.QuickPickItemKind.Separator },
      {
        label: '$(folder-opened) Profile Files…', detail: 'Choose several runs to measure run-to-run noise',
        choose: () => chooseProfiles(shown.profiles[0] ?? shown.executable),
      },
      {
        label: '$(package) Another Build…', detail: 'An executable of the program as it was before, with its profiles',
        choose: () => chooseBuild(shown.executable),
      },
    ];
  }
}

function separated(label: string, items: BaseItem[]): BaseItem[] {
  return items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
}

async function chooseProfiles(near: string): Promise<CompareArgument | undefined> {
  const files = await vscode.window.showOpenDialog({
    title: 'Profile: Compare with Profiles', canSelectMany: true, openLabel: 'Compare', defaultUri: vscode.Uri.file(dirname(near)),
  });
  return files === undefined || files.length === 0 ? undefined : { profiles: files.map(({ fsPath }) => patternOf(fsPath)) };
}

async function chooseBuild(near: string): Promise<CompareArgument | undefined> {
  const [executable] = (await vscode.window.showOpenDialog({
    title: 'Profile: Compare with Another Build: Its Executable', openLabel: 'Choose', defaultUri: vscode.Uri.file(dirname(near)),
  })) ?? [];
  if (executable === undefined) return undefined;
  const found = 'The profiles that are found beside it';
  const own = 'Profile files…';
  const chosen = await vscode.window.showQuickPick([found, own], { title: `Profile: Profiles of ${basename(executable.fsPath)}` });
  if (chosen === undefined) return undefined;
  if (chosen === found) return { executable: executable.fsPath };
  const profiles = await chooseProfiles(executable.fsPath);
  return profiles === undefined ? undefined : { ...profiles, executable: executable.fsPath };
}

// Sets the context keys that menus depend on.
async function announce(comparing: boolean): Promise<void> {
  await vscode.commands.executeCommand('setContext', 'gprof.comparing', comparing);
}
