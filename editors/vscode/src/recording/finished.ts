// Shows what a run has left: when its task ends, and again when the window is reopened.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { LoadArgument, StatusParams } from '../server/protocol';
import type { Services } from '../services';
import { patternOf, recordedRun } from './definition';
import type { RecordedRun } from './definition';
import type { Recording, RecordingStorage } from './storage';
import { modifiedAt } from './storage';

const lastKey = 'gprof.lastRecording';

// Those of gprof-lsp record itself; others are the program's.
const failures: Readonly<Record<number, string>> = {
  2: 'its command line is wrong',
  125: 'it could not be started under the collector',
  126: 'it cannot be run',
  127: 'it was not found',
};

export class FinishedRuns implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private restored = false;

  constructor(
    private readonly services: Services,
    private readonly storage: RecordingStorage,
  ) {
    this.subscriptions = [
      vscode.tasks.onDidStartTaskProcess(({ execution }) => void this.started(runOf(execution.task))),
      vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => void this.ended(runOf(execution.task), exitCode)),
      services.client.onDidChangeState((state) => {
        if (state === 'stopped' || state === 'waiting') this.restored = false;
      }),
      services.client.onDidChangeProfile((status) => void this.restore(status)),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  // Counters of a running program are shown meanwhile, if requested.
  private async started(run: (RecordedRun & { live: boolean }) | undefined): Promise<void> {
    if (run === undefined || !run.live || !this.storage.isOurs(run.output)) return;
    await this.load(run.program, `${run.output}/gmon.out`);
  }

  private async ended(run: RecordedRun | undefined, status: number | undefined): Promise<void> {
    if (run === undefined || !this.storage.isOurs(run.output)) return;
    const name = basename(run.program);
    const recording = await this.storage.finish(run.program, run.output);
    if (recording === undefined) {
      const reason = failures[status ?? 0] ?? 'it left no profile. Was it compiled and linked with -pg?';
      void vscode.window.showErrorMessage(`Profile: ${name}: ${reason} The terminal says more.`);
      return;
    }
    await this.services.context.workspaceState.update(lastKey, { program: recording.program, profile: recording.profile });
    const load = this.load(recording.program, recording.profile);
    if (await load) offerPictures(name, status, this.services.client.status?.waiting);
  }

  private load(executable: string, profile: string): Promise<boolean> {
    const argument: LoadArgument = { executable, profiles: [patternOf(profile)] };
    return this.services.client.executeOrTell('gprof.load', argument);
  }

  // The server finds profiles in the workspace; the last recording is newer, unless one was written there since.
  private async restore(status: StatusParams): Promise<void> {
    if (this.restored || status.state === 'loading') return;
    this.restored = true;
    const last = this.services.context.workspaceState.get<Pick<Recording, 'program' | 'profile'>>(lastKey);
    if (last === undefined || status.profiles.includes(last.profile)) return;
    if (status.program !== '' && status.program !== last.program) return;
    const [recorded, executable, shown] = await Promise.all([
      modifiedAt(last.profile), modifiedAt(last.program), modifiedAt(status.profiles[0] ?? ''),
    ]);
    if (recorded === undefined || executable === undefined || (shown ?? 0) >= recorded) return;
    await this.load(last.program, last.profile);
  }
}

function runOf(task: vscode.Task): (RecordedRun & { live: boolean }) | undefined {
  const { execution } = task;
  if (!(execution instanceof vscode.ProcessExecution)) return undefined;
  const run = recordedRun(execution.args);
  return run === undefined ? undefined : { ...run, live: execution.args.includes('--live') };
}

function offerPictures(name: string, status: number | undefined, waiting: string | undefined): void {
  const ending = status === undefined || status === 0 ? '' : ` It ended with status ${status}.`;
  void vscode.window
    .showInformationMessage([`The profile of ${name} is shown.${ending}`, waiting].filter(Boolean).join(' '), 'Flame Graph', 'Flat Profile')
    .then((chosen) => {
      if (chosen === 'Flame Graph') return vscode.commands.executeCommand('gprof.showFlameGraph');
      if (chosen === 'Flat Profile') return vscode.commands.executeCommand('gprof.showFlatProfile');
      return undefined;
    });
}
