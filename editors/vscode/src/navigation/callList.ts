// The calls of a function, or those that it makes, as a list to choose from: what each entry says, and where it leads.
// Pure.
import type { ListFigures } from '../figures/columns';
import { figuresBefore, padded } from '../figures/columns';
import { exactCount, sampledTime, scaleOf, shareText, shortCount } from '../figures/numbers';
import { letters, lettersBesidePlace, shortName, shortNames } from '../figures/shortNames';
import type { Place } from '../server/places';
import { hasPlace } from '../server/places';
import type { CallSite, CallSitesParams, CallSitesResult } from '../server/protocol';

export type CallDirection = CallSitesParams['direction'];

export interface CallEntry {
  readonly figures: string; // "12.3 %  0.42 s  26.3k×  ", of calls that were counted
  readonly name: string; // shortened
  readonly detail?: string; // the whole name, where the short one leaves it open
  readonly wholeName: string;
  readonly inWords: string; // "≈1.05 s (12 %), 26.3k×"
  readonly where: string; // "main.c:13", or why there is none
  readonly place?: Place;
}

export interface CallList {
  readonly title: string; // "6 callers of area: 26,300 calls, 1.05 s"; "6 callers of area: 1.05 s measured"
  readonly note: string; // how its times are known
  readonly entries: readonly CallEntry[];
}

const spontaneous = '<spontaneous>';
const gap = '\u2002';

// A caller has an entry for each of its lines, where it leads. A callee has one, as it leads to the definition.
export function callListOf(result: CallSitesResult, direction: CallDirection): CallList {
  const { basis } = result;
  const sites = direction === 'callees' ? oncePerFunction(result) : result.sites;
  const figures: ListFigures = { seconds: hasTimes(sites) ? result.programSeconds : 0, unit: result.unit, scale: scaleOf(result) };
  const names = shortNames(sites.map(nameOf), letters(lettersBesidePlace));
  const lettersOfCalls = Math.max(0, ...sites.map((site) => callsText(site).length));
  return {
    title: titleOf(result, sites, direction, figures),
    note: figures.seconds > 0 && basis !== undefined
      ? `Times are ${basis === 'measured' ? 'measured from stacks' : 'estimated by gprof’s propagation'}` : '',
    entries: sites.map((site, index) => {
      const place = targetOf(site, direction);
      return {
        figures: figuresBefore(site.seconds ?? 0, figures)
          + (lettersOfCalls > 0 ? `${padded(callsText(site), lettersOfCalls)}${gap}` : ''),
        name: names[index]?.short ?? nameOf(site),
        ...(names[index]?.whole === undefined ? {} : { detail: names[index].whole }),
        wholeName: nameOf(site),
        inWords: inWords(site, figures, basis === 'estimated'),
        where: whereOf(site, place),
        ...(place === undefined ? {} : { place }),
      };
    }),
  };
}

// Whether there is anything to choose: the C library's call of main, for one, is no known function's.
export function hasNamed(sites: readonly CallSite[]): boolean {
  return sites.some(({ name }) => name !== spontaneous);
}

// For a function with a single caller or callee: "area: ≈0.42 s (4.2 %), 26.3k×", "from main: …".
export function onlyCallText({ inWords: words, name }: CallEntry, direction: CallDirection): string {
  return `${direction === 'callers' ? 'from ' : ''}${name}${words === '' ? '' : `: ${words}`}`;
}

function inWords(site: CallSite, { seconds: whole, scale, unit }: ListFigures, isEstimate: boolean): string {
  const { seconds } = site;
  const time = seconds === undefined || whole === 0 ? []
    : [`${isEstimate ? '≈' : ''}${sampledTime(seconds, undefined, scale, unit)} (${shareText(seconds / whole)})`];
  const calls = callsText(site);
  return [...time, ...(calls === '' ? [] : [calls])].join(', ');
}

function hasTimes(sites: readonly CallSite[]): boolean {
  return sites.some(({ seconds }) => seconds !== undefined);
}

// Calls of one function may be below each other: together they took no more than all calls did.
function oncePerFunction({ sites, seconds: most = Infinity }: CallSitesResult): CallSite[] {
  const known = new Map<string, CallSite>();
  for (const site of sites) {
    const key = functionOf(site);
    const before = known.get(key);
    known.set(key, before === undefined ? site : {
      ...before,
      calls: before.calls + site.calls,
      ...(before.seconds === undefined && site.seconds === undefined ? {} : { seconds: Math.min(most, (before.seconds ?? 0) + (site.seconds ?? 0)) }),
    });
  }
  return [...known.values()];
}

function functionOf({ name, definition }: CallSite): string {
  return `${name} ${definition === undefined ? '' : `${definition.uri}:${definition.range.start.line}`}`;
}

function titleOf(
  { name = '', seconds: together }: CallSitesResult, sites: readonly CallSite[], direction: CallDirection, figures: ListFigures,
): string {
  const others = sites.filter(({ recursive }) => recursive !== true);
  const named = others.filter((site) => site.name !== spontaneous);
  const functions = new Set(named.map(functionOf)).size;
  const short = shortName(name, letters(lettersBesidePlace));
  if (functions === 0) return `${direction === 'callers' ? 'Callers' : 'Callees'} of ${short}`;
  const kind = direction === 'callers' ? 'caller' : 'callee';
  const places = named.length > functions ? ` at ${named.length} places` : '';
  const calls = others.reduce((sum, site) => sum + site.calls, 0);
  const seconds = together ?? others.reduce((sum, site) => sum + (site.seconds ?? 0), 0);
  const time = figures.seconds > 0 ? sampledTime(seconds, undefined, figures.scale, figures.unit) : '';
  const counted = `${exactCount(calls)} ${calls === 1 ? 'call' : 'calls'}`;
  return `${functions} ${kind}${functions === 1 ? '' : 's'} of ${short}${places}: `
    + (time === '' ? counted : calls === 0 ? `${time} measured` : `${counted}, ${time}`);
}

function callsText({ calls, approximate }: CallSite): string {
  return calls === 0 ? '' : `${approximate === true ? '≈' : ''}${shortCount(calls)}×`;
}

function nameOf({ name, through, recursive }: CallSite): string {
  if (name === spontaneous) return 'code that counts no calls';
  return `${name}${through === undefined ? '' : ` through ${through}`}${recursive === true ? ' (recursive)' : ''}`;
}

function targetOf(site: CallSite, direction: CallDirection): Place | undefined {
  const call = hasPlace(site) ? { uri: site.uri, range: site.range } : undefined;
  return direction === 'callers' ? (call ?? site.definition) : (site.definition ?? call);
}

function whereOf(site: CallSite, place: Place | undefined): string {
  if (place === undefined) return site.name === spontaneous ? '' : 'its source is not here';
  const where = lineOf(place);
  const others = (site.alternatives ?? []).map((other) => (other.uri === site.uri ? String(other.range.start.line + 1) : lineOf(other)));
  if (others.length > 0) return `${where}, together with ${others.join(', ')}`;
  return site.uri === undefined ? `${where}, the line of the call is not known` : where;
}

function lineOf({ uri, range }: Place): string {
  return `${decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))}:${range.start.line + 1}`;
}
