import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createLogger, logDestination } from './logger.js';

describe('createLogger', () => {
  it('never writes tokens, passwords or BMC credentials', () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
    logger.info(
      {
        req: { headers: { 'x-auth-token': 'hunter2' } },
        node: { driver_info: { redfish_password: 'hunter2' } },
        password: 'hunter2',
      },
      'answered',
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('answered');
    expect(lines[0]).not.toContain('hunter2');
  });

  it('writes one line without terminal control characters, and the same values', () => {
    const lines: string[] = [];
    const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
    const acting = '\u0000\n\r\u001b[2J\u007f\u009b31m\u202e\u2066\u2028';
    logger.warn({ owner: acting, err: new Error(acting) }, `refused ${acting}`);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[\x20-\x7e]+\n$/u);
    expect(JSON.parse(String(lines[0]))).toMatchObject({
      owner: acting,
      err: { message: acting },
      msg: `refused ${acting}`,
    });
  });
});

describe('a log whose disk is full', () => {
  it.each([true, false])('neither ends nor blocks the process (synchronous: %s)', async (sync) => {
    const destination = logDestination({ dest: '/dev/full', sync });
    const logger = createLogger('test', 'info', destination);
    for (let line = 0; line < 10; line += 1) logger.info('a line that does not fit');
    await sleep(200);
    logger.fatal('why the process ends');
    expect(() => {
      destination.flushSync();
    }).not.toThrow();
  });

  it('keeps the newest lines from using up the memory: lines above the limit are dropped', async () => {
    const dropped: string[] = [];
    const destination = logDestination({ dest: '/dev/full', sync: true, maxLength: 1000 });
    destination.on('drop', (line: string) => dropped.push(line));
    const logger = createLogger('test', 'info', destination);
    await sleep(100);
    for (let line = 0; line < 10; line += 1) logger.info('x'.repeat(300));
    expect(dropped.length).toBeGreaterThan(6);
  });
});
