// The view Timeline: what each thread or process cost, column by column, and what is selected of it.
import * as vscode from 'vscode';
import { Bursts } from '../bursts';
import { plainLabel } from '../figures/plainLabel';
import { profileMetrics } from '../metrics/profileMetrics';
import { titleOfMetric } from '../metrics/text';
import { mediaFolder, pageOf } from '../pictures/panel';
import { nothingToDraw } from '../pictures/subjects';
import type { Selection, TimelineParams, TimelineResult } from '../server/protocol';
import { wholeKey } from '../server/shown';
import type { Services } from '../services';
import type { FromTimeline, RowKind, ToTimeline } from './messages';
import { metricToAsk } from './activities';
import { columnsToAsk } from './messages';

const chosenRows = 'gprof.timelineRows';
const noTimeline = 'This profile has no time line: record it with gprof-lsp record.';

export class TimelineView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private columns = 1; // that fit, as the page tells
  private loading: vscode.CancellationTokenSource | undefined;
  private loaded = '';
  private readonly reload = new Bursts(() => void this.load());
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly services: Services) {
    const { client } = services;
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider('gprof.timeline', this),
      client.onDidChangeProfile((status) => {
        this.tellSelection();
        // What is selected is drawn on a picture that stays.
        if (status.state !== 'loading' && wholeKey(status) !== this.loaded) this.reload.soon();
      }),
      client.onDidChangeState(() => this.reload.soon()),
    ];
    this.announceRows();
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { context } = this.services;
    this.view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [mediaFolder(context)] };
    view.webview.onDidReceiveMessage((message: FromTimeline) => this.heard(message));
    view.onDidDispose(() => {
      if (this.view === view) this.view = undefined;
    });
    view.webview.html = pageOf(view.webview, context, 'Timeline', 'timeline');
  }

  async showRows(rows: RowKind): Promise<void> {
    await this.services.context.workspaceState.update(chosenRows, rows);
    this.announceRows();
    await this.load();
  }

  async select(selection: Selection | null): Promise<void> {
    // What was refused is not drawn as if it were selected; what was not is told by the next status.
    if (!(await this.services.client.executeOrTell('gprof.setSelection', selection))) this.tellSelection();
  }

  dispose(): void {
    this.loading?.cancel();
    this.reload.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private get rows(): RowKind {
    return this.services.context.workspaceState.get(chosenRows) === 'processes' ? 'processes' : 'threads';
  }

  private announceRows(): void {
    void vscode.commands.executeCommand('setContext', 'gprof.timeline.rows', this.rows);
  }

  private heard(message: FromTimeline): void {
    if (message.type === 'run') void vscode.commands.executeCommand('gprof.runProgram');
    else if (message.type === 'select') void this.select(message.selection);
    else if (message.type === 'idle') void this.services.settings.chooseIdle(message.idle);
    else {
      this.columns = message.columns;
      void this.load();
    }
  }

  private send(message: ToTimeline): void {
    void this.view?.webview.postMessage(message);
  }

  private tellSelection(): void {
    const { status } = this.services.client;
    const text = status?.selectionText ?? '';
    this.send({ type: 'selection', selection: status?.selection ?? null, text });
    if (this.view !== undefined) this.view.description = plainLabel(text);
  }

  private async load(): Promise<void> {
    if (this.view === undefined) return;
    this.loading?.cancel();
    const loading = new vscode.CancellationTokenSource();
    this.loading = loading;
    const key = wholeKey(this.services.client.status);
    const message = await this.picture(loading.token);
    if (loading.token.isCancellationRequested || message === undefined) return;
    this.loaded = key;
    this.send(message);
    this.tellSelection();
  }

  // Undefined if it was asked for once more meanwhile.
  private async picture(token: vscode.CancellationToken): Promise<ToTimeline | undefined> {
    const { client } = this.services;
    const metrics = await profileMetrics(this.services);
    if (metrics === undefined || metrics.program === '') return this.nothing();
    if (!(metrics.sliceWidth > 0)) return { type: 'nothing', text: noTimeline, canRun: true };
    const { rows } = this;
    const columns = columnsToAsk(this.columns, metrics.length, metrics.sliceWidth);
    const metric = metricToAsk(client.status?.metric ?? '', metrics);
    const result = await client.request<TimelineParams, TimelineResult>(
      'gprof/timeline', { rows, columns, selection: null, ...(metric === undefined ? {} : { metric }) }, token);
    if (token.isCancellationRequested) return undefined;
    if (result === undefined) return this.nothing();
    if (result.rows.length === 0) return { type: 'nothing', text: 'Nothing was sampled.', canRun: true };
    const label = titleOfMetric(result.metric, metrics.metrics);
    return { type: 'rows', result, rows, label, idle: client.status?.idle };
  }

  private nothing(): ToTimeline {
    const { client } = this.services;
    const nothing = nothingToDraw(this.services, undefined);
    const isShown = client.state === 'running' && client.status?.state !== 'loading' && (client.status?.program ?? '') !== '';
    const text = isShown ? noTimeline : nothing.type === 'nothing' ? nothing.text : '';
    return { type: 'nothing', text, canRun: client.state === 'running' && text !== 'Loading…' };
  }
}
