// Starts the server and registers each part of the extension.
import * as vscode from 'vscode';
import * as agents from './agents/register';
import * as annotations from './annotations/register';
import * as navigation from './navigation/register';
import * as pictures from './pictures/register';
import * as recording from './recording/register';
import * as reports from './reports/register';
import * as server from './server/register';
import { GprofClient } from './server/client';
import type { Services } from './services';
import { TraceLog } from './server/traceLog';
import { Settings } from './settings';
import * as status from './status/register';
import * as timeline from './timeline/register';
import * as views from './views/register';

const parts = [server, annotations, status, navigation, views, timeline, reports, pictures, recording, agents];

// For tests; not meant for other extensions.
export interface Extension {
  readonly client: GprofClient;
}

let running: GprofClient | undefined;

export function activate(context: vscode.ExtensionContext): Extension {
  const services = createServices(context);
  running = services.client;
  for (const part of parts) part.register(services);
  void services.client.start();
  return { client: services.client };
}

function createServices(context: vscode.ExtensionContext): Services {
  const log = vscode.window.createOutputChannel('Profile (gprof)', { log: true });
  const traceLog = new TraceLog(vscode.window.createOutputChannel('Profile (gprof): Trace'));
  const settings = new Settings(context.workspaceState);
  const client = new GprofClient(context, settings, log, traceLog);
  context.subscriptions.push(log, traceLog, settings, client);
  return { context, client, settings, log };
}

// The host waits for the result: no server outlives its window.
export function deactivate(): Promise<void> | undefined {
  return running?.stop();
}
