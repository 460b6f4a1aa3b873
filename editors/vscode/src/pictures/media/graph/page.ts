// The parts of the page around the call graph.
import type { GraphSettings } from '../../messages';
import { shareText } from '../../../figures/numbers';
import { leastShares } from '../../graph/choice';
import { button, element } from '../common/dom';

export interface GraphActions {
  readonly back: () => void;
  readonly settings: (change: Partial<GraphSettings>) => void;
  readonly least: (share: number) => void;
  readonly more: () => void;
  readonly scale: (factor: number) => void;
  readonly fit: () => void;
  readonly source: () => void;
  readonly center: () => void;
  readonly flames: () => void;
  readonly callers: () => void;
  readonly callees: () => void;
}

export function makePage(actions: GraphActions) {
  const depth = element('select', { 'aria-label': 'Calls away from the function' });
  for (let calls = 1; calls <= 8; calls++) depth.append(element('option', { value: calls }, `${calls} ${calls === 1 ? 'call' : 'calls'} away`));
  depth.addEventListener('change', () => actions.settings({ depth: Number(depth.value) }));
  const direction = element('select', { 'aria-label': 'Direction' },
    element('option', { value: 'both' }, 'Both ways'),
    element('option', { value: 'callers' }, 'Callers'),
    element('option', { value: 'callees' }, 'Callees'));
  direction.addEventListener('change', () => actions.settings({ direction: direction.value as GraphSettings['direction'] }));
  const least = element('select', {
    'aria-label': 'Least share', title: 'Functions and arcs with less of the program’s time are left out',
  });
  for (const share of leastShares) least.append(element('option', { value: share }, share === 0 ? 'All' : `≥ ${shareText(share)}`));
  least.addEventListener('change', () => actions.least(Number(least.value)));
  const page = {
    title: element('h1'),
    basis: element('span', { class: 'basis' }),
    back: button('Back', 'The function that was shown before (Backspace)', actions.back),
    depth,
    direction,
    least,
    more: button('Show More', 'Draw more functions', actions.more),
    left: element('span', { role: 'status' }),
    note: element('div', { class: 'note' }),
    scale: element('span', { class: 'scale', role: 'status' }),
    field: element('div', { class: 'field', 'aria-describedby': 'keys' }),
    nothing: element('p', { class: 'nothing', role: 'status' }, 'Loading…'),
    figures: element('span', { class: 'figures', 'aria-live': 'polite' }),
    buttons: [
      button('Go to Source', 'Open the definition (Enter, click)', actions.source),
      button('Center Here', 'Draw the graph around this function (R, Shift+click)', actions.center),
      button('Flame Graph', 'What ran under this function', actions.flames),
      button('Callers Tree', 'Show its callers in the Call Tree', actions.callers),
      button('Callees Tree', 'Show its callees in the Call Tree', actions.callees),
    ],
  };
  page.note.append(page.left, page.more);
  const smaller = button('−', 'Smaller (-)', () => actions.scale(1 / 1.25));
  const larger = button('+', 'Larger (+)', () => actions.scale(1.25));
  smaller.setAttribute('aria-label', 'Smaller');
  larger.setAttribute('aria-label', 'Larger');
  document.body.append(
    element('header', { role: 'toolbar', 'aria-label': 'Call graph' }, page.title, page.basis, page.back, depth, direction, least,
      smaller, page.scale, larger, button('Fit', 'All of it (0)', actions.fit)),
    page.nothing, page.field, page.note,
    element('footer', {}, page.figures, ...page.buttons),
    element('span', { id: 'keys', class: 'unseen' },
      'Up and down go to the caller or callee with most time, left and right to neighbours. Enter opens the source, R centers.'));
  return page;
}
