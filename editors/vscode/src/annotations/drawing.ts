// Turns line data into decorations of an editor. Each call replaces the old ones in one step, so that nothing flickers.
import * as vscode from 'vscode';
import type { LineColumn, LineData } from '../server/protocol';
import { gap, widthOf } from './alignment';
import { charactersBehind, lineText, placementStyle, shareForGutter } from './lineText';
import { hotTextColour, paintedLevels, textColour } from './styles';
import type { HeatStyles, Styles } from './styles';

// `line` is its present number, `length` that of its text.
export interface DrawnLine {
  readonly data: LineData;
  readonly line: number;
  readonly length: number;
}

export interface DrawingOptions {
  readonly column: number;
  readonly heatShown: boolean;
  readonly hasFigures: (line: number) => boolean;
  readonly cellColumns: readonly LineColumn[];
  readonly room: number | undefined;
  readonly characterWidth: number;
}

const hotLevel = 4;
// That a window holds whose width the editor does not tell, as that of the only one: rather too few.
const usualCharacters = 105;

export function drawLines(
  editor: vscode.TextEditor,
  styles: Styles,
  lines: readonly DrawnLine[],
  options: DrawingOptions,
): void {
  const here = lines.filter((drawn) => drawn.line < editor.document.lineCount);
  paint(
    editor,
    styles.text,
    here.filter(({ line }) => options.hasFigures(line)).flatMap((drawn) => textDecoration(editor, drawn, options) ?? []),
  );
  const shares = options.heatShown ? sharesForGutter(editor, here.filter(({ line }) => options.hasFigures(line)), options) : new Map<number, string>();
  const heats = here.filter(({ line }) => !shares.has(line)).map((drawn) => ({ line: drawn.line, level: drawn.data.level }));
  drawHeat(editor, styles.gutter, options.heatShown ? heats : []);
  drawShares(editor, styles, here, shares);
}

// The share of each line that has no room for figures, by line.
function sharesForGutter(editor: vscode.TextEditor, lines: readonly DrawnLine[], options: DrawingOptions): Map<number, string> {
  const shares = new Map<number, string>();
  for (const { line, data } of lines) {
    const lineWidth = widthOf(editor.document.lineAt(line).text, tabSizeOf(editor));
    const characters = options.room === undefined
      ? usualCharacters - lineWidth - gap
      : charactersBehind({ lineWidth, ...options }, options.characterWidth);
    const share = shareForGutter(data.cells ?? [], options.cellColumns, characters);
    if (share !== undefined) shares.set(line, share);
  }
  return shares;
}

function drawShares(
  editor: vscode.TextEditor, styles: Styles, lines: readonly DrawnLine[], shares: ReadonlyMap<number, string>,
): void {
  const ranges = new Map<vscode.TextEditorDecorationType, vscode.DecorationOptions[]>();
  for (const { line, data } of lines) {
    const share = shares.get(line);
    if (share === undefined) continue;
    const style = styles.shares.of(share, data.level);
    ranges.set(style, [...(ranges.get(style) ?? []), { range: codeOf(editor.document, line) }]);
  }
  for (const style of styles.shares.all()) paint(editor, style, ranges.get(style) ?? []);
}

export function drawRuler(editor: vscode.TextEditor, styles: Styles, lines: readonly LineData[]): void {
  drawHeat(
    editor,
    styles.ruler,
    lines.filter((line) => line.line < editor.document.lineCount),
  );
}

export function eraseAll(editor: vscode.TextEditor, styles: Styles): void {
  for (const style of [styles.text, ...styles.gutter.values(), ...styles.ruler.values(), ...styles.shares.all()]) {
    paint(editor, style, []);
  }
}

// Resolves when everything drawn so far has reached the editor, which handles calls in order and reports edits in that
// order too. The call made here has no effect.
export async function allDrawn(): Promise<void> {
  try {
    await vscode.commands.executeCommand('setContext', 'gprof.drawn', true);
  } catch {
    // The editor is being closed.
  }
}

export function tabSizeOf(editor: vscode.TextEditor): number {
  return typeof editor.options.tabSize === 'number' ? editor.options.tabSize : 4;
}

function textDecoration(
  editor: vscode.TextEditor,
  drawn: DrawnLine,
  options: DrawingOptions,
): vscode.DecorationOptions | undefined {
  const lineWidth = widthOf(editor.document.lineAt(drawn.line).text, tabSizeOf(editor));
  const placement = { lineWidth, ...options };
  const characters = charactersBehind(placement, options.characterWidth);
  const contentText = lineText(drawn.data.cells ?? [], options.cellColumns, characters);
  if (contentText === '') return undefined;
  return {
    range: codeOf(editor.document, drawn.line),
    renderOptions: {
      after: {
        contentText,
        margin: placementStyle(placement),
        color: drawn.data.level >= hotLevel ? hotTextColour : textColour,
      },
    },
  };
}

function drawHeat(
  editor: vscode.TextEditor,
  styles: HeatStyles,
  heats: readonly { readonly line: number; readonly level: number }[],
): void {
  for (const level of paintedLevels) {
    const style = styles.get(level);
    if (style === undefined) continue;
    const lines = heats.filter((heat) => heat.level === level);
    paint(
      editor,
      style,
      lines.map((heat) => codeOf(editor.document, heat.line)),
    );
  }
}

const painted = new WeakMap<vscode.TextEditor, Set<vscode.TextEditorDecorationType>>();

// Most colours are on no line most of the time: what was and stays empty is skipped.
function paint(
  editor: vscode.TextEditor,
  style: vscode.TextEditorDecorationType,
  what: vscode.DecorationOptions[] | vscode.Range[],
): void {
  const styles = painted.get(editor) ?? new Set();
  painted.set(editor, styles);
  if (what.length === 0 && !styles.has(style)) return;
  if (what.length === 0) styles.delete(style);
  else styles.add(style);
  editor.setDecorations(style, what);
}

function codeOf(document: vscode.TextDocument, line: number): vscode.Range {
  const { firstNonWhitespaceCharacterIndex, range } = document.lineAt(line);
  return range.with(range.start.with({ character: firstNonWhitespaceCharacterIndex }));
}
