// User interaction with the flame graph: zoom, search, mouse and keys. The drawing depends only on the state.
import type { FlameGraphResult } from '../../../server/protocol';
import { boxAt, boxesByRow, flameBoxes } from '../../flame/layout';
import type { FlameBox } from '../../flame/layout';
import { frameBeside } from '../../flame/navigation';
import type { FlameStep } from '../../flame/navigation';
import { nextMatch, noMatches, searchFrames } from '../../flame/search';
import { flameTree, frameAtPath, isWithin, pathTo } from '../../flame/tree';
import type { FlameFrame, FlameTree } from '../../flame/tree';
import type { FunctionSubject } from '../../messages';
import { shareText } from '../../../figures/numbers';
import { letters, lettersInTab, shortName } from '../../../figures/shortNames';
import { oncePerFrame } from '../common/dom';
import { keepState, keptState } from '../common/host';
import { onThemeChange, themeNow } from '../common/theme';
import { FlameCanvas, rowAt, rowHeight, topOfRow } from './canvas';
import { basisHint, basisText, frameText, makePage } from './page';
import type { FlameActions } from './page';

interface KeptState {
  readonly subject?: FunctionSubject;
  readonly fromBottom: boolean;
  readonly differences: boolean; // wanted; shown where there is a base
  readonly query: string;
  readonly zoomed: readonly string[]; // names from the root on
  readonly selected: readonly string[];
}

export interface FlameRequests {
  readonly openSource: (frame: FlameFrame, keepFocus: boolean) => void;
  readonly showGraph: (frame: FlameFrame) => void;
  readonly showProgram: () => void;
}

export class FlameView {
  private readonly page;
  private readonly canvas: FlameCanvas;
  private result: FlameGraphResult | undefined;
  private subject: FunctionSubject | undefined;
  private tree: FlameTree = { frames: [], depth: 0 };
  private rows: FlameBox[][] = [];
  private matches = noMatches;
  private zoomed = 0;
  private selected = 0;
  private hovered = -1;
  private kept: KeptState = keptState({ fromBottom: false, differences: false, query: '', zoomed: [], selected: [] });
  private readonly redraw = oncePerFrame(() => this.draw());

  constructor(private readonly requests: FlameRequests) {
    const actions: FlameActions = {
      reset: () => this.zoom(0),
      flip: () => this.keep({ fromBottom: !this.kept.fromBottom }, true),
      differences: () => this.keep({ differences: !this.kept.differences }, true),
      program: requests.showProgram,
      openSource: () => this.openSource(this.selected, false),
      showGraph: () => this.withFrame(this.selected, requests.showGraph),
    };
    this.page = makePage(actions);
    this.page.search.value = this.kept.query;
    this.canvas = new FlameCanvas(this.page.canvas, themeNow());
    this.listenToMouse();
    this.page.tree.addEventListener('keydown', (event) => this.pressed(event));
    this.page.search.addEventListener('input', () => this.search(this.page.search.value));
    this.page.search.addEventListener('keydown', (event) => this.pressedInSearch(event));
    this.page.tree.addEventListener('scroll', this.redraw);
    new ResizeObserver(() => this.layOut()).observe(this.page.tree);
    onThemeChange(() => {
      this.canvas.useTheme(themeNow());
      this.redraw();
    });
    this.sayNothing('Loading…');
  }

  // Shows a new tree, keeping zoom and selection by name if possible.
  show(result: FlameGraphResult, costs: string, subject: FunctionSubject | undefined): void {
    const isFirst = this.result === undefined;
    const { zoomed, selected } = this.kept;
    this.result = result;
    this.subject = subject;
    this.tree = flameTree(result.root);
    this.zoomed = frameAtPath(this.tree, zoomed);
    this.selected = frameAtPath(this.tree, selected);
    this.page.nothing.hidden = true;
    this.page.tree.hidden = false;
    const title = subject === undefined ? result.program : `${subject.name} (${result.program})`;
    this.page.title.textContent = subject === undefined ? title : shortName(subject.name, letters(lettersInTab));
    this.page.title.title = title;
    this.page.basis.textContent = `${costs}, ${basisText(result)}`;
    this.page.basis.title = basisHint(result);
    this.page.basis.classList.toggle('estimated', result.basis === 'estimated');
    this.page.program.hidden = subject === undefined;
    this.page.differences.hidden = result.compared !== true;
    this.page.tree.setAttribute('aria-label',
      `Flame graph of ${subject?.name ?? result.program}, times ${basisText(result)}`);
    this.search(this.kept.query);
    this.layOut();
    if (isFirst) this.page.tree.focus();
  }

  sayNothing(text: string): void {
    this.page.nothing.textContent = text;
    this.page.nothing.hidden = false;
    this.page.tree.hidden = true;
    this.page.figures.textContent = '';
    this.page.source.hidden = this.page.graph.hidden = true;
  }

  private keep(change: Partial<KeptState>, layOut = false): void {
    const { fromBottom, differences, query, zoomed, selected } = { ...this.kept, ...change };
    const subject = this.subject === undefined ? {} : { subject: this.subject };
    this.kept = { fromBottom, differences, query, zoomed, selected, ...subject };
    keepState(this.kept);
    if (layOut) this.layOut();
  }

  private layOut(): void {
    const { tree } = this.page;
    const width = tree.clientWidth;
    if (width === 0) return;
    this.rows = boxesByRow(flameBoxes(this.tree, this.zoomed, width));
    this.page.rows.style.height = `${Math.max(this.heightOfRows(), tree.clientHeight)}px`;
    this.canvas.resize(width, tree.clientHeight);
    this.page.flip.setAttribute('aria-pressed', String(this.kept.fromBottom));
    this.page.differences.setAttribute('aria-pressed', String(this.kept.differences));
    this.page.whole.disabled = this.zoomed === 0;
    this.describe(this.selected);
  }

  private heightOfRows(): number {
    const filled = this.rows.length * rowHeight;
    return this.kept.fromBottom ? Math.max(filled, this.page.tree.clientHeight) : filled;
  }

  private draw(): void {
    const { tree, zoomed, selected, hovered, rows } = this;
    if (this.page.tree.hidden) return;
    this.canvas.draw({
      tree, rows, zoomed, selected, hovered,
      searching: this.kept.query.trim() !== '', matches: this.matches.frames,
      differences: this.showsDifferences(), fromBottom: this.kept.fromBottom, scrolled: this.page.tree.scrollTop, height: this.heightOfRows(),
    });
  }

  private showsDifferences(): boolean {
    return this.kept.differences && this.result?.compared === true;
  }

  private zoom(id: number): void {
    this.zoomed = id;
    const names = pathTo(this.tree, id).map((frame) => frame.name);
    this.keep({ zoomed: names, selected: names });
    this.selected = id;
    this.layOut();
    this.scrollTo(id);
  }

  // One level out: to the caller of the zoomed frame.
  private zoomOut(): void {
    this.zoom(Math.max(0, this.tree.frames[this.zoomed]?.parent ?? 0));
  }

  private select(id: number, scroll = true): void {
    this.keep({ selected: pathTo(this.tree, id).map(({ name }) => name) });
    this.describe(id);
    if (scroll) this.scrollTo(id);
  }

  // Describes the selected frame. The user's choice is remembered while a tree lacks it.
  private describe(id: number): void {
    const frame = this.tree.frames[id];
    if (frame === undefined || this.result === undefined) return;
    this.selected = id;
    const siblings = this.tree.frames[frame.parent]?.children ?? [id];
    const { current, figures, source, graph } = this.page;
    const text = frameText(frame, this.result, this.tree.frames[this.zoomed], this.showsDifferences());
    current.setAttribute('aria-label', text);
    current.setAttribute('aria-level', String(frame.depth + 1));
    current.setAttribute('aria-posinset', String(siblings.indexOf(id) + 1));
    current.setAttribute('aria-setsize', String(siblings.length));
    current.setAttribute('aria-selected', 'true');
    if (frame.children.length > 0) current.setAttribute('aria-expanded', 'true');
    else current.removeAttribute('aria-expanded');
    figures.textContent = text;
    source.hidden = graph.hidden = frame.uri === undefined;
    this.redraw();
  }

  private scrollTo(id: number): void {
    const frame = this.tree.frames[id];
    if (frame === undefined) return;
    const { tree } = this.page;
    const top = topOfRow({ fromBottom: this.kept.fromBottom, height: this.heightOfRows() }, frame.depth);
    if (top < tree.scrollTop) tree.scrollTop = top;
    else if (top + rowHeight > tree.scrollTop + tree.clientHeight) tree.scrollTop = top + rowHeight - tree.clientHeight;
  }

  private search(query: string): void {
    this.matches = searchFrames(this.tree, query);
    this.keep({ query });
    const { functions, share } = this.matches;
    this.page.found.textContent = query.trim() === '' ? ''
      : functions === 0 ? 'not found'
      : `${functions} ${functions === 1 ? 'function' : 'functions'}, ${shareText(share)}`;
    this.redraw();
  }

  private toMatch(forward: boolean): void {
    const found = nextMatch(this.matches, this.selected, forward);
    const zoomed = this.tree.frames[this.zoomed];
    if (found === undefined || zoomed === undefined) return;
    const isDrawn = (this.rows[this.tree.frames[found]?.depth ?? -1] ?? []).some((box) => box.frame === found);
    if (isWithin(zoomed, found) && isDrawn) this.select(found);
    else this.zoom(found);
  }

  private openSource(id: number, keepFocus: boolean): void {
    this.withFrame(id, (frame) => this.requests.openSource(frame, keepFocus));
  }

  private withFrame(id: number, use: (frame: FlameFrame) => void): void {
    const frame = this.tree.frames[id];
    if (frame !== undefined) use(frame);
  }

  private frameUnder(event: MouseEvent): number {
    const place = this.page.canvas.getBoundingClientRect();
    const y = event.clientY - place.top + this.page.tree.scrollTop;
    const row = rowAt({ fromBottom: this.kept.fromBottom, height: this.heightOfRows() }, y);
    return boxAt(this.rows, row, event.clientX - place.left)?.frame ?? -1;
  }

  private listenToMouse(): void {
    const { canvas, tip } = this.page;
    canvas.addEventListener('mousemove', (event) => this.hover(event));
    canvas.addEventListener('mouseleave', () => {
      tip.hidden = true;
      this.hovered = -1;
      this.redraw();
    });
    canvas.addEventListener('click', (event) => {
      const id = this.frameUnder(event);
      if (id < 0 || event.detail > 1) return;
      this.select(id, false);
      if (event.ctrlKey || event.metaKey || event.altKey) this.openSource(id, true);
      else this.zoom(id);
    });
    // The first click has zoomed into the frame, which is still under the mouse.
    canvas.addEventListener('dblclick', (event) => this.openSource(this.frameUnder(event), true));
  }

  private hover(event: MouseEvent): void {
    const id = this.frameUnder(event);
    const { tip, tree } = this.page;
    if (id !== this.hovered) {
      this.hovered = id;
      this.redraw();
    }
    const frame = this.tree.frames[id];
    tip.hidden = frame === undefined || this.result === undefined;
    if (frame === undefined || this.result === undefined) return;
    tip.textContent = frameText(frame, this.result, this.tree.frames[this.zoomed], this.showsDifferences());
    const left = Math.min(event.clientX + 12, tree.clientWidth - tip.offsetWidth - 8);
    const below = event.clientY + 18;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${below + tip.offsetHeight > window.innerHeight ? event.clientY - tip.offsetHeight - 8 : below}px`;
  }

  private pressed(event: KeyboardEvent): void {
    this.page.tip.hidden = true;
    const [up, down]: FlameStep[] = this.kept.fromBottom ? ['callee', 'caller'] : ['caller', 'callee'];
    const step = ({ ArrowUp: up, ArrowDown: down, ArrowLeft: 'left', ArrowRight: 'right' } as const)[event.key];
    if (step !== undefined) {
      const next = frameBeside(this.tree, this.rows, this.selected, step);
      if (next !== undefined) this.select(next);
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) this.openSource(this.selected, false);
    else if (event.key === 'o' || event.key === 'O') this.openSource(this.selected, event.key === 'O');
    else if (event.key === 'Enter' || event.key === ' ') this.zoom(this.selected);
    else if (event.key === 'Escape' && this.kept.query !== '') this.clearSearch();
    else if (event.key === 'Escape' || event.key === 'Backspace') this.zoomOut();
    else if (event.key === 'Home') this.zoom(0);
    else if (event.key === 'n' || event.key === 'N') this.toMatch(event.key === 'n');
    else if (event.key === '/') this.page.search.focus();
    else return;
    event.preventDefault();
  }

  private pressedInSearch(event: KeyboardEvent): void {
    if (event.key === 'Enter') this.toMatch(!event.shiftKey);
    else if (event.key === 'Escape') {
      this.clearSearch();
      this.page.tree.focus();
    } else return;
    event.preventDefault();
  }

  private clearSearch(): void {
    this.page.search.value = '';
    this.search('');
  }
}
