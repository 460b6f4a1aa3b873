// The view Flat Profile: a table of all functions, loaded in pages, so that the first rows appear at once however many
// functions there are.
import * as vscode from 'vscode';
import { openPlace } from '../places';
import { mediaFolder, pageOf } from '../pictures/panel';
import { nothingToDraw, unavailableText } from '../pictures/subjects';
import { scaleOf } from '../figures/numbers';
import { columnMetrics, titleOfCostsNow } from '../metrics/profileMetrics';
import type { FlatProfileParams, FlatProfileResult } from '../server/protocol';
import { placeOfLine } from '../server/places';
import type { Services } from '../services';
import type { FromFlatProfile, ToFlatProfile } from './flatProfileMessages';

const firstPage = 500;
const page = 10_000;
const mostRows = 200_000;

export class FlatProfileView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private loading: vscode.CancellationTokenSource | undefined;
  private wantsChanges = false; // once the page is there
  private readonly registration: vscode.Disposable;

  constructor(private readonly services: Services) {
    this.registration = vscode.window.registerWebviewViewProvider('gprof.flatProfile', this);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { context } = this.services;
    this.view = view;
    view.webview.options = { enableScripts: true, localResourceRoots: [mediaFolder(context)] };
    view.webview.onDidReceiveMessage((message: FromFlatProfile) => this.heard(message));
    view.onDidDispose(() => {
      if (this.view === view) this.view = undefined;
    });
    view.webview.html = pageOf(view.webview, context, 'Flat Profile', 'flatProfile');
  }

  // With `byChange`, ordered by how much functions changed, the largest increase first.
  async show(byChange: boolean): Promise<void> {
    const isThere = this.view?.visible === true;
    this.wantsChanges = byChange;
    await vscode.commands.executeCommand('gprof.flatProfile.focus');
    if (isThere) this.orderByChange();
  }

  refresh(): void {
    void this.load();
  }

  dispose(): void {
    this.loading?.cancel();
    this.registration.dispose();
  }

  private heard(message: FromFlatProfile): void {
    if (message.type === 'ready') {
      this.orderByChange();
      this.refresh();
    } else if (message.type === 'run') void vscode.commands.executeCommand('gprof.runProgram');
    else if (message.type === 'callers') void vscode.commands.executeCommand('gprof.goToCallers', { subject: message.subject });
    else void openPlace(placeOfLine(message.uri, message.line), undefined, message.keepFocus);
  }

  private orderByChange(): void {
    if (!this.wantsChanges) return;
    this.wantsChanges = false;
    const message: ToFlatProfile = { type: 'order', column: 'difference' };
    void this.view?.webview.postMessage(message);
  }

  private async load(): Promise<void> {
    const view = this.view;
    if (view === undefined) return;
    this.loading?.cancel();
    const loading = new vscode.CancellationTokenSource();
    this.loading = loading;
    const send = (message: ToFlatProfile): Thenable<boolean> => view.webview.postMessage(message);
    const metrics = await columnMetrics(this.services);
    view.description = await titleOfCostsNow(this.services);
    const wanted = metrics.length === 0 ? {} : { metrics: metrics.map(({ name }) => name) };
    if (loading.token.isCancellationRequested) return;
    let offset = 0;
    for (let total = 1; offset < total; ) {
      const limit = offset === 0 ? firstPage : page;
      const result = await this.services.client.request<FlatProfileParams, FlatProfileResult>(
        'gprof/flatProfile', { offset, limit, ...wanted }, loading.token);
      if (loading.token.isCancellationRequested) return;
      if (result === undefined || result.program === '' || unavailableText(this.services) !== undefined) {
        const nothing = nothingToDraw(this.services, undefined);
        await send(nothing.type === 'nothing' ? nothing : { type: 'nothing', text: 'No profile is shown.' });
        return;
      }
      const { rows, program, unit, basis } = result;
      const others = offset === 0 ? result.others : [];
      await send({
        type: 'rows', program, unit, rows, others, metrics, scale: scaleOf(result), total: result.total + result.others.length, first: offset === 0,
        ...(basis === undefined ? {} : { basis }),
      });
      total = rows.length === 0 ? 0 : Math.min(result.total, mostRows);
      offset += rows.length;
    }
  }
}
