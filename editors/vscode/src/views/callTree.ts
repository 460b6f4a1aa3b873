// The view Call Tree: who calls a function, or what it calls, unfolded one call after the other.
import * as vscode from 'vscode';
import { exactCount, shareText, shortCount, timeText, timeWithError } from '../figures/numbers';
import type { FunctionSubject } from '../pictures/messages';
import { functionParams, subjectOf } from '../pictures/messages';
import type { CallGraphParams, CallGraphResult, HotSpotsParams, HotSpotsResult } from '../server/protocol';
import { hasPlace } from '../server/places';
import type { Place } from '../server/places';
import type { Services } from '../services';
import type { CallTreeNode, TreeDirection } from './callTreeModel';
import { childrenOf, rootOf } from './callTreeModel';
import type { ProgramFigures } from './programFigures';
import { programFigures } from './programFigures';

export class CallTreeView implements vscode.TreeDataProvider<CallTreeNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<CallTreeNode>;
  private subject: FunctionSubject | undefined;
  private direction: TreeDirection = 'callees';
  private figures: ProgramFigures = { seconds: 0, unit: 'seconds' };

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly services: Services) {
    this.view = vscode.window.createTreeView('gprof.callTree', { treeDataProvider: this, showCollapseAll: true });
    void this.announceDirection();
  }

  async show(subject: FunctionSubject, direction: TreeDirection): Promise<void> {
    this.subject = subject;
    this.direction = direction;
    await this.announceDirection();
    this.refresh();
    await vscode.commands.executeCommand('gprof.callTree.focus');
  }

  get currentDirection(): TreeDirection {
    return this.direction;
  }

  async turn(): Promise<void> {
    this.direction = this.direction === 'callers' ? 'callees' : 'callers';
    await this.announceDirection();
    this.refresh();
  }

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(parent?: CallTreeNode): Promise<CallTreeNode[]> {
    if (parent === undefined) return this.roots();
    const graph = await this.graphAround(subjectOf(parent.node));
    return graph === undefined ? [] : childrenOf(parent, graph, this.direction);
  }

  getParent(element: CallTreeNode): CallTreeNode | undefined {
    return element.parent;
  }

  getTreeItem(element: CallTreeNode): vscode.TreeItem {
    const { node, arc, recursive } = element;
    const state = recursive ? vscode.TreeItemCollapsibleState.None
      : arc === undefined ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
    const item = new vscode.TreeItem(node.name, state);
    item.description = this.descriptionOf(element);
    item.tooltip = this.tooltipOf(element);
    item.iconPath = new vscode.ThemeIcon(recursive ? 'sync' : 'symbol-function');
    item.contextValue = hasPlace(node) ? 'function.source' : 'function';
    item.command = { command: 'gprof.openTreePlace', title: 'Open', arguments: [element] };
    item.accessibilityInformation = { label: `${node.name}, ${item.tooltip}` };
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  // Without a function of the user's choice, that with most time with what it calls: it is the program's beginning.
  private async roots(): Promise<CallTreeNode[]> {
    this.figures = await programFigures(this.services);
    const subject = this.subject ?? (await this.beginning());
    const graph = subject === undefined ? undefined : await this.graphAround(subject);
    const root = graph === undefined ? undefined : rootOf(graph);
    this.view.description = root === undefined ? '' : `${this.direction} of ${root.node.name}`;
    // An empty message is none.
    this.view.message = root === undefined && subject !== undefined
      ? `The profile knows nothing of ${subject.name}.`
      : graph?.basis === 'estimated' ? 'Times of calls are estimated by gprof’s propagation.' : '';
    return root === undefined ? [] : [root];
  }

  private async beginning(): Promise<FunctionSubject | undefined> {
    const hottest = await this.services.client.request<HotSpotsParams, HotSpotsResult>(
      'gprof/hotSpots', { metric: 'total', limit: 1 });
    const [spot] = hottest?.spots ?? [];
    return spot === undefined ? undefined : subjectOf(spot);
  }

  private graphAround(subject: FunctionSubject): Promise<CallGraphResult | undefined> {
    return this.services.client.request<CallGraphParams, CallGraphResult>(
      'gprof/callGraph', { ...functionParams(subject), depth: 1, direction: this.direction });
  }

  private descriptionOf({ node, arc }: CallTreeNode): string {
    const time = (arc ?? node).selfSeconds + (arc ?? node).childSeconds;
    const share = this.figures.seconds > 0 ? `${shareText(Math.min(1, time / this.figures.seconds))} · ` : '';
    const { calls } = arc ?? node;
    return `${share}${timeText(time, this.figures.unit)}${calls > 0 ? ` · ${shortCount(calls)}×` : ''}`;
  }

  private tooltipOf({ node, arc, recursive }: CallTreeNode): string {
    const { unit } = this.figures;
    const lines = [
      `In all ${timeWithError(node.selfSeconds + node.childSeconds, node.totalError, unit)}, `
      + `itself ${timeText(node.selfSeconds, unit)}, called ${exactCount(node.calls)} times`,
    ];
    if (arc !== undefined) {
      const way = this.direction === 'callers' ? 'from here' : 'from above';
      lines.unshift(`Called ${way} ${exactCount(arc.calls)} times: `
        + timeWithError(arc.selfSeconds + arc.childSeconds, arc.error, unit));
    }
    if (node.recursiveCalls > 0) lines.push(`Called by itself ${exactCount(node.recursiveCalls)} times more`);
    if (node.cycle !== undefined) lines.push(`Part of cycle ${node.cycle}`);
    if (recursive) lines.push('It stands above already.');
    return lines.join('\n');
  }

  private async announceDirection(): Promise<void> {
    await vscode.commands.executeCommand('setContext', 'gprof.callTree.direction', this.direction);
  }
}

// Where a click goes: to the first call that was counted, else to the definition.
export function placeOf({ node, arc }: CallTreeNode): Place | undefined {
  const [site] = arc?.sites ?? [];
  return site ?? (hasPlace(node) ? node : undefined);
}
