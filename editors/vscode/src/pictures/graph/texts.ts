// The call graph's texts for functions and calls.
import { exactCount, shareText, shortCount, timeText, timeWithError } from '../../figures/numbers';
import { letters, shortName } from '../../figures/shortNames';
import type { CallGraphArc, CallGraphNode, CallGraphResult } from '../../server/protocol';
import type { ChosenGraph } from './choice';
import { arcTime, nodeTime } from './choice';

export interface GraphFigures {
  readonly programSeconds: number; // 0: not known
  readonly unit: string;
  readonly basis?: CallGraphResult['basis'];
}

export function shareOfProgram(time: number, { programSeconds }: GraphFigures): number {
  return programSeconds > 0 ? Math.min(1, time / programSeconds) : 0;
}

const lettersInBox = 34;

export function boxName({ name }: CallGraphNode): string {
  return shortName(name, letters(lettersInBox));
}

// The lines of a box, below the name.
export function boxTexts(node: CallGraphNode, figures: GraphFigures): string[] {
  const time = nodeTime(node);
  const share = figures.programSeconds > 0 ? `${shareText(shareOfProgram(time, figures))} · ` : '';
  const recursive = node.recursiveCalls > 0 ? ` + ${shortCount(node.recursiveCalls)}` : '';
  // A function without counted calls is spontaneous as far as the profile knows; stacks know calls that are not counted.
  const calls = node.calls > 0 || recursive !== ''
    ? `${shortCount(node.calls)}${recursive} ${node.calls === 1 && recursive === '' ? 'call' : 'calls'}`
    : figures.basis === 'measured' ? '' : 'spontaneous';
  const below = [calls, node.cycle === undefined ? '' : `cycle ${node.cycle}`].filter((text) => text !== '').join(' · ');
  return [`${share}${timeText(time, figures.unit)}`, ...(below === '' ? [] : [below])];
}

export function nodeText(node: CallGraphNode, figures: GraphFigures): string {
  const { unit } = figures;
  const time = nodeTime(node);
  const parts = [`${figures.basis === 'estimated' ? '≈ ' : ''}${timeWithError(time, node.totalError, unit)}`];
  if (figures.programSeconds > 0) parts.push(`${shareText(shareOfProgram(time, figures))} of the program`);
  if (node.selfSeconds > 0) parts.push(`${timeText(node.selfSeconds, unit)} itself`);
  if (node.calls > 0 || figures.basis !== 'measured') parts.push(`called ${exactCount(node.calls)} ${node.calls === 1 ? 'time' : 'times'}`);
  if (node.recursiveCalls > 0) parts.push(`by itself ${exactCount(node.recursiveCalls)} more`);
  if (node.cycle !== undefined) parts.push(`part of cycle ${node.cycle}`);
  return `${node.name}: ${parts.join(', ')}`;
}

export function arcLabel(arc: CallGraphArc, unit: string): string {
  const time = arcTime(arc);
  if (arc.calls === 0 && time > 0) return timeText(time, unit);
  return time > 0 ? `${shortCount(arc.calls)}× · ${timeText(time, unit)}` : `${shortCount(arc.calls)}×`;
}

export function arcText(arc: CallGraphArc, from: CallGraphNode, to: CallGraphNode, unit: string): string {
  const calls = arc.calls === 0 ? 'calls seen on stacks alone'
    : `${exactCount(arc.calls)} ${arc.calls === 1 ? 'call' : 'calls'}`;
  return `${from.name} → ${to.name}: ${calls}, ${timeWithError(arcTime(arc), arc.error, unit)}`;
}

// What the picture does not show: "Left out: 12 functions and 30 arcs below 0.5 %, 3 functions with less time than these."
// `more`: the server has left out others.
export function leftOutText({ small, smallArcs, hidden, hiddenArcs }: ChosenGraph, leastShare: number, more: boolean): string {
  const below = countsText(small, smallArcs, more);
  const least = countsText(hidden, hiddenArcs, more && small === 0);
  const parts = [
    ...(below === '' ? [] : [`${below} below ${shareText(leastShare)}`]),
    ...(least === '' ? [] : [`${least} with less time than these`]),
  ];
  return parts.length === 0 ? '' : `Left out: ${parts.join(', ')}.`;
}

function countsText(functions: number, calls: number, more: boolean): string {
  const counted = (count: number, word: string): string => `${exactCount(count)} ${count === 1 ? word : `${word}s`}`;
  const parts = [
    ...(functions > 0 ? [more ? `${exactCount(functions)} or more functions` : counted(functions, 'function')] : []),
    ...(calls > 0 ? [counted(calls, 'arc')] : []),
  ];
  return parts.join(' and ');
}
