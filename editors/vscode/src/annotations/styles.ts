// The decorations of the editor: one for text at the ends of lines, five for the heat of lines. All colours are
// contributed, so that a theme can set them.
import * as vscode from 'vscode';

// Of heat; lines of level 0 are not painted.
export const paintedLevels = [1, 2, 3, 4, 5] as const;

type PaintedLevel = (typeof paintedLevels)[number];

const barWidth = 5;
const plainColours: Readonly<Record<PaintedLevel, string>> = {
  1: '#8a7f45',
  2: '#b08a2a',
  3: '#d5832b',
  4: '#e0602a',
  5: '#e8322a',
};

export type HeatStyles = ReadonlyMap<number, vscode.TextEditorDecorationType>;

export interface Styles {
  readonly text: vscode.TextEditorDecorationType;
  readonly gutter: HeatStyles;
  readonly ruler: HeatStyles;
  readonly shares: ShareStyles;
}

export const textColour = new vscode.ThemeColor('gprof.lineForeground');
export const hotTextColour = new vscode.ThemeColor('gprof.hotLineForeground');

export function createStyles(): Styles {
  return {
    // The range is the line's code: it grows neither by text typed after it nor by a new line, and the figures are
    // still shown after the whole line.
    text: vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    }),
    gutter: stylesOf((level) => ({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      gutterIconPath: bar(plainColours[level]),
      gutterIconSize: themedBar(level),
    })),
    shares: new ShareStyles(),
    ruler: stylesOf((level) => ({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      overviewRulerColor: new vscode.ThemeColor(`gprof.heat${level}`),
      overviewRulerLane: vscode.OverviewRulerLane.Right,
    })),
  };
}

export function disposeStyles(styles: Styles): void {
  styles.text.dispose();
  styles.shares.dispose();
  for (const style of [...styles.gutter.values(), ...styles.ruler.values()]) style.dispose();
}

// Shares in the gutter, as pictures: one style for each text and heat that was needed.
export class ShareStyles {
  private readonly styles = new Map<string, vscode.TextEditorDecorationType>();

  of(text: string, level: number): vscode.TextEditorDecorationType {
    const key = `${level} ${text}`;
    const known = this.styles.get(key) ?? vscode.window.createTextEditorDecorationType({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      gutterIconPath: pictureOfShare(text, level),
      gutterIconSize: 'contain',
    });
    this.styles.set(key, known);
    return known;
  }

  all(): vscode.TextEditorDecorationType[] {
    return [...this.styles.values()];
  }

  dispose(): void {
    for (const style of this.styles.values()) style.dispose();
  }
}

function pictureOfShare(text: string, level: number): vscode.Uri {
  const colour = plainColours[(paintedLevels.find((painted) => painted === level)) ?? 1];
  const size = text.length > 2 ? 8.5 : 12; // of letters
  const picture =
    `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">` +
    `<text x="14" y="15" font-family="sans-serif" font-size="${size}" text-anchor="end" fill="${colour}">${text.replace('<', '&lt;')}</text>` +
    (level > 0 ? `<rect x="${20 - barWidth}" width="${barWidth}" height="20" fill="${colour}"/>` : '') + '</svg>';
  return pictureUri(picture);
}

// Extensions can only put a picture into the gutter, with fixed colours. After its size the editor accepts further
// style: the same bar, in the theme's colour. If an editor rejects that, the picture remains.
function themedBar(level: PaintedLevel): string {
  const colour = `var(--vscode-gprof-heat${level})`;
  return `contain; background: linear-gradient(${colour}, ${colour}) right center / ${barWidth}px 100% no-repeat`;
}

function bar(colour: string): vscode.Uri {
  const picture =
    `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">` +
    `<rect x="${20 - barWidth}" width="${barWidth}" height="20" fill="${colour}"/></svg>`;
  return pictureUri(picture);
}

function pictureUri(picture: string): vscode.Uri {
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(picture).toString('base64')}`);
}

function stylesOf(options: (level: PaintedLevel) => vscode.DecorationRenderOptions): HeatStyles {
  return new Map(
    paintedLevels.map((level) => [level, vscode.window.createTextEditorDecorationType(options(level))]),
  );
}
