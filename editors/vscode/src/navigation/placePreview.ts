// Shows places in the editor while the user is still choosing, without taking the focus.
import * as vscode from 'vscode';
import { rangeOf } from '../places';
import type { Place } from '../server/places';

interface Begin {
  readonly editor: vscode.TextEditor;
  readonly selections: readonly vscode.Selection[];
  readonly top: vscode.Range | undefined;
  readonly preview: boolean; // its tab
}

function beginNow(): Begin | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return { editor, selections: editor.selections, top: editor.visibleRanges[0], preview: tab?.isPreview ?? false };
}

// One at a time: end it by end() or goBack().
export class PlacePreview {
  private readonly begin = beginNow();
  private readonly mark = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
  });
  private wanted: Place | undefined;
  private showing: Promise<void> = Promise.resolve();

  // Of several asked for in quick succession only the last is shown.
  show(place: Place): void {
    this.wanted = place;
    this.showing = this.showing.then(async () => {
      if (this.wanted === place) await this.showNow(place);
    });
  }

  async end(): Promise<void> {
    await this.showing;
    this.mark.dispose();
  }

  async goBack(): Promise<void> {
    await this.end();
    if (this.wanted === undefined || this.begin === undefined) return;
    const { editor: before, selections, top, preview } = this.begin;
    const editor = await vscode.window.showTextDocument(before.document, { ...columnOf(before), preview });
    editor.selections = [...selections];
    if (top !== undefined) editor.revealRange(top, vscode.TextEditorRevealType.AtTop);
  }

  private async showNow({ uri, range }: Place): Promise<void> {
    try {
      const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri, true), {
        ...columnOf(this.begin?.editor), preview: true, preserveFocus: true,
      });
      const shown = rangeOf(range);
      editor.setDecorations(this.mark, [shown]);
      editor.revealRange(shown, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    } catch {
      // Going there says why it cannot be shown.
    }
  }
}

function columnOf(editor: vscode.TextEditor | undefined): { viewColumn?: vscode.ViewColumn } {
  return editor?.viewColumn === undefined ? {} : { viewColumn: editor.viewColumn };
}
