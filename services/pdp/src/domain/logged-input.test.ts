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
  resource: { type: 'node', owner: 'p', lessee: null, tenancy_revision: 7 },
  fields: ['/driver_info'],
  requested: { owner: 'p' },
  now: '2026-11-21T06:00:00Z',
};

describe('loggedInput', () => {
  it('shows a question of the contract whole', () => {
    expect(loggedInput(question)).toEqual(question);
  });

  it('drops what the contract does not know, at every level', () => {
    const noisy = {
      ...question,
      password: 'secret',
      subject: { ...subject, token: 'secret' },
      resource: { ...question.resource, driver_info: { redfish_password: 'secret' } },
      requested: { owner: 'p', extra: 'secret' },
    };
    expect(JSON.stringify(loggedInput(noisy))).not.toContain('secret');
  });

  it('does not look below where the contract has plain values', () => {
    const nested = { action: { password: 'secret' }, fields: [{ password: 'secret' }] };
    expect(loggedInput(nested)).toEqual({ action: null, fields: [null] });
  });

  it.each(['eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln', 'gAAAAABmdGhpcyBpcyBhIHRva2VuIG9rCg'])(
    'censors what looks like a token: %s',
    (token) => {
      expect(loggedInput({ ...question, action: token })).toEqual({
        ...question,
        action: '******',
      });
    },
  );

  it('cuts long texts and lists', () => {
    const shown = loggedInput({
      action: 'a'.repeat(300),
      fields: Array.from({ length: 102 }, () => '/x'),
    });
    expect(shown?.['action']).toBe(`${'a'.repeat(255)}…`);
    expect(shown?.['fields']).toEqual([...Array.from({ length: 100 }, () => '/x'), '… 2 more']);
  });

  it.each([undefined, null, 'text', 5, []])('shows %j as null', (input) => {
    expect(loggedInput(input)).toBeNull();
  });
});
