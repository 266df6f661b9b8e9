import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.js';

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
      'asked',
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('asked');
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
