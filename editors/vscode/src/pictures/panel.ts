// A picture in an editor tab: one of each kind, created on first use, restored with the window.
//
// What the user did to the picture (zoom, search) is the webview's own state and survives being hidden; its data is
// sent again whenever the webview reports that it is ready, and when the profile has changed.
import * as vscode from 'vscode';
import { Bursts } from '../bursts';
import { openPlace } from '../places';
import type { Services } from '../services';
import type { FromPicture, ToPicture } from './messages';
import { newNonce, webviewPage } from './page';

export interface PictureKind {
  readonly viewType: string;
  readonly title: string;
  readonly media: string; // of dist/media, without ending
}

export function mediaFolder(context: vscode.ExtensionContext): vscode.Uri {
  return vscode.Uri.joinPath(context.extensionUri, 'dist', 'media');
}

export function pageOf(webview: vscode.Webview, context: vscode.ExtensionContext, title: string, media: string): string {
  const address = (ending: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(mediaFolder(context), `${media}.${ending}`)).toString();
  return webviewPage({ title, source: webview.cspSource, script: address('js'), style: address('css'), nonce: newNonce() });
}

export abstract class Picture implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private readonly reloading = new Bursts(() => void this.reload());
  private newest = 0;
  private cancellation: vscode.CancellationTokenSource | undefined;
  private readonly subscriptions: vscode.Disposable[] = [];

  constructor(
    protected readonly services: Services,
    private readonly kind: PictureKind,
  ) {
    this.subscriptions.push(
      services.client.onDidChangeProfile(({ state }) => {
        if (state !== 'loading') this.reloading.soon();
      }),
      services.client.onDidChangeState(() => this.reloading.soon()),
      vscode.window.registerWebviewPanelSerializer(kind.viewType, {
        deserializeWebviewPanel: (panel, state: unknown) => {
          this.restore(state);
          this.adopt(panel);
          return Promise.resolve();
        },
      }),
    );
  }

  // Loads what to draw for the current subject.
  protected abstract load(token: vscode.CancellationToken): Promise<ToPicture>;
  // Restores the subject as saved by the webview.
  protected abstract restore(state: unknown): void;
  // Handles messages specific to this picture.
  protected abstract receive(message: FromPicture): void;
  protected abstract titleNow(): string;

  protected show(): void {
    if (this.panel === undefined) {
      const panel = vscode.window.createWebviewPanel(this.kind.viewType, this.kind.title, vscode.ViewColumn.Active);
      this.adopt(panel);
      return;
    }
    this.panel.reveal();
    void this.reload();
  }

  protected async reload(): Promise<void> {
    const panel = this.panel;
    if (panel === undefined) return;
    this.cancellation?.cancel();
    const cancellation = new vscode.CancellationTokenSource();
    this.cancellation = cancellation;
    const turn = ++this.newest;
    panel.title = this.titleNow();
    const message = await this.load(cancellation.token);
    cancellation.dispose();
    if (turn === this.newest && this.panel === panel) await panel.webview.postMessage(message);
  }

  dispose(): void {
    this.reloading.dispose();
    this.cancellation?.cancel();
    this.panel?.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
  }

  private adopt(panel: vscode.WebviewPanel): void {
    this.panel?.dispose();
    this.panel = panel;
    const { context } = this.services;
    const icon = (theme: string): vscode.Uri => vscode.Uri.joinPath(context.extensionUri, 'images', `profile-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.title = this.titleNow();
    panel.webview.options = { enableScripts: true, localResourceRoots: [mediaFolder(context)] };
    panel.webview.onDidReceiveMessage((message: FromPicture) => this.heard(message));
    panel.onDidDispose(() => {
      if (this.panel === panel) this.panel = undefined;
    });
    panel.webview.html = pageOf(panel.webview, context, this.kind.title, this.kind.media);
  }

  private heard(message: FromPicture): void {
    if (message.type === 'ready') void this.reload();
    else if (message.type === 'open') void openPlace(message, this.panel?.viewColumn, message.keepFocus);
    else this.receive(message);
  }
}
