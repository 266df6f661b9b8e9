import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Callers, createCallers } from './callers.js';

let callers: Callers;

beforeEach(() => {
  callers = createCallers();
});

const withToken = (token: string) => ({ headers: { 'x-auth-token': token } });

describe('a caller', () => {
  it('is its network until it was known once', () => {
    const first = callers.of(withToken('t1'), '192.0.2.1');
    expect(first.tenant).toBe('network 192.0.2.1');
    first.isOf('project blue');
    expect(callers.of(withToken('t1'), '198.51.100.7').tenant).toBe('project blue');
  });

  it('with credentials that nobody has seen is not told from others of its network', () => {
    callers.of(withToken('t1'), '192.0.2.1').isOf('project blue');
    expect(callers.of(withToken('t2'), '192.0.2.1').tenant).toBe('network 192.0.2.1');
    expect(callers.of({ headers: {} }, '192.0.2.1').tenant).toBe('network 192.0.2.1');
  });

  it('with name and password is known by these', () => {
    const basic = { headers: { authorization: 'Basic YWxpY2U6eA==' } };
    callers.of(basic, '192.0.2.1').isOf('user alice');
    expect(callers.of(basic, '192.0.2.1').tenant).toBe('user alice');
  });

  it('whose token is of another project now stands with that one', () => {
    callers.of(withToken('t1'), '192.0.2.1').isOf('project blue');
    callers.of(withToken('t1'), '192.0.2.1').isOf('project green');
    expect(callers.of(withToken('t1'), '192.0.2.1').tenant).toBe('project green');
  });
});
