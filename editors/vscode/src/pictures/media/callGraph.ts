// The script of the call graph's webview.
import { listen } from './common/host';
import { GraphView } from './graph/view';

const view = new GraphView();

listen((message) => {
  if (message.type === 'graph') view.show(message);
  else if (message.type === 'nothing') view.sayNothing(message.text);
});
