// The time line as the user handles it: dragging, clicks on names, and keys. The drawing depends only on the state.
import { element, oncePerFrame, setAttributes } from '../../../pictures/media/common/dom';
import { onThemeChange, themeNow } from '../../../pictures/media/common/theme';
import { shareText } from '../../../figures/numbers';
import { valueText } from '../../../metrics/text';
import type { Selection, TimelineResult, TimelineRow } from '../../../server/protocol';
import type { Columns } from '../../axis';
import { activitiesOf, hasActivities, highestStack } from '../../activities';
import { columnAt, stretchOfColumns, stretchOfDrag } from '../../axis';
import { columnsOf, columnText, draftText, largestValue, leftOutText, pictureText, rowName, rowText, wholeOf } from '../../figures';
import type { Idle, RowKind } from '../../messages';
import { mostColumns } from '../../messages';
import type { Stretch } from '../../selection';
import { isChosen, isIncluded, toggled, withStretch } from '../../selection';
import { activityColoursNow } from './colours';
import type { Drawing } from './drawing';
import { axisHeight, drawAxis, drawRows, resize } from './drawing';
import { legendOf } from './legend';
import type { NameWidths } from './page';
import { makePage, nameWidths } from './page';

const columnPixels = 2;
const rightPadding = 8;
const leastRow = 20;
const mostRow = 36;
const leastDrag = 3; // pixels: less is a click
const manyColumns = 10;
const resizeDelay = 150;

export function columnsThatFit(pixels: number): number {
  return Math.max(1, Math.min(mostColumns, Math.floor(pixels / columnPixels)));
}

export interface TimelineRequests {
  readonly select: (selection: Selection | null) => void;
  readonly tellColumns: (columns: number) => void;
  readonly setIdle: (idle: Idle) => void;
  readonly run: () => void;
}

// What is beside the figures.
export interface Shown {
  readonly rows: RowKind;
  readonly label: string;
  readonly idle: Idle | undefined;
}

const nobody: TimelineResult = { program: '', generation: 0, metric: '', unit: 'seconds', from: 0, to: 0, rows: [] };

export class TimelinePicture {
  private readonly page;
  private theme = themeNow();
  private activityColours = activityColoursNow();
  private result = nobody;
  private kind: RowKind = 'threads';
  private largest = 0;
  private selection: Selection | null = null;
  private selectionText = '';
  private row = 0;
  private column = 0;
  private anchor: number | undefined; // of the stretch that keys choose: a column
  private draft: Stretch | undefined;
  private drag: { readonly from: number; moved: boolean } | undefined;
  private names: NameWidths = { names: 0, totals: 0, shares: 0 };
  private rowHeight = leastRow;
  private told = 0;
  private drawnNames: readonly unknown[] = [];
  private telling: ReturnType<typeof setTimeout> | undefined;
  private readonly measure = document.createElement('canvas').getContext('2d');
  private readonly redraw = oncePerFrame(() => this.draw());

  constructor(private readonly requests: TimelineRequests) {
    this.page = makePage({ clear: () => this.clear(), run: requests.run });
    const { grid } = this.page;
    grid.addEventListener('scroll', this.redraw);
    grid.addEventListener('focus', this.redraw);
    grid.addEventListener('blur', this.redraw);
    grid.addEventListener('keydown', (event) => this.pressed(event));
    this.listenToMouse();
    new ResizeObserver(() => this.layOut()).observe(grid);
    onThemeChange(() => {
      this.theme = themeNow();
      this.activityColours = activityColoursNow();
      this.layOut();
    });
    this.sayNothing('Loading…', false);
  }

  // The row that the keys are at stays, by its number.
  show(result: TimelineResult, { rows: kind, label, idle }: Shown): void {
    const before = this.kind === kind ? this.result.rows[this.row] : undefined;
    const time = this.result.rows.length > 0 ? stretchOfColumns(this.columns(), this.column, this.column).from : result.from;
    this.result = result;
    this.kind = kind;
    this.largest = hasActivities(result.rows) ? highestStack(result.rows) : largestValue(result.rows);
    this.page.legend.replaceChildren(...legendOf(activitiesOf(result.rows), idle, this.requests.setIdle));
    this.row = Math.max(0, result.rows.findIndex((row) => row.process === before?.process && row.thread === before.thread));
    this.column = columnAt(this.columns(), time);
    this.anchor = undefined;
    if (this.drag === undefined) this.draft = undefined;
    this.isShown(true);
    this.page.grid.setAttribute('aria-label', pictureText(result, kind, label));
    this.layOut();
  }

  showSelection(selection: Selection | null, text: string): void {
    this.selection = selection;
    this.selectionText = text;
    this.redraw();
  }

  sayNothing(text: string, canRun: boolean): void {
    this.result = nobody;
    this.draft = this.drag = this.anchor = undefined;
    this.isShown(false);
    this.page.nothingText.textContent = text;
    this.page.run.hidden = !canRun;
  }

  private isShown(shown: boolean): void {
    const { nothing, axis, grid, footer, tip } = this.page;
    nothing.hidden = shown;
    axis.hidden = grid.hidden = footer.hidden = !shown;
    if (!shown) tip.hidden = true;
  }

  private columns(): Columns {
    return columnsOf(this.result);
  }

  private layOut(): void {
    const { grid, axis, canvas, body } = this.page;
    const { clientWidth: width, clientHeight: height } = grid;
    const { rows } = this.result;
    if (width === 0 || rows.length === 0) return;
    this.rowHeight = Math.max(leastRow, Math.min(mostRow, Math.floor(height / rows.length)));
    this.names = this.widthsIn(width);
    body.style.height = `${Math.max(height, rows.length * this.rowHeight)}px`;
    const { style } = body;
    style.setProperty('--row', `${this.rowHeight}px`);
    style.setProperty('--names', `${this.names.names}px`);
    style.setProperty('--totals', `${this.names.totals}px`);
    style.setProperty('--shares', `${this.names.shares}px`);
    resize(axis, width, axisHeight);
    resize(canvas, width, height);
    this.tellColumns();
    this.draw();
  }

  private widthsIn(width: number): NameWidths {
    const { rows, unit } = this.result;
    if (this.measure !== null) this.measure.font = this.fontOfNames();
    const longest = (text: (row: TimelineRow) => string): number =>
      Math.max(...rows.map((row) => this.measure?.measureText(text(row)).width ?? 0)) + 2;
    const whole = wholeOf(rows);
    return nameWidths(width, {
      name: longest(rowName), total: longest(({ total }) => valueText(total, undefined, unit)),
      share: longest(({ total }) => shareOf(total, whole)),
    });
  }

  private fontOfNames(): string {
    const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(this.page.grid);
    return `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
  }

  private tellColumns(): void {
    const fit = columnsThatFit(this.right() - this.names.names);
    if (fit === this.told) return;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => {
      this.told = fit;
      this.requests.tellColumns(fit);
    }, this.told === 0 ? 0 : resizeDelay);
  }

  private right(): number {
    return Math.max(this.names.names + 1, this.page.grid.clientWidth - rightPadding);
  }

  private draw(): void {
    const { grid, axis, canvas } = this.page;
    if (grid.hidden) return;
    const drawing: Drawing = {
      result: this.result, largest: this.largest, activityColours: this.activityColours, selection: this.selection, draft: this.draft,
      cursor: document.activeElement === grid ? { row: this.row, column: this.column } : undefined,
      scrolled: grid.scrollTop, left: this.names.names, right: this.right(), rowHeight: this.rowHeight,
    };
    drawAxis(axis, drawing, this.theme);
    drawRows(canvas, drawing, this.theme);
    this.drawNames();
    this.say();
  }

  // Only of rows that are scrolled into view, and the one that the keys are at. Nothing is made anew where nothing would
  // look different: a click ends on the element that it began on.
  private drawNames(): void {
    const { grid, names } = this.page;
    const { rows } = this.result;
    const first = Math.max(0, Math.floor(grid.scrollTop / this.rowHeight) - 2);
    const last = Math.min(rows.length, Math.ceil((grid.scrollTop + grid.clientHeight) / this.rowHeight) + 2);
    const drawn = [
      this.result, this.selection, this.names, this.rowHeight, first, last, this.row, this.column, document.activeElement === grid,
    ];
    if (drawn.every((part, index) => part === this.drawnNames[index])) return;
    this.drawnNames = drawn;
    const made: HTMLElement[] = [];
    rows.forEach((row, index) => {
      if ((index >= first && index < last) || index === this.row) made.push(this.rowElement(row, index));
    });
    names.replaceChildren(...made);
    setAttributes(grid, {
      'aria-rowcount': rows.length, 'aria-colcount': this.columns().count + 1, 'aria-activedescendant': 'current',
    });
  }

  private rowElement(row: TimelineRow, index: number): HTMLElement {
    const { unit, rows } = this.result;
    const chosen = isChosen(this.selection, row);
    const isCurrent = index === this.row;
    const classes = ['name', ...(chosen ? ['chosen'] : []), ...(isIncluded(this.selection, row) ? [] : ['left']),
      ...(isCurrent && document.activeElement === this.page.grid ? ['current'] : [])];
    const text = rowText(row, this.result);
    const name = element('div', { role: 'rowheader', class: classes.join(' '), title: text, 'data-row': index, 'aria-label': text },
      element('span', { class: 'label' }, rowName(row)));
    if (this.names.totals > 0) name.append(element('span', { class: 'figure total' }, valueText(row.total, undefined, unit)));
    if (this.names.shares > 0) name.append(element('span', { class: 'figure share' }, shareOf(row.total, wholeOf(rows))));
    name.style.setProperty('--top', `${index * this.rowHeight}px`);
    const made = element('div', { role: 'row', class: 'row', 'aria-rowindex': index + 1, 'aria-selected': String(chosen) }, name);
    if (isCurrent) {
      const label = `${text}; ${columnText(row, this.column, this.result)}`;
      made.append(element('div', {
        role: 'gridcell', id: 'current', class: 'unseen', 'aria-colindex': this.column + 2, 'aria-label': label,
        'aria-selected': String(chosen),
      }));
    }
    return made;
  }

  private say(): void {
    const { said, clear } = this.page;
    const isSelected = this.selection !== null;
    const hint = 'Drag to select a stretch of time, click a name to select it.';
    const text = this.draft !== undefined ? draftText(this.result, this.selection, this.draft)
      : isSelected ? `Selected: ${this.selectionText}`
      : leftOutText(this.result, this.kind) || hint;
    // Set only if it changed: it is read aloud.
    if (said.textContent !== text) said.textContent = said.title = text;
    said.classList.toggle('selected', isSelected || this.draft !== undefined);
    clear.hidden = !isSelected;
  }

  private select(selection: Selection | null): void {
    this.draft = this.anchor = undefined;
    this.redraw();
    if (JSON.stringify(selection) === JSON.stringify(this.selection)) return;
    this.selection = selection;
    // Until the server has put it in words.
    this.selectionText = '…';
    this.requests.select(selection);
  }

  private clear(): void {
    this.select(null);
  }

  private toggle(index: number, add: boolean): void {
    const row = this.result.rows[index];
    if (row === undefined) return;
    this.row = index;
    this.select(toggled(this.selection, row, this.result.rows, add));
  }

  private listenToMouse(): void {
    const { canvas, names, tip, grid } = this.page;
    names.addEventListener('click', (event) => {
      const row = event.target instanceof Element ? event.target.closest('[data-row]')?.getAttribute('data-row') : undefined;
      if (row !== undefined && row !== null) this.toggle(Number(row), event.ctrlKey || event.metaKey || event.shiftKey);
      grid.focus();
    });
    // Else the grid would have the focus at once, and the name be another element when the button is let go.
    names.addEventListener('mousedown', (event) => event.preventDefault());
    canvas.addEventListener('pointerdown', (event) => this.dragBegins(event));
    canvas.addEventListener('pointermove', (event) => {
      if (this.drag === undefined) this.hover(event);
      else this.dragMoves(event);
    });
    canvas.addEventListener('pointerup', (event) => this.dragEnds(event));
    canvas.addEventListener('pointercancel', () => this.dragStops());
    canvas.addEventListener('pointerleave', () => {
      tip.hidden = true;
    });
  }

  // As part of the width of the heat; outside of it, below 0 or above 1.
  private partAt({ clientX }: MouseEvent): number {
    const { left } = this.page.canvas.getBoundingClientRect();
    return (clientX - left - this.names.names) / (this.right() - this.names.names);
  }

  private rowAt({ clientY }: MouseEvent): number {
    const { top } = this.page.canvas.getBoundingClientRect();
    return Math.floor((clientY - top + this.page.grid.scrollTop) / this.rowHeight);
  }

  private columnOf(part: number): number {
    const { count } = this.columns();
    return Math.max(0, Math.min(count - 1, Math.floor(part * count)));
  }

  private dragBegins(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.page.grid.focus();
    this.page.canvas.setPointerCapture(event.pointerId);
    this.page.tip.hidden = true;
    this.drag = { from: event.clientX, moved: false };
    this.row = Math.max(0, Math.min(this.result.rows.length - 1, this.rowAt(event)));
    this.column = this.columnOf(this.partAt(event));
    this.anchor = this.draft = undefined;
    this.redraw();
  }

  private dragMoves(event: PointerEvent): void {
    const { drag } = this;
    if (drag === undefined) return;
    drag.moved ||= Math.abs(event.clientX - drag.from) >= leastDrag;
    if (!drag.moved) return;
    const { left } = this.page.canvas.getBoundingClientRect();
    const start = (drag.from - left - this.names.names) / (this.right() - this.names.names);
    this.draft = stretchOfDrag(this.columns(), start, this.partAt(event));
    this.redraw();
  }

  private dragEnds(event: PointerEvent): void {
    const { drag } = this;
    this.dragMoves(event);
    const { draft } = this;
    this.drag = undefined;
    if (drag?.moved === true && draft !== undefined) this.selectStretch(draft);
    else this.redraw();
  }

  private dragStops(): void {
    this.drag = this.draft = undefined;
    this.redraw();
  }

  private selectStretch(stretch: Stretch): void {
    this.select(withStretch(this.selection, stretch, this.result));
  }

  private hover(event: PointerEvent): void {
    const { tip, grid } = this.page;
    const row = this.result.rows[this.rowAt(event)];
    const part = this.partAt(event);
    tip.hidden = row === undefined || part < 0 || part > 1;
    if (row === undefined || tip.hidden) return;
    tip.textContent = `${rowText(row, this.result)}\n${columnText(row, this.columnOf(part), this.result)}`;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, grid.clientWidth - tip.offsetWidth - 8))}px`;
    const below = event.clientY + 18;
    tip.style.top = `${below + tip.offsetHeight > window.innerHeight ? Math.max(0, event.clientY - tip.offsetHeight - 8) : below}px`;
  }

  private pressed(event: KeyboardEvent): void {
    this.page.tip.hidden = true;
    const { key, shiftKey } = event;
    const many = event.ctrlKey || event.metaKey;
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: many ? -manyColumns : -1, ArrowRight: many ? manyColumns : 1, Home: -Infinity, End: Infinity,
    };
    const screen = Math.max(1, Math.floor(this.page.grid.clientHeight / this.rowHeight) - 1);
    const rowSteps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, PageUp: -screen, PageDown: screen };
    const step = steps[key];
    const rowStep = rowSteps[key];
    if (step !== undefined) this.goToColumn(this.column + step, shiftKey);
    else if (rowStep !== undefined) this.goToRow(this.row + rowStep);
    else if (key === 'Enter' || key === ' ') this.enter(many || shiftKey);
    else if (key === 'Escape') this.escape();
    else return;
    event.preventDefault();
  }

  private goToColumn(column: number, extend: boolean): void {
    const columns = this.columns();
    const before = this.column;
    this.column = Math.max(0, Math.min(columns.count - 1, column));
    if (extend) {
      this.anchor ??= before;
      this.draft = stretchOfColumns(columns, Math.min(this.anchor, this.column), Math.max(this.anchor, this.column));
    } else this.anchor = this.draft = undefined;
    this.redraw();
  }

  private goToRow(row: number): void {
    const { grid } = this.page;
    this.row = Math.max(0, Math.min(this.result.rows.length - 1, row));
    const top = this.row * this.rowHeight;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top + this.rowHeight > grid.scrollTop + grid.clientHeight) grid.scrollTop = top + this.rowHeight - grid.clientHeight;
    this.redraw();
  }

  private enter(add: boolean): void {
    if (this.draft !== undefined) this.selectStretch(this.draft);
    else this.toggle(this.row, add);
  }

  // First what is being chosen, then what is selected.
  private escape(): void {
    if (this.draft !== undefined || this.drag !== undefined) {
      this.anchor = undefined;
      this.dragStops();
    } else if (this.selection !== null) this.clear();
  }
}

function shareOf(value: number, whole: number): string {
  return whole > 0 ? shareText(value / whole) : '';
}
