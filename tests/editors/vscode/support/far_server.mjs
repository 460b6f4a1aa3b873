// A server as it is seen from far away: what it sends is on its way for some time.
import { once } from 'node:events';
import net from 'node:net';

// The address of a way to `port` of this machine on which answers take `milliseconds` longer.
export async function farAway(test, port, milliseconds) {
  const sockets = new Set();
  const keep = (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };
  const way = net.createServer((near) => {
    const far = net.connect(port, '127.0.0.1');
    keep(near);
    keep(far);
    near.pipe(far);
    far.on('data', (data) => setTimeout(() => near.write(data), milliseconds));
    far.on('end', () => setTimeout(() => near.end(), milliseconds));
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  test.after(() => {
    way.close();
    for (const socket of sockets) {
      socket.destroy();
    }
  });
  return `127.0.0.1:${way.address().port}`;
}
