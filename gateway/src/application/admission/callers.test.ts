import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Callers, createCallers } from './callers.js';

let callers: Callers;

beforeEach(() => {
  callers = createCallers();
});

const withToken = (token: string) => ({ headers: { 'x-auth-token': token } });

describe('a caller', () => {
  it('has the tenant of its network until it is authenticated once', () => {
    const first = callers.of(withToken('t1'), '192.0.2.1');
    expect(first.tenant).toBe('network 192.0.2.1');
    first.isOf('project blue');
    expect(callers.of(withToken('t1'), '198.51.100.7').tenant).toBe('project blue');
  });

  it('with unknown credentials has the tenant of its network', () => {
    callers.of(withToken('t1'), '192.0.2.1').isOf('project blue');
    expect(callers.of(withToken('t2'), '192.0.2.1').tenant).toBe('network 192.0.2.1');
    expect(callers.of({ headers: {} }, '192.0.2.1').tenant).toBe('network 192.0.2.1');
  });

  it('is recognized by name and password', () => {
    const basic = { headers: { authorization: 'Basic YWxpY2U6eA==' } };
    callers.of(basic, '192.0.2.1').isOf('user alice');
    expect(callers.of(basic, '192.0.2.1').tenant).toBe('user alice');
  });

  it('has the new tenant when its token belongs to another project', () => {
    callers.of(withToken('t1'), '192.0.2.1').isOf('project blue');
    callers.of(withToken('t1'), '192.0.2.1').isOf('project green');
    expect(callers.of(withToken('t1'), '192.0.2.1').tenant).toBe('project green');
  });
});
