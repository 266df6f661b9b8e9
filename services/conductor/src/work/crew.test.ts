import { describe, expect, it } from '@jest/globals';
import { createCrew } from './crew.js';

const gate = () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

describe('a crew', () => {
  it('does no more at a time than it has places, in the order asked', async () => {
    const crew = createCrew(2);
    const gates = [gate(), gate(), gate(), gate()];
    const begun: number[] = [];
    const started = gates.map(({ opened }, index) =>
      crew.start(() => {
        begun.push(index);
        return opened;
      }),
    );
    await Promise.all(started.slice(0, 2));
    expect(begun).toEqual([0, 1]);
    gates[1]?.open();
    await started[2];
    expect(begun).toEqual([0, 1, 2]);
    gates[0]?.open();
    await started[3];
    expect(begun).toEqual([0, 1, 2, 3]);
    for (const { open } of gates) open();
    await crew.idle();
  });

  it('is idle only when nothing runs and nothing waits', async () => {
    const crew = createCrew(1);
    await crew.idle();
    const ended: string[] = [];
    await crew.start(async () => {
      await Promise.resolve();
      ended.push('first');
    });
    void crew.start(async () => {
      await Promise.resolve();
      ended.push('second');
    });
    await crew.idle();
    expect(ended).toEqual(['first', 'second']);
  });
});
