// Which profile is that of the run before. Pure.

export interface DatedProfile {
  readonly profile: string;
  readonly time: number; // milliseconds
}

// The newest that is older than all that are shown.
export function previousOf(shown: readonly string[], profiles: readonly DatedProfile[]): DatedProfile | undefined {
  const times = profiles.filter(({ profile }) => shown.includes(profile)).map(({ time }) => time);
  if (times.length === 0) return undefined;
  const older = profiles.filter(({ profile, time }) => !shown.includes(profile) && time < Math.min(...times));
  return older.sort((a, b) => b.time - a.time)[0];
}
