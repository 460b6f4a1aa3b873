// User interaction with the call graph: scale, selection, what is left out, mouse and keys.
import { chooseGraph, mostNodes, usualLeastShare } from '../../graph/choice';
import type { ChosenGraph } from '../../graph/choice';
import { openingScale } from '../../graph/scale';
import { boxBeside } from '../../graph/steps';
import type { GraphStep } from '../../graph/steps';
import { leftOutText, nodeText } from '../../graph/texts';
import { subjectOf } from '../../messages';
import type { FunctionSubject, GraphSettings, ToPicture } from '../../messages';
import type { CallGraphNode } from '../../../server/protocol';
import { hasPlace } from '../../../server/places';
import { letters, shortName } from '../../../figures/shortNames';
import { oncePerFrame } from '../common/dom';
import { keepState, keptState, tell } from '../common/host';
import { onThemeChange, themeNow } from '../common/theme';
import { drawGraph } from './drawing';
import type { GraphDrawing } from './drawing';
import { makePage } from './page';

type GraphMessage = Extract<ToPicture, { type: 'graph' }>;

interface KeptState {
  readonly subject?: FunctionSubject;
  readonly settings?: GraphSettings;
  readonly before: readonly FunctionSubject[]; // where the user came from, latest last
  readonly scale?: number; // none: as it opens
  readonly most: number;
  readonly least: number; // share of the program's time
  readonly selected?: string; // linkage name
}

const usualMost = 40;
const lettersOfTitle = 40;
const mostBefore = 50;

export class GraphView {
  private readonly page;
  private message: GraphMessage | undefined;
  private chosen: ChosenGraph = { nodes: [], arcs: [], small: 0, smallArcs: 0, hidden: 0, hiddenArcs: 0 };
  private drawing: GraphDrawing | undefined;
  private selected = 0;
  private kept: KeptState = keptState({ before: [], most: usualMost, least: usualLeastShare });
  private readonly redraw = oncePerFrame(() => this.draw());

  constructor() {
    this.page = makePage({
      back: () => this.goBack(),
      settings: (change) => this.ask(this.message?.subject, change),
      least: (share) => {
        this.keep({ least: share, most: usualMost });
        this.draw();
        this.open();
      },
      more: () => {
        this.keep({ most: this.kept.most * 2 });
        this.redraw();
      },
      scale: (factor) => this.scale(this.scaleNow * factor),
      fit: () => this.fit(),
      source: () => this.openSource(this.selected, false),
      center: () => this.center(this.selected),
      flames: () => this.withNode(this.selected, (node) => tell({ type: 'flames', subject: subjectOf(node) })),
      callers: () => this.showTree('callers'),
      callees: () => this.showTree('callees'),
    });
    this.page.field.addEventListener('keydown', (event) => this.pressed(event));
    this.page.field.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    onThemeChange(this.redraw);
    this.sayNothing('Loading…');
  }

  show(message: GraphMessage): void {
    const isFirst = this.message === undefined;
    const isOther = this.message === undefined || this.message.subject.name !== message.subject.name;
    this.message = message;
    this.page.nothing.hidden = true;
    this.page.field.hidden = false;
    this.keep({ subject: message.subject, settings: message.settings });
    this.page.depth.value = String(message.settings.depth);
    this.page.direction.value = message.settings.direction;
    const { basis } = message.result;
    this.page.basis.hidden = basis === undefined;
    this.page.basis.textContent = `${message.costs}, ${basis === 'measured' ? 'measured' : 'estimated'}`;
    this.page.basis.title = basis === 'measured' ? 'Times are measured from stacks' : 'Times are estimated by gprof’s propagation';
    this.page.basis.classList.toggle('estimated', basis === 'estimated');
    this.page.least.hidden = !(message.programSeconds > 0);
    this.page.least.value = String(this.kept.least);
    this.draw();
    if (!isOther) return;
    // A picture that was restored stays as it was.
    if (!isFirst || this.kept.scale === undefined) this.open();
    this.focus(this.selected);
  }

  sayNothing(text: string): void {
    this.page.nothing.textContent = text;
    this.page.nothing.hidden = false;
    this.page.field.hidden = this.page.note.hidden = true;
    this.page.figures.textContent = '';
    for (const button of this.page.buttons) button.hidden = true;
    this.page.back.disabled = this.kept.before.length === 0;
  }

  private draw(): void {
    const { message } = this;
    if (message === undefined || this.page.field.hidden) return;
    const theme = themeNow();
    this.chosen = chooseGraph(message.result, this.kept.most, message.programSeconds, this.kept.least);
    this.drawing = drawGraph(this.chosen, { ...message, ...basisOf(message) }, theme, widthOfLetter(theme.font), {
      node: (index, event) => this.clicked(index, event),
      arc: (arc, event) => {
        const [site] = arc.sites ?? [];
        if (site !== undefined) tell({ type: 'open', ...site, keepFocus: !event.ctrlKey });
      },
    });
    const hadFocus = this.page.field.contains(document.activeElement);
    this.drawing.picture.setAttribute('aria-label', `Call graph around ${message.subject.name}`);
    this.page.field.replaceChildren(this.drawing.picture);
    const { hidden, nodes } = this.chosen;
    this.page.title.textContent = shortName(message.subject.name, letters(lettersOfTitle));
    this.page.title.title = `${message.subject.name} (${message.result.program})`;
    this.page.more.hidden = hidden === 0 || nodes.length >= mostNodes;
    this.page.left.textContent = leftOutText(this.chosen, this.kept.least, message.result.truncated);
    this.page.note.hidden = this.page.left.textContent === '';
    this.page.back.disabled = this.kept.before.length === 0;
    this.applyScale();
    const kept = this.chosen.nodes.findIndex((node) => node.linkageName === this.kept.selected);
    this.select(Math.max(0, kept));
    if (hadFocus) this.focus(this.selected);
  }

  private keep(change: Partial<KeptState>): void {
    this.kept = { ...this.kept, ...change };
    keepState(this.kept);
  }

  private clicked(index: number, event: MouseEvent): void {
    this.select(index);
    this.focus(index);
    if (event.shiftKey) this.center(index);
    else this.openSource(index, true);
  }

  private select(index: number): void {
    const node = this.chosen.nodes[index];
    if (node === undefined || this.message === undefined) return;
    this.drawing?.boxes.forEach((box, at) => box.setAttribute('tabindex', at === index ? '0' : '-1'));
    this.selected = index;
    this.keep({ selected: node.linkageName });
    this.page.figures.textContent = nodeText(node, { ...this.message, ...basisOf(this.message) });
    const [source, center, ...others] = this.page.buttons;
    for (const button of others) button.hidden = false;
    if (source !== undefined) source.hidden = node.uri === undefined;
    if (center !== undefined) center.hidden = index === 0;
  }

  private focus(index: number): void {
    const box = this.drawing?.boxes[index];
    box?.focus({ preventScroll: true });
    box?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  private withNode(index: number, use: (node: CallGraphNode) => void): void {
    const node = this.chosen.nodes[index];
    if (node !== undefined) use(node);
  }

  private openSource(index: number, keepFocus: boolean): void {
    this.withNode(index, (node) => {
      if (hasPlace(node)) tell({ type: 'open', uri: node.uri, range: node.range, keepFocus });
    });
  }

  private center(index: number): void {
    this.withNode(index, (node) => {
      const before = this.message === undefined ? [] : [...this.kept.before, this.message.subject];
      this.keep({ before: before.slice(-mostBefore), most: usualMost });
      this.ask(subjectOf(node), {});
    });
  }

  private goBack(): void {
    const subject = this.kept.before.at(-1);
    if (subject === undefined) return;
    this.keep({ before: this.kept.before.slice(0, -1) });
    this.ask(subject, {});
  }

  private ask(subject: FunctionSubject | undefined, change: Partial<GraphSettings>): void {
    const settings = this.message?.settings ?? this.kept.settings ?? { depth: 2, direction: 'both' };
    if (subject !== undefined) tell({ type: 'graph', subject, settings: { ...settings, ...change } });
  }

  private showTree(direction: 'callers' | 'callees'): void {
    this.withNode(this.selected, (node) => tell({ type: 'tree', subject: subjectOf(node), direction }));
  }

  private scale(scale: number): void {
    this.keep({ scale: Math.min(3, Math.max(0.1, scale)) });
    this.applyScale();
  }

  private applyScale(): void {
    const { drawing, scaleNow } = this;
    if (drawing === undefined) return;
    drawing.picture.setAttribute('width', String(drawing.width * scaleNow));
    drawing.picture.setAttribute('height', String(drawing.height * scaleNow));
    this.page.scale.textContent = `${Math.round(scaleNow * 100)}%`;
  }

  private get scaleNow(): number {
    return this.kept.scale ?? 1;
  }

  // As much of it as is readable, the function in the middle.
  private open(): void {
    const { drawing } = this;
    const { field } = this.page;
    if (drawing === undefined || field.clientWidth === 0) return;
    const textHeight = Number.parseFloat(themeNow().font);
    this.scale(openingScale(drawing, { width: field.clientWidth, height: field.clientHeight }, textHeight));
    drawing.boxes[0]?.scrollIntoView({ block: 'center', inline: 'center' });
  }

  private fit(): void {
    const { drawing } = this;
    if (drawing === undefined) return;
    const { clientWidth, clientHeight } = this.page.field;
    this.scale(Math.min(1, clientWidth / drawing.width, clientHeight / drawing.height));
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.scale(this.scaleNow * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }

  private pressed(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, GraphStep>> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' };
    const step = steps[event.key];
    if (step !== undefined && this.drawing !== undefined) {
      const next = boxBeside(this.chosen, this.drawing.placed, this.selected, step);
      if (next !== undefined) {
        this.select(next);
        this.focus(next);
      }
    } else if (event.key === 'Enter' || event.key === 'o') this.openSource(this.selected, event.shiftKey);
    else if (event.key === 'r' || event.key === ' ') this.center(this.selected);
    else if (event.key === 'Backspace') this.goBack();
    else if (event.key === '+' || event.key === '=') this.scale(this.scaleNow * 1.25);
    else if (event.key === '-') this.scale(this.scaleNow / 1.25);
    else if (event.key === '0') this.fit();
    else return;
    event.preventDefault();
  }
}

function basisOf({ result }: GraphMessage): Pick<GraphMessage['result'], 'basis'> {
  return result.basis === undefined ? {} : { basis: result.basis };
}

function widthOfLetter(font: string): number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return 8;
  context.font = font;
  return context.measureText('mmmmmmmmmm').width / 10;
}
