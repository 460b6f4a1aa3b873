// The theme's colours as numbers, read again when the user changes the theme.
import type { Colour } from '../../colours';
import { parseColour } from '../../colours';

export interface Theme {
  readonly highContrast: boolean;
  readonly background: Colour;
  readonly foreground: Colour;
  readonly description: Colour; // of what is said beside
  readonly stops: readonly Colour[]; // functions' colours are interpolated between these
  readonly other: Colour; // code that is not a function of the program
  readonly match: Colour;
  readonly hot: Colour;
  readonly more: Colour; // than in the base
  readonly less: Colour;
  readonly border: Colour;
  readonly focus: Colour;
  readonly font: string;
  readonly textFont: string; // of what is no code
}

const grey: Colour = { red: 128, green: 128, blue: 128 };

export function themeNow(): Theme {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): Colour | undefined => parseColour(style.getPropertyValue(`--vscode-${name}`));
  const background = read('editor-background') ?? { red: 30, green: 30, blue: 30 };
  const foreground = read('editor-foreground') ?? grey;
  const stop = (name: string): Colour => read(`gprof-flame${name}`) ?? grey;
  const size = style.getPropertyValue('--vscode-font-size') || '13px';
  const family = style.getPropertyValue('--vscode-editor-font-family') || 'monospace';
  const textFamily = style.getPropertyValue('--vscode-font-family') || 'sans-serif';
  const letters = `${Math.max(10, Number.parseFloat(size) - 1)}px`;
  return {
    highContrast: document.body.classList.contains('vscode-high-contrast')
      || document.body.classList.contains('vscode-high-contrast-light'),
    background,
    foreground,
    description: read('descriptionForeground') ?? foreground,
    stops: [stop('First'), stop('Middle'), stop('Last')],
    other: stop('OtherCode'),
    match: stop('Match'),
    hot: read('gprof-graphHot') ?? stop('First'),
    more: read('charts-red') ?? { red: 217, green: 72, blue: 59 },
    less: read('charts-blue') ?? { red: 55, green: 132, blue: 217 },
    border: read('contrastBorder') ?? background,
    focus: read('focusBorder') ?? foreground,
    font: `${letters} ${family}`,
    textFont: `${letters} ${textFamily}`,
  };
}

export function onThemeChange(changed: () => void): void {
  new MutationObserver(changed).observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
  new MutationObserver(changed).observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
}
