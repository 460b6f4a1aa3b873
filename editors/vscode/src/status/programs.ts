// Which program is shown if several have profiles: asked once, and remembered. The server remembers the choice
// itself; the editor remembers that it asked.
import * as vscode from 'vscode';
import { age } from '../figures/numbers';
import { plainLabel } from '../figures/plainLabel';
import type { Services } from '../services';
import type { ProgramEntry, ProgramsParams, ProgramsResult, SelectArgument } from '../server/protocol';
import { hasToAsk, mainPrograms, programTitle } from './programList';
import { isProgramAsked, programIsKnown } from './programQuestion';
import { toastText } from './toastText';

export class ProgramChoice {
  private asking = false;

  constructor(private readonly services: Services) {}

  async askOnce(): Promise<void> {
    const { context } = this.services;
    if (this.asking || isProgramAsked(context)) return;
    const programs = await this.programs();
    if (!hasToAsk(programs) || this.asking || isProgramAsked(context)) return;
    this.asking = true;
    const names = mainPrograms(programs).map((program) => program.name);
    const choose = 'Choose…';
    const keep = `Keep ${names[0] ?? ''}`;
    const answer = await vscode.window.showInformationMessage(
      toastText(`${names.length} programs have profiles here: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}.`),
      choose,
      keep,
    );
    this.asking = false;
    if (answer === choose && !(await this.choose())) return;
    if (answer !== undefined) await programIsKnown(context);
  }

  // False if nothing was chosen.
  async choose(): Promise<boolean> {
    const program = await pickProgram(await this.programs());
    if (program === undefined) return false;
    if (program === 'another') return this.load();
    const selection = await pickProfiles(program);
    if (selection === undefined) return false;
    return this.show('gprof.select', selection);
  }

  // Pinned, what is shown stays, whatever is written; else the newest profile is shown.
  async pin(pinned: boolean): Promise<void> {
    const { status } = this.services.client;
    if (status === undefined || status.program === '') return;
    const { program: executable, profiles } = status;
    await this.show('gprof.select', pinned ? { executable, profiles, pinned } : { executable });
  }

  // A program that was not found automatically; its profiles are searched for next to it and in the workspace.
  private async load(): Promise<boolean> {
    const files = await vscode.window.showOpenDialog({
      title: 'Profile: Open Program',
      openLabel: 'Open Program',
      ...(vscode.workspace.workspaceFolders?.[0] === undefined
        ? {}
        : { defaultUri: vscode.workspace.workspaceFolders[0].uri }),
    });
    const executable = files?.[0]?.fsPath;
    return executable !== undefined && this.show('gprof.load', { executable });
  }

  private async show(command: string, argument: SelectArgument): Promise<boolean> {
    const done = await this.services.client.executeOrTell(command, argument);
    if (done) await programIsKnown(this.services.context);
    return done;
  }

  async programs(): Promise<readonly ProgramEntry[]> {
    const answer = await this.services.client.request<ProgramsParams, ProgramsResult>('gprof/programs', {});
    return answer?.programs ?? [];
  }
}

async function pickProgram(programs: readonly ProgramEntry[]): Promise<ProgramEntry | 'another' | undefined> {
  const items = [
    ...programs.map((program) => ({
      label: plainLabel(program.name),
      description: programTitle(program),
      detail: program.executable,
      program,
    })),
    { label: '$(folder-opened) Open Another Program…', program: 'another' as const },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: 'Profile: Choose Program',
    matchOnDetail: true,
  });
  return chosen?.program;
}

// Which of the program's profiles: the only one, or those picked, whose sum is shown.
async function pickProfiles(program: ProgramEntry): Promise<SelectArgument | undefined> {
  const { executable, candidates, profiles } = program;
  if (candidates.length < 2) return { executable };
  const items = await Promise.all(
    candidates.map(async (path) => ({
      label: vscode.workspace.asRelativePath(path),
      description: await ageOf(path),
      picked: profiles.includes(path),
      path,
    })),
  );
  const chosen = await vscode.window.showQuickPick(items, {
    title: `Profiles of ${program.name}: several are summed`,
    canPickMany: true,
  });
  if (chosen === undefined || chosen.length === 0) return undefined;
  return { executable, profiles: chosen.map((item) => item.path) };
}

async function ageOf(path: string): Promise<string> {
  try {
    return age(Date.now() - (await vscode.workspace.fs.stat(vscode.Uri.file(path))).mtime);
  } catch {
    return '';
  }
}
