// Where recordings are kept: in the extension's own storage, never in the workspace. Each run has a folder of its own;
// the newest of each program are kept.
import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type * as vscode from 'vscode';
import { profileAmong } from './definition';

export interface Recording {
  readonly program: string;
  readonly profile: string;
  readonly time: Date;
}

const kept = 10;
const running = 'running-';

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

  // The run has ended: renames its folder to the time. Undefined if it left no profile.
  async finish(program: string, folder: string): Promise<Recording | undefined> {
    const time = new Date();
    const name = await filesIn(folder).then(profileAmong);
    if (name === undefined) {
      await rm(folder, { recursive: true, force: true });
      return undefined;
    }
    const final = join(this.folderOf(program), time.toISOString().replace(/:/g, '-'));
    await rename(folder, final);
    await this.forgetOld(program);
    return { program, profile: join(final, name), time };
  }

  // Newest first.
  async recordingsOf(program: string): Promise<Recording[]> {
    const folder = this.folderOf(program);
    const runs = (await filesIn(folder)).filter((name) => !name.startsWith(running)).sort().reverse();
    const found = await Promise.all(runs.map(async (run): Promise<Recording[]> => {
      const name = profileAmong(await filesIn(join(folder, run)));
      const time = new Date(run.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:'));
      return name === undefined || Number.isNaN(time.getTime()) ? [] : [{ program, profile: join(folder, run, name), time }];
    }));
    return found.flat();
  }

  private async forgetOld(program: string): Promise<void> {
    const folder = this.folderOf(program);
    const runs = (await filesIn(folder)).filter((name) => !name.startsWith(running)).sort().reverse();
    await Promise.all(runs.slice(kept).map((run) => rm(join(folder, run), { recursive: true, force: true })));
  }

  private folderOf(program: string): string {
    const hash = createHash('sha256').update(program).digest('hex').slice(0, 12);
    return join(this.root, `${basename(program)}-${hash}`);
  }
}

async function filesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

export async function modifiedAt(path: string): Promise<number | undefined> {
  return stat(path).then((status) => status.mtimeMs, () => undefined);
}
