// "Profile: Run Program": chooses the executable, asks for its arguments, runs it as a task.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { acceptedItem } from '../acceptedItem';
import { plainLabel } from '../figures/plainLabel';
import type { ProgramsParams, ProgramsResult } from '../server/protocol';
import type { Services } from '../services';
import { showToast } from '../status/toasts';
import { taskType } from './definition';
import { findExecutables } from './executables';
import type { FoundExecutable } from './programOrder';
import type { RecordingStorage } from './storage';
import type { RecordTasks } from './tasks';
import { recordSettings } from './tasks';
import { isOpen, lineOf, wordsOf } from './words';

const lastRunKey = 'gprof.lastRun';
const argumentsKey = 'gprof.lastArguments'; // by program

export interface Run {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly cwd?: string; // the workspace folder, if it is left out
  readonly environment?: Readonly<Record<string, string>>;
  // The name of a test. Its program and words come from the workspace: variables in them are not replaced.
  readonly test?: string;
}

interface ProgramItem extends vscode.QuickPickItem {
  readonly program?: string;
}

// Where the program is, unless its name says it.
function folderOf(program: string): Pick<vscode.QuickPickItem, 'description'> {
  const path = vscode.workspace.asRelativePath(program);
  return path === basename(program) ? {} : { description: path };
}

function detailOf({ hasLines, counts }: FoundExecutable): string | undefined {
  if (!hasLines) return 'Built without -g, or stripped: its figures have no lines';
  return counts ? 'Built with -pg: its calls are counted' : undefined;
}

export class ProgramRunner {
  constructor(
    private readonly services: Services,
    private readonly storage: RecordingStorage,
    private readonly tasks: RecordTasks,
  ) {}

  async choose(argument: unknown): Promise<void> {
    const program = argument instanceof vscode.Uri ? argument.fsPath : await this.chooseProgram();
    if (program === undefined) return;
    const words = await this.askArguments(program);
    if (words !== undefined) await this.run({ program, arguments: words });
  }

  // Repeats the last run at once; without one, asks as the first time.
  async again(): Promise<void> {
    const last = this.services.context.workspaceState.get<Run>(lastRunKey);
    if (last === undefined) await this.choose(undefined);
    else await this.run(last);
  }

  async run(run: Run): Promise<void> {
    const { program, arguments: words, cwd, environment, test } = run;
    const { workspaceState } = this.services.context;
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(program));
    const definition = {
      type: taskType,
      program,
      ...(words.length > 0 ? { arguments: words } : {}),
      ...(cwd === undefined ? {} : { cwd }),
      ...(environment === undefined ? {} : { environment }),
      ...recordSettings(),
    };
    const name = test === undefined ? undefined : `Profile ${test}`;
    const task = this.tasks.taskFor(definition, folder ?? vscode.TaskScope.Workspace, name, test !== undefined);
    if (!(task instanceof vscode.Task)) {
      void showToast('error', `Profile: ${basename(program)} cannot be run: ${task}.`);
      return;
    }
    await workspaceState.update(lastRunKey, run);
    // The arguments that choose a test are not proposed when the program itself is run next.
    if (test === undefined) {
      await workspaceState.update(argumentsKey, { ...workspaceState.get<object>(argumentsKey), [program]: words });
    }
    await this.storage.makeFolderOf(program);
    await vscode.tasks.executeTask(task);
  }

  // Shown programs are listed at once, those of the workspace follow.
  private async chooseProgram(): Promise<string | undefined> {
    const pick = vscode.window.createQuickPick<ProgramItem>();
    const search = new vscode.CancellationTokenSource();
    pick.title = 'Profile: Run Program';
    pick.placeholder = 'Executable to run; those built with -g have figures on their lines';
    pick.matchOnDescription = true;
    pick.busy = true;
    const chosen = new Promise<ProgramItem | undefined>((resolve) => {
      pick.onDidAccept(() => resolve(acceptedItem(pick)));
      pick.onDidHide(() => resolve(undefined));
    });
    void this.fill(pick, search.token);
    pick.show();
    const item = await chosen;
    search.cancel();
    pick.dispose();
    if (item === undefined || item.program !== undefined) return item?.program;
    const [file] = (await vscode.window.showOpenDialog({ title: 'Profile: Run Program', openLabel: 'Run' })) ?? [];
    return file?.fsPath;
  }

  private async fill(pick: vscode.QuickPick<ProgramItem>, token: vscode.CancellationToken): Promise<void> {
    const browse: ProgramItem = { label: '$(folder-opened) Browse…', alwaysShow: true };
    const loaded = await this.services.client.request<ProgramsParams, ProgramsResult>('gprof/programs', {});
    const shown = (loaded?.programs ?? []).filter(({ partOf }) => partOf === undefined).map(({ executable }) => executable);
    const itemOf = (program: string, detail?: string): ProgramItem => ({
      label: plainLabel(basename(program)),
      ...folderOf(program),
      ...(detail === undefined ? {} : { detail }),
      program,
    });
    const first = shown.map((program) => itemOf(program, 'Its profile is shown'));
    pick.items = [...first, browse];
    const found = await findExecutables(token);
    if (token.isCancellationRequested) return;
    const others = found.filter(({ path }) => !shown.includes(path))
      .map((one) => itemOf(one.path, detailOf(one)));
    // A list that is set again may take a click for one on another of its rows.
    if (others.length > 0) pick.items = [...first, ...others, browse];
    pick.busy = false;
  }

  private async askArguments(program: string): Promise<string[] | undefined> {
    const known = this.services.context.workspaceState.get<Record<string, string[]>>(argumentsKey)?.[program] ?? [];
    const line = await vscode.window.showInputBox({
      title: `Profile: Run ${basename(program)}`,
      placeHolder: `Arguments of ${basename(program)}, if any`,
      prompt: 'Quote arguments that contain spaces; no shell expansion.',
      value: lineOf(known),
      validateInput: (value) => (isOpen(value) ? 'A quote is not closed.' : undefined),
    });
    return line === undefined ? undefined : wordsOf(line);
  }
}
