import { describe, expect, it } from '@jest/globals';
import { loggedInput } from './logged-input.js';

const subject = {
  user_id: 'u',
  project_id: 'p',
  system_scope: null,
  domain_id: null,
  roles: ['member'],
};
const question = {
  action: 'baremetal:node:get',
  subject,
  resource: { type: 'node', id: 'n-1', owner: 'p', lessee: null, tenancy_revision: 7 },
  fields: ['/driver_info'],
  requested: { owner: 'p' },
  now: '2026-11-21T06:00:00Z',
};

describe('loggedInput', () => {
  it('shows a question of the contract whole, however long it is', () => {
    const long = { ...question, fields: Array.from({ length: 500 }, () => `/${'x'.repeat(500)}`) };
    for (const input of [question, long])
      expect(loggedInput(input)).toEqual({ input, erased: [], masked: [] });
  });

  it('leaves out members that are unknown to the contract, at every level, and says so', () => {
    const noisy = {
      ...question,
      password: 'secret',
      subject: { ...subject, token: 'secret' },
      resource: { ...question.resource, driver_info: { redfish_password: 'secret' } },
      requested: { owner: 'p', 'ex/tra': 'secret' },
    };
    expect(loggedInput(noisy)).toEqual({
      input: question,
      erased: [
        '/input/subject/token',
        '/input/resource/driver_info',
        '/input/requested/ex~1tra',
        '/input/password',
      ],
      masked: [],
    });
  });

  it('leaves out objects where the contract has plain values', () => {
    const nested = {
      action: { password: 'secret' },
      fields: [{ password: 'secret' }, '/x'],
      subject: { roles: { requested: 'secret' } },
      resource: { requested: { owner: 'secret' } },
    };
    expect(loggedInput(nested)).toEqual({
      input: { fields: [null, '/x'], subject: {}, resource: {} },
      erased: ['/input/action', '/input/subject/roles', '/input/resource/requested'],
      masked: ['/input/fields/0'],
    });
  });

  it.each(['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln', 'gAAAAABmdGhpcyBpcyBhIHRva2VuIG9rCg'])(
    'censors what looks like a token: %s',
    (token) => {
      expect(loggedInput({ ...question, action: token })).toEqual({
        input: { ...question, action: '******' },
        erased: [],
        masked: ['/input/action'],
      });
    },
  );

  it.each(['text', 5, []])('shows %j, which is no question, as null', (input) => {
    expect(loggedInput(input)).toEqual({ input: null, erased: ['/input'], masked: [] });
  });

  it.each([undefined, null])('shows a question that is not there as null: %j', (input) => {
    expect(loggedInput(input)).toEqual({ input: null, erased: [], masked: [] });
  });
});
