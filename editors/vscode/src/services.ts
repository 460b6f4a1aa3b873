// What every part of the extension receives: nothing else is shared between them.
import type * as vscode from 'vscode';
import type { GprofClient } from './server/client';
import type { Settings } from './settings';

export interface Services {
  readonly context: vscode.ExtensionContext;
  readonly client: GprofClient;
  readonly settings: Settings;
  readonly log: vscode.LogOutputChannel;
}
