// The entry in the status bar: which program and profile are shown, how old they are, whether sources have changed.
import * as vscode from 'vscode';
import { Delay } from '../annotations/delay';
import type { Services } from '../services';
import { FreshnessCheck, nothingKnown } from './freshness';
import type { Freshness } from './freshness';
import { programOfFile } from './programOfFile';
import { statusText } from './statusText';
import type { ProgramOfFile } from './statusText';

// The age is shown in minutes.
const minute = 60_000;
const restAfterEdit = 500;

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('gprof.status', vscode.StatusBarAlignment.Left, 10);
  private readonly check: FreshnessCheck;
  private readonly delay = new Delay();
  private readonly clock: NodeJS.Timeout;
  private readonly subscriptions: vscode.Disposable[];
  private freshness: Freshness = nothingKnown;
  private ofFile: ProgramOfFile | undefined;

  constructor(private readonly services: Services) {
    const { client } = services;
    this.check = new FreshnessCheck(client);
    this.item.name = 'Profile';
    this.item.command = 'gprof.showMenu';
    this.clock = setInterval(() => this.lookSoon(), minute);
    this.subscriptions = [
      client.onDidChangeProfile(() => this.changed()),
      client.onDidChangeState(() => this.changed()),
      vscode.window.onDidChangeActiveTextEditor(() => void this.lookAtFile()),
      vscode.workspace.onDidChangeTextDocument(() => this.lookSoon()),
      vscode.workspace.onDidSaveTextDocument(() => this.lookSoon()),
    ];
    this.changed();
  }

  // Whether figures are compared with a base now.
  get compared(): boolean {
    return this.services.client.status?.comparison !== undefined;
  }

  dispose(): void {
    this.delay.cancel();
    clearInterval(this.clock);
    for (const subscription of this.subscriptions) subscription.dispose();
    this.item.dispose();
  }

  private changed(): void {
    const { client } = this.services;
    const status = client.status;
    void vscode.commands.executeCommand('setContext', 'gprof.hasProfile', (status?.program ?? '') !== '');
    void vscode.commands.executeCommand('setContext', 'gprof.serverState', client.state);
    void vscode.commands.executeCommand('setContext', 'gprof.comparing', this.compared);
    this.draw();
    this.delay.run(0, () => void this.look());
    void this.lookAtFile();
  }

  private lookSoon(): void {
    this.delay.run(restAfterEdit, () => void this.look());
  }

  private async look(): Promise<void> {
    const { status } = this.services.client;
    if (status === undefined || status.state === 'loading') return;
    this.freshness = await this.check.look(status);
    this.draw();
  }

  private async lookAtFile(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const found = await programOfFile(this.services.client, editor?.document);
    // Otherwise a later answer follows.
    if (editor === vscode.window.activeTextEditor) this.ofFile = found;
    this.draw();
  }

  private draw(): void {
    const { client } = this.services;
    const { text, tooltip, severity } = statusText({
      state: client.state,
      problem: client.problem,
      status: client.status,
      ...this.freshness,
      ofFile: this.ofFile,
      now: Date.now(),
    });
    this.item.text = text;
    this.item.tooltip = tooltip.join('\n');
    this.item.backgroundColor =
      severity === 'normal' ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
    this.item.show();
  }
}
