// The parts of the page around the time line.
import { button, element } from '../../../pictures/media/common/dom';

const keys = 'Up and down go from row to row, left and right from column to column, Page Up and Page Down by many. '
  + 'Shift with left or right chooses a stretch, Enter selects it, or the row if there is none; Control adds the row to those selected. '
  + 'Escape selects all again.';

export interface PageActions {
  readonly clear: () => void;
  readonly run: () => void;
}

export function makePage(actions: PageActions) {
  const page = {
    axis: element('canvas', { class: 'axis', 'aria-hidden': 'true' }),
    canvas: element('canvas', { 'aria-hidden': 'true' }),
    body: element('div', { class: 'body', role: 'presentation' }),
    names: element('div', { role: 'presentation' }),
    grid: element('div', {
      role: 'grid', tabindex: 0, class: 'grid', 'aria-readonly': 'true', 'aria-multiselectable': 'true', 'aria-describedby': 'keys',
    }),
    said: element('span', { class: 'said', role: 'status' }),
    legend: element('ul', { class: 'legend', 'aria-label': 'Colours' }),
    clear: button('Clear', 'Select all again (Escape)', actions.clear),
    footer: element('footer'),
    tip: element('div', { role: 'tooltip', class: 'tip', hidden: true }),
    nothingText: element('p'),
    run: button('Run Program…', 'Run a program and show its profile', actions.run),
    nothing: element('div', { class: 'nothing', role: 'status' }),
  };
  page.body.append(page.canvas, page.names);
  page.grid.append(page.body);
  page.footer.append(page.said, page.legend, page.clear);
  page.nothing.append(page.nothingText, page.run);
  document.body.append(page.nothing, page.axis, page.grid, page.footer, page.tip,
    element('span', { id: 'keys', class: 'unseen' }, keys));
  return page;
}

export type Page = ReturnType<typeof makePage>;

// Of the names beside the rows, in pixels.
export interface NameWidths {
  readonly names: number; // all together
  readonly totals: number; // 0: not shown
  readonly shares: number;
}

const padding = 14;
const gap = 6;
const leastHeat = 120;

// Names, shares and totals, as there is room beside the picture: totals are left out first, then shares.
export function nameWidths(width: number, longest: { name: number; total: number; share: number }): NameWidths {
  const most = Math.max(0, Math.min(width * 0.5, width - leastHeat));
  const name = Math.min(longest.name, 160);
  const totals = Math.ceil(longest.total);
  const shares = Math.ceil(longest.share);
  const withAll = padding + name + gap + totals + gap + shares;
  if (withAll <= most) return { names: Math.ceil(withAll), totals, shares };
  const withShares = padding + Math.min(name, 90) + gap + shares;
  if (withShares <= most) return { names: Math.ceil(Math.min(most, padding + name + gap + shares)), totals: 0, shares };
  return { names: Math.ceil(Math.min(most, padding + name)), totals: 0, shares: 0 };
}
