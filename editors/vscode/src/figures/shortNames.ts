// Names of functions where there is no room for all of them: what distinguishes a function stands at the end of its
// name, so names lose their parameters, then what is between <>, then their scopes from the outermost on:
// "db::(anonymous namespace)::Block<int>::Next(int) const" is "…::Block<…>::Next", then "…::Next". Pure.

// Whether a text has room.
export type Fits = (text: string) => boolean;

export function letters(most: number): Fits {
  return (text) => text.length <= most;
}

// Where the width is not known: what tabs, pickers and messages have room for.
export const lettersInTab = 30;
export const lettersInPicker = 60;
export const lettersBesidePlace = 40; // in a pick whose rows say where as well

const lettersInTree = 16;

// In trees, beside figures: with as many scopes as a narrow sidebar has room for. The editor cuts off the end itself.
export function nameInTree(name: string): string {
  return shortForm(name, letters(lettersInTree)) ?? ownName(name);
}

export interface ShortName {
  readonly short: string;
  readonly whole?: string; // where the short name leaves open which function it is
}

// Of one list.
export function shortNames(names: readonly string[], fits: Fits): ShortName[] {
  const short = names.map((name) => shortName(name, fits));
  const namesOf = new Map<string, Set<string>>();
  short.forEach((form, index) => namesOf.set(form, (namesOf.get(form) ?? new Set()).add(names[index] ?? '')));
  return names.map((whole, index) => {
    const form = short[index] ?? whole;
    const isClear = form === whole || (!form.includes('…') && namesOf.get(form)?.size === 1);
    return isClear ? { short: form } : { short: form, whole };
  });
}

// The longest form that fits; if none does, the beginning of the function's own name.
export function shortName(name: string, fits: Fits): string {
  return shortForm(name, fits) ?? beginningOf(ownName(name), fits);
}

function ownName(name: string): string {
  return bare(withoutArguments(componentsOf(qualifiedName(name)).at(-1) ?? name));
}

function shortForm(name: string, fits: Fits): string | undefined {
  if (fits(name)) return name;
  const parts = componentsOf(qualifiedName(name));
  const plain = parts.map(withoutArguments);
  for (const form of [parts, plain]) {
    const whole = form.join('');
    if (whole !== name && fits(whole)) return whole;
  }
  for (let first = 1; first < plain.length; first++) {
    const form = plain.slice(first).join('');
    // A scope's end is part of what follows.
    const short = `…${form}`;
    if (fits(short)) return short;
  }
  return undefined;
}

// The longest beginning with its mark; at least one letter.
function beginningOf(text: string, fits: Fits): string {
  if (fits(text)) return text;
  const all = Array.from(text);
  let low = 1;
  let high = all.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(`${all.slice(0, middle).join('')}…`)) low = middle;
    else high = middle - 1;
  }
  return `${all.slice(0, low).join('')}…`;
}

const opening = '<([{';
const closing = '>)]}';
const operators = /operator\s*(?:\(\)|\[\]|->\*?|<=>|<<=?|>>=?|[<>]=?)/y;
const anonymous = '(anonymous namespace)';

// Calls `visit` with each place outside all brackets, until it answers true. An operator's signs are no brackets.
function outside(name: string, visit: (at: number) => boolean): void {
  let depth = 0;
  for (let at = 0; at < name.length; at++) {
    if (name[at] === 'o' && !isWord(name[at - 1])) {
      operators.lastIndex = at;
      const operator = operators.exec(name);
      if (operator !== null) {
        at += operator[0].length - 1;
        continue;
      }
    }
    if (depth === 0 && visit(at)) return;
    const letter = name.charAt(at);
    if (opening.includes(letter)) depth += 1;
    // "->" in a type is no bracket.
    else if (closing.includes(letter) && !(letter === '>' && name[at - 1] === '-')) depth = Math.max(0, depth - 1);
  }
}

function isWord(letter: string | undefined): boolean {
  return letter !== undefined && /[\p{L}\p{N}_$]/u.test(letter);
}

// Without parameters and what follows them.
function qualifiedName(name: string): string {
  let end = name.length;
  outside(name, (at) => {
    const isList = at > 0 && name[at] === '(' && name[at - 1] !== '!' && !name.startsWith(anonymous, at);
    const isNote = name.startsWith(' [', at);
    if (isList || isNote) end = at;
    return isList || isNote;
  });
  return name.slice(0, end);
}

// The scopes and the name, each but the first with the "::" or "." before it.
function componentsOf(name: string): string[] {
  const starts = [0];
  const separator = hasScopes(name) ? '::' : '.';
  outside(name, (at) => {
    const isStart = at > 0 && name.startsWith(separator, at) && (separator === '::' || isWord(name[at + 1]));
    if (isStart) starts.push(at);
    return false;
  });
  return starts.map((start, index) => name.slice(start, starts[index + 1]));
}

function hasScopes(name: string): boolean {
  let found = false;
  outside(name, (at) => (found = name.startsWith('::', at)));
  return found;
}

// "::Block<int>" is "::Block<…>"; Rust's "<T as Trait>" and D's "map!(a, b)" as well.
function withoutArguments(component: string): string {
  let made = '';
  let kept = 0; // what was copied up to
  let open = -1;
  outside(`${component} `, (at) => {
    // Outside again, behind the bracket.
    if (open >= 0) {
      made += component.slice(kept, open + 1) + (at - open > 2 ? `…${component.charAt(at - 1)}` : component.slice(open + 1, at));
      kept = at;
      open = -1;
    }
    if (component[at] === '<' || (component[at] === '(' && component[at - 1] === '!')) open = at;
    return false;
  });
  return made + component.slice(kept);
}

// The function's own name alone.
function bare(component: string): string {
  const name = component.replace(/^(?:::|\.)/, '').replace(/<…>$|!\(…\)$/, '');
  return name === '' ? component : name;
}
