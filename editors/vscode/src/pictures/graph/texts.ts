// The call graph's texts for functions and calls.
import { exactCount, shareText, shortCount, timeText, timeWithError } from '../../figures/numbers';
import type { CallGraphArc, CallGraphNode, CallGraphResult } from '../../server/protocol';
import { arcTime, nodeTime } from './choice';

export interface GraphFigures {
  readonly programSeconds: number; // 0: not known
  readonly unit: string;
  readonly basis?: CallGraphResult['basis'];
}

// Long names lose their middle: the beginning and the end distinguish them.
export function shortName(name: string, letters: number): string {
  if (name.length <= letters) return name;
  const end = Math.floor((letters - 1) / 3);
  return `${name.slice(0, letters - 1 - end)}…${name.slice(name.length - end)}`;
}

export function shareOfProgram(time: number, { programSeconds }: GraphFigures): number {
  return programSeconds > 0 ? Math.min(1, time / programSeconds) : 0;
}

// The lines of a box, below the name.
export function boxTexts(node: CallGraphNode, figures: GraphFigures): string[] {
  const time = nodeTime(node);
  const share = figures.programSeconds > 0 ? `${shareText(shareOfProgram(time, figures))} · ` : '';
  const recursive = node.recursiveCalls > 0 ? ` + ${shortCount(node.recursiveCalls)}` : '';
  // A function without counted calls is spontaneous as far as the profile knows.
  const calls = node.calls === 0 && recursive === '' ? 'spontaneous'
    : `${shortCount(node.calls)}${recursive} ${node.calls === 1 && recursive === '' ? 'call' : 'calls'}`;
  return [`${share}${timeText(time, figures.unit)}`, node.cycle === undefined ? calls : `${calls} · cycle ${node.cycle}`];
}

export function nodeText(node: CallGraphNode, figures: GraphFigures): string {
  const { unit } = figures;
  const time = nodeTime(node);
  const parts = [`${figures.basis === 'estimated' ? '≈ ' : ''}${timeWithError(time, node.totalError, unit)}`];
  if (figures.programSeconds > 0) parts.push(`${shareText(shareOfProgram(time, figures))} of the program`);
  if (node.selfSeconds > 0) parts.push(`${timeText(node.selfSeconds, unit)} itself`);
  parts.push(`called ${exactCount(node.calls)} ${node.calls === 1 ? 'time' : 'times'}`);
  if (node.recursiveCalls > 0) parts.push(`by itself ${exactCount(node.recursiveCalls)} more`);
  if (node.cycle !== undefined) parts.push(`part of cycle ${node.cycle}`);
  return `${node.name}: ${parts.join(', ')}`;
}

export function arcLabel(arc: CallGraphArc, unit: string): string {
  const time = arcTime(arc);
  return time > 0 ? `${shortCount(arc.calls)}× · ${timeText(time, unit)}` : `${shortCount(arc.calls)}×`;
}

export function arcText(arc: CallGraphArc, from: CallGraphNode, to: CallGraphNode, unit: string): string {
  const calls = arc.calls === 0 ? 'calls seen on stacks alone'
    : `${exactCount(arc.calls)} ${arc.calls === 1 ? 'call' : 'calls'}`;
  return `${from.name} → ${to.name}: ${calls}, ${timeWithError(arcTime(arc), arc.error, unit)}`;
}
