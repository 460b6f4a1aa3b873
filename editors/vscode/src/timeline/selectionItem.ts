// The entry in the status bar for what is selected: there while something is, and a click ends it.
import * as vscode from 'vscode';
import { plainLabel } from '../figures/plainLabel';
import type { GprofClient } from '../server/client';
import { isSelecting } from '../server/shown';

export class SelectionItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('gprof.selection', vscode.StatusBarAlignment.Left, 9);
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly client: GprofClient) {
    this.item.name = 'Profile: Selection';
    this.item.command = 'gprof.clearSelection';
    this.subscriptions = [client.onDidChangeProfile(() => this.draw()), client.onDidChangeState(() => this.draw())];
    this.draw();
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.item.dispose();
  }

  private draw(): void {
    const { status } = this.client;
    const isSelected = isSelecting(status);
    void vscode.commands.executeCommand('setContext', 'gprof.hasSelection', isSelected);
    if (!isSelected) return this.item.hide();
    const text = status?.selectionText ?? '';
    this.item.text = `$(filter) ${plainLabel(text)}`;
    this.item.tooltip = `Figures are of this part of the profile alone: ${text}.\nClick to show all of it.`;
    this.item.accessibilityInformation = { label: `Profile of ${text}: show all of it`, role: 'button' };
    this.item.show();
  }
}
