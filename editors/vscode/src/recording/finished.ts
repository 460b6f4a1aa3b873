// Shows what a run has left: when it has ended, and again when the window is reopened.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import type { HotSpotsParams, HotSpotsResult, LoadArgument, RunSummary, StatusParams } from '../server/protocol';
import { openPlace } from '../places';
import { placeOfLine } from '../server/places';
import type { Services } from '../services';
import { programIsKnown } from '../status/programQuestion';
import { showToast } from '../status/toasts';
import type { Offers } from '../status/toasts';
import type { Comparing } from './comparing';
import { patternOf, recordedRun } from './definition';
import type { RecordedRun } from './definition';
import { wrappedProgram } from './libtool';
import { describeFailure, describeOutcome, detailsOf } from './outcome';
import type { HottestFunction, WhereSaid } from './outcome';
import { ended } from './processes';
import type { Recording, RecordingStorage } from './storage';
import { modifiedAt } from './storage';

const lastKey = 'gprof.lastRecording';
const mostOfScript = 64 * 1024;
const longestLoad = 60_000; // milliseconds
const interval = 1000; // milliseconds between looks at processes that a program has left behind

export interface EndedRun extends RecordedRun {
  readonly folder: string | undefined; // where it ran
}

interface TaskRun extends EndedRun {
  readonly live: boolean;
}

export class FinishedRuns implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly recorders = new Map<string, number>(); // processes, by their output
  private restored = false;
  private disposed = false;

  constructor(
    private readonly services: Services,
    private readonly storage: RecordingStorage,
    private readonly comparing: Comparing,
  ) {
    this.subscriptions = [
      vscode.tasks.onDidStartTaskProcess(({ execution, processId }) => void this.started(runOf(execution.task), processId)),
      vscode.tasks.onDidEndTaskProcess(({ execution }) => void this.ended(runOf(execution.task))),
      services.client.onDidChangeState((state) => {
        if (state === 'stopped' || state === 'waiting') this.restored = false;
      }),
      services.client.onDidChangeProfile((status) => void this.restore(status)),
    ];
  }

  dispose(): void {
    this.disposed = true;
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  // Counters of a running program are shown meanwhile, if requested.
  private async started(run: TaskRun | undefined, recorder: number): Promise<void> {
    if (run === undefined || !this.storage.isOurs(run.output)) return;
    this.recorders.set(run.output, recorder);
    if (run.live) await this.load(run.program, [patternOf(`${run.output}/gmon.out`)]);
  }

  // The task has ended; its terminal may have been closed, and the recorder be about to write the profile.
  private async ended(run: TaskRun | undefined): Promise<void> {
    if (run === undefined || !this.storage.isOurs(run.output)) return;
    const recorder = this.recorders.get(run.output);
    this.recorders.delete(run.output);
    if (recorder !== undefined) await ended(recorder);
    await this.finish(run, 'terminal');
  }

  // Shows the profile of a run of ours, or why there is none. Its recorder must have ended.
  async finish(run: EndedRun, where: WhereSaid): Promise<void> {
    const summary = await this.storage.summaryOf(run.output);
    if (summary?.profile === undefined) await this.settle(run.output);
    await this.storage.keepArguments(run.output, run.arguments);
    const recording = await this.storage.finish(run.program, run.output);
    if (recording === undefined) {
      if (!this.disposed) void showToast('error', describeFailure(run.program, summary, where));
      return;
    }
    await this.services.context.workspaceState.update(lastKey, { program: recording.program });
    if (!(await this.show(recording, run.folder)) || !(await this.isShown(recording))) return;
    const previous = (await this.storage.recordingsOf(run.program)).find(({ time }) => time < recording.time);
    this.offer(describeOutcome(run.program, summary, await this.hottest(recording)), summary, previous);
  }

  // Whether the profile is what is shown, once the server has loaded it. If not, the status says why.
  private async isShown({ program, profile }: Recording): Promise<boolean> {
    const { client } = this.services;
    const executable = await executableOf(program);
    const isKnown = (status: StatusParams | undefined): boolean => status !== undefined && status.state !== 'loading'
      && (status.unavailable === executable || status.profiles.includes(profile));
    if (!isKnown(client.status)) {
      await new Promise<void>((resolve) => {
        const subscription = client.onDidChangeProfile((status) => {
          if (isKnown(status)) done();
        });
        const timer = setTimeout(() => done(), longestLoad);
        const done = (): void => {
          clearTimeout(timer);
          subscription.dispose();
          resolve();
        };
      });
    }
    return client.status?.unavailable !== executable;
  }

  // By its own time; undefined where no function stands out from the errors, and where another profile is shown.
  private async hottest({ profile }: Recording): Promise<HottestFunction | undefined> {
    if (this.services.client.status?.profiles.includes(profile) !== true) return undefined;
    const answer = await this.services.client.request<HotSpotsParams, HotSpotsResult>('gprof/hotSpots', { metric: 'self', limit: 1 });
    const [spot] = answer?.spots ?? [];
    if (answer === undefined || spot === undefined || spot.significant === false || !(answer.programSeconds > 0)) return undefined;
    return { name: spot.name, share: spot.selfSeconds / answer.programSeconds };
  }

  // What can be looked at now.
  private offer(outcome: string, summary: RunSummary | undefined, previous: Recording | undefined): void {
    const crash = summary?.crash;
    const offers: Offers = {
      ...(crash === undefined || !existsSync(crash.path) ? {} : { 'Show Crash': () => openPlace(placeOfLine(vscode.Uri.file(crash.path).toString(), crash.line - 1)) }),
      'Flame Graph': () => vscode.commands.executeCommand('gprof.showFlameGraph'),
      'Flat Profile': () => vscode.commands.executeCommand('gprof.showFlatProfile'),
      ...(summary === undefined ? {} : { 'Details': () => vscode.window.showInformationMessage(outcome, { modal: true, detail: detailsOf(summary).join('\n') }) }),
      ...(previous === undefined ? {} : { 'Compare with Previous Run': () => this.comparing.startWith(previous.profile) }),
    };
    void showToast('info', outcome, offers);
  }

  // Saves what killed processes have counted; waits for those that the program left behind, its only profiled ones.
  private async settle(folder: string): Promise<void> {
    await this.recover(folder);
    while (!this.disposed && (await this.storage.countingIn(folder)).length > 0) await pause(interval);
    await this.recover(folder);
  }

  private async recover(folder: string): Promise<void> {
    const { command } = this.services.client;
    if (command === undefined || !(await this.storage.hasLeftovers(folder))) return;
    await promisify(execFile)(command.command, ['recover', folder], { env: { ...process.env, ...command.environment } })
      .catch((error: unknown) => this.services.log.warn(`${folder} was not recovered: ${String(error)}`));
  }

  // The newest profile is shown, recorded here or not: the program may be run in a terminal, too.
  private show({ program, profile }: Recording, ranIn: string | undefined): Promise<boolean> {
    const folders = [ranIn, vscode.workspace.getWorkspaceFolder(vscode.Uri.file(program))?.uri.fsPath, dirname(program)];
    const beside = [...new Set(folders)].flatMap((folder) => (folder === undefined ? [] : [`${patternOf(folder)}/gmon.out`]));
    return this.load(program, [patternOf(profile), ...this.storage.patternsOf(program), ...beside]);
  }

  private async load(program: string, profiles: string[]): Promise<boolean> {
    const argument: LoadArgument = { executable: await executableOf(program), profiles, newest: true };
    await programIsKnown(this.services.context);
    return this.services.client.executeOrTell('gprof.load', argument);
  }

  // The server finds profiles in the workspace; the last recording is newer, unless one was written there since.
  private async restore(status: StatusParams): Promise<void> {
    if (this.restored || status.state === 'loading') return;
    this.restored = true;
    const last = this.services.context.workspaceState.get<Pick<Recording, 'program'>>(lastKey);
    if (last === undefined) return;
    for (const folder of await this.storage.unfinishedRunsOf(last.program)) {
      await this.recover(folder);
      await this.storage.finishUnwatched(last.program, folder);
    }
    if (status.program !== '' && status.program !== last.program) return;
    const [newest] = await this.storage.recordingsOf(last.program);
    if (newest === undefined || status.profiles.includes(newest.profile)) return;
    const [executable, shown] = await Promise.all([modifiedAt(last.program), modifiedAt(status.profiles[0] ?? '')]);
    if (executable === undefined || (shown ?? 0) >= newest.time.getTime()) return;
    await this.show(newest, undefined);
  }
}

// What was run may be a script that starts it.
async function executableOf(program: string): Promise<string> {
  const file = await open(program).catch(() => undefined);
  if (file === undefined) return program;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostOfScript), 0, mostOfScript, 0);
    return wrappedProgram(program, buffer.toString('utf8', 0, bytesRead)) ?? program;
  } catch {
    return program;
  } finally {
    await file.close();
  }
}

function runOf(task: vscode.Task): TaskRun | undefined {
  const { execution } = task;
  if (!(execution instanceof vscode.ProcessExecution)) return undefined;
  const run = recordedRun(execution.args);
  return run === undefined ? undefined : { ...run, live: execution.args.includes('--live'), folder: execution.options?.cwd };
}
