// The view Call Tree: who calls a function, or what it calls, expanded one call at a time.
import * as vscode from 'vscode';
import type { FunctionSubject } from '../pictures/messages';
import { functionParams, subjectOf } from '../pictures/messages';
import type { ListFigures } from '../figures/columns';
import { nameInTree } from '../figures/shortNames';
import type { CallGraphParams, CallGraphResult, HotSpotsParams, HotSpotsResult } from '../server/protocol';
import { hasPlace } from '../server/places';
import type { Place } from '../server/places';
import type { Services } from '../services';
import type { CallTreeNode, TreeDirection } from './callTreeModel';
import { childrenOf, rootOf } from './callTreeModel';
import { descriptionOf, labelOf, tooltipOf } from './callTreeText';
import { functionValues, noValues } from './functionValues';
import { titleOfCostsNow } from '../metrics/profileMetrics';
import { programFigures } from './programFigures';

export class CallTreeView implements vscode.TreeDataProvider<CallTreeNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<CallTreeNode>;
  private subject: FunctionSubject | undefined;
  private direction: TreeDirection = 'callees';
  private figures: ListFigures = { seconds: 0, unit: 'seconds', scale: {} };
  private values = noValues;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly services: Services) {
    this.view = vscode.window.createTreeView('gprof.callTree', { treeDataProvider: this, showCollapseAll: true });
    void this.announceDirection();
  }

  async show(subject: FunctionSubject, direction: TreeDirection): Promise<void> {
    this.subject = subject;
    this.direction = subject.isLibrary === true ? 'callers' : direction;
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
    const item = new vscode.TreeItem(labelOf(element, this.figures), state);
    item.description = descriptionOf(element, this.values);
    item.tooltip = tooltipOf(element, this.figures, this.direction, this.values);
    item.iconPath = new vscode.ThemeIcon(recursive ? 'sync' : 'symbol-function');
    item.contextValue = hasPlace(node) ? 'function.source' : 'function';
    item.command = { command: 'gprof.openTreePlace', title: 'Open', arguments: [element] };
    item.accessibilityInformation = { label: item.tooltip };
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  // Without the user's choice, the program's function with the most total time: its start.
  private async roots(): Promise<CallTreeNode[]> {
    const [figures, values, costs] = await Promise.all(
      [programFigures(this.services), functionValues(this.services), titleOfCostsNow(this.services)]);
    this.figures = figures;
    this.values = values;
    const subject = this.subject ?? (await this.beginning());
    const graph = subject === undefined ? undefined : await this.graphAround(subject);
    const root = graph === undefined ? undefined : rootOf(graph);
    this.view.description = root === undefined ? '' : `${this.direction} of ${nameInTree(root.node.name)} · ${costs}`;
    // An empty message shows none.
    this.view.message = root === undefined && subject !== undefined
      ? `The profile knows nothing of ${subject.name}.`
      : graph?.basis === 'estimated' ? 'Times of calls are estimated by gprof’s propagation.' : '';
    return root === undefined ? [] : [root];
  }

  private async beginning(): Promise<FunctionSubject | undefined> {
    const hottest = await this.services.client.request<HotSpotsParams, HotSpotsResult>(
      'gprof/hotSpots', { metric: 'total', limit: 50 });
    const spot = hottest?.spots.find(({ module }) => module === undefined);
    return spot === undefined ? undefined : subjectOf(spot);
  }

  private graphAround(subject: FunctionSubject): Promise<CallGraphResult | undefined> {
    return this.services.client.request<CallGraphParams, CallGraphResult>(
      'gprof/callGraph', { ...functionParams(subject), depth: 1, direction: this.direction });
  }

  private async announceDirection(): Promise<void> {
    await vscode.commands.executeCommand('setContext', 'gprof.callTree.direction', this.direction);
  }
}

// Where a click goes: to the first counted call, else to the definition.
export function placeOf({ node, arc }: CallTreeNode): Place | undefined {
  const [site] = arc?.sites ?? [];
  return site ?? (hasPlace(node) ? node : undefined);
}
