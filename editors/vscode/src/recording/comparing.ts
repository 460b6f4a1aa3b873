// "Profile: Compare with…": compares everything shown with another profile, or another build.
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { plainLabel } from '../figures/plainLabel';
import type { CompareArgument, ProgramEntry, ProgramsParams, ProgramsResult, StatusParams } from '../server/protocol';
import type { Services } from '../services';
import { showToast } from '../status/toasts';
import type { Offers } from '../status/toasts';
import { patternOf } from './definition';
import type { DatedProfile } from './previous';
import { previousOf } from './previous';
import type { RecordingStorage } from './storage';
import { modifiedAt } from './storage';

interface BaseItem extends vscode.QuickPickItem {
  readonly choose?: () => Promise<CompareArgument | undefined>;
}

export class Comparing implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  // The generation before the comparison that is being loaded.
  private begunAt: number | undefined;

  constructor(
    private readonly services: Services,
    private readonly storage: RecordingStorage,
  ) {
    this.subscription = services.client.onDidChangeProfile((status) => this.loaded(status));
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
    if (base !== undefined) await this.compareWith(base);
  }

  // With the newest profile that is older than what is shown, whether the program was rebuilt in between or not.
  async startWithPrevious(): Promise<void> {
    const shown = await this.shownProgram();
    const previous = shown === undefined ? undefined : previousOf(shown.profiles, await this.profilesOf(shown));
    if (previous !== undefined) return this.startWith(previous.profile);
    const what = shown === undefined ? 'nothing is shown that could be compared' : `there is no earlier run of ${shown.name} to compare with`;
    void showToast('info', `Profile: ${what}.`);
  }

  async startWith(profile: string): Promise<void> {
    await this.compareWith({ profiles: [patternOf(profile)] });
  }

  // Says what became of the program's time once the base is loaded.
  async compareWith(base: CompareArgument): Promise<void> {
    const { client } = this.services;
    this.begunAt = client.status?.generation;
    if (!(await client.executeOrTell('gprof.compare', base))) this.begunAt = undefined;
  }

  async stop(): Promise<void> {
    this.begunAt = undefined;
    await this.services.client.executeOrTell('gprof.compare', {});
  }

  dispose(): void {
    this.subscription.dispose();
  }

  // A load that was under way when the comparison was asked for ends without one. A base that cannot be compared with is reported by
  // the server.
  private loaded({ state, generation, comparison }: StatusParams): void {
    if (state === 'loading' || comparison === undefined || this.begunAt === undefined || generation === this.begunAt) return;
    this.begunAt = undefined;
    const offers: Offers = {
      'Flat Profile': () => vscode.commands.executeCommand('gprof.showFlatProfile', 'difference'),
      'Flame Graph': () => vscode.commands.executeCommand('gprof.showFlameGraph'),
    };
    void showToast('info', `Compared with the base: ${comparison.text}`, offers);
  }

  private async shownProgram(): Promise<ProgramEntry | undefined> {
    const loaded = await this.services.client.request<ProgramsParams, ProgramsResult>('gprof/programs', {});
    return loaded?.programs.find(({ selected }) => selected);
  }

  // Recorded here, and found by the server.
  private async profilesOf({ executable, candidates, profiles }: ProgramEntry): Promise<DatedProfile[]> {
    const recorded = (await this.storage.recordingsOf(executable)).map(({ profile }) => profile);
    const all = [...new Set([...recorded, ...candidates, ...profiles])].filter((path) => !basename(path).startsWith('gmon.live.'));
    const dated = await Promise.all(all.map(async (profile) => ({ profile, time: await modifiedAt(profile) })));
    return dated.flatMap(({ profile, time }) => (time === undefined ? [] : [{ profile, time }]));
  }

  private async items(): Promise<BaseItem[] | undefined> {
    const shown = await this.shownProgram();
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
