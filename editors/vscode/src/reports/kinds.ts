// gprof's reports, and the URIs of the server's documents for them.
import type { ReportKind } from '../server/protocol';

export interface Report {
  readonly kind: ReportKind;
  readonly command: string;
  readonly label: string;
  readonly detail: string;
  readonly needsCalls?: boolean;
}

export const reports: readonly Report[] = [
  {
    kind: 'flat-profile', command: 'gprof.openFlatProfileReport', label: 'Flat Profile',
    detail: 'Functions by the time spent in them (gprof -p)',
  },
  {
    kind: 'call-graph', command: 'gprof.openCallGraphReport', label: 'Call Graph',
    detail: 'Each function between its callers and what it calls (gprof -q)',
  },
  {
    kind: 'annotated-source', command: 'gprof.openAnnotatedSourceReport', label: 'Annotated Source',
    detail: 'Sources with numbers of calls, or with times where none were counted (gprof -A)',
  },
  {
    kind: 'execution-counts', command: 'gprof.openExecutionCountsReport', label: 'Execution Counts',
    detail: 'Functions and their numbers of calls (gprof -C)', needsCalls: true,
  },
  {
    kind: 'function-ordering', command: 'gprof.openFunctionOrderingReport', label: 'Function Ordering',
    detail: 'An order of functions for the linker (gprof -r)', needsCalls: true,
  },
  {
    kind: 'file-information', command: 'gprof.openFileInformationReport', label: 'File Information',
    detail: 'What the profile files hold (gprof -i)',
  },
  { kind: 'index', command: 'gprof.openIndexReport', label: 'Index', detail: 'Functions by name', needsCalls: true },
  { kind: 'all', command: 'gprof.openAllReports', label: 'All of gprof’s Output', detail: 'What gprof prints without options' },
];

// What a profile can be asked for: some reports are about calls alone.
export function availableReports(countsCalls: boolean): readonly Report[] {
  return reports.filter(({ needsCalls }) => countsCalls || needsCalls !== true);
}

// gprof-report:/KIND?options=…; without options the server leaves out gprof's explanations.
export function reportAddress(kind: ReportKind, options?: string): string {
  return `gprof-report:/${kind}${options === undefined ? '' : `?options=${encodeURIComponent(options)}`}`;
}

export const reportScheme = 'gprof-report';
