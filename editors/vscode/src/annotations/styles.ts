// The decorations of the editor: one for text at the ends of lines, five for the heat of lines. All colours are
// contributed ones, so that a theme can set them.
import * as vscode from 'vscode';
import { heatLevels } from './heat';
import type { HeatLevel } from './heat';

export type HeatStyles = ReadonlyMap<HeatLevel, vscode.TextEditorDecorationType>;

export interface Styles {
  readonly text: vscode.TextEditorDecorationType;
  readonly gutter: HeatStyles;
  readonly ruler: HeatStyles;
}

export const textColour = new vscode.ThemeColor('gprof.lineForeground');
export const hotTextColour = new vscode.ThemeColor('gprof.hotLineForeground');

export function createStyles(): Styles {
  return {
    // The range is the line's code: it grows neither by what is typed behind it nor by a new line, and the text
    // stands behind the whole line all the same.
    text: vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    }),
    gutter: stylesOf((colour) => ({
      isWholeLine: true,
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      borderStyle: 'solid',
      borderWidth: '0 0 0 4px',
      borderColor: colour,
    })),
    ruler: stylesOf((colour) => ({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      overviewRulerColor: colour,
      overviewRulerLane: vscode.OverviewRulerLane.Right,
    })),
  };
}

export function disposeStyles(styles: Styles): void {
  styles.text.dispose();
  for (const style of [...styles.gutter.values(), ...styles.ruler.values()]) style.dispose();
}

function stylesOf(options: (colour: vscode.ThemeColor) => vscode.DecorationRenderOptions): HeatStyles {
  return new Map(
    heatLevels.map((level) => [
      level,
      vscode.window.createTextEditorDecorationType(options(new vscode.ThemeColor(`gprof.heat${level}`))),
    ]),
  );
}
