import { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { createOpenSockets } from './open-sockets.js';

it('is full while more connections are open than the maximum', async () => {
  const sockets = createOpenSockets(1);
  const [first, second] = [new Socket(), new Socket()];
  sockets.opened(first);
  expect(sockets.isFull()).toBe(false);
  sockets.opened(second);
  expect(sockets.isFull()).toBe(true);
  const closed = new Promise((resolve) => first.once('close', resolve));
  first.destroy();
  await closed;
  expect(sockets.isFull()).toBe(false);
  second.destroy();
});
