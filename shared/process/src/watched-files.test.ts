import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Watched, watchFiles } from './watched-files.js';

let text: string | Error;
let log: EventEmitter;
let watched: Watched<readonly string[]>;

beforeEach(() => {
  text = 'one';
  log = new EventEmitter();
  watched = watchFiles({
    what: 'numbers',
    read: () => {
      if (text instanceof Error) throw text;
      return text;
    },
    make: (found, before = []) => {
      if (found === '') throw new Error('nothing in it');
      return [...before, found];
    },
    logger: {
      info: (details: unknown) => log.emit('read', details),
      error: (details: unknown) => log.emit('wrong', details),
    } as never, // the two that are called
    everyMs: 2,
  });
});
afterEach(() => {
  watched.stop();
});

describe('watchFiles', () => {
  it('has the initial content of the files, and refuses to start without it', () => {
    expect(watched.current()).toEqual(['one']);
    expect(() =>
      watchFiles({
        what: 'x',
        read: () => '',
        make: () => {
          throw new Error('nothing in it');
        },
        logger: console,
      }),
    ).toThrow('nothing in it');
  });

  it('has the current content, made with the previous value', async () => {
    text = 'two';
    expect(await once(log, 'read')).toEqual([{ what: 'numbers' }]);
    expect(watched.current()).toEqual(['one', 'two']);
  });

  it.each([
    ['cannot be read', new Error('not found')],
    ['are wrong', ''],
  ])('keeps their previous content while they %s, and logs that once', async (_how, bad) => {
    let warnings = 0;
    log.on('wrong', () => (warnings += 1));
    text = bad;
    await once(log, 'wrong');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(watched.current()).toEqual(['one']);
    expect(warnings).toBe(1);
    text = 'three';
    await once(log, 'read');
    expect(watched.current()).toEqual(['one', 'three']);
  });

  it('logs that they are valid again when they have their previous content', async () => {
    text = '';
    await once(log, 'wrong');
    text = 'one';
    await once(log, 'read');
    expect(watched.current().at(-1)).toBe('one');
  });
});
