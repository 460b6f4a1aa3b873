// Draws a placed call graph as SVG: one box per function, coloured by its share of the program's time, with a bar for
// the self part; one line per arc, as thick as its time.
import { cssColour, mix, textOn } from '../../colours';
import { arcTime, arcWidth, nodeTime } from '../../graph/choice';
import type { ChosenGraph } from '../../graph/choice';
import { placeLabels } from '../../graph/labels';
import { curveThrough, placeGraph } from '../../graph/layout';
import type { PlacedGraph, Point } from '../../graph/layout';
import { arcLabel, arcText, boxName, boxTexts, nodeText, shareOfProgram } from '../../graph/texts';
import type { GraphFigures } from '../../graph/texts';
import type { CallGraphArc, CallGraphNode } from '../../../server/protocol';
import { drawn } from '../common/dom';
import type { Theme } from '../common/theme';

const lineHeight = 15;
const padding = 8;
const margin = 16;

export interface GraphDrawing {
  readonly picture: SVGSVGElement;
  readonly placed: PlacedGraph;
  readonly boxes: readonly SVGGElement[]; // by node index
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

export interface GraphHandlers {
  readonly node: (index: number, event: MouseEvent) => void;
  readonly arc: (arc: CallGraphArc, event: MouseEvent) => void;
}

// Assumes a fixed-width font.
export function drawGraph(
  chosen: ChosenGraph, figures: GraphFigures, theme: Theme, letter: number, handlers: GraphHandlers,
): GraphDrawing {
  const index = new Map(chosen.nodes.map((node, at) => [node.id, at]));
  const sizes = chosen.nodes.map((node) => {
    const texts = [boxName(node), ...boxTexts(node, figures)];
    const letters = Math.max(...texts.map((text) => text.length));
    return { width: Math.ceil(letters * letter) + 2 * padding, height: texts.length * lineHeight + 2 * padding };
  });
  const placed = placeGraph({
    nodes: sizes,
    arcs: chosen.arcs.map((arc) => ({
      from: index.get(arc.from) ?? 0, to: index.get(arc.to) ?? 0, weight: 1 + arcTime(arc),
    })),
  });
  const longest = Math.max(0, ...chosen.arcs.map((arc) => arcLabel(arc, figures.unit).length));
  const width = placed.width + 2 * margin + longest * letter;
  const height = placed.height + 2 * margin;
  const picture = drawn('svg', { viewBox: `${-margin} ${-margin} ${width} ${height}`, role: 'group' });
  picture.append(arrowHead());
  const greatest = Math.max(0, ...chosen.arcs.map(arcTime));
  const arcs = drawn('g');
  const labels = drawn('g', { class: 'labels', 'aria-hidden': 'true' });
  chosen.arcs.forEach((arc, at) => {
    const way = placed.arcs[at];
    const from = chosen.nodes[index.get(arc.from) ?? -1];
    const to = chosen.nodes[index.get(arc.to) ?? -1];
    if (way === undefined || from === undefined || to === undefined) return;
    const made = drawArc(arc, way, arcWidth(arc, greatest), arcText(arc, from, to, figures.unit));
    made.addEventListener('click', (event) => handlers.arc(arc, event));
    arcs.append(made);
  });
  labels.append(...drawLabels(chosen, placed, sizes, letter, figures.unit));
  const boxes = chosen.nodes.map((node, at) => {
    const box = drawBox(node, placed.nodes[at] ?? { x: 0, y: 0 }, sizes[at] ?? { width: 0, height: 0 }, figures, theme);
    box.addEventListener('click', (event) => handlers.node(at, event));
    return box;
  });
  boxes[0]?.classList.add('center');
  picture.append(arcs, labels, drawn('g', {}, ...boxes));
  return { picture, placed, boxes, width, height };
}

function arrowHead(): SVGDefsElement {
  const head = drawn('marker', {
    id: 'head', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto', markerUnits: 'userSpaceOnUse',
  }, drawn('path', { d: 'M0,0L8,4L0,8Z' }));
  return drawn('defs', {}, head);
}

function drawArc(
  arc: CallGraphArc, way: PlacedGraph['arcs'][number], width: number, text: string,
): SVGGElement {
  const d = curveThrough(way.points);
  const made = drawn('g', { class: way.back ? 'arc back' : 'arc' },
    drawn('title', {}, text),
    drawn('path', { d, class: 'line', 'stroke-width': width.toFixed(2), 'marker-end': 'url(#head)' }),
    drawn('path', { d, class: 'reach', 'stroke-width': Math.max(10, width) }));
  if ((arc.sites ?? []).length > 0) made.classList.add('known');
  return made;
}

function drawLabels(
  chosen: ChosenGraph, placed: PlacedGraph, sizes: readonly Size[], letter: number, unit: string,
): SVGTextElement[] {
  const greatest = Math.max(0, ...chosen.arcs.map(arcTime));
  const boxes = placed.nodes.map((at, node) => {
    const { width, height } = sizes[node] ?? { width: 0, height: 0 };
    return { left: at.x - width / 2, top: at.y - height / 2, right: at.x + width / 2, bottom: at.y + height / 2 };
  });
  const labels = chosen.arcs.map((arc, at) => ({
    points: placed.arcs[at]?.points ?? [],
    width: arcLabel(arc, unit).length * letter,
    lineWidth: arcWidth(arc, greatest),
    weight: arcTime(arc),
  }));
  const places = placeLabels(labels, lineHeight, boxes);
  return chosen.arcs.flatMap((arc, at) => {
    const place = places[at];
    return place === undefined ? [] : [drawn('text', { x: place.x, y: place.y }, arcLabel(arc, unit))];
  });
}

function drawBox(
  node: CallGraphNode, at: Point, size: Size, figures: GraphFigures, theme: Theme,
): SVGGElement {
  const share = Math.sqrt(shareOfProgram(nodeTime(node), figures));
  const fill = theme.highContrast ? theme.background : mix(theme.background, theme.hot, 0.08 + 0.82 * share);
  const text = cssColour(theme.highContrast ? theme.foreground : textOn(fill));
  const left = at.x - size.width / 2;
  const top = at.y - size.height / 2;
  const box = drawn('g', {
    class: node.cycle === undefined ? 'box' : 'box cycle', role: 'button', tabindex: -1,
    'aria-label': nodeText(node, figures),
  }, drawn('title', {}, nodeText(node, figures)),
  drawn('rect', { x: left, y: top, width: size.width, height: size.height, rx: 4, fill: cssColour(fill) }));
  const total = nodeTime(node);
  if (total > 0) {
    const own = (size.width - 8) * Math.min(1, node.selfSeconds / total);
    box.append(drawn('rect', { class: 'own', x: left + 4, y: top + size.height - 5, width: own, height: 2, fill: text }));
  }
  [boxName(node), ...boxTexts(node, figures)].forEach((line, row) => {
    const y = top + padding + lineHeight * (row + 0.5);
    box.append(drawn('text', { x: at.x, y, fill: text, class: row === 0 ? 'name' : 'figure' }, line));
  });
  return box;
}
