// Lists of the loaded programs. Pure.
import type { ProgramEntry } from '../server/protocol';

// Libraries are shown with the program they were profiled in.
export function mainPrograms(programs: readonly ProgramEntry[]): ProgramEntry[] {
  return programs.filter((program) => program.partOf === undefined);
}

export function hasToAsk(programs: readonly ProgramEntry[]): boolean {
  return mainPrograms(programs).length > 1;
}

export function programTitle(program: ProgramEntry): string {
  return [
    program.selected ? 'shown' : '',
    program.live === true ? 'running' : '',
    program.rebuiltSince ? 'rebuilt since' : '',
    program.partOf === undefined ? '' : 'library',
    program.candidates.length > 1 ? `${program.candidates.length} profiles` : '',
  ]
    .filter(Boolean)
    .join(', ');
}
