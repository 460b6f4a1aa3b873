// "Profile: Attach to Process…": has the kernel sample a process of the user until that is cancelled, and shows the
// profile. Starts nothing but gprof-lsp.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { basename, sep } from 'node:path';
import * as vscode from 'vscode';
import { acceptedItem } from '../acceptedItem';
import { plainLabel } from '../figures/plainLabel';
import type { ProgramsParams, ProgramsResult } from '../server/protocol';
import type { Services } from '../services';
import { withoutLinks } from '../status/toastText';
import { attachArguments } from './definition';
import type { FinishedRuns } from './finished';
import type { RunningProcess } from './processOrder';
import { processesInOrder, programOf, rowOfProcess, wordsOfCommandLine } from './processOrder';
import type { RecordingStorage } from './storage';
import { recordSettings } from './tasks';

const title = 'Profile: Attach to Process';

interface ProcessItem extends vscode.QuickPickItem {
  readonly process: RunningProcess;
}

export class ProcessSampler implements vscode.Disposable {
  private readonly recorders = new Set<ChildProcess>();

  constructor(
    private readonly services: Services,
    private readonly storage: RecordingStorage,
    private readonly finished: FinishedRuns,
  ) {}

  // Stops all recorders. What they have sampled is kept if they are quick enough.
  dispose(): void {
    for (const recorder of this.recorders) recorder.kill('SIGTERM');
  }

  async choose(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
      void vscode.window.showErrorMessage('Profile: nothing is sampled: the workspace is not trusted.');
      return;
    }
    const server = this.services.client.command;
    if (server === undefined) {
      void vscode.window.showErrorMessage('Profile: nothing is sampled: gprof-lsp is not found.');
      return;
    }
    const running = await this.chooseProcess();
    if (running !== undefined) await this.sample(running, server.command, server.environment);
  }

  private async chooseProcess(): Promise<RunningProcess | undefined> {
    const pick = vscode.window.createQuickPick<ProcessItem>();
    pick.title = title;
    pick.placeholder = 'Process to sample; those of the workspace’s programs come first';
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.busy = true;
    const chosen = new Promise<ProcessItem | undefined>((resolve) => {
      pick.onDidAccept(() => resolve(acceptedItem(pick)));
      pick.onDidHide(() => resolve(undefined));
    });
    void this.items().then((items) => {
      pick.items = items;
      pick.busy = false;
    });
    pick.show();
    const item = await chosen;
    pick.dispose();
    return item?.process;
  }

  private async items(): Promise<ProcessItem[]> {
    const loaded = await this.services.client.request<ProgramsParams, ProgramsResult>('gprof/programs', {});
    const shown = new Set((loaded?.programs ?? []).map(({ executable }) => executable));
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath + sep);
    const isOfWorkspace = (program: string): boolean =>
      shown.has(program) || folders.some((folder) => program.startsWith(folder));
    const processes = processesInOrder(await ownProcesses(), isOfWorkspace);
    return processes.map((running) => {
      const row = rowOfProcess(running);
      return { ...row, label: plainLabel(row.label), process: running };
    });
  }

  // Samples until it is cancelled, the process ends, or the recorder reaches its own limits.
  private async sample(
    { id, program, words }: RunningProcess,
    command: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<void> {
    await this.storage.makeFolderOf(program);
    const output = this.storage.newFolder(program);
    const recorder = spawn(command, attachArguments(id, recordSettings(), output), {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.recorders.add(recorder);
    recorder.stderr.setEncoding('utf8').on('data', (text: string) => this.services.log.info(text.trimEnd()));
    const ended = new Promise<void>((resolve) => {
      recorder.on('error', (error) => {
        this.services.log.error(`${command}: ${String(error)}`);
        resolve();
      });
      recorder.on('close', () => resolve());
    });
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: `Profile: sampling ${withoutLinks(basename(program))} (${id}); Cancel stops it and shows the profile`,
      cancellable: true,
    };
    await vscode.window.withProgress(options, async (progress, stopped) => {
      const begun = Date.now();
      const seconds = (): number => Math.round((Date.now() - begun) / 1000);
      const timer = setInterval(() => progress.report({ message: `${seconds()} s` }), 1000);
      stopped.onCancellationRequested(() => recorder.kill('SIGINT'));
      await ended;
      clearInterval(timer);
    });
    this.recorders.delete(recorder);
    await this.finished.finish({ output, program, arguments: words.slice(1), folder: undefined }, 'log');
  }
}

// Processes of this user that run a program. Any of them may end while /proc is read.
async function ownProcesses(): Promise<RunningProcess[]> {
  const user = process.getuid?.();
  const ids = (await readdir('/proc').catch(() => [])).map(Number).filter((id) => id > 0 && id !== process.pid);
  const found = await Promise.all(ids.map(async (id): Promise<RunningProcess[]> => {
    try {
      if ((await stat(`/proc/${id}`)).uid !== user) return [];
      const [link, line] = await Promise.all([readlink(`/proc/${id}/exe`), readFile(`/proc/${id}/cmdline`, 'utf8')]);
      return [{ id, program: programOf(link), words: wordsOfCommandLine(line) }];
    } catch {
      return [];
    }
  }));
  return found.flat();
}
