// Figures at the ends of lines and the heat of lines, in every visible editor that shows a source.
import * as vscode from 'vscode';
import type { Services } from '../services';
import { documentSelector } from '../server/documents';
import { AnnotatedEditor } from './annotatedEditor';
import { registerCommands } from './commands';
import { Delay } from './delay';
import { roomForText, widthsOfGroups } from './editorWidths';
import type { EditorLayout } from './editorWidths';
import { createStyles, disposeStyles } from './styles';

const measureDelay = 100;

export function register(services: Services): void {
  services.context.subscriptions.push(new Annotations(services));
  registerCommands(services);
}

class Annotations implements vscode.Disposable {
  private readonly styles = createStyles();
  private readonly subscriptions: vscode.Disposable[] = [];
  private readonly measureDelay = new Delay();
  private editors: AnnotatedEditor[] = [];

  constructor(private readonly services: Services) {
    const { client, settings } = services;
    this.subscriptions.push(
      vscode.window.onDidChangeVisibleTextEditors((editors) => this.follow(editors)),
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
        this.of(textEditor)?.scrolled();
        this.measureSoon();
      }),
      vscode.window.onDidChangeTextEditorOptions(({ textEditor }) => this.of(textEditor)?.draw()),
      // Nothing tells of windows that become wider or narrower.
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.measureSoon()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        this.of(textEditor)?.cursorMoved();
        this.measureSoon();
      }),
      vscode.commands.registerCommand('gprof.peekAnnotations', () => {
        const editor = vscode.window.activeTextEditor;
        if (editor !== undefined) this.of(editor)?.peek();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0) return;
        for (const editor of this.editors) {
          if (editor.editor.document === document) editor.edited(contentChanges);
        }
      }),
      client.onDidChangeProfile((status) => {
        // During a load, what is shown stays.
        if (status.state !== 'loading') this.profileChanged();
      }),
      client.onDidChangeState((state) => {
        // A restarted server answers as before: no need to flicker.
        if (state === 'stopped' || state === 'failed' || state === 'missing') this.eraseAll();
        if (state === 'running') this.profileChanged();
      }),
      settings.onDidChange(() => this.settingsChanged()),
    );
    this.follow(vscode.window.visibleTextEditors);
  }

  dispose(): void {
    this.measureDelay.cancel();
    for (const editor of this.editors) editor.dispose();
    for (const subscription of this.subscriptions) subscription.dispose();
    disposeStyles(this.styles);
  }

  private of(editor: vscode.TextEditor): AnnotatedEditor | undefined {
    return this.editors.find((annotated) => annotated.editor === editor);
  }

  private follow(editors: readonly vscode.TextEditor[]): void {
    const shown = this.services.settings.annotationsShown ? editors.filter(isSource) : [];
    for (const gone of this.editors.filter(({ editor }) => !shown.includes(editor))) gone.dispose();
    this.editors = shown.map((editor) => this.of(editor) ?? this.annotate(editor));
    this.measureSoon();
  }

  private measureSoon(): void {
    this.measureDelay.run(measureDelay, () => void this.measure());
  }

  private async measure(): Promise<void> {
    const layout = await vscode.commands.executeCommand<EditorLayout | undefined>('vscode.getEditorLayout');
    const widths = layout === undefined ? [] : widthsOfGroups(layout);
    for (const editor of this.editors) {
      const width = widths[editor.editor.viewColumn ?? 0];
      const minimap = vscode.workspace.getConfiguration('editor.minimap', editor.editor.document);
      editor.resized(width && roomForText(width, minimap.get('enabled', true)));
    }
  }

  private annotate(editor: vscode.TextEditor): AnnotatedEditor {
    const annotated = new AnnotatedEditor(editor, this.services, this.styles);
    annotated.profileChanged();
    return annotated;
  }

  private profileChanged(): void {
    for (const editor of this.editors) editor.profileChanged();
  }

  private settingsChanged(): void {
    if (!this.services.settings.annotationsShown) this.eraseAll();
    this.follow(vscode.window.visibleTextEditors);
    for (const editor of this.editors) {
      editor.draw();
      editor.profileChanged();
    }
  }

  private eraseAll(): void {
    for (const editor of this.editors) editor.erase();
  }
}

function isSource(editor: vscode.TextEditor): boolean {
  return vscode.languages.match(selector, editor.document) > 0;
}

const selector = documentSelector as vscode.DocumentSelector;
