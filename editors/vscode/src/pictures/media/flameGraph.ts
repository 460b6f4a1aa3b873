// The script of the flame graph's webview.
import { hasPlace } from '../../server/places';
import { listen, tell } from './common/host';
import { FlameView } from './flame/view';
import { subjectOf } from '../messages';

const view = new FlameView({
  openSource: (frame, keepFocus) => {
    if (hasPlace(frame)) tell({ type: 'open', uri: frame.uri, range: frame.range, keepFocus });
  },
  showGraph: (frame) => tell({ type: 'graph', subject: subjectOf(frame) }),
  showProgram: () => tell({ type: 'flames' }),
});

listen((message) => {
  if (message.type === 'flames') view.show(message.result, message.costs, message.subject);
  else if (message.type === 'nothing') view.sayNothing(message.text);
});
