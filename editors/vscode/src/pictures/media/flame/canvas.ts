// Draws the visible boxes: only the rows scrolled into view, so that a tree of ten thousand frames costs no more than a
// screenful.
import { colourOfName, cssColour, isOwnFunction, mix, textOn } from '../../colours';
import type { Colour } from '../../colours';
import { markOf, strengthOf } from '../../flame/differences';
import type { FlameBox } from '../../flame/layout';
import type { FlameFrame, FlameTree } from '../../flame/tree';
import { letters, shortName } from '../../../figures/shortNames';
import type { Theme } from '../common/theme';

export const rowHeight = 20;
const mostShortNames = 10_000;

export interface FlameDrawing {
  readonly tree: FlameTree;
  readonly rows: readonly (readonly FlameBox[] | undefined)[];
  readonly zoomed: number;
  readonly selected: number;
  readonly hovered: number;
  readonly searching: boolean;
  readonly matches: ReadonlySet<number>;
  readonly differences: boolean; // colours are by the difference from the base
  readonly fromBottom: boolean;
  readonly scrolled: number; // pixels above the visible part
  readonly height: number; // of all rows
}

export class FlameCanvas {
  private readonly context: CanvasRenderingContext2D;
  private letter = 7;
  private readonly shortNames = new Map<string, string>();

  constructor(
    readonly element: HTMLCanvasElement,
    private theme: Theme,
  ) {
    const context = element.getContext('2d', { alpha: false });
    if (context === null) throw new Error('no canvas');
    this.context = context;
  }

  useTheme(theme: Theme): void {
    this.theme = theme;
  }

  // CSS pixels, not device pixels.
  resize(width: number, height: number): void {
    const ratio = window.devicePixelRatio || 1;
    this.element.width = Math.max(1, Math.round(width * ratio));
    this.element.height = Math.max(1, Math.round(height * ratio));
    this.element.style.width = `${width}px`;
    this.element.style.height = `${height}px`;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  draw(drawing: FlameDrawing): void {
    const { context, theme } = this;
    const height = this.element.clientHeight;
    context.fillStyle = cssColour(theme.background);
    context.fillRect(0, 0, this.element.clientWidth, height);
    context.font = theme.font;
    context.textBaseline = 'middle';
    this.letter = context.measureText('mmmmmmmmmm').width / 10;
    drawing.rows.forEach((boxes, row) => {
      const y = topOfRow(drawing, row) - drawing.scrolled;
      if (y + rowHeight < 0 || y > height) return;
      for (const box of boxes ?? []) this.drawBox(drawing, box, y);
    });
  }

  private drawBox(drawing: FlameDrawing, box: FlameBox, y: number): void {
    const { context, theme } = this;
    const colour = this.colourOf(drawing, box);
    const width = Math.max(1, box.width - (box.width > 3 ? 1 : 0));
    context.fillStyle = cssColour(colour);
    context.fillRect(box.x, y, width, rowHeight - 1);
    if (theme.highContrast && width > 2) this.outline(box, y, theme.border, 1);
    const frame = drawing.tree.frames[box.frame];
    if (frame === undefined) return;
    if (drawing.matches.has(frame.id) && theme.highContrast) this.outline(box, y, theme.match, 2);
    if (frame.id === drawing.hovered) this.outline(box, y, theme.foreground, 1);
    if (frame.id === drawing.selected) this.outline(box, y, theme.focus, 2);
    const most = Math.floor((box.width - 8) / this.letter);
    if (most < 2) return;
    const mark = drawing.differences ? markOf(frame) : '';
    const text = mark + this.nameIn(frame.name, Math.max(1, most - mark.length));
    context.font = frame.inlined === true ? `italic ${theme.font}` : theme.font;
    context.fillStyle = cssColour(theme.highContrast ? theme.foreground : textOn(colour));
    context.fillText(text, box.x + 4, y + rowHeight / 2);
  }

  // The same for every drawing until the boxes have other widths.
  private nameIn(name: string, most: number): string {
    if (name.length <= most) return name;
    const key = `${most} ${name}`;
    const known = this.shortNames.get(key);
    if (known !== undefined) return known;
    if (this.shortNames.size >= mostShortNames) this.shortNames.clear();
    const short = shortName(name, letters(most));
    this.shortNames.set(key, short);
    return short;
  }

  private colourOf({ tree, matches, searching, zoomed, differences }: FlameDrawing, box: FlameBox): Colour {
    const { theme } = this;
    const frame = tree.frames[box.frame];
    if (theme.highContrast) return theme.background;
    if (frame === undefined) return mix(theme.background, theme.other, 0.35);
    if (matches.has(frame.id)) return theme.match;
    const own = differences ? this.colourOfDifference(strengthOf(frame, tree)) : this.ownColour(frame);
    if (searching) return mix(theme.background, own, 0.3);
    // Callers of the zoomed frame are dimmed.
    return frame.depth < (tree.frames[zoomed]?.depth ?? 0) ? mix(theme.background, own, 0.5) : own;
  }

  // Inlined code is paler than functions.
  private ownColour({ name, inlined, module }: FlameFrame): Colour {
    if (module !== undefined || !isOwnFunction(name)) return this.theme.other;
    const colour = colourOfName(name, this.theme.stops);
    return inlined === true ? mix(this.theme.background, colour, 0.65) : colour;
  }

  // What is noise is hardly more than the background.
  private colourOfDifference(strength: number): Colour {
    const { theme } = this;
    const neutral = mix(theme.background, theme.other, 0.35);
    return mix(neutral, strength > 0 ? theme.more : theme.less, strength === 0 ? 0 : 0.25 + 0.75 * Math.abs(strength));
  }

  private outline(box: FlameBox, y: number, colour: Colour, width: number): void {
    this.context.strokeStyle = cssColour(colour);
    this.context.lineWidth = width;
    const inset = width / 2;
    this.context.strokeRect(box.x + inset, y + inset, Math.max(1, box.width - 1 - width), rowHeight - 1 - width);
  }
}

// From the top of all rows.
export function topOfRow({ fromBottom, height }: Pick<FlameDrawing, 'fromBottom' | 'height'>, row: number): number {
  return fromBottom ? height - (row + 1) * rowHeight : row * rowHeight;
}

export function rowAt({ fromBottom, height }: Pick<FlameDrawing, 'fromBottom' | 'height'>, y: number): number {
  return Math.floor((fromBottom ? height - y : y) / rowHeight);
}
