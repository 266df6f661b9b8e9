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
});
