// "Profile: Runs…": what was recorded of the program, to be shown, compared with, pinned and deleted.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { plainLabel } from '../figures/plainLabel';
import type { ProgramsParams, ProgramsResult, SelectArgument } from '../server/protocol';
import type { Services } from '../services';
import type { Comparing } from './comparing';
import { rowOf } from './runText';
import type { Recording, RecordingStorage } from './storage';
import { modifiedAt } from './storage';

interface RunItem extends vscode.QuickPickItem {
  readonly recording: Recording;
}

const compare: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('git-compare'), tooltip: 'Compare with this run' };
const pin: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('pin'), tooltip: 'Show this run, whatever is recorded later' };
const remove: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Delete this run' };

export class RunList {
  constructor(
    private readonly services: Services,
    private readonly storage: RecordingStorage,
    private readonly comparing: Comparing,
  ) {}

  // Lists the runs of the program that is shown.
  async show(): Promise<void> {
    const { program } = this.services.client.status ?? {};
    const items = program === undefined || program === '' ? [] : await this.items(program);
    if (program === undefined || items.length === 0) {
      void vscode.window.showInformationMessage('Profile: no run was recorded here of the program that is shown.');
      return;
    }
    const pick = vscode.window.createQuickPick<RunItem>();
    pick.title = `Profile: Runs of ${plainLabel(basename(program))}`;
    pick.placeholder = 'The run to show';
    pick.matchOnDetail = true;
    pick.items = items;
    pick.onDidAccept(() => {
      const [chosen] = pick.selectedItems;
      pick.hide();
      if (chosen !== undefined) void this.select(chosen.recording, false);
    });
    pick.onDidTriggerItemButton(({ button, item }) => void this.pressed(button, item.recording, pick));
    pick.onDidHide(() => pick.dispose());
    pick.show();
  }

  private async pressed(button: vscode.QuickInputButton, recording: Recording, pick: vscode.QuickPick<RunItem>): Promise<void> {
    if (button !== remove) {
      pick.hide();
      await (button === compare ? this.comparing.startWith(recording.profile) : this.select(recording, true));
      return;
    }
    await this.storage.remove(recording);
    pick.items = await this.items(recording.program);
    if (pick.items.length === 0) pick.hide();
  }

  private async select({ program: executable, profile }: Recording, pinned: boolean): Promise<void> {
    const argument: SelectArgument = { executable, profiles: [profile], pinned };
    await this.services.client.executeOrTell('gprof.select', argument);
  }

  private async items(program: string): Promise<RunItem[]> {
    const loaded = await this.services.client.request<ProgramsParams, ProgramsResult>('gprof/programs', {});
    const shown = loaded?.programs.find(({ executable }) => executable === program)?.profiles ?? [];
    const built = (await modifiedAt(program)) ?? 0;
    const recordings = await this.storage.recordingsOf(program);
    return Promise.all(recordings.map(async (recording): Promise<RunItem> => {
      const isShown = shown.includes(recording.profile);
      const run = { ...(await this.storage.detailsOf(recording)), time: recording.time, isShown, isOfOlderBuild: recording.time.getTime() < built };
      return {
        ...rowOf(run, Date.now()),
        ...(isShown ? { iconPath: new vscode.ThemeIcon('check') } : {}),
        buttons: isShown ? [pin, remove] : [compare, pin, remove],
        recording,
      };
    }));
  }
}
