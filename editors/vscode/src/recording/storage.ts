// Where recordings are kept: in the extension's own storage, never in the workspace. Each run has a folder of its own;
// the newest of each program are kept. Nothing that a process may still write to is renamed or removed.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type * as vscode from 'vscode';
import type { RunSummary } from '../server/protocol';
import { patternOf, profileAmong, summaryIn } from './definition';
import { isRunning } from './processes';

export interface Recording {
  readonly program: string;
  readonly profile: string;
  readonly time: Date;
}

const kept = 10;
const argumentsName = 'arguments.json';
// Of a run that has not ended, or whose end no window has seen.
const running = 'running-';
// In milliseconds: a recorder that has counted nothing for so long is gone.
const abandoned = 24 * 60 * 60 * 1000;

export class RecordingStorage {
  private readonly root: string;
  private count = 0;

  constructor(context: vscode.ExtensionContext) {
    this.root = join((context.storageUri ?? context.globalStorageUri).fsPath, 'recordings');
  }

  // A new folder for a run; created by the recorder.
  newFolder(program: string): string {
    this.count += 1;
    return join(this.folderOf(program), `${running}${process.pid}-${Date.now().toString(36)}-${this.count}`);
  }

  async makeFolderOf(program: string): Promise<void> {
    await mkdir(this.folderOf(program), { recursive: true });
  }

  isOurs(folder: string): boolean {
    return folder.startsWith(`${this.root}/`);
  }

  // What the recorder said of the run; undefined if it was killed itself.
  async summaryOf(folder: string): Promise<RunSummary | undefined> {
    const text = await readFile(summaryIn(folder), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text) as RunSummary;
    } catch {
      return undefined;
    }
  }

  // The words that the program was run with, for lists of runs. Nothing is kept of a run that has left nothing.
  async keepArguments(folder: string, words: readonly string[]): Promise<void> {
    await writeFile(join(folder, argumentsName), JSON.stringify(words)).catch(() => undefined);
  }

  // What lists say of a run.
  async detailsOf({ profile }: Recording): Promise<{ arguments?: string[]; summary?: RunSummary; size: number }> {
    const folder = dirname(profile);
    const [words, summary, sizes] = await Promise.all([
      readFile(join(folder, argumentsName), 'utf8').then(wordsIn, () => undefined),
      this.summaryOf(folder),
      Promise.all((await filesIn(folder)).map((name) => stat(join(folder, name)).then(({ size }) => size, () => 0))),
    ]);
    return {
      ...(words === undefined ? {} : { arguments: words }),
      ...(summary === undefined ? {} : { summary }),
      size: sizes.reduce((sum, size) => sum + size, 0),
    };
  }

  // With all files of the run, unless a process still counts there.
  async remove({ profile }: Recording): Promise<void> {
    const folder = dirname(profile);
    if (this.isOurs(folder) && (await this.countingIn(folder)).length === 0) await rm(folder, { recursive: true, force: true });
  }

  // Processes that are still counting there.
  async countingIn(folder: string): Promise<number[]> {
    return (await liveProcessesIn(folder)).filter(isRunning);
  }

  // Whether killed processes have left counters from which no profile was made.
  async hasLeftovers(folder: string): Promise<boolean> {
    return (await liveProcessesIn(folder)).some((id) => !isRunning(id));
  }

  // The run has ended: its folder is named after the time from now on. Undefined if it left no profile.
  async finish(program: string, folder: string): Promise<Recording | undefined> {
    const name = profileAmong(await filesIn(folder));
    const isWritten = (await this.countingIn(folder)).length > 0;
    if (name === undefined) {
      if (!isWritten) await rm(folder, { recursive: true, force: true });
      return undefined;
    }
    const time = new Date((await modifiedAt(join(folder, name))) ?? Date.now());
    const final = isWritten ? folder : join(dirname(folder), time.toISOString().replace(/:/g, '-'));
    if (final !== folder) await rename(folder, final);
    await this.forgetOld(program);
    return { program, profile: join(final, name), time };
  }

  // Newest first.
  async recordingsOf(program: string): Promise<Recording[]> {
    const found = await Promise.all((await this.runsOf(program)).map(async (folder): Promise<Recording[]> => {
      const name = profileAmong(await filesIn(folder));
      const time = name === undefined ? undefined : await modifiedAt(join(folder, name));
      return name === undefined || time === undefined ? [] : [{ program, profile: join(folder, name), time: new Date(time) }];
    }));
    return found.flat().sort((a, b) => b.time.getTime() - a.time.getTime());
  }

  // Runs of the program whose end no window has seen: those of other windows, and of earlier ones.
  async unfinishedRunsOf(program: string): Promise<string[]> {
    return (await this.runsOf(program)).filter((run) => {
      const name = basename(run);
      return name.startsWith(running) && !name.startsWith(`${running}${process.pid}-`);
    });
  }

  // Finishes a run whose recorder is not known; one that may not have begun is left alone for a day.
  async finishUnwatched(program: string, folder: string): Promise<void> {
    const hasProfile = profileAmong(await filesIn(folder)) !== undefined;
    const age = Date.now() - ((await modifiedAt(folder)) ?? 0);
    if (hasProfile || age > abandoned) await this.finish(program, folder);
  }

  // All profiles of a program, for the server: whichever is the newest is shown.
  patternsOf(program: string): string[] {
    return ['gmon.out', 'gmon.sum', 'perf.data'].map((name) => `${patternOf(this.folderOf(program))}/*/${name}`);
  }

  private async forgetOld(program: string): Promise<void> {
    const old = (await this.recordingsOf(program)).slice(kept).map(({ profile }) => dirname(profile));
    await Promise.all(old.map(async (folder) => {
      if ((await this.countingIn(folder)).length === 0) await rm(folder, { recursive: true, force: true });
    }));
  }

  private async runsOf(program: string): Promise<string[]> {
    const folder = this.folderOf(program);
    return (await filesIn(folder)).map((name) => join(folder, name));
  }

  private folderOf(program: string): string {
    const hash = createHash('sha256').update(program).digest('hex').slice(0, 12);
    return join(this.root, `${basename(program)}-${hash}`);
  }
}

function wordsIn(text: string): string[] | undefined {
  try {
    const words = JSON.parse(text) as unknown;
    return Array.isArray(words) ? words.filter((word): word is string => typeof word === 'string') : undefined;
  } catch {
    return undefined;
  }
}

async function filesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function liveProcessesIn(folder: string): Promise<number[]> {
  return (await filesIn(folder)).flatMap((name) => {
    const id = /^gmon\.live\.(\d+)/.exec(name)?.[1];
    return id === undefined ? [] : [Number(id)];
  });
}

export async function modifiedAt(path: string): Promise<number | undefined> {
  return stat(path).then((status) => status.mtimeMs, () => undefined);
}
