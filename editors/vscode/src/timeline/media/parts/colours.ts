// The theme's colours of what threads did.
import type { Activity } from '../../../server/protocol';
import { activities } from '../../activities';

export type ActivityColours = Readonly<Record<Activity, string>>;

// The property that has the colour: gprof.timelineRunning and so on.
export function colourProperty(activity: Activity): string {
  return `--vscode-gprof-timeline${activity.charAt(0).toUpperCase()}${activity.slice(1)}`;
}

export function activityColoursNow(): ActivityColours {
  const style = getComputedStyle(document.documentElement);
  const colours = activities.map((name) => [name, style.getPropertyValue(colourProperty(name)).trim() || 'gray']);
  return Object.fromEntries(colours) as ActivityColours;
}
