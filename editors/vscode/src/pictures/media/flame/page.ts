// The parts of the page around the flame graph, and their description of a frame.
import { sampledTime, shareText, timeText } from '../../../figures/numbers';
import type { FlameGraphResult } from '../../../server/protocol';
import { isOwnFunction } from '../../colours';
import { differenceParts } from '../../flame/differences';
import type { FlameFrame } from '../../flame/tree';
import { button, element } from '../common/dom';

export interface FlameActions {
  readonly reset: () => void;
  readonly flip: () => void;
  readonly program: () => void;
  readonly differences: () => void;
  readonly openSource: () => void;
  readonly showGraph: () => void;
}

export function makePage(actions: FlameActions) {
  const page = {
    title: element('h1'),
    basis: element('span', { class: 'basis' }),
    search: element('input', { type: 'search', placeholder: 'Search ( / )', 'aria-label': 'Search functions', spellcheck: 'false' }),
    found: element('span', { role: 'status', class: 'found' }),
    whole: button('Reset Zoom', 'Show all of the graph (Home)', actions.reset),
    flip: button('Root at Bottom', 'Draw callers below what they call', actions.flip),
    differences: button('Differences', 'Colour by the difference from the base: red for more, blue for less', actions.differences),
    program: button('Whole Program', 'Show the graph of the whole program', actions.program),
    canvas: element('canvas', { 'aria-hidden': 'true' }),
    rows: element('div', { class: 'rows' }),
    current: element('div', { id: 'current', role: 'treeitem', class: 'unseen' }),
    tree: element('div', {
      role: 'tree', tabindex: 0, class: 'tree', 'aria-activedescendant': 'current', 'aria-describedby': 'keys',
    }),
    tip: element('div', { role: 'tooltip', class: 'tip', hidden: true }),
    figures: element('span', { class: 'figures' }),
    source: button('Go to Source', 'Open the definition (O, Ctrl+Enter, double click)', actions.openSource),
    graph: button('Call Graph', 'Show the call graph around this function', actions.showGraph),
    nothing: element('p', { class: 'nothing', role: 'status' }, 'Loading…'),
  };
  page.rows.append(page.canvas);
  page.tree.append(page.rows, page.current);
  const keys = element('span', { id: 'keys', class: 'unseen' },
    'Arrow keys go to callers, callees and neighbours. Enter zooms, Escape zooms out, O opens the source, slash searches.');
  document.body.append(
    element('header', { role: 'toolbar', 'aria-label': 'Flame graph' },
      page.title, page.basis, page.search, page.found, page.whole, page.flip, page.differences, page.program),
    page.nothing, page.tree,
    element('footer', {}, page.figures, page.source, page.graph), page.tip, keys);
  return page;
}

export function basisText({ basis }: FlameGraphResult): string {
  return basis === 'measured' ? 'measured from stacks' : 'estimated by gprof’s propagation';
}

export function basisHint({ basis }: FlameGraphResult): string {
  return basis === 'measured'
    ? 'Each frame is the time of the stacks that were sampled in it.'
    : 'The profile has no stacks: time of a function is shared out to its callers by numbers of calls. '
      + 'Record with stacks to measure it.';
}

// "work: ≈ 1.05 ±0.10 s, 61 % of prog, 0.42 ±0.06 s itself"; "snprintf [libc.so.6]: …".
export function frameText(
  frame: FlameFrame, result: FlameGraphResult, zoomed: FlameFrame | undefined, differences: boolean,
): string {
  const { unit, total } = result;
  // The whole time was measured; its distribution may be an estimate.
  const sign = result.basis === 'estimated' && frame.id !== 0 ? '≈ ' : '';
  const parts = [`${sign}${sampledTime(frame.total, frame.error, result, unit)}`];
  if (total > 0 && frame.id !== 0) parts.push(`${shareText(frame.total / total)} of ${result.root?.name ?? 'all'}`);
  if (zoomed !== undefined && zoomed.id !== 0 && zoomed.id !== frame.id && zoomed.total > 0 && frame.id > zoomed.id) {
    parts.push(`${shareText(frame.total / zoomed.total)} of ${zoomed.name}`);
  }
  if (frame.self > 0 && frame.self !== frame.total) parts.push(`${sampledTime(frame.self, frame.selfError, result, unit)} itself`);
  if (frame.leftOut > 0) parts.push(`${timeText(frame.leftOut, unit)} in callees that are left out`);
  if (differences) parts.push(...differenceParts(frame, unit));
  const text = `${frame.name}${frame.inlined === true ? ' (inlined)' : ''}`;
  if (frame.module === undefined || !isOwnFunction(frame.name)) return `${text}: ${parts.join(', ')}`;
  return `${text} [${frame.module}]: ${parts.join(', ')}; a library’s function, without source here`;
}
