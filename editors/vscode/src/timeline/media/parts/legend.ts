// What the colours of a picture of waits mean. Idle waiting is shown and folded away by a click on its name.
import { button, element } from '../../../pictures/media/common/dom';
import type { Activity } from '../../../server/protocol';
import { activityHints, activityTitles } from '../../activities';
import type { Idle } from '../../messages';
import { colourProperty } from './colours';

export function legendOf(shown: readonly Activity[], idle: Idle | undefined, setIdle: (idle: Idle) => void): HTMLElement[] {
  return shown.map((activity) => {
    const swatch = element('span', { 'class': 'swatch', 'aria-hidden': 'true' });
    swatch.style.background = `var(${colourProperty(activity)})`;
    const name = activity === 'idle' && idle !== undefined ? idleButton(idle, setIdle) : activityTitles[activity];
    return element('li', { 'title': activityHints[activity], 'data-activity': activity }, swatch, name);
  });
}

function idleButton(idle: Idle, setIdle: (idle: Idle) => void): HTMLButtonElement {
  const isFolded = idle === 'folded';
  const hint = isFolded ? 'Waiting for work, in no figure: click to count it' : 'Waiting for work: click to leave it out of figures';
  return button(isFolded ? 'idle, folded' : 'idle', hint, () => setIdle(isFolded ? 'shown' : 'folded'));
}
