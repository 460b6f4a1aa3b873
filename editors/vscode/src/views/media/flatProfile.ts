// The script of the flat profile's view: a table of which only the visible rows are created.
import { button, element, oncePerFrame, setAttributes } from '../../pictures/media/common/dom';
import { keepState, keptState, listenAs, tellAs } from '../../pictures/media/common/host';
import { shortName } from '../../figures/shortNames';
import type { Column, ColumnName, Order, TableFigures, TableLayout, TableRow } from '../flatTable';
import {
  allColumns, figuresOf, filteredRows, gprofsOrder, isComparing, layOutTable, orderAfterClick, otherRow, rowText, sortedRows, titleOf,
} from '../flatTable';
import type { FunctionSubject } from '../../pictures/messages';
import type { FromFlatProfile, ToFlatProfile } from '../flatProfileMessages';

const rowHeight = 22;
const sidePadding = 8;
const columnGap = 8;

interface KeptState {
  readonly order: Order;
  readonly query: string;
}

class FlatProfileTable {
  private readonly filter = element('input', {
    type: 'search', placeholder: 'Filter functions', 'aria-label': 'Filter functions', spellcheck: 'false',
  });
  private readonly count = element('span', { class: 'count', role: 'status' });
  private readonly head = element('div', { role: 'row', class: 'head' });
  private readonly body = element('div', { class: 'body', role: 'presentation' });
  private readonly grid = element('div', {
    role: 'grid', tabindex: 0, class: 'grid', 'aria-label': 'Flat profile', 'aria-readonly': 'true',
  });
  private readonly nothing = element('div', { class: 'nothing', role: 'status' });
  private kept: KeptState = keptState({ order: gprofsOrder, query: '' });
  private rows: TableRow[] = [];
  private shown: readonly TableRow[] = [];
  private figures: TableFigures = figuresOf([], 'seconds', {}, false);
  private layout: TableLayout = { figures: this.figures, columns: [], nameWidth: 0 };
  private total = 0;
  private readonly measure = document.createElement('canvas').getContext('2d');
  private selected = 0;
  private readonly redraw = oncePerFrame(() => this.draw());
  private readonly rearrange = oncePerFrame(() => this.arrange());

  constructor() {
    this.filter.value = this.kept.query;
    this.filter.addEventListener('input', () => this.keep({ query: this.filter.value }));
    this.filter.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown' || event.key === 'Enter') this.grid.focus();
    });
    this.grid.append(this.head, this.body);
    this.grid.addEventListener('scroll', this.redraw);
    this.grid.addEventListener('keydown', (event) => this.pressed(event));
    this.body.addEventListener('click', (event) => {
      const index = indexOf(event.target);
      if (index === undefined) return;
      this.select(index);
      this.open(true);
    });
    this.body.addEventListener('contextmenu', (event) => this.select(indexOf(event.target) ?? this.selected));
    document.body.append(element('div', { class: 'bar' }, this.filter, this.count), this.nothing, this.grid);
    new ResizeObserver(this.rearrange).observe(this.grid);
    this.sayNothing('Loading…');
  }

  hear(message: ToFlatProfile): void {
    if (message.type === 'nothing') return this.sayNothing(message.text);
    if (message.type === 'order') return this.keep({ order: { column: message.column, descending: true } });
    if (message.first) this.rows = [];
    this.rows.push(...message.rows, ...message.others.map(otherRow));
    this.figures = figuresOf(this.rows, message.unit, message.scale, message.basis === 'estimated', message.metrics);
    this.total = message.total;
    this.nothing.hidden = true;
    this.grid.hidden = false;
    this.rearrange();
  }

  private sayNothing(text: string): void {
    this.rows = [];
    this.grid.hidden = true;
    this.nothing.hidden = false;
    this.count.textContent = '';
    this.nothing.replaceChildren(element('p', {}, text));
    if (text !== 'Loading…') {
      this.nothing.append(button('Run Program…', 'Run a program and show its profile', () => tellAs<FromFlatProfile>({ type: 'run' })));
    }
  }

  private keep(change: Partial<KeptState>): void {
    this.kept = { ...this.kept, ...change };
    keepState(this.kept);
    this.selected = 0;
    this.grid.scrollTop = 0;
    this.rearrange();
  }

  private arrange(): void {
    if (this.grid.hidden || this.grid.clientWidth === 0) return;
    this.shown = sortedRows(filteredRows(this.rows, this.kept.query), this.kept.order, allColumns(this.figures, isComparing(this.rows)));
    this.layOutColumns(this.grid.clientWidth - 2 * sidePadding);
    const hasKeys = document.activeElement?.getAttribute('data-column');
    this.head.replaceChildren(...this.layout.columns.map(({ column }) => this.headerOf(column)));
    this.head.querySelector<HTMLElement>(`[data-column="${CSS.escape(hasKeys ?? '')}"]`)?.focus();
    setAttributes(this.grid, { 'aria-rowcount': this.shown.length + 1, 'aria-colcount': this.layout.columns.length });
    this.body.style.height = `${this.shown.length * rowHeight}px`;
    const of = this.shown.length === this.total ? '' : ` of ${this.total}`;
    this.count.textContent = `${this.shown.length}${of}`;
    this.selected = Math.min(this.selected, Math.max(0, this.shown.length - 1));
    this.draw();
  }

  // Figures get what they need, and names the rest.
  private layOutColumns(width: number): void {
    const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(this.grid);
    if (this.measure !== null) this.measure.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
    this.layout = layOutTable(width, columnGap, this.rows, this.figures, (text) => this.widthOf(text));
    const widths = this.layout.columns.map((column) => (column.column.name === 'name' ? 'minmax(0, 1fr)' : `${column.width}px`));
    this.grid.style.setProperty('--columns', widths.join(' '));
  }

  private widthOf(text: string): number {
    return this.measure?.measureText(text).width ?? 0;
  }

  private headerOf(column: Column): HTMLElement {
    const { order } = this.kept;
    const isOrdered = order.column === column.name;
    const mark = isOrdered ? (order.descending ? ' ▾' : ' ▴') : '';
    const press = button(`${titleOf(column, this.layout.figures)}${mark}`, `${column.hint}: sort`, () => this.sort(column.name));
    press.setAttribute('data-column', column.name);
    return element('div', {
      role: 'columnheader', class: `cell ${classOf(column)}`,
      'aria-sort': isOrdered ? (order.descending ? 'descending' : 'ascending') : 'none',
    }, press);
  }

  private sort(name: ColumnName): void {
    this.keep({ order: orderAfterClick(this.kept.order, name) });
  }

  // Only the visible rows, and a few around them.
  private draw(): void {
    const { scrollTop, clientHeight } = this.grid;
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - 10);
    const last = Math.min(this.shown.length, Math.ceil((scrollTop + clientHeight) / rowHeight) + 10);
    const made: HTMLElement[] = [];
    for (let index = first; index < last; index++) {
      const row = this.shown[index];
      if (row !== undefined) made.push(this.rowOf(row, index));
    }
    this.body.replaceChildren(...made);
    const hasSelected = this.selected >= first && this.selected < last;
    const row = this.shown[this.selected];
    setAttributes(this.grid, {
      'aria-activedescendant': hasSelected ? `row${this.selected}` : undefined,
      'data-vscode-context': row === undefined ? undefined : contextOf(row),
    });
  }

  private rowOf(row: TableRow, index: number): HTMLElement {
    const isSelected = index === this.selected;
    const text = rowText(row, this.figures);
    const made = element('div', {
      role: 'row', id: `row${index}`, class: isSelected ? 'row selected' : 'row', title: text,
      'data-index': index, 'aria-rowindex': index + 2, 'aria-selected': String(isSelected),
      'aria-label': text, 'data-vscode-context': contextOf(row),
    }, ...this.layout.columns.map(({ column }) => {
      const verdict = column.name === 'difference' ? ` ${row.selfDifference?.verdict ?? ''}` : '';
      const shown = column.text(row, this.layout.figures);
      return element('div', { role: 'gridcell', class: `cell ${classOf(column)}${verdict}` },
        column.name === 'name' ? shortName(shown, (text) => this.widthOf(text) <= this.layout.nameWidth) : shown);
    }));
    made.style.top = `${index * rowHeight}px`;
    made.style.setProperty('--share', `${Math.min(100, row.percent ?? 0)}%`);
    return made;
  }

  private select(index: number): void {
    this.selected = Math.max(0, Math.min(index, this.shown.length - 1));
    const top = this.selected * rowHeight;
    const { clientHeight } = this.grid;
    const room = clientHeight - rowHeight;
    if (top < this.grid.scrollTop) this.grid.scrollTop = top;
    else if (top + rowHeight > this.grid.scrollTop + room) this.grid.scrollTop = top + rowHeight - room;
    this.draw();
  }

  private open(keepFocus: boolean): void {
    const row = this.shown[this.selected];
    if (row?.isLibrary === true) return tellAs<FromFlatProfile>({ type: 'callers', subject: subjectOf(row) });
    if (row?.uri === undefined || row.line === undefined) return;
    tellAs<FromFlatProfile>({ type: 'open', uri: row.uri, line: row.line, keepFocus });
  }

  private pressed(event: KeyboardEvent): void {
    if (event.target !== this.grid) return;
    const screen = Math.max(1, Math.floor(this.grid.clientHeight / rowHeight) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1, ArrowUp: -1, PageDown: screen, PageUp: -screen, Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step !== undefined) this.select(this.selected + step);
    else if (event.key === 'Enter') this.open(event.ctrlKey || event.metaKey);
    else if (event.key === ' ') this.open(true);
    else if (event.key === '/') this.filter.focus();
    else return;
    event.preventDefault();
  }
}

// Names of metrics are of any letters.
function classOf({ name }: Column): string {
  return name.startsWith('metric ') ? 'metric' : name;
}

function indexOf(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest('[data-index]') : null;
  return row === null ? undefined : Number(row.getAttribute('data-index'));
}

// The argument of the context menu's commands.
function contextOf(row: TableRow): string {
  if (row.isLibrary === true) {
    return JSON.stringify({ webviewSection: 'library', preventDefaultContextMenuItems: true, subject: subjectOf(row) });
  }
  if (row.isOther === true) return JSON.stringify({ webviewSection: 'other', preventDefaultContextMenuItems: true });
  return JSON.stringify({
    webviewSection: row.uri === undefined ? 'function' : 'function.source',
    preventDefaultContextMenuItems: true,
    subject: subjectOf(row),
  });
}

function subjectOf({ name, linkageName, uri, line, isLibrary }: TableRow): FunctionSubject {
  return {
    name, symbol: linkageName,
    ...(uri === undefined || line === undefined ? {} : { uri, line }),
    ...(isLibrary === true ? { isLibrary } : {}),
  };
}

const table = new FlatProfileTable();
listenAs<ToFlatProfile, FromFlatProfile>((message) => table.hear(message), { type: 'ready' });
