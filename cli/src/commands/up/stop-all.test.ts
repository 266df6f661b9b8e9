import { getActiveResourcesInfo } from 'node:process';
import { expect, it } from '@jest/globals';
import { stopAll } from './stop-all.js';

const timers = (): number => getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

it('stops the gateway before the parts that it needs', async () => {
  const stopped: string[] = [];
  const part = (name: string) => ({
    stop: () => {
      stopped.push(name);
      return Promise.resolve();
    },
  });
  await stopAll([part('pdp'), part('inventory'), part('gateway')]);
  expect(stopped).toEqual(['gateway', 'inventory', 'pdp']);
});

it('leaves no timer that keeps the process when every part has ended', async () => {
  const before = timers();
  await stopAll([{ stop: () => Promise.resolve() }, { stop: () => Promise.resolve() }]);
  expect(timers()).toBe(before);
});

it('has nothing to do when no part was started', async () => {
  await expect(stopAll([])).resolves.toBeUndefined();
});
