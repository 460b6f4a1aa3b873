// Tasks of the type `gprof`: gprof-lsp itself runs the program, without a shell.
import { homedir } from 'node:os';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ProgramsParams, ProgramsResult } from '../server/protocol';
import type { Services } from '../services';
import type { RecordDefinition, Surroundings } from './definition';
import { definitionDefect, literalDefect, recordCommand, taskType } from './definition';
import type { RecordingStorage } from './storage';

export function surroundingsOf(folder: vscode.WorkspaceFolder | undefined): Surroundings {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return {
    folder: (folder ?? folders[0])?.uri.fsPath,
    folders: Object.fromEntries(folders.map(({ name, uri }) => [name, uri.fsPath])),
    home: homedir(),
    environment: process.env,
  };
}

export function recordSettings(): Pick<RecordDefinition, 'stacks' | 'rate' | 'wait'> {
  const settings = vscode.workspace.getConfiguration('gprof.record');
  const rate = settings.get<number>('rate');
  return {
    stacks: settings.get<boolean>('stacks', true),
    ...(typeof rate === 'number' && rate > 0 ? { rate } : {}),
    ...(settings.get<boolean>('wait') === true ? { wait: true } : {}),
  };
}

// A terminal that shows why nothing is run.
class Refusal implements vscode.Pseudoterminal {
  private readonly written = new vscode.EventEmitter<string>();
  private readonly closed = new vscode.EventEmitter<number>();

  readonly onDidWrite = this.written.event;
  readonly onDidClose = this.closed.event;

  constructor(private readonly reason: string) {}

  open(): void {
    this.written.fire(`${this.reason}\r\n`);
    this.closed.fire(1);
  }

  close(): void {
    this.written.dispose();
    this.closed.dispose();
  }
}

export class RecordTasks implements vscode.TaskProvider {
  constructor(
    private readonly services: Services,
    private readonly storage: RecordingStorage,
  ) {}

  // One per loaded program.
  async provideTasks(): Promise<vscode.Task[]> {
    if (!vscode.workspace.isTrusted) return [];
    const programs = await this.services.client.request<ProgramsParams, ProgramsResult>('gprof/programs', {});
    const executables = (programs?.programs ?? []).filter(({ partOf }) => partOf === undefined);
    return executables.flatMap(({ executable }) => {
      const made = this.taskFor({ type: taskType, program: executable, ...recordSettings() });
      return made instanceof vscode.Task ? [made] : [];
    });
  }

  // Called for every task of tasks.json whenever they are listed: one that cannot be run reports it when started.
  resolveTask(task: vscode.Task): vscode.Task {
    const scope = task.scope === vscode.TaskScope.Global ? vscode.TaskScope.Workspace : task.scope;
    const made = this.taskFor(task.definition, scope, task.name);
    if (made instanceof vscode.Task) return made;
    const refusal = new vscode.CustomExecution(() => Promise.resolve(new Refusal(`This task cannot be run: ${made}.`)));
    return new vscode.Task(task.definition, scope ?? vscode.TaskScope.Workspace, task.name, 'gprof', refusal);
  }

  // The task, or why there is none.
  taskFor(
    definition: vscode.TaskDefinition,
    scope: vscode.WorkspaceFolder | vscode.TaskScope.Workspace = vscode.TaskScope.Workspace,
    name?: string,
    isLiteral = false,
  ): vscode.Task | string {
    if (!vscode.workspace.isTrusted) return 'the workspace is not trusted';
    const defect = definitionDefect(definition);
    if (defect !== undefined) return defect;
    const server = this.services.client.command;
    if (server === undefined) return 'gprof-lsp is not found';
    const asked = definition as unknown as RecordDefinition;
    const surroundings = { ...surroundingsOf(typeof scope === 'number' ? undefined : scope), isLiteral };
    const folder = this.storage.newFolder(recordCommand(asked, surroundings, '').program);
    const command = recordCommand(asked, surroundings, folder);
    const replaced = isLiteral ? literalDefect(command) : undefined;
    if (replaced !== undefined) return replaced;
    const execution = new vscode.ProcessExecution(server.command, [...command.arguments], {
      cwd: command.cwd,
      env: { ...server.environment, ...command.environment },
    });
    // No problem matchers: without the empty list, VS Code asks for one.
    const task = new vscode.Task(definition, scope, name ?? `Profile ${basename(command.program)}`, 'gprof', execution, []);
    task.detail = command.program;
    task.presentationOptions = {
      reveal: vscode.TaskRevealKind.Always,
      panel: vscode.TaskPanelKind.Shared,
      clear: true,
      // The command line is of folders that are the extension's own.
      echo: false,
    };
    return task;
  }
}
