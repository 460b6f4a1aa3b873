// The annotations of one editor. Requests the visible lines and a screen around them, once the editor is idle; between
// answers decorations move with the text by themselves, and edited lines lose their figures at once.
import * as vscode from 'vscode';
import type { Services } from '../services';
import type { LineColumn, LineData, LineDataParams, LineDataResult, Range as ProtocolRange } from '../server/protocol';
import { annotationColumn, widthOf } from './alignment';
import { Delay } from './delay';
import { allDrawn, drawLines, drawRuler, eraseAll, tabSizeOf } from './drawing';
import type { DrawnLine } from './drawing';
import { lineAfterEdit } from './lineEdits';
import { areCovered, rangesAround } from './lineRanges';
import type { LineRange } from './lineRanges';
import type { Styles } from './styles';

const scrollDelay = 40;
const editDelay = 150;
const rulerDelay = 1_000;
// A key that is held repeats its command; the first time, after half a second.
const heldDelay = 700;
const mostRulerLines = 500;

export class AnnotatedEditor implements vscode.Disposable {
  private lines = new Map<number, DrawnLine>();
  private cellColumns: readonly LineColumn[] = [];
  private known: readonly LineRange[] = [];
  private column: number | undefined;
  private room: number | undefined;
  private cursorLines = '';
  private isHeld = false;
  // Drawings that may not have reached the editor yet.
  private drawingsUnderWay = 0;
  private request: vscode.CancellationTokenSource | undefined;
  private readonly linesDelay = new Delay();
  private readonly rulerDelay = new Delay();
  private readonly heldDelay = new Delay();

  constructor(
    readonly editor: vscode.TextEditor,
    private readonly services: Services,
    private readonly styles: Styles,
  ) {}

  // The profile or the way it is displayed has changed.
  profileChanged(): void {
    this.linesDelay.run(0, () => void this.askForLines());
    this.rulerDelay.run(0, () => void this.askForRuler());
  }

  scrolled(): void {
    const lineCount = this.editor.document.lineCount;
    if (areCovered(this.visible(), this.known, lineCount)) return;
    // The first report of the visible range is due to opening the file, not to scrolling: there is nothing to wait for.
    this.linesDelay.run(this.known.length === 0 ? 0 : scrollDelay, () => void this.askForLines());
  }

  edited(changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    this.request?.cancel();
    // A drawing that arrives after the edit has the line numbers from before it.
    const overtaken = this.drawingsUnderWay > 0 && changes.some(movesLines);
    if (this.moveLines(changes) || overtaken) this.draw();
    this.linesDelay.run(editDelay, () => void this.askForLines());
    this.rulerDelay.run(rulerDelay, () => void this.askForRuler());
  }

  cursorMoved(): void {
    if (this.services.settings.annotatedLines !== 'cursor') return;
    const lines = this.linesOfCursors().join(' ');
    if (lines === this.cursorLines) return;
    this.cursorLines = lines;
    this.draw();
  }

  // Shows figures until this is no longer repeated.
  peek(): void {
    const wasHeld = this.isHeld;
    this.isHeld = true;
    this.heldDelay.run(heldDelay, () => {
      this.isHeld = false;
      this.draw();
    });
    if (!wasHeld) this.draw();
  }

  private linesOfCursors(): number[] {
    return this.editor.selections.map(({ active }) => active.line);
  }

  private hasFigures(): (line: number) => boolean {
    const { annotatedLines } = this.services.settings;
    if (annotatedLines === 'all' || this.isHeld) return () => true;
    const lines = annotatedLines === 'cursor' ? new Set(this.linesOfCursors()) : new Set<number>();
    return (line) => lines.has(line);
  }

  // Redraws from known data: another column, heat or none.
  draw(): void {
    const { settings } = this.services;
    drawLines(this.editor, this.styles, [...this.lines.values()], {
      column: this.annotationColumn(),
      heatShown: settings.heatShown,
      hasFigures: this.hasFigures(),
      cellColumns: this.cellColumns,
      room: this.room,
      characterWidth: characterWidth(this.editor.document),
    });
    this.drawingsUnderWay += 1;
    void allDrawn().finally(() => (this.drawingsUnderWay -= 1));
  }

  // Pixels that the window has for text.
  resized(room: number | undefined): void {
    if (room === this.room) return;
    this.room = room;
    this.draw();
  }

  erase(): void {
    this.request?.cancel();
    this.linesDelay.cancel();
    this.rulerDelay.cancel();
    this.heldDelay.cancel();
    this.isHeld = false;
    this.lines.clear();
    this.known = [];
    eraseAll(this.editor, this.styles);
  }

  dispose(): void {
    this.request?.cancel();
    this.linesDelay.cancel();
    this.rulerDelay.cancel();
    this.heldDelay.cancel();
  }

  private visible(): LineRange[] {
    return this.editor.visibleRanges.map((range) => ({ first: range.start.line, last: range.end.line }));
  }

  private async askForLines(): Promise<void> {
    const document = this.editor.document;
    const ranges = rangesAround(this.visible(), document.lineCount);
    this.request?.cancel();
    const request = new vscode.CancellationTokenSource();
    this.request = request;
    const answers = await Promise.all(ranges.map((range) => this.lineData({ range: asRange(range) }, request.token)));
    if (request.token.isCancellationRequested) return;
    const results = answers.filter((answer) => answer !== undefined);
    // Answers that are missing or about another text are requested again once the server has that text.
    if (results.length < ranges.length || results.some((result) => !this.isOfThisText(result))) return;
    this.known = ranges;
    const before = this.signature();
    this.cellColumns = results[0]?.columns ?? [];
    this.lines = new Map(
      results.flatMap((result) => result.lines).map((data) => [data.line, this.drawnLine(data)]),
    );
    // After most edits everything is where the editor has moved it by itself.
    if (this.signature() !== before) this.draw();
  }

  // Signature of the drawing: equal if nothing would look different.
  private signature(): string {
    const lines = [...this.lines.values()].sort((a, b) => a.line - b.line);
    return JSON.stringify([this.cellColumns, lines.map(({ line, length, data }) => [line, length, { ...data, line }])]);
  }

  private async askForRuler(): Promise<void> {
    if (!this.services.settings.overviewRulerShown) return drawRuler(this.editor, this.styles, []);
    const result = await this.lineData({ hottest: mostRulerLines });
    if (result === undefined || !this.isOfThisText(result)) return;
    drawRuler(this.editor, this.styles, result.lines);
  }

  private lineData(
    what: Partial<LineDataParams>,
    token?: vscode.CancellationToken,
  ): Promise<LineDataResult | undefined> {
    const { client, settings } = this.services;
    const textDocument = { uri: client.uriOf(this.editor.document.uri) };
    const { metricOfRequests, threshold, errorsShown: errors } = settings;
    return client.request<LineDataParams, LineDataResult>(
      'gprof/lineData',
      { textDocument, ...metricOfRequests, threshold, errors, ...what },
      token,
    );
  }

  private isOfThisText(result: LineDataResult): boolean {
    return result.version === null || result.version === this.editor.document.version;
  }

  private drawnLine(data: LineData): DrawnLine {
    const text = data.line < this.editor.document.lineCount ? this.editor.document.lineAt(data.line).text : '';
    return { data, line: data.line, length: text.length };
  }

  // Returns true if the text of an annotated line was touched.
  private moveLines(changes: readonly vscode.TextDocumentContentChangeEvent[]): boolean {
    const textChanges = changes.map((change) => ({
      startLine: change.range.start.line,
      startCharacter: change.range.start.character,
      endLine: change.range.end.line,
      endCharacter: change.range.end.character,
      text: change.text,
    }));
    const before = this.lines;
    this.lines = new Map();
    for (const drawn of before.values()) {
      const line = lineAfterEdit(drawn.line, textChanges, (at) => before.get(at)?.length ?? 0);
      if (line !== undefined) this.lines.set(line, { ...drawn, line });
    }
    return this.lines.size < before.size;
  }

  // Chosen once per text, so that it does not move during edits.
  private annotationColumn(): number {
    if (this.column === undefined) {
      const document = this.editor.document;
      const tabSize = tabSizeOf(this.editor);
      const widths: number[] = [];
      const stride = Math.max(1, Math.floor(document.lineCount / 2_000));
      for (let line = 0; line < document.lineCount; line += stride) {
        const width = widthOf(document.lineAt(line).text, tabSize);
        if (width > 0) widths.push(width);
      }
      this.column = annotationColumn(widths, this.services.settings.annotationColumn);
    }
    return this.column;
  }
}

// Of the usual fonts, in pixels; nothing tells of the one that is used.
function characterWidth(document: vscode.TextDocument): number {
  return 0.61 * vscode.workspace.getConfiguration('editor', document).get('fontSize', 14);
}

function movesLines({ range, text }: vscode.TextDocumentContentChangeEvent): boolean {
  return !range.isSingleLine || text.includes('\n');
}

// The protocol's range for whole lines.
function asRange(range: LineRange): ProtocolRange {
  return { start: { line: range.first, character: 0 }, end: { line: range.last, character: 0 } };
}
