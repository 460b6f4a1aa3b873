// The script of the time line's view.
import { listenAs, tellAs } from '../../pictures/media/common/host';
import type { FromTimeline, ToTimeline } from '../messages';
import { columnsThatFit, TimelinePicture } from './parts/view';

const picture = new TimelinePicture({
  select: (selection) => tellAs<FromTimeline>({ type: 'select', selection }),
  tellColumns: (columns) => tellAs<FromTimeline>({ type: 'columns', columns }),
  setIdle: (idle) => tellAs<FromTimeline>({ type: 'idle', idle }),
  run: () => tellAs<FromTimeline>({ type: 'run' }),
});

listenAs<ToTimeline, FromTimeline>((message) => {
  if (message.type === 'rows') picture.show(message.result, message);
  else if (message.type === 'selection') picture.showSelection(message.selection, message.text);
  else picture.sayNothing(message.text, message.canRun);
}, { type: 'ready', columns: columnsThatFit(document.body.clientWidth * 0.65) });
