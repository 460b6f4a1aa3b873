// What figures are shown at the moment. Pure.
import type { StatusParams } from './protocol';

// Equal for as long as the server answers with the same figures.
export function figuresKey(status: StatusParams | undefined): string {
  return JSON.stringify([status?.program, status?.generation, status?.metric, status?.selection, status?.idle]);
}

// The same, whatever part of the profile is selected.
export function wholeKey(status: StatusParams | undefined): string {
  return JSON.stringify([status?.state, status?.program, status?.generation, status?.metric, status?.idle]);
}

export function isSelecting(status: StatusParams | undefined): boolean {
  return (status?.selectionText ?? '') !== '';
}
