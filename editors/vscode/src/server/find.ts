// Finds the server on this machine by the current disk and settings.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { Settings } from '../settings';
import { locateServer } from './locate';
import type { ServerFound } from './locate';

export function findServer(context: vscode.ExtensionContext, settings: Settings): ServerFound {
  return locateServer({
    setting: settings.serverPath,
    arguments: settings.serverArguments,
    extensionFolder: context.extensionPath,
    workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
    homeFolder: homedir(),
    path: process.env['PATH'],
    isExecutable,
    exists: existsSync,
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
