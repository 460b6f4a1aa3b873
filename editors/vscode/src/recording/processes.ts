// Processes by their numbers.
import { setTimeout as pause } from 'node:timers/promises';

const interval = 100; // milliseconds

export function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Someone else's process runs, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

// A task may end before its process: closing a terminal only hangs up.
export async function ended(id: number): Promise<void> {
  while (isRunning(id)) await pause(interval);
}
